#include "commands/read.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace tessera::commands {

using io::Node;

CommandReader::CommandReader(std::istream& file, const std::string& path, const Network& network,
                             const Hardware& hardware)
    : path_(path), file_(file), sources_(path), network_(network), hardware_(hardware) {
  for (TensorIndex t = 0; t < network.tensors.size(); ++t)
    tensor_of_.emplace(network.tensors[t].name, t);
  const std::optional<Node> first = next_line();
  if (!first || first->find("tessera") == nullptr || first->find("tessera")->text != "commands/1")
    fail(
        "this is not a command file: the first line is not a header `\"tessera\": \"commands/1\"`");
  read_header(*first);
}

void CommandReader::fail(const std::string& message) const {
  throw io::InputError(path_, line_, message);
}

std::optional<Node> CommandReader::next_line() {
  std::string text;
  if (!std::getline(file_, text)) return std::nullopt;
  ++line_;
  try {
    return io::parse_json(text, sources_);
  } catch (const io::InputError& error) {
    fail(error.message);
  }
}

const Node& CommandReader::need(const Node& node, std::string_view key) const {
  const Node* found = node.find(key);
  if (found == nullptr) fail("`" + std::string(key) + "` is missing");
  return *found;
}

std::int64_t CommandReader::whole(const Node& node) const {
  const std::optional<std::int64_t> value = whole_number(node);
  if (!value) fail("`" + node.key + "` is not a whole number in range");
  return *value;
}

std::int64_t CommandReader::whole(const Node& node, std::string_view key,
                                  std::int64_t otherwise) const {
  const Node* found = node.find(key);
  return found == nullptr ? otherwise : whole(*found);
}

const std::string& CommandReader::text(const Node& node) const {
  if (node.kind != Node::Kind::text) fail("`" + node.key + "` is not a text");
  return node.text;
}

std::string CommandReader::text(const Node& node, std::string_view key) const {
  const Node* found = node.find(key);
  return found == nullptr ? std::string() : text(*found);
}

const std::vector<Node>& CommandReader::list(const Node& node) const {
  if (node.kind != Node::Kind::list) fail("`" + node.key + "` is not a list");
  return node.children;
}

TensorIndex CommandReader::tensor(const Node& node) const {
  const auto found = tensor_of_.find(text(node));
  if (found == tensor_of_.end()) fail("the network has no tensor " + io::shown(node.text));
  return found->second;
}

std::size_t CommandReader::memory(const Node& node) const {
  const auto found = std::ranges::find_if(hardware_.memories, [&](const HardwareMemory& each) {
    return each.space.name == text(node);
  });
  if (found == hardware_.memories.end()) fail("the machine has no memory " + io::shown(node.text));
  return static_cast<std::size_t>(found - hardware_.memories.begin());
}

tiling::Box CommandReader::box(const Node& node) const {
  tiling::Box box;
  box.none = false;
  if (list(node).size() > max_rank) fail("`box` has too many axes");
  for (const Node& span : node.children) {
    if (list(span).size() != 2) fail("`box` is not a list of [begin, end)");
    box[box.rank++] = {whole(span.children[0]), whole(span.children[1])};
  }
  for (std::size_t axis = 0; axis < box.rank; ++axis)
    if (box[axis].empty()) fail("`box` is empty");
  return box;
}

void CommandReader::require_inside(const tiling::Box& box, TensorIndex tensor) const {
  const std::vector<Dim>& shape = network_.tensors[tensor].shape;
  if (box.rank != shape.size()) fail("`box` has another number of axes than the tensor");
  for (std::size_t axis = 0; axis < box.rank; ++axis)
    if (box[axis].begin < 0 || box[axis].end > shape[axis]) fail("`box` is not in the tensor");
}

void CommandReader::read_header(const Node& node) {
  for (const Node& each : list(need(node, "queues")))
    header_.queues.push_back(
        {text(need(each, "name")), whole(each, "channels", 1), each.find("staging") != nullptr});
  header_.buses = whole(node, "buses", 0);
  header_.sizes.assign(hardware_.memories.size(), -1);
  for (const Node& each : list(need(node, "memories"))) {
    const std::size_t m = memory(need(each, "name"));
    header_.sizes[m] = whole(need(each, "size"));
    if (whole(each, "base", 0) != hardware_.memories[m].space.base)
      fail("memory '" + hardware_.memories[m].space.name + "' has another base in the profile");
  }
  const Node& totals = need(node, "totals");
  header_.latency_cycles = whole(need(totals, "latency_cycles"));
  header_.dram_bytes = whole(need(totals, "dram_bytes"));
  header_.tensors.resize(network_.tensors.size());
  read_tensors(need(node, "tensors"));
}

