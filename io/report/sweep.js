// ---- a sweep: trade-offs, candidates, knees of each key, plans of the best ----------
const sweep = JSON.parse(text("sweep"));
const statuses = ["proved", "limit", "infeasible", "excluded", "failed"];
const statusColour = ["--accent", "--warm", "--bad", "--soft", "--bad"];
const statusMark = ["proved", "limit", "none", "excluded", "none"];
const all = sweep.candidates.id.length, set = sweep.networks.length - 1, single = sweep.networks.length === 2;
const networkName = (n) => (n === set ? (single ? sweep.networks[0].name : "all, weighted") : sweep.networks[n].name);
const plainNumber = new Intl.NumberFormat("en-US", {maximumSignificantDigits: 5});
const plain = (v) => plainNumber.format(v);
const bytesOf = (v) => (v < 1024 ? plain(v) + " B" : bytes(v));
const percent = (v) => (v > 0 && v < 0.0005 ? "< 0.1 %" : plain(Math.round(v * 1000) / 10) + " %");
// A row is a candidate and a network: {c, n}.
const column = (name) => (row) => sweep.networks[row.n][name][row.c];
const statusOf = column("status"), scoreOf = column("score"), boundOf = column("bound");
const reasonOf = (row) => (column("reason")(row) < 0 ? "" : sweep.reasons[column("reason")(row)]);
const keyText = (row, k) => sweep.keys[k].values[sweep.candidates.values[row.c][k]];
const keyNumber = (row, k) => { const v = sweep.candidates.values[row.c][k], key = sweep.keys[k]; return key.numbers ? key.numbers[v] : v; };
const gapOf = (row) => {
  const score = scoreOf(row), bound = boundOf(row);
  return score === null || bound === null ? null : score > 0 ? Math.max(0, score - bound) / score : 0;
};
const keyNames = (() => {  // the last part of a path if it is unique
  const ends = sweep.keys.map((key) => key.name.split(".").slice(-2).join("."));
  return sweep.keys.map((key, k) => (ends.indexOf(ends[k]) === ends.lastIndexOf(ends[k]) ? ends[k] : key.name));
})();

// ---- metrics for the axes ----------------------------------------------------------------------
const metrics = [
  {id: "score", name: "score (less is better)", of: scoreOf, show: plain, less: true},
  {id: "ms", name: "latency, ms", of: column("ms"), show: plain, less: true, part: "latency"},
  {id: "cycles", name: "latency, cycles", of: column("cycles"), show: count, less: true, part: "latency"},
  {id: "energy", name: "energy, µJ", of: (row) => { const v = column("energy")(row); return v === null ? null : v / 1e6; }, show: plain, less: true, part: "energy"},
  {id: "dram", name: "DRAM bytes", of: column("dram"), show: bytesOf, whole: true, less: true, part: "dram_bytes"},
  {id: "peak", name: "peak memory", of: column("peak"), show: bytesOf, whole: true, less: true},
  {id: "area", name: "area, mm²", of: (row) => sweep.candidates.area[row.c], show: plain, less: true},
].filter((metric) => metric.id !== "area" || sweep.candidates.area.some((v) => v !== null))
 .concat(sweep.keys.map((key, k) => ({
   id: "key" + k, name: key.name, of: (row) => keyNumber(row, k), show: plain,
   ticks: key.values.map((value, v) => [key.numbers ? key.numbers[v] : v, middle(value, 24)]).sort((a, b) => a[0] - b[0]),
   numbers: !!key.numbers, key: true,
 })));
const axisOf = (metric, log) => ({name: metric.name, log, show: metric.show, ticks: metric.ticks || null, whole: metric.whole});

// ---- selection: one network or all, filters, a brush ---------------------------------
const view = {network: set, front: false, words: "", statuses: new Set([0, 1, 2, 3, 4]), keys: sweep.keys.map(() => [null, null]), brush: null};
let chosen = null, axes = null;
const rowsOf = new Map();
function everyRow() {
  if (!rowsOf.has(view.network)) {
    const rows = [];
    for (let c = 0; c < all; ++c)
      if (view.network === "each") for (let n = 0; n < set; ++n) rows.push({c, n}); else rows.push({c, n: view.network});
    rowsOf.set(view.network, rows);
  }
  return rowsOf.get(view.network);
}
const searched = (row) => row.words || (row.words = [sweep.candidates.id[row.c], networkName(row.n), statuses[statusOf(row)],
    ...sweep.keys.map((_, k) => keyText(row, k)), reasonOf(row)].join("\n").toLowerCase());
