// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/slow_start.hpp"

#include "trill/linalg/kernels.hpp"

#include <cmath>

#include <fmt/format.h>

namespace trill {
namespace {
// Relative: equal modes may be rotated into each other, nothing couples them.
constexpr double equal_frequencies = 1e-6;
constexpr double largest_balance = 2;
constexpr int manifold_iterations = 8;

class Matching {
 public:
  Matching(const SlowSystem& slow, const State& given)
      : slow_(slow),
        p_(slow.stiff()),
        map_(slow.map()),
        manifold_(slow.manifold()),
        t_(given.t),
        q_(given.q()),
        v_(given.v()),
        n_(slow.unknowns()),
        m_(slow.rows()),
        gaps_(slow.gaps()),
        drag_momentum_(Vec::Zero(slow.unknowns())) {}

  MatchedStart go(bool with_fast_part) {
    close_gaps();
    MatchedStart out;
    out.actions = out.phases = out.frequencies = Vec::Zero(gaps_);
    const bool fast = with_fast_part && slow_.has_modes();
    if (fast) {
      read_gaps();
      find_modes();
      out.v = slow_velocity();
      find_actions(out.v);
      balance(out);
      out.actions = actions_;
      for (Index k = 0; k < gaps_; ++k) out.phases[k] = std::atan2(position_[k], momentum_[k]);
      out.frequencies = omega_;
      out.fast_energy = actions_.dot(omega_);
    } else {
      out.v = tangent(v_);
    }
    out.q = closed_;
    move_onto_manifold(out);
    Vec g(m_);
    map_.value(t_, q_, g);
    out.open = max_abs(g.head(gaps_));
    return out;
  }

 private:
  void close_gaps() {
    closed_ = q_;
    Vec g(m_);
    const Closing closing = manifold_.nearest(t_, q_, closed_, g, ConstraintManifold::Effort::start);
    map_.value(t_, closed_, g);
    if (!(closing == Closing::ok && g.allFinite() && max_abs(g) < 1e-9))
      throw UsageError(
          fmt::format("slow: no state with closed gaps was found near the start of '{}': the oscillation is too large, "
                      "gaps depend on each other, or some motion has no mass",
                      p_.name()));
  }

  // How fast the gaps move by themselves.
  Vec own_rate(const Vec& q) const {
    Vec rate = Vec::Zero(m_);
    if (map_.moving()) map_.time_derivative(t_, q, rate);
    return rate;
  }
  // d(G x)/dt at fixed q, and d2g/dt2, both for closed gaps.
  Vec slope_in_time(const Vec& x) const {
    Vec there(m_), back(m_);
    map_.curvature(t_, closed_, x, there);
    map_.curvature(t_, closed_, -x, back);
    return (there - back) / 4;
  }
  Vec own_acceleration() const {
    Vec found(m_);
    map_.curvature(t_, closed_, Vec::Zero(n_), found);
    return found;
  }

  Vec tangent(const Vec& v) {
    Vec x = v, nu(m_);
    manifold_.project_velocity(x, nu);
    return x;
  }

  // Gaps of the given state and their velocities, relative to those of the slow motion through the same point.
  void read_gaps() {
    g_ = Vec::Zero(m_);
    map_.value(t_, q_, g_);
    MatrixSlot G = map_.pattern();
    map_.jacobian(t_, q_, G);
    gv_ = Vec::Zero(m_);
    G.multiply(v_, gv_);
    if (map_.moving()) gv_ += own_rate(q_);
    State s(slow_.layout(), t_);
    s.q() = closed_;
    s.v() = tangent(v_);
    slow_.set_fast(false);
    const SlowSystem::Point& point = slow_.at(s.t, s.y);
    if (!point.regular) throw UsageError("slow: the gaps depend on each other at the start");
    Vec offset(m_);
    slow_.soften(point.lambda, offset);
    beyond_ = g_ - offset;
    if (point.order == 1) {
      slow_.soften(point.lambda1, offset);
      gv_ -= offset;
    }
    slow_.set_fast(true);
    manifold_.stand_at(t_, closed_);
  }

