// SPDX-License-Identifier: BSD-3-Clause
#include "multiscale/cycle_equations.hpp"

#include "linalg/damped_newton.hpp"
#include "linalg/dense_decompositions.hpp"
#include "trill/linalg/kernels.hpp"

#include <cmath>
#include <limits>

namespace trill {
namespace {
constexpr int derives_every = 3;  // iterations, where a derivative is expensive
constexpr int most_halvings_of_a_step = 5;
constexpr double least_condition = 1e-10;
constexpr Index most_derived = 12;  // unknowns for which a derivative costs little more than its cycle
// Unknowns from which on products are cheaper than the matrix: where both come from the factors of a kept cycle, and
// where both take differences of whole cycles.
constexpr Index most_dense = 32, most_dense_by_differences = 6;
constexpr double products_tolerance = 1e-3;  // of the linear systems; the iteration around them corrects the rest
constexpr double indifference = 1e-6;        // of a column of the derivative, in tolerances
constexpr double near_its_place = 10;        // tolerances from the start of a cycle to its end

// In tolerances of the envelope. Convergence is judged by the contraction seen in the same iteration: a contraction
// remembered from earlier steps once hid errors of a tenth where a circuit changed its mode.
NewtonOptions cycle_newton(bool derives_always) {
  return {.tolerance = 0.03, .max_iterations = 12, .jacobian_every = derives_always ? 1 : derives_every};
}

CycleSolver choose_solver(const CycleMap& map, CycleSolver asked) {
  if (asked != CycleSolver::automatic) return asked;
  const Index most = map.derives_cheaply() ? most_dense : most_dense_by_differences;
  return map.layout().size() <= most ? CycleSolver::dense : CycleSolver::picard;
}

bool derives_with_every_cycle(const CycleMap& map, Index unknowns, CycleSolver solver) {
  return unknowns == 1 && solver == CycleSolver::dense && map.layout().size() <= most_derived && map.derives_cheaply();
}
}  // namespace

void list_solver(OptionVisitor& v, CycleSolver& solver) {
  v.choice("solver", solver,
           {{"auto", CycleSolver::automatic},
            {"dense", CycleSolver::dense},
            {"gmres", CycleSolver::gmres},
            {"picard", CycleSolver::picard}},
           "linear systems: dense matrix, products by gmres, Newton-Picard; auto: by the number of unknowns");
}

CycleEquations::CycleEquations(const CycleMap& map, Index unknowns, CycleSolver solver)
    : map_(map),
      size_(map.layout().size()),
      solver_kind_(choose_solver(map, solver)),
      derives_always_(derives_with_every_cycle(map, unknowns, solver_kind_)),
      alpha_(Mat::Zero(unknowns, unknowns)),
      changes_(Mat::Zero(size_, unknowns)),
      unknowns_(Vec::Zero(size_ * unknowns)),
      guess_(unknowns_),
      weights_(unknowns_),
      indifferent_(Vec::Zero(size_)),
      sizes_(Vec::Zero(size_)),
      scaled_(unknowns_),
      solved_(unknowns_),
      newton_(size_ * unknowns, cycle_newton(derives_always_ || solver_kind_ == CycleSolver::gmres)) {
  if (solver_kind_ == CycleSolver::dense) {
    derivative_ = earlier_ = Mat::Zero(size_, size_);
    matrix_ = MatrixSlot::dense(size_ * unknowns, size_ * unknowns);
    solver_ = make_linear_solver(matrix_);
  } else {
    products_.emplace(
        size_, [this](In v, Out av) { multiply(v, av); }, unknowns);
    products_->set_tolerance(products_tolerance);
  }
}

void CycleEquations::pose(const Mat& alpha, const Mat& base, const Vec& n, Counters& work) {
  const DenseInverse inverse = inverse_of(alpha);
  invertible_ = inverse.reciprocal_condition > least_condition;
  inverse_ = inverse.matrix;
  alpha_ = alpha;
  base_ = base;
  n_ = n;
  work_ = &work;
}

void CycleEquations::forget() {
  has_derivative_ = false;
  if (products_) products_->forget();
  indifferent_count_ = 0;
}

void CycleEquations::memory(Archive& archive) {
  archive(has_derivative_, indifferent_, indifferent_count_);
  if (products_)
    archive(*products_, sizes_);
  else
    archive(derivative_);
}

// Products are those of the map in tolerances, whose sizes may have changed since the step before.
void CycleEquations::measure(In weights) {
  weights_ = weights.replicate(alpha_.rows(), 1);
  if (!products_) return;
  if (has_derivative_ && sizes_.size() == weights.size()) products_->rescale(weights.cwiseQuotient(sizes_));
  sizes_ = weights;
}

NewtonStats CycleEquations::solve(Mat& w, In weights) {
  measure(weights);
  effort_ = Effort::plain;
  reusing_ = !derives_always_ && solver_kind_ != CycleSolver::gmres && has_derivative_ && assemble();
  has_earlier_ = has_derivative_ && derives_always_;
  if (has_earlier_) earlier_ = derivative_;
  guess_ = unknowns_ = w.reshaped();
  evaluations_ = 0;
  NewtonStats stats = newton_.solve(*this, unknowns_, weights_, reusing_);
  if (!stats.converged) {
    effort_ = Effort::damped;
    reusing_ = false;
    const NewtonStats damped = solve_damped(*this, unknowns_, weights_, newton_.options(), most_halvings_of_a_step);
    stats.iterations += damped.iterations;
    stats.factorisations += damped.factorisations;
    stats.converged = damped.converged;
  }
  if (!stats.converged) return stats;
  w.reshaped() = unknowns_;
  // The last correction came after the last cycles; the equations say what the changes at the solution are,
  // unless a step has as few cycles as stages: then some w are the start itself.
  if (invertible_) changes_ = (w - base_) * inverse_.transpose();
  return stats;
}

// An iteration with what earlier steps have left begins again at its guess if it fails, with new derivatives.
bool CycleEquations::derives_now(In x) {
  if (reusing_ && evaluations_ > 0 && x == guess_) {
    reusing_ = false;
    evaluations_ = 0;
    effort_ = Effort::refreshed;
  }
  const int every = effort_ == Effort::damped ? 1 : newton_.options().jacobian_every;
  return evaluations_++ % every == 0 && !reusing_;
}

bool CycleEquations::derive(double n, In z, Out change) {
  ++work_->jacobians;
  has_derivative_ = products_ ? map_.record(n, z, change) : map_.change_and_derivative(n, z, change, derivative_);
  return has_derivative_;
}

bool CycleEquations::evaluate(In x) {
  work_->micro_steps += alpha_.rows();
  const bool derives = derives_now(x);
  for (Index i = 0; i < alpha_.rows(); ++i) {
    const auto z = x.segment(i * size_, size_);
    const bool is_last = i + 1 == alpha_.rows();
    if (!(derives && is_last ? derive(n_[i], z, changes_.col(i)) : map_.change(n_[i], z, changes_.col(i))))
      return false;
  }
  return true;
}

void CycleEquations::residual(In x, Out r) {
  if (!evaluate(x)) {
    r.setConstant(std::numeric_limits<double>::quiet_NaN());
    return;
  }
  for (Index i = 0; i < alpha_.rows(); ++i)
    r.segment(i * size_, size_) = x.segment(i * size_, size_) - base_.col(i) - changes_ * alpha_.row(i).transpose();
}

bool CycleEquations::prepare(In) {
  solves_anew_ = true;
  if (!has_derivative_ || !assemble()) return false;
  find_indifferent();
  return true;
}

bool CycleEquations::assemble() {
  if (!products_) return assemble_matrix();
  products_->pose({Mat::Identity(alpha_.rows(), alpha_.rows()) + alpha_, alpha_});
  return true;
}

bool CycleEquations::assemble_matrix() {
  matrix_.set_zero();
  for (Index i = 0; i < alpha_.rows(); ++i)
    for (Index j = 0; j < alpha_.rows(); ++j)
      for (Index col = 0; col < size_; ++col) {
        for (Index row = 0; row < size_; ++row)
          matrix_.add(i * size_ + row, j * size_ + col, -alpha_(i, j) * derivative_(row, col));
        if (i == j) matrix_.add(i * size_ + col, i * size_ + col, 1);
      }
  return solver_->factorise(matrix_);
}

void CycleEquations::multiply(In v, Out av) {
  ++work_->products;
  if (map_.tangent(v.cwiseQuotient(sizes_), av))
    av.array() *= sizes_.array();
  else
    av.setConstant(std::numeric_limits<double>::quiet_NaN());
}

// Newton-Picard needs no products as long as those of earlier systems serve.
void CycleEquations::correct(In r, Out dx) {
  if (!products_) return solver_->solve(r, dx);
  scaled_ = r.cwiseProduct(weights_);
  if (solves_anew_)
    products_->solve(scaled_, solved_);
  else
    products_->estimate(scaled_, solved_);
  solves_anew_ = false;
  dx = solved_.cwiseQuotient(weights_);
}

// The derivative at the solution differs from that at the guess by less than from that of the step before, which is
// farther away. Where it has jumped, because a circuit has changed its mode, this is large.
double CycleEquations::next_correction(In dx, In weights) const {
  if (!derives_always_ || !has_earlier_) return std::numeric_limits<double>::infinity();
  return weighted_rms(alpha_(0, 0) * ((derivative_ - earlier_) * dx), weights);
}

// The columns of P' = derivative + I that are negligible, in units of the tolerances.
void CycleEquations::find_indifferent() {
  indifferent_count_ = 0;
  if (products_) return;
  for (Index j = 0; j < size_; ++j) {
    double largest = std::abs(1 + derivative_(j, j));
    for (Index i = 0; i < size_; ++i)
      if (i != j) largest = std::max(largest, std::abs(derivative_(i, j)) * weights_[i] / weights_[j]);
    indifferent_[j] = largest <= indifference ? 1 : 0;
    if (indifferent_[j] > 0) ++indifferent_count_;
  }
}

// Where such a component is far from the value to which a cycle brings it, the cycle begins with a transient, and
// everything that is known from inside the cycle is wrong: an inductor with a current that a diode blocks has a huge
// voltage.
void CycleEquations::leave_out_indifferent(Out error) const {
  if (indifferent_count_ == 0 || indifferent_count_ == size_) return;
  const auto is_near = (change(changes_.cols() - 1).cwiseAbs().array() * weights_.array() <= near_its_place);
  const Vec counted = 1 - indifferent_.array() * is_near.cast<double>();
  if (counted.sum() == 0) return;
  error.array() *= std::sqrt(static_cast<double>(size_) / counted.sum()) * counted.array();
}
}  // namespace trill
