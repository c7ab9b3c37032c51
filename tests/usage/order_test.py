"""tessera order and place --order: graphs, models, networks; outputs, limits, errors."""

import json
import unittest

from support import BAD_INPUT, EXAMPLES, FOUND, Case

GRAPH = EXAMPLES / "branches.json"
MODEL = EXAMPLES / "classifier.tflite"


class Order(Case):
    def order(self, *arguments):
        return json.loads(self.ends(FOUND, "order", *arguments, "--format", "json").stdout)

    def graph(self, name, tensors, ops, **rest):
        return self.file(name, json.dumps({
            "tessera": "graph/1", "tensors": [{"id": i, "size": s} for i, s in tensors],
            "ops": [{"id": i, "inputs": a, "outputs": b} for i, a, b in ops], **rest}))

    def test_a_branch_after_the_other(self):
        result = self.order(GRAPH)
        self.assertEqual((result["status"], result["peak"], result["bound"], result["proved"], result["first_peak"]),
                         ("feasible", 16464, 16464, True, 34496))
        names = [op["id"] for op in json.loads(GRAPH.read_text())["ops"]]
        self.assertEqual(sorted(result["order"]), sorted(names))

    def test_outputs(self):
        out, picture = self.folder / "order.json", self.folder / "order.svg"
        self.ends(FOUND, "order", GRAPH, "-o", out, "--plot", picture, "-q")
        self.assertEqual(json.loads(out.read_text())["peak"], 16464)
        self.assertIn("peak of 16464 live bytes", picture.read_text())

    def test_height_has_a_placement(self):
        result = self.order(GRAPH, "--minimize", "height")
        self.assertEqual((result["height"], result["height_bound"], result["height_proved"]), (16464, 16464, True))
        self.assertEqual(max(b["offset"] + b["size"] for b in result["buffers"]), 16464)

    def test_what_a_graph_can_say(self):
        tensors, ops = [("x", 8), ("y", 8), ("z", 2)], [("p", ["x"], ["y"]), ("q", ["y"], ["z"])]
        self.assertEqual(self.order(self.graph("plain.json", tensors, ops))["peak"], 16)
        self.assertEqual(self.order(self.graph("place.json", tensors, ops, in_place=[["x", "y"]]))["peak"], 10)
        self.assertEqual(self.order(self.graph("out.json", tensors, ops, outputs=["x"], in_place=[["x", "y"]]))["peak"],
                         18)
        weights = self.graph("weights.json", tensors + [("w", 5)], [("p", ["x"], ["y"]), ("q", ["y", "w"], ["z"])],
                             weights=["w"])
        self.assertEqual(self.order(weights)["peak"], 16)
        parts = self.graph("inside.json", [("x", 1), ("a", 4), ("b", 4), ("y", 8)],
                           [("p", ["x"], ["a"]), ("q", ["x"], ["b"]), ("r", ["a", "b"], ["y"])],
                           inside=[["a", "y"], ["b", "y"]])
        self.assertEqual(self.order(parts)["peak"], 9)
        fixed = self.graph("before.json", [("a", 9), ("b", 1), ("c", 9), ("d", 1)],
                           [("p", [], ["a"]), ("q", ["a"], ["b"]), ("r", [], ["c"]), ("s", ["c"], ["d"])],
                           before=[["r", "q"], ["p", "s"]])
        self.assertEqual(self.order(fixed)["peak"], 19)

    def test_a_reordered_model_is_a_model(self):
        out = self.folder / "ordered.tflite"
        self.ends(FOUND, "order", MODEL, "-o", out)
        self.assertEqual(len(out.read_bytes()), MODEL.stat().st_size)
        before = json.loads(self.ends(FOUND, "place", MODEL, "--minimize", "--format", "json").stdout)["height"]
        after = json.loads(self.ends(FOUND, "place", out, "--minimize", "--format", "json").stdout)["height"]
        self.assertLessEqual(after, before)
        self.assertEqual(self.order(out)["peak"], self.order(MODEL)["peak"])

    def test_a_model_with_a_plan_is_refused(self):
        planned = self.folder / "planned.tflite"
        self.ends(FOUND, "place", MODEL, "-o", planned)
        done = self.ends(BAD_INPUT, "order", planned, "-o", self.folder / "out.tflite")
        self.assertIn("has a plan of its arena", done.stderr)

    def test_a_reordered_network_reads_back(self):
        net, out = self.folder / "net.yaml", self.folder / "out.yaml"
        self.ends(FOUND, "import", EXAMPLES / "fsrcnn_x2_360p.onnx", "-o", net)
        self.ends(FOUND, "order", net, "-o", out)
        self.assertEqual(self.order(out)["peak"], self.order(net)["peak"])

    def test_place_orders_as_well(self):
        result = json.loads(self.ends(FOUND, "place", "--order", GRAPH, "--format", "json").stdout)
        self.assertEqual((result["height"], result["proven_minimum"]), (16464, True))
        self.ends(20, "place", "--order", GRAPH, "-c", "16463")
        self.ends(FOUND, "place", "--order", GRAPH, "-c", "16464")
        self.assertIn("add --order", self.ends(BAD_INPUT, "place", GRAPH).stderr)
        self.assertIn("--capacity", self.ends(BAD_INPUT, "place", "--order", GRAPH, "-p", "nvdla-like").stderr)

    def test_outputs_that_the_input_does_not_have(self):
        for name, text in (("a.tflite", "is not a TensorFlow Lite model"), ("a.yaml", "is not an ONNX or YAML")):
            self.assertIn(text, self.ends(BAD_INPUT, "order", GRAPH, "-o", self.folder / name).stderr)
        self.assertEqual(self.names(), [])

    def test_a_limit_leaves_an_order_and_a_bound(self):
        tensors = [("x", 1)] + [(f"{c}{k}", 7 + 3 * k % 5) for k in range(30) for c in "ab"]
        ops = [op for k in range(30) for op in ((f"p{k}", ["x"] if k < 3 else [f"b{k - 3}", f"a{k - 2}"], [f"a{k}"]),
                                                (f"q{k}", [f"a{k}"], [f"b{k}"]))]
        result = self.order(self.graph("large.json", tensors, ops), "--max-nodes", "1")
        self.assertLessEqual(result["bound"], result["peak"])
        self.assertEqual(len(result["order"]), 60)


if __name__ == "__main__":
    unittest.main()
