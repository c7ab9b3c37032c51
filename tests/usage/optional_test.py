"""Optional buffers on the command line: selection, outputs, checks."""

import json
import unittest

from support import BAD_INPUT, EXAMPLES, FOUND, INFEASIBLE, WRONG, Case

INPUT = EXAMPLES / "fast-memory.yaml"


class Optional(Case):
    def place(self, *arguments, ends=FOUND):
        return json.loads(self.ends(ends, "place", *arguments, "--format", "json").stdout)

    def test_the_largest_benefit(self):
        for asked in ((), ("--maximize", "benefit"), ("--minimize",)):
            result = self.place(INPUT, *asked)
            self.assertEqual((result["benefit"], result["benefit_bound"], result["proven_optimal"]), (196, 196, True))
            self.assertEqual(result["left_out"], ["weights1", "table-a", "table-b"])
            self.assertEqual(result["objectives"],
                             [{"name": "benefit", "value": 196, "bound": 196, "proved": True}])
            placed = {each["id"] for each in result["buffers"]}
            self.assertEqual(placed, {"scratch", "conv1", "conv2", "conv3", "add"})

    def test_a_cost_that_nobody_minimised_is_not_called_the_least(self):
        text = ("tessera: problem/1\nmemories: {m: {capacity: 9}}\nbuffers:\n"
                "  - {id: a, live: [0, 2], size: 3}\n  - {id: b, live: [2, 4], size: 3}\n"
                "  - {id: c, live: [1, 3], size: 2, optional: true, benefit: 1}\n"
                "relations:\n  - {avoid_overlap: [a, b], cost: 4}\n")
        problem = self.file("cost.yaml", text)
        told = self.ends(FOUND, "place", problem, "--maximize", "benefit").stdout
        self.assertIn("cost        ", told)
        cost = json.loads(self.ends(FOUND, "place", problem, "--maximize", "benefit", "--format", "json").stdout)["cost"]
        self.assertEqual("minimum proved" in told, cost == 0, told)
        self.assertIn("0 for overlaps (avoid_overlap), minimum proved",
                      self.ends(FOUND, "place", problem, "--minimize", "cost").stdout)

    def test_the_largest_benefit_there_is_is_named_in_its_own_unit(self):
        problem = self.file("large.yaml", "tessera: problem/1\nmemories: {m: {capacity: 9}}\nbuffers:\n"
                            "  - {id: a, live: [0, 2], size: 3, optional: true, benefit: 1152921504606847}\n")
        self.assertIn("the largest is 1152921504606846.976",
                      self.ends(BAD_INPUT, "place", problem, "--maximize", "benefit").stderr)

    def test_more_room_is_worth_more(self):
        benefits = [self.place(INPUT, "-c", f"{size} KiB", "--maximize", "benefit")["benefit"]
                    for size in (4, 40, 64, 70, 100)]
        self.assertEqual(benefits, sorted(benefits))
        self.assertEqual((benefits[0], benefits[-1]), (0, 215))
        # A group of 8 KiB and a weight of 9 KiB do not fit together.
        self.assertEqual(self.place(INPUT, "-c", "72 KiB", "--maximize", "benefit")["left_out"], ["weights1"])

    def test_explain_speaks_of_mandatory_buffers_if_the_objective_is_the_benefit(self):
        self.assertIn("feasible", self.ends(FOUND, "explain", INPUT).stdout)
        plain = self.file("plain.yaml", INPUT.read_text().replace("objective: maximize_benefit", ""))
        self.assertIn("conv1", self.ends(INFEASIBLE, "explain", plain).stdout)
        why = json.loads(self.ends(INFEASIBLE, "explain", INPUT, "-c", "3 KiB", "--format", "json").stdout)
        self.assertEqual(why["buffers"], ["scratch"])
        # The index in the whole problem, after an optional buffer.
        later = self.file("later.yaml", "tessera: problem/1\nmemories: {m: {capacity: 2}}\nbuffers:\n"
                          "  - {id: a, live: [0, 2], size: 2, optional: true, benefit: 1}\n"
                          "  - {id: b, live: [0, 2], size: 3}\nobjective: maximize_benefit\n")
        why = json.loads(self.ends(INFEASIBLE, "explain", later, "--format", "json").stdout)
        self.assertEqual(why["buffers"], ["b"])

    def test_help_offers_only_goals_that_are_accepted(self):
        self.assertIn("{height,cost,modes,switches}", self.ends(FOUND, "place", "--help").stdout)
        self.assertIn("is none of {height,cost,modes,switches}",
                      self.ends(BAD_INPUT, "place", INPUT, "--minimize=heigth").stderr)

    def test_without_the_question_all_are_placed(self):
        plain = self.folder / "plain.yaml"
        plain.write_text(INPUT.read_text().replace("objective: maximize_benefit", ""))
        self.ends(INFEASIBLE, "place", plain)
        result = self.place(plain, "-c", "100 KiB")
        self.assertEqual((result["left_out"], result["benefit"]), ([], 215))
        self.assertEqual(self.place(INPUT, "-c", "3 KiB", "--maximize", "benefit", ends=INFEASIBLE)["status"],
                         "infeasible")

    def test_results_are_checked(self):
        path = self.folder / "placed.json"
        self.ends(FOUND, "place", INPUT, "-o", path, "--plot", self.folder / "placed.svg")
        told = self.ends(FOUND, "check", INPUT, path).stdout
        self.assertIn("benefit_bound 196", told)
        drawn = (self.folder / "placed.svg").read_text()
        self.assertIn("conv3", drawn)
        self.assertNotIn("weights1", drawn)
        result = json.loads(path.read_text())
        for change, code in (
            ({"benefit": 197}, WRONG),
            ({"benefit_bound": 195.5}, WRONG),
            ({"left_out": ["weights1"]}, BAD_INPUT),  # the others have no place
            ({"left_out": ["weights1", "table-a", "table-b", "table-b"]}, BAD_INPUT),
            ({"left_out": ["weights1", "table-a", "table-b", "scratch"]}, BAD_INPUT),  # placed as well
            ({"benefit": "much"}, BAD_INPUT),
        ):
            path.write_text(json.dumps({**result, **change}))
            self.ends(code, "check", INPUT, path)
        # Half of a group, and a required buffer.
        tables = {"id": "table-b", "memory": "fast", "offset": 61440, "size": 2048, "live": [[0, 6]]}
        path.write_text(json.dumps({**result, "benefit": 198.5, "benefit_bound": 198.5, "objectives": [],
                                    "height": 63488, "heights": {}, "buffers": [*result["buffers"], tables],
                                    "left_out": ["weights1", "table-a"]}))
        self.assertIn("both belong to group", self.ends(WRONG, "check", INPUT, path).stdout)
        path.write_text(json.dumps({**result, "left_out": [*result["left_out"], "scratch"], "buffers": [
            each for each in result["buffers"] if each["id"] != "scratch"]}))
        self.assertIn("not optional", self.ends(WRONG, "check", INPUT, path).stdout)

    def test_what_is_placed_can_be_asked_again(self):
        placed = self.folder / "placed.yaml"
        self.ends(FOUND, "place", INPUT, "-o", placed)
        again = self.place(placed)
        self.assertEqual((again["benefit"], again["proven_optimal"]), (196, True))
        copy = self.folder / "copy.yaml"
        self.ends(FOUND, "export", INPUT, "--to", "yaml", "-o", copy)
        self.assertIn("benefit: 2.5, group: tables", copy.read_text())
        self.assertIn("optional", self.ends(BAD_INPUT, "export", INPUT, "--to", "csv", "-o", self.folder / "x.csv").stderr)

    def test_what_cannot_be_is_said(self):
        text = INPUT.read_text()
        for old, new, words in (
            ("optional: true, benefit: 64", "benefit: 64", "is not optional"),
            ("optional: true, benefit: 64", "group: g", "is not optional"),
            ("benefit: 64", "benefit: 0.0005", "more than three decimals"),
            ("benefit: 64", "benefit: -1", "negative"),
            ("benefit: 64", "benefit: 2000000000000000", "too large"),
            ("benefit: 64", "benefit: .5", "not a number"),
            ("group: tables", "group: ''", "empty"),
        ):
            path = self.folder / "bad.yaml"
            path.write_text(text.replace(old, new, 1))
            self.assertIn(words, self.ends(BAD_INPUT, "place", path).stderr)
        self.ends(BAD_INPUT, "place", INPUT, "--maximize", "benefit", "--minimize", "height")
        self.ends(BAD_INPUT, "place", INPUT, "--maximize", "height")

    def test_certificates(self):
        proof, placed = self.folder / "c.proof", self.folder / "placed.json"
        done = self.ends(FOUND, "place", INPUT, "--proof", proof, "-o", placed)
        self.assertIn("proves: benefit <= 196", done.stderr)
        told = json.loads(self.ends(FOUND, "check", INPUT, "--proof", proof, "--format", "json").stdout)
        self.assertEqual((told["right"], told["claim"]), (True, "benefit <= 196"))
        self.assertIn("proved: benefit_bound 196", self.ends(FOUND, "check", INPUT, placed, "--proof", proof).stdout)
        self.ends(WRONG, "check", INPUT, "--proof", proof, "--expect", "infeasible")
        # For other benefits, or another group, it is no proof; a smaller capacity needs no other proof, a
        # larger one does.
        for old, new in (("benefit: 48}\n  - {id: conv3", "benefit: 49}\n  - {id: conv3"), (", group: tables", ""),
                         ("optional: true, benefit: 9}", "optional: true, benefit: 49}"), ("size: 4 KiB", "size: 3 KiB")):
            self.assertIn(old, INPUT.read_text())
            other = self.folder / "other.yaml"
            other.write_text(INPUT.read_text().replace(old, new))
            self.ends(WRONG, "check", other, "--proof", proof)
        self.ends(WRONG, "check", INPUT, "-c", "80 KiB", "--proof", proof)
        # A required buffer does not fit at all.
        self.ends(INFEASIBLE, "place", INPUT, "-c", "3 KiB", "--proof", proof)
        told = self.ends(FOUND, "check", INPUT, "-c", "3 KiB", "--proof", proof, "--expect", "infeasible").stdout
        self.assertIn("infeasible whatever is left out with fast of 3072", told)


if __name__ == "__main__":
    unittest.main()
