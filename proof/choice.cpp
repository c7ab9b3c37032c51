// Upper bounds on the benefit of optional buffers: rows, each of which limits a weighted sum of
// placed units, and a tree of decisions on units, whose leaves add up rows with multipliers.
#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

#include "model/buffer_parts.h"
#include "model/derived.h"
#include "model/optional.h"
#include "parts.h"

namespace tessera::proof {
namespace {

__extension__ typedef __int128 Wide;  // sums of arbitrary input values

/// Products of these and row sums fit in 128 bits.
constexpr std::int64_t most_multiplier = std::int64_t{1} << 40U;
constexpr std::size_t most_priced = std::size_t{1} << 20U;

Wide rounded_up(Wide value, Wide grain) {
  return (value + grain - 1) / grain * grain;
}

/// The amounts of the placed units add up to at most `room`.
struct Row {
  std::vector<std::pair<std::size_t, std::int64_t>> amounts;  // amounts above 0, by unit
  std::int64_t room = 0;
};

/// Thrown with a message; caught where the line number is known.
struct Amiss {
  std::string why;
};

bool begins_a_row(std::string_view line) {
  return line == "row" || line.starts_with("row ");
}

/// Reads " NUMBER NAME" of a list element that no previous line named.
template <typename Listed>
void take_named(std::string_view rest, const std::vector<Listed>& list, std::string Listed::*name,
                std::set<std::size_t>& taken, const char* expected, const char* twice) {
  const auto index = take_number(rest);
  if (!index || *index < 0 || *index >= std::ssize(list) ||
      rest != ' ' + list[static_cast<std::size_t>(*index)].*name)
    throw Amiss{expected};
  if (!taken.insert(static_cast<std::size_t>(*index)).second) throw Amiss{twice};
}

/// A row of sums counts bytes live at one step, in memories that hold all of the buffers.
class SumRow {
 public:
  SumRow(const PlacementProblem& problem, const std::vector<std::size_t>& unit_of)
      : problem_(problem), unit_of_(unit_of) {}

  void line(std::string_view text) {
    std::string_view rest = text;
    const std::string_view word = first_word(rest);
    if (word == "step") {
      const auto step = take_number(rest);
      if (step_ || !step || !at_end(rest)) throw Amiss{"one step is expected, once"};
      step_ = *step;
    } else if (word == "grain") {
      const auto grain = take_number(rest);
      if (grain_ || !grain || *grain < 1 || *grain > max_address || !at_end(rest))
        throw Amiss{"a grain of at least 1 is expected, once"};
      grain_ = *grain;
    } else if (word == "memory") {
      take_named(rest, problem_.memories, &Memory::name, memories_,
                 "a memory's number and its name are expected", "the memory is named twice");
    } else if (word == "buffer") {
      take_named(rest, problem_.buffers, &Buffer::id, buffers_,
                 "a buffer's number and its id are expected", "the buffer is named twice");
    } else if (word == "room") {
      const auto room = take_number(rest);
      if (room_ || !room || !at_end(rest)) throw Amiss{"one room is expected, once"};
      room_ = *room;
    } else {
      throw Amiss{"unknown word '" + std::string(word) + "' in a row"};
    }
  }

  [[nodiscard]] Row judged(const std::set<std::pair<BufferIndex, BufferIndex>>& exempt) const {
    if (!step_ || !room_) throw Amiss{"a row of sums needs a step and a room"};
    const Size grain = grain_.value_or(1);
    for (auto a = buffers_.begin(); a != buffers_.end(); ++a) {
      // There are fewer exempt pairs than pairs with overlapping lifetimes.
      const auto from = exempt.lower_bound({*a, 0});
      for (auto each = from; each != exempt.end() && each->first == *a; ++each)
        if (buffers_.contains(each->second))
          throw Amiss{"buffers '" + problem_.buffers[*a].id + "' and '" +
                      problem_.buffers[each->second].id + "' may share addresses"};
    }
    Wide room = available(grain);
    std::map<std::size_t, Wide> amounts;
    for (const BufferIndex b : buffers_) {
      const Wide bytes = rounded_up(item(b, grain), grain);
      if (unit_of_[b] == problem_.buffers.size())
        room -= bytes;
      else
        amounts[unit_of_[b]] += bytes;
    }
    if (room != *room_) throw Amiss{"the room is not that of the input"};
    return divided(amounts, static_cast<std::int64_t>(room));
  }

