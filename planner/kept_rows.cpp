#include "planner/kept_rows.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "planner/candidates.h"
#include "planner/later_look.h"
#include "planner/peaks.h"
#include "planner/shape_goal.h"
#include "tiling/kept_rows.h"

namespace tessera::planner {
namespace {

/// If peaks have a weight, space is filled up to the plan's peak and up to this many levels above.
constexpr int most_levels = 4;
/// Buffers leave holes: if rows do not fit, the search retries with fewer, this often.
constexpr int most_tries = 4;
/// Fractions (quarters) of the memory that a partly resident tensor may take.
constexpr std::array<Size, 3> row_shares{1, 2, 3};
constexpr Size whole_share = 4;
/// Passes over all tensors: a decision changes the value of others.
constexpr int most_row_passes = 2;

class KeptRowsLook : LaterLook {
 public:
  KeptRowsLook(const Network& network, const Hardware& hardware, const PlanParams& params,
               const NetworkPlan& plan)
      : LaterLook(network, hardware, params, plan) {}

  bool improve(NetworkPlan& plan) {
    find_tensors(plan.subgraphs);
    if (tensors_.empty()) return false;
    std::vector<PlannedSubgraph> best = plan.subgraphs;
    bool any = fill(plan.subgraphs, best);
    for (int pass = 0; pass < most_row_passes; ++pass) {
      bool changed = false;
      for (const Candidate& each : tensors_)
        for (const Size share : row_shares) {
          if (budget_.exhausted()) break;
          std::optional<std::vector<PlannedSubgraph>> next =
              with_smaller_tiles(best, each, on_chip_capacity(within_) * share / whole_share);
          if (!next) continue;
          best = *std::move(next);
          changed = true;
        }
      any = any || changed;
      if (!changed) break;
    }
    if (!any) return false;
    NetworkPlan next = plan;
    next.subgraphs = std::move(best);
    return take_if_better(plan, std::move(next));
  }

 private:
  /// A tensor across cut points that is stored and loaded.
  struct Candidate {
    TensorIndex tensor = 0;
    std::size_t first = 0;           ///< the group that writes it
    std::size_t last = 0;            ///< the group of its last reader
    Dim rows = 0;                    ///< of the whole tensor
    std::vector<std::size_t> users;  ///< groups that transfer it
    double worth = 0;                ///< transferred bytes per byte of memory and group
  };

  /// Fills the space that tiles leave, up to several levels if peaks have a weight.
  bool fill(const std::vector<PlannedSubgraph>& runs, std::vector<PlannedSubgraph>& best) const {
    const Size peak = peak_of(runs);
    const Size most = on_chip_capacity(within_);
    std::vector<Size> levels;
    if (cost::peak_weight(score_) > 0)
      for (int k = 0; k < most_levels; ++k)
        levels.push_back(peak + (most - peak) * k / most_levels);
    levels.push_back(most);
    bool any = false;
    for (std::size_t k = 0; k < levels.size() && !budget_.exhausted(); ++k) {
      if (k > 0 && levels[k] == levels[k - 1]) continue;
      std::optional<std::vector<PlannedSubgraph>> filled = with_rows(runs, levels[k]);
      if (!filled || score_of(*filled) >= score_of(best) * less) continue;
      best = *std::move(filled);
      any = true;
    }
    return any;
  }

  [[nodiscard]] Size rows_in(const PlannedSubgraph& run) const {
    Size bytes = 0;
    for (const PlannedRows& rows : run.kept_rows)
      bytes += bytes_of(index_of(rows.tensor), rows.rows);
    return bytes;
  }

  /// Keeps `bytes` of the tensor, replacing its current rows, and re-tiles all groups of its life
  /// for the remaining space. Nothing if that is no better.
  [[nodiscard]] std::optional<std::vector<PlannedSubgraph>> with_smaller_tiles(
      const std::vector<PlannedSubgraph>& now, const Candidate& each, Size bytes) const {
    const Dim rows = most_rows(each, bytes);
    const Dim before = rows_now(now, each);
    if (rows == 0 || rows == before) return std::nullopt;
    std::vector<PlannedSubgraph> next = now;
    remove(next, each);
    add(next, each, rows);
    // Skip it if it is no better even when the rows occupy no memory.
    std::vector<PlannedSubgraph> free = next;
    if (!recost(free, each.users) || score_of(free) >= score_of(now) * less) return std::nullopt;
    std::vector<std::size_t> lives;
    const Size most = on_chip_capacity(within_);
    for (std::size_t k = each.first; k <= each.last; ++k) {
      lives.push_back(k);
      const Size reserved = rows_in(next[k]);
      const Size tiles = now[k].metrics.peak_bytes - rows_in(now[k]);
      if (tiles + reserved <= most) {
        next[k].metrics.peak_bytes = tiles + reserved;
        continue;
      }
      if (reserved >= most) return std::nullopt;
      std::optional<PlannedSubgraph> run = in_the_rest(next, k, most - reserved);
      if (!run) return std::nullopt;
      run->kept_rows = next[k].kept_rows;
      run->metrics.peak_bytes += reserved;
      next[k] = *std::move(run);
    }
    const double goal = score_of(now) * less;
    if (!recost(next, lives) || score_of(next) >= goal) return std::nullopt;
    if (!settle(next, each.first, each.last) || score_of(next) >= goal) return std::nullopt;
    return next;
  }

