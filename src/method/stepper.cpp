// SPDX-License-Identifier: BSD-3-Clause
#include "trill/method/stepper.hpp"

namespace trill {
StepStatus status_of(const NewtonStats& newton) {
  if (newton.converged) return StepStatus::ok;
  if (newton.non_finite) return StepStatus::non_finite;
  return newton.singular ? StepStatus::singular_matrix : StepStatus::newton_diverged;
}

const char* to_text(StepStatus status) {
  switch (status) {
    case StepStatus::ok:
      return "ok";
    case StepStatus::newton_diverged:
      return "the Newton iteration did not converge";
    case StepStatus::singular_matrix:
      return "the matrix of the Newton iteration is singular";
    case StepStatus::non_finite:
      return "a value became infinite or not a number";
    case StepStatus::outside_domain:
      return "the state left the domain of the model";
    case StepStatus::step_too_small:
      return "the error test failed at every step size tried";
    case StepStatus::refused:
      return "the method refused the step";
  }
  return "";
}
}  // namespace trill
