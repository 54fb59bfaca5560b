// SPDX-License-Identifier: BSD-3-Clause
// Orders of convergence in h on the smooth motion of the stiff spring pendulum, h >> epsilon (JP95 Theorem 3.3).
#include "analysis/convergence.hpp"
#include "papers/jp95.hpp"

#include <array>
#include <cmath>

#include <fmt/format.h>

namespace trill {
namespace papers::jp95 {
namespace {
// Even numbers: if R(infinity) = -1, an error in the stiff direction changes its sign from step to step.
constexpr std::array<int, 8> step_counts{4, 6, 8, 10, 14, 20, 28, 40};
constexpr std::size_t tenth = 3;
constexpr double no_order = 0, judged = 1e-12;  // smaller errors are shown, but not part of the verdict
// Errors below these values may be rounding. Velocities along the spring contain the rounding of positions divided by
// h. With Gauss the rounding of positions, 1e-15, stays in the velocities as 1e-15/epsilon.
constexpr double q_floor = 1e-13, v_floor = 1e-11, gauss_v_floor = 1e-9;

// The smooth motion with epsilon = 1e-5 at t = 1 and 20: Taylor series with 30 digits, checked with two step sizes.
// Gravity is along +y.
const Vec& smooth_state(double t) {
  static const Vec one{{0.8795481325658395820, 0.4758099229581390672, -0.4641573585312106122, 0.8580080373946690292}};
  static const Vec twenty{
      {-0.5177197074392945227, 0.8555502936954095066, 1.1191371556460864255, 0.6772241974297999531}};
  return t == 1 ? one : twenty;
}

struct OrderRow {
  Method method;
  double q, q_order, v, v_order;  // at h = 0.1; no_order: not published
};
const std::vector<OrderRow>& order_rows() {
  static const std::vector<OrderRow> all{
      {{"gauss", 3}, 3.91e-7, 4, 7.084e-4, 2},          {{"gauss", 4}, 5.513e-8, 4, 4.617e-5, 2},
      {{"gauss", 5}, 1.171e-10, 6, 1.607e-9, no_order}, {{"gauss", 6}, 1.011e-11, 6, 4.015e-8, 4},
      {{"lobatto_iiia", 3}, 5.35e-5, 2, 4.989e-4, 2},   {{"lobatto_iiia", 4}, 3.444e-10, 6, 1.343e-6, 4},
      {{"lobatto_iiia", 5}, 2.337e-12, 6, 2.102e-7, 4}, {{"lobatto_iiia", 6}, 7.381e-18, no_order, 1.659e-10, 6},
      {{"radau", 3}, 2.922e-8, 5, 1.863e-7, no_order},  {{"radau", 4}, 5.836e-12, 7, 1.397e-6, 4},
      {{"lobatto_iiic", 3}, 8.0e-7, 4, 1.8e-3, 2},      {{"lobatto_iiic", 4}, 4.1e-10, 6, 5.9e-7, no_order}};
  return all;
}

struct Errors {
  ChartSeries q, v;
};

Errors errors_of(const Method& method) {
  Errors errors{{method.title(), {}, {}}, {method.title(), {}, {}}};
  for (const int steps : step_counts) {
    const Track track = follow(method, {.h = 1.0 / steps, .to = 1});
    const Vec difference = (track.y.back() - smooth_state(1)).cwiseAbs();
    const bool done = track.failed == 0;
    add_point(errors.q, 1.0 / steps, done ? difference.head(2).maxCoeff() : HUGE_VAL);
    add_point(errors.v, 1.0 / steps, done ? difference.tail(2).maxCoeff() : HUGE_VAL);
  }
  return errors;
}

// Order from the three smallest steps whose error is above rounding.
double order_of(const ChartSeries& errors, double floor) {
  std::vector<double> h, error;
  for (std::size_t k = errors.x.size(); k-- > 0 && h.size() < 3;)
    if (errors.y[k] > floor) {
      h.push_back(errors.x[k]);
      error.push_back(errors.y[k]);
    }
  return h.size() < 3 ? std::nan("") : log_slope(h, error);
}

void add(const std::string& name, const ChartSeries& errors, double floor, double published, double order,
         FigureResult& result) {
  result.cells.push_back(
      judged_if(published >= judged, relative(name + ", error at h = 0.1", errors.y[tenth], published, 0.05)));
  if (order != no_order) result.cells.push_back(near(name + ", order", order_of(errors, floor), order, 0.15));
}

Chart chart_of(const char* quantity, const char* methods) {
  return log_chart(fmt::format("Error of the {} at t = 1, {}", quantity, methods), "", "h", "error");
}

struct LongRow {
  Method method;
  double h, most;
};
const std::vector<LongRow>& long_rows() {
  static const std::vector<LongRow> all{{{"radau", 5}, 0.2, 3e-9},
                                        {{"radau", 4}, 0.2, 3e-7},
                                        {{"radau", 3}, 0.05, 6e-7},
                                        {{"lobatto_iiic", 5}, 0.2, 1e-9}};
  return all;
}

// The error of the position after projection onto the circle, which is what an output of the slow motion shows.
double projected_error(const Method& method, double h) {
  const Track track = follow(method, {.h = h});
  if (track.failed > 0) return HUGE_VAL;
  const Vec ours = track.y.back().head(2), exact = smooth_state(usual_end).head(2);
  return (ours.normalized() - exact.normalized()).cwiseAbs().maxCoeff();
}

FigureResult orders(bool) {
  FigureResult result;
  constexpr const char *keeping = "methods that keep the amplitude", *damping = "methods that damp";
  result.charts = {chart_of("position", keeping), chart_of("velocity", keeping), chart_of("position", damping),
                   chart_of("velocity", damping)};
  for (const OrderRow& row : order_rows()) {
    Errors errors = errors_of(row.method);
    add(row.method.title() + ", q", errors.q, q_floor, row.q, row.q_order, result);
    add(row.method.title() + ", v", errors.v, row.method.name == "gauss" ? gauss_v_floor : v_floor, row.v, row.v_order,
        result);
    const std::size_t chart = row.method.name == "gauss" || row.method.name == "lobatto_iiia" ? 0 : 2;
    result.charts[chart].series.push_back(std::move(errors.q));
    result.charts[chart + 1].series.push_back(std::move(errors.v));
  }
  for (const LongRow& row : long_rows())
    result.cells.push_back(
        at_most(fmt::format("{}, error of the projected q at t = 20, h = {}", row.method.title(), row.h),
                projected_error(row.method, row.h), row.most));
  result.remark =
      "Errors at t = 1, largest component, nothing projected. Orders over the three smallest steps whose error is "
      "above 1e-13 (q) and 1e-11 (v; Gauss 1e-9, where rounding over epsilon stays). JP95 gives constant steps one "
      "order more for Gauss with odd s; Lobatto IIIA with even s gains it too. Where the value beside ours is 0 the "
      "tolerance is a bound.";
  return result;
}
}  // namespace
}  // namespace papers::jp95

void register_figure_jp95_orders(FigureRegistry& registry) {
  using namespace papers::jp95;
  registry.add({"jp95_orders", "Orders of convergence with h >> epsilon", "JP95 Theorem 3.3", orders});
}
}  // namespace trill
