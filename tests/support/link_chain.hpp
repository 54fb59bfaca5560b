// SPDX-License-Identifier: BSD-3-Clause
// A chain of bars of unit mass and length with revolute joints, the first one pinned to the origin; it starts stretched
// out along x and turning, with gravity along -y.
#pragma once

#include "trill/model/text_problem.hpp"

#include <string>

#include <fmt/format.h>

namespace trill::test {
inline TextModel link_chain(int links) {
  return read_model("link_chain.toml", R"toml(
title = "Chain of links"
[parameters]
n = { value = 10, whole = true, min = 1, max = 1000000 }
[sets]
link = "n"
joint = { size = "n", inner = "joint > 0", before = "max(joint - 1, 0)" }
[coordinates]
x = { over = "link", start = "link + 0.5" }
y = { over = "link", start = 0, velocity = "(link + 0.5)/n" }
theta = { over = "link", start = 0, velocity = "1/n", mass = "1/12" }
[[potential]]
over = "link"
energy = "y[link]"
[[constraint]]
over = "joint"
equation = "x[joint] - cos(theta[joint])/2 - inner*(x[before] + cos(theta[before])/2)"
[[constraint]]
over = "joint"
equation = "y[joint] - sin(theta[joint])/2 - inner*(y[before] + sin(theta[before])/2)"
)toml",
                    {{"n", fmt::format("{}", links)}});
}
}  // namespace trill::test
