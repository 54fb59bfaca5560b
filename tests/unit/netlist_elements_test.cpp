// SPDX-License-Identifier: BSD-3-Clause
// The elements of a netlist, compared with closed forms.
#include "model/netlist/waveform.hpp"
#include "problem/consistent_charges.hpp"
#include "support/netlists.hpp"

#include <numbers>

namespace trill::testing_netlists {
namespace {
constexpr double pi = std::numbers::pi;

// The value of a source at time t, seen as the voltage of a node at the start of a run that begins at t.
double wave_at(const std::string& wave, double t) {
  const TextModel model = read_model("t.cir", "title\nv1 a 0 " + wave + "\nr1 a 0 1\n.tran 1u 1m\n", {}, t);
  return start_value(model, "v(a)");
}

TEST(NetlistSource, Waves) {
  const auto expect = [](const std::string& wave, double t, double value) {
    EXPECT_NEAR(wave_at(wave, t), value, 1e-12) << wave << " at " << t;
  };
  expect("5", 1, 5);
  expect("DC 2.5 AC 1 90", 1, 2.5);
  const std::string pulse = "pulse(1 3 2u 1u 2u 4u 10u)";
  for (const double shift : {0.0, 10e-6, 70e-6}) {
    expect(pulse, 2e-6 + shift, 1);
    expect(pulse, 2.5e-6 + shift, 2);
    expect(pulse, 5e-6 + shift, 3);
    expect(pulse, 8e-6 + shift, 2);
    expect(pulse, 10e-6 + shift, 1);
  }
  expect(pulse, 0, 1);
  expect("pulse(0 1)", 0.5e-6, 0.5);  // the rise time is the step of .tran
  expect("sin(1 2 1k)", 0.25e-3, 3);
  expect("SINE(1 2 1k)", 0.25e-3, 3);
  expect("sin(1 2 1k 1m 100 30)", 0, 2);
  expect("sin(1 2 1k 1m 100 30)", 1.2e-3, 1 + 2 * std::exp(-0.02) * std::sin(2 * pi * 0.2 + pi / 6));
  expect("exp(1 4 1u 2u 5u 3u)", 0.5e-6, 1);
  expect("exp(1 4 1u 2u 5u 3u)", 4e-6, 1 + 3 * (1 - std::exp(-1.5)));
  expect("exp(1 4 1u 2u 5u 3u)", 8e-6, 1 + 3 * (1 - std::exp(-3.5)) - 3 * (1 - std::exp(-1)));
  expect("pwl(1u 1 2u 3 4u -1)", 0, 1);
  expect("pwl 1u 1 2u 3 4u -1", 1.5e-6, 2);
  expect("pwl(1u 1 2u 3 4u -1)", 3e-6, 1);
  expect("pwl(1u 1, 2u 3, 4u -1)", 9e-6, -1);
  expect("sffm(1 2 10k 3 1k)", 0.13e-3, 1 + 2 * std::sin(2 * pi * 1.3 + 3 * std::sin(2 * pi * 0.13)));
}

TEST(NetlistSource, CornersAreBreakpoints) {
  const TextModel model =
      netlist("v1 a 0 pulse(0 1 2u 1u 2u 4u 10u)\ni1 0 a pwl(0 0 3u 1 25u 2)\nr1 a 0 1\n.tran 1u 30u\n");
  const std::vector<double> expected{0, 2, 3, 7, 9, 12, 13, 17, 19, 22, 23, 25, 27, 29};
  const auto found = model.problem->breakpoints(0, 30e-6);
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t k = 0; k < found.size(); ++k) EXPECT_NEAR(found[k], expected[k] * 1e-6, 1e-15);
  EXPECT_DOUBLE_EQ(*model.problem->as<CircuitProblem>("test").clock_period(), 1e-5);
  EXPECT_THROW(netlist("v1 a 0 pulse(0 1 0 1f 1f 1f 4f)\nr1 a 0 1\n.tran 1u 1\n").problem->breakpoints(0, 1),
               UsageError);
}

TEST(NetlistRun, CapacitorThroughAResistor) {
  const Solution s = run_netlist("v1 in 0 3\nr1 in out 2k\nc1 out 0 1u ic=0.5\n.tran 10u 3m uic\n");
  EXPECT_NEAR(end_value(s, "v(out)"), 3 - 2.5 * std::exp(-1.5), 1e-6);
  EXPECT_NEAR(end_value(s, "i(v1)"), -2.5 * std::exp(-1.5) / 2e3, 1e-9);
}

TEST(NetlistRun, GivenNodeVoltagesAreTheStartOfCapacitors) {
  const Solution s = run_netlist("r1 out 0 2k\nc1 out 0 1u\n.ic v(out)=4\n.tran 10u 3m uic\n");
  EXPECT_NEAR(end_value(s, "v(out)"), 4 * std::exp(-1.5), 1e-6);
  // Without 'uic' the operating point is computed with these node voltages held.
  const TextModel held =
      netlist("v1 in 0 3\nr1 in out 2k\nc1 out 0 1u\nr2 out far 1\nr3 far 0 1\n.ic v(out)=4\n.tran 10u 3m\n");
  EXPECT_NEAR(start_value(held, "v(out)"), 4, 1e-5);
  EXPECT_NEAR(start_value(held, "v(far)"), 2, 1e-5);
}

TEST(NetlistRun, CapacitorsBetweenTwoNodesBeginWithTheirVoltages) {
  // A loop of a source of 1 V, a capacitor with 2 V and 2 kOhm: the current is -0.5 mA.
  const TextModel floating = netlist("v1 in 0 1\nr1 in a 1k\nc1 a b 1u ic=2\nr2 b 0 1k\n.tran 1u 1m uic\n");
  EXPECT_NEAR(start_value(floating, "v(a)"), 1.5, 1e-12);
  EXPECT_NEAR(start_value(floating, "v(b)"), -0.5, 1e-12);
  // '.ic' gives 4 V to one end and nothing to the other. So the capacitor has 4 V, which drive 2 mA through 2 kOhm.
  const TextModel given = netlist("r1 c 0 1k\nc1 c b 1u\nr2 b 0 1k\n.ic v(c)=4\n.tran 1u 1m uic\n");
  EXPECT_NEAR(start_value(given, "v(c)"), 2, 1e-12);
  EXPECT_NEAR(start_value(given, "v(b)"), -2, 1e-12);
}

TEST(NetlistRun, FormulasMayHaveNoSlopeAtTheStart) {
  const std::string text =
      "v1 in 0 pulse(0 4 1u 1u 1u 1)\nr1 in a 1k\nc1 a 0 1n\n"
      "b1 out 0 v=sqrt(abs(v(a)))\nr2 out 0 1k\n.tran 1u 20u\n";
  EXPECT_EQ(start_value(text, "v(out)"), 0);
  EXPECT_NEAR(end_value(run_netlist(text), "v(out)"), 2, 1e-6);
}

TEST(NetlistRun, OperatingPointOfInvertersWhereNodesAreGiven) {
  std::string ring =
      ".subckt inv in out vdd w=2u\nmp out in vdd vdd pm w={2*w} l=0.5u ad=2p as=2p pd=6u ps=6u\n"
      "mn out in 0 0 nm w={w} l=0.5u ad=1p as=1p pd=4u ps=4u\ncl out 0 20f\n.ends\nvdd vdd 0 3.3\n"
      "x1 n1 n2 vdd inv\nx2 n2 n3 vdd inv\nx3 n3 n4 vdd inv w=3u\nx4 n4 n5 vdd inv\nx5 n5 n1 vdd inv\n"
      ".ic v(n1)=0 v(n2)=3.3 v(n3)=0\n"
      ".model nm nmos(level=1 vto=0.7 kp=110u gamma=0.4 lambda=0.04 phi=0.7)\n"
      ".model pm pmos(level=1 vto=-0.8 kp=50u gamma=0.57 lambda=0.05 phi=0.8)\n.tran 10p 20n\n";
  const TextModel model = netlist(ring);
  for (const auto& [node, volts] : {std::pair("v(n1)", 0.0), {"v(n2)", 3.3}, {"v(n4)", 3.3}, {"v(n5)", 0.0}})
    EXPECT_NEAR(start_value(model, node), volts, 1e-4) << node;
}

TEST(NetlistRun, InductorAndResonance) {
  const Solution rl = run_netlist("v1 in 0 2\nr1 in a 4\nl1 a 0 1m ic=0.1\n.tran 1u 0.5m uic\n");
  EXPECT_NEAR(end_value(rl, "i(l1)"), 0.5 - 0.4 * std::exp(-2), 1e-7);
  const double w = 1 / std::sqrt(1e-3 * 1e-6);
  const Solution lc = run_netlist("l1 a 0 1m\nc1 a 0 1u ic=1\n.tran 1u 1m uic\n");
  EXPECT_NEAR(end_value(lc, "v(a)"), std::cos(w * 1e-3), 1e-5);
  EXPECT_NEAR(end_value(lc, "i(l1)"), std::sin(w * 1e-3) / (w * 1e-3), 1e-6);
}

// The equations are (L2 - M^2/L1) i2' + R i2 = -M V/L1 and L1 i1 + M i2 = V t.
TEST(NetlistRun, CoupledInductors) {
  const double l1 = 1e-3, l2 = 4e-3, m = 0.6 * std::sqrt(l1 * l2), r = 50, v = 2, t = 1e-4;
  const Solution s = run_netlist("v1 a 0 2\nl1 a 0 1m\nl2 b 0 4m\nr1 b 0 50\nk1 l1 l2 0.6\n.tran 1u 0.1m uic\n", 1e-8);
  const double i2 = -m * v / (l1 * r) * (1 - std::exp(-t * r / (l2 - m * m / l1)));
  EXPECT_NEAR(end_value(s, "i(l2)"), i2, 1e-7);
  EXPECT_NEAR(end_value(s, "i(l1)"), (v * t - m * i2) / l1, 1e-7);
}

TEST(NetlistElement, ControlledSources) {
  const std::string drive = "v1 in 0 2\nr1 in x 1k\nvs x 0 0\n";  // 2 mA flow through vs
  EXPECT_NEAR(start_value(drive + "e1 out 0 in x 3\nr2 out 0 1\n.tran 1u 1m\n", "v(out)"), 6, 1e-9);
  EXPECT_NEAR(start_value(drive + "g1 0 out in 0 3m\nr2 out 0 1k\n.tran 1u 1m\n", "v(out)"), 6, 1e-9);
  EXPECT_NEAR(start_value(drive + "f1 0 out vs 4\nr2 out 0 1k\n.tran 1u 1m\n", "v(out)"), 8, 1e-9);
  EXPECT_NEAR(start_value(drive + "h1 out 0 vs 5k\nr2 out 0 1k\n.tran 1u 1m\n", "v(out)"), 10, 1e-9);
  EXPECT_NEAR(start_value(drive + "h1 out 0 vs 5k\nr2 out 0 1k\n.tran 1u 1m\n", "i(h1)"), -0.01, 1e-12);
}

TEST(NetlistElement, FormulaSources) {
  const std::string drive = ".param k=3\nv1 in 0 2\nr1 in x 1k\nvs x 0 0\n";
  const std::string load = "r2 out 0 1k\n.tran 1u 1m\n";
  EXPECT_NEAR(start_value(drive + "b1 out 0 V=k*V(in)^2 + 1k*I(vs) - v(in,x)\n" + load, "v(out)"), 12, 1e-8);
  EXPECT_NEAR(start_value(drive + "b1 0 out I={ v(in) > 1 ? 4m : 0 }\n" + load, "v(out)"), 4, 1e-8);
  EXPECT_NEAR(start_value(drive + "e1 out 0 value={ limit(v(in), 0, 1.5) }\n" + load, "v(out)"), 1.5, 1e-8);
  EXPECT_NEAR(start_value(drive + "g1 0 out cur='v(in)*1m'\n" + load, "v(out)"), 2, 1e-8);
  // The formula of a source may contain the unknown that it sets: v = 1 + v^2/8 has the solution 4 - sqrt(8).
  EXPECT_NEAR(start_value(drive + "b1 out 0 V=1 + v(out)^2/8\n" + load, "v(out)"), 4 - std::sqrt(8), 1e-8);
  const Solution s = run_netlist("b1 a 0 V=sin(2*pi*1k*time)\nr1 a out 1k\nc1 out 0 1u ic=0\n.tran 1u 1m uic\n", 1e-8);
  const double w = 2 * pi * 1e3, tau = 1e-3, gain = 1 / (1 + w * w * tau * tau);
  EXPECT_NEAR(end_value(s, "v(out)"), gain * (-w * tau + w * tau * std::exp(-1)), 1e-6);
}

// At t = 1 rounding decides on which side of its jump the formula is. No value satisfies the equation there.
TEST(NetlistElement, FormulaThatJumpsAtThisInstant) {
  const TextModel model = netlist("r1 g 0 1k\nb1 g 0 v=u(time-1+1e-15*(0.5-v(g)))\n.tran 1m 2 uic\n");
  const auto& circuit = dynamic_cast<const CircuitProblem&>(*model.problem);
  Vec x = circuit.initial_state().y;
  EXPECT_EQ(ConsistentCharges(circuit, 1, x).settle(1, x), ConsistentCharges::Status::ok);
  EXPECT_DOUBLE_EQ(x[0], 1);
}

TEST(NetlistSubcircuit, HasNodesAndParametersOfItsOwn) {
  const char* const text = R"cir(
.param r=1k
.subckt divider top out r={r} ratio=2
R1 top mid {r/2}
R2 mid out {r/2}
X1 out 0 leg value={r/(ratio - 1)}
.subckt leg a b value=1
R1 a b {value}
.ends leg
.ends
V1 in 0 12
X1 in a divider
X2 in b divider ratio=4
x3 in c divider params: ratio=3 r={2*r}
R9 c 0 1g
.tran 1u 1m
)cir";
  const TextModel model = netlist(text);
  EXPECT_NEAR(start_value(model, "v(a)"), 6, 1e-7);
  EXPECT_NEAR(start_value(model, "v(b)"), 3, 1e-7);
  EXPECT_NEAR(start_value(model, "v(c)"), 4, 1e-4);
  EXPECT_NEAR(start_value(model, "v(x1.mid)"), 9, 1e-7);
  EXPECT_NEAR(start_value(model, "i(v1)"), -(12.0 / 2000 + 12.0 / 1333.3333333 + 12.0 / 3000), 1e-6);
}

