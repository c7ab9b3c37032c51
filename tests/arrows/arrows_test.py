#!/usr/bin/env python3
"""Tests the test: a sample with one of each mistake must be reported, line by line."""

import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import arrows

# file -> (text, the words each complaint must contain)
SAMPLE = {
    "model/a.h": ('#include "../planner/p.h"\n', ["model may not include planner"]),
    "model/b.cpp": ("#include <nlohmann/json.hpp>\n", ["nlohmann/json.hpp belongs to io"]),
    "io/c.cpp": ('#include "model/a.h"\n#include <yaml-cpp/yaml.h>\n#include <onnx/checker.h>\n', []),
    "search/d.cpp": ('#include "encoder/e.h"\n', ["search may not include encoder"]),
    "encoder/e.h": ('#include <cadical.hpp>\n  #  include "search/f.h"\n',
                    ["encoder may not include search"]),
    "search/f.h": ("#include <z3++.h>\n", ["z3++.h belongs to encoder"]),
    "planner/place.h": ('#include "model/units.h"\n#include "../io/x.h"\n',
                        ["not relative to itself", "which is not"]),
    "model/units.h": ("", []),
    "planner/p.h": ("", []),
    "io/x.h": ("", []),
    "cli/m.cpp": ('#include <CLI/CLI.hpp>\n#include "search/f.h"\n#include "nowhere.h"\n',
                  ["cli may not include search", "there is no file nowhere.h"]),
}


def main():
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder).resolve()
        for name, (text, _) in SAMPLE.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        count, wrong = arrows.broken_includes(root)
    failures = []
    if count != len(SAMPLE):
        failures.append(f"{count} files read, {len(SAMPLE)} expected")
    for name, (_, expected) in SAMPLE.items():
        found = [reason for file, _, reason in wrong if str(file) == name]
        if len(found) != len(expected):
            failures.append(f"{name}: {len(expected)} complaints expected, found {found}")
        for words in expected:
            if not any(words in reason for reason in found):
                failures.append(f"{name}: nothing says '{words}', found {found}")
    for line in failures:
        print(line)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
