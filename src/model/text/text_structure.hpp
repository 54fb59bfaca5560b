// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/expression/time_marks.hpp"
#include "model/file/beside.hpp"
#include "model/text/compiled_model.hpp"
#include "problem/generated_structure.hpp"
#include "problem/structure.hpp"

namespace trill {
// A function of time that is known at some times and straight between them; it is zero before and after.
struct SampledFactor {
  std::vector<double> t, value;
  double at(double time) const;
};

// The linear structure whose matrices a text model names as Matrix Market files, or has made:
// M u'' + C u' + K u = sum of b_i p_i(t).
struct StructureData {
  SpMat mass, damping, stiffness;
  std::optional<ProportionalDamping> proportional;
  bool has_potential = false;  // no damping, and forces K u that are the gradient of an energy
  bool steady = true;          // no load depends on t
  Mat loads;                   // a column for each b_i
  Vec start, velocity;
  Program factors;                                   // the p_i, where no table gives them
  std::vector<std::optional<SampledFactor>> tables;  // of each load
  std::vector<TimeFunction> factor_parts, switches;  // parts of the factors; what changes its sign where they jump
  std::vector<StructureOutput> outputs;
};
// What 'generate' makes. ModelError where it is wrong.
GeneratedStructure generated_from(const FileGenerate& made, ModelSpace& space, const SourceText& source);
std::shared_ptr<const StructureData> read_structure(CompiledModel& model, const ModelFolder& folder);

class TextStructure final : public LinearStructure, public TimeMarked {
 public:
  TextStructure(std::shared_ptr<const CompiledModel> model, std::shared_ptr<const StructureData> data);
  TextStructure(const TextStructure&) = delete;
  TextStructure& operator=(const TextStructure&) = delete;

  const SpMat& mass_matrix() const override { return data_->mass; }
  const SpMat& damping_matrix() const override { return data_->damping; }
  const SpMat& stiffness_matrix() const override { return data_->stiffness; }
  const Mat& load_shapes() const override { return data_->loads; }
  void load_factors(double t, Out factors) const override;
  std::vector<StructureOutput> outputs() const override { return data_->outputs; }
  std::optional<ProportionalDamping> proportional_damping() const override { return data_->proportional; }
  UsageError stiffness_error(const std::string& message) const override;
  UsageError factor_error(Index load, const std::string& message) const override;
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
  std::vector<Quantity> quantities() const override;
  void measure(const State& s, Out values) const override;

 private:
  double load_energy(double t, In q) const;  // -f(t)^T u

  std::shared_ptr<const CompiledModel> model_;
  std::shared_ptr<const StructureData> data_;
  mutable Evaluator factors_;
  mutable Vec now_;  // values of the factors
};
}  // namespace trill
