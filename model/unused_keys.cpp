#include "model/unused_keys.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "model/derived.h"
#include "model/off_chip.h"
#include "model/pinned.h"
#include "model/stored.h"
#include "say.h"
#include "tessera/network.h"

namespace tessera {
namespace {

/// The names an array may use for an op, the most specific first, and whether the op is a product.
struct OpNames {
  std::array<std::string_view, 3> names;
  bool products = false;
  bool weights = false;
};
constexpr std::array<OpNames, 7> told_apart{{{{"conv"}, true, true},
                                             {{"grouped", "conv"}, true, true},
                                             {{"depthwise", "conv"}, true, true},
                                             {{"fc", "matmul", "conv"}, true, true},
                                             {{"matmul", "conv"}, true, true},
                                             {{"max_pool", "pool"}, false, false},
                                             {{"average_pool", "pool"}, false, false}}};
/// The kinds that the class names conv, matmul and pool stand for.
constexpr std::array<OpKind, 5> by_class{OpKind::conv, OpKind::conv_transpose, OpKind::matmul,
                                         OpKind::max_pool, OpKind::average_pool};

std::vector<OpNames> every_op() {
  std::vector<OpNames> ops(told_apart.begin(), told_apart.end());
  for (int k = 0; k <= static_cast<int>(OpKind::opaque); ++k) {
    const auto kind = static_cast<OpKind>(k);
    if (std::ranges::find(by_class, kind) == by_class.end())
      ops.push_back({.names = {to_string(kind)}});
  }
  return ops;
}

class UnusedKeys {
 public:
  UnusedKeys(const Hardware& hardware, std::vector<HardwareDefect>& defects)
      : hardware_(hardware), defects_(defects) {}

  void run() {
    for (const HardwareMemory& memory : hardware_.memories) {
      if (!memory.offchip && memory.bandwidth) chip_bandwidth_ = true;
      if (!memory.space.modes.empty() || memory.space.modes_per_bank) modes_ = true;
    }
    for (const Engine& engine : hardware_.engines)
      waits_ = waits_ || (chip_bandwidth_ && engine.blocks.stages > 0);
    memories();
    reach();
    engines();
    slices();
    layouts();
    coding();
    if (!modes_ && (hardware_.mode_switch.cycles != 0 || hardware_.mode_switch.energy_pj != 0)) {
      at(HardwarePart::profile, 0, say("Profile '", hardware_.name, "'"));
      wrong(hardware_.mode_switch.cycles != 0 ? "cycles" : "energy",
            "remove `mode_switch`, or add `modes` to a memory",
            "has a cost for `mode_switch`, but no memory has modes");
    }
  }

 private:
  template <typename... Pieces>
  void wrong(const char* field, std::string hint, const Pieces&... pieces) {
    defects_.push_back({part_, index_, field, say(of_, ' ', pieces..., '.'), std::move(hint)});
  }
  void at(HardwarePart part, std::size_t index, std::string of) {
    part_ = part;
    index_ = index;
    of_ = std::move(of);
  }

  void memories() {
    const HardwareMemory* homes[] = {nullptr, nullptr};  // read-only; written
    for (std::size_t m = 0; m < hardware_.memories.size(); ++m) {
      const HardwareMemory& memory = hardware_.memories[m];
      at(HardwarePart::memory, m, say("Memory '", memory.space.name, "'"));
      if (memory.direct_run > 0 && off_chip::reached(hardware_) != &memory)
        wrong("direct_run", "remove it, or name the off-chip memory in the `memories` of an engine",
              "has a `direct_run`, but no engine accesses it directly");
      else if (memory.direct_run > 0)
        direct_run(memory);
      rates(memory);
      if (!memory.offchip) {
        on_chip(memory);
        continue;
      }
      if (!memory.behind.empty()) {
        backing(memory);
        continue;
      }
      const HardwareMemory*& home = homes[memory.writable ? 1 : 0];
      if (home != nullptr && memory.writable)
        wrong("offchip",
              "set `writable: false` for the memory that holds the weights, or remove `offchip` "
              "from one",
              "is a second writable off-chip memory, but all stores go to '", home->space.name,
              "'");
      else if (home != nullptr)
        wrong("offchip", "keep only the memory that holds the weights, or make this one writable",
              "is a second read-only off-chip memory, but all weights come from '",
              home->space.name, "'");
      else
        home = &memory;
      off_chip(memory.space);
      if (!memory.writable && (memory.write_bandwidth || memory.write_latency))
        wrong(memory.write_bandwidth ? "bandwidth" : "latency", "give the value for reading only",
              "has a value for writing, but is not writable");
    }
    if (stays_on_chip(hardware_) && hardware_.dma.outstanding_writes) {
      at(HardwarePart::profile, 0, say("Profile '", hardware_.name, "'"));
      wrong("outstanding", "give the value for reading only",
            "has `outstanding` writes, but no off-chip memory is writable");
    }
  }

