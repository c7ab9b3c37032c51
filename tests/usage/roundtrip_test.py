#!/usr/bin/env python3
"""Every output can be read back: valid JSON (each key once), results that check accepts, CSV and YAML that
place accepts. Uses the benchmarks if available ($TESSERA_SHARED_DIR), otherwise the examples."""

import csv
import json
import random
import re
import unittest

from support import (BAD_INPUT, EXAMPLES, FOUND, INFEASIBLE, ROOT, SHARED, SLOW, STOPPED, TOY_NETWORK, WRONG,
                     Case, run, strict_json)

BENCHMARKS = SHARED / "benchmarks"
SMALL = 64 * 1024  # bytes of an instance
LIMIT = ("-t", "1s")

PROFILE = ("-p", "ethos-u55-like")
NETWORK = EXAMPLES / "fsrcnn_x2_360p.onnx"


def capacity_of(path):
    """In the names of benchmarks: A.1048576.csv."""
    found = re.search(r"\.(\d+)\.csv$", path.name)
    return ("-c", found[1]) if found else ()


def instances():
    """(path, capacity) of all small benchmarks, and a sample of large collections."""
    if not BENCHMARKS.is_dir():
        return [(EXAMPLES / name, capacity) for name, capacity in (
            ("residual-block.csv", ("-c", "150 KiB")), ("residual-block.csv", ("-c", "140 KiB")),
            ("patent-four-blobs.yaml", ()), ("patent-three-banks.yaml", ()),
            ("too-tight.yaml", ()))]
    dice = random.Random(1)
    files = sorted(BENCHMARKS.glob("minimalloc/*.csv")) + sorted(BENCHMARKS.glob("flat-load/*.csv"))
    files += sorted(BENCHMARKS.glob("pypto-lib-sample/*.json"))
    many = sorted(path for path in BENCHMARKS.glob("pypto/**/*.json")
                  if not path.name.endswith("schema.json"))
    files += sorted(dice.sample(many, min(25, len(many))))
    small = [(path, capacity_of(path)) for path in files
             if path.stat().st_size <= SMALL and path.name != "figures.json"]
    return small[::5] if SLOW else small


