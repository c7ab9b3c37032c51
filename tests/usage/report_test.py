#!/usr/bin/env python3
"""tessera report: one self-contained page that embeds its result. If there is a Chromium (Debian: chromium),
the page is run in it as well."""

import json
import os
import re
import shutil
import subprocess
import unittest

from support import BAD_INPUT, EXAMPLES, FOUND, INFEASIBLE, NO_PEAK, SLOW, Case, run

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
PROFILE = ("--profile", "ethos-u55-256")
NETWORK = EXAMPLES / "classifier.tflite"
# External images, styles or scripts; loading constructs of CSS and scripts.
LOADS = re.compile(r"""(?:src|href)\s*=\s*["'](?!data:)|url\(|@import|fetch\(|XMLHttpRequest|import\(""")


def embedded(page, name):
    found = re.search(rf'<script type="application/json" id="{name}">(.*?)</script>', page, re.S)
    return json.loads(found[1])


class ReportCase(Case):
    def page(self, result, *more, name="page.html"):
        file = self.folder / name
        done = self.ends(FOUND, "report", result, "-o", file, *more)
        page = file.read_text()
        self.assertTrue(page.startswith("<!doctype html>"))
        self.assertTrue(page.endswith("</html>\n"))
        self.assertIsNone(LOADS.search(page))
        self.assertIn("default-src 'none'", page)
        self.assertEqual(page.count("</script>"), page.count("<script"))
        return page, done

    def placed(self, problem, *more, code=FOUND):
        result = self.folder / "result.json"
        self.ends(code, "place", problem, "--output", result, *more)
        return result


