// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/text/model_picture.hpp"
#include "report/json.hpp"
#include "trill/problem/state.hpp"
#include "trill/report/report.hpp"

#include <array>
#include <cstdint>
#include <optional>

namespace trill {
// The points of a model at equally spaced times. A number is centre + half k/32767 with the scale of its axis.
struct MovingPicture {
  std::vector<PictureShape> shapes;
  double t0 = 0, t1 = 0;
  Index frames = 0, numbers = 0;
  std::array<double, 2> centre{}, half{};
  bool equal_scales = true;
  std::string note{};                // below it
  std::vector<std::int16_t> data{};  // frame by frame; no_place where a point has no finite place
  // How far a fast oscillation that the run leaves out takes each point to either side, with the same scales; empty:
  // there is none.
  std::vector<std::int16_t> blur{};
};
inline constexpr std::int16_t no_place = -32768;

// Nothing where the model has no picture or the run has no stretch of time. `bytes` is about its size in a page.
std::optional<MovingPicture> moving_picture(const ReportRun& run, double t0, double t1, double bytes);
// The same with so many frames.
std::optional<MovingPicture> film_of(const ReportRun& run, double t0, double t1, Index frames);
// A shape of a model about a state, such as a mode: two frames, in which its largest displacement is a tenth of the
// size of the model to either side. Nothing where the picture does not fit the state or the shape moves no point.
std::optional<MovingPicture> picture_of_shape(ModelPicture& points, const State& rest, In shape);
void write_picture(JsonWriter& json, const MovingPicture& picture);
}  // namespace trill
