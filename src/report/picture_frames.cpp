// SPDX-License-Identifier: BSD-3-Clause
#include "report/picture_frames.hpp"

#include "report/moving_picture.hpp"
#include "report/plain_text.hpp"
#include "report/svg_curve.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr double frame_width = 640, frame_height = 480, frame_margin = 30;
constexpr Index longest_trail = 400;  // frames
constexpr Index crowd = 60;           // so many elements are drawn small
constexpr const char* dark = "#444444";
constexpr std::array<std::pair<const char*, const char*>, 8> colour_names{{{"blue", "#1f6fb2"},
                                                                           {"orange", "#cf5a1e"},
                                                                           {"green", "#218a5b"},
                                                                           {"red", "#ab2f2a"},
                                                                           {"purple", "#8a4bb5"},
                                                                           {"brown", "#b8860b"},
                                                                           {"pink", "#c23a72"},
                                                                           {"grey", "#59636b"}}};

struct Place {
  double x = 0, y = 0;
  bool known = false;
};

// Draws one picture after another as web/src/picture.ts does.
class FrameDrawer {
 public:
  FrameDrawer(const MovingPicture& picture, std::string title, std::string time_unit)
      : picture_(picture), title_(std::move(title)), unit_(std::move(time_unit)) {
    const double x = (frame_width / 2 - frame_margin) / picture.half[0],
                 y = (frame_height / 2 - frame_margin) / picture.half[1];
    scale_ = picture.equal_scales ? std::array<double, 2>{std::min(x, y), std::min(x, y)} : std::array<double, 2>{x, y};
  }

  std::string draw(Index frame) {
    out_ = fmt::format(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" "
        "height=\"{1}\" "
        "viewBox=\"0 0 {0} {1}\" font-family=\"sans-serif\" font-size=\"13\" stroke-linecap=\"round\" "
        "stroke-linejoin=\"round\">\n<title>{2}</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n",
        frame_width, frame_height, xml_escape(title_));
    for (std::size_t i = 0; i < picture_.shapes.size(); ++i)
      if (picture_.shapes[i].trail) trail(picture_.shapes[i], i, frame);
    for (std::size_t i = 0; i < picture_.shapes.size(); ++i) shape(picture_.shapes[i], i, frame);
    const double t = picture_.t0 + (picture_.t1 - picture_.t0) * static_cast<double>(frame) /
                                       static_cast<double>(picture_.frames - 1);
    out_ += fmt::format("<text x=\"12\" y=\"22\" fill=\"{}\">t = {:.4g}{}{}</text>\n</svg>\n", dark, t,
                        unit_.empty() ? "" : " ", xml_escape(unit_));
    return std::move(out_);
  }

 private:
  static std::string colour_of(const PictureShape& shape, std::size_t index) {
    for (const auto& [name, colour] : colour_names)
      if (shape.colour == name) return colour;
    return curve_colour(index);
  }

  Place at(Index number, Index frame) const {
    Place place{0, 0, true};
    for (Index k = 0; k < 2; ++k) {
      const std::int16_t value = picture_.data[static_cast<std::size_t>(frame * picture_.numbers + number + k)];
      if (value == no_place) return {};
      const double share = static_cast<double>(value) / 32767 * 2 * picture_.half[static_cast<std::size_t>(k)] *
                           scale_[static_cast<std::size_t>(k)];
      (k == 0 ? place.x : place.y) = k == 0 ? frame_width / 2 + share : frame_height / 2 - share;
    }
    return place;
  }

  static std::string path_through(const std::vector<Place>& places, bool closed = false) {
    std::string d;
    bool pen = false;
    for (const Place& p : places) {
      if (p.known) d += fmt::format("{}{:.1f} {:.1f}", pen ? 'L' : 'M', p.x, p.y);
      pen = p.known;
    }
    return closed ? d + "Z" : d;
  }

