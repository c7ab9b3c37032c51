#!/usr/bin/env python3
"""The base of a memory: alignments count from it, and every output shows addresses next to offsets."""

import csv
import json
import unittest

from support import BAD_INPUT, EXAMPLES, FOUND, INFEASIBLE, WRONG, Case, run

BASE = 0x20000004
PROBLEM = f"""tessera: problem/1
memories:
  sram: {{capacity: 64, base: {BASE:#x}, alignment: 4}}
buffers:
  - {{id: a, live: [0, 3], size: 16, alignment: 16}}
  - {{id: b, live: [1, 4], size: 8, alignment: 8}}
  - {{id: c, live: [2, 5], size: 20}}
"""
PROFILE = ("--profile", "ethos-u55-256")
SET = ("--set", "memories.sram.base=0x20000000")
NETWORK = EXAMPLES / "classifier.tflite"


class Placement(Case):
    def setUp(self):
        super().setUp()
        self.problem = self.file("problem.yaml", PROBLEM)
        self.result = self.folder / "result.json"

    def placed(self, *more):
        self.ends(FOUND, "place", self.problem, "--output", self.result, *more)
        return json.loads(self.result.read_text())

    def test_addresses_keep_the_alignments_and_offsets_are_relative(self):
        result = self.placed("--minimize")
        # b ends at a multiple of 8 plus 8; c below, a above: 44 bytes without a gap.
        self.assertEqual((result["height"], result["proven_minimum"]), (44, True))
        for each, alignment in zip(result["buffers"], (16, 8, 4)):
            self.assertEqual(each["address"], BASE + each["offset"])
            self.assertEqual(each["address"] % alignment, 0, each)
            self.assertLessEqual(each["offset"] + each["size"], 64)
        self.ends(FOUND, "check", self.problem, self.result)

    def test_the_checker_counts_from_the_base(self):
        result = self.placed()
        for each in result["buffers"]:
            if each["id"] == "a":
                each["offset"], each["address"] = 16, BASE + 16
        self.result.write_text(json.dumps(result))
        done = self.ends(WRONG, "check", self.problem, self.result)
        self.assertIn(f"starts at address {BASE + 16}", done.stdout)

    def test_an_address_that_is_not_base_and_offset_is_refused(self):
        result = self.placed()
        result["buffers"][0]["address"] += 16
        self.result.write_text(json.dumps(result))
        done = self.ends(BAD_INPUT, "check", self.problem, self.result)
        self.assertIn("base and offset add up to", done.stderr)

    def test_csv_has_a_column_only_where_there_is_a_base(self):
        file = self.folder / "result.csv"
        self.ends(FOUND, "place", self.problem, "--output", file)
        rows = list(csv.DictReader(file.read_text().splitlines()))
        self.assertEqual(len(rows), 3)
        for row in rows:
            self.assertEqual(int(row["address"]), BASE + int(row["offset"]))
        self.ends(FOUND, "check", self.problem, file)
        text = file.read_text()
        file.write_text(text.replace(rows[1]["address"], str(int(rows[1]["address"]) + 8)))
        self.assertIn("base and offset add up to", self.ends(BAD_INPUT, "check", self.problem, file).stderr)
        self.problem.write_text(PROBLEM.replace(f"base: {BASE:#x}, ", ""))
        self.ends(FOUND, "place", self.problem, "--output", file)
        self.assertNotIn("address", file.read_text())
        self.assertNotIn('"address"', self.ends(FOUND, "place", self.problem, "--format", "json").stdout)

    def test_the_text_shows_hexadecimal(self):
        done = self.ends(FOUND, "place", self.problem)
        self.assertIn(f"addresses from {BASE:#x}", done.stdout)
        self.assertRegex(done.stdout, r"\[\d+, \d+\) = 0x200000[0-9a-f]{2}")

    def test_a_base_that_is_a_multiple_changes_no_offset(self):
        plain = PROBLEM.replace(f"base: {BASE:#x}, ", "")
        self.problem.write_text(plain)
        before = self.placed("--minimize")
        self.problem.write_text(plain.replace("{capacity", "{base: 0x20000000, capacity"))
        after = self.placed("--minimize")
        for one, other in zip(before["buffers"], after["buffers"]):
            self.assertEqual(other.pop("address"), 0x20000000 + one["offset"])
            self.assertEqual(one, other)

    def test_certificates_of_a_multiple_are_checked_and_of_others_refused(self):
        proof = self.folder / "c.proof"
        done = self.ends(BAD_INPUT, "place", self.problem, "--minimize", "--proof", proof)
        self.assertIn("not a multiple of an alignment", done.stderr)
        self.assertFalse(proof.exists())
        aligned = self.file("aligned.yaml", PROBLEM.replace(f"{BASE:#x}", "0x20000000"))
        self.ends(FOUND, "place", aligned, "--minimize", "--proof", proof)
        self.ends(FOUND, "check", aligned, "--proof", proof)
        # The same buffers at another base.
        done = self.ends(WRONG, "check", self.problem, "--proof", proof)
        self.assertIn("base", done.stdout + done.stderr)

    def test_infeasible_because_of_the_base_alone_and_explained(self):
        text = ("tessera: problem/1\nmemories: {m: {capacity: 16, base: 8}}\n"
                "buffers: [{id: a, live: [0, 1], size: 16, alignment: 16}]\n")
        file = self.file("tight.yaml", text)
        self.ends(INFEASIBLE, "place", file)
        done = self.ends(INFEASIBLE, "explain", file, "--format", "json")
        why = json.loads(done.stdout)
        self.assertEqual((why["buffers"], why["smallest_capacity"]), (["a"], 24))
        self.ends(FOUND, "place", self.file("wide.yaml", text.replace("base: 8", "base: 16")))

    def test_an_address_in_memories_that_differ(self):
        file = self.file("torn.yaml", "tessera: problem/1\n"
                         "memories: {m: {capacity: 64, base: 1}, n: {capacity: 64}}\n"
                         "buffers:\n  - {id: a, live: [0, 2], size: 4, offset: 7}\n"
                         "  - {id: b, live: [0, 2], size: 4, alignment: 4}\n")
        self.ends(FOUND, "place", file, "-o", self.result)
        self.ends(FOUND, "check", file, self.result)
        # An explanation states it.
        file.write_text(file.read_text().replace("size: 4, align", "size: 65, align"))
        self.ends(INFEASIBLE, "place", file)
        done = self.ends(BAD_INPUT, "explain", file)
        self.assertIn("buffer 'a' has a fixed offset", done.stderr)
        self.assertIn("hint: name one memory", done.stderr)
        file.write_text(file.read_text().replace("offset: 7", "offset: 7, memory: m"))
        self.ends(INFEASIBLE, "explain", file)

    def test_the_input_comes_back_with_its_base(self):
        done = self.ends(FOUND, "export", self.problem, "--to", "yaml")
        self.assertIn(f"base: {BASE:#x}", done.stdout)
        self.ends(BAD_INPUT, "export", self.problem, "--to", "dimacs")


class Plan(Case):
    def test_placements_of_a_plan_have_addresses(self):
        file = self.folder / "plan.json"
        self.ends(FOUND, "plan", NETWORK, *PROFILE, *SET, "--set", "memories.dram.base=0x80000000",
                  "--output", file)
        plan = json.loads(file.read_text())
        for subgraph in plan["subgraphs"]:
            for each in subgraph["placement"]["buffers"]:
                self.assertEqual(each["address"], 0x20000000 + each["offset"])
        for each in plan["offchip"][0]["buffers"]:
            self.assertEqual(each["address"], 0x80000000 + each["offset"])
        self.ends(FOUND, "check", NETWORK, file, *PROFILE, *SET, "--set", "memories.dram.base=0x80000000")
        self.ends(WRONG, "check", NETWORK, file, *PROFILE, *SET)
        self.ends(WRONG, "check", NETWORK, file, *PROFILE)

    def test_a_profile_begins_at_a_multiple(self):
        done = run("place", NETWORK, *PROFILE, "--set", "memories.sram.base=0x20000008")
        self.assertEqual(done.returncode, BAD_INPUT)
        self.assertIn("not a multiple of its alignment 16", done.stderr)


if __name__ == "__main__":
    unittest.main()
