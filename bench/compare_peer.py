#!/usr/bin/env python3
"""Compares this program with a peer's on buffer CSV files, in alternation.

    bench/compare_peer.py --ours build/release/cli/tessera --peer PATH/minimalloc \\
                          --capacity 1048576 A.csv C.csv D.csv

Time with process start, the least of --runs alternating runs: by the wall clock, or with `--clock processor` of the
processor, which other programs on the machine disturb less. Prints one line per file, then the geometric mean of the
ratios, the least ratio and the sums.
"""

import argparse
import math
import os
import resource
import subprocess
import sys
import tempfile
import time


def processor_seconds():
    """Of all child processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def seconds(command, clock):
    start = clock()
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
    took = clock() - start
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: exit {done.returncode}: {done.stderr.decode()[-300:]}")
    return took


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ours", required=True, help="path of tessera")
    parser.add_argument("--peer", required=True, help="path of the peer's program")
    parser.add_argument("--ours-arguments",
                        default="place {input} --capacity {capacity} --threads 1 --quiet --output {output}")
    parser.add_argument("--peer-arguments",
                        default="--capacity {capacity} --input {input} --output {output}")
    parser.add_argument("--capacity", required=True)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--clock", choices=("wall", "processor"), default="wall")
    parser.add_argument("files", nargs="+")
    options = parser.parse_args()
    clock = time.perf_counter if options.clock == "wall" else processor_seconds
    ratios, ours_sum, peer_sum = [], 0.0, 0.0
    with tempfile.TemporaryDirectory() as folder:
        output = os.path.join(folder, "out.csv")
        for path in options.files:
            def command(program, arguments):
                words = [word.format(input=path, capacity=options.capacity, output=output)
                         for word in arguments.split()]
                return [program, *words]
            ours = command(options.ours, options.ours_arguments)
            peer = command(options.peer, options.peer_arguments)
            best_ours = best_peer = math.inf
            for _ in range(options.runs):
                best_ours = min(best_ours, seconds(ours, clock))
                best_peer = min(best_peer, seconds(peer, clock))
            ratios.append(best_peer / best_ours)
            ours_sum += best_ours
            peer_sum += best_peer
            print(f"{os.path.basename(path):24} ours {best_ours:8.4f} s   peer {best_peer:8.4f} s   "
                  f"{ratios[-1]:7.1f} x", flush=True)
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    print(f"geometric mean {mean:.1f} x, least {min(ratios):.1f} x, "
          f"sums {ours_sum:.3f} s and {peer_sum:.3f} s")


if __name__ == "__main__":
    main()
