#!/usr/bin/env python3
"""README.md, CONTRIBUTING.md, bench/README.md, docs/ and the help texts keep the rules of plain technical English.

    tests/docs/text_test.py                      # the tests
    tests/docs/text_test.py report [REVISION]    # words, sentence length and banned phrases as tables:
                                                 # pages, texts of the CLI, comments by module

Code is exempt: fenced and indented blocks and words in backticks. Sentence length is measured in
paragraphs and list items, phrases are also searched in tables and headings. A word is a token with a
letter or a digit; code in backticks is one word of its sentence. HTML comments are not counted.
"""

import collections
import fnmatch
import io
import pathlib
import re
import subprocess
import sys
import tarfile
import unittest

from reference_test import commands, help_of

ROOT = pathlib.Path(__file__).resolve().parents[2]

MEAN_SENTENCE = 20
README_WORDS = 900
PAGE_WORDS = 2_500  # bench/README.md and pages of docs/reference/ are exempt
DOCS_WORDS = 35_000

OTHER_PAGES = ("README.md", "CONTRIBUTING.md", "bench/README.md")

# Phrase -> what to write instead. Phrases match whole words in lower and upper case.
BANNED = {
    r"whoever": "name the reader or the program",
    r"nobody|somebody": "name the reader or the program",
    r"looked at": "evaluated, explored, searched",
    r"what stays": "resident tensor, residency",
    r"(?:on|off) the chip": "on-chip, off-chip",
    r"past the chip": "off-chip",
    r"as a rule": "usually, in most cases",
    r"besides": "also, in addition",
    r"put together": "recombine partitions",
    r"twins?": "interchangeable buffers",
    r"porter|stands? at the door": "validation, input checks",
    r"the house": "architecture",
    r"rooms?": "module, layer; free space",
    r"doors?": "public API",
    r"dear|dearer|dearest": "expensive",
    r"made again": "recomputed",
    r"made ahead|look(?:s|ed|ing)? ahead": "speculative evaluation",
    r"kept halos?|halos? (?:that (?:is|are) )?kept": "line buffer, halo reuse",
    r"weights? for good": "pinned weights",
    r"comes? early": "weight prefetch",
    r"memor(?:y|ies) behind": "backing memory",
    r"side by side": "overlapping engines, in parallel",
    r"best (?:so far|of what)": "incumbent; optimal within the explored space",
    r"no \w+ scores less": "lower bound",
    r"(?:left|stay|stays|stayed|leaves?) open": "undecided, unresolved",
    r"settle|settles|settled|settling": "finalise, resolve",
    r"guess|guesses|guessed|hope|hopes|hoped": "estimate",
    r"luck": "give the cause",
    r"where there is none": "if there is no ...",
    r"now|no longer(?! than)|since commit": "describe the present",
}
PHRASE = re.compile("|".join(rf"(?P<p{number}>\b(?:{phrase})\b)" for number, phrase in enumerate(BANNED)),
                    re.IGNORECASE)
# The first word of a sentence stands for a noun that the sentence has to name.
STAND_IN = re.compile(
    r"(?:What|Whatever|Whoever|Nobody|Where|So|That(?='s| (?:is|was|are|were|has|have|had|can|cannot|may|must|"
    r"will|would|does|do|makes?|means|needs?|takes?|costs?|gives?|saves?|holds|happens|leaves|lets|the|an?|"
    r"it|they|no|there)\b))\b")
# A point behind these, or behind an initial, ends no sentence.
ABBREVIATION = re.compile(r"(?:\b(?:e\.g|i\.e|al|cf|vs|approx|[A-Z])|^\d+)\.$")
SENTENCE_END = re.compile(r"[.!?][\"')\]*_]*\s+(?=[\"'(\[*_]*[A-Z0-9])")

# A piece of text in reading order: `kind` is prose, table or heading.
Unit = collections.namedtuple("Unit", "line kind text")
Measure = collections.namedtuple("Measure", "words sentences sentence_words banned")


def without_comments(text):
    """The text without HTML comments, with the same lines."""
    return re.sub(r"<!--.*?-->", lambda found: "\n" * found.group().count("\n"), text, flags=re.DOTALL)


