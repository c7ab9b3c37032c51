#!/usr/bin/env python3
"""Executes the commands of networks on machines, with each variant of tiling forced in turn.

    TESSERA_PYTHON=python3 PYTHONPATH=build/release/python bench/execute_networks.py --ours build/release/cli/tessera \\
        --networks MODELS/squeezenet1_1.onnx MODELS/tflite/*.tflite --scale MODELS/fsrcnn_x2_360p.onnx=4

Each plan is judged twice: `check` follows every byte, and `run` compares all outputs with the network, layer by layer, and
cycles and bytes with the plan. A row per variant and a column per machine: plans that are right / plans, and the number of
groups (pins and fetches: of tensors) that use the variant. `--scale` divides the height and width of all tensors.
"""

import argparse
import collections
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

FOUND, BAD_INPUT = 0, 2
UNSUPPORTED = "--commands does not support"


def many(group):
    return group["tiles"]["count"] > 1


def tiled(key, value):
    """Groups of several tiles with this value in their variant."""
    return lambda plan: sum(many(g) and g["variant"].get(key) == value for g in plan["subgraphs"])


def lists(key):
    return lambda plan: sum(key in g for g in plan["subgraphs"])


def halo(*values, **more):
    return {"tiling.halo": f"[{', '.join(values)}]", **more}


# An objective for which many small tiles are best.
SMALL = ("--max-ops", "1", "--residency", "off", "--weight", "peak_memory=0.7", "--weight", "latency=0.3")
# Name, keys of the profile, options, groups that use it.
VARIANTS = (
    ("as shipped", {}, (), lambda plan: len(plan["subgraphs"])),
    ("single ops", {}, ("--max-ops", "1"), lambda plan: len(plan["subgraphs"])),
    ("one buffer", {"tiling.double_buffer": "[false]", "tiling.engines": "in_turn"}, (), tiled("double_buffer", False)),
    ("two copies", {"tiling.double_buffer": "[true]", "tiling.one_copy": "[none]"}, (), tiled("double_buffer", True)),
    ("one copy of some buffers", {"tiling.double_buffer": "[true]", "tiling.one_copy": "[inputs, outputs, weights, inputs+outputs]",
                                  "tiling.engines": "in_turn"}, SMALL,
     lambda plan: sum(many(g) and g["variant"].get("one_copy", "none") != "none" for g in plan["subgraphs"])),
    ("recomputed halos", halo("recompute"), (), tiled("halo", "recompute")),
    ("line buffers", halo("keep", **{"tiling.engines": "in_turn"}), (), tiled("halo", "keep")),
    ("line buffers, columns too", halo("keep_columns", **{"tiling.kept_halos": "copied", "tiling.engines": "in_turn"}), (), tiled("halo", "keep_columns")),
    ("refetched weights", {"tiling.weights": "[refetch]", "tiling.early": "none"}, (), tiled("weights", "refetch")),
    ("stationary weights", {"tiling.stationary": "[weights]", "tiling.weights": "[refetch]", "tiling.early": "none", "tiling.engines": "in_turn"},
     SMALL, tiled("stationary", "weights")),
    ("stationary inputs", {"tiling.stationary": "[inputs]", "tiling.weights": "[refetch]", "tiling.early": "none", "tiling.engines": "in_turn"},
     SMALL, tiled("stationary", "inputs")),
    ("no residency", {}, ("--residency", "off"), lambda plan: len(plan["subgraphs"])),
    ("residency, also of rows", {"tiling.stay": "rows"}, ("--residency", "on"), lambda plan: lists("kept")(plan) + lists("kept_rows")(plan)),
    ("weight prefetch", {"tiling.early": "weights", "tiling.weights": "[resident, refetch]"}, (), lists("early")),
    ("pinned weights", {"tiling.pinned": "weights"}, (), lambda plan: len(plan.get("pinned", ()))),
    ("split reductions", {"tiling.reduction": "[2, 3]", "tiling.engines": "in_turn"}, SMALL,
     lambda plan: sum(g["variant"].get("reduction", 1) > 1 for g in plan["subgraphs"])),
    ("pipelined stages", {"tiling.engines": "side_by_side", "tiling.double_buffer": "[true]", "tiling.halo": "[recompute]"}, (),
     lambda plan: sum(many(g) and g["variant"].get("trailing", 0) > 0 for g in plan["subgraphs"])),
    ("concatenations in place", {"tiling.concat": "in_place"}, ("--residency", "off"), lambda plan: len(plan.get("joined", ()))),
    ("copied concatenations", {"tiling.concat": "copied"}, ("--residency", "off"), lambda plan: len(plan["subgraphs"])),
)
BACKING = "backing memory"
FRONT_SHARES = (0.5, 0.65, 0.8, 1, 1.3)  # of the off-chip bytes without a backing memory; less is streamed


