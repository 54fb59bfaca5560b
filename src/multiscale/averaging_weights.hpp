// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/base/types.hpp"

namespace trill {
// Even weights w_{-M} ... w_M with the sum 1, for means over samples of a motion at times t + k h. What an oscillation
// of phase theta from sample to sample leaves in the mean is response(theta); the slow part is wrong by its second
// derivative times second_moment() h^2/2.
class AveragingWeights {
 public:
  explicit AveragingWeights(Vec half) : half_(std::move(half)) {}  // w_0 ... w_M
  Index reach() const { return half_.size() - 1; }
  double operator[](Index k) const { return half_[k]; }
  double response(double theta) const;
  double second_moment() const;
  double largest_response(double theta_from, double theta_to) const;  // of its absolute value

 private:
  Vec half_;
};

// exp(5/(x^2 - 1)) at x = k/steps, without the two ends, where it is 0: the kernel of SAT09 sec. 4, whose constant is
// not printed there but follows from the numbers of its table 1.
AveragingWeights bump_weights(Index steps);

// The least ripple on [theta_stop, pi] that this many weights can have.
AveragingWeights dolph_chebyshev_weights(Index reach, double theta_stop);

// The same with second moment 0, one weight longer on each side.
AveragingWeights flattened(const AveragingWeights& weights);

// What a mean must stop, and how much of it may pass.
struct StopBand {
  double from = 0, to = 0;  // theta
  double leak = 0;
};
// The shortest flattened Dolph-Chebyshev weights that do, as far as rounding allows; std::invalid_argument when they
// would have to be much longer than longest_reach.
AveragingWeights stopping_weights(const StopBand& band);
inline constexpr Index longest_reach = 2000;
Index least_reach(const StopBand& band);  // they are at least as long
}  // namespace trill
