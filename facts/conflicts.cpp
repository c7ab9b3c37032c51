#include "facts/conflicts.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "facts/joined.h"
#include "model/buffer_parts.h"
#include "model/derived.h"
#include "model/relations.h"

namespace tessera::facts {
namespace {

/// Per buffer, the representative of the buffers that have its offset in every placement.
std::vector<BufferIndex> classes_of(const PlacementProblem& problem) {
  Joined sets(problem.buffers.size());
  for (const Relation& relation : problem.relations)
    if (relation.kind == RelationKind::same_offset)
      for (const BufferIndex b : relation.buffers) sets.join(b, relation.buffers.front());
  std::vector<BufferIndex> classes;
  for (BufferIndex b = 0; b < problem.buffers.size(); ++b) classes.push_back(sets.find(b));
  return classes;
}

std::optional<Step> common_step(const std::vector<StepRange>& a, const std::vector<StepRange>& b) {
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() && j < b.size()) {
    if (overlaps(a[i], b[j])) return std::max(a[i].lower, b[j].lower);
    a[i].upper < b[j].upper ? ++i : ++j;
  }
  return std::nullopt;
}

/// The addresses a buffer may use in a memory.
AddressRange place_in(const Buffer& buffer, const Memory& memory) {
  AddressRange range{0, memory.capacity};
  const auto cut_down = [&range](const AddressRange& to) {
    range = {std::max(range.begin, to.begin), std::min(range.end, to.end)};
  };
  if (buffer.window) cut_down(*buffer.window);
  if (buffer.offset) cut_down({*buffer.offset, *buffer.offset + buffer.size});
  return range;
}

/// Per memory, the addresses that a confined buffer may use; empty for other buffers.
using Places = std::vector<std::pair<MemoryIndex, AddressRange>>;
Places places_of(const PlacementProblem& problem, const Buffer& buffer) {
  Places places;
  if (!buffer.offset && !buffer.window) return places;
  for (const MemoryIndex m : allowed_memories(problem, buffer))
    places.emplace_back(m, place_in(buffer, problem.memories[m]));
  return places;
}

/// Are the addresses of the two disjoint in every memory that both may use?
bool never_meet(const Places& a, const Places& b) {
  if (a.empty() || b.empty()) return false;
  for (const auto& [m, here] : a)
    for (const auto& [other, there] : b)
      if (m == other && overlaps(here, there)) return false;
  return true;
}

}  // namespace

std::vector<StepRange> whole_life(const Buffer& buffer) {
  if (buffer.gaps.empty() && buffer.parts.empty()) return buffer.live;
  std::vector<StepRange> steps;
  for (const Load& load : loads(buffer))
    if (load.bytes == buffer.size) steps.push_back(load.steps);
  return steps;
}

bool separates(const PlacementProblem& problem) {
  return std::any_of(problem.relations.begin(), problem.relations.end(),
                     [](const Relation& relation) {
                       return meaning(relation.kind).keeps_apart ||
                              meaning(relation.kind).lifts_overlap;
                     }) ||
         std::any_of(problem.buffers.begin(), problem.buffers.end(),
                     [](const Buffer& buffer) { return buffer.live.size() > 1; });
}

ConflictGraph::ConflictGraph(const PlacementProblem& problem,
                             const std::vector<MemoryIndex>& memories, std::size_t most)
    : class_of_(classes_of(problem)) {
  choose(problem, memories, most);
  words_ = (buffers_.size() + 63) / 64;
  bits_.assign(buffers_.size() * words_, 0);
  connect(problem);
  inherit_conflicts(problem);
  keep_nodes();
}

