#include "engine/race.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <new>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "engine/goal.h"
#include "engine/virtual_time.h"
#include "model/numeric.h"

namespace tessera::engine {

namespace {

/// State of one contender. Its own thread writes `found` before it sets `finished`.
struct Lane {
  WorkMeter meter;
  std::stop_source stop;
  SearchResult found;
  double finish = infinity;  ///< virtual time of its placement
  bool finished = false;
  std::exception_ptr error;
};

void add_sentence(SearchResult& found, const std::string& sentence) {
  if (sentence.empty()) return;
  found.reason += (found.reason.empty() ? "" : " ") + sentence;
}

double worked(const Lane& lane, const Contender& contender) {
  return static_cast<double>(lane.meter.done.load()) * contender.ns_per_unit;
}

bool ran_out_of_memory(const Lane& lane) {
  return lane.found.status == Status::unknown && lane.found.stop == StopReason::memory_limit;
}

/// Is the placement of one lane preferred over another's? For a fit, the earliest is. Otherwise the
/// cheapest is, and among equal ones one that is proved optimal, since a limit may have ended the
/// others.
bool better(const Lane& one, const Lane& other, const PlacementProblem& problem, Objective goal) {
  if (goal != Objective::fit) {
    const Cost pays = goal_value(problem, *one.found.placement, goal);
    const Cost other_pays = goal_value(problem, *other.found.placement, goal);
    if (pays != other_pays) return pays < other_pays;
    const bool proved = one.found.stop == StopReason::completed;
    if (proved != (other.found.stop == StopReason::completed)) return proved;
  }
  return one.finish < other.finish;
}

/// The result of a finished race: a refutation if there is one, else the best placement, else the
/// result of the first contender that did not run out of memory. A bound proved by one contender
/// applies to the placement of another.
RaceResult judge(std::vector<Lane>& lanes, const PlacementProblem& problem, Objective goal) {
  std::size_t winner = 0;
  while (winner + 1 < lanes.size() && ran_out_of_memory(lanes[winner])) ++winner;
  if (ran_out_of_memory(lanes[winner])) winner = 0;
  bool placed = false;
  bool refuted = false;
  Cost bound = 0;
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    bound = std::max(bound, lanes[i].found.bound);
    if (lanes[i].found.status == Status::infeasible && !refuted) {
      winner = i;
      refuted = true;
    }
    if (!refuted && lanes[i].found.status == Status::feasible && lanes[i].finish < infinity &&
        (!placed || better(lanes[i], lanes[winner], problem, goal))) {
      winner = i;
      placed = true;
    }
  }
  RaceResult won{std::move(lanes[winner].found), winner};
  if (goal != Objective::fit && !refuted) won.found.bound = bound;
  for (std::size_t i = 0; i < lanes.size(); ++i)
    if (i != winner && ran_out_of_memory(lanes[i])) add_sentence(won.found, lanes[i].found.reason);
  return won;
}

/// Lets one lane work at a time: the one with the least virtual time. Therefore the order of events
/// equals that of a concurrent race.
class Turns {
 public:
  explicit Turns(const std::vector<Contender>& contenders) : active_(contenders.size(), 1) {
    for (const Contender& each : contenders) time_.push_back(each.begins_at);
  }

  void wait_for(std::size_t lane) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return current_ == lane; });
  }
  /// The lane is at `now`. Is another lane behind it?
  [[nodiscard]] bool others_first(std::size_t lane, double now) {
    const std::lock_guard lock(mutex_);
    time_[lane] = now;
    return least() != lane;
  }
  void pass(std::size_t lane) {
    std::unique_lock lock(mutex_);
    hand_on();
    changed_.wait(lock, [&] { return current_ == lane; });
  }
  void leave(std::size_t lane) {
    const std::lock_guard lock(mutex_);
    active_[lane] = 0;
    if (current_ == lane) hand_on();
  }

 private:
  /// The lane with the least virtual time; among equals the next one.
  [[nodiscard]] std::size_t least() const {
    std::size_t found = current_;
    for (std::size_t step = 1; step <= active_.size(); ++step) {
      const std::size_t next = (current_ + step) % active_.size();
      if (active_[next] != 0 && (active_[found] == 0 || time_[next] < time_[found])) found = next;
    }
    return found;
  }
  void hand_on() {
    current_ = least();
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<char> active_;
  std::vector<double> time_;
  std::size_t current_ = 0;
};

/// Starts the threads of the later contenders once, when the first contender signals it.
class DelayedStart {
 public:
  explicit DelayedStart(std::function<void()> open) : open_(std::move(open)) {}
  void now() {
    if (const auto open = std::exchange(open_, {})) open();
  }

 private:
  std::function<void()> open_;
};