  void find_modes() {
    GapModes& modes = slow_.modes();
    if (!modes.find(manifold_.schur())) throw UsageError("slow: the fast modes could not be computed at the start");
    modes.keep_signs();
    omega_ = modes.frequencies();
    position_ = momentum_ = Vec::Zero(gaps_);
    Vec part(gaps_);
    for (Index layer = 0; layer < modes.layers(); ++layer) {
      modes.pick(layer, beyond_, position_);
      modes.pick(layer, gv_, momentum_);
    }
    position_.array() /= omega_.array().sqrt();
    momentum_.array() /= omega_.array() * omega_.array().sqrt();
    actions_ = 0.5 * (position_.cwiseAbs2() + momentum_.cwiseAbs2());
  }

  bool alike(Index k, Index l) const { return std::abs(omega_[k] - omega_[l]) < equal_frequencies * omega_[k]; }
  // How the modes turn and change when q moves, with A = Y^T dS Y: the matrix B of d(w_k)/dq and d(Omega_k)/dq.
  double turning(Index k, Index l, double A) const {
    if (k == l) return -A / (4 * omega_[k] * omega_[k]);
    if (alike(k, l)) return 0;
    return std::sqrt(omega_[l] / omega_[k]) * A / (omega_[k] * omega_[k] - omega_[l] * omega_[l]);
  }

  // The momentum of the slow motion: the given momentum minus the correlations of fast position and velocity. Simply
  // projecting the velocity would leave them in, as an error of order epsilon. Where gaps move by themselves, time is
  // treated as one more coordinate with the velocity 1 and an infinite mass; clock_ is the part of its momentum that
  // the same correlations cause.
  Vec slow_velocity() {
    Vec w(n_), z(n_), covector(n_), x(n_), s(m_), r(m_);
    MatrixSlot mass = p_.mass_pattern();
    p_.mass(q_, mass);
    mass.multiply(v_, w);
    Vec p = w;

    // (d_i N g)^T w with N = M^-1 G^T S^-1
    manifold_.schur().divide_by_mass(w, z);
    manifold_.smallest(slow_.order() == 1 ? beyond_ : g_, x, s);
    const Vec moving = own_rate(closed_);
    manifold_.meet(moving, z, r);
    slow_.bend(t_, closed_, z, s, covector);
    slow_.add_bend_in_time(t_, closed_, s, covector);
    p += covector;
    slow_.bend(t_, closed_, x, r, covector);
    p -= covector;
    slow_.add_mass_covector(closed_, x, z, -1, p);
    clock_ = 0;
    if (map_.moving()) clock_ = s.dot(slope_in_time(z) + own_acceleration()) - r.dot(slope_in_time(x));

    p -= turning_covector();
    if (slow_.drag() != Drag::none) {
      manifold_.smallest(beyond_, x);
      slow_.damping_at(t_, closed_, tangent(v_));
      slow_.damp(x, covector);
      drag_momentum_ = -covector;
      add_gyroscopic(x, drag_momentum_);
      p += drag_momentum_;
    }
    manifold_.schur().divide_by_mass(p, z);
    manifold_.project_velocity(z, r);
    clock_ -= moving.dot(r);
    return z;
  }

  // damp() contains inertial forces, which are not drag: twice their bilinear form with the velocity.
  void add_gyroscopic(const Vec& x, Vec& p) {
    if (p_.mass_kind() != MassKind::of_q) return;
    const Vec v = tangent(v_);
    MatrixSlot d = p_.stiffness_pattern();
    Vec part(n_), form = Vec::Zero(n_);
    p_.mass_product_derivative(closed_, x, d);
    d.multiply_transposed(v, form);
    d.multiply(v, part);
    form -= part;
    d.set_zero();
    p_.mass_product_derivative(closed_, v, d);
    d.multiply(x, part);
    form -= part;
    p += form;
  }

