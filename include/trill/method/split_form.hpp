// SPDX-License-Identifier: BSD-3-Clause
// For authors of methods that split fast and slow forces: filters of one step on the oscillator.
#pragma once

#include <functional>

namespace trill {
// One step on q'' = -omega^2 q - eps q, whose first force is fast and moved along exactly, and whose second force is
// slow: a kick by h/2 G, the fast motion, a kick by h/2 G, where
//
//   G(q) = -eps mollify(theta) average(theta) q,   theta = h omega.
struct SplitForm {
  std::function<double(double theta)> average, mollify;
};
}  // namespace trill
