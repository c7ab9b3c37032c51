// Cuts: buffers of which no two may share an address, all confined to addresses that hold fewer
// bytes.
#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <set>

#include "model/buffer_parts.h"
#include "model/derived.h"
#include "parts.h"

namespace tessera::proof {
namespace {

__extension__ typedef __int128 Wide;  // sums of arbitrary input values

Wide round_up(Wide value, Wide grain) {
  return (value + grain - 1) / grain * grain;
}

/// Addresses a listed buffer needs, relative to its offset.
struct Asked {
  BufferIndex buffer = 0;
  AddressRange range;
  bool at_step = false;  ///< it occupies them at the step of the cut
  std::vector<Segment> life;
  Size bytes = 0;  ///< used bytes of the range; fewer than its length for parts with gaps
};

class CutCheck {
 public:
  explicit CutCheck(const Body& body)
      : problem_(body.problem), lines_(body.text, body.first_line), budget_(body.budget) {}

  /// The error, or none.
  std::string run() {
    while (const auto line = lines_.next()) {
      std::string_view rest = *line;
      const std::string_view word = first_word(rest);
      const std::string wrong = word == "step"     ? read_step(rest)
                                : word == "range"  ? read_range(rest)
                                : word == "grain"  ? read_grain(rest)
                                : word == "memory" ? read_memory(rest)
                                : word == "buffer" ? read_buffer(rest)
                                : word == "asked"  ? read_sums(rest)
                                                   : "unknown word '" + std::string(word) + "'";
      if (!wrong.empty()) return at_line(lines_.number(), wrong);
    }
    if (!sums_) return "The cut ends before its sums.";
    return judge();
  }

  std::string proved;

 private:
  std::string read_step(std::string_view rest) {
    const auto step = take_number(rest);
    if (step_ || !step || !at_end(rest)) return "one step is expected, once";
    step_ = *step;
    return {};
  }
  std::string read_range(std::string_view rest) {
    const auto begin = take_number(rest);
    const auto end = take_number(rest);
    if (range_ || !begin || !end || *begin < 0 || *end < *begin || *end > unbounded ||
        !at_end(rest))
      return "a begin and an end are expected, once";
    range_ = AddressRange{*begin, *end};
    return {};
  }
  std::string read_grain(std::string_view rest) {
    const auto grain = take_number(rest);
    if (grain_named_ || !grain || *grain < 1 || *grain > max_address || !at_end(rest))
      return "a grain of at least 1 is expected, once";
    grain_ = *grain;
    grain_named_ = true;
    return {};
  }
  std::string read_memory(std::string_view rest) {
    const auto index = take_number(rest);
    if (!index || *index < 0 || *index >= std::ssize(problem_.memories)) return "no such memory";
    const auto m = static_cast<MemoryIndex>(*index);
    if (rest != ' ' + problem_.memories[m].name) return "the memory has another name";
    if (!memories_.insert(m).second) return "the memory is named twice";
    return {};
  }
  std::string read_buffer(std::string_view rest) {
    const auto index = take_number(rest);
    if (!index || *index < 0 || *index >= std::ssize(problem_.buffers)) return "no such buffer";
    const auto b = static_cast<BufferIndex>(*index);
    if (rest != ' ' + problem_.buffers[b].id) return "the buffer has another id";
    if (!buffers_.insert(b).second) return "the buffer is named twice";
    return {};
  }
  std::string read_sums(std::string_view rest) {
    const auto asked = take_number(rest);
    const std::string_view word = take_word(rest);
    const auto available = take_number(rest);
    if (sums_ || !asked || word != "available" || !available || !at_end(rest))
      return "two numbers are expected, once";
    sums_ = std::pair(*asked, *available);
    return {};
  }

  /// At the step: the addresses occupied then. Without a step, or if it occupies none: all of it.
  [[nodiscard]] Asked item_of(BufferIndex b) const {
    const Buffer& buffer = problem_.buffers[b];
    Asked item{b, extent(buffer), false, segments(buffer), used_size(buffer)};
    for (const Load& load : loads(buffer))
      if (step_ && load.steps.contains(*step_)) {
        item.range = load.range;
        item.bytes = load.bytes;
        item.at_step = true;
      }
    return item;
  }

  /// The addresses of a buffer that another buffer at its offset uses as well.
  [[nodiscard]] static Asked part_of(const Asked& item, const Buffer& other, BufferIndex b) {
    return {b, item.range, false, segments(other), item.bytes};
  }

  /// Ranges of two buffers that share no address: both are live at one step, a relation separates
  /// them, or the places of one exclude the other.
  [[nodiscard]] bool apart(const Asked& a, const Asked& b) const {
    const auto pair = std::minmax(a.buffer, b.buffer);
    if (apart_.contains(pair)) return true;
    if (!exempt_.contains(pair))
      for (const Segment& x : a.life)
        for (const Segment& y : b.life)
          if (overlaps(x.steps, y.steps) && x.range.contains(a.range) && y.range.contains(b.range))
            return true;
    return never_meet(problem_.buffers[a.buffer], problem_.buffers[b.buffer]);
  }

