// SPDX-License-Identifier: BSD-3-Clause
// Frames of bodies and beams as expressions.
#include "base/text.hpp"
#include "model/bodies/body_expansion.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace trill {
namespace {
FileValues pair_of(FileValue x, FileValue y) {
  FileValues values{x, {}};
  values.parts = {std::move(x), std::move(y)};
  return values;
}
}  // namespace

void ModelWriter::derive(const std::string& name, std::string text, std::size_t offset,
                         const std::optional<FileText>& over) {
  file_.derived.push_back({{name, offset}, made(std::move(text), offset), over});
}

void ModelWriter::derive_sum(const std::string& name, std::string text, const FileText& over) {
  file_.derived.push_back({{name, over.offset}, made(std::move(text), over.offset), std::nullopt, over});
}

std::string ModelWriter::given(const std::string& name, const FileValue& value, const std::optional<FileText>& over) {
  if (value.number) return format_number(*value.number);
  file_.derived.push_back({{name, value.piece.begin}, value, over});
  return name;
}

PlaceTexts point_of_frame(const PlaceTexts& frame, const std::string& px, const std::string& py) {
  const std::string arm_x = fmt::format("(cos({0})*{1} - sin({0})*{2})", frame.angle, px, py);
  const std::string arm_y = fmt::format("(sin({0})*{1} + cos({0})*{2})", frame.angle, px, py);
  return {frame.x + " + " + arm_x,
          frame.y + " + " + arm_y,
          frame.angle,
          fmt::format("{} - {}*{}", frame.x_rate, frame.angle_rate, arm_y),
          fmt::format("{} + {}*{}", frame.y_rate, frame.angle_rate, arm_x),
          frame.angle_rate};
}

PlaceTexts frame_of(const std::string& body, const std::string& index) {
  const std::string at = body + index;
  return {at + ".x", at + ".y", at + ".angle", "v" + at + ".x", "v" + at + ".y", "v" + at + ".angle"};
}

namespace {
FrameCoordinates coordinates_of_origin(ModelWriter& writer, const FileText& name, const FileStart& start) {
  const auto zero = [&] {
    FileValue value = writer.made("0", name.offset);
    value.number = 0.0;
    return value;
  };
  FrameCoordinates frame;
  frame.position.name = name;
  frame.position.point = 2;
  frame.position.start = start.position.value_or(pair_of(zero(), zero()));
  frame.position.velocity = start.velocity.value_or(pair_of(zero(), zero()));
  frame.position.open_velocity = !start.velocity;
  frame.angle.open_velocity = !start.angular_velocity;
  frame.angle.name = {name.text + ".angle", name.offset};
  frame.angle.unit = "rad";
  frame.angle.start = {start.angle.value_or(zero()), {}};
  frame.angle.velocity = FileValues{start.angular_velocity.value_or(zero()), {}};
  return frame;
}

const FileBodyPoint& find_start(const ModelWriter& writer, const FileText& name, const FileText& point,
                                const std::vector<FileBodyPoint>& points) {
  std::vector<std::string> names;
  for (const FileBodyPoint& p : points) {
    if (p.name.text == point.text) return p;
    names.push_back(p.name.text);
  }
  throw writer.error(point.offset,
                     fmt::format("'{}' has no point '{}'{}", name.text, point.text, suggest(point.text, names)));
}
}  // namespace

std::array<std::string, 2> local_texts(const std::string& body, const FileBodyPoint& point) {
  const auto text = [&](int k) {
    const FileValue& value = point.at.part(k);
    if (value.number) return format_number(*value.number);
    return fmt::format("{}.{}{}", body, point.name.text, k == 0 ? "_x" : "_y");
  };
  return {text(0), text(1)};
}

FrameCoordinates frame_coordinates(ModelWriter& writer, const FileText& name, const FileStart& start,
                                   const std::string& unit, const std::optional<FileText>& over,
                                   const std::vector<FileBodyPoint>& points) {
  FrameCoordinates frame = coordinates_of_origin(writer, name, start);
  frame.position.unit = unit;
  frame.position.over = frame.angle.over = over;
  if (start.point.text.empty()) return frame;

  const auto [px, py] = local_texts(name.text, find_start(writer, name, start.point, points));
  const std::string base = name.text + ".start_";
  const std::string angle = writer.given(base + "angle", frame.angle.start, over);
  const std::string rate = writer.given(base + "rate", *frame.angle.velocity, over);
  const PlaceTexts arm = point_of_frame({"0", "0", angle, "0", "0", rate}, px, py);
  const auto minus = [&](const char* part, const FileValue& value, const std::string& by) {
    return writer.made(fmt::format("{} - ({})", writer.given(base + part, value, over), by), value.piece.begin);
  };
  frame.position.start =
      pair_of(minus("x", frame.position.start.part(0), arm.x), minus("y", frame.position.start.part(1), arm.y));
  frame.position.velocity = pair_of(minus("x_rate", frame.position.velocity->part(0), arm.x_rate),
                                    minus("y_rate", frame.position.velocity->part(1), arm.y_rate));
  return frame;
}
}  // namespace trill
