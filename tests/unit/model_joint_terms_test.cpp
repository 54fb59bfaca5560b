// SPDX-License-Identifier: BSD-3-Clause
// Forces, gaps, slopes and curvatures computed in one call: the same bits as from separate calls, with less work.
#include "formulation/slow_system.hpp"
#include "model/text/compiled_model.hpp"
#include "problem/joint_terms.hpp"
#include "support/text_models.hpp"
#include "trill/problem/model_registry.hpp"

#include <cmath>

namespace trill::testing_models {
namespace {
// Two soft groups besides the gaps. The soft spring and the drag contain the length of the stiff spring.
const std::string stiff_triangle = R"model([parameters]
k = 1e6
[coordinates]
p = { point = 2, start = [0.6, 0.8], velocity = [0.3, -0.2] }
r = { point = 2, start = [1.5, 0.1], velocity = [0.1, 0.4] }
[[stiff]]
gap = "sqrt(p.x^2 + p.y^2) - 1"
stiffness = "k"
group = "rods"
[[stiff]]
gap = "distance(p, r) - 1.1*(1 + 0.01*sin(p.x))"
stiffness = "2*k"
group = "rods"
[[potential]]
energy = "p.y + 2*r.y + cos(distance(p, r))"
group = "soft"
[[force]]
on = "r.x"
value = "-0.1*vr.x*distance(p, r)"
group = "drag"
)model";

const std::string chain = R"model([parameters]
n = 40
[sets]
mass = "n"
link = "n - 1"
[coordinates]
x = { over = "mass", point = 2, start = ["mass", "0.1*sin(mass)"], velocity = ["0.1*sin(mass)", "0.1*cos(1.7*mass)"] }
[[stiff]]
over = "link"
gap = "distance(x[link], x[link + 1]) - 1"
stiffness = "1e6"
group = "stiff"
[[potential]]
over = "link"
energy = "(distance(x[link], x[link + 1]) - 1)^4 + x[link].y"
group = "soft"
)model";

Vec shaken(const Vec& x, double by) {
  Vec y = x;
  for (Index i = 0; i < y.size(); ++i) y[i] += by * std::sin(3.7 * static_cast<double>(i) + 1);
  return y;
}

struct Found {
  Vec f, g, eta, covector, rows;
  MatrixSlot G, G2;
};

// `k` is the order of the time derivatives that rates() computes.
Found found_by(const JointTerms& terms, const MechanicalProblem& p, const ConstraintMap& map, int k) {
  const Index n = p.layout().nq, m = map.count();
  const Vec q = shaken(p.initial_state().q(), 0.02), v = shaken(p.initial_state().v(), 0.3), a = shaken(v, 1),
            jerk = shaken(a, 2), s = shaken(Vec::Zero(m), 1), s1 = shaken(s, 2);
  Found all{Vec(3 * n), Vec(m), Vec(m), Vec(n), Vec(m), map.pattern(), map.pattern()};
  terms.force_and_gaps(0.3, q.data(), v.data(), all.f.data(), all.g.data(), all.G);
  terms.force_and_curvature(0.3, q, v, all.f.segment(n, n), all.G2, all.eta);
  const Motion motion{0.3, q.data(), v.data(), a.data(), jerk.data(), jerk.data()};
  terms.rates(k, motion, s, s1, all.f.tail(n), all.covector, all.rows);
  return all;
}

double distance_of(const MatrixSlot& a, const MatrixSlot& b) { return (dense(a) - dense(b)).cwiseAbs().maxCoeff(); }

void expect_same(const MechanicalProblem& p, Groups groups, const ConstraintMap& map) {
  const auto joint = make_joint_terms(p, groups, map);
  ASSERT_EQ(dynamic_cast<const SeparateTerms*>(joint.get()), nullptr) << p.name();
  for (const int k : {1, 2}) {
    const Found ours = found_by(*joint, p, map, k), theirs = found_by(SeparateTerms(p, groups, map), p, map, k);
    EXPECT_TRUE(theirs.f.allFinite() && theirs.eta.allFinite()) << p.name();
    EXPECT_EQ(ours.f, theirs.f) << p.name() << k;
    EXPECT_EQ(ours.g, theirs.g) << p.name();
    EXPECT_EQ(ours.eta, theirs.eta) << p.name();
    EXPECT_EQ(ours.covector, theirs.covector) << p.name() << k;
    EXPECT_EQ(ours.rows, theirs.rows) << p.name() << k;
    EXPECT_EQ(distance_of(ours.G, theirs.G), 0) << p.name();
    EXPECT_EQ(distance_of(ours.G2, theirs.G2), 0) << p.name();
  }
}

void expect_same(const MechanicalProblem& p) {
  const StrongPotential* strong = p.strong_potential();
  if (strong && strong->groups != 0) expect_same(p, known_groups(p) & ~strong->groups, *strong->map);
  if (p.constraints()) expect_same(p, known_groups(p), *p.constraints());
}

TEST(JointTerms, AreTheSeparateOnesBitByBit) {
  for (const std::string& text : {stiff_triangle, chain}) expect_same(mechanics(read_model("m.toml", text)));
}

TEST(JointTerms, OfShippedModelsAreTheSeparateOnes) {
  int seen = 0;
  for (const ModelEntry& entry : ModelRegistry::all().entries()) {
    const auto problem = entry.make({});
    const auto* p = dynamic_cast<const MechanicalProblem*>(problem.get());
    if (!p || !dynamic_cast<const JointModel*>(p)) continue;
    seen += p->constraints() || p->strong_potential();
    expect_same(*p);
  }
  EXPECT_GT(seen, 10);
}

