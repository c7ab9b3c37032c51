#!/usr/bin/env python3
"""Scales and zero points of TensorFlow Lite models: commands compute what the operators of the file mean.

The file is read by tests/support/flatbuffers.py, and each operator is evaluated with numpy in the order of
the file (N, H, W, C), on the elements that its inputs have. Commands and network are from the program."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import numpy as np

import support

sys.path.insert(0, str(support.ROOT / "tests/support"))
from flatbuffers import Flat  # noqa: E402

from tessera.interpreter import run_commands  # noqa: E402
from tessera.interpreter.layers import Layers  # noqa: E402
from tessera.interpreter.network import Network  # noqa: E402

SMALL = support.ROOT / "tests/fuzz/corpus/tflite/scales.tflite"
MODELS = support.SHARED / "models/tflite"
LONG = "TESSERA_RANDOM_COUNT" in os.environ  # all five models, executed
TYPES = {0: np.float32, 2: np.int32, 9: np.int8}
CODES = {0: "add", 1: "average_pool", 2: "concat", 3: "conv", 4: "depthwise", 6: "same", 9: "dense", 17: "max_pool", 22: "same", 25: "softmax",
         34: "pad", 97: "resize", 114: "same"}
ACTIVATIONS = {0: lambda x: x, 1: lambda x: np.maximum(x, 0), 3: lambda x: np.clip(x, 0, 6)}


class Model(Flat):
    """Scales, types, options and constants of a file."""

    def __init__(self, path):
        super().__init__(path.read_bytes())
        self.listed = self.tables(self.graph(), 0)
        self.names = [self.bytes(each, 3).decode() for each in self.listed]
        self.shapes = [tuple(self.numbers(each, 0)) for each in self.listed]
        self.types = [TYPES[self.number(each, 1, "b")] for each in self.listed]
        buffers = self.tables(self.root, 4)
        self.constants = [self.bytes(buffers[self.number(each, 2, "I")], 0) for each in self.listed]
        codes = [max(self.number(each, 0, "b"), self.number(each, 3, "i")) for each in self.tables(self.root, 1)]
        self.steps = [(CODES[codes[self.number(each, 0, "I")]], self.numbers(each, 1), self.numbers(each, 2), self.options(each))
                      for each in self.tables(self.graph(), 3)]

    def options(self, operator):
        at = self.field(operator, 4)
        table = None if at is None else self.follow(at)
        return lambda number, kind="b", otherwise=0: otherwise if table is None else self.number(table, number, kind, otherwise)

    def scales(self, t):
        """(scale, zero point), which broadcast onto the tensor; none: (1, 0)."""
        at = self.field(self.listed[t], 4)
        table = None if at is None else self.follow(at)
        begin, count = (0, 0) if table is None else self.vector(table, 2)
        if count == 0:
            return np.float64(1), np.int64(0)
        scale = np.frombuffer(self.data, "<f4", count, begin).astype(np.float64)
        begin, zeros = self.vector(table, 3)
        zero = np.frombuffer(self.data, "<i8", zeros, begin) if zeros else np.zeros(count, np.int64)
        if count == 1:
            return scale[0], zero[0]
        wide = [1] * len(self.shapes[t])
        wide[self.number(table, 6, "i")] = count
        return scale.reshape(wide), zero.reshape(wide)


def windows(x, kernel, stride, dilation, padding, outside, out):
    """[N, H, W, kernel H, kernel W, C] of windows; padding 0 is SAME."""
    amounts = [(0, 0)]
    for axis in range(2):
        total = max(0, (out[axis] - 1) * stride[axis] + dilation[axis] * (kernel[axis] - 1) + 1 - x.shape[axis + 1]) if padding == 0 else 0
        amounts.append((total // 2, total - total // 2))
    x = np.pad(x, [*amounts, (0, 0)], constant_values=outside)
    rows = np.arange(out[0])[:, None] * stride[0] + np.arange(kernel[0]) * dilation[0]
    columns = np.arange(out[1])[:, None] * stride[1] + np.arange(kernel[1]) * dilation[1]
    return x[:, rows[:, None, :, None], columns[None, :, None, :], :]


class Evaluation:
    """`expected(k)`: real numbers of the output of step k, given the elements of its inputs."""

    def __init__(self, model, elements):
        self.model, self.elements = model, elements

    def real(self, t):
        scale, zero = self.model.scales(t)
        return (self.elements[t].astype(np.float64) - zero) * scale

    def expected(self, kind, inputs, out, option):
        shape = self.model.shapes[out]
        if kind in ("conv", "depthwise", "dense"):
            return self.product(kind, inputs, shape, option)
        x = self.real(inputs[0])
        if kind == "add":
            return ACTIVATIONS[option(0)](x + self.real(inputs[1]))
        if kind.endswith("pool"):
            seen = windows(x, (option(4, "i"), option(3, "i")), (option(2, "i"), option(1, "i")), (1, 1), option(0), np.nan, shape[1:3])
            return ACTIVATIONS[option(5)](np.nanmean(seen, (3, 4)) if kind == "average_pool" else np.nanmax(seen, (3, 4)))
        if kind == "concat":
            return ACTIVATIONS[option(1)](np.concatenate([self.real(t) for t in inputs], option(0, "i")))
        if kind == "pad":
            return np.pad(x, np.frombuffer(self.model.constants[inputs[1]], "<i4").reshape(-1, 2))
        if kind == "resize":
            at = [np.arange(shape[a]) * x.shape[a] // shape[a] for a in (1, 2)]
            return x[:, at[0]][:, :, at[1]]
        if kind == "softmax":
            powers = np.exp(x - x.max(-1, keepdims=True))
            return powers / powers.sum(-1, keepdims=True)
        return x.reshape(shape)

    def product(self, kind, inputs, shape, option):
        """Exact sums of elements less zero points; a bias counts in the scale of the sums."""
        (x_scale, x_zero), (w_scale, w_zero) = map(self.model.scales, inputs[:2])
        x = self.elements[inputs[0]].astype(np.int64) - x_zero
        w = self.elements[inputs[1]].astype(np.int64) - w_zero
        if kind == "dense":
            sums, activation = x.reshape(-1, w.shape[1]) @ w.T, option(0)
            scale = np.reshape(w_scale, -1)
        else:
            dilations = (5, 6) if kind == "depthwise" else (4, 5)
            seen = windows(x, w.shape[1:3], (option(2, "i"), option(1, "i")), (option(dilations[1], "i", 1), option(dilations[0], "i", 1)), option(0), 0, shape[1:3])
            activation, scale = option(4 if kind == "depthwise" else 3), np.reshape(w_scale, -1)
            if kind == "depthwise":
                per = w.shape[3] // seen.shape[-1]
                sums = np.einsum("nhwklc,klc->nhwc", np.repeat(seen, per, -1), w[0])
            else:
                sums = np.tensordot(seen.astype(np.float64), w.astype(np.float64), ((3, 4, 5), (1, 2, 3))).astype(np.int64)
        if len(inputs) > 2 and inputs[2] >= 0:
            sums = sums + self.elements[inputs[2]]
        return ACTIVATIONS[activation](sums * (x_scale * scale)).reshape(shape)


class Scales(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def tessera(self, *arguments):
        done = subprocess.run([support.TESSERA, *map(str, arguments)], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
        return done.stdout

    def commands(self, network, profile):
        file = self.folder / "net.jsonl"
        self.tessera("plan", network, "-p", profile, "-q", "--tile-shapes", "0", "--commands", file)
        return file

    def elements(self, model, network, values):
        """The elements of the file's tensors, in its order of axes; of intermediate results, that the network has."""
        found = {}
        for t, name in enumerate(model.names):
            if name not in network.tensors:
                continue
            shape, given = model.shapes[t], values[name]
            order = {"depthwise": (1, 2, 3, 0)}.get(self.weights_of(model, t), (0, 2, 3, 1)) if len(shape) == 4 else range(len(shape))
            found[t] = given.transpose(order) if given.ndim == len(shape) else given
            found[t] = found[t].reshape(shape)
        return found

    @staticmethod
    def weights_of(model, t):
        return next((kind for kind, inputs, _, _ in model.steps if t in inputs[1:2]), None)

    def holds(self, path, file):
        """Every operator whose tensors the network has; returns their number."""
        model = Model(path)
        with file.open(encoding="utf-8") as lines:
            network = Network(json.loads(lines.readline()))
        values = Layers(network, 1).values
        elements = self.elements(model, network, values)
        evaluation, compared = Evaluation(model, elements), 0
        for kind, inputs, (out,), option in model.steps:
            needed = [t for t in inputs if t >= 0 and not (kind in ("pad", "resize", "same") and t != inputs[0])]
            if out not in elements or any(t not in elements for t in needed):
                continue
            made, found = evaluation.expected(kind, inputs, out, option), elements[out]
            if model.types[out] is np.float32:
                np.testing.assert_array_equal(found, made.astype(np.float32), model.names[out])
            else:
                scale, zero = model.scales(out)
                exact = made / scale + zero
                half = np.abs(exact - np.floor(exact) - 0.5) < 1e-6  # may be rounded to either side
                right = np.clip(np.rint(exact), -128, 127) == found
                self.assertTrue(np.all(right | half), f"{model.names[out]}: {kind}")
                self.assertLess(np.abs(np.clip(exact, -128, 127) - found).max(), 0.5 + 1e-5)
                self.assertGreater(len(np.unique(found)), 2 if found.size > 8 else 1, model.names[out])
            compared += 1
        return compared, len(model.steps)

    def test_a_small_model(self):
        for profile in ("gap9-like", "nvdla-like"):
            with self.subTest(profile=profile):
                file = self.commands(SMALL, profile)
                self.assertEqual(self.holds(SMALL, file), (9, 9))
                report = run_commands(file, 3)
                self.assertEqual((report.status, report.reason), ("equal", ""))

    def test_yaml_keeps_the_scales(self):
        direct = self.commands(SMALL, "gap9-like").read_text(encoding="utf-8").splitlines()[1:]
        header = json.loads(self.commands(SMALL, "gap9-like").read_text(encoding="utf-8").splitlines()[0])
        self.tessera("import", SMALL, "-o", self.folder / "net.yaml", "-q")
        again = self.commands(self.folder / "net.yaml", "gap9-like").read_text(encoding="utf-8").splitlines()
        self.assertEqual([t.get("quantization") for t in json.loads(again[0])["tensors"]], [t.get("quantization") for t in header["tensors"]])
        self.assertEqual(again[1:], direct)

    def test_real_models(self):
        files = sorted(MODELS.glob("*.tflite"))
        if not files:
            self.skipTest(f"{MODELS} has no models")
        for path in files:
            with self.subTest(model=path.name):
                file = self.commands(path, "gap9-like")
                compared, steps = self.holds(path, file)
                self.assertGreater(compared, 0.8 * steps)
                if LONG or path.name == "mlperf_dscnn_kws_int8.tflite":
                    report = run_commands(file, 1)
                    self.assertEqual((report.status, report.reason), ("equal", ""))

    def test_generated_c(self):
        """The generated program computes with scales, too."""
        path = MODELS / "mlperf_dscnn_kws_int8.tflite"
        compiler = os.environ.get("CC") or shutil.which("gcc") or shutil.which("cc")
        if compiler is None or not path.exists():
            self.skipTest(f"there is no C compiler, or no {path}")
        program = self.folder / "program"
        for line in ([sys.executable, support.ROOT / "examples/codegen.py", self.commands(path, "gap9-like"), "-o", program.with_suffix(".c")],
                     [compiler, "-std=c99", "-Wall", "-Wextra", "-Werror", "-O1", "-o", program, program.with_suffix(".c"), "-lm"],
                     [program, program.with_suffix(".bin")]):
            done = subprocess.run(line, capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
        self.assertEqual(done.stdout, "equal\n")


if __name__ == "__main__":
    unittest.main()
