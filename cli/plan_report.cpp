#include "cli/plan_report.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <initializer_list>
#include <numeric>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/console.h"
#include "cli/help_text.h"
#include "cli/report.h"
#include "model/op_labels.h"
#include "tessera/files.h"
#include "tessera/names.h"

namespace tessera::cli {

namespace {

/// Minimum width of the column of ops: other columns are dropped before it becomes narrower.
constexpr std::size_t enough_for_ops = 26;
constexpr std::size_t least_for_ops = 16;

std::string decimals(double value, int digits) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

std::string time_text(double seconds) {
  if (seconds < 1e-3) return decimals(seconds * 1e6, 1) + " us";
  if (seconds < 1) return decimals(seconds * 1e3, 2) + " ms";
  return decimals(seconds, 2) + " s";
}

std::string time_text(std::int64_t cycles, const Hardware& hardware) {
  return time_text(static_cast<double>(cycles) / hardware.clock_hz);
}

std::string energy_text(double picojoules) {
  if (picojoules < 1e6) return decimals(picojoules * 1e-3, 1) + " nJ";
  if (picojoules < 1e9) return decimals(picojoules * 1e-6, 1) + " uJ";
  return decimals(picojoules * 1e-9, 2) + " mJ";
}

std::string bytes_text(Size bytes) {
  if (bytes < 1024) return std::to_string(bytes) + " B";
  if (bytes < 1024 * 1024) return decimals(static_cast<double>(bytes) / 1024, 1) + " KiB";
  return decimals(static_cast<double>(bytes) / (1024.0 * 1024.0), 2) + " MiB";
}

/// Aligned columns, numbers to the right.
class Table {
 public:
  explicit Table(std::vector<std::string> head) : rows_{std::move(head)} {}
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  [[nodiscard]] std::size_t width_of(std::size_t column) const {
    std::size_t width = 0;
    for (const auto& row : rows_) width = std::max(width, row[column].size());
    return width;
  }
  void leave_out(std::size_t column) {
    for (auto& row : rows_) row.erase(row.begin() + static_cast<std::ptrdiff_t>(column));
  }
  /// Shortens the names of a column, except its head, to `width` characters.
  void shorten(std::size_t column, std::size_t width) {
    std::vector<std::string> names;
    for (std::size_t r = 1; r < rows_.size(); ++r) names.push_back(rows_[r][column]);
    names = shortened_apart(names, width);
    for (std::size_t r = 1; r < rows_.size(); ++r) rows_[r][column] = names[r - 1];
  }
  [[nodiscard]] std::string text(std::size_t left_columns) const {
    std::vector<std::size_t> width(rows_.front().size(), 0);
    for (std::size_t c = 0; c < width.size(); ++c) width[c] = width_of(c);
    std::string out;
    for (const auto& row : rows_) {
      std::string line;
      for (std::size_t c = 0; c < row.size(); ++c) {
        const std::string blanks(width[c] - row[c].size(), ' ');
        line += (c == 0 ? "" : "  ") + (c < left_columns ? row[c] + blanks : blanks + row[c]);
      }
      while (!line.empty() && line.back() == ' ') line.pop_back();
      out += line + "\n";
    }
    return out;
  }

