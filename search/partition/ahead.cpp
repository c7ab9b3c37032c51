#include "search/partition/ahead.h"

#include <algorithm>
#include <limits>
#include <new>
#include <system_error>

namespace tessera::search {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();
/// So many runs that were looked at wait to be asked about: each keeps the tiles that were found.
constexpr std::size_t most_ahead = 4096;
/// Finding out what may come next must not take long, which it does where a path takes long, or all
/// the paths of many rounds.
constexpr std::size_t most_runs = 200'000;
constexpr std::size_t most_runs_of_rounds = 50'000;
constexpr std::size_t most_rounds = 32;

int rounds_of_a_guess(const RunKinds& kinds, std::size_t ops) {
  std::size_t runs = 1;
  for (std::size_t first = 0; first < ops; ++first) runs += kinds.from(first).size();
  if (runs > most_runs) return 0;
  return static_cast<int>(std::clamp<std::size_t>(most_runs_of_rounds / runs, 1, most_rounds));
}

bool is_in(const std::vector<std::uint32_t>& list, std::uint32_t kind) {
  return std::ranges::find(list, kind) != list.end();
}

}  // namespace

Ahead::Ahead(const RunKinds& kinds, std::size_t ops, const std::vector<CoverKind>& known, Make make,
             int helpers, SharedWork* inner)
    : kinds_(kinds),
      ops_(ops),
      known_(known),
      make_(std::move(make)),
      helpers_(helpers),
      most_rounds_(rounds_of_a_guess(kinds, ops)),
      inner_(inner != nullptr ? *inner : nobodys_) {}

Ahead::~Ahead() {
  end();
}

void Ahead::end() {
  {
    const std::lock_guard guard(lock_);
    ends_ = true;
    ++calls_;
  }
  inner_.wake();
}

void Ahead::see_intervals(std::vector<PeakInterval> intervals, double best, PeakPrice price) {
  const std::lock_guard guard(lock_);
  intervals_ = std::move(intervals);
  best_ = best;
  price_ = price;
  ++version_;
}

void Ahead::ask(const std::vector<std::uint32_t>& list) {
  {
    const std::lock_guard guard(lock_);
    asked_ = list;
    taken_.clear();
    ++version_;
    ++calls_;
    if (threads_.empty()) start();
  }
  inner_.wake();
}

bool Ahead::take(std::uint32_t kind) {
  const std::lock_guard guard(lock_);
  if (at_work(kind)) return false;
  std::erase(asked_, kind);
  taken_.push_back(kind);
  return true;
}

void Ahead::wait_for(std::uint32_t kind) {
  Guard guard(lock_);
  while (at_work(kind))
    if (!look(guard)) wait_until([&] { return !at_work(kind); }, guard);
}

bool Ahead::look() {
  Guard guard(lock_);
  return look(guard);
}

bool Ahead::look(Guard& guard) {
  const std::optional<Task> task = next_task();
  return task && work(*task, guard);
}

template <typename Done>
void Ahead::wait_until(const Done& done, Guard& guard) {
  guard.unlock();
  inner_.help_until([&] {
    const std::lock_guard again(lock_);
    return done();
  });
  guard.lock();
}

void Ahead::start() {
  try {
    for (int k = 0; k < helpers_; ++k) threads_.emplace_back([this] { help(); });
  } catch (const std::system_error&) {  // no more threads
  } catch (const std::bad_alloc&) {
  }
}

bool Ahead::at_work(std::uint32_t kind) const {
  return is_in(at_work_, kind);
}

bool Ahead::somebody_is_at(std::uint32_t kind) const {
  return at_work(kind) || (is_in(taken_, kind) && !made_.contains(kind));
}

void Ahead::help() {
  Guard guard(lock_);
  while (!ends_) {
    std::optional<Task> task;
    try {
      task = next_task();
    } catch (const std::bad_alloc&) {
      return;  // what is left of the memory is for whoever searches
    }
    if (!task)
      wait_until([this, before = calls_] { return calls_ != before; }, guard);
    else if (!work(*task, guard))
      return;
  }
}

