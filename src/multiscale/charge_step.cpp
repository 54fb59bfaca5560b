// SPDX-License-Identifier: BSD-3-Clause
#include "multiscale/charge_step.hpp"

#include "linalg/shared_unknowns.hpp"
#include "linalg/stored_entries.hpp"
#include "trill/linalg/kernels.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr int most_stage_iterations = 30;
// Matrices from before a diode turned contract well at first, while a small part of the error hardly shrinks. So the
// last correction has to be small itself, and its rate alone is not enough.
constexpr double nearly_there = 0.02;
// Corrections are relative to the iterate, but not to one that has run away: nothing is small beside it.
constexpr double most_leap = 10;
constexpr double good_rate = 0.1;     // a matrix that contracts less is replaced
constexpr double stalled_rate = 0.5;  // small corrections that no longer shrink with new matrices are rounding
constexpr double rounding = 8 * std::numeric_limits<double>::epsilon();  // no correction is meaningful below this
constexpr double furthest_guess = 1.01;  // stages are not extrapolated further than this many steps before
}  // namespace

std::string rounded_text(long stages) {
  return fmt::format(
      "In {} stages of steps some voltages followed from leakage alone, as where diodes block all around, and are no "
      "more accurate than the rounding of other currents allows.",
      stages);
}

ChargeStep::ChargeStep(const CircuitProblem& problem, ChargeTolerances tolerances, CycleCounts& counts)
    : problem_(problem),
      tolerances_(std::move(tolerances)),
      counts_(counts),
      tableau_(make_sdirk_tableau(stages, most_accurate_gamma(stages))),
      dcharge_(problem.jacobian_pattern()),
      dcurrent_(dcharge_),
      matrix_(dcharge_),
      solver_(make_linear_solver(matrix_)) {
  const Index n = problem.layout().size();
  x_ = k_ = past_ = Mat::Zero(n, stages);
  keeps_charge_.assign(static_cast<std::size_t>(n), false);
  q0_ = base_ = q_ = r_ = dx_ = moved_ = limited_ = largest_ = travel_ = extent_ = Vec::Zero(n);
  // Weights without the slope at the start, which a step after a switch does not know: they vanish for slopes that are
  // linear in time, and agree with the full method up to order 2.
  const Vec& c = tableau_.c;
  const Vec raw = Vec{{c[2] - c[1], c[0] - c[2], c[1] - c[0]}};
  const double of_cubic = raw.dot(c.cwiseAbs2());  // of slopes t^2, whose integral is 1/3
  for (int i = 0; i < stages; ++i) error_weights_[static_cast<std::size_t>(i)] = raw[i] / of_cubic / 6;
}

void ChargeStep::begin_cycle(In charges, In x, double period) {
  factored_ = has_past_ = false;
  largest_ = charges.cwiseAbs();
  extent_ = x.cwiseAbs();
  travel_.setZero();
  period_ = period;
  if (matrix_.is_sparse()) solver_->analyse(matrix_);
}

void ChargeStep::tighten(double times) {
  tolerances_.rtol /= times;
  tolerances_.charge /= times;
}

bool ChargeStep::refactor(double t, In x) {
  ++counts_.factorisations;
  problem_.jacobians(t, x, dcharge_, dcurrent_);
  const double *c = dcharge_.values(), *g = dcurrent_.values();
  double* m = matrix_.values();
  for (Index k = 0; k < matrix_.stored(); ++k) m[k] = sigma_ * c[k] + g[k];
  factored_ = solver_->factorise(matrix_);
  factored_sigma_ = sigma_;
  return factored_;
}

double ChargeStep::size_of(In dx, In x) const {
  double largest = 0;
  for (Index i = 0; i < dx.size(); ++i) {
    const double size = std::min(std::abs(x[i]), most_leap * extent_[i]);
    largest = std::max(largest, std::abs(dx[i]) / (tolerances_.unknown[i] + tolerances_.rtol * size));
  }
  return largest;
}

// The residual is what the terms of the equations leave over in floating-point arithmetic. In short steps that of the
// charges of capacitors is large beside the currents that flow. Where diodes block all around, voltages follow from
// leakage alone, and what is left over of a large conductance spreads to the equations beside it. What is left over of
// a charge does not.
bool ChargeStep::is_rounding(In x) {
  moved_ = (sigma_ * base_).cwiseAbs();
  each_stored(matrix_, [&](Index i, Index j, Index place) {
    moved_[i] += std::abs(matrix_.values()[place]) * std::max(std::abs(x[j]), extent_[j]);
  });
  keeps_charge_.assign(keeps_charge_.size(), false);
  each_stored(dcharge_, [&](Index i, Index, Index place) {
    if (dcharge_.values()[place] != 0) keeps_charge_[static_cast<std::size_t>(i)] = true;
  });
  spread_over_shared_unknowns(matrix_, moved_, q_, limited_,
                              [&](Index row) { return !keeps_charge_[static_cast<std::size_t>(row)]; });
  return (r_.cwiseAbs().array() <= rounded_terms * limited_.array()).all();
}