TEST(NetlistSubcircuit, SourcesInsideMayUseItsNames) {
  const char* const text = R"cir(
.global rail
.subckt amp in out gain=1
Vs in s 0
Rs s 0 1k
E1 mid 0 s 0 {gain}
B1 out 0 V=V(mid) + 1k*I(Vs) + V(rail)
F1 0 extra Vs 1
Re extra 0 1k
.ends
Vr rail 0 10
V1 a 0 1
X1 a b amp gain=5
R1 b 0 1k
.tran 1u 1m
)cir";
  EXPECT_NEAR(start_value(text, "v(b)"), 5 + 1 + 10, 1e-9);
  EXPECT_NEAR(start_value(text, "v(x1.extra)"), 1, 1e-9);
}

// A capacitor across a voltage source forms a loop without resistance.
TEST(NetlistRun, CapacitorsAcrossVoltageSources) {
  const Solution s = run_netlist(
      "v1 a 0 pulse(0 5 1u 1u 1u 10u)\nc1 a 0 1u\ne1 b 0 a 0 2\nc2 b a 2u\nr1 b 0 1\n.tran 0.1u 1.5u uic\n", 1e-6);
  EXPECT_NEAR(end_value(s, "v(a)"), 2.5, 1e-4);
  EXPECT_NEAR(end_value(s, "v(b)"), 5, 1e-4);
  EXPECT_NEAR(end_value(s, "i(v1)"), -(1e-6 * 5e6 - 2e-6 * 5e6), 1e-3);  // the currents are C dV/dt
}

