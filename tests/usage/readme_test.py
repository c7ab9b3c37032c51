#!/usr/bin/env python3
"""Runs what README.md and docs/*.md show in blocks of ```console and compares the output.

`$ command` lines are run by bash, the lines behind them are what must come out. Seconds are
compared as text without their digits, and a line `...` stands for any number of lines.
"""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from support import ROOT, TESSERA

SECONDS = re.compile(r"\b\d+\.\d+ s\b")
LEFT_OUT = re.compile(r"^\$ (\./dev|sudo|apt|git|cmake|ctest)\b")


def blocks(path):
    """(line number, [(command, [expected lines])]) of every console block."""
    inside, start, calls = False, 0, []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        if line.strip() == "```console":
            inside, start, calls = True, number, []
        elif line.strip() == "```" and inside:
            inside = False
            yield start, calls
        elif inside and line.startswith("$ "):
            calls.append((line, []))
        elif inside and calls and calls[-1][0].endswith("\\"):
            calls[-1] = (calls[-1][0][:-1] + line.strip(), calls[-1][1])
        elif inside and calls:
            calls[-1][1].append(line.rstrip())


def pattern(lines):
    parts = []
    for line in lines:
        if line.strip() == "...":
            parts.append(r"(?:.*\n)*?")
        else:
            words = re.escape(SECONDS.sub("@seconds@", line))
            parts.append(words.replace("@seconds@", r"\d+\.\d+ s") + r" *\n")
    return "".join(parts)


class Documents(unittest.TestCase):
    def test_console_blocks(self):
        documents = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
        ran = 0
        for document in documents:
            if not document.exists():
                continue
            with tempfile.TemporaryDirectory() as folder:
                shutil.copytree(ROOT / "examples", pathlib.Path(folder) / "examples")
                path = f"{pathlib.Path(TESSERA).parent}:{os.environ['PATH']}"
                for start, calls in blocks(document):
                    for command, expected in calls:
                        if LEFT_OUT.match(command):
                            continue
                        ran += 1
                        with self.subTest(document=document.name, line=start, command=command):
                            done = subprocess.run(
                                ["bash", "-c", command[2:]], cwd=folder, text=True, timeout=300,
                                env={**os.environ, "PATH": path}, check=False,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
                            if expected:
                                self.assertRegex(done.stdout, "^" + pattern(expected) + "$")
        self.assertGreater(ran, 0, "no document shows a command")


if __name__ == "__main__":
    unittest.main()
