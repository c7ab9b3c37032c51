// Server of certificates for compare_test.py, since starting a program for each certificate takes
// longer than checking it.
//
//   proofs_certificates make FOLDER FIRST COUNT
//     writes FOLDER/SEED.yaml for each seed, and SEED.KIND.proof for every proved claim
//   proofs_certificates sessions FOLDER FIRST COUNT
//     writes SEED.yaml and SEED.session.proof for the last query of a session, if it is infeasible
//   proofs_certificates check
//     reads lines "INPUT<tab>CERTIFICATE", prints for each "proved CLAIM; CLAIM", "refused WHY" or
//     "bad input WHY": the result of `tessera check INPUT --proof CERTIFICATE`
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <numeric>
#include <string>
#include <string_view>

#include "model/buffer_parts.h"
#include "model/claim_problem.h"
#include "model/derived.h"
#include "model/size_layer.h"
#include "placer/certificate.h"
#include "placer/make_engine.h"
#include "search/learning/engine.h"
#include "tessera/check_result.h"
#include "tessera/claim.h"
#include "tessera/files.h"
#include "tessera/place.h"
#include "tessera/validate.h"
#include "tests/random/optional_problems.h"
#include "tests/support/engine_agreement.h"
#include "tests/support/random_problem.h"
#include "tests/support/random_rules.h"

