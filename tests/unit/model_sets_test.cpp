// SPDX-License-Identifier: BSD-3-Clause
// Terms over index sets, compared with the same terms written out one by one, and messages about wrong sets.
#include "support/allocation_count.hpp"
#include "support/mentions.hpp"
#include "support/solution_files.hpp"
#include "support/text_models.hpp"

namespace trill::testing_models {
namespace {
using testing_files::TemporaryDirectory;

// A chain of n masses between two walls that has every kind of term over sets.
std::string chain_over_sets(int n) {
  return fmt::format(R"toml(
[parameters]
n = {}
a = 0.3
[sets]
mass = "n"
inner = {{ size = "n - 1", k = "1 + inner/4", i = "inner", j = "inner + 1" }}
[coordinates]
base = {{ start = 0.1, velocity = -0.2, mass = 3 }}
y = {{ over = "mass", start = "0.1*mass", velocity = "cos(mass)", mass = "1 + mass/8" }}
[derived]
strain = {{ over = "inner", value = "y[j] - y[i]" }}
[[stiff]]
over = "inner"
gap = "strain + 0.1*strain^2"
stiffness = "100*k"
[[potential]]
over = "inner"
energy = "k/4*strain^4 + a*y[i]*base"
[[potential]]
over = "mass"
energy = "(1 - cos(y[mass] - base))*(0.5 + mass/4)"
group = "soft"
[[force]]
over = "mass"
on = "y[mass]"
value = "-a*vy[mass]*y[if(mass == n - 1, 0, mass + 1)] + sin(t)*base"
group = "drag"
[[force]]
over = "mass"
on = "base"
value = "-0.1*vy[mass]*base"
group = "drag"
[[measure]]
name = "momentum"
over = "mass"
value = "(1 + mass/8)*vy[mass]"
)toml",
                     n);
}

std::string chain_written_out(int n) {
  const auto mass = [](int k) { return fmt::format("(1 + {}/8)", k); };
  std::string text = "parameters.a = 0.3\n[coordinates]\nbase = { start = 0.1, velocity = -0.2, mass = 3 }\n";
  for (int k = 0; k < n; ++k)
    text += fmt::format("y{0} = {{ start = \"0.1*{0}\", velocity = \"cos({0})\", mass = \"{1}\" }}\n", k, mass(k));
  for (int k = 0; k + 1 < n; ++k) {
    const std::string strain = fmt::format("(y{} - y{})", k + 1, k), stiffness = fmt::format("(1 + {}/4)", k);
    text += fmt::format("[[stiff]]\ngap = \"{0} + 0.1*{0}^2\"\nstiffness = \"100*{1}\"\n", strain, stiffness);
    text += fmt::format("[[potential]]\nenergy = \"{}/4*{}^4 + a*y{}*base\"\n", stiffness, strain, k);
  }
  std::string momentum = "0";
  for (int k = 0; k < n; ++k) {
    text += fmt::format("[[potential]]\nenergy = \"(1 - cos(y{0} - base))*(0.5 + {0}/4)\"\ngroup = \"soft\"\n", k);
    text += fmt::format("[[force]]\non = \"y{0}\"\nvalue = \"-a*vy{0}*y{1} + sin(t)*base\"\ngroup = \"drag\"\n", k,
                        (k + 1) % n);
    text += fmt::format("[[force]]\non = \"base\"\nvalue = \"-0.1*vy{}*base\"\ngroup = \"drag\"\n", k);
    momentum += fmt::format(" + {}*vy{}", mass(k), k);
  }
  return text + fmt::format("[[measure]]\nname = \"momentum\"\nvalue = \"{}\"\n", momentum);
}

void expect_equal_maps(const ConstraintMap& a, const ConstraintMap& b, const State& s) {
  ASSERT_EQ(a.count(), b.count());
  const Vec q = s.q(), v = s.v(), multipliers = Vec::LinSpaced(a.count(), 0.7, 2);
  Vec x(a.count()), y(a.count());
  a.value(s.t, q, x);
  b.value(s.t, q, y);
  expect_equal(x, y, "value of gaps");
  a.curvature(s.t, q, v, x);
  b.curvature(s.t, q, v, y);
  expect_equal(x, y, "curvature");
  MatrixSlot G = a.pattern(), H = b.pattern(), d = a.transpose_pattern(), e = b.transpose_pattern();
  a.jacobian(s.t, q, G);
  b.jacobian(s.t, q, H);
  expect_equal(dense(G), dense(H), "jacobian of gaps");
  a.transpose_derivative(s.t, q, multipliers, d);
  b.transpose_derivative(s.t, q, multipliers, e);
  expect_equal(dense(d), dense(e), "transpose derivative");
}

void expect_equal_problems(const Problem& over_sets, const Problem& written_out) {
  const MechanicalProblem &a = mechanics(over_sets), &b = mechanics(written_out);
  ASSERT_EQ(a.layout(), b.layout());
  expect_equal(a.initial_state().y, b.initial_state().y, "start");
  ASSERT_EQ(a.groups().size(), b.groups().size());
  const State s = shifted_start(a);
  const Vec q = s.q(), v = s.v();
  Vec direction = Vec::LinSpaced(q.size(), -1, 2), product(q.size());
  for (Groups groups = 0; groups < Groups{1} << a.groups().size(); ++groups) {
    expect_equal(force_of(a, s.t, q, v, groups), force_of(b, s.t, q, v, groups), "force");
    const Jacobians x = jacobians_of(a, s.t, q, v, groups), y = jacobians_of(b, s.t, q, v, groups);
    expect_equal(dense(x.by_position), dense(y.by_position), "df/dq");
    expect_equal(dense(x.by_velocity), dense(y.by_velocity), "df/dv");
    EXPECT_EQ(x.by_position.stored(), y.by_position.stored()) << "pattern of df/dq";
    ASSERT_TRUE(a.force_product(groups, s.t, q, v, direction, product));
    expect_equal(product, dense(x.by_position) * direction, "df/dq times a direction", 1e-12);
    const auto energy = a.potential(groups, s.t, q), other = b.potential(groups, s.t, q);
    ASSERT_EQ(energy.has_value(), other.has_value());
    if (energy) {
      EXPECT_NEAR(*energy, *other, 1e-12 * (1 + std::abs(*other)));
    }
  }
  MatrixSlot m = a.mass_pattern(), n = b.mass_pattern();
  a.mass(q, m);
  b.mass(q, n);
  expect_equal(dense(m), dense(n), "mass");
  if (b.strong_potential()) {
    expect_equal(a.strong_potential()->stiffness, b.strong_potential()->stiffness, "stiffness");
    expect_equal_maps(*a.strong_potential()->map, *b.strong_potential()->map, s);
  }
  Vec measured(static_cast<Index>(a.quantities().size())), other(measured);
  a.measure(s, measured);
  b.measure(s, other);
  expect_equal(measured, other, "measures", 1e-12);
}

// Elements are computed in blocks of 32, and up to eight of them in blocks of four; below 33 coordinates matrices are
// dense. Hence these sizes.
TEST(TextSets, AChainEqualsItselfWrittenOut) {
  for (const int n : {2, 4, 5, 8, 9, 10, 31, 32, 33, 34, 65, 66}) {
    SCOPED_TRACE(n);
    const TextModel over_sets = read_model("m.toml", chain_over_sets(n));
    const TextModel written_out = read_model("m.toml", chain_written_out(n));
    expect_equal_problems(*over_sets.problem, *written_out.problem);
    expect_equal_problems(*over_sets.problem->clone(), *written_out.problem);
    EXPECT_EQ(over_sets.problem->components()[1].name, "y[0]");
    EXPECT_EQ(over_sets.problem->components()[static_cast<std::size_t>(n) + 2].name, "vy[0]");
  }
}

TEST(TextSets, ARunOfAChainEqualsALoop) {
  const int n = 50;
  const TextModel model = read_model("m.toml", R"toml(
[sets]
mass = 50
spring = 49
[coordinates]
y = { over = "mass", start = "sin(mass)", mass = "1 + mass/50" }
[[potential]]
over = "spring"
energy = "(y[spring + 1] - y[spring])^2/2 + (y[spring + 1] - y[spring])^4/4"
)toml");
  Vec q(n), v = Vec::Zero(n);
  for (int k = 0; k < n; ++k) q[k] = std::sin(k);
  const double h = 0.02;
  const auto kick = [&] {
    for (int k = 0; k + 1 < n; ++k) {
      const double d = q[k + 1] - q[k], f = d + d * d * d;
      v[k] += h / 2 * f / (1 + k / 50.0);
      v[k + 1] -= h / 2 * f / (1 + (k + 1) / 50.0);
    }
  };
  for (int step = 0; step < 100; ++step) {
    kick();
    q += h * v;
    kick();
  }
  const Solution s = run_of(model.problem->clone(), plan_with("verlet", 2, h));
  expect_equal(last_of(s).head(n), q, "positions", 1e-11);
  expect_equal(last_of(s).tail(n), v, "velocities", 1e-11);
}

TEST(TextSets, ConstraintsOverASet) {
  const char* const over = R"toml(
sets.bond = { i = [0, 1, 2], j = [1, 2, 3], len = [1.0, 2.0, 0.5] }
sets.bead = { x0 = [0, 1, 3, 3.5] }
[coordinates]
r = { over = "bead", point = 2, start = ["x0", 0], velocity = [0, "x0"], mass = "1 + bead" }
[[potential]]
over = "bead"
energy = "r[bead].y"
[[constraint]]
over = "bond"
equation = "distance(r[i], r[j])^2 - len^2"
[[constraint]]
equation = "r[0].x"
)toml";
  const char* const written = R"toml(
[coordinates]
a = { point = 2, start = [0, 0], velocity = [0, 0] }
b = { point = 2, start = [1, 0], velocity = [0, 1], mass = 2 }
c = { point = 2, start = [3, 0], velocity = [0, 3], mass = 3 }
d = { point = 2, start = [3.5, 0], velocity = [0, 3.5], mass = 4 }
[[potential]]
energy = "a.y + b.y + c.y + d.y"
[[constraint]]
equation = "(a.x - b.x)^2 + (a.y - b.y)^2 - 1"
[[constraint]]
equation = "(b.x - c.x)^2 + (b.y - c.y)^2 - 4"
[[constraint]]
equation = "(c.x - d.x)^2 + (c.y - d.y)^2 - 0.25"
[[constraint]]
equation = "a.x"
)toml";
  const TextModel a = read_model("m.toml", over), b = read_model("m.toml", written);
  // Rows are numbered set by set in the order in which the sets occur, so the multipliers are compared as sorted
  // lists.
  expect_equal(a.problem->initial_state().y.head(16), b.problem->initial_state().y.head(16), "start");
  Vec multipliers_a = a.problem->initial_state().lambda(), multipliers_b = b.problem->initial_state().lambda();
  std::sort(multipliers_a.begin(), multipliers_a.end());
  std::sort(multipliers_b.begin(), multipliers_b.end());
  expect_equal(multipliers_a, multipliers_b, "multipliers", 1e-12);
  RunPlan plan = plan_with("rattle", 1, 0.01);
  expect_equal(last_of(run_of(a.problem->clone(), plan)).head(16), last_of(run_of(b.problem->clone(), plan)).head(16),
               "run", 1e-9);
}

