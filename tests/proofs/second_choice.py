"""Benefits, as in docs/reference/proofs.md under `choice`: rows, and a tree of decisions on units."""

from copy import copy
from math import gcd

from second_facts import Refuted, Wrong, index_of, numbers

LARGE = 1 << 40


def units_of(problem):
    """The buffers of each unit, in the order of their first ones."""
    units, groups = [], {}
    for n, b in enumerate(problem.buffers):
        if not b.optional:
            continue
        if b.group and b.group in groups:
            units[groups[b.group]].append(n)
            continue
        if b.group:
            groups[b.group] = len(units)
        units.append([n])
    return units


def only(problem, there):
    """The problem restricted to these buffers."""
    rest = copy(problem)
    new = {n: at for at, n in enumerate(sorted(there))}
    rest.buffers = [problem.buffers[n] for n in sorted(there)]
    rest.relations = []
    for kind, buffers, cost in problem.relations:
        runs = [[]]
        for n in buffers:
            if n in new:
                runs[-1].append(new[n])
            elif kind == "adjacent":
                runs.append([])
        rest.relations += [(kind, run, cost) for run in runs if len(run) > 1]
    return rest


def up(value, grain):
    return value + -value % grain


class Choice:
    """`cut` and `derivation` check the lines of such a proof, or raise Wrong; `stretches` are those of a cut."""

    def __init__(self, refuted, cut, derivation, stretches, seen):
        self.refuted, self.problem, self.seen = refuted, refuted.problem, seen
        self.cut, self.derivation, self.stretches = cut, derivation, stretches
        self.units = units_of(self.problem)
        self.unit_of = {n: u for u, unit in enumerate(self.units) for n in unit}
        self.by_name = {unit[0]: u for u, unit in enumerate(self.units)}
        self.worth = [sum(self.problem.buffers[n].benefit for n in unit) for unit in self.units]
        step = gcd(*self.worth) or 1
        self.above = (refuted.value // step + 1) * step
        self.rows = []
        self.state = [None] * len(self.units)  # None, True: in, False: out
        self.branches = []
        self.prices = None
        self.closed = False

    def note(self, what):
        if self.seen is not None:
            self.seen.add(what)

    def check(self, lines, first):
        """Lines of the file from number `first` on."""
        at = 0

        def ends(line):
            return line == "tree" or line == "row" or line.startswith("row ")

        while at < len(lines) and lines[at] != "tree":
            end = at + 1
            while end < len(lines) and not ends(lines[end]):
                end += 1
            try:
                self.row(lines[at], lines[at + 1:end], first + at + 1)
            except Wrong as wrong:
                raise Wrong(str(wrong), wrong.line or first + at) from None
            at = end
        if at == len(lines):
            raise Wrong("there is no tree", first + at - 1)
        for at in range(at + 1, len(lines)):
            try:
                self.step(lines[at])
            except Wrong as wrong:
                raise Wrong(str(wrong), first + at) from None
        if not self.closed:
            raise Wrong("a branch is left open", first + len(lines) - 1)

    def unit(self, n):
        if n not in self.by_name:
            raise Wrong(f"{n} is not the first buffer of a unit")
        return self.by_name[n]

    # --- rows ---

    def row(self, head, lines, first):
        if head == "row sum":
            self.rows.append(self.sum_row(lines))
            self.note("row sum")
        elif head == "row set" or head.startswith("row set "):
            named = [self.unit(n) for n in numbers(head[8:])] if head != "row set" else []
            if len(set(named)) < len(named) or head == "row set ":
                raise Wrong("a unit is named twice, or none behind a blank")
            there = {n for n, b in enumerate(self.problem.buffers) if not b.optional or self.unit_of[n] in named}
            refuted = Refuted(only(self.problem, there), ("infeasible", 0, []))
            kind = lines[0] if lines else ""
            if kind not in ("cut", "derivation"):
                raise Wrong("neither a cut nor a derivation")
            (self.cut if kind == "cut" else self.derivation)(lines[1:], refuted, first + 1)
            self.rows.append(({u: 1 for u in named}, len(named) - 1))
            self.note(f"row set by {kind}")
        else:
            raise Wrong("a row is `row sum` or `row set`")

    def sum_row(self, lines):
        said = {"step": None, "grain": None, "room": None, "memory": [], "buffer": []}
        for line in lines:
            word, _, rest = line.partition(" ")
            if word in ("memory", "buffer"):
                said[word].append(index_of(self.problem, word, rest, line, said[word]))
            elif word in ("step", "grain", "room") and said[word] is None:
                said[word] = numbers(rest, 1)[0]
            else:
                raise Wrong(f"{line!r} is no line of a row, or stands twice")
        step, grain = said["step"], said["grain"] if said["grain"] is not None else 1
        if step is None or said["room"] is None or not 1 <= grain <= 1 << 60:
            raise Wrong("a step or a room is missing, or the grain is none")
        if not all(self.refuted.limited[m] for m in said["memory"]):
            raise Wrong("a memory without a limit")
        room = sum(up(length, grain) for m in said["memory"] for length in self.stretches(self.refuted, m, grain, None))
        amounts = {}
        for n in said["buffer"]:
            b = self.problem.buffers[n]
            item = next(((p[2], p[3]) for p in self.refuted.parts[n] if p[0] <= step < p[1]), None)
            if item is None:
                raise Wrong(f"buffer {b.name}: nothing of it lives at the step")
            begin, end = item
            length = end - begin
            if b.tiles:
                runs = b.used(step)
                begin, end, length = runs[0][0], runs[-1][1], sum(two - one for one, two in runs)
            if begin % grain or (length != end - begin and grain != 1):
                raise Wrong(f"buffer {b.name}: not in one piece on the grain")
            for m in self.refuted.allowed[n]:
                if m not in said["memory"] or self.refuted.alignment(n, m) % grain:
                    raise Wrong(f"buffer {b.name}: another memory, or not on the grain")
            if any(self.refuted.exempt(n, other) for other in said["buffer"] if other != n):
                raise Wrong(f"buffer {b.name} may share addresses with another one")
            if b.optional:
                amounts[self.unit_of[n]] = amounts.get(self.unit_of[n], 0) + up(length, grain)
            else:
                room -= up(length, grain)
        if room != said["room"]:
            raise Wrong(f"the room is {room}")
        if any(amount > 1 << 60 for amount in amounts.values()):
            raise Wrong("an amount above 2^60")
        common = gcd(*amounts.values()) or 1
        if grain > 1:
            self.note("row with a grain")
        return {u: amount // common for u, amount in amounts.items()}, room // common

    # --- the tree ---

    def step(self, line):
        if self.closed:
            raise Wrong("something follows the tree")
        word, _, rest = line.partition(" ")
        if word == "prices":
            self.price(numbers(rest))
        elif word in ("in", "out"):
            u = self.unit(numbers(rest, 1)[0])
            if self.state[u] is not None:
                raise Wrong("that unit is decided")
            self.state[u] = word == "in"
            self.branches.append([u, False, []])
        elif word == "twin":
            self.twin(*(self.unit(n) for n in numbers(rest, 2)))
        elif line == "leaf":
            if self.prices is None:
                raise Wrong("there are no prices")
            denominator, bound, reduced = self.prices
            for u, value in enumerate(reduced):
                if self.state[u] or (self.state[u] is None and value > 0):
                    bound += value
            if bound >= denominator * self.above:
                raise Wrong(f"the bound is {bound}, not below {denominator} x {self.above}")
            self.close()
        elif word == "over":
            r = numbers(rest, 1)[0]
            if not 0 <= r < len(self.rows):
                raise Wrong("there is no such row")
            amounts, room = self.rows[r]
            if sum(amount for u, amount in amounts.items() if self.state[u]) <= room:
                raise Wrong("what is in keeps that row")
            self.close()
        else:
            raise Wrong("not a line of a tree")
        self.note(f"tree {word}")

    def twin(self, one, other):
        """If one of two equivalent units is out, the later one may be assumed out, too."""
        if one >= other or self.state[one] is not False or self.state[other] is not None:
            raise Wrong("the first of the two comes first and is out, the second is not decided")
        if self.worth[one] != self.worth[other]:
            raise Wrong("the two are not worth the same")
        if any(amounts.get(one, 0) != amounts.get(other, 0) for amounts, _ in self.rows):
            raise Wrong("a row tells the two apart")
        self.state[other] = False
        if self.branches:
            self.branches[-1][2].append(other)

    def price(self, words):
        rows, multipliers = words[1::2], words[2::2]
        if len(words) % 2 != 1 or rows != sorted(set(rows)) or len(rows) > 1 << 20 or not 1 <= words[0] <= LARGE:
            raise Wrong("prices are a denominator, then rows in ascending order with their multipliers")
        if any(not 0 <= r < len(self.rows) for r in rows) or any(not 1 <= m <= LARGE for m in multipliers):
            raise Wrong("there is no such row, or a multiplier is out of range")
        bound, reduced = 0, [words[0] * worth for worth in self.worth]
        for r, m in zip(rows, multipliers):
            amounts, room = self.rows[r]
            bound += m * room
            for u, amount in amounts.items():
                reduced[u] -= m * amount
        self.prices = words[0], bound, reduced

    def close(self):
        while self.branches:
            branch = self.branches[-1]
            for u in branch[2]:
                self.state[u] = None
            branch[2] = []
            if not branch[1]:
                branch[1] = True
                self.state[branch[0]] = not self.state[branch[0]]
                return
            self.state[branch[0]] = None
            self.branches.pop()
        self.closed = True
