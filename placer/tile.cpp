#include "tessera/tile.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <new>

#include "io/plan_words.h"
#include "model/json_write.h"
#include "model/parallel.h"
#include "placer/make_engine.h"
#include "placer/tile_engine.h"
#include "placer/tile_need.h"
#include "search/tiles/tile_search.h"
#include "tessera/check.h"
#include "tessera/files.h"
#include "validation/limited_budget.h"
#include "validation/requirements.h"

namespace tessera::placer {

namespace {

using Clock = std::chrono::steady_clock;

std::unique_ptr<engine::PlacementEngine> chosen_engine(const Hardware& hardware,
                                                       const std::string& name) {
  if (placement_memories(hardware).empty())
    throw BadInput("profile " + hardware.name + " has no on-chip memory to place buffers into");
  return tile_engine(hardware, name);
}

/// Do not rely on the engine alone.
void verify(const PlannedPlacement& placed) {
  const std::vector<Violation> wrong = check(placed.problem, placed.placement, 1);
  if (!wrong.empty()) throw InternalError("engine " + placed.engine + ": " + wrong.front().message);
}

std::int64_t& counter(Stats& stats, const char* name) {
  for (Stat& stat : stats)
    if (stat.name == name) return std::get<std::int64_t>(stat.value);
  stats.push_back({name, std::int64_t{0}});
  return std::get<std::int64_t>(stats.back().value);
}

void add(Stats& stats, const search::TileCounters& counters) {
  counter(stats, "shapes") += counters.shapes;
  counter(stats, "groups_passed_over") += counters.passed_over;
  counter(stats, "questions") += counters.questions;
  counter(stats, "by_bound") += counters.by_bound;
  counter(stats, "by_dominance") += counters.by_dominance;
  counter(stats, "by_carry_over") += counters.by_carry_over;
  counter(stats, "by_engine") += counters.by_engine;
  counter(stats, "unknown") += counters.unknown;
  counter(stats, "engine_microseconds") += static_cast<std::int64_t>(counters.engine_seconds * 1e6);
}

TileReport report_of(const tiling::Subgraph& part, const TileVariant& variant,
                     search::TileSearchResult found, const std::string& engine) {
  TileReport report;
  report.status = found.status;
  report.stop = found.stop;
  report.variant = variant;
  report.engine = engine;
  const tiling::TileSpace space = tiling::tile_space(part);
  report.anchor = part.tensor(space.anchor).name;
  report.whole = space.whole.extent;
  for (std::size_t a = 0; a < tiling::tile_axes; ++a)
    report.divisible[a] = space.axis[a].has_value();
  report.proven_largest = found.status == Status::feasible && found.undecided.empty();
  for (const search::TileProbe& probe : found.probes)
    report.probes.push_back({probe.shape.extent, probe.tiles, probe.verdict,
                             std::string(search::to_string(probe.decided_by)), probe.seconds,
                             variant, std::string(probe.step), probe.kept});
  for (const tiling::TileShape& shape : found.maximal) report.all.push_back(shape.extent);
  if (found.status != Status::feasible) return report;
  report.extent = found.shape.extent;
  report.counts = found.grid.counts;
  for (std::size_t k = 0; k < found.placements.size(); ++k) {
    PlannedPlacement placed{found.lowering.problem, std::move(found.placements[k]), engine};
    for (BufferIndex b = 0; b < placed.problem.buffers.size(); ++b)
      placed.problem.buffers[b].size = found.demands[k][b];
    verify(placed);
    report.placements.push_back(std::move(placed));
  }
  return report;
}

/// A tile before none, fewer tiles before more, undecided before infeasible.
bool better(const TileReport& a, const TileReport& b) {
  const auto rank = [](const TileReport& r) {
    if (r.status == Status::feasible) return 0;
    return r.status == Status::unknown ? 1 : 2;
  };
  if (rank(a) != rank(b)) return rank(a) < rank(b);
  return a.status == Status::feasible && a.tile_count() < b.tile_count();
}

/// A requested shape.
tiling::TileShape shape_of(const tiling::Subgraph& part, const std::array<Dim, 3>& extent) {
  static constexpr const char* names[] = {"C", "H", "W"};
  const tiling::TileSpace space = tiling::tile_space(part);
  const std::string& anchor = part.tensor(space.anchor).name;
  tiling::TileShape shape = space.whole;
  for (std::size_t a = 0; a < tiling::tile_axes; ++a) {
    const Dim asked = extent[a];
    const Dim whole = space.whole.extent[a];
    if (asked == 0 || asked == whole) continue;
    if (asked < 0 || asked > whole)
      throw BadInput("no tile has " + std::string(names[a]) + "=" + std::to_string(asked) +
                         ": the tiled tensor, " + anchor + ", has " + names[a] + "=" +
                         std::to_string(whole),
                     "use at most this extent, or leave " + std::string(names[a]) + " out");
    if (!space.axis[a])
      throw BadInput(anchor + " cannot be tiled along " + names[a] + ", so no tile has " +
                         names[a] + "=" + std::to_string(asked),
                     "leave " + std::string(names[a]) + " out");
    shape.extent[a] = asked;
  }
  return shape;
}

std::optional<tiling::TileShape> only_shape(const tiling::Subgraph& part,
                                            const TileParams& params) {
  if (!params.shape) {
    if (!params.earlier_shapes.empty())
      throw BadInput("`earlier_shapes` is given without `shape`", "set `shape` to the last one");
    return std::nullopt;
  }
  if (params.all) throw BadInput("`shape` and `all` exclude each other", "remove one of them");
  return shape_of(part, *params.shape);
}

std::string why_not(const TileReport& report, const MissingBytes& missing, bool one_shape) {
  if (report.status == Status::feasible) return "";
  if (report.status == Status::unknown)
    return one_shape ? "a limit ended the search before it decided whether tiles of this shape fit"
                     : "a limit ended the search before a tile was found";
  if (one_shape && report.lacking > 0)
    return "in one step of a tile of this shape the live buffers, rounded up to their alignment, "
           "exceed the memory by " +
           std::to_string(report.lacking) + " bytes";
  if (one_shape)
    return "tiles of this shape do not fit: the live bytes of every step fit, but no placement "
           "satisfies every rule of the profile";
  if (missing.bytes > 0)
    return "even the smallest tile needs " + to_string(missing) + " than the memory has";
  if (missing.stopped)
    return "no tile shape fits; a limit ended the search for the number of missing bytes";
  return "no tile shape fits: the live bytes of the smallest tile fit, but " +
         no_placement(missing);
}

void require_valid(const TileParams& params) {
  if (params.nodes_per_question < 1)
    throw BadInput("a placement query needs at least one search node");
  if (params.question_timeout && *params.question_timeout < std::chrono::nanoseconds::zero())
    throw BadInput("the time limit of a placement query is negative");
  for (const TileVariant& variant : params.variants) {
    if (variant.weights > WeightPolicy::refetch || variant.halo > HaloPolicy::keep)
      throw BadInput("a tiling variant has an unknown value");
    if (variant.stationary != Stationary::none)
      throw BadInput("a tile search does not support `stationary`",
                     "set `stationary` to none; plan_network() chooses it");
    if (variant.one_copy != OneCopy::none)
      throw BadInput("a tile search does not support `one_copy`",
                     "set `one_copy` to none; plan_network() chooses it");
    if (variant.reduction != 1)
      throw BadInput("a tile search does not support split reductions",
                     "set `reduction` to 1; plan_network() chooses it");
    if (variant.direct != Direct::none)
      throw BadInput("a tile search does not support direct off-chip access",
                     "set `direct` to none; plan_network() chooses it");
  }
}

std::string extents(const std::array<Dim, 3>& extent) {
  return "{\"C\": " + std::to_string(extent[0]) + ", \"H\": " + std::to_string(extent[1]) +
         ", \"W\": " + std::to_string(extent[2]) + "}";
}

/// Result for one variant.
struct VariantAnswer {
  TileReport report;
  search::TileCounters counters;
  Size lacking = 0;
  bool all_decided = false;
  std::optional<StopReason> stopped{};
};

/// A query about all variants of a group of ops, and its progress. Listing all largest shapes is a
/// separate query about one variant (list_largest()).
class VariantSearch {
 public:
  VariantSearch(const tiling::Subgraph& part, const Hardware& hardware, const TileParams& params,
                bool all = false)
      : part_(part),
        hardware_(hardware),
        params_(params),
        all_(all),
        shape_(only_shape(part, params)),
        limited_(params.limits),
        variants_(params.variants.empty() ? tile_variants(hardware.tiling) : params.variants),
        answers_(variants_.size()),
        first_fit_(variants_.size()) {
    for (const std::array<Dim, 3>& extent : params.earlier_shapes)
      earlier_.push_back(shape_of(part, extent));
    if (variants_.empty()) throw BadInput("profile " + hardware.name + " lists no tiling variant");
    told_.variants = variants_.size();
  }

