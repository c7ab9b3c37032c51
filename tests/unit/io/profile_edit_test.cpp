#include "io/profile_edit.h"

#include "io/hardware_yaml.h"
#include "tests/support/paths.h"
#include "tests/unit/io/support.h"

namespace tessera::io {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pair;

EditableProfile profile(const std::string& name) {
  const std::vector<std::filesystem::path> folders{testing::source_path("hw_profiles")};
  const std::filesystem::path path = find_profile(name, folders);
  return {testing::slurp(path), path.string(), folders};
}

const Memory& memory(const EditableProfile& profile, std::string_view name) {
  for (const HardwareMemory& each : profile.hardware().memories)
    if (each.space.name == name) return each.space;
  throw std::logic_error("no such memory");
}

void change(EditableProfile& profile, const std::string& key, const std::string& value) {
  const KeyChange one{key, value};
  profile.change({&one, 1});
}

std::optional<InputError> refused(const std::string& key, const std::string& value) {
  EditableProfile nvdla = profile("nvdla-like");
  const std::string before = nvdla.yaml();
  auto error = testing::refusal([&] {
    change(nvdla, key, value);
    return 0;
  });
  EXPECT_TRUE(error) << key << " = " << value << " was accepted";
  EXPECT_EQ(nvdla.yaml(), before) << "nothing changes";
  EXPECT_TRUE(nvdla.changes().empty());
  return error;
}

TEST(ProfileEdit, ValuesAreReadAsInTheFile) {
  EditableProfile nvdla = profile("nvdla-like");
  change(nvdla, "memories.cbuf.bank_size", "16 KiB");
  EXPECT_EQ(memory(nvdla, "cbuf").capacity, 16 * 16384);
  change(nvdla, "clock", "1.5 GHz");
  EXPECT_DOUBLE_EQ(nvdla.hardware().clock_hz, 1.5e9);
  change(nvdla, "engines.mac.maps.direct.unroll", "{C: 32, K: 16}");
  EXPECT_THAT(nvdla.hardware().engines[0].maps[0].unroll,
              ElementsAre(Pair("C", 32), Pair("K", 16)));
  change(nvdla, "engines.mac.maps.direct.unroll.C", "8");
  EXPECT_THAT(nvdla.hardware().engines[0].maps[0].unroll, ElementsAre(Pair("C", 8), Pair("K", 16)));
  EXPECT_EQ(nvdla.value("clock"), "1.5 GHz");
  EXPECT_EQ(nvdla.value("engines.mac.maps.direct.unroll"), "{C: 8, K: 16}");
}

TEST(ProfileEdit, EntriesHaveNumbersToo) {
  EditableProfile nvdla = profile("nvdla-like");
  change(nvdla, "engines.1.lanes", "8");
  EXPECT_EQ(nvdla.hardware().engines[1].lanes, 8);
  change(nvdla, "memories.cbuf.modes.0.name", "first");
  EXPECT_EQ(memory(nvdla, "cbuf").modes[0].name, "first");
  EXPECT_EQ(nvdla.changes()[0].key, "engines.vec.lanes") << "kept by name";
}

TEST(ProfileEdit, KeysThatTheFileLeavesOut) {
  EditableProfile u55 = profile("ethos-u55-256");
  change(u55, "static_power", "12 mW");
  EXPECT_DOUBLE_EQ(u55.hardware().static_power_mw, 12);
  change(u55, "memories.sram.reserved", "[[0, 4096]]");
  EXPECT_EQ(memory(u55, "sram").reserved.size(), 1U);
  change(u55, "memories.sram.reserved", "null");
  EXPECT_TRUE(memory(u55, "sram").reserved.empty());
}

TEST(ProfileEdit, OfSeveralOnlyTheWholeHasToMakeSense) {
  EditableProfile nvdla = profile("nvdla-like");
  const KeyChange banks{"memories.cbuf.banks", "8"};
  const auto alone = testing::refusal([&] {
    nvdla.change({&banks, 1});
    return 0;
  });
  ASSERT_TRUE(alone);
  EXPECT_THAT(alone->file, HasSubstr("nvdla-like.yaml")) << "the modes speak of 16 banks";
  EXPECT_THAT(alone->hint, HasSubstr("changed is `memories.cbuf.banks=8`"));
  const std::vector<KeyChange> both{
      banks, {"memories.cbuf.modes", "[{name: m, roles: {0-3: read_write, 4-7: weight}}]"}};
  nvdla.change(both);
  EXPECT_EQ(memory(nvdla, "cbuf").banks.size(), 8U);
  change(nvdla, "memories.cbuf.bank_size", "8 KiB");
  EXPECT_EQ(memory(nvdla, "cbuf").capacity, 64 << 10) << "earlier ones stay";
}

TEST(ProfileEdit, WhatIsMisspelt) {
  auto error = refused("memories.cbuff.bank_size", "16 KiB");
  EXPECT_STREQ(error->what(), "`memories.cbuff.bank_size=16 KiB`: `memories` has no entry `cbuff`");
  EXPECT_EQ(error->hint, "did you mean `cbuf`?");
  error = refused("memories.cbuf.bank_sise", "16 KiB");
  EXPECT_STREQ(error->what(),
               "`memories.cbuf.bank_sise=16 KiB`: memory `cbuf` has the unknown key "
               "`bank_sise`");
  EXPECT_EQ(error->hint, "did you mean `bank_size`?");
  EXPECT_EQ(refused("tilling.weights", "[resident]")->hint, "did you mean `tiling`?");
  EXPECT_THAT(refused("memories.cbuf.modes.9.name", "x")->hint, HasSubstr("entries are 0 to 8"));
  EXPECT_THAT(refused("clock.fast", "1")->message, HasSubstr("so it has no key `fast`"));
  EXPECT_THAT(refused("memories.sram", "1 KiB")->message, HasSubstr("no entry `sram`"));
  EXPECT_THAT(refused("memories.cbuf.burst.", "1")->message, HasSubstr("is not a path"));
  EXPECT_THAT(refused("", "1")->message, HasSubstr("is not a path"));
  EXPECT_THAT(refused("memories.cbuf.bandwidth.read.x", "null")->message, HasSubstr("no"));
}

TEST(ProfileEdit, TakingAwayWhatIsNotThereNamesAllKeysThatCouldBe) {
  auto error = refused("tiling.pined", "null");
  EXPECT_THAT(error->message, HasSubstr("unknown key `pined`"));
  EXPECT_EQ(error->hint, "did you mean `pinned`?");
  EXPECT_THAT(refused("tiling.something", "null")->hint, HasSubstr(", pinned"));
  error = refused("tiling.pinned", "null");
  EXPECT_THAT(error->message, HasSubstr("`tiling` has no key `pinned` to remove"));
  EXPECT_THAT(error->hint, HasSubstr("its keys are double_buffer, "));
  EXPECT_THAT(refused("memories.cbuf.bank_sise", "null")->hint, HasSubstr("`bank_size`"));
  EXPECT_THAT(refused("memories.cbuff", "null")->message, HasSubstr("no entry `cbuff`"));
}

TEST(ProfileEdit, WrongValuesKeepTheSentenceOfTheReader) {
  EXPECT_STREQ(refused("memories.cbuf.bank_size", "16 K")->what(),
               "`memories.cbuf.bank_size=16 K`: `bank_size` is `16 K`, which has the ambiguous "
               "unit `K`; write KiB for 1024 bytes or kB for 1000");
  EXPECT_THAT(refused("dma.channels", "1e30")->message,
              HasSubstr("`channels` is `1e30`, but it must be between "));
  EXPECT_THAT(refused("dma.channels", "1e0")->message, HasSubstr("must be a whole number, not"));
  EXPECT_THAT(refused("clock", "fast")->message, HasSubstr("`clock` is `fast`"));
  EXPECT_THAT(refused("clock", "[1")->message,
              HasSubstr("the value has a list or a map for a key"));
  EXPECT_THAT(refused("clock", "")->message, HasSubstr("the value is empty"));
  EXPECT_THAT(refused("clock", "1\n2\x01")->message, HasSubstr("the value"));
}

TEST(ProfileEdit, AReplacedFigureLosesItsSource) {
  EditableProfile nvdla = profile("nvdla-like");
  EXPECT_THAT(nvdla.hardware().provenance, Contains(Pair("memories.cbuf.banks", ::testing::_)));
  change(nvdla, "memories.cbuf",
         "{layout: NCHW32c, banks: 2, bank_size: 1 KiB, modes: [{name: m, roles: [read_write, "
         "weight]}]}");
  EXPECT_THAT(nvdla.hardware().provenance,
              Not(Contains(Pair("memories.cbuf.banks", ::testing::_))));
}

TEST(ProfileEdit, EveryProfileReadsBackFromWhatIsWritten) {
  const std::vector<std::filesystem::path> folders{testing::source_path("hw_profiles")};
  for (const std::string& name : profile_names(folders)) {
    SCOPED_TRACE(name);
    EditableProfile original = profile(name);
    const EditableProfile again(original.yaml(), "again.yaml", folders);
    EXPECT_EQ(again.yaml(), original.yaml());
    EXPECT_EQ(again.keys(), original.keys());
    for (const std::string& key : original.keys()) {
      EXPECT_TRUE(original.has(key));
      if (key == "tessera" || key == "inherit") continue;
      // Unchanged: everything that can be read can be written.
      EXPECT_FALSE(testing::refusal([&] {
        change(original, key, original.value(key));
        return 0;
      })) << key;
    }
  }
}

TEST(ProfileEdit, TheReferenceIsOneOfTheProfiles) {
  EditableProfile edited = profile("nvdla-like");
  const std::shared_ptr<const Hardware> before = edited.hardware().reference;
  change(edited, "reference", "gap9-like");
  ASSERT_TRUE(edited.hardware().reference);
  EXPECT_EQ(edited.hardware().reference->name, "gap9-like");
  change(edited, "clock", "500 MHz");  // it stays whatever other key changes
  EXPECT_EQ(edited.hardware().reference->name, "gap9-like");
  EXPECT_THROW(change(edited, "reference", "gap"), InputError);
  EXPECT_EQ(edited.hardware().reference->name, "gap9-like");
  change(edited, "reference", "null");
  EXPECT_FALSE(edited.hardware().reference);
  EditableProfile untouched = profile("nvdla-like");
  change(untouched, "clock", "500 MHz");
  EXPECT_EQ(untouched.hardware().reference != nullptr, before != nullptr);
}

TEST(ProfileEdit, KeysAreListedAndMissed) {
  const EditableProfile nvdla = profile("nvdla-like");
  EXPECT_THAT(nvdla.keys(), Contains("memories.cbuf.bank_size"));
  EXPECT_THAT(nvdla.keys(), Not(Contains(HasSubstr("provenance"))));
  EXPECT_FALSE(nvdla.has("memories.cbuf.bank_sise"));
  const auto error = testing::refusal([&] { return nvdla.value("memories.cbuf.bank_sise"); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->hint, "did you mean `memories.cbuf.bank_size`?");
}

}  // namespace
}  // namespace tessera::io
