// SPDX-License-Identifier: BSD-3-Clause
#include "multiscale/projected_flow.hpp"

#include <limits>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr double settled = 4 * std::numeric_limits<double>::epsilon();  // relative change of w
constexpr int most_rounds = 60;  // they shrink the change by (opening of the gaps)/(their radius of curvature)
}  // namespace

ProjectedFlow::ProjectedFlow(const MechanicalProblem& problem, Groups closed, std::shared_ptr<FastFlow> motion)
    : rigid_(problem, {.groups = closed, .asked_by = "mollified_impulse"}),
      gaps_(*rigid_.constraints()),
      manifold_(problem, gaps_),
      motion_(std::move(motion)),
      bend_(gaps_.transpose_pattern()) {}

void ProjectedFlow::start(const State& s) {
  const Index n = s.layout.nq;
  near_ = force_ = w_ = bent_ = Vec::Zero(n);
  mu_ = nu_ = no_slope_ = Vec::Zero(gaps_.count());
  if (manifold_.nearest(s.t, s.q(), near_, mu_, ConstraintManifold::Effort::start) != Closing::ok)
    throw UsageError(
        "mollified_impulse: no position with closed gaps was found near the start, onto which slow forces could be "
        "projected");
}

void ProjectedFlow::forget() {
  motion_->forget();
  if (manifold_.has_sparse_factors()) manifold_.forget();
}

bool ProjectedFlow::average(double t, double, In q, Eigen::Ref<Mat> a, Counters&) {
  if (manifold_.nearest(t, q, near_, mu_, ConstraintManifold::Effort::start) != Closing::ok) return false;
  gaps_.transpose_derivative(t, near_, mu_, bend_);
  a.colwise() = near_;
  return true;
}

bool ProjectedFlow::mollify(const Eigen::Ref<const Mat>& g, Out sum, Counters&) {
  force_ = g.rowwise().sum();
  w_.setZero();
  double last = std::numeric_limits<double>::infinity();
  for (int round = 0; round < most_rounds; ++round) {
    bend_.multiply(w_, bent_);
    bent_ = force_ - bent_;
    near_ = w_;
    manifold_.solve(bent_, no_slope_, w_, nu_);
    const double change = (w_ - near_).cwiseAbs().maxCoeff(), size = w_.cwiseAbs().maxCoeff();
    if (!(size < std::numeric_limits<double>::max())) return false;
    if (change <= settled * size || (change >= last && change <= 1e3 * settled * size)) {
      manifold_.mass().multiply(w_, sum);
      return true;
    }
    last = change;
  }
  return false;
}
}  // namespace trill
