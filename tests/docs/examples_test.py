#!/usr/bin/env python3
"""Runs, compiles or reads the examples of README.md, CONTRIBUTING.md, docs/**/*.md and the public headers.

    tests/docs/examples_test.py                    # the tests
    tests/docs/examples_test.py update [PAGES]     # rewrites the outputs of console blocks

`update` runs the commands of console blocks and writes what they print below them, in all pages or in
PAGES. An output that still matches stays as it is. A line `...` stays, and hides the new lines that come
where it stands. Lines that no output has any more are reported: where all context of such a line is
hidden, its replacement has to be chosen by hand. Review the result with git diff.

The language behind a fence says what happens to a block:

    console   `$ command` lines are run by bash, the lines behind each are all that it prints. Seconds
              are compared without their digits; a line `...` stands for any number of lines.
    sh        the lines are run by bash and have to succeed.
    cpp       compiled, as the body of main() but for its includes.
    yaml, csv, json   read by the program.
    python    is Python; tests/python runs it.

A measurement in the prose of README.md and docs/guide/ ("9.4 % of the traffic") is also in a console
block of the page, which is compared with the output of the command. A number in backticks is no
measurement. A paragraph with another number that is none has a comment in the line before it:
`<!-- not of a run: a limit -->`.

The blocks of a page share a folder with a copy of examples/. A comment in the line before a block,
which a reader of the page does not see, leaves it out: `<!-- not run: it builds everything -->`, or
where a program is missing: `<!-- needs: z3 cadical -->`.

A header of include/tessera/ opens with an example, indented by three blanks behind the slashes. It
is compiled with that header and those its comments name (`// files.h`), and may use what GIVEN
declares.
"""

import collections
import difflib
import doctest
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "usage"))
from support import TESSERA, skip_what_was_left_out  # pylint: disable=wrong-import-position

HEADERS = sorted((ROOT / "include" / "tessera").glob("*.h"))
# Names that examples use without a declaration: name -> its declaration.
GIVEN = {
    "b": "extern tessera::BufferIndex b;",
    "candidates": "extern std::vector<std::vector<tessera::Size>> candidates;",
    "file": "extern std::ofstream file;",
    "hardware": "extern tessera::Hardware hardware;",
    "input": "extern tessera::Input input;",
    "memory": "extern tessera::Memory memory;",
    "net": "extern tessera::Network net;",
    "op": "extern tessera::Op op;",
    "placement": "extern tessera::Placement placement;",
    "problem": "extern tessera::PlacementProblem problem;",
    "result": "extern tessera::PlacementResult result;",
    "use": "template <class Value> void use(const Value&);",
}
STANDARD = {"assert": "cassert", "file": "fstream", "cout": "iostream", "cerr": "iostream",
            "stop_source": "stop_token"}
# Headers of the names of the standard library in public headers; std::move comes with all.
COMES_FROM = {
    "array": "array", "chrono": "chrono", "filesystem": "filesystem", "function": "functional",
    "int64_t": "cstdint", "logic_error": "stdexcept", "nullopt": "optional",
    "numeric_limits": "limits", "optional": "optional", "pair": "utility",
    "runtime_error": "stdexcept", "shared_ptr": "memory", "size_t": "cstddef", "span": "span",
    "stop_token": "stop_token", "string": "string", "string_view": "string_view",
    "uint64_t": "cstdint", "uint8_t": "cstdint", "unique_ptr": "memory", "variant": "variant",
    "vector": "vector",
}
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
SECONDS = re.compile(r"\b\d+\.\d+ s\b")
MARK = re.compile(r"^<!-- (not run|needs): (.+) -->$")
MEASURED = [ROOT / "README.md", *sorted((ROOT / "docs" / "guide").glob("*.md"))]
NUMBER = re.compile(r"(?<![\w.])\d[\d.,]* ?(?:%|(?:times|[mun]?s|[mun]?J|cycles|bytes|[KMGT]?i?B)\b)")
CODE = re.compile(r"`[^`]*`")  # values of options, for example
# A ratio in words cannot be looked for in what a command prints.
RATIO = re.compile(r"\b(?:a|an|one) (?:half|third|quarter|\w+th) of the\b")
COMMAND = re.compile(r"^(    |\t)(\$ )?(tessera (?!proof/)[a-z]|\./dev |cmake |ctest |bench/|python3 )")
READERS = {
    "tessera: network/1": ("plan", "--profile", "ethos-u55-like", "--quiet"),
    "tessera: problem/1": ("place", "--quiet"),
    "tessera: hardware/1": ("profiles",),
    "csv": ("place", "--minimize", "--quiet"),
}

