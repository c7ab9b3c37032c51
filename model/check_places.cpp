// Checks the shape of the placement, and the rules about a single buffer.
#include <algorithm>

#include "check_parts.h"

namespace tessera::checking {

std::optional<BankSpan> MemoryFacts::touched(const AddressRange& range) const {
  if (range.end <= 0 || range.begin >= banks.back().end) return std::nullopt;
  const auto ends_after = [](Offset address, const AddressRange& bank) {
    return address < bank.end;
  };
  const auto first = std::upper_bound(banks.begin(), banks.end(), range.begin, ends_after);
  auto last = std::upper_bound(first, banks.end(), range.end - 1, ends_after);
  if (last == banks.end()) --last;
  return BankSpan{static_cast<std::size_t>(first - banks.begin()),
                  static_cast<std::size_t>(last - banks.begin())};
}

Context::Context(const PlacementProblem& asked, const Placement& answer, std::size_t at_most)
    : problem(asked), placement(answer), limit(at_most) {
  facts.reserve(problem.memories.size());
  for (const Memory& each : problem.memories) facts.push_back({bank_ranges(each)});
}

std::vector<AddressRange> Context::used(BufferIndex b) const {
  std::vector<AddressRange> bytes = used_bytes(buffer(b));
  for (AddressRange& range : bytes) range = range.at(offset(b));
  return bytes;
}

std::vector<std::size_t> Context::touched_banks(BufferIndex b) const {
  std::vector<std::size_t> banks;
  for (const AddressRange& bytes : used(b)) {
    const auto span = facts[memory_of(b)].touched(bytes);
    if (!span) continue;
    for (std::size_t bank = span->first; bank <= span->last; ++bank)
      if (banks.empty() || banks.back() < bank) banks.push_back(bank);
  }
  return banks;
}

std::string Context::where(BufferIndex b) const {
  if (sane[b] == 0) return say('\'', buffer(b).id, "' at ", offset(b));
  return say('\'', buffer(b).id, "' at ", range(b));
}

std::string Context::bank_name(MemoryIndex m, std::size_t bank) const {
  const Memory& of = problem.memories[m];
  if (of.banks.empty()) return say("memory '", of.name, "'");
  return say("bank '", of.banks[bank].name, "' of memory '", of.name, "'");
}

namespace {

void check_mode_shape(Context& context) {
  const PlacementProblem& problem = context.problem;
  const std::vector<std::vector<std::string>>& modes = context.placement.modes;
  const auto steps = static_cast<std::size_t>(horizon(problem));
  if (modes.size() > problem.memories.size()) {
    context.add({.rule = Rule::shape,
                 .message = say("The placement has modes for ", modes.size(),
                                " memories, but there are ", problem.memories.size(), ".")});
  }
  for (MemoryIndex m = 0; m < problem.memories.size(); ++m) {
    const Memory& memory = problem.memories[m];
    const std::size_t given = m < modes.size() ? modes[m].size() : 0;
    const std::size_t wanted = has_modes(memory) ? steps : 0;
    if (given != wanted) {
      context.add({.rule = Rule::shape,
                   .memory = m,
                   .message = say("The placement has ", given, " mode(s) for memory '", memory.name,
                                  "', but ", wanted, " are needed",
                                  wanted == 0 ? "." : ": one for each step.")});
    }
  }
}

void check_place(Context& context, BufferIndex b) {
  const Buffer& buffer = context.buffer(b);
  const BufferPlace& place = context.placement.places[b];
  const Memory& memory = context.problem.memories[place.memory];
  const auto wrong = [&](Rule rule, std::optional<std::size_t> bank, const auto&... pieces) {
    context.add({.rule = rule,
                 .buffers = {b},
                 .memory = place.memory,
                 .bank = bank,
                 .message = say("Buffer ", context.where(b), " of memory '", memory.name, "' ",
                                pieces..., '.')});
  };
  if (!buffer.memories.empty() && std::find(buffer.memories.begin(), buffer.memories.end(),
                                            place.memory) == buffer.memories.end()) {
    wrong(Rule::allowed_memory, std::nullopt, "is in a memory that is not allowed for it");
  }
  if (place.offset < 0 || place.offset > memory.capacity - buffer.size) {
    wrong(Rule::bounds, std::nullopt, "has size ", buffer.size, " and is not inside [0, ",
          memory.capacity, ")");
  }
  const Size alignment = effective_alignment(buffer, memory);
  if ((memory.base % alignment + place.offset % alignment) % alignment != 0) {
    if (memory.base == 0)
      wrong(Rule::alignment, std::nullopt, "does not start at a multiple of ", alignment);
    else
      wrong(Rule::alignment, std::nullopt, "starts at address ", memory.base + place.offset,
            " (the base ", memory.base, " and its offset ", place.offset,
            "), which is not a multiple of ", alignment);
  }
  if (buffer.offset && place.offset != *buffer.offset) {
    wrong(Rule::fixed_offset, std::nullopt, "is not at its fixed offset ", *buffer.offset);
  }
  if (context.sane[b] == 0) return;
  if (buffer.window && !buffer.window->contains(context.hull(b))) {
    wrong(Rule::window, std::nullopt, "is not inside its window ", *buffer.window);
  }
  const std::vector<AddressRange> used =
      memory.reserved.empty() ? std::vector<AddressRange>{} : context.used(b);
  for (const AddressRange& reserved : memory.reserved) {
    const bool touches = std::any_of(used.begin(), used.end(), [&](const AddressRange& bytes) {
      return overlaps(bytes, reserved);
    });
    if (touches) {
      wrong(Rule::reserved, std::nullopt, "touches the reserved range ", reserved);
    }
  }
  if (memory.straddle) return;
  if (const auto banks = context.banks(b); banks && !banks->single()) {
    wrong(Rule::straddle, banks->first, "crosses the border at ",
          context.facts[place.memory].banks[banks->first].end, " behind bank '",
          memory.banks[banks->first].name, "', which this memory does not allow");
  }
}

}  // namespace

bool check_shape(Context& context) {
  const PlacementProblem& problem = context.problem;
  const std::vector<BufferPlace>& places = context.placement.places;
  if (places.size() != problem.buffers.size()) {
    context.add({.rule = Rule::shape,
                 .message = say("The placement has ", places.size(), " buffer(s), but there are ",
                                problem.buffers.size(), ".")});
    return false;
  }
  bool known = true;
  context.sane.resize(places.size());
  for (BufferIndex b = 0; b < places.size(); ++b) {
    if (places[b].memory >= problem.memories.size()) {
      known = false;
      context.add({.rule = Rule::shape,
                   .buffers = {b},
                   .message = say("Buffer '", problem.buffers[b].id, "' is in memory number ",
                                  places[b].memory, ", but there are only ",
                                  problem.memories.size(), ".")});
    }
    context.sane[b] = places[b].offset >= -max_address && places[b].offset <= unbounded ? 1 : 0;
  }
  check_mode_shape(context);
  return known;
}

void check_places(Context& context) {
  for (BufferIndex b = 0; b < context.problem.buffers.size() && !context.full(); ++b) {
    check_place(context, b);
  }
}

}  // namespace tessera::checking
