// SPDX-License-Identifier: BSD-3-Clause
// For every shipped model: its forces are compared with its potential, its Jacobians with differences, its exact
// solution with its equation, and its invariants are tested along the flow. Then follow tests of single models.
#include "base/text.hpp"
#include "formulation/frequencies.hpp"
#include "problem/structure.hpp"
#include "support/algebra.hpp"
#include "support/mentions.hpp"
#include "support/twins/twins.hpp"
#include "trill/method/registry.hpp"
#include "trill/problem/circuit.hpp"
#include "trill/problem/langevin.hpp"
#include "trill/problem/model_registry.hpp"

#include <cmath>
#include <functional>
#include <numbers>
#include <set>

#include <gtest/gtest.h>

namespace {
using namespace trill;

std::unique_ptr<Problem> make_model(std::string_view name, const OptionSet& given = {}) {
  return ModelRegistry::all().find(name).make(given);
}

// A state near the start without any symmetry: every component is moved by a different amount.
State generic_state(const Problem& problem, double size = 0.05) {
  State s = problem.initial_state();
  s.t = 0.3;
  for (Index i = 0; i < s.y.size(); ++i) s.y[i] += size * std::sin(1.7 * static_cast<double>(i) + 0.6);
  return s;
}

// The Jacobian of f at x by central differences, extrapolated from two widths.
Mat differences(const std::function<Vec(const Vec&)>& f, const Vec& x, double width = 1e-3) {
  Mat d(f(x).size(), x.size());
  for (Index j = 0; j < x.size(); ++j) {
    const auto slope = [&](double w) {
      Vec low = x, high = x;
      low[j] -= w;
      high[j] += w;
      return Vec((f(high) - f(low)) / (high[j] - low[j]));
    };
    d.col(j) = (4 * slope(width / 2) - slope(width)) / 3;
  }
  return d;
}

Mat dense(const MatrixSlot& slot) {
  Mat m(slot.rows(), slot.cols());
  for (Index j = 0; j < m.cols(); ++j)
    for (Index i = 0; i < m.rows(); ++i) m(i, j) = slot.value(i, j);
  return m;
}

void expect_near(const Mat& a, const Mat& b, double tolerance, const std::string& what) {
  ASSERT_EQ(a.rows(), b.rows()) << what;
  ASSERT_EQ(a.cols(), b.cols()) << what;
  if (a.size() == 0) return;
  const double size = 1 + std::max(a.cwiseAbs().maxCoeff(), b.cwiseAbs().maxCoeff());
  EXPECT_LE((a - b).cwiseAbs().maxCoeff(), tolerance * size) << what << "\n" << a << "\nagainst\n" << b;
}

Vec force(const MechanicalProblem& p, Groups groups, double t, In q, In v) {
  Vec f = Vec::Constant(q.size(), 1e300);  // shows if a component was not written
  p.force(groups, t, q, v, f);
  return f;
}

Mat constraint_jacobian(const ConstraintMap& map, double t, In q) {
  MatrixSlot G = map.pattern();
  map.jacobian(t, q, G);
  return dense(G);
}

// G v + g_t, the time derivative of the constraints.
Vec constraint_rate(const ConstraintMap& map, double t, In q, In v) {
  Vec gt(map.count());
  map.time_derivative(t, q, gt);
  return constraint_jacobian(map, t, q) * v + gt;
}

Mat mass_of(const MechanicalProblem& p, In q) {
  MatrixSlot m = p.mass_pattern();
  p.mass(q, m);
  return dense(m);
}

// Solves M a + G^T lambda = f, G a + eta = 0.
Vec acceleration(const MechanicalProblem& p, const State& s) {
  const Vec q = s.q(), v = s.v(), f = force(p, all_groups, s.t, q, v);
  const ConstraintMap* map = p.constraints();
  const Index n = q.size(), m = map ? map->count() : 0;
  Mat A = Mat::Zero(n + m, n + m);
  Vec b(n + m);
  A.topLeftCorner(n, n) = mass_of(p, q);
  b.head(n) = f;
  if (map) {
    const Mat G = constraint_jacobian(*map, s.t, q);
    A.topRightCorner(n, m) = G.transpose();
    A.bottomLeftCorner(m, n) = G;
    Vec eta(m);
    map->curvature(s.t, q, v, eta);
    b.tail(m) = -eta;
  }
  return test::solved_by_rows(A, b).head(n);
}

// The energy of this model is not an invariant, because its potential depends on t.
bool is_driven(const Problem& problem) { return problem.name() == "oscillator/forced"; }

std::vector<const ConstraintMap*> maps_of(const MechanicalProblem& p) {
  std::vector<const ConstraintMap*> maps;
  if (p.constraints()) maps.push_back(p.constraints());
  if (p.strong_potential()) maps.push_back(p.strong_potential()->map);
  return maps;
}

struct Case {
  const ModelEntry* model;
  OptionSet given;
  std::string label;
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.label; }

// For the full beam, differences of forces with a stiffness of 40^4 would lose too many digits.
OptionSet shipped_or_smaller(const std::string& name) {
  return name == "elastic_beam" ? OptionSet{{"n", "7"}} : OptionSet{};
}

// Every model as shipped, and some also with other parameters that lead to another computation.
std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const ModelEntry& entry : ModelRegistry::all().entries()) {
    const std::string name = entry.name.substr(entry.name.rfind('/') + 1);
    cases.push_back({&entry, shipped_or_smaller(name), name});
  }
  const auto add = [&](const char* label, const char* name, const OptionSet& given) {
    cases.push_back({&ModelRegistry::all().find(name), given, label});
  };
  add("langevin_quartic", "langevin", {{"b", "1.5"}, {"k", "0.5"}, {"particles", "5"}});
  add("rigid_moving", "rigid", {{"theta0", "0.4"}, {"omega0", "-1.5"}});
  add("stiff_spring_moving", "stiff_spring", {{"epsilon", "0.1"}, {"x0", "-0.4"}, {"u0", "1"}, {"v0", "0.5"}});
  add("polar_moving", "stiff_spring_polar", {{"epsilon", "0.1"}, {"x0", "-0.4"}, {"u0", "1"}, {"v0", "0.5"}});
  add("two_springs_first_stiff", "two_springs", {{"omega1", "100"}, {"omega2", "2"}, {"stretch1", "20"}});
  add("two_springs_both_stiff", "two_springs", {{"omega1", "50"}, {"omega2", "50"}});
  add("fermi_pasta_ulam_sparse", "fermi_pasta_ulam", {{"m", "17"}, {"omega", "20"}});
  add("forced_resonant", "forced", {{"nu", "3"}, {"omega", "3"}, {"F", "0.7"}, {"v0", "2"}});
  add("kepler_circle", "kepler", {{"e", "0"}, {"mu", "3"}});
  add("harmonic_fast", "harmonic", {{"omega", "30"}, {"v0", "2"}});
  add("charges_near", "charges", {{"distance0", "0.8"}, {"m2", "3"}});
  add("chain_of_two", "chain", {{"n", "2"}});
  add("alkane_long", "alkane", {{"n", "9"}});
  add("satellite_low", "satellite", {{"altitude0", "1500"}, {"rho0", "1e-9"}});
  add("bushing_constrained_soft", "bushing_constrained", {{"epsilon", "0.1"}});
  add("wire_drag", "wire", {{"omega", "30"}, {"drag", "0.2"}});
  add("wire_cubic_drag", "wire", {{"omega", "30"}, {"drag", "0.2"}, {"cubic_drag", "0.4"}});
  add("varying_frequency_moving", "varying_frequency", {{"omega", "30"}, {"y0", "0.02"}, {"u0", "-0.5"}});
  add("cart_heavy", "cart", {{"omega", "30"}, {"m1", "0.6"}, {"m2", "2"}, {"stretch", "-2"}, {"u0", "0.3"}});
  add("planar_chain_uneven", "planar_chain", {{"omega", "30"}, {"second", "2.5"}, {"bend", "1.1"}});
  add("beam_short", "beam", {{"elements", "3"}, {"length", "2"}, {"mass_per_length", "5"}, {"tip_load", "-2"}});
  return cases;
}

