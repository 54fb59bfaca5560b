// SPDX-License-Identifier: BSD-3-Clause
// For everyone: the state of a motion, with positions, velocities, multipliers and the rest in one vector.
#pragma once

#include "trill/base/types.hpp"

#include <vector>

namespace trill {
// One packed vector y = (q, v, lambda, x): positions, velocities, multipliers, auxiliary unknowns (actions, phases,
// thermostats, periods). First-order systems and circuits use only q. All are packed into one vector so that norms,
// dense output and files work on one contiguous block.
struct Layout {
  Index nq = 0, nv = 0, nl = 0, nx = 0;
  Index size() const { return nq + nv + nl + nx; }
  bool operator==(const Layout&) const = default;
};

struct State {
  double t = 0;
  Layout layout;
  Vec y;
  std::vector<int> mode;  // discrete state: switches with hysteresis, contact open or closed

  State() = default;
  State(const Layout& l, double time = 0) : t(time), layout(l), y(Vec::Zero(l.size())) {}

  auto q() { return y.head(layout.nq); }
  auto q() const { return y.head(layout.nq); }
  auto v() { return y.segment(layout.nq, layout.nv); }
  auto v() const { return y.segment(layout.nq, layout.nv); }
  auto lambda() { return y.segment(layout.nq + layout.nv, layout.nl); }
  auto lambda() const { return y.segment(layout.nq + layout.nv, layout.nl); }
  auto x() { return y.tail(layout.nx); }
  auto x() const { return y.tail(layout.nx); }
};
}  // namespace trill
