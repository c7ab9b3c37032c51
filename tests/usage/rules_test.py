#!/usr/bin/env python3
"""Rules in problems and profiles: place, check, explain, export, sessions of tiles, and every refusal."""

import json
import unittest

from support import BAD_INPUT, FOUND, INFEASIBLE, ROOT, WRONG, Case

PROBLEM = """tessera: problem/1
memories: {sram: {capacity: 64}}
buffers:
  - {id: a, live: [0, 2], size: 24}
  - {id: b, live: [1, 3], size: 24}
rules:
"""
ALL = PROBLEM + """  - {name: start, forall: {buffer: '*'}, that: "offset % 8 == 4"}
  - {name: order, that: "offset(a) > offset(b)"}
"""
NETWORK = ROOT / "examples" / "fsrcnn_x2_360p.onnx"


class Rules(Case):
    def place(self, text, *options, code=FOUND):
        done = self.ends(code, "place", self.file("p.yaml", text), "--format", "json", *options)
        return json.loads(done.stdout) if code != BAD_INPUT else done.stderr

    def test_every_engine_that_takes_rules(self):
        for engine in ("auto", "sat", "smt"):
            found = self.place(ALL, "-e", engine)
            self.assertEqual({b["id"]: b["offset"] for b in found["buffers"]}, {"a": 28, "b": 4})

    def test_other_engines_refuse(self):
        for engine in ("canonical", "learning", "guided", "greedy"):
            said = self.place(ALL, "-e", engine, code=BAD_INPUT)
            self.assertIn(f"engine {engine} does not support this problem: The engine {engine} does not "
                          "support rules", said)
            self.assertIn("use --engine auto", said)

    def test_the_least_height(self):
        found = self.place(ALL, "--minimize")
        self.assertEqual((found["height"], found["proven_minimum"]), (52, True))

    def test_what_clauses_cannot_express(self):
        said = self.place(PROBLEM.replace("{capacity: 64}", "{}") + '  - {name: r, that: "offset(a) == 4"}\n',
                          "--minimize", code=BAD_INPUT)
        self.assertIn("The problem has rules, which need a capacity of every memory, and memory 'sram' has "
                      "none.", said)
        third = ALL.replace("rules:", "  - {id: c, live: [4, 5], size: 4}\nrules:")
        said = self.place(third + '  - {name: sum, that: "offset(a) + offset(b) + offset(c) == 12"}\n',
                          code=BAD_INPUT)
        self.assertIn("no engine supports this problem: Rule 'sum' has a sum of more than two offsets.\"", said)

    def test_the_caret_stands_at_the_column(self):
        for text, under in (("offset(a) < 8 and", '"}'), ("offset(a) ) < 8", "offset(a) )"), ("(offset(b) < 3", '"}'),
                            ("bank(b) = 2", "bank(b) ="), ("mode(sram) == m0", "sram)"), ("offset(a) < bonk", "bonk")):
            problem = self.file("p.yaml", PROBLEM + f'  - {{name: a, that: "{text}"}}\n')
            said = self.ends(BAD_INPUT, "place", problem).stderr
            line, caret = said.splitlines()[1:3]
            self.assertTrue(line[caret.index("^"):].startswith(under), said)

    def test_the_hint_of_infeasible_speaks_of_rules(self):
        done = self.ends(INFEASIBLE, "place", self.file("p.yaml", ALL + '  - {name: low, that: "offset(a) < 24"}\n'))
        self.assertIn("buffers and rules that cannot be placed together", done.stdout)

    def test_check_names_the_rule(self):
        problem = self.file("p.yaml", ALL)
        result = self.file("r.json", json.dumps({
            "tessera": "placement/1", "status": "feasible",
            "buffers": [{"id": "a", "offset": 0}, {"id": "b", "offset": 28}]}))
        done = self.ends(WRONG, "check", problem, result)
        self.assertIn("Rule 'start' does not hold: offset(a) % 8 == 4; 'a' at [0, 24) of memory 'sram'.",
                      done.stdout)
        self.assertIn("Rule 'order' does not hold", done.stdout)

    def test_explain_names_the_rule(self):
        problem = self.file("p.yaml", ALL + '  - {name: low, that: "offset(a) < 24"}\n')
        done = self.ends(INFEASIBLE, "explain", problem)
        self.assertIn("the rule order: offset(b) < offset(a)", done.stdout)
        self.assertIn("the rule low: offset(a) < 24", done.stdout)
        self.assertNotIn("the rule start", done.stdout)

    def test_explain_names_the_steps_of_a_rule(self):
        problem = self.file("p.yaml", """tessera: problem/1
memories:
  sram: {banks: 2, bank_size: 32, modes: [{name: m0, roles: [read, write]}, {name: m1, roles: [write, read]}]}
buffers: [{id: a, live: [0, 4], size: 32, write: [0], read: [1, 2]}]
rules:
  - {name: still, forall: {step: [[0, 2], [3, 4]]}, that: "mode(sram) == m0"}
""")
        done = self.ends(INFEASIBLE, "explain", problem)
        self.assertIn("the rule still: mode(sram) == m0 at steps 0-1, 3\n", done.stdout)
        problem.write_text(problem.read_text().replace("[[0, 2], [3, 4]]", "1")
                           .replace("read: [1, 2]", "read: [1]").replace("== m0", "== m1 and mode(sram) == m0"))
        self.assertIn("== m0 at step 1\n", self.ends(INFEASIBLE, "explain", problem).stdout)

    def test_a_rule_about_no_buffer_is_reported(self):
        problem = self.file("p.yaml", ALL + '  - {name: weights, forall: {kind: weight}, that: "offset == 0"}\n')
        result = self.folder / "r.json"
        note = f"tessera: note: Rule 'weights' ({problem}:9) applies to no buffer.\n"
        for command in (("place", problem, "-o", result), ("check", problem, result), ("explain", problem)):
            with self.subTest(command=command[0]):
                done = self.ends(FOUND, *command, "--format", "json")
                self.assertEqual(done.stderr.count(note), 1, done.stderr)
                json.loads(done.stdout)
                self.assertNotIn("note", self.ends(FOUND, *command, "--quiet").stderr)
        self.assertNotIn("note", self.ends(FOUND, "place", self.file("p.yaml", ALL)).stderr)

    def test_a_problem_is_written_with_its_rules(self):
        out = self.folder / "again.yaml"
        self.ends(FOUND, "export", self.file("p.yaml", ALL), "--to", "yaml", "-o", out)
        again = out.read_text()
        self.assertIn('{name: start, that: "offset(a) % 8 == 4"}', again)
        found = self.place(again)
        self.assertEqual({b["id"]: b["offset"] for b in found["buffers"]}, {"a": 28, "b": 4})

    def test_a_certificate_does_without_rules(self):
        proof = self.folder / "proof"
        problem = self.file("p.yaml", ALL + '  - {name: low, that: "offset(a) < 24"}\n')
        self.ends(INFEASIBLE, "place", problem, "--proof", proof)
        self.assertFalse(proof.exists())
        small = self.file("s.yaml", ALL.replace("64", "40"))
        self.ends(INFEASIBLE, "place", small, "--proof", proof)
        self.ends(FOUND, "check", small, "--proof", proof, "--expect", "infeasible")

    def test_a_profile_restricts_tiles(self):
        profile = self.file("machine.yaml", """tessera: hardware/1
name: low
inherit: nvdla-like
rules: [{name: low, forall: {role: input, op: [conv, fc]}, that: "bank in [0, 1, 2, 3]"}]
""")
        command = ("tile", NETWORK, "--ops", "0:2", "--format", "json")
        free = json.loads(self.ends(FOUND, *command, "-p", "nvdla-like").stdout)
        tied = json.loads(self.ends(FOUND, *command, "-p", profile).stdout)
        self.assertLess(free["tiles"]["count"], tied["tiles"]["count"])

    def test_the_rule_that_no_tile_satisfies_is_named(self):
        profile = self.file("machine.yaml", """tessera: hardware/1
name: never
inherit: nvdla-like
rules:
  - {name: low, forall: {role: input, op: conv}, that: "bank < 0"}
  - {name: aligned, forall: {role: output}, that: "offset % 2 == 0"}
""")
        reason = "but no placement satisfies the rule 'low' of the profile"
        done = self.ends(INFEASIBLE, "tile", NETWORK, "--ops", "0:2", "-p", profile)
        self.assertIn(reason, " ".join(done.stdout.split()))
        done = self.ends(INFEASIBLE, "plan", NETWORK, "--dtype", "int8", "-p", profile)
        self.assertIn(reason, " ".join(done.stdout.split()))

    def test_plans_refuse_rules_about_modes(self):
        profile = self.file("machine.yaml", """tessera: hardware/1
name: modes
inherit: nvdla-like
rules: [{name: still, that: "mode(cbuf) == next_mode(cbuf)"}]
""")
        done = self.ends(BAD_INPUT, "plan", NETWORK, "--dtype", "int8", "-p", profile)
        self.assertIn("rule 'still' is about modes, which plans do not support", done.stderr)

    def test_modes_of_a_profile_hold_for_place(self):
        profile = self.file("modes.yaml", """tessera: hardware/1
name: modes
memories:
  sram: {banks: [{name: b, size: 64}], modes: [{name: r, roles: [read]}, {name: w, roles: [write]}]}
rules: [{name: resting, that: "not (mode(sram) == w and next_mode(sram) == w)"}]
""")
        problem = self.file("p.yaml", """tessera: problem/1
buffers: [{id: a, live: [0, 3], size: 8, write: [0, 1]}]
""")
        done = self.ends(INFEASIBLE, "explain", problem, "-p", profile)
        self.assertIn("the rule resting", done.stdout)


if __name__ == "__main__":
    unittest.main()