function passes(row) {
  if (!view.statuses.has(statusOf(row)) || (view.front && !sweep.candidates.front[row.c])) return false;
  for (let k = 0; k < sweep.keys.length; ++k) {
    const [low, high] = view.keys[k], v = keyNumber(row, k);
    if ((low !== null && v < low) || (high !== null && v > high)) return false;
  }
  return !view.words || searched(row).includes(view.words);
}
// A row without a plan is drawn at its bound, if it has one.
const placeOf = (row, metric) => {
  const v = metric.of(row);
  return v === null && metric.id === "score" && statusOf(row) !== 2 ? boundOf(row) : v;
};
function brushed(row) {
  if (!view.brush) return true;
  const x = placeOf(row, axes.xm), y = placeOf(row, axes.ym);
  return x !== null && y !== null && x >= view.brush.x[0] && x <= view.brush.x[1] && y >= view.brush.y[0] && y <= view.brush.y[1];
}

// ---- the picture ------------------------------------------------------------------------------------
const plotHost = el("div"), plotNote = el("span", {class: "soft"});
const brushOff = el("button", {hidden: "", onclick: () => scatter.clear()}, "clear the selection");
function tipOf(row) {
  const lines = ["candidate " + sweep.candidates.id[row.c] + (single ? "" : ", " + networkName(row.n)) + ": " + statuses[statusOf(row)]];
  sweep.keys.forEach((key, k) => lines.push(keyNames[k] + " = " + keyText(row, k)));
  if (scoreOf(row) !== null) lines.push("score " + plain(scoreOf(row)) + (statusOf(row) === 0 ? ", proved" : boundOf(row) !== null ? ", lower bound " + plain(boundOf(row)) + " (gap " + percent(gapOf(row)) + ")" : ""));
  else if (boundOf(row) !== null) lines.push("lower bound of the score " + plain(boundOf(row)));
  if (column("ms")(row) !== null) lines.push(plain(column("ms")(row)) + " ms, " + bytesOf(column("dram")(row)) + " DRAM");
  return lines.join("\n");
}
const scatter = chart(plotHost, {
  height: 460, tip: (p) => tipOf(p.of), pick: (p) => choose(p.of),
  select: (box) => { view.brush = box; brushOff.hidden = !box; show({points: true}); },
});
const networkChoice = el("select", {id: "network", onchange: (event) => {
  view.network = event.target.value === "each" ? "each" : Number(event.target.value);
  scatter.clear();
}}, el("option", {value: set}, networkName(set)), single ? [] : sweep.networks.slice(0, set).map((_, n) => el("option", {value: n}, networkName(n))),
   single ? [] : el("option", {value: "each"}, "each network"));
const areaKnown = metrics.some((metric) => metric.id === "area");
const axisChoice = (id, first) => el("select", {id, onchange: () => { pickAxes(true); scatter.clear(); }},
  metrics.map((metric) => el("option", {value: metric.id, selected: metric.id === first ? "" : null}, metric.name)));