TEST(NetlistSwitch, TurnsAtItsTwoThresholds) {
  const std::string text =
      "vc c 0 pwl(0 0 10u 10 20u 0 40u 20)\nv1 in 0 1\ns1 in out c 0 sm\nr1 out 0 1k\n"
      ".model sm sw(ron=1 roff=1meg vt=5 vh=2)\n.tran 1u 40u 0 1u\n";
  const Solution s = run_netlist(text, 1e-6);
  std::vector<double> times;
  for (const EventHit& e : s.outcome.events) times.push_back(e.t);
  ASSERT_EQ(times.size(), 3u);
  EXPECT_NEAR(times[0], 7e-6, 1e-13);   // closes at 7 V
  EXPECT_NEAR(times[1], 17e-6, 1e-13);  // opens at 3 V
  EXPECT_NEAR(times[2], 27e-6, 1e-13);
  EXPECT_NEAR(end_value(s, "v(out)"), 1000.0 / 1001, 1e-9);
}

TEST(NetlistSwitch, OfCurrentAndWithAGivenState) {
  const std::string text = "v1 in 0 1\nr1 in a 1k\nvs a 0 0\nv2 b 0 1\nw1 b out vs wm";
  const std::string rest = "\nr2 out 0 1\n.model wm csw(ron=1 roff=1meg it=1m ih=0.5m)\n.tran 1u 1m\n";
  // 1 mA is between both thresholds, and the switch starts open.
  EXPECT_NEAR(start_value(text + rest, "v(out)"), 1e-6, 1e-9);
  EXPECT_NEAR(start_value(text + " on" + rest, "v(out)"), 0.5, 1e-9);
}

