"""Parts of buffers, and the off-chip memory of plans."""

import json
import unittest

from support import BAD_INPUT, FOUND, INFEASIBLE, SLOW, STOPPED, WRONG, Case
from networks_test import NETWORK, PROFILE

QUESTION = """tessera: problem/1
memories: {dram: {capacity: 1 MiB}}
buffers:
  - id: input
    size: 64 KiB
    parts:
      - {live: [0, 2], offset: 0, size: 8192, repeat: [[4, 16384]]}
      - {live: [0, 4], offset: 8192, size: 8192, repeat: [[4, 16384]]}
  - id: output
    size: 64 KiB
    parts:
      - {live: [2, 6], offset: 0, size: 8192, repeat: [[4, 16384]]}
      - {live: [4, 6], offset: 8192, size: 8192, repeat: [[4, 16384]]}
"""


class Parts(Case):
    def setUp(self):
        super().setUp()
        self.question = self.file("question.yaml", QUESTION)

    def height(self, *options):
        done = self.ends(FOUND, "place", self.question, "--format", "json", *options)
        return json.loads(done.stdout)

    def test_an_output_takes_the_room_of_the_input_it_replaces(self):
        best = self.height("--minimize")
        self.assertEqual((best["height"], best["proven_minimum"]), (65536, True))
        for engine in ("taa", "weave", "sat"):
            self.assertEqual(self.height("-e", engine, "--minimize")["height"], 65536, engine)
        self.assertEqual(self.height("-e", "shared-objects")["height"], 131072)

    def test_what_does_not_fit_has_a_certificate_and_an_explanation(self):
        proof = self.folder / "no.proof"
        self.ends(INFEASIBLE, "place", self.question, "-c", "65535", "--proof", proof)
        self.assertIn("proved: infeasible",
                      self.ends(FOUND, "check", self.question, "-c", "65535", "--proof", proof).stdout)
        told = self.ends(INFEASIBLE, "explain", self.question, "-c", "65535")
        self.assertIn("65536", told.stdout)

    def test_results_are_checked_run_by_run(self):
        result = self.folder / "result.json"
        self.ends(FOUND, "place", self.question, "-o", result)
        self.assertIn("right", self.ends(FOUND, "check", self.question, result).stdout)
        placed = json.loads(result.read_text())
        placed["buffers"][1]["offset"] = placed["buffers"][0]["offset"] + 4096
        placed["height"] = 65536 + 4096
        wrong = self.ends(WRONG, "check", self.question, self.file("wrong.json", json.dumps(placed)))
        self.assertIn("both occupy", wrong.stdout + wrong.stderr)

    def test_pictures_and_other_engines(self):
        picture = self.folder / "parts.svg"
        self.ends(FOUND, "place", self.question, "--plot", picture, "-q")
        self.assertTrue(picture.read_text().rstrip().endswith("</svg>"))
        declined = self.ends(BAD_INPUT, "place", self.question, "-e", "canonical")
        self.assertIn("does not support parts that live at different times (buffer 'input')", declined.stderr)
        csv = self.ends(BAD_INPUT, "export", self.question, "--to", "csv", "-o", self.folder / "no.csv")
        self.assertIn("has parts", csv.stderr)


