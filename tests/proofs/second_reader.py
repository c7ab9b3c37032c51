"""Reads placement problems for second_checker.py, from docs/reference/problems.md alone.

It shares no code with the program: a buffer CSV, or the part of YAML that problems are written in (maps and
lists by indentation or in brackets, plain and quoted words, comments), with memories of its own or of a
profile. It rejects everything else.
"""

import json
import re
from math import gcd
from pathlib import Path

LARGEST = 1 << 60
PROFILES = Path(__file__).resolve().parents[2] / "hw_profiles"
RELATIONS = ("same_bank", "different_banks", "same_memory", "different_memories", "adjacent", "same_offset", "may_overlap",
             "disjoint", "avoid_overlap")
OBJECTIVES = ("fit", "minimize_height", "minimize_cost", "maximize_benefit")
ROLES = ("read", "write", "read_write", "weight", "data", "hold", "off")
UNITS = {"B": 1, "kB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30,
         "TiB": 1 << 40}


class BadInput(Exception):
    """The input does not conform to docs/reference/problems.md, or exceeds this reader."""


class Memory:
    """banks: (begin, end, roles of its own) of each; modes: the roles of all banks, of each mode."""

    def __init__(self, name):
        self.name, self.capacity, self.alignment, self.straddle = name, None, 1, True
        self.banks, self.modes, self.reserved, self.per_bank, self.base = [], [], [], False, 0


class Buffer:
    """gaps: (begin, end, window or None). memories: as listed in the input; empty means all."""

    def __init__(self, name):
        self.name, self.lives, self.size, self.alignment, self.memories = name, [], 0, 1, []
        self.reads, self.writes, self.kind, self.offset, self.window, self.gaps = [], [], "activation", None, None, []
        self.optional, self.benefit, self.group = False, 0, ""  # in thousandths
        self.tiles = []  # (lifetimes, offset, size, ((count, stride), ...)) of each of the input's `parts`

    def used(self, step=None):
        """The bytes of the tiles that are live at the step, or of all, as disjoint ranges."""
        ranges = []
        for lives, offset, length, repeat in self.tiles:
            if step is not None and not any(lower <= step < upper for lower, upper in lives):
                continue
            starts = [offset]
            for count, stride in repeat:
                starts = [start + k * stride for k in range(count) for start in starts]
            ranges += [(start, start + length) for start in starts]
        joined = []
        for begin, end in sorted(ranges):
            if joined and begin <= joined[-1][1]:
                joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
            else:
                joined.append((begin, end))
        return joined

    def parts(self):
        """(first step, end step, first byte, end byte) of each part."""
        found = []
        if self.tiles:
            steps = sorted({step for tile in self.tiles for live in tile[0] for step in live})
            for lower, upper in zip(steps, steps[1:]):
                found += [(lower, upper, *run) for run in self.used(lower)]
            return found
        for lower, upper in self.lives:
            at = lower
            for begin, end, window in sorted((g for g in self.gaps if lower <= g[0] < upper), key=lambda g: g[0]):
                if at < begin:
                    found.append((at, begin, 0, self.size))
                if window:
                    found.append((begin, end, *window))
                at = end
            if at < upper:
                found.append((at, upper, 0, self.size))
        return found


