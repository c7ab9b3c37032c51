// Every accepted key affects a result. For each shipped profile, every value is replaced by others,
// and for at least one of them some plan or placement of a few small networks has to change. A
// value without any effect describes nothing.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "io/files.h"
#include "io/hardware_merge.h"
#include "io/hardware_yaml.h"
#include "io/network_yaml.h"
#include "model/off_chip.h"
#include "tessera/files.h"
#include "tessera/place.h"
#include "tessera/plan.h"
#include "tests/support/effort.h"
#include "tests/support/paths.h"

namespace tessera::planner {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> folders() {
  return {testing::source_path("hw_profiles")};
}

/// The profile with all inherited values, as one text without inheritance.
void write(const io::Node& node, std::string& out) {
  if (node.kind == io::Node::Kind::map || node.kind == io::Node::Kind::list) {
    const bool map = node.kind == io::Node::Kind::map;
    out += map ? '{' : '[';
    for (const io::Node& each : node.children) {
      if (&each != &node.children.front()) out += ", ";
      if (map) out += each.key + ": ";
      write(each, out);
    }
    out += map ? '}' : ']';
  } else {
    out += node.text;
  }
}

std::string text_of(const io::Node& profile) {
  std::string text;
  for (const io::Node& each : profile.children) {
    text += each.key + ": ";
    write(each, text);
    text += '\n';
  }
  return text;
}

io::Node resolved(const std::string& name) {
  const fs::path path = io::find_profile(name, folders());
  io::Sources sources(path.string());
  io::Node root = io::parse_inherited(io::read_file(path), sources, folders());
  std::erase_if(root.children, [](const io::Node& each) {  // labels
    // Area does not affect plans: tests/unit/explorer checks its effect.
    return each.key == "inherit" || each.key == "reference" || each.key == "provenance" ||
           each.key == "silicon";
  });
  return root;
}

/// Small enough to be planned in milliseconds, and together with every property that profiles
/// distinguish: kernel sizes, strides, groups, one row, one pixel, deep and shallow.
Network chain(const std::string& body, const std::string& shape, const std::string& type,
              const std::string& last) {
  return io::read_network_yaml("tessera: network/1\nname: n\ntensors: {x: {shape: " + shape +
                                   ", dtype: " + type + "}}\ninputs: [x]\nops:\n" + body +
                                   "outputs: [" + last + "]\n",
                               "n.yaml")
      .network;
}

std::vector<Network> networks() {
  std::vector<Network> list;
  for (const char* type : {"int8", "int16", "float32"})
    list.push_back(chain(
        "  - {name: c1, type: conv, inputs: [x], output: a, weights: {shape: [48, 24, 3, 3]}, pad: "
        "[1, 1, 1, 1]}\n"
        "  - {name: s1, type: sigmoid, inputs: [a], output: b}\n"
        "  - {name: p1, type: max_pool, inputs: [b], output: c, kernel: [2, 2], stride: [2, 2]}\n"
        "  - {name: c2, type: conv, inputs: [c], output: d, weights: {shape: [48, 1, 3, 3]}, "
        "groups: 48, pad: [1, 1, 1, 1]}\n"
        "  - {name: a1, type: add, inputs: [c, d], output: e}\n"
        "  - {name: m1, type: mul, inputs: [e, d], output: f}\n"
        "  - {name: u1, type: sub, inputs: [f, d], output: g}\n"
        "  - {name: t1, type: tanh, inputs: [g], output: h}\n"
        "  - {name: z1, type: softmax, inputs: [h], output: i, axes: [1]}\n",
        "[1, 24, 20, 20]", type, "i"));
  list.push_back(chain(
      "  - {name: c1, type: conv, inputs: [x], output: a, weights: {shape: [256, 192, 1, 1]}}\n"
      "  - {name: c2, type: conv, inputs: [a], output: b, weights: {shape: [64, 256, 5, 5]}, pad: "
      "[2, 2, 2, 2]}\n"
      "  - {name: c3, type: conv, inputs: [b], output: c, weights: {shape: [40, 64, 11, 11]}, "
      "stride: [4, 4]}\n"
      "  - {name: c4, type: conv, inputs: [c], output: d, weights: {shape: [40, 10, 3, 3]}, "
      "groups: 4, pad: [1, 1, 1, 1]}\n"
      "  - {name: p1, type: average_pool, inputs: [d], output: e, kernel: [2, 2], stride: [2, "
      "2]}\n",
      "[1, 192, 28, 28]", "int8", "e"));
  list.push_back(chain(
      "  - {name: c1, type: conv, inputs: [x], output: a, weights: {shape: [300, 100, 1, 1]}}\n"
      "  - {name: c2, type: conv, inputs: [a], output: b, weights: {shape: [33, 300, 1, 1]}}\n",
      "[1, 100, 1, 1]", "int8", "b"));
  list.push_back(
      chain("  - {name: m1, type: matmul, inputs: [x], output: a, weights: {shape: [96, 200]}}\n"
            "  - {name: m2, type: matmul, inputs: [a], output: b, weights: {shape: [200, 40]}}\n",
            "[1, 70, 96]", "int8", "b"));
  // For a machine of a few bytes.
  list.push_back(
      chain("  - {name: a1, type: add, inputs: [x, x], output: a}\n"
            "  - {name: r1, type: softmax, inputs: [a], output: b, axes: [1]}\n",
            "[1, 3]", "int8", "b"));
  // Two loads for one op: the maximum that two channels could run in parallel if loads wait for
  // stores.
  list.push_back(
      chain("  - {name: r1, type: relu, inputs: [x], output: a}\n"
            "  - {name: a1, type: add, inputs: [x, a], output: b}\n",
            "[1, 3]", "int8", "b"));
  const auto tiny = [&](const char* weights, const char* shape, const char* type) {
    return chain(
        std::string("  - {name: c1, type: conv, inputs: [x], output: a, weights: {shape: ") +
            weights + "}}\n",
        shape, type, "a");
  };
  list.push_back(tiny("[2, 2, 1, 1]", "[1, 2, 1, 1]", "int8"));
  for (const char* type : {"int16", "float32"})
    list.push_back(tiny("[1, 1, 1, 1]", "[1, 1, 8, 1]", type));
  list.push_back(tiny("[1, 1, 1, 3]", "[1, 1, 1, 10]", "int8"));
  list.push_back(tiny("[1, 1, 3, 1]", "[1, 1, 12, 1]", "int8"));
  // Few channels, so that kernel taps fill an array.
  for (const auto& [weights, shape] : {std::pair{"[16, 3, 3, 3]", "[1, 3, 30, 30]"},
                                       {"[3, 16, 3, 3]", "[1, 16, 30, 30]"},
                                       {"[9, 6, 5, 5]", "[1, 6, 32, 32]"}})
    list.push_back(tiny(weights, shape, "int8"));
  // Columns that may be folded into channels.
  list.push_back(
      chain("  - {name: c1, type: conv, inputs: [x], output: a, weights: {shape: [16, 3, 3, 3]}, "
            "stride: [2, 2], pad: [0, 0, 1, 1]}\n",
            "[1, 3, 64, 64]", "int8", "a"));
  // Inputs that may be spread with zeros, with few and with many channels.
  for (const auto& [weights, shape] :
       {std::pair{"[6, 8, 5, 5]", "[1, 6, 20, 20]"}, {"[96, 32, 2, 2]", "[1, 96, 20, 20]"}})
    list.push_back(
        chain(std::string("  - {name: c1, type: conv_transpose, inputs: [x], output: a, weights: "
                          "{shape: ") +
                  weights + "}, stride: [2, 2]}\n",
              shape, "int8", "a"));
  // Weights and data that fill 16 banks of 32 KiB, in each split.
  for (const int banks : {1, 2, 4, 6, 8, 10, 12, 14, 15})
    list.push_back(tiny(("[" + std::to_string(128 * banks) + ", 256, 1, 1]").c_str(),
                        ("[1, 256, " + std::to_string(16 - banks) + ", 128]").c_str(), "int8"));
  // Larger than any of these memories, so that tiles matter.
  const std::string twice =
      "  - {name: c1, type: conv, inputs: [x], output: a, weights: {shape: [16, 16, 3, 3]}, pad: "
      "[1, 1, 1, 1]}\n"
      "  - {name: c2, type: conv, inputs: [a], output: b, weights: {shape: [16, 16, 3, 3]}, pad: "
      "[1, 1, 1, 1]}\n";
  list.push_back(chain(twice, "[1, 16, 200, 200]", "int8", "b"));
  list.push_back(chain(twice, "[1, 16, 4096, 4096]", "int8", "b"));
  // More weights than the memory before a backing memory holds, and one weight that does not fit
  // into it.
  list.push_back(chain(
      "  - {name: c1, type: conv, inputs: [x], output: a, weights: {shape: [900, 1024, 1, 1]}}\n"
      "  - {name: c2, type: conv, inputs: [a], output: b, weights: {shape: [800, 900, 1, 1]}}\n"
      "  - {name: c3, type: conv, inputs: [b], output: c, weights: {shape: [2048, 800, 1, 1]}}\n",
      "[1, 1024, 3, 3]", "int8", "c"));
  // Large in the middle only: without off-chip writes, two ops have to form one group.
  list.push_back(chain(
      "  - {name: c1, type: conv, inputs: [x], output: a, weights: {shape: [512, 16, 3, 3]}, pad: "
      "[1, 1, 1, 1]}\n"
      "  - {name: c2, type: conv, inputs: [a], output: b, weights: {shape: [16, 512, 3, 3]}, pad: "
      "[1, 1, 1, 1]}\n",
      "[1, 16, 60, 60]", "int8", "b"));
  return list;
}

std::string numbers(const Metrics& m) {
  return std::to_string(m.latency_cycles) + ' ' + std::to_string(m.energy_pj) + ' ' +
         std::to_string(m.dram_bytes) + ' ' + std::to_string(m.peak_bytes) + ' ' +
         std::to_string(m.peak_bandwidth) + '\n';
}

/// Overlapping tiles, so that halo handling matters.
Network windows() {
  return chain(
      "  - {name: c1, type: conv, inputs: [x], output: a, weights: {shape: [48, 16, 3, 3]}, pad: "
      "[1, 1, 1, 1]}\n"
      "  - {name: c2, type: conv, inputs: [a], output: b, weights: {shape: [16, 48, 5, 5]}, pad: "
      "[2, 2, 2, 2]}\n",
      "[1, 16, 100, 100]", "int8", "b");
}

/// For two engines in parallel.
Network stages() {
  return chain(
      "  - {name: c1, type: conv, inputs: [x], output: a, weights: {shape: [64, 16, 3, 3]}, pad: "
      "[1, 1, 1, 1]}\n"
      "  - {name: p1, type: max_pool, inputs: [a], output: b, kernel: [3, 3], stride: [2, 2], pad: "
      "[1, 1, 1, 1]}\n",
      "[1, 16, 48, 48]", "int8", "b");
}

/// The report of a network on a machine.
std::string planned(const Network& network, const Hardware& hardware, std::size_t ops,
                    std::int64_t shapes) {
  PlanParams params;
  params.max_ops = ops;
  params.nodes_per_question = 500;
  params.tile_shapes = shapes;
  params.proof_shapes = 0;
  params.limits.threads = 1;
  const NetworkPlan plan = plan_network(network, hardware, params);
  std::string text = numbers(plan.totals) + numbers(plan.baseline) + std::to_string(plan.score);
  text += ' ' + std::to_string(static_cast<double>(plan.totals.latency_cycles) / hardware.clock_hz *
                               1e9);  // without the seconds of the report
  for (const PlannedSubgraph& s : plan.subgraphs)
    for (const PlannedPlacement& p : s.placements)
      for (const BufferPlace& place : p.placement.places)
        text += ' ' + std::to_string(place.memory) + '@' + std::to_string(place.offset);
  for (const OffchipMemory& memory : plan.offchip)
    for (const OffchipBuffer& buffer : memory.buffers)
      text += ' ' + memory.memory + '@' + std::to_string(buffer.offset) + '+' +
              std::to_string(buffer.size);
  return text;
}

/// For three buffers that are live together, and one as large as its memory.
std::string placed(const Hardware& hardware) {
  PlacementProblem problem;
  problem.memories = placement_memories(hardware);
  for (const Size size : {Size{3}, Size{5}, Size{100}})
    problem.buffers.push_back(
        {.id = std::to_string(size), .live = {{0, 2}}, .size = size, .read = {1}, .write = {0}});
  const PlacementResult result = place(problem, {});
  std::string text(to_string(result.status));
  if (result.placement)
    for (const BufferPlace& place : result.placement->places)
      text += ' ' + std::to_string(place.memory) + '@' + std::to_string(place.offset);
  for (MemoryIndex m = 0; m < problem.memories.size(); ++m) {
    problem.buffers.assign(
        1, {.id = "all", .live = {{0, 1}}, .size = problem.memories[m].capacity, .memories = {m}});
    text += ' ' + std::string(to_string(place(problem, {}).status));
  }
  return text;
}

class Answers {
 public:
  explicit Answers(const Hardware& hardware)
      : side_by_side_(hardware.tiling.engines == EngineOrder::side_by_side), networks_(networks()) {
    using Clock = std::chrono::steady_clock;
    std::vector<std::pair<Clock::duration, std::size_t>> costs;
    for (std::size_t q = 0; q < 2 * networks_.size() + 4; ++q) {
      const Clock::time_point begin = Clock::now();
      first_.push_back(answer(q, hardware));
      costs.emplace_back(Clock::now() - begin, q);
    }
    std::ranges::sort(costs);
    for (const auto& [cost, q] : costs) order_.push_back(q);
  }
  /// Does any result differ on any of these machines? Fast queries run on all machines before a
  /// slow one runs on any. The query that last showed a difference runs first, because it often
  /// shows the next one, too. `refused`: rejecting a machine is a difference, too.
  [[nodiscard]] bool differ(const std::vector<Hardware>& machines, bool refused) {
    for (auto q = order_.begin(); q != order_.end(); ++q)
      for (const Hardware& hardware : machines) {
        try {
          if (answer(*q, hardware) == first_[*q]) continue;
        } catch (const BadInput&) {
          if (!refused) continue;
        }
        std::rotate(order_.begin(), q, q + 1);
        return true;
      }
    return false;
  }

