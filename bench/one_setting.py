#!/usr/bin/env python3
"""Effect of one setting of a profile: each plan with it, relative to the plan without.

    bench/one_setting.py --program build/release/cli/tessera --networks ../shared/models/*.onnx \\
                         --profiles ethos-u65-like gap9-like --set tiling.pinned=weights --timeout 30s

A Markdown table: score, DRAM traffic, latency, energy and the time to plan, each as a ratio, and their
geometric means. `--both KEY=VALUE` changes the profile of both plans; arguments after `--` go to both
calls.
"""

import argparse
import json
import math
import pathlib
import subprocess
import sys
import time

FIGURES = ["dram_bytes", "latency_cycles", "energy_pj"]


def plan(options, network, profile, settings):
    """The plan's figures, and the seconds of the call."""
    call = [options.program, "plan", network, "--profile", profile, "--format", "json", "--quiet", "--dtype", options.dtype,
            "--timeout", options.timeout, "--threads", str(options.threads), *options.more]
    for one in settings:
        call += ["--set", one]
    begin = time.monotonic()
    done = subprocess.run(call, capture_output=True, text=True, check=False)
    seconds = time.monotonic() - begin
    if not done.stdout:
        sys.exit(f"{' '.join(call)}: {done.stderr.strip()}")
    said = json.loads(done.stdout)
    if said["status"] != "feasible":
        return None
    return [said["score"], *(said["totals"][figure] for figure in FIGURES), seconds]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--program", default="build/release/cli/tessera")
    parser.add_argument("--networks", nargs="+", required=True)
    parser.add_argument("--profiles", nargs="+", required=True)
    parser.add_argument("--set", action="append", required=True, dest="settings", metavar="KEY=VALUE")
    parser.add_argument("--both", action="append", default=[], metavar="KEY=VALUE")
    parser.add_argument("--timeout", default="30s")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--dtype", default="int8")
    parser.add_argument("more", nargs="*", help="options of both calls, behind a --")
    return parser.parse_args()


def main():
    options = arguments()
    print("| network | profile | score | DRAM | cycles | energy | time to plan |")
    print("| --- | --- | ---: | ---: | ---: | ---: | ---: |")
    found = []
    for network in options.networks:
        for profile in options.profiles:
            without = plan(options, network, profile, options.both)
            with_it = plan(options, network, profile, options.both + options.settings)
            name = pathlib.Path(network).stem
            if without is None or with_it is None:
                print(f"| {name} | {profile} | no plan |")
                continue
            ratios = [mine / max(theirs, 1e-9) if theirs else 1 for mine, theirs in zip(with_it, without)]
            found.append(ratios)
            print(f"| {name} | {profile} | " + " | ".join(f"{ratio:.3f}" for ratio in ratios) + " |", flush=True)
    if found:
        means = [math.exp(sum(math.log(max(ratio, 1e-9)) for ratio in column) / len(found)) for column in zip(*found)]
        print("| geometric mean | | " + " | ".join(f"{mean:.3f}" for mean in means) + " |")


if __name__ == "__main__":
    main()
