#include "tessera/hardware_check.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <unordered_set>

#include "model/operand_rules.h"
#include "model/rule_text.h"
#include "model/rules.h"
#include "model/stored.h"
#include "model/unused_keys.h"
#include "say.h"
#include "tessera/network.h"
#include "tessera/validate.h"

namespace tessera {
namespace {

namespace limits = hardware_limits;

constexpr std::array<std::string_view, 6> op_classes{"conv", "grouped", "depthwise",
                                                     "fc",   "matmul",  "pool"};

class HardwareChecker {
 public:
  explicit HardwareChecker(const Hardware& hardware) : hardware_(hardware) {}

  std::vector<HardwareDefect> run() {
    machine();
    engines();
    memories();
    restrictions();
    if (defects_.empty()) rules();
    tiling();
    objective();
    if (defects_.empty()) find_unused_keys(hardware_, defects_);
    return std::move(defects_);
  }

 private:
  template <typename... Pieces>
  void wrong(const char* field, const Pieces&... pieces) {
    defects_.push_back({part_, index_, field, say(of_, ' ', pieces..., '.'), {}});
  }
  void at(HardwarePart part, std::size_t index, std::string of) {
    part_ = part;
    index_ = index;
    of_ = std::move(of);
  }
  void real(const char* field, double value, double least, double most) {
    if (value >= least && value <= most) return;  // not for NaN
    if (std::isnan(value))
      wrong(field, "has a `", field, "` that is not a number");
    else
      wrong(field, "has `", field, "` ", value, ", which is not within ", least, " .. ", most);
  }
  void whole(const char* field, std::int64_t value, std::int64_t least, std::int64_t most) {
    if (value < least || value > most)
      wrong(field, "has `", field, "` ", value, ", which is not within ", least, " .. ", most);
  }
  template <typename Choice>
  void choice(const char* field, Choice value, Choice last) {
    if (value > last) wrong(field, "has a `", field, "` with an unknown value");
  }

  void machine() {
    at(HardwarePart::profile, 0, say("Profile '", hardware_.name, "'"));
    if (hardware_.name.empty()) wrong("name", "has no name");
    if (hardware_.clock_hz != 0)
      real("clock", hardware_.clock_hz, limits::least_clock_hz, limits::most_clock_hz);
    real("static_power", hardware_.static_power_mw, 0, limits::most_power_mw);
    whole("channels", hardware_.dma.channels, 1, limits::channels);
    whole("outstanding", hardware_.dma.outstanding, 1, limits::parallel);
    if (hardware_.dma.outstanding_writes)
      whole("outstanding", *hardware_.dma.outstanding_writes, 1, limits::parallel);
    whole("setup", hardware_.dma.setup, 0, limits::cycles);
    whole("weight_slices", hardware_.dma.weight_slices, 1, limits::parallel);
    if (hardware_.dma.convert) speed(*hardware_.dma.convert, "convert");
    if (hardware_.coding) {
      real("ratio", hardware_.coding->ratio, limits::least_factor, limits::most_factor);
      whole("per_channel", hardware_.coding->per_channel, 0, limits::burst);
      whole("granule", hardware_.coding->granule, 1, limits::burst);
    }
    whole("cycles", hardware_.mode_switch.cycles, 0, limits::cycles);
    real("energy", hardware_.mode_switch.energy_pj, 0, limits::most_energy_pj);
  }

  void engines() {
    std::unordered_set<std::string_view> names;
    for (std::size_t k = 0; k < hardware_.engines.size(); ++k) {
      const Engine& engine = hardware_.engines[k];
      at(HardwarePart::engine, k, say("Engine '", engine.name, "'"));
      if (engine.name.empty()) wrong("name", "has no name");
      if (!names.insert(engine.name).second) wrong("name", "has the name of an earlier engine");
      choice("kind", engine.kind, EngineKind::vector);
      real("energy", engine.energy_pj, 0, limits::most_energy_pj);
      if (engine.kind == EngineKind::mac_array) array(engine);
      for (const auto& [type, factor] : engine.dtype_factor)
        real("dtype_factor", factor, limits::least_factor, limits::most_factor);
      real("unfused", engine.unfused_output_cycles, 0, limits::most_factor);
      whole("fill", engine.fill, 0, limits::cycles);
      whole("lanes", engine.lanes, 1, limits::parallel);
      whole("channels", engine.channels, 1, limits::parallel);
      whole("startup", engine.startup, 0, limits::cycles);
      real("cycles_per_vector", engine.default_cycles_per_vector, limits::least_factor,
           limits::most_factor);
      for (const auto& [kind, cycles] : engine.cycles_per_vector)
        real("cycles_per_vector", cycles, limits::least_factor, limits::most_factor);
    }
  }

