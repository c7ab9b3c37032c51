"""A minimal reader of flatbuffers and of the schema of TensorFlow Lite, independent of the program."""

import struct


class Flat:
    """A minimal reader of flatbuffers and of the schema."""

    def __init__(self, data):
        self.data = data
        self.root = self.follow(0)

    def read(self, kind, at):
        return struct.unpack_from("<" + kind, self.data, at)[0]

    def follow(self, at):
        return at + self.read("I", at)

    def field(self, table, number):
        fields = table - self.read("i", table)
        entry = 4 + 2 * number
        inside = self.read("H", fields + entry) if entry < self.read("H", fields) else 0
        return table + inside if inside else None

    def number(self, table, number, kind, otherwise=0):
        at = self.field(table, number)
        return otherwise if at is None else self.read(kind, at)

    def vector(self, table, number):
        at = self.field(table, number)
        if at is None:
            return 0, 0
        at = self.follow(at)
        return at + 4, self.read("I", at)

    def numbers(self, table, number):
        at, count = self.vector(table, number)
        return list(struct.unpack_from(f"<{count}i", self.data, at))

    def tables(self, table, number):
        at, count = self.vector(table, number)
        return [self.follow(at + 4 * k) for k in range(count)]

    def bytes(self, table, number):
        at, count = self.vector(table, number)
        return self.data[at:at + count]

    def metadata(self):
        """{name: data}; duplicate names are an error."""
        buffers = self.tables(self.root, 4)
        entries = [(self.bytes(each, 0).decode(), self.number(each, 1, "I"))
                   for each in self.tables(self.root, 6)]
        assert len({name for name, _ in entries}) == len(entries)
        return {name: self.bytes(buffers[buffer], 0) for name, buffer in entries}

    def graph(self):
        return self.tables(self.root, 2)[0]

    def tensors(self):
        """[(name, shape, type, data, variable)]"""
        buffers = self.tables(self.root, 4)
        return [(self.bytes(each, 3), self.numbers(each, 0), self.number(each, 1, "b"),
                 self.bytes(buffers[self.number(each, 2, "I")], 0), self.number(each, 5, "b"))
                for each in self.tables(self.graph(), 0)]

    def operators(self):
        return [(self.number(each, 0, "I"), self.numbers(each, 1), self.numbers(each, 2))
                for each in self.tables(self.graph(), 3)]

    def everything(self):
        codes = [(self.number(each, 0, "b"), self.bytes(each, 1), self.number(each, 3, "i"))
                 for each in self.tables(self.root, 1)]
        return (self.number(self.root, 0, "I"), self.bytes(self.root, 3), codes, self.tensors(),
                self.operators(), self.numbers(self.graph(), 1), self.numbers(self.graph(), 2))

    def lives(self):
        """{tensor: (first operator, last operator)}"""
        lives = {t: [0, 0] for t in self.numbers(self.graph(), 1)}
        operators = self.operators()
        for step, (_, reads, writes) in enumerate(operators):
            for t in writes:
                lives[t] = [step, step]
            for t in reads:
                if t in lives:
                    lives[t][1] = step
        for t in self.numbers(self.graph(), 2):
            lives[t][1] = len(operators) - 1
        return lives
