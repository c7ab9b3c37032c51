#!/usr/bin/env python3
"""Writes the inputs of onnx.cases.

    python3 tests/usage/malformed/make_onnx.py

They are ONNX messages that no exporter writes, composed here in protobuf's wire format: a tag (field
number and kind), then a number or a length and bytes.
"""

import sys

import cases

FLOAT, INT64 = 1, 7


def varint(value):
    value &= (1 << 64) - 1
    out = b""
    while value >= 0x80:
        out += bytes([value & 0x7F | 0x80])
        value >>= 7
    return out + bytes([value])


def number(field, value):
    return varint(field << 3) + varint(value)


def part(field, data):
    data = data.encode() if isinstance(data, str) else data
    return varint(field << 3 | 2) + varint(len(data)) + data


def parts(field, items):
    return b"".join(part(field, item) for item in items)


def value(name, shape=None, kind=FLOAT):
    """The declared type and shape of a tensor."""
    tensor = number(1, kind)
    if shape is not None:
        tensor += part(2, b"".join(part(1, number(1, extent)) for extent in shape))
    return part(1, name) + part(2, part(1, tensor))


def tensor(name, shape, raw=None, kind=INT64, more=b""):
    out = b"".join(number(1, extent) for extent in shape) + number(2, kind) + part(8, name)
    return out + (part(9, raw) if raw is not None else b"") + more


def integers(name, values):
    return tensor(name, [len(values)], b"".join(v.to_bytes(8, "little", signed=True) for v in values))


def scalar(name, number_):
    return tensor(name, [], number_.to_bytes(8, "little", signed=True))


def an_int(name, number_):
    return part(1, name) + number(20, 2) + number(3, number_)


def ints(name, values):
    return part(1, name) + number(20, 7) + b"".join(number(8, v) for v in values)


def node(kind, inputs, outputs, attributes=(), name="n", domain=""):
    out = parts(1, inputs) + parts(2, outputs) + part(3, name) + part(4, kind)
    return out + parts(5, attributes) + (part(7, domain) if domain else b"")


def model(nodes, tensors=(), shape=(1, 3, 8, 8), states=(), opset=13, more=b"", graph=b"",
          inputs=None, outputs=None):
    body = parts(1, nodes) + part(2, "g") + parts(5, tensors)
    body += parts(11, [value("x", shape)] if inputs is None else inputs)
    body += parts(12, [value("y")] if outputs is None else outputs) + parts(13, states) + graph
    return number(1, 8) + part(7, body) + part(8, number(2, opset)) + more


def function(name, nodes):
    uses = part(9, number(2, 13)) + part(9, part(1, "loc") + number(2, 1))
    return part(1, name) + part(4, "a") + part(5, "b") + parts(7, nodes) + uses + part(10, "loc")


def call(name, inputs, outputs):
    return node(name, inputs, outputs, domain="loc")


def imports(*domains):
    return b"".join(part(8, part(1, each) + number(2, 1)) for each in domains)


def nested(depth):
    """A graph in an attribute of a node of a graph in an attribute ..."""
    attribute = part(1, "then_branch") + number(20, 5)
    for _ in range(depth):
        attribute = part(1, "then_branch") + number(20, 5) + part(
            6, part(1, node("If", ["x"], ["y"], [attribute])))
    return attribute


RELU = node("Relu", ["x"], ["y"])
SUBGRAPH = part(1, "then_branch") + number(20, 5) + part(6, part(1, RELU))
BOMB = [function("F0", [node("Relu", ["a"], ["b"])])] + [
    function(f"F{k}", [call(f"F{k - 1}", ["a"], ["t"]), call(f"F{k - 1}", ["t"], ["b"])])
    for k in range(1, 31)]

