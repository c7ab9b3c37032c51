#!/usr/bin/env python3
"""TensorFlow Lite models through the command line: arena size, a memory plan in the model, read back by an
independent reader, and inconsistent models."""

import json
import struct
import sys
import unittest

from support import BAD_INPUT, FOUND, INFEASIBLE, ROOT, SHARED, WRONG, Case

sys.path.insert(0, str(ROOT / "tests" / "support"))
from flatbuffers import Flat  # noqa: E402 pylint: disable=wrong-import-position

SEEDS = ROOT / "tests" / "fuzz" / "corpus" / "tflite"
CLASSIFIER = SEEDS / "classifier.tflite"
MOVES = SEEDS / "moves.tflite"
MODELS = SHARED / "models" / "tflite"
PLAN = "OfflineMemoryAllocation"
BYTES = {0: 4, 2: 4, 3: 1, 4: 8, 7: 2, 9: 1}  # bytes of an element, by TensorType


class Tflite(Case):
    def planned(self, model):
        """Writes a plan into the model and returns the model and the offsets."""
        out = self.folder / "planned.tflite"
        self.ends(FOUND, "place", model, "-o", out, "-q")
        after = Flat(out.read_bytes())
        numbers = struct.unpack(f"<{len(after.metadata()[PLAN]) // 4}i", after.metadata()[PLAN])
        self.assertEqual(numbers[:3], (1, 0, len(after.tensors())))
        return out, after, numbers[3:]

    def height(self, model):
        return json.loads(self.ends(FOUND, "place", model, "--format", "json").stdout)["height"]

    def holds(self, model):
        """The plan in the file places every activation, and no two with overlapping lifetimes share a byte.
        Returns the height."""
        before = Flat(model.read_bytes())
        out, after, offsets = self.planned(model)
        self.assertEqual(after.everything(), before.everything())
        others = {name: data for name, data in after.metadata().items() if name != PLAN}
        self.assertEqual(others, {n: d for n, d in before.metadata().items() if n != PLAN})
        # Alignments of the old file are preserved, and the new data is aligned to 16 bytes.
        ends = [after.vector(each, 0)[0] % 64 for each in after.tables(after.root, 4)]
        was = [before.vector(each, 0)[0] % 64 for each in before.tables(before.root, 4)]
        self.assertEqual((ends[:-1], ends[-1] % 16), (was, 0))
        places = []
        lives = after.lives()
        for t, (_, shape, kind, data, variable) in enumerate(after.tensors()):
            if data or variable:
                self.assertEqual(offsets[t], -1)
                continue
            size = BYTES[kind]
            for extent in shape:
                size *= extent
            self.assertGreaterEqual(offsets[t], 0)
            self.assertEqual(offsets[t] % 16, 0)
            places.append((offsets[t], offsets[t] + size, *lives[t]))
        for k, (low, high, first, last) in enumerate(places):
            for other_low, other_high, other_first, other_last in places[:k]:
                together = first <= other_last and other_first <= last
                self.assertFalse(together and low < other_high and other_low < high)
        self.assertEqual(self.height(out), self.height(model))
        return -(-max(high for _, high, _, _ in places) // 16) * 16

    def test_how_large_must_the_arena_be(self):
        done = json.loads(self.ends(FOUND, "place", CLASSIFIER, "--format", "json").stdout)
        self.assertEqual((done["height"], done["proven_minimum"]), (624, True))
        self.ends(FOUND, "place", CLASSIFIER, "-c", 624)
        self.ends(INFEASIBLE, "place", CLASSIFIER, "-c", 623)
        self.assertIn("depthwise", self.ends(INFEASIBLE, "explain", CLASSIFIER, "-c", 600).stdout)

    def test_a_placement_of_a_model_is_checked_and_exported(self):
        placed, table = self.folder / "placed.json", self.folder / "arena.csv"
        self.ends(FOUND, "place", CLASSIFIER, "-o", placed, "-q")
        self.ends(FOUND, "check", CLASSIFIER, placed)
        result = json.loads(placed.read_text())
        for each in result["buffers"]:
            each["offset"] = 0
        self.ends(WRONG, "check", CLASSIFIER, self.file("wrong.json", json.dumps(result)))
        self.ends(FOUND, "export", CLASSIFIER, "--to", "csv", "-o", table)
        self.assertIn("image,0,1,256,16\n", table.read_text())
        self.ends(FOUND, "place", table, "-c", 624)

    def test_a_plan_is_put_into_the_model(self):
        self.assertEqual(self.holds(CLASSIFIER), 624)
        self.holds(MOVES)

    def test_a_plan_replaces_the_one_that_was_there(self):
        out, first, offsets = self.planned(CLASSIFIER)
        again = self.folder / "again.tflite"
        again.write_bytes(out.read_bytes())
        _, second, other = self.planned(again)
        self.assertEqual(list(second.metadata()), [PLAN])
        self.assertEqual(other, offsets)
        self.assertEqual(second.everything(), first.everything())

    def test_the_plan_of_a_model_is_checked(self):
        for model in (CLASSIFIER, MOVES):
            out, after, offsets = self.planned(model)
            self.assertIn("right", self.ends(FOUND, "check", model, out).stdout)
            at = out.read_bytes().index(after.metadata()[PLAN])
            both = [t for t, offset in enumerate(offsets) if offset >= 0][:2]
            wrong = bytearray(out.read_bytes())
            for t in both:  # the first operator reads one and writes the other
                struct.pack_into("<i", wrong, at + 4 * (3 + t), 0)
            damaged = self.folder / "damaged.tflite"
            damaged.write_bytes(wrong)
            self.assertIn("overlap", self.ends(WRONG, "check", model, damaged).stdout)
            struct.pack_into("<i", wrong, at + 4 * (3 + both[0]), -1)
            damaged.write_bytes(wrong)
            self.assertIn("has no offset for", self.ends(BAD_INPUT, "check", model, damaged).stderr)
        self.assertIn("without an arena plan", self.ends(BAD_INPUT, "check", CLASSIFIER, CLASSIFIER).stderr)
        self.assertIn("has a plan for", self.ends(BAD_INPUT, "check", CLASSIFIER, out).stderr)

    def test_scratch_buffers_are_part_of_the_arena(self):
        rows = self.file("scratch.csv", "id,lower,upper,size\nim2col,0,1,300\n")
        planned = self.folder / "planned.tflite"
        self.ends(FOUND, "place", CLASSIFIER, "--scratch", rows, "-o", planned, "-q")
        # While operator 0 runs: the image, its output, and the scratch buffer.
        self.assertEqual(self.height(planned), 256 + 208 + 304)
        self.assertEqual(self.height(CLASSIFIER), 624)
        self.ends(FOUND, "check", CLASSIFIER, planned, "--scratch", rows)
        self.ends(FOUND, "check", planned, planned)
        self.assertIn("--scratch", self.ends(BAD_INPUT, "check", CLASSIFIER, planned).stderr)
        numbers = struct.unpack(f"<{len(Flat(planned.read_bytes()).metadata()[PLAN]) // 4}i",
                                Flat(planned.read_bytes()).metadata()[PLAN])
        self.assertEqual(numbers[:3], (1, 0, len(Flat(CLASSIFIER.read_bytes()).tensors())))
        # Other rows replace those of the model.
        none = self.file("other.csv", "id,lower,upper,size\ntiny,0,1,1\n")
        done = self.ends(FOUND, "place", planned, "--scratch", none, "--format", "json")
        self.assertEqual(json.loads(done.stdout)["height"], 624)
        for text, words in (("a,0,99,1", "operators"), ("image,0,1,1", "earlier buffer")):
            bad = self.file("bad.csv", f"id,lower,upper,size\n{text}\n")
            self.assertIn(words, self.ends(BAD_INPUT, "place", CLASSIFIER, "--scratch", bad).stderr)
        self.assertIn("not a TensorFlow Lite model", self.ends(BAD_INPUT, "place", rows, "--scratch", rows).stderr)

    def test_only_a_model_can_get_a_plan(self):
        table = self.file("a.csv", "id,lower,upper,size\na,0,1,4\n")
        done = self.ends(BAD_INPUT, "place", table, "-c", 4, "-o", self.folder / "a.tflite")
        self.assertIn("is not a TensorFlow Lite model", done.stderr)
        self.assertFalse((self.folder / "a.tflite").exists())

    def test_a_model_is_a_network_as_well(self):
        plan = self.folder / "plan.json"
        self.ends(FOUND, "plan", CLASSIFIER, "-p", "ethos-u55-128", "-o", plan, "-q")
        self.ends(FOUND, "check", CLASSIFIER, plan, "-p", "ethos-u55-128")
        network = self.folder / "net.yaml"
        self.ends(FOUND, "import", CLASSIFIER, "-o", network)
        self.assertIn("type: max_pool", network.read_text())
        self.assertIn("operator Odd is not supported", self.ends(FOUND, "import", MOVES).stderr)

    def test_what_is_damaged_is_refused(self):
        whole = CLASSIFIER.read_bytes()
        for size in (0, 5, 8, 100, 1000, len(whole) - 200):
            cut = self.folder / "cut.tflite"
            cut.write_bytes(whole[:size])
            for command in (("place", cut), ("import", cut),
                            ("place", cut, "-o", cut.with_name("o.tflite"))):
                with self.subTest(size=size, command=command[0]):
                    self.assertIn("cut.tflite", self.ends(BAD_INPUT, *command).stderr)
            self.assertFalse((self.folder / "o.tflite").exists())

    def test_real_models_hold_their_plans(self):
        if not MODELS.is_dir():
            self.skipTest(f"{MODELS} is not there")
        for model in sorted(MODELS.glob("*.tflite")):
            with self.subTest(model=model.name):
                self.holds(model)


if __name__ == "__main__":
    unittest.main()
