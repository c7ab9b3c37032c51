#include "io/hardware_yaml.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include "io/collected.h"
#include "io/engine_yaml.h"
#include "io/files.h"
#include "io/hardware_merge.h"
#include "io/memory_yaml.h"
#include "io/plan_words.h"
#include "io/rule_yaml.h"
#include "io/silicon_yaml.h"
#include "io/tree.h"
#include "io/units.h"
#include "model/derived.h"
#include "model/stored.h"
#include "tessera/hardware_check.h"

namespace tessera::io {
namespace {

namespace fs = std::filesystem;

class HardwareReader {
 public:
  explicit HardwareReader(const Sources& sources) : sources_(sources) {}

  Hardware read(const Node& root) {
    Collected wrong;
    Fields fields(sources_, root, "the profile");
    require_kind(sources_, fields, "hardware/1");
    static_cast<void>(fields.find("inherit"));    // handled already
    static_cast<void>(fields.find("reference"));  // handled below
    hardware_.name = as_text(sources_, fields.need("name"), "name");
    if (const Node* node = fields.find("clock")) {
      hardware_.clock_hz = positive(*node, "clock", parse_frequency);
    }
    if (const Node* node = fields.find("static_power")) {
      hardware_.static_power_mw = as_quantity(sources_, *node, "static_power", parse_power);
    }
    if (const Node* node = fields.find("engines")) {
      for (const Node& each : Fields(sources_, *node, "`engines`").node().children) {
        wrong.attempt([&] { hardware_.engines.push_back(read_engine(sources_, each)); });
      }
    }
    read_memories(fields.need("memories"), wrong);
    const auto section = [&](const char* key, void (HardwareReader::*reads)(const Node&)) {
      if (const Node* node = fields.find(key)) wrong.attempt([&] { (this->*reads)(*node); });
    };
    section("dma", &HardwareReader::read_dma);
    section("weight_coding", &HardwareReader::read_coding);
    section("mode_switch", &HardwareReader::read_mode_switch);
    section("restrictions", &HardwareReader::read_restrictions);
    section("rules", &HardwareReader::read_rules);
    section("tiling", &HardwareReader::read_tiling);
    section("objective", &HardwareReader::read_objective);
    wrong.rethrow();
    static_cast<void>(fields.find("silicon"));
    for (const SiliconPart& part : read_silicon(root, hardware_, sources_))
      hardware_.static_power_mw += part.leakage_mw;
    if (const Node* node = fields.find("provenance")) read_provenance(root, *node);
    fields.finish();
    // One defect often causes the next: report the first.
    for (const HardwareDefect& defect : check_hardware(hardware_)) {
      std::string message = defect.message;
      if (message.ends_with('.')) message.pop_back();
      throw sources_.error(node_of(root, defect), std::move(message), defect.hint);
    }
    return std::move(hardware_);
  }

 private:
  /// The node of a defect: its key, or the closest enclosing node in the file.
  [[nodiscard]] static const Node& node_of(const Node& root, const HardwareDefect& defect) {
    const Node* around = &root;
    const auto descend = [&](const Node* to) { around = to != nullptr ? to : around; };
    if (defect.part == HardwarePart::engine || defect.part == HardwarePart::memory) {
      descend(root.find(defect.part == HardwarePart::engine ? "engines" : "memories"));
      if (defect.index < around->children.size()) descend(&around->children[defect.index]);
    } else if (const Node* list = root.find("rules");
               defect.part == HardwarePart::rule && list != nullptr) {
      if (defect.index >= list->children.size()) return *list;
      around = &list->children[defect.index];
      descend(around->find("that"));
      return *around;
    } else {
      for (const char* section : {"dma", "weight_coding", "mode_switch", "tiling", "objective"})
        if (const Node* node = root.find(section); node != nullptr && node->find(defect.field))
          around = node;
    }
    descend(around->find(defect.field));
    return *around;
  }

  template <typename Parser>
  [[nodiscard]] double positive(const Node& node, std::string_view what, Parser parser) const {
    const double value = as_quantity(sources_, node, what, parser);
    if (value <= 0) throw sources_.error(node, shown(what) + " must be more than zero");
    return value;
  }

  [[nodiscard]] std::int64_t cycles(const Node& node, std::string_view what) const {
    return as_whole(sources_, node, what, 0, hardware_limits::cycles);
  }

  void read_memories(const Node& node, Collected& wrong) {
    require_few_memories(sources_, node);
    bool whole = true;
    for (const Node& each : Fields(sources_, node, "`memories`").node().children) {
      const std::size_t before = hardware_.memories.size();
      wrong.attempt([&] { hardware_.memories.push_back(read_hardware_memory(each)); });
      whole = whole && hardware_.memories.size() > before;
    }
    if (whole && placement_memories(hardware_).empty()) {
      throw sources_.error_at_key(node, "the profile has no on-chip memory",
                                  "add a memory without `offchip: true`");
    }
  }

