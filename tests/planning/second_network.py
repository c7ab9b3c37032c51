"""Networks for second_simulator.py, from docs/reference/networks.md and docs/internals/tiling.md alone: shapes, and the part of
an operand that an op reads for a part of its output. Shares no code with the program, and supports the
kinds of op that its test draws.
"""

import pathlib
import sys
from fractions import Fraction
from math import ceil, prod

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "proofs"))
from second_reader import Yaml  # noqa: E402  the part of YAML used by problems, profiles and networks

BYTES = {"int4": Fraction(1, 2), "int8": 1, "uint8": 1, "int16": 2, "float16": 2, "bfloat16": 2, "int32": 4, "int64": 8, "float32": 4}
ELEMENTWISE = ("add", "mul", "sub", "relu", "sigmoid", "tanh", "gelu")


class Tensor:
    def __init__(self, name, shape, dtype="float32", weight=False):
        self.name, self.shape, self.dtype, self.weight = name, shape, dtype, weight
        self.maker, self.readers, self.leaves = None, [], False
        self.encoded, self.input = None, False
        self.joined = None  # off-chip: the tensor that contains it, and its first channel there
        self.slice = None  # the tensor that it is a part of, its axis and its begin

    @property
    def outside(self):
        """An input of the network, or a result."""
        return self.input or self.leaves

    @property
    def item(self):
        return BYTES[self.dtype]

    @property
    def bytes(self):
        return ceil(prod(self.shape) * self.item)

    @property
    def whole(self):
        return tuple((0, extent) for extent in self.shape)


class Op:
    """inputs: activations; weights: tensors of its own. Window parameters are pairs, for rows and columns."""

    def __init__(self, name, kind, number):
        self.name, self.kind, self.number = name, kind, number
        self.inputs, self.weights, self.output = [], [], None
        self.stride, self.dilation, self.pad, self.kernel, self.groups = (1, 1), (1, 1), (0, 0, 0, 0), (1, 1), 1
        self.axes, self.function = (), ""
        self.adds = False  # a product that adds to the sums in its second input

    def parts(self, operand, box):
        """The part of `inputs[operand]` that is read for this part of the output."""
        if self.adds and operand == 1:
            return box
        shape = self.inputs[operand].shape
        if self.kind in ("conv", "pool"):
            out = [box[0], self.channels(box[1])]
            for axis in (0, 1):
                read = [place for at in range(*box[2 + axis]) for place in self.window(axis, at) if 0 <= place < shape[2 + axis]]
                out.append((min(read), max(read) + 1) if read else (0, 0))
            return tuple(out)
        if self.kind == "reduce":
            return tuple((0, shape[a]) if a in self.axes else box[a] for a in range(len(shape)))
        if self.kind == "softmax":
            return tuple((0, shape[a]) if a in self.axes else box[a] for a in range(len(shape)))
        if self.kind == "matmul":
            return tuple(box[:-1]) + ((0, shape[-1]),)
        if self.kind == "concat":
            axis, before = self.axes[0], sum(t.shape[self.axes[0]] for t in self.inputs[:operand])
            low, high = (min(max(edge - before, 0), shape[axis]) for edge in box[axis])
            return tuple((low, high) if a == axis else box[a] for a in range(len(shape)))
        behind = box[len(box) - len(shape):]  # elementwise: axes of extent 1 are read for every element
        return tuple((0, 1) if extent == 1 else part for extent, part in zip(shape, behind))

    def window(self, axis, at):
        begin = at * self.stride[axis] - self.pad[axis]
        return range(begin, begin + self.dilation[axis] * (self.kernel[axis] - 1) + 1, self.dilation[axis])

    def padding(self, box):
        """By how much the windows of this part exceed the input, before and after, in rows and columns."""
        if self.kind not in ("conv", "pool"):
            return ()
        ends = []
        for axis in (0, 1):
            low, high = box[2 + axis]
            begin = low * self.stride[axis] - self.pad[axis]
            end = (high - 1) * self.stride[axis] - self.pad[axis] + self.dilation[axis] * (self.kernel[axis] - 1) + 1
            ends += [max(0, -begin), max(0, end - self.inputs[0].shape[2 + axis])]
        return tuple(ends)

    def channels(self, part):
        """Input channels read for these output channels: those of their groups."""
        if self.kind == "pool":
            return part
        mine, theirs = self.output.shape[1] // self.groups, self.inputs[0].shape[1] // self.groups
        return part[0] // mine * theirs, -(-part[1] // mine) * theirs

    def weight_part(self, weight, box):
        if self.kind == "conv":
            return (box[1],) + weight.whole[1:]
        return weight.whole[:-1] + (box[-1],)  # a product: columns, also of the bias


