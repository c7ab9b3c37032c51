"""Convolutions, matrix products and pools of a box of the output. Sums of integers are exact; callers reduce
them modulo 2^32."""
# mypy: ignore-errors

import itertools
from math import prod

import numpy as np

from .parts import Refused
from .types import bits, is_float, lowest


def wide(*parts):
    """The type in which products of these parts are exact: double while they have at most 53 bits."""
    floats = any(is_float(p.dtype) for p in parts)
    return np.float64 if floats or sum(bits(p.dtype) for p in parts) <= 32 else np.int64


def window(op, box, x, channels, outside):
    """Values of x under the windows of a box of the output; `channels`: of x. Only elements under taps count: between
    those of a dilated kernel there may be none."""
    begin, end, used = [box[0][0], channels[0]], [box[0][1], channels[1]], [box[0], channels]
    for k, (first, last) in enumerate(box[2:]):
        at = np.arange(first, last)[:, None] * op.stride[k] - op.pad_begin[k] + np.arange(op.kernel[k]) * op.dilation[k]
        inside = at[(at >= 0) & (at < x.shape[k + 2])]
        begin.append(int(at[0, 0]))
        end.append(int(at[-1, -1]) + 1)
        used.append((int(inside.min()), int(inside.max()) + 1) if inside.size else (0, 0))
    return x.take(begin, end, outside, used)


def taps(op, box):
    """(kernel position, slices of the window) of every tap."""
    extents = [e - b for b, e in box[2:]]
    for tap in itertools.product(*map(range, op.kernel)):
        yield tap, tuple(slice(t * d, t * d + (n - 1) * s + 1, s)
                         for t, d, n, s in zip(tap, op.dilation, extents, op.stride))


