"""Trains the forest of the guided search's learned backtracking: samples, training, the shipped file.

    python3 training/backtracking.py sample FOLDER BENCH [COUNT] [oracle]    problems of every family, and samples of both searches
    python3 training/backtracking.py train FOLDER FAMILY...         a forest from these families: FOLDER/backtracking.forest

BENCH is build/release/bench/bench_guided_samples (see its head for the labels). Needs
python3-xgboost and python3-numpy of Debian. docs/internals/guided-search.md describes the training data and the effect of
the shipped forest.
"""

import csv
import pathlib
import subprocess
import sys

import numpy

import families
import forests

TREES = 100
DEPTH = 4
STEPS = 20000
# The labels never penalise going far back much, although it discards decisions. Of the thresholds 5, 8 and 9,
# this one decided the most new problems of families not used for training.
THRESHOLD = 8
SECONDS = 3


def sample(folder, bench, count, oracle):
    made = families.make(folder / "problems", count)
    for family, files in made.items():
        for mode in ([], ["plain"]):
            name = folder / f"{family}-{'plain' if mode else 'learning'}.csv"
            with open(name, "w") as out:
                words = [*mode, *(["oracle"] if oracle else [])]
                done = subprocess.run([bench, "1", str(STEPS), str(SECONDS), *words, *map(str, files)],
                                      stdout=out, stderr=subprocess.PIPE, text=True, check=True)
            rows = sum(1 for _ in open(name)) - 1
            print(f"{name.name}: {rows} rows, {done.stderr.count(': placed')} of {len(files)} placed", flush=True)


def read(folder, wanted, mode):
    """Names of the features, their values, labels, weights, and the impasse each row belongs to; its first row is the search's
    own choice."""
    rows, labels, weights, groups = [], [], [], []
    names = None
    for family in wanted:
        with open(folder / f"{family}-{mode}.csv") as file:
            lines = csv.reader(file)
            names = next(lines)[5:]
            for line in lines:
                groups.append((line[0], line[1]))
                labels.append(float(line[2]))
                weights.append(float(line[4]))
                rows.append([float(word) for word in line[5:]])
    return names, numpy.array(rows, dtype=numpy.float32), numpy.array(labels), numpy.array(weights), groups


def impasses(groups):
    start = 0
    for at in range(1, len(groups) + 1):
        if at == len(groups) or groups[at] != groups[start]:
            yield start, at
            start = at


def rate(labels, groups, scores, threshold):
    """Mean label of the chosen level: by the search itself, and by scores if the best one reaches the
    threshold."""
    default, chosen, moved, best = [], [], 0, []
    for begin, end in impasses(groups):
        default.append(labels[begin])
        best.append(labels[begin:end].max())
        at = begin + int(numpy.argmax(scores[begin:end]))
        if scores[at] < threshold:
            at = begin
        moved += at != begin
        chosen.append(labels[at])
    return numpy.mean(default), numpy.mean(chosen), moved / max(1, len(default)), numpy.mean(best), len(default)


def train(folder, wanted, mode):
    names, rows, labels, weights, groups = read(folder, wanted, mode)
    # Cross-validation: each family is evaluated with the forest of the others.
    held = numpy.zeros(len(labels))
    for family in wanted:
        mine = numpy.array([f"/{family}/" in group[0] for group in groups])
        if mine.all() or not mine.any():
            continue
        held[mine] = forests.predict(forests.fit(rows[~mine], labels[~mine], TREES, DEPTH,
                                                         weights=weights[~mine]), rows[mine])
    for threshold in (5, 6, 7, THRESHOLD, 9):
        print(f"threshold {threshold}: default %.3f, chosen %.3f, moved %.3f, best possible %.3f, of %d"
              % rate(labels, groups, held, threshold))
    fitted = forests.fit(rows, labels, TREES, DEPTH, weights=weights)
    print("gain:", forests.importance(fitted, names))
    forests.write(folder / "backtracking.forest", fitted, names, THRESHOLD, [
        f"Learned backtracking of the guided search: {TREES} trees of depth {DEPTH} at most, gradient boosting (xgboost),",
        f"trained by training/backtracking.py on {len(labels)} levels of {sum(1 for _ in impasses(groups))} impasses "
        f"({mode} search)", f"of the families {', '.join(wanted)}."])


def main(arguments):
    if len(arguments) < 2:
        sys.exit(__doc__)
    folder = pathlib.Path(arguments[1])
    if arguments[0] == "sample":
        oracle = "oracle" in arguments[3:]
        counts = [int(word) for word in arguments[3:] if word != "oracle"]
        sample(folder, arguments[2], counts[0] if counts else 60, oracle)
    elif arguments[0] == "train":
        mode = "plain" if "plain" in arguments[2:] else "learning"
        train(folder, [word for word in arguments[2:] if word != "plain"], mode)
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
