// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/fixman.hpp"

#include "trill/base/errors.hpp"
#include "trill/formulation/acceleration.hpp"

#include <algorithm>

namespace trill {
namespace {
std::size_t nth(Index i) { return static_cast<std::size_t>(i); }

// Every entry that the slot can hold.
SpMat sparse_pattern(const MatrixSlot& slot) {
  if (slot.is_sparse()) return slot.as_sparse();
  return Mat::Ones(slot.rows(), slot.cols()).sparseView();
}

MatrixSlot rows_from(const SpMat& all, Index first) {
  std::vector<Eigen::Triplet<double>> entries;
  for (Index j = 0; j < all.cols(); ++j)
    for (SpMat::InnerIterator it(all, j); it; ++it)
      if (it.row() >= first) entries.emplace_back(it.row() - first, j, 1.0);
  SpMat pattern(all.rows() - first, all.cols());
  pattern.setFromTriplets(entries.begin(), entries.end());
  return MatrixSlot::sparse(std::move(pattern));
}
}  // namespace

FixmanForce::Part::Part(const SpMat& all, Index first)
    : rows(rows_from(all, first)), products(rows), selected(products.pattern()) {
  Z = inverse = products.pattern();
  Index place = 0;
  for (Index j = 0; j < all.cols(); ++j)
    for (SpMat::InnerIterator it(all, j); it; ++it, ++place)
      if (it.row() >= first) places.push_back(place);
  for (Index j = 0; j < rows.cols(); ++j)
    for (SpMat::InnerIterator a(rows.as_sparse(), j); a; ++a)
      for (SpMat::InnerIterator b(rows.as_sparse(), j); b; ++b)
        pair_places.push_back(Z.entry(a.row(), b.row()) - Z.values());
}

FixmanForce::FixmanForce(const MechanicalProblem& problem, const ConstraintMap& map, Index gaps, Index block)
    : map_(map),
      block_(block),
      q_(problem.layout().nq),
      inverse_mass_(Vec::Ones(q_.size())),
      dq_(Vec::Zero(q_.size())),
      s_(Vec::Zero(map.count())),
      bent_(q_.size()),
      G_(map.pattern()) {
  if (problem.mass_kind() != MassKind::identity && problem.mass_kind() != MassKind::diagonal)
    throw UsageError("the Fixman force needs a diagonal mass matrix that does not depend on positions");
  Acceleration mass(problem);
  const Vec start = problem.initial_state().q();
  mass.start(start);
  mass.divide_by_mass(start, inverse_mass_);
  const SpMat all = sparse_pattern(G_);
  parts_.emplace_back(all, 0);
  if (gaps < map.count()) parts_.emplace_back(all, gaps);
  values_.resize(parts_.front().places.size());
  directions_.resize(values_.size());
  find_passes();
}

void FixmanForce::find_passes() {
  const SpMat& meeting = parts_.front().Z.as_sparse();
  std::vector<int> pass_of(nth(map_.count()), -1);
  for (Index c = 0; c < map_.count(); ++c) {
    std::vector<bool> taken(passes_.size() + 1, false);
    for (SpMat::InnerIterator it(meeting, c); it; ++it)
      if (const int pass = pass_of[nth(it.row())]; pass >= 0) taken[static_cast<std::size_t>(pass)] = true;
    const auto pass = static_cast<std::size_t>(std::find(taken.begin(), taken.end(), false) - taken.begin());
    if (pass == passes_.size()) passes_.emplace_back();
    passes_[pass].rows.push_back(c);
    pass_of[nth(c)] = static_cast<int>(pass);
  }
  Index place = 0;
  const SpMat& rows = parts_.front().rows.as_sparse();
  for (Index j = 0; j < rows.cols(); ++j)
    for (SpMat::InnerIterator it(rows, j); it; ++it, ++place)
      passes_[static_cast<std::size_t>(pass_of[nth(it.row())])].entries.emplace_back(j, place);
}

bool FixmanForce::factorise(Part& part) {
  for (std::size_t k = 0; k < part.places.size(); ++k) part.rows.values()[k] = values_[nth(part.places[k])];
  part.products.form(part.rows, inverse_mass_, part.rows, part.Z);
  if (block_ > 0)
    for (Index j = 0; j < part.Z.cols(); ++j)
      for (SpMat::InnerIterator it(part.Z.as_sparse(), j); it; ++it)
        if (it.row() / block_ != j / block_) *part.Z.entry(it.row(), j) = 0;
  return part.selected.factorise(part.Z);
}

bool FixmanForce::stand_at(double t, In q) {
  t_ = t;
  q_ = q;
  map_.jacobian(t, q, G_);
  std::copy_n(G_.values(), G_.stored(), values_.begin());
  return std::all_of(parts_.begin(), parts_.end(), [&](Part& part) { return factorise(part); });
}

double FixmanForce::potential(double kT) const {
  double sum = parts_.front().selected.log_determinant();
  if (parts_.size() > 1) sum -= parts_.back().selected.log_determinant();
  return 0.5 * kT * sum;
}

void FixmanForce::add_directions(Part& part, double sign) {
  part.selected.fill(part.inverse);
  const double* Y = part.inverse.values();
  const Index* pair = part.pair_places.data();
  const SpMat& rows = part.rows.as_sparse();
  for (Index i = 0; i < rows.cols(); ++i) {
    const Index from = rows.outerIndexPtr()[i], to = rows.outerIndexPtr()[i + 1];
    for (Index a = from; a < to; ++a) {
      double sum = 0;
      for (Index b = from; b < to; ++b) sum += Y[*pair++] * rows.valuePtr()[b];
      directions_[nth(part.places[nth(a)])] += sign * inverse_mass_[i] * sum;
    }
  }
}

// (sum_c s_c H_c) dq
void FixmanForce::bend(Out covector) {
  if (map_.reaction_along(t_, q_, dq_, s_, covector)) return;
  if (second_.rows() == 0) second_ = map_.transpose_pattern();
  map_.transpose_derivative(t_, q_, s_, second_);
  second_.multiply(dq_, covector);
}

void FixmanForce::add(double kT, Out f) {
  std::fill(directions_.begin(), directions_.end(), 0.0);
  add_directions(parts_.front(), 1);
  if (parts_.size() > 1) add_directions(parts_.back(), -1);
  for (const Pass& pass : passes_) {
    s_.setZero();
    dq_.setZero();
    for (const Index row : pass.rows) s_[row] = 1;
    for (const auto& [coordinate, place] : pass.entries) dq_[coordinate] = directions_[nth(place)];
    bend(bent_);
    f -= kT * bent_;
  }
}
}  // namespace trill
