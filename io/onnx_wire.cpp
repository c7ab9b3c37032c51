#include "io/onnx_wire.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace tessera::io::onnx_reader {
namespace {

/// Messages that contain messages; other length-delimited fields count as texts.
enum class Kind : std::uint8_t {
  text,
  model,
  graph,
  node,
  attribute,
  tensor,
  sparse,
  value,
  type,
  tensor_type,
  element,  ///< of a sequence or an optional type
  shape,
  function,
  training,
};

/// Content of field `field` of a message (onnx.proto).
Kind held(Kind in, std::uint64_t field) {
  struct Field {
    Kind in;
    std::uint64_t field;
    Kind kind;
  };
  static constexpr Field fields[] = {
      {Kind::model, 7, Kind::graph},       {Kind::model, 20, Kind::training},
      {Kind::model, 25, Kind::function},   {Kind::graph, 1, Kind::node},
      {Kind::graph, 5, Kind::tensor},      {Kind::graph, 11, Kind::value},
      {Kind::graph, 12, Kind::value},      {Kind::graph, 13, Kind::value},
      {Kind::graph, 15, Kind::sparse},     {Kind::node, 5, Kind::attribute},
      {Kind::attribute, 5, Kind::tensor},  {Kind::attribute, 6, Kind::graph},
      {Kind::attribute, 10, Kind::tensor}, {Kind::attribute, 11, Kind::graph},
      {Kind::attribute, 14, Kind::type},   {Kind::attribute, 15, Kind::type},
      {Kind::attribute, 22, Kind::sparse}, {Kind::attribute, 23, Kind::sparse},
      {Kind::sparse, 1, Kind::tensor},     {Kind::sparse, 2, Kind::tensor},
      {Kind::value, 2, Kind::type},        {Kind::type, 1, Kind::tensor_type},
      {Kind::type, 4, Kind::element},      {Kind::type, 8, Kind::tensor_type},
      {Kind::type, 9, Kind::element},      {Kind::element, 1, Kind::type},
      {Kind::tensor_type, 2, Kind::shape}, {Kind::function, 7, Kind::node},
      {Kind::training, 1, Kind::graph},    {Kind::training, 2, Kind::graph},
  };
  for (const Field& each : fields)
    if (each.in == in && each.field == field) return each.kind;
  return Kind::text;
}

class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}
  [[nodiscard]] std::size_t at() const { return at_; }

  std::optional<std::uint64_t> number() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && at_ < bytes_.size(); shift += 7) {
      const auto byte = static_cast<unsigned char>(bytes_[at_++]);
      value |= std::uint64_t{byte & 0x7fU} << shift;
      if (byte < 0x80) return value;
    }
    return std::nullopt;
  }
  bool skip(std::uint64_t count) {
    if (count > bytes_.size() - at_) return false;
    at_ += static_cast<std::size_t>(count);
    return true;
  }

 private:
  std::string_view bytes_;
  std::size_t at_ = 0;
};

}  // namespace

std::size_t parts_in(std::string_view bytes, std::size_t most, Poll& poll) {
  struct Level {
    Kind kind;
    std::size_t end;
  };
  Reader reader(bytes);
  std::vector<Level> levels{{Kind::model, bytes.size()}};
  std::size_t parts = 0;
  while (parts <= most) {
    poll();
    while (!levels.empty() && reader.at() >= levels.back().end) levels.pop_back();
    if (levels.empty()) break;
    const std::optional<std::uint64_t> tag = reader.number();
    if (!tag) break;
    switch (*tag & 7U) {
      case 0:
        if (!reader.number()) return parts;
        break;
      case 1:
        if (!reader.skip(8)) return parts;
        break;
      case 2: {
        const std::optional<std::uint64_t> length = reader.number();
        if (!length || *length > bytes.size() - reader.at()) return parts;
        ++parts;
        const Kind kind = held(levels.back().kind, *tag >> 3U);
        if (kind == Kind::text)
          static_cast<void>(reader.skip(*length));
        else
          levels.push_back({kind, reader.at() + static_cast<std::size_t>(*length)});
        break;
      }
      case 3:
      case 4:
        ++parts;  // begin and end of a group: the parser keeps unknown ones
        break;
      case 5:
        if (!reader.skip(4)) return parts;
        break;
      default:
        return parts;  // the parser rejects the file
    }
  }
  return parts;
}

}  // namespace tessera::io::onnx_reader
