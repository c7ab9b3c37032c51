// What two steps say together about a buffer that lives at both.
//
// Let buffer i live at two steps, C the others that do, P some that live at the second step only
// and lie below i, Q some of the first step only that lie above i. P and Q are apart because i lies
// between them, C from both, so the sizes of all of them add up to no more than the capacity: the
// orders of P below i and Q above i cannot all be true if they do not. Says what chains of orders
// say only once C is ordered. Needs the numbers of the problem; for memories of one address range.
#include <algorithm>
#include <iterator>
#include <map>

#include "layers.h"

namespace tessera::encoder {
namespace {

constexpr std::size_t most_apart = 10;    // buffers that live at one of two steps only
constexpr std::size_t largest_cover = 4;  // orders in a clause
constexpr std::size_t most_clauses = 30'000;

using Set = std::vector<BufferIndex>;

class Balance {
 public:
  explicit Balance(Context& context) : context_(context), problem_(context.problem) {}

  void run() {
    for (MemoryIndex m = 0; m < problem_.memories.size(); ++m) {
      if (problem_.memories[m].capacity >= max_address) continue;
      const std::vector<Set> sets = sets_of(m);
      for (std::size_t s = 0; s < sets.size(); ++s) {
        for (std::size_t t = s + 1; t < sets.size() && pair(m, sets[s], sets[t]); ++t) {
        }
      }
    }
  }

 private:
  struct Term {
    Size size;
    Lit refused;  ///< the negated order
  };

  /// Who lives together in m, for good and as a whole; largest sets only.
  [[nodiscard]] std::vector<Set> sets_of(MemoryIndex m) const {
    std::vector<char> plain(problem_.buffers.size(), 0);
    for (BufferIndex b = 0; b < plain.size(); ++b) {
      const Buffer& buffer = problem_.buffers[b];
      plain[b] = buffer.gaps.empty() && !has_parts(buffer) && context_.in(b, m) == true_lit ? 1 : 0;
    }
    for (const auto& [a, b] : exempt_pairs(problem_)) plain[a] = plain[b] = 0;
    std::map<Step, std::pair<Set, Set>> events;  // who begins, who ends
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

  /// False: sets further apart have nothing to add.
  bool pair(MemoryIndex m, const Set& s, const Set& t) {
    context_.poll(static_cast<std::int64_t>(s.size() + t.size()));
    Set shared;
    Set only_s;
    Set only_t;
    std::set_intersection(s.begin(), s.end(), t.begin(), t.end(), std::back_inserter(shared));
    if (shared.empty() || s.size() - shared.size() > most_apart || clauses_ > most_clauses)
      return false;
    if (s.size() + t.size() - 2 * shared.size() > most_apart) return true;
    std::set_difference(s.begin(), s.end(), t.begin(), t.end(), std::back_inserter(only_s));
    std::set_difference(t.begin(), t.end(), s.begin(), s.end(), std::back_inserter(only_t));
    Size room = problem_.memories[m].capacity;
    for (const BufferIndex b : shared) room -= problem_.buffers[b].size;
    for (const BufferIndex i : shared) {
      context_.poll(8);
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
    for (const BufferIndex p : below) terms_.push_back({problem_.buffers[p].size, -order(p, i)});
    for (const BufferIndex q : above) terms_.push_back({problem_.buffers[q].size, -order(i, q)});
    std::stable_sort(terms_.begin(), terms_.end(),
                     [](const Term& x, const Term& y) { return x.size > y.size; });
    chosen_.clear();
    choose(0, room);
  }

  /// Every set of terms from `from` on that is just too large for what room is left: the largest
  /// come first, so it is too large only by its last one.
  void choose(std::size_t from, Size room) {
    for (std::size_t k = from; k < terms_.size() && clauses_ <= most_clauses; ++k) {
      chosen_.push_back(terms_[k].refused);
      if (terms_[k].size > room) {
        context_.formula.tautology(chosen_);
        ++clauses_;
      } else if (chosen_.size() < largest_cover) {
        choose(k + 1, room - terms_[k].size);
      }
      chosen_.pop_back();
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
  std::vector<Lit> chosen_;
  std::size_t clauses_ = 0;
};

}  // namespace

void add_balance(Context& context) {
  Balance(context).run();
}

}  // namespace tessera::encoder
