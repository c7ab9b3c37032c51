// The table of the TelaMalloc paper on our own suites: problems that each search decides within
// 500,000 steps and a time limit, and the time it takes.
//
//   bench_guided_table SUITE SECONDS [ENGINE...]
//   bench_guided_table challenging 10 ../shared/benchmarks/minimalloc
//   bench_guided_table synthetic 2 guided learning
//
// Suites: challenging, flat, pypto (from the data folder, TESSERA_DATA or ../shared/benchmarks),
// full-overlap, non-overlapping, network, synthetic (generated), and files:FOLDER. Engines: guided,
// guided-<part> (with that part switched off), learned (with learned backtracking), learned:FILE
// (with that forest), one-<order> (a single heuristic), and every name of --engine. Default: all.
// TESSERA_SHOW_OPEN adds a line with the undecided problems of each engine, TESSERA_SHOW_ALL a line
// per problem: name, status, seconds, steps.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "io/load.h"
#include "model/random.h"
#include "placer/make_engine.h"
#include "placer/switches.h"
#include "search/guided/engine.h"
#include "search/placement/greedy.h"
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

std::chrono::steady_clock::time_point in(double seconds) {
  return std::chrono::steady_clock::now() +
         std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
}

std::int64_t steps_of(const Stats& stats) {
  for (const Stat& stat : stats)
    for (const std::string_view name : {"steps", "nodes", "conflicts", "decisions"})
      if (stat.name == name)
        if (const auto* value = std::get_if<std::int64_t>(&stat.value)) return *value;
  return -1;
}

