#include "commands/expand.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <utility>

#include "io/error.h"

namespace tessera::commands {
namespace {

using io::Node;
using Malformed = Expander::Malformed;

constexpr std::ptrdiff_t deepest_pointer = 16;

std::int64_t whole(const Node& node) {
  const std::optional<std::int64_t> value = whole_number(node);
  if (!value) throw Malformed("`" + node.key + "` is not a whole number in range");
  return *value;
}

const Node& need(const Node& node, std::string_view key) {
  const Node* found = node.find(key);
  if (found == nullptr) throw Malformed("`" + std::string(key) + "` is missing");
  return *found;
}

const std::vector<Node>& list(const Node& node) {
  if (node.kind != Node::Kind::list) throw Malformed("`" + node.key + "` is not a list");
  return node.children;
}

bool is_loop(const Node& item) {
  const Node* kind = item.find("kind");
  return kind != nullptr && kind->kind == Node::Kind::text && kind->text == "for";
}

/// The value of a key, or of an index of a list.
Node* child(Node& node, std::string_view name) {
  if (node.kind != Node::Kind::list) {
    const auto found = std::ranges::find(node.children, name, &Node::key);
    return found == node.children.end() ? nullptr : &*found;
  }
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), index);
  const bool whole = error == std::errc() && end == name.data() + name.size();
  return whole && index < node.children.size() ? &node.children[index] : nullptr;
}

/// The value at a JSON pointer.
Node* at_pointer(Node& node, std::string_view pointer) {
  Node* at = &node;
  while (!pointer.empty() && at != nullptr) {
    const std::size_t end = std::min(pointer.find('/', 1), pointer.size());
    at = child(*at, pointer.substr(1, end - 1));
    pointer.remove_prefix(end);
  }
  return at;
}

/// Sets the value at a JSON pointer, also of a key that is missing.
void set(Node& node, const Node& value) {
  const std::string& pointer = value.key;
  const std::size_t last = pointer.rfind('/');
  Node* parent = last == std::string::npos
                     ? nullptr
                     : at_pointer(node, std::string_view(pointer).substr(0, last));
  const std::string key = last == std::string::npos ? "" : pointer.substr(last + 1);
  Node* at = parent == nullptr ? nullptr : child(*parent, key);
  if (at == nullptr && parent != nullptr && parent->kind == Node::Kind::map)
    at = &parent->children.emplace_back();
  // Values deep inside of each other would exhaust the stack.
  if (at == nullptr || std::ranges::count(pointer, '/') > deepest_pointer)
    throw Malformed("a command sets " + io::shown(pointer) + ", which is not there");
  *at = value;
  at->key = parent->kind == Node::Kind::list ? std::string() : key;
}

std::int64_t times(std::int64_t round, std::int64_t step) {
  if (step != 0 && round > max_address / std::max(step, -step))
    throw Malformed("a loop steps beyond the range of numbers");
  return round * step;
}

/// What a loop adds in this round.
std::int64_t increment(const Node& entry, std::int64_t round) {
  if (entry.kind != Node::Kind::list) return times(round, whole(entry));
  std::int64_t sum = 0;
  for (const Node& part : entry.children) {
    if (part.kind != Node::Kind::list) {
      sum += times(round, whole(part));
    } else {
      if (part.children.empty()) throw Malformed("a loop has an empty list");
      const auto radix = static_cast<std::int64_t>(part.children.size());
      sum += whole(part.children[static_cast<std::size_t>(round % radix)]);
      round /= radix;
    }
    if (sum > max_address || sum < -max_address)
      throw Malformed("a loop steps beyond the range of numbers");
  }
  return sum;
}

