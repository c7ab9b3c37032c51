#include "cost/pipeline.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <stdexcept>
#include <unordered_map>
#include <utility>

#include "model/key_hash.h"

namespace tessera::cost {
namespace {

std::int64_t tile_count(const std::vector<TileRun>& runs) {
  std::int64_t count = 0;
  for (const TileRun& run : runs) count += run.count;
  return count;
}

void require(bool condition, const char* message) {
  if (!condition) throw std::invalid_argument(message);
}

void validate(const Pipeline& p) {
  for (const PipelineResource& resource : p.resources)
    require(resource.channels >= 1, "pipeline: a resource needs at least one channel");
  for (std::size_t k = 0; k < p.tasks.size(); ++k) {
    const PipelineTask& task = p.tasks[k];
    require(task.resource < p.resources.size(), "pipeline: task names an unknown resource");
    require(task.lead >= 0, "pipeline: negative lead");
    for (const PipelineDependency& d : task.after) {
      require(d.task < p.tasks.size() && d.tiles_back >= 0, "pipeline: dependency out of range");
      // Issue slot of a task of tile t is t - lead; equal slots are ordered by index.
      const int slot = -d.tiles_back - p.tasks[d.task].lead;
      require(slot < -task.lead || (slot == -task.lead && d.task < k),
              "pipeline: a task waits for one that is issued later");
    }
  }
  for (const auto& durations : p.classes) {
    require(durations.size() == p.tasks.size(),
            "pipeline: the number of durations differs from the number of tasks");
    for (const Cycles cycles : durations) require(cycles >= 0, "pipeline: negative duration");
  }
  require(p.bus_cycles.empty() || p.bus_cycles.size() == p.classes.size(),
          "pipeline: bus cycles are given for some classes only");
  for (std::size_t c = 0; c < p.bus_cycles.size(); ++c) {
    require(p.bus_cycles[c].size() == p.tasks.size(),
            "pipeline: the number of bus times differs from the number of tasks");
    for (std::size_t k = 0; k < p.tasks.size(); ++k)
      require(p.bus_cycles[c][k] >= 0 && p.bus_cycles[c][k] <= p.classes[c][k],
              "pipeline: more bus time than the task has");
  }
  for (const PipelineTask& task : p.tasks)
    require(!task.bus || (*task.bus < p.buses && !p.bus_cycles.empty()), "pipeline: unknown bus");
  require(p.repeat >= 0, "pipeline: negative repeat");
  for (const auto* runs : {&p.before, &p.sequence, &p.after})
    for (const TileRun& run : *runs)
      require(run.tile_class < p.classes.size() && run.count >= 0, "pipeline: bad tile run");
}

/// Steps through issue slots. Keeps the end times that a later command can still depend on.
class Stepper {
 public:
  Stepper(const Pipeline& pipeline, const PipelineOptions& options)
      : p_(pipeline), options_(options) {
    std::size_t waits = 0;
    for (const PipelineTask& task : p_.tasks) {
      max_lead_ = std::max(max_lead_, task.lead);
      waits += task.after.size();
      for (const PipelineDependency& d : task.after)
        window_ = std::max(window_, d.tiles_back + 1 + p_.tasks[d.task].lead);
    }
    window_ += max_lead_ + 1;
    ends_.assign(static_cast<std::size_t>(window_) * p_.tasks.size(), 0);
    for (const PipelineResource& resource : p_.resources)
      free_.emplace_back(static_cast<std::size_t>(resource.channels), 0);
    bus_free_.assign(p_.buses, 0);
    busy_.assign(p_.resources.size(), 0);
    in_use_.assign(p_.resources.size(), false);
    for (const auto& durations : p_.classes)
      for (std::size_t k = 0; k < durations.size(); ++k)
        if (durations[k] > 0) in_use_[p_.tasks[k].resource] = true;
    waits_.reserve(waits);
    commands_.reserve(p_.tasks.size());
    for (const PipelineTask& task : p_.tasks) {
      for (const PipelineDependency& d : task.after) waits_.push_back(d);
      commands_.push_back({task.resource, task.lead, waits_.size(), task.bus.value_or(no_bus)});
    }
    classes_.assign(static_cast<std::size_t>(max_lead_) + 1, 0);
  }

  int max_lead() const { return max_lead_; }
  Cycles last_end() const { return last_end_; }
  const std::vector<Cycles>& busy() const { return busy_; }

