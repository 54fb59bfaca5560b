// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/problem/mechanical.hpp"

#include <memory>

namespace trill {
// The forces of some groups and the rows of a map at one point in one call, so that a model computes what both contain
// only once. The numbers are those of separate calls, bit by bit.
class JointTerms {
 public:
  virtual ~JointTerms() = default;
  // By pointers to whole vectors: every stage of an implicit step calls it, and in small models references to columns
  // would cost as much as the model.
  virtual void force_and_gaps(double t, const double* q, const double* v, double* f, double* g,
                              MatrixSlot& G) const = 0;
  // The same at several points whose q and v follow each other: `values` takes f, g and the entries of G at the first
  // point, then those at the next. false: they have to be computed one by one, because they depend on time or for lack
  // of such a function.
  virtual bool force_and_gaps_at(Index /*points*/, const double* /*q*/, const double* /*v*/, double* /*values*/) const {
    return false;
  }
  virtual void force_and_curvature(double t, In q, In v, Out f, MatrixSlot& G, Out eta) const = 0;
  // d^k f/dt^k and ConstraintMap::rigid_rate, k = 1 or 2.
  virtual void rates(int k, const Motion& motion, In s, In s1, Out f, Out covector, Out values) const = 0;
};

// By separate calls, for any model and any map.
class SeparateTerms final : public JointTerms {
 public:
  SeparateTerms(const MechanicalProblem& problem, Groups groups, const ConstraintMap& map)
      : problem_(problem), groups_(groups), map_(map) {}
  void force_and_gaps(double t, const double* q, const double* v, double* f, double* g, MatrixSlot& G) const override;
  void force_and_curvature(double t, In q, In v, Out f, MatrixSlot& G, Out eta) const override;
  void rates(int k, const Motion& motion, In s, In s1, Out f, Out covector, Out values) const override;

 private:
  const MechanicalProblem& problem_;
  Groups groups_;
  const ConstraintMap& map_;
};

// A model that computes them jointly.
class JointModel {
 public:
  virtual ~JointModel() = default;
  // nullptr: not for these groups and this map.
  virtual std::unique_ptr<JointTerms> joint_terms(Groups groups, const ConstraintMap& map) const = 0;
};

// Joint if the model can, else separate. Refers to the problem and the map.
std::unique_ptr<JointTerms> make_joint_terms(const MechanicalProblem& problem, Groups groups, const ConstraintMap& map);
}  // namespace trill