const across = axisChoice("across", areaKnown ? "area" : sweep.keys.length ? "key0" : "ms"), upward = axisChoice("upward", "score");
const logX = el("input", {type: "checkbox", onchange: () => { pickAxes(false); scatter.clear(); }});
const logY = el("input", {type: "checkbox", onchange: () => { pickAxes(false); scatter.clear(); }});
function pickAxes(guess) {
  const metricOf = (choice) => metrics.find((metric) => metric.id === choice.value);
  const fits = (metric, box) => {  // logarithmic if all values are positive; by default if they are far apart
    let low = Infinity, high = -Infinity;
    for (const row of everyRow()) { const v = placeOf(row, metric); if (v !== null) { low = Math.min(low, v); high = Math.max(high, v); } }
    box.disabled = !(low > 0) || (metric.key && !metric.numbers);
    if (box.disabled) box.checked = false;
    else if (guess) box.checked = high / low >= (metric.key ? 6 : 30);
    return axisOf(metric, box.checked);
  };
  const xm = metricOf(across), ym = metricOf(upward);
  axes = {xm, ym, x: fits(xm, logX), y: fits(ym, logY)};
  setLegend();
}
// The proved bound of a row that a limit ended is one of the score. If the score is a single metric, the
// metric has the same relative bound; other metrics have none, as a better plan may need more of them.
const hasBound = (metric) => metric.id === "score" || (!!metric.part && metric.part === sweep.only);
function provedOf(row, metric) {
  if (!hasBound(metric) || statusOf(row) !== 1 || scoreOf(row) === null || boundOf(row) === null) return null;
  if (metric.id === "score") return boundOf(row);
  const least = (of) => metric.of(of) * (statusOf(of) === 0 || !scoreOf(of) ? 1 : (boundOf(of) ?? 0) / scoreOf(of));
  if (row.n < set) return least(row);
  let sum = 0;
  for (let n = 0; n < set; ++n) sum += sweep.shares[n] * least({c: row.c, n});
  return sum;
}
function pointsOf(passed) {
  const points = [];
  let without = 0;
  for (const row of passed) {
    const x = placeOf(row, axes.xm), y = placeOf(row, axes.ym), status = statusOf(row);
    if (x === null || y === null || Number.isNaN(x) || Number.isNaN(y)) { ++without; continue; }
    points.push({x, y, x0: provedOf(row, axes.xm), y0: provedOf(row, axes.ym), mark: statusMark[status], colour: statusColour[status],
                 ring: view.network === set && sweep.candidates.front[row.c] === 1, of: row,
                 dim: !brushed(row), chosen: chosen && chosen.c === row.c && chosen.n === row.n});
  }
  return [points, without];
}
// The Pareto front of these two metrics, as a step line.
function steps(points) {
  if (!axes.xm.less || !axes.ym.less) return [];
  const sorted = points.filter((p) => scoreOf(p.of) !== null).sort((a, b) => a.x - b.x || a.y - b.y), at = [];
  let low = Infinity;
  for (const p of sorted) {
    if (p.y >= low) continue;
    if (at.length) at.push([p.x, low]);
    at.push([p.x, p.y]);
    low = p.y;
  }
  return at.length > 1 ? [{at, colour: "--accent", dash: true}] : [];
}
const legend = el("div", {class: "bar", id: "legend"});
function setLegend() {
  const open = [axes.xm, axes.ym].filter((metric) => metric.part && !hasBound(metric) || metric.id === "peak").map((metric) => metric.name);
  const bars = hasBound(axes.xm) || hasBound(axes.ym), placed = [axes.xm, axes.ym].every((metric) => metric.id === "score" || metric.id === "area" || metric.key);
  const unknown = open.length ? [...new Set(open)].join(" and ") + " without bound" : "";
  legend.replaceChildren(...[["proved", "●", 0],
    [bars ? "not proved: the bar ends at the lower bound" + (unknown && "; " + unknown) : "not proved" + (unknown ? ": no bar, " + unknown : ""), "◆", 1],
    [placed ? hasBound(axes.xm) || hasBound(axes.ym) ? "excluded: drawn at its lower bound" : "excluded" : "excluded: only its score has a bound, so it is not drawn", "△", 3]]
      .map(([words, sign, status]) => el("span", {class: "legend"}, el("span", {style: "color:var(" + statusColour[status] + ")"}, sign), words)),
    el("span", {class: "legend"}, "◎ on the Pareto front (" + (sweep.axes.join(", ") || "no axes") + ")"), el("span", {class: "legend"}, "- - Pareto front of these two axes"));
}

