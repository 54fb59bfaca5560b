// SPDX-License-Identifier: BSD-3-Clause
// The derivation: with S = G M^-1 G^T the gaps obey exactly g'' = G M^-1 f + v^T H v - S K g. On the slow manifold
// K g = lam is smooth, hence g'' = K^-1 lam''. Order 0 neglects that, order 1 takes lam'' along the rigid flow (Reich's
// slow manifold and the smoothed dynamics of PJY97 sec. 3.2 and 4.3, carried one order further).
#include "formulation/slow_system.hpp"

#include "formulation/slow_start.hpp"
#include "linalg/copies.hpp"
#include "linalg/stored_entries.hpp"
#include "trill/linalg/kernels.hpp"

#include <cmath>
#include <limits>
#include <numbers>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr std::array<int, 3> phase_points{0, 12, 8};  // for one mode, and for each of two modes
// Phase in radians of the slowest gap; slow forces change little during it.
constexpr double difference_step = 0.1;

const StrongPotential& gaps_of(const MechanicalProblem& p) {
  if (!p.strong_potential())
    throw UsageError(fmt::format(
        "the slow motion needs a model with stiff gaps ([[stiff]] in a model file); '{}' has none", p.name()));
  if (p.strong_potential()->groups == 0)
    throw UsageError(fmt::format(
        "the stiff gaps of '{}' share a group of forces with other terms; give the gaps a group of their own",
        p.name()));
  return *p.strong_potential();
}
}  // namespace

SlowSystem::SlowSystem(const MechanicalProblem& stiff, const Choice& choice)
    : stiff_(stiff),
      choice_(choice),
      joined_(stiff.constraints() ? std::make_optional<JoinedMap>(*gaps_of(stiff).map, *stiff.constraints())
                                  : std::nullopt),
      map_(joined_ ? static_cast<const ConstraintMap&>(*joined_) : *gaps_of(stiff).map),
      soft_(known_groups(stiff) & ~gaps_of(stiff).groups),
      drag_(stiff.drag(soft_)),
      n_(stiff.layout().nq),
      gaps_(gaps_of(stiff).map->count()),
      m_(map_.count()),
      inverse_stiffness_(Vec::Zero(m_)),
      manifold_(stiff, map_, SaddleSolver::Way::schur_only),
      mass1_(stiff.mass_pattern()),
      mass2_(stiff.mass_pattern()),
      terms_(make_joint_terms(stiff, soft_, map_)) {
  inverse_stiffness_.head(gaps_) = stiffness().cwiseInverse();
  if (choice_.energy != FastEnergy::drop) modes_.emplace(manifold_, stiffness());
  fast_ = modes_.has_value();
  if (stiff_.mass_kind() == MassKind::of_q || drag_ != Drag::none)
    product_ = stiffness_slot_ = stiff.stiffness_pattern();
  if (drag_ != Drag::none) damping_ = stiff.damping_pattern();
  for (Vec* v : {&f_, &f1_, &r_, &a1_, &zero_, &averaged_, &moved_}) *v = Vec::Zero(n_);
  c_ = s_ = Vec::Zero(m_);
  weights_ = action_rate_ = Vec::Zero(gaps_);
  point_.y = Vec::Constant(layout().size(), std::numeric_limits<double>::quiet_NaN());
  point_.lambda = point_.lambda1 = point_.lambda2 = point_.reaction = Vec::Zero(m_);
  point_.a = Vec::Zero(n_);
  as_.emplace(Arguments{point_.y.head(n_), point_.y.segment(n_, n_), point_.y.tail(layout().nx), f_, c_, f1_, s_,
                        weights_, point_.lambda, point_.lambda1, point_.lambda2});
}

Layout SlowSystem::layout() const {
  const Index actions = choice_.energy == FastEnergy::keep ? gaps_ : 0;
  return {n_, n_, 0, actions + (choice_.phases ? actions : 0)};
}

std::vector<Quantity> SlowSystem::components() const {
  auto all = stiff_.components();
  all.resize(static_cast<std::size_t>(2 * n_));
  const Index extra = layout().nx;
  for (Index k = 0; k < extra; ++k)
    all.push_back({fmt::format("{}_{}", k < gaps_ ? "action" : "phase", k % gaps_ + 1), ""});
  return all;
}

std::unique_ptr<Problem> SlowSystem::clone() const {
  std::shared_ptr<const Problem> copy = stiff_.clone();
  auto made = std::make_unique<SlowSystem>(copy->as<MechanicalProblem>("slow"), choice_);
  made->owned_ = std::move(copy);
  made->order_ = order_;
  made->fast_ = fast_;
  made->kT_ = kT_;
  return made;
}

State SlowSystem::initial_state() const {
  const State given = stiff_.initial_state();
  const MatchedStart closed = project_start(*this, given);
  State s(layout(), given.t);
  s.q() = closed.q;
  s.v() = closed.v;
  return s;
}

