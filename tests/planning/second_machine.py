"""Machines for second_simulator.py, from docs/machines.md and docs/formats.md alone: how long an engine computes a part of an
op's output, and what it reads and writes. Figures are fractions, so that nothing is rounded before the docs say so.
"""

import pathlib
import sys
from fractions import Fraction
from math import ceil, prod

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "proofs"))
from second_network import BYTES  # noqa: E402
from second_reader import Yaml, load_profile, merged  # noqa: E402

SCALE = {"": 1, "k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12, "m": Fraction(1, 10**3), "u": Fraction(1, 10**6),
         "n": Fraction(1, 10**9), "p": Fraction(1, 10**12), "Ki": 1 << 10, "Mi": 1 << 20, "Gi": 1 << 30}


def number(text):
    return Fraction(str(text))


def measured(text, unit):
    """`12 GB/s` in B/s, `0.23 pJ` in J, `1 GHz` in Hz; a bare number as it is."""
    figure, _, rest = str(text).partition(" ")
    assert not rest or rest.endswith(unit), text
    return number(figure) * SCALE[rest[:-len(unit)] if rest else ""]


def both(value, reader):
    """A figure of its own for reading and writing, or one of both."""
    if isinstance(value, dict):
        return reader(value["read"]), reader(value["write"])
    return reader(value), reader(value)


class Memory:
    def __init__(self, name, value, clock):
        def bandwidth(text):
            return number(text.split()[0]) if text.endswith("B/cycle") else measured(text[:-2], "B") / clock

        self.name, self.offchip = name, value.get("offchip") == "true"
        self.writable = value.get("writable") != "false"
        self.shared = not isinstance(value.get("bandwidth"), dict)  # one figure, of both directions together
        self.bandwidth = both(value["bandwidth"], bandwidth) if "bandwidth" in value else None
        self.burst = int(measured(value.get("burst", "1"), "B"))
        self.latency = both(value.get("latency", "0"), int)
        energy = value.get("energy", "0 pJ/B")
        self.energy = both(energy, lambda text: measured(text.removesuffix("/B"), "J") * 10**12)
        self.name = name


class Machine:
    def __init__(self, profile, known=None):
        """profile: the maps of a file, with what it inherits in them."""
        base = profile.get("inherit")
        if base:
            profile = merged(load_profile(base), profile)
        self.clock = measured(profile["clock"], "Hz")
        self.static = measured(profile.get("static_power", "0 W"), "W") / self.clock * 10**12  # pJ per cycle
        self.memories = {name: Memory(name, value, self.clock) for name, value in profile["memories"].items()}
        self.offchip = [m for m in self.memories.values() if m.offchip]
        self.engines = {name: value for name, value in profile["engines"].items()}
        dma = profile.get("dma", {})
        self.channels, self.setup = int(dma.get("channels", 1)), int(dma.get("setup", 0))
        self.outstanding = both(dma["outstanding"], int) if dma.get("outstanding", "null") != "null" else None
        self.weight_slices = int(dma.get("weight_slices", 1))

    def rate(self, memory, way):
        """Bytes per cycle of a transfer that has the memory for itself."""
        rate = memory.bandwidth[way]
        if self.outstanding is not None and memory.latency[way] > 0:
            rate = min(rate, Fraction(self.outstanding[way] * memory.burst, memory.latency[way]))
        return rate


def names_of(op, box):
    """What maps may call this op, the most special name first."""
    if op.kind == "conv":
        if op.groups > 1 and op.inputs[0].shape[1] == op.groups:
            return ["depthwise", "grouped", "conv"]
        if op.groups > 1:
            return ["grouped", "conv"]
        if prod(op.output.shape[2:]) * op.output.shape[0] == 1:
            return ["fc", "conv"]
        return ["conv"]
    if op.kind == "matmul":
        return ["fc", "matmul"] if prod(op.output.shape[:-1]) == 1 else ["matmul"]
    return [op.kind]


def loops_of(op, box):
    """Extents of the loops of a part of the output: N, G, K, C, H, W, R and S."""
    size = [high - low for low, high in box]
    if op.kind == "matmul":
        return {"N": prod(size[:-2]), "G": 1, "K": size[-1], "C": op.inputs[0].shape[-1], "H": 1, "W": size[-2], "R": 1, "S": 1}
    if op.kind == "conv":
        groups = op.group_count(box)
        depth = op.inputs[0].shape[1] // op.groups
        return {"N": size[0], "G": groups, "K": -(-size[1] // groups), "C": depth, "H": size[2], "W": size[3],
                "R": op.kernel[0], "S": op.kernel[1]}
    window = op.kernel if op.kind == "pool" else tuple(op.inputs[0].shape[2:]) if op.kind == "reduce" else (1, 1)
    size = [1] * (4 - len(size)) + size
    return {"N": size[0], "G": 1, "K": size[1], "C": 1, "H": size[2], "W": size[3], "R": window[0], "S": window[1]}


def macs_of(op, box):
    size = prod(high - low for low, high in box)
    if op.kind == "matmul":
        return size * op.inputs[0].shape[-1]
    if op.kind == "conv":
        return size * (op.inputs[0].shape[1] // op.groups) * prod(op.kernel)
    return 0


def elements_of(op, box, granule):
    size = [high - low for low, high in box]
    if granule > 1:
        axis = 1 if len(size) == 4 else len(size) - 1
        size[axis] = -(-size[axis] // granule) * granule
    if op.kind == "pool":
        return prod(size) * prod(op.kernel)
    if op.kind == "reduce":
        return prod(size) * prod(op.inputs[0].shape[a] for a in op.axes)
    return prod(size)


def factor_of(engine, op):
    """How many times as long an op of its type takes as one of the engine's own."""
    mine, theirs = engine.get("dtype", "int8"), op.inputs[0].dtype
    stated = engine.get("dtype_factor", {})
    if theirs in stated:
        return number(stated[theirs])
    return max(1, Fraction(BYTES[theirs], BYTES[mine]))


def cycles_of(machine, op, box):
    """Cycles of an engine's work, and its energy in pJ."""
    names = names_of(op, box)
    loops = loops_of(op, box)
    for engine in machine.engines.values():
        if engine["kind"] != "mac_array":
            continue
        energy = macs_of(op, box) * measured(engine.get("energy", "0 pJ"), "J") * 10**12
        if "unroll" in engine and op.kind in ("conv", "matmul"):
            unroll = {axis: int(by) for axis, by in engine["unroll"].items()}
            if op.kind == "matmul" and "H" in unroll and "W" not in unroll:
                loops = {**loops, "H": loops["W"], "W": 1}
            cycles = prod(-(-extent // unroll.get(axis, 1)) for axis, extent in loops.items())
            return cycles * factor_of(engine, op) + int(engine.get("fill", 0)), energy
    engine = next(e for e in machine.engines.values() if e["kind"] == "vector")
    elements = elements_of(op, box, int(engine.get("channels", 1)))
    rates = engine.get("cycles_per_vector", {"default": "1"})
    rate = number(rates.get(op.function, rates.get("default", "1")))
    cycles = ceil(int(engine.get("startup", 0)) + -(-elements // int(engine["lanes"])) * rate * factor_of(engine, op))
    return cycles, elements * measured(engine.get("energy", "0 pJ"), "J") * 10**12