// An element may use the same entry twice: for i = j the second derivative of (y_i y_j)^2 is 12 y^2 on the diagonal.
TEST(TextSets, TwoSlotsMayBeTheSameEntry) {
  const TextModel model = read_model("m.toml", R"toml(
sets.atom = 2
sets.pair = { i = [0, 1, 0], j = [0, 1, 1] }
[coordinates]
y = { over = "atom", start = "2 + atom" }
[[potential]]
over = "pair"
energy = "(y[i]*y[j])^2"
[[kinetic]]
over = "pair"
energy = "(1 + y[i]*y[j])*vy[i]*vy[j]"
)toml");
  const MechanicalProblem& p = mechanics(model);
  const double a = 2, b = 3;
  const Vec q{{a, b}}, v = Vec::Zero(2);
  expect_equal(force_of(p, 0, q, v), Vec{{-(4 * a * a * a + 2 * a * b * b), -(4 * b * b * b + 2 * a * a * b)}}, "f");
  expect_equal(dense(jacobians_of(p, 0, q, v).by_position),
               -Mat{{12 * a * a + 2 * b * b, 4 * a * b}, {4 * a * b, 12 * b * b + 2 * a * a}}, "df/dq");
  MatrixSlot m = p.mass_pattern();
  p.mass(q, m);
  expect_equal(dense(m), Mat{{2 * (1 + a * a), 1 + a * b}, {1 + a * b, 2 * (1 + b * b)}}, "mass");
}

