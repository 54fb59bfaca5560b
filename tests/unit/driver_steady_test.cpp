// SPDX-License-Identifier: BSD-3-Clause
// `--want steady` on circuits, first-order and mechanical systems whose steady states have a closed form.
#include "driver/period_curves.hpp"
#include "driver/recorded_run.hpp"
#include "support/mentions.hpp"
#include "support/netlists.hpp"
#include "trill/driver/trust.hpp"

#include <numbers>

#include <gmock/gmock.h>

namespace trill::testing_netlists {
namespace {
constexpr double pi = std::numbers::pi;

RunPlan steady_plan(OptionSet options = {}) {
  RunPlan plan;
  plan.want = Want::steady;
  plan.options = std::move(options);
  return plan;
}

struct SteadyAnswer {
  Solution solution;
  SteadyState state;
};

SteadyAnswer steady_of(TextModel model, const RunPlan& plan = steady_plan()) {
  PreparedRun run = prepare(plan, std::move(model.problem), model.info.run);
  SteadyAnswer answer{run.run(), {}};
  EXPECT_TRUE(answer.solution.ok()) << answer.solution.outcome.message;
  if (run.steady_state) answer.state = *run.steady_state;
  return answer;
}

const SteadySignal& signal(const SteadyState& state, const std::string& name) {
  for (const SteadySignal& s : state.signals)
    if (s.name == name) return s;
  ADD_FAILURE() << "no signal " << name;
  return state.signals.front();
}

std::string steady_complaint(TextModel model, const RunPlan& plan = steady_plan()) {
  try {
    prepare(plan, std::move(model.problem), model.info.run);
  } catch (const UsageError& e) {
    return e.what();
  }
  return "no error";
}

const char* const bridge_behind_a_transformer =
    "v1 p 0 sin(0 325 50)\nrp p pa 1\nlp pa 0 2\nls s1 s2 20m\nk1 lp ls 0.999\n"
    "d1 s1 out dr\nd2 s2 out dr\nd3 0 s1 dr\nd4 0 s2 dr\nc1 out 0 2200u\n"
    "rl out 0 50\n.model dr d(is=1e-8 rs=0.05 n=1.5)\n.tran 100u 60m 0 50u\n";

// While all diodes block, the current of the secondary winding flows through leakage alone. Because the bridge is
// symmetric, both ends of the winding have the same mean voltage, half of that of the load.
TEST(SteadyState, OfABridgeBehindATransformer) {
  const SteadyState state = steady_of(netlist(bridge_behind_a_transformer)).state;
  const double load = signal(state, "v(out)").mean;
  EXPECT_LE(state.cycles, 8);
  EXPECT_NEAR(signal(state, "v(s1)").mean, load / 2, 1e-6 * load);
  EXPECT_NEAR(signal(state, "v(s2)").mean, load / 2, 1e-6 * load);
  EXPECT_EQ(state.load, "rl");
  ASSERT_TRUE(state.efficiency);
  EXPECT_LT(*state.efficiency, 1);
}

// radau cannot check a run of this circuit, because voltages jump where the diodes block. Another method does it.
TEST(TrustOfCircuits, IsFoundWhereRadauFails) {
  TextModel model = netlist(bridge_behind_a_transformer);
  PreparedRun run = prepare(RunPlan(), std::move(model.problem), model.info.run);
  ASSERT_EQ(run.plan.method, "circuit_sdirk");
  const Solution solution = run.run();
  const Trust trust = check_trust(run, solution.outcome, solution, {.most_seconds = HUGE_VAL});
  EXPECT_EQ(trust.verdict, Verdict::green) << trust.headline;
  EXPECT_THAT(trust.how, testing::HasSubstr("measured against circuit_sdirk"));
}

// A low-pass of 1 kOhm and 10 uF (time constant 10 ms) behind a source of 3 V at 1 kHz.
const char* const slow_low_pass =
    "v1 in 0 sin(0.5 3 1k)\nr1 in out 1k\nc1 out 0 10u ic=0\nrload out 0 1g\n.tran 10u 1m 0 5u uic\n";

TEST(SteadyState, OfALowPassIsThatOfItsTransferFunction) {
  const SteadyAnswer found = steady_of(netlist(slow_low_pass));
  const double omega = 2 * pi * 1e3, tau = 1e-2, amplitude = 3 / std::hypot(1, omega * tau);
  EXPECT_DOUBLE_EQ(found.state.period, 1e-3);
  EXPECT_LE(found.state.cycles, 6);  // one of them in half steps, for the multipliers
  const SteadySignal& out = signal(found.state, "v(out)");
  EXPECT_NEAR(out.mean, 0.5, 2e-6);
  EXPECT_NEAR(out.ripple(), 2 * amplitude, 1e-3 * amplitude);
  EXPECT_NEAR(out.harmonics.at(0), amplitude, 1e-4 * amplitude);
  EXPECT_LT(out.harmonics.at(1), 1e-4 * amplitude);
  EXPECT_NEAR(out.rms, std::sqrt(0.25 + amplitude * amplitude / 2), 2e-6);
  ASSERT_EQ(found.state.multipliers.size(), 1u);
  EXPECT_NEAR(found.state.multipliers[0].real(), std::exp(-0.1), 1e-6);
  EXPECT_TRUE(found.state.is_stable);
  // The rows cover exactly one period, which ends where it began.
  const Solution& rows = found.solution;
  EXPECT_NEAR(rows.t.back() - rows.t.front(), 1e-3, 1e-12);
  EXPECT_NEAR(rows.y()(rows.component("v(out)"), 0), end_value(rows, "v(out)"), 1e-9);
}

TEST(SteadyState, KnowsPowersAndEfficiency) {
  const SteadyState state = steady_of(netlist("v1 in 0 sin(0 10 50)\nr1 in out 2\nrload out 0 8\nc1 out 0 1p\n"
                                              ".tran 1m 1 uic\n"))
                                .state;
  EXPECT_EQ(state.load, "rload");
  ASSERT_TRUE(state.efficiency);
  EXPECT_NEAR(*state.efficiency, 0.8, 1e-6);
  EXPECT_NEAR(state.powers.at(0).mean, 5, 1e-3);
}

// A triangle from 0 to 1 and back has the harmonics 4/(pi k)^2 for odd k, and none for even k; a sine has only one.
TEST(PeriodCurves, HaveTheHarmonicsOfTrianglesAndSines) {
  CycleTrace period;
  period.keep_points(true);
  period.begin(2);
  for (int k = 0; k <= 60; ++k) {
    const double s = k / 60.0;
    period.point(3 + 2 * s, Vec{{1 - std::abs(2 * s - 1), std::sin(2 * pi * s + 0.3)}});
  }
  const Mat found = PeriodCurves(period).harmonics(3);
  EXPECT_NEAR(found(0, 0), 4 / (pi * pi), 1e-12);
  EXPECT_NEAR(found(0, 1), 0, 1e-12);
  EXPECT_NEAR(found(0, 2), 4 / (9 * pi * pi), 1e-12);
  EXPECT_NEAR(found(1, 0), 1, 1e-4);
  EXPECT_NEAR(found(1, 2), 0, 1e-4);
}

class VanDerPolRates : public FirstOrderProblem {
 public:
  std::string name() const override { return "van_der_pol"; }
  Layout layout() const override { return {.nq = 2}; }
  std::vector<Quantity> components() const override { return {{"y", ""}, {"v", ""}}; }
  State initial_state() const override {
    State s(layout());
    s.y << 0.5, 0;
    return s;
  }
  std::unique_ptr<Problem> clone() const override { return std::make_unique<VanDerPolRates>(*this); }
  void rhs(double, In y, Out dy) const override { dy << y[1], (1 - y[0] * y[0]) * y[1] - y[0]; }
};

// Both switches pass their thresholds at the same instant, twice in a period. Each of them has 10 mOhm, so the mean
// voltage of the load is 12 V * 0.4 * 2/(2 + 0.01).
TEST(SteadyState, OfASynchronousConverterWithoutDeadTime) {
  const SteadyAnswer found = steady_of(netlist(
      "vin in 0 12\nvg g 0 pulse(0 5 0 10n 10n 1.99u 5u)\ns1 in sw g 0 upper\ns2 sw 0 0 g lower\nl1 sw out 10u\n"
      "c1 out 0 47u\nrload out 0 2\n.model upper sw(ron=10m roff=1meg vt=2.5)\n"
      ".model lower sw(ron=10m roff=1meg vt=-2.5)\n.tran 50n 1m uic\n"));
  EXPECT_NEAR(signal(found.state, "v(out)").mean, 12 * 0.4 * 2 / 2.01, 1e-5);
  EXPECT_LT(signal(found.state, "v(sw)").max, 12.1);
  EXPECT_GT(signal(found.state, "v(sw)").min, -0.1);
}

// After every edge of the clock of 1 kHz the circuit rings at 50 MHz, so that cycles with the usual tolerance would
// take too many steps. The mean voltage behind the filter is that of the pulse: 5 V for 199 us and for two halves of a
// nanosecond.
TEST(SteadyState, OfACircuitThatRingsFastIsFoundWithALooserTolerance) {
  const SteadyAnswer found =
      steady_of(netlist("v1 a 0 pulse(0 5 0 1n 1n 199u 1m)\nr1 a b 1\nl1 b c 1u\nc1 c 0 10p\nr2 c d 100k\nc2 d 0 100n\n"
                        ".tran 1u 10m\n"));
  EXPECT_NEAR(signal(found.state, "v(d)").mean, 5 * (199e-6 + 1e-9) / 1e-3, 1e-5);
  EXPECT_GT(std::stod(found.solution.info.settings.at("rtol")), 1e-7);
}

// At the corners of the clock steps are so short that more rounding is left in the currents of the sources than their
// tolerance. The pump charges its output to four times the supply minus the voltages of four diodes.
TEST(SteadyState, OfACapacitorPump) {
  const SteadyAnswer found = steady_of(
      netlist("vdd vdd 0 5\nv1 c1 0 pulse(0 5 0 10n 10n 0.49u 1u)\nv2 c2 0 pulse(5 0 0 10n 10n 0.49u 1u)\n"
              "d1 vdd n1 dm\nd2 n1 n2 dm\nd3 n2 n3 dm\nd4 n3 out dm\nca n1 c1 10n\ncb n2 c2 10n\ncc n3 c1 10n\n"
              "cout out 0 100n\nrload out 0 20k\n.model dm d(is=1e-12 n=1.1 rs=1 cjo=5p)\n.tran 20n 500u\n"));
  const double mean = signal(found.state, "v(out)").mean, current = mean / 20e3;
  // The voltage of a diode that carries the mean current.
  const double drop = 1.1 * 0.0258649 * std::log(current / 1e-12);
  EXPECT_LT(mean, 20 - 4 * drop);
  // The current comes in pulses above its mean, and some of the clock remains as a ripple.
  EXPECT_GT(mean, 20 - 4 * drop - 0.5);
}

TEST(SteadyState, FindsThePeriodOfAnOscillatorInCpp) {
  RunPlan plan = steady_plan();
  plan.rtol = 1e-9;
  PreparedRun run = prepare(plan, std::make_unique<VanDerPolRates>(), {.to = 200, .method = "dop853"});
  const Solution solution = run.run();
  ASSERT_TRUE(solution.ok()) << solution.outcome.message;
  EXPECT_FALSE(run.steady_state->has_clock);
  EXPECT_NEAR(run.steady_state->period, 6.6632868593, 3e-8);
  EXPECT_LE(run.steady_state->cycles, 25);
  EXPECT_TRUE(run.steady_state->is_stable);
  EXPECT_NEAR(signal(*run.steady_state, "y").max, 2.00861986, 1e-4);  // the amplitude of the limit cycle
}

// q'' + omega^2 q = F cos(nu t): q = F cos(nu t)/(omega^2 - nu^2), and both multipliers lie on the unit circle.
TEST(SteadyState, OfADrivenMechanicalModel) {
  RunPlan plan = steady_plan({{"period", "6.283185307179586"}});
  plan.model = "forced";
  plan.parameters = {{"omega", "10.3"}};
  plan.rtol = 1e-8;
  PreparedRun run = prepare(plan);
  const Solution solution = run.run();
  ASSERT_TRUE(solution.ok()) << solution.outcome.message;
  EXPECT_NEAR(signal(*run.steady_state, "q").max, 1 / (10.3 * 10.3 - 1), 1e-6);
  EXPECT_NEAR(std::abs(run.steady_state->multipliers.at(0)), 1, 1e-4);
  EXPECT_FALSE(solution.info.quantities.empty());
}

SteadyState forced_motion(const std::string& omega) {
  RunPlan plan = steady_plan({{"period", "6.283185307179586"}});
  plan.model = "forced";
  plan.parameters = {{"omega", omega}};
  PreparedRun run = prepare(plan);
  EXPECT_TRUE(run.run().ok()) << omega;
  return run.steady_state.value_or(SteadyState());
}

// The oscillator has no damping; what its multipliers show is that of the steps, also where steps are too long to show
// them at all.
TEST(SteadyState, IsNotCalledStableBecauseStepsDamp) {
  const SteadyState slow = forced_motion("10.3");
  EXPECT_FALSE(slow.is_stable);
  EXPECT_FALSE(slow.is_stability_known);
  EXPECT_THAT(slow.stability, mentions("neutral, or too near to it to tell", "--rtol"));
  EXPECT_GT(slow.multiplier_error, std::abs(1 - std::abs(slow.multipliers.at(0))));
  const SteadyState fast = forced_motion("1000.3");
  EXPECT_LT(std::abs(fast.multipliers.at(0)), 0.5);
  EXPECT_FALSE(fast.is_stable);
  EXPECT_FALSE(fast.is_stability_known);
  EXPECT_THAT(fast.stability, mentions("faster than the steps", "of about 1,"));
}

// L di/dt + R i + v = V(t), C dv/dt = i: both multipliers have the size exp(-R T/(2 L)), here with T = 1 ms and
// oscillations of 16 kHz and, in the second circuit, of 1.6 MHz, which steps for 1 kHz do not resolve.
TEST(SteadyState, HasTheDampingOfACircuitThatIsFasterThanItsSteps) {
  for (const std::string capacitor : {"100n", "10p"}) {
    const SteadyState state = steady_of(netlist("v1 in 0 sin(0 1 1k)\nr1 in a 0.4\nl1 a b 1m ic=0\nc1 b 0 " +
                                                capacitor + " ic=0\n.tran 10u 1m 0 10u uic\n"))
                                  .state;
    EXPECT_TRUE(state.is_stable) << state.stability;
    EXPECT_TRUE(state.is_stability_known);
    // Settling to 1e-6 takes ln(1e6)/(R T/(2 L)) = 69.08 periods.
    EXPECT_THAT(state.stability, testing::HasSubstr("about 70 cycles")) << capacitor;
  }
}

TEST(SteadyState, IsCheckedByAMoreAccurateOne) {
  RecordedRun run(prepare(steady_plan(), std::move(netlist(slow_low_pass).problem), netlist(slow_low_pass).info.run),
                  {});
  run.open();
  run.solve();
  run.judge(When::always, nullptr);
  EXPECT_EQ(run.trust().verdict, Verdict::green) << run.trust().headline;
  EXPECT_EQ(run.trust().rows.size(), 4u);  // one of them is the largest multiplier
}

TEST(SteadyState, OfSomethingThatNeitherOscillatesNorIsDrivenIsRefused) {
  TextModel model = netlist("v1 in 0 1\nr1 in out 1k\nc1 out 0 1u ic=0\n.tran 10u 20m uic\n");
  PreparedRun run = prepare(steady_plan(), std::move(model.problem), model.info.run);
  const Solution solution = run.run();
  EXPECT_EQ(solution.outcome.status, RunStatus::refused);
  EXPECT_THAT(solution.outcome.message, mentions("no regular oscillation", "--set period=TIME"));
  EXPECT_FALSE(run.steady_state);
}

TEST(SteadyState, SaysWhatItReachedIfItDoesNotConverge) {
  TextModel model = netlist(
      "v1 in 0 sin(0 12 50)\nrs in a 1\nd1 a b dm\nc1 b 0 1m ic=0\nr1 b c 100\nc2 c 0 10m ic=0\n"
      "rload c 0 1k\n.model dm d(is=1e-9)\n.tran 100u 1 0 100u uic\n");
  PreparedRun run = prepare(steady_plan({{"iterations", "1"}}), std::move(model.problem), model.info.run);
  const Solution solution = run.run();
  EXPECT_EQ(solution.outcome.status, RunStatus::newton_failed);
  EXPECT_THAT(solution.outcome.message, mentions("1 iterations", "charge of v("));
}

// q'' + q = 0 has a periodic motion of any amplitude, and Newton's method would go to the one of amplitude zero.
TEST(SteadyState, IsNoEquilibriumInTheMidstOfOscillations) {
  RunPlan plan = steady_plan();
  plan.model = "harmonic";
  plan.to = 400;
  PreparedRun run = prepare(plan);
  const Solution solution = run.run();
  EXPECT_EQ(solution.outcome.status, RunStatus::newton_failed);
  EXPECT_THAT(solution.outcome.message, mentions("equilibrium"));
  EXPECT_FALSE(run.steady_state);
}

TEST(SteadyState, RefusesWhatDoesNotBelongToIt) {
  RunPlan plan = steady_plan();
  plan.h = 1e-3;
  EXPECT_THAT(steady_complaint(netlist(slow_low_pass), plan), mentions("--rtol"));
  plan = steady_plan();
  plan.output = Grid{1e-4};
  EXPECT_THAT(steady_complaint(netlist(slow_low_pass), plan), mentions("--dt"));
  EXPECT_THAT(steady_complaint(netlist(slow_low_pass), steady_plan({{"load", "rlaod"}})), mentions("rload"));
  EXPECT_THAT(steady_complaint(netlist(slow_low_pass), steady_plan({{"signal", "v(aut)"}})), mentions("v(out)"));
  EXPECT_THAT(steady_complaint(netlist(slow_low_pass), steady_plan({{"perod", "1"}})), mentions("period"));
  RunPlan driven = steady_plan();
  driven.model = "forced";
  EXPECT_THAT([&] { prepare(driven); }, testing::ThrowsMessage<UsageError>(mentions("--set period=TIME")));
  driven.model = "rigid";
  EXPECT_THAT([&] { prepare(driven); }, testing::ThrowsMessage<UsageError>(mentions("constraints")));
}

TEST(SteadyState, AsksForThePeriodOfAFormula) {
  const std::string clock = "v1 a 0 pulse(-1 1 0 50u 50u 0 100u)\nr1 a 0 1\nc1 out 0 1u\nr2 out b 1k\n";
  const std::string slow = "b1 b 0 v=tanh(10*(0.8*sin(2*pi*50*time)-v(a)))\n", fast = "b1 b 0 v=sin(2*pi*20000*time)\n",
                    timeless = "b1 b 0 v=tanh(10*v(a))\n", run = ".tran 10u 40m uic\n";
  EXPECT_THAT(steady_complaint(netlist(clock + slow + run)), mentions("b1", "t.cir:6", "0.0001", "--set period"));
  EXPECT_THAT(steady_complaint(netlist("c1 out 0 1u\nr2 out b 1k\n" + fast + run)), mentions("b1", "--set period"));
  EXPECT_EQ(steady_complaint(netlist(clock + slow + run), steady_plan({{"period", "0.02"}})), "no error");
  EXPECT_EQ(steady_complaint(netlist(clock + fast + run)), "no error");
  EXPECT_EQ(steady_complaint(netlist(clock + timeless + run)), "no error");
}

// A mixer without a common period of a few cycles is no oscillator.
TEST(SteadyState, OfSourcesWithoutACommonPeriodIsRefused) {
  const std::string two = "v1 a 0 pulse(0 5 0 1n 1n 0.5u 1u)\nv2 b 0 sin(0 1 1.001k)\n",
                    rest = "r1 a c 1k\nr2 b c 1k\nc1 c 0 1n\n.tran 1u 1m\n";
  EXPECT_THAT(steady_complaint(netlist(two + rest)), mentions("1e-06", "0.000999001", "--set period=TIME", "envelope"));
  // A given period after which a source does not repeat would be one of another circuit.
  EXPECT_THAT(steady_complaint(netlist(two + rest), steady_plan({{"period", "1e-3"}})), mentions("v2", "0.001"));
  EXPECT_EQ(steady_complaint(netlist(two + rest), steady_plan({{"period", "1"}})), "no error");
  // A slow source may be left out, but not without a word.
  TextModel model = netlist(two + rest);
  const PreparedRun run = prepare(steady_plan({{"period", "1e-6"}}), std::move(model.problem), model.info.run);
  EXPECT_THAT(run.choice, mentions("v2", "0.000999001 only"));
}

// A series resonance of quality 500, driven at its frequency: the voltage of the capacitor is 500 times that of the
// source, 1 nV.
TEST(SteadyState, OfSmallSignalsIsAsAccurateAsOfLargeOnes) {
  const std::string rest = "l1 a b 10m\nr1 b c 0.1256637\nc1 c 0 2.533029591u\n.tran 1u 1\n";
  const SteadyState state = steady_of(netlist("v1 a 0 sin(0 1n 1k)\n" + rest)).state;
  EXPECT_NEAR(signal(state, "v(c)").max, 500e-9, 1e-3 * 500e-9);
  EXPECT_NEAR(signal(state, "v(c)").rms, 500e-9 / std::sqrt(2), 1e-4 * 500e-9);
}

// Of two resistors and capacitors with 1 pA or 1 mA: they are linear.
TEST(SteadyState, ScalesWithTheSignal) {
  const auto highest = [](const std::string& current) {
    const std::string rest = "r1 a 0 1meg\nc1 a 0 1n\nr2 a b 1meg\nc2 b 0 1n\n.tran 1u 100m\n";
    const SteadyState state = steady_of(netlist("i1 0 a pulse(0 " + current + " 0 1n 1n 1m 20m)\n" + rest)).state;
    return std::pair(signal(state, "v(a)").max, signal(state, "v(b)").max);
  };
  const auto small = highest("1p"), large = highest("1m");
  EXPECT_NEAR(small.first * 1e9, large.first, 1e-5 * large.first);
  EXPECT_NEAR(small.second * 1e9, large.second, 1e-5 * large.second);
}

TEST(SteadyState, ReadsTheCardOfANetlist) {
  const std::string start = "v1 in 0 sin(0 3 1k)\nr1 in out 1k\nc1 out 0 10u ic=0\n.tran 10u 1m 0 5u uic\n";
  EXPECT_DOUBLE_EQ(steady_of(netlist(start + ".pss T=2m\n")).state.period, 2e-3);
  EXPECT_DOUBLE_EQ(steady_of(netlist(start + ".pss T=2m\n"), steady_plan({{"period", "3e-3"}})).state.period, 3e-3);
  EXPECT_THAT(netlist_complaint(start + ".pss T=0\n"), mentions("t.cir:6", "positive"));
  EXPECT_THAT(netlist_complaint(start + ".pss node=x\n"), mentions("no node 'x'"));
  EXPECT_THAT(netlist_complaint(start + ".pss tstab=1\n"), mentions("tstab", "T=period"));
}
}  // namespace
}  // namespace trill::testing_netlists
