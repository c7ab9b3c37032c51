// The page of `explore`: self-contained HTML, including the plotting library.
//
//   write(sweep_page("machines.yaml", R"({"keys": [], "candidates": {...}, ...})"));
//
// The data is JSON, column by column, as a sweep may have thousands of candidates:
//   keys        [{name, values: ["64 KiB", ...], numbers: [65536, ...] or null}]
//   candidates  {id: [], values: [[index of the value of each key]], area: [or null], front: [0 or
//   1]} networks    [{name, status: [], score: [], bound: [], cycles: [], ms: [], energy: [], dram:
//   [],
//               peak: [], reason: [index into `reasons`, or -1]}], the whole set last: "*"
//   only        the metric of the score, if it is a single one; shares: of the networks
//   reasons     sentences; axes, best, stop, seconds, counts: as in summary.json
//   curves      [{key, network, points: [[value, status, score, bound]], fits, suffers, enough}],
//               each knee null or {value, proved, gap, open}
//   modes       null, or the cost of removing modes: {candidate, reason, modes: [[memory, name,
//               roles]], with_all: [score of each network], area, sets: [{lose, network, needed:
//               [0 or 1], bound, scores: [[network, score, bound, proved]], area}], without:
//               [[mode, network, status, score, bound]]}
//   plans       [{candidate, network, runs, picture: "<svg ...>", layers: [[op, kind, cycles, of
//               them computing, off-chip bytes, pJ, what bounds it]]}]
// Private to io/ and explorer/.
#pragma once

#include <string>
#include <string_view>

namespace tessera::io {

[[nodiscard]] std::string sweep_page(std::string_view title, std::string_view sweep);

}  // namespace tessera::io
