#!/usr/bin/env python3
"""report.html of tessera explore: self-contained, with the data of results.csv. If there is a Chromium
(Debian: chromium), the page is also run in it, among others with 5,000 candidates."""

import csv
import html
import json
import os
import random
import re
import shutil
import subprocess
import unittest

from support import FOUND, SLOW, Case

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
# Loading constructs of CSS and scripts, and addresses. Exempt: the library's home page in a comment, and XML
# namespaces of pictures.
LOADS = re.compile(r"""(?:src|href)\s*=\s*["'](?!data:)|url\(|@import|fetch\(|XMLHttpRequest|import\(""")
ADDRESS = re.compile(r"https?://[^\s\"'<>)]*")
KNOWN_ADDRESSES = {"https://github.com/leeoniya/uPlot", "http://www.w3.org/2000/svg\\"}
DATA = re.compile(r'(<script type="application/json" id="sweep">)(.*?)(</script>)', re.S)
EVIL = "</script><b onclick=x>e'v\\il"

NETWORK = """tessera: network/1
name: toy
tensors: {x: {shape: [1, 16, 14, 14], dtype: int8}}
inputs: [x]
ops:
  - {name: "</script><b>c1", type: conv, inputs: [x], output: t, weights: {shape: [32, 16, 3, 3]}, pad: [1, 1, 1, 1]}
  - {name: "\\"&amp;'", type: relu, inputs: [t], output: y}
outputs: [y]
"""
SWEEP = """tessera: sweep/1
networks: [toy.yaml, <b>two&.yaml]
hardware:
  base: ethos-u55-like
  vary:
    memories.sram.capacity: [64 B, 8 KiB, 16 KiB, 32 KiB]
    engines.mac.cores: [1, 2]
objective: {latency: 0.5, energy: 0.5}
prune: false
"""
# A buffer with banks for data or weights, used differently by two networks.
MODES = """tessera: hardware/1
name: splits
inherit: nvdla-like
memories:
  cbuf:
    banks: 4
    bank_size: 4 KiB
    modes:
      - {name: d3w1, roles: {0-2: data, 3: weight}}
      - {name: "<b>d2w2", roles: {0-1: data, 2-3: weight}}
      - {name: d1w3, roles: {0: data, 1-3: weight}}
      - {name: w1d3, roles: {0: weight, 1-3: data}}
  cvsram: {capacity: 256 KiB}
"""
STATUSES = ["proved", "limit", "infeasible", "excluded", "failed"]


def embedded(page):
    return json.loads(DATA.search(page)[2])


def with_data(page, data, script=""):
    text = json.dumps(data).replace("<", "\\u003c")
    page = DATA.sub(lambda found: found[1] + text + found[3], page)
    return page.replace("</body>", f"<script>{script}</script></body>")


def many(data, count, seed=17):
    """The page's data with synthetic candidates: rows of all kinds."""
    dice = random.Random(seed)
    keys = [{"name": "memories.sram.capacity", "values": [f"{2 ** k} KiB" for k in range(4, 14)],
             "numbers": [2 ** (k + 10) for k in range(4, 14)]},
            {"name": "engines.mac.cores", "values": [str(k) for k in range(1, 33)], "numbers": list(range(1, 33))},
            {"name": "memories.sram.modes", "values": [EVIL, "flat", "interleaved"], "numbers": None}]
    choices = [[dice.randrange(len(key["values"])) for key in keys] for _ in range(count)]
    status = [dice.choices(range(5), [60, 20, 4, 14, 2])[0] for _ in range(count)]
    networks = []
    for name in (EVIL, "second", "*"):
        score = [round(dice.uniform(0.2, 2), 6) for _ in range(count)]
        planned = [each < 2 for each in status]
        networks.append({
            "name": name, "status": status,
            "score": [v if has else None for v, has in zip(score, planned)],
            "bound": [v * (1 if s == 0 else 0.8) if s in (0, 1, 3) else None for v, s in zip(score, status)],
            **{figure: [round(v * scale) if has else None for v, has in zip(score, planned)]
               for figure, scale in (("cycles", 1e7), ("ms", 2e2), ("energy", 1e9), ("dram", 1e7), ("peak", 1e6))},
            "reason": [-1 if s == 0 else 0 for s in status]})
    return {**data, "keys": keys, "networks": networks, "reasons": [EVIL], "best": status.index(0), "plans": [], "curves": [],
            "shares": [0.25, 0.75],
            "candidates": {"id": list(range(count)), "values": choices, "area": [dice.uniform(1, 9) for _ in range(count)],
                           "front": [int(k % 100 == 0 and has == 0) for k, has in enumerate(status)]}}


