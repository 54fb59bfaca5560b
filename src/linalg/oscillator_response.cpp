// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/oscillator_response.hpp"

#include <cmath>

#include <unsupported/Eigen/MatrixFunctions>

namespace trill {
namespace {
constexpr double series_up_to = 10;  // angle and decay over h: beyond this the terms of a series cancel
constexpr double term_limit = 1e-18;

// The k-fold integrals of e^{rate t} from 0 to h, k = 0, ..., for rate <= 0.
template <std::size_t count>
std::array<double, count> integrals_of_exponential(double rate, double h) {
  std::array<double, count> f{};
  const double x = rate * h;
  if (-x < series_up_to) {
    // The last two by their series of positive and negative terms, whose first one dominates; the others by the
    // stable direction of the recurrence.
    double power = 1;
    for (std::size_t k = 1; k < count; ++k) power *= h / static_cast<double>(k);
    double sum = 0, term = power;
    for (int j = 0; std::abs(term) > term_limit * std::abs(sum) && j < 200; ++j) {
      sum += term;
      term *= x / static_cast<double>(count + static_cast<std::size_t>(j));
    }
    f[count - 1] = sum;
    for (std::size_t k = count - 1; k > 0; --k) {
      f[k - 1] = rate * f[k] + power * static_cast<double>(k) / h;
      power *= static_cast<double>(k) / h;
    }
    f[0] = std::exp(x);
    return f;
  }
  f[0] = std::exp(x);
  double power = 1;
  for (std::size_t k = 1; k < count; ++k) {
    f[k] = (f[k - 1] - power) / rate;
    power *= h / static_cast<double>(k);
  }
  return f;
}
}  // namespace

void OscillatorResponse::compute(double lambda, double damping, double h) {
  lambda_ = lambda;
  damping_ = damping;
  const double angle = std::sqrt(lambda) * std::abs(h), decay = damping * std::abs(h);
  if (h == 0) {
    g_.fill(0);
    at(-1) = 1;
  } else if (angle <= series_up_to && decay <= series_up_to) {
    by_series(h);
  } else if (0.25 * damping * damping > 1.01 * lambda) {
    by_decay(h);
  } else {
    by_recurrence(h);
  }
}

// g_k = sum over j of c_j h^{j+k+1} / (j+k+1)!, c_0 = 1, c_1 = -damping, c_j = -damping c_{j-1} - lambda c_{j-2}, for
// the last two k; then g_{k-2} = h^{k-1} / (k-1)! - damping g_{k-1} - lambda g_k.
void OscillatorResponse::by_series(double h) {
  double first = 1;  // h^k / k!
  for (int k = 1; k <= last; ++k) first *= h / k;
  for (const int k : {last, last - 1}) {
    double term_factor = (k == last ? first : first * last / h) * h / (k + 1);  // h^{k+1} / (k+1)!
    double before = 0, now = 1, sum = 0;
    for (int j = 0; j < 200; ++j) {
      sum += now * term_factor;
      const double next = -damping_ * now - lambda_ * before;
      before = now;
      now = next;
      term_factor *= h / (j + k + 2);
      if (std::abs(now * term_factor) + std::abs(before * term_factor * h) < term_limit * std::abs(sum)) break;
    }
    at(k) = sum;
  }
  double power = first * last / h;  // h^{k-1} / (k-1)! for k = last
  for (int k = last; k >= 1; --k) {
    at(k - 2) = power - damping_ * at(k - 1) - lambda_ * at(k);
    power *= (k - 1) / h;
  }
}

// Two decaying exponentials, the slower of which is written without a difference of large numbers.
void OscillatorResponse::by_decay(double h) {
  const double s = 0.5 * damping_, w = std::sqrt(s * s - lambda_);
  const auto slow = integrals_of_exponential<static_cast<std::size_t>(last) + 1>(-lambda_ / (s + w), h);
  const auto fast = integrals_of_exponential<static_cast<std::size_t>(last) + 1>(-(s + w), h);
  for (int k = 0; k <= last; ++k)
    at(k) = (slow[static_cast<std::size_t>(k)] - fast[static_cast<std::size_t>(k)]) / (2 * w);
  at(-1) = ((s + w) * fast[0] - lambda_ / (s + w) * slow[0]) / (2 * w);
}

void OscillatorResponse::impulse_response(double h) {
  const double s = 0.5 * damping_, q = lambda_ - s * s;
  if (q > 0) {
    const double w = std::sqrt(q), decay = std::exp(-s * h);
    at(0) = decay * std::sin(w * h) / w;
    at(-1) = decay * std::cos(w * h) - s * at(0);
    return;
  }
  // Nearly equal rates. Powers of e are negative, so that nothing overflows.
  const double w = std::sqrt(-q), slow = std::exp((w - s) * h), fast = std::exp(-(w + s) * h);
  at(0) = w * h > 1e-4 ? 0.5 * (slow - fast) / w : std::exp(-s * h) * h * (1 + w * h * w * h / 6);
  at(-1) = 0.5 * (slow + fast) - s * at(0);
}

// g_k = (h^{k-1} / (k-1)! - g_{k-2} - damping g_{k-1}) / lambda, which is stable for large angles.
void OscillatorResponse::by_recurrence(double h) {
  impulse_response(h);
  double power = 1;
  for (int k = 1; k <= last; ++k) {
    at(k) = (power - at(k - 2) - damping_ * at(k - 1)) / lambda_;
    power *= h / k;
  }
}

Mat matrix_exponential(const Mat& a) { return a.exp(); }
}  // namespace trill
