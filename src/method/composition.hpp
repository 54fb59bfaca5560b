// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string_view>

namespace trill {

/// Symmetric composition of a symmetric second-order method Phi (Stormer-Verlet, Strang splitting, implicit midpoint):
/// one step of size h is Phi_{gamma_s h} o ... o Phi_{gamma_1 h}. The result is symmetric, of the given order, and
/// symplectic if Phi is. Some gamma are negative: the scheme takes sub-steps backwards in time.
///
/// Collected in E. Hairer, C. Lubich, G. Wanner, Geometric Numerical Integration, 2nd ed., Springer 2006, section
/// V.3.2.
struct Composition {
  std::string_view name;
  int order;
  std::span<const double> gamma;  ///< all s coefficients, palindromic, with static lifetime
  std::string_view reference;
};

/// All known compositions, by increasing order; the first of each order is its default.
std::span<const Composition> compositions() noexcept;

/// The composition called `name`, or nullptr.
const Composition* find_composition(std::string_view name) noexcept;

/// The default composition of exactly this order (2, 4, 6 or 8), or nullptr.
const Composition* find_composition(int order) noexcept;

}  // namespace trill
