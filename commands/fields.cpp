#include "commands/fields.h"

#include <utility>

namespace tessera::commands {
namespace {

bool in_number(char c) {
  return (c >= '0' && c <= '9') || c == '-';
}

std::size_t end_of_number(std::string_view text, std::size_t at) {
  while (at < text.size() && in_number(text[at])) ++at;
  return at;
}

/// Behind the closing quote of the text that begins here.
std::size_t end_of_text(std::string_view text, std::size_t at) {
  for (++at; text[at] != '"'; ++at)
    if (text[at] == '\\') ++at;
  return at + 1;
}

class Pointers {
 public:
  explicit Pointers(std::string_view text) : text_(text) { value("", ""); }
  std::vector<std::string> found;

 private:
  void value(const std::string& path, std::string_view key) {
    const char c = text_[at_];
    if (c == '{' || c == '[') {
      collection(path, c == '{');
    } else if (c == '"') {
      if (key == buffer_key) found.push_back(path);
      at_ = end_of_text(text_, at_);
    } else if (in_number(c)) {
      found.push_back(path);
      at_ = end_of_number(text_, at_);
    } else {
      while (at_ < text_.size() && text_[at_] != ',' && text_[at_] != '}' && text_[at_] != ']')
        ++at_;
    }
  }
  void collection(const std::string& path, bool named) {
    ++at_;
    for (std::size_t index = 0; text_[at_] != '}' && text_[at_] != ']'; ++index) {
      if (text_[at_] == ',') ++at_;
      if (!named) {
        value(path + "/" + std::to_string(index), "");
        continue;
      }
      const std::size_t end = end_of_text(text_, at_);
      const std::string_view key = text_.substr(at_ + 1, end - at_ - 2);
      at_ = end + 1;  // behind the colon
      value(path + "/" + std::string(key), key);
    }
    ++at_;
  }

  static constexpr std::string_view buffer_key = "buffer";
  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

void each_field(std::string_view line, const std::function<void(std::string_view)>& see) {
  constexpr std::string_view buffer = "\"buffer\":";
  std::size_t at = 0;
  while (at < line.size()) {
    if (line[at] == '"') {
      const std::size_t end = end_of_text(line, at);
      if (at >= buffer.size() && line.substr(at - buffer.size(), buffer.size()) == buffer)
        see(line.substr(at, end - at));
      at = end;
    } else if (in_number(line[at])) {
      const std::size_t end = end_of_number(line, at);
      see(line.substr(at, end - at));
      at = end;
    } else {
      ++at;
    }
  }
}

std::vector<std::string> field_pointers(std::string_view line) {
  return std::move(Pointers(line).found);
}

}  // namespace tessera::commands
