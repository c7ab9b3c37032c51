#include "cost/mapping.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "cost/loop_parts.h"
#include "cost/step_pixels.h"
#include "cost/transfer.h"
#include "model/numeric.h"
#include "tiling/ceil_div.h"

namespace tessera::cost {
namespace {

/// Of an engine that has only `unroll`.
Mapping plain_mapping(const Engine& engine) {
  Mapping mapping;
  mapping.ops = {"conv"};
  mapping.unroll = engine.unroll;
  return mapping;
}

/// Those that compute the op, with their index: of an array with one unroll, that one.
template <typename Use>
void each_mapping(const Op& op, const tiling::OpLoops& loops, const Engine& engine,
                  const Use& use) {
  if (engine.maps.empty()) return use(0, plain_mapping(engine));
  const std::string_view name = tiling::carried_name(op, loops, engine);
  for (std::size_t m = 0; m < engine.maps.size(); ++m)
    if (tiling::carries(engine.maps[m], name)) use(m, engine.maps[m]);
}

/// The ways in which a mapping sees the op.
template <typename Use>
void each_view(const tiling::OpLoops& loops, const Mapping& mapping, const Use& use) {
  const bool transposed = loops.upscale[0] > 1 || loops.upscale[1] > 1;
  if (mapping.spreads_input && transposed) return use(tiling::spread(loops));
  use(loops);
  if (mapping.folds_columns && loops.folds > 1) use(tiling::folded(loops));
}

/// A mapping that names depthwise convolutions sees their channels as K, not as groups of one; and
/// rows of a matrix product go where the mapping unrolls space.
tiling::LoopNest nest_for(const tiling::OpLoops& loops, const Mapping& mapping,
                          bool names_depthwise) {
  tiling::LoopNest nest = loops.nest;
  if (loops.op_class == tiling::OpClass::depthwise && names_depthwise) {
    nest.K *= nest.G;
    nest.G = 1;
  }
  if (loops.op_class == tiling::OpClass::matmul) {
    const Counts unroll(mapping.unroll);
    if (unroll.H > 1 && unroll.W == 1) std::swap(nest.H, nest.W);
  }
  return nest;
}

/// Along one axis: outputs of a block, and what they read.
struct Extent {
  std::int64_t made = 1;
  double read = 1;  ///< strides are anybody's numbers
};

class Blocks {
 public:
  Blocks(const Op& op, const tiling::OpLoops& loops, const Engine& engine, const Mapping& mapping,
         const ArrayPort& port)
      : loops_(loops),
        engine_(engine),
        rule_(engine.blocks),
        mapping_(mapping),
        port_(port),
        unroll_(mapping.unroll),
        at_least_(mapping.at_least),
        most_(rule_.most, 0) {
    const bool names_depthwise =
        std::ranges::find(mapping.ops, std::string_view("depthwise")) != mapping.ops.end();
    nest_ = nest_for(loops, mapping, names_depthwise);
    pixels_.taps_together = unroll_.T > 1 || at_least_.T > 1;
    find_reduced();
    rate_ = engine.output_cycles;
    for (const auto& [name, cycles] : engine.output_of)
      if (name == op.function || name == to_string(op.kind)) rate_ = cycles;
    channel_rate_ = engine.channel_cycles;
    const tiling::OpNames names = tiling::names_of(op, loops);
    for (const auto& [name, cycles] : engine.channel_of)
      if (name == *names.begin()) channel_rate_ = cycles;
  }

  ArrayCost best() {
    if (rule_.buffer <= 0) return cost(row(nest_.H), column(nest_.W), nest_.K);
    const std::int64_t most_k = limit(most_.K, nest_.K, unroll_.K);
    const std::int64_t most_h = limit(most_.H, nest_.H, unroll_.H);
    const std::int64_t most_w = limit(most_.W, nest_.W, unroll_.W);
    find_least_fetched(most_k, most_h, most_w);
    return cost(row(best_h_), column(best_w_), best_k_);
  }

