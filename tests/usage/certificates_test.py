#!/usr/bin/env python3
"""The command line, not the certificate, determines the problem: how INPUT is read, and its capacities."""

import json
import os
import pathlib
import sys
import unittest

from support import BAD_INPUT, EXAMPLES, FOUND, INFEASIBLE, ROOT, WRONG, Case

sys.path.insert(0, str(ROOT / "tests/proofs"))
from damage import sealed  # noqa: E402

# Two buffers that share step 2 with the inclusive `end` of the header, and do not with half-open lifetimes.
TWO = "id,lower,end,size\na,0,2,6\nb,2,4,6\n"
HEADER = "tessera proof/2\n"
HALF_OPEN = "read lifetimes half-open\n"
HEIGHT = "claim height 6 0\ncut\nmemory 0 memory\nbuffer 0 a\nasked 6 available 5\n"
CAPACITY = "capacity 0 8 memory\n"
BOTH_AT_0 = {
    "tessera": "placement/1", "status": "feasible", "height": 6,
    "buffers": [{"id": "a", "memory": "memory", "offset": 0, "size": 6, "live": [[0, 3]]},
                {"id": "b", "memory": "memory", "offset": 0, "size": 6, "live": [[2, 5]]}]}
COSTLY = ("tessera: problem/1\nmemories: {m: {capacity: 100}}\n"
          "buffers:\n- {id: a, live: [0, 1], size: 8}\n- {id: b, live: [1, 2], size: 8}\n"
          "relations:\n- {avoid_overlap: [a, b], cost: 5}\n")
# Eleven bytes are live at step 2, and no differences of offsets allow just 11 bytes.
PARTS = """tessera: problem/1
memories: {m: {capacity: 11}}
buffers:
  - id: a
    size: 6
    parts: [{live: [0, 2], offset: 0, size: 2}, {live: [0, 3], offset: 2, size: 2}, {live: [1, 4], offset: 4, size: 2}]
  - {id: b, size: 6, parts: [{live: [1, 3], offset: 0, size: 2}, {live: [2, 5], offset: 3, size: 2}]}
  - {id: c, size: 3, live: [2, 4]}
"""


