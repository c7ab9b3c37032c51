"""Lexicographic objectives."""

import json
import unittest

from support import BAD_INPUT, EXAMPLES, FOUND, INFEASIBLE, WRONG, Case

TEXT = """tessera: problem/1
memories: {m: {capacity: 9}}
buffers:
  - {id: a, live: [0, 2], size: 3}
  - {id: b, live: [2, 4], size: 3}
  - {id: c, live: [1, 3], size: 2}
relations:
  - {avoid_overlap: [a, b], cost: 4}
objective: OBJECTIVE
"""


class Objectives(Case):
    def problem(self, objective, text=TEXT):
        path = self.folder / "problem.yaml"
        path.write_text(text.replace("OBJECTIVE", objective))
        return path

    def place(self, path, *arguments, ends=FOUND):
        return json.loads(self.ends(ends, "place", path, *arguments, "--format", "json").stdout)

    def test_the_order_decides(self):
        for objective, expected in (
            ("[minimize_height, minimize_cost]", [("height", 5), ("cost", 4)]),
            ("[minimize_cost, minimize_height]", [("cost", 0), ("height", 8)]),
            ("[minimize_cost]", [("cost", 0)]),
        ):
            path = self.problem(objective)
            for asked in ((), ("--minimize",)):
                result = self.place(path, *asked)
                self.assertEqual(result["objectives"], [{"name": name, "value": value, "bound": value, "proved": True}
                                                        for name, value in expected])
                self.assertTrue(result["proven_optimal"])
            # A single objective if the command line requests one.
            self.assertEqual([each["value"] for each in self.place(path, "--minimize", "height")["objectives"]], [5])

    def test_text(self):
        told = self.ends(FOUND, "place", self.problem("[minimize_cost, minimize_height]")).stdout
        self.assertIn("in order    cost 0, minimum proved\n            then height 8, minimum proved at the values before\n", told)

    def test_results_are_checked(self):
        path, placed = self.problem("[minimize_height, minimize_cost]"), self.folder / "placed.json"
        self.ends(FOUND, "place", path, "-o", placed)
        told = self.ends(FOUND, "check", path, placed).stdout
        self.assertIn("claimed, not checked: bound 4 of the cost, at the values of the preceding objectives", told)
        self.assertIn("proved: lower_bound 5", told)
        result = json.loads(placed.read_text())
        height, cost = result["objectives"]
        for changed in ([height, {**cost, "value": 3}], [{**height, "bound": 4}, cost], [height, {**cost, "bound": 5}],
                        [height, cost, cost], [height, {**cost, "proved": False}], [cost, height]):
            placed.write_text(json.dumps({**result, "objectives": changed}))
            self.ends(WRONG, "check", path, placed)

    def test_certificates_are_about_the_first(self):
        proof = self.folder / "c.proof"
        path = self.problem("[minimize_height, minimize_cost]")
        self.assertIn("proves: max height of {m} >= 5", self.ends(FOUND, "place", path, "--proof", proof).stderr)
        self.ends(FOUND, "check", path, "--proof", proof)
        text = (EXAMPLES / "fast-memory.yaml").read_text()
        first = self.problem("", text.replace("maximize_benefit", "[maximize_benefit, minimize_height]"))
        self.assertIn("proves: benefit <= 196", self.ends(FOUND, "place", first, "--proof", proof).stderr)
        later = self.problem("", text.replace("maximize_benefit", "[minimize_height, maximize_benefit]"))
        self.assertIn("certificate", self.ends(BAD_INPUT, "place", later, "--proof", proof).stderr)
        # The minimum height of the required buffers, then the optional buffers that fit into it.
        result = self.place(later)
        self.assertEqual([(each["name"], each["value"]) for each in result["objectives"]], [("height", 4096), ("benefit", 0)])
        self.ends(INFEASIBLE, "place", later, "-c", "3 KiB", "--minimize")

    def test_what_cannot_be_is_said(self):
        for objective, words in (
            ("[]", "the list of objectives is empty"),
            ("[minimize_cost, minimize_cost]", "names an objective twice"),
            ("[fit, minimize_cost]", "names `fit`"),
            ("[minimize_cost, lowest]", "lowest"),
            ("[[minimize_cost]]", "objective"),
        ):
            self.assertIn(words, self.ends(BAD_INPUT, "place", self.problem(objective)).stderr)
        self.assertIn("engine boxing does not support",
                      self.ends(BAD_INPUT, "place", self.problem("[minimize_height, minimize_cost]"), "-e", "boxing").stderr)

    def test_what_is_written_is_read(self):
        copy = self.folder / "copy.yaml"
        self.ends(FOUND, "export", self.problem("[minimize_height, minimize_cost]"), "--to", "yaml", "-o", copy)
        self.assertIn("objective: [minimize_height, minimize_cost]", copy.read_text())
        self.assertEqual(len(self.place(copy)["objectives"]), 2)

    def test_fewest_modes_of_parts(self):
        """Modes of a table are counted; too many combinations are bad input."""
        text = """tessera: problem/1
memories:
  m: {banks: [OBJECTIVE], modes: per_bank}
buffers:
  - {id: a, size: 8, parts: [{live: [0, 2], offset: 0, size: 4}, {live: [1, 3], offset: 4, size: 4}], read: [1], write: [0]}
  - {id: b, live: [0, 3], size: 4, write: [1], read: [2]}
"""
        def banks(count):
            return ", ".join(f"{{name: b{k}, size: 8, roles: [read, write]}}" for k in range(count))
        result = self.place(self.problem(banks(2), text), "--minimize", "modes")
        self.assertEqual(result["objectives"], [{"name": "modes", "value": 2, "bound": 2, "proved": True}])
        self.assertEqual(result["unused_modes"], {"m": ["read|read", "write|write"]})
        told = self.ends(BAD_INPUT, "place", self.problem(banks(13), text), "--minimize", "modes").stderr
        self.assertIn("no engine supports this problem", told)
        # Switches are counted without a table of modes.
        for count in (2, 13):
            result = self.place(self.problem(banks(count), text), "--minimize", "switches")
            self.assertEqual(result["objectives"], [{"name": "switches", "value": 2, "bound": 2, "proved": True}])


if __name__ == "__main__":
    unittest.main()