// When the switch opens, the diode, which had a voltage of -12 V, has to take over the whole current at once.
TEST(NetlistSwitch, OpensAgainstAnInductor) {
  const double is = 1e-9, thermal = 1.380649e-23 * 300.15 / 1.602176634e-19, l = 1e-4, r = 1;
  double i = 12 / 1.01 * (1 - std::exp(-5e-6 * 1.01 / l));  // after 5 us through the closed switch of 10 mOhm
  const auto slope = [&](double x) { return -(r * x + thermal * std::log1p(x / is)) / l; };
  const double h = 5e-9;
  for (int k = 0; k < 1000; ++k) {
    const double k1 = slope(i), k2 = slope(i + 0.5 * h * k1), k3 = slope(i + 0.5 * h * k2), k4 = slope(i + h * k3);
    i += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
  }
  const Solution s = run_netlist(
      "vc c 0 pwl(0 10 4u 10 6u -10)\nv1 in 0 12\ns1 in sw c 0 sm\nd1 0 sw dm\nl1 sw out 100u ic=0\nr1 out 0 1\n"
      ".model sm sw(ron=10m roff=1g)\n.model dm d(is=1n)\n.tran 1u 10u uic\n",
      1e-6);
  EXPECT_NEAR(end_value(s, "i(l1)"), i, 3e-6);
}

