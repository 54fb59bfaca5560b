// SPDX-License-Identifier: BSD-3-Clause
// What the tables and figures of SAT09 have in common: two masses on two springs in its three cases, computed directly
// and by HMM as printed in the paper.
#pragma once

#include "papers/cells.hpp"
#include "papers/runs.hpp"

namespace trill::papers::sat09 {
inline const CellOrigin print = published_in("SAT09");
inline const CellOrigin tight = own_by("dop853, 1e-11");
inline constexpr double to = 10, sampling = 0.25;  // figures and errors of ode45 use multiples of `sampling`

struct Case {
  std::string model;
  OptionSet parameters;
};
Case second_stiff(double omega2);
Case first_stiff(double omega1 = 500);
Case both_stiff(double omega = 500);

// Numbers of steps, of failed steps, and of evaluations of all forces.
struct Work {
  double steps = 0, rejected = 0, forces = 0;
};
Work work_of(const Solution& s);

// The absolute tolerance is rtol/1000, as in the defaults of ode45.
Solution by_ode45(const Case& c, double rtol, const Output& output);
Solution reference(const Case& c, const Output& output);  // the reference of the paper: ode45 with 1e-6
Solution tight_reference(const Case& c, const Output& output);

Solution hmm_by_rk4(const Case& c, double h);  // recorded at every step
Solution hmm_by_ode45(const Case& c, const Output& output);

// HMM with a new projection at multiples of `length`; every piece is a run of its own, recorded on a grid of dt, which
// divides `length`.
struct Pieces {
  std::vector<double> t;
  Mat y;
  Work work;
};
Pieces hmm_reprojected(const Case& c, double dt, double length = 1, double rtol = 1e-3);
Pieces whole(const Solution& s);

// The largest component of the difference of two states, in positions or in velocities.
enum class Part { positions, velocities };
double distance(In a, In b, Part part = Part::positions);
// The largest distance over all rows of equal time, up to `until`.
double largest_distance(const Pieces& a, const Pieces& b, Part part = Part::positions, double until = to);
Vec state_at(const Pieces& s, double t);

// HMM as a line and the direct solution as dots, as in the paper. x and y: values of a state.
using Value = std::function<double(double t, const Vec& y)>;
struct Curve {
  std::string label;
  Value x, y;
};
void add_line(Chart& chart, const Curve& curve, const Pieces& s);
void add_dots(Chart& chart, const Curve& curve, const Pieces& s);
}  // namespace trill::papers::sat09
