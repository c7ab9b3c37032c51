#include "io/objectives_json.h"

#include <utility>

#include "io/text.h"
#include "io/units.h"
#include "tessera/names.h"

namespace tessera::io {

void write_objectives(JsonObject& object, const std::vector<ObjectiveValue>& objectives) {
  if (objectives.empty()) return;
  object.list(
      "objectives", objectives,
      [](const ObjectiveValue& each) {
        const auto amount = [&](std::int64_t value) {
          return each.name == "benefit" ? benefit_text(value) : json_number(value);
        };
        return json_object([&](JsonObject& one) {
          one.text("name", each.name);
          one.entry("value") += amount(each.value);
          one.entry("bound") += amount(each.bound);
          one.truth("proved", each.proved);
        });
      },
      ", ");
}

std::vector<ObjectiveValue> read_objectives(const Sources& sources, Fields& fields) {
  std::vector<ObjectiveValue> objectives;
  const Node* list = fields.find("objectives");
  if (list == nullptr) return objectives;
  for (const Node& each : as_list(sources, *list, "objectives")) {
    Fields entry(sources, each, "an entry of `objectives`");
    ObjectiveValue value;
    const Node& name = entry.need("name");
    value.name = as_text(sources, name, "name");
    static_cast<void>(
        as_one_of(sources, name, "name", {"height", "cost", "modes", "switches", "benefit"}));
    const auto amount = [&](std::string_view key) {
      const Node& node = entry.need(key);
      return value.name == "benefit" ? as_benefit(sources, node, key)
                                     : as_whole(sources, node, key, 0, unbounded);
    };
    value.value = amount("value");
    value.bound = amount("bound");
    entry.take("proved", value.proved);
    entry.finish();
    objectives.push_back(std::move(value));
  }
  return objectives;
}

Benefit as_benefit(const Sources& sources, const Node& node, std::string_view key) {
  static_cast<void>(as_real(sources, node, key));  // a number, whole or not
  const Parsed<Benefit> benefit = parse_benefit(node.text);
  if (!benefit)
    throw sources.error(node, shown(key) + " is " + shown(node.text) + ", which " + benefit.error);
  return *benefit;
}

}  // namespace tessera::io
