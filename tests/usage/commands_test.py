#!/usr/bin/env python3
"""Exit codes and guarantees of the command line, with the real program."""

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import time
import unittest

from support import (BAD_INPUT, EXAMPLES, FOUND, INFEASIBLE, LEFT_OUT, ROOT, STOPPED, TESSERA, WRONG,
                     Case, run, start)

SMALL = "id,lower,upper,size\na,0,3,4\nb,1,2,8\n"


class Place(Case):
    def test_rules_of_engines_can_be_switched_off(self):
        listed = run("help", "--switches").stdout.splitlines()
        self.assertTrue(any(line.startswith("learning.balance") and " on " in line for line in listed), listed)
        problem = EXAMPLES / "residual-block.csv"
        capacity = ("-c", "1 MiB")
        self.assertEqual(run("place", problem, *capacity, "--switch", "canonical.dominance=off",
                             "--switch", "learning.balance=off").returncode, FOUND)
        for line in listed:
            name = line.split()[0]
            engine = name.split(".")[0]
            default = line.split()[1]
            others = {"on": "off", "off": "on", "published": "exact"}
            value = others.get(default, "7" if default.isdigit() else "size")
            done = run("place", problem, *capacity, "-e", engine, "--switch", f"{name}={value}", "-q")
            self.assertEqual(done.returncode, FOUND, name + done.stderr)
        done = run("place", problem, *capacity, "--switch", "canonical.dominanse=off")
        self.assertEqual(done.returncode, BAD_INPUT)
        self.assertIn("did you mean `canonical.dominance`?", done.stderr)

    def test_found(self):
        done = self.ends(FOUND, "place", self.file("in.csv", SMALL), "--capacity", 12)
        self.assertIn("feasible", done.stdout)
        self.assertIn("height 12 of 12", done.stdout)
        self.assertEqual(done.stderr, "")

    def test_gap(self):
        problem = self.file("in.csv", SMALL)
        self.ends(FOUND, "place", problem, "--minimize", "height", "--gap", "2.5%")
        for wrong in ("1", "-1%", "100%", "x%", "1 %", "nan%"):
            done = self.ends(BAD_INPUT, "place", problem, "--minimize", "height", f"--gap={wrong}")
            self.assertIn("--gap 1%", done.stderr)
        done = self.ends(BAD_INPUT, "place", problem, "-c", "12", "--gap", "1%")
        self.assertIn("height", done.stderr)

    def test_json_keeps_the_contract(self):
        done = self.ends(FOUND, "place", self.file("in.csv", SMALL), "-c", "12", "--format", "json")
        result = json.loads(done.stdout)
        self.assertEqual(result["tessera"], "placement/1")
        self.assertEqual(result["status"], "feasible")
        self.assertEqual(result["stop"], "completed")
        self.assertEqual(result["height"], 12)
        self.assertEqual(result["lower_bound"], 12)
        self.assertEqual({b["id"] for b in result["buffers"]}, {"a", "b"})
        for key in ("proven_minimum", "cost", "engine", "seconds", "seed", "stats"):
            self.assertIn(key, result)

    def test_addresses_that_buffers_share_are_live_once(self):
        path = self.file("shared.yaml", """tessera: problem/1
memories: {sram: {capacity: 20000}}
buffers:
  - {id: a, live: [0, 3], size: 20000}
  - {id: b, live: [1, 4], size: 20000}
  - {id: c, live: [2, 5], size: 20000}
relations: [{same_offset: [a, b, c]}]
""")
        text = self.ends(FOUND, "place", path).stdout
        self.assertIn("peak at step 0: 20000 live in 1 buffer, 100.0 % of the height", text)
        why = self.ends(INFEASIBLE, "explain", path, "-c", 19999).stdout
        self.assertIn("20000 bytes; memory 'sram' has 19999 bytes", why)

    def test_a_bound_that_meets_the_height_is_a_proof(self):
        """For every objective, in one memory or in several, as text and JSON."""
        apart = """tessera: problem/1
memories: {s: {capacity: 900}, t: {capacity: 900}}
buffers:
  - {id: a, live: [0, 2], size: 400, memory: s}
  - {id: b, live: [0, 2], size: 300, memory: t}
"""
        shared = """tessera: problem/1
memories: {s: {capacity: 900}, t: {capacity: 900}}
buffers:
  - {id: a, live: [0, 2], size: 400}
  - {id: b, live: [0, 2], size: 400}
"""
        cost = """tessera: problem/1
memories: {s: {capacity: 12}}
buffers: [{id: a, live: [0, 2], size: 8}, {id: b, live: [1, 3], size: 4}]
relations: [{avoid_overlap: [a, b], cost: 3}]
"""
        for name, text, more in (("small.csv", SMALL, ("-c", "12")), ("apart.yaml", apart, ()),
                                 ("apart.yaml", apart, ("--minimize", "height")),
                                 ("shared.yaml", shared, ("--minimize", "height")),
                                 ("cost.yaml", cost, ("--minimize", "cost"))):
            with self.subTest(name=name, more=more):
                path = self.file(name, text)
                result = json.loads(self.ends(FOUND, "place", path, *more, "--format", "json").stdout)
                self.assertEqual(result["proven_minimum"], result["height"] == result["lower_bound"])
                told = self.ends(FOUND, "place", path, *more).stdout
                self.assertNotIn("not proved", told)
                self.assertTrue(result["proven_minimum"])
                whole = f"largest height {result['height']}; " if len(result.get("heights", [])) > 1 else ""
                self.assertIn(f"{whole}lower bound {result['height']}, minimum proved",
                              told)
                file = self.file("result.json", json.dumps(result))
                self.ends(FOUND, "check", path, file, *(more if more[:1] == ("-c",) else ()))

    def test_infeasible_by_load(self):
        done = self.ends(INFEASIBLE, "place", self.file("in.csv", SMALL), "--capacity", 11)
        self.assertIn("infeasible", done.stdout)

    def test_infeasible_by_search(self):
        done = self.ends(INFEASIBLE, "place", EXAMPLES / "too-tight.yaml", "--format", "json")
        self.assertEqual(json.loads(done.stdout)["status"], "infeasible")

    def test_four_blobs(self):
        done = self.ends(FOUND, "place", EXAMPLES / "patent-four-blobs.yaml", "--format", "json")
        result = json.loads(done.stdout)
        self.assertEqual(result["height"], 10)

    def test_three_banks_name_the_mode_of_every_step(self):
        done = self.ends(FOUND, "place", EXAMPLES / "patent-three-banks.yaml", "--format", "json")
        # blob0 is read while blob1 and blob2 are written, then the reverse.
        self.assertIn(json.loads(done.stdout)["modes"]["sram"],
                      (["m0", "m0", "m1"], ["m1", "m1", "m0"]))

    def test_every_engine_by_name(self):
        for engine in ("canonical", "learning", "sat", "smt", "guided", "ilp", "cp", "greedy", "boxing", "auto"):
            with self.subTest(engine=engine):
                self.ends(FOUND, "place", self.file("in.csv", SMALL), "-c", 12, "-e", engine)

    def test_what_a_build_leaves_out_is_said(self):
        """Without a library: exit 2 with its name; the engine is not listed either."""
        path = self.file("in.csv", SMALL)
        out = self.folder / "out.yaml"
        for arguments, left_out in (
                (("import", EXAMPLES / "fsrcnn_x2_360p.onnx", "-o", out), LEFT_OUT[0]),
                (("place", path, "-c", 12, "-e", "smt"), LEFT_OUT[1]),
                (("place", path, "-c", 12, "-e", "ilp"), LEFT_OUT[2]),
                (("place", path, "-c", 12, "-e", "cp"), LEFT_OUT[3])):
            with self.subTest(command=arguments[0]):
                done = subprocess.run([TESSERA, *map(str, arguments)], capture_output=True, text=True,
                                      timeout=60, check=False)
                missing = left_out in done.stderr
                self.assertEqual(done.returncode, BAD_INPUT if missing else FOUND, done.stderr)
                if missing:
                    self.assertIn("hint: build it with -DTESSERA_WITH_", done.stderr)
                if arguments[0] == "place":
                    text = " ".join(run("place", "--help").stdout.split())
                    listed = re.search(r"solver: (\w+(?:, \w+)*)", text)
                    self.assertEqual(arguments[-1] in listed[1].split(", "), not missing)

    def test_unknown_engine(self):
        done = self.ends(BAD_INPUT, "place", self.file("in.csv", SMALL), "-c", 12, "-e", "magic")
        self.assertIn("magic", done.stderr)
        self.assertIn("canonical", done.stderr)

    def test_engine_that_cannot_take_the_problem(self):
        done = self.ends(BAD_INPUT, "place", EXAMPLES / "patent-three-banks.yaml", "-e", "canonical")
        self.assertIn("canonical", done.stderr)

    def test_no_capacity(self):
        done = self.ends(BAD_INPUT, "place", self.file("in.csv", SMALL))
        self.assertIn("capacity", done.stderr)

    def test_infeasible_names_the_command_that_explains_it(self):
        """With every option that changes the problem, quoted for a shell."""
        profile = self.file("two sizes.yaml", """tessera: hardware/1
name: two
memories: {sram: {capacity: 64}}
""")
        high = SMALL.replace("a,0,3,4", "a,0,3,5")
        for text, more in ((high, ("-c", "12 B")), (high, ("-p", profile, "--set", "memories.sram.capacity=12 B")),
                           ("id,lower,upper,size\na,0,1,8\nb,1,3,8\n", ("-c", 12, "--lifetimes", "inclusive"))):
            with self.subTest(more=more):
                told = self.ends(INFEASIBLE, "place", self.file("in.csv", text), *more).stdout
                advice = [line for line in told.splitlines() if line.startswith("  tessera explain ")]
                self.assertEqual(len(advice), 1, told)
                why = self.ends(INFEASIBLE, *shlex.split(advice[0])[1:]).stdout
                self.assertIn("has 12 bytes", why)

    def test_explain_needs_a_capacity_as_place_does(self):
        path = self.file("in.csv", SMALL)
        for command in ("place", "explain"):
            done = self.ends(BAD_INPUT, command, path)
            self.assertIn(f"{path}: has no capacity", done.stderr)
            self.assertIn("add --capacity SIZE or --profile NAME", done.stderr)
        fixed = self.file("fixed.csv", "id,lower,upper,size,offset\na,0,3,4,0\nb,1,2,8,2\n")
        self.ends(INFEASIBLE, "explain", fixed)  # at every capacity

    def test_csv_has_no_column_for_memories(self):
        path = self.file("in.csv", SMALL)
        two = self.file("two.yaml", """tessera: hardware/1
name: two
memories: {a: {capacity: 8}, b: {capacity: 8}}
""")
        out = self.folder / "out.csv"
        done = self.ends(BAD_INPUT, "place", path, "-p", two, "-o", out)
        self.assertIn("a CSV has no column for the memory of a buffer, but the problem has 2 memories", done.stderr)
        self.assertIn("use .json, .yaml or .h", done.stderr)
        self.assertFalse(out.exists())
        result = self.folder / "out.json"
        self.ends(FOUND, "place", path, "-p", two, "-o", result)
        self.ends(FOUND, "check", path, result, "-p", two)
        self.ends(FOUND, "place", path, "-p", two, "--set", "memories.b=null", "--set", "memories.a.capacity=12",
                  "-o", out)

    def test_minimize_needs_no_capacity_and_does_not_eat_the_input(self):
        path = self.file("in.csv", SMALL)
        for arguments in (("--minimize", path), (path, "--minimize"),
                          ("--minimize", "height", path), ("--minimize=height", path)):
            with self.subTest(arguments=arguments):
                done = self.ends(FOUND, "place", *arguments, "--format", "json")
                result = json.loads(done.stdout)
                self.assertEqual((result["height"], result["proven_minimum"]), (12, True))

    def test_minimize_modes(self):
        done = self.ends(FOUND, "place", EXAMPLES / "patent-three-banks.yaml", "--minimize", "modes",
                         "--format", "json")
        result = json.loads(done.stdout)
        self.assertEqual(len(set(result["modes"]["sram"])), 2)
        self.assertTrue(result["proven_optimal"])

    def test_minimize_cost(self):
        path = self.file("soft.yaml", """tessera: problem/1
memories:
  m: {capacity: 8}
buffers:
  - {id: a, live: [0, 1], size: 5}
  - {id: b, live: [1, 2], size: 5}
relations:
  - {avoid_overlap: [a, b], cost: 3}
""")
        done = self.ends(FOUND, "place", path, "--minimize", "--format", "json")
        result = json.loads(done.stdout)
        self.assertEqual((result["cost"], result["proven_optimal"]), (3, True))
        done = self.ends(FOUND, "place", path, "--minimize", "--capacity", 10, "--format", "json")
        self.assertEqual(json.loads(done.stdout)["cost"], 0)

    def test_same_seed_same_answer(self):
        path = self.folder / "hard.yaml"
        self.ends(FOUND, "generate", "packable", "-n", 40, "--seed", 3, "-o", path)
        answers = set()
        for threads in (1, 2, 2):
            done = self.ends(FOUND, "place", path, "--threads", threads, "--format", "json")
            answers.add(str(json.loads(done.stdout)["buffers"]))
        self.assertEqual(len(answers), 1)

    def test_standard_input(self):
        for name in ("-", "/dev/stdin"):
            self.ends(FOUND, "place", name, "-c", 12, stdin=SMALL)

    def test_profile(self):
        self.ends(FOUND, "place", self.file("in.csv", SMALL), "--profile", "ascend-910b-like")
        done = self.ends(BAD_INPUT, "place", self.file("in.csv", SMALL), "--profile", "no-such")
        self.assertIn("no-such", done.stderr)

    def test_lifetimes(self):
        path = self.file("in.csv", "id,lower,upper,size\na,0,1,4\nb,1,2,4\n")
        self.ends(FOUND, "place", path, "-c", 4)
        self.ends(INFEASIBLE, "place", path, "-c", 4, "--lifetimes", "inclusive")

    def test_quiet_and_stats(self):
        path = self.file("in.csv", SMALL)
        self.assertEqual(self.ends(FOUND, "place", path, "-c", 12, "-q").stdout, "")
        plain = self.ends(FOUND, "place", path, "-c", 12).stdout
        told = self.ends(FOUND, "place", path, "-c", 12, "--stats").stdout
        self.assertGreater(len(told.splitlines()), len(plain.splitlines()))


