#include "tiling/direct.h"

#include <algorithm>
#include <string>
#include <vector>

#include "model/off_chip.h"
#include "tiling/engine_choice.h"
#include "tiling/loops.h"

namespace tessera::tiling {
namespace {

/// The memories that an engine may read an operand from. Fused operands of a product are read where
/// results are written.
const std::vector<std::string>& places_of(const Reach& reach, const Op& op,
                                          const LocalOperand& operand) {
  return is_product(op) && operand.position >= 2 ? reach.output : reach.input;
}

}  // namespace

std::vector<DirectAccess> direct_accesses(const Subgraph& part, const Hardware& hardware,
                                          Direct direct) {
  std::vector<DirectAccess> found;
  const HardwareMemory* const reached = off_chip::reached(hardware);
  if (direct == Direct::none || part.steps() != 1 || reached == nullptr) return found;
  const HardwareMemory& home = *reached;
  const Op& op = part.op(0);
  const auto chosen = choose_engine(*part.network, op, hardware);
  if (!chosen) return found;
  const Reach& reach = hardware.engines[chosen->engine].reach;
  for (std::size_t t = 0; t < part.tensors.size(); ++t) {
    const LocalTensor& local = part.tensors[t];
    if (local.weight || local.slice || local.in_place_of) continue;
    if (is_loaded(local) && has(direct, Direct::inputs)) {
      const bool everywhere =
          !local.consumers.empty() &&
          std::ranges::all_of(part.operands_at[0], [&](const LocalOperand& operand) {
            return operand.local != t || off_chip::is_named(places_of(reach, op, operand), home);
          });
      if (everywhere) found.push_back({t, true});
    }
    if (is_stored(local) && has(direct, Direct::outputs) && off_chip::is_named(reach.output, home))
      found.push_back({t, false});
  }
  return found;
}

Direct direct_of(const Subgraph& part, const Hardware& hardware, Direct direct) {
  unsigned says = 0;
  for (const DirectAccess& access : direct_accesses(part, hardware, direct))
    says |= static_cast<unsigned>(access.load ? Direct::inputs : Direct::outputs);
  return static_cast<Direct>(says);
}

std::vector<Direct> direct_choices(const Subgraph& part, const Hardware& hardware) {
  std::vector<Direct> choices;
  for (const Direct each : hardware.tiling.direct) {
    const Direct choice = direct_of(part, hardware, each);
    if (std::ranges::find(choices, choice) == choices.end()) choices.push_back(choice);
  }
  return choices;
}

}  // namespace tessera::tiling
