#!/usr/bin/env python3
"""Peaks that the tensor allocator of Vela, a hill climb, reaches on buffer CSV files.

    bench/vela_hillclimb.py CHECKOUT ITERATIONS FILE...

CHECKOUT is a checkout of nxp-imx/ethos-u-vela. Its `hillclimb_allocation.py` runs as it stands, with at most ITERATIONS
(its default is 99999) and the lower bound as the target; it needs numpy. Prints one line per file: name, load, peak, seconds of
the processor.
"""

import bisect
import csv
import importlib
import pathlib
import sys
import time
import types


class LiveRange:
    """What the allocator reads of a live range; both ends of its life are inside."""

    def __init__(self, row):
        self.start_time, self.end_time = int(row["lower"]), int(row["upper"]) - 1
        self.size = int(row["size"])

    def get_alignment(self):
        return 1


def allocator(checkout):
    """The class; the rest of Vela, which needs further packages, is not imported."""
    folder = pathlib.Path(checkout, "ethosu", "vela")
    package = types.ModuleType("vela")
    package.__path__ = [str(folder)]
    live_range = types.ModuleType("vela.live_range")
    live_range.LiveRange = LiveRange
    sys.modules.update({"vela": package, "vela.live_range": live_range})
    return importlib.import_module("vela.hillclimb_allocation").HillClimbAllocator


def peak(hill_climb, iterations, file):
    """(load, peak) of a CSV file with half-open lives."""
    with open(file, encoding="utf-8") as text:
        rows = [LiveRange({key.strip(): value for key, value in row.items()}) for row in csv.DictReader(text)]
    # Only the order of births and deaths counts: fewer steps make the allocator quicker.
    births = sorted({row.start_time for row in rows})
    for row in rows:
        row.start_time, row.end_time = (bisect.bisect_right(births, step) - 1 for step in (row.start_time, row.end_time))
    search = hill_climb(rows, iterations, 1 << 62)
    search.memory_limit = search.min_required_size
    addresses = search.allocate()
    return search.min_required_size, max(address + row.size for address, row in zip(addresses, rows))


def main(checkout, iterations, *files):
    hill_climb = allocator(checkout)
    for file in files:
        start = time.process_time()
        load, height = peak(hill_climb, int(iterations), file)
        print(f"{pathlib.Path(file).name} {load} {height} {time.process_time() - start:.1f}", flush=True)


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
