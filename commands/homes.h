// The place of each whole tensor: off-chip, pinned, or resident between groups.
//
//   Homes homes(network, hardware, plan);
//   if (const Place* place = homes.off_chip(tensor)) header << place->at.address;
//
// Private to commands/.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "commands/place.h"
#include "tessera/hardware.h"
#include "tessera/network.h"
#include "tessera/network_plan.h"

namespace tessera::commands {

class Homes {
 public:
  /// `network` and `hardware` are as planned (planner/pinned.h).
  /// throws: Unsupported if tensors are streamed from a backing memory.
  Homes(const Network& network, const Hardware& hardware, const NetworkPlan& plan);

  /// The off-chip place of a tensor with own storage, also inside the output of a concatenation.
  /// Nothing if the tensor is only on-chip.
  [[nodiscard]] const std::optional<Place>& off_chip(TensorIndex tensor) const {
    return off_chip_[tensor];
  }
  /// The place of a weight in the backing memory, from where it is fetched to off_chip().
  [[nodiscard]] const std::optional<Place>& behind(TensorIndex tensor) const {
    return behind_[tensor];
  }
  /// The on-chip place of a pinned weight.
  [[nodiscard]] const std::optional<Place>& pinned(TensorIndex tensor) const {
    return pinned_[tensor];
  }

  /// A tensor that is resident at an address in some group.
  /// throws: Unsupported if it is resident at another address in an earlier group.
  void set_resident(TensorIndex tensor, const Place& place);
  [[nodiscard]] const std::optional<Place>& resident(TensorIndex tensor) const {
    return resident_[tensor];
  }

  /// Stores a weight in parts, one after the other, because a split reduction loads it so.
  /// throws: Unsupported if another group loads it in another way.
  void set_parts(TensorIndex weight, const std::vector<tiling::Box>& parts);
  void set_whole(TensorIndex weight);
  /// The parts in which a weight is stored. Empty: as a whole.
  [[nodiscard]] const std::vector<Place>& parts(TensorIndex weight) const { return parts_[weight]; }

  /// The end of everything in an off-chip memory, relative to its base.
  [[nodiscard]] Size height(std::size_t memory) const { return heights_[memory]; }

 private:
  void place_weights(const NetworkPlan& plan);
  void place_staged_weights(const NetworkPlan& plan);
  /// The addresses of the plan's buffers in a memory, except the one of all weights.
  using Offsets = std::map<std::string, Offset>;
  [[nodiscard]] std::optional<Offset> found(const Offsets& offsets, TensorIndex tensor) const;
  void put_weight(TensorIndex tensor, const Spot& spot, std::optional<Place>& place);
  void place_activations(const NetworkPlan& plan);
  void place_joined();
  void pin(const NetworkPlan& plan);
  [[nodiscard]] Layout layout_of(TensorIndex tensor) const;
  void put(TensorIndex tensor, const Spot& spot, const Layout& layout);

  const Network& network_;
  const Hardware& hardware_;
  std::vector<std::optional<Place>> off_chip_;
  std::vector<std::optional<Place>> behind_;
  std::vector<std::optional<Place>> pinned_;
  std::vector<std::optional<Place>> resident_;
  std::vector<std::vector<Place>> parts_;
  std::vector<bool> whole_;  ///< weights that some group loads as a whole
  std::vector<Size> heights_;
  std::map<TensorIndex, Size> encoded_;
};

}  // namespace tessera::commands
