// Offsets as binary numbers of units, with ripple-carry adders and comparators in one direction.
#include <algorithm>
#include <map>
#include <memory>

#include "cnf_builder.h"

namespace tessera::encoder {
namespace {

using Bits = std::vector<int>;  ///< least significant first; constants allowed

class BinaryWriter final : public OffsetWriter {
 public:
  BinaryWriter(const Grid& grid, CnfBuilder& builder) : grid_(grid), builder_(builder) {
    Size largest = 1;
    for (const Domain& domain : grid.domains) largest = std::max(largest, domain.last / grid.unit);
    // Sums have two terms, each at most `largest`.
    while ((largest >> width_) != 0) ++width_;
    ++width_;
  }

  void integers(std::vector<Bits>& bits) override {
    for (std::size_t x = 0; x < bits.size(); ++x) {
      const Domain& domain = grid_.domains[x];
      bits[x] = multiples(domain.stride / grid_.unit, domain.last / grid_.unit);
      builder_.clause({-reaches(bits[x], domain.last / grid_.unit + 1)});
    }
    bits_ = &bits;
  }

  int at_least(IntIndex x, Size value) override {
    const Domain& domain = grid_.domains[x];
    const Size index = domain.index_of(value);
    if (index <= 0) return always;
    if (index > domain.steps()) return never;
    return reaches((*bits_)[x], index * (domain.stride / grid_.unit));
  }

  int before(IntIndex x, Size amount, IntIndex y) override {
    const Size units =
        (amount < 0 ? -((-amount) / grid_.unit) : (amount + grid_.unit - 1) / grid_.unit);
    const Bits& low = units > 0 ? sum(x, units) : (*bits_)[x];
    const Bits& high = units < 0 ? sum(y, -units) : (*bits_)[y];
    // fits: the lower bits of `low` are at most those of `high`, from the lowest bit up.
    int fits = always;
    for (std::size_t k = 0; k < width_; ++k) {
      const int a = bit(low, k);
      const int b = bit(high, k);
      const int next = builder_.fresh();
      builder_.clause({-next, -a, b});
      builder_.clause({-next, -a, fits});
      builder_.clause({-next, b, fits});
      fits = next;
    }
    return fits;
  }

  int multiple(IntIndex x, Size modulus) override {
    const int divides = builder_.fresh();
    // Both are multiples of the unit or the modulus divides it (and the stride, hence constant).
    const Bits product = multiples(modulus / grid_.unit, grid_.domains[x].last / grid_.unit);
    for (std::size_t k = 0; k < width_; ++k) {
      builder_.clause({-divides, -bit(product, k), bit((*bits_)[x], k)});
      builder_.clause({-divides, bit(product, k), -bit((*bits_)[x], k)});
    }
    return divides;
  }

 private:
  static int bit(const Bits& of, std::size_t k) { return k < of.size() ? of[k] : never; }

  /// A new variable multiple of `factor`, at most `largest`.
  Bits multiples(Size factor, Size largest) {
    Bits quotient;
    for (Size rest = largest / factor; rest != 0; rest >>= 1) quotient.push_back(builder_.fresh());
    Bits result;
    std::size_t shift = 0;
    for (Size rest = factor; rest != 0; rest >>= 1, ++shift) {
      if ((rest & 1) == 0) continue;
      Bits shifted(shift, never);
      shifted.insert(shifted.end(), quotient.begin(), quotient.end());
      result = result.empty() ? shifted : add(result, shifted);
    }
    // Values above `largest` are excluded by the range; bits beyond the width are never needed.
    for (std::size_t k = width_; k < result.size(); ++k) builder_.clause({-result[k]});
    result.resize(width_, never);
    return result;
  }

  Bits add(const Bits& a, const Bits& b) {
    Bits result;
    int carry = never;
    for (std::size_t k = 0; k < std::max(a.size(), b.size()); ++k) {
      const int x = bit(a, k);
      const int y = bit(b, k);
      result.push_back(builder_.exclusive(builder_.exclusive(x, y), carry));
      carry = builder_.majority(x, y, carry);
    }
    if (carry != never) result.push_back(carry);
    return result;
  }

  const Bits& sum(IntIndex x, Size units) {
    const auto [entry, is_new] = sums_.try_emplace({x, units});
    if (is_new) {
      Bits constant;
      for (Size rest = units; rest != 0; rest >>= 1) {
        constant.push_back((rest & 1) != 0 ? always : never);
      }
      entry->second = add((*bits_)[x], constant);
    }
    return entry->second;
  }

  /// A literal equivalent to bits >= value, for a value above 0.
  int reaches(const Bits& bits, Size value) {
    if ((value >> width_) != 0) return never;
    int result = always;
    for (std::size_t k = 0; k < width_; ++k) {
      result = ((value >> k) & 1) != 0 ? builder_.conjunction(bit(bits, k), result)
                                       : builder_.disjunction(bit(bits, k), result);
    }
    return result;
  }

  const Grid& grid_;
  CnfBuilder& builder_;
  std::size_t width_ = 0;
  const std::vector<Bits>* bits_ = nullptr;
  std::map<std::pair<IntIndex, Size>, Bits> sums_;
};

}  // namespace

std::unique_ptr<OffsetWriter> make_binary_writer(const Grid& grid, CnfBuilder& builder) {
  return std::make_unique<BinaryWriter>(grid, builder);
}

}  // namespace tessera::encoder
