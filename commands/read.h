// Reads a command file, line by line, with its loops expanded.
//
//   std::ifstream file("net.jsonl");
//   CommandReader reader(file, "net.jsonl", network, hardware);
//   while (std::optional<Command> command = reader.next()) ...
//   reader.end().commands;                                     // after the last one
//
// Values are those of the file: only names, numbers and the shape of the JSON are verified.
// Private to commands/.
#pragma once

#include <cstdint>
#include <istream>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "commands/command.h"
#include "commands/expand.h"
#include "io/tree.h"
#include "tessera/hardware.h"
#include "tessera/network.h"

namespace tessera::commands {

/// The place of a tensor in the header: as a whole, or in parts. Empty: none.
struct FileTensor {
  bool listed = false;
  std::vector<Operand> places;
};

struct FileQueue {
  std::string name;
  std::int64_t channels = 1;
  bool staging = false;
};

struct FileHeader {
  std::vector<FileQueue> queues;
  std::int64_t buses = 0;
  std::vector<Size> sizes;          ///< per memory of the hardware; -1: not listed
  std::vector<FileTensor> tensors;  ///< in the network's order
  std::int64_t latency_cycles = 0;
  Size dram_bytes = 0;
};

struct FileEnd {
  std::int64_t commands = -1;  ///< -1: the line is missing
  Size bytes = 0;
};

class CommandReader {
 public:
  /// `path` is used in messages.
  /// throws: BadInput if the file is no command file for this network.
  /// require: all outlive the reader
  CommandReader(std::istream& file, const std::string& path, const Network& network,
                const Hardware& hardware);

  [[nodiscard]] const FileHeader& header() const { return header_; }
  /// The next command; nothing after the last one.
  /// throws: BadInput with file and line
  [[nodiscard]] std::optional<Command> next();
  /// require: next() has returned nothing.
  [[nodiscard]] const FileEnd& end() const { return end_; }
  /// The line of the last command.
  [[nodiscard]] std::size_t line() const { return line_; }

 private:
  [[nodiscard]] std::optional<io::Node> next_line();
  [[noreturn]] void fail(const std::string& message) const;
  void read_header(const io::Node& node);
  void read_tensors(const io::Node& list);
  [[nodiscard]] Command command(const io::Node& node);

  // Values of a node.
  [[nodiscard]] const io::Node& need(const io::Node& node, std::string_view key) const;
  [[nodiscard]] std::int64_t whole(const io::Node& node) const;
  [[nodiscard]] std::int64_t whole(const io::Node& node, std::string_view key,
                                   std::int64_t otherwise) const;
  [[nodiscard]] const std::string& text(const io::Node& node) const;
  [[nodiscard]] std::string text(const io::Node& node, std::string_view key) const;
  [[nodiscard]] const std::vector<io::Node>& list(const io::Node& node) const;
  [[nodiscard]] TensorIndex tensor(const io::Node& node) const;
  [[nodiscard]] std::size_t memory(const io::Node& node) const;
  [[nodiscard]] tiling::Box box(const io::Node& node) const;
  void require_inside(const tiling::Box& box, TensorIndex tensor) const;
  [[nodiscard]] Side side(const io::Node& node) const;
  [[nodiscard]] Part part(const io::Node& node, const tiling::Box& box, bool strides) const;
  [[nodiscard]] Operand operand(const io::Node& node) const;
  void transfer(const io::Node& node, Command& command) const;
  void compute(const io::Node& node, Command& command) const;

  std::string path_;
  std::istream& file_;
  io::Sources sources_;
  const Network& network_;
  const Hardware& hardware_;
  std::unordered_map<std::string, TensorIndex> tensor_of_;
  FileHeader header_;
  FileEnd end_;
  std::size_t line_ = 0;
  Expander expander_;
};

}  // namespace tessera::commands
