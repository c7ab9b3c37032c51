// What may be assumed without losing an answer.
//
// Twins (facts/interchangeable.h) lie at one place, or are ordered by memory and offset. And where a memory
// looks the same from above as from below, one pair of each connected part is ordered: turning the
// part over keeps every rule. An aligned memory does not look the same from above unless every size
// and the capacity are multiples of the alignment. The pair is made of buffers that have no twin,
// so that choosing the places of twins afterwards does not undo it.
#include <algorithm>
#include <map>
#include <numeric>

#include "facts/interchangeable.h"
#include "layers.h"
#include "model/relations.h"

namespace tessera::encoder {
namespace {

class Symmetry {
 public:
  explicit Symmetry(Context& context)
      : context_(context),
        problem_(context.problem),
        interchangeable_(problem_, &context.poll),
        has_interchangeable_(problem_.buffers.size(), 0),
        related_(problem_.buffers.size()) {
    for (std::size_t r = 0; r < problem_.relations.size(); ++r) {
      for (const BufferIndex b : problem_.relations[r].buffers) related_[b].push_back(r);
    }
  }

  void run() {
    for (const facts::InterchangeableClass& same : interchangeable_.classes()) {
      for (const BufferIndex b : same.buffers) has_interchangeable_[b] = 1;
      for (std::size_t k = 1; k < same.buffers.size(); ++k) {
        const BufferIndex a = same.buffers[k - 1];
        const BufferIndex b = same.buffers[k];
        same.kind == facts::InterchangeableKind::together ? unite(a, b) : order(a, b, same.kind);
      }
    }
    for (MemoryIndex m = 0; m < problem_.memories.size(); ++m) {
      if (looks_the_same_from_above(m)) turn_over(m);
    }
  }

 private:
  void unite(BufferIndex a, BufferIndex b) {
    for (MemoryIndex m = 0; m < problem_.memories.size(); ++m) {
      if (!context_.may_be_in(a, m)) continue;
      context_.require({a, b}, {-context_.in(a, m), context_.in(b, m)});
      for (const auto& [x, y] : {std::pair(a, b), std::pair(b, a)})
        context_.require(
            {a, b}, {-context_.in(a, m), -context_.in(b, m),
                     context_.formula.before(context_.offset(x), fixed(0), context_.offset(y))});
    }
  }

  void order(BufferIndex a, BufferIndex b, facts::InterchangeableKind kind) {
    const Amount between = kind == facts::InterchangeableKind::apart ? size_of(a) : fixed(0);
    for (MemoryIndex m = 0; m < problem_.memories.size(); ++m) {
      if (!context_.may_be_in(a, m)) continue;
      context_.require({a, b},
                       {-context_.in(a, m), -context_.in(b, m),
                        context_.formula.before(context_.offset(a), between, context_.offset(b))});
      for (MemoryIndex lower = 0; lower < m; ++lower) {
        context_.require({a, b}, {-context_.in(a, m), -context_.in(b, lower)});
      }
    }
  }

  [[nodiscard]] bool looks_the_same_from_above(MemoryIndex m) const {
    const Memory& memory = problem_.memories[m];
    if (memory.banks.size() > 1 || !memory.reserved.empty() || memory.capacity == unbounded) {
      return false;
    }
    for (BufferIndex b = 0; b < problem_.buffers.size(); ++b) {
      if (!context_.may_be_in(b, m)) continue;
      const Buffer& buffer = problem_.buffers[b];
      const Size alignment = effective_alignment(buffer, memory);
      if (context_.in(b, m) != true_lit || has_parts(buffer) || buffer.offset || buffer.window ||
          buffer.size % alignment != 0 || memory.capacity % alignment != 0 ||
          std::any_of(buffer.gaps.begin(), buffer.gaps.end(),
                      [](const Gap& gap) { return gap.window.has_value(); }) ||
          std::any_of(related_[b].begin(), related_[b].end(), [this](std::size_t r) {
            return meaning(problem_.relations[r].kind).ties_offsets;
          })) {
        return false;
      }
    }
    return true;
  }

  /// Pairs of buffers that are in m for good and live at one step, sorted.
  [[nodiscard]] std::vector<std::pair<BufferIndex, BufferIndex>> live_together(
      MemoryIndex m) const {
    std::vector<BufferIndex> by_start;
    for (BufferIndex b = 0; b < problem_.buffers.size(); ++b)
      if (context_.in(b, m) == true_lit) by_start.push_back(b);
    const auto& buffers = problem_.buffers;
    std::sort(by_start.begin(), by_start.end(), [&](BufferIndex a, BufferIndex b) {
      return buffers[a].live.front().lower < buffers[b].live.front().lower;
    });
    std::vector<std::pair<BufferIndex, BufferIndex>> pairs;
    for (std::size_t i = 0; i < by_start.size(); ++i) {
      const Step end = buffers[by_start[i]].live.back().upper;
      for (std::size_t j = i + 1; j < by_start.size(); ++j) {
        if (buffers[by_start[j]].live.front().lower >= end) break;
        context_.poll();
        if (!coexist(buffers[by_start[i]], buffers[by_start[j]])) continue;
        pairs.emplace_back(std::minmax(by_start[i], by_start[j]));
      }
    }
    context_.poll.check();
    std::sort(pairs.begin(), pairs.end());
    return pairs;
  }

  void turn_over(MemoryIndex m) {
    const auto exempt = exempt_pairs(problem_);
    std::vector<BufferIndex> part(problem_.buffers.size());
    std::iota(part.begin(), part.end(), BufferIndex{0});
    const auto root = [&part](BufferIndex b) {
      while (part[b] != b) b = part[b] = part[part[b]];
      return b;
    };
    for (const Relation& relation : problem_.relations) {
      for (const BufferIndex b : relation.buffers) part[root(b)] = root(relation.buffers.front());
    }
    std::vector<std::pair<BufferIndex, BufferIndex>> pairs;
    for (const auto& [a, b] : live_together(m)) {
      context_.poll();
      part[root(a)] = root(b);
      if (has_interchangeable_[a] == 0 && has_interchangeable_[b] == 0 &&
          !std::binary_search(exempt.begin(), exempt.end(), std::pair(a, b))) {
        pairs.emplace_back(a, b);
      }
    }
    std::map<BufferIndex, std::pair<BufferIndex, BufferIndex>> largest;
    const auto weight = [this](const std::pair<BufferIndex, BufferIndex>& pair) {
      return problem_.buffers[pair.first].size + problem_.buffers[pair.second].size;
    };
    for (const auto& pair : pairs) {
      const auto [entry, is_new] = largest.try_emplace(root(pair.first), pair);
      if (!is_new && weight(pair) > weight(entry->second)) entry->second = pair;
    }
    for (const auto& [of, pair] : largest) {
      const auto [a, b] = pair;
      context_.require(
          {a, b}, {context_.formula.before(context_.offset(a), size_of(a), context_.offset(b))});
    }
  }

  Context& context_;
  const PlacementProblem& problem_;
  const facts::InterchangeableBuffers interchangeable_;
  std::vector<char> has_interchangeable_;
  std::vector<std::vector<std::size_t>> related_;  ///< relations a buffer is in
};

}  // namespace

void add_symmetry(Context& context) {
  Symmetry(context).run();
}

}  // namespace tessera::encoder