void SlowSystem::soften(In c, Out gap) const {
  for (Index i = 0; i < m_; ++i) gap[i] = inverse_stiffness_[i] * c[i];
}

bool SlowSystem::can_be_of_order_1() const {
  const Vec q = stiff_.initial_state().q(), zero = Vec::Zero(n_), s = Vec::Zero(m_);
  const Motion still{0, q.data(), zero.data(), zero.data(), zero.data(), zero.data()};
  Vec values(n_), gaps(m_);
  return stiff_.force_derivative(soft_, 2, still, values) && map_.rigid_rate(2, still, s, s, values, gaps) &&
         (stiff_.mass_kind() != MassKind::of_q || stiff_.mass_derivative(2, still, mass2_));
}

void SlowSystem::rhs(double t, In y, Out dy) const {
  const Index actions = choice_.energy == FastEnergy::keep ? gaps_ : 0;
  point_.t = t;
  copy_settled(y.data(), y.size(), point_.y.data());
  point_.order = order_;
  point_.fast = fast_;
  point_.regular = evaluate(t);
  if (!point_.regular) {
    dy.setConstant(std::numeric_limits<double>::quiet_NaN());
    return;
  }
  copy_settled(y.data() + n_, n_, dy.data());
  copy_one_by_one(point_.a.data(), n_, dy.data() + n_);
  if (actions == 0) return;
  if (fast_)
    actions_rate(t, as_->q, as_->v, as_->J.head(actions), dy.segment(2 * n_, actions));
  else
    dy.segment(2 * n_, actions).setZero();
  if (choice_.phases) dy.tail(actions) = modes_->frequencies();
}

const SlowSystem::Point& SlowSystem::at(double t, In y) const {
  if (point_.t == t && point_.order == order_ && point_.fast == fast_ && point_.y == y) return point_;
  point_.t = t;
  point_.y = y;
  point_.order = order_;
  point_.fast = fast_;
  point_.regular = evaluate(t);
  return point_;
}

bool SlowSystem::evaluate(double t) const {
  In q = as_->q, v = as_->v, J = as_->J;
  if (!manifold_.stand_at(t, q, v, *terms_, f_, c_)) return false;
  if (modes_ && (fast_ || choice_.phases)) {
    if (!modes_->find(manifold_.schur())) return false;
    if (fast_) {
      if (drag_ == Drag::nonlinear && choice_.energy == FastEnergy::keep) average_drag(t, q, v, J, f_);
      add_fast_force(t, q, J, f_);
    }
  }
  manifold_.solve(as_->f, as_->c, point_.a, point_.lambda);
  if (order_ == 1) return second_order(t, q, v);
  copy_one_by_one(point_.lambda.data(), m_, point_.reaction.data());
  return true;
}

// The rigid system M a + G^T lam = f, G a = -v^T H v, differentiated once and twice along its own motion.
bool SlowSystem::second_order(double t, In q, In v) const {
  const bool moving_mass = stiff_.mass_kind() == MassKind::of_q;
  Motion motion{t, q.data(), v.data(), point_.a.data(), zero_.data(), zero_.data()};
  rates(1, motion, as_->lambda, f1_);
  if (moving_mass) {
    stiff_.mass_derivative(1, motion, mass1_);
    mass1_.multiply(point_.a, r_);
    add_scaled(f1_.data(), -1, r_.data(), n_);
  }
  manifold_.solve(as_->f1, as_->c, a1_, point_.lambda1);

  motion.jerk = a1_.data();
  rates(2, motion, as_->lambda1, f1_);
  if (moving_mass) {
    stiff_.mass_derivative(2, motion, mass2_);
    mass2_.multiply(point_.a, r_);
    add_scaled(f1_.data(), -1, r_.data(), n_);
    mass1_.multiply(a1_, r_);
    add_scaled(f1_.data(), -2, r_.data(), n_);
  }
  manifold_.schur().multipliers(as_->f1, as_->c, point_.lambda2);

  soften(as_->lambda2, c_);
  manifold_.smallest(as_->c, r_, s_);
  add_scaled(point_.a.data(), 1, r_.data(), n_);
  copy_one_by_one(point_.lambda.data(), m_, point_.reaction.data());
  add_scaled(point_.reaction.data(), -1, s_.data(), m_);
  return true;
}

// d^k/dt^k of the soft forces minus that of the reaction without its term G^T lambda^(k); of the rows in c_.
// Formulas for the derivatives of a smooth force may give 0/0, for example v |v| at rest with |v| written as a root.
// Then differences along the motion are used instead; where a derivative jumps, they give the mean of both sides.
void SlowSystem::rates(int k, const Motion& motion, In lambda1, Out derivative) const {
  terms_->rates(k, motion, as_->lambda, lambda1, derivative, r_, c_);
  if (!all_finite(derivative.data(), n_)) {
    soft_force_difference(k, motion, derivative);
    map_.rigid_rate(k, motion, as_->lambda, lambda1, r_, c_);
  }
  add_scaled(derivative.data(), -1, r_.data(), n_);
}

