"""Where the elements of a box lie: operands and places of tensors as strided pieces of memory."""
# mypy: ignore-errors

from math import prod

import numpy as np

from .memory import joined, merged, offsets_of
from .parts import Refused
from .types import bits, element_bytes


class Atom:
    """The elements of `box` at address + the sum of (index from the box's begin) x stride: `dims` are [count, stride] per
    axis, `run` the bytes of an element. `packed`: 4-bit elements; strides count elements, and dims and run are those of
    all bytes from the first to the last."""

    def __init__(self, box, memory, address, strides, run, packed=False):
        self.box, self.memory, self.address, self.run, self.packed = box, memory, address, run, packed
        extents = [e - b for b, e in box]
        if len(strides) != len(box):
            raise Refused(f"it has {len(strides)} strides for {len(box)} axes")
        self.strides, self.dims, self.buffer = strides, list(zip(extents, strides)), None
        if packed:
            self.dims, self.run = [], sum((n - 1) * s for n, s in zip(extents, strides)) // 2 + 1

    def halves(self):
        """Of 4-bit elements: the position of each in the packed bytes, counted in elements."""
        total = np.zeros((), np.int64)
        for (b, e), s in zip(self.box, self.strides):
            total = total[..., None] + np.arange(e - b) * s
        return total


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
    pieces = strided(box, operand, dtype)
    for piece in pieces:
        piece.buffer = operand.get("buffer")
    return pieces


def strided(box, operand, dtype):
    """The pieces of an operand with a single place."""
    if operand.get("bits") == 4:
        return [Atom(box, operand["memory"], operand["address"], operand["strides"], 1, True)]
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


def place_atoms(tensor, place, whole_bricks=False):
    """The pieces of a whole tensor off chip; `whole_bricks`: with the padding of the last one."""
    return [piece for part in stored_parts(place) for piece in part_atoms(tensor, part, whole_bricks)]


def stored_parts(place):
    """The parts of a tensor's place, each with all of its keys."""
    if "address" not in place and "parts" not in place:
        return []
    common = {k: v for k, v in place.items() if k in ("memory", "address", "strides", "brick", "bits", "element_bytes")}
    return [{**common, **part} for part in place.get("parts", [{}])]


def part_atoms(tensor, part, whole_bricks=False):
    width = {"bits": 4} if bits(tensor.dtype) == 4 else {}
    pieces = atoms(tensor, {"box": [(0, n) for n in tensor.shape], **width, **part})
    if whole_bricks and "brick" in part:
        for piece in pieces:
            piece.dims[1] = (part["brick"]["channels"], piece.dims[1][1])
    return pieces


def place_runs(tensor, part, box):
    """Begin and end of the maximal runs of bytes of a box in a part of the place, as sorted arrays of addresses.
    Bricks count whole."""
    starts, run = [np.zeros(0, np.int64)], 1
    for piece in part_atoms(tensor, part, True):
        inner = [(max(b, c), min(e, d)) for (b, e), (c, d) in zip(piece.box, box)]
        if any(e <= b for b, e in inner):
            continue
        if piece.packed:
            starts.append(piece.address + np.unique(Atom(inner, None, 0, piece.strides, 1, True).halves() + skipped(piece, inner)) // 2)
            continue
        if "brick" in part:
            inner[1] = (piece.box[1][0], piece.box[1][0] + part["brick"]["channels"])
        dims, run = joined([(e - b, s) for (b, e), s in zip(inner, piece.strides)], piece.run)
        starts.append(piece.address + skipped(piece, inner) + offsets_of(dims))
    return merged(np.unique(np.concatenate(starts)), run)


def skipped(piece, inner):
    return sum((b - o) * s for (b, _), (o, _), s in zip(inner, piece.box, piece.strides))
