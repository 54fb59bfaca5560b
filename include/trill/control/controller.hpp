// SPDX-License-Identifier: BSD-3-Clause
// For authors of step-size controls.
#pragma once

#include "trill/base/archive.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace trill {
// Proposes step sizes from local errors; error <= 1 is accepted. Works on |h|.
class Controller {
 public:
  virtual ~Controller() = default;
  virtual void start(int local_order) = 0;  // the estimated local error is O(h^local_order)
  virtual double after_accept(double h, double error, int failures) = 0;  // failures: rejections in this step
  virtual double after_reject(double h, double error, int failures) = 0;  // failures: including this one
  virtual void memory(Archive& archive) = 0;  // writes or reads what it remembers from step to step
};

std::unique_ptr<Controller> make_controller(std::string_view name);  // UsageError for an unknown name
const std::vector<std::string>& controller_names();

std::unique_ptr<Controller> make_pi_controller();
std::unique_ptr<Controller> make_ode45_controller();
}  // namespace trill
