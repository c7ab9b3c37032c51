#include "commands/json.h"

#include "model/json_write.h"

namespace tessera::commands {
namespace {

void add_number(std::string& out, std::int64_t value) {
  out += std::to_string(value);
}

template <typename Items, typename Write>
void add_list(std::string& out, const Items& items, Write write) {
  out += '[';
  bool first = true;
  for (const auto& item : items) {
    if (!first) out += ',';
    first = false;
    write(item);
  }
  out += ']';
}

void add_box(std::string& out, const tiling::Box& box) {
  out += '[';
  for (std::size_t axis = 0; axis < box.rank; ++axis) {
    if (axis > 0) out += ',';
    out += '[';
    add_number(out, box[axis].begin);
    out += ',';
    add_number(out, box[axis].end);
    out += ']';
  }
  out += ']';
}

class Line {
 public:
  explicit Line(const Context& context) : context_(context) {}

  std::string command(const Command& c) {
    static constexpr const char* kinds[] = {"load", "store", "compute", "mode", "wait"};
    out_ = "{\"id\":";
    add_number(out_, c.id);
    word("kind", kinds[static_cast<std::size_t>(c.kind)]);
    number("group", static_cast<std::int64_t>(c.group));
    if (!c.queue.empty()) {
      number("tile", c.tile);
      word("queue", c.queue);
    }
    if (!c.after.empty()) {
      key("after");
      add_list(out_, c.after, [&](CommandId id) { add_number(out_, id); });
    }
    if (c.cycles != 0) number("cycles", c.cycles);
    if (c.bus && c.bus_cycles > 0) {
      number("bus", static_cast<std::int64_t>(*c.bus));
      number("bus_cycles", c.bus_cycles);
    }
    if (c.kind == CommandKind::load || c.kind == CommandKind::store) transfer(c);
    if (c.kind == CommandKind::compute) compute(c);
    if (c.kind == CommandKind::mode) {
      word("memory", c.memory);
      word("mode", c.mode);
    }
    out_ += "}\n";
    return std::move(out_);
  }

 private:
  void key(const char* name) {
    out_ += ",\"";
    out_ += name;
    out_ += "\":";
  }
  void number(const char* name, std::int64_t value) {
    key(name);
    add_number(out_, value);
  }
  void word(const char* name, std::string_view value) {
    key(name);
    out_ += json_string(value);
  }
  [[nodiscard]] const std::string& tensor_name(TensorIndex t) const {
    return context_.network.tensors[t].name;
  }
  [[nodiscard]] const std::string& memory_name(std::size_t m) const {
    return context_.hardware.memories[m].space.name;
  }

  void side(const char* name, const Side& side) {
    key(name);
    out_ += "{\"memory\":" + json_string(memory_name(side.memory));
    number("address", side.address);
    key("dims");
    add_list(out_, side.dims, [&](const Level& level) {
      out_ += '[';
      add_number(out_, level.count);
      out_ += ',';
      add_number(out_, level.stride);
      out_ += ']';
    });
    number("element_bytes", side.element_bytes);
    out_ += '}';
  }
  void sides(const Copy& copy) {
    if (copy.src) side("src", *copy.src);
    if (copy.dst) side("dst", *copy.dst);
  }

  void transfer(const Command& c) {
    word("tensor", tensor_name(c.tensor));
    key("box");
    add_box(out_, c.box);
    if (!c.buffer.empty()) word("buffer", c.buffer);
    if (c.bytes != 0) number("bytes", c.bytes);
    if (c.direct) out_ += ",\"direct\":true";
    if (c.rest_of) number("rest_of", *c.rest_of);
    if (c.copies.empty()) return;
    sides(c.copies.front());
    if (c.copies.size() == 1) return;
    key("more");
    out_ += '[';
    for (std::size_t k = 1; k < c.copies.size(); ++k) {
      if (k > 1) out_ += ',';
      const std::size_t begin = out_.size();
      sides(c.copies[k]);
      out_[begin] = '{';  // in place of the comma before the first key
      out_ += '}';
    }
    out_ += ']';
  }

  void place(const Part& part) {
    word("memory", memory_name(part.memory));
    number("address", part.address);
    key("strides");
    out_ += '[';
    for (std::size_t axis = 0; axis < part.box.rank; ++axis) {
      if (axis > 0) out_ += ',';
      add_number(out_, part.strides[axis]);
    }
    out_ += ']';
    if (part.brick.channels == 1) return;
    key("brick");
    out_ += "{\"channels\":" + std::to_string(part.brick.channels);
    number("stride", part.brick.stride);
    if (part.brick.phase != 0) number("phase", part.brick.phase);
    out_ += '}';
  }

  void operand(const Operand& o) {
    out_ += "{\"tensor\":" + json_string(tensor_name(o.tensor));
    key("box");
    add_box(out_, o.box);
    if (!o.buffer.empty()) word("buffer", o.buffer);
    if (o.dtype) word("dtype", to_string(*o.dtype));
    if (o.bits < 8) number("bits", o.bits);
    if (o.encoded > 0) {
      word("memory", memory_name(o.parts.front().memory));
      number("address", o.parts.front().address);
      number("encoded", o.encoded);
    } else {
      if (o.bits == 8 || o.bits > 8) number("element_bytes", o.element_bytes);
      parts(o);
    }
    if (o.as) {
      key("as");
      out_ += "{\"tensor\":" + json_string(tensor_name(o.as->tensor));
      key("box");
      add_box(out_, o.as->box);
      out_ += '}';
    }
    out_ += '}';
  }
  void parts(const Operand& o) {
    if (o.parts.size() == 1) return place(o.parts.front());
    key("parts");
    add_list(out_, o.parts, [&](const Part& part) {
      out_ += "{\"box\":";
      add_box(out_, part.box);
      if (!part.buffer.empty()) word("buffer", part.buffer);
      place(part);
      out_ += '}';
    });
  }

  void compute(const Command& c) {
    word("op", c.op);
    word("engine", c.engine);
    if (c.begins) number("begins", *c.begins);
    if (c.out.empty()) return;
    key("out");
    add_list(out_, c.out, [&](const Operand& o) { operand(o); });
    key("in");
    add_list(out_, c.in, [&](const std::optional<Operand>& o) {
      if (o)
        operand(*o);
      else
        out_ += "null";
    });
    if (!c.pad.empty()) {
      key("pad");
      add_list(out_, c.pad, [&](const std::pair<Dim, Dim>& pad) {
        out_ += '[';
        add_number(out_, pad.first);
        out_ += ',';
        add_number(out_, pad.second);
        out_ += ']';
      });
    }
    if (!c.accumulate) return;
    key("accumulate");
    out_ += "{\"part\":" + std::to_string(c.accumulate->part);
    number("parts", c.accumulate->parts);
    if (c.accumulate->sums) {
      key("sums");
      operand(*c.accumulate->sums);
    }
    out_ += '}';
  }

  const Context& context_;
  std::string out_;
};

}  // namespace

std::string json_line(const Command& command, const Context& context) {
  return Line(context).command(command);
}

std::string footer_line(std::int64_t commands, Size bytes) {
  return "{\"end\":true,\"commands\":" + std::to_string(commands) +
         ",\"bytes\":" + std::to_string(bytes) + "}\n";
}

}  // namespace tessera::commands
