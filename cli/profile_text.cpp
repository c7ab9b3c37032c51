#include "cli/profile_text.h"

#include <algorithm>
#include <cstdio>
#include <utility>
#include <vector>

#include "model/hex_text.h"
#include "model/json_write.h"
#include "model/stored.h"
#include "tessera/files.h"
#include "tessera/names.h"

namespace tessera::cli {

namespace {

std::string real(double value) {
  char text[64];
  std::snprintf(text, sizeof text, "%.10g", value);
  return text;
}

/// Source of a key's value: its own entry, or that of the nearest enclosing key.
std::string source_of(const Hardware& hardware, std::string key) {
  for (;;) {
    for (const auto& [known, source] : hardware.provenance)
      if (known == key) return source;
    const std::size_t dot = key.rfind('.');
    if (dot == std::string::npos) return "assumed";
    key.resize(dot);
  }
}

/// Keys with values and sources.
class Sheet {
 public:
  explicit Sheet(const Hardware& hardware) : hardware_(hardware) {}

  void add(const std::string& key, const std::string& value) {
    lines_.push_back({key, value, source_of(hardware_, key)});
  }

  [[nodiscard]] bool has(const std::string& key) const {
    return std::any_of(lines_.begin(), lines_.end(),
                       [&](const Line& line) { return line.key == key; });
  }

  /// Lines of "key value", with the sources aligned in one column.
  std::string text() const {
    const auto length = [](const Line& line) { return line.key.size() + 2 + line.value.size(); };
    std::size_t width = 0;
    for (const Line& line : lines_)
      if (length(line) <= 60) width = std::max(width, length(line));
    std::string all;
    for (const Line& line : lines_) {
      std::string padded = line.key + "  " + line.value;
      padded.resize(std::max(width, padded.size()), ' ');
      all += padded + "  # " + line.source + "\n";
    }
    return all;
  }

  std::string json() const {
    std::string all;
    write_list(all, lines_, ",\n  ", [](const Line& line) {
      return json_object([&](JsonObject& object) {
        object.text("key", line.key);
        object.text("value", line.value);
        object.text("source", line.source);
      });
    });
    return all;
  }

