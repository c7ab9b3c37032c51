"""Shared by tests of plans: plans the program makes, and recomputed by second_plan.py."""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest

from second_machine import Machine
from second_network import Network
from second_plan import Plan
from second_reader import Yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
TESSERA = os.environ.get("TESSERA", str(ROOT / "build/release/cli/tessera"))
SLOW = os.environ.get("TESSERA_SLOW") == "1"
COUNT = int(os.environ.get("TESSERA_RANDOM_COUNT", "20" if SLOW else "80"))
SEED = int(os.environ.get("TESSERA_RANDOM_SEED", "1"))
FOUND, INFEASIBLE, STOPPED = 0, 20, 30


class Compare(unittest.TestCase):
    def plan(self, network, profile, *options):
        """The plan, or None if there is none."""
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "network.yaml"
            file.write_text(network)
            if "\n" in profile:
                (pathlib.Path(folder) / "machine.yaml").write_text(profile)
                profile = str(pathlib.Path(folder) / "machine.yaml")
            done = subprocess.run([TESSERA, "plan", str(file), "--profile", profile, "--format", "json", "--threads", "1",
                                   "--timeout", "60s" if SLOW else "5s", *options],
                                  capture_output=True, text=True, check=False)
        self.assertIn(done.returncode, (FOUND, INFEASIBLE, STOPPED), done.stderr)
        return json.loads(done.stdout) if done.returncode == FOUND else None

    def planned(self, network, machine, *options, shapes="8"):
        """Plans a random network on a random machine and recomputes the plan; None without a plan. With
        shapes "0" it is fast, and uses the fewest tiles."""
        plan = self.plan(network.text, machine.text, "--tile-shapes", shapes, *options)
        return self.compare(Network(network.text), Machine(Yaml(machine.text).whole()), plan) if plan else None

    def compare(self, network, machine, plan):
        mine = Plan(network, machine, plan)
        for run, theirs in zip(mine.runs, plan["subgraphs"]):
            metrics, what = theirs["metrics"], f"ops {theirs['first_op']} to {theirs['last_op']}"
            self.assertEqual(run.cycles, metrics["latency_cycles"], what)
            self.assertEqual(run.bytes, metrics["dram_bytes"], what)
            self.same(run.energy, metrics["energy_pj"], what)
            self.assertEqual(run.switched, theirs["mode_switches"], what)
            self.assertIsNone(run.overwritten(theirs), what)
        if machine.behind:
            said = plan["behind"]
            self.assertEqual(mine.named, mine.wanted)
            self.assertEqual(mine.fetches, [(f["room"], f["bytes"], f["begin"], f["end"]) for f in said["fetches"]])
            self.assertEqual(mine.begins, said["begins"])
            self.assertEqual((mine.moved, mine.waited), (said["bytes"], said["waiting_cycles"]))
            self.same(mine.fetch_energy, said["energy_pj"], "what comes from behind")
        self.assertEqual(mine.cycles, plan["totals"]["latency_cycles"])
        self.assertEqual(sum(run.bytes for run in mine.runs), plan["totals"]["dram_bytes"])
        self.same(mine.energy, plan["totals"]["energy_pj"], "totals")
        return mine

    def same(self, mine, theirs, what):
        """The program adds floating-point numbers in another order."""
        self.assertLessEqual(abs(float(mine) - theirs), 1e-12 * abs(theirs), what)
