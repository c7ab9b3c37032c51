"""A reference interpreter of the commands that `tessera plan --commands` writes.

    >>> from tessera.interpreter import run_commands
    >>> report = run_commands("plan.jsonl", seed=0)        # doctest: +SKIP
    >>> report.status, report.latency_cycles               # doctest: +SKIP
    ('equal', 1234)

It follows docs/guide/commands.md and shares no code with the planner. Weights and inputs are random. Every
command runs on memories of bytes and is refused if

- it reads a byte that no command wrote, or one that another command has overwritten since;
- it touches a byte that another command writes, or writes one that another reads, and nothing orders the two;
- it leaves its memory, or a bank has no role for the access in the mode in force;
- it computes other values than the network, layer by layer.

At the end, outputs, cycles and bytes are compared with the network and with the plan's totals.

Modules: reader (the file), network (ops and their attributes), types, parts, evaluate with products, moves, reals and
functions (arithmetic), layers (the network, layer by layer), places, memory, order (hazards, time), execute.
"""

from .report import Report, run_commands

__all__ = ["Report", "run_commands"]
