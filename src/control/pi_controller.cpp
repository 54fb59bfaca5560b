// SPDX-License-Identifier: BSD-3-Clause
// Proportional-integral control: h_new = h * safety * error^-(kI) * (error_old / error)^(kP), Gustafsson 1991;
// gains as in Hairer, Norsett, Wanner, "Solving ordinary differential equations I", section II.4 (beta = 0.04).
#include "trill/control/controller.hpp"

#include <algorithm>
#include <cmath>

namespace trill {
namespace {
constexpr double safety = 0.9, slowest = 0.2, fastest = 5.0, beta = 0.04, smallest_error = 1e-10;

class PiController final : public Controller {
 public:
  void start(int local_order) override {
    order_ = local_order;
    last_error_ = 1e-4;
  }
  double after_accept(double h, double error, int failures) override {
    const double e = std::max(error, smallest_error);
    const double exponent = 1.0 / order_ - 0.75 * beta;
    double factor = safety * std::pow(e, -exponent) * std::pow(last_error_, beta);
    factor = std::clamp(factor, slowest, fastest);
    if (failures > 0) factor = std::min(factor, 1.0);
    last_error_ = std::max(error, 1e-4);
    return h * factor;
  }
  double after_reject(double h, double error, int) override {
    if (!std::isfinite(error)) return h * slowest;
    return h * std::clamp(safety * std::pow(error, -1.0 / order_), slowest, safety);
  }
  void memory(Archive& archive) override { archive(order_, last_error_); }

 private:
  int order_ = 1;
  double last_error_ = 1e-4;
};
}  // namespace

std::unique_ptr<Controller> make_pi_controller() { return std::make_unique<PiController>(); }
}  // namespace trill
