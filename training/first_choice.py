"""Trains the forest that selects the first engine of `auto`, from records of run times.

    python3 training/first_choice.py record FOLDER BENCH [COUNT]    problems of every family, and FOLDER/<family>.first.csv
    python3 training/first_choice.py train FOLDER                   cross-validation over families, then FOLDER/first_choice.forest
    python3 training/first_choice.py judge FOLDER RECORDS.csv...    evaluates the forest of all families on other problems

BENCH is build/release/bench/bench_first_choice. Needs python3-xgboost and python3-numpy of Debian.
"""

import csv
import pathlib
import subprocess
import sys

import numpy

import families
import forests

TREES = 100
DEPTH = 3
LIMIT = 0.5  # time limit of a record in seconds
# minimum predicted speed-up, as a power of two (four times): a wrong choice costs more than a missed one
THRESHOLD = 2.0
QUICK = 0.001  # seconds: problems that canonical search decides faster need no choice

# The schedule of placer/decide.cpp on one thread. By default canonical search, joined in turns by the
# learning engine; if the forest selects the learning engine, a few nodes of canonical search, then the
# learning engine, joined by canonical search with a quarter of the work.
TINY, FIRST, SMALL = 0.002, 0.02, 0.05


def read(path):
    with open(path) as file:
        lines = csv.reader(file)
        names = next(lines)
        rows = list(lines)
    times = numpy.array([[float(word) for word in row[1:3]] for row in rows]).reshape(-1, 2)
    shapes = numpy.array([[float(word) for word in row[3:]] for row in rows], dtype=numpy.float32)
    return names[3:], times[:, 0], times[:, 1], shapes


def total(canonical, learning, chosen):
    both = numpy.where(canonical < SMALL, canonical, SMALL + 2 * numpy.minimum(canonical - SMALL, learning))
    rest = numpy.minimum((learning - FIRST) * 4 / 3, canonical * 4)
    asked = TINY + numpy.where(learning < FIRST, learning, FIRST + rest)
    return numpy.where(canonical < TINY, canonical, numpy.where(chosen, asked, both))


def mean(seconds):
    return float(numpy.exp(numpy.log(numpy.maximum(seconds, 1e-5)).mean())) * 1000


def fit(records):
    shapes = numpy.vstack([record[3] for record in records])
    canonical = numpy.concatenate([record[1] for record in records])
    learning = numpy.concatenate([record[2] for record in records])
    hard = canonical > QUICK
    gain = numpy.clip(numpy.log2(canonical[hard] / learning[hard]), -6, 6)
    return forests.fit(shapes[hard], gain, TREES, DEPTH, 3), int(hard.sum())


def line(name, record, fitted):
    _, canonical, learning, shapes = record
    if not len(canonical):
        print(f"{name:24} greedy heuristics and bounds decide all")
        return
    chosen = forests.predict(fitted, shapes) >= THRESHOLD
    moved = chosen & (canonical >= TINY)
    lost = moved & (total(canonical, learning, True) > total(canonical, learning, False))
    print(f"{name:24} {len(canonical):4} problems, learning first in {int(moved.sum()):3}, slower in {int(lost.sum()):3}; "
          f"geometric mean {mean(total(canonical, learning, False)):.2f} ms before, "
          f"{mean(total(canonical, learning, chosen)):.2f} ms now, {mean(total(canonical, learning, learning < canonical)):.2f} "
          f"at best; sum {total(canonical, learning, False).sum():.2f} s before, {total(canonical, learning, chosen).sum():.2f} s now")


def main(arguments):
    if len(arguments) < 2:
        sys.exit(__doc__)
    folder = pathlib.Path(arguments[1])
    if arguments[0] == "record":
        for family, files in families.make(folder / "problems", int(arguments[3]) if len(arguments) > 3 else 60).items():
            with open(folder / f"{family}.first.csv", "w") as out:
                subprocess.run([arguments[2], str(LIMIT), *map(str, files)], stdout=out, check=True)
        return
    records = {family: read(folder / f"{family}.first.csv") for family in families.FAMILIES}
    names = next(iter(records.values()))[0]
    fitted, rows = fit(list(records.values()))
    if arguments[0] == "train":
        for family, record in records.items():
            line(family, record, fit([other for name, other in records.items() if name != family])[0])
        print("gain:", forests.importance(fitted, names))
        forests.write(folder / "first_choice.forest", fitted, names, THRESHOLD, [
            "The first choice of `auto`: how many times (as a power of two) the learning engine is faster than canonical",
            f"search. {TREES} trees of depth {DEPTH} at most, gradient boosting (xgboost), trained by training/first_choice.py",
            f"on {rows} problems of the families {', '.join(records)}."])
    elif arguments[0] == "judge":
        for path in arguments[2:]:
            line(pathlib.Path(path).stem, read(path), fitted)
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
