#!/usr/bin/env python3
"""Writes the inputs of tflite.cases.

    python3 tests/usage/malformed/make_tflite.py

They are TensorFlow Lite files that no converter writes, composed here in the layout of flatbuffers: a
table is a list of field positions, and offsets point forward.
"""

import struct
import sys

import cases

CONV, RELU, PAD, RESHAPE, CONCATENATION = 3, 19, 34, 22, 2


class Number:
    """A field stored inline in its table."""

    def __init__(self, kind, value):
        self.data = struct.pack("<" + kind, value)


def i8(value):
    return Number("b", value)


def i32(value):
    return Number("i", value)


def ints(*values):
    """A vector of 32-bit numbers: its count, and its bytes."""
    return len(values), struct.pack(f"<{len(values)}i", *values)


def text(value):
    value = value.encode() if isinstance(value, str) else value
    return len(value), value


class File:
    """Writes tables (dicts by field number), followed by the objects they refer to."""

    def __init__(self, root):
        self.out = bytearray(struct.pack("<I", 0) + b"TFL3")
        struct.pack_into("<I", self.out, 0, self.put(root))

    def align(self, to=4):
        self.out += bytes(-len(self.out) % to)

    def put(self, value):
        if isinstance(value, tuple):
            self.align()
            at = len(self.out)
            self.out += struct.pack("<I", value[0]) + value[1]
            return at
        if isinstance(value, list):
            self.align()
            at = len(self.out)
            self.out += struct.pack("<I", len(value)) + bytes(4 * len(value))
            for k, each in enumerate(value):
                place = at + 4 + 4 * k
                struct.pack_into("<I", self.out, place, self.put(each) - place)
            return at
        return self.table(value)

    def table(self, fields):
        count = max(fields, default=-1) + 1
        self.align()
        self.out += bytes(2 * (count % 2))
        listed = len(self.out)
        self.out += bytes(4 + 2 * count)
        at = len(self.out)
        self.out += struct.pack("<i", at - listed)
        children = []
        for number, value in sorted(fields.items()):
            size = len(value.data) if isinstance(value, Number) else 4
            self.align(min(size, 4))
            struct.pack_into("<H", self.out, listed + 4 + 2 * number, len(self.out) - at)
            if isinstance(value, Number):
                self.out += value.data
            else:
                children.append((len(self.out), value))
                self.out += bytes(4)
        struct.pack_into("<HH", self.out, listed, 4 + 2 * count, len(self.out) - at)
        for place, value in children:
            struct.pack_into("<I", self.out, place, self.put(value) - place)
        return at


def tensor(name, shape=(1, 4, 4, 2), kind=9, buffer=0, **more):
    fields = {0: ints(*shape), 1: i8(kind), 2: i32(buffer), 3: text(name)}
    return fields | {int(key[1:]): value for key, value in more.items()}


def operator(inputs, outputs, options=None, code=0):
    return {0: i32(code), 1: ints(*inputs), 2: ints(*outputs), 4: options or {}}


def model(tensors=None, operators=None, codes=(RELU,), inputs=(0,), outputs=(1,), data=(), graphs=1):
    graph = {0: tensors if tensors is not None else [tensor("x"), tensor("y")],
             1: ints(*inputs), 2: ints(*outputs),
             3: operators if operators is not None else [operator([0], [1])]}
    return bytes(File({0: i32(3), 1: [{0: i8(min(code, 127)), 3: i32(code)} for code in codes],
                       2: [graph] * graphs,
                       4: [{}, *({0: text(each)} for each in data)]}).out)


def convolution(options, weights=(2, 3, 3, 2), made=(1, 4, 4, 2)):
    return model([tensor("x"), tensor("y", made), tensor("w", weights, buffer=1)],
                 [operator([0, 2], [1], options)], [CONV], data=[b"w" * 36])


def changed(data, at, new):
    return data[:at] + new + data[at + len(new):]


GOOD = model()
STRIDES = {1: i32(1), 2: i32(1)}
NO_FIELDS = struct.pack("<I", 12) + b"TFL3" + struct.pack("<HHi", 4, 4, 4)

