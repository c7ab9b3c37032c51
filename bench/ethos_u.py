#!/usr/bin/env python3
"""Compares plans with the figures of Arm's estimator (Vela), layer by layer.

    python3 bench/ethos_u.py --data ../shared/benchmarks/ethos-u --program build/release/cli/tessera

Every network is planned with --layer-by-layer on the profile of each configuration: with --plans resident
tensors may stay on-chip from layer to layer, as they do in the estimator's plans; with --plans best
layers may be fused as well, and the plan minimises latency. Layers are matched by kind, output and kernel,
in order if several are equal (a strided first layer that the other compiler folded into channels by its
output alone); transposed convolutions have no match and are omitted. Networks used to fit the profiles are
listed separately.
"""

import argparse
import json
import math
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

PROFILES = {
    "u55-128": "ethos-u55-128",
    "u55-256": "ethos-u55-256",
    "u55-256-2M": "ethos-u55-256",
    "u65-256": "ethos-u65-256",
    "u65-512": "ethos-u65-512",
    "u65-512-cs": "ethos-u65-512-client-server",
}
KINDS = {
    "CONV_2D": "conv",
    "TRANSPOSE_CONV": "conv",
    "DEPTHWISE_CONV_2D": "depthwise",
    "FULLY_CONNECTED": "fc",
    "MAX_POOL_2D": "pool",
    "AVERAGE_POOL_2D": "pool",
    "ADD": "elementwise",
    "MUL": "elementwise",
    "SUB": "elementwise",
}
PLANS = {
    "layers": ["--layer-by-layer"],
    "resident": ["--layer-by-layer", "--residency", "on"],
    "best": ["--weight", "latency=1", "--weight", "energy=0", "--weight", "dram_bytes=0",
             "--weight", "peak_memory=0"],
}
# SRAM size given to the estimator as a target; it may exceed it.
ARENAS = {"u55-128": 512 << 10, "u55-256": 512 << 10, "u55-256-2M": 2 << 20,
          "u65-256": 384 << 10, "u65-512": 384 << 10, "u65-512-cs": 384 << 10}
FITTED = {
    "mlperf_resnet8_int8",
    "mlperf_dscnn_kws_int8",
    "mlperf_vww_mobilenet_int8",
    "tflm_mobilenet_v2_224_int8",
    "rand_resnet18",
}


def larger_arena(profile, folder):
    """The configuration with 2 MiB: the same machine with another SRAM."""
    path = folder / "u55-256-2M.yaml"
    path.write_text(
        "tessera: hardware/1\nname: u55-256-2M\n"
        f"inherit: {profile}\nmemories: {{sram: {{capacity: 2 MiB}}}}\n"
    )
    return str(path)


