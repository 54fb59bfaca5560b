// SPDX-License-Identifier: BSD-3-Clause
// The start-up of two converters and a rectifier by their envelopes, and the steady state of an oscillator.
#include "model/netlist/netlist.hpp"
#include "papers/cells.hpp"
#include "trill/driver/plan.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace trill {
namespace papers::converters {
namespace {
constexpr const char* buck = R"(Buck converter, start-up without control
Vin in 0 DC 12
Vgate gate 0 PULSE(0 5 0 10n 10n 4.99u 10u)
S1 in sw gate 0 switch
D1 0 sw diode
L1 sw out 470u IC=0
Rl out o2 20m
C1 o2 c1 2200u IC=0
Resr c1 0 10m
Rload o2 0 5
.model switch SW(RON=20m ROFF=1meg VT=2.5 VH=0)
.model diode D(IS=1e-9 N=1 RS=10m)
.tran 1u 50m 0 1u uic
.end
)";
constexpr const char* boost = R"(Boost converter, start-up without control
Vin in 0 DC 5
Vgate gate 0 PULSE(0 5 0 10n 10n 4.99u 10u)
L1 in sw 220u IC=0
S1 sw 0 gate 0 switch
D1 sw o2 diode
C1 o2 c1 1000u IC=0
Resr c1 0 15m
Rload o2 0 20
.model switch SW(RON=30m ROFF=1meg VT=2.5 VH=0)
.model diode D(IS=1e-9 N=1 RS=20m)
.tran 1u 40m 0 1u uic
.end
)";
constexpr const char* rectifier = R"(Half-wave rectifier with a filter of two stages
V1 in 0 SIN(0 12 50)
Rs in a 1
D1 a b diode
C1 b 0 1000u IC=0
R1 b c 100
C2 c 0 10m IC=0
Rload c 0 1k
.model diode D(IS=1e-9 N=1)
.tran 100u 10 0 100u uic
.end
)";
constexpr const char* colpitts = R"(Colpitts oscillator with a bipolar transistor
Vcc vcc 0 DC 5
L1 vcc c 10u IC=0
Rp vcc c 2k
Q1 c b e transistor
Rb vcc b 100k
Cb b 0 10n IC=0.9
C1 c e 2n IC=4
C2 e 0 2n IC=0.3
Re e 0 1k
.model transistor NPN(IS=1e-15 BF=100 BR=1)
.tran 5n 400u 0 10n uic
.end
)";

PreparedRun prepared(const char* netlist, const RunPlan& plan) {
  TextModel model = read_netlist({}, "figure.cir", "figure", netlist, {}, 0);
  return prepare(plan, std::move(model.problem), model.info.run);
}

// A circuit with values at the starts of some of its cycles, from a program of its own that was compared with ngspice.
struct StartUp {
  const char* netlist;
  double period;
  std::vector<std::string> signals;
  std::vector<double> largest;  // of each signal
  struct Sample {
    int cycle;
    std::vector<double> values;
  };
  std::vector<Sample> samples;
  double most_cycles;
};

// Runs have rows where switches turn too.
double deviation(const StartUp& c, const Solution& run, std::size_t signal, double& last) {
  const Index row = run.component(c.signals[signal]);
  double worst = 0;
  for (const StartUp::Sample& sample : c.samples) {
    const double t = sample.cycle * c.period;
    const auto at = std::ranges::find_if(run.t, [&](double time) { return std::abs(time - t) <= 1e-9 * c.period; });
    if (at == run.t.end()) return HUGE_VAL;
    last = run.y()(row, at - run.t.begin());
    worst = std::max(worst, std::abs(last - sample.values[signal]) / c.largest[signal]);
  }
  return worst;
}

// Rows at the sampled cycles only.
Solution run_to_samples(const StartUp& c, RunPlan plan) {
  Times times;
  for (const StartUp::Sample& sample : c.samples) times.t.push_back(sample.cycle * c.period);
  plan.output = times;
  plan.to = times.t.back();
  return prepared(c.netlist, plan).run();
}

