// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "multiscale/cycle_view.hpp"

#include <limits>

namespace trill {
// The map that an envelope run steps: that of the view, in units in which the tolerances of the run make sense. The
// view may be replaced by another one of the same problem.
class EnvelopeMap final : public CycleMap {
 public:
  void show(std::unique_ptr<CycleView> view);
  void end_after(double cycles) { last_ = cycles > 0 ? cycles : std::numeric_limits<double>::infinity(); }
  double reached() const { return reached_; }          // cycles
  std::int64_t computed() const { return computed_; }  // cycles, those for differences included
  std::int64_t products() const { return products_; }  // with the derivative of a cycle
  CycleView& view() { return *view_; }
  const CycleView& view() const { return *view_; }

  std::string name() const override { return map().name(); }
  Layout layout() const override { return map().layout(); }
  std::vector<Quantity> components() const override { return map().components(); }
  State initial_state() const override { return scaled(view_->first()); }
  State typical_state() const { return scaled(view_->typical()); }
  std::unique_ptr<Problem> clone() const override;
  std::string time_unit() const override { return map().time_unit(); }
  std::vector<double> breakpoints(double t0, double t1) const override { return map().breakpoints(t0, t1); }

  bool change(double n, In z, Out change) const override;
  bool change_and_derivative(double n, In z, Out change, Mat& derivative) const override;
  bool derives_cheaply() const override { return map().derives_cheaply(); }
  bool record(double n, In z, Out change) const override;
  bool tangent(In v, Out image) const override;
  bool settle(double n, Out z) const override;
  bool change_plainly(double n, In z, Out change) const override;
  double time(double n, In z) const override { return map().time(n, unscaled(z)); }
  void passed(double n) const override { reached_ = n; }
  double cycles_until(double t, double n, In z) const override;
  bool part(double n, In z, double t, Out end) const override;
  void sizes(In z, In largest, Out sizes) const override;
  std::string trouble() const override { return map().trouble(); }
  // The unknowns of the problem at z, which is the start of a cycle or the end of the last part of one.
  bool leave(double t, In z, State& out) const;
  void memory(Archive& archive);

 private:
  const CycleMap& map() const { return view_->map(); }
  const Vec& unscaled(In z) const;
  State scaled(State s) const;
  std::unique_ptr<CycleView> view_;
  Vec scale_;
  mutable Vec z_, largest_, end_;
  mutable State part_;  // where the last part of a cycle ended
  double last_ = std::numeric_limits<double>::infinity();
  mutable double reached_ = 0;
  mutable std::int64_t computed_ = 0, products_ = 0;
};
}  // namespace trill
