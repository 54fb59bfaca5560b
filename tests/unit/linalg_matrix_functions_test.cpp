// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/matrix_functions.hpp"
#include "support/algebra.hpp"
#include "support/allocation_count.hpp"
#include "support/mentions.hpp"
#include "trill/base/errors.hpp"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

namespace trill {
namespace {
double sine_over(double x) { return x == 0 ? 1 : std::sin(x) / x; }

// The functions cos, sinc and x sin x, and the filters that belong to the weights short and long*long.
FunctionFamily five_functions() {
  return {[](double x) { return std::cos(x); }, sine_over, [](double x) { return x * std::sin(x); },
          [](double x) { return sine_over(x / 2); }, [](double x) { return sine_over(x) * sine_over(x); }};
}

MatrixSlot slot(const SpMat& a) {
  MatrixSlot s = MatrixSlot::sparse(a);
  std::copy(a.valuePtr(), a.valuePtr() + a.nonZeros(), s.values());
  return s;
}
MatrixSlot slot(const Mat& a) {
  MatrixSlot s = MatrixSlot::dense(a.rows(), a.cols());
  std::copy(a.data(), a.data() + a.size(), s.values());
  return s;
}

SpMat laplacian(Index n) {
  SpMat a(n, n);
  for (Index i = 0; i < n; ++i) {
    a.insert(i, i) = 2;
    if (i > 0) a.insert(i, i - 1) = -1;
    if (i + 1 < n) a.insert(i, i + 1) = -1;
  }
  a.makeCompressed();
  return a;
}
SpMat diagonal(const Vec& d) {
  SpMat a(d.size(), d.size());
  for (Index i = 0; i < d.size(); ++i) a.insert(i, i) = d[i];
  a.makeCompressed();
  return a;
}
Vec varying(Index n) {
  Vec m(n);
  for (Index i = 0; i < n; ++i) m[i] = 1 + 0.5 * std::sin(3.0 * static_cast<double>(i));
  return m;
}
Vec some_vector(Index n) {
  Vec x(n);
  for (Index i = 0; i < n; ++i) x[i] = std::cos(static_cast<double>(i * i));
  return x;
}

// f(h sqrt(K)) x for a diagonal mass, computed through the symmetric matrix M^-1/2 S M^-1/2.
Mat by_square_roots(const SpMat& s, const Vec& mass, double h, const FunctionFamily& family, const Vec& x) {
  const Vec root = mass.cwiseSqrt();
  const Mat symmetric = root.cwiseInverse().asDiagonal() * Mat(s) * root.cwiseInverse().asDiagonal();
  const test::Pairs pairs = test::symmetric_pairs(symmetric);
  const Vec z = pairs.vectors.transpose() * (root.cwiseProduct(x));
  Mat y(x.size(), static_cast<Index>(family.size()));
  for (Index f = 0; f < y.cols(); ++f) {
    Vec scaled = z;
    for (Index i = 0; i < z.size(); ++i)
      scaled[i] *= family[static_cast<std::size_t>(f)](h * std::sqrt(std::max(0.0, pairs.values[i])));
    y.col(f) = root.cwiseInverse().cwiseProduct(pairs.vectors * scaled);
  }
  return y;
}

double largest_frequency(const SpMat& s, const Vec& mass) {
  const Vec root = mass.cwiseSqrt().cwiseInverse();
  return std::sqrt(test::symmetric_pairs(root.asDiagonal() * Mat(s) * root.asDiagonal()).values.maxCoeff());
}

// The largest difference, for each function relative to its own largest value.
double difference(const Mat& a, const Mat& b) {
  double largest = 0;
  for (Index f = 0; f < a.cols(); ++f)
    largest = std::max(largest, (a.col(f) - b.col(f)).norm() / std::max(1.0, b.col(f).norm()));
  return largest;
}

struct Chain {
  explicit Chain(double constant_mass = 0)
      : m(constant_mass > 0 ? Vec(Vec::Constant(400, constant_mass)) : varying(400)) {}
  SpMat s = laplacian(400);
  Vec m;
  MatrixSlot stiffness = slot(s), mass = slot(diagonal(m));
  Pencil pencil{stiffness, mass};
  double fastest = largest_frequency(s, m);
};
}  // namespace

TEST(MatrixFunctions, AllKindsAgreeWithMatrixSquareRoots) {
  const Chain chain;
  const Vec x = some_vector(400);
  for (const double reach : {2.0, 20.0, 80.0}) {
    const double h = reach / chain.fastest;
    const Mat exact = by_square_roots(chain.s, chain.m, h, five_functions(), x);
    for (auto& functions :
         {dense_functions(chain.pencil, {five_functions()}), lanczos_functions(chain.pencil, {five_functions()}, 1e-13),
          chebyshev_functions(chain.pencil, {five_functions()}, 1e-13)}) {
      functions->prepare(h);
      const Mat* y = functions->apply(0, x);
      ASSERT_NE(y, nullptr) << functions->name();
      EXPECT_LT(difference(*y, exact), 1e-12) << functions->name() << ' ' << reach;
      EXPECT_GE(functions->fastest(), chain.fastest * (1 - 1e-4));
      EXPECT_LE(functions->fastest(), chain.fastest * (1 + 1e-10));
    }
  }
}

// Numbers of matrix-vector products for five functions of the same vector, from an independent program. For Chebyshev
// they depend only on h times the largest frequency (`reach`). For Lanczos they also depend on the masses, which
// varied in another way in that program; hence the wider tolerance.
TEST(MatrixFunctions, CountsOfProductsAreThoseOfAnIndependentProgram) {
  struct Row {
    double reach, lanczos6, lanczos12, chebyshev6, chebyshev12;
  };
  const Chain varied, even(1);  // for equal masses Gershgorin's bound is the largest eigenvalue
  for (const Row& row : {Row{2, 6, 9, 5, 8}, Row{5, 10, 14, 9, 13}, Row{10, 15, 20, 14, 20}, Row{20, 24, 30, 25, 32},
                         Row{40, 40, 49, 46, 55}, Row{80, 72, 83, 86, 98}}) {
    const auto count = [&](auto make, const Chain& chain, double tolerance) {
      auto functions = make(chain.pencil, FunctionFamilies{five_functions()}, tolerance);
      functions->prepare(row.reach / chain.fastest);
      const long before = functions->products();
      EXPECT_NE(functions->apply(0, some_vector(400)), nullptr);
      return static_cast<double>(functions->products() - before);
    };
    EXPECT_NEAR(count(chebyshev_functions, even, 1e-6), row.chebyshev6, 2) << row.reach;
    EXPECT_NEAR(count(chebyshev_functions, even, 1e-12), row.chebyshev12, 2) << row.reach;
    EXPECT_NEAR(count(lanczos_functions, varied, 1e-6), row.lanczos6, 2 + 0.15 * row.lanczos6) << row.reach;
    EXPECT_NEAR(count(lanczos_functions, varied, 1e-12), row.lanczos12, 2 + 0.15 * row.lanczos12) << row.reach;
  }
}

TEST(MatrixFunctions, ZeroEigenvaluesAreRegular) {
  SpMat s = laplacian(100);  // with free ends the centre of mass moves without a restoring force
  s.coeffRef(0, 0) = s.coeffRef(99, 99) = 1;
  const MatrixSlot stiffness = slot(s), mass = slot(diagonal(Vec::Ones(100)));
  const Vec x = Vec::Constant(100, 2.0);
  for (auto& functions : {dense_functions({stiffness, mass}, {five_functions()}),
                          lanczos_functions({stiffness, mass}, {five_functions()}, 1e-13),
                          chebyshev_functions({stiffness, mass}, {five_functions()}, 1e-13)}) {
    functions->prepare(0.7);
    const Mat& y = *functions->apply(0, x);
    for (const Index f : {0, 1, 3, 4}) EXPECT_LT((y.col(f) - x).norm(), 1e-12) << functions->name() << f;
    EXPECT_LT(y.col(2).norm(), 1e-11) << functions->name();
  }
}

TEST(MatrixFunctions, AMassMatrixIsSolvedFor) {
  SpMat m = laplacian(300);
  for (Index i = 0; i < 300; ++i) m.coeffRef(i, i) = 4;
  // 4 on the diagonal and 1 beside it, like a mass matrix of finite elements.
  m = -m + 2 * diagonal(Vec::Constant(300, 4.0));
  const SpMat s = laplacian(300);
  const MatrixSlot stiffness = slot(s), mass = slot(m);
  const Vec x = some_vector(300);
  auto dense = dense_functions({stiffness, mass}, {five_functions()});
  const double h = 10 / dense->fastest();
  dense->prepare(h);
  const Mat exact = *dense->apply(0, x);
  for (auto& functions : {lanczos_functions({stiffness, mass}, {five_functions()}, 1e-13),
                          chebyshev_functions({stiffness, mass}, {five_functions()}, 1e-13)}) {
    functions->prepare(h);
    EXPECT_LT(difference(*functions->apply(0, x), exact), 1e-12) << functions->name();
  }
}

// By hand, for [[2, b], [0, 1]]: f21 = 0 and f12 = b (f(2) - f(1)), where f is applied to the eigenvalues.
TEST(MatrixFunctions, StiffnessNeedNotBeSymmetric) {
  const Mat s = (Mat(2, 2) << 4, 3, 0, 1).finished();
  const MatrixSlot stiffness = slot(s), mass = slot(Mat(Mat::Identity(2, 2)));
  for (auto& functions : {dense_functions({stiffness, mass}, {five_functions()}),
                          chebyshev_functions({stiffness, mass}, {five_functions()}, 1e-14)}) {
    functions->prepare(0.9);
    const Mat y = *functions->apply(0, Vec{{0, 1}});
    EXPECT_NEAR(y(1, 0), std::cos(0.9), 1e-13);
    EXPECT_NEAR(y(0, 0), std::cos(1.8) - std::cos(0.9), 1e-13);
  }
}

TEST(MatrixFunctions, RefuseWhatDoesNotOscillate) {
  const MatrixSlot mass = slot(Mat(Mat::Identity(2, 2)));
  const auto message = [&](const Mat& s) {
    const MatrixSlot stiffness = slot(s);
    try {
      dense_functions({stiffness, mass}, {five_functions()});
    } catch (const UsageError& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  EXPECT_THAT(message(Mat{{1, 2}, {2, 1}}), mentions("eigenvalue -1"));
  EXPECT_THAT(message(Mat{{1, 2}, {-2, 1}}), mentions("eigenvalues", "real"));
  EXPECT_THAT(message(Mat{{1, 1}, {0, 1}}), mentions("eigenvectors", "dependent"));
  EXPECT_EQ(message(Mat{{1, 0.5}, {0.5, 1}}), "");
}

TEST(MatrixFunctions, LargeMatricesThatDoNotOscillateAreSeen) {
  SpMat s = laplacian(200);
  s.coeffRef(77, 77) = -1;
  const MatrixSlot stiffness = slot(s), mass = slot(diagonal(varying(200)));
  EXPECT_THROW(lanczos_functions({stiffness, mass}, {five_functions()}, 1e-12), UsageError);
  EXPECT_THROW(chebyshev_functions({stiffness, mass}, {five_functions()}, 1e-12), UsageError);
}

TEST(MatrixFunctions, NothingIsAllocatedAfterTheFirstUse) {
  const Chain chain;
  if (!counts_allocations()) GTEST_SKIP() << "a sanitizer owns malloc";
  const Vec x = some_vector(400), other = varying(400);
  for (auto& functions :
       {dense_functions(chain.pencil, {five_functions()}), lanczos_functions(chain.pencil, {five_functions()}, 1e-12),
        chebyshev_functions(chain.pencil, {five_functions()}, 1e-12)}) {
    functions->prepare(10 / chain.fastest);
    functions->apply(0, x);
    const AllocationGuard guard;
    functions->apply(0, other);
    EXPECT_EQ(guard.count(), 0u) << functions->name();
  }
}
}  // namespace trill
