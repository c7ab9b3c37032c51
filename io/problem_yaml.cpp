#include "io/problem_yaml.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "io/collected.h"
#include "io/files.h"
#include "io/memory_yaml.h"
#include "io/rule_yaml.h"
#include "io/tree.h"
#include "io/units.h"
#include "model/derived.h"
#include "model/relations.h"

namespace tessera::io {
namespace {

/// "same_bank, different_banks, ... and avoid_overlap".
std::string all_relations() {
  const auto kinds = relation_kinds();
  std::string text;
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    if (k > 0) text += k + 1 == kinds.size() ? " and " : ", ";
    text += to_string(kinds[k]);
  }
  return text;
}

class ProblemReader {
 public:
  ProblemReader(const Sources& sources, const std::vector<Memory>& memories)
      : sources_(sources), given_(memories) {
    read_.source.file = sources.newest();
  }

  ProblemYaml read(const Node& root) {
    Fields fields(sources_, root, "the problem");
    require_kind(sources_, fields, "problem/1");
    read_.source.problem_line = root.line;
    if (const Node* node = fields.find("name"))
      read_.problem.name = as_text(sources_, *node, "name");
    read_memories(fields);
    read_buffers(fields.need("buffers"));
    if (const Node* node = fields.find("relations")) read_relations(*node);
    if (const Node* node = fields.find("rules")) read_problem_rules(sources_, *node, read_, wrong_);
    if (const Node* node = fields.find("objective"))
      wrong_.attempt([&] { read_objectives(*node); });
    wrong_.attempt([&] { fields.finish(); });
    const bool whole = !wrong_.any();
    for (const Defect& defect : validate(read_.problem))
      if (whole || (defect.part == ProblemPart::buffer && !broken_.contains(defect.index)))
        wrong_.attempt([&] { throw located(root, defect); });
    wrong_.rethrow();
    return std::move(read_);
  }

 private:
  [[nodiscard]] Objective objective(const Node& node) const {
    return static_cast<Objective>(
        as_one_of(sources_, node, "objective",
                  {"fit", "minimize_height", "minimize_cost", "maximize_benefit"}));
  }

  /// One objective, or a list in lexicographic order.
  void read_objectives(const Node& node) {
    if (node.kind != Node::Kind::list) {
      read_.problem.objective = objective(node);
      return;
    }
    if (node.children.empty())
      throw sources_.error(node, "the list of objectives is empty; remove the key for `fit`");
    read_.problem.objective = objective(node.children.front());
    for (std::size_t k = 1; k < node.children.size(); ++k)
      read_.problem.next_objectives.push_back(objective(node.children[k]));
  }

  void read_memories(Fields& fields) {
    PlacementProblem& problem = read_.problem;
    const Node* node = fields.find("memories");
    if (node != nullptr) {
      require_few_memories(sources_, *node);
      Collected wrong;
      for (const Node& each : Fields(sources_, *node, "`memories`").node().children) {
        wrong.attempt([&] {
          Fields memory(sources_, each, "memory " + shown(each.key));
          problem.memories.push_back(read_memory(sources_, memory, each.key));
          memory.finish();
          read_.source.memories.push_back(each.key_line);
        });
      }
      wrong.rethrow();
    }
    if (!given_.empty()) {
      problem.memories = given_;
      read_.source.memories.assign(given_.size(),
                                   node != nullptr ? node->key_line : fields.node().line);
    }
    if (problem.memories.empty()) {
      const std::string hint = "list memories under `memories`, or use --profile";
      if (node == nullptr)
        throw sources_.error(fields.node(), "the problem has no `memories`", hint);
      throw sources_.error_at_key(*node, "the problem has no memory", hint);
    }
    for (MemoryIndex m = 0; m < problem.memories.size(); ++m) {
      memories_.emplace(problem.memories[m].name, m);
    }
  }

  void read_buffers(const Node& node) {
    const std::vector<Node>& list = as_list(sources_, node, "buffers");
    if (list.empty()) throw sources_.error_at_key(node, "the problem has no buffers");
    read_.problem.buffers.reserve(list.size());
    for (const Node& each : list) {
      const std::size_t before = wrong_.count();
      Buffer& buffer = read_.problem.buffers.emplace_back();
      read_.source.buffers.push_back(each.line);
      wrong_.attempt([&] { read_buffer(each, buffer); });
      if (wrong_.count() > before) broken_.insert(read_.problem.buffers.size() - 1);
    }
  }

  void read_id(const Node& id, Buffer& buffer) {
    buffer.id = as_text(sources_, id, "id");
    if (buffer.id.empty()) throw sources_.error(id, "the id is empty");
    const auto [first, inserted] = buffers_.emplace(buffer.id, read_.problem.buffers.size() - 1);
    if (!inserted)
      throw sources_.error(id, "the id " + shown(buffer.id) + " is already on line " +
                                   std::to_string(read_.source.buffers[first->second]));
  }

