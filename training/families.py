"""Families of placement problems for training and testing, without files of other projects.

    python3 training/families.py FOLDER [COUNT]

writes FOLDER/<family>/<number>.yaml. A family is one generator. A model trained on some families is tested
on others, since files of one family are too similar to test each other.
"""

import pathlib
import random
import sys


def most_load(buffers):
    change = {}
    for lower, upper, size in buffers:
        change[lower] = change.get(lower, 0) + size
        change[upper] = change.get(upper, 0) - size
    most = now = 0
    for step in sorted(change):
        now += change[step]
        most = max(most, now)
    return most


def pieces(draw, count, steps, height, across):
    """A rectangle of time and addresses, cut into pieces; `across` is the frequency of cuts that end
    lifetimes."""
    rectangles = [(0, steps, 0, height)]
    while len(rectangles) < count:
        at = max(range(len(rectangles)), key=lambda k: (rectangles[k][1] - rectangles[k][0])
                 * (rectangles[k][3] - rectangles[k][2]) * draw.uniform(0.3, 1))
        lower, upper, bottom, top = rectangles[at]
        if draw.random() < across and upper - lower > 1:
            cut = draw.randint(lower + 1, upper - 1)
            rectangles[at] = (lower, cut, bottom, top)
            rectangles.append((cut, upper, bottom, top))
        elif top - bottom > 1:
            cut = draw.randint(bottom + 1, top - 1)
            rectangles[at] = (lower, upper, bottom, cut)
            rectangles.append((lower, upper, cut, top))
    return rectangles


def synthetic(draw):
    """Lifetimes of a third of the time on average, much overlap, as in MiniMalloc's paper; capacity hardly
    above the load."""
    count = draw.choice([40, 60, 80, 120, 160])
    buffers = []
    for _ in range(count):
        lower, upper = sorted((draw.randint(0, count), draw.randint(0, count)))
        buffers.append((lower, upper + 1, draw.randint(1, 100)))
    return int(most_load(buffers) * draw.choice([1.0, 1.0, 1.005, 1.01])), buffers


def layers(draw):
    """Short lifetimes and few sizes, some slightly larger: the tensors of a tiled network."""
    count = draw.choice([120, 160, 240, 320])
    sizes = [draw.randint(3, 40) * 16 for _ in range(6)]
    buffers = []
    for _ in range(count):
        lower = draw.randint(0, count)
        length = 1 + int(draw.expovariate(12 / count))
        buffers.append((lower, lower + length, draw.choice(sizes) + (draw.randint(0, 7) if draw.random() < 0.3 else 0)))
    return most_load(buffers), buffers


def cut(draw):
    """A rectangle in pieces: no byte is ever free."""
    count = draw.choice([80, 100, 140, 200, 280])
    found = pieces(draw, count, count, 1 << 14, 0.5)
    return 1 << 14, [(lower, upper, top - bottom) for lower, upper, bottom, top in found]


def holes(draw):
    """The same with some pieces missing: a nearly flat load."""
    count = draw.choice([100, 150, 200, 280])
    found = pieces(draw, count, 3 * count, 1 << 16, 0.5)
    draw.shuffle(found)
    kept = found[:int(count * draw.choice([0.9, 0.93, 0.96]))]
    return 1 << 16, [(lower, upper, top - bottom) for lower, upper, bottom, top in kept]


def towers(draw):
    """Long-lived large buffers below short-lived ones: resident weights and activations."""
    count = draw.choice([60, 100, 150, 220])
    buffers = []
    for _ in range(count // 6):
        lower = draw.randint(0, count // 2)
        buffers.append((lower, lower + draw.randint(count // 4, count), draw.randint(20, 60) * 64))
    while len(buffers) < count:
        lower = draw.randint(0, count)
        buffers.append((lower, lower + draw.randint(1, 8), draw.randint(1, 4000)))
    return int(most_load(buffers) * draw.choice([1.0, 1.002, 1.01])), buffers


def steps(draw):
    """Half of the pieces are cut in time only: many buffers in one place after the other."""
    count = draw.choice([80, 120, 180, 260])
    found = pieces(draw, count, 2 * count, 1 << 12, 0.75)
    return 1 << 12, [(lower, upper, top - bottom) for lower, upper, bottom, top in found]


def flat(draw):
    """A memory that is full at every step: each buffer that ends is followed by others of the same total
    size, which may not fit."""
    height = draw.choice([64, 256, 1024])
    count = draw.choice([30, 50, 80, 120, 200])
    alive, buffers, step = [], [], 0
    free = height
    while len(buffers) < count:
        while free > 0:
            size = min(free, draw.randint(1, max(2, height // draw.choice([3, 6, 12]))))
            alive.append((step, size))
            free -= size
        step += 1
        for begin, size in draw.sample(alive, min(len(alive), draw.choice([1, 2, 2, 3, 5]))):
            alive.remove((begin, size))
            buffers.append((begin, step, size))
            free += size
    buffers += [(begin, step, size) for begin, size in alive]
    return int(height * draw.choice([1.0, 1.0, 1.02, 1.05, 1.1])), buffers


def shelves(draw):
    """The same with few sizes and long lifetimes: rows of a table that come and go."""
    height = draw.choice([256, 1000])
    sizes = sorted(draw.sample(range(height // 40 + 1, height // 4), 5))
    count = draw.choice([30, 60, 90, 140])
    alive, buffers, step, free = [], [], 0, height
    while len(buffers) < count:
        while free >= sizes[0]:
            size = draw.choice([size for size in sizes if size <= free])
            alive.append((step, size))
            free -= size
        step += 1
        for begin, size in draw.sample(alive, min(len(alive), draw.choice([1, 2, 3]))):
            alive.remove((begin, size))
            buffers.append((begin, step, size))
            free += size
    buffers += [(begin, step, size) for begin, size in alive]
    return int(most_load(buffers) * draw.choice([1.0, 1.0, 1.02, 1.05])), buffers


FAMILIES = {"synthetic": synthetic, "layers": layers, "cut": cut, "holes": holes, "towers": towers, "steps": steps,
            "flat": flat, "shelves": shelves}


def write(path, capacity, buffers):
    with open(path, "w") as out:
        out.write(f"tessera: problem/1\nmemories: {{m: {{capacity: {capacity}}}}}\nbuffers:\n")
        for number, (lower, upper, size) in enumerate(buffers):
            out.write(f"  - {{id: b{number}, live: [{lower}, {upper}], size: {size}}}\n")


def make(folder, count, first=0):
    """Writes `count` problems of every family; reproducible."""
    made = {}
    for family, generator in FAMILIES.items():
        place = pathlib.Path(folder) / family
        place.mkdir(parents=True, exist_ok=True)
        made[family] = []
        for seed in range(first, first + count):
            capacity, buffers = generator(random.Random(f"{family} {seed}"))
            path = place / f"{seed}.yaml"
            write(path, capacity, buffers)
            made[family].append(path)
    return made


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    make(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 60)