class EveryModel : public testing::TestWithParam<Case> {
 protected:
  const ModelEntry& entry_ = *GetParam().model;
  const ModelDescription description_ = entry_.describe();
  std::unique_ptr<Problem> problem_ = entry_.make(GetParam().given);
  // The mechanical problem of the model, or a null pointer.
  const MechanicalProblem* mechanics() const {
    if (const auto* langevin = dynamic_cast<const LangevinProblem*>(problem_.get())) return &langevin->mechanics();
    return dynamic_cast<const MechanicalProblem*>(problem_.get());
  }
};

TEST_P(EveryModel, SizesAndNamesAgree) {
  const ModelInfo& info = description_.info;
  EXPECT_EQ(info.name, entry_.name);
  EXPECT_EQ(problem_->name(), info.name);
  EXPECT_FALSE(info.title.empty());
  EXPECT_FALSE(info.reference.empty());
  EXPECT_FALSE(info.equations.empty());
  EXPECT_GT(info.run.to, 0);
  if (!info.run.method.empty()) {
    EXPECT_NO_THROW(Catalogue::all().method(info.run.method).make(*problem_, {})) << info.run.method;
  }
  const State start = problem_->initial_state();
  EXPECT_EQ(start.layout, problem_->layout());
  EXPECT_EQ(start.y.size(), problem_->layout().size());
  EXPECT_TRUE(start.y.allFinite());
  const auto components = problem_->components();
  EXPECT_EQ(static_cast<Index>(components.size()), start.y.size());
  std::set<std::string> names;
  for (const Quantity& c : components) EXPECT_TRUE(names.insert(c.name).second) << "twice: " << c.name;
  const auto quantities = problem_->quantities();
  for (const Quantity& c : quantities) EXPECT_TRUE(names.insert(c.name).second) << "twice: " << c.name;
  Vec values = Vec::Constant(static_cast<Index>(quantities.size()), std::nan(""));
  problem_->measure(start, values);
  EXPECT_TRUE(values.allFinite()) << "a quantity is not measured";
}

TEST_P(EveryModel, ParametersReadBack) {
  const auto parameters = problem_->parameters();
  ASSERT_EQ(parameters.size(), description_.parameters.size());
  OptionSet given;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    EXPECT_EQ(parameters[i].name, description_.parameters[i].name);
    EXPECT_FALSE(parameters[i].what.empty());
    const auto set = GetParam().given.find(parameters[i].name);
    const std::string& text = set == GetParam().given.end() ? description_.parameters[i].value : set->second;
    EXPECT_EQ(parameters[i].value, std::stod(text)) << parameters[i].name;
    given[parameters[i].name] = format_number(parameters[i].value);
  }
  EXPECT_EQ(entry_.make(given)->initial_state().y, problem_->initial_state().y);
}

