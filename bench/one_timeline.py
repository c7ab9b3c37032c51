#!/usr/bin/env python3
"""Effect of cross-group features: resident tensors, weight prefetch, halo reuse, concatenations with operands
in place off-chip, and parallel engines if the profile supports them. Compared with plans that store, load
and copy everything, one op after the other.

    bench/one_timeline.py --program build/release/cli/tessera --networks ../shared/models/*.onnx --dense \\
                          --profiles ethos-u65-like nvdla-like --timeout 60s

A Markdown table: DRAM traffic, latency and energy, each relative to the plan without these features. Lower
bounds are in brackets: the traffic of the same machine with unlimited memory, and for the latency the
maximum of engine time and DMA time. After the bar: that bound as a share of the latency. `--dense` adds a
generated network of dense blocks. `--also tiling.pinned=weights` sets profile keys for the first plan only
(the bounds ignore pinned weights), `--weight latency=1 energy=1` the score weights of both. `--earlier
PROGRAM PROFILES` adds a second table: the same plans relative to those of another program with other
profiles, and both scores by the reference of the first.
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
from statistics import geometric_mean

BEFORE = ["--residency", "off", "--set", "tiling.halo=[recompute]", "--set", "tiling.concat=copied",
          "--set", "tiling.engines=in_turn"]
COLUMNS = ("dram_bytes", "latency_cycles", "energy_pj")


def dense_network():
    """Four dense blocks of six layers each, 1x1 and 3x3, every layer reading all previous ones, with pooling
    in between."""
    lines = []
    now, channels = "x", 64

    def op(kind, name, inputs, more=""):
        lines.append(f"  - {{name: {name}, type: {kind}, inputs: [{', '.join(inputs)}], output: y_{name}{more}}}")
        return "y_" + name

    def conv(name, data, into, out, size):
        pad = f", pad: [{size // 2}, {size // 2}, {size // 2}, {size // 2}]" if size > 1 else ""
        return op("conv", name, [data], f"{pad}, weights: {{shape: [{out}, {into}, {size}, {size}], dtype: int8}}")

    for block in range(4):
        for layer in range(6):
            name = f"b{block}l{layer}"
            middle = conv(name + "_1x1", now, channels, 128, 1)
            made = conv(name + "_3x3", middle, 128, 32, 3)
            now = op("concat", name + "_join", [now, made], ", axes: [1]")
            channels += 32
        if block < 3:
            channels //= 2
            now = conv(f"t{block}", now, channels * 2, channels, 1)
            now = op("average_pool", f"p{block}", [now], ", kernel: [2, 2], stride: [2, 2]")
    text = "\n".join(lines)
    return f"tessera: network/1\nname: dense\ntensors: {{x: {{shape: [1, 64, 56, 56], dtype: int8}}}}\ninputs: [x]\nops:\n{text}\noutputs: [{now}]\n"


def call(program, *arguments, profiles=None):
    done = subprocess.run([program, *arguments, "--format", "json", "--quiet"], capture_output=True, text=True, check=False,
                          env={**os.environ, **({"TESSERA_PROFILES": profiles} if profiles else {})})
    if not done.stdout:
        sys.exit(f"{' '.join(arguments)}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def profile_keys(program, profile):
    return {each["key"]: each["value"] for each in call(program, "profiles", profile)["values"]}


def memories(keys, off_chip):
    names = dict.fromkeys(key.split(".")[1] for key in keys if key.startswith("memories."))
    return [name for name in names if (f"memories.{name}.offchip" in keys) == off_chip]


def roomy(keys):
    """Unlimited on-chip memories, and only traffic counts."""
    settings = ["--tile-shapes", "0"]
    for name in memories(keys, False):
        size = "bank_size" if f"memories.{name}.banks" in keys else "capacity"
        settings += ["--set", f"memories.{name}.{size}=1 GiB"]
    for metric, weight in {"dram_bytes": 1, "latency": 0, "energy": 0, "peak_memory": 0}.items():
        settings += ["--weight", f"{metric}={weight}"]
    return settings


def floor_of_latency(plan, bytes_per_cycle):
    engines = 0
    for run in plan["subgraphs"]:
        cycles = [layer["compute_cycles"] for layer in plan["layers"][run["first_op"]:run["last_op"] + 1]]
        leading = len(cycles) - run["variant"].get("trailing", 0)  # the others run in parallel
        engines += max(sum(cycles[:leading]), sum(cycles[leading:]))
    return max(engines, plan["totals"]["dram_bytes"] / bytes_per_cycle)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", required=True)
    parser.add_argument("--networks", nargs="*", default=[])
    parser.add_argument("--dense", action="store_true")
    parser.add_argument("--profiles", nargs="+", required=True)
    parser.add_argument("--timeout", default="60s")
    parser.add_argument("--threads", default="2")
    parser.add_argument("--also", nargs="*", default=[], metavar="KEY=VALUE")
    parser.add_argument("--weight", nargs="*", default=[], metavar="METRIC=WEIGHT")
    parser.add_argument("--earlier", nargs=2, metavar=("PROGRAM", "PROFILES"))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        networks = list(options.networks)
        if options.dense:
            path = pathlib.Path(folder) / "dense.yaml"
            path.write_text(dense_network(), encoding="utf-8")
            networks.append(str(path))
        table(options, networks)


def table(options, networks):
    columns = {what: [] for what in COLUMNS}
    floors, reached = [], []
    over_earlier = Earlier(options.profiles)
    print("| network | " + " | ".join(options.profiles) + " |")
    print("| --- |" + " --- |" * len(options.profiles))
    for network in networks:
        cells = []
        for profile in options.profiles:
            keys = profile_keys(options.program, profile)
            asked = ["plan", network, "--dtype", "int8", "--profile", profile]
            limits = ["--timeout", options.timeout, "--threads", options.threads]
            for weight in options.weight:
                asked += ["--weight", weight]
            also = [word for setting in options.also for word in ("--set", setting)]
            before = call(options.program, *asked, *limits, *BEFORE)
            now = call(options.program, *asked, *limits, *also)
            most = call(options.program, "plan", network, "--dtype", "int8", "--profile", profile, *roomy(keys), *limits)
            if options.earlier:
                program, profiles = options.earlier
                over_earlier.add(network, now, call(program, *asked, *limits, profiles=profiles))
            if "totals" not in now or "totals" not in before:
                cells.append("no plan")
                continue
            ratios = ratios_of(now, before)
            for what, ratio in ratios.items():
                columns[what].append(ratio)
            least = most["totals"]["dram_bytes"] / before["totals"]["dram_bytes"]
            floors.append(least)
            rate = bandwidth(keys, now["clock_hz"])
            floor = floor_of_latency(now, rate)
            reached.append(floor / now["totals"]["latency_cycles"])
            cells.append(f"{ratios['dram_bytes']:.2f} ({least:.2f}), {ratios['latency_cycles']:.2f} "
                         f"({floor / before['totals']['latency_cycles']:.2f}), {ratios['energy_pj']:.2f} \\| {reached[-1]:.2f}")
        print(f"| {pathlib.Path(network).stem} | " + " | ".join(cells) + " |", flush=True)
    mean = {what: geometric_mean(values) for what, values in columns.items()}
    print(f"\nGeometric means: DRAM {mean['dram_bytes']:.2f}, latency {mean['latency_cycles']:.2f}, energy "
          f"{mean['energy_pj']:.2f}; traffic with room for everything {geometric_mean(floors):.2f}; "
          f"the schedule reaches {sum(reached) / len(reached):.2f} of the longer of DMA and engines on average.")
    if options.earlier:
        over_earlier.print()


def score_of(totals, now):
    """By the weights and the reference of the first program's plan."""
    metrics = {"latency": "latency_cycles", "energy": "energy_pj", "dram_bytes": "dram_bytes", "peak_memory": "peak_bytes"}
    weights = {key: now["weights"][name] for name, key in metrics.items() if now["weights"][name] > 0}
    return sum(weight * totals[key] / now["reference"][key] for key, weight in weights.items())