  void loops(const char* field, const LoopCounts& counts) {
    constexpr std::string_view known = "NCKHWRSGT";
    for (const auto& [loop, n] : counts) {
      if (loop.size() != 1 || known.find(loop.front()) == known.npos)
        wrong(field, "has '", loop, "' in `", field, "`, which is not a dimension");
      whole(field, n, 1, limits::parallel);
    }
    if (count_of(counts, "T") != 0 && (count_of(counts, "R") != 0 || count_of(counts, "S") != 0))
      wrong(field, "has T in `", field, "` together with R or S, which T includes");
  }
  static std::int64_t count_of(const LoopCounts& counts, std::string_view loop) {
    const auto found = std::ranges::find(counts, loop, &LoopCounts::value_type::first);
    return found == counts.end() ? 0 : found->second;
  }
  void cells(const LoopCounts& unroll) {
    double cells = 1;
    for (const auto& [dimension, by] : unroll) cells *= static_cast<double>(by);
    if (cells > limits::most_cells)
      wrong("unroll", "has ", cells, " multiplier cells; at most ", limits::most_cells,
            " are supported");
  }

  void array(const Engine& engine) {
    loops("unroll", engine.unroll);
    cells(engine.unroll);
    if (!engine.unroll.empty() && !engine.maps.empty())
      wrong("unroll", "has both `unroll` and `maps`; set `unroll` in each map");
    whole("cores", engine.cores, 1, limits::parallel);
    real("channel_cycles", engine.channel_cycles, 0, limits::most_factor);
    for (const auto& [kind, cycles] : engine.channel_of) {
      real("channel_cycles", cycles, 0, limits::most_factor);
      if (!is_mapped_op(kind))
        wrong("channel_cycles", "has `channel_cycles` for '", kind, "'; kinds of op are ",
              mapped_ops_text());
    }
    real("output", engine.output_cycles, 0, limits::most_factor);
    for (const auto& [kind, cycles] : engine.output_of)
      real("output", cycles, 0, limits::most_factor);
    for (const Mapping& mapping : engine.maps) {
      if (mapping.ops.empty()) wrong("maps", "has a map '", mapping.name, "' without a kind of op");
      for (const std::string& op : mapping.ops)
        if (!is_mapped_op(op))
          wrong("maps", "has a map for '", op, "'; kinds of op are ", mapped_ops_text());
      loops("unroll", mapping.unroll);
      loops("at_least", mapping.at_least);
      cells(mapping.unroll);
      real("cycles", mapping.cycles, limits::least_factor, limits::most_factor);
      whole("least", mapping.least, 0, limits::cycles);
      whole("start", mapping.start, 0, limits::cycles);
      whole("input_depth", mapping.input_depth, 0, limits::parallel);
      whole("pass_depth", mapping.pass_depth, 0, limits::parallel);
      whole("wait", mapping.wait, 0, limits::cycles);
      if (engine.blocks.buffer > 0) block_shapes(engine.blocks, mapping.unroll);
    }
    if (engine.maps.empty() && engine.blocks.buffer > 0) block_shapes(engine.blocks, engine.unroll);
    blocks(engine.blocks);
  }

  void blocks(const BlockRule& rule) {
    whole("buffer", rule.buffer, 0, limits::burst);
    whole("sum_buffer", rule.sum_buffer, 0, limits::burst);
    loops("most", rule.most);
    whole("depth_step", rule.depth_step, 1, limits::parallel);
    whole("channels", rule.channels, 1, limits::parallel);
    whole("input_granule", rule.input_granule, 1, limits::burst);
    whole("sum_bytes", rule.sum_bytes, 1, limits::parallel);
    whole("sum_granule", rule.sum_granule, 1, limits::burst);
    whole("stages", rule.stages, 0, limits::parallel);
    whole("small", rule.small, 0, limits::parallel);
  }

  /// Every block shape is tried for every op, so their number is limited.
  void block_shapes(const BlockRule& rule, const LoopCounts& unroll) {
    double shapes = 1;
    for (const char* loop : {"K", "H", "W"}) {
      const std::int64_t most = count_of(rule.most, loop);
      if (most < 1 || most > limits::block_extent)
        return wrong(
            "most", "has `blocks` whose `most` ", most < 1 ? "does not say " : "is beyond ",
            most < 1 ? std::string(loop) : std::to_string(limits::block_extent) + " for " + loop,
            ": the maximum number of channels, rows and columns of a block");
      std::int64_t step = std::max<std::int64_t>(1, count_of(unroll, loop));
      if (*loop == 'K') step = std::max(step, rule.depth_step);
      shapes *= std::max(1.0, static_cast<double>(most) / static_cast<double>(step));
    }
    if (shapes > static_cast<double>(limits::blocks_tried))
      wrong("most", "leaves ", shapes, " shapes of a block to try; at most ", limits::blocks_tried,
            " are supported: use a smaller `most` or larger steps");
  }

