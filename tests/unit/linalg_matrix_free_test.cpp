// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/matrix_free.hpp"

namespace trill {
namespace {
// The cyclic system r_i = x_i + x_i^3 / 3 - x_{i+1} / 2 + i.
class Ring final : public NonlinearSystem {
 public:
  explicit Ring(Index n) : n_(n) {}
  Index size() const override { return n_; }
  void residual(In x, Out r) override {
    ++evaluations;
    for (Index i = 0; i < n_; ++i)
      r[i] = x[i] + x[i] * x[i] * x[i] / 3 - 0.5 * x[(i + 1) % n_] + static_cast<double>(i) / static_cast<double>(n_);
  }
  bool prepare(In x) override {
    jacobian.at(*this, x);
    return true;
  }
  void correct(In r, Out dx) override { last = jacobian.solve(r, dx); }

  Index n_;
  MatrixFreeJacobian jacobian{n_};
  GmresResult last;
  int evaluations = 0;
};

TEST(MatrixFree, ProductIsTheDerivative) {
  Ring ring(30);
  const Vec x = Vec::LinSpaced(30, -1, 2), v = Vec::LinSpaced(30, 3, -2);
  Vec product(30);
  ring.jacobian.at(ring, x);
  ring.jacobian.apply(v, product);
  for (Index i = 0; i < 30; ++i) EXPECT_NEAR(product[i], (1 + x[i] * x[i]) * v[i] - 0.5 * v[(i + 1) % 30], 1e-5);
  ring.jacobian.apply(Vec::Zero(30), product);
  EXPECT_EQ(product, Vec::Zero(30));
}

TEST(MatrixFree, NewtonConverges) {
  Ring ring(200);
  Newton newton(200, {.tolerance = 1e-10, .max_iterations = 20});
  Vec x = Vec::Zero(200), r(200);
  const NewtonStats stats = newton.solve(ring, x, Vec::Ones(200));
  ASSERT_TRUE(stats.converged);
  ring.residual(x, r);
  EXPECT_LT(r.cwiseAbs().maxCoeff(), 1e-9);
  EXPECT_LT(ring.evaluations, 200) << "cheaper than a Jacobian by columns";
}
}  // namespace
}  // namespace trill
