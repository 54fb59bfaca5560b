// SPDX-License-Identifier: BSD-3-Clause
// Kinetic energies of text models, and the derivatives of forces, masses and constraints along a motion.
#include "support/algebra.hpp"
#include "support/mentions.hpp"
#include "support/text_models.hpp"

namespace trill::testing_models {
namespace {
using testing::HasSubstr;

Mat mass_of(const MechanicalProblem& p, In q) {
  MatrixSlot m = p.mass_pattern();
  p.mass(q, m);
  return dense(m);
}

// The matrix d(M w)/dq.
Mat mass_product_of(const MechanicalProblem& p, In q, In w) {
  MatrixSlot d = MatrixSlot::dense(q.size(), q.size());
  p.mass_product_derivative(q, w, d);
  return dense(d);
}

TEST(TextKinetic, ThePolarPendulumEqualsItsTwin) {
  const TextModel model = read_model("m.toml", R"toml(
parameters.epsilon = 0.05
[coordinates]
r = 1.02
theta = { start = 0.3, velocity = 0.5 }
[[kinetic]]
energy = "(vr^2 + r^2*vtheta^2)/2"
[[stiff]]
gap = "r - 1"
stiffness = "1/epsilon^2"
[[potential]]
energy = "-r*sin(theta)"
)toml");
  const auto twin = ModelRegistry::all().find("stiff_spring_polar").make({{"epsilon", "0.05"}});
  const MechanicalProblem &a = mechanics(model), &b = mechanics(*twin);
  EXPECT_EQ(a.mass_kind(), MassKind::of_q);
  ASSERT_EQ(a.groups().size(), 3u);
  EXPECT_EQ(a.groups()[2].name, "inertia");
  EXPECT_FALSE(a.groups()[2].fast);
  for (double shift : {0.0, 0.1, 0.4}) {
    const Vec q{{1.1 + shift, 0.3 - shift}}, v{{0.4, -1.2 + shift}}, w{{-0.3, 2}};
    for (Groups groups = 0; groups < 8; ++groups) {
      expect_equal(force_of(a, 0, q, v, groups), force_of(b, 0, q, v, groups), "force");
      const Jacobians x = jacobians_of(a, 0, q, v, groups), y = jacobians_of(b, 0, q, v, groups);
      expect_equal(dense(x.by_position), dense(y.by_position), "df/dq");
      expect_equal(dense(x.by_velocity), dense(y.by_velocity), "df/dv");
      ASSERT_TRUE(a.potential(groups, 0, q));
      EXPECT_NEAR(*a.potential(groups, 0, q), *b.potential(groups, 0, q), 1e-13);
      EXPECT_EQ(a.velocity_dependent(groups), b.velocity_dependent(groups));
    }
    expect_equal(mass_of(a, q), mass_of(b, q), "mass");
    expect_equal(mass_product_of(a, q, w), mass_product_of(b, q, w), "mass product");
    State s = a.initial_state();
    s.q() = q;
    s.v() = v;
    Vec x(1), y(3);
    a.measure(s, x);
    b.measure(s, y);
    EXPECT_NEAR(x[0], y[0], 1e-12);
  }
}

const char* const double_pendulum = R"toml(
[parameters]
m1 = 2
m2 = 3
l1 = 1.5
l2 = 0.7
[coordinates]
a = { start = 0.5, velocity = 0.3 }
b = { start = -0.4, velocity = 1.1 }
[[kinetic]]
energy = "(m1 + m2)/2*l1^2*va^2 + m2/2*l2^2*vb^2 + m2*l1*l2*va*vb*cos(a - b)"
[[potential]]
energy = "-(m1 + m2)*l1*cos(a) - m2*l2*cos(b)"
)toml";

TEST(TextKinetic, ADoublePendulumEqualsItsFormulas) {
  const TextModel model = read_model("m.toml", double_pendulum);
  const MechanicalProblem& p = mechanics(model);
  const double m1 = 2, m2 = 3, l1 = 1.5, l2 = 0.7, a = 0.9, b = -0.2, va = 0.6, vb = -1.3;
  const double c = m2 * l1 * l2 * std::cos(a - b), s = m2 * l1 * l2 * std::sin(a - b);
  const Vec q{{a, b}}, v{{va, vb}}, w{{0.3, -2}};
  expect_equal(mass_of(p, q), Mat{{(m1 + m2) * l1 * l1, c}, {c, m2 * l2 * l2}}, "mass");
  expect_equal(force_of(p, 0, q, v),
               Vec{{-s * vb * vb - (m1 + m2) * l1 * std::sin(a), s * va * va - m2 * l2 * std::sin(b)}}, "force");
  expect_equal(mass_product_of(p, q, w), Mat{{-s * w[1], s * w[1]}, {-s * w[0], s * w[0]}}, "mass product");
  const Mat dv = dense(jacobians_of(p, 0, q, v).by_velocity);
  expect_equal(dv, Mat{{0, -2 * s * vb}, {2 * s * va, 0}}, "df/dv");
  MatrixSlot along = p.mass_pattern();
  ASSERT_TRUE(p.mass_along(q, w, along));
  const double rate = -s * (w[0] - w[1]);
  expect_equal(dense(along), Mat{{0, rate}, {rate, 0}}, "mass along");
}

TEST(TextKinetic, ADoublePendulumMovesAsWithConstraints) {
  const TextModel angles = read_model("m.toml", double_pendulum);
  const TextModel rods = read_model("m.toml", R"toml(
[coordinates]
p = { point = 2, start = ["1.5*sin(0.5)", "-1.5*cos(0.5)"], velocity = ["1.5*0.3*cos(0.5)", "1.5*0.3*sin(0.5)"], mass = 2 }
q = { point = 2, start = ["1.5*sin(0.5) + 0.7*sin(-0.4)", "-1.5*cos(0.5) - 0.7*cos(-0.4)"], velocity = ["1.5*0.3*cos(0.5) + 0.7*1.1*cos(-0.4)", "1.5*0.3*sin(0.5) + 0.7*1.1*sin(-0.4)"], mass = 3 }
[[potential]]
energy = "2*p.y + 3*q.y"
[[constraint]]
equation = "p.x^2 + p.y^2 - 1.5^2"
[[constraint]]
equation = "(p.x - q.x)^2 + (p.y - q.y)^2 - 0.7^2"
)toml");
  const Vec a = last_of(run_of(angles.problem->clone(), plan_with("dop853", 2, 1e-10)));
  const Vec r = last_of(run_of(rods.problem->clone(), plan_with("dop853", 2, 1e-10)));
  const Vec wanted{{1.5 * std::sin(a[0]), -1.5 * std::cos(a[0]), 1.5 * std::sin(a[0]) + 0.7 * std::sin(a[1]),
                    -1.5 * std::cos(a[0]) - 0.7 * std::cos(a[1])}};
  expect_equal(r.head(4), wanted, "points", 1e-7);
  for (const char* method : {"implicit_midpoint", "rk4"})
    expect_equal(last_of(run_of(angles.problem->clone(), plan_with(method, 2, 0.002))).head(2), a.head(2), method,
                 1e-3);
}

TEST(TextKinetic, ConstantMassesWithProducts) {
  const TextModel model = read_model("m.toml", R"toml(
sets.link = 2
[coordinates]
x = { start = 1, mass = 5 }
y = { over = "link", start = 1 }
z = 2
[[kinetic]]
energy = "vx^2 + vx*vy[0]/2"
[[kinetic]]
over = "link"
energy = "(1 + link)*vy[link]^2 + vy[0]*vy[1]/8"
[[potential]]
energy = "x^2 + y[0]^2 + y[1]^2 + z^2"
)toml");
  const MechanicalProblem& p = mechanics(model);
  EXPECT_EQ(p.mass_kind(), MassKind::constant);
  EXPECT_FALSE(p.velocity_dependent(all_groups));
  const Mat M{{5 + 2, 0.5, 0, 0}, {0.5, 2, 0.25, 0}, {0, 0.25, 4, 0}, {0, 0, 0, 1}};
  expect_equal(mass_of(p, p.initial_state().q()), M, "mass");
  State s = p.initial_state();
  s.v() = Vec{{1, 2, -3, 4}};
  Vec measured(1);
  p.measure(s, measured);
  EXPECT_NEAR(measured[0], 0.5 * s.v().dot(M * s.v()) + s.q().squaredNorm(), 1e-12);
  const Solution run = run_of(model.problem->clone(), plan_with("dop853", 3, 1e-10));
  State last = s;
  last.y = last_of(run);
  Vec end(1);
  p.measure(p.initial_state(), measured);
  p.measure(last, end);
  EXPECT_NEAR(end[0], measured[0], 1e-7);
}

// A motion whose positions are polynomials in time, with its derivatives.
struct PolynomialMotion {
  Vec q0, v0, a0, j0, s0;
  explicit PolynomialMotion(Index n) {
    const auto wave = [n](double phase) {
      Vec x(n);
      for (Index k = 0; k < n; ++k) x[k] = 0.8 * std::sin(1.3 * static_cast<double>(k) + phase);
      return x;
    };
    q0 = wave(0.7).array() + 1.5;
    v0 = wave(2);
    a0 = wave(3.1);
    j0 = wave(4.4);
    s0 = wave(5.2);
  }
  static constexpr double t0 = 0.4;
  Vec q(double t) const { return q0 + t * v0 + t * t / 2 * a0 + t * t * t / 6 * j0 + t * t * t * t / 24 * s0; }
  Vec v(double t) const { return v0 + t * a0 + t * t / 2 * j0 + t * t * t / 6 * s0; }
  Motion motion() const { return {t0, q0.data(), v0.data(), a0.data(), j0.data(), s0.data()}; }
};

// d^k f/dt^k at 0: the derivative of the polynomial through 13 values.
template <class Function>
Mat time_difference(int k, Function f) {
  constexpr int reach = 6, count = 2 * reach + 1;
  const double h = 0.025;
  Mat powers(count, count);
  for (int i = 0; i < count; ++i)
    for (int j = 0; j < count; ++j) powers(i, j) = std::pow(j - reach, i);
  const Vec weights = test::solved(powers, std::tgamma(k + 1) / std::pow(h, k) * Vec::Unit(count, k));
  Mat sum = weights[0] * f(-reach * h);
  for (int j = 1; j < count; ++j) sum += weights[j] * f((j - reach) * h);
  return sum;
}

// Difference quotients have errors even where the derivative is zero.
void expect_near(const Mat& a, const Mat& b, const std::string& what, double tolerance) {
  ASSERT_EQ(a.rows(), b.rows()) << what;
  ASSERT_EQ(a.cols(), b.cols()) << what;
  EXPECT_LE((a - b).cwiseAbs().maxCoeff(), tolerance * (1 + b.cwiseAbs().maxCoeff())) << what << "\n"
                                                                                      << a << "\n\n"
                                                                                      << b;
}

const char* const everything = R"toml(
parameters.c = 0.6
sets.pair = { i = [0, 1, 0, 0], j = [1, 2, 2, 0] }
sets.atom = 3
[coordinates]
y = { over = "atom", start = "1 + atom/2", velocity = 0 }
x = { start = 2, mass = 1.5 }
[[kinetic]]
over = "pair"
energy = "(1 + (y[i]*y[j])^2/9)*(vy[i]^2 + vy[j]^2) + sin(y[i])*vy[i]*vx/9"
[[potential]]
over = "pair"
energy = "exp(-(y[i] - y[j])^2)*x + cos(y[i]*x + t)"
[[force]]
over = "atom"
on = "y[atom]"
value = "-c*vy[atom]*abs(vy[atom] + 10) + sin(t*x)*y[atom]^2"
group = "drag"
)toml";

