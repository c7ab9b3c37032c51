// Writes a derivation while the search runs: proof/derivation.h says what the lines mean.
//
//   ProofWriter writer("no.proof", problem, build, deduction);
//   Search search(deduction, build.plan, params, seed, &writer);
//   if (refuted) writer.finish();                         // else nothing is left behind
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include "build.h"

namespace tessera::learning {

class ProofWriter final : public Recorder {
 public:
  /// require: Goal::fit, build.all() done.
  ProofWriter(const std::filesystem::path& path, const Build& build, const Deduction& deduction);
  ~ProofWriter() override;

  std::uint64_t learned(std::span<const Lit> lits, std::span<const Lemma> antecedents) override;
  void forgotten(std::span<const std::uint64_t> ids) override;
  /// Seals the certificate and gives it its name. False: it could not be written.
  bool finish();

 private:
  void number(std::int64_t value);
  void literals(std::span<const Lit> lits);
  void flush();

  const Deduction& deduction_;
  std::filesystem::path path_, part_;
  std::ofstream out_;
  std::string text_;
  std::uint64_t hash_ = 0xCBF29CE484222325U;  // FNV-1a
  std::uint64_t last_ = 0;                    // name of the last clause
};

}  // namespace tessera::learning
