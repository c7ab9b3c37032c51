#!/usr/bin/env python3
"""A second checker of certificates, written from docs/reference/proofs.md and docs/reference/problems.md alone.

    second_checker.py INPUT CERTIFICATE

It shares no code with the program, so that both can be compared, and relies on no statement of a
certificate. For each claim it prints `proved: ...` and ends with 0; if the certificate does not prove its
claim, `not proved: line N: why` and 3; if the input cannot be read, 2. All numbers are Python integers: no
overflow.
"""

import re
import sys
from copy import copy
from functools import lru_cache
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from second_choice import Choice  # noqa: E402
from second_derivation import Derivation  # noqa: E402
from second_facts import UNLIMITED, Refuted, Wrong, index_of, numbers  # noqa: E402
from second_reader import BadInput, read_problem  # noqa: E402


def sealed_lines(data):
    """The lines before the last one, which has to contain the right hash."""
    head, newline, last = data[:-1].rpartition(b"\n")
    if not data.endswith(b"\n") or not re.fullmatch(rb"end [0-9a-fA-F]{16}", last):
        raise Wrong("the last line is not `end` and a hash")
    value = 0xcbf29ce484222325
    for byte in head + newline:
        value = (value ^ byte) * 0x100000001b3 & 0xffffffffffffffff
    if int(last[4:], 16) != value:
        raise Wrong("the hash is not that of the file")
    return head.decode("utf-8", "surrogateescape").split("\n")


def read_claim(line, memories):
    """(kind, number, memories of a height)."""
    words = line.split(" ")
    if line == "claim infeasible":
        return "infeasible", 0, []
    if words[:2] == ["claim", "benefit"] and len(words) == 3:
        most = numbers(words[2], 1)[0]
        if not -1 <= most <= UNLIMITED:
            raise Wrong("a benefit below -1, or of too much")
        return "benefit", most, []
    if words[0] != "claim" or len(words) < 3 or words[1] not in ("height", "cost", "modes", "switches"):
        raise Wrong("a claim that there is not")
    values = numbers(" ".join(words[2:]))
    if not values or not 1 <= values[0] <= UNLIMITED:
        raise Wrong("a claim of less than 1, or of too much")
    if words[1] != "height":
        if len(values) != 1:
            raise Wrong("a claim with words too many")
    elif len(values) < 2 or values[1:] != sorted(set(values[1:])) or not 0 <= values[1] <= values[-1] < memories:
        raise Wrong("a height of memories that there are not, or not in ascending order")
    return words[1], values[0], values[1:]


def claim_text(claim, problem, given, how):
    """The claim, the capacities it assumes, and the options of reading."""
    kind, value, memories = claim
    text = kind if kind == "infeasible" else f"{kind} >= {value}"
    if kind == "benefit":
        text = f"benefit <= {value // 1000}" + (f".{value % 1000:03}".rstrip("0") if value % 1000 else "")
        if value < 0:
            kind, text = "infeasible", "infeasible whatever is left out"
    if kind == "height":
        text = f"max height of {{{', '.join(problem.memories[m].name for m in memories)}}} >= {value}"
    assumed = [f"{memory.name} of {memory.capacity}" for memory, own in zip(problem.memories, given.memories)
               if memory.capacity is not None and (kind == "infeasible" or own.capacity is None)]
    read = [f"{key} {how[key]}" for key in READINGS if key in how]
    return text + (" with " if assumed else "") + ", ".join(assumed) + (", read with " if read else "") + " and ".join(read)


# --- cuts ----------------------------------------------------------------------------------------------------------------


def cut_lines(lines, refuted):
    """Parses the lines of a cut."""
    said = {"step": None, "range": None, "grain": None, "asked": None, "memory": [], "buffer": []}
    for line in lines:
        word, _, rest = line.partition(" ")
        if word in ("memory", "buffer"):
            said[word].append(index_of(refuted.problem, word, rest, line, said[word]))
        elif word == "asked" and not said[word] and (match := re.fullmatch(r"([0-9-]+) available ([0-9-]+)", rest)):
            said[word] = numbers(match[1], 1) + numbers(match[2], 1)
        elif word in ("step", "range", "grain") and said[word] is None:
            said[word] = numbers(rest, 2 if word == "range" else 1)
        else:
            raise Wrong(f"{line!r} is no line of a cut, or stands twice")
    if not said["asked"]:
        raise Wrong("`asked A available B` is missing")
    return said


