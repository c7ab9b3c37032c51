#include "cost/block_cost.h"

#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

#include "cost/loop_parts.h"
#include "model/numeric.h"
#include "tiling/ceil_div.h"

namespace tessera::cost {
namespace {

/// A mapping that names depthwise convolutions treats their channels as K instead of groups of one.
/// Rows of a matrix product go to the loops of space that the mapping unrolls.
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

}  // namespace

Blocks::Blocks(const Op& op, const tiling::OpLoops& loops, const Engine& engine,
               const Mapping& mapping, const ArrayPort& port)
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
  if (op.fused.empty()) rate_ = std::max(rate_, engine.unfused_output_cycles);
  channel_rate_ = engine.channel_cycles;
  const tiling::OpNames names = tiling::names_of(op, loops);
  for (const auto& [name, cycles] : engine.channel_of)
    if (name == *names.begin()) channel_rate_ = cycles;
}

ArrayCost Blocks::best() {
  if (rule_.buffer <= 0) return cost(row(nest_.H), column(nest_.W), nest_.K);
  const std::int64_t most_k = limit(most_.K, nest_.K, unroll_.K);
  const std::int64_t most_h = limit(most_.H, nest_.H, unroll_.H);
  const std::int64_t most_w = limit(most_.W, nest_.W, unroll_.W);
  find_least_fetched(most_k, most_h, most_w);
  return cost(row(best_h_), column(best_w_), best_k_);
}

ArrayCost Blocks::of(const BlockShape& block) {
  given_ = block;
  return cost(row(block.rows), column(block.columns), block.channels);
}

double Blocks::least_steps(bool whole_channels) const {
  const auto share = [](std::int64_t loop, std::int64_t by) {
    return static_cast<double>(loop) / static_cast<double>(by);
  };
  const auto of_channels = [&](std::int64_t loop, std::int64_t by) {
    return whole_channels ? static_cast<double>(tiling::ceil_div(loop, by)) : share(loop, by);
  };
  // A group of one channel cannot be split.
  const double k = nest_.K == 1 ? 1 : of_channels(nest_.K, unroll_.K);
  double steps = static_cast<double>(reduced_) * k * share(nest_.N, unroll_.N) *
                 of_channels(nest_.G, unroll_.G);
  // Rows of a matrix product may go to H or W; take the better one.
  if (loops_.op_class == tiling::OpClass::matmul)
    return steps * share(nest_.H, 1) * share(nest_.W, 1) / share(unroll_.H, 1) /
           share(unroll_.W, 1);
  return steps * share(nest_.H, unroll_.H) * share(nest_.W, unroll_.W);
}

