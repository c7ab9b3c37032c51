// Certificates of benefits: rows, and a tree over what is in and what is out.
#include <algorithm>
#include <memory>
#include <utility>

#include "engine/race.h"
#include "facts/free_space.h"
#include "model/buffer_parts.h"
#include "model/derived.h"
#include "model/optional.h"
#include "placer/certificate.h"
#include "placer/make_engine.h"
#include "proof/check_proof.h"
#include "search/choice/choice.h"
#include "search/choice/packing_proof.h"

namespace tessera::placer {

namespace {

using Unit = std::uint32_t;

class BenefitProof {
 public:
  BenefitProof(const PlacementProblem& problem, const Claim& claim,
               const std::vector<std::vector<Unit>>& refuted, const engine::SearchParams& search,
               CertificateFile& file)
      : problem_(problem),
        claim_(claim),
        refuted_(refuted),
        search_(search),
        file_(file),
        units_(optional_units(problem)) {}

  /// Who proved it; nothing, and why in `declined`, where nobody could.
  std::optional<std::string> run(std::string* declined) {
    search::PackingProblem packing;
    if (claim_.most < 0)
      for (const OptionalUnit& unit : units_) packing.worth.push_back(unit.benefit);
    else
      packing = search::packing_of(problem_, units_, search_.budget, &origins_);
    sums_ = packing.rows.size();
    for (const std::vector<Unit>& together : refuted_) {
      search::PackingRow row{.terms = {},
                             .capacity = static_cast<std::int64_t>(together.size()) - 1};
      for (const Unit u : together) row.terms.emplace_back(u, 1);
      packing.rows.push_back(std::move(row));
    }
    const auto tree = search::prove_packing(packing, claim_.most, search_.budget);
    if (!tree) return std::nullopt;
    file_.begin(claim_, "choice");
    if (!write_rows(*tree, packing.rows.size(), declined)) {
      file_.drop();
      return std::nullopt;
    }
    write_tree(*tree);
    file_.keep();
    return who_ + (who_.empty() ? "" : ", ") + "sums";
  }

 private:
  bool write_rows(const std::vector<search::PackingStep>& tree, std::size_t rows,
                  std::string* declined) {
    std::vector<char> used(rows, 0);
    for (const search::PackingStep& step : tree) {
      if (step.kind == search::PackingStep::Kind::over) used[step.number] = 1;
      for (const auto& [row, multiplier] : step.multipliers) used[row] = 1;
    }
    number_.assign(rows, 0);
    std::uint32_t next = 0;
    for (std::size_t r = 0; r < rows; ++r) {
      if (used[r] == 0) continue;
      number_[r] = next++;
      if (r < sums_)
        write_sum(origins_[r]);
      else if (!write_set(refuted_[r - sums_], declined))
        return false;
    }
    return true;
  }

  void write_sum(const search::RowOrigin& row) {
    Size room = 0;
    for (const MemoryIndex m : row.memories)
      for (const AddressRange& free : facts::free_ranges(problem_.memories[m])) {
        const Offset begin = align_up(free.begin, row.granule);
        if (begin < free.end) room += align_up(free.end - begin, row.granule);
      }
    std::string text = "row sum\nstep " + std::to_string(row.step) + '\n';
    if (row.granule != 1) text += "grain " + std::to_string(row.granule) + '\n';
    for (const MemoryIndex m : row.memories)
      text += "memory " + std::to_string(m) + ' ' + problem_.memories[m].name + '\n';
    for (const BufferIndex b : row.buffers) {
      text += "buffer " + std::to_string(b) + ' ' + problem_.buffers[b].id + '\n';
      if (problem_.buffers[b].optional) continue;
      for (const Load& load : loads(problem_.buffers[b]))
        if (load.steps.contains(row.step)) room -= align_up(load.bytes, row.granule);
    }
    file_.write(text + "room " + std::to_string(room) + '\n');
  }

