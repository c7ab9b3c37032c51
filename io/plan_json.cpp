#include "io/plan_json.h"

#include <algorithm>
#include <array>
#include <optional>
#include <stdexcept>

#include "io/account_json.h"
#include "io/objectives_json.h"
#include "io/placement_tree.h"
#include "io/plan_words.h"
#include "io/tree.h"
#include "io/verdict_json.h"
#include "tessera/check.h"

namespace tessera::io {
namespace {

constexpr const char* wrong_plan = "the plan may belong to another network or profile";

/// Metrics of a plan, or of its reference; then `of` names the reference.
Metrics read_metrics(const Sources& sources, const Node& node, std::string what,
                     PlanReference* of = nullptr, double* score = nullptr) {
  Fields fields(sources, node, std::move(what));
  Metrics metrics;
  if (of != nullptr) {
    fields.take("profile", of->profile);
    fields.take("clock_hz", of->clock_hz);
  }
  if (score != nullptr) fields.take("score", *score);
  fields.take("latency_cycles", metrics.latency_cycles);
  fields.take("energy_pj", metrics.energy_pj);
  fields.take("dram_bytes", metrics.dram_bytes);
  fields.take("peak_bytes", metrics.peak_bytes);
  fields.take("peak_bandwidth", metrics.peak_bandwidth);
  fields.finish();
  return metrics;
}

/// Metrics of a feasible plan.
std::optional<PlanReference> costs_of(const Sources& sources, const Node& root) {
  const Node* const totals = root.find("totals");
  const Node* const status = root.find("status");
  if (totals == nullptr || status == nullptr || status->text != "feasible") return std::nullopt;
  PlanReference costs;
  Fields fields(sources, root, "the plan");
  fields.take("profile", costs.profile);
  fields.take("clock_hz", costs.clock_hz);
  costs.totals = read_metrics(sources, *totals, "totals");
  return costs;
}

class PlanReader {
 public:
  PlanReader(const Sources& sources, const PlannedProblem& problem_of, const PlannedClaims& claims)
      : sources_(sources), problem_of_(problem_of), claims_(claims) {}

  NetworkPlan read(const Node& root) {
    Fields fields(sources_, root, "the plan");
    require_kind(sources_, fields, "plan/1");
    NetworkPlan plan;
    plan.status = read_status(sources_, fields);
    plan.stop = read_stop(sources_, fields);
    fields.take("reason", plan.reason);
    fields.take("network", plan.network);
    fields.take("profile", plan.profile);
    fields.take("dtype", plan.dtype);
    fields.take("score", plan.score);
    fields.take("bound", plan.bound);
    fields.take("proven_optimal", plan.optimal);
    static_cast<void>(fields.find("gap"));  // follows from score and bound
    plan.scope = scope(fields);
    if (const Node* node = fields.find("looked_at")) plan.explored = claim(*node, "looked_at");
    if (const Node* node = fields.find("explored")) plan.explored = claim(*node, "explored");
    fields.take("limit_mattered", plan.limit_mattered);
    plan.objectives = read_objectives(sources_, fields);
    if (const Node* node = fields.find("weights")) plan.weights = weights(*node);
    if (const Node* node = fields.find("totals"))
      plan.totals = read_metrics(sources_, *node, "totals");
    fields.take("clock_hz", plan.clock_hz);
    if (const Node* node = fields.find("baseline"))
      plan.baseline = read_metrics(sources_, *node, "baseline", nullptr, &plan.baseline_score);
    // Files without references are relative to their baseline.
    plan.reference = {plan.profile, plan.clock_hz, plan.baseline};
    if (const Node* node = fields.find("reference"))
      plan.reference.totals = read_metrics(sources_, *node, "reference", &plan.reference);
    if (const Node* list = fields.find("joined"))
      for (const Node& node : as_list(sources_, *list, "joined"))
        places_.joined.push_back(join(node));
    if (const Node* list = fields.find("pinned"))
      for (const Node& node : as_list(sources_, *list, "pinned"))
        places_.pinned.push_back(pin(node));
    plan.joined = places_.joined;
    plan.pinned = places_.pinned;
    const bool feasible = plan.status == Status::feasible;
    if (const Node* list = feasible ? &fields.need("subgraphs") : fields.find("subgraphs"))
      for (const Node& node : as_list(sources_, *list, "subgraphs"))
        plan.subgraphs.push_back(subgraph(node));
    plan.group_bounds = group_bounds_;
    if (const Node* list = fields.find("layers"))
      for (const Node& node : as_list(sources_, *list, "layers"))
        plan.layers.push_back(layer(node));
    if (const Node* node = fields.find("account"))
      accounting_.total = read_account(sources_, *node);
    plan.accounting = std::move(accounting_);
    if (const Node* node = fields.find("behind")) plan.behind = behind(*node);
    if (const Node* list = fields.find("offchip"))
      for (const Node& node : as_list(sources_, *list, "offchip"))
        plan.offchip.push_back(offchip(node));
    name_lists(fields, "unused_modes", plan.unused_modes);
    name_lists(fields, "idle_banks", plan.idle_banks);
    if (const Node* node = fields.find("search")) plan.search = search(*node);
    if (const Node* node = fields.find("seed")) plan.seed = as_seed(sources_, *node);
    fields.finish();
    return plan;
  }

