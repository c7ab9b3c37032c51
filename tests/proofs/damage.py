"""Corrupts certificates, like a faulty disk or a forger who knows the format."""

import re

# Boundary values of 64-bit arithmetic.
EDGES = (0, -1, 1, 2, 1 << 24, (1 << 60) - 1, 1 << 60, 1 << 61, (1 << 62) - 1, 1 << 62, (1 << 62) + 1, (1 << 63) - 1, 1 << 63, 1 << 64,
         -(1 << 61), -(1 << 62), -(1 << 62) - 1, -(1 << 63), -(1 << 63) - 1, 10**30)


def seal(data):
    value = 0xcbf29ce484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001b3 & 0xffffffffffffffff
    return value


def sealed(text):
    data = text.encode()
    return data + b"end %016x\n" % seal(data)


def unsealed(certificate):
    return certificate[:certificate.rindex(b"end ")].decode()


def number_changed(chance, line, lines):
    found = list(re.finditer(r"-?[0-9]+", line))
    if not found:
        return line
    one = chance.choice(found)
    value = int(one[0])
    pick = chance.random()
    if pick < 0.4:
        value += chance.choice((-2, -1, 1, 2))
    elif pick < 0.5:
        value ^= 1
    elif pick < 0.6:
        value = -value
    elif pick < 0.8:
        others = re.findall(r"-?[0-9]+", chance.choice(lines))
        value = int(chance.choice(others)) if others else 7
    else:
        value = chance.choice(EDGES)
    return line[:one.start()] + str(value) + line[one.end():]


def literal_dropped(chance, line):
    """A clause, a step or a rule with one literal removed, and the correct count."""
    words = line.split(" ")
    at = 2 if words[0] in "al" else 3 if words[1:2] != ["-1"] else 2
    if words[0] not in "aletwnsrg" or len(words) <= at or not words[at].isdigit():
        return line
    count = int(words[at])
    if count == 0 or len(words) < at + 1 + 2 * count:
        return line
    gone = at + 1 + 2 * chance.randrange(count)
    return " ".join(words[:at] + [str(count - 1)] + words[at + 1:gone] + words[gone + 2:])


def item_dropped(chance, line):
    """A rule about items with one item removed, or one duplicated."""
    words = line.split(" ")
    at = 2 if words[1:2] == ["-1"] else 3
    if words[0] not in "wn" or len(words) <= at or not words[at].isdigit():
        return line
    at += 1 + 2 * int(words[at])
    items = words[at + 1:]
    if not items:
        return line
    if chance.random() < 0.5:
        items.pop(chance.randrange(len(items)))
    else:
        items.append(chance.choice(items))
    return " ".join(words[:at] + [str(len(items))] + items)


def declared(lines):
    """(number, letter) of each variable that the lines declare."""
    return [(int(words[1]), words[0]) for words in (line.split(" ") for line in lines)
            if words[0] in "opvhfjmkbxu" and len(words) > 2 and words[1].isdigit()]


def new_line(chance, lines):
    """A plausible line."""
    variables = declared(lines) or [(0, "o")]
    offsets = [v for v, letter in variables if letter == "o"] or [0]
    orders = [v for v, letter in variables if letter in "pv"] or offsets

    def literal():
        v, letter = chance.choice(variables)
        value = 1 if letter != "o" else chance.randint(-20, 20)
        return f"{2 * v + chance.randrange(2)} {value}"

    def some(most):
        count = chance.randint(0, most)
        return f"{count}" + "".join(" " + literal() for _ in range(count))
    fresh = max(v for v, _ in variables) + 1
    small = chance.randrange
    literal_or_none = literal() if chance.random() < 0.7 else "-1"
    return chance.choice((
        lambda: f"y {2 * chance.choice(orders) + small(2)}",
        lambda: f"z {2 * chance.choice(orders) + small(2)}",
        lambda: f"p {fresh} {small(8)} {small(8)}",
        lambda: f"v {fresh} {small(8)} {small(8)}",
        lambda: f"i {small(6)} {small(3)} {small(9)}",
        lambda: f"h {fresh} {chance.choice(offsets)} {chance.choice(offsets)} {chance.randint(-6, 6)}",
        lambda: f"f {fresh} {chance.choice(offsets)} {chance.choice(offsets)} {chance.randint(-9, 3)} {chance.randint(-3, 9)}",
        lambda: f"j {fresh} {chance.choice(offsets)} {chance.choice(offsets)} {chance.randint(-6, 6)}",
        lambda: f"m {fresh} {small(6)} {small(3)}",
        lambda: f"k {fresh} {small(2)} {small(5)} {small(4)}",
        lambda: f"b {fresh} {small(2)} {small(5)} {small(3)} {small(3)}",
        lambda: f"x {fresh} {small(6)} {small(6)}",
        lambda: f"u {fresh} {small(2)} {small(4)}",
        lambda: f"a {fresh} {some(3)}",
        lambda: f"a {fresh} {some(2)}",
        lambda: f"a {fresh} 1 {2 * chance.choice(offsets)} {chance.randint(-2, 8)}",
        lambda: f"a {fresh} 1 {2 * chance.choice(offsets) + 1} {chance.randint(-30, 0)}",
        lambda: f"l {fresh} {some(2)}\nq",
        lambda: f"s {small(4)} {chance.randint(0, 2)}",
        lambda: f"d 1 {small(30)}",
        lambda: f"c {small(30)}",
        lambda: f"e {literal_or_none} {some(2)}",
        lambda: f"t {literal_or_none} {some(4)}",
        lambda: f"s {literal()} 0",
        lambda: f"r {literal()} {some(1)}",
        lambda: f"g {literal_or_none} 0",
        lambda: f"w {literal_or_none} {some(3)} 2 {small(6)} {small(6)}",
        lambda: f"n {literal_or_none} {some(1)} 3 {small(6)} {small(6)} {small(6)}",
    ))()


