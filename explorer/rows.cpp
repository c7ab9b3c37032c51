#include "explorer/rows.h"

#include <algorithm>
#include <cmath>

#include "explorer/fingerprint.h"
#include "model/json_write.h"
#include "tessera/import.h"
#include "tessera/names.h"
#include "tessera/version.h"

namespace tessera::explorer {

namespace {

double milliseconds(double cycles, double clock_hz) {
  return clock_hz > 0 ? cycles / clock_hz * 1e3 : 0;
}

/// RFC 4180: quoted if the text has a comma, a quote or a line break.
std::string cell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

std::string cell(const std::optional<double>& number) {
  return number ? json_number(*number) : std::string();
}

/// Whole numbers are printed without decimals; means need not be whole.
std::string figure(double number) {
  constexpr double exact = 9007199254740992;  // 2^53
  if (std::floor(number) == number && std::abs(number) < exact)
    return json_number(static_cast<std::int64_t>(number));
  return json_number(number);
}

std::string table(const ExploreResult& result, const std::vector<ExploreRow>& rows) {
  std::string out;
  for (const std::string& key : result.keys) out += cell(key) + ',';
  out +=
      "network,status,score,bound,latency_cycles,latency_ms,energy_pj,dram_bytes,peak_bytes,area,"
      "reason\n";
  for (const ExploreRow& row : rows) {
    for (const std::string& value : row.values) out += cell(value) + ',';
    out += cell(row.network) + ',' + std::string(to_string(row.status)) + ',' + cell(row.score) +
           ',' + cell(row.bound) + ',';
    const double figures[] = {row.latency_cycles, row.latency_ms, row.energy_pj, row.dram_bytes,
                              row.peak_bytes};
    for (const double each : figures) out += (row.score ? figure(each) : "") + ',';
    out += cell(row.area) + ',' + cell(row.reason) + '\n';
  }
  return out;
}

}  // namespace

ExploreRow RowMaker::empty(const std::string& network) const {
  ExploreRow row;
  row.candidate = candidate;
  row.values = sweep.values(sweep.choices[candidate]);
  row.network = network;
  row.area = state.area;
  return row;
}

ExploreRow RowMaker::of_network(std::size_t n) const {
  ExploreRow row = empty(sweep.networks[n].name);
  if (n < state.plans.size() && state.plans[n]) {
    const KnownPlan& plan = *state.plans[n];
    row.status = plan.status;
    row.score = plan.score;
    row.bound = plan.bound;
    row.latency_cycles = static_cast<double>(plan.totals.latency_cycles);
    row.latency_ms = milliseconds(row.latency_cycles, state.clock_hz);
    row.energy_pj = plan.totals.energy_pj;
    row.dram_bytes = static_cast<double>(plan.totals.dram_bytes);
    row.peak_bytes = static_cast<double>(plan.totals.peak_bytes);
    row.reason = plan.reason;
    return row;
  }
  if (n < state.least.size()) row.bound = state.least[n].score;
  if (!state.failed.empty()) {
    row.status = SweepStatus::failed;
    row.reason = state.failed;
    row.bound.reset();
  } else if (!state.excluded.empty()) {
    row.status = SweepStatus::excluded;
    row.reason = state.excluded;
  } else {
    row.status = SweepStatus::limit;
    row.reason = "the sweep was stopped before";
  }
  return row;
}

ExploreRow RowMaker::of_set() const {
  ExploreRow row = empty("*");
  std::vector<ExploreRow> parts;
  for (std::size_t n = 0; n < sweep.networks.size(); ++n) parts.push_back(of_network(n));
  // The status of the set is the worst status of its networks.
  constexpr SweepStatus worst_first[] = {SweepStatus::failed, SweepStatus::infeasible,
                                         SweepStatus::excluded, SweepStatus::limit};
  row.status = SweepStatus::proved;
  for (const SweepStatus status : worst_first) {
    const auto part = std::ranges::find(parts, status, &ExploreRow::status);
    if (part == parts.end()) continue;
    row.status = status;
    row.reason = status == SweepStatus::failed || status == SweepStatus::excluded
                     ? part->reason
                     : part->network + ": " + part->reason;
    break;
  }
  double score = 0, bound = 0;
  bool scored = true, bounded = true;
  for (std::size_t n = 0; n < parts.size(); ++n) {
    const double share = sweep.networks[n].share;
    scored = scored && parts[n].score;
    bounded = bounded && parts[n].bound;
    score += share * parts[n].score.value_or(0);
    bound += share * parts[n].bound.value_or(0);
    row.latency_cycles += share * parts[n].latency_cycles;
    row.energy_pj += share * parts[n].energy_pj;
    row.dram_bytes += share * parts[n].dram_bytes;
    row.peak_bytes = std::max(row.peak_bytes, parts[n].peak_bytes);
  }
  row.latency_ms = milliseconds(row.latency_cycles, state.clock_hz);
  if (scored) row.score = score;
  if (bounded && row.status != SweepStatus::infeasible) row.bound = bound;
  return row;
}

void RowMaker::add_to(std::vector<ExploreRow>& rows) const {
  for (std::size_t n = 0; n < sweep.networks.size(); ++n) rows.push_back(of_network(n));
  rows.push_back(of_set());
}

namespace {

std::string network_summary(const SweepNetwork& network, const PlanReference* reference) {
  return json_object([&](JsonObject& object) {
    object.text("name", network.name);
    object.text("file", network.file);
    object.real("weight", network.share);
    object.text("sha256", fingerprint(network_yaml(network.network)));
    if (reference == nullptr) return;
    object.entry("reference") += json_object([&](JsonObject& costs) {
      costs.text("profile", reference->profile);
      costs.number("latency_cycles", reference->totals.latency_cycles);
      costs.real("energy_pj", reference->totals.energy_pj);
      costs.number("dram_bytes", reference->totals.dram_bytes);
      costs.number("peak_bytes", reference->totals.peak_bytes);
    });
  });
}

std::string status_counts(const ExploreResult& result) {
  return json_object([&](JsonObject& object) {
    for (const SweepStatus status :
         {SweepStatus::proved, SweepStatus::limit, SweepStatus::infeasible, SweepStatus::excluded,
          SweepStatus::failed})
      object.number(to_string(status),
                    std::ranges::count_if(result.rows, [&](const ExploreRow& row) {
                      return row.network == "*" && row.status == status;
                    }));
  });
}

std::string set_summary(const ExploreModes& found, const ExploreModes::Set& set) {
  return json_object([&](JsonObject& object) {
    object.real("lose_percent", set.lose);
    object.text("network", set.network);
    std::vector<std::string> needed, others;
    for (std::size_t k = 0; k < found.modes.size(); ++k)
      (set.needed[k] ? needed : others)
          .push_back(found.modes[k].memory + '.' + found.modes[k].name);
    object.texts("needed", needed);
    object.texts("not_needed", others);
    object.number("bound", set.bound);
    object.truth("proved", set.bound == set.count);
    object.list("scores", set.scores, [](const ExploreModes::Score& score) {
      return json_object([&](JsonObject& one) {
        one.text("network", score.network);
        one.real("with_all", score.with_all);
        one.real("with_needed", score.with_needed);
        one.real("bound", score.bound);
        one.truth("proved", score.proved);
      });
    });
    if (set.area) object.real("area_mm2", *set.area);
  });
}

std::string modes_summary(const ExploreModes& found) {
  return json_object([&](JsonObject& object) {
    object.number("candidate", static_cast<std::int64_t>(found.candidate));
    if (!found.reason.empty()) {
      object.text("reason", found.reason);
      return;
    }
    object.list("sets", found.sets,
                [&](const ExploreModes::Set& set) { return set_summary(found, set); });
    object.list("without", found.removals, [&](const ExploreModes::Removal& each) {
      return json_object([&](JsonObject& one) {
        one.text("mode", found.modes[each.mode].memory + '.' + found.modes[each.mode].name);
        one.text("network", each.network);
        one.text("status", to_string(each.status));
        if (each.score) one.real("score", *each.score);
        if (each.bound) one.real("bound", *each.bound);
      });
    });
    if (found.area) object.real("area_with_all_mm2", *found.area);
    object.number("plans", found.plans);
    object.number("stored", found.stored);
  });
}

}  // namespace

std::optional<double> area_of(const Profile& profile) {
  const std::vector<SiliconPart> parts = profile.silicon();
  if (parts.empty()) return std::nullopt;
  double area = 0;
  for (const SiliconPart& part : parts) area += part.area_mm2;
  return area;
}

}  // namespace tessera::explorer

