"""Networks without a file: a search over architectures builds its candidates with it.

    >>> from tessera import NetworkBuilder
    >>> b = NetworkBuilder("block", dtype="int8")
    >>> x = b.input((1, 24, 56, 56))
    >>> t = b.conv(x, 144, kernel=1, activation="relu6")
    >>> t = b.depthwise(t, activation="relu6")
    >>> y = b.add(b.conv(t, 24, kernel=1), x)
    >>> y.shape
    (1, 24, 56, 56)
    >>> len(b.build(y))
    4

Ops run in the order they are asked for. Every tensor has the dtype of the builder, or of its input;
biases of convolutions and linear layers are int32 where that is an integer of up to 16 bits. With
"int4" what they multiply by is int4, and activations are int8.
"""

from __future__ import annotations

from typing import Any, Optional, Sequence, Tuple, Union

from . import _tessera

# One number for every axis, one per axis, or "same" (paddings).
Extents = Union[int, Sequence[int]]
Padding = Union[int, Sequence[int], str]


class Tensor:
    """The output of an op, an input of other ops."""

    __slots__ = ("_builder", "_index")

    def __init__(self, builder: "NetworkBuilder", index: int) -> None:
        self._builder = builder
        self._index = index

    @property
    def shape(self) -> Tuple[int, ...]:
        return tuple(self._builder._parts.shape(self._index))

    @property
    def dtype(self) -> str:
        return self._builder._parts.dtype(self._index)

    def __repr__(self) -> str:
        return f"<tessera.Tensor: {'x'.join(map(str, self.shape))} {self.dtype}>"