/// Passes the baton of one lane.
class TurnBaton final : public Baton {
 public:
  TurnBaton(Turns& turns, DelayedStart& start, std::size_t lane, const WorkMeter& meter,
            const Contender& contender)
      : turns_(turns),
        start_(start),
        lane_(lane),
        meter_(meter),
        begins_at_(contender.begins_at),
        ns_per_unit_(contender.ns_per_unit),
        until_(begins_at_ + slice) {}
  void pass() override {
    if (now() < until_) return;
    if (turns_.others_first(lane_, now())) {
      if (lane_ == 0) start_.now();
      turns_.pass(lane_);
    }
    until_ = now() + slice;
  }

 private:
  static constexpr double slice = 4e6;
  [[nodiscard]] double now() const {
    return begins_at_ +
           static_cast<double>(meter_.done.load(std::memory_order_relaxed)) * ns_per_unit_;
  }

  Turns& turns_;
  DelayedStart& start_;
  std::size_t lane_;
  const WorkMeter& meter_;
  double begins_at_;
  double ns_per_unit_;
  double until_;
};

/// For concurrent lanes: starts the later contenders when the first one reaches their start time.
/// Most races end earlier, and proofs have to wait until the later contenders' models are built.
class DelayBaton final : public Baton {
 public:
  DelayBaton(DelayedStart& start, const WorkMeter& meter, const std::vector<Contender>& contenders,
             Baton* outer)
      : start_(start), meter_(meter), ns_per_unit_(contenders[0].ns_per_unit), outer_(outer) {
    for (const Contender& each : contenders)
      if (&each != &contenders[0]) until_ = std::min(until_, each.begins_at);
  }
  void pass() override {
    const auto done = static_cast<double>(meter_.done.load(std::memory_order_relaxed));
    if (done * ns_per_unit_ >= until_) start_.now();
    if (outer_ != nullptr) outer_->pass();
  }
  [[nodiscard]] bool over() const { return until_ <= 0 || ns_per_unit_ <= 0; }

 private:
  DelayedStart& start_;
  const WorkMeter& meter_;
  double ns_per_unit_;
  Baton* outer_;
  double until_ = infinity;
};

/// Each contender in its own thread; `alternate`: only one of them works at a time.
class SideBySide {
 public:
  SideBySide(const PlacementProblem& problem, const std::vector<Contender>& contenders,
             const SearchParams& params, bool alternate)
      : problem_(problem),
        contenders_(contenders),
        params_(params),
        alternate_(alternate),
        lanes_(contenders.size()),
        turns_(contenders),
        start_([this] { begin_others(); }),
        patience_(start_, lanes_[0].meter, contenders, params.budget.baton) {
    for (std::size_t i = 0; alternate && i < contenders.size(); ++i)
      seats_.emplace_back(turns_, start_, i, lanes_[i].meter, contenders[i]);
    threads_.reserve(contenders.size());
  }

  RaceResult decide() {
    const std::stop_callback forward(params_.budget.stop, [this] { stop_all(); });
    if (!alternate_ && patience_.over()) start_.now();
    run(0, alternate_ ? static_cast<Baton*>(&seats_[0]) : &patience_);
    start_.now();
    threads_.clear();  // waits for them
    for (Lane& lane : lanes_)
      if (lane.error) std::rethrow_exception(lane.error);
    return judge(lanes_, problem_, params_.goal);
  }

 private:
  void begin_others() {
    for (std::size_t i = 1; i < contenders_.size(); ++i) {
      if (decided(i)) {  // without this lane's result
        if (alternate_) turns_.leave(i);
        continue;
      }
      Baton* const baton = alternate_ ? &seats_[i] : params_.budget.baton;
      try {
        threads_.emplace_back([this, i, baton] { run(i, baton); });
      } catch (const std::system_error&) {
        not_begun(i);
      } catch (const std::bad_alloc&) {
        not_begun(i);
      }
    }
  }

  [[nodiscard]] bool decided(std::size_t i) {
    const std::lock_guard lock(mutex_);
    return lanes_[i].meter.limit.load() <= 0 || lanes_[i].stop.stop_requested();
  }

  void run(std::size_t mine, Baton* baton) {
    Lane& lane = lanes_[mine];
    if (alternate_) turns_.wait_for(mine);
    if (lane.meter.limit.load() > 0) try {
        SearchParams own = params_;
        own.budget.stop = lane.stop.get_token();
        own.budget.meter = &lane.meter;
        if (baton != nullptr) own.budget.baton = baton;
        lane.found = solve_within_memory(contenders_[mine].engine, problem_, own);
      } catch (...) {
        lane.error = std::current_exception();
      }
    leave(mine);
  }