void CommandReader::read_tensors(const Node& tensors) {
  for (const Node& each : list(tensors)) {
    const TensorIndex t = tensor(need(each, "name"));
    FileTensor& known = header_.tensors[t];
    known.listed = true;
    std::vector<Dim> shape;
    for (const Node& extent : list(need(each, "shape"))) shape.push_back(whole(extent));
    if (shape != network_.tensors[t].shape ||
        text(need(each, "dtype")) != to_string(network_.tensors[t].type))
      fail("tensor '" + network_.tensors[t].name + "' has another shape or type in the network");
    const auto add = [&](const Node& place, const tiling::Box& box) {
      Operand& operand = known.places.emplace_back();
      operand.tensor = t;
      operand.box = box;
      operand.element_bytes = element_bytes(network_.tensors[t].type);
      operand.bits = whole(place, "bits", element_bits(network_.tensors[t].type));
      operand.encoded = whole(place, "encoded", 0);
      operand.parts.push_back(part(place, box, operand.encoded == 0));
    };
    if (const Node* parts = each.find("parts")) {
      for (const Node& place : list(*parts)) add(place, box(need(place, "box")));
    } else if (each.find("memory") != nullptr) {
      add(each, tiling::whole(shape));
    }
  }
  for (TensorIndex t = 0; t < network_.tensors.size(); ++t)
    if (!header_.tensors[t].listed)
      fail("the header does not list tensor '" + network_.tensors[t].name + "'");
}

Side CommandReader::side(const Node& node) const {
  Side side;
  side.memory = memory(need(node, "memory"));
  side.address = whole(need(node, "address"));
  side.element_bytes = whole(need(node, "element_bytes"));
  if (side.element_bytes < 1) fail("`element_bytes` is less than 1");
  // Without a limit on the counts a damaged file is copied for years.
  const HardwareMemory& of = hardware_.memories[side.memory];
  Size left = (of.offchip ? header_.sizes[side.memory] : of.space.capacity) / side.element_bytes;
  for (const Node& level : list(need(node, "dims"))) {
    if (list(level).size() != 2) fail("`dims` is not a list of [count, stride]");
    side.dims.push_back({whole(level.children[0]), whole(level.children[1])});
    if (side.dims.back().count < 1) fail("`dims` has a count of less than 1");
    left /= side.dims.back().count;
    if (left < 1) fail("`dims` has more bytes than the memory");
  }
  return side;
}

Part CommandReader::part(const Node& node, const tiling::Box& box, bool strides) const {
  Part part;
  part.box = box;
  part.memory = memory(need(node, "memory"));
  part.address = whole(need(node, "address"));
  part.buffer = text(node, "buffer");
  if (!strides) return part;
  const std::vector<Node>& all = list(need(node, "strides"));
  if (all.size() != box.rank) fail("`strides` has another number of axes than `box`");
  for (std::size_t axis = 0; axis < box.rank; ++axis) part.strides[axis] = whole(all[axis]);
  if (const Node* brick = node.find("brick")) {
    part.brick = {whole(need(*brick, "channels")), whole(need(*brick, "stride")),
                  whole(*brick, "phase", 0)};
    if (part.brick.channels < 1 || part.brick.phase < 0) fail("`brick` has no channels");
  }
  return part;
}

Operand CommandReader::operand(const Node& node) const {
  Operand operand;
  operand.tensor = tensor(need(node, "tensor"));
  operand.box = box(need(node, "box"));
  operand.buffer = text(node, "buffer");
  operand.bits = whole(node, "bits", 8);
  operand.encoded = whole(node, "encoded", 0);
  operand.element_bytes = whole(node, "element_bytes", 1);
  if (const Node* dtype = node.find("dtype")) {
    operand.dtype = element_type_from(text(*dtype));
    if (!operand.dtype) fail("there is no element type " + io::shown(dtype->text));
  }
  if (const Node* parts = node.find("parts")) {
    for (const Node& each : list(*parts))
      operand.parts.push_back(part(each, box(need(each, "box")), true));
    if (operand.parts.empty()) fail("`parts` is empty");
  } else {
    operand.parts.push_back(part(node, operand.box, operand.encoded == 0));
  }
  const Tensor& of = network_.tensors[operand.tensor];
  if (operand.encoded == 0 &&
      operand.element_bytes != element_bytes(operand.dtype.value_or(of.type)))
    fail("`element_bytes` is not that of the type");
  require_inside(operand.box, operand.tensor);
  for (const Part& each : operand.parts) require_inside(each.box, operand.tensor);
  if (const Node* as = node.find("as"))
    operand.as = {tensor(need(*as, "tensor")), box(need(*as, "box"))};
  return operand;
}