 private:
  [[nodiscard]] std::string answer(std::size_t q, const Hardware& hardware) const {
    if (q == 0) return placed(hardware);
    if (hardware.engines.empty()) return {};
    if (q == 2 * networks_.size() + 1) return planned(windows_, hardware, 2, 8);
    if (q == 2 * networks_.size() + 2) return past_the_chip(hardware);
    if (q > 2 * networks_.size())
      return side_by_side_ ? planned(stages_, hardware, 2, 16) : std::string();
    return planned(networks_[(q - 1) / 2], hardware, q % 2 == 1 ? 1 : 3, 0);
  }

  /// With all direct off-chip accesses of engines, even expensive ones.
  [[nodiscard]] std::string past_the_chip(Hardware hardware) const {
    if (off_chip::reached(hardware) == nullptr) return {};
    hardware.tiling.direct = {Direct::inputs_outputs};
    return planned(windows_, hardware, 1, 0);
  }

  bool side_by_side_;  ///< of the tested profile
  std::vector<Network> networks_;
  Network windows_ = windows();
  Network stages_ = stages();
  std::vector<std::string> first_;
  std::vector<std::size_t> order_;
};

/// Other values of a leaf, in its spelling.
std::vector<std::string> others(const io::Node& leaf) {
  const std::string& text = leaf.text;
  if (text == "true") return {"false"};
  if (text == "false") return {"true"};
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"mac_array", "vector"},
        {"int8", "int16", "float32", "bf16"},
        {"read", "write", "read_write", "weight", "data", "off", "hold"},
        {"resident", "refetch"},
        {"quickest", "first"},
        {"real", "whole", "share"},
        {"overlapped", "in_turn"},
        {"recompute", "keep_columns", "keep"},
        {"in_turn", "side_by_side"},
        {"NCHW", "NHWC", "NHCW16c", "NCHW32c"}}) {
    std::vector<std::string> list = words;
    if (std::erase(list, text) > 0) return list;
  }
  char* end = nullptr;
  double value = std::strtod(text.c_str(), &end);
  if (end == text.c_str()) return {};
  std::string unit = end;
  for (const auto& [name, bytes] : {std::pair{" KiB", 1024.0}, {" MiB", 1048576.0}}) {
    if (unit != name) continue;
    value *= bytes;
    unit = " B";
  }
  const bool whole = text.find('.') == std::string::npos || !unit.empty();
  std::vector<std::string> list;
  for (const double factor : {2.0, 0.5, 16.0, 1.0 / 16, 1000.0, 1e-3, 1e6, 1e-6}) {
    double other = value == 0 ? 8 * factor : value * factor;
    if (whole) other = std::max(1.0, std::floor(other));
    std::string shown = std::to_string(other);
    if (whole) shown = shown.substr(0, shown.find('.'));
    if (shown + unit != text) list.push_back(shown + unit);
  }
  list.push_back("0" + unit);
  return list;
}