  void speed(const Bandwidth& bandwidth, const char* field = "bandwidth") {
    real(field, bandwidth.amount, limits::least_bandwidth, limits::most_bandwidth);
    if (bandwidth.per_cycle && hardware_.clock_hz == 0)
      wrong(field, "has a `", field, "` per cycle, but the profile has no `clock`");
  }

  void layout(const HardwareMemory& memory) {
    std::array<std::uint8_t, 4> axes = memory.layout.order;
    std::ranges::sort(axes);
    if (axes != Layout{}.order || memory.layout.order[0] != 0)
      wrong("layout", "has a `layout` that is not an order of the axes N, C, H and W");
    else if (memory.layout.brick < 1 || memory.layout.brick > limits::brick)
      wrong("layout", "has a `layout` with bricks of ", memory.layout.brick,
            " channels; they have 1 .. ", limits::brick);
    else if (!memory.offchip && memory.layout != on_chip_layout(hardware_))
      wrong("layout", "has another `layout` than the first on-chip memory");
  }

  void memories() {
    PlacementProblem spaces;
    for (const HardwareMemory& each : hardware_.memories) spaces.memories.push_back(each.space);
    for (Defect& defect : validate(spaces)) {
      if (defect.part != ProblemPart::memory && defect.field != "memories") continue;
      const bool one = defect.part == ProblemPart::memory;
      defects_.push_back({one ? HardwarePart::memory : HardwarePart::profile,
                          defect.index,
                          std::move(defect.field),
                          std::move(defect.message),
                          {}});
    }
    bool placed = false;
    for (std::size_t m = 0; m < hardware_.memories.size(); ++m) {
      const HardwareMemory& memory = hardware_.memories[m];
      at(HardwarePart::memory, m, say("Memory '", memory.space.name, "'"));
      placed = placed || !memory.offchip;
      real("energy", memory.energy.read_pj, 0, limits::most_energy_pj);
      real("energy", memory.energy.write_pj, 0, limits::most_energy_pj);
      layout(memory);
      whole("burst", memory.burst, 1, limits::burst);
      whole("direct_run", memory.direct_run, 0, limits::burst);
      whole("latency", memory.latency, 0, limits::cycles);
      if (memory.write_latency) whole("latency", *memory.write_latency, 0, limits::cycles);
      if (memory.write_bandwidth) {
        speed(*memory.write_bandwidth);
        if (!memory.bandwidth) wrong("bandwidth", "has a bandwidth for writing only");
      }
      if (memory.bandwidth) {
        speed(*memory.bandwidth);
      } else if (memory.offchip) {
        wrong("bandwidth", "is off-chip and has no `bandwidth`");
      }
      for (const std::optional<Bandwidth>& rate :
           {memory.rates.input, memory.rates.weights, memory.rates.output, memory.rates.dma})
        if (rate) speed(*rate, "rates");
      if (memory.space.base % std::max<Size>(memory.space.alignment, 1) != 0)
        wrong("base", "has base ", memory.space.base, ", which is not a multiple of its alignment ",
              memory.space.alignment,
              "; move the base up to a multiple and reduce the capacity accordingly");
      if (!memory.offchip && memory.space.capacity == unbounded)
        wrong("capacity", "has neither `capacity` nor `banks`, which an on-chip memory needs");
    }
    at(HardwarePart::profile, 0, say("Profile '", hardware_.name, "'"));
    if (!placed) wrong("memories", "has no on-chip memory for buffers");
  }

  void restrictions() {
    for (std::size_t k = 0; k < hardware_.restrictions.size(); ++k) {
      const OperandRestriction& restriction = hardware_.restrictions[k];
      at(HardwarePart::restriction, k, say("Restriction ", k));
      choice("restrictions", restriction.kind, RelationKind::different_memories);
      std::unordered_set<std::string_view> named;
      for (const std::string& operand : restriction.operands) {
        if (operand != "input" && operand != "output" && operand != "weights")
          wrong("restrictions", "names '", operand, "'; operands are input, output and weights");
        if (!named.insert(operand).second) wrong("restrictions", "names '", operand, "' twice");
      }
      if (named.size() < 2) wrong("restrictions", "is not between two operands");
    }
  }

