#include "io/c_header.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "io/plan_words.h"
#include "model/buffer_parts.h"
#include "model/derived.h"
#include "model/optional.h"
#include "tessera/check.h"

namespace tessera::io {
namespace {

bool plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/// A C identifier in small or capital letters. No double underscores, which C++ reserves.
std::string c_name(std::string_view text, bool capitals) {
  std::string name;
  for (const char c : text) {
    if (!plain(c)) {
      if (!name.empty() && name.back() != '_') name += '_';
    } else if (capitals) {
      name += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    } else {
      name += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
  }
  while (!name.empty() && name.back() == '_') name.pop_back();
  if (name.empty()) name = capitals ? "X" : "x";
  return name;
}

/// A header's prefix begins with a letter.
std::string prefix_of(std::string_view text) {
  std::string name = c_name(text, false);
  if (name.front() >= '0' && name.front() <= '9') name.insert(0, "n");
  return name;
}

/// Unique macro names: the second use of a name becomes NAME_2. Suffixed names of a family
/// (NAME_USED and the like) are reserved with it.
class Unique {
 public:
  std::string operator()(const std::string& name, const std::vector<std::string>& family = {}) {
    std::string unique = name;
    for (int k = 2; !is_free(unique, family); ++k) unique = name + '_' + std::to_string(k);
    taken_.insert(unique);
    for (const std::string& ending : family) taken_.insert(unique + ending);
    return unique;
  }

 private:
  [[nodiscard]] bool is_free(const std::string& name,
                             const std::vector<std::string>& family) const {
    return !taken_.contains(name) && std::none_of(family.begin(), family.end(), [&](const auto& e) {
      return taken_.contains(name + e);
    });
  }
  std::set<std::string> taken_;
};

/// Macro suffixes of a memory.
const std::vector<std::string> of_a_memory{"_USED", "_ALIGNMENT", "_BASE", "_BUFFERS"};

/// A string literal. C99 guarantees 4095 characters, so longer names are cut.
std::string c_string(std::string_view text) {
  constexpr std::size_t longest = 1000;
  std::string out = "\"";
  for (std::size_t k = 0; k < text.size(); ++k) {
    const char c = text[k];
    if (k >= longest && (static_cast<unsigned char>(c) & 0xc0U) != 0x80U) {
      out += "...";
      break;
    }
    // avoid trigraphs such as "??="
    if (c == '"' || c == '\\' || c == '?') out += '\\';
    out += c;
  }
  return out + '"';
}

/// Text inside a comment, without "*/".
std::string in_comment(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (!out.empty() && ((out.back() == '*' && c == '/') || (out.back() == '/' && c == '*')))
      out += ' ';
    out += c == '\\' ? '/' : c;
  }
  return out;
}

std::string c_number(std::int64_t value) {
  return value <= 0x7fffffff ? std::to_string(value) + 'u'
                             : "UINT64_C(" + std::to_string(value) + ')';
}

/// One row of a table of places.
struct PlaceRow {
  std::string id;
  MemoryIndex memory = 0;
  std::array<Offset, 2> offsets{};
  Size size = 0;
  StepRange live;  ///< from the first step to one past the last
  std::array<std::vector<StepRange>, 2> lives{};
  std::array<std::size_t, 2> banks{};  ///< first and last bank that it touches
};

std::array<std::size_t, 2> banks_of(const Memory& memory, Offset offset, Size size) {
  const std::vector<AddressRange> banks = bank_ranges(memory);
  std::array<std::size_t, 2> touched{};
  for (std::size_t k = 0; k < banks.size(); ++k) {
    if (banks[k].begin <= offset) touched[0] = k;
    if (banks[k].begin < offset + std::max<Size>(size, 1)) touched[1] = k;
  }
  return touched;
}

/// The steps at which the buffer occupies any byte.
std::vector<StepRange> lives_of(const Buffer& buffer) {
  std::vector<StepRange> lives;
  for (const Load& load : loads(buffer)) {
    if (!lives.empty() && lives.back().upper == load.steps.lower)
      lives.back().upper = load.steps.upper;
    else
      lives.push_back(load.steps);
  }
  return lives;
}

std::vector<PlaceRow> rows_of(const PlacementProblem& problem, const Placement& placement) {
  std::vector<PlaceRow> rows;
  for (BufferIndex b = 0; b < problem.buffers.size(); ++b) {
    if (is_left_out(placement, b)) continue;
    const Buffer& buffer = problem.buffers[b];
    const BufferPlace& place = placement.places[b];
    const std::vector<StepRange> lives = lives_of(buffer);
    rows.push_back({buffer.id,
                    place.memory,
                    {place.offset, place.offset},
                    buffer.size,
                    hull_of(buffer),
                    {lives, lives},
                    banks_of(problem.memories[place.memory], place.offset, buffer.size)});
  }
  return rows;
}

/// The two consecutive copies of a tile's buffer become one row.
std::vector<PlaceRow> with_copies_joined(std::vector<PlaceRow> rows) {
  constexpr std::string_view ping = ".ping";
  constexpr std::string_view pong = ".pong";
  std::vector<PlaceRow> joined;
  for (PlaceRow& row : rows) {
    if (!joined.empty() && row.id.ends_with(pong)) {
      PlaceRow& before = joined.back();
      const std::string_view stem = std::string_view(row.id).substr(0, row.id.size() - pong.size());
      if (before.id == std::string(stem) + std::string(ping) && before.memory == row.memory &&
          before.size == row.size) {
        before.id = stem;
        before.offsets[1] = row.offsets[1];
        before.lives[1] = row.lives[1];
        before.live = {std::min(before.live.lower, row.live.lower),
                       std::max(before.live.upper, row.live.upper)};
        before.banks = {std::min(before.banks[0], row.banks[0]),
                        std::max(before.banks[1], row.banks[1])};
        continue;
      }
    }
    joined.push_back(std::move(row));
  }
  return joined;
}

class CHeader {
 public:
  explicit CHeader(std::string_view name) : low_(prefix_of(name)), high_(c_name(low_, true)) {
    for (const char* own : {"_H", "_MEMORIES", "_BUFFERS", "_RUNS"}) unique_(high_ + own);
  }

