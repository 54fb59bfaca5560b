// SPDX-License-Identifier: BSD-3-Clause
// The control that reproduces the step counts of SAT09 table 2: elementary control with safety 0.8, growth at most 5,
// no growth after a step that had failures. The first failure reduces the step by the error, further ones halve it.
#include "trill/control/controller.hpp"

#include <algorithm>
#include <cmath>

namespace trill {
namespace {
class Ode45Controller final : public Controller {
 public:
  void start(int local_order) override { power_ = 1.0 / local_order; }
  double after_accept(double h, double error, int failures) override {
    if (failures > 0) return h;
    const double x = 1.25 * std::pow(error, power_);
    return x > 0.2 ? h / x : 5 * h;
  }
  double after_reject(double h, double error, int failures) override {
    if (failures > 1 || !std::isfinite(error)) return 0.5 * h;
    return h * std::max(0.1, 0.8 * std::pow(error, -power_));
  }
  void memory(Archive& archive) override { archive(power_); }

 private:
  double power_ = 0.2;
};
}  // namespace

std::unique_ptr<Controller> make_ode45_controller() { return std::make_unique<Ode45Controller>(); }
}  // namespace trill
