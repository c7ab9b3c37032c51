#!/usr/bin/env python3
"""The tables of docs/results.md; bench/results.sh calls this program.

    bench/results_tables.py make NAME [options]            prints the table NAME
    bench/results_tables.py insert FOLDER PAGE --only NAME --commit HASH
                                                           puts FOLDER/NAME.md between its markers in PAGE

Each table is made by a program of this folder or by calls of `tessera`. A figure that was published, and is not
measured here, is a constant of this file with its source.
"""

import argparse
import csv
import json
import math
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

from compare_peer import processor_seconds

HERE = pathlib.Path(__file__).resolve().parent


def output(command, accepted=(0,)):
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, check=False)
    if done.returncode not in accepted:
        sys.exit(f"{' '.join(map(str, command))}: exit code {done.returncode}\n{done.stderr[-1000:]}")
    return done.stdout


def cells(text):
    """The rows of all Markdown tables in `text` as lists of cells, without the lines of dashes."""
    return [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in text.splitlines()
            if line.startswith("|") and not re.fullmatch(r"[|\s:-]+", line)]


def table(head, rows):
    """A Markdown table; the columns behind the first are numbers."""
    lines = [head, ["---"] + ["---:"] * (len(head) - 1), *rows]
    return "\n".join(f"| {' | '.join(str(cell) for cell in line)} |" for line in lines)


def geometric_mean(values):
    return math.exp(statistics.fmean(math.log(value) for value in values))


def placed(given, file, *options):
    """(the result of `tessera place`, its processor seconds with process start)"""
    start = processor_seconds()
    text = output([given.program, "place", file, "--format", "json", "--quiet", *options], (0, 20, 30))
    return json.loads(text), processor_seconds() - start


def buffers_and_load(file):
    """Of a buffer CSV with half-open lives: the number of buffers and the largest sum of live sizes."""
    change, count = {}, 0
    with open(file, encoding="utf-8") as text:
        for row in csv.DictReader(text):
            row = {key.strip(): value for key, value in row.items()}
            count += 1
            lower, upper, size = int(row["lower"]), int(row["upper"]), int(row["size"])
            change[lower] = change.get(lower, 0) + size
            change[upper] = change.get(upper, 0) - size
    load = most = 0
    for _, more in sorted(change.items()):
        load += more
        most = max(most, load)
    return count, most


def challenging(given):
    folder = pathlib.Path(given.challenging or given.data / "minimalloc")
    return sorted(folder.glob("?.1048576.csv"))


def minimalloc(given):
    files = challenging(given)
    text = output([sys.executable, HERE / "compare_peer.py", "--ours", given.program, "--peer", given.minimalloc,
                   "--capacity", 1048576, "--clock", "processor", "--runs", 3, *files])
    rows = []
    for name, ours, peer, ratio in re.findall(r"^(\w)\S+ +ours +(\S+) s +peer +(\S+) s +(\S+) x", text, re.MULTILINE):
        file = next(file for file in files if file.name.startswith(f"{name}."))
        rows.append([name, buffers_and_load(file)[0], f"{float(ours):.3f}", f"{float(peer):.2f}", f"{float(ratio):.0f}"])
    mean = re.search(r"geometric mean (\S+) x", text).group(1)
    rows.append(["geometric mean", "", "", "", f"{float(mean):.0f}"])
    return table(["instance", "buffers", "Tessera, processor s", "minimalloc, processor s", "minimalloc / Tessera"], rows)


# Height over the load that idealloc's own program reached on another, idle machine, and what it took.
IDEALLOC = {"resnet50": "0.38 % (100 rounds, 0.5 s)", "iopddl-G": "0.21 % (100 rounds, 0.4 s)",
            "iopddl-S": "1.08 % (60 rounds, 34 s)"}


def idealloc(given):
    rows = []

    def row(name, file, peer):
        count, load = buffers_and_load(file)
        result, seconds = placed(given, file, "--minimize", "height", "--threads", 2, "--timeout", "60s")
        proved = "yes" if result["proven_minimum"] else "no"
        rows.append([name, f"{count:,}", peer, f"{100 * (result['height'] / load - 1):.3f} %", proved,
                     f"{seconds:.1f}"])

    for name, peer in IDEALLOC.items():
        row(f"`{name}`", given.data / "idealloc" / f"{name}.csv", peer)
    with tempfile.TemporaryDirectory() as folder:
        for kind in ("malloc", "training"):
            file = pathlib.Path(folder, "generated.csv")
            output([given.program, "generate", kind, "--buffers", 1_000_000, "--seed", 1, "--output", file, "--quiet"])
            row(f"`generate {kind} --buffers 1000000 --seed 1`", file, "")
    return table(["instance", "buffers", "idealloc: over the load", "Tessera: over the load", "minimum proved", "processor s"], rows)


