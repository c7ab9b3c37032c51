#!/usr/bin/env python3
"""The pages of docs/reference/ are complete: they name every key, option and function, in backticks.

- Keys are collected from the sources. In a reader of io/ or explorer/, every string literal that
  is one word counts as a key or as a value of one; in a writer of JSON, what stands where
  JsonObject takes a key. A new key fails this test until the section of its format names it.
- cli.md lists for each command the options that `tessera COMMAND --help` lists, and no others.
- python.md names what the type stub of the module declares, c-api.md what tessera_c.h declares.
"""

import ast
import functools
import pathlib
import re
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "usage"))
from support import TESSERA  # pylint: disable=wrong-import-position

REFERENCE = ROOT / "docs" / "reference"

# (page, heading of the section or nothing) -> the readers whose words it names.
READERS = {
    ("problems.md", "Buffer CSV"): ["io/buffer_csv.cpp"],
    ("problems.md", "Problem YAML"): ["io/problem_yaml.cpp", "io/memory_yaml.cpp", "io/rule_yaml.cpp",
                                      "model/relations.h", "model/derived.cpp"],
    ("problems.md", "dsa-solver JSON"): ["io/dsa_json.cpp", "io/dsa_schema.cpp"],
    ("problems.md", "ExecuTorch memory profile"): ["io/executorch_trace.cpp"],
    ("problems.md", "TensorFlow Lite model"): ["io/tflite_model.h"],
    ("problems.md", "Graph JSON"): ["io/graph_json.cpp"],
    ("problems.md", "Placement JSON"): ["io/placement_json.cpp", "io/objectives_json.cpp",
                                        "io/verdict_json.cpp", "model/names.cpp"],
    ("networks.md", "Network YAML"): ["io/network_yaml.cpp"],
    ("networks.md", ""): ["model/network.cpp"],
    ("networks.md", "ONNX"): ["io/onnx_ops.cpp"],
    ("networks.md", "TensorFlow Lite"): ["io/tflite_ops.cpp"],
    ("plans.md", "Plan JSON"): ["io/plan_json.cpp", "io/plan_words.h"],
    ("plans.md", "Accounts"): ["io/account_json.cpp"],
    ("plans.md", "Plan CSV"): ["io/plan_csv.cpp"],
    ("profiles.md", ""): ["io/hardware_yaml.cpp", "io/engine_yaml.cpp", "io/hardware_merge.cpp",
                          "io/profile_edit.cpp"],
    ("profiles.md", "Tiling"): ["io/plan_words.h"],
    ("profiles.md", "Silicon"): ["io/silicon_yaml.cpp"],
    ("sweeps.md", "Sweep YAML"): ["io/sweep_yaml.cpp", "explorer/condition.cpp"],
    ("sweeps.md", "Results"): ["explorer/rows.cpp"],
    ("cli.md", "Batch requests"): ["io/plan_request.cpp"],
}
# Words of readers that are no keys and no values.
NO_KEYS = {
    "io/graph_json.cpp": {"op", "tensor"},
    "explorer/condition.cpp": {"Hz", "bytes"},  # messages
    "io/dsa_json.cpp": {"b", "true"},           # names of banks
    "io/dsa_schema.cpp": {"tessera"},           # the key of other formats
    "io/engine_yaml.cpp": {"NCKHWRSGT"},        # the loops, one by one
    "io/hardware_yaml.cpp": {"operands"},       # messages
    "io/memory_yaml.cpp": {"b"},                # names of banks
    "io/onnx_ops.cpp": {"Arg", "Reduce"},       # prefixes
    "io/plan_csv.cpp": {"fetch"},               # users of memories, as in accounts
    "io/plan_json.cpp": {"activation", "feasible"},  # words of placements
    "io/plan_words.h": {"C", "H", "W"},         # axes
    "explorer/rows.cpp": {"B", "mm2", "ms", "pJ", "yes", "no", "null"},  # units and values
    "io/profile_edit.cpp": {"iB"},              # the end of KiB
}
# They look keys up that other readers read, or none, or keys of a format that others define.
OTHER_FILES = {"io/tree.cpp", "io/load.cpp", "io/c_header.cpp", "io/report_page.cpp", "io/tile_graph_json.cpp"}
LOOKS_KEYS_UP = re.compile(r"\bFields \w*\(|[.>](?:need|find)\(\"[A-Za-z_]+\"")

# Page, section -> the writers of JSON whose keys it names.
WRITERS = {
    ("problems.md", "Placement JSON"): ["io/placement_json_write.cpp", "io/objectives_json.cpp"],
    ("plans.md", "Plan JSON"): ["io/plan_json_write.cpp"],
    ("plans.md", "Accounts"): ["io/account_json.cpp"],
    ("sweeps.md", "Results"): ["explorer/rows.cpp"],
    ("cli.md", ""): ["cli/check.cpp", "cli/explain.cpp", "cli/explore.cpp", "cli/mistakes.cpp",
                     "cli/place.cpp", "cli/plan.cpp", "cli/profile_text.cpp", "cli/profiles.cpp",
                     "cli/tile.cpp", "placer/tile.cpp", "planner/batch.cpp"],
}
WRITTEN = re.compile(r"\b\w+\.(?:text|number|real|truth|list|texts|entry)\(\s*\"(\w+)\"")

LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
WORD = re.compile(r"[A-Za-z][\w+/-]*")


def source(file):
    """A file without its comments and includes."""
    text = (ROOT / file).read_text(encoding="utf-8")
    return re.sub(r"^\s*#include.*$|//[^\n]*", "", text, flags=re.MULTILINE)


def words_of(file):
    """The string literals of a file that are one word, and the columns of CSV files in them."""
    literals = set(LITERAL.findall(source(file)))
    found = {each for each in literals if WORD.fullmatch(each)}
    for header in literals:
        if re.fullmatch(r"\w+(,\w+)+,?(\\n)?", header):
            found |= set(header.replace("\\n", "").strip(",").split(","))
    return found - NO_KEYS.get(file, set())


def onnx_names():
    """Names of ONNX operators as network files write functions: ReduceMax is max."""
    names = re.findall(r'^    \{"(\w+)", ', source("io/onnx_operators.cpp"), re.MULTILINE)
    return {re.sub("^Reduce", "", each).lower() for each in names}


def keys_of(file):
    """The words of a reader that its page names."""
    words = words_of(file)
    if file == "io/onnx_ops.cpp":  # operators; attributes are those of ONNX
        return {each for each in words if re.fullmatch(r"[A-Z]+[a-z0-9]\w*", each)}
    if file == "io/tflite_ops.cpp":
        return {each for each in words if each.isupper()}
    if file == "io/engine_yaml.cpp":
        return words - onnx_names()
    return words


def keys_written_by(file):
    return set(WRITTEN.findall(source(file)))


def section(text, heading):
    """The part of a page below a heading, with the parts below smaller headings; all without one."""
    if not heading:
        return text
    begin = re.search(rf"^(#+) {re.escape(heading)}$", text, re.MULTILINE)
    if not begin:
        raise ValueError(f"there is no section {heading!r}")
    end = re.compile(rf"^#{{1,{len(begin[1])}}} ", re.MULTILINE).search(text, begin.end())
    return text[begin.end():end.start() if end else len(text)]


def named(text):
    """The texts of a page in backticks outside of blocks, and their words."""
    prose = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    return {word for span in re.findall(r"`([^`\n]+)`", prose) for word in [span, *WORD.findall(span)]}


def missing(page, heading, keys):
    """The keys that a section of a page does not name."""
    return sorted(keys - named(section((REFERENCE / page).read_text(encoding="utf-8"), heading)))


@functools.lru_cache(maxsize=None)
def help_of(*command):
    return subprocess.run([TESSERA, *command, "--help"], check=True, text=True,
                          stdout=subprocess.PIPE).stdout


def commands():
    """The commands that `tessera --help` lists."""
    return re.findall(r"^  (\w+) {2,}", section_of_help("Subcommands:"), re.MULTILINE)


def section_of_help(title):
    return help_of().split(title, 1)[1].split("\n\n", 1)[0]


def options(*command):
    """[(short or nothing, long)] of a command."""
    return re.findall(r"^  (?:(-\w),)?(--[\w-]+)", help_of(*command), re.MULTILINE)


def options_in(text):
    """The options that a text has at the begin of backticks."""
    return set(re.findall(r"`(--?[A-Za-z][\w-]*)", text))


def groups(page):
    """Name -> options, of the groups that the section of common options ends with."""
    line = re.search(r"^Groups: \*\*.*$", page, re.MULTILINE)[0]
    found = {name: options_in(listed) for name, listed in re.findall(r"\*\*(\w+)\*\* \(([^)]+)\)", line)}
    for name, listed in re.findall(r"\*\*(\w+)\*\* \(([^)]+)\)", line):
        for other, members in found.items():
            if re.search(rf"\b{other}\b", re.sub("`[^`]*`", "", listed)):
                found[name] = found[name] | members
    return found


def documented(page, command):
    """The options that cli.md has for a command, by the name that it uses."""
    text = section(page, "completion and help" if command in ("completion", "help") else command)
    text = re.sub(r"^### .*", "", text, flags=re.MULTILINE | re.DOTALL)
    found = options_in(text)
    if command == "completion":
        return set()
    for listed in re.findall(r"\bGroups?: ([\w, ]+)", text):
        for name in re.findall(r"\w+", listed):
            found |= groups(page)[name]
    return found


