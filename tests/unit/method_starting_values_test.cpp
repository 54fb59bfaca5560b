// SPDX-License-Identifier: BSD-3-Clause
// The stages of a step with h >> epsilon: starting values of Newton's iteration are compared with the exact stages
// (JP95 sec. 4), its corrections with those from a dense matrix, and the transformation that decouples the stages is
// tested.
#include "linalg/eigenpairs.hpp"
#include "method/stage_system.hpp"
#include "support/algebra.hpp"
#include "support/text_models.hpp"

#include <cmath>

namespace trill::testing_models {
namespace {
constexpr double h = 0.01, y0 = 1e-5, z0 = 0.7;

// The oscillator as a system y' = z, z' = -lambda, y = epsilon^2 lambda.
TextModel oscillator(double epsilon) {
  return read_model("oscillator", R"toml(
[parameters]
epsilon = 1
[coordinates]
x = { start = 1e-5, velocity = 0.7 }
[[stiff]]
gap = "x"
stiffness = "1/epsilon^2"
)toml",
                    {{"epsilon", fmt::format("{:.17g}", epsilon)}});
}

struct Stages {
  ExtendedVec y, z, lambda;
};

// The exact stages satisfy (epsilon^2 + h^2 A^2) lambda = y0 + h A 1 z0.
Stages exact_stages(ImplicitFamily family, int s, double epsilon) {
  const ExtendedMat A = extended_tableau(family, s).A;
  const ExtendedVec one = ExtendedVec::Ones(s);
  const long double H = h, square = static_cast<long double>(epsilon) * epsilon;
  const ExtendedMat matrix = square * ExtendedMat::Identity(s, s) + H * H * A * A;
  const ExtendedVec right = one * static_cast<long double>(y0) + H * static_cast<long double>(z0) * (A * one);
  const ExtendedVec lambda = matrix.fullPivLu().solve(right);
  return {square * lambda, one * static_cast<long double>(z0) - H * (A * lambda), lambda};
}

// The starting values that the method computes from the slow point q~ = v~ = a = lambda_s = 0, mu = y0, nu = z0. The
// multipliers are computed with the coefficients `far` of y0/h^2.
Stages starting_values(const StageBlock& block, double epsilon, const Vec& far) {
  const TextModel model = oscillator(epsilon);
  LiftedForm form(mechanics(model));
  MechanicalStages stages(block, form);
  const double l1 = y0 / (epsilon * epsilon);
  const Vec k1 = Vec::Constant(1, -l1);
  Mat k = Mat::Zero(1, block.stages), l = k;
  for (Index i = 0; i < block.count; ++i) {
    const Index stage = block.first + i;
    l(0, stage) = far[i] / (h * h) * y0 - block.p_v[i] / h * z0 + block.p_k[i] * l1;
    k(0, stage) = -(block.far[i] / (h * h) * y0 - block.p_v[i] / h * z0 + block.p_k[i] * l1);
  }
  Vec x = Vec::Zero(stages.size());
  stages.begin(0, h, mechanics(model).initial_state().y, k1);
  stages.guess(k, l, x);
  stages.unpack(x);
  const auto implicit = [&](const Mat& values) {
    return ExtendedVec(values.row(0).segment(block.first, block.count).transpose().cast<long double>());
  };
  return {implicit(stages.Q), implicit(stages.V), implicit(stages.L)};
}

struct StartErrors {
  double y, z, lambda, size_z, size_lambda;
};

StartErrors errors_of(const StageBlock& block, ImplicitFamily family, double epsilon, const Vec& far) {
  const Stages ours = starting_values(block, epsilon, far);
  const Stages exact = exact_stages(family, static_cast<int>(block.stages), epsilon);
  const auto most = [&](const ExtendedVec& a, const ExtendedVec& b) {
    return static_cast<double>((a - b.segment(block.first, block.count)).cwiseAbs().maxCoeff());
  };
  return {most(ours.y, exact.y), most(ours.z, exact.z), most(ours.lambda, exact.lambda),
          static_cast<double>(exact.z.cwiseAbs().maxCoeff()), static_cast<double>(exact.lambda.cwiseAbs().maxCoeff())};
}

struct Row {
  const char* name;
  ImplicitFamily family;
  ImplicitTableau (*tableau)(int);
  int s;
  double y, z, lambda;  // errors at epsilon = 1e-7, from a computation with 30 digits
};

// The errors of z and lambda are relative to the largest stage.
TEST(StartingValues, OfInvertibleTableausAreOffByEpsilonSquared) {
  for (const Row& row : {Row{"gauss", ImplicitFamily::gauss, gauss_tableau, 5, 1.03e-11, 3.65e-6, 1.23e-7},
                         Row{"radau", ImplicitFamily::radau_iia, radau_iia_tableau, 3, 2.91e-12, 8.72e-7, 9.96e-9}}) {
    const StageBlock block = make_stage_block(row.tableau(row.s));
    for (const double epsilon : {1e-7, 1e-8}) {
      const StartErrors errors = errors_of(block, row.family, epsilon, block.far);
      const double square = epsilon * epsilon * 1e14;
      EXPECT_NEAR(errors.y / square, row.y, 0.005 * row.y) << row.name << epsilon;
      EXPECT_NEAR(errors.z / errors.size_z / square, row.z, 0.005 * row.z) << row.name << epsilon;
      EXPECT_NEAR(errors.lambda / errors.size_lambda / square, row.lambda, 0.005 * row.lambda) << row.name << epsilon;
    }
  }
}

// These errors are absolute and belong to epsilon = 1e-6, because the first stage contains y0/epsilon^2, whose
// rounding is 1e-7 at epsilon = 1e-7. With the coefficient of y0/h^2 that is printed in the paper, At^-2 1, the error
// does not become smaller with epsilon.
TEST(StartingValues, OfLobattoIIIAAreOffByEpsilonSquaredOnceCorrected) {
  struct PrintedError {
    Row row;
    double as_printed;
  };
  const ImplicitFamily family = ImplicitFamily::lobatto_iiia;
  for (const auto& [row, as_printed] :
       {PrintedError{{"3", family, lobatto_iiia_tableau, 3, 8.47e-12, 5.07e-9, 2.02e-6}, 3.6},
        PrintedError{{"4", family, lobatto_iiia_tableau, 4, 1.71e-11, 2.04e-8, 1.59e-5}, 15.4},
        PrintedError{{"5", family, lobatto_iiia_tableau, 5, 2.88e-11, 5.7e-8, 7.44e-5}, 44.2}}) {
    const StageBlock block = make_stage_block(row.tableau(row.s));
    const StartErrors errors = errors_of(block, family, 1e-6, block.far);
    EXPECT_NEAR(errors.y / 100, row.y, 0.005 * row.y) << row.name;
    EXPECT_NEAR(errors.z / 100, row.z, 0.005 * row.z) << row.name;
    EXPECT_NEAR(errors.lambda / 100, row.lambda, 0.005 * row.lambda) << row.name;
    for (const double epsilon : {1e-6, 1e-7}) {
      const Vec printed = block.P * Vec::Ones(block.count);
      EXPECT_NEAR(errors_of(block, family, epsilon, printed).lambda, as_printed, 0.01 * as_printed) << row.name;
    }
  }
}

// A pendulum on a stiff spring with friction. No block of its Newton matrix vanishes.
TextModel damped_pendulum() {
  return read_model("damped_pendulum", R"toml(
[coordinates]
x = { start = 1, velocity = 0.2, mass = 2 }
y = { start = 0.1, velocity = -0.3 }
[[stiff]]
gap = "sqrt(x^2 + y^2) - 1"
stiffness = 1e10
[[potential]]
energy = "-y + 0.3*x*x*y"
group = "gravity"
[[force]]
on = "x"
value = "-0.4*vx + 0.1*vy"
group = "drag"
)toml",
                    {});
}