// From the stages of the step before, if nothing jumped since; otherwise from those before in this step.
void ChargeStep::guess(int i, In start) {
  auto x = x_.col(i);
  const Vec& c = tableau_.c;
  const double ratio = has_past_ ? h_ / past_h_ : HUGE_VAL;
  if (ratio <= furthest_guess) {
    const double at = 1 + ratio * c[i];
    const double w0 = (at - c[1]) * (at - c[2]) / ((c[0] - c[1]) * (c[0] - c[2])),
                 w1 = (at - c[0]) * (at - c[2]) / ((c[1] - c[0]) * (c[1] - c[2]));
    x = w0 * past_.col(0) + w1 * past_.col(1) + (1 - w0 - w1) * past_.col(2);
  } else if (i == 0) {
    x = start;
  } else if (i == 1) {
    x = x_.col(0);
  } else {
    x = x_.col(1) + (c[2] - c[1]) / (c[1] - c[0]) * (x_.col(1) - x_.col(0));
  }
}

bool ChargeStep::solve_stage(int i) {
  const double t = stage_time(i);
  auto x = x_.col(i);
  double last = 0;
  int stalls = 0;
  for (int iteration = 0; iteration < most_stage_iterations; ++iteration) {
    ++counts_.iterations;
    problem_.charge(x, q_);
    problem_.current(t, x, r_);
    r_ += sigma_ * (q_ - base_);
    if (!all_finite(r_)) return false;
    const bool fresh = !factored_ || factored_sigma_ != sigma_;
    if (fresh && !refactor(t, x)) return false;
    solver_->solve(r_, dx_);
    moved_ = x - dx_;
    if (!all_finite(moved_)) return false;
    limited_ = moved_;
    problem_.limit(x, limited_);
    const bool is_limited = limited_ != moved_;
    const double size = size_of(dx_, x), rate = last > 0 ? size / last : 1;
    x = limited_;
    if (is_limited) {
      factored_ = false;
      last = 0;
      continue;
    }
    const bool converges = size <= std::max(tolerances_.newton, rounding / tolerances_.rtol) ||
                           (size <= nearly_there && rate < 1 && rate / (1 - rate) * size <= tolerances_.newton);
    const bool has_stalled = fresh && last > 0 && rate > stalled_rate;
    stalls = has_stalled && (size <= nearly_there || is_rounding(x)) ? stalls + 1 : 0;
    if (converges || stalls == 2) {
      if (!converges && size > nearly_there) ++counts_.rounded;
      problem_.charge(x, q_);
      k_.col(i) = sigma_ * (q_ - base_);
      return true;
    }
    if (last > 0 && rate > good_rate) factored_ = false;
    last = size;
  }
  return false;
}

bool ChargeStep::attempt(double t, double h, In charges, In x) {
  t_ = t;
  h_ = h;
  sigma_ = 1 / (h * tableau_.gamma);
  q0_ = charges;
  for (int i = 0; i < stages; ++i) {
    base_ = q0_;
    for (int j = 0; j < i; ++j) base_ += h * tableau_.a(i, j) * k_.col(j);
    guess(i, x);
    if (!solve_stage(i)) {
      factored_ = false;
      return false;
    }
  }
  return true;
}

// (sigma C + G) e_x = sigma e: in stiff components only the error that the step really made is left. Errors are
// relative to the charge or, if that is less, to the part of it that flows in and out in a cycle: the charge of a large
// capacitor hardly changes in a cycle, but its errors add up.
double ChargeStep::error() {
  r_.setZero();
  for (int i = 0; i < stages; ++i) r_ += error_weights_[static_cast<std::size_t>(i)] * h_ * sigma_ * k_.col(i);
  if (!factored_ && !refactor(stage_time(stages - 1), end())) return HUGE_VAL;
  solver_->solve(r_, dx_);
  dcharge_.multiply(dx_, r_);
  double largest = 0;
  for (Index i = 0; i < r_.size(); ++i) {
    const double travel = std::max(travel_[i], period_ * k_.row(i).cwiseAbs().maxCoeff());
    const double size = std::min(std::max(largest_[i], std::abs(q_[i])), travel);
    const double scale = tolerances_.charge[i] + tolerances_.rtol * size;
    if (!(scale > 0)) continue;
    double error = std::abs(r_[i]) / scale;
    if (tolerances_.junctions_by_voltage && error > largest) {
      const double moved = std::abs(dx_[i]) / (tolerances_.unknown[i] + tolerances_.rtol * std::abs(x_(i, stages - 1)));
      const double passed = std::abs(r_[i]) / (tolerances_.charge[i] + tolerances_.rtol * travel);
      error = std::min(error, std::max(moved, passed));
    }
    largest = std::max(largest, error);
  }
  return std::isfinite(largest) ? largest : HUGE_VAL;
}

void ChargeStep::accept() {
  ++counts_.steps;
  past_ = x_;
  past_h_ = h_;
  has_past_ = true;
  largest_ = largest_.cwiseMax(q_.cwiseAbs());
  extent_ = extent_.cwiseMax(end().cwiseAbs());
  travel_ = travel_.cwiseMax(period_ * k_.cwiseAbs().rowwise().maxCoeff());
}
}  // namespace trill
