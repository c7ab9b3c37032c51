#include "tiling/lower.h"

#include <algorithm>
#include <set>

#include "facts/free_space.h"
#include "tiling/joined.h"
#include "tiling/loops.h"
#include "tiling/lower_rules.h"
#include "tiling/reach.h"

namespace tessera::tiling {
namespace {

/// Live intervals on a schedule that repeats after `period` steps.
class Cycle {
 public:
  explicit Cycle(Step period) : period_(period) {}

  /// Adds `length` steps from `begin`, wrapping around the end of the schedule.
  void add(Step begin, Step length) {
    const Step from = (begin % period_ + period_) % period_;
    if (length >= period_) return intervals_.assign(1, {0, period_});
    intervals_.push_back({from, std::min(from + length, period_)});
    if (from + length > period_) intervals_.push_back({0, from + length - period_});
  }

  /// Sorted; intervals that touch or overlap are joined.
  [[nodiscard]] std::vector<StepRange> intervals() const {
    std::vector<StepRange> sorted = intervals_;
    std::ranges::sort(sorted);
    std::vector<StepRange> joined;
    for (const StepRange& range : sorted) {
      if (!joined.empty() && range.lower <= joined.back().upper)
        joined.back().upper = std::max(joined.back().upper, range.upper);
      else
        joined.push_back(range);
    }
    return joined;
  }

 private:
  Step period_;
  std::vector<StepRange> intervals_;
};

/// The ops that use a tensor in one of its places.
struct Share {
  Memories memories;       ///< empty: any
  bool made = false;       ///< produced by an op of the group
  std::vector<Step> read;  ///< steps, sorted
};

class Lowerer {
 public:
  Lowerer(const Subgraph& subgraph, const TileSpace& space, const Hardware& hardware,
          const TileVariant& options)
      : part_(subgraph),
        space_(space),
        hardware_(hardware),
        reachable_(subgraph, hardware),
        n_(static_cast<Step>(subgraph.steps())),
        line_{n_, n_ - static_cast<Step>(options.trailing)},
        parities_(options.double_buffer ? 2 : 1),
        period_(n_ * parities_) {
    out_.options = options;
    out_.steps_per_tile = n_;
    out_.across_tiles = options.double_buffer;
    out_.direct = direct_accesses(subgraph, hardware, options.direct);
  }

  Lowering run() {
    out_.problem.name = part_.network->name;
    out_.problem.memories = placement_memories(hardware_);
    for (Memory& memory : out_.problem.memories)
      memory.reserved = facts::merged(std::move(memory.reserved));
    std::vector<std::size_t> joined;
    for (std::size_t t = 0; t < part_.tensors.size(); ++t) {
      of_.emplace_back();
      if (const auto place = part_.tensors[t].in_place_of) {
        if (part_.tensors[*place].producer > part_.tensors[t].producer)
          joined.push_back(t);
        else
          in_place(t, *place);
        continue;
      }
      if (out_.is_direct(t) || part_.tensors[t].in_its_place || part_.tensors[t].pinned) continue;
      if (part_.tensors[t].ahead) {
        ahead(t);
        continue;
      }
      find_shares(t);
      for (share_ = 0; share_ < shares_.size(); ++share_) {
        if (part_.tensors[t].weight)
          weight(t);
        else if (part_.tensors[t].kept && share_ == 0)
          kept(t);
        else if (share_ > 0 && (part_.tensors[t].producer || part_.tensors[t].kept))
          copy(t);
        else if (!part_.tensors[t].producer)
          input(t);
        else if (part_.tensors[t].leaves)
          output(t);
        else
          intermediate(t);
        // The resident tensor itself has all rows, but a copy for other engines only those of a
        // tile.
        if (!part_.tensors[t].kept || share_ > 0) halo(t);
      }
    }
    for (const std::size_t t : joined) {
      of_[t] = of_[*part_.tensors[t].in_place_of];
      out_.in_place.emplace_back(t, *part_.tensors[t].in_place_of);
    }
    for (std::size_t k = 0; k < part_.passing.size(); ++k) passing(k);
    for (Buffer& buffer : out_.problem.buffers) {
      tidy(buffer.read);
      tidy(buffer.write);
    }
    restrictions();
    add_operand_rules(hardware_, part_, {n_, parities_}, out_.problem,
                      [this](auto... which) { return named(which...); });
    make_unique();
    return std::move(out_);
  }

