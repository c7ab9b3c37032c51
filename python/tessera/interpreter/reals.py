"""Reductions, softmax and norms of a box of the output, in double."""
# mypy: ignore-errors

import numpy as np

from .parts import Refused


def last_axes(values, axes):
    """The values with these axes merged into the last one, contiguous: each line is summed the same way,
    whatever the box around it."""
    others = [a for a in range(values.ndim) if a not in axes]
    turned = np.ascontiguousarray(values.transpose(*others, *axes))
    return turned.reshape(*(values.shape[a] for a in others), -1)


def reduce(op, box, parts):
    x = parts[0]
    low, high, kept = [], [], []
    position = 0
    for axis, extent in enumerate(x.shape):
        reduced = axis in op.axes
        begin, end = (0, extent) if reduced else box[position]
        low.append(begin)
        high.append(end)
        if op.keep_dims or not reduced:
            kept.append(1 if reduced else end - begin)
            position += 1
    lines = last_axes(x.take(low, high), [a % len(x.shape) for a in op.axes])
    return FUNCTIONS[known(op.function, FUNCTIONS)](lines).reshape(kept)


def known(function, table):
    if function not in table:
        raise Refused(f"the function `{function}` is not defined")
    return function


def real(lines):
    return lines.astype(np.float64)


def log_sum_exp(lines):
    top = real(lines).max(-1, keepdims=True)
    return top[..., 0] + np.log(np.exp(real(lines) - top).sum(-1))


FUNCTIONS = {
    "mean": lambda v: real(v).sum(-1) / v.shape[-1],
    "sum": lambda v: real(v).sum(-1),
    "max": lambda v: v.max(-1),
    "min": lambda v: v.min(-1),
    "prod": lambda v: real(v).prod(-1),
    "l1": lambda v: np.abs(real(v)).sum(-1),
    "l2": lambda v: np.sqrt((real(v) ** 2).sum(-1)),
    "sumsquare": lambda v: (real(v) ** 2).sum(-1),
    "logsumexp": log_sum_exp,
    "argmax": lambda v: v.argmax(-1),
    "argmin": lambda v: v.argmin(-1),
}


def lines_of(op, box, part):
    """Values with whole axes of the op, those axes last, and the inverse."""
    rank = len(part.shape)
    axes = [a % rank for a in op.axes]
    others = [a for a in range(rank) if a not in axes]
    low = [0 if a in axes else b for a, (b, e) in enumerate(box)]
    high = [part.shape[a] if a in axes else e for a, (b, e) in enumerate(box)]
    lines = real(last_axes(part.take(low, high), axes))
    shape = [h - l for l, h in zip(low, high)]

    def back(values):
        turned = values.reshape([shape[a] for a in others] + [shape[a] for a in axes])
        whole = turned.transpose(np.argsort(others + axes))
        return whole[tuple(slice(b - l, e - l) for (b, e), l in zip(box, low))]

    return lines, back


def softmax(op, box, parts):
    lines, back = lines_of(op, box, parts[0])
    shifted = np.exp(lines - lines.max(-1, keepdims=True))
    return back(shifted / shifted.sum(-1, keepdims=True))


def normalize(op, box, parts):
    lines, back = lines_of(op, box, parts[0])
    middle = lines - lines.sum(-1, keepdims=True) / lines.shape[-1]
    spread = (middle ** 2).sum(-1, keepdims=True) / lines.shape[-1]
    values = back(middle / np.sqrt(spread + 2.0 ** -16))
    low, high = [b for b, e in box], [e for b, e in box]
    if len(parts) > 1:
        values = values * real(parts[1].along(low, high))
    if len(parts) > 2:
        values = values + real(parts[2].along(low, high))
    return values


def batch_norm(op, box, parts):
    """Inputs x, scale, bias, mean, variance, as far as there are; the variance counts without its sign."""
    low, high = [b for b, e in box], [e for b, e in box]
    values = real(parts[0].take(low, high))
    (k0, k1), ones = box[1], [1] * (len(box) - 2)
    scale, bias, mean, variance = [real(p.take([k0], [k1])).reshape(-1, *ones) for p in parts[1:5]] + [None] * (5 - len(parts))
    if mean is not None:
        values = values - mean
    if variance is not None:
        values = values / np.sqrt(np.abs(variance) + 2.0 ** -16)
    if scale is not None:
        values = values * scale
    return values if bias is None else values + bias
