// The tables of the TelaMalloc paper on our own suites: problems that each search decides within
// 500,000 steps and SECONDS of the processor, and the processor time it takes.
//
//   bench_guided_table [OPTIONS] SUITE SECONDS [ENGINE...]
//   bench_guided_table --challenging minimalloc/benchmarks/challenging paper 5
//   bench_guided_table --capacity 1.02 --all challenging 10 guided learning
//
// Suites: challenging, flat, pypto (from the data folder), full-overlap, non-overlapping, network,
// synthetic, synthetic-5 (generated), files:FOLDER, and `paper`: challenging at 1.00, 1.02, 1.05
// and 1.10 times its capacity, network and synthetic at 1.00 and 1.10, and the two microbenchmarks.
// Engines: guided, guided-<part> (with that part switched off), single-<strategy>,
// ENGINE:SWITCH=VALUE,... (with these switches), learned:FILE, plain-learned:FILE (with that
// forest), one-<order> (a single heuristic), and every name of --engine. Default: all.
//
//   --data FOLDER         of the suites (default ../shared/benchmarks)
//   --challenging FOLDER  of the instances of minimalloc (default minimalloc/ of the data folder)
//   --capacity FACTOR     multiplies the capacities (default 1)
//   --open, --all         a line with the undecided problems of each engine; a line per problem:
//                         name, status, seconds, steps
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <optional>
#include <sstream>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "io/load.h"
#include "model/random.h"
#include "placer/make_engine.h"
#include "placer/switches.h"
#include "search/guided/engine.h"
#include "search/placement/greedy_engine.h"
#include "tessera/engines.h"
#include "tessera/generate.h"
#include "tessera/place.h"

namespace {

using namespace tessera;

constexpr std::int64_t most_steps = 500'000;

struct Question {
  std::string name;
  PlacementProblem problem;
};

struct Answer {
  Status status = Status::unknown;
  bool takes = true;  ///< does the engine support the problem?
  double seconds = 0;
  std::int64_t steps = -1;  ///< -1: not reported
};

using Search = std::function<Answer(const PlacementProblem& problem, double seconds)>;

std::int64_t steps_of(const Stats& stats) {
  for (const Stat& stat : stats)
    for (const std::string_view name : {"steps", "nodes", "conflicts", "decisions"})
      if (stat.name == name)
        if (const auto* value = std::get_if<std::int64_t>(&stat.value)) return *value;
  return -1;
}

double processor_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

/// Ends a budget after some seconds of the processor: other programs do not change the results.
class ProcessorTime {
 public:
  ProcessorTime(double seconds, Budget& budget) {
    watch_ = std::jthread([this, seconds](const std::stop_token& over) {
      while (!over.stop_requested() && spent() < seconds)
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
      ended_.request_stop();
    });
    budget.stop = ended_.get_token();
  }
  [[nodiscard]] double spent() const { return processor_seconds() - begin_; }

