// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/slow_point.hpp"

#include "formulation/schur_system.hpp"
#include "trill/linalg/kernels.hpp"

#include <cmath>
#include <limits>

namespace trill {
namespace {
constexpr int most_iterations = 12;
constexpr double closing_rounding = 4 * std::numeric_limits<double>::epsilon();
}  // namespace

SlowPoint::SlowPoint(const LiftedForm& form)
    : form_(form),
      map_(*form.map()),
      schur_(std::make_unique<SchurSystem>(form.problem(), map_)),
      n_(form.unknowns()),
      m_(form.rows()),
      moving_(map_.moving()),
      turned_(map_.pattern()),
      turned_mass_(form.problem().mass_pattern()) {
  for (Vec* x : {&q, &v, &a, &open, &x_, &f_, &zero_, &lifted_}) *x = Vec::Zero(n_);
  for (Vec* x : {&mu, &nu, &lambda, &g_, &c_}) *x = Vec::Zero(m_);
}

SlowPoint::~SlowPoint() = default;

SlowPoint::Status SlowPoint::find(double t, In q0, In v0) {
  t_ = t;
  const Status closed = close(t, q0);
  if (closed != Status::ok) return closed;
  // Velocities: M x + G^T nu = 0, G (v0 + x) + g_t = 0.
  schur_->slope(v0, c_);
  if (moving_) {
    map_.time_derivative(t, q, g_);
    add_scaled(c_.data(), 1, g_.data(), m_);
  }
  schur_->solve(zero_, c_, x_, nu);
  v = v0 + x_;
  if (!find_derivatives(t)) return Status::non_finite;
  measure(t, q0);
  return Status::ok;
}

// Newton's method with G at the last iterate: G (x - x_k) + g(q0 + x_k) = 0 with M x + G^T mu = 0.
SlowPoint::Status SlowPoint::close(double t, In q0) {
  q = q0;
  x_.setZero();
  double last = HUGE_VAL;
  for (int k = 0; k < most_iterations; ++k) {
    if (!schur_->factorise(t, q)) return all_finite(q) ? Status::singular : Status::non_finite;
    map_.value(t, q, g_);
    if (!all_finite(g_)) return Status::non_finite;
    schur_->slope(x_, c_);
    for (Index i = 0; i < m_; ++i) c_[i] = g_[i] - c_[i];
    schur_->solve(zero_, c_, x_, mu);
    double moved = 0, size = 0;
    for (Index i = 0; i < n_; ++i) {
      const double next = q0[i] + x_[i];
      moved = std::max(moved, std::abs(next - q[i]));
      size = std::max(size, std::abs(next));
      q[i] = next;
    }
    if (moved <= closing_rounding * size) return Status::ok;
    // Quadratic: the square of this correction is below rounding, G is that of the new point to the same accuracy.
    if (moved <= 1e-9 * size) return schur_->factorise(t, q) ? Status::ok : Status::singular;
    if (k > 3 && moved > 0.5 * last) return Status::not_reached;
    last = moved;
  }
  return Status::not_reached;
}

void SlowPoint::measure(double t, In q0) {
  fast_energy_ = 0;
  slowest_ = HUGE_VAL;
  fastest_ = 0;
  find_open(t, q0);
  if (form_.gaps() == 0) return;
  for (Index i = 0; i < form_.gaps(); ++i) {
    const double compliance = form_.compliance()[i], open = g_[i] - compliance * lambda[i];
    fast_energy_ += 0.5 * open * open / compliance;
    const double frequency = std::sqrt(schur_->schur(i, i) / compliance);
    slowest_ = std::min(slowest_, frequency);
    fastest_ = std::max(fastest_, frequency);
  }
  // nu of hard rows is nothing in the limit, and the rows of S that join them do not matter then.
  schur_->lift(nu, lifted_);
  schur_->slope(lifted_, c_);
  fast_energy_ += 0.5 * nu.dot(c_);
}

double SlowPoint::frequencies_differ(const SlowPoint& other) const {
  double difference = 0, size = 0;
  schur_->each_entry([&](Index i, Index j) {
    if (i >= form_.gaps() || j >= form_.gaps()) return;
    const double weight = 1 / (form_.compliance()[i] * form_.compliance()[j]);
    const double here = schur_->schur(i, j), there = other.schur_->schur(i, j);
    difference += weight * (here - there) * (here - there);
    size += weight * here * here;
  });
  return size > 0 ? std::sqrt(difference / size) : 0;
}

void SlowPoint::make_tangential(Out x) {
  schur_->slope(x, c_);
  schur_->divide_by_schur(c_);
  schur_->lift(c_, lifted_);
  add_scaled(x.data(), -1, lifted_.data(), n_);
}

void SlowPoint::smooth_rate(In lambda_rate, Out x) {
  for (Index i = 0; i < m_; ++i) c_[i] = form_.compliance()[i] * lambda_rate[i];
  schur_->divide_by_schur(c_);
  schur_->lift(c_, x);
}

void SlowPoint::settle(In lambda_rate, Out q_smooth, Out v_smooth) {
  for (Index i = 0; i < m_; ++i) c_[i] = form_.compliance()[i] * lambda[i];
  schur_->divide_by_schur(c_);
  schur_->lift(c_, lifted_);
  q_smooth = q + lifted_;
  smooth_rate(lambda_rate, lifted_);
  v_smooth = v + lifted_;
}

bool SlowPoint::move_to(double t, In q_smooth, In v_smooth) {
  q = q_smooth;
  v = v_smooth;
  mu.setZero();
  nu.setZero();
  fast_energy_ = 0;
  if (!schur_->factorise(t, q) || !find_derivatives(t)) return false;
  find_open(t, q);
  return true;
}

void SlowPoint::find_open(double t, In q0) {
  map_.value(t, q0, g_);
  for (Index i = 0; i < m_; ++i) c_[i] = g_[i] - form_.compliance()[i] * lambda[i];
  schur_->divide_by_schur(c_);
  schur_->lift(c_, open);
}

bool SlowPoint::find_derivatives(double t) {
  turning_rate_ = -1;
  map_.curvature(t, q, v, c_);
  form_.problem().force(form_.soft_groups(), t, q, v, f_);
  schur_->solve(f_, c_, a, lambda);
  return all_finite(a) && all_finite(v) && all_finite(lambda);
}

double SlowPoint::turning_rate() {
  if (turning_rate_ < 0) {
    const double by_motion = turning(v);
    turning_rate_ = std::sqrt(by_motion * by_motion + turning(a));
  }
  return turning_rate_;
}

// |dG along a direction| / |G|, the largest over the gaps.
double SlowPoint::turning(In along) {
  const MatrixSlot& G = schur_->jacobian();
  if (!map_.jacobian_along(t_, q, along, turned_)) {
    const double size = max_abs(along);
    if (size == 0) return 0;
    const double step = 1e-6 / size;
    x_ = q + step * along;
    map_.jacobian(t_, x_, turned_);
    turned_.scale_add(-1, G);
    turned_.scale(1 / step);
  }
  const auto row_squares = [&](const MatrixSlot& slot, Vec& sums) {
    sums.setZero();
    if (slot.is_sparse()) {
      for (Index j = 0; j < n_; ++j)
        for (SpMat::InnerIterator it(slot.as_sparse(), j); it; ++it) sums[it.row()] += it.value() * it.value();
    } else {
      for (Index j = 0; j < n_; ++j)
        for (Index i = 0; i < m_; ++i) sums[i] += slot.as_dense()(i, j) * slot.as_dense()(i, j);
    }
  };
  row_squares(turned_, c_);
  row_squares(G, g_);
  double largest = 0;
  for (Index i = 0; i < form_.gaps(); ++i) largest = std::max(largest, std::sqrt(c_[i] / g_[i]));
  return std::max(largest, mass_turning(along));
}

// The direction in which a gap opens is M^-1 G^T: a mass that depends on q turns it too.
double SlowPoint::mass_turning(In along) {
  const double size = max_abs(along);
  if (form_.problem().mass_kind() != MassKind::of_q || size == 0) return 0;
  const double step = 1e-6 / size;
  x_ = q + step * along;
  form_.problem().mass(x_, turned_mass_);
  const double* here = schur_->mass().values();
  const double* there = turned_mass_.values();
  double difference = 0, whole = 0;
  for (Index k = 0; k < turned_mass_.stored(); ++k) {
    difference += (there[k] - here[k]) * (there[k] - here[k]);
    whole += here[k] * here[k];
  }
  return std::sqrt(difference / whole) / step;
}
}  // namespace trill