TEST_P(EveryModel, UnknownParameterIsRefused) {
  const std::string first = description_.parameters.front().name;
  try {
    entry_.make({{first + "x", "1"}});
    FAIL() << "accepted";
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), mentions(entry_.name, "parameter", "'" + first + "x'", "'" + first + "'"));
  }
}

TEST_P(EveryModel, ForceIsMinusGradientOfPotential) {
  const MechanicalProblem* p = mechanics();
  if (!p) GTEST_SKIP();
  const State s = generic_state(*problem_);
  const Vec q = s.q(), rest = Vec::Zero(q.size());
  Vec sum = Vec::Zero(q.size());
  double energies = 0;
  bool every_group_has_one = true;
  for (std::size_t i = 0; i < p->groups().size(); ++i) {
    const Groups group = Groups{1} << i;
    sum += force(*p, group, s.t, q, s.v());
    const auto potential = p->potential(group, s.t, q);
    every_group_has_one = every_group_has_one && potential.has_value();
    if (!potential) continue;
    energies += *potential;
    const Mat gradient = differences([&](const Vec& x) { return Vec::Constant(1, *p->potential(group, s.t, x)); }, q);
    expect_near(force(*p, group, s.t, q, rest), -gradient.transpose(), 1e-8, p->groups()[i].name);
  }
  expect_near(sum, force(*p, all_groups, s.t, q, s.v()), 1e-13, "sum over groups");
  const auto whole = p->potential(all_groups, s.t, q);
  ASSERT_EQ(whole.has_value(), every_group_has_one);
  EXPECT_NEAR(energies, whole.value_or(energies), 1e-12 * (1 + std::abs(energies)));
  EXPECT_EQ(fast_groups(*p) | slow_groups(*p), known_groups(*p));
  EXPECT_NE(fast_groups(*p), 0u);
}

TEST_P(EveryModel, ForceJacobianIsExact) {
  const MechanicalProblem* p = mechanics();
  if (!p) GTEST_SKIP();
  const State s = generic_state(*problem_);
  const Vec q = s.q(), v = s.v();
  std::vector<Groups> masks = {all_groups};
  for (std::size_t i = 0; i < p->groups().size(); ++i) masks.push_back(Groups{1} << i);
  for (const Groups groups : masks) {
    MatrixSlot dq = p->stiffness_pattern(), dv = p->damping_pattern();
    for (MatrixSlot* slot : {&dq, &dv}) std::fill_n(slot->values(), slot->stored(), 7.0);  // to be overwritten
    ASSERT_TRUE(p->force_jacobian(groups, s.t, q, v, dq, dv));
    const std::string what = "groups " + std::to_string(groups);
    expect_near(dense(dq), differences([&](const Vec& x) { return force(*p, groups, s.t, x, v); }, q), 1e-8, what);
    const Mat by_v = differences([&](const Vec& x) { return force(*p, groups, s.t, q, x); }, v);
    expect_near(dense(dv), by_v, 1e-8, what);
    EXPECT_EQ(p->velocity_dependent(groups), by_v.size() > 0 && by_v.cwiseAbs().maxCoeff() > 0) << what;
  }
}

TEST_P(EveryModel, MassAndItsDerivativeAgree) {
  const MechanicalProblem* p = mechanics();
  if (!p) GTEST_SKIP();
  const State s = generic_state(*problem_);
  const Vec q = s.q(), w = s.v() + Vec::Constant(s.layout.nv, 0.7);
  const Mat M = mass_of(*p, q);
  expect_near(M, M.transpose(), 1e-15, "symmetry");
  EXPECT_TRUE(test::is_positive_definite(M));
  if (p->mass_kind() == MassKind::identity) expect_near(M, Mat::Identity(q.size(), q.size()), 0, "identity");
  MatrixSlot d = MatrixSlot::dense(q.size(), q.size());
  d.add(0, 0, 3);
  p->mass_product_derivative(q, w, d);
  d.add(0, 0, -3);
  expect_near(dense(d), differences([&](const Vec& x) { return Vec(mass_of(*p, x) * w); }, q), 1e-9, "d(M w)/dq");
}

TEST_P(EveryModel, ConstraintMapsAreDifferentiatedRightly) {
  const MechanicalProblem* p = mechanics();
  if (!p || maps_of(*p).empty()) GTEST_SKIP();
  const State s = generic_state(*problem_);
  const Vec q = s.q(), v = s.v();
  for (const ConstraintMap* map : maps_of(*p)) {
    const Index m = map->count();
    const auto value = [&](const Vec& x) {
      Vec g(m);
      map->value(s.t, x, g);
      return g;
    };
    const Mat G = constraint_jacobian(*map, s.t, q);
    expect_near(G, differences(value, q), 1e-9, "G");
    Vec eta(m);
    map->curvature(s.t, q, v, eta);
    // The curvature v^T H v + 2 g_qt v + g_tt is d/dtau (G v + g_t)(t + tau, q + tau v).
    const Mat turn = differences([&](const Vec& tau) { return constraint_rate(*map, s.t + tau[0], q + tau[0] * v, v); },
                                 Vec::Zero(1));
    expect_near(eta, turn, 1e-9, "curvature");
    const Vec multiplier = Vec::LinSpaced(m, 0.4, 1.3);
    MatrixSlot d = p->stiffness_pattern();
    std::fill_n(d.values(), d.stored(), 7.0);
    map->transpose_derivative(s.t, q, multiplier, d);
    const Mat by_q =
        differences([&](const Vec& x) { return Vec(constraint_jacobian(*map, s.t, x).transpose() * multiplier); }, q);
    expect_near(dense(d), by_q, 1e-9, "d(G^T s)/dq");
  }
}

