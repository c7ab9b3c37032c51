// Loops and likenesses of command files, also malformed ones.
#include "commands/expand.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "io/tree.h"

namespace tessera::commands {
namespace {

std::vector<std::string> expanded(const std::vector<std::string>& lines) {
  const io::Sources sources("test");
  Expander expander;
  std::vector<std::string> all;
  for (const std::string& line : lines) {
    expander.add(io::parse_json(line, sources));
    while (const io::Node* command = expander.next())
      all.push_back(std::to_string(expander.id()) + " " + command->find("kind")->text + " " +
                    command->find("at")->text + " " + command->find("buffer")->text);
  }
  return all;
}

std::string refusal(const std::vector<std::string>& lines) {
  try {
    expanded(lines);
  } catch (const Expander::Malformed& malformed) {
    return malformed.what();
  }
  return "";
}

const std::string first = R"({"id":4,"kind":"load","at":5,"buffer":"x.ping"})";

TEST(Expand, RoundsAddStepsOfAllLoops) {
  EXPECT_EQ(expanded({R"({"kind":"for","id":4,"count":3,"body":[{"kind":"for","id":4,"count":2,)"
                      R"("body":[)" +
                      first +
                      R"(],"step":[{"/at":1,"/buffer":["x.ping","x.pong"]}]},)"
                      R"({"id":6,"kind":"wait","at":0,"buffer":""}],)"
                      R"("step":[{"/body/0/at":[[0,10],100]},{"/at":-1}]})"}),
            (std::vector<std::string>{"4 load 5 x.ping", "5 load 6 x.pong", "6 wait 0 ",
                                      "7 load 15 x.ping", "8 load 16 x.pong", "9 wait -1 ",
                                      "10 load 105 x.ping", "11 load 106 x.pong", "12 wait -2 "}));
}

TEST(Expand, ValuesOfOthersAreThoseOfTheFile) {
  EXPECT_EQ(
      expanded({R"({"kind":"for","id":4,"count":2,"body":[)" + first + R"(],"step":[{"/at":1}]})",
                R"({"id":6,"like":4,"set":{"/buffer":"y","/more":1}})",
                R"({"id":7,"like":6,"set":{"/at":9}})"}),
      (std::vector<std::string>{"4 load 5 x.ping", "5 load 6 x.ping", "6 load 5 y", "7 load 9 y"}));
}

TEST(Expand, MalformedLinesAreRefused) {
  const auto loop = [](const std::string& step) {
    return R"({"kind":"for","id":4,"count":2,"body":[)" + first + R"(],"step":[)" + step + "]}";
  };
  EXPECT_EQ(refusal({first, R"({"id":5,"like":3,"set":{}})"}),
            "a command is like command 3, which is not one of the last 256");
  EXPECT_EQ(refusal({first, R"({"id":5,"like":4,"set":{"/out/0/at":1}})"}),
            "a command sets `/out/0/at`, which is not there");
  EXPECT_EQ(refusal({first, R"({"id":5,"like":4,"set":{"at":1}})"}),
            "a command sets `at`, which is not there");
  EXPECT_EQ(refusal({loop(R"({"/to":1})")}), "a loop steps `/to`, which is not there");
  EXPECT_EQ(refusal({loop(R"({"/at":[[]]})")}), "a loop has an empty list");
  EXPECT_EQ(refusal({loop(R"({"/buffer":[]})")}), "a loop has an empty list");
  EXPECT_EQ(refusal({loop(R"({"/buffer":[1,2]})")}), "a loop replaces a text by something else");
  EXPECT_EQ(refusal({loop(R"({"/buffer":1})")}), "`/buffer` is not a list");
  EXPECT_EQ(refusal({loop(R"({"/at":"a"})")}), "`/at` is not a whole number in range");
  EXPECT_EQ(refusal({loop(R"({"/at":1152921504606846977})")}),
            "`/at` is not a whole number in range");
  EXPECT_EQ(refusal({loop("")}),
            "a loop has no round, no body, or not one `step` per item of the body");
}

/// The commands before the last 256 are forgotten.
TEST(Expand, FewCommandsAreKnown) {
  std::vector<std::string> lines;
  for (int k = 0; k < 257; ++k)
    lines.push_back(R"({"id":)" + std::to_string(k) + R"(,"kind":"wait","at":0,"buffer":""})");
  lines.push_back(R"({"id":257,"like":1,"set":{}})");
  EXPECT_EQ(expanded(lines).size(), 258);
  lines.back() = R"({"id":257,"like":0,"set":{}})";
  EXPECT_NE(refusal(lines), "");
}

}  // namespace
}  // namespace tessera::commands