  bool write_set(const std::vector<Unit>& together, std::string* declined) {
    std::vector<char> is_in(units_.size(), 0);
    std::string text = "row set";
    for (const Unit u : together) {
      is_in[u] = 1;
      text += ' ' + std::to_string(units_[u].buffers.front());
    }
    std::vector<BufferIndex> left_out;
    for (Unit u = 0; u < units_.size(); ++u)
      if (is_in[u] == 0)
        left_out.insert(left_out.end(), units_[u].buffers.begin(), units_[u].buffers.end());
    std::sort(left_out.begin(), left_out.end());
    const Restricted only = chosen(problem_, left_out);
    file_.write(text + '\n');
    if (const std::optional<facts::Cut> cut = facts::find_cut(only.problem)) {
      file_.write("cut\n" + cut_text(only.problem, *cut));
      say("cut");
      return true;
    }
    file_.write("derivation\n");
    for (const EngineInfo& entry : engine_list()) {
      if (!entry.writes_proofs) continue;
      const std::unique_ptr<engine::PlacementEngine> engine = make_engine(entry.name);
      if (const auto why = engine->unsupported(only.problem, Objective::fit)) {
        if (declined != nullptr) *declined = *why;
        continue;
      }
      engine::SearchParams own = search_;
      own.goal = Objective::fit;
      own.proof = &file_;
      if (engine::solve_within_memory(*engine, only.problem, own).status == Status::infeasible) {
        say(entry.name);
        return true;
      }
      return false;  // what it began to write is in the file
    }
    return false;
  }

  void write_tree(const std::vector<search::PackingStep>& tree) {
    file_.write("tree\n");
    const auto thing = [&](const char* word, Unit u) {
      file_.write(word + std::to_string(units_[u].buffers.front()) + '\n');
    };
    for (const search::PackingStep& step : tree) {
      switch (step.kind) {
        case search::PackingStep::Kind::prices: {
          std::string text = "prices " + std::to_string(step.denominator);
          for (const auto& [row, multiplier] : step.multipliers)
            text += ' ' + std::to_string(number_[row]) + ' ' + std::to_string(multiplier);
          file_.write(text + '\n');
          break;
        }
        case search::PackingStep::Kind::in:
          thing("in ", step.number);
          break;
        case search::PackingStep::Kind::out:
          thing("out ", step.number);
          break;
        case search::PackingStep::Kind::twin:
          thing(("twin " + std::to_string(units_[step.like].buffers.front()) + ' ').c_str(),
                step.number);
          break;
        case search::PackingStep::Kind::leaf:
          file_.write("leaf\n");
          break;
        case search::PackingStep::Kind::over:
          file_.write("over " + std::to_string(number_[step.number]) + '\n');
          break;
      }
    }
  }

  void say(std::string_view who) {
    if (who_.find(who) != std::string::npos) return;
    who_ += (who_.empty() ? "" : ", ") + std::string(who);
  }

  const PlacementProblem& problem_;
  const Claim& claim_;
  const std::vector<std::vector<Unit>>& refuted_;
  const engine::SearchParams& search_;
  CertificateFile& file_;
  std::vector<OptionalUnit> units_;
  std::vector<search::RowOrigin> origins_;
  std::size_t sums_ = 0;
  std::vector<std::uint32_t> number_;  ///< in the file, by row
  std::string who_;
};

}  // namespace

std::optional<std::string> certify_benefit(const PlacementProblem& problem, const Claim& claim,
                                           const std::vector<std::vector<std::uint32_t>>& refuted,
                                           const engine::SearchParams& search,
                                           CertificateFile& file, std::string* declined) {
  if (auto why = proof::unspoken(problem)) {
    if (declined != nullptr) *declined = *std::move(why);
    return std::nullopt;
  }
  return BenefitProof(problem, claim, refuted, search, file).run(declined);
}

}  // namespace tessera::placer
