// SPDX-License-Identifier: BSD-3-Clause
#include "problem/consistent_charges.hpp"

#include "base/text.hpp"
#include "linalg/row_rank.hpp"
#include "linalg/shared_unknowns.hpp"
#include "linalg/stored_entries.hpp"
#include "trill/linalg/kernels.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace trill {
namespace {
// Corrections are relative to the size of the unknowns.
constexpr double rough_tolerance = 1e-8, fine_tolerance = 1e-11, settled_rounding = 1e-7;
constexpr double smallest_share = 1e-6;  // unknowns are solved relative to themselves or to this share of the largest
constexpr int most_halvings = 30;
constexpr double moments[] = {0, 1e-14, 1e-12};  // of the time
constexpr double dependence = 1e-10;
}  // namespace

// charge(x) = c0 in the rows that keep a charge, and combinations of currents that vanish in the others.
class ConsistentCharges::System final : public MatrixSystem {
 public:
  System(const CircuitProblem& p, const ChargeSplit& split, const MatrixSlot& pattern)
      : MatrixSystem(row_pattern(split, pattern)),
        p_(p),
        split_(split),
        dcharge_(pattern),
        dcurrent_(pattern),
        c0(Vec::Zero(pattern.rows())),
        weights(Vec::Ones(pattern.rows())),
        charge_(c0),
        current_(c0),
        moved_(c0),
        wanted_(c0),
        r_(c0) {
    reached = c0;
    find_terms();
  }
  const ChargeSplit& split() const { return split_; }
  const CircuitProblem& problem() const { return p_; }

  void residual(In x, Out r) override {
    p_.charge(x, charge_);
    p_.current(t, x, current_);
    combine(current_, r);
    for (Index k = 0; k < split_.size(); ++k)
      if (split_.keeps_charge(k)) r[k] = charge_[k] - c0[k];
  }
  // Combinations of currents in the algebraic rows, and the currents themselves in the others.
  void combine(In current, Out r) const {
    r = current;
    for (Index k = 0; k < split_.size(); ++k) {
      if (split_.keeps_charge(k)) continue;
      r[k] = 0;
      for (const auto& [equation, weight] : split_.combination(k)) r[k] += weight * current[equation];
    }
  }
  void jacobian(In x, MatrixSlot& j) override {
    p_.jacobians(t, x, dcharge_, dcurrent_);
    for (const Term& term : terms_)
      j.values()[term.to] += term.weight * (term.of_charge ? dcharge_ : dcurrent_).values()[term.from];
  }

  // Junction limiting, then, where it is wanted, a damped step: the next correction with the same matrix must not be
  // longer than this one was before it was limited.
  bool limit(In x, Out step) override {
    const double length = weighted_rms(step, weights);
    moved_ = x + step;
    wanted_ = moved_;
    p_.limit(x, wanted_);
    for (Index i = 0; i < step.size(); ++i)
      if (wanted_[i] != moved_[i]) step[i] = wanted_[i] - x[i];
    if (damps && length > rough_tolerance) damp(x, length, step);
    reached = x + step;
    return true;
  }

 private:
  void damp(In x, double length, Out step) {
    for (int halvings = 0; halvings < most_halvings; ++halvings, step *= 0.5) {
      moved_ = x + step;
      residual(moved_, r_);
      if (!all_finite(r_)) continue;
      correct(r_, wanted_);
      if (weighted_rms(wanted_, weights) <= length) return;
    }
  }

  struct Term {
    Index from, to;
    double weight;
    bool of_charge;
  };

  // Calls use(row of the system, equation, weight).
  template <class Use>
  static void each_share(const ChargeSplit& split, Use use) {
    for (Index k = 0; k < split.size(); ++k) {
      if (split.keeps_charge(k)) use(k, k, 1.0);
      for (const auto& [equation, weight] : split.combination(k)) use(k, equation, weight);
    }
  }
  static std::vector<std::vector<std::pair<Index, double>>> rows_with(const ChargeSplit& split) {
    std::vector<std::vector<std::pair<Index, double>>> rows(static_cast<std::size_t>(split.size()));
    each_share(split, [&](Index row, Index equation, double weight) {
      rows[static_cast<std::size_t>(equation)].emplace_back(row, weight);
    });
    return rows;
  }
  static MatrixSlot row_pattern(const ChargeSplit& split, const MatrixSlot& pattern) {
    if (!pattern.is_sparse()) return MatrixSlot::dense(pattern.rows(), pattern.cols());
    const auto rows = rows_with(split);
    std::vector<Eigen::Triplet<double>> entries;
    each_stored(pattern, [&](Index i, Index j, Index) {
      for (const auto& [row, weight] : rows[static_cast<std::size_t>(i)]) entries.emplace_back(row, j, 1.0);
    });
    SpMat all(pattern.rows(), pattern.cols());
    all.setFromTriplets(entries.begin(), entries.end());
    return MatrixSlot::sparse(std::move(all));
  }
  void find_terms() {
    const auto rows = rows_with(split_);
    MatrixSlot target = matrix();
    each_stored(dcharge_, [&](Index i, Index j, Index place) {
      for (const auto& [row, weight] : rows[static_cast<std::size_t>(i)])
        terms_.push_back({place, target.entry(row, j) - target.values(), weight, split_.keeps_charge(row)});
    });
  }

