#include "io/plan_request.h"

#include "io/text.h"
#include "io/tree.h"

namespace tessera::io {
namespace {

/// The text is a single line; `where` gives its line number.
[[noreturn]] void throw_at(const std::string& where, const InputError& wrong) {
  throw InputError(where, 0, wrong.message, wrong.hint);
}

PlanRequestText read_request(std::string_view text, const std::string& where) {
  const Sources sources(where);
  const Node root = parse_json(text, sources);
  Fields fields(sources, root, "the line");
  PlanRequestText request;
  request.network = as_text(sources, fields.need("network"), "network");
  fields.take("profile", request.profile);
  fields.take("dtype", request.dtype);
  if (const Node* node = fields.find("set")) {
    for (const Node& each : Fields(sources, *node, "`set`").node().children)
      request.changes.push_back({each.key, profile_text(each)});
  }
  fields.finish();
  return request;
}

}  // namespace

PlanRequestText read_plan_request_json(std::string_view text, const std::string& where) {
  try {
    return read_request(text, where);
  } catch (const InputError& wrong) {
    throw_at(where, wrong);
  }
}

}  // namespace tessera::io
