#include "cli/plan_batch.h"

#include <iostream>
#include <map>
#include <utility>

#include "cli/command.h"
#include "cli/console.h"
#include "tessera/batch.h"
#include "tessera/profile.h"

namespace tessera::cli {

namespace {

/// Maximum number of cached networks and profiles.
constexpr std::size_t most_kept = 64;

class Batch {
 public:
  Batch(const NetworkArguments& reading, std::string profile, PlanParams params, Session& session)
      : reading_(reading),
        profile_(std::move(profile)),
        params_(std::move(params)),
        session_(session) {
    params_.memory = make_plan_memory();
    params_.limits.stop = session.interrupts().token();
  }

  int run() {
    std::string line;
    for (std::size_t number = 1; std::getline(std::cin, line); ++number) {
      if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
      if (line.ends_with('\r')) line.pop_back();
      session_.interrupts().enter(Phase::searching);
      const std::string answer = answer_to(line, number);
      session_.interrupts().enter(Phase::writing);
      print(answer, session_.interrupts().token());
      if (params_.limits.stop.stop_requested()) break;
      // There is no result to lose while waiting for the next line.
      session_.interrupts().enter(Phase::reading);
    }
    return session_.exit_code(wrong_ ? exit_bad_input : exit_found,
                              !params_.limits.stop.stop_requested());
  }

 private:
  std::string answer_to(const std::string& line, std::size_t number) {
    PlanRequest request;
    try {
      request = read_plan_request(line, "line " + std::to_string(number));
      request.line = number;
      NetworkPlan plan = plan_network(network(request), machine(request).hardware(), params_);
      return plan_line(request, plan);
    } catch (const BadInput& bad) {
      wrong_ = true;
      request.line = number;
      return plan_error_line(request, bad.what(), bad.hint);
    } catch (const ImportStopped& stopped) {
      // A limit is no statement about the network.
      NetworkPlan none;
      none.stop = stopped.reason;
      none.reason = stopped.what();
      return plan_line(request, none);
    }
  }

  const Network& network(const PlanRequest& request) {
    if (request.network.empty() || request.network == "-")
      throw BadInput("line " + std::to_string(request.line) + ": `network` must be a file");
    NetworkArguments reading = reading_;
    reading.path = request.network;
    if (!request.dtype.empty()) reading.dtype = request.dtype;
    const std::pair key(reading.path, reading.dtype);
    const auto known = networks_.find(key);
    if (known != networks_.end()) return known->second;
    if (networks_.size() == most_kept) networks_.clear();
    return networks_.emplace(key, reading.load(true, params_.limits).network).first->second;
  }

  Profile machine(const PlanRequest& request) {
    const std::string& name = request.profile.empty() ? profile_ : request.profile;
    if (name.empty())
      throw BadInput("line " + std::to_string(request.line) + ": `profile` is missing",
                     "add `profile` to the request, or --profile ethos-u55-256 for all requests");
    auto known = profiles_.find(name);
    if (known == profiles_.end()) {
      if (profiles_.size() == most_kept) profiles_.clear();
      known = profiles_.emplace(name, Profile(name)).first;
    }
    Profile changed = known->second;
    if (!request.changes.empty()) changed.set(request.changes);
    return changed;
  }

  const NetworkArguments& reading_;
  std::string profile_;
  PlanParams params_;
  Session& session_;
  std::map<std::pair<std::string, std::string>, Network> networks_;
  std::map<std::string, Profile> profiles_;
  bool wrong_ = false;
};

}  // namespace

int run_plan_batch(const NetworkArguments& reading, const std::string& profile, PlanParams params,
                   Session& session) {
  session.reads_profile(profile);
  return Batch(reading, profile, std::move(params), session).run();
}

}  // namespace tessera::cli
