"""Runs the real program, the path of which is in $TESSERA."""

import os
import pathlib
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
TESSERA = os.environ.get("TESSERA", str(ROOT / "build/release/cli/tessera"))

FOUND, BUG, BAD_INPUT, WRONG, INFEASIBLE, STOPPED = 0, 1, 2, 3, 20, 30


def run(*arguments, stdin=None, cwd=None, timeout=120, stdout=subprocess.PIPE):
    """The finished process; arguments may be paths."""
    return subprocess.run(
        [TESSERA, *map(str, arguments)],
        input=stdin,
        stdout=stdout,
        stderr=subprocess.PIPE,
        cwd=cwd,
        timeout=timeout,
        text=True,
        check=False,
    )


class Case(unittest.TestCase):
    """A test with a folder of its own and the checks every call deserves."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def file(self, name, text):
        path = self.folder / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    def ends(self, code, *arguments, **options):
        """Runs, and compares the exit code; what a user sees on bad input has a fixed form."""
        done = run(*arguments, **options)
        told = f"\n$ tessera {' '.join(map(str, arguments))}\n{done.stdout}\n{done.stderr}"
        self.assertEqual(done.returncode, code, told)
        if code == BAD_INPUT:
            lines = done.stderr.splitlines()
            self.assertIn(len(lines), (1, 2), told)
            if len(lines) == 2:
                self.assertTrue(lines[1].startswith("  hint: "), told)
            self.assertFalse(done.stdout, told)
        return done
