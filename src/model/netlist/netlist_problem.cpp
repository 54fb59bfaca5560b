// SPDX-License-Identifier: BSD-3-Clause
#include "model/netlist/netlist_problem.hpp"

#include "model/netlist/circuit_leap.hpp"
#include "model/netlist/circuit_start.hpp"
#include "problem/consistent_charges.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr double tolerances_that_matter = 100;  // a deviation of a tenth of vntol or abstol is no error of a run
constexpr double looks_in_a_run = 50, looks_in_a_cycle = 50;  // steps at least, if the netlist does not limit them
// Parts of a run at which a formula is hardly 0.
constexpr double looks_at_formulas[] = {0.0213571, 0.1718281, 0.3141592, 0.4669201, 0.5772156, 0.7390851, 0.9159655};

// The voltage that a step of Newton may reach across a junction, as in SPICE: beyond the critical voltage it grows by
// the logarithm only.
double limited_junction(double wanted, double before, double thermal, double critical) {
  if (wanted <= critical || std::abs(wanted - before) <= 2 * thermal) return wanted;
  if (before <= 0) return thermal * std::log(wanted / thermal);
  const double growth = 1 + (wanted - before) / thermal;
  return growth > 0 ? before + thermal * std::log(growth) : critical;
}
}  // namespace

NetlistProblem::NetlistProblem(std::string name, std::shared_ptr<const Circuit> circuit, double begin)
    : name_(std::move(name)), equations_(std::move(circuit)), start_(Layout{equations_.size(), 0, 0, 0}, begin) {
  find_junctions();
  find_start();
}

void NetlistProblem::find_junctions() {
  const auto add = [&](Index plus, Index minus, double sign, double thermal, double saturation) {
    if (saturation > 0)
      junctions_.push_back({plus, minus, sign, thermal, thermal * std::log(thermal / (std::sqrt(2) * saturation))});
  };
  for (const auto& [d, node, element] : circuit().diodes) add(node[0], node[1], 1, d.thermal, d.saturation);
  for (const auto& [q, node, element] : circuit().bipolars) {
    add(node[1], node[2], q.polarity, q.thermal * q.forward_ideality, q.saturation);
    add(node[1], node[0], q.polarity, q.thermal * q.reverse_ideality, q.saturation);
  }
  for (const auto& [m, node, element] : circuit().transistors) {
    add(node[3], node[0], m.polarity, m.thermal, m.drain_saturation);
    add(node[3], node[2], m.polarity, m.thermal, m.source_saturation);
  }
}

// Shortens the whole step, so that what does not belong to junctions stays consistent with them.
void NetlistProblem::limit(In x_old, Out x_new) const {
  double share = 1;
  for (const Junction& j : junctions_) {
    const auto voltage = [&](In x) { return j.sign * ((j.plus < 0 ? 0 : x[j.plus]) - (j.minus < 0 ? 0 : x[j.minus])); };
    const double before = voltage(x_old), wanted = voltage(x_new);
    const double allowed = limited_junction(wanted, before, j.thermal, j.critical);
    if (allowed != wanted) share = std::min(share, (allowed - before) / (wanted - before));
  }
  if (share < 1) x_new = x_old + share * (x_new - x_old);
}

std::vector<Quantity> NetlistProblem::components() const {
  std::vector<Quantity> all;
  for (const std::string& node : circuit().nodes) all.push_back({fmt::format("v({})", node), "V"});
  for (const std::string& branch : circuit().branches) all.push_back({fmt::format("i({})", branch), "A"});
  return all;
}

std::string NetlistProblem::equation_name(Index k) const {
  const auto i = static_cast<std::size_t>(k);
  const std::size_t nodes = circuit().nodes.size();
  if (i < nodes)
    return fmt::format("the sum of the currents at node '{}' ({})", circuit().nodes[i],
                       circuit().node_cards[i]->place());
  return fmt::format("the voltage of '{}'", circuit().branches[i - nodes]);
}

