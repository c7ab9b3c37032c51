// Loops of command lines, and loops around them.
#include "commands/fold.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/tree.h"
#include "tests/support/random.h"

namespace tessera::commands {
namespace {

using io::Node;

std::vector<std::string> folded(const std::vector<std::string>& lines) {
  std::string text;
  Folder folder([&](std::string_view part) { text += part; });
  for (const std::string& line : lines) folder.add(line + "\n");
  folder.finish();
  std::vector<std::string> all;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) all.push_back(line);
  return all;
}

struct Values {
  std::string kind = "load";
  std::int64_t tile = 0;
  std::int64_t address = 0;
  std::string buffer = "x";
};

std::string line(std::int64_t id, const Values& values) {
  return "{\"id\":" + std::to_string(id) + ",\"kind\":\"" + values.kind +
         "\",\"tile\":" + std::to_string(values.tile) + ",\"buffer\":\"" + values.buffer +
         "\",\"dst\":{\"dims\":[[" + std::to_string(values.address) + ",1]]}}";
}

std::int64_t number(const Node& node) {
  return std::stoll(node.text);
}

Node& at(Node& node, std::string_view pointer) {
  if (pointer.empty()) return node;
  const std::size_t end = std::min(pointer.find('/', 1), pointer.size());
  const std::string name(pointer.substr(1, end - 1));
  for (std::size_t k = 0; k < node.children.size(); ++k)
    if (name == (node.kind == Node::Kind::list ? std::to_string(k) : node.children[k].key))
      return at(node.children[k], pointer.substr(end));
  ADD_FAILURE() << "there is no " << pointer;
  return node;
}

/// What a loop adds in this round, as the page describes it.
std::int64_t added(const Node& entry, std::int64_t round) {
  if (entry.kind != Node::Kind::list) return round * number(entry);
  std::int64_t sum = 0;
  for (const Node& part : entry.children) {
    const auto count = static_cast<std::int64_t>(part.children.size());
    if (count == 0) return sum + round * number(part);
    sum += number(part.children[static_cast<std::size_t>(round % count)]);
    round /= count;
  }
  return sum;
}

class Expansion {
 public:
  std::vector<std::string> lines;

  void add(const std::string& text) {
    Node item = io::parse_json(text, sources_);
    EXPECT_EQ(number(*item.find("id")), id_);
    fill_in(item);
    run(item);
  }

 private:
  void fill_in(Node& item) {
    if (item.find("count") != nullptr) {
      for (Node& each : at(item, "/body").children) fill_in(each);
      return;
    }
    const std::int64_t id = number(*item.find("id"));
    if (const Node* like = item.find("like")) {
      Node made = known_.at(number(*like));
      at(made, "/id").text = std::to_string(id);
      for (const Node& value : item.find("set")->children) {
        Node& to = at(made, value.key);
        const std::string key = to.key;
        to = value;
        to.key = key;
      }
      item = made;
    }
    known_[id] = item;
  }
  void run(Node& item) {
    if (item.find("count") == nullptr) {
      lines.push_back(line(id_++, {item.find("kind")->text, number(*item.find("tile")),
                                   number(at(item, "/dst/dims/0/0")), item.find("buffer")->text}));
      return;
    }
    const std::vector<Node>& steps = item.find("step")->children;
    for (std::int64_t round = 0; round < number(*item.find("count")); ++round)
      for (std::size_t k = 0; k < steps.size(); ++k) {
        Node made = item.find("body")->children[k];
        for (const Node& entry : steps[k].children) {
          Node& value = at(made, entry.key);
          if (value.kind == Node::Kind::text)
            value.text =
                entry.children[static_cast<std::size_t>(round) % entry.children.size()].text;
          else
            value.text = std::to_string(number(value) + added(entry, round));
        }
        run(made);
      }
  }