TEST(TextSets, PointsWithAnglesOverATable) {
  const TextModel model = read_model("m.toml", R"toml(
sets.atom = { x0 = [0, 1, 1.2, 2, 2.1], y0 = [0, 0.1, 1, 1.3, 2], z0 = [0, 0.2, 0.1, 0.9, 1.1] }
sets.bend = { i = [0, 1, 2], j = [1, 2, 3], k = [2, 3, 4] }
sets.twist = { i = [0, 1], j = [1, 2], k = [2, 3], l = [3, 4] }
[coordinates]
r = { over = "atom", point = 3, start = ["x0", "y0", "z0"] }
[[potential]]
over = "bend"
energy = "(angle(r[i], r[j], r[k]) - 1.9)^2"
[[potential]]
over = "twist"
energy = "1 + cos(3*dihedral(r[i], r[j], r[k], r[l]))"
)toml");
  const MechanicalProblem& p = mechanics(model);
  EXPECT_EQ(p.components()[4].name, "r[1].y");
  EXPECT_EQ(p.components()[15 + 14].name, "vr[4].z");
  const Vec q = p.initial_state().q(), v = Vec::Zero(15);
  using Point = Eigen::Vector3d;
  const auto energy = [](const Vec& x) {
    const auto at = [&](Index k) { return Point(x.segment(3 * k, 3)); };
    double sum = 0;
    for (Index k = 0; k < 3; ++k) {
      const Point a = at(k) - at(k + 1), b = at(k + 2) - at(k + 1);
      const double bend = std::acos(a.dot(b) / a.norm() / b.norm()) - 1.9;
      sum += bend * bend;
    }
    for (Index k = 0; k < 2; ++k) {
      const Point a = at(k + 1) - at(k), b = at(k + 2) - at(k + 1), c = at(k + 3) - at(k + 2);
      const Point m = a.cross(b), n = b.cross(c);
      const double cosine = m.dot(n) / m.norm() / n.norm();
      sum += 1 + 4 * cosine * cosine * cosine - 3 * cosine;
    }
    return sum;
  };
  EXPECT_NEAR(*p.potential(all_groups, 0, q), energy(q), 1e-13);
  const Vec f = force_of(p, 0, q, v);
  const Mat df = dense(jacobians_of(p, 0, q, v).by_position);
  for (Index k = 0; k < 15; ++k) {
    const double d = 1e-5;
    const Vec step = d * Vec::Unit(15, k);
    EXPECT_NEAR(f[k], -(energy(q + step) - energy(q - step)) / (2 * d), 1e-8);
    const Vec column = (force_of(p, 0, q + step, v) - force_of(p, 0, q - step, v)) / (2 * d);
    EXPECT_LE((df.col(k) - column).cwiseAbs().maxCoeff(), 1e-7 * df.cwiseAbs().maxCoeff());
  }
  EXPECT_LE((df - df.transpose()).cwiseAbs().maxCoeff(), 1e-12 * df.cwiseAbs().maxCoeff());
}

