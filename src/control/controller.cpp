// SPDX-License-Identifier: BSD-3-Clause
#include "trill/control/controller.hpp"

#include "base/text.hpp"
#include "trill/base/errors.hpp"

namespace trill {
const std::vector<std::string>& controller_names() {
  static const std::vector<std::string> names{"pi", "ode45"};
  return names;
}

std::unique_ptr<Controller> make_controller(std::string_view name) {
  if (name == "pi") return make_pi_controller();
  if (name == "ode45") return make_ode45_controller();
  throw UsageError("unknown step control '" + std::string(name) + "'" + suggest(name, controller_names()));
}
}  // namespace trill