class Usage(Case):
    def test_no_command(self):
        self.ends(BAD_INPUT)

    def test_mistakes(self):
        path = self.file("in.csv", SMALL)
        for arguments in (
            ("plaice",),
            ("place",),
            ("place", path, "--capacity"),
            ("place", path, "--capacity", "12 K"),
            ("place", path, "--capacity", "-5"),
            ("place", path, "--capacity", "0"),
            ("place", path, "--capacity", "99999999999999999999"),
            ("place", path, "--capacity", "12", "--timeout", "10"),
            ("place", path, "--capacity", "12", "--timeout", "fast"),
            ("place", path, "--capacity", "12", "--threads", "0"),
            ("place", path, "--capacity", "12", "--threads", "two"),
            ("place", path, "--capacity", "12", "--seed", "-1"),
            ("place", path, "--capacity", "12", "--max-nodes", "0"),
            ("place", path, "--capacity", "12", "--output", "one", "--plot", "one"),
            ("place", path, "--capacity", "12", "--plot", self.folder / "picture.png"),
            ("place", path, "--capacity", "12", "--format", "xml"),
            ("place", path, "--capacity", "12", "--no-such-option"),
            ("place", path, "--capacity", "12", "--minimize=weight"),
            ("place", path, path, path, "--capacity", "12"),
            ("place", path, "--capacity", "12", "--lifetimes", "open"),
            ("place", self.folder / "missing.csv", "--capacity", "12"),
            ("place", self.folder, "--capacity", "12"),
            ("check", path),
            ("check", path, self.folder / "missing.json", "--capacity", "12"),
            ("export", path),
            ("export", path, "--to", "pdf"),
            ("export", path, "--to", "dimacs"),
            ("generate",),
            ("generate", "nonsense"),
            ("generate", "random", "--buffers", "0"),
            ("generate", "random", "--capacity", "many"),
            ("generate", "packable", "--buffers", "100", "--capacity", "4", "--steps", "2"),
            ("profiles", "no-such-profile"),
            ("completion", "tcsh"),
        ):
            with self.subTest(arguments=list(map(str, arguments))):
                self.ends(BAD_INPUT, *arguments)

    def test_help_has_an_example_each(self):
        listing = self.ends(FOUND, "--help").stdout
        names = re.findall(r"(?m)^  ([a-z]+)  +\S", listing.split("Subcommands:")[1])
        self.assertLess({"place", "check", "explain", "export", "generate", "profiles"}, set(names))
        for name in names:
            text = self.ends(FOUND, name, "--help").stdout
            self.assertIn("Example", text, name)
            self.assertIn("tessera " + name, text, name)

    def test_help_of_limits_on_effort_says_what_they_are_without(self):
        text = " ".join(self.ends(FOUND, "plan", "--help").stdout.split())
        shapes = re.search(r"--tile-shapes.*?(?= --[a-z-]+ [A-Z])", text)[0]
        self.assertRegex(shapes, r"default: [1-9][0-9]*, and 0 with --layer-by-layer")

    def test_version(self):
        self.assertRegex(self.ends(FOUND, "--version").stdout, r"^tessera \d+\.\d+\.\d+\n$")

    def test_completion_scripts_are_accepted_by_their_shells(self):
        for shell in ("bash", "zsh", "fish"):
            script = self.ends(FOUND, "completion", shell).stdout
            self.assertIn("--capacity" if shell != "fish" else "-l capacity", script)
            program = shutil.which(shell)
            if program is None:
                continue
            done = subprocess.run([program, "-n"], input=script, text=True, check=False,
                                  capture_output=True)
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_no_progress_where_stderr_is_no_terminal(self):
        path = self.file("in.csv", SMALL)
        self.assertEqual(self.ends(FOUND, "place", path, "-c", 12, "--minimize").stderr, "")


