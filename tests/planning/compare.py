"""Shared by tests of plans: plans the program makes, and recomputed by second_plan.py."""

import collections
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

from second_account import PARTS, flat
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
                                   "--proof-shapes", "0", "--timeout", "60s" if SLOW else "5s", *options],
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
        self.compare_accounts(machine, mine, plan)
        return mine

    def compare_accounts(self, machine, mine, plan):
        """Accounts of ops equal the recomputed ones; groups and the plan are their sums, and their metrics."""
        total = collections.Counter()
        for run, group in zip(mine.runs, plan["subgraphs"]):
            group_sum, what = collections.Counter(), f"account of ops {group['first_op']} to {group['last_op']}"
            for layer, number in zip(plan["layers"][group["first_op"]:], run.accounts):
                said, energy = flat(layer["account"], machine)
                run.accounts[number]["static_pj"] = machine.static * layer["cycles"]
                self.equal(run.accounts[number], said, f"{what}, {layer['op']}")
                self.same_to(energy, layer["energy_pj"], what)
                self.assertEqual(self.off_chip(machine, said), layer["offchip_bytes"], what)
                group_sum.update(run.accounts[number])
            said, energy = flat(group["account"], machine)
            self.equal(group_sum, said, what)
            self.same_to(energy, group["metrics"]["energy_pj"], what)
            self.assertEqual(self.off_chip(machine, said), group["metrics"]["dram_bytes"], what)
            self.same_to(said["ideal_cycles"], group["account"]["utilisation"] * group["metrics"]["latency_cycles"], what)
            total.update(group_sum)
        said, energy = flat(plan["account"], machine)
        self.same_to(energy, plan["totals"]["energy_pj"], "account of the plan")
        self.assertEqual(self.off_chip(machine, said), plan["totals"]["dram_bytes"])
        if machine.behind:
            for way, word in enumerate(("read", "write")):
                for name, access in (machine.behind.name, word), (machine.offchip[0].name, ("write", "read")[way]):
                    fetched = sum(said.pop((name, "fetch", operand, access), 0) for operand in ("input", "weights", "output"))
                    self.assertEqual(mine.fetched_bytes[way], fetched, (name, access))
        self.equal(total, said, "account of the plan")

    def equal(self, mine, said, what):
        for key in mine.keys() | said.keys():
            if key in PARTS or any(word in key for word in ("weights",)):  # encoded weights are not whole bytes
                self.same_to(mine[key], said[key], (what, key))
            else:
                self.assertEqual(mine[key], said[key], (what, key))

    @staticmethod
    def off_chip(machine, said):
        return sum(moved for key, moved in said.items()
                   if key not in PARTS and machine.memories[key[0]].offchip and key[1] != "fetch")

    def same_to(self, mine, theirs, what):
        """Sums of many floating-point numbers."""
        self.assertLessEqual(abs(float(mine) - theirs), 1e-9 * (1e-9 + abs(theirs)), what)

    def same(self, mine, theirs, what):
        """The program adds floating-point numbers in another order."""
        self.assertLessEqual(abs(float(mine) - theirs), 1e-12 * abs(theirs), what)