Chart band_chart(const StartUp& c, const std::string& signal) {
  RunPlan plan;
  plan.want = Want::envelope;
  plan.to = c.samples.back().cycle * c.period;
  const Solution run = prepared(c.netlist, plan).run();
  const Index middle = run.quantity("middle_" + signal), amplitude = run.quantity("amplitude_" + signal);
  ChartSeries series{signal, {}, {}, {}};
  for (Index k = 0; k < run.rows(); ++k) {
    add_point(series, run.t[static_cast<std::size_t>(k)], run.measured()(middle, k));
    series.band.push_back(run.measured()(amplitude, k));
  }
  Chart chart = time_chart(signal, "Each point is a cycle that was computed.", {signal, "", false}, {series});
  chart.band_label = "band: range in a cycle";
  return chart;
}

// Only the first and last samples of a discontinuous current are zero; a step may end anywhere between samples, where
// the envelope is interpolated, so errors of single samples are those of the envelope and of its interpolation.
FigureResult start_up(const StartUp& c, bool full) {
  FigureResult result;
  RunPlan plan;
  plan.want = Want::envelope;
  const Solution envelope = run_to_samples(c, plan);
  double last = 0;
  for (std::size_t i = 0; i < c.signals.size(); ++i) {
    result.cells.push_back(
        at_most(c.signals[i] + ", largest deviation, envelope", deviation(c, envelope, i, last), 1e-3));
    result.cells.push_back(relative(c.signals[i] + " at the end, envelope", last, c.samples.back().values[i], 2e-3));
  }
  const auto computed = static_cast<double>(envelope.outcome.counters.micro_steps);
  result.cells.push_back(at_most("cycles computed", computed, c.most_cycles));
  if (full) {
    const Solution transient = run_to_samples(c, {});
    for (std::size_t i = 0; i < c.signals.size(); ++i)
      result.cells.push_back(
          at_most(c.signals[i] + ", largest deviation, transient", deviation(c, transient, i, last), 1e-4));
  }
  for (const std::string& signal : c.signals) result.charts.push_back(band_chart(c, signal));
  result.remark = fmt::format("{} cycles of {:g} s. Deviations are relative to the largest value of the signal.",
                              c.samples.back().cycle, c.period);
  return result;
}

const StartUp& buck_case() {
  static const StartUp c{buck,
                         1e-5,
                         {"v(o2)", "i(l1)"},
                         {9.868, 11.725},
                         {{500, {8.45373606616, 3.54524659498e-06}},
                          {1000, {5.44604339771, 0.243609625359}},
                          {1500, {5.89172572916, 0.700393565804}},
                          {2000, {5.82131545673, 1.31209185386}},
                          {2500, {5.65040163951, 1.29171493801}},
                          {3000, {5.63553190125, 1.07541633548}},
                          {3500, {5.69159022602, 1.03290631955}},
                          {4000, {5.70956312188, 1.09870528942}},
                          {4500, {5.69409203946, 1.1285405313}},
                          {5000, {5.68429190005, 1.11239289755}}},
                         300};
  return c;
}

const StartUp& boost_case() {
  static const StartUp c{boost,
                         1e-5,
                         {"v(o2)", "i(l1)"},
                         {16.338, 18.272},
                         {{400, {15.5285964897, 4.9989994714e-06}},
                          {800, {12.769966088, 4.99900223003e-06}},
                          {1200, {10.5303117983, 4.99900446969e-06}},
                          {1600, {9.11508472341, 1.03239383397}},
                          {2000, {9.47104144433, 0.499832076999}},
                          {2400, {9.49941480854, 1.03599096126}},
                          {2800, {9.35833742086, 0.939156156159}},
                          {3200, {9.42277069741, 0.802557608329}},
                          {3600, {9.43813248355, 0.909215537303}},
                          {4000, {9.40715443536, 0.900808013922}}},
                         300};
  return c;
}

