#include "search/partition/ahead.h"

#include <algorithm>
#include <limits>
#include <new>
#include <system_error>

namespace tessera::search {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();
/// So many runs that were looked at wait to be asked about: each keeps the tiles that were found.
constexpr std::size_t most_ahead = 512;
/// Where a path takes longer than that, finding out what may come next takes too long as well.
constexpr std::size_t most_runs = 200'000;

}  // namespace

Ahead::Ahead(const RunKinds& kinds, std::size_t ops, BoundOf bound, Make make, int helpers,
             SharedWork* inner)
    : kinds_(kinds),
      ops_(ops),
      bound_(std::move(bound)),
      make_(std::move(make)),
      helpers_(helpers),
      inner_(inner != nullptr ? *inner : nobodys_) {
  std::size_t runs = 0;
  for (std::size_t first = 0; first < ops; ++first) runs += kinds.from(first).size();
  predicts_ = runs <= most_runs;
}

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

void Ahead::see_all(const std::vector<double>& costs, std::vector<int> efforts, std::int64_t cap) {
  const std::lock_guard guard(lock_);
  costs_ = costs;
  efforts_ = std::move(efforts);
  cap_ = cap;
  for (const auto& [kind, candidate] : made_)
    if (candidate) count_as_known(kind, *candidate);
  for (const std::uint32_t kind : at_work_) costs_[kind] = never;
  ++version_;
}

void Ahead::see(std::uint32_t kind, double cost, int effort) {
  const std::lock_guard guard(lock_);
  made_.erase(kind);
  if (costs_.empty()) return;
  costs_[kind] = cost;
  efforts_[kind] = effort;
  ++version_;
}

void Ahead::ask(const std::vector<std::uint32_t>& list) {
  {
    const std::lock_guard guard(lock_);
    asked_ = list;
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
  if (!costs_.empty() && !made_.contains(kind)) costs_[kind] = never;
  return true;
}

void Ahead::wait_for(std::uint32_t kind) {
  inner_.help_until([&] {
    const std::lock_guard guard(lock_);
    return !at_work(kind);
  });
}

void Ahead::wait_for_more(std::unique_lock<std::mutex>& guard) {
  const std::int64_t before = calls_;
  guard.unlock();
  inner_.help_until([&] {
    const std::lock_guard again(lock_);
    return calls_ != before;
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
  return std::ranges::find(at_work_, kind) != at_work_.end();
}

void Ahead::help() {
  std::unique_lock guard(lock_);
  while (!ends_) {
    std::optional<Task> task;
    try {
      task = next_task();
      if (task) at_work_.reserve(at_work_.size() + 1);
    } catch (const std::bad_alloc&) {
      return;  // what is left of the memory is for whoever searches
    }
    if (!task) {
      wait_for_more(guard);
      continue;
    }
    const auto [kind, effort] = *task;
    at_work_.push_back(kind);  // there is room
    if (!costs_.empty()) costs_[kind] = never;
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
      if (candidate && !costs_.empty()) count_as_known(kind, *candidate);
      made_[kind] = std::move(candidate);
    } catch (const std::bad_alloc&) {
      goes_on = false;
    }
    ++version_;
    guard.unlock();
    inner_.wake();  // whoever waits for this kind
    if (!goes_on) return;
    guard.lock();
  }
}

void Ahead::count_as_known(std::uint32_t kind, const CoverCandidate& candidate) {
  const CoverBound& bound = bound_(kind);
  const bool open = hopeful(candidate, bound, cap_);
  costs_[kind] = open ? open_cost(candidate, bound) : option_cost(candidate, cap_);
  efforts_[kind] = settled;
}

std::optional<Ahead::Task> Ahead::next_task() {
  while (!asked_.empty()) {
    const std::uint32_t kind = asked_.back();
    asked_.pop_back();
    if (!at_work(kind) && !made_.contains(kind) && !efforts_.empty())
      return Task{kind, efforts_[kind]};
  }
  if (version_ == nothing_at_ || made_.size() >= most_ahead || !predicts_) return std::nullopt;
  const std::optional<Task> task = predicted();
  if (!task) nothing_at_ = version_;
  return task;
}

std::optional<Ahead::Task> Ahead::predicted() {
  if (costs_.empty()) return std::nullopt;
  shortest_paths(kinds_, ops_, costs_, nodes_);
  if (nodes_[ops_].cost == never) return std::nullopt;
  std::optional<Task> open;
  for (std::size_t end = ops_; end > 0; end = nodes_[end].from) {
    const std::uint32_t kind = kinds_.of(nodes_[end].from, end - 1);
    const int effort = efforts_[kind];
    if (effort == settled || made_.contains(kind)) continue;
    if (effort == 0) return Task{kind, effort};
    open = Task{kind, effort};
  }
  return open;
}

}  // namespace tessera::search