  /// Steps of the reduced loops that every output needs, with H, W and N not rounded up, nor G and
  /// K unless pieces have all channels.
  [[nodiscard]] double least_steps(bool whole_channels) const {
    const auto share = [](std::int64_t loop, std::int64_t by) {
      return static_cast<double>(loop) / static_cast<double>(by);
    };
    const auto of_channels = [&](std::int64_t loop, std::int64_t by) {
      return whole_channels ? static_cast<double>(tiling::ceil_div(loop, by)) : share(loop, by);
    };
    // A group of one channel cannot be cut along its channels.
    const double k = nest_.K == 1 ? 1 : of_channels(nest_.K, unroll_.K);
    double steps = static_cast<double>(reduced_) * k * share(nest_.N, unroll_.N) *
                   of_channels(nest_.G, unroll_.G);
    // Rows of a matrix product may go to H or W, whichever a piece finds better.
    if (loops_.op_class == tiling::OpClass::matmul)
      return steps * share(nest_.H, 1) * share(nest_.W, 1) / share(unroll_.H, 1) /
             share(unroll_.W, 1);
    return steps * share(nest_.H, unroll_.H) * share(nest_.W, unroll_.W);
  }
  /// Of the first operand and of the weights, by the share of a step's cells that each takes.
  [[nodiscard]] ArrayReads least_reads(bool whole_channels) const {
    const bool transposed = loops_.spread || loops_.upscale[0] > 1 || loops_.upscale[1] > 1;
    if (rule_.buffer > 0 || transposed) return {};
    const double together = static_cast<double>(nest_.N) * static_cast<double>(nest_.G) *
                            static_cast<double>(nest_.H) * static_cast<double>(nest_.W) *
                            static_cast<double>(nest_.R) * static_cast<double>(nest_.S);
    const auto steps = [](std::int64_t loop, std::int64_t by) {
      return std::max(1.0, static_cast<double>(loop) / static_cast<double>(by));
    };
    ArrayReads reads;
    reads.input = together * pixels_.least_share() * input_channels() *
                  static_cast<double>(loops_.input_element);
    if (!loops_.per_channel && mapping_.stationary != StationaryOperand::inputs)
      reads.input *= whole_channels ? static_cast<double>(tiling::ceil_div(nest_.K, unroll_.K))
                                    : steps(nest_.K, unroll_.K);
    if (loops_.has_weights && mapping_.stationary != StationaryOperand::weights)
      reads.weights = weight_count() * static_cast<double>(nest_.G) * steps(nest_.N, unroll_.N) *
                      steps(nest_.H, unroll_.H) * steps(nest_.W, unroll_.W) *
                      static_cast<double>(loops_.weight_bits) / 8;
    return reads;
  }
  [[nodiscard]] double least_output() const {
    return static_cast<double>(nest_.N) * static_cast<double>(nest_.G) *
           static_cast<double>(nest_.K) * static_cast<double>(nest_.H) *
           static_cast<double>(nest_.W) * rate_;
  }

 private:
  /// The extent of the largest block along a loop.
  static std::int64_t limit(std::int64_t most, std::int64_t loop, std::int64_t step) {
    const std::int64_t all = round_up(loop, step);
    return most > 0 ? std::min(all, std::max(step, most / step * step)) : all;
  }

  /// Steps along the reduced loops C, R and S, with kernels in parts that the array can hold.
  void find_reduced() {
    // Channels come in groups that the buffer holds, each of them whole but for a single one.
    std::int64_t deep = std::max(nest_.C, at_least_.C);
    if (mapping_.input_depth > 0 && deep > mapping_.input_depth)
      deep = round_up(deep, mapping_.input_depth);
    const std::int64_t channels = tiling::ceil_div(deep, unroll_.C);
    const auto parts = [](std::int64_t taps, std::int64_t most) {
      std::vector<std::int64_t> list;
      for (std::int64_t rest = taps; rest > 0; rest -= list.back())
        list.push_back(most > 0 ? std::min(rest, most) : rest);
      return list;
    };
    reduced_ = 0;
    const std::vector<std::int64_t> columns = parts(nest_.S, most_.S);
    for (const std::int64_t r : parts(nest_.R, most_.R))
      for (const std::int64_t s : columns)
        reduced_ += pixels_.taps_together
                        ? tiling::ceil_div(std::max(r * s, at_least_.T), unroll_.T)
                        : tiling::ceil_div(std::max(r, at_least_.R), unroll_.R) *
                              tiling::ceil_div(std::max(s, at_least_.S), unroll_.S);
    reduced_ *= channels;
    part_r_ = most_.R > 0 ? std::min(nest_.R, most_.R) : nest_.R;
    part_s_ = most_.S > 0 ? std::min(nest_.S, most_.S) : nest_.S;
    parts_ = tiling::ceil_div(nest_.R, part_r_) * tiling::ceil_div(nest_.S, part_s_);
  }