 private:
  /// Its bytes that are live at the step.
  [[nodiscard]] Size item(BufferIndex b, Size grain) const {
    const Buffer& buffer = problem_.buffers[b];
    const std::string who = "buffer '" + buffer.id + "' ";
    for (const MemoryIndex m : allowed_memories(problem_, buffer)) {
      if (!memories_.contains(m)) throw Amiss{who + "may go to another memory"};
      if (effective_alignment(buffer, problem_.memories[m]) % grain != 0)
        throw Amiss{who + "need not be aligned to the grain"};
    }
    for (const Load& load : loads(buffer)) {
      if (!load.steps.contains(*step_)) continue;
      if (load.range.begin % grain != 0 || (load.bytes != load.range.size() && grain != 1))
        throw Amiss{who + "is not contiguous on the grain"};
      return load.bytes;
    }
    throw Amiss{who + "is not live at the step"};
  }

  /// Capacity for items that begin at multiples of the grain, with sizes rounded up to it.
  [[nodiscard]] Wide available(Size grain) const {
    Wide sum = 0;
    for (const MemoryIndex m : memories_) {
      const Memory& memory = problem_.memories[m];
      if (memory.capacity == unbounded) throw Amiss{"a memory without capacity is named"};
      std::vector<AddressRange> taken = memory.reserved;
      if (!memory.straddle)
        for (const AddressRange& bank : bank_ranges(memory)) taken.push_back({bank.end, bank.end});
      taken.push_back({memory.capacity, memory.capacity});
      std::sort(taken.begin(), taken.end());
      Offset at = 0;
      for (const AddressRange& range : taken) {
        const Wide begin = rounded_up(at, grain);
        const Offset end = std::min(range.begin, memory.capacity);
        if (begin < end) sum += rounded_up(end - begin, grain);
        at = std::max(at, range.end);
      }
    }
    return sum;
  }

  /// Integral amounts allow division by their greatest common divisor, rounded down.
  [[nodiscard]] static Row divided(const std::map<std::size_t, Wide>& amounts, std::int64_t room) {
    Row row;
    std::int64_t common = 0;
    for (const auto& [unit, amount] : amounts) {
      if (amount > max_address) throw Amiss{"a row exceeds the possible total"};
      row.amounts.emplace_back(unit, static_cast<std::int64_t>(amount));
      common = std::gcd(common, row.amounts.back().second);
    }
    row.room = room;
    if (common <= 1) return row;
    for (auto& [unit, amount] : row.amounts) amount /= common;
    row.room = room / common - (room % common < 0 ? 1 : 0);
    return row;
  }

  const PlacementProblem& problem_;
  const std::vector<std::size_t>& unit_of_;
  std::optional<Step> step_;
  std::optional<Size> grain_;
  std::optional<std::int64_t> room_;
  std::set<MemoryIndex> memories_;
  std::set<BufferIndex> buffers_;
};

class ChoiceCheck {
 public:
  ChoiceCheck(const Body& body, std::optional<StopReason>& stop)
      : problem_(body.problem),
        lines_(body.text, body.first_line),
        budget_(body.budget),
        stop_(stop),
        units_(optional_units(body.problem)),
        unit_of_(body.problem.buffers.size(), body.problem.buffers.size()),
        state_(units_.size(), free) {
    for (std::size_t u = 0; u < units_.size(); ++u) {
      first_buffers_[units_[u].buffers.front()] = u;
      for (const BufferIndex b : units_[u].buffers) unit_of_[b] = u;
    }
    for (const auto& [a, b] : exempt_pairs(problem_)) exempt_.insert(std::minmax(a, b));
    Benefit common = 0;
    for (const OptionalUnit& unit : units_) common = std::gcd(common, unit.benefit);
    common = std::max<Benefit>(common, 1);
    // The smallest sum of benefits above the claim.
    above_ = body.claim.most < 0 ? 0 : (body.claim.most / common + 1) * common;
  }

  /// The error, or none.
  std::string run(ProofPart& part) {
    try {
      while (lines_.peek() && begins_a_row(*lines_.peek())) read_row(part);
      const auto line = lines_.next();
      if (!line || *line != "tree") throw Amiss{"a row, or the tree, is expected here"};
      while (const auto next = lines_.next()) {
        step(*next);
        if (lines_.number() % 256 == 0 && (stop_ = budget_.exhausted()))
          return "A limit ended the check of the choice.";
      }
    } catch (const Amiss& amiss) {
      return at_line(lines_.number(), amiss.why);
    }
    if (stop_) return "A limit ended the check of the choice.";
    if (!closed_) return "The tree ends before all branches are closed.";
    return {};
  }

  [[nodiscard]] std::size_t rows() const { return rows_.size(); }
  std::int64_t leaves = 0;

 private:
  enum State : char { free, in, out };
  struct Branch {
    std::size_t unit = 0;
    bool both = false;                  ///< its second side is open
    std::vector<std::size_t> forced{};  ///< interchangeable units excluded since then
  };