 private:
  PlanScope scope(Fields& fields) const {
    static_cast<void>(fields.find("proved_over"));  // the same as text
    PlanScope scope;
    if (const Node* list = fields.find("scope"))
      for (const Node& node : as_list(sources_, *list, "scope"))
        if (const std::string word = as_text(sources_, node, "scope"); !add_word(word, scope))
          throw MismatchError(sources_.file(node), node.line,
                              "`scope` has an unknown word, '" + word + "'", wrong_plan);
    return scope;
  }

  PlanClaim claim(const Node& node, const char* name) const {
    Fields fields(sources_, node, name);
    PlanClaim claim;
    fields.take("bound", claim.bound);
    fields.take("proven_optimal", claim.optimal);
    claim.scope = scope(fields);
    fields.finish();
    return claim;
  }

  GroupBound group_bound(const Node& node) const {
    Fields fields(sources_, node, "bound");
    GroupBound bound;
    fields.take("score", bound.bound);
    bound.least.latency_cycles =
        as_whole(sources_, fields.need("latency_cycles"), "latency_cycles", 0);
    fields.take("energy_pj", bound.least.energy_pj);
    bound.least.dram_bytes = as_whole(sources_, fields.need("dram_bytes"), "dram_bytes", 0);
    fields.finish();
    return bound;
  }

  ObjectiveWeights weights(const Node& node) const {
    Fields fields(sources_, node, "weights");
    ObjectiveWeights weights;
    fields.take("latency", weights.latency);
    fields.take("energy", weights.energy);
    fields.take("dram_bytes", weights.dram_bytes);
    fields.take("peak_memory", weights.peak_memory);
    fields.take("peak_bandwidth", weights.peak_bandwidth);
    fields.finish();
    return weights;
  }

  std::array<Dim, 3> axes(const Node& node, const char* what) const {
    Fields fields(sources_, node, what);
    std::array<Dim, 3> values{1, 1, 1};
    for (std::size_t axis = 0; axis < values.size(); ++axis)
      if (const Node* each = fields.find(tile_axis_names[axis]))
        values[axis] = as_whole(sources_, *each, tile_axis_names[axis], 1);
    fields.finish();
    return values;
  }

