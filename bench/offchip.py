"""What lies off the chip: tile-aware placement against whole tensors and against what is published.

    python3 bench/offchip.py build/release/cli/tessera ../shared/models --profile ethos-u65-256

For each network: the plan's own runs and tiles, and layer by layer ("fixed tiles": every op by
itself, in the fewest tiles that fit). Weights are left out: they are always there. Columns:

    shared   Shared Objects, whole tensors, the best of three strategies (engine shared-objects)
    whole    whole tensors at the least height, and * where it is proved
    taa      tile-aware allocation as published (engine taa)
    ours     place --minimize, at most --seconds, with the bound it proved
"""

import argparse
import json
import re
import subprocess
import tempfile
import time
from pathlib import Path


def run(command):
    start = time.monotonic()
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    return done, time.monotonic() - start


def placed(tessera, problem, *options):
    """Height, bound and seconds of one placement; None where there was none."""
    done, seconds = run([tessera, "place", problem, "--format", "json", "--quiet", *options])
    if done.returncode not in (0, 30):
        raise SystemExit(f"{problem}: {done.stderr}")
    result = json.loads(done.stdout)
    if result["status"] != "feasible":
        return None, result["lower_bound"], seconds
    return result["height"], result["lower_bound"], seconds


def without_weights(text):
    return "".join(line for line in text.splitlines(True) if "kind: weight" not in line)


def whole_tensors(text):
    return re.sub(r", parts: \[.*\](?=[,}])", "", text)


def row(tessera, network, profile, options, seconds, folder):
    question, parts, whole = folder / "question.yaml", folder / "parts.yaml", folder / "whole.yaml"
    done, _ = run([tessera, "plan", network, "--dtype", "int8", "--profile", profile, "--quiet", "--offchip", question,
                   "--timeout", "60s", *options])
    if done.returncode != 0:
        return None
    parts.write_text(without_weights(question.read_text()))
    whole.write_text(whole_tensors(parts.read_text()))
    shared, _, shared_time = placed(tessera, parts, "-e", "shared-objects", "-c", "1 TiB")
    lowest, lowest_bound, _ = placed(tessera, whole, "--minimize", "-t", f"{seconds}s")
    taa, _, taa_time = placed(tessera, parts, "-e", "taa", "-c", "1 TiB")
    ours, bound, ours_time = placed(tessera, parts, "--minimize", "-t", f"{seconds}s")
    return [shared, f"{lowest}{'*' if lowest == lowest_bound else ''}", taa, ours, bound, f"{1000 * shared_time:.0f}",
            f"{1000 * taa_time:.0f}", f"{ours_time:.1f}", f"{ours / lowest:.3f}"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tessera", type=Path)
    parser.add_argument("models", type=Path)
    parser.add_argument("--profile", default="ethos-u65-256")
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--networks", nargs="*", default=[])
    given = parser.parse_args()
    print("| network | tiles | shared | whole | taa | ours | bound | shared ms | taa ms | ours s | ours / whole |")
    print("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    with tempfile.TemporaryDirectory() as folder:
        for network in sorted(given.models.glob("*.onnx")):
            if given.networks and network.stem not in given.networks:
                continue
            for name, options in (("plan", []), ("fixed", ["--layer-by-layer"])):
                cells = row(given.tessera, network, given.profile, options, given.seconds, Path(folder))
                print(f"| {network.stem} | {name} | " + (" | ".join(map(str, cells)) if cells else "no plan") + " |",
                      flush=True)


if __name__ == "__main__":
    main()
