#!/usr/bin/env python3
"""Time and memory to plan very deep networks: generated chains of distinct inverted residual blocks.

    bench/deep_networks.py --ours build/release/cli/tessera --ops 250 500 1000 2000 --profiles ethos-u65-like --timeout 60s

Each network is drawn from --seed: blocks of 1x1, depthwise 3x3, 1x1 and, if the width stays, an addition;
the widths, strides and expansions differ from block to block. A line per network and profile: score,
bound, ops, groups, wall and processor seconds, peak memory, and peak memory per op.
"""

import argparse
import json
import os
import pathlib
import random
import subprocess
import tempfile
import time


def network(ops, seed):
    draw = random.Random(seed)
    lines = ["tessera: network/1", f"name: deep{ops}", "tensors: {x: {shape: [1, 16, 112, 112], dtype: int8}}", "inputs: [x]", "ops:"]
    now, channels, size, count = "x", 16, 112, 0

    def add(kind, inputs, more=""):
        nonlocal count
        count += 1
        lines.append(f"  - {{name: op{count}, type: {kind}, inputs: [{', '.join(inputs)}], output: t{count}{more}}}")
        return f"t{count}"

    while count + 4 <= ops:
        wide = 8 * max(1, round(channels * draw.uniform(1.5, 6) / 8))
        out = channels if draw.random() < 0.6 else 8 * draw.randint(2, 24)
        stride = 2 if size > 14 and draw.random() < 0.15 else 1
        begin = now
        now = add("conv", [now], f", weights: {{shape: [{wide}, {channels}, 1, 1]}}")
        now = add("conv", [now], f", groups: {wide}, weights: {{shape: [{wide}, 1, 3, 3]}}, stride: [{stride}, {stride}], pad: [1, 1, 1, 1]")
        now = add("conv", [now], f", weights: {{shape: [{out}, {wide}, 1, 1]}}")
        if out == channels and stride == 1:
            now = add("add", [now, begin])
        channels, size = out, (size + stride - 1) // stride
    while count < ops:
        now = add("relu", [now])
    return "\n".join([*lines, f"outputs: [{now}]"]) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ours", required=True, metavar="PROGRAM")
    parser.add_argument("--ops", type=int, nargs="+", default=[250, 500, 1000, 2000])
    parser.add_argument("--profiles", nargs="+", default=["ethos-u65-like"])
    parser.add_argument("--timeout", default="60s")
    parser.add_argument("--threads", default="2")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    print("| ops | profile | score | bound | runs | wall, s | processor, s | MB | KB per op |")
    print("| ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    with tempfile.TemporaryDirectory() as folder:
        for ops in options.ops:
            path = pathlib.Path(folder) / f"deep{ops}.yaml"
            path.write_text(network(ops, options.seed))
            for profile in options.profiles:
                start = time.perf_counter()
                out = pathlib.Path(folder) / "plan.json"
                with subprocess.Popen([options.ours, "plan", str(path), "-p", profile, "--quiet", "-o", str(out), "--timeout",
                                       options.timeout, "--threads", options.threads]) as child:
                    _, status, usage = os.wait4(child.pid, 0)
                    child.returncode = os.waitstatus_to_exitcode(status)
                wall = time.perf_counter() - start
                plan = json.loads(out.read_text()) if out.exists() else {}
                out.unlink(missing_ok=True)
                megabytes = usage.ru_maxrss / 1024
                print(f"| {ops} | {profile} | {plan.get('score', 'none')} | {plan.get('bound', 0):.4f} | {len(plan.get('subgraphs', []))} | "
                      f"{wall:.1f} | {usage.ru_utime + usage.ru_stime:.1f} | {megabytes:.0f} | {1024 * megabytes / ops:.0f} |", flush=True)


if __name__ == "__main__":
    main()
