"""Random plans with data that crosses cut points: resident, prefetched, left to later groups, joined, pinned,
or from a backing memory.

Like simulator_test.py, with machines and networks drawn for it.
"""

import collections
import random
import unittest

from compare import COUNT, SEED, Compare
from random_runs import RandomMachine, RandomNetwork
from second_machine import Machine
from second_network import Network
from second_reader import Yaml

# Features of plans, and their minimum counts over 50 plans on machines with a backing memory.
COVERED_BEHIND = {"fetched": 12, "fetched in parts": 6, "passes": 12, "encoded": 10, "resident": 10, "refetch": 10, "many tiles": 15}


class OverCuts(Compare):
    def test_what_comes_early(self):
        """Short groups, with weight prefetches."""
        covered, seed, count = collections.Counter(), SEED, max(1, COUNT // 4)
        while covered["weights come early"] < count or covered["weights wait"] < count // 8:
            draw = random.Random(seed)
            network = RandomNetwork(draw, draw.randint(2, 6), heavy=draw.random() < 0.3)
            machine = RandomMachine(draw, draw.choice([2048, 4096, 16384]))
            machine.value["tiling"].update({"early": "weights", "weights": ["resident", "refetch"]})
            machine.value["objective"] = {"latency": 1}
            with self.subTest(seed=seed, again=f"TESSERA_RANDOM_COUNT=4 TESSERA_RANDOM_SEED={seed}"):
                mine = self.planned(network, machine, "--max-ops", str(draw.choice([1, 1, 2])), shapes="0")
                if mine:
                    covered.update(mine.covered() if any(run.early for run in mine.runs) else ())
            seed += 1
            self.assertLess(seed - SEED, 8 * count + 20, "most of them have none")
        if count >= 20:
            for what, times in {"double buffer": 10, "several channels": 15, "encoded": 5, "stays on the chip": 5, "kept": 10, "many tiles": 10,
                                "two memories off the chip": 10, "modes are switched": 1, "weights in slices": 1}.items():
                self.assertGreaterEqual(covered[what], times * count // 50, what)

    def test_what_is_left_to_later_runs(self):
        """Weights of several ops, which stay on chip for the next one."""
        left, seed, count = 0, SEED, max(1, COUNT // 16)
        while left < count:
            draw = random.Random(seed)
            network, machine = RandomNetwork(draw, draw.randint(3, 7), unrolled=True), RandomMachine(draw, draw.choice([2048, 4096, 16384]))
            machine.value["tiling"].update({"early": "weights", "weights": ["resident", "refetch"]})
            with self.subTest(seed=seed, again=f"TESSERA_RANDOM_COUNT=16 TESSERA_RANDOM_SEED={seed}"):
                mine = self.planned(network, machine, "--max-ops", "1", shapes="0")
                if mine:
                    left += "weights are left" in mine.covered()
            seed += 1
            self.assertLess(seed - SEED, 8 * count + 40, "most of them have none")

    def test_what_is_joined_off_the_chip(self):
        joined, planned, seed, count = 0, 0, SEED, max(1, COUNT // 16)
        while planned < count:
            draw = random.Random(seed)
            network = RandomNetwork(draw, draw.randint(4, 8), dense=True)
            machine = RandomMachine(draw, draw.choice([512, 1024, 2048, 4096]))
            with self.subTest(seed=seed, again=f"TESSERA_RANDOM_COUNT=16 TESSERA_RANDOM_SEED={seed}"):
                mine = self.planned(network, machine, "--max-ops", str(draw.randint(1, 3)))
                if mine:
                    planned += 1
                    joined += "joined off the chip" in mine.covered()
            seed += 1
            self.assertLess(seed - SEED, 2 * count + 20, "most of them have no plan")
        if count >= 5:
            self.assertGreaterEqual(joined, count // 5)

    def test_what_is_pinned(self):
        pinned, seed, count = 0, SEED, max(1, COUNT // 16)
        while pinned < count:
            draw = random.Random(seed)
            network = RandomNetwork(draw, draw.randint(2, 6), heavy=draw.random() < 0.3)
            machine = RandomMachine(draw, draw.choice([2048, 4096, 16384]))
            chip = [memory for memory in machine.value["memories"].values() if not memory.get("offchip")]
            if any("banks" not in memory and "modes" not in memory for memory in chip):
                machine.value["tiling"]["pinned"] = "weights"
                with self.subTest(seed=seed, again=f"TESSERA_RANDOM_COUNT=16 TESSERA_RANDOM_SEED={seed}"):
                    mine = self.planned(network, machine, "--max-ops", str(draw.randint(1, 3)))
                    if mine:
                        pinned += "weights are pinned" in mine.covered()
            seed += 1
            self.assertLess(seed - SEED, 8 * count + 40, "most of them have none")

    def test_what_comes_from_behind(self):
        covered, planned, seed, count = collections.Counter(), 0, SEED, max(1, COUNT // 2)
        while planned < count:
            draw = random.Random(seed)
            network, machine = RandomNetwork(draw, draw.randint(2, 6), heavy=True), RandomMachine(draw, draw.choice([1024, 4096, 16384]))
            if machine.put_behind():
                with self.subTest(seed=seed, again=f"TESSERA_RANDOM_COUNT=2 TESSERA_RANDOM_SEED={seed}"):
                    mine = self.planned(network, machine, shapes="0")
                    if mine:
                        planned += 1
                        covered.update(mine.covered())
            seed += 1
            self.assertLess(seed - SEED, 8 * count + 20, "most of them have no plan")
        if count >= 40:
            for what, times in COVERED_BEHIND.items():
                self.assertGreaterEqual(covered[what], times * count // 50, what)

    def test_what_lies_behind(self):
        """Tensors across cut points that do not fit into the memory before the backing memory: it is made
        smaller than a plan needs."""
        away, written, seed, count = 0, 0, SEED, max(1, COUNT // 20)
        while away < count:
            draw = random.Random(seed)
            network, machine = RandomNetwork(draw, draw.randint(3, 8)), RandomMachine(draw, draw.choice([1024, 4096, 16384]))
            seed += 1
            self.assertLess(seed - SEED, 60 * count + 100, "most of them have no tensor there")
            if not machine.put_behind(writable=True):
                continue
            options = "--tile-shapes", draw.choice(["0", "0", "8"]), "--max-ops", str(draw.choice([1, 2]))
            front, ram = (machine.value["memories"][name] for name in ("dram", "ram"))
            front["capacity"], ram["burst"] = 1 << 20, f"{draw.choice([1, 2, 4])} B"
            plan = self.plan(network.text, machine.text, *options)
            if not plan or not plan.get("offchip"):
                continue
            front["capacity"] = max(1, int(plan["offchip"][0]["height"] * draw.uniform(0.3, 0.9)))
            with self.subTest(seed=seed - 1, again=f"TESSERA_RANDOM_COUNT=20 TESSERA_RANDOM_SEED={seed - 1}"):
                plan = self.plan(network.text, machine.text, *options)
                if plan:
                    mine = self.compare(Network(network.text), Machine(Yaml(machine.text).whole()), plan)
                    away += "lies behind" in mine.words
                    written += "is written behind" in mine.words
        self.assertGreater(written, 0)


if __name__ == "__main__":
    unittest.main()
