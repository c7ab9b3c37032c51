#!/usr/bin/env python3
"""Compiles files one at a time without generating code: each must include what it uses.

    file_by_file.py COMPILE_COMMANDS.json [FILE...]      # all files without FILE

Builds compile the files of a folder together (cmake/TesseraUnity.cmake), which hides missing includes that
a neighbouring file has, and names that shadow others.
"""

import concurrent.futures
import json
import os
import pathlib
import shlex
import subprocess
import sys


def command_of(entry):
    words = shlex.split(entry["command"])
    while not pathlib.Path(words[0]).name.startswith(("c++", "g++", "clang")):
        words = words[1:]  # a compiler cache
    out = words.index("-o")
    return [*words[:out], *words[out + 2:], "-fsyntax-only"]


def main():
    entries = {pathlib.Path(e["file"]).resolve(): e for e in json.loads(pathlib.Path(sys.argv[1]).read_text())}
    wanted = [pathlib.Path(f).resolve() for f in sys.argv[2:]] or [f for f in entries if f.suffix == ".cpp"]
    wanted = [f for f in wanted if f in entries]

    def compile_one(file):
        entry = entries[file]
        done = subprocess.run(command_of(entry), cwd=entry["directory"], capture_output=True, text=True, check=False)
        return file, done.returncode, done.stderr

    failed = 0
    jobs = int(os.environ.get("TESSERA_JOBS") or os.cpu_count() or 1)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for file, code, text in pool.map(compile_one, wanted):
            if code != 0:
                failed += 1
                print(f"{file}: does not compile by itself\n{text}", file=sys.stderr)
    print(f"{len(wanted)} files compiled one at a time, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
