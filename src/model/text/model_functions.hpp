// SPDX-License-Identifier: BSD-3-Clause
// The functions of a model over all of its kernels, derived when they are first asked for and then shared.
#pragma once

#include "model/native/native_routines.hpp"
#include "model/text/kernel.hpp"
#include "model/text/model_mode.hpp"
#include "trill/linalg/matrix_slot.hpp"

#include <mutex>

namespace trill {
// The sum of its routines.
struct VectorFunction {
  Routines routines;
  bool native = false;  // machine code was requested for it
};

struct MatrixPart {
  std::shared_ptr<const Routine> routine;
  std::vector<std::shared_ptr<const IndexTable>> rows, columns;  // one for each output
  std::vector<IndexTable> places;                                // the same entries as places in the pattern's values
};
struct MatrixFunction {
  std::vector<MatrixPart> parts;
  MatrixSlot pattern;
  bool native = false;
};

class ModelFunctions {
 public:
  using Kernels = std::vector<std::unique_ptr<Kernel>>;
  ModelFunctions(Kernels kernels, Index unknowns, Index gaps, Index constraints);

  const Kernels& kernels() const { return kernels_; }
  Index unknowns() const { return unknowns_; }
  Index count(int selection) const { return selection == of_gaps ? gaps_ : constraints_; }
  const VectorFunction& vector(FunctionKey key) const;
  const MatrixFunction& matrix(FunctionKey key) const;
  // From now on every function that is asked for gets machine code; `main`, the one needed most, gets it at once. If
  // that fails nothing changes, and the reason is returned; other functions without machine code are interpreted.
  std::string use_native(NativeUse use, FunctionKey main) const;

 private:
  VectorFunction make_vector(FunctionKey key) const;
  MatrixFunction& derived_matrix(FunctionKey key) const;
  MatrixFunction make_matrix(FunctionKey key) const;
  std::vector<MatrixPart> draft_parts(FunctionKey key) const;
  MatrixSlot make_pattern(FunctionKey key, const std::vector<MatrixPart>& parts) const;

  Kernels kernels_;
  Index unknowns_, gaps_, constraints_;
  mutable std::recursive_mutex building_;
  mutable std::map<FunctionKey, std::unique_ptr<VectorFunction>> vectors_;
  mutable std::map<FunctionKey, std::unique_ptr<MatrixFunction>> matrices_;
  mutable std::optional<NativeUse> native_;
};

inline constexpr std::int64_t not_prepared = -1;

// Runs a vector function with memory of its own. Everything is prepared at the first use.
class VectorRun {
 public:
  VectorRun() = default;
  VectorRun(const ModelFunctions& functions, FunctionKey key, const HeldFormulas* held = nullptr)
      : functions_(&functions), key_(key), held_(held) {}
  void prepare(const ParameterValues& parameters);
  void add(const ProgramInputs& inputs, const ParameterValues& parameters, double* out) {
    if (version_ != parameters.version) prepare(parameters);
    for (Runner& runner : runners_) runner.add(inputs, out);
  }

 private:
  const ModelFunctions* functions_ = nullptr;
  FunctionKey key_;
  const HeldFormulas* held_ = nullptr;
  std::vector<Runner> runners_;
  std::int64_t version_ = not_prepared;  // version of the parameters in use
};

class MatrixRun {
 public:
  MatrixRun() = default;
  MatrixRun(const ModelFunctions& functions, FunctionKey key, const HeldFormulas* held = nullptr)
      : functions_(&functions), key_(key), held_(held) {}
  const MatrixSlot& prepare(const ParameterValues& parameters);  // returns the pattern
  const MatrixSlot& pattern(const ParameterValues& parameters) {
    return function_ ? function_->pattern : prepare(parameters);
  }
  // Adds to a slot of any pattern that has the entries; fastest if the pattern is our own.
  void add(const ProgramInputs& inputs, const ParameterValues& parameters, MatrixSlot& slot);

 private:
  void add_values(const ProgramInputs& inputs, double* values);

  const ModelFunctions* functions_ = nullptr;
  FunctionKey key_;
  const HeldFormulas* held_ = nullptr;
  const MatrixFunction* function_ = nullptr;
  std::vector<Runner> runners_;
  std::vector<std::vector<const std::int32_t*>> places_;
  MatrixSlot own_;                       // used for slots of another pattern
  std::int64_t version_ = not_prepared;  // version of the parameters in use
};
}  // namespace trill