  /// Issues slot `slot`: every task k for the tile slot + lead(k), if that tile exists.
  template <typename ClassOf>
  void step(std::int64_t slot, std::int64_t tiles, const ClassOf& class_of) {
    find_classes(slot, tiles, class_of);
    const auto tasks = commands_.size();
    const int here = ring(slot);
    std::size_t wait = 0;
    for (std::size_t k = 0; k < tasks; ++k) {
      const Command& command = commands_[k];
      const std::size_t first_wait = std::exchange(wait, command.waits_end);
      const std::int64_t tile = slot + command.lead;
      if (tile < 0 || tile >= tiles) continue;
      const int at = wrapped(here + command.lead);
      Cycles ready = 0;
      for (std::size_t w = first_wait; w < command.waits_end; ++w) {
        const PipelineDependency& d = waits_[w];
        if (tile < d.tiles_back) continue;
        const int back = at - d.tiles_back;
        ready = std::max(ready, ends_[row(back < 0 ? back + window_ : back) + d.task]);
      }
      auto& channels = free_[command.resource];
      const auto channel = channels.size() == 1
                               ? channels.begin()
                               : std::min_element(channels.begin(), channels.end());
      const std::size_t tile_class = classes_[static_cast<std::size_t>(command.lead)];
      const Cycles duration = p_.classes[tile_class][k];
      const Cycles begin = duration > 0 ? std::max(ready, *channel) : ready;
      Cycles end = begin + duration;
      const Cycles stream = command.bus != no_bus ? p_.bus_cycles[tile_class][k] : 0;
      if (stream > 0) {
        // A transfer that its channel slows down occupies the bus at its end.
        Cycles& free = bus_free_[command.bus];
        end += std::max<Cycles>(0, free - (end - stream));
        free = end;
      }
      if (duration > 0) *channel = end;
      ends_[row(at) + k] = end;
      last_end_ = std::max(last_end_, end);
      busy_[command.resource] += duration;
      if (options_.events != nullptr && duration > 0 &&
          static_cast<std::int64_t>(options_.events->size()) < options_.max_events)
        options_.events->push_back(
            {k, tile, static_cast<int>(channel - channels.begin()), begin, end, tile_class});
    }
  }

  /// Everything the future depends on, relative to the last end: equal states evolve equally. A
  /// time before the last busy queue becomes free delays nothing, so all such times are equal.
  std::vector<Cycles> state(std::int64_t next_slot) const {
    Cycles floor = last_end_;
    for (std::size_t r = 0; r < free_.size(); ++r)
      if (in_use_[r]) floor = std::min(floor, *std::min_element(free_[r].begin(), free_[r].end()));
    std::vector<Cycles> key;
    key.reserve(ends_.size() + free_.size() * 2);
    for (std::size_t r = 0; r < free_.size(); ++r) {
      if (!in_use_[r]) continue;
      std::vector<Cycles> sorted(free_[r]);
      std::sort(sorted.begin(), sorted.end());
      for (const Cycles time : sorted) key.push_back(time - last_end_);
    }
    for (const Cycles time : bus_free_) key.push_back(std::max(time, floor) - last_end_);
    for (std::int64_t back = 1; back < window_; ++back)
      for (std::size_t k = 0; k < p_.tasks.size(); ++k)
        key.push_back(std::max(end_of(k, next_slot + max_lead_ - back), floor) - last_end_);
    return key;
  }

  /// Advances all counters by `slots` tiles and `time` cycles.
  void skip(std::int64_t next_slot, std::int64_t slots, Cycles time,
            const std::vector<Cycles>& busy_per_period, std::int64_t periods) {
    std::vector<Cycles> moved(ends_.size(), 0);
    for (std::int64_t back = 1; back < window_; ++back)
      for (std::size_t k = 0; k < p_.tasks.size(); ++k) {
        const std::int64_t from = next_slot + max_lead_ - back;
        const std::int64_t to = from + slots;
        if (from < 0) continue;
        moved[row(ring(to)) + k] = end_of(k, from) + time;
      }
    ends_ = std::move(moved);
    for (auto& channels : free_)
      for (Cycles& t : channels) t += time;
    for (Cycles& t : bus_free_) t += time;
    last_end_ += time;
    for (std::size_t r = 0; r < busy_.size(); ++r) busy_[r] += busy_per_period[r] * periods;
  }