def numbers(value, default):
    return default if value is None else tuple(int(one) for one in value)


class Network:
    def __init__(self, text):
        file = Yaml(text).whole()
        self.name, self.tensors, self.ops = file["name"], {}, []
        for name, value in file["tensors"].items():
            self.tensors[name] = Tensor(name, numbers(value["shape"], ()), value.get("dtype", "float32"), value.get("kind") == "weight")
            self.tensors[name].encoded = int(value["encoded"]) if "encoded" in value else None
        for name in file["inputs"]:
            self.tensors[name].input = True
        for number, value in enumerate(file["ops"]):
            self.ops.append(self.read(value, number))
        for name in file["outputs"]:
            self.tensors[name].leaves = True

    def read(self, value, number):
        kind = value["type"]
        op = Op(value["name"], kind, number)
        op.function = kind
        for name in value["inputs"]:
            (op.weights if self.tensors[name].weight else op.inputs).append(self.tensors[name])
            self.tensors[name].readers.append(op)
        mine = value.get("weights", [])
        for at, one in enumerate(mine if isinstance(mine, list) else [mine]):
            name = f"{op.name}.weights" + (str(at + 1) if at else "")
            narrow = at == 1 and kind in ("conv", "matmul") and op.inputs[0].dtype in ("int8", "uint8", "int16")
            own = one.get("dtype", "int32" if narrow else op.inputs[0].dtype)
            op.weights.append(Tensor(name, numbers(one["shape"], ()), own, True))
            op.weights[-1].encoded = int(one["encoded"]) if "encoded" in one else None
        first = op.inputs[0].shape
        op.stride, op.dilation = numbers(value.get("stride"), (1, 1)), numbers(value.get("dilation"), (1, 1))
        op.pad, op.groups = numbers(value.get("pad"), (0, 0, 0, 0)), int(value.get("groups", 1))
        if kind in ("conv", "max_pool", "average_pool"):
            op.kind = "conv" if kind == "conv" else "pool"
            op.kernel = op.weights[0].shape[2:] if kind == "conv" else numbers(value["kernel"], ())
            channels = op.weights[0].shape[0] if kind == "conv" else first[1]
            shape = (first[0], channels) + tuple(
                (first[2 + a] + op.pad[a] + op.pad[2 + a] - op.dilation[a] * (op.kernel[a] - 1) - 1) // op.stride[a] + 1
                for a in (0, 1))
        elif kind in ("global_average_pool", "global_max_pool"):
            op.kind, op.axes, op.function = "reduce", (2, 3), {"global_average_pool": "mean"}.get(kind, "max")
            shape = first[:2] + (1, 1)
        elif kind == "softmax":
            op.axes = (len(first) - 1,)
            shape = first
        elif kind == "matmul":
            shape = first[:-1] + (op.weights[0].shape[-1],)
        elif kind == "concat":
            op.axes = numbers(value["axes"], ())
            axis = op.axes[0]
            shape = tuple(sum(t.shape[a] for t in op.inputs) if a == axis else first[a] for a in range(len(first)))
        else:
            assert kind in ELEMENTWISE, kind
            op.kind = "elementwise"
            rank = max(len(t.shape) for t in op.inputs)
            padded = [(1,) * (rank - len(t.shape)) + t.shape for t in op.inputs]
            shape = tuple(max(one[a] for one in padded) for a in range(rank))
        op.output = self.tensors[value["output"]] = Tensor(value["output"], shape, op.inputs[0].dtype)
        op.output.maker = op
        return op
