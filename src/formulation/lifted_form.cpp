// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/lifted_form.hpp"

#include "formulation/joined_map.hpp"
#include "problem/joint_terms.hpp"
#include "trill/linalg/kernels.hpp"

namespace trill {
namespace {
// The stiff gaps, if their forces are in separate force groups.
const StrongPotential* separate_gaps(const MechanicalProblem& p) {
  const StrongPotential* strong = p.strong_potential();
  return strong && strong->groups != 0 ? strong : nullptr;
}

MatrixSlot slope_pattern(const MechanicalProblem& p, const ConstraintMap* map, const ReactionForces* reactions) {
  MatrixSlot pattern = p.stiffness_pattern();
  if (reactions) pattern = union_pattern(pattern, reactions->reaction_patterns().by_position);
  if (map) pattern = union_pattern(pattern, map->transpose_pattern());
  return pattern;
}

// An entry of G^T l, from a column of G.
inline double row_force(auto rows, const double* column, const double* l) {
  double sum = column[0] * l[0];
  for (Index i = 1; i < rows; ++i) sum += column[i] * l[i];
  return sum;
}
}  // namespace

struct LiftedForm::Rows {
  std::unique_ptr<ConstraintMap> joined;
  std::unique_ptr<JointTerms> terms;
};

LiftedForm::LiftedForm(const MechanicalProblem& problem, bool with_gaps)
    : problem_(problem),
      n_(problem.layout().nq),
      soft_(known_groups(problem)),
      counted_(soft_),
      mass_kind_(problem.mass_kind()),
      mass_(problem.mass_pattern()),
      damping_(problem.damping_pattern()),
      force_slope_(problem.stiffness_pattern()),
      force_damping_(damping_),
      reactions_(reaction_forces(problem)),
      q_differences_(force_slope_),
      v_differences_(force_damping_),
      product_(n_) {
  if (reactions_) {
    reaction_slopes_ = reactions_->reaction_patterns();
    damping_ = union_pattern(damping_, reaction_slopes_.by_velocity);
    reaction_ = Vec::Zero(n_);
  }
  const StrongPotential* strong = with_gaps ? separate_gaps(problem) : nullptr;
  const ConstraintMap* hard = problem.constraints();
  leaves_gaps_ = problem.strong_potential() && !strong;
  rows_ = std::make_unique<Rows>();
  if (strong && hard) rows_->joined = std::make_unique<JoinedMap>(*strong->map, *hard);
  map_ = rows_->joined ? rows_->joined.get() : strong ? strong->map : hard;
  slope_ = slope_pattern(problem, map_, reactions_);
  force_places_ = SlotMap(slope_, force_slope_);
  if (strong) {
    gaps_ = strong->map->count();
    gaps_move_ = strong->map->moving();
    soft_ &= ~strong->groups;
  }
  if (!map_) return;
  m_ = map_->count();
  rows_->terms = make_joint_terms(problem, soft_, *map_);
  G_ = map_->pattern();
  few_rows_ = !G_.is_sparse() && m_ > 0 && m_ <= 3;
  bend_ = map_->transpose_pattern();
  bend_places_ = SlotMap(slope_, bend_);
  compliance_ = Vec::Zero(m_);
  if (strong) compliance_.head(gaps_) = strong->stiffness.cwiseInverse();
}

LiftedForm::~LiftedForm() = default;

void LiftedForm::residual(double t, const double* q, const double* v, const double* k, const double* l, double* balance,
                          double* closure) {
  using Read = Eigen::Map<const Vec>;
  if (map_)
    rows_->terms->force_and_gaps(t, q, v, product_.data(), closure, G_);
  else
    problem_.force(soft_, t, Read(q, n_), Read(v, n_), product_);
  if (reactions_) add_reactions(t, Read(q, n_), Read(v, n_), Read(l, m_), product_);
  if (mass_kind_ == MassKind::identity) {
    for (Index i = 0; i < n_; ++i) balance[i] = k[i] - product_[i];
  } else {
    times_mass(Read(q, n_), Read(k, n_), Eigen::Map<Vec>(balance, n_));
    add_scaled(balance, -1, product_.data(), n_);
  }
  if (!map_) return;
  add_row_forces(l, balance);
  for (Index i = 0; i < m_; ++i) closure[i] -= compliance_[i] * l[i];
}

bool LiftedForm::residuals(Index points, const double* q, const double* v, const double* k, const double* l,
                           Index stride, double* r) {
  if (!few_rows_ || reactions_ || mass_kind_ != MassKind::identity) return false;
  const Index size = n_ + m_ + G_.stored();
  if (several_.size() < points * size) several_.resize(points * size);
  if (!rows_->terms->force_and_gaps_at(points, q, v, several_.data())) return false;
  with_small(m_, [&](auto m) {
    const double *f = several_.data(), *c = compliance_.data();
    for (Index p = 0; p < points; ++p, f += size, k += n_, l += stride, r += stride) {
      const double *gap = f + n_, *column = gap + m;
      for (Index j = 0; j < n_; ++j, column += m) r[j] = k[j] - f[j] + row_force(m, column, l);
      for (Index i = 0; i < m; ++i) r[n_ + i] = gap[i] - c[i] * l[i];
    }
  });
  return true;
}

// balance += G^T l. For few rows a plain loop gives the same bits as the general product.
void LiftedForm::add_row_forces(const double* l, double* balance) {
  if (!few_rows_) {
    G_.multiply_transposed(Eigen::Map<const Vec>(l, m_), product_);
    add_scaled(balance, 1, product_.data(), n_);
    return;
  }
  const double* column = G_.values();
  for (Index j = 0; j < n_; ++j, column += m_) balance[j] += row_force(m_, column, l);
}

void LiftedForm::times_mass(In q, In x, Out y) {
  if (mass_kind_ == MassKind::identity) {
    y = x;
    return;
  }
  if (mass_kind_ == MassKind::of_q || !mass_known_) problem_.mass(q, mass_);
  mass_known_ = true;
  mass_.multiply(x, y);
}

void LiftedForm::pull(double t, In q, In v, In l, Out force) {
  problem_.force(soft_, t, q, v, force);
  if (reactions_) add_reactions(t, q, v, l, force);
  if (!map_) return;
  map_->jacobian(t, q, G_);
  G_.multiply_transposed(l, product_);
  add_scaled(force.data(), -1, product_.data(), n_);
}

void LiftedForm::linearise(double t, In q, In v, In k, In l) {
  problem_.mass(q, mass_);
  mass_known_ = true;
  slope_.set_zero();
  if (mass_kind_ == MassKind::of_q) problem_.mass_product_derivative(q, k, slope_);
  force_derivatives(t, q, v);
  slope_.scale_add(-1, force_slope_, force_places_);
  if (reactions_) {
    reactions_->reaction_jacobians(t, q, v, l.tail(m_ - gaps_), reaction_slopes_);
    slope_.scale_add(-1, reaction_slopes_.by_position);
    damping_.scale_add(1, reaction_slopes_.by_velocity);
  }
  if (!map_) return;
  map_->jacobian(t, q, G_);
  map_->transpose_derivative(t, q, l, bend_);
  slope_.scale_add(1, bend_, bend_places_);
}

void LiftedForm::add_reactions(double t, In q, In v, In l, Out f) {
  reactions_->reaction_force(t, q, v, l.tail(m_ - gaps_), reaction_);
  add_scaled(f.data(), 1, reaction_.data(), n_);
}

void LiftedForm::force_derivatives(double t, In q, In v) {
  MatrixSlot& by_velocity = reactions_ ? force_damping_ : damping_;
  find_force_derivatives(t, q, v, by_velocity);
  if (!reactions_) return;
  damping_.set_zero();
  damping_.scale_add(1, force_damping_);
}

void LiftedForm::find_force_derivatives(double t, In q, In v, MatrixSlot& by_velocity) {
  if (problem_.force_jacobian(soft_, t, q, v, force_slope_, by_velocity)) return;
  // Passed by reference: a function object of this size would be allocated on the heap.
  const auto of_q = [&](In x, Out f) { problem_.force(soft_, t, x, v, f); };
  const auto of_v = [&](In x, Out f) { problem_.force(soft_, t, q, x, f); };
  q_differences_.evaluate(std::cref(of_q), q, force_slope_);
  if (by_velocity.stored() > 0) v_differences_.evaluate(std::cref(of_v), v, by_velocity);
}
}  // namespace trill
