#include "io/silicon_yaml.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "io/units.h"

namespace tessera::io {
namespace {

/// Per item: a KiB, a bank, a multiplier.
struct Price {
  double area_mm2 = 0;
  double leakage_mw = 0;
};

class SiliconReader {
 public:
  SiliconReader(const Hardware& hardware, const Sources& sources)
      : hardware_(hardware), sources_(sources) {}

  std::vector<SiliconPart> read(const Node& node) {
    Fields fields(sources_, node, "`silicon`");
    const Price kib = price(fields, "memory");
    const Price bank = price(fields, "bank");
    const Price connection = price(fields, "mode_connection");
    const Price mac = price(fields, "mac");
    const Price lane = price(fields, "lane");
    const Price rest = price(fields, "rest");
    const Node* const memories = fields.find("memories");
    fields.finish();
    if (memories != nullptr) check_names(*memories);
    for (const HardwareMemory& memory : hardware_.memories) {
      if (memory.offchip) continue;
      Price own = kib;
      if (memories != nullptr && memories->find(memory.space.name) != nullptr) {
        Fields entries(sources_, *memories, "`memories` of `silicon`");
        own = price(entries, memory.space.name);
      }
      add("memory " + memory.space.name, own, static_cast<double>(memory.space.capacity) / 1024);
      add("banks of " + memory.space.name, bank,
          static_cast<double>(std::max<std::size_t>(1, memory.space.banks.size())));
      add("connections of " + memory.space.name, connection, connections(memory.space));
    }
    for (const Engine& engine : hardware_.engines)
      if (engine.kind == EngineKind::mac_array)
        add("engine " + engine.name, mac, macs(engine));
      else
        add("engine " + engine.name, lane, static_cast<double>(engine.lanes));
    add("rest", rest, 1);
    return std::move(parts_);
  }

 private:
  Price price(Fields& around, const std::string& key) const {
    const Node* const node = around.find(key);
    if (node == nullptr) return {};
    Fields fields(sources_, *node, "`" + key + "` of `silicon`");
    Price price;
    if (const Node* n = fields.find("area"))
      price.area_mm2 = as_quantity(sources_, *n, "area", parse_area);
    if (const Node* n = fields.find("leakage"))
      price.leakage_mw = as_quantity(sources_, *n, "leakage", parse_power);
    fields.finish();
    return price;
  }

  void check_names(const Node& memories) const {
    for (const Node& each : Fields(sources_, memories, "`memories` of `silicon`").node().children) {
      const auto known = std::ranges::find_if(hardware_.memories, [&](const HardwareMemory& m) {
        return m.space.name == each.key && !m.offchip;
      });
      if (known == hardware_.memories.end())
        throw sources_.error_at_key(each, "`silicon` names the memory " + shown(each.key) +
                                              ", which is not an on-chip memory");
    }
  }

  void add(std::string name, const Price& price, double count) {
    parts_.push_back({std::move(name), price.area_mm2 * count, price.leakage_mw * count});
  }

  /// Ports that some mode connects to a bank, for reading and for writing. The wires and
  /// multiplexer of each exist permanently, independent of other permissions of the modes.
  static double connections(const Memory& memory) {
    std::set<std::pair<std::size_t, bool>> ports;
    const auto add_ports = [&](std::size_t bank, Role role) {
      if (role == Role::off || role == Role::hold) return;
      if (role != Role::write) ports.emplace(bank, false);
      if (role != Role::read) ports.emplace(bank, true);
    };
    for (const Mode& mode : memory.modes)
      for (std::size_t b = 0; b < mode.roles.size(); ++b) add_ports(b, mode.roles[b]);
    for (std::size_t b = 0; b < memory.banks.size(); ++b)
      for (const Role role : memory.banks[b].roles) add_ports(b, role);
    return static_cast<double>(ports.size());
  }

  /// Products per cycle of the mapping with the highest utilisation.
  static double macs(const Engine& engine) {
    const auto product = [](const LoopCounts& unroll) {
      double all = 1;
      for (const auto& [loop, count] : unroll) all *= static_cast<double>(count);
      return all;
    };
    double most = engine.maps.empty() ? product(engine.unroll) : 0;
    for (const Mapping& mapping : engine.maps)
      most = std::max(most, product(mapping.unroll) / mapping.cycles);
    return most * static_cast<double>(engine.cores);
  }

  const Hardware& hardware_;
  const Sources& sources_;
  std::vector<SiliconPart> parts_;
};

}  // namespace

std::vector<SiliconPart> read_silicon(const Node& root, const Hardware& hardware,
                                      const Sources& sources) {
  const Node* const node = root.find("silicon");
  return node == nullptr ? std::vector<SiliconPart>{}
                         : SiliconReader(hardware, sources).read(*node);
}

}  // namespace tessera::io
