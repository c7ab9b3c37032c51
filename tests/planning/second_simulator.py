"""Recomputes the cycles, the bytes off the chip and the energy of a plan, from docs/planning.md, docs/tiling.md and
docs/machines.md alone. It shares no code with the program.

    run = Run(network, machine, plan["subgraphs"][0])
    run.cycles, run.bytes, run.energy
"""

import itertools
from fractions import Fraction
from math import ceil, prod

import second_machine as machines
from second_machine import elements_of, macs_of

AXES = {"W": 1, "H": 2, "C": 3}  # how far from the last one an axis of the tensor that is cut stands


def hull(boxes):
    boxes = [box for box in boxes if all(low < high for low, high in box)]
    if not boxes:
        return None
    return tuple((min(low for low, _ in axis), max(high for _, high in axis)) for axis in zip(*boxes))


def size_of(box):
    return 0 if box is None else prod(high - low for low, high in box)


def runs_of(shape, box):
    """Where the part's runs of consecutive elements begin, and how long all of them are."""
    length, axis = 1, len(shape) - 1
    while axis >= 0:
        length *= box[axis][1] - box[axis][0]
        axis -= 1
        if box[axis + 1] != (0, shape[axis + 1]):
            break
    strides = [prod(shape[a + 1:]) for a in range(len(shape))]
    base = sum(box[a][0] * strides[a] for a in range(axis + 1, len(shape)))
    starts = [base + sum(i * s for i, s in zip(at, strides))
              for at in itertools.product(*(range(*box[a]) for a in range(axis + 1)))]
    return starts, length