 private:
  /// A tensor's name may equal the generated name of another tensor's buffer.
  void make_unique() {
    std::set<std::string> known;
    for (Buffer& buffer : out_.problem.buffers)
      while (!known.insert(buffer.id).second) buffer.id += "'";
  }
  static void tidy(std::vector<Step>& steps) {
    std::ranges::sort(steps);
    steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
  }
  /// Each op joins the first share that its engine reaches, or creates one.
  void find_shares(std::size_t t) {
    const LocalTensor& local = part_.tensors[t];
    shares_.assign(1, {.memories = {}, .made = local.producer.has_value(), .read = {}});
    if (!reachable_.restricts()) {
      shares_.front().read = local.consumers;
      return;
    }
    bool first = !local.producer && local.made_in.empty();
    if (local.producer) shares_.front().memories = reachable_.output(*local.producer);
    // A resident tensor stays in the memory of its producer.
    if (!local.made_in.empty()) shares_.front().memories = local.made_in;
    for (const Step step : local.consumers) {
      const Memories mine = reachable(t, step);
      if (first) shares_.front().memories = mine;
      first = false;
      std::size_t s = 0;
      for (; s < shares_.size(); ++s) {
        Memories both;
        std::ranges::set_intersection(shares_[s].memories, mine, std::back_inserter(both));
        if (both.empty()) continue;
        shares_[s].memories = std::move(both);
        break;
      }
      if (s == shares_.size()) shares_.push_back({.memories = mine, .made = false, .read = {}});
      shares_[s].read.push_back(step);
      if (s > 0) out_.later.push_back({t, step, s});
    }
    out_.most_shares = std::max(out_.most_shares, shares_.size());
  }
  /// Fused operands of a product are read where its results are written, not where its input is.
  [[nodiscard]] Memories reachable(std::size_t t, Step step) const {
    if (part_.tensors[t].weight) return reachable_.weights(step);
    const bool fused =
        is_product(part_.op(step)) &&
        std::ranges::none_of(part_.operands_at[static_cast<std::size_t>(step)],
                             [&](const LocalOperand& o) { return o.local == t && o.position < 2; });
    return fused ? reachable_.output(step) : reachable_.input(step);
  }
  [[nodiscard]] const Share& share() const { return shares_[share_]; }

  /// The last use of this share. The share of the producer is also used until it is copied to the
  /// others.
  [[nodiscard]] Step last_use(std::size_t t) const {
    Step last = part_.tensors[t].producer.value_or(0);
    if (!share().read.empty()) last = std::max(last, share().read.back());
    if (share().made)
      for (const Share& other : shares_)
        if (!other.read.empty() && &other != &share()) last = std::max(last, other.read.front());
    return last;
  }
  void written_in(Buffer& buffer, const std::vector<Step>& makers, int parity) const {
    for (const Step made : makers) at_work(parity, made, buffer.write);
  }
  [[nodiscard]] bool one_copy_of(OneCopy what) const {
    return parities_ == 2 && has(out_.options.one_copy, what);
  }
  /// In each tile of the schedule, at the same place.
  void live_in_each(Buffer& buffer, Step first, Step length) const {
    Cycle live(period_);
    for (int parity = 0; parity < parities_; ++parity) live.add(parity * n_ + first, length);
    buffer.live = live.intervals();
  }
  [[nodiscard]] Step wrapped(Step step) const { return (step % period_ + period_) % period_; }

  /// One buffer for all tiles, loaded whenever they need another part of the tensor.
  void staying(std::size_t t) {
    Buffer& buffer = add(t, BufferRole::tile, 0, "");
    buffer.live = {{0, period_}};
    all_reads(buffer);
    out_.buffers.back().stays = true;
    out_.across_tiles = true;
    if (share_ > 0) return;
    StayingTensor& tensor = out_.staying.emplace_back();
    tensor.tensor = t;
    for (std::size_t axis = 0; axis < tile_axes; ++axis)
      tensor.moves[axis] = space_.moving[axis][t].any();
  }