TEST_P(EveryModel, StrongPotentialIsTheFastPotential) {
  const MechanicalProblem* p = mechanics();
  if (!p || !p->strong_potential()) GTEST_SKIP();
  const State s = generic_state(*problem_);
  const StrongPotential& strong = *p->strong_potential();
  Vec g(strong.map->count());
  ASSERT_EQ(strong.stiffness.size(), g.size());
  strong.map->value(s.t, s.q(), g);
  const double energy = 0.5 * (strong.stiffness.array() * g.array().square()).sum();
  EXPECT_NEAR(energy, *p->potential(fast_groups(*p), s.t, s.q()), 1e-12 * energy);
}

TEST_P(EveryModel, StartIsConsistent) {
  const MechanicalProblem* p = mechanics();
  if (!p || !p->constraints()) GTEST_SKIP();
  const State s = problem_->initial_state();
  const ConstraintMap& map = *p->constraints();
  Vec g(map.count());
  map.value(s.t, s.q(), g);
  EXPECT_LE(g.cwiseAbs().maxCoeff(), 1e-15);
  const Mat G = constraint_jacobian(map, s.t, s.q());
  EXPECT_LE(constraint_rate(map, s.t, s.q(), s.v()).cwiseAbs().maxCoeff(), 1e-15);
  const Vec a = acceleration(*p, s);
  const Vec f = force(*p, all_groups, s.t, s.q(), s.v());
  expect_near(mass_of(*p, s.q()) * a + G.transpose() * s.lambda(), f, 1e-14, "lambda");
}

TEST_P(EveryModel, ExactSolutionSolvesTheEquation) {
  const MechanicalProblem* p = mechanics();
  State s = problem_->initial_state();
  if (!p || !problem_->exact(0, s.y)) GTEST_SKIP();
  expect_near(s.y, problem_->initial_state().y, 1e-15, "start");
  const auto exact = [&](const Vec& t) {
    Vec y(problem_->layout().size());
    problem_->exact(t[0], y);
    return y;
  };
  const double step = std::min(2e-4, 0.02 / fastest_frequency(*problem_, problem_->initial_state()));
  for (const double t : {-0.7, 0.0, 0.11, 1.9, 3.2, 47.3}) {
    const Vec slope = differences(exact, Vec::Constant(1, t), step);
    s.t = t;
    s.y = exact(Vec::Constant(1, t));
    expect_near(slope.head(s.layout.nq), s.v(), 1e-9, "q' = v");
    expect_near(slope.tail(s.layout.nv), acceleration(*p, s), 1e-9, "v' = a");
  }
}

TEST_P(EveryModel, EnergyRestsAlongTheFlow) {
  const MechanicalProblem* p = mechanics();
  const auto quantities = problem_->quantities();
  const auto measured = [&](const State& s) {
    Vec values(static_cast<Index>(quantities.size()));
    problem_->measure(s, values);
    return values;
  };
  for (std::size_t k = 0; k < quantities.size(); ++k) {
    const std::string& name = quantities[k].name;
    const bool invariant = name == "energy" || name.starts_with("momentum") || name.starts_with("angular_momentum");
    if (!invariant || !p || !p->potential(all_groups, 0, problem_->initial_state().q()) || is_driven(*problem_))
      continue;
    State s = generic_state(*problem_);
    if (p->constraints()) s = problem_->initial_state();
    s.v() += Vec::LinSpaced(s.layout.nv, 0.2, 0.4);
    if (p->constraints()) {  // velocities must satisfy the constraints
      const Mat G = constraint_jacobian(*p->constraints(), s.t, s.q());
      s.v() -= G.transpose() * test::inverse(G * G.transpose()) * G * s.v();
    }
    const Vec a = acceleration(*p, s), v = s.v();
    // The time scale follows from the largest acceleration.
    const double width = 3e-4 / std::sqrt(1 + a.cwiseAbs().maxCoeff());
    const Mat rate = differences(
        [&](const Vec& tau) {
          State moved = s;
          moved.q() += tau[0] * v;
          moved.v() += tau[0] * a;
          return measured(moved);
        },
        Vec::Zero(1), width);
    // The rate is a difference of two terms of about this size.
    const double power = std::abs(v.dot(mass_of(*p, s.q()) * a)) + v.cwiseAbs().dot(a.cwiseAbs());
    EXPECT_LE(std::abs(rate(static_cast<Index>(k), 0)), 1e-7 * (1 + power)) << name;
  }
}

