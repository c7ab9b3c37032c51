"""Evaluates a network layer by layer, with random weights and inputs."""
# mypy: ignore-errors

import zlib
from math import prod

import numpy as np

from .evaluate import PRODUCTS, evaluate, stand_in
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
        spreads = {}
        for op in network.ops:
            if op.type in PRODUCTS:
                spreads.update(self.spreads(op))
        made = {name for op in network.ops for name in op.outputs}
        for name, tensor in network.tensors.items():
            if name not in made and not tensor.view_of:
                self.values[name] = random_values(tensor, seed, spreads.get(name, 128))
        for op in network.ops:
            self.run(op)
        for name in network.tensors:
            self.of(name)

    def spreads(self, op):
        """Of weights and bias of a product, so that most results are in the range of the output."""
        weights, bias = self.network.tensors[op.inputs[1]], op.inputs[2:3]
        wide = [name for name in bias if self.network.tensors[name].dtype in ("int32", "int64")]
        if not op.quantized:  # a bias counts after the shift
            return {name: 1 << min(op.shift + 5, 30) for name in wide}
        out = 1 if op.quantization is None else op.quantization.scale[0]
        unit = max([q.scale.max() for q in op.quantizations[1:2] if q] or [1]) * max([q.scale[0] for q in op.quantizations[:1] if q] or [1])
        summed = prod(weights.shape[1:]) if op.type != "matmul" else weights.shape[-1 if op.transpose_b else -2]
        found = {name: int(min(max(out / unit * 32, 32), 2 ** 30)) for name in wide}
        if weights.weight:
            found[op.inputs[1]] = int(min(max(out / unit * 1.5 / summed ** 0.5, 2), 128))
        return found

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