def burst_bytes(tensor, box, burst):
    """Bytes that move between the tensor off the chip and a part of it on the chip: whole bursts of every run."""
    if size_of(box) == 0:
        return 0
    starts, length = runs_of(tensor.shape, box)
    return sum(-(-((start * tensor.item) % burst + length * tensor.item) // burst) for start in starts) * burst


class Run:
    def __init__(self, network, machine, subgraph):
        self.network, self.machine = network, machine
        self.ops = network.ops[subgraph["first_op"]:subgraph["last_op"] + 1]
        self.inside = set(op.number for op in self.ops)
        self.double = subgraph["variant"]["double_buffer"]
        self.resident = subgraph["variant"]["weights"] == "resident"
        self.stationary = subgraph["variant"]["stationary"]
        self.halo = subgraph["variant"]["halo"]
        self.made = [op.output for op in self.ops]
        self.leaving = [t for t in self.made if t.leaves or any(op.number not in self.inside for op in t.readers)]
        ends = [t for t in self.leaving if not any(op.number in self.inside for op in t.readers)]
        self.anchor = max(ends, key=lambda t: t.bytes)
        self.loaded = []
        for op in self.ops:
            for t in op.inputs:
                if t not in self.made and t not in self.loaded:
                    self.loaded.append(t)
        self.find_tiles(subgraph["tiles"])
        self.find_places(subgraph)
        self.simulate()

    def find_tiles(self, tiles):
        self.grid = {axis: tiles["grid"].get(axis, 1) for axis in AXES}
        self.extent = {}
        for axis, back in AXES.items():
            whole = self.anchor.shape[-back] if back <= len(self.anchor.shape) else 1
            self.extent[axis] = (tiles["shape"][axis] if self.grid[axis] > 1 else whole, whole)
        order = tiles["order"]
        self.positions = [dict(zip(order, at)) for at in itertools.product(*(range(self.grid[axis]) for axis in order))]
        self.known = {}
        first = {axis: self.first_alike(axis) for axis in AXES}
        self.tiles = [self.regions({axis: first[axis][at[axis]] for axis in AXES}) for at in self.positions]

    def first_alike(self, axis):
        """For every position along the axis the first one that is like it."""
        known, like = {}, []
        for i in range(self.grid[axis]):
            others = itertools.product(*([i] if other == axis else range(self.grid[other]) for other in AXES))
            like.append(known.setdefault(tuple(self.kind_of(dict(zip(AXES, at))) for at in others), i))
        return like

    def kind_of(self, at):
        tile = self.regions(at)
        need, piece, kind = tile["need"], tile["piece"], []

        def beside(part, whole):
            return size_of(part) and size_of(whole) and tuple((low - begin, end - high) for (low, high), (begin, end) in zip(part, whole))

        for op in self.ops:
            box = need[op.output.name]
            kind.append(box and tuple(high - low for low, high in box))
            kind.append(beside(piece.get(op.output.name), box))
            if box:
                kind += [beside(op.parts(i, box), need[t.name]) for i, t in enumerate(op.inputs)]
                kind.append(op.padding(box))
        kind += [need[t.name] and tuple(high - low for low, high in need[t.name]) for t in self.loaded]
        return tuple(kind)

    def regions(self, at):
        """What a tile needs of every tensor (`need`), and what it stores of those that leave (`piece`)."""
        key = tuple(at[axis] for axis in AXES)
        if key in self.known:
            return self.known[key]
        need, piece, reach = {}, {}, {}
        for op in reversed(self.ops):
            t = op.output
            wanted = []
            for reader in t.readers:
                if reader.number in self.inside and need[reader.output.name] is not None:
                    wanted += [reader.parts(i, need[reader.output.name]) for i, one in enumerate(reader.inputs) if one is t]
            reach[t.name] = hull(wanted)
            if t in self.leaving:
                piece[t.name] = self.piece_of(t, at, reach[t.name])
                wanted.append(piece[t.name])
            need[t.name] = hull([box for box in wanted if box])
        for t in self.loaded:
            need[t.name] = hull([op.parts(i, need[op.output.name]) for op in self.ops for i, one in enumerate(op.inputs)
                                 if one is t and need[op.output.name]])
        self.known[key] = {"need": need, "piece": piece, "reach": reach}
        return self.known[key]

    def piece_of(self, t, at, reach):
        box = [(0, extent) for extent in t.shape]
        feeds = any(op.number in self.inside for op in t.readers)
        for axis, back in AXES.items():
            if back > len(t.shape):
                if at[axis] > 0:
                    return None  # no axis of it moves: the first tile stores it
                continue
            shape, whole = self.extent[axis]
            begin, end = at[axis] * shape, min(whole, (at[axis] + 1) * shape)
            mine = t.shape[-back]
            if t is self.anchor:
                box[-back] = (begin, end)
            elif mine == 1:
                box[-back] = (0, 1 if at[axis] == 0 else 0)  # no axis moves it: the first tile stores it
            elif not feeds:
                box[-back] = (begin * mine // whole, end * mine // whole)
            else:
                before = 0
                if at[axis] > 0:
                    left = self.regions({**at, axis: at[axis] - 1})["reach"][t.name]
                    before = left[-back][1] if left else 0
                last = at[axis] + 1 == self.grid[axis]
                box[-back] = (before, mine if last else max(before, reach[-back][1] if reach else before))
        return tuple(box)

    def find_places(self, subgraph):
        """In which memory on the chip each buffer lies."""
        on_chip = [m for m in self.machine.memories.values() if not m.offchip]
        self.memory = on_chip[0]

    # Commands: (channel or None for ops, cycles, what, first step it is needed in, ...)

    def transfer(self, memory, way, moved):
        m = self.machine
        return m.setup + memory.latency[way] + moved / m.rate(memory, way)

    def simulate(self):
        m, n = self.machine, len(self.ops)
        dram = m.offchip[0]
        steps = n * len(self.tiles)
        self.reads = self.writes = 0  # bytes off the chip
        self.energy = Fraction(0)
        first = {t.name: min(k for k, op in enumerate(self.ops) if t in op.inputs) for t in self.loaded}
        last = {t.name: max(k for k, op in enumerate(self.ops) if t in op.inputs) for t in self.made + self.loaded
                if any(t in op.inputs for op in self.ops)}
        loads, stores = [], []  # (boundary, order, cycles, step)
        self.trace = []
        if self.resident:
            for op in self.ops:
                if op.weights:
                    for w in op.weights:
                        moved = -(-w.bytes // dram.burst) * dram.burst
                        loads.append([-n, -1, self.transfer(dram, 0, moved), 0, f"{op.name}.weights"])
                        self.count(dram, 0, moved, w.bytes)
        self.op_cycles = []
        for number, tile in enumerate(self.tiles):
            start = number * n
            for t in self.loaded:
                box = tile["need"][t.name]
                if size_of(box) == 0:
                    continue
                moved = burst_bytes(t, box, dram.burst)
                begin = start - n if self.double else start + first[t.name]
                loads.append([begin, 0, self.transfer(dram, 0, moved), start + first[t.name], t.name])
                self.count(dram, 0, moved, size_of(box) * t.item)
            for k, op in enumerate(self.ops):
                box = tile["need"][op.output.name]
                self.op_cycles.append(self.compute(op, tile))
                if not self.resident and op.weights and size_of(box):
                    for w in op.weights:
                        part = op.weight_part(w, box)
                        held, moved = size_of(part) * w.item, burst_bytes(w, part, dram.burst)
                        loads.append([start + k - (1 if self.double else 0), 1,
                                      self.transfer(dram, 0, moved), start + k, f"{op.name}.weights"])
                        self.count(dram, 0, moved, held)
                if op.output in self.leaving and size_of(tile["piece"][op.output.name]):
                    box = tile["piece"][op.output.name]
                    moved = burst_bytes(op.output, box, dram.burst)
                    ready = start + last.get(op.output.name, k)
                    end = max(start + k + n, ready + 2) if self.double else ready + 1
                    stores.append([ready + 1, 2, self.transfer(dram, 1, moved), end, op.output.name])
                    self.count(dram, 1, moved, size_of(box) * op.output.item)
        self.pipeline(steps, loads, stores)
        self.bytes = self.reads + self.writes
        self.energy += m.static * self.cycles

    def count(self, dram, way, moved, held):
        if way == 0:
            self.reads += moved
        else:
            self.writes += moved
        self.energy += moved * dram.energy[way] + held * self.memory.energy[1 - way]

    def compute(self, op, tile):
        box = tile["need"][op.output.name]
        m = self.machine
        read = sum(size_of(tile["need"][t.name]) * t.item for t in set(op.inputs))
        if size_of(box) == 0:
            self.energy += read * self.memory.energy[0]
            return 0
        read += sum(size_of(op.weight_part(w, box)) * w.item for w in op.weights)
        written = size_of(box) * op.output.item
        self.energy += read * self.memory.energy[0] + written * self.memory.energy[1]
        cycles, energy = machines.cycles_of(m, op, box)
        self.energy += energy
        if self.memory.bandwidth:
            rate = self.memory.bandwidth
            moving = (read + written) / rate[0] if self.memory.shared else max(read / rate[0], written / rate[1])
            cycles = max(cycles, ceil(moving))
        return cycles

    def pipeline(self, steps, loads, stores):
        """One channel: transfers in their order, at every border of two steps loads before stores."""
        queue = sorted(loads + stores, key=lambda one: one[:2])
        done_before, free, at = {}, 0, 0
        end_of_step = [0] * (steps + 1)  # end_of_step[b]: when everything before border b has ended
        for border in range(steps + 1):
            while at < len(queue) and queue[at][0] <= border:
                begin, _, cycles, step, name = queue[at]
                start = max(free, end_of_step[max(0, begin)])
                free = start + ceil(cycles)
                self.trace.append((start, free, name))
                done_before[step] = max(done_before.get(step, 0), free)
                at += 1
            if border < steps:
                start = max(end_of_step[border], done_before.get(border, 0))
                end_of_step[border + 1] = start + self.op_cycles[border]
                self.trace.append((start, end_of_step[border + 1], self.ops[border % len(self.ops)].name))
        self.cycles = max([free, end_of_step[steps]])
