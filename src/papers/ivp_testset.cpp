// SPDX-License-Identifier: BSD-3-Clause
// The test set for initial value problems: correct digits against rtol, beside those of SciPy and SUNDIALS.
#include "papers/ivp_testset.hpp"

#include "papers/cells.hpp"
#include "papers/runs.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>

#include <fmt/format.h>

namespace trill {
namespace papers::ivp {
namespace {
constexpr double least_gain = 0.01;
constexpr int times_looked_at = 24;
constexpr double tight_tolerance = 1e-10;
const CellOrigin more_digits = expected_since("every tightening is to give more digits");
constexpr const char* only_in_full = "only with --full: stability, not the tolerance, holds the step at 1e-3";

bool is_listed(const std::string& model) {
  const auto& entries = ModelRegistry::all().entries();
  return std::any_of(entries.begin(), entries.end(),
                     [&](const ModelEntry& e) { return e.name.substr(e.name.rfind('/') + 1) == model; });
}

// Empty if the run does not reach its end, which is that of the model unless it is given.
std::optional<Vec> state_at(const TestProblem& problem, const std::string& method, double rtol,
                            std::optional<double> end = std::nullopt) {
  RunPlan plan;
  plan.model = problem.model;
  plan.method = method;
  plan.rtol = rtol;
  plan.to = end;
  plan.output = EveryStep{std::numeric_limits<int>::max()};
  const Solution s = prepare(plan).run();
  if (!s.ok()) return std::nullopt;
  return s.y().col(s.rows() - 1);
}

double digits_at(const TestProblem& problem, const std::string& method, double rtol) {
  const std::optional<Vec> y = state_at(problem, method, rtol);
  return y ? digits_of(problem, *y) : std::nan("");
}

// Over times before the end, of runs that end there; the solution is that of a tight tolerance.
struct DigitsOverTimes {
  Digits mean{}, fewest{};
};

DigitsOverTimes digits_over_times(const TestProblem& problem, const Trial& trial) {
  const double end = make_model(problem.model).info.run.to;
  DigitsOverTimes found;
  found.fewest.fill(std::numeric_limits<double>::infinity());
  for (int k = 0; k < times_looked_at; ++k) {
    const double t = end - trial.scatters_over * k / times_looked_at;
    const std::optional<Vec> exact = state_at(problem, trial.method, tight_tolerance, t);
    TestProblem there = problem;
    if (exact) there.end.assign(exact->begin(), exact->end());
    for (std::size_t i = 0; i < tolerances.size(); ++i) {
      const std::optional<Vec> y = state_at(problem, trial.method, tolerances[i], t);
      const double digits = exact && y ? digits_of(there, *y) : 0;
      found.mean[i] += digits / times_looked_at;
      found.fewest[i] = std::min(found.fewest[i], digits);
    }
  }
  return found;
}

Digits for_tolerances(const std::function<double(double)>& digits) {
  Digits found;
  std::transform(tolerances.begin(), tolerances.end(), found.begin(), digits);
  return found;
}

std::string why_not(const TestProblem& problem, const Trial& trial, bool full) {
  if (!is_listed(problem.model)) return "this build has no such model";
  return trial.held_by_stability && !full ? only_in_full : trial.reason;
}

std::vector<std::string> dashes(const TestProblem& problem, const Trial& trial, const std::string& reason) {
  std::vector<std::string> row{problem.model, trial.method};
  row.insert(row.end(), 2 * tolerances.size(), "-");
  row.push_back(reason);
  return row;
}

std::vector<std::string> row_over_times(const TestProblem& problem, const std::string& name, const Digits& ours) {
  std::vector<std::string> row{problem.model, name};
  for (const double digits : ours) row.insert(row.end(), {fmt::format("{:.1f}", digits), "-"});
  row.emplace_back("digits at one time scatter");
  return row;
}

std::vector<std::string> row_of(const TestProblem& problem, const Trial& trial, const Digits& ours) {
  std::vector<std::string> row{problem.model, trial.method};
  for (std::size_t i = 0; i < ours.size(); ++i) {
    row.push_back(fmt::format("{:.1f}", ours[i]));
    row.push_back(fmt::format("{:.1f}", trial.digits[i]));
  }
  row.push_back(trial.other);
  return row;
}

void judge(const TestProblem& problem, const Trial& trial, const Digits& ours, std::vector<FigureCell>& cells) {
  const std::string what = problem.model + ", " + trial.method;
  for (std::size_t i = 0; i < ours.size(); ++i)
    cells.push_back(at_least(fmt::format("{}, rtol {:.0e}: digits", what, tolerances[i]), ours[i], trial.digits[i], 1,
                             computed_by(trial.other)));
}

void judge_gains(const std::string& what, const Digits& digits, std::vector<FigureCell>& cells) {
  for (std::size_t i = 1; i < digits.size(); ++i)
    cells.push_back(at_least(fmt::format("{}, rtol {:.0e}: digits gained", what, tolerances[i]),
                             digits[i] - digits[i - 1], least_gain, 0, more_digits));
}

Table empty_table() {
  Table table{
      .title = "Correct digits at the end", .note = "", .columns = {"problem", "method"}, .rows = {}, .marks = {}};
  for (const double rtol : tolerances) {
    table.columns.push_back(fmt::format("{:.0e}", rtol));
    table.columns.emplace_back("other");
  }
  table.columns.emplace_back("the other solver, or why the method is not run");
  return table;
}

FigureResult digits_against_rtol(bool full) {
  FigureResult result;
  Table table = empty_table();
  for (const TestProblem& problem : problems())
    for (const Trial& trial : problem.trials) {
      if (const std::string reason = why_not(problem, trial, full); !reason.empty()) {
        table.rows.push_back(dashes(problem, trial, reason));
        continue;
      }
      const Digits ours = for_tolerances([&](double rtol) { return digits_at(problem, trial.method, rtol); });
      table.rows.push_back(row_of(problem, trial, ours));
      judge(problem, trial, ours, result.cells);
      if (trial.held_by_stability) continue;
      const std::string what = problem.model + ", " + trial.method;
      if (trial.scatters_over == 0) {
        judge_gains(what, ours, result.cells);
        continue;
      }
      const DigitsOverTimes over = digits_over_times(problem, trial);
      for (const auto& [kind, digits] :
           {std::pair{"mean over a period", over.mean}, {"fewest in a period", over.fewest}}) {
        table.rows.push_back(row_over_times(problem, fmt::format("{}, {}", trial.method, kind), digits));
        judge_gains(fmt::format("{}, {}", what, kind), digits, result.cells);
      }
    }
  result.tables = {std::move(table)};
  result.remark =
      "Every run has the default atol, rtol/1000. Digits are -log10 of the largest error relative to |y| + 1/1000, or "
      "0 "
      "if none is right. At most one digit fewer than the other solver is allowed.";
  return result;
}
}  // namespace

double digits_of(const TestProblem& problem, const Vec& y) {
  double error = 0;
  for (std::size_t i = 0; i < problem.end.size(); ++i) {
    const double exact = problem.end[i];
    const double e = std::abs(y(problem.first + problem.stride * static_cast<Index>(i)) - exact);
    error = std::max(error, e / (std::abs(exact) + 1e-3));
  }
  return std::max(0.0, -std::log10(std::max(error, 1e-16)));
}
}  // namespace papers::ivp

void register_figure_ivp_testset(FigureRegistry& registry) {
  registry.add({"ivp_testset", "Digits against tolerance on the test set for initial value problems",
                "Test Set for Initial Value Problem Solvers", papers::ivp::digits_against_rtol});
}
}  // namespace trill
