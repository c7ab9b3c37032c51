#!/usr/bin/env python3
"""Output files: checked before the search, complete or absent, never over an input or another output."""

import json
import os
import resource
import signal
import stat
import subprocess
import time
import unittest

from support import (BAD_INPUT, EXAMPLES, FAILED, FOUND, INFEASIBLE, ROOT, TESSERA, Case,
                     plain_signals, run, strict_json)

SMALL = "id,lower,upper,size\na,0,3,4\nb,1,2,8\n"
# Undecided by every engine within a minute: detects a search before the check.
HARD = ROOT / "tests" / "usage" / "open-problem.csv"
NETWORK = EXAMPLES / "fsrcnn_x2_360p.onnx"
PROFILE = ("--profile", "ethos-u55-like")
TOO_TIGHT = EXAMPLES / "too-tight.yaml"

# Every command that writes, without the option and the name of the output.
WRITERS = (
    (("place", HARD, "--minimize"), "--output"),
    (("place", HARD, "--minimize"), "--plot"),
    (("place", HARD, "--minimize"), "--proof"),
    (("plan", NETWORK, "--dtype", "int8", *PROFILE), "--output"),
    (("plan", NETWORK, "--dtype", "int8", *PROFILE), "--plot"),
    (("plan", NETWORK, "--dtype", "int8", *PROFILE), "--trace"),
    (("export", HARD, "--to", "yaml"), "--output"),
    (("import", NETWORK), "--output"),
    (("generate", "random", "-n", "100000"), "--output"),
)


class Early(Case):
    """Unwritable outputs are reported in the first second, not after the limit."""

    def refused(self, target, word):
        before = self.names()
        for command, option in WRITERS:
            with self.subTest(command=command[0], option=option, target=str(target)):
                begin = time.monotonic()
                done = self.ends(BAD_INPUT, *command, option, target, timeout=60)
                self.assertLess(time.monotonic() - begin, 10)  # allowance for a busy machine
                self.assertIn(str(target), done.stderr)
                self.assertIn(word, done.stderr)
                self.assertEqual(self.names(), before)

    def test_no_such_folder(self):
        self.refused(self.folder / "no" / "such" / "file", "No such file")

    def test_a_directory(self):
        self.refused(self.folder, "Is a directory")

    def test_below_a_file(self):
        self.file("file", "precious")
        self.refused(self.folder / "file" / "out", "Not a directory")

    def test_a_loop_of_links(self):
        (self.folder / "a").symlink_to("b")
        (self.folder / "b").symlink_to("a")
        self.refused(self.folder / "a", "Too many levels")

    def test_no_permission(self):
        if os.geteuid() == 0:
            self.skipTest("root may write everywhere")
        closed = self.folder / "closed"
        closed.mkdir(mode=0o555)
        self.refused(closed / "out", "Permission denied")
        protected = self.file("protected", "precious")
        protected.chmod(0o444)
        self.refused(protected, "Permission denied")
        self.assertEqual(protected.read_text(), "precious")

    def test_no_room_at_all(self):
        def nothing():
            resource.setrlimit(resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))

        for command, option in WRITERS:
            with self.subTest(command=command[0], option=option):
                done = run(*command, option, self.folder / "out", preexec_fn=nothing, timeout=60)
                self.assertEqual(done.returncode, BAD_INPUT, done.stderr)
                self.assertEqual(self.names(), [])


