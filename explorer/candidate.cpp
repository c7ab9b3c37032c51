#include "explorer/candidate.h"

#include <algorithm>

namespace tessera::explorer {

bool CandidateState::has_all_plans() const {
  return failed.empty() && !plans.empty() && std::ranges::all_of(plans, [](const auto& plan) {
           return plan && plan->score.has_value();
         });
}

std::vector<std::string> Comparison::axes() const {
  std::vector<std::string> names;
  if (latency) names.emplace_back("latency_ms");
  if (energy) names.emplace_back("energy_pj");
  if (dram) names.emplace_back("dram_bytes");
  if (peak) names.emplace_back("peak_bytes");
  if (area) names.emplace_back("area");
  return names;
}

Point Comparison::point(const CandidateState& state) const {
  double cycles = 0, pj = 0, bytes = 0, height = 0;
  for (std::size_t n = 0; n < shares.size(); ++n) {
    if (n < state.plans.size() && state.plans[n] && state.plans[n]->score) {
      const Metrics& m = state.plans[n]->totals;
      cycles += shares[n] * static_cast<double>(m.latency_cycles);
      pj += shares[n] * m.energy_pj;
      bytes += shares[n] * static_cast<double>(m.dram_bytes);
      height = std::max(height, static_cast<double>(m.peak_bytes));
    } else if (n < state.least.size()) {
      cycles += shares[n] * state.least[n].latency_cycles;
      pj += shares[n] * state.least[n].energy_pj;
      bytes += shares[n] * state.least[n].dram_bytes;
    }
  }
  Point point;
  if (latency) point.push_back(state.clock_hz > 0 ? cycles / state.clock_hz * 1e3 : cycles);
  if (energy) point.push_back(pj);
  if (dram) point.push_back(bytes);
  if (peak) point.push_back(height);
  if (area) point.push_back(state.area.value_or(0));
  return point;
}

double Comparison::score(const CandidateState& state) const {
  double sum = 0;
  for (std::size_t n = 0; n < shares.size(); ++n) {
    if (n < state.plans.size() && state.plans[n] && state.plans[n]->score)
      sum += shares[n] * *state.plans[n]->score;
    else if (n < state.least.size())
      sum += shares[n] * state.least[n].score;
  }
  return sum;
}

KnownPlan summary_of(const NetworkPlan& plan) {
  KnownPlan known;
  known.totals = plan.totals;
  known.reason = plan.reason;
  if (plan.status == Status::infeasible) {
    known.status = SweepStatus::infeasible;
  } else if (plan.status == Status::feasible) {
    // Machines are compared by their explored plans.
    const bool proved = plan.optimal || plan.explored.optimal;
    known.status = proved ? SweepStatus::proved : SweepStatus::limit;
    known.score = plan.score;
    known.bound = plan.optimal ? plan.bound : plan.explored.bound;
    if (!proved)
      known.reason = plan.stop == StopReason::completed && plan.search.unknown == 0
                         ? "not proved: a better plan may exist"
                     : plan.stop == StopReason::completed || plan.stop == StopReason::node_limit
                         ? "work limit, queries unresolved: a better plan may exist"
                     : plan.stop == StopReason::memory_limit
                         ? "memory limit: a better plan may exist"
                         : "time limit: a better plan may exist";
  } else if (plan.bound > 0) {
    known.bound = plan.bound;
  }
  return known;
}

bool cut_short(const NetworkPlan& plan, const KnownPlan& known, bool sweep_ended) {
  return known.status == SweepStatus::limit &&
         (plan.stop == StopReason::interrupted || plan.stop == StopReason::memory_limit ||
          (plan.stop == StopReason::time_limit && sweep_ended));
}

void keep(Store& store, const std::string& key, const std::string& timed_key,
          const KnownPlan& known, const std::string& json) {
  store.keep(known.status == SweepStatus::limit ? timed_key : key, known, json);
}

Point Comparison::with_score(const CandidateState& state) const {
  Point all = point(state);
  all.push_back(score(state));
  return all;
}

}  // namespace tessera::explorer
