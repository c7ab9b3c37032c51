#include "io/tflite_tables.h"

#include <utility>

namespace tessera::io::tflite_reader {

FlatBytes::FlatBytes(std::string_view bytes, std::string file)
    : bytes_(bytes), file_(std::move(file)) {}

FlatTable FlatBytes::root(const char* name) const {
  return {*this, follow(0, name), name};
}

std::string_view FlatBytes::within(std::uint64_t at, std::uint64_t count, const char* table) const {
  if (at > bytes_.size() || count > bytes_.size() - at)
    damaged("a table " + std::string(table) + " reaches to byte " + std::to_string(at + count) +
            ", but the file ends at byte " + std::to_string(bytes_.size()));
  return bytes_.substr(at, count);
}

std::uint64_t FlatBytes::follow(std::uint64_t at, const char* table) const {
  // Neither term exceeds the file's size plus 2^32: the sum cannot overflow.
  return at + number<std::uint32_t>(at, table);
}

void FlatBytes::unfold(std::uint64_t count) const {
  // Writers share field lists and perhaps a few strings. Each counted item takes at least one byte
  // in the file, tables more, so valid files stay below the limit while hostile ones are bounded.
  const std::uint64_t enough = std::uint64_t{bytes_.size()} + 65536;
  unfolded_ += count;
  if (count > enough || unfolded_ > enough)
    damaged("its tables share parts so often that it would expand to far more than its " +
            std::to_string(bytes_.size()) + " bytes");
}

void FlatBytes::damaged(const std::string& what) const {
  throw InputError(file_, 0, "is a damaged TensorFlow Lite model: " + what,
                   "convert or copy the model again; the file may be truncated");
}

FlatTable::FlatTable(const FlatBytes& file, std::uint64_t at, const char* name)
    : file_(&file), at_(at), list_(0), list_size_(4), size_(4), name_(name) {
  file.unfold(1);
  const std::int64_t back = file.number<std::int32_t>(at, name);
  // `at` is inside the file here, so both fit in 63 bits.
  const std::int64_t list = static_cast<std::int64_t>(at) - back;
  if (list < 0)
    file.damaged("the list of fields of a table " + std::string(name) + " at byte " +
                 std::to_string(at) + " begins before the file");
  list_ = static_cast<std::uint64_t>(list);
  list_size_ = file.number<std::uint16_t>(list_, name);
  size_ = file.number<std::uint16_t>(list_ + 2, name);
  if (list_size_ < 4 || list_size_ % 2 != 0 || size_ < 4)
    file.damaged("a table " + std::string(name) + " at byte " + std::to_string(at) +
                 " has a list of fields of " + std::to_string(list_size_) + " bytes for " +
                 std::to_string(size_) + " bytes of its own");
  static_cast<void>(file.within(list_, list_size_, name));
  static_cast<void>(file.within(at_, size_, name));
}

std::optional<std::uint64_t> FlatTable::place_of(unsigned field, std::size_t size) const {
  const std::uint32_t entry = 4 + 2 * field;
  if (entry >= list_size_) return std::nullopt;  // written with an older schema
  const std::uint32_t inside = file_->number<std::uint16_t>(list_ + entry, name_);
  if (inside == 0) return std::nullopt;
  if (inside < 4 || inside + size > size_)
    file_->damaged("field " + std::to_string(field) + " of a table " + std::string(name_) +
                   " at byte " + std::to_string(at_) + " is not inside the table");
  return at_ + inside;
}

FlatTable::Elements FlatTable::elements(unsigned field, std::size_t size) const {
  const std::optional<std::uint64_t> place = place_of(field, 4);
  if (!place) return {};
  const std::uint64_t vector = file_->follow(*place, name_);
  const std::uint64_t count = file_->number<std::uint32_t>(vector, name_);
  return {vector + 4, count, file_->within(vector + 4, count * size, name_)};
}

std::optional<std::string_view> FlatTable::bytes(unsigned field) const {
  if (!place_of(field, 4)) return std::nullopt;
  return elements(field, 1).data;
}

std::optional<FlatTable> FlatTable::table(unsigned field, const char* name) const {
  const std::optional<std::uint64_t> place = place_of(field, 4);
  if (!place) return std::nullopt;
  return FlatTable(*file_, file_->follow(*place, name_), name);
}

std::vector<FlatTable> FlatTable::tables(unsigned field, const char* name) const {
  const Elements found = elements(field, 4);
  std::vector<FlatTable> out;
  for (std::uint64_t k = 0; k < found.count; ++k)
    out.emplace_back(*file_, file_->follow(found.at + 4 * k, name_), name);
  return out;
}

}  // namespace tessera::io::tflite_reader
