// A heap of Boolean variables by activity (Een, Sorensson, MiniSat, 2003).
#pragma once

#include <utility>
#include <vector>

#include "literal.h"

namespace tessera::search::learning {

class ActivityHeap {
 public:
  void add(Var var, double activity) {
    if (position_.size() <= var) {
      position_.resize(var + 1, -1);
      activity_.resize(var + 1, 0);
    }
    activity_[var] = activity;
    insert(var);
  }
  [[nodiscard]] bool knows(Var var) const { return var < activity_.size() && activity_[var] >= 0; }
  [[nodiscard]] bool empty() const { return heap_.empty(); }
  [[nodiscard]] double activity(Var var) const { return activity_[var]; }

  void insert(Var var) {
    if (position_[var] >= 0) return;
    position_[var] = static_cast<int>(heap_.size());
    heap_.push_back(var);
    up(heap_.size() - 1);
  }
  Var pop() {
    const Var top = heap_[0];
    position_[top] = -1;
    const Var last = heap_.back();
    heap_.pop_back();
    if (!heap_.empty()) {
      heap_[0] = last;
      position_[last] = 0;
      down(0);
    }
    return top;
  }
  void bump(Var var) {
    activity_[var] += step_;
    if (activity_[var] > 1e100) {
      for (double& each : activity_) each *= 1e-100;
      step_ *= 1e-100;
    }
    if (position_[var] >= 0) up(static_cast<std::size_t>(position_[var]));
  }
  void decay(double factor) { step_ /= factor; }

 private:
  void place(std::size_t at, Var var) {
    heap_[at] = var;
    position_[var] = static_cast<int>(at);
  }
  void up(std::size_t at) {
    const Var var = heap_[at];
    for (; at > 0 && activity_[heap_[(at - 1) / 2]] < activity_[var]; at = (at - 1) / 2)
      place(at, heap_[(at - 1) / 2]);
    place(at, var);
  }
  void down(std::size_t at) {
    const Var var = heap_[at];
    for (;;) {
      std::size_t child = 2 * at + 1;
      if (child >= heap_.size()) break;
      if (child + 1 < heap_.size() && activity_[heap_[child + 1]] > activity_[heap_[child]])
        ++child;
      if (activity_[heap_[child]] <= activity_[var]) break;
      place(at, heap_[child]);
      at = child;
    }
    place(at, var);
  }

  std::vector<Var> heap_;
  std::vector<int> position_;
  std::vector<double> activity_;
  double step_ = 1;
};

}  // namespace tessera::search::learning
