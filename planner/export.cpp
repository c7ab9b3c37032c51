#include "planner/export.h"

#include <sstream>
#include <utility>

#include "encoder/export.h"
#include "io/error.h"
#include "io/files.h"
#include "planner/errors.h"
#include "planner/requirements.h"

namespace tessera {

std::string formula_text(const PlacementProblem& problem, const std::string& format) {
  require_valid(problem);
  std::ostringstream out;
  export_formula(problem, format == "smt2" ? FormulaFormat::smt2 : FormulaFormat::dimacs, out);
  return std::move(out).str();
}

PlacementResult model_result(const PlacementProblem& problem, const std::string& path) {
  require_valid(problem);
  std::string text;
  try {
    text = read_file(path == "-" ? "/dev/stdin" : path);
  } catch (const InputError& error) {
    throw BadInput(error.what(), error.hint);
  }
  std::istringstream in(std::move(text));
  ImportedModel model = import_model(problem, in);
  if (!model.error.empty()) throw BadInput(path + ": " + model.error);
  PlacementResult result;
  result.status = model.status;
  result.placement = std::move(model.placement);
  return result;
}

}  // namespace tessera
