#!/usr/bin/env python3
"""Times of `place` over random row orders of a file: the tail of the distribution matters, not a single
order.

    bench/shuffles.py --ours build/release/cli/tessera --shuffles 50 --seeds 5 A.1048576.csv C.1048576.csv
    bench/shuffles.py --ours new/tessera --vs old/tessera --shuffles 10 flat-load/[XD]*.csv
    bench/shuffles.py --ours build/release/cli/tessera --family holes 40 --shuffles 5

The capacity is part of a file's name (A.1048576.csv) or comes with --capacity. --family NAME COUNT
generates problems of training/families.py instead, numbered from --first on. Shuffle 0 is the original
order. The table has processor seconds including process start, independent of other load (with two threads
the sum of both; --wall measures wall time). A run without a result, or above --limit, is undecided and
counts as --limit. With --vs two programs run in alternation. One line per file and program, then one for
all.
"""

import argparse
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "training"))


def run(command, limit, wall):
    """Seconds, and whether there was a result."""
    start = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as child:
        errors = child.stderr.read()
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    took = time.perf_counter() - start if wall else usage.ru_utime + usage.ru_stime
    if child.returncode not in (0, 20, 30):
        sys.exit(f"{' '.join(command)}: exit {child.returncode}: {errors.decode()[-300:]}")
    return (took, True) if child.returncode != 30 and took <= limit else (limit, False)


def at(times, share):
    times = sorted(times)
    return times[min(len(times) - 1, int(share * len(times)))]


def line(name, program, times, unanswered):
    return (f"{name:20} {program:4} {len(times):5} runs   median {at(times, .5):7.4f}   p95 {at(times, .95):7.4f}   "
            f"p99 {at(times, .99):7.4f}   max {max(times):7.4f}   mean {sum(times) / len(times):7.4f}   unanswered {unanswered}")


def problems(options):
    """Name, capacity, header line and rows."""
    for path in map(pathlib.Path, options.files):
        lines = path.read_text().splitlines()
        named = re.search(r"\.(\d+)\.csv$", path.name)
        if not options.capacity and not named:
            sys.exit(f"{path}: its name has no capacity (as A.1048576.csv); say --capacity")
        yield path.name, options.capacity or named.group(1), lines[0], lines[1:]
    for family, count in options.family:
        import families  # of training/
        for number in range(options.first, options.first + int(count)):
            capacity, buffers = families.FAMILIES[family](random.Random(f"{family} {number}"))
            rows = [f"b{k},{lower},{upper},{size}" for k, (lower, upper, size) in enumerate(buffers)]
            yield f"{family} {number}", str(capacity), "id,lower,upper,size", rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ours", required=True, help="path of tessera")
    parser.add_argument("--vs", help="another program to run in alternation, e.g. of another commit")
    parser.add_argument("--capacity")
    parser.add_argument("--family", nargs=2, action="append", default=[], metavar=("NAME", "COUNT"))
    parser.add_argument("--first", type=int, default=1000, help="number of a family's first problem (what is trained on begins at 0)")
    parser.add_argument("--shuffles", type=int, default=10)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--limit", type=float, default=0.5, help="seconds")
    parser.add_argument("--wall", action="store_true", help="the clock instead of processor seconds")
    parser.add_argument("--arguments", default="", help="more arguments of `place`")
    parser.add_argument("--each", help="FILE.json: every run's seconds")
    parser.add_argument("files", nargs="*")
    options = parser.parse_args()
    programs = {"ours": options.ours} | ({"vs": options.vs} if options.vs else {})
    all_times = {program: [] for program in programs}
    all_unanswered = dict.fromkeys(programs, 0)
    each = []
    with tempfile.TemporaryDirectory() as folder:
        shuffled = pathlib.Path(folder) / "shuffled.csv"
        for name, capacity, head, rows in problems(options):
            times = {program: [] for program in programs}
            unanswered = dict.fromkeys(programs, 0)
            for shuffle in range(options.shuffles):
                order = list(rows)
                if shuffle > 0:
                    random.Random(f"{name} {shuffle}").shuffle(order)
                shuffled.write_text("\n".join([head, *order]) + "\n")
                for seed in range(options.seeds):
                    for program, path in programs.items():
                        # On a busy machine, wall time exceeds processor time.
                        patience = options.limit * (1 if options.wall else 3)
                        took, answered = run(
                            [path, "place", str(shuffled), "--capacity", capacity, "--threads", str(options.threads), "--seed",
                             str(seed), "--timeout", f"{int(patience * 1000)}ms", "--quiet", *options.arguments.split()],
                            options.limit, options.wall)
                        times[program].append(took)
                        unanswered[program] += not answered
                        each.append([name, shuffle, seed, program, took, answered])
            for program in programs:
                print(line(name, program, times[program], unanswered[program]), flush=True)
                all_times[program] += times[program]
                all_unanswered[program] += unanswered[program]
    for program in programs:
        print(line("all", program, all_times[program], all_unanswered[program]))
    if options.each:
        pathlib.Path(options.each).write_text(json.dumps(each))


if __name__ == "__main__":
    main()
