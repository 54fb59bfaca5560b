// SPDX-License-Identifier: BSD-3-Clause
// The sweeps behind (phi, psi)-methods, compared with their definition: the tangents of all inner steps are
// multiplied, inverted and summed (SS08 eq. 7 to 9).
#include "method/composition.hpp"
#include "multiscale/fast_flow.hpp"
#include "support/algebra.hpp"
#include "support/allocation_count.hpp"
#include "support/spring_network.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace trill::test {
namespace {
// Values of the weights in closed form. At the ends of a piece of length 1/2, `middle` tells which piece is meant.
double chi(const std::string& name, double t, double middle) {
  if (name == "short") return middle < 0.5 ? 1 : 0;
  if (name == "long") return middle < 1 ? 0.5 : 0;
  if (name == "lin") return middle < 1 ? 1 - t : 0;
  if (name == "short*long") return middle < 0.5 ? 0.5 : middle < 1.5 ? 0.5 * (1.5 - t) : 0;
  if (name == "long*long") return middle < 2 ? (2 - t) / 4 : 0;
  return middle < 1 ? 2.0 / 3 - t * t + t * t * t / 2 : middle < 2 ? std::pow(2 - t, 3) / 6 : 0;  // the weight "cubic"
}

struct Definition {
  Vec average;
  Mat mollifier, transposed_positions;  // from the inverse and from the transpose Q_q^T
};

// The sum goes over pieces of length 1/2 up to 2, since all weights here vanish beyond.
Definition by_definition(const SpringNetwork& p, const std::string& phi, const std::string& psi, double h, int n,
                         int order, const Vec& start) {
  const Index d = start.size();
  const Mat inverse_mass = p.masses.size() == 0 ? Mat::Identity(d, d) : test::inverse(p.masses);
  Vec q = start, v = Vec::Zero(d), f(d);
  Mat tangent = Mat::Identity(2 * d, 2 * d);  // derivative of (momentum, position)
  const auto kick = [&](double s) {
    p.force(SpringNetwork::fast, 0, q, v, f);
    v += s * inverse_mass * f;
    tangent.topRows(d) += s * p.jacobian(SpringNetwork::fast, q) * tangent.bottomRows(d);
  };
  Definition sums{Vec::Zero(d), Mat::Zero(d, d), Mat::Zero(d, d)};
  const auto add = [&](double phi_weight, double psi_weight) {
    sums.average += phi_weight * q;
    if (psi_weight == 0) return;
    sums.mollifier += psi_weight * test::inverse(tangent).topLeftCorner(d, d);
    sums.transposed_positions += psi_weight * tangent.bottomRightCorner(d, d).transpose();
  };
  if (phi == "delta") sums.average = q;
  if (psi == "delta") sums.mollifier = sums.transposed_positions = Mat::Identity(d, d);
  const auto value = [](const std::string& name, double t, double middle) {
    return name == "delta" ? 0 : chi(name, t, middle);
  };
  for (int piece = 0; piece < 4; ++piece)
    for (int i = 0; i < n; ++i) {
      double t = 0.5 * (piece + static_cast<double>(i) / n);
      const double middle = 0.5 * piece + 0.25;
      for (const double gamma : find_composition(order)->gamma) {
        const double s = gamma * 0.5 / n;
        add(s * value(phi, t, middle), s * value(psi, t, middle));
        kick(0.5 * s * h);
        q += s * h * v;
        tangent.bottomRows(d) += s * h * inverse_mass * tangent.topRows(d);
        kick(0.5 * s * h);
        t += s;
        add(s * value(phi, t, middle), s * value(psi, t, middle));
      }
    }
  return sums;
}

struct Sweeps {
  Vec average;
  Mat mollifier;
};

Sweeps by_sweeps(const SpringNetwork& p, const std::string& phi, const std::string& psi, double h, int n, int order,
                 const Vec& q) {
  const auto flow = make_sweep_flow(p, SpringNetwork::fast, {{Weight::named(phi), Weight::named(psi)}},
                                    {.inner = n, .inner_order = order});
  flow->start(p.initial_state());
  Counters work;
  Mat a(q.size(), 1), mollifier(q.size(), q.size());
  EXPECT_TRUE(flow->average(0, h, q, a, work));
  for (Index c = 0; c < q.size(); ++c) {
    Vec column(q.size());
    EXPECT_TRUE(flow->mollify(Mat(Vec::Unit(q.size(), c)), column, work));
    mollifier.col(c) = column;
  }
  return {a.col(0), mollifier};
}

double relative(const Mat& a, const Mat& b) { return (a - b).norm() / b.norm(); }

using Pair = std::pair<const char*, const char*>;
const std::vector<Pair> all_pairs{{"short", "short"}, {"lin", "lin"},          {"long", "long*long"},
                                  {"cubic", "cubic"}, {"short", "short*long"}, {"delta", "short"},
                                  {"short", "delta"}};

SpringNetwork with_masses(SpringNetwork p, bool dense) {
  const Index d = p.q.size();
  p.masses = Mat::Zero(d, d);
  for (Index i = 0; i < d; ++i) p.masses(i, i) = 1 + 0.3 * static_cast<double>(i % 4);
  if (dense)
    for (Index i = 0; i + 1 < d; ++i) p.masses(i, i + 1) = p.masses(i + 1, i) = 0.2;
  return p;
}

class Sweep : public testing::TestWithParam<int> {};

TEST_P(Sweep, BackwardIsTheInverseOfTheTangents) {
  std::vector<SpringNetwork> problems{two_springs(12),
                                      two_springs(12, 0.3),
                                      zigzag(9, 12),
                                      zigzag(9, 12, 0.3),
                                      with_masses(zigzag(3, 12, 0.3), false),
                                      with_masses(zigzag(3, 12, 0.3), true)};
  for (const SpringNetwork& p : problems)
    for (const auto& [phi, psi] : all_pairs) {
      const Vec q = p.q + 0.02 * Vec::LinSpaced(p.q.size(), -1, 1).array().sin().matrix();
      const Definition right = by_definition(p, phi, psi, 0.25, 3, GetParam(), q);
      const Sweeps ours = by_sweeps(p, phi, psi, 0.25, 3, GetParam(), q);
      EXPECT_LT(relative(ours.average, right.average), 1e-13) << phi << " " << psi;
      EXPECT_LT(relative(ours.mollifier, right.mollifier), 1e-13) << phi << " " << psi;
      // For conservative forces the inverse is a transpose (SS08 eq. 13). The turned forces are not conservative.
      const double transposed = relative(ours.mollifier, right.transposed_positions);
      if (p.turn == 0) {
        EXPECT_LT(transposed, 1e-13);
      } else if (psi != std::string("delta")) {
        EXPECT_GT(transposed, 1e-3);
      }
    }
}

INSTANTIATE_TEST_SUITE_P(Orders, Sweep, testing::Values(2, 4, 6, 8));

// For phi = psi and a conservative force the mollifier is A'^T (SS08 eq. 14). Here A' is computed by differences.
TEST(SweepFlow, MollifierIsTheTransposedDerivativeOfTheAverage) {
  for (const SpringNetwork& p : {two_springs(12), zigzag(9, 12)})
    for (const char* weight : {"short", "lin", "short*long"}) {
      const Mat mollifier = by_sweeps(p, weight, weight, 0.25, 4, 2, p.q).mollifier;
      Mat derivative(p.q.size(), p.q.size());
      constexpr double step = 1e-5;
      for (Index c = 0; c < p.q.size(); ++c) {
        const Vec shift = step * Vec::Unit(p.q.size(), c);
        derivative.col(c) = (by_sweeps(p, weight, weight, 0.25, 4, 2, p.q + shift).average -
                             by_sweeps(p, weight, weight, 0.25, 4, 2, p.q - shift).average) /
                            (2 * step);
      }
      EXPECT_LT(relative(mollifier, derivative.transpose()), 1e-8) << weight;
    }
}

TEST(SweepFlow, TransposedProductsShow) {
  SpringNetwork p = two_springs(12, 0.3);
  p.products = Products::transposed;
  EXPECT_GT(relative(by_sweeps(p, "short", "short", 0.25, 4, 2, p.q).mollifier,
                     by_definition(p, "short", "short", 0.25, 4, 2, p.q).mollifier),
            1e-2);
}

TEST(SweepFlow, ProductsByDifferencesAreNearlyAsGood) {
  SpringNetwork p = zigzag(4, 12, 0.3);
  const Mat right = by_sweeps(p, "short", "short*long", 0.25, 4, 2, p.q).mollifier;
  p.products = Products::unknown;
  EXPECT_LT(relative(by_sweeps(p, "short", "short*long", 0.25, 4, 2, p.q).mollifier, right), 1e-8);
}

// Breakpoints of weights are points of the grid even if the widths are not whole numbers.
TEST(SweepFlow, OddWidthsConvergeToTheFilter) {
  SpringNetwork p = two_springs(4);
  p.springs = {{0, -1, 16, 1e-9, SpringNetwork::fast}, {0, 1, 0.5, 1, SpringNetwork::slow}};  // nearly linear
  const double h = 0.4;
  for (const char* weight : {"box(1.5)", "box(0.7)*short", "pieces(0.3: 1; 0.9: 0.5 -0.2)", "cubic"}) {
    SCOPED_TRACE(weight);
    const bool custom = std::string(weight).starts_with("pieces");
    const double mass = custom ? 2 * (0.3 + 0.3 - 0.1 * (0.81 - 0.09)) : 1;
    const Weight chi =
        custom ? Weight::named(fmt::format("pieces(0.3: {}; 0.9: {} {})", 1 / mass, 0.5 / mass, -0.2 / mass))
               : Weight::named(weight);
    const auto flow = make_sweep_flow(p, SpringNetwork::fast, {{chi, chi}}, {.inner = 16, .inner_order = 8});
    flow->start(p.initial_state());
    Counters work;
    Mat a(4, 1);
    ASSERT_TRUE(flow->average(0, h, p.q, a, work));
    EXPECT_NEAR(a(0, 0), chi.filter(4 * h), 1e-8);
    Vec out(4);
    ASSERT_TRUE(flow->mollify(Mat(Vec::Unit(4, 0)), out, work));
    EXPECT_NEAR(out[0], chi.filter(4 * h), 1e-8);
  }
}

// Without a fast force averages and forces do not change, for any weight and with any number of inner steps.
TEST(SweepFlow, NothingFastChangesNothing) {
  SpringNetwork p = two_springs(0);
  for (const char* weight : {"short", "cubic", "short*long", "box(1.5)", "box(0.4)*lin", "pieces(0.5: 0.8; 1: 0.2)"})
    for (const int order : {2, 8}) {
      const Sweeps still = by_sweeps(p, weight, weight, 0.3, 3, order, p.q);
      EXPECT_LT((still.average - p.q).norm(), 1e-14) << weight;
      EXPECT_LT(relative(still.mollifier, Mat::Identity(4, 4)), 1e-14) << weight;
    }
}

// Several slow forces share one forward and one backward sweep. The result is the sum of what each gives alone, at the
// cost of one.
TEST(SweepFlow, SeveralPairsRideOneSweep) {
  const SpringNetwork p = zigzag(6, 12, 0.2);
  const std::vector<WeightPair> pairs{{Weight::named("short"), Weight::named("short*long")},
                                      {Weight::named("lin"), Weight::named("long")},
                                      {Weight::named("delta"), Weight::named("delta")}};
  const Index d = p.q.size();
  const auto all = make_sweep_flow(p, SpringNetwork::fast, pairs, {.inner = 4});
  all->start(p.initial_state());
  Counters work;
  Mat a(d, 3), g = Mat::Random(d, 3);
  ASSERT_TRUE(all->average(0, 0.25, p.q, a, work));
  Vec sum(d), expected = Vec::Zero(d);
  ASSERT_TRUE(all->mollify(g, sum, work));
  for (Index j = 0; j < 3; ++j) {
    const auto one = make_sweep_flow(p, SpringNetwork::fast, {pairs[static_cast<std::size_t>(j)]}, {.inner = 4});
    one->start(p.initial_state());
    Counters own;
    Mat alone(d, 1);
    ASSERT_TRUE(one->average(0, 0.25, p.q, alone, own));
    EXPECT_LT((alone.col(0) - a.col(j)).norm(), 1e-14);
    Vec part(d);
    ASSERT_TRUE(one->mollify(g.col(j), part, own));
    expected += part;
    if (j == 0) {
      EXPECT_EQ(work.products, own.products);
      EXPECT_EQ(work.forces, own.forces);
    }
  }
  EXPECT_LT(relative(sum, expected), 1e-14);
}

TEST(SweepFlow, WorkIsThatOfTheSupport) {
  const SpringNetwork p = two_springs(12);
  const auto flow =
      make_sweep_flow(p, SpringNetwork::fast, {{Weight::named("short"), Weight::named("short*long")}}, {.inner = 5});
  flow->start(p.initial_state());
  Counters work;
  Vec q = p.q, v = p.v;
  ASSERT_TRUE(flow->flow(0, 0.25, q, v, work));
  EXPECT_EQ(work.forces[0], 11);  // 10 inner steps, and the force at the start
  Mat a(4, 1);
  ASSERT_TRUE(flow->average(0.25, 0.25, q, a, work));
  // 15 steps to the end of psi, without the last, where psi is 0, and without the known force at q.
  EXPECT_EQ(work.forces[0], 11 + 13);
  Vec sum(4);
  ASSERT_TRUE(flow->mollify(a, sum, work));
  EXPECT_EQ(work.products, 14);
  ASSERT_TRUE(flow->flow(0.25, 0.25, q, v, work));
  EXPECT_EQ(work.forces[0], 11 + 13 + 10);
}

// Sweeps that are too long to be stored are integrated backwards again, so that forces are evaluated twice.
TEST(SweepFlow, WalkedBackAreTheSame) {
  const SpringNetwork p = with_masses(zigzag(5, 12, 0.3), true);
  const Index d = p.q.size();
  for (const auto& [phi, psi] : {std::pair{"short", "short*long"}, {"long", "short"}, {"lin", "delta"}})
    for (const int order : {2, 8}) {
      Mat a(d, 1), again(d, 1), g = Mat::Random(d, 1);
      Vec sum(d), walked(d);
      Counters kept_work, work;
      for (const bool kept : {true, false}) {
        const auto flow = make_sweep_flow(p, SpringNetwork::fast, {{Weight::named(phi), Weight::named(psi)}},
                                          {.inner = 6, .inner_order = order, .most_stored = kept ? Index{1} << 20 : 0});
        flow->start(p.initial_state());
        ASSERT_TRUE(flow->average(0, 0.25, p.q, kept ? a : again, kept ? kept_work : work));
        for (int twice = 0; twice < 2; ++twice)
          ASSERT_TRUE(flow->mollify(g, kept ? sum : walked, kept ? kept_work : work));
      }
      EXPECT_EQ(a, again);
      EXPECT_LT(relative(walked, sum), 1e-12) << phi << " " << psi;
      EXPECT_EQ(work.products, kept_work.products);
      EXPECT_GT(work.forces[0], kept_work.forces[0]);
    }
}

TEST(SweepFlow, FindsTheFrequencyAndItsInnerSteps) {
  const SpringNetwork p = two_springs(40);
  const auto flow = make_sweep_flow(p, SpringNetwork::fast, {{}}, {});
  flow->start(p.initial_state());
  EXPECT_NEAR(flow->fastest_frequency(), 40, 0.05);
  EXPECT_LE(flow->inner_angle(0.25), 0.25 + 1e-12);
  EXPECT_GT(flow->inner_angle(0.25), 0.2);
}

TEST(SweepFlow, AllocatesNothingAfterItsFirstUse) {
  if (!counts_allocations()) GTEST_SKIP() << "a sanitizer owns the allocator";
  for (const bool dense : {false, true}) {
    const SpringNetwork p = with_masses(zigzag(9, 12), dense);
    const auto flow = make_sweep_flow(p, SpringNetwork::fast, {{Weight::named("short"), Weight::named("short")}}, {});
    flow->start(p.initial_state());
    Counters work;
    Vec q = p.q, v = p.v, sum(18);
    Mat a(18, 1), g = Mat::Ones(18, 1);
    flow->average(0, 0.25, q, a, work);
    AllocationGuard guard;
    flow->flow(0, 0.25, q, v, work);
    flow->average(0.25, 0.25, q, a, work);
    flow->mollify(g, sum, work);
    EXPECT_EQ(guard.count(), 0u);
  }
}
}  // namespace
}  // namespace trill::test
