// SPDX-License-Identifier: BSD-3-Clause
// Orders of (phi, psi)-methods that hold for every frequency: SS08 theorems 2 and 3 and their converses.
#include "papers/cells.hpp"
#include "papers/filters.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numbers>

#include <fmt/format.h>

namespace trill {
namespace papers::filters {
namespace {
constexpr int unknowns = 3, finest = 8;  // the smallest step is 2^-finest

// -dU/dx, U = x0^2/2 + x0 x1 + x1 + (x0 - x1)^4/4 + sin(x0 + x2) + x1 x2
void add_slow_force(In x, Out g) {
  const double d = x[0] - x[1], cube = d * d * d, c = std::cos(x[0] + x[2]);
  g[0] -= x[0] + x[1] + cube + c;
  g[1] -= x[0] + 1 - cube + x[2];
  g[2] -= c + x[1];
}

LinearFast three_oscillators(double omega) {
  return {Vec{{0, omega, std::sqrt(3.0) * omega}}, add_slow_force, Vec{{1, 1 / omega, 0.5 / omega}},
          Vec{{0.5, 1, -0.7}}};
}

// The motion at the step points after the start, one column each.
Mat exact_motion(const LinearFast& oscillators, double h) {
  const Solution s = finished(prepare(dop853_plan("oscillators", 1e-10, 1e-13, {1, Grid{h}}), oscillators.clone()));
  return s.y().rightCols(s.rows() - 1);
}

// In addition to a grid, points next to multiples of pi: an order is lost only at 2 pi k + O(h), which a grid misses.
std::vector<double> angles(double h) {
  std::vector<double> all;
  for (int k = 1; k <= 97; ++k) all.push_back(k * std::numbers::pi / 8);
  for (int k = 1; k <= 8; ++k)
    for (const double delta : {0.5, 1.0, 2.0, 3.0, 4.0, 6.0})
      for (const double sign : {-1.0, 1.0}) all.push_back(k * std::numbers::pi + sign * delta * h);
  return all;
}

struct OrderRow {
  Pair pair;
  std::array<double, 6> q, p;  // errors for h = 2^-3 to 2^-8
};
// From an independent program.
const std::vector<OrderRow>& order_rows() {
  static const std::vector<OrderRow> all{
      {{"delta", "delta"},
       {0.021459, 0.010972, 0.0055614, 0.0028012, 0.0014057, 0.00070416},
       {1.1583, 1.1493, 1.1443, 1.1419, 1.1407, 1.1401}},
      {{"delta", "short"},
       {0.017392, 0.0088228, 0.0044593, 0.0022439, 0.0011256, 0.00056375},
       {0.086273, 0.043417, 0.021759, 0.010837, 0.0054061, 0.0027028}},
      {{"delta", "long"},
       {0.017223, 0.0087896, 0.0044522, 0.0022423, 0.0011252, 0.00056366},
       {0.1054, 0.050029, 0.024448, 0.012256, 0.0061239, 0.0030568}},
      {{"short", "delta"},
       {0.017031, 0.0079756, 0.0038536, 0.0019002, 0.00094603, 0.000472},
       {1.1349, 1.1389, 1.1387, 1.139, 1.1393, 1.1394}},
      {{"short", "short"},
       {0.0065948, 0.0016334, 0.00043396, 0.00010355, 2.6747e-05, 6.8583e-06},
       {0.091234, 0.045812, 0.02292, 0.011389, 0.0057004, 0.0028527}},
      {{"short", "lin"},
       {0.0084791, 0.0021948, 0.00059016, 0.00014135, 3.5882e-05, 9.3704e-06},
       {0.095987, 0.046944, 0.023109, 0.011466, 0.00574, 0.0028645}},
      {{"lin", "lin"},
       {0.0094686, 0.0024231, 0.00064827, 0.00015884, 4.0616e-05, 1.058e-05},
       {0.098203, 0.047963, 0.023571, 0.011709, 0.0058598, 0.0029237}},
      {{"short", "short*long"},
       {0.013863, 0.0038258, 0.0010548, 0.0002539, 6.4257e-05, 1.6833e-05},
       {0.11053, 0.053409, 0.027673, 0.013391, 0.0067906, 0.0033749}},
      {{"long", "long"},
       {0.015107, 0.0039668, 0.0010764, 0.00027202, 7.0051e-05, 1.8229e-05},
       {0.11702, 0.056873, 0.029418, 0.014274, 0.0072533, 0.0036036}},
      {{"cubic", "cubic"},
       {0.01472, 0.0039159, 0.0010723, 0.0002711, 6.9789e-05, 1.8153e-05},
       {0.1123, 0.054094, 0.028126, 0.013636, 0.0069234, 0.0034377}},
      {{"lin", "lin*long"},
       {0.016303, 0.0045321, 0.0012616, 0.00030773, 7.8432e-05, 2.043e-05},
       {0.12003, 0.058786, 0.030327, 0.014688, 0.0074617, 0.0037061}},
      {{"long", "long*long"},
       {0.020861, 0.0059104, 0.0016749, 0.00041717, 0.00010684, 2.7772e-05},
       {0.1359, 0.067291, 0.034487, 0.016715, 0.0085077, 0.0042236}},
      {{"box(1.5)", "box(1.5)"},
       {0.010269, 0.002629, 0.0012801, 0.00063496, 0.00031616, 0.00015775},
       {0.26795, 0.25201, 0.24688, 0.24434, 0.24307, 0.24244}},
      {{"short", "box(1.5)"},
       {0.0090113, 0.0023423, 0.00086032, 0.00041513, 0.00020374, 0.00010091},
       {0.26992, 0.25294, 0.24734, 0.24457, 0.24319, 0.2425}},
      {{"box(1.5)", "short"},
       {0.0079885, 0.0019313, 0.00094497, 0.00047519, 0.00023854, 0.00011954},
       {0.095905, 0.048032, 0.02396, 0.011882, 0.0059721, 0.0029873}},
  };
  return all;
}

struct Errors {
  double q = 0, p = 0;
};

// The largest errors over all step points up to t = 1 and all frequencies.
std::vector<Errors> largest_errors(double h) {
  std::vector<Errors> errors(order_rows().size());
  const int count = static_cast<int>(std::lround(1 / h));
  for (const double angle : angles(h)) {
    const LinearFast oscillators = three_oscillators(angle / h);
    const Mat exact = exact_motion(oscillators, h);
    for (std::size_t i = 0; i < errors.size(); ++i) {
      Steps steps = mollified_impulse(oscillators, order_rows()[i].pair);
      for (int n = 0; n < count; ++n) {
        if (!steps.advance(h)) errors[i] = {HUGE_VAL, HUGE_VAL};
        const Vec difference = steps.state().y - exact.col(n);
        errors[i].q = std::max(errors[i].q, difference.head(unknowns).norm());
        errors[i].p = std::max(errors[i].p, difference.tail(unknowns).norm());
      }
    }
  }
  return errors;
}

FigureResult orders(bool full) {
  FigureResult result;
  std::map<int, std::vector<Errors>> errors;
  for (int level = full ? 3 : finest - 1; level <= finest; ++level)
    errors[level] = largest_errors(std::ldexp(1, -level));
  for (std::size_t i = 0; i < order_rows().size(); ++i) {
    const OrderRow& row = order_rows()[i];
    for (const auto& [level, all] : errors) {
      const auto place = static_cast<std::size_t>(level - 3);
      const std::string at = fmt::format("{}, h = 2^-{}", row.pair.name(), level);
      result.cells.push_back(relative(at + ", error of q", all[i].q, row.q[place], 2e-4));
      result.cells.push_back(relative(at + ", error of p", all[i].p, row.p[place], 2e-4));
    }
    const Errors &coarse = errors[finest - 1][i], &fine = errors[finest][i];
    result.cells.push_back(
        near(row.pair.name() + ", order of q", std::log2(coarse.q / fine.q), std::log2(row.q[4] / row.q[5]), 0.1));
    result.cells.push_back(
        near(row.pair.name() + ", order of p", std::log2(coarse.p / fine.p), std::log2(row.p[4] / row.p[5]), 0.1));
  }
  result.remark =
      "Three unknowns with frequencies 0, omega and sqrt(3) omega, U = x0^2/2 + x0 x1 + x1 + (x0 - x1)^4/4 + "
      "sin(x0 + x2) + x1 x2, up to t = 1. Errors are the largest over h omega = k pi/8, k <= 97, and k pi +- delta h, "
      "k <= 8; orders are those between h = 2^-7 and 2^-8.";
  return result;
}
}  // namespace
}  // namespace papers::filters

void register_figure_ss08_orders(FigureRegistry& registry) {
  using namespace papers::filters;
  registry.add({"ss08_orders", "Orders that hold for every frequency", "SS08 theorems 2 and 3", orders});
}
}  // namespace trill