void ConflictGraph::choose(const PlacementProblem& problem,
                           const std::vector<MemoryIndex>& memories, std::size_t most) {
  std::vector<char> named(problem.buffers.size(), 0);
  for (const Relation& relation : problem.relations)
    for (const BufferIndex b : relation.buffers)
      if (meaning(relation.kind).keeps_apart) named[b] = 1;
  for (BufferIndex b = 0; b < problem.buffers.size(); ++b) {
    // A relation separates only the used bytes of a buffer with parts.
    if (!problem.buffers[b].parts.empty()) continue;
    const std::vector<MemoryIndex> allowed = allowed_memories(problem, problem.buffers[b]);
    if (std::includes(memories.begin(), memories.end(), allowed.begin(), allowed.end()))
      buffers_.push_back(b);
  }
  if (buffers_.size() > most) {
    std::stable_sort(buffers_.begin(), buffers_.end(), [&](BufferIndex x, BufferIndex y) {
      if (named[x] != named[y]) return named[x] > named[y];
      return problem.buffers[x].size > problem.buffers[y].size;
    });
    buffers_.resize(most);
    std::sort(buffers_.begin(), buffers_.end());
  }
  nodes_ = buffers_.size();
  // A buffer at the offset of a node represents the node, in any memory it may use.
  std::vector<char> inside(problem.buffers.size(), 0);
  std::vector<char> wanted(problem.buffers.size(), 0);
  for (const BufferIndex b : buffers_) inside[b] = wanted[class_of_[b]] = 1;
  for (BufferIndex b = 0; b < problem.buffers.size() && buffers_.size() < 2 * most; ++b)
    if (inside[b] == 0 && wanted[class_of_[b]] != 0 && problem.buffers[b].parts.empty())
      buffers_.push_back(b);
}

void ConflictGraph::join(std::size_t one, std::size_t two) {
  bits_[one * words_ + two / 64] |= std::uint64_t{1} << (two % 64);
  bits_[two * words_ + one / 64] |= std::uint64_t{1} << (one % 64);
}

void ConflictGraph::connect(const PlacementProblem& problem) {
  const std::size_t count = buffers_.size();
  std::vector<std::size_t> node_of(problem.buffers.size(), count);
  for (std::size_t i = 0; i < count; ++i) node_of[buffers_[i]] = i;
  std::vector<std::uint64_t> exempt(bits_.size(), 0);
  std::vector<std::size_t> here;  // the nodes of a relation that may name many more buffers
  const auto each_pair = [&](const Relation& relation, const auto& act) {
    here.clear();
    for (const BufferIndex b : relation.buffers)
      if (node_of[b] < count) here.push_back(node_of[b]);
    for (std::size_t i = 0; i < here.size(); ++i)
      for (std::size_t j = 0; j < i; ++j) act(here[i], here[j]);
  };
  for (const Relation& relation : problem.relations)
    if (meaning(relation.kind).lifts_overlap)
      each_pair(relation, [&](std::size_t one, std::size_t two) {
        exempt[one * words_ + two / 64] |= std::uint64_t{1} << (two % 64);
        exempt[two * words_ + one / 64] |= std::uint64_t{1} << (one % 64);
      });
  std::vector<std::vector<StepRange>> lives;
  lives.reserve(count);
  std::vector<Places> places;
  places.reserve(count);
  for (const BufferIndex b : buffers_) {
    lives.push_back(whole_life(problem.buffers[b]));
    places.push_back(places_of(problem, problem.buffers[b]));
  }
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const bool together = (exempt[i * words_ + j / 64] >> (j % 64) & 1) == 0 &&
                            common_step(lives[i], lives[j]).has_value();
      if (together || never_meet(places[i], places[j])) join(i, j);
    }
  }
  for (const Relation& relation : problem.relations)
    if (meaning(relation.kind).keeps_apart)
      each_pair(relation, [&](std::size_t one, std::size_t two) { join(one, two); });
}

/// A buffer that is not larger than another one of its class inherits its conflicts.
void ConflictGraph::inherit_conflicts(const PlacementProblem& problem) {
  std::vector<std::vector<std::size_t>> classes(problem.buffers.size());
  for (std::size_t i = 0; i < buffers_.size(); ++i) classes[class_of_[buffers_[i]]].push_back(i);
  std::erase_if(classes, [](const auto& members) { return members.size() < 2; });
  const auto size_of = [&](std::size_t node) { return problem.buffers[buffers_[node]].size; };
  std::vector<std::uint64_t> known(words_);
  // Twice: once for each buffer of a pair.
  for (int round = 0; round < 2; ++round) {
    for (std::vector<std::size_t>& members : classes) {
      std::sort(members.begin(), members.end(),
                [&](std::size_t x, std::size_t y) { return size_of(x) > size_of(y); });
      std::fill(known.begin(), known.end(), 0);
      const BufferIndex own = class_of_[buffers_[members.front()]];
      for (std::size_t first = 0, last = 0; first < members.size(); first = last) {
        for (; last < members.size() && size_of(members[last]) == size_of(members[first]); ++last)
          for (std::size_t w = 0; w < words_; ++w) known[w] |= row(members[last])[w];
        for (std::size_t other = 0; other < buffers_.size(); ++other) {
          if ((known[other / 64] >> (other % 64) & 1) == 0) continue;
          if (class_of_[buffers_[other]] == own) continue;
          for (std::size_t k = first; k < last; ++k) join(members[k], other);
        }
      }
    }
  }
}