TEST_P(EveryModel, CloneIsAlike) {
  const auto copy = problem_->clone();
  const State s = generic_state(*problem_);
  EXPECT_EQ(copy->initial_state().y, problem_->initial_state().y);
  EXPECT_EQ(copy->name(), problem_->name());
  Vec a(static_cast<Index>(problem_->quantities().size())), b = a;
  problem_->measure(s, a);
  copy->measure(s, b);
  EXPECT_EQ(a, b);
  const auto* p = dynamic_cast<const MechanicalProblem*>(problem_.get());
  if (!p) return;
  const auto& twin = copy->as<MechanicalProblem>("test");
  EXPECT_EQ(force(*p, all_groups, s.t, s.q(), s.v()), force(twin, all_groups, s.t, s.q(), s.v()));
  if (!p->strong_potential()) return;
  EXPECT_NE(p->strong_potential()->map, twin.strong_potential()->map) << "the clone looks into the original";
}

INSTANTIATE_TEST_SUITE_P(Models, EveryModel, testing::ValuesIn(all_cases()),
                         [](const testing::TestParamInfo<Case>& info) { return info.param.label; });

void expect_refused(std::string_view model, const OptionSet& given, const std::vector<std::string>& names) {
  try {
    make_model(model, given);
    FAIL() << model << " accepted what it should refuse";
  } catch (const UsageError& error) {
    for (const std::string& name : names) EXPECT_THAT(error.what(), mentions(name));
  }
}

double value_of(const Problem& problem, const State& s, std::string_view name) {
  const auto quantities = problem.quantities();
  Vec values(static_cast<Index>(quantities.size()));
  problem.measure(s, values);
  for (std::size_t i = 0; i < quantities.size(); ++i)
    if (quantities[i].name == name) return values[static_cast<Index>(i)];
  ADD_FAILURE() << "no quantity " << name;
  return std::nan("");
}

TEST(KeplerModel, ExactSolutionConservesEnergyAtEveryEccentricity) {
  for (const char* e : {"0", "0.3", "0.6", "0.9", "0.99"}) {
    const auto kepler = test::twins().find("kepler").make({{"e", e}});
    State s = kepler->initial_state();
    for (int i = 0; i < 400; ++i) {
      s.t = -3 + 0.173 * i;
      kepler->exact(s.t, s.y);
      const double kinetic = 0.5 * s.v().squaredNorm();
      EXPECT_NEAR(value_of(*kepler, s, "energy"), -0.5, 1e-14 * (1 + kinetic)) << e << " at t = " << s.t;
    }
    const Vec start = kepler->initial_state().y;
    kepler->exact(200 * std::numbers::pi, s.y);  // after a hundred revolutions
    EXPECT_LE((s.y - start).cwiseAbs().maxCoeff(), 1e-12 * std::pow(start.cwiseAbs().maxCoeff(), 4)) << e;
  }
}

TEST(KeplerModel, RefusesUnboundOrbits) { expect_refused("kepler", {{"e", "1"}}, {"'e' = 1", "range"}); }

TEST(StiffSpringModel, StartsAsInThePaper) {
  const auto p = make_model("stiff_spring");
  EXPECT_EQ(p->initial_state().y, (Vec{{0.9, 0.1, 0, 0}}));
  // x'' = -x lambda, y'' = -y lambda + 1 with epsilon^2 lambda = (r - 1)/r and epsilon^2 = 1e-3.
  const double r = std::hypot(0.9, 0.1), lambda = 1e3 * (r - 1) / r;
  const Vec f = force(p->as<MechanicalProblem>("test"), all_groups, 0, Vec{{0.9, 0.1}}, Vec::Zero(2));
  EXPECT_NEAR(f[0], -0.9 * lambda, 1e-11);
  EXPECT_NEAR(f[1], -0.1 * lambda + 1, 1e-11);
}

TEST(StiffSpringModel, RefusesMisuse) {
  expect_refused("stiff_spring", {{"epsilon", "-0.1"}}, {"pendulum/stiff_spring", "'epsilon' = -0.1", "> 0"});
  expect_refused("stiff_spring", {{"epsilom", "0.1"}}, {"'epsilom'", "'epsilon'"});
  expect_refused("stiff_spring", {{"x0", "0"}, {"y0", "0"}}, {"derivative", "nan", "start"});
}

TEST(TwoSpringsModel, StartsAsInThePaper) {
  const auto p = make_model("two_springs");
  const State s = p->initial_state();
  EXPECT_EQ(s.y, (Vec{{1, 0, 2 + 1.0 / 500, 0, 0.5, -0.5, -0.5, 0.5}}));
  EXPECT_NEAR(0.5 * s.v().squaredNorm(), 0.5, 1e-15);  // SAT09 sec. 4: kinetic and potential energy are both 1/2
  EXPECT_NEAR(value_of(*p, s, "energy"), 1, 1e-12);
}

TEST(TwoSpringsModel, TheStifferSpringIsFast) {
  const auto second =
      make_model("two_springs", {{"omega1", "500"}, {"omega2", "1"}, {"stretch1", "20"}, {"stretch2", "0"}});
  const auto& p = second->as<MechanicalProblem>("test");  // SAT09 sec. 4 case (ii)
  EXPECT_EQ(p.initial_state().y[0], 1 + 20.0 / 500);
  const State s = generic_state(p);
  EXPECT_NEAR(*p.potential(fast_groups(p), 0, s.q()), 125000 * std::pow(std::hypot(s.y[0], s.y[1]) - 1, 2), 1e-9);
  EXPECT_EQ(p.strong_potential()->stiffness, Vec::Constant(1, 250000));
  const auto third = make_model("two_springs", {{"omega1", "500"}});
  const auto& both = third->as<MechanicalProblem>("test");
  EXPECT_EQ(*both.potential(fast_groups(both), 0, s.q()), *both.potential(all_groups, 0, s.q()));
  EXPECT_EQ(both.strong_potential()->map->count(), 2);
}