class Keys {
 public:
  explicit Keys(io::Node profile)
      : profile_(std::move(profile)),
        answers_(io::read_hardware_yaml(text_of(profile_), "p.yaml")) {}

  /// Paths of keys without an effect.
  std::vector<std::string> idle() {
    for (io::Node& each : profile_.children)
      if (each.key != "tessera" && each.key != "name") walk(each, each.key);
    return idle_;
  }
  [[nodiscard]] int asked() const { return asked_; }

 private:
  [[nodiscard]] static std::optional<Hardware> machine(const io::Node& profile) {
    try {
      return io::read_hardware_yaml(text_of(profile), "p.yaml");
    } catch (const std::exception&) {
      return std::nullopt;
    }
  }

  void walk(io::Node& node, const std::string& path) {
    if (node.kind == io::Node::Kind::map || node.kind == io::Node::Kind::list) {
      const bool list = node.kind == io::Node::Kind::list;
      for (std::size_t k = 0; k < node.children.size(); ++k) {
        const std::string key = list ? std::to_string(k) : node.children[k].key;
        // A range without one of its ends is invalid.
        const bool whole = node.key == "maps" || node.key == "reserved";
        if (whole && !without(path + '.' + key)) idle_.push_back(path + '.' + key);
        if (node.key == "reserved") continue;
        if (key != "name") walk(node.children[k], path + '.' + key);
      }
      return;
    }
    if (path.find(".ops.") != std::string::npos) return;  // the map is tested as a whole
    ++asked_;
    // Other keys refer to these: with another value the rest of the profile is invalid.
    const bool reach = path.starts_with("engines.") && path.find(".memories.") != std::string::npos;
    const bool decides =
        node.key == "kind" || node.key == "offchip" || node.key == "banks" || reach ||
        node.key == "layout" || node.key == "writable" ||
        node.key == "queue" ||                // a single engine waits in no queue
        node.key == "equal" ||                // `small` blocks are chosen among equal ones
        node.key == "behind" ||               // data that is not converted has the same layout
        path.starts_with("tiling.weights.");  // `weight_slices` concerns fetched weights
    const io::Node kept = node;
    std::vector<std::string> values = others(kept);
    if (node.key == "behind" || node.key == "queue") values.emplace_back("nothing");
    if (reach)
      for (const io::Node& memory : profile_.find("memories")->children)
        values.push_back(memory.key);
    std::vector<Hardware> machines;
    for (const std::string& text : values) {
      if (text == kept.text) continue;
      node.text = text;
      std::optional<Hardware> other = machine(profile_);
      node = kept;
      if (other)
        machines.push_back(std::move(*other));
      else if (decides)
        return;  // rejecting the profile is a difference, too
    }
    if (answers_.differ(machines, decides)) return;
    if (without(path)) return;
    idle_.push_back(path + ": " + kept.text);
  }

