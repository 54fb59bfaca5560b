// SPDX-License-Identifier: BSD-3-Clause
// Whole structures followed in time: polynomials and exponentials of their matrices, damped Verlet, trigonometric
// steps, modes of structures with other forces, second-order Krylov vectors, and bodies that are not held.
#include "linalg/chebyshev_series.hpp"
#include "linalg/modes.hpp"
#include "multiscale/chebyshev_motion.hpp"
#include "multiscale/krylov_motion.hpp"
#include "multiscale/modal_mechanics.hpp"
#include "multiscale/ritz_reduction.hpp"
#include "support/mentions.hpp"
#include "support/small_problems.hpp"
#include "support/test_structure.hpp"
#include "trill/driver/plan.hpp"
#include "trill/method/registry.hpp"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace trill {
ReformulationEntry soar_entry();

namespace {
using testing_structures::GivenStructure;

GivenStructure loaded_membrane(double points, ProportionalDamping share) {
  const GeneratedStructure made = generate_structure("membrane", {{"points", points}});
  GivenStructure s;
  s.m = made.mass;
  s.k = made.stiffness;
  s.share = share;
  s.c = share.mass * s.m + share.stiffness * s.k;
  const Index n = s.m.rows();
  s.shapes = made.vectors.at("uniform");
  s.factors = {[](double t) { return std::sin(3 * t); }};
  s.u0 = s.v0 = Vec::Zero(n);
  for (Index i = 0; i < n; ++i) {
    s.u0[i] = 0.1 * std::sin(0.3 * static_cast<double>(i));
    s.v0[i] = std::cos(1.7 * static_cast<double>(i * i));  // rough, so that all modes move
  }
  return s;
}

// The exact motion as a sum of all modes, which the damping must not couple.
State exact_motion(const GivenStructure& s, double end) {
  const EigenPairs modes = symmetric_eigenpairs(Mat(s.k), Mat(s.m));
  const Index n = modes.values.size();
  const ModalSystem all{modes.values,
                        Vec::Constant(n, s.share->mass) + s.share->stiffness * modes.values,
                        {},
                        modes.vectors.transpose() * s.shapes};
  Vec x = modes.vectors.transpose() * (s.m * s.u0), v = modes.vectors.transpose() * (s.m * s.v0);
  ModalMotion(all, s).advance(0, end, x, v);
  State out = s.initial_state();
  out.q() = modes.vectors * x;
  out.v() = modes.vectors * v;
  return out;
}

// The exact motion by the exponential of the whole matrix, under a constant load.
Vec exact_coupled(const GivenStructure& s, double end) {
  const Index n = s.m.rows();
  const Mat inverse = Mat(s.m).inverse();
  Mat a = Mat::Zero(2 * n + 1, 2 * n + 1);
  a.block(0, n, n, n).setIdentity();
  a.block(n, 0, n, n) = -inverse * s.k;
  a.block(n, n, n, n) = -inverse * s.c;
  a.block(n, 2 * n, n, 1) = inverse * s.shapes;
  Vec z(2 * n + 1);
  z << s.u0, s.v0, 1;
  return (matrix_exponential(end * a) * z).head(2 * n);
}

double size_of(const Vec& x) { return x.cwiseAbs().maxCoeff(); }

// The part of the series that is left out bounds the error of a step, with any damping and any length of steps.
TEST(ChebyshevMotions, AreThoseOfAllModes) {
  for (const ProportionalDamping share : {ProportionalDamping{}, {0.3, 1e-3}, {0, 0.5}}) {
    const GivenStructure s = loaded_membrane(9, share);
    const State exact = exact_motion(s, 4);
    for (const double tolerance : {1e-5, 1e-11})
      for (const int steps : {1, 4, 10}) {
        ChebyshevMotion motion(s);
        Vec u = s.u0, v = s.v0;
        for (int i = 0; i < steps; ++i) ASSERT_TRUE(motion.advance(4.0 * i / steps, 4.0 / steps, tolerance, u, v));
        EXPECT_LT(size_of(u - exact.q()), 30 * tolerance * steps) << share.stiffness << ", steps " << steps;
        EXPECT_LT(size_of(v - exact.v()), 200 * tolerance * steps) << share.stiffness << ", steps " << steps;
      }
  }
}

TEST(ChebyshevMotions, HaveMassesThatAreCoupled) {
  const GeneratedStructure made = generate_structure("beam", {{"elements", 3}});
  GivenStructure s = loaded_membrane(1, {0.3, 1e-4});
  s.m = made.mass;
  s.k = made.stiffness;
  s.c = 0.3 * s.m + 1e-4 * s.k;
  const Index n = s.m.rows();
  ASSERT_GT(s.m.nonZeros(), n);
  s.shapes = made.vectors.at("tip");
  s.u0 = Vec::LinSpaced(n, 0, 0.1);
  s.v0 = Vec::LinSpaced(n, 0, 1);
  const State exact = exact_motion(s, 0.5);
  ChebyshevMotion motion(s);
  Vec u = s.u0, v = s.v0;
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(motion.advance(0.1 * i, 0.1, 1e-10, u, v));
  EXPECT_LT(size_of(u - exact.q()), 1e-7);
  EXPECT_LT(size_of(v - exact.v()), 1e-5);
}

TEST(ChebyshevMotions, KeepTheEnergyAndTakeFewProducts) {
  GivenStructure s = loaded_membrane(20, {});
  s.shapes.setZero();
  ChebyshevMotion motion(s);
  Vec u = s.u0, v = s.v0;
  const auto energy = [&] { return 0.5 * (quadratic_form(s.k, u) + quadratic_form(s.m, v)); };
  const double before = energy();
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(motion.advance(i, 1, 1e-12, u, v));
  EXPECT_NEAR(energy(), before, 1e-9 * before);
  // The number of products is half the angle of the fastest mode plus some multiple of its cube root: H. Tal-Ezer, R.
  // Kosloff 1984.
  const double angle = motion.fastest();
  EXPECT_LT(static_cast<double>(motion.products()) / 40, 0.5 * angle + 12 * std::cbrt(angle));
}

// The response to a sine in any step is a combination of those in two steps. So only two steps need a series for the
// load.
TEST(ChebyshevMotions, ReuseTheAnswersToALoad) {
  const GivenStructure s = loaded_membrane(9, {0.1, 0});
  ChebyshevMotion motion(s);
  Vec u = s.u0, v = s.v0;
  ASSERT_TRUE(motion.advance(0, 1, 1e-10, u, v));
  ASSERT_TRUE(motion.advance(1, 1, 1e-10, u, v));
  const long two = motion.products();
  ASSERT_TRUE(motion.advance(2, 1, 1e-10, u, v));
  EXPECT_EQ(motion.products() - two, 2 * motion.degree());
  const State exact = exact_motion(s, 3);
  EXPECT_LT(size_of(u - exact.q()), 1e-8);
}

TEST(ChebyshevMotions, RefuseWhatTheyCannotFollow) {
  GivenStructure s = loaded_membrane(4, {});
  s.share.reset();
  EXPECT_THAT(test::refusal([&] { ChebyshevMotion motion(s); }), tells({"", "chebyshev", "damping", "krylov"}));
  s.share = ProportionalDamping{};
  s.k.coeffRef(0, 1) *= 2;
  EXPECT_THAT(test::refusal([&] { ChebyshevMotion motion(s); }), tells({"", "symmetric", "row 2", "column 1", "soar"}));
}

// A negative eigenvalue lies outside of the interval of the series. This is noticed, and the motion is not computed.
TEST(ChebyshevMotions, NoticeWhatGrows) {
  GivenStructure s = loaded_membrane(6, {});
  s.k = s.k - 60 * s.m;
  ChebyshevMotion motion(s);
  Vec u = s.u0, v = s.v0;
  for (int i = 0; i < 12 && motion.is_positive(); ++i) EXPECT_FALSE(motion.advance(0, 3, 1e-8, u, v));
  EXPECT_FALSE(motion.is_positive());
}

GivenStructure turning_shaft() {
  const GeneratedStructure made = generate_structure(
      "shaft", {{"elements", 6}, {"speed", 20}, {"external_damping", 0.2}, {"internal_damping", 0.1}});
  GivenStructure s;
  s.m = made.mass;
  s.k = made.stiffness;
  s.c = made.damping;
  s.share.reset();
  s.shapes = made.vectors.at("middle_v");
  s.factors = {[](double) { return 1.0; }};
  s.u0 = Vec::Zero(s.m.rows());
  s.v0 = made.vectors.at("middle_w");
  return s;
}

// A shaft with gyroscopic damping and a stiffness matrix that is not symmetric.
TEST(KrylovMotions, AreThoseOfTheWholeMatrix) {
  const GivenStructure s = turning_shaft();
  const Vec exact = exact_coupled(s, 1);
  const Index n = s.m.rows();
  double least = HUGE_VAL;
  for (const double tolerance : {1e-3, 1e-5, 1e-8}) {
    KrylovMotion motion(s);
    Vec u = s.u0, v = s.v0;
    for (double t = 0, longest = 1; t < 1 - 1e-12;) {
      double h = std::min(longest, 1 - t);
      const auto outcome = motion.advance(t, h, tolerance, u, v);
      ASSERT_NE(outcome, KrylovMotion::Outcome::singular);
      if (outcome == KrylovMotion::Outcome::too_long)
        longest = h / 2;
      else
        t += h;
    }
    const double error = size_of(u - exact.head(n)) / size_of(exact.head(n));
    EXPECT_LT(error, 100 * tolerance);
    least = std::min(least, error);
  }
  EXPECT_LT(least, 1e-7);
}

// For arguments up to 1e3 their rounding exceeds the tolerance. The series must end nevertheless.
TEST(ChebyshevSeriesOf, FastOscillationsEndAtRounding) {
  const FunctionFamily family{[](double x) { return std::cos(x); }, [](double x) { return x * std::sin(x); }};
  for (const double largest : {10.0, 98.0, 1000.0}) {
    const Mat c = chebyshev_series(family, largest, 1e-14).c;
    EXPECT_LT(static_cast<double>(c.rows()), 0.5 * largest + 12 * std::cbrt(largest) + 20);
    for (const double angle : {0.1, 1.3, 2.9})
      for (Index f = 0; f < 2; ++f) {
        double sum = 0;
        for (Index k = 0; k < c.rows(); ++k) sum += c(k, f) * std::cos(static_cast<double>(k) * angle);
        const double exact = family[static_cast<std::size_t>(f)](largest * std::cos(angle / 2));
        EXPECT_NEAR(sum, exact, 1e-14 * largest * (f == 0 ? 1 : largest) + 1e-12);
      }
  }
}

// Rounding in a polynomial must not be mistaken for a factor that changes fast. This once made the pieces shorter and
// shorter.
TEST(LoadPolynomials, SmoothFactorsNeedNoShortPieces) {
  GivenStructure s = turning_shaft();
  const std::function<double(double)> smooth[] = {[](double t) { return std::sin(3 * t); }, [](double t) { return t; },
                                                  [](double t) { return 1 - std::cos(t); }};
  for (const auto& factor : smooth) {
    s.factors = {factor};
    LoadPolynomial loads(s);
    constexpr double h = 1.0 / 75;
    loads.fit(0, h);  // where 1 - cos(t) is little more than rounding
    for (int k = 1; k < 300; ++k) {
      EXPECT_EQ(loads.fit(h * k, h), h) << k;
      EXPECT_NEAR(loads.at(0, 0, 0.4 * h), factor(h * (k + 0.4)), 1e-12);
    }
  }
}

// The structure is at rest, and its load begins at zero.
TEST(KrylovSteps, AreAsLongAsRowsAreApart) {
  GivenStructure s = turning_shaft();
  s.factors = {[](double t) { return std::sin(3 * t); }};
  s.v0.setZero();
  RunPlan plan;
  plan.method = "krylov";
  plan.to = 2;
  const Solution krylov = prepare(plan, std::make_unique<GivenStructure>(s)).run();
  ASSERT_TRUE(krylov.ok()) << krylov.outcome.message;
  EXPECT_LT(krylov.outcome.counters.steps, 300);
  plan.method = "radau";
  plan.rtol = 1e-9;
  const Solution radau = prepare(plan, std::make_unique<GivenStructure>(s)).run();
  ASSERT_TRUE(radau.ok()) << radau.outcome.message;
  const Index n = s.m.rows();
  const Vec right = radau.y().col(radau.rows() - 1).head(n);
  EXPECT_LT(size_of(krylov.y().col(krylov.rows() - 1).head(n) - right), 1e-5 * size_of(right));
}

TEST(SecondOrderReductions, FollowATurningShaft) {
  const GivenStructure s = turning_shaft();
  const ReformulationEntry entry = soar_entry();
  const auto form = entry.make(s, {});
  form->expect({1e-6, 0, 1, {"u5"}});
  State in;
  Notes notes;
  form->enter(s.initial_state(), in, notes);
  EXPECT_LT(in.layout.nq, s.m.rows());
  const auto stepper = entry.methods().method("oscillators").make(form->inner(), {});
  const ErrorScale scale{.rtol = 1e-6, .atol = Vec::Constant(in.y.size(), 1e-9)};
  const Vec weights = Vec::Ones(in.y.size());
  Counters work;
  stepper->start(in, scale);
  while (in.t < 1 - 1e-12)
    ASSERT_EQ(stepper->step(in, {1 - in.t, scale, weights, HUGE_VAL, false, false, notes, work, {}}).status,
              StepStatus::ok);
  State out = s.initial_state();
  form->leave(in, out);
  const Vec exact = exact_coupled(s, 1);
  EXPECT_LT(std::abs(out.q()[4] - exact[4]), 1e-5 * size_of(exact.head(s.m.rows())));
}

TEST(DampedVerlet, HasOrderTwoOnDampedStructures) {
  const GivenStructure s = loaded_membrane(7, {0.5, 2e-2});
  const State exact = exact_motion(s, 1);
  std::vector<double> errors;
  for (const int count : {40, 80, 160}) {
    const Vec end = test::at_end(s, "damped_verlet", {}, 1, count);
    errors.push_back(size_of(end.head(s.m.rows()) - exact.q()));
  }
  EXPECT_NEAR(std::log2(errors[1] / errors[2]), 2, 0.15);
  EXPECT_GT(std::log2(errors[0] / errors[1]), 1.7);
}

// A string with the equation u'' = -A u - 20 u^3 for each of its unknowns.
class CubicString final : public MechanicalProblem {
 public:
  std::string name() const override { return "cubic string"; }
  std::unique_ptr<Problem> clone() const override { return std::make_unique<CubicString>(); }
  Layout layout() const override { return {size, size, 0, 0}; }
  std::vector<Quantity> components() const override { return std::vector<Quantity>(2 * size, {"u", ""}); }
  State initial_state() const override {
    State s(layout());
    for (Index i = 0; i < size; ++i) s.q()[i] = std::sin(0.2 * static_cast<double>(i + 1));
    return s;
  }
  std::vector<GroupInfo> groups() const override { return {{"linear", true}, {"cubic", false}}; }
  void force(Groups groups, double, In q, In, Out f) const override {
    f.setZero();
    for (Index i = 0; i < size; ++i) {
      const double left = i > 0 ? q[i - 1] : 0, right = i + 1 < size ? q[i + 1] : 0;
      if (groups & 1) f[i] += stiffness * (left - 2 * q[i] + right);
      if (groups & 2) f[i] -= 20 * q[i] * q[i] * q[i];
    }
  }
  bool force_jacobian(Groups groups, double, In q, In, MatrixSlot& dq, MatrixSlot&) const override {
    dq.set_zero();
    for (Index i = 0; i < size; ++i) {
      if (groups & 1) {
        dq.add(i, i, -2 * stiffness);
        if (i > 0) dq.add(i, i - 1, stiffness);
        if (i + 1 < size) dq.add(i, i + 1, stiffness);
      }
      if (groups & 2) dq.add(i, i, -60 * q[i] * q[i]);
    }
    return true;
  }
  bool linear_force(Groups groups) const override { return (groups & 2) == 0; }

