// SPDX-License-Identifier: BSD-3-Clause
#include "driver/steady_figures.hpp"

#include "base/text.hpp"
#include "driver/period_curves.hpp"
#include "model/netlist/circuit_powers.hpp"
#include "model/netlist/netlist_problem.hpp"
#include "problem/least_values.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr std::size_t most_signals_in_a_summary = 24;
constexpr double shortest_peak = 1e-5;  // share of the period
// A node that a source holds at zero has voltages of rounding, and they differ.
constexpr double least_share = 1e-7;  // of the largest value with the same unit
// A motion without a clock has a multiplier 1. One without it is that of a motion which something drives.
constexpr double trivial_error = 1e-2;

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
// The lowest and the highest value of every signal, without those that last less than this share of the period in all.
struct LastingExtremes {
  Vec low, high;
};

LastingExtremes lasting_extremes(const CycleTrace& period, double shortest) {
  const auto& t = period.times();
  const auto values = period.values();
  const std::size_t n = t.size();
  std::vector<Index> order(n);
  for (std::size_t k = 0; k < n; ++k) order[k] = static_cast<Index>(k);
  const auto lasts = [&](Index k) {
    const auto here = static_cast<std::size_t>(k);
    return 0.5 * (t[std::min(here + 1, n - 1)] - t[here == 0 ? 0 : here - 1]);
  };
  // The first value in this order with which all before it last long enough.
  const auto first_lasting = [&](auto begin, auto end, Index signal) {
    double sum = 0;
    for (auto k = begin; k != end; ++k)
      if ((sum += lasts(*k)) > shortest * period.duration()) return values(signal, *k);
    return values(signal, *begin);
  };
  LastingExtremes found{Vec(values.rows()), Vec(values.rows())};
  for (Index i = 0; i < values.rows(); ++i) {
    std::sort(order.begin(), order.end(), [&](Index a, Index b) { return values(i, a) < values(i, b); });
    found.low[i] = first_lasting(order.begin(), order.end(), i);
    found.high[i] = first_lasting(order.rbegin(), order.rend(), i);
  }
  return found;
}

SteadySignal without_short_peaks(SteadySignal signal, const LastingExtremes& lasting, Index k) {
  signal.min = lasting.low[k];
  signal.max = lasting.high[k];
  return signal;
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

std::map<std::string, double> largest_of_units(const std::vector<SteadySignal>& signals) {
  std::map<std::string, double> largest;
  for (const SteadySignal& s : signals) largest[s.unit] = std::max({largest[s.unit], std::abs(s.min), std::abs(s.max)});
  return largest;
}

Vec least_sizes(const Problem& problem, const std::vector<SteadySignal>& signals) {
  std::map<std::string, double> largest = largest_of_units(signals);
  Vec least(static_cast<Index>(signals.size()));
  for (Index k = 0; k < least.size(); ++k) least[k] = least_share * largest[signals[static_cast<std::size_t>(k)].unit];
  if (const auto* known = dynamic_cast<const HasLeastValues*>(&problem))
    least = least.cwiseMin(known->least_values().head(least.size()));
  return least;
}

// Where a short peak is left out, the rms may be all that is left of it.
TrustRow compare_figures(const SteadySignal& a, const SteadySignal& b, double least) {
  const double deviation =
      std::max({std::abs(a.mean - b.mean), std::abs(a.rms - b.rms), std::abs(a.min - b.min), std::abs(a.max - b.max)});
  return {a.name, a.unit, deviation, std::max({std::abs(b.max), std::abs(b.min), b.rms, least})};
}

// An error of the mean is not small because it is small beside a short peak.
std::vector<TrustRow> compare_steady(const std::vector<SteadySignal>& run, const SteadyFigures& again,
                                     const Vec& least) {
  const LastingExtremes lasting = lasting_extremes(again.period, shortest_peak);
  std::vector<TrustRow> rows;
  for (std::size_t k = 0; k < run.size(); ++k) {
    const auto i = static_cast<Index>(k);
    const SteadySignal of_again = without_short_peaks(again.signals[k], lasting, i);
    SteadySignal means = run[k];
    means.min = of_again.min, means.max = of_again.max;
    const TrustRow row = compare_figures(run[k], again.signals[k], least[i]),
                   of_means = compare_figures(means, of_again, least[i]);
    rows.push_back(row.relative() >= of_means.relative() ? row : of_means);
  }
  return rows;
}

// Currents that charge a small capacitor through a switch have peaks of any height, depending on the steps.
std::string judge_without_short_peaks(const SteadyFigures& run, const SteadyFigures& again, const Vec& least,
                                      std::vector<TrustRow>& rows) {
  const LastingExtremes a = lasting_extremes(run.period, shortest_peak),
                        b = lasting_extremes(again.period, shortest_peak);
  const std::vector<TrustRow> whole = compare_steady(run.signals, again, least);
  const auto is_green = [](const TrustRow& row) { return verdict_of(row.relative()) == Verdict::green; };
  std::string peaks;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const auto i = static_cast<Index>(k);
    const TrustRow lasting = compare_figures(without_short_peaks(run.signals[k], a, i),
                                             without_short_peaks(again.signals[k], b, i), least[i]);
    if (is_green(rows[k]) || is_green(whole[k]) || !is_green(lasting)) continue;
    peaks += fmt::format("{}{} ({:.2g})", peaks.empty() ? "" : ", ", rows[k].name, rows[k].relative());
    rows[k] = lasting;
  }
  if (peaks.empty()) return "";
  return fmt::format(" Peaks that last less than {:.0e} of the period differ by more: {}.", shortest_peak, peaks);
}

std::string doubt_of_oscillation(const SteadyState& state) {
  if (state.has_clock || state.multipliers.empty()) return "";
  double error = HUGE_VAL;
  for (const auto& m : state.multipliers) error = std::min(error, std::abs(m - 1.0));
  const double known = std::isfinite(state.multiplier_error) ? state.multiplier_error : 0;
  if (error <= std::max(trivial_error, known)) return "";
  return fmt::format(
      " An oscillation without a clock has a multiplier 1, but the nearest one is {:.2g} away from it: something "
      "drives this motion, or its cycle was not computed well; give the period of what drives it by --set period=TIME, "
      "or a smaller --rtol.",
      error);
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
      "{} iteration{}, {} cycles, {} of them with sensitivities{}{}{}; the period closes to {:.1e}", steady.iterations,
      steady.iterations == 1 ? "" : "s", steady.cycles, steady.cycles_with_sensitivities,
      std::isfinite(steady.multiplier_error) ? " (the last one in half steps, for the multipliers)" : "",
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
