// Tables of a flatbuffer, read from possibly hostile bytes. Private to the TensorFlow Lite reader.
//
//   FlatBytes file(bytes, "model.tflite");
//   const FlatTable model = file.root("Model");
//   for (const FlatTable& graph : model.tables(2, "SubGraph")) read(graph);
//
// A table points back to a list of its field positions; a vector is a count and its elements
// (flatbuffers.dev, "FlatBuffer internals"). Every position is computed in 64 bits and compared
// with the file size before a byte is read; a position outside the file is an InputError with the
// table's name. Fields are numbered as in the schema; an absent field has the schema's default.
// Shared objects are counted at every use: small files that unfold into huge structures are
// rejected.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
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
  /// Target of the 32-bit offset at `at`.
  [[nodiscard]] std::uint64_t follow(std::uint64_t at, const char* table) const;
  /// Counts `count` more items copied out of the file.
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
  /// Empty if absent.
  [[nodiscard]] std::string_view text(unsigned field) const { return elements(field, 1).data; }
  /// Of a vector of bytes; none if absent.
  [[nodiscard]] std::optional<std::string_view> bytes(unsigned field) const;
  [[nodiscard]] std::vector<std::int32_t> numbers(unsigned field) const {
    return values<std::int32_t>(field);
  }
  /// A vector of plain values of fixed size.
  template <typename Value>
  requires std::is_arithmetic_v<Value>
  [[nodiscard]] std::vector<Value> values(unsigned field) const {
    const Elements found = elements(field, sizeof(Value));
    file_->unfold(found.count);
    std::vector<Value> out(found.count);
    if (!out.empty()) std::memcpy(out.data(), found.data.data(), found.data.size());
    return out;
  }
  [[nodiscard]] std::optional<FlatTable> table(unsigned field, const char* name) const;
  [[nodiscard]] std::vector<FlatTable> tables(unsigned field, const char* name) const;

  /// Position of the field in the file; none if absent.
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
  std::uint64_t list_;       ///< position of the list of its fields
  std::uint32_t list_size_;  ///< in bytes
  std::uint32_t size_;       ///< of the table's inline data
  const char* name_;
};

}  // namespace tessera::io::tflite_reader
