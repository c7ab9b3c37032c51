#include "commands/contents.h"

#include <utility>

namespace tessera::commands {

/// A run that contains `at` becomes two.
void Contents::split(Runs& runs, Offset at) {
  auto next = runs.lower_bound(at);
  if (next == runs.begin()) return;
  Stored& before = std::prev(next)->second;
  if (before.bytes.end <= at) return;
  Stored rest = before;
  rest.meaning.first += at - before.bytes.begin;
  rest.bytes.begin = at;
  before.bytes.end = at;
  runs.emplace_hint(next, at, std::move(rest));
}

void Contents::visit(std::size_t memory, AddressRange range,
                     const std::function<void(Stored&)>& see) {
  Runs& runs = memories_[memory];
  split(runs, range.begin);
  split(runs, range.end);
  Offset at = range.begin;
  auto run = runs.lower_bound(range.begin);
  while (at < range.end) {
    if (run == runs.end() || run->first > at) {  // nothing is known of these bytes
      const Offset end = run == runs.end() ? range.end : std::min(range.end, run->first);
      run = runs.emplace_hint(run, at, Stored{.bytes = {at, end}, .meaning = {}, .readers = {}});
    }
    see(run->second);
    at = run->second.bytes.end;
    ++run;
  }
}

void Contents::write(std::size_t memory, AddressRange range, const Meaning& meaning,
                     CommandId writer) {
  Runs& runs = memories_[memory];
  split(runs, range.begin);
  split(runs, range.end);
  runs.erase(runs.lower_bound(range.begin), runs.lower_bound(range.end));
  // Runs that continue each other are one, so that reading is fast.
  const auto next = runs.lower_bound(range.begin);
  if (next != runs.begin()) {
    Stored& before = std::prev(next)->second;
    const Meaning& known = before.meaning;
    if (before.bytes.end == range.begin && before.writer == writer && before.readers.empty() &&
        known.defined == meaning.defined && known.tensor == meaning.tensor &&
        known.sums == meaning.sums &&
        known.first + (range.begin - before.bytes.begin) == meaning.first) {
      before.bytes.end = range.end;
      return;
    }
  }
  runs.emplace_hint(next, range.begin,
                    Stored{.bytes = range, .meaning = meaning, .writer = writer, .readers = {}});
}

}  // namespace tessera::commands