  [[nodiscard]] Extent extent(std::int64_t made, std::int64_t taps, std::size_t axis,
                              std::int64_t step) const {
    const auto by = static_cast<double>(step);
    return {made, std::ceil(pixels_.span(made, taps, axis) / by) * by};
  }
  [[nodiscard]] Extent row(std::int64_t h) const { return extent(h, part_r_, 0, unroll_.H); }
  [[nodiscard]] Extent column(std::int64_t w) const { return extent(w, part_s_, 1, unroll_.W); }

  /// Input channels that are in the array's buffer for a block of so many output channels.
  [[nodiscard]] std::int64_t input_depth(std::int64_t k) const {
    if (loops_.per_channel) return k;
    const std::int64_t all = round_up(nest_.C, rule_.channels);
    return mapping_.input_depth > 0 ? std::min(all, mapping_.input_depth) : all;
  }

  [[nodiscard]] bool fits(const Extent& h, const Extent& w, std::int64_t k) const {
    const double input =
        h.read * w.read *
        static_cast<double>(round_up(input_depth(k), rule_.channels) * loops_.input_element);
    const double sums = static_cast<double>(h.made) * static_cast<double>(w.made) *
                        static_cast<double>(round_up(k, unroll_.K) * rule_.sum_bytes);
    return two_blocks(input, rule_.input_granule) + two_blocks(sums, rule_.sum_granule) <=
           static_cast<double>(rule_.buffer);
  }
  /// Of so many bytes each, in lines of at most a KiB, together in granules.
  static double two_blocks(double bytes, Size granule) {
    const auto line = static_cast<double>(std::min<Size>(granule, 1024));
    const auto of = static_cast<double>(granule);
    return std::ceil(2 * std::ceil(bytes / line) * line / of) * of;
  }

  [[nodiscard]] double input_channels() const {
    return static_cast<double>(loops_.per_channel ? nest_.K : nest_.C);
  }

  /// Input and weights that are fetched, in units that compare.
  [[nodiscard]] double fetched(const Extent& h, const Extent& w, std::int64_t k) const {
    const double rows = static_cast<double>(nest_.H) / static_cast<double>(h.made);
    const double columns = static_cast<double>(nest_.W) / static_cast<double>(w.made);
    double input =
        h.read * w.read * input_channels() * rows * columns * static_cast<double>(parts_);
    if (!loops_.per_channel) input *= static_cast<double>(tiling::ceil_div(nest_.K, k));
    const double weights = loops_.has_weights ? weight_count() * planes(h, w) : 0;
    const double whole_input = static_cast<double>(loops_.input[0]) *
                               static_cast<double>(loops_.input[1]) * input_channels();
    const double held = 2 * h.read * w.read * static_cast<double>(input_depth(k));
    return (input + weights) * (whole_input < held ? 0.5 : 1);
  }
  [[nodiscard]] double weight_count() const {
    return static_cast<double>(nest_.R) * static_cast<double>(nest_.S) *
           static_cast<double>(nest_.C) * static_cast<double>(nest_.K);
  }
  /// Blocks side by side in rows and columns.
  [[nodiscard]] double planes(const Extent& h, const Extent& w) const {
    return static_cast<double>(tiling::ceil_div(nest_.H, h.made)) *
           static_cast<double>(tiling::ceil_div(nest_.W, w.made));
  }