  Buffer& add(std::size_t t, BufferRole role, int copy, const char* suffix) {
    const Tensor& tensor = part_.tensor(t);
    Buffer buffer;
    buffer.id = tensor.name + (share_ == 0 ? "" : ".copy" + std::to_string(share_)) + suffix;
    if (share().memories.size() < out_.problem.memories.size()) buffer.memories = share().memories;
    const ElementBytes& bytes = part_.tensors[t].bytes;
    buffer.size = std::max<Size>(
        1, part_.tensors[t].weight ? bytes.whole() : stored_bytes(tensor, brick_of(part_, t)));
    buffer.kind = part_.tensors[t].weight ? BufferKind::weight : BufferKind::activation;
    of_[t].push_back(out_.buffers.size());
    // Resident weights are complete in all tiles.
    const bool resident = part_.tensors[t].weight && out_.options.weights == WeightPolicy::resident;
    out_.buffers.push_back(
        {t, role, copy, bytes, resident ? buffer.size : 0, share_, std::nullopt});
    return out_.problem.buffers.emplace_back(std::move(buffer));
  }
  void reads(Buffer& buffer, int parity) const {
    for (const Step step : share().read) at_work(parity, step, buffer.read);
  }
  /// The step of the schedule at which an op of the even or odd tile works.
  [[nodiscard]] Step at(int parity, Step op) const {
    return (parity * n_ + line_.used_by(op)) % period_;
  }

  /// The steps at which an op of the even or odd tile may work. The time of a trailing op within
  /// its slot is unknown, so its accesses have to be permitted in the whole slot.
  void at_work(int parity, Step op, std::vector<Step>& steps) const {
    if (line_.trails(op))
      throughout(at(parity, op) / n_, steps);
    else
      steps.push_back(at(parity, op));
  }
  void throughout(Step slot, std::vector<Step>& steps) const {
    for (Step step = 0; step < n_; ++step) steps.push_back(slot * n_ + step);
  }

  /// Does a trailing op use the tensor in this place?
  [[nodiscard]] bool trails(std::size_t t) const {
    if (!line_.any_trails()) return false;
    if (share().made && (line_.trails(last_use(t)) || line_.trails(*part_.tensors[t].producer)))
      return true;
    return !share().read.empty() && line_.trails(share().read.back());
  }
  /// Does a leading op?
  [[nodiscard]] bool leads(std::size_t t) const {
    if (share().made) return !line_.trails(makers_of(part_, t).front());
    return !share().read.empty() && !line_.trails(share().read.front());
  }
  /// For tensors of trailing ops, whose time within a slot is unknown.
  void always(std::size_t t, int copies) {
    const std::vector<Step> makers = share().made ? makers_of(part_, t) : std::vector<Step>{};
    for (int copy = 0; copy < copies; ++copy) {
      Buffer& buffer = add(t, BufferRole::tile, copy, copies == 2 ? copy_name(copy) : "");
      buffer.live = {{0, period_}};
      for (int parity = 0; parity < parities_; ++parity) {
        if (copies == 2 && parity != copy) continue;
        written_in(buffer, makers, parity);
        reads(buffer, parity);
        moves(t, parity, buffer);
      }
    }
  }
  /// Transfers for trailing ops. A load runs in the slot before, from the last use of the buffer to
  /// the use. A store runs from the last use to the next production.
  void moves(std::size_t t, int parity, Buffer& buffer) const {
    const LocalTensor& local = part_.tensors[t];
    if (local.weight) return;
    if (is_loaded(local)) {
      throughout(1 - parity, buffer.write);
      if (!leads(t)) throughout(parity, buffer.write);
    }
    if (is_stored(local) && share_ == 0)
      for (Step slot = 0; slot < 2; ++slot) throughout(slot, buffer.read);
  }
  /// The step of a leading op, by its number among the leading steps of all slots.
  [[nodiscard]] Step leading_step(Step number) const {
    return number / line_.leading * n_ + number % line_.leading;
  }
  /// The leading step before; that of the previous slot if there is none.
  [[nodiscard]] Step leading_before(Step step) const {
    return step > 0 ? step - 1 : step - 1 - (n_ - line_.leading);
  }
  void all_reads(Buffer& buffer) const {
    for (int parity = 0; parity < parities_; ++parity) reads(buffer, parity);
  }
  [[nodiscard]] const char* copy_name(int copy) const {
    if (parities_ == 1) return "";
    return copy == 0 ? ".ping" : ".pong";
  }

