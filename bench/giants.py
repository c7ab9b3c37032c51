#!/usr/bin/env python3
"""Heights for dense giants: very many buffers with lifetimes much shorter than the trace.

    bench/giants.py write uniform 200000 --seed 1 >giant.csv
    bench/giants.py measure --ours build/release/cli/tessera --counts 10000 100000 --limits 1 10
    bench/giants.py measure --ours new/tessera --vs old/tessera --families bursts --counts 1000000 --limits 60

Families: "uniform" has births uniform over as many steps as buffers, lifetimes exponential with mean 1,000
and sizes 2^U(4, 14); "bimodal" has lifetimes log-uniform in [8, 8192] and sizes of two kinds, one in eight
around 64 KiB and the others around 1 KiB; "bursts" resembles consecutive layers of a network: each
allocates a burst of a few shapes, multiples of 64 and aligned to 64. Most die within some layers, some
live long.

`measure` prints the height over the largest load, in percent, wall seconds, and peak memory.
"""

import argparse
import json
import math
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "training"))
from families import most_load  # of training/


def uniform(draw, count):
    for _ in range(count):
        lower = draw.randrange(count)
        yield lower, lower + 1 + int(draw.expovariate(1 / 1000)), int(2 ** draw.uniform(4, 14)), 1


def bimodal(draw, count):
    for _ in range(count):
        lower = draw.randrange(count)
        life = int(2 ** draw.uniform(3, 13))
        large = draw.random() < 1 / 8
        size = draw.gauss(65536, 16384) if large else draw.gauss(1024, 256)
        yield lower, lower + life, max(16, int(size)), 1


def bursts(draw, count):
    shapes = [64 * int(2 ** draw.uniform(0, 9)) for _ in range(24)]
    made = step = 0
    while made < count:
        layer = draw.sample(shapes, 4)
        scale = draw.choice([1, 1, 2, 3])
        for _ in range(min(count - made, draw.randint(8, 64))):
            long = draw.random() < 0.1
            life = 2 + int(draw.expovariate(1 / 4000 if long else 1 / 120))
            size = scale * draw.choice(layer) + 64 * (draw.randrange(4) if draw.random() < 0.3 else 0)
            yield step + draw.randrange(8), step + 8 + life, size, 64
            made += 1
        step += 16


FAMILIES = {"uniform": uniform, "bimodal": bimodal, "bursts": bursts}


def write(family, count, seed, out):
    draw = random.Random(f"{family} {count} {seed}")
    out.write("id,lower,upper,size,alignment\n")
    for k, (lower, upper, size, alignment) in enumerate(FAMILIES[family](draw, count)):
        out.write(f"b{k},{lower},{upper},{size},{alignment}\n")


def largest_load(path):
    with open(path) as rows:
        next(rows)
        fields = (row.split(",") for row in rows)
        return most_load((int(lower), int(upper), int(size)) for _, lower, upper, size, _ in fields)


def place(program, path, limit, threads, folder):
    """Height, wall seconds, peak memory in MB."""
    result = folder / "result.json"
    result.unlink(missing_ok=True)
    command = [program, "place", path, "--minimize", "height", "--timeout", f"{limit}s", "--threads", str(threads),
               "--output", result, "--quiet"]
    before = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.monotonic() - before
    process.returncode = os.waitstatus_to_exitcode(status)
    height = json.loads(result.read_text())["height"] if result.exists() else None  # 0: no placement
    return height, seconds, usage.ru_maxrss / 1024


def measure(args):
    print(f"{'family':8} {'buffers':>8} {'limit':>6} {'program':8} {'over load':>10} {'seconds':>8} {'memory':>8}")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for family in args.families:
            for count in args.counts:
                path = folder / f"{family}.csv"
                with open(path, "w") as out:
                    write(family, count, args.seed, out)
                load = largest_load(path)
                for limit in args.limits:
                    for label, program in [("ours", args.ours), ("vs", args.vs)]:
                        if program is None:
                            continue
                        height, seconds, megabytes = place(program, path, limit, args.threads, folder)
                        over = "-" if not height else f"{100 * (height / load - 1):.3f} %"
                        print(f"{family:8} {count:8} {limit:5}s {label:8} {over:>10} {seconds:8.2f} {megabytes:5.0f} MB",
                              flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    writer = commands.add_parser("write")
    writer.add_argument("family", choices=FAMILIES)
    writer.add_argument("count", type=int)
    writer.add_argument("--seed", type=int, default=1)
    runner = commands.add_parser("measure")
    runner.add_argument("--ours", required=True)
    runner.add_argument("--vs")
    runner.add_argument("--families", nargs="+", choices=FAMILIES, default=list(FAMILIES))
    runner.add_argument("--counts", nargs="+", type=int, default=[10_000, 100_000, 1_000_000])
    runner.add_argument("--limits", nargs="+", type=int, default=[1, 10, 60])
    runner.add_argument("--threads", type=int, default=2)
    runner.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    if args.command == "write":
        write(args.family, args.count, args.seed, sys.stdout)
    else:
        measure(args)


if __name__ == "__main__":
    main()
