#include "cost/score.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "cost/whole_number.h"

namespace tessera::cost {
namespace {

constexpr std::array<std::pair<std::string_view, MetricName>, 5> metric_names{{
    {"latency", MetricName::latency},
    {"energy", MetricName::energy},
    {"dram_bytes", MetricName::dram_bytes},
    {"peak_memory", MetricName::peak_memory},
    {"peak_bandwidth", MetricName::peak_bandwidth},
}};

/// A reference of zero (for example, an op without DRAM traffic) allows no comparison.
double ratio(double value, double reference) {
  return reference > 0 ? value / reference : 0;
}

}  // namespace

Metrics combine(const Metrics& a, const Metrics& b) {
  return {.latency_cycles = whole_sum(a.latency_cycles, b.latency_cycles, "cycles"),
          .energy_pj = a.energy_pj + b.energy_pj,
          .dram_bytes = whole_sum(a.dram_bytes, b.dram_bytes, "bytes"),
          .peak_bytes = std::max(a.peak_bytes, b.peak_bytes),
          .peak_bandwidth = std::max(a.peak_bandwidth, b.peak_bandwidth)};
}

std::optional<MetricName> metric_from(std::string_view name) {
  for (const auto& [text, metric] : metric_names)
    if (text == name) return metric;
  return std::nullopt;
}

std::string_view to_string(MetricName metric) {
  for (const auto& [text, known] : metric_names)
    if (known == metric) return text;
  return "?";
}

double value_of(const Metrics& metrics, MetricName metric) {
  switch (metric) {
    case MetricName::latency:
      return static_cast<double>(metrics.latency_cycles);
    case MetricName::energy:
      return metrics.energy_pj;
    case MetricName::dram_bytes:
      return static_cast<double>(metrics.dram_bytes);
    case MetricName::peak_memory:
      return static_cast<double>(metrics.peak_bytes);
    case MetricName::peak_bandwidth:
      return metrics.peak_bandwidth;
  }
  return 0;
}

double& weight_of(ObjectiveWeights& weights, MetricName metric) {
  switch (metric) {
    case MetricName::latency:
      return weights.latency;
    case MetricName::energy:
      return weights.energy;
    case MetricName::dram_bytes:
      return weights.dram_bytes;
    case MetricName::peak_memory:
      return weights.peak_memory;
    case MetricName::peak_bandwidth:
      break;
  }
  return weights.peak_bandwidth;
}

ObjectiveWeights normalized(const ObjectiveWeights& weights) {
  const double sum = weights.latency + weights.energy + weights.dram_bytes + weights.peak_memory +
                     weights.peak_bandwidth;
  return {.latency = weights.latency / sum,
          .energy = weights.energy / sum,
          .dram_bytes = weights.dram_bytes / sum,
          .peak_memory = weights.peak_memory / sum,
          .peak_bandwidth = weights.peak_bandwidth / sum};
}

Metrics in_cycles_of(double clock_hz, const PlanReference& reference) {
  Metrics totals = reference.totals;
  if (reference.clock_hz > 0 && reference.clock_hz != clock_hz) {
    const double cycles =
        static_cast<double>(totals.latency_cycles) * (clock_hz / reference.clock_hz);
    totals.latency_cycles = whole_number(std::max(1.0, std::round(cycles)), "cycles");
  }
  return totals;
}

double additive_score(const Score& score, const Metrics& metrics) {
  const auto part = [&](double weight, MetricName metric) {
    return weight * ratio(value_of(metrics, metric), value_of(score.reference, metric));
  };
  return part(score.weights.latency, MetricName::latency) +
         part(score.weights.energy, MetricName::energy) +
         part(score.weights.dram_bytes, MetricName::dram_bytes);
}

double peak_weight(const Score& score) {
  return score.reference.peak_bytes > 0
             ? score.weights.peak_memory / static_cast<double>(score.reference.peak_bytes)
             : 0;
}

double score_of(const Score& score, const Metrics& totals) {
  return additive_score(score, totals) +
         peak_weight(score) * static_cast<double>(totals.peak_bytes) +
         score.weights.peak_bandwidth *
             ratio(totals.peak_bandwidth, score.reference.peak_bandwidth);
}

}  // namespace tessera::cost
