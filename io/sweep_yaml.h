// `tessera: sweep/1`: which machines and networks to try, as the file says it.
//
//   SweepText sweep = read_sweep_yaml(read_file("sweep.yaml"), "sweep.yaml");
//   for (const VaryText& axis : sweep.vary) use(axis.key, axis.values);
//
// Ranges are counted out here: `{from: 4, to: 16, times: 2}` is 4, 8, 16. What needs the profile or
// the networks to be judged (is there such a key? such a file?) is left to explorer/, which finds
// the line of everything beside it.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/error.h"

namespace tessera::io {

struct SweepNetworkText {
  std::string file;
  std::string name;  ///< in the tables; empty: the file's own
  double weight = 1;
  std::size_t line = 0;
};

struct VaryText {
  std::string key;
  std::vector<std::string> values;  ///< as a profile would have them; at least one, no two equal
  std::size_t line = 0;
};

struct ConditionText {
  std::string text;
  std::size_t line = 0;
};

struct SweepText {
  std::string file;
  std::vector<SweepNetworkText> networks;  ///< at least one
  std::string dtype;
  std::size_t dtype_line = 0;
  std::string base;  ///< a profile's name or file
  std::size_t base_line = 0;
  std::vector<VaryText> vary;
  std::vector<ConditionText> where;
  std::vector<std::pair<std::string, double>> objective;  ///< metric, weight; empty: the profile's
  std::string reference;                                  ///< a profile; empty: the base's
  std::size_t reference_line = 0;
  std::vector<std::pair<std::string, double>> limits;  ///< of plans: peak_memory, peak_bandwidth
  std::optional<double> most_area;                     ///< of a machine
  std::optional<std::chrono::nanoseconds> timeout;     ///< of a plan; nothing: until proved
  std::optional<std::int64_t> work;
  std::optional<std::int64_t> tile_shapes;  ///< of a plan; nothing: as many as without a sweep
  std::int64_t proof_shapes = 0;        ///< of a plan: machines are compared by what is looked at
  std::optional<std::int64_t> samples;  ///< random; nothing: the grid
  std::uint64_t seed = 0;
  bool prune = true;
  std::vector<double> lose_for_modes;  ///< percent, ascending; empty: modes are left as they are
  std::size_t modes_line = 0;
};

/// Throws InputError.
[[nodiscard]] SweepText read_sweep_yaml(std::string_view text, const std::string& file);

}  // namespace tessera::io