 private:
  /// A task, reduced to the fields that a step reads.
  struct Command {
    std::size_t resource = 0;
    int lead = 0;
    std::size_t waits_end = 0;  ///< its waits begin where the waits of the previous command end
    std::size_t bus = 0;
  };
  static constexpr std::size_t no_bus = std::numeric_limits<std::size_t>::max();

  /// classes_[l]: the class of tile slot + l, if it exists.
  template <typename ClassOf>
  void find_classes(std::int64_t slot, std::int64_t tiles, const ClassOf& class_of) {
    const bool next = slot == classes_from_ + 1;
    if (next) std::shift_left(classes_.begin(), classes_.end(), 1);
    classes_from_ = slot;
    for (std::size_t l = next ? classes_.size() - 1 : 0; l < classes_.size(); ++l) {
      const std::int64_t tile = slot + static_cast<std::int64_t>(l);
      if (tile >= 0 && tile < tiles) classes_[l] = class_of(tile);
    }
  }

  const Cycles& end_of(std::size_t task, std::int64_t tile) const {
    return ends_[row(ring(tile)) + task];
  }
  int ring(std::int64_t tile) const {
    const auto at = static_cast<int>(tile % window_);
    return at < 0 ? at + window_ : at;
  }
  int wrapped(int at) const { return at >= window_ ? at - window_ : at; }
  std::size_t row(int at) const { return static_cast<std::size_t>(at) * commands_.size(); }

  const Pipeline& p_;
  const PipelineOptions& options_;
  int max_lead_ = 0;
  int window_ = 1;
  std::vector<Command> commands_;
  std::vector<PipelineDependency> waits_;
  std::vector<std::size_t> classes_;  ///< by lead, at slot classes_from_
  std::int64_t classes_from_ = std::numeric_limits<std::int64_t>::min();
  std::vector<Cycles> ends_;  ///< a ring over tiles
  std::vector<std::vector<Cycles>> free_;
  std::vector<Cycles> bus_free_;
  Cycles last_end_ = 0;
  std::vector<Cycles> busy_;
  std::vector<bool> in_use_;  ///< used by any tile of the pipeline
};

/// The tiles in order, run-length coded, with random access.
class Sequence {
 public:
  explicit Sequence(const Pipeline& p) : row_(tile_count(p.sequence)), rows_(p.repeat) {
    head_ = tile_count(p.before);
    tail_ = tile_count(p.after);
    expand(p.before, before_);
    expand(p.sequence, sequence_);
    expand(p.after, after_);
  }
  std::int64_t tiles() const { return head_ + row_ * rows_ + tail_; }
  std::size_t class_of(std::int64_t tile) const {
    if (tile < head_) return at(before_, tile);
    tile -= head_;
    if (tile < row_ * rows_) return at(sequence_, tile % row_);
    return at(after_, tile - row_ * rows_);
  }
  /// How many tiles from `tile` on repeat with the given period (classes equal to those one period
  /// later).
  std::int64_t repeats_until(std::int64_t tile, std::int64_t period) const {
    if (period == 1) return run_end(tile);
    if (period == row_ && tile >= head_ && tile < head_ + row_ * rows_) return head_ + row_ * rows_;
    return tile;
  }
  std::int64_t row() const { return row_; }
  std::int64_t head() const { return head_; }

 private:
  struct Span {
    std::int64_t end;
    std::size_t tile_class;
  };
  static void expand(const std::vector<TileRun>& runs, std::vector<Span>& spans) {
    std::int64_t end = 0;
    for (const TileRun& run : runs) {
      if (run.count == 0) continue;
      end += run.count;
      if (!spans.empty() && spans.back().tile_class == run.tile_class)
        spans.back().end = end;
      else
        spans.push_back({end, run.tile_class});
    }
  }
  static const Span& span_at(const std::vector<Span>& spans, std::int64_t tile) {
    return *std::upper_bound(spans.begin(), spans.end(), tile,
                             [](std::int64_t t, const Span& s) { return t < s.end; });
  }
  static std::size_t at(const std::vector<Span>& spans, std::int64_t tile) {
    return span_at(spans, tile).tile_class;
  }
  /// One past the last tile of the run of equal classes that contains `tile` (within its part).
  std::int64_t run_end(std::int64_t tile) const {
    if (tile < head_) return span_at(before_, tile).end;
    const std::int64_t inside = tile - head_;
    if (inside < row_ * rows_) {
      if (sequence_.size() == 1) return head_ + row_ * rows_;
      return head_ + inside / row_ * row_ + span_at(sequence_, inside % row_).end;
    }
    return head_ + row_ * rows_ + span_at(after_, inside - row_ * rows_).end;
  }

