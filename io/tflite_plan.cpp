// Writes a memory plan into a model.
//
// Offsets in these files are relative and point forward, so data cannot be appended after the
// tables that refer to it. A new root is prepended to the old file, which stays unchanged byte for
// byte: all of its offsets remain valid. The new root refers to the same objects as the old one,
// except for two lists that get an additional entry: buffers and metadata.
#include <algorithm>
#include <cstring>
#include <limits>

#include "io/buffer_csv.h"
#include "io/tflite.h"
#include "io/tflite_model.h"

namespace tessera::io {
namespace {

using tflite_reader::FlatBytes;
using tflite_reader::FlatTable;
using tflite_reader::plan_name;
using tflite_reader::scratch_name;

// Fields of Model (see tflite_model.h); all but the version are offsets.
constexpr unsigned version_field = 0;
constexpr unsigned subgraphs_field = 2;
constexpr unsigned buffers_field = 4;
constexpr unsigned metadata_field = 6;
constexpr unsigned known_fields = 10;

/// Numbers before the offsets: version, subgraph, number of offsets.
constexpr std::size_t plan_head = 3;

/// The new front part of the file. Targets are positions in the old file; the shift of the old file
/// is known at the end.
class Front {
 public:
  void number(std::uint32_t value, unsigned bytes = 4) {
    for (unsigned k = 0; k < bytes; ++k) out_ += static_cast<char>(value >> (8 * k));
  }
  void text(std::string_view bytes) { out_ += bytes; }
  void align(std::size_t to) { out_.append((to - out_.size() % to) % to, '\0'); }
  /// An offset to a position in the old file.
  void to_old(std::uint64_t place) {
    old_.emplace_back(out_.size(), place);
    number(0);
  }
  /// An offset that is set by here().
  [[nodiscard]] std::size_t open() {
    number(0);
    return out_.size() - 4;
  }
  void here(std::size_t opened) { set(opened, out_.size() - opened); }
  [[nodiscard]] std::size_t size() const { return out_.size(); }

  std::string before(std::string_view file) {
    align(64);  // preserves every alignment of the old file
    for (const auto& [at, place] : old_) set(at, out_.size() + place - at);
    return out_ + std::string(file);
  }

 private:
  void set(std::size_t at, std::uint64_t value) {
    for (unsigned k = 0; k < 4; ++k) out_[at + k] = static_cast<char>(value >> (8 * k));
  }

  std::string out_;
  std::vector<std::pair<std::size_t, std::uint64_t>> old_;
};

class PlanWriter {
 public:
  PlanWriter(const FlatBytes& file, const TfliteArena& arena, const std::vector<Offset>& offsets,
             std::string_view scratch)
      : file_(file),
        root_(file.root("Model")),
        arena_(arena),
        offsets_(offsets),
        scratch_(scratch) {}

