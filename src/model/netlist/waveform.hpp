// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/netlist/parameter_scope.hpp"

namespace trill {
// The .tran line: some values of sources that a netlist leaves out follow from it.
struct TransientCard {
  double step = 0, stop = 0, start = 0;
  std::optional<double> longest_step;
  bool uses_given_start = false;  // uic: no operating point is computed
  const Card* card = nullptr;
};

// What an independent source does over time.
class Waveform {
 public:
  enum class Kind { constant, pulse, sine, exponential, piecewise, modulated };
  Waveform() = default;
  explicit Waveform(double constant) : constant_(constant) {}
  // Reads "[DC] value", one of PULSE SIN EXP PWL SFFM, or both; AC values are skipped.
  static Waveform read(WordReader& words, const ParameterScope& scope, const TransientCard& run);

  double operator()(double t) const;
  // Adds the times in [t0, t1] where it has a corner. UsageError if there are too many of them.
  void add_corners(double t0, double t1, std::vector<double>& times) const;
  std::optional<double> period() const;   // if it repeats
  bool repeats_after(double time) const;  // constant values do
  double delay() const;                   // before it begins to repeat

 private:
  void read_shape(WordReader& words, const Word& name, const ParameterScope& scope, const TransientCard& run);
  void check(const WordReader& words, const Word& name) const;
  double pulse(double t) const;
  double sine(double t) const;
  double exponential(double t) const;
  double piecewise(double t) const;

  Kind kind_ = Kind::constant;
  double constant_ = 0;
  std::vector<double> p_;               // the numbers in the parentheses, completed
  std::vector<double> times_, values_;  // PWL
};
}  // namespace trill
