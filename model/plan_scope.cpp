#include "tessera/plan_scope.h"

#include <array>
#include <charconv>

namespace tessera {
namespace {

using Tiles = PlanScope::Tiles;
using Prefetch = PlanScope::Prefetch;
using Pins = PlanScope::Pins;

constexpr std::string_view at_most = "at most ";
constexpr std::string_view ops = " ops per group";

struct Word {
  std::string_view word;
  std::string_view phrase;
  bool (*holds)(const PlanScope& scope);
  void (*set)(PlanScope& scope);
};

/// In the order of the phrases.
constexpr std::array vocabulary{
    Word{"fewest tiles",
         ", each group in its fewest tiles for each variant of the profile's tiling",
         [](const PlanScope& s) { return s.tiles == Tiles::fewest; },
         [](PlanScope& s) { s.tiles = Tiles::fewest; }},
    Word{"evaluated tiles",
         ", each group in the cheapest evaluated tiles of each variant of the profile's tiling",
         [](const PlanScope& s) { return s.tiles == Tiles::evaluated; },
         [](PlanScope& s) { s.tiles = Tiles::evaluated; }},
    Word{"any tiles", ", with any tiling of the profile",
         [](const PlanScope& s) { return s.tiles == Tiles::any; },
         [](PlanScope& s) { s.tiles = Tiles::any; }},
    Word{"no halo reuse", " without halo reuse",
         [](const PlanScope& s) { return s.without_halo_reuse; },
         [](PlanScope& s) { s.without_halo_reuse = true; }},
    Word{"concatenations in place", ", with concatenated tensors in place off chip",
         [](const PlanScope& s) { return s.joined; }, [](PlanScope& s) { s.joined = true; }},
    Word{"any residency", ", with any residency between groups",
         [](const PlanScope& s) { return s.residency; }, [](PlanScope& s) { s.residency = true; }},
    Word{"any prefetch", ", with any weight prefetch",
         [](const PlanScope& s) { return s.prefetch == Prefetch::any; },
         [](PlanScope& s) { s.prefetch = Prefetch::any; }},
    Word{"prefetch on the best", ", and weight prefetch on the best of those",
         [](const PlanScope& s) { return s.prefetch == Prefetch::on_best; },
         [](PlanScope& s) { s.prefetch = Prefetch::on_best; }},
    Word{"peak limits", ", within the given peak limits",
         [](const PlanScope& s) { return s.peak_limits; },
         [](PlanScope& s) { s.peak_limits = true; }},
    Word{"any pinned weights", ", with any pinned weights",
         [](const PlanScope& s) { return s.pins == Pins::any; },
         [](PlanScope& s) { s.pins = Pins::any; }},
    Word{"chosen pinned weights", ", with the chosen pinned weights",
         [](const PlanScope& s) { return s.pins == Pins::chosen; },
         [](PlanScope& s) { s.pins = Pins::chosen; }},
};

}  // namespace

std::string to_text(const PlanScope& scope) {
  if (scope.tiles == Tiles::unstated) return {};
  std::string text = "partitions into groups of consecutive ops";
  if (scope.max_ops)
    text += ", " + std::string(at_most) + std::to_string(*scope.max_ops) + std::string(ops);
  for (const Word& each : vocabulary)
    if (each.holds(scope)) text += each.phrase;
  return text;
}

std::vector<std::string> words_of(const PlanScope& scope) {
  std::vector<std::string> words;
  if (scope.max_ops)
    words.push_back(std::string(at_most) + std::to_string(*scope.max_ops) + std::string(ops));
  for (const Word& each : vocabulary)
    if (each.holds(scope)) words.emplace_back(each.word);
  return words;
}

bool add_word(std::string_view word, PlanScope& scope) {
  for (const Word& each : vocabulary)
    if (each.word == word) {
      each.set(scope);
      return true;
    }
  if (!word.starts_with(at_most) || !word.ends_with(ops)) return false;
  word.remove_prefix(at_most.size());
  word.remove_suffix(ops.size());
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error != std::errc() || end != word.data() + word.size()) return false;
  scope.max_ops = number;
  return true;
}

}  // namespace tessera