Block = collections.namedtuple("Block", "line language lines mark")


def blocks(text):
    """The fenced blocks of a page, with the comment in the line before each."""
    found, inside, before = [], None, ""
    for number, line in enumerate(text.splitlines(), start=1):
        if inside and line.strip() == "```":
            found.append(inside)
            inside, before = None, ""
        elif inside:
            inside.lines.append(line)
        elif line.startswith("```"):
            inside = Block(number, line[3:].strip(), [], MARK.match(before))
        else:
            before = line
    return found


def paragraphs(text):
    """[(number of the first line, text)] of a page's prose, without those that are no measurement."""
    found, inside, skipped = [], False, False
    for number, line in enumerate([*text.splitlines(), ""], start=1):
        inside ^= line.startswith("```")
        if inside or line.startswith("```") or not line.strip():
            skipped = False
            found.append((number, ""))
        elif line.startswith("<!-- not of a run: "):
            skipped = True
        elif not skipped:
            first, before = found.pop() if found else (number, "")
            found.append((first if before else number, f"{before}{line.strip()} "))
    return [(number, words) for number, words in found if words]


def written_calls(lines):
    """[([the lines of the command], command, [what it prints])] of a console block."""
    found = []
    for line in lines:
        if line.startswith("$ "):
            found.append(([line], line[2:], []))
        elif found and found[-1][1].endswith("\\"):
            words, command, shown = found[-1]
            found[-1] = ([*words, line], command[:-1] + line.strip(), shown)
        elif found:
            found[-1][2].append(line.rstrip())
        else:
            raise ValueError(f"{line!r} comes before the first command")
    return found


def calls(lines):
    """[(command, [what it prints])] of a console block."""
    return [(command, shown) for _, command, shown in written_calls(lines)]


def pattern(lines):
    """Matches what `lines` show."""
    parts = []
    for line in lines:
        if line.strip() == "...":
            parts.append(r"(?:.*\n)*?")
        else:
            words = re.escape(SECONDS.sub("@seconds@", line))
            parts.append(words.replace("@seconds@", r"\d+\.\d+ s") + r" *\n")
    return "^" + "".join(parts) + r"\Z"


def same_line(shown, printed):
    """Does `printed` match the line `shown` of a page?"""
    return re.match(pattern([shown]), printed + "\n") is not None


def likeness(shown, printed):
    """How much two lines have in common, from 0 to 1; 0 where they are different lines."""
    if same_line(shown, printed):
        return 1.0 if shown.strip() else 0.1
    ratio = difflib.SequenceMatcher(None, shown, printed, autojunk=False).ratio()
    return ratio if ratio >= 0.6 else 0.0


def aligned(shown, printed):
    """[(k, n)]: lines shown[k] and printed[n] that correspond, in order, with the most likeness in total."""
    best = [[0.0] * (len(printed) + 1) for _ in range(len(shown) + 1)]
    like = [[likeness(old, new) for new in printed] for old in shown]
    for k in reversed(range(len(shown))):
        for n in reversed(range(len(printed))):
            pair = like[k][n] + best[k + 1][n + 1] if like[k][n] else 0.0
            best[k][n] = max(pair, best[k + 1][n], best[k][n + 1])
    pairs, k, n = [], 0, 0
    while k < len(shown) and n < len(printed):
        if like[k][n] and best[k][n] == like[k][n] + best[k + 1][n + 1]:
            pairs.append((k, n))
            k, n = k + 1, n + 1
        elif best[k][n] == best[k + 1][n]:
            k += 1
        else:
            n += 1
    return pairs


def updated(shown, printed):
    """(what a page shows of the lines `printed` where it has shown `shown`, [lines that are gone])."""
    if re.match(pattern(shown), "".join(f"{line}\n" for line in printed)):
        return shown, []
    lines, dots = [], set()  # dots: before these of the lines stands `...`
    for line in shown:
        if line.strip() == "...":
            dots.add(len(lines))
        else:
            lines.append(line)
    pairs = aligned(lines, printed)
    result, old, new = [], 0, 0
    for k, n in [*pairs, (len(lines), len(printed))]:
        if any(each in dots for each in range(old, k + 1)):
            result.append("...")
        else:
            result += printed[new:n]
        if k < len(lines):
            result.append(lines[k] if same_line(lines[k], printed[n]) else printed[n])
        old, new = k + 1, n + 1
    kept = {k for k, _ in pairs}
    return result, [line for k, line in enumerate(lines) if k not in kept]


