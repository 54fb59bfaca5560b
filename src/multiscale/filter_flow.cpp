// SPDX-License-Identifier: BSD-3-Clause
#include "multiscale/filter_flow.hpp"

#include "multiscale/same_numbers.hpp"
#include "trill/linalg/kernels.hpp"
#include "trill/method/implicit_tableau.hpp"

#include <cmath>

namespace trill {
namespace {
constexpr double filter_tolerance = 1e-14;  // for functions of large matrices
constexpr int first_average = 2;            // averages of positions come after the two functions of their motion

double sine_over(double x) { return x == 0 ? 1 : std::sin(x) / x; }
// (1 - cos x)/x^2
double versine_over_square(double x) {
  const double s = sine_over(x / 2);
  return s * s / 2;
}

// (1 - hatchi(x))/x^2 = int chi(s) s^2 (1 - cos(x s))/(x s)^2 ds: the average of positions under a constant force. Uses
// quadrature where the difference would suffer from cancellation.
double average_of_push(const Weight& chi, double x) {
  if (std::abs(x) >= 1) return (1 - chi.filter(x)) / (x * x);
  static const ImplicitTableau gauss = gauss_tableau(8);
  double sum = 0;
  for (const Weight::Piece& piece : chi.pieces())
    for (Index i = 0; i < gauss.c.size(); ++i) {
      const double length = piece.to - piece.from, s = piece.from + gauss.c[i] * length;
      sum += 2 * gauss.b[i] * length * chi.value(s, s) * s * s * versine_over_square(x * s);
    }
  return sum;
}
}  // namespace

FilterFlow::FilterFlow(const MechanicalProblem& problem, Groups fast, std::vector<WeightPair> pairs)
    : problem_(problem), fast_(fast), pairs_(std::move(pairs)), kind_(problem.mass_kind()) {
  for (const WeightPair& pair : pairs_) has_averages_ = has_averages_ || !pair.phi.is_delta();
}

FunctionFamilies FilterFlow::families() const {
  const EvenFunction cosine = [](double x) { return std::cos(x); };
  FunctionFamilies all(of_force + pairs_.size());
  all[of_position] = {cosine, [](double x) { return x * std::sin(x); }};
  all[of_velocity] = {sine_over, cosine};
  all[of_constant] = {versine_over_square, sine_over};
  for (std::size_t k = 0; k < pairs_.size(); ++k) {
    const auto& [phi, psi] = pairs_[k];
    all[of_position].push_back([phi](double x) { return phi.filter(x); });
    all[of_constant].push_back([phi](double x) { return average_of_push(phi, x); });
    all[of_force + k] = {[psi](double x) { return psi.filter(x); }};
  }
  return all;
}

void FilterFlow::start(const State& s) {
  const Index n = s.layout.nq;
  mass_ = problem_.mass_pattern();
  problem_.mass(s.q(), mass_);
  if (kind_ == MassKind::constant) {
    solver_ = make_linear_solver(mass_);
    solver_->analyse(mass_);
    if (!solver_->factorise(mass_)) throw UsageError("the mass matrix of '" + problem_.name() + "' is singular");
  } else {
    inverse_mass_.resize(n);
    for (Index i = 0; i < n; ++i) inverse_mass_[i] = 1 / mass_.value(i, i);
  }
  MatrixSlot stiffness = problem_.stiffness_pattern(), damping = problem_.damping_pattern();
  const Vec zero = Vec::Zero(n);
  problem_.force_jacobian(fast_, s.t, zero, zero, stiffness, damping);
  stiffness.scale(-1);
  try {
    functions_ = make_matrix_functions({stiffness, mass_}, families(), filter_tolerance);
  } catch (const UsageError& e) {
    throw UsageError(std::string(e.what()) +
                     "; with option inner=16 the fast motion is followed by inner steps instead");
  }
  constant_ = position_ = force_ = mollified_ = part_ = zero;
  problem_.force(fast_, s.t, zero, zero, constant_);
  has_constant_ = constant_.cwiseAbs().maxCoeff() > 0;
  divide_by_mass(constant_);
  of_position_ = constant_terms_ = nullptr;
  h_ = 0;
}

void FilterFlow::divide_by_mass(Out a) const {
  if (kind_ == MassKind::constant)
    solver_->solve(a, a);
  else if (kind_ != MassKind::identity)
    a.array() *= inverse_mass_.array();
}

const Mat* FilterFlow::apply(std::size_t family, In x, Counters& work) {
  const long before = functions_->products();
  const Mat* y = functions_->apply(family, x);
  work.products += functions_->products() - before;
  return y;
}

bool FilterFlow::prepare(double h, Counters& work) {
  if (h == h_) return true;
  h_ = 0;
  of_position_ = nullptr;
  try {
    functions_->prepare(h);
  } catch (const UsageError&) {  // h omega is far too large
    return false;
  }
  if (has_constant_) {
    constant_terms_ = apply(of_constant, constant_, work);
    if (constant_terms_ == nullptr) return false;
  }
  h_ = h;
  return true;
}

const Mat* FilterFlow::apply_to_position(In q, Counters& work) {
  if (of_position_ != nullptr && same_numbers(position_, q)) return of_position_;
  position_ = q;
  return of_position_ = apply(of_position, position_, work);
}

bool FilterFlow::flow(double t, double h, Out q, Out v, Counters& work) {
  if (functions_->needs_no_basis()) return flow_after_kick(t, h, 0, constant_, q, v, work);
  return prepare(h, work) && turn_by_functions(h, q, v, work) && push(h, q, v);
}

bool FilterFlow::flow_after_kick(double t, double h, double kick, In a, Out q, Out v, Counters& work) {
  if (!functions_->needs_no_basis()) return FastFlow::flow_after_kick(t, h, kick, a, q, v, work);
  return prepare(h, work) && functions_->turn(kick, a, q, v) && push(h, q, v);
}

// By the constant part of the force.
bool FilterFlow::push(double h, Out q, Out v) const {
  if (!has_constant_) return true;
  q += h * h * constant_terms_->col(0);
  v += h * constant_terms_->col(1);
  return all_finite(q) && all_finite(v);
}

bool FilterFlow::turn_by_functions(double h, Out q, Out v, Counters& work) {
  const Mat *from_q = apply_to_position(q, work), *from_v = apply(of_velocity, v, work);
  if (from_q == nullptr || from_v == nullptr) return false;
  q = from_q->col(0) + h * from_v->col(0);
  v = from_v->col(1) - (1 / h) * from_q->col(1);
  return all_finite(q) && all_finite(v);
}

bool FilterFlow::average(double, double h, In q, Eigen::Ref<Mat> a, Counters& work) {
  if (!prepare(h, work)) return false;
  const bool by_basis = has_averages_ && !functions_->needs_no_basis();
  const Mat* from_q = by_basis ? apply_to_position(q, work) : nullptr;
  if (by_basis && from_q == nullptr) return false;
  for (std::size_t k = 0; k < pairs_.size(); ++k) {
    const auto column = static_cast<Index>(k);
    if (pairs_[k].phi.is_delta()) {
      a.col(column) = q;
      continue;
    }
    if (by_basis)
      a.col(column) = from_q->col(first_average + column);
    else
      functions_->apply_one(of_position, first_average + k, q, a.col(column));
    if (has_constant_) a.col(column) += h * h * constant_terms_->col(first_average + column);
  }
  return true;
}

// hatpsi of one pair times an acceleration.
bool FilterFlow::mollify_one(std::size_t k, In x, Out y, Counters& work) {
  if (functions_->needs_no_basis()) {
    functions_->apply_one(of_force + k, 0, x, y);
    return true;
  }
  const Mat* mollified = apply(of_force + k, x, work);
  if (mollified == nullptr) return false;
  y = mollified->col(0);
  return true;
}

bool FilterFlow::mollify(const Eigen::Ref<const Mat>& g, Out sum, Counters& work) {
  for (std::size_t k = 0; k < pairs_.size(); ++k) {
    Out part = k == 0 ? sum : Out(part_);
    const auto given = g.col(static_cast<Index>(k));
    if (pairs_[k].psi.is_delta()) {
      part = given;
    } else if (kind_ == MassKind::identity) {
      if (!mollify_one(k, given, part, work)) return false;
    } else {
      force_ = given;
      divide_by_mass(force_);
      if (!mollify_one(k, force_, mollified_, work)) return false;
      mass_.multiply(mollified_, part);
    }
    if (k > 0) sum += part_;
  }
  return true;
}

void FilterFlow::memory(Archive& archive) {
  double h = h_;
  bool known = of_position_ != nullptr;
  archive(h, known, position_);
  if (!archive.reading() || h == 0) return;
  Counters made_before;
  if (prepare(h, made_before) && known) of_position_ = apply(of_position, position_, made_before);
}

// If the user gives a number of inner steps, inner steps are used even for a linear force.
std::unique_ptr<FastFlow> make_fast_flow(const MechanicalProblem& problem, Groups fast, std::vector<WeightPair> pairs,
                                         const FlowOptions& options) {
  if (options.inner == 0 && problem.linear_force(fast))
    return std::make_unique<FilterFlow>(problem, fast, std::move(pairs));
  return make_sweep_flow(problem, fast, std::move(pairs), options);
}
}  // namespace trill
