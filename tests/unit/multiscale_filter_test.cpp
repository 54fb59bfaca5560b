// SPDX-License-Identifier: BSD-3-Clause
// Filters of linear fast forces, compared with the general definition (SS08 eq. 7 to 9, by quadrature of exponentials
// of the reduced problem's matrix), with sweeps, and with the exponential integrators of Hairer and Lubich.
#include "multiscale/fast_flow.hpp"
#include "support/algebra.hpp"
#include "support/allocation_count.hpp"
#include "support/mentions.hpp"
#include "support/text_models.hpp"
#include "trill/driver/plan.hpp"
#include "trill/method/implicit_tableau.hpp"
#include "trill/problem/model_registry.hpp"

#include <cmath>
#include <functional>

#include <gtest/gtest.h>

namespace trill::testing_models {
namespace {
constexpr double h = 0.7;

// M q'' = -S q + c + g(q) with g_i = -sin(q_i + q_{i+1}). So no matrix is symmetric by chance.
class Linear final : public MechanicalProblem {
 public:
  Mat m, s;
  Vec c;
  Linear(Mat mass, Mat stiffness, Vec constant) : m(mass), s(stiffness), c(constant) {}
  std::string name() const override { return "linear"; }
  Layout layout() const override { return {m.rows(), m.rows(), 0, 0}; }
  std::vector<Quantity> components() const override {
    return std::vector<Quantity>(static_cast<std::size_t>(2 * m.rows()), {"x", ""});
  }
  State initial_state() const override {
    State state(layout());
    for (Index i = 0; i < state.y.size(); ++i) state.y[i] = std::cos(static_cast<double>(i * i));
    return state;
  }
  std::unique_ptr<Problem> clone() const override { return std::make_unique<Linear>(*this); }
  MassKind mass_kind() const override { return MassKind::constant; }
  MatrixSlot mass_pattern() const override { return MatrixSlot::dense(m.rows(), m.rows()); }
  void mass(In, MatrixSlot& slot) const override { std::copy(m.data(), m.data() + m.size(), slot.values()); }
  std::vector<GroupInfo> groups() const override { return {{"fast", true}, {"slow", false}}; }
  void force(Groups groups, double, In q, In, Out f) const override {
    f.setZero();
    if (groups & 1) f += c - s * q;
    if (groups & 2)
      for (Index i = 0; i < q.size(); ++i) f[i] -= std::sin(q[i] + q[(i + 1) % q.size()]);
  }
  bool force_jacobian(Groups groups, double, In, In, MatrixSlot& dq, MatrixSlot& dv) const override {
    dq.set_zero();
    dv.set_zero();
    if (groups != 1) return false;
    for (Index j = 0; j < s.cols(); ++j)
      for (Index i = 0; i < s.rows(); ++i) dq.add(i, j, -s(i, j));
    return true;
  }
  bool force_product(Groups groups, double, In, In, In dq, Out df) const override {
    if (groups == 1) df = -s * dq;
    return groups == 1;
  }
  bool linear_force(Groups groups) const override { return groups == 1; }
};

Mat some_mass() { return Mat{{4, 0.8, 0.1}, {0.8, 1, -0.3}, {0.1, -0.3, 0.5}}; }
// M^-1 S has the eigenvalues 0, 9 and 40. S is symmetric, or M^-1 S has eigenvectors that are not orthogonal.
Mat some_stiffness(bool symmetric) {
  const Mat m = some_mass();
  Mat vectors{{1, 0.4, -0.2}, {0.1, 1, 0.5}, {-0.3, 0.2, 1}};
  if (symmetric) vectors = test::symmetric_pairs(vectors.transpose() * vectors, m).vectors;
  return m * vectors * Vec{{0, 9, 40}}.asDiagonal() * test::inverse(vectors);
}
Linear problem(bool symmetric, bool pushed = false) {
  return {some_mass(), some_stiffness(symmetric), pushed ? Vec{{1, -2, 0.5}} : Vec(Vec::Zero(3))};
}

Mat exponential(const Mat& a) {
  const int halvings = std::max(0, static_cast<int>(std::ceil(std::log2(a.norm()))) + 3);
  const Mat small = a / std::pow(2, halvings);
  Mat sum = Mat::Identity(a.rows(), a.cols()), term = sum;
  for (int k = 1; k < 25; ++k) sum += term = Mat(term * small / k);
  for (int i = 0; i < halvings; ++i) sum = Mat(sum * sum);
  return sum;
}

double chi(const std::string& name, double t) {
  if (name == "short") return t < 0.5 ? 1 : 0;
  if (name == "lin") return t < 1 ? 1 - t : 0;
  return t < 2 ? (2 - t) / 4 : 0;  // long*long
}

// The integral 2 int_0^2 chi(t) value(t) dt.
Mat weighted(const std::string& name, const std::function<Mat(double)>& value) {
  const ImplicitTableau gauss = gauss_tableau(12);
  Mat sum;
  for (int piece = 0; piece < 8; ++piece)
    for (Index i = 0; i < gauss.b.size(); ++i) {
      const double t = 0.25 * (piece + gauss.c[i]);
      const Mat term = 0.5 * gauss.b[i] * chi(name, t) * value(t);
      sum = sum.size() == 0 ? term : Mat(sum + term);
    }
  return sum;
}

// The matrix of the linear system for (momentum, position, 1). The last component makes the constant force a part of
// it.
Mat generator(const Linear& p) {
  const Index n = p.m.rows();
  Mat b = Mat::Zero(2 * n + 1, 2 * n + 1);
  b.block(0, n, n, n) = -p.s;
  b.block(0, 2 * n, n, 1) = p.c;
  b.block(n, 0, n, n) = test::inverse(p.m);
  return b;
}

struct Fast {
  Vec average;
  Mat mollifier;
};

Fast by_definition(const Linear& p, const std::string& phi, const std::string& psi, const Vec& q) {
  Vec from_rest = Vec::Zero(7);
  from_rest.segment(3, 3) = q;
  from_rest[6] = 1;
  const Mat b = generator(p);
  return {weighted(phi, [&](double t) -> Mat { return (exponential(h * t * b) * from_rest).segment(3, 3); }),
          weighted(psi, [&](double t) -> Mat { return exponential(-h * t * b).topLeftCorner(3, 3); })};
}

Fast by_flow(FastFlow& flow, const Linear& p, const Vec& q) {
  flow.start(p.initial_state());
  Counters work;
  Mat a(3, 1), mollifier(3, 3);
  EXPECT_TRUE(flow.average(0, h, q, a, work));
  for (Index i = 0; i < 3; ++i) {
    Vec column(3);
    EXPECT_TRUE(flow.mollify(Mat(Vec::Unit(3, i)), column, work));
    mollifier.col(i) = column;
  }
  return {a.col(0), mollifier};
}

std::vector<WeightPair> pair_of(const std::string& phi, const std::string& psi) {
  return {{Weight::named(phi), Weight::named(psi)}};
}

// f(h Omega), where Omega^2 is the given matrix.
Mat function_of(const Mat& square, const std::function<double(double)>& f) {
  const test::Pairs pairs = test::real_pairs(square);
  const Mat& x = pairs.vectors;
  Vec values(square.rows());
  for (Index i = 0; i < values.size(); ++i) values[i] = f(h * std::sqrt(std::max(0.0, pairs.values[i])));
  return x * values.asDiagonal() * test::inverse(x);
}
double sine_over(double x) { return x == 0 ? 1 : std::sin(x) / x; }

const std::vector<std::pair<std::string, std::string>> weight_names{
    {"short", "short"}, {"lin", "lin"}, {"long*long", "long*long"}, {"short", "long*long"}};

TEST(Filters, AreTheGeneralDefinition) {
  const Vec q{{0.3, -1.1, 0.8}};
  for (const bool symmetric : {true, false})
    for (const bool pushed : {false, true})
      for (const auto& [phi, psi] : weight_names) {
        const Linear p = problem(symmetric, pushed);
        const Fast exact = by_definition(p, phi, psi, q);
        const auto flow = make_fast_flow(p, 1, pair_of(phi, psi), {});
        const Fast ours = by_flow(*flow, p, q);
        EXPECT_LT((ours.average - exact.average).norm(), 1e-12) << phi << symmetric << pushed;
        EXPECT_LT((ours.mollifier - exact.mollifier).norm(), 1e-12) << psi << symmetric << pushed;
        EXPECT_NE(flow->text().find("filters"), std::string::npos);
        EXPECT_NEAR(flow->fastest_frequency(), std::sqrt(40), 1e-10);
      }
}

TEST(Filters, AreWhatSweepsTendTo) {
  const Vec q{{0.3, -1.1, 0.8}};
  for (const bool symmetric : {true, false}) {
    const Linear p = problem(symmetric, true);
    const auto sweeps = make_sweep_flow(p, 1, pair_of("short", "long*long"), {.inner = 24, .inner_order = 8});
    const auto filters = make_fast_flow(p, 1, pair_of("short", "long*long"), {});
    const Fast a = by_flow(*filters, p, q), b = by_flow(*sweeps, p, q);
    EXPECT_LT((a.average - b.average).norm(), 1e-12) << symmetric;
    EXPECT_LT((a.mollifier - b.mollifier).norm(), 1e-12) << symmetric;
    Counters work;
    State one = p.initial_state(), other = one;
    EXPECT_TRUE(filters->flow(0, h, one.q(), one.v(), work) && sweeps->flow(0, h, other.q(), other.v(), work));
    EXPECT_LT((one.y - other.y).norm(), 1e-11) << symmetric;
  }
}

TEST(Filters, MoveAsTheExponentialDoes) {
  const Linear p = problem(false, true);
  const auto flow = make_fast_flow(p, 1, pair_of("short", "short"), {});
  for (const double step : {h, -h}) {
    State s = p.initial_state();
    Vec y(7);
    y << p.m * s.v(), s.q(), 1;
    const Vec exact = exponential(step * generator(p)) * y;
    flow->start(s);
    Counters work;
    ASSERT_TRUE(flow->flow(0, step, s.q(), s.v(), work));
    EXPECT_LT((s.q() - exact.segment(3, 3)).norm(), 1e-12);
    EXPECT_LT((p.m * s.v() - exact.head(3)).norm(), 2e-12);
  }
}

// SS08 (sec. 4 and eq. 17) prints the mollifier as M^-1/2 hatpsi M^1/2 of the symmetrised matrix. By the definition
// the factors are the other way round, and with a mass matrix the results differ much.
TEST(Filters, ThePrintedMollifierIsNotTheDefinition) {
  const test::Pairs mass = test::symmetric_pairs(some_mass());
  const Mat root = mass.vectors * mass.values.cwiseSqrt().asDiagonal() * mass.vectors.transpose();
  const Mat inverse = test::inverse(root);
  for (const bool symmetric : {true, false}) {
    const Linear p = problem(symmetric);
    const Mat hat = function_of(inverse * p.s * inverse, [](double x) { return sine_over(x / 2); });
    const Mat exact = by_definition(p, "short", "short", Vec::Zero(3)).mollifier;
    EXPECT_LT((root * hat * inverse - exact).norm(), 1e-12);
    EXPECT_GT((inverse * hat * root - exact).norm(), 0.1);
  }
}

// q+ = cos q + h sinc v + h^2/2 Psi g, v+ = -Omega sin q + cos v + h/2 (Psi0 g + Psi1 g+), where g is evaluated at Phi
// q and Phi = hatphi, Psi1 = hatpsi, Psi0 = cos hatpsi, Psi = sinc hatpsi.
TEST(Filters, StepsAreThoseOfHairerAndLubich) {
  for (const bool symmetric : {true, false})
    for (const auto& [phi, psi] : weight_names) {
      const Linear p = problem(symmetric);
      const Mat k = test::inverse(p.m) * p.s;
      const Weight first = Weight::named(phi), second = Weight::named(psi);
      const Mat cosine = function_of(k, [](double x) { return std::cos(x); }), sinc = function_of(k, sine_over),
                sine = function_of(k, [](double x) { return x * std::sin(x); }) / h,
                hatphi = function_of(k, [&](double x) { return first.filter(x); }),
                hatpsi = function_of(k, [&](double x) { return second.filter(x); });
      const State start = p.initial_state();
      const auto push = [&](const Vec& q) -> Vec { return test::inverse(p.m) * force_of(p, 0, hatphi * q, q, 2); };
      const Vec q = start.q(), v = start.v(), g = push(q);
      const Vec q1 = cosine * q + h * sinc * v + 0.5 * h * h * sinc * hatpsi * g;
      const Vec v1 = -sine * q + cosine * v + 0.5 * h * (cosine * hatpsi * g + hatpsi * push(q1));
      RunPlan plan = plan_with("mollified_impulse", h, h);
      plan.options = {{"phi", phi}, {"psi", psi}};
      const Vec ours = last_of(run_of(p.clone(), plan));
      EXPECT_LT((ours.head(3) - q1).norm(), 1e-12) << phi << psi << symmetric;
      EXPECT_LT((ours.tail(3) - v1).norm(), 1e-12) << phi << psi << symmetric;
    }
}

TEST(Filters, AreTakenForLinearForcesUnlessInnerStepsAreGiven) {
  const Linear p = problem(true);
  EXPECT_NE(make_fast_flow(p, 1, pair_of("short", "short"), {.inner = 4})->text().find("inner steps"),
            std::string::npos);
  const std::string text =
      "[coordinates]\nx = { start = 0 }\ny = { start = 0 }\n"
      "[[potential]]\nenergy = \"50*(x - y - 1)^2 + 3*x\"\ngroup = \"fast\"\n"
      "[[potential]]\nenergy = \"x^4\"\ngroup = \"slow\"\n"
      "[[potential]]\nenergy = \"x^2*cos(t)\"\ngroup = \"driven\"\n"
      "[[force]]\non = \"x\"\nvalue = \"-2*y\"\ngroup = \"turning\"\n"
      "[[force]]\non = \"x\"\nvalue = \"-2*vx\"\ngroup = \"drag\"\n";
  const TextModel model = read_model("m.toml", text);
  const MechanicalProblem& m = mechanics(model);
  const auto linear = [&](const std::string& name) {
    const std::vector<GroupInfo> groups = m.groups();
    for (std::size_t g = 0; g < groups.size(); ++g)
      if (groups[g].name == name) return m.linear_force(Groups{1} << g);
    ADD_FAILURE() << name;
    return false;
  };
  EXPECT_TRUE(linear("fast"));
  EXPECT_TRUE(linear("turning"));
  EXPECT_FALSE(linear("slow"));
  EXPECT_FALSE(linear("driven"));
  EXPECT_FALSE(linear("drag"));
  EXPECT_FALSE(m.linear_force(all_groups));
}

// Blocks of 1, 2, 3, 5 and 8 unknowns whose numbers are scattered, each with its own mass matrix.
Linear scattered_blocks(bool symmetric) {
  const std::vector<Index> sizes{3, 1, 8, 2, 5};
  const Index n = 19;
  Mat m = Mat::Zero(n, n), s = m;
  Index first = 0;
  for (const Index size : sizes) {
    std::vector<Index> unknowns;
    for (Index i = 0; i < size; ++i) unknowns.push_back(7 * (first + i) % n);
    first += size;
    Mat vectors = Mat::Identity(size, size), mass = vectors;
    Vec squares(size);
    for (Index j = 0; j < size; ++j) {
      squares[j] = j == 1 ? 0 : 4 + 3 * static_cast<double>(j) + 0.7 * static_cast<double>(size);
      for (Index i = 0; i < size; ++i) {
        vectors(i, j) += 0.3 * std::sin(static_cast<double>(3 * i + 5 * j + size));
        mass(i, j) += 0.2 / static_cast<double>(size) * std::cos(static_cast<double>(i * j + i + j));
      }
    }
    if (symmetric) vectors = test::symmetric_pairs(vectors.transpose() * vectors, mass).vectors;
    const Mat stiffness = mass * vectors * squares.asDiagonal() * test::inverse(vectors);
    for (Index j = 0; j < size; ++j)
      for (Index i = 0; i < size; ++i) {
        const Index row = unknowns[static_cast<std::size_t>(i)], column = unknowns[static_cast<std::size_t>(j)];
        m(row, column) = mass(i, j);
        s(row, column) = symmetric ? 0.5 * (stiffness(i, j) + stiffness(j, i)) : stiffness(i, j);
      }
  }
  Vec c(n);
  for (Index i = 0; i < n; ++i) c[i] = std::cos(2.0 * static_cast<double>(i));
  return {m, s, c};
}

TEST(Filters, TurnSmallBlocksAsTheExponentialDoes) {
  for (const bool symmetric : {true, false})
    for (const double step : {0.3, 2.5, -2.5}) {
      const Linear p = scattered_blocks(symmetric);
      const Index n = p.m.rows();
      const auto flow = make_fast_flow(p, 1, pair_of("short", "short"), {});
      State s = p.initial_state();
      Vec y(2 * n + 1);
      y << p.m * s.v(), s.q(), 1;
      const Vec exact = exponential(step * generator(p)) * y;
      flow->start(s);
      EXPECT_THAT(flow->text(), testing::HasSubstr("small blocks"));
      Counters work;
      ASSERT_TRUE(flow->flow(0, step, s.q(), s.v(), work));
      EXPECT_LT((s.q() - exact.segment(n, n)).norm(), 1e-11 * exact.norm()) << symmetric << step;
      EXPECT_LT((p.m * s.v() - exact.head(n)).norm(), 1e-11 * exact.norm()) << symmetric << step;
      const double fastest = std::sqrt(test::real_pairs(test::inverse(p.m) * p.s).values.maxCoeff());
      EXPECT_NEAR(flow->fastest_frequency(), fastest, 1e-9 * fastest);
      EXPECT_LT((p.s * flow->fastest_mode() - fastest * fastest * (p.m * flow->fastest_mode())).norm(), 1e-9 * fastest);
    }
}

TEST(Filters, MollifySmallBlocksByTheirTransforms) {
  const Linear p = scattered_blocks(true);
  const Index n = p.m.rows();
  const auto flow = make_fast_flow(p, 1, pair_of("lin", "short*long"), {});
  flow->start(p.initial_state());
  const Weight psi = Weight::named("short*long");
  const test::Pairs modes = test::symmetric_pairs(p.s, p.m);
  const auto filter = [&](double square) { return psi.filter(h * std::sqrt(std::max(0.0, square))); };
  const Vec g = Vec::LinSpaced(n, -1, 2);
  const Vec expected =
      p.m * (modes.vectors * modes.values.unaryExpr(filter).asDiagonal() * (modes.vectors.transpose() * g));
  Mat a(n, 1);
  Vec sum(n);
  Counters work;
  ASSERT_TRUE(flow->average(0, h, p.initial_state().q(), a, work) && flow->mollify(Mat(g), sum, work));
  EXPECT_LT((sum - expected).norm(), 1e-11);
}

const std::string stiff_pairs = R"model([parameters]
m = 40
[sets]
pair = "m"
joint = "m - 1"
[coordinates]
a = { over = "pair", start = "sin(pair)" }
b = { over = "pair", start = "cos(pair)/100", velocity = "cos(3*pair)" }
[[potential]]
over = "pair"
energy = "5000*(b[pair] - 0.3*a[pair])^2"
group = "fast"
[[potential]]
over = "joint"
energy = "(a[joint + 1] - a[joint] - b[joint])^4"
group = "slow"
)model";

// A step takes one slow force, no fast force, and no product with the matrix.
TEST(Filters, SmallBlocksCostNoProducts) {
  constexpr int steps = 50;
  for (const std::string method : {"impulse", "mollified_impulse"}) {
    const Solution s =
        run_of(std::move(read_model("m.toml", stiff_pairs).problem), plan_with(method, steps * 0.03, 0.03));
    const Counters& work = s.outcome.counters;
    EXPECT_EQ(work.products, 0) << method;
    EXPECT_EQ(work.steps, steps) << method;
    EXPECT_EQ(work.forces[0], 0) << method;
    EXPECT_LE(work.forces[1], steps + 1) << method;
  }
}

// A weak spring between neighbouring pairs joins all blocks into one, for which polynomials of the matrix have to be
// used.
TEST(Filters, BlocksThatAreCoupledAreNotTorn) {
  const TextModel model = read_model("m.toml", stiff_pairs + R"model([[potential]]
over = "joint"
energy = "1e-6*(a[joint + 1] - a[joint])^2"
group = "fast"
)model");
  const MechanicalProblem& p = mechanics(model);
  const auto flow = make_fast_flow(p, 1, pair_of("short", "short"), {});
  flow->start(p.initial_state());
  EXPECT_THAT(flow->text(), testing::Not(testing::HasSubstr("small blocks")));
}

// tan(u/4) = (k/beta) sin(beta t)/cosh(k x) solves the differential equation of which the lattice is an approximation.
TEST(Filters, FollowTheBreatherOfSineGordon) {
  constexpr double beta = 0.6, k = 0.8, to = 5;
  double before = 0;
  for (const double step : {0.1, 0.05}) {
    RunPlan plan = plan_with("mollified_impulse", to, step);
    plan.options = {{"phi", "short"}, {"psi", "short"}};
    const Vec y = last_of(run_of(ModelRegistry::all().find("sine_gordon").make({{"points", "1600"}}), plan));
    double error = 0;
    for (Index i = 0; i < 1600; ++i) {
      const double x = (static_cast<double>(i) + 0.5) * 40 / 1600 - 20;
      error = std::max(error, std::abs(y[i] - 4 * std::atan(k / beta * std::sin(beta * to) / std::cosh(k * x))));
    }
    EXPECT_LT(error, 8 * step * step);
    if (before > 0) {
      EXPECT_NEAR(std::log2(before / error), 2, 0.2);
    }
    before = error;
  }
}

// With more than 64 unknowns, products with the matrix are needed. A restart must not compute them a second time.
TEST(Filters, GoOnFromACheckpointBitByBit) {
  const auto model = ModelRegistry::all().find("sine_gordon").make({{"points", "100"}, {"length", "20"}});
  const MechanicalProblem& p = mechanics(*model);
  const auto flow = make_fast_flow(p, fast_groups(p), pair_of("short", "short*long"), {}),
             other = make_fast_flow(p, fast_groups(p), pair_of("short", "short*long"), {});
  State s = p.initial_state();
  flow->start(s);
  other->start(s);
  Mat a(100, 1);
  Vec sum(100);
  const auto go = [&](FastFlow& by, State& from, Counters& work) {
    return by.flow(0, h, from.q(), from.v(), work) && by.average(0, h, from.q(), a, work) && by.mollify(a, sum, work);
  };
  Counters work, unbroken, resumed;
  ASSERT_TRUE(go(*flow, s, work));
  Archive archive;
  flow->memory(archive);
  Archive back(archive.bytes());
  other->memory(back);
  EXPECT_TRUE(back.at_end());
  State again = s;
  ASSERT_TRUE(go(*flow, s, unbroken) && go(*other, again, resumed));
  EXPECT_EQ(s.y, again.y);
  EXPECT_EQ(unbroken.products, resumed.products);
  EXPECT_GT(unbroken.products, 0);
}

TEST(Filters, RefuseAForceThatPushesAway) {
  Linear p = problem(true);
  p.s = -p.s;
  try {
    make_fast_flow(p, 1, pair_of("short", "short"), {})->start(p.initial_state());
    FAIL();
  } catch (const UsageError& e) {
    EXPECT_THAT(e.what(), mentions("eigenvalue -40", "inner=16"));
  }
}

TEST(Filters, StepsOfALatticeAllocateNothing) {
  if (!counts_allocations()) GTEST_SKIP() << "a sanitizer owns malloc";
  const auto model = ModelRegistry::all().find("sine_gordon").make({{"points", "2000"}, {"length", "200"}});
  const auto stepper = Catalogue::all().method("mollified_impulse").make(*model, {});
  State s = model->initial_state();
  const ErrorScale scale{.rtol = 1e-10, .atol = Vec::Constant(s.y.size(), 1e-12)};
  const Vec weights = Vec::Ones(s.y.size());
  Notes notes;
  Counters work;
  const auto step = [&] {
    return stepper->step(s, {0.2, scale, weights, HUGE_VAL, false, false, notes, work, RandomKey{}}).status;
  };
  stepper->start(s, scale);
  ASSERT_EQ(step(), StepStatus::ok);
  const AllocationGuard guard;
  ASSERT_EQ(step(), StepStatus::ok);
  EXPECT_EQ(guard.count(), 0u);
}

TEST(Filters, StepsAllocateNothing) {
  if (!counts_allocations()) GTEST_SKIP() << "a sanitizer owns malloc";
  const Linear p = problem(true, true);
  const auto flow = make_fast_flow(p, 1, pair_of("short", "long*long"), {});
  State s = p.initial_state();
  flow->start(s);
  Counters work;
  Mat a(3, 1), g = Mat::Ones(3, 1);
  Vec sum(3);
  const auto all = [&] {
    return flow->flow(0, h, s.q(), s.v(), work) && flow->average(0, h, s.q(), a, work) && flow->mollify(g, sum, work);
  };
  ASSERT_TRUE(all());
  const AllocationGuard guard;
  ASSERT_TRUE(all());
  EXPECT_EQ(guard.count(), 0u);
}
}  // namespace
}  // namespace trill::testing_models