class Certificates(Case):
    def proof(self, text, name="forged.proof"):
        return self.file(name, sealed(HEADER + text))

    def refused(self, words, *arguments):
        """As text and as JSON."""
        done = self.ends(WRONG, "check", *arguments)
        self.assertNotIn("proved:", done.stdout)
        said = json.loads(self.ends(WRONG, "check", *arguments, "--format", "json").stdout)
        self.assertFalse(said["right"])
        for word in words:
            self.assertIn(word, done.stdout)
            self.assertIn(word, said["reason"])

    def claims(self, claim, *arguments):
        """Accepted, with exactly this claim, as text and as JSON."""
        done = self.ends(FOUND, "check", *arguments)
        self.assertEqual(done.stdout.splitlines()[0], "proved: " + claim)
        said = json.loads(self.ends(FOUND, "check", *arguments, "--format", "json").stdout)
        self.assertEqual(said["claim"], claim)
        self.assertEqual([each["claim"] for each in said["claims"]], [claim])

    def test_a_result_is_read_as_the_command_line_says(self):
        two, result = self.file("two.csv", TWO), self.file("ov.json", json.dumps(BOTH_AT_0))
        proof = self.proof(HALF_OPEN + CAPACITY + HEIGHT)
        self.ends(WRONG, "check", two, result, "-c", 8)
        for options in ((two, result, "-c", 8), (two, result), (two, "-c", 8)):
            self.refused(["another problem", "add --lifetimes half-open"], *options, "--proof", proof)
        # The one that says nothing is judged for what it is, and so is the result beside it.
        plain = self.proof(CAPACITY + HEIGHT, "plain.proof")
        done = self.ends(WRONG, "check", two, result, "-c", 8, "--proof", plain)
        self.assertIn("wrong (overlap)", done.stdout)
        self.refused(["without --lifetimes half-open", "remove --lifetimes"],
                     two, "--lifetimes", "half-open", "--proof", plain)

    def test_parts_that_no_counting_refutes(self):
        given = self.file("parts.yaml", PARTS)
        for engine in ("auto", "sat", "learning"):
            proof = self.folder / f"{engine}.proof"
            self.ends(INFEASIBLE, "place", given, "-e", engine, "--proof", proof, "-q")
            self.assertIn("derivation", proof.read_text())
            self.claims("infeasible with m of 11", given, "--proof", proof)
        lines = proof.read_text().splitlines(True)[:-1]
        gaps = [n for n, line in enumerate(lines) if line.startswith("f ")]
        self.assertEqual(len(gaps), 3)
        for n in gaps:
            for at, by in ((4, -1), (5, 1)):  # each range is maximal
                words = lines[n].split()
                words[at] = str(int(words[at]) + by)
                forged = self.file("moved.proof", sealed("".join(lines[:n] + [" ".join(words) + "\n"] + lines[n + 1:])))
                self.refused(["do not overlap at every difference"], given, "--proof", forged)
        # A part that lives no more when the other buffer begins to.
        other = self.file("other.yaml", PARTS.replace("live: [1, 4], offset: 4", "live: [1, 2], offset: 4"))
        self.refused(["do not overlap at every difference"], other, "--proof", self.folder / "auto.proof")
        self.ends(FOUND, "place", given, "-c", 20, "--minimize", "--proof", proof, "-q")
        self.assertIn("derivation", proof.read_text())
        done = self.ends(FOUND, "check", given, "-c", 20, "--proof", proof)
        self.assertEqual(done.stdout.splitlines()[0], "proved: max height of {m} >= 12")

    def test_what_derivations_cannot_say_of_parts_is_told(self):
        given = self.file("banks.yaml", PARTS.replace("{capacity: 11}", "{banks: [{name: x, size: 11}]}"))
        proof = self.folder / "none.proof"
        done = self.ends(INFEASIBLE, "place", given, "-e", "sat", "--proof", proof)
        self.assertIn("no certificate was written: the format cannot express", done.stderr)
        self.assertIn("only if no memory has banks", done.stderr)
        self.assertFalse(proof.exists())

    def test_a_result_that_is_none_is_told_before_anything_is_proved(self):
        proof = self.proof(CAPACITY + HEIGHT)
        two = self.file("two.csv", TWO)
        self.ends(BAD_INPUT, "check", two, self.file("r", "{"), "-c", 8, "--proof", proof)

    def test_what_is_expected_is_about_the_input_as_it_is_read_here(self):
        half = self.file("half.csv", TWO.replace("end", "upper"))
        proof = self.folder / "inf.proof"
        self.ends(INFEASIBLE, "place", half, "-c", 6, "--lifetimes", "inclusive", "--proof", proof)
        self.ends(FOUND, "place", half, "-c", 6)
        asked = (half, "-c", 6, "--proof", proof, "--expect", "infeasible")
        self.refused(["another problem", "add --lifetimes inclusive"], *asked)
        self.claims("infeasible with memory of 6", *asked, "--lifetimes", "inclusive")
        self.claims("infeasible with memory of 6, read with lifetimes inclusive", half, "--proof", proof)
        self.refused(["made with lifetimes inclusive, but this input is read with half-open"],
                     half, "--proof", proof, "--lifetimes", "half-open")

    def test_expect_holds_beside_a_result_too(self):
        two, proof = self.file("two.csv", TWO), self.proof(CAPACITY + HEIGHT)
        placed = self.folder / "placed.json"
        self.ends(FOUND, "place", two, "-c", 12, "-o", placed)
        self.ends(WRONG, "check", two, placed, "--proof", proof, "--expect", "infeasible")

    def test_the_same_reading_in_other_words(self):
        two, proof = self.file("two.csv", TWO), self.folder / "inf.proof"
        self.ends(INFEASIBLE, "place", two, "-c", 6, "--lifetimes", "inclusive", "--proof", proof)
        self.claims("infeasible with memory of 6", two, "-c", 6, "--proof", proof)
        big = EXAMPLES / "residual-block.csv"
        profile = "nvdla-like"
        self.ends(FOUND, "place", big, "-p", profile, "--minimize", "height", "--proof", proof)
        path = ROOT / "hw_profiles" / (profile + ".yaml")
        self.ends(FOUND, "check", big, "--proof", proof, "--profile", path)
        done = self.ends(FOUND, "check", big, "--proof", proof)
        self.assertRegex(done.stdout, r"^proved: max height of \{cbuf, cvsram\} >= [0-9]*.*, read with profile nvdla-like\n")
        self.refused(["another problem", "add --profile nvdla-like"],
                     big, "-c", 1 << 20, "--proof", proof)
        self.refused(["made with profile nvdla-like, but this input is read with ethos-u55-like"],
                     big, "-p", "ethos-u55-like", "--proof", proof)

    def test_a_profile_that_a_certificate_names_is_not_shown(self):
        two = self.file("two.csv", TWO)
        secret = self.file("secret.txt", "password: [hunter2\nother: x\n")
        fifo = self.folder / "fifo"
        os.mkfifo(fifo)
        for name in (secret, fifo, self.folder, "no-such-profile", pathlib.Path("/dev/zero")):
            with self.subTest(name=name):
                proof = self.proof(f"read profile {name}\n" + CAPACITY + HEIGHT)
                done = self.ends(BAD_INPUT, "check", two, "--proof", proof)
                self.assertTrue(done.stderr.startswith(f"{proof}: names the profile '{name}'"), done.stderr)
                said = done.stderr
                for option in (("-c", 8), ("--lifetimes", "inclusive")):
                    done = self.ends(WRONG, "check", two, "--proof", proof, *option)
                    said += done.stdout + done.stderr
                self.assertNotIn("hunter2", said)
                self.assertNotIn("secret.txt:", said)

    def test_readings_that_are_none(self):
        two = self.file("two.csv", TWO)
        self.ends(FOUND, "check", two, "--proof", self.proof(HALF_OPEN + CAPACITY + HEIGHT))
        for read in ("read steps all", "read lifetimes open", "read lifetimes", "read profile ", "read Profile x",
                     "read profile a\x1b[31m", "read lifetimes inclusive\nread lifetimes half-open"):
            with self.subTest(read=read):
                proof = self.proof(read + "\n" + CAPACITY + HEIGHT)
                self.ends(WRONG, "check", two, "--proof", proof)

    def test_less_room_than_there_is_proves_nothing(self):
        costly, proof = self.file("yy.yaml", COSTLY), self.folder / "c.proof"
        self.ends(FOUND, "place", costly, "-c", 12, "--minimize", "cost", "--proof", proof)
        self.refused(["memory 'm' with 12 bytes", "has 100"], costly, "--proof", proof)
        self.refused(["has 13"], costly, "--proof", proof, "-c", 13)
        self.claims("cost >= 5", costly, "--proof", proof, "-c", 12)
        # With a smaller capacity the cost cannot be lower.
        self.claims("cost >= 5", costly, "--proof", proof, "-c", 10)
        self.claims("cost >= 5", self.file("small.yaml", COSTLY.replace("100", "9")), "--proof", proof)
        # A result is not checked against bounds of another memory.
        result = self.folder / "r.json"
        self.ends(FOUND, "place", costly, "-o", result)
        self.refused(["memory 'm' with 12 bytes"], costly, result, "--proof", proof)

    def test_a_capacity_the_input_does_not_have_is_named(self):
        two = self.file("two.csv", TWO)
        self.claims("max height of {memory} >= 6 with memory of 8", two, "--proof", self.proof(CAPACITY + HEIGHT))
        self.claims("max height of {memory} >= 6", two, "--proof", self.proof(HEIGHT))
        self.claims("max height of {memory} >= 6", two, "-c", 8, "--proof", self.proof(HEIGHT))
        # One of two memories, and not the one of this height.
        loose = self.file("loose.yaml", "tessera: problem/1\nmemories: {sram: {}, dram: {}}\nbuffers:\n"
                          "- {id: a, live: [0, 1], size: 6, memory: sram}\n")
        proof = self.proof("capacity 1 1 dram\nclaim height 6 0\ncut\nmemory 0 sram\nbuffer 0 a\nasked 6 available 5\n")
        self.claims("max height of {sram} >= 6 with dram of 1", loose, "--proof", proof)
        tight = self.file("tight.yaml", loose.read_text().replace("dram: {}", "dram: {capacity: 9}"))
        self.refused(["memory 'dram' with 1 bytes"], tight, "--proof", proof)

    def test_a_profile_with_another_capacity(self):
        big, proof, result = EXAMPLES / "residual-block.csv", self.folder / "own.proof", self.folder / "r.json"
        made = (big, "-p", "ethos-u55-like", "-c", "160 KiB")
        self.ends(FOUND, "place", *made, "--minimize", "--proof", proof, "-o", result)
        claim = "max height of {sram} >= 152832"
        self.claims(claim + " with sram of 163840, read with profile ethos-u55-like", big, "--proof", proof)
        self.claims(claim, *made, "--proof", proof)
        self.refused(["memory 'sram' with 163840 bytes", "has 524288"], big, "-p", "ethos-u55-like", "--proof", proof)
        self.refused(["add --profile ethos-u55-like"], big, "-c", "160 KiB", "--proof", proof)
        done = self.ends(FOUND, "check", big, result, *made[1:], "--proof", proof)
        self.assertIn("proved: lower_bound 152832", done.stdout)

    def test_an_input_that_can_be_read_once(self):
        proof = self.proof(HALF_OPEN + CAPACITY + HEIGHT)
        self.ends(WRONG, "check", "-", "-c", 8, "--proof", proof, stdin=TWO)
        self.ends(FOUND, "check", "-", "-c", 8, "--lifetimes", "half-open", "--proof", proof, stdin=TWO)
        self.ends(FOUND, "check", "-", "--proof", proof, stdin=TWO)
        self.ends(FOUND, "check", self.file("two.csv", TWO), "--proof", "-", stdin=proof.read_text())

    def test_what_place_writes_needs_no_option_again(self):
        for given, *options in ((self.file("yy.yaml", COSTLY.replace("100", "12")), "--minimize"),
                                (self.file("two.csv", TWO), "--minimize"),
                                (self.file("two.csv", TWO), "--minimize", "-c", 40),
                                (self.file("two.csv", TWO), "-c", 11),
                                (self.file("two.csv", TWO), "--minimize", "--lifetimes", "half-open"),
                                (EXAMPLES / "residual-block.csv", "--minimize", "height", "-p", "nvdla-like"),
                                (EXAMPLES / "residual-block.csv", "--minimize", "-p", "ethos-u55-like", "-c", "160 KiB"),
                                (EXAMPLES / "residual-block.csv", "-p", "ethos-u55-like", "-c", "140 KiB"),
                                (EXAMPLES / "patent-three-banks.yaml", "--minimize", "modes"),
                                (EXAMPLES / "patent-three-banks.yaml", "--minimize", "switches"),
                                (EXAMPLES / "too-tight.yaml",)):
            with self.subTest(given=given.name, options=options):
                proof = self.folder / "own.proof"
                proof.unlink(missing_ok=True)
                code = INFEASIBLE if "--minimize" not in options else FOUND
                self.ends(code, "place", given, *options, "--proof", proof)
                self.ends(FOUND, "check", given, "--proof", proof)


if __name__ == "__main__":
    unittest.main()
