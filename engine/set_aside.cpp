#include "engine/set_aside.h"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "model/derived.h"
#include "model/size_layer.h"

namespace tessera::engine {
namespace {

bool plain(const Memory& memory) {
  return memory.banks.empty() && memory.reserved.empty() && !has_modes(memory) &&
         memory.capacity != unbounded && memory.capacity % memory.alignment == 0;
}

bool movable(const Buffer& buffer) {
  return buffer.gaps.empty() && buffer.parts.empty() && buffer.alignment == 1 && !buffer.offset &&
         !buffer.window;
}

}  // namespace

bool SetAside::overfull() const {
  return std::ranges::any_of(rest.memories, [](const Memory& m) { return m.capacity < 0; });
}

SetAside set_aside(const PlacementProblem& problem) {
  SetAside result;
  result.rest = problem;
  result.block.assign(problem.memories.size(), 0);
  for (const Memory& memory : problem.memories) result.granule.push_back(memory.alignment);
  std::set<BufferIndex> named;
  for (const Relation& relation : problem.relations)
    named.insert(relation.buffers.begin(), relation.buffers.end());
  std::vector<bool> out(problem.buffers.size(), false);
  for (MemoryIndex m = 0; m < problem.memories.size(); ++m) {
    // Those set aside move all others up, which rules may forbid.
    if (!problem.rules.empty() || !plain(problem.memories[m])) continue;
    std::vector<BufferIndex> users;
    bool fixed = false;
    for (BufferIndex b = 0; b < problem.buffers.size(); ++b) {
      const std::vector<MemoryIndex> allowed = allowed_memories(problem, problem.buffers[b]);
      if (std::ranges::find(allowed, m) == allowed.end()) continue;
      users.push_back(b);
      fixed = fixed || !movable(problem.buffers[b]);
    }
    if (fixed) continue;
    // A buffer coexists with all others if it is live from before the first of their ends until the
    // last of their begins.
    Step first_end = std::numeric_limits<Step>::max();
    Step last_begin = 0;
    bool without_breaks = true;
    for (const BufferIndex b : users) {
      without_breaks = without_breaks && problem.buffers[b].live.size() == 1;
      first_end = std::min(first_end, problem.buffers[b].live.back().upper);
      last_begin = std::max(last_begin, problem.buffers[b].live.front().lower);
    }
    for (const BufferIndex b : users) {
      const Buffer& buffer = problem.buffers[b];
      if (buffer.live.front().lower >= first_end || buffer.live.back().upper <= last_begin)
        continue;
      if (named.contains(b) || allowed_memories(problem, problem.buffers[b]).size() != 1) continue;
      out[b] = without_breaks || std::ranges::all_of(users, [&](BufferIndex other) {
                 return other == b || coexist(problem.buffers[b], problem.buffers[other]);
               });
      if (!out[b]) continue;
      result.aside.push_back(b);
      result.memory.push_back(m);
    }
  }
  // The modes of other memories are listed step by step to the end of the problem.
  Step end = 0;
  for (BufferIndex b = 0; b < problem.buffers.size(); ++b)
    if (!out[b]) end = std::max(end, problem.buffers[b].live.back().upper);
  if (end != horizon(problem) && std::ranges::any_of(problem.memories, has_modes)) {
    out.assign(problem.buffers.size(), false);
    result.aside.clear();
    result.memory.clear();
  }
  std::vector<BufferIndex> index(problem.buffers.size());
  result.rest.buffers.clear();
  for (BufferIndex b = 0; b < problem.buffers.size(); ++b) {
    if (out[b]) continue;
    index[b] = result.kept.size();
    result.kept.push_back(b);
    result.rest.buffers.push_back(problem.buffers[b]);
  }
  for (Relation& relation : result.rest.relations)
    for (BufferIndex& b : relation.buffers) b = index[b];
  replace_sizes(result, size_layer(problem));
  return result;
}

void replace_sizes(SetAside& aside, const SizeLayer& layer) {
  std::ranges::fill(aside.block, 0);
  for (std::size_t k = 0; k < aside.aside.size(); ++k)
    aside.block[aside.memory[k]] +=
        align_up(layer.sizes[aside.aside[k]], aside.granule[aside.memory[k]]);
  for (MemoryIndex m = 0; m < aside.block.size(); ++m)
    aside.rest.memories[m].capacity = layer.capacities[m] - aside.block[m];
  for (std::size_t k = 0; k < aside.kept.size(); ++k)
    aside.rest.buffers[k].size = layer.sizes[aside.kept[k]];
}

Placement restore(const SetAside& aside, const std::vector<Size>& sizes, const Placement& placed) {
  Placement whole;
  whole.modes = placed.modes;
  whole.places.resize(sizes.size());
  std::vector<Offset> next(aside.block.size(), 0);
  for (std::size_t k = 0; k < aside.aside.size(); ++k) {
    const MemoryIndex m = aside.memory[k];
    whole.places[aside.aside[k]] = {m, next[m]};
    next[m] += align_up(sizes[aside.aside[k]], aside.granule[m]);
  }
  for (std::size_t k = 0; k < aside.kept.size(); ++k) {
    BufferPlace place = placed.places[k];
    place.offset += aside.block[place.memory];
    whole.places[aside.kept[k]] = place;
  }
  return whole;
}

namespace {

SearchResult too_large() {
  SearchResult result;
  result.status = Status::infeasible;
  result.reason = "the buffers that are live at all steps exceed the capacity of their memory";
  return result;
}

/// Capacities may change between queries and stop being multiples of the alignment. Then setting
/// aside is not valid.
bool still_plain(const SetAside& aside, const std::vector<Size>& capacities) {
  for (const MemoryIndex m : aside.memory)
    if (capacities[m] == unbounded || capacities[m] % aside.granule[m] != 0) return false;
  return true;
}

class AsideSession final : public PlacementSession {
 public:
  AsideSession(PlacementEngine& engine, const PlacementProblem& problem, SetAside aside)
      : engine_(engine), problem_(problem), aside_(std::move(aside)) {}

