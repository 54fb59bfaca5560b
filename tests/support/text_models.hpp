// SPDX-License-Identifier: BSD-3-Clause
// Helpers for tests of text models.
#pragma once

#include "support/matrices.hpp"
#include "trill/driver/plan.hpp"
#include "trill/model/text_problem.hpp"
#include "trill/problem/mechanical.hpp"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace trill::testing_models {
inline const MechanicalProblem& mechanics(const Problem& p) { return p.as<MechanicalProblem>("the test"); }
inline const MechanicalProblem& mechanics(const TextModel& model) { return mechanics(*model.problem); }

inline Vec force_of(const MechanicalProblem& p, double t, In q, In v, Groups groups = all_groups) {
  Vec f(q.size());
  p.force(groups, t, q, v, f);
  return f;
}

struct Jacobians {
  MatrixSlot by_position, by_velocity;
};
inline Jacobians jacobians_of(const MechanicalProblem& p, double t, In q, In v, Groups groups = all_groups) {
  Jacobians found{p.stiffness_pattern(), p.damping_pattern()};
  EXPECT_TRUE(p.force_jacobian(groups, t, q, v, found.by_position, found.by_velocity));
  return found;
}

// The first line of the message about a model, or "no error" if it is accepted.
inline std::string complaint(const std::string& text, const OptionSet& given = {}) {
  try {
    read_model("m.toml", text, given);
  } catch (const UsageError& e) {
    const std::string whole = e.what();
    return whole.substr(0, whole.find('\n'));
  }
  return "no error";
}

inline Solution run_of(std::unique_ptr<Problem> problem, const RunPlan& plan) {
  Solution solution = prepare(plan, std::move(problem), {}).run();
  EXPECT_TRUE(solution.ok()) << plan.method << ": " << solution.outcome.message;
  return solution;
}
inline Vec last_of(const Solution& solution) { return solution.y().col(solution.rows() - 1); }

inline std::vector<double> times_of(const Solution& s, const std::string& event) {
  std::vector<double> times;
  for (const auto& e : s.outcome.events)
    if (e.name == event) times.push_back(e.t);
  return times;
}

inline RunPlan plan_with(const std::string& method, double to, double h_or_rtol) {
  RunPlan plan;
  plan.method = method;
  plan.to = to;
  const MethodInfo& info = Catalogue::all().method(method).info;
  (info.error_order > 0 || info.owns_step ? plan.rtol : plan.h) = h_or_rtol;
  return plan;
}

// A state away from the start, the same in every call.
inline State shifted_start(const Problem& problem, double size = 0.2) {
  State s = problem.initial_state();
  for (Index k = 0; k < s.y.size(); ++k) s.y[k] += size * std::sin(1.7 * static_cast<double>(k) + 0.3);
  s.t = 0.37;
  return s;
}
}  // namespace trill::testing_models
