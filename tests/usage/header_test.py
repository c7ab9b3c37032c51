#!/usr/bin/env python3
"""-o FILE.h of place and plan: a C compiler reads the same values as in the JSON."""

import json
import os
import pathlib
import shutil
import subprocess
import unittest

from support import BAD_INPUT, EXAMPLES, FOUND, INFEASIBLE, Case, run

COMPILER = shutil.which(os.environ.get("CC", "cc"))
STRICT = ("-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror")

# Ids that are no C identifiers, contain comment ends, or map to the same name, and memories named like macros
# of another memory.
PROBLEM = """
tessera: problem/1
name: "a */ name \\\\ ??/"
memories:
  sram: {capacity: 1 KiB, base: 0x20000000, alignment: 16}
  sram used: {banks: [{name: b0, size: 64}, {name: b1, size: 64}], straddle: true}
  offset: {capacity: 64}
  memories: {capacity: 8 GiB}
buffers:
  - {id: "conv/1:0", size: 40, live: [0, 3], memory: sram}
  - {id: "conv.1.0", size: 24, live: [[1, 2], [4, 6]], memory: sram}
  - {id: "\\"quoted\\" \\\\ ??= ü", size: 100, live: [0, 3], memory: sram used}
  - {id: "2nd", size: 8, live: [0, 3], memory: sram used}
  - {id: "offset", size: 8, live: [0, 3], memory: offset}
  - {id: "far", size: 5 GiB, live: [0, 3], memory: memories, offset: 2147483648}
  - {id: "gap", size: 24, live: [[0, 2], [3, 6]], gaps: [{live: [4, 5]}], memory: offset}
"""

PRINTS_PLACES = """
#include <stdio.h>
#include "out.h"
int main(void) {
  for (unsigned k = 0; k < OUT_BUFFERS; ++k) {
    const out_place *p = &out_places[k];
    printf("%s\\t%llu\\t%llu\\t%u\\t%u\\t%u\\t%llu\\t%llu\\t", p->id, (unsigned long long)p->offset,
           (unsigned long long)p->size, p->memory, p->first_bank, p->last_bank,
           (unsigned long long)p->first_step, (unsigned long long)p->end_step);
    for (const out_life *l = p->lives; l->end_step != 0; ++l)
      printf(" %llu-%llu", (unsigned long long)l->first_step, (unsigned long long)l->end_step);
    printf("\\n");
  }
  return 0;
}
"""

PRINTS_RUNS = """
#include <stdio.h>
#include "out.h"
int main(void) {
  for (unsigned r = 0; r < OUT_RUNS; ++r) {
    const out_run *run = &out_runs[r];
    printf("run\\t%u\\t%u\\t%llu\\t%llu\\t%llu\\t%d\\t%s\\n", run->first_op, run->last_op,
           (unsigned long long)run->tiles[0], (unsigned long long)run->tiles[1],
           (unsigned long long)run->tiles[2], run->double_buffered, run->weights);
    for (unsigned k = 0; k < run->placements_count; ++k)
      for (unsigned b = 0; b < run->placements[k].buffers; ++b) {
        const out_place *p = &run->placements[k].places[b];
        printf("place\\t%u\\t%s\\t%llu\\t%llu\\t%llu\\t", k, p->id, (unsigned long long)p->offset[0],
               (unsigned long long)p->offset[1], (unsigned long long)p->size);
        for (unsigned copy = 0; copy < 2; ++copy) {
          for (const out_life *l = p->lives[copy]; l->end_step != 0; ++l)
            printf(" %llu-%llu", (unsigned long long)l->first_step, (unsigned long long)l->end_step);
          printf(copy == 0 ? " |" : "\\n");
        }
      }
  }
  for (unsigned b = 0; b < OUT_DRAM_BUFFERS; ++b)
    printf("dram\\t%s\\t%llu\\n", out_dram_buffers[b].id,
           (unsigned long long)out_dram_buffers[b].offset);
  return 0;
}
"""


def lives_of(buffer):
    return "".join(f" {begin}-{end}" for begin, end in buffer["live"])


