#include "io/dsa_json.h"

#include <algorithm>

#include "tests/support/paths.h"
#include "tests/unit/io/support.h"

namespace tessera::io {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// A document with parts of it replaced.
struct Document {
  std::string pools = R"([{"id": 5, "name": "ub", "capacity": 64, "reserved_ranges": []}])";
  std::string buffers;
  std::string colocations = "[]";
  std::string separations = "[]";
  std::string exclusions = "[]";
  std::string pins = "[]";
  std::string extra;
  std::string terms = R"(["total_peak"])";

  void buffer(int id, const std::string& name, int size, int lower, int upper,
              const std::string& where = "[5]") {
    if (!buffers.empty()) buffers += ", ";
    buffers += R"({"id": )" + std::to_string(id) + R"(, "name": ")" + name + R"(", "size": )" +
               std::to_string(size) + R"(, "alignment": 1, "live_intervals": [{"lower": )" +
               std::to_string(lower) + R"(, "upper": )" + std::to_string(upper) +
               R"(}], "allowed_pools": )" + where + "}";
  }
  [[nodiscard]] std::string text() const {
    return R"({"schema_version": 1, "profile": "pypto_research_v1", "instance": "i", "problem": {"pools": )" +
           pools + R"(, "buffers": [)" + buffers + R"(], "constraints": {"colocations": )" +
           colocations + R"(, "separations": )" + separations + R"(, "temporal_exclusions": )" +
           exclusions + R"(, "pinned_allocations": )" + pins + "}" + extra +
           R"(, "objective": {"aggregation": "lexicographic", "terms": )" + terms + "}}}";
  }
  [[nodiscard]] DsaJson read(const std::vector<Memory>& memories = {}) const {
    return read_dsa_json(text(), "t.json", memories);
  }
};

/// "disjoint a b" for each.
std::vector<std::string> relations(const PlacementProblem& problem) {
  std::vector<std::string> out;
  for (const Relation& relation : problem.relations) {
    std::string words = std::to_string(static_cast<int>(relation.kind));
    for (const BufferIndex b : relation.buffers) words += ' ' + problem.buffers[b].id;
    if (relation.cost != 0) words += " $" + std::to_string(relation.cost);
    out.push_back(words);
  }
  return out;
}
std::string kind(RelationKind k) {
  return std::to_string(static_cast<int>(k));
}

TEST(DsaJson, ReadsPoolsAndBuffers) {
  Document document;
  document.pools =
      R"([{"id": 5, "name": "ub", "capacity": 64, "reserved_ranges": [{"begin": 56, "end": 64}],
           "bank_geometry": {"bank_size": 32, "num_banks": 2}},
          {"id": 1, "name": "l1", "capacity": null, "reserved_ranges": []}])";
  document.buffer(3, "x", 8, 0, 4, "[1, 5]");
  const DsaJson json = document.read();
  ASSERT_EQ(json.problem.memories.size(), 2U);
  EXPECT_EQ(json.problem.name, "i");
  EXPECT_EQ(json.problem.memories[0].capacity, 64);
  EXPECT_EQ(json.problem.memories[0].banks.size(), 2U);
  EXPECT_THAT(json.problem.memories[0].reserved, ElementsAre(AddressRange{56, 64}));
  EXPECT_EQ(json.problem.memories[1].capacity, unbounded);
  EXPECT_EQ(json.problem.buffers[0].id, "x");
  EXPECT_THAT(json.problem.buffers[0].memories, ElementsAre(1U, 0U));
  EXPECT_THAT(json.notes, IsEmpty());
}

TEST(DsaJson, UsesNamesWhereTheyAreDifferentAndIdsElse) {
  Document document;
  document.buffer(3, "x", 8, 0, 4);
  document.buffer(4, "y", 8, 0, 4);
  EXPECT_EQ(document.read().problem.buffers[1].id, "y");
  document.buffer(7, "x", 8, 0, 4);
  EXPECT_EQ(document.read().problem.buffers[0].id, "3");
  EXPECT_EQ(document.read().problem.buffers[2].id, "7");
}

