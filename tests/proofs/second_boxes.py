"""Remaining places of two buffers, and whether any is possible: "nothing is left" of docs/reference/proofs.md."""


ACCESS = {"read": {"read", "read_write"}, "write": {"write", "read_write"}}


def always_meets(low, high, length, begin, end):
    """A range whose start is anywhere in [low, high]."""
    return high < end and low + length > begin


class Boxes:
    def __init__(self, derivation):
        self.d, self.refuted = derivation, derivation.refuted
        self.mode, self.crossed, self.overlap, self.between = None, None, None, None
        self.below, self.above, self.by_twins = [], [], False

    def nothing_left(self, literals):
        """Why no placement makes all of these literals false, or None."""
        named, below, above = self.sort_out(literals)
        if named is None:
            return None
        self.below, self.above, self.by_twins = below, above, False
        declared = list(self.d.offset_of)
        if not literals:
            boxes = {b: self.boxes(b) for b in declared}
            pairs = ((a, b) for at, a in enumerate(declared) for b in declared[:at])
            return "empty" if any(self.impossible(boxes, a, b) for a, b in pairs) else None
        if not 1 <= len(named) <= 2 or not named <= self.d.offset_of.keys():
            return None
        if len(below) == 2 and below[0] == below[1][::-1]:
            self.crossed = below[0]
        if len(above) == 2 and above[0][:2] == above[1][1::-1] and len(named) == 2:
            x, y, distance = above[0]
            one, two = self.d.kind[x][1], self.d.kind[y][1]
            if self.refuted.always_meet(one, two, -above[1][2], distance):
                self.between = {one, two}
        if self.overlap is not None and (self.crossed is None or self.overlap != named):
            return None
        one = min(named)
        others = [max(named)] if len(named) == 2 else [one] + [b for b in declared if b != one]
        boxes = {}
        for b in [one] + others:
            if b not in boxes:
                boxes[b] = self.boxes(b)
            if self.impossible(boxes, one, b):
                return self.why(named, b)
        return None

    def why(self, named, b):
        if self.by_twins:
            return "twins"
        if self.overlap is not None:
            return "an overlap is paid for"
        if self.mode is not None:
            return f"nothing is left in a {self.mode}"
        if self.between is not None:
            return "not between two differences"
        if self.crossed is not None:
            return "one lies below the other"
        return "nothing is left" if b in named else "nothing is left beside a third buffer"

    def sort_out(self, literals):
        """The buffers in a clause, the items of its true `v`, the implications of its true `j`; None three
        times if the clause is not allowed here."""
        named, below, above, d = set(), [], [], self.d
        for key, _ in literals:
            what, true = d.kind[key >> 1], not key & 1
            if what[0] in "om":
                named.add(what[1])
            elif what[0] == "v":
                named.update((d.items[what[1]][0], d.items[what[2]][0]))
                if true:
                    below.append(what[1:])
            elif what[0] == "j":
                named.update(d.kind[u][1] for u in what[1:3])
                if true:
                    above.append(what[1:])
            elif what[0] == "x" and true and self.overlap is None:
                self.overlap = {what[1], what[2]}
            elif what[0] in "kb" and not true and self.mode is None:
                self.set_mode(what)
            else:
                return None, None, None
        return named, below, above

    def set_mode(self, what):
        """The ranges of adjacent banks that forbid some kind of use in this mode."""
        self.mode, self.mode_memory, self.mode_step = {"k": "mode", "b": "role"}[what[0]], what[1], what[2]
        banks = self.refuted.banks(what[1])
        if what[0] == "k":
            self.known_banks = [(*bank, role) for bank, role in zip(banks, self.refuted.roles(what[1], what[3]))]
        else:
            roles = self.refuted.problem.memories[what[1]].banks[what[3]][2]
            self.known_banks = [(*banks[what[3]], roles[what[4]])]

    def runs(self, forbids):
        found = []
        for begin, end, role in self.known_banks:
            if not forbids(role):
                continue
            if found and found[-1][1] == begin:
                found[-1] = (found[-1][0], end)
            else:
                found.append((begin, end))
        return found

    def boxes(self, b):
        """Remaining places of a buffer: (memory, lowest offset, highest offset)."""
        d, v = self.d, self.d.offset_of[b]
        low, high = d.known[2 * v], -d.known[2 * v + 1] - d.size[v]
        return [(m, low, high) for m in d.memories_left(b)
                if not self.alone(b, m, low, high) and not self.in_mode(b, m, low, high)]

    def alone(self, b, m, low, high):
        """Impossible by itself."""
        size, capacity = self.refuted.problem.buffers[b].size, self.refuted.capacity[m]
        if low + size > capacity:
            return True
        if self.refuted.has_parts(b):
            return self.always_in_reserved(b, m, low, high)
        if any(always_meets(low, high, size, *span) for span in self.refuted.reserved[m]):
            return True
        if self.refuted.problem.memories[m].straddle and "same_bank" not in self.refuted.named[b]:
            return False
        return any(high < end < low + size for _, end in self.refuted.banks(m))

    def always_in_reserved(self, b, m, low, high):
        """Whether a buffer with parts uses a reserved address at every offset."""
        wrong = sorted((begin - run[1], end - run[0]) for run in self.refuted.problem.buffers[b].used()
                       for begin, end in self.refuted.reserved[m] if begin < end)
        for begin, end in wrong:
            if begin < low < end:
                low = end
        return low > high

    def in_mode(self, b, m, low, high):
        """Impossible in the mode named."""
        if self.mode is None or m != self.mode_memory or self.refuted.has_parts(b):
            return False
        buffer, step = self.refuted.problem.buffers[b], self.mode_step
        for use, steps in (("read", buffer.reads), ("write", buffer.writes)):
            if step in steps:
                if buffer.kind != "weight":
                    own = {"data"}
                else:
                    own = {"weight"} if use == "read" else set()
                allowed = ACCESS[use] | own
                if any(always_meets(low, high, buffer.size, *run) for run in self.runs(lambda role: role not in allowed)):
                    return True
        for lower, upper, begin, end in self.refuted.parts[b]:
            if lower <= step < upper and any(always_meets(low + begin, high + begin, end - begin, *run)
                                             for run in self.runs(lambda role: role == "off")):
                return True
        return False

    def impossible(self, boxes, one, two):
        if not boxes[one] or not boxes[two]:
            return True
        return one != two and all(self.together(one, *a, two, *b) or self.against_twins(one, *a, two, *b)
                                  for a in boxes[one] for b in boxes[two])

    def against_twins(self, one, m1, low1, high1, two, m2, low2, high2):
        """Boxes that violate the canonical places or order of interchangeable buffers (twins)."""
        if one > two:
            return self.against_twins(two, m2, low2, high2, one, m1, low1, high1)
        d, refuted = self.d, self.refuted
        if not refuted.twins(one, two):
            return False
        said = {tuple(d.kind[u][1] for u in (x, y)) for x, y, distance in self.above if distance <= 0}
        if refuted.belong_at_one_place(one, two):
            wrong = m1 != m2 or low1 > high2 or low2 > high1 or (one, two) in said or (two, one) in said
        elif m1 != m2:
            wrong = m1 > m2
        else:
            wrong = low1 > high2 or (one, two) in said or any(self.says_order(i, j, one, two) for i, j in self.below)
        self.by_twins = self.by_twins or wrong
        return wrong

    def says_order(self, i, j, one, two):
        lower, upper = self.d.items[i], self.d.items[j]
        return lower[0] == one and upper[0] == two and upper[2] > lower[1] and self.refuted.apart(*lower, *upper)

    def together(self, one, m1, low1, high1, two, m2, low2, high2):
        """Two boxes are impossible together."""
        refuted = self.refuted
        kinds = refuted.related(one, two)
        if m1 != m2:
            return any(kind in kinds for kind in ("same_memory", "same_bank", "adjacent", "same_offset"))
        if "different_memories" in kinds:
            return True
        if self.between == {one, two}:
            return True
        if self.crossed and {self.d.items[i][0] for i in self.crossed} == {one, two}:
            if self.overlap or refuted.apart(*self.d.items[self.crossed[0]], *self.d.items[self.crossed[1]]):
                return True
        if refuted.has_parts(one, two):
            return False
        if "same_bank" in kinds and any((low1 >= end > high2) or (low2 >= end > high1) for _, end in refuted.banks(m1)):
            return True
        if "different_banks" not in kinds:
            return False
        size1, size2 = refuted.problem.buffers[one].size, refuted.problem.buffers[two].size
        return any(always_meets(low1, high1, size1, *bank) and always_meets(low2, high2, size2, *bank)
                   for bank in refuted.banks(m1))