class OffTheChip(Case):
    def setUp(self):
        super().setUp()
        self.network = self.file("toy.yaml", NETWORK)
        self.profile = self.file("small.yaml", PROFILE)
        self.plan_file, self.question = self.folder / "plan.json", self.folder / "dram.yaml"

    def plan(self):
        done = self.ends(FOUND, "plan", self.network, "-p", self.profile, "-o", self.plan_file,
                         "--max-ops", "1", "--offchip", self.question, "--residency", "off")
        return done.stdout, json.loads(self.plan_file.read_text())

    def check(self, code, plan):
        return self.ends(code, "check", self.network, self.file("changed.json", json.dumps(plan)),
                         "-p", self.profile)

    def test_a_plan_says_where_tensors_lie_and_check_goes_through_it(self):
        told, plan = self.plan()
        memory, = plan["offchip"]
        self.assertRegex(told, rf"off-chip {memory['memory']}: .* of it weights")
        self.assertEqual([b["id"] for b in memory["buffers"]], ["weights", "x", "t", "u", "y"])
        self.assertLessEqual(memory["lower_bound"], memory["height"])
        self.assertLessEqual(memory["height"], memory["whole_tensors"])
        self.check(FOUND, plan)

    def test_tensors_begin_bursts_on_shipped_profiles(self):
        listed = [line.split()[0] for line in self.ends(FOUND, "profiles").stdout.splitlines()]
        seen = 0
        for name in listed:
            values = {each["key"]: each["value"] for each in
                      json.loads(self.ends(FOUND, "profiles", name, "--format", "json").stdout)["values"]}
            for key in values:
                memory = key.removesuffix(".offchip")
                if key != memory and memory + ".behind" not in values:
                    self.assertEqual(int(values[memory + ".alignment"]) % int(values[memory + ".burst"]), 0, name)
                    seen += 1
        self.assertGreaterEqual(seen, 12)
        self.ends(FOUND, "plan", self.network, "-p", "ethos-u65-256", "-o", self.plan_file, "-q")
        for memory in json.loads(self.plan_file.read_text())["offchip"]:
            for buffer in memory["buffers"]:
                self.assertEqual(buffer["offset"] % 128, 0)

    def test_a_wrong_one_is_refused(self):
        _, plan = self.plan()
        buffers = plan["offchip"][0]["buffers"]
        for change, words in (({"offset": buffers[2]["offset"]}, "both occupy"),
                              ({"size": 1}, "is not buffer"), ({"live": [[0, 1]]}, "is not buffer"),
                              ({"id": "nobody"}, "is not buffer")):
            changed = json.loads(json.dumps(plan))
            changed["offchip"][0]["buffers"][1].update(change)
            wrong = self.check(WRONG, changed)
            self.assertIn(words, wrong.stdout + wrong.stderr)
        for key, value in (("height", 1), ("lower_bound", 1 << 40), ("memory", "sram")):
            changed = json.loads(json.dumps(plan))
            changed["offchip"][0][key] = value
            self.check(WRONG, changed)
        del plan["offchip"]
        self.check(FOUND, plan)

    def test_a_memory_that_is_too_small_is_named(self):
        _, plan = self.plan()
        height = plan["offchip"][0]["height"]
        for bytes_there, code, words in ((height, FOUND, "minimum for these tiles"),
                                         (16384, STOPPED, "which has 16384; other partitions"),
                                         (8192, INFEASIBLE, "all weights and all inputs take 9"),):
            small = self.file("little.yaml", PROFILE.replace(
                "sram:", f"dram: {{capacity: {bytes_there}}}, sram:"))
            done = self.ends(code, "plan", self.network, "-p", small, "--max-ops", "1")
            self.assertIn(words, done.stdout, bytes_there)

    def test_what_fits_without_a_capacity_fits_with_it(self):
        """The first partition found stores tensors that another plan keeps on chip."""
        command = ("plan", self.network, "-p", self.profile, "-c", "24 KiB", "--max-ops", "1", "-o", self.plan_file)
        self.ends(FOUND, *command)
        free = json.loads(self.plan_file.read_text())
        height = free["offchip"][0]["height"]
        capacity = ("--set", f"memories.dram.capacity={height}")
        self.ends(FOUND, *command, *capacity)
        within = json.loads(self.plan_file.read_text())
        self.assertEqual([within[key] for key in ("score", "bound", "totals", "offchip")],
                         [free[key] for key in ("score", "bound", "totals", "offchip")])
        self.ends(FOUND, "check", self.network, self.plan_file, "-p", self.profile, "-c", "24 KiB", *capacity)
        self.ends(INFEASIBLE, *command, "--set", f"memories.dram.capacity={height - 1}")

    def test_a_search_that_is_cut_off_says_it_too(self):
        convs = "".join(f"  - {{name: c{k}, type: conv, inputs: [t{k}], output: t{k + 1}, "
                        f"weights: {{shape: [{9 + k}, {8 + k}, 3, 3]}}, pad: [1, 1, 1, 1]}}\n" for k in range(48))
        network = self.file("long.yaml", "tessera: network/1\nname: long\n"
                            "tensors: {t0: {shape: [1, 8, 112, 112], dtype: int8}}\n"
                            f"inputs: [t0]\nops:\n{convs}outputs: [t48]\n")
        done = self.ends(FOUND, "plan", network, "-p", "ascend-910b-like", "--effort", "thorough",
                         "-t", "30s" if SLOW else "3s", "-o", self.plan_file)
        self.assertIn("time limit", done.stdout)
        memory, = json.loads(self.plan_file.read_text())["offchip"]
        weights = memory["buffers"][0]
        self.assertEqual(weights["id"], "weights")
        # Weights are always live.
        self.assertGreaterEqual(memory["lower_bound"], weights["size"])
        self.ends(FOUND, "check", network, self.plan_file, "-p", "ascend-910b-like")

    def test_the_question_can_be_asked_again(self):
        _, plan = self.plan()
        done = self.ends(FOUND, "place", self.question, "--minimize", "--format", "json")
        self.assertLessEqual(json.loads(done.stdout)["height"], plan["offchip"][0]["height"])