  const CircuitProblem& p_;
  ChargeSplit split_;
  MatrixSlot dcharge_, dcurrent_;
  std::vector<Term> terms_;

 public:
  double t = 0;
  Vec c0, weights;
  bool damps = true;
  Vec reached;  // by the last iteration

 private:
  Vec charge_, current_, moved_, wanted_, r_;
};

namespace {
MatrixSlot charges_at(const CircuitProblem& problem, double t, In x) {
  MatrixSlot dcharge = problem.jacobian_pattern(), dcurrent = dcharge;
  problem.jacobians(t, x, dcharge, dcurrent);
  return dcharge;
}

void set_relative_weights(In x, Vec& weights) {
  const double scale = std::max(smallest_share * max_abs(x), std::numeric_limits<double>::min());
  weights = (x.cwiseAbs().array() + scale).inverse();
}
}  // namespace

ConsistentCharges::ConsistentCharges(const CircuitProblem& problem, double t, In x)
    : system_(std::make_unique<System>(problem, ChargeSplit(charges_at(problem, t, x)), problem.jacobian_pattern())),
      newton_(x.size()),
      trial_(x),
      weights_(x),
      r_(x),
      later_(x) {}
ConsistentCharges::~ConsistentCharges() = default;
ConsistentCharges::ConsistentCharges(ConsistentCharges&&) noexcept = default;
ConsistentCharges& ConsistentCharges::operator=(ConsistentCharges&&) noexcept = default;

Index ConsistentCharges::algebraic() const { return system_->split().algebraic(); }

bool ConsistentCharges::is_settled(In x) {
  if (is_rounding(x)) return true;
  if (!all_finite(r_)) return false;
  system_->correct(r_, later_);
  set_relative_weights(x, weights_);
  return weighted_rms(later_, weights_) <= fine_tolerance;
}

// What the terms of every equation leave over in floating-point arithmetic. Where diodes connect inductors, voltages
// follow from leakage currents alone, and Newton's method has nothing but this to go by.
bool ConsistentCharges::is_rounding(In x) { return find_rounding(x) && is_below(rounded_terms * later_); }

// The same, where what is left over of one equation has spread to those that share an unknown with it.
bool ConsistentCharges::is_spread_rounding(In x) {
  if (!find_rounding(x)) return false;
  Vec of_unknown(x.size()), spread(x.size());
  spread_over_shared_unknowns(system_->matrix(), later_, of_unknown, spread,
                              [&](Index row) { return !system_->split().keeps_charge(row); });
  return is_below(rounded_terms * spread);
}

bool ConsistentCharges::is_below(const Vec& limit) const { return (r_.cwiseAbs().array() <= limit.array()).all(); }

// The residual in r_ and the sizes of its terms in later_. false: it cannot be evaluated at x.
bool ConsistentCharges::find_rounding(In x) {
  system_->residual(x, r_);
  if (!all_finite(r_) || !system_->prepare(x)) {
    r_.setConstant(std::numeric_limits<double>::quiet_NaN());
    return false;
  }
  const MatrixSlot& matrix = system_->matrix();
  later_.setZero();
  each_stored(matrix, [&](Index i, Index j, Index place) { later_[i] += std::abs(matrix.values()[place] * x[j]); });
  return true;
}

ConsistentCharges::Status ConsistentCharges::settle(double t, Out x) {
  is_rounded_ = false;
  if (algebraic() == 0) return Status::ok;
  system_->problem().charge(x, system_->c0);
  Status status = Status::ok;
  // Where a formula jumps at this instant, rounding decides on which side of the jump it is. A moment later it is sure.
  for (const double moment : moments) {
    system_->t = t + moment * std::abs(t);
    if (moment > 0 && system_->t == t) break;
    status = is_settled(x) ? Status::ok : solve(x);
    if (status != Status::not_reached) break;
  }
  return status;
}

