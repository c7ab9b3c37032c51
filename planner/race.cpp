#include "planner/race.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

namespace tessera {

namespace {

constexpr double never = std::numeric_limits<double>::infinity();

/// Units that correspond to a virtual time, saturated.
std::int64_t units(double virtual_ns, double ns_per_unit) {
  if (ns_per_unit <= 0) return std::numeric_limits<std::int64_t>::max();
  const double value = std::floor(virtual_ns / ns_per_unit) + 1;
  return value < 9.0e18 ? static_cast<std::int64_t>(value)
                        : std::numeric_limits<std::int64_t>::max();
}

/// One contender's state. `found` is written by its own thread before `finished` is set.
struct Lane {
  WorkMeter meter;
  std::stop_source stop;
  SearchResult found;
  double finish = never;  ///< virtual time of its placement
  bool finished = false;
  std::exception_ptr error;
};

double virtual_time(const Lane& lane, const Contender& contender) {
  return static_cast<double>(lane.meter.done.load()) * contender.ns_per_unit;
}

/// The answer of a finished race: a refutation if there is one, else the earliest placement, else
/// the first contender's reason for giving up.
RaceResult judge(std::vector<Lane>& lanes) {
  std::size_t winner = 0;
  double best = never;
  bool refuted = false;
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    if (lanes[i].found.status == Status::infeasible && !refuted) {
      winner = i;
      refuted = true;
    }
    if (!refuted && lanes[i].found.status == Status::feasible && lanes[i].finish < best) {
      winner = i;
      best = lanes[i].finish;
    }
  }
  return {std::move(lanes[winner].found), winner};
}

RaceResult side_by_side(const PlacementProblem& problem, const std::vector<Contender>& contenders,
                        const SearchParams& params) {
  std::vector<Lane> lanes(contenders.size());
  std::mutex mutex;
  const std::stop_callback forward(params.budget.stop, [&lanes] {
    for (Lane& lane : lanes) lane.stop.request_stop();
  });

  const auto after = [&](std::size_t mine) {  // called with the mutex held
    Lane& lane = lanes[mine];
    lane.finished = true;
    if (lane.error || lane.found.status == Status::infeasible) {
      for (Lane& other : lanes) other.stop.request_stop();
    } else if (lane.found.status == Status::feasible) {
      lane.finish = virtual_time(lane, contenders[mine]);
      for (std::size_t j = 0; j < lanes.size(); ++j) {
        if (j == mine || lanes[j].finished) continue;
        const std::int64_t share = units(lane.finish, contenders[j].ns_per_unit);
        lanes[j].meter.limit.store(std::min(lanes[j].meter.limit.load(), share));
        if (contenders[mine].ns_per_unit <= 0 || contenders[j].ns_per_unit <= 0)
          lanes[j].stop.request_stop();
      }
    }
  };
  const auto run = [&](std::size_t mine) {
    Lane& lane = lanes[mine];
    try {
      SearchParams own = params;
      own.budget.stop = lane.stop.get_token();
      own.budget.meter = &lane.meter;
      if (!own.proof.empty()) own.proof += "." + std::to_string(mine);
      lane.found = contenders[mine].engine.get().solve(problem, own);
    } catch (...) {
      lane.error = std::current_exception();
    }
    const std::lock_guard lock(mutex);
    after(mine);
  };

  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 1; i < contenders.size(); ++i) threads.emplace_back(run, i);
    run(0);
  }
  for (Lane& lane : lanes)
    if (lane.error) std::rethrow_exception(lane.error);
  return judge(lanes);
}

/// One thread: shares of virtual time that grow by a factor, each from the start again, so that
/// the answer is the one side_by_side() gives.
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

TurnResult take_turns(const PlacementProblem& problem, const std::vector<Contender>& contenders,
                      const SearchParams& params, double share_ns) {
  std::vector<Lane> lanes(contenders.size());
  bool limited = false;
  for (std::size_t i = 0; i < contenders.size(); ++i) {
    Lane& lane = lanes[i];
    SearchParams own = params;
    own.budget.meter = &lane.meter;
    lane.meter.limit.store(units(share_ns, contenders[i].ns_per_unit));
    lane.found = contenders[i].engine.get().solve(problem, own);
    if (lane.found.status == Status::infeasible) return {{std::move(lane.found), i}, false};
    if (lane.found.status == Status::feasible) {
      lane.finish = virtual_time(lane, contenders[i]);
      share_ns = std::min(share_ns, lane.finish);  // the others need not look any further
    } else if (lane.found.stop == StopReason::node_limit &&
               lane.meter.done.load() >= lane.meter.limit.load()) {
      limited = true;
    }
    if (params.budget.exhausted()) break;
  }
  return {judge(lanes), limited};
}

RaceResult race(const PlacementProblem& problem, const std::vector<Contender>& contenders,
                const SearchParams& params, int threads) {
  if (contenders.size() == 1) return {contenders[0].engine.get().solve(problem, params), 0};
  if (threads < 2) return in_turns(problem, contenders, params);
  RaceResult won = side_by_side(problem, contenders, params);
  if (params.proof.empty()) return won;
  // Each lane wrote its own certificate; keep the winner's.
  for (std::size_t i = 0; i < contenders.size(); ++i) {
    std::filesystem::path own = params.proof;
    own += "." + std::to_string(i);
    std::error_code ignored;
    if (i == won.winner && won.found.status == Status::infeasible)
      std::filesystem::rename(own, params.proof, ignored);
    else
      std::filesystem::remove(own, ignored);
  }
  return won;
}

}  // namespace tessera
