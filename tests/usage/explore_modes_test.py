#!/usr/bin/env python3
"""explore, `modes:`: the fewest modes equal those by brute force over all subsets, planned separately."""

import contextlib
import csv
import itertools
import json
import sqlite3
import subprocess
import time
import unittest

from support import BAD_INPUT, FOUND, SLOW, TESSERA, Case, run

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

# Settings evaluated last (one_copy, reduction, direct, early) apply only to the best partition so far, which
# may depend on the modes. Therefore these machines have none of them.

# Splits of a convolution buffer between data and weights, as in nvdla-like, at a scale at which the choice
# matters.
SPLITS = {"d3w1": "{0-2: data, 3: weight}", "d2w2": "{0-1: data, 2-3: weight}",
          "d1w3": "{0: data, 1-3: weight}", "w1d3": "{0: weight, 1-3: data}"}
NVDLA = """tessera: hardware/1
name: splits
inherit: nvdla-like
tiling: {one_copy: [none], reduction: [1], direct: [none], early: none}
memories:
  cbuf:
    banks: 4
    bank_size: SIZE KiB
    modes:
MODES
  cvsram: {capacity: 256 KiB}
"""
# Banks of a plain memory that are read or written, and a mode for both.
ROLES = {"even": "[read, write, read, write]", "odd": "[write, read, write, read]",
         "any": "[read_write, read_write, read_write, read_write]",
         "half": "[read, read, write, write]", "rest": "[hold, hold, read_write, read_write]"}
PLAIN = """tessera: hardware/1
name: roles
inherit: ethos-u55-like
tiling: {one_copy: [none]}
mode_switch: {cycles: 200, energy: 5000 pJ}
memories:
  sram:
    capacity: null
    banks: 4
    bank_size: 4 KiB
    modes:
MODES
"""
# Banks with independently switched roles: every combination is a mode.
OWN = """tessera: hardware/1
name: own
inherit: ethos-u55-like
tiling: {one_copy: [none]}
mode_switch: {cycles: 200, energy: 5000 pJ}
memories:
  sram:
    capacity: null
    banks:
      - {name: low, size: 5 KiB, roles: [read, write]}
      - {name: middle, size: 4 KiB, roles: [read, write]}
      - {name: high, size: 7 KiB, roles: [read, write]}
    modes: per_bank
"""
OWN_LISTED = OWN.replace(", roles: [read, write]", "").replace("    modes: per_bank", "    modes:\nMODES")
COMBINATIONS = {"|".join(roles): f"[{', '.join(roles)}]" for roles in itertools.product(("read", "write"), repeat=3)}


def listed(modes, chosen):
    return "\n".join(f"      - {{name: {name}, roles: {modes[name]}}}" for name in chosen)


