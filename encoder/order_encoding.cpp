// One variable per value: "x >= v" (Tamura, Taga, Kitagawa, Banbara: Compiling finite linear CSP
// into SAT, 2009).
#include <memory>

#include "cnf_builder.h"

namespace tessera::encoder {
namespace {

class OrderWriter final : public OffsetWriter {
 public:
  OrderWriter(const Grid& grid, CnfBuilder& builder) : grid_(grid), builder_(builder) {}

  void integers(std::vector<std::vector<int>>& bits) override {
    for (std::size_t x = 0; x < bits.size(); ++x) {
      for (Size step = 0; step < grid_.domains[x].steps(); ++step) {
        bits[x].push_back(builder_.fresh());
        if (step > 0) builder_.clause({-bits[x].back(), bits[x][bits[x].size() - 2]});
      }
    }
    bits_ = &bits;
  }

  int at_least(IntIndex x, Size value) override {
    return reaches(x, grid_.domains[x].index_of(value));
  }

  int before(IntIndex x, Size amount, IntIndex y) override {
    const int order = builder_.fresh();
    const Domain& low = grid_.domains[x];
    const Domain& high = grid_.domains[y];
    Size said = 0;
    for (Size i = 0; i <= low.steps(); ++i) {
      const Size needed = high.index_of(i * low.stride + amount);
      if (needed <= said) continue;  // a smaller value of x implies it already
      builder_.clause({-order, -reaches(x, i), reaches(y, needed)});
      said = needed;
      if (needed > high.steps()) break;
    }
    return order;
  }

  int multiple(IntIndex x, Size modulus) override {
    const int divides = builder_.fresh();
    const Domain& domain = grid_.domains[x];
    for (Size i = 0; i <= domain.steps(); ++i) {
      const Size value = i * domain.stride;
      if (value % modulus == 0) continue;
      builder_.clause({-divides, -reaches(x, i), reaches(x, i + 1)});
    }
    return divides;
  }

 private:
  /// x is at least its value with this index.
  [[nodiscard]] int reaches(IntIndex x, Size index) const {
    if (index <= 0) return always;
    if (index > grid_.domains[x].steps()) return never;
    return (*bits_)[x][static_cast<std::size_t>(index) - 1];
  }

  const Grid& grid_;
  CnfBuilder& builder_;
  const std::vector<std::vector<int>>* bits_ = nullptr;
};

}  // namespace

std::unique_ptr<OffsetWriter> make_order_writer(const Grid& grid, CnfBuilder& builder) {
  return std::make_unique<OrderWriter>(grid, builder);
}

}  // namespace tessera::encoder