void SlowSystem::soft_force_difference(int k, const Motion& motion, Out derivative) const {
  using Read = Eigen::Map<const Vec>;
  const Read q(motion.q, n_), v(motion.v, n_), a(motion.acceleration, n_), jerk(motion.jerk, n_);
  const double step = difference_step / slowest_gap_alone();
  derivative.setZero();
  for (const double d : {step, -step}) {
    moved_ = q + d * v + d * d / 2 * a + d * d * d / 6 * jerk;
    averaged_ = v + d * a + d * d / 2 * jerk;
    stiff_.force(soft_, motion.t + d, moved_, averaged_, r_);
    derivative += (k == 1 ? 0.5 / d : 1 / (d * d)) * r_;
  }
  if (k == 1) return;
  stiff_.force(soft_, motion.t, q, v, r_);
  derivative -= 2 / (step * step) * r_;
}

double SlowSystem::slowest_gap_alone() const {
  double square = HUGE_VAL;
  for (Index i = 0; i < gaps_; ++i) square = std::min(square, stiffness()[i] * manifold_.schur().entry(i, i));
  return std::sqrt(square);
}

// -sum J_k grad Omega_k, exactly, where thermal modes have J_k = kT/Omega_k: -(J_k/Omega_k) [Hess(y_k . g) b_k - 1/2
// grad (b_k^T M(q) b_k)].
void SlowSystem::add_fast_force(double t, In q, In J, Out f) const {
  const Vec& omega = modes_->frequencies();
  for (Index k = 0; k < gaps_; ++k)
    weights_[k] = choice_.energy == FastEnergy::thermal ? kT_ / (omega[k] * omega[k]) : J[k] / omega[k];
  for (Index layer = 0; layer < modes_->layers(); ++layer) {
    modes_->weighted(layer, as_->weights, s_);
    bend(t, q, modes_->b(layer), as_->s, r_);
    add_scaled(f.data(), -1, r_.data(), n_);
    if (stiff_.mass_kind() == MassKind::of_q)
      add_mass_covector(q, modes_->b(layer), modes_->b(layer), 0.5 * weights_[layer], f);
  }
}

void SlowSystem::bend(double t, In q, In dq, In s, Out covector) const {
  if (map_.reaction_along(t, q, dq, s, covector)) return;
  if (stiffness_slot_.rows() == 0) stiffness_slot_ = map_.transpose_pattern();
  map_.transpose_derivative(t, q, s, stiffness_slot_);
  stiffness_slot_.multiply(dq, covector);
}

void SlowSystem::add_bend_in_time(double t, In q, In s, Out covector) const {
  if (!map_.moving()) return;
  if (G_in_time_.rows() == 0) G_in_time_ = map_.pattern();
  if (!map_.jacobian_derivative(1, {.t = t, .q = q.data(), .v = zero_.data()}, G_in_time_)) {
    const double step = 0.01 * difference_step / slowest_gap_alone();
    MatrixSlot before = map_.pattern();
    map_.jacobian(t + step, q, G_in_time_);
    map_.jacobian(t - step, q, before);
    G_in_time_.scale_add(-1, before);
    G_in_time_.scale(0.5 / step);
  }
  G_in_time_.multiply_transposed(s, moved_);
  covector += moved_;
}

// A position-dependent mass is dense, and then each layer is a single mode.
void SlowSystem::add_mass_covector(In q, In x, In z, double factor, Out covector) const {
  if (stiff_.mass_kind() != MassKind::of_q) return;
  product_.set_zero();
  stiff_.mass_product_derivative(q, x, product_);
  product_.multiply_transposed(z, moved_);
  covector += factor * moved_;
}

void SlowSystem::add_mass_along(In q, In x, In dq, Out y) const {
  product_.set_zero();
  stiff_.mass_product_derivative(q, x, product_);
  product_.multiply(dq, moved_);
  y += moved_;
}

// The inertial force at the velocity w: 1/2 grad (w^T M w) - (dM along w) w.
void SlowSystem::inertial_force(In q, In w, Out f) const {
  product_.set_zero();
  stiff_.mass_product_derivative(q, w, product_);
  product_.multiply_transposed(w, moved_);
  product_.multiply(w, f);
  f = 0.5 * moved_ - f;
}

