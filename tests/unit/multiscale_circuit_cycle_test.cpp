// SPDX-License-Identifier: BSD-3-Clause
// One cycle of a circuit as a map, compared with transients, closed forms and differences.
#include "multiscale/charge_step.hpp"
#include "multiscale/circuit_cycle.hpp"
#include "support/netlists.hpp"

#include <algorithm>
#include <filesystem>
#include <numbers>

namespace trill::testing_netlists {
namespace {
TextModel example_circuit(const std::string& name) {
  return load_model(std::filesystem::path(TRILL_SOURCE_DIR) / "examples/circuits" / (name + ".cir"));
}

// A circuit, the map of its cycles, and the charges z after the cycles computed so far.
struct Cycles {
  TextModel model;
  CircuitCycle map;
  Vec z, change;

  Cycles(TextModel given, double period, const CircuitCycleOptions& options = {})
      : model(std::move(given)),
        map(model.problem->as<CircuitProblem>("a test"), model.problem->initial_state(), period, options),
        z(map.initial_state().y),
        change(z) {}
  void run(int from, int to) {
    for (int n = from; n < to; ++n) {
      ASSERT_TRUE(map.change(n, z, change)) << map.failure();
      z += change;
    }
  }
  Index component(const std::string& name) const {
    const auto all = model.problem->components();
    const auto is_it = [&](const Quantity& q) { return q.name == name; };
    return std::find_if(all.begin(), all.end(), is_it) - all.begin();
  }
  double end(const std::string& name) const { return map.end_values()[component(name)]; }

