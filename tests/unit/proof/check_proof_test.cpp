#include "proof/check_proof.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/proofs.h"

namespace tessera::proof {
namespace {

using ::testing::HasSubstr;
using testing::sealed;

class CheckProof : public ::testing::Test {
 protected:
  CheckProof() {
    problem_.memories.push_back({.name = "sram", .capacity = 10, .reserved = {{8, 10}}});
    problem_.buffers = {{.id = "a", .live = {{0, 2}}, .size = 6},
                        {.id = "b c", .live = {{1, 3}}, .size = 3},
                        {.id = "d", .live = {{2, 3}}, .size = 4}};
  }

  ProofVerdict verdict_on(const std::string& text) { return check_proof(problem_, sealed(text)); }
  std::string reason_for(const std::string& text) {
    const ProofVerdict verdict = verdict_on(text);
    EXPECT_FALSE(verdict.accepted) << text;
    return verdict.reason;
  }
  std::string reason_for_lines(const Claim& claim, const std::string& kind,
                               const std::string& lines) {
    const ProofPart part = check_proof_of(problem_, claim, kind, lines);
    EXPECT_FALSE(part.accepted) << lines;
    return part.reason;
  }

  PlacementProblem problem_;
};

const std::string head = "tessera proof/2\ncapacity 0 10 sram\n";
const std::string cut = "step 1\nmemory 0 sram\nbuffer 0 a\nbuffer 1 b c\nasked 9 available 8\n";
const std::string whole = head + "claim infeasible\ncut\n" + cut;

TEST_F(CheckProof, AcceptsACutThatAddsUp) {
  const ProofVerdict verdict = verdict_on(whole);
  EXPECT_TRUE(verdict.accepted) << verdict.reason;
  ASSERT_EQ(verdict.parts.size(), 1U);
  EXPECT_EQ(verdict.parts[0].kind, "cut");
  EXPECT_EQ(verdict.parts[0].claim_text, "infeasible with sram of 10");
  EXPECT_THAT(verdict.reason, HasSubstr("9 bytes at step 1"));
}

TEST_F(CheckProof, RejectsACutOfAnotherInput) {
  const auto with = [this](auto change) {
    const PlacementProblem kept = problem_;
    change(problem_);
    const std::string reason = reason_for(whole);
    problem_ = kept;
    return reason;
  };
  EXPECT_THAT(with([](auto& p) { p.buffers[1].size = 2; }), HasSubstr("sums"));
  EXPECT_THAT(with([](auto& p) { p.memories[0].reserved.clear(); }), HasSubstr("sums"));
  EXPECT_THAT(with([](auto& p) { p.buffers[1].live = {{2, 3}}; }), HasSubstr("may share"));
  EXPECT_THAT(with([](auto& p) { p.buffers[0].id = "x"; }), HasSubstr("another id"));
  EXPECT_THAT(with([](auto& p) { p.memories.push_back({.name = "n", .capacity = 9}); }),
              HasSubstr("another memory"));
  EXPECT_THAT(with([](auto& p) { p.memories[0].name = "dram"; }),
              HasSubstr("does not have at this position"));
  EXPECT_THAT(with([](auto& p) {
                p.relations = {{.kind = RelationKind::may_overlap, .buffers = {0, 1}}};
              }),
              HasSubstr("may share"));
}

TEST_F(CheckProof, RejectsACutThatFits) {
  EXPECT_THAT(reason_for(head + "claim infeasible\ncut\nstep 2\nmemory 0 sram\nbuffer 1 b c\n"
                                "buffer 2 d\nasked 7 available 8\n"),
              HasSubstr("fit"));
  EXPECT_THAT(reason_for(head + "claim infeasible\ncut\nstep 0\nmemory 0 sram\nbuffer 0 a\n"
                                "buffer 0 a\nasked 12 available 8\n"),
              HasSubstr("Line 8: the buffer is named twice"));
}

// Eight memories of 2^60 bytes: their sum does not fit into 64 bits.
TEST_F(CheckProof, RejectsSumsThatWrap) {
  problem_ = {};
  std::string text = "tessera proof/2\n";
  std::string memories;
  for (int m = 0; m < 8; ++m) {
    const std::string name = "m" + std::to_string(m);
    problem_.memories.push_back({.name = name, .capacity = max_address});
    text += "capacity " + std::to_string(m) + " 1152921504606846976 " + name + '\n';
    memories += "memory " + std::to_string(m) + " " + name + '\n';
  }
  problem_.buffers.push_back({.id = "x", .live = {{0, 1}}, .size = 1});
  const std::string lines = "step 0\n" + memories + "buffer 0 x\n";
  static_cast<void>(reason_for(text + "claim infeasible\ncut\n" + lines +
                               "asked 1 available -9223372036854775808\n"));
  EXPECT_THAT(reason_for_lines({}, "cut", lines + "asked 1 available -9223372036854775808\n"),
              HasSubstr("sums"));
}

TEST_F(CheckProof, TheClaimIsPartOfTheVerdict) {
  // Seven bytes and three live at step 1: at least nine addresses, below 8 nothing fits.
  const std::string low =
      "claim height 9 0\ncut\nstep 1\nmemory 0 sram\nbuffer 0 a\nbuffer 1 b c\n"
      "asked 9 available 8\n";
  const ProofVerdict verdict = verdict_on(head + low);
  EXPECT_TRUE(verdict.accepted) << verdict.reason;
  EXPECT_EQ(verdict.parts[0].claim_text, "max height of {sram} >= 9");
  EXPECT_THAT(reason_for(head + "claim cost 2\ncut\n" + cut), HasSubstr("not costs"));
  EXPECT_THAT(reason_for(head + "claim modes 1\ncut\n" + cut), HasSubstr("not costs"));
  EXPECT_THAT(reason_for(head + "claim height 0 0\ncut\n" + cut), HasSubstr("at least 1"));
  EXPECT_THAT(reason_for(head + "claim height 3\ncut\n" + cut), HasSubstr("at least one memory"));
  EXPECT_THAT(reason_for(head + "claim height 3 1\ncut\n" + cut), HasSubstr("ascending numbers"));
  EXPECT_THAT(reason_for(head + "claim best 3\ncut\n" + cut), HasSubstr("is not a known claim"));
  EXPECT_THAT(reason_for(head), HasSubstr("has no claims"));
  EXPECT_THAT(reason_for(head + low + "claim infeasible\nmagic\n"), HasSubstr("'magic'"));
  const ProofVerdict both = verdict_on(head + low + "claim infeasible\ncut\n" + cut);
  EXPECT_TRUE(both.accepted) << both.reason;
  EXPECT_EQ(both.parts.size(), 2U);
}

TEST_F(CheckProof, ReadsTheHeader) {
  std::string why;
  const auto header = proof_header(
      "tessera proof/2\nread profile my machine\ncapacity 0 10 a b\nclaim infeasible\n", why);
  ASSERT_TRUE(header) << why;
  ASSERT_EQ(header->read.size(), 1U);
  EXPECT_EQ(header->read[0].second, "my machine");
  ASSERT_EQ(header->capacities.size(), 1U);
  EXPECT_EQ(header->capacities[0].name, "a b");
  EXPECT_FALSE(proof_header("tessera proof/1 cut\n", why));
  EXPECT_FALSE(proof_header("", why));
}

TEST_F(CheckProof, KnowsHowAnInputIsReadOrRefuses) {
  std::string why;
  const auto refused = [&why](const std::string& lines) {
    why.clear();
    return !proof_header("tessera proof/2\n" + lines + "claim infeasible\n", why) && !why.empty();
  };
  EXPECT_FALSE(refused("read lifetimes half-open\nread profile x\n"));
  EXPECT_FALSE(refused("read lifetimes inclusive\n"));
  EXPECT_TRUE(refused("read lifetimes open\n"));
  EXPECT_TRUE(refused("read lifetimes half-open \n"));
  EXPECT_TRUE(refused("read lifetimes half-open\nread lifetimes inclusive\n"));
  EXPECT_TRUE(refused("read profile x\nread profile x\n"));
  EXPECT_TRUE(refused("read profile \n"));
  EXPECT_TRUE(refused("read profile x\x1b[31m\n"));
  EXPECT_TRUE(refused("read steps all\n"));
  EXPECT_THAT(why, HasSubstr("Line 2"));
}

// A smaller capacity makes more claims true, so nothing follows for the problem; a larger one
// implies the claim.
TEST_F(CheckProof, RefusesLessRoomThanTheProblemHas) {
  const std::string lines =
      "claim height 9 0\ncut\nstep 1\nmemory 0 sram\nbuffer 0 a\nbuffer 1 b c\n"
      "asked 9 available 8\n";
  for (const Size own : {9, 10}) {
    problem_.memories[0].capacity = own;
    problem_.memories[0].reserved.clear();
    const ProofVerdict verdict = verdict_on(head + lines);
    EXPECT_TRUE(verdict.accepted) << verdict.reason;
    EXPECT_EQ(verdict.parts[0].claim_text, "max height of {sram} >= 9");
  }
  problem_.memories[0].capacity = 11;
  EXPECT_THAT(reason_for(head + lines),
              HasSubstr("memory 'sram' with 10 bytes, but in the input it has 11"));
  // The capacity that the problem does not say is part of the claim.
  problem_.memories[0].capacity = unbounded;
  const ProofVerdict verdict = verdict_on(head + lines);
  EXPECT_TRUE(verdict.accepted) << verdict.reason;
  EXPECT_EQ(verdict.parts[0].claim_text, "max height of {sram} >= 9 with sram of 10");
  EXPECT_EQ(verdict_on("tessera proof/2\n" + lines).parts[0].claim_text,
            "max height of {sram} >= 9");
}

TEST_F(CheckProof, RejectsDamage) {
  const std::string text = sealed(whole);
  for (std::size_t at = 0; at + 1 < text.size(); ++at) {
    std::string damaged = text;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    EXPECT_FALSE(check_proof(problem_, damaged).accepted) << "byte " << at;
    EXPECT_FALSE(check_proof(problem_, text.substr(0, at)).accepted) << "cut at " << at;
  }
  EXPECT_THAT(reason_for("hello"), HasSubstr("Line 1"));
}

TEST_F(CheckProof, RejectsWordsThatAreTooMany) {
  EXPECT_THAT(reason_for_lines({}, "cut", "step 1 2\n" + cut), HasSubstr("Line 1"));
  EXPECT_THAT(reason_for_lines({}, "derivation", "o 0 0 7\n"), HasSubstr("extra text"));
  EXPECT_THAT(reason_for_lines({}, "derivation", "o 0 0\nl 1 0\nq 3\n"), HasSubstr("Line 3"));
}

// docs/reference/proofs.md defines a single spelling of each line: ambiguous lines are rejected.
TEST_F(CheckProof, RejectsOtherSpellings) {
  const auto spelled = [this](const std::string& from, const std::string& to) {
    std::string text = whole;
    text.replace(text.find(from), from.size(), to);
    EXPECT_FALSE(verdict_on(text).accepted) << text;
  };
  spelled("step 1", "step  1");
  spelled("step 1", " step 1");
  spelled("step 1", "step 1 ");
  spelled("step 1", "step 01");
  spelled("buffer 0", "buffer -0");
  spelled("capacity 0", "capacity  0");
  spelled("claim infeasible", "claim infeasible ");
  spelled("claim infeasible", " claim infeasible");
  spelled("memory 0", "grain 1\ngrain 1\nmemory 0");
  EXPECT_THAT(reason_for_lines({}, "derivation", "o 0  0\n"), HasSubstr("Line 1"));
  EXPECT_THAT(reason_for_lines({}, "derivation", "o 0 0\nl 1 0\nq \n"), HasSubstr("Line 3"));
}

// Two bytes are too few for buffer 0: declaring it is a contradiction.
TEST_F(CheckProof, FromAContradictionEverythingFollowsThatIsWellFormed) {
  const Claim claim{ClaimKind::height, {0}, 3};
  const auto judged = [&](const std::string& more) {
    return check_proof_of(problem_, claim, "derivation", "o 0 0\n" + more);
  };
  EXPECT_TRUE(judged("").accepted);
  EXPECT_TRUE(judged("a 1 0\n").accepted);
  EXPECT_TRUE(judged("l 1 1 0 9\ne 1 -2 0\nq\n").accepted);
  EXPECT_TRUE(judged("l 1 0\nq\nl 2 0\nc 1\nq\n").accepted) << "an empty clause is one";
  EXPECT_FALSE(judged("l 1 0\nc 1\nq\n").accepted);
  EXPECT_FALSE(judged("l 1 0\ni 0 0 1\nq\n").accepted) << "steps declare nothing";
  EXPECT_FALSE(judged("l 1 0\ne -1 1 7 1\nq\n").accepted);
  EXPECT_FALSE(judged("o 1 0\n").accepted);
}

// A literal whose negation is impossible needs no rule, independent of its letter.
TEST_F(CheckProof, WhatCannotBeFalseFollowsByAnyRule) {
  const std::string before = "o 0 0\nl 1 0\n";
  for (const char* rule :
       {"e 0 -3 0", "t 0 -3 0", "w 0 -3 0 0", "n 0 -3 0 0", "r 0 -3 0", "g 0 -3 0"})
    EXPECT_THAT(reason_for_lines({}, "derivation", before + rule + "\nq\n"), HasSubstr("Line 4"))
        << rule;
  EXPECT_THAT(reason_for_lines({}, "derivation", before + "g 0 3 0\nq\n"), HasSubstr("Line 3"));
}

TEST_F(CheckProof, TablesAreBoundedByTheText) {
  EXPECT_THAT(reason_for_lines({}, "derivation", "o 16777215 0\n"), HasSubstr("out of range"));
  EXPECT_THAT(reason_for_lines({}, "derivation", "o 0 0\nl 1 9999999\n"),
              HasSubstr("out of range"));
}

// a has 20 bytes, but only its first 10 are live with b: the only placement has b right above them.
// "The whole of a is not below b" must not imply that a is above b.
TEST_F(CheckProof, AnItemThatIsNotKeptApartCarriesNothing) {
  problem_ = {};
  problem_.memories.push_back({.name = "m", .capacity = 20});
  problem_.buffers.push_back({.id = "a",
                              .live = {{0, 2}},
                              .size = 20,
                              .gaps = {{.steps = {0, 1}, .window = AddressRange{0, 10}}}});
  problem_.buffers.push_back({.id = "b", .live = {{0, 1}}, .size = 10});
  const std::string declared =
      "o 0 0\no 1 1\ni 0 0 10\ni 1 0 10\ni 0 0 20\np 2 0 1\nv 3 2 1\n"
      "l 1 1 4 1\ne -1 1 5 1\nq\n"     // b is not below a
      "l 2 1 2 10\ne 2 10 1 4 1\nq\n"  // therefore it begins at 10
      "l 3 1 7 1\ne -1 1 6 1\nq\n";    // the whole of a is not below b
  const std::string rest = declared + "l 4 0\nr 2 11 1 7 1\nq\n";
  EXPECT_THAT(reason_for_lines({}, "derivation", rest), HasSubstr("does not add up"));
}

TEST_F(CheckProof, ABudgetThatEndsIsNoVerdict) {
  std::stop_source source;
  source.request_stop();
  Budget budget;
  budget.stop = source.get_token();
  std::string lines;
  for (int k = 0; k < 300; ++k) lines += "d 0\n";
  const ProofVerdict verdict =
      check_proof(problem_, sealed(head + "claim infeasible\nderivation\n" + lines), budget);
  EXPECT_FALSE(verdict.accepted);
  EXPECT_EQ(verdict.stop, StopReason::interrupted);
}

/// Five buffers without common steps, each pair separated for a different reason.
class CheckClique : public CheckProof {
 protected:
  CheckClique() {
    problem_.memories[0].reserved.clear();
    problem_.buffers.clear();
    for (const char* id : {"a", "b", "c", "d", "e", "f"}) {
      const auto step = static_cast<Step>(10 * problem_.buffers.size());
      problem_.buffers.push_back({.id = id, .live = {{step, step + 5}}, .size = 4});
    }
    problem_.buffers[5].size = 5;
    problem_.buffers[5].live = {{0, 15}};
    problem_.relations = {{RelationKind::disjoint, {0, 1}, 0},
                          {RelationKind::adjacent, {1, 2}, 0},
                          {RelationKind::different_banks, {0, 2}, 0},
                          {RelationKind::same_offset, {3, 5}, 0}};
  }
  /// Of these buffers, by number.
  std::string reason_of(const std::vector<BufferIndex>& buffers, Size asked) {
    std::string lines = "memory 0 sram\n";
    for (const BufferIndex b : buffers)
      lines += "buffer " + std::to_string(b) + ' ' + problem_.buffers[b].id + '\n';
    lines += "asked " + std::to_string(asked) + " available 10\n";
    const ProofPart part = check_proof_of(problem_, {}, "cut", lines);
    return part.accepted ? "" : part.reason;
  }
};

TEST_F(CheckClique, RelationsKeepApart) {
  EXPECT_EQ(reason_of({0, 1, 2}, 12), "");
  EXPECT_THAT(reason_of({0, 1, 4}, 12), HasSubstr("may share addresses"));
  for (std::size_t without = 0; without < 3; ++without) {
    const Relation relation = problem_.relations[without];
    problem_.relations[without] = {RelationKind::same_bank, {0, 4}, 0};
    EXPECT_THAT(reason_of({0, 1, 2}, 12), HasSubstr("may share addresses")) << without;
    problem_.relations[without] = relation;
  }
}

TEST_F(CheckClique, WhoLiesAtAnOffsetSpeaksForThoseNoLarger) {
  // d has the offset of f, which is live with a and with b.
  EXPECT_EQ(reason_of({0, 1, 3}, 12), "");
  problem_.buffers[3].size = 6;
  EXPECT_THAT(reason_of({0, 1, 3}, 14), HasSubstr("may share addresses"));
  problem_.buffers[3].size = 4;
  problem_.relations.pop_back();
  EXPECT_THAT(reason_of({0, 1, 3}, 12), HasSubstr("may share addresses"));
}

TEST_F(CheckClique, PlacesThatNeverMeet) {
  problem_.buffers[0].offset = 6;
  problem_.buffers[3].window = AddressRange{0, 6};
  problem_.buffers[4].window = AddressRange{2, 7};
  EXPECT_THAT(reason_of({0, 3}, 8), HasSubstr("fit"));
  EXPECT_THAT(reason_of({0, 4}, 8), HasSubstr("may share addresses"));
}

}  // namespace
}  // namespace tessera::proof
