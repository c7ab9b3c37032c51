"""Begin and end of the commands of a group, from docs/internals/cost-model.md alone: ops one after the
other, or the last ones of a tile in parallel with the first ones of the next. A part of
second_simulator.Run, which provides their durations."""

from second_machine import engine_of


class Pipeline:
    def step_of(self, k, number):
        """An op of a tile; a step if all ops run in turn."""
        return number * len(self.ops) + k if self.lead == len(self.ops) else (k, number)

    def ended_before(self, step):
        """The op that ends before this step of the leading ops, counted over all tiles."""
        return (step - 1) % self.lead, (step - 1) // self.lead

    def pipeline(self):
        """At every boundary of two steps, first the stores that the next step waits for, then the loads that
        may begin there, then other stores; each takes the channel that is free first. A bus carries one
        transfer at a time. A load waits for the stores that have to end where it may begin. Empty
        transfers take no turn."""
        m, n = self.machine, len(self.ops)
        queue = sorted(self.transfers, key=lambda one: one[:2])
        queues = channels, _ = [0] * m.channels, {}
        at = 0
        stored = {}  # end times of stores that have to end before a step
        # Arrival times: all data of a step, the last slice of its weights, and the first slice.
        arrivals = needed, needed_last, _ = {}, {}, {}
        ended = [0] * (len(self.op_cycles) + 1)  # ended[b]: end of the last step before boundary b
        for border in range(len(ended)):
            while at < len(queue) and queue[at][0] <= border:
                begin, rank, lane, cycles, shared, step, name = queue[at]
                at += 1
                start = ended[max(0, begin)]
                if 0 <= rank < 2 * n:
                    start = max(start, stored.get(begin, 0))
                if rank == 1.75:  # with the op
                    start = max(start, needed.get(begin, 0))
                start, end = self.transfer(start, (lane, cycles, shared, step, name), queues, arrivals)
                if rank == -1 or rank == 2 * n:
                    stored[step] = max(stored.get(step, 0), end)
                tile = (begin - 1 if rank in (-1, 2 * n) else step) // n
                if end > start and rank != 1.75:
                    self.moves_made.append((rank in (-1, 2 * n), tile, name, ended[max(0, begin)], start, end))
            if border + 1 < len(ended):
                cycles, last, _ = self.op_cycles[border]
                start = max(ended[border], needed.get(border, 0))
                if border in needed_last:
                    ended[border + 1] = max(start + cycles - last, needed_last[border]) + last
                else:
                    ended[border + 1] = start + cycles
                self.trace.append((start, ended[border + 1], self.ops[border % n].name))
        self.cycles = max(channels + [ended[-1]])

    def transfer(self, start, what, queues, arrivals):
        """Schedules a transfer on the channel that is free first, and on its bus: returns begin and end."""
        lane, cycles, shared, step, name = what
        channels, bus = queues
        needed, needed_last, first_slice = arrivals
        if name.endswith(", the rest"):
            start = max(start, first_slice[step])
        which = channels.index(min(channels))
        if cycles or shared:
            start = max(start, channels[which])
        end = start + cycles
        if shared:
            end = bus[lane] = max(end, bus.get(lane, 0) + shared)
        if cycles or shared:
            channels[which] = end
        if name.endswith(", the rest"):
            needed_last[step] = end
        else:
            needed[step] = max(needed.get(step, 0), end)
            if name in self.first_slices:
                first_slice[step] = end
        self.trace.append((start, end, name))
        return start, end

    def side_by_side(self):
        """Leading ops of a tile in parallel with the trailing ones of the previous tile. Commands are issued
        slot by slot: the leading ops of a tile with their transfers, then the trailing ones of the
        previous tile. An engine takes its ops in that order, and a slot ends when each on-chip memory has
        served its reads and writes."""
        n, lead = len(self.ops), self.lead

        def turn(k, number):
            return (number - 1 if k < lead else number), k

        queue = [((*turn(k, number), -1, 0), "op", k, number) for number in range(len(self.tiles)) for k in range(n)]
        for one in self.transfers:
            begin, rank = one[:2]
            place = 1 if 0 <= rank < 2 * n else 0 if rank == -1 else 2
            queue.append(((*turn(*begin), -0.5 if rank == 2 * n + 1 else place, rank), "move", one, place))
        ended = {}
        arrivals = needed, needed_last, _ = {}, {}, {}
        gone = {}  # end times of stores before a leading op, of buffers used by leading ops only
        queues = channels, _ = [0] * self.machine.channels, {}
        engines, last_end = {}, 0
        # end times of memory service for leading and trailing ops of each tile, and when each memory is free
        served, free = {}, {}

        def serve(trails, number, start):
            for name, serving in self.serving.items():
                cycles = serving[number][trails]
                end = max(start, free.get(name, 0)) + cycles if cycles else start
                free[name] = end if cycles else free.get(name, 0)
                served[trails, number] = max(served.get((trails, number), 0), end)

        for _, what, one, other in sorted(queue, key=lambda each: each[0]):
            if what == "op":
                k, number = one, other
                cycles, last, _ = self.op_cycles[number * n + k]
                waits = [(k - 1, number)] if k > 0 else [(lead - 1, number - 1), (n - 1, number - 2)]
                waits += [(n - 1, number - 1)] if k == lead else []
                start = max(ended.get(each, 0) for each in waits)
                if k in (0, lead):  # the previous slot is over
                    serve(k == lead, number, start)
                    before = max(served.get((False, number - (k == 0)), 0), served.get((True, number - (2 if k == 0 else 1)), 0))
                    self.held_up |= before > start
                    start = max(start, before)
                start = max(start, needed.get((k, number), 0))
                engine = engine_of(self.machine, self.ops[k])
                engine = engine.get("queue", id(engine))
                two = (k, number) in needed_last
                if cycles - (last if two else 0):
                    start = max(start, engines.get(engine, 0))
                end = start + cycles
                if two:
                    begin = max(start + cycles - last, needed_last[k, number], engines.get(engine, 0) if last else 0)
                    end = begin + last
                if cycles:
                    engines[engine] = end
                ended[k, number] = end
                last_end = max(last_end, end)
                self.trace.append((start, end, self.ops[k].name))
                continue
            begin, rank, lane, cycles, shared, step, name = one
            start = 0 if rank == 2 * n + 1 else ended.get(begin, 0)
            leads = begin[0] < lead
            resident = self.resident and name.removesuffix(", the rest") in self.weights_loaded
            if other == 1 and leads and not resident:
                k, number = begin
                start = max(start, gone.get((k + 1, number) if k + 1 < lead else (0, number + 1), 0))
            _, end = self.transfer(start, (lane, cycles, shared, step, name), queues, arrivals)
            if other != 1 and rank != 2 * n + 1 and leads:
                gone[step] = max(gone.get(step, 0), end)
        self.cycles = max(channels + [last_end] + list(served.values()))
