// SPDX-License-Identifier: BSD-3-Clause
#include "report/moving_picture.hpp"

#include "model/molecule/molecule_model.hpp"
#include "model/text/particle_picture.hpp"
#include "report/run_view.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr double number_bytes = 8.0 / 3;  // 16 bits in base64
constexpr Index fewest_frames = 24, most_frames = 1200;
constexpr double most_bytes = 2.5e6;
constexpr Index most_blurred = 100;  // coordinates that oscillate
constexpr double rail_share = 0.12;  // of the size of a picture: half the length of a rail

// Positions between two rows by cubic interpolation with the velocities; straight where they do not fit together, since
// the motion turned several times in between.
class RowsInTime {
 public:
  RowsInTime(const Layout& layout) : nq_(layout.nq), has_rates_(layout.nv == layout.nq), q_(Vec::Zero(nq_)), v_(q_) {}

  void push(double t, const double* y) {
    before_ = std::move(now_);
    now_ = {t, Eigen::Map<const Vec>(y, nq_), has_rates_ ? Vec(Eigen::Map<const Vec>(y + nq_, nq_)) : Vec()};
  }
  double last() const { return now_.t; }
  const double* positions(double t) {
    const double h = now_.t - before_.t, z = h > 0 ? (t - before_.t) / h : 1;
    if (before_.q.size() == 0 || z >= 1) return now_.q.data();
    for (Index i = 0; i < nq_; ++i) q_[i] = position(i, h, z);
    return q_.data();
  }
  const double* velocities() const { return has_rates_ ? now_.v.data() : v_.data(); }

 private:
  struct Row {
    double t = 0;
    Vec q, v;
  };
  double position(Index i, double h, double z) const {
    const double q0 = before_.q[i], q1 = now_.q[i], straight = q0 + z * (q1 - q0);
    if (!has_rates_) return straight;
    const double v0 = h * before_.v[i], v1 = h * now_.v[i];
    if (std::abs(q1 - q0 - 0.5 * (v0 + v1)) > 0.25 * (std::abs(v0) + std::abs(v1))) return straight;
    const double w = 1 - z;
    return w * w * ((1 + 2 * z) * q0 + z * v0) + z * z * ((3 - 2 * z) * q1 - w * v1);
  }

  Index nq_;
  bool has_rates_;
  Row before_, now_;
  Vec q_, v_;
};

// How far the points of a picture move when every coordinate oscillates with its amplitude, one independent of the
// others.
class Blur {
 public:
  explicit Blur(const RunInfo& info) {
    const std::vector<Index> all = companions_of(info, "amplitude_", QuantityKind::amplitude);
    for (Index i = 0; i < info.layout.nq; ++i)
      if (const Index column = all[static_cast<std::size_t>(i)]; column >= 0) columns_.push_back({i, column});
    if (static_cast<Index>(columns_.size()) > most_blurred) columns_.clear();
  }
  bool any() const { return !columns_.empty(); }

  // `at` are the points themselves; adds as many numbers to `spread`.
  void add(ModelPicture& points, double t, const double* q, Index nq, const double* v, const double* measured,
           const double* at, std::vector<double>& spread) {
    const auto count = static_cast<std::size_t>(points.numbers());
    moved_.resize(count);
    std::vector<double> squares(count, 0.0);
    Vec beside = Eigen::Map<const Vec>(q, nq);
    for (const Column& c : columns_) {
      beside[c.coordinate] += measured[c.quantity];
      points.evaluate(t, beside.data(), v, moved_.data());
      beside[c.coordinate] = q[c.coordinate];
      for (std::size_t k = 0; k < count; ++k) squares[k] += (moved_[k] - at[k]) * (moved_[k] - at[k]);
    }
    for (const double square : squares) spread.push_back(std::sqrt(square));
  }

 private:
  struct Column {
    Index coordinate, quantity;
  };
  std::vector<Column> columns_;
  std::vector<double> moved_;
};

struct Box {
  std::array<double, 2> low{HUGE_VAL, HUGE_VAL}, high{-HUGE_VAL, -HUGE_VAL};
  void take(const double* point) {
    if (!std::isfinite(point[0]) || !std::isfinite(point[1])) return;
    for (std::size_t k = 0; k < 2; ++k) {
      low[k] = std::min(low[k], point[k]);
      high[k] = std::max(high[k], point[k]);
    }
  }
  double size() const { return std::max(high[0] - low[0], high[1] - low[1]); }
};

// Calls use(point, number of the point within its shape) for all points of one shape at one moment.
template <class Use>
void each_point(const PictureShape& shape, double* moment, Use use) {
  for (Index e = 0; e < shape.elements; ++e)
    for (Index p = 0; p < shape.points; ++p) use(moment + shape.first + 2 * (e * shape.points + p), p);
}

std::int16_t rounded_share(double length, double half) {
  const double share = length / (2 * half);
  if (!std::isfinite(share)) return no_place;
  return static_cast<std::int16_t>(std::lround(32767 * std::clamp(share, -1.0, 1.0)));
}

