// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/slow_point.hpp"

#include "linalg/row_squares.hpp"
#include "trill/linalg/kernels.hpp"

#include <cmath>

namespace trill {
namespace {
constexpr double rate_difference = 1e-4;  // relative to the time in which the slow motion moves by its own size
constexpr double slowest_rate_of_moving_gaps = 1e-3;  // relative to the frequency of the slowest gap
}  // namespace

SlowPoint::SlowPoint(const LiftedForm& form)
    : form_(form),
      map_(*form.map()),
      manifold_(form.problem(), map_, SaddleSolver::Way::schur_only),
      n_(form.unknowns()),
      m_(form.rows()),
      turned_(map_.pattern()),
      turned_mass_(form.problem().mass_pattern()) {
  for (Vec* x : {&q, &v, &a, &open, &x_, &f_, &lifted_}) *x = Vec::Zero(n_);
  for (Vec* x : {&mu, &nu, &lambda, &g_, &c_, &probe_, &response_, &other_response_}) *x = Vec::Zero(m_);
  if (form.reactions()) reactive_.emplace(*form.reactions(), n_, m_, m_ - form.gaps());
}

SlowPoint::Status SlowPoint::find(double t, In q0, In v0) {
  t_ = t;
  const Status closed = manifold_.nearest(t, q0, q, mu);
  if (closed != Status::ok) return closed;
  v = v0;
  manifold_.project_velocity(v, nu);
  if (!find_derivatives(t)) return Status::non_finite;
  measure(t, q0);
  return Status::ok;
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
    const double frequency = std::sqrt(manifold_.schur().entry(i, i) / compliance);
    slowest_ = std::min(slowest_, frequency);
    fastest_ = std::max(fastest_, frequency);
  }
  // nu of hard rows vanishes in the limit, so the rows of S that couple to them do not matter.
  manifold_.schur().lift(nu, lifted_);
  manifold_.slope(lifted_, c_);
  fast_energy_ += 0.5 * nu.dot(c_);
}

double SlowPoint::frequencies_differ(const SlowPoint& other) const {
  const Index gaps = form_.gaps();
  if (gaps == m_) return entries_differ(other);
  // The gaps' block of S^-1 is the inverse of S_gg - S_gh S_hh^-1 S_hg, h being the hard rows. It is compared by what
  // it makes of two vectors, scaled so that gaps of all units count alike.
  double difference = 0, size = 0;
  for (const double seed : {1.0, 2.0}) {
    for (Index i = 0; i < gaps; ++i)
      probe_[i] = std::sin(seed + 2.4 * static_cast<double>(i)) * std::sqrt(manifold_.schur().entry(i, i));
    respond(probe_, response_);
    other.respond(probe_, other_response_);
    for (Index i = 0; i < gaps; ++i) {
      const double weight = manifold_.schur().entry(i, i), change = response_[i] - other_response_[i];
      difference += weight * change * change;
      size += weight * response_[i] * response_[i];
    }
  }
  return size > 0 ? std::sqrt(difference / size) : 0;
}

// S^-1 (probe, 0), where hard rows have the 0.
void SlowPoint::respond(In probe, Out response) const {
  response.head(form_.gaps()) = probe.head(form_.gaps());
  response.tail(m_ - form_.gaps()).setZero();
  manifold_.schur().divide_by_schur(response);
}

double SlowPoint::entries_differ(const SlowPoint& other) const {
  double difference = 0, size = 0;
  const SchurComplement &schur = manifold_.schur(), &others = other.manifold_.schur();
  schur.each_entry([&](Index i, Index j) {
    const double weight = 1 / (form_.compliance()[i] * form_.compliance()[j]);
    const double here = schur.entry(i, j), there = others.entry(i, j);
    difference += weight * (here - there) * (here - there);
    size += weight * here * here;
  });
  return size > 0 ? std::sqrt(difference / size) : 0;
}

void SlowPoint::make_tangential(Out x) {
  c_.setZero();
  manifold_.meet(c_, x, g_);
}

void SlowPoint::closed_rate(In lambda_rate, Out x) {
  for (Index i = 0; i < m_; ++i) c_[i] = form_.compliance()[i] * lambda_rate[i];
  manifold_.smallest(c_, x);
}

void SlowPoint::settle(In lambda_rate, Out q_smooth, Out v_smooth) {
  for (Index i = 0; i < m_; ++i) c_[i] = form_.compliance()[i] * lambda[i];
  manifold_.smallest(c_, lifted_);
  q_smooth = q + lifted_;
  map_.jacobian(t_, q_smooth, turned_);
  turned_.multiply(v, g_);
  map_.time_derivative(t_, q_smooth, c_);
  for (Index i = 0; i < m_; ++i) c_[i] = form_.compliance()[i] * lambda_rate[i] - g_[i] - c_[i];
  manifold_.smallest(c_, lifted_);
  v_smooth = v + lifted_;
}

