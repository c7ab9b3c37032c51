"""Runs the real program, whose path is in $TESSERA."""

import json
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
SHARED = pathlib.Path(os.environ.get("TESSERA_SHARED_DIR", ROOT / ".." / "shared"))
TESSERA = os.environ.get("TESSERA", str(ROOT / "build/release/cli/tessera"))
# Built without optimisation, or with a sanitizer.
SLOW = os.environ.get("TESSERA_SLOW") == "1"

# A convolution, an addition with its input, another convolution.
TOY_NETWORK = """tessera: network/1
name: toy
tensors: {x: {shape: [1, 8, 32, 32], dtype: int8}}
inputs: [x]
ops:
  - {name: c1, type: conv, inputs: [x], output: t, weights: {shape: [8, 8, 3, 3]}, pad: [1, 1, 1, 1]}
  - {name: a1, type: add, inputs: [t, x], output: u}
  - {name: c2, type: conv, inputs: [u], output: y, weights: {shape: [8, 8, 3, 3]}, pad: [1, 1, 1, 1]}
outputs: [y]
"""

# For plan: the weights of the shipped profiles without the peak.
NO_PEAK = ("--weight", "latency=4", "--weight", "energy=3", "--weight", "dram_bytes=2")

# The message of a build that was made without a library (TESSERA_WITH_ONNX, TESSERA_WITH_Z3,
# TESSERA_WITH_CBC, TESSERA_WITH_GECODE).
LEFT_OUT = ("this build of Tessera has no ONNX reader", "this build of Tessera has no Z3",
            "this build of Tessera has no CBC", "this build of Tessera has no Gecode")

FOUND, FAILED, BAD_INPUT, WRONG, INFEASIBLE, STOPPED = 0, 1, 2, 3, 20, 30

# Signals that request a stop; the exit code is then 128 plus their number.
ENDS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def shown_on(terminal):
    """Everything written to a terminal, which buffers a few thousand bytes, until its last writer closes it."""
    seen = b""
    try:
        while piece := os.read(terminal, 1 << 16):
            seen += piece
    except OSError:  # the last writer has closed it
        pass
    return seen.decode()


os.environ.pop("COLUMNS", None)  # tests search for sentences within one line


def run(*arguments, stdin=None, cwd=None, timeout=120, stdout=subprocess.PIPE, **options):
    """The finished process; arguments may be paths. Skips the test if the build lacks a library that the
    command needs."""
    done = subprocess.run(
        [TESSERA, *map(str, arguments)],
        input=stdin,
        stdout=stdout,
        stderr=subprocess.PIPE,
        cwd=cwd,
        timeout=timeout,
        text=True,
        check=False,
        **options,
    )
    skip_what_was_left_out(done.stderr)
    return done


def skip_what_was_left_out(said):
    for reason in LEFT_OUT:
        if reason in said:
            raise unittest.SkipTest(reason)


def plain_signals():
    """For the new process: the parent (nohup, a script's `&`) may ignore some signals."""
    for number in (*ENDS, signal.SIGQUIT, signal.SIGPIPE):
        signal.signal(number, signal.SIG_DFL)


def start(*arguments, prepare=lambda: None, **options):
    """A running process whose signal handlers are installed."""

    def before():
        plain_signals()
        prepare()

    options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
    process = subprocess.Popen([TESSERA, *map(str, arguments)], preexec_fn=before, **options)
    until = time.monotonic() + 60
    while process.poll() is None and not listens(process.pid) and time.monotonic() < until:
        time.sleep(0.001)
    return process


def listens(pid):
    """True once the program handles SIGTERM. Without /proc, wait instead."""
    try:
        with open(f"/proc/{pid}/status", encoding="utf-8") as status:
            for line in status:
                if line.startswith("SigBlk:"):
                    return int(line.split()[1], 16) >> (signal.SIGTERM - 1) & 1 == 1
    except OSError:
        time.sleep(0.3)
    return True


def strict_json(text):
    """As json.loads(), but rejects duplicate keys and invalid numbers."""

    def unique(pairs):
        keys = [key for key, _ in pairs]
        twice = {key for key in keys if keys.count(key) > 1} if len(set(keys)) < len(keys) else ()
        if twice:
            raise ValueError(f"keys stand twice: {sorted(twice)}")
        return dict(pairs)

    def refuse(word):
        raise ValueError(f"{word} is no JSON number")

    return json.loads(text, object_pairs_hook=unique, parse_constant=refuse)


def errors(said):
    """One list per error: its lines without the line of the file and the caret, which follow the first line."""
    found = []
    for line in said.splitlines():
        if not line.startswith("  "):
            found.append([])
        found[-1].append(line)
    for lines in found:
        if len(lines) > 2 and lines[1].startswith("  | ") and re.fullmatch(r"  \| *\^~*", lines[2]):
            del lines[1:3]
    return found


def without_source(said):
    return sum(errors(said), [])


class Case(unittest.TestCase):
    """A test with a folder of its own and common checks for every call."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def file(self, name, text):
        path = self.folder / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    def names(self):
        return sorted(path.name for path in self.folder.iterdir())

    def ends(self, code, *arguments, **options):
        """Runs the program and compares the exit code; messages for bad input have a fixed form."""
        done = run(*arguments, **options)
        told = f"\n$ tessera {' '.join(map(str, arguments))}\n{done.stdout}\n{done.stderr}"
        self.assertEqual(done.returncode, code, told)
        if code == BAD_INPUT:
            for lines in errors(done.stderr):
                self.assertIn(len(lines), (1, 2), told)
                if len(lines) == 2:
                    self.assertTrue(lines[1].startswith("  hint: "), told)
            self.assertTrue(done.stderr, told)
            self.assertFalse(done.stdout, told)
        return done
