#!/usr/bin/env python3
"""Compares convolutions on eyeriss-like with measurements of the chip Eyeriss.

    python3 bench/eyeriss.py --program build/release/cli/tessera

The chip's figures are those of Chen, Krishna, Emer, Sze: Eyeriss, an energy-efficient reconfigurable
accelerator for deep convolutional neural networks, JSSC 2017, tables V and VI: processing latency at 1.0 V
and 200 MHz, of four images of AlexNet and of three of VGG-16, and bytes to and from DRAM. Here each layer
is a single piece, one image at a time, with an unlimited buffer.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

# Input channels, rows of the input, output channels, kernel, stride, padding, groups; ms and MB of the batch.
ALEXNET = [
    ("conv1", 3, 227, 96, 11, 4, 0, 1, 16.5, 5.0),
    ("conv2", 96, 27, 256, 5, 1, 2, 2, 39.2, 4.0),
    ("conv3", 256, 13, 384, 3, 1, 1, 1, 21.8, 3.0),
    ("conv4", 384, 13, 384, 3, 1, 1, 2, 16.0, 2.1),
    ("conv5", 384, 13, 256, 3, 1, 1, 2, 10.0, 1.3),
]
VGG16 = [
    ("conv1-1", 3, 224, 64, 3, 1, 1, 1, 38.0, 15.4),
    ("conv1-2", 64, 224, 64, 3, 1, 1, 1, 810.6, 54.0),
    ("conv2-1", 64, 112, 128, 3, 1, 1, 1, 405.3, 33.4),
    ("conv2-2", 128, 112, 128, 3, 1, 1, 1, 810.8, 48.5),
    ("conv3-1", 128, 56, 256, 3, 1, 1, 1, 204.0, 20.2),
    ("conv3-2", 256, 56, 256, 3, 1, 1, 1, 408.1, 32.2),
    ("conv4-1", 256, 28, 512, 3, 1, 1, 1, 105.1, 17.8),
    ("conv4-2", 512, 28, 512, 3, 1, 1, 1, 210.0, 28.6),
    ("conv5-1", 512, 14, 512, 3, 1, 1, 1, 48.3, 6.3),
]


def network(name, layers):
    tensors = []
    ops = []
    for layer, channels, rows, made, kernel, stride, pad, groups, _, _ in layers:
        tensors.append(f"  x_{layer}: {{shape: [1, {channels}, {rows}, {rows}], dtype: int16}}")
        ops.append(f"  - {{name: {layer}, type: conv, inputs: [x_{layer}], output: y_{layer}, pad: [{pad}, {pad}, {pad}, {pad}], "
                   f"stride: [{stride}, {stride}], groups: {groups}, "
                   f"weights: {{shape: [{made}, {channels // groups}, {kernel}, {kernel}], dtype: int16}}}}")
    inputs = ", ".join(f"x_{layer[0]}" for layer in layers)
    outputs = ", ".join(f"y_{layer[0]}" for layer in layers)
    return (f"tessera: network/1\nname: {name}\ntensors:\n" + "\n".join(tensors) + f"\ninputs: [{inputs}]\nops:\n" +
            "\n".join(ops) + f"\noutputs: [{outputs}]\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default="build/release/cli/tessera")
    options = parser.parse_args()
    print("| layer | the chip, ms per image | here | ratio | DRAM of the chip, MB per image | read and written once |")
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "network.yaml")
        for name, batch, layers in (("AlexNet", 4, ALEXNET), ("VGG-16", 3, VGG16)):
            path.write_text(network(name, layers))
            done = subprocess.run(
                [options.program, "plan", str(path), "-p", "eyeriss-like", "--layer-by-layer",
                 "--set", "memories.glb.capacity=1 GiB", "--format", "json", "-q"], capture_output=True, text=True)
            if done.returncode != 0:
                sys.exit(done.stderr)
            plan = json.loads(done.stdout)
            for made, layer in zip(plan["layers"], layers):
                here = made["compute_cycles"] / plan["clock_hz"] * 1e3
                chip = layer[8] / batch
                print(f"| {name} {layer[0]} | {chip:.1f} | {here:.1f} | {here / chip:.2f} | {layer[9] / batch:.1f} "
                      f"| {made['offchip_bytes'] / 1e6:.1f} |")


if __name__ == "__main__":
    main()
