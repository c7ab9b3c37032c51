#include <map>

#include "io/load.h"
#include "io/tflite.h"
#include "tests/support/effort.h"
#include "tests/support/paths.h"
#include "tests/support/tflite_builder.h"
#include "tests/unit/io/support.h"

namespace tessera::io {
namespace {

using testing::flat_bytes;
using testing::flat_number;
using testing::flat_numbers;
using testing::flat_table;
using testing::flat_tables;
using testing::TfliteBuilder;
namespace tfl = testing::tfl;

struct Lived {
  Step lower;
  Step upper;
  Size size;
  friend bool operator==(const Lived&, const Lived&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Lived& each) {
    return out << '[' << each.lower << ", " << each.upper << ") of " << each.size;
  }
};

std::map<std::string, Lived> arena_of(const std::string& bytes) {
  std::map<std::string, Lived> out;
  const TfliteArena arena = read_tflite_arena(bytes, "dir/net.tflite");
  EXPECT_EQ(arena.problem.name, "net");
  EXPECT_EQ(arena.tensors.size(), arena.problem.buffers.size());
  for (const Buffer& buffer : arena.problem.buffers) {
    EXPECT_EQ(buffer.alignment, 16);
    EXPECT_EQ(buffer.live.size(), 1U);
    out.emplace(buffer.id, Lived{buffer.live[0].lower, buffer.live[0].upper, buffer.size});
  }
  return out;
}

/// x -> conv -> a -> relu -> b; a + b -> y.
std::string small_model() {
  TfliteBuilder model;
  const int x = model.tensor("x", {1, 4, 4, 3});
  const int w = model.weights("w", {8, 1, 1, 3});
  const int bias = model.weights("bias", {8}, tfl::int32);
  const int a = model.tensor("a", {1, 4, 4, 8});
  const int b = model.tensor("b", {1, 4, 4, 8});
  const int y = model.tensor("y", {1, 4, 4, 8});
  model.op(tfl::conv, {x, w, bias}, {a},
           {{0, testing::flat_byte(tfl::valid)},
            {1, flat_number(std::int32_t{1})},
            {2, flat_number(std::int32_t{1})}});
  model.op(tfl::relu, {a}, {b});
  model.op(tfl::add, {a, b}, {y});
  return model.file({x}, {y});
}

TEST(TfliteArena, TensorsLiveFromTheirOperatorToTheirLastReader) {
  EXPECT_EQ(arena_of(small_model()),
            (std::map<std::string, Lived>{
                {"x", {0, 1, 48}}, {"a", {0, 3, 128}}, {"b", {1, 3, 128}}, {"y", {2, 3, 128}}}));
}

TEST(TfliteArena, SizesAreRoundedUpToTheAlignment) {
  TfliteBuilder model;
  const int x = model.tensor("x", {1, 5});
  const int f = model.tensor("f", {17}, tfl::float32);
  const int y = model.tensor("y", {});  // a scalar
  model.op(tfl::dequantize, {x}, {f});
  model.op(tfl::mean, {f}, {y});
  EXPECT_EQ(
      arena_of(model.file({x}, {y})),
      (std::map<std::string, Lived>{{"x", {0, 1, 16}}, {"f", {0, 2, 80}}, {"y", {1, 2, 16}}}));
}

TEST(TfliteArena, VariablesLiveAllTheTimeAndResultsToTheEnd) {
  TfliteBuilder model;
  const int x = model.tensor("x", {16});
  const int unread = model.tensor("unread", {16});
  const int state = model.tensor("state", {32}, tfl::int8, {{5, testing::flat_byte(1)}});
  const int early = model.tensor("early", {16});
  const int late = model.tensor("late", {16});
  const int y = model.tensor("y", {16});
  const int nobody = model.tensor("nobody", {16});
  static_cast<void>(nobody);
  model.op(tfl::relu, {x}, {early});
  model.op(tfl::custom, {early, -1, state}, {late}, {}, "SVDF");
  model.op(tfl::relu, {late}, {y});
  EXPECT_EQ(arena_of(model.file({x, unread}, {early, y})),
            (std::map<std::string, Lived>{{"x", {0, 1, 16}},
                                          {"unread", {0, 1, 16}},
                                          {"state", {0, 3, 32}},
                                          {"early", {0, 3, 16}},
                                          {"late", {1, 3, 16}},
                                          {"y", {2, 3, 16}}}));
}

TEST(TfliteArena, WhatIsEmptyTakesNoRoom) {
  TfliteBuilder model;
  const int x = model.tensor("x", {1, 0});
  const int y = model.tensor("y", {4});
  model.op(tfl::mean, {x}, {y});
  EXPECT_EQ(arena_of(model.file({x}, {y})), (std::map<std::string, Lived>{{"y", {0, 1, 16}}}));
}

TEST(TfliteArena, NamesAreMadeUniqueText) {
  TfliteBuilder model;
  const int first = model.tensor("t", {4});
  const int second = model.tensor("t", {4});
  const int third = model.tensor("t#1", {4});
  const int none = model.tensor("", {4});
  const int odd = model.tensor(" a,\"b\"\n\xff; \xc3\xa9 ", {4});
  model.op(tfl::relu, {first}, {second});
  model.op(tfl::relu, {second}, {third});
  model.op(tfl::relu, {third}, {none});
  model.op(tfl::relu, {none}, {odd});
  std::vector<std::string> names;
  for (const auto& [name, life] : arena_of(model.file({first}, {odd}))) names.push_back(name);
  EXPECT_THAT(names,
              ::testing::UnorderedElementsAre("t", "t#1#", "t#1", "tensor#3", "a__b___; \xc3\xa9"));
}

TEST(TfliteArena, DataOutsideOfTheTablesIsConstantToo) {
  TfliteBuilder model;
  const int x = model.tensor("x", {16});
  model.buffers.push_back(
      flat_table({{1, flat_number(std::uint64_t{4096})}, {2, flat_number(std::uint64_t{16})}}));
  const int w = model.tensor("w", {16}, tfl::int8, {{2, flat_number(std::uint32_t{1})}});
  const int v = model.tensor("v", {16}, tfl::int8, {{10, flat_number(std::uint32_t{7})}});
  const int y = model.tensor("y", {16});
  model.op(tfl::custom, {x, w, v}, {y}, {}, "Three");
  EXPECT_EQ(arena_of(model.file({x}, {y})),
            (std::map<std::string, Lived>{{"x", {0, 1, 16}}, {"y", {0, 1, 16}}}));
}

TEST(TfliteArena, ACapacityAsksWhetherItFits) {
  const Input open = load_problem_text(small_model(), "net.tflite");
  EXPECT_EQ(open.format, "tflite");
  EXPECT_EQ(open.problem.objective, Objective::height);
  ASSERT_EQ(open.problem.memories.size(), 1U);
  EXPECT_EQ(open.problem.memories[0].name, "arena");
  EXPECT_EQ(open.problem.memories[0].capacity, unbounded);
  const Input asked = load_problem_text(small_model(), "net.tflite", {.capacity = 300});
  EXPECT_EQ(asked.problem.objective, Objective::fit);
  EXPECT_EQ(asked.problem.memories[0].capacity, 300);
}

TEST(TfliteArena, IsToldByItsContent) {
  EXPECT_EQ(detect_format(small_model()), ProblemFormat::tflite);
  EXPECT_EQ(to_string(ProblemFormat::tflite), "tflite");
  EXPECT_EQ(load_problem_text(small_model(), "net").format, "tflite");
  EXPECT_EQ(load_problem_text("id,lower,upper,size\na,0,1,4\n", "net.tflite").format, "csv");
  std::string other = small_model();
  other[7] = '2';
  EXPECT_REFUSED(load_problem_text(other, "net.tflite"), 0, "not the letters TFL3");
}

TEST(TflitePlan, StandsInTheModelAndChangesNothingElse) {
  const std::string bytes = small_model();
  const TfliteArena arena = read_tflite_arena(bytes, "f");
  const std::string planned = write_tflite_plan(bytes, "f", arena, {256, 0, 128, 256});
  EXPECT_TRUE(planned.ends_with(bytes));
  EXPECT_EQ((planned.size() - bytes.size()) % 64, 0U);
  EXPECT_NE(planned.find("OfflineMemoryAllocation"), std::string::npos);
  // x, w, bias, a, b, y
  const std::string numbers =
      std::get<testing::FlatValue::Bytes>(flat_numbers({1, 0, 6, 256, -1, -1, 0, 128, 256}).what)
          .data;
  EXPECT_NE(planned.find(numbers), std::string::npos);
  EXPECT_EQ(arena_of(planned), arena_of(bytes));
  const TfliteArena again = read_tflite_arena(planned, "f");
  const std::string twice = write_tflite_plan(planned, "f", again, {0, 16, 32, 48});
  EXPECT_EQ(arena_of(twice), arena_of(bytes));
}

TEST(TflitePlan, IsRefusedWhereItWouldNotHold) {
  const std::string bytes = small_model();
  const TfliteArena arena = read_tflite_arena(bytes, "f");
  EXPECT_REFUSED(write_tflite_plan(bytes, "f", arena, {Offset{1} << 31, 0, 0, 0}), 0,
                 "has an offset of 2147483648");
  {
    TfliteBuilder model;
    const int x = model.tensor("x", {16});
    model.buffers.push_back(
        flat_table({{1, flat_number(std::uint64_t{4096})}, {2, flat_number(std::uint64_t{16})}}));
    const int w = model.tensor("w", {16}, tfl::int8, {{2, flat_number(std::uint32_t{1})}});
    const int y = model.tensor("y", {16});
    model.op(tfl::add, {x, w}, {y});
    const std::string behind = model.file({x}, {y});
    EXPECT_REFUSED(write_tflite_plan(behind, "f", read_tflite_arena(behind, "f"), {0, 16}), 0,
                   "stores data behind its tables");
  }
  {
    TfliteBuilder model;
    const int x = model.tensor("x", {16});
    const int y = model.tensor("y", {16});
    model.op(tfl::relu, {x}, {y});
    const std::string newer =
        testing::FlatWriter::file(flat_table({{1, flat_tables(model.codes)},
                                              {2, flat_tables({model.graph({x}, {y})})},
                                              {4, flat_tables(model.buffers)},
                                              {12, flat_number(std::int32_t{1})}}));
    EXPECT_REFUSED(write_tflite_plan(newer, "f", read_tflite_arena(newer, "f"), {0, 16}), 0,
                   "has a newer schema");
  }
}

TEST(TfliteRefuses, WhatCannotBePlacedBeforehand) {
  const auto refused = [](const TfliteBuilder& model, const std::vector<std::int32_t>& in,
                          const std::vector<std::int32_t>& out, const std::string& words,
                          int graphs = 1) {
    SCOPED_TRACE(words);
    EXPECT_REFUSED(read_tflite_arena(model.file(in, out, graphs), "f"), 0, words);
  };
  {
    TfliteBuilder model;
    const int x = model.tensor("x", {1, 4});
    const int y = model.tensor("y", {1, 4});
    model.op(tfl::relu, {x}, {y});
    refused(model, {x}, {y}, "has 2 subgraphs", 2);
    refused(model, {x}, {y}, "has no subgraph", 0);
    refused(model, {x}, {y, 7}, "the subgraph names tensor 7 of 2");
    refused(model, {-1}, {y}, "the subgraph names tensor -1 of 2");
    refused(model, {}, {y}, "operator 0 (RELU) reads tensor `x`, which no earlier operator writes");
    model.op(tfl::relu, {x}, {y});
    refused(model, {x}, {y}, "operator 1 (RELU) writes tensor `y`, which already has a value");
  }
  for (const auto& [shape, type, words] :
       std::vector<std::tuple<std::vector<std::int32_t>, int, std::string>>{
           {{-1, 4}, tfl::int8, "tensor 1 `y` has a dynamic shape: extent -1"},
           {{4}, 99, "tensor 1 `y` is of type 99, which is not supported"},
           {{4}, -3, "tensor 1 `y` is of type 253, which is not supported"},
           {{4}, tfl::string, "tensor `y` is of type string"},
           {{1 << 30, 1 << 30, 1 << 30}, tfl::int8, "tensor `y` has more than 2^60 bytes"}}) {
    TfliteBuilder model;
    const int x = model.tensor("x", {1, 4});
    const int y = model.tensor("y", shape, type);
    model.op(tfl::relu, {x}, {y});
    refused(model, {x}, {y}, words);
  }
  {
    TfliteBuilder model;
    const int x = model.tensor("x", {1, 4}, tfl::int8, {{2, flat_number(std::uint32_t{9})}});
    refused(model, {x}, {x}, "tensor 0 `x` has its data in buffer 9 of 1");
  }
  {
    TfliteBuilder model;
    const int x = model.tensor("x", {1, 4});
    const int y = model.tensor("y", {1, 4});
    refused(model, {x}, {x}, "has no operators");
    model.op(tfl::relu, {x}, {y});
    model.codes.clear();
    refused(model, {x}, {y}, "operator 0 is of type 0 of 0");
  }
}

// 65536 references to one tensor with 65536 extents: 600 kB that would unfold into 2^32 numbers.
TEST(TfliteRefuses, AFileThatUnfoldsIntoFarMoreThanItIs) {
  constexpr std::uint32_t count = 1 << 16;
  std::string file;
  const auto put = [&file](std::initializer_list<std::uint32_t> words) {
    for (const std::uint32_t word : words)
      for (unsigned k = 0; k < 4; ++k) file += static_cast<char>(word >> (8 * k));
  };
  put({20});
  file += std::string("TFL3\x0a\0\x08\0\0\0\0\0\x04\0\0\0", 16);  // the fields of the root, at 8
  put({12, 4});  // 20: the root; its field 2 refers to 28
  put({1, 16});  // 28: one subgraph, at 48
  file += std::string("\x06\0\x08\0\x04\0\0\0\0\0\0\0", 12);  // 36: its fields
  put({12, 4});  // 48: the subgraph, whose tensors stand at 56
  put({count});  // 56: the count
  const std::uint32_t tensor = 60 + 4 * count + 8;
  for (std::uint32_t k = 0; k < count; ++k) put({tensor - (60 + 4 * k)});
  file += std::string("\x06\0\x08\0\x04\0\0\0", 8);  // the fields of the tensor
  put({8, 4, count});                                // the tensor table, followed by its shape
  for (std::uint32_t k = 0; k < count; ++k) put({1});
  EXPECT_REFUSED(read_tflite_arena(file, "f"), 0, "share parts so often");
}

std::vector<std::string> whole_models() {
  std::vector<std::string> out{small_model()};
  for (const auto& entry :
       std::filesystem::directory_iterator(testing::source_path("tests/fuzz/corpus/tflite")))
    out.push_back(testing::slurp(entry.path()));
  return out;
}

/// The only permitted exception is an InputError about the file.
void survives(const std::string& bytes) {
  try {
    static_cast<void>(read_tflite_arena(bytes, "f"));
    static_cast<void>(read_tflite_network(bytes, "f", {}));
  } catch (const InputError& error) {
    EXPECT_EQ(error.line, 0U);
    EXPECT_EQ(error.file, "f");
    EXPECT_EQ(error.message.find('\n'), std::string::npos);
    EXPECT_FALSE(error.message.empty());
  }
}

TEST(TfliteHostile, EveryPrefixIsRefused) {
  for (const std::string& whole : whole_models())
    for (std::size_t size = 0; size < whole.size(); ++size) survives(whole.substr(0, size));
}

TEST(TfliteHostile, EveryDamagedByteIsSurvived) {
  for (const std::string& whole : whole_models())
    for (std::size_t at = 0; at < whole.size(); at += testing::sanitized ? 7 : 1)
      for (const int way : {0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80, 0xff, 0x100}) {
        std::string bytes = whole;
        bytes[at] = static_cast<char>(way == 0x100 ? 0 : bytes[at] ^ way);
        survives(bytes);
      }
}

TEST(TfliteHostile, EveryWordThatLiesIsSurvived) {
  for (const std::string& whole : whole_models())
    for (std::size_t at = 0; at + 4 <= whole.size(); at += 4)
      for (const std::uint32_t word : {0U, 1U, 0x7fffffffU, 0x80000000U, 0xffffffffU, 0xfffffffcU,
                                       static_cast<std::uint32_t>(whole.size())}) {
        std::string bytes = whole;
        std::memcpy(bytes.data() + at, &word, 4);
        survives(bytes);
      }
}

}  // namespace
}  // namespace tessera::io
