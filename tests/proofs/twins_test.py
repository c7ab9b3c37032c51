"""Certificates that use interchangeable buffers (twins), for both checkers: lines about twins are accepted
for twins only. Each problem is infeasible for another reason, proved in the certificate as well, so that
only the lines about twins decide."""

import pathlib
import subprocess
import tempfile
import unittest

import compare_test
from damage import sealed

HEAD = "tessera: problem/1\nmemories: {m: {capacity: 7}, n: {capacity: 64}}\nbuffers:\n"
PLAIN = {"live": "[0, 3]", "size": 4, "memory": "[m]"}


def problem(buffers, relations=(), head=HEAD):
    lines = [f"  - {{{', '.join(f'{key}: {value}' for key, value in {'id': name, **PLAIN, **said}.items())}}}" for name, said in buffers]
    text = head + "\n".join(lines) + "\n"
    if relations:
        text += "relations:\n" + "".join(f"  - {{{one}}}\n" for one in relations)
    return text


def certificate(lines, head=HEAD):
    banks = "capacity 0 7 m\ncapacity 1 64 n\n"
    return sealed("tessera proof/2\n" + banks + "claim infeasible\nderivation\n" + "\n".join(lines) + "\n")


# a, b: variables 0 and 1, items 0 and 1. The others are c and d, which do not fit both: 2 and 3, and the order 4 of their items.
BEGIN = ["o 0 0", "o 1 1", "o 2 2", "o 3 3", "i 0 0 4", "i 1 0 4", "i 2 0 4", "i 3 0 4", "p 4 2 3"]
END = ["l 901 1 9 1", "e -1 1 8 1", "q", "l 902 0", "e -1 1 9 1", "q"]