# Name -> the input, and words of its message.
FILES = {
    "another-identifier": (changed(GOOD, 4, b"TFL2"), "not the letters TFL3"),
    "cut-short": (GOOD[:200], "but the file ends at byte 200"),
    "nothing-but-a-head": (GOOD[:8] + bytes(8), "but the file ends at byte 16"),
    "root-beyond-the-file": (changed(GOOD, 0, b"\xff\xff\xff\xff"), "a table Model reaches to byte"),
    "list-of-fields-before-the-file": (
        struct.pack("<I", 8) + b"TFL3" + struct.pack("<i", 100) + bytes(8), "begins before the file"),
    "list-of-fields-of-one-byte": (
        struct.pack("<I", 12) + b"TFL3" + struct.pack("<HHi", 1, 4, 4), "list of fields of 1 bytes"),
    "no-subgraph": (NO_FIELDS, "has no subgraph"),
    "two-subgraphs": (model(graphs=2), "has 2 subgraphs"),
    "dynamic-shape": (
        model([tensor("x"), tensor("y", (1, -1))]), "tensor 1 `y` has a dynamic shape"),
    "unknown-type": (model([tensor("x"), tensor("y", kind=77)]), "is of type 77"),
    "strings": (model([tensor("x"), tensor("y", kind=5)]), "is of type string"),
    "no-such-buffer": (model([tensor("x", buffer=9), tensor("y")]), "buffer 9 of 1"),
    "no-such-tensor": (model(operators=[operator([5], [1])]), "names tensor 5 of 2"),
    "no-such-output": (model(outputs=[-1]), "the subgraph names tensor -1 of 2"),
    "no-such-operator-code": (model(operators=[operator([0], [1], code=3)]), "of type 3 of 1"),
    "read-before-it-is-written": (
        model([tensor("x"), tensor("y"), tensor("z")], [operator([2], [1]), operator([0], [2])]),
        "reads tensor `z`, which no earlier operator writes"),
    "written-twice": (
        model(operators=[operator([0], [1]), operator([0], [1])]), "which already has a value"),
    "output-of-nothing": (model(operators=[], outputs=[1]), "is written by no operator"),
    "outputs-that-are-inputs": (model(outputs=[0]), "computes nothing"),
    "stride-zero": (convolution({}), "has a kernel, stride or dilation of 0"),
    "unknown-padding": (convolution({0: i8(9), **STRIDES}), "pads by rule 9"),
    "unknown-activation": (convolution({3: i8(9), **STRIDES}), "applies activation 9"),
    "channels-that-differ": (convolution(STRIDES, (2, 3, 3, 5)), "input channels"),
    "rows-that-differ": (convolution(STRIDES, made=(1, 7, 4, 2)), "4 pixels in strides of 1 make 7"),
    "convolution-of-a-vector": (
        model([tensor("x", (8,)), tensor("y"), tensor("w", buffer=1)], [operator([0, 2], [1])],
              [CONV], data=[b"w" * 32]), "needs tensors with 4 axes"),
    "convolution-without-weights": (
        model(codes=[CONV]), "operator 0 (CONV_2D) lacks its input 1"),
    "reshape-to-another-size": (
        model([tensor("x"), tensor("y", (3,))], codes=[RESHAPE]), "another number of elements"),
    "axis-beyond-the-tensor": (
        model([tensor("x"), tensor("y", (1, 4, 4, 4))], [operator([0, 0], [1], {0: i32(9)})],
              [CONCATENATION]), "names axis 9"),
    "padding-by-far-too-much": (
        model([tensor("x", (4,)), tensor("y", (4,)), tensor("p", (1, 2), 4, 1)],
              [operator([0, 2], [1])], [PAD], data=[struct.pack("<qq", 2**63 - 1, 1)]),
        "pads by 9223372036854775807 and 1"),
    "name-over-two-lines": (
        model([tensor("x"), tensor(b"a\nb\xff", (1, -2))]), "tensor 1 `a_b_` has a dynamic shape"),
}


def main():
    """Writes tflite.cases: inputs from here, messages as in the existing file."""
    try:
        known = {case.name: case for case in cases.read("tflite")}
    except FileNotFoundError:
        known = {}
    lines = ["# Malformed TensorFlow Lite: what is read, and the whole of what must be said of it. The",
             "# form of this file, and what a backslash stands for, is in README.md.",
             "# The inputs are made by make_tflite.py."]
    for name, (data, words) in sorted(FILES.items()):
        new = cases.Case(name, 0, [f"FILE: {words}"], [f"FILE: {words}"], [])
        case = known.get(name, new)._replace(data=data)
        if words not in case.reader[0]:
            sys.exit(f"tflite.cases says of {name} `{case.reader[0]}`, which is not about `{words}`")
        lines += ["", *cases.written(case, text=False)]
    (cases.HERE / "tflite.cases").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