  [[nodiscard]] std::size_t take_unit(std::string_view& rest) const {
    const auto buffer = take_number(rest);
    const auto found = buffer && *buffer >= 0
                           ? first_buffers_.find(static_cast<BufferIndex>(*buffer))
                           : first_buffers_.end();
    if (found == first_buffers_.end())
      throw Amiss{"an optional buffer is expected, the first of its group"};
    return found->second;
  }

  /// The lines up to the next row, or to the tree.
  std::string_view take_part() {
    const std::string_view text = lines_.rest();
    while (lines_.peek() && *lines_.peek() != "tree" && !begins_a_row(*lines_.peek()))
      static_cast<void>(lines_.next());
    return text.substr(0, text.size() - lines_.rest().size());
  }

  void read_row(ProofPart& part) {
    std::string_view rest = *lines_.next();
    static_cast<void>(first_word(rest));
    const std::string_view kind = take_word(rest);
    if (kind == "sum" && at_end(rest)) {
      SumRow row(problem_, unit_of_);
      while (lines_.peek() && *lines_.peek() != "tree" && !begins_a_row(*lines_.peek()))
        row.line(*lines_.next());
      rows_.push_back(row.judged(exempt_));
    } else if (kind == "set") {
      rows_.push_back(refuted_set(rest, part));
    } else {
      throw Amiss{"a row is a 'sum' or a 'set'"};
    }
    if ((stop_ = budget_.exhausted())) throw Amiss{"a limit ended the check"};
  }

  /// These units are not all placed: together with the required buffers they have no placement.
  [[nodiscard]] Row refuted_set(std::string_view rest, ProofPart& part) {
    std::vector<char> is_in(units_.size(), 0);
    Row row;
    while (!at_end(rest)) {
      const std::size_t unit = take_unit(rest);
      if (is_in[unit] != 0) throw Amiss{"a set names a buffer twice"};
      is_in[unit] = 1;
      row.amounts.emplace_back(unit, 1);
    }
    row.room = std::ssize(row.amounts) - 1;
    std::vector<BufferIndex> left_out;
    for (BufferIndex b = 0; b < problem_.buffers.size(); ++b)
      if (unit_of_[b] != problem_.buffers.size() && is_in[unit_of_[b]] == 0) left_out.push_back(b);
    const Restricted only = chosen(problem_, left_out);
    const auto kind = lines_.next();
    if (!kind || (*kind != "cut" && *kind != "derivation"))
      throw Amiss{"'cut' or 'derivation' is expected here"};
    const Claim none{};
    const std::size_t first = lines_.number() + 1;
    const Body body{only.problem, none, take_part(), first, budget_};
    ProofPart own;
    if (*kind == "cut")
      check_cut(body, own);
    else
      check_derivation(body, own, stop_);
    if (!own.accepted) throw Amiss{"the set is not proved infeasible: " + own.reason};
    part.lemmas += own.lemmas;
    part.propagations += own.propagations;
    return row;
  }

  void step(std::string_view text) {
    if (closed_) throw Amiss{"the text continues after the end of the tree"};
    std::string_view rest = text;
    const std::string_view word = first_word(rest);
    if (word == "prices") {
      price(rest);
    } else if (word == "in" || word == "out") {
      const std::size_t unit = take_unit(rest);
      if (!at_end(rest)) throw Amiss{"the line has extra text"};
      if (state_[unit] != free) throw Amiss{"this buffer is already decided"};
      branches_.push_back({.unit = unit});
      put(unit, word == "in" ? in : out);
    } else if (word == "twin") {
      twin(rest);
    } else if (word == "leaf" && at_end(rest)) {
      if (denominator_ == 0) throw Amiss{"a leaf needs preceding prices"};
      if (value_ >= Wide{denominator_} * above_)
        throw Amiss{"the prices allow a larger benefit than claimed"};
      close();
    } else if (word == "over") {
      const auto number = take_number(rest);
      if (!number || *number < 0 || *number >= std::ssize(rows_) || !at_end(rest))
        throw Amiss{"one row is expected"};
      const Row& row = rows_[static_cast<std::size_t>(*number)];
      Wide sum = 0;
      for (const auto& [unit, amount] : row.amounts) sum += state_[unit] == in ? amount : 0;
      if (sum <= row.room) throw Amiss{"the chosen buffers do not exceed the capacity of that row"};
      close();
    } else {
      throw Amiss{"'prices', 'in', 'out', 'twin', 'leaf' or 'over' is expected"};
    }
  }