// Means over the phases of the fast motion v + sum u_k w_k, w_k = sqrt(2 J_k Omega_k) cos: the force, and the power
// that changes the actions. The contribution of the mass is not drag: the adiabatic force contains it already.
void SlowSystem::average_drag(double t, In q, In v, In J, Out f) const {
  const int p = phase_points[static_cast<std::size_t>(gaps_)];
  const int all = gaps_ == 1 ? p : p * p;
  const Vec& omega = modes_->frequencies();
  averaged_.setZero();
  action_rate_.setZero();
  std::array<double, 2> w{};
  for (int s = 0; s < all; ++s) {
    moved_ = v;
    for (Index k = 0; k < gaps_; ++k) {
      const int step = k == 0 ? s % p : s / p;
      const double speed = std::sqrt(2 * std::max(J[k], 0.0) * omega[k]);
      w[static_cast<std::size_t>(k)] = speed * std::cos(2 * std::numbers::pi * (step + 0.5) / p);
      modes_->add_mode(k, w[static_cast<std::size_t>(k)] / omega[k], moved_);
    }
    stiff_.force(soft_, t, q, moved_, r_);
    averaged_ += r_ / all;
    for (Index k = 0; k < gaps_; ++k)
      action_rate_[k] += w[static_cast<std::size_t>(k)] / (omega[k] * omega[k]) * modes_->along(k, r_) / all;
  }
  f = averaged_;
  if (stiff_.mass_kind() != MassKind::of_q) return;
  for (Index k = 0; k < gaps_; ++k) {
    inertial_force(q, modes_->b(k), r_);
    f -= J[k] / omega[k] * r_;
    product_.multiply(v, r_);
    action_rate_[k] += J[k] / (omega[k] * omega[k]) * modes_->b(k).dot(r_);
  }
}

void SlowSystem::actions_rate(double t, In q, In v, In J, Out dJ) const {
  if (drag_ != Drag::linear) {
    dJ = action_rate_;  // zero without drag
    return;
  }
  damping_at(t, q, v);
  damping_rates(q, v, dJ);
  dJ.array() *= -J.array();
}

void SlowSystem::damping_at(double t, In q, In v) const {
  if (drag_ == Drag::none) return;
  const bool given = stiff_.force_jacobian(soft_, t, q, v, stiffness_slot_, damping_);
  if (given && all_finite(damping_.values(), damping_.stored())) return;  // same reason as in rates
  const double h = 1e-6 * (1 + max_abs(v));
  damping_.set_zero();
  for (Index j = 0; j < n_; ++j) {
    moved_ = v;
    moved_[j] += h;
    stiff_.force(soft_, t, q, moved_, r_);
    moved_[j] -= 2 * h;
    stiff_.force(soft_, t, q, moved_, averaged_);
    for (Index i = 0; i < n_; ++i)
      if (const double d = (r_[i] - averaged_[i]) / (2 * h); d != 0) damping_.add(i, j, d);
  }
}

void SlowSystem::damping_rates(In q, In v, Out c) const {
  c.setZero();
  if (drag_ == Drag::none) return;
  const Vec& omega = modes_->frequencies();
  each_stored(damping_, [&](Index i, Index j, Index place) {
    const Index block = modes_->block_of_coordinate(i);
    if (block < 0 || block != modes_->block_of_coordinate(j)) return;
    for (Index layer = 0; layer < modes_->size(block); ++layer) {
      const Index k = modes_->first(block) + layer;
      c[k] -= modes_->b(layer)[i] * damping_.values()[place] * modes_->b(layer)[j] / (omega[k] * omega[k]);
    }
  });
  if (stiff_.mass_kind() != MassKind::of_q) return;
  for (Index k = 0; k < gaps_; ++k) {
    product_.set_zero();
    stiff_.mass_product_derivative(q, modes_->b(k), product_);
    product_.multiply(v, moved_);
    c[k] -= modes_->b(k).dot(moved_) / (omega[k] * omega[k]);
  }
}

void SlowSystem::times_mass(In x, Out y) const {
  if (stiff_.mass_kind() == MassKind::identity)
    y = x;
  else
    manifold_.mass().multiply(x, y);
}

double SlowSystem::kinetic_energy(In v) const {
  times_mass(v, moved_);
  return 0.5 * v.dot(moved_);
}

double SlowSystem::project(State& s) const {
  const Point& p = at(s.t, s.y);
  if (!p.regular) return std::numeric_limits<double>::infinity();
  map_.value(s.t, s.q(), c_);
  map_.time_derivative(s.t, s.q(), s_);
  if (p.order == 1)
    for (Index i = 0; i < m_; ++i) {
      c_[i] -= inverse_stiffness_[i] * p.lambda[i];
      s_[i] -= inverse_stiffness_[i] * p.lambda1[i];
    }
  const double off = max_abs(c_);
  manifold_.smallest(c_, r_);
  s.q() -= r_;
  manifold_.meet(s_, s.v(), c_);
  return off;
}
}  // namespace trill