class Modes(Case):
    def setUp(self):
        super().setUp()
        for name, text in NETWORKS.items():
            self.file(f"{name}.yaml", text)

    # Number of evaluated shapes per variant of a group; None: the default.
    tile_shapes = None

    def scores(self, profile):
        """Scores of both networks on a machine; None without a plan."""
        effort = [] if self.tile_shapes is None else ["--tile-shapes", str(self.tile_shapes)]
        found = []
        for name in NETWORKS:
            done = run("plan", f"{name}.yaml", "--profile", profile, "--format", "json", "--residency", "off",
                       "--proof-shapes", "0", *effort, cwd=self.folder)
            plan = json.loads(done.stdout)
            found.append(plan["score"] if done.returncode == FOUND else None)
        return found

    def brute_force(self, listed_text, modes):
        """The scores of both networks with every set of modes, each planned separately."""
        found = {}
        for count in range(1, len(modes) + 1):
            for chosen in itertools.combinations(modes, count):
                profile = self.file("some.yaml", listed_text.replace("MODES", listed(modes, chosen)))
                found[frozenset(chosen)] = self.scores(profile)
        return found

    def explored(self, machine, lose, *more):
        self.file("all.yaml", machine)
        levels = ", ".join(f"{each} %" for each in lose)
        effort = "" if self.tile_shapes is None else f"effort: {{tile_shapes: {self.tile_shapes}}}\n"
        sweep = self.file("sweep.yaml", "tessera: sweep/1\nnetworks: [one.yaml, two.yaml]\n"
                          f"hardware: {{base: all.yaml}}\nmodes: {{lose: [{levels}]}}\n{effort}")
        done = run("explore", sweep, "-o", self.folder / "out", "--threads", "1", *more,
                   cwd=self.folder)
        self.assertEqual(done.returncode, FOUND, done.stderr)
        summary = json.loads((self.folder / "out/summary.json").read_text())
        return summary["modes"], done.stdout

    def check_against_brute_force(self, text, modes, lose, machine=None):
        """`machine`: the one with all modes, if it is not the one that lists them."""
        scores = self.brute_force(text, modes)
        machine = machine or text.replace("MODES", listed(modes, modes))
        best = self.scores(self.file("all.yaml", machine))
        found, said = self.explored(machine, lose, "--no-store")
        self.assertLessEqual(found["plans"], 2 * (2 ** len(modes)) + 2)
        self.assertEqual([(each["lose_percent"], each["network"]) for each in found["sets"]],
                         [(level, name) for level in lose for name in ("*", "one", "two")])
        with open(self.folder / "out/modes.csv", encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(len(rows), len(modes) * 3 * len(lose))
        counts = []
        for each in found["sets"]:
            level, network = each["lose_percent"], each["network"]
            judged = [n for n, name in enumerate(NETWORKS) if network in ("*", name)]
            enough = [chosen for chosen, now in scores.items()
                      if all(now[n] is not None and now[n] <= best[n] * (1 + level / 100) * (1 + 1e-9)
                             for n in judged)]
            fewest = min(len(chosen) for chosen in enough)
            needed = {name.split(".")[1] for name in each["needed"]}
            self.assertEqual(len(needed), fewest, (each, enough))
            self.assertIn(needed, enough)
            self.assertTrue(each["proved"], each)
            self.assertEqual(each["bound"], fewest)
            self.assertEqual([score["network"] for score in each["scores"]],
                             [list(NETWORKS)[n] for n in judged])
            for n, score in zip(judged, each["scores"]):
                self.assertAlmostEqual(score["with_all"], best[n], places=9)
                self.assertAlmostEqual(score["with_needed"], scores[frozenset(needed)][n], places=9)
                self.assertTrue(score["proved"])
            self.assertEqual({row["mode"] for row in rows if row["needed"] == "yes"
                              and float(row["lose_percent"]) == level and row["network"] == network}, needed)
            if network != "*":
                continue
            counts.append(fewest)
            self.assertIn(f"{fewest} of {len(modes)}, proved", said)
            # The machine without the other modes exists, to plan with it.
            name = f"fewest-modes-{level:g}.yaml" if len(lose) > 1 else "fewest-modes.yaml"
            again = self.scores(self.folder / "out/plans" / name)
            for score, now in zip(each["scores"], again):
                self.assertAlmostEqual(score["with_needed"], now, places=9)
        self.assertEqual(len(found["without"]), 2 * len(modes) if len(modes) > 1 else 0)
        for each in found["without"]:
            n = list(NETWORKS).index(each["network"])
            left = frozenset(modes) - {each["mode"].split(".")[1]}
            # A plan with even fewer modes may be better, and known.
            least = min((now[n] for chosen, now in scores.items() if chosen <= left and now[n] is not None),
                        default=None)
            if scores[left][n] is None:
                self.assertEqual((each["status"], least), ("infeasible", None))
                continue
            self.assertEqual(each["status"], "proved")
            self.assertGreaterEqual(each["score"], min(least, best[n]) - 1e-9)
            self.assertLessEqual(each["score"], max(scores[left][n], best[n]) + 1e-9)
            self.assertEqual(each["bound"], each["score"])
        return counts

    def test_splits_of_a_convolution_buffer(self):
        counts = {tuple(self.check_against_brute_force(NVDLA.replace("SIZE", size), SPLITS, lose))
                  for size, lose in (("1", [0]), ("4", [0]), ("2", [0, 5, 50]))}
        # Otherwise only the smallest set would be tried.
        self.assertGreater(len({fewest for each in counts for fewest in each}), 1, counts)

    @unittest.skipIf(SLOW, "all subsets are planned for again")
    def test_roles_of_banks(self):
        self.tile_shapes = 0
        self.assertEqual(self.check_against_brute_force(PLAIN, ROLES, [0]), [1])
        self.tile_shapes = None  # with fewest tiles, two modes are equally good
        apart = {name: roles for name, roles in ROLES.items() if name != "any"}
        self.assertEqual(self.check_against_brute_force(PLAIN, apart, [0, 2.5]), [3, 2])

    @unittest.skipIf(SLOW, "255 subsets are planned for again")
    def test_banks_with_roles_of_their_own(self):
        self.tile_shapes = 0  # so many plans
        self.assertEqual(self.check_against_brute_force(OWN_LISTED, COMBINATIONS, [0, 5], OWN), [2, 2])

    def test_no_plan_is_asked_for_twice(self):
        machine = NVDLA.replace("SIZE", "2").replace("MODES", listed(SPLITS, SPLITS))
        first, _ = self.explored(machine, [0, 5])
        self.assertGreater(first["plans"], 2)
        told = run("explore", "sweep.yaml", "-o", self.folder / "fresh", "--progress", "json", cwd=self.folder)
        lines = [json.loads(line) for line in told.stderr.splitlines()]
        self.assertEqual(lines[-1]["mode_plans"], first["plans"] + first["stored"])
        again, _ = self.explored(machine, [0, 5])
        self.assertEqual((again["plans"], again["stored"]), (0, first["plans"] + first["stored"]))
        without, _ = self.explored(machine, [0, 5], "--no-store")
        for name in ("sets", "without"):
            self.assertEqual(first[name], again[name])
            self.assertEqual(first[name], without[name])
        # Another loss only plans what is new.
        more, _ = self.explored(machine, [0, 5, 20])
        self.assertEqual(more["sets"][:6], first["sets"])
        self.assertGreaterEqual(more["stored"], first["plans"])

    def test_a_search_that_was_killed_goes_on(self):
        machine = NVDLA.replace("SIZE", "2").replace("MODES", listed(SPLITS, SPLITS))
        whole, _ = self.explored(machine, [0, 5], "--no-store")
        asked = whole["plans"] + whole["stored"]
        store = self.folder / "out/store.sqlite"

        def kept():
            try:
                with contextlib.closing(sqlite3.connect(store, timeout=10)) as base:
                    return base.execute("SELECT count(*) FROM result").fetchone()[0]
            except sqlite3.Error:
                return 0  # the file does not exist yet

        # Killed after the plans of both networks and some more, during the search over sets of modes.
        with subprocess.Popen([TESSERA, "explore", "sweep.yaml", "-o", "out", "--threads", "1"], cwd=self.folder,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as killed:
            while kept() < 5 and killed.poll() is None:
                time.sleep(0.002)
            killed.kill()
        before = kept()
        self.assertGreaterEqual(before, 5)
        now, _ = self.explored(machine, [0, 5])
        # The two plans with all modes are those of the candidate.
        self.assertEqual(now["plans"] + now["stored"], asked)
        self.assertEqual(now["stored"], before)
        for name in ("sets", "without"):
            self.assertEqual(now[name], whole[name])

    def test_bad_requests(self):
        for text, what in (("modes: {lose: much}", "not a percentage"),
                           ("modes: {lose: 120 %}", "between 0 % and 100 %"),
                           ("modes: {loose: 1 %}", "did you mean `lose`?"),
                           ("modes: {lose: []}", "empty list"),
                           ("modes: {lose: [1 %, little]}", "not a percentage")):
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
