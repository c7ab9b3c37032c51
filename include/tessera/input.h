// Options for reading a placement problem, and the result.
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

/// Whether the upper end of a lifetime in a CSV file is inclusive.
enum class Lifetimes : std::uint8_t { by_header, half_open, inclusive };

/// Options of load_input() (files.h).
struct InputOptions {
  std::optional<Size> capacity{};      ///< replaces the input's capacity
  std::string profile{};               ///< name or file of a hardware profile; empty: none
  std::vector<std::string> folders{};  ///< profile folders searched before the standard ones
  /// Changes of the profile, as for Profile::set() (profile.h).
  std::vector<std::pair<std::string, std::string>> changes{};
  Lifetimes lifetimes = Lifetimes::by_header;
  /// A buffer CSV of the contents of a TensorFlow Lite arena other than tensors; its steps are the
  /// model's operators. Empty: the buffers that the model lists.
  std::string scratch{};
};

/// State that result_csv() needs to reproduce the CSV.
struct CsvOrigin;
/// The model, which result_tflite() needs.
struct TfliteOrigin;

/// A placement problem that was read.
struct Input {
  PlacementProblem problem{};
  std::string format{};              ///< "csv", "yaml", "json" or "tflite"
  std::vector<std::string> notes{};  ///< statements of the input without effect, as sentences
  std::shared_ptr<const CsvOrigin> csv{};
  std::shared_ptr<const TfliteOrigin> tflite{};
};

}  // namespace tessera
