#!/usr/bin/env python3
"""Every file below malformed/ is bad input: exit 2, `file:line: what is wrong`, nothing written.

malformed/expected.tsv names the line and a part of the message for each file. That the readers say
so is a unit test of io/; here the same must come out of the program, which first has to tell the
formats apart. A file that is too broken for that may be refused as one of another format.
"""

import pathlib
import re
import unittest

from support import BAD_INPUT, ROOT, Case

CORPUS = pathlib.Path(__file__).resolve().parent / "malformed"
PROBLEM = ROOT / "tests" / "unit" / "io" / "placed_problem.yaml"

# Folder -> the command line that reads such a file.
COMMANDS = {
    "buffer_csv": lambda file, out: ("place", file, "--minimize", "-o", out),
    "problem_yaml": lambda file, out: ("place", file, "--minimize", "-o", out),
    "dsa_json": lambda file, out: ("place", file, "--minimize", "-o", out),
    "hardware_yaml": lambda file, out: ("place", PROBLEM, "--profile", file, "-o", out),
    "onnx": lambda file, out: ("import", file, "-o", out),
    "placement_json": lambda file, out: ("check", PROBLEM, file),
}


class Malformed(Case):
    def test_every_file(self):
        rows = (CORPUS / "expected.tsv").read_text(encoding="utf-8").splitlines()
        self.assertGreater(len(rows), 60)
        exact = 0
        for name, line, words in (row.split("\t") for row in rows):
            folder = name.split("/")[0]
            if folder not in COMMANDS:
                continue
            with self.subTest(file=name):
                out = self.folder / "out.json"
                done = self.ends(BAD_INPUT, *COMMANDS[folder](CORPUS / name, out))
                self.assertFalse(out.exists())
                first = done.stderr.splitlines()[0]
                self.assertRegex(first, r"^\S.*?(:\d+)?: .")
                exact += bool(re.search(rf":{line}: .*{re.escape(words)}", first) or
                              (line == "0" and words in first))
        self.assertGreater(exact, 0.95 * len(rows), "too few messages name their line")


if __name__ == "__main__":
    unittest.main()
