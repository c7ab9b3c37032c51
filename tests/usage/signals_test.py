#!/usr/bin/env python3
"""SIGINT, SIGTERM and SIGHUP: one is sufficient, the incumbent is written, and the exit code shows the
signal."""

import os
import signal
import subprocess
import time
import unittest
from pathlib import Path

from support import (ENDS, EXAMPLES, FOUND, INFEASIBLE, ROOT, TESSERA, Case, plain_signals,
                     skip_what_was_left_out, start, strict_json)

# Undecided by every engine within a minute.
HARD = ROOT / "tests" / "usage" / "open-problem.csv"
NETWORK = EXAMPLES / "fsrcnn_x2_360p.onnx"
# Maximum time from the signal to the end: a second of grace, and a busy machine.
SOON = 8


def wait_until_it_sleeps(process):
    """The main thread waits for something else than a processor, ten times in a row."""
    stat = Path(f"/proc/{process.pid}/stat")
    sleeping = 0
    while sleeping < 10 and process.poll() is None:
        state = stat.read_text().rpartition(")")[2].split()[0]
        sleeping = sleeping + 1 if state == "S" else 0
        time.sleep(0.05)


class Signals(Case):
    def interrupted(self, number, process, after=0.5):
        """Sends the signal after a while; returns (exit code, standard output, seconds until the end)."""
        try:
            process.wait(after)
            self.fail(f"ended by itself: {process.communicate()}")
        except subprocess.TimeoutExpired:
            pass
        process.send_signal(number)
        begin = time.monotonic()
        out, err = process.communicate(timeout=60)
        self.assertNotIn(b"a bug in Tessera", err)
        return process.returncode, out.decode(), time.monotonic() - begin

    def test_a_search_ends_with_the_best_answer_in_every_output(self):
        for number in ENDS:
            with self.subTest(signal=number.name):
                process = start("place", HARD, "--minimize", "-c", 4096, "-o",
                                self.folder / "o.json", "--plot", self.folder / "o.svg", "--proof",
                                self.folder / "o.proof", "--format", "json")
                code, out, seconds = self.interrupted(number, process, 1)
                self.assertEqual(code, 128 + number)
                self.assertLess(seconds, SOON)
                for text in (out, (self.folder / "o.json").read_text()):
                    result = strict_json(text)
                    self.assertEqual((result["status"], result["stop"]), ("feasible", "interrupted"))
                self.assertTrue((self.folder / "o.svg").read_text().endswith("</svg>\n"))
                self.assertEqual(self.names(), ["o.json", "o.proof", "o.svg"])
                self.ends(FOUND, "check", HARD, self.folder / "o.json", "-c", 4096, "--proof",
                          self.folder / "o.proof")
                for name in self.names():
                    (self.folder / name).unlink()

    def test_without_an_answer(self):
        for number in ENDS:
            with self.subTest(signal=number.name):
                process = start("place", HARD, "-c", 1028, "-e", "canonical", "--format", "json",
                                "-o", self.folder / "o.json", "--plot", self.folder / "o.svg")
                code, out, seconds = self.interrupted(number, process)
                self.assertEqual(code, 128 + number)
                self.assertLess(seconds, SOON)
                result = strict_json(out)
                self.assertEqual((result["status"], result["stop"]), ("unknown", "interrupted"))
                self.assertEqual(self.names(), ["o.json"])

    def test_twice_is_once(self):
        """A terminal and a wrapper may both deliver one Ctrl-C: the result must not be lost."""
        process = start("place", HARD, "--minimize", "-c", 4096, "--format", "json")
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGTERM)
        out, _ = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 128 + signal.SIGINT)
        self.assertEqual(strict_json(out)["status"], "feasible")

    def test_a_complete_answer_counts_as_one(self):
        """The result is written to a reader that begins only then; the signal came too late to matter."""
        fifo = self.folder / "fifo"
        os.mkfifo(fifo)
        for problem, capacity, code in ((EXAMPLES / "residual-block.csv", ("-c", "150 KiB"), FOUND),
                                        (EXAMPLES / "too-tight.yaml", (), INFEASIBLE)):
            process = start("place", problem, *capacity, "-o", fifo, "-q")
            time.sleep(0.5)
            process.send_signal(signal.SIGTERM)
            with open(fifo, encoding="utf-8") as text:
                result = strict_json(text.read())
            process.communicate(timeout=60)
            self.assertEqual(process.returncode, code)
            self.assertEqual(result["stop"], "completed")

    def test_a_reader_who_sleeps_does_not_hold_it(self):
        process = start("generate", "random", "-n", "100000", "-q")
        wait_until_it_sleeps(process)  # the pipe is full
        code, _, seconds = self.interrupted(signal.SIGINT, process, 1)
        self.assertEqual(code, 128 + signal.SIGINT)
        self.assertLess(seconds, SOON)
        fifo = self.folder / "fifo"
        os.mkfifo(fifo)
        process = start("place", EXAMPLES / "residual-block.csv", "-c", "150 KiB", "-o", fifo)
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)
        self.assertIn(process.returncode, (1, 128 + signal.SIGTERM))

    def test_while_the_input_is_read(self):
        """There is no result to lose: it ends at once, even if the input is not being written."""
        silent, kept_open = os.pipe()
        self.addCleanup(os.close, kept_open)
        self.addCleanup(os.close, silent)
        for arguments in (("place", "-", "-c", 12), ("check", "-", HARD, "-c", 4096),
                          ("explain", "-", "-c", 12), ("export", "-", "--to", "yaml"),
                          ("import", "-"), ("plan", "-", "-p", "ethos-u55-like"),
                          ("tile", "-", "--ops", "0", "-p", "ethos-u55-like")):
            for number in ENDS:
                with self.subTest(command=arguments[0], signal=number.name):
                    extra = (() if arguments[0] in ("check", "explain", "tile")
                             else ("-o", self.folder / "out"))
                    process = start(*arguments, *extra, stdin=silent)
                    code, out, seconds = self.interrupted(number, process, 0.1)
                    self.assertEqual((code, out), (128 + number, ""))
                    self.assertLess(seconds, SOON)
                    self.assertEqual(self.names(), [])

    def test_every_other_search(self):
        hard = self.folder / "hard.yaml"
        self.ends(FOUND, "generate", "packable", "-n", 300, "--seed", 1, "-o", hard)
        for arguments in (("explain", HARD, "-c", 1028),
                          ("plan", NETWORK, "--dtype", "int8", "-p", "ethos-u55-like", "--weight",
                           "energy=0.1"),
                          ("tile", NETWORK, "--dtype", "int8", "--ops", "0:7", "-p",
                           "ethos-u55-like", "--all"),
                          ("place", hard, "-e", "learning"),
                          ("place", hard, "-e", "sat")):
            with self.subTest(arguments=list(map(str, arguments))):
                process = start(*arguments, "--format", "json")
                try:
                    process.wait(0.3)
                except subprocess.TimeoutExpired:
                    pass
                process.send_signal(signal.SIGTERM)
                begin = time.monotonic()
                out, err = process.communicate(timeout=60)
                skip_what_was_left_out(os.fsdecode(err))
                self.assertIn(process.returncode, (FOUND, INFEASIBLE, 128 + signal.SIGTERM), err)
                self.assertLess(time.monotonic() - begin, SOON)
                if out:
                    result = strict_json(out)
                    if process.returncode == 128 + signal.SIGTERM:
                        self.assertEqual(result["stop"], "interrupted")

    def test_ignored_from_the_start(self):
        """nohup, and `&` in a script."""
        def ignore():
            plain_signals()
            signal.signal(signal.SIGHUP, signal.SIG_IGN)

        process = subprocess.Popen([TESSERA, "place", str(HARD), "--minimize", "-c", "4096", "-t",
                                    "3s", "--format", "json"], preexec_fn=ignore,
                                   stdout=subprocess.PIPE)
        for _ in range(10):
            time.sleep(0.05)
            process.send_signal(signal.SIGHUP)
        out, _ = process.communicate(timeout=60)
        self.assertEqual(process.returncode, FOUND)
        self.assertEqual(strict_json(out)["stop"], "time_limit")

    def test_signals_that_kill(self):
        """These signals still kill, and leave no temporary file: SIGQUIT from the keyboard, a CPU limit."""
        for number in (signal.SIGQUIT, signal.SIGUSR1, signal.SIGXCPU, signal.SIGALRM):
            process = start("place", HARD, "--minimize", "-c", 4096, "-o", self.folder / "o.json",
                            "--proof", self.folder / "o.proof", cwd=self.folder)
            code, _, _ = self.interrupted(number, process, 0.3)
            self.assertEqual(code, -number)
            self.assertEqual([name for name in self.names() if not name.startswith("core")], [])


if __name__ == "__main__":
    unittest.main()
