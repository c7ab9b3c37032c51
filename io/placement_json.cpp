#include "io/placement_json.h"

#include <algorithm>
#include <limits>
#include <unordered_map>

#include "io/files.h"
#include "io/objectives_json.h"
#include "io/placement_tree.h"
#include "io/tree.h"
#include "io/units.h"
#include "io/verdict_json.h"
#include "tessera/check.h"

namespace tessera::io {
namespace {

MismatchError mismatch(const InputError& error) {
  return {error.file, error.line, error.message, error.hint};
}

class PlacementReader {
 public:
  PlacementReader(const Sources& sources, const PlacementProblem& problem)
      : sources_(sources), problem_(problem) {
    for (MemoryIndex m = 0; m < problem.memories.size(); ++m) {
      memories_.emplace(problem.memories[m].name, m);
    }
  }

  PlacementResult read(const Node& root) {
    Fields fields(sources_, root, "the result");
    require_kind(sources_, fields, "placement/1");
    PlacementResult result;
    result.status = read_status(sources_, fields);
    result.stop = read_stop(sources_, fields);
    const bool feasible = result.status == Status::feasible;
    const Node* buffers = feasible ? &fields.need("buffers") : fields.find("buffers");
    if (!feasible && buffers != nullptr) throw without_placement(*buffers, "lists buffers");
    // Missing metrics are computed; stated ones are checked.
    if (feasible) {
      const auto [status, stop] = std::pair(result.status, result.stop);
      result = counted(problem_, placement(*buffers, fields.find("left_out")));
      result.status = status;
      result.stop = stop;
    }
    fields.take("reason", result.reason);
    height(fields, "height", result.height);
    height(fields, "lower_bound", result.lower_bound);
    fields.take("proven_minimum", result.proven_minimum);
    by_memory(fields, "heights", result.heights);
    if (!by_memory(fields, "lower_bounds", result.lower_bounds) && problem_.memories.size() == 1)
      result.lower_bounds = {result.lower_bound};
    fields.take("cost", result.cost);
    fields.take("cost_bound", result.cost_bound);
    benefit(fields, "benefit", result.benefit);
    benefit(fields, "benefit_bound", result.benefit_bound);
    fields.take("proven_optimal", result.proven_optimal);
    result.objectives = read_objectives(sources_, fields);
    fields.take("engine", result.engine);
    if (const Node* node = fields.find("seconds")) {
      result.seconds = as_real(sources_, *node, "seconds");
      if (result.seconds < 0) throw sources_.error(*node, "`seconds` is negative");
    }
    if (const Node* node = fields.find("seed")) result.seed = as_seed(sources_, *node);
    if (feasible) {
      names_by_memory(fields, "modes", &result.placement->modes);
      if (fields.find("unused_modes") != nullptr)
        names_by_memory(fields, "unused_modes", &result.unused_modes.emplace());
    } else {
      for (const char* key :
           {"modes", "unused_modes", "objectives", "left_out", "benefit", "benefit_bound"})
        if (const Node* node = fields.find(key))
          throw without_placement(*node, "has " + shown(key));
    }
    stats(fields, result.stats);
    fields.finish();
    return result;
  }

 private:
  [[nodiscard]] MemoryIndex memory(const Node& at, const std::string& name) const {
    const auto found = memories_.find(name);
    if (found == memories_.end()) {
      throw mismatch(sources_.error_at_key(at, "the problem has no memory " + shown(name)));
    }
    return found->second;
  }

  [[nodiscard]] const std::vector<Node>& map_of_memories(const Node& node,
                                                         std::string_view key) const {
    return Fields(sources_, node, shown(key)).node().children;
  }

  [[nodiscard]] InputError without_placement(const Node& node, const std::string& does) const {
    return sources_.error_at_key(node, does + ", although the status is not `feasible`");
  }

  /// A buffer that begins at the largest address ends above it.
  void height(Fields& fields, std::string_view key, Size& to) const {
    if (const Node* node = fields.find(key)) to = as_whole(sources_, *node, key, 0, unbounded);
  }

  bool by_memory(Fields& fields, std::string_view key, std::vector<Size>& to) const {
    const Node* node = fields.find(key);
    if (node == nullptr) return false;
    to.assign(problem_.memories.size(), 0);
    for (const Node& each : map_of_memories(*node, key)) {
      to[memory(each, each.key)] = as_whole(sources_, each, key, 0, unbounded);
    }
    return true;
  }

  void names_by_memory(Fields& fields, std::string_view key,
                       std::vector<std::vector<std::string>>* to) const {
    if (to != nullptr) to->assign(problem_.memories.size(), {});
    const Node* node = fields.find(key);
    if (node == nullptr) return;
    for (const Node& each : map_of_memories(*node, key)) {
      const MemoryIndex m = memory(each, each.key);
      for (const Node& name : as_list(sources_, each, key)) {
        const std::string& value = as_text(sources_, name, key);
        if (to != nullptr) (*to)[m].push_back(value);
      }
    }
  }

  void benefit(Fields& fields, std::string_view key, Benefit& to) const {
    if (const Node* node = fields.find(key)) to = as_benefit(sources_, *node, key);
  }

  [[nodiscard]] BufferIndex buffer(
      const Node& id, const std::unordered_map<std::string_view, BufferIndex>& index) const {
    const auto found = index.find(as_text(sources_, id, "id"));
    if (found == index.end())
      throw mismatch(sources_.error(id, "the problem has no buffer " + shown(id.text)));
    return found->second;
  }