TEST(DsaJson, JoinsIntervalsThatTouch) {
  Document document;
  document.buffers =
      R"({"id": 0, "name": "x", "size": 8, "alignment": 1, "allowed_pools": [5], "live_intervals":
          [{"lower": 6, "upper": 9}, {"lower": 0, "upper": 2}, {"lower": 2, "upper": 4}, {"lower": 1, "upper": 3}]})";
  EXPECT_THAT(document.read().problem.buffers[0].live,
              ElementsAre(StepRange{0, 4}, StepRange{6, 9}));
}

TEST(DsaJson, ColocationIsTransitiveAndAsLargeAsItsLargestMember) {
  Document document;
  for (int k = 0; k < 5; ++k)
    document.buffer(k, std::string(1, static_cast<char>('a' + k)), 4 + k, k, k + 2);
  document.colocations = R"([{"first": 3, "second": 1}, {"first": 1, "second": 0}])";
  const DsaJson json = document.read();
  EXPECT_THAT(relations(json.problem), ElementsAre(kind(RelationKind::same_offset) + " a b d"));
  EXPECT_EQ(json.problem.buffers[0].size, 7);
  EXPECT_EQ(json.problem.buffers[1].size, 7);
  EXPECT_EQ(json.problem.buffers[2].size, 6) << "not colocated";
  EXPECT_EQ(json.problem.buffers[3].size, 7);
  EXPECT_EQ(json.notes.size(), 2U);
}

TEST(DsaJson, PairsBecomeRelations) {
  Document document;
  for (int k = 0; k < 4; ++k)
    document.buffer(k, std::string(1, static_cast<char>('a' + k)), 4, 0, 2);
  document.colocations = R"([{"first": 0, "second": 1}])";
  document.separations = R"([{"first": 0, "second": 2, "reasons": ["pipeline_stage"]}])";
  document.exclusions = R"([{"first": 2, "second": 3}])";
  document.extra = R"(, "cost_model": {"reuse_penalties": [
      {"first": 2, "second": 3, "cost": 7, "reason": "cross_pipe"},
      {"first": 0, "second": 1, "cost": 9, "reason": "generic"},
      {"first": 0, "second": 3, "cost": 0, "reason": "generic"}]})";
  EXPECT_THAT(
      relations(document.read().problem),
      ElementsAre(kind(RelationKind::same_offset) + " a b", kind(RelationKind::disjoint) + " a c",
                  kind(RelationKind::may_overlap) + " c d",
                  kind(RelationKind::avoid_overlap) + " c d $7"))
      << "a penalty within one allocation, or of zero, never pays";
}

TEST(DsaJson, PinsFixAndExclusivePinsKeepEverybodyElseAway) {
  Document document;
  document.pools = R"([{"id": 5, "name": "ub", "capacity": 64, "reserved_ranges": []},
                       {"id": 6, "name": "l1", "capacity": 64, "reserved_ranges": []}])";
  document.buffer(0, "pin", 4, 0, 2, "[5, 6]");
  document.buffer(1, "mate", 4, 8, 9);
  document.buffer(2, "other", 4, 4, 6);
  document.buffer(3, "elsewhere", 4, 0, 2, "[6]");
  document.buffer(4, "either", 4, 0, 2, "[5, 6]");
  document.buffer(5, "soft", 4, 0, 2, "[5]");
  document.colocations = R"([{"first": 0, "second": 1}])";
  document.pins = R"([{"buffer": 0, "pool": 5, "offset": 16, "exclusive_for_all_time": true},
                      {"buffer": 5, "pool": 5, "offset": 32, "exclusive_for_all_time": false}])";
  const PlacementProblem problem = document.read().problem;
  EXPECT_EQ(problem.buffers[0].offset, 16);
  EXPECT_THAT(problem.buffers[0].memories, ElementsAre(0U));
  EXPECT_EQ(problem.buffers[5].offset, 32);
  const std::string disjoint = kind(RelationKind::disjoint);
  EXPECT_THAT(relations(problem),
              ElementsAre(kind(RelationKind::same_offset) + " pin mate", disjoint + " pin other",
                          disjoint + " pin either", disjoint + " pin soft"))
      << "not with its colocated mate, nor with what is in another pool";
}

