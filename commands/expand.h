// The commands that a line of a command file stands for: loops are run, and what a command takes
// from another one is filled in.
//
//   Expander expander;
//   expander.add(parse_json(line, sources));
//   while (const io::Node* command = expander.next()) ...      // with expander.id()
//
// Private to commands/.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "commands/command.h"
#include "io/tree.h"

namespace tessera::commands {

/// A command may take values from this many commands before it in the file.
constexpr std::size_t known_commands = 256;

/// Nothing if it is no whole number up to max_address.
[[nodiscard]] std::optional<std::int64_t> whole_number(const io::Node& node);

class Expander {
 public:
  /// The sentence says what is wrong with the line.
  class Malformed : public std::runtime_error {
   public:
    using std::runtime_error::runtime_error;
  };

  /// require: next() has returned null
  /// throws: Malformed, as next() does
  void add(io::Node line);
  /// The next command, valid until the next call; null after the last one.
  [[nodiscard]] const io::Node* next();
  /// Of that command.
  [[nodiscard]] CommandId id() const { return id_; }

 private:
  struct Loop {
    io::Node body;  ///< list of the commands and loops of this round
    io::Node step;
    std::int64_t rounds = 0;
    std::int64_t round = 0;
    std::size_t at = 0;
  };
  struct Known {
    CommandId id = 0;
    io::Node command;
  };
  void fill_in(io::Node& command);
  void fill_in_all(io::Node& item);
  void begin_loop(const io::Node& node);
  static void advance(Loop& loop);
  void step_on();

  std::deque<Known> known_;
  std::vector<Loop> loops_;          ///< the innermost last
  bool begins_ = false;              ///< no item of the loops has been taken
  const io::Node* plain_ = nullptr;  ///< a line without a loop
  CommandId id_ = 0;
  CommandId next_id_ = 0;
};

}  // namespace tessera::commands
