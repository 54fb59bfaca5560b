// SPDX-License-Identifier: BSD-3-Clause
#include "report/svg.hpp"

#include "report/plain_text.hpp"
#include "report/svg_curve.hpp"
#include "trill/base/archive.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr const char* ink = "#222222";
constexpr const char* grid_ink = "#e4e4e4";
constexpr const char* note_ink = "#555555";
constexpr double band_opacity = 0.22;

struct LegendEntry {
  std::optional<std::size_t> series;  // empty for the entry of the bands
  std::string label;
  double x, y;
};

std::string axis_title(const ChartAxis& axis, const AxisTicks& ticks) {
  std::string text = axis.label;
  if (!ticks.offset.empty())
    text += (ticks.offset.starts_with("\u2212") ? " + " + ticks.offset.substr(3) : " \u2212 " + ticks.offset);
  std::string unit = ticks.factor;
  if (!axis.unit.empty()) unit += (unit.empty() ? "" : " ") + axis.unit;
  if (!unit.empty()) text += (text.empty() ? "(" : " (") + unit + ")";
  return text;
}

AxisTicks axis_of(const ChartAxis& axis, double lo, double hi, bool tight, int about) {
  if (lo > hi) return axis.log ? log_axis(1, 10, about) : linear_axis(0, 1, about);
  const double room = tight ? 0 : 0.045;
  if (axis.log) {
    const double extra = std::pow(hi / lo, room);
    return std::isfinite(extra) ? log_axis(lo / extra, hi * extra, about) : log_axis(lo, hi, about);
  }
  const double extra = room * (hi - lo);
  return std::isfinite(extra) ? linear_axis(lo - extra, hi + extra, about) : linear_axis(lo, hi, about);
}

class Picture {
 public:
  Picture(const Chart& chart, const SvgOptions& options)
      : chart_(chart),
        data_(drawable(chart)),
        width_(std::max(160.0, options.width)),
        height_(std::max(120.0, options.height)),
        font_(std::clamp(options.font_size, 4.0, 60.0)) {}

  std::string draw() {
    choose_axes();
    place();
    open();
    draw_grid();
    draw_marks();
    draw_curves();
    draw_axes();
    draw_texts();
    draw_legend();
    out_ += "</svg>\n";
    return std::move(out_);
  }

 private:
  template <class... Args>
  void add(fmt::format_string<Args...> format, Args&&... args) {
    out_ += fmt::format(format, std::forward<Args>(args)...);
    out_ += '\n';
  }
  void text(double x, double y, std::string_view content, double size, const char* anchor, std::string_view more = "") {
    add(R"(<text x="{:.1f}" y="{:.1f}" font-size="{:.1f}" text-anchor="{}"{}>{}</text>)", x, y, size, anchor, more,
        svg_text(content, size));
  }
  bool lines() const { return chart_.style != ChartStyle::points; }
  bool has_bands() const { return lines() && data_.one_way && !chart_.band_label.empty(); }
  bool has_legend() const {
    if (has_bands() || chart_.series.size() != 1) return !chart_.series.empty();
    const std::string& label = chart_.series[0].label;
    const auto says = [&](const std::string& text) { return text.find(label) != std::string::npos; };
    return !label.empty() && !says(chart_.y.label) && !says(chart_.title);
  }

  void choose_axes() {
    const bool tight = lines() && data_.one_way && !chart_.x.log;
    x_ = axis_of(chart_.x, data_.x_lo, data_.x_hi, tight, width_ < 400 ? 5 : 8);
    y_ = axis_of(chart_.y, data_.y_lo, data_.y_hi, false, height_ < 300 ? 5 : 8);
    note_ = chart_.note;
    if (data_.not_positive > 0)
      note_ += fmt::format("{}{} not positive and cannot be shown on the logarithmic axis.", note_.empty() ? "" : " ",
                           data_.not_positive == 1 ? "1 point is" : fmt::format("{} points are", data_.not_positive));
  }