def units(text):
    """The paragraphs, list items, table rows and headings of a page, without code."""
    found, fence, blank, in_list = [], "", True, False
    for number, line in enumerate(without_comments(text).splitlines(), start=1):
        mark = re.match(r"\s*(```+|~~~+)", line)
        if fence or mark:
            if not fence:
                fence = mark.group(1)
            elif line.strip() == fence:
                fence = ""
            blank = True
            continue
        item = re.match(r"\s*(?:[-*+]|\d+[.)])\s+", line)
        if not line.strip():
            blank = True
        elif re.match(r"(?: {4}|\t)", line) and blank and not in_list:
            pass  # indented code, and `blank` stays set for its next line
        elif line.lstrip().startswith("|"):
            if not re.fullmatch(r"[\s|:-]*", line):
                found.append(Unit(number, "table", line.replace("|", " ")))
            blank = True
        elif re.match(r"#{1,6}\s", line):
            found.append(Unit(number, "heading", line.lstrip("#").strip()))
            blank, in_list = True, False
        elif item or blank or not found:
            in_list = bool(item) or (in_list and line[0].isspace())
            found.append(Unit(number, "prose", line[item.end():] if item else line.lstrip("> ")))
            blank = False
        else:
            last = found.pop()
            found.append(last._replace(text=f"{last.text}\n{line.lstrip('> ')}"))
    return [unit._replace(text=plain(unit.text)) for unit in found]


def plain(text):
    """The text without markup: code in backticks becomes one word, a link its text."""
    text = re.sub(r"(`+)(?:(?!\1).|\n)+?\1", "code", text)
    text = re.sub(r"!?\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\([^()\s]*\)", r"\1", text)
    text = re.sub(r"<[^<>\n]*>", "", text)
    return re.sub(r"[*\\]|(?<!\w)_|_(?!\w)", "", text)


def words(text):
    return [word for word in text.split() if re.search(r"[^\W_]", word)]


def sentences(text):
    """[(offset, sentence)]; a sentence without a word is left out."""
    found, begin = [], 0
    ends = [match.end() for match in SENTENCE_END.finditer(text)]
    for end in [*ends, len(text)]:
        if end == len(text) or not ABBREVIATION.search(text[begin:end].rstrip()):
            if words(text[begin:end]):
                found.append((begin, text[begin:end].strip()))
            begin = end
    return found


def banned(unit):
    """[(line, phrase, what to write instead)] of a unit."""
    found = []
    for match in PHRASE.finditer(re.sub(r"\s", " ", unit.text)):
        found.append((match.start(), match.group(), list(BANNED.values())[int(match.lastgroup[1:])]))
    if unit.kind == "prose":
        for offset, sentence in sentences(unit.text):
            start = STAND_IN.match(sentence.lstrip("\"'(["))
            if start and not sentence.rstrip("\"')]*").endswith("?") and len(words(sentence)) > 3:
                found.append((offset, f"{start.group()} ... at the start", "begin with a noun of the field"))
    return [(unit.line + unit.text[:offset].count("\n"), phrase, instead)
            for offset, phrase, instead in sorted(found, key=lambda each: each[0])]


def measured(all_units, count=None):
    """The Measure of units; `count` is the number of words where these are not all."""
    prose = [sentence for unit in all_units if unit.kind == "prose" for _, sentence in sentences(unit.text)]
    return Measure(sum(len(words(unit.text)) for unit in all_units) if count is None else count,
                   len(prose), sum(len(words(sentence)) for sentence in prose),
                   sum(len(banned(unit)) for unit in all_units))


def page_words(text):
    """The number of words of a page, those of code and tables included."""
    return len(words(without_comments(text)))


def anchors(text):
    """The anchors of a page: those of its headings as GitHub forms them, and those of HTML."""
    found, seen = set(re.findall(r"<a (?:id|name)=\"([^\"]+)\"", text)), collections.Counter()
    fence = ""
    for line in text.splitlines():
        mark = re.match(r"(```+|~~~+)", line)
        if mark:
            fence = "" if fence else mark.group(1)
        heading = None if fence else re.match(r"#{1,6}\s+(.*?)\s*#*$", line)
        if heading:
            title = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", heading.group(1)).lower()
            slug = re.sub(r"[^\w\- ]", "", title.replace("*", "")).replace(" ", "-")
            found.add(f"{slug}-{seen[slug]}" if seen[slug] else slug)
            seen[slug] += 1
    return found


