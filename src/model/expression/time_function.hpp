// SPDX-License-Identifier: BSD-3-Clause
// An expression that depends on nothing but the time, over whole stretches of it.
#pragma once

#include "model/expression/interval.hpp"

#include <functional>

namespace trill {
// Ranges of a value and of its first two derivatives in time.
struct TimeRange {
  Interval value, slope, curvature{0, 0};
};

class TimeFunction {
 public:
  // Gives the value of a parameter, of a column or of the number of the element.
  using Constants = std::function<double(SymbolKind kind, int index)>;
  TimeFunction(const ExpressionGraph& graph, Expression e, const Constants& constants);

  TimeRange over(double t0, double t1);
  double at(double t) { return over(t, t).value.low; }
  // The times at which it changes its sign, ascending; none if there are too many of them to be found.
  std::vector<double> sign_changes(double t0, double t1);

 private:
  struct Step {
    ExpressionNode node;
    int child[3] = {0, 0, 0};  // their places in the list of steps
  };
  TimeRange evaluate(const Step& step, const Interval& t) const;
  TimeRange choose(const Step& step) const;
  TimeRange look_up(const Step& step) const;
  double find_sign_change(double t0, double t1);
  const TimeRange& child(const Step& step, int k) const { return ranges_[static_cast<std::size_t>(step.child[k])]; }

  LookupTables tables_;
  std::vector<Step> steps_;
  std::vector<TimeRange> ranges_;
};

// Whether e depends on the time and on no other unknown.
bool depends_on_time_alone(const ExpressionGraph& graph, Expression e);
// The largest parts of the roots that depend on the time alone, each once; a sum of such parts is taken apart.
std::vector<Expression> time_parts(const ExpressionGraph& graph, std::span<const Expression> roots);
}  // namespace trill
