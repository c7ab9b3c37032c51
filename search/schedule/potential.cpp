#include "search/schedule/potential.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tessera::search {
namespace {

constexpr double tiny = 1e-9;
constexpr int most_rounds = 12;

/// The simplex method for: maximise the sum of y, for each row the sum of its y at most its bound.
/// A condensed tableau: column k belongs to the variable that is 0, row r to the one that is not.
class Simplex {
 public:
  Simplex(std::size_t ops, const std::vector<const BoundedGroup*>& rows)
      : columns_(ops), rows_(rows.size()), table_((rows_ + 1) * (columns_ + 1)) {
    column_of_.resize(columns_);
    row_of_.resize(rows_);
    std::iota(column_of_.begin(), column_of_.end(), std::size_t{0});
    std::iota(row_of_.begin(), row_of_.end(), columns_);
    for (std::size_t r = 0; r < rows_; ++r) {
      for (const OpId op : rows[r]->ops) at(r, op) = 1;
      at(r, columns_) = rows[r]->bound;
    }
    for (std::size_t c = 0; c < columns_; ++c) at(rows_, c) = -1;
  }

  std::vector<double> solve(const std::function<bool()>& stop) {
    for (std::size_t step = 0; step < 20 * (columns_ + 10); ++step) {
      const std::size_t enter = entering();
      if (enter == columns_ || (stop && stop())) break;
      const std::size_t leave = leaving(enter);
      if (leave == rows_) break;  // an op in no row: its value is not bounded
      pivot(leave, enter);
    }
    std::vector<double> out(columns_);
    for (std::size_t r = 0; r < rows_; ++r)
      if (row_of_[r] < columns_) out[row_of_[r]] = std::max(0.0, at(r, columns_));
    return out;
  }

 private:
  double& at(std::size_t row, std::size_t column) { return table_[row * (columns_ + 1) + column]; }

  std::size_t entering() {
    std::size_t best = columns_;
    for (std::size_t c = 0; c < columns_; ++c)
      if (at(rows_, c) < -tiny && (best == columns_ || at(rows_, c) < at(rows_, best))) best = c;
    return best;
  }

  std::size_t leaving(std::size_t column) {
    std::size_t best = rows_;
    double least = 0;
    for (std::size_t r = 0; r < rows_; ++r) {
      if (at(r, column) <= tiny) continue;
      const double ratio = at(r, columns_) / at(r, column);
      if (best == rows_ || ratio < least || (ratio == least && row_of_[r] < row_of_[best])) {
        best = r;
        least = ratio;
      }
    }
    return best;
  }

  void pivot(std::size_t row, std::size_t column) {
    const double inverse = 1.0 / at(row, column);
    for (std::size_t c = 0; c <= columns_; ++c) at(row, c) *= inverse;
    at(row, column) = inverse;
    for (std::size_t r = 0; r <= rows_; ++r) {
      const double factor = at(r, column);
      if (r == row || factor == 0) continue;
      for (std::size_t c = 0; c <= columns_; ++c)
        if (c != column) at(r, c) -= factor * at(row, c);
      at(r, column) = -factor * inverse;
    }
    std::swap(row_of_[row], column_of_[column]);
  }

  std::size_t columns_, rows_;
  std::vector<double> table_;
  std::vector<std::size_t> column_of_, row_of_;
};

double sum_over(const std::vector<double>& values, const BoundedGroup& group) {
  double sum = 0;
  for (const OpId op : group.ops) sum += values[op];
  return sum;
}

}  // namespace

std::vector<double> op_values(std::size_t ops, const std::vector<BoundedGroup>& groups,
                              const std::function<bool()>& stop) {
  std::vector<bool> listed(groups.size());
  std::vector<const BoundedGroup*> rows;
  for (std::size_t k = 0; k < groups.size(); ++k)
    if (groups[k].ops.size() == 1) {
      listed[k] = true;
      rows.push_back(&groups[k]);
    }
  std::vector<double> values(ops);
  // Rows are added where they are violated most, a few times the number of ops per round.
  for (int round = 0; round < most_rounds; ++round) {
    values = Simplex(ops, rows).solve(stop);
    std::vector<std::pair<double, std::size_t>> violated;
    for (std::size_t k = 0; k < groups.size(); ++k) {
      if (listed[k]) continue;
      const double over = sum_over(values, groups[k]) - groups[k].bound;
      if (over > tiny * (1 + groups[k].bound)) violated.emplace_back(-over, k);
    }
    if (violated.empty() || (stop && stop())) break;
    std::ranges::sort(violated);
    if (violated.size() > ops + 20) violated.resize(ops + 20);
    for (const auto& [over, k] : violated) {
      listed[k] = true;
      rows.push_back(&groups[k]);
    }
  }
  // The values are only approximate, and the rounds may have ended early.
  double most = 1;
  for (const BoundedGroup& group : groups) {
    const double sum = sum_over(values, group);
    if (sum <= group.bound) continue;
    if (group.bound <= 0)
      for (const OpId op : group.ops) values[op] = 0;
    else
      most = std::max(most, sum / group.bound);
  }
  for (double& value : values) value /= most;
  return values;
}

}  // namespace tessera::search