class RoundTrip(Case):
    def checked(self, problem, result, *arguments):
        """check accepts it, as text and as JSON."""
        self.ends(FOUND, "check", problem, result, *arguments)
        told = strict_json(self.ends(FOUND, "check", problem, result, *arguments, "--format",
                                     "json").stdout)
        self.assertTrue(told["right"])

    def test_commands_contain_their_network_and_machine(self):
        net, plan, commands = self.file("net.yaml", TOY_NETWORK), self.folder / "p.json", self.folder / "c.jsonl"
        for more in ((), ("-c", "96 KiB"), ("--set", "memories.dram.burst=32")):
            with self.subTest(more=more):
                self.ends(FOUND, "plan", net, "-p", "gap9-like", *more, "-q", "-o", plan, "--commands", commands)
                alone = self.ends(FOUND, "check", plan, commands)
                self.assertEqual((alone.stdout[:6], alone.stderr), ("right:", ""))
                given = self.ends(FOUND, "check", net, plan, commands, "-p", "gap9-like", *more)
                self.assertEqual(alone.stdout, given.stdout)
                self.assertTrue(strict_json(self.ends(FOUND, "check", plan, commands, "--format", "json").stdout)["right"])
        self.assertIn("contains the profile", self.ends(BAD_INPUT, "check", plan, commands, "-p", "gap9-like").stderr)
        self.assertIn("is not a plan", self.ends(BAD_INPUT, "check", net, commands).stderr)
        other = self.folder / "other.json"
        self.ends(FOUND, "plan", net, "-p", "gap9-like", "--layer-by-layer", "-q", "-o", other)
        self.ends(WRONG, "check", other, commands)
        header, *lines = commands.read_text(encoding="utf-8").splitlines()
        header = json.loads(header)
        for source, told in (({**header["source"], "profile": header["source"]["profile"].replace("capacity", "kapacity")}, "kapacity"),
                             ({"profile": header["source"]["profile"]}, "does not contain its network"),
                             ({**header["source"], "set": [["memories"]]}, "no list of pairs"),
                             ({**header["source"], "network": 3}, "no text")):
            self.file("c.jsonl", "\n".join([json.dumps({**header, "source": source}), *lines]) + "\n")
            self.assertIn(told, self.ends(BAD_INPUT, "check", plan, commands).stderr)

    def test_placements(self):
        tried = 0
        for path, capacity in instances():
            for extra in ((), ("--minimize",)):
                with self.subTest(instance=path.name, extra=extra):
                    out = self.folder / "o.json"
                    out.unlink(missing_ok=True)
                    done = run("place", path, *capacity, *extra, *LIMIT, "-o", out, "--format",
                               "json")
                    if done.returncode == 2:  # no capacity of its own, or another kind of document
                        continue
                    self.assertIn(done.returncode, (FOUND, INFEASIBLE, STOPPED), done.stderr)
                    tried += 1
                    result = strict_json(done.stdout)
                    self.assertEqual(result, strict_json(out.read_text()))
                    if result["status"] == "feasible":
                        self.checked(path, out, *capacity)
                        if not extra:
                            self.other_formats(path, capacity)
        self.assertGreater(tried, 5)

    def other_formats(self, path, capacity):
        for name in ("o.yaml", "o.csv"):
            out = self.folder / name
            out.unlink(missing_ok=True)
            done = run("place", path, *capacity, *LIMIT, "-o", out)
            if done.returncode == 2 and "CSV" in done.stderr:
                continue
            self.assertIn(done.returncode, (FOUND, STOPPED), done.stderr)
            if done.returncode != FOUND:
                continue
            if name == "o.yaml":  # a problem with every offset fixed
                again = strict_json(self.ends(FOUND, "place", out, "--format", "json").stdout)
                self.assertEqual(again["status"], "feasible")
            else:
                self.checked(path, out, *capacity)
                with open(out, encoding="utf-8", newline="") as text:
                    self.assertTrue(all(row["offset"].isdigit() for row in csv.DictReader(text)))

    def test_one_engine_asked_twice(self):
        """Before a race and in it: statistics are summed; duplicate keys are invalid JSON."""
        done = run("place", TWICE, "-c", 1028, "-t", "2s", "--format", "json")
        result = strict_json(done.stdout)
        self.assertGreaterEqual(result["stats"]["canonical.nodes"], 1000)  # the budget before the race

    def test_explanations(self):
        for problem, code in (("too-tight.yaml", INFEASIBLE), ("patent-four-blobs.yaml", FOUND)):
            done = self.ends(code, "explain", EXAMPLES / problem, "--format", "json")
            self.assertEqual(strict_json(done.stdout)["tessera"], "explanation/1")

    def test_violations(self):
        wrong = self.file("wrong.csv", "id,lower,upper,size,offset\n\"q\",0,3,4,0\nb,1,2,8,3\n"
                          .replace('"', ""))
        problem = self.file("in.csv", "id,lower,upper,size\nq,0,3,4\nb,1,2,8\n")
        done = self.ends(WRONG, "check", problem, wrong, "-c", 12, "--format", "json")
        self.assertFalse(strict_json(done.stdout)["right"])

    def test_certificates(self):
        proof = self.folder / "no.proof"
        self.ends(INFEASIBLE, "place", EXAMPLES / "too-tight.yaml", "--proof", proof)
        for problem, code in (("too-tight.yaml", FOUND), ("patent-four-blobs.yaml", WRONG)):
            done = self.ends(code, "check", EXAMPLES / problem, "--proof", proof, "--format",
                             "json")
            self.assertEqual(strict_json(done.stdout)["right"], code == FOUND)

    def test_plans_and_tiles(self):
        models = [NETWORK]
        if SHARED.joinpath("models").is_dir():
            models.append(SHARED / "models/squeezenet1_1.onnx")
        for model in models:
            with self.subTest(model=model.name):
                out, trace = self.folder / "plan.json", self.folder / "trace.json"
                done = self.ends(FOUND, "plan", model, "--dtype", "int8", *PROFILE, "-t", "5s", "-o",
                                 out, "--trace", trace, "--format", "json")
                plan = strict_json(done.stdout)
                self.assertEqual(plan["tessera"], "plan/1")
                self.assertEqual(plan, strict_json(out.read_text()))
                strict_json(trace.read_text())
                self.checked(model, out, *PROFILE)
                yaml = self.folder / "net.yaml"
                self.ends(FOUND, "import", model, "--dtype", "int8", "-o", yaml)
                for ops in ("0", "0:2"):
                    done = run("tile", yaml, "--ops", ops, *PROFILE, "--all", "-t", "3s",
                               "--format", "json")
                    self.assertIn(done.returncode, (FOUND, INFEASIBLE, STOPPED), done.stderr)
                    self.assertEqual(strict_json(done.stdout)["tessera"], "tile/1")

    def test_names_that_are_hard_to_write(self):
        """Quotes, backslashes and invalid UTF-8; a name is one line of text."""
        text = ('tessera: problem/1\nmemories: {"m\\"1\\\\": {capacity: 5}}\nbuffers:\n'
                '  - {id: "a\\"\\\\", live: [0, 2], size: 3}\n'
                '  - {id: "\\u00e9\\U0001f600", live: [1, 3], size: 4}\n')
        path = self.file("names.yaml", text)
        done = self.ends(INFEASIBLE, "place", path, "--format", "json")
        strict_json(done.stdout)
        done = self.ends(INFEASIBLE, "explain", path, "--format", "json")
        self.assertIn('a"\\', strict_json(done.stdout)["buffers"])
        out = self.folder / "o.json"
        done = self.ends(FOUND, "place", path, "--minimize", "-c", 7, "-o", out, "--format", "json")
        strict_json(done.stdout)
        strict_json(out.read_text())
        self.checked(path, out, "-c", 7)
        done = run("check", path, out, "-c", 5, "--format", "json")
        strict_json(done.stdout)
        latin = self.file("latin.csv", b"id,lower,upper,size\n\xe9,0,2,3\nb,1,2,3\n")
        for command in (("place",), ("explain",)):
            done = run(*command, latin, "-c", 4, "--format", "json")
            if done.returncode != 2:
                strict_json(done.stdout)


# No engine decides it in time: canonical search, first in the race, provides the result.
TWICE = ROOT / "tests" / "usage" / "open-problem.csv"


if __name__ == "__main__":
    unittest.main()
