"""Reads a command file (docs/guide/commands.md): the header, then the commands one by one, loops expanded."""
# mypy: ignore-errors

import copy
import json
import sys


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
            except (KeyError, IndexError, TypeError, ValueError) as error:
                self.bad(f"the loop is malformed: {error!r}")

    def lines(self):
        """Commands and loops as they are in the file."""
        while (data := self.next()) is not None:
            if data.get("end"):
                self.end = data
                if self.next() is not None:
                    self.bad("there are lines after the last one")
                return
            yield data
        self.bad("the file is incomplete: its last line `{\"end\": true, ...}` is missing")


def expanded(data):
    if data.get("kind") != "for":
        yield data
        return
    body, steps = data["body"], data["step"]
    for turn in range(data["count"]):
        for command, step in zip(body, steps):
            made = copy.deepcopy(command) if turn else command
            if turn:
                made["id"] += turn * len(body)
                for pointer, increment in step.items():
                    advance(made, pointer, turn * increment)
            yield made


def advance(data, pointer, by):
    """Adds to the number at a JSON pointer."""
    *way, last = (word.replace("~1", "/").replace("~0", "~") for word in pointer[1:].split("/"))
    for word in way:
        data = data[int(word)] if isinstance(data, list) else data[word]
    if isinstance(data, list):
        data[int(last)] += by
    else:
        data[last] += by
