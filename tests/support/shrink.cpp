#include "tests/support/shrink.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "tessera/validate.h"

namespace tessera::testing {
namespace {

PlacementProblem without_buffer(PlacementProblem problem, BufferIndex b) {
  problem.buffers.erase(problem.buffers.begin() + static_cast<std::ptrdiff_t>(b));
  for (Relation& relation : problem.relations) {
    std::erase(relation.buffers, b);
    for (BufferIndex& other : relation.buffers) other -= other > b ? 1 : 0;
  }
  std::erase_if(problem.relations, [](const Relation& r) { return r.buffers.size() < 2; });
  return problem;
}

PlacementProblem without_memory(PlacementProblem problem, MemoryIndex m) {
  problem.memories.erase(problem.memories.begin() + static_cast<std::ptrdiff_t>(m));
  for (Buffer& buffer : problem.buffers) {
    const bool tied = !buffer.memories.empty();
    std::erase(buffer.memories, m);
    for (MemoryIndex& other : buffer.memories) other -= other > m ? 1 : 0;
    if (tied && buffer.memories.empty()) buffer.memories = {0};
  }
  return problem;
}

/// All simplifications of one part of the problem; those without effect are harmless.
class Simplifications {
 public:
  explicit Simplifications(const PlacementProblem& problem) : problem_(problem) {}

  std::vector<PlacementProblem> list() {
    for (BufferIndex b = 0; b < problem_.buffers.size(); ++b) {
      results_.push_back(without_buffer(problem_, b));
    }
    for (std::size_t r = 0; r < problem_.relations.size(); ++r) of_relation(r);
    for (MemoryIndex m = 0; m < problem_.memories.size(); ++m) of_memory(m);
    for (BufferIndex b = 0; b < problem_.buffers.size(); ++b) of_buffer(b);
    return std::move(results_);
  }

 private:
  template <typename Change>
  void with(Change change) {
    PlacementProblem copy = problem_;
    change(copy);
    results_.push_back(std::move(copy));
  }

  void of_relation(std::size_t r) {
    with([&](PlacementProblem& p) {
      p.relations.erase(p.relations.begin() + static_cast<std::ptrdiff_t>(r));
    });
    for (std::size_t k = 0;
         problem_.relations[r].buffers.size() > 2 && k < problem_.relations[r].buffers.size();
         ++k) {
      with([&](PlacementProblem& p) {
        auto& buffers = p.relations[r].buffers;
        buffers.erase(buffers.begin() + static_cast<std::ptrdiff_t>(k));
      });
    }
    if (problem_.relations[r].cost > 1) with([&](PlacementProblem& p) { p.relations[r].cost = 1; });
  }

  void of_memory(MemoryIndex m) {
    const Memory& memory = problem_.memories[m];
    if (problem_.memories.size() > 1) results_.push_back(without_memory(problem_, m));
    with([&](PlacementProblem& p) {
      p.memories[m].modes.clear();
      p.memories[m].modes_per_bank = false;
      for (Bank& bank : p.memories[m].banks) bank.roles.clear();
    });
    for (std::size_t k = 0; memory.modes.size() > 1 && k < memory.modes.size(); ++k) {
      with([&](PlacementProblem& p) {
        p.memories[m].modes.erase(p.memories[m].modes.begin() + static_cast<std::ptrdiff_t>(k));
      });
    }
    with([&](PlacementProblem& p) {
      if (p.memories[m].modes.empty() && !p.memories[m].modes_per_bank) p.memories[m].banks.clear();
    });
    with([&](PlacementProblem& p) { p.memories[m].straddle = true; });
    with([&](PlacementProblem& p) { p.memories[m].reserved.clear(); });
    with([&](PlacementProblem& p) { p.memories[m].alignment = 1; });
    with([&](PlacementProblem& p) { p.memories[m].base = 0; });
    if (memory.capacity > 1 && memory.banks.empty()) {
      with([&](PlacementProblem& p) { --p.memories[m].capacity; });
    }
  }

