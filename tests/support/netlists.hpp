// SPDX-License-Identifier: BSD-3-Clause
// Helpers for tests of netlists.
#pragma once

#include "trill/driver/plan.hpp"
#include "trill/model/text_problem.hpp"
#include "trill/problem/circuit.hpp"

#include <cmath>
#include <string>

#include <gtest/gtest.h>

namespace trill::testing_netlists {
// Line 1 is the title.
inline TextModel netlist(const std::string& text, const OptionSet& parameters = {}) {
  return read_model("t.cir", "title\n" + text, parameters);
}

inline std::string netlist_complaint(const std::string& text, const OptionSet& parameters = {}) {
  try {
    netlist(text, parameters);
  } catch (const UsageError& e) {
    const std::string whole = e.what();
    return whole.substr(0, whole.find('\n'));
  }
  return "no error";
}

inline Solution run_netlist(TextModel model, double rtol, std::optional<double> to = {},
                            const std::string& method = "radau") {
  RunPlan plan;
  plan.method = method;
  plan.rtol = rtol;
  plan.to = to;
  Solution solution = prepare(plan, std::move(model.problem), model.info.run).run();
  EXPECT_TRUE(solution.ok()) << solution.outcome.message;
  return solution;
}
inline Solution run_netlist(const std::string& text, double rtol = 1e-7, const std::string& method = "radau") {
  return run_netlist(netlist(text), rtol, {}, method);
}

inline double end_value(const Solution& s, const std::string& name) { return s.y()(s.component(name), s.rows() - 1); }

// The value of a component at the start, which is the operating point unless the netlist says 'uic'.
inline double start_value(const TextModel& model, const std::string& name) {
  const auto components = model.problem->components();
  for (std::size_t k = 0; k < components.size(); ++k)
    if (components[k].name == name) return model.problem->initial_state().y[static_cast<Index>(k)];
  ADD_FAILURE() << "no component " << name;
  return NAN;
}
inline double start_value(const std::string& text, const std::string& name) { return start_value(netlist(text), name); }
}  // namespace trill::testing_netlists
