// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/problem/problem.hpp"
#include "trill/report/chart.hpp"

#include <vector>

namespace trill {
// Angular frequencies to be marked in a spectrum, ascending: those of the motion linearised at the start, and that with
// which the model is driven. Of large models only the highest is known.
std::vector<ChartMark> known_frequencies(const Problem& problem, double span);
}  // namespace trill
