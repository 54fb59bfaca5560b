// SPDX-License-Identifier: BSD-3-Clause
#include "report/spectrum.hpp"

#include "base/text.hpp"
#include "report/plain_text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <numbers>

#include <fmt/format.h>
#include <kissfft/kissfft.hh>

namespace trill {
namespace {
constexpr std::size_t rows_of_polynomial = 6;
constexpr Index fewest_samples = 1024, most_samples = Index{1} << 19;
constexpr Index samples_in_a_row = 4;  // a sine needs as many for the polynomial between rows to be of no concern
constexpr std::size_t most_spectra = 8;
constexpr double line_bytes = 16 * 4.0 / 3;  // two numbers in base64
constexpr std::size_t most_peaks = 3;        // that are told
constexpr std::size_t most_marks = 12;
constexpr double lowest_peak = 0.05;         // of the highest one; side lobes of a Hann window have 0.027
constexpr std::size_t few_curves = 3;        // with more, the note names only the highest peak of each
constexpr std::size_t periods_of_fast = 20;  // in the run
constexpr double visible_share = 0.01;       // of the range of a series
constexpr double two_pi = 2 * std::numbers::pi;

// A sine between lines k and k + 1 of a Hann window appears in both, and their ratio tells where it lies.
SpectrumPeak peak_near(const std::vector<double>& a, std::size_t k, double step) {
  const bool up = k + 1 < a.size() && a[k + 1] >= a[k - 1];
  const double ratio = (up ? a[k + 1] : a[k - 1]) / a[k];
  const double share = std::clamp((2 * ratio - 1) / (1 + ratio), 0.0, 0.5);
  const double x = std::numbers::pi * share;
  const double seen = share > 1e-9 ? std::sin(x) / (x * (1 - share * share)) : 1;
  return {step * (static_cast<double>(k) + (up ? share : -share)), a[k] / seen};
}

std::vector<SpectrumPeak> peaks_of(const std::vector<double>& a, double step) {
  std::vector<SpectrumPeak> peaks;
  for (std::size_t k = 2; k + 1 < a.size(); ++k)
    if (a[k] > a[k - 1] && a[k] >= a[k + 1]) peaks.push_back(peak_near(a, k, step));
  std::sort(peaks.begin(), peaks.end(), [](const auto& p, const auto& q) { return p.amplitude > q.amplitude; });
  while (!peaks.empty() && peaks.back().amplitude < lowest_peak * peaks.front().amplitude) peaks.pop_back();
  return peaks;
}

struct Column {
  Quantity quantity;
  Index at;
  bool measured;
};

std::vector<Column> columns_named(const RunInfo& info, const std::vector<std::string>& names) {
  std::vector<std::string> known;
  for (const auto* list : {&info.quantities, &info.components})
    for (const Quantity& q : *list) known.push_back(q.name);
  std::vector<Column> columns;
  for (const std::string& name : names) {
    const auto found = std::find(known.begin(), known.end(), name);
    if (found == known.end())
      throw UsageError(fmt::format("the spectrum of {}: there is no component or quantity with that name{}", name,
                                   suggest(name, known)));
    const auto i = static_cast<std::size_t>(found - known.begin());
    const bool measured = i < info.quantities.size();
    const std::size_t at = measured ? i : i - info.quantities.size();
    columns.push_back({measured ? info.quantities[at] : info.components[at], static_cast<Index>(at), measured});
  }
  return columns;
}

// What was asked for; else the measures, then the coordinates.
std::vector<Column> columns_of(const ReportRun& run, std::size_t& left_out) {
  const RunInfo& info = run.info;
  if (run.spectrum && !run.spectrum->empty()) return columns_named(info, *run.spectrum);
  std::vector<Column> columns;
  for (std::size_t i = 0; i < info.quantities.size(); ++i)
    if (info.quantities[i].kind == QuantityKind::other)
      columns.push_back({info.quantities[i], static_cast<Index>(i), true});
  for (Index i = 0; i < std::min(info.layout.nq, static_cast<Index>(info.components.size())); ++i)
    columns.push_back({info.components[static_cast<std::size_t>(i)], i, false});
  left_out = columns.size() - std::min(columns.size(), most_spectra);
  columns.resize(columns.size() - left_out);
  return columns;
}

struct Sampled {
  std::vector<std::vector<double>> columns;
  double span = 0;
  Index rows = 0;
};

Sampled sample(const ReportRun& run, const std::vector<Column>& columns) {
  double t0 = 0, t1 = 0;
  Index rows = 0;
  run.rows.visit([&](double t, const double*, const double*) {
    if (rows++ == 0) t0 = t;
    t1 = t;
  });
  if (rows < static_cast<Index>(rows_of_polynomial) || t1 == t0) return {};
  Index samples = fewest_samples;
  while (samples < samples_in_a_row * rows && samples < most_samples) samples *= 2;
  Resampler resampler(columns.size(), t0, t1, samples);
  std::vector<double> values(columns.size());
  run.rows.visit([&](double t, const double* y, const double* measured) {
    for (std::size_t c = 0; c < columns.size(); ++c)
      values[c] = columns[c].measured ? measured[columns[c].at] : y[columns[c].at];
    if (std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); })) resampler.row(t, values);
  });
  return {resampler.finish(), std::abs(t1 - t0), rows};
}

