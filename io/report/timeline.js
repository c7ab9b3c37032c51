// ---- a plan's memories over all of its cycles ------------------------------------------------------
// A result has the steps of one tile (of two with double buffering) and the cycles of each op. A group shows that one tile,
// stretched over the cycles of the group; each op has its share of them.
function planClock() {
  const layers = result.layers || [];
  let begin = 0, tile = 0;
  const runs = (result.subgraphs || []).map((s, k) => {
    const cycles = s.metrics.latency_cycles, ops = s.ops.length;
    const own = layers.slice(s.first_op, s.last_op + 1).map((l) => l.cycles);
    const sum = own.reduce((n, c) => n + c, 0), ends = [0];
    for (let op = 0; op < ops; ++op) ends.push(sum > 0 && own.length === ops ? ends[op] + own[op] / sum : (op + 1) / ops);
    const doubled = !!(s.variant && s.variant.double_buffer) && s.tiles.count > 1;
    if (result.behind && result.behind.begins) begin = result.behind.begins[k]; // a group may wait for its weights
    const run = {k, s, begin, cycles, ends, ops, turns: doubled ? 2 : 1, tile};
    begin += cycles;
    tile += s.tiles.count;
    return run;
  });
  return {runs, cycles: begin, tiles: tile};
}
// Cycle at which a step of the group's tile begins.
function cycleOf(run, step) {
  const turn = Math.min(run.turns, Math.floor(step / run.ops));
  const within = turn >= run.turns ? 0 : run.ends[step - turn * run.ops];
  return run.begin + run.cycles * (turn + within) / run.turns;
}
// Cycle of a step of an off-chip memory: tile k of the network reads at 2k and writes at 2k + 1. If there are too many tiles, a
// group counts as one tile; then the groups share the steps in proportion to their cycles.
function offchipCycle(clock, steps) {
  const followed = steps <= 2 * clock.tiles && steps > 2 * (clock.tiles - clock.runs[clock.runs.length - 1].s.tiles.count);
  return (step) => {
    if (!followed) return clock.cycles * step / Math.max(1, steps);
    let run = clock.runs[0];
    for (const each of clock.runs) if (2 * each.tile <= step) run = each;
    return run.begin + run.cycles * Math.min(1, (step - 2 * run.tile) / (2 * run.s.tiles.count));
  };
}
const tensorOf = (id) => id.replace(/\.(ping|pong|columns|rows|copy\d+)\b/g, "");

function planMemories(clock) {
  const offchip = result.offchip || [], outside = new Map();
  for (const memory of offchip) for (const b of memory.buffers) outside.set(b.id, b);
  const memories = new Map(), seen = new Set(), kept = new Map();
  const memory = (name) => {
    if (!memories.has(name)) memories.set(name, {name, buffers: [], modes: [], reserved: [], banks: [], capacity: null, base: 0,
                                                 steps: clock.cycles, height: 0});
    return memories.get(name);
  };
  // Without data about off-chip memory, a tensor of several groups is assumed to have been there.
  const lastOf = new Map();
  for (const run of clock.runs) for (const b of run.s.placement.buffers || []) lastOf.set(tensorOf(b.id), run.k);
  for (const run of clock.runs) {
    const fresh = new Set(), last = run.ops * run.turns;
    const here = new Map();  // of this group only, by place: tensors of earlier groups are resident
    for (const b of run.s.placement.buffers || []) {
      const of = memory(b.memory === undefined ? "memory" : b.memory), id = tensorOf(b.id);
      const live = b.live.map(([from, to]) => [cycleOf(run, Math.min(from, last)), cycleOf(run, Math.min(to, last))]).filter(([f, t]) => f < t);
      if (live.length === 0) continue;
      if (b.address !== undefined) of.base = b.address - b.offset;
      of.height = Math.max(of.height, b.offset + b.size);
      const far = outside.get(id), early = far && far.live[0][0] === 0;
      const kind = b.kind === "weight" ? "weights" : /\.(columns|rows)\b/.test(b.id) ? "halo" : /\.copy\d+\b/.test(b.id) ? "copy"
                 : far && far.kind !== "weight" ? (early || seen.has(id) ? "input" : "output")
                 : offchip.length ? "inside" : seen.has(id) ? "input" : lastOf.get(id) > run.k ? "output" : "tensor";
      fresh.add(id);
      const key = [of.name, b.id, b.offset, b.size].join("\n"), before = kept.get(key);
      if (kind === "inside" && before && Math.abs(before.live[before.live.length - 1][1] - live[0][0]) < 1e-6) {
        before.kind = "kept";
        before.live[before.live.length - 1][1] = live[0][1];
        before.live.push(...live.slice(1));
        here.set(key, before);
        continue;
      }
      const each = {id: b.id, offset: b.offset, size: b.size, kind, live};
      of.buffers.push(each);
      here.set(key, each);
    }
    kept.clear();
    for (const [key, each] of here) kept.set(key, each);
    for (const id of fresh) seen.add(id);
    for (const [name, modes] of Object.entries(run.s.placement.modes || {}))
      modes.slice(0, last).forEach((mode, step) => {
        const of = memory(name), from = cycleOf(run, step), steps = cycleOf(run, step + 1) - from;
        const before = of.modes[of.modes.length - 1];
        if (before && before.mode === mode) before.steps += steps; else of.modes.push({mode, from, steps});
      });
  }
  for (const pin of result.pinned || []) {
    const of = memory(pin.memory);
    of.height = Math.max(of.height, pin.offset + pin.bytes);
    of.buffers.push({id: pin.weight, offset: pin.offset, size: pin.bytes, kind: "pinned", live: [[0, clock.cycles]]});
  }
  const steps = Math.max(1, ...offchip.flatMap((each) => each.buffers.flatMap((b) => b.live.map((l) => l[1]))));
  const cycle = clock.runs.length ? offchipCycle(clock, steps) : (step) => step;
  for (const each of offchip) {
    const of = {...memory("off-chip: " + each.memory), off: true};
    memories.set(of.name, of);
    for (const b of each.buffers) {
      if (b.address !== undefined) of.base = b.address - b.offset;
      of.height = Math.max(of.height, b.offset + b.size);
      const from = b.live[0][0], to = b.live[b.live.length - 1][1];
      of.buffers.push({id: b.id, offset: b.offset, size: b.size,
        kind: b.kind === "weight" ? "weights" : from === 0 ? "input" : to >= steps ? "output" : "between",
        live: b.live.map(([f, t]) => [cycle(f), t >= steps ? clock.cycles : cycle(t)])});
    }
  }
  return [...memories.values()].filter((each) => each.buffers.length);
}

