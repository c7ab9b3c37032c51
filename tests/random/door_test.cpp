// Every value of a public struct leads to a result or BadInput. Valid networks, profiles, problems
// and parameters get one or two values that no reader would accept, and every public call gets
// them. Sanitizers detect errors that results do not show.
//
//   TESSERA_SEED=17 TESSERA_CASES=1 random_door_test        repeats one of them
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/check.h"
#include "tessera/check_result.h"
#include "tessera/explain.h"
#include "tessera/export.h"
#include "tessera/files.h"
#include "tessera/generate.h"
#include "tessera/hardware_check.h"
#include "tessera/import.h"
#include "tessera/place.h"
#include "tessera/plan.h"
#include "tessera/tile.h"
#include "tessera/validate.h"
#include "tests/support/effort.h"
#include "tests/support/machines.h"
#include "tests/support/random.h"
#include "tests/support/random_network.h"
#include "tests/support/random_problem.h"

namespace tessera {
namespace {

using namespace std::chrono_literals;
using testing::Random;

/// Changes values in place. The seed decides which value of a struct changes.
class Spoiler {
 public:
  explicit Spoiler(Random& random) : random_(random) {}

  [[nodiscard]] std::int64_t whole() {
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    const std::int64_t values[] = {
        0,           -1,        1,        2,       most,       -most,           -most - 1,
        max_address, unbounded, most - 1, 1 << 20, 4294967296, max_address + 1, 3,
        -7};
    return values[static_cast<std::size_t>(random_.between(0, std::ssize(values) - 1))];
  }
  [[nodiscard]] double real() {
    const double values[] = {0.0,   -0.0,   -1.0, 1e-300,
                             1e300, 1e-9,   1e18, std::nan(""),
                             1e308, -1e300, 1.0,  std::numeric_limits<double>::infinity()};
    return values[static_cast<std::size_t>(random_.between(0, std::ssize(values) - 1))];
  }
  template <typename T>
  void list(std::vector<T>& values, const std::function<void(T&)>& each) {
    if (values.empty() || random_.chance(15)) {
      if (random_.chance(50) || values.empty())
        values.emplace_back();
      else
        values.pop_back();
      return;
    }
    each(values[static_cast<std::size_t>(random_.between(0, std::ssize(values) - 1))]);
  }
  void wholes(std::vector<std::int64_t>& values) {
    list<std::int64_t>(values, [&](std::int64_t& v) { v = whole(); });
  }
  void indices(std::vector<std::size_t>& values) {
    list<std::size_t>(values, [&](std::size_t& v) { v = static_cast<std::size_t>(whole()); });
  }
  void text(std::string& value) {
    const char* texts[] = {"", "\x01", "a\nb", "\xff\xfe", "x", "\"", "--", "a,b", "memory"};
    value = texts[random_.between(0, std::ssize(texts) - 1)];
  }
  template <typename E>
  void choice(E& value) {
    value = static_cast<E>(random_.between(0, 12));
  }
  template <typename E>
  void choice(std::optional<E>& value) {
    value.emplace();
    choice(*value);
  }
  void truth(bool& value) { value = !value; }
  void one_of(std::vector<std::function<void()>> ways) {
    ways[static_cast<std::size_t>(random_.between(0, std::ssize(ways) - 1))]();
  }