  /// Runs the variants up to the first that has the requested shape; without one, all of them.
  std::vector<VariantAnswer> run() {
    std::atomic<std::size_t> next{0};
    work_together(threads(), [&] {
      Geometries geometries;
      for (std::size_t k = next++; k < variants_.size(); k = next++) {
        if (k > first_fit_) continue;
        answers_[k] = ask(variants_[k], geometries);
        const bool fits = shape_ && answers_[k]->report.status == Status::feasible;
        const std::lock_guard lock(mutex_);
        if (fits) first_fit_ = std::min<std::size_t>(first_fit_, k);
        ++told_.finished;
        if (params_.progress) params_.progress(told_);
      }
    });
    std::vector<VariantAnswer> asked;
    for (std::size_t k = 0; k < variants_.size() && k <= first_fit_; ++k)
      asked.push_back(std::move(*answers_[k]));
    return asked;
  }

  [[nodiscard]] const std::vector<TileVariant>& variants() const { return variants_; }
  [[nodiscard]] const Budget& budget() const { return limited_.budget(); }
  [[nodiscard]] bool one_shape() const { return shape_.has_value(); }

 private:
  [[nodiscard]] int threads() const {
    return std::min(params_.limits.threads, static_cast<int>(variants_.size()));
  }

  /// The regions of tiles depend only on halo handling; a thread's variants share the geometry.
  using Geometries = std::map<HaloPolicy, tiling::TileGeometry>;