TEST(TextSets, ATableBesideTheModel) {
  const TemporaryDirectory folder;
  std::ofstream(folder / "bonds.csv") << "# made by hand\ni,j,k\n0,1,2.5\n1,2,-1\n";
  const std::string text = R"toml(
sets.atom = 3
sets.bond = { file = "bonds.csv", twice = "2*k + bond", pull = [7, 8] }
[coordinates]
y = { over = "atom", start = "atom^2" }
[[potential]]
over = "bond"
energy = "twice*(y[j] - y[i]) + pull"
)toml";
  std::ofstream(folder / "m.toml") << text;
  const TextModel model = load_model(folder / "m.toml");
  const MechanicalProblem& p = mechanics(model);
  const Vec q = p.initial_state().q();
  expect_equal(q, Vec{{0, 1, 4}}, "start");
  EXPECT_DOUBLE_EQ(*p.potential(all_groups, 0, q), 5 * 1 + 7 + (-2 + 1) * 3 + 8);
  expect_equal(force_of(p, 0, q, q), Vec{{5, -5 - 1, 1}}, "force");

  const auto said = [&](const char* table) {
    std::ofstream(folder / "bonds.csv") << table;
    try {
      load_model(folder / "m.toml");
    } catch (const ModelError& e) {
      return std::string(e.what());
    }
    return std::string("no error");
  };
  EXPECT_THAT(said("i,j,k\n0,1,2.5\n\n"), tells({"", "2 numbers", "bonds.csv", "1 rows"}));
  EXPECT_THAT(said("i,j,k\n0,1,2.5\n# far\n2,3,1\n"),
              tells({"", "'y' is 3", "element 1 of 'bond' (bonds.csv:4)", "'atom'", "0 to 2"}));
  EXPECT_THAT(said("i,j,k\n0,1,2.5\n0.5,1,1\n"), tells({"", "'y' is 0.5", "element 1 of 'bond' (bonds.csv:3)"}));
  EXPECT_THAT(said("i,j,atom\n0,1,2.5\n0,1,1\n"), tells({"", "bonds.csv", "column 'atom'"}));
  EXPECT_THAT(said("i,j\n0,1\n0,1\n"), tells({"", "'k'", "name"}));
  EXPECT_THAT(said("i,j,twice\n0,1,1\n0,1,1\n"), tells({"", "'twice'", "name"}));
}

