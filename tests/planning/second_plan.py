"""Recomputes a whole plan: its groups (second_simulator.py), and on machines with a backing memory the
transfers from it. From docs/internals/cost-model.md alone.
"""

from fractions import Fraction
from math import ceil

from second_simulator import Run


class Plan:
    def __init__(self, network, machine, plan):
        self.join(network, plan.get("joined", []))
        self.runs = [Run(network, machine, subgraph, self.pin(machine, plan)) for subgraph in plan["subgraphs"]]
        self.cycles, self.energy = sum(run.cycles for run in self.runs), sum(run.energy for run in self.runs)
        self.words = {"joined off the chip"} if any(run.in_its_place for run in self.runs) else set()
        if machine.behind:
            self.follow(machine, plan["behind"])

    def join(self, network, said):
        """Tensors placed off-chip inside the results of concatenations; no two share channels, unless one
        joins the other."""
        tensors = {t.name: t for op in network.ops for t in op.inputs + [op.output]}
        for one in said:
            t, whole, (begin, end) = tensors[one["tensor"]], tensors[one["in"]], one["channels"]
            assert t.dtype == whole.dtype and t.shape[:1] + t.shape[2:] == whole.shape[:1] + whole.shape[2:], one
            assert end - begin == t.shape[1] and 0 <= begin and end <= whole.shape[1] and t.maker, one
            t.joined = whole, begin
        makers = [t for t in tensors.values() if t.joined and not Run.joins_what_lies_there(t.maker)]
        spans = sorted((t.joined[0].name, t.joined[1], t.joined[1] + t.shape[1]) for t in makers)
        assert all(one[0] != other[0] or one[2] <= other[1] for one, other in zip(spans, spans[1:])), spans

    def pin(self, machine, plan):
        """Pinned weights, in addresses that no buffer uses: their memories."""
        block = sorted((pin["memory"], pin["offset"], pin["offset"] + pin["bytes"]) for pin in plan.get("pinned", []))
        assert all(one[0] != other[0] or one[2] <= other[1] for one, other in zip(block, block[1:])), block
        for subgraph in plan["subgraphs"] if block else []:
            for placement in [subgraph["placement"]] + subgraph.get("more_placements", []):
                for b in placement["buffers"]:
                    assert all(b["memory"] != memory or b["offset"] + b["size"] <= begin or end <= b["offset"]
                               for memory, begin, end in block), b
        return {pin["weight"]: machine.memories[pin["memory"]] for pin in plan.get("pinned", [])}

    def follow(self, machine, said):
        """Transfers from the backing memory: the times of every fetch, and the groups that wait for them."""
        behind, front = machine.behind, machine.offchip[0]
        rates = [min(behind.bandwidth[way], front.bandwidth[1 - way]) for way in range(2)]

        def bus(held):
            return -(-held // behind.burst) * behind.burst

        def cycles(held, way=0):
            if held == 0:
                return 0
            waiting = Fraction(bus(held) // behind.burst * behind.latency[way], machine.outstanding[way])
            return machine.setup + behind.latency[way] + ceil(max(bus(held) / Fraction(rates[way]), waiting))

        sizes = {w.name: run.stored[w.name] or w.bytes for run in self.runs for op in run.ops for w in op.weights}
        fetches, self.fetches, free, ended = list(said["fetches"]), [], 0, [0]
        whole = [fetch for fetch in fetches if not fetch.get("passes")]
        self.named = sorted(said["resident"] + list({fetch["tensor"] for fetch in whole}))
        for name in {fetch["tensor"] for fetch in whole}:  # one part after the other
            parts, end = [fetch for fetch in whole if fetch["tensor"] == name], 0
            for part in parts:
                assert part.get("at", 0) == end and (end == 0 or fetches[fetches.index(part) - 1]["tensor"] == name), name
                end += part["room"]
            assert end == sizes[name], name
        self.wanted = sorted(set(sizes) - {fetch["tensor"] for fetch in fetches if fetch.get("passes")})
        passing = {(fetch["tensor"], fetch["subgraph"]) for fetch in fetches if fetch.get("passes")}
        self.named += sorted(passing)
        away = said.get("away", [])
        assert not away or behind.writable
        self.wanted += sorted([(name, k) for k, run in enumerate(self.runs) for name in run.weights_loaded
                               if name in {name for name, _ in passing}] +
                              [(name, k) for k, run in enumerate(self.runs) for name, _ in run.tensors_moved if name in away])
        bursts, self.begins = [0, 0], []
        for k, run in enumerate(self.runs):
            start = ended[k]
            while fetches and fetches[0]["subgraph"] == k and not fetches[0].get("passes"):
                fetch = fetches.pop(0)
                begin, held = max(free, ended[fetch["from"]]), fetch["room"]
                self.words |= {"fetched in parts"} if held < sizes[fetch["tensor"]] else set()
                free = begin + cycles(held)
                start, bursts[0] = max(start, free), bursts[0] + bus(held)
                self.fetches.append((held, bus(held), begin, free))
                self.words.add("fetched")
            self.begins.append(start)
            end, passed = start + run.cycles, 0
            while fetches and fetches[0]["subgraph"] == k:
                fetch = fetches.pop(0)
                name, way = fetch["tensor"], int(fetch.get("writes", False))
                if name in away:
                    pieces, whole = run.tensors_moved[name, way], run.stored_size(name)
                    self.words.add(("lies behind", "is written behind")[way])
                else:
                    pieces, whole = [(piece, bus(piece)) for piece in run.weights_loaded[name]], sizes[name]
                    self.words.add("passes")
                loops, copies = fetch.get("loops", 0), fetch.get("copies", 2)
                part = bus(max(-(-whole // 16), 64 * behind.burst))
                held, largest, count = sum(bus for _, bus in pieces), max((piece for piece, _ in pieces), default=0), len(pieces)
                if len(run.tiles) in range(2, 257) and (name, way) in run.staged and not (run.resident and name not in away):
                    several = run.pieces_of(name, way, loops)
                    new, most = sum(bus for _, bus in several), max(piece for piece, _ in several)
                    if loops or (new < held and most < whole and most <= part):
                        assert new < held and most < whole, fetch
                        held, largest, count = new, most, sum(bus > 0 for _, bus in several)
                        self.words.add("tiles have a piece together" if loops else "what is there does not come again")
                begin = max(free, start)
                taken = cycles(held, way)
                if copies == 1:  # each transfer is separate, without overlap
                    taken += (count - 1) * (machine.setup + behind.latency[way])
                    self.words.add("one piece at a time")
                passed = free = begin + taken
                end, bursts[way] = end + (taken if copies == 1 else cycles(largest, way)), bursts[way] + held
                self.fetches.append((copies * (largest if loops else min(part, largest)), held, begin, free))
            ended.append(max(end, passed))
        self.waited = ended[-1] - self.cycles
        self.cycles, self.moved = ended[-1], sum(bursts)
        self.fetch_energy = sum(moved * (behind.energy[way] + front.energy[1 - way]) for way, moved in enumerate(bursts))
        self.energy += self.fetch_energy
        self.fetched_bytes = bursts

    def covered(self):
        return set().union(self.words, *(run.covered() for run in self.runs))