  PlannedSubgraph subgraph(const Node& node) {
    Fields fields(sources_, node, "a subgraph");
    PlannedSubgraph s;
    s.ops.first = static_cast<OpIndex>(as_whole(sources_, fields.need("first_op"), "first_op"));
    s.ops.last = static_cast<OpIndex>(as_whole(sources_, fields.need("last_op"), "last_op"));
    for (const Node& name : as_list(sources_, fields.need("ops"), "ops"))
      s.names.push_back(as_text(sources_, name, "ops"));
    const Node* order = nullptr;
    {
      Fields tiles(sources_, fields.need("tiles"), "tiles");
      const Node& count = tiles.need("count");
      s.extent = axes(tiles.need("shape"), "shape");
      s.counts = axes(tiles.need("grid"), "grid");
      order = tiles.find("order");
      tiles.finish();
      std::optional<std::int64_t> product = 1;
      for (const Dim n : s.counts) product = product ? checked_mul(*product, n) : product;
      if (!product || as_whole(sources_, count, "count") != *product)
        throw sources_.error(count, "`count` is not the product of `grid`");
    }
    {
      Fields variant(sources_, fields.need("variant"), "variant");
      variant.take("double_buffer", s.variant.double_buffer);
      s.variant.weights = static_cast<WeightPolicy>(
          as_one_of(sources_, variant.need("weights"), "weights", {"resident", "refetch"}));
      s.variant.halo = static_cast<HaloPolicy>(
          as_one_of(sources_, variant.need("halo"), "halo", {"recompute", "keep_columns", "keep"}));
      if (const Node* stays = variant.find("stationary"))
        s.variant.stationary = static_cast<Stationary>(
            as_one_of(sources_, *stays, "stationary", {"none", "weights", "inputs"}));
      if (const Node* one = variant.find("one_copy"))
        s.variant.one_copy =
            static_cast<OneCopy>(as_one_of(sources_, *one, "one_copy", one_copy_words));
      if (const Node* parts = variant.find("reduction")) {
        s.variant.reduction = as_whole(sources_, *parts, "reduction");
        if (s.variant.reduction < 1)
          throw sources_.error(*parts, "`reduction` is a number of parts, at least 1");
      }
      if (const Node* direct = variant.find("direct"))
        s.variant.direct =
            static_cast<Direct>(as_one_of(sources_, *direct, "direct", direct_words));
      if (const Node* trailing = variant.find("trailing"))
        s.variant.trailing = as_whole(sources_, *trailing, "trailing", 1);
      variant.finish();
    }
    if (order != nullptr) check_order(*order, s.variant.stationary);
    const auto names = [&](std::string_view key, std::vector<std::string>& to) {
      if (const Node* list = fields.find(key))
        for (const Node& name : as_list(sources_, *list, key))
          to.push_back(as_text(sources_, name, key));
    };
    names("kept", s.kept);
    names("early", s.early);
    names("ahead", s.ahead);
    names("passing", s.passing);
    if (const Node* m = fields.find("metrics")) s.metrics = read_metrics(sources_, *m, "metrics");
    if (const Node* bound = fields.find("bound")) {
      group_bounds_.push_back(group_bound(*bound));
      fields.take("score", group_bounds_.back().score);
    }
    fields.take("utilisation", s.utilisation);
    fields.take("mode_switches", s.mode_switches);
    if (const Node* account = fields.find("account"))
      accounting_.groups.push_back(read_account(sources_, *account));
    add_placement(s, fields.need("placement"));
    if (const Node* more = fields.find("more_placements"))
      for (const Node& each : as_list(sources_, *more, "more_placements")) add_placement(s, each);
    fields.finish();
    return s;
  }

  void check_order(const Node& node, Stationary stationary) const {
    std::vector<std::string> said;
    for (const Node& axis : as_list(sources_, node, "order"))
      said.push_back(as_text(sources_, axis, "order"));
    if (said != order_of(stationary))
      throw MismatchError(sources_.file(node), node.line,
                          "`order` does not match the stationary operand of the variant",
                          wrong_plan);
  }

  PlannedPin pin(const Node& node) const {
    Fields fields(sources_, node, "an entry of `pinned`");
    PlannedPin pin;
    pin.weight = as_text(sources_, fields.need("weight"), "weight");
    pin.memory = as_text(sources_, fields.need("memory"), "memory");
    pin.offset = as_whole(sources_, fields.need("offset"), "offset", 0);
    pin.bytes = as_whole(sources_, fields.need("bytes"), "bytes", 0);
    fields.finish();
    return pin;
  }

  PlannedJoin join(const Node& node) const {
    Fields fields(sources_, node, "an entry of `joined`");
    PlannedJoin join;
    join.tensor = as_text(sources_, fields.need("tensor"), "tensor");
    join.whole = as_text(sources_, fields.need("in"), "in");
    const Node& channels = fields.need("channels");
    const std::vector<Node>& ends = as_list(sources_, channels, "channels");
    if (ends.size() != 2)
      throw sources_.error(
          channels, "`channels` must be two numbers: the first channel and the end (exclusive)");
    join.begin = as_whole(sources_, ends[0], "channels", 0);
    join.end = as_whole(sources_, ends[1], "channels", 0);
    fields.finish();
    return join;
  }