  void find_least_fetched(std::int64_t most_k, std::int64_t most_h, std::int64_t most_w) {
    double least = infinity;
    best_k_ = std::min(most_k, unroll_.K);
    best_h_ = std::min(most_h, unroll_.H);
    best_w_ = std::min(most_w, unroll_.W);
    const std::int64_t step_k = std::max(rule_.depth_step, unroll_.K);
    for (std::int64_t k = std::min(step_k, most_k);; k = std::min(k + step_k, most_k)) {
      for (std::int64_t h = unroll_.H; h <= most_h; h += unroll_.H) {
        const Extent rows = row(h);
        if (!fits(rows, column(unroll_.W), k)) break;
        for (std::int64_t w = unroll_.W; w <= most_w; w += unroll_.W) {
          const Extent columns = column(w);
          if (!fits(rows, columns, k)) break;
          const double now = fetched(rows, columns, k);
          if (now > least * (1 + tolerance)) continue;
          const bool equal = now >= least * (1 - tolerance);
          const bool taken = rule_.equal == EqualBlocks::first
                                 ? take_first(rows, columns, equal)
                                 : take_quickest(rows, columns, k, equal);
          if (!taken) continue;
          least = std::min(now, least);
          best_k_ = k;
          best_h_ = h;
          best_w_ = w;
        }
      }
      if (k == most_k) break;
    }
  }

  bool take_quickest(const Extent& rows, const Extent& columns, std::int64_t k, bool equal) {
    double takes = 0;
    each_block(rows, columns, k, [&](const Block& block, double count) {
      takes += count * steps_of(block).cycles(mapping_);
    });
    const double size =
        static_cast<double>(k) * static_cast<double>(rows.made) * static_cast<double>(columns.made);
    if (equal && (takes > taken_cycles_ || (takes == taken_cycles_ && size <= taken_size_)))
      return false;
    taken_cycles_ = takes;
    taken_size_ = size;
    return true;
  }

  bool take_first(const Extent& rows, const Extent& columns, bool equal) {
    if (!equal) return true;
    if (std::max(rows.made, columns.made) > rule_.small) return false;
    const double held = std::min(rows.read, static_cast<double>(loops_.input[0])) *
                        std::min(columns.read, static_cast<double>(loops_.input[1]));
    if (held < held_of_small_) return false;
    held_of_small_ = held;
    return true;
  }

  struct Block {
    Extent h, w;
    std::int64_t k = 1;
  };
  /// Those of each size and how many there are, the last one last: it has what is left of each
  /// loop, or as much as all others where the machine makes no smaller ones.
  template <typename Use>
  void each_block(const Extent& h, const Extent& w, std::int64_t k, const Use& use) const {
    const double beside = static_cast<double>(tiling::ceil_div(nest_.N, unroll_.N)) *
                          static_cast<double>(tiling::ceil_div(nest_.G, unroll_.G));
    const bool whole = rule_.partial == PartialBlocks::whole;
    for (const auto& [rows, of_rows] : Parts(nest_.H, h.made, whole))
      for (const auto& [columns, of_columns] : Parts(nest_.W, w.made, whole))
        for (const auto& [deep, of_channels] : Parts(nest_.K, k, whole))
          use(Block{row(rows), column(columns), deep}, beside * of_rows * of_columns * of_channels);
  }

  /// Of a block: passes, and the steps of each, for which the operand that is stationary stays.
  struct Steps {
    double passes = 1;
    double of_pass = 1;
    [[nodiscard]] double pass_cycles(const Mapping& mapping) const {
      return std::max(static_cast<double>(mapping.least), mapping.cycles * of_pass) +
             static_cast<double>(mapping.start);
    }
    [[nodiscard]] double cycles(const Mapping& mapping) const {
      return passes * pass_cycles(mapping);
    }
  };
  [[nodiscard]] Steps steps_of(const Block& block) const {
    const double places = positions(block.h.made, block.w.made);
    const auto channels = static_cast<double>(tiling::ceil_div(block.k, unroll_.K));
    const auto reduced = static_cast<double>(reduced_);
    switch (mapping_.stationary) {
      case StationaryOperand::inputs:
        return {reduced * places, channels};
      case StationaryOperand::outputs:
        return {places * channels, reduced};
      case StationaryOperand::weights:
        break;
    }
    return {reduced * channels, places};
  }
  [[nodiscard]] double positions(std::int64_t rows, std::int64_t columns) const {
    return static_cast<double>(tiling::ceil_div(rows, unroll_.H)) *
           static_cast<double>(tiling::ceil_div(columns, unroll_.W));
  }