# Columns of dsa-solver's standard-v1/summary.csv: its own implementations of these methods, and MiniMalloc itself.
METHODS = {"first_fit": "first fit", "xla_heap": "XLA heap", "tvm_hill_climb": "TVM USMP hill climb",
           "minimalloc_exact": "MiniMalloc, 5 s"}


def compilers(given):
    peaks = {}
    with open(given.dsa_solver / "benchmarks/results/standard-v1/summary.csv", encoding="utf-8") as text:
        for row in csv.DictReader(text):
            if row["method"] in METHODS and row["best_peak"]:
                peaks[row["instance"], row["method"]] = int(row["best_peak"])
    rows, ratios = [], {method: [] for method in [*METHODS, "tessera"]}
    for file in challenging(given):
        _, load = buffers_and_load(file)
        result, _ = placed(given, file, "--minimize", "height", "--threads", 1, "--timeout", "5s")
        heights = [*(peaks[file.name, method] for method in METHODS), result["height"]]
        for method, height in zip(ratios, heights):
            ratios[method].append(height / load)
        rows.append([file.name[0], *(f"{height / load:.3f}" for height in heights),
                     "yes" if result["proven_minimum"] else "no"])
    rows.append(["geometric mean", *(f"{geometric_mean(each):.3f}" for each in ratios.values()), ""])
    return table(["instance", *METHODS.values(), "Tessera, 5 s", "minimum proved"], rows)


def pypto(given):
    """Least height and least cost of all problems of dsa-solver's corpora, against the costs it publishes."""
    published = {}
    with open(given.dsa_solver / "benchmarks/results/dsa-rp-v1/summary.csv", encoding="utf-8") as text:
        for row in csv.DictReader(text):
            if row["best_reuse_cost"] and row["feasible_runs"] != "0":
                cost = int(float(row["best_reuse_cost"]))
                published[row["source"]] = min(cost, published.get(row["source"], cost))
    files = sorted(file for corpus in ("pypto", "pypto-lib")
                   for file in (given.dsa_solver / "benchmarks" / corpus).rglob("*.json") if "schema" not in file.name)
    rows, lines = [], []
    for objective in ("height", "cost"):
        counts, times = {"proved": 0, "infeasible": 0, "undecided": 0}, []
        better = {"equal": 0, "lower": 0, "higher": 0}
        for file in files:
            result, seconds = placed(given, file, "--minimize", objective, "--timeout", "10s", "--threads", 2)
            proved = result.get("proven_minimum" if objective == "height" else "proven_optimal")
            counts["infeasible" if result["status"] == "infeasible" else "proved" if proved else "undecided"] += 1
            times.append(seconds)
            best = published.get(file.relative_to(given.dsa_solver).as_posix())
            if objective == "cost" and best is not None and result["status"] == "feasible":
                better["equal" if result["cost"] == best else "lower" if result["cost"] < best else "higher"] += 1
        rows.append([f"least {objective}", len(files), *counts.values(), f"{sum(times):.1f}", f"{max(times):.2f}"])
        if objective == "cost":
            lines.append(f"Cost against the best that the origin publishes: {better['equal']} equal, "
                         f"{better['lower']} lower, {better['higher']} higher.")
    return table(["query", "files", "proved", "infeasible", "undecided", "all, processor s", "slowest, s"],
                 rows) + "\n\n" + "\n".join(lines)


def arena(given):
    models = sorted((given.models / "tflite").glob("*.tflite"))
    text = output(["env", f"TESSERA={given.program}", sys.executable, HERE / "tflm_greedy.py", given.tflite_micro, *models])
    return table(["model", "activations", "GreedyMemoryPlanner, bytes", "Tessera, bytes", "saved"], cells(text)[1:])


ENGINES = {"auto": "Tessera (`auto`)", "learning": "learning engine", "canonical": "canonical search (MiniMalloc)",
           "guided": "guided search (TelaMalloc)", "one-contention": "first fit by contention (TelaMalloc)",
           "one-size": "first fit by size", "cp": "constraint program (Gecode)", "ilp": "integer program (CBC)",
           "sat": "SAT, order encoding (CaDiCaL)", "smt": "SMT, difference logic (Z3)"}
SLOW = ("cp", "ilp", "sat", "smt")
SUITES = {"challenging": ("minimalloc, 1 s", "1"), "flat": ("flat load, 0.5 s", "0.5"),
          "pypto": ("pypto sample, 1 s", "1"), "synthetic-5": ("synthetic, 0.5 s", "0.5"),
          "network": ("network-like, 1 s", "1")}


