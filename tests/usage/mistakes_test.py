#!/usr/bin/env python3
"""Messages for typing errors and help requests: suggestions, help, colours."""

import fcntl
import json
import os
import pty
import re
import select
import shutil
import struct
import subprocess
import termios
import unittest

from support import BAD_INPUT, EXAMPLES, FOUND, TESSERA, Case, errors, run, shown_on, skip_what_was_left_out

SMALL = "id,lower,upper,size\na,0,3,4\nb,1,2,8\n"
INPUT = EXAMPLES / "residual-block.csv"
NETWORK = EXAMPLES / "fsrcnn_x2_360p.onnx"
RED = "\x1b[1;31merror:\x1b[0m "


def commands():
    listing = run("--help").stdout.split("Subcommands:")[1]
    return re.findall(r"(?m)^  ([a-z]+)  +\S", listing)


class Suggestions(Case):
    def test_what_was_meant(self):
        for arguments, error, hint in (
            (("plase",), "unknown command 'plase'", "`tessera place`"),
            (("plase", "--help"), "unknown command 'plase'", "`tessera place`"),
            (("help", "plase"), "unknown command 'plase'", "`tessera place`"),
            (("minimaloc", "--capacity=3"), "unknown command 'minimaloc'", "`tessera minimalloc`"),
            (("profile",), "unknown command 'profile'", "`tessera profiles`"),
            (("place", INPUT, "--capasity", 3), "tessera place: unknown option --capasity", "`--capacity`"),
            (("place", INPUT, "--capasity=3"), "tessera place: unknown option --capasity", "`--capacity`"),
            (("place", "--capasity=3"), "tessera place: unknown option --capasity", "`--capacity`"),
            (("place", INPUT, "-c", 3, "--time-out", "3s"), "unknown option --time-out", "`--timeout`"),
            (("place", INPUT, "-c", 3, "--min"), "unknown option --min", "`--minimize`"),
            (("place", INPUT, "-p", "nvdla"), "nvdla", "`nvdla-like`"),
            (("place", INPUT, "-p", "nvdla-lik"), "nvdla-lik", "`nvdla-like`"),
            (("profiles", "eyeris"), "eyeris", "`eyeriss-like`"),
            (("place", INPUT, "-c", "3 MiB", "-e", "canonicl"), "unknown engine 'canonicl'", "`canonical`"),
            (("place", INPUT, "-c", "3 MiB", "-e", "learn"), "unknown engine 'learn'", "`learning`"),
            (("place", INPUT, "-c", 3, "--format", "jsn"), "--format: 'jsn' is none of", "`json`"),
            (("place", INPUT, "-c", 3, "--minimize=hieght"), "'hieght' is none of", "`height`"),
            (("place", INPUT, "-c", 3, "--lifetimes", "half"), "'half' is none of", "`half-open`"),
            (("generate", "randm"), "'randm' is none of", "`random`"),
            (("export", INPUT, "--to", "dimcs"), "'dimcs' is none of", "`dimacs`"),
            (("completion", "bsh"), "'bsh' is none of", "`bash`"),
            (("tile", NETWORK, "--ops", "0:1", "-p", "nvdla-like", "--halo", "keep-columns"),
             "none of", "`keep_columns`"),
        ):
            with self.subTest(arguments=list(map(str, arguments))):
                done = self.ends(BAD_INPUT, *arguments)
                first, second = done.stderr.splitlines()
                self.assertIn(error, first)
                self.assertEqual(second, f"  hint: did you mean {hint}?")

    def test_options_without_a_value_or_with_two(self):
        for arguments, error in (
            (("place", INPUT, "-c"), "tessera place: --capacity needs a value"),
            (("plan", NETWORK, "--profile"), "tessera plan: --profile needs a value"),
            (("place", INPUT, "-c", 3, "-t", "1s", "--timeout", "2s"),
             "tessera place: --timeout is given 2 times but takes one value"),
        ):
            with self.subTest(arguments=list(map(str, arguments))):
                done = self.ends(BAD_INPUT, *arguments)
                self.assertEqual(done.stderr.splitlines(), [error, f"  hint: tessera {arguments[0]} --help"])

    def test_values_that_are_empty_words(self):
        for option, arguments in (
            ("--output", ("place", INPUT, "-c", "3 MiB", "-o", "")),
            ("--capacity", ("place", INPUT, "-c", "", "--minimize")),
            ("--timeout", ("plan", NETWORK, "-p", "nvdla-like", "-t", "")),
            ("--csv", ("plan", NETWORK, "-p", "nvdla-like", "--csv", "")),
            ("--shape", ("tile", NETWORK, "-p", "nvdla-like", "--ops", "0", "--shape", "")),
            ("--output", ("report", INPUT, "-o", "")),
            ("NETWORK", ("plan", "", "-p", "nvdla-like")),
        ):
            with self.subTest(option=option):
                said = self.ends(BAD_INPUT, *arguments).stderr
                self.assertTrue(said.startswith(f"tessera {arguments[0]}: {option} has an empty value\n"), said)

    def test_what_is_like_nothing(self):
        for arguments, error, hint in (
            (("xyzzy",), "unknown command 'xyzzy'", "commands are place, check"),
            (("place", INPUT, "--quux"), "unknown option --quux", "tessera place --help"),
            (("place", INPUT, "-p", "xyzzyx"), "xyzzyx", "profiles are"),
            (("place", INPUT, "-c", 3, "-e", "xyzzy"), "unknown engine 'xyzzy'", "engines: auto"),
            (("place", INPUT, "--format", "xyzzyx"), "'xyzzyx' is none of {text,json}", "--help"),
            (("place", INPUT, "-Q"), "unknown option -Q", "tessera place --help"),
        ):
            with self.subTest(arguments=list(map(str, arguments))):
                done = self.ends(BAD_INPUT, *arguments)
                first, second = done.stderr.splitlines()
                self.assertIn(error, first)
                self.assertIn(hint, second)
                self.assertNotIn("did you mean", second)


