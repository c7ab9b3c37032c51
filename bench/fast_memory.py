"""Selection of tensors and weights for the fast memory: the proved optimum compared with two heuristics.

    PYTHONPATH=build/release/python python3 bench/fast_memory.py ../shared/models/squeezenet1_1.onnx ... --seconds 60

Candidates are every activation (from the op that makes it to the last that reads it; benefit: its bytes
once per write and once per reading op) and every weight (live for the whole inference; benefit: its
bytes). The network's input and results stay in the slow memory. Columns:

    best      place(maximize="benefit"), and the gap to the proved bound
    density   most benefit for bytes x steps first, each at the lowest free address
    again     the same order; each is kept if all chosen so far have a placement (as TPUv4's
              compiler does, TelaMalloc, ASPLOS 2023)

Numbers are MB of traffic saved for one inference. Needs python3-yaml.
"""

import argparse
import math
import time
from pathlib import Path

import tessera
import yaml

BYTES = {"int8": 1, "uint8": 1, "int16": 2, "float16": 2, "bf16": 2, "int32": 4, "float32": 4}


def candidates(network):
    """(id, first step, end, bytes, benefit) of the candidates for the fast memory."""
    tensors, ops = network["tensors"], network["ops"]
    made, reads = {}, {}
    for step, op in enumerate(ops):
        outputs = op.get("outputs", [op["output"]] if "output" in op else [])
        for name in outputs:
            made[name] = step
        for name in op["inputs"]:
            reads.setdefault(name, []).append(step)
    rows = []
    for op in ops:
        weights = op.get("weights", [])
        size = sum(math.prod(w["shape"]) * BYTES[w["dtype"]] for w in (weights if isinstance(weights, list) else [weights]))
        if size:
            rows.append((op["name"] + " weights", 0, len(ops), size, size))
    for name, tensor in tensors.items():
        if name in network["outputs"] or name in network["inputs"] or name not in reads:
            continue
        size = math.prod(tensor["shape"]) * BYTES[tensor["dtype"]]
        if name in made:
            rows.append((name, made[name], max(reads[name]) + 1, size, size * (1 + len(reads[name]))))
    return rows


def by_density(rows):
    return sorted(range(len(rows)), key=lambda k: -rows[k][4] / (rows[k][3] * (rows[k][2] - rows[k][1])))


def first_fit(rows, capacity):
    placed, benefit = [], 0
    for k in by_density(rows):
        _, lower, upper, size, worth = rows[k]
        at = 0
        for begin, end, other_lower, other_upper in sorted(placed):
            if other_lower < upper and lower < other_upper and begin < at + size and at < end:
                at = -(-end // 64) * 64
        if at + size <= capacity:
            placed.append((at, at + size, lower, upper))
            benefit += worth
    return benefit


def placed_again(rows, capacity):
    chosen, benefit = [], 0
    for k in by_density(rows):
        some = [rows[i] for i in [*chosen, k]]
        answer = tessera.place([r[3] for r in some], [r[1] for r in some], [r[2] for r in some], capacity=capacity,
                               alignment=64, work=20000, threads=1)
        if answer.status == "feasible":
            chosen.append(k)
            benefit += rows[k][4]
    return benefit


def best(rows, capacity, seconds):
    return tessera.place([r[3] for r in rows], [r[1] for r in rows], [r[2] for r in rows], capacity=capacity,
                         alignment=64, benefits=[r[4] / 1000 for r in rows], maximize="benefit", timeout=seconds)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("networks", nargs="+", type=Path)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--kib", type=int, nargs="+", default=[128, 256, 512, 1024])
    options = parser.parse_args()
    print("| network | KiB | of MB | best | bound | s | density | again | s |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for path in options.networks:
        network = yaml.safe_load(tessera.load_network(path, dtype="int8").to_yaml())
        rows = candidates(network)
        for kib in options.kib:
            began = time.monotonic()
            answer = best(rows, kib << 10, options.seconds)
            took = time.monotonic() - began
            plain = first_fit(rows, kib << 10)
            began = time.monotonic()
            again = placed_again(rows, kib << 10)
            took_again = time.monotonic() - began
            gap = (answer.benefit_bound / answer.benefit - 1) * 100 if answer.benefit else 0
            print(f"| {path.stem} | {kib} | {sum(r[4] for r in rows) / 1e6:.2f} | {answer.benefit / 1e3:.3f} | "
                  f"{'proved' if answer.proven_optimal else f'+{gap:.2f} %'} | {took:.2f} | {plain / 1e6:.3f} | "
                  f"{again / 1e6:.3f} | {took_again:.2f} |", flush=True)


if __name__ == "__main__":
    main()