  /// DMA loads of weights ignore bank roles, so only reads are listed.
  void weight(std::size_t t) {
    const Step first = share().read.front();
    const Step length = share().read.back() + 1 - first;
    if (out_.options.weights == WeightPolicy::resident) {
      Buffer& buffer = add(t, BufferRole::tile, 0, "");
      buffer.live = {{0, period_}};
      all_reads(buffer);
      out_.across_tiles = true;
      if (share_ == 0) out_.staying.push_back({.tensor = t, .resident = true});
    } else if (out_.options.stationary == Stationary::weights) {
      staying(t);
    } else if (trails(t)) {
      always(t, 2);
    } else if (parities_ == 1) {
      Buffer& buffer = add(t, BufferRole::tile, 0, "");
      buffer.live = {{first, first + length}};
      all_reads(buffer);
    } else if (length + 1 <= line_.leading) {
      // Loaded one step early, and dead before the next tile needs it.
      const Step early = leading_before(first);
      Buffer& buffer = add(t, BufferRole::tile, 0, "");
      live_in_each(buffer, early, first + length - early);
      all_reads(buffer);
    } else if (one_copy_of(OneCopy::weights)) {
      Buffer& buffer = add(t, BufferRole::tile, 0, "");
      live_in_each(buffer, first, length);
      all_reads(buffer);
    } else {
      for (int copy = 0; copy < 2; ++copy) {
        Buffer& buffer = add(t, BufferRole::tile, copy, copy_name(copy));
        Cycle live(period_);
        const Step early = leading_before(first);
        live.add(copy * n_ + early, first + length - early);
        buffer.live = live.intervals();
        reads(buffer, copy);
      }
    }
  }

  /// The whole tensor in all tiles. Reads and writes between tiles are not listed: it waits for
  /// other groups.
  void kept(std::size_t t) {
    Buffer& buffer = add(t, BufferRole::kept, 0, "");
    buffer.live = {{0, period_}};
    all_reads(buffer);
    const std::vector<Step> makers = makers_of(part_, t);
    for (int parity = 0; parity < parities_; ++parity) written_in(buffer, makers, parity);
    out_.buffers.back().every_tile = buffer.size;
    out_.across_tiles = true;
  }
  void passing(std::size_t k) {
    const Tensor& tensor = part_.network->tensors[part_.passing[k]];
    Buffer buffer;
    buffer.id = tensor.name;
    buffer.size =
        std::max<Size>(1, stored_bytes(tensor, brick_of_passing(part_, part_.passing[k])));
    buffer.live = {{0, period_}};
    if (k < part_.passing_in.size() && part_.passing_in[k].size() < out_.problem.memories.size())
      buffer.memories = part_.passing_in[k];
    out_.buffers.push_back(
        {k, BufferRole::passing, 0, bytes_of(tensor), buffer.size, 0, std::nullopt});
    out_.problem.buffers.push_back(std::move(buffer));
    out_.across_tiles = true;
  }

  /// No op reads it yet: the group that reads it determines its place.
  void ahead(std::size_t t) {
    shares_.assign(1, {});
    share_ = 0;
    Buffer& buffer = add(t, BufferRole::tile, 0, "");
    buffer.live = {{0, period_}};
    buffer.memories.clear();
    out_.buffers.back().every_tile = buffer.size;
    out_.across_tiles = true;
    out_.staying.push_back({.tensor = t, .resident = true});
  }

