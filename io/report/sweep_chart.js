// ---- points on two axes, with bars to the proved bounds; uPlot draws axes and the selection ------------
// An axis: {name, log, show(value), ticks: [[value, label]] or null, whole: bytes}.
// A point: {x, y, x0, y0: proved bounds, mark, colour, ring, dim, of}.
const zero = 1e-300;
const along = (axis, v) => (axis.log ? Math.log10(Math.max(v, zero)) : v);
function nice(raw, binary) {
  if (binary) return 2 ** Math.ceil(Math.log2(Math.max(raw, 1)));
  const ten = 10 ** Math.floor(Math.log10(raw));
  return [1, 2, 5, 10].map((k) => k * ten).find((k) => k >= raw * 0.999);
}
function linearTicks(axis, low, high, most) {
  const step = nice((high - low) / most || 1, axis.whole), out = [];
  for (let k = Math.ceil(low / step); k * step <= high && out.length < 60; ++k) out.push([k * step, axis.show(k * step)]);
  return out;
}
// Tick labels between low and high (as drawn) on `pixels` pixels, without overlap.
function ticksOf(axis, low, high, pixels, upright) {
  let all;
  if (axis.ticks) all = axis.ticks;
  else if (axis.log) {
    all = [];
    if (axis.whole) for (let k = Math.floor(low / Math.LOG10E / Math.LN2); 10 ** low * 2 ** 60 > 2 ** k && k <= high / Math.LOG10E / Math.LN2; ++k) all.push([2 ** k, axis.show(2 ** k)]);
    else for (let k = Math.floor(low); k <= high; ++k) for (const m of [1, 2, 5]) all.push([m * 10 ** k, axis.show(m * 10 ** k)]);
    all = all.filter(([v]) => along(axis, v) >= low && along(axis, v) <= high);
    if (all.length < 3) all = linearTicks(axis, 10 ** low, 10 ** high, pixels / 100);
  } else all = linearTicks(axis, low, high, pixels / (upright ? 32 : 92));
  const kept = [];
  let free = -Infinity;
  for (const [v, label] of all) {
    const t = along(axis, v), at = (t - low) / (high - low) * pixels, half = upright ? 11 : label.length * 3.7 + 9;
    if (t < low - 1e-9 || t > high + 1e-9 || at - half < free) continue;
    kept.push([t, label]);
    free = at + half;
  }
  return kept;
}
function spanOf(axis, values) {
  let low = Infinity, high = -Infinity;
  for (const v of values) { const t = along(axis, v); if (t < low) low = t; if (t > high) high = t; }
  if (low > high) return [0, 1];
  const pad = (high - low) * 0.05 || Math.abs(high) * 0.05 || 0.5;
  return [low - pad, high + pad];
}

function drawMark(c, mark, x, y, r) {
  c.beginPath();
  if (mark === "proved") { c.arc(x, y, r, 0, 2 * Math.PI); c.fill(); return; }
  if (mark === "limit") { c.moveTo(x, y - r * 1.3); c.lineTo(x + r * 1.3, y); c.lineTo(x, y + r * 1.3); c.lineTo(x - r * 1.3, y); c.closePath(); c.fill(); return; }
  if (mark === "excluded") { c.moveTo(x, y - r * 1.2); c.lineTo(x + r * 1.1, y + r * 0.8); c.lineTo(x - r * 1.1, y + r * 0.8); c.closePath(); c.stroke(); return; }
  c.moveTo(x - r, y - r); c.lineTo(x + r, y + r); c.moveTo(x + r, y - r); c.lineTo(x - r, y + r); c.stroke();
}