def engines(given):
    columns, head = {}, []
    for suite, (title, seconds) in SUITES.items():
        wanted = [name for name in ENGINES if suite != "network" or name not in SLOW]
        text = output([given.bench / "bench_guided_table", "--data", given.data, suite, seconds, *wanted])
        head.append(title + re.search(r": \d+(?= problems)", text).group())
        for name, yes, no, undecided, _, median, *_ in cells(text)[1:]:
            decided = int(undecided) < (int(yes) + int(no) + int(undecided) + 1) / 2
            columns[name, suite] = f"{undecided}, {float(median):.4f}" if decided else undecided
    return table(["search", *head],
                 [[title, *(columns.get((name, suite), "") for suite in SUITES)] for name, title in ENGINES.items()])


def certificates(given):
    suites = {
        "flat load, 58": (["none"], sorted((given.data / "flat-load").glob("*.csv"))),
        "pypto, 273: least height": (["height"], sorted((given.data / "pypto").rglob("*.json"))),
        "pypto sample, 13: least height": (["height"], sorted((given.data / "pypto-lib-sample").glob("*.json"))),
    }
    rows = []
    for title, (minimize, files) in suites.items():
        files = [file for file in files if "schema" not in file.name and file.stat().st_size and
                 not file.name.startswith("ascend")]
        text = output([given.bench / "bench_certificates", 60, "--minimize", *minimize, *files])
        numbers = re.search(r"files (\d+), with something proved (\d+), certified (\d+), refused (\d+), checking (\S+) s", text)
        rows.append([title, *numbers.groups()[1:]])
    return table(["problems", "results with a claim", "certificates accepted", "refused", "checking all, s"], rows)


def sessions(given):
    text = output([given.bench / "bench_tiles_incremental", given.models, 8, "sat"])
    rows = []
    for name, _, _, probes, _, _, calls, fresh, session_calls, session, *_ in cells(text)[1:]:
        ratio = float(fresh) / max(float(session), 1e-3)
        rows.append([name.removeprefix("sat, "), probes, calls, fresh, session_calls, session, f"{ratio:.1f}"])
    files = sorted((given.data / "flat-load").glob("H*.csv"))[:8]
    text = output([given.bench / "bench_encoder_sessions", "sat", *files])
    for kind, name in (("tile", "random: bisection"), ("ramp", "random: growing"), ("walk", "random: sizes drift")):
        fresh, _, session, ratio, calls, session_calls = re.search(
            rf"^all +{kind} +(\S+) +(\S+) +(\S+) +(\S+) +(\d+) -> +(\d+)", text, re.MULTILINE).groups()
        rows.append([name, 8 * 14, calls, fresh, session_calls, session, f"{float(ratio):.1f}"])
    return table(["queries", "number", "solver calls, fresh", "s", "solver calls, session", "s", "ratio"], rows)


CONFIGURATIONS = ("u55-128", "u55-256", "u55-256-2M", "u65-256", "u65-512", "u65-512-cs")


def ethos_u(given, *options):
    return output([sys.executable, HERE / "ethos_u.py", "--data", given.data / "ethos-u", "--program", given.program,
                   *options])


def vela_layers(given):
    found = {}
    for row in cells(ethos_u(given, "--plans", "layers", "--seconds", 8)):
        if len(row) == 7 and row[1] in CONFIGURATIONS:
            found[row[0], row[2], row[1]] = row[3:]
    rows = []
    for kind, group in sorted({(kind, group) for kind, group, _ in found}):
        spreads = [found.get((kind, group, name)) for name in CONFIGURATIONS]
        texts = [f"{float(low):.2f}–{float(high):.2f}" for _, low, _, high in spreads]
        rows.append([{"fc": "fully connected"}.get(kind, kind), group, spreads[0][0],
                     *(text if k == 0 or text != texts[k - 1] else "" for k, text in enumerate(texts))])
    return table(["layers", "networks", "number", *CONFIGURATIONS], rows)


def vela_networks(given):
    rows = []
    for title, configurations, options in (
            ("layer by layer", CONFIGURATIONS, ("--plans", "resident", "--seconds", 8)),
            ("best plan, 5 s", CONFIGURATIONS, ("--plans", "best", "--seconds", 5))):
        for row in cells(ethos_u(given, *options)):
            if len(row) == 6 and row[0] in configurations:
                _, networks, mean, least, most, _ = row
                rows.append([row[0], title, networks, f"{float(mean):.2f}", f"{float(least):.2f}–{float(most):.2f}"])
    rows.sort(key=lambda row: (CONFIGURATIONS.index(row[0]), row[1] != "layer by layer"))
    return table(["configuration", "Tessera's plan", "networks of 13", "cycles over Vela's, geometric mean", "range"], rows)


def eyeriss(given):
    rows = cells(output([sys.executable, HERE / "eyeriss.py", "--program", given.program]))[1:]
    return table(["layer", "chip, ms per image", "Tessera's estimate, ms", "ratio"], [row[:4] for row in rows])


