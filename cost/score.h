// One number for a plan: how it compares, in what matters to whom, with a fixed reference.
//
//   Score score{hardware.objective, reference};     // layer by layer, on this machine or another
//   double j = score_of(score, totals);             // 1.0: as good as the reference
//
// J = sum_i w_i * m_i / ref_i with sum w = 1, so the weights read as "1 % of latency is worth
// w_latency / w_energy % of energy". Latency, energy and DRAM bytes add over subgraphs; peaks are
// maxima. The reference stays the same over everything that is to be compared.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tessera/hardware.h"
#include "tessera/network_plan.h"

namespace tessera::cost {

/// Sums what adds, takes the larger of what is a maximum.
[[nodiscard]] Metrics combine(const Metrics& a, const Metrics& b);

/// Which metrics a limit or weight can name: latency, energy, dram_bytes, peak_memory,
/// peak_bandwidth.
enum class MetricName : std::uint8_t { latency, energy, dram_bytes, peak_memory, peak_bandwidth };
[[nodiscard]] std::optional<MetricName> metric_from(std::string_view name);
[[nodiscard]] std::string_view to_string(MetricName metric);
[[nodiscard]] double value_of(const Metrics& metrics, MetricName metric);
[[nodiscard]] double& weight_of(ObjectiveWeights& weights, MetricName metric);

/// Weights scaled to sum 1.  require: none negative, one positive.
[[nodiscard]] ObjectiveWeights normalized(const ObjectiveWeights& weights);

struct Score {
  ObjectiveWeights weights;
  Metrics reference;
};

/// What the reference would take in cycles of a clock: its time counts, and all else as it is.
[[nodiscard]] Metrics in_cycles_of(double clock_hz, const PlanReference& reference);

/// The part that adds over subgraphs (latency, energy, DRAM bytes).
[[nodiscard]] double additive_score(const Score& score, const Metrics& metrics);
/// What one byte of peak memory costs.
[[nodiscard]] double peak_weight(const Score& score);
[[nodiscard]] double score_of(const Score& score, const Metrics& totals);

}  // namespace tessera::cost
