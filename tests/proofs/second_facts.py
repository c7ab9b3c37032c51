"""Facts about the problem that a proof refutes, by docs/reference/proofs.md: ranges, parts, strides, disjoint ranges."""

from math import gcd

from second_reader import lcm

# Below every number in a file, and every sum of such numbers.
NOTHING = -(1 << 200)
# The addresses of a memory without a limit.
UNLIMITED = 1 << 61
# Limits of a derivation's numbers.
LARGE = 1 << 62
MOST_MODES = 1_000_000


class Wrong(Exception):
    """The certificate does not prove its claim; `line` is the place, counted from 1."""

    def __init__(self, why, line=0):
        super().__init__(why)
        self.line = line


def numbers(text, count=None, bound=1 << 63):
    """The numbers of a line, separated by single blanks, from -bound to bound (64 bits by default)."""
    try:
        found = [int(word) for word in text.split(" ")] if text else []
    except ValueError:
        raise Wrong(f"{text[:60]!r}: numbers are missing") from None
    if " ".join(map(str, found)) != text or (count is not None and len(found) != count):
        raise Wrong(f"{text[:60]!r}: not as many numbers as there should be, or not written as usual")
    if found and (min(found) < -bound or max(found) > bound - (bound >> 63)):
        raise Wrong(f"{text[:60]!r}: a number that is too large")
    return found


def index_of(problem, word, rest, line, known):
    """The memory or buffer of the problem that a line names by number and name, at most once."""
    named = problem.memories if word == "memory" else problem.buffers
    index, _, name = rest.partition(" ")
    n = numbers(index, 1)[0]
    if not 0 <= n < len(named) or named[n].name != name or n in known:
        raise Wrong(f"{line!r}: not a {word} of the input, or named twice")
    return n


