"""Element types: how the elements of a tensor stand in bytes, and how results are rounded to them.

Values are NumPy arrays of the type itself; bfloat16 is float32 with 16 significant bits, 4-bit integers are
int8 or uint8, bool is 0 or 1."""
# mypy: ignore-errors

import numpy as np

NUMPY = {
    "float64": np.float64, "float32": np.float32, "float16": np.float16, "bfloat16": np.float32,
    "int64": np.int64, "int32": np.int32, "int16": np.int16, "int8": np.int8, "int4": np.int8,
    "uint64": np.uint64, "uint32": np.uint32, "uint16": np.uint16, "uint8": np.uint8, "uint4": np.uint8,
    "bool": np.uint8,
}
FLOATS = ("float64", "float32", "float16", "bfloat16")


def is_float(dtype):
    return dtype in FLOATS


def bits(dtype):
    return 4 if dtype.endswith("int4") else 16 if dtype == "bfloat16" else 8 * np.dtype(NUMPY[dtype]).itemsize


def element_bytes(dtype):
    """Bytes of an element; 1 for 4-bit types, which are packed only in whole parts."""
    return max(1, bits(dtype) // 8)


def limits(dtype):
    """Least and largest value of an integer type."""
    if dtype == "bool":
        return 0, 1
    if dtype.startswith("u"):
        return 0, 2 ** bits(dtype) - 1
    return -(2 ** (bits(dtype) - 1)), 2 ** (bits(dtype) - 1) - 1


def lowest(dtype):
    """Below all other values: the padding of a maximum."""
    return -np.inf if is_float(dtype) else limits(dtype)[0]


def saturated(values, dtype):
    """Whole numbers or real values as this type."""
    if is_float(dtype):
        with np.errstate(over="ignore"):
            return rounded_bfloat16(values) if dtype == "bfloat16" else np.asarray(values, NUMPY[dtype])
    low, high = limits(dtype)
    if values.dtype.kind == "f":
        # The largest double of a 64-bit range is below its end.
        wide = np.clip(np.nan_to_num(np.rint(values), posinf=2.0 ** 62, neginf=-(2.0 ** 62)), -(2.0 ** 62), 2.0 ** 62)
        values = wide.astype(np.int64)
    return np.clip(values, low, min(high, 2 ** 63 - 1)).astype(NUMPY[dtype])


def rounded_bfloat16(values):
    """Round half to even to the upper 16 bits of a float32."""
    words = np.ascontiguousarray(values, np.float32).view(np.uint32).astype(np.uint64)
    words = (words + 0x7FFF + ((words >> 16) & 1)) & 0xFFFF0000
    return words.astype(np.uint32).view(np.float32).reshape(np.shape(values))


def to_bytes(values, dtype):
    """Bytes of the elements, as an array with one more axis."""
    values = np.ascontiguousarray(values)
    if dtype == "bfloat16":
        values = (values.view(np.uint32) >> 16).astype(np.uint16)
    return values.view(np.uint8).reshape(*values.shape, values.dtype.itemsize)


def from_bytes(data, dtype):
    """The inverse of to_bytes()."""
    data = np.ascontiguousarray(data)
    if dtype == "bfloat16":
        words = data.view(np.uint16).reshape(data.shape[:-1]).astype(np.uint32) << 16
        return words.view(np.float32)
    return data.view(NUMPY[dtype]).reshape(data.shape[:-1])


def half(data, at, dtype):
    """4-bit elements at positions in packed bytes, counted in elements; the first of two is in the low half."""
    halves = data[at // 2] >> (4 * (at % 2)).astype(np.uint8) & 15
    return (halves.astype(np.int8) ^ 8) - 8 if dtype == "int4" else halves
