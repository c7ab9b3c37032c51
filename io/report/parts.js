"use strict";
const text = (id) => document.getElementById(id).textContent;
// ---- helpers -------------------------------------------------------------------------------
function el(tag, attributes, ...children) {
  const node = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else if (value !== null && value !== undefined && value !== false) node.setAttribute(key, value);
  }
  for (const child of children.flat(3)) if (child !== null && child !== undefined) node.append(child);
  return node;
}
function count(n) {
  if (!Number.isFinite(n)) return "–";
  return Number.isInteger(n) ? n.toLocaleString("en-US")
                             : n.toLocaleString("en-US", {maximumFractionDigits: Math.abs(n) < 10 ? 3 : 1});
}
function bytes(n) {
  let unit = 0, v = n;
  while (Math.abs(v) >= 1024 && unit < 4) { v /= 1024; ++unit; }
  return unit === 0 ? count(n) + " B" : count(Math.round(v * 100) / 100) + " " + ["B", "KiB", "MiB", "GiB", "TiB"][unit];
}
function exact(n) { return n < 1024 ? bytes(n) : bytes(n) + " (" + count(n) + ")"; }
function hex(n) { return "0x" + n.toString(16).toUpperCase(); }
function shade(name) { return getComputedStyle(document.documentElement).getPropertyValue(name).trim(); }
function dark() {
  const set = document.documentElement.dataset.theme;
  return set ? set === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}
const redraws = new Set();
function redrawAll() { for (const redraw of redraws) redraw(); }
const tip = el("div", {class: "tip", hidden: ""});
function showTip(event, text) {
  tip.textContent = text;
  tip.hidden = false;
  const x = event.clientX + 16, y = event.clientY + 16;
  tip.style.left = Math.max(4, Math.min(x, innerWidth - tip.offsetWidth - 8)) + "px";
  tip.style.top = (y + tip.offsetHeight > innerHeight ? Math.max(4, event.clientY - tip.offsetHeight - 10) : y) + "px";
}
function hideTip() { tip.hidden = true; }

// Shortens names with long common prefixes: the prefix is shown once.
function differing(names) {
  if (names.length < 2) return (name) => name;
  let common = names[0];
  for (const name of names) while (!name.startsWith(common)) common = common.slice(0, -1);
  common = common.slice(0, common.lastIndexOf("/") + 1);
  return common.length > 3 ? (name) => "…/" + name.slice(common.length) : (name) => name;
}
function middle(text, most) {
  if (text.length <= most) return text;
  const head = Math.floor((most - 1) / 3);
  return text.slice(0, head) + "…" + text.slice(text.length - (most - 1 - head));
}

// ---- a sortable table with a filter and a button for more rows -------------------------------------
function table(columns, rows, options = {}) {
  const most = options.most || 300;
  let order = null, up = false, wanted = "", all = false;
  const body = el("tbody"), more = el("div", {class: "bar"});
  const fill = () => {
    let shown = wanted ? rows.filter((r) => columns.some((c) => c.text && String(c.of(r)).toLowerCase().includes(wanted))) : rows;
    if (order) {
      shown = [...shown].sort((a, b) => {
        const x = order.of(a), y = order.of(b);
        return (x < y ? -1 : x > y ? 1 : 0) * (up ? 1 : -1);
      });
    }
    const cut = all ? shown : shown.slice(0, most);
    body.replaceChildren(...cut.map((row) => {
      const line = el("tr", {class: options.go ? "go" : null}, columns.map((c) => {
        const shownValue = c.show ? c.show(row) : c.text ? c.of(row) : count(c.of(row));
        return el("td", {class: c.text ? "name" : "n", title: c.text ? String(c.of(row)) : null}, shownValue);
      }));
      if (options.go) line.addEventListener("click", () => {
        body.querySelectorAll(".chosen").forEach((each) => each.classList.remove("chosen"));
        line.classList.add("chosen");
        options.go(row);
      });
      return line;
    }));
    more.replaceChildren();
    if (cut.length < shown.length)
      more.append(el("span", {class: "soft"}, count(cut.length) + " of " + count(shown.length) + " rows. "),
                  el("button", {onclick: () => { all = true; fill(); }}, "show all"));
  };
  const heads = columns.map((c) => el("th", {class: c.text || c.bar ? null : "n", title: "sort", onclick: () => {
    up = order === c ? !up : !!c.text;
    order = c;
    fill();
  }}, c.name));
  fill();
  const box = el("div", {});
  if (rows.length > 12)
    box.append(el("div", {class: "bar"}, el("input", {placeholder: "filter by name", "aria-label": "filter by name",
      oninput: (event) => { wanted = event.target.value.toLowerCase(); fill(); }})));
  box.append(el("div", {class: "scroll"}, el("table", {}, el("thead", {}, el("tr", {}, heads)), body)), more);
  return box;
}

// ---- common parts of all pages ---------------------------------------------------------------------------
const app = document.getElementById("app");
const section = (title, ...children) => app.append(el("section", {}, el("h2", {}, title), ...children));
const cards = (entries) => el("div", {class: "cards"}, entries.filter(Boolean).map(([value, what, note]) =>
    el("div", {class: "card", title: note || null}, el("b", {}, value), el("span", {}, what))));
document.body.append(tip);
document.getElementById("theme").addEventListener("click", () => {
  document.documentElement.dataset.theme = dark() ? "light" : "dark";
  redrawAll();
});
document.documentElement.dataset.theme = dark() ? "dark" : "light";