def step_of_one_rule(chance, lines):
    """An additional step proved by one rule, without premises: valid or not, depending on known facts."""
    variables = declared(lines) or [(0, "o")]
    v, letter = chance.choice([one for one in variables if one[1] == "o" and chance.random() < 0.6] or variables)
    literal = f"{2 * v + chance.randrange(2)} {1 if letter != 'o' else chance.randint(-25, 12)}"
    rule = chance.choice("errrwnngs")
    items = sum(line.startswith("i ") for line in lines) or 1
    tail = ""
    if rule in "wn":
        chosen = [str(chance.randrange(items)) for _ in range(chance.randint(1, 4))]
        tail = f" {len(chosen)} {' '.join(chosen)}"
    return f"l 900000 1 {literal}\n{rule} {literal} 0{tail}\nq"


def clause_moved(chance, lines):
    """A copy of a clause of the problem with one bound changed: valid or not by itself."""
    offsets = {str(2 * v + side) for v, letter in declared(lines) if letter == "o" for side in (0, 1)}
    places = [n for n, line in enumerate(lines) if line.startswith("a ")]
    if not places:
        return
    n = chance.choice(places)
    words = lines[n].split(" ")
    bounds = [at + 1 for at in range(3, len(words) - 1, 2) if words[at] in offsets and re.fullmatch(r"-?[0-9]+", words[at + 1])]
    if bounds:
        at = chance.choice(bounds)
        words[at] = str(int(words[at]) + chance.choice((-2, -1, 1, 1, 2)))
        lines.insert(n + 1, " ".join(["a", "900001"] + words[2:]))


def gap_moved(chance, lines):
    """The range of differences of two buffers moved or widened by one, or assigned to other buffers."""
    places = [n for n, line in enumerate(lines) if line[:2] in ("f ", "j ")]
    if not places:
        return
    n = chance.choice(places)
    words = lines[n].split(" ")
    if chance.random() < 0.3:
        other = lines[chance.choice(places)].split(" ")
        words[2:4] = chance.choice((other[2:4], words[3:1:-1]))
    else:
        at = chance.randrange(4, len(words))
        if re.fullmatch(r"-?[0-9]+", words[at]):
            words[at] = str(int(words[at]) + chance.choice((-1, 1)))
    lines[n] = " ".join(words)


def step_moved(chance, lines):
    """A copy of a step of one or two lines with one bound changed everywhere."""
    ends = [n for n, line in enumerate(lines) if line == "q"]
    begins = [n for n, line in enumerate(lines) if line.startswith("l ")]
    steps = [(b, e) for b, e in zip(begins, ends) if 0 < e - b <= 3]
    if not steps:
        return
    begin, end = chance.choice(steps)
    offsets = {str(2 * v + side) for v, letter in declared(lines) if letter == "o" for side in (0, 1)}
    words = lines[begin].split(" ")
    bounds = [at for at in range(3, len(words) - 1, 2) if words[at] in offsets]
    if not bounds:
        return
    at = chance.choice(bounds)
    old = f"{words[at]} {words[at + 1]}"
    if not re.fullmatch(r"[0-9]+ -?[0-9]+", old):
        return
    new = f"{words[at]} {int(words[at + 1]) + chance.choice((-2, -1, 1, 1, 2))}"
    copy = [re.sub(rf"(?<= ){old}(?= |$)", new, line) for line in lines[begin:end + 1]]
    copy[0] = re.sub(r"^l [^ ]*", "l 900002", copy[0])
    lines[end + 1:end + 1] = copy