void CommandReader::transfer(const Node& node, Command& command) const {
  command.tensor = tensor(need(node, "tensor"));
  command.box = box(need(node, "box"));
  require_inside(command.box, command.tensor);
  command.buffer = text(node, "buffer");
  command.bytes = whole(node, "bytes", 0);
  command.direct = node.find("direct") != nullptr;
  if (const Node* rest = node.find("rest_of")) command.rest_of = whole(*rest);
  const auto add = [&](const Node& from) {
    Copy copy;
    if (const Node* src = from.find("src")) copy.src = side(*src);
    if (const Node* dst = from.find("dst")) copy.dst = side(*dst);
    if (!command.direct && (!copy.src || !copy.dst)) fail("a transfer needs `src` and `dst`");
    command.copies.push_back(std::move(copy));
  };
  if (node.find("src") != nullptr || node.find("dst") != nullptr) add(node);
  if (const Node* more = node.find("more"))
    for (const Node& each : list(*more)) add(each);
}

void CommandReader::compute(const Node& node, Command& command) const {
  command.op = text(need(node, "op"));
  command.engine = text(need(node, "engine"));
  if (std::ranges::find(hardware_.engines, command.engine, &Engine::name) ==
      hardware_.engines.end())
    fail("the profile has no engine " + io::shown(command.engine));
  if (const Node* begins = node.find("begins")) command.begins = whole(*begins);
  if (const Node* out = node.find("out"))
    for (const Node& each : list(*out)) command.out.push_back(operand(each));
  if (const Node* in = node.find("in"))
    for (const Node& each : list(*in)) {
      command.in.emplace_back();
      if (each.kind != Node::Kind::null) command.in.back() = operand(each);
    }
  if (const Node* pad = node.find("pad"))
    for (const Node& each : list(*pad)) {
      if (list(each).size() != 2) fail("`pad` is not a list of [before, after]");
      command.pad.emplace_back(whole(each.children[0]), whole(each.children[1]));
    }
  if (const Node* accumulate = node.find("accumulate")) {
    command.accumulate = Accumulate{.part = whole(need(*accumulate, "part")),
                                    .parts = whole(need(*accumulate, "parts")),
                                    .sums = std::nullopt};
    if (const Node* sums = accumulate->find("sums")) command.accumulate->sums = operand(*sums);
  }
}

Command CommandReader::command(const Node& node) {
  static constexpr std::array<std::string_view, 5> kinds{"load", "store", "compute", "mode",
                                                         "wait"};
  Command command;
  const std::string& kind = text(need(node, "kind"));
  const auto found = std::ranges::find(kinds, kind);
  if (found == kinds.end()) fail("there is no command of kind " + io::shown(kind));
  command.kind = static_cast<CommandKind>(found - kinds.begin());
  const std::int64_t group = whole(node, "group", 0);
  if (group < 0) fail("a command has a negative group");
  command.group = static_cast<std::size_t>(group);
  command.tile = whole(node, "tile", 0);
  if (command.tile < 0) fail("a command has a negative tile");
  command.queue = text(node, "queue");
  command.cycles = whole(node, "cycles", 0);
  if (const Node* after = node.find("after"))
    for (const Node& id : list(*after)) command.after.push_back(whole(id));
  if (const Node* bus = node.find("bus")) {
    if (whole(*bus) < 0) fail("a command has a negative bus");
    command.bus = static_cast<std::size_t>(whole(*bus));
    command.bus_cycles = whole(node, "bus_cycles", 0);
  }
  if (command.cycles < 0 || command.bus_cycles < 0) fail("a command has negative cycles");
  if (command.kind == CommandKind::load || command.kind == CommandKind::store)
    transfer(node, command);
  if (command.kind == CommandKind::compute) compute(node, command);
  if (command.kind == CommandKind::mode) {
    command.memory = text(need(node, "memory"));
    command.mode = text(need(node, "mode"));
  }
  return command;
}

std::optional<Command> CommandReader::next() try {
  while (true) {
    if (const Node* node = expander_.next()) {
      Command made = command(*node);
      made.id = expander_.id();
      return made;
    }
    std::optional<Node> line = next_line();
    if (!line) return std::nullopt;
    if (line->find("end") != nullptr) {
      end_.commands = whole(need(*line, "commands"));
      end_.bytes = whole(need(*line, "bytes"));
      if (next_line()) fail("there are lines after the end");
      return std::nullopt;
    }
    expander_.add(*std::move(line));
  }
} catch (const Expander::Malformed& malformed) {
  fail(malformed.what());
}

}  // namespace tessera::commands