class Page(ReportCase):
    def test_a_placement_by_itself(self):
        result = self.placed(EXAMPLES / "residual-block.csv", "-c", "150 KiB")
        page, done = self.page(result)
        self.assertEqual(embedded(page, "result"), json.loads(result.read_text()))
        self.assertIsNone(embedded(page, "given"))
        self.assertEqual(done.stdout + done.stderr, "")

    def test_with_the_problem_there_are_capacities(self):
        result = self.placed(EXAMPLES / "patent-three-banks.yaml")
        page, _ = self.page(result, "--input", EXAMPLES / "patent-three-banks.yaml")
        memory = embedded(page, "given")["memories"][0]
        self.assertEqual(memory["capacity"], sum(bank["size"] for bank in memory["banks"]))
        self.assertEqual(embedded(page, "given")["wrong"], [])
        placed = embedded(page, "result")
        self.assertEqual(placed["buffers"], json.loads(result.read_text())["buffers"])

    def test_gaps_and_parts_are_in_it(self):
        problem = EXAMPLES / "tile-by-tile.yaml"
        result = self.placed(problem)
        occupied = embedded(self.page(result, "--input", problem)[0], "given")["occupied"]
        for buffer, pieces in occupied.items():
            size = next(b["size"] for b in json.loads(result.read_text())["buffers"] if b["id"] == buffer)
            for begin, end, low, high in pieces:
                self.assertLess(begin, end)
                self.assertTrue(0 <= low < high <= size)

    def test_why_there_is_none(self):
        problem = EXAMPLES / "too-tight.yaml"
        result = self.placed(problem, code=INFEASIBLE)
        _, done = self.page(result)
        self.assertIn("--input", done.stderr)
        page, _ = self.page(result, "--input", problem)
        why = embedded(page, "given")["explanation"]
        told = json.loads(self.ends(INFEASIBLE, "explain", problem, "--format", "json").stdout)
        self.assertEqual(why["buffers"], told["buffers"])
        self.assertEqual(why["text"], told["text"])
        self.assertTrue(set(why["buffers"]) <= {b["id"] for b in embedded(page, "given")["buffers"]})

    # Two memories with addresses, reserved ranges, and two buffers that share bytes.
    MEMORIES = """tessera: problem/1
name: two <memories>
memories:
  sram: {capacity: 4096, base: 0x20000000, reserved: [[0, 512]]}
  dram: {capacity: 65536, base: 0x12345678900}
buffers:
  - {id: conv, live: [0, 4], size: 1024, memory: sram}
  - {id: relu, live: [3, 6], size: 1024, memory: sram}
  - {id: x, live: [1, 5], size: 700, memory: sram}
  - {id: big, live: [0, 6], size: 40000, memory: dram}
relations: [{same_offset: [conv, relu]}]
"""

    def test_the_title_is_the_name_of_what_is_shown(self):
        problem = self.file("mem.yaml", self.MEMORIES)
        self.assertIn("<title>two &lt;memories&gt;</title>", self.page(self.placed(problem), "--input", problem)[0])
        plan = self.folder / "plan.json"
        self.ends(FOUND, "plan", NETWORK, *PROFILE, "-o", plan)
        self.assertIn("<title>classifier on ethos-u55-256</title>", self.page(plan)[0])

    def test_buffers_that_may_overlap_are_named(self):
        problem = self.file("mem.yaml", self.MEMORIES)
        page, _ = self.page(self.placed(problem), "--input", problem)
        self.assertEqual(embedded(page, "given")["shares"], [["conv", "relu"]])

    def test_what_is_asked_of_each_memory(self):
        """Its capacity without reserved ranges; shared addresses count once."""
        problem = self.file("mem.yaml", self.MEMORIES.replace("size: 700", "size: 2700"))
        page, _ = self.page(self.placed(problem, code=INFEASIBLE), "--input", problem)
        loads = embedded(page, "given")["explanation"]["loads"]
        self.assertEqual([(load["memories"], load["room"]) for load in loads], [(["sram"], 3584), (["dram"], 65536)])
        self.assertEqual(loads[0]["all"], [[0, 1024], [1, 3724], [3, 3724], [4, 3724], [5, 1024], [6, 0]])
        self.assertEqual(loads[1]["set"], [])
        either = self.file("any.yaml", self.MEMORIES.replace("size: 700, memory: sram", "size: 70000"))
        page, _ = self.page(self.placed(either, code=INFEASIBLE), "--input", either)
        loads = embedded(page, "given")["explanation"]["loads"]
        self.assertEqual([load["memories"] for load in loads], [["sram"], ["dram"], ["sram", "dram"]])
        self.assertEqual(loads[2]["room"], 3584 + 65536)

    def test_a_wrong_placement_is_called_wrong(self):
        result = self.placed(EXAMPLES / "residual-block.csv", "-c", "150 KiB")
        placed = json.loads(result.read_text())
        for each in placed["buffers"]:
            each["offset"] = 0
        result.write_text(json.dumps(placed))
        page, _ = self.page(result, "--input", EXAMPLES / "residual-block.csv", "-c", "150 KiB")
        self.assertTrue(embedded(page, "given")["wrong"])

    def test_a_csv_with_offsets_needs_its_problem(self):
        file = self.folder / "result.csv"
        self.ends(FOUND, "place", EXAMPLES / "residual-block.csv", "-c", "150 KiB", "-o", file)
        self.ends(BAD_INPUT, "report", file, "-o", self.folder / "page.html")
        page, _ = self.page(file, "--input", EXAMPLES / "residual-block.csv", "-c", "150 KiB")
        self.assertEqual(len(embedded(page, "result")["buffers"]), 8)

    def test_a_plan(self):
        plan = self.folder / "plan.json"
        self.ends(FOUND, "plan", NETWORK, *PROFILE, "-o", plan)
        page, _ = self.page(plan)
        self.assertEqual(embedded(page, "result"), json.loads(plan.read_text()))
        done = self.ends(BAD_INPUT, "report", plan, "--input", EXAMPLES / "residual-block.csv", "-c", "1 MiB",
                         "-o", self.folder / "no.html")
        self.assertIn("is a plan", done.stderr)

    def test_weights_for_good(self):
        plan = self.folder / "plan.json"
        self.ends(FOUND, "plan", NETWORK, "-p", "edgetpu-like", "--set", "tiling.pinned=weights", *NO_PEAK, "-o", plan)
        told = json.loads(plan.read_text())
        self.assertTrue(told["pinned"])
        self.assertEqual(embedded(self.page(plan)[0], "result")["pinned"], told["pinned"])
        told["pinned"][0]["offset"] = "low"
        done = self.ends(BAD_INPUT, "report", self.file("bad.json", json.dumps(told)), "-o", self.folder / "no.html")
        self.assertIn("offset", done.stderr)

    def test_names_end_no_element(self):
        evil = "</script><script>alert(1)</script><!--"
        problem = self.file("evil.yaml", "tessera: problem/1\nmemories: {m: {capacity: 64}}\n"
                            f"buffers: [{{id: \"{evil}\", live: [0, 2], size: 4}}]\n")
        page, _ = self.page(self.placed(problem), "--input", problem)
        self.assertNotIn("<script>alert", page)
        self.assertEqual(embedded(page, "result")["buffers"][0]["id"], evil)
        named = self.folder / "<b>&.json"
        shutil.copy(self.folder / "result.json", named)
        page, _ = self.page(named)
        self.assertIn("<title>&lt;b&gt;&amp;.json</title>", page)

    def test_what_is_refused(self):
        out = ("-o", self.folder / "page.html")
        for text, said in (
                ('{"tessera": "check/1", "status": "feasible"}', "a report needs a `placement/1` or a `plan/1`"),
                ('{"status": "feasible"}', "tessera"),
                ('{"tessera": "placement/1", "status": "feasible", "height": 1}', "buffers"),
                ('{"tessera": "placement/1", "status": "feasible", "height": 1,\n'
                 ' "buffers": [{"id": "a", "offset": 0, "size": 4}]}', ":2: buffer `a` has no live intervals"),
                ('{"tessera": "placement/1", "status": "feasible", "height": 1,\n'
                 ' "buffers": [{"id": "a", "offset": -1, "size": 4, "live": [[0, 1]]}]}', ":2: `offset` is"),
                ('{"tessera": "plan/1", "status": "feasible", "totals": {}}', "latency_cycles"),
                ("id,lower,upper,size,offset\na,0,1,4,0\n", "--input"),
                ("{", ":1:")):
            with self.subTest(text=text):
                done = self.ends(BAD_INPUT, "report", self.file("bad.json", text), *out)
                self.assertIn(said, done.stderr)
                self.assertNotIn("page.html", self.names())
        result = self.placed(EXAMPLES / "residual-block.csv", "-c", "150 KiB")
        for more, said in ((("-o", self.folder / "page.txt"), ".html"), (out + ("-c", "1 MiB"), "--input"),
                           (("-o", result), "would overwrite")):
            self.assertIn(said, self.ends(BAD_INPUT, "report", result, *more).stderr)


