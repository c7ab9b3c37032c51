"""Reads a command file (docs/guide/commands.md): the header, then the commands one by one, loops expanded."""
# mypy: ignore-errors

import collections
import copy
import json
import sys

KNOWN = 256  # a command may take values from this many commands before it

MALFORMED = (AttributeError, IndexError, KeyError, TypeError, ValueError, ZeroDivisionError)


class BadFile(Exception):
    """The file is not one of commands; the text begins with file:line."""

    def __init__(self, file, line, what):
        super().__init__(f"{file}:{line}: {what}")
        self.file, self.line = file, line


class CommandFile:
    """    with CommandFile("plan.jsonl") as file:
        for command in file.commands(): ...
    """

    def __init__(self, path):
        self.path, self.line = path, 0
        try:
            self.file = sys.stdin if path == "-" else open(path, encoding="utf-8")
        except OSError as error:
            raise BadFile(path, 1, f"cannot be read: {error.strerror}") from None
        self.end = None
        self.known = collections.OrderedDict()  # the last commands by id, as in the file
        self.header = self.next()
        if self.header is None or self.header.get("tessera") != "commands/1":
            self.bad("the first line is not the header of a command file; `tessera plan --commands` writes such files")
        for key in ("memories", "queues", "tensors", "ops", "totals"):
            if key not in self.header:
                self.bad(f"the header has no `{key}`")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.file.close()

    def bad(self, what):
        raise BadFile(str(self.path), max(1, self.line), what)

    def next(self):
        """The object of the next line, None at the end."""
        try:
            text = self.file.readline()
        except UnicodeDecodeError:
            self.line += 1
            self.bad("the line is not UTF-8")
        if not text:
            return None
        self.line += 1
        try:
            data = json.loads(text)
        except ValueError as error:
            self.bad(f"the line is not JSON: {error}")
        if not isinstance(data, dict):
            self.bad("the line is not a JSON object")
        return data

    def commands(self):
        """Commands in the order of the file, loops expanded."""
        for data in self.lines():
            try:
                yield from expanded(data)
            except MALFORMED as error:
                self.bad(f"the loop is malformed: {error!r}")

    def filled_in(self, data):
        """The command or loop with the values that commands take from earlier ones."""
        if data.get("kind") == "for":
            return {**data, "body": [copy.deepcopy(self.filled_in(item)) for item in data["body"]]}
        if "like" in data:
            made = copy.deepcopy(self.known[data["like"]])
            for pointer, value in data.get("set", {}).items():
                holder, key = at_pointer(made, pointer)
                holder[key] = value
            data = {**made, "id": data["id"]}
        if "id" in data:
            self.known[data["id"]] = data
            if len(self.known) > KNOWN:
                self.known.popitem(last=False)
        return data

    def lines(self):
        """Commands and loops in the order of the file."""
        while (data := self.next()) is not None:
            if data.get("end"):
                self.end = data
                if self.next() is not None:
                    self.bad("there are lines after the last one")
                return
            try:
                yield self.filled_in(data)
            except MALFORMED as error:
                self.bad(f"the command is malformed: {error!r}")
        self.bad("the file is incomplete: its last line `{\"end\": true, ...}` is missing")


def expanded(data):
    if data.get("kind") != "for":
        yield data
        return
    number, body, steps = data["id"], data["body"], data["step"]
    for turn in range(data["count"]):
        for item, step in zip(body, steps):
            made = copy.deepcopy(item) if turn else item
            if turn:
                for pointer, entry in step.items():
                    advance(made, pointer, entry, turn)
            for command in expanded(made):
                command["id"] = number
                number += 1
                yield command


def at_pointer(data, pointer):
    """The container of the value at a JSON pointer, and the key of the value."""
    *way, last = (word.replace("~1", "/").replace("~0", "~") for word in pointer[1:].split("/"))
    for word in way:
        data = data[int(word)] if isinstance(data, list) else data[word]
    return data, int(last) if isinstance(data, list) else last


def advance(data, pointer, entry, turn):
    """Changes the value at a JSON pointer from round 0 to another one."""
    data, key = at_pointer(data, pointer)
    if isinstance(data[key], str):
        data[key] = entry[turn % len(entry)]
    else:
        data[key] += increment(entry, turn)


def increment(entry, turn):
    """A number is added each time; a list has one list per digit of the round, then perhaps a number."""
    if not isinstance(entry, list):
        return turn * entry
    total = 0
    for part in entry:
        if isinstance(part, list):
            turn, digit = divmod(turn, len(part))
            total += part[digit]
        else:
            total += turn * part
    return total