  void read_buffer(const Node& node, Buffer& buffer) {
    const Node* named = node.find("id");
    const bool has_name = named != nullptr && named->kind == Node::Kind::text;
    Fields fields(sources_, node, has_name ? "buffer " + shown(named->text) : "a buffer");
    const Node& id = fields.need("id");
    wrong_.attempt([&] { read_id(id, buffer); });
    const Node* live = fields.find("live");
    const Node* parts = fields.find("parts");
    if (live == nullptr && parts == nullptr) live = &fields.need("live");
    if (live != nullptr) wrong_.attempt([&] { buffer.live = read_live(*live); });
    const Node& size = fields.need("size");
    wrong_.attempt([&] { buffer.size = as_size(sources_, size, "size", 1); });
    if (parts != nullptr) read_parts(*parts, buffer);
    if (const Node* n = fields.find("alignment")) {
      buffer.alignment = as_size(sources_, *n, "alignment", 1);
    }
    if (const Node* n = fields.find("gaps")) read_gaps(*n, buffer);
    if (const Node* n = fields.find("memory")) read_allowed(*n, buffer);
    if (const Node* n = fields.find("read")) buffer.read = read_steps(*n, "read");
    if (const Node* n = fields.find("write")) buffer.write = read_steps(*n, "write");
    if (const Node* n = fields.find("kind")) {
      buffer.kind =
          static_cast<BufferKind>(as_one_of(sources_, *n, "kind", {"activation", "weight"}));
    }
    if (const Node* n = fields.find("offset")) buffer.offset = as_size(sources_, *n, "offset");
    if (const Node* n = fields.find("hint")) buffer.hint = as_size(sources_, *n, "hint");
    if (const Node* n = fields.find("window")) {
      buffer.window = read_address_range(sources_, *n, "window");
    }
    fields.take("optional", buffer.optional);
    if (const Node* n = fields.find("benefit"))
      buffer.benefit = as_quantity(sources_, *n, "benefit", parse_benefit);
    if (const Node* n = fields.find("group")) {
      buffer.group = as_text(sources_, *n, "group");
      if (buffer.group.empty())
        throw sources_.error(*n, "the group is empty", "remove it for a buffer without a group");
    }
    fields.finish();
  }

  [[nodiscard]] StepRange read_interval(const Node& node, std::string_view what) const {
    const auto [lower, upper] = as_pair(sources_, node, what);
    const StepRange range{as_whole(sources_, *lower, what), as_whole(sources_, *upper, what)};
    if (range.empty()) {
      throw sources_.error(node,
                           shown(what) + " is [" + std::to_string(range.lower) + ", " +
                               std::to_string(range.upper) + "), which is empty",
                           "intervals are half-open: [0, 2] are the steps 0 and 1");
    }
    return range;
  }

  [[nodiscard]] std::vector<StepRange> read_live(const Node& node) const {
    const std::vector<Node>& list = as_list(sources_, node, "live");
    if (list.empty()) throw sources_.error(node, "`live` is empty");
    if (list.front().kind != Node::Kind::list) return {read_interval(node, "live")};
    std::vector<StepRange> live;
    for (const Node& each : list) live.push_back(read_interval(each, "live"));
    return live;
  }

  void read_parts(const Node& node, Buffer& buffer) const {
    const std::vector<Node>& list = as_list(sources_, node, "parts");
    if (list.empty())
      throw sources_.error(node, "`parts` is empty",
                           "remove it if all bytes have the same lifetime");
    for (const Node& each : list) {
      Fields fields(sources_, each, "a part");
      BufferPart part;
      part.live = read_live(fields.need("live"));
      part.offset = as_size(sources_, fields.need("offset"), "offset");
      part.size = as_size(sources_, fields.need("size"), "size", 1);
      if (const Node* repeat = fields.find("repeat"))
        for (const Node& pair : as_list(sources_, *repeat, "repeat")) {
          const auto [count, stride] = as_pair(sources_, pair, "repeat");
          part.repeat.push_back(
              {as_whole(sources_, *count, "repeat", 1), as_size(sources_, *stride, "repeat", 1)});
        }
      fields.finish();
      buffer.parts.push_back(std::move(part));
    }
    if (!buffer.live.empty()) return;
    buffer.live = {buffer.parts.front().live.front()};
    StepRange& hull = buffer.live.front();
    for (const BufferPart& part : buffer.parts)
      for (const StepRange& live : part.live)
        hull = {std::min(hull.lower, live.lower), std::max(hull.upper, live.upper)};
  }

