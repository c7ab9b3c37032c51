#!/usr/bin/env python3
"""mypy --strict on a program that uses the module, on the package, and on a program with errors; and a
comparison of the stubs with the extension."""

import importlib.util
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

from support import ROOT, skip

if importlib.util.find_spec("mypy") is None:
    skip("this Python has no mypy (Debian: mypy)")

RIGHT = '''
import numpy as np
import tessera

sizes = np.array([4, 8, 4])
p = tessera.place(sizes, [0, 1, 2], np.array([2, 2, 4], dtype=np.int32), capacity="1 KiB", timeout=10)
if p.offsets is not None:
    total: int = int(p.offsets.sum())
status: str = p.status
s = tessera.Session(sizes, [0, 1, 2], [2, 2, 4], capacity=1 << 20)
seconds: float = s.solve(sizes).seconds
b = tessera.NetworkBuilder("toy", dtype="int8")
x = b.conv(b.input((1, 3, 8, 8)), 8, kernel=(3, 3), activation="relu")
hw = tessera.load_profile("ethos-u55-256")
hw["memories.sram.capacity"] = "256 KiB"
made = tessera.plan(b.build(x), hw, timeout=5, progress=lambda now: print(now.best_score))
cycles: float = made.totals["latency_cycles"]
def fewest(sweep: str) -> int:
    found = tessera.explore(sweep, "out").modes
    return 0 if found is None else len(found["sets"][0]["needed"])
try:
    tessera.load_network("none.onnx", dtype="int8")
except tessera.BadInput as wrong:
    hint: str = wrong.hint
'''
WRONG = '''
import tessera

tessera.place([4], [0], [1], capacty=12)
tessera.place([4], [0], [1]).offset
tessera.load_profile(5)
tessera.NetworkBuilder().conv("x", 8)
'''


def mypy(*arguments):
    # Through the sources: mypy ignores folders of PYTHONPATH for packages with stubs.
    return subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--no-incremental", "--cache-dir", os.devnull,
         *map(str, arguments)],
        capture_output=True, text=True, check=False, timeout=300,
        env={**os.environ, "MYPYPATH": str(ROOT / "python")})


class Types(unittest.TestCase):
    def checked(self, text):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "program.py"
            path.write_text(text, encoding="utf-8")
            return mypy(path)

    def test_a_program_that_is_right(self):
        done = self.checked(RIGHT)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_every_mistake_is_seen(self):
        done = self.checked(WRONG)
        for line in (4, 5, 6, 7):
            self.assertIn(f"program.py:{line}: error", done.stdout)

    def test_the_package_itself(self):
        done = mypy("-p", "tessera")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_the_stubs_say_what_there_is(self):
        import tessera
        from tessera import _tessera
        stub = (ROOT / "python/tessera/_tessera.pyi").read_text(encoding="utf-8")
        for name in tessera.__all__:
            thing = getattr(tessera, name)
            if hasattr(_tessera, name) and isinstance(thing, type):
                body = re.split(rf"\nclass {name}\b", stub)[1].split("\nclass ", 1)[0].split("\ndef ")[0]
                for member in vars(thing):
                    if not member.startswith("_"):
                        self.assertIn(f"def {member}(" if name != "BadInput" else member, body,
                                      f"{name}.{member}")
                        self.assertTrue(getattr(thing, member).__doc__ is not None)
            elif hasattr(_tessera, name) and callable(thing):
                self.assertIn(f"\ndef {name}(", stub)
        # The stubs name no members that the extension lacks.
        current = None
        for line in stub.splitlines():
            if line.startswith("class "):
                current = line.split()[1].split("(")[0].rstrip(":")
            elif line.startswith("    def ") and current is not None and current != "_Model":
                member = line.strip()[4:].split("(")[0]
                self.assertTrue(hasattr(getattr(_tessera, current), member), f"{current}.{member}")


if __name__ == "__main__":
    unittest.main()
