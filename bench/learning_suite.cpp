// Runs the learning engine alone on files, one line each: status, processor seconds, conflicts.
//
//   learning_suite [--limit SECONDS] [--off RULE]... [--on RULE]... [--noise K] [--stats] FILE...
//
// A CSV's capacity is the number in its name ("A.1048576.csv"). Problems with soft costs are
// minimised. --limit counts processor time of the search, independent of the load of the machine.
// --noise K multiplies capacity and sizes by K and subtracts a random 0..K-1 from each size.
#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <iostream>
#include <thread>
#include <vector>

#include "io/load.h"
#include "placer/switches.h"
#include "search/learning/engine.h"
#include "tessera/check.h"

using namespace tessera;

namespace {

double processor_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

PlacementProblem load(const std::filesystem::path& path, Size noise) {
  InputOptions options;
  const Size named = std::atoll(("0" + path.stem().extension().string().erase(0, 1)).c_str());
  if (path.extension() == ".csv" && named > 0) options.capacity = named * noise;
  PlacementProblem problem = io::load_problem(path, options).problem;
  std::uint64_t state = 12345;
  for (Buffer& buffer : problem.buffers) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    buffer.size =
        buffer.size * noise - static_cast<Size>((state >> 33U) % static_cast<std::uint64_t>(noise));
  }
  return problem;
}

}  // namespace

int main(int argc, char** argv) {
  search::LearningParams params;
  std::vector<std::string> settings;
  double limit = 10;
  bool all_stats = false;
  Size noise = 1;
  double total = 0;
  int decided = 0;
  int files = 0;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const auto value = [&]() -> std::string { return i + 1 < argc ? argv[++i] : ""; };
    if (word == "--limit") {
      limit = std::atof(value().c_str());
    } else if (word == "--noise") {
      noise = std::max<Size>(1, std::atoll(value().c_str()));
    } else if (word == "--stats") {
      all_stats = true;
    } else if (word == "--off" || word == "--on") {
      const std::string setting = "learning." + value() + (word == "--on" ? "=on" : "=off");
      settings.push_back(setting);
      params = placer::engine_params(settings).learning;  // throws for an unknown rule
    } else {
      const PlacementProblem problem = load(word, noise);
      const auto engine = search::make_learning_engine(params);
      const bool soft = std::any_of(problem.relations.begin(), problem.relations.end(),
                                    [](const Relation& r) { return r.cost > 0; });
      engine::SearchParams search;
      search.goal = soft ? Objective::cost : Objective::fit;
      std::string verdict = "unsupported";
      std::string more;
      double seconds = 0;
      if (!engine->unsupported(problem, search.goal)) {
        std::stop_source stop;
        search.budget.stop = stop.get_token();
        const double start = processor_seconds();
        std::jthread watch([&](const std::stop_token& done) {
          while (!done.stop_requested() && processor_seconds() - start < limit)
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
          stop.request_stop();
        });
        const engine::SearchResult found = engine->solve(problem, search);
        seconds = processor_seconds() - start;
        watch.request_stop();
        verdict = found.status == Status::feasible     ? "feasible"
                  : found.status == Status::infeasible ? "infeasible"
                                                       : "unknown";
        if (found.placement) {
          if (!check(problem, *found.placement).empty()) verdict = "WRONG";
          if (soft) {
            const Cost cost = soft_cost(problem, *found.placement);
            more += " cost " + std::to_string(cost) + (cost == found.bound ? " proven" : " open");
          }
        }
        for (const Stat& stat : found.stats)
          if (all_stats || stat.name == "conflicts")
            more += ' ' + stat.name + ' ' + std::to_string(std::get<std::int64_t>(stat.value));
        if (verdict != "unknown" && more.find("open") == std::string::npos) ++decided;
      }
      ++files;
      total += seconds;
      std::cout << std::filesystem::path(word).filename().string() << ' ' << verdict << ' '
                << seconds << more << '\n';
    }
  }
  std::cout << "decided " << decided << " of " << files << ", " << total << " s\n";
}
