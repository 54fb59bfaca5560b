// SPDX-License-Identifier: BSD-3-Clause
#include "report/ticks.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr double largest = 1e300;
constexpr double smallest = 1e-300;

double power(int exponent) { return std::pow(10.0, exponent); }

// The smallest number of the form 1, 2 or 5 times a power of ten that is not below a size.
struct Step {
  int mantissa, exponent;
  double value() const { return mantissa * power(exponent); }
};

Step step_above(double size) {
  const int exponent = static_cast<int>(std::floor(std::log10(size)));
  for (const int mantissa : {1, 2, 5})
    if (mantissa * power(exponent) >= size * (1 - 1e-9)) return {mantissa, exponent};
  return {1, exponent + 1};
}

std::vector<double> multiples(double lo, double hi, double step) {
  std::vector<double> ticks;
  const double slack = 1e-9 * (hi - lo);
  for (double k = std::ceil((lo - slack) / step); k * step <= hi + slack; ++k)
    ticks.push_back(std::clamp(k == 0 ? 0.0 : k * step, lo, hi));
  return ticks;
}

std::string minus(std::string text) {  // a true minus sign
  for (std::size_t at = 0; (at = text.find('-', at)) != std::string::npos;) text.replace(at, 1, "\u2212");
  return text;
}

std::string power_text(int exponent) { return "10^{" + minus(std::to_string(exponent)) + "}"; }

// The number between lo and hi with the fewest digits.
double roundest(double lo, double hi, int least_exponent) {
  const double middle = lo + 0.5 * (hi - lo);
  for (int exponent = static_cast<int>(std::ceil(std::log10(std::abs(middle)))); exponent >= least_exponent;
       --exponent) {
    const double unit = power(exponent);
    const double value =
        exponent < 0 ? std::round(middle * power(-exponent)) / power(-exponent) : std::round(middle / unit) * unit;
    if (value >= lo && value <= hi) return value;
  }
  return middle;
}

void label_linear(AxisTicks& axis, Step step) {
  const double spread = axis.hi - axis.lo;
  double size = std::max(std::abs(axis.lo), std::abs(axis.hi)), base = 0;
  if (size > 1e5 * spread) {  // too many common digits: label the difference to a round number
    base = roundest(axis.lo, axis.hi, step.exponent);
    axis.offset = minus(fmt::format("{}", base));
    size = spread;
  }
  int common = 0;
  if (const int exponent = static_cast<int>(std::floor(std::log10(size))); exponent >= 5 || exponent <= -4) {
    common = exponent;
    axis.factor = power_text(common);
  }
  const int decimals = std::clamp(common - step.exponent, 0, 17);
  for (const double tick : axis.major) {
    double shown = (tick - base) / power(common);
    if (std::abs(shown) < 0.5 * std::pow(10.0, -decimals)) shown = 0;
    axis.labels.push_back(minus(fmt::format("{:.{}f}", shown, decimals)));
  }
}

std::vector<std::string> log_labels(const std::vector<double>& ticks) {
  const bool plain = ticks.front() > 0.0099 && ticks.back() < 10001;
  std::vector<std::string> labels;
  for (const double tick : ticks) {
    const int exponent = static_cast<int>(std::floor(std::log10(tick) + 1e-9));
    const std::string leading = fmt::format("{:.4g}", tick / power(exponent));
    if (plain)
      labels.push_back(fmt::format("{:.6g}", tick));
    else
      labels.push_back(leading == "1" ? power_text(exponent) : leading + "\u00b7" + power_text(exponent));
  }
  return labels;
}
}  // namespace

double AxisTicks::position(double value) const {
  if (!log) return (value - lo) / (hi - lo);
  return (std::log10(value) - std::log10(lo)) / (std::log10(hi) - std::log10(lo));
}

AxisTicks linear_axis(double lo, double hi, int about) {
  if (!std::isfinite(lo) || !std::isfinite(hi)) lo = 0, hi = 1;
  if (lo > hi) std::swap(lo, hi);
  lo = std::clamp(lo, -largest, largest);
  hi = std::clamp(hi, -largest, largest);
  const double size = std::max(std::abs(lo), std::abs(hi));
  if (size < smallest) {
    lo = -1, hi = 1;
  } else if (lo == hi) {
    lo -= 0.1 * size, hi += 0.1 * size;
  } else if (hi - lo < 1e-12 * size) {  // ticks must differ as numbers
    lo -= 1e-12 * size, hi += 1e-12 * size;
  }
  AxisTicks axis;
  axis.lo = lo;
  axis.hi = hi;
  const Step step = step_above((hi - lo) / std::clamp(about, 5, 11));
  axis.major = multiples(lo, hi, step.value());
  const double fine = step.value() / (step.mantissa == 2 ? 4 : 5);
  for (const double tick : multiples(lo, hi, fine)) {
    const bool taken = std::any_of(axis.major.begin(), axis.major.end(),
                                   [&](double major) { return std::abs(major - tick) < 0.5 * fine; });
    if (!taken) axis.minor.push_back(tick);
  }
  label_linear(axis, step);
  return axis;
}

AxisTicks log_axis(double lo, double hi, int about) {
  if (!std::isfinite(lo) || !std::isfinite(hi)) lo = 1, hi = 10;
  if (lo > hi) std::swap(lo, hi);
  hi = std::clamp(hi, smallest, largest);
  lo = std::clamp(lo, smallest, hi);
  if (hi < lo * (1 + 1e-9)) {
    lo /= 2;
    hi *= 2;
  }
  AxisTicks axis;
  const int first = static_cast<int>(std::ceil(std::log10(lo) - 1e-9));
  const int last = static_cast<int>(std::floor(std::log10(hi) + 1e-9));
  const int decades = last - first + 1;
  const auto inside = [&](double value) { return value >= lo * (1 - 1e-9) && value <= hi * (1 + 1e-9); };
  const auto clamped = [&](double value) { return std::clamp(value, lo, hi); };
  if (decades >= 3) {
    const int most = std::clamp(about, 3, 10), stride = (decades + most - 1) / most;
    for (int k = first; k <= last; ++k) (k % stride == 0 ? axis.major : axis.minor).push_back(clamped(power(k)));
    for (int k = first - 1; stride == 1 && k <= last; ++k)
      for (int m = 2; m <= 9; ++m)
        if (inside(m * power(k))) axis.minor.push_back(m * power(k));
    axis.lo = lo, axis.hi = hi;
  } else {
    for (int k = first - 1; k <= last; ++k)
      for (int m = 1; m <= 9; ++m) {
        const double value = m * power(k);
        if (inside(value)) (m == 1 || m == 2 || m == 5 ? axis.major : axis.minor).push_back(clamped(value));
      }
    axis.lo = lo, axis.hi = hi;
    if (axis.major.size() < 3) {  // a small part of a decade: steps as on a linear axis
      axis = linear_axis(lo, hi, 9);
      axis.log = true;
      return axis;
    }
  }
  axis.log = true;
  axis.labels = log_labels(axis.major);
  return axis;
}
}  // namespace trill
