"""Parts of tensors for second_simulator.py: boxes, their bytes off-chip and on-chip, and the ops of a product
with sums in parts, from docs/internals/cost-model.md and docs/reference/profiles.md alone. Shares no code with the program.
"""

import copy
import itertools
from math import ceil, prod

from second_machine import engine_of
from second_network import Tensor


def hull(boxes):
    boxes = [box for box in boxes if all(low < high for low, high in box)]
    if not boxes:
        return None
    return tuple((min(low for low, _ in axis), max(high for _, high in axis)) for axis in zip(*boxes))


def common(boxes):
    if not all(size_of(box) for box in boxes):
        return None
    box = tuple((max(low for low, _ in axis), min(high for _, high in axis)) for axis in zip(*boxes))
    return box if size_of(box) > 0 else None


def what_is_new(piece, before):
    """The difference of two boxes: the whole box unless the difference is a box; None if it is empty."""
    both = before and tuple((max(a, c), min(b, d)) for (a, b), (c, d) in zip(piece, before))
    if not both or any(begin >= end for begin, end in both):
        return piece
    cut = [axis for axis, span in enumerate(both) if span != piece[axis]]
    if not cut:
        return None
    (begin, end), (low, high) = piece[cut[0]], both[cut[0]]
    if len(cut) > 1 or (begin != low and end != high):
        return piece
    return tuple(((high, end) if begin == low else (begin, low)) if axis == cut[0] else span for axis, span in enumerate(piece))


def size_of(box):
    return 0 if box is None else prod(high - low for low, high in box)


def runs_of(shape, box):
    """Begins of the part's contiguous ranges, and their common length."""
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


def in_layout(tensor, box, layout):
    """The shape in which it is stored row by row, and the part in that shape: channels of the part begin at a
    brick."""
    if tensor.weight or len(tensor.shape) not in (2, 4):
        return tensor.shape, box
    order, brick = layout[:4], int(layout[4:-1] or 1)
    if tensor.outside and brick > 1:
        order, brick = "".join(axis for axis in order if axis != "C") + "C", 1
    shape, spans = dict(zip("NCHW", tensor.shape + (1, 1))), dict(zip("NCHW", tuple(box) + ((0, 1), (0, 1))))
    low, high = spans["C"]
    spans["C"] = low // brick, low // brick - (-(high - low) // brick)
    shape["C"] = -(-shape["C"] // brick)
    return tuple(shape[axis] for axis in order) + (brick,), tuple(spans[axis] for axis in order) + ((0, brick),)


def moved_bytes(tensor, box, memory, stored):
    """Off-chip bytes of a part, and of the whole bursts of its rows. `stored`: all bytes of an encoded
    weight."""
    if size_of(box) == 0:
        return 0, 0
    if tensor.slice:
        tensor, axis, begin = tensor.slice
        box = tuple((low + begin, high + begin) if a == axis else (low, high) for a, (low, high) in enumerate(box))
    if tensor.joined:  # off-chip it is a range of channels of another tensor
        tensor, begin = tensor.joined
        box = tuple((low + begin, high + begin) if a == 1 else (low, high) for a, (low, high) in enumerate(box))
    if stored is not None:
        held = part_of(tensor, box, stored)
        return held, -(-held // memory.burst) * memory.burst
    shape, box = in_layout(tensor, box, memory.layout)
    starts, length = runs_of(shape, box)
    bursts = sum(-(-((start * tensor.item) % memory.burst + length * tensor.item) // memory.burst) for start in starts)
    return ceil(len(starts) * length * tensor.item), bursts * memory.burst


def part_of(tensor, box, stored):
    """On-chip bytes of a part, without bricks."""
    if stored is None:
        return ceil(size_of(box) * tensor.item)
    elements = prod(tensor.shape)
    return stored if size_of(box) == elements else ceil(size_of(box) / elements * stored)


def in_parts(ops, parts, machine, chip_brick, pinned, kept):
    """The ops of a group in which the first product that may makes its sums in this many parts; the names of
    the sums."""
    made = [op.output for op in ops]
    for at, op in enumerate(ops):
        if op.kind not in ("conv", "matmul") or op.groups > 1 or not op.weights or op.weights[0].name in pinned:
            continue
        x, w = op.inputs[0], op.weights[0]
        if x in made or x.name in kept or sum(one is x for other in ops for one in other.inputs) > 1:
            continue
        engine = engine_of(machine, op)
        if engine["kind"] != "mac_array":
            continue
        axis, of_weights = (1, 1) if op.kind == "conv" else (len(x.shape) - 1, 0)
        brick = chip_brick if axis == 1 and len(x.shape) in (2, 4) and not x.outside else 1
        extent = -(-x.shape[axis] // parts)
        extent = -(-extent // brick) * brick
        assert -(-x.shape[axis] // extent) == parts
        wide = int(engine.get("blocks", {}).get("sum_bytes", 4))
        dtype = {1: "int8", 2: "int16"}.get(wide, "int32" if wide <= 4 else "int64")
        stored, all_sums, split = machine.stored(op, 0), [], []
        for k in range(parts):
            one = copy.copy(op)
            one.inputs, one.weights, begin = [], [], k * extent
            for old, along in ((x, axis), (w, of_weights)):
                shape = list(old.shape)
                shape[along] = min(extent, shape[along] - begin)
                new = Tensor(f"{old.name}.part{k + 1}", tuple(shape), old.dtype, old.weight)
                new.input, new.leaves = old.input, False
                if old is x:
                    new.slice, new.readers = (x, axis, begin), [one]
                    one.inputs.append(new)
                else:
                    new.encoded = None if stored is None else max(1, part_of(old, new.whole, stored))
                    one.weights.append(new)
            if k > 0:
                one.adds = True
                one.inputs.append(all_sums[-1])
                all_sums[-1].readers = [one]
            if k + 1 < parts:
                one.output = Tensor(op.output.name + ".sums" + (str(k + 1) if k else ""), op.output.shape, dtype)
                one.output.maker = one
                all_sums.append(one.output)
            else:
                one.inputs += op.inputs[1:]
                one.weights += op.weights[1:]
            split.append(one)
        return ops[:at] + split + ops[at + 1:], [t.name for t in all_sums]
    raise AssertionError("no op of the run makes sums in parts")
