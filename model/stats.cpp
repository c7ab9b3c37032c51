#include <limits>
#include <map>

#include "tessera/placement.h"

namespace tessera {

namespace {

std::int64_t sum(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (!__builtin_add_overflow(a, b, &result)) return result;
  return a < 0 ? std::numeric_limits<std::int64_t>::min()
               : std::numeric_limits<std::int64_t>::max();
}

struct Adder {
  using Value = decltype(Stat::value);
  Value operator()(std::int64_t a, std::int64_t b) const { return sum(a, b); }
  Value operator()(const std::string& a, const std::string& b) const {
    return a == b ? a : a + ", " + b;
  }
  template <typename Number>
  Value operator()(const std::string& a, Number /*b*/) const {
    return a;
  }
  template <typename Number>
  Value operator()(Number /*a*/, const std::string& b) const {
    return b;
  }
  Value operator()(double a, double b) const { return a + b; }
  Value operator()(std::int64_t a, double b) const { return static_cast<double>(a) + b; }
  Value operator()(double a, std::int64_t b) const { return a + static_cast<double>(b); }
};

}  // namespace

Stats added_up(const Stats& stats) {
  Stats result;
  std::map<std::string_view, std::size_t> known;
  for (const Stat& stat : stats) {
    const auto [entry, is_new] = known.try_emplace(stat.name, result.size());
    if (is_new)
      result.push_back(stat);
    else
      result[entry->second].value = std::visit(Adder{}, result[entry->second].value, stat.value);
  }
  return result;
}

}  // namespace tessera