TEST(TextSets, MayBeEmpty) {
  const TextModel model = read_model("m.toml", R"toml(
parameters.n = 0
[sets]
atom = 2
none = { size = "n", k = "1/none" }
[coordinates]
x = 1
y = { over = "none", start = "k", mass = "-k" }
z = { over = "atom", start = 1 }
[[potential]]
energy = "x^2"
[[potential]]
over = "none"
energy = "x*y[none] + z[7]"
[[stiff]]
over = "none"
gap = "y[none]"
stiffness = "k"
[[constraint]]
over = "none"
equation = "y[none]"
[[measure]]
name = "nothing"
over = "none"
value = "k"
)toml");
  const MechanicalProblem& p = mechanics(model);
  ASSERT_EQ(p.layout(), (Layout{3, 3, 0, 0}));
  expect_equal(force_of(p, 0, Vec{{2, 1, 1}}, Vec::Zero(3)), Vec{{-4, 0, 0}}, "force");
  EXPECT_EQ(p.constraints(), nullptr);
  EXPECT_EQ(p.strong_potential(), nullptr);
  run_of(model.problem->clone(), plan_with("dopri5", 1, 1e-6));
}

TEST(TextSets, OneElement) {
  const TextModel model = read_model("m.toml", R"toml(
sets.only = { k = [3] }
coordinates.y = { over = "only", start = "k + only" }
[[potential]]
over = "only"
energy = "k*y[only]^2/2 + only"
[[measure]]
name = "twice"
over = "only"
value = "2*y[0]"
)toml");
  const MechanicalProblem& p = mechanics(model);
  EXPECT_DOUBLE_EQ(force_of(p, 0, Vec{{2}}, Vec{{0}})[0], -6);
  Vec measured(2);
  p.measure(p.initial_state(), measured);
  EXPECT_DOUBLE_EQ(measured[1], 6);
}

const std::string sets = R"toml(
parameters.n = 3
sets.a = { k = [1, 2, 3] }
sets.b = { size = "n - 1", m = 4 }
coordinates.x = 1
coordinates.y = { over = "a", start = 1 }
coordinates.p = { point = 2, start = [0, 1] }
derived.free = "x^2"
derived.of_a = { over = "a", value = "k*y[a]" }
)toml";

