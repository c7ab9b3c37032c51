#include "io/dsa_json.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <unordered_map>

#include "io/dsa_schema.h"
#include "io/files.h"
#include "io/memory_yaml.h"
#include "io/tree.h"

namespace tessera::io {
namespace {

// Maximum number of pairs that an exclusive pin separates; more indicate an error in the file.
constexpr std::size_t most_pairs = 1'000'000;

class Builder {
 public:
  Builder(const Sources& sources, const std::vector<Memory>& given)
      : sources_(sources), given_(given) {
    read_.source.file = sources.newest();
  }

  DsaJson build(const Node& root) {
    check_dsa_document(sources_, root);
    read_.problem.name = root.find("instance")->text;
    const Node& problem = *root.find("problem");
    read_.source.problem_line = problem.key_line;
    read_pools(*problem.find("pools"));
    read_buffers(*problem.find("buffers"));
    const Node& constraints = *problem.find("constraints");
    read_colocations(*constraints.find("colocations"));
    add_pairs(*constraints.find("separations"), RelationKind::disjoint);
    add_pairs(*constraints.find("temporal_exclusions"), RelationKind::may_overlap);
    read_pins(*constraints.find("pinned_allocations"));
    if (const Node* costs = problem.find("cost_model")) {
      read_penalties(*costs->find("reuse_penalties"));
    }
    read_objective(*problem.find("objective"));
    if (const Node* structure = problem.find("pypto_structure")) check_structure(*structure);
    const std::vector<Defect> defects = validate(read_.problem);
    if (!defects.empty()) throw defect_error(read_.source, defects.front());
    return std::move(read_);
  }

 private:
  [[nodiscard]] std::int64_t whole(const Node& map, std::string_view key) const {
    const Node& node = *map.find(key);
    return as_whole(sources_, node, key);
  }

  void read_pools(const Node& list) {
    require_few_memories(sources_, list);
    for (const Node& node : list.children) {
      const Node& id = *node.find("id");
      if (!memories_.emplace(whole(node, "id"), read_.problem.memories.size()).second) {
        throw sources_.error(id, "the pool id " + id.text + " is given twice");
      }
      Memory memory;
      memory.name = node.find("name")->text;
      if (memory.name.empty()) throw sources_.error(*node.find("name"), "a pool's name is empty");
      for (const Memory& earlier : read_.problem.memories) {
        if (earlier.name == memory.name) {
          throw sources_.error(*node.find("name"),
                               "the pool name " + shown(memory.name) + " is given twice");
        }
      }
      if (const Node& capacity = *node.find("capacity"); capacity.kind != Node::Kind::null) {
        memory.capacity = as_whole(sources_, capacity, "capacity", 1);
      }
      for (const Node& range : node.find("reserved_ranges")->children) {
        read_reserved(range, memory);
      }
      if (const Node* banks = node.find("bank_geometry")) read_banks(*banks, memory);
      read_.problem.memories.push_back(std::move(memory));
      read_.source.memories.push_back(node.line);
    }
    if (!given_.empty()) take_given_memories(list);
  }

  void read_reserved(const Node& range, Memory& memory) const {
    const AddressRange reserved{whole(range, "begin"), whole(range, "end")};
    if (reserved.empty()) throw sources_.error(range, "the reserved range is empty");
    if (reserved.end > memory.capacity) {
      throw sources_.error(range, "reserves up to " + std::to_string(reserved.end) +
                                      ", but the capacity is " + std::to_string(memory.capacity));
    }
    memory.reserved.push_back(reserved);
  }

  void read_banks(const Node& node, Memory& memory) {
    const std::int64_t size = as_whole(sources_, *node.find("bank_size"), "bank_size", 1);
    const std::int64_t count = as_whole(sources_, *node.find("num_banks"), "num_banks", 1);
    if (count > most_banks || checked_mul(size, count) != memory.capacity) {
      read_.notes.push_back("The banks of pool " + shown(memory.name) +
                            " do not add up to its capacity and are ignored.");
      return;
    }
    for (std::int64_t k = 0; k < count; ++k) {
      memory.banks.push_back(
          {.name = std::string("b").append(std::to_string(k)), .size = size, .roles = {}});
    }
  }

  void take_given_memories(const Node& list) {
    for (auto& [id, index] : memories_) {
      const std::string& name = read_.problem.memories[index].name;
      const auto found = std::find_if(given_.begin(), given_.end(),
                                      [&](const Memory& each) { return each.name == name; });
      if (found == given_.end()) {
        throw sources_.error(list.children[index], "the profile has no memory " + shown(name));
      }
      index = static_cast<MemoryIndex>(found - given_.begin());
    }
    read_.problem.memories = given_;
    read_.source.memories.assign(given_.size(), list.key_line);
  }

