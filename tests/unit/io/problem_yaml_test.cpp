#include "io/problem_yaml.h"

#include "model/derived.h"
#include "tests/support/random_problem.h"
#include "tests/unit/io/support.h"

namespace tessera::io {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

ProblemYaml read_problem(const std::string& text) {
  return read_problem_yaml(text, "t.yaml");
}

constexpr const char* patent = R"(tessera: problem/1
name: patent-figure-1
memories:
  sram:
    capacity: 12
    alignment: 2
    banks: [{name: b0, size: 4}, {name: b1, size: 4}, {name: b2, size: 4}]
    straddle: false
    modes:
      - {name: m0, roles: [read, read, write]}
      - {name: m1, roles: [write, write, read]}
    reserved: [[0, 1], [8, 10]]
  dram: {capacity: 1 MiB}
buffers:
  - id: blob0
    live: [0, 2]
    size: 4
    alignment: 2
    memory: sram
    read: [1, 0]
    write: []
    kind: activation
    offset: 0
    hint: 4
    window: [0, 12]
  - {id: w, live: [[0, 2], [5, 7]], size: 1 KiB, memory: [dram, sram], kind: weight,
     gaps: [{live: [0, 1]}, {live: [5, 6], window: [0, 512]}]}
  - {id: 007, live: [1, 3], size: 1}
relations:
  - {disjoint: [blob0, w]}
  - {avoid_overlap: [w, 007], cost: 3}
objective: minimize_height
)";

TEST(ProblemYaml, EscapesOfSpacesAreText) {
  // yaml-cpp by itself converts this to an invalid UTF-8 byte. (`\N` is a line end, which no name
  // contains.)
  const ProblemYaml yaml = read_problem(
      "tessera: problem/1\nmemories: {\"m\\_n\": {capacity: 8}}\nbuffers: [{id: a, live: [0, 1], "
      "size: 1}]\n");
  EXPECT_EQ(yaml.problem.memories.at(0).name, "m\xC2\xA0n");
}

TEST(ProblemYaml, AListWithNothingInItIsEmpty) {
  const ProblemYaml yaml = read_problem(R"(tessera: problem/1
memories:
  m:
    capacity: 8
    banks:
    reserved:
    modes:
buffers:
  - id: a
    live: [0, 1]
    size: 1
    read:
    gaps:
relations:
)");
  EXPECT_TRUE(yaml.problem.relations.empty());
  EXPECT_TRUE(yaml.problem.memories.at(0).reserved.empty());
  EXPECT_EQ(yaml.problem.buffers.size(), 1U);
}

TEST(ProblemYaml, ABaseIsHexadecimalOrBytes) {
  const auto base_of = [](const std::string& text) {
    return read_problem("tessera: problem/1\nmemories: {m: {capacity: 8, base: " + text +
                        "}}\nbuffers: [{id: a, live: [0, 1], size: 1}]\n")
        .problem.memories.at(0)
        .base;
  };
  EXPECT_EQ(base_of("0x20000000"), 0x20000000);
  EXPECT_EQ(base_of("0Xff"), 255);
  EXPECT_EQ(base_of("512 MiB"), 0x20000000);
  EXPECT_EQ(base_of("12"), 12);
  const ProblemYaml yaml = read_problem(
      "tessera: problem/1\nmemories: {m: {base: 0x1f}}\nbuffers: [{id: a, live: [0, 1], size: "
      "1}]\n");
  EXPECT_THAT(write_problem_yaml(yaml.problem), HasSubstr("base: 0x1f"));
}