  [[nodiscard]] const std::string& low() const { return low_; }
  [[nodiscard]] const std::string& high() const { return high_; }

  void begin(const std::string& what) {
    out_ = "/* " + what + "\n * Generated by Tessera; do not edit. C99 and C++. */\n#ifndef " +
           high_ + "_H\n#define " + high_ + "_H\n\n#include <stdint.h>\n\n";
  }

  /// The memories: numbers, used bytes, bases.
  void memories(std::span<const Memory> memories, std::span<const Size> used,
                std::span<const Size> alignments) {
    for (const Memory& memory : memories)
      names_.push_back(unique_(high_ + '_' + c_name(memory.name, true), of_a_memory));
    out_ +=
        "/* Memories: the number of each; its used bytes, the minimum size of an array for it; the "
        "required\n   alignment of its first byte; its address, if known. */\n";
    for (std::size_t m = 0; m < memories.size(); ++m) {
      define(names_[m], std::to_string(m) + 'u');
      define(names_[m] + "_USED", c_number(used[m]));
      define(names_[m] + "_ALIGNMENT", c_number(alignments[m]));
      if (memories[m].base != 0) define(names_[m] + "_BASE", c_number(memories[m].base));
    }
    define(high_ + "_MEMORIES", std::to_string(memories.size()) + 'u');
    out_ += '\n';
  }

  /// Macros for the offsets; rows with two copies get macros for both.
  void offsets(const std::vector<PlaceRow>& rows) {
    out_ += "/* Offsets from the start of the memory of a buffer. */\n";
    for (const PlaceRow& row : rows)
      define(unique_(high_ + "_OFFSET_" + c_name(row.id, true)), c_number(row.offsets[0]));
    out_ += '\n';
  }