// ---- the table --------------------------------------------------------------------------------------
const tableHost = el("div"), tableNote = el("p", {class: "soft", id: "shown"});
function columnsNow() {
  const figure = (id) => metrics.find((metric) => metric.id === id);
  return [
    {name: "#", of: (row) => sweep.candidates.id[row.c], show: String},
    ...sweep.keys.map((key, k) => (key.numbers ? {name: keyNames[k], of: (row) => keyNumber(row, k), show: null, key: k} : {name: keyNames[k], text: (row) => keyText(row, k), wide: 260})),
    ...(view.network === "each" ? [{name: "network", text: (row) => networkName(row.n), wide: 240}] : []),
    {name: "status", text: (row) => statuses[statusOf(row)]},
    {name: "front", of: (row) => (sweep.candidates.front[row.c] ? 0 : null), show: () => "yes"},
    {name: "score", of: scoreOf, show: plain}, {name: "bound", of: boundOf, show: plain}, {name: "gap", of: gapOf, show: percent},
    {name: "latency ms", of: figure("ms").of, show: plain}, {name: "cycles", of: figure("cycles").of, show: count},
    {name: "energy µJ", of: figure("energy").of, show: plain}, {name: "DRAM", of: figure("dram").of, show: bytesOf}, {name: "peak", of: figure("peak").of, show: bytesOf},
    ...(areaKnown ? [{name: "area mm²", of: figure("area").of, show: plain}] : []),
    {name: "reason", text: reasonOf, wide: 620},
  ].map((c) => (c.key === undefined ? c : {...c, of: (row) => keyNumber(row, c.key), show: textOfNumber(c.key)}));
}
function textOfNumber(k) {  // original spelling
  const key = sweep.keys[k], texts = new Map(key.values.map((value, v) => [key.numbers[v], value]));
  return (v) => texts.get(v);
}
let grid = null, gridFor = null;
function show(only = {}) {
  if (!axes) pickAxes(true);
  if (gridFor !== view.network) {
    gridFor = view.network;
    grid = longTable(columnsNow(), {go: choose, same: (a, b) => a.c === b.c && (view.network !== "each" || a.n === b.n)});
    grid.measure(everyRow());
    if (chosen) grid.choose(chosen);
    tableHost.replaceChildren(grid.node);
  }
  const passed = everyRow().filter(passes);
  const [points, without] = pointsOf(passed);
  scatter.set({x: axes.x, y: axes.y, points, lines: steps(points)});
  plotNote.textContent = count(points.length) + (points.length === 1 ? " point" : " points") + (without ? "; " + count(without) + " rows without a value on these axes" : "") + ". Drag selects for the table, a click shows a candidate.";
  if (only.table === false) return;
  const rows = view.brush ? passed.filter(brushed) : passed;
  grid.set(rows);
  tableNote.textContent = count(rows.length) + " of " + count(everyRow().length) + " rows" + (view.brush ? ", those of the selection" : "") + ".";
}
function filters() {
  const counts = statuses.map(() => 0);
  for (let c = 0; c < all; ++c) ++counts[statusOf({c, n: set})];
  const present = statuses.map((_, s) => sweep.networks.some((network) => network.status.includes(s)));
  const change = () => show();
  const range = (k) => {
    const key = sweep.keys[k], numbered = !!key.numbers;
    const values = key.values.map((value, v) => [numbered ? key.numbers[v] : v, value]);
    if (numbered) values.sort((a, b) => a[0] - b[0]);
    const list = (words, ends) => el("select", {"aria-label": key.name + " " + words, "data-key": k, onchange: (event) => {
      const v = event.target.value === "" ? null : Number(event.target.value);
      for (const end of ends) view.keys[k][end] = v;
      change();
    }}, el("option", {value: ""}, words), values.map(([v, value]) => el("option", {value: v}, middle(value, 40))));
    return el("label", {title: key.name}, keyNames[k], numbered ? [list("from", [0]), list("to", [1])] : list("any", [0, 1]));
  };
  return el("div", {}, el("div", {class: "bar"}, statuses.map((name, s) => (present[s] ? el("label", {}, el("input", {type: "checkbox", checked: "", "data-status": name, onchange: (event) => {
      if (event.target.checked) view.statuses.add(s); else view.statuses.delete(s);
      change();
    }}), name + " (" + count(counts[s]) + ")") : null)),
    el("label", {}, el("input", {type: "checkbox", onchange: (event) => { view.front = event.target.checked; change(); }}), "Pareto front only"),
    el("input", {placeholder: "filter by words", "aria-label": "filter by words", id: "words", oninput: (event) => { view.words = event.target.value.toLowerCase(); change(); }})),
    el("div", {class: "bar keys"}, sweep.keys.map((_, k) => (sweep.keys[k].values.length > 1 ? range(k) : null))));
}

