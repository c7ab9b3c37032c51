#!/usr/bin/env python3
"""Completion: through bash, and through fish if installed."""

import os
import pathlib
import shutil
import subprocess
import unittest

from support import EXAMPLES, FOUND, TESSERA, Case, run

NETWORK = EXAMPLES / "classifier.tflite"
OPS = ["conv/Relu", "depthwise", "sum", "pool", "logits", "softmax"]
# As readline does: splits the line at blanks and, for bash, at `=` and `:`.
ASK = """source <(tessera completion bash)
COMP_LINE=$1 COMP_POINT=${#1}
read -ra COMP_WORDS <<< "$1"
COMP_CWORD=$(( ${#COMP_WORDS[@]} - 1 ))
_tessera
printf '%s\\n' "${COMPREPLY[@]}"
"""


class Completion(Case):
    def shell(self, *command):
        folder = str(pathlib.Path(TESSERA).resolve().parent)
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, cwd=self.folder,
                              env={**os.environ, "PATH": folder + ":" + os.environ["PATH"],
                                   "HOME": str(self.folder)})
        self.assertEqual(done.stderr, "")
        return [line for line in done.stdout.splitlines() if line]

    def offers(self, line, *words):
        self.assertEqual(sorted(self.offered(line)), sorted(words), line)

    def offered(self, line):
        return self.shell("bash", "--norc", "-c", ASK, "ask", line)

    def setUp(self):
        super().setUp()
        shutil.copy(NETWORK, self.folder / "net.tflite")

    def test_commands_options_and_words(self):
        self.offers("tessera pl", "place", "plan")
        self.offers("tessera place --form", "--format")
        self.offers("tessera place --format ", "text", "json")
        self.offers("tessera place --format=j", "json")
        self.offers("tessera tile --weights r", "resident", "refetch")
        self.offers("tessera completion z", "zsh")
        self.offers("tessera plan n --limit peak_b", "peak_bandwidth=")
        self.offers("tessera place --color a", "auto", "always")
        self.assertIn("malloc", self.offered("tessera generate "))

    def test_engines_and_profiles(self):
        engines = self.offered("tessera place -e ")
        self.assertLessEqual({"auto", "sat", "canonical"}, set(engines))
        for line in ("tessera plan -p nv", "tessera plan --profile nv", "tessera place in.csv --profile=nv",
                     "tessera profiles nv", "tessera plan --reference nv"):
            self.offers(line, "nvdla-like")

    def test_keys_of_the_profile_on_the_line(self):
        self.offers("tessera plan net.onnx -p ethos-u55-256 --set memories.sram.cap", "memories.sram.capacity=")
        self.assertNotIn("memories.sram.capacity=", self.offered("tessera plan net.onnx --set memories.sram.cap"))

    def test_ops_of_the_network_on_the_line(self):
        tile = "tessera tile net.tflite -p ethos-u55-256 --ops "
        self.offers(tile, "0:5", *OPS)
        self.offers(tile + "d", "depthwise")
        # bash splits the word at the colon: the part after it is completed.
        self.offers(tile + "depthwise:", *OPS[1:])
        self.offers(tile + "3:", "3", "4", "5")
        self.offers(tile + "4", "4:")
        # No ops of another network, and no error message.
        self.assertNotIn("depthwise", self.offered("tessera tile none.tflite --ops "))
        self.file("bad.yaml", "tessera: network/1\nops: 3\n")
        self.assertNotIn("depthwise", self.offered("tessera tile bad.yaml --ops "))

    def test_files_elsewhere(self):
        self.offers("tessera place ne", "net.tflite")
        self.offers("tessera plan net.tflite -o ne", "net.tflite")

    def test_the_program_never_complains(self):
        for words in (("nothing", ""), ("ops", "", "tessera", "tile", "absent.onnx"), ("keys", "", "tessera", "plan",
                                                                                      "-p", "absent")):
            done = run("__complete", *words, cwd=self.folder)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (FOUND, "", ""))

    @unittest.skipUnless(shutil.which("fish"), "no fish")
    def test_fish(self):
        def offered(line):
            lines = self.shell("fish", "-c", f"tessera completion fish | source; complete -C '{line}'")
            return {each.split("\t")[0] for each in lines}

        self.assertEqual(offered("tessera place --format "), {"text", "json"})
        self.assertEqual(offered("tessera plan -p nv"), {"nvdla-like"})
        self.assertEqual(offered("tessera tile net.tflite --ops 3:"), {"3:3", "3:4", "3:5"})

    @unittest.skipUnless(shutil.which("zsh"), "no zsh")
    def test_zsh_reads_it(self):
        script = self.folder / "_tessera"
        script.write_text(run("completion", "zsh").stdout)
        self.assertEqual(self.shell("zsh", "-f", "-n", str(script)), [])
        asked = ("autoload -Uz compinit; compinit -u -D; source $1; _files() { }; compadd() { shift; print -l -- $@ }; "
                 "tessera_line=(tessera tile net.tflite --ops); PREFIX=3:; _tessera_asked ops")
        self.assertEqual(self.shell("zsh", "-f", "-c", asked, "ask", str(script)), ["3:3", "3:4", "3:5"])


if __name__ == "__main__":
    unittest.main()
