#include "placer/switches.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

#include "model/words.h"
#include "tessera/errors.h"
#include "tessera/switches.h"

namespace tessera::placer {
namespace {

// Reasons and sources are documented beside each rule, in the header of its engine.
#define TESSERA_RULE(engine, rule, what)                                             \
  Switch {                                                                           \
#engine "." #rule, what, [](EngineParams & p) -> bool& { return p.engine.rule; } \
  }
#define TESSERA_NUMBER(engine, rule, what)                                                   \
  Switch {                                                                                   \
#engine "." #rule, what, nullptr, [](EngineParams & p) -> int& { return p.engine.rule; } \
  }

constexpr auto switches = std::to_array<Switch>({
    TESSERA_RULE(canonical, section_inference, "floor and unplaced sizes of a section must fit"),
    TESSERA_RULE(canonical, dominance, "what does not lie at its lowest offset has to be lifted"),
    TESSERA_RULE(canonical, decomposition,
                 "parts that no unplaced buffer connects are solved one by one"),
    TESSERA_RULE(canonical, hatless, "what lifts nothing has no alternative"),
    TESSERA_RULE(canonical, monotonic_floor,
                 "nothing lies below the lowest item that can be placed"),
    TESSERA_RULE(canonical, unallocated_floor,
                 "a section starts no lower than its lowest unplaced buffer"),
    TESSERA_RULE(canonical, cliques, "section inference for what relations keep apart, too"),
    TESSERA_RULE(canonical, one_machine, "section inference for every release offset"),
    TESSERA_RULE(canonical, failed_states, "refuted states are remembered"),
    TESSERA_RULE(canonical, subset_sums,
                 "capacities are rounded down to a sum that sizes can form"),
    TESSERA_RULE(canonical, local_choice, "choose where a section is tightest"),
    TESSERA_RULE(canonical, symmetry, "equal buffers keep their order"),
    TESSERA_RULE(canonical, backjumping, "return to the last choice that a dead end rests on"),
    TESSERA_RULE(canonical, restarts, "several orders with growing budgets"),
    TESSERA_RULE(canonical, contention, "most orders go by what refused in earlier tries"),
    TESSERA_RULE(learning, triangles, "i below j and j below k: i below k"),
    TESSERA_RULE(learning, overload, "more bytes than room in a window of one section"),
    TESSERA_RULE(learning, edge_finding, "who must lie above or below a set that fills its window"),
    TESSERA_RULE(learning, energy, "bounds from the summed sizes of what is known below"),
    TESSERA_RULE(learning, not_first, "who cannot lie lowest or highest of a set"),
    TESSERA_RULE(learning, balance, "what two sections share fits with what lies around a member"),
    TESSERA_RULE(learning, cliques, "sections also from what relations keep apart"),
    TESSERA_RULE(learning, generalise, "spend the slack of explanations"),
    TESSERA_RULE(learning, minimise, "drop literals that the others imply"),
    TESSERA_RULE(learning, order_search, "the search that chooses orders of pairs"),
    TESSERA_RULE(learning, place_search, "the search that places buffers at their lowest offset"),
    TESSERA_RULE(learning, rests, "every buffer lies on the ground or on another one"),
    TESSERA_RULE(learning, symmetry, "twins are ordered, one mirrored pair is fixed"),
    TESSERA_RULE(learning, cores, "bounds of costs from sets of which one is always paid"),
    TESSERA_RULE(learning, reduce, "forget clauses that do not help"),
    TESSERA_RULE(learning, restarts, "restarts after Luby"),
    TESSERA_RULE(learning, recall, "in sessions: what earlier answers say of new sizes"),
    TESSERA_RULE(sat, break_symmetry, "twins are ordered, one mirrored pair is fixed"),
    TESSERA_RULE(sat, balance, "what two steps say together"),
    TESSERA_RULE(sat, load_cut, "the load of one step is asked first"),
    TESSERA_RULE(smt, break_symmetry, "twins are ordered, one mirrored pair is fixed"),
    TESSERA_RULE(smt, load_cut, "the load of one step is asked first"),
    TESSERA_RULE(guided, phases, "what is most contended goes first, phase by phase"),
    TESSERA_RULE(guided, candidates, "longest, largest and largest area; off: the longest alone"),
    TESSERA_RULE(guided, directed, "back to a placement in the conflict; off: to the one before"),
    TESSERA_RULE(guided, promote, "what failed is tried first where the search goes back to"),
    TESSERA_RULE(guided, stuck, "leave a subtree that was backtracked into too often"),
    TESSERA_RULE(guided, widen, "more candidates once the tree with a few is exhausted"),
    TESSERA_RULE(guided, restarts, "begin again with other ties"),
    TESSERA_RULE(guided, learn, "the solver remembers what it refused"),
    TESSERA_RULE(guided, sections, "the solver uses all section rules"),
    TESSERA_RULE(guided, learned, "a trained forest says how far to go back"),
    TESSERA_NUMBER(guided, most_candidates, "of one point, with those that were put before them"),
    TESSERA_NUMBER(guided, stuck_after, "backtracks inside a subtree"),
    TESSERA_RULE(boxing, stacking, "skyline, earliest birth and best fit find the first heights"),
    TESSERA_RULE(boxing, boxing, "boxes of short lives, boxed again"),
    TESSERA_RULE(boxing, improve, "ruin and recreate at the peak"),
    TESSERA_RULE(boxing, focus, "only where the peak is"),
    TESSERA_RULE(boxing, exact, "the ranges that carry the peak are decided by a complete engine"),
    TESSERA_RULE(boxing, eject, "what sticks out pushes its way in again, in windows of time"),
});

#undef TESSERA_RULE
#undef TESSERA_NUMBER

/// Engines that `auto` may run; others have to be named.
constexpr std::array<std::string_view, 5> of_auto = {"canonical", "learning", "sat", "smt",
                                                     "boxing"};

std::string_view engine_of(std::string_view name) {
  return name.substr(0, name.find('.'));
}

const Switch& known_switch(std::string_view name) {
  const auto found = std::find_if(switches.begin(), switches.end(),
                                  [&](const Switch& each) { return each.name == name; });
  if (found != switches.end()) return *found;
  std::vector<std::string_view> names;
  for (const Switch& each : switches) names.push_back(each.name);
  const std::string_view close = closest_word(name, names);
  throw BadInput("there is no switch '" + std::string(name) + "'",
                 close.empty() ? "`tessera help --switches` lists them"
                               : "did you mean `" + std::string(close) + "`?");
}

void set_switch(EngineParams& params, const std::string& setting) {
  const std::size_t sign = setting.find('=');
  if (sign == std::string::npos)
    throw BadInput("'" + setting + "' says not what the switch is set to",
                   "write NAME=on, NAME=off, or NAME=NUMBER");
  const Switch& which = known_switch(std::string_view(setting).substr(0, sign));
  const std::string_view value = std::string_view(setting).substr(sign + 1);
  if (which.rule != nullptr) {
    if (value != "on" && value != "off") throw BadInput("'" + setting + "': a switch is on or off");
    which.rule(params) = value == "on";
    return;
  }
  int number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc{} || end != value.data() + value.size() || number < 1)
    throw BadInput("'" + setting + "': " + std::string(which.name) + " is a number from 1 to " +
                   std::to_string(std::numeric_limits<int>::max()));
  which.number(params) = number;
}

}  // namespace