TWO = PROFILE.replace("sram:", "dram: {alignment: 64}, flash: {offchip: true, writable: false, bandwidth: 1 GB/s, "
                               "reserved: [[0, 4096]]}, sram:")


class TwoMemories(Case):
    """Weights in flash, everything else in DRAM."""

    def setUp(self):
        super().setUp()
        self.network = self.file("toy.yaml", NETWORK)
        self.plan_file, self.question = self.folder / "plan.json", self.folder / "off.yaml"

    def plan(self, profile, code=FOUND, *more):
        self.profile = self.file("two.yaml", profile)
        return self.ends(code, "plan", self.network, "-p", self.profile, "--max-ops", "1", *more)

    def test_what_stays_on_the_chip_is_nowhere_else(self):
        self.plan(TWO, FOUND, "-o", self.plan_file)
        plan = json.loads(self.plan_file.read_text())
        kept = {name for run in plan["subgraphs"] for name in run.get("kept", ())}
        self.assertTrue(kept)
        self.assertTrue(kept.isdisjoint(b["id"] for memory in plan["offchip"] for b in memory["buffers"]))

    def test_each_has_its_buffers_its_reserved_range_and_its_alignment(self):
        told = self.plan(TWO, FOUND, "-o", self.plan_file, "--offchip", self.question, "--residency", "off").stdout
        plan = json.loads(self.plan_file.read_text())
        memories = {memory["memory"]: memory for memory in plan["offchip"]}
        self.assertEqual([b["id"] for b in memories["flash"]["buffers"]], ["weights"])
        self.assertEqual(memories["flash"]["buffers"][0]["offset"], 4096)
        self.assertEqual([b["id"] for b in memories["dram"]["buffers"]], ["x", "t", "u", "y"])
        self.assertTrue(all(b["offset"] % 64 == 0 for b in memories["dram"]["buffers"]))
        self.assertRegex(told, r"off-chip flash: .* of it weights")
        self.assertRegex(told, r"off-chip dram: ")
        self.ends(FOUND, "check", self.network, self.plan_file, "-p", self.profile)
        asked = json.loads(self.ends(FOUND, "place", self.question, "--format", "json", "--minimize").stdout)
        self.assertEqual({b["memory"] for b in asked["buffers"] if b["id"] == "weights"}, {"flash"})
        self.assertEqual({b["memory"] for b in asked["buffers"] if b["id"] != "weights"}, {"dram"})

    def test_check_looks_at_each(self):
        self.plan(TWO, FOUND, "-o", self.plan_file)
        right = json.loads(self.plan_file.read_text())
        for change, words in ((lambda o: o[1]["buffers"][0].update(offset=0), "memory 'flash'"),
                              (lambda o: o[0]["buffers"][1].update(offset=1), "memory 'dram'"),
                              (lambda o: o.reverse(), "not in the order of the profile"),
                              (lambda o: o.pop(), "does not list the buffers of memory 'flash'"),
                              (lambda o: o.append(o[1]), "lists memory 'flash', which holds no buffers")):
            plan = json.loads(json.dumps(right))
            change(plan["offchip"])
            wrong = self.ends(WRONG, "check", self.network, self.file("changed.json", json.dumps(plan)),
                              "-p", self.profile)
            self.assertIn(words, wrong.stdout + wrong.stderr)

    def test_a_memory_that_is_too_small_is_named(self):
        for memory, capacity, code, words in (
                ("flash: {", 5000, INFEASIBLE, "all weights take 1152 bytes of memory 'flash', which has 904"),
                ("dram: {", 8000, INFEASIBLE, "all inputs take 8192 bytes of memory 'dram', which has 8000"),
                ("dram: {", 8192, STOPPED, "tensors across the cut points of the best partition need")):
            small = self.plan(TWO.replace(memory, f"{memory}capacity: {capacity}, "), code)
            self.assertIn(words, small.stdout, memory)

    def test_weights_take_the_way_from_their_memory(self):
        self.plan(TWO, FOUND, "-o", self.plan_file)
        cycles = json.loads(self.plan_file.read_text())["totals"]["latency_cycles"]
        self.plan(TWO.replace("1 GB/s", "100 MB/s"), FOUND, "-o", self.plan_file)
        self.assertGreater(json.loads(self.plan_file.read_text())["totals"]["latency_cycles"], cycles)


if __name__ == "__main__":
    unittest.main()