class Help(Case):
    def test_help_is_a_command(self):
        self.assertEqual(self.ends(FOUND, "help").stdout, self.ends(FOUND, "--help").stdout)
        for name in commands():
            with self.subTest(name):
                shown = self.ends(FOUND, name, "--help").stdout
                self.assertEqual(self.ends(FOUND, name, "-h").stdout, shown)
                if name != "help":
                    self.assertEqual(self.ends(FOUND, "help", name).stdout, shown)
        self.assertIn("help", commands())

    def test_usage_names_the_program(self):
        self.assertIn("\nUsage: tessera [OPTIONS] SUBCOMMAND\n", self.ends(FOUND, "--help").stdout)
        for name in commands():
            with self.subTest(name):
                self.assertIn(f"\nUsage: tessera {name} [OPTIONS]",
                              self.ends(FOUND, name, "--help").stdout)

    def test_no_line_is_wider_than_a_hundred(self):
        for arguments in ((), *((name,) for name in commands())):
            for line in self.ends(FOUND, *arguments, "--help").stdout.splitlines():
                with self.subTest(arguments=arguments, line=line):
                    self.assertLessEqual(len(line), 100)

    def test_what_is_broken_is_whole(self):
        words = " ".join(self.ends(FOUND, "place", "--help").stdout.split())
        self.assertIn("buffer CSV, problem YAML, dsa-solver JSON, memory profile of ExecuTorch or TensorFlow Lite model (told apart by "
                      "content; - is the standard input)", words)
        self.assertIn("--minimize or --maximize -e,--engine", words)

    def test_examples_that_are_broken_still_are_commands(self):
        for name in commands():
            text = self.ends(FOUND, name, "--help").stdout
            example = text.split("Example")[1]
            for line, following in zip(example.splitlines(), example.splitlines()[1:]):
                with self.subTest(name, line=line):
                    self.assertEqual(line.endswith("\\"), following.startswith("      "))


