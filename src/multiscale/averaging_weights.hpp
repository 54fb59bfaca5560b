// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/base/types.hpp"

namespace trill {
// Even weights w_{-M} ... w_M with the sum 1, for means over samples of a motion at times t + k h. response(theta) is
// the factor by which an oscillation with phase theta from sample to sample remains in the mean; the error of the slow
// part is its second derivative times second_moment() h^2/2.
class AveragingWeights {
 public:
  explicit AveragingWeights(Vec half) : half_(std::move(half)) {}  // w_0 ... w_M
  Index reach() const { return half_.size() - 1; }
  double operator[](Index k) const { return half_[k]; }
  double response(double theta) const;
  double second_moment() const;
  double largest_response(double theta_from, double theta_to) const;  // max of its absolute value

 private:
  Vec half_;
};

// exp(5/(x^2 - 1)) at x = k/steps, without the two ends, where it is 0: the kernel of SAT09 sec. 4. Its constant is not
// printed there but follows from the numbers in table 1.
AveragingWeights bump_weights(Index steps);

// The weights with the smallest possible ripple on [theta_stop, pi] for this reach.
AveragingWeights dolph_chebyshev_weights(Index reach, double theta_stop);

// The same with second moment 0, one weight longer on each side.
AveragingWeights flattened(const AveragingWeights& weights);

// The phases theta that a mean must suppress, and the part of them that may pass.
struct StopBand {
  double from = 0, to = 0;  // theta
  double leak = 0;
};
// The shortest flattened Dolph-Chebyshev weights that do so, as far as rounding allows; std::invalid_argument if they
// would have to be much longer than longest_reach.
AveragingWeights stopping_weights(const StopBand& band);
inline constexpr Index longest_reach = 2000;
Index least_reach(const StopBand& band);  // a lower bound for their reach
}  // namespace trill
