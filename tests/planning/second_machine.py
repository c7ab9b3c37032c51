"""Machines for second_simulator.py, from docs/reference/profiles.md and docs/reference/problems.md alone: compute time, reads and
writes of an engine for a part of an op's output. Figures are fractions, so that rounding happens only
where the docs state it.
"""

import collections
import itertools
import pathlib
import sys
from fractions import Fraction
from math import ceil, prod

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "proofs"))
from second_network import BYTES  # noqa: E402
from second_reader import load_profile, merged  # noqa: E402

SCALE = {"": 1, "k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12, "m": Fraction(1, 10**3), "u": Fraction(1, 10**6),
         "n": Fraction(1, 10**9), "p": Fraction(1, 10**12), "Ki": 1 << 10, "Mi": 1 << 20, "Gi": 1 << 30}


def number(text):
    return Fraction(str(text))


def measured(text, unit):
    """`12 GB/s` in B/s, `0.23 pJ` in J, `1 GHz` in Hz; a plain number unchanged."""
    figure, _, rest = str(text).partition(" ")
    assert not rest or rest.endswith(unit), text
    return number(figure) * SCALE[rest[:-len(unit)] if rest else ""]


def both(value, reader):
    """Separate figures for reading and writing, or one for both."""
    if isinstance(value, dict):
        return reader(value["read"]), reader(value["write"])
    return reader(value), reader(value)


class Memory:
    def __init__(self, name, value, clock):
        def bandwidth(text):
            return number(text.split()[0]) if text.endswith("B/cycle") else measured(text[:-2], "B") / clock

        self.name, self.offchip = name, value.get("offchip") == "true"
        self.writable = value.get("writable") != "false"
        self.behind = value.get("behind")
        self.shared = not isinstance(value.get("bandwidth"), dict)  # one figure for both directions together
        self.bandwidth = both(value["bandwidth"], bandwidth) if "bandwidth" in value else None
        self.layout = value.get("layout", "NCHW")
        self.rates = {user: bandwidth(text) for user, text in value.get("rates", {}).items()}
        self.burst = int(measured(value.get("burst", "1"), "B"))
        self.direct_run = int(measured(value.get("direct_run", "0"), "B"))
        self.latency = both(value.get("latency", "0"), int)
        self.energy = both(value.get("energy", "0 pJ/B"), lambda text: measured(text.removesuffix("/B"), "J") * 10**12)

    def serving(self, read, written):
        """Cycles for transferring these bytes."""
        if self.bandwidth is None:
            return 0
        rate = self.bandwidth
        return (read + written) / rate[0] if self.shared else max(read / rate[0], written / rate[1])


    def limited(self, rate, user):
        """A rate, at most that of this user of the memory."""
        return min(rate, self.rates.get(user, rate))

    def serving_ops(self, read, weights, written):
        """Cycles for these bytes of ops: activations and weights read, results written."""
        users = zip(("input", "weights", "output"), (read, weights, written))
        alone = [moved / self.rates[user] for user, moved in users if user in self.rates]
        return max([self.serving(read + weights, written), *alone])


