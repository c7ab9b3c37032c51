#!/usr/bin/env python3
"""--progress json of plan and explore: its statements are true, and its clock advances."""

import json
import os
import pty
import re
import subprocess
import unittest

from support import FOUND, SLOW, TESSERA, Case, run, shown_on, strict_json

OPS = 3 if SLOW else 16
SWEEP = """tessera: sweep/1
networks: [net.yaml]
dtype: int8
hardware:
  base: ethos-u65-256
  vary:
    memories.sram.capacity: [16 KiB, 32 KiB, 64 KiB]
    engines.mac.cores: [1, 2]
effort: {tile_shapes: 0}
prune: false
"""


def network(ops):
    text = ("tessera: network/1\nname: net\ntensors: {t0: {shape: [1, 16, 64, 64], dtype: int8}}\n"
            "inputs: [t0]\nops:\n")
    for k in range(ops):
        size = 1 if k % 3 == 1 else 3
        channels = 16 + 8 * (k % 5)
        read = 16 + 8 * ((k - 1) % 5) if k else 16
        pad = [size // 2] * 4
        text += (f"  - {{name: c{k}, type: conv, inputs: [t{k}], output: t{k + 1}, "
                 f"weights: {{shape: [{channels}, {read}, {size}, {size}]}}, pad: {pad}}}\n")
    return text + f"outputs: [t{ops}]\n"


def lines(done):
    return [strict_json(line) for line in done.stderr.splitlines()]


class Progress(Case):
    def setUp(self):
        super().setUp()
        self.net = self.file("net.yaml", network(OPS))
        self.plan = ("plan", self.net, "-p", "ethos-u65-256", "--set",
                     "memories.sram.capacity=32 KiB", "--threads", "1")

    def never_worse(self, scores):
        for before, after in zip(scores, scores[1:]):
            self.assertLessEqual(after, before * (1 + 1e-12))  # summed in another order

    def test_plan(self):
        done = run(*self.plan, "--progress", "json", "--format", "json", "--timeout", "100s")
        self.assertEqual(done.returncode, FOUND, done.stderr)
        plan = json.loads(done.stdout)
        told = lines(done)
        scores = [line["best_score"] for line in told if "best_score" in line]
        self.never_worse(scores)
        self.assertAlmostEqual(scores[-1], plan["score"], places=12)
        self.assertAlmostEqual(told[-1]["bound"], plan["bound"], places=12)
        for line in told:
            self.assertAlmostEqual(line["left"] + line["seconds"], 100, delta=5)
            if "best_score" in line:
                self.assertLessEqual(line["bound"], line["best_score"] * (1 + 1e-9))
        seconds = [line["seconds"] for line in told]
        self.assertEqual(seconds, sorted(seconds))
        for before, after in zip(seconds, seconds[1:]):
            # Every second, however long a step takes, if the machine allows it.
            self.assertLess(after - before, 10 if SLOW else 3)

    def test_what_a_limit_leaves_was_told(self):
        whole = run(*self.plan, "--progress", "json", "--quiet")
        taken = lines(whole)[-1]["seconds"]
        done = run(*self.plan, "--progress", "json", "--format", "json", "--timeout",
                   f"{max(1, int(taken * 500))}ms")
        told = [line["best_score"] for line in lines(done) if "best_score" in line]
        if done.returncode == FOUND and told:
            score = json.loads(done.stdout)["score"]
            self.assertLessEqual(score, told[-1] * (1 + 1e-9))

    def test_explore(self):
        sweep = self.file("sweep.yaml", SWEEP)
        done = run("explore", sweep, "-o", self.folder / "out", "--threads", "2", "--progress",
                   "json", "--format", "json")
        self.assertEqual(done.returncode, FOUND, done.stderr)
        told = [line for line in lines(done) if "done" in line]
        counts = [line["done"] for line in told]
        self.assertEqual(counts, sorted(counts))
        self.assertEqual((counts[-1], told[-1]["candidates"]), (6, 6))
        self.assertEqual(told[-1]["left"], 0)
        scores = [line["best_score"] for line in told if "best_score" in line]
        self.never_worse(scores)
        rows = (self.folder / "out/results.csv").read_text().splitlines()
        best = min(float(row.split(",")[4]) for row in rows if ",*," in row)
        self.assertAlmostEqual(scores[-1], best, places=9)

    def test_one_line_on_a_terminal(self):
        ours, theirs = pty.openpty()
        self.addCleanup(os.close, ours)
        command = (*self.plan, "--timeout", "100s")
        with subprocess.Popen([TESSERA, *map(str, command)], stdout=subprocess.DEVNULL,
                              stderr=theirs) as process:
            os.close(theirs)
            said = shown_on(ours)
        self.assertEqual(process.returncode, FOUND)
        self.assertNotIn("\n", said)
        shown = [line.strip() for line in said.split("\r") if line.strip()]
        self.assertTrue(shown)
        for line in shown:
            self.assertRegex(line, r"^plan: .*, \d+ s, \d+ s left$")
            self.assertLess(len(line), 80)
        self.assertTrue(any(re.match(r"plan: score \d", line) for line in shown), shown)


if __name__ == "__main__":
    unittest.main()
