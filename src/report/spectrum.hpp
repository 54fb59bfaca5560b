// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/report/report.hpp"

#include <span>
#include <vector>

namespace trill {
// Turns rows at uneven times into equally spaced samples t0 + k (t1 - t0)/samples, k = 0, 1, ..., by polynomials
// through six neighbouring rows; straight where these swing far beyond the rows, as at a jump. Rows come in the order
// of time, forwards or backwards.
class Resampler {
 public:
  Resampler(std::size_t columns, double t0, double t1, Index samples);
  void row(double t, const std::vector<double>& values);
  std::vector<std::vector<double>> finish();  // for each column its samples

 private:
  struct Row {
    double t;
    std::vector<double> values;
  };
  void sample_until(double t);
  void sample_at(double t);

  double t0_, dt_;
  Index samples_, next_ = 0;
  std::vector<Row> rows_;  // the last six
  std::vector<std::vector<double>> result_;
};

struct SpectrumPeak {
  double omega = 0, amplitude = 0;
};

// Amplitude over angular frequency: a sine appears with its amplitude at its frequency. Seen through a Hann window, so
// that a sine is seen in four lines at most wherever it lies between them.
struct Spectrum {
  std::vector<double> amplitude;  // of the angular frequency k `step`
  double step = 0;
  // The highest first. Place and height are those of a sine that would cause the two highest lines, which is exact for
  // a sine that is far from others.
  std::vector<SpectrumPeak> peaks;
};
Spectrum spectrum_of(std::span<const double> samples, double dt);

// The spectra of a run, one chart for each unit. Empty where nothing was asked for and no series oscillates fast: with
// many periods in the run, and visibly. UsageError for a name that is not in the run. `bytes` is about their size in a
// page.
inline constexpr double spectrum_bytes = 300'000;
std::vector<Chart> spectrum_charts(const ReportRun& run, double bytes = spectrum_bytes);
}  // namespace trill