TEST(TextMotions, DerivativesOfForcesAndMasses) {
  const TextModel model = read_model("m.toml", everything);
  const MechanicalProblem& p = mechanics(model);
  const PolynomialMotion path(4);
  const double t0 = PolynomialMotion::t0;
  for (int k = 1; k <= 3; ++k) {
    for (const Groups groups : {all_groups, Groups{1}, Groups{2}, Groups{4}}) {
      Vec found(4);
      ASSERT_TRUE(p.force_derivative(groups, k, path.motion(), found));
      const auto f = [&](double t) -> Mat { return force_of(p, t0 + t, path.q(t), path.v(t), groups); };
      expect_near(found, time_difference(k, f), fmt::format("force, derivative {} of groups {}", k, groups), 1e-7);
    }
    MatrixSlot dm = p.mass_pattern();
    ASSERT_TRUE(p.mass_derivative(k, path.motion(), dm));
    expect_near(dense(dm), time_difference(k, [&](double t) { return mass_of(p, path.q(t)); }), "mass", 1e-7);
  }
  const Vec w{{0.3, -1, 2, 0.7}};
  MatrixSlot along = p.mass_pattern();
  ASSERT_TRUE(p.mass_along(path.q0, w, along));
  expect_near(dense(along), time_difference(1, [&](double t) { return mass_of(p, path.q0 + t * w); }), "along", 1e-9);
  const Mat product = mass_product_of(p, path.q0, w), df = dense(jacobians_of(p, t0, path.q0, path.v0).by_position),
            dv = dense(jacobians_of(p, t0, path.q0, path.v0).by_velocity);
  for (Index k = 0; k < 4; ++k) {
    const auto moved = [&](double t) -> Vec { return path.q0 + t * Vec::Unit(4, k); };
    expect_near(product.col(k), time_difference(1, [&](double t) -> Mat { return mass_of(p, moved(t)) * w; }),
                "d(M w)/dq", 1e-9);
    expect_near(df.col(k), time_difference(1, [&](double t) -> Mat { return force_of(p, t0, moved(t), path.v0); }),
                "df/dq", 1e-9);
    expect_near(
        dv.col(k),
        time_difference(1, [&](double t) -> Mat { return force_of(p, t0, path.q0, path.v0 + t * Vec::Unit(4, k)); }),
        "df/dv", 1e-9);
  }
  Vec found(4);
  ASSERT_TRUE(p.force_product(all_groups, t0, path.q0, path.v0, w, found));
  expect_equal(found, df * w, "df/dq w", 1e-12);
}

