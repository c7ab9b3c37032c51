#include "explorer/page.h"

#include <algorithm>
#include <filesystem>
#include <map>

#include "explorer/knees.h"
#include "explorer/sweep.h"
#include "io/sweep_page.h"
#include "model/json_write.h"
#include "tessera/plan.h"
#include "tessera/version.h"

namespace tessera::explorer {

namespace {

/// The page stays small enough for e-mail and opens quickly; further plans are separate files.
constexpr std::size_t most_plan_bytes = std::size_t{8} << 20U;

std::string number_or_null(const std::optional<double>& number) {
  return number ? json_number(*number) : "null";
}

/// Repeated texts, each stored once.
class Texts {
 public:
  std::size_t index(const std::string& text) {
    const auto [at, is_new] = known_.emplace(text, texts_.size());
    if (is_new) texts_.push_back(text);
    return at->second;
  }
  [[nodiscard]] const std::vector<std::string>& all() const { return texts_; }

 private:
  std::map<std::string, std::size_t> known_;
  std::vector<std::string> texts_;
};

using Rows = std::vector<const ExploreRow*>;

template <typename Write>
void column(JsonObject& object, std::string_view name, const Rows& rows, Write write) {
  object.list(
      name, rows, [&](const ExploreRow* row) { return write(*row); }, ",");
}

void write_candidates(JsonObject& object, const ExploreResult& result, const Rows& rows,
                      const std::vector<std::map<std::string, std::size_t>>& ranks) {
  std::vector<std::size_t> front;
  for (const ExploreRow& row : result.pareto) front.push_back(row.candidate);
  std::ranges::sort(front);
  column(object, "id", rows, [](const ExploreRow& row) { return std::to_string(row.candidate); });
  column(object, "values", rows, [&](const ExploreRow& row) {
    std::string out = "[";
    for (std::size_t k = 0; k < row.values.size(); ++k)
      out += (k == 0 ? "" : ",") + std::to_string(ranks[k].at(row.values[k]));
    return out + ']';
  });
  column(object, "area", rows, [](const ExploreRow& row) { return number_or_null(row.area); });
  column(object, "front", rows, [&](const ExploreRow& row) {
    return std::ranges::binary_search(front, row.candidate) ? "1" : "0";
  });
}

std::string network_json(const std::string& name, const Rows& rows, Texts& reasons) {
  const auto figure = [](double ExploreRow::*value) {
    return [value](const ExploreRow& row) {
      return row.score ? json_number(row.*value) : std::string("null");
    };
  };
  return json_object([&](JsonObject& object) {
    object.text("name", name);
    column(object, "status", rows,
           [](const ExploreRow& row) { return std::to_string(static_cast<int>(row.status)); });
    column(object, "score", rows, [](const ExploreRow& row) { return number_or_null(row.score); });
    column(object, "bound", rows, [](const ExploreRow& row) { return number_or_null(row.bound); });
    column(object, "cycles", rows, figure(&ExploreRow::latency_cycles));
    column(object, "ms", rows, figure(&ExploreRow::latency_ms));
    column(object, "energy", rows, figure(&ExploreRow::energy_pj));
    column(object, "dram", rows, figure(&ExploreRow::dram_bytes));
    column(object, "peak", rows, figure(&ExploreRow::peak_bytes));
    column(object, "reason", rows, [&](const ExploreRow& row) {
      return row.reason.empty() ? std::string("-1") : std::to_string(reasons.index(row.reason));
    });
  });
}

std::string key_json(const std::string& name, const std::vector<std::string>& values,
                     const std::optional<std::vector<double>>& numbers) {
  return json_object([&](JsonObject& object) {
    object.text("name", name);
    object.texts("values", values);
    if (numbers)
      object.list("numbers", *numbers, [](double number) { return json_number(number); });
    else
      object.entry("numbers") += "null";
  });
}

std::string knee_json(const std::optional<Knee>& knee, const Curve& curve) {
  if (!knee) return "null";
  return json_object([&](JsonObject& object) {
    object.text("value", curve.points[knee->point].value);
    object.truth("proved", knee->proved);
    object.real("gap", knee->gap);
    object.texts("open", knee->open);
  });
}

std::string curve_json(const Curve& curve) {
  return json_object([&](JsonObject& object) {
    object.number("key", static_cast<std::int64_t>(curve.key));
    object.text("network", curve.network);
    object.list("points", curve.points, [](const CurvePoint& point) {
      return '[' + json_string(point.value) + ',' + json_number(point.number) + ',' +
             std::to_string(static_cast<int>(point.status)) + ',' + number_or_null(point.score) +
             ',' + number_or_null(point.bound) + ']';
    });
    object.entry("fits") += knee_json(curve.fits, curve);
    object.entry("suffers") += knee_json(curve.suffers, curve);
    object.entry("enough") += knee_json(curve.enough, curve);
  });
}

std::string plan_part(const PagePlan& each) {
  return json_object([&](JsonObject& object) {
    object.number("candidate", static_cast<std::int64_t>(each.candidate));
    object.text("network", each.network);
    object.number("runs", static_cast<std::int64_t>(each.plan.subgraphs.size()));
    object.list("layers", each.plan.layers, [](const PlannedLayer& layer) {
      return '[' + json_string(layer.op) + ',' + json_string(layer.kind) + ',' +
             json_number(layer.cycles) + ',' + json_number(layer.compute_cycles) + ',' +
             json_number(layer.offchip_bytes) + ',' + json_number(layer.energy_pj) + ',' +
             json_string(layer.bound_by) + ']';
    });
    object.text("picture", each.picture);
  });
}

/// The best candidate first, then the front by score, up to the size limit.
std::vector<PagePlan> drawn_plans(const Sweep& sweep, const ExploreResult& result) {
  std::vector<PagePlan> plans;
  // An interrupt skips the pictures; running the command again draws them.
  if (result.stop == StopReason::interrupted) return plans;
  std::map<std::size_t, double> scores;
  for (const ExploreRow& row : result.pareto) scores[row.candidate] = row.score.value_or(0);
  std::vector<const ExplorePlan*> order;
  for (const ExplorePlan& plan : result.plans) order.push_back(&plan);
  std::ranges::stable_sort(order, {}, [&](const ExplorePlan* plan) {
    return std::pair(plan->candidate != result.best, scores[plan->candidate]);
  });
  std::size_t bytes = 0;
  for (const ExplorePlan* each : order) {
    const auto network =
        std::ranges::find(sweep.state().networks, each->network, &SweepNetwork::name);
    const Profile machine = sweep.machine(each->candidate);
    PagePlan plan;
    plan.candidate = each->candidate;
    plan.network = each->network;
    try {
      plan.plan = load_plan_text(each->json, "plan", network->network, machine.hardware());
      plan.picture = plan_picture(network->network, machine.hardware(), plan.plan);
    } catch (const BadInput&) {
      continue;  // the store was modified externally; the rows remain valid
    }
    bytes += plan.picture.size() + 64 * plan.plan.layers.size();
    if (bytes > most_plan_bytes && !plans.empty()) break;
    plans.push_back(std::move(plan));
  }
  return plans;
}

std::string modes_json(const ExploreModes& found) {
  return json_object([&](JsonObject& object) {
    object.number("candidate", static_cast<std::int64_t>(found.candidate));
    object.text("reason", found.reason);
    object.list("modes", found.modes, [](const ExploreModes::Mode& mode) {
      return '[' + json_string(mode.memory) + ',' + json_string(mode.name) + ',' +
             json_string(mode.roles) + ']';
    });
    object.list("with_all", found.with_all, [](double score) { return json_number(score); });
    object.entry("area") += number_or_null(found.area);
    object.list("sets", found.sets, [](const ExploreModes::Set& set) {
      return json_object([&](JsonObject& one) {
        one.real("lose", set.lose);
        one.text("network", set.network);
        one.list("needed", set.needed, [](bool needed) { return std::string(needed ? "1" : "0"); });
        one.number("bound", set.bound);
        one.list("scores", set.scores, [](const ExploreModes::Score& score) {
          return '[' + json_string(score.network) + ',' + json_number(score.with_needed) + ',' +
                 json_number(score.bound) + ',' + (score.proved ? "1" : "0") + ']';
        });
        one.entry("area") += number_or_null(set.area);
      });
    });
    object.list("without", found.removals, [](const ExploreModes::Removal& each) {
      return '[' + std::to_string(each.mode) + ',' + json_string(each.network) + ',' +
             std::to_string(static_cast<int>(each.status)) + ',' + number_or_null(each.score) +
             ',' + number_or_null(each.bound) + ']';
    });
  });
}

using Weights = std::vector<std::pair<std::string, double>>;

/// The weights above 0.
Weights weights_of(const Sweep::State& state) {
  Weights all = state.text.objective;
  if (all.empty()) {
    const ObjectiveWeights& weights = state.base.hardware().objective;
    all = {{"latency", weights.latency},
           {"energy", weights.energy},
           {"dram_bytes", weights.dram_bytes},
           {"peak_memory", weights.peak_memory}};
  }
  std::erase_if(all, [](const auto& each) { return !(each.second > 0); });
  return all;
}

std::string weights_in_words(const Weights& weights) {
  std::string words;
  for (const auto& [name, weight] : weights)
    words += (words.empty() ? "" : ", ") + name + (weight == 1 ? "" : ' ' + json_number(weight));
  return words;
}

}  // namespace

std::string page_json(const PageFacts& facts, const ExploreResult& result,
                      const std::vector<PagePlan>& plans) {
  // The rows of each network, in the order of the candidates.
  std::vector<std::string> networks;
  std::map<std::string, Rows> rows;
  for (const ExploreRow& row : result.rows) {
    Rows& of_network = rows[row.network];
    if (of_network.empty()) networks.push_back(row.network);
    of_network.push_back(&row);
  }
  std::string out;
  JsonObject object(out, ",\n");
  object.text("tessera", "exploration-page/1");
  object.text("version", version());
  object.text("file", facts.file);
  object.text("base", facts.base);
  object.text("weights", facts.weights);
  object.text("only", facts.only);
  object.list("shares", facts.shares, [](double share) { return json_number(share); });
  object.text("stop", to_string(result.stop));
  object.real("seconds", result.seconds);
  object.entry("counts") += json_object([&](JsonObject& counts) {
    counts.number("planned", result.counts.planned);
    counts.number("stored", result.counts.stored);
    counts.number("excluded", result.counts.excluded);
  });
  object.texts("axes", result.axes);
  if (result.best)
    object.number("best", static_cast<std::int64_t>(*result.best));
  else
    object.entry("best") += "null";

  std::vector<std::map<std::string, std::size_t>> ranks(result.keys.size());
  std::string& keys = object.entry("keys") += '[';
  for (std::size_t k = 0; k < result.keys.size(); ++k) {
    Texts values;
    for (const ExploreRow& row : result.rows) values.index(row.values[k]);
    for (std::size_t v = 0; v < values.all().size(); ++v) ranks[k][values.all()[v]] = v;
    keys += (k == 0 ? "" : ",") + key_json(result.keys[k], values.all(), numbers_of(values.all()));
  }
  keys += ']';
  object.entry("candidates") += json_object([&](JsonObject& candidates) {
    write_candidates(candidates, result, networks.empty() ? Rows{} : rows[networks.back()], ranks);
  });
  Texts reasons;
  object.list(
      "networks", networks,
      [&](const std::string& name) { return network_json(name, rows[name], reasons); }, ",\n");
  object.texts("reasons", reasons.all());
  object.list("curves", curves(result), curve_json, ",\n");
  object.entry("modes") += result.modes ? modes_json(*result.modes) : "null";
  object.list("plans", plans, plan_part, ",\n");
  object.close();
  return out;
}

}  // namespace tessera::explorer

namespace tessera {

std::string explore_page(const Sweep& sweep, const ExploreResult& result) {
  const Sweep::State& state = sweep.state();
  const std::string file = std::filesystem::path(state.text.file).filename().string();
  const explorer::Weights weights = explorer::weights_of(state);
  explorer::PageFacts facts{.file = file,
                            .base = std::filesystem::path(state.text.base).filename().string(),
                            .weights = explorer::weights_in_words(weights),
                            .only = weights.size() == 1 ? weights.front().first : "",
                            .shares = {}};
  for (const explorer::SweepNetwork& network : state.networks)
    facts.shares.push_back(network.share);
  return io::sweep_page("tessera explore: " + file,
                        explorer::page_json(facts, result, explorer::drawn_plans(sweep, result)));
}

}  // namespace tessera