class Refuted:
    """The problem with its capacities, tightened by the negated claim."""

    def __init__(self, problem, claim):
        self.problem, (self.claim, self.value, cut) = problem, claim
        self.limited = [memory.capacity is not None for memory in problem.memories]
        self.capacity = [UNLIMITED if memory.capacity is None else memory.capacity for memory in problem.memories]
        self.reserved = [list(memory.reserved) for memory in problem.memories]
        for m in cut:
            top, end = self.value - 1, self.capacity[m]
            if top >= end:
                continue
            self.reserved[m] = [(b, min(e, top)) for b, e in self.reserved[m] if b < top]
            if problem.memories[m].banks:
                self.reserved[m].append((top, end))
            else:
                self.capacity[m], self.limited[m] = top, True
        self.steps = problem.steps()
        every = list(range(len(problem.memories)))
        self.allowed = [b.memories or every for b in problem.buffers]
        self.parts = [b.parts() for b in problem.buffers]
        self.stride = [self.stride_of(n) for n in range(len(problem.buffers))]
        self.kinds, self.together, self.meetings, self.twin_pairs = {}, {}, {}, {}
        self.named = [set() for _ in problem.buffers]
        for kind, buffers, cost in problem.relations:
            for at, one in enumerate(buffers):
                self.named[one].add(kind)
                for two in buffers[:at]:
                    kinds = self.kinds.setdefault((min(one, two), max(one, two)), {})
                    kinds[kind] = kinds.get(kind, 0) + cost

    def stride_of(self, n):
        stride = 0
        for m in self.allowed[n]:
            stride = gcd(stride, self.alignment(n, m))
        return stride

    def alignment(self, n, m):
        return lcm(self.problem.buffers[n].alignment, self.problem.memories[m].alignment)

    def related(self, one, two):
        """Kind of each relation that names both, with the sum of the costs."""
        return self.kinds.get((one, two) if one < two else (two, one), ())

    def cut_down(self, n, low, high):
        b = self.problem.buffers[n]
        for begin, end in ([b.window] if b.window else []) + ([] if b.offset is None else [(b.offset, b.offset + b.size)]):
            low, high = max(low, begin), min(high, end)
        return low, high

    def range_in(self, n, m):
        """The possible offsets of a buffer in a memory."""
        return self.cut_down(n, 0, self.capacity[m])

    def room(self, n):
        b, most = self.problem.buffers[n], max(self.capacity[m] for m in self.allowed[n])
        if not b.tiles:
            return self.cut_down(n, 0, most)
        used, spans = b.used(), [(0, most)]
        if b.window:  # holds the bytes that are used
            spans.append((b.window[0] - used[0][0], b.window[1] + b.size - used[-1][1]))
        if b.offset is not None:
            spans.append((b.offset, b.offset + b.size))
        return max(low for low, _ in spans), min(high for _, high in spans)

    def has_parts(self, *buffers):
        return any(self.problem.buffers[n].tiles for n in buffers)

    def met(self, one, two):
        """Ranges (low, high) of two buffers: if the offset difference lies strictly between, they share an
        address that they must not share."""
        kinds = self.related(one, two)
        if one == two:
            return []
        if "disjoint" in kinds:
            runs = [self.problem.buffers[n].used() or [(0, self.problem.buffers[n].size)] for n in (one, two)]
            return sorted({(x[0] - y[1], x[1] - y[0]) for x in runs[0] for y in runs[1]})
        if self.exempt(one, two):
            return []
        return sorted({(p[2] - q[3], p[3] - q[2]) for p in self.parts[one] for q in self.parts[two] if p[0] < q[1] and q[0] < p[1]})

    def always_meet(self, one, two, low, high):
        """Whether two buffers share a forbidden address at every difference above low and below high."""
        if (one, two) not in self.meetings:
            self.meetings[one, two] = self.met(one, two)
        clear = low + 1  # the first difference not covered yet
        for begin, end in self.meetings[one, two]:
            if begin < clear < end:
                clear = end
        return clear >= high

    def tied(self, n):
        """The memory of a buffer without a choice, or None."""
        return self.allowed[n][0] if len(self.allowed[n]) == 1 else None

    def exempt(self, one, two):
        kinds = self.related(one, two)
        return "same_offset" in kinds or "may_overlap" in kinds

    def apart(self, one, begin1, end1, two, begin2, end2):
        """Ranges of two buffers that share no address whenever they are in one memory."""
        if one == two:
            return False
        kinds = self.related(one, two)
        if "disjoint" in kinds:
            return True
        if "same_offset" in kinds or "may_overlap" in kinds:
            return False
        return any(p[2] <= begin1 and end1 <= p[3] and q[2] <= begin2 and end2 <= q[3] and p[0] < q[1] and q[0] < p[1]
                   for p in self.parts[one] for q in self.parts[two])

    def at_offset(self, n):
        """The buffers at the same offset, including the buffer itself."""
        if n not in self.together:
            found, waiting = {n}, [n]
            while waiting:
                one = waiting.pop()
                for kind, buffers, _ in self.problem.relations:
                    if kind == "same_offset" and one in buffers:
                        waiting += [b for b in buffers if b not in found]
                        found.update(buffers)
            self.together[n] = sorted(found)
        return self.together[n]

    def kept_apart(self, one, begin1, end1, two, begin2, end2):
        """Why ranges of two buffers share no address, or None."""
        if one == two:
            return None
        for x in self.at_offset(one):
            for y in self.at_offset(two):
                if (x != one and self.problem.buffers[x].tiles) or (y != two and self.problem.buffers[y].tiles):
                    continue
                if x == y or end1 > self.problem.buffers[x].size or end2 > self.problem.buffers[y].size:
                    continue
                by = "" if (x, y) == (one, two) else " of others at one offset"
                if "disjoint" not in self.related(x, y) and self.apart(x, begin1, end1, y, begin2, end2):
                    return "time" + by
                for kind in ("disjoint", "adjacent", "different_banks", "different_memories"):
                    if kind in self.related(x, y):
                        return kind + by
                common = set(self.allowed[x]) & set(self.allowed[y])
                ranges = [(self.range_in(x, m), self.range_in(y, m)) for m in common]
                if all(max(r[0], s[0]) >= min(r[1], s[1]) for r, s in ranges):
                    return "places" + by
        return None

    def twins(self, one, two):
        """Whether two buffers are interchangeable."""
        if one == two:
            return False
        key = (one, two) if one < two else (two, one)
        if key not in self.twin_pairs:
            self.twin_pairs[key] = self.look_alike(*key) and self.treated_alike(*key)
        return self.twin_pairs[key]

    def look_alike(self, one, two):
        a, b = self.problem.buffers[one], self.problem.buffers[two]
        if self.has_parts(one, two) or a.offset is not None or b.offset is not None or "adjacent" in self.named[one] | self.named[two]:
            return False
        if (a.size, a.window or None, sorted(a.gaps, key=repr)) != (b.size, b.window or None, sorted(b.gaps, key=repr)):
            return False
        if set(self.allowed[one]) != set(self.allowed[two]):
            return False
        for m in self.allowed[one]:
            if self.alignment(one, m) != self.alignment(two, m):
                return False
            memory = self.problem.memories[m]
            if (memory.modes or memory.per_bank) and (
                    (a.lives, a.kind, set(a.reads), set(a.writes)) != (b.lives, b.kind, set(b.reads), set(b.writes))):
                return False
        return True

    def treated_alike(self, one, two):
        """For every third buffer: equal relations and equal conflicts."""
        a, b = self.problem.buffers[one], self.problem.buffers[two]
        others = [third for third in range(len(self.problem.buffers)) if third not in (one, two)]

        def said(n, third, aside):
            return {kind: cost for kind, cost in dict(self.related(n, third)).items() if kind not in aside}

        if a.lives == b.lives and all(said(one, third, ()) == said(two, third, ()) for third in others):
            return True
        if len(a.lives) != 1 or len(b.lives) != 1 or a.gaps or b.gaps:
            return False
        aside = ("disjoint", "may_overlap")
        return all(said(one, third, aside) == said(two, third, aside) and self.kept(third, one) == self.kept(third, two)
                   for third in others)

    def kept(self, n, other):
        """The ranges of a buffer that share no address with another one of a single lifetime."""
        if not set(self.allowed[n]) & set(self.allowed[other]):
            return set()
        whole = (0, self.problem.buffers[n].size)
        if "disjoint" in self.related(n, other):
            return {whole}
        if self.exempt(n, other):
            return set()
        lower, upper = self.problem.buffers[other].lives[0]
        found = {tuple(part[2:4]) for part in self.parts[n] if part[0] < upper and lower < part[1]}
        return {whole} if whole in found else found

    def belong_at_one_place(self, one, two):
        kinds = self.related(one, two)
        if any(kind in kinds for kind in ("disjoint", "different_banks", "different_memories")):
            return False
        if kinds and kinds.get("avoid_overlap", 0) > 0:
            return False
        return self.exempt(one, two) or not any(p[0] < q[1] and q[0] < p[1] for p in self.parts[one] for q in self.parts[two])

    def same_upside_down(self):
        """Whether every placement may be mirrored."""
        if len(self.problem.memories) != 1 or self.has_parts(*range(len(self.problem.buffers))):
            return False
        memory = self.problem.memories[0]
        if memory.modes or memory.per_bank or memory.banks or self.reserved[0]:
            return False
        if any(kind not in ("disjoint", "may_overlap", "avoid_overlap") for kind, _, _ in self.problem.relations):
            return False
        return all(b.offset is None and not b.window and not b.gaps and b.size % stride == 0 and self.capacity[0] % stride == 0
                   for b, stride in zip(self.problem.buffers, self.stride))

    def mode_count(self, m):
        memory = self.problem.memories[m]
        if not memory.per_bank:
            return len(memory.modes)
        count = 1
        for _, _, roles in memory.banks:
            count *= len(roles)
        return count if count <= MOST_MODES else 0

    def roles(self, m, mode):
        """The role of each bank in a mode."""
        memory = self.problem.memories[m]
        if not memory.per_bank:
            return memory.modes[mode]
        found = []
        for _, _, roles in reversed(memory.banks):
            mode, role = divmod(mode, len(roles))
            found.append(roles[role])
        return found[::-1]

    def banks(self, m):
        """(begin, end) of each bank; a memory without banks is one."""
        memory = self.problem.memories[m]
        if memory.banks:
            return [(begin, end) for begin, end, _ in memory.banks]
        return [(0, self.capacity[m])]
