"""Visual outputs: trace and picture of a plan, picture of a placement."""

import json
import re
import unittest
import xml.etree.ElementTree

import trace_format
from support import BAD_INPUT, EXAMPLES, FOUND, NO_PEAK, SHARED, SLOW, TOY_NETWORK, Case

PROFILE = """tessera: hardware/1
name: small
inherit: base/npu
memories: {sram: {capacity: 12 KiB, energy: 1 pJ/B}}
tiling: {one_copy: [none]}  # else nothing is kept: a single run is the best cover
"""
SVG = "{http://www.w3.org/2000/svg}"


def chain(ops):
    """A network of many ops with long names."""
    lines = ["tessera: network/1", "name: chain", "tensors: {x: {shape: [1, 4, 16, 16], dtype: int8}}",
             "inputs: [x]", "ops:"]
    for k in range(ops):
        lines.append(f"  - {{name: /backbone/stage{k // 7}/stage{k // 7}.{k}/convolution_{k}/Conv, type: conv, inputs: "
                     f"[{'x' if k == 0 else f't{k - 1}'}], output: t{k}, weights: {{shape: [4, 4, 1, 1]}}}}")
    return "\n".join(lines + [f"outputs: [t{ops - 1}]", ""])


class TraceFormat(unittest.TestCase):
    """Tests of the format check itself."""

    def found(self, *events, **more):
        return " ".join(trace_format.problems(json.dumps({"traceEvents": events, **more})))

    def test_what_is_wrong_is_found(self):
        right = {"ph": "X", "name": "a", "pid": 1, "tid": 1, "ts": 1.5, "dur": 2}
        count = {"ph": "C", "name": "c", "pid": 1, "tid": 0, "ts": 5, "args": {"n": 1}}
        begin = {"ph": "B", "name": "b", "pid": 1, "tid": 1, "ts": 0}
        name = {"ph": "M", "name": "thread_name", "pid": 1, "tid": 1, "args": {"name": "mac"}}
        self.assertEqual(self.found(right, count, name, begin, {**begin, "ph": "E", "ts": 1}), "")
        for event, word in (({**right, "ts": -1}, "ts"), ({**right, "dur": "2"}, "dur"), ({**right, "pid": "1"}, "pid"),
                            ({**right, "name": ""}, "name"), ({**count, "args": {"n": "1"}}, "counter"),
                            ({**count, "args": {}}, "counter"), ({**right, "ph": "Q"}, "phase"),
                            ({**name, "args": {}}, "metadata"), ({**name, "name": "lane"}, "metadata"),
                            (begin, "do not end"), ({**begin, "ph": "E"}, "did not begin")):
            self.assertIn(word, self.found(event), event)
        self.assertIn("back in time", self.found(count, {**count, "ts": 4}))
        self.assertIn("displayTimeUnit", self.found(right, displayTimeUnit="s"))


