// SPDX-License-Identifier: BSD-3-Clause
#include "driver/run_results.hpp"

#include "base/curve_piece.hpp"

#include <algorithm>
#include <array>
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
    is_envelope_ = !places_.empty() && places_.front().middle >= 0;
    // The cycles of two components are not recorded together, and squares are not recorded at all.
    const bool is_linear = wish.what == What::average || wish.what == What::integral;
    is_known_ = !is_envelope_ || is_linear || (wish.what != What::rms && wish.signal.size() == 1);
  }

  void look(double t, const double* y, const double* measured) {
    const Point next{t, at_row(y, measured)};
    if (met_ == 0 && t >= wish_.from && t <= wish_.to) take(next.value);
    if (met_ > 0 && t < last_.t) is_known_ = false;  // backwards
    if (met_ > 0) add_piece(next);
    last_ = next;
    ++met_;
  }
  // The last piece has no neighbour behind it.
  void finish() {
    constexpr double rounding = 1e-9;
    add_held({});
    if (std::isfinite(wish_.to) && last_.t < wish_.to - rounding * std::abs(wish_.to))
      is_known_ = false;  // ended before
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
        return span_ > 0 ? sum_ / span_ : taken_.mean;
      case What::rms:
        return span_ > 0 ? std::sqrt(squares_ / span_) : std::abs(taken_.mean);
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
    taken_ = value;
    low_ = std::min(low_, value.low);
    high_ = std::max(high_, value.high);
  }

  struct Point {
    double t = 0;
    Stretch value;
  };
  struct Piece {
    Point begin, end;
    CurvePiece curve() const { return {end.t - begin.t, end.value.mean - begin.value.mean}; }
  };

  // A piece is added when the next one is known.
  void add_piece(const Point& next) {
    const Piece piece{last_, next};
    add_held(piece.curve());
    before_ = held_ ? held_->curve() : CurvePiece();
    held_ = piece;
  }
  void add_held(const CurvePiece& after) {
    if (held_) add_curve(held_->begin, held_->end, is_envelope_ ? 0 : bend_between(before_, held_->curve(), after));
  }

  // The part of a parabola that lies between the wished times, by Gauss's rule, which is exact for its square too. In
  // an envelope low, high and mean are straight lines.
  void add_curve(const Point& a, const Point& b, double bend) {
    const double from = std::max(a.t, wish_.from), to = std::min(b.t, wish_.to), length = b.t - a.t;
    if (from > to || (from == to && length != 0)) return;
    if (length == 0) return take(a.value), take(b.value);
    const double first = (from - a.t) / length, last = (to - a.t) / length;
    const auto at = [&](double s) {
      const double bump = bend * s * (1 - s);
      const auto mixed = [&](double x, double y) { return (1 - s) * x + s * y + bump; };
      return Stretch{mixed(a.value.low, b.value.low), mixed(a.value.high, b.value.high),
                     mixed(a.value.mean, b.value.mean)};
    };
    take(at(first));
    take(at(last));
    if (bend != 0) {
      const double top = 0.5 + (b.value.mean - a.value.mean) / (2 * bend);
      if (top > first && top < last) take(at(top));
    }
    span_ += to - from;
    constexpr std::array nodes{-0.7745966692414834, 0.0, 0.7745966692414834};  // sqrt(3/5)
    constexpr std::array weights{5.0 / 18, 8.0 / 18, 5.0 / 18};
    for (std::size_t k = 0; k < nodes.size(); ++k) {
      const double x = at((first + last + nodes[k] * (last - first)) / 2).mean;
      sum_ += (to - from) * weights[k] * x;
      squares_ += (to - from) * weights[k] * x * x;
    }
  }

  const RunResultWish& wish_;
  std::vector<CyclePlaces> places_;  // of every component of the signal
  bool is_envelope_ = false, is_known_ = true;
  std::size_t met_ = 0;
  Point last_;
  std::optional<Piece> held_;  // the one that is added next
  CurvePiece before_;          // the one before it
  Stretch taken_;              // the last one
  double span_ = 0, sum_ = 0, squares_ = 0;
  double low_ = std::numeric_limits<double>::infinity(), high_ = -std::numeric_limits<double>::infinity();
};
}  // namespace

std::vector<RunResultWish> wishes_of(const PreparedRun& run, const RunOutcome& outcome) {
  if (run.steady && !outcome.ok()) return {};
  std::vector<RunResultWish> wishes = wished_results_of(*run.problem);
  if (run.steady)
    for (RunResultWish& wish : wishes) wish.from = -HUGE_VAL, wish.to = HUGE_VAL;
  return wishes;
}

std::vector<RunResult> find_results(const std::vector<RunResultWish>& wishes, const RunInfo& info,
                                    const RowSource& rows) {
  std::vector<ResultSum> sums;
  for (const RunResultWish& wish : wishes) sums.emplace_back(wish, info);
  if (!sums.empty())
    rows.visit([&](double t, const double* y, const double* measured) {
      for (ResultSum& sum : sums) sum.look(t, y, measured);
    });
  for (ResultSum& sum : sums) sum.finish();
  std::vector<RunResult> results;
  for (std::size_t k = 0; k < wishes.size(); ++k) results.push_back({wishes[k].name, wishes[k].unit, sums[k].result()});
  return results;
}
}  // namespace trill
