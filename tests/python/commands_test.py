#!/usr/bin/env python3
"""Command files of random networks on random machines, checked and executed; and damaged, one number at a time.

    TESSERA_RANDOM_COUNT=3000 TESSERA_RANDOM_SEED=1 python3 tests/python/commands_test.py
"""

import collections
import copy
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import unittest

import support

sys.path.insert(0, str(support.ROOT / "tests/planning"))
from random_runs import RandomMachine, RandomNetwork  # noqa: E402

from tessera.interpreter import run_commands  # noqa: E402
from tessera.interpreter.reader import CommandFile  # noqa: E402

COUNT = int(os.environ.get("TESSERA_RANDOM_COUNT", "20"))
SEED = int(os.environ.get("TESSERA_RANDOM_SEED", "1"))
FOUND, BAD_INPUT, WRONG, INFEASIBLE, STOPPED = 0, 2, 3, 20, 30
UNSUPPORTED = "--commands does not support"

TOY = """tessera: network/1
name: toy
tensors: {x: {shape: [1, 8, 32, 32], dtype: int8}}
inputs: [x]
ops:
  - {name: c1, type: conv, inputs: [x], output: t, weights: [{shape: [8, 8, 3, 3]}, {shape: [8]}], pad: [1, 1, 1, 1], fused: [relu]}
  - {name: a1, type: add, inputs: [t, x], output: u}
  - {name: c2, type: conv, inputs: [u], output: y, weights: {shape: [8, 8, 3, 3]}, pad: [1, 1, 1, 1]}
outputs: [y]
"""
# Weights that are loaded once per row of tiles: loops of tiles in a loop of rows.
ROWS = """tessera: network/1
name: rows
tensors: {x: {shape: [1, 64, 24, 24], dtype: int8}}
inputs: [x]
ops:
  - {name: c, type: conv, inputs: [x], output: y, weights: [{shape: [64, 64, 3, 3]}, {shape: [64]}], pad: [1, 1, 1, 1]}
outputs: [y]
"""
OF_ROWS = ("--tile-shapes", "4", "-c", "16000", "--set", "tiling.stationary=[weights]", "--set", "tiling.weights=[refetch]")
# Concatenations of outputs of ops, of another concatenation, and of an input; their operands lie in place unless they are copied.
DENSE = """tessera: network/1
name: dense
tensors: {x: {shape: [1, 16, 12, 12], dtype: int8}}
inputs: [x]
ops:
  - {name: a, type: conv, inputs: [x], output: ta, weights: [{shape: [32, 16, 3, 3]}, {shape: [32]}], pad: [1, 1, 1, 1]}
  - {name: b, type: conv, inputs: [x], output: tb, weights: [{shape: [16, 16, 1, 1]}, {shape: [16]}]}
  - {name: c, type: concat, inputs: [ta, tb], output: tc, axes: [1]}
  - {name: d, type: conv, inputs: [tc], output: td, weights: [{shape: [20, 48, 3, 3]}], pad: [1, 1, 1, 1]}
  - {name: e, type: concat, inputs: [td, tc, x], output: te, axes: [1]}
  - {name: f, type: conv, inputs: [te], output: y, weights: [{shape: [16, 84, 1, 1]}, {shape: [16]}]}
outputs: [y]
"""
COPIED = ("--tile-shapes", "0", "--set", "tiling.concat=copied")
SMALL = """tessera: hardware/1
name: small
clock: 1 GHz
memories:
  sram: {capacity: 12 KiB, alignment: 8}
  dram: {offchip: true, bandwidth: 4 B/cycle, burst: 16 B, latency: 20}
engines: {mac: {kind: mac_array, unroll: {C: 8, K: 8}}, vec: {kind: vector, lanes: 8}}
tiling: {double_buffer: [true], weights: [refetch], halo: [recompute], stationary: [none], one_copy: [none], reduction: [1]}
"""
VARIANTS = {"double_buffer": ("false",), "weights": ("resident",), "halo": ("keep", "keep_columns"), "stationary": ("weights", "inputs"),
            "one_copy": ("inputs", "outputs", "weights", "inputs+outputs"), "reduction": ("2", "3")}

BRICKS = """tessera: hardware/1
name: bricks
clock: 1 GHz
engines: {mac: {kind: mac_array, unroll: {C: 4, K: 4}}, vec: {kind: vector, lanes: 4}}
memories:
  sram: {capacity: 6 KiB, layout: CHIP}
  dram: {offchip: true, bandwidth: 4 B/cycle, burst: 8 B, layout: HOME}
dma: {convert: 4 B/cycle}
"""

