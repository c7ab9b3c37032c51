#!/usr/bin/env python3
"""Kills every command that writes, at random moments, by every signal: no file is torn, no input is lost, and
only SIGKILL leaves temporary files.

TESSERA_KILLS sets the number of kills (40; 14 in a slow build), TESSERA_RANDOM_SEED the seed,
TESSERA_KILL_FOLDER the folder: some file systems have no unnamed files (mount -t vfat), so that names of
temporary files matter. A failure prints the command that repeats it.
"""

import hashlib
import os
import pathlib
import random
import re
import resource
import shutil
import signal
import subprocess
import tempfile
import time
import unittest
import xml.etree.ElementTree

from support import (ENDS, EXAMPLES, FAILED, FOUND, INFEASIBLE, ROOT, SLOW, STOPPED, BAD_INPUT, run,
                     start, strict_json)

KILLS = int(os.environ.get("TESSERA_KILLS", "14" if SLOW else "28"))
SEED = int(os.environ.get("TESSERA_RANDOM_SEED", "1"))
FOLDER = os.environ.get("TESSERA_KILL_FOLDER")

# Temporary files that SIGKILL may leave, with the name of their target.
LEFT = re.compile(r"\.tessera-\d+-\d+\.part$")

WAYS = ["SIGKILL", "SIGTERM", "SIGINT", "SIGHUP", "SIGPIPE", "disk", "full"]


class Command:
    """Arguments with {name} for an output file; inputs are copied into the folder."""

    def __init__(self, arguments, outputs, inputs, endless=False):
        self.arguments, self.outputs, self.inputs = arguments, outputs, inputs
        self.endless = endless  # it searches until it is stopped
        self.seconds = 1.5  # approximate run time
        self.same = {}  # outputs that are identical in every run


def checked(*arguments):
    done = run(*arguments)
    assert done.returncode == FOUND, f"{arguments}: {done.stdout}{done.stderr}"


