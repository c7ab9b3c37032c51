#include "tessera/check_result.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

#include "engine/goal.h"
#include "io/error.h"
#include "io/files.h"
#include "model/derived.h"
#include "model/optional.h"
#include "placer/certificate.h"
#include "proof/check_proof.h"
#include "tessera/errors.h"
#include "validation/limited_budget.h"
#include "validation/requirements.h"

namespace tessera::placer {

namespace {

bool implies(const Claim& proved, const Claim& claim) {
  // If the required buffers have no placement, every bound holds; but "infeasible" is a claim about
  // all buffers.
  if (proved.kind == ClaimKind::benefit && proved.most < 0) return true;
  if (claim.kind == ClaimKind::benefit)
    return proved.kind == ClaimKind::benefit && proved.most <= claim.most;
  if (proved.kind == ClaimKind::infeasible) return true;
  if (proved.kind != claim.kind || proved.least < claim.least) return false;
  // A lower bound for some memories is one for a superset of them.
  return std::includes(claim.memories.begin(), claim.memories.end(), proved.memories.begin(),
                       proved.memories.end());
}

class ResultCheck {
 public:
  ResultCheck(const PlacementProblem& problem, const PlacementResult& result,
              const CheckResultParams& params)
      : problem_(problem), result_(result), params_(params) {}

  ResultVerdict run() {
    if (result_.placement) {
      verdict_.wrong = check(problem_, *result_.placement, params_.most_violations);
      if (verdict_.wrong.empty()) feasible();
    } else {
      without_placement();
    }
    return std::move(verdict_);
  }

 private:
  void wrong(std::string sentence) {
    if (verdict_.wrong.size() >= params_.most_violations) return;
    Violation violation;
    violation.message = std::move(sentence);
    verdict_.wrong.push_back(std::move(violation));
  }
  void equal(const std::string& what, std::int64_t said, std::int64_t has) {
    if (said == has) return;
    wrong("The result states that the " + what + " is " + std::to_string(said) +
          ", but the placement has " + std::to_string(has) + ".");
  }

  /// A bound that counts: proved here, or claimed.
  void bound(const Claim& claim, const std::string& said) {
    if (claim.kind != ClaimKind::infeasible && claim.kind != ClaimKind::benefit && claim.least < 1)
      return;
    const bool known = std::any_of(params_.proved.begin(), params_.proved.end(),
                                   [&](const Claim& each) { return implies(each, claim); });
    (known || proved_by_cut(problem_, claim) ? verdict_.proved : verdict_.claimed).push_back(said);
  }

  void without_placement() {
    const bool counts = result_.height != 0 || result_.cost != 0 ||
                        std::any_of(result_.heights.begin(), result_.heights.end(),
                                    [](Size height) { return height != 0; });
    if (counts || result_.proven_minimum || result_.proven_optimal || result_.unused_modes ||
        !result_.objectives.empty()) {
      wrong("The result has properties of a placement, but no placement.");
      return;
    }
    if (result_.status == Status::infeasible) {
      bound({}, "status infeasible");
    } else {
      const std::size_t several = problem_.memories.size() > 1 ? result_.lower_bounds.size() : 0;
      for (MemoryIndex m = 0; m < several && m < problem_.memories.size(); ++m)
        bound({ClaimKind::height, {m}, result_.lower_bounds[m]},
              "lower_bound " + std::to_string(result_.lower_bounds[m]) + " of " +
                  problem_.memories[m].name);
      bound_of_all_heights();
      bound_of_costs();
    }
    how_it_was_found();
  }

  void bound_of_all_heights() {
    std::vector<MemoryIndex> all(problem_.memories.size());
    std::iota(all.begin(), all.end(), MemoryIndex{0});
    bound({ClaimKind::height, all, result_.lower_bound},
          "lower_bound " + std::to_string(result_.lower_bound));
  }

  void bound_of_costs() {
    bound({ClaimKind::cost, {}, result_.cost_bound},
          "cost_bound " + std::to_string(result_.cost_bound));
  }