double range_of(const std::vector<double>& values) {
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  return values.empty() ? 0 : *high - *low;
}

// A value that is constant up to rounding has no spectrum.
bool is_constant(const std::vector<double>& values) {
  constexpr double rounding = 1e-9;
  double largest = 0;
  for (const double value : values) largest = std::max(largest, std::abs(value));
  return !(range_of(values) > rounding * largest);
}

bool is_fast(const Spectrum& spectrum, double range) {
  return std::any_of(spectrum.peaks.begin(), spectrum.peaks.end(), [&](const SpectrumPeak& peak) {
    return peak.omega >= static_cast<double>(periods_of_fast) * spectrum.step &&
           peak.amplitude >= visible_share * range;
  });
}

// The highest line of every part of the logarithmic axis.
ChartSeries curve_of(const std::string& label, const Spectrum& spectrum, std::size_t lines, double most) {
  ChartSeries curve{label, {}, {}};
  const double parts = most / std::log(static_cast<double>(std::max<std::size_t>(2, lines)));
  double part = -1;
  for (std::size_t k = 1; k < lines; ++k) {
    const double here = std::floor(parts * std::log(static_cast<double>(k)));
    if (here != part) {
      curve.x.push_back(0);
      curve.y.push_back(-1);
      part = here;
    }
    if (spectrum.amplitude[k] <= curve.y.back()) continue;
    curve.x.back() = static_cast<double>(k) * spectrum.step;
    curve.y.back() = spectrum.amplitude[k];
  }
  return curve;
}

std::string peaks_text(const std::string& name, const Spectrum& spectrum, std::size_t most) {
  std::vector<std::string> told;
  for (std::size_t i = 0; i < std::min(most, spectrum.peaks.size()); ++i)
    told.push_back(fmt::format("{:.4g} at {:.4g} (period {:.3g})", spectrum.peaks[i].amplitude, spectrum.peaks[i].omega,
                               two_pi / spectrum.peaks[i].omega));
  return told.empty() ? "" : fmt::format("{}: {}.", name, join(told, ", "));
}

void add_to(std::vector<Chart>& charts, const ReportRun& run, const Quantity& quantity, const Spectrum& spectrum,
            std::size_t lines, double most, std::size_t peaks) {
  auto chart = std::find_if(charts.begin(), charts.end(), [&](const Chart& c) { return c.y.unit == quantity.unit; });
  if (chart == charts.end()) {
    const std::string& unit = run.info.time_unit;
    charts.push_back({.title = "Spectrum",
                      .note = "",
                      .x = {"angular frequency", unit.empty() ? "" : "rad/" + unit, true},
                      .y = {"amplitude", quantity.unit, true},
                      .style = ChartStyle::line,
                      .series = {}});
    chart = charts.end() - 1;
  }
  chart->series.push_back(curve_of(quantity.name, spectrum, lines, most));
  if (const std::string text = peaks_text(quantity.name, spectrum, peaks); !text.empty())
    chart->note += (chart->note.empty() ? "Highest amplitudes: " : " ") + text;
}

void finish(std::vector<Chart>& charts, const ReportRun& run, double step, double highest) {
  std::vector<ChartMark> marks;
  if (run.frequencies)
    for (ChartMark& mark : run.frequencies())
      if (mark.x >= step && mark.x <= highest && marks.size() < most_marks) marks.push_back(std::move(mark));
  for (Chart& chart : charts) {
    if (charts.size() > 1) {
      std::vector<std::string> names;
      for (const ChartSeries& s : chart.series) names.push_back(s.label);
      chart.title += ": " + join(names, ", ");
    }
    chart.marks = marks;
    if (!marks.empty()) chart.note += " Vertical lines: frequencies of the model.";
  }
}
}  // namespace

Resampler::Resampler(std::size_t columns, double t0, double t1, Index samples)
    : t0_(t0), dt_((t1 - t0) / static_cast<double>(samples)), samples_(samples), result_(columns) {
  for (auto& column : result_) column.reserve(static_cast<std::size_t>(samples));
}

