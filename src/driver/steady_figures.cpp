// SPDX-License-Identifier: BSD-3-Clause
#include "driver/steady_figures.hpp"

#include "base/text.hpp"
#include "driver/period_curves.hpp"
#include "model/netlist/circuit_powers.hpp"
#include "model/netlist/netlist_problem.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr std::size_t most_signals_in_a_summary = 24;

// The resistor whose name says that the circuit feeds it.
std::string find_load(const std::vector<SteadyPower>& powers) {
  for (const char* name : {"rload", "rout"})
    for (const SteadyPower& p : powers)
      if (!p.is_source && p.element.starts_with(name)) return p.element;
  for (const SteadyPower& p : powers)
    if (!p.is_source && p.element == "rl") return p.element;
  return "";
}

Vec mean_powers(const Circuit& circuit, Index count, const PeriodCurves& period) {
  Vec sum = Vec::Zero(count), a(count), b(count), middle(count);
  for (Index k = 0; k < period.pieces(); ++k) {
    const double t = period.begin(k), h = period.length(k);
    powers(circuit, t, period.left(k), a);
    powers(circuit, t + h, period.right(k), b);
    powers(circuit, t + h / 2, period.middle(k), middle);
    sum += h / 6 * (a + 4 * middle + b);
  }
  return sum / period.period();
}

std::string time_text(double value, const std::string& unit) {
  return unit.empty() ? fmt::format("{:.10g}", value) : fmt::format("{:.10g} {}", value, unit);
}
}  // namespace

std::vector<SteadySignal> signals_of(const CycleTrace& period, const std::vector<Quantity>& components, int harmonics) {
  const Mat amplitudes = PeriodCurves(period).harmonics(harmonics);
  const Vec mean = period.mean(), rms = period.rms();
  std::vector<SteadySignal> signals;
  for (Index k = 0; k < mean.size(); ++k) {
    const Quantity& q = components[static_cast<std::size_t>(k)];
    const Vec row = amplitudes.row(k).transpose();
    signals.push_back({q.name, q.unit, mean[k], rms[k], period.min()[k], period.max()[k], {row.begin(), row.end()}});
  }
  return signals;
}

void check_load(const Problem& problem, const std::string& load) {
  if (load.empty()) return;
  const auto* netlist = dynamic_cast<const NetlistProblem*>(&problem);
  if (!netlist) throw UsageError("the option 'load' is for circuits from netlists only");
  std::vector<std::string> names;
  for (const PowerTerm& term : power_terms(netlist->circuit()))
    if (!term.is_source) names.push_back(term.element);
  if (std::find(names.begin(), names.end(), load) == names.end())
    throw UsageError(
        fmt::format("the circuit has no resistor '{}' that could be its load{}", load, suggest(load, names)));
}

void fill_powers(SteadyState& steady, const Problem& problem, const CycleTrace& period, const std::string& load) {
  const auto* netlist = dynamic_cast<const NetlistProblem*>(&problem);
  if (!netlist || period.times().size() < 2) return;
  const std::vector<PowerTerm> terms = power_terms(netlist->circuit());
  const Vec mean = mean_powers(netlist->circuit(), static_cast<Index>(terms.size()), PeriodCurves(period));
  double input = 0, output = 0;
  for (std::size_t k = 0; k < terms.size(); ++k)
    steady.powers.push_back({terms[k].element, terms[k].is_source, mean[static_cast<Index>(k)]});
  steady.load = load.empty() ? find_load(steady.powers) : load;
  for (const SteadyPower& p : steady.powers) {
    if (p.is_source) input += p.mean;
    if (p.element == steady.load) output = p.mean;
  }
  if (!steady.load.empty() && input > 0) steady.efficiency = output / input;
}

std::vector<std::string> steady_sentences(const SteadyState& steady, const std::string& time_unit) {
  std::vector<std::string> lines;
  lines.push_back(fmt::format("period {}{}, frequency {:.10g}{}", time_text(steady.period, time_unit),
                              steady.has_clock ? "" : " (found, there is no clock)", 1 / steady.period,
                              time_unit == "s" ? " Hz" : ""));
  lines.push_back(fmt::format(
      "{} iteration{}, {} cycles, {} of them with sensitivities{}{}; the period closes to {:.1e}", steady.iterations,
      steady.iterations == 1 ? "" : "s", steady.cycles, steady.cycles_with_sensitivities,
      steady.products > 0 ? fmt::format(", {} products with the derivative of a cycle", steady.products) : "",
      steady.transient > 0 ? fmt::format(", after a transient of {} ({:.3g} periods) that gave the first guess",
                                         time_text(steady.transient, time_unit), steady.transient / steady.period)
                           : "",
      steady.residual));
  lines.push_back(steady.stability);
  const std::size_t shown = std::min(steady.signals.size(), most_signals_in_a_summary);
  for (std::size_t k = 0; k < shown; ++k) {
    const SteadySignal& s = steady.signals[k];
    lines.push_back(fmt::format("{}: mean {:.6g}, rms {:.6g}, min {:.6g}, max {:.6g}, ripple {:.4g}{}{}", s.name,
                                s.mean, s.rms, s.min, s.max, s.ripple(), s.unit.empty() ? "" : " ", s.unit));
  }
  if (shown < steady.signals.size())
    lines.push_back(fmt::format("and {} more signals, which --json shows", steady.signals.size() - shown));
  for (const SteadyPower& p : steady.powers)
    if (p.is_source) lines.push_back(fmt::format("{} delivers {:.6g} W", p.element, p.mean));
  if (steady.efficiency) {
    const auto load = std::find_if(steady.powers.begin(), steady.powers.end(),
                                   [&](const SteadyPower& p) { return p.element == steady.load; });
    lines.push_back(
        fmt::format("{} takes up {:.6g} W: efficiency {:.4g} %", steady.load, load->mean, 100 * *steady.efficiency));
  }
  return lines;
}
}  // namespace trill
