"""Which commands have certainly ended when a command begins, by `after`, queues and barriers alone; and when
commands run by docs/guide/commands.md."""
# mypy: ignore-errors

import numpy as np

from .parts import Refused


class Order:
    """The certain predecessors of each command since the last barrier: all ids below `low`, and the bits of `mask`
    from `low` on."""

    def __init__(self, queues):
        self.channels = {q["name"]: max(1, q.get("channels", 1)) for q in queues}
        self.staging = {q["name"] for q in queues if q.get("staging")}
        self.before = {}
        self.barrier = -1  # id of the last barrier
        self.staged, self.open = {}, set()  # of staging queues: what each waits for; those that no barrier has waited for
        self.last = {}  # of queues with one channel: their last command

    def add(self, command):
        """Enters a command; its predecessors must have been entered."""
        number = command["id"]
        if command["kind"] == "wait" and "queue" not in command:
            for awaited in command.get("after", ()):
                if awaited not in self.staged:
                    raise Refused(f"it waits for command {awaited}, which is of no staging queue")
                self.open = {n for n in self.open if n > awaited}  # the queue has one channel
            self.barrier, self.before, self.last = number, {}, {}
            return
        if command.get("queue") in self.staging:
            self.staged[number] = max([-1, *(self.known(p, number) for p in command.get("after", ()))])
            self.open.add(number)
            return
        earlier = [self.known(p, number) for p in command.get("after", ())]
        queue = command.get("queue")
        alone = queue is not None and self.channels.get(queue) == 1 and command.get("cycles", 0) > 0
        if alone and queue in self.last:
            earlier.append(self.last[queue])
        self.before[number] = self.union([p for p in earlier if p > self.barrier])
        if alone:
            self.last[queue] = number

    def known(self, earlier, number):
        if not 0 <= earlier < number:
            raise Refused(f"it waits for command {earlier}, which does not come before it")
        return earlier

    def union(self, earlier):
        low, mask = self.barrier + 1, 0
        for p in earlier:
            p_low, p_mask = self.before[p]
            if p_low < low:
                p_mask >>= low - p_low
            elif p_low > low:
                mask, low = mask >> (p_low - low), p_low
            mask |= p_mask
            if p >= low:
                mask |= 1 << (p - low)
        while mask & 1:
            ones = (~mask & (mask + 1)).bit_length() - 1
            low, mask = low + ones, mask >> ones
        return low, mask

    def is_before(self, earlier, number):
        low, mask = self.before[number]
        return earlier < low or bool(mask >> (earlier - low) & 1)

    def unordered(self, seen, number, own=-1):
        """A command in the array that may still run when `number` begins, or None."""
        if number in self.staged:
            beside = [int(n) for n in np.unique(seen[seen > self.staged[number]]) if n not in self.staged]
            return beside[0] if beside else None
        low, mask = self.before[number]
        for other in self.open:
            if other != number and (seen == other).any():
                return other
        late = seen[seen >= low]
        if late.size == 0:
            return None
        for other in np.unique(late):
            if other not in (number, own) and not mask >> int(other - low) & 1:
                return int(other)
        return None

    def all_before(self, seen, number):
        return self.unordered(seen, number) is None


class Clock:
    """Begin and end of commands, by queues, waits and buses."""

    def __init__(self, queues):
        self.free = {q["name"]: [0] * max(1, q.get("channels", 1)) for q in queues}
        self.staging = {q["name"] for q in queues if q.get("staging")}
        self.ends, self.barrier, self.latest, self.bus = {}, 0, 0, {}
        self.barriers, self.staged = {}, {}  # times of barriers; ends of commands of staging queues

    def add(self, command):
        after, queue = command.get("after", ()), command.get("queue")
        if command["kind"] == "wait" and queue is None:
            self.latest = max([self.latest, *(self.staged[p] for p in after)])
            self.barrier, self.ends = self.latest, {}
            self.barriers[command["id"]] = self.barrier
            return
        if queue in self.staging:
            begin = max([self.free[queue][0], *(self.barriers[p] for p in after)])
            self.staged[command["id"]] = self.free[queue][0] = begin + command.get("cycles", 0)
            return
        begin = max([self.barrier, *(self.ends.get(p, 0) for p in after)])
        cycles = command.get("cycles", 0)
        channels = self.free.get(queue) if cycles > 0 else None
        if queue is not None and queue not in self.free:
            raise Refused(f"its queue `{queue}` is not in the header")
        if channels:
            which = channels.index(min(channels))
            begin = max(begin, channels[which])
        end = begin + cycles
        if command.get("bus_cycles", 0) > 0:
            free = self.bus.get(command.get("bus", 0), 0)
            end += max(0, free - (end - command["bus_cycles"]))
            self.bus[command.get("bus", 0)] = end
        if channels:
            channels[which] = end
        self.ends[command["id"]] = end
        self.latest = max(self.latest, end)