  void place_type(bool copies) {
    out_ +=
        "/* A buffer occupies its bytes in the steps [first_step, end_step). */\ntypedef struct "
        "{\n  uint64_t first_step, end_step;\n} " +
        low_ +
        "_life;\n\n"
        "typedef struct {\n"
        "  const char *id;\n";
    out_ += copies ? "  uint64_t offset[2]; /* of copies 0 and 1, which alternate if tiles are "
                     "double-buffered */\n"
                   : "  uint64_t offset; /* bytes from the start of its memory */\n";
    out_ +=
        "  uint64_t size;\n  uint32_t memory;\n  uint32_t first_bank, last_bank; /* occupied "
        "banks; 0 without banks */\n  uint64_t first_step, end_step;  /* of all its lifetimes */\n";
    out_ += "  const " + low_ + "_life *lives" +
            (copies ? "[2]; /* of copies 0 and 1" : "; /* all of them") +
            ", in order, terminated by {0, 0}; other\n     buffers may use its bytes in between "
            "*/\n} " +
            low_ + "_place;\n\n";
  }

  void places(const std::string& name, const std::vector<PlaceRow>& rows, bool copies) {
    std::map<std::vector<StepRange>, std::size_t> lives;
    for (const PlaceRow& row : rows)
      for (const std::vector<StepRange>& each : row.lives) lives.emplace(each, 0);
    if (!rows.empty()) add_lives(name + "_lives", lives);
    const auto at = [&](const std::vector<StepRange>& each) {
      return name + "_lives + " + std::to_string(lives.at(each));
    };
    out_ += "static const " + low_ + "_place " + name + '[' +
            std::to_string(std::max<std::size_t>(rows.size(), 1)) + "] = {\n";
    if (rows.empty()) out_ += "  {0}\n";
    for (const PlaceRow& row : rows) {
      out_ += "  {" + c_string(row.id) + ", ";
      out_ += copies ? '{' + c_number(row.offsets[0]) + ", " + c_number(row.offsets[1]) + '}'
                     : c_number(row.offsets[0]);
      out_ += ", " + c_number(row.size) + ", " + names_[row.memory] + ", " +
              std::to_string(row.banks[0]) + "u, " + std::to_string(row.banks[1]) + "u, " +
              c_number(row.live.lower) + ", " + c_number(row.live.upper) + ", ";
      out_ += copies ? '{' + at(row.lives[0]) + ", " + at(row.lives[1]) + '}' : at(row.lives[0]);
      out_ += "},\n";
    }
    out_ += "};\n";
  }

  /// The mode of each memory at each step, as the index of a name.
  void modes(const PlacementProblem& problem, const Placement& placement, const std::string& of) {
    for (MemoryIndex m = 0; m < problem.memories.size(); ++m) {
      if (m >= placement.modes.size() || placement.modes[m].empty()) continue;
      const std::vector<std::string>& at = placement.modes[m];
      std::vector<std::string> known(at.begin(), at.end());
      std::sort(known.begin(), known.end());
      known.erase(std::unique(known.begin(), known.end()), known.end());
      const std::string name = of + '_' + c_name(problem.memories[m].name, false);
      out_ += "/* Modes of " + in_comment(problem.memories[m].name) +
              ", and the mode of each step. */\n";
      out_ += "static const char *const " + name + "_modes[] = {";
      for (std::size_t k = 0; k < known.size(); ++k)
        out_ += (k == 0 ? "" : ", ") + c_string(known[k]);
      out_ += "};\nstatic const uint16_t " + name + "_mode_at[] = {";
      for (std::size_t t = 0; t < at.size(); ++t) {
        const auto found = std::lower_bound(known.begin(), known.end(), at[t]);
        out_ += (t == 0        ? ""
                 : t % 32 == 0 ? ",\n  "
                               : ", ") +
                std::to_string(found - known.begin());
      }
      out_ += "};\n";
    }
  }

  void define(const std::string& name, const std::string& value) {
    out_ += "#define " + name + ' ' + value + '\n';
  }
  void text(const std::string& text) { out_ += text; }
  [[nodiscard]] const std::string& memory(MemoryIndex number) const { return names_[number]; }
  /// The name of a memory without a number.
  [[nodiscard]] std::string other_memory(const std::string& name) {
    return unique_(high_ + '_' + c_name(name, true), of_a_memory);
  }

  [[nodiscard]] std::string end() {
    out_ += "\n#endif\n";
    return std::move(out_);
  }

