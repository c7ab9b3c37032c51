"""The network of a header: tensors, and ops with all attributes."""
# mypy: ignore-errors

from math import prod

from . import functions
from .parts import Refused
from .quantized import Quantization
from .types import NUMPY, bits, is_float

TYPES = ("conv", "conv_transpose", "max_pool", "average_pool", "reduce", "matmul", "elementwise", "softmax", "normalize",
         "batch_norm", "concat", "slice", "pad", "resize", "reshape", "transpose", "depth_to_space", "space_to_depth",
         "opaque")


class Tensor:
    def __init__(self, data):
        self.name, self.shape = data["name"], tuple(data["shape"])
        self.dtype, self.weight = data.get("dtype", "float32"), data.get("kind") == "weight"
        if self.dtype not in NUMPY:
            raise Refused(f"tensor `{self.name}` has the unknown type `{self.dtype}`")
        self.role, self.view_of, self.place = data.get("role", "between"), data.get("view_of"), data
        self.elements = prod(self.shape)
        self.quantization = Quantization(data["quantization"]) if "quantization" in data else None
        self.bytes = (self.elements * bits(self.dtype) + 7) // 8


class Op:
    """`out_shape`, `out_dtype` are those of the output that is computed; ops with several outputs are opaque."""

    def __init__(self, data, tensors):
        self.name, self.function = data["name"], data.get("function", "")
        self.type = data["type"]
        self.inputs = list(data.get("inputs", ()))
        self.outputs = list(data.get("outputs", ())) or [data["output"]]
        self.shift = data.get("shift", 0)
        self.out_shape, self.out_dtype = tensors[self.outputs[0]].shape, tensors[self.outputs[0]].dtype
        self.fused = [(f, []) if isinstance(f, str) else (f["function"], list(f.get("operands", ()))) for f in data.get("fused", ())]
        self.fused = [(f.lower(), operands) for f, operands in self.fused]
        self.operands = self.inputs + [name for _, operands in self.fused for name in operands]
        if self.type in ("global_average_pool", "global_max_pool"):
            self.type, self.function = "reduce", "mean" if self.type == "global_average_pool" else "max"
        if self.type not in TYPES:
            self.type, self.function = "elementwise", self.type
        self.function = self.function.lower()
        self.read_windows(data, tensors)
        self.read_axes(data, tensors)
        self.quantization = tensors[self.outputs[0]].quantization
        self.quantizations = [tensors[name].quantization for name in self.operands]
        if self.type in ("conv", "conv_transpose", "matmul") and len(self.inputs) > 2:
            self.quantizations[2] = None  # a bias is an integer of the sums
        self.quantized = any(q is not None for q in [self.quantization, *self.quantizations])
        self.block, self.order = data.get("block", 1), data.get("order", "dcr")
        self.transpose_a, self.transpose_b = bool(data.get("transpose_a")), bool(data.get("transpose_b"))
        self.mode = data.get("mode", "nearest" if self.type == "resize" else "constant")
        self.coordinates, self.nearest = data.get("coordinates", "half_pixel"), data.get("nearest", "round_prefer_floor")

    def read_windows(self, data, tensors):
        if self.type in ("conv", "conv_transpose"):
            self.kernel = list(tensors[self.inputs[1]].shape[2:])
        else:
            self.kernel = list(data.get("kernel", ()))
        rank = len(self.kernel)
        self.stride = list(data.get("stride", [1] * rank))
        self.dilation = list(data.get("dilation", [1] * rank))
        axes = len(self.out_shape) if self.type == "pad" else rank
        pad = list(data.get("pad", [0] * 2 * axes))
        self.pad_begin, self.pad_end = pad[:axes], pad[axes:]
        self.groups = data.get("groups", 1)

    def read_axes(self, data, tensors):
        rank = len(tensors[self.inputs[0]].shape) if self.inputs else 0
        default = list(range(2, rank)) if self.type == "reduce" else [rank - 1]
        self.axes = list(data.get("axes", default))
        self.keep_dims = data.get("keep_dims", True)
        self.begins = list(data.get("begins", [0] * len(self.axes)))
        self.steps = list(data.get("steps", [1] * len(self.axes)))
        self.permutation = list(data.get("permutation", ()))

    def floating(self, parts):
        return any(is_float(p.dtype) for p in parts[:2] if p is not None)

    def stands_in(self):
        """Has it no defined function?"""
        if self.type == "elementwise":
            return not functions.known(self.function)
        return self.type == "opaque"


class Network:
    """From the header of a command file, or a dict with its keys `tensors` and `ops`."""

    def __init__(self, header):
        self.tensors = {t["name"]: Tensor(t) for t in header["tensors"]}
        self.ops = [Op(o, self.tensors) for o in header["ops"]]
        self.by_name = {op.name: op for op in self.ops}

    def storage(self, name):
        """The tensor that holds the elements of a view."""
        while self.tensors[name].view_of:
            name = self.tensors[name].view_of
        return name
