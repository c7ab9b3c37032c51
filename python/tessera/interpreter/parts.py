"""Parts of tensors: the elements of a box, in the coordinates of the whole tensor.

    part = Part("x", (1, 8, 32, 32), "int8", (0, 0, 4, 0), values)     # rows 4 and on
    part.take([0, 0, 3, 0], [1, 8, 6, 32])                             # refused: row 3 is not there
"""
# mypy: ignore-errors

import numpy as np


class Refused(Exception):
    """A command that the interpreter does not execute; the text names the rule that it breaks."""


class Part:
    """The elements `values` of a tensor, from `begin` on."""

    def __init__(self, name, shape, dtype, begin, values):
        self.name, self.shape, self.dtype = name, tuple(shape), dtype
        self.begin, self.values = tuple(begin), values
        self.end = tuple(b + n for b, n in zip(self.begin, values.shape))

    def take(self, begin, end, outside=None, used=None):
        """Values of a box that may extend beyond the tensor; there they are `outside`. `used`: the box of elements of
        the tensor that count; all others are `outside`, too."""
        low = [min(max(b, 0), n) for b, n in zip(begin, self.shape)]
        high = [max(min(e, n), l) for e, n, l in zip(end, self.shape, low)]
        if used is not None:
            low, high = [b for b, e in used], [e for b, e in used]
        within = list(low) == list(begin) and list(high) == list(end)
        if not within and outside is None:
            raise Refused(f"the op reads beyond the tensor `{self.name}`")
        empty = any(h <= l for h, l in zip(high, low))
        if not empty:
            self.require(low, high)
            inner = self.values[tuple(slice(l - b, h - b) for l, h, b in zip(low, high, self.begin))]
            if within:
                return inner
        kind = np.float64 if np.isinf(outside or 0) else self.values.dtype
        whole = np.full([max(0, e - b) for b, e in zip(begin, end)], outside or 0, kind)
        if not empty:
            whole[tuple(slice(l - b, h - b) for l, h, b in zip(low, high, begin))] = inner
        return whole

    def pick(self, index):
        """Values at one index array per axis, broadcast against each other."""
        if any(np.size(i) == 0 for i in index):
            return np.zeros(np.broadcast_shapes(*(np.shape(i) for i in index)), self.values.dtype)
        self.require([int(np.min(i)) for i in index], [int(np.max(i)) + 1 for i in index])
        return self.values[tuple(i - b for i, b in zip(index, self.begin))]

    def all(self):
        return self.take([0] * len(self.shape), self.shape)

    def along(self, begin, end):
        """The values that broadcast onto this box of a result."""
        skip = len(begin) - len(self.shape)
        low = [0 if n == 1 else b for n, b in zip(self.shape, begin[skip:])]
        high = [1 if n == 1 else e for n, e in zip(self.shape, end[skip:])]
        return self.take(low, high)

    def require(self, low, high):
        for axis, (l, h, b, e) in enumerate(zip(low, high, self.begin, self.end)):
            if l < b or h > e:
                raise Refused(f"the op reads [{l}, {h}) along axis {axis} of `{self.name}`, but the command "
                              f"has only [{b}, {e})")