// The Newton matrix of all stages together. For partitioned methods it is without derivatives of forces with respect
// to velocities, since these methods leave them out.
Mat dense_matrix(const StageBlock& block, const LiftedForm& form) {
  const Index n = form.unknowns(), m = form.rows(), width = n + m;
  const Mat M = dense(form.mass()), slope = dense(form.slope()), G = dense(form.jacobian());
  const Mat damping = block.partitioned ? Mat::Zero(n, n) : dense(form.damping());
  Mat all = Mat::Zero(block.count * width, block.count * width);
  for (Index i = 0; i < block.count; ++i) {
    for (Index j = 0; j < block.count; ++j)
      all.block(i * width, j * width, n, n) = block.P(i, j) / (h * h) * M - block.S(i, j) / h * damping;
    all.block(i * width, i * width, n, n) += slope;
    all.block(i * width, i * width + n, n, m) = G.transpose();
    all.block(i * width + n, i * width, m, n) = G;
    all.block(i * width + n, i * width + n, m, m) = -Mat(form.compliance().asDiagonal());
  }
  return all;
}

TEST(StageSystem, CorrectionIsThatOfTheDenseMatrix) {
  const TextModel model = damped_pendulum();
  LiftedForm form(mechanics(model));
  const State start = mechanics(model).initial_state();
  std::vector<StageBlock> blocks;
  for (const int s : {3, 4, 5})
    for (const auto make :
         {gauss_tableau, radau_iia_tableau, lobatto_iiia_tableau, lobatto_iiib_tableau, lobatto_iiic_tableau})
      blocks.push_back(make_stage_block(make(s)));
  for (const int s : {3, 4, 5}) blocks.push_back(make_stage_block(lobatto_pair_tableau(s)));
  for (const StageBlock& block : blocks) {
    MechanicalStages stages(block, form);
    stages.begin(0, h, start.y, Vec::Zero(2));
    stages.point = {0, start.q(), start.v(), Vec::Constant(2, 0.5), Vec::Constant(1, 1.5)};
    Vec r(stages.size()), ours(stages.size());
    for (Index k = 0; k < r.size(); ++k) r[k] = std::sin(1.3 * static_cast<double>(k) + 0.4);
    ASSERT_TRUE(stages.prepare(r));
    stages.correct(r, ours);
    const Mat matrix = dense_matrix(block, form);
    // Rows and columns are scaled, because multipliers are larger than displacements by 1/h^2.
    Vec scale = Vec::Ones(r.size());
    for (Index i = 2; i < r.size(); i += 3) scale[i] = 1 / (h * h);
    const Mat scaled = scale.asDiagonal() * matrix * scale.asDiagonal();
    const Vec expected = test::solved(scaled, scale.cwiseProduct(r));
    EXPECT_LT((ours.cwiseQuotient(scale) - expected).cwiseAbs().maxCoeff(), 1e-13 * expected.cwiseAbs().maxCoeff())
        << block.stages << " stages, " << block.count << " implicit" << (block.partitioned ? ", a pair" : "");
  }
}

