#include "search/offchip/shared_objects.h"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <utility>

#include "model/derived.h"
#include "model/poll.h"
#include "search/offchip/heuristic.h"

namespace tessera::search {
namespace {

struct WholeTensor {
  BufferIndex buffer = 0;
  StepRange live;
  Size size = 0;
};

struct Object {
  Size size = 0;
  std::vector<std::size_t> tensors;
};

using Objects = std::vector<Object>;
constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

/// The tensors of one memory, with sizes rounded up to the common alignment.
class Sharing {
 public:
  Sharing(const PlacementProblem& problem, MemoryIndex m, Poll& poll) : poll_(poll) {
    for (BufferIndex b = 0; b < problem.buffers.size(); ++b) {
      const Buffer& buffer = problem.buffers[b];
      if (allowed_memories(problem, buffer).front() != m) continue;
      tensors_.push_back({b, hull_of(buffer), buffer.size});
      alignment_ = std::lcm(alignment_, effective_alignment(buffer, problem.memories[m]));
    }
    by_size_.resize(tensors_.size());
    std::iota(by_size_.begin(), by_size_.end(), std::size_t{0});
    std::stable_sort(by_size_.begin(), by_size_.end(), [this](std::size_t x, std::size_t y) {
      return tensors_[x].size > tensors_[y].size;
    });
    find_profiles();
  }

  [[nodiscard]] const std::vector<WholeTensor>& tensors() const { return tensors_; }
  [[nodiscard]] Size alignment() const { return alignment_; }
  [[nodiscard]] Size total(const Objects& objects) const {
    Size size = 0;
    Size last = 0;
    for (const Object& object : objects) {
      size += align_up(object.size, alignment_);
      last = align_up(object.size, alignment_) - object.size;
    }
    return size - last;  // the space after the last one is not needed
  }

  /// Steps by descending load, and the tensors of each by descending size.
  Objects by_breadth() {
    std::vector<std::size_t> steps(profiles_.size());
    std::iota(steps.begin(), steps.end(), std::size_t{0});
    std::vector<Size> breadths;
    for (const auto& profile : profiles_) {
      Size breadth = 0;
      for (const std::size_t t : profile) breadth += tensors_[t].size;
      breadths.push_back(breadth);
    }
    std::stable_sort(steps.begin(), steps.end(),
                     [&](std::size_t x, std::size_t y) { return breadths[x] > breadths[y]; });
    Objects objects;
    std::vector<char> assigned(tensors_.size(), 0);
    for (const std::size_t step : steps)
      for (const std::size_t t : profiles_[step]) {
        if (assigned[t] != 0) continue;
        assigned[t] = 1;
        // The smallest object that is large enough, else the largest one, which grows.
        std::size_t chosen = none;
        for (std::size_t o = 0; o < objects.size(); ++o) {
          if (!suits(objects[o], t)) continue;
          const auto rank = [&](std::size_t k) {
            const Size size = objects[k].size;
            const bool enough = size >= tensors_[t].size;
            return std::pair(enough ? 0 : 1, enough ? size : -size);
          };
          if (chosen == none || rank(o) < rank(chosen)) chosen = o;
        }
        assign(objects, chosen, t);
      }
    return objects;
  }

  /// Tensors by descending size, each into the smallest suitable object.
  Objects by_size() {
    Objects objects;
    for (const std::size_t t : by_size_) {
      std::size_t chosen = none;
      for (std::size_t o = 0; o < objects.size(); ++o)
        if (suits(objects[o], t) && (chosen == none || objects[o].size < objects[chosen].size))
          chosen = o;
      assign(objects, chosen, t);
    }
    return objects;
  }

  /// By size between positional maximums, each tensor to the object with the least idle time.
  Objects by_size_improved() {
    std::vector<Size> maximums;
    for (const auto& profile : profiles_)
      for (std::size_t k = 0; k < profile.size(); ++k) {
        if (k == maximums.size()) maximums.push_back(0);
        maximums[k] = std::max(maximums[k], tensors_[profile[k]].size);
      }
    const auto stage_of = [&](Size size) {
      std::size_t stage = 0;
      for (const Size maximum : maximums) {
        if (size >= maximum) return stage + (size == maximum ? 1 : 0);
        stage += 2;
      }
      return stage;
    };
    Objects objects;
    for (std::size_t first = 0, last = 0; first < by_size_.size(); first = last) {
      const std::size_t stage = stage_of(tensors_[by_size_[first]].size);
      while (last < by_size_.size() && stage_of(tensors_[by_size_[last]].size) == stage) ++last;
      std::vector<std::size_t> left(by_size_.begin() + static_cast<std::ptrdiff_t>(first),
                                    by_size_.begin() + static_cast<std::ptrdiff_t>(last));
      while (!left.empty()) {
        std::size_t tensor = 0;
        std::size_t object = none;
        Step least = std::numeric_limits<Step>::max();
        for (std::size_t k = 0; k < left.size(); ++k)
          for (std::size_t o = 0; o < objects.size(); ++o) {
            if (!suits(objects[o], left[k])) continue;
            const Step lost = idle(objects[o], left[k]);
            if (lost >= least) continue;
            least = lost;
            tensor = k;
            object = o;
          }
        assign(objects, object, left[tensor]);
        left.erase(left.begin() + static_cast<std::ptrdiff_t>(tensor));
      }
    }
    return objects;
  }

