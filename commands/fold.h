// Folds repeated command lines into loops, which may nest.
//
//   Folder folder(sink);
//   folder.add(json_line(command, context));     // in order
//   folder.finish();                              // writes what is left
//
// Lines repeat if they differ in numbers and names of buffers only. Those that no loop contains,
// and bodies, are written by their differences from earlier ones. Private to commands/.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "commands/likes.h"
#include "commands/loops.h"

namespace tessera::commands {

class Folder {
 public:
  using Write = std::function<void(std::string_view)>;
  explicit Folder(Write write) : write_(std::move(write)) {}

  /// require: the line is a JSON object whose first number is its id, ending with a line break
  void add(std::string line);
  void finish();

 private:
  [[nodiscard]] std::int64_t field(std::string_view text);
  [[nodiscard]] std::string entries(const Sequence& sequence, std::int64_t first) const;
  [[nodiscard]] std::string steps(const Item& loop) const;
  void append(std::string& out, const Item& item);

  Write write_;
  Likes likes_;
  std::vector<Item> items_;
  std::size_t lines_ = 0;  ///< of all items
  std::unordered_map<std::string, std::int64_t> text_fields_;
  std::vector<std::string> texts_;  ///< per field number, from first_text on
};

}  // namespace tessera::commands