  VariantAnswer ask(const TileVariant& variant, Geometries& geometries) {
    const std::unique_ptr<engine::PlacementEngine> engine =
        chosen_engine(hardware_, params_.engine);
    search::TileSearchParams search{.options = variant, .engine = engine.get(), .budget = budget()};
    search.nodes_per_question = params_.nodes_per_question;
    search.time_per_question = params_.question_timeout.value_or(std::chrono::nanoseconds{0});
    search.seed = params_.limits.seed;
    search.dominance = search.carry_over = params_.reuse != Reuse::none;
    search.sessions = params_.reuse == Reuse::all;
    search.all = all_;
    search.only = shape_;
    search.before_only = earlier_;
    search.record_probes = true;
    if (params_.progress)
      search.evaluated = [this](std::int64_t tiles, Status verdict) { tell(tiles, verdict); };
    VariantAnswer answer;
    search::TileSearchResult found;
    try {
      tiling::TileGeometry& geometry =
          geometries.try_emplace(variant.halo, part_, variant.halo).first->second;
      found = search::find_tile(geometry, hardware_, search);
      // A node limit is expected; the real limit is not reached yet.
      if (found.stop != StopReason::completed && found.stop != StopReason::node_limit)
        answer.stopped = found.stop;
    } catch (const std::bad_alloc&) {
      found.stop = StopReason::memory_limit;
      answer.stopped = found.stop;
    }
    answer.counters = found.counters;
    answer.lacking = found.lacking;
    answer.all_decided = found.status != Status::unknown && found.undecided.empty();
    answer.report = report_of(part_, variant, std::move(found), std::string(engine->name()));
    if (shape_) answer.report.lacking = answer.lacking;
    return answer;
  }

  void tell(std::int64_t tiles, Status verdict) {
    const std::lock_guard lock(mutex_);
    ++told_.shapes;
    if (verdict == Status::feasible)
      told_.fewest_tiles = std::min(told_.fewest_tiles.value_or(tiles), tiles);
    params_.progress(told_);
  }

  const tiling::Subgraph& part_;
  const Hardware& hardware_;
  const TileParams& params_;
  bool all_;
  std::optional<tiling::TileShape> shape_;
  std::vector<tiling::TileShape> earlier_;
  validation::LimitedBudget limited_;
  std::vector<TileVariant> variants_;
  std::vector<std::optional<VariantAnswer>> answers_;
  std::atomic<std::size_t> first_fit_;  // the first variant with the requested shape
  std::mutex mutex_;                    // guards told_ and calls to progress
  TileProgress told_;
};

/// Every largest shape of the best variant. If a limit cuts the list short, `stop` says so; the
/// tile found stays the same.
void list_largest(const tiling::Subgraph& part, const Hardware& hardware, TileParams params,
                  const Budget& budget, TileReport& report, Stats& stats) {
  params.variants = {report.variant};
  params.limits = validation::rest_of(params.limits, budget);
  VariantAnswer listed = std::move(VariantSearch(part, hardware, params, true).run().front());
  add(stats, listed.counters);
  report.all = std::move(listed.report.all);
  std::ranges::move(listed.report.probes, std::back_inserter(report.probes));
  if (listed.stopped) report.stop = *listed.stopped;
}

std::string probe_json(const ProbeReport& probe) {
  return json_object([&](JsonObject& object) {
    object.entry("shape") += extents(probe.extent);
    object.number("count", probe.tiles);
    object.text("verdict", to_string(probe.verdict));
    object.text("decided_by", probe.decided_by);
    object.real("seconds", probe.seconds);
    object.text("variant", to_string(probe.variant));
    if (!probe.step.empty()) object.text("step", probe.step);
    if (probe.kept > 0) object.number("kept", probe.kept);
  });
}

std::string placement_json(const PlannedPlacement& placed) {
  PlacementResult result = counted(placed.problem, placed.placement);
  result.engine = placed.engine;
  return '\n' + result_json(placed.problem, result);
}

}  // namespace

}  // namespace tessera::placer