  SearchResult solve(const SizeLayer& layer, const SearchParams& params) override {
    if (params.goal != Objective::fit || params.proof != nullptr ||
        !still_plain(aside_, layer.capacities)) {
      replace_sizes(problem_, layer);
      return ask(whole_, problem_, params);
    }
    replace_sizes(aside_, layer);
    if (aside_.overfull()) return too_large();
    SearchResult found = ask(rest_, aside_.rest, params);
    if (found.placement) found.placement = restore(aside_, layer.sizes, *found.placement);
    return found;
  }

 private:
  /// Solves the current problem; the session is opened on first use.
  SearchResult ask(std::unique_ptr<PlacementSession>& session, const PlacementProblem& problem,
                   const SearchParams& params) {
    if (!session) session = engine_.open(problem);
    return session->solve(size_layer(problem), params);
  }

  PlacementEngine& engine_;
  PlacementProblem problem_;
  SetAside aside_;
  std::unique_ptr<PlacementSession> rest_;
  std::unique_ptr<PlacementSession> whole_;
};

class AsideEngine final : public PlacementEngine {
 public:
  explicit AsideEngine(std::unique_ptr<PlacementEngine> inner) : inner_(std::move(inner)) {}

  [[nodiscard]] std::string_view name() const override { return inner_->name(); }
  [[nodiscard]] facts::FeatureSet features() const override { return inner_->features(); }
  [[nodiscard]] std::optional<std::string> outgrown(const PlacementProblem& problem,
                                                    Objective goal) const override {
    return inner_->outgrown(problem, goal);
  }
  [[nodiscard]] SearchResult solve(const PlacementProblem& problem,
                                   const SearchParams& params) override {
    if (params.goal != Objective::fit || params.proof != nullptr)
      return inner_->solve(problem, params);
    const SetAside aside = set_aside(problem);
    if (aside.aside.empty()) return inner_->solve(problem, params);
    if (aside.overfull()) return too_large();
    SearchResult found = inner_->solve(aside.rest, params);
    if (!found.placement) return found;
    found.placement = restore(aside, size_layer(problem).sizes, *found.placement);
    return found;
  }
  [[nodiscard]] std::unique_ptr<PlacementSession> open(const PlacementProblem& problem) override {
    SetAside aside = set_aside(problem);
    return std::make_unique<AsideSession>(*inner_, problem, std::move(aside));
  }

 private:
  std::unique_ptr<PlacementEngine> inner_;
};

}  // namespace

std::unique_ptr<PlacementEngine> make_aside_engine(std::unique_ptr<PlacementEngine> inner) {
  return std::make_unique<AsideEngine>(std::move(inner));
}

}  // namespace tessera::engine
