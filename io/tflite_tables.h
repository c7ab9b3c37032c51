// Tables of a flatbuffer, out of bytes that may be hostile. Private to the TensorFlow Lite reader.
//
//   FlatBytes file(bytes, "model.tflite");
//   const FlatTable model = file.root("Model");
//   for (const FlatTable& graph : model.tables(2, "SubGraph")) read(graph);
//
// A table is a place in the file that points back to a list of where its fields are, a vector is a
// count and what it counts (flatbuffers.dev, "FlatBuffer internals"). Every position is computed in
// 64 bits and held against the end of the file before a byte is read; whatever lies outside is an
// InputError that names the table. Fields go by their number in the schema; one that is absent has
// the schema's default. What may be pointed at several times is counted: a small file that unfolds
// into something huge is refused.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/error.h"

namespace tessera::io::tflite_reader {

static_assert(std::endian::native == std::endian::little, "flatbuffers are little-endian");

class FlatTable;

class FlatBytes {
 public:
  /// `bytes` and this object outlive every table. `file` is for messages.
  FlatBytes(std::string_view bytes, std::string file);
  FlatBytes(const FlatBytes&) = delete;
  FlatBytes& operator=(const FlatBytes&) = delete;

  [[nodiscard]] FlatTable root(const char* name) const;
  [[nodiscard]] const std::string& file() const { return file_; }
  [[nodiscard]] std::string_view bytes() const { return bytes_; }

  template <typename Number>
  requires std::integral<Number>
  [[nodiscard]] Number number(std::uint64_t at, const char* table) const {
    Number value{};
    std::memcpy(&value, within(at, sizeof value, table).data(), sizeof value);
    return value;
  }
  /// The bytes [at, at + count).
  [[nodiscard]] std::string_view within(std::uint64_t at, std::uint64_t count,
                                        const char* table) const;
  /// Where the 32-bit offset at `at` leads to.
  [[nodiscard]] std::uint64_t follow(std::uint64_t at, const char* table) const;
  /// `count` more things are copied out of the file.
  void unfold(std::uint64_t count) const;
  [[noreturn]] void damaged(const std::string& what) const;

 private:
  std::string_view bytes_;
  std::string file_;
  mutable std::uint64_t unfolded_ = 0;
};

/// One table. A plain value.
class FlatTable {
 public:
  FlatTable(const FlatBytes& file, std::uint64_t at, const char* name);

  template <typename Number>
  requires std::integral<Number>
  [[nodiscard]] Number number(unsigned field, Number otherwise) const {
    const std::optional<std::uint64_t> at = place_of(field, sizeof otherwise);
    return at ? file_->number<Number>(*at, name_) : otherwise;
  }
  [[nodiscard]] bool truth(unsigned field, bool otherwise) const {
    return number<std::uint8_t>(field, otherwise ? 1 : 0) != 0;
  }
  /// Empty where it is absent.
  [[nodiscard]] std::string_view text(unsigned field) const { return elements(field, 1).data; }
  /// Of a vector of bytes; nothing where it is absent.
  [[nodiscard]] std::optional<std::string_view> bytes(unsigned field) const;
  [[nodiscard]] std::vector<std::int32_t> numbers(unsigned field) const;
  [[nodiscard]] std::optional<FlatTable> table(unsigned field, const char* name) const;
  [[nodiscard]] std::vector<FlatTable> tables(unsigned field, const char* name) const;

  /// Where the field stands in the file; nothing where it is absent.
  [[nodiscard]] std::optional<std::uint64_t> place_of(unsigned field, std::size_t size) const;
  [[nodiscard]] std::uint64_t position() const { return at_; }
  [[nodiscard]] unsigned fields() const { return (list_size_ - 4U) / 2U; }

 private:
  struct Elements {
    std::uint64_t at = 0;
    std::uint64_t count = 0;
    std::string_view data{};
  };
  [[nodiscard]] Elements elements(unsigned field, std::size_t size) const;

  const FlatBytes* file_;
  std::uint64_t at_;
  std::uint64_t list_;       ///< where the list of its fields is
  std::uint32_t list_size_;  ///< in bytes
  std::uint32_t size_;       ///< of what stands in the table itself
  const char* name_;
};

}  // namespace tessera::io::tflite_reader
