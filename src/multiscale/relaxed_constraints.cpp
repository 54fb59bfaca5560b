// SPDX-License-Identifier: BSD-3-Clause
#include "multiscale/relaxed_constraints.hpp"

#include "trill/formulation/acceleration.hpp"

namespace trill {
RelaxedConstraints::RelaxedConstraints(const MechanicalProblem& rigid)
    : rigid_(rigid),
      own_(Groups{1} << rigid.groups().size()),
      G_(rigid.constraints()->pattern()),
      g_(Vec::Zero(rigid.constraints()->count())),
      product_(Vec::Zero(rigid.layout().nq)) {
  springs_ = {rigid.constraints(), g_, own_};
}

// By itself, constraint i would have the frequency sqrt(K_i G_i M^-1 G_i^T).
void RelaxedConstraints::set_frequency(double omega, const State& s) {
  const ConstraintMap& map = *rigid_.constraints();
  map.jacobian(s.t, s.q(), G_);
  Acceleration mass(rigid_);
  mass.start(s.q());
  Vec row(s.layout.nq), divided(s.layout.nq);
  for (Index i = 0; i < map.count(); ++i) {
    G_.multiply_transposed(Vec::Unit(map.count(), i), row);
    divided = row;
    mass.divide_by_mass(s.q(), divided);
    springs_.stiffness[i] = omega * omega / row.dot(divided);
  }
  frequency_ = omega;
}

Layout RelaxedConstraints::layout() const {
  Layout l = rigid_.layout();
  l.nl = 0;
  return l;
}

std::vector<Quantity> RelaxedConstraints::components() const {
  auto all = rigid_.components();
  all.resize(static_cast<std::size_t>(layout().size()));
  return all;
}

State RelaxedConstraints::initial_state() const {
  const State given = rigid_.initial_state();
  State s(layout(), given.t);
  s.mode = given.mode;
  s.q() = given.q();
  s.v() = given.v();
  return s;
}

std::unique_ptr<Problem> RelaxedConstraints::clone() const {
  const std::shared_ptr<const Problem> problem = rigid_.clone();
  auto copy = std::make_unique<RelaxedConstraints>(problem->as<MechanicalProblem>("hmm"));
  copy->owned_ = problem;
  copy->springs_.stiffness = springs_.stiffness;
  copy->frequency_ = frequency_;
  return copy;
}

std::vector<GroupInfo> RelaxedConstraints::groups() const {
  auto all = rigid_.groups();
  all.push_back({"constraints", true});
  return all;
}

void RelaxedConstraints::force(Groups groups, double t, In q, In v, Out f) const {
  rigid_.force(groups, t, q, v, f);
  if ((groups & own_) == 0) return;
  rigid_.constraints()->value(t, q, g_);
  rigid_.constraints()->jacobian(t, q, G_);
  g_.array() *= springs_.stiffness.array();
  G_.multiply_transposed(g_, product_);
  f -= product_;
}

MatrixSlot RelaxedConstraints::stiffness_pattern() const {
  return MatrixSlot::dense(rigid_.layout().nq, rigid_.layout().nq);
}
}  // namespace trill