const StartUp& rectifier_case() {
  static const StartUp c{rectifier,
                         0.02,
                         {"v(b)", "v(c)"},
                         {11.21, 10.238},
                         {{50, {10.5248130115, 6.38282578916}},
                          {100, {10.9288352495, 8.7663822134}},
                          {150, {11.095838952, 9.66941999799}},
                          {200, {11.1640480942, 10.0168548247}},
                          {250, {11.1914563344, 10.1518253507}},
                          {300, {11.2023347935, 10.2045431595}},
                          {350, {11.2066019016, 10.2251698943}},
                          {400, {11.2082838072, 10.2332515057}},
                          {450, {11.2089435621, 10.2364191306}},
                          {500, {11.2092022239, 10.2376608269}}},
                         100};
  return c;
}

FigureResult colpitts_steady(bool) {
  FigureResult result;
  RunPlan plan;
  plan.want = Want::steady;
  PreparedRun run = prepared(colpitts, plan);
  const Solution period = run.run();
  if (!run.steady_state) throw UsageError("the oscillator did not settle: " + period.outcome.message);
  const SteadyState& steady = *run.steady_state;
  const auto signal = std::find_if(steady.signals.begin(), steady.signals.end(),
                                   [](const SteadySignal& s) { return s.name == "v(c)"; });
  result.cells.push_back(relative("frequency [Hz]", 1 / steady.period, 1593899.7, 1e-5));
  const CellOrigin spice = computed_by("ngspice 39, 2 ms with reltol 1e-6");
  result.cells.push_back(relative("v(c), max [V]", signal->max, 8.557497, 1e-4, spice));
  result.cells.push_back(relative("v(c), min [V]", signal->min, 1.113428, 1e-4, spice));
  result.cells.push_back(near("first multiplier", std::abs(steady.multipliers[0]), 1, 1e-6, closed_form));
  result.cells.push_back(near("second multiplier", std::abs(steady.multipliers[1]), 0.97688, 1e-4));
  result.cells.push_back(shown(near("third multiplier, modulus", std::abs(steady.multipliers[2]), 0.55302, 1e-4)));
  result.cells.push_back(
      at_most("periods with sensitivities", static_cast<double>(steady.cycles_with_sensitivities), 25));
  Chart chart = time_chart("One period of v(c)", "", {"v(c)", "V", false}, {{"v(c)", {}, {}}});
  const Index row = period.component("v(c)");
  for (Index k = 0; k < period.rows(); ++k)
    add_point(chart.series[0], period.t[static_cast<std::size_t>(k)], period.y()(row, k));
  result.charts = {chart};
  result.remark =
      "The first multiplier is 1 in theory: its distance from 1 shows the accuracy of the others. That of the program "
      "from which frequency and multipliers are taken was 1.00004, so its third multiplier is shown but not judged.";
  return result;
}
}  // namespace
}  // namespace papers::converters

void register_figure_converters(FigureRegistry& registry) {
  using namespace papers::converters;
  const char* reference = "PJY97 section 5.2; White and Leeb 1991";
  registry.add({"buck_startup", "Start-up of a buck converter: 5000 cycles from less than 300", reference,
                [](bool full) { return start_up(buck_case(), full); }});
  registry.add({"boost_startup", "Start-up of a boost converter: 4000 cycles from less than 300", reference,
                [](bool full) { return start_up(boost_case(), full); }});
  registry.add({"rectifier_startup", "Start-up of a rectifier: 500 cycles from less than 100", reference,
                [](bool full) { return start_up(rectifier_case(), full); }});
  registry.add({"colpitts_steady", "Steady state of a Colpitts oscillator by shooting",
                "Kundert, Sangiovanni-Vincentelli and White 1988; PJY97 section 5.2", colpitts_steady});
}
}  // namespace trill
