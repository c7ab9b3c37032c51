"""tessera schedule and check of its solutions: format, readings, limits, errors, the shared evaluator."""

import importlib.util
import json
import unittest

from support import BAD_INPUT, FOUND, INFEASIBLE, SHARED, WRONG, Case

CONTEST = SHARED / "benchmarks" / "mlsys-2026"
CHAIN = {"widths": [128] * 4, "heights": [128] * 4, "inputs": [[0], [1], [1, 2]], "outputs": [[1], [2], [3]],
         "base_costs": [1500] * 3, "op_types": ["Pointwise"] * 3, "fast_memory_capacity": 50000,
         "slow_memory_bandwidth": 10, "native_granularity": [128, 128]}


class Schedule(Case):
    def problem(self, **changes):
        return self.file("problem.json", json.dumps({**CHAIN, **changes}, indent=1))

    def test_solution_is_checked(self):
        problem, out = self.problem(), self.folder / "solution.json"
        result = json.loads(self.ends(FOUND, "schedule", problem, "-o", out, "--format", "json").stdout)
        self.assertEqual((result["status"], result["latency"], result["proved"]), ("feasible", 4500, True))
        solution = json.loads(out.read_text())
        self.assertEqual(sum(solution["subgraph_latencies"]), 4500)
        self.assertIn("latency 4500.0,", self.ends(FOUND, "check", problem, out).stdout)
        solution["granularities"][0] = [256, 128, 1]
        wrong = self.file("wrong.json", json.dumps(solution))
        self.assertIn("exceeds the native granularity", self.ends(WRONG, "check", problem, wrong).stdout)

    def test_no_schedule_fits(self):
        self.ends(INFEASIBLE, "schedule", self.problem(fast_memory_capacity=1), "--effort", "quick")

    def test_errors_name_the_key(self):
        for changes, text in (({"heights": [128] * 3}, "`heights` has 3 entries, `widths` has 4"),
                              ({"op_types": ["Conv"] * 3}, "op_types"),
                              ({"inputs": [[0], [2], [1, 2]]}, "cycle"),
                              ({"inputs": [[0], [9], [1, 2]]}, "op 1 has a tensor that does not exist")):
            done = self.ends(BAD_INPUT, "schedule", self.problem(**changes), "-o", self.folder / "out.json")
            self.assertIn(text, done.stderr)
            self.assertIn("problem.json:", done.stderr)

    @unittest.skipUnless(CONTEST.is_dir(), "the shared benchmarks are missing")
    def test_the_shared_evaluator_agrees(self):
        spec = importlib.util.spec_from_file_location("evaluate", CONTEST / "evaluate.py")
        evaluate = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(evaluate)
        for name, reading in (("mlsys-2026-1", "default"), ("mlsys-2026-3", "rulings"), ("mlsys-2026-7", "default")):
            problem, out = CONTEST / "benchmarks" / f"{name}.json", self.folder / f"{name}.json"
            args = ("--reading", reading, "--effort", "200000", "--format", "json")
            result = json.loads(self.ends(FOUND, "schedule", problem, "-o", out, *args).stdout)
            steps, _ = evaluate.parse_solution(json.loads(out.read_text()))
            ours = evaluate.evaluate(evaluate.Problem(json.loads(problem.read_text())), steps,
                                     evaluate.reading(reading))
            self.assertAlmostEqual(float(ours.total) / result["latency"], 1, places=9)
            self.ends(FOUND, "check", problem, out, "--reading", reading)


if __name__ == "__main__":
    unittest.main()