  PlannedLayer layer(const Node& node) {
    Fields fields(sources_, node, "a layer");
    PlannedLayer layer;
    layer.op = as_text(sources_, fields.need("op"), "op");
    fields.take("kind", layer.kind);
    fields.take("compute_cycles", layer.compute_cycles);
    fields.take("cycles", layer.cycles);
    fields.take("offchip_bytes", layer.offchip_bytes);
    fields.take("energy_pj", layer.energy_pj);
    fields.take("bound_by", layer.bound_by);
    if (const Node* account = fields.find("account"))
      accounting_.layers.push_back(read_account(sources_, *account));
    fields.finish();
    return layer;
  }

  PlannedBehind behind(const Node& node) const {
    Fields fields(sources_, node, "`behind`");
    PlannedBehind behind;
    behind.memory = as_text(sources_, fields.need("memory"), "memory");
    fields.take("bytes", behind.bytes);
    fields.take("waiting_cycles", behind.waiting_cycles);
    fields.take("energy_pj", behind.energy_pj);
    for (const Node& each : as_list(sources_, fields.need("begins"), "begins"))
      behind.begins.push_back(as_whole(sources_, each, "begins", 0, unbounded));
    for (const Node& each : as_list(sources_, fields.need("resident"), "resident"))
      behind.resident.push_back(as_text(sources_, each, "resident"));
    if (const Node* away = fields.find("away"))
      for (const Node& each : as_list(sources_, *away, "away"))
        behind.away.push_back(as_text(sources_, each, "away"));
    for (const Node& each : as_list(sources_, fields.need("fetches"), "fetches"))
      behind.fetches.push_back(fetch(each));
    fields.finish();
    return behind;
  }

  PlannedFetch fetch(const Node& node) const {
    Fields fields(sources_, node, "a fetch");
    const auto whole = [&](const char* key) {
      return as_whole(sources_, fields.need(key), key, 0, unbounded);
    };
    PlannedFetch fetch;
    fetch.tensor = as_text(sources_, fields.need("tensor"), "tensor");
    if (const Node* at = fields.find("at")) fetch.at = as_whole(sources_, *at, "at", 0, unbounded);
    fetch.from = static_cast<std::size_t>(whole("from"));
    fetch.subgraph = static_cast<std::size_t>(whole("subgraph"));
    if (const Node* passes = fields.find("passes"))
      fetch.passes = as_bool(sources_, *passes, "passes");
    if (const Node* writes = fields.find("writes"))
      fetch.writes = as_bool(sources_, *writes, "writes");
    if (const Node* loops = fields.find("loops"))
      fetch.loops = static_cast<int>(as_whole(sources_, *loops, "loops", 1, 2));
    if (const Node* copies = fields.find("copies"))
      fetch.copies = static_cast<int>(as_whole(sources_, *copies, "copies", 1, 2));
    fetch.room = whole("room");
    fetch.bytes = whole("bytes");
    fetch.begin = whole("begin");
    fetch.end = whole("end");
    fields.finish();
    return fetch;
  }

  OffchipMemory offchip(const Node& node) const {
    Fields fields(sources_, node, "an off-chip memory");
    OffchipMemory memory;
    memory.memory = as_text(sources_, fields.need("memory"), "memory");
    memory.height = as_whole(sources_, fields.need("height"), "height");
    fields.take("lower_bound", memory.lower_bound);
    fields.take("whole_tensors", memory.whole_tensors);
    for (const Node& each : as_list(sources_, fields.need("buffers"), "buffers"))
      memory.buffers.push_back(offchip_buffer(each, memory));
    fields.finish();
    return memory;
  }

  /// Addresses reveal the base.
  OffchipBuffer offchip_buffer(const Node& node, OffchipMemory& memory) const {
    Fields fields(sources_, node, "an off-chip buffer");
    OffchipBuffer buffer;
    buffer.id = as_text(sources_, fields.need("id"), "id");
    buffer.offset = as_whole(sources_, fields.need("offset"), "offset");
    if (const Node* address = fields.find("address")) {
      const Offset base =
          as_whole(sources_, *address, "address", buffer.offset, unbounded) - buffer.offset;
      if (!memory.buffers.empty() && base != memory.base)
        throw sources_.error(*address, "address and offset are " + std::to_string(base) +
                                           " apart here, but " + std::to_string(memory.base) +
                                           " before");
      memory.base = base;
    } else if (memory.base != 0) {
      throw sources_.error(node, "an off-chip buffer has no `address`, but others do");
    }
    buffer.size = as_whole(sources_, fields.need("size"), "size", 1);
    const std::vector<Node>& live = as_list(sources_, fields.need("live"), "live");
    if (live.size() != 1) throw sources_.error(node, "an off-chip buffer lives once");
    const auto [lower, upper] = as_pair(sources_, live.front(), "live");
    buffer.live = {as_whole(sources_, *lower, "live"), as_whole(sources_, *upper, "live")};
    if (const Node* kind = fields.find("kind"))
      buffer.weights = as_one_of(sources_, *kind, "kind", {"activation", "weight"}) == 1;
    fields.finish();
    return buffer;
  }

