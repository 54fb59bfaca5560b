// SPDX-License-Identifier: BSD-3-Clause
// Systems that are used in several tests of the heterogeneous multiscale method.
#pragma once

#include "trill/model/text_problem.hpp"

#include <fmt/format.h>

namespace trill::hmm_models {
inline std::unique_ptr<Problem> model(const std::string& text, double omega) {
  return read_model("m.toml", text, {{"omega", fmt::format("{}", omega)}}).problem;
}

// A cart on a soft spring and a pendulum on a stiff one, in coordinates relative to the cart. The mass matrix is
// dense, and the fast frequency depends on the angle.
inline std::string cart(double kick, const std::string& more = "") {
  return fmt::format(R"~([parameters]
omega = 1000
[coordinates]
X = {{ start = 0.3, velocity = 0.1 }}
x = {{ start = "0.6", velocity = {0} }}
y = {{ start = -0.8, velocity = {1} }}
[[kinetic]]
energy = "vX^2 + 0.5*((vX + vx)^2 + vy^2)"
[[stiff]]
gap = "sqrt(x^2 + y^2) - 1"
stiffness = "omega^2"
[[potential]]
energy = "0.5*X^2 + y"
)~",
                     0.6 * kick, -0.8 * kick) +
         more;
}
}  // namespace trill::hmm_models