class Check(Case):
    def setUp(self):
        super().setUp()
        self.problem = self.file("in.csv", SMALL)

    def test_right(self):
        for name in ("placed.json", "placed.csv"):
            placed = self.folder / name
            self.ends(FOUND, "place", self.problem, "-c", 12, "-o", placed)
            done = self.ends(FOUND, "check", self.problem, placed, "-c", 12)
            self.assertIn("right", done.stdout)

    def test_wrong_csv_is_told_in_sentences(self):
        placed = self.file("placed.csv", "id,lower,upper,size,offset\na,0,3,4,0\nb,1,2,8,3\n")
        done = self.ends(WRONG, "check", self.problem, placed, "-c", 12)
        self.assertRegex(done.stdout, r"wrong \(overlap\): .*a.*b")

    def test_wrong_in_every_way(self):
        placed = self.folder / "placed.json"
        self.ends(FOUND, "place", self.problem, "-c", 12, "-o", placed)
        result = json.loads(placed.read_text())
        spoilers = {
            "overlap": lambda r: [b.update(offset=0) for b in r["buffers"]],
            "bounds": lambda r: r["buffers"][1].update(offset=100),
            "height": lambda r: r.update(height=11),
            "cost": lambda r: r.update(cost=5),
            "bound": lambda r: r.update(proven_minimum=True, lower_bound=3),
            "lower": lambda r: r.update(lower_bound=13),
        }
        for word, spoil in spoilers.items():
            with self.subTest(word=word):
                wrong = json.loads(json.dumps(result))
                spoil(wrong)
                path = self.file("wrong.json", json.dumps(wrong))
                done = self.ends(WRONG, "check", self.problem, path, "-c", 12)
                self.assertIn(word, done.stdout)
                done = self.ends(WRONG, "check", self.problem, path, "-c", 12, "--format", "json")
                self.assertFalse(json.loads(done.stdout)["right"])

    def test_results_that_do_not_belong(self):
        for text in (
            "id,lower,upper,size,offset\na,0,3,4,0\n",
            "id,lower,upper,size,offset\na,0,3,4,0\nb,1,2,7,4\n",
            "id,lower,upper,size,offset\na,0,3,4,0\nz,1,2,8,4\n",
            "id,lower,upper,size\na,0,3,4\nb,1,2,8\n",
            '{"tessera": "placement/1"}',
            "{",
            "",
        ):
            with self.subTest(text=text):
                self.ends(BAD_INPUT, "check", self.problem, self.file("r", text), "-c", 12)

    def test_certificates_that_cannot_be_written(self):
        for proof in (self.folder / "missing" / "no.proof", self.folder):
            self.ends(BAD_INPUT, "place", self.problem, "-c", 11, "--proof", proof)
        self.assertEqual([self.problem], list(self.folder.iterdir()))

    def test_the_certificate_of_a_minimum_needs_no_capacity(self):
        proof = self.folder / "least.proof"
        problems = {
            # name: (text, claims)
            "plain.csv": (self.problem.read_text(), ["max height of {memory} >= 12"]),
            "banked.yaml": (
                "tessera: problem/1\nmemories: {m: {banks: 2, bank_size: 16}}\n"
                "buffers:\n- {id: a, live: [0, 1], size: 12}\n- {id: b, live: [0, 1], size: 8}\n",
                ["max height of {m} >= 20"]),
            # Reserved below any smaller capacity, and a height of 1.
            "reserved.yaml": (
                "tessera: problem/1\nmemories: {m: {capacity: 40, reserved: [[2, 30]]}}\n"
                "buffers:\n- {id: a, live: [0, 1], size: 3}\n", ["max height of {m} >= 33"]),
            "one.yaml": (
                "tessera: problem/1\nmemories: {m: {capacity: 4}}\n"
                "buffers:\n- {id: a, live: [0, 1], size: 1}\n", ["max height of {m} >= 1"]),
            "two.yaml": (
                "tessera: problem/1\nmemories: {m: {capacity: 9}, n: {capacity: 9}}\n"
                "buffers:\n- {id: a, live: [0, 1], size: 5, memory: m}\n"
                "- {id: b, live: [0, 1], size: 3, memory: n}\n",
                ["max height of {m} >= 5", "max height of {n} >= 3"]),
            "shared.yaml": (
                "tessera: problem/1\nmemories: {m: {capacity: 9}, n: {capacity: 9}}\n"
                "buffers:\n- {id: a, live: [0, 1], size: 5}\n- {id: b, live: [0, 1], size: 3}\n"
                "- {id: c, live: [0, 1], size: 4}\n", ["max height of {m, n} >= 7"]),
        }
        for name, (text, claims) in problems.items():
            with self.subTest(name=name):
                problem = self.file(name, text)
                proof.unlink(missing_ok=True)
                done = self.ends(FOUND, "place", problem, "--minimize=height", "--proof", proof)
                for claim in claims:
                    self.assertIn(claim, done.stderr)
                done = self.ends(FOUND, "check", problem, "--proof", proof, "--format", "json")
                said = json.loads(done.stdout)
                self.assertEqual(said["claim"], "; ".join(claims))
                self.ends(WRONG, "check", problem, "--proof", proof, "--expect", "infeasible")

    def test_certificates_of_costs_and_modes(self):
        proof = self.folder / "least.proof"
        soft = self.file(
            "soft.yaml", "tessera: problem/1\nmemories: {m: {capacity: 9}}\nbuffers:\n"
            "- {id: a, live: [0, 1], size: 4}\n- {id: b, live: [1, 2], size: 4}\n"
            "- {id: c, live: [2, 3], size: 4}\nrelations:\n"
            "- {avoid_overlap: [a, b], cost: 5}\n- {avoid_overlap: [b, c], cost: 3}\n"
            "- {avoid_overlap: [a, c], cost: 2}\n")
        for problem, what, claim in ((soft, "cost", "cost >= 2"),
                                     (EXAMPLES / "patent-three-banks.yaml", "modes", "modes >= 2"),
                                     (EXAMPLES / "patent-three-banks.yaml", "switches", "switches >= 1")):
            done = self.ends(FOUND, "place", problem, "--minimize", what, "--proof", proof)
            self.assertIn(claim, done.stderr)
            done = self.ends(FOUND, "check", problem, "--proof", proof)
            self.assertIn("proved: " + claim, done.stdout)
            # It is a proof, but not of infeasibility.
            done = self.ends(WRONG, "check", problem, "--proof", proof, "--expect", "infeasible")
            self.assertIn(claim, done.stdout)

    def test_a_result_with_its_certificate(self):
        proof, result = self.folder / "least.proof", self.folder / "least.json"
        problem = EXAMPLES / "too-tight.yaml"
        self.ends(FOUND, "place", problem, "-c", 100, "--minimize", "--proof", proof, "-o", result)
        done = self.ends(FOUND, "check", problem, result, "-c", 100)
        self.assertIn("claimed, not checked: lower_bound 8", done.stdout)
        done = self.ends(FOUND, "check", problem, result, "-c", 100, "--proof", proof)
        self.assertIn("proved: lower_bound 8", done.stdout)
        self.assertNotIn("claimed, not checked: lower_bound", done.stdout)

    def test_results_go_to_the_standard_output(self):
        done = self.ends(FOUND, "place", self.problem, "-c", 12, "-o", "-")
        self.assertEqual(json.loads(done.stdout)["status"], "feasible")
        self.ends(FOUND, "check", self.problem, "-", "-c", 12, stdin=done.stdout)
        for arguments in (("export", self.problem, "--to", "yaml"), ("generate", "random")):
            plain = self.ends(FOUND, *arguments, "-q").stdout
            self.assertEqual(self.ends(FOUND, *arguments, "-q", "-o", "-").stdout, plain)

    def test_what_a_result_says_is_looked_at_whatever_it_leaves_out(self):
        path = self.folder / "said.json"
        self.ends(FOUND, "place", self.problem, "-c", 12, "-o", path)
        result = json.loads(path.read_text())

        def check(without=(), **said):
            changed = {key: value for key, value in result.items() if key not in without}
            path.write_text(json.dumps(changed | said))
            return path

        # Places alone make no claim.
        done = self.ends(FOUND, "check", self.problem, check(without=set(result) - {
            "tessera", "status", "buffers"}), "-c", 12)
        self.assertNotIn("claimed", done.stdout)
        for said in ({"lower_bound": 999}, {"proven_minimum": True}, {"cost": 3},
                     {"heights": {"memory": 9}}, {"lower_bounds": {"memory": 999}},
                     {"objectives": [{"name": "height", "value": 1, "bound": 1}]}):
            with self.subTest(said=said):
                self.ends(WRONG, "check", self.problem,
                          check(without=("engine", "height", "lower_bound"), **said), "-c", 12)
        done = self.ends(FOUND, "check", self.problem, check(reason="Proved by nobody."), "-c", 12)
        self.assertIn("claimed, not checked: reason: Proved by nobody.", done.stdout)

    def test_a_result_without_a_placement_says_nothing_of_one(self):
        def check(**said):
            return self.file("none.json", json.dumps(
                {"tessera": "placement/1", "status": "unknown", "stop": "time_limit"} | said))
        self.ends(FOUND, "check", self.problem, check(), "-c", 12)
        done = self.ends(FOUND, "check", self.problem, check(lower_bound=770), "-c", 12)
        self.assertIn("claimed, not checked: lower_bound 770", done.stdout)
        for said in ({"proven_optimal": True}, {"height": 4}, {"heights": {"memory": 4}}):
            with self.subTest(said=said):
                self.ends(WRONG, "check", self.problem, check(**said), "-c", 12)
        for said in ({"modes": {}}, {"unused_modes": {}}, {"objectives": []}, {"buffers": []}):
            with self.subTest(said=said):
                self.ends(BAD_INPUT, "check", self.problem, check(**said), "-c", 12)

    def test_a_result_that_ends_above_the_last_address_is_read_again(self):
        last = 1 << 60
        problem = self.file("high.yaml", "tessera: problem/1\nmemories: {m: {}}\nbuffers:\n"
                            f"- {{id: a, live: [0, 1], size: 1, offset: {last}}}\n")
        path = self.folder / "high.json"
        self.ends(FOUND, "place", problem, "--minimize", "-o", path)
        self.assertEqual(json.loads(path.read_text())["height"], last + 1)
        self.ends(FOUND, "check", problem, path)

    def test_json_is_yaml_too(self):
        flow = {"tessera": "problem/1", "memories": {"m": {"capacity": 8}},
                "buffers": [{"id": "a", "live": [0, 1], "size": 4}]}
        for indent in (None, 2):
            self.ends(FOUND, "place", self.file("flow.json", json.dumps(flow, indent=indent)))

    def test_a_seed_that_no_counter_holds(self):
        done = self.ends(BAD_INPUT, "place", self.problem, "-c", 12, "--seed", 1 << 64)
        self.assertIn("above 2^64 - 1", done.stderr)
        self.ends(FOUND, "place", self.problem, "-c", 12, "--seed", (1 << 64) - 1)

    def test_names_that_turn_the_text_around(self):
        for turn in ("\u202e", "\u2066"):
            done = self.ends(BAD_INPUT, "place", self.file(
                "turned.yaml", "tessera: problem/1\nmemories: {m: {capacity: 8}}\nbuffers:\n"
                f"- {{id: 'a{turn}b', live: [0, 1], size: 4}}\n"))
            self.assertIn("control character", done.stderr)

    def test_an_answer_of_a_solver_is_one_answer(self):
        for text in ("unsat\nsat\n", "s UNSATISFIABLE\ns SATISFIABLE\nv 1 0\n",
                     "s SATISFIABLE\nv 1 -1 0\n"):
            done = self.ends(BAD_INPUT, "check", self.problem, "-c", 12, "--model",
                             self.file("answer.txt", text))
            self.assertRegex(done.stderr, "answer|both true and false")

    def test_an_infeasible_result_is_proved_or_claimed(self):
        path = self.folder / "no.json"
        self.ends(INFEASIBLE, "place", self.problem, "-c", 11, "-o", path)
        done = self.ends(FOUND, "check", self.problem, path, "-c", 11)
        self.assertIn("proved: status infeasible", done.stdout)
        self.ends(INFEASIBLE, "place", EXAMPLES / "too-tight.yaml", "-o", path)
        done = self.ends(FOUND, "check", EXAMPLES / "too-tight.yaml", path)
        self.assertIn("claimed, not checked: status infeasible", done.stdout)

    def test_certificates(self):
        proof = self.folder / "no.proof"
        for problem, capacity in ((EXAMPLES / "too-tight.yaml", 7), (self.problem, 11)):
            proof.unlink(missing_ok=True)
            self.ends(INFEASIBLE, "place", problem, "-c", capacity, "--proof", proof)
            self.assertTrue(proof.exists())
            self.ends(FOUND, "check", problem, "-c", capacity, "--proof", proof)
            # It proves nothing about a larger memory.
            self.ends(WRONG, "check", problem, "-c", capacity + 20, "--proof", proof)
        self.ends(WRONG, "check", EXAMPLES / "too-tight.yaml", "--proof",
                  self.file("empty.proof", "tessera proof/2\n"))


