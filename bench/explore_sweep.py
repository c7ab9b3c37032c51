#!/usr/bin/env python3
"""Savings of a sweep: 200 machines x resnet50 and mobilenet_v2, compared with planning each separately.

    python3 bench/explore_sweep.py [--tessera PROGRAM] [--models FOLDER] [--alone 20] [--threads 2]
                                   [--capacities 10] [--networks resnet50,mobilenet_v2] [--timeout 5s]

Runs the sweep (every plan until proved or until the time limit; 20 machines per capacity), then an
overlapping one with one capacity more on the same store, then plans `--alone` of the machines (0: all) by
`tessera plan`, evenly spread, and compares the scores if both are proved, and the processor time per plan,
which other programs disturb less than wall time.
"""

import argparse
import csv
import json
import pathlib
import resource
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
SWEEP = """tessera: sweep/1
networks: [{networks}]
dtype: int8
hardware:
  base: ethos-u55-256
  vary:
    memories.sram.capacity: {{from: 128 KiB, to: {last} KiB, step: 128 KiB}}
    engines.mac.cores: [1, 2, 3, 4]
    memories.dram.bandwidth: [0.5 B/cycle, 1 B/cycle, 2 B/cycle, 4 B/cycle, 8 B/cycle]
effort: {{timeout: {timeout}}}
prune: {prune}
"""


def timed(*command, **options):
    """Wall seconds, processor seconds, and output."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = time.monotonic()
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, check=False, **options)
    if done.returncode not in (0, 20, 30):
        raise SystemExit(f"{' '.join(map(str, command))}:\n{done.stderr}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return time.monotonic() - began, used, done.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--tessera", default=ROOT / "build/release/cli/tessera")
    parser.add_argument("--models", type=pathlib.Path, default=ROOT / "../shared/models")
    parser.add_argument("--alone", type=int, default=20)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--capacities", type=int, default=10)
    parser.add_argument("--networks", default="resnet50,mobilenet_v2")
    parser.add_argument("--timeout", default="5s")
    parser.add_argument("--prune", action="store_true")
    options = parser.parse_args()
    networks = options.networks.split(",")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        models = [(options.models / f"{net}.onnx").resolve() for net in networks]

        def explore(last, out):
            sweep = folder / "sweep.yaml"
            sweep.write_text(SWEEP.format(networks=", ".join(map(str, models)), last=last,
                                          timeout=options.timeout, prune=str(options.prune).lower()))
            wall, used, _ = timed(options.tessera, "explore", sweep, "-o", folder / out, "--store",
                                  folder / "store.sqlite", "--threads", options.threads, "--quiet")
            summary = json.loads((folder / out / "summary.json").read_text())
            print(f"sweep to {last} KiB: {wall:.1f} s, {used:.1f} s of the processor; {summary['plans']}, "
                  f"{summary['status']}", flush=True)
            return used

        used = explore(128 * options.capacities, "out")
        explore(128 * options.capacities + 128, "more")
        with open(folder / "out/results.csv", encoding="utf-8", newline="") as file:
            rows = [row for row in csv.DictReader(file) if row["network"] != "*"]
        machines = len(rows) // len(networks)
        count = machines if options.alone == 0 else min(machines, options.alone)
        chosen = [k * machines // count for k in range(count)]
        alone, same, different, unproved, alike = 0.0, 0, 0, 0, 0
        base = "tessera: hardware/1\nname: one\ninherit: ethos-u55-256\nmemories:\n" \
               "  sram: {{capacity: {0}}}\n  dram: {{bandwidth: {2}}}\nengines: {{mac: {{cores: {1}}}}}\n"
        for machine in chosen:
            for k, model in enumerate(models):
                row = rows[machine * len(networks) + k]
                profile = folder / "one.yaml"
                profile.write_text(base.format(*list(row.values())[:3]))
                _, seconds, text = timed(options.tessera, "plan", model, "--dtype", "int8", "--profile",
                                         profile, "--timeout", options.timeout, "--threads", "1", "--format", "json")
                alone += seconds
                plan = json.loads(text)
                if plan["status"] == "infeasible" or row["status"] == "infeasible":
                    if plan["status"] == row["status"]:
                        same += 1
                    else:
                        different += 1
                        print("differs:", row, plan["status"])
                    continue
                if not plan.get("proven_optimal") or row["status"] != "proved":
                    unproved += 1
                    alike += abs(plan.get("score", 0) - float(row["score"] or 0)) < 1e-12
                elif abs(plan["score"] - float(row["score"])) < 1e-12:
                    same += 1
                else:
                    different += 1
                    print("differs:", row, plan["score"])
        plans = count * len(networks)
        print(f"{plans} plans alone: {alone:.1f} s of the processor, {alone / plans:.2f} s each; "
              f"in the sweep {used / len(rows):.3f} s each: {alone / plans / (used / len(rows)):.1f} x")
        print(f"scores: {same} the same, {different} different, {unproved} not proved by one of the two "
              f"({alike} of them the same)")


if __name__ == "__main__":
    main()