/// Changes a value from this round to the next.
void step(Node& value, const Node& entry, std::int64_t round) {
  if (value.kind != Node::Kind::text) {
    value.text =
        std::to_string(whole(value) - increment(entry, round) + increment(entry, round + 1));
    return;
  }
  const auto count = static_cast<std::int64_t>(list(entry).size());
  if (count == 0) throw Malformed("a loop has an empty list");
  const Node& next = entry.children[static_cast<std::size_t>((round + 1) % count)];
  if (next.kind != Node::Kind::text) throw Malformed("a loop replaces a text by something else");
  value.text = next.text;
}

}  // namespace

std::optional<std::int64_t> whole_number(const Node& node) {
  std::int64_t value = 0;
  const char* end = node.text.data() + node.text.size();
  const auto [read, error] = std::from_chars(node.text.data(), end, value);
  if (node.kind != Node::Kind::whole || error != std::errc() || read != end ||
      value > max_address || value < -max_address)
    return std::nullopt;
  return value;
}

/// Takes the values of the command that it is like, and keeps it for others.
void Expander::fill_in(Node& command) {
  const CommandId id = whole(need(command, "id"));
  if (const Node* like = command.find("like")) {
    const auto found = std::ranges::find(known_, whole(*like), &Known::id);
    if (found == known_.end())
      throw Malformed("a command is like command " + like->text +
                      ", which is not one of the last " + std::to_string(known_commands));
    Node made = found->command;
    made.line = command.line;
    child(made, "id")->text = std::to_string(id);
    if (const Node* values = command.find("set"))
      for (const Node& value : values->children) set(made, value);
    made.key = command.key;
    command = std::move(made);
  }
}

void Expander::fill_in_all(Node& item) {
  if (!is_loop(item)) {
    fill_in(item);
    known_.push_back({whole(need(item, "id")), item});
    if (known_.size() > known_commands) known_.pop_front();
    return;
  }
  list(need(item, "body"));
  for (Node& each : child(item, "body")->children) fill_in_all(each);
}

void Expander::add(Node line) {
  if (is_loop(line)) {
    fill_in_all(line);
    next_id_ = whole(need(line, "id"));
    begin_loop(line);
    begins_ = true;
    return;
  }
  fill_in(line);
  next_id_ = whole(need(line, "id"));
  known_.push_back({next_id_, std::move(line)});
  if (known_.size() > known_commands) known_.pop_front();
  plain_ = &known_.back().command;
}

const Node* Expander::next() {
  if (plain_ != nullptr) {
    id_ = next_id_;
    return std::exchange(plain_, nullptr);
  }
  if (!std::exchange(begins_, false)) step_on();
  if (loops_.empty()) return nullptr;
  while (is_loop(loops_.back().body.children[loops_.back().at]))
    begin_loop(loops_.back().body.children[loops_.back().at]);
  id_ = next_id_++;
  return &loops_.back().body.children[loops_.back().at];
}

void Expander::begin_loop(const Node& node) {
  Loop loop;
  loop.rounds = whole(need(node, "count"));
  loop.body = need(node, "body");
  loop.step = need(node, "step");
  if (loop.rounds < 1 || list(loop.body).empty() ||
      list(loop.step).size() != loop.body.children.size())
    throw Malformed("a loop has no round, no body, or not one `step` per item of the body");
  loops_.push_back(std::move(loop));
}

/// To the next item of the loops.
void Expander::step_on() {
  while (!loops_.empty()) {
    Loop& loop = loops_.back();
    if (++loop.at < loop.body.children.size()) return;
    loop.at = 0;
    if (loop.round + 1 < loop.rounds) return advance(loop);
    loops_.pop_back();
  }
}

void Expander::advance(Loop& loop) {
  for (std::size_t k = 0; k < loop.body.children.size(); ++k)
    for (const Node& entry : loop.step.children[k].children) {
      Node* value = at_pointer(loop.body.children[k], entry.key);
      if (value == nullptr)
        throw Malformed("a loop steps " + io::shown(entry.key) + ", which is not there");
      step(*value, entry, loop.round);
    }
  ++loop.round;
}

}  // namespace tessera::commands
