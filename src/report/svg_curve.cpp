// SPDX-License-Identifier: BSD-3-Clause
#include "report/svg_curve.hpp"

#include "report/decimate.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <unordered_set>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr std::array<const char*, 7> colours{"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                             "#E69F00", "#56B4E9", "#000000"};
constexpr std::array<const char*, 5> dashes{"", "7 3", "2 2.5", "9 3 2 3", "5 2 1.5 2 1.5 2"};
constexpr std::size_t max_curve_points = 5000;

Pixel pixel(double x, double y, const AxisTicks& ax, const AxisTicks& ay, const PlotArea& area) {
  if (std::isnan(x) || std::isnan(y)) return {nan, nan};
  const auto clipped = [](double v) { return std::clamp(v, -1e5, 1e5); };
  return {clipped(area.left + ax.position(x) * area.width), clipped(area.bottom() - ay.position(y) * area.height)};
}

void widen(double& lo, double& hi, double value) {
  if (lo > hi) lo = hi = value;
  lo = std::min(lo, value);
  hi = std::max(hi, value);
}

void put(std::string& out, double value) {
  out += fmt::format("{:.2f}", value);
  while (out.back() == '0') out.pop_back();
  if (out.back() == '.') out.pop_back();
}

// Min and max y of the points that fall into one column, in order; a gap within a column is not visible.
class Columns {
 public:
  explicit Columns(std::vector<Pixel>& out) : out_(out) {}
  void add(const Pixel& p) {
    if (std::isnan(p[0])) {
      gap_ = true;
      return;
    }
    const auto column = static_cast<std::int64_t>(std::floor(2 * p[0]));
    if (!open_ || column != column_) {
      flush();
      if (gap_ && !out_.empty()) out_.push_back({nan, nan});
      open_ = true;
      column_ = column;
      low_ = high_ = first_ = last_ = p;
      low_at_ = high_at_ = at_ = 0;
    }
    gap_ = false;
    ++at_;
    last_ = p;
    if (p[1] < low_[1]) low_ = p, low_at_ = at_;
    if (p[1] > high_[1]) high_ = p, high_at_ = at_;
  }
  void flush() {
    if (!open_) return;
    open_ = false;
    if (out_.empty() && at_ > 1) push(first_);
    push(low_at_ <= high_at_ ? low_ : high_);
    if (low_at_ != high_at_) push(low_at_ <= high_at_ ? high_ : low_);
  }
  void finish() {
    const bool any = open_;
    flush();
    if (any) push(last_);
  }

 private:
  void push(const Pixel& p) {
    if (out_.empty() || out_.back() != p) out_.push_back(p);
  }
  std::vector<Pixel>& out_;
  Pixel low_{}, high_{}, first_{}, last_{};
  std::int64_t column_ = 0;
  int at_ = 0, low_at_ = 0, high_at_ = 0;
  bool open_ = false, gap_ = false;
};
}  // namespace

Drawable drawable(const Chart& chart) {
  Drawable d;
  for (const ChartSeries& given : chart.series) {
    ChartSeries s;
    s.label = given.label;
    const std::size_t n = std::min(given.x.size(), given.y.size());
    double before = nan;
    int direction = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const double x = given.x[i], y = given.y[i];
      bool shown = std::isfinite(x) && std::isfinite(y);
      if (shown && ((chart.x.log && x <= 0) || (chart.y.log && y <= 0))) {
        ++d.not_positive;
        shown = false;
      }
      s.x.push_back(shown ? x : nan);
      s.y.push_back(shown ? y : nan);
      double band = shown && i < given.band.size() ? given.band[i] : nan;
      if (!std::isfinite(std::abs(y) + band)) band = nan;
      if (!given.band.empty()) s.band.push_back(band);
      // The x of a gap at either end still belongs to the range of the axis.
      if (std::isfinite(x) && (!chart.x.log || x > 0)) widen(d.x_lo, d.x_hi, x);
      if (!shown) continue;
      widen(d.y_lo, d.y_hi, y);
      if (std::isfinite(band)) {
        widen(d.y_lo, d.y_hi, y + band);
        if (!chart.y.log || y > band) widen(d.y_lo, d.y_hi, y - band);
      }
      const int now = x > before ? 1 : x < before ? -1 : 0;
      if (now * direction < 0) d.one_way = false;
      if (now != 0) direction = now;
      before = x;
    }
    d.series.push_back(std::move(s));
  }
  return d;
}

std::vector<Pixel> curve_pixels(const ChartSeries& series, bool one_way, const AxisTicks& x, const AxisTicks& y,
                                const PlotArea& area) {
  std::vector<Pixel> out;
  if (one_way) {
    Columns columns(out);
    for (std::size_t i = 0; i < series.x.size(); ++i) columns.add(pixel(series.x[i], series.y[i], x, y, area));
    columns.finish();
    return out;
  }
  for (const std::size_t i : extreme_points(series.x, series.y, max_curve_points))
    out.push_back(pixel(series.x[i], series.y[i], x, y, area));
  return out;
}