  /// Computing a block, and leaving the array.
  struct BlockCost {
    double compute = 0;
    double output = 0;
    BoundBy bound_by = BoundBy::mac;
  };
  [[nodiscard]] BlockCost block_cost(const Block& block) const {
    const Steps steps = steps_of(block);
    BlockCost cost;
    cost.compute = steps.cycles(mapping_) / static_cast<double>(engine_.cores);
    // What leaves, and what is read: no more than there is.
    const auto deep = static_cast<double>(std::min(block.k, nest_.K));
    // What is computed side by side, groups or images, leaves by the same way, one after the other.
    const auto groups_beside = static_cast<double>(std::min(nest_.G, unroll_.G));
    const double beside = groups_beside * static_cast<double>(std::min(nest_.N, unroll_.N));
    const double made = static_cast<double>(std::min(block.h.made, nest_.H)) *
                        static_cast<double>(std::min(block.w.made, nest_.W)) * deep * beside;
    cost.output = made * rate_;
    if (loops_.has_weights)
      cost.output = std::max(cost.output, deep * groups_beside * channel_rate_);
    const double working = mapping_.cycles * steps.of_pass;
    cost.bound_by =
        cost.output > cost.compute ? BoundBy::output
        : steps.pass_cycles(mapping_) > 2 * working || static_cast<double>(mapping_.least) > working
            ? BoundBy::weights
            : BoundBy::mac;
    if (rule_.buffer > 0 && rule_.stages > 0 && port_.read_bytes_per_cycle > 0) {
      const double least = (transfers(block, beside, made) + cost.compute + cost.output) /
                           static_cast<double>(rule_.stages);
      if (least > std::max(cost.compute, cost.output)) cost.bound_by = BoundBy::port;
      cost.compute = std::max(cost.compute, least);
      cost.output = std::max(cost.output, least);
    }
    return cost;
  }

  [[nodiscard]] ArrayCost cost(const Extent& h, const Extent& w, std::int64_t k) const {
    ArrayCost cost;
    cost.bound_by = block_cost({h, w, k}).bound_by;
    BlockCost last;
    each_block(h, w, k, [&](const Block& block, double count) {
      last = block_cost(block);
      cost.cycles += std::max(last.compute, last.output) * count;
    });
    const bool in_blocks = rule_.buffer > 0;
    if (in_blocks) cost.cycles += std::min(last.compute, last.output);
    find_traffic(h, w, k, cost);
    const std::int64_t groups = tiling::ceil_div(nest_.G, unroll_.G);
    const std::int64_t depth_blocks = groups * tiling::ceil_div(nest_.K, k);
    if (depth_blocks > 1 && in_blocks && planes(h, w) > 1) {
      cost.weight_pieces = depth_blocks;
    } else {
      cost.weight_pieces = groups * tiling::ceil_div(nest_.K, unroll_.K);
      if (in_blocks) cost.with_known_weights = 1 - 1 / planes(h, w);
    }
    return cost;
  }

  [[nodiscard]] double rows_read(const Extent& h) const {
    return std::min(h.read, static_cast<double>(std::max<Dim>(1, loops_.input[0])));
  }
  [[nodiscard]] double columns_read(const Extent& w) const {
    return std::min(w.read, static_cast<double>(std::max<Dim>(1, loops_.input[1])));
  }

