"""Functions of single elements. Integers stand for sixteenths: a function of integers is `f(x / 16) * 16` in
double, rounded half to even; NaN is 0. The functions in EXACT take integers as they are, `mul` is `x * y >> 4`.

A constant that a file makes part of a function is not in the network: a missing second operand is 2, slopes and
bounds are those below."""
# mypy: ignore-errors

import math

import numpy as np

UNIT = 16
_erf = np.frompyfunc(math.erf, 1, 1)


def erf(x):
    return np.asarray(_erf(x), np.float64)


def sigmoid(x):
    e = np.exp(-np.abs(x))
    return np.where(x >= 0, 1 / (1 + e), e / (1 + e))


def softplus(x):
    return np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))


ONE = {
    "ceil": np.ceil,
    "clip": lambda x: np.clip(x, 0, 6),
    "cos": np.cos,
    "elu": lambda x: np.where(x > 0, x, np.expm1(np.minimum(x, 0))),
    "erf": erf,
    "exp": np.exp,
    "floor": np.floor,
    "gelu": lambda x: x * 0.5 * (1 + erf(x / math.sqrt(2))),
    "hard_sigmoid": lambda x: np.clip(x * 0.2 + 0.5, 0, 1),
    "hard_swish": lambda x: x * np.clip(x + 3, 0, 6) / 6,
    "leaky_relu": lambda x: np.where(x > 0, x, x * 0.01),
    "log": np.log,
    "mish": lambda x: x * np.tanh(softplus(x)),
    "reciprocal": lambda x: 1 / x,
    "relu6": lambda x: np.clip(x, 0, 6),
    "relu_0_to_1": lambda x: np.clip(x, 0, 1),
    "relu_n1_to_1": lambda x: np.clip(x, -1, 1),
    "round": np.rint,
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "selu": lambda x: 1.0507009873554805 * np.where(x > 0, x, 1.6732632423543772 * np.expm1(np.minimum(x, 0))),
    "sigmoid": sigmoid,
    "sign": np.sign,
    "silu": lambda x: x * sigmoid(x),
    "sin": np.sin,
    "softplus": softplus,
    "softsign": lambda x: x / (1 + np.abs(x)),
    "sqrt": np.sqrt,
    "square": lambda x: x * x,
    "tanh": np.tanh,
}

TWO = {
    "div": lambda x, y: x / y,
    "mod": np.mod,
    "pow": np.power,
    "floor_div": lambda x, y: np.floor(x / y),
    "floor_mod": np.mod,
    "squared_difference": lambda x, y: (x - y) ** 2,
}

# Integers as they are; doubles alike.
EXACT = {
    "abs": np.abs,
    "cast": lambda x: x,
    "dequantize": lambda x: x,
    "identity": lambda x: x,
    "neg": np.negative,
    "not": lambda x: x == 0,
    "quantize": lambda x: x,
    "relu": lambda x: np.maximum(x, 0),
    "add": np.add,
    "and": lambda x, y: (x != 0) & (y != 0),
    "equal": np.equal,
    "greater": np.greater,
    "greater_equal": np.greater_equal,
    "less": np.less,
    "less_equal": np.less_equal,
    "max": np.maximum,
    "min": np.minimum,
    "mul": np.multiply,
    "not_equal": np.not_equal,
    "or": lambda x, y: (x != 0) | (y != 0),
    "sub": np.subtract,
    "sum": np.add,
    "xor": lambda x, y: (x != 0) != (y != 0),
}
UNARY = ("abs", "cast", "dequantize", "identity", "neg", "not", "quantize", "relu")


def known(function):
    return function in ONE or function in TWO or function in EXACT or function in ("prelu", "where", "select_v2")


def folded(function, values):
    """A function of two operands, applied to all of them from the first one on."""
    total = values[0]
    for other in values[1:] or [2]:
        total = function(total, other)
    return total


def on_integers(function, values):
    """Of int64 arrays; an int64 array, not saturated."""
    if function == "prelu":
        return np.where(values[0] < 0, (values[0] * values[1]) >> 4, values[0])
    if function in ("where", "select_v2"):
        return np.where(values[0] != 0, values[1], values[2])
    if function == "mul":
        return folded(lambda x, y: (x * y) >> 4, values)
    if function in EXACT:
        return np.asarray(EXACT[function](values[0]) if function in UNARY else folded(EXACT[function], values), np.int64)
    if function in ONE and len(values) == 1 and values[0].size > 4096:
        low, high = int(values[0].min()), int(values[0].max())
        if high - low < 2 ** 17:  # each distinct value once
            return on_integers(function, [np.arange(low, high + 1)])[values[0] - low]
    return whole(on_reals(function, [v / UNIT for v in values]) * UNIT)


def on_reals(function, values):
    with np.errstate(all="ignore"):
        if function == "prelu":
            return np.where(values[0] < 0, values[0] * values[1], values[0])
        if function in ("where", "select_v2"):
            return np.where(values[0] != 0, values[1], values[2])
        if function in EXACT:
            return np.asarray(EXACT[function](values[0]) if function in UNARY else folded(EXACT[function], values), np.float64)
        if function in ONE:
            return ONE[function](values[0])
        if function in TWO:
            return folded(TWO[function], values)
    return sum(v * (k + 1) for k, v in enumerate(values))


def whole(values):
    """Rounded half to even; NaN is 0, infinity saturates."""
    return np.clip(np.nan_to_num(np.rint(values), nan=0, posinf=2.0 ** 62, neginf=-(2.0 ** 62)), -(2.0 ** 62), 2.0 ** 62).astype(np.int64)
