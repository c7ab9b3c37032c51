#!/usr/bin/env python3
"""Arena sizes of TensorFlow Lite models: by TensorFlow Lite Micro's own planner, and the minimum proved by
`tessera place`.

    python3 bench/tflm_greedy.py TFLITE_MICRO MODEL.tflite...

TFLITE_MICRO is a checkout of github.com/tensorflow/tflite-micro. Its GreedyMemoryPlanner is compiled
unmodified. It gets the activations of each model in file order, as from its allocator. Scratch buffers are
missing, since only kernels know them.
"""

import csv
import json
import os
import pathlib
import subprocess
import sys
import tempfile

TESSERA = os.environ.get("TESSERA", "build/release/cli/tessera")
PLANNER = "tensorflow/lite/micro/memory_planner/greedy_memory_planner"
DRIVER = f"""
#include <cstdarg>
#include <iostream>
#include <vector>
#include "{PLANNER}.h"
void MicroPrintf(const char*, ...) {{}}
void VMicroPrintf(const char*, va_list) {{}}
int main() {{
  std::vector<unsigned char> scratch(1 << 24);
  tflite::GreedyMemoryPlanner planner;
  planner.Init(scratch.data(), static_cast<int>(scratch.size()));
  int size = 0, first = 0, last = 0;
  while (std::cin >> size >> first >> last) planner.AddBuffer(size, first, last);
  std::cout << planner.GetMaximumMemorySize() << '\\n';
}}
"""


def tessera(*arguments):
    return subprocess.run([TESSERA, *map(str, arguments)], check=True, text=True,
                          stdout=subprocess.PIPE).stdout


def main(checkout, *models):
    with tempfile.TemporaryDirectory() as folder:
        driver = pathlib.Path(folder) / "driver"
        driver.with_suffix(".cc").write_text(DRIVER)
        subprocess.run(["c++", "-O1", "-std=c++17", "-DTF_LITE_STATIC_MEMORY", "-I", checkout,
                        driver.with_suffix(".cc"), f"{checkout}/{PLANNER}.cc", "-o", driver],
                       check=True)
        print("| model | activations | GreedyMemoryPlanner | `place`, proved | saved |")
        print("| --- | ---: | ---: | ---: | ---: |")
        for model in models:
            rows = list(csv.DictReader(tessera("export", model, "--to", "csv").splitlines()))
            # Both ends of a lifetime are inclusive.
            asked = "".join(f"{row['size']} {row['lower']} {int(row['upper']) - 1}\n"
                            for row in rows)
            greedy = int(subprocess.run([driver], input=asked, check=True, text=True,
                                        stdout=subprocess.PIPE).stdout)
            placed = json.loads(tessera("place", model, "--format", "json"))
            least = placed["height"]
            if not placed["proven_minimum"]:
                raise SystemExit(f"{model}: the least height was not proved")
            saved = 100 * (1 - least / greedy)
            name = pathlib.Path(model).stem
            print(f"| {name} | {len(rows)} | {greedy:,} | {least:,} | {saved:.1f} % |")


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