// With M(q) v' = f and without drag, the energy is constant only if f contains the right inertial forces.
TEST(TextMotions, ForcesOfInertiaDoNoWork) {
  const std::string text(everything);
  std::string still = text.substr(0, text.find("[[force]]"));
  while (still.find(" + t)") != std::string::npos) still.replace(still.find(" + t)"), 5, ")");
  const TextModel model = read_model("m.toml", still);
  const Solution s = run_of(model.problem->clone(), plan_with("dop853", 4, 1e-11));
  const Vec energy = s.measured().row(0).transpose();
  EXPECT_LE((energy.array() - energy[0]).abs().maxCoeff(), 1e-8 * std::abs(energy[0]));
  EXPECT_GT((s.y().row(0).array() - s.y()(0, 0)).abs().maxCoeff(), 0.1);
}

void expect_derivatives_of(const ConstraintMap& map, Index n) {
  const PolynomialMotion path(n);
  const double t0 = PolynomialMotion::t0;
  const auto value = [&](double t, const Vec& q) -> Mat {
    Vec g(map.count());
    map.value(t, q, g);
    return g;
  };
  const auto jacobian = [&](double t, const Vec& q) {
    MatrixSlot G = map.pattern();
    map.jacobian(t, q, G);
    return dense(G);
  };
  for (int k = 1; k <= 3; ++k) {
    Vec found(map.count());
    ASSERT_TRUE(map.value_derivative(k, path.motion(), found));
    expect_near(found, time_difference(k, [&](double t) { return value(t0 + t, path.q(t)); }), "g", 1e-7);
    MatrixSlot G = map.pattern();
    ASSERT_TRUE(map.jacobian_derivative(k, path.motion(), G));
    expect_near(dense(G), time_difference(k, [&](double t) { return jacobian(t0 + t, path.q(t)); }), "G", 1e-7);
  }
  Vec gt(map.count()), eta(map.count());
  map.time_derivative(t0, path.q0, gt);
  expect_near(gt, time_difference(1, [&](double t) { return value(t0 + t, path.q0); }), "g_t", 1e-9);
  map.curvature(t0, path.q0, path.v0, eta);
  expect_near(eta, time_difference(2, [&](double t) { return value(t0 + t, path.q0 + t * path.v0); }), "eta", 1e-8);
  MatrixSlot along = map.pattern();
  ASSERT_TRUE(map.jacobian_along(t0, path.q0, path.a0, along));
  expect_near(dense(along), time_difference(1, [&](double t) { return jacobian(t0, path.q0 + t * path.a0); }), "along",
              1e-9);
  const Vec s = Vec::LinSpaced(map.count(), -0.5, 2), s1 = Vec::LinSpaced(map.count(), 0.7, -1);
  Vec curvature(map.count()), covector(n), rows(map.count());
  map.slope_and_curvature(t0, path.q0, path.v0, along, curvature);
  expect_equal(dense(along), jacobian(t0, path.q0), "G with the curvature");
  expect_equal(curvature, eta, "the curvature with G");
  for (int k = 1; k <= 2; ++k) {
    ASSERT_TRUE(map.rigid_rate(k, path.motion(), s, s1, covector, rows));
    const auto reaction = [&](double t) -> Mat {
      const Vec multipliers = k == 2 ? Vec(s + t * s1) : s;
      return jacobian(t0 + t, path.q(t)).transpose() * multipliers;
    };
    expect_near(covector, time_difference(k, reaction), "rate of the reaction", 1e-7);
    const Vec highest = jacobian(t0, path.q0) * (k == 1 ? path.j0 : path.s0);
    expect_near(rows + highest, time_difference(k + 2, [&](double t) { return value(t0 + t, path.q(t)); }),
                "rate of the rows", 1e-5);
  }
  MatrixSlot d = map.pattern(), transpose = map.transpose_pattern();
  ASSERT_TRUE(map.velocity_derivative(t0, path.q0, path.v0, d));
  map.transpose_derivative(t0, path.q0, s, transpose);
  for (Index k = 0; k < n; ++k) {
    const auto moved = [&](double t) -> Vec { return path.q0 + t * Vec::Unit(n, k); };
    const auto rate = [&](double t) -> Mat {
      Vec at(map.count());
      map.time_derivative(t0, moved(t), at);
      return jacobian(t0, moved(t)) * path.v0 + at;
    };
    const Mat G = jacobian(t0, path.q0);
    expect_near(G.col(k), time_difference(1, [&](double t) { return value(t0, moved(t)); }), "G", 1e-9);
    expect_near(dense(d).col(k), time_difference(1, rate), "d(G v + g_t)/dq", 1e-8);
    expect_near(dense(transpose).col(k),
                time_difference(1, [&](double t) -> Mat { return jacobian(t0, moved(t)).transpose() * s; }),
                "d(G^T s)/dq", 1e-8);
  }
}