// A complex matrix of modes is written as the real matrix [Re, -Im; Im, Re], which has the same singular values, each
// of them twice.
struct ModeMatrices {
  Mat transform, inverse;
};
ModeMatrices matrices_of_modes(const StageBlock& block) {
  const Index n = block.count;
  ModeMatrices m{Mat::Zero(2 * n, 2 * n), Mat::Zero(2 * n, 2 * n)};
  Index k = 0;
  const auto add = [&](const Vec& right_real, const Vec& right_imag, const Vec& left_real, const Vec& left_imag) {
    m.transform.col(k) << right_real, right_imag;
    m.transform.col(n + k) << -right_imag, right_real;
    m.inverse.row(k) << left_real.transpose(), -left_imag.transpose();
    m.inverse.row(n + k) << left_imag.transpose(), left_real.transpose();
    ++k;
  };
  const Vec zero = Vec::Zero(n);
  for (const auto& mode : block.reals) add(mode.right, zero, mode.left, zero);
  for (const auto& mode : block.pairs)
    for (const double sign : {1.0, -1.0})
      add(mode.right_real / 2, sign * mode.right_imag / 2, mode.left_real, sign * mode.left_imag);
  return m;
}

double largest_singular_value(const Mat& a) {
  const Mat squares = a.transpose() * a;
  return std::sqrt(symmetric_eigenpairs(squares, Mat::Identity(a.cols(), a.cols())).values.maxCoeff());
}

// The transformation loses few digits: with eigenvectors of length one its condition number grows by a factor of less
// than 4 with each stage.
TEST(StageBlock, TransformationIsWellConditioned) {
  struct Conditions {
    ImplicitTableau (*make)(int);
    int least;
    std::vector<double> values;
  };
  for (const auto& [make, least, values] :
       {Conditions{gauss_tableau,
                   2,
                   {3.732050807568879, 12.837550934272977, 45.58494250326338, 165.00419097792377, 602.6538662275497,
                    2211.8508100405775, 8143.572386425566}},
        Conditions{radau_iia_tableau,
                   2,
                   {3.2255049266776927, 8.991372907797897, 28.319286542960693, 95.28967709413644, 331.1052102501292,
                    1171.280878015877, 4190.321325168014}},
        Conditions{lobatto_iiic_tableau,
                   3,
                   {3.2846996881981445, 10.051358651197672, 34.42250044101259, 121.67116953539393, 435.4297296559101,
                    1566.5584438364756}},
        Conditions{lobatto_iiia_tableau,
                   3,
                   {4.694460254014035, 16.688973021377162, 60.028950013811496, 217.59503264032026, 791.1160853767717,
                    2882.2406099894392}}})
    for (std::size_t k = 0; k < values.size(); ++k) {
      const int s = least + static_cast<int>(k);
      const ModeMatrices modes = matrices_of_modes(make_stage_block(make(s)));
      const double condition = largest_singular_value(modes.transform) * largest_singular_value(modes.inverse);
      EXPECT_NEAR(condition, values[k], 1e-10 * values[k]) << s;
    }
}
}  // namespace
}  // namespace trill::testing_models