  void input(std::size_t t) {
    // No gain if it moves with the channels, which are the inner loop.
    if (out_.options.stationary == Stationary::inputs && space_.moving[0][t].none())
      return staying(t);
    if (trails(t)) return always(t, 2);
    const Step first = share().read.front();
    const Step last = share().read.back();
    if (parities_ == 1) {
      Buffer& buffer = add(t, BufferRole::tile, 0, "");
      buffer.live = {{first, last + 1}};
      reads(buffer, 0);
      return;
    }
    // Loaded one step early, if its buffer is free then. The same applies to parts, of which one is
    // loaded while the other is read.
    if (one_copy_of(OneCopy::inputs) || part_.tensors[t].slice) {
      Buffer& buffer = add(t, BufferRole::tile, 0, "");
      const Step length = last + 1 - first;
      const Step early = length + 1 <= n_ ? 1 : 0;
      live_in_each(buffer, first - early, length + early);
      all_reads(buffer);
      for (int parity = 0; parity < 2 * early; ++parity)
        buffer.write.push_back(wrapped(parity * n_ + first - 1));
      return;
    }
    for (int copy = 0; copy < 2; ++copy) {  // loaded while the previous tile runs
      Buffer& buffer = add(t, BufferRole::tile, copy, copy_name(copy));
      Cycle live(period_);
      live.add((copy - 1) * n_, n_ + last + 1);
      buffer.live = live.intervals();
      reads(buffer, copy);
      buffer.write.push_back(wrapped(copy * n_ + first - 1));
    }
  }

  void output(std::size_t t) {
    if (trails(t)) return always(t, 2);
    const std::vector<Step> makers = makers_of(part_, t);
    const Step made = makers.front();
    const Step after = last_use(t) + 1;
    if (parities_ == 1) {
      Buffer& buffer = add(t, BufferRole::tile, 0, "");
      buffer.live = {{made, after}};
      written_in(buffer, makers, 0);
      reads(buffer, 0);
      return;
    }
    if (one_copy_of(OneCopy::outputs)) {  // stored in the step after, unless produced again
      Buffer& buffer = add(t, BufferRole::tile, 0, "");
      const Step late = after + 1 - made <= n_ ? 1 : 0;
      live_in_each(buffer, made, after + late - made);
      all_reads(buffer);
      for (int parity = 0; parity < 2; ++parity) {
        written_in(buffer, makers, parity);
        if (late == 1) buffer.read.push_back(wrapped(parity * n_ + after));
      }
      return;
    }
    for (int copy = 0; copy < 2; ++copy) {  // stored until the next tile produces its own
      Buffer& buffer = add(t, BufferRole::tile, copy, copy_name(copy));
      Cycle live(period_);
      live.add(copy * n_ + made, leading_step(std::max(made + line_.leading, after + 1)) - made);
      buffer.live = live.intervals();
      written_in(buffer, makers, copy);
      reads(buffer, copy);
      buffer.read.push_back(wrapped(copy * n_ + after));
    }
  }

  void intermediate(std::size_t t) {
    if (trails(t)) return always(t, leads(t) ? 2 : 1);
    const std::vector<Step> makers = makers_of(part_, t);
    const Step made = makers.front();
    Buffer& buffer = add(t, BufferRole::tile, 0, "");
    live_in_each(buffer, made, last_use(t) + 1 - made);
    for (int parity = 0; parity < parities_; ++parity) written_in(buffer, makers, parity);
    all_reads(buffer);
  }

  /// The tensor lives in the buffer of the other one.
  void in_place(std::size_t t, std::size_t place) {
    of_[t] = of_[place];
    out_.in_place.emplace_back(t, place);
    Buffer& buffer = out_.problem.buffers[of_[place].front()];
    const Step made = *part_.tensors[t].producer;
    const Step last = part_.tensors[t].consumers.back();
    const Step first = *part_.tensors[place].producer;
    live_in_each(buffer, first, last + 1 - first);
    for (int parity = 0; parity < parities_; ++parity) {
      buffer.write.push_back(parity * n_ + made);
      for (const Step step : part_.tensors[t].consumers) buffer.read.push_back(parity * n_ + step);
    }
  }

  /// A copy for ops whose engines do not reach the place of the producer.
  void copy(std::size_t t) {
    const Step first = share().read.front();
    if (trails(t)) {
      const std::size_t before = out_.buffers.size();
      always(t, leads(t) ? 2 : 1);
      for (std::size_t b = before; b < out_.buffers.size(); ++b)
        out_.buffers[b].copied_before = first;
      return;
    }
    Buffer& buffer = add(t, BufferRole::tile, 0, "");
    live_in_each(buffer, first, share().read.back() + 1 - first);
    all_reads(buffer);
    out_.buffers.back().copied_before = first;
  }