class Kills(unittest.TestCase):
    def setUp(self):
        folder = tempfile.mkdtemp(dir=FOLDER, prefix="tessera-kills-")
        self.addCleanup(shutil.rmtree, folder)
        self.base = pathlib.Path(folder)
        self.data = self.base / "data"
        self.data.mkdir()
        shutil.copy(ROOT / "tests" / "usage" / "open-problem.csv", self.data / "hard.csv")
        shutil.copy(EXAMPLES / "too-tight.yaml", self.data)
        shutil.copy(EXAMPLES / "fsrcnn_x2_360p.onnx", self.data / "net.onnx")
        checked("generate", "random", "-n", 3000, "--seed", 1, "-o", self.data / "many.csv")
        checked("generate", "random", "-n", 60, "--seed", 1, "-o", self.data / "few.csv")
        plan = ["plan", "net.onnx", "--dtype", "int8", "-p", "ethos-u55-like", "--tile-shapes", "0", "-o", "{plan.json}",
                "--plot", "{plan.svg}", "--trace", "{trace.json}"]
        self.commands = [
            Command(["place", "hard.csv", "--minimize", "-c", "4096", "-o", "{hard.json}", "--plot",
                     "{hard.svg}", "--proof", "{hard.proof}"],
                    {"hard.json": self.placement("hard.csv", "-c", "4096"), "hard.svg": self.picture,
                     "hard.proof": self.proof("hard.csv")}, ["hard.csv"], endless=True),
            Command(["place", "many.csv", "--minimize", "-e", "greedy", "-o", "{many.csv.csv}",
                     "--plot", "{many.svg}"],
                    {"many.csv.csv": self.placement("many.csv", "-c", "1TiB"),
                     "many.svg": self.picture}, ["many.csv"]),
            Command(["place", "too-tight.yaml", "-o", "{tight.json}", "--proof", "{tight.proof}"],
                    {"tight.json": self.is_json, "tight.proof": self.proof("too-tight.yaml")}, ["too-tight.yaml"]),
            Command(plan, {"plan.json": self.plan, "plan.svg": self.picture,
                           "trace.json": self.is_json}, ["net.onnx"]),
            Command(["export", "few.csv", "--to", "smt2", "-c", "1 MiB", "-o", "{few.smt2}"],
                    {"few.smt2": self.as_ever}, ["few.csv"]),
            Command(["export", "many.csv", "--to", "yaml", "-o", "{many.yaml}"],
                    {"many.yaml": self.as_ever}, ["many.csv"]),
            Command(["import", "net.onnx", "-o", "{net.yaml}"], {"net.yaml": self.as_ever},
                    ["net.onnx"]),
            Command(["generate", "random", "-n", "40000", "--seed", "5", "-o", "{made.csv}"],
                    {"made.csv": self.as_ever}, []),
        ]
        for command in self.commands:
            self.measure(command)

    # Checks a complete output.

    def placement(self, problem, *capacity):
        return lambda _, path: checked("check", self.data / problem, path, *capacity)

    def plan(self, _, path):
        if strict_json(path.read_text())["status"] == "unknown":
            return  # stopped before the first plan
        checked("check", self.data / "net.onnx", path, "-p", "ethos-u55-like")

    def proof(self, problem):
        return lambda _, path: checked("check", self.data / problem, "--proof", path)

    @staticmethod
    def is_json(_, path):
        strict_json(path.read_text())

    @staticmethod
    def picture(_, path):
        assert xml.etree.ElementTree.parse(path).getroot().tag.endswith("svg")

    @staticmethod
    def as_ever(command, path):
        assert path.read_bytes() == command.same[path.name], f"{path.name} is torn"

    def in_folder(self, command, folder):
        return [str(self.data / a) if a in command.inputs
                else str(folder / a[1:-1]) if a.startswith("{") else a for a in command.arguments]

    def measure(self, command):
        """Measures its run time, and its output if that is always the same."""
        if command.endless:
            return
        folder = self.base / "measure"
        folder.mkdir()
        begin = time.monotonic()
        done = run(*self.in_folder(command, folder))
        command.seconds = time.monotonic() - begin
        self.assertIn(done.returncode, (FOUND, INFEASIBLE), done.stderr)
        command.same = {name: (folder / name).read_bytes() for name in command.outputs}
        shutil.rmtree(folder)

    def digest(self):
        return {p.name: hashlib.sha256(p.read_bytes()).digest() for p in self.data.iterdir()}

    def kill(self, process, way, after, dice):
        """Waits and sends the signal; True if the process was still running."""
        if way == "SIGPIPE":
            time.sleep(after)
            process.stdout.close()
        else:
            try:
                process.wait(after)
            except subprocess.TimeoutExpired:
                process.send_signal(getattr(signal, way))
                if dice.random() < 0.2:
                    process.send_signal(dice.choice(ENDS))  # a wrapper that forwards the signal
                return True
        return False

    def once(self, command, way, dice):
        folder = self.base / "out"
        folder.mkdir()
        arguments = self.in_folder(command, folder)
        old = {}
        for name in command.outputs:
            if dice.random() < 0.5:
                old[name] = f"the old {name}\n".encode()
                (folder / name).write_bytes(old[name])
        before = self.digest()
        told = f"{way} {' '.join(command.arguments)}"
        after = dice.uniform(0, 1.2 * command.seconds)
        if way == "disk":
            process = self.with_little_room(arguments, dice)
        elif way == "full":
            name = str(folder / dice.choice([n for n in command.outputs if n != "hard.proof"]))
            arguments = ["/dev/full" if a == name else a for a in arguments]
            process = start(*arguments)
        else:
            process = start(*arguments, *([] if way == "SIGPIPE" else ["--quiet"]))
        killed = False
        if way.startswith("SIG"):
            killed = self.kill(process, way, after, dice)
        elif command.endless:
            try:
                process.wait(after)
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGTERM)
        if process.stdout.closed:
            if command.endless:
                process.send_signal(signal.SIGTERM)
            err = process.stderr.read()
            process.stderr.close()
            process.wait(60)
        else:
            _, err = process.communicate(timeout=60)
        told += f" after {after:.3f} s: exit {process.returncode}\n{err.decode()}"
        self.assertNotIn(b"a bug in Tessera", err, told)
        self.expect_exit(process.returncode, way, killed, command, told)
        self.assertEqual(self.digest(), before, told)
        left = sorted(p.name for p in folder.iterdir() if p.name not in command.outputs)
        if way == "SIGKILL" and killed:
            for name in left:
                self.assertRegex(name, LEFT, told)
        else:
            self.assertEqual(left, [], told)
        for name, whole in command.outputs.items():
            path = folder / name
            if not path.exists():
                self.assertNotIn(name, old, told)
            elif path.read_bytes() != old.get(name):
                try:
                    whole(command, path)
                except (AssertionError, ValueError, xml.etree.ElementTree.ParseError) as error:
                    self.fail(f"{name}: {error}\n{told}")
        shutil.rmtree(folder)
        return killed

    def expect_exit(self, code, way, killed, command, told):
        finished = {FOUND, INFEASIBLE}
        if way == "disk":
            allowed = finished | {FAILED, BAD_INPUT}
        elif way == "full":
            allowed = {FAILED}
        elif way == "SIGPIPE":
            allowed = finished | {-signal.SIGPIPE}
        elif way == "SIGKILL":
            allowed = finished | {-signal.SIGKILL}
        else:
            # Of two simultaneous signals either may be the first.
            allowed = finished | {128 + number for number in ENDS}
            if not killed:
                allowed = finished
        if command.endless and way in ("disk", "full", "SIGPIPE"):
            allowed = allowed | {128 + signal.SIGTERM, STOPPED}
        self.assertIn(code, allowed, told)

    @staticmethod
    def with_little_room(arguments, dice):
        """Simulates a full disk: a file size limit small enough to hit some file."""
        most = dice.choice((0, 1, 100, 3000, 30_000, 300_000))

        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (most, resource.RLIM_INFINITY))

        return start(*arguments, prepare=limit)

    def test_at_random_moments(self):
        dice = random.Random(SEED)
        counts = {}
        for k in range(KILLS):
            way = WAYS[k % len(WAYS)]
            command = self.commands[(k // len(WAYS)) % len(self.commands)]
            if way == "full" and not os.path.exists("/dev/full"):
                continue
            with self.subTest(kill=k, repeat=f"TESSERA_KILLS={k + 1} TESSERA_RANDOM_SEED={SEED}"):
                killed = self.once(command, way, dice)
                ran, hit = counts.get(way, (0, 0))
                counts[way] = (ran + 1, hit + killed)
            shutil.rmtree(self.base / "out", ignore_errors=True)
        print("kills:", ", ".join(f"{way} {hit} of {ran} in time" if way.startswith("SIG")
                                  and way != "SIGPIPE" else f"{way} {ran}"
                                  for way, (ran, hit) in counts.items()))

    def test_a_small_disk(self):
        """A real full disk, if root can mount one: it fills up in the middle of a file."""
        if os.geteuid() != 0 or not shutil.which("mount"):
            self.skipTest("needs root to mount a small disk")
        disk = self.base / "disk"
        disk.mkdir()
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(disk)],
                          check=False, capture_output=True).returncode != 0:
            self.skipTest("no tmpfs can be mounted here")
        self.addCleanup(subprocess.run, ["umount", str(disk)], check=False)
        command = self.commands[-1]
        for filled in (0, 64 * 1024):
            for old in (None, b"old"):
                with self.subTest(filled=filled, old=old):
                    if old:
                        (disk / "made.csv").write_bytes(old)
                    room = os.statvfs(disk)
                    (disk / "filler").write_bytes(b"x" * min(filled, room.f_bavail * room.f_frsize))
                    done = run(*self.in_folder(command, disk))
                    self.assertEqual(done.returncode, BAD_INPUT if filled else FAILED, done.stderr)
                    self.assertIn("No space left on device", done.stderr)
                    (disk / "filler").unlink()
                    self.assertEqual({p.name: p.read_bytes() for p in disk.iterdir()},
                                     {"made.csv": old} if old else {})
                    shutil.rmtree(disk / "made.csv", ignore_errors=True)
                    (disk / "made.csv").unlink(missing_ok=True)


if __name__ == "__main__":
    unittest.main()