  void feasible() {
    const Placement& placement = *result_.placement;
    const std::vector<Size> high = heights(problem_, placement);
    const Size highest = *std::max_element(high.begin(), high.end());
    const Cost cost = soft_cost(problem_, placement);
    equal("height", result_.height, highest);
    for (MemoryIndex m = 0; m < high.size() && result_.heights.size() == high.size(); ++m)
      equal("height of " + problem_.memories[m].name, result_.heights[m], high[m]);
    equal("cost", result_.cost, cost);
    benefit();
    unused();
    objectives(highest, cost);
    if (!verdict_.wrong.empty()) return;
    height_bounds(high, highest);
    if (result_.cost_bound > cost)
      wrong("The result states a lower bound of the cost of " + std::to_string(result_.cost_bound) +
            ", but its cost is " + std::to_string(cost) + ".");
    if (result_.proven_minimum && result_.lower_bound != highest)
      wrong("The result states that its height is proved minimal, but its bound is lower.");
    if (!verdict_.wrong.empty()) return;
    bound_of_costs();
    how_it_was_found();
  }

  void benefit() {
    const Benefit has = benefit_of(problem_, *result_.placement);
    if (result_.benefit != has)
      wrong("The result states a benefit of " + benefit_text(result_.benefit) +
            ", but the placement has " + benefit_text(has) + ".");
    else if (result_.benefit_bound < has)
      wrong("The result states an upper bound of the benefit of " +
            benefit_text(result_.benefit_bound) + ", but its benefit is " + benefit_text(has) +
            ".");
    else if (result_.benefit_bound < whole_benefit(problem_))
      bound({.kind = ClaimKind::benefit, .most = result_.benefit_bound},
            "benefit_bound " + benefit_text(result_.benefit_bound));
  }

  void height_bounds(const std::vector<Size>& high, Size highest) {
    if (result_.lower_bound > highest)
      wrong("The result states a lower bound of the height of " +
            std::to_string(result_.lower_bound) + ", but its height is " + std::to_string(highest) +
            ".");
    if (high.size() > 1 && result_.lower_bounds.size() == high.size()) {
      for (MemoryIndex m = 0; m < high.size(); ++m) {
        const Size least = result_.lower_bounds[m];
        const std::string& name = problem_.memories[m].name;
        if (least > high[m])
          wrong("The result states a lower bound of the height of " + name + " of " +
                std::to_string(least) + ", but its height is " + std::to_string(high[m]) + ".");
        else
          bound({ClaimKind::height, {m}, least},
                "lower_bound " + std::to_string(least) + " of " + name);
      }
    }
    if (high.size() == 1 && result_.lower_bounds.size() == 1 &&
        result_.lower_bounds.front() != result_.lower_bound)
      wrong("The result states two different bounds of the height of its only memory.");
    if (!verdict_.wrong.empty()) return;
    bound_of_all_heights();
  }

  void unused() {
    if (!result_.unused_modes) return;
    if (*result_.unused_modes == unused_modes(problem_, *result_.placement)) return;
    wrong("The result lists unused modes that differ from those of its placement.");
  }

  /// Benefits are maximised, so the bound is an upper bound.
  void benefit_objective(const ObjectiveValue& each) {
    const bool first = &each == &result_.objectives.front();
    if (each.value != result_.benefit || (first && each.bound != result_.benefit_bound))
      wrong("The result states two different benefits, or two different bounds of the benefit.");
    if (each.bound < each.value || each.bound > result_.benefit_bound)
      wrong("The result states an impossible bound of the benefit.");
    if (each.proved && each.bound != each.value)
      wrong("The result states that its benefit is proved maximal, but its bound is higher.");
    if (!first && each.bound < whole_benefit(problem_)) later(each, benefit_text(each.bound));
    if (result_.objectives.size() == 1 && result_.proven_optimal != each.proved)
      wrong("The result contradicts itself: is its benefit proved maximal or not?");
  }

  /// A bound given the values of previous objectives is not checked here.
  void later(const ObjectiveValue& each, const std::string& bound) {
    verdict_.claimed.push_back("bound " + bound + " of the " + each.name +
                               ", at the values of the preceding objectives");
  }