# Peaks in bytes that the paper on tile-aware off-chip allocation publishes: whole tensors, its tiles.
PUBLISHED = {
    ("inception_v3", "plan"): ("Inception v3", 901600, 901600),
    ("inception_v4", "fixed"): ("Inception v4", 2235616, 1894560),
    ("inception_v4", "strips"): ("Inception v4", 2235616, 1894560),
    ("mobilenet_v1", "plan"): ("MobileNet v1", 301056, 278272),
    ("mobilenet_v2", "plan"): ("MobileNet v2", 100352, 100352),
    ("resnet_v2_101", "plan"): ("ResNet v2 101", 3240000, 2791232),
    ("mnasnet_1_3", "plan"): ("MNASNet 1.3", 200704, 200704),
    ("fsrcnn", "strips"): ("FSRCNN", 25165824, 16777216),
}


def offchip(given):
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        output([sys.executable, HERE / "offchip_networks.py", folder])
        for (name, tiles), (title, whole, published) in PUBLISHED.items():
            text = output([sys.executable, HERE / "offchip.py", given.program, folder, "--strips",
                           given.bench / "bench_offchip_strips", "--networks", name, "--tiles", tiles,
                           "--seconds", 10, "--plan-seconds", 30])
            row = cells(text)[1]
            bound = int(row[7])
            rows.append([title, tiles, f"{whole:,}", f"{published:,}", f"{int(row[3].rstrip('*')):,}", f"{int(row[6]):,}",
                         "yes" if int(row[6]) == bound else "no"])
    return table(["network", "tiles here", "published: whole tensors", "published: tile-aware", "Tessera: whole tensors",
                  "Tessera: by tile", "minimum proved"], rows)


MACHINES = ("ethos-u65-like", "nvdla-like", "eyeriss-like", "edgetpu-like")


def plans(given):
    text = output([given.bench / "bench_plan_networks", "table", given.models, 5, *MACHINES])
    found, networks = {}, []
    for network, machine, score, verdict, dram, *_ in cells(text)[1:]:
        bound = re.search(r"at least (\S+)", verdict)
        lower = f"{float(bound.group(1)):.2f}" if bound else "optimal"
        known = bound or verdict == "proved"
        found[network, machine] = f"{float(score):.2f} ({lower}), {dram.replace(' ', '')}" if known else "no plan"
        if network not in networks:
            networks.append(network)
    return table(["network", *MACHINES],
                 [[network, *(found.get((network, machine), "") for machine in MACHINES)] for network in networks])


def tiny(given):
    text = output([given.bench / "bench_tiny_latency"])
    rows = [[clock, *re.search(rf"^{clock} *median (\S+), 99 % (\S+), 99.9 % (\S+), worst (\S+)", text,
                               re.MULTILINE).groups()] for clock in ("wall", "processor")]
    return table(["10,000 problems, microseconds each", "median", "99 %", "99.9 %", "worst"], rows)


TABLES = {function.__name__.replace("_", "-"): function for function in (
    minimalloc, idealloc, compilers, pypto, arena, engines, certificates, sessions, vela_layers, vela_networks, eyeriss,
    offchip, plans, tiny)}


def make(given):
    print(TABLES[given.name](given))


def insert(given):
    text = given.page.read_text(encoding="utf-8")
    body = (given.folder / f"{given.only}.md").read_text(encoding="utf-8").strip()
    marked = re.compile(rf"(<!-- results: {given.only} -->\n).*?(<!-- end -->)", re.DOTALL)
    text, count = marked.subn(lambda found: f"{found[1]}Commit `{given.commit}`.\n\n{body}\n{found[2]}", text)
    if count != 1:
        sys.exit(f"{given.page} has {count} tables '{given.only}': the table is in {given.folder} alone")
    given.page.write_text(text, encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    actions = parser.add_subparsers(required=True)
    action = actions.add_parser("make")
    action.set_defaults(action=make)
    action.add_argument("name", choices=TABLES)
    action.add_argument("--program", type=pathlib.Path, default="build/release/cli/tessera")
    action.add_argument("--bench", type=pathlib.Path, default="build/release/bench")
    action.add_argument("--data", type=pathlib.Path, default="../shared/benchmarks")
    action.add_argument("--models", type=pathlib.Path, default="../shared/models")
    action.add_argument("--minimalloc", type=pathlib.Path)
    action.add_argument("--challenging", type=pathlib.Path)
    action.add_argument("--dsa-solver", type=pathlib.Path)
    action.add_argument("--tflite-micro", type=pathlib.Path)
    action = actions.add_parser("insert")
    action.set_defaults(action=insert)
    action.add_argument("folder", type=pathlib.Path)
    action.add_argument("page", type=pathlib.Path)
    action.add_argument("--only", choices=TABLES, required=True)
    action.add_argument("--commit", required=True)
    given = parser.parse_args()
    given.action(given)


if __name__ == "__main__":
    main()
