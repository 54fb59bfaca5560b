// SPDX-License-Identifier: BSD-3-Clause
#include "slow_motion.hpp"
namespace trill {
void register_figure_slow_motion_fast(FigureRegistry&) {}
}  // namespace trill
