"""Random plans, recomputed by second_plan.py: cycles, off-chip bytes and energy of every group, to the digit.

    TESSERA_RANDOM_COUNT=2000 TESSERA_RANDOM_SEED=1 python3 tests/planning/simulator_test.py
"""

import collections
import itertools
import random
import unittest

from compare import COUNT, SEED, Compare
from random_runs import RandomMachine, RandomNetwork
from second_machine import Machine
from second_network import Network
from second_reader import Yaml, load_profile

# Features of groups, and their minimum counts over 200 plans.
COVERED = {
    "conv": 60, "depthwise": 15, "grouped": 15, "fc": 4, "max_pool": 4, "average_pool": 10, "matmul": 8, "elementwise": 40,
    "concat": 4, "joined in place": 2, "reduce": 8, "softmax": 5, "two bytes": 15, "several outputs": 12, "fused": 60, "many tiles": 60,
    "double buffer": 40, "resident": 40, "refetch": 20, "weights stay": 4, "inputs stay": 5, "halos kept": 30, "halos copied": 10, "unroll": 25,
    "maps": 60, "blocks": 30, "whole blocks": 5, "inputs in the array": 5, "outputs in the array": 5, "stages": 8, "first of equal blocks": 8, "cores": 20, "output": 25, "bandwidth on the chip": 50, "copied on the chip": 10, "what stays is copied": 3,
    "modes are switched": 5, "several channels": 50, "read and write apart": 20, "weights in slices": 25,
    "two memories off the chip": 20, "stays on the chip": 5, "kept": 20,
    "bricks": 20, "layouts are converted": 10, "encoded": 20, "one copy": 10, "columns folded": 5, "sums in parts": 5,
    "side by side": 4, "read off the chip": 5, "written off the chip": 5, "weights come early": 3,
}

# Seeds with what is rare where engines overlap: modes that are switched, stages that wait for a memory, a shared queue.
RARE = (271, 155, 202)

# Windows of a convolution with gaps may find nothing new in the rows below, although the tensor moves along with the tile.
SKIPPING = """tessera: network/1
name: skipping
tensors: {x: {shape: [1, 16, 3, 2], dtype: int8}}
inputs: [x]
ops:
  - {name: c0, type: conv, inputs: [x], output: t, dilation: [3, 1], pad: [3, 0, 2, 0], weights: {shape: [3, 16, 2, 1]}}
  - {name: c1, type: conv, inputs: [t], output: y, stride: [3, 1], weights: {shape: [6, 3, 1, 1]}}
outputs: [y]
"""
# With read-only off-chip memory, inputs and results are resident as a whole; tensors within one group have
# halos.
BETWEEN = """tessera: network/1
name: between
tensors: {x: {shape: [1, 8, 24, 4], dtype: int8}}
inputs: [x]
ops:
  - {name: c0, type: conv, inputs: [x], output: t, pad: [1, 1, 1, 1], weights: {shape: [8, 8, 3, 3]}}
  - {name: c1, type: conv, inputs: [t], output: y, pad: [4, 1, 4, 1], weights: {shape: [2, 8, 9, 3]}}
outputs: [y]
"""
# At some positions along W the window of c1 lies in the padding and between the columns of t.
NOTHING = """tessera: network/1
name: nothing
tensors: {x: {shape: [1, 1, 5, 12], dtype: int8}}
inputs: [x]
ops:
  - {name: c0, type: conv, inputs: [x], output: t, dilation: [1, 3], pad: [0, 0, 2, 3], weights: {shape: [1, 1, 3, 2]}}
  - {name: c1, type: conv, inputs: [t], output: u, dilation: [6, 6], pad: [5, 12, 43, 0], weights: {shape: [1, 1, 9, 3]}}
  - {name: a, type: add, inputs: [u, t], output: y}
outputs: [y]
"""
KEEPING = """tessera: hardware/1
name: keeping
clock: 1 GHz
engines: {mac: {kind: mac_array, dtype: int8, unroll: {C: 4, K: 4}, energy: 1 pJ}, vec: {kind: vector, lanes: 4}}
memories:
  sram: {capacity: CAPACITY, energy: {read: 1 pJ/B, write: 1 pJ/B}}
  HOME: {offchip: true, WRITTEN bandwidth: 1 B/cycle, burst: 1 B, latency: 10, energy: 64 pJ/B}
dma: {channels: 1, outstanding: 1, setup: 4}
tiling: {double_buffer: [false], weights: [resident], halo: [keep], stationary: [none], kept_halos: copied}
objective: {latency: 1}
"""


