// Writes commands by what distinguishes them from commands before them in the file.
//
//   Likes likes;
//   likes.written(R"({"id":3,"kind":"load","tile":0,...})");   // as it is
//   likes.written(R"({"id":7,"kind":"load","tile":1,...})");   //
//   {"id":7,"like":3,"set":{"/tile":1}}
//
// Private to commands/.
#pragma once

#include <deque>
#include <string>
#include <string_view>

#include "io/tree.h"

namespace tessera::commands {

class Likes {
 public:
  /// The shortest text of this command, the next one of the file.
  /// require: JSON without spaces, the id first
  [[nodiscard]] std::string written(std::string_view command);

 private:
  std::deque<io::Node> known_;
  io::Sources sources_{"commands"};
};

}  // namespace tessera::commands
