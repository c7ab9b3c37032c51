#include "search/partition/run_kinds.h"

#include <algorithm>
#include <unordered_map>

namespace tessera::search {

std::uint32_t RunKinds::add(std::size_t first, std::size_t last) {
  first_of_.emplace_back(first, last);
  members_.push_back(0);
  return static_cast<std::uint32_t>(first_of_.size() - 1);
}

/// Groups of one op are equal if the ops are. Longer groups are equal if they are without their
/// last ops, and the last ops are.
RunKinds::RunKinds(std::size_t ops, std::span<const std::uint32_t> like, std::size_t longest,
                   Poll& poll)
    : ops_(ops), longest_(std::min(longest, ops)) {
  if (ops_ == 0 || longest_ == 0) return;
  const std::size_t runs = row(ops_);
  poll.check_memory(static_cast<double>(runs) * sizeof(std::uint32_t));
  kinds_.resize(runs);
  std::unordered_map<std::uint64_t, std::uint32_t> known;
  for (std::size_t length = 1; length <= longest_; ++length) {
    known.clear();
    for (std::size_t first = 0; first + length <= ops_; ++first) {
      poll();
      const std::size_t last = first + length - 1;
      const std::uint32_t shorter = length > 1 ? kinds_[row(first) + length - 2] : 0;
      std::uint32_t kind = 0;
      if (like.empty() || (length > 1 && members_[shorter] == 1)) {
        kind = add(first, last);
      } else {
        const auto [at, added] =
            known.try_emplace((std::uint64_t{shorter} << 32U) | like[last], std::uint32_t{0});
        if (added) at->second = add(first, last);
        kind = at->second;
      }
      ++members_[kind];
      kinds_[row(first) + length - 1] = kind;
    }
  }
}

}  // namespace tessera::search
