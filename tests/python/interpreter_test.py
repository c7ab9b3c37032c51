#!/usr/bin/env python3
"""The arithmetic of the interpreter against formulas of single elements, whole tensors and random boxes."""

import itertools
import math
import os
import random
import unittest

import support  # noqa: F401  skips without NumPy
import numpy as np

from tessera.interpreter.evaluate import evaluate, finish, partial_sums
from tessera.interpreter.layers import random_values
from tessera.interpreter.memory import Memory, Span
from tessera.interpreter.network import Network
from tessera.interpreter.order import Order
from tessera.interpreter.parts import Part, Refused
from tessera.interpreter.types import from_bytes, half, is_float, limits, rounded_bfloat16, saturated, to_bytes

COUNT = int(os.environ.get("TESSERA_RANDOM_COUNT", "60"))
SEED = int(os.environ.get("TESSERA_RANDOM_SEED", "1"))


def network(op, operands, out, out_dtype=None):
    """A network of one op; operands: (shape, dtype, is it a weight?)."""
    tensors = [{"name": f"t{k}", "shape": list(s), "dtype": d, "kind": "weight" if w else "activation"}
               for k, (s, d, w) in enumerate(operands)]
    tensors.append({"name": "y", "shape": list(out), "dtype": out_dtype or operands[0][1]})
    fused = len([o for f in op.get("fused", ()) for o in f["operands"]])
    return Network({"tensors": tensors, "ops": [{"name": "o", "inputs": [t["name"] for t in tensors[:-1 - fused]], "output": "y", **op}]})


def random_box(draw, shape):
    box = []
    for n in shape:
        begin = draw.randrange(n)
        box.append((begin, draw.randint(begin + 1, n)))
    return box


def cells(shape):
    return itertools.product(*map(range, shape))


def positions(op, at, shape):
    """Taps of a window: (tap, position of the input), only inside."""
    for tap in cells(op.kernel):
        place = tuple(a * s - p + t * d for a, s, p, t, d in zip(at, op.stride, op.pad_begin, tap, op.dilation))
        if all(0 <= i < n for i, n in zip(place, shape)):
            yield tap, place