template <class Use>
void NetlistProblem::each_source(Use use) const {
  auto ahead = equations_.setting.ahead.begin();
  for (const VoltageSource& v : circuit().voltages) use(v.wave, *ahead++);
  for (const CurrentSource& s : circuit().currents) use(s.wave, *ahead++);
}

std::vector<double> NetlistProblem::source_periods() const {
  std::vector<double> periods;
  each_source([&](const Waveform& wave, double) {
    if (const auto period = wave.period()) periods.push_back(*period);
  });
  return periods;
}

std::vector<NetlistProblem::OtherPeriod> NetlistProblem::sources_with_other_periods(double period) const {
  std::vector<OtherPeriod> others;
  const auto look = [&](const auto& sources) {
    for (const auto& source : sources) {
      const std::optional<double> once = source.wave.period();
      if (!once || source.wave.repeats_after(period)) continue;
      const ElementOrigin& origin = circuit().origin(source);
      others.push_back({fmt::format("'{}' ({})", origin.name, origin.card->place()), *once});
    }
  };
  look(circuit().voltages);
  look(circuit().currents);
  return others;
}

void NetlistProblem::see_slow_sources_later(double period, double ahead) const {
  each_source([&](const Waveform& wave, double& later) { later = wave.repeats_after(period) ? 0 : ahead; });
}

std::vector<double> NetlistProblem::slow_corners(double period, double t0, double t1) const {
  std::vector<double> times;
  each_source([&](const Waveform& wave, double) {
    if (!wave.repeats_after(period))
      wave.add_corners(t0, t1, times);
    else if (wave.delay() > t0 && wave.delay() <= t1)
      times.push_back(wave.delay());
  });
  return times;
}

std::optional<double> NetlistProblem::clock_period() const {
  const std::vector<double> periods = source_periods();
  if (periods.empty()) return std::nullopt;
  return *std::min_element(periods.begin(), periods.end());
}

// Formulas may contain products with unknowns that are 0 at the start, or functions that are flat there, so other
// values and later times are tried as well.
std::string NetlistProblem::formula_that_does_not_repeat(double after, double run) const {
  const Index n = start_.y.size();
  const Vec raised = start_.y + Vec::LinSpaced(n, 0.3, 0.9), small = Vec::LinSpaced(n, 0.1, -0.4);
  for (const double part : looks_at_formulas)
    for (const Vec& x : {start_.y, raised, small})
      if (const auto k = equations_.formula_that_changes(start_.t + part * run, after, x)) {
        const ElementOrigin& origin = circuit().origin(circuit().formulas[*k]);
        return fmt::format("'{}' ({})", origin.name, origin.card->place());
      }
  return "";
}

std::vector<double> NetlistProblem::breakpoints(double t0, double t1) const {
  std::vector<double> times;
  each_source([&](const Waveform& wave, double ahead) {
    const std::size_t before = times.size();
    wave.add_corners(t0 + ahead, t1 + ahead, times);
    for (std::size_t k = before; k < times.size(); ++k) times[k] -= ahead;
  });
  std::sort(times.begin(), times.end());
  // Corners of several sources that differ by rounding are one.
  const double rounding = 1e-13 * std::max(std::abs(t0), std::abs(t1));
  times.erase(std::unique(times.begin(), times.end(), [&](double a, double b) { return b - a <= rounding; }),
              times.end());
  return times;
}

std::vector<TimeMark> NetlistProblem::time_marks(double t0, double t1) const {
  const TransientCard& run = circuit().transient;
  double longest = run.longest_step.value_or((t1 - t0) / looks_in_a_run);
  if (const auto period = clock_period(); period && !run.longest_step)
    longest = std::min(longest, *period / looks_in_a_cycle);
  return {{t0, longest}};
}

