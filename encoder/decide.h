// The common road of both engines: cut, encode, ask a solver, optimise, decode.
#pragma once

#include <functional>
#include <memory>

#include "backend.h"
#include "encoding.h"

namespace tessera::encoder {

struct DecideParams {
  std::string engine;  ///< its name, for sentences
  bool break_symmetry = true;
  bool load_cut = true;
  OffsetEncoding encoding = OffsetEncoding::automatic;  ///< of certificates
  /// Does the solver write lemmas? If not, CaDiCaL is asked again for a certificate.
  bool writes_lemmas = false;
  /// Makes the solver of one question; `proof` as in CadicalParams.
  std::function<std::unique_ptr<Backend>(const SearchParams& search,
                                         const std::filesystem::path& proof)>
      make_solver;
};

[[nodiscard]] std::optional<std::string> unsupported(const PlacementProblem& problem, Goal goal);

/// require: validate(problem) is empty, unsupported(problem, search.goal) is nothing.
[[nodiscard]] SearchResult decide(const PlacementProblem& problem, const DecideParams& params,
                                  const SearchParams& search);

}  // namespace tessera::encoder