 private:
  /// Concatenates the lists and records where each begins.
  void add_lives(const std::string& name, std::map<std::vector<StepRange>, std::size_t>& lives) {
    out_ += "static const " + low_ + "_life " + name + "[] = {\n";
    std::size_t begin = 0;
    for (auto& [list, at] : lives) {
      at = begin;
      begin += list.size() + 1;
      out_ += "  ";
      for (const StepRange& each : list)
        out_ += '{' + c_number(each.lower) + ", " + c_number(each.upper) + "}, ";
      out_ += "{0, 0},\n";
    }
    out_ += "};\n";
  }

  std::string low_;
  std::string high_;
  std::vector<std::string> names_;  ///< of the memories' macros
  Unique unique_;
  std::string out_;
};

/// The memories of a header, with their used bytes and the alignment of their buffers.
struct UsedRoom {
  std::vector<Memory> memories;
  std::vector<Size> heights;
  std::vector<Size> alignments;

  void add(const PlacementProblem& problem, const Placement& placement) {
    if (memories.empty()) {
      memories = problem.memories;
      heights.assign(memories.size(), 0);
      alignments.assign(memories.size(), 1);
    }
    const std::vector<Size> of_this = tessera::heights(problem, placement);
    for (MemoryIndex m = 0; m < memories.size(); ++m) heights[m] = std::max(heights[m], of_this[m]);
    for (BufferIndex b = 0; b < problem.buffers.size(); ++b) {
      if (is_left_out(placement, b)) continue;
      const MemoryIndex m = placement.places[b].memory;
      const Size aligned = effective_alignment(problem.buffers[b], memories[m]);
      const Size rest = aligned / std::gcd(aligned, alignments[m]);
      alignments[m] = checked_mul(alignments[m], rest).value_or(aligned);
    }
  }
  /// require: its memory is known
  void add(const PlannedPin& pin) {
    const MemoryIndex m = number_of(pin.memory);
    heights[m] = std::max(heights[m], pin.offset + pin.bytes);
    const Size rest = memories[m].alignment / std::gcd(memories[m].alignment, alignments[m]);
    alignments[m] = checked_mul(alignments[m], rest).value_or(memories[m].alignment);
  }
  [[nodiscard]] MemoryIndex number_of(const std::string& name) const {
    const auto found = std::ranges::find(memories, name, &Memory::name);
    return static_cast<MemoryIndex>(found - memories.begin());
  }
};

std::string c_axes(const std::array<Dim, 3>& values) {
  return '{' + c_number(values[0]) + ", " + c_number(values[1]) + ", " + c_number(values[2]) + '}';
}

constexpr const char* run_type =
    R"(/* Groups of ops that are tiled together, in order. Tile k of a group uses the first placement
   of the group whose sizes are all at least its own.
   Steps of a placement: in step k the op k of the group works on a tile, counted from first_op. An
   op with a split reduction counts once per part. With n ops the steps of a tile are 0 to n - 1. With
   double buffering these are the steps of an even tile (copy 0), and n to 2n - 1 those of the
   following odd tile (copy 1). The next tile starts at step 0 again: a lifetime that ends with the
   last step and one that begins with step 0 are one lifetime. */
typedef struct {
  const NAME_place *places;
  uint32_t buffers;
} NAME_placement;
typedef struct {
  uint32_t first_op, last_op;
  uint64_t tile[3], tiles[3]; /* C, H, W: of a tile of the last op's result, and how many along each */
  const char *order;          /* of the loops over tiles, outermost first */
  const char *weights, *halo, *stationary, *one_copy;
  uint32_t reduction; /* parts of the reduction of the first product that reads off-chip data */
  const char *direct; /* tensors that the engine accesses off chip directly, without buffers */
  int double_buffered;
  uint32_t trailing; /* number of last ops that run one tile behind the others, overlapped */
  /* On chip as a whole during the group: `kept` tensors that it does not load or store, `early`
     weights that an earlier group has prefetched for it, `ahead` weights that it prefetches for a
     later group, `passing` weights that it holds between the two. A null pointer ends each list;
     a list without entries is null. */
  const char *const *kept, *const *early, *const *ahead, *const *passing;
  const NAME_placement *placements;
  uint32_t placements_count;
} NAME_run;
)";

constexpr const char* offchip_type = R"(
/* Off-chip addresses, in steps of the whole network. Tile k of all tiles reads at step 2k and writes
   at step 2k + 1; with trailing ops it may read until tile k + 1 has written. */
typedef struct {
  const char *id;
  uint64_t offset, size;
  uint64_t first_step, end_step;
  int weights;
} NAME_offchip;
)";