  /// Removes the value or list entry: is that a difference? A weight of the objective transfers its
  /// share to the next one.
  bool without(const std::string& path) {
    io::Node changed = profile_;
    io::Node* at = &changed;
    std::string rest = path;
    while (true) {
      const std::size_t dot = rest.find('.');
      const std::string key = rest.substr(0, dot);
      const bool list = at->kind == io::Node::Kind::list;
      std::size_t k = 0;
      while (k < at->children.size() && (list ? std::to_string(k) : at->children[k].key) != key)
        ++k;
      if (dot != std::string::npos) {
        at = &at->children[k];
        rest = rest.substr(dot + 1);
        continue;
      }
      if (path.starts_with("objective.")) {
        io::Node& heir = at->children[(k + 1) % at->children.size()];
        heir.text = std::to_string(std::strtod(heir.text.c_str(), nullptr) +
                                   std::strtod(at->children[k].text.c_str(), nullptr));
      }
      at->children.erase(at->children.begin() + static_cast<std::ptrdiff_t>(k));
      break;
    }
    const std::optional<Hardware> other = machine(changed);
    // Parallel engines are for tiles of one kind.
    const bool refused = path.find(".maps.") != std::string::npos ||
                         path.starts_with("tiling.double_buffer.") ||
                         path.starts_with("tiling.halo.");
    return other ? answers_.differ({*other}, refused) : refused;
  }

