// Cheaper tiles for relevant groups: the part of Candidates that searches beyond the fewest tiles.
#include <algorithm>
#include <array>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <new>
#include <vector>

#include "placer/tile_engine.h"
#include "planner/candidates.h"
#include "planner/open.h"
#include "planner/option.h"
#include "planner/piece.h"
#include "planner/shapes.h"
#include "search/partition/structure.h"

namespace tessera::planner {

namespace {

/// require: its load is known.
Metrics least_of(const KnownCost& cost) {
  Metrics metrics = cost.metrics;
  metrics.peak_bytes = cost.load.value();
  metrics.peak_bandwidth = 0;
  return metrics;
}

/// Adds the options of `more` with new metrics.
void add_options(const CandidateAnswer& more, CandidateAnswer& answer) {
  for (const PlannedSubgraph& option : more.options)
    if (std::ranges::find(answer.options, option.metrics, &PlannedSubgraph::metrics) ==
        answer.options.end())
      answer.options.push_back(option);
}

}  // namespace

/// Options cheaper than all of `fewest`.
std::shared_ptr<const CandidateAnswer> Candidates::cheaper_of(const std::string& structure,
                                                              OpRange ops, int level,
                                                              const CandidateAnswer& fewest,
                                                              const ShapeGoal& goal,
                                                              SharedWork* shared) {
  static constexpr std::array words{"cheaper ", "one copy ", "in parts ", "pipelined ", "direct "};
  const std::string key = hardware_key_ + words[static_cast<std::size_t>(goal.last)] +
                          std::to_string(level) + ' ' + goal.key +
                          (goal.alone ? " alone\n" : "\n") + structure;
  bool fresh = false;
  const auto made_here = [&] {
    const std::shared_ptr<RunGeometry> run = geometry_of(ops, structure);
    const std::lock_guard guard(run->lock);
    try {
      CandidateAnswer made = cheaper(*run, structure, fewest, goal, shared);
      keep(structure, run);
      made.cut_short = params_.budget.exhausted() || out_of_memory_;
      return made;
    } catch (const std::bad_alloc&) {
      out_of_memory_ = true;
    } catch (const BudgetEnded& ended) {
      if (ended.reason == StopReason::memory_limit) out_of_memory_ = true;
    }
    CandidateAnswer nothing;
    nothing.open_score = 0;
    nothing.cut_short = true;
    return nothing;
  };
  PlanMemory::Answer better;
  do {
    better = memory_->get(key, fresh, made_here);
    if (better->cut_short) memory_->forget(key, better);
    // The other caller had less time than this one.
  } while (better->cut_short && !fresh && !params_.budget.exhausted());
  return better;
}

bool Candidates::refine(OpRange ops, const ShapeGoal& goal, SharedWork* shared) {
  Known known = known_of(ops);
  if (!known.answer) return false;
  if (!known.fewest) known.fewest = known.answer;
  const std::string structure = structure_of(ops);
  // Each stage searches tiles cheaper than those of all stages before. Partitions refer to options
  // by position, and remembered results may come from another plan, so new options follow the
  // existing ones.
  CandidateAnswer start = *known.fewest;
  CandidateAnswer more = *known.answer;
  more.open_score = std::numeric_limits<double>::infinity();
  using Stage = ShapeGoal::Stage;
  for (const Stage stage :
       {Stage::plain, Stage::one_copies, Stage::reductions, Stage::side_by_side, Stage::direct}) {
    if (stage > goal.last) break;
    if (goal.alone && stage != goal.last) continue;
    ShapeGoal now = goal;
    now.last = stage;
    const auto better = cheaper_of(structure, ops, known.level, start, now, shared);
    add_options(*better, start);
    add_options(*better, more);
    more.open_score = std::min(more.open_score, better->open_score);
  }
  const bool any = more.options.size() > known.answer->options.size();
  known.answer = std::make_shared<const CandidateAnswer>(std::move(more));
  const std::lock_guard guard(lock_);
  of_run_[{ops.first, ops.last}] = known;
  return any;
}

/// Known results of shapes, from this machine or from machines that differ only in capacity.
KnownShapes Candidates::known_shapes(const std::string& structure,
                                     const TileVariant& options) const {
  const std::string load_key = load_key_ + variant_word(options) + structure;
  return {.fits = [this, load_key](const tiling::TileShape& shape) -> std::optional<bool> {
            const std::optional<KnownLoad> known = known_loads().find(shape_key(load_key, shape));
            if (!known || (capacity_ < known->fits_from && capacity_ > known->fails_to))
              return std::nullopt;
            return capacity_ >= known->fits_from;
          },
          .keep_fits =
              [this, load_key](const tiling::TileShape& shape, bool fits) {
                const std::string key = shape_key(load_key, shape);
                KnownLoad known = known_loads().find(key).value_or(KnownLoad{});
                if (fits)
                  known.fits_from = std::min(known.fits_from, capacity_);
                else
                  known.fails_to = std::max(known.fails_to, capacity_);
                known_loads().keep(key, known);
              },
          .cost = [this, key = cost_key_of(structure, options)](
                      const tiling::TileShape& shape) -> std::optional<Metrics> {
            const auto known = known_costs().find(shape_key(key, shape));
            if (!known || !known->load) return std::nullopt;
            return least_of(*known);
          }};
}

ShapeSearchParams Candidates::shape_params(RunGeometry& run, const std::string& structure,
                                           const TileVariant& options,
                                           tiling::TileGeometry& geometry, Poll& poll) const {
  return {.options = options,
          .budget = params_.budget,
          .nodes_per_question = effort_at(0, params_.nodes_per_question).nodes,
          .time_per_question = params_.time_per_question,
          .seed = params_.seed,
          .computing =
              [this, &run, trailing = options.trailing](const tiling::TileRegions& tile) {
                return cost::computing(run.part, tile, static_cast<tessera::Step>(trailing),
                                       cheapest_, cheapest_arrays_.get());
              },
          .known_computing =
              &run.computing[array_key_ +
                             variant_word({.halo = options.halo, .trailing = options.trailing})],
          .cost =
              [this, &run, key = cost_key_of(structure, options), &geometry, &poll](
                  const tiling::TileGrid& grid, const tiling::Lowering& lowering) {
                KnownCost cost =
                    cost_anywhere(run.part, grid, lowering, cheapest_, *cheapest_arrays_, poll);
                cost.load = peak_load(
                    lowering, tiling::demands(run.part, geometry.space(), lowering, grid.tiles));
                known_costs().keep(shape_key(key, grid.shape), cost);
                return least_of(cost);
              },
          .groups = &run.groups.try_emplace(options.halo, geometry.space()).first->second,
          .first_loads =
              load_key_.empty() ? nullptr : &run.first_loads[load_key_ + variant_word(options)],
          .known = known_shapes(structure, options)};
}

/// Searches variant after variant, each for tiles cheaper than all found before. Helper threads
/// evaluate later variants in advance, assuming that the ones before find nothing, which is usually
/// true. Otherwise the later variants are evaluated again, so threads do not change the result.
class Candidates::CheaperVariants {
 public:
  CheaperVariants(const Candidates& candidates, RunGeometry& run, const std::string& structure,
                  const ShapeGoal& goal, double least)
      : candidates_(candidates), run_(run), structure_(structure), goal_(goal), least_(least) {
    const Question question{run, structure, effort_at(0, candidates.params_.nodes_per_question)};
    bound_ = candidates.grid_bound(question);
  }