def header_example(text):
    """The lines of code in the opening comment of a header."""
    code, inside = [], False
    for line in text.split("#pragma once", 1)[0].splitlines():
        if line == "//":
            inside = True
        elif not line.startswith("//   "):
            inside = False
        if inside:
            code.append(line[5:])
    return [line for line in code if line]


def header_program(name, lines):
    """The program that compiles the example `lines` of the header `name`, which comes first: it
    has to compile without any other."""
    text = "\n".join(lines)
    words = set(re.findall(r"\w+", re.sub(r'"[^"]*"|//.*', "", text)))
    includes = [name, *dict.fromkeys(re.findall(r"\b\w+\.h\b", text))]
    return "\n".join([
        *(f"#include <tessera/{each}>" for each in includes),
        *(f"#include <{each}>" for word, each in STANDARD.items() if word in words),
        "namespace tessera {}",
        *(declared for given, declared in GIVEN.items() if given in words),
        "using namespace tessera;",
        *(["using namespace std::chrono_literals;"] if re.search(r"\d(ms|s)\b", text) else []),
        "void example();",
        "void example() {", text, "}", ""])


def included(header):
    """Standard headers that `header` includes, directly or by another public header."""
    text = header.read_text(encoding="utf-8")
    found = set(re.findall(r"#include <(\w+)>", text))
    return found.union(*(included(header.parent / name)
                         for name in re.findall(r'#include "(\w+\.h)"', text)))


def program(lines):
    """A C++ program that has `lines` in main(), unless they have one themselves."""
    text = "\n".join(lines)
    if re.search(r"\bmain\s*\(", text):
        return text + "\n"
    includes = [line for line in lines if line.startswith("#include")]
    body = [line for line in lines if not line.startswith("#include")]
    return "\n".join([*includes, "int main() {", *body, "}", ""])


