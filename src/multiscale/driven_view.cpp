// SPDX-License-Identifier: BSD-3-Clause
#include "multiscale/cycle_view.hpp"
#include "multiscale/problem_cycle.hpp"

namespace trill {
namespace {
class DrivenView final : public CycleView {
 public:
  DrivenView(const Problem& problem, const State& start, double period, double rtol)
      : cycle_(problem, start, period, rtol) {
    cycle_.follow_cycles(true);
  }
  const CycleMap& map() const override { return cycle_; }
  State first() const override { return cycle_.initial_state(); }
  bool leave(double, In z, State& out) const override {
    out.y = z;
    return true;
  }
  bool leave_part(In end, State& out) const override {
    out.y = end;
    return true;
  }
  const CycleTrace* trace() const override { return &cycle_.trace(); }
  double period() const override { return cycle_.period(); }
  void count(Counters& work) const override {
    for (std::size_t i = 0; i < work.forces.size(); ++i) work.forces[i] += cycle_.work().forces[i];
  }

 private:
  ProblemCycle cycle_;
};
}  // namespace

std::unique_ptr<CycleView> view_driven(const Problem& problem, const State& start, double period, double rtol) {
  return std::make_unique<DrivenView>(problem, start, period, rtol);
}
}  // namespace trill