namespace tessera {

std::string_view to_string(SweepStatus status) {
  switch (status) {
    case SweepStatus::proved:
      return "proved";
    case SweepStatus::limit:
      return "limit";
    case SweepStatus::infeasible:
      return "infeasible";
    case SweepStatus::excluded:
      return "excluded";
    case SweepStatus::failed:
      break;
  }
  return "failed";
}

std::string results_csv(const ExploreResult& result) {
  return explorer::table(result, result.rows);
}

std::string pareto_csv(const ExploreResult& result) {
  return explorer::table(result, result.pareto);
}

std::string modes_csv(const ExploreResult& result) {
  const ExploreModes& found = result.modes.value();
  std::string text = "lose_percent,network,memory,mode,needed\n";
  for (const ExploreModes::Set& set : found.sets)
    for (std::size_t k = 0; k < found.modes.size(); ++k)
      text += json_number(set.lose) + ',' + explorer::cell(set.network) + ',' +
              explorer::cell(found.modes[k].memory) + ',' + explorer::cell(found.modes[k].name) +
              ',' + (set.needed[k] ? "yes" : "no") + '\n';
  return text;
}

std::string summary_json(const Sweep& sweep, const ExploreResult& result) {
  const Sweep::State& state = sweep.state();
  const auto source = [](std::string_view key, const std::string& name, const std::string& text) {
    return json_object([&](JsonObject& object) {
      object.text(key, name);
      object.text("sha256", explorer::fingerprint(text));
    });
  };
  std::string out;
  JsonObject object(out);
  object.text("tessera", "exploration/1");
  object.text("version", version());
  object.entry("sweep") += source("file", state.text.file, state.source);
  object.entry("base") += source("profile", state.text.base, state.base.yaml());
  std::size_t n = 0;
  const auto network = [&](const explorer::SweepNetwork& each) {
    const std::size_t at = n++;
    return explorer::network_summary(
        each, at < result.references.size() ? &result.references[at] : nullptr);
  };
  object.list("networks", state.networks, network, ",\n  ");
  object.number("candidates", static_cast<std::int64_t>(state.choices.size()));
  object.entry("status") += explorer::status_counts(result);
  object.texts("axes", result.axes);
  object.entry("units") += json_object([](JsonObject& units) {
    units.text("latency_ms", "ms");
    units.text("energy_pj", "pJ");
    units.text("dram_bytes", "B");
    units.text("peak_bytes", "B");
    units.text("area", "mm2");
  });
  object.number("pareto", static_cast<std::int64_t>(result.pareto.size()));
  if (result.best)
    object.number("best", static_cast<std::int64_t>(*result.best));
  else
    object.entry("best") += "null";
  object.text("stop", to_string(result.stop));
  object.entry("plans") += json_object([&](JsonObject& plans) {
    plans.number("made", result.counts.planned);
    plans.number("stored", result.counts.stored);
    plans.number("alike", result.counts.alike);
    plans.number("excluded", result.counts.excluded);
  });
  if (result.modes) object.entry("modes") += explorer::modes_summary(*result.modes);
  object.real("seconds", result.seconds);
  object.close();
  return out + '\n';
}

}  // namespace tessera