class ManPages(Case):
    """Generated from the help texts: complete, and accepted by troff without warnings."""

    def test_a_page_for_every_command_with_every_option(self):
        self.ends(FOUND, "help", "--man", self.folder)
        self.assertEqual(self.names(), sorted(["tessera.1", *(f"tessera-{name}.1" for name in commands())]))
        for name in commands():
            page = (self.folder / f"tessera-{name}.1").read_text().replace("\\-", "-").replace("\\e", "\\")
            text = self.ends(FOUND, name, "--help").stdout
            for option in re.findall(r"(?m)^  (?:-\w,)?(--[a-z-]+)", text):
                with self.subTest(name, option=option):
                    self.assertIn(option, page)
            example = text.split("Example:\n")[-1].split("\\\n")[0].strip()
            self.assertIn(example[:40], page)
            self.assertRegex(page, rf"(?s)\.SH NAME\ntessera-{name} \\?- \S")
        whole = (self.folder / "tessera.1").read_text().replace("\\-", "-")
        self.assertIn("20 proved infeasible", " ".join(whole.split()))
        for name in commands():
            self.assertIn(f".B tessera {name}\n", whole)

    @unittest.skipUnless(shutil.which("groff"), "no groff: pages are not set")
    def test_troff_has_nothing_to_say(self):
        self.ends(FOUND, "help", "--man", self.folder)
        for page in self.folder.iterdir():
            done = subprocess.run(["groff", "-man", "-ww", "-Tutf8", page], capture_output=True, check=False)
            self.assertEqual((done.returncode, done.stderr), (0, b""), page)

    def test_a_folder_that_is_none(self):
        self.ends(BAD_INPUT, "help", "--man", self.folder / "none")


class SourceLines(Case):
    """Below an error its line of the file, with a caret below the affected word."""

    def lines(self, *arguments):
        return self.ends(BAD_INPUT, *arguments).stderr.splitlines()

    def test_the_caret_stands_below_the_value(self):
        file = self.file("p.yaml", "tessera: problem/1\nmemories: {m: {capacity: 9}}\nbuffers:\n"
                         "  - {id: a, live: [0, 3], size: 16, alignment: 0}\n")
        first, line, caret = self.lines("place", file)
        self.assertTrue(first.startswith(f"{file}:4: "))
        self.assertEqual(line, "  |   - {id: a, live: [0, 3], size: 16, alignment: 0}")
        self.assertEqual(caret.index("^"), line.index("0}"))
        self.assertEqual(caret.strip("| "), "^")

    def test_below_a_cell_of_a_csv_and_before_the_hint(self):
        file = self.file("p.csv", "id,lower,upper,size\na,0,3,4\nb x,0,3,4KK\n")
        _, line, caret = self.lines("place", file, "-c", 9)
        self.assertEqual((line, caret), ("  | b x,0,3,4KK", "  |         ^~~"))
        file.write_text("id,lower,upper,sise\na,0,3,4\n")
        _, line, caret, hint = self.lines("place", file, "-c", 9)
        self.assertEqual((line, caret), ("  | id,lower,upper,sise", "  |                ^~~~"))
        self.assertEqual(hint, "  hint: did you mean `size`?")

    def test_a_word_inside_of_another_is_not_meant(self):
        file = self.file("p.yaml", "tessera: problem/1\nmemories: {m: {capacity: 9}}\nbuffers:\n"
                         "  - {id: sizes, live: [0, 3], size: 0}\n")
        _, line, caret = self.lines("place", file)
        self.assertEqual(caret.index("^"), line.index("0}"))

    def test_long_lines_and_odd_bytes(self):
        many = "".join(f"  - {{id: b{k}, live: [0, 3], size: 1}}, " for k in range(3000))
        file = self.file("p.yaml", "tessera: problem/1\nmemories: {m: {capacity: 9}}\nbuffers: ["
                         + many.replace("  - ", "") + "{id: last, live: [0, 3], size: 0, alignment: 1}]\n")
        _, line, caret = self.lines("place", file)
        self.assertLess(len(line), 110)
        self.assertEqual(line[caret.index("^")], "0")
        self.assertTrue(line.startswith("  | ..."))
        file = self.file("p.csv", "id,lower,upper,size\nb\x7f[31m\tß,0,3,x4\n".encode())
        _, line, caret, *_ = self.lines("place", file, "-c", 9)
        self.assertNotIn("\x7f", line)
        self.assertEqual((line[4:8], caret), ("b [3", "  | ^"))
        file = self.file("p.csv", b"id,lower,upper,size\nb\xff\xc2\x9b,0,3,x4\n")
        _, line, caret, *_ = self.lines("place", file, "-c", 9)
        self.assertEqual((line[:7], caret), ("  | b? ", "  | ^"))

    def test_none_where_there_is_no_line_to_read(self):
        self.assertEqual(len(run("place", "-", "-c", "9", stdin="id,lower,upper,size\na,0,3,0\n")
                             .stderr.splitlines()), 1)
        self.assertEqual(len(self.lines("place", self.folder / "none.csv", "-c", 9)), 1)

    def test_as_json_there_is_one_line(self):
        file = self.file("p.csv", "id,lower,upper,size\na,0,3,0\n")
        self.assertEqual(len(self.lines("place", file, "-c", 9, "--format", "json")), 1)