  // sum_kl ph_k B_i[kl] yh_l for every coordinate i, where A_i = Y^T (dS/dq_i) Y.
  Vec turning_covector() {
    GapModes& modes = slow_.modes();
    Vec sum = Vec::Zero(n_), covector(n_), s(m_);
    for (Index layer = 0; layer < modes.layers(); ++layer) {
      s.setZero();
      for (Index row = 0; row < m_; ++row) {
        const Index block = modes.block_of_row(row), l = modes.mode(block, layer);
        if (l < 0) continue;
        for (Index other = 0; other < modes.size(block); ++other) {
          const Index k = modes.first(block) + other;
          const double both =
              momentum_[k] * turning(k, l, 1) * position_[l] + momentum_[l] * turning(l, k, 1) * position_[k];
          s[row] += both * modes.y(other)[row];
        }
      }
      slow_.bend(t_, closed_, modes.b(layer), s, covector);
      sum += covector;
      if (map_.moving()) clock_ -= s.dot(slope_in_time(modes.b(layer)));
      if (p_.mass_kind() != MassKind::of_q) continue;
      for (Index k = 0; k < gaps_; ++k)
        slow_.add_mass_covector(closed_, modes.b(k), modes.b(layer),
                                -momentum_[k] * turning(k, layer, 1) * position_[layer], sum);
    }
    return sum;
  }

  // The actions are adiabatic invariants only if the first-order terms of the turning and changing modes are included.
  void find_actions(const Vec& v) {
    GapModes& modes = slow_.modes();
    Vec drag = Vec::Zero(gaps_);
    if (slow_.drag() != Drag::none) {
      slow_.damping_at(t_, closed_, v);
      slow_.damping_rates(closed_, v, drag);
    }
    const Mat A = coupling_along(v);
    Vec change = Vec::Zero(gaps_);
    for (Index block = 0; block < modes.blocks(); ++block)
      for (Index i = 0; i < modes.size(block); ++i) {
        const Index k = modes.first(block) + i;
        change[k] += (turning(k, k, A(i, k)) + drag[k] / 2) / omega_[k] * position_[k] * momentum_[k];
        drag_energy_ += drag[k] / 2 * position_[k] * momentum_[k];
        for (Index j = 0; j < modes.size(block); ++j) {
          const Index l = modes.first(block) + j;
          if (k == l || alike(k, l)) continue;
          const double b_lk = turning(l, k, A(i, l)), b_kl = turning(k, l, A(j, k));
          const double det = omega_[k] * omega_[k] - omega_[l] * omega_[l];
          const double al = (-b_lk * omega_[k] + b_kl * omega_[l]) / det;
          const double be = (-b_kl * omega_[k] + b_lk * omega_[l]) / det;
          change[k] -= al * position_[k] * momentum_[l] + be * momentum_[k] * position_[l];
        }
      }
    actions_ += change;
    actions_ = actions_.cwiseMax(0);
  }

  // A(i, k) = y_i^T (dS along v) y_k, where i is counted within the block of k.
  Mat coupling_along(const Vec& v) {
    GapModes& modes = slow_.modes();
    Mat A = Mat::Zero(modes.layers(), gaps_);
    Vec s(m_), covector(n_), values = Vec::Zero(gaps_);
    const Vec ones = Vec::Ones(gaps_);
    for (Index layer = 0; layer < modes.layers(); ++layer) {
      modes.weighted(layer, ones, s);
      slow_.bend(t_, closed_, v, s, covector);
      slow_.add_bend_in_time(t_, closed_, s, covector);
      for (Index other = 0; other < modes.layers(); ++other) {
        modes.along(other, covector, values);
        for (Index block = 0; block < modes.blocks(); ++block) {
          const Index k = modes.mode(block, layer), l = modes.mode(block, other);
          if (k < 0 || l < 0) continue;
          A(other, k) += values[l];
          A(layer, l) += values[l];
        }
      }
    }
    if (p_.mass_kind() == MassKind::of_q) subtract_mass(v, A);
    return A;
  }
  void subtract_mass(const Vec& v, Mat& A) {
    GapModes& modes = slow_.modes();
    MatrixSlot d = p_.stiffness_pattern();
    Vec moved(n_);
    for (Index k = 0; k < gaps_; ++k) {
      d.set_zero();
      p_.mass_product_derivative(closed_, modes.b(k), d);
      d.multiply(v, moved);
      for (Index l = 0; l < gaps_; ++l) A(l, k) -= modes.b(l).dot(moved);
    }
  }

  double gap_energy(const Vec& g) const { return 0.5 * g.head(gaps_).cwiseAbs2().dot(slow_.stiffness()); }

