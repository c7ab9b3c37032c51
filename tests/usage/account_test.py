"""The accounting of a plan: an example by hand, its files, and a changed figure."""

import csv
import json
import unittest
import xml.dom.minidom

from support import FOUND, WRONG, Case, run

NETWORK = """tessera: network/1
name: one
tensors: {x: {shape: [1, 8, 8, 8], dtype: int8}}
inputs: [x]
ops: [{name: c, type: conv, inputs: [x], output: y, pad: [1, 1, 1, 1], weights: {shape: [8, 8, 3, 3]}}]
outputs: [y]
"""
MACHINE = """tessera: hardware/1
name: small
clock: 1 GHz
static_power: 1 mW
engines: {mac: {kind: mac_array, dtype: int8, unroll: {C: 4, K: 4}, energy: 1 pJ}}
memories:
  sram: {capacity: 4 KiB, bandwidth: 8 B/cycle, energy: {read: 1 pJ/B, write: 2 pJ/B}}
  dram: {offchip: true, bandwidth: 4 B/cycle, burst: 16 B, latency: 10, energy: 100 pJ/B}
dma: {channels: 1, outstanding: 8, setup: 4}
tiling: {double_buffer: [false], weights: [resident], halo: [recompute]}
"""
# 64 places x 9 taps x 8 inputs x 8 outputs; the array reads x for 9 taps and 2 parts of the outputs.
MACS = 64 * 9 * 8 * 8
BYTES = {
    ("sram", "mac", "input", "read"): 512 * 9 * 2,
    ("sram", "mac", "weights", "read"): 576,
    ("sram", "mac", "output", "write"): 512,
    ("sram", "dma", "input", "write"): 512,
    ("sram", "dma", "weights", "write"): 576,
    ("sram", "dma", "output", "read"): 512,
    ("dram", "dma", "input", "read"): 512,
    ("dram", "dma", "weights", "read"): 576,
    ("dram", "dma", "output", "write"): 512,
}


class Accounts(Case):
    def setUp(self):
        super().setUp()
        self.network, self.machine = self.file("one.yaml", NETWORK), self.file("small.yaml", MACHINE)
        done = run("plan", self.network, "--profile", self.machine, "--tile-shapes", "0", "-o", self.folder / "plan.json",
                   "--csv", self.folder / "plan.csv", "--roofline", self.folder / "roof.svg")
        self.assertEqual(done.returncode, FOUND, done.stderr)
        with open(self.folder / "plan.json", encoding="utf-8") as file:
            self.text = file.read()
        self.plan = json.loads(self.text)

    def test_by_hand(self):
        cycles = self.plan["totals"]["latency_cycles"]
        for account in self.plan["account"], self.plan["subgraphs"][0]["account"], self.plan["layers"][0]["account"]:
            self.assertEqual(account["macs"], MACS)
            self.assertEqual(account["ideal_cycles"], MACS / 16)
            self.assertAlmostEqual(account["utilisation"], MACS / 16 / cycles)
            self.assertEqual(account["compute_pj"], MACS)
            self.assertEqual(account["switches_pj"], 0)
            self.assertAlmostEqual(account["static_pj"], cycles)  # 1 mW at 1 GHz is 1 pJ per cycle
            found = {(a["memory"], a["user"], a["operand"], a["access"]): a for a in account["accesses"]}
            self.assertEqual({key: a["bytes"] for key, a in found.items()}, BYTES)
            for (memory, _, _, access), a in found.items():
                price = 100 if memory == "dram" else 2 if access == "write" else 1
                self.assertEqual(a["energy_pj"], a["bytes"] * price)
                self.assertEqual(a["cycles"], a["bytes"] / (4 if memory == "dram" else 8))
            parts = MACS + cycles + sum(a["energy_pj"] for a in account["accesses"])
            self.assertAlmostEqual(parts, self.plan["totals"]["energy_pj"])

    def test_csv(self):
        with open(self.folder / "plan.csv", encoding="utf-8", newline="") as file:
            row, = csv.DictReader(file)
        self.assertEqual(int(row["macs"]), MACS)
        self.assertEqual(float(row["sram_input_read"]), 512 * 18)
        self.assertEqual(float(row["sram_weights_read"]), 576)
        self.assertEqual(float(row["sram_dma_cycles"]), (512 + 576 + 512) / 8)
        self.assertEqual(float(row["dram_pj"]), 100 * (512 + 576 + 512))
        parts = [float(value) for key, value in row.items() if key.endswith("_pj") and key != "energy_pj"]
        self.assertAlmostEqual(sum(parts), float(row["energy_pj"]))

    def test_roofline(self):
        picture = xml.dom.minidom.parse(str(self.folder / "roof.svg"))
        title, = [circle.getElementsByTagName("title")[0].firstChild.data for circle in picture.getElementsByTagName("circle")]
        self.assertIn("c: ", title)
        self.assertIn(f"{MACS / self.plan['totals']['latency_cycles']:.4g} MACs per cycle", title)
        self.assertIn(f"{MACS / 1600:.4g} per off-chip byte", title)

    def test_a_changed_figure_is_found(self):
        for old, new in (('"bytes": 9216.0', '"bytes": 9217.0'), (f'"macs": {MACS}', '"macs": 1'), ('"user": "mac"', '"user": "dma"')):
            self.assertIn(old, self.text)
            done = run("check", self.network, self.file("other.json", self.text.replace(old, new, 1)), "--profile", self.machine)
            self.assertEqual(done.returncode, WRONG, done.stdout)
            self.assertIn("account", done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