// The first switch makes the control voltage of the second one jump past its threshold, without a continuous crossing.
TEST(NetlistSwitch, MayTurnAnotherAtOnce) {
  const Solution s = run_netlist(
      "vc c 0 pwl(0 0 10u 10)\nv1 in 0 1\ns1 in a c 0 sm\nr1 a 0 1k\ns2 in out a 0 sn\nr2 out 0 1k\n"
      ".model sm sw(ron=1 roff=1meg vt=5)\n.model sn sw(ron=1 roff=1meg vt=0.5)\n.tran 1u 10u\n");
  EXPECT_NEAR(end_value(s, "v(out)"), 1000.0 / 1001, 1e-9);
}

// The control voltages of all four switches of a bridge jump at the same instant. Each switch turns exactly once.
TEST(NetlistSwitch, OfABridgeTurnTogether) {
  const std::string text =
      "vr ref 0 1\nvt tri 0 pwl(0 0 10u 2)\nb1 ga 0 v=v(ref)>v(tri) ? 5 : 0\nb2 gb 0 v=5-v(ga)\nvdc p 0 10\n"
      "s1 p a ga 0 sm\ns2 a 0 gb 0 sm\ns3 p b gb 0 sm\ns4 b 0 ga 0 sm\nr1 a b 1k\n"
      ".model sm sw(ron=1 roff=1g vt=2.5 vh=0.5)\n.tran 1u 10u\n";
  for (const char* method : {"circuit_sdirk", "radau"}) {
    const Solution s = run_netlist(text, 1e-4, method);
    EXPECT_NEAR(s.y()(s.component("v(a)"), 0) - s.y()(s.component("v(b)"), 0), 10000.0 / 1002, 1e-4);
    EXPECT_NEAR(end_value(s, "v(a)") - end_value(s, "v(b)"), -10000.0 / 1002, 1e-4) << method;
    if (std::string(method) != "radau") continue;
    for (const EventHit& e : s.outcome.events) EXPECT_NEAR(e.t, 5e-6, 1e-9);
  }
}

