#!/usr/bin/env python3
"""A small search over networks: width and resolution of a MobileNet for a machine.

    PYTHONPATH=build/release/python /usr/bin/python3 examples/width_search.py

Every candidate is planned on two memory sizes; the table shows the cycles of each.
"""

import tessera

# Expansion, channels, repeats and stride of the stages (Sandler et al., "MobileNetV2", 2018).
STAGES = ((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2),
          (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1))


def rounded(channels, width):
    """Channels are multiples of 8."""
    return max(8, int(channels * width + 4) // 8 * 8)


def mobilenet_v2(width=1.0, resolution=224, dtype="int8"):
    """The network for images with this many rows and columns."""
    b = tessera.NetworkBuilder(f"mobilenet_v2_{width}_{resolution}", dtype=dtype)
    x = b.conv(b.input((1, 3, resolution, resolution)), rounded(32, width), stride=2,
               activation="relu6")
    for expansion, channels, repeats, stride in STAGES:
        for k in range(repeats):
            t = x
            if expansion > 1:
                t = b.conv(t, x.shape[1] * expansion, kernel=1, activation="relu6")
            t = b.depthwise(t, stride=stride if k == 0 else 1, activation="relu6")
            t = b.conv(t, rounded(channels, width), kernel=1)
            x = b.add(t, x) if t.shape == x.shape else t
    x = b.conv(x, max(1280, rounded(1280, width)), kernel=1, activation="relu6")
    return b.build(b.linear(b.flatten(b.global_average_pool(x)), 1000))


def main():
    memory = tessera.PlanMemory()
    hardware = tessera.load_profile("ethos-u55-256")
    print(f"{'network':26} {'M MACs':>8} {'256 KiB':>12} {'512 KiB':>12}  cycles")
    for width in (0.5, 1.0):
        for resolution in (128, 192):
            net = mobilenet_v2(width, resolution)
            cycles = []
            for capacity in ("256 KiB", "512 KiB"):
                hardware["memories.sram.capacity"] = capacity
                plan = tessera.plan(net, hardware, max_ops=4, memory=memory)
                cycles.append(plan.totals["latency_cycles"] if plan.status == "feasible" else "-")
            print(f"{net.name:26} {net.macs / 1e6:8.1f} {cycles[0]:>12} {cycles[1]:>12}")


if __name__ == "__main__":
    main()
