// SPDX-License-Identifier: BSD-3-Clause
// PJY97 sec. 4.5: q'' = -q - 0.1 q in a heat bath, where the second force is the slow one; the exact mean of q^2 is
// 1/1.1. Means at the ends of steps, where the slow force acts, differ from those over the inner steps.
#include "papers/pjy97.hpp"
#include "papers/runs.hpp"
#include "trill/model/text_problem.hpp"

#include <cmath>
#include <limits>
#include <numbers>

#include <Eigen/Dense>
#include <fmt/format.h>

namespace trill::papers::pjy97 {
namespace {
constexpr double slow_share = 0.1;
constexpr int inner_in_period = 40;

std::string shared_oscillator(double friction) {
  return fmt::format(R"toml(
[coordinates]
x = {{ start = 0.3, velocity = 0.7 }}

[[potential]]
energy = "x^2/2"
group = "fast"

[[potential]]
energy = "{}*x^2/2"
group = "slow"

[heat_bath]
friction = {}
temperature = 1

[[measure]]
name = "square"
value = "x^2"
)toml",
                     slow_share, friction);
}

struct OverExact {
  double inside, ends;  // mean of q^2 over the inner steps and at the ends of steps, over the exact one
};

// LN on this oscillator is a linear map of (q, v) with Gaussian noise, so that its covariance is the fixed point of
// C = A C A^T + S. The map of an inner step is that of ln: half a drift, the kick with friction and noise, half a
// drift.
OverExact stationary_ln(double friction, double h, int inner) {
  using Mat2 = Eigen::Matrix2d;
  using Vec2 = Eigen::Vector2d;
  const double tau = h / inner, damped = 1 / (1 + friction * tau);
  const Mat2 drift = (Mat2() << 1, 0.5 * tau, 0, 1).finished();
  const Mat2 step = drift * (Mat2() << 1, 0, -tau * damped, damped).finished() * drift;
  const Vec2 push = drift * Vec2(0, damped);
  const Eigen::RowVector2d held = -slow_share * Eigen::RowVector2d(1, 0.5 * h);  // the force at q + h/2 v
  std::vector<Mat2> map{Mat2::Identity()}, noise{Mat2::Zero()};
  for (int k = 0; k < inner; ++k) {
    map.push_back(step * map.back() + tau * push * held);
    noise.push_back(step * noise.back() * step.transpose() + 2 * friction * tau * push * push.transpose());
  }
  // Doubling: the sum of A^k S (A^T)^k.
  Mat2 covariance = noise.back();
  for (Mat2 power = map.back(); power.norm() > 1e-20; power = (power * power).eval())
    covariance = (covariance + power * covariance * power.transpose()).eval();
  OverExact result{0, (1 + slow_share) * covariance(0, 0)};
  for (int k = 1; k <= inner; ++k) {
    const auto at = static_cast<std::size_t>(k);
    result.inside += (1 + slow_share) * (map[at] * covariance * map[at].transpose() + noise[at])(0, 0) / inner;
  }
  return result;
}

struct Sampled {
  Average inside, ends;
};
Sampled sample_oscillator(const std::string& method, const OptionSet& options, double friction, double h, double to) {
  RunPlan plan;
  plan.model = "figure";
  plan.method = method;
  plan.options = options;
  plan.h = h;
  plan.to = h * std::ceil(to / h);
  plan.output = EveryStep{1};
  plan.native = Native::never;
  const Solution s =
      finished(prepare(plan, read_model("oscillator.toml", shared_oscillator(friction)).problem->clone()));
  const Vec squares = s.y().row(0).cwiseAbs2().transpose() * (1 + slow_share);
  return {average_of(s, "square", 1 / (1 + slow_share)), average_of(squares, h)};
}

struct SlowShareRow {
  double step;  // in fast periods
  double inside, ends;
};
constexpr double not_stated = std::numeric_limits<double>::quiet_NaN();
// SIN(R) has no closed form. These numbers are those of a friction of 0.5 and thermostats that answer in a time of 1,
// found by a separate program that has them all within its errors; at a friction of 1 it has 1.15 at 1.5 periods.
constexpr SlowShareRow sinr_rows[] = {{0.2, 1.004, not_stated}, {0.4, 0.994, 1.15},      {0.475, 1.000, 1.41},
                                      {0.5, 1.08, 1.50},        {0.6, 1.04, not_stated}, {1.0, 1.08, not_stated},
                                      {1.5, 1.09, not_stated},  {3.0, 1.12, not_stated}};
constexpr SlowShareRow ln_rows[] = {{0.2, not_stated, 1.03}, {0.4, not_stated, 1.16}, {0.475, not_stated, 6.9}};

std::string label_of(const char* method, double step, const char* where) {
  return fmt::format("{}, a tenth of the stiffness slow, H = {} fast periods: mean of q^2 {}", method, step, where);
}
}  // namespace

void add_slow_share(FigureResult& result, bool full) {
  constexpr double their_error = 0.01;  // of single runs like ours; it is not stated
  constexpr const char *inside = "over inner steps", *ends = "at the kicks";
  const double to = full ? 400000 : 8000;
  const auto inner_of = [](double step) { return static_cast<int>(std::lround(inner_in_period * step)); };
  for (const SlowShareRow& row : sinr_rows) {
    const OptionSet options{{"fast", "fast"}, {"inner", std::to_string(inner_of(row.step))}, {"answer", "1"}};
    const Sampled found = sample_oscillator("sinr", options, 0.5, 2 * std::numbers::pi * row.step, to);
    result.cells.push_back(sampled(label_of("SIN(R)", row.step, inside), found.inside, row.inside, their_error));
    if (!std::isnan(row.ends))
      result.cells.push_back(sampled(label_of("SIN(R)", row.step, ends), found.ends, row.ends, their_error));
  }
  for (const SlowShareRow& row : ln_rows) {
    constexpr double friction = 0.2;
    const double h = 2 * std::numbers::pi * row.step;
    // The numbers beside these do not say their inner steps; near the resonance these change the variance by some
    // percent.
    const OverExact exact = stationary_ln(friction, h, inner_of(row.step));
    result.cells.push_back(relative(label_of("LN", row.step, "at the kicks, closed form"), exact.ends, row.ends, 0.01));
    const OptionSet options{{"fast", "fast"}, {"inner", std::to_string(inner_of(row.step))}};
    const Sampled found = sample_oscillator("ln", options, friction, h, to);
    result.cells.push_back(sampled(label_of("LN", row.step, ends), found.ends, exact.ends, 0, closed_form));
    result.cells.push_back(sampled(label_of("LN", row.step, inside), found.inside, exact.inside, 0, closed_form));
  }
}
}  // namespace trill::papers::pjy97
