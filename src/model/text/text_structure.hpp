// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/expression/time_marks.hpp"
#include "model/file/beside.hpp"
#include "model/text/compiled_model.hpp"
#include "problem/structure.hpp"

namespace trill {
// The linear structure whose matrices a text model names as Matrix Market files: M u'' + C u' + K u = factor(t) f.
struct StructureData {
  SpMat mass, damping, stiffness;
  bool has_potential = false;  // no damping, and forces K u that are the gradient of an energy
  bool steady = true;          // the load does not depend on t
  Vec load, start, velocity;
  Program factor;                                    // time-dependent factor of the load
  std::vector<TimeFunction> factor_parts, switches;  // its parts, and functions that change their sign where it jumps
};
std::shared_ptr<const StructureData> read_structure(CompiledModel& model, const ModelFolder& folder);

class TextStructure final : public LinearStructure, public TimeMarked {
 public:
  TextStructure(std::shared_ptr<const CompiledModel> model, std::shared_ptr<const StructureData> data);
  TextStructure(const TextStructure&) = delete;
  TextStructure& operator=(const TextStructure&) = delete;

  const SpMat& mass_matrix() const override { return data_->mass; }
  const SpMat& damping_matrix() const override { return data_->damping; }
  const SpMat& stiffness_matrix() const override { return data_->stiffness; }
  void load(double t, Out f) const override;
  std::vector<double> breakpoints(double t0, double t1) const override;
  std::vector<TimeMark> time_marks(double t0, double t1) const override;

  std::string name() const override { return model_->info.name; }
  std::unique_ptr<Problem> clone() const override { return std::make_unique<TextStructure>(model_, data_); }
  std::vector<Parameter> parameters() const override { return model_->space->parameters(); }
  std::vector<Quantity> components() const override;
  State initial_state() const override;
  std::string time_unit() const override { return model_->file.time_unit; }
  bool linear_force(Groups) const override { return data_->steady && data_->damping.nonZeros() == 0; }
  std::optional<double> potential(Groups groups, double t, In q) const override;

  // The load counts as a potential -f^T u. Without damping and with a constant load the energy is kept.
  std::vector<Quantity> quantities() const override { return {{"energy", "", QuantityKind::energy}}; }
  void measure(const State& s, Out values) const override;

 private:
  double factor(double t) const;

  std::shared_ptr<const CompiledModel> model_;
  std::shared_ptr<const StructureData> data_;
  mutable Evaluator factor_;
};
}  // namespace trill