  std::int64_t id_ = 0;
  std::map<std::int64_t, Node> known_;
  io::Sources sources_{"test"};
};

std::vector<std::string> unfolded(const std::vector<std::string>& lines) {
  Expansion expansion;
  for (const std::string& each : lines) expansion.add(each);
  return expansion.lines;
}

/// Loops in loops of one line.
int depth(const std::string& text) {
  int loops = 0;
  int most = 0;
  std::vector<bool> open;  // per brace: of a loop?
  for (std::size_t k = 0; k < text.size(); ++k) {
    if (text[k] == '{') {
      open.push_back(text.compare(k, 13, "{\"kind\":\"for\"") == 0);
      loops += open.back() ? 1 : 0;
      most = std::max(most, loops);
    } else if (text[k] == '}') {
      loops -= open.back() ? 1 : 0;
      open.pop_back();
    }
  }
  return most;
}

TEST(Fold, RowsOfTilesAreALoopInALoop) {
  std::vector<std::string> lines;
  for (std::int64_t row = 0; row < 3; ++row) {
    lines.push_back(line(row * 5, {"wait", row, 9}));
    for (std::int64_t tile = 0; tile < 4; ++tile)
      lines.push_back(line(row * 5 + 1 + tile, {"load", 4 * row + tile, 100 * row + 7 * tile}));
  }
  const std::vector<std::string> loops = folded(lines);
  EXPECT_EQ(loops, std::vector<std::string>{
                       R"({"kind":"for","id":0,"count":3,"body":[)"
                       R"({"id":0,"kind":"wait","tile":0,"buffer":"x","dst":{"dims":[[9,1]]}},)"
                       R"({"kind":"for","id":1,"count":4,"body":[)"
                       R"({"id":1,"kind":"load","tile":0,"buffer":"x","dst":{"dims":[[0,1]]}}],)"
                       R"("step":[{"/tile":1,"/dst/dims/0/0":7}]}],)"
                       R"("step":[{"/tile":1},{"/body/0/tile":4,"/body/0/dst/dims/0/0":100}]})"});
  EXPECT_EQ(unfolded(loops), lines);
}

/// Two copies of a buffer alternate; addresses off-chip grow every fourth tile, the last tile is
/// smaller.
TEST(Fold, CopiesOfBuffersAndRowsOfTilesAreLists) {
  std::vector<std::string> lines;
  for (std::int64_t k = 0; k < 12; ++k)
    lines.push_back(line(k, {"load", k / 4, k % 2 * 64 + k / 4, k % 2 == 0 ? "x.ping" : "x.pong"}));
  std::vector<std::string> loops = folded(lines);
  EXPECT_EQ(loops,
            std::vector<std::string>{
                R"({"kind":"for","id":0,"count":12,"body":[)"
                R"({"id":0,"kind":"load","tile":0,"buffer":"x.ping","dst":{"dims":[[0,1]]}}],)"
                R"("step":[{"/tile":[[0,0,0,0],1],"/buffer":["x.ping","x.pong"],)"
                R"("/dst/dims/0/0":[[0,64,0,64],1]}]})"});
  EXPECT_EQ(unfolded(loops), lines);
  lines.push_back(line(12, {"load", 2, 5, "x.ping"}));
  loops = folded(lines);
  EXPECT_EQ(loops.size(), 1);
  EXPECT_EQ(unfolded(loops), lines);
}

TEST(Fold, CommandsOutsideLoopsSayWhatDiffers) {
  const std::vector<std::string> lines{line(0, {"load", 0, 5}), line(1, {"store", 0, 9}),
                                       line(2, {"wait", 0, 0}), line(3, {"store", 1, 9, "y"})};
  EXPECT_EQ(folded(lines),
            (std::vector<std::string>{lines[0], lines[1], lines[2],
                                      R"({"id":3,"like":1,"set":{"/tile":1,"/buffer":"y"}})"}));
  EXPECT_EQ(unfolded(folded(lines)), lines);
}

/// Loops are continued while lines arrive: few lines are held at a time.
TEST(Fold, LongLoopsAreOneLine) {
  std::vector<std::string> lines;
  for (std::int64_t k = 0; k < 30'000; ++k)
    lines.push_back(line(k, {k % 10 == 0 ? "store" : "load", k / 10, k / 1000 * 50 + k % 10}));
  const std::vector<std::string> loops = folded(lines);
  EXPECT_EQ(loops.size(), 1);
  EXPECT_EQ(depth(loops.front()), 2);
  EXPECT_EQ(unfolded(loops), lines);
}

/// A random nest of loops with constant steps, at times disturbed.
class RandomNest {
 public:
  explicit RandomNest(std::uint64_t seed) : random_(seed) {
    while (lines.size() < 40) block(0, {});
  }
  std::vector<std::string> lines;

 private:
  void block(std::size_t level, Values values) {
    if (level == 3 || random_.chance(40)) {
      const std::vector<std::string> kinds{"load", "store", "wait", "load"};
      values.kind = kinds[level];
      values.buffer = values.tile % 2 == 0 ? "x.ping" : "x.pong";
      if (disturb_.chance(1)) ++values.address;
      const auto id = static_cast<std::int64_t>(lines.size());
      lines.push_back(line(id, values));
      return;
    }
    const std::int64_t count = random_.between(2, 6);
    const std::int64_t tiles = random_.between(0, 2);
    const std::int64_t bytes = random_.between(-9, 9);
    const std::uint64_t same = random_.below(1'000'000);
    for (std::int64_t round = 0; round < count; ++round) {
      const testing::Random before = std::exchange(random_, testing::Random(same));
      const std::int64_t parts = random_.between(1, 3);
      for (std::int64_t part = 0; part < parts; ++part)
        block(level + 1, {"", values.tile + round * tiles, values.address + round * bytes + part});
      random_ = before;
    }
  }
  testing::Random random_;  ///< the same in all rounds of a loop
  testing::Random disturb_{7};
};

TEST(Fold, RandomNestsAreExpandedToTheSameLines) {
  int deepest = 0;
  std::size_t before = 0;
  std::size_t after = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const RandomNest nest(seed);
    const std::vector<std::string> loops = folded(nest.lines);
    for (const std::string& each : loops) {
      deepest = std::max(deepest, depth(each));
      after += each.size();
    }
    for (const std::string& each : nest.lines) before += each.size();
    EXPECT_EQ(unfolded(loops), nest.lines);
  }
  EXPECT_GE(deepest, 3);
  EXPECT_LT(after * 3, before);
}

}  // namespace
}  // namespace tessera::commands