TEST(TextMotions, DerivativesOfMovingConstraints) {
  const TextModel model = read_model("m.toml", R"toml(
sets.atom = 4
sets.pair = { i = [0, 1, 2, 3], j = [1, 2, 3, 3] }
[coordinates]
y = { over = "atom", start = "1 + atom" }
x = 2
w = 0
[[potential]]
energy = "x^2"
[[constraint]]
over = "pair"
equation = "y[i]*y[j]*cos(t) - (1 + i)*(1 + j) + sin(t^2*x)*y[j] + (x - 2)^2*y[i]"
[[constraint]]
equation = "w - (x - 2)*exp(-t^2)"
)toml");
  ASSERT_EQ(mechanics(model).constraints()->count(), 5);
  expect_derivatives_of(*mechanics(model).constraints(), 6);
}

// With more than 32 coordinates all matrices are sparse.
TEST(TextMotions, DerivativesOfManyGaps) {
  const TextModel model = read_model("m.toml", R"toml(
sets.atom = 40
sets.pair = { size = 40, next = "if(pair == 39, 0, pair + 1)" }
coordinates.y = { over = "atom", start = "1 + atom" }
[[stiff]]
over = "pair"
gap = "sin(y[pair])*y[next] + y[pair]^2/8"
stiffness = 100
[[kinetic]]
over = "pair"
energy = "(2 + cos(y[pair]*y[next]))*vy[pair]^2"
)toml");
  const MechanicalProblem& p = mechanics(model);
  EXPECT_TRUE(p.strong_potential()->map->pattern().is_sparse());
  expect_derivatives_of(*p.strong_potential()->map, 40);
  const PolynomialMotion path(40);
  MatrixSlot dm = p.mass_pattern();
  ASSERT_TRUE(p.mass_derivative(2, path.motion(), dm));
  expect_near(dense(dm), time_difference(2, [&](double t) { return mass_of(p, path.q(t)); }), "mass", 1e-7);
  // Newton's matrices are assembled in the pattern of df/dq, so d(M w)/dq must fit into it.
  MatrixSlot product = p.stiffness_pattern();
  p.mass_product_derivative(path.q0, path.v0, product);
  expect_equal(dense(product), mass_product_of(p, path.q0, path.v0), "mass product");
}

