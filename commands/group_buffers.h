// The on-chip buffers of one group of a plan: where they are, and which tensors they are for.
//
//   GroupBuffers buffers(network, hardware, plan);
//   buffers.enter(2);
//   buffers.contain(memory, {4096, 4128}, "x.ping");     // inside a place of this buffer?
//   buffers.are_for("x.ping", tensor);
//
// Private to commands/.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "planner/pinned.h"
#include "tessera/hardware.h"
#include "tessera/network.h"
#include "tessera/network_plan.h"
#include "tessera/problem.h"

namespace tessera::commands {

class GroupBuffers {
 public:
  /// require: the plan is right, and outlives this.
  GroupBuffers(const Network& network, const Hardware& hardware, const NetworkPlan& plan);

  /// Of this group from here on. A group that the plan does not have has no buffers.
  void enter(std::size_t group);

  /// Are the bytes in one place of the buffer, or of any buffer if the name is empty?
  [[nodiscard]] bool contain(std::size_t memory, AddressRange range, const std::string& name) const;
  /// Does the buffer hold parts of this tensor?
  [[nodiscard]] bool are_for(const std::string& name, TensorIndex tensor) const {
    return names_.contains({name, tensor});
  }

 private:
  void find_places(std::size_t group);
  void find_names(std::size_t group);

  const NetworkPlan& plan_;
  planner::PinnedMachine own_;  ///< as planned
  std::vector<std::optional<OpIndex>> readers_;
  std::map<std::pair<std::string, std::size_t>, std::vector<AddressRange>> places_;
  std::vector<std::vector<AddressRange>> all_;  ///< per memory
  std::set<std::pair<std::string, TensorIndex>> names_;
};

}  // namespace tessera::commands
