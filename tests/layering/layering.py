#!/usr/bin/env python3
"""Checks every #include line: a module includes only modules below it.

    python3 tests/layering/layering.py [ROOT]

Four rules. A module includes only modules below it (MODULES says which). A third-party header is included
only by its module (THIRD_PARTY). A module declares its names in the namespace of its own name; `tessera`
itself contains only model/ and the names of the public API (wrong_namespaces). The headers of
include/tessera/ are the public API: each belongs to a module (API_MODULES) and counts as a header of that
module. They are installed, so they include only each other, by relative path. Prints one line per broken
rule; exit 1 if there is one.
"""

import pathlib
import re
import sys

# Module -> the other modules it may include.
MODULES = {
    "model": set(),
    "facts": {"model"},
    "engine": {"model", "facts"},
    "io": {"model"},
    "proof": {"model"},
    "encoder": {"model", "facts", "engine"},
    "baselines": {"model", "facts", "engine"},
    "tiling": {"model", "facts"},
    "cost": {"model", "facts", "tiling"},
    "search": {"model", "facts", "engine", "tiling", "cost"},
    "validation": {"model", "io"},
    "placer": {"model", "facts", "engine", "search", "encoder", "baselines", "proof", "tiling", "cost",
               "io", "validation"},
    "planner": {"model", "facts", "engine", "search", "tiling", "cost", "io", "validation", "placer"},
    "commands": {"planner", "validation", "cost", "tiling", "io", "facts", "model"},
    "explorer": {"commands", "planner", "placer", "validation", "cost", "io", "model"},
    "c_api": {"placer", "validation", "model"},
    "cli": {"explorer", "commands", "planner", "placer", "validation", "model"},
    "python": {"explorer", "planner", "placer", "validation", "model"},
}
# The public API, and the module of each of its headers. Every header in the folder is installed and has to be
# in one of these sets.
API = pathlib.PurePath("include/tessera")
C_API = pathlib.PurePath("include/tessera_c.h")
API_MODULES = {
    "model": {"api", "check", "claim", "effort", "errors", "graph", "hardware", "hardware_check", "input", "names",
              "network", "network_plan", "network_shapes", "network_stats", "placement", "plan_scope", "problem",
              "rules", "silicon", "tile_graph", "units", "validate"},
    "validation": {"files", "generate", "import", "limits", "profile", "version"},
    "placer": {"check_result", "code_rules", "engines", "explain", "export", "order", "place", "report", "schedule", "session",
               "switches",
               "tile"},
    "planner": {"batch", "pinnable", "plan"},
    "commands": {"commands"},
    "explorer": {"explore", "tessera"},
}
EVERYTHING = API / "tessera.h"  # includes every other header of the public API

# Prefix of an include -> modules that may contain it.
THIRD_PARTY = {
    "yaml-cpp/": {"io"},
    "nlohmann/": {"io"},
    "onnx/": {"io"},
    "google/protobuf/": {"io"},
    "cadical": {"encoder"},
    "z3": {"encoder"},
    "coin/": {"baselines"},
    "gecode/": {"baselines"},
    "sqlite3": {"explorer"},
    "CLI/": {"cli"},
    "CLI11": {"cli"},
    "gtest/": set(),
    "gmock/": set(),
    "benchmark/": set(),
    "pybind11/": {"python"},
}

# Modules whose namespace is not their name: model/ has the common vocabulary, c_api/ is C.
IN_TESSERA = {"model", "c_api"}
OPENS = re.compile(r"(?:inline )?namespace\b\s*([\w:]*)\s*\{")
CLOSES = re.compile(r"\}\s*// namespace")
FORWARD = re.compile(r"(?:class|struct|enum class) \w+;$")
# Declarations in lines without indentation; captures the first declared name.
DECLARES = re.compile(r"(?:(?:struct|class|enum class|enum|using|concept)\s+|.*?)\b([A-Za-z_]\w*)"
                      r"(?:::~?\w+)*(?:\s+final)?\s*(?:[({=;\[]|:(?!:)|$)")

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def is_public(path):
    return path.parent == API or path == C_API


def module_of(path):
    """The module a path below the root belongs to, or None."""
    if path == C_API:
        return "c_api"
    if is_public(path):
        return next((module for module, stems in API_MODULES.items() if path.stem in stems), None)
    return path.parts[0] if path.parts and path.parts[0] in MODULES else None


def target_of(root, file, name):
    """Path below the root of a quoted include, or None for a file outside."""
    for candidate in ((root / file).parent / name, root / name, root / "include" / name):
        try:
            path = pathlib.Path(candidate.resolve()).relative_to(root)
        except ValueError:
            continue
        if candidate.is_file():
            return path
    return None


def sources(root):
    """Every source file of a module or of the public API, as a path below the root."""
    return [
        path.relative_to(root)
        for folder in [*sorted(MODULES), API.parts[0]]
        for path in sorted((root / folder).rglob("*"))
        if path.suffix in (".h", ".hpp", ".cpp") and path.is_file()
    ]