def conv(op, box, parts, channels=None):
    """`channels`: the range of input channels whose products are added; None: all."""
    x, w = parts[0], parts[1]
    kind = wide(x, w)
    k0, k1 = box[1]
    per_in, per_out = x.shape[1] // op.groups, w.shape[0] // op.groups
    c0, c1 = channels or (0, x.shape[1])
    total = np.zeros([e - b for b, e in box], kind)
    if per_in == 1 and op.groups > 1 and channels is None:
        return one_by_one(op, box, parts, total)
    for group in range(k0 // per_out, (k1 - 1) // per_out + 1):
        i0, i1 = max(c0, group * per_in), min(c1, (group + 1) * per_in)
        o0, o1 = max(k0, group * per_out), min(k1, (group + 1) * per_out)
        if i1 <= i0:
            continue
        data = window(op, box, x, (i0, i1), 0).astype(kind)
        skip = group * per_in
        kernels = w.take([o0, i0 - skip, *[0] * len(op.kernel)], [o1, i1 - skip, *w.shape[2:]]).astype(kind)
        add_group(op, box, data, kernels, total[:, o0 - k0:o1 - k0])
    return total


def one_by_one(op, box, parts, total):
    """A convolution with one input channel per group."""
    x, w = parts[0], parts[1]
    k0, k1 = box[1]
    reads = np.arange(k0, k1) // (w.shape[0] // op.groups)
    data = window(op, box, x, (int(reads[0]), int(reads[-1]) + 1), 0).astype(total.dtype)
    kernels = w.take([k0, *[0] * (len(w.shape) - 1)], [k1, *w.shape[1:]]).astype(total.dtype)
    if len(reads) != data.shape[1]:
        data = data[:, reads - reads[0]]
    for tap, at in taps(op, box):
        factor = kernels[(slice(None), 0, *tap)].reshape(-1, *[1] * len(op.kernel))
        total += factor * data[(slice(None), slice(None), *at)]
    return total


def add_group(op, box, data, kernels, total):
    outputs = prod(e - b for b, e in box[2:])
    for tap, at in taps(op, box):
        factor = np.ascontiguousarray(kernels[(slice(None), slice(None), *tap)])
        for n in range(data.shape[0]):
            seen = data[(n, slice(None), *at)].reshape(data.shape[1], outputs)
            total[n] += (factor @ seen).reshape(total.shape[1:])


def conv_transpose(op, box, parts, channels=None):
    x, w = parts[0], parts[1]
    kind = wide(x, w)
    (n0, n1), (k0, k1) = box[0], box[1]
    per_in, per_out = x.shape[1] // op.groups, w.shape[1]
    c0, c1 = channels or (0, x.shape[1])
    total = np.zeros([e - b for b, e in box], kind)
    for group in range(k0 // per_out, (k1 - 1) // per_out + 1):
        i0, i1 = max(c0, group * per_in), min(c1, (group + 1) * per_in)
        o0, o1 = max(k0, group * per_out), min(k1, (group + 1) * per_out)
        if i1 <= i0:
            continue
        skip = group * per_out
        for tap in itertools.product(*map(range, op.kernel)):
            makes, reads = meeting(op, box, x.shape, tap)
            if any(len(m) == 0 for m in makes):
                continue
            data = x.take([n0, i0, *(int(r[0]) for r in reads)], [n1, i1, *(int(r[-1]) + 1 for r in reads)])
            factor = w.take([i0, o0 - skip, *tap], [i1, o1 - skip, *(t + 1 for t in tap)]).astype(kind)
            factor = factor.reshape(i1 - i0, o1 - o0).T
            spatial = np.ix_(*(r - r[0] for r in reads))
            for n in range(n1 - n0):
                seen = data[n][(slice(None), *spatial)].astype(kind)
                made = (factor @ seen.reshape(i1 - i0, -1)).reshape(o1 - o0, *seen.shape[1:])
                target = total[n, o0 - k0:o1 - k0]
                target[(slice(None), *np.ix_(*makes))] += made
    return total


def meeting(op, box, shape, tap):
    """Positions of the output, counted from the box, that this tap reaches, and those of the input it comes from."""
    makes, reads = [], []
    for k, t in enumerate(tap):
        begin, end = box[k + 2]
        out = np.arange(begin, end)
        from_, rest = np.divmod(out + op.pad_begin[k] - t * op.dilation[k], op.stride[k])
        good = (rest == 0) & (from_ >= 0) & (from_ < shape[k + 2])
        makes.append(out[good] - begin)
        reads.append(from_[good])
    return makes, reads


def matmul(op, box, parts, channels=None):
    a, b = parts[0], parts[1]
    kind = wide(a, b)
    inner = a.shape[-2] if op.transpose_a else a.shape[-1]
    c0, c1 = channels or (0, inner)
    rows, columns = box[-2], box[-1]
    left = matrix(a, box, rows, (c0, c1), op.transpose_a).astype(kind)
    right = matrix(b, box, (c0, c1), columns, op.transpose_b).astype(kind)
    return np.matmul(left, right)


def matrix(part, box, rows, columns, transposed):
    """The factor with these rows and columns; its other axes broadcast onto the box."""
    outer = len(part.shape) - 2
    lead = box[len(box) - 2 - outer:len(box) - 2]
    low = [0 if n == 1 else b for n, (b, e) in zip(part.shape, lead)]
    high = [1 if n == 1 else e for n, (b, e) in zip(part.shape, lead)]
    first, second = (columns, rows) if transposed else (rows, columns)
    values = part.take([*low, first[0], second[0]], [*high, first[1], second[1]])
    return np.swapaxes(values, -1, -2) if transposed else values


def max_pool(op, box, parts):
    x = parts[0]
    data = window(op, box, x, box[1], lowest(x.dtype))
    total = None
    for _, at in taps(op, box):
        seen = data[(slice(None), slice(None), *at)]
        total = seen.copy() if total is None else np.maximum(total, seen)
    return total


def average_pool(op, box, parts):
    x = parts[0]
    data = window(op, box, x, box[1], 0).astype(np.float64)
    inside = np.ones(())
    for k, n in enumerate(x.shape[2:]):
        at = np.arange(data.shape[k + 2]) + box[k + 2][0] * op.stride[k] - op.pad_begin[k]
        inside = np.multiply.outer(inside, ((at >= 0) & (at < n)) * 1.0)
    total = np.zeros([e - b for b, e in box])
    count = np.zeros([e - b for b, e in box[2:]])
    for _, at in taps(op, box):
        total += data[(slice(None), slice(None), *at)]
        count += inside[at]
    return total / np.maximum(count, 1)


def channels_of(op, parts):
    """The range of input channels (of a matrix product: of the reduced axis) that the operands have."""
    if op.type == "matmul":
        axis = -2 if op.transpose_a else -1
    else:
        axis = 1
        if op.groups != 1:
            raise Refused("sums in parts need an op without groups")
    return parts[0].begin[axis], parts[0].end[axis]