TEST(ProblemYaml, ReadsEveryKey) {
  const ProblemYaml yaml = read_problem(patent);
  const PlacementProblem& problem = yaml.problem;
  EXPECT_EQ(problem.name, "patent-figure-1");
  EXPECT_EQ(problem.objective, Objective::height);
  ASSERT_EQ(problem.memories.size(), 2U);
  const Memory& sram = problem.memories[0];
  EXPECT_EQ(sram.name, "sram");
  EXPECT_EQ(sram.capacity, 12);
  EXPECT_EQ(sram.alignment, 2);
  ASSERT_EQ(sram.banks.size(), 3U);
  EXPECT_EQ(sram.banks[2].name, "b2");
  EXPECT_EQ(sram.banks[2].size, 4);
  EXPECT_FALSE(sram.straddle);
  ASSERT_EQ(sram.modes.size(), 2U);
  EXPECT_EQ(sram.modes[1].name, "m1");
  EXPECT_THAT(sram.modes[1].roles, ElementsAre(Role::write, Role::write, Role::read));
  EXPECT_THAT(sram.reserved, ElementsAre(AddressRange{0, 1}, AddressRange{8, 10}));
  EXPECT_EQ(problem.memories[1].capacity, 1048576);

  ASSERT_EQ(problem.buffers.size(), 3U);
  const Buffer& blob = problem.buffers[0];
  EXPECT_THAT(blob.live, ElementsAre(StepRange{0, 2}));
  EXPECT_EQ(blob.size, 4);
  EXPECT_EQ(blob.alignment, 2);
  EXPECT_THAT(blob.memories, ElementsAre(0U));
  EXPECT_THAT(blob.read, ElementsAre(0, 1)) << "sorted";
  EXPECT_TRUE(blob.write.empty());
  EXPECT_EQ(blob.offset, 0);
  EXPECT_EQ(blob.hint, 4);
  EXPECT_EQ(blob.window, (AddressRange{0, 12}));
  const Buffer& w = problem.buffers[1];
  EXPECT_THAT(w.live, ElementsAre(StepRange{0, 2}, StepRange{5, 7}));
  EXPECT_EQ(w.size, 1024);
  EXPECT_EQ(w.kind, BufferKind::weight);
  EXPECT_THAT(w.memories, ElementsAre(1U, 0U));
  ASSERT_EQ(w.gaps.size(), 2U);
  EXPECT_EQ(w.gaps[1].window, (AddressRange{0, 512}));
  EXPECT_EQ(problem.buffers[2].id, "007") << "ids are text, whatever they look like";

  ASSERT_EQ(problem.relations.size(), 2U);
  EXPECT_EQ(problem.relations[0].kind, RelationKind::disjoint);
  EXPECT_EQ(problem.relations[1].cost, 3);
  EXPECT_THAT(problem.relations[1].buffers, ElementsAre(1U, 2U));
  EXPECT_THAT(yaml.source.memories, ElementsAre(4, 13));
  EXPECT_THAT(yaml.source.buffers, ElementsAre(15, 26, 28));
  EXPECT_THAT(yaml.source.relations, ElementsAre(30, 31));
}

TEST(ProblemYaml, ReadsModesPerBankAndRangesOfRoles) {
  const PlacementProblem problem = read_problem(R"(tessera: problem/1
memories:
  a:
    banks: [{name: x, size: 8, roles: [read, write]}, {name: y, size: 8, roles: [hold, off]}]
    modes: per_bank
  b:
    banks: 4
    bank_size: 1 KiB
    modes: [{name: m, roles: {0-2: read_write, 3: weight}}]
  c: {modes: [{name: only, roles: [read_write]}]}
buffers:
  - {id: z, live: [0, 1], size: 4}
)")
                                       .problem;
  EXPECT_TRUE(problem.memories[0].modes_per_bank);
  EXPECT_EQ(problem.memories[0].capacity, 16) << "from the banks";
  EXPECT_THAT(problem.memories[0].banks[1].roles, ElementsAre(Role::hold, Role::off));
  EXPECT_EQ(problem.memories[1].banks[3].name, "b3");
  EXPECT_THAT(problem.memories[1].modes[0].roles,
              ElementsAre(Role::read_write, Role::read_write, Role::read_write, Role::weight));
  EXPECT_EQ(problem.memories[2].capacity, unbounded);
}