class Apart(Case):
    """An output never replaces an input or another output, however its path is spelt."""

    def spellings(self, path):
        """Different names of one file, which need not exist."""
        deep = self.folder / "deep"
        deep.mkdir(exist_ok=True)
        link = self.folder / "folder"
        if not link.exists():
            link.symlink_to(".", target_is_directory=True)
        soft = self.folder / ("soft-" + path.name)
        soft.unlink(missing_ok=True)
        soft.symlink_to(path.name)
        names = [str(path), f"{self.folder}/./{path.name}", f"{self.folder}/deep/../{path.name}",
                 str(link / path.name), str(soft), os.path.relpath(path)]
        if path.exists():
            hard = self.folder / ("hard-" + path.name)
            hard.unlink(missing_ok=True)
            os.link(path, hard)
            names.append(str(hard))
        return names

    def refused(self, *arguments):
        with self.subTest(arguments=list(map(str, arguments))):
            done = self.ends(BAD_INPUT, *arguments, timeout=60)
            self.assertIn("another file name", done.stderr)

    def test_inputs(self):
        csv = self.file("in.csv", SMALL)
        yaml = self.file("in.yaml", TOO_TIGHT.read_text())
        network = self.file("net.onnx", NETWORK.read_bytes())
        profile = self.file("own.yaml", "tessera: hardware/1\nname: own\ninherit: base\n")
        base = self.file("base.yaml", (ROOT / "hw_profiles" / "ethos-u55-like.yaml").read_text()
                         .replace("ethos-u55-like", "base"))
        before = {path: path.read_bytes() for path in (csv, yaml, network, profile, base)}
        for name in self.spellings(csv):
            for option in ("--output", "--plot", "--proof"):
                self.refused("place", csv, "-c", 12, option, name)
            self.refused("export", csv, "--to", "csv", "-o", name)
            self.refused("place", name, "-c", 12, "-o", csv)
        for name in self.spellings(network):
            for option in ("--output", "--plot", "--trace"):
                self.refused("plan", network, *PROFILE, option, name)
            self.refused("import", network, "-o", name)
        for file in (profile, base):
            for name in self.spellings(file):
                self.refused("plan", network, "--profile", profile, "-o", name)
                self.refused("place", csv, "--profile", profile, "-o", name)
        for path, text in before.items():
            self.assertEqual(path.read_bytes(), text)

    def test_the_standard_input(self):
        path = self.file("in.csv", SMALL)
        with open(path, encoding="utf-8") as text:
            done = subprocess.run([TESSERA, "place", "-", "-c", "12", "-o",
                                   str(path)], stdin=text, capture_output=True, text=True,
                                  check=False)
        self.assertEqual(done.returncode, BAD_INPUT, done.stderr)
        self.assertEqual(path.read_text(), SMALL)

    def test_a_profile_of_the_shelf(self):
        shelf = self.folder / "shelf"
        shelf.mkdir()
        text = (ROOT / "hw_profiles" / "ethos-u55-like.yaml").read_text()
        (shelf / "mine.yaml").write_text(text)
        environment = {**os.environ, "TESSERA_PROFILES": str(shelf)}
        done = run("plan", NETWORK, "--profile", "mine", "-o", shelf / "mine.yaml", env=environment)
        self.assertEqual(done.returncode, BAD_INPUT, done.stderr)
        self.assertEqual((shelf / "mine.yaml").read_text(), text)

    def test_outputs(self):
        csv = self.file("in.csv", SMALL)
        for out in (self.folder / "new", self.file("there", "old")):
            for name in self.spellings(out):
                for one, other in (("--output", "--plot"), ("--plot", "--proof"),
                                   ("--output", "--proof")):
                    self.refused("place", csv, "-c", 12, one, out, other, name)
                    self.refused("place", csv, "-c", 12, one, name, other, out)
                self.refused("plan", NETWORK, *PROFILE, "-o", out, "--trace", name)
        self.refused("place", csv, "-c", 12, "-o", "-", "--plot", "/dev/stdout")
        self.refused("place", csv, "-c", 12, "-o", "/dev/full", "--plot", "/dev/full")
        self.assertEqual((self.folder / "there").read_text(), "old")
        self.assertFalse((self.folder / "new").exists())
        self.ends(FOUND, "place", csv, "-c", 12, "-o", "/dev/null", "--plot", "/dev/null")

    def test_where_the_standard_output_goes(self):
        csv = self.file("in.csv", SMALL)
        report = self.file("report", "before ")
        for arguments in (("-o", report), ("--plot", report)):
            with open(report, "a", encoding="utf-8") as out:
                done = run("place", csv, "-c", 12, *arguments, stdout=out)
            self.assertEqual(done.returncode, BAD_INPUT, done.stderr)
        with open(csv, "a", encoding="utf-8") as out:
            done = run("place", csv, "-c", 12, stdout=out)
        self.assertEqual(done.returncode, BAD_INPUT, done.stderr)
        self.assertEqual((report.read_text(), csv.read_text()), ("before ", SMALL))

    def test_two_texts_for_the_standard_output(self):
        csv = self.file("in.csv", SMALL)
        self.ends(BAD_INPUT, "place", csv, "-c", 12, "--plot", "-", "--format", "json")
        done = self.ends(FOUND, "place", csv, "-c", 12, "-o", "-", "--format", "json")
        self.assertEqual(strict_json(done.stdout)["status"], "feasible")
        done = self.ends(FOUND, "place", csv, "-c", 12, "-o", "/dev/stdout")
        self.assertEqual(strict_json(done.stdout)["status"], "feasible")