  /// Halo buffers are updated between two steps.
  void halo(std::size_t t) {
    if (!space_.has_halo[t] || out_.options.halo == HaloPolicy::recompute) return;
    if (share().read.empty() && shares_.size() > 1) return;
    const auto keep = [&](BufferRole role, const char* suffix) {
      Buffer& buffer = add(t, role, 0, suffix);
      buffer.live = {{0, period_}};
      all_reads(buffer);
      out_.across_tiles = true;
    };
    if (space_.follows[static_cast<std::size_t>(TileAxis::width)][t])
      keep(BufferRole::columns, ".columns");
    if (out_.options.halo == HaloPolicy::keep &&
        space_.follows[static_cast<std::size_t>(TileAxis::height)][t])
      keep(BufferRole::rows, ".rows");
  }

  /// The buffers of the operands with this name of one op, in the tile of this parity.
  std::vector<BufferIndex> named(std::size_t step, const std::string& operand, int parity) const {
    std::vector<BufferIndex> found;
    const auto take = [&](std::size_t t) {
      if (of_[t].empty()) return;
      const std::size_t mine = out_.share_of(t, static_cast<Step>(step));
      std::vector<std::size_t> copies;
      for (const std::size_t b : of_[t])
        if (is_whole_or_tile(out_.buffers[b].role) && out_.buffers[b].share == mine)
          copies.push_back(b);
      found.push_back(copies.size() == 2 ? copies[static_cast<std::size_t>(parity)] : copies[0]);
      for (const std::size_t b : of_[t])
        if (!is_whole_or_tile(out_.buffers[b].role) && out_.buffers[b].share == mine)
          found.push_back(b);
    };
    if (operand == "output") std::ranges::for_each(part_.made_at[step], take);
    for (const LocalOperand& used : part_.operands_at[step])
      if (operand == (part_.tensors[used.local].weight ? "weights" : "input")) take(used.local);
    std::ranges::sort(found);
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
  }

  void restrictions() {
    std::set<std::pair<RelationKind, std::pair<BufferIndex, BufferIndex>>> known;
    for (const OperandRestriction& rule : hardware_.restrictions)
      for (std::size_t step = 0; step < part_.steps(); ++step)
        for (int parity = 0; parity < parities_; ++parity)
          for (std::size_t i = 0; i < rule.operands.size(); ++i)
            for (std::size_t j = i + 1; j < rule.operands.size(); ++j)
              for (const BufferIndex a : named(step, rule.operands[i], parity))
                for (const BufferIndex b : named(step, rule.operands[j], parity)) {
                  const std::pair<BufferIndex, BufferIndex> pair = std::minmax(a, b);
                  if (a != b && known.insert({rule.kind, pair}).second)
                    out_.problem.relations.push_back({rule.kind, {pair.first, pair.second}, 0});
                }
  }

  const Subgraph& part_;
  const TileSpace& space_;
  const Hardware& hardware_;
  Reachable reachable_;
  std::vector<Share> shares_;  ///< of the current tensor
  std::size_t share_ = 0;
  Step n_;
  Timeline line_;
  int parities_;
  Step period_;
  Lowering out_;
  std::vector<std::vector<std::size_t>> of_;  ///< the buffers of each local tensor
};

}  // namespace

std::size_t Lowering::share_of(std::size_t tensor, Step step) const {
  for (const LaterShare& each : later)
    if (each.tensor == tensor && each.step == step) return each.share;
  return 0;
}

std::vector<Size> Lowering::capacities() const {
  std::vector<Size> all;
  for (const Memory& memory : problem.memories) all.push_back(memory.capacity);
  return all;
}

Lowering lower(const Subgraph& subgraph, const TileSpace& space, const Hardware& hardware,
               const TileVariant& options) {
  return Lowerer(subgraph, space, hardware, options).run();
}

}  // namespace tessera::tiling