  void tensor(Tensor& t) {
    one_of({[&] { text(t.name); }, [&] { wholes(t.shape); }, [&] { choice(t.type); },
            [&] { choice(t.kind); }, [&] { t.view_of = static_cast<TensorIndex>(whole()); },
            [&] {
              t.joined = {static_cast<TensorIndex>(whole()), whole(), whole()};
            }});
  }
  void op(Op& o) {
    one_of({[&] { text(o.name); },
            [&] { choice(o.kind); },
            [&] { text(o.function); },
            [&] { indices(o.inputs); },
            [&] { indices(o.outputs); },
            [&] { list<Fused>(o.fused, [&](Fused& f) { indices(f.operands); }); },
            [&] { wholes(o.kernel); },
            [&] { wholes(o.stride); },
            [&] { wholes(o.dilation); },
            [&] { wholes(o.pad_begin); },
            [&] { wholes(o.pad_end); },
            [&] { wholes(o.output_padding); },
            [&] { o.groups = whole(); },
            [&] { truth(o.ceil_mode); },
            [&] { indices(o.axes); },
            [&] { truth(o.keep_dims); },
            [&] { wholes(o.begins); },
            [&] { wholes(o.steps); },
            [&] { wholes(o.extents); },
            [&] { indices(o.permutation); },
            [&] { o.block = whole(); },
            [&] { truth(o.transpose_a); },
            [&] { choice(o.resize.nearest); },
            [&] { choice(o.resize.coordinates); }});
  }
  void network(Network& n) {
    one_of({[&] { list<Tensor>(n.tensors, [&](Tensor& t) { tensor(t); }); },
            [&] { list<Op>(n.ops, [&](Op& o) { op(o); }); },
            [&] { list<Op>(n.ops, [&](Op& o) { op(o); }); }, [&] { indices(n.inputs); },
            [&] { indices(n.outputs); }, [&] { text(n.name); }});
  }
  template <typename Map>
  void pairs(Map& map) {
    if (map.empty() || random_.chance(30)) map.emplace_back();
    auto& [name, value] = map[static_cast<std::size_t>(random_.between(0, std::ssize(map) - 1))];
    if (random_.chance(50)) return text(name);
    if constexpr (std::is_same_v<std::decay_t<decltype(value)>, double>)
      value = real();
    else
      value = whole();
  }
  void map(Mapping& m) {
    one_of({[&] { text(m.name); },
            [&] { list<std::string>(m.ops, [&](std::string& op) { text(op); }); },
            [&] { m.ops = {"conv"}; }, [&] { pairs(m.unroll); }, [&] { pairs(m.at_least); },
            [&] { m.cycles = real(); }, [&] { m.least = whole(); }, [&] { choice(m.stationary); },
            [&] { m.input_depth = whole(); }, [&] { m.pass_depth = whole(); },
            [&] { m.wait = whole(); }, [&] { truth(m.folds_columns); },
            [&] { truth(m.spreads_input); }});
  }
  void blocks(BlockRule& b) {
    one_of({[&] { b.buffer = whole(); }, [&] { pairs(b.most); },
            [&] {
              b.most = {{"K", 8}, {"H", 8}, {"W", whole()}};
            },
            [&] { b.depth_step = whole(); }, [&] { b.channels = whole(); },
            [&] { b.input_granule = whole(); }, [&] { b.sum_bytes = whole(); },
            [&] { b.sum_granule = whole(); }, [&] { b.stages = whole(); }, [&] { choice(b.equal); },
            [&] { b.small = whole(); }, [&] { choice(b.partial); }, [&] { b.sum_buffer = whole(); },
            [&] { choice(b.transfers); }});
  }
  void engine(Engine& e) {
    one_of({[&] { text(e.name); }, [&] { choice(e.kind); }, [&] { text(e.queue); },
            [&] { e.energy_pj = real(); }, [&] { pairs(e.unroll); },
            [&] { list<Mapping>(e.maps, [&](Mapping& m) { map(m); }); }, [&] { blocks(e.blocks); },
            [&] { e.cores = whole(); }, [&] { e.output_cycles = real(); },
            [&] { pairs(e.output_of); }, [&] { e.channel_cycles = real(); },
            [&] { e.unfused_output_cycles = real(); }, [&] { text(e.dtype); },
            [&] { pairs(e.dtype_factor); }, [&] { e.fill = whole(); }, [&] { e.lanes = whole(); },
            [&] { e.startup = whole(); }, [&] { e.default_cycles_per_vector = real(); },
            [&] { pairs(e.cycles_per_vector); }});
  }
  void bank(Bank& b) {
    one_of({[&] { text(b.name); }, [&] { b.size = whole(); },
            [&] { list<Role>(b.roles, [&](Role& r) { choice(r); }); }});
  }
  void memory(Memory& m) {
    one_of({[&] { text(m.name); }, [&] { m.capacity = whole(); }, [&] { m.alignment = whole(); },
            [&] { m.base = whole(); }, [&] { list<Bank>(m.banks, [&](Bank& b) { bank(b); }); },
            [&] {
              list<Mode>(m.modes,
                         [&](Mode& mode) { list<Role>(mode.roles, [&](Role& r) { choice(r); }); });
            },
            [&] { truth(m.modes_per_bank); },
            [&] {
              list<AddressRange>(m.reserved, [&](AddressRange& r) { r = {whole(), whole()}; });
            },
            [&] { truth(m.straddle); }});
  }
  void hardware(Hardware& h) {
    one_of({[&] { text(h.name); }, [&] { h.clock_hz = real(); },
            [&] { h.static_power_mw = real(); },
            [&] { list<Engine>(h.engines, [&](Engine& e) { engine(e); }); },
            [&] {
              list<HardwareMemory>(h.memories, [&](HardwareMemory& m) {
                one_of({[&] { memory(m.space); }, [&] { truth(m.offchip); },
                        [&] { m.energy.read_pj = real(); },
                        [&] {
                          m.bandwidth = Bandwidth{real(), random_.chance(50)};
                        },
                        [&] {
                          m.write_bandwidth = Bandwidth{real(), random_.chance(50)};
                        },
                        [&] {
                          m.rates.dma = Bandwidth{real(), random_.chance(50)};
                        },
                        [&] {
                          m.rates.input = Bandwidth{real(), random_.chance(50)};
                        },
                        [&] { m.bandwidth.reset(); }, [&] { m.burst = whole(); },
                        [&] { m.latency = whole(); }, [&] { m.write_latency = whole(); }});
              });
            },
            [&] {
              h.dma = {whole(), whole(), whole(), whole()};
            },
            [&] { h.dma.outstanding = whole(); },
            [&] {
              h.mode_switch = {whole(), real()};
            },
            [&] {
              list<OperandRestriction>(h.restrictions, [&](OperandRestriction& r) {
                choice(r.kind);
                r.operands = {"input", "output"};
              });
            },
            [&] { h.tiling.weights = {static_cast<WeightPolicy>(random_.between(0, 5))}; },
            [&] { h.tiling.halo.clear(); }, [&] { h.objective.latency = real(); }});
  }
  void buffer(Buffer& b) {
    one_of({[&] { text(b.id); }, [&] { b.size = whole(); }, [&] { b.alignment = whole(); },
            [&] { list<StepRange>(b.live, [&](StepRange& r) {
                    r = {whole(), whole()};
                  }); },
            [&] {
              list<Gap>(b.gaps, [&](Gap& g) {
                g.steps = {whole(), whole()};
                g.window = AddressRange{whole(), whole()};
              });
            },
            [&] { indices(b.memories); }, [&] { b.offset = whole(); }, [&] { b.hint = whole(); },
            [&] {
              b.window = AddressRange{whole(), whole()};
            },
            [&] { wholes(b.read); }, [&] { wholes(b.write); }, [&] { choice(b.kind); },
            [&] { b.optional = !b.optional; }, [&] { b.benefit = whole(); },
            [&] { text(b.group); }});
  }
  void problem(PlacementProblem& p) {
    one_of({[&] { list<Buffer>(p.buffers, [&](Buffer& b) { buffer(b); }); },
            [&] { list<Memory>(p.memories, [&](Memory& m) { memory(m); }); },
            [&] {
              list<Relation>(p.relations, [&](Relation& r) {
                one_of({[&] { choice(r.kind); }, [&] { indices(r.buffers); },
                        [&] { r.cost = whole(); }});
              });
            },
            [&] { choice(p.objective); },
            [&] { list<Objective>(p.next_objectives, [&](Objective& each) { choice(each); }); }});
  }
  void placement(Placement& p) {
    one_of({[&] {
              list<BufferPlace>(p.places, [&](BufferPlace& place) {
                place = {static_cast<MemoryIndex>(random_.between(0, 3)), whole()};
              });
            },
            [&] {
              list<std::vector<std::string>>(p.modes, [&](std::vector<std::string>& modes) {
                list<std::string>(modes, [&](std::string& mode) { text(mode); });
              });
            },
            [&] { indices(p.left_out); }});
  }
  void limits(Limits& l) {
    one_of({[&] { l.timeout = std::chrono::nanoseconds(whole()); }, [&] { l.work = whole(); },
            [&] { l.memory = whole(); }, [&] { l.threads = static_cast<int>(whole()); }});
    // Random limits must not allow a case to take long.
    if (!l.timeout || *l.timeout > 200ms) l.timeout = 200ms;
  }
  void plan(NetworkPlan& p) {
    one_of({[&] {
              list<PlannedSubgraph>(p.subgraphs, [&](PlannedSubgraph& s) {
                one_of({[&] {
                          s.ops = {static_cast<OpIndex>(whole()), s.ops.last};
                        },
                        [&] { s.ops.last = static_cast<OpIndex>(whole()); },
                        [&] { s.extent[1] = whole(); }, [&] { s.counts[0] = whole(); },
                        [&] { choice(s.variant.weights); }, [&] { choice(s.variant.halo); },
                        [&] { choice(s.variant.stationary); }, [&] { choice(s.variant.one_copy); },
                        [&] { choice(s.variant.direct); }, [&] { s.variant.trailing = whole(); },
                        [&] { truth(s.variant.double_buffer); }, [&] { s.names.clear(); },
                        [&] { s.metrics.latency_cycles = whole(); },
                        [&] { s.metrics.energy_pj = real(); },
                        [&] {
                          list<PlannedPlacement>(s.placements, [&](PlannedPlacement& placed) {
                            one_of({[&] { problem(placed.problem); },
                                    [&] { placement(placed.placement); }});
                          });
                        }});
              });
            },
            [&] { choice(p.status); }, [&] { choice(p.stop); }, [&] { p.score = real(); },
            [&] { p.weights.latency = real(); }, [&] { p.totals.dram_bytes = whole(); },
            [&] { p.baseline.peak_bandwidth = real(); }, [&] { p.unused_modes.emplace_back(); }});
  }

