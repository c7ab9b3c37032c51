#!/usr/bin/env python3
"""Reads every #include line and fails when an arrow runs the wrong way.

    python3 tests/arrows/arrows.py [ROOT]

Four rules. A room includes only rooms below it (ROOMS says which). A third-party header stays in
the room it belongs to (THIRD_PARTY). What a room declares stands in the namespace of its name; in
`tessera` itself are only model/ and what the public door declares (wrong_namespaces). The headers
of include/tessera/ are the public door: each belongs to a room (DOOR_ROOMS), and counts as that
room's wherever it is included; they are installed, so they include one another alone, by relative
path.
Prints one line per broken rule; exit 1 if there is one.
"""

import pathlib
import re
import sys

# Room -> the rooms it may include besides itself.
ROOMS = {
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
    "porter": {"model", "io"},
    "placer": {"model", "facts", "engine", "search", "encoder", "baselines", "proof", "tiling", "cost",
               "io", "porter"},
    "planner": {"model", "facts", "engine", "search", "tiling", "cost", "io", "porter", "placer"},
    "explorer": {"planner", "placer", "porter", "cost", "io", "model"},
    "c_api": {"placer", "porter", "model"},
    "cli": {"explorer", "planner", "placer", "porter", "model"},
    "python": {"explorer", "planner", "placer", "porter", "model"},
}
# The public door, and the room that each of its headers belongs to. What stands in the folder is
# installed, and has to stand in one of these sets.
DOOR = pathlib.PurePath("include/tessera")
C_DOOR = pathlib.PurePath("include/tessera_c.h")
DOOR_ROOMS = {
    "model": {"api", "check", "claim", "effort", "errors", "hardware", "hardware_check", "input", "names",
              "network", "network_plan", "network_shapes", "network_stats", "placement", "problem",
              "silicon", "units", "validate"},
    "porter": {"files", "generate", "import", "limits", "profile", "version"},
    "placer": {"check_result", "engines", "explain", "export", "place", "report", "session", "switches",
               "tile"},
    "planner": {"batch", "pinnable", "plan"},
    "explorer": {"explore", "tessera"},
}
EVERYTHING = DOOR / "tessera.h"  # includes every other header of the door

# Start of an include -> the rooms where it may stand.
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

# Rooms whose namespace is not their name: model/ is the vocabulary of all, c_api/ is C.
IN_TESSERA = {"model", "c_api"}
OPENS = re.compile(r"(?:inline )?namespace\b\s*([\w:]*)\s*\{")
CLOSES = re.compile(r"\}\s*// namespace")
FORWARD = re.compile(r"(?:class|struct|enum class) \w+;$")
# What may be declared by a line that begins at the margin, and the first name of what it declares.
DECLARES = re.compile(r"(?:(?:struct|class|enum class|enum|using|concept)\s+|.*?)\b([A-Za-z_]\w*)"
                      r"(?:::~?\w+)*(?:\s+final)?\s*(?:[({=;\[]|:(?!:)|$)")

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def is_public(path):
    return path.parent == DOOR or path == C_DOOR


def room_of(path):
    """The room a path below the root belongs to, or None."""
    if path == C_DOOR:
        return "c_api"
    if is_public(path):
        return next((room for room, stems in DOOR_ROOMS.items() if path.stem in stems), None)
    return path.parts[0] if path.parts and path.parts[0] in ROOMS else None


def target_of(root, file, name):
    """The path below the root that a quoted include means, or None for a file outside it."""
    for candidate in ((root / file).parent / name, root / name, root / "include" / name):
        try:
            path = pathlib.Path(candidate.resolve()).relative_to(root)
        except ValueError:
            continue
        if candidate.is_file():
            return path
    return None


def sources(root):
    """Every source file of a room or of the door, as a path below the root."""
    return [
        path.relative_to(root)
        for folder in [*sorted(ROOMS), DOOR.parts[0]]
        for path in sorted((root / folder).rglob("*"))
        if path.suffix in (".h", ".hpp", ".cpp") and path.is_file()
    ]


