"""Where the elements of a box lie: operands and places of tensors as strided pieces of memory."""

from math import prod

from .parts import Refused
from .types import bits, element_bytes


class Atom:
    """The elements of `box` at address + the sum of (index from the box's begin) x stride: `dims` are [count, stride] per
    axis, `run` the bytes of an element. `packed`: 4-bit elements, contiguous; dims are empty."""

    def __init__(self, box, memory, address, strides, run, packed=False):
        self.box, self.memory, self.address, self.run, self.packed = box, memory, address, run, packed
        extents = [e - b for b, e in box]
        if packed:
            self.dims, self.run = [], (prod(extents) + 1) // 2
            return
        if len(strides) != len(box):
            raise Refused(f"it has {len(strides)} strides for {len(box)} axes")
        self.dims = list(zip(extents, strides))


def box_of(operand):
    return [tuple(b) for b in operand["box"]]


def atoms(tensor, operand, dtype=None):
    """The pieces of an operand; `dtype`: of its bytes, if it is not the tensor's."""
    dtype = operand.get("dtype") or dtype or tensor.dtype
    box = box_of(operand)
    if len(box) != len(tensor.shape) or any(not 0 <= b <= e <= n for (b, e), n in zip(box, tensor.shape)):
        raise Refused(f"the box {[list(b) for b in box]} is not in the tensor `{tensor.name}`, whose shape is {list(tensor.shape)}")
    if "parts" in operand:
        pieces = [a for part in operand["parts"] for a in atoms(tensor, {"element_bytes": operand.get("element_bytes"), **part}, dtype)]
        check_cover(tensor, box, pieces)
        return pieces
    if operand.get("bits") == 4:
        return [Atom(box, operand["memory"], operand["address"], [], 1, True)]
    run = operand.get("element_bytes") or element_bytes(dtype)
    strides = operand.get("strides", [])
    if "brick" in operand:
        return bricks(box, operand, strides, run)
    return [Atom(box, operand["memory"], operand["address"], strides, run)]


def check_cover(tensor, box, pieces):
    inside = all(o[0] <= b[0] and b[1] <= o[1] for p in pieces for b, o in zip(p.box, box))
    total = sum(prod(e - b for b, e in p.box) for p in pieces)
    apart = all(any(a[1] <= b[0] or b[1] <= a[0] for a, b in zip(p.box, q.box)) for i, p in enumerate(pieces) for q in pieces[:i]
                if prod(e - b for b, e in p.box) and prod(e - b for b, e in q.box))
    if not inside or not apart or total != prod(e - b for b, e in box):
        raise Refused(f"the parts of an operand do not cover its box of `{tensor.name}`")


def bricks(box, operand, strides, run):
    """One piece per brick of channels."""
    brick = operand["brick"]
    size, phase = brick["channels"], brick.get("phase", 0)
    begin, end = box[1]
    pieces, at = [], begin
    while at < end:
        k = at - begin + phase
        stop = min(end, at + size - k % size)
        address = operand["address"] + (k // size) * brick["stride"] + (k % size) * strides[1]
        pieces.append(Atom([box[0], (at, stop), *box[2:]], operand["memory"], address, strides, run))
        at = stop
    return pieces


def place_atoms(tensor, place):
    """The pieces of a whole tensor off chip."""
    if bits(tensor.dtype) == 4:
        place = {"bits": 4, **place}
    found = []
    for part in place.get("parts", [{}]):
        whole = {k: v for k, v in place.items() if k in ("memory", "address", "strides", "brick", "bits")}
        found += atoms(tensor, {"box": [(0, n) for n in tensor.shape], **whole, **part})
    return found