// Whether several points can be computed in one call. If so, each of them must have the same bits as in a call of its
// own.
bool serves_points(const MechanicalProblem& p, Groups groups, const ConstraintMap& map) {
  constexpr Index points = 4;
  const auto joint = make_joint_terms(p, groups, map);
  const Index n = p.layout().nq, m = map.count();
  MatrixSlot G = map.pattern();
  Mat q(n, points), v(n, points), values = Mat::Constant(n + m + G.stored(), points, 7);
  for (Index k = 0; k < points; ++k) {
    q.col(k) = shaken(p.initial_state().q(), 0.01 * static_cast<double>(k + 1));
    v.col(k) = shaken(p.initial_state().v(), 0.2 * static_cast<double>(k + 1));
  }
  if (!joint->force_and_gaps_at(points, q.data(), v.data(), values.data())) return false;
  Vec f(n), g(m);
  for (Index k = 0; k < points; ++k) {
    joint->force_and_gaps(0, q.col(k).data(), v.col(k).data(), f.data(), g.data(), G);
    EXPECT_EQ(values.col(k).head(n), f) << p.name();
    EXPECT_EQ(values.col(k).segment(n, m), g) << p.name();
    EXPECT_EQ(values.col(k).tail(G.stored()), Eigen::Map<const Vec>(G.values(), G.stored())) << p.name();
  }
  return true;
}

bool serves_points(const std::string& text) {
  const TextModel model = read_model("m.toml", text);
  const MechanicalProblem& p = mechanics(model);
  return serves_points(p, known_groups(p) & ~p.strong_potential()->groups, *p.strong_potential()->map);
}

std::string changed(std::string text, const std::string& what, const std::string& into) {
  return text.replace(text.find(what), what.size(), into);
}

TEST(JointTerms, AtSeveralPointsAreThoseAtEachOfThem) {
  EXPECT_TRUE(serves_points(stiff_triangle));
  EXPECT_TRUE(serves_points(changed(chain, "n = 40", "n = 5")));
  int seen = 0;
  for (const ModelEntry& entry : ModelRegistry::all().entries()) {
    const auto problem = entry.make({});
    const auto* p = dynamic_cast<const MechanicalProblem*>(problem.get());
    if (!p || !dynamic_cast<const JointModel*>(p)) continue;
    const StrongPotential* strong = p->strong_potential();
    if (strong && strong->groups != 0) seen += serves_points(*p, known_groups(*p) & ~strong->groups, *strong->map);
    if (p->constraints()) seen += serves_points(*p, known_groups(*p), *p->constraints());
  }
  EXPECT_GT(seen, 5);
}

// Calls with several points are wrong if forces depend on t (the points of a step have different times) or on the
// numbers of elements. In large models they are useless, because a call costs little compared with the work inside.
TEST(JointTerms, AreNotComputedAtSeveralPointsWhereThatWouldBeWrongOrUseless) {
  EXPECT_FALSE(serves_points(changed(stiff_triangle, "p.y + 2*r.y", "p.y*cos(t) + 2*r.y")));
  EXPECT_FALSE(serves_points(changed(changed(chain, "n = 40", "n = 5"), "+ x[link].y", "+ link*x[link].y")));
  EXPECT_FALSE(serves_points(chain));
}

TEST(JointTerms, AreRefusedForOtherGroupsAndMaps) {
  const TextModel model = read_model("m.toml", stiff_triangle);
  const MechanicalProblem& p = mechanics(model);
  const auto other = make_joint_terms(p, known_groups(p), *p.strong_potential()->map);
  EXPECT_NE(dynamic_cast<const SeparateTerms*>(other.get()), nullptr);
}

std::size_t operations(const CompiledModel& model, const std::vector<FunctionKey>& keys) {
  std::size_t sum = 0;
  const auto add = [&](const Routine& routine) { sum += routine.program.of_instance().code.size(); };
  for (const FunctionKey key : keys) {
    if (key.purpose == Purpose::jacobian) {
      for (const MatrixPart& part : model.functions->matrix(key).parts) add(*part.routine);
    } else {
      for (const auto& routine : model.functions->vector(key).routines) add(*routine);
    }
  }
  return sum;
}

TEST(JointTerms, ComputeCommonTermsOnce) {
  for (const std::string& text : {stiff_triangle, chain}) {
    CompiledModel model("m.toml", text);
    model.file = read_model_file(model.source);
    compile_model(model, {});
    std::vector<FunctionKey> forces;
    for (std::size_t g = 0; g < model.groups.size(); ++g)
      if ((model.gap_groups >> g & 1) == 0) forces.push_back({Purpose::force, static_cast<int>(g)});
    const std::size_t force = operations(model, forces);
    EXPECT_LT(operations(model, {{Purpose::force_and_gaps, of_gaps}}),
              force + operations(model, {{Purpose::value, of_gaps}, {Purpose::jacobian, of_gaps}}) * 3 / 4);
    EXPECT_LT(operations(model, {{Purpose::force_and_curvature, of_gaps}}),
              force + operations(model, {{Purpose::slope_and_curvature, of_gaps}}));
  }
}
}  // namespace
}  // namespace trill::testing_models