def include_lines(root, file):
    """[(line number, bracket, name)] of a file."""
    text = (root / file).read_text(encoding="utf-8", errors="replace")
    matches = ((number, INCLUDE.match(line)) for number, line in enumerate(text.splitlines(), start=1))
    return [(number, *match.groups()) for number, match in matches if match]


def wrong_module(root, file, bracket, name):
    """The reasons why this file may not include `name`, at most one per rule."""
    module, reasons = module_of(file), []
    for start, allowed in THIRD_PARTY.items():
        if name.startswith(start) and module not in allowed:
            homes = " and ".join(sorted(allowed)) or "tests and benchmarks"
            reasons.append(f"{name} belongs to {homes}, not to {module}")
    if bracket == "<":
        if name.startswith("tessera/"):
            reasons.append(f"<{name}> is for users: \"{name}\" here")
        return reasons
    target = target_of(root, file, name)
    if target is None:
        if not any(name.startswith(start) for start in THIRD_PARTY):
            reasons.append(f"there is no file {name}")
        return reasons
    other = module_of(target)
    if other is None:
        reasons.append(f"{module} includes {target}, which is in no module")
    elif other != module and other not in MODULES[module]:
        reasons.append(f"{module} may not include {other} ({name})")
    if is_public(file) and not is_public(target):
        reasons.append(f"an installed header includes {name}, which is not")
    elif is_public(file) and not ((root / file).parent / name).is_file():
        reasons.append(f"an installed header includes {name} not relative to itself")
    return reasons


def wrong_api(root):
    """Errors of the public API as a whole, as (file, line number, reason)."""
    there = {path.stem for path in (root / API).rglob("*") if path.is_file()}
    wrong = [(API / f"{name}.h", 0, "is in layering.py, and there is no such file")
             for name in sorted(set().union(*API_MODULES.values()) - there)]
    if (root / EVERYTHING).is_file():
        included = {pathlib.PurePath(name).stem for _, _, name in include_lines(root, EVERYTHING)}
        wrong += [(EVERYTHING, 0, f"does not include {name}.h")
                  for name in sorted(there - included - {EVERYTHING.stem})]
    return wrong


def broken_includes(root):
    """Every wrong include below root, as (file, line number, reason)."""
    wrong = []
    files = sources(root)
    for file in files:
        if module_of(file) is None:
            wrong.append((file, 0, "is installed, and no list in layering.py names its module"))
            continue
        for number, bracket, name in include_lines(root, file):
            wrong += [(file, number, reason) for reason in wrong_module(root, file, bracket, name)]
    return len(files), wrong


def api_names(root):
    """Every word in the code of the public API and of model/: the names that `tessera` may define."""
    headers = [*(root / API).glob("*.h"), *(root / "model").rglob("*.h")]
    code = [re.sub(r"//.*", "", path.read_text(encoding="utf-8")) for path in headers]
    return {word for text in code for word in re.findall(r"\w+", text)}


def opened_at_margin(text):
    """[(line number, line, enclosing namespaces)] of lines without indentation. Assumes the formatting of
    this repository: contents of namespaces are not indented."""
    spaces, deeper, found = [], False, []
    for number, line in enumerate(text.splitlines(), start=1):
        opened = OPENS.match(line)
        if CLOSES.match(line) or (line == "}" and not deeper):
            spaces = spaces[:-1]
        elif opened:
            spaces = [*spaces, opened[1]]
            found.append((number, line, spaces))
            if "}" in line:
                spaces = spaces[:-1]
        else:
            if line[:1].isalpha():
                found.append((number, line, spaces))
            deeper = line.endswith("{") or (deeper and not line.startswith("}"))
    return found


def wrong_in_file(text, module, names):
    """[(line number, reason)]: declarations outside the namespace of their module."""
    own, wrong = f"tessera::{module}", []
    for number, line, spaces in opened_at_margin(text):
        where = "::".join(name for name in spaces if name)
        if where == own or where.startswith(own + "::") or not where.startswith("tessera"):
            continue
        declared = DECLARES.match(line)
        name = declared[1] if declared else line
        if OPENS.match(line):
            if where == "tessera" and spaces[-1] == "":
                wrong.append((number, f"an unnamed namespace belongs into {own}"))
        elif where == "tessera" and (name in names or "" in spaces or line.startswith("template")):
            continue  # an unnamed namespace is reported already, and a template is named in the next line
        elif not FORWARD.match(line):
            wrong.append((number, f"{name} belongs into {own}, not into {where}"))
    return wrong


def wrong_namespaces(root):
    """Declarations outside the namespace of their module, as (file, line number, reason)."""
    names = api_names(root)
    return [(file, number, reason)
            for file in sources(root)
            if not is_public(file) and (module := module_of(file)) not in IN_TESSERA
            for number, reason in wrong_in_file((root / file).read_text(encoding="utf-8"), module, names)]


def main():
    default = pathlib.Path(__file__).resolve().parents[2]
    root = pathlib.Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else default
    count, wrong = broken_includes(root)
    wrong += wrong_api(root) + wrong_namespaces(root)
    for file, number, reason in wrong:
        print(f"{file}:{number}: {reason}")
    if count == 0:
        print(f"{root}: no source file found")
        return 1
    print(f"{count} files, {len(wrong)} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