// A synchronous converter without dead time: both switches turn when the same ramp crosses 2.5 V. At any time one of
// them is closed, and its node has the voltage of the source or of ground, apart from 10 mOhm.
TEST(NetlistSwitch, OfASynchronousConverterTurnTogetherAtAllTolerances) {
  const std::string text =
      "vin in 0 12\nvg g 0 pulse(0 5 0 10n 10n 1.99u 5u)\ns1 in sw g 0 sm\ns2 sw 0 0 g sn\nl1 sw out 10u\n"
      "c1 out 0 47u\nr1 out 0 2\n.model sm sw(ron=10m roff=1meg vt=2.5)\n.model sn sw(ron=10m roff=1meg vt=-2.5)\n"
      ".tran 50n 500u uic\n";
  for (const char* method : {"circuit_sdirk", "radau"})
    for (const double rtol : {1e-3, 1e-4, 1e-6}) {
      const Solution s = run_netlist(text, rtol, method);
      EXPECT_EQ(s.outcome.events.size(), 200) << method << " " << rtol;
      EXPECT_LT(s.y().row(s.component("v(sw)")).maxCoeff(), 12.3) << method << " " << rtol;
      EXPECT_GT(s.y().row(s.component("v(sw)")).minCoeff(), -0.3) << method << " " << rtol;
    }
}

// A transformer without capacitances feeds a bridge of diodes. When these turn off, voltages jump.
TEST(NetlistRun, TransformerAndBridgeOfDiodes) {
  const std::string text =
      "v1 a 0 sin(0 325 50)\nr0 a b 1\nl1 b 0 1\nl2 s1 s2 10m\nk1 l1 l2 0.999\nd1 s1 p dd\nd2 s2 p dd\nd3 0 s1 dd\n"
      "d4 0 s2 dd\nc1 p 0 1000u\nr1 p 0 50\n.model dd d(is=1e-8 rs=10m)\n.tran 100u 100m 0 100u\n";
  const double exact = end_value(run_netlist(text, 1e-6, "radau"), "v(p)");
  EXPECT_NEAR(end_value(run_netlist(text, 1e-4, "circuit_sdirk"), "v(p)"), exact, 2e-4 * exact);
}