constexpr const char* joined_type = R"(
/* An off-chip tensor may be stored in place in the result of a concatenation, `whole`: in its
   channels [first_channel, end_channel). */
typedef struct {
  const char *id, *whole;
  uint64_t first_channel, end_channel;
} NAME_joined;
)";

constexpr const char* pinned_type = R"(
/* Pinned weights: load them once, before the first inference. No buffer of a group overlaps them. */
typedef struct {
  const char *id;
  uint32_t memory;
  uint64_t offset, size;
} NAME_pinned;
)";

std::string with_name(std::string text, const std::string& name) {
  for (std::size_t at = text.find("NAME"); at != std::string::npos; at = text.find("NAME", at))
    text.replace(at, 4, name);
  return text;
}

/// Name lists of a group, with their identifiers.
std::array<std::pair<const char*, const std::vector<std::string>*>, 4> lists_of(
    const PlannedSubgraph& run) {
  return {{{"_kept", &run.kept},
           {"_early", &run.early},
           {"_ahead", &run.ahead},
           {"_passing", &run.passing}}};
}

void add_run(CHeader& header, const PlannedSubgraph& run, std::size_t number) {
  const std::string of = header.low() + "_run" + std::to_string(number);
  std::string names;
  for (const std::string& name : run.names) names += (names.empty() ? "" : ", ") + in_comment(name);
  header.text("\n/* " + names + " */\n");
  std::string placements;
  for (std::size_t k = 0; k < run.placements.size(); ++k) {
    const PlannedPlacement& planned = run.placements[k];
    const std::string name = of + "_places" + std::to_string(k);
    const std::vector<PlaceRow> rows =
        with_copies_joined(rows_of(planned.problem, planned.placement));
    header.places(name, rows, true);
    header.modes(planned.problem, planned.placement, name);
    placements +=
        (k == 0 ? "{" : ", {") + name + ", " + c_number(static_cast<Size>(rows.size())) + '}';
  }
  for (const auto& [list, listed] : lists_of(run)) {
    if (listed->empty()) continue;
    header.text("static const char *const " + of + list + "[] = {");
    for (const std::string& name : *listed) header.text(c_string(name) + ", ");
    header.text("0};\n");
  }
  header.text("static const " + header.low() + "_placement " + of + "_placements[] = {" +
              placements + "};\n");
}

void add_runs(CHeader& header, const NetworkPlan& plan) {
  for (std::size_t k = 0; k < plan.subgraphs.size(); ++k) add_run(header, plan.subgraphs[k], k);
  header.text("\n");
  header.define(header.high() + "_RUNS", c_number(static_cast<Size>(plan.subgraphs.size())));
  header.text("static const " + header.low() + "_run " + header.low() + "_runs[] = {\n");
  for (std::size_t k = 0; k < plan.subgraphs.size(); ++k) {
    const PlannedSubgraph& run = plan.subgraphs[k];
    std::string order;
    for (const std::string& axis : order_of(run.variant.stationary)) order += axis;
    std::string lists;
    for (const auto& [list, listed] : lists_of(run))
      lists += listed->empty() ? "0, " : header.low() + "_run" + std::to_string(k) + list + ", ";
    header.text(
        "  {" + c_number(static_cast<Size>(run.ops.first)) + ", " +
        c_number(static_cast<Size>(run.ops.last)) + ", " + c_axes(run.extent) + ", " +
        c_axes(run.counts) + ", " + c_string(order) + ", " + c_string(word(run.variant.weights)) +
        ", " + c_string(word(run.variant.halo)) + ", " + c_string(word(run.variant.stationary)) +
        ", " + c_string(word(run.variant.one_copy)) + ", " +
        c_number(static_cast<Size>(run.variant.reduction)) + ", " +
        c_string(word(run.variant.direct)) + ", " + (run.variant.double_buffer ? "1" : "0") + ", " +
        c_number(static_cast<Size>(run.variant.trailing)) + ", " + lists + header.low() + "_run" +
        std::to_string(k) + "_placements, " + c_number(static_cast<Size>(run.placements.size())) +
        "},\n");
  }
  header.text("};\n");
}

