"""Ops on tensors with a scale and a zero point: an element q stands for (q - zero_point) x scale.

Sums of products are those of (q - zero_point), exact; all else is double on the numbers that elements stand for. A result
is divided by the scale of the output, rounded half to even, shifted by the zero point and saturated."""
# mypy: ignore-errors

import numpy as np

from .parts import Part
from .types import saturated


class Quantization:
    """From {"scale": [...], "zero_point": [...], "axis": n}; one entry, or one per index of the axis."""

    def __init__(self, data):
        self.scale = np.array(data["scale"], np.float64).reshape(-1)
        self.zero = np.array(data.get("zero_point", [0]), np.int64).reshape(-1)
        self.axis = data.get("axis", 0)

    def along(self, values, begin, end, axes, axis=None):
        """Entries of a list that broadcast onto a box with so many axes."""
        if len(values) == 1:
            return values[0]
        axis = self.axis if axis is None else axis
        return values[begin[axis]:end[axis]].reshape([-1 if a == axis else 1 for a in range(axes)])

    def centred(self, part):
        """The part less its zero points, as double."""
        values = part.values.astype(np.float64) - self.along(self.zero, part.begin, part.end, part.values.ndim)
        return Part(part.name, part.shape, "float64", part.begin, values)

    def real(self, part):
        part = self.centred(part)
        part.values = part.values * self.along(self.scale, part.begin, part.end, part.values.ndim)
        return part

    def of(self, values, begin, end, dtype):
        """Elements for real values of a box."""
        scale, zero = (self.along(v, begin, end, values.ndim) for v in (self.scale, self.zero))
        return saturated(np.nan_to_num(np.rint(values / scale), posinf=2.0 ** 40, neginf=-(2.0 ** 40)) + zero, dtype)


def as_real(op, parts):
    """Operands as real numbers; those without a scale as they are."""
    return [q.real(p) if q is not None and p is not None else p for q, p in zip(op.quantizations, parts)]


def as_centred(op, parts):
    """The factors of a product less their zero points; other operands as they are."""
    return [q.centred(p) if k < 2 and q is not None else p for k, (q, p) in enumerate(zip(op.quantizations, parts))]


def product_scale(op, box):
    """What a sum of products is multiplied by, to be a real number: broadcasts onto the box."""
    x, w = (q or Quantization({"scale": [1]}) for q in op.quantizations[:2])
    axis = {"matmul": len(box) - 1}.get(op.type, 1)
    begin, end = [b for b, e in box], [e for b, e in box]
    return x.scale[0] * w.along(w.scale, begin, end, len(box), axis)