// ---- one candidate ------------------------------------------------------------------------------------
const side = el("div", {class: "side", id: "candidate"}), planHost = el("div", {id: "plan"});
const kept = new Map(sweep.plans.map((plan) => [plan.candidate + "\n" + plan.network, plan]));
const planOf = (c, n) => kept.get(sweep.candidates.id[c] + "\n" + sweep.networks[n].name);
const noPlan = (c) => (sweep.candidates.front[c] || sweep.candidates.id[c] === sweep.best
  ? "Its plans are not embedded in this page; they are in plans/" + sweep.candidates.id[c] + "-NETWORK.json."
  : scoreOf({c, n: set}) === null ? "It has no plan." : "Its plans are not stored: only those of the Pareto front and of the best score are.");
function choose(row) {
  chosen = row;
  if (grid) { grid.choose(row); show({table: false}); }
  const id = sweep.candidates.id[row.c], whole = {c: row.c, n: set};
  const dl = (entries) => el("dl", {}, entries.filter(Boolean).map(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]));
  const figures = (of) => dl([
    ["status", statuses[statusOf(of)]],
    scoreOf(of) !== null ? ["score", plain(scoreOf(of)) + (statusOf(of) === 0 ? ", proved" : "")] : null,
    statusOf(of) !== 0 && boundOf(of) !== null ? ["lower bound", plain(boundOf(of)) + (gapOf(of) === null ? "" : ", gap " + percent(gapOf(of)))] : null,
    ...metrics.slice(1).filter((m) => !m.key && m.of(of) !== null).map((m) => [m.name, m.show(m.of(of))])]);
  side.replaceChildren(el("h3", {}, "Candidate " + id + (id === sweep.best ? ", the best" : sweep.candidates.front[row.c] ? ", on the Pareto front" : "")),
    dl(sweep.keys.map((key, k) => [key.name, keyText(row, k)])), figures(row.n === set || single ? whole : row));
  if (row.n !== set && !single) side.querySelector("h3").append(" · " + networkName(row.n));
  if (reasonOf(row)) side.append(el("p", {class: "soft"}, reasonOf(row)));
  const plans = [];
  for (let n = 0; n < set; ++n) if (planOf(row.c, n)) plans.push(n);
  if (!single) side.append(el("div", {class: "networks"}, el("table", {}, el("tbody", {}, sweep.networks.slice(0, set).map((_, n) => el("tr", {},
    el("td", {class: "name", title: networkName(n)}, networkName(n)), el("td", {}, statuses[statusOf({c: row.c, n})]), el("td", {class: "n"}, scoreOf({c: row.c, n}) === null ? "–" : plain(scoreOf({c: row.c, n})))))))));
  if (plans.length) side.append(el("p", {}, "Plans: ", plans.map((n) => [el("button", {"data-plan": networkName(n), title: networkName(n), onclick: () => { showPlan(row.c, n); planHost.scrollIntoView({behavior: "smooth"}); }}, networkName(n)), " "])));
  else side.append(el("p", {class: "soft"}, noPlan(row.c)));
  const first = plans.includes(row.n) ? row.n : plans[0];
  if (first !== undefined) showPlan(row.c, first);
  else planHost.replaceChildren(el("p", {class: "soft"}, "Candidate " + id + ". " + noPlan(row.c)));
}
const boundColours = {mac: "#5b9bd5", weights: "#9a7fd1", vector: "#63b077", sram: "#e0a84e", dma: "#d96c6c"};
function showPlan(c, n) {
  const plan = planOf(c, n), id = sweep.candidates.id[c];
  planHost.replaceChildren(el("h3", {}, "Candidate " + id + ", " + sweep.networks[n].name + ": " + count(plan.layers.length) + (plan.layers.length === 1 ? " op" : " ops") + " in " + count(plan.runs) + (plan.runs === 1 ? " group" : " groups")));
  const made = new DOMParser().parseFromString(plan.picture, "image/svg+xml").documentElement;
  planHost.append(el("div", {class: "picture"}, document.importNode(made, true)));
  const cycles = plan.layers.reduce((sum, l) => sum + l[2], 0) || 1, by = new Map();
  for (const l of plan.layers) by.set(l[6], (by.get(l[6]) || 0) + l[2]);
  const shares = [...by].sort((a, b) => b[1] - a[1]);
  planHost.append(el("p", {}, "Cycles by bottleneck: ", shares.map(([name, v]) => el("span", {class: "legend"},
      el("span", {class: "swatch", style: "background:" + (boundColours[name] || "#a8a29e")}), name + " " + percent(v / cycles)))),
    el("div", {class: "share"}, shares.map(([name, v]) => el("i", {style: "flex:" + v + " 0 0;background:" + (boundColours[name] || "#a8a29e"), title: name + ": " + count(v) + " cycles"}))),
    el("h3", {}, "Cost of each op"), table([
      {name: "op", text: true, of: (l) => l[0], show: (l) => middle(l[0], 56)}, {name: "kind", text: true, of: (l) => l[1]},
      {name: "cycles", of: (l) => l[2]}, {name: "share", of: (l) => l[2] / cycles, show: (l) => percent(l[2] / cycles)},
      {name: "compute cycles", of: (l) => l[3]}, {name: "off-chip", of: (l) => l[4], show: (l) => bytes(l[4])},
      {name: "energy µJ", of: (l) => l[5], show: (l) => plain(l[5] / 1e6)}, {name: "bound by", text: true, of: (l) => l[6]}], plan.layers));
}