class NetworkBuilder:
    """Builds a Network op by op and infers shapes."""

    def __init__(self, name: str = "network", dtype: str = "int8") -> None:
        self._parts = _tessera._Parts(name)
        self._dtype = dtype
        self._inputs: list[int] = []
        self._count = 0

    def input(self, shape: Sequence[int], name: Optional[str] = None) -> Tensor:
        """An input of the network: batch, channels, rows, columns for an image."""
        index = self._parts.tensor(
            name or f"input{len(self._inputs) or ''}", list(shape),
            self._dtype.replace("int4", "int8"), False,
        )
        self._inputs.append(index)
        return Tensor(self, index)

    def conv(
        self,
        x: Tensor,
        channels: int,
        kernel: Extents = 3,
        stride: Extents = 1,
        padding: Padding = "same",
        dilation: Extents = 1,
        groups: int = 1,
        bias: bool = True,
        activation: Optional[str] = None,
        name: Optional[str] = None,
    ) -> Tensor:
        """A convolution. `padding` "same" gives ceil(extent / stride) rows and columns."""
        name = self._name("conv", name)
        axes = self._spatial(x)
        if groups < 1 or x.shape[1] % groups:
            raise _bad(f"op `{name}`: {x.shape[1]} channels cannot be split into {groups} groups")
        window = self._window(name, x, kernel, stride, padding, dilation)
        weights = [
            self._filters(f"{name}.weights", [channels, x.shape[1] // groups, *window["kernel"]], x)
        ]
        if bias:
            weights.append(self._bias(f"{name}.bias", channels, x))
        assert len(window["kernel"]) == axes
        return self._op("conv", name, [x], weights, activation, groups=groups, **window)

    def depthwise(
        self,
        x: Tensor,
        kernel: Extents = 3,
        stride: Extents = 1,
        padding: Padding = "same",
        dilation: Extents = 1,
        bias: bool = True,
        activation: Optional[str] = None,
        name: Optional[str] = None,
    ) -> Tensor:
        """A depthwise convolution."""
        channels = x.shape[1]
        return self.conv(
            x, channels, kernel, stride, padding, dilation, channels, bias, activation,
            self._name("depthwise", name),
        )

    def conv_transpose(
        self,
        x: Tensor,
        channels: int,
        kernel: Extents = 2,
        stride: Extents = 2,
        padding: Extents = 0,
        output_padding: Extents = 0,
        bias: bool = True,
        activation: Optional[str] = None,
        name: Optional[str] = None,
    ) -> Tensor:
        """A transposed convolution."""
        name = self._name("conv_transpose", name)
        window = self._window(name, x, kernel, stride, padding, 1)
        weights = [self._filters(f"{name}.weights", [x.shape[1], channels, *window["kernel"]], x)]
        if bias:
            weights.append(self._bias(f"{name}.bias", channels, x))
        extra = self._per_axis(name, "output_padding", output_padding, self._spatial(x))
        return self._op(
            "conv_transpose", name, [x], weights, activation, output_padding=extra, **window
        )

    def linear(
        self,
        x: Tensor,
        features: int,
        bias: bool = True,
        activation: Optional[str] = None,
        name: Optional[str] = None,
    ) -> Tensor:
        """A fully connected layer over the last axis."""
        name = self._name("linear", name)
        weights = [self._filters(f"{name}.weights", [features, x.shape[-1]], x)]
        if bias:
            weights.append(self._bias(f"{name}.bias", features, x))
        return self._op("matmul", name, [x], weights, activation, transpose_b=True)

    def matmul(
        self, a: Tensor, b: Tensor, activation: Optional[str] = None, name: Optional[str] = None
    ) -> Tensor:
        """The product of two tensors."""
        return self._op("matmul", self._name("matmul", name), [a, b], [], activation)

    def max_pool(
        self,
        x: Tensor,
        kernel: Extents = 2,
        stride: Optional[Extents] = None,
        padding: Padding = 0,
        name: Optional[str] = None,
    ) -> Tensor:
        """Max pooling; `stride` defaults to the kernel."""
        return self._pool("max_pool", x, kernel, stride, padding, name)

    def average_pool(
        self,
        x: Tensor,
        kernel: Extents = 2,
        stride: Optional[Extents] = None,
        padding: Padding = 0,
        name: Optional[str] = None,
    ) -> Tensor:
        """Average pooling."""
        return self._pool("average_pool", x, kernel, stride, padding, name)

    def global_average_pool(self, x: Tensor, name: Optional[str] = None) -> Tensor:
        """Global average pooling: rows and columns become 1."""
        axes = list(range(2, len(x.shape)))
        return self._op(
            "reduce", self._name("global_average_pool", name), [x], [], None,
            function="mean", axes=axes, keep_dims=True,
        )

    def add(
        self, a: Tensor, b: Tensor, activation: Optional[str] = None, name: Optional[str] = None
    ) -> Tensor:
        """a + b with numpy broadcasting."""
        return self._op("elementwise", self._name("add", name), [a, b], [], activation,
                        function="add")

    def mul(
        self, a: Tensor, b: Tensor, activation: Optional[str] = None, name: Optional[str] = None
    ) -> Tensor:
        """a * b with numpy broadcasting."""
        return self._op("elementwise", self._name("mul", name), [a, b], [], activation,
                        function="mul")

    def elementwise(
        self, function: str, *inputs: Tensor, name: Optional[str] = None
    ) -> Tensor:
        """Any other function of elements: "relu", "gelu", "sigmoid", "sub", ..."""
        return self._op("elementwise", self._name(function, name), list(inputs), [], None,
                        function=function)

    def softmax(self, x: Tensor, axis: int = -1, name: Optional[str] = None) -> Tensor:
        """Softmax over one axis."""
        return self._op("softmax", self._name("softmax", name), [x], [], None,
                        axes=[axis % len(x.shape)])

    def normalize(self, x: Tensor, axis: int = -1, name: Optional[str] = None) -> Tensor:
        """A layer norm over one axis, with a scale and a bias."""
        name = self._name("normalize", name)
        axis %= len(x.shape)
        weights = [self._weight(f"{name}.{part}", [x.shape[axis]], x) for part in ("scale", "bias")]
        return self._op("normalize", name, [x], weights, None, axes=[axis])

    def concat(self, inputs: Sequence[Tensor], axis: int = 1, name: Optional[str] = None) -> Tensor:
        """Concatenation of tensors."""
        if not inputs:
            raise _bad("`concat` needs at least one tensor")
        return self._op("concat", self._name("concat", name), list(inputs), [], None,
                        axes=[axis % len(inputs[0].shape)])

    def upsample(
        self, x: Tensor, scale: int = 2, mode: str = "nearest", name: Optional[str] = None
    ) -> Tensor:
        """Rows and columns times `scale`; `mode` is "nearest" or "linear"."""
        if mode not in ("nearest", "linear"):
            raise _bad(f"`mode` must be nearest or linear, not {mode!r}")
        extents = [*x.shape[:2], *(each * scale for each in x.shape[2:])]
        return self._op("resize", self._name("upsample", name), [x], [], None,
                        extents=extents, linear=mode == "linear")

    def transpose(
        self, x: Tensor, permutation: Sequence[int], name: Optional[str] = None
    ) -> Tensor:
        """Transposition, as in numpy."""
        return self._op("transpose", self._name("transpose", name), [x], [], None,
                        permutation=list(permutation))

    def reshape(self, x: Tensor, shape: Sequence[int], name: Optional[str] = None) -> Tensor:
        """Reshape without moving data; one extent may be -1."""
        name = self._name("view", name)
        extents = list(shape)
        if extents.count(-1) == 1:
            known, all_of_it = 1, 1
            for each in extents:
                known *= each if each != -1 else 1
            for each in x.shape:
                all_of_it *= each
            if known > 0:
                extents[extents.index(-1)] = all_of_it // known
        return Tensor(self, self._parts.view(name, x._index, extents))

    def flatten(self, x: Tensor, name: Optional[str] = None) -> Tensor:
        """Flatten all axes but the first."""
        return self.reshape(x, [x.shape[0], -1], name)

    def build(self, *outputs: Tensor) -> _tessera.Network:
        """The network with these outputs. The builder remains usable."""
        if not outputs:
            raise _bad("a network needs an output: pass the output tensors to build()")
        return self._parts.network(self._inputs, [self._own(each) for each in outputs])

    # The rest is not for users.

    def _own(self, tensor: Tensor) -> int:
        if tensor._builder is not self:
            raise _bad("the tensor comes from another builder")
        return tensor._index

    def _name(self, kind: str, name: Optional[str]) -> str:
        if name is not None:
            return name
        self._count += 1
        return f"{kind}{self._count}"

    def _weight(self, name: str, shape: Sequence[int], like: Tensor) -> int:
        return self._parts.tensor(name, list(shape), like.dtype, True)

    def _filters(self, name: str, shape: Sequence[int], like: Tensor) -> int:
        dtype = self._dtype if self._dtype in ("int4", "uint4") else like.dtype
        return self._parts.tensor(name, list(shape), dtype, True)

    def _bias(self, name: str, channels: int, like: Tensor) -> int:
        return self._parts.tensor(name, [channels], self._parts.bias_dtype(like._index), True)

    def _op(
        self,
        kind: str,
        name: str,
        inputs: Sequence[Tensor],
        weights: Sequence[int],
        activation: Optional[str],
        **attributes: Any,
    ) -> Tensor:
        if activation is not None:
            attributes["fused"] = [activation]
        operands = [*(self._own(each) for each in inputs), *weights]
        return Tensor(self, self._parts.op(name, kind, operands, attributes))

    def _pool(
        self,
        kind: str,
        x: Tensor,
        kernel: Extents,
        stride: Optional[Extents],
        padding: Padding,
        name: Optional[str],
    ) -> Tensor:
        name = self._name(kind, name)
        window = self._window(name, x, kernel, kernel if stride is None else stride, padding, 1)
        return self._op(kind, name, [x], [], None, **window)

    def _spatial(self, x: Tensor) -> int:
        return max(0, len(x.shape) - 2)

    def _per_axis(self, name: str, what: str, given: Extents, axes: int) -> list[int]:
        values = [given] * axes if isinstance(given, int) else list(given)
        if len(values) != axes:
            raise _bad(f"op `{name}`: `{what}` has {len(values)} entries where {axes} are needed")
        return values

    def _window(
        self,
        name: str,
        x: Tensor,
        kernel: Extents,
        stride: Extents,
        padding: Padding,
        dilation: Extents,
    ) -> dict[str, list[int]]:
        axes = self._spatial(x)
        kernels = self._per_axis(name, "kernel", kernel, axes)
        strides = self._per_axis(name, "stride", stride, axes)
        dilations = self._per_axis(name, "dilation", dilation, axes)
        if min([1, *kernels, *strides, *dilations]) < 1:
            raise _bad(f"op `{name}`: kernels, strides and dilations are at least 1")
        if padding == "same":
            both = [
                max(0, (-(-extent // step) - 1) * step + (size - 1) * apart + 1 - extent)
                for extent, size, step, apart in zip(x.shape[2:], kernels, strides, dilations)
            ]
            begin = [each // 2 for each in both]
            end = [each - each // 2 for each in both]
        elif isinstance(padding, str):
            raise _bad(f"op `{name}`: `padding` must be \"same\" or numbers, not {padding!r}")
        else:
            begin = end = self._per_axis(name, "padding", padding, axes)
        return {
            "kernel": kernels,
            "stride": strides,
            "dilation": dilations,
            "pad_begin": begin,
            "pad_end": end,
        }


def _bad(text: str) -> _tessera.BadInput:
    error = _tessera.BadInput(text)
    error.hint = ""
    return error