class Problem:
    """relations: (kind, buffer numbers, cost)."""

    def __init__(self):
        self.memories, self.buffers, self.relations = [], [], []

    def steps(self):
        return max((upper for b in self.buffers for _, upper in b.lives), default=0)

    def check(self):
        """Raises BadInput unless the problem is consistent."""
        if sum(memory.capacity or 0 for memory in self.memories) > LARGEST:
            raise BadInput("the sum of the capacities is above 2^60")
        for memory in self.memories:
            ends = [memory.capacity] if memory.capacity is not None else []
            if memory.banks and memory.capacity != memory.banks[-1][1]:
                raise BadInput(f"memory {memory.name}: its capacity is not the sum of its banks")
            if memory.capacity is not None and not 1 <= memory.capacity <= LARGEST:
                raise BadInput(f"memory {memory.name}: no capacity")
            for begin, end in memory.reserved:
                if not 0 <= begin < end <= min(ends + [LARGEST]):
                    raise BadInput(f"memory {memory.name}: a reserved range that is none")
            if memory.base > LARGEST - (memory.capacity or 1):
                raise BadInput(f"memory {memory.name}: it ends above 2^60")
        if sum(b.benefit for b in self.buffers) > LARGEST:
            raise BadInput("the sum of all benefits is above 2^60 thousandths")
        for b in self.buffers:
            for memory in self.memories if not b.memories else [self.memories[m] for m in b.memories]:
                if memory.base % b.alignment or memory.base % memory.alignment:
                    raise BadInput(f"memory {memory.name}: its base is no multiple of an alignment")
            if b.size < 1 or b.alignment < 1 or not b.lives:
                raise BadInput(f"buffer {b.name}: size, alignment and lifetime have to be there")
            spans = sorted(b.lives)
            if any(lower < 0 or lower >= upper for lower, upper in spans):
                raise BadInput(f"buffer {b.name}: an empty lifetime")
            if any(one[1] > two[0] for one, two in zip(spans, spans[1:])):
                raise BadInput(f"buffer {b.name}: lifetimes that overlap")
            gaps = sorted(b.gaps, key=lambda g: g[0])
            for begin, end, window in gaps:
                if begin >= end or not any(lower <= begin and end <= upper for lower, upper in spans):
                    raise BadInput(f"buffer {b.name}: a gap outside its lifetime")
                if window and not 0 <= window[0] < window[1] <= b.size:
                    raise BadInput(f"buffer {b.name}: the window of a gap lies outside it")
            if any(one[1] > two[0] for one, two in zip(gaps, gaps[1:])):
                raise BadInput(f"buffer {b.name}: gaps that overlap")
            if b.tiles and b.gaps:
                raise BadInput(f"buffer {b.name}: parts and gaps")
            for lives, offset, length, repeat in b.tiles:
                runs, end = 1, offset + length
                for count, stride in repeat:
                    runs, end = runs * count, end + (count - 1) * stride
                if length < 1 or end > b.size or runs > 2_000_000:
                    raise BadInput(f"buffer {b.name}: a part that is not inside it")
                if not all(any(lower <= one and two <= upper for lower, upper in spans) and one < two for one, two in lives):
                    raise BadInput(f"buffer {b.name}: a part that lives when it does not")
            for step in b.reads + b.writes:
                if not any(lower <= step < upper for lower, upper in spans):
                    raise BadInput(f"buffer {b.name}: it is used at a step at which it does not live")


# --- numbers -------------------------------------------------------------------------------------------------------------


def number(text, low=0, high=LARGEST):
    if not isinstance(text, str) or not re.fullmatch(r"-?[0-9]+", text) or not low <= int(text) <= high:
        raise BadInput(f"{text!r} is not a number from {low} to {high}")
    return int(text)


def size(text):
    """Bytes, with or without a unit."""
    match = re.fullmatch(r"([0-9]+)(?:\.([0-9]+))? *([A-Za-z]*)", text) if isinstance(text, str) else None
    if not match or (match[3] or "B") not in UNITS or (match[2] and not match[3]):
        raise BadInput(f"{text!r} is not a size")
    scaled = int(match[1] + (match[2] or "")) * UNITS[match[3] or "B"]
    result, rest = divmod(scaled, 10 ** len(match[2] or ""))
    if rest or result > LARGEST:
        raise BadInput(f"{text!r} is not a whole number of bytes up to 2^60")
    return result


def thousandths(text):
    """A number with at most three decimals."""
    match = re.fullmatch(r"([0-9]+)(?:\.([0-9]{1,3}))?", text) if isinstance(text, str) else None
    if not match or int(match[1]) * 1000 > LARGEST:
        raise BadInput(f"{text!r} is not a number with at most three decimals")
    return int(match[1]) * 1000 + int((match[2] or "").ljust(3, "0"))


def address(text):
    """Bytes, or hexadecimal digits after 0x."""
    if isinstance(text, str) and re.fullmatch(r"0[xX][0-9a-fA-F]+", text):
        result = int(text, 16)
        if result > LARGEST:
            raise BadInput(f"{text!r} is above 2^60")
        return result
    return size(text)


def pair(value, reader):
    if not isinstance(value, list) or len(value) != 2:
        raise BadInput(f"{value!r} is not a pair [begin, end]")
    return reader(value[0]), reader(value[1])


# --- YAML ----------------------------------------------------------------------------------------------------------------