  // Where a group has drag, its forces have no potential together; the work against them on the way from closed gaps to
  // q takes its place. Without a potential for other groups nothing is known.
  std::optional<double> soft_potential(const Vec& q, const Vec& slow) const {
    double sum = 0;
    for (Groups group = 1; group != 0; group <<= 1) {
      if (!(group & slow_.soft_groups())) continue;
      if (const auto part = p_.potential(group, t_, q))
        sum += *part;
      else if (p_.drag(group) == Drag::none)
        return std::nullopt;
      else
        sum -= work_to(group, q, slow);
    }
    return sum;
  }

  // By Gauss's rule with three points.
  double work_to(Groups group, const Vec& q, const Vec& slow) const {
    const Vec way = q - closed_;
    const double outer = std::sqrt(0.15);
    double work = 0;
    for (const auto& [at, weight] : {std::pair(0.5 - outer, 5.0), std::pair(0.5, 8.0), std::pair(0.5 + outer, 5.0)})
      work += weight / 18 * mean_force(group, closed_ + at * way, slow).dot(way);
    return work;
  }

  // The force around which the gaps oscillate: that at rest, where formulas of drag may give 0/0, and the linear drag
  // of the slow velocity. Other parts that are even in the velocity belong to the kinetic energy.
  Vec mean_force(Groups group, const Vec& q, const Vec& slow) const {
    Vec rest(n_), forward(n_), backward(n_);
    p_.force(group, t_, q, Vec::Zero(n_), rest);
    p_.force(group, t_, q, slow, forward);
    p_.force(group, t_, q, -slow, backward);
    if (!rest.allFinite()) rest = 0.5 * (forward + backward);
    if (slow_.drag() == Drag::linear) rest += 0.5 * (forward - backward);
    return rest;
  }

  double kinetic(const Vec& q, const Vec& v) {
    MatrixSlot mass = p_.mass_pattern();
    Vec w(n_);
    p_.mass(q, mass);
    mass.multiply(v, w);
    return 0.5 * v.dot(w);
  }

  // Cubic terms of the fast motion change the actions by order epsilon; their sum follows from the energy. Within a
  // period linear drag makes the energy fluctuate around its mean, which is what the actions stand for, and the
  // velocity around the slow one.
  void balance(MatchedStart& out) {
    const auto before = soft_potential(q_, out.v), after = soft_potential(closed_, out.v);
    out.energy = std::numeric_limits<double>::quiet_NaN();
    if (!before || !after) return;
    out.energy = *before + gap_energy(g_) + kinetic(q_, v_);
    const double slow = *after + kinetic(closed_, out.v) - gap_energy(g_ - beyond_);
    const double by_drag = slow_.drag() == Drag::linear ? drag_energy_ + out.v.dot(drag_momentum_) : 0;
    const double left = out.energy + by_drag - slow - clock_;
    const double have = actions_.dot(omega_);
    if (!(have > 0)) return;
    out.balance = left / have;
    out.balanced = out.balance >= 1 / largest_balance && out.balance <= largest_balance;
    if (out.balanced) actions_ *= out.balance;
  }

  void move_onto_manifold(MatchedStart& out) {
    if (slow_.order() == 0) return;
    State s(slow_.layout(), t_);
    s.q() = out.q;
    s.v() = out.v;
    const bool fast = slow_.fast();
    slow_.set_fast(false);
    for (int i = 0; i < manifold_iterations; ++i) slow_.project(s);
    slow_.set_fast(fast);
    out.q = s.q();
    out.v = s.v();
  }

  const SlowSystem& slow_;
  const MechanicalProblem& p_;
  const ConstraintMap& map_;
  ConstraintManifold& manifold_;
  double t_;
  Vec q_, v_;
  Index n_, m_, gaps_;
  Vec closed_, g_, gv_, beyond_, omega_, position_, momentum_, actions_;
  Vec drag_momentum_;       // momentum that drag takes from the slow motion up to this phase of the oscillation
  double drag_energy_ = 0;  // mean energy of the damped oscillation over a period less that of this instant
  double clock_ = 0;
};
}  // namespace

MatchedStart match_start(const SlowSystem& slow, const State& given) { return Matching(slow, given).go(true); }
MatchedStart project_start(const SlowSystem& slow, const State& given) { return Matching(slow, given).go(false); }
}  // namespace trill