  // The derivative by central differences. Every cycle begins with the same states of the switches.
  Mat differences(double n, double share) {
    const std::vector<int> mode = map.mode();
    Mat all(z.size(), z.size());
    Vec ahead = z, behind = z;
    for (Index j = 0; j < z.size(); ++j) {
      Vec moved = z;
      const double step = share * std::abs(z[j]);
      moved[j] = z[j] + step;
      EXPECT_TRUE(map.change(n, moved, ahead)) << map.failure();
      map.set_mode(mode);
      moved[j] = z[j] - step;
      EXPECT_TRUE(map.change(n, moved, behind)) << map.failure();
      map.set_mode(mode);
      all.col(j) = (ahead - behind) / (2 * step);
    }
    return all;
  }
  // The largest difference between two derivatives, where each component is taken relative to its own value.
  double deviation(const Mat& a, const Mat& b) const {
    const Vec size = z.cwiseAbs();
    return (size.cwiseInverse().asDiagonal() * (a - b) * size.asDiagonal()).cwiseAbs().maxCoeff();
  }
};

Solution transient(const std::string& name, double to) {
  TextModel model = example_circuit(name);
  RunPlan plan;
  plan.method = "radau";
  plan.rtol = 1e-9;
  plan.to = to;
  Solution solution = prepare(plan, std::move(model.problem), model.info.run).run();
  EXPECT_TRUE(solution.ok()) << name << ": " << solution.outcome.message;
  return solution;
}

void expect_transient(const std::string& name, double period, int cycles, const std::vector<std::string>& components) {
  Cycles c(example_circuit(name), period);
  c.run(0, cycles);
  const Solution s = transient(name, cycles * period);
  for (const std::string& component : components) {
    const double largest = s.y().row(s.component(component)).cwiseAbs().maxCoeff();
    EXPECT_NEAR(c.end(component), end_value(s, component), 1e-5 * largest) << name << ": " << component;
  }
}

TEST(CircuitCycle, FollowsTheTransient) {
  expect_transient("buck", 1e-5, 40, {"v(o2)", "i(l1)"});
  expect_transient("boost", 1e-5, 40, {"v(o2)", "i(l1)"});
  expect_transient("rectifier", 0.02, 3, {"v(b)", "v(c)"});
  expect_transient("hysteretic_buck", 2e-5, 10, {"v(o2)", "i(l1)"});
}

struct CycleSample {
  int cycle;
  double first, second;
};
// Values on which an independent program and ngspice 39 agree. Deviations are relative to the largest value.
void expect_samples(Cycles c, const std::string& first, const std::string& second, double largest_first,
                    double largest_second, const std::vector<CycleSample>& samples) {
  int done = 0;
  for (const CycleSample& sample : samples) {
    c.run(done, sample.cycle);
    done = sample.cycle;
    EXPECT_NEAR(c.end(first), sample.first, 1e-4 * largest_first) << first << " after " << done;
    EXPECT_NEAR(c.end(second), sample.second, 1e-4 * largest_second) << second << " after " << done;
  }
}

TEST(CircuitCycle, ReachesVerifiedSamples) {
  const CircuitCycleOptions options{.rtol = 1e-5};
  expect_samples({example_circuit("buck"), 1e-5, options}, "v(o2)", "i(l1)", 8.45, 1.31,
                 {{500, 8.45373606616, 3.54524659498e-06}, {1000, 5.44604339771, 0.243609625359}});
  expect_samples({example_circuit("boost"), 1e-5, options}, "v(o2)", "i(l1)", 15.5, 1.03,
                 {{400, 15.5285964897, 4.9989994714e-06}, {800, 12.769966088, 4.99900223003e-06}});
  expect_samples({example_circuit("rectifier"), 0.02, options}, "v(b)", "v(c)", 11.2, 10.2,
                 {{50, 10.5248130115, 6.38282578916}});
}

// A source of 1 V behind 1 kOhm and 1 uF. The tolerance is loose, so that the netlist alone limits the steps.
double error_of_charging(double longest_step) {
  Cycles c(netlist("v1 in 0 sin(0 1 1k)\nr1 in out 1k\nc1 out 0 1u ic=0.5\n.tran 1u 1m 0 " +
                   std::to_string(longest_step) + " uic\n"),
           1e-3, {.rtol = 1e3});
  c.run(0, 1);
  const double w = 2 * std::numbers::pi, decay = std::exp(-1.0),
               gain = 1 / (1 + w * w);  // time in units of RC, which is one period
  return std::abs(c.end("v(out)") - (0.5 * decay + gain * w * decay - gain * w));
}

TEST(CircuitCycle, HasOrderThree) {
  const double coarse = error_of_charging(1e-3 / 40), fine = error_of_charging(1e-3 / 160);
  EXPECT_NEAR(std::log(coarse / fine) / std::log(4), 3, 0.3) << coarse << " and " << fine;
  EXPECT_LT(fine, 1e-6);
}

// Newton's iteration must not end too early where a diode turns off, even with a loose tolerance.
TEST(CircuitCycle, RoughCyclesAreNearToAccurateOnes) {
  Cycles rough(example_circuit("buck"), 1e-5, {.rtol = 1e-3}), accurate(example_circuit("buck"), 1e-5, {.rtol = 1e-7});
  rough.run(0, 200);
  accurate.run(0, 200);
  EXPECT_NEAR(rough.end("v(o2)"), accurate.end("v(o2)"), 1e-4 * 8.45);
  EXPECT_NEAR(rough.end("i(l1)"), accurate.end("i(l1)"), 1e-3);
}

// The lower switch opens while the current flows backwards. Only 1 MOhm remains for this current, so that there is a
// megavolt for an instant.
TEST(CircuitCycle, SurvivesACurrentThatIsCutOff) {
  const std::string text =
      "vin in 0 12\nvh gh 0 pulse(0 5 0 10n 10n 4u 10u)\nvl gl 0 pulse(0 5 4.2u 10n 10n 5.4u 10u)\ns1 in sw gh 0 on\n"
      "s2 sw 0 gl 0 on\nd1 0 sw d\nl1 sw out 22u ic=0\nc1 out c1 220u ic=0\nresr c1 0 5m\nr1 out 0 2\n"
      ".model on SW(RON=20m ROFF=1meg VT=2.5 VH=0.5)\n.model d D(IS=1e-9 N=1 RS=10m)\n.tran 0.1u 1m 0 0.5u uic\n";
  Cycles rough(netlist(text), 1e-5, {.rtol = 1e-4}), accurate(netlist(text), 1e-5, {.rtol = 1e-6});
  rough.run(0, 60);
  accurate.run(0, 60);
  EXPECT_NEAR(rough.end("v(out)"), accurate.end("v(out)"), 1e-3);
  EXPECT_NEAR(rough.end("i(l1)"), accurate.end("i(l1)"), 1e-2);
}

TEST(CircuitCycle, DerivativesAreThoseOfTheSteps) {
  struct Case {
    std::string circuit;
    double period;
    int warm_up;
    Vec z;  // if empty, z is that after the warm-up
  };
  const std::vector<Case> cases{{"buck", 1e-5, 0, Vec{{2200e-6 * 5.69, 470e-6 * 1.1}}},
                                {"boost", 1e-5, 0, Vec{{1000e-6 * 9.4, 220e-6 * 0.9}}},
                                {"rectifier", 0.02, 10, {}},
                                {"ladder", 0.02, 3, {}}};
  for (const Case& one : cases) {
    Cycles c(example_circuit(one.circuit), one.period);
    c.run(0, one.warm_up);
    if (one.z.size() > 0) c.z = one.z;
    Mat derivative;
    Vec change = c.z;
    ASSERT_TRUE(c.map.change_and_derivative(one.warm_up, c.z, change, derivative)) << c.map.failure();
    EXPECT_LT(c.deviation(derivative, c.differences(one.warm_up, 1e-5)), 1e-6) << one.circuit;
    ASSERT_TRUE(c.map.change(one.warm_up, c.z, c.change));
    EXPECT_EQ(change, c.change) << one.circuit;
  }
}

// If a switch is controlled by the state, its switching time depends on the state as well. Without the term for this
// (the saltation matrix) the derivative would be wrong by a factor of more than ten.
TEST(CircuitCycle, DerivativesCrossStateControlledSwitches) {
  Cycles c(example_circuit("hysteretic_buck"), 2e-5);
  c.run(0, 40);
  const std::vector<int> mode = c.map.mode();
  Mat derivative;
  const long before = c.map.counts().events;
  ASSERT_TRUE(c.map.change_and_derivative(40, c.z, c.change, derivative));
  ASSERT_GT(c.map.counts().events, before);
  c.map.set_mode(mode);
  const Mat expected = c.differences(40, 1e-6);
  EXPECT_LT(c.deviation(derivative, expected), 1e-2 * c.deviation(expected, Mat::Zero(2, 2)));
}

TEST(CircuitCycle, EqualArgumentsGiveEqualResults) {
  for (const std::string circuit : {"buck", "ladder"}) {
    Cycles c(example_circuit(circuit), circuit == "buck" ? 1e-5 : 0.02, {.rtol = 1e-5});
    c.run(0, 3);
    const Vec z = c.z;
    Vec once = z, again = z;
    ASSERT_TRUE(c.map.change(3, z, once));
    c.run(3, 6);
    Mat derivative;
    ASSERT_TRUE(c.map.change_and_derivative(20, 1.5 * z, again, derivative));
    EXPECT_FALSE(c.map.change(20, NAN * z, again));
    ASSERT_TRUE(c.map.change(3, z, again));
    EXPECT_EQ(once, again) << circuit;
    const auto copy = c.map.clone();
    ASSERT_TRUE(copy->as<CycleMap>("a test").change(3, z, again));
    EXPECT_EQ(once, again) << circuit;
  }
}

TEST(CircuitCycle, TangentIsAProductWithTheDerivative) {
  for (const double room : {256e6, 0.0}) {
    Cycles c(example_circuit("hysteretic_buck"), 2e-5, {.tape_bytes = room});
    c.run(0, 40);
    const std::vector<int> mode = c.map.mode();
    Mat derivative;
    ASSERT_TRUE(c.map.change_and_derivative(40, c.z, c.change, derivative));
    c.map.set_mode(mode);
    Vec change = c.z, product = c.z;
    ASSERT_TRUE(c.map.record(40, c.z, change));
    EXPECT_EQ(change, c.change);
    ASSERT_TRUE(c.map.change(41, 1.1 * c.z, change));
    for (const double second : {0.3, -2.0}) {
      const Vec v = Vec{{1, second}}.cwiseProduct(c.z), expected = v + derivative * v;
      ASSERT_TRUE(c.map.tangent(v, product));
      EXPECT_LT((product - expected).cwiseQuotient(c.z).norm(), 1e-10);
    }
  }
}

TEST(CircuitCycle, TraceOfASine) {
  Cycles c(netlist("v1 in 0 sin(1 3 1k)\nr1 in out 1k\nc1 out 0 1n\n.tran 1u 1m 0 10u uic\n"), 1e-3);
  c.map.keep_waveform(true);
  c.run(0, 1);
  const CycleTrace& trace = c.map.trace();
  const Index in = c.component("v(in)");
  EXPECT_NEAR(trace.duration(), 1e-3, 1e-15);
  EXPECT_NEAR(trace.mean()[in], 1, 1e-4);
  EXPECT_NEAR(trace.rms()[in], std::sqrt(1 + 4.5), 1e-4);
  EXPECT_NEAR(trace.max()[in], 4, 1e-2);
  EXPECT_NEAR(trace.min()[in], -2, 1e-2);
  ASSERT_GT(trace.times().size(), 50U);
  for (std::size_t k = 0; k < trace.times().size(); ++k)
    EXPECT_NEAR(trace.values()(in, static_cast<Index>(k)), 1 + 3 * std::sin(2e3 * std::numbers::pi * trace.times()[k]),
                1e-9);
}

TEST(CircuitCycle, NamesAndValuesOfCharges) {
  Cycles c(example_circuit("buck"), 1e-5);
  const auto names = c.map.components();
  ASSERT_EQ(names.size(), 2U);  // both ends of the capacitor have the same charge, which counts once
  EXPECT_EQ(names[0].name, "charge of v(o2)");
  EXPECT_EQ(names[1].name, "flux of i(l1)");
  const Vec z{{2200e-6 * 5, 470e-6 * 1.5}};
  Vec x = c.model.problem->initial_state().y;
  ASSERT_TRUE(c.map.expand(0, z, x));
  EXPECT_NEAR(x[c.component("v(o2)")] - x[c.component("v(c1)")], 5, 1e-9);
  EXPECT_NEAR(x[c.component("i(l1)")], 1.5, 1e-9);
  EXPECT_LT(x[c.component("v(sw)")], -0.5) << "the switch is open, so the diode carries the current";
  EXPECT_LT((c.map.reduce(x) - z).cwiseQuotient(z).norm(), 1e-10);
}

// A ramp continues with the cycle number, also for fractions of a cycle, while the clock begins anew in every cycle.
TEST(CircuitCycle, SlowSourcesGoOnBetweenWholeCycles) {
  Cycles c(netlist("v1 in 0 pulse(0 5 0 1u 1u 4u 10u)\nr1 in out 1k\nc1 out 0 10n ic=1\ni1 0 out pwl(0 0 1 10)\n"
                   ".tran 1u 1m uic\n"),
           1e-5);
  Vec at10 = c.z, at11 = c.z, between = c.z;
  ASSERT_TRUE(c.map.change(10, c.z, at10) && c.map.change(11, c.z, at11) && c.map.change(10.25, c.z, between));
  ASSERT_GT(at11[0] - at10[0], 1e-11 * 1e-5);
  EXPECT_NEAR(between[0], 0.75 * at10[0] + 0.25 * at11[0], 1e-6 * (at11[0] - at10[0]));
  EXPECT_DOUBLE_EQ(c.map.time(10.25, c.z), 10.25e-5);
  EXPECT_DOUBLE_EQ(c.map.cycles_until(2e-4, 10.5, c.z), 9.5);
}

TEST(CircuitCycle, PartsOfACycle) {
  Cycles c(netlist("v1 in 0 pulse(0 5 0 1u 1u 4u 10u)\nr1 in out 1k\nc1 out 0 10n ic=2\n.tran 1u 1m uic\n"), 1e-5);
  ASSERT_TRUE(c.map.change(3, c.z, c.change));
  Vec half = c.z, whole = c.z;
  ASSERT_TRUE(c.map.part(3, c.z, 4e-5, whole));
  EXPECT_NEAR(whole[0], c.z[0] + c.change[0], 1e-12 * whole[0]);
  ASSERT_TRUE(c.map.part(3, c.z, 3.5e-5, half));
  // The pulse is over at 6 us, and what follows is an exponential decay.
  Vec six = c.z;
  ASSERT_TRUE(c.map.part(3, c.z, 3.6e-5, six));
  EXPECT_NEAR(whole[0], six[0] * std::exp(-0.4), 1e-5 * whole[0]);
  EXPECT_GT(half[0], c.z[0]);
}

TEST(CircuitCycle, FailuresAreSaid) {
  // The switch closes when its own voltage is high. But closing makes this voltage low, so neither state is
  // consistent.
  Cycles c(netlist("v1 in 0 sin(0 10 1k)\nr1 in a 1k\ns1 a 0 a 0 on\nr2 a b 1k\nc1 b 0 1n\n"
                   ".model on SW(RON=1 ROFF=1meg VT=5 VH=0)\n.tran 1u 1m uic\n"),
           1e-3);
  EXPECT_FALSE(c.map.change(0, c.z, c.change));
  EXPECT_NE(c.map.failure().find("switches turn back and forth"), std::string::npos) << c.map.failure();
  EXPECT_FALSE(c.map.change(0, NAN * Vec::Ones(c.z.size()), c.change));
  EXPECT_NE(c.map.failure(), "");
  EXPECT_THROW(Cycles(example_circuit("buck"), 0), UsageError);
}

// A long cycle of a fast clock gives up as soon as one of a slow clock.
TEST(CircuitCycle, SwitchingsAreCountedInEachPeriodOfTheClock) {
  Cycles c(netlist("v1 in 0 sin(0 10 1k)\nr1 in a 1k\ns1 a 0 a 0 on\nr2 a b 1k\nc1 b 0 1n\n"
                   "v2 d 0 sin(0 1 20k)\nr3 d 0 1k\n.model on SW(RON=1 ROFF=1meg VT=5 VH=0)\n.tran 1u 1m uic\n"),
           1e-3);
  EXPECT_FALSE(c.map.change(0, c.z, c.change));
  EXPECT_NE(c.map.failure().find("switches turn back and forth"), std::string::npos) << c.map.failure();
  EXPECT_LE(c.map.counts().events, 2000);
}

// Between two whole clocks there are 200,000 steps at most; in all there are few more, and never more than 5 million.
TEST(StepBudget, CountsInEachClockAndInAll) {
  const auto steps_with = [](double clocks, double clocks_in_a_step) {
    StepBudget budget;
    budget.begin(0, 1, clocks, 0);
    long steps = 0;
    for (; budget.take_step(); ++steps) budget.look(static_cast<double>(steps) * clocks_in_a_step / clocks);
    return std::pair(steps, budget.reason());
  };
  EXPECT_EQ(steps_with(1, 0), std::pair(200'000L, std::string("a period of the fastest source needs more than 200000 "
                                                              "steps")));
  EXPECT_EQ(steps_with(1000, 0).first, 200'000);
  EXPECT_EQ(steps_with(100, 0.1).first, 300'000);
  EXPECT_EQ(steps_with(1e300, 0.1).first, 5'000'000);
}

// A large capacitor at 400 V, and beside it a node without charge whose current is uncertain by 1 uA.
class UncertainNode final : public CircuitProblem {
 public:
  std::string name() const override { return "uncertain node"; }
  Layout layout() const override { return {.nq = 2}; }
  std::vector<Quantity> components() const override { return {{"v(a)", "V"}, {"v(b)", "V"}}; }
  State initial_state() const override {
    State s(layout());
    s.y << 400, 400;
    return s;
  }
  std::unique_ptr<Problem> clone() const override { return std::make_unique<UncertainNode>(*this); }
  void charge(In x, Out c) const override { c << 2.2e-6 * x[0], 0; }
  void current(double, In x, Out i) const override {
    i << 1e-3 * (x[0] - x[1]), 1e-3 * (x[1] - x[0]) + 1e-6 * std::sin(1e12 * x[1]);
  }
  MatrixSlot jacobian_pattern() const override { return MatrixSlot::dense(2, 2); }
  void jacobians(double, In, MatrixSlot& dcharge, MatrixSlot& dcurrent) const override {
    dcharge.set_zero();
    dcurrent.set_zero();
    *dcharge.entry(0, 0) = 2.2e-6;
    *dcurrent.entry(0, 0) = *dcurrent.entry(1, 1) = 1e-3;
    *dcurrent.entry(0, 1) = *dcurrent.entry(1, 0) = -1e-3;
  }
};

// In a step of 10 ps the terms of the capacitor are 1e8 A. Their rounding is its own, and no measure for the current of
// the node beside it.
TEST(ChargeStep, RoundingOfChargesIsNoExcuseForOtherEquations) {
  const UncertainNode problem;
  const Vec x = problem.initial_state().y;
  Vec charges(2);
  problem.charge(x, charges);
  CycleCounts counts;
  ChargeStep step(problem, {1e-7, Vec::Constant(2, 1e-7), Vec::Constant(2, 1e-13)}, counts);
  step.begin_cycle(charges, x, 1);
  EXPECT_FALSE(step.attempt(0, 1e-11, charges, x));
  EXPECT_EQ(counts.rounded, 0);
}

TEST(CircuitCycle, CommonPeriods) {
  const auto period = [](const std::string& sources) {
    const TextModel model = netlist(sources + "r1 a 0 1\nr2 b 0 1\n.tran 1u 1m\n");
    return common_period(model.problem->as<CircuitProblem>("a test")).value_or(0);
  };
  EXPECT_NEAR(period("v1 a 0 sin(0 1 50)\nv2 b 0 5\n"), 0.02, 1e-15);
  EXPECT_NEAR(period("v1 a 0 sin(0 1 50)\nv2 b 0 pulse(0 1 0 1u 1u 1m 5m)\n"), 0.02, 1e-15);
  EXPECT_NEAR(period("v1 a 0 pulse(0 1 0 1u 1u 1m 2m)\nv2 b 0 pulse(0 1 0 1u 1u 1m 3m)\n"), 6e-3, 1e-15);
  EXPECT_EQ(period("v1 a 0 sin(0 1 50)\nv2 b 0 sin(0 1 70.7106781)\n"), 0);
  EXPECT_EQ(period("v1 a 0 5\nv2 b 0 pwl(0 0 1m 1)\n"), 0);
}
}  // namespace
}  // namespace trill::testing_netlists
