// SPDX-License-Identifier: BSD-3-Clause
#include "trill/problem/problem.hpp"

namespace trill {
MatrixSlot FirstOrderProblem::jacobian_pattern() const { return MatrixSlot::dense(layout().size(), layout().size()); }

bool FirstOrderProblem::jacobian(double, In, MatrixSlot&) const { return false; }
}  // namespace trill
