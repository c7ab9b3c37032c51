#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <istream>
#include <streambuf>

#include "io/text.h"
#include "io/tree.h"
#include "io/tree_builder.h"

namespace tessera::io {
namespace {

/// Reads from memory it does not own.
class ViewBuffer : public std::streambuf {
 public:
  explicit ViewBuffer(std::string_view text) {
    // The get area is never written to; setg just has no const form.
    char* begin = const_cast<char*>(text.data());  // NOLINT(cppcoreguidelines-pro-type-const-cast)
    setg(begin, begin, begin + text.size());
  }
};

std::size_t line_of(const YAML::Mark& mark) {
  return mark.line < 0 ? 1 : static_cast<std::size_t>(mark.line) + 1;
}

/// yaml-cpp writes the escapes \N and \_ (U+0085, U+00A0) as single bytes, which are invalid UTF-8.
/// The file is valid UTF-8, so no other bytes are affected.
std::string mended(const std::string& value) {
  std::string text;
  for (std::size_t at = 0; at < value.size();) {
    const std::size_t length = utf8_length(std::string_view(value).substr(at));
    if (length == 0) text += '\xC2';
    text.append(value, at, std::max<std::size_t>(1, length));
    at += std::max<std::size_t>(1, length);
  }
  return text;
}

/// yaml-cpp's own tree silently keeps the first of two equal keys and expands aliases; its events
/// lose nothing.
class YamlEvents : public YAML::EventHandler {
 public:
  explicit YamlEvents(const Sources& sources) : sources_(sources), builder_(sources) {}

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (++documents_ > 1) throw at(mark, "starts a second document", "use one document per file");
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    refuse(mark, "?", anchor);
    if (builder_.wants_key()) throw at(mark, "has an empty key");
    // The mark of a missing value is that of the next token.
    const std::size_t line = builder_.key_line() > 0 ? builder_.key_line() : line_of(mark);
    builder_.scalar(Node::Kind::null, {}, line, true);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    throw at(mark, "uses an alias (`*name`), which is not supported", "write the value out");
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    refuse(mark, tag, anchor);
    if (builder_.wants_key()) return builder_.key(mended(value), line_of(mark));
    builder_.scalar(Node::Kind::text, mended(value), line_of(mark), tag != "!");
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    begin(mark, tag, anchor, Node::Kind::list);
  }
  void OnSequenceEnd() override { builder_.end(); }

  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    begin(mark, tag, anchor, Node::Kind::map);
  }
  void OnMapEnd() override { builder_.end(); }

  [[nodiscard]] Node take() { return builder_.take(); }

 private:
  [[nodiscard]] InputError at(const YAML::Mark& mark, std::string message,
                              std::string hint = {}) const {
    return {sources_.newest(), line_of(mark), std::move(message), std::move(hint)};
  }

  void refuse(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) const {
    if (anchor != 0) throw at(mark, "has an anchor (`&name`), which is not supported");
    // Plain scalars and untagged collections carry "?", quoted scalars "!".
    if (!tag.empty() && tag != "?" && tag != "!") {
      throw at(mark, "has the tag " + shown(tag) + "; tags are not supported");
    }
  }

  void begin(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
             Node::Kind kind) {
    refuse(mark, tag, anchor);
    if (builder_.wants_key()) {
      // Also what yaml-cpp makes of a flow collection that the end of the file cuts off.
      throw at(mark, "has a list or a map for a key", "check for an open bracket or quote");
    }
    builder_.begin(kind, line_of(mark));
  }

  const Sources& sources_;
  TreeBuilder builder_;
  int documents_ = 0;
};

/// Lines count from 1.
bool indents_with_tab(std::string_view text, std::size_t line) {
  for (; line > 1; --line) text.remove_prefix(std::min(text.size(), text.find('\n') + 1));
  const std::string_view indent = text.substr(0, text.find_first_not_of(" \t"));
  return indent.find('\t') != std::string_view::npos;
}

}  // namespace

Node parse_yaml(std::string_view text, const Sources& sources) {
  text = without_bom(text);
  require_text(text, sources.newest());
  ViewBuffer buffer(text);
  std::istream stream(&buffer);
  YamlEvents events(sources);
  try {
    YAML::Parser parser(stream);
    if (!parser.HandleNextDocument(events)) {
      throw InputError(sources.newest(), 1, "is empty");
    }
    while (parser.HandleNextDocument(events)) {
    }
  } catch (const YAML::Exception& error) {
    const std::size_t last = line_at(text, text.empty() ? 0 : text.size() - 1);
    const std::size_t line = std::min(line_of(error.mark), last);
    throw InputError(sources.newest(), line,
                     indents_with_tab(text, line)
                         ? "is not valid YAML: a tab in the indentation; use spaces"
                         : "is not valid YAML: " + error.msg);
  }
  Node root = events.take();
  if (root.kind == Node::Kind::null) throw InputError(sources.newest(), 1, "is empty");
  return root;
}

}  // namespace tessera::io