// ---- knees of each key --------------------------------------------------------------------
const hues = ["#2f7ed8", "#d9822b", "#2a9d5c", "#c23b75", "#7a5cc9", "#8a8f2a", "#1a9aa8", "#a8583a"];
function kneeWords(knee, edge) {
  if (!knee) return "–";
  const words = [el("b", {}, knee.value), edge(knee.value)];
  if (words[1]) return words;  // nothing is proved outside the evaluated range
  if (knee.proved) words.push(el("span", {class: "good"}, " proved"));
  else if (knee.open.length) words.push(el("span", {class: "soft"}, " unknown: " + (knee.open.length > 3 ? count(knee.open.length) + " smaller values" : knee.open.join(", "))));
  else words.push(el("span", {class: "soft"}, " gap " + percent(knee.gap)));
  return words;
}
const curveName = (curve) => (curve.network === "*" ? "all, weighted" : curve.network);
function curveOf(k, curves) {
  const key = sweep.keys[k], host = el("div"), drawn = curves.length === 2 ? curves.slice(0, 1) : curves;
  const numbers = new Map(curves[0].points.map(([value, number]) => [number, value]));
  const values = [...numbers.keys()], spread = values[0] > 0 && values[values.length - 1] / values[0] >= 6;
  const x = {name: key.name, log: spread, show: plain, ticks: [...numbers]}, y = {name: "score", log: false, show: plain, ticks: null};
  const points = [], lines = [];
  drawn.forEach((curve, at) => {
    const colour = curve.network === "*" ? "--ink" : hues[at % hues.length], line = {at: [], colour, dash: curve.network === "*"};
    for (const [value, number, status, score, bound] of curve.points) {
      if (score === null && (bound === null || status === 2)) continue;
      const y0 = score !== null && status === 1 ? bound : null;
      points.push({x: number, y: score === null ? bound : score, y0, mark: statusMark[status], colour,
                   of: curveName(curve) + ", " + value + ": " + statuses[status] + (score === null ? ", lower bound " + plain(bound) : ", score " + plain(score))});
      if (score !== null) line.at.push([number, score]);
    }
    lines.push(line);
  });
  const smallest = curves[0].points[0][0], largest = curves[0].points[curves[0].points.length - 1][0];
  const draw = () => chart(host, {height: 240, tip: (p) => p.of}).set({x, y, points, lines});
  const node = el("div", {class: "curve"}, el("h3", {}, key.name), host,
    drawn.length > 1 ? el("div", {class: "bar"}, drawn.map((curve, at) => el("span", {class: "legend", title: curveName(curve)}, el("span", {class: "swatch", style: "background:" + (curve.network === "*" ? "var(--ink)" : hues[at % hues.length])}), el("span", {class: "cut"}, curveName(curve))))) : null,
    el("div", {class: "scroll"}, el("table", {}, el("thead", {}, el("tr", {}, ["network", "fits from", "score degrades from … down", "no gain beyond"].map((name) => el("th", {}, name)))),
      el("tbody", {}, drawn.map((curve) => el("tr", {}, el("td", {class: "name", title: curveName(curve)}, curveName(curve)),
        el("td", {}, curve.fits ? kneeWords(curve.fits, (v) => (v === smallest ? ", the smallest evaluated" : "")) : "no evaluated value"),
        el("td", {}, curve.suffers ? kneeWords(curve.suffers, () => "") : curve.enough ? "no evaluated value" : "–"),
        el("td", {}, kneeWords(curve.enough, (v) => (v === largest ? ", the largest evaluated" : "")))))))));
  return [node, draw];
}
function curvesSection() {
  const best = sweep.candidates.id.indexOf(sweep.best), keys = [...new Set(sweep.curves.map((curve) => curve.key))];
  if (!keys.length) return;
  const made = keys.map((k) => curveOf(k, sweep.curves.filter((curve) => curve.key === k)));
  section("Effect of each key",
    el("p", {class: "soft"}, "One key varies, the others are those of the best candidate (" + sweep.keys.map((_, k) => keyNames[k] + " = " + keyText({c: best, n: set}, k)).join(", ") +
      "). A score degrades where it is more than 1 % above the best of its curve. Values that are not proved state their gap in the score."),
    el("div", {class: "curves"}, made.map(([node]) => node)));
  for (const [, draw] of made) draw();
}