class Several(Case):
    """Independent errors are reported in one run."""

    def told(self, *arguments):
        return [lines[0].split(": ")[0].rsplit(":", 1)[1]
                for lines in errors(self.ends(BAD_INPUT, *arguments).stderr)]

    def test_rows_of_a_csv(self):
        file = self.file("p.csv", "id,lower,upper,size\na,0,3,0\nb,0,3,1\nc,4,3,1\nd,0,3\n")
        self.assertEqual(self.told("place", file, "-c", 9), ["2", "4", "5"])
        # A duplicate id is reported as well, even for an invalid row, and so is each error of a row.
        file.write_text("id,lower,upper,size\na,0,3,-1\na,3,2,0\nb,0,x,1\nb,0,2,1\n")
        self.assertEqual(self.told("place", file, "-c", 9), ["2", "3", "3", "4", "3", "5"])

    def test_entries_of_a_problem(self):
        file = self.file("p.yaml", "tessera: problem/1\nmemories: {m: {capacity: 9}}\nbuffers:\n"
                         "  - {id: a, live: [0, 3], size: 0}\n  - {id: b, live: [0, 3], size: 1}\n"
                         "  - {id: c, live: [0, 3], sise: 1}\nrelations: [{disjoint: [a, x]}]\n")
        self.assertEqual(self.told("place", file), ["4", "6", "7"])
        file.write_text(file.read_text().replace("size: 0", "size: 1").replace("sise", "size")
                        .replace("[{disjoint: [a, x]}]", "\n  - {disjoint: [a, x]}\n  - {disjoint: [y, b]}"))
        self.assertEqual(self.told("place", file), ["8", "9"])
        file.write_text("tessera: problem/1\nmemories: {m: {capacity: 9}}\nobjective: most\nbuffers:\n"
                        "  - {id: a, live: [3, 3], size: 0}\n  - {id: a, live: [0, 3], size: 1}\n")
        self.assertEqual(self.told("place", file), ["5", "5", "6", "3"])
        file.write_text("tessera: problem/1\nmemories:\n  m: {capacity: 0}\n  n: {capacity: x}\n"
                        "buffers: [{id: a, live: [0, 3], size: 0}]\n")
        self.assertEqual(self.told("place", file), ["3", "4"])

    def test_sections_of_a_profile(self):
        file = self.file("h.yaml", "tessera: hardware/1\nname: x\nclock: 1 GHz\nengines:\n"
                         "  mac: {kind: mac_aray}\nmemories:\n  s: {capacity: 4 KiB, alignment: 0}\n"
                         "  d: {offchip: true}\ndma: {channels: 0}\n")
        self.assertEqual(self.told("place", INPUT, "-p", file), ["5", "7", "8", "9"])

    def test_not_more_than_ten(self):
        file = self.file("p.csv", "id,lower,upper,size\n" + "a,0,3,0\n" * 99)
        self.assertEqual(len(self.told("place", file, "-c", 9)), 10)

    def test_each_is_a_line_of_json(self):
        file = self.file("p.csv", "id,lower,upper,size\na,0,3,0\nb,0,3,x\n")
        lines = self.ends(BAD_INPUT, "place", file, "-c", 9, "--format", "json").stderr.splitlines()
        self.assertEqual([json.loads(line)["line"] for line in lines], [2, 3])