def claim_changed(chance, line):
    kind = chance.choice(("infeasible", "height", "height", "cost", "modes", "switches", "benefit", "benefit"))
    if kind == "benefit":
        return f"claim benefit {chance.choice((-2, -1, 0, 1, 375, 1000, 5000, 1 << 61, (1 << 61) + 1))}"
    if kind == "infeasible":
        return "claim infeasible"
    least = chance.choice((0, 1, 1, 2, 3, 5, 8, 12, 1 << 60, 1 << 61, (1 << 61) + 1))
    return f"claim {kind} {least}" + (chance.choice((" 0", " 0 1", " 1", "")) if kind == "height" else "")


# Invalid options of reading.
NO_READINGS = ("read", "read ", "read steps all", "read Lifetimes inclusive", "read lifetimes", "read lifetimes open",
               "read lifetimes half-open ", "read  lifetimes half-open", "read profile ", "read profile a\tb")
TWO_READINGS = ("read lifetimes half-open\nread lifetimes inclusive", "read profile nvdla-like\nread profile nvdla-like")


def spelled_otherwise(chance, line):
    """A spelling that looks the same to a human reader."""
    return chance.choice((line + " ", " " + line, line.replace(" ", "  ", 1), re.sub(r" ([0-9])", r" 0\1", line, count=1),
                          re.sub(r" ([0-9])", r" +\1", line, count=1), line + "\r", line + "\t", line.upper(),
                          re.sub(r" 0\b", " -0", line, count=1), line + " 0", re.sub(r" [^ ]*$", "", line)))


def damaged(chance, text):
    """Returns (the text with one change, description of the change); without its last line, as the input."""
    lines = text.split("\n")[:-1]
    if not lines:
        return text + "claim infeasible\n", "too short"
    at = chance.randrange(len(lines))
    what = chance.choice(("number", "number", "number", "number", "line dropped", "line doubled", "lines exchanged", "line moved",
                          "literal dropped", "literal dropped", "item dropped", "letter", "claim", "cut off", "spelling",
                          "new line", "new line", "own step", "own step", "clause moved", "clause moved", "step moved", "step moved", "gap moved", "read line"))
    body = [n for n, line in enumerate(lines) if line[:1] in "aletwnsrg" and line[1:2] == " "]
    # Outside of steps, before the first contradiction.
    starts = [n for n, line in enumerate(lines) if line.startswith("l ")] or [at]
    if what == "number":
        lines[at] = number_changed(chance, lines[at], lines)
    elif what == "line dropped":
        del lines[at]
    elif what == "line doubled":
        lines.insert(chance.randrange(len(lines) + 1), lines[at])
    elif what == "lines exchanged":
        other = min(at + 1, len(lines) - 1)
        lines[at], lines[other] = lines[other], lines[at]
    elif what == "line moved":
        line = lines.pop(at)
        lines.insert(chance.randrange(len(lines) + 1), line)
    elif what == "literal dropped" and body:
        at = chance.choice(body)
        lines[at] = literal_dropped(chance, lines[at])
    elif what == "item dropped" and body:
        at = chance.choice(body)
        lines[at] = item_dropped(chance, lines[at])
    elif what == "letter":
        lines[at] = chance.choice("oipvhfjmkbxuyzaldscetwnsrgq") + lines[at][1:]
    elif what == "claim":
        claims = [n for n, line in enumerate(lines) if line.startswith("claim")] or [at]
        at = chance.choice(claims)
        lines[at] = claim_changed(chance, lines[at])
    elif what == "cut off":
        text = text[:chance.randrange(1, len(text))]
        return (text, what) if chance.random() < 0.5 else (text + "\n", what)
    elif what == "spelling":
        lines[at] = spelled_otherwise(chance, lines[at])
    elif what == "read line":
        lines.insert(1, chance.choice(NO_READINGS))
    elif what == "new line":
        where = chance.choice(starts) if chance.random() < 0.7 else at
        inside = chance.random() < 0.4
        lines.insert(min(where + inside, len(lines)), new_line(chance, lines))
    elif what == "clause moved":
        clause_moved(chance, lines)
    elif what == "gap moved":
        gap_moved(chance, lines)
    elif what == "step moved":
        step_moved(chance, lines)
    elif what == "own step":
        lines.insert(chance.choice(starts), step_of_one_rule(chance, lines))
    return "\n".join(lines) + "\n", what


def other_problem(chance, text):
    """The YAML of a problem with one number changed."""
    found = list(re.finditer(r"(?<=[ \[])[0-9]+(?=[,\]\n])", text))
    if not found:
        return text
    one = chance.choice(found)
    value = max(0, int(one[0]) + chance.choice((-3, -2, -1, 1, 2, 3)))
    return text[:one.start()] + str(value) + text[one.end():]
