// SPDX-License-Identifier: BSD-3-Clause
// Transients of the netlists in examples/circuits, compared with values on which two other programs agree: an
// independent program with diagonally implicit steps at two tolerances, and ngspice 39. Deviations are relative to the
// largest sample.
#include "support/netlists.hpp"

#include <algorithm>

namespace trill::testing_netlists {
namespace {
struct VerifiedSample {
  double t, value;
};

TextModel example(const std::string& name) {
  return load_model(std::filesystem::path(TRILL_SOURCE_DIR) / "examples/circuits" / (name + ".cir"));
}

Solution example_until(const std::string& name, double to, const std::string& method = "") {
  TextModel model = example(name);
  RunPlan plan;
  plan.method = method;
  plan.to = to;
  Solution solution = prepare(plan, std::move(model.problem), model.info.run).run();
  EXPECT_TRUE(solution.ok()) << name << ": " << solution.outcome.message;
  return solution;
}

// The value at the end of a cycle is interpolated between two rows. Both are near, since the end is a corner of the
// gate signal or there is a step nearby.
double value_at(const Solution& s, Index component, double t) {
  const auto next = std::lower_bound(s.t.begin(), s.t.end(), t * (1 - 1e-12)) - s.t.begin();
  const auto k = std::min<Index>(next, s.rows() - 1), before = std::max<Index>(k - 1, 0);
  const double t0 = s.t[static_cast<std::size_t>(before)], t1 = s.t[static_cast<std::size_t>(k)];
  const double share = k == before ? 1 : (t - t0) / (t1 - t0);
  return s.y()(component, before) + share * (s.y()(component, k) - s.y()(component, before));
}

void expect_samples(const Solution& s, const std::string& component, const std::vector<VerifiedSample>& samples,
                    double largest) {
  for (const VerifiedSample& sample : samples)
    EXPECT_NEAR(value_at(s, s.component(component), sample.t), sample.value, 1e-4 * largest)
        << component << " at " << sample.t;
}

TEST(NetlistClaims, BuckConverter) {
  const Solution s = example_until("buck", 0.015);
  expect_samples(s, "v(o2)", {{0.005, 8.45373606616}, {0.01, 5.44604339771}, {0.015, 5.89172572916}}, 8.45);
  expect_samples(s, "i(l1)", {{0.005, 3.54524659498e-06}, {0.01, 0.243609625359}, {0.015, 0.700393565804}}, 1.31);
}

TEST(NetlistClaims, BoostConverter) {
  const Solution s = example_until("boost", 0.02);
  expect_samples(s, "v(o2)", {{0.004, 15.5285964897}, {0.012, 10.5303117983}, {0.02, 9.47104144433}}, 15.5);
  expect_samples(s, "i(l1)", {{0.004, 4.9989994714e-06}, {0.016, 1.03239383397}, {0.02, 0.499832076999}}, 1.03);
}

TEST(NetlistClaims, Rectifier) {
  const Solution s = example_until("rectifier", 3);
  expect_samples(s, "v(b)", {{1, 10.5248130115}, {2, 10.9288352495}, {3, 11.095838952}}, 11.2);
  expect_samples(s, "v(c)", {{1, 6.38282578916}, {2, 8.7663822134}, {3, 9.66941999799}}, 10.2);
}

// The maximum or minimum of the parabola through three rows. The rows themselves miss it by up to 0.004 V.
double extreme(const Solution& s, Index component, Index k) {
  const auto t = [&](Index i) { return s.t[static_cast<std::size_t>(i)]; };
  const auto y = [&](Index i) { return s.y()(component, i); };
  const double left = (y(k) - y(k - 1)) / (t(k) - t(k - 1)), right = (y(k + 1) - y(k)) / (t(k + 1) - t(k));
  const double bend = (right - left) / (t(k + 1) - t(k - 1)), slope = right - bend * (t(k + 1) - t(k));
  return y(k) - slope * slope / (4 * bend);
}

TEST(NetlistClaims, ColpittsOscillator) {
  const Solution s = example_until("colpitts", 400e-6);
  const Index c = s.component("v(c)");
  double high = -1e9, low = 1e9;
  for (Index k = 1; k + 1 < s.rows(); ++k) {
    if (s.t[static_cast<std::size_t>(k)] < 300e-6) continue;
    const double before = s.y()(c, k - 1), here = s.y()(c, k), after = s.y()(c, k + 1);
    if (here > before && here >= after) high = std::max(high, extreme(s, c, k));
    if (here < before && here <= after) low = std::min(low, extreme(s, c, k));
  }
  EXPECT_NEAR(high, 8.1927, 8.2e-4);
  EXPECT_NEAR(low, 1.5226, 8.2e-4);
}

// The circuit rings at 5 MHz, which needs a method of high order.
TEST(NetlistClaims, RingModulator) {
  const Solution s = example_until("ring_modulator", 1e-3, "radau");
  EXPECT_NEAR(end_value(s, "v(1)"), -0.0233905738, 1e-5 * 0.0234);
  EXPECT_NEAR(end_value(s, "v(2)"), -0.007367485716, 1e-5 * 0.0074);
  EXPECT_NEAR(end_value(s, "v(7)"), 0.1106761861, 1e-5 * 0.111);
}

// The text model and the netlist describe the same circuit.
TEST(NetlistClaims, RingModulatorAsATextModelAndAsANetlist) {
  const TextModel text = read_shipped_model(ModelRegistry::all().find("ring_modulator"));
  TextModel net = example("ring_modulator");
  RunPlan plan;
  plan.rtol = 1e-8;
  plan.to = 2e-5;
  const Solution a = prepare(plan, text.problem->clone(), text.info.run).run();
  const Solution b = prepare(plan, std::move(net.problem), net.info.run).run();
  for (int k = 1; k <= 15; ++k) {
    const std::string name = k <= 7 ? "v(" + std::to_string(k) + ")" : "i(l" + std::to_string(k) + ")";
    const double expected = end_value(a, "y" + std::to_string(k));
    EXPECT_NEAR(end_value(b, name), expected, 1e-5 * std::abs(expected) + 1e-9) << name;
  }
}
}  // namespace
}  // namespace trill::testing_netlists