ConsistentCharges::Status ConsistentCharges::find(double t, In charges, Out x) {
  system_->t = t;
  system_->c0 = charges;
  is_rounded_ = false;
  if (system_->matrix().is_sparse()) system_->forget();
  return is_settled(x) ? Status::ok : solve(x);
}

// Where diodes block all around, as in a bridge before its capacitor, voltages are as uncertain as the leakage currents
// through large conductances are, and steps do not become small. Damping would take that for divergence.
ConsistentCharges::Status ConsistentCharges::solve(Out x) {
  system_->damps = true;
  const Status status = approach(x);
  if (status != Status::not_reached) return status;
  system_->damps = false;
  return approach(x);
}

ConsistentCharges::Status ConsistentCharges::approach(Out x) {
  trial_ = x;
  const double before = max_abs(trial_);
  system_->weights.setConstant(1 / (before > 0 ? before : 1));
  newton_.set_options({.tolerance = rough_tolerance, .max_iterations = 100, .max_rate = 1e3});
  const NewtonStats stats = newton_.solve(*system_, trial_, system_->weights);
  if (stats.singular) return Status::singular;
  if (stats.non_finite) return Status::non_finite;
  if (!stats.converged) {
    if (!is_spread_rounding(system_->reached)) return Status::not_reached;
    is_rounded_ = true;
    x = system_->reached;
    return Status::ok;
  }
  set_relative_weights(trial_, weights_);
  newton_.set_options({.tolerance = fine_tolerance, .max_rate = 1e3, .rounding = settled_rounding, .stalls = 2});
  newton_.solve(*system_, trial_, weights_);  // what it cannot improve is rounding
  x = trial_;
  return Status::ok;
}

// C x' = -i in the rows that keep a charge; G x' + i_t = 0 in the algebraic ones.
bool ConsistentCharges::slope(double t, double dt, In x, Out dx) {
  system_->t = t;
  if (!system_->prepare(x)) return false;
  system_->problem().current(t, x, trial_);
  system_->problem().current(t + dt, x, later_);
  later_ = (later_ - trial_) / dt;
  system_->combine(later_, r_);
  for (Index k = 0; k < r_.size(); ++k)
    if (system_->split().keeps_charge(k)) r_[k] = trial_[k];
  system_->correct(r_, dx);
  dx = -dx;
  return all_finite(dx);
}

ConsistentCharges::Violation ConsistentCharges::worst(double t, In x) {
  system_->t = t;
  system_->problem().charge(x, system_->c0);
  system_->residual(x, r_);
  const ChargeSplit& split = system_->split();
  Violation found;
  double largest = -1;
  for (Index k = 0; k < r_.size(); ++k) {
    if (split.keeps_charge(k)) continue;
    const double size = std::isfinite(r_[k]) ? std::abs(r_[k]) : HUGE_VAL;
    if (size <= largest) continue;
    largest = size;
    found = {k, r_[k]};
  }
  return found;
}

std::vector<Index> ConsistentCharges::dependent_equations(double t, In x) {
  system_->t = t;
  system_->prepare(x);
  const auto rows = dependent_rows(system_->matrix(), dependence, 1);
  if (rows.empty()) return {};
  std::vector<Index> all{rows[0].row};
  all.insert(all.end(), rows[0].of.begin(), rows[0].of.end());
  return all;
}

std::string describe_failure(const CircuitProblem& problem, ConsistentCharges& charges,
                             ConsistentCharges::Status status, double t, In x) {
  if (status == ConsistentCharges::Status::singular) {
    std::vector<std::string> names;
    for (const Index k : charges.dependent_equations(t, x)) names.push_back(problem.equation_name(k));
    return fmt::format(
        "the algebraic equations do not determine all unknowns at the given values: {}. Either an equation is missing, "
        "or the index is above 1; differentiate an equation, or begin from other values",
        names.empty() ? "their matrix is singular" : join(names, ", ") + " depend on each other");
  }
  const auto worst = charges.worst(t, x);
  return fmt::format(
      "no values were found that satisfy the algebraic equations; {} is off by {:.3g} at the given values. Give values "
      "nearer to the solution",
      problem.equation_name(worst.equation), std::abs(worst.value));
}
}  // namespace trill