class Width(Case):
    """Reports are as wide as the terminal, and shortened names keep their differences."""

    def plan(self, columns, *more):
        done = subprocess.run([TESSERA, "plan", str(NETWORK), "--dtype", "int8", "-p", "ethos-u55-like",
                               "--max-ops", "2", "--tile-shapes", "0", *more], capture_output=True, text=True,
                              check=False, env={**os.environ, "COLUMNS": str(columns)})
        skip_what_was_left_out(done.stderr)
        self.assertEqual(done.returncode, FOUND, done.stderr)
        lines = done.stdout.splitlines()
        begin = next(k for k, line in enumerate(lines) if line.startswith("#"))
        return lines, lines[begin:lines.index("", begin)]

    def test_fits(self):
        for columns in (60, 80, 100, 140, 160, 200):
            with self.subTest(columns=columns):
                lines, table = self.plan(columns)
                for line in lines:
                    self.assertLessEqual(len(line), columns, line)
                self.assertEqual(any("omitted: " in line for line in table), columns < 160)
        self.assertIn("MACs busy", self.plan(200)[1][0])

    def test_every_column_where_it_is_asked_for(self):
        _, table = self.plan(60, "--wide")
        for head in ("variant", "MACs busy", "of memory", "numbers", "energy", "tiles", "peak"):
            self.assertIn(head, table[0])
        self.assertFalse(any("omitted: " in line for line in table))

    def test_long_names_are_cut_and_stay_apart(self):
        name = "model/backbone/inverted_residual_block_with_a_long_name/{}/depthwise_separable_convolution/BatchNorm/Fused"
        names = [name.format(f"expanded_{k}") for k in range(5)]
        file = self.file("p.csv", "id,lower,upper,size\n" + "".join(f"{each},0,3,9\n" for each in names))
        ops = "".join(f"  - {{name: {each}, type: conv, inputs: [t{k}], output: t{k + 1}, "
                      "weights: {shape: [8, 8, 3, 3]}, pad: [1, 1, 1, 1]}\n" for k, each in enumerate(names))
        network = self.file("net.yaml", "tessera: network/1\ntensors: {t0: {shape: [1, 8, 32, 32], dtype: int8}}\n"
                            f"inputs: [t0]\nops:\n{ops}outputs: [t5]\n")
        for arguments, cell in ((("place", file, "-c", 45), r"^ {14}(\S+) +9 at"),
                                (("explain", file, "-c", 44), r"^  (\S+): 9 bytes"),
                                (("plan", network, "-p", "ethos-u55-like", "--layer-by-layer"), r"^\d  (\S+)"),
                                (("tile", network, "-p", "ethos-u55-like", "--ops", "0:4"),
                                 r"^  (\S*depthwise\S*) +sram")):
            text = run(*arguments).stdout
            with self.subTest(arguments=arguments):
                found = re.findall(cell, text, re.M)
                self.assertEqual(len(set(found)), 5, text)
                self.assertTrue(all(len(each) <= 60 for each in found), found)

    def test_sentences_of_other_commands(self):
        file = self.file("p.csv", "id,lower,upper,size\n" + "".join(f"{'n' * 12}{k},0,3,9\n" for k in range(4)))
        for arguments in (("place", file, "-c", 20), ("explain", file, "-c", 20), ("place", file, "-c", 40),
                          ("tile", NETWORK, "--dtype", "int8", "-p", "ethos-u55-like", "--ops", "0:1", "-c", 64)):
            narrow = subprocess.run([TESSERA, *map(str, arguments)], capture_output=True, text=True, check=False,
                                    env={**os.environ, "COLUMNS": "60"}).stdout
            with self.subTest(arguments=arguments):
                self.assertTrue(narrow)
                self.assertTrue(all(len(line) <= 60 for line in narrow.splitlines()), narrow)
                narrow = narrow.replace(" \\\n", "\n")  # a command that continues
                self.assertEqual(re.sub(r"\d+\.\d+ s", "", " ".join(narrow.split())),
                                 re.sub(r"\d+\.\d+ s", "", " ".join(run(*arguments).stdout.split())))

    def test_the_terminal_counts(self):
        leader, follower = os.openpty()
        fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        process = subprocess.Popen([TESSERA, "plan", str(NETWORK), "--dtype", "int8", "-p", "ethos-u55-like",
                                    "--max-ops", "2", "--tile-shapes", "0", "--progress", "none"],
                                   stdout=follower, stderr=subprocess.PIPE, env={**os.environ, "COLUMNS": "200"})
        os.close(follower)
        shown = shown_on(leader)
        os.close(leader)
        skip_what_was_left_out(process.communicate()[1].decode())
        self.assertEqual(process.returncode, FOUND)
        table = shown.replace("\r", "").split("\n\n")[1].splitlines()
        self.assertTrue(table[0].startswith("#"))
        self.assertTrue(all(len(line) <= 80 for line in table), table)

    def test_the_first_lines_say_what_it_takes(self):
        lines, _ = self.plan(100)
        self.assertRegex(lines[1], r"^\d+ cycles = [0-9.]+ (us|ms|s), .* of DRAM traffic, .*J, peak ")
        self.assertRegex(lines[2], r"^score [0-9.]+ \(1 = layer by layer on ethos-u55-like\), lower bound [0-9.]+ \(gap [0-9.]+ %\)$")


