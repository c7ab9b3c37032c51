// Axioms of orders: a below b excludes b below a; a below b and b below c imply a below c. Offsets
// imply both, but only value by value; as clauses over orders they let a clause learner skip the
// offsets (measured in bench/README.md).
#include <algorithm>
#include <numeric>

#include "layers.h"
#include "model/derived.h"

namespace tessera::encoder {
namespace {

constexpr std::size_t most_triangles = 400'000;

class OrderAxioms {
 public:
  explicit OrderAxioms(Context& context) : context_(context), problem_(context.problem) {}

  void run() {
    find_neighbours();
    std::size_t triangles = 0;
    for (BufferIndex a = 0; a < above_.size(); ++a) {
      for (const BufferIndex b : above_[a]) {
        context_.formula.tautology({-below(a, b), -below(b, a)});
        context_.poll(static_cast<std::int64_t>(above_[b].size()));
        for (const BufferIndex c : above_[b]) {
          if (!std::binary_search(above_[a].begin(), above_[a].end(), c)) continue;
          if (++triangles > most_triangles) return;
          close(a, b, c);
          close(a, c, b);
          close(b, a, c);
          close(b, c, a);
          close(c, a, b);
          close(c, b, a);
        }
      }
    }
  }

 private:
  /// For each buffer: the later buffers that it must never overlap.
  void find_neighbours() {
    above_.resize(problem_.buffers.size());
    const auto exempt = exempt_pairs(problem_);
    std::vector<BufferIndex> by_start(problem_.buffers.size());
    std::iota(by_start.begin(), by_start.end(), BufferIndex{0});
    std::stable_sort(by_start.begin(), by_start.end(), [this](BufferIndex a, BufferIndex b) {
      return hull(a).lower < hull(b).lower;
    });
    for (std::size_t i = 0; i < by_start.size(); ++i) {
      for (std::size_t j = i + 1; j < by_start.size(); ++j) {
        if (!overlaps(hull(by_start[i]), hull(by_start[j]))) break;
        context_.poll(4);
        const auto [a, b] = std::minmax(by_start[i], by_start[j]);
        if (!meet(a, b) || std::binary_search(exempt.begin(), exempt.end(), std::pair(a, b)))
          continue;
        const std::vector<Separation> apart = separations(problem_, a, b, context_.poll);
        if (apart.size() == 1 && apart.front() == whole_separation(a, b)) above_[a].push_back(b);
      }
    }
    for (std::vector<BufferIndex>& each : above_) std::sort(each.begin(), each.end());
  }

  [[nodiscard]] StepRange hull(BufferIndex b) const { return hull_of(problem_.buffers[b]); }
  [[nodiscard]] bool meet(BufferIndex a, BufferIndex b) const {
    for (MemoryIndex m = 0; m < problem_.memories.size(); ++m) {
      if (context_.may_be_in(a, m) && context_.may_be_in(b, m)) return true;
    }
    return false;
  }
  [[nodiscard]] Lit below(BufferIndex a, BufferIndex b) {
    return context_.formula.before(context_.offset(a), size_of(a), context_.offset(b));
  }
  void close(BufferIndex a, BufferIndex b, BufferIndex c) {
    context_.formula.tautology({-below(a, b), -below(b, c), below(a, c)});
  }

  Context& context_;
  const PlacementProblem& problem_;
  std::vector<std::vector<BufferIndex>> above_;
};

}  // namespace

void add_order_axioms(Context& context) {
  if (context.params.order_axioms) OrderAxioms(context).run();
}

}  // namespace tessera::encoder
