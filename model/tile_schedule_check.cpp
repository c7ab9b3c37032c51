#include <algorithm>
#include <set>
#include <string>

#include "model/tile_step.h"
#include "tessera/tile_graph.h"

namespace tessera {
namespace {

class ScheduleCheck {
 public:
  ScheduleCheck(const TileGraph& graph, const TileSchedule& schedule, TileReading reading)
      : graph_(graph), schedule_(schedule), reading_(reading), links_(graph) {}

  TileScheduleVerdict run() {
    if (schedule_.steps.empty()) verdict_.wrong.emplace_back("The schedule has no steps.");
    for (std::size_t k = 0; k < schedule_.steps.size() && verdict_.wrong.empty(); ++k)
      complain(k, form_of(schedule_.steps[k]));
    if (!verdict_.wrong.empty()) return std::move(verdict_);
    find_later_reads();
    for (std::size_t t = 0; t < graph_.tensors.size(); ++t)
      if (links_.producer[t] == TileLinks::none) slow_.insert(t);
    for (std::size_t k = 0; k < schedule_.steps.size() && verdict_.wrong.empty(); ++k)
      complain(k, run_step(k));
    if (verdict_.wrong.empty()) check_end();
    return std::move(verdict_);
  }

 private:
  void complain(std::size_t step, const std::string& wrong) {
    if (!wrong.empty())
      verdict_.wrong.push_back("Step " + std::to_string(step) + " is invalid: " + wrong + ".");
  }

  /// Defects of a step by itself.
  [[nodiscard]] std::string form_of(const TileStep& step) const {
    if (step.ops.empty()) return "it has no ops";
    const std::set<std::size_t> ops(step.ops.begin(), step.ops.end());
    if (*ops.rbegin() >= graph_.ops.size())
      return "there is no op " + std::to_string(*ops.rbegin());
    if (ops.size() != step.ops.size()) return "an op is listed twice";
    const Granularity& size = step.granularity;
    if (size.width < 1 || size.height < 1 || size.depth < 1)
      return "its granularity is not three positive integers";
    if (!connected(ops)) return "its ops are not connected";
    std::set<std::size_t> retained;
    for (const std::size_t tensor : step.retained) {
      if (tensor >= graph_.tensors.size() || !ops.contains(links_.producer[tensor]))
        return "the retained tensor " + std::to_string(tensor) + " is not one of its outputs";
      if (!retained.insert(tensor).second)
        return "tensor " + std::to_string(tensor) + " is retained twice";
    }
    return {};
  }

  [[nodiscard]] bool connected(const std::set<std::size_t>& ops) const {
    std::set<std::size_t> seen{*ops.begin()};
    std::vector<std::size_t> todo{*ops.begin()};
    const auto reach = [&](std::size_t op) {
      if (ops.contains(op) && seen.insert(op).second) todo.push_back(op);
    };
    while (!todo.empty()) {
      const TileOp& op = graph_.ops[todo.back()];
      todo.pop_back();
      for (const std::size_t input : op.inputs) reach(links_.producer[input]);
      for (const std::size_t reader : links_.consumers[op.output]) reach(reader);
    }
    return seen.size() == ops.size();
  }

  void find_later_reads() {
    later_.resize(schedule_.steps.size());
    std::set<std::size_t> reads;
    for (std::size_t k = schedule_.steps.size(); k-- > 0;) {
      later_[k] = reads;
      for (const std::size_t tensor : external(schedule_.steps[k])) reads.insert(tensor);
    }
  }

  [[nodiscard]] std::set<std::size_t> external(const TileStep& step) const {
    std::set<std::size_t> out;
    for (const std::size_t op : step.ops)
      out.insert(graph_.ops[op].inputs.begin(), graph_.ops[op].inputs.end());
    for (const std::size_t op : step.ops) out.erase(graph_.ops[op].output);
    return out;
  }

  /// Tensors that the step makes and reads, and that readers outside need later.
  [[nodiscard]] std::vector<std::size_t> inner_outputs(std::size_t k) const {
    const TileStep& step = schedule_.steps[k];
    const std::set<std::size_t> ops(step.ops.begin(), step.ops.end());
    std::vector<std::size_t> out;
    for (const std::size_t op : step.ops) {
      const std::vector<std::size_t>& readers = links_.consumers[graph_.ops[op].output];
      const auto inside = [&](std::size_t reader) { return ops.contains(reader); };
      if (std::ranges::any_of(readers, inside) && !std::ranges::all_of(readers, inside) &&
          later_[k].contains(graph_.ops[op].output))
        out.push_back(graph_.ops[op].output);
    }
    return out;
  }

  std::string run_step(std::size_t k) {
    const TileStep& step = schedule_.steps[k];
    for (const std::size_t tensor : external(step))
      if (!slow_.contains(tensor) && std::ranges::find(resident_, tensor) == resident_.end())
        return "its input tensor " + std::to_string(tensor) + " is in neither memory";
    const std::vector<std::size_t> inner = inner_outputs(k);
    const TileStepResult result = run_tile_step({graph_, links_, reading_, step, resident_, inner});
    if (!result.wrong.empty()) return result.wrong;
    verdict_.latencies.push_back(result.latency);
    verdict_.latency += result.latency;
    verdict_.peak = std::max(verdict_.peak, result.peak);
    verdict_.moved += result.moved;
    resident_ = step.retained;
    for (const std::size_t tensor : result.outputs)
      if (std::ranges::find(resident_, tensor) == resident_.end()) slow_.insert(tensor);
    executed_.insert(step.ops.begin(), step.ops.end());
    return {};
  }

  void check_end() {
    for (std::size_t op = 0; op < graph_.ops.size(); ++op) {
      const std::size_t tensor = graph_.ops[op].output;
      if (!executed_.contains(op))
        verdict_.wrong.push_back("Op " + std::to_string(op) + " is in no step.");
      else if (links_.consumers[tensor].empty() && !slow_.contains(tensor))
        verdict_.wrong.push_back("The output tensor " + std::to_string(tensor) +
                                 " of the graph does not end in slow memory.");
    }
  }

  const TileGraph& graph_;
  const TileSchedule& schedule_;
  const TileReading reading_;
  const TileLinks links_;
  TileScheduleVerdict verdict_;
  std::vector<std::set<std::size_t>> later_;  ///< per step: read from outside by later steps
  std::set<std::size_t> slow_, executed_;
  std::vector<std::size_t> resident_;
};

}  // namespace

TileScheduleVerdict check_tile_schedule(const TileGraph& graph, const TileSchedule& schedule,
                                        TileReading reading) {
  return ScheduleCheck(graph, schedule, reading).run();
}

}  // namespace tessera