std::span<const Switch> switches_of(std::string_view engine) {
  if (engine.empty()) return switches;
  const auto of_engine = [&](const Switch& each) { return engine_of(each.name) == engine; };
  const auto first = std::find_if(switches.begin(), switches.end(), of_engine);
  return {first, std::find_if_not(first, switches.end(), of_engine)};
}

EngineParams engine_params(std::span<const std::string> settings) {
  EngineParams params;
  for (const std::string& setting : settings) set_switch(params, setting);
  return params;
}

void require_switches_of(std::string_view engine, std::span<const std::string> settings) {
  for (const std::string& setting : settings) {
    const std::string_view own = engine_of(setting);
    const bool asked = engine == "auto"
                           ? std::find(of_auto.begin(), of_auto.end(), own) != of_auto.end()
                           : own == engine;
    if (!asked)
      throw BadInput("'" + setting + "' would change nothing: engine " + std::string(engine) +
                         " does not ask engine " + std::string(own),
                     "add --engine " + std::string(own));
  }
}

}  // namespace tessera::placer

namespace tessera {

std::vector<SwitchInfo> switch_list() {
  placer::EngineParams defaults;
  std::vector<SwitchInfo> list;
  for (const placer::Switch& each : placer::switches) {
    if (each.rule != nullptr)
      list.push_back({each.name, each.what, "on, off", each.rule(defaults) ? "on" : "off"});
    else
      list.push_back({each.name, each.what, "1 or more", std::to_string(each.number(defaults))});
  }
  return list;
}

}  // namespace tessera
