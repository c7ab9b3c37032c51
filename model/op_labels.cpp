#include "model/op_labels.h"

#include <algorithm>
#include <optional>

namespace tessera {

namespace {

constexpr std::string_view range_mark = " .. ";  ///< between the first op of a run and its last

/// Of what two names have in common: whole folders.
std::size_t common_folders(std::string_view a, std::string_view b) {
  const std::size_t most = std::min(a.size(), b.size());
  std::size_t folders = 0;
  for (std::size_t k = 0; k < most && a[k] == b[k]; ++k)
    if (a[k] == '/') folders = k + 1;
  return folders;
}

}  // namespace

std::string without_repeats(std::string_view name) {
  std::string out;
  while (!name.empty()) {
    const std::size_t slash = name.find('/');
    const std::string_view part = name.substr(0, slash);
    const std::string_view rest = slash == name.npos ? "" : name.substr(slash + 1);
    const bool repeated =
        rest.starts_with(part) && rest.size() > part.size() && rest.find('/') != rest.npos;
    if (!part.empty() && !repeated) {
      out += part;
      if (!rest.empty()) out += '/';
    }
    name = rest;
  }
  return out;
}

std::string shortened(const std::string& text, std::size_t width) {
  constexpr std::string_view gap = "...";
  if (text.size() <= width) return text;
  // Both ends of a range are named, the shorter one as a whole where it is short.
  if (const std::size_t at = text.find(range_mark);
      at != text.npos && width >= range_mark.size() + 4 * gap.size()) {
    const std::string first = text.substr(0, at);
    const std::string last = text.substr(at + range_mark.size());
    const std::size_t room = width - range_mark.size();
    const std::size_t of_last = std::min(last.size(), room - std::min(first.size(), room / 2));
    return shortened(first, room - of_last) + std::string(range_mark) + shortened(last, of_last);
  }
  if (width <= gap.size()) return text.substr(text.size() - width);
  const std::size_t kept = width - gap.size();
  const auto inside = [&](std::size_t at) {
    return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U;
  };
  std::size_t head = kept / 3;
  std::size_t tail = text.size() - (kept - head);
  while (head > 0 && inside(head)) --head;  // no half of a character
  while (inside(tail)) ++tail;
  return text.substr(0, head) + std::string(gap) + text.substr(tail);
}

OpLabels::OpLabels(const NetworkPlan& plan) {
  std::optional<std::string> first;
  std::size_t ops = 0;
  for (const PlannedSubgraph& s : plan.subgraphs) {
    for (const std::string& name : s.names) {
      ++ops;
      const std::string own = without_repeats(name);
      if (!first) {
        first = own;
        common_ = own.rfind('/') == own.npos ? 0 : own.rfind('/') + 1;
      }
      common_ = std::min(common_, common_folders(*first, own));
    }
  }
  if (ops < 2) common_ = 0;
}

std::string OpLabels::of(const PlannedSubgraph& subgraph) const {
  std::string first = without_repeats(subgraph.names.front()).substr(common_);
  if (subgraph.names.size() == 1) return first;
  const std::string last = without_repeats(subgraph.names.back()).substr(common_);
  return first + std::string(range_mark) + last.substr(common_folders(first, last));
}

std::string OpLabels::of(const std::string& name) const {
  return without_repeats(name).substr(common_);
}

}  // namespace tessera
