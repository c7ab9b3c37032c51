// Folds repeated command lines into loops.
//
//   Folder folder(sink);
//   folder.add(json_line(command, context));     // in order
//   folder.finish();                              // writes what is left
//
// Lines repeat if they differ in numbers only, and each number grows by a constant. Private to
// commands/.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::commands {

class Folder {
 public:
  using Write = std::function<void(std::string_view)>;
  explicit Folder(Write write) : write_(std::move(write)) {}

  /// require: the line is a JSON object whose first number is its id, ending with a line break
  void add(std::string line);
  void finish();

 private:
  struct Line {
    std::string text;
    std::size_t shape = 0;              ///< hash of the text without numbers
    std::vector<std::int64_t> numbers;  ///< in order; the first is the id
  };
  struct Loop {
    std::size_t length = 0;  ///< lines of a round
    std::size_t rounds = 1;
  };
  [[nodiscard]] Loop loop_at(std::size_t line) const;
  [[nodiscard]] std::size_t rounds_at(std::size_t line, std::size_t length) const;
  [[nodiscard]] bool begins_better(std::size_t line, const Loop& loop) const;
  void write_loop(std::size_t line, const Loop& loop);

  Write write_;
  std::vector<Line> lines_;
};

}  // namespace tessera::commands
