// ---- the page: what kind of result it is, from the top to the details -------------------------------
const stops = {time_limit: "stopped at the time limit", node_limit: "stopped at the work limit",
               memory_limit: "stopped at the memory limit", interrupted: "interrupted"};
const seconds = (s) => (s === undefined ? null : [s < 1 ? count(Math.round(s * 1e4) / 10) + " ms" : count(s) + " s", "search"]);

function statusLine(of, words) {
  return el("p", {}, el("b", {class: of.status === "feasible" ? "good" : of.status === "infeasible" ? "bad" : ""}, words[of.status]),
            of.stop && stops[of.stop] ? ", " + stops[of.stop] : "", of.reason ? ". " + of.reason : "");
}

function bufferColumns(base) {
  const columns = [
    {name: "buffer", text: true, of: (b) => b.id},
    {name: "size", of: (b) => b.size, show: (b) => bytes(b.size)},
    {name: "offset", of: (b) => b.offset},
    {name: "end", of: (b) => b.offset + b.size},
    {name: "from step", of: (b) => b.live[0][0]},
    {name: "to step", of: (b) => b.live[b.live.length - 1][1]},
  ];
  if (base) columns.splice(3, 0, {name: "address", of: (b) => base + b.offset, show: (b) => hex(base + b.offset)});
  return columns;
}

function placementViews(placement, known, where, options = {}) {
  for (const memory of memoriesOf(placement, known)) {
    if (memory.buffers.length === 0) continue;
    const view = picture(memory, options);
    const load = loadOf(memory.buffers), peak = peakOf(load);
    const at = memory.buffers.filter((b) => lifeOf(b).some(([from, to]) => from <= peak[0] && peak[0] < to));
    where.append(el("h3", {}, "Memory ", memory.name),
      cards([
        [exact(memory.height), "height"],
        memory.capacity ? [exact(memory.capacity), "capacity"] : null,
        memory.capacity ? [(100 * memory.height / memory.capacity).toFixed(1) + " %", "of the capacity"] : null,
        memory.base ? [hex(memory.base), "first address"] : null,
        [exact(peak[1]), "peak of live bytes, at step " + count(peak[0])],
        [count(memory.buffers.length), memory.buffers.length === 1 ? "buffer" : "buffers"],
      ]), view.node);
    if (memory.modes.length) where.append(modesOf(memory.modes, view.left));
    const rows = [...memory.buffers].sort((a, b) => b.size - a.size);
    where.append(el("details", {}, el("summary", {}, "Buffers live at the peak (" + count(at.length) + ")"),
                    table(bufferColumns(memory.base), at.sort((a, b) => b.offset - a.offset), {go: view.show})),
                 el("details", {open: options.closed ? null : ""}, el("summary", {}, "All buffers, largest first"),
                    table(bufferColumns(memory.base), rows, {go: view.show})));
  }
}

function modesOf(modes, left) {
  const runs = [];
  for (let step = 0; step < modes.length; ++step) {
    const last = runs[runs.length - 1];
    if (last && last.mode === modes[step]) ++last.steps; else runs.push({mode: modes[step], from: step, steps: 1});
  }
  return modeStrip(runs, "step", left);
}
function modeStrip(runs, unit, left) {
  const used = [...new Set(runs.map((run) => run.mode))];
  return el("div", {}, el("p", {class: "soft"}, "Modes, " + unit + " by " + unit + ": ", used.slice(0, 24).map((mode) =>
      el("span", {class: "legend"}, el("span", {class: "swatch", style: "background:" + hue(mode)}), mode)), used.length > 24 ? "…" : ""),
    el("div", {class: "share", style: "margin:0 12px 0 " + left + "px"}, runs.slice(0, 4000).map((run) => el("i", {
      style: "flex:" + run.steps + " 0 0;background:" + hue(run.mode), title: run.mode + " from " + unit + " " + count(Math.round(run.from)) + ", " + count(Math.round(run.steps)) + " " + unit + "s"}))));
}

