"""Computes a box of an op's output from parts of its operands, by the rules of docs/guide/commands.md.

    values = evaluate(op, box, parts)          # box: [begin, end) per axis; parts: of inputs, then of fused operands
    sums = partial_sums(op, box, parts)        # products of the input channels that the parts have
"""
# mypy: ignore-errors

import numpy as np

from . import functions, moves, products, quantized, reals
from .parts import Part, Refused
from .types import bits, is_float, limits, saturated

PRODUCTS = {"conv": products.conv, "conv_transpose": products.conv_transpose, "matmul": products.matmul}
MOVES = {
    "concat": moves.concat, "slice": moves.slice_, "pad": moves.pad, "reshape": moves.reshape, "resize": moves.resize,
    "transpose": moves.transpose, "depth_to_space": moves.depth_to_space, "space_to_depth": moves.space_to_depth,
    "max_pool": products.max_pool,
}
SCALED = {"softmax": 128, "normalize": functions.UNIT, "batch_norm": functions.UNIT}  # factor of integer results


def evaluate(op, box, parts):
    """All of the box, in the type of the output."""
    if op.type in PRODUCTS:
        return finish(op, box, parts, PRODUCTS[op.type](op, box, factors(op, parts)))
    if op.quantized:
        return rounded(op, box, fuse(op, box, quantized.as_real(op, parts), plain(op, box, quantized.as_real(op, parts))))
    return saturated(fuse(op, box, parts, plain(op, box, parts)), op.out_dtype)


def partial_sums(op, box, parts):
    """Sums of the products of the input channels that the first operand has: int64 of int32, or double."""
    sums = PRODUCTS[op.type](op, box, factors(op, parts), products.channels_of(op, parts))
    return sums if op.floating(parts) else wrapped(sums)


def finish(op, box, parts, sums):
    """The output from complete sums: bias, shift, fused functions, saturation."""
    floating = op.floating(parts)
    sums = sums.astype(np.float64) if floating else wrapped(sums)
    if len(op.inputs) > 2:
        bias = parts[2]
        if op.type == "matmul":
            add = bias.along([b for b, e in box], [e for b, e in box])
        else:
            add = bias.take([box[1][0]], [box[1][1]]).reshape(-1, *[1] * (len(box) - 2))
        sums = sums + add if floating else wrapped(sums + add.astype(np.int64))
    if op.quantized:
        numbers = sums if floating else sums * quantized.product_scale(op, box)
        return rounded(op, box, fuse(op, box, quantized.as_real(op, parts), numbers))
    if not floating and op.shift > 0:
        sums = (sums + (1 << (op.shift - 1))) >> op.shift
    return saturated(fuse(op, box, parts, sums), op.out_dtype)


def factors(op, parts):
    """What a product multiplies: integers less their zero points, or numbers if one of them is floating."""
    if not op.quantized:
        return parts
    return quantized.as_real(op, parts) if op.floating(parts) else quantized.as_centred(op, parts)


def rounded(op, box, values):
    """Real values as elements of the output."""
    if op.quantization is None:
        return saturated(values, op.out_dtype)
    return op.quantization.of(values, [b for b, e in box], [e for b, e in box], op.out_dtype)


def wrapped(sums):
    """Modulo 2^32, as int64 in the range of int32."""
    return ((sums.astype(np.int64) + 2 ** 31) & (2 ** 32 - 1)) - 2 ** 31


def plain(op, box, parts):
    """The function of the op itself; whole numbers of integer types are exact."""
    low, high = [b for b, e in box], [e for b, e in box]
    if op.type in MOVES:
        values = MOVES[op.type](op, box, parts)
        return integral(values) if not is_float(op.out_dtype) and op.quantization is None else values
    if op.type == "elementwise":
        values = [p.along(low, high) for p in parts[:len(op.inputs)]]
        made = call(op.function, values)
        return np.broadcast_to(made, [e - b for b, e in box])
    if op.type == "average_pool":
        return products.average_pool(op, box, parts)
    if op.type == "reduce":
        return reals.reduce(op, box, parts)
    if op.type in SCALED:
        return scaled(op, box, parts)
    raise Refused(f"ops of type `{op.type}` are not defined")


def integral(values):
    return functions.whole(values) if values.dtype.kind == "f" else values.astype(np.int64)


def scaled(op, box, parts):
    """Softmax and norms of integers as sixteenths; results of a softmax are in 1/128."""
    integers = not is_float(parts[0].dtype)
    if integers:
        parts = [Part(p.name, p.shape, "float64", p.begin, p.values / functions.UNIT) for p in parts]
    values = getattr(reals, op.type)(op, box, parts[:len(op.inputs)])
    return values * SCALED[op.type] if integers else values


def call(function, values):
    if any(v.dtype.kind == "f" for v in values):
        return functions.on_reals(function, [v.astype(np.float64) for v in values])
    return functions.on_integers(function, [v.astype(np.int64) for v in values])


def fuse(op, box, parts, values):
    """Fused functions, each on int32 or, of floating types, on double."""
    low, high = [b for b, e in box], [e for b, e in box]
    at = len(op.inputs)
    for function, operands in op.fused:
        others = [p.along(low, high) for p in parts[at:at + len(operands)]]
        at += len(operands)
        if not is_float(op.out_dtype) and values.dtype.kind == "f" and op.quantization is None:
            values = functions.whole(values)
        values = np.broadcast_to(call(function, [values, *others]), values.shape)
        if values.dtype.kind == "i":
            values = np.clip(values, *limits("int32")) if bits(op.out_dtype) <= 32 else values
    return values


def stand_in(shape, dtype, box, parts, number):
    """For output `number` of an opaque op, whose function is not known: every result depends on all elements
    of all inputs."""
    size = int(np.prod(shape, dtype=np.int64))
    total = np.full(size, float(number))
    for factor, part in enumerate(parts, 1):
        flat = part.all().reshape(-1).astype(np.float64)
        if flat.size:
            total += np.resize(flat, size) + factor * (np.floor(flat).sum() % 7)
    return saturated(total.reshape(shape)[tuple(slice(b, e) for b, e in box)], dtype)
