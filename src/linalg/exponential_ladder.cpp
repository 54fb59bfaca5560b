// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/exponential_ladder.hpp"

#include "linalg/oscillator_response.hpp"

#include <cmath>
#include <limits>

namespace trill {
namespace {
constexpr double length_of_unit = 0.5;    // times the norm of A
constexpr double shortest_in_two = 1e-8;  // times the norm of A: the square is below rounding
constexpr int most_terms = 30, most_rungs = 52;
}  // namespace

ExponentialLadder::ExponentialLadder(Mat a)
    : a_(std::move(a)), norm_(a_.size() == 0 ? 0 : a_.cwiseAbs().colwise().sum().maxCoeff()) {
  unit_ = length_of_unit / std::max(norm_, std::numeric_limits<double>::min());
  term_.resize(a_.rows());
  moved_.resize(a_.rows());
}

// Hands over the exponentials whose product is that of the largest multiple of the unit in h, and gives the rest of h.
template <class Apply>
double ExponentialLadder::climb(double h, const Apply& apply) {
  if (h < unit_) return h;
  if (!(h / unit_ < std::ldexp(1.0, most_rungs))) {  // no digit of the motion is left
    apply(matrix_exponential(h * a_));
    return 0;
  }
  const double units = std::floor(h / unit_);
  auto digits = static_cast<std::uint64_t>(units);
  for (std::size_t k = 0; digits > 0; ++k, digits >>= 1) {
    if (rungs_.size() == k)
      rungs_.push_back(k == 0 ? matrix_exponential(unit_ * a_) : Mat(rungs_[k - 1] * rungs_[k - 1]));
    if (digits & 1) apply(rungs_[k]);
  }
  return h - units * unit_;
}

void ExponentialLadder::move(double h, Vec& x) {
  const double rest = climb(h, [&](const Mat& rung) {
    moved_.noalias() = rung * x;
    x.swap(moved_);
  });
  term_ = x;
  for (int k = 1; k <= most_terms; ++k) {
    moved_.noalias() = a_ * term_;
    term_ = (rest / k) * moved_;
    x += term_;
    if (!(term_.lpNorm<Eigen::Infinity>() > 0.1 * std::numeric_limits<double>::epsilon() * x.lpNorm<Eigen::Infinity>()))
      return;
  }
}

Mat ExponentialLadder::matrix(double h) {
  Mat product = Mat::Identity(a_.rows(), a_.cols());
  const double rest = climb(h, [&](const Mat& rung) { product = rung * product; });
  return rest == 0 ? product : Mat(matrix_exponential(rest * a_) * product);
}

bool ExponentialLadder::nudge(double h, Vec& x) const {
  if (!(std::abs(h) * norm_ <= shortest_in_two)) return false;
  if (h != 0) x += h * (a_ * x);
  return true;
}
}  // namespace trill
