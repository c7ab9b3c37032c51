// `tessera: sweep/1`: machines and networks of a sweep, as the file states them.
//
//   SweepText sweep = read_sweep_yaml(read_file("sweep.yaml"), "sweep.yaml");
//   for (const VaryText& axis : sweep.vary) use(axis.key, axis.values);
//
// Ranges are expanded here: `{from: 4, to: 16, times: 2}` is 4, 8, 16. Checks that need the profile
// or the networks (does the key exist? the file?) are left to explorer/, which gets the line of
// every item.
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
  std::string name;  ///< in tables; empty: the file's own name
  double weight = 1;
  std::size_t line = 0;
};

struct VaryText {
  std::string key;
  std::vector<std::string> values;  ///< in the syntax of profiles; at least one, no duplicates
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
  std::string base;  ///< name or file of a profile
  std::size_t base_line = 0;
  std::vector<VaryText> vary;
  std::vector<ConditionText> where;
  std::vector<std::pair<std::string, double>> objective;  ///< metric, weight; empty: the profile's
  std::string reference;                                  ///< a profile; empty: the base's
  std::size_t reference_line = 0;
  std::vector<std::pair<std::string, double>> limits;  ///< of plans: peak_memory, peak_bandwidth
  std::optional<double> most_area;                     ///< of a machine
  std::optional<std::chrono::nanoseconds> timeout;     ///< per plan; none: until proved
  std::optional<std::int64_t> work;         ///< per plan (PlanParams::effort)
  std::optional<std::int64_t> tile_shapes;  ///< per plan; none: as without a sweep
  std::string engine = "auto";              ///< of placement queries
  std::optional<std::chrono::nanoseconds> question_timeout{};
  std::int64_t proof_shapes = 0;        ///< per plan: machines are compared by their explored plans
  std::optional<std::int64_t> samples;  ///< random; none: the full grid
  std::uint64_t seed = 0;
  bool prune = true;
  std::vector<double> lose_for_modes;  ///< percent, ascending; empty: no search for fewer modes
  std::size_t modes_line = 0;
};

/// Throws InputError.
[[nodiscard]] SweepText read_sweep_yaml(std::string_view text, const std::string& file);

}  // namespace tessera::io
