// Creates variables and clauses with constants folded; used by both encodings of cnf_writer.h.
#pragma once

#include <initializer_list>
#include <vector>

#include "cnf_writer.h"

namespace tessera::encoder {

class CnfBuilder {
 public:
  CnfBuilder(const ClauseSink& sink, int& variables) : sink_(sink), variables_(variables) {}

  [[nodiscard]] int fresh() { return ++variables_; }
  void clause(std::span<const int> literals);
  void clause(std::initializer_list<int> literals) {
    clause(std::span<const int>(literals.begin(), literals.size()));
  }

  // Gates in both directions; constants are folded.
  [[nodiscard]] int conjunction(int a, int b);
  [[nodiscard]] int disjunction(int a, int b) { return -conjunction(-a, -b); }
  [[nodiscard]] int exclusive(int a, int b);
  [[nodiscard]] int majority(int a, int b, int c);

 private:
  const ClauseSink& sink_;
  int& variables_;
  std::vector<int> scratch_;
};

/// Encodes arithmetic atoms; one implementation per OffsetEncoding.
class OffsetWriter {
 public:
  OffsetWriter() = default;
  OffsetWriter(const OffsetWriter&) = delete;
  OffsetWriter& operator=(const OffsetWriter&) = delete;
  virtual ~OffsetWriter() = default;
  /// The bits of each integer (see CnfLayout::bits), with the clauses for its range.
  virtual void integers(std::vector<std::vector<int>>& bits) = 0;
  /// A literal equivalent to x >= value.
  virtual int at_least(IntIndex x, Size value) = 0;
  /// A literal that implies x + amount <= y.
  virtual int before(IntIndex x, Size amount, IntIndex y) = 0;
  /// A literal that implies that modulus divides x.
  virtual int multiple(IntIndex x, Size modulus) = 0;
};

[[nodiscard]] std::unique_ptr<OffsetWriter> make_order_writer(const Grid& grid,
                                                              CnfBuilder& builder);
[[nodiscard]] std::unique_ptr<OffsetWriter> make_binary_writer(const Grid& grid,
                                                               CnfBuilder& builder);

}  // namespace tessera::encoder