class Frames {
 public:
  Frames(MovingPicture& picture, std::vector<double> numbers) : picture_(picture), numbers_(std::move(numbers)) {}

  void store() {
    Box box;
    each([&](const PictureShape& shape, double* moment) {
      each_point(shape, moment, [&](double* point, Index p) {
        if (shape.kind != PictureKind::rail || p == 0) box.take(point);
      });
    });
    const double size = box.size() > 0 ? box.size() : 1;
    each([&](const PictureShape& shape, double* moment) {
      if (shape.kind == PictureKind::rail) shorten_rails(shape, moment, rail_share * size);
    });
    for (std::size_t k = 0; k < 2; ++k) {
      const bool known = box.high[k] >= box.low[k];
      picture_.centre[k] = known ? 0.5 * (box.low[k] + box.high[k]) : 0;
      picture_.half[k] = known ? 0.5 * (box.high[k] - box.low[k]) : 1;
      if (picture_.equal_scales) picture_.half[k] = std::max(picture_.half[k], 0.1 * size);
      if (!(picture_.half[k] > 0)) picture_.half[k] = 1;
    }
    picture_.data.reserve(numbers_.size());
    for (std::size_t i = 0; i < numbers_.size(); ++i) picture_.data.push_back(rounded(numbers_[i], i % 2));
  }

 private:
  template <class Use>
  void each(Use use) {
    for (Index f = 0; f < picture_.frames; ++f)
      for (const PictureShape& shape : picture_.shapes) use(shape, numbers_.data() + f * picture_.numbers);
  }
  // Only the direction of a rail is known: it is drawn to either side of the slider.
  static void shorten_rails(const PictureShape& shape, double* moment, double reach) {
    for (Index e = 0; e < shape.elements; ++e) {
      double* slider = moment + shape.first + 2 * e * shape.points;
      const double dx = slider[4] - slider[2], dy = slider[5] - slider[3], length = std::hypot(dx, dy);
      if (!(length > 0)) continue;
      for (const int side : {-1, 1}) {
        slider[side < 0 ? 2 : 4] = slider[0] + side * reach * dx / length;
        slider[side < 0 ? 3 : 5] = slider[1] + side * reach * dy / length;
      }
    }
  }
  // Twice the box is in range, for what sticks out of it.
  std::int16_t rounded(double value, std::size_t axis) const {
    return rounded_share(value - picture_.centre[axis], picture_.half[axis]);
  }

  MovingPicture& picture_;
  std::vector<double> numbers_;
};
}  // namespace

namespace {
constexpr double share_of_size = 0.1;  // that the largest displacement of a structure has in a picture

double size_of(const Vec& points) {
  Box box;
  for (Index i = 0; i < points.size(); i += 2) box.take(points.data() + i);
  return box.size();
}

// By a factor 1, 2 or 5 times a power of ten.
double magnify(std::vector<double>& numbers, const Vec& still) {
  const double size = size_of(still);
  const auto count = static_cast<std::size_t>(still.size());
  double most = 0;
  for (std::size_t i = 0; i < numbers.size(); ++i)
    if (const double moved = std::abs(numbers[i] - still[static_cast<Index>(i % count)]); std::isfinite(moved))
      most = std::max(most, moved);
  if (!(most > 0) || !(size > 0)) return 1;
  const double wanted = share_of_size * size / most, decade = std::pow(10, std::floor(std::log10(wanted)));
  const double factor = decade * (wanted >= 5 * decade ? 5 : wanted >= 2 * decade ? 2 : 1);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const double rest = still[static_cast<Index>(i % count)];
    numbers[i] = rest + factor * (numbers[i] - rest);
  }
  return factor;
}

std::optional<MovingPicture> film(const ReportRun& run, ModelPicture& points, double t0, double t1, Index frames) {
  MovingPicture picture;
  picture.shapes = points.shapes();
  picture.numbers = points.numbers();
  picture.equal_scales = points.equal_scales();
  picture.note = points.note();
  picture.t0 = t0;
  picture.t1 = t1;
  std::vector<double> numbers, spread;
  RowsInTime rows(run.info.layout);
  Blur blur(run.info);
  run.rows.visit([&](double t, const double* y, const double* measured) {
    if (picture.frames > 0 && t < rows.last()) return;
    rows.push(t, y);
    for (; picture.frames < frames; ++picture.frames) {
      const double at = t0 + (t1 - t0) * static_cast<double>(picture.frames) / static_cast<double>(frames - 1);
      if (at > t && picture.frames > 0 && !(t >= t1)) break;
      numbers.resize(numbers.size() + static_cast<std::size_t>(picture.numbers));
      const double* q = rows.positions(std::min(at, t));
      double* const moment = numbers.data() + picture.frames * picture.numbers;
      points.evaluate(at, q, rows.velocities(), moment);
      if (blur.any()) blur.add(points, at, q, run.info.layout.nq, rows.velocities(), measured, moment, spread);
    }
  });
  if (picture.frames < 2) return std::nullopt;
  if (const Vec* still = points.still())
    if (const double factor = magnify(numbers, *still); factor != 1) {
      picture.note = fmt::format("Displacements are multiplied by {:g}.", factor);
      for (double& share : spread) share *= factor;
    }
  picture.t1 = t0 + (t1 - t0) * static_cast<double>(picture.frames - 1) / static_cast<double>(frames - 1);
  Frames(picture, std::move(numbers)).store();
  for (std::size_t i = 0; i < spread.size(); ++i) picture.blur.push_back(rounded_share(spread[i], picture.half[i % 2]));
  return picture;
}