class PageCase(Case):
    def explored(self, *more):
        self.file("toy.yaml", NETWORK)
        self.file("<b>two&.yaml", NETWORK.replace("32, 16, 3, 3", "48, 16, 3, 3"))
        sweep = self.file("sweep.yaml", SWEEP)
        done = self.ends(FOUND, "explore", sweep, "-o", self.folder / "out", *more)
        return (self.folder / "out" / "report.html").read_text(), done


    def explored_modes(self, *more):
        for name, kernel in (("toy", "32, 16, 3, 3"), ("<b>two&", "32, 16, 1, 1")):
            self.file(f"{name}.yaml", NETWORK.replace("[1, 16, 14, 14]", "[1, 16, 28, 28]" if name == "toy" else "[1, 16, 20, 20]")
                      .replace("32, 16, 3, 3", kernel).replace(", pad: [1, 1, 1, 1]", ""))
        self.file("splits.yaml", MODES)
        sweep = self.file("modes.yaml", "tessera: sweep/1\nnetworks: [toy.yaml, <b>two&.yaml]\n"
                          "hardware: {base: splits.yaml}\nmodes: {lose: [0 %, 30 %]}\n")
        done = self.ends(FOUND, "explore", sweep, "-o", self.folder / "out", *more)
        return (self.folder / "out" / "report.html").read_text(), done