  void add_placement(PlannedSubgraph& s, const Node& node) const {
    PlannedPlacement planned;
    const auto refuse = [&](std::size_t line, const std::string& what) -> MismatchError {
      return {sources_.file(node), line,
              "the subgraph of ops " + std::to_string(s.ops.first) + " to " +
                  std::to_string(s.ops.last) + ": " + what,
              wrong_plan};
    };
    try {
      planned.problem = problem_of_(places_, s, s.placements.size());
    } catch (const std::invalid_argument& error) {
      throw MismatchError(sources_.file(node), node.line, error.what(), wrong_plan);
    }
    PlacementResult result;
    try {
      result = read_placement_tree(sources_, node, planned.problem);
    } catch (const MismatchError& error) {
      throw refuse(error.line, error.message);
    }
    if (!result.placement) throw sources_.error(node, "a planned subgraph needs a placement");
    planned.placement = *result.placement;
    planned.engine = result.engine;
    // The checker of plans reports invalid placements with more detail.
    if (check(planned.problem, planned.placement, 1).empty()) {
      const std::vector<Size> high = heights(planned.problem, planned.placement);
      const Size highest = *std::max_element(high.begin(), high.end());
      if (result.height != highest)
        throw refuse(node.line, "the placement states the height " + std::to_string(result.height) +
                                    ", but has " + std::to_string(highest));
    }
    if (claims_) {
      claims_(s, planned, std::move(result));
    }
    s.placements.push_back(std::move(planned));
  }

  void name_lists(Fields& fields, std::string_view key,
                  std::vector<std::vector<std::string>>& to) const {
    const Node* node = fields.find(key);
    if (node == nullptr) return;
    for (const Node& each : as_list(sources_, *node, key)) {
      to.emplace_back();
      for (const Node& name : as_list(sources_, each, key))
        to.back().push_back(as_text(sources_, name, key));
    }
  }

  PlanSearch search(const Node& node) const {
    Fields fields(sources_, node, "search");
    PlanSearch search;
    fields.take("candidates", search.candidates);
    fields.take("solved", search.solved);
    fields.take("infeasible", search.infeasible);
    fields.take("unknown", search.unknown);
    fields.take("reused", search.reused);
    fields.take("pruned", search.pruned);
    fields.take("shapes", search.shapes);
    fields.take("nodes_per_question", search.nodes_per_question);
    fields.take("seconds", search.seconds);
    fields.finish();
    return search;
  }

  const Sources& sources_;
  const PlannedProblem& problem_of_;
  PlannedPlaces places_{};
  PlanAccounting accounting_{};
  std::vector<GroupBound> group_bounds_{};
  const PlannedClaims& claims_;
};

}  // namespace

PlanHeader read_plan_header(std::string_view text, const std::string& file) {
  PlanHeader header;
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos || text[first] != '{') return header;
  const Sources sources(file);
  const Node root = parse_json(text, sources);
  const Node* kind = root.find("tessera");
  header.is_plan = kind != nullptr && kind->text == "plan/1";
  if (!header.is_plan) return header;
  const auto take = [&](const char* key, std::string& value) {
    if (const Node* said = root.find(key)) value = as_text(sources, *said, key);
  };
  take("network", header.network);
  take("profile", header.profile);
  take("dtype", header.dtype);
  header.costs = costs_of(sources, root);
  return header;
}

NetworkPlan read_plan_json(std::string_view text, const std::string& file,
                           const PlannedProblem& problem_of, const PlannedClaims& claims) {
  const Sources sources(file);
  return PlanReader(sources, problem_of, claims).read(parse_json(text, sources));
}

}  // namespace tessera::io