  void of_buffer(BufferIndex b) {
    const Buffer& buffer = problem_.buffers[b];
    with([&](PlacementProblem& p) { p.buffers[b].hint.reset(); });
    with([&](PlacementProblem& p) { p.buffers[b].offset.reset(); });
    with([&](PlacementProblem& p) { p.buffers[b].window.reset(); });
    with([&](PlacementProblem& p) { p.buffers[b].alignment = 1; });
    with([&](PlacementProblem& p) { p.buffers[b].gaps.clear(); });
    with([&](PlacementProblem& p) { p.buffers[b].parts.clear(); });
    for (std::size_t k = 0; k < buffer.parts.size(); ++k) {
      with([&](PlacementProblem& p) {
        p.buffers[b].parts.erase(p.buffers[b].parts.begin() + static_cast<std::ptrdiff_t>(k));
      });
      with([&](PlacementProblem& p) { p.buffers[b].parts[k].repeat.clear(); });
      with([&](PlacementProblem& p) { --p.buffers[b].parts[k].size; });
    }
    with([&](PlacementProblem& p) { p.buffers[b].kind = BufferKind::activation; });
    with([&](PlacementProblem& p) { p.buffers[b].memories.clear(); });
    for (std::size_t k = 0; k < buffer.gaps.size(); ++k) {
      with([&](PlacementProblem& p) {
        p.buffers[b].gaps.erase(p.buffers[b].gaps.begin() + static_cast<std::ptrdiff_t>(k));
      });
    }
    for (std::size_t k = 0; k < buffer.read.size(); ++k) {
      with([&](PlacementProblem& p) {
        p.buffers[b].read.erase(p.buffers[b].read.begin() + static_cast<std::ptrdiff_t>(k));
      });
    }
    for (std::size_t k = 0; k < buffer.write.size(); ++k) {
      with([&](PlacementProblem& p) {
        p.buffers[b].write.erase(p.buffers[b].write.begin() + static_cast<std::ptrdiff_t>(k));
      });
    }
    for (std::size_t k = 0; k < buffer.live.size(); ++k) {
      with([&](PlacementProblem& p) {
        p.buffers[b].live.erase(p.buffers[b].live.begin() + static_cast<std::ptrdiff_t>(k));
      });
      with([&](PlacementProblem& p) { --p.buffers[b].live[k].upper; });
      with([&](PlacementProblem& p) { ++p.buffers[b].live[k].lower; });
    }
    if (buffer.size > 1) with([&](PlacementProblem& p) { --p.buffers[b].size; });
  }

  const PlacementProblem& problem_;
  std::vector<PlacementProblem> results_;
};

/// Decreases with every effective simplification, so that shrinking terminates.
Size weight(const PlacementProblem& problem) {
  std::size_t count = 0;
  Size sizes = 0;
  for (const Memory& memory : problem.memories) {
    count += 20 + memory.banks.size() + memory.modes.size() + memory.reserved.size();
    count += memory.straddle ? 0U : 1U;
    count += memory.modes_per_bank ? 1U : 0U;
    sizes += memory.capacity + memory.alignment;
    for (const Bank& bank : memory.banks) count += bank.roles.size();
  }
  for (const Buffer& buffer : problem.buffers) {
    count += 20 + buffer.live.size() + buffer.gaps.size() + buffer.read.size();
    count += buffer.write.size() + buffer.memories.size();
    for (const BufferPart& part : buffer.parts) {
      count += 5 + part.repeat.size() + part.live.size();
      sizes += part.size;
    }
    count += buffer.offset ? 1U : 0U;
    count += buffer.hint ? 1U : 0U;
    count += buffer.window ? 1U : 0U;
    count += buffer.kind == BufferKind::weight ? 1U : 0U;
    sizes += buffer.size + buffer.alignment;
    for (const StepRange& live : buffer.live) sizes += live.upper - live.lower;
  }
  for (const Relation& relation : problem.relations) {
    count += 1 + relation.buffers.size();
    sizes += relation.cost;
  }
  return static_cast<Size>(count) + sizes;
}

}  // namespace

PlacementProblem shrink(PlacementProblem problem,
                        const std::function<bool(const PlacementProblem&)>& fails) {
  for (bool smaller = true; smaller;) {
    smaller = false;
    for (PlacementProblem& candidate : Simplifications(problem).list()) {
      if (weight(candidate) >= weight(problem) || !validate(candidate).empty()) continue;
      if (!fails(candidate)) continue;
      problem = std::move(candidate);
      smaller = true;
      break;
    }
  }
  return problem;
}

}  // namespace tessera::testing