TEST(TextKineticErrors, SayWhatIsWrong) {
  const auto kinetic = [](const char* energy) {
    return complaint(
        fmt::format("coordinates.x = 1\ncoordinates.y = 0\n[[potential]]\nenergy = \"x\"\n[[kinetic]]\n"
                    "energy = \"{}\"\n",
                    energy));
  };
  EXPECT_EQ(kinetic("(1 + x^2)*vx^2"), "no error");
  for (const char* energy : {"vx", "x^2", "vx^2 + x", "vx^4", "abs(vx)*vx", "vx^2 + vx", "1"})
    EXPECT_THAT(kinetic(energy), tells({"m.toml:6:11", "kinetic energy", "squares", "velocities"})) << energy;
  EXPECT_THAT(kinetic("vx^2*t"), tells({"m.toml:6:11", "kinetic energy", "on t"}));
  EXPECT_THAT(kinetic("-vx^2"), tells({"m.toml:6:11", "not positive", "inertia"}));
  EXPECT_THAT(kinetic("(x - 1)*vx^2"), tells({"m.toml:6:11", "not positive", "inertia"}));
  EXPECT_THAT(kinetic("(vx + vy)^2"), tells({"m.toml:6:11", "not positive", "inertia"}));
  EXPECT_THAT(kinetic("vx^2/(x - 1)"), tells({"m.toml:6:11", "is nan"}));
}

// For a full matrix a sparse factorisation takes longer than a dense one.
TEST(TextKinetic, MatricesOfManyCoordinatesAreDenseWhereAllBelongTogether) {
  const auto model = [](const std::string& square) {
    return read_model("m.toml",
                      "[sets]\nrod = 40\njoint = 39\n[coordinates]\nx = { over = \"rod\", start = 0 }\n" + square);
  };
  std::string all = "x[0]";
  for (int k = 1; k < 40; ++k) all += " + x[" + std::to_string(k) + "]";
  const TextModel full = model("[[potential]]\nenergy = \"(" + all + ")^2\"\n");
  const TextModel chain = model("[[potential]]\nover = \"joint\"\nenergy = \"(x[joint + 1] - x[joint])^2\"\n");
  EXPECT_FALSE(full.problem->as<MechanicalProblem>("the test").stiffness_pattern().is_sparse());
  EXPECT_TRUE(chain.problem->as<MechanicalProblem>("the test").stiffness_pattern().is_sparse());
}
}  // namespace
}  // namespace trill::testing_models