  void rules() {
    for (std::size_t k = 0; k < hardware_.rules.size(); ++k) {
      const OperandRule& rule = hardware_.rules[k];
      at(HardwarePart::rule, k, say("Rule '", rule.name, "'"));
      if (rule.name.empty() || !is_printable(rule.name)) wrong("rules", "has no name in one line");
      for (const std::string& op : rule.ops)
        if (!is_mapped_op(op))
          wrong("rules", "names the op '", op, "'; kinds are ", mapped_ops_text());
      for (const std::string& role : rule.roles)
        if (!operand_role(role))
          wrong("rules", "names the role '", role, "'; roles are input, output and weights");
      if (hardware_.tiling.pinned != Pinned::none)
        wrong("rules", "would not hold for pinned weights; write `pinned: none`");
      if (!defects_.empty()) return;
      try {
        for (const RuleNode& node : operand_conditions(hardware_, rule))
          if (!holds_for_smaller(node))
            wrong("rules",
                  "is about sizes, or requires that an operand touches a bank: a smaller tile "
                  "may violate it, which the tile search does not support");
      } catch (const RuleTextError& error) {
        wrong("rules", "has an error in ", error.what());
        defects_.back().hint = error.hint;
      }
    }
  }

  void tiling() {
    at(HardwarePart::profile, 0, say("Profile '", hardware_.name, "'"));
    const TilingOptions& tiling = hardware_.tiling;
    if (tiling.double_buffer.empty()) wrong("double_buffer", "has no value for `double_buffer`");
    if (tiling.weights.empty()) wrong("weights", "has no value for `weights`");
    if (tiling.halo.empty()) wrong("halo", "has no value for `halo`");
    if (tiling.stationary.empty()) wrong("stationary", "has no value for `stationary`");
    if (tiling.one_copy.empty()) wrong("one_copy", "has no value for `one_copy`");
    if (tiling.reduction.empty()) wrong("reduction", "has no value for `reduction`");
    if (tiling.direct.empty()) wrong("direct", "has no value for `direct`");
    for (const WeightPolicy each : tiling.weights) choice("weights", each, WeightPolicy::refetch);
    for (const HaloPolicy each : tiling.halo) choice("halo", each, HaloPolicy::keep);
    for (const Stationary each : tiling.stationary) choice("stationary", each, Stationary::inputs);
    for (const OneCopy each : tiling.one_copy) choice("one_copy", each, OneCopy::outputs_weights);
    for (const Direct each : tiling.direct) choice("direct", each, Direct::inputs_outputs);
    choice("early", tiling.early, Early::weights);
    choice("engines", tiling.engines, EngineOrder::side_by_side);
    choice("concat", tiling.concat, Concat::copied);
    choice("pinned", tiling.pinned, Pinned::weights);
    for (const std::int64_t parts : tiling.reduction)
      if (parts < 1 || parts > hardware_limits::reduction)
        wrong("reduction", "has sums in ", parts, " parts; they lie within 1 .. ",
              hardware_limits::reduction);
  }

  void objective() {
    const ObjectiveWeights& weights = hardware_.objective;
    double sum = 0;
    for (const auto& [field, weight] : {std::pair{"latency", weights.latency},
                                        {"energy", weights.energy},
                                        {"dram_bytes", weights.dram_bytes},
                                        {"peak_memory", weights.peak_memory},
                                        {"peak_bandwidth", weights.peak_bandwidth}}) {
      if (!(weight >= 0)) wrong(field, "weighs `", field, "` with a negative weight");
      sum += weight;
    }
    if (!(sum > 0))
      wrong("objective", "has no metric with a weight above 0");
    else if (!(sum <= hardware_limits::weights))
      wrong("objective", "has weights that add up to ", sum, "; only their ratio matters");
  }

  const Hardware& hardware_;
  std::vector<HardwareDefect> defects_;
  HardwarePart part_ = HardwarePart::profile;
  std::size_t index_ = 0;
  std::string of_;
};

}  // namespace

bool is_mapped_op(std::string_view name) {
  return std::ranges::find(op_classes, name) != op_classes.end() || op_kind_from(name).has_value();
}

std::string mapped_ops_text() {
  std::string text;
  for (const std::string_view name : op_classes) text += std::string(name) + ", ";
  return text + "elementwise, reduce, softmax, concat and the other kinds of a network file";
}

std::vector<HardwareDefect> check_hardware(const Hardware& hardware) {
  return HardwareChecker(hardware).run();
}

}  // namespace tessera
