// check_commands(): the file against the plan.
#include "commands/check.h"

#include <algorithm>
#include <fstream>
#include <functional>

#include "commands/check_run.h"
#include "commands/read.h"
#include "model/off_chip.h"

namespace tessera::commands {
namespace {

constexpr std::size_t most_sentences = 20;

/// Off-chip tensors have the places of the plan, where it has some.
void check_places(const Network& network, const Hardware& hardware, const NetworkPlan& plan,
                  const FileHeader& header, const std::function<void(std::string)>& report) {
  for (const OffchipMemory& memory : plan.offchip)
    for (const OffchipBuffer& buffer : memory.buffers) {
      const Offset begin = memory.base + buffer.offset;
      for (TensorIndex t = 0; t < network.tensors.size(); ++t) {
        const bool weight = network.tensors[t].kind == TensorKind::weight;
        const std::vector<Operand>& places = header.tensors[t].places;
        if (places.empty() || weight != buffer.weights) continue;
        const Part& part = places.front().parts.front();
        if (hardware.memories[part.memory].space.name != memory.memory) continue;
        const bool inside = part.address >= begin && part.address < begin + buffer.size;
        // In front of a backing memory, each weight has a place of its own.
        const bool together = weight && off_chip::backing(hardware) == nullptr;
        if (together ? !inside : network.tensors[t].name == buffer.id && part.address != begin)
          report("the header places '" + network.tensors[t].name + "' at " +
                 std::to_string(part.address) + " of memory '" + memory.memory +
                 "', outside its place in the plan");
      }
    }
}

}  // namespace

CommandsVerdict check_text(std::istream& text, const std::string& path, const Network& network,
                           const Hardware& hardware, const NetworkPlan& plan) {
  CommandsVerdict verdict;
  std::size_t left_out = 0;
  const auto report = [&](std::string sentence) {
    if (verdict.wrong.size() < most_sentences)
      verdict.wrong.push_back(std::move(sentence));
    else
      ++left_out;
  };
  CommandReader reader(text, path, network, hardware);
  const FileHeader& header = reader.header();
  check_places(network, hardware, plan, header, report);
  if (header.latency_cycles != plan.totals.latency_cycles ||
      header.dram_bytes != plan.totals.dram_bytes)
    report("the header has other totals than the plan");
  SymbolicRun run(network, hardware, plan, header, report);
  while (std::optional<Command> command = reader.next()) {
    run.add(*command);
    ++verdict.commands;
    if (left_out > 0) break;  // one error causes many
  }
  if (left_out > 0) {
    verdict.wrong.push_back("further errors are left out");
    return verdict;
  }
  run.finish();
  verdict.cycles = run.cycles();
  verdict.bytes = run.bytes();
  if (verdict.cycles != plan.totals.latency_cycles)
    report("the commands take " + std::to_string(verdict.cycles) + " cycles, the plan " +
           std::to_string(plan.totals.latency_cycles));
  if (verdict.bytes != plan.totals.dram_bytes)
    report("the commands move " + std::to_string(verdict.bytes) + " off-chip bytes, the plan " +
           std::to_string(plan.totals.dram_bytes));
  if (reader.end().commands != verdict.commands || reader.end().bytes != verdict.bytes)
    report(reader.end().commands < 0
               ? "the file has no last line with the number of commands: it is incomplete"
               : "the last line states other numbers of commands and bytes");
  return verdict;
}

}  // namespace tessera::commands

namespace tessera {

CommandsVerdict check_commands(const Network& network, const Hardware& hardware,
                               const NetworkPlan& plan, const std::string& path) {
  std::ifstream file(path);
  if (!file) throw BadInput(path + ": cannot be opened");
  return commands::check_text(file, path, network, hardware, plan);
}

}  // namespace tessera