class Programs(Case):
    """The standard error as read by programs."""

    def refused(self, *arguments):
        done = self.ends(BAD_INPUT, *arguments)
        line, = done.stderr.splitlines()
        return json.loads(line)

    def test_errors_are_lines_of_json(self):
        wrong = self.file("wrong.csv", "id,lower,upper,size\na,0,3,0\n")
        error = self.refused("place", wrong, "-c", 4, "--format", "json")
        self.assertEqual((error["file"], error["line"]), (str(wrong), 2))
        self.assertTrue(error["error"].startswith(f"{wrong}:2: "))
        error = self.refused("place", "nowhere.csv", "-c", 4, "--format=json")
        self.assertNotIn("line", error)
        self.assertIn("nowhere.csv", error["error"])
        error = self.refused("place", INPUT, "--capasity", 3, "--format", "json")
        self.assertIn("`--capacity`", error["hint"])
        error = self.refused("place", INPUT, "--format", "json", "--color=always", "-c", "3 KB")
        self.assertNotIn("\x1b", error["error"])
        self.assertIn("nowhere.csv", self.ends(BAD_INPUT, "place", "nowhere.csv", "-c", 4).stderr)

    def test_progress_is_lines_of_json_where_it_is_asked_for(self):
        done = self.ends(FOUND, "place", INPUT, "--minimize", "--progress", "json", "-q")
        told = [json.loads(line) for line in done.stderr.splitlines()]
        self.assertTrue(told)
        self.assertEqual(told[-1]["phase"], "check")
        self.assertTrue(all(each["seconds"] >= 0 for each in told))
        done = self.ends(FOUND, "plan", NETWORK, "--dtype", "int8", "-p", "ethos-u55-like", "--max-ops", 2,
                         "--tile-shapes", 0, "--progress", "json", "-q")
        last = json.loads(done.stderr.splitlines()[-1])
        self.assertLessEqual(last["bound"], last["best_score"])
        done = self.ends(FOUND, "tile", NETWORK, "--dtype", "int8", "-p", "ethos-u55-like", "--ops", "0:1",
                         "--progress", "json", "-q")
        last = json.loads(done.stderr.splitlines()[-1])
        self.assertEqual(last["finished"], last["variants"])
        self.assertGreaterEqual(last["shapes"], 1)
        for form in ("none", "auto"):
            self.assertEqual(self.ends(FOUND, "place", INPUT, "--minimize", "--progress", form).stderr, "")