// ---- a placement ------------------------------------------------------------------------------------
function placementPage() {
  app.append(statusLine(result, {feasible: "placed", infeasible: "infeasible", unknown: "unknown"}));
  app.append(cards([
    result.status === "feasible" ? [exact(result.height), "height"] : null,
    result.lower_bound ? [exact(result.lower_bound), result.proven_minimum ? "lower bound, minimum proved" : "lower bound"] : null,
    result.cost ? [count(result.cost), "cost" + (result.proven_optimal ? ", minimum proved" : "")] : null,
    result.benefit !== undefined ? [count(result.benefit), "benefit" + (result.proven_optimal ? ", maximum proved" : "")] : null,
    result.engine ? [result.engine, "engine"] : null, seconds(result.seconds),
  ]));
  if (given && given.wrong && given.wrong.length)
    section("This placement is wrong", el("ul", {class: "bad"}, given.wrong.map((each) => el("li", {}, each))));
  if (result.left_out && result.left_out.length)
    section("Left out", el("p", {}, count(result.left_out.length) + " optional buffers are left in a slower memory."),
            table([{name: "buffer", text: true, of: (id) => id}], result.left_out));
  if (given && given.explanation) explanationPage(given.explanation);
  if (result.buffers && result.buffers.length) {
    const where = el("div", {});
    section("Placement over time", where);
    placementViews(result, given && given.memories, where);
  }
  if (result.stats && Object.keys(result.stats).length)
    section("Search counters", table([{name: "counter", text: true, of: (e) => e[0]},
      {name: "", of: (e) => e[1], show: (e) => (typeof e[1] === "number" ? count(e[1]) : String(e[1]))}], Object.entries(result.stats)));
}

function explanationPage(why) {
  const members = new Set(why.buffers);
  section("Why it is infeasible", el("pre", {}, why.text || "No explanation was found within the limits."));
  if (!given.buffers) return;
  section("Bytes live at each step", el("p", {},
    el("span", {class: "legend"}, el("span", {class: "swatch", style: "background:var(--bad)"}), "minimal infeasible set"),
    el("span", {class: "legend"}, el("span", {class: "swatch", style: "background:var(--accent)"}), "all buffers"),
    el("span", {class: "soft"}, "Of buffers that may overlap, only the largest counts.")),
    (why.loads || []).flatMap((load) => [
      given.memories.length > 1 ? el("h3", {}, load.memories.length > 1 ? "All memories" : "Buffers of " + load.memories[0] + " only") : null,
      loadPicture(load)]),
    table([{name: "buffer", text: true, of: (b) => b.id}, {name: "size", of: (b) => b.size, show: (b) => exact(b.size)},
           {name: "from step", of: (b) => b.live[0][0]}, {name: "to step", of: (b) => b.live[b.live.length - 1][1]}],
          given.buffers.filter((b) => members.has(b.id)).sort((a, b) => b.size - a.size)));
}

// Without offsets: the load of all buffers, the load of the conflicting set in front, and the capacity.
function loadPicture({memories, room, all, set}) {
  const canvas = el("canvas", {role: "img", "aria-label": "Bytes live in " + memories.join(" and ") + " at each step"});
  const steps = Math.max(1, all[all.length - 1][0]), most = Math.max(room || 0, peakOf(all)[1], 1) * 1.12;
  const tall = 240, right = 14;
  const draw = () => {
    const wide = canvas.getBoundingClientRect().width || 900, dense = devicePixelRatio || 1;
    canvas.style.height = tall + "px";
    canvas.width = wide * dense; canvas.height = tall * dense;
    const c = canvas.getContext("2d");
    c.setTransform(dense, 0, 0, dense, 0, 0);
    c.font = penFont;
    const marks = ticks(0, most, 5, "bytes"), left = widestOf(c, marks.map(bytes)) + 14;
    const X = (s) => left + s / steps * (wide - left - right), Y = (v) => tall - 20 - v / most * (tall - 30);
    const area = (load, colour, alpha) => {
      c.fillStyle = colour; c.globalAlpha = alpha; c.beginPath(); c.moveTo(X(0), Y(0));
      let now = 0;
      for (const [step, value] of load) { c.lineTo(X(step), Y(now)); c.lineTo(X(step), Y(value)); now = value; }
      c.lineTo(X(steps), Y(now)); c.lineTo(X(steps), Y(0)); c.closePath(); c.fill(); c.globalAlpha = 1;
    };
    c.strokeStyle = shade("--grid"); c.fillStyle = shade("--soft"); c.textBaseline = "middle"; c.textAlign = "right";
    for (const mark of marks) {
      c.beginPath(); c.moveTo(left, Y(mark)); c.lineTo(wide - right, Y(mark)); c.stroke();
      c.fillText(bytes(mark), left - 6, Y(mark));
    }
    c.textBaseline = "alphabetic"; c.textAlign = "center";
    for (const step of ticks(0, steps, Math.max(3, wide / 85), "whole")) c.fillText(count(step), X(step), tall - 5);
    area(all, shade("--accent"), 0.3);
    area(set, shade("--bad"), 0.6);
    if (room) {
      c.strokeStyle = shade("--ink"); c.setLineDash([6, 4]); c.beginPath(); c.moveTo(left, Y(room)); c.lineTo(wide - right, Y(room)); c.stroke();
      c.setLineDash([]); c.fillStyle = shade("--ink"); c.textAlign = "left";
      c.fillText(memories.join(" and ") + (memories.length > 1 ? " have " : " has ") + bytes(room), left + 6, Y(room) - 5);
    }
  };
  redraws.add(() => requestAnimationFrame(draw));
  new ResizeObserver(() => requestAnimationFrame(draw)).observe(canvas);
  return canvas;
}