/// Removes the representatives that are not nodes themselves.
void ConflictGraph::keep_nodes() {
  if (buffers_.size() == nodes_) return;
  const std::size_t words = (nodes_ + 63) / 64;
  std::vector<std::uint64_t> bits(nodes_ * words, 0);
  for (std::size_t i = 0; i < nodes_; ++i)
    for (std::size_t j = 0; j < nodes_; ++j)
      if (conflict(i, j)) bits[i * words + j / 64] |= std::uint64_t{1} << (j % 64);
  buffers_.resize(nodes_);
  bits_ = std::move(bits);
  words_ = words;
}

void for_each_paying_pair(const PlacementProblem& problem, const ConflictGraph& graph,
                          const std::function<void(std::size_t, std::size_t, Cost)>& see) {
  std::vector<std::size_t> node_of(problem.buffers.size(), graph.size());
  for (std::size_t i = 0; i < graph.size(); ++i) node_of[graph.buffer(i)] = i;
  for (const Relation& relation : problem.relations) {
    if (relation.kind != RelationKind::avoid_overlap || relation.cost == 0) continue;
    for (std::size_t a = 0; a < relation.buffers.size(); ++a)
      for (std::size_t b = 0; b < a; ++b) {
        const std::size_t i = node_of[relation.buffers[a]];
        const std::size_t j = node_of[relation.buffers[b]];
        if (i == graph.size() || j == graph.size() || i == j || graph.conflict(i, j)) continue;
        see(i, j, relation.cost);
      }
  }
}

std::string reason(const PlacementProblem& problem, BufferIndex a, BufferIndex b) {
  const std::vector<BufferIndex> classes = classes_of(problem);
  std::string found;
  const auto names = [](const Relation& relation, BufferIndex one) {
    return std::find(relation.buffers.begin(), relation.buffers.end(), one) !=
           relation.buffers.end();
  };
  const auto direct = [&](BufferIndex x, BufferIndex y) -> std::string {
    bool exempt = false;
    std::string relation_says;
    for (const Relation& relation : problem.relations) {
      if (!meaning(relation.kind).keeps_apart && !meaning(relation.kind).lifts_overlap) continue;
      if (!names(relation, x) || !names(relation, y)) continue;
      if (meaning(relation.kind).lifts_overlap)
        exempt = true;
      else if (relation_says.empty())
        relation_says = to_string(relation.kind);
    }
    if (!exempt)
      if (const auto step =
              common_step(whole_life(problem.buffers[x]), whole_life(problem.buffers[y])))
        return "live together at step " + std::to_string(*step);
    if (!relation_says.empty()) return relation_says;
    if (never_meet(places_of(problem, problem.buffers[x]), places_of(problem, problem.buffers[y])))
      return "their possible addresses never overlap";
    return {};
  };
  if (a == b) return found;
  found = direct(a, b);
  for (BufferIndex x = 0; x < classes.size() && found.empty(); ++x) {
    if (classes[x] != classes[a] || problem.buffers[x].size < problem.buffers[a].size) continue;
    for (BufferIndex y = 0; y < classes.size() && found.empty(); ++y) {
      if (classes[y] != classes[b] || problem.buffers[y].size < problem.buffers[b].size) continue;
      if (x == y || classes[a] == classes[b]) continue;
      found = direct(x, y);
      if (!found.empty()) found += ", through buffers at the same offset";
    }
  }
  return found;
}

}  // namespace tessera::facts