namespace tessera {

std::string to_string(const TileVariant& variant) {
  return std::string(variant.double_buffer ? "double buffer" : "single buffer") + ", weights " +
         std::string(io::word(variant.weights)) + ", halo " + std::string(io::word(variant.halo));
}

std::vector<TileVariant> tile_variants(const TilingOptions& options) {
  std::vector<TileVariant> variants;
  for (const bool double_buffer : options.double_buffer)
    for (const WeightPolicy weights : options.weights)
      for (const HaloPolicy halo : options.halo) variants.push_back({double_buffer, weights, halo});
  return variants;
}

TileReport find_largest_tile(const Network& network, const Hardware& hardware,
                             const TileParams& params) {
  validation::require_valid(network);
  validation::require_valid(hardware);
  placer::require_valid(params);
  if (params.ops.first > params.ops.last || params.ops.last >= network.ops.size())
    throw BadInput("ops " + std::to_string(params.ops.first) + ":" +
                       std::to_string(params.ops.last) +
                       " are not a valid range of ops of this network",
                   "ops are numbered from 0 to " + std::to_string(network.ops.size() - 1));
  const placer::Clock::time_point begin = placer::Clock::now();
  const tiling::Subgraph part =
      tiling::make_subgraph(network, params.ops, tiling::last_readers(network), hardware);
  placer::VariantSearch search(part, hardware, params);
  std::vector<TileReport> reports;
  std::vector<ProbeReport> probes;
  Stats stats;
  bool all_decided = true;
  std::optional<StopReason> stopped;
  for (placer::VariantAnswer& answer : search.run()) {
    placer::add(stats, answer.counters);
    all_decided = all_decided && answer.all_decided;
    if (answer.stopped) stopped = answer.stopped;
    std::ranges::move(answer.report.probes, std::back_inserter(probes));
    reports.push_back(std::move(answer.report));
  }
  auto best = std::ranges::min_element(reports, placer::better);
  placer::MissingBytes missing;
  if (best->status == Status::infeasible && search.one_shape()) {
    best = std::ranges::min_element(reports, {}, &TileReport::lacking);
  } else if (best->status == Status::infeasible) {
    missing = placer::missing_bytes(part, hardware, search.variants(), search.budget());
    best = reports.begin() + static_cast<std::ptrdiff_t>(missing.variant);
    best->lacking = missing.bytes;
  }
  best->proven_largest = best->proven_largest && all_decided && !search.one_shape();
  if (!stopped) stopped = search.budget().exhausted();
  if (stopped && !all_decided) best->stop = *stopped;
  best->probes = std::move(probes);
  if (params.all && best->status == Status::feasible)
    placer::list_largest(part, hardware, params, search.budget(), *best, stats);
  if (missing.stopped) best->stop = *missing.stopped;
  best->reason = placer::why_not(*best, missing, search.one_shape());
  best->stats = std::move(stats);
  best->seconds = std::chrono::duration<double>(placer::Clock::now() - begin).count();
  return std::move(*best);
}

std::string tile_json(const TileReport& report) {
  std::string out;
  JsonObject object(out);
  object.text("tessera", "tile/1");
  object.text("status", to_string(report.status));
  object.text("stop", to_string(report.stop));
  object.entry("variant") += json_object([&](JsonObject& variant) {
    variant.truth("double_buffer", report.variant.double_buffer);
    variant.text("weights", io::word(report.variant.weights));
    variant.text("halo", io::word(report.variant.halo));
  });
  object.text("anchor", report.anchor);
  object.entry("whole") += placer::extents(report.whole);
  if (report.status == Status::feasible)
    object.entry("tiles") += json_object([&](JsonObject& tiles) {
      tiles.number("count", report.tile_count());
      tiles.entry("shape") += placer::extents(report.extent);
      tiles.truth("proven_largest", report.proven_largest);
    });
  if (!report.reason.empty()) object.text("reason", report.reason);
  if (report.lacking > 0) object.number("lacking", report.lacking);
  if (!report.all.empty()) object.list("all", report.all, placer::extents);
  object.list("probes", report.probes, placer::probe_json, ",\n  ");
  object.list("placements", report.placements, placer::placement_json, ",");
  object.entry("stats") += json_object([&](JsonObject& stats) {
    for (const Stat& stat : report.stats)
      stats.number(stat.name, std::get<std::int64_t>(stat.value));
  });
  object.real("seconds", report.seconds);
  object.close();
  return out + '\n';
}

}  // namespace tessera