class Simulator(Compare):
    def test_seeds_that_failed_once(self):
        """A share of an op's cycles that is whole as a fraction, and slightly larger as a floating-point
        number."""
        for seed in (5252,):
            draw = random.Random(seed)
            network = RandomNetwork(draw, draw.randint(1, 5))
            machine = RandomMachine(draw, draw.choice([512, 1024, 2048, 4096]))
            plan = self.plan(network.text, machine.text, "--tile-shapes", "8")
            self.compare(Network(network.text), Machine(Yaml(machine.text).whole()), plan)

    def test_random_runs(self):
        covered, planned, seed = collections.Counter(), 0, SEED
        while planned < COUNT:
            draw = random.Random(seed)
            network = RandomNetwork(draw, draw.randint(1, 5))
            machine = RandomMachine(draw, draw.choice([512, 1024, 2048, 4096]))
            with self.subTest(seed=seed, again=f"TESSERA_RANDOM_COUNT=1 TESSERA_RANDOM_SEED={seed}"):
                mine = self.planned(network, machine)
                if mine:
                    planned += 1
                    covered.update(mine.covered())
            seed += 1
            self.assertLess(seed - SEED, 2 * COUNT + 20, "most of them have no plan")
        if COUNT >= 80:
            for what, times in COVERED.items():
                self.assertGreaterEqual(covered[what], times * COUNT // 200, what)

    def test_engines_side_by_side(self):
        """With on-chip memories that both stages wait for, modes, and engines of one queue."""
        covered, count = collections.Counter(), max(1, COUNT // 8)
        seeds, last = itertools.chain(RARE, itertools.count(SEED)), SEED + max(RARE) + 20 * COUNT
        asked = ("held up on the chip", "a queue is shared", "modes are switched", "several channels", "weights in slices")
        while covered["side by side"] < count or (count >= 10 and not all(covered[what] for what in asked)):
            seed = next(seeds)
            draw = random.Random(seed)
            network, machine = RandomNetwork(draw, draw.randint(2, 6)), RandomMachine(draw, draw.choice([1024, 2048, 4096]))
            if machine.work_side_by_side(draw):
                with self.subTest(seed=seed, again=f"TESSERA_RANDOM_COUNT=5 TESSERA_RANDOM_SEED={seed}"):
                    mine = self.planned(network, machine)
                    if mine:
                        covered.update(mine.covered() if "side by side" in mine.covered() else ())
            self.assertLess(seed, last, f"most of them have none, or it is always the same: {covered}")

    def test_what_is_kept(self):
        for network, capacity, home, written in ((SKIPPING, 270, "dram", ""), (BETWEEN, 2700, "flash", "writable: false,"),
                                                     (NOTHING, 85, "dram", "")):
            machine = KEEPING.replace("CAPACITY", str(capacity)).replace("HOME", home).replace("WRITTEN", written)
            plan = self.plan(network, machine)
            self.assertIn("halos kept", self.compare(Network(network), Machine(Yaml(machine).whole()), plan).covered())

    def test_shipped_profiles(self):
        for profile in ("ethos-u65-256", "ethos-u65-512", "ethos-u55-like", "edgetpu-like", "eyeriss-like", "tpuv4-cmem-like",
                        "ethos-u55-256", "nvdla-like", "ascend-910b-like", "gap9-like", "ethos-u65-512-client-server", "gap9-ram-like"):
            with self.subTest(profile=profile):
                for seed, shapes in (1, "0"), (4, "8"):
                    network = RandomNetwork(random.Random(seed), 5)
                    plan = self.plan(network.text, profile, "--tile-shapes", shapes)
                    self.compare(Network(network.text), Machine(load_profile(profile)), plan)


if __name__ == "__main__":
    unittest.main()
