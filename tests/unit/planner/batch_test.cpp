#include "tessera/batch.h"

#include <gtest/gtest.h>

namespace tessera::planner {
namespace {

TEST(Batch, ReadsPathsAndObjects) {
  EXPECT_EQ(read_plan_request("  net.onnx ", "line 1").network, "net.onnx");
  const PlanRequest request = read_plan_request(
      R"({"network": "a.yaml", "profile": "p", "dtype": "int8",
          "set": {"clock": "1 GHz", "engines.vec.lanes": 8, "tiling.double_buffer": [true],
                  "dma": null, "engines.mac.unroll": {"C": 4}}})",
      "line 2");
  EXPECT_EQ(request.network, "a.yaml");
  EXPECT_EQ(request.profile, "p");
  EXPECT_EQ(request.dtype, "int8");
  EXPECT_EQ(request.changes, (std::vector<ProfileChange>{{"clock", "1 GHz"},
                                                         {"engines.vec.lanes", "8"},
                                                         {"tiling.double_buffer", "[true]"},
                                                         {"dma", "null"},
                                                         {"engines.mac.unroll", "{C: 4}"}}));
}

TEST(Batch, NamesTheLineThatIsWrong) {
  const auto said = [](const char* text) -> std::string {
    try {
      static_cast<void>(read_plan_request(text, "line 7"));
    } catch (const BadInput& bad) {
      return bad.what();
    }
    return "nothing";
  };
  EXPECT_EQ(said(R"({"network": "a", "nett": 1})"), "line 7: the line has the unknown key `nett`");
  EXPECT_EQ(said(R"({"net": 5})").substr(0, 8), "line 7: ");
  EXPECT_EQ(said("{").substr(0, 8), "line 7: ");
  EXPECT_EQ(said(R"({"network": "a", "set": 5})").substr(0, 8), "line 7: ");
}

TEST(Batch, AnswersOnOneLine) {
  PlanRequest request{.line = 3, .network = "a\nb", .changes = {{"clock", "1 GHz"}}};
  EXPECT_EQ(plan_error_line(request, "wrong", "right"),
            "{\"line\": 3, \"network\": \"a\\nb\", \"set\": {\"clock\": \"1 GHz\"}, \"error\": "
            "\"wrong\", \"hint\": \"right\"}\n");
  NetworkPlan plan;
  plan.stop = StopReason::time_limit;
  EXPECT_NE(plan_line(request, plan).find("\"status\": \"unknown\", \"stop\": \"time_limit\""),
            std::string::npos);
}

}  // namespace
}  // namespace tessera::planner
