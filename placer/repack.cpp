#include "placer/repack.h"

#include <algorithm>
#include <numeric>

#include "facts/features.h"
#include "model/derived.h"

namespace tessera::placer {
namespace {

/// For more buffers, enumerating the pairs takes longer than a typical search.
constexpr std::size_t most_repacked = 512;

constexpr facts::FeatureSet kept{facts::Feature::buffer_alignment, facts::Feature::several_lives,
                                 facts::Feature::gap};

}  // namespace

Repack::Repack(const PlacementProblem& problem) {
  const std::size_t count = problem.buffers.size();
  usable_ = count <= most_repacked && problem.memories.size() == 1 &&
            (facts::features_of(problem) - kept).empty();
  if (!usable_) return;
  alignments_.reserve(count);
  for (const Buffer& buffer : problem.buffers)
    alignments_.push_back(effective_alignment(buffer, problem.memories[0]));
  together_.assign(count * count, 0);
  for (BufferIndex a = 0; a < count; ++a)
    for (BufferIndex b = 0; b < a; ++b)
      together_[a * count + b] = together_[b * count + a] =
          coexist(problem.buffers[a], problem.buffers[b]) ? 1 : 0;
  tops_.assign(count, 0);
}

bool Repack::surely_valid(const SizeLayer& layer) const {
  if (!usable_) return false;
  Size left = max_address;
  for (BufferIndex b = 0; b < alignments_.size(); ++b) {
    // Neither exceeds max_address, so the sum does not overflow.
    const Size size = align_up(layer.sizes[b], alignments_[b]);
    if (size > left) return false;
    left -= size;
  }
  return true;
}

void Repack::follow(const Placement& placement) {
  if (!usable_) return;
  const std::size_t count = alignments_.size();
  order_.resize(count);
  std::iota(order_.begin(), order_.end(), BufferIndex{0});
  std::stable_sort(order_.begin(), order_.end(), [&](BufferIndex a, BufferIndex b) {
    return placement.places[a].offset < placement.places[b].offset;
  });
  below_.clear();
  below_ends_.clear();
  for (std::size_t k = 0; k < count; ++k) {
    for (std::size_t j = 0; j < k; ++j)
      if (together_[order_[k] * count + order_[j]] != 0) below_.push_back(order_[j]);
    below_ends_.push_back(below_.size());
  }
}

std::optional<Placement> Repack::with(const SizeLayer& layer) {
  if (!usable_ || order_.size() != alignments_.size()) return std::nullopt;
  const Size capacity = layer.capacities[0];
  std::size_t at = 0;
  for (std::size_t k = 0; k < order_.size(); ++k) {
    const BufferIndex buffer = order_[k];
    Offset base = 0;
    for (; at < below_ends_[k]; ++at) base = std::max(base, tops_[below_[at]]);
    tops_[buffer] = align_up(base, alignments_[buffer]) + layer.sizes[buffer];
    if (tops_[buffer] > capacity) return std::nullopt;
  }
  Placement placement;
  placement.places.resize(order_.size());
  for (BufferIndex b = 0; b < order_.size(); ++b)
    placement.places[b] = {0, tops_[b] - layer.sizes[b]};
  placement.modes.assign(1, {});
  return placement;
}

}  // namespace tessera::placer
