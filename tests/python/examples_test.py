#!/usr/bin/env python3
"""The examples of every docstring, of docs/python.md and of README.md are run; so are examples/*.py."""

import doctest
import importlib.util
import os
import re
import subprocess
import sys
import tempfile
import unittest

from support import ROOT
import tessera
import tessera.builder

PAGES = [ROOT / "docs/python.md", ROOT / "README.md"]
FENCED = re.compile(r"(^<!-- not run: .* -->\n)?^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


# What a program needs beside this package, and how it is run to be quick.
PROGRAMS = {"optuna_search.py": ("optuna", ["--trials", "4"])}


def absolute_path():
    """The environment, with folders of Python that hold in any folder."""
    folders = [os.path.abspath(each) for each in os.environ.get("PYTHONPATH", "").split(os.pathsep) if each]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(folders)}


def docstrings():
    """(name, text) of everything public that has one."""
    found = [("tessera", tessera.__doc__), ("tessera.builder", tessera.builder.__doc__)]
    for name in tessera.__all__:
        thing = getattr(tessera, name)
        found.append((name, getattr(thing, "__doc__", None)))
        if isinstance(thing, type):
            found += [(f"{name}.{each}", getattr(thing, each).__doc__)
                      for each in vars(thing) if not each.startswith("_")]
    return [(name, text) for name, text in found if isinstance(text, str)]


class Examples(unittest.TestCase):
    def run_examples(self, name, text):
        world = {each: getattr(tessera, each) for each in tessera.__all__}
        test = doctest.DocTestParser().get_doctest(text, {**world, "tessera": tessera}, name, name, 0)
        said = []
        runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
        runner.run(test, out=said.append)
        self.assertEqual(runner.summarize(verbose=False).failed, 0, "".join(said))
        return len(test.examples)

    def test_docstrings(self):
        count = 0
        for name, text in docstrings():
            with self.subTest(name):
                count += self.run_examples(name, text)
        self.assertGreater(count, 20)

    def test_everything_public_says_what_it_is(self):
        for name in tessera.__all__:
            thing = getattr(tessera, name)
            if callable(thing):
                self.assertTrue(thing.__doc__, name)

    def test_pages(self):
        for page in PAGES:
            if not page.exists():
                continue
            with tempfile.TemporaryDirectory() as folder, self.subTest(page.name):
                before = os.getcwd()
                os.symlink(ROOT / "examples", os.path.join(folder, "examples"))
                os.chdir(folder)
                try:
                    found = FENCED.findall(page.read_text(encoding="utf-8"))
                    blocks = [block for mark, block in found if not mark]
                    plain = [each for each in blocks if ">>>" not in each]
                    self.run_examples(page.name, "\n".join(e for e in blocks if ">>>" in e))
                    world = {}
                    for each in plain:
                        exec(compile(each, page.name, "exec"), world)  # pylint: disable=exec-used
                finally:
                    os.chdir(before)

    def test_programs(self):
        for program in sorted((ROOT / "examples").glob("*.py")):
            needs, arguments = PROGRAMS.get(program.name, (None, []))
            if needs and importlib.util.find_spec(needs) is None:
                print(f"{needs} is not installed: {program.name} is not run")
                continue
            with self.subTest(program.name), tempfile.TemporaryDirectory() as folder:
                done = subprocess.run([sys.executable, str(program), *arguments], capture_output=True, text=True,
                                      check=False, timeout=300, cwd=folder, env=absolute_path())
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertTrue(done.stdout)


if __name__ == "__main__":
    unittest.main()
