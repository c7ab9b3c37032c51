#include "commands/fold.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace tessera::commands {
namespace {

constexpr std::size_t most_lines = 8192;  ///< held at a time
constexpr std::size_t longest_body = 512;

bool begins_number(char c) {
  return (c >= '0' && c <= '9') || c == '-';
}

/// Calls see(begin, end) for each number of a JSON text outside strings.
template <typename See>
void each_number(std::string_view text, const See& see) {
  bool quoted = false;
  for (std::size_t k = 0; k < text.size(); ++k) {
    if (text[k] == '\\' && quoted) {
      ++k;
    } else if (text[k] == '"') {
      quoted = !quoted;
    } else if (!quoted && begins_number(text[k])) {
      std::size_t end = k + 1;
      while (end < text.size() && begins_number(text[end])) ++end;
      see(k, end);
      k = end - 1;
    }
  }
}

/// The JSON pointers of all numbers, in order.
class Pointers {
 public:
  explicit Pointers(std::string_view text) : text_(text) { value(""); }
  std::vector<std::string> found;

 private:
  void value(const std::string& path) {
    const char c = text_[at_];
    if (c == '{' || c == '[') {
      collection(path, c == '{');
    } else if (c == '"') {
      static_cast<void>(string());
    } else {
      if (begins_number(c)) found.push_back(path);
      while (at_ < text_.size() && text_[at_] != ',' && text_[at_] != '}' && text_[at_] != ']')
        ++at_;
    }
  }
  void collection(const std::string& path, bool named) {
    ++at_;
    for (std::size_t index = 0; text_[at_] != '}' && text_[at_] != ']'; ++index) {
      if (text_[at_] == ',') ++at_;
      std::string name = std::to_string(index);
      if (named) {
        name = string();
        ++at_;  // the colon
      }
      value(path + "/" + name);
    }
    ++at_;
  }
  std::string string() {
    const std::size_t begin = ++at_;
    while (text_[at_] != '"') at_ += text_[at_] == '\\' ? 2U : 1U;
    return std::string(text_.substr(begin, at_++ - begin));
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

void Folder::add(std::string line) {
  Line& added = lines_.emplace_back();
  added.text = std::move(line);
  std::string shape;
  std::size_t from = 0;
  each_number(added.text, [&](std::size_t begin, std::size_t end) {
    shape.append(added.text, from, begin - from);
    shape += '#';
    from = end;
    std::int64_t value = 0;
    std::from_chars(added.text.data() + begin, added.text.data() + end, value);
    added.numbers.push_back(value);
  });
  shape.append(added.text, from);
  added.shape = std::hash<std::string>()(shape);
  if (lines_.size() >= most_lines) finish();
}

std::size_t Folder::rounds_at(std::size_t line, std::size_t length) const {
  std::size_t rounds = 1;
  for (;; ++rounds) {
    const std::size_t next = line + rounds * length;
    if (next + length > lines_.size()) return rounds;
    for (std::size_t k = 0; k < length; ++k) {
      const Line& first = lines_[line + k];
      const Line& second = lines_[line + length + k];
      const Line& here = lines_[next + k];
      if (here.shape != first.shape || here.numbers.size() != first.numbers.size()) return rounds;
      for (std::size_t n = 0; n < first.numbers.size(); ++n)
        if (here.numbers[n] - first.numbers[n] !=
            static_cast<std::int64_t>(rounds) * (second.numbers[n] - first.numbers[n]))
          return rounds;
    }
  }
}

/// The loop that saves most lines; the shortest of equal ones.
Folder::Loop Folder::loop_at(std::size_t line) const {
  Loop best{.length = 1, .rounds = 1};
  const std::size_t longest = std::min(longest_body, (lines_.size() - line) / 2);
  for (std::size_t length = 1; length <= longest; ++length) {
    if (lines_[line + length].shape != lines_[line].shape) continue;
    const std::size_t rounds = rounds_at(line, length);
    if ((rounds - 1) * length > (best.rounds - 1) * best.length)
      best = {.length = length, .rounds = rounds};
  }
  return best;
}

/// Does a loop that begins inside the first round save more?
bool Folder::begins_better(std::size_t line, const Loop& loop) const {
  for (std::size_t later = line + 1; later < line + loop.length; ++later) {
    const Loop other = loop_at(later);
    if ((other.rounds - 1) * other.length > (loop.rounds - 1) * loop.length) return true;
  }
  return false;
}

void Folder::write_loop(std::size_t line, const Loop& loop) {
  std::string out = "{\"kind\":\"for\",\"id\":" + std::to_string(lines_[line].numbers.front()) +
                    ",\"count\":" + std::to_string(loop.rounds) + ",\"body\":[";
  std::string steps;
  for (std::size_t k = 0; k < loop.length; ++k) {
    const Line& first = lines_[line + k];
    const Line& second = lines_[line + loop.length + k];
    const std::string_view text(first.text.data(), first.text.size() - 1);
    if (k > 0) out += ',';
    out += text;
    steps += k > 0 ? ",{" : "{";
    const std::vector<std::string> pointers = Pointers(text).found;
    bool any = false;
    for (std::size_t n = 1; n < first.numbers.size(); ++n) {
      if (second.numbers[n] == first.numbers[n]) continue;
      if (any) steps += ',';
      any = true;
      steps += '"' + pointers[n] + "\":" + std::to_string(second.numbers[n] - first.numbers[n]);
    }
    steps += '}';
  }
  write_(out + "],\"step\":[" + steps + "]}\n");
}

void Folder::finish() {
  for (std::size_t line = 0; line < lines_.size();) {
    const Loop loop = loop_at(line);
    if (loop.rounds == 1 || begins_better(line, loop)) {
      write_(lines_[line++].text);
      continue;
    }
    write_loop(line, loop);
    line += loop.length * loop.rounds;
  }
  lines_.clear();
}

}  // namespace tessera::commands