  void objectives(Size height, Cost cost) {
    bool cost_or_modes = false;
    bool all_proved = true;
    std::set<std::string> names;
    for (const ObjectiveValue& each : result_.objectives) {
      const bool first = &each == &result_.objectives.front();
      if (!names.insert(each.name).second)
        wrong("The result lists the objective '" + each.name + "' twice.");
      if (each.name != "height") all_proved = all_proved && each.proved;
      if (each.name == "benefit") {
        benefit_objective(each);
        cost_or_modes = true;
        continue;
      }
      const bool switches = each.name == "switches";
      const bool modes = each.name == "modes" || switches;
      const Objective counted = switches ? Objective::switches : Objective::modes;
      const std::int64_t has = each.name == "height" ? height
                               : modes ? engine::goal_value(problem_, *result_.placement, counted)
                                       : cost;
      equal("objective " + each.name, each.value, has);
      if (each.bound > each.value)
        wrong("The result states a lower bound of the " + each.name + " of " +
              std::to_string(each.bound) + ", but its value is " + std::to_string(each.value) +
              ".");
      if (each.proved && each.bound != each.value)
        wrong("The result states that its " + each.name + " is proved, but its bound is lower.");
      if (!each.proved && each.bound == each.value)
        wrong("The result states that its " + each.name +
              " is not proved, but its bound is equal.");
      if (modes && verdict_.wrong.empty())
        bound({switches ? ClaimKind::switches : ClaimKind::modes, {}, each.bound},
              "bound " + std::to_string(each.bound) + " of " + each.name);
      if (each.name == "height" && first)
        equal("bound of the height", each.bound, result_.lower_bound);
      if (each.name == "cost" && first) equal("bound of the cost", each.bound, result_.cost_bound);
      if (!first && !modes && each.bound > 0) later(each, std::to_string(each.bound));
      cost_or_modes = cost_or_modes || each.name != "height";
      if (each.name != "height" && result_.objectives.size() == 1 &&
          result_.proven_optimal != each.proved)
        wrong("The result contradicts itself on whether its " + each.name + " is proved.");
    }
    if (result_.objectives.size() > 1 && result_.proven_optimal != all_proved)
      wrong("The result contradicts itself on whether its objectives are proved.");
    if (result_.proven_optimal && !cost_or_modes && result_.cost_bound != cost && cost != 0)
      wrong("The result states that its cost is optimal, but its bound is lower.");
  }

  void how_it_was_found() {
    if (!result_.reason.empty()) verdict_.claimed.push_back("reason: " + result_.reason);
    if (result_.engine.empty()) return;
    verdict_.claimed.emplace_back(
        "engine, stop, seconds, seed and stats: how the result was found");
  }

  const PlacementProblem& problem_;
  const PlacementResult& result_;
  const CheckResultParams& params_;
  ResultVerdict verdict_;
};

}  // namespace

}  // namespace tessera::placer

namespace tessera {

ResultVerdict check_result(const PlacementProblem& problem, const PlacementResult& result,
                           const CheckResultParams& params) {
  validation::require_result(problem, result);
  return placer::ResultCheck(problem, result, params).run();
}

CertificateText load_certificate(const std::string& path) {
  CertificateText certificate;
  certificate.text = io::read_file(io::input_path(path));
  std::string why;
  const std::optional<proof::ProofHeader> header = proof::proof_header(certificate.text, why);
  if (!header)
    throw WrongAnswer(path + ": " + why, "tessera place --proof FILE writes certificates");
  certificate.read = header->read;
  return certificate;
}

CertificateVerdict check_certificate(const PlacementProblem& problem, std::string_view text,
                                     const Limits& limits) {
  validation::require_valid(problem);
  const validation::LimitedBudget limited(limits);
  proof::ProofVerdict proof = proof::check_proof(problem, text, limited.budget());
  CertificateVerdict verdict;
  verdict.accepted = proof.accepted;
  verdict.reason = std::move(proof.reason);
  verdict.stop = proof.stop;
  for (proof::ProofPart& part : proof.parts)
    verdict.claims.push_back({std::move(part.claim), std::move(part.claim_text),
                              std::move(part.kind), part.accepted, std::move(part.reason)});
  verdict.about_this = true;
  for (MemoryIndex m = 0; m < problem.memories.size(); ++m)
    verdict.about_this =
        verdict.about_this && proof.about.memories[m].capacity >= problem.memories[m].capacity;
  return verdict;
}

std::vector<Claim> proved_claims(const CertificateVerdict& verdict) {
  std::vector<Claim> claims;
  if (!verdict.accepted || !verdict.about_this) return claims;
  for (const ClaimVerdict& each : verdict.claims) claims.push_back(each.claim);
  return claims;
}

}  // namespace tessera
