// Facts about the problem that derivations may use, computed independently of the engines.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "model/derived.h"
#include "model/poll.h"

namespace tessera::proof {

class DerivationFacts {
 public:
  explicit DerivationFacts(const PlacementProblem& problem);

  [[nodiscard]] const Buffer& buffer(BufferIndex b) const { return problem_.buffers[b]; }
  [[nodiscard]] std::size_t buffers() const { return problem_.buffers.size(); }
  [[nodiscard]] const Memory& memory(MemoryIndex m) const { return problem_.memories[m]; }
  [[nodiscard]] std::size_t memories() const { return problem_.memories.size(); }
  [[nodiscard]] Step steps() const { return steps_; }
  /// Number of modes of the memory. With modes per bank every combination is one mode. 0 if there
  /// are none, or too many to number.
  [[nodiscard]] std::size_t modes(MemoryIndex m) const { return modes_[m]; }
  /// Roles of the mode with this number, by bank. Combinations are numbered with the last bank
  /// fastest.
  [[nodiscard]] std::vector<std::optional<Role>> roles_of(MemoryIndex m, std::size_t mode) const;
  /// Cost if the two share an address of one memory.
  [[nodiscard]] Cost cost_of(BufferIndex a, BufferIndex b) const;
  [[nodiscard]] const std::vector<MemoryIndex>& allowed(BufferIndex b) const { return allowed_[b]; }
  [[nodiscard]] bool tied(BufferIndex b) const { return allowed_[b].size() == 1; }
  /// Are both tied to the same memory?
  [[nodiscard]] bool tied_together(BufferIndex a, BufferIndex b) const {
    return tied(a) && allowed_[a] == allowed_[b];
  }
  /// The addresses that the buffer may occupy in any memory, and the common divisor of its offsets.
  [[nodiscard]] AddressRange room(BufferIndex b) const;
  [[nodiscard]] Size stride(BufferIndex b) const;
  /// Must the two parts never share an address of one memory?
  [[nodiscard]] bool apart(BufferIndex a, AddressRange of_a, BufferIndex b,
                           AddressRange of_b) const;
  /// If both are in one memory and b's offset minus a's lies strictly between `low` and `high`: do
  /// parts overlap that must not share an address? Iterates over their segments.
  [[nodiscard]] bool always_meet(BufferIndex a, BufferIndex b, Offset low, Offset high,
                                 Poll& poll) const;
  [[nodiscard]] bool has_parts(BufferIndex b) const { return !buffer(b).parts.empty(); }
  /// Does a relation require b's offset to be at least `distance` above a's?
  [[nodiscard]] bool at_distance(BufferIndex a, BufferIndex b, Size distance) const;

  /// Possible places of a buffer: offsets [low, high] in one memory.
  struct Box {
    BufferIndex buffer = 0;
    Offset low = 0;
    Offset high = 0;
    MemoryIndex memory = 0;
  };
  /// Does every offset in the box violate a rule of the buffer alone?
  [[nodiscard]] bool impossible(const Box& box) const;
  /// Does every pair of offsets in the boxes violate a relation?
  [[nodiscard]] bool impossible(const Box& a, const Box& b) const;
  /// If the banks of the box's memory have these roles at this step (none: unknown), is every
  /// offset in the box forbidden?
  [[nodiscard]] bool impossible(const Box& box, Step step,
                                const std::vector<std::optional<Role>>& roles) const;

  /// Are the two buffers interchangeable? See derivation_twins.cpp.
  [[nodiscard]] bool twins(BufferIndex a, BufferIndex b) const;
  /// require: twins(a, b). May they have the same place?
  [[nodiscard]] bool at_one_place(BufferIndex a, BufferIndex b) const;
  [[nodiscard]] bool has_twin(BufferIndex b) const;
  [[nodiscard]] bool mirrors() const;
  /// Can the buffer be lowered without an effect on others, except those directly below it?
  [[nodiscard]] bool may_be_lowered(BufferIndex b) const;
  /// The parts of `other` that block b from below.
  [[nodiscard]] std::vector<AddressRange> in_the_way(BufferIndex b, BufferIndex other) const;

 private:
  using Pairs = std::set<std::pair<BufferIndex, BufferIndex>>;  // in both directions
  void relate(const Relation& relation);
  [[nodiscard]] bool always_in_reserved(const Box& box) const;
  /// Relations of two buffers: their kinds, one bit each, and the cost of overlap.
  struct Said {
    unsigned kinds = 0;
    Cost cost = 0;
    friend bool operator==(const Said&, const Said&) = default;
  };
  [[nodiscard]] bool look_the_same(BufferIndex a, BufferIndex b) const;
  [[nodiscard]] bool said_the_same(BufferIndex a, BufferIndex b, unsigned aside) const;
  [[nodiscard]] std::set<AddressRange> kept(BufferIndex b, BufferIndex from) const;

  const PlacementProblem& problem_;
  Step steps_ = 0;
  std::vector<std::size_t> modes_;
  std::map<std::pair<BufferIndex, BufferIndex>, Cost> costs_;  // first < second
  std::vector<std::vector<MemoryIndex>> allowed_;
  std::vector<std::vector<Segment>> parts_;
  bool any_parts_ = false;  ///< of a buffer
  Pairs exempt_, disjoint_, one_memory_, other_memories_, one_bank_, other_banks_;
  std::map<std::pair<BufferIndex, BufferIndex>, std::set<Size>> distances_;
  std::vector<std::map<BufferIndex, Said>> said_;  ///< by buffer
  std::vector<char> in_a_row_;                     ///< an `adjacent` names it
  std::vector<char> tied_down_;                    ///< in a relation other than an overlap rule
  std::vector<char> in_a_bank_;                    ///< must lie entirely in one bank
};

}  // namespace tessera::proof