function planTimeline() {
  const clock = planClock(), memories = planMemories(clock);
  if (memories.length === 0) return;
  const cuts = clock.runs.map((run) => ({at: run.begin, name: "group " + run.k}));
  const when = (time) => {
    let run = clock.runs[0];
    for (const each of clock.runs) if (each.begin <= time) run = each;
    const within = run.cycles ? (time - run.begin) / run.cycles * run.turns % 1 : 0;
    let op = 0;
    while (op + 1 < run.ops && run.ends[op + 1] <= within) ++op;
    return "at cycle " + count(Math.round(time)) + ": group " + run.k + ", " + run.s.ops[op];
  };
  const where = el("div", {}), shown = {};
  const show = (name) => {
    const memory = memories.find((each) => each.name === name);
    if (!shown[name]) {
      // Off-chip weights are one buffer that is always live: if they are much larger than the rest, the view begins above them.
      const rest = memory.buffers.filter((b) => b.kind !== "weights");
      const low = Math.min(...rest.map((b) => b.offset));
      const from = memory.off && rest.length && low > 0.5 * memory.height ? low - (memory.height - low) / 10 : 0;
      const view = picture(memory, {unit: "cycle", cuts, when, tall: 460, from});
      const rows = [...memory.buffers].sort((a, b) => b.size - a.size);
      shown[name] = el("div", {}, cards([[exact(memory.height), "height"],
          memory.base ? [hex(memory.base), "first address"] : null, [count(memory.buffers.length), "buffers"]]), view.node,
        memory.off ? el("p", {class: "soft"}, "Tensors are freed tile by tile, so lifetimes may overlap.") : null,
        memory.modes.length ? modeStrip(memory.modes, "cycle", view.left) : null,
        el("details", {}, el("summary", {}, "All buffers, largest first"), table(timelineColumns(memory.base), rows, {go: view.show})));
    }
    where.replaceChildren(shown[name]);
  };
  section("Each memory over time", el("div", {class: "bar"},
    el("label", {class: "soft"}, "memory ", el("select", {id: "memory", onchange: (event) => show(event.target.value)},
      memories.map((each) => el("option", {value: each.name}, each.name)))),
    el("span", {class: "soft"}, "A group of several tiles shows one tile (two with double buffering), stretched over its cycles." +
       ((result.offchip || []).length ? "" : " The plan has no off-chip placement: no off-chip buffers, or a limit ended the search."))), where);
  show(memories[0].name);
}

function timelineColumns(base) {
  return bufferColumns(base).map((column) => (column.name === "from step" ? {...column, name: "from cycle", show: (b) => count(Math.round(column.of(b)))}
    : column.name === "to step" ? {...column, name: "to cycle", show: (b) => count(Math.round(column.of(b)))} : column))
    .concat([{name: "kind", text: true, of: (b) => kinds[b.kind][0]}]);
}