  void read_buffers(const Node& list) {
    std::set<std::string_view> names;
    bool by_name = true;
    for (const Node& node : list.children) {
      const std::string& name = node.find("name")->text;
      by_name = by_name && !name.empty() && names.insert(name).second;
    }
    read_.problem.buffers.reserve(list.children.size());
    for (const Node& node : list.children) {
      const Node& id = *node.find("id");
      const BufferIndex index = read_.problem.buffers.size();
      if (!buffers_.emplace(whole(node, "id"), index).second) {
        throw sources_.error(id, "the buffer id " + id.text + " is given twice");
      }
      Buffer buffer;
      buffer.id = by_name ? node.find("name")->text : id.text;
      buffer.size = as_whole(sources_, *node.find("size"), "size", 1);
      buffer.alignment = as_whole(sources_, *node.find("alignment"), "alignment", 1);
      for (const Node& interval : node.find("live_intervals")->children) {
        const StepRange live{whole(interval, "lower"), whole(interval, "upper")};
        if (live.empty()) throw sources_.error(interval, "the live interval is empty");
        buffer.live.push_back(live);
      }
      join(buffer.live);
      for (const Node& pool : node.find("allowed_pools")->children) {
        buffer.memories.push_back(memory(pool));
      }
      read_.problem.buffers.push_back(std::move(buffer));
      read_.source.buffers.push_back(node.line);
    }
    class_of_.resize(read_.problem.buffers.size());
    std::iota(class_of_.begin(), class_of_.end(), BufferIndex{0});
  }

  /// Sorts the intervals and joins those that touch or overlap.
  static void join(std::vector<StepRange>& live) {
    std::sort(live.begin(), live.end());
    std::vector<StepRange> joined;
    for (const StepRange& each : live) {
      if (!joined.empty() && each.lower <= joined.back().upper) {
        joined.back().upper = std::max(joined.back().upper, each.upper);
      } else {
        joined.push_back(each);
      }
    }
    live = std::move(joined);
  }

  [[nodiscard]] MemoryIndex memory(const Node& id) const {
    const auto found = memories_.find(as_whole(sources_, id, "pool"));
    if (found == memories_.end()) throw sources_.error(id, "unknown pool " + id.text);
    return found->second;
  }

  [[nodiscard]] BufferIndex buffer(const Node& id) const {
    const auto found = buffers_.find(as_whole(sources_, id, "buffer"));
    if (found == buffers_.end()) throw sources_.error(id, "unknown buffer " + id.text);
    return found->second;
  }

  [[nodiscard]] std::pair<BufferIndex, BufferIndex> pair(const Node& node) const {
    const BufferIndex first = buffer(*node.find("first"));
    const BufferIndex second = buffer(*node.find("second"));
    if (first == second) throw sources_.error(node, "names the same buffer twice");
    return {first, second};
  }

  void relate(RelationKind kind, std::vector<BufferIndex> buffers, std::size_t line,
              Cost cost = 0) {
    read_.problem.relations.push_back({kind, std::move(buffers), cost});
    read_.source.relations.push_back(line);
  }

  [[nodiscard]] BufferIndex root_of(BufferIndex b) {
    while (class_of_[b] != b) b = class_of_[b] = class_of_[class_of_[b]];
    return b;
  }

  // One allocation per transitive class, as large as its largest member. A separation from one
  // member is a separation from the whole class.
  void read_colocations(const Node& list) {
    std::map<BufferIndex, std::size_t> first_line;
    for (const Node& node : list.children) {
      const auto [first, second] = pair(node);
      const BufferIndex a = root_of(first);
      const BufferIndex b = root_of(second);
      class_of_[std::max(a, b)] = std::min(a, b);
      first_line.emplace(first, node.line);
      first_line.emplace(second, node.line);
    }
    std::map<BufferIndex, std::vector<BufferIndex>> classes;
    for (const auto& [b, line] : first_line) classes[root_of(b)].push_back(b);
    for (const auto& [root, members] : classes) {
      Size largest = 0;
      for (const BufferIndex b : members) {
        largest = std::max(largest, read_.problem.buffers[b].size);
      }
      for (const BufferIndex b : members) {
        Buffer& buffer = read_.problem.buffers[b];
        if (buffer.size != largest) {
          read_.notes.push_back("Buffer " + shown(buffer.id) + " takes the size " +
                                std::to_string(largest) +
                                " of the largest buffer it is colocated with.");
        }
        buffer.size = largest;
      }
      relate(RelationKind::same_offset, members, first_line.at(root));
    }
  }

  void add_pairs(const Node& list, RelationKind kind) {
    for (const Node& node : list.children) {
      const auto [first, second] = pair(node);
      if (kind == RelationKind::disjoint && root_of(first) == root_of(second)) {
        throw sources_.error(node, "separates two buffers that are colocated");
      }
      relate(kind, {first, second}, node.line);
    }
  }

  [[nodiscard]] bool may_meet(const Buffer& a, const Buffer& b) const {
    return std::any_of(a.memories.begin(), a.memories.end(), [&](MemoryIndex m) {
      return std::find(b.memories.begin(), b.memories.end(), m) != b.memories.end();
    });
  }

