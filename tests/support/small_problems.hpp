// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/method/registry.hpp"
#include "trill/problem/mechanical.hpp"

#include <functional>

namespace trill::test {
// The problem q'' = f(t, q) or f(t, q, v) with a given formula.
class FormulaMechanics final : public MechanicalProblem {
 public:
  using Force = std::function<void(double t, In q, In v, Out f)>;
  FormulaMechanics(Vec q, Vec v, Force force, bool uses_velocity = false)
      : q_(std::move(q)), v_(std::move(v)), force_(std::move(force)), uses_velocity_(uses_velocity) {}
  std::string name() const override { return "formula"; }
  Layout layout() const override { return {q_.size(), q_.size(), 0, 0}; }
  std::vector<Quantity> components() const override {
    return std::vector<Quantity>(static_cast<std::size_t>(2 * q_.size()));
  }
  State initial_state() const override {
    State s(layout());
    s.y << q_, v_;
    return s;
  }
  std::unique_ptr<Problem> clone() const override { return std::make_unique<FormulaMechanics>(*this); }
  void force(Groups, double t, In q, In v, Out f) const override { force_(t, q, v, f); }
  bool velocity_dependent(Groups) const override { return uses_velocity_; }

 private:
  Vec q_, v_;
  Force force_;
  bool uses_velocity_;
};

inline FormulaMechanics one_mass(double q, double v, std::function<double(double)> force) {
  return {Vec::Constant(1, q), Vec::Constant(1, v), [force](double, In x, In, Out f) { f[0] = force(x[0]); }};
}
inline FormulaMechanics oscillator(double omega, double q = 1, double v = 0) {
  return one_mass(q, v, [omega](double x) { return -omega * omega * x; });
}

// The problem y' = f(t, y) with a given formula.
class FormulaRate final : public FirstOrderProblem {
 public:
  using Rate = std::function<void(double t, In y, Out dy)>;
  FormulaRate(Vec y, Rate rate) : y_(std::move(y)), rate_(std::move(rate)) {}
  std::string name() const override { return "formula"; }
  Layout layout() const override { return {y_.size(), 0, 0, 0}; }
  std::vector<Quantity> components() const override {
    return std::vector<Quantity>(static_cast<std::size_t>(y_.size()));
  }
  State initial_state() const override {
    State s(layout());
    s.y = y_;
    return s;
  }
  std::unique_ptr<Problem> clone() const override { return std::make_unique<FormulaRate>(*this); }
  void rhs(double t, In y, Out dy) const override { rate_(t, y, dy); }

 private:
  Vec y_;
  Rate rate_;
};

// Applies a method to a problem step by step, without the driver. Newton iterations go on to rounding.
struct Walk {
  Walk(const Problem& walked, const std::string& method, const OptionSet& options = {})
      : problem(walked.clone()),
        stepper(Catalogue::all().method(method).make(*problem, options)),
        s(problem->initial_state()),
        scale{.rtol = 1e-13, .atol = Vec::Constant(s.y.size(), 1e-14)},
        weights(Vec::Constant(s.y.size(), 1e13)) {
    stepper->start(s, scale);
  }
  StepResult step(double h, double most_error = HUGE_VAL) {
    const StepResult result = stepper->step(s, {h, scale, weights, most_error, jumped, false, notes, work, {}});
    jumped = jumped && result.status != StepStatus::ok;
    return result;
  }
  // The state after the given number of steps, or NaN if one of them fails.
  Vec walk(double h, int steps) {
    for (int i = 0; i < steps; ++i)
      if (step(h).status != StepStatus::ok) return Vec::Constant(s.y.size(), std::nan(""));
    return s.y;
  }

  std::unique_ptr<Problem> problem;
  std::unique_ptr<Stepper> stepper;
  State s;
  ErrorScale scale;
  Vec weights;
  Notes notes;
  Counters work;
  bool jumped = true;
};

inline Vec at_end(const Problem& problem, const std::string& method, const OptionSet& options, double to, int steps) {
  return Walk(problem, method, options).walk(to / steps, steps);
}

inline bool has_note(const Notes& notes, const std::string& code) {
  for (const Notice& notice : notes.notices())
    if (notice.code == code) return true;
  return false;
}

template <class Make>
std::string refusal(Make make) {
  try {
    make();
  } catch (const UsageError& e) {
    return e.what();
  }
  return "";
}
}  // namespace trill::test