class Whole(Case):
    def test_links_are_followed_by_every_output(self):
        (self.folder / "deep").mkdir()
        for option, name in (("--output", "o.json"), ("--plot", "o.svg"), ("--proof", "o.proof")):
            for old in (False, True):
                with self.subTest(option=option, old=old):
                    target = self.folder / "deep" / name
                    target.unlink(missing_ok=True)
                    if old:
                        target.write_text("old")
                        target.chmod(0o640)
                    link = self.folder / name
                    link.unlink(missing_ok=True)
                    link.symlink_to(os.path.join("deep", name))
                    problem, code = ((self.file("in.csv", SMALL), FOUND) if option != "--proof"
                                     else (TOO_TIGHT, INFEASIBLE))
                    capacity = ("-c", "12") if option != "--proof" else ()
                    self.ends(code, "place", problem, *capacity, option, link)
                    self.assertTrue(link.is_symlink())
                    self.assertNotIn(target.read_text(), ("", "old"))
                    if old:
                        self.assertEqual(stat.S_IMODE(target.stat().st_mode), 0o640)
        self.assertEqual(len(list((self.folder / "deep").iterdir())), 3)

    def test_certificates_go_to_devices_and_pipes_too(self):
        self.ends(INFEASIBLE, "place", TOO_TIGHT, "--proof", "/dev/null")
        done = self.ends(INFEASIBLE, "place", TOO_TIGHT, "--proof", "-")
        proof = self.file("no.proof", done.stdout)
        self.ends(FOUND, "check", TOO_TIGHT, "--proof", proof)
        # Nothing to refute: only the report uses the standard output.
        done = self.ends(FOUND, "place", self.file("in.csv", SMALL), "-c", 12, "--proof", "-")
        self.assertIn("feasible", done.stdout)

    def test_a_standard_output_that_is_a_file_is_added_to(self):
        log = self.file("log", "before\n")
        with open(log, "a", encoding="utf-8") as out:
            run("place", self.file("in.csv", SMALL), "-c", 12, "-o", "/dev/stdout", stdout=out)
        self.assertTrue(log.read_text().startswith("before\n{"))

    def test_a_pipe_that_does_not_wait(self):
        """A descriptor made non-blocking by a shell or an event loop: EAGAIN is no error."""
        read, write = os.pipe()
        os.set_blocking(write, False)
        process = subprocess.Popen([TESSERA, "generate", "random", "-n", "20000",
                                    "-q"], stdout=write)
        os.close(write)
        time.sleep(0.3)
        with os.fdopen(read, encoding="utf-8") as text:
            self.assertEqual(len(text.read().splitlines()), 20001)
        self.assertEqual(process.wait(), FOUND)


