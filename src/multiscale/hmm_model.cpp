// SPDX-License-Identifier: BSD-3-Clause
#include "multiscale/hmm_model.hpp"

#include "formulation/frequencies.hpp"
#include "multiscale/hmm_start.hpp"
#include "multiscale/relaxed_constraints.hpp"
#include "trill/formulation/first_order.hpp"

#include <cmath>

namespace trill {
namespace {
constexpr double min_relaxed = 60;       // frequency of springs that replace constraints, over the slow rate
constexpr double relaxation_factor = 5;  // 4.5 was measured on a double pendulum

class ModelAsGiven final : public HmmModel {
 public:
  explicit ModelAsGiven(const MechanicalProblem& given) : given_(given) {}
  const MechanicalProblem& stiff() const override { return given_; }
  bool may_oscillate() const override { return true; }

 private:
  const MechanicalProblem& given_;
};

class ModelWithSprings final : public HmmModel {
 public:
  ModelWithSprings(const MechanicalProblem& given, double omega)
      : given_(given), omega_(omega), relaxed_(given), rigid_(given, "hmm") {}
  const MechanicalProblem& stiff() const override { return relaxed_; }
  bool may_oscillate() const override { return false; }

  // Springs of frequency omega have an error of about (rate/omega)^2, while the cost grows only with the logarithm of
  // omega.
  void begin(const State& given, double tolerance, double span) override {
    rigid_.start(given);
    Vec dy(rigid_.size());
    if (!rigid_.rhs(given.t, given.y.head(rigid_.size()), dy))
      throw UsageError("hmm: the constraints depend on each other at the start");
    const double rate = std::max({fastest_frequency(given_, given),
                                  turning_rate(given.q(), given.v(), dy.tail(given.layout.nv), span), 1 / span});
    const double omega = omega_ > 0 ? omega_ : rate * std::max(4 / std::sqrt(tolerance), min_relaxed);
    relaxed_.set_frequency(omega, given);
    error_ = relaxation_factor * std::pow(rate / omega, 2);
  }
  double model_error() const override { return error_; }
  void find_multipliers(State& out) const override {
    rigid_.multipliers(out.t, out.y.head(rigid_.size()), out.lambda());
  }

 private:
  const MechanicalProblem& given_;
  double omega_, error_ = 0;
  RelaxedConstraints relaxed_;
  mutable FirstOrderForm rigid_;
};
}  // namespace

std::unique_ptr<HmmModel> model_as_given(const MechanicalProblem& given) {
  return std::make_unique<ModelAsGiven>(given);
}

std::unique_ptr<HmmModel> model_with_springs(const MechanicalProblem& given, double omega) {
  return std::make_unique<ModelWithSprings>(given, omega);
}
}  // namespace trill
