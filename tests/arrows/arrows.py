#!/usr/bin/env python3
"""Reads every #include line and fails when an arrow runs the wrong way.

    python3 tests/arrows/arrows.py [ROOT]

Two rules. A room includes only rooms below it (ROOMS says which), and a third-party header stays in
the room it belongs to (THIRD_PARTY). Headers of model/ and planner/ are installed, so they include
other headers of the project by relative path, and only those of the installed rooms.
Prints one line per broken include; exit 1 if there is one.
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
    "tiling": {"model", "facts"},
    "cost": {"model", "facts", "tiling"},
    "search": {"model", "facts", "engine", "tiling", "cost"},
    "planner": {"model", "facts", "engine", "search", "encoder", "proof", "tiling", "cost", "io"},
    "cli": {"planner", "model"},
    "python": {"planner", "model"},
}
# The headers that are; cmake/TesseraInstall.cmake installs the same.
PUBLIC = {f"model/{name}.h" for name in (
    "api", "check", "claim", "budget", "derived", "hardware", "hardware_check", "network",
    "network_order", "network_shapes", "network_stats", "placement", "plan", "problem", "units",
    "validate")} | {f"planner/{name}.h" for name in (
        "check_result", "engines", "errors", "explain", "export", "files", "generate", "import",
        "limits", "place", "plan", "session", "tile")}

# Start of an include -> the rooms where it may stand.
THIRD_PARTY = {
    "yaml-cpp/": {"io"},
    "nlohmann/": {"io"},
    "onnx/": {"io"},
    "google/protobuf/": {"io"},
    "cadical": {"encoder"},
    "z3": {"encoder"},
    "CLI/": {"cli"},
    "CLI11": {"cli"},
    "gtest/": set(),
    "gmock/": set(),
    "benchmark/": set(),
    "pybind11/": {"python"},
}

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def room_of(path):
    """The room a path below the root belongs to, or None."""
    return path.parts[0] if path.parts and path.parts[0] in ROOMS else None


def target_of(root, file, name):
    """The path below the root that a quoted include means, or None for a file outside it."""
    beside = (root / file).parent / name
    for candidate in (beside, root / name):
        try:
            path = pathlib.Path(candidate.resolve()).relative_to(root)
        except ValueError:
            continue
        if candidate.is_file():
            return path
    return None


def broken_includes(root):
    """Every wrong include below root, as (file, line number, reason)."""
    wrong = []
    files = [
        path.relative_to(root)
        for room in sorted(ROOMS)
        for path in sorted((root / room).rglob("*"))
        if path.suffix in (".h", ".hpp", ".cpp") and path.is_file()
    ]
    for file in files:
        room = room_of(file)
        text = (root / file).read_text(encoding="utf-8", errors="replace")
        for number, line in enumerate(text.splitlines(), start=1):
            match = INCLUDE.match(line)
            if not match:
                continue
            bracket, name = match.groups()
            for start, allowed in THIRD_PARTY.items():
                if name.startswith(start) and room not in allowed:
                    homes = " and ".join(sorted(allowed)) or "tests and benchmarks"
                    wrong.append((file, number, f"{name} belongs to {homes}, not to {room}"))
            if bracket == "<":
                continue
            target = target_of(root, file, name)
            if target is None:
                if not any(name.startswith(start) for start in THIRD_PARTY):
                    wrong.append((file, number, f"there is no file {name}"))
                continue
            other = room_of(target)
            if other is None:
                wrong.append((file, number, f"{room} includes {target}, which is in no room"))
            elif other != room and other not in ROOMS[room]:
                wrong.append((file, number, f"{room} may not include {other} ({name})"))
            if str(file) in PUBLIC:
                if str(target) not in PUBLIC:
                    wrong.append((file, number, f"an installed header includes {name}, which is not"))
                elif not ((root / file).parent / name).is_file():
                    reason = f"an installed header includes {name} not relative to itself"
                    wrong.append((file, number, reason))
    return len(files), wrong


def main():
    default = pathlib.Path(__file__).resolve().parents[2]
    root = pathlib.Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else default
    count, wrong = broken_includes(root)
    for file, number, reason in wrong:
        print(f"{file}:{number}: {reason}")
    if count == 0:
        print(f"{root}: no source file found")
        return 1
    print(f"{count} files, {len(wrong)} wrong includes")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
