// SPDX-License-Identifier: BSD-3-Clause
// A reduced blade is spun up to 6 rad/s in 15 s. An exponential integrator of order 2 (PJY97 sec. 3.3), which is exact
// for the stiffness of the blade, is compared with generalized_alpha and radau. Printed are errors of the tip and the
// processor time. There is no limit, since the question is which method to use.
#include "analysis/body_reduction.hpp"
#include "linalg/oscillator_response.hpp"
#include "ratio.hpp"
#include "trill/method/registry.hpp"
#include "trill/problem/mechanical.hpp"

#include <cmath>
#include <numbers>

namespace {
using namespace trill;
using namespace trill::bench;

constexpr double top = 6, rise = 15, end_of_run = 18;
constexpr int rows = 72;

ReducedBody blade() {
  const double stretching = 2.8e7, bending = 1.4e4;
  PlanarStrip strip;
  strip.length = 10;
  strip.height = std::sqrt(12 * bending / stretching);
  strip.modulus = stretching / strip.height;
  strip.density = 1.2 / strip.height;
  strip.elements = 16;
  return reduce_body(planar_strip(strip), {.interfaces = {"left", "tip"}, .modes = 8});
}

// q'' = -Lambda q + rest with rest = theta'^2 ((C - K_g) q + s) - theta'' (h + P^T q) - 2 theta' P^T q'.
class SpinningBlade final : public MechanicalProblem {
 public:
  explicit SpinningBlade(ReducedBody body) : body_(std::move(body)) {}
  std::string name() const override { return "spinning blade"; }
  std::unique_ptr<Problem> clone() const override { return std::make_unique<SpinningBlade>(body_); }
  Layout layout() const override { return {body_.modes(), body_.modes(), 0, 0}; }
  std::vector<Quantity> components() const override {
    return std::vector<Quantity>(static_cast<std::size_t>(2 * body_.modes()), {"q", ""});
  }
  State initial_state() const override { return State(layout()); }
  void force(Groups, double t, In q, In v, Out f) const override {
    rest(t, q, v, f);
    f -= body_.stiffness.cwiseProduct(q);
  }
  bool force_jacobian(Groups, double t, In, In, MatrixSlot& dq, MatrixSlot& dv) const override {
    const auto [rate, push] = spin(t);
    const Mat k = rate * rate * (body_.convective - body_.stiffening) - push * body_.gyroscopic.transpose() -
                  Mat(body_.stiffness.asDiagonal());
    dq.set_zero();
    dv.set_zero();
    for (Index i = 0; i < k.rows(); ++i)
      for (Index j = 0; j < k.cols(); ++j) {
        dq.add(i, j, k(i, j));
        dv.add(i, j, -2 * rate * body_.gyroscopic(j, i));
      }
    return true;
  }
  bool velocity_dependent(Groups) const override { return true; }

  void rest(double t, In q, In v, Out f) const {
    const auto [rate, push] = spin(t);
    f = rate * rate * (body_.convective * q - body_.stiffening * q + body_.stretch) - push * body_.swing -
        body_.gyroscopic.transpose() * (push * q + 2 * rate * v);
  }
  const ReducedBody& body() const { return body_; }
  double lag(In q) const { return body_.points[1].shape_y.dot(q); }

