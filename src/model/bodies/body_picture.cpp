// SPDX-License-Identifier: BSD-3-Clause
#include "model/bodies/body_picture.hpp"

#include <fmt/format.h>

namespace trill {
namespace {
// The second end of a link is its first end and the gap between them.
PlaceTexts end_of(const FileLink& link, const PlaceTexts& from) {
  PlaceTexts to;
  to.x = fmt::format("{} + {}.gap.x", from.x, link.name.text);
  to.y = fmt::format("{} + {}.gap.y", from.y, link.name.text);
  return to;
}
}  // namespace

void BodyPicture::add(PictureKind kind, const std::vector<PlaceTexts>& points, std::size_t offset,
                      const std::optional<FileText>& over) {
  FilePictureItem item;
  item.kind = kind;
  if (over) item.over = over->text;
  for (const PlaceTexts& p : points)
    item.points.push_back(writer_.made(fmt::format("point({}, {})", p.x, p.y), offset).piece);
  writer_.file().picture.parts.push_back(std::move(item));
}

void BodyPicture::add_body(const FileBody& body) { bodies_.push_back(&body); }

// A body with fewer than two points reaches to its centre of mass.
void BodyPicture::finish() {
  std::vector<FilePictureItem> in_front = std::move(writer_.file().picture.parts);
  writer_.file().picture.parts.clear();
  for (const FileBody* body : bodies_) {
    const PlaceTexts frame = frame_of(body->name.text, body->over ? "[" + body->over->text + "]" : "");
    std::vector<PlaceTexts> points;
    for (const FileBodyPoint& p : body->points) {
      const auto [px, py] = local_texts(body->name.text, p);
      points.push_back(point_of_frame(frame, px, py));
    }
    const std::vector<PlaceTexts>& more = attached_[body->name.text];
    points.insert(points.end(), more.begin(), more.end());
    if (points.size() < 2) points.push_back(frame);
    add(points.size() < 2 ? PictureKind::point : PictureKind::body, points, body->name.offset, body->over);
  }
  auto& parts = writer_.file().picture.parts;
  parts.insert(parts.end(), in_front.begin(), in_front.end());
}

// Five points on the cubic curve of each element.
void BodyPicture::add_beam(const FileBeam& beam) {
  const std::string& name = beam.name.text;
  std::vector<PlaceTexts> points;
  for (const double z : {0.0, 0.25, 0.5, 0.75, 1.0}) {
    const std::string along = fmt::format("({0}.from + {1}*{0}.h)", name, z);
    const std::string across =
        fmt::format("({1}*{0}.w0 + {2}*{0}.w1 + {0}.h*({3}*{0}.s0 + {4}*{0}.s1))", name,
                    (1 + 2 * z) * (1 - z) * (1 - z), z * z * (3 - 2 * z), z * (1 - z) * (1 - z), z * z * (z - 1));
    PlaceTexts at;
    at.x = fmt::format("{0}.x + cos({0}.angle)*{1} - sin({0}.angle)*{2}", name, along, across);
    at.y = fmt::format("{0}.y + sin({0}.angle)*{1} + cos({0}.angle)*{2}", name, along, across);
    points.push_back(at);
  }
  add(PictureKind::line, points, beam.name.offset, FileText{name + ".element", beam.name.offset});
}

void BodyPicture::add_joint(const FileJoint& joint, const PlaceTexts& from) {
  const PlaceTexts to = end_of(joint, from);
  const bool grounded = joint.from.body.text.empty();
  switch (joint.kind) {
    case JointKind::revolute:
    case JointKind::rigid:
      return add(grounded ? PictureKind::pin : PictureKind::joint, {to}, joint.offset, joint.over);
    case JointKind::distance:
      return add(PictureKind::rod, {from, to}, joint.offset, joint.over);
    case JointKind::prismatic:
    case JointKind::point_on_line: {
      PlaceTexts along;
      along.x = fmt::format("{} + {}.axis.x", from.x, joint.name.text);
      along.y = fmt::format("{} + {}.axis.y", from.y, joint.name.text);
      return add(PictureKind::rail, {to, from, along}, joint.offset, joint.over);
    }
  }
}

void BodyPicture::add_between(PictureKind kind, const FileLink& link, const PlaceTexts& from) {
  add(kind, {from, end_of(link, from)}, link.offset, link.over);
}
}  // namespace trill
