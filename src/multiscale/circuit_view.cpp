// SPDX-License-Identifier: BSD-3-Clause
#include "multiscale/circuit_cycle.hpp"
#include "multiscale/cycle_view.hpp"

#include <cmath>

namespace trill {
namespace {
constexpr double rounding_of_cycles = 1e-6;

class CircuitView final : public CycleView {
 public:
  CircuitView(const CircuitProblem& problem, const State& start, double period, double rtol)
      : cycle_(problem, start, period, {.rtol = rtol}), start_(start), guess_(start.y) {}

  const CycleMap& map() const override { return cycle_; }
  State first() const override {
    State s(cycle_.layout(), start_.t);
    s.y = cycle_.reduce(start_.y);
    return s;
  }
  Vec scale() const override {
    return charge_scale(start_.y, [&](In x) { return cycle_.reduce(x); });
  }
  bool leave(double t, In z, State& out) const override {
    const double n = (t - start_.t) / cycle_.period(), whole = std::round(n);
    out.y = guess_;
    if (!cycle_.expand(std::abs(n - whole) < rounding_of_cycles ? whole : n, z, out.y)) return false;
    guess_ = out.y;
    out.mode = cycle_.mode();
    return true;
  }
  bool leave_part(In, State& out) const override {
    out.y = cycle_.end_values();
    out.mode = cycle_.mode();
    return true;
  }
  const CycleTrace* trace() const override { return &cycle_.trace(); }
  double period() const override { return cycle_.period(); }
  void count(Counters& work) const override { work.forces[0] += cycle_.counts().iterations; }
  void memory(Archive& archive) override {
    std::vector<int> mode = cycle_.mode();
    archive(guess_, mode);
    if (archive.reading()) cycle_.set_mode(mode);
  }

 private:
  CircuitCycle cycle_;
  State start_;
  mutable Vec guess_;
};
}  // namespace

std::unique_ptr<CycleView> view_circuit(const CircuitProblem& problem, const State& start, double period, double rtol) {
  return std::make_unique<CircuitView>(problem, start, period, rtol);
}
}  // namespace trill
