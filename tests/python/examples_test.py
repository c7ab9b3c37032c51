#!/usr/bin/env python3
"""The examples of every docstring, of README.md, of docs/**/*.md and examples/*.py are run."""

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

PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
# A mark is one line: `.` would run from the first mark of a page to its last.
FENCED = re.compile(r"(^<!-- not run: [^\n]* -->\n)?^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FENCE = re.compile(r"^\s*```\s*python", re.MULTILINE)
# Fewer examples than these are not all there are: what was lost is looked for.
LEAST = {"README.md": 5, "docs/guide/search-loop.md": 8, "docs/reference/python.md": 26}


# Additional package of a program, and its arguments for a quick run.
PROGRAMS = {"optuna_search.py": ("optuna", ["--trials", "4"])}


def absolute_path():
    """The environment, with absolute folders in PYTHONPATH."""
    folders = [os.path.abspath(each) for each in os.environ.get("PYTHONPATH", "").split(os.pathsep) if each]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(folders)}


def docstrings():
    """(name, text) of every public object with a docstring."""
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

    def run_page(self, page):
        """Number of examples run on the page: doctest prompts, and blocks without prompts."""
        text = page.read_text(encoding="utf-8")
        found = FENCED.findall(text)
        self.assertEqual(len(found), len(FENCE.findall(text)), "a block is not seen")
        blocks = [block for mark, block in found if not mark]
        shown = [each for each in blocks if ">>>" in each]
        plain = [each for each in blocks if ">>>" not in each]
        count = self.run_examples(page.name, "\n".join(shown))
        self.assertEqual(count, sum(len(re.findall(r"^>>> ", each, re.MULTILINE)) for each in shown))
        world = {}
        for each in plain:
            exec(compile(each, page.name, "exec"), world)  # pylint: disable=exec-used
        return count + len(plain)

    def test_pages(self):
        ran = {}
        for page in PAGES:
            name = page.relative_to(ROOT).as_posix()
            with tempfile.TemporaryDirectory() as folder, self.subTest(name):
                before = os.getcwd()
                os.symlink(ROOT / "examples", os.path.join(folder, "examples"))
                os.chdir(folder)
                try:
                    ran[name] = self.run_page(page)
                finally:
                    os.chdir(before)
        for name, least in LEAST.items():
            with self.subTest(name):
                self.assertGreaterEqual(ran.get(name, 0), least)

    def test_a_mark_leaves_out_one_block(self):
        page = "<!-- not run: a -->\n```python\n1\n```\n\n```python\n2\n```\n<!-- not run: b -->\n```python\n3\n```\n"
        self.assertEqual([(bool(mark), block) for mark, block in FENCED.findall(page)],
                         [(True, "1\n"), (False, "2\n"), (True, "3\n")])

    def test_programs(self):
        for program in sorted((ROOT / "examples").glob("*.py")):
            if program.name == "codegen.py":  # commands_test.py runs it
                continue
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