  /// Among units with equal rows and benefits, the placed ones may be assumed to come first.
  void twin(std::string_view rest) {
    const std::size_t first = take_unit(rest);
    const std::size_t second = take_unit(rest);
    if (!at_end(rest)) throw Amiss{"the line has extra text"};
    if (first >= second) throw Amiss{"the second interchangeable buffer must follow the first"};
    if (state_[first] != out) throw Amiss{"the first interchangeable buffer is not out"};
    if (state_[second] != free) throw Amiss{"this buffer is already decided"};
    if (units_[first].benefit != units_[second].benefit)
      throw Amiss{"these buffers have different benefits, so they are not interchangeable"};
    if (takes_.empty()) {
      takes_.resize(units_.size());
      for (std::size_t r = 0; r < rows_.size(); ++r)
        for (const auto& [unit, amount] : rows_[r].amounts) takes_[unit].emplace_back(r, amount);
    }
    if (takes_[first] != takes_[second])
      throw Amiss{"a row distinguishes these buffers, so they are not interchangeable"};
    if (!branches_.empty()) branches_.back().forced.push_back(second);  // else it is out for good
    put(second, out);
  }

  /// A leaf: a multiplier for some rows. Units worth more than their price are assumed placed.
  void price(std::string_view rest) {
    const auto denominator = take_number(rest);
    if (!denominator || *denominator < 1 || *denominator > most_multiplier)
      throw Amiss{"prices begin with a denominator from 1 to 2^40"};
    denominator_ = *denominator;
    reduced_.assign(units_.size(), 0);
    for (std::size_t u = 0; u < units_.size(); ++u)
      reduced_[u] = Wide{denominator_} * units_[u].benefit;
    value_ = 0;
    std::int64_t before = -1;
    for (std::size_t priced = 0; !at_end(rest); ++priced) {
      const auto number = take_number(rest);
      const auto multiplier = take_number(rest);
      if (!number || *number <= before || *number >= std::ssize(rows_) || !multiplier ||
          *multiplier < 1 || *multiplier > most_multiplier || priced >= most_priced)
        throw Amiss{"rows are expected, ascending, each with a multiplier from 1 to 2^40"};
      before = *number;
      const Row& row = rows_[static_cast<std::size_t>(*number)];
      value_ += Wide{*multiplier} * row.room;
      for (const auto& [unit, amount] : row.amounts) reduced_[unit] -= Wide{*multiplier} * amount;
    }
    for (std::size_t u = 0; u < units_.size(); ++u) value_ += counted(u);
  }

  /// The contribution of a unit to the sum of a leaf.
  [[nodiscard]] Wide counted(std::size_t unit) const {
    if (denominator_ == 0 || state_[unit] == out) return 0;
    return state_[unit] == in ? reduced_[unit] : std::max<Wide>(0, reduced_[unit]);
  }

  void put(std::size_t unit, State state) {
    value_ -= counted(unit);
    state_[unit] = state;
    value_ += counted(unit);
  }

  /// Returns to the last branch whose second side is open.
  void close() {
    ++leaves;
    for (; !branches_.empty(); branches_.pop_back()) {
      Branch& branch = branches_.back();
      for (const std::size_t unit : branch.forced) put(unit, free);
      branch.forced.clear();
      const State other = state_[branch.unit] == in ? out : in;
      put(branch.unit, branch.both ? free : other);
      if (branch.both) continue;
      branch.both = true;
      return;
    }
    closed_ = true;
  }

  const PlacementProblem& problem_;
  Lines lines_;
  const Budget& budget_;
  std::optional<StopReason>& stop_;
  std::vector<OptionalUnit> units_;
  std::vector<std::size_t> unit_of_;  ///< by buffer; a required buffer has no unit
  std::map<BufferIndex, std::size_t> first_buffers_;
  std::set<std::pair<BufferIndex, BufferIndex>> exempt_;
  std::vector<Row> rows_;
  Wide above_ = 0;
  std::vector<State> state_;
  std::vector<Branch> branches_;
  std::vector<std::vector<std::pair<std::size_t, std::int64_t>>>
      takes_;  ///< by unit: rows that contain it
  std::int64_t denominator_ = 0;
  std::vector<Wide> reduced_;
  Wide value_ = 0;
  bool closed_ = false;
};

}  // namespace

void check_choice(const Body& body, ProofPart& part, std::optional<StopReason>& stop) {
  if (body.claim.kind != ClaimKind::benefit) {
    part.reason = "A choice proves benefits only.";
    return;
  }
  ChoiceCheck check(body, stop);
  part.reason = check.run(part);
  if (!part.reason.empty()) return;
  part.accepted = true;
  part.reason = std::to_string(check.rows()) + (check.rows() == 1 ? " row" : " rows") +
                " and a tree of " + std::to_string(check.leaves) +
                (check.leaves == 1 ? " leaf" : " leaves") + " exclude a larger benefit.";
}

}  // namespace tessera::proof