std::vector<Pixel> marker_pixels(const ChartSeries& series, const AxisTicks& x, const AxisTicks& y,
                                 const PlotArea& area) {
  std::vector<double> kept_x, kept_y;
  std::unordered_set<std::uint64_t> taken;
  for (std::size_t i = 0; i < series.x.size(); ++i) {
    const Pixel p = pixel(series.x[i], series.y[i], x, y, area);
    if (std::isnan(p[0])) continue;
    const auto cell = [](double v) {
      return static_cast<std::uint64_t>(static_cast<std::uint32_t>(std::lround(2 * v)));
    };
    if (!taken.insert(cell(p[0]) << 32 | cell(p[1])).second) continue;
    kept_x.push_back(p[0]);
    kept_y.push_back(p[1]);
  }
  std::vector<Pixel> out;
  for (const std::size_t i : extreme_points(kept_x, kept_y, max_curve_points)) out.push_back({kept_x[i], kept_y[i]});
  return out;
}

std::string band_path(const ChartSeries& series, const AxisTicks& x, const AxisTicks& y, const PlotArea& area) {
  std::string out;
  std::vector<Pixel> upper, lower;
  const auto close = [&] {
    if (upper.size() > 1) {
      upper.insert(upper.end(), lower.rbegin(), lower.rend());
      out += line_path(upper) + 'Z';
    }
    upper.clear();
    lower.clear();
  };
  const auto column = [](const Pixel& p) { return std::floor(2 * p[0]); };
  for (std::size_t i = 0; i < series.band.size(); ++i) {
    const double band = series.band[i];
    if (!std::isfinite(band)) {
      close();
      continue;
    }
    const double least = y.log ? y.lo : -HUGE_VAL;
    const Pixel high = pixel(series.x[i], series.y[i] + band, x, y, area);
    const Pixel low = pixel(series.x[i], std::max(series.y[i] - band, least), x, y, area);
    if (!upper.empty() && column(upper.back()) == column(high)) {
      upper.back()[1] = std::min(upper.back()[1], high[1]);
      lower.back()[1] = std::max(lower.back()[1], low[1]);
    } else {
      upper.push_back(high);
      lower.push_back(low);
    }
  }
  close();
  return out;
}

std::vector<Pixel> lone_pixels(const std::vector<Pixel>& pixels) {
  std::vector<Pixel> lone;
  const auto gap = [&](std::size_t i) { return i >= pixels.size() || std::isnan(pixels[i][0]); };
  for (std::size_t i = 0; i < pixels.size(); ++i)
    if (!gap(i) && (i == 0 || gap(i - 1)) && gap(i + 1)) lone.push_back(pixels[i]);
  return lone;
}

double path_length(const std::vector<Pixel>& pixels) {
  double length = 0;
  for (std::size_t i = 1; i < pixels.size(); ++i) {
    const double step = std::hypot(pixels[i][0] - pixels[i - 1][0], pixels[i][1] - pixels[i - 1][1]);
    if (!std::isnan(step)) length += step;
  }
  return length;
}

std::string line_path(const std::vector<Pixel>& pixels) {
  std::string out;
  bool drawing = false;
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    if (std::isnan(pixels[i][0])) {
      drawing = false;
      continue;
    }
    out += drawing ? 'L' : 'M';
    put(out, pixels[i][0]);
    out += ' ';
    put(out, pixels[i][1]);
    drawing = true;
  }
  return out;
}

bool marker_is_open(std::size_t shape) { return shape % 7 == 4 || shape % 7 == 5; }

std::string marker_path(const std::vector<Pixel>& pixels, std::size_t shape, double r) {
  const double a = 0.89 * r, d = 1.25 * r, w = 1.15 * r;
  std::string form;  // path data relative to the centre of the marker
  double dx = 0, dy = 0;
  switch (shape % 7) {
    case 0:
      dx = -r,
      form = fmt::format("a{0:.2f} {0:.2f} 0 1 0 {1:.2f} 0a{0:.2f} {0:.2f} 0 1 0 {2:.2f} 0z", r, 2 * r, -2 * r);
      break;
    case 1:
      dx = dy = -a, form = fmt::format("h{0:.2f}v{0:.2f}h{1:.2f}z", 2 * a, -2 * a);
      break;
    case 2:
      dy = -d, form = fmt::format("l{:.2f} {:.2f}h{:.2f}z", w, 1.85 * r, -2 * w);
      break;
    case 3:
      dy = -d, form = fmt::format("l{0:.2f} {0:.2f}l{1:.2f} {0:.2f}l{1:.2f} {1:.2f}z", d, -d);
      break;
    case 4:
      dx = dy = -a, form = fmt::format("l{0:.2f} {0:.2f}m0 {1:.2f}l{1:.2f} {0:.2f}", 2 * a, -2 * a);
      break;
    case 5:
      dx = -d, form = fmt::format("h{0:.2f}m{1:.2f} {1:.2f}v{0:.2f}", 2 * d, -d);
      break;
    default:
      dy = d, form = fmt::format("l{:.2f} {:.2f}h{:.2f}z", w, -1.85 * r, -2 * w);
      break;
  }
  std::string out;
  for (const Pixel& p : pixels) {
    out += 'M';
    put(out, p[0] + dx);
    out += ' ';
    put(out, p[1] + dy);
    out += form;
  }
  return out;
}

const char* curve_colour(std::size_t i) { return colours[i % colours.size()]; }

std::string curve_dash(std::size_t i, bool smooth) { return dashes[(smooth ? i : i / colours.size()) % dashes.size()]; }
}  // namespace trill