class Examples(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def bash(self, script):
        path = f"{pathlib.Path(TESSERA).resolve().parent}:{os.environ['PATH']}"
        done = subprocess.run(["bash", "-c", script], cwd=self.folder, text=True, timeout=300,
                              env={**os.environ, "PATH": path}, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        skip_what_was_left_out(done.stdout)
        return done

    def console(self, block):
        for command, shown in calls(block.lines):
            with self.subTest(command=command):
                self.assertRegex(self.bash(command).stdout, pattern(shown))

    def sh(self, block):
        done = self.bash("\n".join(["set -e", *block.lines]))
        self.assertEqual(done.returncode, 0, done.stdout)

    def compiled(self, text, *options):
        """Compiles a program that sees what is installed, and nothing else of the project."""
        compiler = shutil.which(os.environ.get("CXX", "c++"))
        if not compiler:
            self.skipTest("there is no C++ compiler")
        source = self.folder / "example.cpp"
        source.write_text(text, encoding="utf-8")
        done = subprocess.run(
            [compiler, "-std=c++20", "-Wall", "-Wextra", "-Werror", "-Wno-unused-variable",
             "-Wno-unused-but-set-variable", "-I", ROOT / "include",
             *(options or ["-fsyntax-only"]), source],
            text=True, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.assertEqual(done.returncode, 0, done.stdout)

    def cpp(self, block):
        self.compiled(program(block.lines))

    def data(self, block):
        text = "\n".join(block.lines) + "\n"
        if block.language == "json":  # tests/unit/io/formats_page_test.cpp reads what it means
            json.loads(text)
            return
        kind = "csv" if block.language == "csv" else block.lines[0]
        self.assertIn(kind, READERS, "nothing is known to read this")
        file = self.folder / f"block.{block.language}"
        file.write_text(text, encoding="utf-8")
        command, *options = READERS[kind]
        done = subprocess.run([TESSERA, command, file, *options], text=True, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.assertEqual(done.returncode, 0, done.stdout)

    def python(self, block):
        text = "\n".join(block.lines) + "\n"
        for example in doctest.DocTestParser().get_examples(text) or [None]:
            compile(text if example is None else example.source, "block", "exec")

    def missing(self, block):
        """Why a block is left out, or nothing."""
        if not block.mark:
            return ""
        kind, words = block.mark.groups()
        return words if kind == "not run" else " ".join(
            word for word in words.split() if not shutil.which(word))

    def page(self, page):
        shutil.copytree(ROOT / "examples", self.folder / "examples")
        ways = {"console": self.console, "sh": self.sh, "cpp": self.cpp,
                "yaml": self.data, "csv": self.data, "json": self.data, "python": self.python}
        for block in blocks(page.read_text(encoding="utf-8")):
            with self.subTest(page=page.relative_to(ROOT).as_posix(), line=block.line):
                self.assertIn(block.language, ways, "nothing is known to do with this language")
                if not self.missing(block):
                    ways[block.language](block)

    def test_headers_open_with_an_example_that_compiles(self):
        # The standard library, which takes most of the time, is compiled once for all; that each
        # header includes of it what it names is another test.
        parts = set(STANDARD.values()).union(*map(included, HEADERS))
        library = self.folder / "library.h"
        self.compiled("".join(f"#include <{part}>\n" for part in sorted(parts)),
                      "-x", "c++-header", "-o", f"{library}.gch")
        for header in HEADERS:
            lines = header_example(header.read_text(encoding="utf-8"))
            with self.subTest(header=header.name):
                self.assertTrue(lines, "there is no example")
                self.compiled(header_program(header.name, lines), "-fsyntax-only",
                              "-include", library)

    def test_headers_include_what_they_name(self):
        for header in HEADERS:
            text = re.sub(r"//.*", "", header.read_text(encoding="utf-8"))
            for name in sorted(set(re.findall(r"std::(\w+)", text)) - {"move"}):
                with self.subTest(header=header.name, name=name):
                    self.assertIn(name, COMES_FROM, "add where it comes from")
                    self.assertIn(COMES_FROM[name], included(header))

    def test_no_command_is_left_out_unseen(self):
        """Only fenced blocks are run, so a command must not stand in an indented one."""
        for page in PAGES:
            inside = False
            for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), start=1):
                inside ^= line.startswith("```")
                with self.subTest(page=page.relative_to(ROOT).as_posix(), line=number):
                    self.assertFalse(not inside and COMMAND.match(line), line)

    def unmeasured(self, text):
        """Numbers and ratios of a page's prose that no console block of it has."""
        run = NUMBER.findall("\n".join(line for block in blocks(text) if block.language == "console"
                                       for line in block.lines))
        return [(number, each) for number, words in paragraphs(text)
                for plain in [CODE.sub("", words)]
                for each in [*NUMBER.findall(plain), *RATIO.findall(plain)]
                if each not in run]

    def test_numbers_in_prose_are_what_a_command_prints(self):
        for page in MEASURED:
            with self.subTest(page=page.relative_to(ROOT).as_posix()):
                self.assertEqual(self.unmeasured(page.read_text(encoding="utf-8")), [])
        page = "It takes 9.4 % of the\ntraffic{}.\n\n```console\n$ tessera plan\nDRAM  9.4 %\n```\n"
        self.assertEqual(self.unmeasured(page.format("")), [])
        self.assertEqual(self.unmeasured(page.format("").replace("9.4", "39.4", 1)), [(1, "39.4 %")])
        self.assertEqual(self.unmeasured(page.format(", 12.5 ms and a thirtieth of the rest")),
                         [(1, "12.5 ms"), (1, "a thirtieth of the")])
        self.assertEqual(self.unmeasured("The option `--timeout 30s` limits `plan`.\n"), [])
        self.assertEqual(self.unmeasured("<!-- not of a run: a limit -->\nIt ends after 100 ms.\n"), [])

    def test_files_that_are_named_are_there(self):
        """`engine/race.h` in a page is a file of the project."""
        named = re.compile(r"`((?:[\w.-]+/)+[\w-]+\.(?:h|cpp|py|cmake))`")
        for page in PAGES:
            for name in named.findall(page.read_text(encoding="utf-8")):
                with self.subTest(page=page.relative_to(ROOT).as_posix(), name=name):
                    self.assertTrue((ROOT / name).exists())

    def test_what_is_wrong_is_noticed(self):
        wrong = {
            "console": ["$ echo one", "two"],
            "sh": ["false"],
            "cpp": ["#include <tessera/place.h>", "tessera::place(1);"],
            "yaml": ["tessera: problem/1", "colour: red"],
            "csv": ["id,lower"],
        }
        for language, lines in wrong.items():
            block = Block(1, language, lines, None)
            way = {"console": self.console, "sh": self.sh, "cpp": self.cpp}.get(language, self.data)
            if language == "console":
                self.assertNotRegex(self.bash(calls(lines)[0][0]).stdout, pattern(["two"]))
                self.assertNotRegex("one\ntwo\n", pattern(["one"]))
            else:
                with self.subTest(language=language), self.assertRaises(AssertionError):
                    way(block)
        example = header_example("// Text.\n//\n//   place(1);\n//\n// a:   no code\n//      either\n")
        self.assertEqual(example, ["place(1);"])
        with self.assertRaises(AssertionError):
            self.compiled(header_program("place.h", example))


def name_of(page):
    """docs/guide/read-a-plan.md: docs_guide_read_a_plan."""
    return re.sub(r"\W", "_", page.relative_to(ROOT).with_suffix("").as_posix())


def _add(page):
    setattr(Examples, f"test_page_{name_of(page)}", lambda self: self.page(page))


for _page in PAGES:
    _add(_page)


class Updates(unittest.TestCase):
    """`update` rewrites the output blocks of a page."""

    def holds(self, shown, printed, expected, gone=()):
        self.assertEqual(updated(shown, printed), (expected, list(gone)))
        self.assertRegex("".join(f"{line}\n" for line in printed), pattern(expected))

    def test_what_matches_stays(self):
        self.holds(["in 0.1 s", "..."], ["in 2.7 s", "more"], ["in 0.1 s", "..."])

    def test_without_dots_everything_is_shown(self):
        self.holds(["height 12 of 13", "in 0.1 s"], ["height 14 of 15", "a new line", "in 2.7 s"],
                   ["height 14 of 15", "a new line", "in 0.1 s"])
        self.holds(["one"], [], [], ["one"])

    def test_dots_hide_what_comes_where_they_stand(self):
        self.holds(["height 12 of 13", "..."], ["height 14 of 15", "x", "y"], ["height 14 of 15", "..."])
        self.holds(["...", "score 0.4, bound 0.3", "..."], ["x", "score 0.5, bound 0.3", "y", "z"],
                   ["...", "score 0.5, bound 0.3", "..."])

    def test_what_is_gone_is_reported(self):
        self.holds(["first line", "...", "zzzz", "..."], ["first line", "abc", "def"],
                   ["first line", "..."], ["zzzz"])


def update(pages):
    """Rewrites the outputs of the console blocks of `pages`."""
    if not shutil.which(TESSERA):
        sys.exit(f"{TESSERA} is no program: build it, or set TESSERA")
    for page in pages:
        text = page.read_text(encoding="utf-8")
        lines, moved = text.splitlines(), 0
        runner = Examples()
        with tempfile.TemporaryDirectory() as folder:
            runner.folder = pathlib.Path(folder)
            shutil.copytree(ROOT / "examples", runner.folder / "examples")
            for block in blocks(text):
                if runner.missing(block) or block.language not in ("console", "sh"):
                    continue
                if block.language == "sh":
                    runner.bash("\n".join(["set -e", *block.lines]))
                    continue
                fresh = []
                for words, command, shown in written_calls(block.lines):
                    done = runner.bash(command)
                    now, gone = updated(shown, [line.rstrip() for line in done.stdout.splitlines()])
                    where = f"{page.relative_to(ROOT)}:{block.line}: {command}"
                    if done.returncode >= 126 or done.returncode < 0:  # not found, or killed
                        print(f"{where}\n  not updated, exit code {done.returncode}: {done.stdout}")
                        now, gone = shown, []
                    elif now != shown:
                        print(f"{where}\n  updated" + (", exit code 2" if done.returncode == 2 else ""))
                    fresh += [*words, *now]
                    for line in gone:
                        print(f"  no longer printed: {line}")
                begin = block.line + moved  # the line after the fence
                lines[begin:begin + len(block.lines)] = fresh
                moved += len(fresh) - len(block.lines)
        page.write_text("\n".join(lines) + "\n", encoding="utf-8")
        if page in MEASURED:
            for number, each in runner.unmeasured(page.read_text(encoding="utf-8")):
                print(f"{page.relative_to(ROOT)}:{number}: '{each}' is in no console block of the page")


if __name__ == "__main__":
    if sys.argv[1:2] == ["update"]:
        update([pathlib.Path(each).resolve() for each in sys.argv[2:]] or PAGES)
    else:
        unittest.main()
