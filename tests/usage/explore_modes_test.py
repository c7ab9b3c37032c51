#!/usr/bin/env python3
"""explore, `modes:`: the fewest modes are those of brute force over all subsets, planned again."""

import csv
import itertools
import json
import unittest

from support import BAD_INPUT, FOUND, Case, run

NETWORKS = {
    "one": """tessera: network/1
name: one
tensors: {x: {shape: [1, 32, 14, 14], dtype: int8}}
inputs: [x]
ops:
  - {name: c1, type: conv, inputs: [x], output: t, weights: {shape: [32, 32, 3, 3]}, pad: [1, 1, 1, 1]}
  - {name: r1, type: relu, inputs: [t], output: y}
outputs: [y]
""",
    "two": """tessera: network/1
name: two
tensors: {x: {shape: [1, 16, 28, 28], dtype: int8}}
inputs: [x]
ops:
  - {name: c1, type: conv, inputs: [x], output: t, weights: {shape: [64, 16, 1, 1]}}
  - {name: c2, type: conv, inputs: [t], output: y, weights: {shape: [32, 64, 1, 1]}}
outputs: [y]
"""}

# Splits of a convolution buffer between data and weights, as in nvdla-like, on a scale where it
# matters which of them there are.
SPLITS = {"d3w1": "{0-2: data, 3: weight}", "d2w2": "{0-1: data, 2-3: weight}",
          "d1w3": "{0: data, 1-3: weight}", "w1d3": "{0: weight, 1-3: data}"}
NVDLA = """tessera: hardware/1
name: splits
inherit: nvdla-like
memories:
  cbuf:
    banks: 4
    bank_size: SIZE KiB
    modes:
MODES
  cvsram: {capacity: 256 KiB}
"""
# Banks of a plain memory that are read or written, and all at once.
ROLES = {"even": "[read, write, read, write]", "odd": "[write, read, write, read]",
         "any": "[read_write, read_write, read_write, read_write]",
         "half": "[read, read, write, write]", "rest": "[hold, hold, read_write, read_write]"}
PLAIN = """tessera: hardware/1
name: roles
inherit: ethos-u55-like
mode_switch: {cycles: 200, energy: 5000 pJ}
memories:
  sram:
    capacity: null
    banks: 4
    bank_size: 4 KiB
    modes:
MODES
"""


def listed(modes, chosen):
    return "\n".join(f"      - {{name: {name}, roles: {modes[name]}}}" for name in chosen)


class Modes(Case):
    def setUp(self):
        super().setUp()
        for name, text in NETWORKS.items():
            self.file(f"{name}.yaml", text)

    def scores(self, profile):
        """Of both networks on a machine; None where there is no plan."""
        found = []
        for name in NETWORKS:
            done = run("plan", f"{name}.yaml", "--profile", profile, "--format", "json",
                       cwd=self.folder)
            plan = json.loads(done.stdout)
            found.append(plan["score"] if done.returncode == FOUND else None)
        return found

    def brute_force(self, text, modes, lose):
        """The sizes of all sets with which both keep their score, planned one by one."""
        base = self.file("all.yaml", text.replace("MODES", listed(modes, modes)))
        best = self.scores(base)
        enough = []
        for count in range(1, len(modes) + 1):
            for chosen in itertools.combinations(modes, count):
                profile = self.file("some.yaml", text.replace("MODES", listed(modes, chosen)))
                now = self.scores(profile)
                if all(n is not None and n <= b * (1 + lose / 100) * (1 + 1e-9)
                       for n, b in zip(now, best)):
                    enough.append(set(chosen))
        return best, enough

    def explored(self, text, modes, lose):
        self.file("all.yaml", text.replace("MODES", listed(modes, modes)))
        sweep = self.file("sweep.yaml", "tessera: sweep/1\nnetworks: [one.yaml, two.yaml]\n"
                          f"hardware: {{base: all.yaml}}\nmodes: {{lose: {lose} %}}\n")
        done = run("explore", sweep, "-o", self.folder / "out", "--threads", "1",
                   cwd=self.folder)
        self.assertEqual(done.returncode, FOUND, done.stderr)
        summary = json.loads((self.folder / "out/summary.json").read_text())
        return summary["modes"], done.stdout

    def check_against_brute_force(self, text, modes, lose):
        best, enough = self.brute_force(text, modes, lose)
        fewest = min(len(chosen) for chosen in enough)
        found, said = self.explored(text, modes, lose)
        needed = {name.split(".")[1] for name in found["needed"]}
        self.assertEqual(len(needed), fewest, (found, enough))
        self.assertIn(needed, enough)
        self.assertTrue(found["proved"], found)
        self.assertEqual(found["bound"], fewest)
        self.assertLessEqual(found["plans"], 2 * (2 ** len(modes)))
        for score, alone in zip(found["scores"], best):
            self.assertAlmostEqual(score["with_all"], alone, places=9)
            self.assertLessEqual(score["with_needed"], alone * (1 + lose / 100) * (1 + 1e-9))
        self.assertIn(f"{fewest} of {len(modes)}, proved", said)
        with open(self.folder / "out/modes.csv", encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual({row["mode"] for row in rows if row["needed"] == "yes"}, needed)
        self.assertEqual(len(rows), len(modes))
        # The machine without the others is there to be planned with.
        again = self.scores(self.folder / "out/plans/fewest-modes.yaml")
        for score, now in zip(found["scores"], again):
            self.assertAlmostEqual(score["with_needed"], now, places=9)
        return fewest

    def test_splits_of_a_convolution_buffer(self):
        counts = {self.check_against_brute_force(NVDLA.replace("SIZE", size), SPLITS, lose)
                  for size, lose in (("1", 0), ("4", 0), ("2", 5))}
        self.assertEqual(counts, {1, 2})  # else nothing is tried but the least

    def test_roles_of_banks(self):
        self.assertEqual(self.check_against_brute_force(PLAIN, ROLES, 0), 1)
        apart = {name: roles for name, roles in ROLES.items() if name != "any"}
        self.assertEqual(self.check_against_brute_force(PLAIN, apart, 0), 2)

    def test_bad_requests(self):
        for text, what in (("modes: {lose: much}", "no percentage"),
                           ("modes: {lose: 120 %}", "between 0 % and 100 %"),
                           ("modes: {loose: 1 %}", "did you mean `lose`?")):
            sweep = self.file("bad.yaml", "tessera: sweep/1\nnetworks: [one.yaml]\n"
                              f"hardware: {{base: ethos-u55-like}}\n{text}\n")
            done = run("explore", sweep, "-o", self.folder / "out", cwd=self.folder)
            self.assertEqual(done.returncode, BAD_INPUT)
            self.assertIn(what, done.stderr)
            self.assertIn("bad.yaml:4", done.stderr)

    def test_machine_without_modes(self):
        sweep = self.file("none.yaml", "tessera: sweep/1\nnetworks: [one.yaml]\n"
                          "hardware: {base: ethos-u55-like}\nmodes: {}\n")
        done = run("explore", sweep, "-o", self.folder / "out", cwd=self.folder)
        self.assertEqual(done.returncode, FOUND)
        self.assertIn("no memory of the machine has modes", done.stdout)


if __name__ == "__main__":
    unittest.main()
