// SPDX-License-Identifier: BSD-3-Clause
// Helpers for tests of multiscale methods.
#pragma once

#include "trill/driver/plan.hpp"

#include <optional>

#include <gtest/gtest.h>

namespace trill::multiscale_runs {
struct Ask {
  double to = 10, dt = 0.25;
  std::optional<double> h = {}, rtol = {};
  OptionSet options = {};
};

inline Solution solve(const Problem& problem, const std::string& method, const Ask& ask, const State* start = nullptr) {
  RunPlan plan;
  plan.model = "test";
  plan.method = method;
  plan.options = ask.options;
  plan.to = ask.to;
  plan.h = ask.h;
  plan.rtol = ask.rtol;
  plan.output = Grid{ask.dt};
  PreparedRun run = prepare(plan, problem.clone());
  if (start) run.start = *start;
  return run.run();
}

// The given start without its oscillation, found by taking the mean motion three times.
inline State smooth_start(const Problem& problem) {
  State s = problem.initial_state(), in;
  for (int pass = 0; pass < 3; ++pass) {
    const auto form = Catalogue::all().formulation("hmm").make(problem, {{"fast_energy", "drop"}});
    form->expect({1e-6, 0, 10});
    Notes notes;
    form->enter(s, in, notes);
    s.q() = in.q();
    s.v() = in.v();
  }
  return s;
}

inline int code_of(const Solution& s, const std::string& code) {
  int found = 0;
  for (const Notice& n : s.outcome.notices) found += n.code == code ? 1 : 0;
  return found;
}

inline double position_error(const Solution& a, const Solution& b, Index n) {
  EXPECT_EQ(a.outcome.status, RunStatus::reached_end) << a.outcome.message;
  EXPECT_EQ(a.rows(), b.rows());
  return (a.y().topRows(n) - b.y().topRows(n)).cwiseAbs().maxCoeff();
}
}  // namespace trill::multiscale_runs
