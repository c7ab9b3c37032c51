"""The rules of steps, as docs/reference/proofs.md has them: whether a rule refutes the known facts.

Each gets the derivation `d`, the literal (None for a contradiction), all premises and the items; the known
facts include the negation of the literal. A rule may raise bounds; the caller forgets them.
"""

from second_facts import LARGE, NOTHING


def start(d, item):
    """The least address at which an item can start."""
    b, begin, _ = item
    return d.known[2 * d.offset_of[b]] + begin


def finish(d, item):
    """The largest address at which an item can end."""
    b, _, end = item
    v = d.offset_of[b]
    return -d.known[2 * v + 1] - d.size[v] + end


def length(item):
    return item[2] - item[1]


def orders(d, premises):
    """(lower, upper) by number, for premises that are orders: each key once, in ascending order."""
    return [order for order in (d.order(key) for key in sorted({key for key, _ in premises})) if order]


def edge(d, _literal, premises, _items):
    for lower, upper in orders(d, premises):
        one, two = d.items[lower], d.items[upper]
        if start(d, one) + length(one) + length(two) > finish(d, two):
            return True
    for x, y, distance in distances(d, premises):
        if d.known[2 * x] + distance > -d.known[2 * y + 1] - d.size[y]:
            return True
    return False


def distances(d, premises):
    """(X, Y, minimum distance of Y above X) for premises that imply it."""
    for key in {key for key, _ in premises}:
        what = d.kind[key >> 1]
        if what[0] in "hj" and not key & 1:
            yield what[1:]
        elif what[0] == "f":
            _, x, y, low, high = what
            yield (y, x, -low) if key & 1 else (x, y, high)


def adds_up(above):
    """Is there a cycle among these (from, to, minimum distance) whose distances add up to more than 0?"""
    far = {}  # the longest paths, allowing more and more intermediate nodes
    for x, y, distance in above:
        far[x, y] = max(distance, far.get((x, y), distance))
    nodes = {one for pair in far for one in pair}
    for via in nodes:
        into = [(x, far[x, via]) for x in nodes if (x, via) in far]
        out = [(y, far[via, y]) for y in nodes if (via, y) in far]
        for x, one in into:
            for y, two in out:
                far[x, y] = max(one + two, far.get((x, y), one + two))
    return any(far.get((x, x), 0) > 0 for x in nodes)


def triangle(d, literal, premises, _items):
    found = orders(d, premises)
    above = [(d.items[low][0], d.items[high][0], d.items[low][2] - d.items[high][1]) for low, high in found]
    above += [(d.kind[x][1], d.kind[y][1], distance) for x, y, distance in distances(d, premises)]
    if adds_up(above):
        return True
    if literal is None or literal[0] & 1 or d.kind[literal[0] >> 1][0] != "v":
        return False
    _, low, high = d.kind[literal[0] >> 1]
    return any(one == low and (middle, high) in found for one, middle in found)


def never_together(d, one, two):
    if not d.refuted.apart(*one, *two):
        return False
    left = d.memories_left(one[0]), d.memories_left(two[0])
    return len(left[0]) == 1 and list(left[0]) == list(left[1])


def separate(d, found, one, two):
    """Items that never overlap, or that a buffer separates."""
    if never_together(d, one, two):
        return True
    for x, y in ((one, two), (two, one)):
        above = [d.items[u] for low, u in found if inside(x, d.items[low])]
        under = [d.items[o] for o, high in found if inside(y, d.items[high])]
        if any(u[0] == o[0] and u[1] <= o[2] for u in above for o in under):
            return True
    return False


def inside(item, larger):
    return item[0] == larger[0] and larger[1] <= item[1] and item[2] <= larger[2]


def window(d, _literal, premises, items):
    found = orders(d, premises)
    for low, high in found:
        lower, upper = d.items[low], d.items[high]
        v, w = d.offset_of[lower[0]], d.offset_of[upper[0]]
        top = -(finish(d, upper) - length(upper) - lower[2] + d.size[v])
        bottom = start(d, lower) + length(lower) - upper[1]
        if -LARGE < top < LARGE and d.assume(2 * v + 1, top):
            return True
        if -LARGE < bottom < LARGE and d.assume(2 * w, bottom):
            return True
    if not items:
        return False
    every = [d.items[i] for i in items]
    if min(start(d, i) for i in every) + sum(map(length, every)) <= max(finish(d, i) for i in every):
        return False
    return all(separate(d, found, one, two) for at, one in enumerate(every) for two in every[:at])


