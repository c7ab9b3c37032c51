#include "io/units.h"

#include "tests/unit/io/support.h"

namespace tessera::io {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

TEST(Units, Sizes) {
  EXPECT_EQ(*parse_size("0"), 0);
  EXPECT_EQ(*parse_size("4096"), 4096);
  EXPECT_EQ(*parse_size("16 KiB"), 16384);
  EXPECT_EQ(*parse_size("16KiB"), 16384);
  EXPECT_EQ(*parse_size(" 1  MiB "), 1048576);
  EXPECT_EQ(*parse_size("4 kB"), 4000);
  EXPECT_EQ(*parse_size("2 MB"), 2000000);
  EXPECT_EQ(*parse_size("3 GB"), 3000000000);
  EXPECT_EQ(*parse_size("1 TB"), 1000000000000);
  EXPECT_EQ(*parse_size("2 GiB"), std::int64_t{2} << 30);
  EXPECT_EQ(*parse_size("1 TiB"), std::int64_t{1} << 40);
  EXPECT_EQ(*parse_size("128 B"), 128);
  EXPECT_EQ(*parse_size("0.5 KiB"), 512);
  EXPECT_EQ(*parse_size("1.50 KiB"), 1536);
  EXPECT_EQ(*parse_size("1152921504606846976"), max_address);
  EXPECT_EQ(*parse_size("1048576 TiB"), max_address);
}

TEST(Units, SizesThatAreRefused) {
  const auto why = [](std::string_view text) { return parse_size(text).error; };
  EXPECT_THAT(why("16 K"), HasSubstr("ambiguous unit `K`"));
  EXPECT_THAT(why("16 k"), HasSubstr("ambiguous"));
  EXPECT_THAT(why("16 KB"), HasSubstr("write KiB for 1024 bytes or kB for 1000"));
  EXPECT_THAT(why("16 kib"), HasSubstr("unknown unit `kib`"));
  EXPECT_THAT(why("16 M"), HasSubstr("unknown unit"));
  EXPECT_THAT(why("16 Mb"), HasSubstr("unknown unit"));
  EXPECT_THAT(why("-1"), HasSubstr("negative"));
  EXPECT_THAT(why("-0"), HasSubstr("negative"));
  EXPECT_THAT(why("1.5"), HasSubstr("whole number of bytes"));
  EXPECT_THAT(why("0.3 KiB"), HasSubstr("whole number of bytes"));
  EXPECT_THAT(why("0.0001 kB"), HasSubstr("whole number of bytes"));
  EXPECT_THAT(why("1 2"), HasSubstr("unknown unit"));
  EXPECT_THAT(why("1..5 KiB"), HasSubstr("not a number"));
  EXPECT_THAT(why("1. KiB"), HasSubstr("not a number"));
  EXPECT_THAT(why(".5 KiB"), HasSubstr("not a number"));
  EXPECT_THAT(why("1e3"), HasSubstr("has an exponent; write all digits; the largest is"));
  EXPECT_THAT(why(""), HasSubstr("not a size"));
  EXPECT_THAT(why("many"), HasSubstr("not a size"));
  EXPECT_THAT(why("+5"), HasSubstr("not a size"));
  EXPECT_THAT(why("99999999999999999999"),
              HasSubstr("too large; the largest is 1152921504606846976"));
  EXPECT_THAT(why("1152921504606846977"), HasSubstr("too large"));
  EXPECT_THAT(why("9223372036854775807 TiB"), HasSubstr("too large"));
  EXPECT_THAT(why("1048577 TiB"), HasSubstr("too large"));
}

TEST(Units, Durations) {
  EXPECT_EQ(*parse_duration("500ms"), 500ms);
  EXPECT_EQ(*parse_duration("10s"), 10s);
  EXPECT_EQ(*parse_duration("2m"), 2min);
  EXPECT_EQ(*parse_duration("2min"), 2min);
  EXPECT_EQ(*parse_duration("1.5 h"), 90min);
  EXPECT_EQ(*parse_duration("0.5s"), 500ms);
  EXPECT_EQ(*parse_duration("3us"), 3us);
  EXPECT_EQ(*parse_duration("7 ns"), 7ns);
  EXPECT_THAT(parse_duration("10").error, HasSubstr("no unit"));
  EXPECT_THAT(parse_duration("10 sec").error, HasSubstr("unknown unit"));
  EXPECT_THAT(parse_duration("-1s").error, HasSubstr("negative"));
  EXPECT_THAT(parse_duration("").error, HasSubstr("not a duration"));
  EXPECT_THAT(parse_duration("9223372036854775807h").error, HasSubstr("the largest is 2562047h"));
  EXPECT_THAT(parse_duration("99999999999999999999s").error, HasSubstr("the largest is 2562047h"));
  EXPECT_THAT(parse_duration("1e3s").error, HasSubstr("has an exponent"));
  EXPECT_THAT(parse_duration("0.5ns").error, HasSubstr("whole number of nanoseconds"));
}

TEST(Units, QuantitiesOfProfiles) {
  EXPECT_DOUBLE_EQ(*parse_frequency("1.05 GHz"), 1.05e9);
  EXPECT_DOUBLE_EQ(*parse_frequency("480 MHz"), 480e6);
  EXPECT_DOUBLE_EQ(*parse_frequency("1e3 Hz"), 1000);
  EXPECT_DOUBLE_EQ(*parse_energy("0.23 pJ"), 0.23);
  EXPECT_DOUBLE_EQ(*parse_energy("2 nJ"), 2000);
  EXPECT_DOUBLE_EQ(*parse_energy_per_byte("8 pJ/bit"), 64);
  EXPECT_DOUBLE_EQ(*parse_energy_per_byte("1.2 pJ/B"), 1.2);
  EXPECT_DOUBLE_EQ(*parse_power("2 W"), 2000);
  EXPECT_EQ(*parse_bandwidth("12 GB/s"), (Bandwidth{12e9, false}));
  EXPECT_EQ(*parse_bandwidth("8 Gbit/s"), (Bandwidth{1e9, false}));
  EXPECT_EQ(*parse_bandwidth("16 B/cycle"), (Bandwidth{16, true}));
  EXPECT_DOUBLE_EQ(parse_bandwidth("12 GB/s").value.bytes_per_cycle(1e9), 12);
  EXPECT_DOUBLE_EQ(parse_bandwidth("16 B/cycle").value.bytes_per_cycle(1e9), 16);
}

TEST(Units, QuantitiesNeedTheirOwnUnit) {
  EXPECT_THAT(parse_frequency("1000").error, HasSubstr("no unit"));
  EXPECT_THAT(parse_frequency("1 pJ").error, HasSubstr("unknown unit `pJ`"));
  EXPECT_THAT(parse_energy("1 pJ/B").error, HasSubstr("unknown unit"));
  EXPECT_THAT(parse_energy_per_byte("1 pJ").error, HasSubstr("unknown unit"));
  EXPECT_THAT(parse_energy("-1 pJ").error, HasSubstr("negative"));
  EXPECT_THAT(parse_energy("1e999 pJ").error, HasSubstr("out of range"));
  EXPECT_THAT(parse_energy("nan pJ").error, HasSubstr("not a number"));
  EXPECT_THAT(parse_energy("inf pJ").error, HasSubstr("not a number"));
  EXPECT_THAT(parse_frequency("1e308 GHz").error, HasSubstr("too large"));
  EXPECT_THAT(parse_bandwidth("12 GB").error, HasSubstr("unknown unit `GB`"));
}

TEST(Units, NumbersWithoutUnit) {
  EXPECT_EQ(*parse_whole("-12"), -12);
  EXPECT_EQ(parse_whole("12x").error, "is not a whole number");
  EXPECT_EQ(parse_whole("").error, "is not a whole number");
  EXPECT_EQ(parse_whole("9223372036854775808").error, "is too large");
  EXPECT_DOUBLE_EQ(*parse_real("1e-3"), 0.001);
  EXPECT_FALSE(parse_real("0x10"));
}

TEST(Units, SizesAsPeopleWriteThem) {
  EXPECT_EQ(format_size(0), "0");
  EXPECT_EQ(format_size(1000003), "1000003");
  EXPECT_EQ(format_size(16384), "16 KiB");
  EXPECT_EQ(format_size(1536), "1536");
  EXPECT_EQ(format_size(1536 * 1024), "1536 KiB");
  EXPECT_EQ(format_size(max_address), "1048576 TiB");
  for (const Size size : {Size{1}, Size{1024}, Size{3} << 20, Size{5} << 33, max_address}) {
    EXPECT_EQ(*parse_size(format_size(size)), size);
  }
}

}  // namespace
}  // namespace tessera::io
