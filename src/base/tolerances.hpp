// SPDX-License-Identifier: BSD-3-Clause
// How far a number may be off by rounding alone, each with its reason. What a method may leave unsolved is not rounding
// and stands with the method.
#pragma once

namespace trill::tolerance {
// Positions that were moved onto constraints, relative to 1 + |q|: a few hundred units in the last place.
inline constexpr double position = 1e-13;

// A constant term of a linear force, relative to stiffness times position, from whose difference it is found.
inline constexpr double force = 1e-13;

// Added to a mass matrix, relative to its diagonal, to tell one that is zero in some direction from a negative one.
inline constexpr double mass = 1e-12;

// A component that moves less than this, relative to others of its kind, does not move: a run collects rounding from
// many steps.
inline constexpr double range = 1e-11;

// Eigenvalues relative to the largest one: those of a matrix that is not symmetric lose several digits.
inline constexpr double eigenvalue = 1e-9;

// Half the trace of a step, where it decides between stable and not: it is a sum of cosines and a kick.
inline constexpr double trace = 1e-9;

// Eigenvalues at a double root: the square root of rounding.
inline constexpr double double_root = 1e-8;

// Of sums of numbers of size one.
inline constexpr double unit = 1e-15;
}  // namespace trill::tolerance
