#include <algorithm>
#include <numeric>

#include "io/buffer_csv.h"
#include "model/derived.h"

namespace tessera::io {
namespace {

bool fits_in_a_cell(std::string_view id) {
  return id.find_first_of(",\"\r\n") == id.npos && id.front() != ' ' && id.back() != ' ' &&
         id.front() != '\t' && id.back() != '\t';
}

std::string range_text(std::int64_t first, char between, std::int64_t second) {
  return std::to_string(first) + between + std::to_string(second);
}

std::string gaps_text(const Buffer& buffer) {
  std::string out;
  for (const Gap& gap : buffer.gaps) {
    if (!out.empty()) out += ' ';
    out += range_text(gap.steps.lower, '-', gap.steps.upper);
    if (gap.window) out += '@' + range_text(gap.window->begin, ':', gap.window->end);
  }
  return out;
}

}  // namespace

std::vector<std::string> csv_cannot_express(const PlacementProblem& problem) {
  std::vector<std::string> lost;
  if (problem.memories.size() > 1) lost.push_back("there are several memories");
  for (const Memory& memory : problem.memories) {
    const std::string who = "memory `" + memory.name + "`";
    if (!memory.reserved.empty()) lost.push_back(who + " has reserved ranges");
    if (has_modes(memory)) lost.push_back(who + " has modes");
    if (!memory.straddle) lost.push_back(who + " forbids straddling its banks");
  }
  for (const Buffer& buffer : problem.buffers) {
    const std::string who = "buffer `" + buffer.id + "`";
    if (!fits_in_a_cell(buffer.id)) lost.push_back(who + " has an id that a CSV cell cannot hold");
    if (buffer.live.size() > 1) lost.push_back(who + " has several live intervals");
    if (!buffer.parts.empty()) lost.push_back(who + " has parts");
    if (buffer.window) lost.push_back(who + " has a window");
    if (!buffer.read.empty() || !buffer.write.empty()) lost.push_back(who + " has accesses");
    if (buffer.optional) lost.push_back(who + " is optional");
    if (buffer.kind != BufferKind::activation) lost.push_back(who + " is a weight");
  }
  for (const Relation& relation : problem.relations) {
    lost.push_back("there is a relation " + std::string(to_string(relation.kind)));
  }
  for (const ConditionRule& rule : problem.rules)
    lost.push_back("there is a rule `" + rule.name + "`");
  return lost;
}

std::string write_buffer_csv(const PlacementProblem& problem, std::span<const BufferPlace> places,
                             std::span<const Offset> addresses) {
  const auto any = [&](auto has) {
    return std::any_of(problem.buffers.begin(), problem.buffers.end(), has);
  };
  const auto alignment = [&](const Buffer& buffer) {
    return problem.memories.empty() ? buffer.alignment
                                    : std::lcm(buffer.alignment, problem.memories[0].alignment);
  };
  const bool alignments = any([&](const Buffer& b) { return alignment(b) != 1; });
  const bool hints = any([](const Buffer& b) { return b.hint.has_value(); });
  const bool gaps = any([](const Buffer& b) { return !b.gaps.empty(); });
  const bool offsets = !places.empty() || any([](const Buffer& b) { return b.offset.has_value(); });

  std::string out = "id,lower,upper,size";
  if (alignments) out += ",alignment";
  if (hints) out += ",hint";
  if (gaps) out += ",gaps";
  if (offsets) out += ",offset";
  if (!addresses.empty()) out += ",address";
  out += '\n';
  for (std::size_t k = 0; k < problem.buffers.size(); ++k) {
    const Buffer& buffer = problem.buffers[k];
    out += buffer.id;
    out += ',' + range_text(buffer.live.front().lower, ',', buffer.live.front().upper);
    out += ',' + std::to_string(buffer.size);
    if (alignments) out += ',' + std::to_string(alignment(buffer));
    if (hints) out += ',' + (buffer.hint ? std::to_string(*buffer.hint) : std::string());
    if (gaps) out += ',' + gaps_text(buffer);
    if (!places.empty()) {
      out += ',' + std::to_string(places[k].offset);
    } else if (offsets) {
      out += ',' + (buffer.offset ? std::to_string(*buffer.offset) : std::string());
    }
    if (!addresses.empty()) out += ',' + std::to_string(addresses[k]);
    out += '\n';
  }
  return out;
}

}  // namespace tessera::io
