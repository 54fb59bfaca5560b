// SPDX-License-Identifier: BSD-3-Clause
#include "method/initial_step.hpp"

#include <cmath>

namespace trill {
double initial_step_hairer(const RightHandSide& rhs, double t, In y, In dy, const ErrorScale& scale, int local_order,
                           double h_max, Vec& work1, Vec& work2) {
  const double direction = h_max < 0 ? -1 : 1;
  const double limit = std::abs(h_max);
  const double d0 = scale.norm(y, y, y), d1 = scale.norm(dy, y, y);
  double h0 = d0 < 1e-5 || d1 < 1e-5 ? std::min(1e-6, 1e-3 * limit) : 0.01 * d0 / d1;
  h0 = std::min(h0, limit);
  work1 = y + direction * h0 * dy;
  if (!rhs(t + direction * h0, work1, work2)) return h0;
  work2 -= dy;
  const double d2 = scale.norm(work2, y, y) / h0;
  if (!std::isfinite(d2)) return h0 * 1e-3;
  const double largest = std::max(d1, d2);
  const double h1 = largest <= 1e-15 ? std::max(1e-6, 1e-3 * h0) : std::pow(0.01 / largest, 1.0 / local_order);
  return std::min({100 * h0, h1, limit});
}

double shortened_by_later_forces(const std::function<double(double t)>& change_to, double t, double h, int local_order,
                                 double direction) {
  constexpr double small = 0.1;
  double shortened = h;
  for (const double share : {1.0, 0.382}) {
    const double tau = share * h, error = change_to(t + direction * tau);
    if (error > small) shortened = std::min(shortened, tau * std::pow(small / error, 1.0 / local_order));
  }
  return shortened;
}

double initial_step_ode45(In y, In dy, const ErrorScale& scale, int local_order, double h_max) {
  double rate = 0;
  for (Index i = 0; i < y.size(); ++i)
    rate = std::max(rate, std::abs(dy[i]) / std::max(std::abs(y[i]), scale.atol[i] / scale.rtol));
  rate /= 0.8 * std::pow(scale.rtol, 1.0 / local_order);
  const double h = std::abs(h_max);
  return h * rate > 1 ? 1 / rate : h;
}
}  // namespace trill
