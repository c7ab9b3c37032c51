#include "commands/fold.h"

#include <charconv>
#include <utility>

#include "commands/fields.h"

namespace tessera::commands {
namespace {

constexpr std::size_t most_lines = 8192;  ///< held at a time

}  // namespace

std::int64_t Folder::field(std::string_view text) {
  std::int64_t value = 0;
  if (text.front() != '"') {
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
  }
  const auto [at, fresh] = text_fields_.try_emplace(
      std::string(text), first_text + static_cast<std::int64_t>(texts_.size()));
  if (fresh) texts_.push_back(at->first);
  return at->second;
}

void Folder::add(std::string line) {
  Item& added = items_.emplace_back();
  line.pop_back();
  added.text = std::move(line);
  added.size = added.text.size();
  const std::string_view whole = added.text;
  std::string shape;
  std::size_t from = 0;
  each_field(whole, [&](std::string_view text) {
    const auto at = static_cast<std::size_t>(text.data() - whole.data());
    shape += whole.substr(from, at - from);
    shape += text.front() == '"' ? '"' : '#';
    from = at + text.size();
    added.fields.push_back(field(text));
  });
  shape += whole.substr(from);
  added.shape = std::hash<std::string>()(shape);
  if (++lines_ < most_lines) return;
  fold_repeated(items_);
  lines_ = 0;
  for (const Item& item : items_) lines_ += item.lines;
  if (lines_ > most_lines / 2) finish();
}

/// A sequence of numbers, or of texts.
std::string Folder::entries(const Sequence& sequence, std::int64_t first) const {
  if (first < first_text) return json_text(sequence);
  std::string out;
  for (const std::int64_t each : sequence.digits.front())
    out += (out.empty() ? "[" : ",") + texts_[static_cast<std::size_t>(first + each - first_text)];
  return out + "]";
}

std::string Folder::steps(const Item& loop) const {
  std::string out;
  std::size_t field = 0;
  for (const Item& item : loop.body) {
    out += out.empty() ? "{" : ",{";
    bool first = true;
    for (const std::string& pointer : pointers(item)) {
      const std::size_t at = field++;
      if (loop.sequences[at].constant()) continue;
      if (!std::exchange(first, false)) out += ',';
      out += '"' + pointer + "\":" + entries(loop.sequences[at], loop.fields[at]);
    }
    out += '}';
  }
  return out;
}

void Folder::append(std::string& out, const Item& item) {
  if (item.count == 0) {
    out += likes_.written(item.text);
    return;
  }
  out += "{\"kind\":\"for\",\"id\":" + std::to_string(item.fields.front()) +
         ",\"count\":" + std::to_string(item.count) + ",\"body\":[";
  for (const Item& each : item.body) {
    append(out, each);
    out += ',';
  }
  out.back() = ']';
  out += ",\"step\":[" + steps(item) + "]}";
}

void Folder::finish() {
  fold_repeated(items_);
  fold_pairs(items_);
  for (const Item& item : items_) {
    std::string text;
    append(text, item);
    write_(text + '\n');
  }
  items_.clear();
  lines_ = 0;
}

}  // namespace tessera::commands
