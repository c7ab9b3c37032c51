#include "tessera/export.h"

#include <new>
#include <ostream>
#include <sstream>
#include <streambuf>
#include <utility>

#include "encoder/export.h"
#include "encoder/rule_forms.h"
#include "io/error.h"
#include "io/files.h"
#include "placer/lifted.h"
#include "tessera/check.h"
#include "tessera/errors.h"
#include "validation/limited_budget.h"
#include "validation/requirements.h"

namespace tessera::placer {

namespace {

/// A stream buffer that passes on full blocks.
class Blocks final : public std::streambuf {
 public:
  explicit Blocks(const TextSink& sink) : sink_(sink), block_(std::size_t{1} << 16U, '\0') {
    begin();
  }
  void flush() {
    sink_({pbase(), static_cast<std::size_t>(pptr() - pbase())});
    begin();
  }

 protected:
  int_type overflow(int_type next) override {
    flush();
    if (next != traits_type::eof()) sputc(traits_type::to_char_type(next));
    return traits_type::not_eof(next);
  }

 private:
  void begin() { setp(block_.data(), block_.data() + block_.size()); }

  const TextSink& sink_;
  std::string block_;
};

/// The problem as formulas express it.
PlacementProblem expressible(const PlacementProblem& problem) {
  validation::require_valid(problem);
  require_aligned_bases(problem, "a formula does");
  if (const auto why = encoder::unsupported_rule(problem))
    throw BadInput("a formula cannot express this problem: " + *why);
  return encoder::with_listed_modes(problem);
}

}  // namespace

}  // namespace tessera::placer

namespace tessera {

std::optional<StopReason> write_formula(const PlacementProblem& problem, const std::string& format,
                                        const TextSink& sink, const Limits& limits) {
  const PlacementProblem listed = placer::expressible(problem);
  const validation::LimitedBudget limited(limits);
  Poll poll(limited.budget());
  placer::Blocks blocks(sink);
  std::ostream out(&blocks);
  out.exceptions(std::ios::badbit);  // do not swallow errors of the sink
  try {
    encoder::export_formula(
        listed, format == "smt2" ? encoder::FormulaFormat::smt2 : encoder::FormulaFormat::dimacs,
        out, &poll);
    blocks.flush();
  } catch (const BudgetEnded& ended) {
    return ended.reason;
  } catch (const std::bad_alloc&) {
    return StopReason::memory_limit;
  }
  return std::nullopt;
}

PlacementResult model_result(const PlacementProblem& problem, const std::string& path) {
  const PlacementProblem listed = placer::expressible(problem);
  std::istringstream in(io::read_file(io::input_path(path)));
  encoder::ImportedModel model = encoder::import_model(listed, in);
  if (!model.error.empty()) throw BadInput(path + ": " + model.error);
  if (model.placement) return counted(problem, std::move(*model.placement));
  PlacementResult result;
  result.status = model.status;
  return result;
}

}  // namespace tessera
