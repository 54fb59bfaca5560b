// SPDX-License-Identifier: BSD-3-Clause
#include "multiscale/modal_mechanics.hpp"

#include "linalg/modes.hpp"
#include "linalg/sparse_cholesky.hpp"
#include "trill/base/errors.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace trill {
namespace {
SpMat as_sparse(const MatrixSlot& slot) {
  return slot.is_sparse() ? slot.as_sparse() : SpMat(slot.as_dense().sparseView());
}

double size_in(const SpMat& m, In x) { return std::sqrt(std::max(x.dot(m * x), 0.0)); }
}  // namespace

Groups linear_groups(const MechanicalProblem& problem) {
  Groups found = 0;
  const Groups fast = fast_groups(problem);
  for (Groups bit = 1; bit != 0 && bit <= fast; bit <<= 1)
    if ((fast & bit) && problem.linear_force(bit) && !problem.velocity_dependent(bit)) found |= bit;
  return found;
}

ModalMechanics::ModalMechanics(const MechanicalProblem& whole)
    : whole_(whole),
      linear_(linear_groups(whole)),
      others_(known_groups(whole) & ~linear_),
      accelerate_(whole, others_ == 0 ? all_groups : others_) {
  if (whole.constraints()) throw UsageError("modal cannot satisfy constraints; use radau for '" + whole.name() + "'");
  if (whole.mass_kind() == MassKind::of_q)
    throw UsageError("modal needs a constant mass matrix, not a position-dependent mass; use radau for '" +
                     whole.name() + "'");
  if (linear_ == 0)
    throw UsageError(
        fmt::format("modal needs a fast force group whose forces are linear, and '{}' has none; "
                    "use dop853 or radau",
                    whole.name()));
  const Index n = whole.layout().nq;
  q_ = v_ = f_ = rest_ = Vec::Zero(n);
}

std::unique_ptr<Problem> ModalMechanics::clone() const {
  auto copy = std::make_unique<ModalMechanics>(whole_);
  copy->mass_ = mass_;
  copy->lambda_ = lambda_;
  copy->rest_ = rest_;
  copy->next_ = next_;
  copy->shapes_ = shapes_;
  copy->momenta_ = momenta_;
  return copy;
}

std::vector<Quantity> ModalMechanics::components() const {
  std::vector<Quantity> all;
  for (const char* letter : {"x", "vx"})
    for (Index i = 1; i <= lambda_.size(); ++i) all.push_back({letter + std::to_string(i), ""});
  return all;
}

State ModalMechanics::initial_state() const {
  State in(layout());
  to_modes(whole_.initial_state(), in);
  return in;
}

void ModalMechanics::take_modes(const State& at, Index count) {
  MatrixSlot mass = whole_.mass_pattern(), dq = whole_.stiffness_pattern(), dv = whole_.damping_pattern();
  whole_.mass(at.q(), mass);
  mass_ = as_sparse(mass);
  const Vec zero = Vec::Zero(at.layout.nq);
  if (!whole_.force_jacobian(linear_, at.t, zero, zero, dq, dv))
    throw UsageError(
        fmt::format("modal needs the matrix of the linear forces of '{}', which it does not give", whole_.name()));
  const SpMat k = -1.0 * as_sparse(dq);
  const Index all = at.layout.nq, wanted = std::min(count, all);
  const Modes modes = lowest_modes(k, mass_, {.count = std::min(wanted + 1, all)});
  if (!modes.pairs.converged)
    throw UsageError(fmt::format("modal cannot use '{}': {}", whole_.name(), modes.pairs.message));
  lambda_ = modes.pairs.values.head(wanted);
  next_ = wanted < all ? modes.pairs.values[wanted] : 0;
  shapes_ = modes.pairs.vectors.leftCols(wanted);
  momenta_ = mass_ * shapes_;
  whole_.force(linear_, at.t, zero, zero, f_);
  if (f_.cwiseAbs().maxCoeff() > 0) {
    const SparseCholesky factors(k);
    if (!factors.is_positive_definite())
      throw UsageError(
          fmt::format("modal needs linear forces with one place of rest, and those of '{}' have none", whole_.name()));
    rest_ = factors.solve(f_);
  }
  accelerate_.start(at.q());
}

void ModalMechanics::force(Groups groups, double t, In x, In v, Out f) const {
  if (groups & linear_bit)
    f = -lambda_.cwiseProduct(x);
  else
    f.setZero();
  if (!(groups & other_bit) || others_ == 0) return;
  q_.noalias() = rest_ + shapes_ * x;
  v_.noalias() = shapes_ * v;
  whole_.force(others_, t, q_, v_, f_);
  f.noalias() += shapes_.transpose() * f_;
}

bool ModalMechanics::force_jacobian(Groups groups, double, In, In, MatrixSlot& dq, MatrixSlot& dv) const {
  if (groups & other_bit) return false;
  dq.set_zero();
  dv.set_zero();
  for (Index i = 0; i < lambda_.size(); ++i) dq.add(i, i, -lambda_[i]);
  return true;
}

void ModalMechanics::to_modes(const State& given, State& in) const {
  in = State(layout(), given.t);
  in.q() = momenta_.transpose() * (given.q() - rest_);
  in.v() = momenta_.transpose() * given.v();
}

void ModalMechanics::from_modes(const State& in, State& given) const {
  given.t = in.t;
  given.q().noalias() = rest_ + shapes_ * in.q();
  given.v().noalias() = shapes_ * in.v();
}

double ModalMechanics::left_out(const State& given) {
  if (next_ <= 0) return 0;
  const auto outside = [&](const Vec& x) { return size_in(mass_, x - shapes_ * (momenta_.transpose() * x)); };
  const Vec moved = given.q() - rest_;
  const double size = std::max(size_in(mass_, moved), size_in(mass_, given.v()) / std::sqrt(next_));
  double rest = std::max(outside(moved), outside(given.v()) / std::sqrt(next_));
  if (others_ != 0) {
    accelerate_(given.t, given.q(), given.v(), f_);
    rest = std::max(rest, outside(f_) / next_);
  }
  return size > 0 ? rest / size : 0;
}
}  // namespace trill
