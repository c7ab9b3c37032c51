// What is read before buffers are placed: how, and what came of it.
//
//   Input input = load_input("net.csv", {.capacity = 1 << 20, .lifetimes = Lifetimes::inclusive});
//   PlacementResult result = place(input.problem, {});            // files.h, place.h
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "problem.h"
#include "units.h"

namespace tessera {

/// How the upper end of a lifetime in a CSV file is read.
enum class Lifetimes : std::uint8_t { by_header, half_open, inclusive };

struct InputOptions {
  std::optional<Size> capacity{};      ///< takes the place of the input's own
  std::string profile{};               ///< name or file of a hardware profile; empty: none
  std::vector<std::string> folders{};  ///< folders with profiles, before the standard ones
  /// Of the profile: keys and values, as Profile::set() takes them (profile.h).
  std::vector<std::pair<std::string, std::string>> changes{};
  Lifetimes lifetimes = Lifetimes::by_header;
  /// A buffer CSV of what the arena of a TensorFlow Lite model holds beside its tensors, its steps
  /// the model's operators; empty: what the model itself lists.
  std::string scratch{};
};

/// What result_csv() needs to give a CSV back with nothing lost.
struct CsvOrigin;
/// What result_tflite() needs: the model itself.
struct TfliteOrigin;

struct Input {
  PlacementProblem problem{};
  std::string format{};              ///< "csv", "yaml", "json" or "tflite"
  std::vector<std::string> notes{};  ///< what the input says that has no effect, as sentences
  std::shared_ptr<const CsvOrigin> csv{};
  std::shared_ptr<const TfliteOrigin> tflite{};
};

}  // namespace tessera