def stretches(refuted, m, grain, span):
    """The lengths of the stretches of memory m."""
    memory = refuted.problem.memories[m]
    low, high = 0, refuted.capacity[m]
    if span:
        low, high = span[0], min(high, span[1])
    borders = [end for _, end, _ in memory.banks] if not memory.straddle else []
    pieces, at = [], low
    for begin, end in sorted(refuted.reserved[m]) + [(high, high)]:
        if at < min(begin, high):
            pieces.append((at, min(begin, high)))
        at = max(at, end)
    found = []
    for begin, end in pieces:
        cuts = [begin] + sorted(c for c in borders if begin < c < end) + [end]
        for one, two in zip(cuts, cuts[1:]):
            one += -one % grain
            if one < two:
                found.append(two - one)
    return found


def check_cut(lines, refuted, seen):
    said = cut_lines(lines, refuted)
    asked, available = said["asked"]
    problem, span = refuted.problem, said["range"]
    grain = said["grain"][0] if said["grain"] else 1
    if grain < 1 or (span and not 0 <= span[0] <= span[1] <= UNLIMITED):
        raise Wrong("a grain below 1, or a range that is none")
    items, sizes = [], []
    for n in said["buffer"]:
        b, item = problem.buffers[n], None
        if said["step"]:
            item = next(((p[2], p[3]) for p in refuted.parts[n] if p[0] <= said["step"][0] < p[1]), None)
        begin, end = item or (0, b.size)
        length = end - begin
        if b.tiles:
            runs = (b.used(said["step"][0]) if said["step"] else []) or b.used()
            begin, end, length = runs[0][0], runs[-1][1], sum(two - one for one, two in runs)
        items.append((n, begin, end))
        sizes.append(length)
        if length != end - begin and grain != 1:
            raise Wrong(f"item of {b.name}: it is not in one piece, and there is a grain")
        if begin % grain:
            raise Wrong(f"item of {b.name}: its begin is no multiple of the grain")
        for m in refuted.allowed[n]:
            if m not in said["memory"]:
                raise Wrong(f"buffer {b.name} may be in a memory that is not named")
            if refuted.alignment(n, m) % grain:
                raise Wrong(f"buffer {b.name}: its alignment is no multiple of the grain")
            if span:
                low, high = refuted.range_in(n, m)
                if not b.tiles:
                    low, high = low + begin, high - b.size + end
                if low < span[0] or high > span[1]:
                    raise Wrong(f"buffer {b.name} can leave the range")
    if not span and not all(refuted.limited[m] for m in said["memory"]):
        raise Wrong("a memory without a limit")
    reasons = set()

    def together(one, two):
        """Both occupy their counted ranges at the step."""
        lives = said["step"] and all(any(p[0] <= said["step"][0] < p[1] for p in refuted.parts[n]) for n in (one, two))
        return "one step" if lives and one != two and not refuted.exempt(one, two) else None

    for at, one in enumerate(items):
        for two in items[:at]:
            why = together(one[0], two[0]) or refuted.kept_apart(*one, *two)
            reasons.add(why)
            if not why:
                raise Wrong(f"items of {problem.buffers[one[0]].name} and {problem.buffers[two[0]].name} may overlap")
    lengths = [length for m in said["memory"] for length in stretches(refuted, m, grain, span)]
    added = sorted((-length % grain for length in sizes), reverse=True)
    need = sum(sizes) + sum(added[min(len(lengths), len(items)):])
    if (asked, available) != (need, sum(lengths)):
        raise Wrong(f"asked is {need}, available is {sum(lengths)}")
    if asked <= available:
        raise Wrong("no more is asked for than there is")
    if seen is not None:
        seen.update(f"cut with {word}" for word in ("step", "range", "grain") if said[word])
        seen.update(f"cut kept apart by {why}" for why in reasons if not said["step"])
        seen.update(["cut with two memories"] if len(said["memory"]) > 1 else [])


def derive(seen):
    """Checks the lines of a derivation, the first of which has this number in the file."""
    def check_derivation(lines, refuted, first):
        derivation = Derivation(refuted, sum(len(each.encode("utf-8", "replace")) + 1 for each in lines), seen)
        at = first - 1
        try:
            for at, line in enumerate(lines, first):
                derivation.line(line)
            derivation.finish()
        except Wrong as wrong:
            raise Wrong(str(wrong), wrong.line or at) from None
    return check_derivation


# --- certificates --------------------------------------------------------------------------------------------------------


def split(lines, at):
    """The proofs of a certificate from line `at` on: (claim line, kind line, begin, end of the body)."""
    while at < len(lines):
        end = at + 1
        while end < len(lines) and not lines[end].startswith("claim"):
            end += 1
        yield at, end
        at = end


READINGS = ("profile", "lifetimes")