ArrayReads Blocks::least_reads(bool whole_channels) const {
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

double Blocks::least_output() const {
  return static_cast<double>(nest_.N) * static_cast<double>(nest_.G) *
         static_cast<double>(nest_.K) * static_cast<double>(nest_.H) *
         static_cast<double>(nest_.W) * rate_;
}

std::int64_t Blocks::limit(std::int64_t most, std::int64_t loop, std::int64_t step) {
  const std::int64_t all = round_up(loop, step);
  return most > 0 ? std::min(all, std::max(step, most / step * step)) : all;
}

void Blocks::find_reduced() {
  // Channels come in groups that the buffer holds; groups are split only if a single one is too
  // large.
  std::int64_t deep = std::max(nest_.C, at_least_.C);
  if (mapping_.input_depth > 0 && deep > mapping_.input_depth)
    deep = round_up(deep, mapping_.input_depth);
  const std::int64_t channels = tiling::ceil_div(deep, unroll_.C);
  passes_of_tap_ = mapping_.pass_depth > 0 ? tiling::ceil_div(deep, mapping_.pass_depth) : channels;
  steps_of_place_ = mapping_.pass_depth > 0
                        ? tiling::ceil_div(std::min(deep, mapping_.pass_depth), unroll_.C)
                        : 1;
  input_blocks_ = mapping_.input_depth > 0 ? tiling::ceil_div(deep, mapping_.input_depth) : 1;
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
      reduced_ += pixels_.taps_together ? tiling::ceil_div(std::max(r * s, at_least_.T), unroll_.T)
                                        : tiling::ceil_div(std::max(r, at_least_.R), unroll_.R) *
                                              tiling::ceil_div(std::max(s, at_least_.S), unroll_.S);
  taps_ = reduced_;
  reduced_ *= channels;
  part_r_ = most_.R > 0 ? std::min(nest_.R, most_.R) : nest_.R;
  part_s_ = most_.S > 0 ? std::min(nest_.S, most_.S) : nest_.S;
  parts_ = tiling::ceil_div(nest_.R, part_r_) * tiling::ceil_div(nest_.S, part_s_);
}

Extent Blocks::extent(std::int64_t made, std::int64_t taps, std::size_t axis,
                      std::int64_t step) const {
  const auto by = static_cast<double>(step);
  return {made, std::ceil(pixels_.span(made, taps, axis) / by) * by};
}

Extent Blocks::row(std::int64_t h) const {
  if (given_.input_rows > 0) return {h, static_cast<double>(given_.input_rows)};
  return extent(h, part_r_, 0, unroll_.H);
}

Extent Blocks::column(std::int64_t w) const {
  if (given_.input_columns > 0) return {w, static_cast<double>(given_.input_columns)};
  return extent(w, part_s_, 1, unroll_.W);
}

std::int64_t Blocks::input_depth(std::int64_t k) const {
  if (loops_.per_channel) return k;
  const std::int64_t all = round_up(nest_.C, rule_.channels);
  return mapping_.input_depth > 0 ? std::min(all, mapping_.input_depth) : all;
}

bool Blocks::fits(const Extent& h, const Extent& w, std::int64_t k) const {
  const double input =
      h.read * w.read *
      static_cast<double>(round_up(input_depth(k), rule_.channels) * loops_.input_element);
  const double sums = static_cast<double>(h.made) * static_cast<double>(w.made) *
                      static_cast<double>(round_up(k, unroll_.K) * rule_.sum_bytes);
  const double inputs = two_blocks(input, rule_.input_granule);
  const double all_sums = two_blocks(sums, rule_.sum_granule);
  if (rule_.sum_buffer > 0)
    return inputs <= static_cast<double>(rule_.buffer) &&
           all_sums <= static_cast<double>(rule_.sum_buffer);
  return inputs + all_sums <= static_cast<double>(rule_.buffer);
}

double Blocks::two_blocks(double bytes, Size granule) {
  const auto line = static_cast<double>(std::min<Size>(granule, 1024));
  const auto of = static_cast<double>(granule);
  return std::ceil(2 * std::ceil(bytes / line) * line / of) * of;
}

double Blocks::input_channels() const {
  return static_cast<double>(loops_.per_channel ? nest_.K : nest_.C);
}

double Blocks::fetched(const Extent& h, const Extent& w, std::int64_t k) const {
  const double rows = static_cast<double>(nest_.H) / static_cast<double>(h.made);
  const double columns = static_cast<double>(nest_.W) / static_cast<double>(w.made);
  double input = h.read * w.read * input_channels() * rows * columns * static_cast<double>(parts_);
  if (!loops_.per_channel) input *= static_cast<double>(tiling::ceil_div(nest_.K, k));
  const double weights = loops_.has_weights ? weight_count() * planes(h, w) : 0;
  const double whole_input = static_cast<double>(loops_.input[0]) *
                             static_cast<double>(loops_.input[1]) * input_channels();
  const double held = 2 * h.read * w.read * static_cast<double>(input_depth(k));
  return (input + weights) * (whole_input < held ? 0.5 : 1);
}

double Blocks::weight_count() const {
  return static_cast<double>(nest_.R) * static_cast<double>(nest_.S) *
         static_cast<double>(nest_.C) * static_cast<double>(nest_.K);
}

double Blocks::planes(const Extent& h, const Extent& w) const {
  return static_cast<double>(tiling::ceil_div(nest_.H, h.made)) *
         static_cast<double>(tiling::ceil_div(nest_.W, w.made));
}

void Blocks::find_least_fetched(std::int64_t most_k, std::int64_t most_h, std::int64_t most_w) {
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

bool Blocks::take_quickest(const Extent& rows, const Extent& columns, std::int64_t k, bool equal) {
  double takes = 0;
  each_block(rows, columns, k,
             [&](const Block& block, double count) { takes += count * working(block); });
  const double size =
      static_cast<double>(k) * static_cast<double>(rows.made) * static_cast<double>(columns.made);
  if (equal && (takes > taken_cycles_ || (takes == taken_cycles_ && size <= taken_size_)))
    return false;
  taken_cycles_ = takes;
  taken_size_ = size;
  return true;
}

bool Blocks::take_first(const Extent& rows, const Extent& columns, bool equal) {
  if (!equal) return true;
  if (std::max(rows.made, columns.made) > rule_.small) return false;
  const double held = std::min(rows.read, static_cast<double>(loops_.input[0])) *
                      std::min(columns.read, static_cast<double>(loops_.input[1]));
  if (held < held_of_small_) return false;
  held_of_small_ = held;
  return true;
}

template <typename Use>
void Blocks::each_block(const Extent& h, const Extent& w, std::int64_t k, const Use& use) const {
  const double beside = static_cast<double>(tiling::ceil_div(nest_.N, unroll_.N)) *
                        static_cast<double>(tiling::ceil_div(nest_.G, unroll_.G));
  if (in_shares()) {
    const Block one{row(std::min(h.made, nest_.H)), column(std::min(w.made, nest_.W)),
                    std::min(k, nest_.K)};
    const auto steps = [&](std::int64_t rows, std::int64_t columns, std::int64_t channels) {
      return positions(rows, columns) * static_cast<double>(tiling::ceil_div(channels, unroll_.K));
    };
    return use(one,
               beside * steps(nest_.H, nest_.W, nest_.K) / steps(one.h.made, one.w.made, one.k));
  }
  const bool whole = rule_.partial == PartialBlocks::whole;
  for (const auto& [rows, of_rows] : Parts(nest_.H, h.made, whole))
    for (const auto& [columns, of_columns] : Parts(nest_.W, w.made, whole))
      for (const auto& [deep, of_channels] : Parts(nest_.K, k, whole))
        use(Block{row(rows), column(columns), deep}, beside * of_rows * of_columns * of_channels);
}

bool Blocks::in_shares() const {
  return rule_.buffer > 0 && rule_.partial == PartialBlocks::share;
}

Blocks::Steps Blocks::steps_of(const Block& block) const {
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
  return {static_cast<double>(taps_ * passes_of_tap_) * channels,
          places * static_cast<double>(steps_of_place_)};
}

double Blocks::waiting(const Block& block) const {
  if (mapping_.wait == 0 || positions(block.h.made, block.w.made) > 1) return 0;
  const auto channels = static_cast<double>(tiling::ceil_div(block.k, unroll_.K));
  const std::int64_t passes = taps_ * passes_of_tap_;
  const std::int64_t first = std::min(passes, parts_ * input_blocks_);
  return static_cast<double>(mapping_.wait) * channels * static_cast<double>(passes - first);
}

double Blocks::positions(std::int64_t rows, std::int64_t columns) const {
  return static_cast<double>(tiling::ceil_div(rows, unroll_.H)) *
         static_cast<double>(tiling::ceil_div(columns, unroll_.W));
}

double Blocks::working(const Block& block) const {
  return steps_of(block).cycles(mapping_) + waiting(block);
}

double Blocks::beside() const {
  return static_cast<double>(groups_beside()) * static_cast<double>(std::min(nest_.N, unroll_.N));
}

double Blocks::made_of(const Block& block) const {
  return static_cast<double>(std::min(block.h.made, nest_.H)) *
         static_cast<double>(std::min(block.w.made, nest_.W)) *
         static_cast<double>(std::min(block.k, nest_.K)) * beside();
}

Blocks::BlockCost Blocks::block_cost(const Block& block, bool only) const {
  const Steps steps = steps_of(block);
  BlockCost cost;
  cost.compute = working(block) / static_cast<double>(engine_.cores);
  const auto deep = static_cast<double>(std::min(block.k, nest_.K));
  cost.output = made_of(block) * rate_;
  if (loops_.has_weights)
    cost.output =
        std::max(cost.output, deep * static_cast<double>(groups_beside()) * channel_rate_);
  const double working = mapping_.cycles * steps.of_pass;
  cost.bound_by =
      cost.output > cost.compute ? BoundBy::output
      : steps.pass_cycles(mapping_) > 2 * working || static_cast<double>(mapping_.least) > working
          ? BoundBy::weights
          : BoundBy::mac;
  if (in_stages()) {
    const Transfers moved = transfers(block);
    const double moving = !overlapped() ? moved.read + moved.write
                          : only        ? 0
                                        : std::abs(moved.read - moved.write);
    const double least = (moving + cost.compute + cost.output) / static_cast<double>(rule_.stages);
    if (least > std::max(cost.compute, cost.output)) cost.bound_by = BoundBy::port;
    cost.compute = std::max(cost.compute, least);
    cost.output = std::max(cost.output, least);
  }
  return cost;
}

ArrayCost Blocks::cost(const Extent& h, const Extent& w, std::int64_t k) const {
  ArrayCost cost;
  double blocks = 0;
  each_block(h, w, k, [&](const Block&, double count) { blocks += count; });
  const bool only = blocks <= 1;
  BlockCost last;
  double ends = 0;
  bool first = true;
  each_block(h, w, k, [&](const Block& block, double count) {
    last = block_cost(block, only);
    cost.cycles += std::max(last.compute, last.output) * count;
    if (first) {
      cost.bound_by = last.bound_by;
      if (in_stages() && overlapped()) ends = first_and_last(block);
    }
    first = false;
  });
  const bool in_blocks = rule_.buffer > 0;
  if (in_blocks) cost.cycles += std::min(last.compute, last.output) + ends;
  find_traffic(h, w, k, cost);
  const std::int64_t groups = tiling::ceil_div(nest_.G, unroll_.G);
  const std::int64_t depth_blocks = groups * tiling::ceil_div(nest_.K, k);
  if (depth_blocks > 1 && in_blocks && planes(h, w) > 1) {
    cost.weight_parts = depth_blocks;
  } else {
    cost.weight_parts = groups * tiling::ceil_div(nest_.K, unroll_.K);
    if (in_blocks) cost.with_known_weights = 1 - 1 / planes(h, w);
  }
  return cost;
}

double Blocks::rows_read(const Extent& h) const {
  return std::min(h.read, static_cast<double>(std::max<Dim>(1, loops_.input[0])));
}

double Blocks::columns_read(const Extent& w) const {
  return std::min(w.read, static_cast<double>(std::max<Dim>(1, loops_.input[1])));
}

bool Blocks::in_stages() const {
  return rule_.buffer > 0 && rule_.stages > 0 && port_.read_bytes_per_cycle > 0;
}

Blocks::Transfers Blocks::transfers(const Block& block) const {
  const double channels = std::min(static_cast<double>(input_depth(block.k)), input_channels());
  return {port_.read_latency + beside() * rows_read(block.h) * columns_read(block.w) * channels *
                                   static_cast<double>(loops_.input_element) /
                                   port_.read_bytes_per_cycle,
          port_.write_latency + made_of(block) * static_cast<double>(loops_.output_element) /
                                    port_.write_bytes_per_cycle};
}

double Blocks::first_and_last(const Block& block) const {
  const Transfers moved = transfers(block);
  return moved.read + moved.write;
}

void Blocks::find_traffic(const Extent& h, const Extent& w, std::int64_t k, ArrayCost& cost) const {
  const bool whole = rule_.partial != PartialBlocks::real;
  double plane = rule_.buffer > 0 ? 0 : pixels_.read();  // bytes per input channel
  double of_weights = 0;                                 // how often all of them are read
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

}  // namespace tessera::cost
