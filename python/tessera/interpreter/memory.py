"""Memories byte by byte: the content, what each byte is, and which commands wrote and read it.

A tag says what a byte is: which byte of which element of which tensor. Copies carry the tags along, so an operand
is right if its tags are."""
# mypy: ignore-errors

import numpy as np
from numpy.lib.stride_tricks import as_strided

from .parts import Refused

NOTHING = -1  # tag of a byte that no command wrote


def joined(dims, run):
    """The same bytes in fewer dimensions: [(count, stride)], run."""
    dims = [d for d in dims if d[0] != 1]
    while dims and dims[-1][1] == run:
        run *= dims.pop()[0]
    for at in range(len(dims) - 1, 0, -1):
        (n, s), (m, t) = dims[at - 1], dims[at]
        if s == m * t:
            dims[at - 1:at + 1] = [(n * m, t)]
    return dims, run


def offsets_of(dims):
    """Offsets of all elements of nested dimensions."""
    total = np.zeros(1, np.int64)
    for n, s in dims:
        total = (total[:, None] + np.arange(n) * s).reshape(-1)
    return total


def merged(starts, run):
    """Maximal runs, from sorted begins of runs of equal length: (begins, ends)."""
    if not starts.size:
        return starts, starts
    breaks = np.concatenate([[True], starts[1:] > starts[:-1] + run])
    last = np.append(np.flatnonzero(breaks)[1:] - 1, len(starts) - 1)
    return starts[breaks], starts[last] + run


class Span:
    """Bytes of a strided access: `dims` are [count, stride], outermost first, of runs of `run` bytes."""

    def __init__(self, memory, address, dims, run):
        self.memory, self.offset, self.run = memory, address - memory.base, run
        self.dims = [(int(n), int(s)) for n, s in dims]
        low = sum(min(0, (n - 1) * s) for n, s in self.dims)
        high = sum(max(0, (n - 1) * s) for n, s in self.dims)
        self.begin, self.end = self.offset + low, self.offset + high + run
        self.empty = run <= 0 or any(n <= 0 for n, _ in self.dims)
        if not self.empty and (self.begin < 0 or self.end > memory.size):
            raise Refused(f"bytes [{memory.base + self.begin}, {memory.base + self.end}) are not all in the memory "
                          f"`{memory.name}`, which has [{memory.base}, {memory.base + memory.size})")
        self.joined = joined(self.dims, run)

    def of(self, array, joined=True):
        """The bytes' entries in a state array of the memory, with an axis per dimension and one for the run."""
        dims, run = self.joined if joined else (self.dims, self.run)
        if self.empty:
            return np.zeros([n for n, _ in dims] + [run], array.dtype)
        item = array.itemsize
        return as_strided(array[self.offset:], [n for n, _ in dims] + [run], [s * item for _, s in dims] + [item])

    def offsets(self):
        """Offsets of all bytes."""
        dims, run = self.joined
        return self.offset + offsets_of([*dims, (run, 1)])