class Full(Case):
    """A full disk is neither bad input nor a bug, and affects no other output."""

    def failed(self, done, word):
        self.assertEqual(done.returncode, FAILED, done.stderr)
        self.assertIn(word, done.stderr)
        self.assertNotIn("a bug in Tessera", done.stderr)

    def test_a_full_device(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("there is no /dev/full here")
        path = self.file("in.csv", SMALL)
        picture = self.folder / "o.svg"
        done = run("place", path, "-c", 12, "-o", "/dev/full", "--plot", picture)
        self.failed(done, "/dev/full: cannot be written: No space left")
        self.assertIn("<svg", picture.read_text())
        self.assertIn("feasible", done.stdout)
        with open("/dev/full", "w", encoding="utf-8") as full:
            self.failed(run("place", path, "-c", 12, stdout=full), "standard output")
            self.failed(run("place", path, "-c", 12, "--format", "json", "-o",
                            self.folder / "o.json", stdout=full), "standard output")
            self.failed(run("--help", stdout=full), "standard output")
        self.assertEqual(strict_json((self.folder / "o.json").read_text())["status"], "feasible")
        self.failed(run("place", TOO_TIGHT, "--proof", "/dev/full"), "/dev/full")

    def test_a_disk_that_becomes_full(self):
        def little():
            resource.setrlimit(resource.RLIMIT_FSIZE, (2000, resource.RLIM_INFINITY))

        path = self.folder / "in.csv"
        self.ends(FOUND, "generate", "random", "-n", 300, "-o", path)
        for command, option in ((("place", path, "--minimize", "-e", "greedy"), "--output"),
                                (("place", path, "--minimize", "-e", "greedy"), "--plot"),
                                (("export", path, "--to", "csv"), "--output"),
                                (("generate", "random", "-n", "1000"), "--output"),
                                (("import", NETWORK), "--output"),
                                (("plan", NETWORK, "--dtype", "int8", *PROFILE, "--tile-shapes", 0), "--output"),
                                (("plan", NETWORK, "--dtype", "int8", *PROFILE, "--tile-shapes", 0), "--trace")):
            for old in (None, "old"):
                with self.subTest(command=command[0], option=option, old=old):
                    out = self.folder / "out"
                    out.unlink(missing_ok=True)
                    if old:
                        out.write_text(old)
                    done = run(*command, option, out, preexec_fn=little)
                    self.failed(done, f"{out}: cannot be written: File too large")
                    self.assertEqual(out.read_text() if out.exists() else None, old)
                    self.assertEqual(self.names(), ["in.csv"] + (["out"] if old else []))

    def test_a_certificate_that_does_not_fit_costs_no_answer(self):
        def little():
            resource.setrlimit(resource.RLIMIT_FSIZE, (200, resource.RLIM_INFINITY))

        proof = self.folder / "no.proof"
        done = run("place", TOO_TIGHT, "--proof", proof, "--format", "json", preexec_fn=little)
        self.assertEqual(strict_json(done.stdout)["status"], "infeasible")
        self.assertNotIn("a bug in Tessera", done.stderr)
        self.assertFalse(proof.exists())
        self.assertEqual(self.names(), [])


class ClosedPipes(Case):
    """`tessera ... | head -1`"""

    def test_a_reader_who_leaves(self):
        path = self.folder / "in.csv"
        self.ends(FOUND, "generate", "random", "-n", 5000, "-o", path)
        out = self.folder / "o.json"
        for command in (("generate", "random", "-n", "5000"),
                        ("place", path, "--minimize", "-e", "greedy", "--format", "json", "-o", out),
                        ("export", path, "--to", "yaml")):
            with self.subTest(command=command[0]):
                read, write = os.pipe()
                os.close(read)
                done = run(*command, stdout=write, preexec_fn=plain_signals)
                os.close(write)
                self.assertEqual(done.returncode, -signal.SIGPIPE)
                self.assertNotIn("annot", done.stderr)
        self.assertEqual(strict_json(out.read_text())["status"], "feasible")
        self.assertEqual(self.names(), ["in.csv", "o.json"])

    def test_who_ignores_the_signal_hears_of_it(self):
        def ignore():
            signal.signal(signal.SIGPIPE, signal.SIG_IGN)

        read, write = os.pipe()
        os.close(read)
        done = run("generate", "random", stdout=write, preexec_fn=ignore, restore_signals=False)
        os.close(write)
        self.assertEqual(done.returncode, FAILED)
        self.assertIn("standard output", done.stderr)
        self.assertNotIn("a bug in Tessera", done.stderr)

    def test_outputs_that_are_pipes_come_after_files(self):
        path = self.file("in.csv", SMALL)
        fifo = self.folder / "fifo"
        os.mkfifo(fifo)
        process = subprocess.Popen([TESSERA, "place", str(path), "-c", "12", "-q",
                                    "--plot", str(fifo), "-o", str(self.folder / "o.json")])
        with open(fifo, encoding="utf-8") as picture:
            text = picture.read()
        self.assertEqual(process.wait(60), FOUND)
        self.assertIn("<svg", text)
        self.assertEqual(json.loads((self.folder / "o.json").read_text())["status"], "feasible")


if __name__ == "__main__":
    unittest.main()
