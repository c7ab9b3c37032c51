"""Off-chip placement: tile-aware, compared with whole tensors and with published results.

    python3 bench/offchip_networks.py NETWORKS
    python3 bench/offchip.py build/release/cli/tessera NETWORKS ../shared/models \\
        --strips build/release/bench/bench_offchip_strips

For each network (.onnx and .yaml in the folders): the plan's own groups and tiles; "fixed", every op alone
in the fewest tiles that fit; and with --strips the program bench_offchip_strips, every op alone in 16
strips of equal height, as in the publication of tile-aware allocation, once per --layouts. Only intermediate tensors are
placed: weights are always live, inputs and results belong to the caller. Columns:

    shared   Shared Objects, whole tensors, the best of three strategies (engine shared-objects)
    whole    whole tensors at the minimum height, * if proved
    taa      tile-aware allocation as published (engine taa)
    exact    the same, but a step up is by the shared bytes (--switch taa.overlap=exact)
    ours     place --minimize, at most --seconds, with the bound it proved

Times of shared and taa are the minimum of five runs of the placement and its check; those of ours include
the whole program.
"""

import argparse
import json
import re
import subprocess
import tempfile
import time
from pathlib import Path


TILES = ["plan", "fixed", "strips"]


def run(command):
    start = time.monotonic()
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    return done, time.monotonic() - start


def placed(tessera, problem, *options, times=1):
    """Height, bound, minimum seconds of the placement and of the program; no height without a placement."""
    least = []
    for _ in range(times):
        done, seconds = run([tessera, "place", problem, "--format", "json", "--quiet", *options])
        if done.returncode not in (0, 30):
            raise SystemExit(f"{problem}: {done.stderr}")
        result = json.loads(done.stdout)
        least.append((result["seconds"], seconds))
    height = result["height"] if result["status"] == "feasible" else None
    return height, result["lower_bound"], *min(least)


def outside(tessera, network, folder):
    """Ids of buffers live before the first tile or after the last: inputs and results."""
    text = folder / "network.yaml"
    run([tessera, "import", network, "-o", text])
    lists = re.findall(r"^(?:inputs|outputs): \[(.*)\]$", text.read_text(), re.MULTILINE)
    return {name.strip().strip('"') for names in lists for name in names.split(",")}


def intermediate(text, others):
    """Without weights, inputs and results."""
    kept = []
    for line in text.splitlines(True):
        named = re.match(r'  - \{id: ("[^"]*"|[^,]*), ', line)
        if named and ("kind: weight" in line or named[1].strip('"') in others):
            continue
        kept.append(line)
    return "".join(kept)


def whole_tensors(text):
    return re.sub(r", parts: \[.*\](?=[,}])", "", text)


def row(tessera, text, seconds, folder):
    if "  - {id: " not in text:
        return [0, "0*", 0, 0, 0, 0, "", "", "", ""]  # one group: no tensor crosses a boundary
    parts, whole = folder / "parts.yaml", folder / "whole.yaml"
    parts.write_text(text)
    whole.write_text(whole_tensors(text))
    shared, _, shared_time, _ = placed(tessera, parts, "-e", "shared-objects", "-c", "1 TiB", times=5)
    lowest, lowest_bound, _, _ = placed(tessera, whole, "--minimize", "-t", f"{seconds}s")
    taa, _, taa_time, _ = placed(tessera, parts, "-e", "taa", "-c", "1 TiB", times=5)
    exact, _, _, _ = placed(tessera, parts, "-e", "taa", "--switch", "taa.overlap=exact", "-c", "1 TiB")
    ours, bound, _, ours_time = placed(tessera, parts, "--minimize", "-t", f"{seconds}s")
    return [shared, f"{lowest}{'*' if lowest == lowest_bound else ''}", taa, exact, ours, bound,
            f"{1000 * shared_time:.1f}", f"{1000 * taa_time:.1f}", f"{ours_time:.1f}", f"{ours / lowest:.3f}"]


def questions(given, network, folder):
    """(name of the tiling, the problem or None)"""
    for name, options in (("plan", []), ("fixed", ["--layer-by-layer"])):
        if name not in given.tiles:
            continue
        question = folder / "question.yaml"
        done, _ = run([given.tessera, "plan", network, "--dtype", "int8", "--profile", given.profile, "--quiet",
                       "--offchip", question, "--timeout", f"{given.plan_seconds}s", *options])
        yield name, question.read_text() if done.returncode in (0, 30) else None
    if given.strips and "strips" in given.tiles:
        for layout in given.layouts:
            done, _ = run([given.strips, network, "16", layout])
            yield f"strips, {layout}", done.stdout if done.returncode == 0 else None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tessera", type=Path)
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--strips", type=Path, help="the program bench_offchip_strips")
    parser.add_argument("--profile", default="ethos-u65-256")
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--plan-seconds", type=int, default=60, help="limit of each plan")
    parser.add_argument("--layouts", nargs="*", default=["NCHW"], help="of the strips: NCHW, NCHW32c, NHWC")
    parser.add_argument("--networks", nargs="*", default=[])
    parser.add_argument("--tiles", nargs="*", choices=TILES, default=TILES)
    given = parser.parse_args()
    print("| network | tiles | shared | whole | taa | exact | ours | bound | shared ms | taa ms | ours s | ours / whole |")
    print("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    networks = {}
    for folder in given.folders:
        for file in folder.iterdir():
            if file.suffix in (".onnx", ".yaml"):
                networks.setdefault(file.stem, file)  # the first file of a name
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        for name, network in sorted(networks.items()):
            if given.networks and name not in given.networks:
                continue
            others = outside(given.tessera, network, folder)
            for tiles, question in questions(given, network, folder):
                cells = question and row(given.tessera, intermediate(question, others), given.seconds, folder)
                print(f"| {name} | {tiles} | " + (" | ".join(map(str, cells)) if cells else "no plan") + " |",
                      flush=True)


if __name__ == "__main__":
    main()