  void add(const TileVariant& variant, std::int64_t fewest) {
    looks_.push_back({.variant = variant, .fewest = fewest});
  }

  /// Rethrows exceptions of any thread.
  CandidateAnswer run(SharedWork* shared) {
    shared_ = shared != nullptr && !looks_.empty();
    if (shared_) {
      static_cast<void>(run_.cuts());  // before any thread has a geometry of its own
      shared->run([this] { work(); });
    } else {
      work();
    }
    if (error_) std::rethrow_exception(error_);
    if (open_ < least_) answer_.open_score = open_;
    candidates_.shapes_ += looked_;
    return std::move(answer_);
  }

 private:
  struct Look {
    TileVariant variant;
    std::int64_t fewest = 1;
    bool begun = false;
    bool done = false;
    double below = 0;  ///< cost limit of this search
    std::optional<PlannedSubgraph> option{};
    double cost = 0;  ///< of the option
    double open = std::numeric_limits<double>::infinity();
    std::int64_t looked = 0;
  };

  /// Called from several threads at once.
  void work() {
    std::unique_lock guard(lock_);
    RunGeometry* run = nullptr;
    try {
      run = mine();
    } catch (const std::bad_alloc&) {
      return;  // of a helper: leave the remaining memory to the others
    }
    std::optional<Helper> helper;
    while (next_ < looks_.size() && !error_) {
      const auto fresh = std::find_if(looks_.begin() + static_cast<std::ptrdiff_t>(next_),
                                      looks_.end(), [](const Look& look) { return !look.begun; });
      if (fresh == looks_.end()) {
        if (!jobs_.empty()) {
          help(*run, helper, guard);
          continue;
        }
        ++waiting_;
        changed_.wait(guard);
        --waiting_;
        continue;
      }
      fresh->begun = true;
      fresh->below = least_;
      guard.unlock();
      std::exception_ptr error;
      try {
        look(*run, *fresh);
      } catch (...) {
        error = std::current_exception();
      }
      guard.lock();
      fresh->done = true;
      try {
        if (!error) take();
      } catch (...) {  // other threads wait for the result
        error = std::current_exception();
      }
      if (error && !error_) error_ = error;
      changed_.notify_all();
    }
    if (run == &run_) first_ = false;
  }