// From g'' = S (lambda - K g) with smooth g: on the smooth motion g = C (lambda - S^-1 C lambda'' + ...).
void SlowPoint::beyond_first_order(In lambda_curve, Out x) {
  for (Index i = 0; i < m_; ++i) c_[i] = form_.compliance()[i] * lambda_curve[i];
  manifold_.schur().divide_by_schur(c_);
  for (Index i = 0; i < m_; ++i) c_[i] *= form_.compliance()[i];
  manifold_.smallest(c_, x);
}

double SlowPoint::pace() const {
  const double size = std::max(max_abs(q), 1e-8);
  const double rate = max_abs(v) / size + std::sqrt(max_abs(a) / size);
  return form_.gaps_move() ? std::max(rate, slowest_rate_of_moving_gaps * slowest_) : rate;
}

bool SlowPoint::multiplier_rates(double direction, SlowPoint& beside, Out first, Out second) {
  first.setZero();
  second.setZero();
  if (pace() == 0) return true;
  const double dt = std::copysign(rate_difference / pace(), direction);
  for (const double steps : {1.0, 2.0}) {
    const double ahead = steps * dt;
    x_ = q + ahead * v + 0.5 * ahead * ahead * a;
    lifted_ = v + ahead * a;
    if (beside.find(t_ + ahead, x_, lifted_) != Status::ok) return false;
    first += (steps == 1 ? 4 : -1) * (beside.lambda - lambda);
    second += (steps == 1 ? -2 : 1) * (beside.lambda - lambda);
  }
  first /= 2 * dt;
  second /= dt * dt;
  return true;
}

bool SlowPoint::move_to(double t, In q_smooth, In v_smooth) {
  q = q_smooth;
  v = v_smooth;
  mu.setZero();
  nu.setZero();
  fast_energy_ = 0;
  if (!manifold_.stand_at(t, q) || !find_derivatives(t)) return false;
  find_open(t, q);
  return true;
}

bool SlowPoint::accelerate_at(double t, In at, In velocity) {
  q = at;
  v = velocity;
  if (!manifold_.stand_at(t, q)) return false;
  manifold_.project_velocity(v, nu);
  return find_derivatives(t);
}

void SlowPoint::find_open(double t, In q0) {
  map_.value(t, q0, g_);
  for (Index i = 0; i < m_; ++i) c_[i] = g_[i] - form_.compliance()[i] * lambda[i];
  manifold_.smallest(c_, open);
}

bool SlowPoint::find_derivatives(double t) {
  turning_rate_ = -1;
  form_.problem().force(form_.soft_groups(), t, q, v, f_);
  if (reactive_) {
    if (!reactive_->solve(manifold_, t, q, v, f_, a, lambda)) return false;
  } else {
    manifold_.accelerate(f_, v, a, lambda);
  }
  return all_finite(a) && all_finite(v) && all_finite(lambda);
}

double SlowPoint::turning_rate() {
  if (turning_rate_ < 0) {
    const double by_motion = turning(v, form_.gaps_move());
    turning_rate_ = std::sqrt(by_motion * by_motion + turning(a, false));
  }
  return turning_rate_;
}

// |dG along a direction| / |G|, the largest over the gaps. in_time: the direction is a velocity, and time passes.
double SlowPoint::turning(In along, bool in_time) {
  const MatrixSlot& G = manifold_.jacobian();
  const bool known = in_time ? map_.jacobian_derivative(1, {.t = t_, .q = q.data(), .v = along.data()}, turned_)
                             : map_.jacobian_along(t_, q, along, turned_);
  if (!known) {
    const double size = std::max(max_abs(along), in_time ? 1e-3 * slowest_ : 0);
    if (size == 0) return 0;
    const double step = 1e-6 / size;
    x_ = q + step * along;
    map_.jacobian(in_time ? t_ + step : t_, x_, turned_);
    turned_.scale_add(-1, G);
    turned_.scale(1 / step);
  }
  row_squares(turned_, c_);
  row_squares(G, g_);
  double largest = 0;
  for (Index i = 0; i < form_.gaps(); ++i) largest = std::max(largest, std::sqrt(c_[i] / g_[i]));
  return std::max(largest, mass_turning(along));
}

// A gap opens in the direction M^-1 G^T, so a position-dependent mass turns it too.
double SlowPoint::mass_turning(In along) {
  const double size = max_abs(along);
  if (form_.problem().mass_kind() != MassKind::of_q || size == 0) return 0;
  const double step = 1e-6 / size;
  x_ = q + step * along;
  form_.problem().mass(x_, turned_mass_);
  const double* here = manifold_.mass().values();
  const double* there = turned_mass_.values();
  double difference = 0, whole = 0;
  for (Index k = 0; k < turned_mass_.stored(); ++k) {
    difference += (there[k] - here[k]) * (there[k] - here[k]);
    whole += here[k] * here[k];
  }
  return std::sqrt(difference / whole) / step;
}
}  // namespace trill