  void rates(const HardwareMemory& memory) {
    const AccessRates& rates = memory.rates;
    const auto unused = [&](const std::optional<Bandwidth>& rate, const char* user,
                            const char* why) {
      if (rate) wrong("rates", say("remove `", user, "`"), "has a rate of `", user, "`, but ", why);
    };
    if (!memory.offchip) {
      unused(rates.dma, "dma", "is on-chip, where only ops have rates");
      return;
    }
    if (!memory.behind.empty()) unused(rates.dma, "dma", "is a backing memory");
    unused(rates.weights, "weights", "weights leave an off-chip memory by DMA");
    if (off_chip::reached(hardware_) == &memory) return;
    unused(rates.input, "input", "no engine accesses the memory directly");
    unused(rates.output, "output", "no engine accesses the memory directly");
  }

  void direct_run(const HardwareMemory& memory) {
    if (memory.direct_run >= memory.burst)
      wrong("direct_run", "remove it, or set a longer `burst`", "has a `direct_run` of ",
            memory.direct_run, " bytes, and bursts of ", memory.burst,
            ": a run of one burst or more has no effect");
    else if (unbricked(memory.layout).order.back() != 1)
      wrong("direct_run", "remove it, or set a `layout` with channels last",
            "has a `direct_run`, but in its `layout` ", to_string(memory.layout),
            " the channels of a pixel are not contiguous");
  }

  /// A backing memory holds weights that pass through the memory it names, and tensors that find no
  /// free space there.
  void backing(const HardwareMemory& memory) {
    off_chip(memory.space);
    const HardwareMemory* const home = off_chip::weights(hardware_);
    if (home == nullptr || memory.behind != home->space.name || !home->writable)
      return wrong("behind", "name the writable off-chip memory that holds weights and activations",
                   "is `behind` '", memory.behind,
                   "', but no weights are transferred through that memory");
    if (off_chip::backing(hardware_) != &memory)
      wrong("behind", "keep only the one that weights come from", "is a second backing memory of '",
            memory.behind, "'");
    if (home->space.capacity == unbounded)
      wrong("behind", say("give '", memory.behind, "' a `capacity`, or remove this memory"),
            "is behind '", memory.behind, "', which has unlimited capacity");
    if (!memory.writable && memory.energy.write_pj != memory.energy.read_pj)
      wrong("energy", "give one value, for reading",
            "has an energy for writing, but is not writable");
    if (memory.space.base != 0)
      wrong("base", "leave it out",
            "has a `base`, but is a backing memory, for which plans have no addresses");
    if (memory.space.capacity == unbounded &&
        (memory.space.alignment != 1 || !memory.space.reserved.empty()))
      wrong(memory.space.alignment != 1 ? "alignment" : "reserved",
            "add a `capacity` that holds all weights, or remove this key",
            "has unlimited capacity, so this key has no effect");
    if (!memory.writable && (memory.write_bandwidth || memory.write_latency))
      wrong(memory.write_bandwidth ? "bandwidth" : "latency", "give the value for reading only",
            "has a value for writing, but is not writable");
  }

  /// Weight slices only apply to weights that are fetched while an array waits.
  void slices() {
    if (hardware_.dma.weight_slices <= 1) return;
    at(HardwarePart::profile, 0, say("Profile '", hardware_.name, "'"));
    const bool fetched = std::ranges::find(hardware_.tiling.weights, WeightPolicy::refetch) !=
                         hardware_.tiling.weights.end();
    if (!fetched)
      wrong("weight_slices", "add `refetch` to the `weights` of `tiling`",
            "has `weight_slices`, but all weights are loaded before the first tile");
    else if (!has_array())
      wrong("weight_slices", "add an engine of kind `mac_array`, or remove it",
            "has `weight_slices`, but no array that uses them");
  }

  [[nodiscard]] bool has_array() const {
    return std::ranges::any_of(hardware_.engines, [](const Engine& engine) {
      return engine.kind == EngineKind::mac_array;
    });
  }

