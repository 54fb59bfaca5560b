// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/method/error_scale.hpp"

#include <functional>

namespace trill {
using RightHandSide = std::function<bool(double t, In y, Out dy)>;

// First step size from the sizes of y, y' and y'': Hairer, Norsett, Wanner, "Solving ordinary differential equations
// I", section II.4. The local error is O(h^local_order). h_max carries the direction; the result is positive.
double initial_step_hairer(const RightHandSide& rhs, double t, In y, In dy, const ErrorScale& scale, int local_order,
                           double h_max, Vec& work1, Vec& work2);

// h, or less if forces change within it: at two times of the step, with the unknowns as they are at the start. A first
// step from rest would otherwise know nothing of a force that begins to act. change_to(t) is the error, in tolerances,
// that a step from the start to t would make by the change of the slopes between them.
double shortened_by_later_forces(const std::function<double(double t)>& change_to, double t, double h, int local_order,
                                 double direction);

// The first step of ode45, chosen so that h |y'| is 0.8 rtol^(1/local_order) times the larger of |y| and atol / rtol.
double initial_step_ode45(In y, In dy, const ErrorScale& scale, int local_order, double h_max);
}  // namespace trill