  void read_gaps(const Node& node, Buffer& buffer) const {
    for (const Node& each : as_list(sources_, node, "gaps")) {
      Fields fields(sources_, each, "a gap");
      Gap gap{.steps = read_interval(fields.need("live"), "live"), .window = {}};
      if (const Node* window = fields.find("window")) {
        gap.window = read_address_range(sources_, *window, "window");
      }
      fields.finish();
      buffer.gaps.push_back(gap);
    }
  }

  void read_allowed(const Node& node, Buffer& buffer) const {
    const auto add = [&](const Node& each) {
      const auto found = memories_.find(as_text(sources_, each, "memory"));
      if (found == memories_.end()) {
        throw sources_.error(each, "unknown memory " + shown(each.text));
      }
      buffer.memories.push_back(found->second);
    };
    if (node.kind != Node::Kind::list) return add(node);
    if (node.children.empty()) {
      throw sources_.error(node, "`memory` allows none", "remove it to allow all memories");
    }
    for (const Node& each : node.children) add(each);
  }

  [[nodiscard]] std::vector<Step> read_steps(const Node& node, std::string_view what) const {
    std::vector<Step> steps;
    for (const Node& each : as_list(sources_, node, what)) {
      steps.push_back(as_whole(sources_, each, what));
    }
    std::sort(steps.begin(), steps.end());
    return steps;
  }

  void read_relations(const Node& node) {
    for (const Node& each : as_list(sources_, node, "relations"))
      wrong_.attempt([&] { read_relation(each); });
  }

  void read_relation(const Node& each) {
    Fields fields(sources_, each, "a relation");
    const Node* cost = fields.find("cost");
    const Node* kind = nullptr;
    for (const Node& entry : each.children) {
      if (entry.key == "cost") continue;
      if (!relation_kind_from(entry.key)) {
        throw sources_.error_at_key(entry, shown(entry.key) + " is not a relation",
                                    "relations are " + all_relations());
      }
      if (kind != nullptr) {
        throw sources_.error_at_key(
            entry, "a relation has two kinds, " + shown(kind->key) + " and " + shown(entry.key),
            "write two relations");
      }
      kind = &entry;
    }
    if (kind == nullptr) throw sources_.error(each, "a relation has no kind");
    Relation relation;
    relation.kind = *relation_kind_from(kind->key);
    for (const Node& id : as_list(sources_, *kind, kind->key)) {
      relation.buffers.push_back(buffer(id));
    }
    if (relation.kind == RelationKind::avoid_overlap && cost == nullptr) {
      throw sources_.error(each, "`avoid_overlap` has no `cost`");
    }
    if (cost != nullptr && relation.kind != RelationKind::avoid_overlap) {
      throw sources_.error_at_key(*cost, "`cost` needs `avoid_overlap`");
    }
    if (cost != nullptr) relation.cost = as_whole(sources_, *cost, "cost", 1);
    read_.source.relations.push_back(each.line);
    read_.problem.relations.push_back(std::move(relation));
  }

  [[nodiscard]] BufferIndex buffer(const Node& id) const {
    const auto found = buffers_.find(as_text(sources_, id, "id"));
    if (found == buffers_.end()) throw sources_.error(id, "unknown buffer " + shown(id.text));
    return found->second;
  }

  /// The error at the line of the defect's key, if the file has it.
  [[nodiscard]] InputError located(const Node& root, const Defect& defect) const {
    InputError error = defect_error(read_.source, defect);
    if (defect.part == ProblemPart::rule) return error;  // an entry may be several rules
    if (defect.part == ProblemPart::problem) {
      const Node* field = root.find(defect.field);
      return field == nullptr ? error : sources_.error(*field, error.message);
    }
    const Node* list = root.find(defect.part == ProblemPart::memory   ? "memories"
                                 : defect.part == ProblemPart::buffer ? "buffers"
                                                                      : "relations");
    if (list == nullptr || defect.index >= list->children.size()) return error;
    const Node* field = list->children[defect.index].find(defect.field);
    return field == nullptr ? error : sources_.error(*field, error.message);
  }

  const Sources& sources_;
  const std::vector<Memory>& given_;
  ProblemYaml read_;
  Collected wrong_;
  std::unordered_set<BufferIndex> broken_;  ///< those with an error of their own
  std::unordered_map<std::string, MemoryIndex> memories_;
  std::unordered_map<std::string, BufferIndex> buffers_;
};

}  // namespace

ProblemYaml read_problem_yaml(std::string_view text, const std::string& file,
                              const std::vector<Memory>& memories) {
  const Sources sources(file);
  const Node root = parse_yaml(text, sources);
  return ProblemReader(sources, memories).read(root);
}

ProblemYaml read_problem_yaml_file(const std::filesystem::path& path,
                                   const std::vector<Memory>& memories) {
  return read_problem_yaml(read_file(path), path.string(), memories);
}

}  // namespace tessera::io
