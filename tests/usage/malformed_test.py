#!/usr/bin/env python3
"""Every input of malformed/*.cases is rejected: exit 2, the message of its case, no output.

A unit test of io/ checks the readers; here the program has to report the same, after detecting the format. An
input too broken for detection may be rejected as another format; its case then says so.
"""

import pathlib
import subprocess
import sys
import unittest

from support import BAD_INPUT, ROOT, Case, without_source

CORPUS = pathlib.Path(__file__).resolve().parent / "malformed"
sys.path.insert(0, str(CORPUS))
import cases  # pylint: disable=wrong-import-position

PROBLEM = ROOT / "tests" / "unit" / "io" / "placed_problem.yaml"

# Format -> the command line that reads such a file.
COMMANDS = {
    "buffer_csv": lambda file, out: ("place", file, "--minimize", "-o", out),
    "problem_yaml": lambda file, out: ("place", file, "--minimize", "-o", out),
    "dsa_json": lambda file, out: ("place", file, "--minimize", "-o", out),
    "executorch_trace": lambda file, out: ("place", file, "-o", out),
    "graph_json": lambda file, out: ("order", file, "-o", out),
    "hardware_yaml": lambda file, out: ("place", PROBLEM, "--profile", file, "-o", out),
    "onnx": lambda file, out: ("import", file, "-o", out),
    "tflite": lambda file, out: ("import", file, "-o", out),
    "placement_json": lambda file, out: ("check", PROBLEM, file),
}


class Malformed(Case):
    """Gets one test for each case of each file: test_FORMAT_NAME."""

    def refused(self, form, case):
        file = self.file(f"{case.name}.{cases.SUFFIXES[form]}", case.data)
        out = self.folder / "out"
        done = self.ends(BAD_INPUT, *COMMANDS[form](file, out))
        said = without_source(done.stderr.replace(str(file), "FILE"))
        self.assertEqual(said, case.program, f"{form}.cases, line {case.line}: {case.name}")
        self.assertEqual(self.names(), [file.name], "something was written")

    def test_another_sentence_is_noticed(self):
        for form in COMMANDS:
            case = cases.read(form)[-1]
            for other in (case.program[:-1] + [case.program[-1] + "!"], case.program + ["  hint: x"],
                          ["FILE:99: is wrong"], []):
                with self.subTest(form=form, other=other):
                    with self.assertRaisesRegex(AssertionError, f"{form}.cases, line {case.line}"):
                        self.refused(form, case._replace(program=other))

    def test_no_case_is_lost(self):
        found = {path.stem: cases.read(path.stem) for path in CORPUS.glob("*.cases")}
        self.assertEqual(sorted(found), sorted(COMMANDS))
        self.assertGreaterEqual(sum(map(len, found.values())), 370)
        for form, all_ in found.items():
            names = [case.name for case in all_]
            self.assertEqual(len(names), len(set(names)), f"{form}.cases has a name twice")

    def test_cases_are_written_as_they_are_read(self):
        for form in COMMANDS:
            for case in cases.read(form):
                for text in (True, False):
                    lines = "\n".join(cases.written(case, text)) + "\n"
                    self.assertEqual(cases.parsed(lines.encode()), [case._replace(line=1)])

    def test_cases_can_be_unpacked(self):
        folder = self.folder / "seeds"
        subprocess.run([sys.executable, CORPUS / "cases.py", "dsa_json", folder], check=True)
        self.assertEqual(len(list(folder.iterdir())), len(cases.read("dsa_json")))


def _add(form, case):
    name = f"test_{form}_{case.name}".replace("-", "_")
    setattr(Malformed, name, lambda self: self.refused(form, case))


for _form in COMMANDS:
    for _case in cases.read(_form):
        _add(_form, _case)


if __name__ == "__main__":
    unittest.main()