  [[nodiscard]] std::optional<PlannedSubgraph> in_the_rest(const std::vector<PlannedSubgraph>& runs,
                                                           std::size_t k, Size room) const {
    const Hardware smaller = machine_within(within_, {.peak_bytes = static_cast<double>(room)});
    Candidates candidates(network_, smaller, candidates_with(stays_of(runs)), params_.memory);
    ShapeGoal goal = shape_goal(score_, limits_, params_.tile_shapes, peak_of(runs));
    goal.last = ShapeGoal::Stage::reductions;
    return best_run(candidates, runs[k].ops, goal);
  }

  [[nodiscard]] Dim rows_now(const std::vector<PlannedSubgraph>& runs,
                             const Candidate& each) const {
    for (const PlannedRows& rows : runs[each.first].kept_rows)
      if (rows.tensor == network_.tensors[each.tensor].name) return rows.rows;
    return 0;
  }
  void remove(std::vector<PlannedSubgraph>& runs, const Candidate& each) const {
    for (PlannedSubgraph& run : runs)
      std::erase_if(run.kept_rows, [&](const PlannedRows& rows) {
        return rows.tensor == network_.tensors[each.tensor].name;
      });
  }

  /// Orders tensors by transferred bytes per byte of memory.
  void find_tensors(const std::vector<PlannedSubgraph>& runs) {
    std::vector<Piece> pieces;
    for (const PlannedSubgraph& run : runs)
      pieces.push_back(make_piece(network_, hardware_, run, readers_));
    for (const TensorIndex t : tiling::may_stay_in_part(network_, readers_)) {
      Candidate each{.tensor = t,
                     .first = run_of(runs, maker_of(t)),
                     .last = run_of(runs, *readers_[t]),
                     .rows = tiling::rows_in_all(network_.tensors[t])};
      const auto is_kept = [&](const std::string& name) {
        return name == network_.tensors[t].name;
      };
      if (each.first == each.last || std::ranges::any_of(runs[each.first].kept, is_kept)) continue;
      double moved = 0;
      for (std::size_t k = each.first; k <= each.last; ++k) {
        const double bytes = bytes_moved(pieces[k], t);
        if (bytes <= 0) continue;
        moved += bytes;
        each.users.push_back(k);
      }
      if (each.users.empty()) continue;
      const Size all = bytes_of(t, each.rows);
      each.worth = moved / (static_cast<double>(all) * static_cast<double>(each.last - each.first));
      tensors_.push_back(std::move(each));
    }
    std::ranges::stable_sort(tensors_, std::greater<>(), &Candidate::worth);
  }

  /// Approximate bytes of the tensor moved by all tiles: data that remains from tile to tile counts
  /// again.
  [[nodiscard]] static double bytes_moved(const Piece& piece, TensorIndex tensor) {
    double bytes = 0;
    for (std::size_t t = 0; t < piece.part.tensors.size(); ++t) {
      const tiling::LocalTensor& local = piece.part.tensors[t];
      if (local.weight || piece.part.planned(local.tensor) != tensor) continue;
      for (const tiling::TileRegions& tile : piece.grid.tiles) {
        const auto times = static_cast<double>(tile.times);
        if (tiling::is_loaded(local))
          bytes += times * static_cast<double>(local.bytes.of(tiling::volume(tile.fresh[t])));
        if (tiling::is_stored(local))
          bytes += times * static_cast<double>(local.bytes.of(tiling::volume(tile.stored[t])));
      }
    }
    return bytes;
  }

  [[nodiscard]] Size bytes_of(TensorIndex t, Dim rows) const {
    return tiling::kept_rows_of(network_, hardware_, t, rows).bytes;
  }