  /// Each thread has a geometry of its own, since a geometry caches its results.
  RunGeometry* mine() {
    if (!first_) {
      first_ = true;
      return &run_;
    }
    return &run_.thread_copy(thread_copies_++);
  }

  /// Takes results in the order of the variants.
  void take() {
    while (next_ < looks_.size() && looks_[next_].done) {
      Look& look = looks_[next_];
      if (look.below != least_) {
        look = {.variant = look.variant, .fewest = look.fewest};
        return;
      }
      ++next_;
      looked_ += look.looked;
      open_ = std::min(open_, look.open);
      if (!look.option || look.cost >= least_) continue;
      least_ = look.cost;
      answer_.options.push_back(std::move(*look.option));
    }
  }

  void look(RunGeometry& run, Look& look);

  /// Shapes that a thread will evaluate, offered to helper threads.
  struct Job {
    TileVariant variant;
    std::span<const tiling::TileShape> shapes;
    std::size_t next = 0;
    int helpers = 0;
  };
  /// State of a thread without a variant of its own.
  struct Helper {
    Helper(const CheaperVariants& of, RunGeometry& run, const TileVariant& options)
        : variant(options),
          poll(of.candidates_.params_.budget),
          geometry(run.with(options.halo)),
          watched(geometry, poll),
          params(of.candidates_.shape_params(run, of.structure_, options, geometry, poll)),
          facts(geometry, of.candidates_.hardware_, params) {}
    TileVariant variant;
    Poll poll;
    tiling::TileGeometry& geometry;
    tiling::WatchedGeometry watched;
    ShapeSearchParams params;
    ShapeFacts facts;
  };
  /// Evaluates the shapes of a job one after the other. A limit also ends the search of the
  /// variant.
  template <typename FindOut>
  static void work_on(Job& job, std::unique_lock<std::mutex>& guard, const FindOut& find_out) {
    while (job.next < job.shapes.size()) {
      const tiling::TileShape& shape = job.shapes[job.next++];
      guard.unlock();
      try {
        find_out(shape);
        guard.lock();
      } catch (...) {
        guard.lock();
        job.next = job.shapes.size();
        throw;
      }
    }
  }
  void help(RunGeometry& run, std::optional<Helper>& helper, std::unique_lock<std::mutex>& guard) {
    Job& job = *jobs_.front();
    ++job.helpers;
    const auto helps = [&](const tiling::TileShape& shape) {
      if (helper && helper->variant != job.variant) helper.reset();
      if (!helper) helper.emplace(*this, run, job.variant);
      helper->facts.find_out(shape);
    };
    try {
      work_on(job, guard, helps);
    } catch (...) {  // the searching thread runs into the same error
    }
    std::erase(jobs_, &job);
    --job.helpers;
    changed_.notify_all();
  }
  /// Returns when all shapes are evaluated, if there are helpers.
  void prepare(const TileVariant& variant, std::span<const tiling::TileShape> shapes,
               const planner::FindOut& find_out) {
    std::unique_lock guard(lock_);
    if (waiting_ == 0 || shapes.size() < 2) return;
    Job job{.variant = variant, .shapes = shapes};
    jobs_.push_back(&job);
    changed_.notify_all();
    const auto end = [&] {
      std::erase(jobs_, &job);
      changed_.wait(guard, [&] { return job.helpers == 0; });
    };
    try {
      work_on(job, guard, find_out);
    } catch (...) {
      end();
      throw;
    }
    end();
  }