class Machine:
    def __init__(self, profile):
        """profile: the maps of a file, including inherited ones."""
        base = profile.get("inherit")
        if base:
            profile = merged(load_profile(base), profile)
        self.clock = measured(profile["clock"], "Hz")
        self.static = measured(profile.get("static_power", "0 W"), "W") / self.clock * 10**12  # pJ per cycle
        self.memories = {name: Memory(name, value, self.clock) for name, value in profile["memories"].items()}
        self.offchip = [m for m in self.memories.values() if m.offchip and not m.behind]
        self.behind = next((m for m in self.memories.values() if m.behind), None)
        self.engines = profile["engines"]
        dma = profile.get("dma", {})
        self.channels, self.setup = int(dma.get("channels", 1)), int(dma.get("setup", 0))
        self.outstanding = both(dma.get("outstanding", "1"), int)
        self.weight_slices = int(dma.get("weight_slices", 1))
        self.convert = dma.get("convert")
        if self.convert is not None:
            self.convert = (number(self.convert.split()[0]) if self.convert.endswith("B/cycle")
                            else measured(self.convert[:-2], "B") / self.clock)
        self.halos_are_copied = profile.get("tiling", {}).get("kept_halos") == "copied"
        self.coding = profile.get("weight_coding")
        switch = profile.get("mode_switch", {})
        self.switch_cycles = int(switch.get("cycles", 0))
        self.switch_energy = measured(switch.get("energy", "0 pJ"), "J") * 10**12

    def stored(self, op, at):
        """Stored bytes of an op's weights (operand `at`) if they are encoded; otherwise None."""
        weight = op.weights[at]
        if self.coding is None or at > 0 or op.kind not in ("conv", "matmul"):
            return None
        if weight.encoded is not None:
            return weight.encoded
        channels = op.output.shape[-1] if op.kind == "matmul" else op.output.shape[1]
        figure = {key: measured(self.coding.get(key, 0), "B") for key in ("per_channel", "granule")}
        granule = int(figure["granule"]) or 1
        bytes_of_all = weight.bytes * float(self.coding.get("ratio", 1)) + channels * float(figure["per_channel"])
        return -(-max(1, ceil(bytes_of_all)) // granule) * granule

    def writable(self):
        return any(memory.writable for memory in self.offchip)

    def rate(self, memory, way):
        """Bytes per cycle of a transfer without contention."""
        rate = memory.bandwidth[way]
        if memory.latency[way] > 0:
            rate = min(rate, Fraction(self.outstanding[way] * memory.burst, memory.latency[way]))
        return rate


def names_of(op):
    """Names of the op for maps, the most specific one first."""
    one_pixel = prod(op.output.shape) == op.output.shape[1 if op.kind != "matmul" else -1]
    if op.kind == "conv":
        if op.groups > 1:
            return ["depthwise", "conv"] if op.inputs[0].shape[1] == op.groups else ["grouped", "conv"]
        return ["fc", "matmul", "conv"] if one_pixel and prod(op.kernel) == 1 else ["conv"]
    if op.kind == "matmul":
        return (["fc"] if one_pixel else []) + ["matmul", "conv"]
    if op.kind == "pool":
        return [op.function, "pool"]
    return ["average_pool", "pool", "reduce"] if is_mean(op) else [op.kind]


def loops_of(op, box):
    """Extents of the loops of a part of the output: N, G, K, C, H, W, R and S."""
    size = [high - low for low, high in box]
    if op.kind == "matmul":
        return {"N": prod(size[:-2]), "G": 1, "K": size[-1], "C": op.inputs[0].shape[-1], "H": 1, "W": size[-2], "R": 1, "S": 1}
    if op.kind == "conv":
        per_group = op.output.shape[1] // op.groups
        groups = -(-size[1] // per_group)
        depth = op.inputs[0].shape[1] // op.groups
        return {"N": size[0], "G": groups, "K": min(size[1], per_group), "C": depth, "H": size[2], "W": size[3],
                "R": op.kernel[0], "S": op.kernel[1]}
    window = op.kernel if op.kind == "pool" else tuple(op.inputs[0].shape[2:]) if is_mean(op) else (1, 1)
    if op.kind == "reduce" and not is_mean(op):
        window = 1, prod(op.inputs[0].shape[a] for a in op.axes)
    if len(size) < 4:
        size = size[:2] + [1] * (4 - len(size)) + size[2:]  # a batch and channels, the last axis is W
    return {"N": size[0], "G": 1, "K": size[1], "C": 1, "H": size[2], "W": size[3], "R": window[0], "S": window[1]}


def macs_of(op, box):
    """Groups that a part cuts count as whole groups."""
    return prod(loops_of(op, box).values()) if op.kind in ("conv", "matmul") else 0


def elements_of(op, box, granule):
    size = [high - low for low, high in box]
    if granule > 1:
        size[1] = -(-size[1] // granule) * granule
    if op.kind == "pool":
        return prod(size) * prod(op.kernel)
    if op.kind == "reduce":
        return prod(size) * prod(op.inputs[0].shape[a] for a in op.axes)
    return prod(size)


def factor_of(engine, op):
    """Slow-down of an op's data type relative to the engine's own."""
    mine, theirs = engine.get("dtype", "int8"), op.inputs[0].dtype
    stated = engine.get("dtype_factor", {})
    if theirs in stated:
        return number(stated[theirs])
    return max(1, Fraction(BYTES[theirs], BYTES[mine]))


class Array:
    """An op on an array by one map: `cycles` without pipeline fill and type factor; `input` and `weights`,
    bytes read, including repeated reads by blocks or steps; `slices`, the number of weight slices, and
    `known`, the share of the work that remains after every weight was used once."""

    def __init__(self, machine, engine, map, op, box, folded=False, off_chip=(False, False)):
        self.op, self.blocks, self.folded, self.off_chip = op, engine.get("blocks"), folded, off_chip
        loops = loops_of(op, box)
        if folded:
            loops.update(C=loops["C"] * op.stride[1], S=-(-(-op.pad[1] % op.stride[1] + loops["S"]) // op.stride[1]))
        if "depthwise" in map.get("ops", ()) and names_of(op)[0] == "depthwise":
            loops.update(K=loops["G"] * loops["K"], G=1)
        unroll = {axis: int(map["unroll"].get(axis, 1)) for axis in "NGKCHWRST"}
        if op.kind == "matmul" and unroll["H"] > 1 and unroll["W"] == 1:
            loops.update(H=loops["W"], W=loops["H"])
        least = {axis: int(map.get("at_least", {}).get(axis, 1)) for axis in "CRST"}
        self.loops, self.unroll = loops, unroll
        rule = self.blocks or {}
        self.most = {axis: int(rule.get("most", {}).get(axis, 0)) for axis in "KHWRS"}
        self.whole = rule.get("partial") == "whole"
        self.shares = rule.get("partial") == "share"
        self.stationary = map.get("stationary", "weights")
        self.depth = int(map.get("input_depth", 0))
        self.overlapped = rule.get("transfers") == "overlapped"
        self.channels = int(rule.get("channels", 1))
        self.per_channel = op.kind not in ("conv", "matmul") or names_of(op)[0] == "depthwise"
        self.product = op.kind in ("conv", "matmul")
        deep = max(loops["C"], least["C"])
        if self.depth and deep > self.depth:
            deep = -(-deep // self.depth) * self.depth
        self.part = {axis: min(loops[axis], self.most[axis]) if self.most[axis] else loops[axis] for axis in "RS"}
        self.together = unroll["T"] > 1 or least["T"] > 1
        taps = 0
        for r in self.parts("R"):
            for s in self.parts("S"):
                if self.together:
                    taps += -(-max(r * s, least["T"]) // unroll["T"])
                else:
                    taps += -(-max(r, least["R"]) // unroll["R"]) * -(-max(s, least["S"]) // unroll["S"])
        self.reduced = taps * -(-deep // unroll["C"])
        depth = int(map.get("pass_depth", 0))  # input channels of a pass
        self.passes = taps * -(-deep // depth) if depth else self.reduced
        self.steps_of_place = -(-min(deep, depth) // unroll["C"]) if depth else 1
        input_blocks = -(-deep // self.depth) if self.depth else 1
        pieces = len(self.parts("R")) * len(self.parts("S"))
        self.waits = int(map.get("wait", 0)) * (self.passes - min(self.passes, pieces * input_blocks))
        self.pass_least, self.pass_start = int(map.get("least", 0)), int(map.get("start", 0))
        self.step = number(map.get("cycles", 1))
        h, w, k = loops["H"], loops["W"], loops["K"]
        if self.blocks:
            h, w, k = self.choose(rule)
        self.cost(machine, engine, rule, h, w, k)

    def plane(self):
        rows, columns = input_plane(self.op, self.loops)
        return rows, columns // (self.op.stride[1] if self.folded else 1)

    def parts(self, axis):
        whole, most = self.loops[axis], self.part[axis]
        return [min(most, whole - begin) for begin in range(0, whole, most)]

    def extents(self, axis, by):
        """Sizes of a loop's parts; the last one is smaller unless the machine has only full blocks."""
        whole = self.loops[axis]
        return [by if (self.whole or self.shares) and self.blocks else min(by, whole - begin) for begin in range(0, whole, by)]

    def read(self, axis, made):
        """Input rows or columns for this many of output, rounded up to the unrolled extent."""
        extent = self.met(axis, made, self.part["RS"["HW".index(axis)]])
        return -(-extent // self.unroll[axis]) * self.unroll[axis]

    def met(self, axis, made, taps):
        """Input rows or columns from the first to the last one that this many outputs with this many taps
        use."""
        a = "HW".index(axis)
        op, windows = self.op, self.op.kind in ("conv", "pool")
        stride, dilation = (op.stride[a], op.dilation[a]) if windows else (1, 1)
        if self.folded and axis == "W":
            stride = 1
        return (made - 1) * stride + (taps - 1) * dilation + 1

    def held_depth(self, k):
        """Input channels of a block."""
        if self.per_channel:
            return k
        whole = -(-self.loops["C"] // self.channels) * self.channels
        return min(whole, self.depth) if self.depth else whole

    def fits(self, rule, h, w, k):
        def pair(bytes_of_one, granule):
            line = min(granule, 1024)
            return -(-2 * -(-bytes_of_one // line) * line // granule) * granule

        depth = -(-self.held_depth(k) // self.channels) * self.channels
        inputs = self.read("H", h) * self.read("W", w) * depth * self.op.inputs[0].item
        sums = h * w * -(-k // self.unroll["K"]) * self.unroll["K"] * int(rule.get("sum_bytes", 4))
        inputs = pair(inputs, int(measured(rule.get("input_granule", "1"), "B")))
        sums = pair(sums, int(measured(rule.get("sum_granule", "1"), "B")))
        if "sum_buffer" in rule:
            return inputs <= int(measured(rule["buffer"], "B")) and sums <= int(measured(rule["sum_buffer"], "B"))
        return inputs + sums <= int(measured(rule["buffer"], "B"))

    def input_channels(self):
        return self.loops["K"] if self.per_channel else self.loops["C"]

    def planes(self, h, w):
        return -(-self.loops["H"] // h) * -(-self.loops["W"] // w)

    def fetched(self, h, w, k):
        rows, columns = self.read("H", h), self.read("W", w)
        pieces = len(self.parts("R")) * len(self.parts("S"))
        inputs = Fraction(rows * columns * self.input_channels() * self.loops["H"] * self.loops["W"] * pieces, h * w)
        if not self.per_channel:
            inputs *= -(-self.loops["K"] // k)
        weights = prod(self.loops[axis] for axis in "RSCK") * self.planes(h, w) if self.product else 0
        whole = prod(self.plane()) * self.input_channels()
        stays = whole < 2 * rows * columns * self.held_depth(k)
        return (inputs + weights) * (Fraction(1, 2) if stays else 1)

    def choose(self, rule):
        most = {}
        for axis in "KHW":
            by = self.unroll[axis]
            most[axis] = -(-self.loops[axis] // by) * by
            if self.most[axis]:
                most[axis] = min(most[axis], max(by, self.most[axis] // by * by))
        by = max(int(rule.get("depth_step", 1)), self.unroll["K"])
        depths = list(range(by, most["K"], by)) + [most["K"]]
        first, small, covered = rule.get("equal") == "first", int(rule.get("small", 0)), None
        best = None
        for k in depths:
            for h in range(self.unroll["H"], most["H"] + 1, self.unroll["H"]):
                for w in range(self.unroll["W"], most["W"] + 1, self.unroll["W"]):
                    if not self.fits(rule, h, w, k):
                        break
                    takes = sum(number * self.working(*block) for block, number in self.each_block(h, w, k))
                    key = (self.fetched(h, w, k),) if first else (self.fetched(h, w, k), takes, -k * h * w)
                    if best is None or key < best[0]:
                        best = key, (h, w, k)
                    elif first and key == best[0] and max(h, w) <= small:
                        held = prod(min(a, b) for a, b in zip(self.plane(), (self.read("H", h), self.read("W", w))))
                        if covered is None or held >= covered:
                            best, covered = (key, (h, w, k)), held
        return best[1] if best else tuple(min(most[axis], self.unroll[axis]) for axis in "HWK")

    def each_block(self, h, w, k):
        """Blocks of each size with their count, the last one last."""
        beside = -(-self.loops["N"] // self.unroll["N"]) * -(-self.loops["G"] // self.unroll["G"])
        if self.blocks and self.shares:
            def steps(block):
                return prod(-(-extent // self.unroll[axis]) for axis, extent in zip("HWK", block))

            whole = tuple(self.loops[axis] for axis in "HWK")
            one = tuple(map(min, (h, w, k), whole))
            return [(one, beside * Fraction(steps(whole), steps(one)))]
        counts = [collections.Counter(self.extents(axis, by)) for axis, by in (("H", h), ("W", w), ("K", k))]
        return [(tuple(extent for extent, _ in block), beside * prod(number for _, number in block))
                for block in itertools.product(*(one.items() for one in counts))]

    def working(self, h, w, k):
        """Cycles of a block on one array: its passes; in each, one operand is stationary."""
        places = -(-h // self.unroll["H"]) * -(-w // self.unroll["W"])
        channels = -(-k // self.unroll["K"])
        if self.stationary == "weights":
            passes, steps = channels * self.passes, places * self.steps_of_place
        else:
            steps = {"inputs": channels, "outputs": self.reduced}[self.stationary]
            passes = places * channels * self.reduced // steps
        waiting = self.waits * channels if places == 1 else 0
        return passes * (max(self.pass_least, self.step * steps) + self.pass_start) + waiting

    def cost(self, machine, engine, rule, h, w, k):
        loops, unroll, times = self.loops, self.unroll, []
        beside = min(loops["G"], unroll["G"])  # groups that are computed in parallel
        together = beside * min(loops["N"], unroll["N"])
        blocks = self.each_block(h, w, k)
        one = sum(number for _, number in blocks) <= 1
        ends = 0
        for (rows, columns, deep), number in blocks:
            compute = self.working(rows, columns, deep) / Fraction(engine.get("cores", 1))
            made = min(rows, loops["H"]) * min(columns, loops["W"]) * min(deep, loops["K"]) * together
            rate = output_rate(engine.get("output"), self.op)
            if not self.op.adds:
                rate = max(rate, Fraction(engine.get("unfused", 0)))
            leaving = made * rate
            if self.product:
                leaving = max(leaving, min(deep, loops["K"]) * beside * channel_rate(engine.get("channel_cycles"), self.op))
            moving = self.moving(machine, rule, rows, columns, deep, together, made)
            if moving:
                if not times and self.overlapped:
                    ends = sum(moving)
                moving = (0 if one else abs(moving[0] - moving[1])) if self.overlapped else sum(moving)
                least = (moving + compute + leaving) / int(rule["stages"])
                compute, leaving = max(compute, least), max(leaving, least)
            times.append((compute, leaving, number))
        self.cycles = sum(max(compute, leaving) * number for compute, leaving, number in times)
        if self.blocks:
            self.cycles += min(times[-1][:2]) + ends
        self.read_and_used(h, w, k)
        groups = -(-loops["G"] // unroll["G"])
        self.slices, self.known = groups * -(-loops["K"] // unroll["K"]), Fraction(0)
        if self.blocks and self.planes(h, w) > 1 and groups * -(-loops["K"] // k) > 1:
            self.slices = groups * -(-loops["K"] // k)
        elif self.blocks:
            self.known = 1 - Fraction(1, self.planes(h, w))

    def inputs_of(self, h, w):
        """Rows and columns that a block reads, clipped to the input."""
        return min(self.read("H", h), max(1, self.plane()[0])), min(self.read("W", w), max(1, self.plane()[1]))

    def moving(self, machine, rule, h, w, k, together, made):
        """Cycles of reading and of writing a block, if they are part of its time."""
        near = [m for m in machine.memories.values() if not m.offchip and m.bandwidth]
        if not self.blocks or not int(rule.get("stages", 0)) or not near:
            return ()
        rows, columns = self.inputs_of(h, w)
        reads, writes = (max(m.bandwidth[way] for m in near) for way in (0, 1))
        waits = [min(m.latency[way] for m in near) for way in (0, 1)]
        if any(self.off_chip):
            home = next(m for m in machine.offchip if m.writable)
            reads, writes = (machine.rate(home, way) / self.off_chip[way] if self.off_chip[way] else rate
                             for way, rate in enumerate((reads, writes)))
            waits = [home.latency[way] if self.off_chip[way] else wait for way, wait in enumerate(waits)]
        return (waits[0] + together * rows * columns * min(self.held_depth(k), self.input_channels()) *
                self.op.inputs[0].item / reads, waits[1] + made * self.op.output.item / writes)

    def read_and_used(self, h, w, k):
        """Bytes read from memories for the first operand and for the weights."""
        loops, unroll = self.loops, self.unroll
        if self.blocks:
            plane = sum(prod(self.inputs_of(rows, columns)) for rows in self.extents("H", h) for columns in self.extents("W", w))
            plane, channels = plane * len(self.parts("R")) * len(self.parts("S")), k
        else:
            plane, channels = self.steps_read(), loops["K"] if self.stationary == "inputs" else unroll["K"]
        self.input = loops["N"] * loops["G"] * plane * self.input_channels() * self.op.inputs[0].item
        if not self.per_channel:
            self.input *= -(-loops["K"] // channels)
        self.weights = 0
        if self.product:
            again = sum(1 if self.stationary == "weights" else -(-rows // unroll["H"]) * -(-columns // unroll["W"])
                        for rows in self.extents("H", h) for columns in self.extents("W", w))
            self.weights = (-(-loops["N"] // unroll["N"]) * prod(loops[axis] for axis in "GRSCK") * again *
                            self.op.weights[0].item)

    def steps_read(self):
        """Elements of one input channel that all steps read, each once per step."""
        loops, unroll = self.loops, self.unroll
        cut = {axis: self.extents(axis, unroll[axis]) for axis in "HWRS"}
        if self.together:
            taps = loops["R"] * loops["S"]
            return sum(min(h * w * min(unroll["T"], taps - t), self.met("H", h, loops["R"]) * self.met("W", w, loops["S"]))
                       for h in cut["H"] for w in cut["W"] for t in range(0, taps, unroll["T"]))
        return (sum(min(h * r, self.met("H", h, r)) for h in cut["H"] for r in cut["R"]) *
                sum(min(w * s, self.met("W", w, s)) for w in cut["W"] for s in cut["S"]))


def may_fold(op):
    """True if columns of a network input are folded into channels, for a convolution with a stride."""
    return (names_of(op)[0] == "conv" and op.kind == "conv" and op.stride[1] > 1 and op.dilation[1] == 1 and op.inputs[0].input and
            op.inputs[0].shape[3] % op.stride[1] == 0)


def input_plane(op, loops):
    """Rows and columns of the whole input."""
    if op.kind in ("conv", "pool"):
        return op.inputs[0].shape[2:]
    if op.kind == "matmul":
        return 1, max(loops["H"], loops["W"])
    if is_mean(op):
        return op.inputs[0].shape[2:]
    return (1, loops["S"]) if op.kind == "reduce" else (loops["H"], loops["W"])


def is_mean(op):
    return op.kind == "reduce" and op.function == "mean"


def output_rate(rates, op):
    """One figure for all ops, or by the function or the type of the op."""
    if not isinstance(rates, dict):
        return number(rates or 0)
    return number(rates.get(op.function, rates.get(op.kind, rates.get("default", 0))))


def channel_rate(rates, op):
    """One figure for all ops, or by the most specific name of the op."""
    if not isinstance(rates, dict):
        return number(rates or 0)
    return number(rates.get(names_of(op)[0], rates.get("default", 0)))


def size(box):
    return prod(high - low for low, high in box)


def maps_for(engine, op):
    """The maps with the most specific name of the op."""
    if "unroll" in engine:
        return [{"unroll": engine["unroll"]}] if op.kind in ("conv", "matmul") else []
    for name in names_of(op):
        maps = [map for map in engine.get("maps", {}).values() if name in map["ops"]]
        if maps:
            return maps
    return []


def engine_of(machine, op):
    for engine in machine.engines.values():
        if engine["kind"] == "mac_array" and maps_for(engine, op):
            return engine
    return next(engine for engine in machine.engines.values() if engine["kind"] == "vector")


class Work:
    """The work of an engine for a part of an op's output: `cycles`, or `arrays`, one for each map that
    computes it; energy in pJ."""

    def __init__(self, machine, op, box, off_chip=(False, False)):
        """`off_chip`: burst bytes per byte of its first operand and of its output, if the engine accesses
        them directly."""
        engine = engine_of(machine, op)
        energy = measured(engine.get("energy", "0 pJ"), "J") * 10**12
        self.arrays = []
        if engine["kind"] == "mac_array":
            self.arrays = [Array(machine, engine, map, op, box, folded, off_chip) for map in maps_for(engine, op)
                           for folded in ((False, True) if map.get("folds_columns") and may_fold(op) else (False,))]
            for array in self.arrays:
                array.busy = ceil(array.cycles * factor_of(engine, op)) + int(engine.get("fill", 0))
            self.energy = (macs_of(op, box) or elements_of(op, box, 1)) * energy
        else:
            elements = elements_of(op, box, int(engine.get("channels", 1)))
            rate = output_rate(engine.get("cycles_per_vector", "1"), op)
            rate = (rate if op.adds else max(rate, Fraction(engine.get("unfused", 0)))) * factor_of(engine, op)
            self.cycles = ceil(int(engine.get("startup", 0)) + -(-elements // int(engine["lanes"])) * rate)
            self.energy = elements_of(op, box, 1) * energy
