// A sweep with all files it refers to loaded. Private to explorer/.
//
//   const Sweep::State& state = sweep.state();
//   for (const Choice& choice : state.choices) plan(state.machine(choice).hardware());
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "explorer/condition.h"
#include "explorer/grid.h"
#include "io/sweep_yaml.h"
#include "tessera/explore.h"
#include "tessera/network.h"

namespace tessera::explorer {

struct SweepNetwork {
  std::string name;
  std::string file;
  double share = 1;  ///< its weight; weights add up to 1
  Network network;
};

}  // namespace tessera::explorer

namespace tessera {

struct Sweep::State {
  io::SweepText text;
  std::string source;  ///< text of the file
  std::vector<std::string> files;
  std::vector<std::string> folders;
  Profile base;
  std::optional<Profile> reference;  ///< of scores, if the sweep names one
  std::vector<std::string> keys;
  std::vector<explorer::SweepNetwork> networks;
  std::vector<explorer::Choice> choices;

  [[nodiscard]] std::vector<std::string> values(const explorer::Choice& choice) const;
  /// Throws BadInput.
  [[nodiscard]] Profile machine(const explorer::Choice& choice) const;
};

}  // namespace tessera