WORD = re.compile(r"""\s*(?:([\[\]{},])|"((?:[^"\\]|\\.)*)"|'((?:[^']|'')*)'|((?:[^\[\]{},:#\s"']|:(?![\s,\]}]|$)|\#|\s+(?![\s#])(?=[^\[\]{},:\s]))+)|(:))""")
KEY = re.compile(r"""(?:"((?:[^"\\]|\\.)*)"|'((?:[^']|'')*)'|([^\s"'\[\]{}#,][^"\[\]{}]*?))\s*:(?:\s+|$)""")


def without_comment(line):
    quote = None
    for at, letter in enumerate(line):
        if quote:
            quote = None if letter == quote else quote
        elif letter in "\"'" and (at == 0 or line[at - 1] in " [{,:"):
            quote = letter
        elif letter == "#" and (at == 0 or line[at - 1] in " \t"):
            return line[:at].rstrip()
    return line.rstrip()


class Flow:
    """One value in brackets, or one word."""

    def __init__(self, text):
        self.words, at = [], 0
        while at < len(text):
            match = WORD.match(text, at)
            if not match:
                if text[at:].strip():
                    raise BadInput(f"{text!r}: not YAML this reader knows")
                break
            mark, double, single, plain, colon = match.groups()
            if mark or colon:
                self.words.append((mark or colon, None))
            elif double is not None:
                self.words.append((None, json.loads(f'"{double}"')))
            else:
                self.words.append((None, plain.strip() if plain is not None else single.replace("''", "'")))
            at = match.end()
        self.at, self.text = 0, text

    def whole(self):
        value = self.value()
        if self.at != len(self.words):
            raise BadInput(f"{self.text!r}: something follows the value")
        return value

    def next(self):
        if self.at == len(self.words):
            raise BadInput(f"{self.text!r}: a bracket is not closed")
        self.at += 1
        return self.words[self.at - 1]

    def value(self):
        mark, word = self.next()
        if mark is None:
            return word
        if mark not in "[{":
            raise BadInput(f"{self.text!r}: {mark!r} stands where a value should")
        close, found = ("]", []) if mark == "[" else ("}", {})
        while True:
            if self.at < len(self.words) and self.words[self.at][0] == close:
                self.at += 1
                return found
            value = self.value()
            if mark == "{":
                if not isinstance(value, str) or value in found or self.next()[0] != ":":
                    raise BadInput(f"{self.text!r}: not a map, or a key twice")
                found[value] = self.value()
            else:
                found.append(value)
            if self.at < len(self.words) and self.words[self.at][0] == ",":
                self.at += 1
            elif self.at == len(self.words) or self.words[self.at][0] != close:
                raise BadInput(f"{self.text!r}: a comma is missing")


class Yaml:
    def __init__(self, text):
        self.lines, self.at = [], 0
        for line in text.split("\n"):
            line = without_comment(line.rstrip("\r"))
            if not line.strip():
                continue
            if "\t" in line or line.startswith(("---", "...", "%")):
                raise BadInput(f"{line!r}: not YAML this reader knows")
            self.lines.append((len(line) - len(line.lstrip()), line.strip()))

    def whole(self):
        value = self.block(self.lines[0][0]) if self.lines else {}
        if self.at != len(self.lines):
            raise BadInput(f"{self.lines[self.at][1]!r}: its indentation fits nothing above")
        return value

    def block(self, indent):
        return self.list(indent) if self.lines[self.at][1].split(" ")[0] == "-" else self.map(indent)

    def here(self, indent):
        return self.at < len(self.lines) and self.lines[self.at][0] == indent

    def list(self, indent):
        found = []
        while self.here(indent) and self.lines[self.at][1].split(" ")[0] == "-":
            rest = self.lines[self.at][1][1:]
            inner = indent + 1 + len(rest) - len(rest.lstrip())
            rest = rest.strip()
            if rest and (KEY.match(rest) or rest.startswith("- ")):
                self.lines[self.at] = (inner, rest)
                found.append(self.block(inner))
            else:
                found.append(self.value(rest, indent, False))
        return found

    def map(self, indent):
        found = {}
        while self.here(indent):
            match = KEY.match(self.lines[self.at][1])
            if not match:
                raise BadInput(f"{self.lines[self.at][1]!r}: not a key and a value")
            key = next(g for g in match.groups() if g is not None)
            if key in found:
                raise BadInput(f"{key!r} stands twice")
            found[key] = self.value(self.lines[self.at][1][match.end():].strip(), indent, True)
        return found

    def value(self, rest, indent, list_beside):
        self.at += 1
        if not rest:
            below = self.lines[self.at] if self.at < len(self.lines) else (-1, "")
            if below[0] > indent or (list_beside and below[0] == indent and below[1].split(" ")[0] == "-"):
                return self.block(below[0])
            return None
        if rest[0] in "&*!|>%@`":
            raise BadInput(f"{rest!r}: not YAML this reader knows")
        if rest[0] not in "[{":
            return Flow(rest).whole() if rest[0] in "\"'" else rest
        while rest.count("[") + rest.count("{") > rest.count("]") + rest.count("}") and self.at < len(self.lines):
            rest += " " + self.lines[self.at][1]
            self.at += 1
        return Flow(rest).whole()


