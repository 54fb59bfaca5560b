// SPDX-License-Identifier: BSD-3-Clause
#include "trill/problem/mechanical.hpp"

#include "problem/reactive.hpp"
#include "trill/problem/langevin.hpp"

namespace trill {
namespace {
SpMat diagonal_pattern(Index n) {
  SpMat pattern(n, n);
  pattern.setIdentity();
  return pattern;
}

class CopyByCopy final : public ForceBlock {
 public:
  explicit CopyByCopy(std::span<const MechanicalProblem* const> copies)
      : copies_(copies.begin(), copies.end()), q_(Vec::Zero(copies_.front()->layout().nq)), v_(q_), f_(q_) {}

  void force(Groups groups, double t, const double* q, const double* v, double* f) const override {
    const auto count = static_cast<Index>(copies_.size());
    for (Index copy = 0; copy < count; ++copy) {
      for (Index i = 0; i < q_.size(); ++i) {
        q_[i] = q[i * count + copy];
        v_[i] = v[i * count + copy];
      }
      copies_[static_cast<std::size_t>(copy)]->force(groups, t, q_, v_, f_);
      for (Index i = 0; i < f_.size(); ++i) f[i * count + copy] = f_[i];
    }
  }

 private:
  std::vector<const MechanicalProblem*> copies_;
  mutable Vec q_, v_, f_;
};
}  // namespace

std::string ConstraintMap::name(Index k) const { return "constraint " + std::to_string(k + 1); }

MatrixSlot ConstraintMap::transpose_pattern() const {
  const Index n = pattern().cols();
  return MatrixSlot::dense(n, n);
}

MatrixSlot MechanicalProblem::mass_pattern() const { return MatrixSlot::sparse(diagonal_pattern(layout().nq)); }

void MechanicalProblem::mass(In q, MatrixSlot& m) const {
  m.set_zero();
  for (Index i = 0; i < q.size(); ++i) m.add(i, i, 1);
}

void MechanicalProblem::mass_product_derivative(In, In, MatrixSlot&) const {}

std::unique_ptr<ForceBlock> MechanicalProblem::join(std::span<const MechanicalProblem* const> copies) const {
  return std::make_unique<CopyByCopy>(copies);
}

MatrixSlot MechanicalProblem::stiffness_pattern() const { return MatrixSlot::dense(layout().nq, layout().nq); }

MatrixSlot MechanicalProblem::damping_pattern() const {
  const Index n = layout().nq;
  return velocity_dependent(all_groups) ? MatrixSlot::dense(n, n) : MatrixSlot::sparse(SpMat(n, n));
}

bool MechanicalProblem::force_jacobian(Groups, double, In, In, MatrixSlot&, MatrixSlot&) const { return false; }
bool MechanicalProblem::force_product(Groups, double, In, In, In, Out) const { return false; }

namespace {
Groups groups_where(const MechanicalProblem& problem, bool fast, bool slow) {
  Groups mask = 0;
  Groups bit = 1;
  for (const GroupInfo& group : problem.groups()) {
    if (group.fast ? fast : slow) mask |= bit;
    bit <<= 1;
  }
  return mask;
}
}  // namespace

Groups fast_groups(const MechanicalProblem& problem) { return groups_where(problem, true, false); }
Groups slow_groups(const MechanicalProblem& problem) { return groups_where(problem, false, true); }
Groups known_groups(const MechanicalProblem& problem) { return groups_where(problem, true, true); }

const MechanicalProblem* mechanics_of(const Problem& problem) {
  if (const auto* bath = dynamic_cast<const LangevinProblem*>(&problem)) return &bath->mechanics();
  if (const auto* reactive = dynamic_cast<const ReactiveProblem*>(&problem)) return &reactive->mechanics();
  return dynamic_cast<const MechanicalProblem*>(&problem);
}
}  // namespace trill
