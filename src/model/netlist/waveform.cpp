// SPDX-License-Identifier: BSD-3-Clause
#include "model/netlist/waveform.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr double most_corners = 5e6;
constexpr double whole_periods = 1e-6;  // as near as numbers in netlists give a whole number of periods

struct Shape {
  std::string_view name;
  Waveform::Kind kind;
  std::size_t least, most;  // how many numbers it takes
};
constexpr Shape shapes[] = {
    {"pulse", Waveform::Kind::pulse, 2, 7},     {"sin", Waveform::Kind::sine, 2, 6},
    {"sine", Waveform::Kind::sine, 2, 6},  // as LTspice writes it
    {"exp", Waveform::Kind::exponential, 2, 6}, {"pwl", Waveform::Kind::piecewise, 2, 1'000'000},
    {"sffm", Waveform::Kind::modulated, 2, 5}};

const Shape* find_shape(const Word& word) {
  if (!word.is(Word::Kind::name)) return nullptr;
  const auto* it = std::find_if(std::begin(shapes), std::end(shapes), [&](auto& s) { return s.name == word.text; });
  return it == std::end(shapes) ? nullptr : it;
}

// The numbers that follow, in parentheses or not.
std::vector<double> read_numbers(WordReader& words, const ParameterScope& scope, const Shape& shape) {
  std::vector<double> numbers;
  const bool open = words.take_if(Word::Kind::open);
  while (!words.done() && !words.peek().is(Word::Kind::close)) {
    if (!open && words.at_assignment()) break;
    numbers.push_back(scope.number(words, fmt::format("a number of {}", shape.name)));
    if (numbers.size() > shape.most) words.fail(fmt::format("'{}' takes at most {} numbers", shape.name, shape.most));
  }
  if (open && !words.take_if(Word::Kind::close)) words.expect("')'");
  if (numbers.size() < shape.least) words.fail(fmt::format("'{}' takes at least {} numbers", shape.name, shape.least));
  return numbers;
}

// Missing numbers as SPICE completes them; times that are 0 or left out become the step of the .tran line.
std::vector<double> completed(Waveform::Kind kind, std::vector<double> p, const TransientCard& run) {
  const double step = run.step > 0 ? run.step : 1e-9, stop = run.stop > 0 ? run.stop : 1;
  const auto fill = [&](std::initializer_list<double> defaults) {
    for (std::size_t k = p.size(); k < defaults.size(); ++k) p.push_back(defaults.begin()[k]);
  };
  switch (kind) {
    case Waveform::Kind::pulse:
      fill({0, 0, 0, step, step, stop, HUGE_VAL});
      for (const std::size_t k : {3u, 4u})
        if (p[k] == 0) p[k] = step;
      if (p[6] == 0) p[6] = HUGE_VAL;
      break;
    case Waveform::Kind::sine:
      fill({0, 0, 1 / stop, 0, 0, 0});
      break;
    case Waveform::Kind::exponential:
      fill({0, 0, 0, step});
      fill({0, 0, 0, 0, p[2] + step, step});
      break;
    case Waveform::Kind::modulated:
      fill({0, 0, 1 / stop, 0, 1 / stop});
      break;
    default:
      break;
  }
  return p;
}

bool is_number_next(const Word& word, const ParameterScope& scope) {
  if (word.is(Word::Kind::formula)) return true;
  if (!word.is(Word::Kind::name)) return false;
  return (word.text[0] >= '0' && word.text[0] <= '9') ||
         std::string_view("+-.").find(word.text[0]) != std::string_view::npos || scope.parameter(word.text).has_value();
}
}  // namespace

Waveform Waveform::read(WordReader& words, const ParameterScope& scope, const TransientCard& run) {
  Waveform wave;
  while (!words.done()) {
    if (words.take_if("ac")) {  // a small-signal analysis is not what trill does
      while (is_number_next(words.peek(), scope)) scope.number(words, "a number");
    } else if (words.take_if("dc")) {
      words.take_if(Word::Kind::equals);
      wave.constant_ = scope.number(words, "the value of the source");
    } else if (const Shape* shape = find_shape(words.peek())) {
      const Word name = words.take();
      wave.kind_ = shape->kind;
      wave.read_shape(words, name, scope, run);
    } else if (is_number_next(words.peek(), scope)) {
      wave.constant_ = scope.number(words, "the value of the source");
    } else {
      words.expect("a number, or one of DC, PULSE, SIN, EXP, PWL and SFFM,");
    }
  }
  return wave;
}

void Waveform::read_shape(WordReader& words, const Word& name, const ParameterScope& scope, const TransientCard& run) {
  p_ = completed(kind_, read_numbers(words, scope, *find_shape(name)), run);
  if (kind_ == Kind::piecewise) {
    if (p_.size() % 2 != 0) words.fail(name, "'pwl' takes pairs of a time and a value");
    for (std::size_t k = 0; k < p_.size(); k += 2) {
      times_.push_back(p_[k]);
      values_.push_back(p_[k + 1]);
    }
  }
  check(words, name);
}

