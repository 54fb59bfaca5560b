// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/expression/time_function.hpp"
#include "model/text/around_mechanics.hpp"
#include "problem/known_law.hpp"
#include "trill/problem/langevin.hpp"

namespace trill {
// A text model with a [heat_bath].
class TextLangevin final : public AroundMechanics<LangevinProblem>, public KnownLaw {
 public:
  explicit TextLangevin(std::shared_ptr<const CompiledModel> model);
  std::unique_ptr<Problem> clone() const override { return std::make_unique<TextLangevin>(model_); }

  double gamma() const override { return model_->friction; }
  double kT() const override { return model_->temperature; }

  // In equilibrium the mean of the first quantity is kT.
  std::vector<Quantity> quantities() const override;
  void measure(const State& s, Out values) const override;

  std::optional<Range> law_range(Index measure) const override;
  double law(Index measure, double value) const override;

 private:
  struct Law {
    Index measure;
    TimeFunction density;  // of the value of the measure in place of the time
    Range range;
  };
  void read_laws();
  Law* law_of(Index measure) const;
  mutable std::vector<Law> laws_;
  mutable Vec measured_;
};
}  // namespace trill
