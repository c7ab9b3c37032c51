// Implied clauses from two steps and a buffer that is live at both.
//
// Let buffer i be live at two steps, and let C be the other buffers live at both. Let P be some
// buffers that are live at the second step only and lie below i. Let Q be some that are live at the
// first step only and lie above i. P and Q do not overlap, because i lies between them; C overlaps
// neither. The sum of all sizes is therefore at most the capacity. Otherwise the orders of P below
// i and Q above i cannot all be true. Chains of orders imply this only once C is ordered. Depends
// on the numbers of the problem; applies to memories with one address range.
#include <algorithm>
#include <iterator>
#include <map>

#include "layers.h"

namespace tessera::encoder {
namespace {

constexpr std::size_t most_apart = 10;    // buffers that are live at only one of the two steps
constexpr std::size_t largest_cover = 4;  // orders in a clause
constexpr std::size_t most_clauses = 30'000;

using Set = std::vector<BufferIndex>;

class Balance {
 public:
  explicit Balance(Context& context) : context_(context), problem_(context.problem) {}

  std::vector<Cover> run() {
    for (MemoryIndex m = 0; m < problem_.memories.size(); ++m) {
      if (problem_.memories[m].capacity >= max_address) continue;
      const std::vector<Set> sets = sets_of(m);
      for (std::size_t s = 0; s < sets.size(); ++s) {
        for (std::size_t t = s + 1; t < sets.size() && pair(m, sets[s], sets[t]); ++t) {
        }
      }
    }
    return std::move(covers_);
  }

 private:
  struct Term {
    BufferIndex buffer;
    Size size;
    Lit refused;  ///< the negated order
  };

  /// Maximal sets of buffers that are live together in m, tied to m and without parts.
  [[nodiscard]] std::vector<Set> sets_of(MemoryIndex m) const {
    std::vector<char> plain(problem_.buffers.size(), 0);
    for (BufferIndex b = 0; b < plain.size(); ++b) {
      const Buffer& buffer = problem_.buffers[b];
      plain[b] = buffer.gaps.empty() && !has_parts(buffer) && context_.in(b, m) == true_lit ? 1 : 0;
    }
    for (const auto& [a, b] : exempt_pairs(problem_)) plain[a] = plain[b] = 0;
    std::map<Step, std::pair<Set, Set>> events;  // buffers that begin, buffers that end
    for (BufferIndex b = 0; b < plain.size(); ++b) {
      if (plain[b] == 0) continue;
      for (const StepRange& live : problem_.buffers[b].live) {
        events[live.lower].first.push_back(b);
        events[live.upper].second.push_back(b);
      }
    }
    std::vector<Set> sets;
    Set live;
    bool grew = false;
    for (const auto& [step, event] : events) {
      if (grew && !event.second.empty()) {
        sets.push_back(live);
        std::sort(sets.back().begin(), sets.back().end());
        grew = false;
      }
      for (const BufferIndex b : event.second) live.erase(std::find(live.begin(), live.end(), b));
      live.insert(live.end(), event.first.begin(), event.first.end());
      grew = grew || !event.first.empty();
    }
    return sets;
  }

  /// False: sets further apart yield no more clauses.
  bool pair(MemoryIndex m, const Set& s, const Set& t) {
    context_.poll(static_cast<std::int64_t>(s.size() + t.size()));
    Set shared;
    Set only_s;
    Set only_t;
    std::set_intersection(s.begin(), s.end(), t.begin(), t.end(), std::back_inserter(shared));
    if (shared.empty() || s.size() - shared.size() > most_apart || covers_.size() > most_clauses)
      return false;
    if (s.size() + t.size() - 2 * shared.size() > most_apart) return true;
    std::set_difference(s.begin(), s.end(), t.begin(), t.end(), std::back_inserter(only_s));
    std::set_difference(t.begin(), t.end(), s.begin(), s.end(), std::back_inserter(only_t));
    Size room = problem_.memories[m].capacity;
    for (const BufferIndex b : shared) room -= problem_.buffers[b].size;
    for (const BufferIndex i : shared) {
      context_.poll(8);
      memory_ = m;
      shared_ = &shared;
      covers(i, room, only_s, only_t);
      covers(i, room, only_t, only_s);
    }
    return true;
  }

  void covers(BufferIndex i, Size room, const Set& below, const Set& above) {
    terms_.clear();
    Size all = 0;
    for (const BufferIndex each : below) all += problem_.buffers[each].size;
    for (const BufferIndex each : above) all += problem_.buffers[each].size;
    if (all <= room) return;
    for (const BufferIndex p : below) terms_.push_back({p, problem_.buffers[p].size, -order(p, i)});
    for (const BufferIndex q : above) terms_.push_back({q, problem_.buffers[q].size, -order(i, q)});
    std::stable_sort(terms_.begin(), terms_.end(),
                     [](const Term& x, const Term& y) { return x.size > y.size; });
    chosen_.clear();
    choose(0, room);
  }

  /// Enumerates the sets of terms from `from` on that exceed the remaining capacity only by their
  /// last term; terms are in descending order.
  void choose(std::size_t from, Size room) {
    for (std::size_t k = from; k < terms_.size() && covers_.size() <= most_clauses; ++k) {
      chosen_.push_back(&terms_[k]);
      if (terms_[k].size > room) {
        keep();
      } else if (chosen_.size() < largest_cover) {
        choose(k + 1, room - terms_[k].size);
      }
      chosen_.pop_back();
    }
  }

  void keep() {
    Cover& cover =
        covers_.emplace_back(Cover{.memory = memory_, .buffers = *shared_, .clause = {}});
    for (const Term* term : chosen_) {
      cover.buffers.push_back(term->buffer);
      cover.clause.push_back(term->refused);
    }
  }

  /// a lies below b.
  [[nodiscard]] Lit order(BufferIndex a, BufferIndex b) {
    return context_.formula.before(context_.offset(a), whole_separation(a, b).first_below,
                                   context_.offset(b));
  }

  Context& context_;
  const PlacementProblem& problem_;
  std::vector<Term> terms_;
  std::vector<const Term*> chosen_;
  MemoryIndex memory_ = 0;
  const Set* shared_ = nullptr;  ///< the buffers that are live at both steps
  std::vector<Cover> covers_;
};

}  // namespace

std::vector<Cover> balance_covers(Context& context) {
  return Balance(context).run();
}

}  // namespace tessera::encoder
