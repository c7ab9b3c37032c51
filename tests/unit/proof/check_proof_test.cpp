#include "proof/check_proof.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>

namespace tessera {
namespace {

using ::testing::HasSubstr;

/// The text with its last line: the checksum docs/proofs.md describes.
std::string sealed(const std::string& text) {
  std::uint64_t hash = 0xCBF29CE484222325U;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3U;
  char digits[17] = {};
  std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(hash));
  return text + "end " + digits + "\n";
}

class CheckProof : public ::testing::Test {
 protected:
  CheckProof() {
    problem_.memories.push_back({.name = "sram", .capacity = 10, .reserved = {{8, 10}}});
    problem_.buffers = {{.id = "a", .live = {{0, 2}}, .size = 6},
                        {.id = "b c", .live = {{1, 3}}, .size = 3},
                        {.id = "d", .live = {{2, 3}}, .size = 4}};
  }
  ~CheckProof() override { std::filesystem::remove(file_); }

  ProofVerdict verdict_on(const std::string& text) {
    std::ofstream(file_, std::ios::binary) << text;
    return check_proof(problem_, file_,
                       [](const PlacementProblem&, std::string_view parameters,
                          std::string& why) -> std::optional<std::vector<int>> {
                         if (parameters != "p") {
                           why = "no such parameters";
                           return std::nullopt;
                         }
                         return std::vector<int>{1, 2, 0, -1, 2, 0, 1, -2, 0, -1, -2, 0};
                       });
  }
  std::string reason_for(const std::string& text) {
    const ProofVerdict verdict = verdict_on(text);
    EXPECT_FALSE(verdict.accepted);
    return verdict.reason;
  }

  PlacementProblem problem_;
  std::filesystem::path file_ =
      std::filesystem::temp_directory_path() / ("check_proof_test." + std::to_string(::getpid()));
};

const std::string cut =
    "tessera proof/1 cut\nstep 1\nmemory 0 sram\nbuffer 0 a\nbuffer 1 b c\n"
    "asked 9 available 8\n";
const std::string drat =
    "tessera proof/1 drat p\nc var 1: a\np cnf 2 4\n1 2 0\n-1 2 0\n1 -2 0\n-1 -2 0\nlemmas\n"
    "2 0\nd 1 2 0\n0\n";

TEST_F(CheckProof, AcceptsACutThatAddsUp) {
  const ProofVerdict verdict = verdict_on(sealed(cut));
  EXPECT_TRUE(verdict.accepted) << verdict.reason;
  EXPECT_EQ(verdict.kind, "cut");
  EXPECT_THAT(verdict.reason, HasSubstr("9 bytes at step 1"));
}

TEST_F(CheckProof, RejectsACutOfAnotherInput) {
  const auto with = [this](auto change) {
    const PlacementProblem kept = problem_;
    change(problem_);
    const std::string reason = reason_for(sealed(cut));
    problem_ = kept;
    return reason;
  };
  EXPECT_THAT(with([](auto& p) { p.buffers[1].size = 2; }), HasSubstr("sums"));
  EXPECT_THAT(with([](auto& p) { p.memories[0].capacity = 12; }), HasSubstr("sums"));
  EXPECT_THAT(with([](auto& p) { p.buffers[1].live = {{2, 3}}; }), HasSubstr("occupies nothing"));
  EXPECT_THAT(with([](auto& p) { p.buffers[0].id = "x"; }), HasSubstr("another id"));
  EXPECT_THAT(with([](auto& p) { p.memories.push_back({.name = "n", .capacity = 9}); }),
              HasSubstr("another memory"));
  EXPECT_THAT(with([](auto& p) {
                p.relations = {{.kind = RelationKind::may_overlap, .buffers = {0, 1}}};
              }),
              HasSubstr("may overlap"));
}

TEST_F(CheckProof, RejectsACutThatFits) {
  EXPECT_THAT(reason_for(sealed("tessera proof/1 cut\nstep 2\nmemory 0 sram\nbuffer 1 b c\n"
                                "buffer 2 d\nasked 7 available 8\n")),
              HasSubstr("fit"));
  EXPECT_THAT(reason_for(sealed("tessera proof/1 cut\nstep 0\nmemory 0 sram\nbuffer 0 a\n"
                                "buffer 0 a\nasked 12 available 8\n")),
              HasSubstr("Line 5: the buffer is named twice"));
}

TEST_F(CheckProof, AcceptsLemmasThatFollow) {
  const ProofVerdict verdict = verdict_on(sealed(drat));
  EXPECT_TRUE(verdict.accepted) << verdict.reason;
  EXPECT_EQ(verdict.kind, "drat");
  EXPECT_EQ(verdict.claim, "p");
}

TEST_F(CheckProof, RejectsWhatIsNotTheInput) {
  std::string other = drat;
  other.replace(other.find("1 -2 0"), 6, "1 -3 0");
  EXPECT_THAT(reason_for(sealed(other)), HasSubstr("Line 6: the input has another clause"));
  other = drat;
  other.erase(other.find("-1 -2 0\n"), 8);
  EXPECT_THAT(reason_for(sealed(other)), HasSubstr("the input has more clauses"));
  other = drat;
  other.replace(other.find("drat p"), 6, "drat q");
  EXPECT_THAT(reason_for(sealed(other)), HasSubstr("no such parameters"));
}

TEST_F(CheckProof, RejectsLemmasThatDoNotFollow) {
  const std::string head = drat.substr(0, drat.find("lemmas"));
  EXPECT_THAT(reason_for(sealed(head + "lemmas\n3 0\n0\n")),
              HasSubstr("Line 9: the lemma does not follow"));
  EXPECT_THAT(reason_for(sealed(head + "lemmas\n0\n")), HasSubstr("Line 9"));
  EXPECT_THAT(reason_for(sealed(head + "lemmas\nd 1 3 0\n")), HasSubstr("not there"));
  EXPECT_THAT(reason_for(sealed(head + "lemmas\n")), HasSubstr("end before"));
  EXPECT_THAT(reason_for(sealed(head + "lemmas\n2 x 0\n")), HasSubstr("no lemma"));
}

TEST_F(CheckProof, RejectsDamage) {
  for (std::size_t at = 0; at + 1 < sealed(drat).size(); ++at) {
    std::string damaged = sealed(drat);
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    EXPECT_FALSE(verdict_on(damaged).accepted) << "byte " << at;
    EXPECT_FALSE(verdict_on(sealed(drat).substr(0, at)).accepted) << "cut at " << at;
  }
  EXPECT_THAT(reason_for("hello"), HasSubstr("Line 1"));
  EXPECT_THAT(reason_for("tessera proof/1 magic\n"), HasSubstr("'magic'"));
}

TEST_F(CheckProof, SaysWhenThereIsNoFile) {
  const ProofVerdict verdict = check_proof(problem_, "/nonexistent/file", nullptr);
  EXPECT_FALSE(verdict.accepted);
  EXPECT_THAT(verdict.reason, HasSubstr("cannot be read"));
}

}  // namespace
}  // namespace tessera