 private:
  static std::pair<double, double> spin(double t) {
    const double w = 2 * std::numbers::pi / rise;
    if (t >= rise) return {top, 0};
    return {top / rise * (t - std::sin(w * t) / w), top / rise * (1 - std::cos(w * t))};
  }
  ReducedBody body_;
};

// z* = e^{hB} z + h phi_1 F_n, z_{n+1} = z* + h phi_2 (F(z*) - F_n), where B describes the motion by the stiffness
// alone.
class ExponentialSteps {
 public:
  ExponentialSteps(const SpinningBlade& blade, double h) : blade_(blade), h_(h) {
    const Index n = blade.body().modes();
    for (Index j = 0; j < n; ++j) {
      responses_.emplace_back();
      responses_.back().compute(blade.body().stiffness[j], 0, h);
    }
    q_ = v_ = first_ = second_ = Vec::Zero(n);
    blade_.rest(0, q_, v_, first_);
  }
  void step(double t) {
    for (std::size_t k = 0; k < responses_.size(); ++k) {
      const auto j = static_cast<Index>(k);
      const OscillatorResponse& r = responses_[k];
      const double q = q_[j], v = v_[j];
      q_[j] = r.from_position() * q + r.from_velocity() * v + r.from_force(0) * first_[j];
      v_[j] = r.velocity_from_position() * q + r.velocity_from_velocity() * v + r.velocity_from_force(0) * first_[j];
    }
    blade_.rest(t + h_, q_, v_, second_);
    for (std::size_t k = 0; k < responses_.size(); ++k) {
      const auto j = static_cast<Index>(k);
      const double slope = (second_[j] - first_[j]) / h_;
      q_[j] += responses_[k].from_force(1) * slope;
      v_[j] += responses_[k].velocity_from_force(1) * slope;
    }
    blade_.rest(t + h_, q_, v_, first_);
  }
  const Vec& q() const { return q_; }

 private:
  const SpinningBlade& blade_;
  double h_;
  std::vector<OscillatorResponse> responses_;
  Vec q_, v_, first_, second_;
};

std::vector<double> by_exponentials(const SpinningBlade& blade, int per_row) {
  const double h = end_of_run / rows / per_row;
  ExponentialSteps steps(blade, h);
  std::vector<double> lags;
  for (int i = 0; i < rows * per_row; ++i) {
    steps.step(i * h);
    if ((i + 1) % per_row == 0) lags.push_back(blade.lag(steps.q()));
  }
  return lags;
}

std::vector<double> by_method(const SpinningBlade& blade, const char* method, const OptionSet& options, int per_row) {
  const auto stepper = Catalogue::all().method(method).make(blade, options);
  State s = blade.initial_state();
  const ErrorScale scale{.rtol = 1e-9, .atol = Vec::Constant(s.y.size(), 1e-11)};
  Vec weights = Vec::Ones(s.y.size());
  Notes notes;
  Counters work;
  stepper->start(s, scale);
  std::vector<double> lags;
  const double h = end_of_run / rows / per_row;
  for (int i = 0; i < rows * per_row; ++i) {
    scale.weights(s.y, weights);
    if (stepper->step(s, {h, scale, weights, HUGE_VAL, i == 0, false, notes, work, RandomKey{}}).status !=
        StepStatus::ok)
      return {};
    if ((i + 1) % per_row == 0) lags.push_back(blade.lag(s.q()));
  }
  return lags;
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() != b.size()) return NAN;
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (const double d = std::abs(a[i] - b[i]); !(d <= most)) most = d;
  return most;
}
}  // namespace

int main() {
  const SpinningBlade blade_problem(blade());
  const std::vector<double> exact = by_method(blade_problem, "radau", {}, 256);
  std::printf("blade with %ld coordinates, frequencies %.3g to %.3g\n", static_cast<long>(blade_problem.body().modes()),
              std::sqrt(blade_problem.body().stiffness.minCoeff()),
              std::sqrt(blade_problem.body().stiffness.maxCoeff()));
  std::printf("%-18s %8s %12s %12s\n", "method", "h", "error of tip", "seconds");
  for (const int per_row : {4, 8, 16, 32, 64, 128}) {
    const double h = end_of_run / rows / per_row;
    const auto show = [&](const char* name, const auto& run) {
      std::vector<double> lags;
      const double taken = processor_seconds([&] { lags = run(); });
      std::printf("%-18s %8.5f %12.3e %12.4f\n", name, h, largest_difference(lags, exact), taken);
    };
    show("exponential", [&] { return by_exponentials(blade_problem, per_row); });
    show("generalized_alpha", [&] { return by_method(blade_problem, "generalized_alpha", {{"rho", "0.8"}}, per_row); });
    if (per_row <= 32) show("radau", [&] { return by_method(blade_problem, "radau", {}, per_row); });
  }
  return 0;
}