  [[nodiscard]] static AddressRange own_range(const Buffer& buffer, const Memory& memory) {
    AddressRange room{0, memory.capacity};
    if (buffer.window)
      room = {std::max(room.begin, buffer.window->begin), std::min(room.end, buffer.window->end)};
    if (buffer.offset)
      room = {std::max(room.begin, *buffer.offset),
              std::min(room.end, *buffer.offset + buffer.size)};
    return room;
  }

  [[nodiscard]] bool never_meet(const Buffer& a, const Buffer& b) const {
    const std::vector<MemoryIndex> others = allowed_memories(problem_, b);
    for (const MemoryIndex m : allowed_memories(problem_, a)) {
      if (std::find(others.begin(), others.end(), m) == others.end()) continue;
      const AddressRange one = own_range(a, problem_.memories[m]);
      const AddressRange two = own_range(b, problem_.memories[m]);
      if (std::max(one.begin, two.begin) < std::min(one.end, two.end)) return false;
    }
    return true;
  }

  /// The item itself first, then items at its offset that contain its addresses.
  [[nodiscard]] std::vector<Asked> at_its_offset(const Asked& item) const {
    std::vector<Asked> all{item};
    const auto found = at_offset_.find(item.buffer);
    if (found == at_offset_.end()) return all;
    for (const BufferIndex b : *found->second)
      if (b != item.buffer && item.range.end <= problem_.buffers[b].size &&
          problem_.buffers[b].parts.empty())
        all.push_back(part_of(item, problem_.buffers[b], b));
    return all;
  }

  [[nodiscard]] bool kept_apart(const Asked& a, const Asked& b) const {
    if (apart(a, b)) return true;
    if (at_offset_.empty()) return false;
    const std::vector<Asked> others = at_its_offset(b);
    for (const Asked& one : at_its_offset(a))
      for (const Asked& two : others)
        if (one.buffer != two.buffer && apart(one, two)) return true;
    return false;
  }

  /// Classes of buffers with one offset: same_offset relations, joined where they share a buffer.
  void gather_offsets() {
    for (const Relation& relation : problem_.relations) {
      if (relation.kind != RelationKind::same_offset) continue;
      auto joined =
          std::make_shared<std::set<BufferIndex>>(relation.buffers.begin(), relation.buffers.end());
      for (const BufferIndex b : relation.buffers) {
        const auto found = at_offset_.find(b);
        if (found == at_offset_.end()) continue;
        const std::shared_ptr<std::set<BufferIndex>> old = found->second;
        joined->insert(old->begin(), old->end());
      }
      for (const BufferIndex b : *joined) at_offset_[b] = joined;
    }
  }

  std::string every_pair_is_kept_apart(const std::vector<Asked>& items) {
    gather_offsets();
    std::set<BufferIndex> speak;  // the buffers, and the buffers at their offsets
    for (const BufferIndex b : buffers_) {
      speak.insert(b);
      if (const auto found = at_offset_.find(b); found != at_offset_.end())
        speak.insert(found->second->begin(), found->second->end());
    }
    for (const auto& pair : exempt_pairs(problem_)) exempt_.insert(pair);
    for (const Relation& relation : problem_.relations) {
      if (relation.kind != RelationKind::disjoint && relation.kind != RelationKind::adjacent &&
          relation.kind != RelationKind::different_banks &&
          relation.kind != RelationKind::different_memories)
        continue;
      std::vector<BufferIndex> here;
      for (const BufferIndex b : relation.buffers)
        if (speak.contains(b)) here.push_back(b);
      for (std::size_t i = 0; i < here.size(); ++i)
        for (std::size_t j = 0; j < i; ++j) apart_.insert(std::minmax(here[i], here[j]));
    }
    std::map<BufferIndex, const Asked*> item_of_buffer;
    for (const Asked& item : items) item_of_buffer[item.buffer] = &item;
    // Items live at the step are apart unless exempt: only exempt pairs need a check.
    for (const auto& [a, b] : exempt_) {
      const auto one = item_of_buffer.find(a);
      const auto two = item_of_buffer.find(b);
      if (one == item_of_buffer.end() || two == item_of_buffer.end()) continue;
      if (!kept_apart(*one->second, *two->second)) return meet(a, b);
    }
    for (const Asked& item : items) {
      if (item.at_step) continue;
      for (const Asked& other : items) {
        if (item.buffer != other.buffer && !kept_apart(item, other))
          return meet(item.buffer, other.buffer);
        if (budget_.exhausted()) return "A limit ended the check of the cut.";
      }
    }
    return {};
  }
  [[nodiscard]] std::string meet(BufferIndex a, BufferIndex b) const {
    return "Buffers '" + problem_.buffers[a].id + "' and '" + problem_.buffers[b].id +
           "' may share addresses.";
  }

