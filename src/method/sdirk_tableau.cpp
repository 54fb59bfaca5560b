// SPDX-License-Identifier: BSD-3-Clause
#include "method/sdirk_tableau.hpp"

#include "linalg/extended_lu.hpp"

#include <cmath>
#include <numbers>

namespace trill {
namespace {
// Inner nodes. R does not depend on them; these keep all coefficients below 3.6 over the whole range of gamma.
double inner_node_of_three(double gamma) { return gamma < 0.75 ? 0.5 * (1 + gamma) : 0.5; }
std::pair<double, double> inner_nodes_of_four(double gamma) {
  return gamma < 0.37 ? std::pair{0.75, 0.6} : std::pair{0.95, 0.25};
}

void fill_two(double g, SdirkTableau& t) {
  t.c << g, 1;
  t.a << g, 0, 1 - g, g;
}

// Order 2: b1 + b2 = 1 - gamma, b1 gamma + b2 c2 = 1/2 - gamma.
void fill_three(double g, SdirkTableau& t) {
  const double c2 = inner_node_of_three(g);
  const double b2 = (0.5 - 2 * g + g * g) / (c2 - g);
  t.c << g, c2, 1;
  t.a << g, 0, 0, c2 - g, g, 0, 1 - g - b2, b2, g;
}

// Order 3: b from sum b = 1, sum b c = 1/2, sum b c^2 = 1/3, then a32 from sum b A c = 1/6.
void fill_four(double g, SdirkTableau& t) {
  const auto [c2, c3] = inner_nodes_of_four(g);
  const double m11 = c2 - g, m12 = c3 - g, m21 = c2 * c2 - g * g, m22 = c3 * c3 - g * g;
  const double r1 = 0.5 - 2 * g + g * g, r2 = 1.0 / 3 - g - g * g * (1 - g), by_det = 1 / (m11 * m22 - m21 * m12);
  const double b2 = m22 * by_det * r1 - m12 * by_det * r2, b3 = m11 * by_det * r2 - m21 * by_det * r1;
  const double b1 = 1 - g - (b2 + b3);
  const double without_a32 = b1 * g * g + b2 * (2 * g * c2 - g * g) + b3 * (2 * g * c3 - g * g) + 0.5 * g;
  const double a32 = (1.0 / 6 - without_a32) / (b3 * (c2 - g));
  t.c << g, c2, c3, 1;
  t.a << g, 0, 0, 0, c2 - g, g, 0, 0, c3 - g - a32, a32, g, 0, b1, b2, b3, g;
}

// The rows of the inner stages: sum_j a_ij c_j = c_i^2/2, where one coefficient of the fourth stage is free. It and the
// nodes keep all coefficients below 2.3.
void fill_inner_stages(double g, SdirkTableau& t) {
  double free = 0;
  t.c[0] = 2 * g;
  if (t.stages == 3) t.c[1] = g < 0.36 ? 0.9 : 0.6;
  if (t.stages == 4) {
    t.c[1] = g < 0.36 ? 0.9 : 0.25;
    t.c[2] = g < 0.36 ? 0.4 : 0.6;
    free = g < 0.36 ? -0.25 : 0.5;
  }
  t.c[t.stages - 1] = 1;
  for (int i = 0; i + 1 < t.stages; ++i) {
    t.a(i, i) = g;
    if (i == 2) t.a(i, 1) = free;
    if (i > 0) t.a(i, 0) = (t.c[i] * t.c[i] / 2 - g * t.c[i] - t.a(i, 1) * (i == 2 ? t.c[1] : 0)) / (2 * g);
    t.start[i] = t.c[i] - t.a.row(i).sum();
  }
}

// The last stage: sum b c^k = 1/(k + 1) for k below the order, and R(infinity) = 0, which is b_0 = sum_{i<s} b_i x_i
// where x = A^-1 times the weights of the start.
void fill_last_stage(double g, SdirkTableau& t) {
  const int s = t.stages;
  Vec x = Vec::Zero(s - 1);
  for (int i = 0; i + 1 < s; ++i) x[i] = (t.start[i] - t.a.row(i).head(i).dot(x.head(i))) / g;
  ExtendedMat conditions(s, s);
  ExtendedVec values(s);
  for (int k = 0; k + 1 < s; ++k) {
    conditions(k, 0) = k == 0 ? 1 : 0;
    for (int i = 1; i < s; ++i) conditions(k, i) = std::pow(t.c[i - 1], k);
    values[k] = 1.0 / (k + 1) - g;
  }
  conditions(s - 1, 0) = 1;
  for (int i = 1; i < s; ++i) conditions(s - 1, i) = -x[i - 1];
  values[s - 1] = 0;
  const Vec b = ExtendedLu<Extended>(conditions).solve(values).cast<double>();
  t.start[s - 1] = b[0];
  t.a.row(s - 1).head(s - 1) = b.tail(s - 1);
  t.a(s - 1, s - 1) = g;
}

// Coefficients of the elementary differentials of order s in h sum w_i k_i, where k_0 is the slope at the start.
struct Trees {
  Vec c, ac, cc;
  Mat of_order_s;  // one row per differential
  Vec exact;       // those of the exact solution

