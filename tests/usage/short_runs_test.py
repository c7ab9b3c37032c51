"""Short groups: ops that are cheap only in them are found, also with limits."""

import json
import re
import sys
import unittest

from support import FOUND, ROOT, STOPPED, Case, run

sys.path.insert(0, str(ROOT / "bench"))
from deep_networks import network as deep_network  # noqa: E402

# Each op makes its sums in parts, so single ops are much cheaper than longer groups.
NETWORK = """tessera: network/1
name: parts
tensors: {x: {shape: [1, 32, 24, 24], dtype: int8}}
inputs: [x]
ops:
  - {name: a, type: conv, inputs: [x], output: ta, weights: {shape: [32, 32, 3, 3]}, pad: [1, 1, 1, 1]}
  - {name: b, type: relu, inputs: [ta], output: tb}
  - {name: c, type: conv, inputs: [tb], output: tc, groups: 32, weights: {shape: [32, 1, 3, 3]}, pad: [1, 1, 1, 1]}
  - {name: d, type: conv, inputs: [tc], output: td, weights: {shape: [32, 32, 1, 1]}}
  - {name: e, type: concat, inputs: [td, ta], output: te, axes: [1]}
  - {name: f, type: conv, inputs: [te], output: tf, weights: {shape: [64, 64, 3, 3]}, pad: [1, 1, 1, 1]}
  - {name: g, type: add, inputs: [tf, te], output: tg}
  - {name: h, type: add, inputs: [tg, te], output: th}
outputs: [th]
"""
MACHINE = """tessera: hardware/1
name: parts
clock: 350 MHz
static_power: 7 mW
engines:
  mac:
    kind: mac_array
    fill: 0
    energy: 1 pJ
    maps:
      some: {ops: [conv, matmul], unroll: {H: 2}, start: 9}
      dense: {ops: [conv, fc], unroll: {K: 3}, least: 16, start: 3}
      deep: {ops: [depthwise], unroll: {C: 3, H: 3, T: 8}, cycles: 1.5, least: 40, at_least: {T: 4}, input_depth: 8}
      rest: {ops: [elementwise], unroll: {R: 8, H: 3, K: 8}, at_least: {C: 5}}
    blocks: {buffer: 1024, most: {K: 16, H: 2, W: 8, R: 4}, depth_step: 8, channels: 2, input_granule: 64, sum_granule: 64}
    cores: 2
  vec: {kind: vector, lanes: 16, startup: 32, cycles_per_vector: {default: 1}, energy: 0.1 pJ}
memories:
  sram: {capacity: 360024, alignment: 8, energy: {read: 1.2 pJ/B, write: 1.4 pJ/B}, bandwidth: 2 B/cycle, layout: NCHW4c}
  dram: {offchip: true, bandwidth: {read: 0.3 GB/s, write: 5 B/cycle}, latency: 30, energy: 64 pJ/B, layout: NHWC}
dma: {channels: 1, outstanding: 8, setup: 0, convert: 1 B/cycle}
tiling: {double_buffer: [false], weights: [refetch], reduction: [1, 2, 3]}
objective: {energy: 1}
"""


class ShortRuns(Case):
    def plan(self, network, *arguments, ends=(FOUND,)):
        out = self.folder / "plan.json"
        out.unlink(missing_ok=True)
        done = run("plan", network, "-q", "-o", out, "--proof-shapes", 0, *arguments)
        self.assertIn(done.returncode, ends, done.stderr)
        return json.loads(out.read_text()) if out.exists() else None

    def test_what_is_cheap_in_them_alone_is_found(self):
        network, machine = self.file("net.yaml", NETWORK), self.file("hw.yaml", MACHINE)
        for asked in ((), ("--residency", "off")):
            free = self.plan(network, "-p", machine, *asked)
            for most in ("1", "2"):
                limited = self.plan(network, "-p", machine, "--max-ops", most, *asked)
                self.assertLess(free["score"], 1.01 * limited["score"], (asked, most))

    def test_numbers_under_a_limit_are_numbers(self):
        """Partitions into short groups evaluate groups of their own: more may be solved than there are
        candidates."""
        network = self.file("deep.yaml", deep_network(300, 3))
        for limit in ("300ms", "1s"):
            plan = self.plan(network, "-p", "eyeriss-like", "-t", limit, "--threads", "1", ends=(FOUND, STOPPED))
            if plan is None:
                continue
            for name, value in plan["search"].items():
                self.assertGreaterEqual(value, 0, name)
            if plan["status"] == "feasible":
                self.ends(FOUND, "check", network, self.folder / "plan.json", "-p", "eyeriss-like")

    def test_counters_add_up(self):
        """Also if a network with a concatenation is planned in two ways, and if nothing fits."""
        network, machine = self.file("net.yaml", NETWORK), self.file("hw.yaml", MACHINE)
        for more in ((), ("--limit", "peak_memory=64"), ("--set", "tiling.concat=copied"), ("-t", "1ms")):
            with self.subTest(more):
                text = run("plan", network, "-p", machine, "--stats", *more).stdout
                counters = {name: int(value) for name, value in re.findall(r"^(\w+) = (\d+)$", text, re.M)}
                self.assertEqual(counters["candidates"],
                                 counters["solved"] + counters["reused"] + counters["pruned"], text)
                self.assertLessEqual(counters["infeasible"] + counters["unknown"], counters["candidates"])
                self.assertNotIn("candidate", run("plan", network, "-p", machine, *more).stdout)

    def test_weights_that_the_profile_has_not_are_told(self):
        network, machine = self.file("net.yaml", NETWORK), self.file("hw.yaml", MACHINE)
        for asked, told in ((("--weight", "dram_bytes=1"), "score weights: DRAM 1.00\n"),
                            (("--weight", "energy=5"), ""), ((), "")):
            text = self.ends(FOUND, "plan", network, "-p", machine, "--max-ops", "1", *asked).stdout
            self.assertEqual("".join(line for line in text.splitlines(True) if "score weights" in line), told)


if __name__ == "__main__":
    unittest.main()
