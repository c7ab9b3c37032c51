"""Small random networks and machines for simulator_test.py, as the text of their files."""

import random


def flow(value):
    """A map or list in the flow style of YAML."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {flow(one)}" for key, one in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(flow(one) for one in value) + "]"
    return str(value).lower() if isinstance(value, bool) else str(value)


def file(value):
    return "\n".join(f"{key}: {flow(one)}" for key, one in value.items()) + "\n"


class RandomNetwork:
    """A chain with branches: each op reads the newest tensor, or an older one of the same extents."""

    def __init__(self, draw, ops, heavy=False, dense=False, unrolled=False):
        self.draw, self.ops, self.shapes, self.read = draw, [], {}, set()
        self.dtype = draw.choice(["int8", "int8", "int8", "int16"])
        # a generator of its own, so that the rest of the network does not depend on it
        self.types = random.Random()
        self.types.setstate(draw.getstate())
        self.kinds = set()
        self.given = {}  # weights that several ops read
        if unrolled:
            self.unrolled(ops)
        elif heavy:
            self.heavy(ops)
        elif dense:
            self.joins(ops)
        elif draw.random() < 0.12:
            self.products(ops)
        else:
            self.images(ops)
        outputs = [op["output"] for op in self.ops if op["output"] not in self.read]
        self.text = file({"tessera": "network/1", "name": "random",
                          "tensors": {"x": {"shape": self.shapes["x"], "dtype": self.dtype}, **self.given}, "inputs": ["x"]})
        self.text += "ops:\n" + "".join(f"  - {flow(op)}\n" for op in self.ops) + f"outputs: {flow(outputs)}\n"

    def add(self, kind, inputs, shape, **keys):
        number = len(self.ops)
        name = f"t{number}"
        self.ops.append({"name": f"op{number}", "type": kind, "inputs": inputs, "output": name, **keys})
        self.read.update(inputs)
        self.shapes[name] = shape
        self.kinds.add(kind)
        return name

    def factors(self):
        """The type of a product's weights."""
        return "int4" if self.types.random() < 0.25 else self.dtype

    def weights(self, *shapes):
        made = [{"shape": list(shape), "dtype": self.factors() if at == 0 else "int32"} for at, shape in enumerate(shapes)]
        if self.types.random() < 0.5:
            for bias in made[1:]:
                del bias["dtype"]
        if self.draw.random() < 0.2:
            made[0]["encoded"] = self.draw.randint(1, 700)
        return {"weights": made}

    def heavy(self, ops):
        """Many channels of few pixels: mostly weights, some of them read twice."""
        draw, wide = self.draw, [24, 33, 64, 100]
        self.shapes["x"] = [1, draw.choice(wide), draw.choice([1, 2]), draw.choice([1, 3])]
        last = "x"
        for _ in range(ops):
            shape, channels = self.shapes[last], draw.choice(wide)
            kernel = [1, 1] if draw.random() < 0.7 else shape[2:]
            out = [extent - k + 1 for extent, k in zip(shape[2:], kernel)]
            weights = [(channels, shape[1], *kernel)] + ([(channels,)] if draw.random() < 0.5 else [])
            last = self.add("conv", [last], [1, channels, *out], pad=[0, 0, 0, 0], **self.weights(*weights))
            if draw.random() < 0.3:
                last = self.add("relu", [last], self.shapes[last])

    def unrolled(self, ops):
        """A few weights, used repeatedly."""
        draw, wide = self.draw, self.draw.choice([8, 24, 33])
        self.shapes["x"] = [1, wide, draw.choice([2, 5]), draw.choice([3, 4])]
        last = "x"
        for number in range(ops):
            if not self.given or draw.random() < 0.3:
                kernel = draw.choice([1, 1, 3])
                self.given[f"w{number}"] = {"shape": [wide, wide, kernel, kernel], "dtype": self.factors(), "kind": "weight"}
                if draw.random() < 0.2:
                    self.given[f"w{number}"]["encoded"] = draw.randint(1, 700)
            weight = draw.choice(list(self.given))
            last = self.add("conv", [last, weight], self.shapes["x"], pad=[self.given[weight]["shape"][2] // 2] * 4)

    def joins(self, ops):
        """Convolutions, and concatenations of earlier tensors: in their order, as in dense networks, or in
        another."""
        draw = self.draw
        self.shapes["x"] = [1, draw.choice([3, 8]), draw.randint(6, 20), draw.randint(6, 20)]
        for number in range(ops):
            made = [name for name in self.shapes if name != "x" or draw.random() < 0.1]
            last = list(self.shapes)[-1]
            shape = self.shapes[last]
            some = [name for name in made if self.shapes[name][2:] == shape[2:] and (name == last or draw.random() < 0.6)]
            if len(some) > 1 and draw.random() < 0.6 and number + 1 < ops:
                if draw.random() < 0.2:
                    draw.shuffle(some)
                self.add("concat", some, [1, sum(self.shapes[name][1] for name in some), *shape[2:]], axes=[1])
                continue
            kernel, channels = draw.choice([1, 3]), draw.choice([4, 8, 16, 20])
            self.add("conv", [last], [1, channels, *shape[2:]], pad=[kernel // 2] * 4,
                     **self.weights((channels, shape[1], kernel, kernel)))

    def products(self, ops):
        draw = self.draw
        self.shapes["x"] = [1, draw.choice([1, 1, 7, 12]), draw.choice([8, 24, 33])]
        last = "x"
        for _ in range(ops):
            shape = self.shapes[last]
            kind = draw.choice(["matmul", "matmul", "softmax", "relu"])
            if kind == "matmul":
                wide = draw.choice([5, 16, 40])
                weights = [(shape[-1], wide)] + ([(wide,)] if draw.random() < 0.5 else [])
                last = self.add("matmul", [last], shape[:-1] + [wide], **self.weights(*weights))
            else:
                last = self.add(kind, [last], shape)

    def images(self, ops):
        draw = self.draw
        self.shapes["x"] = [1, draw.choice([3, 4, 8, 12]), draw.randint(6, 20), draw.randint(6, 20)]
        last = "x"
        for _ in range(ops):
            last = self.one(last)

    def one(self, last):
        draw = self.draw
        shape = self.shapes[last]
        channels, height, width = shape[1:]
        alike = [name for name, other in self.shapes.items() if other == shape and name != last]
        near = [name for name, other in self.shapes.items() if other[2:] == shape[2:]]
        kind = draw.choice(["conv", "conv", "conv", "depthwise", "grouped", "pool", "elementwise", "elementwise", "concat",
                            "reduce", "branch", "branch", "branch"])
        if kind == "branch":
            older = [name for name, other in self.shapes.items() if min(other[2:]) > 2]
            if not older:
                return last
            last = draw.choice(older)
            shape = self.shapes[last]
            channels, height, width = shape[1:]
            kind = "conv"
        if kind == "elementwise":
            if alike:
                return self.add(draw.choice(["add", "mul"]), [last, draw.choice(alike)], shape)
            return self.add(draw.choice(["relu", "sigmoid"]), [last], shape)
        if kind == "concat":
            others = [draw.choice(near) for _ in range(draw.randint(1, 2))]
            others = [name for name in dict.fromkeys(others) if name != last]
            if others:
                together = [1, sum(self.shapes[name][1] for name in [last] + others), height, width]
                return self.add("concat", [last] + others, together, axes=[1])
        if kind == "reduce" and draw.random() < 0.4 and height * width > 1:
            return self.add("global_average_pool", [last], [1, channels, 1, 1])
        return self.window(kind, last)

    def window(self, kind, last):
        draw = self.draw
        _, channels, height, width = self.shapes[last]
        kernel = [draw.choice([k for k in (1, 2, 3, 5) if k <= extent + 1]) for extent in (height, width)]
        if draw.random() < 0.6:
            kernel = [min(kernel)] * 2
        stride = [draw.choice([1, 1, 1, 2, 3])] * 2
        pad = [draw.randint(0, k // 2) for k in kernel] + [draw.randint(0, k // 2) for k in kernel]
        dilation = [draw.choice([1, 1, 1, 2])] * 2 if kind in ("conv", "depthwise") else [1, 1]
        extents = [(e + pad[a] + pad[2 + a] - dilation[a] * (kernel[a] - 1) - 1) // stride[a] + 1
                   for a, e in enumerate((height, width))]
        if min(extents) < 1 or (kind == "pool" and max(kernel) == 1):
            kernel, stride, pad, dilation, extents = [1, 1], [1, 1], [0] * 4, [1, 1], [height, width]
            kind = "conv" if kind == "pool" else kind
        keys = {"stride": stride, "pad": pad}
        if kind == "pool":
            return self.add(draw.choice(["max_pool", "average_pool"]), [last], [1, channels] + extents, kernel=kernel, **keys)
        groups = 1
        out = draw.choice([4, 6, 8, 16, 24])
        if kind == "depthwise":
            groups, out = channels, channels * draw.choice([1, 1, 1, 2])
        elif kind == "grouped" and channels % 2 == 0:
            groups = 2
        weights = [(out, channels // groups, *kernel)] + ([(out,)] if draw.random() < 0.4 else [])
        if groups > 1:
            keys["groups"] = groups
        return self.add("conv", [last], [1, out] + extents, dilation=dilation, **keys, **self.weights(*weights))


def some(draw, values):
    chosen = [value for value in values if draw.random() < 0.5]
    return chosen or [draw.choice(values)]


class RandomMachine:
    def __init__(self, draw, capacity):
        self.draw, self.mode_switch = draw, None
        mac = {"kind": "mac_array", "fill": draw.choice([0, 7, 20]), "energy": draw.choice(["0.23 pJ", "1 pJ"]), "dtype": "int8"}
        mac["dtype_factor"] = {"int16": draw.choice([2, 4])}
        if draw.random() < 0.3:
            axes = draw.sample(["C", "K", "H", "W", "G", "R"], draw.randint(1, 3))
            mac["unroll"] = {axis: draw.choice([2, 4, 8]) for axis in axes}
        else:
            self.maps(mac)
        vec = {"kind": "vector", "lanes": draw.choice([4, 16]), "startup": draw.choice([0, 32]),
               "cycles_per_vector": {"default": draw.choice([1, 0.75]), "softmax": 4}, "energy": "0.1 pJ"}
        if draw.random() < 0.2:
            vec["channels"] = 4
        sram = {"capacity": capacity, "alignment": draw.choice([1, 8, 64]), "energy": {"read": "1.2 pJ/B", "write": "1.4 pJ/B"}}
        if draw.random() < 0.5:
            width = draw.choice(["2 B/cycle", "8 B/cycle", "3.5 B/cycle"])
            sram["bandwidth"] = width if draw.random() < 0.5 else {"read": width, "write": "4 B/cycle"}
        elif "blocks" in mac:
            mac["blocks"].pop("stages", None)
        self.offchip = draw.choice(["one", "one", "one", "two", "flash"])
        dram = {"offchip": True, "bandwidth": draw.choice(["1 B/cycle", "3.75 B/cycle", "8 B/cycle", "0.3 GB/s"]),
                "burst": f"{draw.choice([1, 16, 64])} B", "latency": draw.choice([0, 30, 100]), "energy": "64 pJ/B"}
        if draw.random() < 0.3:
            dram["bandwidth"] = {"read": dram["bandwidth"], "write": draw.choice(["0.5 B/cycle", "5 B/cycle"])}
        if draw.random() < 0.3:
            dram["latency"] = {"read": draw.choice([10, 77]), "write": draw.choice([5, 120])}
        if draw.random() < 0.3:
            dram["energy"] = {"read": "64 pJ/B", "write": "80.5 pJ/B"}
        outstanding = draw.choice([1, 2, 8, 2 if self.offchip == "flash" else {"read": 2, "write": 3}])
        dma = {"channels": draw.choice([1, 1, 2, 3]), "outstanding": outstanding, "setup": draw.choice([0, 40])}
        tiling = {"double_buffer": some(draw, [False, True]), "weights": some(draw, ["resident", "refetch"]),
                  "halo": some(draw, ["recompute", "keep_columns", "keep"]),
                  "stationary": some(draw, ["none", "weights", "inputs"]),
                  "one_copy": some(draw, ["none", "inputs", "outputs", "inputs+outputs", "weights", "inputs+weights",
                                          "outputs+weights"]),
                  "kept_halos": draw.choice(["in_place", "copied"])}
        # From a generator of its own, so that the rest of the machine does not depend on it.
        tiling["reduction"] = some(random.Random(draw.getstate()[1][0]), [1, 2, 3, 4])
        if random.Random(draw.getstate()[1][3]).random() < 0.4:
            tiling["kept_halos"] = "copied"
        if "refetch" in tiling["weights"] and draw.random() < 0.5:
            dma["weight_slices"] = draw.choice([2, 5, 64])
        chip = {"sram": sram}
        if draw.random() < 0.2:
            chip = self.two_on_chip(mac, vec, sram)
        elif draw.random() < 0.2:
            self.modes(sram)
        self.value = {"tessera": "hardware/1", "name": "random", "clock": draw.choice(["1 GHz", "350 MHz"]),
                      "static_power": draw.choice(["0 mW", "7 mW"]), "engines": {"mac": mac, "vec": vec},
                      "memories": {**chip, **self.off_chip(dram)}, "dma": dma, "tiling": tiling,
                      "objective": {"latency": 0.4, "energy": 0.3, "dram_bytes": 0.2, "peak_memory": 0.1}}
        self.stored()
        if self.mode_switch:
            self.value["mode_switch"] = self.mode_switch
        self.reads(mac, random.Random(draw.getstate()[1][5]))
        self.reach_off_chip(random.Random(draw.getstate()[1][1]))
        self.rates(random.Random(draw.getstate()[1][6]))
        if "resident" in tiling["weights"] and random.Random(draw.getstate()[1][2]).random() < 0.5:
            tiling["early"] = "weights"
        goes = True in tiling["double_buffer"] and "recompute" in tiling["halo"]
        if goes and random.Random(draw.getstate()[1][4]).random() < 0.5:
            tiling["engines"] = "side_by_side"
            self.value["objective"] = {"latency": 1}  # the objective for which it matters most

    def work_side_by_side(self, draw):
        """Engines that may work in parallel, and the memory they then have to share. Returns whether the
        machine is valid."""
        if "dram" not in self.value["memories"]:
            return False
        self.value["tiling"].update({"double_buffer": [True], "halo": ["recompute"], "engines": "side_by_side"})
        self.value["objective"] = {"latency": 1}
        mac, vec = self.value["engines"].values()
        chip = [memory for memory in self.value["memories"].values() if not memory.get("offchip")]
        if draw.random() < 0.5 and all("modes" not in memory for memory in chip):
            chip[0]["bandwidth"] = "2 B/cycle"
        if any("memories" in engine for engine in (mac, vec)):
            return True
        pools = any(kind in one["ops"] for one in mac.get("maps", {}).values() for kind in ("pool", "reduce"))
        if draw.random() < 0.5 and not pools and len(chip) == 1:
            pool = {"kind": "mac_array", "maps": {"planar": {"ops": ["pool"], "unroll": {"K": 4}}}, "energy": "0.1 pJ", "dtype": "int8"}
            self.value["engines"] = {"mac": mac, "pool": pool, "vec": vec}
            for engine in draw.sample([mac, pool, vec], 2):
                engine["queue"] = "shared"
        return True

    def reach_off_chip(self, draw):
        """Engines that access off-chip memory directly."""
        home = self.value["memories"].get("dram")
        chip = [name for name, memory in self.value["memories"].items() if not memory.get("offchip")]
        if draw.random() < 0.4 or home is None or len(chip) > 1 or "convert" in self.value["dma"]:
            return
        for engine in self.value["engines"].values():
            ways = some(draw, ["input", "output"])
            engine["memories"] = {way: [*chip, "dram"] for way in ways}
        layout, run = home.get("layout", "NCHW"), draw.choice([2, 8, 20])
        if draw.random() < 0.4 and run < int(home["burst"].split()[0]) and (layout[3] == "C" or len(layout) > 4):
            home["direct_run"] = f"{run} B"
        if draw.random() < 0.6:
            self.value["tiling"]["direct"] = some(draw, ["none", "inputs", "outputs", "inputs+outputs"])

    def put_behind(self, writable=False):
        """A backing memory of the off-chip memory, if there is only one."""
        draw, memories = self.draw, self.value["memories"]
        if "dram" not in memories or "flash" in memories:
            return False
        memories["dram"]["capacity"] = draw.choice([2000, 4000, 8000, 16000])
        for engine in self.value["engines"].values():  # engines cannot access a backing memory
            if "dram" in str(engine.get("memories")):
                del engine["memories"]
        self.value["tiling"].pop("direct", None)
        self.value["tiling"].pop("early", None)
        self.value["tiling"].pop("engines", None)
        memories["dram"].pop("direct_run", None)
        memories["dram"].pop("rates", None)
        memories["ram"] = {"offchip": True, "behind": "dram", "bandwidth": draw.choice(["0.3 B/cycle", "2 B/cycle", "1 GB/s"]),
                           "burst": f"{draw.choice([1, 32])} B", "latency": draw.choice([0, 50]), "energy": "200 pJ/B"}
        if not writable and draw.random() < 0.2:
            memories["ram"]["writable"] = False
        elif draw.random() < 0.5:
            memories["ram"].update({"bandwidth": {"read": "2 B/cycle", "write": "0.7 B/cycle"}, "latency": {"read": 20, "write": 60},
                                    "energy": {"read": "200 pJ/B", "write": "350 pJ/B"}})
        return True

    def stored(self):
        """Layouts of activations, and encoded weights."""
        draw, memories = self.draw, self.value["memories"].values()
        layouts = ["NCHW", "NHWC", "NCHW4c", "NHCW3c", "NCWH", "NHWC2c"]
        if draw.random() < 0.4:
            chip, home = draw.choice(layouts), draw.choice(layouts)
            if draw.random() < 0.5:
                home = chip
            for memory in memories:
                if not memory.get("offchip"):
                    memory["layout"] = chip
                elif memory.get("writable", True):
                    memory["layout"] = home
                    if home != chip:
                        self.value["dma"]["convert"] = draw.choice(["1 B/cycle", "2.5 B/cycle", "0.4 GB/s"])
        if draw.random() < 0.4:
            self.value["weight_coding"] = {"ratio": draw.choice([0.4, 0.91, 1.3]), "per_channel": f"{draw.choice([0, 6])} B",
                                           "granule": f"{draw.choice([1, 16])} B"}

    def off_chip(self, dram):
        """Of two off-chip memories the read-only one has the weights; with that one alone, activations stay
        on-chip."""
        if self.offchip == "one":
            return {"dram": dram}
        flash = {"offchip": True, "writable": False, "bandwidth": self.draw.choice(["0.5 B/cycle", "3 B/cycle"]), "burst": "32 B",
                 "latency": self.draw.choice([16, 64]), "energy": "30 pJ/B"}
        return {"flash": flash} if self.offchip == "flash" else {"flash": flash, "dram": dram}

    def maps(self, mac):
        draw, maps = self.draw, {}
        mac["maps"] = maps
        kinds = [["conv", "fc"], ["grouped"], ["depthwise"], ["depthwise"], ["pool", "reduce"], ["elementwise"], ["matmul", "concat"]]
        for number, ops in enumerate([["conv", "matmul"]] + some(draw, kinds)):
            axes = draw.sample(["N", "K", "C", "H", "W", draw.choice(["R", "T"]), "G"], draw.randint(1, 4))
            one = maps[f"m{number}"] = {"ops": ops, "unroll": {axis: draw.choice([2, 3, 8]) for axis in axes}}
            at_least = [{"C": 5}, {"S" if "R" in axes else "T": 4}]
            for key, values in (("cycles", [2, 1.5, 4]), ("least", [16, 40]), ("start", [3, 9]), ("at_least", at_least)):
                if draw.random() < 0.3:
                    one[key] = draw.choice(values)
        if draw.random() < 0.5:
            self.blocks(mac)
        if draw.random() < 0.3:
            mac["cores"] = draw.choice([2, 3])
        if draw.random() < 0.4:
            mac["output"] = draw.choice([0.25, 1.75])
        if draw.random() < 0.4:
            mac["channel_cycles"] = draw.choice([1.25, 20, {"default": 2, "fc": 9.5}])

    @staticmethod
    def reads(mac, own):
        """Stationary operand, taps one at a time, and full last blocks; `own`: a generator of its own."""
        for one in mac.get("maps", {}).values():
            if own.random() < 0.4:
                one["stationary"] = own.choice(["inputs", "outputs"])
        if "blocks" in mac:
            if own.random() < 0.3:
                mac["blocks"]["most"][own.choice("RS")] = 1
            if own.random() < 0.4:
                mac["blocks"]["partial"] = "whole"
            elif own.random() < 0.5:
                mac["blocks"]["partial"] = "share"
            if own.random() < 0.3:
                mac["blocks"]["sum_buffer"] = own.choice([512, 2048])
            if "stages" in mac["blocks"] and own.random() < 0.4:
                mac["blocks"]["transfers"] = "overlapped"
        for one in mac.get("maps", {}).values():
            if "stationary" in one:
                continue
            if own.random() < 0.3:
                one["pass_depth"] = own.choice([1, 3]) * one["unroll"].get("C", 1)
            if own.random() < 0.3:
                one["wait"] = own.choice([2, 5])
        if own.random() < 0.2:
            mac["unfused"] = own.choice([0.5, 2])

    def rates(self, own):
        """Rates of single users of the memories."""
        for name, memory in self.value["memories"].items():
            users = ["input", "weights", "output"]
            if memory.get("offchip"):
                users = [] if "behind" in memory else ["dma"]
                if name == "dram" and any("dram" in str(engine.get("memories")) for engine in self.value["engines"].values()):
                    users += ["input", "output"]
            chosen = [user for user in users if own.random() < 0.3]
            if chosen and "bandwidth" in memory:
                memory["rates"] = {user: own.choice(["0.7 B/cycle", "3 B/cycle"]) for user in chosen}

    def blocks(self, mac):
        draw = self.draw
        mac["blocks"] = blocks = {"buffer": draw.choice([256, 1024, 4096])}
        blocks["most"] = {axis: draw.choice([2, 4, 8, 16]) for axis in ["K", "H", "W"] + draw.sample("RS", draw.randint(0, 2))}
        for key, values in (("depth_step", [4, 8]), ("channels", [2, 8]), ("input_granule", [64, 256]), ("sum_bytes", [2, 4]),
                            ("sum_granule", [64, 128]), ("stages", [2, 4])):
            if draw.random() < 0.5:
                blocks[key] = draw.choice(values)
        if draw.random() < 0.4:
            blocks["equal"] = "first"
            if draw.random() < 0.6:
                blocks["small"] = draw.choice([2, 4])
        for one in mac["maps"].values():
            if draw.random() < 0.4:
                one["input_depth"] = draw.choice([2, 8])
            if draw.random() < 0.5:
                one["folds_columns"] = True

    def two_on_chip(self, mac, vec, sram):
        """The array uses one memory, the vector engine the other."""
        other = {"capacity": 2048, "alignment": 4, "energy": {"read": "0.3 pJ/B", "write": "0.9 pJ/B"}}
        if self.draw.random() < 0.5:
            other["bandwidth"] = self.draw.choice(["6 B/cycle", "1 B/cycle"])
        mac["memories"] = ["sram"] if self.draw.random() < 0.5 else {"input": ["sram"], "weights": ["sram"], "output": ["buffer"]}
        vec["memories"] = ["buffer"]
        return {"sram": sram, "buffer": other}

    def modes(self, sram):
        sram["banks"], sram["bank_size"] = 4, sram.pop("capacity") // 2
        sram["modes"] = self.draw.choice([
            [{"name": "a", "roles": {"0-2": "data", "3": "weight"}}, {"name": "b", "roles": {"0-1": "data", "2-3": "weight"}}],
            [{"name": "a", "roles": ["read", "read", "write", "weight"]},
             {"name": "b", "roles": ["write", "read", "read", "weight"]},
             {"name": "c", "roles": ["read", "write", "read_write", "weight"]}]])
        self.mode_switch = {"cycles": self.draw.choice([3, 40]), "energy": "500 pJ"}

    @property
    def text(self):
        return file(self.value)