  /// Reading the input of a block and writing what it made.
  [[nodiscard]] double transfers(const Block& block, double beside, double made) const {
    const double channels = std::min(static_cast<double>(input_depth(block.k)), input_channels());
    return port_.read_latency +
           beside * rows_read(block.h) * columns_read(block.w) * channels *
               static_cast<double>(loops_.input_element) / port_.read_bytes_per_cycle +
           port_.write_latency +
           made * static_cast<double>(loops_.output_element) / port_.write_bytes_per_cycle;
  }

  /// What the memories are read for. Input comes from the buffer of the blocks, which each block
  /// fills once for each part of the kernel, or else step by step; sums stay in the array.
  void find_traffic(const Extent& h, const Extent& w, std::int64_t k, ArrayCost& cost) const {
    const bool whole = rule_.partial == PartialBlocks::whole;
    double plane = rule_.buffer > 0 ? 0 : pixels_.read();  // of an input channel
    double of_weights = 0;                                 // times that all of them are read
    for (const auto& [rows, of_rows] : Parts(nest_.H, h.made, whole))
      for (const auto& [columns, of_columns] : Parts(nest_.W, w.made, whole)) {
        const double count = of_rows * of_columns;
        if (rule_.buffer > 0)
          plane += count * rows_read(row(rows)) * columns_read(column(columns)) *
                   static_cast<double>(parts_);
        const bool stay = mapping_.stationary == StationaryOperand::weights;
        of_weights += count * (stay ? 1 : positions(rows, columns));
      }
    const bool stays = rule_.buffer <= 0 && mapping_.stationary == StationaryOperand::inputs;
    const std::int64_t channels_at_once = rule_.buffer > 0 ? k : unroll_.K;
    cost.input_bytes = static_cast<double>(nest_.N) * static_cast<double>(nest_.G) * plane *
                       input_channels() * static_cast<double>(loops_.input_element);
    if (!loops_.per_channel && !stays)
      cost.input_bytes *= static_cast<double>(tiling::ceil_div(nest_.K, channels_at_once));
    if (loops_.has_weights)
      cost.weight_bytes = static_cast<double>(tiling::ceil_div(nest_.N, unroll_.N)) *
                          static_cast<double>(nest_.G) * weight_count() *
                          static_cast<double>(loops_.weight_bits) / 8 * of_weights;
  }