  explicit Trees(const SdirkTableau& t) {
    const int s = t.stages;
    Mat a = Mat::Zero(s + 1, s + 1);
    a.bottomRightCorner(s, s) = t.a;
    if (t.start.size() > 0) a.col(0).tail(s) = t.start;
    c = Vec::Zero(s + 1);
    c.tail(s) = t.c;
    ac = a * c;
    cc = c.cwiseAbs2();
    of_order_s.resize(s == 4 ? 4 : s - 1, s + 1);
    exact.resize(of_order_s.rows());
    if (s == 2) {
      of_order_s.row(0) = c;
      exact << 1.0 / 2;
    } else if (s == 3) {
      of_order_s << cc.transpose() / 2, ac.transpose();
      exact << 1.0 / 6, 1.0 / 6;
    } else {
      of_order_s << cc.cwiseProduct(c).transpose() / 6, c.cwiseProduct(ac).transpose(), (a * cc).transpose() / 2,
          (a * ac).transpose();
      exact << 1.0 / 24, 1.0 / 8, 1.0 / 24, 1.0 / 24;
    }
  }
};

// The shortest x with A x = b for a matrix of full row rank: A^T (A A^T)^-1 b.
Vec shortest_solution(const Mat& a, const Vec& b) {
  const ExtendedMat wide = a.cast<Extended>();
  const ExtendedVec y = ExtendedLu<Extended>(extended_product(wide, wide.transpose())).solve(b.cast<Extended>());
  return extended_product(wide.transpose(), y).cast<double>();
}

// The null vector of a matrix with one column more than independent rows: x_i = (-1)^i det(A without column i).
Vec null_vector(const Mat& a) {
  Vec x(a.cols());
  ExtendedMat rest(a.rows(), a.rows());
  for (Index left_out = 0; left_out < a.cols(); ++left_out) {
    for (Index j = 0; j < a.rows(); ++j) rest.col(j) = a.col(j < left_out ? j : j + 1).cast<Extended>();
    const Extended determinant = ExtendedLu<Extended>(rest).determinant();
    x[left_out] = static_cast<double>(left_out % 2 == 0 ? determinant : -determinant);
  }
  return x;
}

// Weights of h k_0 .. h k_s that vanish on all trees below order s. On those of order s they are made as large as the
// error of the method, but at least half the derivative of that order: at the gamma of highest order the method has no
// error there.
Vec error_weights(const SdirkTableau& t) {
  const int s = t.stages;
  const Trees trees(t);
  Vec b = Vec::Zero(s + 1), e;
  b.tail(s) = t.a.row(s - 1);
  if (t.start.size() > 0) b[0] = t.start[s - 1];
  Mat conditions = Mat::Ones(s, s + 1);
  if (s >= 3) conditions.row(1) = trees.c;
  if (s == 2) {
    e = Eigen::Vector3d(-1, 0, 1);
  } else if (s == 3) {
    // There are two directions; take the one that sees f' f' f with the smallest weights.
    conditions.row(2) = trees.ac;
    e = shortest_solution(conditions, Vec::Unit(3, 2));
  } else if (t.start.size() > 0) {
    // Stages of order 2 make A c = c^2/2: one condition less, and again the smallest weights.
    conditions.row(2) = trees.cc;
    conditions.row(3) = trees.cc.cwiseProduct(trees.c);
    e = shortest_solution(conditions, Vec::Unit(4, 3));
  } else {
    conditions.row(2) = trees.cc;
    conditions.row(3) = trees.ac;
    e = null_vector(conditions);
  }
  const double error = (trees.of_order_s * b - trees.exact).norm();
  return std::max(error, 0.5 * trees.exact.norm()) / (trees.of_order_s * e).norm() * e;
}

bool nearly(double x, double y) { return std::abs(x - y) < 1e-10; }

// At these gammas two and three stages reach order s on nonlinear problems too; four do so only on linear ones.
int order_of(int stages, double gamma) {
  const bool best = stages < 4 && (nearly(gamma, most_accurate_gamma(stages)) ||
                                   (stages == 2 && nearly(gamma, l_stable_gammas(2).max)));
  return best ? stages : stages - 1;
}

SdirkTableau empty_tableau(int stages, double gamma) {
  return {stages, order_of(stages, gamma), gamma, Mat::Zero(stages, stages), Vec::Zero(stages), {}, {}};
}
}  // namespace

GammaRange l_stable_gammas(int stages) {
  if (stages == 2) return {1 - std::numbers::sqrt2 / 2, 1 + std::numbers::sqrt2 / 2};
  if (stages == 3) return {0.18042530642819535, 2.185600123263291};
  return {0.22364779943972415, 0.5728160635015328};
}

double most_accurate_gamma(int stages) {
  if (stages == 2) return 1 - std::numbers::sqrt2 / 2;
  if (stages == 3) return 0.43586652150845900;
  return 0.5728160624821347;
}

SdirkTableau make_sdirk_tableau(int stages, double gamma) {
  SdirkTableau t = empty_tableau(stages, gamma);
  if (stages == 2) fill_two(gamma, t);
  if (stages == 3) fill_three(gamma, t);
  if (stages == 4) fill_four(gamma, t);
  t.error = error_weights(t);
  return t;
}

SdirkTableau make_constrained_sdirk_tableau(int stages, double gamma) {
  SdirkTableau t = empty_tableau(stages, gamma);
  t.start = Vec::Zero(stages);
  fill_inner_stages(gamma, t);
  fill_last_stage(gamma, t);
  t.error = error_weights(t);
  return t;
}
}  // namespace trill