  /// For every place of the item: is it in the memories, in the range, and on the grain? Returns
  /// the error, or an empty string.
  [[nodiscard]] std::string confined(const Asked& item) const {
    const Buffer& buffer = problem_.buffers[item.buffer];
    const std::string who = "Buffer '" + buffer.id + "' ";
    if (item.range.begin % grain_ != 0) return who + "does not start on the grain at that step.";
    if (item.bytes != item.range.size() && grain_ != 1)
      return who + "is not contiguous, so its size is not rounded up to the grain.";
    for (const MemoryIndex m : allowed_memories(problem_, buffer)) {
      const Memory& memory = problem_.memories[m];
      if (!memories_.contains(m)) return who + "may go to another memory.";
      if (effective_alignment(buffer, memory) % grain_ != 0)
        return who + "need not be aligned to the grain in memory '" + memory.name + "'.";
      if (!range_) continue;
      AddressRange room = own_range(buffer, memory);
      // A window restricts the parts, not the offset of the buffer.
      if (buffer.parts.empty())
        room = {room.begin + item.range.begin, room.end - buffer.size + item.range.end};
      if (!range_->contains(room)) return who + "may be placed outside the range.";
    }
    return {};
  }

  /// Contiguous address ranges without a boundary that buffers cannot cross: split at reserved
  /// ranges, and at bank boundaries if crossing them is forbidden.
  [[nodiscard]] std::vector<AddressRange> stretches(const Memory& memory) const {
    std::vector<AddressRange> taken = memory.reserved;
    if (!memory.straddle)
      for (const AddressRange& bank : bank_ranges(memory)) taken.push_back({bank.end, bank.end});
    std::sort(taken.begin(), taken.end());
    const AddressRange all{range_ ? range_->begin : 0,
                           std::min(range_ ? range_->end : unbounded, memory.capacity)};
    taken.push_back({all.end, all.end});
    std::vector<AddressRange> free;
    Offset at = all.begin;
    for (const AddressRange& range : taken) {
      const Offset end = std::min(range.begin, all.end);
      if (end > at) free.push_back({at, end});
      at = std::max(at, range.end);
    }
    return free;
  }

  std::string judge() {
    std::vector<Asked> items;
    for (const BufferIndex b : buffers_) items.push_back(item_of(b));
    if (std::string wrong = every_pair_is_kept_apart(items); !wrong.empty()) return wrong;
    Wide asked = 0;
    std::vector<Size> slack;
    for (const Asked& item : items) {
      if (std::string wrong = confined(item); !wrong.empty()) return wrong;
      const Wide rounded = round_up(item.bytes, grain_);
      asked += rounded;
      slack.push_back(static_cast<Size>(rounded - item.bytes));
    }
    Wide available = 0;
    std::size_t tops = 0;  // the highest buffer of each stretch needs no rounding
    for (const MemoryIndex m : memories_) {
      if (problem_.memories[m].capacity == unbounded && !range_)
        return "A memory without capacity is named.";
      for (const AddressRange& free : stretches(problem_.memories[m])) {
        const Wide begin = round_up(free.begin, grain_);
        if (begin >= free.end) continue;
        available += free.end - begin;
        ++tops;
      }
    }
    std::sort(slack.begin(), slack.end(), std::greater<>());
    for (std::size_t k = 0; k < std::min(tops, slack.size()); ++k) asked -= slack[k];
    if (asked != sums_->first || available != sums_->second)
      return "The sums differ from those of the input.";
    if (asked <= available) return "The buffers fit: the load is no contradiction.";
    proved = std::to_string(buffers_.size()) +
             (buffers_.size() == 1 ? " buffer needs " : " buffers need ") +
             std::to_string(sums_->first) + " bytes" +
             (step_ ? " at step " + std::to_string(*step_) : std::string()) + ", but there are " +
             std::to_string(sums_->second) + " bytes.";
    return {};
  }

  const PlacementProblem& problem_;
  Lines lines_;
  const Budget& budget_;
  std::optional<Step> step_;
  std::optional<AddressRange> range_;
  Size grain_ = 1;
  bool grain_named_ = false;
  std::set<MemoryIndex> memories_;
  std::set<BufferIndex> buffers_;
  std::optional<std::pair<std::int64_t, std::int64_t>> sums_;
  std::set<std::pair<BufferIndex, BufferIndex>> exempt_, apart_;
  std::map<BufferIndex, std::shared_ptr<std::set<BufferIndex>>> at_offset_;
};

}  // namespace

void check_cut(const Body& body, ProofPart& part) {
  if (body.claim.kind != ClaimKind::infeasible && body.claim.kind != ClaimKind::height) {
    part.reason = "A cut proves infeasibility or heights, not costs.";
    return;
  }
  CutCheck check(body);
  part.reason = check.run();
  if (!part.reason.empty()) return;
  part.accepted = true;
  part.reason = check.proved;
}

}  // namespace tessera::proof
