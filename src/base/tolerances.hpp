// SPDX-License-Identifier: BSD-3-Clause
// How far a number may be off because of rounding alone, each with its reason. How accurately a method solves its
// equations is not a matter of rounding and is defined with the method.
#pragma once

namespace trill::tolerance {
// Positions that were moved onto constraints, relative to 1 + |q|: a few hundred units in the last place.
inline constexpr double position = 1e-13;

// The constant term of a linear force, relative to stiffness times position: it is computed as the difference of the
// force and that product.
inline constexpr double force = 1e-13;

// Added to a mass matrix, relative to its diagonal, to distinguish a semidefinite matrix from an indefinite one.
inline constexpr double mass = 1e-12;

// A component that moves less than this, relative to others of its kind, counts as constant. Larger than a single
// rounding error because a run accumulates rounding over many steps.
inline constexpr double range = 1e-11;

// Eigenvalues relative to the largest one: for matrices that are not symmetric they lose several digits.
inline constexpr double eigenvalue = 1e-9;

// Half the trace of a step matrix when it decides about stability: it is computed as a sum of cosines and a kick.
inline constexpr double trace = 1e-9;

// Eigenvalues at a double root: the square root of the rounding error.
inline constexpr double double_root = 1e-8;

// Sums of numbers of size one.
inline constexpr double unit = 1e-15;
}  // namespace trill::tolerance
