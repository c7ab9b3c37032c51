"""A machine with more resources, at the same energy and static power: plans do not score worse.

Random networks on random machines, and the same machine with more capacity, bandwidth, channels, outstanding
requests, or with more alternatives: maps, halos, double buffering, stationary data, refetched weights. Both
scores are relative to the first machine. A proved score never gets worse. Without a proof, not everything is
evaluated, so a plan may miss what the plan for fewer resources found; this test limits how often that
happens, and by how much. TESSERA_RANDOM_COUNT=300 sets the number of pairs, TESSERA_RANDOM_SEED the seed.
"""

import copy
import json
import os
import pathlib
import random
import subprocess
import tempfile
import unittest

from random_runs import RandomMachine, RandomNetwork, file

ROOT = pathlib.Path(__file__).resolve().parents[2]
TESSERA = os.environ.get("TESSERA", str(ROOT / "build/release/cli/tessera"))
COUNT = int(os.environ.get("TESSERA_RANDOM_COUNT", "4" if os.environ.get("TESSERA_SLOW") == "1" else "30"))
SEED = int(os.environ.get("TESSERA_RANDOM_SEED", "1000"))
FOUND = 0

CHOICES = {"double_buffer": [False, True], "weights": ["resident", "refetch"], "halo": ["recompute", "keep_columns", "keep"],
           "stationary": ["none", "weights", "inputs"], "one_copy": ["none", "inputs", "outputs", "weights"]}
# Maximum share of pairs that may score worse, and the maximum factor.
MOST_WORSE, BY_AT_MOST = 0.02, 1.03


def grown(figure, factor):
    if isinstance(figure, dict):
        return {key: grown(value, factor) for key, value in figure.items()}
    if isinstance(figure, int):
        return figure * factor
    number, unit = figure.split(" ", 1)
    return f"{float(number) * factor:g} {unit}"


def kinds_of(machine):
    """Resources that may increase; capacity more often than others."""
    chip = [memory for memory in machine["memories"].values() if not memory.get("offchip")]
    kinds = ["bandwidth", "outstanding", "channels"] + [key for key, all_of_it in CHOICES.items() if len(machine["tiling"][key]) < len(all_of_it)]
    if all("capacity" in memory and "banks" not in memory for memory in chip):
        kinds += ["capacity"] * 3
    if any("bandwidth" in memory for memory in chip):
        kinds.append("bandwidth on the chip")
    if machine["engines"]["mac"].get("maps"):
        kinds += ["maps"] * 2
    return kinds


def with_more(machine, kind, draw):
    more = copy.deepcopy(machine)
    memories, dma = more["memories"].values(), more["dma"]
    factor = draw.choice([1.25, 1.5, 2, 4])
    for memory in memories:
        if kind == "capacity" and not memory.get("offchip"):
            memory["capacity"] = int(memory["capacity"] * factor) // 64 * 64 or memory["capacity"]
        if kind == "bandwidth" and memory.get("offchip"):
            memory["bandwidth"] = grown(memory["bandwidth"], factor)
        if kind == "bandwidth on the chip" and not memory.get("offchip") and "bandwidth" in memory:
            memory["bandwidth"] = grown(memory["bandwidth"], factor)
    if kind == "outstanding":
        dma["outstanding"] = grown(dma["outstanding"], 2)
    if kind == "channels":
        dma["channels"] += 1
    if kind == "maps":  # another way to compute the ops of some map
        maps = more["engines"]["mac"]["maps"]
        maps["another"] = {**maps[draw.choice(sorted(maps))],
                           "unroll": {axis: draw.choice([2, 3, 8]) for axis in draw.sample("NKCHWG", draw.randint(1, 4))}}
    if kind in CHOICES:
        more["tiling"][kind] = CHOICES[kind]
    return more


class MoreOfAMachine(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def plan(self, machine):
        """Its score, relative to the machine in base.yaml; None without a plan."""
        (self.folder / "machine.yaml").write_text(file(machine))
        done = subprocess.run([TESSERA, "plan", str(self.folder / "network.yaml"), "--profile", str(self.folder / "machine.yaml"),
                               "--reference", str(self.folder / "base.yaml"), "--threads", "1", "--timeout", "120s", "--format", "json"],
                              capture_output=True, text=True, check=False)
        return json.loads(done.stdout) if done.returncode == FOUND else None

    def test_scores_hardly_ever_get_worse(self):
        pairs, better, seed, worse, proved = 0, 0, SEED, [], 0
        while pairs < COUNT:
            draw = random.Random(seed)
            network, base = RandomNetwork(draw, draw.randint(2, 6)), RandomMachine(draw, draw.choice([768, 1536, 3072, 6144])).value
            kind = draw.choice(kinds_of(base))
            (self.folder / "network.yaml").write_text(network.text)
            (self.folder / "base.yaml").write_text(file(base))
            seed += 1
            self.assertLess(seed - SEED, 2 * COUNT + 20, "most of them have no plan")
            before = self.plan(base)
            if before is None:
                continue
            pairs += 1
            after = self.plan(with_more(base, kind, draw))
            self.assertIsNotNone(after, f"seed {seed - 1}: no plan with more {kind}")
            better += after["score"] < before["score"] * (1 - 1e-9)
            # Every plan with fewer resources is possible with more.
            self.assertLessEqual(after["bound"], before["score"] * (1 + 1e-9), f"seed {seed - 1}: {kind}")
            proved += before["proven_optimal"] and after["proven_optimal"]
            if after["score"] > before["score"] * (1 + 1e-9):
                self.assertFalse(after["proven_optimal"], f"seed {seed - 1}: worse with more {kind}, and proved")
                worse.append((after["score"] / before["score"], seed - 1, kind))
        print(f"{pairs} pairs, {proved} proved, {better} better, {len(worse)} worse: "
              + ", ".join(f"{factor:.4f} ({kind}, seed {at})" for factor, at, kind in sorted(worse, reverse=True)))
        self.assertLessEqual(len(worse), max(1, MOST_WORSE * pairs))
        self.assertLessEqual(max(worse, default=(1,))[0], BY_AT_MOST)
        if pairs >= 30:
            self.assertGreater(better, pairs / 5)
            self.assertGreater(proved, pairs / 5)


if __name__ == "__main__":
    unittest.main()