# Convolution and sigmoid work side by side, on tiles that they exchange in two banks; each tile swaps the roles of the banks.
STAGES = """tessera: network/1
name: stages
tensors: {x: {shape: [1, 4, 64, 8], dtype: int8}}
inputs: [x]
ops:
  - {name: c, type: conv, inputs: [x], output: t, weights: {shape: [4, 4, 1, 1]}}
  - {name: s, type: sigmoid, inputs: [t], output: y}
outputs: [y]
"""
SWAPPED = """tessera: hardware/1
name: swapped
clock: 1 GHz
memories:
  sram: {banks: 3, bank_size: 512, modes: [{name: even, roles: [write, read, read_write]}, {name: odd, roles: [read, write, read_write]}]}
  dram: {offchip: true, bandwidth: 4 B/cycle, burst: 8 B, latency: 20}
engines: {mac: {kind: mac_array, unroll: {C: 1, K: 1}}, vec: {kind: vector, lanes: 1, cycles_per_vector: {default: 4}}}
mode_switch: {cycles: 4}
objective: {latency: 1}
tiling: {engines: side_by_side, double_buffer: [true], weights: [resident], halo: [recompute], stationary: [none], one_copy: [none], reduction: [1]}
"""


class Commands(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.file = self.folder / "commands.jsonl"

    def plan(self, network, profile, *options):
        """Was a command file written? None: not supported."""
        (self.folder / "network.yaml").write_text(network)
        if "\n" in profile:
            (self.folder / "machine.yaml").write_text(profile)
            profile = self.folder / "machine.yaml"
        self.file.unlink(missing_ok=True)
        done = subprocess.run([support.TESSERA, "plan", self.folder / "network.yaml", "-p", profile, "-q", "--threads", "1", "--timeout", "20s",
                               "--commands", self.file, *options], capture_output=True, text=True, check=False)
        if done.returncode == BAD_INPUT and UNSUPPORTED in done.stderr:
            return None
        self.assertIn(done.returncode, (FOUND, INFEASIBLE, STOPPED), done.stderr)
        return done.returncode == FOUND

    def run_random(self, seed, *more):
        """Was there a plan to execute? None: not supported."""
        draw = random.Random(seed)
        network = RandomNetwork(draw, draw.randint(1, 5), dense=seed % 7 == 3, heavy=seed % 11 == 5, unrolled=seed % 23 == 7)
        machine = RandomMachine(draw, draw.choice([512, 1024, 2048, 4096]))
        kind = seed % 6
        if kind == 4:
            machine.work_side_by_side(draw)
        elif kind == 5:
            machine.put_behind()
        options = ["--fold"] if seed % 2 else []
        if seed % 14 in (3, 10, 12):
            options += ["--set", "tiling.concat=copied"]
        plan = self.folder / "plan.json"
        written = self.plan(network.text, machine.text, "--tile-shapes", draw.choice(["0", "8"]), "-o", plan, *options, *more)
        if written:
            self.assertEqual(self.checked(plan), FOUND)
            report = run_commands(self.file, seed)
            self.assertEqual(report.reason, "")
            self.assertGreater(report.elements, 0)
        return written

    def test_plans_that_were_wrong_or_refused(self):
        for seed, what, *more in ((2002158, "all weights of a burst arrive with the first of two transfers, the second only takes time"),
                                  (3000260, "an op stores over bytes off chip that a later op of the tile loads into another memory", "--effort", "9",
                                   "--proof-shapes", "0"),
                                  (402066, "the sums of encoded weights are split")):
            with self.subTest(what, seed=seed):
                self.assertTrue(self.run_random(seed, *more))

    def copies(self, network, profile, *options):
        """Concatenations whose commands read operands, after all commands have been executed; None: no plan."""
        if not self.plan(network, profile, *options):
            return None
        report = run_commands(self.file)
        self.assertEqual((report.status, report.reason), ("equal", ""))
        with CommandFile(self.file) as file:
            concats = {op["name"] for op in file.header["ops"] if op["type"] == "concat"}
            return {command["op"] for command in file.commands() if command.get("op") in concats and any(command["in"])}

    def test_copied_concatenations_on_all_profiles(self):
        names = [line.split()[0] for line in subprocess.run([support.TESSERA, "profiles"], capture_output=True, text=True, check=True).stdout.splitlines()]
        self.assertGreater(len(names), 10)
        planned = []
        for name in names:
            for groups in (("--max-ops", "1"), ()):
                with self.subTest(profile=name, groups=groups):
                    copied = self.copies(DENSE, name, *COPIED, *groups)
                    if copied is None:
                        continue
                    planned.append(name)
                    if groups:
                        self.assertEqual(copied, {"c", "e"})
        self.assertEqual(set(names) - set(planned), {"patent-three-banks"})
        # In place, the first one has nothing to do.
        self.assertNotIn("c", self.copies(DENSE, "ascend-910b-like", "--max-ops", "1", "--residency", "off"))

    def test_copied_concatenations_in_every_variant(self):
        for key, values in ((None, (None,)), *VARIANTS.items()):
            for value in values:
                variant = ("--set", f"tiling.{key}=[{value}]") if key else ()
                for groups in (("--max-ops", "1"), ()):
                    with self.subTest(variant=variant, groups=groups):
                        copied = self.copies(DENSE, SMALL, *COPIED, *variant, *groups)
                        self.assertIsNotNone(copied)
                        if groups == ("--max-ops", "1"):
                            self.assertEqual(copied, {"c", "e"})

    def test_random_plans(self):
        seen, seed = collections.Counter(), SEED
        while seen[True] < COUNT:
            with self.subTest(seed=seed, again=f"TESSERA_RANDOM_COUNT=1 TESSERA_RANDOM_SEED={seed}"):
                seen[self.run_random(seed)] += 1
            seed += 1
            self.assertLess(seed - SEED, 4 * COUNT + 40, f"most of them have no plan: {seen}")
        if COUNT > 200:
            print(f"{seen[True]} executed, {seen[None]} not supported, {seen[False]} without a plan")

    def test_modes_of_stages_side_by_side(self):
        """A trailing op waits for the mode of its slot, which the leading op of the next tile may not need yet."""
        plan = self.folder / "plan.json"
        self.assertTrue(self.plan(STAGES, SWAPPED, "--tile-shapes", "8", "--residency", "off", "-o", plan))
        self.assertEqual(json.loads(plan.read_text())["subgraphs"][0]["variant"]["trailing"], 1)
        self.assertEqual(run_commands(self.file).reason, "")
        self.assertEqual(self.checked(plan), FOUND)
        lines = [json.loads(line) for line in self.file.read_text().splitlines()]
        modes = {line["id"] for line in lines if line.get("kind") == "mode"}
        trailing = [line for line in lines[1:-1] if modes & set(line.get("after", ())) and line["queue"] == "vec"]
        self.assertGreater(len(trailing), 5)
        for line in trailing[:3]:
            after = line["after"]
            line["after"] = [n for n in after if n not in modes]
            self.file.write_text("".join(json.dumps(one) + "\n" for one in lines))
            line["after"] = after
            self.assertRegex(run_commands(self.file).reason, "bank `b[01]`")
            self.assertEqual(self.checked(plan), WRONG)

    def checked(self, plan):
        return subprocess.run([support.TESSERA, "check", plan, self.file, "-q"], capture_output=True, check=False).returncode

    def test_bricks_of_two_sizes(self):
        """Transfers cut the bricks of both memories; tiles have parts of bricks."""
        for chip, home in (("NCHW4c", "NHCW3c"), ("NHCW3c", "NCHW2c"), ("NHWC2c", "NCHW16c")):
            with self.subTest(chip=chip, home=home):
                self.assertTrue(self.plan(TOY, BRICKS.replace("CHIP", chip).replace("HOME", home), "--max-ops", "1"))
                report = run_commands(self.file)
                self.assertEqual(report.reason, "")
                self.assertGreater(report.elements, 0)

    def test_the_program(self):
        """`tessera run` in the formats of its report, and what it says about other files."""
        self.assertTrue(self.plan(TOY, "gap9-like"))
        done = self.run_program(self.file, "--seed", "3")
        self.assertEqual((done.returncode, done.stderr), (FOUND, ""))
        self.assertIn("all equal to the network layer by layer", done.stdout)
        lines = self.file.read_text().splitlines()
        header = json.loads(lines[0])
        report = json.loads(self.run_program(self.file, "--format", "json").stdout)
        self.assertEqual((report["status"], report["latency_cycles"], report["dram_bytes"]),
                         ("equal", header["totals"]["latency_cycles"], header["totals"]["dram_bytes"]))
        header["totals"]["latency_cycles"] += 1
        self.file.write_text("\n".join([json.dumps(header), *lines[1:]]))
        done = self.run_program(self.file)
        self.assertEqual(done.returncode, WRONG)
        self.assertIn("the plan's total is", done.stdout)
        self.file.write_text("\n".join(lines[:-1]))
        for file, what in ((self.file, "the file is incomplete"), (self.folder / "network.yaml", "the line is not JSON"),
                           (self.folder / "none", "cannot be read")):
            done = self.run_program(file)
            self.assertEqual(done.returncode, BAD_INPUT, done.stderr)
            self.assertIn(what, done.stderr)
        done = self.run_program(self.file, env={**os.environ, "TESSERA_PYTHON": "/bin/false"})
        self.assertEqual(done.returncode, BAD_INPUT)
        self.assertIn("is no Python with the package tessera and NumPy", done.stderr)

    def run_program(self, *arguments, env=None):
        return subprocess.run([support.TESSERA, "run", *map(str, arguments)], capture_output=True, text=True, check=False,
                              env=env or {**os.environ, "TESSERA_PYTHON": sys.executable})

    def test_generated_c(self):
        """A program made of commands, with loops and without, computes the same outputs."""
        compiler = os.environ.get("CC") or shutil.which("gcc") or shutil.which("cc")
        if compiler is None:
            self.skipTest("there is no C compiler")
        for network, profile, options in ((TOY, "nvdla-like", ()), (ROWS, "gap9-like", (*OF_ROWS, "--fold"))):
            with self.subTest(profile=profile):
                self.assertTrue(self.plan(network, profile, *options))
                program = self.folder / "program"
                for line in ([sys.executable, support.ROOT / "examples/codegen.py", self.file, "-o", program.with_suffix(".c")],
                             [compiler, "-std=c99", "-Wall", "-Wextra", "-Werror", "-O1", "-o", program, program.with_suffix(".c"), "-lm"],
                             [program, program.with_suffix(".bin")]):
                    done = subprocess.run(line, capture_output=True, text=True, check=False)
                    self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
                self.assertEqual(done.stdout, "equal\n")
                for index in ("i1", "i2"):
                    self.assertEqual(f"for (int64_t {index} = 0" in program.with_suffix(".c").read_text(), "--fold" in options)

    def test_folded(self):
        """Loops in loops, and commands that are like others, stand for the commands of the plain file."""
        self.assertTrue(self.plan(ROWS, "gap9-like", *OF_ROWS))
        with CommandFile(self.file) as file:
            expected = list(file.commands())
        self.assertTrue(self.plan(ROWS, "gap9-like", *OF_ROWS, "--fold"))
        text = self.file.read_text()
        self.assertGreater(text.count('{"kind":"for"'), sum(line.startswith('{"kind":"for"') for line in text.splitlines()))
        self.assertIn('"like":', text)
        with CommandFile(self.file) as file:
            self.assertEqual(list(file.commands()), expected)
        self.assertEqual(run_commands(self.file).reason, "")

    def test_damage(self):
        """Each damaged file is refused, or its outcome is right. What the interpreter refuses, the checker does, too."""
        refused, plan = 0, self.folder / "plan.json"
        for profile in ("gap9-like", "nvdla-like"):
            self.assertTrue(self.plan(TOY, profile, "-o", plan))
            lines = [json.loads(line) for line in self.file.read_text().splitlines()]
            self.assertEqual(run_commands(self.file).reason, "")
            for number in range(max(10, COUNT // 2)):
                draw = random.Random(f"{profile} {SEED} {number}")
                damaged = copy.deepcopy(lines)
                what = damage(draw, draw.choice(damaged[1:-1]))
                self.file.write_text("".join(json.dumps(line) + "\n" for line in damaged))
                with self.subTest(profile=profile, seed=SEED, number=number, what=what):
                    report = run_commands(self.file)
                    refused += report.status == "refused"
                    self.assertIn(report.status, ("equal", "refused"))
                    self.assertTrue(report.status == "equal" or self.checked(plan) != FOUND, report.reason)
        self.assertGreater(refused, COUNT // 4)
        if COUNT > 200:
            print(f"{refused} of {2 * max(10, COUNT // 2)} damaged files refused, the others harmless")


def damage(draw, command):
    """Changes one number or word of a command in place."""
    places = list(leaves(command, command))
    holder, key = draw.choice(places)
    before = holder[key]
    if isinstance(before, bool):
        holder[key] = not before
    elif isinstance(before, (int, float)):
        holder[key] = before + draw.choice([-1, 1, -8, 8, 64])
    elif isinstance(before, list):
        holder[key] = before[:-1]
    else:
        holder[key] = draw.choice(["", "x", "y", "t", "sram", "dram", "cbuf"])
    return f"{key}: {before} -> {holder[key]}"


def leaves(data, holder):
    """(container, key) of all values, and of lists such as `after`."""
    items = data.items() if isinstance(data, dict) else enumerate(data)
    for key, value in items:
        if isinstance(value, (dict, list)):
            if key == "after":
                yield data, key
            yield from leaves(value, data)
        elif value is not None:
            yield data, key


if __name__ == "__main__":
    unittest.main()