class Memory:
    """A memory of the header. `order` decides which commands have ended when another one begins."""

    def __init__(self, data, size, order):
        self.name, self.base, self.size = data["name"], data.get("base", 0), size
        self.offchip, self.burst = bool(data.get("offchip")), max(1, data.get("burst", 1))
        self.banks, self.modes = data.get("banks", []), {m["name"]: m["roles"] for m in data.get("modes", [])}
        self.order = order
        self.held = []  # (command, roles): modes that may be in force; the last one switched last
        self.uses = {}  # by bank and permitted roles: commands with such an access that may still run
        self.content = np.zeros(size, np.uint8)
        self.tags = np.full(size, NOTHING, np.int32)
        self.writer = np.full(size, -1, np.int32)
        self.readers = []  # arrays: commands that read each byte and may still run

    def switch(self, mode, number):
        """A command switches the mode. Accesses and other switches that may still run must permit it."""
        roles = self.modes.get(mode) or mode.split("|")
        if len(roles) != len(self.banks):
            raise Refused(f"the memory `{self.name}` has no mode `{mode}`")
        if self.held and not self.order.is_before(self.held[-1][0], number):
            raise Refused(f"it switches the mode of `{self.name}` as command {self.held[-1][0]} does, and nothing orders the two")
        for (bank, permitted), commands in self.uses.items():
            commands[:] = [c for c in commands if not self.order.is_before(c, number)]
            if commands and roles[bank] not in permitted:
                raise Refused(f"command {commands[0]} accesses bank `{self.banks[bank]['name']}` of `{self.name}`, which has the role "
                              f"`{roles[bank]}` in mode `{mode}`, and nothing orders the two")
        self.held.append((number, roles))

    def give(self, span, content, tags):
        """Puts bytes in place before the first command."""
        span.of(self.content, False)[...] = content
        span.of(self.tags, False)[...] = tags

    def read(self, span, command, begins, what):
        """Checks a read by a command whose accesses may begin when the command `begins` does."""
        if span.empty:
            return
        self.ordered(span, self.writer, begins, f"{what} reads", "writes")
        for array in self.readers:
            seen = span.of(array)
            if self.order.all_before(seen, command):
                seen[...] = command
                return
        self.readers.append(np.full(self.size, -1, np.int32))
        span.of(self.readers[-1])[...] = command

    def defined(self, span, what):
        """Refuses bytes that no command wrote."""
        if (span.of(self.tags) == NOTHING).any():
            at = self.first(span, span.of(self.tags) == NOTHING)
            raise Refused(f"{what} reads byte {at} of `{self.name}`, which no command wrote")

    def write(self, span, command, begins, what, changes=True):
        """`changes`: where the content changes; elsewhere, others may access it meanwhile."""
        if span.empty:
            return
        self.ordered(span, self.writer, begins, f"{what} writes", "writes", where=changes)
        for array in self.readers:
            self.ordered(span, array, begins, f"{what} writes", "reads", command, changes)
            span.of(array)[changes] = -1
        span.of(self.writer)[changes] = command

    def ordered(self, span, array, begins, does, other, own=-1, where=True):
        seen = span.of(array) if where is True else np.where(where, span.of(array), -1)
        late = self.order.unordered(seen, begins, own)
        if late is not None:
            at = self.first(span, seen == late)
            raise Refused(f"{does} byte {at} of `{self.name}`, which command {late} {other}, and nothing orders the two")

    def first(self, span, where):
        """Address of the first byte for which this holds; `where` has the shape of the joined span."""
        index = np.argwhere(where)[0]
        dims, _ = span.joined
        return self.base + span.offset + sum(int(i) * s for i, (_, s) in zip(index, dims)) + int(index[-1])

    def allows(self, span, permitted, number, begins, what):
        """Does every bank that the access touches have one of these roles in every mode that may be in force from
        the begin of command `begins` to the end of `number`?"""
        if span.empty or not (self.modes or self.held):
            return
        possible = []
        for since, roles in reversed(self.held):
            possible.append((since, roles))
            if self.order.is_before(since, begins):
                break
        else:
            raise Refused(f"{what} accesses `{self.name}` before its first mode")
        if possible[-1][0] < self.order.barrier:  # earlier ones have ended
            self.held = possible[::-1]
        touched = None
        for k, bank in enumerate(self.banks):
            if span.begin >= bank["end"] or bank["begin"] >= span.end:
                continue
            touched = span.offsets() if touched is None else touched
            if not ((touched >= bank["begin"]) & (touched < bank["end"])).any():
                continue
            for since, roles in possible:
                if roles[k] not in permitted:
                    raise Refused(f"{what} accesses bank `{bank['name']}` of `{self.name}`, whose role in the mode of command {since} is "
                                  f"`{roles[k]}`, not {' or '.join(f'`{r}`' for r in permitted)}")
            uses = self.uses.setdefault((k, permitted), [])
            # Earlier ones of the kind end before this one begins, so this one stands for them.
            uses[:] = [c for c in uses if c != number and not self.order.is_before(c, number)] + [number]