TEST(TextSetErrors, SayWhatIsWrong) {
  const auto over = [](const char* set, const char* energy) {
    return sets + fmt::format("[[potential]]\nover = \"{}\"\nenergy = \"{}\"\n", set, energy);
  };
  const auto free = [](const char* energy) { return sets + fmt::format("[[potential]]\nenergy = \"{}\"\n", energy); };
  struct Refusal {
    std::string text;
    std::vector<std::string> told;
  };
  const Refusal table[] = {
      {over("a", "y[a]^2 + of_a + free"), {"", "no error"}},
      {over("b", "y[b + 1]*m"), {"", "no error"}},
      {over("b", "y[b + 2]"), {"", "'y' is 3", "element 1 of 'b'", "'a'", "0 to 2"}},
      {over("b", "y[b - 1]"), {"", "'y' is -1", "element 0 of 'b'"}},
      {over("b", "y[b/2]"), {"", "'y' is 0.5", "element 1 of 'b'"}},
      {over("b", "y[1/(b - b)]"), {"", "index", "'y' is "}},
      {over("b", "y[0/0]"), {"", "index", "'y' is "}},
      {over("b", "y[t]"), {"", "index", "'y'", "depend", "columns"}},
      {over("b", "y[x]"), {"", "index", "'y'", "depend", "columns"}},
      {over("b", "y"), {"", "'y'", "'a'", "y[a]"}},
      {over("b", "vy"), {"", "'vy'", "'a'", "vy[a]"}},
      {over("b", "x[0]"), {"", "'x'", "coordinate", "no index"}},
      {over("b", "m[0]"), {"", "'m'", "number", "no index"}},
      {over("b", "n[0]"), {"", "'n'", "number", "no index"}},
      {over("b", "y[a]"), {"", "'a' is a set", "over = \"a\""}},
      {over("b", "k"), {"", "name 'k'"}},
      {over("b", "of_a"), {"", "'of_a'", "derived", "'a'"}},
      {free("of_a"), {"", "'of_a'", "derived", "'a'"}},
      {free("y[3]"), {"", "'y' is 3", "'a'", "0 to 2"}},
      {free("free[0]"), {"", "'free'", "derived", "no index"}},
      {free("a"), {"", "'a' is a set"}},
      {free("p"), {"", "p is a point"}},
      {free("p.z"), {"", "p is a point", "plane", ".x", ".y"}},
      {over("c", "1"), {"", "no set 'c'"}},
      {"derived.d = \"k\"\n" + over("a", "d*y[a]"), {"", "name 'k'"}},
      {"sets.c = { x = [1] }\n" + over("a", "x"), {"", "name 'x'", "used"}},
      {"sets.c = { c = [1] }\n" + over("a", "x"), {"", "name 'c'", "used"}},
      {"sets.c = { vx = [1] }\n" + over("a", "x"), {"", "name 'vx'", "used"}},
      {"sets.c = \"1/2\"\n" + over("a", "x"), {"", "size", "0 to 20000000", "0.5"}},
      {"sets.c = \"-n\"\n" + over("a", "x"), {"", "size", "0 to 20000000", "-3"}},
      {"sets.c = 1e9\n" + over("a", "x"), {"", "size", "0 to 20000000"}},
      {"sets.c = { size = 2, w = \"1/c\" }\n" + over("a", "x"), {"", "column is inf", "element 0 of 'c'"}},
      {"sets.c = { size = 2, w = \"x\" }\n" + over("a", "x"), {"", "name 'x'"}},
      {"sets.c = { size = 2, w = \"u\", u = 1 }\n" + over("a", "x"), {"", "name 'u'"}},
      {sets + "coordinates.w = { over = \"a\", start = \"1/a\" }\n" + "[[potential]]\nenergy = \"x\"",
       {"", "start", "inf", "element 0 of 'a'"}},
      {over("a", "1/(y[a] - 1)"), {"", "energy is inf", "element 0 of 'a'"}},
      {over("a", "sqrt(2 - k)*y[a]"), {"", "energy is ", "finite"}},
      {sets + "[[constraint]]\nover = \"a\"\nequation = \"y[a] - k\"\n",
       {"", "start", "constraint", "element 1 of 'a'", "-1"}},
      {sets + "[[stiff]]\nover = \"a\"\ngap = \"(2 - k)*(y[a] - 1)\"\nstiffness = 1\n",
       {"", "gap", "gradient", "element 1 of 'a'"}},
      {sets + "[[stiff]]\nover = \"a\"\ngap = \"y[a]\"\nstiffness = \"2 - k\"\n", {"", "stiffness", "positive", "0"}},
  };
  for (const auto& [text, told] : table) EXPECT_THAT(complaint(text), tells(told)) << text;
}

TEST(TextSets, TenThousandMassesLoadInProportionToTheirNumberAndRun) {
  const auto chain = [](int masses) {
    return fmt::format("sets.mass = {}\nsets.spring = {{ size = {}, k = \"1 + spring/10000\" }}", masses, masses - 1) +
           R"toml(
[coordinates]
y = { over = "mass", start = "sin(mass/50)", unit = "m" }
[[potential]]
over = "spring"
energy = "k/2*(y[spring + 1] - y[spring])^2"
)toml";
  };
  const auto cost = [&](int masses) { return heap_bytes([&] { read_model("m.toml", chain(masses)); }); };
  EXPECT_LE(cost(10000), 4 * 2 * cost(2500));
  const TextModel model = read_model("m.toml", chain(10000));
  const MechanicalProblem& p = mechanics(model);
  const State s = p.initial_state();
  EXPECT_EQ(jacobians_of(p, 0, s.q(), s.v()).by_position.stored(), 3 * 10000 - 2);
  const Solution solution = run_of(model.problem->clone(), plan_with("verlet", 1, 0.05));
  Vec begin(1), end(1);
  State last = s;
  last.y = last_of(solution);
  p.measure(s, begin);
  p.measure(last, end);
  EXPECT_NEAR(end[0], begin[0], 1e-3 * begin[0]);
  EXPECT_GT((last.y - s.y).norm(), 1e-3);
}
}  // namespace
}  // namespace trill::testing_models
