// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/base/options.hpp"

namespace trill {
// What --set may say about a steady state.
struct SteadyOptions {
  double period = 0;
  std::string signal, load;
  int warm_up = 2, harmonics = 8, iterations = 40;
  void fields(OptionVisitor& v) {
    v.number("period", period, Range::at_least(0), "the period of the motion; 0: that of the sources");
    v.text("signal", signal, "name of a component",
           "for oscillators: the component whose oscillation gives the first guess of the period; empty: any");
    v.text("load", load, "name of a resistor",
           "its power is the output of a circuit; empty: see the guide to circuits");
    v.integer("warm_up", warm_up, Range::between(0, 10000), "plain cycles before the first iteration");
    v.integer("harmonics", harmonics, Range::between(0, 1000), "number of harmonics of each signal");
    v.integer("iterations", iterations, Range::between(1, 1000), "max number of iterations");
  }
};
}  // namespace trill