TEST(StiffSpringPolarModel, MovesAsTheCartesianOne) {
  const OptionSet given = {{"epsilon", "0.05"}, {"x0", "-0.8"}, {"y0", "0.5"}, {"u0", "0.3"}, {"v0", "-0.7"}};
  const auto polar = make_model("stiff_spring_polar", given), cartesian = make_model("stiff_spring", given);
  const State s = polar->initial_state(), expected = cartesian->initial_state();
  const double r = s.y[0], c = std::cos(s.y[1]), d = std::sin(s.y[1]), z = s.y[2], omega = s.y[3];
  const Mat turn{{c, -d}, {d, c}};  // from radial and tangential to Cartesian components
  expect_near(turn * Vec{{r, 0}}, expected.q(), 1e-15, "position");
  expect_near(turn * Vec{{z, r * omega}}, expected.v(), 1e-15, "velocity");
  const Vec a = acceleration(polar->as<MechanicalProblem>("test"), s);
  const Vec b = acceleration(cartesian->as<MechanicalProblem>("test"), expected);
  expect_near(turn * Vec{{a[0] - r * omega * omega, r * a[1] + 2 * z * omega}}, b, 1e-14, "acceleration");
  EXPECT_NEAR(value_of(*polar, s, "energy"), value_of(*cartesian, expected, "energy"), 1e-12);
  EXPECT_NEAR(value_of(*polar, s, "x"), -0.8, 1e-15);
  EXPECT_NEAR(value_of(*polar, s, "y"), 0.5, 1e-15);
}

// The classical Runge-Kutta method with small steps, as a replacement for the methods of the library.
State run(const Problem& problem, double to, int steps) {
  const auto& p = problem.as<MechanicalProblem>("test");
  State s = problem.initial_state();
  const double h = (to - s.t) / steps;
  const auto slope = [&](const Vec& y) {
    State at = s;
    at.y = y;
    Vec d(y.size());
    d << at.v(), acceleration(p, at);
    return d;
  };
  for (int i = 0; i < steps; ++i) {
    const Vec k1 = slope(s.y), k2 = slope(s.y + h / 2 * k1), k3 = slope(s.y + h / 2 * k2), k4 = slope(s.y + h * k3);
    s.y += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
    s.t += h;
  }
  return s;
}

TEST(StiffSpringModel, ReachesTheReferenceEndInBothCoordinates) {
  // x and y at t = 10 come from a run with the tolerance 1e-13.
  const State cartesian = run(*make_model("stiff_spring"), 10, 40000);
  EXPECT_NEAR(cartesian.y[0], -0.97779976, 1e-6);
  EXPECT_NEAR(cartesian.y[1], 0.44897465, 1e-6);
  const auto problem = make_model("stiff_spring_polar");
  const State polar = run(*problem, 10, 40000);
  EXPECT_NEAR(value_of(*problem, polar, "x"), -0.97779976, 1e-6);
  EXPECT_NEAR(value_of(*problem, polar, "y"), 0.44897465, 1e-6);
}

TEST(RigidModel, StartCarriesTheTension) {
  const State s = make_model("rigid", {{"theta0", "0.4"}, {"omega0", "-1.5"}})->initial_state();
  EXPECT_NEAR(s.lambda()[0], std::sin(0.4) + 2.25, 1e-15);
}

TEST(ForcedModel, ExactSolutionHoldsAtAndNearResonance) {
  for (const char* nu : {"0", "1", "9.9999999", "10", "10.001", "25"}) {
    const auto p = make_model("forced", {{"nu", nu}, {"q0", "0.3"}, {"v0", "-2"}});
    State s = p->initial_state();
    for (const double t : {0.0, 0.4, 7.7}) {
      const Mat slope = differences(
          [&](const Vec& at) {
            Vec y(2);
            p->exact(at[0], y);
            return y;
          },
          Vec::Constant(1, t));
      s.t = t;
      p->exact(t, s.y);
      EXPECT_NEAR(slope(0, 0), s.y[1], 1e-8) << nu;
      EXPECT_NEAR(slope(1, 0), acceleration(p->as<MechanicalProblem>("test"), s)[0], 1e-7) << nu;
    }
  }
}

TEST(FermiPastaUlamModel, StartsAsInTheBook) {
  const auto p = make_model("fermi_pasta_ulam");
  const State s = p->initial_state();
  EXPECT_NEAR(value_of(*p, s, "oscillatory_energy_1"), 1, 1e-14);  // (1 + omega^2/omega^2)/2
  EXPECT_EQ(value_of(*p, s, "oscillatory_energy_2"), 0);
  EXPECT_NEAR((s.y[0] + s.y[1]) / std::sqrt(2.0), 1, 1e-15);
  EXPECT_NEAR((s.y[6] + s.y[7]) / std::sqrt(2.0), 1, 1e-15);
  EXPECT_EQ(p->quantities().size(), 5u);
  const auto one = make_model("fermi_pasta_ulam", {{"m", "1"}});
  EXPECT_EQ(value_of(*one, generic_state(*one), "oscillatory_energy_2"), 0);
}