FILES = {
    "reshape-with-half-a-shape": (
        model([node("Reshape", ["x", "w"], ["y"])], [tensor("w", [2], b"abcd")]),
        "initializer `w` has 4 bytes of data where its shape [2] needs 16"),
    "range-of-an-empty-scalar": (
        model([node("Range", ["s", "s", "s"], ["y"])], [tensor("s", [])]),
        "initializer `s` has 0 values where its shape [] needs 1"),
    "range-in-steps-of-zero": (
        model([node("Range", ["s", "s", "z"], ["y"])], [scalar("s", 1), scalar("z", 0)]),
        "node `n` (Range) counts in steps of 0"),
    "range-without-end": (
        model([node("Range", ["z", "l", "s"], ["y"])],
              [scalar("z", 0), scalar("l", 1 << 61), scalar("s", 1)]),
        "node `n` (Range) counts 2.30584e+18 numbers"),
    "block-size-beyond-everything": (
        model([node("DepthToSpace", ["x"], ["y"], [an_int("blocksize", 1 << 62)])]),
        "node `n` (DepthToSpace) has blocksize 4611686018427387904"),
    "function-that-calls-itself": (
        model([call("F", ["x"], ["y"])],
              more=imports("loc") + part(25, function("F", [call("F", ["a"], ["b"])]))),
        "has local functions (`F`), which are not supported"),
    "functions-that-double": (
        model([call("F30", ["x"], ["y"])], more=imports("loc") + parts(25, BOMB)),
        "has local functions (`F0`), which are not supported"),
    "operators-of-version-minus-5": (
        model([node("Concat", [], ["y"])], opset=-5),
        "uses version -5 of the ONNX operators"),
    "operators-of-the-future": (
        model([RELU], opset=1000), "uses version 1000 of the ONNX operators"),
    "operators-of-two-versions": (
        model([RELU], more=part(8, number(2, 12))),
        "states the versions 13 and 12 of the ONNX operators"),
    "concat-without-inputs": (
        model([node("Concat", [], ["y"], [an_int("axis", 0)])]),
        "node `n` (Concat) is malformed: it has 0 inputs where 1 or more inputs are needed"),
    "norm-without-inputs": (
        model([node("LayerNormalization", [], ["y"])], opset=17),
        "is malformed: it has 0 inputs where 2 to 3 are needed"),
    "relu-with-two-inputs": (
        model([node("Relu", ["x", "x"], ["y"])]),
        "is malformed: it has 2 inputs where 1 input is needed"),
    "relu-without-output": (
        model([node("Relu", ["x"], [])], outputs=[value("x")]),
        "is malformed: it has 0 outputs where 1 output is needed"),
    "rnn-without-output": (
        model([node("RNN", ["x", "x", "x"], [], [an_int("hidden_size", 4)])],
              outputs=[value("x", [5, 2, 3])], shape=(5, 2, 3)), "computes nothing"),
    "relu-of-nothing": (
        model([node("Relu", [""], ["y"])]), "is malformed: its input 0 is missing"),
    "attribute-of-another-type": (
        model([node("Softmax", ["x"], ["y"], [ints("axis", [1])])]),
        "is malformed: its attribute `axis` is not an integer"),
    "attribute-of-another-operator": (
        model([node("Relu", ["x"], ["y"], [an_int("axis", 1)])]),
        "is malformed: it has an attribute `axis`, which its operator does not have"),
    "attribute-twice": (
        model([node("Softmax", ["x"], ["y"], [an_int("axis", 1), an_int("axis", 2)])]),
        "is malformed: it has two attributes named `axis`"),
    "subgraph": (
        model([node("If", ["x"], ["y"], [SUBGRAPH])]),
        "node `n` (If) has a subgraph as its attribute `then_branch`"),
    "subgraphs-in-subgraphs": (
        model([node("If", ["x"], ["y"], [nested(20)])]), "nests its messages more than 32 deep"),
    "sparse-initializer": (
        model([RELU], graph=part(15, part(1, tensor("w", [1])))),
        "initializer `w` is sparse, which is not supported"),
    "external-data": (
        model([node("Add", ["x", "w"], ["y"])],
              [tensor("w", [1], kind=FLOAT,
                      more=part(13, part(1, "location") + part(2, "/etc/passwd")) + number(14, 1))]),
        "initializer `w` has its values in another file, which is not supported"),
    "negative-extent": (
        model([node("Add", ["x", "w"], ["y"])], [tensor("w", [-4], b"")]),
        "initializer `w` has extent -4"),
    "elements-beyond-64-bits": (
        model([node("Add", ["x", "w"], ["y"])], [tensor("w", [1 << 30] * 3, b"")]),
        "initializer `w` has more than 1099511627776 elements"),
    "extent-beyond-everything": (
        model([RELU], shape=(1, 1 << 62)), "input `x` has extent 4611686018427387904"),
    "too-many-axes": (model([RELU], shape=(1,) * 9), "input `x` has 9 axes"),
    "expand-to-2-to-the-60": (
        model([node("Expand", ["x", "w"], ["y"])], [integers("w", [1 << 30, 1 << 30])], shape=(1,)),
        "produces a tensor `y` with more than 1099511627776 elements"),
    "tile-to-2-to-the-60": (
        model([node("Tile", ["x", "w"], ["y"])], [integers("w", [1 << 30, 1 << 30])], shape=(1, 1)),
        "produces a tensor `y` with more than 1099511627776 elements"),
    "constant-of-2-to-the-60": (
        model([node("ConstantOfShape", ["w"], ["y"])], [integers("w", [1 << 30, 1 << 30])]),
        "produces a tensor `y` with more than 1099511627776 elements"),
    "upsampled-beyond-everything": (
        model([node("Resize", ["x", "", "", "w"], ["y"])], [integers("w", [1, 3, 1 << 40, 8])]),
        "node `n` (Resize) produces a tensor `y` with extent 1099511627776"),
    "pool-of-too-many-axes": (
        model([node("MaxPool", ["x"], ["y"],
                    [ints("kernel_shape", [1] * 5), an_int("ceil_mode", 1)])]),
        "has 5 entries of kernel_shape where 2 are needed"),
    "pool-in-steps-of-zero": (
        model([node("MaxPool", ["x"], ["y"], [ints("kernel_shape", [1, 1]), ints("strides", [0, 1])])]),
        "has strides 0, which is not within 1"),
    "window-larger-than-its-input": (
        model([node("MaxPool", ["x"], ["y"], [ints("kernel_shape", [9, 1])])]),
        "has a window of 9 on an axis of 8 with padding"),
    "norm-of-a-scalar": (
        model([node("InstanceNormalization", ["x", "x", "x"], ["y"])], shape=()),
        "has an input 0 with 0 axes where 3 or more are needed"),
    "cycle": (
        model([node("Add", ["x", "y"], ["t"]), node("Relu", ["t"], ["y"], name="m")]),
        "node `n` (Add) is part of a cycle"),
    "output-made-twice": (
        model([RELU, node("Abs", ["x"], ["y"], name="m")]),
        "node `m` (Abs) makes `y`, which is there already"),
    "input-that-nothing-makes": (
        model([node("Add", ["x", "nowhere"], ["y"])]), "reads `nowhere`, which no node produces"),
    "output-that-nothing-makes": (
        model([RELU], outputs=[value("z")]), "lists the output `z`, which no node produces"),
    "output-listed-twice": (
        model([RELU], outputs=[value("y"), value("y")]), "lists the output `y` twice"),
    "two-inputs-of-one-name": (
        model([RELU], inputs=[value("x", [1]), value("x", [1])]), "has two inputs named `x`"),
    "two-initializers-of-one-name": (
        model([RELU], [integers("w", [1]), integers("w", [1])]), "has two initializers named `w`"),
    "stated-otherwise": (
        model([node("Relu", ["x"], ["t"]), node("Abs", ["t"], ["y"], name="m")],
              states=[value("t", [1, 3, 8, 9])]),
        "makes `t` as [1, 3, 8, 8], but the file states [1, 3, 8, 9]"),
    "stated-twice": (
        model([RELU], states=[value("y", [1]), value("y", [2])]),
        "states two shapes of tensor `y`: [1] and [2]"),
    "unknown-operator": (
        model([node("Magic", ["x"], ["y"], domain="custom")]),
        "node `n` (Magic) has a tensor `y` of unknown shape"),
    "slice-stated-with-too-few-axes": (
        model([node("Slice", ["x", "s", "e", "a"], ["y"])], [integers("s", [0]), integers("a", [3])],
              inputs=[value("x", [1, 3, 8, 8]), value("e", [1], INT64)], outputs=[value("y", [1])]),
        "node `n` (Slice) produces a tensor with another number of axes"),
    "values-that-decide-a-shape": (
        model([node("NonZero", ["x"], ["y"])]),
        "node `n` (NonZero) has a tensor `y` of unknown shape"),
    "name-that-is-no-text": (
        model([node("Relu", ["x"], [b"\xff"])]), "has a name `\\xff` that is not UTF-8"),
    "outputs-that-are-inputs": (
        model([RELU], outputs=[value("x")]), "computes nothing"),
    "something-of-nothing": (
        model([node("Magic", [], ["y"], domain="custom")], states=[value("y", [1])]),
        "node `n` (Magic) produces elements from an empty tensor"),
    "slice-over-two-lines": (
        model([node("Gather", ["x", "s"], ["y"], name="c\nd")], [scalar("s", 99)]),
        "tensor 1 has a name with a control character"),
    "name-over-two-lines": (
        model([node("Relu", ["x"], ["y"], name="a\nb"), node("Re\nlu", ["x"], ["z"], name="c\nd")]),
        "node `c\\x0ad` (`Re\\x0alu`) has a tensor `z` of unknown shape"),
}


def main():
    """Writes onnx.cases: inputs from here, messages as in the existing file."""
    known = {case.name: case for case in cases.read("onnx")}
    lines = ["# Malformed ONNX: what is read, and the whole of what must be said of it. The form of",
             "# this file, and what a backslash stands for, is in README.md.",
             "# The inputs are made by make_onnx.py."]
    for name, (data, words) in sorted(FILES.items()):
        new = cases.Case(name, 0, [f"FILE: {words}"], [f"FILE: {words}"], [])
        case = known.get(name, new)._replace(data=data)
        if words not in case.reader[0]:
            sys.exit(f"onnx.cases says of {name} `{case.reader[0]}`, which is not about `{words}`")
        lines += ["", *cases.written(case, text=False)]
    (cases.HERE / "onnx.cases").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
