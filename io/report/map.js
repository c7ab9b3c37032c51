const result = JSON.parse(text("result"));
const given = JSON.parse(text("given"));
// ---- a placement, per memory ---------------------------------------------------
// spans: one rectangle per live interval of a buffer, {b, from, to}; `known` is the memory of the problem.
function memoriesOf(placement, known) {
  const named = new Map();
  const memory = (name) => {
    if (!named.has(name)) {
      const told = (known || []).find((each) => each.name === name) || {};
      named.set(name, {name, capacity: told.capacity || null, base: told.base || 0, reserved: told.reserved || [],
                       reservedFor: told.reservedFor || "reserved", banks: told.banks || [], buffers: [], modes: (placement.modes || {})[name] || [], steps: 0, height: 0});
    }
    return named.get(name);
  };
  for (const each of known || []) memory(each.name);
  for (const b of placement.buffers || []) {
    const of = memory(b.memory === undefined ? "memory" : b.memory);
    of.buffers.push(b);
    of.height = Math.max(of.height, b.offset + b.size);
    if (b.address !== undefined) of.base = b.address - b.offset;
    for (const live of b.live || []) of.steps = Math.max(of.steps, live[1]);
  }
  return [...named.values()];
}
// Occupied areas of a buffer: [from, to, begin, end]. Gaps and parts are known only with the problem.
function lifeOf(b) {
  const parts = given && given.occupied && given.occupied[b.id];
  const at = b.offset || 0;
  return parts ? parts.map(([from, to, low, high]) => [from, to, at + low, at + high])
               : (b.live || []).map(([from, to]) => [from, to, at, at + b.size]);
}
// Live bytes as the corners of a curve: [step, bytes] from there on. Shared addresses count once: a segment tree over the
// ends of all ranges computes the length of their union.
function loadOf(buffers) {
  const events = [], all = [];
  for (const b of buffers) for (const [from, to, low, high] of lifeOf(b)) {
    events.push([from, 1, low, high], [to, -1, low, high]);
    all.push(low, high);
  }
  events.sort((a, b) => a[0] - b[0]);
  const ends = [...new Set(all)].sort((a, b) => a - b);
  let leaves = 1;
  while (leaves < ends.length) leaves *= 2;
  const end = (k) => ends[Math.min(k, ends.length - 1)], whole = new Int32Array(2 * leaves), covered = new Float64Array(2 * leaves);
  const change = (by, low, high, at, from, to) => {
    if (high <= end(from) || end(to) <= low) return;
    if (low <= end(from) && end(to) <= high) whole[at] += by;
    else {
      const middle = (from + to) / 2;
      change(by, low, high, 2 * at, from, middle);
      change(by, low, high, 2 * at + 1, middle, to);
    }
    covered[at] = whole[at] > 0 ? end(to) - end(from) : to - from === 1 ? 0 : covered[2 * at] + covered[2 * at + 1];
  };
  const curve = [];
  events.forEach(([step, by, low, high], k) => {
    change(by, low, high, 1, 0, leaves);
    if (k + 1 === events.length || events[k + 1][0] !== step) curve.push([step, covered[1]]);
  });
  return curve;
}
function peakOf(load) { return load.reduce((best, each) => (each[1] > best[1] ? each : best), [0, 0]); }

// Overlaps of two buffers: [from, to, begin, end, allowed]. Relations of the problem may allow them; without the problem
// this is unknown. The number is limited to what a picture can show.
function sharedOf(spans) {
  const groups = (given && given.shares || []).map((ids) => new Set(ids));
  const shared = [];
  let live = [];
  for (const s of [...spans].sort((a, b) => a.from - b.from)) {
    live = live.filter((other) => other.to > s.from);
    for (const other of live) {
      if (other.b === s.b || other.high <= s.low || s.high <= other.low || shared.length >= 5000) continue;
      shared.push({from: s.from, to: Math.min(s.to, other.to), low: Math.max(s.low, other.low), high: Math.min(s.high, other.high),
                   allowed: !given || groups.some((group) => group.has(s.b.id) && group.has(other.b.id))});
    }
    live.push(s);
  }
  return shared;
}
// Diagonal lines, falling or rising.
function hatch(c, colour, falling) {
  const tile = document.createElement("canvas"), size = 7;
  tile.width = tile.height = size;
  const t = tile.getContext("2d");
  t.strokeStyle = colour; t.lineWidth = 1.2;
  t.beginPath();
  for (const shift of [-size, 0, size]) { t.moveTo(shift, falling ? 0 : size); t.lineTo(shift + size, falling ? size : 0); }
  t.stroke();
  return c.createPattern(tile, "repeat");
}