  void coding() {
    if (!hardware_.coding || has_array()) return;
    at(HardwarePart::profile, 0, say("Profile '", hardware_.name, "'"));
    wrong("weight_coding", "add an engine of kind `mac_array`, or remove it",
          "has a `weight_coding`, but no array that decodes it");
  }

  /// Layouts only apply to memories of activations; a conversion rate only applies if layouts
  /// differ.
  void layouts() {
    const HardwareMemory* home = off_chip::activations(hardware_);
    for (std::size_t m = 0; m < hardware_.memories.size(); ++m) {
      const HardwareMemory& memory = hardware_.memories[m];
      if (!memory.offchip || &memory == home || memory.layout == Layout{}) continue;
      at(HardwarePart::memory, m, say("Memory '", memory.space.name, "'"));
      wrong("layout", "set it for the memory that holds activations",
            "has a `layout`, but holds only weights, which have no layout");
    }
    const bool differ = home != nullptr && home->layout != on_chip_layout(hardware_);
    if (differ == hardware_.dma.convert.has_value()) return;
    if (!differ) {
      at(HardwarePart::profile, 0, say("Profile '", hardware_.name, "'"));
      wrong("convert", "remove it, or add `layout` to the memories",
            "has a conversion rate for layouts, but no transfer converts a layout");
    } else if (hardware_.clock_hz > 0) {
      at(HardwarePart::memory, off_chip::index_of(hardware_, *home),
         say("Memory '", home->space.name, "'"));
      wrong("layout", "add a rate, `dma: {convert: 8 B/cycle}`, or use the same layout",
            "has the `layout` ", to_string(home->layout), ", on-chip memories have ",
            to_string(on_chip_layout(hardware_)), ", and the `dma` does not `convert`");
    }
  }

  void off_chip(const Memory& space) {
    const char* field = !space.banks.empty()   ? "banks"
                        : !space.modes.empty() ? "modes"
                        : !space.straddle      ? "straddle"
                                               : nullptr;
    if (field != nullptr)
      wrong(field, "remove it; off-chip memories support `capacity`, `alignment` and `reserved`",
            "has `", field, "`, but is off-chip, where banks have no effect");
  }

  void on_chip(const HardwareMemory& memory) {
    if (!memory.behind.empty())
      wrong("behind", "only an off-chip memory can be a backing memory",
            "is on-chip, and cannot be `behind` '", memory.behind, "'");
    if (!memory.writable)
      wrong("writable", "only an off-chip memory may be read-only, for instance flash",
            "is on-chip, holds buffers, and cannot be read-only");
    if (memory.burst != 1)
      wrong("burst", "set it for the off-chip memory",
            "has a `burst`, but is on-chip, where transfers have no bursts");
    if ((memory.latency != 0 || memory.write_latency.value_or(0) != 0) && !waits_)
      wrong("latency",
            "only an array with `blocks` and `stages` waits for a memory with a `bandwidth`",
            "has an on-chip `latency`, but no engine waits for it");
  }

  void reach() {
    std::vector<bool> reached(hardware_.memories.size(), hardware_.engines.empty());
    for (std::size_t e = 0; e < hardware_.engines.size(); ++e) {
      const auto& [input, weights, output] = hardware_.engines[e].reach;
      at(HardwarePart::engine, e, say("Engine '", hardware_.engines[e].name, "'"));
      // A list of all on-chip memories has an effect if another list names the off-chip one.
      const HardwareMemory* home = off_chip::activations(hardware_);
      const bool tells = home != nullptr &&
                         (off_chip::is_named(input, *home) || off_chip::is_named(output, *home));
      for (const std::vector<std::string>* list : {&input, &weights, &output})
        reach(*list, list == &weights, tells, reached);
    }
    direct();
    early();
    pinned();
    side_by_side();
    for (std::size_t m = 0; m < reached.size(); ++m) {
      if (reached[m] || hardware_.memories[m].offchip) continue;
      at(HardwarePart::memory, m, say("Memory '", hardware_.memories[m].space.name, "'"));
      wrong("memories", "name it in the `memories` of an engine, or remove it",
            "is not reached by any engine, so it would hold no buffers");
    }
  }

