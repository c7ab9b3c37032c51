"""Recomputes the cycles, the off-chip bytes and the energy of a plan, from docs/internals/cost-model.md, docs/internals/tiling.md
and docs/reference/profiles.md alone. It shares no code with the program.

    run = Run(network, machine, plan["subgraphs"][0])
    run.cycles, run.bytes, run.energy
    run.trace                                  # (begin, end, what) of its commands, compared with `plan --trace`
"""

import itertools
from fractions import Fraction
from math import ceil

from second_account import Account
from second_machine import Work, engine_of
from second_parts import common, hull, in_parts, moved_bytes, part_of, size_of
from second_pieces import Pieces
from second_pipeline import Pipeline
from second_words import Words

AXES = {"W": 1, "H": 2, "C": 3}  # index of each axis of the anchor, counted from the last one


class Run(Pipeline, Pieces, Words, Account):
    def __init__(self, network, machine, subgraph, pinned=None):
        self.network, self.machine = network, machine
        self.ops = network.ops[subgraph["first_op"]:subgraph["last_op"] + 1]
        self.inside = set(op.number for op in self.ops)
        self.pinned = pinned or {}  # pinned weights and their memories
        self.sums, self.parts = [], subgraph["variant"].get("reduction", 1)
        if self.parts > 1:
            self.ops, self.sums = in_parts(self.ops, self.parts, machine, self.chip_brick(), self.pinned, subgraph.get("kept", ()))
        self.double = subgraph["variant"]["double_buffer"]
        self.resident = subgraph["variant"]["weights"] == "resident"
        self.stationary = subgraph["variant"]["stationary"]
        self.halo = subgraph["variant"]["halo"]
        self.one_copy = subgraph["variant"].get("one_copy", "none").split("+") if self.double else []
        # This many ops lead; the others work one tile later, in parallel.
        self.lead = len(self.ops) - subgraph["variant"].get("trailing", 0)
        # weights that an earlier group prefetches
        self.early = set(subgraph.get("early", ())) | set(self.pinned)
        self.waiting = bool(subgraph.get("passing"))  # prefetches for later groups, which only occupy memory
        # Prefetched for others; weights it reads itself are left to them unchanged.
        mine = {w.name for op in self.ops for w in op.weights}
        self.left = mine & set(subgraph.get("ahead", ()))
        self.ahead = [next((op, at, w) for op in network.ops for at, w in enumerate(op.weights) if w.name == name)
                      for name in subgraph.get("ahead", ()) if name not in mine]
        self.made = [op.output for op in self.ops]
        self.stored = {w.name: machine.stored(op, at) for op in self.ops for at, w in enumerate(op.weights)}
        self.stored.update({w.name: machine.stored(op, at) for op, at, w in self.ahead})
        self.leaving = [t for t in self.made if t.leaves or any(op.number not in self.inside for op in t.readers)]
        ends = [t for t in self.leaving if not any(op.number in self.inside for op in t.readers)]
        self.anchor = max(ends, key=lambda t: (t.bytes, self.made.index(t)))  # the last one of equals
        self.loaded = []
        for op in self.ops:
            for t in op.inputs:
                if t not in self.made and t not in self.loaded:
                    self.loaded.append(t)
        # If programs cannot write off-chip, all tensors for other groups stay on chip; otherwise the resident
        # ones of the plan.
        self.kept = set(subgraph.get("kept", ())) if machine.writable() else {t.name for t in self.loaded + self.leaving}
        self.in_its_place = (len(self.ops) == 1 and self.joins_what_lies_there(self.ops[0]) and
                             not self.kept & {t.name for t in self.loaded + self.leaving})
        self.find_joined()
        self.find_direct(subgraph["variant"].get("direct", "none").split("+"))
        self.find_tiles(subgraph["tiles"])
        self.find_places(subgraph)
        self.simulate()

    def chip_brick(self):
        """Adjacent channels in the on-chip layout."""
        return int(next(m for m in self.machine.memories.values() if not m.offchip).layout[4:-1] or 1)

    def reached(self, op, role):
        """On-chip memories from which its engine reads, or to which it writes."""
        chip = [m.name for m in self.machine.memories.values() if not m.offchip]
        listed = engine_of(self.machine, op).get("memories", chip)
        listed = listed.get(role, chip) if isinstance(listed, dict) else listed
        return [name for name in listed if name in chip]

    def find_joined(self):
        """Tensors made in place, inside the concatenation that is their only reader: tensor -> concatenation."""
        brick = self.chip_brick()
        self.joined = {}
        for op in reversed(self.ops):
            if op.kind != "concat" or op.axes[0] != 1 or op.output.name in self.joined:
                continue
            begin = 0
            for t in op.inputs:
                mine = 1 if t.outside or len(t.shape) not in (2, 4) else brick
                theirs = 1 if op.output.outside or len(t.shape) not in (2, 4) else brick
                alone = t in self.made and t not in self.leaving and t.readers == [op] and op.inputs.count(t) == 1
                if (alone and self.any_part(t.maker) and t.name not in self.kept and t.dtype == op.output.dtype and mine == theirs and
                        begin % theirs == 0 and set(self.reached(t.maker, "output")) == set(self.reached(op, "output"))):
                    self.joined[t.name] = op.output.name
                begin += t.shape[1]

    @staticmethod
    def any_part(op):
        """Can each element be computed without others of the same output?"""
        return op.kind != "softmax" or all(op.output.shape[axis] == 1 for axis in op.axes)

    @staticmethod
    def joins_what_lies_there(op):
        """A concatenation without work: all operands lie off-chip inside its result."""
        if op.kind != "concat" or op.axes[0] != 1:
            return False
        whole, begin = op.output.joined or (op.output, 0)
        for t in op.inputs:
            if t.joined != (whole, begin):
                return False
            begin += t.shape[1]
        return True

    def what_is_copied(self, op, box):
        """The part of its output that a concatenation copies in a tile, without channels that are in place
        already."""
        if op.kind != "concat" or op.axes[0] != 1 or not size_of(box):
            return box
        begin, channels = 0, 0
        for t in op.inputs:
            if t.name not in self.joined:
                channels += max(0, min(box[1][1], begin + t.shape[1]) - max(box[1][0], begin))
            begin += t.shape[1]
        return (box[0], (0, channels)) + tuple(box[2:])

    def find_direct(self, ways):
        """Direct off-chip accesses of the engine, for an op that forms a group alone."""
        self.direct = [set(), set()]
        home = next((memory.name for memory in self.machine.offchip if memory.writable), None)
        if len(self.ops) > 1 or home is None:
            return
        op = self.ops[0]
        listed = engine_of(self.machine, op).get("memories", {})
        listed = listed if isinstance(listed, dict) else {}
        for way, (word, role, tensors) in enumerate((("inputs", "input", self.loaded), ("outputs", "output", self.leaving))):
            if word in ways and home in listed.get(role, ()):
                self.direct[way] = {t.name for t in tensors if t.name not in self.kept}

    def find_tiles(self, tiles):
        self.grid = {axis: tiles["grid"].get(axis, 1) for axis in AXES}
        self.extent = {}
        for axis, back in AXES.items():
            whole = self.anchor.shape[-back] if back <= len(self.anchor.shape) else 1
            self.extent[axis] = (tiles["shape"][axis] if self.grid[axis] > 1 else whole, whole)
        order = tiles["order"]
        self.positions = [dict(zip(order, at)) for at in itertools.product(*(range(self.grid[axis]) for axis in order))]
        self.known, self.keeping = {}, {}
        self.keeping = {axis: self.follows(axis) for axis in self.keeps()}
        self.known = {}
        first = {axis: self.first_alike(axis) for axis in AXES}
        alike = [tuple(first[axis][at[axis]] for axis in ("C", "H", "W")) for at in self.positions]
        self.tiles = [self.regions(dict(zip(("C", "H", "W"), at))) for at in alike]

    def first_alike(self, axis):
        """For every position along the axis the first equal one."""
        known, like = {}, []
        for i in range(self.grid[axis]):
            others = itertools.product(*([i] if other == axis else range(self.grid[other]) for other in AXES))
            like.append(known.setdefault(tuple(self.kind_of(dict(zip(AXES, at))) for at in others), i))
        return like

    def kind_of(self, at):
        tile = self.regions(at)
        need, piece, fresh, kind = tile["need"], tile["piece"], tile["fresh"], []

        def beside(part, whole):
            if not size_of(part) or not size_of(whole):
                return None
            return tuple((low - begin, end - high) for (low, high), (begin, end) in zip(part, whole))

        for op in self.ops:
            box = need[op.output.name]
            kind.append(box and tuple(high - low for low, high in box))
            kind += [beside(piece.get(op.output.name), box), beside(fresh[op.output.name], box)]
            box = fresh[op.output.name]
            if box:
                kind += [beside(op.parts(i, box), need[t.name]) for i, t in enumerate(op.inputs)]
                kind.append(op.padding(box))
        kind += [need[t.name] and tuple(high - low for low, high in need[t.name]) for t in self.loaded]
        kind += [beside(fresh[t.name], need[t.name]) for t in self.loaded]
        return tuple(kind)

    def regions(self, at):
        """Regions of a tile: of every tensor (`need`), the stored parts of outputs (`piece`), and the
        computed or loaded parts (`fresh`). With halo reuse, each is the product of the ranges along the
        axes."""
        if not self.keeping:
            return self.regions_cut(at)
        alone = [self.regions_cut({**dict.fromkeys(AXES, 0), axis: at[axis]}, axis) for axis in AXES]
        return {part: {name: common([one[part][name] for one in alone]) for name in alone[0][part]} for part in alone[0]}

    def regions_cut(self, at, alone=None):
        """`alone`: the only axis that is cut."""
        key = alone, tuple(at[axis] for axis in AXES)
        if key in self.known:
            return self.known[key]
        need, piece, fresh = {}, {}, {}
        for op in reversed(self.ops):
            t = op.output
            wanted = []
            for reader in t.readers:
                if reader.number in self.inside and fresh[reader.output.name] is not None:
                    wanted += [reader.parts(i, fresh[reader.output.name]) for i, one in enumerate(reader.inputs) if one is t]
            if t in self.leaving:
                piece[t.name] = self.piece_of(t, at, hull(wanted), alone)
                wanted.append(piece[t.name])
            need[t.name] = hull([box for box in wanted if box])
            fresh[t.name] = self.without_kept(t, at, need[t.name], alone)
        for t in self.loaded:
            need[t.name] = hull([op.parts(i, fresh[op.output.name]) for op in self.ops for i, one in enumerate(op.inputs)
                                 if one is t and fresh[op.output.name]])
            fresh[t.name] = self.without_kept(t, at, need[t.name], alone)
        self.known[key] = {"need": need, "piece": piece, "fresh": fresh}
        return self.known[key]

    def keeps(self):
        """Axes with halo reuse. Only if a single tensor leaves and every tile needs a part of every tensor:
        not with concatenated tensors, nor if a window may lie in the padding."""
        axes = {"recompute": (), "keep_columns": ("W",), "keep": ("H", "W")}[self.halo]
        windows = [op for op in self.ops if op.kind in ("conv", "pool")]
        if (len(self.leaving) > 1 or any(op.kind == "concat" for op in self.ops) or
                any(max(op.pad[a], op.pad[2 + a]) > op.dilation[a] * (op.kernel[a] - 1) for op in windows for a in (0, 1))):
            return ()
        return axes

    def follows(self, axis):
        """Tensors that move along this axis: some slice of the anchor (the first, middle or last) does not
        need all of them."""
        cut = self.grid, self.extent
        self.grid, self.known = dict.fromkeys(AXES, 1), {}
        self.extent = {other: (whole, whole) for other, (_, whole) in cut[1].items()}
        nowhere, slices = dict.fromkeys(AXES, 0), self.extent[axis][1]
        everything = self.regions(nowhere)["need"]
        self.grid[axis], self.extent[axis], self.known = slices, (1, slices), {}
        parts = [self.regions({**nowhere, axis: at})["need"] for at in (0, slices // 2, slices - 1)]
        self.grid, self.extent, self.known = *cut, {}
        back = AXES[axis]
        return {name for name, box in everything.items() if box and back <= len(box)
                and any(part[name] and part[name][-back] != box[-back] for part in parts)}

    def without_kept(self, t, at, box, alone):
        """The part that the tile makes or loads: without data left by previous tiles."""
        for axis, moving in self.keeping.items():
            back = AXES[axis]
            if at[axis] > 0 and box and t.name in moving:
                left = self.regions_cut({**at, axis: at[axis] - 1}, alone)["need"][t.name]
                if left and left[-back][0] <= box[-back][0]:
                    mine = list(box)
                    mine[-back] = (max(box[-back][0], left[-back][1]), box[-back][1])
                    box = tuple(mine) if mine[-back][0] < mine[-back][1] else None
        return box

    def piece_of(self, t, at, reach, alone):
        box = [(0, extent) for extent in t.shape]
        feeds = any(op.number in self.inside for op in t.readers)
        for axis, back in AXES.items():
            if back > len(t.shape):
                if at[axis] > 0:
                    return None  # no axis moves it: the first tile stores it
                continue
            shape, whole = self.extent[axis]
            shape = shape if alone in (None, axis) else whole
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
                    before = self.regions_cut({**at, axis: at[axis] - 1}, alone)["piece"][t.name][-back][1]
                last = alone not in (None, axis) or at[axis] + 1 == self.grid[axis]
                box[-back] = (before, mine if last else max(before, reach[-back][1] if reach else before))
        return tuple(box)

    def find_places(self, subgraph):
        """On-chip memories of each tensor, and the ops that read it there: an op uses the first that it
        reaches."""
        self.shares = {}
        for t in self.loaded + self.made:
            there = t.name in self.kept and t.maker is not None  # where the group that made it left it
            shares = [[self.reached(t.maker, "output"), []]] if t in self.made or there else []
            for k, op in enumerate(self.ops):
                if t in op.inputs:
                    mine = self.reached(op, "output" if t.name in self.sums else "input")
                    for share in shares:
                        if set(share[0]) & set(mine):
                            share[0] = [name for name in share[0] if name in mine]
                            share[1].append(k)
                            break
                    else:
                        shares.append([mine, [k]])
            self.shares[t.name] = [readers for _, readers in shares]
        self.placements, self.room = [], []
        for placement in [subgraph["placement"]] + subgraph.get("more_placements", []):
            places = {buffer["id"]: self.machine.memories[buffer["memory"]] for buffer in placement["buffers"]}
            self.placements.append((places, list(placement["modes"].values())))
            self.room.append({buffer["id"].removesuffix(".ping"): buffer["size"] for buffer in placement["buffers"]})
        self.placement_of = [self.first_that_holds(tile) for tile in self.tiles]

    def first_that_holds(self, tile):
        """A tile uses the first placement in which it fits."""
        held = {t.name: size_of(tile["need"][t.name]) * t.item for t in self.loaded + self.made}
        held.update({w.name: ceil(size_of(self.weight_part(op, w, tile)) * w.item) for op in self.ops for w in op.weights})
        for i, room in enumerate(self.room):
            if all(size <= room.get(name, size) for name, size in held.items()):
                return i
        return 0

    def place(self, number, name, share=0):
        """The memory of a tensor in a tile."""
        places = self.placements[self.placement_of[number]][0]
        if name in self.pinned:
            return self.pinned[name]
        if name in self.sums:
            name = self.sums[0]  # all sums have one place
        name = self.joined.get(name, name)
        name += f".copy{share}" if share else ""
        return places[name] if name in places else places[name + ".ping"]

    def switches(self, number, step):
        """Mode switches before this step of a tile; the first step follows the last."""
        found = 0
        for modes in self.placements[self.placement_of[number]][1]:
            found += any(modes[t] != modes[t - 1] for t in range(step, len(modes), len(self.ops)))
        return found

    def weight_part(self, op, weight, tile):
        box = tile["fresh"][op.output.name]
        return op.weight_part(weight, box) if size_of(box) else None

    def moves(self, box_of):
        """Axes along which this part differs between tiles."""
        moving = set()
        for axis in AXES:
            for at in self.positions:
                if at[axis] > 0 and box_of(self.regions(at)) != box_of(self.regions({**at, axis: 0})):
                    moving.add(axis)
                    break
        return moving

    def changes(self, moving, number):
        """Does the tile differ from the previous one along one of these axes?"""
        return number == 0 or any(self.positions[number][axis] != self.positions[number - 1][axis] for axis in moving)

    def simulate(self):
        m, n, self.words = self.machine, len(self.ops), set()
        # weights are in a memory that programs cannot write
        constants = min(m.offchip, key=lambda memory: memory.writable)
        dram = next((memory for memory in m.offchip if memory.writable), None)
        self.bytes, self.energy, self.trace, self.switched, self.copied = 0, Fraction(0), [], 0, False
        self.halos_copied = self.kept_copied = False
        self.open_account()
        self.weights_loaded = {w.name: [] for op in self.ops for w in op.weights}  # bytes of each loaded part
        # For each transferred part of a tensor across a cut point: its bytes, and those of its bursts in a
        # backing memory.
        self.tensors_moved = {(t.name, way): [] for way, tensors in enumerate((self.loaded, self.leaving))
                              for t in tensors if not t.outside and t.name not in self.kept}
        self.staged = {}  # for the same: the tile, the transfer, and its place in the tensor
        self.moves_made = []  # (store?, tile, tensor, earliest begin, begin, end)
        self.first = {t.name: min(k for k, op in enumerate(self.ops) if t in op.inputs) for t in self.loaded}
        # Transfers: the earliest step boundary, the rank there, the tensor, the step that waits for them.
        self.transfers, self.op_cycles, self.first_slices = [], [], set()
        self.held_up = False
        self.serving = {}  # on-chip memories: by tile, the cycles for leading and for trailing ops
        stays = {t.name: self.moves(lambda tile: tile["need"][t.name]) for t in self.loaded}
        stays = {name: moving for name, moving in stays.items() if self.stationary == "inputs" and "C" not in moving}
        for number, tile in enumerate(self.tiles):
            start = number * n
            for t in self.loaded:
                if t.name in self.kept or t.name in self.direct[0] or self.in_its_place:
                    continue
                for share, readers in enumerate(self.shares[t.name]):
                    begin = start - n if self.double else start + readers[0]
                    # one step early, if no op reads the previous tile then
                    if "inputs" in self.one_copy or self.double and t.slice:
                        begin = start + readers[0] - (1 if readers[-1] - readers[0] + 2 <= n else 0)
                    if t.name in stays:
                        begin = start - n + readers[-1] + 1
                    if self.lead < n:
                        begin = self.ended_before((number - 1) * self.lead)
                        if readers[-1] >= self.lead:
                            begin = readers[-1], number - 2
                    again = t.name not in stays or self.changes(stays[t.name], number)
                    if again and share == 0:
                        self.comes_or_goes(t, 0, tile["fresh"][t.name], number)
                    self.at = self.ops[readers[0]]
                    self.move(begin, 2 * self.first[t.name], dram, 0, t, tile["fresh"][t.name] if again else None,
                              self.step_of(readers[0], number), self.place(number, t.name, share))
            for k, op in enumerate(self.ops):
                self.at = op
                self.op_cycles.append(self.compute(op, number, k))
                sliced = op.kind in ("conv", "matmul") and m.weight_slices > 1
                if op.weights and not (self.resident and number > 0):
                    begin = start + k - (1 if self.double and (n > 1 or "weights" not in self.one_copy) else 0)
                    if self.resident:  # loaded by the first tile for all
                        begin = -n if self.double else 0
                    if self.lead < n:
                        begin = (k, number - 2) if k >= self.lead else self.ended_before(number * self.lead + k - 1)
                        if self.resident:
                            begin = self.ended_before(-self.lead)
                    rest = []
                    for at, w in enumerate(op.weights):
                        if w.name in self.early:
                            continue
                        again = True
                        if self.stationary == "weights":
                            again = self.changes(self.moves(lambda tile: self.weight_part(op, w, tile)), number)
                            begin = start - n + k + 1
                        part = self.weight_part(op, w, tile) if again else None
                        if self.resident:
                            part = w.whole
                        if part is not None and size_of(part):
                            self.weights_loaded[w.name].append(part_of(w, part, self.stored[w.name]))
                            self.staged.setdefault((w.name, 0), []).append(
                                (number, w, self.weight_part(op, w, self.regions(self.positions[number]))))
                        rest += self.move(begin, 2 * k + 1, constants, 0, w, part, self.step_of(k, number), self.place(number, w.name),
                                          self.op_cycles[-1][2] if sliced and at == 0 else None)
                        if sliced and at == 0:
                            self.first_slices.add(w.name)
                    self.transfers += rest
                for way, t in [(0, t) for t in self.loaded] + [(1, op.output)]:
                    if t.name in self.direct[way]:
                        self.transfers.append(self.alone(start, way, t, tile, dram))
                if op.output in self.leaving and op.output.name not in self.kept | self.direct[1] and not self.in_its_place:
                    self.comes_or_goes(op.output, 1, tile["piece"][op.output.name], number)
                    shares = self.shares[op.output.name]
                    ready = start + max([k] + shares[0] + [readers[0] for readers in shares[1:]])
                    first = min([k] + [i for i, one in enumerate(self.ops) if self.joined.get(one.output.name) == op.output.name])
                    end = max(start + first + n, ready + 2) if self.double else ready + 1
                    if "outputs" in self.one_copy:
                        end = ready + (2 if ready + 2 - start - first <= n else 1)
                    rank = -1 if end == ready + 1 else 2 * n
                    begin = ready + 1
                    if self.lead < n:
                        begin, last = (ready - start, number), ready - start
                        end, rank = (first, number + 2), 2 * n
                        if last < self.lead:
                            step = number * self.lead + max(first + self.lead, last + 2)
                            end, rank = (step % self.lead, step // self.lead), -1 if step == number * self.lead + last + 1 else 2 * n
                    self.at = self.ops[ready - start]
                    self.move(begin, rank, dram, 1, op.output, tile["piece"][op.output.name], end,
                              self.place(number, op.output.name))
        self.at = self.ops[0]
        for _, _, w in self.ahead:  # after everything that the first op does not wait for; no op waits for it
            self.move(0 if self.lead == n else (0, 0), 2 * n + 1, constants, 0, w, w.whole,
                      self.step_of(n - 1, len(self.tiles)), self.place(0, w.name))
        if any(self.direct):  # direct accesses come before loads of later tiles
            self.transfers = [(begin, 1.8 + rank / 100 if 0 <= rank < 1.75 and step > begin else rank, *rest, step, name)
                              for begin, rank, *rest, step, name in self.transfers]
        if self.lead < n:
            self.side_by_side()
            switched = self.switches(len(self.tiles) - 1, 0)  # the last trailing ops have a slot of their own
            self.switched += switched
            self.energy += switched * m.switch_energy
            self.accounts[self.ops[self.lead].number]["switches_pj"] += switched * m.switch_energy
        else:
            self.pipeline()
        self.energy += m.static * self.cycles

    def move(self, begin, rank, memory, way, tensor, box, step, chip, slices=None):
        """A load (way 0) or a store (way 1) of a part of a tensor. With slices, it is the first slice, and
        returns the others."""
        m = self.machine
        held, moved = moved_bytes(tensor, box, memory, self.stored.get(tensor.name))
        self.bytes += moved
        self.energy += moved * memory.energy[way] + held * chip.energy[1 - way]
        operand = "weights" if tensor.weight else ("input", "output")[way]
        self.book(memory, "dma", operand, way, moved)
        self.book(chip, "dma", operand, 1 - way, held)
        lane = (memory.name, 0 if memory.shared else way)
        alone = moved / memory.limited(m.rate(memory, way), None if way else "dma")
        if m.convert and not tensor.weight:
            alone = max(alone, held / m.convert)
        alone = ceil(alone)
        shared = ceil(moved / memory.bandwidth[way])
        first = m.setup + memory.latency[way] if moved else 0
        parts = slices or 1
        self.transfers.append((begin, rank, lane, first + -(-alone // parts), -(-shared // parts), step, tensor.name))
        if slices is None:
            return []
        return [(begin, rank + 0.5, lane, alone - -(-alone // parts), shared - -(-shared // parts), step, tensor.name + ", the rest")]

    def direct_move(self, way, tensor, tile, memory, array):
        """A direct access of the engine: bytes, cycles, and bus cycles."""
        box = tile["piece" if way else "fresh"][tensor.name]
        _, moved = moved_bytes(tensor, box, memory, None)
        held = size_of(box) * tensor.item if box else 0
        again = Fraction(array.input, held) if array and held and way == 0 and self.ops[0].inputs[0] is tensor else 1
        moved = ceil(moved // memory.burst * max(1, again) * self.direct_share(tensor, memory)) * memory.burst
        if not moved:
            return 0, 0, 0
        rate = memory.limited(self.machine.rate(memory, way), "output" if way else "input")
        return moved, memory.latency[way] + ceil(moved / rate), ceil(moved / memory.bandwidth[way])

    def direct_share(self, tensor, memory):
        """Burst bytes per byte with adjacent channels: pixel by pixel."""
        order, brick = memory.layout[:4], int(memory.layout[4:-1] or 1)
        if brick > 1 and tensor.outside:
            order, brick = "NHWC", 1
        if not memory.direct_run or brick > 1 or order[-1] != "C" or len(tensor.shape) not in (2, 4):
            return 1
        return Fraction(memory.burst, min(memory.burst, max(tensor.shape[1] * tensor.item, memory.direct_run)))

    def alone(self, start, way, tensor, tile, memory):
        moved, cycles, shared = self.direct_move(way, tensor, tile, memory, self.array_taken)
        self.bytes += moved
        self.energy += moved * memory.energy[way]
        self.book(memory, self.name_of_engine(self.ops[0]), ("input", "output")[way], way, moved)
        return start, 1.75, (memory.name, 0 if memory.shared else way), cycles, shared, start + 1, tensor.name

    def compute(self, op, number, k):
        """Cycles of an op in a tile, the part that needs the last slice of its weights, and the number of
        slices."""
        m = self.machine
        if self.in_its_place:
            return 0, 0, 1
        box = self.what_is_copied(op, self.tiles[number]["fresh"][op.output.name])
        made = size_of(box) * op.output.item
        home = next((memory for memory in m.offchip if memory.writable), None)
        off_chip = [self.direct_share(t, home) if t.name in self.direct[way] else 0 for way, t in enumerate((op.inputs[0], op.output))]
        work = Work(m, op, box, off_chip) if made else None
        ways = [self.served(op, number, k, made, array) for array in (work.arrays if work else [])]
        if ways:
            cycles, energy, _, array = min(ways, key=lambda way: self.with_direct(way, self.tiles[number]))
            self.words |= {"several maps"} if len({way[:2] for way in ways}) > 1 else set()
            self.words |= {"a slower map"} if array.busy > min(one.busy for one in work.arrays) else set()
        else:
            cycles, energy, _, array = self.served(op, number, k, made, None, work.cycles if work else 0)
        self.array_taken = array
        if made and self.lead < len(self.ops):
            for name, moved in self.used(op, number, k, made, array)[0].items():
                serving = self.serving.setdefault(name, [[0, 0] for _ in self.tiles])
                serving[number][k >= self.lead] += ceil(m.memories[name].serving_ops(*moved))
        last, slices = 0, 1
        if made:
            self.energy += work.energy + energy
            self.book_work(op, box, work.energy)
            for memory, operand, way, held in self.accesses(op, number, k, made, array):
                self.book(memory, self.name_of_engine(op), operand, way, held)
            if array and op.kind in ("conv", "matmul") and m.weight_slices > 1:
                slices = min(array.slices, m.weight_slices)
                last = min(cycles, ceil(cycles * (array.known + (1 - array.known) / slices)))
        else:
            cycles = 0
        switched = self.switches(number, k)
        self.switched += switched
        self.energy += switched * m.switch_energy
        self.accounts[op.number]["switches_pj"] += switched * m.switch_energy
        if k == self.lead:  # mode switches of leading ops overlap with trailing ops
            switched += sum(self.switches(number, before) for before in range(k))
        return cycles + switched * m.switch_cycles + self.copies(number, k), last, slices

    def with_direct(self, way, tile):
        """Sort key of alternatives to compute an op: cycles and energy, including direct off-chip accesses."""
        cycles, energy, busy, array = way
        home, all_of_it = next((memory for memory in self.machine.offchip if memory.writable), None), 0
        for way, names in enumerate(self.direct):
            for t in [t for t in self.loaded + self.made if t.name in names]:
                moved, taken, _ = self.direct_move(way, t, tile, home, array)
                all_of_it += taken
                energy += moved * home.energy[way]
        return max(cycles, -(-all_of_it // self.machine.channels)), energy, busy

    def served(self, op, number, k, made, array, cycles=0):
        """Of an op by one map of its array, or by another engine: its cycles including on-chip memory
        service, its on-chip energy, the cycles of the map alone, and the map."""
        served, energy = self.used(op, number, k, made, array)
        slowest = max(ceil(self.machine.memories[name].serving_ops(*moved)) for name, moved in served.items())
        return max(array.busy if array else cycles, slowest), energy, array.cycles if array else 0, array

    def used(self, op, number, k, made, array):
        """Bytes of activations and weights that an op reads in each on-chip memory, bytes that it writes, and their
        energy."""
        served, energy = {memory.name: [0, 0, 0] for memory in self.machine.memories.values() if not memory.offchip}, Fraction(0)
        for memory, operand, way, held in self.accesses(op, number, k, made, array):
            energy += held * memory.energy[way]
            served[memory.name][("input", "weights", "output").index(operand)] += held
        return served, energy

    def accesses(self, op, number, k, made, array):
        """Each tensor that an op reads or writes on-chip: memory, operand, way and bytes."""
        tile = self.tiles[number]
        reads = {}  # tensor -> memory and bytes
        for at, t in enumerate(op.inputs):
            if t.name in self.direct[0] or self.joined.get(t.name) == op.output.name:
                continue
            share = next(i for i, readers in enumerate(self.shares[t.name]) if k in readers)
            held = size_of(tile["need"][t.name]) * t.item
            reads[t.name] = self.place(number, t.name, share), max(held, array.input if array and at == 0 else 0)
        for at, w in enumerate(op.weights):
            stored, part = self.stored[w.name], self.weight_part(op, w, tile)
            held = part_of(w, part, stored) if part else 0
            again = array.weights * (1 if stored is None else stored / w.bytes) if array and at == 0 else 0
            reads[w.name] = self.place(number, w.name), max(held, again)
        weights = {w.name for w in op.weights}
        found = [(memory, "weights" if name in weights else "input", 0, held) for name, (memory, held) in reads.items()]
        if op.output.name not in self.direct[1]:
            found.append((self.place(number, op.output.name), "output", 1, made))
        return found

    def in_bricks(self, tensor, box):
        """On-chip bytes of a part, with channels rounded up to whole bricks."""
        brick = self.chip_brick()
        if not size_of(box) or tensor.outside or len(tensor.shape) not in (2, 4):
            return size_of(box) * tensor.item
        channels = box[1][1] - box[1][0]
        return size_of(box) // channels * -(-channels // brick) * brick * tensor.item

    def copies(self, number, k):
        """Cycles of on-chip copies before this op."""
        tile, m, cycles = self.tiles[number], self.machine, 0
        for t in self.made + [t for t in self.loaded if t.name in self.kept]:
            for share, readers in enumerate(self.shares[t.name] if t.name not in self.joined else []):
                held = self.in_bricks(t, tile["fresh"][t.name])
                if share == 0 or readers[0] != k or held == 0:
                    continue
                here, there = self.place(number, t.name), self.place(number, t.name, share)
                self.energy += held * (here.energy[0] + there.energy[1])
                self.book(here, "dma", "input" if t in self.loaded else "output", 0, held)
                self.book(there, "dma", "input" if t in self.loaded else "output", 1, held)
                self.copied = True
                self.kept_copied |= t in self.loaded
                cycles += m.setup + ceil(max(here.serving(held, 0), there.serving(0, held)))
        if not m.halos_are_copied:
            return cycles
        for t in [t for t in self.made + self.loaded if t.name not in self.kept]:
            for share, readers in enumerate(self.shares[t.name]):
                inside = [reader for reader in readers if reader < len(self.ops)]
                held = self.in_bricks(t, tile["need"][t.name]) - self.in_bricks(t, tile["fresh"][t.name])
                if not inside or inside[0] != k or held == 0:
                    continue
                here = self.place(number, t.name, share)
                self.energy += held * (here.energy[0] + here.energy[1])
                self.book(here, "dma", "input" if t in self.loaded else "output", 0, held)
                self.book(here, "dma", "input" if t in self.loaded else "output", 1, held)
                self.halos_copied = True
                cycles += m.setup + ceil(here.serving(held, held))
        return cycles