class Others(Case):
    def test_a_program_far_from_its_profiles(self):
        alone = self.folder / "bin"
        alone.mkdir()
        program = shutil.copy(TESSERA, alone)
        environment = {key: value for key, value in os.environ.items() if key != "TESSERA_PROFILES"}

        def said(*arguments):
            return subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, env=environment, check=False)

        if said("--version").returncode != FOUND:
            self.skipTest("it needs what lies beside it")
        hint = "no profiles were found next to the program: set TESSERA_PROFILES to their folder"
        self.assertEqual(said("profiles").stderr, f"tessera: note: {hint}\n")
        done = said("place", EXAMPLES / "residual-block.csv", "-p", "nvdla-like")
        self.assertEqual((done.returncode, done.stderr.splitlines()[1]), (BAD_INPUT, f"  hint: {hint}"))
        environment["TESSERA_PROFILES"] = str(ROOT / "hw_profiles")
        self.assertIn("nvdla-like", said("profiles").stdout)

    def test_export_and_back(self):
        for name in ("residual-block.csv", "patent-four-blobs.yaml", "patent-three-banks.yaml"):
            text = self.ends(FOUND, "export", EXAMPLES / name, "--to", "yaml").stdout
            again = self.ends(FOUND, "export", self.file("again.yaml", text), "--to", "yaml").stdout
            self.assertEqual(text, again)
        self.ends(FOUND, "export", EXAMPLES / "residual-block.csv", "--to", "csv")
        done = self.ends(BAD_INPUT, "export", EXAMPLES / "patent-three-banks.yaml", "--to", "csv")
        self.assertIn("CSV", done.stderr)

    def test_formulas(self):
        text = self.ends(FOUND, "export", EXAMPLES / "too-tight.yaml", "--to", "dimacs").stdout
        self.assertRegex(text, r"(?m)^p cnf \d+ \d+$")
        path = self.folder / "f.smt2"
        self.ends(FOUND, "export", EXAMPLES / "too-tight.yaml", "--to", "smt2", "-o", path)
        self.assertIn("(check-sat)", path.read_text())
        if shutil.which("cadical"):
            cnf = self.file("f.cnf", text)
            done = subprocess.run(["cadical", "-q", str(cnf)], capture_output=True, check=False)
            self.assertEqual(done.returncode, 20)
        if shutil.which("z3"):
            done = subprocess.run(["z3", str(path)], capture_output=True, text=True, check=False)
            self.assertTrue(done.stdout.startswith("unsat"), done.stdout)

    def test_models_of_other_solvers_are_read_back(self):
        for name, code in (("patent-three-banks.yaml", FOUND), ("too-tight.yaml", INFEASIBLE)):
            for to, solver in (("dimacs", ["cadical", "-q"]), ("smt2", ["z3"])):
                if shutil.which(solver[0]) is None:
                    continue
                formula = self.folder / ("f." + to)
                self.ends(FOUND, "export", EXAMPLES / name, "--to", to, "-o", formula)
                done = subprocess.run([*solver, str(formula)], capture_output=True, text=True,
                                      check=False)
                answer = self.file("answer", done.stdout)
                self.ends(code, "check", EXAMPLES / name, "--model", answer)
        self.ends(BAD_INPUT, "check", EXAMPLES / "too-tight.yaml", "--model",
                  self.file("answer", "hello"))

    def test_generate_is_the_same_for_the_same_seed(self):
        for kind in ("random", "packable", "network", "malloc", "training", "full-overlap",
                     "non-overlapping"):
            one = self.ends(FOUND, "generate", kind, "-n", 50, "--seed", 5).stdout
            two = self.ends(FOUND, "generate", kind, "-n", 50, "--seed", 5).stdout
            other = self.ends(FOUND, "generate", kind, "-n", 50, "--seed", 6).stdout
            self.assertEqual(one, two)
            self.assertNotEqual(one, other)
            self.assertEqual(len(one.splitlines()), 51)

    def test_packable_can_be_packed(self):
        path = self.folder / "p.yaml"
        self.ends(FOUND, "generate", "packable", "-n", 30, "--seed", 1, "-o", path)
        self.ends(FOUND, "place", path, "--timeout", "60s")

    def test_explain(self):
        done = self.ends(INFEASIBLE, "explain", EXAMPLES / "too-tight.yaml")
        self.assertIn("7", done.stdout)
        done = self.ends(INFEASIBLE, "explain", EXAMPLES / "too-tight.yaml", "--format", "json")
        story = json.loads(done.stdout)
        self.assertEqual(story["status"], "infeasible")
        self.assertTrue(story["buffers"])
        self.ends(FOUND, "explain", EXAMPLES / "patent-four-blobs.yaml")

    def test_profiles(self):
        names = [line.split()[0] for line in self.ends(FOUND, "profiles").stdout.splitlines()]
        self.assertIn("nvdla-like", names)
        for name in names:
            self.assertIn("#", self.ends(FOUND, "profiles", name).stdout)
        told = self.ends(FOUND, "profiles", "ethos-u65-like").stdout
        self.assertRegex(told, r"(?m)^silicon\.mac\.area  \S+ um2 +# \S")
        self.assertRegex(told, r"(?m)^tiling\.double_buffer  .* +# \S")


