// SPDX-License-Identifier: BSD-3-Clause
// PJY97 sec. 4.4: which temperature the methods for Langevin dynamics have on an oscillator. A step is linear there, so
// its stationary covariance follows from the matrix of the step and the weights of its random numbers, without
// sampling.
#include "linalg/dense_decompositions.hpp"
#include "papers/cells.hpp"
#include "papers/runs.hpp"
#include "trill/method/registry.hpp"
#include "trill/problem/model_registry.hpp"

#include <array>
#include <cmath>

#include <Eigen/Dense>
#include <fmt/format.h>

namespace trill {
namespace papers::pjy97 {
namespace {
using Mat2 = Eigen::Matrix2d;
using Vec2 = Eigen::Vector2d;

struct Bath {
  double gamma, h;
};

// One step of a method on q'' = -q in a heat bath with m = 1.
class BathStep {
 public:
  BathStep(const std::string& method, const Bath& bath, double kT)
      : problem_(
            make_model("langevin", {{"particles", "1"}, {"gamma", digits(bath.gamma)}, {"kT", digits(kT)}}).problem),
        stepper_(Catalogue::all().method(method).make(*problem_, {})),
        s_(problem_->initial_state()),
        scale_{.rtol = 1e-13, .atol = Vec::Constant(2, 1e-15)},
        h_(bath.h) {
    stepper_->start(s_, scale_);
  }
  Vec2 operator()(const Vec2& y, const RandomKey& key) {
    s_.t = 0;
    s_.y = y;
    const Vec weights = Vec::Constant(2, 1e13);
    if (stepper_->step(s_, {h_, scale_, weights, HUGE_VAL, true, false, notes_, work_, key}).status != StepStatus::ok)
      throw UsageError("a step on the oscillator failed");
    return s_.y;
  }