std::vector<RunResultWish> NetlistProblem::wished_results() const {
  std::vector<RunResultWish> wishes;
  for (const MeasureCard& m : circuit().measures) {
    RunResultWish wish;
    wish.name = m.name;
    wish.unit = m.signal == "v" ? "V" : "A";
    if (m.what == RunResultWish::What::integral) wish.unit += " s";
    wish.what = m.what;
    for (std::size_t k = 0; k < m.unknowns.size(); ++k)
      if (m.unknowns[k] >= 0) wish.signal.emplace_back(m.unknowns[k], k == 0 ? 1.0 : -1.0);
    wish.from = m.from.value_or(wish.from);
    wish.to = m.to.value_or(wish.to);
    wishes.push_back(std::move(wish));
  }
  return wishes;
}

double NetlistProblem::distance(std::size_t k, In x, bool closed) const {
  const Switch& s = circuit().switches[k];
  return equations_.control(s, x) - (s.threshold + (closed ? -s.hysteresis : s.hysteresis));
}

std::vector<EventInfo> NetlistProblem::events() const {
  std::vector<EventInfo> all;
  for (const Switch& s : circuit().switches)
    all.push_back({fmt::format("{} switches", circuit().origin(s).name), 0, false, true});
  return all;
}

double NetlistProblem::event_value(int event, const State& s) const {
  const auto k = static_cast<std::size_t>(event);
  return distance(k, s.y, s.mode[k] != 0);
}

bool NetlistProblem::turn_switches(In x, std::vector<int>& closed) const {
  bool turned = false;
  for (std::size_t k = 0; k < closed.size(); ++k) {
    const double d = distance(k, x, closed[k] != 0);
    if (closed[k] ? d >= 0 : d <= 0) continue;
    closed[k] = !closed[k];
    turned = true;
  }
  return turned;
}

// One switch may turn others at once.
void NetlistProblem::on_event(int event, State& s) const {
  const auto k = static_cast<std::size_t>(event);
  s.mode[k] = !s.mode[k];
  if (s.mode.size() == 1) return;
  const std::vector<int> before = equations_.setting.closed;
  for (std::size_t round = 0; round < s.mode.size(); ++round) {
    equations_.setting.closed = s.mode;
    Vec x = s.y;
    if (ConsistentCharges(*this, s.t, s.y).settle(s.t, x) != ConsistentCharges::Status::ok) break;
    std::vector<int> next = s.mode;
    if (!turn_switches(x, next)) break;
    next[k] = s.mode[k];
    if (next == s.mode) break;
    s.mode = next;
  }
  equations_.setting.closed = before;
}

// Switches may turn with it.
bool NetlistProblem::leap(double dt, State& s) const {
  const std::vector<int> before = equations_.setting.closed;
  State after = s;
  bool reached = false;
  for (std::size_t round = 0; round <= s.mode.size(); ++round) {
    equations_.setting.closed = after.mode;
    after.y = s.y;
    reached = leap_over(*this, equations_, s.t, dt, after.y);
    if (!reached || !turn_switches(after.y, after.mode)) break;
  }
  equations_.setting.closed = before;
  if (!reached) return false;
  s = after;
  s.t += dt;
  return true;
}

Vec NetlistProblem::least_values() const {
  const CircuitOptions& options = circuit().options;
  Vec values = Vec::Constant(equations_.size(), tolerances_that_matter * options.abstol);
  values.head(static_cast<Index>(circuit().nodes.size())).setConstant(tolerances_that_matter * options.vntol);
  return values;
}

void NetlistProblem::find_start() {
  start_.mode = equations_.setting.closed;
  for (std::size_t round = 0; round <= start_.mode.size() + 1; ++round) {
    equations_.setting.closed = start_.mode;
    start_.y = circuit_start(*this, equations_, start_.t);
    if (!turn_switches(start_.y, start_.mode)) return;
  }
  equations_.setting.closed = start_.mode;
}
}  // namespace trill
