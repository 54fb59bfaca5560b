// SPDX-License-Identifier: BSD-3-Clause
#include "trill/problem/problem.hpp"

#include "base/text.hpp"

namespace trill {
std::string value_text(const Parameter& parameter) {
  return parameter.word.empty() ? format_number(parameter.value) : parameter.word;
}

MatrixSlot FirstOrderProblem::jacobian_pattern() const { return MatrixSlot::dense(layout().size(), layout().size()); }

bool FirstOrderProblem::jacobian(double, In, MatrixSlot&) const { return false; }
}  // namespace trill