  /// There was no memory for the thread's stack.
  void not_begun(std::size_t i) {
    lanes_[i].found = out_of_memory(contenders_[i].engine.get().name());
    leave(i);
  }

  /// Updates the limits of the other lanes when this one ends.
  void leave(std::size_t mine) {
    {
      const std::lock_guard lock(mutex_);
      Lane& lane = lanes_[mine];
      lane.finished = true;
      if (lane.error || lane.found.status == Status::infeasible)
        stop_all();
      else if (lane.found.status == Status::feasible)
        limit_others(mine);
    }
    if (alternate_) turns_.leave(mine);
  }

  /// No lane has to search longer than this one did. Called with the mutex held.
  void limit_others(std::size_t mine) {
    Lane& lane = lanes_[mine];
    lane.finish = contenders_[mine].begins_at + worked(lane, contenders_[mine]);
    for (std::size_t j = 0; j < lanes_.size(); ++j) {
      Lane& other = lanes_[j];
      if (j == mine || other.finished) continue;
      const std::int64_t share =
          work_units(lane.finish - contenders_[j].begins_at, contenders_[j].ns_per_unit);
      other.meter.limit.store(std::min(other.meter.limit.load(), share));
      if (contenders_[mine].ns_per_unit <= 0 || contenders_[j].ns_per_unit <= 0)
        other.stop.request_stop();
    }
  }

  void stop_all() {
    for (Lane& lane : lanes_) lane.stop.request_stop();
  }

  const PlacementProblem& problem_;
  const std::vector<Contender>& contenders_;
  const SearchParams& params_;
  const bool alternate_;
  std::vector<Lane> lanes_;
  Turns turns_;
  std::mutex mutex_;  ///< for state that several lanes change
  DelayedStart start_;
  DelayBaton patience_;
  std::deque<TurnBaton> seats_;
  std::vector<std::jthread> threads_;  // last, so that it is destroyed first
};

/// One thread, and a contender that does not count its work, so turns cannot follow virtual time:
/// shares of real time that grow by a factor, each from the start.
RaceResult in_turns(const PlacementProblem& problem, const std::vector<Contender>& contenders,
                    const SearchParams& params) {
  constexpr double first_share = 50e6;
  constexpr double growth = 4;
  for (double share = first_share;; share *= growth) {
    TurnResult turn = take_turns(problem, contenders, params, share);
    if (turn.won.found.status != Status::unknown || !turn.limited || params.budget.exhausted())
      return std::move(turn.won);
  }
}

}  // namespace

SearchResult out_of_memory(std::string_view who) {
  SearchResult found;
  found.stop = StopReason::memory_limit;
  found.reason = "Not enough memory for " + std::string(who) + ".";
  return found;
}

SearchResult solve_within_memory(PlacementEngine& engine, const PlacementProblem& problem,
                                 const SearchParams& params) {
  try {
    return engine.solve(problem, params);
  } catch (const std::bad_alloc&) {
  } catch (const std::system_error& error) {
    if (error.code() != std::errc::resource_unavailable_try_again) throw;
  }
  return out_of_memory(engine.name());
}

TurnResult take_turns(const PlacementProblem& problem, const std::vector<Contender>& contenders,
                      const SearchParams& params, double share_ns) {
  std::vector<Lane> lanes(contenders.size());
  bool limited = false;
  for (std::size_t i = 0; i < contenders.size(); ++i) {
    Lane& lane = lanes[i];
    SearchParams own = params;
    own.budget.meter = &lane.meter;
    lane.meter.limit.store(work_units(share_ns, contenders[i].ns_per_unit));
    lane.found = solve_within_memory(contenders[i].engine, problem, own);
    if (lane.found.status == Status::infeasible) return {{std::move(lane.found), i}, false};
    if (lane.found.status == Status::feasible) {
      lane.finish = worked(lane, contenders[i]);
      share_ns = std::min(share_ns, lane.finish);  // the others need not search any longer
    } else if (lane.found.stop == StopReason::node_limit &&
               lane.meter.done.load() >= lane.meter.limit.load()) {
      limited = true;
    }
    if (params.budget.exhausted()) break;
  }
  return {judge(lanes, problem, params.goal), limited};
}

RaceResult race(const PlacementProblem& problem, const std::vector<Contender>& contenders,
                const SearchParams& params, int threads) {
  if (contenders.size() == 1)
    return {solve_within_memory(contenders[0].engine, problem, params), 0};
  const bool counted = std::all_of(contenders.begin(), contenders.end(),
                                   [](const Contender& each) { return each.ns_per_unit > 0; });
  if (threads < 2 && !counted) return in_turns(problem, contenders, params);
  return SideBySide(problem, contenders, params, threads < 2).decide();
}

}  // namespace tessera::engine