  [[nodiscard]] HardwareMemory read_hardware_memory(const Node& node) const {
    Fields fields(sources_, node, "memory " + shown(node.key));
    HardwareMemory memory;
    memory.space = read_memory(sources_, fields, node.key);
    if (const Node* n = fields.find("offchip")) memory.offchip = as_bool(sources_, *n, "offchip");
    if (const Node* n = fields.find("writable"))
      memory.writable = as_bool(sources_, *n, "writable");
    if (const Node* n = fields.find("behind")) {
      memory.behind = as_text(sources_, *n, "behind");
      if (memory.behind.empty())
        throw sources_.error(*n, "`behind` names no memory",
                             "name the memory in front of this one, or remove it");
    }
    if (const Node* n = fields.find("layout")) memory.layout = read_layout(*n);
    if (const Node* n = fields.find("energy")) memory.energy = read_energy(*n);
    if (const Node* n = fields.find("bandwidth")) {
      two_values(*n, "bandwidth", [&](const Node& each, bool write) {
        (write ? memory.write_bandwidth : memory.bandwidth) = read_bandwidth(each);
      });
    }
    if (const Node* n = fields.find("rates")) memory.rates = read_rates(*n);
    if (const Node* n = fields.find("burst")) memory.burst = as_size(sources_, *n, "burst", 1);
    if (const Node* n = fields.find("direct_run"))
      memory.direct_run = as_size(sources_, *n, "direct_run", 1);
    if (const Node* n = fields.find("latency"))
      two_values(*n, "latency", [&](const Node& each, bool write) {
        if (write)
          memory.write_latency = cycles(each, "latency");
        else
          memory.latency = cycles(each, "latency");
      });
    fields.finish();  // report a misspelt key before the missing key below
    if (memory.offchip && !memory.bandwidth) {
      throw sources_.error_at_key(node,
                                  "off-chip memory " + shown(node.key) + " has no `bandwidth`");
    }
    if (!memory.offchip && memory.space.capacity == unbounded) {
      throw sources_.error_at_key(
          node, "memory " + shown(node.key) + " has neither `capacity` nor `banks`",
          "add one of them, or `offchip: true` if it holds no buffers");
    }
    return memory;
  }

  [[nodiscard]] Layout read_layout(const Node& node) const {
    const std::string& text = as_text(sources_, node, "layout");
    if (const std::optional<Layout> layout = layout_from(text)) return *layout;
    throw sources_.error(node, shown(text) + " is not a layout",
                         "write N, C, H and W, outermost first, with the channels of a brick if "
                         "any: NCHW, NHWC, NHCW16c");
  }

  [[nodiscard]] Bandwidth read_bandwidth(const Node& node, const char* what = "bandwidth") const {
    const Bandwidth bandwidth = as_quantity(sources_, node, what, parse_bandwidth);
    if (bandwidth.amount <= 0) throw sources_.error(node, shown(what) + " must be more than zero");
    if (bandwidth.per_cycle && hardware_.clock_hz <= 0) {
      throw sources_.error(
          node, shown(what) + " is per cycle, but the profile has no `clock`",
          "add a clock, as in `clock: 1 GHz`: a profile with a `bandwidth` needs one");
    }
    return bandwidth;
  }

  [[nodiscard]] AccessRates read_rates(const Node& node) const {
    Fields fields(sources_, node, "`rates`");
    AccessRates rates;
    const auto rate = [&](const char* user, std::optional<Bandwidth>& to) {
      if (const Node* n = fields.find(user)) to = read_bandwidth(*n, user);
    };
    rate("input", rates.input);
    rate("weights", rates.weights);
    rate("output", rates.output);
    rate("dma", rates.dma);
    fields.finish();
    return rates;
  }

  /// One value for both directions, or `{read: ..., write: ...}`.
  template <typename Take>
  void two_values(const Node& node, std::string_view what, Take take) const {
    if (node.kind != Node::Kind::map) return take(node, false);
    Fields fields(sources_, node, shown(what));
    take(fields.need("read"), false);
    take(fields.need("write"), true);
    fields.finish();
  }

  [[nodiscard]] AccessEnergy read_energy(const Node& node) const {
    if (node.kind != Node::Kind::map) {
      const double both = as_quantity(sources_, node, "energy", parse_energy_per_byte);
      return {both, both};
    }
    Fields fields(sources_, node, "`energy`");
    const AccessEnergy energy{
        as_quantity(sources_, fields.need("read"), "read", parse_energy_per_byte),
        as_quantity(sources_, fields.need("write"), "write", parse_energy_per_byte)};
    fields.finish();
    return energy;
  }