def include_lines(root, file):
    """[(line number, bracket, name)] of a file."""
    text = (root / file).read_text(encoding="utf-8", errors="replace")
    matches = ((number, INCLUDE.match(line)) for number, line in enumerate(text.splitlines(), start=1))
    return [(number, *match.groups()) for number, match in matches if match]


def wrong_room(root, file, bracket, name):
    """The reasons why this file may not include that, one or none for each rule."""
    room, reasons = room_of(file), []
    for start, allowed in THIRD_PARTY.items():
        if name.startswith(start) and room not in allowed:
            homes = " and ".join(sorted(allowed)) or "tests and benchmarks"
            reasons.append(f"{name} belongs to {homes}, not to {room}")
    if bracket == "<":
        if name.startswith("tessera/"):
            reasons.append(f"<{name}> is for users: \"{name}\" here")
        return reasons
    target = target_of(root, file, name)
    if target is None:
        if not any(name.startswith(start) for start in THIRD_PARTY):
            reasons.append(f"there is no file {name}")
        return reasons
    other = room_of(target)
    if other is None:
        reasons.append(f"{room} includes {target}, which is in no room")
    elif other != room and other not in ROOMS[room]:
        reasons.append(f"{room} may not include {other} ({name})")
    if is_public(file) and not is_public(target):
        reasons.append(f"an installed header includes {name}, which is not")
    elif is_public(file) and not ((root / file).parent / name).is_file():
        reasons.append(f"an installed header includes {name} not relative to itself")
    return reasons


def wrong_door(root):
    """What is wrong with the door as a whole, as (file, line number, reason)."""
    there = {path.stem for path in (root / DOOR).rglob("*") if path.is_file()}
    wrong = [(DOOR / f"{name}.h", 0, "is in arrows.py, and there is no such file")
             for name in sorted(set().union(*DOOR_ROOMS.values()) - there)]
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
        if room_of(file) is None:
            wrong.append((file, 0, "is installed, and no list in arrows.py names its room"))
            continue
        for number, bracket, name in include_lines(root, file):
            wrong += [(file, number, reason) for reason in wrong_room(root, file, bracket, name)]
    return len(files), wrong


def door_names(root):
    """Every word of the code of the door and of model/: what may be defined in `tessera`."""
    headers = [*(root / DOOR).glob("*.h"), *(root / "model").rglob("*.h")]
    code = [re.sub(r"//.*", "", path.read_text(encoding="utf-8")) for path in headers]
    return {word for text in code for word in re.findall(r"\w+", text)}


def opened_at_margin(text):
    """[(line number, line, the namespaces around it)] of the lines that begin at the margin, read as
    they are formatted here: what a namespace contains is not indented."""
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


def wrong_in_file(text, room, names):
    """[(line number, reason)]: what stands in another namespace than that of its room."""
    own, wrong = f"tessera::{room}", []
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
            continue  # an unnamed namespace has been told of, and a template is named in the next line
        elif not FORWARD.match(line):
            wrong.append((number, f"{name} belongs into {own}, not into {where}"))
    return wrong


def wrong_namespaces(root):
    """What stands in another namespace than that of its room, as (file, line number, reason)."""
    names = door_names(root)
    return [(file, number, reason)
            for file in sources(root)
            if not is_public(file) and (room := room_of(file)) not in IN_TESSERA
            for number, reason in wrong_in_file((root / file).read_text(encoding="utf-8"), room, names)]


def main():
    default = pathlib.Path(__file__).resolve().parents[2]
    root = pathlib.Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else default
    count, wrong = broken_includes(root)
    wrong += wrong_door(root) + wrong_namespaces(root)
    for file, number, reason in wrong:
        print(f"{file}:{number}: {reason}")
    if count == 0:
        print(f"{root}: no source file found")
        return 1
    print(f"{count} files, {len(wrong)} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
