// Finds loops in a sequence of commands of which only the shape and the fields are known.
//
//   std::vector<Item> items = ...;      // commands
//   fold_repeated(items);               // loops of three rounds or more, also around loops
//   fold_pairs(items);                  // then two rounds
//
// Private to commands/.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "commands/sequence.h"

namespace tessera::commands {

/// Fields that are texts are numbers from here on, one per text.
constexpr std::int64_t first_text = std::numeric_limits<std::int64_t>::max() / 2;

/// A command, or a loop around items.
struct Item {
  std::string text;       ///< of a command
  std::size_t shape = 0;  ///< hash of all but `fields`
  Numbers fields;         ///< that may change from round to round, the id first; of a loop, those
                          ///< of its body
  std::size_t size = 0;   ///< bytes of the text
  std::size_t lines = 1;  ///< commands held in memory

  // a loop
  std::int64_t count = 0;  ///< rounds; 0: a command
  std::vector<Item> body;
  std::size_t body_shape = 0;
  std::vector<Sequence> sequences;  ///< per field
};

/// JSON pointers of the fields; empty: of ids, which no loop changes.
[[nodiscard]] std::vector<std::string> pointers(const Item& item);

/// Folds repetitions of three rounds or more, the shortest first, so that loops become bodies of
/// others.
void fold_repeated(std::vector<Item>& items);

/// Folds what fold_repeated() leaves, the longest first.
void fold_pairs(std::vector<Item>& items);

}  // namespace tessera::commands