class Outputs(Case):
    def test_all_kinds(self):
        path = self.file("in.csv", SMALL)
        for name, word in (("o.json", "placement/1"), ("o.csv", "offset"), ("o.yaml", "problem/1")):
            out = self.folder / name
            self.ends(FOUND, "place", path, "-c", 12, "-o", out, "--plot", self.folder / "o.svg")
            self.assertIn(word, out.read_text())
        self.assertIn("<svg", (self.folder / "o.svg").read_text())

    def test_nothing_is_written_on_bad_input(self):
        out = self.folder / "o.json"
        self.ends(BAD_INPUT, "place", self.file("in.csv", "id,lower\n"), "-c", 12, "-o", out)
        self.assertEqual([p.name for p in self.folder.iterdir()], ["in.csv"])

    def test_nothing_half_written(self):
        path = self.file("in.csv", SMALL)
        missing = self.folder / "no" / "such" / "folder.json"
        done = self.ends(BAD_INPUT, "place", path, "-c", 12, "-o", missing)
        self.assertIn("folder.json", done.stderr)
        self.assertEqual([p.name for p in self.folder.iterdir()], ["in.csv"])

    def test_an_old_file_survives_a_failure(self):
        out = self.file("o.csv", "old")
        self.ends(INFEASIBLE, "place", self.file("in.csv", SMALL), "-c", 11, "-o", out)
        self.assertEqual(out.read_text(), "old")

    def test_standard_output(self):
        path = self.file("in.csv", SMALL)
        done = self.ends(FOUND, "place", path, "-c", 12, "-o", "/dev/stdout", "-q")
        self.assertEqual(json.loads(done.stdout)["status"], "feasible")