// ---- a plan -----------------------------------------------------------------------------------------
const resources = {mac: "#4477aa", weights: "#ccbb44", dma: "#ee6677", sram: "#228833", vector: "#aa3377"};
const meaning = {mac: "multiply-accumulate array", weights: "waiting for weights", dma: "off-chip traffic", sram: "on-chip memory", vector: "vector unit"};
const colourOf = (resource) => resources[resource] || hue(resource || "?");

// The variant of a group and its transfers between groups, worded as in the report of `tessera plan`.
function variantOf(s) {
  const v = s.variant;
  if (!v) return "";
  const direct = {inputs: "reads off chip", outputs: "writes off chip", "inputs+outputs": "reads and writes off chip"};
  const some = (list, what) => list && list.length ? list.length + " " + what : null;
  return [v.double_buffer ? "double" : "single",
    v.stationary === "weights" ? "stationary" : v.weights === "resident" ? "resident" : "refetched",
    v.stationary === "inputs" ? "inputs stationary" : null,
    v.halo && v.halo !== "recompute" ? "halo reuse" : null,
    v.one_copy ? "one copy of " + v.one_copy.split("+").join(" and ") : null,
    direct[v.direct],
    v.trailing ? (v.trailing > 1 ? "last " + v.trailing + " ops pipelined" : "last op pipelined") : null,
    some(s.early, "prefetched"), some(s.passing, "held"),
    v.reduction > 1 ? "sums in " + v.reduction + " parts" : null].filter(Boolean).join(", ");
}
// Pinned weights occupy a block of memory that no buffer of a group uses.
function pinnedBlocks() {
  const pins = result.pinned || [];
  if (pins.length === 0) return null;
  return [{name: pins[0].memory, reservedFor: "pinned weights", reserved: [[Math.min(...pins.map((p) => p.offset)), Math.max(...pins.map((p) => p.offset + p.bytes))]]}];
}

// Energy by part, and bytes by memory, user and operand.
function accountTables(account, cycles) {
  const memories = new Map();
  for (const a of account.accesses) {
    const of = memories.get(a.memory) || {part: a.memory, pj: 0, read: 0, write: 0};
    of.pj += a.energy_pj;
    of[a.access] += a.bytes;
    memories.set(a.memory, of);
  }
  const parts = [{part: "ops", pj: account.compute_pj}, ...memories.values(),
                 {part: "mode switches", pj: account.switches_pj}, {part: "static power", pj: account.static_pj}];
  const all = parts.reduce((sum, p) => sum + p.pj, 0) || 1;
  const percent = (share) => (100 * share).toFixed(1) + " %";
  section("Energy by part", el("p", {class: "soft"}, count(account.macs) + " MACs, " + percent(account.utilisation) + " of the MACs that the cycles allow"),
    table([
      {name: "part", text: true, of: (p) => p.part},
      {name: "energy µJ", of: (p) => p.pj, show: (p) => count(Math.round(p.pj / 1e3) / 1e3)},
      {name: "share", of: (p) => p.pj, show: (p) => percent(p.pj / all)},
      {name: "read", of: (p) => p.read || 0, show: (p) => (p.read === undefined ? "" : bytes(p.read))},
      {name: "written", of: (p) => p.write || 0, show: (p) => (p.write === undefined ? "" : bytes(p.write))},
    ], parts));
  section("Accesses to memories", table([
    {name: "memory", text: true, of: (a) => a.memory},
    {name: "user", text: true, of: (a) => a.user},
    {name: "operand", text: true, of: (a) => a.operand},
    {name: "access", text: true, of: (a) => a.access},
    {name: "bytes", of: (a) => a.bytes, show: (a) => bytes(a.bytes)},
    {name: "port in use", of: (a) => a.cycles, show: (a) => percent(a.cycles / (cycles || 1))},
    {name: "energy µJ", of: (a) => a.energy_pj, show: (a) => count(Math.round(a.energy_pj / 1e3) / 1e3)},
  ], account.accesses));
}