bool Ahead::work(Task task, Guard& guard) {
  const auto [kind, effort] = task;
  try {
    at_work_.push_back(kind);
  } catch (const std::bad_alloc&) {
    return false;
  }
  guard.unlock();
  std::optional<CoverCandidate> candidate;
  try {
    candidate = make_(kind, effort);
  } catch (...) {  // whoever asks will meet the same
  }
  guard.lock();
  std::erase(at_work_, kind);
  bool goes_on = true;
  try {
    made_[kind] = std::move(candidate);
  } catch (const std::bad_alloc&) {
    goes_on = false;
  }
  changed(kind);
  guard.unlock();
  inner_.wake();  // whoever waits for this kind
  guard.lock();
  return goes_on;
}

std::optional<Ahead::Task> Ahead::next_task() {
  while (!asked_.empty()) {
    const std::uint32_t kind = asked_.back();
    asked_.pop_back();
    if (!at_work(kind) && !made_.contains(kind)) return Task{kind, known_[kind].effort};
  }
  if (version_ == nothing_at_ || made_.size() >= most_ahead) return std::nullopt;
  std::optional<Task> task = predicted(Guess::no_good);
  if (!task) task = predicted(Guess::as_bounded);
  if (!task) nothing_at_ = version_;
  return task;
}

CoverOption Ahead::promised_of(std::uint32_t kind, std::int64_t cap) const {
  const CoverKind& known = known_[kind];
  const auto made = made_.find(kind);
  return made != made_.end() && made->second
             ? promised(*made->second, known.bound, known.given_up, cap)
             : promised(known, cap);
}

void Ahead::changed(std::uint32_t kind) {
  ++version_;
  if (!now_.empty()) now_[kind] = promised_of(kind, now_cap_).cost;
}

void Ahead::guess_paths(Guess guess, std::int64_t cap, bool soon) {
  const auto find_costs = [&](std::vector<double>& costs) {
    costs.resize(known_.size());
    std::ranges::transform(known_, costs.begin(),
                           [&](const CoverKind& kind) { return promised(kind, cap).cost; });
    for (const auto& [kind, candidate] : made_) costs[kind] = promised_of(kind, cap).cost;
  };
  if (soon && cap != now_cap_) {
    find_costs(now_);
    now_cap_ = cap;
  }
  if (cap == now_cap_)
    costs_ = now_;
  else
    find_costs(costs_);
  if (guess == Guess::no_good) {
    for (const auto& [kind, candidate] : made_)
      if (!candidate) costs_[kind] = never;
    for (const auto* list : {&at_work_, &taken_})
      for (const std::uint32_t kind : *list)
        if (somebody_is_at(kind)) costs_[kind] = never;
  }
  shortest_paths(kinds_, ops_, costs_, nodes_);
}

/// Goes on as the search would.
std::optional<Ahead::Task> Ahead::predicted(Guess guess) {
  open_ = intervals_;
  double best = best_;
  for (int round = 0; round < most_rounds_ && !open_.empty(); ++round) {
    PeakInterval now = take_next(open_);
    if (now.bound >= best) break;
    guess_paths(guess, now.hi, round == 0);
    const double cost = nodes_[ops_].cost;
    if (cost == never) continue;
    now.bound = std::max(now.bound, price_.with(cost, std::max(now.lo + 1, price_.floor)));
    if (now.bound >= best) continue;
    std::optional<Task> open;
    std::int64_t peak = 0;
    for (std::size_t end = ops_; end > 0; end = nodes_[end].from) {
      const std::uint32_t kind = kinds_.of(nodes_[end].from, end - 1);
      peak = std::max(peak, promised_of(kind, now.hi).peak);
      if (made_.contains(kind) || somebody_is_at(kind)) continue;
      const std::optional<int> effort = next_effort(known_[kind], now.hi);
      if (effort == 0) return Task{kind, *effort};
      if (effort) open = Task{kind, *effort};
    }
    if (open) return open;
    best = std::min(best, price_.with(cost, peak));
    add_lower(now, cost, peak, best, price_, open_);
  }
  return std::nullopt;
}

}  // namespace tessera::search
