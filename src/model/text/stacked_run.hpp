// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/text/model_functions.hpp"

namespace trill {
// Runs a vector function at several points with one call, as if the terms at each point were further instances of those
// at the first. The numbers are those of one call per point, bit by bit. Meant for models with few terms, where a call
// costs as much as what it computes.
class StackedRun {
 public:
  // Each point reads `unknowns` numbers of q and v and adds to `size` numbers.
  StackedRun(const ModelFunctions& functions, FunctionKey key, Index unknowns, Index size)
      : functions_(functions), key_(key), unknowns_(unknowns), size_(size) {}
  // Points follow each other without gaps. false: the function can only be evaluated point by point.
  bool add(Index points, const double* q, const double* v, const ParameterValues& parameters, double* out) {
    if (points_ != points || version_ != parameters.version) prepare(points, parameters);
    if (!possible_) return false;
    for (Runner& runner : runners_) runner.add({.q = q, .v = v}, out);
    return true;
  }

 private:
  void prepare(Index points, const ParameterValues& parameters);
  void stack(const Routine& routine, const ParameterValues& parameters);

  const ModelFunctions& functions_;
  FunctionKey key_;
  Index unknowns_, size_;
  Index points_ = 0;  // that it is prepared for
  bool possible_ = true;
  std::vector<Runner> runners_;
  std::int64_t version_ = not_prepared;
};
}  // namespace trill