class Reference(unittest.TestCase):
    def names_all(self, files_of, keys_in):
        """Each section names the keys that `keys_in` finds in its files."""
        for (page, heading), files in files_of.items():
            for file in files:
                with self.subTest(page=page, section=heading, file=file):
                    keys = keys_in(file)
                    self.assertTrue(keys, "no key was found")
                    self.assertEqual(missing(page, heading, keys), [])

    def test_keys_that_readers_look_up(self):
        self.names_all(READERS, keys_of)

    def test_no_reader_is_forgotten(self):
        listed = {file for files in READERS.values() for file in files} | OTHER_FILES
        for path in [*(ROOT / "io").glob("*.cpp"), *(ROOT / "explorer").glob("*.cpp")]:
            file = path.relative_to(ROOT).as_posix()
            if LOOKS_KEYS_UP.search(source(file)):
                with self.subTest(file=file):
                    self.assertIn(file, listed)

    def test_keys_that_writers_write(self):
        self.names_all(WRITERS, keys_written_by)

    def test_a_key_that_is_missing_is_noticed(self):
        for page, heading, file, key in [
                ("problems.md", "Problem YAML", "io/problem_yaml.cpp", "window"),
                ("problems.md", "Buffer CSV", "io/buffer_csv.cpp", "buffer_id"),
                ("profiles.md", "", "io/engine_yaml.cpp", "folds_columns"),
                ("plans.md", "Plan JSON", "io/plan_json.cpp", "passing"),
                ("sweeps.md", "Sweep YAML", "io/sweep_yaml.cpp", "samples")]:
            with self.subTest(file=file, key=key):
                text = section((REFERENCE / page).read_text(encoding="utf-8"), heading)
                self.assertIn(key, keys_of(file))
                self.assertEqual(keys_of(file) - named(re.sub(rf"\b{key}\b", "other", text)), {key})

    def test_commands(self):
        page = (REFERENCE / "cli.md").read_text(encoding="utf-8")
        first_table = page.split("\n## ", 1)[0]
        self.assertEqual(sorted(re.findall(r"\[`(\w+)`\]", first_table)), sorted(commands()))
        self.assertGreater(len(commands()), 12)

    def test_options(self):
        page = (REFERENCE / "cli.md").read_text(encoding="utf-8")
        everywhere = named(section(page, "Common options"))
        self.assertEqual({long for _, long in options()} - everywhere, set())
        for command in commands():
            listed = options(command)
            long_name = {short: long for short, long in listed if short}
            said = {long_name.get(each, each) for each in documented(page, command)}
            with self.subTest(command=command):
                self.assertTrue(listed)
                self.assertEqual(sorted({long for _, long in listed} - said - {"--help"}), [],
                                 "not in cli.md")
                self.assertEqual(sorted(said - {long for _, long in listed}), [], "no such option")
                for short, long in listed:
                    if short:
                        self.assertIn(short, named(page), long)

    def test_python(self):
        tree = ast.parse((ROOT / "python/tessera/_tessera.pyi").read_text(encoding="utf-8"))
        builder = ast.parse((ROOT / "python/tessera/builder.py").read_text(encoding="utf-8"))
        names = set()
        for each in [*tree.body, *builder.body]:
            if isinstance(each, (ast.ClassDef, ast.FunctionDef)) and not each.name.startswith("_"):
                names.add(each.name)
                names |= {part.name for part in getattr(each, "body", [])
                          if isinstance(part, ast.FunctionDef) and not part.name.startswith("_")
                          and isinstance(each, ast.ClassDef)}
                names |= {argument.arg for argument in
                          [*each.args.args, *each.args.kwonlyargs]} if isinstance(
                              each, ast.FunctionDef) else set()
        self.assertGreater(len(names), 100)
        self.assertEqual(missing("python.md", "", {name for name in names if name != "self"}), [])

    def test_c(self):
        header = (ROOT / "include/tessera_c.h").read_text(encoding="utf-8")
        functions = set(re.findall(r"TESSERA_C_API [\w *]*?\b(tessera_\w+)\(", header))
        fields = re.search(r"typedef struct tessera_options \{(.*?)\} tessera_options;", header, re.DOTALL)
        names = {re.findall(r"\w+", each)[-1] for each in
                 re.sub(r"/\*.*?\*/", "", fields[1], flags=re.DOTALL).split(";")
                 if each.strip() and "(*" not in each} | {"stop"}
        self.assertGreater(len(functions), 20)
        self.assertEqual(missing("c-api.md", "", functions | names), [])
        self.assertEqual(missing("c-api.md", "", set(re.findall(r"^  (TESSERA_\w+) =", header, re.MULTILINE))),
                         [])
        self.assertEqual({each for each in named((REFERENCE / "c-api.md").read_text(encoding="utf-8"))
                          if re.fullmatch(r"tessera_\w+", each)} - functions
                         - {"tessera_status", "tessera_goal", "tessera_options", "tessera_c"}, set())


if __name__ == "__main__":
    unittest.main()
