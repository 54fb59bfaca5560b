// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/text/stacked_run.hpp"
#include "trill/problem/mechanical.hpp"

#include <array>

namespace trill {
ProgramInputs inputs_along(const Motion& motion);
inline std::size_t derivative_place(int k) { return static_cast<std::size_t>(k - 1); }

// The gaps or the constraints of a text model.
class TextMap final : public ConstraintMap {
 public:
  // The map is evaluated in this mode, which must outlive it.
  TextMap(const ModelFunctions& functions, int selection, const ModelMode& mode);

  // A function of the model for these rows, evaluated in the same mode.
  VectorRun run(Purpose purpose, int derivative = 0) const {
    return {functions_, {purpose, selection_, derivative}, &mode_.held()};
  }
  // The same at several points; `size` is the number of its values.
  StackedRun stacked_run(Purpose purpose, Index size) const {
    return {functions_, {purpose, selection_}, functions_.unknowns(), size};
  }

  Index count() const override { return functions_.count(selection_); }
  std::string name(Index k) const override;
  MatrixSlot pattern() const override { return jacobian_.prepare(mode_.parameters()); }
  MatrixSlot transpose_pattern() const override { return transpose_derivative_.prepare(mode_.parameters()); }
  void value(double t, In q, Out g) const override { fill(value_, {.t = t, .q = q.data()}, g); }
  void jacobian(double t, In q, MatrixSlot& G) const override { fill(jacobian_, {.t = t, .q = q.data()}, G); }
  bool moving() const override { return moving_; }
  void time_derivative(double t, In q, Out gt) const override { fill(time_derivative_, {.t = t, .q = q.data()}, gt); }
  void curvature(double t, In q, In v, Out eta) const override {
    fill(curvature_, {.t = t, .q = q.data(), .v = v.data()}, eta);
  }
  void slope_and_curvature(double t, In q, In v, MatrixSlot& G, Out eta) const override;
  bool velocity_derivative(double t, In q, In v, MatrixSlot& d) const override {
    fill(velocity_derivative_, {.t = t, .q = q.data(), .v = v.data()}, d);
    return true;
  }
  void transpose_derivative(double t, In q, In s, MatrixSlot& d) const override {
    fill(transpose_derivative_, {.t = t, .q = q.data(), .multipliers = s.data()}, d);
  }
  bool value_derivative(int k, const Motion& motion, Out values) const override;
  bool jacobian_derivative(int k, const Motion& motion, MatrixSlot& d) const override;
  bool jacobian_along(double t, In q, In dq, MatrixSlot& d) const override {
    fill(jacobian_along_, {.t = t, .q = q.data(), .direction = dq.data()}, d);
    return true;
  }
  bool rigid_rate(int k, const Motion& motion, In s, In s1, Out covector, Out values) const override;
  bool reaction_along(double t, In q, In dq, In s, Out values) const override {
    fill(reaction_along_, {.t = t, .q = q.data(), .multipliers = s.data(), .direction = dq.data()}, values);
    return true;
  }

 private:
  double* both(VectorRun& run, const ProgramInputs& inputs, Index size) const;
  // By reference: copying an Out that was put together just before would have to wait until it is in memory.
  void fill(VectorRun& run, const ProgramInputs& inputs, Out& values) const {
    values.setZero();
    run.add(inputs, mode_.parameters(), values.data());
  }
  void fill(MatrixRun& run, const ProgramInputs& inputs, MatrixSlot& slot) const {
    slot.set_zero();
    run.add(inputs, mode_.parameters(), slot);
  }

  const ModelFunctions& functions_;
  int selection_;
  bool moving_;
  const ModelMode& mode_;
  mutable VectorRun value_, time_derivative_, curvature_, slope_and_curvature_, reaction_along_;
  mutable MatrixRun jacobian_, velocity_derivative_, transpose_derivative_, jacobian_along_;
  mutable std::array<VectorRun, most_gap_derivatives> value_derivatives_;
  mutable std::array<VectorRun, 2> rigid_rates_;
  mutable std::array<MatrixRun, most_time_derivatives> jacobian_derivatives_;
  mutable std::vector<double> both_;  // values of two kinds, one after the other
};
}  // namespace trill
