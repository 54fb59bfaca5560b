// SPDX-License-Identifier: BSD-3-Clause
#include "multiscale/multipliers.hpp"

#include "linalg/dense_decompositions.hpp"
#include "trill/base/random.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr Index most_arnoldi_products = 60, arnoldi_products_between_looks = 6;
constexpr double multiplier_accuracy = 1e-6;
constexpr double settled_share = 1e-6;
// Multipliers come from an integration with errors of its own.
constexpr double unit_circle_slack = 1e-6;

void sort_by_size(Multipliers& all) {
  std::stable_sort(all.begin(), all.end(), [](auto a, auto b) { return std::abs(a) > std::abs(b); });
}

// Arnoldi's iteration: an orthonormal basis of the vectors x, A x, A^2 x, ..., from a random x.
class ArnoldiBasis {
 public:
  ArnoldiBasis(Index size, Index most) : basis_(Mat::Zero(size, most + 1)), h_(Mat::Zero(most + 1, most)) {
    for (Index i = 0; i < size; ++i) basis_(i, 0) = random_normal({.seed = 1}, static_cast<std::uint32_t>(i));
    basis_.col(0).normalize();
  }
  bool is_complete() const { return count_ == h_.cols() || (count_ > 0 && rest_ <= 1e-14 * (1 + h_.norm())); }
  Index count() const { return count_; }

  void extend(const Product& product) {
    const Index j = count_++;
    auto next = basis_.col(j + 1);
    product(basis_.col(j), next);
    for (int pass = 0; pass < 2; ++pass) {
      const Vec share = basis_.leftCols(j + 1).transpose() * next;
      next -= basis_.leftCols(j + 1) * share;
      h_.col(j).head(j + 1) += share;
    }
    rest_ = next.norm();
    if (is_complete()) return;
    h_(j + 1, j) = rest_;
    next /= rest_;
  }

  // The largest values, up to the first one that is not accurate yet.
  Multipliers accurate_values(Index wanted) const {
    const GeneralEigen eigen = general_eigen(h_.topLeftCorner(count_, count_), true);
    Multipliers values;
    if (!eigen.converged) return values;
    std::vector<Index> order(static_cast<std::size_t>(count_));
    for (Index k = 0; k < count_; ++k) order[static_cast<std::size_t>(k)] = k;
    std::stable_sort(order.begin(), order.end(),
                     [&](Index a, Index b) { return std::abs(eigen.values[a]) > std::abs(eigen.values[b]); });
    for (const Index k : order) {
      const double residual = rest_ * std::abs(eigen.vectors(count_ - 1, k));  // |A x - value x|
      if (static_cast<Index>(values.size()) == wanted || residual > multiplier_accuracy) break;
      values.push_back(eigen.values[k]);
    }
    return values;
  }

 private:
  Mat basis_, h_;
  Index count_ = 0;
  double rest_ = 0;
};

double cycles_until_settled(double largest) {
  if (largest >= 1) return std::numeric_limits<double>::infinity();
  return largest > settled_share ? std::ceil(std::log(settled_share) / std::log(largest)) : 1;
}

std::string name_of(std::complex<double> value) {
  if (std::abs(value.imag()) < 1e-12) return fmt::format("{:.6g}", value.real());
  return fmt::format("{:.6g} {} {:.6g}i of size {:.6g}", value.real(), value.imag() < 0 ? "-" : "+",
                     std::abs(value.imag()), std::abs(value));
}

// With two digits.
std::string roughly(double count) {
  const double digit = std::pow(10, std::max(0.0, std::floor(std::log10(count)) - 1));
  return fmt::format("{:.0f}", std::round(count / digit) * digit);
}

std::string stability_text(const Stability& s, std::complex<double> deciding) {
  if (s.is_stable)
    return fmt::format("stable: the largest multiplier is {}, so a transient needs about {} cycles to settle to 1e-6",
                       name_of(deciding), roughly(s.cycles_to_settle));
  if (s.largest <= 1 + unit_circle_slack)
    return fmt::format(
        "on the limit of stability: the multiplier {} is on the unit circle, so some disturbances never die out",
        name_of(deciding));
  const bool doubles = deciding.real() < 0 && std::abs(deciding.imag()) < 1e-9;
  return fmt::format(
      "unstable: the multiplier {} lies outside the unit circle, so small disturbances grow{}; a transient does not "
      "reach this motion",
      name_of(deciding), doubles ? ", and the motion tends to one of twice the period" : "");
}
}  // namespace

Multipliers all_multipliers(const Mat& derivative) {
  const GeneralEigen eigen = general_eigen(derivative, false);
  if (!eigen.converged) return {};
  Multipliers all(eigen.values.begin(), eigen.values.end());
  sort_by_size(all);
  return all;
}

Multipliers largest_multipliers(Index size, const Product& product, Index wanted) {
  ArnoldiBasis basis(size, std::min(size, most_arnoldi_products));
  while (true) {
    basis.extend(product);
    if (!basis.is_complete() && basis.count() % arnoldi_products_between_looks != 0) continue;
    const Multipliers found = basis.accurate_values(wanted);
    if (basis.is_complete() || static_cast<Index>(found.size()) == wanted) return found;
  }
}

Stability judge_stability(const Multipliers& multipliers, bool has_clock) {
  Stability s;
  if (multipliers.empty()) {
    s.text = "the multipliers could not be computed";
    return s;
  }
  Multipliers deciding = multipliers;
  if (!has_clock) {
    const auto nearest = std::min_element(deciding.begin(), deciding.end(),
                                          [](auto a, auto b) { return std::abs(a - 1.0) < std::abs(b - 1.0); });
    s.trivial = *nearest;
    deciding.erase(nearest);
    if (deciding.empty()) deciding.push_back(0);
  }
  s.largest = std::abs(deciding.front());
  s.is_stable = s.largest < 1 - unit_circle_slack;
  s.cycles_to_settle = cycles_until_settled(s.largest);
  s.text = stability_text(s, deciding.front());
  return s;
}
}  // namespace trill