void add_offchip(CHeader& header, const NetworkPlan& plan) {
  if (plan.offchip.empty()) return;
  header.text(with_name(offchip_type, header.low()));
  for (const OffchipMemory& memory : plan.offchip) {
    const std::string high = header.other_memory(memory.memory);
    header.define(high + "_USED", c_number(memory.height));
    if (memory.base != 0) header.define(high + "_BASE", c_number(memory.base));
    header.define(high + "_BUFFERS", c_number(static_cast<Size>(memory.buffers.size())));
    header.text("static const " + header.low() + "_offchip " + c_name(high, false) +
                "_buffers[] = {\n");
    for (const OffchipBuffer& buffer : memory.buffers)
      header.text("  {" + c_string(buffer.id) + ", " + c_number(buffer.offset) + ", " +
                  c_number(buffer.size) + ", " + c_number(buffer.live.lower) + ", " +
                  c_number(buffer.live.upper) + ", " + (buffer.weights ? "1" : "0") + "},\n");
    header.text("};\n");
  }
}

void add_joined(CHeader& header, const NetworkPlan& plan) {
  if (plan.joined.empty()) return;
  header.text(with_name(joined_type, header.low()));
  header.define(header.high() + "_JOINED", c_number(static_cast<Size>(plan.joined.size())));
  header.text("static const " + header.low() + "_joined " + header.low() + "_joins[] = {\n");
  for (const PlannedJoin& join : plan.joined)
    header.text("  {" + c_string(join.tensor) + ", " + c_string(join.whole) + ", " +
                c_number(join.begin) + ", " + c_number(join.end) + "},\n");
  header.text("};\n");
}

void add_pinned(CHeader& header, const UsedRoom& used, const NetworkPlan& plan) {
  if (plan.pinned.empty()) return;
  header.text(with_name(pinned_type, header.low()));
  header.define(header.high() + "_PINNED", c_number(static_cast<Size>(plan.pinned.size())));
  header.text("static const " + header.low() + "_pinned " + header.low() + "_pins[] = {\n");
  for (const PlannedPin& pin : plan.pinned)
    header.text("  {" + c_string(pin.weight) + ", " + header.memory(used.number_of(pin.memory)) +
                ", " + c_number(pin.offset) + ", " + c_number(pin.bytes) + "},\n");
  header.text("};\n");
}

}  // namespace

std::string write_c_header(const PlacementProblem& problem, const Placement& placement,
                           std::string_view name) {
  CHeader header(name);
  const std::vector<PlaceRow> rows = rows_of(problem, placement);
  header.begin(problem.name.empty()
                   ? "Placement of buffers."
                   : "Placement of the buffers of " + in_comment(problem.name) + ".");
  UsedRoom used;
  used.add(problem, placement);
  header.memories(used.memories, used.heights, used.alignments);
  header.offsets(rows);
  header.place_type(false);
  header.define(header.high() + "_BUFFERS", std::to_string(rows.size()) + 'u');
  header.places(header.low() + "_places", rows, false);
  header.modes(problem, placement, header.low());
  return header.end();
}

std::string write_plan_c_header(const NetworkPlan& plan, std::string_view name) {
  CHeader header(name);
  header.begin("Plan of " + (plan.network.empty() ? "a network" : in_comment(plan.network)) +
               " for " + in_comment(plan.profile) + '.');
  UsedRoom used;
  for (const PlannedSubgraph& run : plan.subgraphs)
    for (const PlannedPlacement& planned : run.placements)
      used.add(planned.problem, planned.placement);
  for (const PlannedPin& pin : plan.pinned) used.add(pin);
  header.memories(used.memories, used.heights, used.alignments);
  header.place_type(true);
  header.text(with_name(run_type, header.low()));
  add_runs(header, plan);
  add_offchip(header, plan);
  add_joined(header, plan);
  add_pinned(header, used, plan);
  return header.end();
}

}  // namespace tessera::io