 private:
  std::vector<std::vector<std::string>> rows_;
};

std::string tiles_text(const PlannedSubgraph& s) {
  if (s.tile_count() == 1) return "1";
  std::string text = std::to_string(s.tile_count()) + " of";
  static constexpr const char* axes[] = {"C", "H", "W"};
  for (std::size_t a = 0; a < 3; ++a)
    if (s.counts[a] > 1) text += std::string(" ") + axes[a] + std::to_string(s.extent[a]);
  return text;
}

std::string variant_text(const PlannedSubgraph& s) {
  std::string text = s.variant.double_buffer ? "double" : "single";
  text += s.variant.weights == WeightPolicy::resident ? ", resident" : ", refetched";
  if (s.variant.stationary == Stationary::weights)
    text = s.variant.double_buffer ? "double, stationary" : "single, stationary";
  if (s.variant.stationary == Stationary::inputs) text += ", inputs stationary";
  if (s.variant.halo == HaloPolicy::keep) text += ", halo keep";
  if (s.variant.halo == HaloPolicy::keep_columns) text += ", halo keep_columns";
  const char* before = ", one copy of ";
  for (const auto& [one, name] : {std::pair{OneCopy::inputs, "inputs"},
                                  {OneCopy::outputs, "outputs"},
                                  {OneCopy::weights, "weights"}}) {
    if (!has(s.variant.one_copy, one)) continue;
    text += std::string(before) + name;
    before = " and ";
  }
  if (s.variant.direct == Direct::inputs_outputs)
    text += ", reads and writes off chip";
  else if (s.variant.direct != Direct::none)
    text += s.variant.direct == Direct::inputs ? ", reads off chip" : ", writes off chip";
  if (s.variant.trailing == 1) text += ", last op pipelined";
  if (s.variant.trailing > 1)
    text += ", last " + std::to_string(s.variant.trailing) + " ops pipelined";
  if (!s.early.empty()) text += ", " + std::to_string(s.early.size()) + " prefetched";
  if (!s.passing.empty()) text += ", " + std::to_string(s.passing.size()) + " held";
  if (s.variant.reduction > 1)
    text += ", sums in " + std::to_string(s.variant.reduction) + " parts";
  return text;
}

/// One row per group. Columns that do not fit are dropped, the least informative first, and named
/// below; names of ops are cut last, and keep their ends.
std::string subgraph_table(const NetworkPlan& plan, const Hardware& hardware,
                           const PlanReportOptions& options) {
  Size capacity = 0;
  for (const Memory& memory : placement_memories(hardware)) capacity += memory.capacity;
  std::vector<std::string> heads{"#",      "ops",  "numbers", "variant",   "tiles",     "latency",
                                 "energy", "DRAM", "peak",    "of memory", "MACs busy", "gap"};
  Table table(heads);
  const OpLabels names(plan);
  for (std::size_t k = 0; k < plan.subgraphs.size(); ++k) {
    const PlannedSubgraph& s = plan.subgraphs[k];
    const double used = 100.0 * static_cast<double>(s.metrics.peak_bytes) /
                        static_cast<double>(std::max<Size>(1, capacity));
    table.add(
        {std::to_string(k), names.of(s),
         s.ops.size() == 1 ? std::to_string(s.ops.first)
                           : std::to_string(s.ops.first) + "-" + std::to_string(s.ops.last),
         variant_text(s), tiles_text(s), time_text(s.metrics.latency_cycles, hardware),
         energy_text(s.metrics.energy_pj), bytes_text(s.metrics.dram_bytes),
         bytes_text(s.metrics.peak_bytes), decimals(used, 0) + " %",
         decimals(100 * s.utilisation, 0) + " %",
         k < plan.group_bounds.size() ? decimals(100 * gap_of_group(plan, k), 1) + " %" : "-"});
  }
  constexpr std::size_t ops = 1;
  const auto room_for_ops = [&] {
    std::size_t others = 0;
    for (std::size_t c = 0; c < heads.size(); ++c)
      if (c != ops) others += table.width_of(c) + 2;
    return options.table_width > others ? options.table_width - others : 0;
  };
  std::string left_out;
  const auto leave_out = [&](std::initializer_list<const char*> least_telling, std::size_t enough) {
    for (const char* head : least_telling) {
      if (room_for_ops() >= std::min(table.width_of(ops), enough)) return;
      const auto at = std::find(heads.begin(), heads.end(), head);
      table.leave_out(static_cast<std::size_t>(at - heads.begin()));
      heads.erase(at);
      left_out += (left_out.empty() ? "" : ", ") + std::string(head);
    }
  };
  if (plan.group_bounds.empty()) {
    table.leave_out(heads.size() - 1);
    heads.pop_back();
  }
  leave_out({"variant", "MACs busy", "of memory", "numbers", "gap", "energy"}, enough_for_ops);
  leave_out({"tiles", "peak"}, least_for_ops);
  table.shorten(ops, std::max(room_for_ops(), least_for_ops));
  std::size_t left = 2;  // text columns come first
  while (left < heads.size() && heads[left] != "latency" && heads[left] != "tiles") ++left;
  std::string text = table.text(left);
  if (!left_out.empty())
    text += wrapped("(omitted: " + left_out + "; --wide shows them)\n", options.words_width, 1);
  return text;
}

std::string change(double now, double before) {
  if (before <= 0) return "";
  return decimals(100.0 * now / before, 1) + " %";
}

std::string totals_table(const NetworkPlan& plan, const Hardware& hardware) {
  const Metrics& t = plan.totals;
  const Metrics& b = plan.baseline;
  const auto real = [](std::int64_t value) { return static_cast<double>(value); };
  Table table({"", "this plan", "layer by layer", "ratio"});
  table.add({"latency", time_text(t.latency_cycles, hardware),
             time_text(b.latency_cycles, hardware),
             change(real(t.latency_cycles), real(b.latency_cycles))});
  table.add({"energy", energy_text(t.energy_pj), energy_text(b.energy_pj),
             change(t.energy_pj, b.energy_pj)});
  table.add({"DRAM", bytes_text(t.dram_bytes), bytes_text(b.dram_bytes),
             change(real(t.dram_bytes), real(b.dram_bytes))});
  table.add({"peak", bytes_text(t.peak_bytes), bytes_text(b.peak_bytes),
             change(real(t.peak_bytes), real(b.peak_bytes))});
  table.add({"score", decimals(plan.score, 4), decimals(plan.baseline_score, 4),
             change(plan.score, plan.baseline_score)});
  return table.text(1);
}

/// Empty if the reference is the default, layer by layer.
std::string reference_line(const NetworkPlan& plan, const Hardware& hardware) {
  const PlanReference& r = plan.reference;
  const Hardware* const named = hardware.reference.get();
  if (r.totals == plan.baseline && (r.profile == plan.profile || named != nullptr)) return "";
  const double seconds =
      r.clock_hz > 0 ? static_cast<double>(r.totals.latency_cycles) / r.clock_hz : 0;
  return "reference " + r.profile + ": " + time_text(seconds) + ", " +
         energy_text(r.totals.energy_pj) + ", " + bytes_text(r.totals.dram_bytes) +
         " of DRAM traffic\n";
}

/// Empty if the weights are those of the profile. Weights of a plan add up to 1.
std::string weights_line(const NetworkPlan& plan, const Hardware& hardware) {
  const auto all = [](const ObjectiveWeights& w) {
    return std::array{w.latency, w.energy, w.dram_bytes, w.peak_memory};
  };
  static constexpr std::array names{"latency", "energy", "DRAM", "peak"};
  const std::array weights = all(plan.weights);
  const std::array own = all(hardware.objective);
  const double sum = std::accumulate(own.begin(), own.end(), 0.0);
  std::string counted;
  bool differs = false;
  for (std::size_t k = 0; k < names.size(); ++k) {
    differs = differs || std::abs(weights[k] * sum - own[k]) > 1e-9 * sum;
    if (weights[k] != 0)
      counted +=
          (counted.empty() ? "" : ", ") + std::string(names[k]) + " " + decimals(weights[k], 2);
  }
  return differs ? "score weights: " + counted + "\n" : "";
}

/// Inner tiles of equal extents count as the first of them, although their burst alignment may
/// differ.
std::string burst_line(const NetworkPlan& plan, const Hardware& hardware) {
  Size burst = 1;
  for (const HardwareMemory& memory : hardware.memories)
    if (memory.offchip && memory.behind.empty()) burst = std::max(burst, memory.burst);
  const bool alike = std::ranges::any_of(plan.subgraphs, [](const PlannedSubgraph& s) {
    return std::ranges::any_of(s.counts, [](Dim count) { return count > 2; });
  });
  if (burst == 1 || !alike) return "";
  return "DRAM traffic counts whole bursts of " + bytes_text(burst) +
         "; equal tiles count the bursts of the first, approximate if their distance is no "
         "multiple "
         "of a burst.\n";
}

/// Off-chip memory of tensors, and the bytes saved by freeing tensors tile by tile.
std::string offchip_lines(const NetworkPlan& plan) {
  std::string text;
  for (const OffchipMemory& memory : plan.offchip) {
    Size weights = 0;
    for (const OffchipBuffer& buffer : memory.buffers) weights += buffer.weights ? buffer.size : 0;
    text += "off-chip " + memory.memory + ": " + bytes_text(memory.height);
    if (weights > 0 && plan.behind.memory.empty())
      text += weights == memory.height ? ", all of it weights"
                                       : ", " + bytes_text(weights) + " of it weights";
    text += memory.height == memory.lower_bound
                ? " (minimum for these tiles, proved)"
                : " (lower bound " + bytes_text(memory.lower_bound) + " for these tiles)";
    if (memory.whole_tensors > memory.height)
      text += "; " + bytes_text(memory.whole_tensors) + " with whole-tensor lifetimes";
    text += "\n";
  }
  // All of a resident part is on-chip.
  const auto is_there = [&](const PlannedJoin& join) {
    return std::ranges::any_of(plan.offchip, [&](const OffchipMemory& memory) {
      return std::ranges::find(memory.buffers, join.whole, &OffchipBuffer::id) !=
             memory.buffers.end();
    });
  };
  if (const auto joins = std::ranges::count_if(plan.joined, is_there); joins > 0)
    text += std::to_string(joins) + (joins == 1 ? " tensor is stored" : " tensors are stored") +
            " in place in their concatenation\n";
  if (!plan.pinned.empty()) {
    Size bytes = 0;
    for (const PlannedPin& pin : plan.pinned) bytes += pin.bytes;
    text += std::to_string(plan.pinned.size()) +
            (plan.pinned.size() == 1 ? " pinned weight" : " pinned weights") + " in " +
            plan.pinned.front().memory + ": " + bytes_text(bytes) +
            ", loaded once before the first inference, not in the totals\n";
  }
  return text;
}

/// Traffic and cost of the backing memory.
std::string backing_memory_lines(const NetworkPlan& plan, const Hardware& hardware) {
  const PlannedBehind& behind = plan.behind;
  if (behind.memory.empty()) return "";
  std::string front = "memory in front of it";
  for (const HardwareMemory& memory : hardware.memories)
    if (memory.space.name == behind.memory) front = memory.behind;
  if (behind.fetches.empty())
    return behind.memory + " is not read: all weights are resident in " + front + "\n";
  Size weights = 0;
  Size tensors = 0;
  std::size_t passes = 0;  // of weights
  std::size_t whole = 0;
  for (const PlannedFetch& fetch : behind.fetches) {
    const bool weight = std::ranges::find(behind.away, fetch.tensor) == behind.away.end();
    (weight ? weights : tensors) += fetch.bytes;
    if (weight) ++(fetch.passes ? passes : whole);
  }
  const double waiting = plan.totals.latency_cycles > 0
                             ? 100 * static_cast<double>(behind.waiting_cycles) /
                                   static_cast<double>(plan.totals.latency_cycles)
                             : 0;
  std::string text = weights == 0 ? "all weights are resident in " + front + "; "
                                  : bytes_text(weights) + " of weights are fetched from " +
                                        behind.memory + " (" + std::to_string(whole) +
                                        " tensors whole, " + std::to_string(passes) +
                                        " in slices; " + std::to_string(behind.resident.size()) +
                                        " resident in " + front + "); ";
  if (!behind.away.empty())
    text += std::to_string(behind.away.size()) + " intermediate " +
            (behind.away.size() == 1 ? "tensor is" : "tensors are") + " stored in " +
            behind.memory + ", " + bytes_text(tensors) + " of traffic; ";
  return text + "groups wait " + decimals(waiting, 1) + " % of the time for these transfers\n";
}

std::string joined_names(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

std::string architect_notes(const NetworkPlan& plan, const Hardware& hardware) {
  const std::vector<Memory> memories = placement_memories(hardware);
  std::string text;
  for (std::size_t m = 0; m < memories.size(); ++m) {
    if (m < plan.unused_modes.size() && !plan.unused_modes[m].empty())
      text += "unused mode" + std::string(plan.unused_modes[m].size() > 1 ? "s " : " ") +
              joined_names(plan.unused_modes[m]) + " of " + memories[m].name + "\n";
    if (m < plan.idle_banks.size() && !plan.idle_banks[m].empty())
      text += "unused bank" + std::string(plan.idle_banks[m].size() > 1 ? "s " : " ") +
              joined_names(plan.idle_banks[m]) + " of " + memories[m].name + "\n";
  }
  return text;
}

/// Objectives other than the score.
std::string objective_lines(const NetworkPlan& plan, const Hardware& hardware) {
  const std::vector<Memory> memories = placement_memories(hardware);
  std::string text;
  for (const ObjectiveValue& each : plan.objectives) {
    std::string needed;
    for (MemoryIndex m = 0; m < memories.size(); ++m) {
      std::set<std::string> names;
      for (const PlannedSubgraph& s : plan.subgraphs)
        for (const PlannedPlacement& p : s.placements)
          if (m < p.placement.modes.size())
            names.insert(p.placement.modes[m].begin(), p.placement.modes[m].end());
      if (names.empty()) continue;
      needed += (needed.empty() ? "" : "; ") +
                joined_names(std::vector<std::string>(names.begin(), names.end())) + " of " +
                memories[m].name;
    }
    if (needed.empty()) {
      text += "no memory of " + hardware.name + " has modes\n";
      continue;
    }
    text += "modes used: " + needed;
    if (each.proved)
      text += " (fewest for these tiles at this score, proved)\n";
    else
      text +=
          " (" + std::to_string(each.value) + ", lower bound " + std::to_string(each.bound) + ")\n";
  }
  return text;
}

/// The first name, and the number of others. Converters name a tensor after all ops they merged.
std::string first_of(std::vector<std::string> names) {
  constexpr std::size_t named = 3;
  constexpr std::size_t width = 48;
  names = shortened_apart(names, width);
  if (names.size() <= named) return joined_names(names) + "\n";
  const std::string more = " and " + std::to_string(names.size() - named) + " more\n";
  names.resize(named);
  return joined_names(names) + more;
}

/// Tensors that stay on-chip between groups.
std::string kept_line(const NetworkPlan& plan) {
  std::vector<std::string> kept;
  for (const PlannedSubgraph& s : plan.subgraphs)
    for (const std::string& name : s.kept)
      if (std::ranges::find(kept, name) == kept.end()) kept.push_back(name);
  if (kept.empty()) return "";
  return counted(kept.size(), "resident tensor", "resident tensors") +
         " between groups: " + first_of(kept);
}

/// Counters of the search. Each candidate is solved, reused or pruned; `infeasible` and `unknown`
/// are counted within all candidates.
std::string stats_text(const PlanSearch& search) {
  std::string text;
  for (const auto& [name, value] : {std::pair{"candidates", search.candidates},
                                    {"solved", search.solved},
                                    {"reused", search.reused},
                                    {"pruned", search.pruned},
                                    {"infeasible", search.infeasible},
                                    {"unknown", search.unknown},
                                    {"shapes", search.shapes},
                                    {"nodes_per_question", search.nodes_per_question}})
    text += std::string(name) + " = " + std::to_string(value) + "\n";
  return text + "seconds = " + decimals(search.seconds, 3) + "\n";
}

/// The bound of such a plan holds for the fewest tiles of each group only.
bool of_fewest_tiles(const NetworkPlan& plan) {
  return plan.scope.tiles == PlanScope::Tiles::fewest;
}

/// " into groups of at most 3 ops", if the claim is limited to these.
std::string longest_group(const PlanScope& scope) {
  if (!scope.max_ops) return "";
  return *scope.max_ops == 1 ? " into single ops"
                             : " into groups of at most " + std::to_string(*scope.max_ops) + " ops";
}

std::string proof_line(const NetworkPlan& plan) {
  if (plan.optimal)
    return "Optimal over all partitions" + longest_group(plan.scope) +
           (of_fewest_tiles(plan) ? " with each group in its fewest tiles.\n"
                                  : " and all tilings of the profile.\n");
  if (!plan.explored.optimal)
    return "Not proved optimal within the explored space" +
           (plan.stop == StopReason::completed ? ": --effort ended the search"
                                               : ": stopped by " + stop_text(plan.stop)) +
           ".\n";
  const PlanScope& explored = plan.explored.scope;
  return "Optimal within the explored space: all partitions, with the fewest-tile " +
         std::string(explored.tiles == PlanScope::Tiles::evaluated ? "and refined tilings"
                                                                   : "tiling") +
         " of each group" +
         (explored.prefetch == PlanScope::Prefetch::on_best
              ? ", and weight prefetch on the best of them.\n"
              : ".\n");
}

/// What the gap consists of, if the bounds of groups are known.
std::string gap_line(const NetworkPlan& plan) {
  if (plan.group_bounds.empty() || plan.optimal) return "";
  const double gap = 100 * gap_of(plan);
  const double groups = std::min(gap, 100 * gap_of_groups(plan));  // peaks share the rest
  return "gap: " + decimals(groups, 1) + " % in the tiles of these groups, " +
         decimals(gap - groups, 1) + " % in other groups and resident tensors\n";
}

/// The metrics of the plan, and its score relative to the reference.
std::string headline(const NetworkPlan& plan, const Hardware& hardware) {
  const Metrics& t = plan.totals;
  std::string text = std::to_string(t.latency_cycles) +
                     " cycles = " + time_text(t.latency_cycles, hardware) + ", " +
                     bytes_text(t.dram_bytes) + " of DRAM traffic, " + energy_text(t.energy_pj) +
                     ", peak " + bytes_text(t.peak_bytes);
  text += "\nscore " + decimals(plan.score, 4) + " (1 = ";
  const PlanReference& r = plan.reference;
  const bool own =
      r.totals == plan.baseline && (r.clock_hz == 0 || r.clock_hz == hardware.clock_hz);
  const bool named = !own && hardware.reference != nullptr && hardware.reference->name == r.profile;
  text += own || named ? "layer by layer on " : "";
  // the machine differs from the profile, by --set or similar
  const bool unchanged = named && r.profile == plan.profile;
  text += (r.profile.empty() ? plan.profile : r.profile) + (unchanged ? " without --set)" : ")");
  return text + ", lower bound " + decimals(plan.bound, 4) + " (gap " +
         decimals(100 * gap_of(plan), 1) + " %" + (of_fewest_tiles(plan) ? ", fewest tiles" : "") +
         ")\n" + gap_line(plan);
}

}  // namespace

std::string plan_report(const NetworkPlan& plan, const Hardware& hardware,
                        const PlanReportOptions& options) {
  const std::string stats = options.stats ? stats_text(plan.search) : std::string();
  std::string text = plan.network + " on " + plan.profile + "\n";
  if (plan.status != Status::feasible) {
    text += plan.status == Status::infeasible ? "No plan exists" : "No plan was found";
    if (!plan.reason.empty()) text += ": " + plan.reason;
    return wrapped(text + "\n", options.words_width, 2) + stats;
  }
  text = wrapped(text + headline(plan, hardware), options.words_width, 2) + "\n" +
         subgraph_table(plan, hardware, options) + "\n" + totals_table(plan, hardware);
  std::string words =
      reference_line(plan, hardware) + weights_line(plan, hardware) + "\n" + proof_line(plan);
  if (plan.limit_mattered)
    words +=
        "Longer groups were excluded (--max-ops, --layer-by-layer); they might lower the score.\n";
  // A plan that others are compared with.
  if (options.fewest_tiles && hardware.tiling.pinned == Pinned::weights)
    words +=
        "No weights are pinned, although the profile allows it: --layer-by-layer and --tile-shapes "
        "0 use fewest-tile groups, which pin none.\n";
  words += kept_line(plan) + offchip_lines(plan) + backing_memory_lines(plan, hardware) +
           objective_lines(plan, hardware) + architect_notes(plan, hardware);
  if (options.stats) words += burst_line(plan, hardware);
  return text + wrapped(words, options.words_width, 2) + stats;
}

std::string pinnable_report(const std::optional<PinnableWeights>& pinnable,
                            std::size_t words_width) {
  if (!pinnable) return "";
  return wrapped("All weights, " + bytes_text(pinnable->bytes) + ", fit in " + pinnable->memory +
                     " beside this plan. For repeated inference, --set tiling.pinned=weights loads "
                     "them once.\n",
                 words_width, 2);
}

}  // namespace tessera::cli
