// SPDX-License-Identifier: BSD-3-Clause
// Breakpoints force steps to end whatever the tolerance. The error is still found, by comparing with another method.
#include "support/text_models.hpp"
#include "trill/driver/trust.hpp"

namespace trill::testing_models {
namespace {
// x'' = -omega^2 x with breakpoints at which nothing is discontinuous. Steps end at all of them.
class Interrupted final : public MechanicalProblem {
 public:
  Interrupted(double omega, double every) : omega_(omega), every_(every) {}
  std::string name() const override { return "interrupted"; }
  Layout layout() const override { return {1, 1, 0, 0}; }
  std::vector<Quantity> components() const override { return {{"x", ""}, {"v", ""}}; }
  State initial_state() const override {
    State s(layout());
    s.y << 1, 0;
    return s;
  }
  std::unique_ptr<Problem> clone() const override { return std::make_unique<Interrupted>(*this); }
  void force(Groups, double, In q, In, Out f) const override { f[0] = -omega_ * omega_ * q[0]; }
  std::vector<double> breakpoints(double t0, double t1) const override {
    std::vector<double> all;
    for (double t = t0 + every_; t < t1; t += every_) all.push_back(t);
    return all;
  }

 private:
  double omega_, every_;
};

struct Checked {
  std::int64_t steps, steps_at_a_tenth;
  double error;
  Trust trust;
};
Checked check_of(double omega, double rtol) {
  const double to = 7;
  const Interrupted problem(omega, 0.1);
  PreparedRun run = prepare(plan_with("dop853", to, rtol), problem.clone());
  const Solution s = run.run(), tenth = prepare(plan_with("dop853", to, rtol / 10), problem.clone()).run();
  double error = 0;
  for (Index k = 0; k < s.rows(); ++k)
    error = std::max(error, std::abs(s.y()(0, k) - std::cos(omega * s.t[static_cast<std::size_t>(k)])));
  return {s.outcome.counters.steps, tenth.outcome.counters.steps, error,
          check_trust(run, s.outcome, s, {.most_seconds = HUGE_VAL})};
}

TEST(TrustAgain, AnAuditMeasuresTheError) {
  const Checked found = check_of(4.5, 1e-6);
  ASSERT_LE(found.steps_at_a_tenth, found.steps) << "a repetition would decide, and the test says nothing";
  EXPECT_EQ(found.trust.verdict, Verdict::green) << found.trust.headline;
  EXPECT_THAT(found.trust.how, testing::HasSubstr("measured against radau"));
  EXPECT_NEAR(found.trust.rows[0].deviation / found.error, 1, 0.5);
}
}  // namespace
}  // namespace trill::testing_models
