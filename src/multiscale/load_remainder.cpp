// SPDX-License-Identifier: BSD-3-Clause
#include "multiscale/load_remainder.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace trill {
namespace {
// A combination of derivatives of the factor of a load; entry k belongs to p^(k). What has higher derivatives than are
// known cannot be bounded.
using Signal = std::array<double, most_load_derivative + 1>;
// The number of terms of each q_k.
using Corrections = std::vector<int>;

class Remainder {
 public:
  Remainder(const LoadVariation& variation, Index load, const ProportionalDamping& damping, const ModeSums& sums)
      : variation_(variation),
        load_(load),
        a0_(std::abs(damping.mass)),
        a1_(std::abs(damping.stiffness)),
        sums_(sums) {}

  double after(const Corrections& terms) const {
    Signal p{1};
    Signal q{};
    double left = 0;
    std::size_t power = 2;
    for (const int n : terms) {
      q = Signal{};
      for (int i = 0; i < n; ++i) {
        add(q, p, i % 2 == 0 ? 1 : -1);
        if (!differentiate(p, a1_)) return HUGE_VAL;
      }
      left += forced(p, power);  // p is a1^n p_k^(n) by now
      Signal slope = q;
      if (!differentiate(slope, 1)) return HUGE_VAL;
      left += amount(q, variation_.jumps) * sums_[power] + amount(slope, variation_.jumps) * sums_[power + 1];
      p = slope;
      if (!differentiate(p, 1)) return HUGE_VAL;
      add(p, slope, a0_);
      power += 2;
    }
    Signal slope = q;
    differentiate(slope, 1);
    return left + (amount(slope, variation_.total) + a0_ * amount(q, variation_.total)) * sums_[power - 1];
  }

 private:
  static void add(Signal& to, const Signal& what, double factor) {
    for (std::size_t k = 0; k < to.size(); ++k) to[k] += factor * what[k];
  }
  static bool differentiate(Signal& signal, double factor) {
    if (factor != 0 && signal.back() != 0) return false;
    for (std::size_t k = signal.size(); k-- > 1;) signal[k] = factor * signal[k - 1];
    signal[0] = 0;
    return true;
  }
  double amount(const Signal& signal, const Mat& of_derivatives) const {
    double sum = 0;
    for (std::size_t k = 0; k < signal.size(); ++k)
      if (signal[k] != 0) sum += std::abs(signal[k]) * of_derivatives(static_cast<Index>(k), load_);
    return sum;
  }
  // The response to this force, divided by w^(power - 2).
  double forced(const Signal& force, std::size_t power) const {
    if (a1_ == 0) return 0;
    const double by_size =
        amount(force, variation_.largest) * (sums_[power] + 4 / (std::numbers::pi * a1_) * sums_[power + 1]);
    const double by_variation = 2 * (amount(force, variation_.jumps) + amount(force, variation_.total)) * sums_[power];
    return std::min(by_size, by_variation);
  }

  const LoadVariation& variation_;
  Index load_;
  double a0_, a1_;
  const ModeSums& sums_;
};
}  // namespace

double load_remainder(const LoadVariation& variation, Index load, const ProportionalDamping& damping,
                      const ModeSums& sums) {
  const Remainder remainder(variation, load, damping, sums);
  double least = HUGE_VAL;
  for (const Corrections& terms : {Corrections{1}, {2}, {3}, {1, 1}, {2, 1}, {2, 2}, {3, 1}, {1, 1, 1}, {2, 1, 1}})
    least = std::min(least, remainder.after(terms));
  return least;
}
}  // namespace trill