  void read_dma(const Node& node) {
    Fields fields(sources_, node, "`dma`");
    Dma& dma = hardware_.dma;
    if (const Node* n = fields.find("channels")) {
      dma.channels = as_whole(sources_, *n, "channels", 1, hardware_limits::channels);
    }
    if (const Node* n = fields.find("outstanding")) {
      two_values(*n, "outstanding", [&](const Node& each, bool write) {
        const std::int64_t bursts =
            as_whole(sources_, each, "outstanding", 1, hardware_limits::parallel);
        if (write)
          dma.outstanding_writes = bursts;
        else
          dma.outstanding = bursts;
      });
    }
    if (const Node* n = fields.find("setup")) dma.setup = cycles(*n, "setup");
    if (const Node* n = fields.find("weight_slices"))
      dma.weight_slices = as_whole(sources_, *n, "weight_slices", 1, hardware_limits::parallel);
    if (const Node* n = fields.find("convert")) dma.convert = read_bandwidth(*n, "convert");
    fields.finish();
  }

  void read_coding(const Node& node) {
    Fields fields(sources_, node, "`weight_coding`");
    WeightCoding& coding = hardware_.coding.emplace();
    if (const Node* n = fields.find("ratio")) coding.ratio = as_real(sources_, *n, "ratio");
    if (const Node* n = fields.find("per_channel"))
      coding.per_channel = as_size(sources_, *n, "per_channel", 0);
    if (const Node* n = fields.find("granule"))
      coding.granule = as_size(sources_, *n, "granule", 1);
    fields.finish();
  }

  void read_mode_switch(const Node& node) {
    Fields fields(sources_, node, "`mode_switch`");
    if (const Node* n = fields.find("cycles")) hardware_.mode_switch.cycles = cycles(*n, "cycles");
    if (const Node* n = fields.find("energy")) {
      hardware_.mode_switch.energy_pj = as_quantity(sources_, *n, "energy", parse_energy);
    }
    fields.finish();
  }

  void read_restrictions(const Node& node) {
    for (const Node& each : as_list(sources_, node, "restrictions")) {
      Fields fields(sources_, each, "a restriction");
      if (each.children.size() != 1) {
        throw sources_.error(
            each, "a restriction has one relation, not " + std::to_string(each.children.size()));
      }
      const Node& entry = each.children.front();
      const std::optional<RelationKind> kind = relation_kind_from(entry.key);
      if (!kind || *kind > RelationKind::different_memories) {
        throw sources_.error_at_key(entry, shown(entry.key) + " is not a restriction",
                                    "restrictions are same_bank, different_banks, same_memory and "
                                    "different_memories");
      }
      OperandRestriction restriction{*kind, {}};
      for (const Node& operand : as_list(sources_, entry, entry.key)) {
        static_cast<void>(as_one_of(sources_, operand, "operands", {"input", "output", "weights"}));
        if (std::find(restriction.operands.begin(), restriction.operands.end(), operand.text) !=
            restriction.operands.end()) {
          throw sources_.error(operand, "a restriction names " + shown(operand.text) + " twice");
        }
        restriction.operands.push_back(operand.text);
      }
      if (restriction.operands.size() < 2) {
        throw sources_.error_at_key(entry, "a restriction is between at least two operands");
      }
      hardware_.restrictions.push_back(std::move(restriction));
    }
  }

  void read_rules(const Node& node) {
    for (const Node& each : as_list(sources_, node, "rules"))
      hardware_.rules.push_back(read_operand_rule(sources_, each));
  }

  /// A list of distinct words as values of an enumeration, in its order.
  template <typename Choice>
  [[nodiscard]] std::vector<Choice> choices(const Node& node, std::string_view what,
                                            std::initializer_list<std::string_view> words) const {
    std::vector<Choice> list;
    for (const Node& each : as_list(sources_, node, what)) {
      const auto choice = static_cast<Choice>(as_one_of(sources_, each, what, words));
      if (std::find(list.begin(), list.end(), choice) != list.end()) {
        throw sources_.error(each, shown(what) + " lists " + shown(each.text) + " twice");
      }
      list.push_back(choice);
    }
    if (list.empty()) throw sources_.error_at_key(node, shown(what) + " is empty");
    return list;
  }

