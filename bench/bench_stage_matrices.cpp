// SPDX-License-Identifier: BSD-3-Clause
// Steps of Gauss and Radau with five stages, whose Newton matrix is split into one matrix for each eigenvalue of the
// tableau, compared with the same steps with the whole dense matrix. Forces and slow points cost the same in both.
#include "formulation/slow_point.hpp"
#include "method/stage_polynomial.hpp"
#include "method/stage_system.hpp"
#include "ratio.hpp"
#include "slow_models.hpp"
#include "trill/control/advance.hpp"
#include "trill/method/registry.hpp"

namespace {
using namespace trill;
using namespace trill::bench;

double rms(const Vec& x) { return x.norm() / std::sqrt(static_cast<double>(x.size())); }

// One step of the same method with Q', V' and the multipliers of all stages as unknowns, and with their whole Newton
// matrix.
class DenseStep {
 public:
  DenseStep(const MechanicalProblem& problem, const ImplicitTableau& tableau)
      : block_(make_stage_block(tableau)),
        form_(problem),
        slow_(form_),
        n_(form_.unknowns()),
        m_(form_.rows()),
        width_(2 * n_ + m_),
        P_(Mat::Zero(n_, block_.stages)) {
    Q_ = V_ = K_ = P_;
    next_K_ = P_;
    L_ = next_L_ = Mat::Zero(m_, block_.stages);
    weights_ = Vec::Zero(block_.stages);
    residual_ = Vec::Zero(width_ * block_.stages);
    matrix_ = Mat::Zero(residual_.size(), residual_.size());
    lu_ = Eigen::PartialPivLU<Mat>(residual_.size());
  }
  int iterations = 0;

  void start(In q, In v) {
    q0_ = q;
    v0_ = v;
    slow_.find(0, q0_, v0_);
    remembers_ = false;
  }

  // Weights and tolerance are those of fixed steps in the library.
  void step(double h) {
    guess(h);
    factorise(h);
    const Vec weights = (1e-10 * q0_.cwiseAbs().array() + 1e-12).inverse();
    const double rounding = 2.2e-13 * q0_.cwiseAbs().maxCoeff() * rms(weights);
    double last = HUGE_VAL, norm = HUGE_VAL;
    for (int k = 0; k < 50 && norm > 1e-5 && !(norm > 0.5 * last && norm < rounding); ++k) {
      ++iterations;
      last = norm;
      find_residual(h);
      correction_.noalias() = lu_.solve(residual_);
      double sum = 0;
      for (Index i = 0; i < block_.stages; ++i) {
        const Index at = i * width_;
        P_.col(i) -= correction_.segment(at, n_);
        K_.col(i) -= correction_.segment(at + n_, n_);
        L_.col(i) -= correction_.segment(at + 2 * n_, m_);
        sum += (h * correction_.segment(at, n_).cwiseProduct(weights)).squaredNorm();
      }
      norm = std::sqrt(sum / static_cast<double>(n_ * block_.stages));
    }
    for (Index i = 0; i < block_.stages; ++i) {
      q0_ += h * block_.position.b[i] * P_.col(i);
      v0_ += h * block_.position.b[i] * K_.col(i);
    }
    slow_.find(0, q0_, v0_);
    remembers_ = true;
  }
  const Vec& q() const { return q0_; }

  // The work for the matrix in one step.
  void use_matrix(double h, int solves) {
    factorise(h);
    for (int k = 0; k < solves; ++k) correction_.noalias() = lu_.solve(residual_);
  }

 private:
  void guess(double h) {
    for (Index i = 0; remembers_ && i < block_.stages; ++i) {
      lagrange_weights(block_.position.c, 1 + block_.position.c[i], weights_);
      next_K_.col(i).noalias() = K_ * weights_;
      next_L_.col(i).noalias() = L_ * weights_;
    }
    K_ = next_K_;
    L_ = next_L_;
    for (Index i = 0; !remembers_ && i < block_.stages; ++i) {
      const double far = block_.far[i] / (h * h), rate = -block_.p_v[i] / h;
      K_.col(i) = slow_.a + far * (slow_.q - q0_) + rate * (slow_.v - v0_);
      L_.col(i) = slow_.lambda + far * slow_.mu + rate * slow_.nu;
    }
    P_ = K_ * (h * block_.position.A.transpose());
    P_.colwise() += v0_;
  }

  void factorise(double h) {
    const Mat& A = block_.position.A;
    middle_q_ = slow_.q + 0.5 * h * slow_.v;
    middle_v_ = slow_.v + 0.5 * h * slow_.a;
    form_.linearise(0, middle_q_, middle_v_, slow_.a, slow_.lambda);
    matrix_.setIdentity();
    for (Index i = 0; i < block_.stages; ++i)
      for (Index j = 0; j < block_.stages; ++j) {
        auto part = matrix_.block(i * width_, j * width_, width_, width_);
        for (Index r = 0; r < n_; ++r) {
          part(r, n_ + r) = -h * A(i, j);
          for (Index c = 0; c < n_; ++c) {
            part(n_ + r, c) = h * A(i, j) * form_.slope().value(r, c);
            part(n_ + r, n_ + c) = i == j ? form_.mass().value(r, c) : 0;
          }
        }
        for (Index g = 0; g < m_; ++g) {
          for (Index c = 0; c < n_; ++c) {
            part(2 * n_ + g, c) = h * A(i, j) * form_.jacobian().value(g, c);
            part(n_ + c, 2 * n_ + g) = i == j ? form_.jacobian().value(g, c) : 0;
          }
          part(2 * n_ + g, 2 * n_ + g) = i == j ? -form_.compliance()[g] : 0;
        }
      }
    lu_.compute(matrix_);
  }