  std::int64_t head_ = 0, row_ = 0, rows_ = 0, tail_ = 0;
  std::vector<Span> before_, sequence_, after_;
};

/// For fewer slots, stepping is faster than recording and looking up a state.
constexpr std::int64_t worth_a_look = 8;

/// Maximum number of recorded states; a pipeline that has not repeated by then is stepped through.
constexpr std::size_t max_snapshots = 256;

struct Snapshot {
  std::int64_t slot = 0;
  Cycles last_end = 0;
  std::vector<Cycles> busy;
};

/// Snapshots of one kind of boundary (every tile of one run, or every row start).
class Memory {
 public:
  void clear() { seen_.clear(); }
  const Snapshot* find_or_insert(std::vector<Cycles> key, Snapshot now) {
    const auto [it, fresh] = seen_.try_emplace(std::move(key), std::move(now));
    return fresh ? nullptr : &it->second;
  }
  std::size_t size() const { return seen_.size(); }

 private:
  std::unordered_map<std::vector<Cycles>, Snapshot, KeyHash> seen_;
};

}  // namespace

PipelineRun simulate(const Pipeline& pipeline, const PipelineOptions& options) {
  validate(pipeline);
  const Sequence sequence(pipeline);
  Stepper stepper(pipeline, options);
  PipelineRun run;
  run.tiles = sequence.tiles();
  run.busy.assign(pipeline.resources.size(), 0);
  if (run.tiles == 0 || pipeline.tasks.empty()) return run;

  const auto recorded_all = [&] {
    return options.events == nullptr ||
           static_cast<std::int64_t>(options.events->size()) >= options.max_events;
  };
  const int lead = stepper.max_lead();
  const auto class_of = [&](std::int64_t tile) { return sequence.class_of(tile); };
  Memory in_run;
  Memory by_row;
  std::int64_t run_limit = -1;

  // A jump from slot s is sound while every tile issued until its end (slot + lead) lies in the
  // repeating part. The ring then holds only tiles of the repeating part as well.
  const auto try_jump = [&](Memory& memory, std::int64_t slot, std::int64_t limit,
                            std::int64_t granule) -> std::int64_t {
    if (memory.size() >= max_snapshots) memory.clear();
    Snapshot now{slot, stepper.last_end(), stepper.busy()};
    const Snapshot* before = memory.find_or_insert(stepper.state(slot), now);
    if (before == nullptr) return 0;
    const std::int64_t period = slot - before->slot;
    const std::int64_t periods = (limit - lead - slot) / period;
    if (periods <= 0 || period % granule != 0) return 0;
    std::vector<Cycles> busy(stepper.busy());
    for (std::size_t r = 0; r < busy.size(); ++r) busy[r] -= before->busy[r];
    stepper.skip(slot, period * periods, (stepper.last_end() - before->last_end) * periods, busy,
                 periods);
    memory.clear();
    return period * periods;
  };

  for (std::int64_t slot = -lead; slot < run.tiles; ++slot) {
    if (options.extrapolate && recorded_all() && slot >= 0 && slot + lead < run.tiles) {
      // Inside a sequence of equal tiles: all tiles this slot issues (slot .. slot + lead) are in
      // it.
      const std::int64_t limit = sequence.repeats_until(slot, 1);
      if (limit != run_limit) {
        in_run.clear();
        run_limit = limit;
      }
      if (slot + lead + worth_a_look < limit) slot += try_jump(in_run, slot, limit, 1);
      // At the start of a row of tiles.
      const std::int64_t row = sequence.row();
      if (row > 1 && slot >= sequence.head() && (slot - sequence.head()) % row == 0) {
        const std::int64_t rows_end = sequence.repeats_until(slot, row);
        if (slot + lead < rows_end) slot += try_jump(by_row, slot, rows_end, row);
      }
    }
    stepper.step(slot, run.tiles, class_of);
    ++run.simulated_tiles;
  }
  run.cycles = stepper.last_end();
  run.busy = stepper.busy();
  return run;
}

}  // namespace tessera::cost
