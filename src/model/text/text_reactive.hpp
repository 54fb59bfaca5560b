// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/text/around_mechanics.hpp"

namespace trill {
// A text model with forces that depend on the multipliers of its constraints.
class TextReactive final : public AroundMechanics<ReactiveProblem> {
 public:
  using AroundMechanics::AroundMechanics;
  std::unique_ptr<Problem> clone() const override { return std::make_unique<TextReactive>(model_); }
  bool exact(double t, Out y) const override { return mechanics_.exact(t, y); }
};

// ModelError if such a force is not finite at the start.
std::unique_ptr<TextReactive> make_text_reactive(const std::shared_ptr<const CompiledModel>& model);
}  // namespace trill