 private:
  Random& random_;
};

/// Counts the possible outcomes.
template <typename Call>
bool answered(std::uint64_t seed, const char* what, Call&& call) {
  try {
    call();
    return true;
  } catch (const BadInput& bad) {
    EXPECT_GT(std::string(bad.what()).size(), 10U) << what << ", seed " << seed;
  } catch (const InternalError& error) {
    ADD_FAILURE() << what << ", seed " << seed
                  << ": the checker refused an answer: " << error.what();
  } catch (const std::exception& error) {
    ADD_FAILURE() << what << ", seed " << seed << ": " << error.what();
  }
  return false;
}

Limits short_limits() {
  return {.timeout = 100ms, .threads = 1};
}

class Door : public ::testing::Test {
 protected:
  template <typename Case>
  void cases(std::size_t count, Case&& one) {
    const std::uint64_t first = testing::setting("TESSERA_SEED", 1);
    const std::uint64_t all = testing::setting("TESSERA_CASES", testing::effort(count));
    for (std::uint64_t seed = first; seed < first + all && !HasFailure(); ++seed) {
      Random random(seed);
      one(seed, random);
    }
  }
};

TEST_F(Door, Networks) {
  std::size_t answers = 0;
  cases(1500, [&](std::uint64_t seed, Random& random) {
    Spoiler spoil(random);
    Network network = testing::random_network(seed, {.ops = 3});
    Hardware hardware = testing::toy_machine(2048);
    PlanParams params{.limits = short_limits()};
    TileParams tile{.ops = {0, 1}, .limits = short_limits()};
    const int kind = static_cast<int>(random.between(0, 4));
    for (std::int64_t times = random.between(1, 2); times > 0; --times) {
      if (kind == 0) spoil.network(network);
      if (kind == 1) spoil.hardware(hardware);
      if (kind == 2)
        spoil.one_of({[&] { params.max_ops = static_cast<std::size_t>(spoil.whole()); },
                      [&] { params.nodes_per_question = spoil.whole(); },
                      [&] {
                        params.weights = {{"latency", spoil.real()}};
                      },
                      [&] {
                        params.peak_limits = {{"peak_memory", spoil.real()}};
                      },
                      [&] {
                        params.peak_limits = {{"peak_bandwidth", spoil.real()}};
                      },
                      [&] { spoil.limits(params.limits); }});
      if (kind == 3)
        spoil.one_of({[&] { tile.ops.first = static_cast<OpIndex>(spoil.whole()); },
                      [&] { tile.ops.last = static_cast<OpIndex>(spoil.whole()); },
                      [&] { spoil.text(tile.engine); },
                      [&] { tile.nodes_per_question = spoil.whole(); },
                      [&] { tile.question_timeout = std::chrono::nanoseconds(spoil.whole()); },
                      [&] { spoil.limits(tile.limits); },
                      [&] {
                        tile.variants = {{true, static_cast<WeightPolicy>(random.between(0, 4)),
                                          static_cast<HaloPolicy>(random.between(0, 6))}};
                      }});
    }
    NetworkPlan plan;
    answers += answered(seed, "plan", [&] { plan = plan_network(network, hardware, params); });
    answers += answered(seed, "tile", [&] {
      const TileReport report = find_largest_tile(network, hardware, tile);
      static_cast<void>(tile_json(report));
    });
    answered(seed, "yaml", [&] { static_cast<void>(network_yaml(network)); });
    if (kind == 4) spoil.plan(plan);
    answered(seed, "check", [&] { static_cast<void>(check_plan(network, hardware, plan)); });
    answered(seed, "json", [&] {
      const std::string text = plan_json(plan);
      static_cast<void>(check_plan_text(text, "plan.json", network, hardware, short_limits()));
    });
    answered(seed, "trace", [&] { static_cast<void>(plan_trace(network, hardware, plan)); });
    answered(seed, "picture", [&] { static_cast<void>(plan_picture(network, hardware, plan)); });
  });
  EXPECT_GT(answers, 0U);
}

TEST_F(Door, Problems) {
  std::size_t answers = 0;
  cases(3000, [&](std::uint64_t seed, Random& random) {
    Spoiler spoil(random);
    Input input;
    input.problem = testing::random_problem(random, testing::Features::all());
    PlacementProblem& problem = input.problem;
    PlaceParams params{.limits = short_limits()};
    const int kind = static_cast<int>(random.between(0, 2));
    for (std::int64_t times = random.between(1, 2); times > 0; --times) {
      if (kind == 0) spoil.problem(problem);
      if (kind == 1)
        spoil.one_of({[&] { spoil.text(params.engine); }, [&] { spoil.choice(params.minimize); },
                      [&] { spoil.limits(params.limits); }});
    }
    PlacementResult result;
    answers += answered(seed, "place", [&] { result = place(problem, params); });
    answered(seed, "explain",
             [&] { static_cast<void>(explain(problem, {.limits = short_limits()})); });
    for (const char* format : {"dimacs", "smt2"})
      answered(seed, "export", [&] {
        static_cast<void>(write_formula(
            problem, format, [](std::string_view) {}, short_limits()));
      });
    answered(seed, "yaml", [&] { static_cast<void>(problem_yaml(problem)); });
    answered(seed, "csv", [&] { static_cast<void>(problem_csv(input)); });
    if (kind == 2) {
      if (!result.placement) result.placement = Placement{};
      spoil.placement(*result.placement);
      spoil.one_of({[&] { result.height = spoil.whole(); }, [&] { spoil.wholes(result.heights); },
                    [&] { spoil.wholes(result.lower_bounds); },
                    [&] { result.cost = spoil.whole(); }, [&] { spoil.choice(result.status); },
                    [&] { result.unused_modes.emplace(); },
                    [&] {
                      result.objectives.push_back({"modes", spoil.whole(), spoil.whole()});
                    }});
    }
    const Placement placement = result.placement.value_or(Placement{});
    answered(seed, "check", [&] { static_cast<void>(check_result(problem, result)); });
    answered(seed, "json", [&] {
      static_cast<void>(load_result_text(result_json(problem, result), "result.json", input));
    });
    answered(seed, "result csv", [&] { static_cast<void>(result_csv(input, placement)); });
    answered(seed, "placed", [&] { static_cast<void>(placed_yaml(problem, placement)); });
    answered(seed, "picture",
             [&] { static_cast<void>(placement_picture(problem, placement, "title")); });
  });
  EXPECT_GT(answers, 0U);
}

TEST_F(Door, Generators) {
  cases(300, [&](std::uint64_t seed, Random& random) {
    Spoiler spoil(random);
    for (const GeneratorInfo& entry : generator_list()) {
      GenerateParams params;
      params.kind = std::string(entry.name);
      params.buffers = 20;
      spoil.one_of({[&] { params.buffers = std::min<std::int64_t>(spoil.whole(), 2000); },
                    [&] { params.alignment = spoil.whole(); },
                    [&] { params.seed = static_cast<std::uint64_t>(spoil.whole()); }});
      answered(seed, "generate", [&] { static_cast<void>(generate(params)); });
    }
  });
}

}  // namespace
}  // namespace tessera