def links(text):
    """[(line, target)] of the relative links of a page."""
    code = re.compile(r"^ *(```+|~~~+).*?^ *\1 *$|(`+)(?:(?!\2).)+?\2", re.DOTALL | re.MULTILINE)
    text = code.sub(lambda found: "\n" * found.group().count("\n"), without_comments(text))
    found = [*re.finditer(r"\]\(\s*<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)", text),
             *re.finditer(r"^\[[^\]]+\]:\s*(\S+)", text, re.MULTILINE),
             *re.finditer(r"<(?:a href|img [^>]*?src)=\"([^\"]+)\"", text)]
    return [(text[:match.start()].count("\n") + 1, match.group(1)) for match in found
            if not re.match(r"[a-z][a-z0-9+.-]*:", match.group(1))]


def broken_links(page, text):
    """["line: target"] of the links of a page that lead nowhere."""
    found = []
    for line, target in links(text):
        name, _, anchor = target.partition("#")
        file = page.parent / name if name else page
        if file != page and not file.exists():
            found.append(f"{line}: {target} is no file")
        elif anchor and file.suffix == ".md" and anchor not in anchors(
                text if file == page else file.read_text(encoding="utf-8")):
            found.append(f"{line}: {target} is no heading of {file.name}")
    return found


def pages():
    """{path below the root: text} of all pages."""
    paths = [*(ROOT / name for name in OTHER_PAGES), *sorted((ROOT / "docs").rglob("*.md"))]
    return {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in paths}


def help_texts():
    """{command: its help text}; the program as a whole has the key tessera."""
    return {"tessera": help_of(), **{f"tessera {command}": help_of(command) for command in commands()}}


class Pages(unittest.TestCase):
    def test_no_banned_phrases(self):
        for name, text in pages().items():
            with self.subTest(page=name):
                found = [f"{name}:{line}: '{phrase}': {instead}"
                         for unit in units(text) for line, phrase, instead in banned(unit)]
                self.assertFalse(len(found), "\n" + "\n".join(found))

    def test_sentences_are_short(self):
        for name, text in pages().items():
            with self.subTest(page=name):
                measure = measured(units(text))
                mean = measure.sentence_words / max(1, measure.sentences)
                longest = sorted((sentence for unit in units(text) if unit.kind == "prose"
                                  for _, sentence in sentences(unit.text)),
                                 key=lambda sentence: -len(words(sentence)))
                self.assertLessEqual(
                    mean, MEAN_SENTENCE, f"words in a sentence of {name}; its longest sentences:\n"
                    + "\n".join(f"{len(words(each))}: {' '.join(each.split())}" for each in longest[:5]))

    def test_links_lead_somewhere(self):
        for name, text in pages().items():
            with self.subTest(page=name):
                self.assertEqual(broken_links(ROOT / name, text), [])

    def test_pages_are_short(self):
        total = 0
        for name, text in pages().items():
            count = page_words(text)
            total += count if name.startswith("docs/") else 0
            limit = README_WORDS if name == "README.md" else PAGE_WORDS
            with self.subTest(page=name):
                if not name.startswith(("bench/", "docs/reference/")):
                    self.assertLessEqual(count, limit, f"words of {name}")
        self.assertLessEqual(total, DOCS_WORDS, "words of docs/")


