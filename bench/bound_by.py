#!/usr/bin/env python3
"""Bottlenecks of each network on each machine: layer by layer, and planned.

    bench/bound_by.py --program build/release/cli/tessera --networks ../shared/models/*.onnx \\
                      --profiles ethos-u65-like nvdla-like --timeout 10s

A Markdown table. Each cell has the share of cycles per bottleneck in percent (mac, weights, vector, sram,
dma; below 5 omitted), and after a colon the utilisation of the array: products over its peak in that time.
"""

import argparse
import json
import pathlib
import subprocess
import sys


def planned(program, network, profile, options):
    command = [program, "plan", network, "--dtype", "int8", "--profile", profile, "--format", "json", "--quiet", *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 30) or not done.stdout:
        return None
    plan = json.loads(done.stdout)
    return plan if plan.get("layers") else None


def shares(plan):
    cycles = {}
    for layer in plan["layers"]:
        cycles[layer["bound_by"]] = cycles.get(layer["bound_by"], 0) + layer["cycles"]
    total = sum(cycles.values()) or 1
    order = sorted(cycles.items(), key=lambda pair: -pair[1])
    return ", ".join(f"{what} {100 * part / total:.0f}" for what, part in order if part >= 0.05 * total)


def busy(plan):
    """Weighted by the groups' time."""
    cycles = [run["metrics"]["latency_cycles"] for run in plan["subgraphs"]]
    part = sum(c * run["utilisation"] for c, run in zip(cycles, plan["subgraphs"]))
    return 100 * part / (sum(cycles) or 1)


def cell(plan):
    return "no plan" if plan is None else f"{shares(plan)}: {busy(plan):.0f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", required=True)
    parser.add_argument("--networks", nargs="+", required=True)
    parser.add_argument("--profiles", nargs="+", required=True)
    parser.add_argument("--timeout", default="10s")
    parser.add_argument("--threads", default="2")
    options = parser.parse_args()
    print("| network | | " + " | ".join(options.profiles) + " |")
    print("| --- | --- |" + " --- |" * len(options.profiles))
    ways = (("layer by layer", ["--layer-by-layer"]),
            ("planned", ["--timeout", options.timeout, "--threads", options.threads]))
    for network in options.networks:
        for name, more in ways:
            row = [cell(planned(options.program, network, profile, more)) for profile in options.profiles]
            print(f"| {pathlib.Path(network).stem} | {name} | " + " | ".join(row) + " |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
