#!/usr/bin/env python3
"""explore: bad sweeps, a run and its files, killed and resumed, two at once on one store."""

import csv
import json
import random
import signal
import subprocess
import time
import unittest

from support import BAD_INPUT, FOUND, ROOT, SLOW, STOPPED, TESSERA, Case, plain_signals, start, strict_json

NETWORK = """tessera: network/1
name: toy
tensors: {x: {shape: [1, 32, 28, 28], dtype: int8}}
inputs: [x]
ops:
  - {name: c1, type: conv, inputs: [x], output: t, weights: {shape: [64, 32, 3, 3]}, pad: [1, 1, 1, 1]}
  - {name: r1, type: relu, inputs: [t], output: r}
  - {name: c2, type: conv, inputs: [r], output: u, weights: {shape: [64, 64, 3, 3]}, pad: [1, 1, 1, 1]}
  - {name: c3, type: conv, inputs: [u], output: v, weights: {shape: [64, 64, 1, 1]}}
  - {name: a1, type: add, inputs: [v, r], output: y}
outputs: [y]
"""

# From 16 KiB to 256 KiB; fewer steps in a slow build.
CAPACITIES = 4 if SLOW else 7
SWEEP = """tessera: sweep/1
networks: [{file: toy.yaml, weight: 2}]
hardware:
  base: ethos-u55-like
  vary:
    memories.sram.capacity: {from: 16 KiB, to: 256 KiB, step: STEP KiB}
    engines.mac.cores: [1, 2, 4]
    memories.dram.bandwidth: [1 B/cycle, 2 B/cycle]
  where: ["memories.sram.capacity >= 32 KiB or engines.mac.cores == 1"]
objective: {latency: 0.5, energy: 0.5}
effort: {tile_shapes: 0}
""".replace("STEP", str(240 // (CAPACITIES - 1)))


def rows_of(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


class Explore(Case):
    def setUp(self):
        super().setUp()
        self.file("toy.yaml", NETWORK)

    def sweep(self, old="", new="", more=""):
        self.assertIn(old, SWEEP)
        return self.file("sweep.yaml", SWEEP.replace(old, new) + more)

    def test_bad_sweeps_name_the_line_and_run_nothing(self):
        cases = [
            ("objective:", "objektive:", 10, "did you mean `objective`?"),
            ("sram.capacity: {from", "sram.capacty: {from", 6, "did you mean `memories.sram.capacity`?"),
            ("[1, 2, 4]", "[]", 7, "remove the key"),
            ("from: 16 KiB", "from: 512 KiB", 6, "is empty"),
            ("toy.yaml", "gone.yaml", 2, "gone.yaml"),
            ("ethos-u55-like", "ethos-u55-lika", 4, "ethos-u55-lika"),
            (">= 32 KiB or engines.mac.cores == 1", ">= 32 MiB", 9, "no candidate satisfies every condition"),
            (">= 32 KiB or", ">= 32 KiB orr", 9, "has a syntax error"),
            ("engines.mac.cores == 1", "engines.mac.coers == 1", 9, "did you mean `engines.mac.cores`?"),
            ("engines.mac.cores:", "objective.latency:", 7, "is not a key of a machine"),
            ("latency: 0.5", "latencyy: 0.5", 10, "did you mean `latency`?"),
            ("weight: 2", "weight: 0", 2, "more than 0"),
            ("weight: 2", "weight: 1e308", 2, "at most 1e12"),
            ("latency: 0.5", "latency: 1e308", 10, "at most 1e12"),
            ("weight: 2", "weight: 2, name: a/b", 2, "invalid network name `a/b`"),
            (">= 32 KiB or", ">= 32 MHz or", 9, "bytes on the left of >= and Hz"),
        ]
        for old, new, line, said in cases:
            with self.subTest(new):
                path = self.sweep(old, new)
                done = self.ends(BAD_INPUT, "explore", path, "-o", self.folder / "out")
                self.assertTrue(done.stderr.startswith(f"{path}:{line}: "), done.stderr)
                self.assertIn(said, done.stderr)
                self.assertFalse((self.folder / "out").exists())
        path = self.sweep("engines.mac.cores: [1, 2, 4]", "engines.mac.cores: [0, -1]")
        done = self.ends(BAD_INPUT, "explore", path, "-o", self.folder / "out")
        self.assertIn("no candidate", done.stderr)

    def test_files(self):
        path = self.sweep("effort: {tile_shapes: 0}\n")  # that of a sweep without the key
        done = self.ends(FOUND, "explore", path, "-o", self.folder / "out")
        self.assertIn("candidates", done.stdout)
        out = self.folder / "out"
        rows = rows_of(out / "results.csv")
        self.assertEqual(
            list(rows[0]),
            ["memories.sram.capacity", "engines.mac.cores", "memories.dram.bandwidth", "network", "status",
             "score", "bound", "latency_cycles", "latency_ms", "energy_pj", "dram_bytes", "peak_bytes",
             "area", "reason"])
        self.assertEqual(len(rows), 2 * (CAPACITIES * 6 - 4))
        self.assertEqual([row["network"] for row in rows[:4]], ["toy", "*", "toy", "*"])
        known = {"proved", "excluded"}
        self.assertLessEqual({row["status"] for row in rows}, known)
        for row in rows:
            if row["status"] == "proved":
                self.assertEqual(row["score"], row["bound"])
            else:
                self.assertTrue(row["reason"])
        summary = strict_json((out / "summary.json").read_text())
        self.assertEqual(summary["candidates"], len(rows) // 2)
        self.assertEqual(summary["stop"], "completed")
        front = rows_of(out / "pareto.csv")
        self.assertEqual(len(front), summary["pareto"])
        best = min((row for row in rows if row["network"] == "*" and row["score"]),
                   key=lambda row: float(row["score"]))
        plan = out / "plans" / f"{summary['best']}-toy.json"
        machine = out / "plans" / f"{summary['best']}.yaml"
        self.assertAlmostEqual(json.loads(plan.read_text())["score"], float(best["score"]))
        self.ends(FOUND, "check", self.folder / "toy.yaml", plan, "--profile", machine)

    def test_a_limit_that_comes_while_networks_are_read(self):
        network = ROOT / "examples" / "fsrcnn_x2_360p.onnx"
        path = self.file("slow.yaml", f"tessera: sweep/1\nnetworks: [{network}]\nhardware: {{base: ethos-u55-like}}\n")
        done = self.ends(STOPPED, "explore", path, "-o", self.folder / "out", "--timeout", "1us")
        # On a slow machine it comes while the sweep is read.
        self.assertIn(done.stderr, (f"{network}: the time limit was reached before the network was read\n",
                                    "tessera: the time limit of 1us was reached before there was a result\n"))
        self.assertFalse((self.folder / "out").exists())

    def test_a_candidate_that_fails_is_a_row(self):
        path = self.sweep("engines.mac.cores: [1, 2, 4]", "engines.mac.cores: [1, 0]")
        told = self.ends(FOUND, "explore", path, "-o", self.folder / "out").stdout
        self.assertRegex(told, r"(?m)^First failed candidate: .*engines\.mac\.cores=0\b.*: .*must be between")
        rows = rows_of(self.folder / "out" / "results.csv")
        failed = [row for row in rows if row["engines.mac.cores"] == "0"]
        self.assertTrue(failed)
        for row in failed:
            self.assertEqual(row["status"], "failed")
            self.assertIn("cores", row["reason"])

    def test_what_does_not_fit_is_a_row(self):
        path = self.sweep(f"{{from: 16 KiB, to: 256 KiB, step: {240 // (CAPACITIES - 1)} KiB}}", "[64 B, 64 KiB]")
        where = '  where: ["memories.sram.capacity >= 32 KiB or engines.mac.cores == 1"]\n'
        path.write_text(path.read_text().replace(where, ""))
        self.ends(FOUND, "explore", path, "-o", self.folder / "out")
        rows = rows_of(self.folder / "out" / "results.csv")
        for row in rows:
            if row["memories.sram.capacity"] == "64 B":
                self.assertEqual(row["status"], "infeasible")
                self.assertIn("with any tile", row["reason"])

    def test_an_extended_sweep_plans_what_is_new(self):
        store = self.folder / "store.sqlite"
        path = self.sweep(more="prune: false\n")
        self.ends(FOUND, "explore", path, "-o", self.folder / "a", "--store", store)
        path = self.sweep("[1, 2, 4]", "[1, 2, 3, 4]", more="prune: false\n")
        self.ends(FOUND, "explore", path, "-o", self.folder / "b", "--store", store)
        summary = json.loads((self.folder / "b" / "summary.json").read_text())
        self.assertEqual(summary["plans"]["made"], 2 * (CAPACITIES - 1))
        self.ends(FOUND, "explore", path, "-o", self.folder / "c", "--no-store")
        self.same(self.folder / "b", self.folder / "c")

    def same(self, a, b):
        for name in ("results.csv", "pareto.csv"):
            self.assertEqual((a / name).read_text(), (b / name).read_text())

    def test_little_work_comes_to_the_same_in_any_order(self):
        network = ROOT / "../shared/models/tflite/mlperf_dscnn_kws_int8.tflite"
        if not network.is_file():
            self.skipTest("../shared/models is not there")
        text = ("tessera: sweep/1\nnetworks: [{file: NETWORK, name: kws}]\nhardware:\n  base: ethos-u55-128\n"
                "  vary:\n    memories.sram.capacity: [32 KiB]\n    engines.mac.cores: CORES\n"
                "effort: {work: 20}\nprune: false\n").replace("NETWORK", str(network.resolve()))
        found = set()
        for cores in ([1, 2, 4], [4, 2, 1], [2], [1], [4]):
            path = self.file("little.yaml", text.replace("CORES", str(cores)))
            self.ends(FOUND, "explore", path, "-o", self.folder / "out", "--no-store")
            found |= {tuple(row.values()) for row in rows_of(self.folder / "out" / "results.csv")}
        # One row of the network and one of the set for each machine, in any order of planning.
        self.assertEqual(len(found), 6, found)

    def test_what_another_sweep_left_goes(self):
        folder = self.folder / "out"
        self.ends(FOUND, "explore", self.sweep(), "-o", folder)
        before = {path.name for path in (folder / "plans").iterdir()}
        (folder / "plans" / "notes.yaml").write_text("mine\n")
        (folder / "modes.csv").write_text("older\n")
        self.ends(FOUND, "explore", self.sweep("cores: [1, 2, 4]", "cores: [1]"), "-o", folder)
        after = {path.name for path in (folder / "plans").iterdir()}
        self.assertLess(len(after), len(before))
        self.assertIn("notes.yaml", after)
        self.assertFalse((folder / "modes.csv").exists())
        candidates = {row["engines.mac.cores"] for row in rows_of(folder / "results.csv")}
        self.assertEqual(candidates, {"1"})

    def test_references_are_made_whatever_the_work(self):
        path = self.sweep("tile_shapes: 0", "tile_shapes: 0, work: 1", more="reference: nvdla-like\n")
        done = self.ends(FOUND, "explore", path, "-o", self.folder / "out", "--no-store")
        self.assertNotIn("Stopped", done.stdout)

    def test_killed_at_any_moment_it_goes_on(self):
        path = self.sweep(more="prune: false\n")
        began = time.monotonic()
        self.ends(FOUND, "explore", path, "-o", self.folder / "whole", "--no-store")
        whole = time.monotonic() - began
        moments = random.Random(17)
        out = self.folder / "killed"
        for _ in range(10):
            process = subprocess.Popen(
                [TESSERA, "explore", path, "-o", out], preexec_fn=plain_signals,
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(moments.uniform(0, whole / 4))
            process.send_signal(signal.SIGKILL)
            process.wait()
        self.ends(FOUND, "explore", path, "-o", out)
        self.same(self.folder / "whole", out)
        # A complete file has this name between its naming and its renaming.
        left = [p.name for p in out.iterdir() if p.name.endswith(".part")]
        self.assertLessEqual(len(left), 1, left)

    def test_interrupted_it_says_so_and_goes_on(self):
        path = self.sweep(more="prune: false\n")
        process = start("explore", path, "-o", self.folder / "out", "--threads", "1")
        time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        process.communicate()
        self.assertIn(process.returncode, (0, 128 + signal.SIGINT))
        self.ends(FOUND, "explore", path, "-o", self.folder / "out")
        self.ends(FOUND, "explore", path, "-o", self.folder / "whole", "--no-store")
        self.same(self.folder / "whole", self.folder / "out")

    def test_two_processes_share_a_store(self):
        path = self.sweep(more="prune: false\n")
        store = self.folder / "store.sqlite"
        outs = [self.folder / "a", self.folder / "b"]
        both = [start("explore", path, "-o", out, "--store", store) for out in outs]
        for process in both:
            said = process.communicate()
            self.assertEqual(process.returncode, FOUND, said)
        self.ends(FOUND, "explore", path, "-o", self.folder / "alone", "--no-store")
        for out in outs:
            self.same(self.folder / "alone", out)

    def test_a_store_that_is_none(self):
        path = self.sweep()
        store = self.file("store.txt", "x" * 5000)
        done = self.ends(BAD_INPUT, "explore", path, "-o", self.folder / "out", "--store", store)
        self.assertIn("--store", done.stderr)
        self.assertEqual(store.read_text(), "x" * 5000)


if __name__ == "__main__":
    unittest.main()