  const tiling::OpLoops& loops_;
  const Engine& engine_;
  const BlockRule& rule_;
  const Mapping& mapping_;
  const ArrayPort& port_;
  Counts unroll_;
  Counts at_least_;
  Counts most_;
  tiling::LoopNest nest_;
  StepPixels pixels_{loops_, nest_, unroll_};
  double rate_ = 0;
  double channel_rate_ = 0;
  std::int64_t reduced_ = 1;  ///< steps of the reduced loops, for each output channel and pass
  std::int64_t part_r_ = 1, part_s_ = 1, parts_ = 1;
  std::int64_t best_k_ = 1, best_h_ = 1, best_w_ = 1;
  double taken_cycles_ = 0, taken_size_ = 0;
  double held_of_small_ = 0;  ///< rows x columns that the last small block read which took a place
};

}  // namespace

ArrayPort port_of(const Hardware& hardware, OffChipOperands off_chip) {
  ArrayPort port;
  for (const HardwareMemory& memory : hardware.memories) {
    if (memory.offchip || !memory.bandwidth || hardware.clock_hz <= 0) continue;
    const double read = memory.bandwidth->bytes_per_cycle(hardware.clock_hz);
    const double write =
        memory.write_bandwidth ? memory.write_bandwidth->bytes_per_cycle(hardware.clock_hz) : read;
    const auto read_latency = static_cast<double>(memory.latency);
    const auto write_latency = static_cast<double>(memory.write_latency.value_or(memory.latency));
    if (port.read_bytes_per_cycle == 0) {
      port = {read, write, read_latency, write_latency};
      continue;
    }
    port.read_bytes_per_cycle = std::max(port.read_bytes_per_cycle, read);
    port.write_bytes_per_cycle = std::max(port.write_bytes_per_cycle, write);
    port.read_latency = std::min(port.read_latency, read_latency);
    port.write_latency = std::min(port.write_latency, write_latency);
  }
  if (port.read_bytes_per_cycle == 0 || (off_chip.input <= 0 && off_chip.output <= 0)) return port;
  const Link link = links_of(hardware).data;
  if (off_chip.input > 0) {
    port.read_bytes_per_cycle = 1 / (least_cycles_per_byte(link, true, 1) * off_chip.input);
    port.read_latency = static_cast<double>(link.read.latency);
  }
  if (off_chip.output > 0) {
    port.write_bytes_per_cycle = 1 / (least_cycles_per_byte(link, false, 1) * off_chip.output);
    port.write_latency = static_cast<double>(link.write.latency);
  }
  return port;
}

namespace {

/// Is `a` as good in everything?
bool as_good(const ArrayCost& a, const ArrayCost& b) {
  return a.cycles <= b.cycles && a.input_bytes <= b.input_bytes && a.weight_bytes <= b.weight_bytes;
}

void add_way(const ArrayCost& cost, ArrayWays& ways) {
  for (const ArrayCost& other : ways.all())
    if (as_good(other, cost)) return;
  const auto begin = ways.costs.begin();
  auto end = std::remove_if(begin, begin + static_cast<std::ptrdiff_t>(ways.count),
                            [&](const ArrayCost& other) { return as_good(cost, other); });
  const auto at = std::upper_bound(
      begin, end, cost, [](const ArrayCost& a, const ArrayCost& b) { return a.cycles < b.cycles; });
  if (at == ways.costs.end()) return;
  if (end == ways.costs.end()) --end;  // the slowest gives way
  std::move_backward(at, end, end + 1);
  *at = cost;
  ways.count = static_cast<std::size_t>(end + 1 - begin);
}

}  // namespace

ArrayWays array_ways(const Op& op, const tiling::OpLoops& loops, const Engine& engine,
                     const ArrayPort& port) {
  ArrayWays ways;
  each_mapping(op, loops, engine, [&](std::size_t m, const Mapping& mapping) {
    each_view(loops, mapping, [&](const tiling::OpLoops& seen) {
      ArrayCost cost = Blocks(op, seen, engine, mapping, port).best();
      cost.mapping = m;
      add_way(cost, ways);
    });
  });
  return ways;
}

ArrayCost array_cost(const Op& op, const tiling::OpLoops& loops, const Engine& engine,
                     const ArrayPort& port) {
  return array_ways(op, loops, engine, port).costs.front();
}

double least_array_cycles(const Op& op, const tiling::OpLoops& loops, const Engine& engine,
                          bool whole_channels) {
  double least = infinity;
  each_mapping(op, loops, engine, [&](std::size_t, const Mapping& mapping) {
    each_view(loops, mapping, [&](const tiling::OpLoops& seen) {
      const ArrayPort port;
      const Blocks blocks(op, seen, engine, mapping, port);
      least = std::min(least, std::max(blocks.least_steps(whole_channels) * mapping.cycles /
                                           static_cast<double>(engine.cores),
                                       blocks.least_output()));
    });
  });
  return least;
}

ArrayReads least_array_reads(const Op& op, const tiling::OpLoops& loops, const Engine& engine,
                             bool whole_channels) {
  std::optional<ArrayReads> least;
  each_mapping(op, loops, engine, [&](std::size_t, const Mapping& mapping) {
    each_view(loops, mapping, [&](const tiling::OpLoops& seen) {
      const ArrayPort port;
      const ArrayReads one = Blocks(op, seen, engine, mapping, port).least_reads(whole_channels);
      if (!least) least = one;
      least = {std::min(least->input, one.input), std::min(least->weights, one.weights)};
    });
  });
  return least.value_or(ArrayReads{});
}

double peak_macs(const Engine& engine) {
  double peak = engine.maps.empty() ? Counts(engine.unroll).product() : 0;
  for (const Mapping& mapping : engine.maps)
    peak = std::max(peak, Counts(mapping.unroll).product() / mapping.cycles);
  return std::max(1.0, peak * static_cast<double>(engine.cores));
}

}  // namespace tessera::cost
