// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/text/around_mechanics.hpp"
#include "trill/problem/langevin.hpp"

namespace trill {
// A text model with a [heat_bath].
class TextLangevin final : public AroundMechanics<LangevinProblem> {
 public:
  explicit TextLangevin(std::shared_ptr<const CompiledModel> model);
  std::unique_ptr<Problem> clone() const override { return std::make_unique<TextLangevin>(model_); }

  double gamma() const override { return model_->friction; }
  double kT() const override { return model_->temperature; }

  // In equilibrium the mean of the first quantity is kT.
  std::vector<Quantity> quantities() const override;
  void measure(const State& s, Out values) const override;

 private:
  mutable Vec measured_;
};
}  // namespace trill
