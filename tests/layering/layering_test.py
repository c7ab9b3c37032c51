#!/usr/bin/env python3
"""Tests layering.py: a sample with one of each error must be reported, line by line."""

import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import layering

# file -> (text, words that each message must contain)
SAMPLE = {
    "model/a.h": ('#include "../planner/p.h"\n', ["model may not include planner"]),
    "model/b.cpp": ('#include <nlohmann/json.hpp>\n#include "tessera/units.h"\n',
                    ["nlohmann/json.hpp belongs to io"]),
    "io/c.cpp": ('#include "model/a.h"\n#include <yaml-cpp/yaml.h>\n#include <onnx/checker.h>\n'
                 '#include "tessera/units.h"\n', []),
    "io/x.h": ('#include "tessera/place.h"\n#include <tessera/units.h>\n',
               ["io may not include placer", "is for users"]),
    "search/d.cpp": ('#include "encoder/e.h"\n', ["search may not include encoder"]),
    "encoder/e.h": ('#include <cadical.hpp>\n  #  include "search/f.h"\n',
                    ["encoder may not include search"]),
    "search/f.h": ("#include <z3++.h>\n", ["z3++.h belongs to encoder"]),
    "include/tessera/place.h": ('#include "tessera/units.h"\n#include "../../io/x.h"\n'
                                '#include "units.h"\n// hidden\nAnswer place(int);\n',
                                ["not relative to itself", "which is not"]),
    "include/tessera/units.h": ('#include "place.h"\n', ["model may not include placer"]),
    "include/tessera/unheard.h": ("", ["no list in layering.py names its module"]),
    "include/tessera/tessera.h": ('#include "place.h"\n#include "unheard.h"\n',
                                  ["which is in no module"]),
    "planner/p.h": ('#include "tessera/place.h"\n#include "tessera/units.h"\n', []),
    "search/n.h": ("namespace tessera::search {\nstruct Own {\n  int n;\n};\n}  // namespace tessera::search\n"
                   "namespace tessera::facts {\nstruct Known;\nstruct Other {};\n}  // namespace tessera::facts\n",
                   ["Other belongs into tessera::search, not into tessera::facts"]),
    "search/n.cpp": ("namespace tessera {\nnamespace {\nint helper() {\n  return 1;\n}\n}  // namespace\n"
                     "Answer place(int n) {\n  return n;\n}\nstd::vector<int> hidden() {\n  return {};\n}\n"
                     "}  // namespace tessera\n",
                     ["an unnamed namespace belongs into tessera::search",
                      "hidden belongs into tessera::search, not into tessera"]),
    "search/short.cpp": ("namespace tessera::search::deep {\nnamespace fields {\nenum : int { one };\n}\n"
                         "int own();\n}  // namespace tessera::search::deep\n", []),
    "model/n.cpp": ("namespace tessera {\nint hidden();\n}  // namespace tessera\n", []),
    "cli/m.cpp": ('#include <CLI/CLI.hpp>\n#include "search/f.h"\n#include "nowhere.h"\n',
                  ["cli may not include search", "there is no file nowhere.h"]),
}


def wrong_files(wrong):
    """Unexpected and missing messages for SAMPLE."""
    failures = []
    for name, (_, expected) in SAMPLE.items():
        found = [reason for file, _, reason in wrong if str(file) == name]
        if len(found) != len(expected):
            failures.append(f"{name}: {len(expected)} complaints expected, found {found}")
        for words in expected:
            if not any(words in reason for reason in found):
                failures.append(f"{name}: nothing says '{words}', found {found}")
    return failures


def wrong_apis(wrong):
    """The lists are checked against the folder, and tessera.h against the lists."""
    found = {(str(file), reason) for file, _, reason in wrong}
    missing = {("include/tessera/tessera.h", "does not include units.h"),
               ("include/tessera/tile.h", "is in layering.py, and there is no such file")} - found
    no_fault = {("include/tessera/tessera.h", "does not include place.h"),
                ("include/tessera/units.h", "is in layering.py, and there is no such file")} & found
    return [f"not found: {each}" for each in missing] + [f"no fault: {each}" for each in no_fault]


def main():
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder).resolve()
        for name, (text, _) in SAMPLE.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        count, wrong = layering.broken_includes(root)
        failures = wrong_files(wrong + layering.wrong_namespaces(root)) + wrong_apis(layering.wrong_api(root))
    if count != len(SAMPLE):
        failures.append(f"{count} files read, {len(SAMPLE)} expected")
    for line in failures:
        print(line)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
