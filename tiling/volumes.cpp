#include "tiling/volumes.h"

#include <algorithm>

#include "tiling/axis_rules.h"
#include "tiling/propagate.h"
#include "tiling/tile_changes.h"

namespace tessera::tiling {

/// The non-empty parts of a tile: per read in the order of propagate(), and per leaving tensor.
struct TileVolumes::Presence {
  std::vector<bool> reads;
  std::vector<bool> stores;
  friend bool operator==(const Presence&, const Presence&) = default;

  [[nodiscard]] bool holds(const Presence& other) const {
    for (std::size_t k = 0; k < reads.size(); ++k)
      if (other.reads[k] && !reads[k]) return false;
    for (std::size_t t = 0; t < stores.size(); ++t)
      if (other.stores[t] && !stores[t]) return false;
    return true;
  }
};

/// The difference of a tensor's fresh part from that of the family's single tile.
struct TileVolumes::Part {
  AxisSet cut;              ///< axes along which they differ
  std::int64_t size = 1;    ///< elements along these axes
  std::int64_t single = 1;  ///< elements of the single tile along these axes
  bool none = false;
};

/// Tiles along one axis that differ only by a shift.
struct TileVolumes::Class {
  std::size_t family = 0;  ///< along C
  std::vector<Part> parts;
  /// The tensors whose needs differ from the single tile, in order.
  std::vector<std::pair<std::size_t, Box>> changed;
};

struct TileVolumes::Line {
  std::vector<Class> largest;  ///< no class covers another
  bool all = true;             ///< they cover all other classes
};

struct TileVolumes::Family {
  Presence presence;
  KnownTile single;
  bool complete = true;               ///< the single tile has every part that it should have
  std::vector<std::int64_t> volumes;  ///< of the single tile
  std::array<std::map<Dim, Line>, tile_axes> lines;
  std::array<std::map<Dim, Line>, tile_axes> firsts;
};

/// A tile in which only some operands are read and stored.
struct TileVolumes::MaskedRules {
  const Presence& presence;
  const std::vector<Box>& stored;
  std::vector<Box>& reads;
  bool complete = true;  ///< every part that should exist is non-empty