  void place() {
    double label_width = 0;
    for (const std::string& label : y_.labels) label_width = std::max(label_width, text_width(label, font_));
    y_title_ = axis_title(chart_.y, y_);
    x_title_ = axis_title(chart_.x, x_);
    area_.left = 12 + label_width + 8 + (y_title_.empty() ? 0 : 1.6 * font_);
    double right = 10 + (x_.labels.empty() ? 0 : 0.5 * text_width(x_.labels.back(), font_));

    title_lines_ = wrap_text(chart_.title, width_ - 24, title_size(), 2);
    double top = 10 + 1.3 * title_size() * static_cast<double>(title_lines_.size());
    place_legend(top, right);
    note_lines_ = wrap_text(note_, width_ - 24, note_size(), 3);
    const double bottom = 8 + 1.5 * font_ + (x_title_.empty() ? 0 : 1.5 * font_) +
                          (note_lines_.empty() ? 0 : 4 + 1.3 * note_size() * static_cast<double>(note_lines_.size())) +
                          6;
    area_.top = top + 6;
    area_.width = std::max(40.0, width_ - area_.left - right);
    area_.height = std::max(30.0, height_ - area_.top - bottom);
    if (!aside_) return;
    const auto fits = static_cast<std::size_t>(std::max(1.0, area_.height / (1.5 * font_)));
    const std::size_t all = legend_.size();
    if (all > fits) {
      legend_.resize(fits - 1);
      more_ = fmt::format("and {} more", all - legend_.size());
    }
    for (std::size_t i = 0; i < legend_.size(); ++i) {
      legend_[i].x = area_.right() + 14;
      legend_[i].y = area_.top + (0.75 + 1.5 * static_cast<double>(i)) * font_;
    }
  }

  // The legend is in rows above the plot, or in a column beside it if it would take more than three rows.
  void place_legend(double& top, double& right) {
    if (!has_legend()) return;
    const double sample = 30, gap = 18, line = 1.5 * font_, room = width_ - area_.left - right;
    double x = area_.left, y = top + 0.5 * line + 2, widest = 0;
    int rows = 1;
    const auto put = [&](std::optional<std::size_t> series, const std::string& text) {
      const std::string label = shorten(text, 0.4 * width_, font_);
      const double width = sample + text_width(label, font_);
      if (x > area_.left && x + width > area_.left + room) {
        x = area_.left;
        y += line;
        ++rows;
      }
      legend_.push_back({series, label, x, y});
      x += width + gap;
      widest = std::max(widest, width);
    };
    for (std::size_t i = 0; i < chart_.series.size(); ++i) put(i, chart_.series[i].label);
    if (has_bands()) put({}, chart_.band_label);
    aside_ = rows > 3;
    if (aside_)
      right = std::max(right, widest + 26);
    else
      top += 2 + rows * line;
  }