 private:
  static constexpr Index size = 15;
  static constexpr double stiffness = 2000;  // gives frequencies up to 89
};

Vec end_of_string(const std::string& method, const OptionSet& options, int count) {
  return test::at_end(CubicString(), method, options, 2, count).head(15);
}

// The longest steps are 3 divided by the fastest frequency.
TEST(TrigonometricSteps, HaveOrderTwoWithEveryFilter) {
  const Vec exact = end_of_string("composition8", {}, 2000);
  for (const char* filter : {"impulse", "gautschi", "hochbruck_lubich", "mollified", "smoothest"}) {
    const auto error = [&](int count) {
      return size_of(end_of_string("trigonometric", {{"filter", filter}}, count) - exact);
    };
    const double coarse = error(60), fine = error(120);
    EXPECT_NEAR(std::log2(coarse / fine), 2, 0.5) << filter;
    EXPECT_LT(fine, 0.1) << filter;
  }
}

TEST(TrigonometricSteps, RefuseWhatDependsOnVelocities) {
  const GivenStructure s = loaded_membrane(3, {0.1, 0});
  EXPECT_THAT(test::refusal([&] { Catalogue::all().method("trigonometric").make(s, {}); }), tells({"", "velocity"}));
}

TEST(ModesOfNonlinearSystems, AllGiveTheWholeMotionAndFewANearOne) {
  const CubicString string;
  const Vec exact = end_of_string("composition8", {}, 2000);
  const auto error = [&](Index count) {
    ModalMechanics modes(string);
    modes.take_modes(string.initial_state(), count);
    EXPECT_EQ(modes.layout().nq, std::min<Index>(count, 15));
    test::Walk walk(modes, "composition8");
    EXPECT_TRUE(walk.walk(2.0 / 2000, 2000).allFinite());
    State whole = string.initial_state();
    modes.from_modes(walk.s, whole);
    return size_of(whole.q() - exact);
  };
  EXPECT_LT(error(15), 1e-9);
  const double six = error(6), ten = error(10);
  EXPECT_LT(six, 0.05);
  EXPECT_LT(ten, 0.5 * six);
}

// A free beam that moves and turns as a whole, with equal loads at both ends and another load in the middle.
GivenStructure free_beam(double middle_load) {
  const HermiteLine line = hermite_line(8, 1, {});
  GivenStructure s;
  s.m = line.values;
  s.k = line.curvatures;
  const Index n = s.m.rows();
  s.c = SpMat(n, n);
  s.shapes = Mat::Zero(n, 1);
  s.shapes(0, 0) = s.shapes(n - 2, 0) = 1;
  s.shapes(8, 0) = middle_load;
  s.factors = {[](double t) { return 1 - std::cos(t); }};
  s.u0 = s.v0 = Vec::Zero(n);
  for (Index i = 0; i < n; i += 2) {
    s.v0[i] = 0.7 + 0.2 * static_cast<double>(i) / 16;
    s.v0[i + 1] = 1.6 * 0.2 / 1.6;  // the slope that belongs to the rotation
  }
  return s;
}

TEST(FreeBodies, AreReducedWhereLoadsBalance) {
  const GivenStructure s = free_beam(-2);
  const Vec tip = Vec::Unit(18, 16);
  const Reduction reduced = reduce({s, s.initial_state(), 1, 1e-5, {{"tip", tip}}});
  EXPECT_EQ(reduced.rigid, 2);
  EXPECT_TRUE(reduced.reached && reduced.proved);
  Vec x = reduced.x0, v = reduced.v0;
  ModalMotion(reduced.system, s).advance(0, 1, x, v);
  const double exact = exact_motion(s, 1).q()[16];
  EXPECT_NEAR(tip.dot(reduced.shapes * x), exact, reduced.outputs[0].bound + 1e-9);
  EXPECT_GT(std::abs(exact), 0.5) << "it flies away";
}

// A free row of masses, reduced to as many vectors as it has strains. None of these may contain a motion as a whole.
TEST(FreeBodies, AreReducedToTheirStrainsAlone) {
  constexpr Index n = 30;
  GivenStructure s;
  Mat k = Mat::Zero(n, n);
  for (Index i = 0; i + 1 < n; ++i) k.block<2, 2>(i, i) += 1e4 * Mat{{1, -1}, {-1, 1}};
  s.k = k.sparseView();
  s.m = Mat(2.5 * Mat::Identity(n, n)).sparseView();
  s.c = SpMat(n, n);
  s.u0 = s.v0 = Vec::Zero(n);
  s.shapes = 100 * (Vec::Unit(n, 9) - Vec::Unit(n, 19));
  s.factors = {[](double t) { return std::sin(3 * t); }};
  const Reduction reduced = reduce({s, s.initial_state(), 5, 1e-9, {{"u20", Vec::Unit(n, 19)}}});
  EXPECT_LE(reduced.system.size(), n);
  EXPECT_LT(reduced.floor, 1e-9);
  Vec x = reduced.x0, v = reduced.v0;
  ModalMotion(reduced.system, s).advance(0, 5, x, v);
  EXPECT_NEAR((reduced.shapes * x)[19], exact_motion(s, 5).q()[19], 1e-9);
}

TEST(FreeBodies, AreRefusedWhereTheyDoNot) {
  const GivenStructure s = free_beam(-1.5);
  EXPECT_THAT(test::refusal([&] {
                reduce({s, s.initial_state(), 1, 1e-5, {}});
              }),
              tells({"", "not held", "2 motions", "load 1", "balance", "radau"}));
}

// Random velocities at the start, and Ritz vectors of which few have converged. The bound by the energy is 15 times
// the error; the statistical estimate, three and a half standard deviations, is three times the error.
TEST(RoughStarts, AreEstimatedByTheirDeviation) {
  GivenStructure s = loaded_membrane(16, {});
  s.shapes.resize(s.m.rows(), 0);
  s.factors.clear();
  s.u0.setZero();
  std::mt19937_64 random(3);
  for (double& x : s.v0) x = std::uniform_real_distribution<>(-0.05, 0.05)(random);
  const Vec centre = Vec::Unit(s.m.rows(), s.m.rows() / 2 + 8);
  const auto with = [&](StartEstimate estimate) {
    return reduce({s, s.initial_state(), 10, 1e-6, {{"centre", centre}}, 20, estimate});
  };
  const Reduction bound = with(StartEstimate::bound), estimate = with(StartEstimate::statistical);
  EXPECT_TRUE(bound.proved);
  EXPECT_FALSE(estimate.proved);
  const EigenPairs modes = symmetric_eigenpairs(Mat(s.k), Mat(s.m));
  const ModalSystem all{modes.values, Vec::Zero(modes.values.size()), {}, Mat::Zero(modes.values.size(), 0)};
  Vec x = Vec::Zero(modes.values.size()), v = modes.vectors.transpose() * (s.m * s.v0);
  Vec xr = estimate.x0, vr = estimate.v0;
  double error = 0;
  for (int i = 0; i < 500; ++i) {
    ModalMotion(all, s).advance(0, 0.02, x, v);
    ModalMotion(estimate.system, s).advance(0, 0.02, xr, vr);
    error = std::max(error, std::abs(centre.dot(modes.vectors * x) - centre.dot(estimate.shapes * xr)));
  }
  EXPECT_GT(bound.outputs[0].bound, 4 * error);
  EXPECT_GT(estimate.outputs[0].bound, error);
  EXPECT_LT(estimate.outputs[0].bound, 4 * error);
  EXPECT_LT(estimate.outputs[0].bound, 0.3 * bound.outputs[0].bound);
}
}  // namespace
}  // namespace trill
