#include "model/relations.h"

#include <array>
#include <optional>
#include <utility>

#include "tessera/names.h"

namespace tessera {

namespace {

constexpr std::size_t count_kinds() {
  std::size_t count = 0;
  while (!meaning(static_cast<RelationKind>(count)).word.empty()) ++count;
  return count;
}

constexpr auto kinds = [] {
  std::array<RelationKind, count_kinds()> all{};
  for (std::size_t k = 0; k < all.size(); ++k) all[k] = static_cast<RelationKind>(k);
  return all;
}();

}  // namespace

std::span<const RelationKind> relation_kinds() {
  return kinds;
}

std::string_view to_string(RelationKind kind) {
  const std::string_view word = meaning(kind).word;
  return word.empty() ? "?" : word;
}

std::optional<RelationKind> relation_kind_from(std::string_view text) {
  for (const RelationKind kind : kinds)
    if (meaning(kind).word == text) return kind;
  return std::nullopt;
}

std::vector<Relation> remaining(const Relation& relation, const std::vector<BufferIndex>& index) {
  std::vector<Relation> left;
  Relation part = relation;
  part.buffers.clear();
  const auto keep = [&] {
    if (part.buffers.size() >= 2) left.push_back(part);
    part.buffers.clear();
  };
  for (const BufferIndex b : relation.buffers) {
    if (index[b] != gone)
      part.buffers.push_back(index[b]);
    else if (relation.kind == RelationKind::adjacent)
      keep();
  }
  keep();
  return left;
}

}  // namespace tessera
