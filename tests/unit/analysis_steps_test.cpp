// SPDX-License-Identifier: BSD-3-Clause
// Stability of methods of which nothing but their steps is known.
#include "trill/analysis/stability.hpp"
#include "trill/problem/mechanical.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace trill {
namespace {
// Stoermer's method of order 4, y_{n+1} - 2 y_n + y_{n-1} = h^2 (7/6 g_n - 5/12 g_{n-1} + 1/3 g_{n-2} - 1/12 g_{n-3}),
// whose first values are taken from the exact motion of q'' = -q.
class Stoermer final : public Stepper {
 public:
  struct Options {
    void fields(OptionVisitor&) {}
  };
  static MethodInfo describe(const Options&) {
    return {.name = "stoermer", .title = "Stoermer", .reference = "", .accepts = {.mechanical = true}, .order = 4};
  }
  Stoermer(const Problem&, const Options&) {}
  const MethodInfo& info() const override { return info_; }
  void start(State& s, const ErrorScale&) override { q_ = {s.y[0]}; }
  StepResult step(State& s, const StepRequest& request) override {
    const double h = request.h, cosine = std::cos(h), sine = std::sin(h);
    // One single step is refused, as methods fitted to a frequency do at some step sizes.
    if (h == 0.5) return {.status = StepStatus::refused};
    const std::size_t n = q_.size() - 1;
    double next = cosine * s.y[0] + sine * s.y[1];
    if (n >= 3)
      next = 2 * q_[n] - q_[n - 1] - h * h * (7.0 / 6 * q_[n] - 5.0 / 12 * q_[n - 1] + q_[n - 2] / 3 - q_[n - 3] / 12);
    s.y[1] = cosine * s.y[1] - sine * s.y[0];
    s.y[0] = next;
    q_.push_back(next);
    s.t += h;
    return {.h_taken = h};
  }
  void interpolate(double, Out) override {}
  void memory(Archive&) override {}
  std::unique_ptr<Stepper> clone(const Problem& problem) const override {
    return std::make_unique<Stoermer>(problem, Options{});
  }

 private:
  MethodInfo info_ = describe({});
  std::vector<double> q_;
};

TEST(StabilityBySteps, OfAMethodWithMemoryIsThatOfItsLaterSteps) {
  Catalogue catalogue;
  add_method<Stoermer>(catalogue);
  const StabilityReport r = analyse_stability(catalogue.methods()[0], {}, 2);
  EXPECT_TRUE(r.has_memory);
  EXPECT_FALSE(r.exact);
  // At 2 mu^2 = 4 the characteristic polynomial has the root -1.
  EXPECT_NEAR(r.absolute_end, std::sqrt(2.0), 1e-4);
  EXPECT_EQ(r.dispersion.order, 4);
  EXPECT_NEAR(r.dispersion.constant, -19.0 / 480, 5e-4);
  EXPECT_EQ(r.damping.order, 5);
  EXPECT_NEAR(r.damping.constant, 1.0 / 24, 5e-4);
  // Moduli of its largest root, computed independently with the iteration of Durand and Kerner.
  EXPECT_NEAR(r.rows[19].radius, 0.99939842, 2e-7);  // the step 0.5 itself is refused, this is its neighbour
  EXPECT_NEAR(r.rows[39].radius, 0.97185317, 1e-8);
}

TEST(StabilityBySteps, OfAMethodWithoutMemory) {
  const StabilityReport r = analyse_steps(Catalogue::all().method("verlet"), {}, 4);
  EXPECT_FALSE(r.has_memory);
  EXPECT_NEAR(r.periodicity_end, 2, 1e-7);
  ASSERT_EQ(r.open.periodicity.size(), 1u);
  EXPECT_TRUE(r.closed.periodicity[0].has_to);
  EXPECT_FALSE(r.open.periodicity[0].has_to);
}

}  // namespace
}  // namespace trill