void Waveform::check(const WordReader& words, const Word& name) const {
  if (kind_ == Kind::pulse) {
    for (const std::size_t k : {3u, 4u, 5u})
      if (p_[k] < 0) words.fail(name, "the times of 'pulse' must not be negative");
    if (!(p_[6] >= p_[3] + p_[4] + p_[5]) && !(p_[6] >= (p_[3] + p_[4] + p_[5]) * (1 - 1e-9)))
      words.fail(name,
                 fmt::format("the period of 'pulse', {:g}, is shorter than its rise, width and fall together, {:g}",
                             p_[6], p_[3] + p_[4] + p_[5]));
  }
  if ((kind_ == Kind::sine || kind_ == Kind::modulated) && p_[2] < 0)
    words.fail(name, "the frequency must not be negative");
  if (kind_ == Kind::exponential && !(p_[3] > 0 && p_[5] > 0))
    words.fail(name, "the time constants of 'exp' must be positive");
  for (std::size_t k = 1; k < times_.size(); ++k)
    if (!(times_[k] > times_[k - 1]))
      words.fail(name,
                 fmt::format("the times of 'pwl' must increase; {:g} comes after {:g}", times_[k], times_[k - 1]));
}

double Waveform::operator()(double t) const {
  switch (kind_) {
    case Kind::constant:
      return constant_;
    case Kind::pulse:
      return pulse(t);
    case Kind::sine:
      return sine(t);
    case Kind::exponential:
      return exponential(t);
    case Kind::piecewise:
      return piecewise(t);
    case Kind::modulated:
      return p_[0] +
             p_[1] * std::sin(2 * std::numbers::pi * p_[2] * t + p_[3] * std::sin(2 * std::numbers::pi * p_[4] * t));
  }
  return 0;
}

double Waveform::pulse(double t) const {
  const double low = p_[0], high = p_[1], rise = p_[3], fall = p_[4], width = p_[5], period = p_[6];
  double phase = t - p_[2];
  if (phase < 0) return low;
  if (std::isfinite(period)) phase -= period * std::floor(phase / period);
  if (phase < rise) return low + (high - low) * phase / rise;
  phase -= rise;
  if (phase <= width) return high;
  phase -= width;
  return phase < fall ? high + (low - high) * phase / fall : low;
}

double Waveform::sine(double t) const {
  const double turn = p_[5] * std::numbers::pi / 180, since = t - p_[3];
  if (since <= 0) return p_[0] + p_[1] * std::sin(turn);
  return p_[0] + p_[1] * std::exp(-since * p_[4]) * std::sin(2 * std::numbers::pi * p_[2] * since + turn);
}

double Waveform::exponential(double t) const {
  double value = p_[0];
  if (t > p_[2]) value += (p_[1] - p_[0]) * -std::expm1(-(t - p_[2]) / p_[3]);
  if (t > p_[4]) value += (p_[0] - p_[1]) * -std::expm1(-(t - p_[4]) / p_[5]);
  return value;
}

double Waveform::piecewise(double t) const {
  const auto next = std::upper_bound(times_.begin(), times_.end(), t) - times_.begin();
  if (next == 0) return values_.front();
  if (next == static_cast<std::ptrdiff_t>(times_.size())) return values_.back();
  const auto k = static_cast<std::size_t>(next);
  return values_[k - 1] + (values_[k] - values_[k - 1]) * (t - times_[k - 1]) / (times_[k] - times_[k - 1]);
}

void Waveform::add_corners(double t0, double t1, std::vector<double>& times) const {
  const auto add = [&](double t) {
    if (t >= t0 && t <= t1) times.push_back(t);
  };
  if (kind_ == Kind::piecewise)
    for (const double t : times_) add(t);
  if (kind_ == Kind::exponential)
    for (const double t : {p_[2], p_[4]}) add(t);
  if (kind_ == Kind::sine && p_[3] > 0) add(p_[3]);
  if (kind_ != Kind::pulse) return;
  const double period = p_[6], corners[] = {0, p_[3], p_[3] + p_[5], p_[3] + p_[5] + p_[4]};
  const double first = std::isfinite(period) ? std::max(0.0, std::floor((t0 - p_[2]) / period)) : 0;
  const double last = std::isfinite(period) ? std::floor((t1 - p_[2]) / period) : 0;
  if (last - first > most_corners / 4)
    throw UsageError(fmt::format("a pulse with a period of {:g} repeats more than {:g} times in this run", period,
                                 most_corners / 4));
  for (double n = first; n <= last; ++n)
    for (const double corner : corners) add(p_[2] + (n > 0 ? n * period : 0) + corner);
}

std::optional<double> Waveform::period() const {
  if (kind_ == Kind::pulse && std::isfinite(p_[6])) return p_[6];
  if (kind_ == Kind::sine && p_[2] > 0 && p_[1] != 0) return 1 / p_[2];
  if (kind_ == Kind::modulated && p_[2] > 0 && p_[1] != 0) return 1 / p_[2];
  return std::nullopt;
}

double Waveform::delay() const {
  if (kind_ == Kind::pulse) return p_[2];
  return kind_ == Kind::sine ? p_[3] : 0;
}

bool Waveform::repeats_after(double time) const {
  if (kind_ == Kind::constant) return true;
  const std::optional<double> once = period();
  if (!once) return false;
  const double times = std::round(time / *once);
  return times >= 1 && std::abs(time - times * *once) <= whole_periods * *once;
}
}  // namespace trill