  /// Checks one list of memories. Lists of inputs and outputs may also name off-chip memory.
  void reach(const std::vector<std::string>& list, bool weights, bool tells,
             std::vector<bool>& reached) {
    if (list.empty()) reached.assign(reached.size(), true);
    bool off_chip = false;
    for (std::size_t k = 0; k < list.size(); ++k) {
      const auto found = std::ranges::find(
          hardware_.memories, list[k],
          [](const HardwareMemory& each) -> const std::string& { return each.space.name; });
      if (found == hardware_.memories.end())
        wrong("memories", say("memories are ", all_names()), "reaches '", list[k],
              "', which is not a memory of the profile");
      else if (found->offchip)
        off_chip = off_chip_reached(*found, weights) || off_chip;
      else
        reached[static_cast<std::size_t>(found - hardware_.memories.begin())] = true;
      if (std::find(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(k), list[k]) !=
          list.begin() + static_cast<std::ptrdiff_t>(k))
        wrong("memories", {}, "names memory '", list[k], "' twice");
    }
    const auto named = [&](const HardwareMemory& each) { return off_chip::is_named(list, each); };
    const auto on_chip = [](const HardwareMemory& each) { return !each.offchip; };
    if (off_chip && std::ranges::none_of(hardware_.memories, [&](const HardwareMemory& each) {
          return on_chip(each) && named(each);
        }))
      wrong("memories", say("also name an on-chip memory: ", chip_names()),
            "reaches no on-chip memory, which holds the operands passed between ops");
    const bool all = std::ranges::all_of(hardware_.memories, [&](const HardwareMemory& each) {
      return each.offchip || named(each);
    });
    if (all && !tells && !off_chip && !list.empty())
      wrong("memories", "leave it out", "names every on-chip memory, which is the default");
  }

  /// May an engine read or write this memory directly?
  bool off_chip_reached(const HardwareMemory& memory, bool weights) {
    const std::string& name = memory.space.name;
    if (weights)
      wrong("memories", "write `memories: {input: [..], output: [..]}` without `weights`",
            "reaches '", name, "' (off-chip) for weights, which are always loaded by DMA");
    else if (&memory != off_chip::activations(hardware_))
      wrong("memories", "remove it from the list: weights are loaded from it by DMA", "reaches '",
            name, "' (off-chip), which holds no activations");
    else if (off_chip::backing(hardware_) != nullptr)
      wrong("memories", "describe the memory that the engine reaches as on-chip", "reaches '", name,
            "' (off-chip), whose backing memory only the DMA can access");
    else if (memory.layout != on_chip_layout(hardware_))
      wrong("memories", "give both the same `layout`", "reaches '", name,
            "' (off-chip), where activations have another layout than on chip");
    else
      return true;
    return false;
  }

  /// Direct access requires an engine that reads or writes off-chip memory itself.
  void direct() {
    if (off_chip::reached(hardware_) != nullptr ||
        hardware_.tiling.direct == TilingOptions{}.direct)
      return;
    const HardwareMemory* home = off_chip::activations(hardware_);
    at(HardwarePart::profile, 0, say("Profile '", hardware_.name, "'"));
    wrong("direct",
          home == nullptr ? "leave it out"
                          : say("remove it, or name '", home->space.name,
                                "' in the `memories` of an engine: {input: [..], output: [..]}"),
          "has `direct`, but no engine reaches an off-chip memory");
  }

  /// Is there anything to prefetch?
  void early() {
    if (hardware_.tiling.early == Early::none) return;
    at(HardwarePart::profile, 0, say("Profile '", hardware_.name, "'"));
    if (off_chip::backing(hardware_) != nullptr)
      wrong("early", "write `early: none`",
            "has `early` weights, which is not supported with a backing memory");
    else if (std::ranges::find(hardware_.tiling.weights, WeightPolicy::resident) ==
             hardware_.tiling.weights.end())
      wrong("early", "write `early: none`, or list `resident` among the `weights` of `tiling`",
            "has `early` weights, but no resident weights");
  }

  /// Is there anything to pin?
  void pinned() {
    if (hardware_.tiling.pinned == Pinned::none) return;
    at(HardwarePart::profile, 0, say("Profile '", hardware_.name, "'"));
    if (off_chip::backing(hardware_) != nullptr)
      wrong("pinned", "write `pinned: none`",
            "has `pinned` weights, which is not supported with a backing memory");
    else if (!pin_memory(hardware_))
      wrong("pinned", "write `pinned: none`, or add an on-chip memory without banks",
            "has `pinned` weights, but no on-chip memory without banks, modes and reserved ranges");
  }