class Runs:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.file, self.plan = folder / "commands.jsonl", folder / "plan.json"
        self.seen = collections.Counter()
        self.wrong = []

    def network(self, given):
        """The file of a network, scaled if it is `FILE=N`."""
        path, _, scale = given.partition("=")
        made = self.folder / (pathlib.Path(path).stem + ".yaml")
        options = () if path.endswith(".tflite") else ("--dtype", "int8")
        subprocess.run([self.options.ours, "import", path, "-q", "-o", made, *options], check=True)
        if scale:
            shape = re.compile(r"(?<=shape: \[)1, (\d+), (\d+), (\d+)(?=\])(?!.*kind: weight)")
            smaller = shape.sub(lambda m: f"1, {m[1]}, {int(m[2]) // int(scale)}, {int(m[3]) // int(scale)}", made.read_text())
            made.write_text(smaller)
        return made

    def planned(self, network, profile, keys, more):
        """The plan with its commands in place; text: why there is none."""
        sets = [word for key, value in keys.items() for word in ("--set", f"{key}={value}")]
        done = subprocess.run([self.options.ours, "plan", network, "-p", profile, "-q", "--effort", self.options.effort, "-t", self.options.timeout,
                               "--threads", "1", "-o", self.plan, "--commands", self.file, *more, *sets], capture_output=True, text=True, check=False)
        if done.returncode == FOUND:
            return json.loads(self.plan.read_text())
        if done.returncode == BAD_INPUT and UNSUPPORTED not in done.stderr:
            return "excluded: " + done.stderr.splitlines()[0]
        return "not supported" if done.returncode == BAD_INPUT else "no plan"

    def judge(self, what):
        """Both verdicts on the commands in place."""
        checked = subprocess.run([self.options.ours, "check", self.plan, self.file], capture_output=True, text=True, check=False)
        done = subprocess.run([self.options.ours, "run", self.file, "--format", "json"], capture_output=True, text=True, check=False,
                              env={"TESSERA_PYTHON": sys.executable, **os.environ})
        report = json.loads(done.stdout) if done.stdout else {"status": "stopped", "reason": done.stderr}
        right = checked.returncode == FOUND and report["status"] == "equal"
        self.seen["plans"] += 1
        self.seen["commands"] += report.get("commands", 0)
        self.seen["elements"] += report.get("elements", 0)
        if not right:
            self.wrong.append(f"{what}: {checked.stdout.splitlines()[:1]} {report['status']}: {report.get('reason')}")
            print(self.wrong[-1], file=sys.stderr, flush=True)
        return right

    def cell(self, networks, profile, keys, more, uses):
        right = plans = used = 0
        for network in networks:
            plan = self.planned(network, profile, keys, more)
            if isinstance(plan, str):
                self.seen[plan] += 1
                continue
            plans += 1
            used += uses(plan)
            right += self.judge(f"{network.stem} on {profile}, {keys} {' '.join(more)}")
        return f"{right}/{plans} ({used})"

    def backing(self, networks, profile):
        """The off-chip memory holds a part of what it holds otherwise, and a backing memory all weights."""
        right = plans = used = 0
        for network in networks:
            if isinstance(self.planned(network, profile, {}, ()), str):
                continue
            with open(self.file, encoding="utf-8") as lines:
                outside = [m for m in json.loads(lines.readline())["memories"] if m.get("offchip")]
            if len(outside) != 1:
                continue
            name, size = outside[0]["name"], outside[0]["size"]
            behind = f"{{offchip: true, behind: {name}, bandwidth: 400 MB/s, burst: 64 B, latency: 100}}"
            for share in FRONT_SHARES:
                keys = {f"memories.{name}.capacity": f"{int(share * size) // 64 * 64} B", "memories.behind": behind, "tiling.early": "none",
                        "tiling.engines": "in_turn"}
                plan = self.planned(network, profile, keys, ())
                if not isinstance(plan, str):
                    break
                self.seen[plan] += 1
            else:
                continue
            plans += 1
            used += len(plan["behind"].get("fetches", ()))
            right += self.judge(f"{network.stem} on {profile}, {BACKING}")
        return f"{right}/{plans} ({used})"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ours", required=True, metavar="PROGRAM")
    parser.add_argument("--networks", nargs="*", default=[])
    parser.add_argument("--scale", nargs="*", default=[], metavar="NETWORK=N")
    parser.add_argument("--profiles", nargs="+", default=["nvdla-like", "gap9-like", "eyeriss-like", "ethos-u65-like", "ascend-910b-like"])
    parser.add_argument("--variants", nargs="+", default=[name for name, *_ in VARIANTS] + [BACKING])
    parser.add_argument("--effort", default="quick")
    parser.add_argument("--timeout", default="10s")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        runs = Runs(options, pathlib.Path(folder))
        networks = [runs.network(given) for given in options.networks + options.scale]
        print(f"| variant | {' | '.join(options.profiles)} |\n| --- |{' ---: |' * len(options.profiles)}")
        for name, keys, more, uses in VARIANTS:
            if name in options.variants:
                cells = [runs.cell(networks, profile, keys, more, uses) for profile in options.profiles]
                print(f"| {name} | {' | '.join(cells)} |", flush=True)
        if BACKING in options.variants:
            print(f"| {BACKING} | {' | '.join(runs.backing(networks, profile) for profile in options.profiles)} |")
        print("\n" + "\n".join(f"{count} {what}" for what, count in runs.seen.items()) + f"\n{len(runs.wrong)} wrong")
    return 1 if runs.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
