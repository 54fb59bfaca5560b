// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/run_results.hpp"

#include <algorithm>
#include <cmath>

namespace trill {
namespace {
using What = RunResultWish::What;

// What a component does around a row: its value there, or, in the rows of an envelope, its range and its mean in a
// cycle.
struct Stretch {
  double low = 0, high = 0, mean = 0;
};

// Where the rows of an envelope have the cycles of a component, as places among the measured values; -1: they have not.
struct CyclePlaces {
  Index middle = -1, amplitude = -1, mean = -1;
};

CyclePlaces cycle_places(const RunInfo& info, Index component) {
  const std::string& name = info.components[static_cast<std::size_t>(component)].name;
  const auto place = [&](const std::string& wanted) {
    const auto found = std::find_if(info.quantities.begin(), info.quantities.end(),
                                    [&](const Quantity& q) { return q.name == wanted; });
    return found == info.quantities.end() ? Index{-1} : static_cast<Index>(found - info.quantities.begin());
  };
  const Index middle = place("middle_" + name);
  if (middle < 0 || info.quantities[static_cast<std::size_t>(middle)].kind != QuantityKind::middle) return {};
  return {middle, place("amplitude_" + name), place("mean_" + name)};
}

class ResultSum {
 public:
  ResultSum(const RunResultWish& wish, const RunInfo& info) : wish_(wish) {
    for (const auto& [component, weight] : wish.signal) places_.push_back(cycle_places(info, component));
    const bool is_envelope = !places_.empty() && places_.front().middle >= 0;
    // The cycles of two components are not recorded together, and squares are not recorded at all.
    const bool is_linear = wish.what == What::average || wish.what == What::integral;
    is_known_ = !is_envelope || is_linear || (wish.what != What::rms && wish.signal.size() == 1);
  }

  void look(double t, const double* y, const double* measured) {
    const Stretch value = at_row(y, measured);
    if (has_last_)
      add_line(last_t_, last_, t, value);
    else if (t >= wish_.from && t <= wish_.to)
      take(value);
    has_last_ = true;
    last_t_ = t;
    last_ = value;
  }

  std::optional<double> result() const {
    if (!(high_ >= low_) || !is_known_) return std::nullopt;
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
        return span_ > 0 ? sum_ / span_ : last_.mean;
      case What::rms:
        return span_ > 0 ? std::sqrt(squares_ / span_) : std::abs(last_.mean);
    }
    return std::nullopt;
  }

 private:
  Stretch at_row(const double* y, const double* measured) const {
    Stretch all;
    for (std::size_t k = 0; k < places_.size(); ++k) {
      const auto& [component, weight] = wish_.signal[k];
      const CyclePlaces& at = places_[k];
      const double middle = weight * (at.middle < 0 ? y[component] : measured[at.middle]);
      const double swing = at.amplitude < 0 ? 0 : std::abs(weight) * measured[at.amplitude];
      all.low += middle - swing;
      all.high += middle + swing;
      all.mean += at.mean < 0 ? middle : weight * measured[at.mean];
    }
    return all;
  }
  void take(const Stretch& value) {
    low_ = std::min(low_, value.low);
    high_ = std::max(high_, value.high);
  }
  // The part of a line that lies between the wished times.
  void add_line(double t0, const Stretch& a, double t1, const Stretch& b) {
    const double from = std::max(t0, wish_.from), to = std::min(t1, wish_.to);
    if (from > to || (from == to && t0 != t1)) return;
    const auto at = [&](double t) {
      if (t == t0) return a;
      if (t == t1) return b;
      const double share = (t - t0) / (t1 - t0);
      return Stretch{a.low + share * (b.low - a.low), a.high + share * (b.high - a.high),
                     a.mean + share * (b.mean - a.mean)};
    };
    const Stretch begin = at(from), end = at(to);
    const double dt = to - from, x = begin.mean, y = end.mean;
    take(begin);
    take(end);
    span_ += dt;
    sum_ += 0.5 * dt * (x + y);
    squares_ += dt / 3 * (x * x + x * y + y * y);
  }

  const RunResultWish& wish_;
  std::vector<CyclePlaces> places_;  // of every component of the signal
  bool has_last_ = false, is_known_ = true;
  Stretch last_;
  double last_t_ = 0, span_ = 0, sum_ = 0, squares_ = 0;
  double low_ = std::numeric_limits<double>::infinity(), high_ = -std::numeric_limits<double>::infinity();
};
}  // namespace

std::vector<RunResult> find_results(const std::vector<RunResultWish>& wishes, const RunInfo& info,
                                    const RowSource& rows) {
  std::vector<ResultSum> sums;
  for (const RunResultWish& wish : wishes) sums.emplace_back(wish, info);
  if (!sums.empty())
    rows.visit([&](double t, const double* y, const double* measured) {
      for (ResultSum& sum : sums) sum.look(t, y, measured);
    });
  std::vector<RunResult> results;
  for (std::size_t k = 0; k < wishes.size(); ++k) results.push_back({wishes[k].name, wishes[k].unit, sums[k].result()});
  return results;
}
}  // namespace trill
