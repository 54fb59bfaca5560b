// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

namespace trill {
inline constexpr int most_trigonometric_order = 6;

// Weights of the last 2 r accelerations g_{n-j} in the explicit method of trigonometric order r,
//   y_{n+1} - 2 y_n + y_{n-1} = h^2 sum_j position_j g_{n-j},
// and in the velocity that belongs to it, v_n = (y_n - y_{n-1})/h + h sum_j velocity_j g_{n-j}. Both are exact for
// cos and sin of l omega t, l = 1..r, and for linear functions. mu = h omega, r |mu| < pi.
struct GautschiWeights {
  std::array<double, 2 * most_trigonometric_order> position{}, velocity{};
};
GautschiWeights gautschi_weights(int r, double mu);
}  // namespace trill
