// A query of a session against the same query of a new solver, per solver call.
//
//   bench_session_solvers MODELS_DIR [SEQUENCES [ENGINE...]]
//
// Sequences of queries with new sizes or capacities:
//   tiles       the probes of tile searches over groups of ops of real networks, forwards and back
//               (none if MODELS_DIR is "-")
//   capacities  problems of `generate`, whose capacity falls and rises
//   sizes       the same problems; all sizes change at random
//   packed      problems of `generate packable`, whose memory is full at every step; sizes change a
//               little
// Earlier results and earlier orders are not consulted, so every query that the load cannot decide
// reaches the solver. Each sequence goes to one session and, query by query, to the engine itself;
// which of the two comes first alternates. Only sequences with at least five solver calls count,
// and of each only the queries that both sides answered within the limit. Seconds are CPU time of
// the calling thread. Ends with 1 if an answer differs.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "bench/tile_probes.h"
#include "encoder/sat_engine.h"
#include "encoder/smt_engine.h"
#include "model/random.h"
#include "search/learning/engine.h"
#include "tessera/files.h"
#include "tessera/generate.h"
#include "tessera/import.h"

namespace {

using namespace tessera;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds limit{2};

std::unique_ptr<engine::PlacementEngine> make(const std::string& name) {
  if (name == "sat") return encoder::make_sat_engine({.try_orders = false});
  if (name == "smt") return encoder::make_smt_engine({.try_orders = false});
  search::LearningParams params;
  params.recall = false;
  return search::make_learning_engine(params);
}

struct Sequence {
  PlacementProblem problem;
  std::vector<SizeLayer> layers;
};

Sequence tile_sequence(const Network& net, OpRange ops, const Hardware& hardware) {
  bench::TileProbes probes = bench::tile_probes(net, ops, hardware);
  Sequence sequence{std::move(probes.lowering.problem), probes.layers};
  // Tiles grow, and then shrink again.
  for (std::size_t k = probes.layers.size(); k-- > 1;)
    sequence.layers.push_back(probes.layers[k - 1]);
  if (sequence.layers.size() > 24) sequence.layers.resize(24);
  return sequence;
}

Size largest_load(const PlacementProblem& problem) {
  std::map<Step, Size> changes;
  for (const Buffer& buffer : problem.buffers)
    for (const StepRange& live : buffer.live) {
      changes[live.lower] += buffer.size;
      changes[live.upper] -= buffer.size;
    }
  Size now = 0;
  Size most = 0;
  for (const auto& [step, change] : changes) most = std::max(most, now += change);
  return most;
}

PlacementProblem generated(std::uint64_t seed) {
  return generate({.kind = seed % 2 == 0 ? "random" : "network",
                   .buffers = 16 + static_cast<std::int64_t>(seed % 5) * 8,
                   .seed = seed,
                   .capacity = Size{1} << (seed % 3 == 0 ? 8 : 16),
                   .alignment = seed % 4 == 3 ? 16 : 1,
                   .slack = 1.0});
}

Sequence capacity_sequence(std::uint64_t seed) {
  Sequence sequence{generated(seed), {}};
  const Size load = largest_load(sequence.problem);
  for (const int part : {130, 115, 108, 104, 102, 101, 100, 101, 103, 106, 110, 104}) {
    SizeLayer layer = size_layer(sequence.problem);
    layer.capacities[0] = load * part / 100;
    sequence.layers.push_back(std::move(layer));
  }
  return sequence;
}

Sequence size_sequence(std::uint64_t seed) {
  Sequence sequence{generated(seed), {}};
  Random random(seed);
  for (int query = 0; query < 12; ++query) {
    SizeLayer layer = size_layer(sequence.problem);
    for (Size& size : layer.sizes) size = std::max<Size>(1, size * random.between(85, 115) / 100);
    PlacementProblem changed = sequence.problem;
    replace_sizes(changed, layer);
    layer.capacities[0] = largest_load(changed) * random.between(100, 106) / 100;
    sequence.layers.push_back(std::move(layer));
  }
  return sequence;
}

Sequence packed_sequence(std::uint64_t seed) {
  Sequence sequence{generate({.kind = "packable",
                              .buffers = 40 + static_cast<std::int64_t>(seed % 5) * 10,
                              .seed = seed,
                              .capacity = Size{1} << 12}),
                    {}};
  Random random(seed);
  for (int query = 0; query < 12; ++query) {
    SizeLayer layer = size_layer(sequence.problem);
    for (Size& size : layer.sizes)
      if (random.chance(30)) size = std::max<Size>(1, size - random.between(0, size / 40));
    sequence.layers.push_back(std::move(layer));
  }
  return sequence;
}

std::int64_t calls_of(const Stats& stats) {
  for (const Stat& each : stats)
    if (each.name == "session_solver_calls") return std::get<std::int64_t>(each.value);
  return 0;
}

struct Row {
  int sequences = 0;
  std::int64_t calls = 0;
  std::int64_t unknown = 0;
  std::int64_t differing = 0;
  double fresh = 0;
  double session = 0;
  std::vector<double> ratios;
};

struct Timed {
  Status status = Status::unknown;
  double seconds = 0;
  bool called = false;
};

std::vector<Timed> by_session(const std::string& name, const Sequence& sequence) {
  const std::unique_ptr<engine::PlacementEngine> engine = make(name);
  std::vector<Timed> result;
  const std::unique_ptr<engine::PlacementSession> session = engine->open(sequence.problem);
  std::int64_t calls = 0;
  for (const SizeLayer& layer : sequence.layers) {
    const double begin = bench::cpu_seconds();
    const engine::SearchResult found =
        session->solve(layer, {.budget = {.deadline = Clock::now() + limit}});
    const double seconds = bench::cpu_seconds() - begin;
    const std::int64_t now = calls_of(found.stats);
    result.push_back({found.status, seconds, now > calls});
    calls = now;
  }
  return result;
}

std::vector<Timed> by_new_solvers(const std::string& name, const Sequence& sequence) {
  const std::unique_ptr<engine::PlacementEngine> engine = make(name);
  std::vector<Timed> result;
  PlacementProblem problem = sequence.problem;
  for (const SizeLayer& layer : sequence.layers) {
    replace_sizes(problem, layer);
    const double begin = bench::cpu_seconds();
    const engine::SearchResult found =
        engine->solve(problem, {.budget = {.deadline = Clock::now() + limit}});
    result.push_back({found.status, bench::cpu_seconds() - begin, true});
  }
  return result;
}

void measure(const std::string& name, const Sequence& sequence, bool session_first, Row& row) {
  if (sequence.layers.size() < 5) return;
  std::vector<Timed> with;
  if (session_first) with = by_session(name, sequence);
  const std::vector<Timed> without = by_new_solvers(name, sequence);
  if (!session_first) with = by_session(name, sequence);
  double fresh = 0;
  double session = 0;
  int calls = 0;
  for (std::size_t k = 0; k < with.size(); ++k) {
    if (!with[k].called) continue;
    if (with[k].status == Status::unknown || without[k].status == Status::unknown) {
      ++row.unknown;
      continue;
    }
    if (with[k].status != without[k].status) ++row.differing;
    fresh += without[k].seconds;
    session += with[k].seconds;
    ++calls;
  }
  if (calls < 5) return;
  ++row.sequences;
  row.calls += calls;
  row.fresh += fresh;
  row.session += session;
  row.ratios.push_back(fresh / session);
}

void print(const std::string& label, Row& row) {
  double logarithms = 0;
  for (const double ratio : row.ratios) logarithms += std::log(ratio);
  std::ranges::sort(row.ratios);
  const double count = static_cast<double>(std::max<std::size_t>(1, row.ratios.size()));
  std::printf("| %s | %d | %lld | %.3f | %.3f | %.2f | %.2f | %lld%s |\n", label.c_str(),
              row.sequences, static_cast<long long>(row.calls),
              1e3 * row.fresh / static_cast<double>(std::max<std::int64_t>(1, row.calls)),
              1e3 * row.session / static_cast<double>(std::max<std::int64_t>(1, row.calls)),
              row.ratios.empty() ? 0.0 : std::exp(logarithms / count),
              row.ratios.empty() ? 0.0 : row.ratios.front(), static_cast<long long>(row.unknown),
              row.differing == 0 ? "" : " DIFFERS");
  std::fflush(stdout);
}

std::vector<Sequence> tile_sequences(const std::string& models, std::size_t count) {
  std::vector<Sequence> result;
  std::vector<std::pair<std::string, Network>> networks;
  for (const char* model : {"fsrcnn_x2_360p", "unet_256", "mobilenet_v2", "resnet18"})
    networks.emplace_back(
        model, read_network(models + "/" + model + ".onnx", {.dtype = ElementType::int8}).network);
  Random random(1);
  for (int tries = 0; tries < 4000 && result.size() < count; ++tries) {
    const Network& net = networks[static_cast<std::size_t>(tries) % networks.size()].second;
    const char* const profiles[] = {"ethos-u65-like", "nvdla-like", "gap9-like", "ethos-u55-like"};
    const Hardware hardware = load_profile(profiles[random.between(0, 3)]);
    const auto first = static_cast<OpIndex>(random.between(0, std::ssize(net.ops) - 1));
    const auto last =
        std::min<OpIndex>(net.ops.size() - 1, first + static_cast<OpIndex>(random.between(0, 9)));
    Sequence sequence = tile_sequence(net, {first, last}, hardware);
    if (sequence.layers.size() >= 5) result.push_back(std::move(sequence));
  }
  return result;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: %s MODELS_DIR [SEQUENCES [ENGINE...]]\n", argv[0]);
    return 2;
  }
  const std::size_t count = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 120;
  std::vector<std::string> engines;
  for (int k = 3; k < argc; ++k) engines.emplace_back(argv[k]);
  if (engines.empty()) engines = {"sat", "smt", "learning"};
  std::array<std::vector<Sequence>, 4> sequences;
  if (std::string(argv[1]) != "-") sequences[0] = tile_sequences(argv[1], count);
  for (std::uint64_t seed = 0; seed < count; ++seed) {
    sequences[1].push_back(capacity_sequence(seed));
    sequences[2].push_back(size_sequence(1000 + seed));
    sequences[3].push_back(packed_sequence(2000 + seed));
  }
  std::printf(
      "| engine, sequences | sequences | solver calls | new solver, ms | session, ms | ratio "
      "(geometric mean) | least ratio | unknown |\n");
  std::printf("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n");
  bool differing = false;
  for (const std::string& engine : engines) {
    Row all;
    for (std::size_t sort = 0; sort < sequences.size(); ++sort) {
      static constexpr const char* names[] = {"tiles", "capacities", "sizes", "packed"};
      Row row;
      bool turn = false;
      for (const Sequence& sequence : sequences[sort]) measure(engine, sequence, turn = !turn, row);
      print(engine + ", " + names[sort], row);
      all.sequences += row.sequences;
      all.calls += row.calls;
      all.unknown += row.unknown;
      all.differing += row.differing;
      all.fresh += row.fresh;
      all.session += row.session;
      all.ratios.insert(all.ratios.end(), row.ratios.begin(), row.ratios.end());
    }
    print(engine + ", all", all);
    differing = differing || all.differing > 0;
  }
  return differing ? 1 : 0;
}