  /// Are there engines that can overlap?
  void side_by_side() {
    const TilingOptions& tiling = hardware_.tiling;
    if (tiling.engines != EngineOrder::side_by_side) return;
    at(HardwarePart::profile, 0, say("Profile '", hardware_.name, "'"));
    const std::vector<Engine>& all = hardware_.engines;
    const bool one_queue = std::ranges::all_of(all, [&](const Engine& engine) {
      return !engine.queue.empty() && engine.queue == all.front().queue;
    });
    if (all.size() < 2 || one_queue)
      return wrong("engines", "write `engines: in_turn`",
                   "has `engines: side_by_side`, but no two engines",
                   all.size() < 2 ? "" : " with separate queues");
    if (std::ranges::find(tiling.double_buffer, true) == tiling.double_buffer.end() ||
        std::ranges::find(tiling.halo, HaloPolicy::recompute) == tiling.halo.end())
      return wrong(
          "engines",
          "write `engines: in_turn`, or list true among `double_buffer` and `recompute` "
          "among `halo`",
          "has `engines: side_by_side`, which needs double-buffered tiles with recomputed halos");
    if (off_chip::backing(hardware_) != nullptr)
      return wrong("engines", "write `engines: in_turn`",
                   "has `engines: side_by_side`, which is not supported with a backing memory");
  }

  [[nodiscard]] std::string all_names() const {
    std::string names;
    for (const HardwareMemory& each : hardware_.memories)
      names += (names.empty() ? "" : ", ") + each.space.name;
    return names;
  }
  [[nodiscard]] std::string chip_names() const {
    std::string names;
    for (const HardwareMemory& each : hardware_.memories)
      if (!each.offchip) names += (names.empty() ? "" : ", ") + each.space.name;
    return names;
  }

  /// Assigns all kinds of op to engines, and checks that each engine computes something.
  void engines() {
    const std::vector<Engine>& engines = hardware_.engines;
    used_.clear();
    for (const Engine& engine : engines) used_.emplace_back(engine.maps.size());
    std::vector<bool> computes(engines.size(), false);
    for (const OpNames& op : every_op())
      if (const auto e = engine_of(op)) computes[*e] = true;
    for (std::size_t e = 0; e < engines.size(); ++e) {
      at(HardwarePart::engine, e, say("Engine '", engines[e].name, "'"));
      if (!computes[e])
        wrong("kind",
              "list its kinds of op in `maps`; the first array that names a kind computes it",
              "computes nothing: other engines take every kind of op");
      else if (engines[e].kind == EngineKind::mac_array)
        array(engines[e], used_[e]);
      const std::string& queue = engines[e].queue;
      if (!queue.empty() && std::ranges::count(engines, queue, &Engine::queue) == 1)
        wrong("queue", "remove it, or name the queue of another engine", "waits in a `queue` '",
              queue, "' that no other engine uses, which is the default");
      rates("cycles_per_vector", engines[e].cycles_per_vector, e);
      rates("output", engines[e].output_of, e);
      for (const auto& [type, factor] : engines[e].dtype_factor)
        if (type == engines[e].dtype)
          wrong("dtype_factor", "remove it: `dtype` is the type at full speed",
                "has a `dtype_factor` for its own `dtype` ", type);
    }
  }

  /// Rates of kinds that the engine never computes.
  void rates(const char* field, const std::vector<std::pair<std::string, double>>& of,
             std::size_t e) {
    for (const auto& [name, cycles] : of) {
      const std::optional<OpKind> kind = op_kind_from(name);
      if (!kind) continue;  // the name of a function, not of a kind
      bool takes = false;
      for (const OpNames& op : every_op()) {
        const bool same = *kind == OpKind::matmul
                              ? op.names[1] == "matmul" || op.names[0] == "matmul"
                          : *kind == OpKind::conv_transpose ? op.products && op.names[0] != "matmul"
                          : *kind == OpKind::conv           ? op.products && op.names[0] != "matmul"
                                                            : op.names[0] == name;
        takes = takes || (same && engine_of(op) == e);
      }
      if (!takes)
        wrong(field, "remove it, or let the engine compute such ops", "has `", field, "` for '",
              name, "', which other engines compute");
    }
  }

  /// Marks the map entry that selects the op.
  std::optional<std::size_t> engine_of(const OpNames& op) {
    const std::vector<Engine>& engines = hardware_.engines;
    for (std::size_t e = 0; e < engines.size(); ++e) {
      if (engines[e].kind != EngineKind::mac_array) continue;
      if (engines[e].maps.empty()) {
        if (op.products) return e;
        continue;
      }
      for (const std::string_view name : op.names) {
        bool found = false;
        for (std::size_t m = 0; m < engines[e].maps.size() && !name.empty(); ++m) {
          const std::vector<std::string>& ops = engines[e].maps[m].ops;
          if (std::ranges::find(ops, name) == ops.end()) continue;
          used_[e][m].push_back(name);
          found = true;
        }
        if (found) return e;
      }
    }
    for (std::size_t e = 0; e < engines.size(); ++e)
      if (engines[e].kind == EngineKind::vector) return e;
    return std::nullopt;
  }