@unittest.skipUnless(COMPILER, "there is no C compiler")
class Compiled(Case):
    def printed(self, program):
        self.file("main.c", program)
        for language in (STRICT, ("-x", "c++", "-std=c++11", *STRICT[1:])):
            done = subprocess.run([COMPILER, *language, "main.c", "-o", "main"], cwd=self.folder,
                                  capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
        out = subprocess.run([pathlib.Path(self.folder) / "main"], capture_output=True, text=True,
                             check=True).stdout
        return [line.split("\t") for line in out.splitlines()]

    def test_a_placement(self):
        problem = self.file("p.yaml", PROBLEM)
        for file in ("out.h", "out.json"):
            done = run("place", problem, "-q", "-o", file, cwd=self.folder)
            self.assertEqual(done.returncode, FOUND, done.stderr)
        result = json.loads((pathlib.Path(self.folder) / "out.json").read_text())
        memories = ["sram", "sram used", "offset", "memories"]
        banks = {"sram used": lambda at: min(at // 64, 1)}
        expected = [
            [b["id"], str(b["offset"]), str(b["size"]), str(memories.index(b["memory"])),
             *(str(banks.get(b["memory"], lambda at: 0)(at))
               for at in (b["offset"], b["offset"] + b["size"] - 1)),
             str(b["live"][0][0]), str(b["live"][-1][1]),
             " 0-2 3-4 5-6" if b["id"] == "gap" else lives_of(b)]
            for b in result["buffers"]
        ]
        self.assertEqual(self.printed(PRINTS_PLACES), expected)
        text = (pathlib.Path(self.folder) / "out.h").read_text()
        for line in ("#define OUT_SRAM 0u", "#define OUT_SRAM_BASE 536870912u",
                     "#define OUT_SRAM_ALIGNMENT 16u", "#define OUT_SRAM_USED_2 1u",
                     "#define OUT_OFFSET_CONV_1_0_2 "):
            self.assertIn(line, text)

    def test_a_plan(self):
        for file in ("out.h", "out.json"):
            done = run("plan", EXAMPLES / "fsrcnn_x2_360p.onnx", "--dtype", "int8", "-p",
                       "ethos-u65-like", "--max-ops", "2", "--tile-shapes", "0", "-q", "-o", file,
                       cwd=self.folder)
            self.assertEqual(done.returncode, FOUND, done.stderr)
        plan = json.loads((pathlib.Path(self.folder) / "out.json").read_text())
        expected = []
        for run_ in plan["subgraphs"]:
            grid = run_["tiles"]["grid"]
            expected.append(["run", str(run_["first_op"]), str(run_["last_op"]),
                             *(str(grid[axis]) for axis in "CHW"),
                             str(int(run_["variant"]["double_buffer"])),
                             run_["variant"]["weights"]])
            placements = [run_["placement"], *run_.get("more_placements", [])]
            for number, placement in enumerate(placements):
                places = {b["id"]: b for b in placement["buffers"]}
                for name, b in places.items():
                    copies = [b, b]
                    stem = name.removesuffix(".ping").removesuffix(".pong")
                    both = [places.get(stem + end) for end in (".ping", ".pong")]
                    if all(both) and len({(c["memory"], c["size"]) for c in both}) == 1:
                        if name.endswith(".pong"):
                            continue
                        copies, name = both, stem
                    expected.append(["place", str(number), name,
                                     *(str(c["offset"]) for c in copies), str(b["size"]),
                                     " |".join(map(lives_of, copies))])
        for b in plan["offchip"][0]["buffers"]:
            expected.append(["dram", b["id"], str(b["offset"])])
        self.assertEqual(self.printed(PRINTS_RUNS), expected)


    def test_buffers_of_a_plan_are_apart(self):
        """In bytes or in steps; buffers with several lifetimes enclose others."""
        done = run("plan", EXAMPLES / "fsrcnn_x2_360p.onnx", "--dtype", "int8", "-p", "ethos-u55-like", "-q",
                   "--proof-shapes", 0, "-o", "out.h", cwd=self.folder)
        self.assertEqual(done.returncode, FOUND, done.stderr)
        placements, several = {}, 0
        run_ = 0
        for kind, *row in self.printed(PRINTS_RUNS):
            run_ += kind == "run"
            if kind != "place":
                continue
            number, name, *offsets, size, lives = row
            for copy, (offset, ranges) in enumerate(zip(offsets, lives.split("|"))):
                if copy == 1 and offset == offsets[0]:
                    continue
                steps = [tuple(map(int, each.split("-"))) for each in ranges.split()]
                several += len(steps) > 1
                placements.setdefault((run_, number), []).append((name, int(offset), int(size), steps))
        self.assertGreater(several, 0)
        for buffers in placements.values():
            for one, (name, at, size, steps) in enumerate(buffers):
                for other, low, length, others in buffers[:one]:
                    self.assertFalse(at < low + length and low < at + size and
                                     any(a < d and c < b for a, b in steps for c, d in others), (name, other))


class Refused(Case):
    def test_nothing_is_written_without_a_placement(self):
        problem = self.file("p.yaml", PROBLEM.replace("1 KiB", "48"))
        done = run("place", problem, "-o", "out.h", cwd=self.folder)
        self.assertEqual(done.returncode, INFEASIBLE)
        self.assertIn("out.h was not written", done.stderr)
        self.assertFalse((pathlib.Path(self.folder) / "out.h").exists())

    def test_files_of_another_kind(self):
        problem = self.file("p.yaml", PROBLEM)
        network = EXAMPLES / "fsrcnn_x2_360p.onnx"
        for command, option, file, takes in (
                (("place", problem), "-o", "out.txt", ".json, .csv, .yaml, .h or .tflite"),
                (("place", problem), "-o", "out.svg", "--plot draws a picture"),
                (("plan", network, "-p", "ethos-u65-like"), "-o", "plan.yaml", ".json or .h"),
                (("plan", network, "-p", "ethos-u65-like"), "--csv", "plan.json", ".csv"),
                (("plan", network, "-p", "ethos-u65-like"), "--trace", "plan.csv", ".json"),
                (("tile", network, "--ops", "0:1", "-p", "ethos-u65-like"), "-o", "t.csv", ".json"),
                (("explain", problem), "-o", "why.csv", ".json or .txt"),
                (("import", network), "-o", "n.json", ".yaml"),
                (("generate", "random"), "-o", "n.json", ".csv or .yaml"),
                (("report", problem), "-o", "r.txt", ".html"),
        ):
            with self.subTest(command=command[0], file=file):
                done = run(*command, option, file, cwd=self.folder)
                self.assertEqual(done.returncode, BAD_INPUT, done.stderr)
                self.assertIn(takes, done.stderr)
                self.assertFalse((pathlib.Path(self.folder) / file).exists())


class Outputs(Case):
    """Every command with a result writes it to a file."""

    def test_a_tile(self):
        done = run("tile", EXAMPLES / "fsrcnn_x2_360p.onnx", "--dtype", "int8", "--ops", "0:1", "-p",
                   "ethos-u65-like", "-q", "-o", "t.json", "--plot", "t.svg", cwd=self.folder)
        self.assertEqual(done.returncode, FOUND, done.stderr)
        self.assertEqual(done.stdout, "")
        folder = pathlib.Path(self.folder)
        self.assertEqual(json.loads((folder / "t.json").read_text())["tessera"], "tile/1")
        self.assertTrue((folder / "t.svg").read_text().rstrip().endswith("</svg>"))

    def test_an_explanation(self):
        for file in ("why.json", "why.txt"):
            done = run("explain", EXAMPLES / "too-tight.yaml", "-o", file, cwd=self.folder)
            self.assertEqual(done.returncode, INFEASIBLE, done.stderr)
        folder = pathlib.Path(self.folder)
        self.assertEqual((folder / "why.txt").read_text(), done.stdout)
        self.assertEqual(json.loads((folder / "why.json").read_text())["text"].strip(),
                         done.stdout.strip())

    def test_profiles(self):
        lines = run("profiles", "--format", "json").stdout.splitlines()
        names = [json.loads(line)["name"] for line in lines]
        self.assertIn("nvdla-like", names)
        one = json.loads(run("profiles", "nvdla-like", "--format", "json", "--set",
                             "clock=2 GHz").stdout)
        values = {entry["key"]: entry["value"] for entry in one["values"]}
        self.assertEqual((one["name"], values["clock"]), ("nvdla-like", "2000 MHz"))
        self.assertTrue(all(entry["source"] for entry in one["values"]))


if __name__ == "__main__":
    unittest.main()
