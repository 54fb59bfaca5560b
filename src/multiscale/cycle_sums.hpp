// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/base/types.hpp"

namespace trill {
// A step of M cycles adds M changes where a step of a differential equation integrates. In units of the step, with
// eps = 1/M, the integral from 0 to x becomes the sum of eps u^p over u = 0, eps, 2 eps, ... below x. That is a
// polynomial in x and eps (Faulhaber), which is used for every real x and eps.
double power_sum(int power, double x, double eps);

// Weights w with sum w_j f(nodes_j) = the sum of f below x, exact for polynomials of degree below the number of nodes.
Vec sum_weights(const Vec& nodes, double x, double eps);

// Weights w with sum w_j f(nodes_j) = f(x), exact for the same polynomials.
Vec value_weights(const Vec& nodes, double x);
}  // namespace trill