  void read_pins(const Node& list) {
    std::set<BufferIndex> pinned;
    for (const Node& node : list.children) {
      const BufferIndex b = buffer(*node.find("buffer"));
      const MemoryIndex m = memory(*node.find("pool"));
      Buffer& buffer = read_.problem.buffers[b];
      if (!pinned.insert(b).second) {
        throw sources_.error(node, "buffer " + shown(buffer.id) + " is pinned twice");
      }
      if (std::find(buffer.memories.begin(), buffer.memories.end(), m) == buffer.memories.end()) {
        throw sources_.error(
            node, "buffer " + shown(buffer.id) + " is pinned to a pool that is not allowed for it");
      }
      buffer.memories = {m};
      buffer.offset = whole(node, "offset");
    }
    // Second pass: the buffers an exclusive pin may share addresses with depend on the pins of
    // others.
    std::set<std::pair<BufferIndex, BufferIndex>> apart;
    for (const Node& node : list.children) {
      if (node.find("exclusive_for_all_time")->text == "true") {
        keep_apart(node, buffer(*node.find("buffer")), apart);
      }
    }
  }

  void keep_apart(const Node& node, BufferIndex pin,
                  std::set<std::pair<BufferIndex, BufferIndex>>& apart) {
    const std::vector<Buffer>& buffers = read_.problem.buffers;
    for (BufferIndex other = 0; other < buffers.size(); ++other) {
      if (root_of(other) == root_of(pin) || !may_meet(buffers[pin], buffers[other])) continue;
      if (!apart.insert(std::minmax(pin, other)).second) continue;
      if (apart.size() > most_pairs) {
        throw sources_.error(node,
                             "exclusive pins and other buffers make more than " +
                                 std::to_string(most_pairs) + " pairs",
                             "reserve the address ranges instead");
      }
      relate(RelationKind::disjoint, {pin, other}, node.line);
    }
  }

  void read_penalties(const Node& list) {
    for (const Node& node : list.children) {
      const auto [first, second] = pair(node);
      const Cost cost = whole(node, "cost");
      if (cost > 0 && root_of(first) != root_of(second)) {
        relate(RelationKind::avoid_overlap, {first, second}, node.line, cost);
      }
    }
  }

  void read_objective(const Node& node) {
    const bool costs =
        std::any_of(read_.problem.relations.begin(), read_.problem.relations.end(),
                    [](const Relation& each) { return each.kind == RelationKind::avoid_overlap; });
    std::vector<Objective> all;
    std::string_view peak_term;
    for (const Node& term : node.find("terms")->children) {
      const bool peak = term.text == "total_peak" || term.text == "max_peak";
      const bool cost = term.text == "reuse_cost" && costs;
      if (!peak && !cost) continue;  // a hard rule here, or always zero
      const Objective what = peak ? Objective::height : Objective::cost;
      if (std::find(all.begin(), all.end(), what) != all.end()) continue;
      if (peak) peak_term = term.text;
      all.push_back(what);
    }
    if (all.empty()) return;
    read_.problem.objective = all.front();
    read_.problem.next_objectives = {all.begin() + 1, all.end()};
    if (all.size() > 1 && read_.problem.memories.size() > 1)
      note_meaning(peak_term, all.front() == Objective::height);
  }

  /// With several memories, a height as first objective minimises each memory's height, which
  /// minimises the sum if each buffer has a given memory. As a later objective it is the largest
  /// height of all.
  void note_meaning(std::string_view peak, bool first) {
    const bool total = peak == "total_peak";
    const bool tied = std::all_of(read_.problem.buffers.begin(), read_.problem.buffers.end(),
                                  [](const Buffer& buffer) { return buffer.memories.size() == 1; });
    if (first ? total && tied : !total) return;
    read_.notes.push_back(std::string(peak) + " is read as " +
                          (first ? "the minimum height of each memory, then the minimum cost."
                                 : "the minimum cost, then the minimum of the largest height."));
  }

  void check_structure(const Node& structure) const {
    for (const Node& each : structure.find("alias_classes")->children) {
      static_cast<void>(buffer(*each.find("buffer")));
    }
    for (const Node& group : structure.find("pipeline_groups")->children) {
      static_cast<void>(memory(*group.find("pool")));
      for (const Node& member : group.find("members")->children) {
        static_cast<void>(buffer(*member.find("buffer")));
      }
    }
  }

  const Sources& sources_;
  const std::vector<Memory>& given_;
  DsaJson read_;
  std::unordered_map<std::int64_t, MemoryIndex> memories_;
  std::unordered_map<std::int64_t, BufferIndex> buffers_;
  std::vector<BufferIndex> class_of_;
};

}  // namespace

DsaJson read_dsa_json(std::string_view text, const std::string& file,
                      const std::vector<Memory>& memories) {
  const Sources sources(file);
  const Node root = parse_json(text, sources);
  return Builder(sources, memories).build(root);
}

DsaJson read_dsa_json_file(const std::filesystem::path& path, const std::vector<Memory>& memories) {
  return read_dsa_json(read_file(path), path.string(), memories);
}

}  // namespace tessera::io