class Traces(Case):
    def trace(self, network, profile, *more):
        file, plan = self.folder / "trace.json", self.folder / "plan.json"
        self.ends(FOUND, "plan", network, "-p", profile, "-o", plan, "--trace", file, "-q", "--proof-shapes", 0, *more)
        text = file.read_text()
        self.assertEqual(trace_format.problems(text), [])
        return json.loads(text)["traceEvents"], json.loads(plan.read_text())

    @staticmethod
    def integral(events, counter, series):
        """Integral of a counter over time: its unit times microseconds."""
        samples = [(e["ts"], e["args"][series]) for e in events if e["ph"] == "C" and e["name"] == counter]
        return sum(value * (end - begin) for (begin, value), (end, _) in zip(samples, samples[1:]))

    def adds_up(self, network, profile, bandwidth, capacity, *more):
        events, plan = self.trace(network, profile, *more)
        per_us = plan["clock_hz"] / 1e6
        bus = "dram, bytes per cycle"
        moved = (self.integral(events, bus, "read") + self.integral(events, bus, "written")) * per_us
        self.assertAlmostEqual(moved / plan["totals"]["dram_bytes"], 1, delta=1e-4)
        # mW times microseconds are nJ.
        energy = self.integral(events, "power, mW", "mW") * 1e3
        self.assertAlmostEqual(energy / plan["totals"]["energy_pj"], 1, delta=1e-4)
        on_bus = [e["args"] for e in events if e["ph"] == "C" and e["name"] == bus]
        self.assertLessEqual(max(a["read"] + a["written"] for a in on_bus), bandwidth * 1.0001)
        in_use = [e["args"]["bytes"] for e in events if e["ph"] == "C" and e["name"] == "sram, bytes in use"]
        self.assertGreater(max(in_use), 0)
        self.assertLessEqual(max(in_use), capacity)
        self.assertEqual(in_use[-1], 0)
        live = [e["args"]["bytes"] for e in events if e["ph"] == "C" and e["name"] == "dram, bytes live"]
        self.assertGreater(max(live), 0)
        self.assertLessEqual(max(live), plan["offchip"][0]["height"])
        self.assertEqual(live[-1], 0)
        lanes = {e["args"]["name"] for e in events if e["ph"] == "M" and e["name"] == "thread_name"}
        self.assertLessEqual({"groups of ops"}, lanes)
        ops = {e["name"] for e in events if e["ph"] == "X" and e["cat"] == "op"}
        return events, plan, ops

    def test_counters_add_up_to_the_plan(self):
        network = self.file("toy.yaml", TOY_NETWORK)
        for more in ("", "memories.sram.capacity=256 KiB", "dma.channels=3"):
            with self.subTest(more):
                settings = ("--set", "memories.dram.bandwidth=4 B/cycle", *(("--set", more) if more else ()))
                profile = self.file("small.yaml", PROFILE)
                _, _, ops = self.adds_up(network, profile, 4, 256 << 10, *settings)
                self.assertLessEqual({"c1", "a1", "c2"}, ops)

    def test_weights_for_good_are_in_use_all_the_time(self):
        network = self.file("toy.yaml", TOY_NETWORK)
        events, plan = self.trace(network, "edgetpu-like", "--set", "tiling.pinned=weights", *NO_PEAK)
        pinned = sum(pin["bytes"] for pin in plan["pinned"])
        self.assertGreater(pinned, 0)
        counter = f"{plan['pinned'][0]['memory']}, bytes in use"
        in_use = [e["args"]["bytes"] for e in events if e["ph"] == "C" and e["name"] == counter]
        self.assertGreater(max(in_use), pinned)
        self.assertLessEqual(max(in_use), plan["totals"]["peak_bytes"])
        self.assertEqual(min(in_use), pinned)
        self.assertEqual(in_use[-1], pinned)

    def test_a_real_network(self):
        network = SHARED / "models" / "mobilenet_v2.onnx"
        if not network.exists():
            self.skipTest(f"{network} is not there")
        _, plan, ops = self.adds_up(network, "ethos-u65-256", 3.75, 384 << 10, "--dtype", "int8", "--timeout", "8s")
        names = {name for s in plan["subgraphs"] for name in s["ops"]}
        self.assertLessEqual(names, ops | {f"{op}, last channels" for op in ops})


class Kinds(Case):
    def test_a_result_says_what_weights_are_and_is_held_to_it(self):
        problem = self.file("in.yaml", "tessera: problem/1\nmemories: {m: {capacity: 64}}\nbuffers:\n"
                            "  - {id: a, live: [0, 2], size: 4}\n  - {id: w, live: [0, 2], size: 4, kind: weight}\n")
        result = self.folder / "out.json"
        self.ends(FOUND, "place", problem, "-o", result, "-q")
        placed = json.loads(result.read_text())
        self.assertEqual({b["id"]: b.get("kind") for b in placed["buffers"]}, {"a": None, "w": "weight"})
        self.ends(FOUND, "check", problem, result)
        for b in placed["buffers"]:
            if b["id"] == "a":
                b["kind"] = "weight"
        result.write_text(json.dumps(placed))
        self.assertIn("another kind", self.ends(BAD_INPUT, "check", problem, result).stderr)