def ratios_of(now, before):
    return {what: now["totals"][what] / before["totals"][what] for what in COLUMNS}


class Earlier:
    """Plans relative to those of the other program, one row per network."""

    def __init__(self, profiles):
        self.profiles = profiles
        self.rows = {}
        self.ratios = {what: [] for what in (*COLUMNS, "score")}

    def add(self, network, now, earlier):
        cells = self.rows.setdefault(pathlib.Path(network).stem, [])
        if "totals" not in now or "totals" not in earlier:
            cells.append("no plan")
            return
        ratios = ratios_of(now, earlier)
        ratios["score"] = score_of(now["totals"], now) / score_of(earlier["totals"], now)
        for what, ratio in ratios.items():
            self.ratios[what].append(ratio)
        cells.append(", ".join(f"{ratios[what]:.2f}" for what in self.ratios))

    def print(self):
        print("\n| DRAM, latency, energy, score over the earlier plan | " + " | ".join(self.profiles) + " |")
        print("| --- |" + " --- |" * len(self.profiles))
        for name, cells in self.rows.items():
            print(f"| {name} | " + " | ".join(cells) + " |")
        means = ", ".join(f"{what} {geometric_mean(values):.2f} (at most {max(values):.2f})"
                          for what, values in self.ratios.items())
        print(f"\nGeometric means over the earlier plans: {means}.")


def bandwidth(keys, clock_hz):
    """Bandwidth in bytes per cycle of the off-chip memory of activations: as stated, or as limited by
    outstanding requests."""
    for name in memories(keys, True):
        if keys.get(f"memories.{name}.writable") == "false":
            continue
        number, unit = re.search(r"([\d.]+) (\S+)", keys[f"memories.{name}.bandwidth"]).groups()
        stated = float(number) * {"B/cycle": 1, "GB/s": 1e9 / clock_hz, "MB/s": 1e6 / clock_hz}[unit.rstrip(",")]
        first = [re.search(r"\d+", text) for text in
                 (re.search(r"\d+ bursts|$", keys.get("dma", "")).group() or "0",
                  keys.get(f"memories.{name}.burst", "0"), keys.get(f"memories.{name}.latency", "0"))]
        outstanding, burst, latency = (int(match.group()) for match in first)
        return min(stated, outstanding * burst / latency) if outstanding and burst and latency else stated
    sys.exit("no memory off the chip is writable")


if __name__ == "__main__":
    main()