class Twins(unittest.TestCase):
    def setUp(self):
        self.first = compare_test.First()
        self.addCleanup(self.first.close)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def verdicts(self, text, proof):
        given, path = self.folder / "problem.yaml", self.folder / "c.proof"
        given.write_text(text)
        path.write_bytes(proof)
        return self.first.verdict(given, path), compare_test.second(text.encode(), proof)

    def accepted(self, text, lines):
        one, two = self.verdicts(text, certificate(BEGIN + lines + END))
        self.assertEqual((compare_test.kind_of(one), one), ("proved", two), text)

    def refused(self, text, lines):
        one, two = self.verdicts(text, certificate(BEGIN + lines + END))
        self.assertEqual((compare_test.kind_of(one), compare_test.kind_of(two)), ("refused", "refused"), f"{text}{lines}\n{one}\n{two}")
        # Because of the line about twins, the last of these.
        line = 5 + len(BEGIN) + len(lines)
        self.assertIn(f"line {line}", one.lower(), text)
        self.assertIn(f"line {line}:", two, text)

    def damages(self):
        """(description, changed properties, relations) of two buffers that would otherwise be twins; c and d
        are live with both."""
        yield "size", {"size": 5}, []
        yield "alignment", {"alignment": 2}, []
        yield "memory", {"memory": "[m, n]"}, []
        yield "window", {"window": "[0, 6]"}, []
        yield "a fixed offset", {"offset": 0}, []
        yield "gaps", {"gaps": "[{live: [1, 2]}]"}, []
        yield "disjoint", {}, ["disjoint: [b, e]"]
        yield "may_overlap", {}, ["may_overlap: [b, c]"]
        yield "same_offset", {}, ["same_offset: [b, e]"]
        yield "bank", {}, ["different_banks: [b, e]"]
        yield "same bank", {}, ["same_bank: [a, e]"]
        yield "same memory", {}, ["same_memory: [a, e]"]
        yield "different memories", {}, ["different_memories: [a, f]"]
        yield "cost", {}, ["avoid_overlap: [a, b, e], cost: 2", "avoid_overlap: [b, e], cost: 1"]
        yield "adjacent", {}, ["adjacent: [a, b]"]
        yield "lives", {"live": "[0, 4]"}, []

    def buffers(self, of_b, of_a=None):
        return [("a", of_a or {}), ("b", of_b), ("c", {}), ("d", {}), ("e", {"live": "[3, 5]"}),
                ("f", {"live": "[3, 5]", "memory": "[m, n]"})]

    def test_an_order_of_twins(self):
        lines = ["p 5 0 1", "y 10"]
        self.accepted(problem(self.buffers({})), lines)
        # Lifetimes may differ if conflicts do not, and a relation may replace another one or a conflict by
        # time.
        self.accepted(problem(self.buffers({"live": "[1, 3]"})), lines)
        self.accepted(problem(self.buffers({"live": "[0, 4]"}), ["disjoint: [a, e]", "disjoint: [a, f]"]), lines)
        self.accepted(problem(self.buffers({}), ["disjoint: [b, e]", "disjoint: [a, e]"]), lines)
        self.accepted(problem(self.buffers({}), ["disjoint: [b, c]"]), lines)
        for what, of_b, relations in self.damages():
            if what == "memory":  # not even `p` is allowed
                continue
            with self.subTest(what):
                self.refused(problem(self.buffers(of_b), relations), lines)
        # The reverse order; and the same for other buffers.
        self.refused(problem(self.buffers({})), ["p 5 0 1", "y 11"])
        self.refused(problem(self.buffers({})), ["p 5 1 0", "y 10"])
        # Not a class: a and b are twins, c is not.
        self.refused(problem(self.buffers({}), ["disjoint: [c, e]"]), ["p 5 0 1", "y 10", "p 6 0 2", "y 12"])

    def test_an_upside_down_of_twins(self):
        one = "tessera: problem/1\nmemories: {m: {capacity: 7}}\nbuffers:\n"
        proof = lambda: sealed("tessera proof/2\ncapacity 0 7 m\nclaim infeasible\nderivation\n" +  # noqa: E731
                               "\n".join(BEGIN + ["p 5 0 1", "z 10"] + END) + "\n")
        alone = problem([("a", {}), ("b", {"size": 5}), ("c", {"size": 6}), ("d", {"size": 7})], head=one)
        first, second = self.verdicts(alone, proof())
        self.assertEqual((compare_test.kind_of(first), first), ("proved", second))
        twins = problem([("a", {}), ("b", {"size": 5}), ("c", {}), ("d", {"size": 7})], head=one)
        first, second = self.verdicts(twins, proof())
        self.assertEqual((compare_test.kind_of(first), compare_test.kind_of(second)), ("refused", "refused"))

    def test_clauses_about_twins_in_several_memories(self):
        free = {"memory": "[m, n]"}
        text = problem(self.buffers(free, free))
        begin = ["m 5 0 0", "m 6 1 0", "v 7 0 1", "j 8 0 1 0", "j 9 1 0 0"]
        # Excluded: b in m and a in n; in m, a lies below b, at no higher offset.
        right = ["a 1 2 10 1 13 1", "a 1 3 11 1 13 1 14 1", "a 1 3 11 1 13 1 16 1", "a 1 4 11 1 13 1 2 3 1 -6"]
        for each in right:
            self.accepted(text, begin + [each])
        for each in ("a 1 2 11 1 12 1", "a 1 3 11 1 13 1 15 1", "a 1 3 11 1 13 1 18 1", "a 1 3 11 1 13 1 17 1",
                     "a 1 4 11 1 13 1 0 3 3 -6", "a 1 4 11 1 13 1 2 3 1 -5"):
            with self.subTest(each):
                self.refused(text, begin + [each])
        self.refused(text, begin[:3] + ["j 8 0 1 1", "j 9 1 0 0", right[2]])  # more than nothing
        for what, of_b, relations in self.damages():
            if what in ("memory", "a fixed offset", "adjacent"):
                continue
            for each in right[:3]:
                with self.subTest(f"{what}, {each}"):
                    self.refused(problem(self.buffers({**free, **of_b}, free), relations), begin + [each])

    def test_clauses_about_twins_at_one_place(self):
        buffers = [("a", {"live": "[0, 1]", "memory": "[m, n]"}), ("b", {"live": "[2, 3]", "memory": "[m, n]"}), ("c", {}), ("d", {})]
        begin = ["m 5 0 0", "m 6 1 0", "v 7 0 1", "j 8 0 1 0", "j 9 1 0 0"]
        right = ["a 1 2 11 1 12 1", "a 1 2 10 1 13 1", "a 1 3 11 1 13 1 16 1", "a 1 3 11 1 13 1 18 1"]
        for each in right:
            self.accepted(problem(buffers), begin + [each])
        self.refused(problem(buffers), begin + ["a 1 3 11 1 13 1 14 1"])  # no conflict separates them
        for relation in ("disjoint: [a, b]", "different_memories: [a, b]", "different_banks: [a, b]",
                         "avoid_overlap: [a, b], cost: 1", "disjoint: [b, e]"):
            with self.subTest(relation):
                others = [("e", {"live": "[7, 8]"})]
                self.refused(problem(buffers + others, [relation]), begin + [right[0]])
                if "memories" not in relation:
                    self.refused(problem(buffers + others, [relation]), begin + [right[3]])
        # Exempt pairs may overlap.
        together = [("a", {"memory": "[m, n]"}), ("b", {"memory": "[m, n]"}), ("c", {}), ("d", {})]
        self.accepted(problem(together, ["may_overlap: [a, b]"]), begin + [right[3]])
        self.refused(problem(together), begin + [right[3]])

    def test_the_program_writes_them(self):
        """Many twins, in proofs written by `place`."""
        sizes = [("b%d" % k, {"live": f"[{k % 2}, {2 + k % 2}]", "size": 3}) for k in range(6)]
        text = problem(sizes, ["disjoint: [b0, b2, b4]"], "tessera: problem/1\nmemories: {m: {capacity: 17}}\nbuffers:\n")
        given, path = self.folder / "problem.yaml", self.folder / "c.proof"
        given.write_text(text)
        done = subprocess.run([compare_test.TESSERA, "place", given, "--proof", path, "-q"], check=False)
        self.assertEqual(done.returncode, 20)
        one, two = self.first.verdict(given, path), compare_test.second(given.read_bytes(), path.read_bytes())
        self.assertEqual((compare_test.kind_of(one), one), ("proved", two))


if __name__ == "__main__":
    unittest.main()