class Pictures(Case):
    def drawn(self, *command):
        file = self.folder / "picture.svg"
        self.ends(FOUND, *command, "--plot", file, "-q")
        self.svg = file.read_text()
        return xml.etree.ElementTree.parse(file).getroot()

    @staticmethod
    def legend(root):
        """Fill -> label, and the boxes outside of the legend."""
        words, rest = {}, []
        elements = list(root)
        for k, element in enumerate(elements):
            if element.tag == SVG + "rect" and (element.get("width"), element.get("height")) == ("20", "12"):
                words[element.get("fill")] = elements[k + 1].text
            elif element.tag in (SVG + "rect", SVG + "polygon"):
                rest.append(element)
        return words, rest

    def in_legend(self, root, buffers):
        """The legend lists exactly the contents of the picture."""
        words, rest = self.legend(root)
        used = {element.get("fill") for element in rest}
        self.assertLessEqual(set(words), used, f"not on the picture: {[words[c] for c in set(words) - used]}")
        told = {e.get("fill") for e in rest if any(buffers in (t.text or "") for t in e.iter(SVG + "title"))}
        self.assertTrue(told)
        self.assertLessEqual(told, set(words))
        return set(words.values())

    def test_a_plan(self):
        asked = ("plan", self.file("toy.yaml", TOY_NETWORK), "-p", self.file("small.yaml", PROFILE))
        self.assertIn("resident across groups", self.in_legend(self.drawn(*asked), "\ncycles "))
        root = self.drawn(*asked, "--residency", "off")
        words = self.in_legend(root, "\ncycles ")
        self.assertLessEqual({"weights", "input", "output", "DRAM read"}, words)
        self.assertNotIn("resident across groups", words)
        texts = [t.text for t in root.iter(SVG + "text")]
        for text in ("toy on small", "sram", "dram", "bus to dram", "array", "cycles", "c1", "a1", "c2"):
            self.assertIn(text, texts)
        self.assertTrue(any("off-chip" in (t or "") for t in texts))

    def test_what_stays_over_cuts_is_one_box(self):
        root = self.drawn("plan", EXAMPLES / "classifier.tflite", "-p", "ethos-u55-256", "--proof-shapes", 0)
        self.assertIn("resident across groups", self.in_legend(root, "\ncycles "))
        titles = [t.text for t in root.iter(SVG + "title")]
        kept = [t for t in titles if "resident across groups" in t and t.startswith("conv/Relu")]
        self.assertEqual(len(kept), 1, "one box through the runs that make and read it")

    def test_modes_and_banks(self):
        root = self.drawn("plan", EXAMPLES / "classifier.tflite", "-p", "nvdla-like", "--proof-shapes", 0)
        words = self.in_legend(root, "\ncycles ")
        self.assertTrue(any(word.startswith("mode ") for word in words))
        self.assertIn("bank border", {t.text for t in root.iter(SVG + "text")})

    def test_names_do_not_overlap_and_those_left_out_are_counted(self):
        for ops in (3, 40, 400):
            with self.subTest(ops):
                root = self.drawn("plan", self.file("chain.yaml", chain(ops)), "-p", "eyeriss-like", "--max-ops", 4)
                at = sorted(float(re.match(r"translate\(([\d.]+)", t.get("transform")).group(1))
                            for t in root.iter(SVG + "text") if t.get("transform"))
                for one, other in zip(at, at[1:]):
                    self.assertGreaterEqual(other - one, 9)
                told = re.search(r">(\d+) of (\d+) ops are named", self.svg)
                named = int(told.group(1)) if told else ops
                self.assertGreater(named, {3: 2, 40: 20, 400: 50}[ops])
                self.assertLess(named, {3: 4, 40: 41, 400: 400}[ops])
                if told:
                    self.assertEqual(int(told.group(2)), ops)
                    self.assertLess(named, ops)
                self.assertLess(len(self.svg), 1 << 20)

    @unittest.skipIf(SLOW, "a build without optimisation")
    def test_large_files_are_noted(self):
        network = self.file("chain.yaml", chain(6000))
        command = ("plan", network, "-p", "eyeriss-like", "--layer-by-layer", "--trace", self.folder / "trace.json",
                   "--plot", self.folder / "plan.svg")
        said = self.ends(FOUND, *command, "-o", self.folder / "plan.json").stderr
        self.assertRegex(said, r"note: .*trace.json has \d+ MiB; --plot writes")
        self.assertNotIn("plan.svg has", said)
        self.assertLess((self.folder / "plan.svg").stat().st_size, 4 << 20)
        self.assertEqual(self.ends(FOUND, *command, "-q").stderr, "")

    def test_a_placement(self):
        root = self.drawn("place", EXAMPLES / "residual-block.csv", "-c", "150 KiB")
        words = self.in_legend(root, ": size ")
        self.assertEqual(words, {"buffer live for 1 step", "2 steps", "3 steps"})
        self.assertIn("capacity", {t.text for t in root.iter(SVG + "text")})
        # No line at a capacity outside of the picture, and no label of it.
        root = self.drawn("place", EXAMPLES / "residual-block.csv", "-c", "15 MiB")
        self.assertNotIn("capacity", {t.text for t in root.iter(SVG + "text")})


if __name__ == "__main__":
    unittest.main()
