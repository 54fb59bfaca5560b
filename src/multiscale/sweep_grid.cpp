// SPDX-License-Identifier: BSD-3-Clause
#include "multiscale/sweep_grid.hpp"

#include <algorithm>
#include <cmath>

namespace trill {
namespace {
std::vector<double> breakpoints(const std::vector<WeightPair>& pairs) {
  std::vector<double> ends{0};
  for (const WeightPair& pair : pairs)
    for (const Weight* weight : {&pair.phi, &pair.psi})
      for (const Weight::Piece& piece : weight->pieces()) ends.push_back(piece.to);
  std::sort(ends.begin(), ends.end());
  const auto same = [](double a, double b) { return std::abs(a - b) < 1e-12; };
  ends.erase(std::unique(ends.begin(), ends.end(), same), ends.end());
  return ends;
}

// The factor 2 for the other half of an even weight cancels the 1/2 for the two ends of a sub-step.
void add_sub_step(const Weight& weight, double from, double step, double middle, double* at) {
  if (weight.is_delta()) return;
  at[0] += step * weight.value(from, middle);
  at[1] += step * weight.value(from + step, middle);
}

Index points_used(const Mat& weights) {
  Index used = weights.rows();
  while (used > 1 && weights.row(used - 1).cwiseAbs().maxCoeff() == 0) --used;
  return used;
}
}  // namespace

void SweepGrid::fill(const std::vector<WeightPair>& pairs, std::span<const double> gamma, int inner_steps) {
  const std::vector<double> ends = breakpoints(pairs);
  struct Stretch {
    double from, to;
    int count;  // number of inner steps
  };
  std::vector<Stretch> stretches;
  Index points = 1;
  for (std::size_t i = 0; i + 1 < ends.size(); ++i) {
    const double wanted = std::ceil(2 * inner_steps * (ends[i + 1] - ends[i]) - 1e-9);
    stretches.push_back({ends[i], ends[i + 1], std::max(1, static_cast<int>(wanted))});
    points += stretches.back().count * static_cast<Index>(gamma.size());
  }
  steps.clear();
  phi = psi = Mat::Zero(points, static_cast<Index>(pairs.size()));
  for (const Stretch& stretch : stretches)
    for (int m = 0; m < stretch.count; ++m) {
      const double tau = (stretch.to - stretch.from) / stretch.count, middle = 0.5 * (stretch.from + stretch.to);
      double t = stretch.from + m * tau;
      for (const double share : gamma) {
        const double step = share * tau;
        for (std::size_t j = 0; j < pairs.size(); ++j) {
          const auto k = static_cast<Index>(steps.size()), column = static_cast<Index>(j);
          add_sub_step(pairs[j].phi, t, step, middle, &phi(k, column));
          add_sub_step(pairs[j].psi, t, step, middle, &psi(k, column));
        }
        steps.push_back(step);
        t += step;
      }
    }
  for (std::size_t j = 0; j < pairs.size(); ++j) {
    if (pairs[j].phi.is_delta()) phi(0, static_cast<Index>(j)) = 1;
    if (pairs[j].psi.is_delta()) psi(0, static_cast<Index>(j)) = 1;
  }
  // The sums are 1 up to rounding on a uniform grid with an integer width. Otherwise they have the error of the
  // quadrature, which does not decrease with h; they are normalised because a constant force must remain unchanged.
  for (Index j = 0; j < phi.cols(); ++j) {
    phi.col(j) /= phi.col(j).sum();
    psi.col(j) /= psi.col(j).sum();
  }
  phi_points = points_used(phi);
  psi_points = points_used(psi);
}
}  // namespace trill
