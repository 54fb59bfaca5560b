// SPDX-License-Identifier: BSD-3-Clause
#include "multiscale/cycle_view.hpp"
#include "multiscale/orbit_cycle.hpp"

namespace trill {
namespace {
class OrbitView final : public CycleView {
 public:
  OrbitView(const Problem& problem, const State& start, double rtol) : cycle_(problem, start, {.rtol = rtol}) {
    const State first = cycle_.initial_state();
    Vec change(first.y.size());
    if (cycle_.change(0, first.y, change)) period_ = change[OrbitSection::time];
  }
  const CycleMap& map() const override { return cycle_; }
  State first() const override {
    State s = cycle_.initial_state();
    s.t = cycle_.time(0, s.y);
    return s;
  }
  bool leave(double t, In z, State& out) const override { return cycle_.state_at(z, t, out); }
  bool leave_part(In end, State& out) const override { return cycle_.state_at(end, out.t, out); }
  double period() const override { return period_; }
  bool is_foreseeable() const override { return false; }  // nothing decays, and another method follows it
  void count(Counters& work) const override {
    for (std::size_t i = 0; i < work.forces.size(); ++i) work.forces[i] += cycle_.work().forces[i];
  }
  void memory(Archive& archive) override {
    Counters work = cycle_.work();
    archive(work);
    if (archive.reading()) cycle_.spent_before(work);
  }

 private:
  OrbitCycle cycle_;
  double period_ = 1;  // of the first revolution
};
}  // namespace

std::unique_ptr<CycleView> view_orbit(const Problem& problem, const State& start, double rtol) {
  return std::make_unique<OrbitView>(problem, start, rtol);
}
}  // namespace trill
