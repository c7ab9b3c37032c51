"""Generates C from the commands of a plan: loops, memcpy2d() and calls of kernels.

    tessera plan net.yaml -p nvdla-like --commands net.jsonl --fold
    python3 examples/codegen.py net.jsonl -o net.c          # and net.bin: memories before the first command, outputs after the last
    gcc -O2 -o net net.c -lm && ./net net.bin               # prints "equal"

Memories are arrays. Weights and inputs are those of `tessera run` with the same seed, and so are the results. It supports
8-bit and 16-bit networks with the ops of codegen_kernels.h; weights in a machine's coding have no defined content.
"""

import argparse
import json
import pathlib
import re
import sys

import numpy as np

from tessera.interpreter.execute import Machine
from tessera.interpreter.evaluate import call, evaluate
from tessera.interpreter.parts import Part
from tessera.interpreter.places import place_atoms
from tessera.interpreter.reader import CommandFile, at_pointer
from tessera.interpreter.types import to_bytes

TYPES = {"int8": "INT8", "uint8": "UINT8", "int16": "INT16", "uint16": "UINT16", "int32": "INT32", "bool": "BOOL"}
WIDTH = {"int8": 1, "uint8": 1, "int16": 2, "uint16": 2, "int32": 4, "bool": 1}
FUSED = {"relu": "RELU", "relu6": "RELU6", "clip": "RELU6"}
BINARY = {"add": "ADD", "sub": "SUB", "mul": "MUL", "max": "MAX", "min": "MIN", "identity": "COPY"}


class Unsupported(Exception):
    pass


def plain(name):
    """A name that may stand in a comment of one line."""
    return re.sub(r"[^ -~]|\\\\", "?", name)


def c_list(values):
    return "{" + ", ".join(str(v) for v in values) + "}"


class Number(str):
    """A number of a loop's body that changes from round to round."""


def stepped(value, entry, index):
    """The C expression of a number that a loop changes by this entry of `step`."""
    terms, radix = [str(value)], 1
    for part in entry if isinstance(entry, list) else [entry]:
        rest = index if radix == 1 else f"({index} / {radix})"
        if isinstance(part, list):
            terms.append(f"((const int64_t[]){c_list(part)})[{rest} % {len(part)}]")
            radix *= len(part)
        else:
            terms.append(f"{part} * {rest}")
    return Number(f"({' + '.join(terms)})")


def with_steps(item, step, index):
    """The command or loop with C expressions in place of the numbers that a loop changes."""
    for pointer, entry in step.items():
        holder, key = at_pointer(item, pointer)
        if not isinstance(holder[key], str) or isinstance(holder[key], Number):  # else the name of a buffer
            holder[key] = stepped(holder[key], entry, index)
    return item


