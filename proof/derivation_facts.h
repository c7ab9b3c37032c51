// What a derivation may take from the problem, worked out anew.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "model/derived.h"

namespace tessera::proof {

class DerivationFacts {
 public:
  explicit DerivationFacts(const PlacementProblem& problem);

  /// Is the problem without rules a derivation cannot speak of? Every buffer in one memory, no
  /// modes, only relations about overlap and fixed distances.
  [[nodiscard]] bool expressible() const { return expressible_; }
  [[nodiscard]] const Buffer& buffer(BufferIndex b) const { return problem_.buffers[b]; }
  [[nodiscard]] std::size_t buffers() const { return problem_.buffers.size(); }
  /// Addresses the buffer may occupy, and what its offset is a multiple of.
  [[nodiscard]] AddressRange room(BufferIndex b) const;
  [[nodiscard]] Size stride(BufferIndex b) const;
  /// Must the two parts never share an address?
  [[nodiscard]] bool apart(BufferIndex a, AddressRange of_a, BufferIndex b,
                           AddressRange of_b) const;
  /// Does a relation put b's offset at least `distance` above a's?
  [[nodiscard]] bool at_distance(BufferIndex a, BufferIndex b, Size distance) const;
  /// Is an offset below `start` whose end is above `end` always against a rule?
  [[nodiscard]] bool keeps_out(BufferIndex b, Offset start, Offset end) const;
  [[nodiscard]] bool identical(BufferIndex a, BufferIndex b) const;
  /// Has the buffer a double?
  [[nodiscard]] bool has_double(BufferIndex b) const;
  [[nodiscard]] bool mirrors() const;
  /// Would nobody but what is in its way notice if the buffer were lowered?
  [[nodiscard]] bool may_be_lowered(BufferIndex b) const;
  /// Parts of `other` that are in the way of b when it is lowered.
  [[nodiscard]] std::vector<AddressRange> in_the_way(BufferIndex b, BufferIndex other) const;

 private:
  [[nodiscard]] const Memory& home(BufferIndex b) const { return problem_.memories[home_[b]]; }

  const PlacementProblem& problem_;
  bool expressible_ = true;
  std::vector<MemoryIndex> home_;
  std::vector<std::vector<Segment>> parts_;
  std::set<std::pair<BufferIndex, BufferIndex>> exempt_, disjoint_;
  std::map<std::pair<BufferIndex, BufferIndex>, std::set<Size>> distances_;
  std::vector<char> related_;
  std::vector<char> tied_down_;  ///< by a relation about more than overlap
};

}  // namespace tessera::proof