  /// Chooses rows of each tensor so that no group peaks above the level, and keeps those that pay
  /// off.
  [[nodiscard]] std::optional<std::vector<PlannedSubgraph>> with_rows(
      const std::vector<PlannedSubgraph>& runs, Size level) const {
    std::vector<Size> room;
    for (const PlannedSubgraph& run : runs)
      room.push_back(std::max<Size>(0, level - run.metrics.peak_bytes));
    std::vector<PlannedSubgraph> now = runs;
    bool any = false;
    for (const Candidate& each : tensors_) {
      if (budget_.exhausted()) return std::nullopt;
      const Size least =
          *std::min_element(room.begin() + static_cast<std::ptrdiff_t>(each.first),
                            room.begin() + static_cast<std::ptrdiff_t>(each.last) + 1);
      const Dim rows = most_rows(each, least);
      if (rows == 0) continue;
      std::vector<PlannedSubgraph> next = now;
      add(next, each, rows);
      if (!recost(next, each.users)) continue;
      if (unplaced_score(next, level) >= unplaced_score(now, level) * less) continue;
      now = std::move(next);
      any = true;
      for (std::size_t k = each.first; k <= each.last; ++k) room[k] -= bytes_of(each.tensor, rows);
    }
    if (!any) return std::nullopt;
    return placed(runs, std::move(now), level);
  }

  [[nodiscard]] Dim most_rows(const Candidate& each, Size room) const {
    Dim low = 0;
    Dim high = each.rows;
    while (low < high) {
      const Dim middle = (low + high + 1) / 2;
      if (bytes_of(each.tensor, middle) <= room)
        low = middle;
      else
        high = middle - 1;
    }
    return low;
  }

  void add(std::vector<PlannedSubgraph>& runs, const Candidate& each, Dim rows) const {
    for (std::size_t k = each.first; k <= each.last; ++k) {
      std::vector<PlannedRows>& list = runs[k].kept_rows;
      const auto at = std::ranges::find_if(
          list, [&](const PlannedRows& other) { return index_of(other.tensor) > each.tensor; });
      list.insert(at, {network_.tensors[each.tensor].name, rows});
    }
  }
  [[nodiscard]] TensorIndex index_of(const std::string& name) const {
    const auto found = std::ranges::find(network_.tensors, name, &Tensor::name);
    return static_cast<TensorIndex>(found - network_.tensors.begin());
  }

  /// Recomputes the cost of groups, with all rows in the first on-chip memory next to the existing
  /// placement. False if the tiles of a group do not allow resident rows.
  [[nodiscard]] bool recost(std::vector<PlannedSubgraph>& runs,
                            const std::vector<std::size_t>& changed) const {
    for (const std::size_t k : changed) {
      PlannedSubgraph& run = runs[k];
      const std::optional<Piece> piece = piece_of(run);
      if (!piece) return false;
      run.placements.front().placement.places.resize(piece->lowering.buffers.size());
      cost_as_placed(*piece, run);
    }
    return true;
  }
  [[nodiscard]] std::optional<Piece> piece_of(const PlannedSubgraph& run) const {
    try {
      return make_piece(network_, hardware_, run, readers_);
    } catch (const std::invalid_argument&) {
      return std::nullopt;
    }
  }

  /// Score of the unplaced groups with the peak raised to the level.
  [[nodiscard]] double unplaced_score(std::span<const PlannedSubgraph> runs, Size level) const {
    std::vector<PlannedSubgraph> own(runs.begin(), runs.end());
    if (!own.empty())
      own.front().metrics.peak_bytes = std::max(own.front().metrics.peak_bytes, level);
    return score_of(own);
  }

  /// Places everything, with fewer rows if necessary.
  [[nodiscard]] std::optional<std::vector<PlannedSubgraph>> placed(
      const std::vector<PlannedSubgraph>& without, std::vector<PlannedSubgraph> runs,
      Size level) const {
    for (int tries = 0; tries < most_tries; ++tries) {
      if (budget_.exhausted()) return std::nullopt;
      std::vector<PlannedSubgraph> next = runs;
      for (std::size_t k = 0; k < next.size(); ++k)
        if (next[k].kept_rows.empty())
          next[k] = without[k];
        else
          next[k].metrics.peak_bytes = level;
      if (settle(next, 0, next.size() - 1)) return next;
      for (PlannedSubgraph& run : runs) {
        for (PlannedRows& part : run.kept_rows) part.rows = part.rows * 7 / 8;
        std::erase_if(run.kept_rows, [](const PlannedRows& part) { return part.rows == 0; });
      }
    }
    return std::nullopt;
  }

  std::vector<Candidate> tensors_;
};

}  // namespace

bool may_keep_rows(const Network& network, const Hardware& hardware) {
  return hardware.tiling.stay == Stay::rows && network.ops.size() > 1;
}

bool take_kept_rows(const Network& network, const Hardware& hardware, const PlanParams& params,
                    NetworkPlan& plan) {
  return KeptRowsLook(network, hardware, params, plan).improve(plan);
}

}  // namespace tessera::planner