  void find_residual(double h) {
    Q_.noalias() = P_ * (h * block_.position.A.transpose());
    V_.noalias() = K_ * (h * block_.position.A.transpose());
    Q_.colwise() += q0_;
    V_.colwise() += v0_;
    for (Index i = 0; i < block_.stages; ++i) {
      residual_.segment(i * width_, n_) = P_.col(i) - V_.col(i);
      form_.residual(0, Q_.col(i), V_.col(i), K_.col(i), L_.col(i), residual_.segment(i * width_ + n_, n_),
                     residual_.segment(i * width_ + 2 * n_, m_));
    }
  }

  StageBlock block_;
  LiftedForm form_;
  SlowPoint slow_;
  Index n_, m_, width_;
  bool remembers_ = false;
  Vec q0_, v0_, middle_q_, middle_v_, residual_, correction_, weights_;
  Mat P_, Q_, V_, K_, L_, next_K_, next_L_, matrix_;
  Eigen::PartialPivLU<Mat> lu_;
};

// The work in one step for the matrices of the eigenvalues, for the same system.
class ModeMatrices {
 public:
  ModeMatrices(const MechanicalProblem& problem, const ImplicitTableau& tableau)
      : block_(make_stage_block(tableau)), form_(problem), stages_(block_, form_) {
    const State s = problem.initial_state();
    SlowPoint slow(form_);
    slow.find(0, s.q(), s.v());
    stages_.point = {0, slow.q, slow.v, slow.a, slow.lambda};
    residual_ = found_ = Vec::Ones(stages_.size());
    y0_ = s.y;
    k1_ = slow.a;
  }
  void use(double h, int solves) {
    stages_.begin(0, h, y0_, k1_);
    stages_.prepare(found_);
    for (int k = 0; k < solves; ++k) stages_.correct(residual_, found_);
  }

 private:
  StageBlock block_;
  LiftedForm form_;
  MechanicalStages stages_;
  Vec residual_, found_, y0_, k1_;
};

// `name` is the name of the model in the table. The goal is a factor of four, for the whole step and for its matrix
// alone.
void bench_dense_matrix(const std::string& method, const ImplicitTableau& tableau, const std::string& name,
                        const Problem& problem) {
  constexpr double h = 0.01, far = 20;
  constexpr int steps = 100, solves = 4;
  const auto& mechanical = problem.as<MechanicalProblem>("the benchmark");
  const auto stepper = Catalogue::all().method(method).make(problem, {{"s", "5"}});
  const State given = problem.initial_state();
  State s = given;
  Advancer advancer(*stepper, FixedStep{h});
  DenseStep dense(mechanical, tableau);
  ModeMatrices modes(mechanical, tableau);
  double our_step = HUGE_VAL, dense_step = HUGE_VAL, our_matrix = HUGE_VAL, dense_matrix = HUGE_VAL;
  const auto each = [](double& least, auto work) {
    least = std::min(least, processor_seconds([&] {
                              for (int k = 0; k < steps; ++k) work();
                            }) / steps);
  };
  for (int turn = 0; turn < 201; ++turn) {
    s = given;
    advancer.start(s, far);
    advancer.counters() = {};
    dense.start(given.q(), given.v());
    dense.iterations = 0;
    each(our_step, [&] { advancer.one(s, far); });
    each(dense_step, [&] { dense.step(h); });
    each(our_matrix, [&] { modes.use(h, solves); });
    each(dense_matrix, [&] { dense.use_matrix(h, solves); });
  }
  std::printf(
      "%s, %s: a step %.2f us with %.1f iterations, with a dense matrix %.2f us with %.1f; they differ by %.0e\n",
      name.c_str(), method.c_str(), 1e6 * our_step, static_cast<double>(advancer.counters().newton_iterations) / steps,
      1e6 * dense_step, static_cast<double>(dense.iterations) / steps, (s.q() - dense.q()).cwiseAbs().maxCoeff());
  std::printf("  of it the matrix with %d solves %.2f us, dense %.2f us\n", solves, 1e6 * our_matrix,
              1e6 * dense_matrix);
  print_ratio(fmt::format("implicit_rk/{}_{}_step_over_dense", name, method).c_str(), our_step / dense_step, 0.25);
  print_ratio(fmt::format("implicit_rk/{}_{}_matrix_over_dense", name, method).c_str(), our_matrix / dense_matrix,
              0.25);
}

}  // namespace

int main() {
  const auto one = jp95_pendulum(1e-5);
  const auto two = native_model("pendulum/two_springs", {{"omega1", "1e5"}, {"omega2", "1e5"}});
  bench_dense_matrix("gauss", gauss_tableau(5), "pendulum", *one);
  bench_dense_matrix("radau", radau_iia_tableau(5), "pendulum", *one);
  bench_dense_matrix("radau", radau_iia_tableau(5), "two_springs", *two);
  return 0;
}
