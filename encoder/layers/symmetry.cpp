// What may be assumed without losing an answer.
//
// Interchangeable buffers (equal in everything, and exchanging them maps the relations to
// themselves) are ordered by memory and offset. And where a memory looks the same from above as
// from below, one pair of each connected part is ordered: turning the part over keeps every rule.
// An aligned memory does not look the same from above unless every size and the capacity are
// multiples of the alignment. The pair is made of buffers that are not interchangeable with
// others, so that sorting those afterwards does not undo it.
#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

#include "layers.h"
#include "model/relations.h"

namespace tessera::encoder {
namespace {

/// The relation with a in the place of b and b in that of a, in one of the ways to say it.
Relation exchanged(Relation relation, BufferIndex a, BufferIndex b) {
  std::vector<BufferIndex>& who = relation.buffers;
  for (BufferIndex& each : who) {
    if (each == a) {
      each = b;
    } else if (each == b) {
      each = a;
    }
  }
  if (relation.kind != RelationKind::adjacent) std::sort(who.begin(), who.end());
  return relation;
}

class Symmetry {
 public:
  explicit Symmetry(Context& context)
      : context_(context),
        problem_(context.problem),
        class_(problem_.buffers.size()),
        related_(problem_.buffers.size()) {
    std::iota(class_.begin(), class_.end(), BufferIndex{0});
    for (std::size_t r = 0; r < problem_.relations.size(); ++r) {
      for (const BufferIndex b : problem_.relations[r].buffers) related_[b].push_back(r);
    }
  }

  void run() {
    order_equals();
    for (MemoryIndex m = 0; m < problem_.memories.size(); ++m) {
      if (looks_the_same_from_above(m)) turn_over(m);
    }
  }

 private:
  [[nodiscard]] bool interchangeable(BufferIndex a, BufferIndex b) const {
    const Buffer& x = problem_.buffers[a];
    const Buffer& y = problem_.buffers[b];
    const auto gaps_equal = std::equal(
        x.gaps.begin(), x.gaps.end(), y.gaps.begin(), y.gaps.end(),
        [](const Gap& p, const Gap& q) { return p.steps == q.steps && p.window == q.window; });
    if (has_parts(x) || has_parts(y) || x.live != y.live || x.size != y.size ||
        x.alignment != y.alignment || !gaps_equal ||
        allowed_memories(problem_, x) != allowed_memories(problem_, y) || x.read != y.read ||
        x.write != y.write || x.kind != y.kind || x.offset != y.offset || x.window != y.window ||
        related_[a].size() != related_[b].size()) {
      return false;
    }
    std::vector<Relation> before;
    std::vector<Relation> after;
    for (const BufferIndex each : {a, b}) {
      for (const std::size_t r : related_[each]) {
        before.push_back(exchanged(problem_.relations[r], a, a));
        after.push_back(exchanged(problem_.relations[r], a, b));
      }
    }
    std::sort(before.begin(), before.end());
    std::sort(after.begin(), after.end());
    return before == after;
  }

  void order_equals() {
    std::map<std::tuple<Step, Size, std::size_t>, std::vector<BufferIndex>> alike;
    for (BufferIndex b = 0; b < problem_.buffers.size(); ++b) {
      const Buffer& buffer = problem_.buffers[b];
      alike[{buffer.live.front().lower, buffer.size, related_[b].size()}].push_back(b);
    }
    for (const auto& [key, members] : alike) {
      for (std::size_t i = 1; i < members.size(); ++i) {
        for (std::size_t j = i; j-- > 0;) {
          context_.poll();
          if (!interchangeable(members[j], members[i])) continue;
          class_[members[i]] = class_[members[j]];
          order(members[j], members[i]);
          break;  // the next one before it is ordered with that one already
        }
      }
    }
    members_.resize(problem_.buffers.size());
    for (const BufferIndex each : class_) ++members_[each];
  }

  void order(BufferIndex a, BufferIndex b) {
    for (MemoryIndex m = 0; m < problem_.memories.size(); ++m) {
      if (!context_.may_be_in(a, m)) continue;
      context_.require({a, b},
                       {-context_.in(a, m), -context_.in(b, m),
                        context_.formula.before(context_.offset(a), fixed(0), context_.offset(b))});
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
    context_.poll.look();
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
      if (members_[class_[a]] == 1 && members_[class_[b]] == 1 &&
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
  std::vector<BufferIndex> class_;                 ///< the first buffer like this one
  std::vector<std::size_t> members_;               ///< per class
  std::vector<std::vector<std::size_t>> related_;  ///< relations a buffer is in
};

}  // namespace

void add_symmetry(Context& context) {
  Symmetry(context).run();
}

}  // namespace tessera::encoder