def not_first(d, _literal, _premises, items):
    if len(items) < 2:
        return False
    first, *others = every = [d.items[i] for i in items]
    total = sum(map(length, every))
    upright = (all(start(d, i) + length(i) > finish(d, first) - length(first) for i in others) and
               start(d, first) + total > max(finish(d, i) for i in others))
    if not upright and not (all(finish(d, i) - length(i) < start(d, first) + length(first) for i in others) and
                            finish(d, first) - total < min(start(d, i) for i in others)):
        return False
    return all(never_together(d, one, two) for at, one in enumerate(every) for two in every[:at])


def stride(d, literal, _premises, _items):
    if literal is None or d.kind[literal[0] >> 1][0] != "o":
        return False
    key, value = literal
    b = d.kind[key >> 1][1]
    left = d.memories_left(b)
    if len(left) != 1 or d.known[key] == NOTHING:
        return False
    known, step = d.known[key], d.refuted.alignment(b, left[0])
    return known + (-d.size[key >> 1] - known if key & 1 else -known) % step >= value


def may_be_lowered(d, b):
    """Whether rule `r` is allowed for a buffer."""
    refuted = d.refuted
    if refuted.has_parts(*range(len(refuted.problem.buffers))):
        return False
    m = refuted.tied(b)
    if m is None or refuted.problem.buffers[b].offset is not None or refuted.problem.buffers[b].gaps:
        return False
    memory = refuted.problem.memories[m]
    if memory.modes or memory.per_bank or memory.banks or refuted.reserved[m]:
        return False
    return refuted.named[b] <= {"disjoint", "may_overlap"}


def in_the_way(d, b):
    """The ranges that may block b from below."""
    refuted = d.refuted
    for other, buffer in enumerate(refuted.problem.buffers):
        if other == b or refuted.tied(b) not in refuted.allowed[other]:
            continue
        if "disjoint" in refuted.related(other, b):
            yield other, 0, buffer.size
        elif not refuted.exempt(other, b):
            for lower, upper, begin, end in refuted.parts[other]:
                if any(lower < p[1] and p[0] < upper for p in refuted.parts[b]):
                    yield other, begin, end


def said_above(d, premises, b, span):
    """Whether a premise states that all of b lies below a range."""
    size = d.refuted.problem.buffers[b].size
    for key, _ in premises:
        what = d.kind[key >> 1]
        if what[0] == "p":
            low, high = (d.items[i] for i in d.order(key))
            if low == (b, 0, size) and (inside(span, high) or inside(high, span)):
                return True
        elif what[0] == "v" and key & 1:
            low, high = d.items[what[1]], d.items[what[2]]
            if high == (b, 0, size) and (inside(low, span) or (inside(span, low) and d.refuted.apart(*low, *high))):
                return True
    return False


def rest(d, literal, premises, _items):
    if literal is None or literal[0] & 1 or d.kind[literal[0] >> 1][0] != "o":
        return False
    v = literal[0] >> 1
    b = d.kind[v][1]
    if not may_be_lowered(d, b):
        return False
    lowered, last = d.known[2 * v] - d.refuted.stride[b], -d.known[2 * v + 1] - d.size[v]
    if lowered < d.refuted.room(b)[0]:
        return False
    spans = set(in_the_way(d, b))
    for span in spans:
        if span[0] not in d.offset_of:
            return False
        if any(inside(span, other) for other in spans - {span}):
            continue
        if (start(d, span) + length(span) <= last and finish(d, span) > lowered and
                not said_above(d, premises, b, span)):
            return False
    return True


def payments(d, _literal, _premises, _items):
    if d.refuted.claim not in ("cost", "modes", "switches"):
        return False
    made = {v for v in d.left if d.known[2 * v]}
    paid = sum(d.left[v] for v in made) + sum(weight * max(1, len(made & core)) for weight, core in d.cores)
    return paid > d.refuted.value - 1


RULES = {"e": edge, "t": triangle, "w": window, "n": not_first, "s": stride, "r": rest, "g": payments}
