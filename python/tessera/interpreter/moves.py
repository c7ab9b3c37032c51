"""Ops that move elements and compute nothing: each element of the output is one of the input, or padding."""
# mypy: ignore-errors

from fractions import Fraction
from math import ceil, floor

import numpy as np

from .parts import Refused


def grid(box):
    """One index array per axis of a box, which broadcast against each other."""
    return list(np.ix_(*(np.arange(b, e) for b, e in box)))


def concat(op, box, parts):
    axis = op.axes[0]
    pieces, first = [], 0
    for part in parts:
        last = first + part.shape[axis]
        begin, end = max(box[axis][0], first), min(box[axis][1], last)
        if begin < end:
            low, high = [b for b, e in box], [e for b, e in box]
            low[axis], high[axis] = begin - first, end - first
            pieces.append(part.take(low, high))
        first = last
    return np.concatenate(pieces, axis)


def slice_(op, box, parts):
    index = grid(box)
    for axis, begin, step in zip(op.axes, op.begins, op.steps):
        index[axis] = begin + index[axis] * step
    return parts[0].pick(index)


def pad(op, box, parts):
    x = parts[0]
    index = [i - b for i, b in zip(grid(box), op.pad_begin)]
    if op.mode == "constant":
        return x.take([b - p for (b, e), p in zip(box, op.pad_begin)], [e - p for (b, e), p in zip(box, op.pad_begin)], 0)
    for axis, i in enumerate(index):
        last = x.shape[axis] - 1
        mirrored = np.where(i < 0, -i, np.where(i > last, 2 * last - i, i))
        index[axis] = np.clip(i, 0, last) if op.mode == "edge" else mirrored
    return x.pick(index)


def reshape(op, box, parts):
    x = parts[0]
    flat = np.ravel_multi_index(np.broadcast_arrays(*grid(box)), op.out_shape) if op.out_shape else np.zeros((), np.int64)
    return x.pick(list(np.unravel_index(flat, x.shape))) if x.shape else x.values.reshape(np.shape(flat))


def transpose(op, box, parts):
    low, high = [0] * len(box), [0] * len(box)
    for axis, source in enumerate(op.permutation):
        low[source], high[source] = box[axis]
    return parts[0].take(low, high).transpose(op.permutation)


def depth_to_space(op, box, parts):
    n, c, h, w = grid(box)
    r = op.block
    block = (h % r) * r + w % r
    depth = block * (parts[0].shape[1] // (r * r)) + c if op.order == "dcr" else c * r * r + block
    return parts[0].pick([n, depth, h // r, w // r])


def space_to_depth(op, box, parts):
    n, c, h, w = grid(box)
    r, channels = op.block, parts[0].shape[1]
    block = c // channels
    return parts[0].pick([n, c % channels, h * r + block // r, w * r + block % r])


def coordinate(op, axis, at, size, made):
    """The exact position in the input of one position of the output."""
    if op.coordinates == "asymmetric":
        return Fraction(at * size, made)
    if op.coordinates == "align_corners":
        return Fraction(at * (size - 1), made - 1) if made > 1 else Fraction(0)
    if op.coordinates == "pytorch_half_pixel" and made == 1:
        return Fraction(0)
    return Fraction((2 * at + 1) * size, 2 * made) - Fraction(1, 2)


def nearest(rule, x):
    if rule == "floor":
        return floor(x)
    if rule == "ceil":
        return ceil(x)
    return ceil(x - Fraction(1, 2)) if rule == "round_prefer_floor" else floor(x + Fraction(1, 2))


def resize(op, box, parts):
    """Nearest: a move. Linear: double, axis by axis."""
    x = parts[0]
    if len(x.shape) != len(box):
        raise Refused("a resize keeps the number of axes")
    low, high, index, weights = [], [], [], []
    for axis, (begin, end) in enumerate(box):
        size, made = x.shape[axis], op.out_shape[axis]
        spots = [Fraction(at) if size == made else coordinate(op, axis, at, size, made) for at in range(begin, end)]
        first = [floor(s) if op.mode == "linear" else nearest(op.nearest, s) for s in spots]
        ends = [(min(max(f, 0), size - 1), min(max(f + 1, 0), size - 1)) for f in first]
        weights.append(np.array([float(s - f) for s, f in zip(spots, first)]))
        index.append(np.array(ends))
        second = 1 if op.mode == "linear" and size != made else 0
        low.append(int(index[-1][:, 0].min()))
        high.append(int(index[-1][:, second].max()) + 1)
    values = x.take(low, high)
    if op.mode == "linear":
        values = values.astype(np.float64)
    for axis, (ends, share) in enumerate(zip(index, weights)):
        near = np.take(values, ends[:, 0] - low[axis], axis)
        if op.mode == "linear" and x.shape[axis] != op.out_shape[axis]:
            far = np.take(values, ends[:, 1] - low[axis], axis)
            share = share.reshape(-1, *[1] * (len(box) - axis - 1))
            near = near * (1 - share) + far * share
        values = near
    return values