  void store(std::size_t t, Box& needed) {
    if (!presence.stores[t]) return;
    complete = complete && !stored[t].none;
    needed = hull(needed, stored[t]);
  }
  static Box fresh(std::size_t, const Box& needed) { return needed; }
  bool read(const LocalOperand&, const Box& region) {
    const bool counts = presence.reads[reads.size()];
    reads.push_back(region);
    complete = complete && (!counts || !region.none);
    return counts;
  }
};

namespace {

bool covers(const Box& large, const Box& small) {
  for (std::size_t x = 0; x < large.rank; ++x)
    if (large[x].size() < small[x].size()) return false;
  return true;
}

using Changed = std::vector<std::pair<std::size_t, Box>>;

/// Does one of two tiles cover the other? Both differ from `base` in these tensors.
bool covers(const std::vector<Box>& base, const Changed& large, const Changed& small) {
  auto a = large.begin();
  auto b = small.begin();
  while (a != large.end() || b != small.end()) {
    const std::size_t t = a == large.end()   ? b->first
                          : b == small.end() ? a->first
                                             : std::min(a->first, b->first);
    const Box& of_large = a != large.end() && a->first == t ? (a++)->second : base[t];
    const Box& of_small = b != small.end() && b->first == t ? (b++)->second : base[t];
    if (!covers(of_large, of_small)) return false;
  }
  return true;
}

}  // namespace

TileVolumes::TileVolumes(const Subgraph& subgraph, const TileSpace& space, TileRegions single)
    : subgraph_(subgraph), space_(space), single_(std::move(single)), changes_(subgraph) {
  static_cast<void>(family_of(everything()));
  // The state of changes_ per tensor and read, and the single tile.
  const Family& all = *families_.front();
  held_ += sizeof(TileVolumes) +
           sizeof(Box) * (all.presence.reads.size() + 4 * all.presence.stores.size());
}

TileVolumes::Presence TileVolumes::everything() const {
  Presence all;
  for (const std::vector<LocalOperand>& step : subgraph_.operands_at)
    all.reads.insert(all.reads.end(), step.size(), true);
  for (const LocalTensor& tensor : subgraph_.tensors) all.stores.push_back(tensor.leaves);
  return all;
}

TileVolumes::~TileVolumes() = default;

std::size_t TileVolumes::family_of(const Presence& presence) {
  for (std::size_t f = 0; f < families_.size(); ++f)
    if (families_[f]->presence == presence) return f;
  auto family = std::make_unique<Family>();
  family->presence = presence;
  TileRegions regions;
  MaskedRules masked{family->presence, single_.stored, family->single.reads};
  propagate(subgraph_, masked, regions);
  family->complete = masked.complete;
  family->single.needed = std::move(regions.needed);
  family->single.counts = presence.reads;
  for (std::size_t t = 0; t < family->single.needed.size(); ++t)
    family->volumes.push_back(volume(family->single.needed[t], brick_of(subgraph_, t)));
  held_ += sizeof(Family) + presence.reads.size() * sizeof(Box) +
           family->single.needed.size() * (sizeof(Box) + sizeof(std::int64_t));
  families_.push_back(std::move(family));
  return families_.size() - 1;
}

/// The presence of the last tile of changes_, with all reads counted.
TileVolumes::Presence TileVolumes::presence_now(const std::vector<Box>& pieces) const {
  Presence presence = families_.front()->presence;
  const std::vector<Box>& reads = families_.front()->single.reads;
  for (std::size_t read = 0; read < reads.size(); ++read) presence.reads[read] = !reads[read].none;
  for (const std::size_t read : changes_.read_anew())
    presence.reads[read] = !changes_.region(read).none;
  for (std::size_t t = 0; t < pieces.size(); ++t)
    if (pieces[t].none) presence.stores[t] = false;
  return presence;
}

/// Does the last tile of changes_ have everything that its family has?
bool TileVolumes::complete_now(const Family& family, const std::vector<Box>& pieces) const {
  for (std::size_t t = 0; t < pieces.size(); ++t)
    if (family.presence.stores[t] && pieces[t].none) return false;
  return family.complete && std::ranges::none_of(changes_.read_anew(), [&](std::size_t read) {
           return family.presence.reads[read] && changes_.region(read).none;
         });
}

std::vector<TileVolumes::Part> TileVolumes::parts_of(const Family& family, const KnownTile& base,
                                                     const Class& found) const {
  std::vector<Part> parts(base.needed.size());
  auto changed = found.changed.begin();
  for (std::size_t t = 0; t < parts.size(); ++t) {
    const bool differs = changed != found.changed.end() && changed->first == t;
    const Box& box = differs ? (changed++)->second : base.needed[t];
    const Box& single = family.single.needed[t];
    parts[t].none = box.none || single.none;
    for (std::size_t x = 0; x < box.rank && !parts[t].none; ++x) {
      if (box[x] == single[x]) continue;
      const Dim brick = x == 1 ? brick_of(subgraph_, t) : 1;
      parts[t].cut.set(x);
      parts[t].size *= in_bricks(box[x].size(), brick);
      parts[t].single *= in_bricks(single[x].size(), brick);
    }
  }
  return parts;
}

const TileVolumes::Line& TileVolumes::line(std::size_t family, std::size_t axis, Dim extent,
                                           bool first_only) {
  Family& of = *families_[family];
  auto& lines = first_only ? of.firsts[axis] : of.lines[axis];
  const auto known = lines.find(extent);
  if (known != lines.end()) return known->second;
  Line made;
  make_line(family, axis, extent, first_only, made);
  return lines.emplace(extent, std::move(made)).first->second;  // only after it is complete
}

void TileVolumes::make_line(std::size_t family, std::size_t axis, Dim extent, bool first_only,
                            Line& line) {
  const bool along_channels = axis == static_cast<std::size_t>(TileAxis::channels);
  const KnownTile& everything = families_.front()->single;
  const KnownTile& base = families_[family]->single;
  const auto holds = [&](const Class& large, const Class& small) {
    return (large.family == small.family ||
            families_[large.family]->presence.holds(families_[small.family]->presence)) &&
           covers(base.needed, large.changed, small.changed);
  };
  StoredPieces stored(subgraph_, space_, axis, extent);
  const Dim count = first_only ? 1 : pieces(space_.whole.extent[axis], extent);
  std::vector<Class> incomplete;
  const auto work = static_cast<std::int64_t>(subgraph_.tensors.size());
  for (Dim position = 0; position < count; ++position) {
    if (poll_ != nullptr) (*poll_)(work);
    stored.position = position;
    changes_.run(everything, [&](std::size_t t, Box& needed) { stored.store(t, needed); });
    Class found;
    bool complete = true;
    if (along_channels) {
      found.family = family_of(presence_now(stored.pieces));
    } else {
      found.family = family;
      const Family& of = *families_[family];
      if (family != 0)
        changes_.run(base, [&](std::size_t t, Box& needed) {
          if (of.presence.stores[t]) needed = hull(needed, stored.pieces[t]);
        });
      complete = complete_now(of, stored.pieces);
    }
    for (const std::size_t t : changes_.changed())
      found.changed.emplace_back(t, changes_.needed(t));
    std::ranges::sort(found.changed, {}, &std::pair<std::size_t, Box>::first);

    std::vector<Class>& list = complete ? line.largest : incomplete;
    if (std::ranges::any_of(list, [&](const Class& c) { return holds(c, found); })) continue;
    std::erase_if(list, [&](const Class& c) { return holds(found, c); });
    list.push_back(std::move(found));
  }
  // If a part is missing, other axes need less than this axis knows: its sizes are bounds.
  line.all = std::ranges::all_of(incomplete, [&](const Class& found) {
    return std::ranges::any_of(line.largest, [&](const Class& c) { return holds(c, found); });
  });
  for (Class& c : line.largest) {
    c.parts = parts_of(*families_[c.family], base, c);
    c.changed = {};  // only its parts are needed later
    held_ += sizeof(Class) + c.parts.size() * sizeof(Part);
  }
}

bool TileVolumes::multiply(const Family& family, const std::array<const Class*, tile_axes>& classes,
                           std::vector<std::int64_t>& volumes) const {
  const std::vector<Part>& c = classes[0]->parts;
  const std::vector<Part>& h = classes[1]->parts;
  const std::vector<Part>& w = classes[2]->parts;
  volumes.resize(c.size());
  for (std::size_t t = 0; t < volumes.size(); ++t) {
    if (c[t].none || h[t].none || w[t].none) {
      volumes[t] = 0;
      continue;
    }
    if (((c[t].cut & h[t].cut) | (c[t].cut & w[t].cut) | (h[t].cut & w[t].cut)).any()) return false;
    const std::int64_t single = c[t].single * h[t].single * w[t].single;
    volumes[t] = family.volumes[t] / single * c[t].size * h[t].size * w[t].size;
  }
  return true;
}

bool TileVolumes::first(const TileShape& shape, std::vector<std::int64_t>& volumes) {
  const Line& c = line(0, 0, shape.extent[0], true);
  const std::size_t family = c.largest.front().family;
  const Line& h = line(family, 1, shape.extent[1], true);
  const Line& w = line(family, 2, shape.extent[2], true);
  if (!h.all || !w.all) return false;
  return multiply(*families_[family], {&c.largest.front(), &h.largest.front(), &w.largest.front()},
                  volumes);
}

TileGeometry::Found TileVolumes::largest(const TileShape& shape, bool first_channel,
                                         std::vector<std::vector<std::int64_t>>& volumes) {
  using Found = TileGeometry::Found;
  Found found = Found::all;
  volumes.clear();
  const Line& along_c = line(0, 0, shape.extent[0], first_channel);
  for (const Class& c : along_c.largest) {
    if (poll_ != nullptr) (*poll_)(static_cast<std::int64_t>(subgraph_.tensors.size()));
    const Line& along_h = line(c.family, 1, shape.extent[1], false);
    const Line& along_w = line(c.family, 2, shape.extent[2], false);
    if (!along_h.all || !along_w.all) found = Found::some;
    for (const Class& h : along_h.largest)
      for (const Class& w : along_w.largest)
        if (!multiply(*families_[c.family], {&c, &h, &w}, volumes.emplace_back()))
          return Found::none;
  }
  return volumes.empty() ? Found::none : found;
}

}  // namespace tessera::tiling
