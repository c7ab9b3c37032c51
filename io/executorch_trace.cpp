#include "io/executorch_trace.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "io/text.h"
#include "io/tree.h"

namespace tessera::io {
namespace {

class TraceReader {
 public:
  TraceReader(const Sources& sources, const std::vector<Memory>& given)
      : sources_(sources), given_(given) {
    read_.source.file = sources.newest();
    read_.problem.objective = Objective::height;
  }

  ExecutorchTrace read(const Node& root) {
    const Node* events = root.find("traceEvents");
    if (events == nullptr) throw sources_.error(root, "has no `traceEvents`");
    for (const Node& event : as_list(sources_, *events, "traceEvents")) add(event);
    if (found_.empty())
      throw sources_.error(*events, "has no tensors", "write the profile after memory planning");
    make_memories(*events);
    make_buffers();
    const std::vector<Defect> defects = validate(read_.problem);
    if (!defects.empty()) throw defect_error(read_.source, defects.front());
    return std::move(read_);
  }

 private:
  using Key = std::tuple<std::int64_t, std::string, Size>;  ///< memory, name, size
  struct Tensor {
    std::size_t line = 0;
    std::vector<Step> steps;
  };
  /// Entries with an equal key, and how many of them the last step has.
  struct Alike {
    Step step = -1;
    std::size_t seen = 0;
    std::vector<Tensor> tensors;
  };

  [[nodiscard]] const Node& need(const Node& event, std::string_view key) const {
    const Node* node = event.find(key);
    if (node == nullptr)
      throw sources_.error(event, "an event has no " + shown(std::string(key)), not_ours);
    return *node;
  }

  void add(const Node& event) {
    if (event.kind != Node::Kind::map)
      throw sources_.error(event, "an event is " + described(event) + ", not a map", not_ours);
    const Node* category = event.find("cat");
    if (category == nullptr || category->text != "memory_allocation")
      throw sources_.error(event, "an event is not a `memory_allocation`", not_ours);
    const std::string& name = as_text(sources_, need(event, "name"), "name");
    const std::int64_t memory = as_whole(sources_, need(event, "pid"), "pid");
    const Step step = as_whole(sources_, need(event, "tid"), "tid");
    const Size size = as_whole(sources_, need(event, "dur"), "dur");
    if (size == 0) return;  // an empty tensor needs no place
    const auto at = found_.try_emplace({memory, name, size}).first;
    Alike& alike = at->second;
    if (alike.step > step)
      throw sources_.error(event, "the steps (`tid`) of " + shown(name) + " are not ascending",
                           not_ours);
    // Results of one operator keep their order at every step at which they are live.
    alike.seen = alike.step == step ? alike.seen + 1 : 0;
    alike.step = step;
    if (alike.seen == alike.tensors.size()) {
      order_.emplace_back(at, alike.seen);
      alike.tensors.push_back({event.line, {}});
    }
    alike.tensors[alike.seen].steps.push_back(step);
  }

  void make_memories(const Node& events) {
    for (const auto& [key, alike] : found_) numbers_.emplace(std::get<0>(key), 0);
    MemoryIndex next = 0;
    for (auto& [pid, number] : numbers_) number = next++;
    if (given_.empty()) {
      for (const auto& [pid, number] : numbers_)
        read_.problem.memories.push_back({.name = "memory " + std::to_string(pid)});
    } else if (given_.size() == 1 || given_.size() == numbers_.size()) {
      read_.problem.memories = given_;
      if (given_.size() == 1)
        for (auto& [pid, number] : numbers_) number = 0;
    } else {
      throw sources_.error(events,
                           "uses " + std::to_string(numbers_.size()) +
                               " memories, and the profile has " + std::to_string(given_.size()),
                           "use a profile with one on-chip memory, or with as many");
    }
  }

  void make_buffers() {
    std::set<std::string> ids;
    std::map<std::string, int> last;  // last number used for a name
    for (const auto& [at, which] : order_) {
      const auto& [pid, name, size] = at->first;
      const Tensor& tensor = at->second.tensors[which];
      std::string id = name;
      for (int& k = last[name]; !ids.insert(id).second;) id = name + '.' + std::to_string(++k + 1);
      Buffer& buffer = read_.problem.buffers.emplace_back();
      buffer.id = id;
      buffer.size = size;
      if (read_.problem.memories.size() > 1) buffer.memories = {numbers_.at(pid)};
      for (const Step step : tensor.steps) {
        if (!buffer.live.empty() && buffer.live.back().upper == step)
          ++buffer.live.back().upper;
        else
          buffer.live.push_back({step, step + 1});
      }
      read_.source.buffers.push_back(tensor.line);
    }
  }

  static constexpr const char* not_ours = "the file may not be a memory profile of ExecuTorch";

  const Sources& sources_;
  const std::vector<Memory>& given_;
  ExecutorchTrace read_;
  std::map<Key, Alike> found_;
  /// In file order.
  std::vector<std::pair<std::map<Key, Alike>::const_iterator, std::size_t>> order_;
  std::map<std::int64_t, MemoryIndex> numbers_;  ///< of the memories, by pid
};

}  // namespace

bool is_trace(std::string_view text) {
  constexpr std::string_view key = "\"traceEvents\"";
  const std::size_t brace = text.find_first_not_of(" \t\r\n");
  if (brace == text.npos || text[brace] != '{') return false;
  const std::size_t first = text.find_first_not_of(" \t\r\n", brace + 1);
  return first != text.npos && text.substr(first).starts_with(key);
}

ExecutorchTrace read_executorch_trace(std::string_view text, const std::string& file,
                                      const std::vector<Memory>& memories) {
  const Sources sources(file);
  const Node root = parse_json(text, sources);
  return TraceReader(sources, memories).read(root);
}

}  // namespace tessera::io