  void open() {
    add(R"(<?xml version="1.0" encoding="UTF-8"?>)");
    add(R"(<svg xmlns="http://www.w3.org/2000/svg" width="{0:.0f}" height="{1:.0f}" viewBox="0 0 {0:.0f} {1:.0f}" role="img" font-family="Helvetica, Arial, 'Liberation Sans', sans-serif" fill="{2}">)",
        width_, height_, ink);
    if (!chart_.title.empty()) add("<title>{}</title>", xml_escape(chart_.title));
    if (!note_.empty()) add("<desc>{}</desc>", xml_escape(note_));
    // Several pictures may be put into one page, so ids may be equal only if the clipped areas are equal.
    const std::string geometry = fmt::format("{} {} {} {}", area_.left, area_.top, area_.width, area_.height);
    clip_ = fmt::format("trill-{:x}", checksum(geometry.data(), geometry.size()));
    add(R"(<defs><clipPath id="{}"><rect x="{:.2f}" y="{:.2f}" width="{:.2f}" height="{:.2f}"/></clipPath></defs>)",
        clip_, area_.left - 0.75, area_.top - 0.75, area_.width + 1.5, area_.height + 1.5);
    add(R"(<rect width="100%" height="100%" fill="#ffffff"/>)");
  }

  double at_x(double value) const { return area_.left + x_.position(value) * area_.width; }
  double at_y(double value) const { return area_.bottom() - y_.position(value) * area_.height; }

  void draw_grid() {
    std::string d;
    for (const double tick : x_.major) d += fmt::format("M{:.2f} {:.2f}v{:.2f}", at_x(tick), area_.top, area_.height);
    for (const double tick : y_.major) d += fmt::format("M{:.2f} {:.2f}h{:.2f}", area_.left, at_y(tick), area_.width);
    add(R"(<path d="{}" stroke="{}" stroke-width="1" fill="none"/>)", d, grid_ink);
  }

  // Labels that would touch the one before are left out.
  void draw_marks() {
    double free_from = area_.left;
    for (const ChartMark& mark : chart_.marks) {
      const double x = at_x(mark.x);
      if (!(x >= area_.left && x <= area_.right())) continue;
      add(R"(<path d="M{:.2f} {:.2f}v{:.2f}" stroke="{}" stroke-width="1" stroke-dasharray="3 3" fill="none"/>)", x,
          area_.top, area_.height, note_ink);
      if (x + 3 < free_from || mark.label.empty()) continue;
      text(x + 3, area_.top + 1.1 * note_size(), mark.label, note_size(), "start",
           fmt::format(R"( fill="{}")", note_ink));
      free_from = x + 6 + text_width(mark.label, note_size());
    }
  }

  void draw_curves() {
    std::vector<std::vector<Pixel>> curves;
    for (const ChartSeries& s : data_.series) {
      curves.push_back(lines() ? curve_pixels(s, data_.one_way, x_, y_, area_) : std::vector<Pixel>());
      if (path_length(curves.back()) > 5 * area_.width) smooth_ = false;  // dashes would blur so long a curve
    }
    add(R"_(<g clip-path="url(#{})">)_", clip_);
    for (std::size_t i = 0; has_bands() && i < curves.size(); ++i)
      if (const std::string band = band_path(data_.series[i], x_, y_, area_); !band.empty())
        add(R"(<path d="{}" fill="{}" fill-opacity="{}"/>)", band, curve_colour(i), band_opacity);
    for (std::size_t i = 0; i < curves.size(); ++i) {
      if (!curves[i].empty())
        add(R"(<path d="{}" {}/>)", line_path(curves[i]), line_style(i, curves[i].size() > 1500 ? 1.0 : 1.6));
      if (const std::vector<Pixel> dots = lone_pixels(curves[i]); !dots.empty())
        add(R"(<path d="{}" fill="{}"/>)", marker_path(dots, 0, dots.size() < 100 ? 2.4 : 1.2), curve_colour(i));
      const std::size_t n = data_.series[i].x.size();
      if (chart_.style == ChartStyle::line || (lines() && n > 400)) continue;
      const std::vector<Pixel> markers = marker_pixels(data_.series[i], x_, y_, area_);
      if (markers.empty()) continue;
      const double radius = n <= 100 ? 3.4 : n <= 1000 ? 2.4 : 1.6;
      add(R"(<path d="{}" {}{}/>)", marker_path(markers, i, radius), marker_style(i),
          n > 1000 ? R"( opacity="0.6")" : "");
    }
    add("</g>");
    if (data_.empty())
      text(area_.left + 0.5 * area_.width, area_.top + 0.5 * area_.height, "no data", font_, "middle",
           fmt::format(R"( fill="{}")", note_ink));
  }

  std::string line_style(std::size_t i, double width) const {
    const std::string dash = curve_dash(i, smooth_);
    std::string style =
        fmt::format(R"(fill="none" stroke="{}" stroke-width="{}" stroke-linejoin="round")", curve_colour(i), width);
    style += fmt::format(R"( stroke-linecap="{}")", dash.empty() ? "round" : "butt");
    if (!dash.empty()) style += fmt::format(R"( stroke-dasharray="{}")", dash);
    if (!smooth_ && chart_.series.size() > 1) style += R"( stroke-opacity="0.7")";  // dense curves may overlap
    return style;
  }
  std::string marker_style(std::size_t i) const {
    if (marker_is_open(i)) return fmt::format(R"(fill="none" stroke="{}" stroke-width="1.4")", curve_colour(i));
    return fmt::format(R"(fill="{}")", curve_colour(i));
  }

  void draw_axes() {
    add(R"(<rect x="{:.2f}" y="{:.2f}" width="{:.2f}" height="{:.2f}" fill="none" stroke="{}" stroke-width="1"/>)",
        area_.left, area_.top, area_.width, area_.height, ink);
    std::string d;
    const auto ticks = [&](const std::vector<double>& x, const std::vector<double>& y, double size) {
      for (const double tick : x) d += fmt::format("M{:.2f} {:.2f}v{}", at_x(tick), area_.bottom(), size);
      for (const double tick : y) d += fmt::format("M{:.2f} {:.2f}h{}", area_.left, at_y(tick), -size);
    };
    ticks(x_.major, y_.major, 5);
    ticks(x_.minor, y_.minor, 2.5);
    add(R"(<path d="{}" stroke="{}" stroke-width="1" fill="none"/>)", d, ink);
    double free_from = -1e9;  // labels that would touch the one before are left out
    for (std::size_t i = 0; i < x_.major.size(); ++i) {
      const double half = 0.5 * text_width(x_.labels[i], font_), x = at_x(x_.major[i]);
      if (x - half < free_from) continue;
      text(x, area_.bottom() + 7 + font_, x_.labels[i], font_, "middle");
      free_from = x + half + 0.4 * font_;
    }
    for (std::size_t i = 0; i < y_.major.size(); ++i)
      text(area_.left - 8, at_y(y_.major[i]) + 0.35 * font_, y_.labels[i], font_, "end");
  }

  void draw_texts() {
    double y = 8;
    for (const std::string& line : title_lines_) {
      y += 1.25 * title_size();
      text(area_.left, y - 0.1 * title_size(), line, title_size(), "start", R"( font-weight="600")");
    }
    y = area_.bottom() + 7 + 1.2 * font_;
    if (!x_title_.empty()) {
      y += 1.4 * font_;
      text(area_.left + 0.5 * area_.width, y, shorten(x_title_, area_.width, font_), font_, "middle");
    }
    if (!y_title_.empty()) {
      const double x = 10 + 0.8 * font_, middle = area_.top + 0.5 * area_.height;
      text(x, middle, shorten(y_title_, std::max(area_.height, 60.0), font_), font_, "middle",
           fmt::format(R"_( transform="rotate(-90 {:.1f} {:.1f})")_", x, middle));
    }
    y += 4;
    for (const std::string& line : note_lines_) {
      y += 1.3 * note_size();
      text(12, y, line, note_size(), "start", fmt::format(R"( fill="{}")", note_ink));
    }
  }

  void draw_legend() {
    for (const LegendEntry& e : legend_) {
      if (!e.series)
        add(R"(<rect x="{:.1f}" y="{:.1f}" width="24" height="9" fill="{}" fill-opacity="{}"/>)", e.x, e.y - 4.5, ink,
            band_opacity);
      else if (lines())
        add(R"(<path d="M{:.1f} {:.1f}h24" {}/>)", e.x, e.y, line_style(*e.series, 1.8));
      if (e.series && chart_.style != ChartStyle::line)
        add(R"(<path d="{}" {}/>)", marker_path({{e.x + 12, e.y}}, *e.series, 3.4), marker_style(*e.series));
      text(e.x + 30, e.y + 0.35 * font_, e.label, font_, "start");
    }
    if (!more_.empty())
      text(area_.right() + 14, area_.top + (1.1 + 1.5 * static_cast<double>(legend_.size())) * font_, more_, font_,
           "start", fmt::format(R"( fill="{}")", note_ink));
  }

  double title_size() const { return 1.12 * font_; }
  double note_size() const { return 0.85 * font_; }

  const Chart& chart_;
  Drawable data_;
  double width_, height_, font_;
  AxisTicks x_, y_;
  PlotArea area_{};
  std::string note_, x_title_, y_title_, more_, clip_, out_;
  std::vector<std::string> title_lines_, note_lines_;
  std::vector<LegendEntry> legend_;
  bool aside_ = false, smooth_ = true;
};
}  // namespace

std::string svg_chart(const Chart& chart, const SvgOptions& options) { return Picture(chart, options).draw(); }
}  // namespace trill