Answer ask_engine(engine::PlacementEngine& engine, const PlacementProblem& problem,
                  double seconds) {
  Answer answer;
  if (engine.unsupported(problem, Objective::fit)) {
    answer.takes = false;
    return answer;
  }
  engine::SearchParams params;
  params.budget.deadline = in(seconds);
  params.budget.max_nodes = most_steps;
  const engine::SearchResult found = engine.solve(problem, params);
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
Search by_forest(const std::string& file) {
  const std::string text = text_of(file);
  return [text](const PlacementProblem& problem, double seconds) {
    const auto chooser = search::guided::make_forest_chooser(text);
    return ask_engine(*search::make_guided_engine({.chooser = chooser.get()}), problem, seconds);
  };
}

Search by_guided(const search::GuidedParams& params) {
  return [params](const PlacementProblem& problem, double seconds) {
    return ask_engine(*search::make_guided_engine(params), problem, seconds);
  };
}

std::vector<std::pair<std::string, Search>> searches(const std::vector<std::string>& wanted) {
  std::vector<std::pair<std::string, Search>> all;
  for (const std::string& name : wanted)
    if (name.rfind("learned:", 0) == 0) all.emplace_back(name, by_forest(name.substr(8)));
  all.emplace_back("guided", by_guided({}));
  for (const placer::Switch& part : placer::switches_of("guided")) {
    if (part.rule == nullptr) continue;
    placer::EngineParams without;
    part.rule(without) = false;
    std::string name(part.name);
    name[name.find('.')] = '-';
    all.emplace_back(name, by_guided(without.guided));
  }
  // The plain search of the paper, without and with its learned backtracking.
  search::GuidedParams plain{
      .widen = false, .restarts = false, .learn = false, .sections = false, .learned = false};
  all.emplace_back("guided-plain", by_guided(plain));
  plain.learned = true;
  all.emplace_back("guided-plain-learned", by_guided(plain));
  for (const std::string& order : search::greedy_orders())
    all.emplace_back("one-" + order, [order](const PlacementProblem& problem, double seconds) {
      Answer answer;
      answer.takes = search::greedy_features().contains(facts::features_of(problem));
      if (!answer.takes) return answer;
      const search::GreedyResult found = search::place_greedily(
          problem, {.budget = {.deadline = in(seconds)}, .only_order = order});
      if (found.placement) answer.status = Status::feasible;
      return answer;
    });
  for (const EngineInfo& info : engine_list()) {
    if (info.name == "guided" || info.name == "greedy") continue;
    const std::string name(info.name);
    all.emplace_back(name, [name](const PlacementProblem& problem, double seconds) {
      return ask_engine(*placer::make_engine(name), problem, seconds);
    });
  }
  all.emplace_back("auto", [](const PlacementProblem& problem, double seconds) {
    const PlacementResult found = place(
        problem,
        {.limits = {.timeout = std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000)),
                    .work = most_steps}});
    return Answer{.status = found.status};
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

std::vector<Question> of_folder(const std::string& folder, const std::string& ending,
                                const std::function<Size(const std::string&)>& capacity) {
  std::vector<Question> questions;
  const char* data = std::getenv("TESSERA_DATA");
  const auto path = std::filesystem::path(data == nullptr ? "../shared/benchmarks" : data) / folder;
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

std::vector<Question> suite(const std::string& name) {
  std::vector<Question> questions;
  const auto made = [&](const GenerateParams& params) {
    questions.push_back(
        {std::to_string(params.buffers) + "-" + std::to_string(params.seed), generate(params)});
  };
  if (name.rfind("files:", 0) == 0) return of_files(name.substr(6));
  if (name == "challenging")
    return of_folder("minimalloc", ".csv", [](const std::string& stem) -> Size {
      return stem.rfind("input", 0) == 0 ? -1 : 1 << 20;
    });
  if (name == "flat")
    return of_folder("flat-load", ".csv", [](const std::string& stem) -> Size {
      return std::atoll(stem.substr(stem.rfind('.') + 1).c_str());
    });
  if (name == "pypto")
    return of_folder("pypto-lib-sample", ".json", [](const std::string&) -> Size { return 0; });
  if (name == "full-overlap" || name == "non-overlapping")
    for (const std::int64_t buffers : {10, 50, 100, 200, 400})
      made({.kind = name, .buffers = buffers, .seed = 1});
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
  return questions;
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::printf("bench_guided_table SUITE SECONDS [ENGINE...]; see the top of guided_table.cpp\n");
    return 0;
  }
  const double seconds = std::atof(argv[2]);
  const std::vector<std::string> wanted(argv + 3, argv + argc);
  const std::vector<Question> questions = suite(argv[1]);
  std::printf("%s: %zu problems, %lld steps and %.1f s each\n", argv[1], questions.size(),
              static_cast<long long>(most_steps), seconds);
  std::printf(
      "| engine | placed | refuted | not decided | not taken | median s | total s | median "
      "steps |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n");
  for (const auto& [name, search] : searches(wanted)) {
    if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), name) == wanted.end()) continue;
    int placed = 0;
    int refuted = 0;
    int refused = 0;
    std::vector<double> times;
    std::vector<double> steps;
    std::string open;
    double total = 0;
    for (const Question& question : questions) {
      const auto start = std::chrono::steady_clock::now();
      Answer answer = search(question.problem, seconds);
      answer.seconds =
          std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
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
      if (std::getenv("TESSERA_SHOW_ALL") != nullptr)
        std::printf("  %s %s %d %.4f %lld\n", name.c_str(), question.name.c_str(),
                    static_cast<int>(answer.status), answer.seconds,
                    static_cast<long long>(answer.steps));
    }
    const int open_count = static_cast<int>(times.size()) - placed - refuted;
    std::printf("| %s | %d | %d | %d | %d | %.4f | %.1f | %s |\n", name.c_str(), placed, refuted,
                open_count, refused, median(times), total,
                steps.empty() ? "" : std::to_string(static_cast<long long>(median(steps))).c_str());
    if (std::getenv("TESSERA_SHOW_OPEN") != nullptr)
      std::printf("  not decided:%s\n", open.c_str());
    std::fflush(stdout);
  }
  return 0;
}