# --- problems ------------------------------------------------------------------------------------------------------------


class Keys:
    """A map that rejects keys that were not read."""

    def __init__(self, value, where):
        if not isinstance(value, dict):
            raise BadInput(f"{where}: a map is missing")
        self.rest, self.where = dict(value), where

    def take(self, key, reader, default=None):
        if key not in self.rest:
            return default
        try:
            return reader(self.rest.pop(key))
        except BadInput as error:
            raise BadInput(f"{self.where}, {key}: {error}") from None

    def done(self):
        if self.rest:
            raise BadInput(f"{self.where}: unknown key {next(iter(self.rest))!r}")


def word(value):
    if not isinstance(value, str) or not value:
        raise BadInput(f"{value!r} is not a word")
    return value


def items(reader):
    def read(value):
        if not isinstance(value, list):
            raise BadInput(f"{value!r} is not a list")
        return [reader(item) for item in value]
    return read


def one_of(*words):
    def read(value):
        if value not in words:
            raise BadInput(f"{value!r} is none of {', '.join(words)}")
        return value
    return read


def one_or_more(value, reader):
    if not isinstance(value, list) or not value:
        raise BadInput(f"{value!r} is not a list")
    return [pair(v, reader) for v in value] if isinstance(value[0], list) else [pair(value, reader)]


def read_roles(value, banks):
    if isinstance(value, dict):
        roles = [None] * banks
        for key, role in value.items():
            first, _, last = key.partition("-")
            for bank in range(number(first), number(last or first) + 1):
                if bank >= banks or roles[bank] is not None:
                    raise BadInput(f"bank {bank} has no role or two")
                roles[bank] = role
        value = roles
    if not isinstance(value, list) or len(value) != banks or any(r not in ROLES for r in value):
        raise BadInput("every bank needs one role")
    return value


def read_memory(name, value, ignored=()):
    memory = Memory(name)
    keys = Keys(value if value is not None else {}, f"memory {name}")
    for key in ignored:
        keys.rest.pop(key, None)
    memory.capacity = keys.take("capacity", size)
    memory.alignment = keys.take("alignment", size, 1)
    memory.base = keys.take("base", address, 0)
    memory.straddle = keys.take("straddle", one_of("true", "false"), "true") == "true"
    memory.reserved = keys.take("reserved", items(lambda v: pair(v, size)), [])
    banks, at, bank_size = keys.take("banks", lambda v: v), 0, keys.take("bank_size", size)
    if isinstance(banks, str):
        if bank_size is None:
            raise BadInput(f"memory {name}: bank_size is missing")
        banks, bank_size = [{"size": str(bank_size)} for _ in range(number(banks, 1, 1 << 16))], None
    if bank_size is not None:
        raise BadInput(f"memory {name}: bank_size without a number of banks")
    for bank in banks or []:
        bank = Keys(bank, f"memory {name}, a bank")
        length = bank.take("size", size, 0)
        bank.take("name", word)
        memory.banks.append((at, at + length, bank.take("roles", items(one_of(*ROLES)), [])))
        bank.done()
        at += length
    if memory.banks and memory.capacity is None:
        memory.capacity = at
    modes = keys.take("modes", lambda v: v)
    if modes == "per_bank":
        memory.per_bank = True
        if not memory.banks or not all(roles for _, _, roles in memory.banks):
            raise BadInput(f"memory {name}: every bank needs roles")
    elif modes is not None:
        for mode in items(lambda v: Keys(v, f"memory {name}, a mode"))(modes):
            mode.take("name", word)
            memory.modes.append(mode.take("roles", lambda v: read_roles(v, max(1, len(memory.banks)))))
            mode.done()
            if memory.modes[-1] is None:
                raise BadInput(f"memory {name}: a mode without roles")
    keys.done()
    return memory