// Also between steps no diode has more than its forward voltage, and all other values agree with those of short steps.
TEST(NetlistRun, ValuesInsideStepsAreAsGoodAsThoseAtTheirEnds) {
  const std::string text =
      "v1 in 0 sin(0 325 50)\nr1 in p 5\nlp p 0 10\nls1 s1 0 0.1\nls2 s2 0 0.025\nk1 lp ls1 0.999\nk2 lp ls2 0.998\n"
      "k3 ls1 ls2 0.998\nrs1 s1 a 0.3\nd1 a o dm\nc1 o 0 1000u\nrl1 o 0 100\nrl2 s2 0 10\n"
      ".model dm d(is=1e-9 n=1.5 rs=20m cjo=50p)\n.tran 100u 45m\n";
  RunPlan plan;
  plan.method = "circuit_sdirk";
  plan.rtol = 1e-4;
  plan.output = Grid{1.3e-4};
  TextModel model = netlist(text);
  const Solution s = prepare(plan, std::move(model.problem), model.info.run).run();
  const auto across = s.y().row(s.component("v(d1#anode)")) - s.y().row(s.component("v(o)"));
  EXPECT_LT(across.maxCoeff(), 1.5 * 0.0258649 * std::log(20 / 1e-9));  // the current is below 20 A
  plan.rtol = 1e-6;
  TextModel again = netlist(text);
  const Solution tight = prepare(plan, std::move(again.problem), again.info.run).run();
  for (const char* name : {"v(o)", "v(s2)", "i(ls1)"}) {
    const auto exact = tight.y().row(tight.component(name));
    EXPECT_LT((s.y().row(s.component(name)) - exact).cwiseAbs().maxCoeff(), 5e-4 * exact.cwiseAbs().maxCoeff()) << name;
  }
}

// After 200 periods the last corner differs from the end of the run only by rounding. There must be no step between
// them.
TEST(NetlistRun, EndsWhereACornerIs) {
  const Solution s = run_netlist("v1 a 0 pulse(0 3 0 1n 1n 49n 100n)\nr1 a b 1k\nc1 b 0 1p\n.tran 1n 20u\n", 1e-4);
  EXPECT_EQ(s.t.back(), 2e-5);
  EXPECT_GT(s.t.back() - s.t[s.t.size() - 2], 1e-12);
}

TEST(NetlistRun, HasTheMethodThatSuitsIt) {
  const auto method = [](const std::string& text) { return netlist("v1 a 0 1\nr1 a b 1\n" + text).info.run.method; };
  const std::string diode = "d1 b 0 dm\n.model dm d\n.tran 1u 1m\n";
  EXPECT_EQ(method(diode), "circuit_sdirk");
  EXPECT_EQ(method("c1 b 0 1u\n.tran 1u 1m\n"), "radau");
  EXPECT_EQ(method("b1 c 0 v=v(b)\nr2 c 0 1\n" + diode), "radau");
  EXPECT_EQ(method(".options reltol=1e-6\n" + diode), "radau");
}

TEST(NetlistOptions, ReachTheRun) {
  const TextModel model = netlist("v1 a 0 1\nr1 a 0 1\n.options reltol=1e-5 method=gear\n.tran 1u 3m 0 2u\n");
  EXPECT_EQ(model.info.run.rtol, 1e-5);
  EXPECT_EQ(model.info.run.to, 3e-3);
  EXPECT_EQ(model.info.title, "title");
  EXPECT_TRUE(model.warnings.empty());
}
}  // namespace
}  // namespace trill::testing_netlists
