#!/usr/bin/env python3
"""Exhausted memory is a limit: exit code 30 and the incumbent, whichever component runs out of it."""

import resource
import unittest

from support import BAD_INPUT, EXAMPLES, FOUND, INFEASIBLE, STOPPED, Case, run, strict_json

MIB = 1 << 20


def with_memory(mib, *arguments, **options):
    """As after `ulimit -v`."""
    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (mib * MIB, mib * MIB))

    return run(*arguments, preexec_fn=limit, timeout=300, **options)


class Memory(Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        # A sanitizer reserves terabytes of addresses for its own data before main begins.
        if with_memory(1 << 14, "--version").returncode != FOUND:
            raise unittest.SkipTest("this program does not begin with 16 GiB of addresses: "
                                    "it was built with sanitizers")

    def setUp(self):
        super().setUp()
        self.many = self.folder / "many.csv"
        self.ends(FOUND, "generate", "packable", "-n", 3000, "--seed", 1, "-c", "1 MiB", "-q", "-o",
                  self.many)

    def limited(self, done, *others):
        told = f"{done.args}: {done.returncode}\n{done.stderr}"
        self.assertIn(done.returncode, (STOPPED, *others), told)
        self.assertNotIn("a bug in Tessera", done.stderr, told)

    def least(self):
        """Memory in MiB without which the program cannot start."""
        for mib in range(16, 400, 16):
            if with_memory(mib, "--version").returncode == FOUND:
                return mib
        self.fail("the program does not begin with 400 MiB")

    def test_every_command_at_every_limit(self):
        base = self.least()
        out = self.folder / "out"
        for more in (0, 12, 48, 192):
            for arguments in (("place", self.many, "-c", 1 << 20, "-t", "10s", "-o", out),
                              ("place", self.many, "--minimize", "-t", "1s", "-o", out),
                              ("place", self.many, "-c", 1 << 20, "-e", "sat", "-t", "3s"),
                              ("place", self.many, "-c", 1 << 20, "-e", "smt", "-t", "3s"),
                              ("place", self.many, "-c", 1 << 20, "-e", "learning", "-t", "1s"),
                              ("explain", self.many, "-c", 1 << 19, "-t", "1s"),
                              ("export", self.many, "-c", 1 << 20, "--to", "smt2", "-o", out),
                              ("generate", "random", "-n", 200000, "-o", out),
                              ("import", EXAMPLES / "fsrcnn_x2_360p.onnx", "-o", out),
                              ("plan", EXAMPLES / "fsrcnn_x2_360p.onnx", "--dtype", "int8", "-p",
                               "ethos-u55-like", "--tile-shapes", 0, "-o", out),
                              ("tile", EXAMPLES / "fsrcnn_x2_360p.onnx", "--dtype", "int8", "--ops",
                               "0:3", "-p", "ethos-u55-like")):
                with self.subTest(mib=base + more, arguments=list(map(str, arguments))):
                    before = self.names()
                    done = with_memory(base + more, *arguments)
                    self.limited(done, FOUND, INFEASIBLE)
                    self.assertEqual([n for n in self.names() if n != "out"],
                                     [n for n in before if n != "out"])

    def test_a_search_of_one_engine(self):
        """It cannot build its model, and no other engine was selected."""
        done = with_memory(self.least() + 64, "place", self.many, "-c", 1 << 20, "-e", "sat", "-t",
                           "60s", "--format", "json")
        self.limited(done)
        result = strict_json(done.stdout)
        self.assertEqual((result["status"], result["stop"]), ("unknown", "memory_limit"))
        self.assertIn("sat", result["reason"])

    def test_what_was_found_is_kept(self):
        """A height was found; there is not enough memory for the proof of its minimality."""
        for more in (48, 64, 96, 128):
            done = with_memory(self.least() + more, "place", self.many, "--minimize", "-t", "3s",
                               "--format", "json")
            self.limited(done, FOUND)
            if done.returncode == FOUND:
                result = strict_json(done.stdout)
                self.assertEqual(result["status"], "feasible")
                out = self.file("out.json", done.stdout)
                self.ends(FOUND, "check", self.many, out, "-c", "1 TiB")
                return
        self.fail("no limit left anything to be found")


if __name__ == "__main__":
    unittest.main()
