#include <algorithm>
#include <cstddef>
#include <iterator>
#include <nlohmann/json.hpp>

#include "io/text.h"
#include "io/tree.h"
#include "io/tree_builder.h"

namespace tessera::io {
namespace {

using Json = nlohmann::json;

/// Iterates over the text and records the position: the parser's callbacks carry no positions, but
/// are called right after their token is read.
class Cursor {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  Cursor(const char* at, const char** reached) : at_(at), reached_(reached) {}
  reference operator*() const { return *at_; }
  Cursor& operator++() {
    *reached_ = ++at_;
    return *this;
  }
  Cursor operator++(int) {
    Cursor before = *this;
    ++*this;
    return before;
  }
  friend bool operator==(const Cursor& a, const Cursor& b) { return a.at_ == b.at_; }
  friend bool operator!=(const Cursor& a, const Cursor& b) { return a.at_ != b.at_; }

 private:
  const char* at_;
  const char** reached_;
};

class JsonEvents : public nlohmann::json_sax<Json> {
 public:
  JsonEvents(std::string_view text, const Sources& sources)
      : text_(text), sources_(sources), builder_(sources), counted_(text.data()) {}

  const char* reached = nullptr;

  bool null() override { return scalar(Node::Kind::null, "null"); }
  bool boolean(bool value) override {
    return scalar(Node::Kind::boolean, value ? "true" : "false");
  }
  bool number_integer(number_integer_t value) override {
    return scalar(Node::Kind::whole, std::to_string(value), 1);
  }
  bool number_unsigned(number_unsigned_t value) override {
    return scalar(Node::Kind::whole, std::to_string(value), 1);
  }
  bool number_float(number_float_t, const string_t& written) override {
    // Integers that exceed 64 bits arrive here as well.
    const bool whole = written.find_first_of(".eE") == string_t::npos;
    return scalar(whole ? Node::Kind::whole : Node::Kind::real, written, 1);
  }
  bool string(string_t& value) override { return scalar(Node::Kind::text, std::move(value)); }
  bool binary(binary_t&) override { return false; }

  bool start_object(std::size_t) override { return begin(Node::Kind::map); }
  bool end_object() override { return end(); }
  bool start_array(std::size_t) override { return begin(Node::Kind::list); }
  bool end_array() override { return end(); }
  bool key(string_t& value) override {
    builder_.key(std::move(value), line());
    return true;
  }

  bool parse_error(std::size_t position, const std::string& token,
                   const Json::exception& error) override {
    // "[json.exception.parse_error.101] parse error at line 1, column 2: syntax error while parsing
    // value - invalid literal; last read: 'x'": keep the middle part.
    std::string_view why = error.what();
    if (const auto at = why.find("syntax error "); at != why.npos) {
      why.remove_prefix(at + 13);
    } else if (const auto bracket = why.find("] "); bracket != why.npos) {
      why.remove_prefix(bracket + 2);
    }
    why = why.substr(0, why.find("; last read"));
    std::string message = "is not valid JSON: " + std::string(why);
    // At the end of the document, the token includes text before it.
    if (!token.empty() && token.find("<U+") == token.npos) message += ", at " + shown(token);
    for (char& c : message) c = static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    throw InputError(sources_.newest(), line_at(text_, position > 0 ? position - 1 : 0),
                     std::move(message));
  }

  [[nodiscard]] Node take() { return builder_.take(); }

 private:
  /// The line of the token just read. `ahead`: number of bytes the parser read beyond it.
  std::size_t line(std::ptrdiff_t ahead = 0) {
    const char* const at = std::max(counted_, reached - ahead);
    line_ += static_cast<std::size_t>(std::count(counted_, at, '\n'));
    counted_ = at;
    return line_;
  }

  bool scalar(Node::Kind kind, std::string text, std::ptrdiff_t ahead = 0) {
    builder_.scalar(kind, std::move(text), line(ahead), false);
    return true;
  }
  bool begin(Node::Kind kind) {
    builder_.begin(kind, line());
    return true;
  }
  bool end() {
    builder_.end();
    return true;
  }

  std::string_view text_;
  const Sources& sources_;
  TreeBuilder builder_;
  const char* counted_;
  std::size_t line_ = 1;
};

}  // namespace

Node parse_json(std::string_view text, const Sources& sources) {
  text = without_bom(text);
  require_text(text, sources.newest());
  JsonEvents events(text, sources);
  const char* const end = text.data() + text.size();
  events.reached = text.data();
  Json::sax_parse(Cursor(text.data(), &events.reached), Cursor(end, &events.reached), &events);
  return events.take();
}

}  // namespace tessera::io
