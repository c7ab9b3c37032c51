"""Evaluates a network layer by layer, with random weights and inputs."""
# mypy: ignore-errors

import zlib

import numpy as np

from .evaluate import evaluate, stand_in
from .parts import Part
from .types import is_float, limits, rounded_bfloat16, NUMPY


def random_values(tensor, seed, spread=128):
    """Values of a weight or input: they depend on seed, name and shape alone."""
    draw = np.random.default_rng([seed, zlib.crc32(tensor.name.encode())])
    if is_float(tensor.dtype):
        values = draw.standard_normal(tensor.shape)
        if tensor.weight and len(tensor.shape) > 1:
            values /= np.sqrt(np.prod(tensor.shape[1:]))
        return rounded_bfloat16(values) if tensor.dtype == "bfloat16" else np.asarray(values, NUMPY[tensor.dtype])
    low, high = limits(tensor.dtype)
    low, high = max(low, -spread), min(high, spread if low < 0 and spread > 128 else 2 * spread - 1 if low == 0 else spread - 1)
    return draw.integers(low, high, tensor.shape, np.int64, endpoint=True).astype(NUMPY[tensor.dtype])


class Layers:
    """`values`: the elements of every tensor, by name.

        layers = Layers(network, seed=0)
        layers.values["y"]
    """

    def __init__(self, network, seed=0):
        self.network, self.values = network, {}
        shifts = {op.inputs[2]: op.shift for op in network.ops
                  if op.type in ("conv", "conv_transpose", "matmul") and len(op.inputs) > 2}
        made = {name for op in network.ops for name in op.outputs}
        for name, tensor in network.tensors.items():
            if name not in made and not tensor.view_of:
                # A bias of products counts after the shift.
                spread = 1 << min(shifts[name] + 5, 30) if name in shifts and tensor.dtype in ("int32", "int64") else 128
                self.values[name] = random_values(tensor, seed, spread)
        for op in network.ops:
            self.run(op)
        for name in network.tensors:
            self.of(name)

    def of(self, name):
        tensor = self.network.tensors[name]
        if name not in self.values:
            self.values[name] = self.of(tensor.view_of).reshape(tensor.shape)
        return self.values[name]

    def part(self, name):
        tensor = self.network.tensors[name]
        return Part(name, tensor.shape, tensor.dtype, [0] * len(tensor.shape), self.of(name))

    def run(self, op):
        parts = [self.part(name) for name in op.operands]
        for name in op.outputs:
            box = [(0, n) for n in self.network.tensors[name].shape]
            self.values[name] = compute(self.network, op, name, box, parts)


def compute(network, op, name, box, parts):
    """A box of the output `name`."""
    if op.type != "opaque":
        return evaluate(op, box, parts)
    tensor = network.tensors[name]
    return stand_in(tensor.shape, tensor.dtype, box, parts, op.outputs.index(name))