TEST(DsaJson, TermsThatCanDifferAreFollowedInTheirOrder) {
  const auto objective = [](const std::string& terms, bool penalties, bool several = false) {
    Document document;
    if (several)
      document.pools = R"([{"id": 5, "name": "ub", "capacity": 64, "reserved_ranges": []},
                           {"id": 6, "name": "l1", "capacity": 64, "reserved_ranges": []}])";
    document.buffer(0, "a", 4, 0, 2);
    document.buffer(1, "b", 4, 3, 4);
    document.terms = terms;
    if (penalties) {
      document.extra = R"(, "cost_model": {"reuse_penalties": [
          {"first": 0, "second": 1, "cost": 7, "reason": "cross_pipe"}]})";
    }
    return document.read();
  };
  EXPECT_EQ(objective(R"(["total_peak", "max_peak"])", true).problem.objective, Objective::height);
  EXPECT_EQ(objective(R"(["capacity_overflow", "reuse_cost"])", true).problem.objective,
            Objective::cost);
  EXPECT_EQ(objective(R"(["capacity_overflow", "reuse_cost"])", false).problem.objective,
            Objective::fit);
  EXPECT_EQ(objective(R"(["reuse_cost", "bank_cost", "max_peak"])", false).problem.objective,
            Objective::height);
  EXPECT_EQ(objective(R"(["capacity_overflow"])", true).problem.objective, Objective::fit);
  const auto next = [&](const std::string& terms, bool penalties) {
    return objective(terms, penalties).problem.next_objectives;
  };
  EXPECT_THAT(next(R"(["total_peak", "max_peak"])", true), ElementsAre());
  EXPECT_THAT(next(R"(["total_peak", "max_peak", "reuse_cost"])", true),
              ElementsAre(Objective::cost));
  EXPECT_THAT(next(R"(["total_peak", "reuse_cost"])", false), ElementsAre());
  EXPECT_THAT(next(R"(["reuse_cost", "max_peak"])", true), ElementsAre(Objective::height));
  const auto notes = [&](const std::string& terms, bool several) {
    return objective(terms, true, several).notes;
  };
  for (const char* const exact : {R"(["total_peak", "reuse_cost"])",
                                  R"(["max_peak", "total_peak"])", R"(["reuse_cost", "max_peak"])"})
    EXPECT_THAT(notes(exact, true), ElementsAre()) << exact;
  EXPECT_THAT(notes(R"(["reuse_cost", "total_peak"])", false), ElementsAre());
  EXPECT_THAT(notes(R"(["max_peak", "reuse_cost"])", true),
              ElementsAre(HasSubstr("max_peak is read as the minimum height of each memory")));
  EXPECT_THAT(notes(R"(["reuse_cost", "total_peak"])", true),
              ElementsAre(HasSubstr("total_peak is read as the minimum cost, then the minimum")));
}

TEST(DsaJson, TakesTheMemoriesOfAProfileByName) {
  Document document;
  document.buffer(0, "a", 4, 0, 2);
  const std::vector<Memory> memories{{.name = "l1", .capacity = 8}, {.name = "ub", .capacity = 16}};
  const PlacementProblem problem = document.read(memories).problem;
  EXPECT_EQ(problem.memories.size(), 2U);
  EXPECT_THAT(problem.buffers[0].memories, ElementsAre(1U));
  const std::vector<Memory> others{{.name = "l1", .capacity = 8}};
  EXPECT_REFUSED(document.read(others), 1, "the profile has no memory `ub`");
}

TEST(DsaJson, ReadsTheWholeCorpus) {
  TESSERA_NEED_SHARED("benchmarks/pypto");
  std::size_t documents = 0;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(testing::shared_path("benchmarks/pypto"))) {
    const std::string name = entry.path().filename().string();
    const bool top = entry.path().parent_path() == testing::shared_path("benchmarks/pypto");
    if (!entry.is_regular_file() || entry.path().extension() != ".json" || top) continue;
    EXPECT_NO_THROW(static_cast<void>(read_dsa_json_file(entry.path()))) << entry.path();
    ++documents;
  }
  EXPECT_EQ(documents, 273U);
}

}  // namespace
}  // namespace tessera::io