  std::string write() {
    const std::vector<FlatTable> buffers = root_.tables(buffers_field, "Buffer");
    const std::vector<FlatTable> metadata = root_.tables(metadata_field, "Metadata");
    check(buffers);
    const std::size_t root = front_.open();
    front_.text("TFL3");
    write_root(root);
    std::vector<std::pair<const char*, std::string>> added{{plan_name, plan()}};
    if (!scratch_.empty()) added.emplace_back(scratch_name, scratch_);
    front_.here(buffers_);
    front_.number(static_cast<std::uint32_t>(buffers.size() + added.size()));
    for (const FlatTable& each : buffers) front_.to_old(each.position());
    std::vector<std::size_t> datas;
    for (std::size_t k = 0; k < added.size(); ++k) datas.push_back(front_.open());
    front_.here(metadata_);
    const auto stays = [](const FlatTable& each) {
      return each.text(0) != plan_name && each.text(0) != scratch_name;
    };
    front_.number(static_cast<std::uint32_t>(std::ranges::count_if(metadata, stays)) +
                  static_cast<std::uint32_t>(added.size()));
    for (const FlatTable& each : metadata)
      if (stays(each)) front_.to_old(each.position());
    std::vector<std::size_t> entries;
    for (std::size_t k = 0; k < added.size(); ++k) entries.push_back(front_.open());
    for (std::size_t k = 0; k < added.size(); ++k) {
      write_entry(entries[k], added[k].first, static_cast<std::uint32_t>(buffers.size() + k));
      write_buffer(datas[k], added[k].second);
    }
    return front_.before(file_.bytes());
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const {
    throw InputError(file_.file(), 0, what, "write the placement as .json or .csv");
  }

  /// Absolute positions in the file would become wrong.
  void check(const std::vector<FlatTable>& buffers) const {
    if (file_.bytes().size() > std::size_t{1} << 30) refuse("is too large for an added plan");
    if (root_.fields() > known_fields)
      refuse("has a newer schema than this program supports: its root has " +
             std::to_string(root_.fields()) + " fields");
    for (const FlatTable& each : buffers)
      if (each.number<std::uint64_t>(1, 0) > 1)
        refuse("stores data behind its tables, so no plan can be inserted");
    for (const FlatTable& graph : root_.tables(subgraphs_field, "SubGraph"))
      for (const FlatTable& op : graph.tables(3, "Operator"))
        if (op.number<std::uint64_t>(7, 0) > 1)
          refuse("stores options behind its tables, so no plan can be inserted");
    for (const Offset offset : offsets_)
      if (offset > std::numeric_limits<std::int32_t>::max())
        refuse("has an offset of " + std::to_string(offset) + ", but a plan supports 31 bits");
  }

  void write_root(std::size_t root) {
    const unsigned fields = std::max(root_.fields(), metadata_field + 1);
    front_.align(4);
    const std::size_t list = front_.size();
    const auto there = [&](unsigned field) {
      return field == buffers_field || field == metadata_field || root_.place_of(field, 4);
    };
    front_.number(4 + 2 * fields, 2);
    unsigned size = 4;
    for (unsigned field = 0; field < fields; ++field) size += there(field) ? 4U : 0U;
    front_.number(size, 2);
    unsigned at = 4;
    for (unsigned field = 0; field < fields; ++field) {
      front_.number(there(field) ? at : 0, 2);
      at += there(field) ? 4U : 0U;
    }
    front_.align(4);
    front_.here(root);
    // The offset at byte 0 leads to the root.
    front_.number(static_cast<std::uint32_t>(front_.size() - list));
    for (unsigned field = 0; field < fields; ++field) {
      if (!there(field)) continue;
      if (field == version_field)
        front_.number(root_.number<std::uint32_t>(field, 0));
      else if (field == buffers_field)
        buffers_ = front_.open();
      else if (field == metadata_field)
        metadata_ = front_.open();
      else
        front_.to_old(led_to(*root_.place_of(field, 4)));
    }
  }

  /// Target of an offset that has not been followed yet.
  [[nodiscard]] std::uint64_t led_to(std::uint64_t at) const {
    const std::uint64_t place = file_.follow(at, "Model");
    static_cast<void>(file_.within(place, 4, "Model"));
    return place;
  }

  void write_entry(std::size_t opened, std::string_view text, std::uint32_t buffer) {
    front_.align(4);
    front_.number(8, 2);  // its fields: two, 12 bytes including the offset to this list
    front_.number(12, 2);
    front_.number(4, 2);
    front_.number(8, 2);
    front_.here(opened);
    front_.number(8);
    const std::size_t name = front_.open();
    front_.number(buffer);
    front_.here(name);
    front_.number(static_cast<std::uint32_t>(text.size()));
    front_.text(text);
    front_.number(0, 1);  // strings end with a zero
    front_.align(4);
  }

  void write_buffer(std::size_t opened, std::string_view bytes) {
    front_.number(6, 2);
    front_.number(8, 2);
    front_.number(4, 2);
    front_.number(0, 2);
    front_.here(opened);
    front_.number(8);
    const std::size_t data = front_.open();
    while ((front_.size() + 4) % 16 != 0) front_.number(0, 1);  // force_align of the schema
    front_.here(data);
    front_.number(static_cast<std::uint32_t>(bytes.size()));
    front_.text(bytes);
  }

  [[nodiscard]] std::string plan() const {
    std::vector<std::int32_t> numbers{1, 0, static_cast<std::int32_t>(arena_.tensors_in_file)};
    numbers.resize(plan_head + arena_.tensors_in_file, -1);
    for (std::size_t b = 0; b < offsets_.size(); ++b)
      if (!arena_.variables[b])
        numbers[plan_head + static_cast<std::size_t>(arena_.tensors[b])] =
            static_cast<std::int32_t>(offsets_[b]);
    return {reinterpret_cast<const char*>(numbers.data()), sizeof(std::int32_t) * numbers.size()};
  }

  const FlatBytes& file_;
  FlatTable root_;
  const TfliteArena& arena_;
  const std::vector<Offset>& offsets_;
  std::string_view scratch_;
  Front front_;
  std::size_t buffers_ = 0;  ///< positions of the offsets to the two new lists
  std::size_t metadata_ = 0;
};

}  // namespace

std::string write_tflite_plan(std::string_view bytes, const std::string& file,
                              const TfliteArena& arena, const std::vector<Offset>& offsets,
                              const std::string& scratch) {
  const FlatBytes flat(bytes, file);
  return PlanWriter(flat, arena, offsets, scratch).write();
}

TflitePlan read_tflite_plan(std::string_view bytes, const std::string& file) {
  const FlatBytes flat(bytes, file);
  const std::optional<std::string_view> data = tflite_reader::metadata_of(flat, plan_name);
  if (!data)
    throw InputError(file, 0, "is a model without an arena plan",
                     "tessera place MODEL.tflite -o PLANNED.tflite writes one");
  std::vector<std::int32_t> numbers(data->size() / sizeof(std::int32_t));
  if (!numbers.empty())
    std::memcpy(numbers.data(), data->data(), sizeof(std::int32_t) * numbers.size());
  if (numbers.size() < plan_head || numbers[0] != 1 || numbers[1] != 0 || numbers[2] < 0 ||
      numbers.size() != plan_head + static_cast<std::size_t>(numbers[2]))
    throw InputError(file, 0, "has an arena plan that is not of version 1 and subgraph 0");
  TflitePlan plan;
  plan.offsets.assign(numbers.begin() + plan_head, numbers.end());
  if (const auto scratch = tflite_reader::metadata_of(flat, scratch_name))
    plan.scratch =
        read_buffer_csv(std::string(*scratch), file + ", its scratch buffers", Lifetimes::by_header)
            .problem;
  return plan;
}

}  // namespace tessera::io