class Generator:
    def __init__(self, file, seed):
        self.header = file.header
        self.machine = Machine(file.header, seed)
        self.network = self.machine.network
        self.ops = {op.name: (number, op) for number, op in enumerate(self.network.ops)}
        self.names = {m: f"mem_{re.sub(r'[^A-Za-z0-9]', '_', m)}" for m in self.machine.memories}
        self.lines, self.tables, self.indent, self.used = [], {}, "  ", set()

    def emit(self, line):
        self.lines.append(self.indent + line)

    # Commands.

    def command(self, command):
        kind = command["kind"]
        if kind == "for":
            index = f"i{len(self.indent) // 2}"
            self.emit(f"for (int64_t {index} = 0; {index} < {command['count']}; ++{index}) {{")
            self.indent += "  "
            for one, step in zip(command["body"], command["step"]):
                self.command(with_steps(one, step, index))
            self.indent = self.indent[2:]
            self.emit("}")
        elif kind in ("load", "store") and not command.get("direct"):
            self.emit(f"// {kind} {plain(command['tensor'])}")
            pairs = [command, *command.get("more", ())]
            if len(pairs) > 1 or command["src"]["memory"] == command["dst"]["memory"]:
                self.read_all_then_write(pairs)
            else:
                self.transfer(command)
        elif kind == "compute" and "out" in command:
            self.compute(command)
        elif kind == "mode":
            self.emit(f"// {command['memory']} to mode {command['mode']}")

    def pointer(self, memory, address):
        base = self.machine.memories[memory].base
        return f"{self.names[memory]} + {address}" + (f" - {base}" if base else "")

    def shape(self, pair):
        """Destination, source, number of dimensions, [count, stride of the destination, of the source] and run of a transfer."""
        source, target = pair["src"], pair["dst"]
        run, dims = source.get("element_bytes", 1), [[n, t, s] for (n, s), (_, t) in zip(source.get("dims", []), target.get("dims", []))]
        while dims and dims[-1][1] == run and dims[-1][2] == run and not isinstance(dims[-1][0], Number):
            run *= dims.pop()[0]
        dims = [d for d in dims if d[0] != 1]
        listed = f"(const int64_t[][3]){c_list(map(c_list, dims))}" if dims else "0"
        return self.pointer(target["memory"], target["address"]), self.pointer(source["memory"], source["address"]), dims, listed, run

    def transfer(self, pair):
        to, from_, dims, listed, run = self.shape(pair)
        if not dims:
            self.emit(f"memcpy({to}, {from_}, {run});")
        elif len(dims) == 1:
            n, t, s = dims[0]
            self.emit(f"memcpy2d({to}, {t}, {from_}, {s}, {run}, {n});")
        else:
            self.emit(f"copy({to}, {from_}, {len(dims)}, {listed}, {run});")

    def read_all_then_write(self, pairs):
        shapes = [self.shape(pair) for pair in pairs]
        reads = [f"gather({from_}, {len(dims)}, {listed}, {run})" for _, from_, dims, listed, run in shapes]
        writes = [f"scatter({to}, taken[{k}], {len(dims)}, {listed}, {run});" for k, (to, _, dims, listed, run) in enumerate(shapes)]
        self.emit(f"{{ uint8_t *taken[] = {c_list(reads)}; {' '.join(writes)} }}")

    def operand(self, operand, name):
        """A C operand; `name`: of the tensor as the op has it."""
        tensor, stored = self.network.tensors[name], self.network.tensors[operand["tensor"]]
        dtype = operand.get("dtype", stored.dtype)
        if operand.get("encoded") or operand.get("bits") == 4 or dtype not in TYPES:
            raise Unsupported(f"`{name}` is encoded, or its type {dtype} has no kernel")
        pieces = [self.piece(p) for p in operand.get("parts", [operand])]
        fields = [TYPES[dtype], len(tensor.shape), len(pieces), f"(const piece[]){c_list(pieces)}"]
        box = operand["as"]["box"] if "as" in operand else operand["box"]
        fields += [c_list(map(c_list, box)) if box else "{{0}}", c_list(tensor.shape) if tensor.shape else "{0}"]
        view = "as" in operand and stored.shape
        fields += [len(stored.shape), c_list(stored.shape)] if view else [0, "{0}"]
        scales = tensor.quantization
        if scales is None:
            fields += [0] * 4
        else:
            fields += [len(scales.scale), scales.axis, f"(const double[]){c_list(map(float, scales.scale))}", f"(const int32_t[]){c_list(scales.zero)}"]
        return "&(const operand)" + c_list(fields)

    def piece(self, part):
        brick = part.get("brick", {})
        return c_list([self.pointer(part["memory"], part["address"]), c_list(map(c_list, part["box"])) if part["box"] else "{{0}}",
                       c_list(part["strides"]) if part.get("strides") else "{0}", brick.get("channels", 0), brick.get("phase", 0), brick.get("stride", 0)])

    def compute(self, command):
        number, op = self.ops[command["op"]]
        self.used.add(number)
        inputs = ["0" if o is None else self.operand(o, name) for name, o in zip(op.operands, command["in"])]
        inputs += ["0"] * (3 - len(inputs))
        accumulate = command.get("accumulate")
        sums, last = "0", 1
        if accumulate:
            last = f"{accumulate['part']} + 1 == {accumulate['parts']}"
            sums = self.operand(accumulate["sums"], op.outputs[0]) if "sums" in accumulate else "0"
        for out in command["out"]:
            self.emit(f"// {plain(op.name)}, tile {command.get('tile', 0)}")
            call_ = self.kernel(op, f"&op{number}, {self.operand(out, op.outputs[0])}, (const operand *const[]){c_list(inputs)}", sums, last)
            self.emit(call_)

    def kernel(self, op, given, sums, last):
        if op.type in ("conv", "matmul"):
            if op.type == "conv" and len(op.kernel) != 2:
                raise Unsupported(f"op `{op.name}` is no convolution over rows and columns")
            return f"{op.type}({given}, {sums}, {last});"
        if op.type in ("max_pool", "average_pool"):
            return f"pool({given}, {int(op.type == 'average_pool')});"
        if op.type == "reduce" and op.function == "mean" and op.axes == [2, 3]:
            return f"mean({given});"
        if op.type == "concat":
            extents = c_list(self.network.tensors[name].shape[op.axes[0]] for name in op.inputs)
            return f"concat({given}, {len(op.inputs)}, (const int32_t[]){extents});"
        if op.type == "softmax" and len(op.axes) == 1:
            return f"softmax({given});"
        if op.type == "elementwise" and op.function in BINARY and (len(op.inputs) > 1 or op.function == "identity"):
            return f"elementwise({given}, {len(op.inputs)}, {BINARY[op.function]});"
        if op.type == "elementwise" and len(op.inputs) == 1 and self.network.tensors[op.inputs[0]].dtype in ("int8", "uint8"):
            return f"lookup({given}, {self.table(op)});"
        raise Unsupported(f"op `{op.name}` of type {op.type} {op.function} has no kernel")

    def table(self, op):
        """Results of a function of one byte; of ops that compute with numbers, with fused functions."""
        dtype = self.network.tensors[op.inputs[0]].dtype
        elements = np.arange(256).astype(np.uint8).view(dtype)
        if op.quantized:
            values = evaluate(op, [(0, 256)], [Part(op.inputs[0], (256,), dtype, [0], elements)])
        else:
            values = call(op.function, [elements])
        name = f"table{list(self.ops).index(op.name)}"
        self.tables[name] = np.clip(values, -32768, 32767)
        return name

    # The program.

    def attributes(self):
        for number, op in self.ops.values():
            if number not in self.used:
                continue
            if any(f not in FUSED or operands for f, operands in op.fused):
                raise Unsupported(f"op `{op.name}` has fused functions without a kernel")
            kernel, rank = op.kernel[:2] or [1, 1], len(op.kernel)
            spatial = [c_list(v[:2] if rank == 2 else [1, 1]) for v in (kernel, op.stride, op.dilation)]
            spatial.append(c_list(op.pad_begin[:2] if rank == 2 else [0, 0]))
            fused = c_list(FUSED[f] for f, _ in op.fused) if op.fused else "{0}"
            axis = op.axes[0] if op.axes else 0
            fields = [*spatial, op.groups, op.shift, int(op.transpose_a), int(op.transpose_b), axis, int(op.quantized), len(op.fused), fused]
            yield f"static const attributes op{number} = {c_list(fields)};  // {plain(op.name)}"

    def outputs(self):
        """Bytes of all outputs, and comparisons with them."""
        data = []
        for name in self.header.get("outputs", ()):
            tensor = self.network.tensors[self.network.storage(name)]
            for atom in place_atoms(tensor, tensor.place):
                values = self.machine.layers.values[tensor.name][tuple(slice(b, e) for b, e in atom.box)]
                if tensor.role == "input":
                    continue
                dims = [(n, s) for n, s in atom.dims if n != 1]
                self.emit(f"equal &= same({self.pointer(atom.memory, atom.address)}, {len(dims)}, "
                          f"(const int64_t[][2]){c_list(map(c_list, dims)) if dims else '{{0}}'}, {atom.run}, file);")
                data.append(to_bytes(values, tensor.dtype).tobytes())
        return b"".join(data)

    def program(self, commands):
        for command in commands:
            self.command(command)
        body, self.lines = self.lines, []
        expected = self.outputs()
        text = [(pathlib.Path(__file__).parent / "codegen_kernels.h").read_text(encoding="utf-8")]
        memories = self.machine.memories.values()
        text += [f"static uint8_t {self.names[m.name]}[{max(1, m.size)}];" for m in memories]
        text += self.attributes()
        text += [f"static const int16_t {name}[] = {c_list(values)};" for name, values in self.tables.items()]
        text.append(SAME)
        text += ["int main(int argc, char **argv) {", '  FILE *file = argc > 1 ? fopen(argv[1], "rb") : 0;', "  int equal = 1;", "  if (!file) return 2;"]
        text += [f"  if (fread({self.names[m.name]}, 1, {m.size}, file) != {m.size}) return 2;" for m in memories if m.size]
        text += [*body, *self.lines, '  puts(equal ? "equal" : "different");', "  return !equal;", "}"]
        return "\n".join(text) + "\n", b"".join(m.content.tobytes() for m in memories) + expected


SAME = """
// Compares the elements of an output with those of the file.
static int same(const uint8_t *at, int dims, const int64_t (*dim)[2], int width, FILE *file) {
  if (dims == 0) {
    uint8_t element[8];
    return fread(element, 1, (size_t)width, file) == (size_t)width && memcmp(element, at, (size_t)width) == 0;
  }
  int equal = 1;
  for (int64_t k = 0; k < dim[0][0]; ++k) equal &= same(at + k * dim[0][1], dims - 1, dim + 1, width, file);
  return equal;
}
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("commands", help="a file of `tessera plan --commands`")
    parser.add_argument("-o", "--output", required=True, help="the C file; the data are beside it, with the ending .bin")
    parser.add_argument("--seed", type=int, default=0, help="of weights and inputs, as for `tessera run`")
    given = parser.parse_args()
    with CommandFile(given.commands) as file:
        try:
            text, data = Generator(file, given.seed).program(file.lines())
        except Unsupported as reason:
            sys.exit(f"{given.commands}: {reason}")
    output = pathlib.Path(given.output)
    output.write_text(text, encoding="utf-8")
    output.with_suffix(".bin").write_bytes(data)


if __name__ == "__main__":
    main()
