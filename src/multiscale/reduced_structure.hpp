// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "multiscale/modal_motion.hpp"

namespace trill {
// A structure in coordinates x of a few shapes, u = shapes x, under the loads of the whole one.
class ReducedStructure final : public LinearStructure {
 public:
  explicit ReducedStructure(const LinearStructure& whole) : whole_(whole) {}
  void become(ModalSystem system, double step);  // before its motion begins

  const ModalSystem& system() const { return system_; }
  const LinearStructure& whole() const { return whole_; }
  double step() const { return step_; }  // that shows the motion in a plot

  std::string name() const override { return whole_.name() + " reduced"; }
  std::unique_ptr<Problem> clone() const override;
  std::vector<Quantity> components() const override;
  State initial_state() const override { return State(layout()); }
  const SpMat& mass_matrix() const override { return mass_; }
  const SpMat& damping_matrix() const override { return damping_; }
  const SpMat& stiffness_matrix() const override { return stiffness_; }
  const Mat& load_shapes() const override { return system_.loads; }
  void load_factors(double t, Out factors) const override { whole_.load_factors(t, factors); }

 private:
  const LinearStructure& whole_;
  ModalSystem system_;
  double step_ = 1;
  SpMat mass_, damping_, stiffness_;
};

class Catalogue;
const Catalogue& oscillator_methods();  // those that solve reduced structures: one, which is exact
}  // namespace trill