// Columns of tables of groups and ops; none if some have no account.
function accountColumns(accountOf, rows) {
  if (!rows.every(accountOf)) return [];
  return [{name: "MACs", of: (r) => accountOf(r).macs},
          {name: "utilisation", of: (r) => accountOf(r).utilisation, show: (r) => (100 * accountOf(r).utilisation).toFixed(1) + " %"}];
}

function planPage() {
  const totals = result.totals || {}, hz = result.clock_hz, pins = result.pinned || [];
  app.append(statusLine(result, {feasible: "planned", infeasible: "infeasible", unknown: "unknown"}));
  app.append(el("p", {class: "soft"}, [result.network && "network " + result.network, result.profile && "profile " + result.profile,
                                       result.dtype].filter(Boolean).join(", ")));
  if (result.status !== "feasible") return;
  const subgraphs = result.subgraphs || [], layers = result.layers || [];
  const reference = result.reference || result.baseline;
  app.append(cards([
    [count(totals.latency_cycles), "cycles"],
    hz ? [count(Math.round(totals.latency_cycles / hz * 1e6) / 1e3) + " ms", "at " + count(hz / 1e6) + " MHz"] : null,
    [bytes(totals.dram_bytes), "off-chip traffic"],
    [count(Math.round(totals.energy_pj / 1e4) / 100) + " µJ", "energy"],
    [bytes(totals.peak_bytes), "on-chip peak"],
    pins.length ? [bytes(pins.reduce((n, p) => n + p.bytes, 0)), "of weights pinned in " + pins[0].memory] : null,
    result.score !== undefined ? [count(result.score), "score (1 = " + ((result.reference || {}).profile || "layer by layer") + ")"] : null,
    result.bound !== undefined ? [count(result.bound), result.proven_optimal ? "lower bound, optimum proved" : "lower bound"] : null,
    reference && reference.latency_cycles && (!reference.clock_hz || reference.clock_hz === hz) ? [(100 * totals.latency_cycles / reference.latency_cycles).toFixed(1) + " %", "of the reference's cycles"] : null,
    [count(subgraphs.length), subgraphs.length === 1 ? "group" : "groups"],
  ]));
  const short = differing(layers.map((l) => l.op).concat(...subgraphs.map((s) => s.ops)));

  // Cycles per group and bottleneck.
  const byResource = new Map(), byKind = new Map();
  for (const l of layers) {
    byResource.set(l.bound_by, (byResource.get(l.bound_by) || 0) + l.cycles);
    const kind = byKind.get(l.kind) || {kind: l.kind, ops: 0, compute_cycles: 0, cycles: 0, offchip_bytes: 0, energy_pj: 0};
    ++kind.ops;
    for (const key of ["compute_cycles", "cycles", "offchip_bytes", "energy_pj"]) kind[key] += l[key];
    byKind.set(l.kind, kind);
  }
  const shares = (of) => {
    const parts = new Map();
    for (const l of of) parts.set(l.bound_by, (parts.get(l.bound_by) || 0) + l.cycles);
    return [...parts].filter(([, cycles]) => cycles > 0).sort((a, b) => b[1] - a[1]);
  };
  const strip = (parts, most) => el("div", {class: "share"}, parts.map(([resource, cycles]) => el("i", {
    style: "flex:" + cycles + " 0 0;background:" + colourOf(resource), title: resource + ": " + count(cycles) + " cycles"})),
    most ? el("i", {style: "flex:" + Math.max(0, most - parts.reduce((n, p) => n + p[1], 0)) + " 0 0"}) : null);
  const runs = subgraphs.map((s, k) => {
    const parts = shares(layers.slice(s.first_op, s.last_op + 1));
    return {k, s, parts, bound: parts.length ? parts[0][0] : ""};
  });
  if (layers.length) {
    const all = [...byResource].sort((a, b) => b[1] - a[1]), sum = all.reduce((n, p) => n + p[1], 0) || 1;
    section("Where the time goes", strip(all),
      el("p", {}, all.map(([resource, cycles]) => el("span", {class: "legend", title: meaning[resource] || null},
        el("span", {class: "swatch", style: "background:" + colourOf(resource)}),
        resource + " " + (100 * cycles / sum).toFixed(1) + " %" + (meaning[resource] ? " (" + meaning[resource] + ")" : "")))));
  }
  if (result.account) accountTables(result.account, totals.latency_cycles);
  planTimeline();
  const slowest = Math.max(1, ...runs.map((r) => r.s.metrics.latency_cycles));
  const where = el("div", {});
  const show = (run) => {
    where.replaceChildren(el("h2", {}, "Group " + run.k + ": " + nameOf(run.s)));
    const placements = [run.s.placement, ...(run.s.more_placements || [])];
    placements.forEach((placement, k) => {
      if (k > 0) where.append(el("h3", {}, "Placement " + (k + 1) + ", other tiles"));
      placementViews(placement, pinnedBlocks(), where, {closed: true, tall: 400});
    });
  };
  const nameOf = (s) => {
    const first = short(s.ops[0]), last = short(s.ops[s.ops.length - 1]);
    if (s.ops.length === 1) return first;
    let same = 0;
    while (same < first.length && first[same] === last[same]) ++same;
    same = first.lastIndexOf("/", same - 1) + 1;
    return first + " … " + (same > 1 ? last.slice(same) : last);
  };
  section("Groups of ops", el("p", {class: "soft"}, "Click a group to show its placement."), table([
    {name: "group", of: (r) => r.k},
    {name: "ops", text: true, of: (r) => r.s.ops.map(short).join(", "), show: (r) => middle(nameOf(r.s), 60)},
    {name: "number", of: (r) => r.s.ops.length},
    {name: "tiles", of: (r) => r.s.tiles.count, show: (r) => count(r.s.tiles.count) + " of " + Object.entries(r.s.tiles.shape).map(([a, n]) => a + n).join(" ")},
    {name: "variant", text: true, of: (r) => variantOf(r.s)},
    {name: "cycles", of: (r) => r.s.metrics.latency_cycles},
    {name: "bound by", text: true, of: (r) => r.bound},
    {name: "bottlenecks of its ops", bar: true, of: (r) => r.s.metrics.latency_cycles, show: (r) => strip(r.parts, slowest)},
    {name: "off-chip", of: (r) => r.s.metrics.dram_bytes, show: (r) => bytes(r.s.metrics.dram_bytes)},
    {name: "energy µJ", of: (r) => r.s.metrics.energy_pj, show: (r) => count(Math.round(r.s.metrics.energy_pj / 1e4) / 100)},
    {name: "peak", of: (r) => r.s.metrics.peak_bytes, show: (r) => bytes(r.s.metrics.peak_bytes)},
    ...accountColumns((r) => r.s.account, runs),
  ], runs, {go: show}));
  if (runs.length) {
    show(runs.reduce((best, r) => (r.s.metrics.peak_bytes > best.s.metrics.peak_bytes ? r : best), runs[0]));
    app.append(where);
  }
  if (layers.length) {
    const longest = Math.max(1, ...layers.map((l) => l.cycles));
    section("Cost of each op", table([
      {name: "op", text: true, of: (l) => l.op, show: (l) => middle(short(l.op), 56)},
      {name: "kind", text: true, of: (l) => l.kind},
      {name: "cycles", of: (l) => l.cycles},
      {name: "bound by", text: true, of: (l) => l.bound_by},
      {name: "share", bar: true, of: (l) => l.cycles, show: (l) => strip([[l.bound_by, l.cycles]], longest)},
      {name: "compute cycles", of: (l) => l.compute_cycles},
      {name: "off-chip", of: (l) => l.offchip_bytes, show: (l) => bytes(l.offchip_bytes)},
      {name: "energy µJ", of: (l) => l.energy_pj, show: (l) => count(Math.round(l.energy_pj / 1e3) / 1e3)},
      ...accountColumns((l) => l.account, layers),
    ], layers));
    section("Cost of each kind of op", table([
      {name: "kind", text: true, of: (l) => l.kind}, {name: "ops", of: (l) => l.ops}, {name: "cycles", of: (l) => l.cycles},
      {name: "off-chip", of: (l) => l.offchip_bytes, show: (l) => bytes(l.offchip_bytes)},
      {name: "energy µJ", of: (l) => l.energy_pj, show: (l) => count(Math.round(l.energy_pj / 1e4) / 100)}],
      [...byKind.values()].sort((a, b) => b.cycles - a.cycles)));
  }
}

if (result.tessera === "plan/1") planPage(); else placementPage();