 private:
  double begin_ = processor_seconds();
  std::stop_source ended_;
  std::jthread watch_;  // last: it uses the others
};

Answer ask_engine(engine::PlacementEngine& engine, const PlacementProblem& problem,
                  double seconds) {
  Answer answer;
  if (engine.unsupported(problem, Objective::fit)) {
    answer.takes = false;
    return answer;
  }
  engine::SearchParams params;
  params.budget.max_nodes = most_steps;
  const ProcessorTime limit(seconds, params.budget);
  const engine::SearchResult found = engine.solve(problem, params);
  answer.seconds = limit.spent();
  answer.status = found.status;
  answer.steps = steps_of(found.stats);
  return answer;
}

std::string text_of(const std::string& file) {
  std::ifstream in(file);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

/// With a forest other than the shipped one.
Search by_forest(const std::string& file, search::GuidedParams params) {
  const std::string text = text_of(file);
  return [text, params](const PlacementProblem& problem, double seconds) mutable {
    const auto chooser = search::guided::make_forest_chooser(text);
    params.chooser = chooser.get();
    return ask_engine(*search::make_guided_engine(params), problem, seconds);
  };
}

Search by_guided(const search::GuidedParams& params) {
  return [params](const PlacementProblem& problem, double seconds) {
    return ask_engine(*search::make_guided_engine(params), problem, seconds);
  };
}

/// `settings`: switches without the name of the engine, separated by commas.
Search by_switches(const std::string& engine, const std::string& settings) {
  std::vector<std::string> each;
  std::istringstream words(settings);
  for (std::string word; std::getline(words, word, ',');) each.push_back(engine + "." + word);
  return [engine, params = placer::engine_params(each)](const PlacementProblem& problem,
                                                        double seconds) {
    return ask_engine(*placer::make_engine(engine, params), problem, seconds);
  };
}

/// The search of the paper, without learned backtracking.
search::GuidedParams plain_search() {
  return {.restarts = false, .learn = false, .sections = false, .learned = false};
}

std::vector<std::pair<std::string, Search>> searches(const std::vector<std::string>& wanted) {
  std::vector<std::pair<std::string, Search>> all;
  for (const std::string& name : wanted) {
    const std::size_t colon = name.find(':');
    if (colon == std::string::npos) continue;
    const std::string engine = name.substr(0, colon);
    const std::string rest = name.substr(colon + 1);
    if (engine == "learned" || engine == "plain-learned")
      all.emplace_back(
          name, by_forest(rest, engine == "learned" ? search::GuidedParams{} : plain_search()));
    else
      all.emplace_back(name, by_switches(engine, rest));
  }
  all.emplace_back("guided", by_guided({}));
  for (const placer::Switch& part : placer::switches_of("guided")) {
    if (part.rule == nullptr) continue;
    placer::EngineParams without;
    part.rule(without) = false;
    std::string name(part.name);
    name[name.find('.')] = '-';
    all.emplace_back(name, by_guided(without.guided));
  }
  // Single strategies with backtracking; and the plain search of the paper, without and with its
  // learned backtracking.
  for (const auto& [name, strategy] : std::array<std::pair<const char*, search::GuidedStrategy>, 4>{
           {{"lifetime", search::GuidedStrategy::lifetime},
            {"size", search::GuidedStrategy::size},
            {"area", search::GuidedStrategy::area},
            {"lowest", search::GuidedStrategy::lowest}}}) {
    search::GuidedParams single = plain_search();
    single.strategy = strategy;
    all.emplace_back(std::string("single-") + name, by_guided(single));
  }
  search::GuidedParams plain = plain_search();
  all.emplace_back("guided-plain", by_guided(plain));
  plain.learned = true;
  all.emplace_back("guided-plain-learned", by_guided(plain));
  for (const std::string& order : search::greedy_engine_orders())
    all.emplace_back("one-" + order, [order](const PlacementProblem& problem, double seconds) {
      return ask_engine(*search::make_greedy_engine(order), problem, seconds);
    });
  for (const EngineInfo& info : engine_list()) {
    if (info.name == "guided" || info.name == "greedy") continue;
    const std::string name(info.name);
    all.emplace_back(name, [name](const PlacementProblem& problem, double seconds) {
      return ask_engine(*placer::make_engine(name), problem, seconds);
    });
  }
  all.emplace_back("auto", [](const PlacementProblem& problem, double seconds) {
    const double start = processor_seconds();
    const PlacementResult found = place(
        problem,
        {.limits = {.timeout = std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000)),
                    .work = most_steps}});
    return Answer{.status = found.status, .seconds = processor_seconds() - start};
  });
  return all;
}

