// Score of a plan: weighted sum of its metrics relative to a fixed reference.
//
//   Score score{hardware.objective, reference};     // layer by layer, on this machine or another
//   double j = score_of(score, totals);             // 1.0: as good as the reference
//
// J = sum_i w_i * m_i / ref_i with sum w = 1, so 1 % of latency is worth w_latency / w_energy % of
// energy. Latency, energy and DRAM bytes add over subgraphs; peaks are maxima. The reference stays
// the same for all plans that are compared.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tessera/hardware.h"
#include "tessera/network_plan.h"

namespace tessera::cost {

/// Adds the additive metrics and takes the maximum of the peaks.
[[nodiscard]] Metrics combine(const Metrics& a, const Metrics& b);

/// Metrics that a limit or a weight can name.
enum class MetricName : std::uint8_t { latency, energy, dram_bytes, peak_memory, peak_bandwidth };
[[nodiscard]] std::optional<MetricName> metric_from(std::string_view name);
[[nodiscard]] std::string_view to_string(MetricName metric);
[[nodiscard]] double value_of(const Metrics& metrics, MetricName metric);
[[nodiscard]] double& weight_of(ObjectiveWeights& weights, MetricName metric);

/// Weights scaled to sum 1.  require: none negative, one positive.
[[nodiscard]] ObjectiveWeights normalized(const ObjectiveWeights& weights);

/// A score below this part of another is lower. Sums in another order differ in the last digits.
inline constexpr double rounding = 1 - 1e-9;

struct Score {
  ObjectiveWeights weights;
  Metrics reference;
};

/// The reference with its latency converted to cycles of this clock; other metrics are unchanged.
[[nodiscard]] Metrics in_cycles_of(double clock_hz, const PlanReference& reference);

/// The additive part of the score (latency, energy, DRAM bytes).
[[nodiscard]] double additive_score(const Score& score, const Metrics& metrics);
/// Score of one byte of peak memory.
[[nodiscard]] double peak_weight(const Score& score);
[[nodiscard]] double score_of(const Score& score, const Metrics& totals);

}  // namespace tessera::cost