  [[nodiscard]] Placement placement(const Node& list, const Node* left_out) const {
    std::unordered_map<std::string_view, BufferIndex> index;
    index.reserve(problem_.buffers.size());
    for (BufferIndex b = 0; b < problem_.buffers.size(); ++b) {
      index.emplace(problem_.buffers[b].id, b);
    }
    Placement placement;
    placement.places.resize(problem_.buffers.size());
    std::vector<std::size_t> line_of(problem_.buffers.size(), 0);
    for (const Node& node : as_list(sources_, list, "buffers")) {
      Fields fields(sources_, node, "an entry of `buffers`");
      const Node& id = fields.need("id");
      const BufferIndex b = buffer(id, index);
      if (line_of[b] != 0) {
        throw sources_.error(id, "buffer " + shown(id.text) + " is given twice",
                             "it is first on line " + std::to_string(line_of[b]));
      }
      line_of[b] = id.line;
      read_place(fields, b, placement.places[b]);
    }
    if (left_out != nullptr) {
      for (const Node& id : as_list(sources_, *left_out, "left_out")) {
        const BufferIndex b = buffer(id, index);
        if (line_of[b] != 0)
          throw sources_.error(
              id, "buffer " + shown(id.text) + " is left out, but also listed as placed",
              "it is first on line " + std::to_string(line_of[b]));
        line_of[b] = id.line;
        placement.left_out.push_back(b);
      }
      std::sort(placement.left_out.begin(), placement.left_out.end());
    }
    for (BufferIndex b = 0; b < line_of.size(); ++b) {
      if (line_of[b] == 0) {
        throw mismatch(
            sources_.error(list, "buffer " + shown(problem_.buffers[b].id) + " is missing"));
      }
    }
    return placement;
  }

  void read_place(Fields& fields, BufferIndex b, BufferPlace& place) const {
    const Buffer& buffer = problem_.buffers[b];
    if (const Node* node = fields.find("memory")) {
      place.memory = memory(*node, as_text(sources_, *node, "memory"));
    } else if (problem_.memories.size() > 1) {
      throw sources_.error(fields.node(), "buffer " + shown(buffer.id) +
                                              " has no `memory`, but the problem has several");
    }
    place.offset = as_whole(sources_, fields.need("offset"), "offset", -max_address);
    if (const Node* node = fields.find("address")) {
      const Offset base = problem_.memories[place.memory].base;
      const Offset address = as_whole(sources_, *node, "address", -max_address, unbounded);
      if (address != base + place.offset)
        throw mismatch(sources_.error(
            *node,
            "buffer " + shown(buffer.id) + " has address " + std::to_string(address) +
                " here, but base and offset add up to " + std::to_string(base + place.offset),
            "the result may belong to another problem or another base"));
    }
    if (const Node* node = fields.find("size")) {
      const Size size = as_whole(sources_, *node, "size");
      if (size != buffer.size) {
        throw mismatch(sources_.error(*node,
                                      "buffer " + shown(buffer.id) + " has size " +
                                          std::to_string(size) + " here but " +
                                          std::to_string(buffer.size) + " in the problem",
                                      "the result may belong to another problem"));
      }
    }
    if (const Node* node = fields.find("live")) {
      std::vector<StepRange> live;
      for (const Node& each : as_list(sources_, *node, "live")) {
        const auto [lower, upper] = as_pair(sources_, each, "live");
        live.push_back({as_whole(sources_, *lower, "live"), as_whole(sources_, *upper, "live")});
      }
      if (live != buffer.live) {
        throw mismatch(sources_.error(
            *node,
            "buffer " + shown(buffer.id) + " has other live intervals here than in the problem",
            "the result may belong to another problem"));
      }
    }
    if (const Node* node = fields.find("kind")) {
      const bool weight = as_one_of(sources_, *node, "kind", {"activation", "weight"}) == 1;
      if (weight != (buffer.kind == BufferKind::weight))
        throw mismatch(
            sources_.error(*node, "buffer " + shown(buffer.id) + " has another kind in the problem",
                           "the result may belong to another problem"));
    }
    fields.finish();
  }

  void stats(Fields& fields, Stats& to) const {
    const Node* node = fields.find("stats");
    if (node == nullptr) return;
    for (const Node& each : Fields(sources_, *node, "`stats`").node().children) {
      switch (each.kind) {
        case Node::Kind::whole:
          to.push_back({each.key,
                        as_whole(sources_, each, each.key, std::numeric_limits<std::int64_t>::min(),
                                 std::numeric_limits<std::int64_t>::max())});
          break;
        case Node::Kind::real:
          to.push_back({each.key, as_real(sources_, each, each.key)});
          break;
        case Node::Kind::text:
          to.push_back({each.key, each.text});
          break;
        default:
          throw sources_.error(
              each, shown(each.key) + " must be a number or text, not " + described(each));
      }
    }
  }

  const Sources& sources_;
  const PlacementProblem& problem_;
  std::unordered_map<std::string_view, MemoryIndex> memories_;
};

}  // namespace

PlacementResult read_placement_tree(const Sources& sources, const Node& node,
                                    const PlacementProblem& problem) {
  return PlacementReader(sources, problem).read(node);
}

PlacementResult read_placement_json(std::string_view text, const std::string& file,
                                    const PlacementProblem& problem) {
  const Sources sources(file);
  return read_placement_tree(sources, parse_json(text, sources), problem);
}

PlacementResult read_placement_json_file(const std::filesystem::path& path,
                                         const PlacementProblem& problem) {
  return read_placement_json(read_file(path), path.string(), problem);
}

}  // namespace tessera::io