  void stroke(const std::vector<Place>& places, const std::string& colour, double width, const char* more = "") {
    out_ += fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{}\"{}/>\n", path_through(places),
                        colour, width, more);
  }

  void disc(const Place& p, double radius, const std::string& fill, const char* edge = "") {
    if (!p.known) return;
    out_ += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\" fill=\"{}\"", p.x, p.y, radius, fill);
    out_ += *edge ? fmt::format(" stroke=\"{}\" stroke-width=\"1.6\"/>\n", edge) : std::string("/>\n");
  }

  void trail(const PictureShape& shape, std::size_t index, Index frame) {
    for (Index e = 0; e < shape.elements; ++e) {
      std::vector<Place> places;
      for (Index f = std::max<Index>(0, frame - longest_trail); f <= frame; ++f)
        places.push_back(at(shape.first + 2 * e * shape.points, f));
      stroke(places, colour_of(shape, index), 1.3, " stroke-opacity=\"0.4\"");
    }
  }

  void shape(const PictureShape& shape, std::size_t index, Index frame) {
    const std::string colour = colour_of(shape, index);
    std::vector<Place> places;
    if (shape.kind == PictureKind::curve) {
      for (Index e = 0; e < shape.elements; ++e) places.push_back(at(shape.first + 2 * e, frame));
      stroke(places, colour, 1.8);
      for (const Place& p : places)
        if (shape.elements <= 80) disc(p, 3, colour);
      return;
    }
    for (Index e = 0; e < shape.elements; ++e) {
      places.clear();
      for (Index p = 0; p < shape.points; ++p) places.push_back(at(shape.first + 2 * (e * shape.points + p), frame));
      if (std::all_of(places.begin(), places.end(), [](const Place& p) { return p.known; }))
        element(shape, places, colour);
    }
  }

  void element(const PictureShape& shape, const std::vector<Place>& places, const std::string& colour) {
    const bool crowded = shape.elements > crowd;
    switch (shape.kind) {
      case PictureKind::point:
        return disc(places[0], shape.elements > 300 ? 1.6 : crowded ? 3 : 6, colour);
      case PictureKind::joint:
        return disc(places[0], crowded ? 2 : 3.6, "#ffffff", dark);
      case PictureKind::pin:
        return pin(places[0]);
      case PictureKind::rail:
        return rail(places);
      case PictureKind::body:
        return body(places, colour, crowded);
      case PictureKind::spring:
        return stroke(crowded ? places : spring(places[0], places[1]), dark, crowded ? 1 : 1.6);
      case PictureKind::damper:
        return stroke(places, colour, crowded ? 1 : 2.4, " stroke-dasharray=\"7 3\"");
      default:
        return stroke(places, colour, crowded ? 1 : 2.4);
    }
  }

  static std::vector<Place> spring(const Place& a, const Place& b) {
    const double dx = b.x - a.x, dy = b.y - a.y, length = std::hypot(dx, dy);
    if (length < 6) return {a, b};
    constexpr int zigzags = 16;
    std::vector<Place> places{a};
    for (int i = 0; i <= zigzags; ++i) {
      const double share = 0.15 + 0.7 * i / zigzags, width = std::min(7.0, length / 6);
      const double side = i == 0 || i == zigzags ? 0 : i % 2 == 0 ? -width : width;
      places.push_back({a.x + share * dx - side * dy / length, a.y + share * dy + side * dx / length, true});
    }
    places.push_back(b);
    return places;
  }

  // The points of a body in the order of their angle around their middle.
  void body(std::vector<Place> places, const std::string& colour, bool crowded) {
    double x = 0, y = 0;
    for (const Place& p : places) {
      x += p.x / static_cast<double>(places.size());
      y += p.y / static_cast<double>(places.size());
    }
    std::sort(places.begin(), places.end(), [&](const Place& a, const Place& b) {
      return std::atan2(a.y - y, a.x - x) < std::atan2(b.y - y, b.x - x);
    });
    const bool closed = places.size() > 2;
    out_ += fmt::format(
        "<path d=\"{}\" fill=\"{}\" fill-opacity=\"0.32\" stroke=\"{}\" stroke-width=\"{}\" stroke-opacity=\"0.5\"/>\n",
        path_through(places, closed), closed ? colour : "none", colour, crowded ? 3 : 7);
  }

  void pin(const Place& p) {
    stroke({p, {p.x - 8, p.y + 13, true}, {p.x + 8, p.y + 13, true}, p}, dark, 1.4);
    for (double k = -8; k <= 8; k += 5.3) stroke({{p.x + k, p.y + 13, true}, {p.x + k - 4, p.y + 18, true}}, dark, 1.4);
    disc(p, 3.6, "#ffffff", dark);
  }

  void rail(const std::vector<Place>& places) {
    stroke({places[1], places[2]}, dark, 1.2, " stroke-dasharray=\"6 4\"");
    const double angle = std::atan2(places[2].y - places[1].y, places[2].x - places[1].x) * 180 / std::numbers::pi;
    out_ += fmt::format(
        "<rect x=\"-11\" y=\"-7\" width=\"22\" height=\"14\" fill=\"#ffffff\" stroke=\"{}\" stroke-width=\"1.6\" "
        "transform=\"translate({:.1f} {:.1f}) rotate({:.1f})\"/>\n",
        dark, places[0].x, places[0].y, angle);
  }

  const MovingPicture& picture_;
  std::string title_, unit_, out_;
  std::array<double, 2> scale_{};
};
}  // namespace

std::vector<std::string> picture_frames(const ReportRun& run, Index frames) {
  double t0 = HUGE_VAL, t1 = -HUGE_VAL;
  run.rows.visit([&](double t, const double*, const double*) {
    t0 = std::min(t0, t);
    t1 = std::max(t1, t);
  });
  const auto picture = film_of(run, t0, t1, frames);
  std::vector<std::string> drawn;
  if (!picture) return drawn;
  FrameDrawer drawer(*picture, run.info.problem_title.empty() ? run.info.problem : run.info.problem_title,
                     run.info.time_unit);
  for (Index frame = 0; frame < picture->frames; ++frame) drawn.push_back(drawer.draw(frame));
  return drawn;
}
}  // namespace trill