def merged(base, more):
    """Maps merge key by key; other values are replaced, and `null` removes."""
    result = dict(base)
    for key, value in more.items():
        if value in (None, "null", "~"):
            result.pop(key, None)
        elif isinstance(value, dict) and isinstance(result.get(key), dict):
            result[key] = merged(result[key], value)
        else:
            result[key] = value
    return result


def load_profile(name, beside=None):
    """The map of a profile, a file or a shipped one, with inherited values."""
    places = [folder / f"{name}.yaml" for folder in (beside, PROFILES) if folder] + ([] if beside else [Path(name)])
    path = next((place for place in places if place.is_file()), None)
    if path is None:
        raise BadInput(f"there is no profile {name!r}")
    own = Yaml(path.read_text(encoding="utf-8")).whole()
    if not isinstance(own, dict) or own.get("tessera") != "hardware/1":
        raise BadInput(f"{path}: not a hardware profile")
    base = own.pop("inherit", None)
    return merged(load_profile(base, path.parent), own) if base else own


def profile_memories(name):
    """The memories of a profile in which buffers are placed."""
    memories = load_profile(name).get("memories")
    if not isinstance(memories, dict):
        raise BadInput(f"profile {name!r}: it has no memories")
    return [read_memory(memory, value, ("energy", "bandwidth", "burst", "latency", "offchip", "layout"))
            for memory, value in memories.items() if value is None or value.get("offchip") != "true"]


def read_gap(value):
    keys = Keys(value, "a gap")
    begin, end = keys.take("live", lambda v: pair(v, number))
    window = keys.take("window", lambda v: pair(v, size))
    keys.done()
    return begin, end, window


def read_part(value):
    keys = Keys(value, "a part")
    lives = keys.take("live", lambda v: one_or_more(v, number), [])
    offset, length = keys.take("offset", size), keys.take("size", size)
    repeat = keys.take("repeat", items(lambda v: tuple(size(one) for one in v)), [])
    keys.done()
    if not lives or offset is None or length is None or any(len(one) != 2 or min(one) < 1 for one in repeat):
        raise BadInput("a part without lives, offset or size, or with a repeat that is none")
    return lives, offset, length, repeat


def read_buffer(value, memories):
    keys = Keys(value, "a buffer")
    b = Buffer(keys.take("id", word))
    keys.where = f"buffer {b.name}"
    b.lives = sorted(keys.take("live", lambda v: one_or_more(v, number), []))
    b.size = keys.take("size", size, 0)
    b.alignment = keys.take("alignment", size, 1)
    names = keys.take("memory", lambda v: v, [])
    for name in names if isinstance(names, list) else [names]:
        if name not in memories or memories[name] in b.memories:
            raise BadInput(f"buffer {b.name}: {name!r} is no memory, or named twice")
        b.memories.append(memories[name])
    b.reads = sorted(keys.take("read", items(number), []))
    b.writes = sorted(keys.take("write", items(number), []))
    b.kind = keys.take("kind", one_of("activation", "weight"), "activation")
    b.offset = keys.take("offset", size)
    keys.take("hint", size)
    b.window = keys.take("window", lambda v: pair(v, size))
    b.gaps = keys.take("gaps", items(read_gap), [])
    b.tiles = keys.take("parts", items(read_part), [])
    b.optional = keys.take("optional", one_of("true", "false"), "false") == "true"
    b.benefit = keys.take("benefit", thousandths, 0)
    b.group = keys.take("group", word, "")
    if (b.benefit or b.group) and not b.optional:
        raise BadInput(f"buffer {b.name}: a benefit or a group, and not optional")
    if b.tiles and not b.lives:
        ends = [step for tile in b.tiles for live in tile[0] for step in live]
        b.lives = [(min(ends), max(ends))]
    keys.done()
    return b


