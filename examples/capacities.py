#!/usr/bin/env python3
"""Finds the minimum capacity: the buffers of a residual block in decreasing memories.

    PYTHONPATH=build/release/python /usr/bin/python3 examples/capacities.py
"""

import pathlib

import tessera

problem = tessera.load_problem(pathlib.Path(__file__).with_name("residual-block.csv"))
least = tessera.place(problem, minimize="height", timeout=10)
print(f"least height: {least.height}{' (proved)' if least.proven_minimum else ''}")

session = tessera.Session(problem)
for kibibytes in range(160, 120, -8):
    answer = session.solve(capacity=f"{kibibytes} KiB", timeout=1)
    print(f"{kibibytes} KiB: {answer.status}", answer.reason)
    if answer.status == "infeasible":
        break  # proved, so smaller capacities are infeasible, too
