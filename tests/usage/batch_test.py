#!/usr/bin/env python3
"""plan --batch: one request per line, one result per line, including invalid lines."""

import json
import signal
import time
import unittest

from support import BAD_INPUT, EXAMPLES, FOUND, Case, run, start, strict_json

NETWORK = """tessera: network/1
name: toy
tensors: {x: {shape: [1, 64, 56, 56], dtype: int8}}
inputs: [x]
ops:
  - {name: c1, type: conv, inputs: [x], output: t, weights: {shape: [64, 64, 3, 3]}, pad: [1, 1, 1, 1]}
  - {name: a1, type: add, inputs: [t, x], output: y}
outputs: [y]
"""


class Batch(Case):
    def answers(self, text, code=FOUND, *options):
        done = run("plan", "--batch", *options, stdin=text)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return [strict_json(line) for line in done.stdout.splitlines()]

    def test_a_line_each(self):
        toy = str(self.file("toy.yaml", NETWORK))
        requests = [
            toy,
            json.dumps({"network": toy}),
            "",
            json.dumps({"network": toy, "profile": "nvdla-like",
                        "set": {"memories.cbuf.bank_size": "16 KiB", "engines.vec.lanes": 32}}),
        ]
        first, second, third = self.answers("\n".join(requests), FOUND, "-p", "ethos-u55-like")
        self.assertEqual([each["line"] for each in (first, second, third)], [1, 2, 4])
        for each in (first, second):
            del each["line"], each["seconds"]
        self.assertEqual(first, second)
        self.assertEqual(first["status"], "feasible")
        self.assertEqual(third["set"], {"memories.cbuf.bank_size": "16 KiB",
                                        "engines.vec.lanes": "32"})

    def test_as_plan_itself(self):
        toy = self.file("toy.yaml", NETWORK)
        alone = strict_json(self.ends(FOUND, "plan", toy, "-p", "ethos-u55-like", "--format",
                                      "json").stdout)
        line, = self.answers(str(toy) + "\n", FOUND, "-p", "ethos-u55-like")
        self.assertEqual(line["score"], alone["score"])
        self.assertEqual(line["latency_cycles"], alone["totals"]["latency_cycles"])

    def test_a_change_has_the_effect_of_another_profile(self):
        toy = self.file("toy.yaml", NETWORK)
        file = self.file("mine.yaml", "tessera: hardware/1\nname: mine\ninherit: nvdla-like\n"
                                      "memories: {dram: {bandwidth: 1 GB/s}}\n")
        mine, changed, plain = self.answers("\n".join(json.dumps(each) for each in (
            {"network": str(toy), "profile": str(file)},
            {"network": str(toy), "profile": "nvdla-like",
             "set": {"memories.dram.bandwidth": "1 GB/s"}},
            {"network": str(toy), "profile": "nvdla-like"})))
        self.assertEqual(mine["latency_cycles"], changed["latency_cycles"])
        self.assertNotEqual(plain["latency_cycles"], changed["latency_cycles"])

    def test_errors_are_lines_too(self):
        toy = str(self.file("toy.yaml", NETWORK))
        wrong = {
            json.dumps({"network": "none.onnx"}): "none.onnx",
            json.dumps({"network": toy, "profile": "nvdla-lik"}): "neither a file nor",
            json.dumps({"network": toy, "set": {"memories.srm.capacity": 1}}): "no entry `srm`",
            json.dumps({"network": toy, "colour": 1}): "unknown key `colour`",
            json.dumps({"set": {}}): "no `network`",
            "{": "line 6",
            json.dumps({"network": "-"}): "must be a file",
            json.dumps({"network": toy, "dtype": "int7"}): "int7",
            json.dumps({"network": toy, "set": {"clock": None}}): "clock",
        }
        text = "\n".join([*wrong, toy])
        *bad, good = self.answers(text, BAD_INPUT, "-p", "ethos-u55-like")
        self.assertEqual(good["status"], "feasible")
        self.assertEqual(len(bad), len(wrong))
        for line, words in zip(bad, wrong.values()):
            self.assertIn(words, line["error"])
        self.assertEqual(bad[1]["hint"], "did you mean `nvdla-like`?")
        no_profile, = self.answers(toy, BAD_INPUT)
        self.assertIn("`profile` is missing", no_profile["error"])

    def test_an_answer_comes_as_soon_as_it_is_there(self):
        toy = self.file("toy.yaml", NETWORK)
        process = start("plan", "--batch", "-p", "ethos-u55-like", stdin=-1)
        for end in (process.stdin, process.stdout, process.stderr):
            self.addCleanup(end.close)
        self.addCleanup(process.kill)
        for _ in range(2):
            process.stdin.write(f"{toy}\n".encode())
            process.stdin.flush()
            self.assertEqual(strict_json(process.stdout.readline().decode())["status"], "feasible")
        process.send_signal(signal.SIGINT)
        begin = time.monotonic()
        self.assertEqual(process.wait(timeout=30), 130)
        self.assertLess(time.monotonic() - begin, 10)

    def test_limits_hold_for_each_plan(self):
        line, = self.answers(f"{EXAMPLES / 'fsrcnn_x2_360p.onnx'}\n", FOUND, "-p", "nvdla-like",
                             "--dtype", "int8", "--timeout", "1ms")
        self.assertEqual(line["stop"], "time_limit")

    def test_what_does_not_go_with_it(self):
        toy = self.file("toy.yaml", NETWORK)
        self.ends(BAD_INPUT, "plan", "--batch", toy, "-p", "nvdla-like", stdin="")
        self.ends(BAD_INPUT, "plan", "--batch", "-o", self.folder / "p.json", stdin="")
        self.ends(BAD_INPUT, "plan", "--batch", "--reference", "nvdla-like", stdin="")
        self.ends(BAD_INPUT, "plan")
        self.ends(BAD_INPUT, "plan", toy)


if __name__ == "__main__":
    unittest.main()