// ---- the picture: steps to the right, addresses upwards ------------------------------------
// options: tall; marked, a set of ids; unit of time (step); cuts, [{at, name}]; when(time), tooltip text; from, lowest address.
const ramp = (f) => "hsl(" + (215 - 190 * f) + " " + (dark() ? "45% 45%" : "62% 66%") + ")";
function hue(text) {
  let h = 2166136261;
  for (let k = 0; k < text.length; ++k) h = Math.imul(h ^ text.charCodeAt(k), 16777619);
  return "hsl(" + ((h >>> 0) % 360) + " " + (dark() ? "38% 42%" : "55% 72%") + ")";
}
// Roles of buffers in a plan, with the colours of `plan --plot`.
const kinds = {
  weights: ["weights", "#edb95a"], input: ["input", "#7fb5e6"], output: ["output", "#7cc48d"],
  inside: ["intermediate of one group", "#b9bec9"], kept: ["resident across groups", "#c99ad9"],
  pinned: ["pinned weights", "#b184c6"],
  halo: ["halo reused between tiles", "#ef9a80"], copy: ["copy for another engine", "#d9cba0"],
  between: ["off-chip until later groups", "#6fbfb8"],
};
const colourings = {
  kind: {name: "kind", value: null, applies: (buffers) => buffers.some((b) => kinds[b.kind])},
  life: {name: "lifetime", low: "short", high: "long", value: (b) => b.live.reduce((n, [f, t]) => n + t - f, 0)},
  size: {name: "size", low: "small", high: "large", value: (b) => b.size},
  name: {name: "buffer", value: null},
};
const lifeText = (b) => b.live.slice(0, 6).map(([f, t]) => "[" + f + ", " + t + ")").join(" ") + (b.live.length > 6 ? " …" : "");

// Round values from `from` to `to`, at most about `most` of them: powers of two for bytes, whole numbers for steps.
function ticks(from, to, most, whole) {
  let unit = whole ? 1 : 1e-9;
  const raw = (to - from) / most;
  if (whole === "bytes") { while (unit < raw) unit *= 2; }
  else { for (const m = [2, 2.5, 2]; unit < raw;) unit *= m[Math.round(Math.log10(unit) * 3 + 300) % 3]; unit = Math.ceil(unit); }
  const at = [];
  for (let t = Math.ceil(from / unit) * unit; t <= to; t += unit) at.push(t);
  return at;
}
const penFont = "11.5px system-ui, sans-serif";
function widestOf(c, texts) { return texts.reduce((most, text) => Math.max(most, c.measureText(text).width), 0); }

