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
constexpr double fast_slack = 1e-3;  // of multipliers that were estimated from growth rates
constexpr double known_well = 0.1;  // error of the distance from the unit circle with which a number of cycles is given

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
  Mat vectors() const { return basis_.leftCols(count_); }

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

std::string settling_text(double size, double error) {
  const double rough = (1 - size) * known_well;
  if (error <= rough) return fmt::format("about {}", roughly(cycles_until_settled(size)));
  return fmt::format("{} to {}", roughly(cycles_until_settled(size - error)),
                     roughly(cycles_until_settled(size + error)));
}

std::string stable_text(double size, std::complex<double> deciding, double error) {
  return fmt::format("stable: the largest multiplier is {}, so a transient needs {} cycles to settle to 1e-6",
                     name_of(deciding), settling_text(size, error));
}

std::string unstable_text(std::complex<double> deciding) {
  const bool doubles = deciding.real() < 0 && std::abs(deciding.imag()) < 1e-9;
  return fmt::format(
      "unstable: the multiplier {} lies outside the unit circle, so small disturbances grow{}; a transient does not "
      "reach this motion",
      name_of(deciding), doubles ? ", and the motion tends to one of twice the period" : "");
}

std::string undecided_text(std::complex<double> deciding, double error) {
  if (error <= unit_circle_slack)
    return fmt::format(
        "on the limit of stability: the multiplier {} is on the unit circle, so some disturbances never die out",
        name_of(deciding));
  if (!std::isfinite(error))
    return fmt::format(
        "stability is not known: the largest multiplier found is {}, but its error could not be estimated, because a "
        "cycle in shorter steps failed",
        name_of(deciding));
  return fmt::format(
      "neutral, or too near to it to tell: the largest multiplier is {} with an error of up to {:.2g}, so it is not "
      "known whether disturbances die out; a smaller --rtol tells more",
      name_of(deciding), error);
}

// Disturbances that steps do not resolve.
Stability judge_fast(const FastOscillation& fast) {
  Stability s;
  s.largest = fast.size;
  s.is_stable = s.is_decided = fast.size < 1 - fast_slack;
  s.cycles_to_settle = cycles_until_settled(fast.size);
  s.text = s.is_stable ? fmt::format(
                             "stable: disturbances that decay most slowly oscillate with the angular frequency {:.4g}, "
                             "faster than the steps; their multiplier has a size of about {:.4g}, so a transient needs "
                             "about {} cycles to settle to 1e-6",
                             fast.frequency, fast.size, roughly(s.cycles_to_settle))
                       : fmt::format(
                             "neutral, or too near to it to tell: disturbances that oscillate with the angular "
                             "frequency {:.4g} are faster than the steps, and their multiplier has a size of about "
                             "{:.6g}, so it is not known whether they die out",
                             fast.frequency, fast.size);
  return s;
}

// The multiplier of a shift in time, which is taken out. There may be no other.
std::complex<double> take_trivial(Multipliers& all) {
  const auto nearest =
      std::min_element(all.begin(), all.end(), [](auto a, auto b) { return std::abs(a - 1.0) < std::abs(b - 1.0); });
  const std::complex<double> trivial = *nearest;
  all.erase(nearest);
  if (all.empty()) all.push_back(0);
  return trivial;
}
}  // namespace

Multipliers all_multipliers(const Mat& derivative) {
  const GeneralEigen eigen = general_eigen(derivative, false);
  if (!eigen.converged) return {};
  Multipliers all(eigen.values.begin(), eigen.values.end());
  sort_by_size(all);
  return all;
}

Multipliers largest_multipliers(Index size, const Product& product, Index wanted, Mat& directions) {
  ArnoldiBasis basis(size, std::min(size, most_arnoldi_products));
  while (true) {
    basis.extend(product);
    if (!basis.is_complete() && basis.count() % arnoldi_products_between_looks != 0) continue;
    const Multipliers found = basis.accurate_values(wanted);
    if (!basis.is_complete() && static_cast<Index>(found.size()) != wanted) continue;
    directions = basis.vectors();
    return found;
  }
}

double error_of_largest(Multipliers rough, Multipliers better, bool has_clock) {
  if (rough.empty() || better.empty()) return std::numeric_limits<double>::infinity();
  if (!has_clock) {
    take_trivial(rough);
    take_trivial(better);
  }
  double most = 0;
  for (std::size_t k = 0; k < std::min(rough.size(), better.size()); ++k)
    most = std::max(most, std::abs(better[k]) + std::abs(std::abs(better[k]) - std::abs(rough[k])));
  return most - std::abs(better.front());
}

Stability judge_stability(Multipliers multipliers, bool has_clock, double error, const FastOscillation& fast) {
  Stability s;
  if (multipliers.empty()) {
    s.text = "the multipliers could not be computed";
    return s;
  }
  if (!has_clock) s.trivial = take_trivial(multipliers);
  const std::complex<double> deciding = multipliers.front();
  s.largest = std::abs(deciding);
  const double slack = std::max(error, unit_circle_slack);
  const bool is_unstable = s.largest > 1 + slack;
  if (!is_unstable && fast.size > s.largest) {
    Stability of_fast = judge_fast(fast);
    of_fast.trivial = s.trivial;
    return of_fast;
  }
  s.is_stable = s.largest < 1 - slack;
  s.is_decided = s.is_stable || is_unstable;
  s.cycles_to_settle = cycles_until_settled(s.largest);
  s.text = s.is_stable   ? stable_text(s.largest, deciding, error)
           : is_unstable ? unstable_text(deciding)
                         : undecided_text(deciding, error);
  return s;
}
}  // namespace trill