  static std::int64_t count_of(const LoopCounts& counts, std::string_view loop) {
    const auto found = std::ranges::find(counts, loop, &LoopCounts::value_type::first);
    return found == counts.end() ? 1 : found->second;
  }

  void array(const Engine& engine, const std::vector<std::vector<std::string_view>>& used) {
    for (std::size_t m = 0; m < engine.maps.size(); ++m) {
      const Mapping& mapping = engine.maps[m];
      for (const std::string& op : mapping.ops)
        if (std::ranges::find(used[m], op) == used[m].end())
          wrong("maps",
                "the first array that names a kind of op computes it, by the most specific name",
                "has a map '", mapping.name, "' for '", op,
                "' without effect: other maps or engines compute all such ops");
      if ((mapping.pass_depth > 0 || mapping.wait > 0) &&
          mapping.stationary != StationaryOperand::weights)
        wrong("maps", "remove it, or keep weights stationary", "has a map '", mapping.name,
              "' with `", mapping.pass_depth > 0 ? "pass_depth" : "wait",
              "`, which has an effect on stationary weights only");
      if (mapping.pass_depth % count_of(mapping.unroll, "C") != 0)
        wrong("maps", "the steps of a pass have whole groups of input channels", "has a map '",
              mapping.name, "' with a `pass_depth` of ", mapping.pass_depth,
              ", which is not a multiple of its unrolled C ", count_of(mapping.unroll, "C"));
      for (const auto& [loop, least] : mapping.at_least)
        if (std::string_view("CRST").find(loop) == std::string_view::npos)
          wrong("maps", "it can have C, R, S and T", "has a map '", mapping.name,
                "' whose `at_least` names ", loop, ": only reduction loops can be too short");
      const bool taps = count_of(mapping.unroll, "T") > 1 || count_of(mapping.at_least, "T") > 1;
      for (const LoopCounts* counts : {&mapping.unroll, &mapping.at_least})
        if (taps && (count_of(*counts, "R") > 1 || count_of(*counts, "S") > 1))
          wrong("maps", "T stands for all taps (R x S)", "has a map '", mapping.name,
                "' with both T and R or S; R and S would be ignored");
    }
    for (const auto& [loop, most] : engine.blocks.most)
      if (std::string_view("KHWRS").find(loop) == std::string_view::npos)
        wrong("blocks", "it can have K, H, W, R and S", "has `blocks` whose `most` names ", loop,
              ": a block has channels, rows, columns and kernel taps");
    if (engine.blocks.stages > 0 && !chip_bandwidth_)
      wrong("blocks", "add the `bandwidth` of the memory that it reads from",
            "has `stages`, but no on-chip memory has a `bandwidth`");
    if (engine.blocks.transfers != BlockTransfers::in_turn && engine.blocks.stages == 0)
      wrong("blocks", "add `stages`, the number of blocks between reading and writing",
            "has `transfers`, which only has an effect with `stages`");
    if (engine.blocks.small > 0 && engine.blocks.equal != EqualBlocks::first)
      wrong("blocks", "add `equal: first`, or remove it with `small: null`",
            "has `small`, which only has an effect with `equal: first`");
    for (const auto& [kind, cycles] : engine.channel_of)
      if (std::ranges::none_of(told_apart, [&kind = kind](const OpNames& op) {
            return op.weights && op.names[0] == kind;
          }))
        wrong("channel_cycles", "kinds with weights are conv, grouped, depthwise, fc and matmul",
              "has `channel_cycles` for '", kind, "', which has no weights");
  }

  const Hardware& hardware_;
  std::vector<HardwareDefect>& defects_;
  std::vector<std::vector<std::vector<std::string_view>>> used_;  ///< per engine and map
  bool chip_bandwidth_ = false;
  bool modes_ = false;
  bool waits_ = false;
  HardwarePart part_ = HardwarePart::profile;
  std::size_t index_ = 0;
  std::string of_;
};

}  // namespace

void find_unused_keys(const Hardware& hardware, std::vector<HardwareDefect>& defects) {
  UnusedKeys(hardware, defects).run();
}

}  // namespace tessera
