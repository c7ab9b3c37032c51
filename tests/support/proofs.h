// Proofs as text, for tests that check and corrupt them.
//
//   TextSink sink;
//   engine->solve(problem, {.proof = &sink});
//   ProofPart part = check_proof_of(problem, {}, "derivation", sink.text);
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/engine.h"
#include "tests/support/random.h"

namespace tessera::testing {

class TextSink final : public engine::ProofSink {
 public:
  void write(std::string_view more) override { text += more; }
  std::string text;
};

/// The text with its last line: the checksum docs/reference/proofs.md describes.
[[nodiscard]] std::string sealed(std::string text);
/// The text without its last line.
[[nodiscard]] std::string unsealed(const std::string& text);

[[nodiscard]] std::vector<std::string> lines_of(const std::string& text);
[[nodiscard]] std::string text_of(const std::vector<std::string>& lines);

/// One random change: a number replaced by another of the text or a close one, a line removed,
/// doubled, moved, or inserted from `other`, two numbers exchanged.
[[nodiscard]] std::string damaged(Random& random, const std::string& text,
                                  const std::string& other);

}  // namespace tessera::testing
