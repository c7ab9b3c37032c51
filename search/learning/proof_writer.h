// Writes a derivation during the search; docs/reference/proofs.md defines the lines.
//
//   ProofWriter writer(sink, build, deduction);
//   Search search(deduction, build.plan, params, seed, &writer);
//   if (refuted) writer.finish();                         // else what was written is void
#pragma once

#include <string>

#include "build.h"
#include "engine/engine.h"

namespace tessera::search::learning {

class ProofWriter final : public Recorder {
 public:
  /// require: build.all() is done.
  ProofWriter(engine::ProofSink& sink, const Build& build, const Deduction& deduction);

  std::uint64_t learned(std::span<const Lit> lits, std::span<const Lemma> antecedents) override;
  void forgotten(std::span<const std::uint64_t> ids) override;
  void core(std::uint64_t id, Value weight) override;
  /// Writes buffered lines.
  void finish() { flush(); }

 private:
  void number(std::int64_t value);
  void literals(std::span<const Lit> lits);
  void flush();

  const Deduction& deduction_;
  engine::ProofSink& sink_;
  std::string text_;
  std::uint64_t last_ = 0;  // name of the last clause
};

}  // namespace tessera::search::learning