 private:
  /// The sizes live at each step at which a tensor begins, in descending order.
  void find_profiles() {
    std::vector<Step> steps;
    for (const WholeTensor& tensor : tensors_) steps.push_back(tensor.live.lower);
    std::sort(steps.begin(), steps.end());
    steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
    for (const Step step : steps) {
      profiles_.emplace_back();
      for (const std::size_t t : by_size_) {
        poll_();
        if (tensors_[t].live.contains(step)) profiles_.back().push_back(t);
      }
    }
  }

  [[nodiscard]] bool suits(const Object& object, std::size_t t) const {
    poll_(static_cast<std::int64_t>(object.tensors.size()));
    return std::none_of(object.tensors.begin(), object.tensors.end(), [&](std::size_t other) {
      return overlaps(tensors_[other].live, tensors_[t].live);
    });
  }

  /// Idle steps between the tensor and its neighbours in the object.
  [[nodiscard]] Step idle(const Object& object, std::size_t t) const {
    Step least = std::numeric_limits<Step>::max() - 1;
    for (const std::size_t other : object.tensors) {
      const Step after = tensors_[t].live.lower - tensors_[other].live.upper;
      const Step before = tensors_[other].live.lower - tensors_[t].live.upper;
      least = std::min(least, after >= 0 ? after : before);
    }
    return least;
  }

  void assign(Objects& objects, std::size_t o, std::size_t t) const {
    if (o == none) {
      o = objects.size();
      objects.emplace_back();
    }
    objects[o].size = std::max(objects[o].size, tensors_[t].size);
    objects[o].tensors.push_back(t);
  }

  Poll& poll_;
  std::vector<WholeTensor> tensors_;
  Size alignment_ = 1;
  std::vector<std::size_t> by_size_;
  std::vector<std::vector<std::size_t>> profiles_;
};

}  // namespace

facts::FeatureSet shared_objects_features() {
  return heuristic_features;
}

SharedObjects shared_objects(const PlacementProblem& problem, const Budget& budget) {
  SharedObjects result;
  Placement placement;
  placement.places.resize(problem.buffers.size());
  placement.modes.resize(problem.memories.size());
  Poll poll(budget);
  try {
    for (MemoryIndex m = 0; m < problem.memories.size(); ++m) {
      Sharing sharing(problem, m, poll);
      const std::array<std::pair<std::string_view, Objects>, 3> tries{
          {{"by breadth", sharing.by_breadth()},
           {"by size", sharing.by_size()},
           {"by size improved", sharing.by_size_improved()}}};
      const auto* const best =
          std::min_element(tries.begin(), tries.end(), [&](const auto& x, const auto& y) {
            return sharing.total(x.second) < sharing.total(y.second);
          });
      const Size height = best->second.empty() ? 0 : sharing.total(best->second);
      if (height > problem.memories[m].capacity) return result;
      result.heights.push_back(height);
      result.strategies.push_back(best->first);
      Offset at = 0;
      for (const Object& object : best->second) {
        for (const std::size_t t : object.tensors)
          placement.places[sharing.tensors()[t].buffer] = {m, at};
        at += align_up(object.size, sharing.alignment());
      }
    }
  } catch (const BudgetEnded& ended) {
    result.stop = ended.reason;
    return result;
  }
  result.placement = std::move(placement);
  return result;
}

std::unique_ptr<engine::PlacementEngine> make_shared_objects_engine() {
  return make_heuristic_engine(
      "shared-objects", shared_objects_features(),
      [](const PlacementProblem& problem, const engine::SearchParams& search) {
        SharedObjects best = shared_objects(problem, search.budget);
        return HeuristicResult{std::move(best.placement), best.stop, {}};
      });
}

}  // namespace tessera::search
