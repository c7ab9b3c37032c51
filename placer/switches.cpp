#include "placer/switches.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

#include "model/words.h"
#include "search/placement/greedy_engine.h"
#include "tessera/errors.h"
#include "tessera/switches.h"

namespace tessera::placer {
namespace {

// The header of each engine describes its rules.
#define TESSERA_RULE(engine, rule, what)                                             \
  Switch {                                                                           \
#engine "." #rule, what, [](EngineParams & p) -> bool& { return p.engine.rule; } \
  }
#define TESSERA_NUMBER(engine, rule, what)                                                   \
  Switch {                                                                                   \
#engine "." #rule, what, nullptr, [](EngineParams & p) -> int& { return p.engine.rule; } \
  }

constexpr std::array<std::pair<search::GuidedStrategy, const char*>, 5> strategies = {
    {{search::GuidedStrategy::combined, "combined"},
     {search::GuidedStrategy::lifetime, "lifetime"},
     {search::GuidedStrategy::size, "size"},
     {search::GuidedStrategy::area, "area"},
     {search::GuidedStrategy::lowest, "lowest"}}};

constexpr WordSwitch guided_strategy = {[] {
                                          std::vector<std::string> words;
                                          for (const auto& [strategy, word] : strategies)
                                            words.emplace_back(word);
                                          return words;
                                        },
                                        [](const EngineParams& p) {
                                          for (const auto& [strategy, word] : strategies)
                                            if (strategy == p.guided.strategy)
                                              return std::string(word);
                                          return std::string();
                                        },
                                        [](EngineParams& p, const std::string& wanted) {
                                          for (const auto& [strategy, word] : strategies)
                                            if (word == wanted) p.guided.strategy = strategy;
                                        }};

constexpr WordSwitch greedy_order = {
    [] {
      std::vector<std::string> words = search::greedy_engine_orders();
      words.insert(words.begin(), "all");
      return words;
    },
    [](const EngineParams& p) { return p.greedy_order; },
    [](EngineParams& p, const std::string& word) { p.greedy_order = word; }};

constexpr WordSwitch taa_overlap = {
    [] {
      return std::vector<std::string>{"published", "exact"};
    },
    [](const EngineParams& p) {
      return std::string(p.taa_step == search::TaaStep::past ? "published" : "exact");
    },
    [](EngineParams& p, const std::string& word) {
      p.taa_step = word == "exact" ? search::TaaStep::overlap : search::TaaStep::past;
    }};

constexpr auto switches = std::to_array<Switch>({
    TESSERA_RULE(canonical, section_inference,
                 "prune: floor and unplaced sizes of a section must fit"),
    TESSERA_RULE(canonical, dominance, "a buffer above its lowest offset must rest on another one"),
    TESSERA_RULE(canonical, decomposition,
                 "solve parts without a common unplaced buffer separately"),
    TESSERA_RULE(canonical, hatless, "no alternative for a buffer that raises no other"),
    TESSERA_RULE(canonical, monotonic_floor, "all unplaced buffers must fit above the lowest one"),
    TESSERA_RULE(canonical, unallocated_floor,
                 "section inference also for sections with a raised bound"),
    TESSERA_RULE(canonical, cliques, "section inference also for buffers separated by relations"),
    TESSERA_RULE(canonical, one_machine, "section inference for every release offset"),
    TESSERA_RULE(canonical, failed_states, "cache of excluded states"),
    TESSERA_RULE(canonical, subset_sums, "round capacities down to a reachable sum of sizes"),
    TESSERA_RULE(canonical, local_choice, "branch on the tightest section"),
    TESSERA_RULE(canonical, symmetry, "fix the order of interchangeable buffers"),
    TESSERA_RULE(canonical, backjumping, "backjump to the last relevant choice"),
    TESSERA_RULE(canonical, restarts, "restart with several orders and growing budgets"),
    TESSERA_RULE(canonical, contention, "orders use failures of earlier restarts"),
    TESSERA_RULE(learning, triangles, "transitivity: i below j and j below k gives i below k"),
    TESSERA_RULE(learning, overload, "overload of a window of one section"),
    TESSERA_RULE(learning, edge_finding,
                 "edge finding: buffers above or below a set that fills its window"),
    TESSERA_RULE(learning, energy, "bounds from the total size of buffers known to be below"),
    TESSERA_RULE(learning, not_first, "not-first and not-last of a set"),
    TESSERA_RULE(learning, balance, "bounds from buffers common to two sections"),
    TESSERA_RULE(learning, cliques, "sections also from buffers separated by relations"),
    TESSERA_RULE(learning, generalise, "generalise explanations by their slack"),
    TESSERA_RULE(learning, minimise, "remove implied literals from explanations"),
    TESSERA_RULE(learning, order_search, "search over orders of pairs"),
    TESSERA_RULE(learning, place_search, "search that places buffers at their lowest offset"),
    TESSERA_RULE(learning, rests, "every buffer starts at 0 or directly above another one"),
    TESSERA_RULE(learning, symmetry,
                 "symmetry breaking: order interchangeable buffers, fix one mirrored pair"),
    TESSERA_RULE(learning, cores, "cost bounds from cores: sets of which one cost is always paid"),
    TESSERA_RULE(learning, reduce, "delete inactive clauses"),
    TESSERA_RULE(learning, restarts, "Luby restarts"),
    TESSERA_RULE(learning, recall, "in sessions: deduce results from earlier results"),
    TESSERA_RULE(sat, break_symmetry,
                 "symmetry breaking: order interchangeable buffers, fix one mirrored pair"),
    TESSERA_RULE(sat, balance, "bounds from pairs of steps"),
    TESSERA_RULE(sat, load_cut, "check the load of single steps first"),
    TESSERA_RULE(smt, break_symmetry,
                 "symmetry breaking: order interchangeable buffers, fix one mirrored pair"),
    TESSERA_RULE(smt, load_cut, "check the load of single steps first"),
    TESSERA_RULE(guided, phases, "most contended buffers first, phase by phase"),
    Switch{"guided.strategy", "candidates: combined is longest, largest, largest area", nullptr,
           nullptr, &guided_strategy},
    TESSERA_RULE(guided, directed, "backjump into the conflict; off: one level"),
    TESSERA_RULE(guided, promote, "retry the failed buffer first after a backjump"),
    TESSERA_RULE(guided, others, "in an exhausted tree, try all other buffers until one fits"),
    TESSERA_RULE(guided, stuck, "leave a subtree after too many backtracks"),
    TESSERA_RULE(guided, lowest, "with restarts: half of the trees place the lowest buffer next"),
    TESSERA_RULE(guided, restarts, "restart with other tie-breaking"),
    TESSERA_RULE(guided, learn, "the solver learns no-goods"),
    TESSERA_RULE(guided, sections, "the solver uses all section rules"),
    TESSERA_RULE(guided, learned, "without learn: a trained forest chooses the backjump level"),
    TESSERA_NUMBER(guided, most_candidates,
                   "backjump candidates of one point, with the buffers placed before them"),
    TESSERA_NUMBER(guided, stuck_after, "backtracks inside a subtree"),
    Switch{"taa.overlap", "a step up: published is past the placed run, exact by the shared bytes",
           nullptr, nullptr, &taa_overlap},
    TESSERA_RULE(boxing, stacking, "first heights by skyline, earliest start and best fit"),
    TESSERA_RULE(boxing, boxing, "recursive boxing of short-lived buffers"),
    TESSERA_RULE(boxing, improve, "ruin and recreate at the peak"),
    TESSERA_RULE(boxing, focus, "only near the peak"),
    TESSERA_RULE(boxing, exact, "a complete engine decides the ranges that determine the peak"),
    TESSERA_RULE(boxing, eject, "reinsert protruding buffers, in windows of steps"),
    Switch{"greedy.order", "one heuristic alone", nullptr, nullptr, &greedy_order},
});

#undef TESSERA_RULE
#undef TESSERA_NUMBER

/// Engines that `auto` may run; others have to be named.
constexpr std::array<std::string_view, 5> of_auto = {"canonical", "learning", "sat", "smt",
                                                     "boxing"};

std::string_view engine_of(std::string_view name) {
  return name.substr(0, name.find('.'));
}

std::string range_of(const WordSwitch& which) {
  std::string range;
  for (const std::string& word : which.words()) range += (range.empty() ? "" : ", ") + word;
  return range;
}

const Switch& known_switch(std::string_view name) {
  const auto found = std::find_if(switches.begin(), switches.end(),
                                  [&](const Switch& each) { return each.name == name; });
  if (found != switches.end()) return *found;
  std::vector<std::string_view> names;
  for (const Switch& each : switches) names.push_back(each.name);
  const std::string_view close = closest_word(name, names);
  throw BadInput("unknown switch '" + std::string(name) + "'",
                 close.empty() ? "`tessera help --switches` lists them"
                               : "did you mean `" + std::string(close) + "`?");
}

void set_switch(EngineParams& params, const std::string& setting) {
  const std::size_t sign = setting.find('=');
  if (sign == std::string::npos)
    throw BadInput("'" + setting + "' has no value",
                   "write NAME=on, NAME=off, NAME=NUMBER or NAME=WORD");
  const Switch& which = known_switch(std::string_view(setting).substr(0, sign));
  const std::string_view value = std::string_view(setting).substr(sign + 1);
  if (which.rule != nullptr) {
    if (value != "on" && value != "off") throw BadInput("'" + setting + "' is neither on nor off");
    which.rule(params) = value == "on";
    return;
  }
  if (which.word != nullptr) {
    const std::vector<std::string> words = which.word->words();
    if (std::find(words.begin(), words.end(), value) == words.end())
      throw BadInput("'" + setting + "': " + std::string(which.name) + " is one of " +
                     range_of(*which.word));
    which.word->set(params, std::string(value));
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
      throw BadInput("'" + setting + "' has no effect: engine " + std::string(engine) +
                         " does not run engine " + std::string(own),
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
    else if (each.word != nullptr)
      list.push_back(
          {each.name, each.what, placer::range_of(*each.word), each.word->get(defaults)});
    else
      list.push_back({each.name, each.what, "1 or more", std::to_string(each.number(defaults))});
  }
  return list;
}

}  // namespace tessera