@unittest.skipUnless(CHROMIUM, "no Chromium: pages are not run")
class InABrowser(ReportCase):
    def dom(self, page):
        """The DOM after running the page; errors of its script fail the test."""
        done = subprocess.run(
            [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=20000",
             "--enable-logging=stderr", f"--user-data-dir={self.folder}/browser", "--dump-dom", f"file://{page}"],
            capture_output=True, text=True, timeout=300, check=False, env={**os.environ, "HOME": str(self.folder)})
        told = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
        self.assertEqual(told, [])
        return done.stdout

    def shown(self, result, *more):
        self.page(result, *more)
        return self.dom(self.folder / "page.html")

    def test_thirty_buffers(self):
        problem = self.folder / "problem.csv"
        self.ends(FOUND, "generate", "network", "-n", "30", "--seed", "3", "-o", problem)
        dom = self.shown(self.placed(problem, "-c", "4 MiB"), "--input", problem, "-c", "4 MiB")
        self.assertEqual(dom.count("<canvas"), 1)
        self.assertIn("peak of live bytes", dom)
        self.assertGreaterEqual(dom.count('<tr class="go"'), 30)

    def test_thirty_thousand_buffers(self):
        problem = self.folder / "problem.csv"
        self.ends(FOUND, "generate", "malloc", "-n", "30000", "--seed", "3", "-o", problem)
        result = self.placed(problem, "-c", "64 MiB")
        dom = self.shown(result)
        self.assertIn("30,000", dom)
        self.assertIn("show all", dom)
        # Rows are added on request: the document stays small.
        self.assertLess(dom.count("<tr"), 2000)

    def test_a_plan_shows_runs_ops_and_what_bounds_them(self):
        plan = self.folder / "plan.json"
        self.ends(FOUND, "plan", NETWORK, *PROFILE, "-o", plan)
        dom = self.shown(plan)
        told = json.loads(plan.read_text())
        for title in ("Where the time goes", "Each memory over time", "Groups of ops",
                      "Cost of each op"):
            self.assertIn(title, dom)
        self.assertIn(f"{told['totals']['latency_cycles']:,}", dom)
        for layer in told["layers"]:
            self.assertIn(layer["bound_by"], dom)
            self.assertIn(f"{layer['cycles']:,}", dom)
        self.assertGreaterEqual(dom.count("<canvas"), 2)

    def test_a_plan_shows_each_memory_over_time(self):
        plan = self.folder / "plan.json"
        for profile, memories in (("ethos-u55-256", ["sram", "off-chip: dram"]),
                                  ("nvdla-like", ["cbuf", "cvsram", "off-chip: dram"])):
            with self.subTest(profile):
                self.ends(FOUND, "plan", NETWORK, "--profile", profile, "-o", plan)
                dom = self.shown(plan)
                choice = re.search(r'<select id="memory">(.*?)</select>', dom)[1]
                self.assertEqual(re.findall(r"<option[^>]*>([^<]*)<", choice), memories)
                told = re.search(r"<h2>Each memory over time</h2>.*?<h2>", dom, re.S)[0]
                self.assertIn(">kind<", told)
                self.assertIn("weights", told)
                if profile == "ethos-u55-256":
                    self.assertIn("resident across groups", told)
                    # In cycles, and to the last of them.
                    latency = json.loads(plan.read_text())["totals"]["latency_cycles"]
                    self.assertIn(f">{latency:,}<", told)
                else:
                    self.assertRegex(told, 'title="[^"]* from cycle 0, ')  # its modes

    def test_a_plan_shows_weights_for_good(self):
        plan = self.folder / "plan.json"
        self.ends(FOUND, "plan", NETWORK, "-p", "edgetpu-like", "--set", "tiling.pinned=weights", *NO_PEAK, "-o", plan)
        dom = self.shown(plan)
        self.assertIn("of weights pinned in sram", dom)
        told = re.search(r"<h2>Each memory over time</h2>.*?<h2>", dom, re.S)[0]
        for pin in json.loads(plan.read_text())["pinned"]:
            self.assertIn(pin["weight"], told)
        self.assertIn("pinned weights", told)

    def test_what_is_shared_and_what_is_reserved_has_a_legend(self):
        problem = self.file("mem.yaml", Page.MEMORIES)
        result = self.placed(problem)
        shown = self.shown(result, "--input", problem).split("<noscript>")[0]
        self.assertIn("reserved", shown)
        self.assertIn("bytes shared by buffers", shown)
        self.assertIn("1.68 KiB (1,724)", shown)  # most bytes live
        self.assertNotIn("violates a rule", shown)
        placed = json.loads(result.read_text())
        for each in placed["buffers"]:
            if each["id"] == "x":
                each["offset"], each["address"] = 600, 0x20000000 + 600
        result.write_text(json.dumps(placed))
        shown = self.shown(result, "--input", problem).split("<noscript>")[0]
        self.assertIn("overlap that violates a rule", shown)

    def test_an_explanation(self):
        problem = EXAMPLES / "too-tight.yaml"
        dom = self.shown(self.placed(problem, code=INFEASIBLE), "--input", problem)
        self.assertIn("Why it is infeasible", dom)
        self.assertIn("cannot be placed together", dom)
        self.assertEqual(dom.count("<canvas"), 1)


class Large(ReportCase):
    @unittest.skipIf(SLOW, "a build without optimisation")
    def test_a_large_page_is_noted(self):
        problem = self.folder / "problem.csv"
        self.ends(FOUND, "generate", "malloc", "-n", "80000", "--seed", "3", "-o", problem)
        result = self.placed(problem, "-c", "256 MiB", "-t", "60s")
        _, done = self.page(result)
        self.assertRegex(done.stderr, r"note: the page has \d+ MiB")
        self.assertEqual(run("report", result, "-o", self.folder / "page.html", "-q").stderr, "")


if __name__ == "__main__":
    unittest.main()
