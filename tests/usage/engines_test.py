"""Compute engines on the command line: operand access, cycles of blocks, unsupported ops, and cycles per
layer."""

import json
import unittest

from support import BAD_INPUT, FOUND, Case, run

NETWORK = """tessera: network/1
name: net
tensors: {x: {shape: [1, 64, 36, 36], dtype: int8}}
inputs: [x]
ops:
  - {name: c1, type: conv, inputs: [x], output: t, weights: {shape: [64, 64, 3, 3]}, pad: [1, 1, 1, 1]}
  - {name: p1, type: max_pool, inputs: [t], output: y, kernel: [2, 2], stride: [2, 2]}
outputs: [y]
"""
MACHINE = """tessera: hardware/1
name: machine
clock: 1 GHz
engines:
  mac: {kind: mac_array, maps: {dense: {ops: [conv, matmul], unroll: {C: 16, K: 16}}}BLOCKS}
  VECTOR
memories:
  sram: {capacity: 1 MiB, energy: {read: 1 pJ/B, write: 0 pJ/B}BANDWIDTH}
  dram: {offchip: true, bandwidth: 64 B/cycle}
objective: {latency: 1}
"""
# Both of the first ops read the input, each for its half of the result.
HALVES = """tessera: network/1
name: halves
tensors: {x: {shape: [1, 1, 128, 1], dtype: int8}}
inputs: [x]
ops:
  - {name: a, type: relu, inputs: [x], output: t}
  - {name: b, type: sigmoid, inputs: [x], output: u}
  - {name: c, type: concat, inputs: [t, u], output: y, axes: [2]}
outputs: [y]
"""
LANES_ALONE = """tessera: hardware/1
name: lanes
clock: 1 GHz
engines: {vec: {kind: vector, lanes: 4}}
memories:
  sram: {capacity: 200, energy: {read: 1 pJ/B, write: 0 pJ/B}}
  dram: {offchip: true, bandwidth: 64 B/cycle}
tiling: {double_buffer: [false]}
objective: {dram_bytes: 1}
"""
# Loads of the first op overlap with the second op.
HIDDEN = """tessera: network/1
name: hidden
tensors: {x: {shape: [1, 32, 48, 48], dtype: int8}}
inputs: [x]
ops:
  - {name: r1, type: relu, inputs: [x], output: t}
  - {name: c1, type: conv, inputs: [t], output: y, weights: {shape: [16, 32, 1, 1]}}
outputs: [y]
"""
SLOW_DRAM = """tessera: hardware/1
name: slow
clock: 1 GHz
engines: {mac: {kind: mac_array, unroll: {C: 8, K: 2}}, vec: {kind: vector, lanes: 64}}
memories:
  sram: {capacity: 64 KiB}
  dram: {offchip: true, bandwidth: 2 B/cycle}
tiling: {double_buffer: [true]}
objective: {dram_bytes: 0.5, latency: 0.5}
"""
LANES = "vec: {kind: vector, lanes: 64}"


class Engines(Case):
    def layers(self, network, machine):
        network, machine = self.file("net.yaml", network), self.file("hw.yaml", machine)
        done = run("plan", network, "-p", machine, "--residency", "off", "--format", "json", "-q")
        self.assertEqual(done.returncode, FOUND, done.stderr)
        plan = json.loads(done.stdout)
        self.assertEqual(len(plan["subgraphs"]), 1)
        return plan

    def test_an_idle_op_reads_nothing(self):
        plan = self.layers(HALVES, LANES_ALONE)
        self.assertGreater(plan["subgraphs"][0]["tiles"]["grid"]["H"], 1)
        self.assertEqual([layer["energy_pj"] for layer in plan["layers"][:2]], [128, 128])

    def test_a_layer_takes_no_less_than_its_op(self):
        plan = self.layers(HIDDEN, SLOW_DRAM)
        self.assertGreater(plan["subgraphs"][0]["tiles"]["grid"]["H"], 1)
        for layer in plan["layers"]:
            self.assertGreaterEqual(layer["cycles"], layer["compute_cycles"])
        self.assertEqual(sum(layer["cycles"] for layer in plan["layers"]), plan["totals"]["latency_cycles"])


    def test_approximate_bytes_are_told(self):
        network, machine = self.file("net.yaml", HALVES), LANES_ALONE.replace("64 B/cycle", "64 B/cycle, burst: 16 B")
        done = run("plan", network, "-p", self.file("hw.yaml", machine), "--residency", "off", "--stats")
        self.assertIn("DRAM traffic counts whole bursts of 16 B; equal tiles count the bursts of the first",
                      " ".join(done.stdout.split()))
        done = run("plan", network, "-p", self.file("hw.yaml", LANES_ALONE), "--residency", "off")
        self.assertNotIn("bursts", done.stdout)


class Arrays(Case):
    def plan(self, blocks="", vector=LANES, bandwidth="", **options):
        text = MACHINE.replace("BLOCKS", blocks).replace("VECTOR", vector).replace("BANDWIDTH", bandwidth)
        network, machine = self.file("net.yaml", NETWORK), self.file("hw.yaml", text)
        return run("plan", network, "-p", machine, "--layer-by-layer", "--format", "json", "-q", **options)

    def layer(self, *arguments, **options):
        done = self.plan(*arguments, **options)
        self.assertEqual(done.returncode, FOUND, done.stderr)
        return json.loads(done.stdout)["layers"][0]

    def test_an_op_that_no_engine_computes_is_told(self):
        done = self.plan(vector="")
        self.assertEqual(done.returncode, BAD_INPUT)
        for part in ("no engine computes op 'p1' (max_pool)", "array 'mac' computes conv, matmul", "`vector`"):
            self.assertIn(part, done.stderr)

    def test_each_step_reads_the_input_that_it_needs(self):
        layer = self.layer()
        steps = 36 * 36 * 9 * 4 * 4
        self.assertEqual(layer["compute_cycles"], steps)
        weights, moved = 64 * 64 * 9, 64 * 36 * 36  # the store reads the result
        self.assertAlmostEqual(layer["energy_pj"], 16 * steps + weights + moved)
        slow = self.layer(bandwidth=", bandwidth: 8 B/cycle")
        self.assertEqual(slow["compute_cycles"], steps)
        self.assertGreater(slow["cycles"], 2 * steps)
        self.assertEqual(slow["bound_by"], "sram")

    def test_a_last_block_takes_what_is_left(self):
        """36 rows in blocks of 16: 16, 16 and 4 rows, or 16 each if the machine has no smaller blocks."""
        blocks = ", blocks: {buffer: 1 MiB, most: {K: 64, H: 16, W: 36}PARTIAL}"
        real = self.layer(blocks.replace("PARTIAL", ""))["compute_cycles"]
        whole = self.layer(blocks.replace("PARTIAL", ", partial: whole"))["compute_cycles"]
        self.assertEqual((real, whole), (36 * 36 * 9 * 16, 48 * 36 * 9 * 16))

    def test_one_tap_at_a_time(self):
        def energy(taps):
            return self.layer(f", blocks: {{buffer: 1 MiB, most: {{K: 64, H: 36, W: 36{taps}}}}}")["energy_pj"]

        plane, whole = 64 * 36 * 36, energy("")
        for taps, parts in ((", R: 8, S: 8", 1), (", R: 3, S: 3", 1), (", R: 1, S: 3", 3), (", R: 3, S: 1", 3), (", R: 1, S: 1", 9)):
            self.assertAlmostEqual(energy(taps) - whole, (parts - 1) * plane, msg=taps)


if __name__ == "__main__":
    unittest.main()