TEST(FermiPastaUlamModel, LongChainsAreSparseAndRight) {
  for (const char* m : {"1", "16", "17", "40"}) {
    const auto problem = make_model("fermi_pasta_ulam", {{"m", m}});
    const auto& p = problem->as<MechanicalProblem>("test");
    const State s = generic_state(p, 0.4);
    MatrixSlot dq = p.stiffness_pattern(), dv = p.damping_pattern();
    const Index n = s.layout.nq;
    EXPECT_EQ(dq.is_sparse(), n > 32);
    EXPECT_EQ(dq.stored(), n > 32 ? 3 * n - 2 : n * n);
    ASSERT_TRUE(p.force_jacobian(all_groups, 0, s.q(), s.v(), dq, dv));
    const Mat by_q = differences([&](const Vec& x) { return force(p, all_groups, 0, x, s.v()); }, s.q());
    expect_near(dense(dq), by_q, 1e-9, m);
    const Mat gradient =
        differences([&](const Vec& x) { return Vec::Constant(1, *p.potential(all_groups, 0, x)); }, s.q());
    expect_near(force(p, all_groups, 0, s.q(), s.v()), -gradient.transpose(), 1e-9, m);
    EXPECT_EQ(p.strong_potential()->map->pattern().is_sparse(), s.layout.nq > 32);
    expect_near(
        constraint_jacobian(*p.strong_potential()->map, 0, s.q()) * s.q(),
        [&] {
          Vec g(s.layout.nq / 2);
          p.strong_potential()->map->value(0, s.q(), g);
          return g;
        }(),
        1e-15, m);
  }
}

TEST(BeamModel, FrequenciesAreThoseOfTheCantilever) {
  const auto problem = make_model("beam");
  const auto& p = problem->as<LinearStructure>("test");
  const test::Pairs modes = test::symmetric_pairs(Mat(p.stiffness_matrix()), Mat(p.mass_matrix()));
  const Vec omega = modes.values.cwiseSqrt();
  EXPECT_NEAR(omega[0], 3.5160155, 1e-5);
  // The frequencies are beta_i^2 with cos(beta) cosh(beta) = -1. Those of Hermite elements are slightly larger.
  EXPECT_NEAR(omega[1], 22.0344916, 1e-3);
  EXPECT_NEAR(omega[2], 61.6972144, 1e-2);
  EXPECT_GT(omega[0], 3.51601526);
}

TEST(BeamModel, ScalesWithItsData) {
  const auto problem = make_model(
      "beam", {{"length", "2"}, {"bending_stiffness", "3"}, {"mass_per_length", "5"}, {"damping_ratio", "0.02"}});
  const auto& p = problem->as<LinearStructure>("test");
  const test::Pairs modes = test::symmetric_pairs(Mat(p.stiffness_matrix()), Mat(p.mass_matrix()));
  const double omega = std::sqrt(modes.values[0]);
  EXPECT_NEAR(omega, 3.5160153 * std::sqrt(3.0 / 5) / 4, 1e-6);
  const Vec phi = modes.vectors.col(0);  // phi^T M phi = 1
  EXPECT_NEAR(phi.dot(p.damping_matrix() * phi), 2 * 0.02 * omega, 1e-6);
  EXPECT_FALSE(p.potential(all_groups, 0, Vec::Zero(40)).has_value());
  EXPECT_EQ(problem->parameters()[1].unit, "m");
  // The static deflection of the tip is F L^3/(3 EI).
  Vec f(40);
  p.load(0, f);
  EXPECT_NEAR(test::solved(Mat(p.stiffness_matrix()), f)[38], 8.0 / 9, 1e-9);
  // The energy changes at the rate -v^T C v.
  State s = generic_state(p);
  const Vec v = s.v(), a = acceleration(p, s);
  const double width = 1e-9, loss = v.dot(p.damping_matrix() * v);
  State low = s, high = s;
  low.y << s.q() - width * v, s.v() - width * a;
  high.y << s.q() + width * v, s.v() + width * a;
  EXPECT_NEAR((value_of(p, high, "energy") - value_of(p, low, "energy")) / (2 * width), -loss, 1e-4 * loss);
}

TEST(LangevinModel, HasItsBath) {
  const auto problem = make_model("langevin", {{"gamma", "0.3"}, {"kT", "2"}, {"particles", "5"}, {"b", "1.5"}});
  const auto& p = problem->as<LangevinProblem>("test");
  EXPECT_EQ(p.gamma(), 0.3);
  EXPECT_EQ(p.kT(), 2);
  EXPECT_EQ(p.layout(), p.mechanics().layout());
  State s = p.initial_state();
  s.v() << 1, 2, 3, 4, 5;
  EXPECT_EQ(value_of(p, s, "kinetic_temperature"), 11);
  s.q() << 2, 0, 0, 0, 0;
  EXPECT_EQ(value_of(p, s, "potential_energy"), 0.5 * 4 + 0.25 * 1.5 * 16);
  expect_near(force(p.mechanics(), all_groups, 0, s.q(), s.v()), Vec{{-2 - 1.5 * 8, 0, 0, 0, 0}}, 0, "force");
  expect_refused("langevin", {{"gamma", "-1"}}, {"'gamma' = -1", "range"});
}

