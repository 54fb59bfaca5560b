// SPDX-License-Identifier: BSD-3-Clause
// Exact motion of reduced structures. Its steps are as long as a plot of the motion needs.
#include "multiscale/reduced_structure.hpp"
#include "trill/linalg/kernels.hpp"
#include "trill/method/registry.hpp"

#include <cmath>
#include <optional>

namespace trill {
namespace {
class Oscillators final : public Stepper {
 public:
  struct Options {
    void fields(OptionVisitor&) {}
  };
  static MethodInfo describe(const Options&) {
    return {.name = "oscillators",
            .title = "exact motion of oscillators under loads that are polynomials piece by piece",
            .reference = "R. R. Craig, A. J. Kurdila, Fundamentals of Structural Dynamics, 2nd ed., 2006, ch. 5",
            .accepts = {},
            .dense_order = most_force_degree,
            .owns_step = true};
  }

  Oscillators(const Problem& problem, const Options& options)
      : info_(describe(options)), structure_(problem.as<ReducedStructure>(info_.name)) {}

  const MethodInfo& info() const override { return info_; }
  void start(State& s, const ErrorScale&) override {
    begin_ = s;
    motion_.emplace(structure_.system(), structure_.whole());
  }

  StepResult step(State& s, const StepRequest& request) override {
    const double steps = std::max(1.0, std::ceil(request.h / structure_.step() - 1e-9));
    const double h = request.h / steps;
    begin_.t = s.t;
    begin_.y = s.y;
    motion_->advance(s.t, h, s.q(), s.v());
    if (!all_finite(s.y)) {
      s.y = begin_.y;
      return {.status = StepStatus::non_finite, .h_taken = h};
    }
    s.t += h;
    h_ = h;
    return {.h_taken = h};
  }

  void interpolate(double theta, Out y) override {
    const Index n = begin_.layout.nq;
    y = begin_.y;
    motion_->advance(begin_.t, theta * h_, y.head(n), y.tail(n));
  }
  void memory(Archive&) override {}
  std::unique_ptr<Stepper> clone(const Problem& problem) const override {
    return std::make_unique<Oscillators>(problem, Options{});
  }

 private:
  MethodInfo info_;
  const ReducedStructure& structure_;
  std::optional<ModalMotion> motion_;
  State begin_;  // of the last step
  double h_ = 0;
};
}  // namespace

const Catalogue& oscillator_methods() {
  static const Catalogue all = [] {
    Catalogue catalogue;
    add_method<Oscillators>(catalogue);
    return catalogue;
  }();
  return all;
}
}  // namespace trill
