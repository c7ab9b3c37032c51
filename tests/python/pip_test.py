#!/usr/bin/env python3
"""pip installs the module into a virtual environment, from the build and without network; it works there
without the repository."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from support import BUILD, ROOT, skip

for module in ("venv", "ensurepip"):
    if subprocess.run([sys.executable, "-c", f"import {module}"], capture_output=True,
                      check=False).returncode != 0:
        skip(f"this Python has no {module} (Debian: python3-venv)")

PROGRAM = """
import pathlib, sys, tessera
here = pathlib.Path(tessera.__file__).resolve()
assert sys.prefix in str(here), here
assert (here.parent / "py.typed").exists() and (here.parent / "_tessera.pyi").exists()
assert "ethos-u55-256" in tessera.profiles()
assert tessera.load_profile("nvdla-like")["memories.cbuf.banks"] == 16
assert tessera.place([4, 8], [0, 1], [3, 2], capacity=12).status == "feasible"
for baseline in ("ilp", "cp"):
    try:
        assert tessera.place([4, 8], [0, 1], [3, 2], capacity=12, engine=baseline).engine == baseline
    except ValueError as error:
        assert "this build of Tessera has no" in str(error), error
print(tessera.__version__)
"""


class Pip(unittest.TestCase):
    def test_install(self):
        plain = {key: value for key, value in os.environ.items()
                 if key not in ("PYTHONPATH", "TESSERA_PROFILES")}
        with tempfile.TemporaryDirectory() as folder:
            made = pathlib.Path(folder) / "env"
            subprocess.run([sys.executable, "-m", "venv", "--system-site-packages", made], check=True,
                           env=plain, timeout=120)
            python = made / "bin/python"
            done = subprocess.run(
                [python, "-m", "pip", "install", "--no-build-isolation", "--no-index",
                 "--disable-pip-version-check", ROOT],
                env={**plain, "TESSERA_BUILD_DIR": str(BUILD)}, cwd=folder, check=False,
                capture_output=True, text=True, timeout=300)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            said = subprocess.run([python, "-c", PROGRAM], env=plain, cwd=folder, check=False,
                                  capture_output=True, text=True, timeout=60)
            self.assertEqual(said.returncode, 0, said.stderr)
            header = (ROOT / "include/tessera/version.h").read_text(encoding="utf-8")
            for number in said.stdout.strip().split("."):
                self.assertIn(f"= {number};", header)
            gone = subprocess.run([python, "-m", "pip", "uninstall", "-y", "tessera"], env=plain,
                                  check=False, capture_output=True, text=True, timeout=120)
            self.assertIn("Successfully uninstalled", gone.stdout)


if __name__ == "__main__":
    unittest.main()