function picture(memory, options = {}) {
  const spans = [];
  for (const b of memory.buffers) for (const [from, to, low, high] of lifeOf(b)) spans.push({b, from, to, low, high});
  const load = loadOf(memory.buffers), peak = peakOf(load);
  const steps = Math.max(1, memory.steps);
  const used = Math.max(1, memory.height, ...memory.reserved.map(([, to]) => to));
  const top = memory.capacity && memory.capacity <= 1.6 * used ? memory.capacity : Math.ceil(used * 1.04);
  const unit = options.unit || "step", cuts = options.cuts || [];
  const offered = Object.entries(colourings).filter(([, way]) => !way.applies || way.applies(memory.buffers));
  const whole = {x0: 0, x1: steps, y0: options.from || 0, y1: top};
  let view = {...whole}, colouring = offered[0][0], chosen = null, hovered = null, pending = false;
  const marked = options.marked || new Set();
  const canvas = el("canvas", {tabindex: "0", role: "img",
    "aria-label": "Buffers of memory " + memory.name + ": " + unit + "s from left to right, addresses upwards"});
  const addressOf = (a) => (memory.base ? hex(memory.base + a) : bytes(a));
  const pen = document.createElement("canvas").getContext("2d");
  pen.font = penFont;
  const left = Math.max(74, 14 + widestOf(pen, [...ticks(whole.y0, whole.y1, 9, "bytes"), top].map(addressOf)));
  const shared = memory.off ? [] : sharedOf(spans);
  const under = 78, above = 8, right = 12, curve = 44;
  const tall = options.tall || 460;
  let wide = 900;
  const X = (step) => left + (step - view.x0) / (view.x1 - view.x0) * (wide - left - right);
  const Y = (address) => tall - under - (address - view.y0) / (view.y1 - view.y0) * (tall - under - above);
  const stepAt = (x) => view.x0 + (x - left) / (wide - left - right) * (view.x1 - view.x0);
  const addressAt = (y) => view.y0 + (tall - under - y) / (tall - under - above) * (view.y1 - view.y0);
  const ranks = {};
  for (const [key, way] of Object.entries(colourings)) {
    if (!way.value) continue;
    const values = memory.buffers.map(way.value);
    const low = Math.log1p(Math.min(...minmax(values))), high = Math.log1p(Math.max(...minmax(values)));
    ranks[key] = (b) => (high > low ? (Math.log1p(way.value(b)) - low) / (high - low) : 0);
  }
  function minmax(values) {
    let low = Infinity, high = -Infinity;
    for (const v of values) { low = Math.min(low, v); high = Math.max(high, v); }
    return values.length ? [low, high] : [0, 0];
  }
  const paint = (b) => (marked.has(b.id) ? shade("--bad") : colouring === "kind" ? kinds[b.kind][1] : colouring === "name" ? hue(b.id) : ramp(ranks[colouring](b)));

  function draw() {
    pending = false;
    const box = canvas.getBoundingClientRect(), dense = devicePixelRatio || 1;
    wide = Math.max(320, box.width || 900);
    canvas.style.height = tall + "px";
    canvas.width = Math.round(wide * dense);
    canvas.height = Math.round(tall * dense);
    const c = canvas.getContext("2d");
    c.setTransform(dense, 0, 0, dense, 0, 0);
    c.fillStyle = shade("--back");
    c.fillRect(0, 0, wide, tall);
    c.font = penFont;
    const soft = shade("--soft"), grid = shade("--grid"), ink = shade("--ink");
    const bottom = tall - under;
    // Steps and addresses.
    c.strokeStyle = grid; c.fillStyle = soft; c.lineWidth = 1;
    c.textAlign = "center"; c.textBaseline = "top";
    for (const t of ticks(view.x0, view.x1, Math.max(3, (wide - left) / 85), "whole")) {
      const x = X(t);
      c.beginPath(); c.moveTo(x, above); c.lineTo(x, tall - 18); c.stroke();
      c.fillText(count(t), Math.min(x, wide - 8 - c.measureText(count(t)).width / 2), tall - 15);
    }
    c.textAlign = "right"; c.textBaseline = "middle";
    for (const a of ticks(view.y0, view.y1, 9, "bytes")) {
      const y = Y(a);
      c.beginPath(); c.moveTo(left, y); c.lineTo(wide - right, y); c.stroke();
      c.fillText(addressOf(a), left - 6, y);
    }
    c.textBaseline = "alphabetic";
    c.save();
    c.beginPath(); c.rect(left, above, wide - left - right, bottom - above); c.clip();
    for (const [from, to] of memory.reserved) {
      const y = Y(to), h = Math.max(1, Y(from) - y);
      c.fillStyle = shade("--card"); c.fillRect(left, y, wide - left, h);
      c.fillStyle = hatch(c, soft, false); c.fillRect(left, y, wide - left, h);
      c.strokeStyle = soft; c.strokeRect(left, y + 0.5, wide - left, h - 1);
    }
    const dense_enough = spans.length > 4000;
    for (const s of spans) {
      if (s.to <= view.x0 || s.from >= view.x1 || s.low >= view.y1 || s.high <= view.y0) continue;
      const x = X(s.from), y = Y(s.high);
      const w = Math.max(0.7, X(s.to) - x), h = Math.max(0.7, Y(s.low) - y);
      c.fillStyle = paint(s.b);
      c.fillRect(x, y, w, h);
      if (w > 4 && h > 4 && !(dense_enough && w * h < 60)) {
        c.strokeStyle = shadeLine; c.strokeRect(x + 0.5, y + 0.5, w - 1, h - 1);
      }
      if (w > 46 && h > 13) {
        c.fillStyle = dark() && colouring !== "kind" ? "#f2f5f9" : "#17202c"; c.textAlign = "left";
        const cx = Math.max(x, left);
        c.fillText(middle(s.b.id, Math.floor((Math.min(x + w, wide) - cx - 8) / 6.3)), cx + 5, y + h / 2 + 4);
      }
      if (s.b === hovered || s.b === chosen) {
        c.strokeStyle = ink; c.lineWidth = 2.5; c.strokeRect(x, y, w, h); c.lineWidth = 1;
      }
    }
    for (const s of shared) {
      c.fillStyle = hatch(c, s.allowed ? (dark() ? "#f2f5f9aa" : "#17202c99") : shade("--bad"), true);
      c.fillRect(X(s.from), Y(s.high), X(s.to) - X(s.from), Y(s.low) - Y(s.high));
    }
    let named = -100;
    c.textAlign = "left";
    cuts.forEach((cut, k) => {
      const x = X(cut.at);
      if (x < left || x > wide - right) return;
      // Dense lines would hide the buffers.
      const room = Math.max(k > 0 ? x - X(cuts[k - 1].at) : 0, k + 1 < cuts.length ? X(cuts[k + 1].at) - x : wide - x);
      if (room >= 3) { c.strokeStyle = "#00000066"; c.beginPath(); c.moveTo(x, above); c.lineTo(x, bottom); c.stroke(); }
      if (x - named > 60) { c.fillStyle = soft; c.fillText(cut.name, x + 3, above + 11); named = x; }
    });
    const rule = (address, colour, text, dashes, side = "right") => {
      if (address < view.y0 || address > view.y1) return;
      c.strokeStyle = colour; c.fillStyle = colour; c.setLineDash(dashes);
      c.beginPath(); c.moveTo(left, Y(address)); c.lineTo(wide, Y(address)); c.stroke(); c.setLineDash([]);
      c.textAlign = side;
      c.fillText(text, side === "right" ? wide - right - 4 : left + 5, Y(address) + (Y(address) < above + 16 ? 13 : -4));
    };
    let at = 0;
    for (const bank of memory.banks) {
      at += bank.size;
      if (at !== memory.capacity) rule(at, soft, "end of bank " + bank.name, [2, 3]);
    }
    if (memory.capacity) rule(memory.capacity, shade("--bad"), "capacity " + bytes(memory.capacity), [6, 4]);
    if (memory.height) rule(memory.height, shade("--accent"), "height " + bytes(memory.height), [4, 4], "left");
    c.restore();
    // Below: live bytes, and the step with the maximum.
    const most = Math.max(peak[1], 1), floor = tall - 20, ceiling = floor - curve;
    c.save(); c.beginPath(); c.rect(left, ceiling - 2, wide - left - right, curve + 4); c.clip();
    c.fillStyle = shade("--accent"); c.globalAlpha = 0.35; c.beginPath(); c.moveTo(X(view.x0), floor);
    let now = 0;
    for (const [step, value] of load) { c.lineTo(X(step), floor - now / most * curve); c.lineTo(X(step), floor - value / most * curve); now = value; }
    c.lineTo(wide, floor - now / most * curve); c.lineTo(wide, floor); c.closePath(); c.fill(); c.globalAlpha = 1;
    c.restore();
    c.fillStyle = soft; c.textAlign = "right"; c.fillText("live", left - 6, floor - curve / 2 + 4);
    if (peak[1] > 0 && peak[0] >= view.x0 && peak[0] < view.x1) {
      const x = X(peak[0]);
      c.strokeStyle = shade("--bad"); c.beginPath(); c.moveTo(x, above); c.lineTo(x, floor); c.stroke();
      c.fillStyle = shade("--bad");
      c.textAlign = x > wide - 220 ? "right" : "left";
      c.fillText("peak: " + bytes(peak[1]) + " at " + unit + " " + count(Math.round(peak[0])), x + (x > wide - 220 ? -5 : 5), ceiling + 8);
    }
    c.strokeStyle = shade("--line"); c.strokeRect(left, above, wide - left - right, bottom - above);
  }
  const shadeLine = "#00000055";
  const redraw = () => { if (!pending) { pending = true; requestAnimationFrame(draw); } };
  redraws.add(redraw);
  new ResizeObserver(redraw).observe(canvas);

  function zoom(factor, x, y, time, space) {
    const t = stepAt(x), a = addressAt(y);
    const clamp = (low, high, from, to) => {
      const span = Math.min(high - low, to - from);
      const begin = Math.max(from, Math.min(low, to - span));
      return [begin, begin + span];
    };
    if (time) [view.x0, view.x1] = clamp(t + (view.x0 - t) * factor, t + (view.x1 - t) * factor, whole.x0, whole.x1);
    if (space) [view.y0, view.y1] = clamp(a + (view.y0 - a) * factor, a + (view.y1 - a) * factor, whole.y0, whole.y1);
    redraw();
  }
  function pan(dx, dy) {
    const w = view.x1 - view.x0, h = view.y1 - view.y0;
    const x0 = Math.max(whole.x0, Math.min(view.x0 + dx * w, whole.x1 - w));
    const y0 = Math.max(whole.y0, Math.min(view.y0 + dy * h, whole.y1 - h));
    view = {x0, x1: x0 + w, y0, y1: y0 + h};
    redraw();
  }
  // The buffers under the pointer, the topmost first.
  function find(event) {
    const box = canvas.getBoundingClientRect();
    const step = stepAt(event.clientX - box.left), address = addressAt(event.clientY - box.top);
    if (event.clientX - box.left < left) return [];
    return spans.filter((s) => s.from <= step && step < s.to && s.low <= address && address < s.high).map((s) => s.b).reverse();
  }
  function tell(b, time) {
    const addresses = "offset " + count(b.offset) + " to " + count(b.offset + b.size);
    return b.id + "\n" + exact(b.size) + "\n" + addresses + " (" + hex(memory.base + b.offset) + ")\nlive " +
        b.live.slice(0, 6).map(([f, t]) => "[" + f + ", " + t + ")").join(" ") + (b.live.length > 6 ? " …" : "");
  }
  let held = null;
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    const box = canvas.getBoundingClientRect();
    zoom(event.deltaY > 0 ? 1.25 : 0.8, event.clientX - box.left, event.clientY - box.top, !event.altKey, !event.shiftKey);
  }, {passive: false});
  canvas.addEventListener("pointerdown", (event) => { held = event; canvas.setPointerCapture(event.pointerId); });
  canvas.addEventListener("pointerup", () => { held = null; });
  canvas.addEventListener("pointermove", (event) => {
    if (held) {
      pan((held.clientX - event.clientX) / (wide - left - right), (event.clientY - held.clientY) / (tall - under - above));
      held = event;
      hideTip();
      return;
    }
    const [b = null, ...others] = find(event);
    if (b !== hovered) { hovered = b; redraw(); }
    const also = others.length ? "\nshares bytes with " + others.slice(0, 6).map((other) => other.id).join(", ") : "";
    if (b) showTip(event, tell(b, stepAt(event.clientX - canvas.getBoundingClientRect().left)) + also); else hideTip();
  });
  canvas.addEventListener("pointerleave", () => { hovered = null; hideTip(); redraw(); });
  const reset = () => { view = {...whole}; redraw(); };
  canvas.addEventListener("dblclick", reset);
  canvas.addEventListener("keydown", (event) => {
    const moves = {ArrowLeft: [-0.15, 0], ArrowRight: [0.15, 0], ArrowUp: [0, 0.15], ArrowDown: [0, -0.15]}[event.key];
    if (moves) pan(...moves);
    else if (event.key === "+" || event.key === "=") zoom(0.7, wide / 2, tall / 2, true, true);
    else if (event.key === "-") zoom(1.4, wide / 2, tall / 2, true, true);
    else if (event.key === "0") reset();
    else return;
    event.preventDefault();
  });
  const legend = el("span", {class: "legend"});
  function explainColours() {
    const way = colourings[colouring];
    legend.replaceChildren();
    if (way.value) legend.append(way.low, el("span", {class: "scale", style: "background:linear-gradient(90deg," +
        [0, 0.25, 0.5, 0.75, 1].map(ramp).join(",") + ")"}), way.high);
    if (colouring === "kind") {
      const there = new Set(memory.buffers.map((b) => b.kind));
      for (const [key, [words, colour]] of Object.entries(kinds))
        if (there.has(key)) legend.append(el("span", {class: "swatch", style: "background:" + colour}), words + " ");
    }
    const mark = (lines, words) => legend.append(el("span", {class: "swatch", style: "background:repeating-linear-gradient(" + lines + " 0 1.5px,transparent 1.5px 5px)"}), words + " ");
    if (memory.reserved.length) mark("135deg,var(--soft)", memory.reservedFor);
    if (shared.some((s) => s.allowed)) mark("45deg,var(--ink)", "bytes shared by buffers");
    if (shared.some((s) => !s.allowed)) mark("45deg,var(--bad)", "overlap that violates a rule");
    if (marked.size) legend.append(el("span", {class: "swatch", style: "background:var(--bad)"}), "minimal infeasible set");
    redraw();
  }
  redraws.add(explainColours);
  const zoomAt = (factor) => () => zoom(factor, left + (wide - left) / 2, tall / 2, true, true);
  const node = el("div", {},
    el("div", {class: "bar"},
      el("label", {class: "soft"}, "colour ", el("select", {onchange: (event) => { colouring = event.target.value; explainColours(); }},
        offered.map(([key, way]) => el("option", {value: key}, way.name)))), legend,
      el("span", {class: "grow"}),
      el("button", {onclick: zoomAt(0.6), title: "zoom in"}, "+"), el("button", {onclick: zoomAt(1.6), title: "zoom out"}, "−"),
      el("button", {onclick: reset}, "all")),
    canvas,
    el("div", {class: "soft", style: "font-size:13px"},
       "Wheel: zoom (with Shift " + unit + "s only, with Alt addresses only). Drag: move. Double click: show all."));
  explainColours();
  return {node, peak, left, show(b) {
    chosen = b;
    const from = Math.min(...b.live.map((l) => l[0])), to = Math.max(...b.live.map((l) => l[1]));
    const w = Math.min(steps, Math.max((to - from) * 3, steps / 40)), h = Math.min(top, Math.max(b.size * 4, top / 20));
    const x0 = Math.max(0, Math.min((from + to - w) / 2, steps - w)), y0 = Math.max(0, Math.min(b.offset + b.size / 2 - h / 2, top - h));
    view = {x0, x1: x0 + w, y0, y1: y0 + h};
    redraw();
    canvas.scrollIntoView({block: "nearest", behavior: "smooth"});
  }};
}