// ---- the page -------------------------------------------------------------------------------------------
function sweepPage() {
  const counts = statuses.map((_, s) => sweep.networks[set].status.filter((each) => each === s).length);
  const best = sweep.candidates.id.indexOf(sweep.best);
  app.append(el("p", {class: "soft"}, count(all) + " machines derived from " + sweep.base + (single ? ", evaluated on " + sweep.networks[0].name : ", evaluated on " + set + " networks") + " by " + sweep.weights +
      (sweep.stop === "completed" ? "." : "; stopped before the end (" + sweep.stop.replace("_", " ") + "): run the same command to resume.")));
  app.append(cards([
    best >= 0 ? [plain(scoreOf({c: best, n: set})), "best score" + (statusOf({c: best, n: set}) === 0 ? ", proved" : "")] : null,
    ...counts.map((n, s) => (n ? [count(n), statuses[s] === "limit" ? "not proved" : statuses[s]] : null)),
    [count(sweep.candidates.front.filter(Boolean).length), "on the Pareto front"], ...modesCard(),
    [count(sweep.counts.planned), "plans computed"], [count(sweep.counts.stored), "plans from the store"], seconds(sweep.seconds)]));
  section("Trade-offs",
    el("div", {class: "bar"}, el("label", {}, "across", across), el("label", {}, logX, "logarithmic"), el("label", {}, "upward", upward), el("label", {}, logY, "logarithmic"),
      single ? null : el("label", {}, "network", networkChoice), brushOff),
    el("div", {class: "split"}, el("div", {class: "plot"}, plotHost, legend, plotNote), side));
  section("Candidates", filters(), tableHost, tableNote);
  if (all === 0) return;
  show();
  choose({c: Math.max(best, 0), n: set});
  curvesSection();
  modesSection();
  section("The plan", planHost);
  app.append(el("footer", {}, "Tessera " + sweep.version + ", " + sweep.file + ". Axes and selections are drawn by uPlot (MIT licence, in this file)."));
}
const seconds = (s) => [s < 1 ? count(Math.round(s * 1000)) + " ms" : count(Math.round(s * 10) / 10) + " s", "run time"];
sweepPage();
