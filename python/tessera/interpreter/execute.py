"""Runs commands on memories of bytes and checks every one of them."""
# mypy: ignore-errors

from math import prod

import numpy as np

from .evaluate import evaluate, finish, partial_sums, stand_in
from .memory import NOTHING, Memory, Span
from .network import Network
from .layers import Layers
from .order import Clock, Order
from .parts import Part, Refused
from .places import Atom, atoms, box_of, place_atoms, place_runs, stored_parts
from .types import NUMPY, bits, element_bytes, from_bytes, half, is_float, to_bytes

# Roles of banks.
READS, WRITES, WEIGHTS = ("read", "read_write", "data"), ("write", "read_write", "data"), ("read", "read_write", "weight")


class Machine:
    """Memories with weights and inputs in place.

        machine = Machine(header, seed=0)
        for command in commands: machine.step(command)
        machine.finish()
    """

    def __init__(self, header, seed=0):
        self.header = header
        self.network = Network(header)
        self.layers = Layers(self.network, seed)
        self.order, self.clock = Order(header["queues"]), Clock(header["queues"])
        self.memories = {m["name"]: Memory(m, self.size_of(m), self.order) for m in header["memories"]}
        self.tags, self.next_tag, self.sums, self.exact = {}, 0, {}, {}
        self.bytes, self.count = 0, 0
        self.more_bytes = 0  # than the plan counts
        self.compared, self.differing = 0, 0
        self.moves = {}  # transfers since the last barrier: bytes of both sides, bytes said
        self.has_bricks = any("brick" in t.place for t in self.network.tensors.values())
        self.buffers = []  # of each group: places by name
        for group in header.get("groups", ()):
            self.buffers.append({})
            for buffer in group.get("buffers", ()):
                self.buffers[-1].setdefault(buffer["name"], []).append(buffer)
        if not any(self.buffers):
            self.buffers = []
        for name, tensor in self.network.tensors.items():
            if tensor.role in ("input", "weight") and not tensor.view_of:
                self.put(name)

    def size_of(self, memory):
        """Off-chip, only the bytes of tensors are kept, and those that a backing memory fills."""
        if not memory.get("offchip") or self.order.staging:
            return memory["size"]
        ends = [0]
        for tensor in self.network.tensors.values():
            for atom in self.placed(tensor, True):
                if atom.memory == memory["name"]:
                    ends.append(atom.address + sum((n - 1) * s for n, s in atom.dims) + atom.run)
        size = max(ends) - memory.get("base", 0)
        return min(size, memory["size"]) if memory.get("size") else size

    def placed(self, tensor, whole_bricks=False):
        """The pieces of a tensor's place off chip."""
        place = tensor.place
        if place.get("encoded"):
            return [Atom([(0, place["encoded"])], place["memory"], place["address"], [1], 1)]
        return place_atoms(tensor, place, whole_bricks) if "address" in place or "parts" in place else []

    def memory(self, name):
        if name not in self.memories:
            raise Refused(f"the memory `{name}` is not in the header")
        return self.memories[name]

    # What bytes are.

    def claim(self, count):
        """First of so many new tags."""
        first = self.next_tag
        self.next_tag += count
        if self.next_tag > 2 ** 31 - 1:
            raise Refused("the tensors of this network have too many bytes for the interpreter")
        return first

    def tags_of(self, name):
        """The tag of the first byte of every element. A concatenation has the elements of its operands."""
        if name not in self.tags:
            tensor = self.network.tensors[name]
            maker = next((op for op in self.network.ops if name in op.outputs), None)
            if tensor.view_of:
                self.tags[name] = self.tags_of(tensor.view_of).reshape(tensor.shape)
            elif maker is not None and maker.type == "concat" and not maker.fused:
                self.tags[name] = np.concatenate([self.tags_of(i) for i in maker.inputs], maker.axes[0])
            else:
                width = element_bytes(tensor.dtype)
                first = self.claim(tensor.elements * width)
                self.tags[name] = np.arange(first, first + tensor.elements * width, width, dtype=np.int32).reshape(tensor.shape)
        return self.tags[name]

    def put(self, name):
        """A weight or input in its place."""
        tensor = self.network.tensors[name]
        for atom in self.placed(tensor):
            span = self.span_of(atom)
            box = tuple(slice(b, e) for b, e in atom.box)
            if tensor.place.get("encoded"):
                tags = self.claim(atom.box[0][1]) + np.arange(atom.box[0][1])[:, None]
                span.memory.give(span, (tags * 2654435761 >> 7).astype(np.uint8), tags)
            elif atom.packed:
                self.put_packed(name, atom, span)
            else:
                values, tags = self.layers.values[name][box], self.tags_of(name)[box]
                span.memory.give(span, to_bytes(values, tensor.dtype), tags[..., None] + np.arange(atom.run))

    def put_packed(self, name, atom, span):
        """4-bit elements: the tag of a byte is that of its element in the low half."""
        box = tuple(slice(b, e) for b, e in atom.box)
        at, values = atom.halves(), self.layers.values[name][box].view(np.uint8) & 15
        content = np.zeros(atom.run, np.int64)
        np.add.at(content, at // 2, values.astype(np.int64) << (4 * (at % 2)))
        first = self.claim(atom.run * 2)
        span.memory.give(span, content.astype(np.uint8), first + 2 * np.arange(atom.run))
        self.tags_of(name)[box] = first + at

    def span_of(self, atom, command=None):
        """The bytes of a piece; of a command, they must be in its buffer."""
        span = Span(self.memory(atom.memory), atom.address, atom.dims, atom.run)
        if command is not None:
            self.in_buffer(span, atom.buffer, command)
        return span

    def in_buffer(self, span, name, command):
        """Are the bytes in a buffer of the command's group?"""
        group = command.get("group", 0)
        if name is None or span.empty or group >= len(self.buffers):
            return
        places = self.buffers[group].get(name)
        if places is None:
            raise Refused(f"group {group} has no buffer `{name}`")
        begin, end = span.begin + span.memory.base, span.end + span.memory.base
        if not any(p["memory"] == span.memory.name and p["address"] <= begin and end <= p["address"] + p["size"] for p in places):
            raise Refused(f"bytes [{begin}, {end}) of `{span.memory.name}` are not in the buffer `{name}`, which has "
                          + " or ".join(f"[{p['address']}, {p['address'] + p['size']}) of `{p['memory']}`" for p in places))

    # Commands.

    def step(self, command):
        if command.get("id") != self.count:
            raise Refused(f"its id is {command.get('id')}, but {self.count} is next")
        self.order.add(command)
        self.clock.add(command)
        self.count += 1
        kind = command["kind"]
        if kind in ("load", "store"):
            self.transfer(command)
        elif kind == "compute":
            self.compute(command)
        elif kind == "mode":
            self.memory(command["memory"]).switch(command["mode"], command["id"])
        elif kind == "wait" and "queue" not in command:
            self.check_bytes()
        elif kind != "wait":
            raise Refused(f"the kind `{kind}` is unknown")

    def transfer(self, command):
        number, what = command["id"], command["kind"]
        self.bytes += command.get("bytes", 0)
        staged = command.get("queue") in self.order.staging
        if staged and command.get("bytes", 0):
            raise Refused("it counts `bytes`, which are those between off-chip memory and chip")
        if not staged:
            self.count_bytes(command)
        if command.get("direct"):
            return
        taken = []
        for pair in [command, *command.get("more", ())]:
            source, target = (self.span(pair[side]) for side in ("src", "dst"))
            chip = target if what == "load" else source
            self.in_buffer(chip, pair.get("buffer", command.get("buffer")), command)
            if [n for n, _ in source.dims] != [n for n, _ in target.dims] or source.run != target.run:
                raise Refused("its source and destination differ in counts")
            source.memory.read(source, number, number, what)
            content, tags = source.memory.content, source.memory.tags
            if not staged:
                self.note_content(command, source.of(tags))
            taken.append((target, source.of(content, False).copy(), source.of(tags, False).copy()))
        for target, content, tags in taken:
            changes = True
            if what == "store":  # perhaps of bytes that a concatenation has in common with its operands
                before = target.of(target.memory.tags, False)
                changes = ((before != tags) | (tags == NOTHING)).reshape(target.of(target.memory.tags).shape)
            target.memory.write(target, number, number, what, changes)
            target.of(target.memory.content, False)[...] = content
            target.of(target.memory.tags, False)[...] = tags

    def span(self, side):
        return Span(self.memory(side["memory"]), side["address"], side.get("dims", []), side.get("element_bytes", 1))

    def count_bytes(self, command):
        """Notes the bytes of a transfer, and of its rest; both are counted at the next barrier."""
        first = command.get("rest_of", command["id"])
        if command.get("direct"):
            return
        pairs = [command, *command.get("more", ())]
        encoded = sum(prod(n for n, _ in pair["src"].get("dims", [])) * pair["src"].get("element_bytes", 1) for pair in pairs)
        if "rest_of" not in command:
            self.moves[first] = [command, 0, 0, 0, 0]
        elif first not in self.moves:
            raise Refused(f"it is the rest of command {first}, which is no transfer since the last barrier")
        self.moves[first][1] += encoded
        self.moves[first][2] += command.get("bytes", 0)

    def check_bytes(self):
        """Are the bytes of all transfers since the last barrier those of their boxes? A plan counts equal tiles
        with the address of the first one."""
        seen = {}
        for number, (command, encoded, said, count, total) in self.moves.items():
            self.check_content(number, command, count, total)
            expected = self.burst_bytes(command, encoded)
            alike = seen.setdefault((command["tensor"], command["kind"], *(e - b for b, e in box_of(command))), set())
            alike.add(expected)
            if said not in alike:
                raise Refused(f"command {number} moves {expected} bytes in whole bursts, but says {said}")
            self.more_bytes += expected - said
        self.moves = {}

    def note_content(self, command, tags):
        """Number and sum of the tags that a transfer moves."""
        move = self.moves[command.get("rest_of", command["id"])]
        move[3] += tags.size
        move[4] += int(tags.sum(dtype=np.int64))

    def check_content(self, number, command, count, total):
        """Does a transfer from or to off-chip memory move the elements of its box? Whole bricks have others, too."""
        tensor = self.network.tensors[command["tensor"]]
        box = box_of(command)
        if len(box) != len(tensor.shape) or any(not 0 <= b <= e <= n for (b, e), n in zip(box, tensor.shape)):
            raise Refused(f"the box of command {number} is not in the tensor `{tensor.name}`")
        memories = [self.memory(pair[side]["memory"]) for pair in [command, *command.get("more", ())] for side in ("src", "dst")]
        if tensor.place.get("encoded") or bits(tensor.dtype) == 4 or self.has_bricks or not any(m.offchip for m in memories):
            return
        width = element_bytes(tensor.dtype)
        tags = self.tags_of(tensor.name)[tuple(slice(b, e) for b, e in box)]
        expected = width * int(tags.sum(dtype=np.int64)) + tags.size * width * (width - 1) // 2
        if (count, total) != (tags.size * width, expected):
            raise Refused(f"command {number} moves other elements of `{tensor.name}` than those of its box")

    def burst_bytes(self, command, encoded):
        """Bytes of whole bursts of the part of the box that is off chip."""
        sides = [self.memory(pair[side]["memory"]) for pair in [command, *command.get("more", ())] for side in ("src", "dst")]
        memory = next((m for m in sides if m.offchip), None)
        if memory is None:
            return 0
        tensor = self.network.tensors[self.network.storage(command["tensor"])]
        if tensor.place.get("encoded"):
            return -(-encoded // memory.burst) * memory.burst
        box = box_of(command)
        if "brick" in tensor.place:
            size = tensor.place["brick"]["channels"]
            box[1] = tuple(n - box[1][0] % size for n in box[1])
        total = 0
        for part in stored_parts(tensor.place):
            starts, ends = place_runs(tensor, part, box)
            inside = tensor.place.get("inside")
            origin = self.network.tensors[inside].place["address"] if inside else part["address"]
            total += int((-(-((starts - origin) % memory.burst + ends - starts) // memory.burst)).sum()) * memory.burst
        return total

    def compute(self, command):
        if "out" not in command:
            return
        op = self.network.by_name.get(command["op"])
        if op is None:
            raise Refused(f"the op `{command['op']}` is not in the header")
        what = f"op `{op.name}`"
        parts = self.operands(op, command, what)
        accumulate = command.get("accumulate")
        for operand in command["out"]:
            box = box_of(operand)
            name = operand["tensor"]
            if accumulate:
                self.accumulate(op, command, operand, box, parts)
                continue
            given = self.given(op, parts, box)
            self.check_pad(op, command, box)
            if op.type == "opaque":
                tensor = self.network.tensors[name]
                values = stand_in(tensor.shape, tensor.dtype, box, given, op.outputs.index(name))
            else:
                values = evaluate(op, box, given)
            self.store(command, operand, values, what)

    def check_pad(self, op, command, box):
        """Are the rows and columns of padding those that the windows of this part cover?"""
        if op.type not in ("conv", "max_pool", "average_pool") or "pad" not in command:
            return
        size = self.network.tensors[op.inputs[0]].shape
        for k, said in enumerate(command["pad"]):
            begin, end = box[k + 2]
            first = begin * op.stride[k] - op.pad_begin[k]
            last = (end - 1) * op.stride[k] - op.pad_begin[k] + (op.kernel[k] - 1) * op.dilation[k]
            needed = [max(0, -first), max(0, last + 1 - size[k + 2])]
            if list(said) != needed:
                raise Refused(f"op `{op.name}` has the padding {said} along spatial axis {k}, but needs {needed}")

    def given(self, op, parts, box):
        """The parts in the order of the op's operands; an operand that is not needed is an empty part."""
        empty = []
        for name, part in zip(op.operands, parts):
            tensor = self.network.tensors[name]
            empty.append(part or Part(name, tensor.shape, tensor.dtype, [0] * len(tensor.shape), np.zeros([0] * len(tensor.shape), np.int8)))
        return empty

    def operands(self, op, command, what):
        listed = command.get("in", [])
        if len(listed) != len(op.operands):
            raise Refused(f"{what} has {len(op.operands)} operands, but the command has {len(listed)}")
        parts = []
        for name, operand in zip(op.operands, listed):
            parts.append(None if operand is None else self.fetch(command, name, operand, what))
        return parts

    def fetch(self, command, name, operand, what):
        """The part that an operand has, from memory."""
        tensor = self.network.tensors[name]
        stored = self.network.tensors[operand["tensor"]]
        if self.network.storage(name) != self.network.storage(operand["tensor"]):
            raise Refused(f"{what} reads `{name}`, but the command has `{operand['tensor']}`")
        begins = command["id"] if tensor.weight else command.get("begins", command["id"])
        box = box_of(operand)
        if operand.get("encoded"):
            self.encoded(command, operand, what)
            values = self.layers.values[name][tuple(slice(b, e) for b, e in box)]
            return Part(name, tensor.shape, tensor.dtype, [b for b, _ in box], values)
        values = np.zeros([e - b for b, e in box], self.layers.values[operand["tensor"]].dtype)
        tags = self.tags_of(operand["tensor"])
        for atom in atoms(stored, operand):
            span = self.span_of(atom, command)
            span.memory.read(span, command["id"], begins, what)
            span.memory.allows(span, WEIGHTS if tensor.weight else READS, command["id"], begins, what)
            inner = tuple(slice(b, e) for b, e in atom.box)
            target = tuple(slice(b - o, e - o) for (b, e), (o, _) in zip(atom.box, box))
            expected = tags[inner]
            held, found = span.of(span.memory.content, False), span.of(span.memory.tags, False)
            if atom.packed:
                at = atom.halves()
                self.expect(found[at // 2] + at % 2, expected, span, what, stored.name)
                values[target] = half(held, at, stored.dtype)
            else:
                span.memory.defined(span, what)
                self.expect(found, expected[..., None] + np.arange(atom.run, dtype=np.int32), span, what, stored.name)
                values[target] = from_bytes(held, stored.dtype)
        if "as" in operand:
            return self.seen_as(name, stored, box, values, operand["as"])
        return Part(name, tensor.shape, tensor.dtype, [b for b, _ in box], values)

    def seen_as(self, name, stored, box, values, view):
        """A box of a view, from a box of the tensor that holds it."""
        tensor = self.network.tensors[name]
        wanted = [tuple(b) for b in view["box"]]
        flat = np.ravel_multi_index(np.ix_(*(np.arange(b, e) for b, e in wanted)), tensor.shape) if tensor.shape else np.zeros((), np.int64)
        index = np.unravel_index(flat, stored.shape) if stored.shape else ()
        whole = Part(stored.name, stored.shape, stored.dtype, [b for b, _ in box], values)
        return Part(name, tensor.shape, tensor.dtype, [b for b, _ in wanted], whole.pick(list(index)) if index else values.reshape(flat.shape))

    def expect(self, found, expected, span, what, name):
        if np.array_equal(found, expected):
            return
        wrong = np.argwhere(found != expected)[0]
        at = span.memory.base + span.offset + sum(int(i) * s for i, (_, s) in zip(wrong, span.dims)) + (int(wrong[-1]) if span.dims else 0)
        writer = int(span.memory.writer[at - span.memory.base])
        by = f"command {writer} wrote there" if writer >= 0 else "is there from the beginning"
        raise Refused(f"{what} reads `{name}` at byte {at} of `{span.memory.name}`, but has {self.title(int(found[tuple(wrong)]))}, which {by}, in place "
                      f"of {self.title(int(expected[tuple(wrong)]))}")

    def title(self, tag):
        """What the byte with this tag is."""
        for name, tags in self.tags.items():
            flat = tags.reshape(-1)
            width = element_bytes(self.network.tensors[name].dtype)
            at = np.flatnonzero((flat <= tag) & (tag < flat + width)) if flat.size and flat.min() <= tag < flat.max() + width else []
            if len(at):
                where = ", ".join(str(int(i)) for i in np.unravel_index(at[0], tags.shape))
                return f"element ({where}) of `{name}`"
        return "other bytes"

    def encoded(self, command, operand, what):
        """Encoded bytes are of one weight and contiguous; what they encode is not known."""
        span = Span(self.memory(operand["memory"]), operand["address"], [], operand["encoded"])
        span.memory.read(span, command["id"], command["id"], what)
        span.memory.allows(span, WEIGHTS, command["id"], command["id"], what)
        span.memory.defined(span, what)
        tags = span.of(span.memory.tags)
        if tags.size and (np.diff(tags.reshape(-1)) != 1).any():
            raise Refused(f"{what} reads encoded bytes of `{operand['tensor']}` that are not one part of it")

    def accumulate(self, op, command, operand, box, parts):
        """A part of a split reduction."""
        what, state = f"op `{op.name}`", command["accumulate"]
        sums = partial_sums(op, box, parts)
        if state["part"] > 0:
            sums = sums + self.earlier(op, command, state["part"] - 1, box)
        if state["part"] + 1 == state["parts"]:
            self.store(command, operand, finish(op, box, self.given(op, parts, box), sums), what)
            return
        name = op.outputs[0]
        kind = operand.get("dtype") or ("float32" if op.floating(parts) else "int32")
        if name not in self.exact:
            self.exact[name] = np.zeros(op.out_shape, sums.dtype)
        self.exact[name][tuple(slice(b, e) for b, e in box)] = sums
        self.store(command, {**operand, "dtype": kind}, sums.astype(NUMPY[kind]), what, (name, state["part"]))

    def earlier(self, op, command, part, box):
        """The sums of the parts before. Those of machines whose sums have fewer than 4 bytes are exact, too."""
        operand, what = command["accumulate"]["sums"], f"op `{op.name}`"
        tensor = self.network.tensors[op.outputs[0]]
        kind = operand.get("dtype") or ("float32" if is_float(tensor.dtype) else "int32")
        if box_of(operand) != box:
            raise Refused(f"{what} adds to sums of another part")
        values = np.zeros([e - b for b, e in box], NUMPY[kind])
        for atom in atoms(tensor, operand, kind):
            span = self.span_of(atom, command)
            span.memory.read(span, command["id"], command.get("begins", command["id"]), what)
            span.memory.allows(span, READS, command["id"], command.get("begins", command["id"]), what)
            span.memory.defined(span, what)
            inner = tuple(slice(b, e) for b, e in atom.box)
            expected = self.sum_tags(tensor.name, part)[inner][..., None] + np.arange(atom.run)
            self.expect(span.of(span.memory.tags, False), expected, span, what, f"sums of {tensor.name}")
            target = tuple(slice(b - o, e - o) for (b, e), (o, _) in zip(atom.box, box))
            if element_bytes(kind) >= 4 and atom.run >= element_bytes(kind):
                values[target] = from_bytes(span.of(span.memory.content, False)[..., :element_bytes(kind)], kind)
            else:
                values = values.astype(self.exact[tensor.name].dtype)
                values[target] = self.exact[tensor.name][inner]
        return values.astype(np.float64 if is_float(kind) else np.int64)

    def sum_tags(self, name, part):
        """Tags of the sums of a tensor after a part of the channels."""
        key = (name, part)
        if key not in self.sums:
            tensor = self.network.tensors[name]
            first = self.claim(tensor.elements * 8)
            self.sums[key] = np.arange(first, first + tensor.elements * 8, 8, dtype=np.int32).reshape(tensor.shape)
        return self.sums[key]

    def store(self, command, operand, values, what, sums=None):
        """Writes a computed part, and compares it with the layers."""
        tensor = self.network.tensors[operand["tensor"]]
        box = box_of(operand)
        kind = operand.get("dtype") or tensor.dtype
        tags = self.sum_tags(*sums) if sums else self.tags_of(operand["tensor"])
        if not sums:
            self.compare(values, self.layers.values[operand["tensor"]][tuple(slice(b, e) for b, e in box)], command, what)
        for atom in atoms(tensor, operand, kind):
            span = self.span_of(atom, command)
            span.memory.allows(span, WRITES, command["id"], command.get("begins", command["id"]), what)
            span.memory.write(span, command["id"], command.get("begins", command["id"]), what)
            inner = tuple(slice(b, e) for b, e in atom.box)
            source = tuple(slice(b - o, e - o) for (b, e), (o, _) in zip(atom.box, box))
            data = to_bytes(values[source], kind)
            if data.shape[-1] < atom.run:  # sums of more bytes than the interpreter's
                data = np.concatenate([data, np.zeros([*data.shape[:-1], atom.run - data.shape[-1]], np.uint8)], -1)
            span.of(span.memory.content, False)[...] = data[..., :atom.run]
            span.of(span.memory.tags, False)[...] = tags[inner][..., None] + np.arange(atom.run)

    def compare(self, values, expected, command, what):
        """Integers are equal bit for bit; floating sums in another order may differ in the last bits."""
        self.compared += values.size
        same = values == expected
        if same.all():
            return
        if values.dtype.kind == "f":
            both = np.isnan(values) & np.isnan(expected)
            near = np.isclose(values, expected, rtol=2.0 ** -8 if values.dtype.itemsize == 2 else 1e-4, atol=1e-5)
            if (near | both).all():
                self.differing += int((~same & ~both).sum())
                return
            same = near | both
        where = np.argwhere(~same)[0]
        raise Refused(f"{what} computes {values[tuple(where)]} for element {tuple(int(i) for i in where)} of its part, but the network, layer by layer, "
                      f"has {expected[tuple(where)]}")

    # The end.

    def finish(self, end):
        """Outputs in their places, totals as planned."""
        self.check_bytes()
        for name, tensor in self.network.tensors.items():
            if tensor.role == "output":
                self.check_output(self.network.storage(name))
        if end.get("commands") != self.count:
            raise Refused(f"the file has {self.count} commands, but says {end.get('commands')}")
        for key, found in (("latency_cycles", self.clock.latest), ("dram_bytes", self.bytes)):
            planned = self.header["totals"].get(key)
            if planned != found:
                raise Refused(f"the commands take {key} {found}, but the plan's total is {planned}")

    def check_output(self, name):
        tensor = self.network.tensors[name]
        if tensor.role == "input":
            return
        for atom in self.placed(tensor):
            span = self.span_of(atom)
            inner = tuple(slice(b, e) for b, e in atom.box)
            found = span.of(span.memory.tags, False)
            if (found == -1).any():
                raise Refused(f"the output `{name}` is not complete after the last command")
            self.expect(found, self.tags_of(name)[inner][..., None] + np.arange(atom.run), span, "the end", name)
            if tensor.dtype in ("float64", "float32", "float16", "bfloat16"):
                continue
            held = from_bytes(span.of(span.memory.content, False), tensor.dtype)
            if not np.array_equal(held, self.layers.values[name][inner]):
                raise Refused(f"the output `{name}` differs from the network, layer by layer")
