// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/slow_part.hpp"

namespace trill {
namespace {
Solution recorded(const std::vector<double>& times, const std::function<double(double)>& f) {
  Solution s;
  s.info.layout = {1, 0, 0, 0};
  s.info.components = {{"q", ""}};
  for (const double t : times) s.append(t, Vec::Constant(1, f(t)), Vec(0));
  return s;
}

TEST(FlatWindow, LetsPolynomialsPassAndStopsTheOscillation) {
  const double omega = 40;
  const FlatWindow window(omega);
  EXPECT_NEAR(window.half_width(), 16 * 2 * M_PI / omega, 1e-14);
  const std::vector<double> centres{3, 3.7, 4};  // the windows overlap
  const auto slow = [](double t) { return 1 + t - 0.3 * t * t + 0.02 * std::pow(t, 5); };
  const auto both = [&](double t) { return slow(t) + std::sin(omega * t + 0.3) + 0.5 * std::cos(1.9 * omega * t); };
  const Mat passed = window.averages(recorded(window.times(centres), slow), centres);
  const Mat stopped = window.averages(recorded(window.times(centres), both), centres);
  ASSERT_EQ(passed.cols(), 3);
  for (Index k = 0; k < 3; ++k) {
    const double at = centres[static_cast<std::size_t>(k)];
    EXPECT_NEAR(passed(0, k), slow(at), 1e-11);
    EXPECT_NEAR(stopped(0, k), slow(at), 1e-9);
  }
  // The window reproduces polynomials below degree 6 exactly; degree 6 is the first that the average changes.
  const Mat bent = window.averages(recorded(window.times({3}), [](double t) { return std::pow(t - 3, 6); }), {3});
  EXPECT_GT(std::abs(bent(0, 0)), 1e-3);
}

TEST(FlatWindow, RefusesWhatItCannotAverage) {
  const FlatWindow window(40, 8, 20);
  EXPECT_THROW(FlatWindow(0), UsageError);
  EXPECT_THROW(FlatWindow(1, 1, 2), UsageError);
  const Solution one = recorded(window.times({3}), [](double) { return 1.0; });
  EXPECT_NO_THROW(window.averages(one, {3}));
  EXPECT_THROW(window.averages(one, {3.1}), UsageError);
}
}  // namespace
}  // namespace trill
