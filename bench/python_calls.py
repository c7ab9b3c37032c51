#!/usr/bin/env python3
"""Calls per second from Python: placements and sessions of 20 buffers, plans of network variants.

    PYTHONPATH=build/release/python /usr/bin/python3 bench/python_calls.py [VARIANTS]

Arrays in, arrays out; process start and set-up do not count. Two rates: by wall time, and by processor
time, which approximates an idle machine.
"""

import pathlib
import sys
import time

import numpy as np
import tessera

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "examples"))
from width_search import mobilenet_v2  # noqa: E402

BUFFERS = 20


def problems(count, slack):
    """Lifetimes and sizes as in a network, and a capacity this much above the minimum height."""
    random = np.random.default_rng(1)
    made = []
    for _ in range(count):
        lower = np.sort(random.integers(0, 2 * BUFFERS, BUFFERS))
        upper = lower + random.integers(1, 8, BUFFERS)
        sizes = random.integers(1, 1024, BUFFERS) * 64
        least = tessera.place(sizes, lower, upper, minimize="height", timeout=1).height
        made.append((sizes, lower, upper, int(least * slack)))
    return made


def measured(name, count, calls):
    """Runs `calls`, which returns the number of results per status."""
    wall, own = time.perf_counter(), time.process_time()
    answers = calls()
    wall, own = time.perf_counter() - wall, time.process_time() - own
    print(f"{name:46} {count / wall:10.0f} /s  {count / own:10.0f} /s of processor  {answers}")


def count(statuses):
    return {each: statuses.count(each) for each in sorted(set(statuses))}


def place_all(made, repeats):
    def calls():
        return count([tessera.place(sizes, lower, upper, capacity=capacity).offsets is not None
                      for _ in range(repeats) for sizes, lower, upper, capacity in made])
    return calls


def ask_sessions(made, walks):
    sessions = [tessera.Session(sizes, lower, upper, capacity=capacity)
                for sizes, lower, upper, capacity in made]

    def calls():
        return count([session.solve(sizes).status
                      for session, walk in zip(sessions, walks) for sizes in walk])
    return calls


def walks(made, steps):
    """Three sizes change by up to a tenth each time, none by more than a quarter in total."""
    random = np.random.default_rng(2)
    for sizes, *_ in made:
        now, walk = sizes.copy(), []
        for _ in range(steps):
            for k in random.integers(0, BUFFERS, 3):
                change = int(random.integers(-sizes[k] // 10 - 1, sizes[k] // 10 + 2))
                now[k] = np.clip(now[k] + change, max(1, sizes[k] * 3 // 4), sizes[k] * 5 // 4)
            walk.append(now.copy())
        yield walk


def plan_variants(number):
    nets = [mobilenet_v2(width, resolution)
            for width in np.linspace(0.35, 1.4, 20).round(3)
            for resolution in range(96, 96 + 15 * 16, 16)][:number]
    hardware = tessera.load_profile("ethos-u55-256")
    for most, shared in ((4, False), (4, True), (6, False)):
        memory = tessera.PlanMemory() if shared else None
        wall, own = time.perf_counter(), time.process_time()
        plans = [tessera.plan(net, hardware, max_ops=most, threads=1, memory=memory)
                 for net in nets]
        wall, own = time.perf_counter() - wall, time.process_time() - own
        proved = sum(plan.explored["optimal"] for plan in plans)
        print(f"{len(nets)} variants, max_ops={most}{', one PlanMemory' if shared else ''}: "
              f"{wall / len(nets):.3f} s each by the clock, {own / len(nets):.3f} s of processor; "
              f"{proved} proved best of such pieces")


def main():
    number = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    print(f"{BUFFERS} buffers")
    for slack in (1.0, 1.1):
        made = problems(200, slack)
        measured(f"place, {slack:.1f} of the least height", 200 * 20, place_all(made, 20))
        few = made[:20]
        same = [[sizes] * 500 for sizes, *_ in few]
        measured("Session, the same sizes again", 20 * 500, ask_sessions(few, same))
        measured(f"Session, sizes that walk, {slack:.1f}", 20 * 500,
                 ask_sessions(few, list(walks(few, 500))))
    if number > 0:
        plan_variants(number)


if __name__ == "__main__":
    main()
