#include "io/report_page.h"

#include "io/account_json.h"
#include "io/page_assets.h"
#include "io/verdict_json.h"
#include "model/json_text.h"

namespace tessera::io {

namespace {

/// Fields that drawing a buffer requires.
void check_buffers(const Sources& sources, const Node& list) {
  for (const Node& node : as_list(sources, list, "buffers")) {
    Fields buffer(sources, node, "an entry of `buffers`");
    const std::string& id = as_text(sources, buffer.need("id"), "id");
    if (const Node* memory = buffer.find("memory"))
      static_cast<void>(as_text(sources, *memory, "memory"));
    static_cast<void>(as_whole(sources, buffer.need("offset"), "offset"));
    static_cast<void>(as_whole(sources, buffer.need("size"), "size", 1));
    if (const Node* kind = buffer.find("kind")) static_cast<void>(as_text(sources, *kind, "kind"));
    const Node* const lives = buffer.find("live");
    if (lives == nullptr)
      throw sources.error(node, "buffer " + shown(id) + " has no live intervals (`live`)",
                          "add the problem with --input FILE");
    if (as_list(sources, *lives, "live").empty())
      throw sources.error(*lives, "buffer " + shown(id) + " has no live interval");
    for (const Node& live : lives->children) {
      const auto [from, to] = as_pair(sources, live, "live");
      if (as_whole(sources, *from, "live") >= as_whole(sources, *to, "live"))
        throw sources.error(live, "buffer " + shown(id) + " has an empty live interval");
    }
  }
}

void check_placement(const Sources& sources, const Node& node) {
  Fields fields(sources, node, "the result");
  const bool feasible = read_status(sources, fields) == Status::feasible;
  const Node* const buffers = feasible ? &fields.need("buffers") : fields.find("buffers");
  if (buffers != nullptr) check_buffers(sources, *buffers);
  if (feasible) static_cast<void>(as_whole(sources, fields.need("height"), "height", 0, unbounded));
  for (const char* key : {"modes", "stats"})
    if (const Node* map = fields.find(key))
      static_cast<void>(Fields(sources, *map, shown(key)).node());
  if (const Node* modes = fields.find("modes"))
    for (const Node& memory : modes->children)
      for (const Node& mode : as_list(sources, memory, "modes"))
        static_cast<void>(as_text(sources, mode, "modes"));
}

void check_metrics(const Sources& sources, const Node& node, const char* what) {
  Fields fields(sources, node, what);
  for (const char* key : {"latency_cycles", "energy_pj", "dram_bytes", "peak_bytes"})
    static_cast<void>(as_real(sources, fields.need(key), key));
}

void check_account(const Sources& sources, Fields& fields) {
  if (const Node* account = fields.find("account"))
    static_cast<void>(read_account(sources, *account));
}

void check_subgraph(const Sources& sources, const Node& node) {
  Fields fields(sources, node, "a subgraph");
  const auto first = as_whole(sources, fields.need("first_op"), "first_op");
  const Node& last = fields.need("last_op");
  const Node& ops = fields.need("ops");
  if (as_list(sources, ops, "ops").empty()) throw sources.error(ops, "a subgraph has no op");
  for (const Node& op : ops.children) static_cast<void>(as_text(sources, op, "ops"));
  if (as_whole(sources, last, "last_op") - first + 1 !=
      static_cast<std::int64_t>(ops.children.size()))
    throw sources.error(last, "a subgraph names " + std::to_string(ops.children.size()) +
                                  " ops, but not those from `first_op` to `last_op`");
  Fields tiles(sources, fields.need("tiles"), "tiles");
  static_cast<void>(as_whole(sources, tiles.need("count"), "count", 1));
  for (const Node& axis : Fields(sources, tiles.need("shape"), "shape").node().children)
    static_cast<void>(as_whole(sources, axis, "shape"));
  if (const Node* variant = fields.find("variant")) {
    Fields of(sources, *variant, "variant");
    for (const char* key : {"weights", "halo", "stationary", "one_copy", "direct"})
      if (const Node* word = of.find(key)) static_cast<void>(as_text(sources, *word, key));
  }
  check_metrics(sources, fields.need("metrics"), "metrics");
  check_account(sources, fields);
  check_placement(sources, fields.need("placement"));
  if (const Node* more = fields.find("more_placements"))
    for (const Node& each : as_list(sources, *more, "more_placements"))
      check_placement(sources, each);
}

void check_plan(const Sources& sources, const Node& node) {
  Fields fields(sources, node, "the plan");
  if (read_status(sources, fields) != Status::feasible) return;
  check_metrics(sources, fields.need("totals"), "totals");
  check_account(sources, fields);
  for (const Node& each : as_list(sources, fields.need("subgraphs"), "subgraphs"))
    check_subgraph(sources, each);
  if (const Node* layers = fields.find("layers"))
    for (const Node& each : as_list(sources, *layers, "layers")) {
      Fields layer(sources, each, "a layer");
      for (const char* key : {"op", "kind", "bound_by"})
        static_cast<void>(as_text(sources, layer.need(key), key));
      for (const char* key : {"compute_cycles", "cycles", "offchip_bytes", "energy_pj"})
        static_cast<void>(as_real(sources, layer.need(key), key));
      check_account(sources, layer);
    }
  if (const Node* pinned = fields.find("pinned"))
    for (const Node& each : as_list(sources, *pinned, "pinned")) {
      Fields pin(sources, each, "an entry of `pinned`");
      for (const char* key : {"weight", "memory"})
        static_cast<void>(as_text(sources, pin.need(key), key));
      static_cast<void>(as_whole(sources, pin.need("offset"), "offset"));
      static_cast<void>(as_whole(sources, pin.need("bytes"), "bytes", 1));
    }
  if (const Node* offchip = fields.find("offchip"))
    for (const Node& each : as_list(sources, *offchip, "offchip")) {
      Fields memory(sources, each, "an off-chip memory");
      static_cast<void>(as_text(sources, memory.need("memory"), "memory"));
      check_buffers(sources, memory.need("buffers"));
    }
}

void append(std::string& out, const Node& node) {
  switch (node.kind) {
    case Node::Kind::text:
      out += json_string(node.text);
      return;
    case Node::Kind::list:
    case Node::Kind::map: {
      const bool map = node.kind == Node::Kind::map;
      out += map ? '{' : '[';
      for (std::size_t k = 0; k < node.children.size(); ++k) {
        if (k > 0) out += ',';
        if (map) out += json_string(node.children[k].key) + ':';
        append(out, node.children[k]);
      }
      out += map ? '}' : ']';
      return;
    }
    case Node::Kind::null:
      out += "null";
      return;
    case Node::Kind::boolean:
    case Node::Kind::whole:
    case Node::Kind::real:
      out += node.text;
      return;
  }
}

}  // namespace

ReportKind check_report_tree(const Sources& sources, const Node& root) {
  Fields fields(sources, root, "the result");
  const Node& kind = fields.need("tessera");
  const std::string& name = as_text(sources, kind, "tessera");
  if (name == "placement/1") {
    check_placement(sources, root);
    return ReportKind::placement;
  }
  if (name == "plan/1") {
    check_plan(sources, root);
    return ReportKind::plan;
  }
  throw sources.error(
      kind, "`tessera` is " + shown(name) + ", but a report needs a `placement/1` or a `plan/1`",
      "write one with place --output FILE.json or plan --output FILE.json");
}

std::string json_text(const Node& node) {
  std::string out;
  append(out, node);
  return out;
}

std::string report_page(std::string_view title, std::string_view result, std::string_view given) {
  return html_page(title, {page_style()}, {{"result", result}, {"given", given}},
                   {page_parts(), report_script()});
}

}  // namespace tessera::io
