#!/usr/bin/env python3
"""Limits apply from the first byte read: exit code 30, a message, and no partial file."""

import json
import os
import subprocess
import time
import unittest
from random import Random

from support import (BAD_INPUT, EXAMPLES, FOUND, INFEASIBLE, SLOW, STOPPED, TESSERA, Case, run,
                     skip_what_was_left_out)

MIB = 1 << 20


@unittest.skipIf(SLOW, "a build that is not made to be fast says nothing of time and memory")
class Limits(Case):
    def call(self, *arguments, **options):
        """Returns (exit code, standard error, wall seconds, processor seconds, peak MiB)."""
        begin = time.monotonic()
        process = subprocess.Popen([TESSERA, *map(str, arguments)], stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE, text=True, **options)
        told = process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        process.stderr.close()
        skip_what_was_left_out(told)
        return (process.returncode, told, time.monotonic() - begin,
                usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)

    def every_reader(self, path):
        out = self.folder / "out"
        return (("place", path, "-c", 64, "-o", out),
                ("place", path, "--minimize", "-o", out),
                ("explain", path, "-c", 64),
                ("export", path, "-c", 64, "--to", "csv", "-o", out),
                ("export", path, "-c", 64, "--to", "dimacs", "-o", out),
                ("check", path, self.folder / "placed", "-c", 64),
                ("plan", path, "-p", "ethos-u55-like", "-o", out),
                ("tile", path, "-p", "ethos-u55-like", "--ops", "0:1"))

    def test_a_writer_who_never_writes(self):
        """A pipe that is not closed: there is nothing to read, and the limit ends the wait."""
        self.file("placed", "id,lower,upper,size,offset\na,0,1,4,0\n")
        for arguments in self.every_reader("-"):
            with self.subTest(arguments=list(map(str, arguments))):
                reader, writer = os.pipe()
                try:
                    code, told, seconds, _, _ = self.call(*arguments, "-t", "200ms", stdin=reader)
                finally:
                    os.close(reader)
                    os.close(writer)
                self.assertEqual(code, STOPPED, told)
                self.assertIn("the time limit of 200ms was reached before there was a result", told)
                self.assertGreaterEqual(seconds, 0.2)
                self.assertLess(seconds, 5)  # on a busy machine
                self.assertEqual(self.names(), ["placed"])

    def test_time_to_make_a_large_instance(self):
        code, told, _, worked, _ = self.call("generate", "random", "-n", 3000000, "-t", "100ms",
                                             "-o", self.folder / "made.csv")
        self.assertEqual(code, STOPPED, told)
        self.assertIn("the time limit of 100ms", told)
        self.assertLess(worked, 1)
        self.assertEqual(self.names(), [])

    def test_memory_to_make_and_to_read_a_large_instance(self):
        code, told, _, _, peak = self.call("generate", "random", "-n", 3000000, "--memory-limit",
                                           "64MiB", "-o", self.folder / "made.csv")
        self.assertEqual(code, STOPPED, told)
        self.assertIn("the memory limit of 64MiB was reached before there was a result", told)
        self.assertLess(peak, 1.1 * 64 + 16)
        self.assertEqual(self.names(), [])

        large = self.folder / "large.csv"
        self.ends(FOUND, "generate", "random", "-n", 300000, "-q", "-o", large)
        self.file("placed", "id,lower,upper,size,offset\na,0,1,4,0\n")
        for arguments in self.every_reader(large)[:-2]:
            with self.subTest(arguments=list(map(str, arguments))):
                code, told, _, _, peak = self.call(*arguments, "--memory-limit", "24MiB")
                self.assertEqual(code, STOPPED, told)
                self.assertIn("the memory limit of 24MiB was reached before there was a result", told)
                self.assertLess(peak, 1.1 * 24 + 16)
                self.assertEqual(self.names(), ["large.csv", "placed"])

    def test_a_formula_is_not_kept_as_text(self):
        """229 MB of clauses, written as they are generated."""
        problem, out = self.folder / "p.csv", self.folder / "p.cnf"
        self.ends(FOUND, "generate", "packable", "-n", 1500, "--seed", 3, "-q", "-o", problem)
        code, told, _, _, peak = self.call("export", problem, "-c", 1 << 20, "--to", "dimacs",
                                           "--memory-limit", "160MiB", "-o", out)
        self.assertEqual(code, FOUND, told)
        self.assertLess(peak, 160)
        self.assertGreater(out.stat().st_size, 200e6)
        with open(out, encoding="utf-8") as text:
            clauses, said = 0, None
            for line in text:
                if line.startswith("p cnf"):
                    said = int(line.split()[3])
                elif not line.startswith("c"):
                    clauses += 1
        self.assertEqual(clauses, said)

    def test_a_formula_that_ends_in_the_middle_leaves_nothing(self):
        problem = self.folder / "p.csv"
        self.ends(FOUND, "generate", "packable", "-n", 3000, "--seed", 3, "-q", "-o", problem)
        for form in ("dimacs", "smt2"):
            for limit in (("-t", "300ms"), ("--memory-limit", "40MiB")):
                with self.subTest(form=form, limit=limit):
                    code, told, _, worked, peak = self.call(
                        "export", problem, "-c", 1 << 20, "--to", form, *limit, "-o",
                        self.folder / "out")
                    self.assertEqual(code, STOPPED, told)
                    self.assertIn(f"limit of {limit[1]} was reached before there was a result", told)
                    self.assertLess(worked, 1)  # a busy machine has slower processors
                    if limit[0] != "-t":
                        self.assertLess(peak, 1.1 * 40)
                    self.assertEqual(self.names(), ["p.csv"])

    def test_many_buffers(self):
        """Checked and written within the limit, and refuted by the load of one step."""
        problem = self.folder / "p.csv"
        made = self.ends(FOUND, "generate", "random", "-n", 100000, "--seed", 7, "-o", problem)
        load = int(made.stderr.split("--capacity ")[1])
        out = self.folder / "out.json"
        code, told, _, worked, _ = self.call("place", problem, "--minimize", "--threads", 1, "-t",
                                             "4s", "-q", "-o", out)
        self.assertLess(worked, 4 * 1.1 + 0.1)
        if code == STOPPED:
            self.skipTest("the machine is so busy that four seconds give no placement")
        self.assertEqual(code, FOUND, told)
        self.ends(FOUND, "check", problem, out, "-c", "1 TiB")
        for command in ("explain", "place"):
            code, told, _, worked, _ = self.call(command, problem, "-c", load // 2, "-t", "10s")
            self.assertEqual(code, INFEASIBLE, told)
            self.assertLess(worked, 2)

    def test_memory_of_many_buffers_that_live_shortly(self):
        """Data shared between rounds of placing: a node limit is the same amount of work on any machine."""
        draw, count = Random(5), 60000
        rows = []
        for k in range(count):
            lower = draw.randrange(count)
            rows.append(f"b{k},{lower},{lower + 1 + int(draw.expovariate(1e-3))},"
                        f"{int(2 ** draw.uniform(4, 14))}\n")
        problem = self.file("p.csv", "id,lower,upper,size\n" + "".join(rows))
        code, told, _, _, peak = self.call("place", problem, "--minimize", "--max-nodes", 1,
                                           "--threads", 2, "-q", "-o", self.folder / "out.json")
        self.assertEqual(code, FOUND, told)
        self.assertLess(peak, 2000 * count / MIB)

    def test_many_gaps(self):
        """A dozen buffers with twenty thousand live intervals."""
        gaps = " ".join(f"{3 * k + 1}-{3 * k + 2}" for k in range(19000))
        problem = self.file("gaps.csv", "id,lower,upper,size,gaps\n" + "".join(
            f"b{b},0,60000,{51 + 13 * b % 40},{gaps}\n" for b in range(12)))
        for command in (("explain", problem, "-c", 700), ("place", problem, "-e", "sat", "-c", 700),
                        ("place", problem, "-e", "smt", "-c", 700)):
            with self.subTest(command=command[0]):
                code, told, _, worked, _ = self.call(*command, "-t", "500ms")
                self.assertIn(code, (FOUND, INFEASIBLE, STOPPED), told)
                self.assertLess(worked, 1.5)

    def test_a_second_solver_is_foreseen(self):
        """The formula just fits into memory; the solver's data does not."""
        random = Random(5)
        problem = self.folder / "p.csv"
        with open(problem, "w", encoding="utf-8") as file:
            file.write("id,lower,upper,size\n")
            for b in range(2500):
                lower = random.randint(0, 290)
                file.write(f"b{b},{lower},{lower + random.randint(1, 30)},"
                           f"{random.randint(16, 512)}\n")
        code, told, _, _, peak = self.call("place", problem, "-c", 200000, "-e", "sat", "-q", "-t",
                                           "20s", "--memory-limit", "150MiB")
        self.assertEqual(code, STOPPED, told)
        self.assertLess(peak, 1.1 * 150 + 16)

    def test_the_longest_axes(self):
        """Bounds of a plan need no table of an axis, and costs are computed without one."""
        for name, shape, op in (
                ("rows", [1, 1, 1 << 30, 1024], "type: relu"),
                ("channels", [1, 8, 14, 32],
                 "type: resize, shape: [1, 1073741824, 14, 32], mode: nearest")):
            with self.subTest(name):
                network = self.file("n.yaml", f"""tessera: network/1
name: n
tensors: {{x: {{shape: {shape}, dtype: int8}}}}
inputs: [x]
ops:
  - {{name: r, {op}, inputs: [x], output: z}}
outputs: [z]
""")
                code, told, _, worked, peak = self.call(
                    "plan", network, "-p", "ethos-u55-like", "-q", "-t", "200ms", "-o",
                    self.folder / "out")
                self.assertIn(code, (FOUND, INFEASIBLE, STOPPED), told)
                self.assertLess(worked, 1)
                self.assertLess(peak, 512)

    def test_many_tiles_along_one_axis(self):
        """There are as many tiles as elements on the axis, and most of them differ."""
        network = self.file("n.yaml", """tessera: network/1
name: n
tensors: {x: {shape: [1, 8, 32, 32], dtype: int8}}
inputs: [x]
ops:
  - {name: c, type: conv, inputs: [x], output: t, weights: {shape: [16, 8, 3, 3]}, pad: [1, 1, 1, 1]}
  - {name: p, type: max_pool, inputs: [t], output: u, kernel: [2, 2], stride: [2, 2]}
  - {name: s, type: slice, inputs: [u], output: v, axes: [2], begins: [1], steps: [2], extents: [7]}
  - {name: r, type: resize, inputs: [v], output: z, shape: [1, 1073741824, 14, 32], mode: nearest}
outputs: [z]
""")
        profile = self.file("p.yaml", """tessera: hardware/1
name: p
clock: 500 MHz
engines:
  mac: {kind: mac_array, unroll: {C: 16, K: 16}, dtype: int8, energy: 0.23 pJ}
  vec: {kind: vector, lanes: 16, cycles_per_vector: {default: 1}, energy: 0.1 pJ}
memories:
  sram: {capacity: 512 KiB, alignment: 16, energy: {read: 1.63 pJ/B, write: 1.48 pJ/B}}
  dram: {offchip: true, bandwidth: 4 GB/s, burst: 64 B, latency: 100, energy: 64 pJ/B}
dma: {channels: 1, outstanding: 8, setup: 40}
tiling: {double_buffer: [false, true], weights: [resident, refetch], halo: [recompute]}
""")
        code, told, _, worked, peak = self.call("plan", network, "-p", profile, "-q", "-t",
                                                "300ms", "-o", self.folder / "out")
        self.assertIn(code, (FOUND, STOPPED), told)
        self.assertLess(worked, 1)
        self.assertLess(peak, 400)
        code, told, _, _, peak = self.call("tile", network, "-p", profile, "--ops", "0:3",
                                           "--memory-limit", "200MiB", "-t", "20s")
        self.assertEqual(code, STOPPED, told)
        self.assertLess(peak, 1.1 * 200 + 16)

    def test_every_largest_tile(self):
        """2.6 million shapes; the minimum number of tiles is proved before the list is made."""
        out = self.folder / "tiles.json"
        code, told, _, worked, _ = self.call("tile", EXAMPLES / "fsrcnn_x2_360p.onnx", "--dtype", "int8", "--ops", "0", "-p",
                                             "ethos-u55-like", "-c", "128 KiB", "--all", "-o", out)
        self.assertEqual(code, FOUND, told)
        self.assertLess(worked, 3)  # seconds; 0.2 on a quiet machine
        tile = json.loads(out.read_text())
        self.assertEqual((tile["stop"], tile["tiles"]["count"], tile["tiles"]["proven_largest"]), ("completed", 119, True))
        self.assertGreater(len(tile["all"]), 400)

    def test_weights_that_come_from_behind(self):
        """A plan of a deep network with a backing memory for its weights is finalised within the limit."""
        ops, last, made = [], "x", 64
        for block in range(27):
            width, inputs = 64 << block // 9, made
            made = 4 * width
            for k, (out, channels, kernel) in enumerate(((width, inputs, 1), (width, width, 3), (made, width, 1))):
                ops.append(f"  - {{name: c{block}_{k}, type: conv, inputs: [{last}], output: t{block}_{k}, "
                           f"weights: {{shape: [{out}, {channels}, {kernel}, {kernel}]}}, pad: {[kernel // 2] * 4}}}\n")
                last = f"t{block}_{k}"
        network = self.file("deep.yaml", "tessera: network/1\nname: deep\ntensors: {x: {shape: [1, 64, 28, 28], dtype: int8}}\n"
                                         f"inputs: [x]\nops:\n{''.join(ops)}outputs: [{last}]\n")
        out = self.folder / "plan.json"
        code, told, _, worked, _ = self.call("plan", network, "-p", "gap9-ram-like", "-q", "-t", "1s", "--threads", 1, "-o", out)
        self.assertIn(code, (FOUND, STOPPED), told)
        self.assertLess(worked, 1.2)

    def test_many_ops(self):
        """The output for each group does not scan the whole network again."""
        ops = "".join(f"  - {{name: r{k}, type: relu, inputs: [t{k}], output: t{k + 1}}}\n" for k in range(15000))
        network = self.file("n.yaml", "tessera: network/1\nname: n\ntensors: {t0: {shape: [1, 4, 8, 8], dtype: int8}}\n"
                                      f"inputs: [t0]\nops:\n{ops}outputs: [t15000]\n")
        code, told, _, worked, _ = self.call("plan", network, "-p", "ethos-u55-like", "-q", "--layer-by-layer", "-o",
                                             self.folder / "plan.json")
        self.assertEqual(code, FOUND, told)
        self.assertLess(worked, 10)  # 25 seconds with a scan per group, 1 without

    def test_limits_that_are_none(self):
        for command in (("generate", "random"), ("export", "-", "--to", "csv")):
            for limit in (("-t", "soon"), ("--memory-limit", "0"), ("--memory-limit", "-1")):
                with self.subTest(command=command, limit=limit):
                    self.ends(BAD_INPUT, *command, *limit, stdin="")

    def test_limits_that_are_far_away(self):
        made = self.folder / "made.csv"
        self.ends(FOUND, "generate", "random", "-n", 20, "-t", "1h", "--memory-limit", "4GiB",
                  "-o", made)
        self.ends(FOUND, "export", made, "--to", "yaml", "-t", "1h", "--memory-limit", "4GiB")


if __name__ == "__main__":
    unittest.main()