class Page(PageCase):
    def test_modes_are_those_of_the_summary(self):
        self.assertIsNone(embedded(self.explored()[0])["modes"])
        data = embedded(self.explored_modes()[0])["modes"]
        said = json.loads((self.folder / "out" / "summary.json").read_text())["modes"]
        names = [f"{memory}.{mode}" for memory, mode, _ in data["modes"]]
        self.assertEqual(names, ["cbuf.d3w1", "cbuf.<b>d2w2", "cbuf.d1w3", "cbuf.w1d3"])
        self.assertEqual([roles for _, _, roles in data["modes"]],
                         ["0-2: data, 3: weight", "0-1: data, 2-3: weight", "0: data, 1-3: weight", "0: weight, 1-3: data"])
        self.assertEqual(len(data["sets"]), 6)
        for mine, other in zip(data["sets"], said["sets"]):
            self.assertEqual((mine["lose"], mine["network"], mine["bound"]), (other["lose_percent"], other["network"], other["bound"]))
            self.assertEqual([name for name, needed in zip(names, mine["needed"]) if needed], other["needed"])
            self.assertEqual(mine["scores"], [[each["network"], each["with_needed"], each["bound"], int(each["proved"])] for each in other["scores"]])
            self.assertEqual(mine["area"], other["area_mm2"])
        self.assertEqual([[names[mode], network, STATUSES[status], score, bound] for mode, network, status, score, bound in data["without"]],
                         [[each[key] for key in ("mode", "network", "status", "score", "bound")] for each in said["without"]])
    def test_it_needs_nothing_beside_itself(self):
        page, _ = self.explored()
        self.assertTrue(page.startswith("<!doctype html>"))
        self.assertTrue(page.endswith("</html>\n"))
        self.assertIn("default-src 'none'", page)
        self.assertEqual(page.count("</script>"), page.count("<script"))
        self.assertIsNone(LOADS.search(DATA.sub("", page)))
        self.assertLessEqual(set(ADDRESS.findall(page)), KNOWN_ADDRESSES)
        # The library, and its licence.
        self.assertIn("var uPlot=", page)
        self.assertIn("The MIT License (MIT)", page)
        self.assertIn("Copyright (c) 2022 Leon Sorokin", page)

    def test_it_says_what_the_table_says(self):
        page, _ = self.explored()
        data = embedded(page)
        with open(self.folder / "out" / "results.csv", encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([key["name"] for key in data["keys"]], ["memories.sram.capacity", "engines.mac.cores"])
        self.assertEqual(data["keys"][0]["numbers"], [64, 8192, 16384, 32768])
        names = [network["name"] for network in data["networks"]]
        self.assertEqual(names, ["toy", "<b>two&", "*"])
        self.assertEqual(len(rows), len(data["candidates"]["id"]) * 3)
        for at, row in enumerate(rows):
            candidate, network = at // 3, data["networks"][at % 3]
            self.assertEqual(network["name"], row["network"])
            self.assertEqual(STATUSES[network["status"][candidate]], row["status"])
            for column, name in (("score", "score"), ("bound", "bound"), ("cycles", "latency_cycles"), ("ms", "latency_ms"),
                                 ("energy", "energy_pj"), ("dram", "dram_bytes"), ("peak", "peak_bytes")):
                value = network[column][candidate]
                self.assertEqual(value, float(row[name]) if row[name] else None)
            reason = network["reason"][candidate]
            self.assertEqual("" if reason < 0 else data["reasons"][reason], row["reason"])
            for key, value in zip(data["keys"], data["candidates"]["values"][candidate]):
                self.assertEqual(key["values"][value], row[key["name"]])
        front = (self.folder / "out" / "pareto.csv").read_text().splitlines()[1:]
        self.assertEqual(sum(data["candidates"]["front"]), len(front))
        kept = {(plan["candidate"], plan["network"]) for plan in data["plans"]}
        wanted = {k for k, on in zip(data["candidates"]["id"], data["candidates"]["front"]) if on} | {data["best"]}
        self.assertEqual(kept, {(k, name) for k in wanted for name in names[:-1]})
        for plan in data["plans"]:
            self.assertTrue(plan["picture"].startswith("<svg") or plan["picture"].startswith("<?xml"))
            self.assertEqual([layer[0] for layer in plan["layers"]], ["</script><b>c1", "\"&amp;'"])

    def test_knees(self):
        data = embedded(self.explored()[0])
        curves = {(curve["key"], curve["network"]): curve for curve in data["curves"]}
        self.assertEqual(set(curves), {(key, name) for key in (0, 1) for name in ("toy", "<b>two&", "*")})
        curve = curves[0, "toy"]
        self.assertEqual(curve["points"][0][2], STATUSES.index("infeasible"))
        first = next(point for point in curve["points"] if point[3] is not None)
        self.assertEqual(curve["fits"], {"value": first[0], "proved": True, "gap": 0, "open": []})
        least = min(point[3] for point in curve["points"] if point[3] is not None)
        self.assertEqual(curve["enough"]["value"], next(point[0] for point in curve["points"] if point[3] == least))

    def test_quiet_and_json_stay_as_they_are(self):
        self.assertEqual(self.explored("-q")[1].stdout, "")
        done = self.explored("--format", "json")[1]
        self.assertEqual(json.loads(done.stdout), json.loads((self.folder / "out" / "summary.json").read_text()))


# Scripts added to the page: results and measurements are written to an attribute.
CLICK = """(async () => {
const told = {}, grid = () => document.querySelector(".rows");
const cells = (k) => [...grid().querySelectorAll("tbody tr:not(.space)")].map((row) => row.children[k].textContent);
const heads = [...grid().querySelectorAll("th")], at = (name) => heads.findIndex((head) => head.textContent === name);
STEPS
document.body.setAttribute("data-told", JSON.stringify(told));
})()"""


@unittest.skipUnless(CHROMIUM, "no Chromium: pages are not run")
class InABrowser(PageCase):
    def dom(self, page, *more):
        """The DOM after running the page; errors of its script fail the test."""
        file = self.folder / "page.html"
        file.write_text(page)
        done = subprocess.run(
            [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--window-size=1400,1000", "--enable-logging=stderr",
             f"--user-data-dir={self.folder}/browser", *more, "--dump-dom", f"file://{file}"],
            capture_output=True, text=True, timeout=300, check=False, env={**os.environ, "HOME": str(self.folder)})
        self.assertEqual([line for line in done.stderr.splitlines() if "CONSOLE" in line], [])
        return done.stdout

    def told(self, page, steps, data=None, *more):
        dom = self.dom(with_data(page, data or embedded(page), CLICK.replace("STEPS", steps)), *more)
        return json.loads(html.unescape(re.search(r'data-told="([^"]*)"', dom)[1]))

    def test_a_sweep(self):
        page, _ = self.explored()
        dom = self.dom(page, "--virtual-time-budget=5000")
        data = embedded(page)
        for title in ("Trade-offs", "Candidates", "Effect of each key", "The plan", "Cost of each op"):
            self.assertIn(title, dom)
        self.assertIn(f"Candidate {data['best']}, the best", dom)
        self.assertIn("8 of 8 rows", dom)
        self.assertIn("&lt;/script&gt;&lt;b&gt;c1", dom)
        self.assertNotIn("<b>c1", dom.split("</script>")[-1])
        # One picture, and every curve has a plot.
        self.assertEqual(len(re.findall(r'<div class="picture"><svg', dom)), 1)
        self.assertEqual(dom.count('<div class="uplot'), 3)

    def test_sorting_and_filtering(self):
        page, _ = self.explored()
        told = self.told(page, """
          heads[at("score")].click(); told.up = cells(at("score"));
          heads[at("score")].click(); told.down = cells(at("score"));
          const limit = document.querySelector("input[data-status=infeasible]"); limit.click();
          told.without = cells(at("status"));
          limit.click();
          const from = document.querySelector("select[data-key='0']"); from.value = "16384"; from.dispatchEvent(new Event("change"));
          told.from = cells(1);
          from.value = ""; from.dispatchEvent(new Event("change"));
          const words = document.querySelector("#words"); words.value = "32 kib"; words.dispatchEvent(new Event("input"));
          told.words = cells(1); words.value = ""; words.dispatchEvent(new Event("input"));
          const network = document.querySelector("#network"); network.value = "each"; network.dispatchEvent(new Event("change"));
          told.each = document.querySelector("#shown").textContent;
          grid().querySelectorAll("tbody tr")[1].click(); told.chosen = document.querySelector("#candidate h3").textContent;
          for (const axis of document.querySelectorAll("#across option")) {
            document.querySelector("#across").value = axis.value; document.querySelector("#across").dispatchEvent(new Event("change"));
          }
        """)
        scores = [float(text) for text in told["up"] if text != "–"]
        self.assertGreater(len(scores), 3)
        self.assertEqual(scores, sorted(scores))
        # Unknown values come last in both directions.
        self.assertEqual(told["up"][-1], "–")
        self.assertEqual(told["down"], [text for text in reversed(told["up"]) if text != "–"] + [t for t in told["up"] if t == "–"])
        self.assertEqual(set(told["without"]), {"proved"})
        self.assertEqual(set(told["from"]), {"16 KiB", "32 KiB"})
        self.assertEqual(set(told["words"]), {"32 KiB"})
        self.assertIn("16 of 16 rows", told["each"])
        self.assertIn("Candidate 0", told["chosen"])

    def test_modes(self):
        page, _ = self.explored_modes()
        data = embedded(page)["modes"]
        told = self.told(page, """
          const tables = [...document.querySelectorAll("#modes table")], rows = (k) => [...tables[k].querySelectorAll("tbody tr")].map((row) => [...row.children].map((cell) => cell.textContent));
          const press = (k, name) => [...tables[k].querySelectorAll("th")].find((head) => head.textContent === name).click();
          told.heads = tables.map((each) => [...each.querySelectorAll("th")].map((head) => head.textContent));
          told.rows = tables.map((_, k) => rows(k));
          press(1, "score with these"); told.down = rows(1).map((row) => Number(row[5]));
          press(1, "score with these"); told.up = rows(1).map((row) => Number(row[5]));
          press(2, "mode"); told.names = rows(2).map((row) => row[0]);
          told.evil = document.querySelectorAll("#modes td b b, #modes td > b > *").length;
          told.card = [...document.querySelectorAll(".card")].find((card) => card.textContent.includes("modes required")).textContent;
          told.wide = document.documentElement.scrollWidth - innerWidth;
          told.cut = [...document.querySelectorAll("#modes td")].filter((cell) => cell.scrollWidth > cell.clientWidth + 1).length;
        """)
        self.assertEqual(len(told["rows"]), 3)
        self.assertEqual([len(rows) for rows in told["rows"]], [6, 8, 4])
        first = told["rows"][0][0]
        stay = sum(data["sets"][0]["needed"])
        self.assertEqual(first[:3], ["0 %", "all networks", f"{stay} of 4, proved"])
        self.assertEqual(told["card"], f"{stay} of 4modes required, proved")
        names = [mode for _, mode, _ in data["modes"]]
        for chosen, words in ((1, first[3]), (0, first[4])):
            self.assertEqual(words, ", ".join(name for name, needed in zip(names, data["sets"][0]["needed"]) if needed == chosen) or "none")
        self.assertEqual(told["heads"][2], ["mode", "banks", "at 0 %", "at 30 %", "without it, toy", "without it, <b>two&"])
        for row, needed in zip(told["rows"][2], data["sets"][0]["needed"]):
            self.assertEqual(row[2], "required" if needed else "removable")
        # Each required mode is expensive to remove for some network, or another set is as small.
        costs = {(names[mode], network): (status, score) for mode, network, status, score, _ in data["without"]}
        for row in told["rows"][2]:
            for network, words, with_all in zip(("toy", "<b>two&"), row[4:], data["with_all"]):
                status, score = costs[row[0], network]
                if STATUSES[status] == "infeasible":
                    self.assertEqual(words, "infeasible, proved")
                elif score <= with_all * (1 + 1e-6):
                    self.assertEqual(words, "none")
                else:
                    self.assertRegex(words, r"^\+[\d.,< ]+ %, proved$")
        self.assertEqual(told["down"], sorted(told["down"], reverse=True))
        self.assertEqual(told["up"], sorted(told["up"]))
        self.assertEqual(told["names"], sorted(names))
        self.assertEqual((told["evil"], told["cut"]), (0, 0))
        # A search that was stopped has not evaluated every mode.
        ended = embedded(page)
        ended["modes"]["without"] = []
        said = self.told(page, """
          told.last = [...[...document.querySelectorAll("#modes table")][2].querySelectorAll("tbody td:last-child")].map((cell) => cell.textContent);
        """, ended)["last"]
        self.assertEqual(said, ["unknown"] * 4)
        self.assertLessEqual(told["wide"], 0)

    def test_long_names_stay_in_their_place(self):
        """A name of 200 characters widens no column and overlaps nothing; the title has all of it."""
        long = "n" * 200

        def named(data, words):
            text = json.dumps(data)
            for name in words:
                text = text.replace(json.dumps(name), json.dumps(long + name))
            return json.loads(text)

        steps = """
          const out = (node, box) => node.getBoundingClientRect().right > box.getBoundingClientRect().right + 1;
          told.size = [document.documentElement.scrollWidth, document.documentElement.clientWidth, innerWidth];
          told.legends = document.querySelectorAll(".curve .legend").length;
          told.curves = [...document.querySelectorAll(".curve")].flatMap((curve) => [...curve.querySelectorAll(".legend")].filter((each) => out(each, curve))).length;
          const side = document.querySelector("#candidate");
          told.buttons = [...side.querySelectorAll("button, td")].filter((each) => out(each, side)).length;
          told.titles = [...document.querySelectorAll(".curve .legend, .curve td.name, #candidate button, #candidate td.name")].map((each) => [each.title, each.textContent]);
        """
        swept = embedded(self.explored()[0])
        page, _ = self.explored_modes()
        modes = embedded(page)
        alone = {**modes, "networks": [{**modes["networks"][0], "name": long}, modes["networks"][-1]], "plans": [],
                 "curves": [], "shares": [1], "modes": None, "base": long, "file": long}
        for what, data, legends in (("a sweep", named(swept, ["toy", "<b>two&"]), True),
                                    ("modes", named(modes, ["toy", "<b>two&"]), False), ("one network", alone, False)):
            for width in (1200, 640):
                told = self.told(page, steps, data, f"--window-size={width},1000")
                with self.subTest(what=what, width=width):
                    wide, room, window = told["size"]
                    self.assertEqual(window, width)
                    self.assertLessEqual(wide, room)
                    self.assertEqual((told["curves"], told["buttons"]), (0, 0))
                    self.assertEqual(told["legends"] > 0, legends)
                    self.assertTrue(all(title == text for title, text in told["titles"]))
                    self.assertEqual(any(len(text) > 200 for _, text in told["titles"]), what != "one network")

    def test_bars_end_at_what_is_proved(self):
        """Bounds are of scores; if the score is a single metric, they are also of that metric."""
        page, _ = self.explored()
        steps = """
          const change = (id, value) => { const choice = document.querySelector(id); choice.value = value; choice.dispatchEvent(new Event("change")); };
          told.bars = {};
          for (const [x, y] of [["area", "score"], ["area", "ms"], ["score", "dram"], ["cycles", "energy"]]) {
            change("#across", x); change("#upward", y);
            const points = pointsOf(everyRow())[0].map((p) => [p.of.c, p.x, p.y, p.x0, p.y0]);
            told.bars[x + " " + y] = [document.querySelector("#legend").textContent, points];
          }
        """
        data = many(embedded(page), 200)
        scores, whole = data["networks"][:2], data["networks"][2]
        open_rows = {k for k, status in enumerate(whole["status"]) if STATUSES[status] == "limit"}
        bars = self.told(page, steps, {**data, "only": ""})["bars"]
        for c, _, y, x0, y0 in bars["area score"][1]:
            self.assertIsNone(x0)
            self.assertEqual(y0, whole["bound"][c] if c in open_rows else None)
        self.assertIn("the bar ends at the lower bound△", bars["area score"][0])
        for c, _, _, x0, y0 in bars["area ms"][1] + bars["cycles energy"][1]:
            self.assertEqual((x0, y0), (None, None))
        self.assertIn("no bar, latency, ms without bound", bars["area ms"][0])
        self.assertIn("only its score has a bound", bars["area ms"][0])
        self.assertIn("latency, cycles and energy, µJ without bound", bars["cycles energy"][0])
        self.assertIn("the bar ends at the lower bound; DRAM bytes without bound", bars["score dram"][0])
        # Half of the score is half of the time, network by network.
        bars = self.told(page, steps, {**data, "only": "latency"})["bars"]
        drawn = 0
        for c, _, y, x0, y0 in bars["area ms"][1]:
            self.assertIsNone(x0)
            if c not in open_rows:
                self.assertIsNone(y0)
                continue
            drawn += 1
            least = sum(share * network["ms"][c] * network["bound"][c] / network["score"][c]
                        for share, network in zip((0.25, 0.75), scores))
            self.assertAlmostEqual(y0, least, places=6)
        self.assertGreater(drawn, 5)
        self.assertIn("the bar ends at the lower bound△", bars["area ms"][0])
        self.assertTrue(all(y0 is None for _, _, _, _, y0 in bars["cycles energy"][1]))
        self.assertIn("the bar ends at the lower bound; energy, µJ without bound", bars["cycles energy"][0])

    def test_a_brush_filters_the_table(self):
        page, _ = self.explored()
        told = self.told(page, """
          const over = document.querySelector(".u-over"), box = over.getBoundingClientRect();
          const mouse = (kind, x, y, on) => (on || over).dispatchEvent(new MouseEvent(kind, {clientX: box.left + x, clientY: box.top + y, bubbles: true, button: 0, buttons: 1, movementX: 1, movementY: 1}));
          mouse("mouseenter", 5, 5); mouse("mousedown", 2, 2); mouse("mousemove", box.width / 4, box.height - 4); mouse("mousemove", box.width / 4, box.height - 3);
          mouse("mouseup", box.width / 4, box.height - 3, document);
          told.brushed = document.querySelector("#shown").textContent;
          [...document.querySelectorAll("button")].find((each) => each.textContent === "clear the selection").click();
          told.cleared = document.querySelector("#shown").textContent;
        """)
        self.assertIn("those of the selection", told["brushed"])
        self.assertLess(int(told["brushed"].split()[0]), 8)
        self.assertGreater(int(told["brushed"].split()[0]), 0)
        self.assertEqual(told["cleared"], "8 of 8 rows.")

    def test_two_hundred_and_five_thousand_candidates(self):
        page, _ = self.explored()
        for count in (200, 5000):
            told = self.told(page, """
              // The quickest of three of each column: others are at work on this computer, too.
              told.times = heads.map(() => 1e9);
              for (let round = 0; round < 3; ++round) heads.forEach((head, k) => {
                const began = performance.now();
                head.click();
                document.body.getBoundingClientRect(); grid().scrollHeight;
                told.times[k] = Math.min(told.times[k], performance.now() - began);
              });
              heads[0].click(); grid().scrollTop = 1e6;
              told.rows = grid().querySelectorAll("tr").length;
              told.shown = document.querySelector("#shown").textContent;
              told.heights = [...new Set([...grid().querySelectorAll("tbody tr:not(.space)")].map((row) => row.offsetHeight))];
              told.wide = document.documentElement.scrollWidth - innerWidth;
              told.evil = document.querySelectorAll("b[onclick]").length;
            """, many(embedded(page), count))
            with self.subTest(count):
                self.assertEqual(told["shown"], f"{count:,} of {count:,} rows.")
                self.assertEqual(told["heights"], [28])
                self.assertLess(told["rows"], 80)
                self.assertLessEqual(told["wide"], 0)
                self.assertEqual(told["evil"], 0)
                self.assertGreater(min(told["times"]), 0)  # a stopped clock would measure nothing
                if not SLOW:
                    self.assertLess(min(told["times"]), 500, told["times"])  # ms; a busy machine multiplies it

    def test_labels_do_not_overlap(self):
        """For every pair of axes: no overlapping labels."""
        page, _ = self.explored()
        told = self.told(page, """
          const draw = CanvasRenderingContext2D.prototype.fillText, texts = [];
          CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {
            const wide = this.measureText(text).width, m = this.getTransform(), up = m.b !== 0;
            const left = this.textAlign === "right" ? x - wide : this.textAlign === "center" ? x - wide / 2 : x;
            if (!up) texts.push([text, left, left + wide, y, y + 11, this.canvas]);
            return draw.apply(this, arguments);
          };
          told.overlaps = []; told.drawn = 0;
          const change = (id, value) => { const choice = document.querySelector(id); choice.value = value; choice.dispatchEvent(new Event("change")); };
          const ids = [...document.querySelectorAll("#across option")].map((option) => option.value);
          const logs = [...document.querySelectorAll("label")].filter((label) => label.textContent === "logarithm").map((label) => label.firstChild);
          const wait = () => new Promise((done) => setTimeout(done, 20));
          for (const id of ids) for (const log of [false, true]) {
            change("#across", id); change("#upward", id);
            for (const box of logs) if (!box.disabled && box.checked !== log) box.click();
            await wait();
            texts.length = 0;
            document.querySelector("#theme").click();
            await wait();
            const mine = texts.filter((text) => text[5] === document.querySelector(".plot canvas"));
            told.drawn += mine.length;
            mine.forEach((a, k) => mine.slice(k + 1).forEach((b) => {
              if (a[1] < b[2] && b[1] < a[2] && a[3] < b[4] && b[3] < a[4]) told.overlaps.push([id, log, a[0], b[0]]);
            }));
          }
        """, many(embedded(page), 5000), "--virtual-time-budget=60000")
        self.assertGreater(told["drawn"], 100)
        self.assertEqual(told["overlaps"], [])


if __name__ == "__main__":
    unittest.main()