def read_yaml(text, profile):
    keys = Keys(Yaml(text).whole(), "the problem")
    if keys.take("tessera", word) != "problem/1":
        raise BadInput("the first key of a problem is `tessera: problem/1`")
    keys.take("name", word)
    goals = keys.take("objective", lambda v: [one_of(*OBJECTIVES)(one) for one in (v if isinstance(v, list) else [v])], ["fit"])
    if not goals or len(set(goals)) < len(goals) or ("fit" in goals and len(goals) > 1):
        raise BadInput("objective: none, one twice, or `fit` beside another")
    keys.take("rules", lambda v: v)  # a claim that holds without them holds with them
    problem = Problem()
    memories = keys.take("memories", lambda v: v)
    if (memories is None) != (profile is not None) or not isinstance(memories, (dict, type(None))):
        raise BadInput("the problem has to have memories, of its own or of a profile")
    problem.memories = (profile_memories(profile) if profile is not None else
                        [read_memory(name, value) for name, value in memories.items()])
    numbers = {memory.name: m for m, memory in enumerate(problem.memories)}
    problem.buffers = keys.take("buffers", items(lambda v: read_buffer(v, numbers)), [])
    buffers = {b.name: n for n, b in enumerate(problem.buffers)}
    if len(buffers) != len(problem.buffers):
        raise BadInput("two buffers have one id")
    for value in keys.take("relations", items(lambda v: Keys(v, "a relation")), []):
        cost = value.take("cost", number)
        kinds = [kind for kind in RELATIONS if kind in value.rest]
        if len(kinds) != 1 or (cost is None) == (kinds[0] == "avoid_overlap"):
            raise BadInput("a relation has one kind, and avoid_overlap a cost")
        named = value.take(kinds[0], items(word))
        if len(set(named)) != len(named) or any(name not in buffers for name in named):
            raise BadInput(f"{kinds[0]}: a buffer that there is not, or twice")
        value.done()
        problem.relations.append((kinds[0], [buffers[name] for name in named], cost or 0))
    keys.done()
    return problem


COLUMNS = {"id": "id", "buffer": "id", "buffer_id": "id", "lower": "lower", "begin": "lower", "start": "lower", "upper": "upper",
           "end": "end", "size": "size", "alignment": "alignment", "offset": "offset", "hint": "hint", "gaps": "gaps"}


def read_csv(text, lifetimes, profile):
    lines = text.replace("\r\n", "\n").rstrip("\n").split("\n")
    header = [COLUMNS.get(cell.strip()) for cell in lines[0].split(",")]
    if None in header or len(set(header)) != len(header) or ("upper" in header) == ("end" in header):
        raise BadInput("a column that is unknown or stands twice")
    more = {"inclusive": 1, "half-open": 0, None: 1 if "end" in header else 0}[lifetimes]
    problem = Problem()
    problem.memories = profile_memories(profile) if profile is not None else [Memory("memory")]
    for line in lines[1:]:
        cells = [cell.strip() for cell in line.split(",")]
        if len(cells) != len(header):
            raise BadInput(f"{line!r}: {len(cells)} cells instead of {len(header)}")
        row = dict(zip(header, cells))
        if not {"id", "lower", "size"} <= set(row) or not row["id"]:
            raise BadInput("id, lower, upper or end, and size have to be there")
        b = Buffer(row["id"])
        b.lives = [(number(row["lower"]), number(row.get("upper", row.get("end"))) + more)]
        b.size, b.alignment = size(row["size"]), size(row.get("alignment") or "1")
        b.offset = size(row["offset"]) if row.get("offset") else None
        for gap in row.get("gaps", "").split():
            match = re.fullmatch(r"([0-9]+)-([0-9]+)(?:@([0-9]+):([0-9]+))?", gap)
            if not match:
                raise BadInput(f"{gap!r} is not a gap")
            b.gaps.append((int(match[1]), int(match[2]) + more, (int(match[3]), int(match[4])) if match[3] else None))
        problem.buffers.append(b)
    if not problem.buffers or len({b.name for b in problem.buffers}) != len(problem.buffers):
        raise BadInput("no buffer, or two with one id")
    return problem


def read_problem(data, lifetimes=None, profile=None):
    """The problem in the bytes of a file; its parts are not checked yet. Lifetimes apply to CSV only."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise BadInput("not UTF-8") from None
    if text.lstrip().startswith("{"):
        raise BadInput("JSON problems are more than this reader knows")
    for line in text.split("\n"):
        if line.strip() and not line.lstrip().startswith("#"):
            colon, comma = line.find(":"), line.find(",")
            if colon >= 0 and (comma < 0 or colon < comma):
                return read_yaml(text, profile)
            break
    return read_csv(text, lifetimes, profile)


def lcm(a, b):
    return a * b // gcd(a, b)
