// Reads the text of a condition, for problems and for profiles.
//
//   RuleNode node = parse_rule("offset % 8 == 4", {.memories = memories, .selected = 3});
//
// A profile has no buffers: its names in parentheses are roles of operands.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/errors.h"
#include "tessera/problem.h"

namespace tessera {

/// The meaning of names in the text.
struct RuleNames {
  std::span<const Memory> memories;
  /// The buffer of a name in parentheses; nothing: unknown.
  std::function<std::optional<BufferIndex>(std::string_view)> buffer{};
  /// The buffer of `offset` without parentheses.
  std::optional<BufferIndex> selected{};
  std::string_view noun = "buffer";  ///< what `buffer` finds, for messages
  std::vector<std::string> known{};  ///< names that exist, for messages
};

/// A wrong text; what() begins with "column N: ".
struct RuleTextError : BadInput {
  RuleTextError(std::size_t at, const std::string& message, const std::string& advice)
      : BadInput("column " + std::to_string(at) + ": " + message, advice), column(at) {}
  std::size_t column;  ///< from 1
};

/// require: `names.buffer` is set. ensure: throws RuleTextError.
[[nodiscard]] RuleNode parse_rule(std::string_view text, const RuleNames& names);

}  // namespace tessera