std::unique_ptr<ModelPicture> picture_of(const ReportRun& run) {
  const RunInfo& info = run.info;
  if (const auto particles = stored_particles(info.settings))
    return std::make_unique<ParticlePicture>(*particles, bonds_in(info.problem, info.model_text, info.parameters));
  const ModelFolder folder = run.model_folder ? ModelFolder(*run.model_folder) : ModelFolder();
  return picture_of_text(info.problem, info.model_text, info.parameters, folder);
}

std::unique_ptr<ModelPicture> points_of(const ReportRun& run) {
  auto points = picture_of(run);
  if (points && (!points->fits(run.info.layout.nq) || points->numbers() == 0)) points.reset();
  return points;
}
}  // namespace

std::optional<MovingPicture> film_of(const ReportRun& run, double t0, double t1, Index frames) {
  const auto points = points_of(run);
  if (!points || !(t1 > t0)) return std::nullopt;
  return film(run, *points, t0, t1, std::clamp<Index>(frames, 2, most_frames));
}

std::optional<MovingPicture> moving_picture(const ReportRun& run, double t0, double t1, double bytes) {
  const auto points = points_of(run);
  if (!points || !(t1 > t0)) return std::nullopt;
  const double frame_bytes = number_bytes * static_cast<double>(points->numbers());
  const Index frames = std::clamp(static_cast<Index>(bytes / frame_bytes), fewest_frames, most_frames);
  if (frame_bytes * static_cast<double>(frames) > most_bytes) return std::nullopt;
  return film(run, *points, t0, t1, frames);
}

std::optional<MovingPicture> picture_of_shape(ModelPicture& points, const State& rest, In shape) {
  constexpr double small_step = 1e-4;
  if (!points.fits(rest.layout.nq) || shape.size() != rest.layout.nq || points.numbers() == 0) return std::nullopt;
  const auto at = [&](double step) {
    const Vec q = rest.q() + step * shape;
    Vec numbers(points.numbers());
    points.evaluate(rest.t, q.data(), rest.v().data(), numbers.data());
    return numbers;
  };
  const Vec still = at(0);
  const double step = small_step * (1 + rest.q().cwiseAbs().maxCoeff()) / shape.cwiseAbs().maxCoeff();
  const Vec motion = (at(step) - at(-step)) / (2 * step);
  const double most = motion.cwiseAbs().maxCoeff(), size = size_of(still);
  if (!(most > 0) || !std::isfinite(most)) return std::nullopt;
  const Vec reach = (size > 0 ? share_of_size * size : 1) / most * motion;
  MovingPicture picture{.shapes = points.shapes(),
                        .t0 = -1,
                        .t1 = 1,
                        .frames = 2,
                        .numbers = points.numbers(),
                        .equal_scales = points.equal_scales()};
  std::vector<double> numbers(static_cast<std::size_t>(2 * points.numbers()));
  Eigen::Map<Vec>(numbers.data(), still.size()) = still - reach;
  Eigen::Map<Vec>(numbers.data() + still.size(), still.size()) = still + reach;
  Frames(picture, std::move(numbers)).store();
  return picture;
}

void write_picture(JsonWriter& json, const MovingPicture& picture) {
  json.key("picture").open('{').key("t0").number(picture.t0).key("t1").number(picture.t1);
  json.key("frames").integer(picture.frames).key("numbers").integer(picture.numbers);
  json.key("note").text(picture.note);
  json.key("equal").boolean(picture.equal_scales).key("centre").open('[');
  for (const double c : picture.centre) json.number(c);
  json.close(']').key("half").open('[');
  for (const double h : picture.half) json.number(h);
  json.close(']').key("shapes").open('[');
  for (const PictureShape& shape : picture.shapes) {
    json.open('{').key("kind").text(to_text(shape.kind)).key("first").integer(shape.first);
    json.key("points").integer(shape.points).key("elements").integer(shape.elements);
    json.key("colour").text(shape.colour).key("trail").boolean(shape.trail).close('}');
  }
  json.close(']').key("data").numbers(std::span<const std::int16_t>(picture.data));
  if (!picture.blur.empty()) json.key("blur").numbers(std::span<const std::int16_t>(picture.blur));
  json.close('}');
}
}  // namespace trill
