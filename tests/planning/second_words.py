"""Features of a recomputed group (second_simulator.py), as words, and whether its loads avoid data that is
not stored yet."""

from second_machine import engine_of, maps_for, may_fold, names_of


class Words:
    def overwritten(self, subgraph):
        """A load to an address whose data is not stored yet, and that store."""
        places = {buffer["id"]: (buffer["memory"], buffer["offset"], buffer["offset"] + buffer["size"])
                  for buffer in subgraph["placement"]["buffers"]}

        def place(tile, name):
            name = name.removesuffix(", the rest")
            return places[name] if name in places else places[f"{name}.{'pong' if tile % 2 else 'ping'}"]

        if len(self.placements) > 1 or len(self.tiles) > 64 or any(len(shares) > 1 for shares in self.shares.values()):
            return None
        stores = [(place(tile, name), made, end, name) for store, tile, name, made, _, end in self.moves_made if store]
        loads = [(place(tile, name), begin, end, name) for store, tile, name, _, begin, end in self.moves_made if not store]
        for mine, made, gone, store in stores:
            for theirs, begin, end, load in loads:
                if begin < gone and end > made and mine[0] == theirs[0] and mine[1] < theirs[2] and theirs[1] < mine[2]:
                    return load, begin, store, gone
        return None

    def covered(self):
        """Features of this group, as words."""
        m, words = self.machine, set(self.words)
        for op in self.ops:
            words |= {op.kind, names_of(op)[0]}
            engine = engine_of(m, op)
            words |= {key for key in ("unroll", "maps", "blocks", "cores", "output") if key in engine}
            if "stages" in engine.get("blocks", {}):
                words.add("stages")
            if engine.get("blocks", {}).get("equal") == "first":
                words.add("first of equal blocks")
            if engine.get("blocks", {}).get("partial") == "whole":
                words.add("whole blocks")
            words |= {f"{map['stationary']} in the array" for map in maps_for(engine, op) if "stationary" in map}
            if op.inputs[0].item == 2:
                words.add("two bytes")
            if may_fold(op) and any(one.get("folds_columns") for one in engine.get("maps", {}).values()):
                words.add("columns folded")
            if op.kind in ("conv", "matmul") and not self.resident:
                words.add("weights in slices" if m.weight_slices > 1 else "refetch")
        words |= {word for word, is_so in (
            ("several outputs", len(self.leaving) > 1), ("fused", len(self.ops) > 1), ("many tiles", len(self.tiles) > 1),
            ("double buffer", self.double), ("resident", self.resident), ("weights stay", self.stationary == "weights"),
            ("sums in parts", self.parts > 1), ("inputs stay", self.stationary == "inputs"), ("one copy", self.one_copy not in ([], ["none"])),
            ("bandwidth on the chip", any(one.bandwidth for one in m.memories.values() if not one.offchip)),
            ("modes are switched", self.switched > 0), ("copied on the chip", self.copied), ("what stays is copied", self.kept_copied),
            ("joined in place", bool(self.joined)),
            ("bricks", any(not one.offchip and len(one.layout) > 4 for one in m.memories.values())),
            ("layouts are converted", m.convert is not None), ("encoded", any(self.stored.values())),
            ("halos kept", bool(self.keeping) and len(self.tiles) > 1), ("halos copied", self.halos_copied),
            ("two memories off the chip", len(m.offchip) > 1),
            ("weights come early", bool(self.early - set(self.pinned))),
            ("weights are pinned", any(w.name in self.pinned for op in self.ops for w in op.weights)), ("weights wait", self.waiting), ("weights are left", bool(self.left)), ("stays on the chip", not m.writable()), ("kept", m.writable() and bool(self.kept)),
            ("side by side", self.lead < len(self.ops)), ("held up on the chip", self.held_up),
            ("a queue is shared", any("queue" in engine_of(m, op) for op in self.ops)), ("read off the chip", bool(self.direct[0])), ("written off the chip", bool(self.direct[1])),
            ("several channels", m.channels > 1), ("read and write apart", not m.offchip[0].shared)) if is_so}
        return words
