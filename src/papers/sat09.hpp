// SPDX-License-Identifier: BSD-3-Clause
// What the tables and figures of SAT09 share: the two masses on two springs in its three cases, followed directly and
// by HMM as it is printed.
#pragma once

#include "papers/cells.hpp"
#include "papers/runs.hpp"

namespace trill::papers::sat09 {
inline constexpr const char* print = "SAT09";
inline constexpr const char* tight = "dop853, 1e-11";
inline constexpr double to = 10, sampling = 0.25;  // figures and errors of ode45 are taken at multiples of it

struct Case {
  std::string model;
  OptionSet parameters;
};
Case second_stiff(double omega2);
Case first_stiff(double omega1 = 500);
Case both_stiff(double omega = 500);

// Numbers of steps, of those that failed, and of evaluations of all forces.
struct Work {
  double steps = 0, rejected = 0, forces = 0;
};
Work work_of(const Solution& s);

Solution by_ode45(const Case& c, double rtol, const Output& output);  // absolute tolerance rtol/1000, as its defaults
Solution reference(const Case& c, const Output& output);              // that of the paper: ode45 with 1e-6
Solution tight_reference(const Case& c, const Output& output);

Solution hmm_by_rk4(const Case& c, double h);  // recorded at every step
Solution hmm_by_ode45(const Case& c, const Output& output);

// Projected anew at multiples of `length`, as a run for every piece, recorded at a grid of dt that divides it.
struct Pieces {
  std::vector<double> t;
  Mat y;
  Work work;
};
Pieces hmm_reprojected(const Case& c, double dt, double length = 1, double rtol = 1e-3);
Pieces whole(const Solution& s);

// The largest component of the difference at the k-th row of each, of positions or of velocities.
enum class Part { positions, velocities };
double distance(In a, In b, Part part = Part::positions);
// Over the rows of both that have the same time, up to a time.
double largest_distance(const Pieces& a, const Pieces& b, Part part = Part::positions, double until = to);
Vec state_at(const Pieces& s, double t);

// A line for HMM and dots for the direct solution, as the paper draws them. x and y: values of a state.
using Value = std::function<double(double t, const Vec& y)>;
struct Curve {
  std::string label;
  Value x, y;
};
void add_line(Chart& chart, const Curve& curve, const Pieces& s);
void add_dots(Chart& chart, const Curve& curve, const Pieces& s);
}  // namespace trill::papers::sat09
