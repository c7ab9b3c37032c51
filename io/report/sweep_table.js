// ---- a table of thousands of rows: only visible rows are drawn, all are sorted ------------------
// A column: {name, text: (row) => string} or {name, of: (row) => number or null, show: (number) => string}.
function longTable(columns, options) {
  const tall = 28;
  let rows = [], order = [], sorted = null, down = false, chosen = null, shown = [-1, -1];
  const keysOf = new Map();
  const textOf = (c, row) => {
    if (c.text) return c.text(row);
    const v = c.of(row);
    return v === null || v === undefined || Number.isNaN(v) ? "–" : c.show(v);
  };
  const heads = columns.map((c) => el("th", {class: c.of ? "n" : null, tabindex: "0", scope: "col", title: "sort: " + c.name,
    onclick: () => sort(c), onkeydown: (event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); sort(c); } }}, c.name));
  const widths = el("colgroup"), body = el("tbody");
  const node = el("div", {class: "rows", tabindex: "-1"}, el("table", {}, widths, el("thead", {}, el("tr", {}, heads)), body));
  const space = (count) => el("tr", {class: "space", "aria-hidden": "true"}, el("td", {colspan: columns.length, style: "height:" + count * tall + "px"}));
  const fill = (again) => {
    const first = Math.max(0, Math.floor(node.scrollTop / tall) - 4);
    const last = Math.min(order.length, first + Math.ceil(520 / tall) + 8);
    if (!again && first === shown[0] && last === shown[1]) return;
    shown = [first, last];
    const lines = [];
    if (first > 0) lines.push(space(first));
    for (let k = first; k < last; ++k) {
      const row = order[k];
      const line = el("tr", {class: chosen !== null && options.same(row, chosen) ? "chosen" : null}, columns.map((c) => {
        const text = textOf(c, row);
        return el("td", {class: c.of ? "n" : null, title: c.of ? null : text}, text);
      }));
      line.addEventListener("click", () => options.go(row));
      lines.push(line);
    }
    if (last < order.length) lines.push(space(order.length - last));
    body.replaceChildren(...lines);
  };
  const arrange = () => {
    if (sorted === null) order = rows;
    else {
      // Unknown values come last in both directions.
      if (!keysOf.has(sorted)) keysOf.set(sorted, rows.map(sorted.of ? (row) => { const v = sorted.of(row); return v === null || v === undefined ? NaN : v; } : sorted.text));
      const keys = keysOf.get(sorted);
      const index = rows.map((_, k) => k), way = down ? -1 : 1;
      if (sorted.of) index.sort((a, b) => {
        const x = keys[a], y = keys[b];
        if (x !== x || y !== y) return (x !== x) - (y !== y) || a - b;
        return (x - y) * way || a - b;
      });
      else index.sort((a, b) => (keys[a] < keys[b] ? -way : keys[a] > keys[b] ? way : a - b));
      order = index.map((k) => rows[k]);
    }
    heads.forEach((head, k) => {
      if (columns[k] === sorted) head.setAttribute("aria-sort", down ? "descending" : "ascending"); else head.removeAttribute("aria-sort");
    });
  };
  const sort = (c) => {
    down = sorted === c ? !down : false;
    sorted = c;
    arrange();
    node.scrollTop = 0;
    fill(true);
  };
  // Fixed widths from the contents of all rows, so that scrolling does not change them.
  const measure = (all) => {
    const step = Math.max(1, Math.floor(all.length / 300));
    widths.replaceChildren(...columns.map((c) => {
      let most = c.name.length + 3;
      for (let k = 0; k < all.length; k += step) most = Math.max(most, textOf(c, all[k]).length);
      return el("col", {style: "width:" + Math.round(Math.min(c.wide || 380, most * 7.7 + 24)) + "px"});
    }));
  };
  node.addEventListener("scroll", () => fill(false));
  return {
    node, measure,
    set: (next) => { rows = next; keysOf.clear(); arrange(); node.scrollTop = 0; fill(true); },
    choose: (row) => { chosen = row; fill(true); },
  };
}