class Limits(Case):
    """Stopping early is never reported as a result, and never loses one."""

    # Undecided by every engine within a minute; if an engine decides it, use a harder one.
    HARD = ROOT / "tests" / "usage" / "open-problem.csv"

    def test_time_limit_without_an_answer(self):
        done = self.ends(STOPPED, "place", self.HARD, "-c", 1028, "--timeout", "200ms", "--format",
                         "json", "--engine", "canonical")
        result = json.loads(done.stdout)
        self.assertEqual((result["status"], result["stop"]), ("unknown", "time_limit"))

    def test_time_limit_with_an_answer(self):
        start = time.monotonic()
        done = self.ends(FOUND, "place", self.HARD, "--minimize", "--capacity", 4096,
                         "--timeout", "500ms", "--format", "json")
        self.assertLess(time.monotonic() - start, 10)
        result = json.loads(done.stdout)
        self.assertEqual((result["status"], result["stop"]), ("feasible", "time_limit"))
        self.assertFalse(result["proven_minimum"])

    def interrupted(self, number, *arguments):
        process = start(*arguments, text=True)
        time.sleep(1)
        process.send_signal(number)
        out, err = process.communicate(timeout=20)
        return process.returncode, out, err

    def test_interrupt_without_an_answer(self):
        # Engines that leave it undecided for long; the learning engine does not.
        for number, engine in ((signal.SIGINT, "canonical"), (signal.SIGTERM, "sat")):
            code, out, err = self.interrupted(number, "place", self.HARD, "-c", 1028, "--format",
                                              "json", "--engine", engine)
            self.assertEqual(code, 128 + number, err)
            result = json.loads(out)
            self.assertEqual((result["status"], result["stop"]), ("unknown", "interrupted"))

    def test_interrupt_keeps_the_best_answer(self):
        out_file = self.folder / "best.json"
        code, _, err = self.interrupted(signal.SIGINT, "place", self.HARD, "--minimize",
                                        "--capacity", 4096, "-o", out_file)
        self.assertEqual(code, 128 + signal.SIGINT, err)
        self.assertEqual(json.loads(out_file.read_text())["stop"], "interrupted")
        self.ends(FOUND, "check", self.HARD, out_file, "--capacity", 4096)


if __name__ == "__main__":
    unittest.main()