 private:
  struct Line {
    std::string key;
    std::string value;
    std::string source;
  };
  const Hardware& hardware_;
  std::vector<Line> lines_;
};

/// "0-7 read_write, 8-15 weight": ranges of banks with the same role.
std::string runs_text(const std::vector<Role>& roles) {
  std::string text;
  for (std::size_t from = 0; from < roles.size();) {
    std::size_t to = from;
    while (to + 1 < roles.size() && roles[to + 1] == roles[from]) ++to;
    text += (text.empty() ? "" : ", ") + std::to_string(from) +
            (to == from ? "" : "-" + std::to_string(to)) + " " +
            std::string(to_string(roles[from]));
    from = to + 1;
  }
  return text;
}

std::string choice_text(const std::vector<Role>& roles) {
  std::string text;
  for (const Role role : roles) text += (text.empty() ? "" : " or ") + std::string(to_string(role));
  return text;
}

std::string bandwidth_text(const Bandwidth& bandwidth) {
  return bandwidth.per_cycle ? real(bandwidth.amount) + " B/cycle"
                             : real(bandwidth.amount / 1e9) + " GB/s";
}

/// The bandwidth of a DMA channel if too few outstanding bursts limit it (cost/transfer.h): a
/// frequent and expensive error in profiles.
std::string reached_text(const Hardware& hardware, const HardwareMemory& memory) {
  if (!memory.offchip || !memory.bandwidth || !(hardware.clock_hz > 0)) return "";
  std::string text;
  const auto add = [&](const Bandwidth& stated, std::int64_t latency, std::int64_t bursts,
                       const char* what) {
    const double reached = static_cast<double>(memory.burst) * static_cast<double>(bursts) /
                           static_cast<double>(latency);
    if (latency <= 0 || reached >= stated.bytes_per_cycle(hardware.clock_hz)) return;
    text += (text.empty() ? " (a channel " : ", ") + std::string(what) + " " + real(reached) +
            " B/cycle with " + std::to_string(bursts) + " bursts outstanding";
  };
  const std::int64_t reads = hardware.dma.outstanding;
  add(*memory.bandwidth, memory.latency, reads, "reads");
  if (memory.writable)
    add(memory.write_bandwidth.value_or(*memory.bandwidth),
        memory.write_latency.value_or(memory.latency),
        hardware.dma.outstanding_writes.value_or(reads), "writes");
  return text.empty() ? "" : text + ")";
}

void add_memory(Sheet& sheet, const Hardware& hardware, const HardwareMemory& memory) {
  const Memory& space = memory.space;
  const std::string key = "memories." + space.name;
  if (memory.offchip) sheet.add(key + ".offchip", "true");
  if (space.capacity != unbounded && space.banks.empty())
    sheet.add(key + ".capacity", size_text(space.capacity));
  if (!space.banks.empty()) {
    bool same = true;
    for (const Bank& bank : space.banks) same = same && bank.size == space.banks.front().size;
    std::string sizes;
    for (const Bank& bank : space.banks)
      sizes += (sizes.empty() ? "" : ", ") + bank.name + " " + size_text(bank.size);
    sheet.add(key + ".banks", same ? std::to_string(space.banks.size()) + " of " +
                                         size_text(space.banks.front().size)
                                   : sizes);
    if (!space.straddle) sheet.add(key + ".straddle", "false");
  }
  if (space.alignment != 1) sheet.add(key + ".alignment", size_text(space.alignment));
  if (space.base != 0) sheet.add(key + ".base", hex_text(space.base));
  for (const Mode& mode : space.modes)
    sheet.add(key + ".modes." + mode.name, runs_text(mode.roles));
  if (space.modes_per_bank) {
    for (const Bank& bank : space.banks)
      sheet.add(key + ".banks." + bank.name + ".roles", choice_text(bank.roles));
  }
  for (const AddressRange& range : space.reserved)
    sheet.add(key + ".reserved",
              "[" + std::to_string(range.begin) + ", " + std::to_string(range.end) + ")");
  if (!memory.behind.empty()) sheet.add(key + ".behind", memory.behind);
  if (memory.layout != Layout{}) sheet.add(key + ".layout", to_string(memory.layout));
  if (memory.bandwidth)
    sheet.add(key + ".bandwidth",
              (memory.write_bandwidth ? "read " + bandwidth_text(*memory.bandwidth) + ", write " +
                                            bandwidth_text(*memory.write_bandwidth)
                                      : bandwidth_text(*memory.bandwidth)) +
                  reached_text(hardware, memory));
  const std::pair<const char*, const std::optional<Bandwidth>&> rates[] = {
      {"input", memory.rates.input},
      {"weights", memory.rates.weights},
      {"output", memory.rates.output},
      {"dma", memory.rates.dma}};
  for (const auto& [user, rate] : rates)
    if (rate) sheet.add(key + ".rates." + user, bandwidth_text(*rate));
  if (memory.offchip) sheet.add(key + ".burst", size_text(memory.burst));
  if (memory.direct_run > 0) sheet.add(key + ".direct_run", size_text(memory.direct_run));
  if (memory.offchip || memory.latency > 0)
    sheet.add(key + ".latency", memory.write_latency
                                    ? "read " + std::to_string(memory.latency) + ", write " +
                                          std::to_string(*memory.write_latency) + " cycles"
                                    : std::to_string(memory.latency) + " cycles");
  sheet.add(key + ".energy", "read " + real(memory.energy.read_pj) + " pJ/B, write " +
                                 real(memory.energy.write_pj) + " pJ/B");
}

std::string loops_text(const LoopCounts& loops) {
  std::string text;
  for (const auto& [loop, count] : loops)
    text += (text.empty() ? "" : " x ") + loop + " " + std::to_string(count);
  return text.empty() ? "none" : text;
}

std::string rates_text(double otherwise, const std::vector<std::pair<std::string, double>>& of) {
  std::string text = real(otherwise);
  for (const auto& [kind, cycles] : of) text += ", " + kind + " " + real(cycles);
  return text;
}

void add_mapping(Sheet& sheet, const std::string& key, const Mapping& mapping) {
  std::string text;
  for (const std::string& op : mapping.ops) text += (text.empty() ? "" : ", ") + op;
  text += ": " + loops_text(mapping.unroll) + " in " + real(mapping.cycles) +
          (mapping.cycles == 1 ? " cycle" : " cycles");
  if (mapping.least > 0) text += ", at least " + std::to_string(mapping.least);
  if (mapping.start > 0) text += ", one every " + std::to_string(mapping.start);
  if (!mapping.at_least.empty()) text += ", counted as at least " + loops_text(mapping.at_least);
  if (mapping.input_depth > 0)
    text += ", " + std::to_string(mapping.input_depth) + " input channels at once";
  if (mapping.pass_depth > 0)
    text += ", weights of " + std::to_string(mapping.pass_depth) + " input channels in a pass";
  if (mapping.wait > 0)
    text += ", passes of one place wait " + std::to_string(mapping.wait) + " cycles";
  if (mapping.folds_columns)
    text += ", folds strided columns of the network's inputs into channels";
  if (mapping.spreads_input) text += ", expands inputs of transposed convolutions with zeros";
  sheet.add(key + ".maps." + mapping.name, text);
}

std::string equal_blocks_text(const BlockRule& blocks) {
  if (blocks.equal == EqualBlocks::quickest) return "";
  if (blocks.small == 0) return "; on ties the first";
  const std::string small = std::to_string(blocks.small);
  return "; on ties the first, up to " + small + " x " + small + " the last";
}

void add_array(Sheet& sheet, const std::string& key, const Engine& engine) {
  if (engine.maps.empty()) sheet.add(key + ".unroll", loops_text(engine.unroll));
  for (const Mapping& mapping : engine.maps) add_mapping(sheet, key, mapping);
  const BlockRule& blocks = engine.blocks;
  if (blocks.buffer > 0)
    sheet.add(
        key + ".blocks",
        size_text(blocks.buffer) + " hold two blocks with sums of " +
            std::to_string(blocks.sum_bytes) + " B" +
            (blocks.sum_buffer > 0 ? " in " + size_text(blocks.sum_buffer) + " of their own" : "") +
            "; at most " + loops_text(blocks.most) +
            (blocks.stages > 0 ? "; " + std::to_string(blocks.stages) + " outstanding" : "") +
            (blocks.transfers == BlockTransfers::overlapped ? "; transfers overlap" : "") +
            equal_blocks_text(blocks));
  if (engine.cores > 1) sheet.add(key + ".cores", std::to_string(engine.cores));
  if (engine.output_cycles > 0 || !engine.output_of.empty())
    sheet.add(key + ".output",
              rates_text(engine.output_cycles, engine.output_of) + " cycles per element");
  if (engine.channel_cycles > 0 || !engine.channel_of.empty())
    sheet.add(key + ".channel_cycles",
              rates_text(engine.channel_cycles, engine.channel_of) + " per output channel");
  std::string types = engine.dtype;
  for (const auto& [type, factor] : engine.dtype_factor)
    types += ", " + type + " takes " + real(factor) + " x";
  sheet.add(key + ".dtype", types);
  sheet.add(key + ".fill", std::to_string(engine.fill) + " cycles");
  sheet.add(key + ".energy", real(engine.energy_pj) + " pJ per multiply-accumulate");
}

/// "input in cbuf, weights in cbuf, output in sram or cbuf"
std::string reach_text(const Reach& reach) {
  std::string text;
  const auto add = [&](const char* operand, const std::vector<std::string>& memories) {
    if (memories.empty()) return;
    std::string names;
    for (const std::string& name : memories) names += (names.empty() ? "" : " or ") + name;
    text += (text.empty() ? "" : ", ") + std::string(operand) + " in " + names;
  };
  add("input", reach.input);
  add("weights", reach.weights);
  add("output", reach.output);
  return text;
}

void add_engine(Sheet& sheet, const Engine& engine) {
  const std::string key = "engines." + engine.name;
  if (const std::string reach = reach_text(engine.reach); !reach.empty())
    sheet.add(key + ".memories", reach);
  if (!engine.queue.empty()) sheet.add(key + ".queue", engine.queue + ", shared in turn");
  if (engine.unfused_output_cycles > 0)
    sheet.add(key + ".unfused", "at least " + real(engine.unfused_output_cycles) +
                                    " cycles without a fused function");
  if (engine.kind == EngineKind::mac_array) return add_array(sheet, key, engine);
  sheet.add(key + ".lanes", std::to_string(engine.lanes));
  if (engine.channels > 1)
    sheet.add(key + ".channels", "in groups of " + std::to_string(engine.channels));
  sheet.add(key + ".startup", std::to_string(engine.startup) + " cycles");
  sheet.add(key + ".cycles_per_vector",
            rates_text(engine.default_cycles_per_vector, engine.cycles_per_vector));
  sheet.add(key + ".energy", real(engine.energy_pj) + " pJ per element");
}

/// Keys of the profile that have no line of their own in words.
void add_as_written(Sheet& sheet, const Profile& profile) {
  for (const std::string& key : profile.keys()) {
    const bool wanted =
        key.starts_with("tiling.") || key.starts_with("silicon.") || key == "reference";
    if (wanted && !sheet.has(key)) sheet.add(key, profile.get(key));
  }
}

Sheet sheet_of(const Profile& profile) {
  const Hardware& hardware = profile.hardware();
  Sheet sheet(hardware);
  if (hardware.clock_hz > 0) sheet.add("clock", real(hardware.clock_hz / 1e6) + " MHz");
  if (hardware.static_power_mw > 0)
    sheet.add("static_power", real(hardware.static_power_mw) + " mW");
  for (const HardwareMemory& memory : hardware.memories) add_memory(sheet, hardware, memory);
  for (const Engine& engine : hardware.engines) add_engine(sheet, engine);
  if (hardware.clock_hz > 0) {
    const Dma& dma = hardware.dma;
    sheet.add("dma",
              std::to_string(dma.channels) + (dma.channels == 1 ? " channel, " : " channels, ") +
                  "set-up " + std::to_string(dma.setup) + " cycles" +
                  (dma.convert ? ", converts layouts at " + bandwidth_text(*dma.convert) : ""));
    sheet.add(
        "dma.outstanding",
        std::to_string(dma.outstanding) + (dma.outstanding == 1 ? " burst" : " bursts") +
            " outstanding" +
            (dma.outstanding_writes ? " (" + std::to_string(*dma.outstanding_writes) + " written)"
                                    : ""));
    if (dma.weight_slices > 1)
      sheet.add("dma.weight_slices", std::to_string(dma.weight_slices) + " at most");
    if (hardware.tiling.engines == EngineOrder::side_by_side)
      sheet.add("tiling.engines",
                "overlapping: the last ops of a tile run with the first ops of the next");
    if (hardware.tiling.concat == Concat::copied)
      sheet.add("tiling.concat",
                "copied: operands of concatenations are stored separately off chip");
    if (hardware.tiling.early == Early::weights)
      sheet.add("tiling.early", "weights of later groups, while the last op runs");
    if (hardware.tiling.pinned == Pinned::weights)
      sheet.add("tiling.pinned", "weights may be pinned on chip, loaded once");
    if (hardware.coding)
      sheet.add("weight_coding", real(hardware.coding->ratio) + " of the bytes, " +
                                     std::to_string(hardware.coding->per_channel) +
                                     " B a channel, in granules of " +
                                     std::to_string(hardware.coding->granule) + " B");
    sheet.add("mode_switch", std::to_string(hardware.mode_switch.cycles) + " cycles, " +
                                 real(hardware.mode_switch.energy_pj) + " pJ");
    const ObjectiveWeights& weights = hardware.objective;
    sheet.add("objective", "latency " + real(weights.latency) + ", energy " + real(weights.energy) +
                               ", dram_bytes " + real(weights.dram_bytes) + ", peak_memory " +
                               real(weights.peak_memory) + ", peak_bandwidth " +
                               real(weights.peak_bandwidth));
  }
  for (const OperandRestriction& restriction : hardware.restrictions) {
    std::string operands;
    for (const std::string& operand : restriction.operands)
      operands += (operands.empty() ? "" : ", ") + operand;
    sheet.add("restrictions", std::string(to_string(restriction.kind)) + " [" + operands + "]");
  }
  for (const OperandRule& rule : hardware.rules) sheet.add("rules", rule.name + ": " + rule.that);
  add_as_written(sheet, profile);
  return sheet;
}

}  // namespace

std::string profile_summary(const Hardware& hardware) {
  std::string text;
  for (const HardwareMemory& memory : hardware.memories) {
    if (memory.offchip) continue;
    text += (text.empty() ? "" : ", ") + memory.space.name + " " + size_text(memory.space.capacity);
    if (memory.space.banks.size() > 1)
      text += " in " + std::to_string(memory.space.banks.size()) + " banks";
    if (!memory.space.modes.empty())
      text += ", " + std::to_string(memory.space.modes.size()) + " modes";
  }
  return text;
}

std::string profile_text(const Profile& profile) {
  return profile.hardware().name + "\n" + sheet_of(profile).text();
}

std::string profile_json(const Profile& profile) {
  const Hardware& hardware = profile.hardware();
  return json_object([&](JsonObject& object) {
    object.text("tessera", "profile/1");
    object.text("name", hardware.name);
    object.text("summary", profile_summary(hardware));
    object.entry("values") += sheet_of(profile).json();
  });
}

}  // namespace tessera::cli
