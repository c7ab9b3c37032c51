// Commands of random networks on random machines in every variant of tiling, judged by the checker
// that knows every byte; then damaged ones, which it has to refuse.
//
//   TESSERA_SEED=17 TESSERA_CASES=1 random_commands_test        repeats one of them
#include "tessera/commands.h"

#include <gtest/gtest.h>

#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "commands/check.h"
#include "commands/read.h"
#include "tessera/plan.h"
#include "tests/support/effort.h"
#include "tests/support/random.h"
#include "tests/support/random_machine.h"
#include "tests/support/random_network.h"

namespace tessera {
namespace {

using testing::Random;
using testing::setting;

/// Each option of the tiling is fixed, so that all are used although others would cost less.
void fix_tiling(Random& random, Hardware& hardware) {
  TilingOptions& tiling = hardware.tiling;
  tiling.double_buffer = {random.chance(60)};
  tiling.weights = {random.pick(std::vector{WeightPolicy::resident, WeightPolicy::refetch})};
  tiling.halo = {
      random.pick(std::vector{HaloPolicy::recompute, HaloPolicy::keep_columns, HaloPolicy::keep})};
  tiling.stationary = {
      random.pick(std::vector{Stationary::none, Stationary::weights, Stationary::inputs})};
  tiling.one_copy = {random.pick(std::vector{OneCopy::none, OneCopy::inputs, OneCopy::outputs,
                                             OneCopy::weights, OneCopy::inputs_outputs})};
  tiling.reduction = {random.pick(std::vector<std::int64_t>{1, 1, 2, 3})};
  if (random.chance(50)) tiling.kept_halos = KeptHalos::copied;
  if (random.chance(40) && tiling.weights.front() == WeightPolicy::resident)
    tiling.early = Early::weights;
  if (random.chance(30)) {
    tiling.engines = EngineOrder::side_by_side;
    tiling.double_buffer = {true};
    tiling.halo = {HaloPolicy::recompute};
    tiling.stationary = {Stationary::none};
    tiling.one_copy = {OneCopy::none};
    tiling.reduction = {1};
  }
  if (random.chance(30)) tiling.concat = Concat::copied;
  if (random.chance(20) && hardware.memories.front().space.banks.empty())
    tiling.pinned = Pinned::weights;
  static_cast<void>(random.chance(40));  // the seeds below are of machines with this draw
}

struct CommandCase {
  Network network;
  Hardware hardware;
  NetworkPlan plan;
};

/// `tiles`: few ops in many tiles.
CommandCase random_case(std::uint64_t seed, bool tiles) {
  Random random(seed ^ 0xc0de);
  CommandCase one;
  const testing::RandomNetworkParams wish{
      .ops = static_cast<std::size_t>(random.between(1, tiles ? 2 : 6)),
      .extent = tiles ? random.between(16, 40) : random.between(4, 16),
      .channels = random.between(2, 12),
      .spatial_only = random.chance(40)};
  one.network = random.chance(20) ? testing::random_dense_network(seed, wish)
                                  : testing::random_network(seed, wish);
  one.hardware = testing::random_machine(random, {.needed = testing::bytes_of(one.network),
                                                  .least_percent = tiles ? 6 : 15,
                                                  .most_percent = tiles ? 12 : 110,
                                                  .banks = random.chance(30)});
  Hardware& hardware = one.hardware;
  if (random.chance(30)) hardware.dma.weight_slices = random.between(2, 6);
  if (random.chance(20)) testing::add_flash(random, hardware);
  if (random.chance(35)) testing::randomize_stored(random, hardware);
  if (random.chance(30)) testing::split_reach(random, hardware);
  if (random.chance(25)) testing::reach_off_chip(random, hardware);
  if (random.chance(20) && hardware.memories.front().space.banks.empty())
    testing::give_modes(random, hardware);
  fix_tiling(random, hardware);
  if (hardware.tiling.weights.front() == WeightPolicy::resident) hardware.dma.weight_slices = 1;
  PlanParams params;
  params.tile_shapes = random.between(0, 8);
  params.proof_shapes = 0;
  params.nodes_per_question = 5'000;
  if (random.chance(30)) params.max_ops = 1;
  params.residency = random.chance(70);
  try {
    one.plan = plan_network(one.network, hardware, params);
  } catch (const BadInput& bad) {  // options that exclude each other
    one.plan.reason = bad.what();
  }
  return one;
}

std::string commands_of(const CommandCase& one, bool fold = false) {
  std::string text;
  write_commands(one.network, one.hardware, one.plan, {.fold = fold},
                 [&](std::string_view piece) { text += piece; });
  return text;
}

CommandsVerdict judged(const CommandCase& one, const std::string& text) {
  std::istringstream lines(text);
  return commands::check_text(lines, "commands.jsonl", one.network, one.hardware, one.plan);
}

/// The commands of a text, for comparison.
std::string unfolded(const CommandCase& one, const std::string& text) {
  std::istringstream lines(text);
  commands::CommandReader reader(lines, "commands.jsonl", one.network, one.hardware);
  std::string all;
  const auto side = [](const std::optional<commands::Side>& of) {
    std::string out;
    if (!of) return out;
    out = std::to_string(of->memory) + "@" + std::to_string(of->address);
    for (const commands::Level& level : of->dims)
      out += " " + std::to_string(level.count) + "*" + std::to_string(level.stride);
    return out;
  };
  const auto operand = [](const commands::Operand& of) {
    std::string out = " " + std::to_string(of.tensor) + of.buffer;
    for (const commands::Part& part : of.parts) {
      out += part.buffer + "@" + std::to_string(part.address);
      for (std::size_t axis = 0; axis < part.box.rank; ++axis)
        out += "," + std::to_string(part.box[axis].begin) + ":" +
               std::to_string(part.box[axis].end) + "*" + std::to_string(part.strides[axis]);
    }
    return out;
  };
  while (const std::optional<commands::Command> c = reader.next()) {
    all += std::to_string(c->id) + " " + std::to_string(static_cast<int>(c->kind)) + " " +
           std::to_string(c->tile) + " " + c->queue + " " + std::to_string(c->cycles) + " " +
           std::to_string(c->bytes) + " " + c->op + " " + c->mode + " " + c->buffer + " " +
           std::to_string(c->rest_of.value_or(-1)) + " after";
    for (const commands::CommandId id : c->after) all += " " + std::to_string(id);
    for (const commands::Copy& copy : c->copies)
      all += " " + side(copy.src) + "->" + side(copy.dst);
    for (const commands::Operand& out : c->out) all += operand(out);
    for (const auto& in : c->in) all += in ? operand(*in) : " -";
    for (const auto& [before, after] : c->pad)
      all += " pad " + std::to_string(before) + "," + std::to_string(after);
    if (c->accumulate)
      all += " part " + std::to_string(c->accumulate->part) +
             (c->accumulate->sums ? operand(*c->accumulate->sums) : "");
    all += "\n";
  }
  return all;
}

std::vector<std::string> variants(const NetworkPlan& plan) {
  std::vector<std::string> seen;
  for (const PlannedSubgraph& s : plan.subgraphs) {
    const bool several = s.tile_count() > 1;
    if (several && s.variant.double_buffer) seen.emplace_back("double");
    if (several && s.variant.halo == HaloPolicy::keep) seen.emplace_back("keep");
    if (several && s.variant.halo == HaloPolicy::keep_columns) seen.emplace_back("keep columns");
    if (several && s.variant.stationary == Stationary::weights) seen.emplace_back("weights stay");
    if (several && s.variant.stationary == Stationary::inputs) seen.emplace_back("inputs stay");
    if (several && s.variant.one_copy != OneCopy::none) seen.emplace_back("one copy");
    if (several && s.variant.trailing > 0) seen.emplace_back("pipelined");
    if (s.variant.reduction > 1) seen.emplace_back("split");
    if (s.variant.direct != Direct::none) seen.emplace_back("direct");
    if (!s.kept.empty()) seen.emplace_back("resident");
    if (!s.early.empty()) seen.emplace_back("prefetched");
    if (s.mode_switches > 0) seen.emplace_back("modes");
  }
  if (!plan.pinned.empty()) seen.emplace_back("pinned");
  if (!plan.joined.empty()) seen.emplace_back("joined");
  return seen;
}

/// Planned and refused items, by name.
struct Seen {
  std::map<std::string, int> planned;
  std::map<std::string, int> refused;
};

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

void expect_right(std::uint64_t seed, Seen& seen, bool tiles = false) {
  SCOPED_TRACE("TESSERA_SEED=" + std::to_string(seed) + " TESSERA_CASES=1");
  const CommandCase one = random_case(seed, tiles);
  ++seen.planned[one.plan.status == Status::feasible ? "planned" : "no plan: " + one.plan.reason];
  if (one.plan.status != Status::feasible) return;
  std::string text;
  try {
    text = commands_of(one);
  } catch (const BadInput& bad) {
    ++seen.refused[bad.what()];
    return;
  }
  const CommandsVerdict verdict = judged(one, text);
  EXPECT_EQ(verdict.wrong, std::vector<std::string>{});
  for (const std::string& variant : variants(one.plan)) ++seen.planned[variant];
  const std::string folded = commands_of(one, true);
  EXPECT_EQ(judged(one, folded).wrong, std::vector<std::string>{});
  EXPECT_EQ(unfolded(one, folded), unfolded(one, text));
  EXPECT_LE(folded.size(), text.size());
  if (has(folded, R"("kind":"for")")) ++seen.planned["loops"];
  if (has(folded, R"("body":[{"kind":"for")") || has(folded, R"(},{"kind":"for")"))
    ++seen.planned["loops in loops"];
}

Seen expect_all_right(std::uint64_t cases, bool tiles) {
  const std::uint64_t first = setting("TESSERA_SEED", 1);
  Seen seen;
  for (std::uint64_t seed = first; seed < first + cases; ++seed) expect_right(seed, seen, tiles);
  if (setting("TESSERA_SHOW", 0) > 0) {
    for (const auto& [what, times] : seen.planned) std::cout << times << " " << what << "\n";
    for (const auto& [what, times] : seen.refused)
      std::cout << times << " refused: " << what << "\n";
  }
  return seen;
}

std::uint64_t cases_of(std::uint64_t usual) {
  return setting("TESSERA_CASES", setting("TESSERA_RANDOM_COUNT", testing::effort(usual)));
}

TEST(Commands, EveryByteIsRight) {
  expect_all_right(cases_of(60), false);
}

TEST(Commands, LoopsInLoopsAreRight) {
  const std::uint64_t cases = cases_of(60);
  Seen seen = expect_all_right(cases, true);
  if (cases >= 60) {
    EXPECT_GT(seen.planned["loops in loops"], 0);
  }
}

/// Off-chip, an early store of a tile has to spare bytes that a later op of the tile still loads.
TEST(Commands, EarlyStoresSpareWhatIsStillLoaded) {
  Seen seen;
  for (const std::uint64_t seed : {50U, 124U, 280U, 749U, 932U}) expect_right(seed, seen);
  EXPECT_EQ(seen.planned["planned"], 5);
  EXPECT_TRUE(seen.refused.empty());
}

/// Of a weight of one byte, nothing is left for the second of two transfers.
TEST(Commands, TheFirstTransferMayBeAll) {
  Seen seen;
  expect_right(91001109, seen);
  EXPECT_EQ(seen.planned["planned"], 1);
}

/// A group stores two tensors; bytes of one that nothing reads are not free for the other.
TEST(Commands, StoresEndInAnyOrder) {
  Seen seen;
  expect_right(91000365, seen);
  EXPECT_EQ(seen.planned["planned"], 1);
}

/// A tile stores a concatenation, and with it an operand that the next tile still loads from there.
TEST(Commands, StoresMayRepeatWhatIsThere) {
  Seen seen;
  expect_right(91003000, seen);
  EXPECT_EQ(seen.planned["joined"], 1);
}

/// A concatenation has no place for what a softmax computes beyond the part that a tile needs of
/// it.
TEST(Commands, OperandsThatAreComputedInWholeRowsAreCopied) {
  Seen seen;
  expect_right(97001125, seen);
  EXPECT_EQ(seen.planned["planned"], 1);
  EXPECT_TRUE(seen.refused.empty());
}

/// Tiles side by side need the same rows; only the last one may replace them.
TEST(Commands, ReusedRowsLastForAllTilesBeside) {
  Seen seen;
  expect_right(96003526, seen);
  EXPECT_EQ(seen.planned["keep"], 2);
}

/// The last trailing ops of a pipelined group have no leading ops beside them that set the mode.
TEST(Commands, TheLastTrailingOpsHaveTheirMode) {
  Seen seen;
  expect_right(9101866, seen);
  EXPECT_EQ(seen.planned["pipelined"], 1);
  EXPECT_EQ(seen.planned["modes"], 3);
}

}  // namespace
}  // namespace tessera
