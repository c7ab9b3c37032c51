#!/usr/bin/env python3
"""Results of training/: reproducible problems, and forests that read back as fitted."""

import pathlib
import sys
import unittest

from support import FOUND, INFEASIBLE, ROOT, STOPPED, Case, run

sys.path.insert(0, str(ROOT / "training"))
import families


def forest_of(path):
    """An independent reader of engine/forest.h: names, threshold, and the value of a row."""
    names, base, threshold, trees = [], 0.0, None, []
    for line in pathlib.Path(path).read_text().splitlines():
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        if words[0] == "features":
            names = words[1:]
        elif words[0] == "base":
            base = float(words[1])
        elif words[0] == "threshold":
            threshold = float(words[1])
        elif words[0] == "tree":
            trees.append([])
        else:
            trees[-1].append((words[0], float(words[1])))

    def build(nodes):
        word, value = nodes.pop(0)
        if word == "=":
            return value
        return int(word), value, build(nodes), build(nodes)

    built = []
    for nodes in trees:
        built.append(build(nodes))
        assert not nodes, "a tree has nodes that nobody reaches"
    return names, base, threshold, built


class Families(Case):
    def test_the_same_for_the_same_numbers(self):
        one = families.make(self.folder / "one", 2)
        two = families.make(self.folder / "two", 1, first=1)
        self.assertGreaterEqual(len(one), 8)
        for family, files in one.items():
            self.assertEqual(files[1].read_text(), two[family][0].read_text(), family)
            self.assertNotEqual(files[0].read_text(), files[1].read_text(), family)

    def test_the_program_takes_them(self):
        for family, files in families.make(self.folder, 1).items():
            done = run("place", files[0], "-t", "2s")
            self.assertIn(done.returncode, (FOUND, INFEASIBLE, STOPPED), f"{family}: {done.stderr}")


class Forests(unittest.TestCase):
    def test_the_shipped_ones_are_whole(self):
        for path in ("search/guided/backtracking.forest", "placer/first_choice.forest"):
            names, _, threshold, trees = forest_of(ROOT / path)
            self.assertEqual(len(trees), 100, path)
            self.assertIsNotNone(threshold, path)
            self.assertEqual(len(set(names)), len(names), path)
            self.assertIn("trained by training/", (ROOT / path).read_text())


if __name__ == "__main__":
    unittest.main()
