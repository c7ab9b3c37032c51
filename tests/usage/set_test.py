"""--set and --capacity: changes of single figures of a profile."""

import json
import unittest

from support import BAD_INPUT, EXAMPLES, FOUND, INFEASIBLE, WRONG, Case

INPUT = EXAMPLES / "residual-block.csv"
NETWORK = EXAMPLES / "fsrcnn_x2_360p.onnx"
PROFILE = "ethos-u65-like"
SMALL = "memories.sram.capacity=140 KiB"


class Changes(Case):
    def test_memories_of_a_placement(self):
        self.ends(FOUND, "place", INPUT, "-p", PROFILE)
        self.ends(INFEASIBLE, "place", INPUT, "-p", PROFILE, "--set", SMALL)
        result = self.folder / "placed.json"
        self.ends(FOUND, "place", INPUT, "-p", PROFILE, "-o", result)
        self.ends(FOUND, "check", INPUT, result, "-p", PROFILE)
        self.ends(WRONG, "check", INPUT, result, "-p", PROFILE, "--set", SMALL)
        told = self.ends(INFEASIBLE, "explain", INPUT, "-p", PROFILE, "--set", SMALL).stdout
        self.assertIn("cannot be placed together", told)

    def test_several_count_together_and_stand_anywhere(self):
        changes = ("--set", "memories.sram.capacity=null", "--set", "memories.sram.banks=2",
                   "--set", "memories.sram.bank_size=48 KiB")
        told = self.ends(FOUND, "profiles", *changes[:2], PROFILE, *changes[2:]).stdout
        self.assertIn("48 KiB", told)
        self.assertNotIn("48 KiB", self.ends(FOUND, "profiles", PROFILE).stdout)
        self.ends(BAD_INPUT, "profiles", PROFILE, *changes[:2])

    def test_machines_of_plans_and_tiles(self):
        def latency(*more):
            done = self.ends(FOUND, "plan", NETWORK, "--dtype", "int8", "-p", PROFILE, "--max-ops", 1,
                             "--tile-shapes", 0, "--format", "json", *more)
            return json.loads(done.stdout)["totals"]["latency_cycles"]

        usual = latency()
        self.assertGreater(latency("--set", "memories.dram.bandwidth=1 GB/s"), usual)
        self.assertEqual(latency("-c", "128 KiB"), latency("--set", "memories.sram.capacity=128 KiB"))
        plan = self.folder / "plan.json"
        small = ("-p", PROFILE, "-c", "128 KiB")
        self.ends(FOUND, "plan", NETWORK, "--dtype", "int8", *small, "--max-ops", 1, "-o", plan)
        self.ends(FOUND, "check", NETWORK, plan, *small)
        self.ends(WRONG, "check", NETWORK, plan, "-p", PROFILE, "-c", "8 KiB")
        tile = ("tile", NETWORK, "--dtype", "int8", "--ops", "0:0", "--format", "json", "-p", PROFILE)
        self.assertNotEqual(json.loads(self.ends(FOUND, *tile).stdout)["tiles"],
                            json.loads(self.ends(FOUND, *tile, "-c", "64 KiB").stdout)["tiles"])

    def test_sizes_in_other_units_are_noted(self):
        profile = self.file("p.yaml", "tessera: hardware/1\nname: p\nmemories:\n  a: {capacity: 1 MiB}\n"
                                      "  b: {capacity: 1 MB}\n  c: {capacity: 1024}\n")
        said = self.ends(FOUND, "profiles", profile).stderr
        self.assertIn("`memories.b.capacity` is `1 MB`, which is 1000000 bytes; KiB, MiB and GiB are powers of two", said)
        self.assertIn("`memories.c.capacity` is `1024`, which is 1024 bytes; other capacities use KiB or MiB", said)
        self.assertNotIn("memories.a", said)
        self.assertEqual(self.ends(FOUND, "profiles", profile, "-q").stderr, "")
        for name in ("nvdla-like", "patent-three-banks", "gap9-ram-like"):
            self.assertEqual(self.ends(FOUND, "profiles", name).stderr, "")

    def test_a_memory_that_nothing_may_write_is_noted(self):
        profile = self.file("p.yaml", "tessera: hardware/1\nname: p\nengines: {v: {kind: vector, lanes: 4}}\nmemories:\n"
                                      "  s: {banks: 2, bank_size: 4 KiB, modes: [{name: m, roles: [read, hold]}]}\n")
        self.assertIn("memory 's' has no mode with a writable bank",
                      self.ends(FOUND, "profiles", profile).stderr)

    def test_what_cannot_be_changed_is_said(self):
        for arguments, words in (
            (("place", INPUT, "-c", "1 MiB", "--set", SMALL), "add --profile NAME"),
            (("place", INPUT, "-p", PROFILE, "--set", "memories.sram"), "is not KEY=VALUE"),
            (("place", INPUT, "-p", PROFILE, "--set", "memories.sram.capacty=3"), "capacity"),
            (("place", INPUT, "-p", PROFILE, "--set", "memories.sram.capacity=big"), "big"),
            (("place", INPUT, "-p", PROFILE, "--set", SMALL, "--proof", self.folder / "x"), "a certificate names"),
            (("plan", NETWORK, "-p", "nvdla-like", "-c", "1 MiB"), "--set memories.cvsram.capacity"),
            (("plan", NETWORK, "-p", PROFILE, "--set", "memories.sram.capacity=null", "--set",
              "memories.sram.banks=2", "--set", "memories.sram.bank_size=48 KiB", "-c", "1 MiB"),
             "--set memories.sram.bank_size"),
            (("plan", NETWORK, "-p", "tpuv4-cmem-like", "-c", "lots"), "--capacity"),
            (("plan", "--batch", "-p", PROFILE, "--set", SMALL), "per request"),
        ):
            with self.subTest(arguments=arguments):
                self.assertIn(words, self.ends(BAD_INPUT, *arguments).stderr)
        self.assertEqual(self.names(), [])


if __name__ == "__main__":
    unittest.main()
