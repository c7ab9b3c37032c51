#!/usr/bin/env python3
"""Checks that type names are unique: if two modules define a struct of one name in one namespace, the linker
uses the destructor of either for both, and a build without optimisation crashes.

    names.py [ROOT]

Assumes the formatting of this repository: definitions and namespaces begin without indentation. Names in
anonymous namespaces and inside other types are local to their file.
"""

import collections
import pathlib
import re
import sys

from layering import sources

OPENS = re.compile(r"(?:inline )?namespace\s*([\w:]*)\s*\{")
CLOSES = re.compile(r"\}\s*// namespace")
DEFINES = re.compile(r"(?:struct|class|enum class|enum)\s+(?:[A-Z_]+\s+)?(\w+)(?:\s+final)?\s*(?::[^:].*)?\{")


def definitions(text):
    """[(line number, qualified name)] of the types visible to other files."""
    spaces, found = [], []
    for number, line in enumerate(text.splitlines(), start=1):
        if opened := OPENS.match(line):
            spaces.append(opened[1])
        elif CLOSES.match(line):
            spaces = spaces[:-1]
        elif (defined := DEFINES.match(line)) and "" not in spaces:
            found.append((number, "::".join([*spaces, defined[1]])))
    return found


def twice(root):
    """Every name with several definitions, and their places."""
    places = collections.defaultdict(list)
    for file in sources(root):
        text = (root / file).read_text(encoding="utf-8", errors="replace")
        for number, name in definitions(text):
            places[name].append(f"{file}:{number}")
    return len(places), {name: where for name, where in places.items() if len(where) > 1}


def main():
    default = pathlib.Path(__file__).resolve().parents[2]
    count, wrong = twice(pathlib.Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else default)
    for name, where in sorted(wrong.items()):
        print(f"{where[0]}: {name} is defined again: {', '.join(where[1:])}")
    print(f"{count} types, {len(wrong)} names of more than one")
    return 1 if wrong or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
