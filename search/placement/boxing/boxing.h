// Boxing: jobs of similar size and lifetime go into boxes, and boxes into larger boxes, until all
// remaining items have one size.
//
//   Boxes boxes = box_jobs(instance, {.epsilon = range.low}, random);
//   std::vector<Offset> loose = unbox(instance, boxes);               // unboxing.h
//
// Buchsbaum, Karloff, Kenyon, Reingold and Thorup, "OPT versus LOAD in dynamic storage allocation"
// (STOC 2003; SIAM J. Comput. 33(3), 2004). The working range of epsilon, the dummy job and
// additional critical points are from Lamprakos, Xydis, Soudris et al., "idealloc" (arXiv
// 2504.04874). The names are those of the papers:
//
//   Theorem 16    box what is small against the largest height, repeat with the boxes as jobs
//   Corollary 15  sizes rounded up to powers of 1 + epsilon, one class after the other
//   Theorem 2     jobs of one size: those live at critical points by Lemma 1, the rest in between
//                 recursively
//   Lemma 1       jobs that are live at one moment: strips of similar births and similar deaths
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/engine.h"
#include "model/random.h"
#include "search/placement/boxing/instance.h"

namespace tessera::search::boxing {

/// A job, or a box around other items.
struct Item {
  Section lower = 0;
  Section upper = 0;
  Size size = 0;
  std::int32_t first = 0;  ///< index in Boxes::contents
  std::int32_t count = 0;  ///< 0: a job
};

struct Boxes {
  std::vector<Item> items;             ///< the instance's jobs, possibly a dummy, then boxes
  std::vector<std::int32_t> contents;  ///< items in boxes, box by box
  std::vector<std::int32_t> roots;     ///< items in no box, all of one size
  std::int32_t jobs = 0;               ///< number of items that are jobs of the instance
  int levels = 0;                      ///< iterations of Theorem 16
};

/// The values of epsilon for which Theorem 16 makes progress: mu = epsilon / lg^2 r has to stay
/// below (sqrt 5 - 1) / 2, and lg^14 r / r < epsilon^6.
struct EpsilonRange {
  double low = 0;
  double high = 0;
  /// The range is empty for h_max / h_min below 2216.53. A job of this size that lives all the time
  /// makes the ratio large enough. 0 if none is needed.
  Size dummy = 0;
};

[[nodiscard]] EpsilonRange epsilon_range(const Instance& instance);

struct BoxJobsParams {
  double epsilon = 0;  ///< within the range
  Size dummy = 0;
  Budget budget{};
};

/// Nothing if the budget ended it.
/// require: the instance has jobs.
[[nodiscard]] std::optional<Boxes> box_jobs(const Instance& instance, const BoxJobsParams& params,
                                            Random& random);

/// Among several values of the range, the epsilon with the least ratio of sizes after Theorem 16.
[[nodiscard]] double best_epsilon(const Instance& instance, const EpsilonRange& range,
                                  const Budget& budget, Random& random);

}  // namespace tessera::search::boxing