def sum_of_products(op, out, values):
    """In whole numbers or doubles, element by element."""
    x, w = (v.astype(object if v.dtype.kind in "iu" else float) for v in values[:2])
    sums = np.zeros(out, x.dtype)
    if op.type == "conv":
        per_in, per_out = x.shape[1] // op.groups, out[1] // op.groups
        for n, k, *at in cells(out):
            first = k // per_out * per_in
            sums[(n, k, *at)] = sum(x[(n, first + c, *place)] * w[(k, c, *tap)]
                                    for tap, place in positions(op, at, x.shape[2:]) for c in range(per_in))
    elif op.type == "conv_transpose":
        per_in, per_out = x.shape[1] // op.groups, w.shape[1]
        for n, c, *at in cells(x.shape):
            for tap in cells(op.kernel):
                place = tuple(a * s - p + t * d for a, s, p, t, d in zip(at, op.stride, op.pad_begin, tap, op.dilation))
                if all(0 <= i < e for i, e in zip(place, out[2:])):
                    for k in range(per_out):
                        sums[(n, c // per_in * per_out + k, *place)] += x[(n, c, *at)] * w[(c, k, *tap)]
    else:
        a = x.swapaxes(-1, -2) if op.transpose_a else x
        b = w.swapaxes(-1, -2) if op.transpose_b else w
        sums = np.matmul(a, b)
    return sums


def product(op, out, values, dtype):
    sums = sum_of_products(op, out, values)
    bias = values[2] if len(values) > 2 else None
    if bias is not None and op.type != "matmul":
        bias = bias.reshape(-1, *[1] * (len(out) - 2))
    if is_float(dtype):
        return np.asarray(np.asarray(sums, float) + (0 if bias is None else bias), np.float32)
    made = np.zeros(out, np.int64)
    whole = sums + (0 if bias is None else bias.astype(object))
    for at in cells(out):
        total = (whole[at] + 2 ** 31) % 2 ** 32 - 2 ** 31
        total = math.floor((total + 2 ** (op.shift - 1)) / 2 ** op.shift) if op.shift else total
        if op.fused:
            total = max(total, 0)
        made[at] = min(max(total, limits(dtype)[0]), limits(dtype)[1])
    return made


def drawn(kind):
    """Runs a test with one random draw after another."""
    def decorate(test):
        def run(self):
            for number in range(COUNT):
                with self.subTest(seed=SEED, number=number):
                    test(self, random.Random(f"{kind} {SEED} {number}"))
        return run
    return decorate


class Arithmetic(unittest.TestCase):
    def check(self, net, values, expected, draw, exact=True):
        op = net.ops[0]
        dtypes = [net.tensors[name].dtype for name in op.operands]
        parts = [Part(name, v.shape, d, [0] * v.ndim, v) for name, v, d in zip(op.operands, values, dtypes)]
        whole = evaluate(op, [(0, n) for n in op.out_shape], parts)
        self.assertEqual(whole.shape, op.out_shape)
        if exact:
            np.testing.assert_array_equal(whole, expected)
        else:
            np.testing.assert_allclose(whole.astype(float), expected, rtol=1e-5, atol=1e-5 if is_float(op.out_dtype) else 1)
        for _ in range(3):
            box = random_box(draw, op.out_shape)
            part = evaluate(op, box, parts)
            np.testing.assert_array_equal(part, whole[tuple(slice(b, e) for b, e in box)])

    def values(self, net, seed):
        made = [random_values(net.tensors[name], seed) for name in net.ops[0].operands]
        return made

    @drawn("products")
    def test_products(self, draw):
        dtype = draw.choice(["int8", "uint8", "int16", "float32", "int8"])
        other = {"int8": draw.choice(["int8", "int4"]), "uint8": "uint8", "int16": "int16", "float32": "float32"}[dtype]
        bias = "float32" if dtype == "float32" else "int32"
        op, shapes, out = draw.choice([self.conv, self.transposed, self.matrices])(draw)
        op["shift"] = draw.choice([0, 3, 9])
        if draw.random() < 0.4 and dtype != "float32":
            op["fused"] = [{"function": "relu", "operands": []}]
        kinds = [(shapes[0], dtype, False), (shapes[1], other, True), (shapes[2], bias, True)][:draw.randint(2, 3)]
        net = network(op, kinds, out)
        values = self.values(net, draw.randrange(1000))
        self.check(net, values, product(net.ops[0], out, values, dtype), draw, dtype != "float32")
        self.parts_of_sums(net, values, draw)

    def parts_of_sums(self, net, values, draw):
        """Sums of two ranges of channels, added, are the sums of all."""
        op = net.ops[0]
        if op.groups != 1 or op.floating([Part("", v.shape, net.tensors[n].dtype, [0] * v.ndim, v) for n, v in zip(op.inputs, values)]):
            return
        axis = {"matmul": -2 if op.transpose_a else -1}.get(op.type, 1) % values[0].ndim
        other = {"matmul": -1 if op.transpose_b else -2, "conv": 1}.get(op.type, 0) % values[1].ndim
        cut = draw.randrange(values[0].shape[axis] + 1)
        box = random_box(draw, op.out_shape)
        total = 0
        for begin, end in ((0, cut), (cut, values[0].shape[axis])):
            parts = []
            for name, v, a in zip(op.inputs, values, (axis, other)):
                start = [0] * v.ndim
                start[a] = begin
                parts.append(Part(name, v.shape, net.tensors[name].dtype, start, np.take(v, range(begin, end), a)))
            total = total + partial_sums(op, box, parts)
        whole = [Part(n, v.shape, net.tensors[n].dtype, [0] * v.ndim, v) for n, v in zip(op.inputs, values)]
        np.testing.assert_array_equal(finish(op, box, whole, total), evaluate(op, box, whole))

    def conv(self, draw):
        groups = draw.choice([1, 1, 2, 4])
        per_in, per_out = draw.choice([1, 2, 3]), draw.choice([1, 2])
        rank = draw.choice([1, 2, 2, 3])
        kernel = [draw.randint(1, 3) for _ in range(rank)]
        stride, dilation = [draw.randint(1, 2) for _ in kernel], [draw.randint(1, 2) for _ in kernel]
        pad = [draw.randint(0, k - 1) for k in kernel * 2]
        size = [(k - 1) * d + draw.randint(1, 4) for k, d in zip(kernel, dilation)]
        out = [(n + pad[a] + pad[a + rank] - (k - 1) * d - 1) // s + 1
               for a, (n, k, d, s) in enumerate(zip(size, kernel, dilation, stride))]
        op = {"type": "conv", "stride": stride, "dilation": dilation, "pad": pad, "groups": groups}
        n = draw.randint(1, 2)
        shapes = (n, per_in * groups, *size), (per_out * groups, per_in, *kernel), (per_out * groups,)
        return op, shapes, (n, per_out * groups, *out)

    def transposed(self, draw):
        groups = draw.choice([1, 2])
        per_in, per_out, rank = draw.randint(1, 3), draw.randint(1, 2), draw.choice([1, 2])
        kernel = [draw.randint(1, 3) for _ in range(rank)]
        stride, dilation = [draw.randint(1, 3) for _ in kernel], [draw.randint(1, 2) for _ in kernel]
        size = [draw.randint(2, 4) for _ in kernel]
        pad = [draw.randint(0, 1) for _ in kernel * 2]
        more = [draw.randint(0, s - 1) for s in stride]
        out = [max(1, (n - 1) * s + (k - 1) * d + 1 - pad[a] - pad[a + rank] + m)
               for a, (n, k, d, s, m) in enumerate(zip(size, kernel, dilation, stride, more))]
        op = {"type": "conv_transpose", "stride": stride, "dilation": dilation, "pad": pad, "groups": groups}
        return op, ((1, per_in * groups, *size), (per_in * groups, per_out, *kernel), (per_out * groups,)), (1, per_out * groups, *out)

    def matrices(self, draw):
        m, k, n = (draw.randint(1, 5) for _ in range(3))
        lead = draw.choice([(), (2,), (2, 3)])
        op = {"type": "matmul", "transpose_a": draw.random() < 0.5, "transpose_b": draw.random() < 0.5}
        a = (k, m) if op["transpose_a"] else (m, k)
        b = (n, k) if op["transpose_b"] else (k, n)
        second = draw.choice([lead, (), (1,) * len(lead)])
        return op, (lead + a, second + b, draw.choice([(n,), (m, n), (1, n)])), lead + (m, n)

    @drawn("pools")
    def test_pools(self, draw):
        dtype = draw.choice(["int8", "uint8", "float32"])
        kernel = [draw.randint(1, 3) for _ in range(2)]
        pad = [draw.randint(0, k - 1) for k in kernel * 2]
        op = {"type": draw.choice(["max_pool", "average_pool"]), "kernel": kernel, "pad": pad, "stride": [draw.randint(1, 2) for _ in kernel]}
        size = [k + draw.randint(0, 3) for k in kernel]
        out = (2, 3, *((n + p + q - k) // s + 1 for n, p, q, k, s in zip(size, pad, pad[2:], kernel, op["stride"])))
        net = network(op, [((2, 3, *size), dtype, False)], out)
        x, = self.values(net, draw.randrange(1000))
        expected = np.zeros(out)
        for n, c, *at in cells(out):
            seen = [float(x[(n, c, *place)]) for _, place in positions(net.ops[0], at, size)]
            expected[(n, c, *at)] = max(seen) if op["type"] == "max_pool" else sum(seen) / len(seen)
        self.check(net, [x], expected if is_float(dtype) else np.rint(expected), draw, not is_float(dtype))

    @drawn("moves")
    def test_moves(self, draw):
        dtype = draw.choice(["int8", "float32", "int32", "bfloat16", "bool"])
        op, shapes, expect = draw.choice([self.concat, self.slice, self.pad, self.reshape, self.transpose, self.depth, self.space, self.nearest])(draw)
        values = [random_values(network(op, [(s, dtype, False)], s).tensors["t0"], draw.randrange(1000)) for s in shapes]
        expected = expect(values)
        self.check(network(op, [(s, dtype, False) for s in shapes], expected.shape), values, expected, draw)

    def concat(self, draw):
        axis = draw.randrange(3)
        shapes = [[3, 2, 4] for _ in range(draw.randint(1, 3))]
        for shape in shapes:
            shape[axis] = draw.randint(1, 3)
        return {"type": "concat", "axes": [axis]}, shapes, lambda v: np.concatenate(v, axis)

    def slice(self, draw):
        begin, step = draw.randint(0, 2), draw.randint(1, 3)
        return ({"type": "slice", "axes": [1], "begins": [begin], "steps": [step]}, [(2, 7, 3)], lambda v: v[0][:, begin::step])

    def pad(self, draw):
        mode = draw.choice(["constant", "edge", "reflect"])
        sides = [draw.randint(0, 2) for _ in range(6)]
        low, high = [0, *sides[:2]], [0, *sides[2:4]]
        return ({"type": "pad", "pad": low + high, "mode": mode}, [(2, 4, 3)], lambda v: np.pad(v[0], list(zip(low, high)), mode))

    def reshape(self, draw):
        shape = draw.choice([(24,), (4, 6), (2, 3, 2, 2), (1, 24, 1)])
        return {"type": "reshape", "shape": list(shape)}, [(2, 3, 4)], lambda v: v[0].reshape(shape)

    def transpose(self, draw):
        order = draw.sample(range(4), 4)
        return {"type": "transpose", "permutation": order}, [(2, 3, 4, 5)], lambda v: v[0].transpose(order)

    def depth(self, draw):
        order = draw.choice(["dcr", "crd"])

        def expect(v):  # the formulas of ONNX
            n, c, h, w = v[0].shape
            if order == "dcr":
                return v[0].reshape(n, 2, 2, c // 4, h, w).transpose(0, 3, 4, 1, 5, 2).reshape(n, c // 4, h * 2, w * 2)
            return v[0].reshape(n, c // 4, 2, 2, h, w).transpose(0, 1, 4, 2, 5, 3).reshape(n, c // 4, h * 2, w * 2)

        return {"type": "depth_to_space", "block": 2, "order": order}, [(1, 8, 3, 2)], expect

    def space(self, draw):
        return ({"type": "space_to_depth", "block": 2}, [(2, 3, 4, 6)],
                lambda v: v[0].reshape(2, 3, 2, 2, 3, 2).transpose(0, 3, 5, 1, 2, 4).reshape(2, 12, 2, 3))

    def nearest(self, draw):
        factor = draw.randint(1, 3)
        return ({"type": "resize", "mode": "nearest", "coordinates": "asymmetric", "nearest": "floor"}, [(1, 2, 3, 4)],
                lambda v: v[0].repeat(factor, 2).repeat(factor, 3))

    @drawn("resize")
    def test_linear_resize(self, draw):
        size, made = draw.randint(1, 5), draw.randint(1, 7)
        rule = draw.choice(["half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel"])
        net = network({"type": "resize", "mode": "linear", "coordinates": rule}, [((1, 1, 2, size), "float32", False)], (1, 1, 2, made))
        x, = self.values(net, draw.randrange(1000))
        expected = np.zeros((1, 1, 2, made))
        for k in range(made):
            spot = {"half_pixel": (k + 0.5) * size / made - 0.5, "asymmetric": k * size / made,
                    "align_corners": k * (size - 1) / (made - 1) if made > 1 else 0,
                    "pytorch_half_pixel": (k + 0.5) * size / made - 0.5 if made > 1 else 0}[rule]
            if size == made:
                spot = k
            spot = round(spot, 9)
            low = math.floor(spot)
            ends = [min(max(low + i, 0), size - 1) for i in (0, 1)]
            expected[..., k] = x[..., ends[0]] * (1 - spot + low) + x[..., ends[1]] * (spot - low)
        self.check(net, [x], expected, draw, False)

    @drawn("reals")
    def test_reductions_and_norms(self, draw):
        axes = sorted(draw.sample(range(3), draw.randint(1, 2)))
        function = draw.choice(["mean", "sum", "max", "min", "prod", "l1", "l2", "sumsquare", "logsumexp", "softmax", "normalize"])
        dtype = draw.choice(["float32", "int8"]) if function in ("mean", "sum", "max", "min", "softmax") else "float32"
        shape, keep, kept = (3, 4, 2), draw.random() < 0.5, tuple(axes)
        unit = 16 if dtype == "int8" else 1
        formulas = {
            "mean": lambda v: v.mean(kept, keepdims=keep), "sum": lambda v: v.sum(kept, keepdims=keep),
            "max": lambda v: v.max(kept, keepdims=keep), "min": lambda v: v.min(kept, keepdims=keep),
            "prod": lambda v: v.prod(kept, keepdims=keep), "l1": lambda v: np.linalg.norm(abs(v).sum(kept, keepdims=keep)[None], axis=0),
            "l2": lambda v: np.sqrt((v * v).sum(kept, keepdims=keep)), "sumsquare": lambda v: (v * v).sum(kept, keepdims=keep),
            "logsumexp": lambda v: np.log(np.exp(v).sum(kept, keepdims=keep)),
            "softmax": lambda v: np.exp(v / unit) / np.exp(v / unit).sum(kept, keepdims=True) * (128 if unit > 1 else 1),
            "normalize": lambda v: (v - v.mean(kept, keepdims=True)) / np.sqrt(v.var(kept, keepdims=True) + 2.0 ** -16)}
        op = {"type": function} if function in ("softmax", "normalize") else {"type": "reduce", "function": function, "keep_dims": keep}
        probe = network({"type": "relu"}, [(shape, dtype, False)], shape)
        x, = self.values(probe, draw.randrange(1000))
        expected = formulas[function](x.astype(float))
        net = network({**op, "axes": axes}, [(shape, dtype, False)], expected.shape)
        if dtype == "int8":
            expected = np.clip(np.rint(expected), -128, 127)
        self.check(net, [x], expected, draw, dtype == "int8")

    @drawn("functions")
    def test_functions(self, draw):
        one = {"relu": lambda x: max(x, 0), "abs": abs, "neg": lambda x: -x, "relu6": lambda x: min(max(x, 0), 96),
               "sigmoid": lambda x: round(16 / (1 + math.exp(-x / 16))), "tanh": lambda x: round(16 * math.tanh(x / 16)),
               "log": lambda x: round(16 * math.log(x / 16)) if x > 0 else -128 if x == 0 else 0,
               "reciprocal": lambda x: round(256 / x) if x else 127,
               "hard_swish": lambda x: round(16 * (x / 16) * min(max(x / 16 + 3, 0), 6) / 6)}
        two = {"add": lambda x, y: x + y, "sub": lambda x, y: x - y, "mul": lambda x, y: math.floor(x * y / 16), "max": max, "min": min,
               "prelu": lambda x, y: x if x >= 0 else math.floor(x * y / 16), "equal": lambda x, y: x == y,
               "div": lambda x, y: round(16 * (x / y)) if y else 0 if x == 0 else 127 if x > 0 else -128}
        function = draw.choice([*one, *two])
        shapes = [(2, 3, 4)] if function in one else [(2, 3, 4), draw.choice([(2, 3, 4), (3, 1), (1,), (2, 1, 4)])]
        net = network({"type": function}, [(s, "int8", False) for s in shapes], (2, 3, 4))
        values = self.values(net, draw.randrange(1000))
        full = np.broadcast_arrays(*values)
        expected = np.zeros((2, 3, 4))
        for at in cells((2, 3, 4)):
            expected[at] = min(max((one.get(function) or two[function])(*(int(v[at]) for v in full)), -128), 127)
        self.check(net, values, expected, draw)

    @drawn("scales")
    def test_scales_and_zero_points(self, draw):
        """Elements of types with a scale stand for real numbers."""
        dtype = draw.choice(["int8", "uint8"])
        kind = draw.choice(["conv", "depthwise", "matmul", "add", "average_pool", "max_pool", "sigmoid", "concat", "pad"])
        shape = (1, 3, 5, 4)

        def scale(count=1, zero=True):
            return {"scale": [draw.choice([0.5, 0.013, 0.1]) for _ in range(count)], "zero_point": [draw.randint(-3, 9) if zero else 0] * count}

        given = {"conv": [(shape, dtype, False), ((2, 3, 3, 3), "int8", True), ((2,), "int32", True)],
                 "depthwise": [(shape, dtype, False), ((3, 1, 3, 3), "int8", True)],
                 "matmul": [((4, 6), dtype, False), ((6, 5), "int8", True)]}.get(kind, [(shape, dtype, False)] * (2 if kind in ("add", "concat") else 1))
        op = {"conv": {"type": "conv", "pad": [1] * 4}, "depthwise": {"type": "conv", "groups": 3}, "average_pool": {"type": kind, "kernel": [2, 2], "pad": [1] * 4},
              "max_pool": {"type": kind, "kernel": [2, 2], "pad": [1] * 4}, "concat": {"type": kind, "axes": [1]}, "pad": {"type": "pad", "pad": [0, 0, 1, 2] * 2}}.get(kind, {"type": kind})
        out = {"conv": (1, 2, 5, 4), "depthwise": (1, 3, 3, 2), "matmul": (4, 5), "average_pool": (1, 3, 6, 5), "max_pool": (1, 3, 6, 5), "concat": (1, 6, 5, 4), "pad": (1, 3, 7, 8)}.get(kind, shape)
        channels = draw.random() < 0.5 and len(given) > 1 and given[1][2]
        scales = [scale(g[0][1 if kind == "matmul" else 0] if k == 1 and channels else 1, not g[2]) for k, g in enumerate(given[:2])] + [scale()]
        scales[1 if len(given) > 1 else 0]["axis"] = 1 if kind == "matmul" else 0
        net = network(op, given, out)
        for (name, tensor), entry in zip([(n, t) for n, t in net.tensors.items() if t.dtype != "int32"], scales if len(given) > 1 else [scales[0], scales[-1]]):
            tensor.place["quantization"] = entry
        net = Network({"tensors": [t.place for t in net.tensors.values()], "ops": [{"name": "o", "inputs": [f"t{k}" for k in range(len(given))], "output": "y", **op}]})
        values = self.values(net, draw.randrange(1000))
        real = []
        for name, v in zip(net.ops[0].inputs, values):
            q = net.tensors[name].quantization
            wide = [-1 if a == (q.axis if q else 0) else 1 for a in range(v.ndim)] if q and len(q.scale) > 1 else [1] * v.ndim
            real.append((v.astype(float) - q.zero.reshape(wide)) * q.scale.reshape(wide) if q else v.astype(float))
        if kind == "conv":
            factor = net.tensors["t0"].quantization.scale[0] * net.tensors["t1"].quantization.scale
            real[2] = real[2] * factor
        formulas = {"add": lambda: real[0] + real[1], "sigmoid": lambda: 1 / (1 + np.exp(-real[0])), "concat": lambda: np.concatenate(real, 1),
                    "pad": lambda: np.pad(real[0], ((0, 0), (0, 0), (1, 1), (2, 2)))}
        if kind in ("conv", "depthwise", "matmul"):
            made = sum_of_products(net.ops[0], out, real) + (real[2].reshape(-1, 1, 1) if kind == "conv" else 0)
        elif kind.endswith("pool"):
            made = np.zeros(out)
            for n, c, *at in cells(out):
                seen = [real[0][(n, c, *place)] for _, place in positions(net.ops[0], at, shape[2:])]
                made[(n, c, *at)] = max(seen) if kind == "max_pool" else sum(seen) / len(seen)
        else:
            made = formulas[kind]()
        q = net.tensors["y"].quantization
        expected = np.clip(np.rint(made / q.scale[0]) + q.zero[0], *limits(dtype))
        parts = [Part(n, v.shape, net.tensors[n].dtype, [0] * v.ndim, v) for n, v in zip(net.ops[0].inputs, values)]
        found = evaluate(net.ops[0], [(0, n) for n in out], parts).astype(float)
        self.assertLessEqual(np.abs(found - expected).max(), 1)  # a half may be rounded to either side
        self.assertGreater(np.mean(found == expected), 0.9)
        self.check(net, values, found, draw)

    def test_missing_elements_are_refused(self):
        net = network({"type": "conv", "pad": [1, 1, 1, 1]}, [((1, 2, 8, 8), "int8", False), ((2, 2, 3, 3), "int8", True)], (1, 2, 8, 8))
        x, w = self.values(net, 0)
        parts = [Part("x", x.shape, "int8", [0, 0, 2, 0], x[:, :, 2:5]), Part("w", w.shape, "int8", [0] * 4, w)]
        evaluate(net.ops[0], [(0, 1), (0, 2), (3, 4), (0, 8)], parts)
        for rows in ((2, 4), (3, 5)):
            with self.assertRaises(Refused):
                evaluate(net.ops[0], [(0, 1), (0, 2), rows, (0, 8)], parts)

    def test_types(self):
        numbers = np.array([1.0, -2.5, 3.14159, 1e30, 2.0 ** -130], np.float32)
        short = rounded_bfloat16(numbers)
        np.testing.assert_array_equal(from_bytes(to_bytes(short, "bfloat16"), "bfloat16"), short)
        self.assertEqual(to_bytes(short, "bfloat16").shape, (5, 2))
        np.testing.assert_array_equal(saturated(np.array([0.5, 1.5, -200, 200.0]), "int8"), [0, 2, -128, 127])
        np.testing.assert_array_equal(half(np.array([0x2F, 0x80], np.uint8), np.arange(4), "int4"), [-1, 2, 0, -8])
        np.testing.assert_array_equal(half(np.array([0x2F], np.uint8), np.arange(2), "uint4"), [15, 2])


class Modes(unittest.TestCase):
    """Accesses on two queues of a memory whose banks change their roles."""

    READS = ("read", "read_write")

    def setUp(self):
        self.order = Order([{"name": "e"}, {"name": "f"}])
        self.memory = Memory({"name": "sram", "size": 16, "banks": [{"name": "b0", "begin": 0, "end": 8}, {"name": "b1", "begin": 8, "end": 16}],
                              "modes": [{"name": "m", "roles": ["read", "write"]}, {"name": "n", "roles": ["write", "read"]},
                                        {"name": "o", "roles": ["read_write", "write"]}]}, 16, self.order)
        self.count = 0

    def add(self, queue, *after):
        self.order.add({"id": self.count, "kind": "compute", "queue": queue, "cycles": 1, "after": list(after)})
        self.count += 1
        return self.count - 1

    def switch(self, mode, queue, *after):
        number = self.add(queue, *after)
        self.memory.switch(mode, number)
        return number

    def read(self, address, queue, *after, begins=None):
        number = self.add(queue, *after)
        self.memory.allows(Span(self.memory, address, [], 4), self.READS, number, number if begins is None else begins, "it")
        return number

    def test_an_access_is_in_the_mode_before_or_after(self):
        self.switch("m", "e")
        read = self.read(0, "f", 0)
        self.switch("n", "e", read)
        self.read(8, "e")
        with self.assertRaisesRegex(Refused, "bank `b0`.*role in the mode of command 2 is `write`"):
            self.read(0, "e")

    def test_the_first_mode_comes_first(self):
        with self.assertRaisesRegex(Refused, "before its first mode"):
            self.read(0, "e")
        self.switch("m", "e")
        with self.assertRaisesRegex(Refused, "before its first mode"):
            self.read(0, "f")

    def test_a_switch_that_an_access_does_not_wait_for(self):
        self.switch("n", "e")
        self.switch("m", "e")
        with self.assertRaisesRegex(Refused, "mode of command 0 is `write`"):
            self.read(0, "f", 0)
        self.read(0, "f", 1)

    def test_a_switch_that_does_not_wait_for_an_access(self):
        self.switch("m", "e")
        self.read(0, "f", 0)
        self.switch("o", "e")  # permits it, too
        with self.assertRaisesRegex(Refused, "command 1 accesses bank `b0`.*`write` in mode `n`"):
            self.switch("n", "e")

    def test_a_switch_while_an_op_of_two_commands_runs(self):
        self.switch("m", "e")
        begin = self.add("f", 0)
        switch = self.switch("n", "e")
        with self.assertRaisesRegex(Refused, "mode of command 0"):
            self.read(8, "f", switch, begins=begin)

    def test_switches_have_an_order(self):
        self.switch("m", "e")
        with self.assertRaisesRegex(Refused, "switches the mode"):
            self.switch("n", "f")
        self.order.add({"id": self.count, "kind": "wait"})
        self.count += 1
        self.switch("n", "f")
        self.read(8, "f")


if __name__ == "__main__":
    unittest.main()