void Resampler::row(double t, const std::vector<double>& values) {
  const double passed = (t - t0_) / dt_;  // in samples, ascending whichever way the run went
  if (!rows_.empty() && !(passed > rows_.back().t)) return;
  if (rows_.size() == rows_of_polynomial) {
    sample_until(rows_[rows_of_polynomial / 2].t);
    std::rotate(rows_.begin(), rows_.begin() + 1, rows_.end());
    rows_.back().t = passed;
    rows_.back().values = values;
  } else {
    rows_.push_back({passed, values});
  }
}

void Resampler::sample_until(double t) {
  for (; next_ < samples_ && static_cast<double>(next_) <= t; ++next_) sample_at(static_cast<double>(next_));
}

void Resampler::sample_at(double t) {
  const auto above = std::find_if(rows_.begin() + 1, rows_.end() - 1, [&](const Row& row) { return row.t >= t; });
  const Row &left = *(above - 1), &right = *above;
  const double share = (t - left.t) / (right.t - left.t);
  std::array<double, rows_of_polynomial> factors;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    factors[i] = 1;
    for (std::size_t j = 0; j < rows_.size(); ++j)
      if (j != i) factors[i] *= (t - rows_[j].t) / (rows_[i].t - rows_[j].t);
  }
  for (std::size_t c = 0; c < result_.size(); ++c) {
    double low = HUGE_VAL, high = -HUGE_VAL, value = 0;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      value += factors[i] * rows_[i].values[c];
      low = std::min(low, rows_[i].values[c]);
      high = std::max(high, rows_[i].values[c]);
    }
    const bool swings = std::max(low - value, value - high) > 0.5 * (high - low);
    result_[c].push_back(swings ? left.values[c] + share * (right.values[c] - left.values[c]) : value);
  }
}

std::vector<std::vector<double>> Resampler::finish() {
  if (rows_.size() > 1) sample_until(HUGE_VAL);
  return std::move(result_);
}

Spectrum spectrum_of(std::span<const double> samples, double dt) {
  const std::size_t n = samples.size() / 2 * 2;
  if (n < 4) return {};
  double mean = 0;
  for (const double value : samples) mean += value / static_cast<double>(samples.size());
  std::vector<double> windowed(n);
  for (std::size_t i = 0; i < n; ++i) {
    const double phase = two_pi * static_cast<double>(i) / static_cast<double>(n);
    windowed[i] = (samples[i] - mean) * (1 - std::cos(phase));
  }
  std::vector<std::complex<double>> lines(n / 2);
  kissfft<double>(n / 2, false).transform_real(windowed.data(), lines.data());
  Spectrum spectrum;
  spectrum.step = two_pi / (static_cast<double>(n) * dt);
  spectrum.amplitude.resize(n / 2);
  for (std::size_t k = 1; k < n / 2; ++k) spectrum.amplitude[k] = 2 * std::abs(lines[k]) / static_cast<double>(n);
  spectrum.peaks = peaks_of(spectrum.amplitude, spectrum.step);
  return spectrum;
}

namespace {
// A slow motion has no fast one in it, the rows of an envelope are cycles apart, and those of a steady state are one
// period, whose harmonics are known.
bool may_show_fast_motion(const RunInfo& info) {
  const auto want = info.settings.find("want");
  if (want != info.settings.end() && want->second == "steady") return false;
  return info.delivers != to_text(Delivers::envelope) && info.delivers != to_text(Delivers::slow);
}
}  // namespace

std::vector<Chart> spectrum_charts(const ReportRun& run, double bytes) {
  if (!run.spectrum && !may_show_fast_motion(run.info)) return {};
  std::size_t left_out = 0;
  const std::vector<Column> columns = columns_of(run, left_out);
  if (columns.empty()) return {};
  const Sampled sampled = sample(run, columns);
  std::vector<Chart> charts;
  bool fast = run.spectrum.has_value();
  double step = 0, highest = 0;
  for (std::size_t c = 0; c < sampled.columns.size(); ++c) {
    const std::vector<double>& values = sampled.columns[c];
    const double range = range_of(values);
    if (values.empty() || is_constant(values)) continue;
    const Spectrum spectrum = spectrum_of(values, sampled.span / static_cast<double>(values.size()));
    // Two rows in a period are the least that show it.
    const std::size_t lines = std::min(spectrum.amplitude.size(), static_cast<std::size_t>(sampled.rows / 2 + 1));
    step = spectrum.step;
    highest = step * static_cast<double>(lines);
    fast = fast || is_fast(spectrum, range);
    add_to(charts, run, columns[c].quantity, spectrum, lines, bytes / line_bytes / static_cast<double>(columns.size()),
           columns.size() <= few_curves ? most_peaks : 1);
  }
  if (!fast) return {};
  finish(charts, run, step, highest);
  if (left_out > 0 && !charts.empty())
    charts.back().note += fmt::format(
        " {} other measures and coordinates have no spectrum here; --spectrum --of NAME shows theirs.", left_out);
  return charts;
}
}  // namespace trill
