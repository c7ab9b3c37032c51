"""Derivations as described in docs/reference/proofs.md: known facts, declarations, clauses of the problem, steps."""

from second_facts import LARGE, NOTHING, Wrong, numbers
from second_rules import RULES
from second_boxes import Boxes

# How many numbers a line has.
COUNTS = {"o": 2, "i": 3, "p": 3, "v": 3, "h": 4, "f": 5, "j": 4, "m": 3, "k": 4, "b": 5, "x": 3, "u": 3, "t": 4, "y": 1, "z": 1, "s": 2}


class Derivation:
    """Reads a derivation line by line. finish() raises Wrong unless the facts then contradict each other.

    known: the bound of each key (NOTHING where an offset has none yet, 0 where a truth value is not known).
    other: the negation of `key value` is `key ^ 1, other[v] - value`. kind[v]: (letter, ...) as declared.
    """

    def __init__(self, refuted, proof_bytes, seen=None):
        self.refuted, self.limit, self.seen = refuted, min(proof_bytes, 1 << 24), seen
        self.known, self.other, self.stride, self.size, self.kind = {}, {}, {}, {}, {}
        self.offset_of, self.places, self.items = {}, {}, []
        self.trail, self.clauses = [], {}
        self.dead = self.in_step = self.shown = False
        self.turned = False
        self.paid, self.left, self.cores = set(), {}, []
        self.changed = {}
        self.outside = {"o": self.declare_offset, "i": self.declare_item, "p": self.declare_order, "v": self.declare_below,
                        "h": self.declare_distance, "f": self.declare_gap, "j": self.declare_half_gap, "m": self.declare_memory, "k": self.declare_mode, "b": self.declare_role,
                        "x": self.declare_overlap, "u": self.declare_use, "t": self.declare_change, "y": self.swap, "z": self.turn, "a": self.clause,
                        "l": self.begin_step, "d": self.forget, "s": self.core}

    def line(self, text):
        letter, _, rest = text.partition(" ")
        if len(letter) != 1:
            raise Wrong(f"{text[:60]!r} is no line of a derivation")
        if self.in_step:
            if letter == "q" and text == "q":
                self.end_step()
            elif letter == "c":
                self.by_clause(numbers(rest, 1, LARGE)[0])
            elif letter in RULES:
                self.by_rule(letter, numbers(rest, None, LARGE))
            else:
                raise Wrong(f"{text[:60]!r}: no line of a step")
        elif letter in self.outside:
            values = numbers(rest, None, LARGE)
            if letter in "ald":
                self.outside[letter](values)
            elif len(values) == COUNTS[letter]:
                self.outside[letter](*values)
            else:
                raise Wrong(f"{text[:60]!r}: not as many numbers as there should be")
        else:
            raise Wrong(f"{text[:60]!r}: no line outside of a step")
        if self.seen is not None:
            self.seen.add(("rule " if self.in_step and letter not in "l" or letter == "q" else "line ") + letter)

    def finish(self):
        if self.in_step:
            raise Wrong("the last step is not at its end")
        if not self.dead:
            raise Wrong("nothing contradicts the claim yet")

    # --- what is known ---------------------------------------------------------------------------------------------------

    def assume(self, key, value):
        """Asserts a literal; returns whether that is a contradiction."""
        v, known = key >> 1, self.known
        stride = self.stride[v]
        if stride > 1:
            value += (-self.size[v] - value if key & 1 else -value) % stride
        old = known[key]
        if old >= value:
            return False
        self.trail.append((key, old))
        known[key] = value
        return known[key ^ 1] >= self.other[v] - value

    def deny(self, literals):
        """Asserts the negation of each; returns whether that is a contradiction."""
        return any([self.assume(key ^ 1, self.other[key >> 1] - value) for key, value in literals])

    def undo(self, length):
        while len(self.trail) > length:
            key, old = self.trail.pop()
            self.known[key] = old

    def fact(self, key, value):
        if self.assume(key, value):
            self.dead = True
        self.trail.clear()

    def fails(self, key, value):
        return self.known[key ^ 1] >= self.other[key >> 1] - value

    def memories_left(self, b):
        """The remaining memories of a buffer."""
        allowed = self.refuted.allowed[b]
        if len(allowed) == 1:
            return allowed
        places, known = self.places.get(b, ()), self.known
        sure = {m for v, m in places if known[2 * v]}
        gone = {m for v, m in places if known[2 * v + 1]}
        return [m for m in allowed if m not in gone and sure <= {m}]

    # --- reading ---------------------------------------------------------------------------------------------------------

    def literal(self, key, value):
        if key < 0 or key >> 1 not in self.kind:
            raise Wrong(f"key {key}: no such variable")
        if value != 1 and self.kind[key >> 1][0] != "o":
            raise Wrong(f"literal {key} {value}: the value of a truth value is 1")
        return key, value

    def literals(self, values, at):
        """A count and that many literals, and the position after them."""
        if at >= len(values) or values[at] < 0 or at + 1 + 2 * values[at] > len(values):
            raise Wrong("literals are missing")
        end = at + 1 + 2 * values[at]
        return [self.literal(*values[i:i + 2]) for i in range(at + 1, end, 2)], end

    def item(self, i):
        if not 0 <= i < len(self.items):
            raise Wrong(f"item {i} has not been declared")
        return self.items[i]

    def buffer(self, b):
        if not 0 <= b < len(self.refuted.problem.buffers):
            raise Wrong(f"there is no buffer {b}")
        return b

    def memory(self, m):
        if not 0 <= m < len(self.refuted.problem.memories):
            raise Wrong(f"there is no memory {m}")
        return self.refuted.problem.memories[m]

    # --- declarations ----------------------------------------------------------------------------------------------------

    def declare(self, v, *what):
        if not 0 <= v < self.limit or v in self.kind:
            raise Wrong(f"variable {v} is too large, or declared twice")
        self.kind[v] = what
        self.known[2 * v] = self.known[2 * v + 1] = 0
        self.other[v], self.stride[v], self.size[v] = 2, 1, 0

    def declare_offset(self, v, b):
        if self.buffer(b) in self.offset_of:
            raise Wrong(f"buffer {b} has been declared")
        self.declare(v, "o", b)
        self.offset_of[b] = v
        self.size[v] = self.refuted.problem.buffers[b].size
        self.known[2 * v] = self.known[2 * v + 1] = NOTHING
        self.other[v], self.stride[v] = 1 - self.size[v], self.refuted.stride[b]
        low, high = self.refuted.room(b)
        self.fact(2 * v, low)
        self.fact(2 * v + 1, -high)

    def declare_item(self, b, begin, end):
        if self.buffer(b) not in self.offset_of or not 0 <= begin < end <= self.refuted.problem.buffers[b].size:
            raise Wrong("an item of a buffer that has not been declared, or not inside it")
        if self.refuted.has_parts(b):
            raise Wrong("an item of a buffer with parts")
        self.items.append((b, begin, end))

    def declare_order(self, v, i, j):
        one, two = self.item(i), self.item(j)
        tied = self.refuted.tied(one[0])
        if tied is None or tied != self.refuted.tied(two[0]) or not self.refuted.apart(*one, *two):
            raise Wrong("an order of items that may overlap, or be in different memories")
        self.declare(v, "p", i, j)

    def declare_below(self, v, i, j):
        if self.item(i)[0] == self.item(j)[0]:
            raise Wrong("two items of one buffer")
        self.declare(v, "v", i, j)

    def declare_distance(self, v, x, y, distance):
        if any(self.kind.get(u, "-")[0] != "o" for u in (x, y)) or x == y:
            raise Wrong("a distance between other things than two offsets")
        lower, upper = self.kind[x][1], self.kind[y][1]
        if self.refuted.has_parts(lower, upper):
            raise Wrong("a distance of a buffer with parts")
        if not (distance == 0 and "same_offset" in self.refuted.related(lower, upper)):
            sizes = self.refuted.problem.buffers
            for kind, buffers, _ in self.refuted.problem.relations:
                steps = list(zip(buffers, buffers[1:])) if kind == "adjacent" else []
                if ((lower, upper) in steps and distance == sizes[lower].size) or (
                        (upper, lower) in steps and distance == -sizes[upper].size):
                    break
            else:
                raise Wrong("no relation says this distance")
        self.declare(v, "h", x, y, distance)
        self.fact(2 * v, 1)

    def offsets(self, x, y):
        """The buffers of two offsets."""
        if any(self.kind.get(u, "-")[0] != "o" for u in (x, y)) or x == y:
            raise Wrong("a difference of other things than two offsets")
        return self.kind[x][1], self.kind[y][1]

    def declare_gap(self, v, x, y, low, high):
        one, two = self.offsets(x, y)
        tied = self.refuted.tied(one)
        if tied is None or tied != self.refuted.tied(two) or not self.refuted.always_meet(one, two, low, high):
            raise Wrong("buffers that do not meet at every difference in between, or may be in different memories")
        self.declare(v, "f", x, y, low, high)

    def declare_half_gap(self, v, x, y, distance):
        self.offsets(x, y)
        self.declare(v, "j", x, y, distance)

    def declare_memory(self, v, b, m):
        self.buffer(b), self.memory(m)
        self.declare(v, "m", b, m)
        self.places.setdefault(b, []).append((v, m))

    def step(self, t):
        if not 0 <= t < self.refuted.steps:
            raise Wrong(f"there is no step {t}")

    def declare_mode(self, v, m, t, k):
        self.memory(m), self.step(t)
        if not 0 <= k < self.refuted.mode_count(m):
            raise Wrong("a mode that there is not")
        self.declare(v, "k", m, t, k)

    def declare_role(self, v, m, t, bank, role):
        memory = self.memory(m)
        self.step(t)
        if not memory.per_bank or not 0 <= bank < len(memory.banks) or not 0 <= role < len(memory.banks[bank][2]):
            raise Wrong("a role that there is not")
        self.declare(v, "b", m, t, bank, role)

    def declare_payment(self, v, cost, *what):
        if what in self.paid:
            raise Wrong("a payment is declared twice")
        self.declare(v, *what)
        self.paid.add(what)
        self.left[v] = cost

    def declare_overlap(self, v, a, b):
        kinds = self.refuted.related(self.buffer(a), self.buffer(b)) if a != b else ()
        if self.refuted.claim != "cost" or "avoid_overlap" not in kinds or kinds["avoid_overlap"] < 1:
            raise Wrong("nothing is paid for an overlap of these")
        self.declare_payment(v, kinds["avoid_overlap"], "x", min(a, b), max(a, b))

    def declare_use(self, v, m, k):
        self.memory(m)
        if self.refuted.claim != "modes" or not 0 <= k < self.refuted.mode_count(m):
            raise Wrong("a mode that there is not, or a claim that is not about modes")
        self.declare_payment(v, 1, "u", m, k)

    def declare_change(self, v, m, first, second):
        self.memory(m), self.step(first), self.step(second)
        if self.refuted.claim != "switches" or not self.changed.get(m, 0) <= first < second:
            raise Wrong("a claim that is not about switches, or changes that are not in the order of time")
        self.changed[m] = second
        self.declare_payment(v, 1, "t", m, first, second)

    # --- choices that change nothing -------------------------------------------------------------------------------------

    def order(self, key):
        """(lower item, upper item) of an order, or None."""
        what = self.kind[key >> 1]
        if what[0] == "p":
            return (what[2], what[1]) if key & 1 else (what[1], what[2])
        return (what[1], what[2]) if what[0] == "v" and not key & 1 else None

    def ordered_buffers(self, key):
        self.literal(key, 1)
        if self.kind[key >> 1][0] != "p":
            raise Wrong("not an order of a `p`")
        lower, upper = self.order(key)
        return self.items[lower][0], self.items[upper][0]

    def swap(self, key):
        lower, upper = self.ordered_buffers(key)
        if lower > upper or not self.refuted.twins(lower, upper):
            raise Wrong("buffers that are not twins, or the larger number below")
        below, above = self.order(key)
        if self.items[above][2] <= self.items[below][1]:
            raise Wrong("the order of twins does not say this of their items")
        self.fact(key, 1)

    def turn(self, key):
        pair = self.ordered_buffers(key)
        every = range(len(self.refuted.problem.buffers))
        if self.turned or not self.refuted.same_upside_down():
            raise Wrong("turned twice, or the problem does not look the same upside down")
        if any(self.refuted.twins(b, other) for b in pair for other in every):
            raise Wrong("a buffer that has a twin")
        self.turned = True
        self.fact(key, 1)

    # --- clauses ---------------------------------------------------------------------------------------------------------

    def clause(self, values):
        if not values:
            raise Wrong("a clause without a number")
        literals, end = self.literals(values, 1)
        if end != len(values):
            raise Wrong("words too many")
        open_ones = [one for one in literals if not self.fails(*one)]
        if not self.dead:
            holds = self.deny(literals)
            if holds:
                why = "contradiction"
            else:
                why = self.names_every_choice(literals) or self.says_use(literals) or self.says_change(literals) or Boxes(self).nothing_left(literals)
            self.undo(0)
            if not why:
                raise Wrong("no rule of the problem says this clause")
            if self.seen is not None:
                self.seen.add(f"clause: {why}")
        self.clauses[values[0]] = literals
        if len(open_ones) == 1:
            self.fact(*open_ones[0])
        elif not open_ones:
            self.dead = True

    def names_every_choice(self, literals):
        first = self.kind[literals[0][0] >> 1] if literals else ("-",)
        if first[0] not in "kbu":
            return None
        m = first[1]
        named = {what for what in (self.kind[key >> 1] for key, _ in literals if not key & 1) if what[:-1] == first[:-1]}
        if first[0] == "b":
            count = len(self.refuted.problem.memories[m].banks[first[3]][2])
        else:
            count = self.refuted.mode_count(m)
        if len(named) != count or (first[0] == "u" and not self.refuted.steps):
            return None
        return {"k": "every mode at a step", "b": "every role of a bank", "u": "some mode is used"}[first[0]]

    def says_use(self, literals):
        if len(literals) == 2:
            for one, two in (literals, literals[::-1]):
                k, u = self.kind[one[0] >> 1], self.kind[two[0] >> 1]
                if one[0] & 1 and not two[0] & 1 and k[0] == "k" and u[0] == "u" and k[1] == u[1] and k[3] == u[2]:
                    return "a mode that is used"
        return None

    def says_change(self, literals):
        changes = [key >> 1 for key, _ in literals if self.kind[key >> 1][0] == "t" and not key & 1]
        before = [self.kind[key >> 1] for key, _ in literals if self.kind[key >> 1][0] in "kb" and key & 1]
        after = [self.kind[key >> 1] for key, _ in literals if self.kind[key >> 1][0] in "kb" and not key & 1]
        if len(literals) != 3 or not len(changes) == len(before) == len(after) == 1:
            return None
        _, m, first, second = self.kind[changes[0]]
        same = [(one[0], one[3:]) for one in (before[0], after[0])]
        if before[0][1:3] == (m, first) and after[0][1:3] == (m, second) and same[0] == same[1]:
            return "a mode that stays, or a change"
        return None

    def forget(self, values):
        if not values or values[0] != len(values) - 1:
            raise Wrong("not as many clauses as there should be")
        for clause in values[1:]:
            self.clauses.pop(clause, None)

    def core(self, clause, weight):
        literals = self.clauses.get(clause)
        if literals is None or weight < 1 or any(key & 1 or key >> 1 not in self.left for key, _ in literals):
            raise Wrong("no clause of payments, or a weight below 1")
        payments = {key >> 1 for key, _ in literals}
        for v in payments:
            self.left[v] -= weight
            if self.left[v] < 0:
                raise Wrong("a payment has less left than the weight")
        self.cores.append((weight, payments))

    # --- steps -----------------------------------------------------------------------------------------------------------

    def begin_step(self, values):
        if not values:
            raise Wrong("a step without a number")
        literals, end = self.literals(values, 1)
        if end != len(values):
            raise Wrong("words too many")
        self.in_step, self.step_clause = True, (values[0], literals)
        self.shown = self.dead or self.deny(literals)

    def by_clause(self, clause):
        literals = self.clauses.get(clause)
        if literals is None:
            raise Wrong(f"there is no clause {clause}")
        if self.shown:
            return
        open_ones = [one for one in literals if not self.fails(*one)]
        if not open_ones:
            self.shown = True
        elif len(open_ones) == 1:
            self.shown = self.assume(*open_ones[0])

    def by_rule(self, letter, values):
        literal, at = None, 1
        if values[:1] != [-1]:
            if len(values) < 2:
                raise Wrong("a rule without a literal")
            literal, at = self.literal(*values[:2]), 2
        premises, at = self.literals(values, at)
        items = []
        if letter in "wn":
            items = values[at + 1:]
            if at >= len(values) or values[at] != len(items):
                raise Wrong("not as many items as there should be")
            for i in items:
                self.item(i)
        elif at != len(values):
            raise Wrong("words too many")
        if self.shown:
            return
        for key, value in premises:
            if self.known[key] < value:
                raise Wrong(f"premise {key} {value} does not hold")
        if not self.rule_holds(letter, literal, premises, items):
            raise Wrong(f"rule {letter} does not say this")
        self.shown = literal is None or self.assume(*literal)

    def rule_holds(self, letter, literal, premises, items):
        """Whether a rule with valid premises implies the literal; facts asserted by the check are removed."""
        before = len(self.trail)
        if letter != "s" and literal is not None:
            key, value = literal
            negation = key ^ 1, self.other[key >> 1] - value
            if self.assume(*negation):
                self.undo(before)
                return True
            premises = premises + [negation]
        holds = RULES[letter](self, literal, premises, items)
        self.undo(before)
        return holds

    def end_step(self):
        if not self.shown:
            raise Wrong("the step is not shown")
        self.undo(0)
        self.in_step = self.shown = False
        clause, literals = self.step_clause
        self.clauses[clause] = literals
        if len(literals) == 1:
            self.fact(*literals[0])
        elif not literals:
            self.dead = True
