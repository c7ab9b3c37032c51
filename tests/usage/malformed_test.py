#!/usr/bin/env python3
"""Every file below malformed/ is bad input: exit 2, its name and line on stderr, nothing written.

A line `# expect: WORDS` (or, where the format has no comments, a file NAME.expect beside it) says
what the message must contain.
"""

import pathlib
import re
import unittest

from support import BAD_INPUT, Case

CORPUS = pathlib.Path(__file__).resolve().parent / "malformed"


class Malformed(Case):
    def test_every_file(self):
        files = sorted(p for p in CORPUS.rglob("*")
                       if p.is_file() and p.suffix not in (".expect", ".md", ".txt", ".py"))
        if not files:
            self.skipTest(f"{CORPUS} is empty")
        for path in files:
            with self.subTest(file=path.name):
                out = self.folder / "out.json"
                done = self.ends(BAD_INPUT, "place", path, "--minimize", "-o", out, "--timeout", "5s")
                self.assertFalse(out.exists())
                first = done.stderr.splitlines()[0]
                self.assertRegex(first, re.escape(str(path)) + r":(\d+: )? ?.")
                expect = path.with_name(path.name + ".expect")
                if expect.exists():
                    for words in expect.read_text(encoding="utf-8").splitlines():
                        self.assertIn(words, done.stderr)


if __name__ == "__main__":
    unittest.main()
