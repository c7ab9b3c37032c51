#include "search/placement/canonical_orders.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace tessera::search::canonical {

void collect_facts(const Core& core, OrderFacts& facts) {
  const std::size_t n = core.items.size();
  facts.total.assign(n, 0);
  facts.area.assign(n, 0);
  std::vector<double> load(static_cast<std::size_t>(core.sections), 0);
  const auto each_section = [&](const Item& item, auto&& visit) {
    for (int p = item.first_part; p < item.last_part; ++p) {
      const Part& part = core.parts[static_cast<std::size_t>(p)];
      for (int s = part.begin; s < part.end; ++s) visit(static_cast<std::size_t>(s), part);
    }
  };
  for (const Item& item : core.items) {
    each_section(item, [&](std::size_t s, const Part& part) {
      load[s] += static_cast<double>(part.hi - part.lo);
    });
  }
  for (std::size_t i = 0; i < n; ++i) {
    const Item& item = core.items[i];
    each_section(item, [&](std::size_t s, const Part&) {
      facts.total[i] = std::max(facts.total[i], load[s]);
    });
    facts.area[i] = item.width * static_cast<double>(item.size);
  }
}

void collect_contention(const Core& core, std::span<const double> of_section,
                        std::vector<double>& of_item) {
  of_item.assign(core.items.size(), 0);
  for (std::size_t i = 0; i < core.items.size(); ++i) {
    const Item& item = core.items[i];
    for (int p = item.first_part; p < item.last_part; ++p) {
      const Part& part = core.parts[static_cast<std::size_t>(p)];
      for (int s = part.begin; s < part.end; ++s)
        of_item[i] += of_section[static_cast<std::size_t>(s)];
    }
  }
}

void rank_items(const Core& core, const OrderFacts& facts, CanonicalOrder order, double noise,
                Random& random, std::vector<int>& ranks) {
  struct Key {
    std::array<double, 3> value;
    int item;
  };
  const std::size_t n = core.items.size();
  std::vector<Key> keys(n);
  for (std::size_t i = 0; i < n; ++i) {
    const double total = facts.total[i];
    const double area = facts.area[i];
    const double width = core.items[i].width;
    const auto size = static_cast<double>(core.items[i].size);
    const auto overlaps = static_cast<double>(core.pair_begin[i + 1] - core.pair_begin[i]);
    std::array<double, 3>& value = keys[i].value;
    switch (order) {
      case CanonicalOrder::total_area_width:
        value = {total, area, width};
        break;
      case CanonicalOrder::width_area_total:
        value = {width, area, total};
        break;
      case CanonicalOrder::total_width_area:
        value = {total, width, area};
        break;
      case CanonicalOrder::area:
        value = {area, width, total};
        break;
      case CanonicalOrder::size:
        value = {size, width, total};
        break;
      case CanonicalOrder::overlaps:
        value = {overlaps, size, width};
        break;
    }
    if (noise > 0) {
      // No noise for the fullest section: many items share it, and it shows contention.
      const bool total_first =
          order == CanonicalOrder::total_area_width || order == CanonicalOrder::total_width_area;
      for (std::size_t k = total_first ? 1 : 0; k < value.size(); ++k) {
        value[k] *= 1 + noise * random.unit();
      }
    }
    keys[i].item = static_cast<int>(i);
  }
  std::sort(keys.begin(), keys.end(), [](const Key& a, const Key& b) {
    return a.value != b.value ? a.value > b.value : a.item < b.item;
  });
  ranks.resize(n);
  for (std::size_t k = 0; k < n; ++k) {
    ranks[static_cast<std::size_t>(keys[k].item)] = static_cast<int>(k);
  }
}

}  // namespace tessera::search::canonical