class HelpTexts(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.texts = help_texts()

    def test_no_banned_phrases(self):
        self.assertGreater(len(self.texts), 5)
        for command, text in self.texts.items():
            with self.subTest(command=command):
                found = [f"{command} --help: '{phrase}': {instead}"
                         for _, phrase, instead in banned(Unit(1, "table", " ".join(text.split())))]
                self.assertFalse(len(found), "\n" + "\n".join(found))


class Rules(unittest.TestCase):
    """The rules find what they are meant to find, and nothing else."""

    PAGE = ("# Whoever reads\n\nThe planner\nlooked at tiles. It uses `the house`. What stays\nis small.\n\n"
            "    indented rooms\n\n- One item of a list\n  goes on here.\n- Where is it?\n\n"
            "```sh\nnobody\n```\n| table | dear |\n| --- | ---: |\n<!-- somebody -->\n")

    def test_phrases(self):
        found = [(line, phrase) for unit in units(self.PAGE) for line, phrase, _ in banned(unit)]
        self.assertEqual(found, [(1, "Whoever"), (4, "looked at"), (4, "What stays"), (4, "What ... at the start"),
                                 (16, "dear")])

    def test_stand_ins(self):
        for text, count in {"So the planner stops early.": 1, "That is a tile of it.": 1,
                            "That patent is in force.": 0, "What does the planner do?": 0,
                            "Sort the tiles by size.": 0, "A tile. Where none fits, it ends.": 1}.items():
            with self.subTest(text=text):
                self.assertEqual(len(banned(Unit(1, "prose", text))), count)

    def test_words_of_the_field_pass(self):
        for text in ("The buffers live in the same room.", "A knowledgeable reader", "A tile is no longer than 8 rows.",
                     "headroom, snowfall, beside the array", "an on-chip memory"):
            with self.subTest(text=text):
                self.assertEqual(len(banned(Unit(1, "prose", text))), int("room." in text))

    def test_sentences(self):
        text = "M. Moffitt et al. wrote it, e.g. for version 1.5 of it. It runs. (Really.) Does it? Yes"
        self.assertEqual([len(words(sentence)) for _, sentence in sentences(text)], [12, 2, 1, 2, 1])
        measure = measured(units("One two three.\n\n| a | b |\n\n- four `five six`\n- seven\n"))
        self.assertEqual((measure.sentences, measure.sentence_words), (3, 6))

    def test_words(self):
        page = "# A page\n\n| a | b |\n| --- | --- |\n<!-- not\ncounted -->\n```\nx = 1\n```\n"
        self.assertEqual(page_words(page), 6)

    def test_links(self):
        page = ROOT / "docs" / "page.md"
        text = "# A `title`: here\n\n[a](#a-title-here) [b](#b) `[c](c.md)` ![d](d.svg)\n[e](https://e.example)\n"
        self.assertEqual(broken_links(page, text),
                         ["3: #b is no heading of page.md", "3: d.svg is no file"])
        self.assertEqual(anchors("# Same\n## Same\n```\n# none\n```\n"), {"same", "same-1"})

    def test_comments_and_literals(self):
        code = ('#include "cli/page.h"\n// One comment\n// of two lines.\n//\n//   example();\n'
                'use("a \\"text\\" "\n    "in two parts", \'"\', "word");  /* inner */\nR"(raw text // here)";\n')
        self.assertEqual([unit.text for unit in comments(code, "x.cpp")], ["One comment\nof two lines.", "inner"])
        self.assertEqual([unit.text for unit in literals(code)], ['a "text" in two parts', "raw text // here"])
        python = '"""What it is.\n\n    example()\n"""\nx = "# no comment"  # a comment\n'
        self.assertEqual([unit.text for unit in comments(python, "x.py")], ["What it is.", "a comment"])


CPP_TOKEN = re.compile(
    r'(?P<line>//[^\n]*)|(?P<block>/\*.*?\*/)|R"(?P<mark>[^(\s]{0,16})\((?P<raw>.*?)\)(?P=mark)"'
    r'|"(?P<string>(?:[^"\\\n]|\\.)*)"|\'(?:[^\'\\\n]|\\.)+\'|(?P<include>^[ ]*#[ ]*include[^\n]*)',
    re.DOTALL | re.MULTILINE)
PYTHON_TOKEN = re.compile(
    r'(?P<doc>^[ ]*[rf]?(?P<quote>"""|\'\'\').*?(?P=quote))|(?P<line>\#[^\n]*)'
    r'|(?:"""|\'\'\').*?(?:"""|\'\'\')|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'', re.DOTALL | re.MULTILINE)


def comments(text, name):
    """The comments of a source file as units; lines that follow each other are one comment."""
    python, runs, end = name.endswith(".py"), [], None
    for match in (PYTHON_TOKEN if python else CPP_TOKEN).finditer(text):
        kind = match.lastgroup if match.lastgroup in ("line", "block", "doc") else (
            "doc" if python and match.groupdict()["doc"] else None)
        number = text[:match.start()].count("\n") + 1
        if kind == "line":
            words_of = re.sub(r"^(?:///?|#!?)", "", match.group())
            alone = not text[text.rfind("\n", 0, match.start()) + 1:match.start()].strip()
            if runs and end == number - 1 and alone:
                runs[-1][1].append(words_of)
            else:
                runs.append((number, [words_of]))
            end = number
        elif kind:
            inner = re.sub(r'^\s*(?:/\*+|[rf]?"""|[rf]?\'\'\')|(?:\*/|"""|\'\'\')$', "", match.group())
            runs.append((number, [f" {line.strip()}" if number_in == 0 else line for number_in, line
                                  in enumerate(re.sub(r"^ *\* ?", " ", inner, flags=re.MULTILINE).splitlines())]))
            end = None
    found = []
    for number, lines in runs:
        # An example in a comment is indented by three blanks behind the slashes, as code is in a page.
        indented = re.compile(r"   +\S" if not python else r"    +\S")
        page = "\n".join(f"    {line.strip()}" if indented.match(line) else line.strip() for line in lines)
        found += [unit._replace(line=number + unit.line - 1, text=unit.text.strip()) for unit in units(page)]
    return found


def literals(text):
    """The string literals of C++ code that have several words; adjacent ones are one text."""
    found, end = [], None
    for match in CPP_TOKEN.finditer(text):
        string = match.group("string") if match.group("string") is not None else match.group("raw")
        if string is None:
            continue
        if match.group("raw") is None:
            string = re.sub(r"\\(.)", lambda each: {"n": "\n", "t": " "}.get(each.group(1), each.group(1)), string)
        if end is not None and not text[end:match.start()].strip():
            found[-1] = found[-1]._replace(text=found[-1].text + string)
        else:
            found.append(Unit(text[:match.start()].count("\n") + 1, "prose", string))
        end = match.end()
    return [unit for unit in found if len(unit.text.split()) > 1]


def tree(revision):
    """{path: text} of the files that are reported, of the working tree or of a revision."""
    wanted = ("*.md", "*.h", "*.cpp", "*.py")
    if revision is None:
        names = subprocess.check_output(["git", "ls-files", *wanted], cwd=ROOT, text=True).splitlines()
        return {name: (ROOT / name).read_text(encoding="utf-8") for name in names if (ROOT / name).exists()}
    packed = subprocess.check_output(["git", "archive", revision], cwd=ROOT)
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        return {member.name: archive.extractfile(member).read().decode() for member in archive
                if member.isfile() and any(fnmatch.fnmatch(member.name, pattern) for pattern in wanted)}


def report(revision):
    files = tree(revision)
    print(f"{'Working tree' if revision is None else revision}\n")

    def table(title, rows):
        print(f"| {title} | words | sentences | words in a sentence | banned phrases |")
        print("| --- | ---: | ---: | ---: | ---: |")
        for name, measure in [*rows, ("all", Measure(*map(sum, zip(*(measure for _, measure in rows)))))]:
            mean = measure.sentence_words / max(1, measure.sentences)
            print(f"| {name} | {measure.words:,} | {measure.sentences:,} | {mean:.1f} | {measure.banned:,} |")
        print()

    docs = [name for name in sorted(files) if name.startswith("docs/") and name.endswith(".md")]
    table("page", [(name, measured(units(files[name]), page_words(files[name])))
                   for name in OTHER_PAGES if name in files])
    table("page of docs/", [(name, measured(units(files[name]), page_words(files[name]))) for name in docs])
    cli = [unit for name, text in files.items() if fnmatch.fnmatch(name, "cli/*.cpp") for unit in literals(text)]
    table("texts of the CLI", [("string literals of cli/", measured(cli))])
    modules = collections.defaultdict(list)
    for name, text in files.items():
        if "/" in name and not name.endswith(".md") and not name.startswith("third_party/"):
            modules[name.partition("/")[0]] += comments(text, name)
    table("comments of", sorted((module, measured(found)) for module, found in modules.items()))


if __name__ == "__main__":
    if sys.argv[1:2] == ["report"]:
        report(sys.argv[2] if len(sys.argv) > 2 else None)
    else:
        unittest.main()