  io::Node profile_;
  Answers answers_;
  std::vector<std::string> idle_;
  int asked_ = 0;
};

class ProfileKeys : public ::testing::TestWithParam<std::string> {};

TEST_P(ProfileKeys, EachChangesAnAnswer) {
  Keys keys(resolved(GetParam()));
  EXPECT_EQ(keys.idle(), std::vector<std::string>{});
  EXPECT_GT(keys.asked(), 20);
}

std::vector<std::string> names() {
  std::vector<std::string> list = io::profile_names(folders());
  // Aliases of the same machines, and machines with all keys of another one.
  std::erase_if(list, [](const std::string& name) {
    return name == "ethos-u55-like" || name == "ethos-u65-like" || name == "ethos-u55-256" ||
           name == "ethos-u65-256" || name == "ethos-u65-512" ||
           (name.ends_with("-v5") && name != "ethos-u55-256-v5");
  });
  // Many maps of many blocks: minutes each.
  std::erase_if(list, [](const std::string& name) { return name.starts_with("ethos-u85-"); });
  if (!testing::quick) return {"ethos-u55-128", "patent-three-banks"};
  return list;
}

INSTANTIATE_TEST_SUITE_P(Shipped, ProfileKeys, ::testing::ValuesIn(names()), [](const auto& one) {
  std::string name = one.param;
  std::ranges::replace(name, '-', '_');
  return name;
});

}  // namespace
}  // namespace tessera::planner