class Colours(Case):
    def test_never_where_nobody_looks(self):
        for arguments in (("plase",), ("place", "missing.csv", "-c", "3")):
            for option in ((), ("--color", "auto"), ("--color=never",)):
                self.assertNotIn("\x1b", self.ends(BAD_INPUT, *option, *arguments).stderr)
                self.assertNotIn("error:", self.ends(BAD_INPUT, *option, *arguments).stderr)

    def test_always_wherever_it_stands(self):
        for arguments in (("--color=always", "plase"), ("--color", "always", "plase"),
                          ("place", "missing.csv", "--color", "always", "-c", "3"),
                          ("place", "missing.csv", "-c", "3", "--color=always"),
                          ("--color", "always", "minimalloc", "--bogus")):
            with self.subTest(arguments=arguments):
                done = run(*arguments, env={**os.environ, "NO_COLOR": "1"})
                self.assertIn(done.returncode, (1, BAD_INPUT))
                self.assertTrue(done.stderr.startswith(RED), done.stderr)
                hints = done.stderr.splitlines()[1:]
                self.assertEqual(len(hints), 0 if "place" in arguments else 1)
                for hint in hints:
                    self.assertRegex(hint, "^  \x1b\\[1;36mhint:\x1b\\[0m ")

    def test_the_last_one_counts_and_others_are_refused(self):
        self.assertNotIn("\x1b", run("--color=always", "plase", "--color=never").stderr)
        for arguments in (("--color",), ("--color=pink", "place"), ("place", "--color")):
            self.assertIn("--color", self.ends(BAD_INPUT, *arguments).stderr)

    def test_behind_two_dashes_it_is_a_name(self):
        done = self.ends(BAD_INPUT, "place", "-c", "3", "--", "--color=always")
        self.assertNotIn("\x1b", done.stderr)
        self.assertIn("--color=always", done.stderr)

    def on_a_terminal(self, *arguments, **changes):
        """The standard error on a terminal."""
        ours, theirs = pty.openpty()
        environment = {**os.environ, "TERM": "xterm", **changes}
        environment = {key: value for key, value in environment.items() if value is not None}
        with subprocess.Popen([TESSERA, *arguments], stdin=subprocess.DEVNULL, stderr=theirs,
                              stdout=subprocess.DEVNULL, env=environment):
            os.close(theirs)
            seen = b""
            while select.select([ours], [], [], 30)[0]:
                try:
                    piece = os.read(ours, 4096)
                except OSError:
                    break
                if not piece:
                    break
                seen += piece
        os.close(ours)
        return seen.decode()

    def test_on_a_terminal(self):
        self.assertTrue(self.on_a_terminal("plase", NO_COLOR=None).startswith(RED))
        self.assertTrue(self.on_a_terminal("plase", NO_COLOR="").startswith(RED))
        for arguments, changes in ((("plase",), {"NO_COLOR": "1"}),
                                   (("plase",), {"NO_COLOR": None, "TERM": "dumb"}),
                                   (("plase",), {"NO_COLOR": None, "TERM": None}),
                                   (("--color=never", "plase"), {"NO_COLOR": None})):
            with self.subTest(arguments=arguments, changes=changes):
                seen = self.on_a_terminal(*arguments, **changes)
                self.assertIn("unknown command 'plase'", seen)
                self.assertNotIn("\x1b", seen)


if __name__ == "__main__":
    unittest.main()
