// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/run_results.hpp"

#include <algorithm>
#include <cmath>

namespace trill {
namespace {
class ResultSum {
 public:
  explicit ResultSum(const RunResultWish& wish) : wish_(wish) {}

  void look(double t, const double* y) {
    double value = 0;
    for (const auto& [component, weight] : wish_.signal) value += weight * y[component];
    if (has_last_)
      add_line(last_t_, last_, t, value);
    else if (t >= wish_.from && t <= wish_.to)
      take(value);
    has_last_ = true;
    last_t_ = t;
    last_ = value;
  }

  std::optional<double> result() const {
    using What = RunResultWish::What;
    if (!(high_ >= low_)) return std::nullopt;
    switch (wish_.what) {
      case What::max:
        return high_;
      case What::min:
        return low_;
      case What::peak_to_peak:
        return high_ - low_;
      case What::integral:
        return sum_;
      case What::average:
        return span_ > 0 ? sum_ / span_ : last_;
      case What::rms:
        return span_ > 0 ? std::sqrt(squares_ / span_) : std::abs(last_);
    }
    return std::nullopt;
  }

 private:
  void take(double value) {
    low_ = std::min(low_, value);
    high_ = std::max(high_, value);
  }
  // The part of a line that lies between the wished times.
  void add_line(double t0, double a, double t1, double b) {
    const double from = std::max(t0, wish_.from), to = std::min(t1, wish_.to);
    if (from > to || (from == to && t0 != t1)) return;
    const auto at = [&](double t) { return t1 == t0 ? b : a + (b - a) * (t - t0) / (t1 - t0); };
    const double begin = from == t0 ? a : at(from), end = to == t1 ? b : at(to), dt = to - from;
    take(begin);
    take(end);
    span_ += dt;
    sum_ += 0.5 * dt * (begin + end);
    squares_ += dt / 3 * (begin * begin + begin * end + end * end);
  }

  const RunResultWish& wish_;
  bool has_last_ = false;
  double last_t_ = 0, last_ = 0, span_ = 0, sum_ = 0, squares_ = 0;
  double low_ = std::numeric_limits<double>::infinity(), high_ = -std::numeric_limits<double>::infinity();
};
}  // namespace

std::vector<RunResult> find_results(const std::vector<RunResultWish>& wishes, const RowSource& rows) {
  std::vector<ResultSum> sums(wishes.begin(), wishes.end());
  if (!sums.empty())
    rows.visit([&](double t, const double* y, const double*) {
      for (ResultSum& sum : sums) sum.look(t, y);
    });
  std::vector<RunResult> results;
  for (std::size_t k = 0; k < wishes.size(); ++k) results.push_back({wishes[k].name, wishes[k].unit, sums[k].result()});
  return results;
}
}  // namespace trill
