// ---- modes: needed ones, removable ones, and the cost of removing each -------------------------------
const changeOf = (before, after) => (before > 0 ? (after - before) / before : 0);
const share = (v) => (v < 0.0005 ? plain(Number((v * 100).toPrecision(1))) + " %" : percent(v));
const changeWords = (change) => (Math.abs(change) < 1e-6 ? "none" : (change > 0 ? "+" : "−") + share(Math.abs(change)) + (change < 0 ? ", better" : ""));
function modesCard() {
  const first = sweep.modes && sweep.modes.sets.find((s) => s.network === "*");
  if (!first) return [];
  const stay = first.needed.filter(Boolean).length;
  return [[stay + " of " + first.needed.length, "modes required" + (stay === first.bound ? ", proved" : "")]];
}
function modesSection() {
  const found = sweep.modes;
  if (!found) return;
  const title = "Required modes";
  if (found.reason) { section(title, el("p", {class: "soft"}, "Unknown: " + found.reason + ".")); return; }
  const memories = new Set(found.modes.map(([memory]) => memory)), networks = sweep.networks.slice(0, set).map((network) => network.name);
  const nameOf = (k) => (memories.size > 1 ? found.modes[k][0] + "." : "") + found.modes[k][1];
  const before = new Map(networks.map((name, n) => [name, found.with_all[n]]));
  const forWhom = (name) => (name !== "*" ? name : single ? networks[0] : "all networks");
  const listed = (of, needed) => found.modes.map((_, k) => k).filter((k) => of.needed[k] === needed).map(nameOf).join(", ") || "none";
  const staying = (of) => of.needed.filter(Boolean).length;
  const worst = (of) => Math.max(...of.scores.map(([name, after]) => changeOf(before.get(name), after)));
  const proof = (enough, words) => el("span", {class: enough ? "good" : "soft"}, words);
  const sets = table([
    {name: "allowed loss", of: (s) => s.lose, show: (s) => plain(s.lose) + " %"},
    {name: "networks", text: true, of: (s) => forWhom(s.network)},
    {name: "required", of: staying, show: (s) => [staying(s) + " of " + found.modes.length + ", ", staying(s) === s.bound ? proof(true, "proved") : proof(false, "lower bound " + s.bound)]},
    {name: "required modes", text: true, of: (s) => listed(s, 1)}, {name: "removable modes", text: true, of: (s) => listed(s, 0)},
    {name: "largest change of a score", of: worst, show: (s) => changeWords(worst(s))},
    ...(found.area === null ? [] : [{name: "area saved, mm²", of: (s) => found.area - s.area, show: (s) => plain(found.area - s.area) + " of " + plain(found.area)}]),
  ], found.sets);
  const scores = table([
    {name: "allowed loss", of: (r) => r.set.lose, show: (r) => plain(r.set.lose) + " %"},
    {name: "required modes", text: true, of: (r) => listed(r.set, 1)},
    {name: "chosen for", text: true, of: (r) => forWhom(r.set.network)}, {name: "network", text: true, of: (r) => r.name},
    {name: "score with all modes", of: (r) => before.get(r.name), show: (r) => plain(before.get(r.name))},
    {name: "score with these", of: (r) => r.after, show: (r) => plain(r.after)},
    {name: "change", of: (r) => changeOf(before.get(r.name), r.after), show: (r) => changeWords(changeOf(before.get(r.name), r.after))},
    {name: "proof", of: (r) => (r.proved ? 0 : 1 - r.bound / r.after), show: (r) => (r.proved ? proof(true, "proved") : proof(false, "gap " + percent(Math.max(0, 1 - r.bound / r.after))))},
  ], found.sets.flatMap((s) => s.scores.map(([name, after, bound, proved]) => ({set: s, name, after, bound, proved}))));
  // Without the mode: the result for every network; null if removing it is impossible.
  const without = new Map(found.without.map((each) => [each[0] + "\n" + each[1], each]));
  const cost = (k, name) => {
    const known = without.get(k + "\n" + name);
    const alone = found.modes.filter(([memory]) => memory === found.modes[k][0]).length === 1;
    if (!known) return alone ? [Infinity, "only mode of its memory"] : [1e8, "unknown"];
    const [, , status, score, bound] = known;
    if (statuses[status] === "infeasible") return [1e9, "infeasible, proved"];
    if (score === null) return [1e8, "unknown"];
    const change = changeOf(before.get(name), score), least = bound === null ? null : changeOf(before.get(name), bound);
    if (change <= 1e-6) return [0, "none"];
    return [change, changeWords(change) + (statuses[status] === "proved" ? ", proved" : least > 0 ? ", lower bound +" + share(least) : ", not proved")];
  };
  const together = found.sets.filter((s) => s.network === "*");
  const each = table([
    ...(memories.size > 1 ? [{name: "memory", text: true, of: (k) => found.modes[k][0]}] : []),
    {name: "mode", text: true, of: (k) => found.modes[k][1]}, {name: "banks", text: true, of: (k) => found.modes[k][2]},
    ...together.map((s) => ({name: together.length > 1 ? "at " + plain(s.lose) + " %" : "decision", of: (k) => s.needed[k], show: (k) => (s.needed[k] ? el("b", {}, "required") : "removable")})),
    ...networks.map((name) => ({name: "without it, " + middle(name, 28), of: (k) => cost(k, name)[0], show: (k) => cost(k, name)[1]})),
  ], found.modes.map((_, k) => k));
  section(title, el("p", {class: "soft"}, "Best candidate, " + found.candidate + ": the fewest modes such that " + (single ? networks[0] : "every network, or a single one,") +
      " stays within the allowed loss of score. Scores are planned again without all removable modes; other tiles are then evaluated, so a score may improve."),
    el("div", {class: "modes", id: "modes"}, el("h3", {}, "The smallest sets"), sets, el("h3", {}, "Their cost"), scores,
      el("h3", {}, "Each mode"), el("p", {class: "soft"}, "Change of the score of a network if only this mode is removed."), each));
}