TEST(RectifierModel, JacobiansAreExact) {
  const auto problem = make_model("rectifier");
  const auto& p = problem->as<CircuitProblem>("test");
  Vec x{{7.1, 6.9, 6.4, 2.2, -0.3}};
  for (const double diode : {0.62, 0.0, -3.0, 4.0}) {  // conducting, at rest, blocking, too large for exp
    x[1] = x[2] + diode;
    MatrixSlot dcharge = p.jacobian_pattern(), dcurrent = p.jacobian_pattern();
    for (MatrixSlot* slot : {&dcharge, &dcurrent}) std::fill_n(slot->values(), slot->stored(), 7.0);
    p.jacobians(0.002, x, dcharge, dcurrent);
    const auto charge = [&](const Vec& at) {
      Vec q(5);
      p.charge(at, q);
      return q;
    };
    const auto current = [&](const Vec& at) {
      Vec i(5);
      p.current(0.002, at, i);
      return i;
    };
    expect_near(dense(dcharge), differences(charge, x), 1e-10, "charge");
    expect_near(dense(dcurrent), differences(current, x), 1e-7, "current at " + std::to_string(diode));
  }
  Vec i(5);
  p.current(0, Vec{{0, 1e6, 0, 0, 0}}, i);
  EXPECT_TRUE(i.allFinite());
}

TEST(RectifierModel, StartIsConsistent) {
  for (const char* vb : {"0", "5", "-3"}) {
    const auto problem = make_model("rectifier", {{"vb0", vb}, {"vc0", "1"}});
    const auto& p = problem->as<CircuitProblem>("test");
    const State s = p.initial_state();
    Vec i(5);
    p.current(0, s.y, i);
    EXPECT_NEAR(i[0], 0, 1e-12) << vb;
    EXPECT_NEAR(i[1], 0, 1e-12) << vb;
    EXPECT_NEAR(i[4], 0, 1e-12) << vb;
    EXPECT_EQ(value_of(p, s, "output_voltage"), 1);
  }
  EXPECT_NEAR(*make_model("rectifier")->as<CircuitProblem>("test").clock_period(), 0.02, 1e-17);
}

TEST(RectifierModel, LimitsTheJunctionOnItsWayUp) {
  const auto problem = make_model("rectifier", {{"saturation_current", "1e-9"}, {"thermal_voltage", "0.025"}});
  const auto& p = problem->as<CircuitProblem>("test");
  const auto limited = [&](double from, double to) {
    const Vec old{{0, 3 + from, 3, 1, 0}};
    Vec x{{0.5, 2 + to, 2, 1, 0.25}};
    p.limit(old, x);
    EXPECT_EQ(x[0], 0.5);
    EXPECT_EQ(x[2], 2);
    EXPECT_EQ(x[4], 0.25);
    return x[1] - x[2];
  };
  Vec free{{0.1, 0.3, 1.7, 0, 0}};
  const Vec asked = free;
  p.limit(Vec::Zero(5), free);
  EXPECT_EQ(free, asked);                        // unchanged to the last bit
  EXPECT_NEAR(limited(0.6, 0.64), 0.64, 1e-15);  // a small step is not limited
  EXPECT_NEAR(limited(0.6, -8), -8, 1e-15);      // nor is a step down
  // A large step up grows only logarithmically.
  EXPECT_NEAR(limited(0.6, 5), 0.6 + 0.025 * std::log(1 + 4.4 / 0.025), 1e-14);
  EXPECT_NEAR(limited(-2, 5), 0.025 * std::log(5 / 0.025), 1e-14);  // likewise from the blocking state
}

// Implicit Euler with junction limiting. After some cycles the output is near the value of a peak detector with this
// load.
TEST(RectifierModel, ChargesTheFilter) {
  const auto problem = make_model("rectifier", {{"C2", "1e-4"}});
  const auto& p = problem->as<CircuitProblem>("test");
  State s = p.initial_state();
  const double h = 1e-4;
  MatrixSlot dcharge = p.jacobian_pattern(), dcurrent = p.jacobian_pattern();
  Vec q0(5), q1(5), i(5), x = s.y;
  int most = 0;
  for (int n = 0; n < 3000; ++n) {
    p.charge(s.y, q0);
    s.t += h;
    for (int iteration = 1;; ++iteration) {
      ASSERT_LT(iteration, 50) << "no convergence at t = " << s.t;
      p.charge(x, q1);
      p.current(s.t, x, i);
      p.jacobians(s.t, x, dcharge, dcurrent);
      const Mat J = dcharge.as_dense() / h + dcurrent.as_dense();
      Vec next = x - test::solved_by_rows(J, (q1 - q0) / h + i);
      p.limit(x, next);
      const double change = (next - x).cwiseAbs().maxCoeff();
      x = next;
      most = std::max(most, iteration);
      if (change < 1e-9) break;
    }
    s.y = x;
  }
  EXPECT_LE(most, 25);
  EXPECT_GT(s.y[3], 9.0);  // 12 V minus the diode, the ripple and 100 of 1100 Ohm
  EXPECT_LT(s.y[3], 10.5);
}
}  // namespace