/// Files of a folder and its subfolders, by name; with any extension if none is given.
std::vector<std::filesystem::path> files_of(const std::filesystem::path& folder,
                                            const std::string& ending = {}) {
  std::vector<std::filesystem::path> files;
  for (const auto& each : std::filesystem::recursive_directory_iterator(folder))
    if (each.is_regular_file() && (ending.empty() || each.path().extension() == ending))
      files.push_back(each.path());
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<Question> of_files(const std::string& folder) {
  std::vector<Question> questions;
  for (const auto& file : files_of(folder))
    questions.push_back({file.stem().string(), io::load_problem(file.string(), {}).problem});
  return questions;
}

std::vector<Question> of_folder(const std::filesystem::path& path, const std::string& ending,
                                const std::function<Size(const std::string&)>& capacity) {
  std::vector<Question> questions;
  if (!std::filesystem::exists(path)) {
    std::printf("%s: no such folder, skipped\n", path.c_str());
    return questions;
  }
  for (const auto& file : files_of(path, ending)) {
    if (file.stem() == "verdicts") continue;
    InputOptions options;
    const Size own = capacity(file.stem().string());
    if (own > 0) options.capacity = own;
    if (own < 0) continue;
    questions.push_back({file.stem().string(), io::load_problem(file.string(), options).problem});
  }
  return questions;
}

/// Lifetimes of a third of the time on average, arbitrary sizes, a capacity 2 % above the maximum
/// load: 20 to 60 buffers, 25 problems of each size.
Question overlapping(std::int64_t buffers, std::uint64_t seed) {
  Random random(mix(seed, static_cast<std::uint64_t>(buffers)));
  PlacementProblem problem;
  problem.memories.push_back({.name = "m"});
  std::map<Step, Size> change;
  for (std::int64_t b = 0; b < buffers; ++b) {
    Step lower = random.between(0, buffers);
    Step upper = random.between(0, buffers);
    if (lower > upper) std::swap(lower, upper);
    const Size size = random.between(1, 100);
    problem.buffers.push_back(
        {.id = "b" + std::to_string(b), .live = {{lower, upper + 1}}, .size = size});
    change[lower] += size;
    change[upper + 1] -= size;
  }
  Size load = 0;
  Size most = 0;
  for (const auto& [step, more] : change) most = std::max(most, load += more);
  problem.memories[0].capacity = most + most / 50;
  return {std::to_string(buffers) + "-" + std::to_string(seed), std::move(problem)};
}

struct Options {
  std::filesystem::path data = "../shared/benchmarks";
  std::filesystem::path challenging{};
  double capacity = 1;
  bool open = false;
  bool all = false;
};

/// throws: BadInput for a name that is no suite.
std::vector<Question> suite(const std::string& name, const Options& options) {
  std::vector<Question> questions;
  const auto made = [&](const GenerateParams& params) {
    questions.push_back(
        {std::to_string(params.buffers) + "-" + std::to_string(params.seed), generate(params)});
  };
  if (name.rfind("files:", 0) == 0) return of_files(name.substr(6));
  if (name == "challenging")
    return of_folder(
        options.challenging.empty() ? options.data / "minimalloc" : options.challenging, ".csv",
        [](const std::string& stem) -> Size { return stem.rfind("input", 0) == 0 ? -1 : 1 << 20; });
  if (name == "flat")
    return of_folder(options.data / "flat-load", ".csv", [](const std::string& stem) -> Size {
      return std::atoll(stem.substr(stem.rfind('.') + 1).c_str());
    });
  if (name == "pypto")
    return of_folder(options.data / "pypto-lib-sample", ".json",
                     [](const std::string&) -> Size { return 0; });
  if (name == "full-overlap" || name == "non-overlapping")
    for (const std::int64_t buffers : {10, 50, 100, 200, 400})
      made({.kind = name, .buffers = buffers, .seed = 1});
  if (name == "non-overlapping") made({.kind = name, .buffers = 10'000, .seed = 1});
  if (name == "network")
    for (std::uint64_t seed = 0; seed < 1000; ++seed)
      made({.kind = "network",
            .buffers = 50 + static_cast<std::int64_t>(seed % 10) * 20,
            .seed = seed,
            .capacity = 1 << 16,
            .slack = seed % 2 == 0 ? 1.0 : 1.02});
  if (name == "synthetic" || name == "synthetic-5")
    for (std::int64_t buffers = 20; buffers <= 60; buffers += 2)
      for (std::uint64_t seed = 0; seed < (name == "synthetic" ? 25U : 5U); ++seed)
        questions.push_back(overlapping(buffers, seed));
  if (questions.empty()) throw BadInput("there is no suite '" + name + "'");
  return questions;
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

void measure(const std::string& name, const Options& options, double seconds,
             const std::vector<std::string>& wanted) {
  std::vector<Question> questions = suite(name, options);
  for (Question& question : questions)
    for (Memory& memory : question.problem.memories)
      if (memory.capacity < unbounded)
        memory.capacity =
            static_cast<Size>(static_cast<double>(memory.capacity) * options.capacity);
  std::printf("%s at %.2f x: %zu problems, %lld steps and %.1f s each\n", name.c_str(),
              options.capacity, questions.size(), static_cast<long long>(most_steps), seconds);
  std::printf(
      "| engine | placed | refuted | not decided | not taken | median s | total s | median "
      "steps |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n");
  for (const auto& [engine, search] : searches(wanted)) {
    if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), engine) == wanted.end())
      continue;
    int placed = 0;
    int refuted = 0;
    int refused = 0;
    std::vector<double> times;
    std::vector<double> steps;
    std::string open;
    double total = 0;
    for (const Question& question : questions) {
      Answer answer = search(question.problem, seconds);
      if (!answer.takes) {
        ++refused;
        continue;
      }
      placed += answer.status == Status::feasible ? 1 : 0;
      refuted += answer.status == Status::infeasible ? 1 : 0;
      total += answer.seconds;
      // Undecided problems count with the time limit: the median is over all.
      times.push_back(answer.status == Status::unknown ? std::max(answer.seconds, seconds)
                                                       : answer.seconds);
      if (answer.steps >= 0) steps.push_back(static_cast<double>(answer.steps));
      if (answer.status == Status::unknown) open += " " + question.name;
      if (options.all)
        std::printf("  %s %s %d %.4f %lld\n", engine.c_str(), question.name.c_str(),
                    static_cast<int>(answer.status), answer.seconds,
                    static_cast<long long>(answer.steps));
    }
    const int open_count = static_cast<int>(times.size()) - placed - refuted;
    std::printf("| %s | %d | %d | %d | %d | %.4f | %.1f | %s |\n", engine.c_str(), placed, refuted,
                open_count, refused, median(times), total,
                steps.empty() ? "" : std::to_string(static_cast<long long>(median(steps))).c_str());
    if (options.open) std::printf("  not decided:%s\n", open.c_str());
    std::fflush(stdout);
  }
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  int at = 1;
  for (; at < argc && argv[at][0] == '-'; ++at) {
    const std::string option = argv[at];
    if (option == "--open")
      options.open = true;
    else if (option == "--all")
      options.all = true;
    else if (option == "--data" && at + 1 < argc)
      options.data = argv[++at];
    else if (option == "--challenging" && at + 1 < argc)
      options.challenging = argv[++at];
    else if (option == "--capacity" && at + 1 < argc)
      options.capacity = std::atof(argv[++at]);
    else
      at = argc;
  }
  if (argc < at + 2) {
    std::printf(
        "bench_guided_table [OPTIONS] SUITE SECONDS [ENGINE...]; see the top of "
        "guided_table.cpp\n");
    return 0;
  }
  const std::string name = argv[at];
  const double seconds = std::atof(argv[at + 1]);
  const std::vector<std::string> wanted(argv + at + 2, argv + argc);
  if (name != "paper") {
    try {
      measure(name, options, seconds, wanted);
    } catch (const BadInput& error) {
      std::fprintf(stderr, "%s\n", error.what());
      return 2;
    }
    return 0;
  }
  constexpr std::array<std::pair<const char*, double>, 10> paper = {{{"challenging", 1.0},
                                                                     {"challenging", 1.02},
                                                                     {"challenging", 1.05},
                                                                     {"challenging", 1.1},
                                                                     {"network", 1.0},
                                                                     {"network", 1.1},
                                                                     {"synthetic", 1.0},
                                                                     {"synthetic", 1.1},
                                                                     {"full-overlap", 1.0},
                                                                     {"non-overlapping", 1.0}}};
  for (const auto& [suite_name, capacity] : paper) {
    options.capacity = capacity;
    measure(suite_name, options, seconds, wanted);
    std::printf("\n");
  }
  return 0;
}
