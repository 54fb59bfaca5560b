// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "linalg/matrix_functions.hpp"
#include "multiscale/fast_flow.hpp"
#include "trill/linalg/linear_solver.hpp"

namespace trill {
// A linear fast force f = -S q + c. With K = M^-1 S and hatchi the transform of a weight,
//
//   flow: q <- cos(h sqrt K) q + h sinc(h sqrt K) v,  v <- -sqrt K sin(h sqrt K) q + cos(h sqrt K) v,
//   A = hatphi(h sqrt K),  Mol = M hatpsi(h sqrt K) M^-1.
//
// SS08 sec. 4 prints M^-1/2 hatpsi M^1/2 for the mollifier, in eq. (17) too; the general definition gives M^1/2 hatpsi
// M^-1/2, of the symmetrised K, which is used here.
class FilterFlow final : public FastFlow {
 public:
  FilterFlow(const MechanicalProblem& problem, Groups fast, std::vector<WeightPair> pairs);

  void start(const State& s) override;
  bool flow(double t, double h, Out q, Out v, Counters& work) override;
  bool flow_after_kick(double t, double h, double kick, In a, Out q, Out v, Counters& work) override;
  void memory(Archive& archive) override;
  const std::vector<WeightPair>& pairs() const override { return pairs_; }
  bool average(double t, double h, In q, Eigen::Ref<Mat> a, Counters& work) override;
  bool mollify(const Eigen::Ref<const Mat>& g, Out sum, Counters& work) override;
  double fastest_frequency() const override { return functions_->fastest(); }
  const Vec& fastest_mode() const override { return functions_->fastest_mode(); }
  double frequency_at(double, In, Counters&) override { return functions_->fastest(); }
  double inner_angle(double) const override { return 0; }
  std::string text() const override { return "filters of a linear fast force, " + functions_->name(); }

 private:
  enum Family : std::size_t { of_position, of_velocity, of_constant, of_force };
  FunctionFamilies families() const;
  bool prepare(double h, Counters& work);
  const Mat* apply(std::size_t family, In x, Counters& work);
  const Mat* apply_to_position(In q, Counters& work);
  bool push(double h, Out q, Out v) const;
  bool turn_by_functions(double h, Out q, Out v, Counters& work);
  bool mollify_one(std::size_t k, In x, Out y, Counters& work);
  void divide_by_mass(Out a) const;

  const MechanicalProblem& problem_;
  Groups fast_;
  std::vector<WeightPair> pairs_;
  MassKind kind_;
  MatrixSlot mass_;
  std::unique_ptr<LinearSolver> solver_;
  Vec inverse_mass_, constant_, position_, force_, mollified_, part_;
  bool has_constant_ = false, has_averages_ = false;
  double h_ = 0;
  const Mat* constant_terms_ = nullptr;
  const Mat* of_position_ = nullptr;  // functions of position_, kept from an average for the flow that follows it
  std::unique_ptr<MatrixFunctions> functions_;
};
}  // namespace trill
