// SPDX-License-Identifier: BSD-3-Clause
// Diodes and transistors of netlists, compared with their formulas and with differences.
#include "model/netlist/device_model.hpp"
#include "support/netlists.hpp"

#include <functional>

#include <fmt/format.h>

namespace trill::testing_netlists {
namespace {
constexpr double vt = 1.380649e-23 * 300.15 / 1.602176634e-19;

double bisect(double low, double high, const std::function<double(double)>& f) {
  for (int k = 0; k < 200; ++k) (f(0.5 * (low + high)) < 0 ? low : high) = 0.5 * (low + high);
  return low;
}

TEST(NetlistDiode, OperatingPointWithSeriesResistance) {
  const double is = 1e-12, n = 1.5, rs = 3, v = 5, r = 100;
  const double i = bisect(0, v / r, [&](double x) { return n * vt * std::log1p(x / is) + x * (r + rs) - v; });
  const TextModel model =
      netlist("v1 a 0 5\nr1 a b 100\nd1 b 0 dm\n.model dm d(is=1p n=1.5 rs=3)\n.tran 1u 1m\n.options gmin=1e-20\n");
  EXPECT_NEAR(start_value(model, "i(v1)"), -i, 1e-9);
  EXPECT_NEAR(start_value(model, "v(b)"), v - r * i, 1e-7);
  EXPECT_NEAR(
      start_value("v1 a 0 5\nr1 a b 100\nd1 b 0 dm 4\n.model dm d(is=0.25p n=1.5 rs=12)\n.tran 1u 1m\n", "i(v1)"), -i,
      1e-9);
}

TEST(NetlistDiode, BlocksAndBreaksDown) {
  const std::string text = "v1 0 a 20\nr1 a b 1k\nd1 b 0 dm\n.model dm d(is=1p bv=12 ibv=1m)\n.tran 1u 1m\n";
  const double i = bisect(0, 1, [&](double x) { return 12 + vt * std::log(x / 1e-3) + 1e3 * x - 20; });
  EXPECT_NEAR(start_value(text, "v(b)"), -(20 - 1e3 * i), 1e-6);
  EXPECT_NEAR(start_value("v1 0 a 20\nr1 a b 1k\nd1 b 0 dm\n.model dm d(is=1p)\n.tran 1u 1m\n", "i(v1)"), -2.1e-11,
              1e-13);
}

TEST(NetlistDiode, ChargeHasItsCapacitance) {
  const JunctionCharge junction{2e-12, 0.8, 0.4, 0.5};
  const auto slope = [&](double v) { return (junction(v + 1e-6) - junction(v - 1e-6)) / 2e-6; };
  for (const double v : {-5.0, -0.3, 0.0, 0.3}) EXPECT_NEAR(slope(v), 2e-12 * std::pow(1 - v / 0.8, -0.4), 1e-18) << v;
  const double forward = 2e-12 * std::pow(0.5, -1.4) * (1 - 0.5 * 1.4 + 0.4 * 0.6 / 0.8);
  EXPECT_NEAR(slope(0.6), forward, 1e-18);
  EXPECT_NEAR(junction(0.4 + 1e-12), junction(0.4 - 1e-12), 1e-22);
}

TEST(NetlistBipolar, ActiveRegionAndItsEarlyEffect) {
  const std::string rest = "vb b 0 0.65\nvc c 0 5\nq1 c b 0 qm\n.tran 1u 1m\n.options gmin=1e-20\n";
  const double forward = 1e-15 * std::expm1(0.65 / vt);
  const TextModel plain = netlist(".model qm npn(is=1e-15 bf=80)\n" + rest);
  EXPECT_NEAR(start_value(plain, "i(vc)") / -forward, 1, 1e-7);
  EXPECT_NEAR(start_value(plain, "i(vb)") / -(forward / 80), 1, 1e-6);
  const TextModel early = netlist(".model qm npn(is=1e-15 bf=80 vaf=40)\n" + rest);
  EXPECT_NEAR(start_value(early, "i(vc)") / -(forward * (1 + 4.35 / 40)), 1, 1e-6);
  const TextModel pnp = netlist(
      ".model qm pnp(is=1e-15 bf=80)\nvb b 0 -0.65\nvc c 0 -5\nq1 c b 0 qm\n.tran 1u 1m\n.options gmin=1e-20\n");
  EXPECT_NEAR(start_value(pnp, "i(vc)") / forward, 1, 1e-7);
}

TEST(NetlistBipolar, HighInjection) {
  const std::string text = ".model qm npn(is=1e-15 ikf=1m)\nvb b 0 0.75\nvc c 0 5\nq1 c b 0 qm\n.tran 1u 1m\n";
  const double forward = 1e-15 * std::expm1(0.75 / vt), qb = 0.5 * (1 + std::sqrt(1 + 4 * forward / 1e-3));
  EXPECT_NEAR(start_value(text, "i(vc)") / -(forward / qb), 1, 1e-6);
}

TEST(NetlistMos, SquareLawWithBodyEffectOnBothSides) {
  const auto drain_current = [](double vgs, double vds, double vbs, const std::string& type, double sign) {
    const std::string text = fmt::format(
        "vg g 0 {}\nvd d 0 {}\nvb b 0 {}\nm1 d g 0 b mm l=2u w=20u\n.model mm {}(vto={} kp=50u gamma=0.4 phi=0.7 "
        "lambda=0.02)\n.tran 1u 1m\n.options gmin=1e-18\n",
        sign * vgs, sign * vds, sign * vbs, type, sign * 0.8);
    return -sign * start_value(text, "i(vd)");
  };
  const double von = 0.8 + 0.4 * (std::sqrt(0.7 + 1) - std::sqrt(0.7)), beta = 50e-6 * 10;
  for (const auto& [type, sign] : {std::pair("nmos", 1.0), std::pair("pmos", -1.0)}) {
    EXPECT_NEAR(drain_current(3, 4, -1, type, sign), 0.5 * beta * std::pow(3 - von, 2) * (1 + 0.02 * 4), 1e-9);
    EXPECT_NEAR(drain_current(3, 0.5, -1, type, sign), beta * 0.5 * (3 - von - 0.25) * (1 + 0.02 * 0.5), 1e-9);
    EXPECT_NEAR(drain_current(0.9, 4, -1, type, sign), 0, 1e-12);
  }
}

TEST(NetlistMos, GateChargeIsThatOfALongChannel) {
  MosTransistor m;
  m.threshold = 1;
  m.oxide = 3e-15;
  const auto charge = [&](double d, double g, double s) { return m(std::array<double, 4>{d, g, s, 0}).charge; };
  EXPECT_NEAR(charge(0, 4, 0)[1], 3e-15 * 3, 1e-24);            // no voltage along the channel
  EXPECT_NEAR(charge(5, 4, 0)[1], 3e-15 * 3 * 2 / 3, 1e-24);    // saturated
  EXPECT_NEAR(charge(5, 4, 0)[0], -3e-15 * 3 * 4 / 15, 1e-24);  // 40 % of the charge is at the drain
  EXPECT_EQ(charge(5, 0.5, 0)[1], 0);
  for (const auto& q : {charge(2, 4, 0), charge(0.3, 4, 2), charge(5, 4, 0)})
    EXPECT_NEAR(q[0] + q[1] + q[2] + q[3], 0, 1e-28);
}

// The capacitance of the gate is a continuous function of its voltage. Otherwise the current of a supply would jump.
TEST(NetlistMos, CapacitanceOfTheChannelSetsInGradually) {
  MosTransistor m;
  m.threshold = 1;
  m.oxide = 3e-15;
  const double h = 1e-4;
  const auto capacitance = [&](double g) {
    const auto charge = [&](double at) { return m(std::array<double, 4>{5, at, 0, 0}).charge[1]; };
    return (charge(g + h) - charge(g - h)) / (2 * h);
  };
  double largest_jump = 0;
  for (double g = 0.5; g < 1.5; g += 2 * h)
    largest_jump = std::max(largest_jump, std::abs(capacitance(g + 2 * h) - capacitance(g)));
  EXPECT_LT(largest_jump, 0.01 * 2e-15);
  EXPECT_NEAR(capacitance(1.5), 2e-15, 1e-20);
  EXPECT_EQ(capacitance(0.5), 0);
}

// In a ring of inverters a jump of the current of the supply would make tight tolerances impossible.
TEST(NetlistMos, RingOfInvertersIsComputedToTightTolerances) {
  const std::string text =
      ".subckt inverter in out supply\nm1 out in 0 0 nfet w=10u l=1u\nm2 out in supply supply pfet w=20u l=1u\n"
      "cload out 0 100f\n.ends\nvdd vdd 0 pwl(0 0 10n 3)\nx1 a b vdd inverter\nx2 b c vdd inverter\n"
      "x3 c a vdd inverter\nikick 0 a pulse(0 10u 12n 1n 1n 2n)\n"
      ".model nfet nmos(vto=0.7 kp=100u lambda=0.02 tox=20n cgso=0.3n cgdo=0.3n)\n"
      ".model pfet pmos(vto=-0.8 kp=40u lambda=0.02 tox=20n cgso=0.3n cgdo=0.3n)\n.tran 0.1n 30n\n";
  const Solution s = run_netlist(text, 1e-7), other = run_netlist(text, 1e-6, "circuit_sdirk");
  for (const char* name : {"v(a)", "v(b)", "i(vdd)"})
    EXPECT_NEAR(end_value(s, name), end_value(other, name), 1e-3 * std::abs(end_value(s, name))) << name;
}

const char* const every_device = R"cir(
v1 vdd 0 5
r1 vdd c 1k
q1 c b e qn
q2 e b c2 qp
rb b 0 10k
re e 0 1k
rc2 c2 0 2k
m1 d g s 0 mn w=10u l=1u ad=5p as=5p pd=10u ps=10u
m2 d g vdd vdd mp w=20u l=1u
rg g c 1k
rs s 0 100
d1 d s dm
l1 d x 1u
l2 x 0 2u
rx x 0 1k
k1 l1 l2 0.3
b1 y 0 v=v(c)*v(d) + i(l1)^2
ry y z 1k
b2 z 0 i=0.1m*tanh(v(y)) + 1u*v(z)^3
cz z c 1p
s1 z 0 c 0 sm
.model qn npn(is=1e-15 bf=100 vaf=50 var=20 ikf=10m ikr=5m ise=1e-14 isc=1e-14 rb=10 re=1 rc=5 cje=1p cjc=0.5p cjs=0.3p tf=1n tr=10n)
.model qp pnp(is=1e-15 cje=1p cjc=0.5p tf=1n)
.model mn nmos(vto=0.7 kp=100u gamma=0.4 lambda=0.02 tox=20n cgso=1n cgdo=1n cgbo=1n cj=1m cjsw=1n rd=5 rs=5)
.model mp pmos(vto=-0.7 kp=40u gamma=0.3 cbd=1p cbs=1p)
.model dm d(is=1e-12 rs=1 cjo=2p tt=1n bv=8)
.model sm sw(vt=9)
.tran 1n 1u uic
)cir";

TEST(NetlistDevices, JacobiansAreThoseOfDifferences) {
  const TextModel model = netlist(every_device);
  const auto& p = model.problem->as<CircuitProblem>("the test");
  const Index n = p.layout().nq;
  for (const double size : {0.3, 0.7, 1.0}) {
    Vec x = Vec::Zero(n);
    for (Index k = 0; k < n; ++k) x[k] = size * std::sin(1.3 * static_cast<double>(k) + 0.4);
    MatrixSlot dcharge = p.jacobian_pattern(), dcurrent = p.jacobian_pattern();
    p.jacobians(0.1, x, dcharge, dcurrent);
    Vec plus(n), minus(n);
    for (Index j = 0; j < n; ++j)
      for (const bool charge : {true, false}) {
        const double h = 1e-6;
        const auto evaluate = [&](double shift, Vec& out) {
          Vec at = x;
          at[j] += shift;
          charge ? p.charge(at, out) : p.current(0.1, at, out);
        };
        evaluate(h, plus);
        evaluate(-h, minus);
        const MatrixSlot& slot = charge ? dcharge : dcurrent;
        for (Index i = 0; i < n; ++i) {
          const double slope = (plus[i] - minus[i]) / (2 * h);
          const double rounding = 1e-9 * std::max(std::abs(plus[i]), charge ? 1e-12 : 1e-3);
          EXPECT_NEAR(slot.value(i, j), slope, 1e-5 * std::abs(slope) + rounding)
              << (charge ? "charge " : "current ") << i << " by " << j << " at size " << size;
        }
      }
  }
}

TEST(NetlistDevices, CurrentsOfADeviceAddUpToZero) {
  BipolarTransistor q;
  q.polarity = -1;
  q.early_inverse = 0.02;
  q.knee_inverse = 100;
  const auto i = q(std::array<double, 3>{-2.0, 0.1, 0.75}).current;
  EXPECT_NEAR((i[0] + i[1] + i[2]) / i[0], 0, 1e-14);
}

// Circuits whose operating point Newton's method alone does not find.
TEST(NetlistStart, IsFoundByConductancesOrSources) {
  std::string chain = "v1 n0 0 30\n.model dm d(is=1e-14)\n.tran 1u 1m\nr1 n0 a0 10\n";
  for (int k = 0; k < 30; ++k) chain += fmt::format("d{0} a{0} a{1} dm\n", k, k + 1);
  const double i = bisect(0, 3, [&](double x) { return 30 * vt * std::log1p(x / 1e-14) + 10 * x - 30; });
  EXPECT_NEAR(start_value(chain + "r2 a30 0 1u\n", "i(v1)"), -i, 1e-5);

  const TextModel latch = netlist(R"cir(
vcc vcc 0 5
r1 vcc c1 1k
r2 vcc c2 1k
q1 c1 b1 0 qm
q2 c2 b2 0 qm
r3 c1 b2 10k
r4 c2 b1 10k
.model qm npn(is=1e-16 bf=100)
.ic v(c1)=0.1
.tran 1u 1m
)cir");
  EXPECT_LT(start_value(latch, "v(c1)"), 0.3);
  EXPECT_GT(start_value(latch, "v(c2)"), 4);
}

// Between the diodes and the inductors, voltages follow from leakage currents alone. At the start the second phase is
// at -sin(120 degrees) and the third at +sin(120 degrees) times 325 V. Each diode has 10 mOhm.
TEST(NetlistStart, OfASixPulseRectifierBehindInductors) {
  const Solution s = run_netlist(
      netlist("va a1 0 sin(0 325 50 0 0 0)\nvb b1 0 sin(0 325 50 0 0 -120)\nvc c1 0 sin(0 325 50 0 0 120)\nla a1 a 1m\n"
              "lb b1 b 1m\nlc c1 c 1m\nd1 a p dm\nd2 b p dm\nd3 c p dm\nd4 n a dm\nd5 n b dm\nd6 n c dm\nlf p q 5m\n"
              "cf q n 470u\nrload q n 50\nrg n 0 1meg\n.model dm d(is=1e-9 n=1.8 rs=10m)\n.tran 50u 1m\n"),
      1e-4, {}, "circuit_sdirk");
  const auto y = s.y();
  const double start = y(s.component("v(q)"), 0) - y(s.component("v(n)"), 0);
  const double current = start / 50, diode = 1.8 * 0.0258649 * std::log(current / 1e-9) + 10e-3 * current;
  EXPECT_NEAR(start, 325 * std::sqrt(3) - 2 * diode, 1e-3);
}

TEST(NetlistStart, OfSwitchesAgreesWithTheirControls) {
  const std::string text = "v1 a 0 5\nr1 a b 1k\ns1 b 0 a 0 sm\n.model sm sw(ron=1 roff=1meg vt=2)\n.tran 1u 1m\n";
  EXPECT_NEAR(start_value(text, "v(b)"), 5.0 / 1001, 1e-9);
  EXPECT_EQ(netlist(text).problem->initial_state().mode, std::vector<int>{1});
}

// When the current of the inductor reaches zero, the voltage at its end jumps within a time of L/ROFF, and the current
// of the diode falls by orders of magnitude. The stages must be found there at loose tolerances too. The charge that a
// cycle adds follows from the peak of the current, V ton/L, and from the time L I/(Vout + Vd - V) in which it falls to
// zero.
TEST(NetlistConverter, WhoseInductorRunsEmpty) {
  const auto text = [](const std::string& inductor, const std::string& off) {
    return "vin in 0 8\nvgate gate 0 pulse(0 5 0 10n 10n 3u 20u)\nl1 in sw " + inductor +
           " ic=0\ns1 sw 0 gate 0 switch\nd1 sw out diode\nc1 out 0 100u ic=14\nrload out 0 200\n.model switch "
           "sw(ron=30m roff=" +
           off + " vt=2.5)\n.model diode d(is=1e-9 rs=20m)\n.tran 1u 20u 0 1u uic\n";
  };
  const double peak = 8 * 3.01e-6 / 47e-6, falls = 47e-6 * peak / (14 + 0.5 - 8), added = 0.5 * peak * falls / 100e-6;
  const double lost = 14 * 20e-6 / (200 * 100e-6);
  for (const double rtol : {1e-1, 1e-2, 1e-3})
    EXPECT_NEAR(end_value(run_netlist(text("47u", "1meg"), rtol), "v(out)"), 14 - lost + added, 0.02 * added) << rtol;
  for (const double rtol : {1e-1, 1e-2})
    for (const char* inductor : {"8u", "10u", "12u", "15u", "18u", "22u"}) run_netlist(text(inductor, "10meg"), rtol);
}

TEST(NetlistTemperature, MovesJunctions) {
  const std::string text = "i1 0 a 1m\nd1 a 0 dm\n.model dm d(is=1e-14 eg=1.11 xti=3)\n.tran 1u 1m\n";
  const double warm = 1.380649e-23 * 350.15 / 1.602176634e-19, ratio = 350.15 / 300.15;
  const double is = 1e-14 * std::exp((ratio - 1) * 1.11 / warm) * std::pow(ratio, 3);
  EXPECT_NEAR(start_value(text + ".temp 77\n", "v(a)"), warm * std::log1p(1e-3 / is), 1e-6);
  EXPECT_NEAR(start_value(text, "v(a)"), vt * std::log1p(1e-3 / 1e-14), 1e-6);
}
}  // namespace
}  // namespace trill::testing_netlists
