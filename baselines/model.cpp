#include "baselines/model.h"

#include <algorithm>
#include <numeric>

#include "facts/free_space.h"
#include "model/derived.h"

namespace tessera::baselines {
namespace {

struct Event {
  Step step;
  bool begins;  ///< ends sort before begins at the same step
  std::uint32_t body;
};

bool earlier(const Event& a, const Event& b) {
  if (a.step != b.step) return a.step < b.step;
  return !a.begins && b.begins;
}

/// The greatest unit such that every fully lowered body lies at a multiple of it: at offset 0, on a
/// reserved range or on another buffer, rounded up to its alignment.
Size unit_of(const PlacementProblem& problem, MemoryIndex m, const std::vector<Body>& bodies) {
  Size unit = 0;
  for (const Body& body : bodies) {
    unit = std::gcd(unit, body.size);
    unit = std::gcd(unit, body.low);
    if (body.stride > 1) unit = std::gcd(unit, body.stride);
    if (problem.buffers[body.buffer].offset)
      unit = std::gcd(unit, *problem.buffers[body.buffer].offset);
  }
  for (const AddressRange& each : facts::merged(problem.memories[m].reserved))
    unit = std::gcd(unit, each.end);
  return std::max<Size>(1, unit);
}

std::vector<Event> events_of(const PlacementProblem& problem, const Model& model, Poll& poll) {
  std::vector<Event> events;
  for (std::uint32_t k = 0; k < model.bodies.size(); ++k)
    for (const StepRange& live : problem.buffers[model.bodies[k].buffer].live) {
      poll(8);
      events.push_back({live.lower, true, k});
      events.push_back({live.upper, false, k});
    }
  std::sort(events.begin(), events.end(), earlier);
  poll.check();
  return events;
}

void collect_pairs(const PlacementProblem& problem, Model& model, Poll& poll) {
  std::vector<std::uint32_t> alive;
  bool grown = false;
  for (const Event& event : events_of(problem, model, poll)) {
    poll(static_cast<std::int64_t>(alive.size() / 4 + 1));
    if (event.begins) {
      for (const std::uint32_t other : alive)
        if (other != event.body)
          model.pairs.emplace_back(std::min(other, event.body), std::max(other, event.body));
      alive.push_back(event.body);
      grown = true;
      continue;
    }
    if (grown && alive.size() > 1) model.sections.push_back(alive);
    grown = false;
    alive.erase(std::find(alive.begin(), alive.end(), event.body));
  }
  std::vector<std::uint32_t> body(problem.buffers.size(), ~std::uint32_t{0});
  for (std::uint32_t k = 0; k < model.bodies.size(); ++k) body[model.bodies[k].buffer] = k;
  const auto exempt = exempt_pairs(problem);
  model.exempt = !exempt.empty();
  std::erase_if(model.pairs, [&](const auto& pair) {
    const BufferIndex a = model.bodies[pair.first].buffer;
    const BufferIndex b = model.bodies[pair.second].buffer;
    return std::binary_search(exempt.begin(), exempt.end(),
                              std::pair{std::min(a, b), std::max(a, b)});
  });
  for (const Relation& relation : problem.relations) {
    if (relation.kind != RelationKind::disjoint) continue;
    for (std::size_t i = 0; i < relation.buffers.size(); ++i)
      for (std::size_t j = i + 1; j < relation.buffers.size(); ++j) {
        poll();
        const std::uint32_t a = body[relation.buffers[i]];
        const std::uint32_t b = body[relation.buffers[j]];
        if (a == ~std::uint32_t{0} || b == ~std::uint32_t{0}) continue;
        model.pairs.emplace_back(std::min(a, b), std::max(a, b));
      }
  }
  poll.check();
  std::sort(model.pairs.begin(), model.pairs.end());
  model.pairs.erase(std::unique(model.pairs.begin(), model.pairs.end()), model.pairs.end());
}

std::int64_t ceil_div(std::int64_t value, std::int64_t by) {
  return value / by + (value % by != 0 ? 1 : 0);
}

}  // namespace

facts::FeatureSet features() {
  return {facts::Feature::several_memories, facts::Feature::buffer_alignment,
          facts::Feature::fixed_offset,     facts::Feature::window,
          facts::Feature::reserved,         facts::Feature::several_lives,
          facts::Feature::may_overlap,      facts::Feature::disjoint,
          facts::Feature::avoid_overlap};
}

std::int64_t living_pairs(const PlacementProblem& problem) {
  std::vector<Event> events;
  for (BufferIndex b = 0; b < problem.buffers.size(); ++b)
    for (const StepRange& live : problem.buffers[b].live) {
      events.push_back({live.lower, true, static_cast<std::uint32_t>(b)});
      events.push_back({live.upper, false, static_cast<std::uint32_t>(b)});
    }
  std::sort(events.begin(), events.end(), earlier);
  std::int64_t alive = 0;
  std::int64_t pairs = 0;
  for (const Event& event : events) {
    if (event.begins) pairs += alive;
    alive += event.begins ? 1 : -1;
  }
  return pairs;
}

Model model_of(const PlacementProblem& problem, MemoryIndex m, Poll& poll) {
  Model model;
  model.memory = m;
  const Memory& memory = problem.memories[m];
  const Size capacity = std::min(memory.capacity, facts::sufficient_capacity(problem));
  poll.check();
  for (BufferIndex b = 0; b < problem.buffers.size(); ++b) {
    poll();
    const Buffer& buffer = problem.buffers[b];
    if (allowed_memories(problem, buffer).front() != m) continue;
    Body body{.buffer = b,
              .size = buffer.size,
              .stride = effective_alignment(buffer, memory),
              .low = 0,
              .high = capacity - buffer.size};
    if (buffer.window) {
      body.low = std::max(body.low, buffer.window->begin);
      body.high = std::min(body.high, buffer.window->end - buffer.size);
    }
    if (buffer.offset) {
      body.low = std::max(body.low, *buffer.offset);
      body.high = std::min(body.high, *buffer.offset);
    }
    model.bodies.push_back(body);
  }
  model.unit = unit_of(problem, m, model.bodies);
  for (Body& body : model.bodies) {
    // An alignment of one byte is no constraint; all others are multiples of the unit.
    body.stride = std::max<Size>(1, body.stride / model.unit);
    body.size /= model.unit;
    body.low = ceil_div(ceil_div(body.low, model.unit), body.stride) * body.stride;
    body.high = body.high < 0 ? -1 : body.high / model.unit / body.stride * body.stride;
  }
  for (const AddressRange& each : facts::merged(memory.reserved))
    model.reserved.push_back({each.begin / model.unit, each.end / model.unit});
  for (const Body& body : model.bodies)
    model.largest = std::max(model.largest, body.high + body.size);
  collect_pairs(problem, model, poll);
  return model;
}

std::optional<std::string> nowhere(const PlacementProblem& problem, const Model& model) {
  for (const Body& body : model.bodies)
    if (body.high < body.low)
      return "Buffer '" + problem.buffers[body.buffer].id + "' does not fit into its memory.";
  return std::nullopt;
}

void put(const Model& model, const std::vector<std::int64_t>& offsets, Placement& placement) {
  for (std::size_t k = 0; k < model.bodies.size(); ++k)
    placement.places[model.bodies[k].buffer] = {model.memory, offsets[k] * model.unit};
}

}  // namespace tessera::baselines