  void read_tiling(const Node& node) {
    Fields fields(sources_, node, "`tiling`");
    TilingOptions& tiling = hardware_.tiling;
    if (const Node* n = fields.find("double_buffer")) {
      tiling.double_buffer = choices<bool>(*n, "double_buffer", {"false", "true"});
    }
    if (const Node* n = fields.find("weights")) {
      tiling.weights = choices<WeightPolicy>(*n, "weights", {"resident", "refetch"});
    }
    if (const Node* n = fields.find("halo")) {
      tiling.halo = choices<HaloPolicy>(*n, "halo", {"recompute", "keep_columns", "keep"});
    }
    if (const Node* n = fields.find("stationary")) {
      tiling.stationary = choices<Stationary>(*n, "stationary", {"none", "weights", "inputs"});
    }
    if (const Node* n = fields.find("one_copy")) {
      tiling.one_copy = choices<OneCopy>(*n, "one_copy", one_copy_words);
    }
    if (const Node* n = fields.find("reduction")) {
      tiling.reduction.clear();
      for (const Node& parts : as_list(sources_, *n, "reduction"))
        tiling.reduction.push_back(as_whole(sources_, parts, "reduction"));
    }
    if (const Node* n = fields.find("direct"))
      tiling.direct = choices<Direct>(*n, "direct", direct_words);
    if (const Node* n = fields.find("kept_halos")) {
      const std::size_t choice = as_one_of(sources_, *n, "kept_halos", {"in_place", "copied"});
      tiling.kept_halos = static_cast<KeptHalos>(choice);
    }
    if (const Node* n = fields.find("early"))
      tiling.early = static_cast<Early>(as_one_of(sources_, *n, "early", {"none", "weights"}));
    if (const Node* n = fields.find("engines"))
      tiling.engines =
          static_cast<EngineOrder>(as_one_of(sources_, *n, "engines", {"in_turn", "side_by_side"}));
    if (const Node* n = fields.find("concat"))
      tiling.concat =
          static_cast<Concat>(as_one_of(sources_, *n, "concat", {"in_place", "copied"}));
    if (const Node* n = fields.find("pinned"))
      tiling.pinned = static_cast<Pinned>(as_one_of(sources_, *n, "pinned", {"none", "weights"}));
    fields.finish();
  }

  void read_objective(const Node& node) {
    Fields fields(sources_, node, "`objective`");
    ObjectiveWeights& weights = hardware_.objective;
    weights = {.latency = 0};
    const auto weight = [&](std::string_view key, double& to) {
      const Node* n = fields.find(key);
      if (n == nullptr) return;
      to = as_real(sources_, *n, key);
      if (to < 0) throw sources_.error(*n, shown(key) + " is negative");
    };
    weight("latency", weights.latency);
    weight("energy", weights.energy);
    weight("dram_bytes", weights.dram_bytes);
    weight("peak_memory", weights.peak_memory);
    weight("peak_bandwidth", weights.peak_bandwidth);
    fields.finish();
  }

  /// Keys are dotted paths into the profile, so that a stale path is detected.
  void read_provenance(const Node& root, const Node& node) {
    for (const Node& each : Fields(sources_, node, "`provenance`").node().children) {
      const Node* at = &root;
      std::string_view path = each.key;
      while (at != nullptr && !path.empty()) {
        const std::size_t dot = path.find('.');
        at = at->find(path.substr(0, dot));
        path = dot == path.npos ? std::string_view{} : path.substr(dot + 1);
      }
      if (at == nullptr || each.key.empty()) {
        throw sources_.error_at_key(
            each, "`provenance` names " + shown(each.key) + ", which is not in the profile");
      }
      hardware_.provenance.emplace_back(each.key, as_text(sources_, each, "provenance"));
    }
  }

  const Sources& sources_;
  Hardware hardware_;
};

}  // namespace

Hardware read_hardware_yaml(std::string_view text, const std::string& file,
                            std::span<const fs::path> folders) {
  Sources sources(file);
  const Node root = parse_inherited(text, sources, folders);
  Hardware hardware = read_hardware_tree(root, sources);
  hardware.reference = read_reference(root, sources, folders);
  return hardware;
}

Hardware read_hardware_tree(const Node& root, const Sources& sources) {
  return HardwareReader(sources).read(root);
}

std::shared_ptr<const Hardware> read_reference(const Node& root, const Sources& sources,
                                               std::span<const fs::path> folders) {
  const Node* const node = root.find("reference");
  if (node == nullptr || node->kind == Node::Kind::null) return nullptr;
  const fs::path path = find_named(sources, *node, "reference", folders);
  Sources own(path.string());
  const Node other = parse_inherited(read_file(path), own, folders);
  return std::make_shared<const Hardware>(read_hardware_tree(other, own));
}

std::vector<fs::path> hardware_yaml_files(const fs::path& path, std::span<const fs::path> folders) {
  Sources sources(path.string());
  static_cast<void>(parse_inherited(read_file(path), sources, folders));
  return {sources.files().begin(), sources.files().end()};
}

Hardware read_hardware_yaml_file(const fs::path& path, std::span<const fs::path> folders) {
  return read_hardware_yaml(read_file(path), path.string(), folders);
}

}  // namespace tessera::io
