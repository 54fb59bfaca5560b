// SPDX-License-Identifier: BSD-3-Clause
#include "driver/check_scales.hpp"

#include "problem/quantity_kind.hpp"
#include "problem/structure.hpp"
#include "trill/problem/langevin.hpp"
#include "trill/problem/mechanical.hpp"

#include <algorithm>
#include <cmath>

namespace trill {
namespace {
constexpr Index most_energy_samples = 200;
constexpr double rounded_to_zero = 1e-10, rounding = 1e-12;  // of what a measure could change by

bool is_energy(const Quantity& q) { return q.kind == QuantityKind::energy || q.kind == QuantityKind::energy_part; }

// The range of the kinetic energy over some states of the run, and no less than that of one coordinate alone between
// its slowest and its fastest motion, which is known even where only a few states are.
double kinetic_range(const PreparedRun& run, const JudgedCurve& curve, const Extent& of_components) {
  const MechanicalProblem* p = mechanics_of(*run.problem);
  if (!p || curve.t.empty()) return 0;
  const Index n = p->layout().nq, stride = 1 + curve.columns() / most_energy_samples;
  MatrixSlot mass = p->mass_pattern();
  Vec momentum(n);
  double low = HUGE_VAL, high = -HUGE_VAL, alone = 0;
  for (Index k = 0; k < curve.columns(); k += stride) {
    const auto q = curve.values.col(k).head(n), v = curve.values.col(k).segment(n, n);
    p->mass(q, mass);
    mass.multiply(v, momentum);
    const double energy = 0.5 * momentum.dot(v);
    low = std::min(low, energy);
    high = std::max(high, energy);
  }
  for (Index i = 0; i < n; ++i) {
    const double slow = of_components.low[n + i], fast = of_components.high[n + i];
    const double least = slow < 0 && fast > 0 ? 0 : std::min(slow * slow, fast * fast);
    const double range = 0.5 * mass.value(i, i) * (std::max(slow * slow, fast * fast) - least);
    if (std::isfinite(range)) alone = std::max(alone, range);
  }
  return std::max(std::isfinite(high - low) ? high - low : 0, alone);
}

// How much a measure changes when each component changes by its scale, at the last state.
Vec responses(const PreparedRun& run, const JudgedCurve& curve, const Vec& scales) {
  constexpr double share = 1e-4;
  constexpr Index all_up_to = 2000, some = 200;  // components: of many only some are moved
  const Index n = run.start.y.size(), stride = n <= all_up_to ? 1 : n / some;
  const Index measures = curve.values.rows() - n, last = curve.columns() - 1;
  State s = run.start;
  s.t = curve.t.back();
  s.y = curve.values.col(last).head(n);
  Vec at(measures), moved(measures), response = Vec::Zero(measures);
  run.problem->measure(s, at);
  for (Index i = 0; i < n; i += stride) {
    const double kept = s.y[i];
    s.y[i] += share * scales[i];
    run.problem->measure(s, moved);
    s.y[i] = kept;
    const Vec change = (moved - at).cwiseAbs() / share;
    if (change.allFinite()) response = response.cwiseMax(change);
  }
  return response;
}

bool is_named(const PreparedRun& run, const std::string& name) {
  return std::find(run.plan.of.begin(), run.plan.of.end(), name) != run.plan.of.end();
}

Vec measures_at_start(const PreparedRun& run, Index count) {
  Vec at(count);
  run.problem->measure(run.start, at);
  return at;
}
}  // namespace

Verdict verdict_of(double relative, double accuracy) {
  // A rough accuracy does not make an error acceptable that is as large as the motion.
  constexpr double large = 0.2, surely_wrong = 3;
  const double most = std::min(amber_factor * accuracy, std::max(large, surely_wrong * accuracy));
  return relative <= accuracy ? Verdict::green : relative <= most ? Verdict::amber : Verdict::red;
}

Delivers delivered_by(const PreparedRun& run) {
  const ReformulationEntry* form = run.way.formulation;
  return form && form->delivers ? *form->delivers : run.stepper->info().delivers;
}

bool computes_slow_motion(const PreparedRun& run, const RunOutcome& outcome) {
  if (run.way.formulation && delivered_by(run) == Delivers::slow) return true;
  return std::any_of(outcome.notices.begin(), outcome.notices.end(), [](const Notice& notice) {
    return notice.code == "slow_motion_only" || notice.code == "fast_energy_left_out";
  });
}

namespace {
// What the user names; or the outputs of a structure that was reduced for them.
std::vector<std::string> judged_names(const PreparedRun& run) {
  std::vector<std::string> names = run.plan.of;
  const auto* structure = dynamic_cast<const LinearStructure*>(run.problem.get());
  if (names.empty() && structure && run.way.formulation)
    for (const StructureOutput& output : structure->outputs()) names.push_back(output.name);
  return names;
}
}  // namespace

std::vector<JudgedValue> judged_values_of(const PreparedRun& run, bool slow) {
  const std::vector<std::string> of = judged_names(run);
  const auto named = [&](const std::string& name) { return std::find(of.begin(), of.end(), name) != of.end(); };
  std::vector<JudgedValue> values;
  for (const Quantity& q : run.problem->components()) values.push_back({q.name, q.unit, of.empty() || named(q.name)});
  for (const Quantity& q : measures_of(*run.problem))
    values.push_back({q.name, q.unit, of.empty() ? !(slow && is_energy(q)) : named(q.name)});
  return values;
}

Vec judged_scales(const PreparedRun& run, const Extent& extent, const JudgedCurve& curve, double conserved) {
  const Index n = run.start.y.size(), measures = extent.low.size() - n;
  Vec scales(n + measures);
  const Extent of_components = [&] {
    Extent part(n);
    part.low = extent.low.head(n);
    part.high = extent.high.head(n);
    return part;
  }();
  scales.head(n) = component_scales(run, of_components, {curve.t, curve.values.topRows(n)});
  if (measures == 0) return scales;
  const std::vector<Quantity> quantities = measures_of(*run.problem);
  const bool has_energy = std::any_of(quantities.begin(), quantities.end(), is_energy);
  const double kinetic = has_energy ? kinetic_range(run, curve, of_components) : 0;
  const Vec response = responses(run, curve, scales), at_start = measures_at_start(run, measures);
  for (Index k = 0; k < measures; ++k) {
    const double low = extent.low[n + k], high = extent.high[n + k], size = std::max(std::abs(low), std::abs(high));
    double scale = high - low;
    if (is_energy(quantities[static_cast<std::size_t>(k)])) scale = std::max(scale, kinetic);
    if (scale <= conserved * size) scale = size;
    // Is the measure zero by symmetry, and otherwise only because of errors of the run? A length that is small compared
    // with the coordinates of its ends is not, since it is not zero at the start. A difference that the user names is
    // judged by its own size, unless that is rounding.
    const bool is_zero = std::abs(at_start[k]) <= rounded_to_zero * response[k];
    const double by_errors = is_named(run, quantities[static_cast<std::size_t>(k)].name) ? rounding : conserved;
    if (is_zero && scale <= by_errors * response[k]) scale = response[k];
    scales[n + k] = scale;
  }
  return scales;
}
}  // namespace trill