function chart(host, options) {
  let u = null, points = [], lines = [], x = null, y = null, spans = [[0, 1], [0, 1]], hit = null;
  const height = options.height || 440;
  const draw = () => {
    const c = u.ctx, dense = devicePixelRatio || 1, box = u.bbox;
    const X = (v) => u.valToPos(along(x, v), "x", true), Y = (v) => u.valToPos(along(y, v), "y", true);
    c.save();
    c.beginPath(); c.rect(box.left, box.top, box.width, box.height); c.clip();
    c.lineJoin = "round";
    for (const line of lines) {
      c.strokeStyle = shade(line.colour) || line.colour; c.lineWidth = 1.3 * dense; c.setLineDash(line.dash ? [5 * dense, 4 * dense] : []);
      c.beginPath();
      line.at.forEach(([a, b], k) => (k ? c.lineTo(X(a), Y(b)) : c.moveTo(X(a), Y(b))));
      c.stroke();
    }
    c.setLineDash([]);
    const r = (points.length > 1500 ? 2.6 : points.length > 300 ? 3.4 : 4.6) * dense, colours = {};
    const colour = (name) => colours[name] || (colours[name] = shade(name) || name);
    // Bars of points at the same position are drawn side by side if there are few.
    const beside = new Map(), dodge = (side, at) => {
      if (points.length > 300) return 0;
      const key = side + Math.round(at / dense), k = beside.get(key) || 0;
      beside.set(key, k + 1);
      return (k % 2 ? 1 : -1) * Math.min(3, (k + 1) >> 1) * 4 * dense;
    };
    // The most important points are drawn last, on top.
    const layer = (p) => (p.chosen ? 3 : p.dim ? 0 : p.ring ? 2 : 1);
    for (const now of [0, 1, 2, 3]) for (const p of points) {
      if (layer(p) !== now) continue;
      const px = X(p.x), py = Y(p.y);
      p.px = (px - box.left) / dense; p.py = (py - box.top) / dense;
      c.globalAlpha = p.dim ? 0.18 : points.length > 1500 ? 0.75 : 1;
      c.strokeStyle = c.fillStyle = colour(p.colour);
      c.lineWidth = (points.length > 1500 ? 1 : 1.4) * dense;
      const full = c.globalAlpha;
      if (points.length > 1500) c.globalAlpha = full / 3;
      if (p.y0 !== undefined && p.y0 !== null) {
        const q = Y(p.y0), w = r * 0.8, at = px + dodge("x", px);
        c.beginPath(); c.moveTo(px, py); c.lineTo(at, py); c.lineTo(at, q); c.moveTo(at - w, q); c.lineTo(at + w, q); c.stroke();
      }
      if (p.x0 !== undefined && p.x0 !== null) {
        const q = X(p.x0), w = r * 0.8, at = py + dodge("y", py);
        c.beginPath(); c.moveTo(px, py); c.lineTo(px, at); c.lineTo(q, at); c.moveTo(q, at - w); c.lineTo(q, at + w); c.stroke();
      }
      c.globalAlpha = full;
      drawMark(c, p.mark, px, py, r);
      if (p.ring) { c.beginPath(); c.arc(px, py, r + 3 * dense, 0, 2 * Math.PI); c.strokeStyle = colour("--ink"); c.lineWidth = 1.3 * dense; c.stroke(); }
      if (p.chosen) { c.beginPath(); c.arc(px, py, r + 6 * dense, 0, 2 * Math.PI); c.strokeStyle = colour("--bad"); c.lineWidth = 2 * dense; c.stroke(); }
    }
    c.restore();
  };
  const nearest = (left, top) => {
    let best = null, least = 16 ** 2;
    for (const p of points) {
      const d = (p.px - left) ** 2 + (p.py - top) ** 2;
      if (d < least && !p.dim) { least = d; best = p; }
    }
    return best;
  };
  const made = (side, upright) => {
    let kept = [];
    const axis = () => (side === "x" ? x : y);
    return {
      scale: side, label: axis().name, labelSize: 22, labelFont: "13px system-ui, sans-serif", font: "11.5px system-ui, sans-serif",
      stroke: () => shade("--soft"), grid: {stroke: () => shade("--grid"), width: 1}, ticks: {stroke: () => shade("--line"), width: 1},
      splits: (self, at, low, high) => {
        const dense = devicePixelRatio || 1;
        const pixels = (upright ? self.bbox.height : self.bbox.width) / dense || (upright ? height - 70 : 600);
        kept = ticksOf(axis(), low, high, pixels, upright);
        return kept.map(([t]) => t);
      },
      values: () => kept.map(([, label]) => label), filter: (self, splits) => splits,
      size: upright ? (self, values) => Math.min(190, 18 + 6.8 * Math.max(3, ...(values || []).map((v) => String(v).length))) : 44,
    };
  };
  const build = () => {
    if (u) u.destroy();
    u = new uPlot({
      width: Math.max(240, host.clientWidth), height, legend: {show: false}, padding: [10, 26, 0, 0],
      scales: {x: {time: false, auto: false, range: () => spans[0]}, y: {auto: false, range: () => spans[1]}},
      series: [{}, {paths: () => null, points: {show: false}}],
      axes: [made("x", false), made("y", true)],
      cursor: {points: {show: false}, drag: {x: !!options.select, y: !!options.select, setScale: false, dist: 5},
               bind: {dblclick: () => () => { if (options.select) clear(); }}},
      hooks: {draw: [draw], setSelect: options.select ? [(self) => {
        const s = self.select;
        if (s.width < 4 || s.height < 4) return;
        const value = (axis, px, side) => { const t = self.posToVal(px, side); return axis.log ? 10 ** t : t; };
        options.select({x: [value(x, s.left, "x"), value(x, s.left + s.width, "x")],
                        y: [value(y, s.top + s.height, "y"), value(y, s.top, "y")]});
      }] : []},
    }, [[0, 1], [0, 1]], host);
    let down = null;
    u.over.addEventListener("mousedown", (event) => { down = [event.clientX, event.clientY]; });
    u.over.addEventListener("mousemove", (event) => {
      hit = nearest(event.offsetX, event.offsetY);
      if (hit && options.tip) showTip(event, options.tip(hit)); else hideTip();
    });
    u.over.addEventListener("mouseleave", hideTip);
    u.over.addEventListener("click", (event) => {
      if (down && Math.hypot(event.clientX - down[0], event.clientY - down[1]) > 5) return;
      const p = nearest(event.offsetX, event.offsetY);
      if (p && options.pick) options.pick(p);
    });
  };
  const clear = () => { u.setSelect({left: 0, top: 0, width: 0, height: 0}, false); options.select(null); };
  const set = (next) => {
    const other = !u || next.x !== x || next.y !== y;
    ({points, lines = [], x, y} = next);
    spans = [spanOf(x, points.flatMap((p) => (p.x0 === undefined || p.x0 === null ? [p.x] : [p.x, p.x0]))),
             spanOf(y, points.flatMap((p) => (p.y0 === undefined || p.y0 === null ? [p.y] : [p.y, p.y0])))];
    if (other) build();
    else u.setData([[0, 1], [0, 1]]);
  };
  new ResizeObserver(() => { if (u && host.clientWidth > 0 && host.clientWidth !== u.width) u.setSize({width: Math.max(240, host.clientWidth), height}); }).observe(host);
  redraws.add(() => { if (u) u.redraw(false, true); });
  return {set, clear, redraw: () => u && u.redraw(false, false)};
}