def plan(program, network, profile, plans, seconds, folder, direct=None, whole=False):
    out = folder / "plan.json"
    command = [program, "plan", str(network), "-p", profile, *PLANS[plans], "-q"]
    if whole:
        command += ["--set", "memories.sram.capacity=1 GiB"]
    if direct is not None:
        command += ["--set", f"tiling.direct=[{direct}]"]
    command += ["-t", f"{seconds}s", "-o", str(out)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        return None, (done.stderr.strip().splitlines() or ["no plan"])[-1]
    return json.loads(out.read_text()), ""


def shapes(network):
    """Output and kernel of each op of a network file, in the estimator's notation."""
    tensors = {}
    found = {}
    for line in network.read_text().splitlines():
        if match := re.match(r"\s+(\S+): \{shape: \[([^]]*)\]", line):
            tensors[match[1].strip('"')] = [int(x) for x in match[2].split(",") if x.strip()]
        if match := re.match(r"\s+- \{name: ([^,]+), type: (\w+), (?:function: \w+, )?inputs: \[([^]]*)\], output: ([^,}]+)", line):
            name, kind, inputs, output = (part.strip() for part in match.groups())
            made = tensors[output.strip('"')]
            if len(made) == 4:
                made = [made[0], made[2], made[3], made[1]]
            names = [part.strip().strip('"') for part in inputs.split(",")]
            kernel = tensors[names[1]][2:] if kind == "conv" and len(names) > 1 else []
            found[name.strip('"')] = (tuple(x for x in made if x > 1), tuple(kernel))
    return found


# Bytes of scale and bias per output channel, and of the bias, which the network lists separately.
SCALES, BIAS = 10, 4


def with_encoded(network, run, known, folder, as_counted):
    """The network with weight sizes as encoded by the estimator. Its sizes include scales and biases; its
    traffic excludes them if the array reads weights directly off-chip. `as_counted` excludes them there as
    well."""
    # Networks with random weights list their biases as int8.
    text = re.sub(r"(\{shape: \[\d+\], dtype: )int8(, kind: weight)", r"\1int32\2", network.read_text())
    weights = {}
    for line in text.splitlines():
        if match := re.match(r"\s+- \{name: ([^,]+), .*inputs: \[([^]]*)\]", line):
            names = [part.strip().strip('"') for part in match[2].split(",")]
            if len(names) > 1:
                weights[match[1].strip().strip('"')] = names[1]
    ops = [{"op": name} for name in known]
    layers = [layer for layer in run["layers"] if layer["weights"]]
    for layer, found in pairs(ops, layers, known):
        name = weights.get(layer["op"])
        leaves_out = SCALES if as_counted and found["weights"]["buffered_in"] is None else 0
        encoded = found["weights"]["encoded_bytes_with_scales"] - (BIAS + leaves_out) * found["ofm"][-1]
        if name is not None and encoded > 0:
            text = re.sub(
                rf"^(\s+{re.escape(name)}: \{{shape: \[[^]]*\][^}}]*kind: weight)\}}",
                rf"\1, encoded: {encoded}}}", text, count=1, flags=re.MULTILINE)
    path = folder / network.name
    path.write_text(text)
    return path


def key_of(layer):
    kernel = layer["kernel"] if KINDS.get(layer["source_op"]) in ("conv", "depthwise") else []
    return tuple(x for x in layer["ofm"] if x > 1), tuple(kernel)


def pairs(ours, theirs, known):
    waiting = {}
    for layer in theirs:
        waiting.setdefault(key_of(layer), []).append(layer)
    rest = []
    for layer in ours:
        if same := waiting.get(known.get(layer["op"])):
            yield layer, same.pop(0)
        elif known.get(layer["op"]):
            rest.append(layer)
    # A folded layer has another kernel width: match the same number of rows and the first layer's output.
    folded = theirs and next((layer for layer in waiting.get(key_of(theirs[0]), []) if layer is theirs[0]), None)
    for layer in rest:
        made, kernel = known[layer["op"]]
        if folded and kernel and (made, kernel[0]) == (key_of(folded)[0], folded["kernel"][0]):
            yield layer, folded
            return


def spread(ratios):
    ratios = sorted(ratios)
    n = len(ratios)
    return ratios[n // 10], statistics.median(ratios), ratios[min(n - 1, n * 9 // 10)]


def columns(ratios):
    """Count and spread, as columns of a table."""
    if not ratios:
        return "0 | | |"
    low, middle, high = spread(ratios)
    return f"{len(ratios)} | {low:.3f} | {middle:.3f} | {high:.3f}"


# Memories of an op's input and output, and the corresponding direct accesses of our engine.
DIRECT = {(False, False): "none", (True, False): "inputs", (False, True): "outputs", (True, True): "inputs+outputs"}


def direct_of(layer):
    """Operands that the array accesses in DRAM while it computes, which takes longer than in SRAM."""
    return DIRECT[layer["ifm_memory"] == "Dram", layer["ofm_memory"] == "Dram"]


def add_layers(per_layer, options, run, name, profile, network, known, folder, in_dram):
    """Compute cycles over the estimator's, layer by layer. Each layer is a single piece as in the estimator,
    with unlimited memory, and operands in the estimator's memories."""
    config = run["config"]
    for direct in DIRECT.values() if in_dram else ["none"]:
        whole, why = plan(options.program, network, profile, "layers", options.seconds, folder,
                          direct if in_dram else None, whole=True)
        if whole is None:
            sys.exit(f"{name} on {config}: {why}")
        for kind in sorted(set(KINDS.values())):
            theirs = [layer for layer in run["layers"] if KINDS.get(layer["source_op"]) == kind]
            ours = [layer for layer in whole["layers"] if layer["kind"] == kind]
            for a, b in pairs(ours, theirs, known):
                if b["compute_cycles"] <= 0 or in_dram and direct_of(b) != direct:
                    continue
                ratio = a["compute_cycles"] / b["compute_cycles"]
                group = "fitted" if name in FITTED else "others"
                per_layer.setdefault((kind, config, group), []).append(ratio)
                if options.layers and not 0.9 <= ratio <= 1.1:
                    print(name, config, kind, a["op"], f"{ratio:.3f}", a["compute_cycles"],
                          b["compute_cycles"], b["ifm"], b["ofm"], b["kernel"], b["block"]["ofm"],
                          "in DRAM:", direct)


def print_means(totals, limits_kept):
    """Geometric means over the networks of each configuration."""
    print()
    print("| configuration | networks | geometric mean | least | most | most where the estimator keeps its limit |")
    print("|---|---:|---:|---:|---:|---:|")
    for config in PROFILES:
        ratios = {name: ours / theirs for (name, of), (ours, theirs, _, _) in totals.items() if of == config}
        if not ratios:
            continue
        mean = math.exp(statistics.fmean(math.log(ratio) for ratio in ratios.values()))
        kept = [ratio for name, ratio in ratios.items() if (name, config) in limits_kept]
        print(f"| {config} | {len(ratios)} | {mean:.3f} | {min(ratios.values()):.3f} | {max(ratios.values()):.3f} "
              f"| {max(kept, default=math.nan):.3f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=pathlib.Path, required=True)
    parser.add_argument("--program", default="build/release/cli/tessera")
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--plans", choices=PLANS, default="layers")
    parser.add_argument("--config", action="append", choices=PROFILES)
    parser.add_argument("--network", action="append")
    parser.add_argument("--layers", action="store_true", help="print layers that differ by 10 %%")
    parser.add_argument("--ratio", action="store_true",
                        help="weights as the profile says, not as the estimator encoded them")
    parser.add_argument("--as-counted", action="store_true",
                        help="leave out the scales that the estimator counts no traffic for")
    options = parser.parse_args()
    if not options.data.is_dir():
        sys.exit(f"{options.data}: no such folder")
    per_layer = {}
    totals = {}
    missing = []
    limits_kept = set()
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        for estimates in sorted((options.data / "estimates").glob("*.json")):
            name = estimates.stem
            if options.network and name not in options.network:
                continue
            for run in json.loads(estimates.read_text()):
                config = run["config"]
                if options.config and config not in options.config:
                    continue
                profile = PROFILES[config]
                if config == "u55-256-2M":
                    profile = larger_arena(profile, folder)
                network = options.data / "networks" / f"{name}.yaml"
                known = shapes(network)
                if not options.ratio:
                    network = with_encoded(network, run, known, folder, options.as_counted)
                # If the estimator leaves tensors in DRAM, its machine accesses them there.
                in_dram = config.startswith("u65")
                add_layers(per_layer, options, run, name, profile, network, known, folder, in_dram)
                made, why = plan(options.program, network, profile, options.plans, options.seconds, folder,
                                 "inputs+outputs" if in_dram and options.plans != "best" else None)
                if made is None:
                    missing.append(f"{name} on {config}: {why}")
                    continue
                theirs = sum(v for k, v in run["totals"]["bytes"].items()
                             if k.endswith("Weights.Read") and not k.startswith("Sram"))
                totals[name, config] = (
                    made["totals"]["latency_cycles"],
                    run["totals"]["cycles"]["total"],
                    made["totals"]["dram_bytes"],
                    theirs,
                )
                if run["totals"]["memory_used_bytes"].get("Sram", 0) <= ARENAS[config]:
                    limits_kept.add((name, config))
    print("| kind | configuration | networks | layers | p10 | median | p90 |")
    print("|---|---|---|---:|---:|---:|---:|")
    for (kind, config, group), ratios in sorted(per_layer.items()):
        print(f"| {kind} | {config} | {group} | {columns(ratios)} |")
    print()
    print("| network | configuration | cycles, ours / theirs | ratio | off-chip bytes | their weights |")
    print("|---|---|---:|---:|---:|---:|")
    for (name, config), (ours, theirs, moved, weights) in sorted(totals.items()):
        print(f"| {name} | {config} | {ours:,} / {theirs:,.0f} | {ours / theirs:.3f} | {moved:,} "
              f"| {weights:,.0f} |")
    print_means(totals, limits_kept)
    for line in missing:
        print(f"no plan: {line}")


if __name__ == "__main__":
    main()
