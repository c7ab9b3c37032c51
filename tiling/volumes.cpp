#include "tiling/volumes.h"

#include <algorithm>

#include "tiling/axis_rules.h"
#include "tiling/propagate.h"

namespace tessera {

/// What there is in a tile: per read in the order of propagate(), per tensor that leaves.
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

/// How the fresh part of a tensor differs from that of the family's single tile.
struct TileVolumes::Part {
  AxisSet cut;              ///< axes along which it does
  std::int64_t size = 1;    ///< elements along those
  std::int64_t single = 1;  ///< elements of the single tile along those
  bool none = false;
};

/// Tiles along one axis that differ by nothing but where they are.
struct TileVolumes::Class {
  std::size_t family = 0;  ///< along C
  std::vector<Part> parts;
  std::vector<Box> fresh;
};

struct TileVolumes::Line {
  std::vector<Class> largest;  ///< no class covers another
  bool all = true;             ///< and they cover all other classes
};

struct TileVolumes::Family {
  Presence presence;
  TileRegions single;
  std::vector<std::int64_t> volumes;  ///< of the single tile
  std::array<std::map<Dim, Line>, tile_axes> lines;
  std::array<std::map<Dim, Line>, tile_axes> firsts;
};

/// A tile in which only some things are read and stored.
struct TileVolumes::MaskedRules {
  const Presence& presence;
  const std::vector<Box>& stored;
  std::size_t next_read = 0;
  bool complete = true;  ///< everything that should be there is

  void store(std::size_t t, Box& needed) {
    if (!presence.stores[t]) return;
    complete = complete && !stored[t].none;
    needed = hull(needed, stored[t]);
  }
  static Box fresh(std::size_t, const Box& needed) { return needed; }
  bool read(const LocalOperand&, const Box& region) {
    const bool counts = presence.reads[next_read++];
    complete = complete && (!counts || !region.none);
    return counts;
  }
};

namespace {

bool covers(const std::vector<Box>& large, const std::vector<Box>& small) {
  for (std::size_t t = 0; t < large.size(); ++t)
    for (std::size_t x = 0; x < large[t].rank; ++x)
      if (large[t][x].size() < small[t][x].size()) return false;
  return true;
}

}  // namespace

TileVolumes::TileVolumes(const Subgraph& subgraph, const TileSpace& space, TileRegions single)
    : subgraph_(subgraph), space_(space), single_(std::move(single)) {
  static_cast<void>(family_of(everything()));
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
  family->single.stored = single_.stored;
  propagate(subgraph_, MaskedRules{family->presence, single_.stored}, family->single);
  for (const Box& box : family->single.fresh) family->volumes.push_back(volume(box));
  families_.push_back(std::move(family));
  return families_.size() - 1;
}

std::vector<TileVolumes::Part> TileVolumes::parts_of(const Family& family,
                                                     const TileRegions& regions) const {
  std::vector<Part> parts(regions.fresh.size());
  for (std::size_t t = 0; t < parts.size(); ++t) {
    const Box& box = regions.fresh[t];
    const Box& single = family.single.fresh[t];
    parts[t].none = box.none || single.none;
    for (std::size_t x = 0; x < box.rank && !parts[t].none; ++x) {
      if (box[x] == single[x]) continue;
      parts[t].cut.set(x);
      parts[t].size *= box[x].size();
      parts[t].single *= single[x].size();
    }
  }
  return parts;
}

const TileVolumes::Line& TileVolumes::line(std::size_t family, std::size_t axis, Dim extent,
                                           bool first_only) {
  Family& of = *families_[family];
  auto& lines = first_only ? of.firsts[axis] : of.lines[axis];
  const auto [at, is_new] = lines.try_emplace(extent);
  if (is_new) make_line(family, axis, extent, first_only, at->second);
  return at->second;
}

void TileVolumes::make_line(std::size_t family, std::size_t axis, Dim extent, bool first_only,
                            Line& line) {
  const bool along_channels = axis == static_cast<std::size_t>(TileAxis::channels);
  AxisRules rules(subgraph_, space_, axis, extent, /*keep_halo=*/false);
  const auto holds = [&](const Class& large, const Class& small) {
    return families_[large.family]->presence.holds(families_[small.family]->presence) &&
           covers(large.fresh, small.fresh);
  };
  std::vector<std::vector<Dim>> known;
  const Dim count = first_only ? 1 : pieces(space_.whole.extent[axis], extent);
  std::vector<Class> incomplete;
  for (Dim position = 0; position < count; ++position) {
    rules.run(position);
    std::vector<Dim> key = rules.key();
    const auto at = std::ranges::lower_bound(known, key);
    if (at != known.end() && *at == key) continue;
    known.insert(at, std::move(key));

    Class found;
    TileRegions regions;
    bool complete = true;
    if (along_channels) {
      Presence presence;
      for (const auto& [local, region] : rules.read_) presence.reads.push_back(!region.none);
      for (std::size_t t = 0; t < subgraph_.tensors.size(); ++t)
        presence.stores.push_back(subgraph_.tensors[t].leaves && !rules.regions.stored[t].none);
      found.family = family_of(presence);
      regions = rules.regions;
    } else {
      found.family = family;
      MaskedRules masked{families_[family]->presence, rules.regions.stored};
      propagate(subgraph_, masked, regions);
      complete = masked.complete;
    }
    const Family& of = *families_[found.family];
    found.fresh = std::move(regions.fresh);
    if (!complete) {
      incomplete.push_back(std::move(found));
      continue;
    }
    if (std::ranges::any_of(line.largest, [&](const Class& c) { return holds(c, found); }))
      continue;
    std::erase_if(line.largest, [&](const Class& c) { return holds(found, c); });
    regions.fresh = found.fresh;
    found.parts = parts_of(of, regions);
    line.largest.push_back(std::move(found));
  }
  // Where something is missing, other axes need less than this one knows: its sizes are bounds.
  line.all = std::ranges::all_of(incomplete, [&](const Class& found) {
    return std::ranges::any_of(line.largest, [&](const Class& c) { return holds(c, found); });
  });
  for (Class& c : line.largest) c.fresh = {};  // only its parts are needed from here on
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

}  // namespace tessera
