#!/usr/bin/env python3
"""Reads and writes the case files of this folder; README.md describes their format.

    cases.py problem_yaml FOLDER         # every input of problem_yaml.cases as a file in FOLDER
    cases.py problem_yaml FOLDER 4096    # those of at most 4096 bytes
"""

import collections
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
SUFFIXES = {
    "buffer_csv": "csv",
    "dsa_json": "json",
    "executorch_trace": "json",
    "graph_json": "json",
    "hardware_yaml": "yaml",
    "onnx": "onnx",
    "placement_json": "json",
    "problem_yaml": "yaml",
    "tflite": "tflite",
}

# `program`: messages of the program, one entry per line; `reader`: the message of the reader alone.
Case = collections.namedtuple("Case", "name line reader program data")

ESCAPE = re.compile(
    rb"\\(?:x(?P<hex>[0-9a-f]{2})|(?P<plain>[ntr\\])|(?P<times>\d+)\{(?P<text>(?:\\.|[^\\}])*)\})")
PLAIN = {b"n": b"\n", b"t": b"\t", b"r": b"\r", b"\\": b"\\"}


class Malformed(Exception):
    """A malformed case file."""


def unescaped(text):
    """The bytes of an input, from its notation in a case file."""
    out, at = b"", 0
    while (found := text.find(b"\\", at)) >= 0:
        out += text[at:found]
        escape = ESCAPE.match(text, found)
        if not escape:
            raise Malformed(f"no escape: {text[found:found + 20]!r}")
        if escape["hex"]:
            out += bytes([int(escape["hex"], 16)])
        elif escape["plain"]:
            out += PLAIN[escape["plain"]]
        else:
            for round_ in range(int(escape["times"])):
                out += unescaped(escape["text"].replace(b"\\^", b" " * round_))
        at = escape.end()
    return out + text[at:]


def parsed(text):
    """Parses every case of a case file."""
    cases = []
    for number, line in enumerate(text.split(b"\n"), start=1):
        kind, rest = line[:2], line[2:]
        if kind == b"= ":
            cases.append(Case(rest.decode(), number, [], [], [b""]))
        elif not line or line.startswith(b"#"):
            continue
        elif not cases:
            raise Malformed(f"line {number}: before the first case")
        elif kind == b"> ":
            cases[-1].reader.append(rest.decode())
        elif kind == b"! ":
            cases[-1].program.append(rest.decode())
        elif kind in (b"| ", b"|"):
            backslashes = len(rest) - len(rest.rstrip(b"\\"))
            cases[-1].data[0] += rest[:-1] if backslashes % 2 else rest + b"\n"
        else:
            raise Malformed(f"line {number}: begins with none of `= `, `> `, `! `, `| ` and `#`")
    return [case._replace(program=case.program or case.reader, data=unescaped(case.data[0]))
            for case in cases]


def read(form):
    """The cases of one format, in the order of its file."""
    return parsed((HERE / f"{form}.cases").read_bytes())


def escaped(data, text):
    """The lines for `data`; lines of a `text` end at its line ends."""

    def byte(value):
        if value in b"\n\t\r\\":
            return {10: r"\n", 9: r"\t", 13: r"\r", 92: r"\\"}[value]
        return chr(value) if 32 <= value < 127 else f"\\x{value:02x}"

    def run(found):
        return f"\\{len(found[0]) // len(found[1])}{{{''.join(map(byte, found[1]))}}}"

    lines, line, at = [], "", 0
    runs = re.compile(rb"([^}]|[^}]{2,8}?)\1{19,}", re.DOTALL)
    while at < len(data):
        if found := runs.match(data, at):
            line, at = line + run(found), found.end()
        elif data[at] == 10 and text:
            lines.append(line[:-1] + r"\x20" if line.endswith(" ") else line)
            line, at = "", at + 1
        else:
            line, at = line + byte(data[at]), at + 1
        if not text and len(line) >= 96:
            lines.append(line + "\\")
            line = ""
    return lines + [line + "\\"] if line else lines


def written(case, text=True):
    """The lines of a case file for `case`; a `text` is written line by line."""
    lines = [f"= {case.name}", *(f"> {line}" for line in case.reader)]
    if case.program != case.reader:
        lines += [f"! {line}" for line in case.program]
    return lines + [f"| {line}".rstrip(" ") for line in escaped(case.data, text)]


def main(form, folder, at_most=sys.maxsize):
    """Unpacks the inputs of one format; a format without a case file has none."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    if form in SUFFIXES:
        for case in read(form):
            if len(case.data) > int(at_most):
                continue
            (folder / f"{case.name}.{SUFFIXES[form]}").write_bytes(case.data)


if __name__ == "__main__":
    main(*sys.argv[1:])