  const Candidates& candidates_;
  RunGeometry& run_;
  const std::string& structure_;
  const ShapeGoal& goal_;
  std::shared_ptr<const cost::GridBound> bound_;
  std::mutex lock_;  ///< guards all members below
  std::condition_variable changed_;
  std::vector<Look> looks_;
  std::size_t next_ = 0;  ///< the first variant whose result is not taken
  double least_;
  double open_ = std::numeric_limits<double>::infinity();
  std::int64_t looked_ = 0;
  CandidateAnswer answer_;
  bool shared_ = false;            ///< helpers may join
  std::vector<Job*> jobs_;         ///< jobs with shapes left
  int waiting_ = 0;                ///< idle threads
  bool first_ = false;             ///< the group's own geometry is in use
  std::size_t thread_copies_ = 0;  ///< number of other geometries in use
  std::exception_ptr error_;
};

void Candidates::CheaperVariants::look(RunGeometry& run, Look& look) {
  const Candidates& c = candidates_;
  const TileVariant& options = look.variant;
  Poll poll(c.params_.budget);
  const std::unique_ptr<engine::PlacementEngine> engine =
      placer::tile_engine(c.hardware_, c.params_.engine);
  tiling::TileGeometry& geometry = run.with(options.halo);
  const tiling::WatchedGeometry watched(geometry, poll);
  ShapeSearchParams params = c.shape_params(run, structure_, options, geometry, poll);
  params.engine = engine.get();
  params.fewest_tiles = look.fewest;
  params.bound = bound_.get();
  params.score = goal_.score;
  params.below = look.below;
  params.most_shapes = goal_.most_shapes;
  if (shared_)
    params.prepare = [this, &options](std::span<const tiling::TileShape> shapes,
                                      const FindOut& find_out) {
      prepare(options, shapes, find_out);
    };
  CheapestTile best = cheapest_tile(geometry, c.hardware_, params);
  look.looked = best.looked;
  look.open = best.open;
  if (!best.found) return;
  std::optional<KnownCost> known;
  if (!c.cost_key_.empty())
    known = c.known_costs().find(shape_key(c.cost_key_of(structure_, options), best.found->shape));
  look.option = make_option(geometry, c.hardware_, options, std::move(*best.found), c.engine_name_,
                            *c.arrays_, poll, known ? &*known : nullptr);
  look.cost = goal_.score(look.option->metrics);
  // If its placement costs more than the minimum, another placement might cost less.
  if (look.cost > best.cost) look.open = std::min(look.open, best.cost);
}

CandidateAnswer Candidates::cheaper(RunGeometry& run, const std::string& structure,
                                    const CandidateAnswer& answer, const ShapeGoal& goal,
                                    SharedWork* shared) const {
  double least = std::numeric_limits<double>::infinity();
  for (const PlannedSubgraph& option : answer.options)
    least = std::min(least, goal.score(option.metrics));
  if (goal.last == ShapeGoal::Stage::reductions)
    return cheaper_in_parts(run, structure, answer, goal, least, shared);
  if (goal.last == ShapeGoal::Stage::direct)
    return cheaper_past_the_chip(run, structure, answer, goal, least, shared);
  CheaperVariants variants(*this, run, structure, goal, least);
  for_each_variant(
      goal.last == ShapeGoal::Stage::one_copies     ? one_copy_variants(run.part, hardware_)
      : goal.last == ShapeGoal::Stage::side_by_side ? trailing_variants(run.part, hardware_)
                                                    : variants_of(run.part, hardware_),
      answer,
      [&](const TileVariant& options, std::int64_t fewest) { variants.add(options, fewest); });
  return variants.run(shared);
}

/// In the fewest tiles, as in the partition search, then in cheaper ones.
CandidateAnswer Candidates::cheaper_past_the_chip(RunGeometry& run, const std::string& structure,
                                                  const CandidateAnswer& answer,
                                                  const ShapeGoal& goal, double least,
                                                  SharedWork* shared) const {
  const std::vector<TileVariant> all = direct_variants(run.part, hardware_);
  CandidateAnswer found;
  bool searched = false;
  look_at_variants({run, structure, effort_at(0, params_.nodes_per_question)}, all, {}, found,
                   searched);
  for (const PlannedSubgraph& option : found.options)
    least = std::min(least, goal.score(option.metrics));
  CheaperVariants variants(*this, run, structure, goal, least);
  for_each_variant(all, answer, [&](const TileVariant& options, std::int64_t fewest) {
    variants.add(options, fewest);
  });
  CandidateAnswer cheaper = variants.run(shared);
  add_options(cheaper, found);
  found.open_score = cheaper.open_score;
  return found;
}

CandidateAnswer Candidates::cheaper_in_parts(RunGeometry& run, const std::string& structure,
                                             const CandidateAnswer& answer, const ShapeGoal& goal,
                                             double least, SharedWork* shared) const {
  CandidateAnswer all;
  bool in_vain = false;
  for (const Reduced& split : reduced(run, structure)) {
    // More parts usually help if fewer did. For parts that are skipped, only the bound over all
    // tiles is known.
    if (in_vain) {
      const Question question{*split.run, split.structure,
                              effort_at(0, params_.nodes_per_question)};
      const auto bound = grid_bound(question);
      const double open =
          bound ? goal.score(bound->least(1, {.weights = WeightPolicy::resident})) : 0;
      if (open < least) all.open_score = std::min(all.open_score, open);
      continue;
    }
    CheaperVariants variants(*this, *split.run, split.structure, goal, least);
    for_each_variant(
        in_parts(variants_of(split.run->part, hardware_), split.parts), answer,
        [&](const TileVariant& options, std::int64_t fewest) { variants.add(options, fewest); });
    CandidateAnswer found = variants.run(shared);
    in_vain = found.options.empty();
    for (PlannedSubgraph& option : found.options) {
      least = std::min(least, goal.score(option.metrics));
      all.options.push_back(std::move(option));
    }
    all.open_score = std::min(all.open_score, found.open_score);
  }
  return all;
}

}  // namespace tessera::planner