TEST(ProblemYaml, ReadsJsonAsTheYamlItIs) {
  const PlacementProblem problem =
      read_problem(
          "{\"tessera\": \"problem/1\", \"memories\": {\"m\": {\"capacity\": 8}},\n"
          "\"buffers\": [{\"id\": \"a\", \"live\": [0, 1], \"size\": 4}]}\n")
          .problem;
  EXPECT_EQ(problem.buffers[0].id, "a");
}

TEST(ProblemYaml, TakesTheMemoriesOfAProfile) {
  const std::string text =
      "tessera: problem/1\nbuffers:\n  - {id: a, live: [0, 1], size: 4, memory: l2}\n";
  EXPECT_REFUSED(read_problem(text), 1, "no `memories`");
  const std::vector<Memory> memories{{.name = "l1", .capacity = 64},
                                     {.name = "l2", .capacity = 64}};
  const PlacementProblem problem = read_problem_yaml(text, "t.yaml", memories).problem;
  ASSERT_EQ(problem.memories.size(), 2U);
  EXPECT_THAT(problem.buffers[0].memories, ElementsAre(1U));
  const std::vector<Memory> others{{.name = "sram", .capacity = 64}};
  EXPECT_REFUSED(read_problem_yaml(text, "t.yaml", others), 3, "unknown memory `l2`");
}

TEST(ProblemYaml, WhatItWritesReadsBackTheSame) {
  const std::string written = write_problem_yaml(read_problem(patent).problem);
  EXPECT_EQ(write_problem_yaml(read_problem(written).problem), written);
  EXPECT_THAT(written, HasSubstr("  - {id: blob0, live: [0, 2], size: 4, alignment: 2, memory: "
                                 "sram, read: [0, 1], offset: 0, hint: 4, window: [0, 12]}\n"));
  EXPECT_THAT(written, HasSubstr("id: \"007\""));
}

TEST(ProblemYaml, AwkwardIdsSurvive) {
  PlacementProblem problem;
  problem.name = "# not a comment";
  problem.memories.push_back({.name = "a: b", .capacity = 64});
  const std::vector<std::string> ids{"null",
                                     "~",
                                     "true",
                                     "No",
                                     "0",
                                     "007",
                                     "1e3",
                                     "0x1F",
                                     " lead",
                                     "trail ",
                                     "a,b",
                                     "[x]",
                                     "{x: y",
                                     "*star",
                                     "&amp",
                                     "!tag",
                                     "%dir",
                                     "@at",
                                     "`tick",
                                     "it's",
                                     "\"q",
                                     "-",
                                     "- a",
                                     "?",
                                     "back\\sl",
                                     "gr\xC3\xBC\xC3\x9F",
                                     "a: b",
                                     "a #b",
                                     "...",
                                     "---",
                                     "=",
                                     "<<",
                                     "123456789012345678901234567890"};
  for (const std::string& id : ids) {
    problem.buffers.push_back({.id = id, .live = {{0, 1}}, .size = 1, .memories = {0}});
  }
  problem.relations.push_back({RelationKind::may_overlap, {0, 5, 12}, 0});
  const PlacementProblem again = read_problem(write_problem_yaml(problem)).problem;
  EXPECT_EQ(again.name, problem.name);
  EXPECT_EQ(again.memories[0].name, "a: b");
  ASSERT_EQ(again.buffers.size(), ids.size());
  for (std::size_t k = 0; k < ids.size(); ++k) EXPECT_EQ(again.buffers[k].id, ids[k]);
}

TEST(ProblemYaml, AnIdIsOneLineOfText) {
  for (const char* id : {"tab\\t", "new\\nline", "\\x01", "\\x7F", "\\0"})
    EXPECT_REFUSED(read_problem("tessera: problem/1\nmemories: {m: {capacity: 64}}\nbuffers:\n"
                                "  - {id: \"" +
                                std::string(id) + "\", live: [0, 2], size: 4}\n"),
                   4, "control character");
}