namespace {

using namespace tessera;
using namespace tessera::testing;
using tessera::testing::Random;

// --- problems ------------------------------------------------------------------------------------

/// Lifetimes and sizes in one memory that is slightly too small or just large enough: exercises the
/// packing rules.
PlacementProblem packing(Random& random) {
  PlacementProblem problem;
  const Step steps = random.between(4, 10);
  const std::int64_t count = random.between(6, random.chance(20) ? 24 : 14);
  const Size unit = random.chance(30) ? random.between(2, 4) : 1;
  std::vector<Size> load(static_cast<std::size_t>(steps), 0);
  for (std::int64_t b = 0; b < count; ++b) {
    Buffer buffer;
    buffer.id = "p" + std::to_string(b);
    if (b > 0 && random.chance(25)) {
      const Buffer& other = random.pick(problem.buffers);
      buffer.live = other.live;
      buffer.size = other.size;
    } else {
      const Step lower = random.between(0, steps - 1);
      buffer.live = {{lower, random.between(lower + 1, std::min(steps, lower + 1 + steps / 2))}};
      buffer.size = unit * random.between(1, 9);
    }
    if (unit > 1 && random.chance(50)) buffer.alignment = unit;
    for (Step t = buffer.live[0].lower; t < buffer.live[0].upper; ++t)
      load[static_cast<std::size_t>(t)] += buffer.size;
    problem.buffers.push_back(std::move(buffer));
  }
  Memory memory;
  memory.name = "m";
  memory.capacity = *std::max_element(load.begin(), load.end()) + unit * random.between(-1, 2);
  memory.capacity = std::max<Size>(memory.capacity, 1);
  problem.memories.push_back(std::move(memory));
  const std::vector<RelationKind> kinds = {RelationKind::disjoint, RelationKind::may_overlap,
                                           RelationKind::avoid_overlap};
  for (std::int64_t k = random.chance(40) ? random.between(1, 3) : 0; k > 0; --k) {
    const std::size_t one = random.below(problem.buffers.size());
    const std::size_t two = random.below(problem.buffers.size());
    const RelationKind kind = random.pick(kinds);
    if (one != two)
      problem.relations.push_back(
          {kind, {one, two}, kind == RelationKind::avoid_overlap ? random.between(1, 4) : 0});
  }
  return problem;
}

/// Short, distant lifetimes: relations and places, not time, separate buffers, directly or through
/// others at their offset.
PlacementProblem related(Random& random) {
  PlacementProblem problem;
  const std::int64_t count = random.between(4, 9);
  const Size unit = random.chance(40) ? random.between(2, 4) : 1;
  for (std::int64_t b = 0; b < count; ++b) {
    Buffer buffer;
    buffer.id = "r" + std::to_string(b);
    const Step lower = random.between(0, 2 * count);
    buffer.live = {{lower, lower + random.between(1, 3)}};
    buffer.size = random.between(1, 6);
    if (random.chance(50)) buffer.alignment = unit;
    if (random.chance(15)) {
      buffer.offset = buffer.alignment * random.between(0, 3);
    } else if (random.chance(15)) {
      const Offset begin = random.between(0, 6);
      buffer.window = AddressRange{begin, begin + buffer.size + random.between(0, 6)};
    }
    problem.buffers.push_back(std::move(buffer));
  }
  Memory memory;
  memory.name = "m";
  memory.capacity = random.between(8, 24);
  if (random.chance(20)) memory.reserved = {{2, 4}};
  if (random.chance(25)) {
    const Size half = memory.capacity / 2;
    memory.banks = {{"b0", half, {}}, {"b1", half, {}}};
    memory.capacity = 2 * half;
    memory.straddle = random.chance(50);
  }
  problem.memories.push_back(std::move(memory));
  const std::vector<RelationKind> kinds = {RelationKind::adjacent, RelationKind::same_offset,
                                           RelationKind::different_banks,
                                           RelationKind::may_overlap};
  for (std::size_t a = 0; a < problem.buffers.size(); ++a)
    for (std::size_t b = 0; b < a; ++b) {
      if (random.chance(55)) problem.relations.push_back({RelationKind::disjoint, {b, a}, 0});
      if (random.chance(3)) problem.relations.push_back({random.pick(kinds), {a, b}, 0});
    }
  if (random.chance(40)) problem.relations.push_back({RelationKind::adjacent, {1, 2}, 0});
  if (random.chance(25)) problem.relations.push_back({RelationKind::different_banks, {2, 3}, 0});
  if (random.chance(40))
    problem.relations.push_back({RelationKind::same_offset, {0, problem.buffers.size() - 1}, 0});
  return problem;
}

/// All pairs are separated: two by their places, the others by relations of several kinds; the
/// capacity is close to the total size.
PlacementProblem confined(Random& random) {
  PlacementProblem problem;
  Size all = 0;
  for (std::int64_t b = random.between(3, 6); b > 0; --b) {
    const Step lower = 4 * b;
    problem.buffers.push_back({.id = "c" + std::to_string(b),
                               .live = {{lower, lower + 2}},
                               .size = random.between(1, 6)});
    all += problem.buffers.back().size;
  }
  problem.memories.push_back({.name = "m", .capacity = all + random.between(-1, 1)});
  Buffer& low = problem.buffers[0];
  Buffer& high = problem.buffers[1];
  low.offset = 0;
  high.window = AddressRange{low.size, std::max(all + 1, low.size + high.size)};
  for (BufferIndex a = 2; a < problem.buffers.size(); ++a)
    for (BufferIndex b = 0; b < a; ++b) {
      const bool free = b >= 2 && a == b + 1;
      const RelationKind kind = free && random.chance(50)   ? RelationKind::adjacent
                                : free && random.chance(40) ? RelationKind::different_banks
                                                            : RelationKind::disjoint;
      problem.relations.push_back({kind, {b, a}, 0});
    }
  return problem;
}

/// Tensors that are written and read tile by tile, with a capacity close to the maximum load: often
/// the bytes fit, but no differences of offsets work.
PlacementProblem tiled(Random& random) {
  PlacementProblem problem;
  const std::int64_t planes = random.between(1, 3);
  const std::int64_t count = random.between(3, 6);
  for (std::int64_t b = 0; b < count; ++b) {
    Buffer buffer;
    buffer.id = "t" + std::to_string(b);
    const Step first = random.between(0, 6);
    if (random.chance(15)) {
      buffer.size = random.between(1, 6);
      buffer.live = {{first, random.between(first + 1, 9)}};
    } else {
      const std::int64_t strips = random.between(1, 4);
      const Size rows = random.between(1, 3);
      const Size plane = strips * rows + random.between(0, 1);
      for (std::int64_t k = 0; k < strips; ++k) {
        BufferPart part{.live = {{first + k, first + k + random.between(1, 4)}},
                        .offset = k * rows,
                        .size = rows};
        if (planes > 1) part.repeat = {{planes, plane}};
        buffer.parts.push_back(std::move(part));
      }
      buffer.size = planes * plane;
      Step last = 0;
      for (const BufferPart& part : buffer.parts) last = std::max(last, part.live[0].upper);
      buffer.live = {{first, last}};
    }
    if (random.chance(15)) buffer.alignment = random.between(2, 3);
    if (random.chance(8)) buffer.window = AddressRange{1, buffer.size + random.between(2, 9)};
    problem.buffers.push_back(std::move(buffer));
  }
  std::vector<Size> load(16, 0);
  Size largest = 0;
  for (const Buffer& buffer : problem.buffers) {
    for (const Load& each : loads(buffer))
      for (Step t = each.steps.lower; t < each.steps.upper; ++t)
        load[static_cast<std::size_t>(t)] += each.bytes;
    largest = std::max(largest, buffer.size);
  }
  const Size most = std::max(largest, *std::max_element(load.begin(), load.end()));
  const std::int64_t memories = random.chance(25) ? 2 : 1;
  for (std::int64_t m = 0; m < memories; ++m) {
    Memory memory;
    memory.name = "m" + std::to_string(m);
    memory.capacity = std::max(largest, most / memories) + random.between(0, 3);
    if (random.chance(15)) {
      const Offset begin = random.between(0, 5);
      memory.reserved = {{begin, std::min(begin + random.between(1, 2), memory.capacity)}};
      if (memory.reserved[0].empty()) memory.reserved.clear();
    }
    problem.memories.push_back(std::move(memory));
  }
  const std::vector<RelationKind> kinds = {RelationKind::disjoint, RelationKind::may_overlap,
                                           RelationKind::same_memory,
                                           RelationKind::different_memories};
  for (std::int64_t k = random.chance(40) ? random.between(1, 2) : 0; k > 0; --k) {
    const std::size_t one = random.below(problem.buffers.size());
    const std::size_t two = random.below(problem.buffers.size());
    if (one != two) problem.relations.push_back({random.pick(kinds), {one, two}, 0});
  }
  return problem;
}

/// Many sizes and long lifetimes with a capacity at or slightly above the maximum load: engines
/// have to learn many clauses, and forget some.
PlacementProblem dense(Random& random) {
  PlacementProblem problem;
  const Step steps = random.between(8, 12);
  std::vector<Size> load(static_cast<std::size_t>(steps), 0);
  for (std::int64_t b = random.between(14, 26); b > 0; --b) {
    Buffer buffer;
    buffer.id = "d" + std::to_string(b);
    const Step lower = random.between(0, steps - 2);
    buffer.live = {{lower, random.between(lower + 1, std::min(steps, lower + 6))}};
    buffer.size = random.between(5, 60);
    for (Step t = buffer.live[0].lower; t < buffer.live[0].upper; ++t)
      load[static_cast<std::size_t>(t)] += buffer.size;
    problem.buffers.push_back(std::move(buffer));
  }
  Memory memory;
  memory.name = "m";
  memory.capacity = *std::max_element(load.begin(), load.end()) + random.between(0, 6);
  problem.memories.push_back(std::move(memory));
  return problem;
}

/// The first problem with the wanted features: most problems lack most features.
template <typename Wanted>
PlacementProblem random_with(Random& random, const Features& features, Wanted wanted) {
  PlacementProblem problem = random_problem(random, features);
  for (int tries = 0; tries < 30 && !wanted(problem); ++tries)
    problem = random_problem(random, features);
  return problem;
}

/// Problems for which modes count: memories with modes, buffers with reads and writes.
PlacementProblem modal(Random& random, bool per_bank) {
  Features features;
  features.banks = features.accesses = true;
  (per_bank ? features.modes_per_bank : features.modes) = true;
  features.gaps = features.gap_windows = random.chance(30);
  features.several_memories = features.memory_choice = random.chance(30);
  return random_with(random, features, [&](const PlacementProblem& problem) {
    return std::any_of(problem.memories.begin(), problem.memories.end(), [&](const Memory& memory) {
      return per_bank ? memory.modes_per_bank : memory.modes.size() > 1;
    });
  });
}

/// Buffers that overlap only at a cost, in a memory slightly larger than necessary.
PlacementProblem soft(Random& random) {
  PlacementProblem problem = packing(random);
  if (random.chance(30)) {
    Features features;
    features.soft_costs = features.banks = features.alignment = features.several_memories = true;
    features.memory_choice = true;
    features.relations = {RelationKind::adjacent, RelationKind::same_offset};
    problem = random_problem(random, features);
  }
  for (std::int64_t k = random.between(2, 12); k > 0; --k) {
    const std::size_t one = random.below(problem.buffers.size());
    const std::size_t two = random.below(problem.buffers.size());
    if (one != two)
      problem.relations.push_back({RelationKind::avoid_overlap, {one, two}, random.between(1, 4)});
  }
  if (random.chance(5) && problem.memories[0].banks.empty() && problem.memories[0].reserved.empty())
    problem.memories[0].capacity = unbounded;
  return problem;
}

PlacementProblem problem_of(std::uint64_t seed) {
  Random random(seed);
  PlacementProblem problem;
  if (seed % 64 == 63) return dense(random);
  if (seed % 16 == 1) return tiled(random);
  if (seed % 16 == 9) return random.chance(20) ? confined(random) : related(random);
  switch (seed % 8) {
    case 0:
    case 1:
      problem = random_problem(random, Features::all());
      break;
    case 2:
      problem = random_problem(random, Features::one_address_space());
      break;
    case 3:
    case 4:
      return packing(random);
    case 5:
      problem = modal(random, seed / 8 % 2 == 0);
      break;
    case 6:
      problem = soft(random);
      break;
    default:
      problem = random_problem(random, Features::plain());
  }
  if (random.chance(30)) add_twins(random, problem);
  // Sums close to the maximum of a memory, to provoke overflows.
  const bool limited =
      std::none_of(problem.memories.begin(), problem.memories.end(),
                   [](const Memory& memory) { return memory.capacity == unbounded; });
  if (limited && random.chance(10))
    problem = magnified(problem, Size{1} << static_cast<unsigned>(random.between(30, 55)), 1);
  return problem;
}

// --- claims --------------------------------------------------------------------------------------

engine::SearchParams effort_of(std::uint64_t seed, Objective goal = Objective::fit) {
  engine::SearchParams search;
  search.seed = seed;
  search.goal = goal;
  search.budget.max_nodes = 20'000;
  return search;
}

/// The highest lower bound that the engine can prove below the height of a placement.
std::int64_t least_height(const PlacementProblem& problem, const std::vector<MemoryIndex>& of,
                          std::uint64_t seed) {
  std::int64_t low = 1;
  std::int64_t high = 1;
  for (const MemoryIndex m : of)
    high = std::max(
        high, problem.memories[m].capacity == unbounded ? Size{64} : problem.memories[m].capacity);
  while (low < high) {  // `low` is known to be a bound
    const std::int64_t middle = low + (high - low + 1) / 2;
    const Claim claim{ClaimKind::height, of, middle};
    const engine::SearchResult result =
        placer::make_engine("learning")
            ->solve(counterexample_problem(problem, claim), effort_of(seed));
    (result.status == Status::infeasible ? low : high) =
        result.status == Status::infeasible ? middle : middle - 1;
  }
  return low;
}

std::vector<Claim> claims_of(const PlacementProblem& problem, std::uint64_t seed) {
  const engine::SearchResult fit = placer::make_engine("learning")->solve(problem, effort_of(seed));
  if (fit.status == Status::infeasible) return {{}};
  if (fit.status != Status::feasible) return {};
  std::vector<Claim> claims;
  std::vector<MemoryIndex> of(problem.memories.size());
  std::iota(of.begin(), of.end(), MemoryIndex{0});
  if (of.size() > 1 && seed % 3 == 0)
    of.erase(of.begin() + static_cast<std::ptrdiff_t>(seed / 3 % of.size()));
  claims.push_back({ClaimKind::height, of, least_height(problem, of, seed)});
  for (const auto& [kind, goal] :
       {std::pair{ClaimKind::cost, Objective::cost}, std::pair{ClaimKind::modes, Objective::modes},
        std::pair{ClaimKind::switches, Objective::switches}}) {
    const engine::SearchResult best =
        placer::make_engine("learning")->solve(problem, effort_of(seed, goal));
    if (best.bound > 0) claims.push_back({kind, {}, best.bound});
  }
  return claims;
}

/// The engine that writes derivations, with other rules for every seed: several rules often prove
/// the same, so that one hides the other.
std::unique_ptr<engine::PlacementEngine> writer_of(std::uint64_t seed) {
  Random random(seed);
  search::LearningParams params;
  if (random.chance(50)) return search::make_learning_engine(params);
  const int percent = random.pick(std::vector<int>{10, 40, 80});
  for (bool search::LearningParams::*rule :
       {&search::LearningParams::triangles, &search::LearningParams::overload,
        &search::LearningParams::edge_finding, &search::LearningParams::energy,
        &search::LearningParams::balance, &search::LearningParams::generalise,
        &search::LearningParams::rests, &search::LearningParams::symmetry,
        &search::LearningParams::cores})
    params.*rule = !random.chance(percent);
  params.not_first = random.chance(70);
  params.place_search = random.chance(50);
  return search::make_learning_engine(params);
}

/// Writes a derivation even if sums are sufficient. ensure: without a derivation, returns false and
/// writes nothing.
bool derive(const PlacementProblem& problem, const Claim& claim, std::uint64_t seed,
            placer::CertificateFile& file) {
  engine::SearchParams search = effort_of(seed, counterexample_goal(claim));
  search.at_most = counterexample_cost(claim);
  search.proof = &file;
  file.begin(claim, "derivation");
  const bool proved =
      writer_of(seed)->solve(counterexample_problem(problem, claim), search).status ==
      Status::infeasible;
  proved ? file.keep() : file.drop();
  return proved;
}

/// Writes one file with some of the claims; none without a proof.
void write_file(const std::filesystem::path& path, const PlacementProblem& problem,
                const std::vector<Claim>& claims, bool cuts, std::uint64_t seed) {
  bool any = false;
  {
    placer::CertificateFile file(path);
    file.header(problem, {});
    for (const Claim& claim : claims) {
      if (cuts && !placer::proved_by_cut(problem, claim)) continue;
      any |= cuts ? placer::certify(problem, claim, effort_of(seed), file).has_value()
                  : derive(problem, claim, seed, file);
    }
    file.seal();
  }
  if (!any) std::filesystem::remove(path);
}

/// Bases without an effect: multiples of every alignment.
void add_bases(PlacementProblem& problem, std::uint64_t seed) {
  Size period = 1;
  for (const Buffer& buffer : problem.buffers)
    for (const Memory& memory : problem.memories)
      period = std::lcm(period, effective_alignment(buffer, memory));
  for (Memory& memory : problem.memories) memory.base = period * static_cast<Size>(seed++ % 7);
}

/// Selects optional buffers; no file without a proof.
void choose(const std::filesystem::path& path, const PlacementProblem& problem,
            std::uint64_t seed) {
  PlaceParams params;
  params.minimize = Objective::benefit;
  params.limits = {.timeout = std::chrono::seconds(20), .threads = 1, .seed = seed};
  params.proof = path;
  static_cast<void>(place(problem, params));
}

void make(const std::filesystem::path& folder, std::uint64_t seed) {
  PlacementProblem problem = problem_of(seed);
  if (seed % 5 == 0) add_bases(problem, seed);
  const bool choice = seed % 3 == 1;
  if (choice) {
    Random random(seed);
    make_optional(problem, random);
  }
  if (!validate(problem).empty()) return;
  const std::string name = std::to_string(seed);
  std::ofstream(folder / (name + ".yaml")) << problem_yaml(problem);
  if (choice) choose(folder / (name + ".benefit.proof"), problem, seed);
  const std::vector<Claim> claims = claims_of(problem, seed);
  write_file(folder / (name + ".cut.proof"), problem, claims, true, seed);
  if (seed % 4 == 0) {  // several claims in one file
    write_file(folder / (name + ".all.proof"), problem, claims, false, seed);
    return;
  }
  for (const Claim& claim : claims)
    write_file(folder / (name + "." + std::to_string(static_cast<int>(claim.kind)) + ".proof"),
               problem, {claim}, false, seed);
}

// --- sessions ------------------------------------------------------------------------------------

/// Grows sizes in a session until no placement exists; the session then certifies its last result.
/// Of a problem with rules, what holds without them is certified.
void make_session(const std::filesystem::path& folder, std::uint64_t seed) {
  PlacementProblem problem = problem_of(seed);
  Random random(seed);
  if (seed % 4 == 0) add_random_rules(random, problem);
  if (!validate(problem).empty()) return;
  const std::unique_ptr<engine::PlacementEngine> engine =
      problem.rules.empty() ? writer_of(seed) : placer::make_engine("sat");
  if (engine->unsupported(problem, Objective::fit)) return;
  const std::unique_ptr<engine::PlacementSession> session = engine->open(problem);
  SizeLayer layer = size_layer(problem);
  PlacementProblem now = problem;
  for (int query = 0; query < 30; ++query) {
    if (session->solve(layer, effort_of(seed)).status == Status::infeasible) break;
    const SizeLayer before = layer;
    for (BufferIndex b = 0; b < layer.sizes.size(); ++b)
      if (problem.buffers[b].parts.empty() && problem.buffers[b].gaps.empty() && random.chance(40))
        layer.sizes[b] += std::max<Size>(1, layer.sizes[b] / 8);
    for (MemoryIndex m = 0; m < layer.capacities.size(); ++m)
      if (problem.memories[m].banks.empty() && layer.capacities[m] > 1 && random.chance(20))
        layer.capacities[m] -= layer.capacities[m] == unbounded ? 0 : layer.capacities[m] / 8;
    if (!validate(with_layer(problem, layer)).empty()) layer = before;
  }
  now = with_layer(problem, layer);
  const std::string name = std::to_string(seed);
  const std::filesystem::path path = folder / (name + ".session.proof");
  bool proved = false;
  {
    placer::CertificateFile file(path);
    file.header(now, {});
    if (problem.rules.empty()) {
      engine::SearchParams search = effort_of(seed);
      search.proof = &file;
      file.begin({}, "derivation");
      proved = session->solve(layer, search).status == Status::infeasible;
      proved ? file.keep() : file.drop();
    } else {
      proved = placer::certify(now, {}, effort_of(seed), file).has_value();
    }
    file.seal();
  }
  if (!proved) std::filesystem::remove(path);
  if (proved) std::ofstream(folder / (name + ".yaml")) << problem_yaml(now);
}

// --- checking ------------------------------------------------------------------------------------

std::string verdict(const std::string& input, const std::string& certificate) {
  std::optional<CertificateText> text;
  try {
    text = load_certificate(certificate);
  } catch (const BadInput& error) {
    return std::string("refused ") + error.what();
  }
  std::optional<PlacementProblem> problem;
  try {
    problem = load_input(input, {}).problem;
  } catch (const BadInput& error) {
    return std::string("bad input ") + error.what();
  }
  const CertificateVerdict found = check_certificate(*problem, text->text);
  if (found.accepted) {
    std::string all;
    for (const ClaimVerdict& claim : found.claims) all += (all.empty() ? "" : "; ") + claim.text;
    return "proved " + all;
  }
  for (const ClaimVerdict& claim : found.claims)
    if (!claim.accepted) return "refused " + claim.reason;
  return "refused " + found.reason;
}

std::string one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view job = argc > 1 ? argv[1] : "";
  if ((job == "make" || job == "sessions") && argc == 5) {
    const std::uint64_t first = std::strtoull(argv[3], nullptr, 10);
    const std::uint64_t count = std::strtoull(argv[4], nullptr, 10);
    for (std::uint64_t seed = first; seed < first + count; ++seed)
      job == "make" ? make(argv[2], seed) : make_session(argv[2], seed);
    return 0;
  }
  if (job == "check" && argc == 2) {
    std::string line;
    while (std::getline(std::cin, line)) {
      const std::size_t tab = line.find('\t');
      if (tab == std::string::npos) return 2;
      std::cout << one_line(verdict(line.substr(0, tab), line.substr(tab + 1))) << std::endl;
    }
    return 0;
  }
  std::cerr << "usage: " << argv[0] << " make|sessions FOLDER FIRST COUNT | check\n";
  return 2;
}
