// ---- modes: needed ones, removable ones, and the cost of removing each -------------------------------
const changeOf = (before, after) => (before > 0 ? (after - before) / before : 0);
const share = (v) => (v < 0.0005 ? plain(Number((v * 100).toPrecision(1))) + " %" : percent(v));
const changeWords = (change) => (Math.abs(change) < 1e-6 ? "none" : (change > 0 ? "+" : "−") + share(Math.abs(change)) + (change < 0 ? ", better" : ""));
function modesCard() {
  const first = sweep.modes && sweep.modes.sets.find((s) => s.network === "*");
  if (!first) return [];
  const stay = first.needed.filter(Boolean).length;
  return [[stay + " of " + first.needed.length, "modes needed" + (stay === first.bound ? ", proved" : "")]];
}
function modesSection() {
  const found = sweep.modes;
  if (!found) return;
  const title = "Modes that are needed";
  if (found.reason) { section(title, el("p", {class: "soft"}, "Not known: " + found.reason + ".")); return; }
  const memories = new Set(found.modes.map(([memory]) => memory)), networks = sweep.networks.slice(0, set).map((network) => network.name);
  const nameOf = (k) => (memories.size > 1 ? found.modes[k][0] + "." : "") + found.modes[k][1];
  const before = new Map(networks.map((name, n) => [name, found.with_all[n]]));
  const forWhom = (name) => (name !== "*" ? name : single ? networks[0] : "all networks");
  const listed = (of, needed) => found.modes.map((_, k) => k).filter((k) => of.needed[k] === needed).map(nameOf).join(", ") || "none";
  const staying = (of) => of.needed.filter(Boolean).length;
  const worst = (of) => Math.max(...of.scores.map(([name, after]) => changeOf(before.get(name), after)));
  const proof = (enough, words) => el("span", {class: enough ? "good" : "soft"}, words);
  const sets = table([
    {name: "may lose", of: (s) => s.lose, show: (s) => plain(s.lose) + " %"},
    {name: "judged on", text: true, of: (s) => forWhom(s.network)},
    {name: "stay", of: staying, show: (s) => [staying(s) + " of " + found.modes.length + ", ", staying(s) === s.bound ? proof(true, "proved") : proof(false, "at least " + s.bound)]},
    {name: "these stay", text: true, of: (s) => listed(s, 1)}, {name: "these may go", text: true, of: (s) => listed(s, 0)},
    {name: "largest change of a score", of: worst, show: (s) => changeWords(worst(s))},
    ...(found.area === null ? [] : [{name: "area saved, mm²", of: (s) => found.area - s.area, show: (s) => plain(found.area - s.area) + " of " + plain(found.area)}]),
  ], found.sets);
  const scores = table([
    {name: "may lose", of: (r) => r.set.lose, show: (r) => plain(r.set.lose) + " %"},
    {name: "modes that stay", text: true, of: (r) => listed(r.set, 1)},
    {name: "chosen for", text: true, of: (r) => forWhom(r.set.network)}, {name: "network", text: true, of: (r) => r.name},
    {name: "score with all", of: (r) => before.get(r.name), show: (r) => plain(before.get(r.name))},
    {name: "with these", of: (r) => r.after, show: (r) => plain(r.after)},
    {name: "change", of: (r) => changeOf(before.get(r.name), r.after), show: (r) => changeWords(changeOf(before.get(r.name), r.after))},
    {name: "proof", of: (r) => (r.proved ? 0 : 1 - r.bound / r.after), show: (r) => (r.proved ? proof(true, "proved") : proof(false, "gap " + percent(Math.max(0, 1 - r.bound / r.after))))},
  ], found.sets.flatMap((s) => s.scores.map(([name, after, bound, proved]) => ({set: s, name, after, bound, proved}))));
  // Without the mode: the result for every network; null if removing it is impossible.
  const without = new Map(found.without.map((each) => [each[0] + "\n" + each[1], each]));
  const cost = (k, name) => {
    const known = without.get(k + "\n" + name);
    const alone = found.modes.filter(([memory]) => memory === found.modes[k][0]).length === 1;
    if (!known) return alone ? [Infinity, "its memory has no other"] : [1e8, "not known"];
    const [, , status, score, bound] = known;
    if (statuses[status] === "infeasible") return [1e9, "no plan, proved"];
    if (score === null) return [1e8, "not known"];
    const change = changeOf(before.get(name), score), least = bound === null ? null : changeOf(before.get(name), bound);
    if (change <= 1e-6) return [0, "nothing"];
    return [change, changeWords(change) + (statuses[status] === "proved" ? ", proved" : least > 0 ? ", at least +" + share(least) : ", perhaps less")];
  };
  const together = found.sets.filter((s) => s.network === "*");
  const each = table([
    ...(memories.size > 1 ? [{name: "memory", text: true, of: (k) => found.modes[k][0]}] : []),
    {name: "mode", text: true, of: (k) => found.modes[k][1]}, {name: "banks", text: true, of: (k) => found.modes[k][2]},
    ...together.map((s) => ({name: together.length > 1 ? "at " + plain(s.lose) + " %" : "decision", of: (k) => s.needed[k], show: (k) => (s.needed[k] ? el("b", {}, "stays") : "may go")})),
    ...networks.map((name) => ({name: "it alone gone, " + middle(name, 28), of: (k) => cost(k, name)[0], show: (k) => cost(k, name)[1]})),
  ], found.modes.map((_, k) => k));
  section(title, el("p", {class: "soft"}, "Of candidate " + found.candidate + ", the best: the fewest modes with which " + (single ? networks[0] : "every network, or one by itself,") +
      " keeps its score or loses no more than it may. Scores were planned again without the modes that may go, all of them at once; with fewer modes other tiles are tried, and a plan may turn out better."),
    el("div", {class: "modes", id: "modes"}, el("h3", {}, "The smallest sets"), sets, el("h3", {}, "What they cost"), scores,
      el("h3", {}, "Each mode"), el("p", {class: "soft"}, "What a network's score loses where one mode goes and all others stay: nothing, where another can stand in for it."), each));
}
