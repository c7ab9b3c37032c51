#!/usr/bin/env python3
"""Runs the commands of docs/guide/gallery.md and compares each picture with the one in docs/pictures.

    tests/docs/gallery_test.py draw      # replaces the pictures; look at them before committing
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TESSERA = pathlib.Path(os.environ.get("TESSERA", ROOT / "build/release/cli/tessera")).resolve()
PICTURES = ROOT / "docs" / "pictures"
BLOCK = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def drawn(folder):
    """The pictures by name; a line of a block is a command."""
    shutil.copytree(ROOT / "examples", folder / "examples")
    environment = {**os.environ, "PATH": f"{TESSERA.parent}:{os.environ['PATH']}"}
    for block in BLOCK.findall((ROOT / "docs" / "guide" / "gallery.md").read_text()):
        done = subprocess.run(["bash", "-e", "-c", block], cwd=folder, env=environment, check=False,
                              stderr=subprocess.PIPE, text=True)
        if "this build of Tessera reads no ONNX" in done.stderr:
            raise unittest.SkipTest("this build of Tessera reads no ONNX")
        if done.returncode != 0:
            raise AssertionError(f"{block}\nended with {done.returncode}:\n{done.stderr}")
    return {path.name: path.read_text() for path in folder.glob("*.svg")}


class Gallery(unittest.TestCase):
    def test_pictures_are_what_the_program_draws(self):
        with tempfile.TemporaryDirectory() as folder:
            pictures = drawn(pathlib.Path(folder))
        self.assertGreaterEqual(len(pictures), 5)
        for name, text in pictures.items():
            there = PICTURES / name
            self.assertTrue(there.is_file() and text == there.read_text(),
                            f"docs/pictures/{name} is another picture: draw it with {__file__} draw")

    def test_every_picture_is_shown_by_a_page(self):
        shown = set()
        for page in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]:
            for name in re.findall(r"!\[[^\]]*\]\(([^)]*)\)", page.read_text()):
                self.assertTrue((page.parent / name).is_file(), f"{page.name} shows {name}")
                shown.add(pathlib.Path(name).name)
        self.assertEqual(shown, {path.name for path in PICTURES.iterdir()})


if __name__ == "__main__":
    if sys.argv[1:] == ["draw"]:
        PICTURES.mkdir(exist_ok=True)
        with tempfile.TemporaryDirectory() as scratch:
            for picture, svg in drawn(pathlib.Path(scratch)).items():
                (PICTURES / picture).write_text(svg)
    else:
        unittest.main()
