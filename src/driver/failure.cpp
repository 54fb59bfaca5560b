// SPDX-License-Identifier: BSD-3-Clause
#include "driver/failure.hpp"

#include <cmath>

namespace trill {
Failure failure_of(AdvanceStatus status, const StepControl& control) {
  const std::string try_less = std::holds_alternative<FixedStep>(control) ? "try a smaller h" : "try a smaller rtol";
  switch (status) {
    case AdvanceStatus::step_too_small:
      return {RunStatus::step_too_small,
              "the step size became too small to change t; look for a singularity or a jump of the model there, or use "
              "a larger rtol"};
    case AdvanceStatus::newton_failed:
      return {RunStatus::newton_failed,
              try_less + ", or a method that damps or averages the fast motion ('trill inspect MODEL' shows which)"};
    case AdvanceStatus::non_finite:
      return {RunStatus::non_finite, try_less + ", or check the forces of the model there"};
    default:
      return {RunStatus::refused, "the warnings of the run say why"};
  }
}

std::string first_overflow(const Problem& problem, const Measures& measures, const State& s, const Vec& measured) {
  const auto first = [](const Vec& values) {
    Index i = 0;
    while (i < values.size() && std::isfinite(values[i])) ++i;
    return static_cast<std::size_t>(i);
  };
  const std::size_t i = first(s.y);
  if (i < static_cast<std::size_t>(s.y.size())) return problem.components()[i].name;
  return measures.quantities()[first(measured)].name;
}
}  // namespace trill
