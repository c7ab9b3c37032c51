#include "search/partition/speculation.h"

#include <algorithm>
#include <new>
#include <system_error>

#include "model/numeric.h"

namespace tessera::search {
namespace {

/// Limit on results that wait for the search; each holds the tiles found.
constexpr std::size_t most_waiting = 4096;
/// A prediction must be fast; these limit it for long paths and for many rounds.
constexpr std::size_t most_runs = 200'000;
constexpr std::size_t most_runs_of_rounds = 50'000;
constexpr std::size_t most_rounds = 32;

int rounds_per_prediction(const RunKinds& kinds, std::size_t ops) {
  std::size_t runs = 1;
  for (std::size_t first = 0; first < ops; ++first) runs += kinds.from(first).size();
  if (runs > most_runs) return 0;
  return static_cast<int>(std::clamp<std::size_t>(most_runs_of_rounds / runs, 1, most_rounds));
}

bool is_in(const std::vector<std::uint32_t>& list, std::uint32_t kind) {
  return std::ranges::find(list, kind) != list.end();
}

}  // namespace

Speculation::Speculation(const RunKinds& kinds, std::size_t ops,
                         const std::vector<CoverKind>& known, Make make, int helpers,
                         SharedWork* inner)
    : kinds_(kinds),
      ops_(ops),
      known_(known),
      make_(std::move(make)),
      helpers_(helpers),
      most_rounds_(rounds_per_prediction(kinds, ops)),
      inner_(inner != nullptr ? *inner : own_shared_) {}

Speculation::~Speculation() {
  end();
}

void Speculation::end() {
  {
    const std::lock_guard guard(lock_);
    ends_ = true;
    ++calls_;
  }
  inner_.wake();
}

void Speculation::set_intervals(std::vector<PeakInterval> intervals, double best, PeakPrice price) {
  const std::lock_guard guard(lock_);
  intervals_ = std::move(intervals);
  best_ = best;
  price_ = price;
  ++version_;
}

void Speculation::request(const std::vector<std::uint32_t>& list) {
  {
    const std::lock_guard guard(lock_);
    asked_ = list;
    claimed_.clear();
    ++version_;
    ++calls_;
    if (threads_.empty()) start();
  }
  inner_.wake();
}

bool Speculation::claim(std::uint32_t kind) {
  const std::lock_guard guard(lock_);
  if (at_work(kind)) return false;
  std::erase(asked_, kind);
  claimed_.push_back(kind);
  return true;
}

void Speculation::wait_for(std::uint32_t kind) {
  Guard guard(lock_);
  while (at_work(kind))
    if (!evaluate_one(guard)) wait_until([&] { return !at_work(kind); }, guard);
}

bool Speculation::evaluate_one() {
  Guard guard(lock_);
  return evaluate_one(guard);
}

bool Speculation::evaluate_one(Guard& guard) {
  const std::optional<Task> task = next_task();
  return task && work(*task, guard);
}

template <typename Done>
void Speculation::wait_until(const Done& done, Guard& guard) {
  guard.unlock();
  inner_.help_until([&] {
    const std::lock_guard again(lock_);
    return done();
  });
  guard.lock();
}

void Speculation::start() {
  try {
    for (int k = 0; k < helpers_; ++k) threads_.emplace_back([this] { serve(); });
  } catch (const std::system_error&) {  // no more threads
  } catch (const std::bad_alloc&) {
  }
}

bool Speculation::at_work(std::uint32_t kind) const {
  return is_in(at_work_, kind);
}

bool Speculation::in_progress(std::uint32_t kind) const {
  return at_work(kind) || (is_in(claimed_, kind) && !made_.contains(kind));
}

void Speculation::serve() {
  Guard guard(lock_);
  while (!ends_) {
    std::optional<Task> task;
    try {
      task = next_task();
    } catch (const std::bad_alloc&) {
      return;  // the remaining memory is for the search
    }
    if (!task)
      wait_until([this, before = calls_] { return calls_ != before; }, guard);
    else if (!work(*task, guard))
      return;
  }
}

bool Speculation::work(Task task, Guard& guard) {
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
  } catch (...) {  // evaluate() will run into the same error
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
  inner_.wake();  // threads that wait for this kind
  guard.lock();
  return goes_on;
}

std::optional<Speculation::Task> Speculation::next_task() {
  while (!asked_.empty()) {
    const std::uint32_t kind = asked_.back();
    asked_.pop_back();
    if (!at_work(kind) && !made_.contains(kind)) return Task{kind, known_[kind].effort};
  }
  if (version_ == nothing_at_ || made_.size() >= most_waiting) return std::nullopt;
  std::optional<Task> task = predicted(Assumption::useless);
  if (!task) task = predicted(Assumption::as_bounded);
  if (!task) nothing_at_ = version_;
  return task;
}

CoverOption Speculation::promised_of(std::uint32_t kind, std::int64_t cap) const {
  const CoverKind& known = known_[kind];
  const auto made = made_.find(kind);
  return made != made_.end() && made->second
             ? promised(*made->second, known.bound, known.given_up, cap)
             : promised(known, cap);
}

void Speculation::changed(std::uint32_t kind) {
  ++version_;
  if (!now_.empty()) now_[kind] = promised_of(kind, now_cap_).cost;
}

void Speculation::predict_paths(Assumption assumption, std::int64_t cap, bool soon) {
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
  if (assumption == Assumption::useless) {
    for (const auto& [kind, candidate] : made_)
      if (!candidate) costs_[kind] = infinity;
    for (const auto* list : {&at_work_, &claimed_})
      for (const std::uint32_t kind : *list)
        if (in_progress(kind)) costs_[kind] = infinity;
  }
  shortest_paths(kinds_, ops_, costs_, nodes_);
}

/// Continues as the search would.
std::optional<Speculation::Task> Speculation::predicted(Assumption assumption) {
  open_ = intervals_;
  double best = best_;
  for (int round = 0; round < most_rounds_ && !open_.empty(); ++round) {
    PeakInterval now = take_next(open_);
    if (now.bound >= best) break;
    predict_paths(assumption, now.hi, round == 0);
    const double cost = nodes_[ops_].cost;
    if (cost == infinity) continue;
    now.bound = std::max(now.bound, price_.with(cost, std::max(now.lo + 1, price_.floor)));
    if (now.bound >= best) continue;
    std::optional<Task> open;
    std::int64_t peak = 0;
    for (std::size_t end = ops_; end > 0; end = nodes_[end].from) {
      const std::uint32_t kind = kinds_.of(nodes_[end].from, end - 1);
      peak = std::max(peak, promised_of(kind, now.hi).peak);
      if (made_.contains(kind) || in_progress(kind)) continue;
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