// Field by field, for problems with every feature of the model.
TEST(ProblemYaml, RandomProblemsSurvive) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    testing::Random random(seed);
    const PlacementProblem problem = testing::random_problem(random, testing::Features::all());
    const PlacementProblem again = read_problem(write_problem_yaml(problem)).problem;
    ASSERT_EQ(again.memories.size(), problem.memories.size());
    for (MemoryIndex m = 0; m < problem.memories.size(); ++m) {
      const Memory& a = problem.memories[m];
      const Memory& b = again.memories[m];
      EXPECT_EQ(b.name, a.name);
      EXPECT_EQ(b.capacity, a.capacity);
      EXPECT_EQ(b.alignment, a.alignment);
      EXPECT_EQ(b.straddle, a.straddle);
      EXPECT_EQ(b.modes_per_bank, a.modes_per_bank);
      EXPECT_EQ(b.reserved, a.reserved);
      ASSERT_EQ(b.banks.size(), a.banks.size());
      for (std::size_t k = 0; k < a.banks.size(); ++k) {
        EXPECT_EQ(b.banks[k].name, a.banks[k].name);
        EXPECT_EQ(b.banks[k].size, a.banks[k].size);
        EXPECT_EQ(b.banks[k].roles, a.banks[k].roles);
      }
      ASSERT_EQ(b.modes.size(), a.modes.size());
      for (std::size_t k = 0; k < a.modes.size(); ++k) {
        EXPECT_EQ(b.modes[k].name, a.modes[k].name);
        EXPECT_EQ(b.modes[k].roles, a.modes[k].roles);
      }
    }
    ASSERT_EQ(again.buffers.size(), problem.buffers.size());
    for (BufferIndex k = 0; k < problem.buffers.size(); ++k) {
      const Buffer& a = problem.buffers[k];
      const Buffer& b = again.buffers[k];
      EXPECT_EQ(b.id, a.id);
      EXPECT_EQ(b.live, a.live);
      EXPECT_EQ(b.size, a.size);
      EXPECT_EQ(b.alignment, a.alignment);
      EXPECT_EQ(segments(b), segments(a));
      EXPECT_EQ(b.gaps.size(), a.gaps.size());
      EXPECT_EQ(b.memories, a.memories);
      EXPECT_EQ(b.read, a.read);
      EXPECT_EQ(b.write, a.write);
      EXPECT_EQ(b.kind, a.kind);
      EXPECT_EQ(b.offset, a.offset);
      EXPECT_EQ(b.hint, a.hint);
      EXPECT_EQ(b.window, a.window);
    }
    ASSERT_EQ(again.relations.size(), problem.relations.size());
    for (std::size_t k = 0; k < problem.relations.size(); ++k) {
      EXPECT_EQ(again.relations[k].kind, problem.relations[k].kind);
      EXPECT_EQ(again.relations[k].buffers, problem.relations[k].buffers);
      EXPECT_EQ(again.relations[k].cost, problem.relations[k].cost);
    }
    EXPECT_EQ(again.objective, problem.objective);
  }
}

TEST(ProblemYaml, HintsHelp) {
  const auto hint = [](const std::string& text) {
    return testing::refusal([&] { return read_problem(text); })->hint;
  };
  const std::string top = "tessera: problem/1\nmemories: {m: {capacity: 8}}\n";
  EXPECT_EQ(hint(top + "buffers: [{id: a, live: [0, 1], size: 4, aligment: 2}]\n"),
            "did you mean `alignment`?");
  EXPECT_THAT(hint(top + "buffers: [{id: a, live: [0, 1], size: 4, zzzzzzzzz: 2}]\n"),
              HasSubstr("known keys are id, live, parts, size, alignment"));
}

}  // namespace
}  // namespace tessera::io
