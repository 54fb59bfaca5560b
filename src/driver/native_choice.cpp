// SPDX-License-Identifier: BSD-3-Clause
#include "driver/native_choice.hpp"

#include "formulation/frequencies.hpp"
#include "model/native/native_model.hpp"
#include "trill/problem/mechanical.hpp"

#include <cmath>
#include <numbers>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr double forces_each_step = 2;         // evaluations in a fixed step: between one and many
constexpr double forces_each_period = 100;     // evaluations in a period of the fastest motion, at usual tolerances
constexpr double forces_when_unknown = 2e4;    // if finding the frequencies would take longer than compiling
constexpr double forces_of_slow_motion = 5e3;  // for steps that do not depend on the fastest motion
constexpr Index most_unknowns_to_analyse = 60;

double expected_forces(const PreparedRun& run) {
  const double span = std::abs(*run.plan.to - *run.plan.from);
  if (run.way.formulation && run.way.formulation->free_of_oscillation) return forces_of_slow_motion;
  if (run.plan.h) return forces_each_step * span / *run.plan.h;
  if (run.start.layout.nq > most_unknowns_to_analyse) return forces_when_unknown;
  return forces_each_period * (1 + span * fastest_frequency(*run.problem, run.start) / (2 * std::numbers::pi));
}

bool pays(const PreparedRun& run, const NativeModel& model) {
  const NativeModel::Cost cost = model.native_cost();
  return cost.saved_each_force * std::min(expected_forces(run), static_cast<double>(run.plan.max_steps)) >
         cost.compiling;
}
}  // namespace

bool choose_native(PreparedRun& run) {
  const auto* model = dynamic_cast<const NativeModel*>(run.problem.get());
  if (!model) return false;
  const Native wanted = run.plan.native;
  run.options.info.code = "interpreted";
  if (wanted == Native::never) return false;
  const bool compile = wanted != Native::automatic || pays(run, *model);
  const std::string reason = model->use_native(compile ? NativeUse::always : NativeUse::cached_only);
  if (reason.empty()) {
    run.options.info.code = "compiled";
    return true;
  }
  if (wanted == Native::always) throw UsageError(fmt::format("the model cannot be compiled: {}", reason));
  if (compile)
    run.remark = fmt::format(
        "the model is interpreted instead of compiled, which is slower but gives the same numbers: {}", reason);
  return false;
}

std::unique_ptr<Problem> with_code_at_hand(std::unique_ptr<Problem> problem, Native wanted) {
  const auto* model = dynamic_cast<const NativeModel*>(problem.get());
  if (!model || wanted == Native::never || !model->use_native(NativeUse::cached_only).empty()) return problem;
  return problem->clone();
}
}  // namespace trill
