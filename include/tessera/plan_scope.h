// The set of plans that a bound or a proof covers.
//
//   const PlanScope scope{.tiles = PlanScope::Tiles::any, .max_ops = 4};
//   std::cout << to_text(scope);  // "partitions into groups of consecutive ops, at most 4 ops ..."
//   for (const std::string& word : words_of(scope)) std::cout << word;
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

struct PlanScope {
  enum class Tiles : std::uint8_t {
    unstated,   ///< no scope is known
    fewest,     ///< of each variant, the fewest tiles that fit
    evaluated,  ///< of each variant, the tilings that were evaluated
    any,        ///< of the profile
  };
  enum class Prefetch : std::uint8_t {
    none,
    on_best,  ///< added to the best plans without it
    any,
  };
  enum class Pins : std::uint8_t {
    none,
    chosen,  ///< the pinned weights of the plan
    any,
  };
  Tiles tiles = Tiles::unstated;
  std::optional<std::size_t> max_ops{};  ///< of a group; nothing: any number
  bool without_halo_reuse = false;
  bool joined = false;     ///< with concatenated tensors in place off-chip
  bool residency = false;  ///< with any resident tensors
  Prefetch prefetch = Prefetch::none;
  Pins pins = Pins::none;
  bool peak_limits = false;  ///< within the limits given
  friend bool operator==(const PlanScope&, const PlanScope&) = default;
};

/// As one phrase. Empty if it is unstated.
[[nodiscard]] std::string to_text(const PlanScope& scope);

/// As a list of fixed words, for files.
[[nodiscard]] std::vector<std::string> words_of(const PlanScope& scope);

/// Adds the meaning of one of these words. False: there is no such word.
[[nodiscard]] bool add_word(std::string_view word, PlanScope& scope);

}  // namespace tessera