def add_reading(line, how, number):
    """A line `read`: one of two keys, at most once, with a known value."""
    _, key, value = (line.split(" ", 2) + [""])[:3]
    if key not in READINGS or key in how or not value or any(ord(c) < 32 or ord(c) == 127 for c in value):
        raise Wrong("`read` is followed by profile or lifetimes, each once, and its value", number)
    if key == "lifetimes" and value not in ("half-open", "inclusive"):
        raise Wrong("lifetimes are half-open or inclusive", number)
    how[key] = value


def head_of(lines):
    """The options of reading, the capacities, and the begin of the claims."""
    if lines[0] != "tessera proof/2":
        raise Wrong("the first line is not `tessera proof/2`", 1)
    at, how, capacities = 1, {}, []
    while at < len(lines) and lines[at].startswith(("read ", "capacity ")):
        if lines[at].startswith("read "):
            add_reading(lines[at], how, at + 1)
            at += 1
            continue
        words = lines[at].split(" ", 3)
        try:
            capacities.append((at + 1, *numbers(" ".join(words[1:3]), 2), words[3] if len(words) == 4 else None))
        except Wrong as wrong:
            raise Wrong(str(wrong), at + 1) from None
        at += 1
    return how, capacities, at


@lru_cache(maxsize=4)
def problem_of(input_data, how):
    """The problem in the bytes of a file; shared by later certificates, so it must not change."""
    problem = read_problem(input_data, **dict(how))
    problem.check()
    if "profile" in dict(how):  # stated only by the certificate, as are the capacities
        for memory in problem.memories:
            memory.capacity = memory.capacity if memory.banks else None
    return problem


def with_capacities(given, capacities):
    """The problem with these capacities and no others."""
    problem = copy(given)
    problem.memories = [copy(memory) for memory in given.memories]
    for memory in problem.memories:
        memory.capacity = None
    for line, m, capacity, name in capacities:
        if not 0 <= m < len(problem.memories) or problem.memories[m].name != name:
            raise Wrong("not a memory of the input", line)
        if problem.memories[m].capacity is not None:
            raise Wrong("two capacities of one memory", line)
        problem.memories[m].capacity = capacity
    try:
        problem.check()
    except BadInput as error:
        raise Wrong(f"with these capacities the input is none: {error}", len(capacities)) from None
    for memory, own in zip(problem.memories, given.memories):
        if own.capacity is not None and memory.capacity is not None and memory.capacity < own.capacity:
            raise Wrong(f"memory {memory.name} has {own.capacity} bytes in the input, not {memory.capacity}", 2)
    return problem


def check(input_data, data, seen=None):
    """The lines to print, if all is proved; raises Wrong or BadInput. `seen` collects the kinds of lines."""
    lines = sealed_lines(data)
    how, capacities, at = head_of(lines)
    given = problem_of(input_data, tuple(sorted(how.items())))
    problem = with_capacities(given, capacities)
    if at == len(lines) or not lines[at].startswith("claim "):
        raise Wrong("there is no claim", at + 1)
    result = []
    for begin, end in split(lines, at):
        line = begin
        try:
            claim = read_claim(lines[begin], len(problem.memories))
            line = begin + 1
            kind = lines[line] if line < end else ""
            refuted = Refuted(problem, claim)
            if kind == "choice" and claim[0] == "benefit":
                Choice(refuted, lambda lines, about, _: check_cut(lines, about, seen), derive(seen), stretches, seen).check(
                    lines[begin + 2:end], begin + 3)
            elif claim[0] == "benefit":
                raise Wrong("a benefit is proved by a choice")
            elif kind == "cut" and claim[0] in ("infeasible", "height"):
                line = end - 1
                check_cut(lines[begin + 2:end], refuted, seen)
            elif kind == "derivation":
                line = begin + 2
                derive(seen)(lines[begin + 2:end], refuted, begin + 3)
            else:
                raise Wrong("not a kind of proof for this claim")
        except Wrong as wrong:
            raise Wrong(str(wrong), wrong.line or line + 1) from None
        if seen is not None:
            seen.update((f"claim {claim[0]}", f"{kind} of {claim[0]}"))
        result.append("proved: " + claim_text(claim, problem, given, how))
    return result


def main(arguments):
    if len(arguments) != 2:
        print("usage: second_checker.py INPUT CERTIFICATE", file=sys.stderr)
        return 2
    try:
        print("\n".join(check(Path(arguments[0]).read_bytes(), Path(arguments[1]).read_bytes())))
        return 0
    except Wrong as wrong:
        print(f"not proved: line {wrong.line or 1}: {wrong}")
        return 3
    except (BadInput, OSError) as error:
        print(f"second_checker.py: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
