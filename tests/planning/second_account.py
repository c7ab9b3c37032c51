"""The accounting of a recomputed group (second_simulator.py): per op its MACs, and the bytes that each user reads and writes in each
memory. From docs/internals/cost-model.md and docs/reference/plans.md alone.
"""

import collections
from fractions import Fraction
from math import prod

from second_machine import engine_of, macs_of

PARTS = "macs", "ideal_cycles", "compute_pj", "switches_pj", "static_pj"


def peak_of(engine):
    """Operations per cycle of an engine whose units all work."""
    if engine["kind"] == "vector":
        return Fraction(engine["lanes"])
    maps = engine["maps"].values() if "maps" in engine else [engine]
    most = max(Fraction(prod(int(n) for n in map["unroll"].values())) / Fraction(map.get("cycles", 1)) for map in maps)
    return max(1, most * int(engine.get("cores", 1)))


class Account:
    """Mixed into Run. `at` is the op that transfers count for."""

    def open_account(self):
        self.at = self.ops[0]
        self.accounts = {op.number: collections.Counter() for op in self.ops}

    def book(self, memory, user, operand, way, moved):
        """`way` 0: `user` reads these bytes of an operand in a memory; 1: writes."""
        if moved:
            self.accounts[self.at.number][memory.name, user, operand, ("read", "write")[way]] += moved

    def book_work(self, op, box, compute):
        account, engine = self.accounts[op.number], engine_of(self.machine, op)
        account["compute_pj"] += compute
        account["macs"] += macs_of(op, box)
        account["ideal_cycles"] += macs_of(op, box) / peak_of(engine)

    def name_of_engine(self, op):
        engine = engine_of(self.machine, op)
        return next(name for name, one in self.machine.engines.items() if one is engine)


def flat(account, machine):
    """What a plan says of an op, a group or itself, in the form of Account.accounts."""
    said = collections.Counter({part: account[part] for part in PARTS})
    energy = sum(account[part] for part in PARTS if part.endswith("_pj"))
    for access in account["accesses"]:
        way = ("read", "write").index(access["access"])
        memory = machine.memories[access["memory"]]
        rate = memory.bandwidth[way] if memory.bandwidth else None
        assert abs(access["cycles"] - (access["bytes"] / float(rate) if rate else 0)) <= 1e-9 * (1 + access["cycles"]), access
        assert abs(access["energy_pj"] - access["bytes"] * float(memory.energy[way])) <= 1e-9 * (1 + access["energy_pj"]), access
        key = access["memory"], access["user"], access["operand"], access["access"]
        assert key not in said, access
        said[key], energy = access["bytes"], energy + access["energy_pj"]
    return said, energy