 private:
  std::unique_ptr<Problem> problem_;
  std::unique_ptr<Stepper> stepper_;
  State s_;
  ErrorScale scale_;
  Notes notes_;
  Counters work_;
  double h_;
};

// y_{n+1} = A y_n + B (R_n, R'_n, R_{n+1}), where R are the first random numbers of steps and R' their second ones.
struct LinearStep {
  Mat2 A;
  Mat B;
  double unexplained = 0;  // what such a step does not explain
};

LinearStep linear_step(const std::string& method, const Bath& bath) {
  LinearStep out;
  BathStep cold(method, bath, 0), warm(method, bath, 1);
  for (Index i = 0; i < 2; ++i) out.A.col(i) = cold(Vec2::Unit(i), {});
  constexpr Index samples = 7;
  Mat numbers(samples, 3), moved(samples, 2);
  for (Index k = 0; k < samples; ++k) {
    const RandomKey key{5, 0, static_cast<std::uint64_t>(k)};
    RandomKey next = key;
    ++next.step;
    numbers.row(k) << random_normal(key, 0), random_normal(key, 1), random_normal(next, 0);
    moved.row(k) = warm(Vec2::Zero(), key).transpose();
  }
  const Mat squares = numbers.transpose() * numbers, projected = numbers.transpose() * moved;
  const Mat found = inverse_of(squares).matrix * projected;
  out.B = found.transpose();
  out.unexplained = (numbers * found - moved).cwiseAbs().maxCoeff();
  return out;
}

// S = A S A^T + Q + Q^T; R_{n+1} acts in two steps, which are therefore correlated.
Mat2 stationary_covariance(const LinearStep& step) {
  const Mat2 crossed = step.A * step.B.col(2) * step.B.col(0).transpose();
  const Mat2 Q = step.B * step.B.transpose() + crossed + crossed.transpose();
  Mat system = Mat::Identity(4, 4);
  Vec right(4);
  for (Index i = 0; i < 2; ++i)
    for (Index j = 0; j < 2; ++j) {
      right[2 * i + j] = Q(i, j);
      for (Index k = 0; k < 2; ++k)
        for (Index l = 0; l < 2; ++l) system(2 * i + j, 2 * k + l) -= step.A(i, k) * step.A(j, l);
    }
  const Vec s = inverse_of(system).matrix * right;
  Mat2 covariance;
  covariance << s[0], s[1], s[2], s[3];
  return covariance;
}

struct Scheme {
  const char *method, *name;
  double (*q2)(const Bath&);
  double (*v2)(const Bath&);
};

double one(const Bath&) { return 1; }
double reduced(const Bath& b) { return 1 - b.h * b.h / 4; }
double raised(const Bath& b) { return 1 / reduced(b); }

const std::array<Scheme, 5>& schemes() {
  static const std::array<Scheme, 5> all{{
      {"langevin_splitting", "BAOAB", one, reduced},
      {"aboba", "ABOBA", one, raised},
      {"obabo", "OBABO", raised, one},
      {"bbk", "BBK", raised, [](const Bath& b) { return 1 / (1 + b.gamma * b.h / 2); }},
      {"ln", "LN", one, [](const Bath& b) { return 1 / (1 + b.gamma * b.h / 2 - b.h * b.h / 4); }},
  }};
  return all;
}

struct EulerRow {
  Bath bath;
  double q2, v2;
};
constexpr EulerRow euler_rows[] = {
    {{0.1, 0.5}, 0.1762452107279693, 0.15325670498084287},   {{0.1, 1.0}, 0.10839160839160837, 0.06993006993006992},
    {{0.1, 1.5}, 0.08396946564885494, 0.038167938931297704}, {{1.0, 0.5}, 0.6984126984126986, 0.5079365079365079},
    {{1.0, 1.0}, 0.5714285714285716, 0.28571428571428575},   {{1.0, 1.5}, 0.49729729729729727, 0.17297297297297293}};

void add_rows(FigureResult& result, const char* method, const char* name, const Bath& bath, double q2, double v2,
              CellOrigin origin) {
  const LinearStep step = linear_step(method, bath);
  const Mat2 covariance = stationary_covariance(step);
  const std::string label = fmt::format("{}, gamma = {}, h omega = {}", name, bath.gamma, bath.h);
  result.cells.push_back(near(label + ": mean q^2", covariance(0, 0), q2, 1e-8, origin));
  result.cells.push_back(near(label + ": mean v^2", covariance(1, 1), v2, 1e-8, origin));
  result.cells.push_back(at_most(label + ": not explained by its random numbers", step.unexplained, 1e-11));
}

std::vector<Chart> variance_charts() {
  const ChartAxis x{"h*omega", "", false};
  Chart positions{
      "Mean square of positions", "1: that of the heat bath; gamma = 1", x, {"q^2", "", false}, ChartStyle::line, {}};
  Chart velocities{
      "Mean square of velocities", "1: that of the heat bath; gamma = 1", x, {"v^2", "", false}, ChartStyle::line, {}};
  const auto add = [&](const char* method, const char* name) {
    ChartSeries q{name, {}, {}}, v{name, {}, {}};
    for (double h = 0.05; h < 1.81; h += 0.05) {
      const Mat2 covariance = stationary_covariance(linear_step(method, {1, h}));
      add_point(q, h, covariance(0, 0));
      add_point(v, h, covariance(1, 1));
    }
    positions.series.push_back(q);
    velocities.series.push_back(v);
  };
  for (const Scheme& scheme : schemes()) add(scheme.method, scheme.name);
  add("langevin_euler", "implicit Euler");
  return {positions, velocities};
}

FigureResult langevin_variances(bool) {
  FigureResult result;
  for (const Scheme& scheme : schemes())
    for (const double gamma : {0.1, 1.0})
      for (const double h : {0.5, 1.0, 1.5}) {
        const Bath bath{gamma, h};
        add_rows(result, scheme.method, scheme.name, bath, scheme.q2(bath), scheme.v2(bath), closed_form);
      }
  for (const EulerRow& row : euler_rows)
    add_rows(result, "langevin_euler", "implicit Euler", row.bath, row.q2, row.v2, independent);
  result.charts = variance_charts();
  result.remark =
      "m = kT = omega = 1. BAOAB, ABOBA and LN have the exact distribution of positions at every stable step; the "
      "implicit Euler method freezes the oscillator. A sampler is judged by positions, not by its kinetic temperature.";
  return result;
}
}  // namespace
}  // namespace papers::pjy97

void register_figure_pjy97_langevin(FigureRegistry& registry) {
  registry.add({"pjy97_langevin_variances", "Stationary variances of methods for Langevin dynamics", "PJY97 sec. 4.4",
                papers::pjy97::langevin_variances});
}
}  // namespace trill
