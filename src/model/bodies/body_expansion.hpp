// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/bodies/body_file.hpp"

#include <array>

namespace trill {
// Adds to the model file what trill generates from one of its lines, so that messages about it point at that line.
// Values that the file gives become derived names: mistakes in them are reported at their own place, and only once.
class ModelWriter {
 public:
  ModelWriter(const SourceText& source, ModelFile& file) : source_(source), file_(file) {}

  ModelFile& file() { return file_; }
  FileValue made(std::string text, std::size_t offset, std::string label = {}) const {
    return {{&source_, offset, std::move(text), false, true}, std::nullopt, std::move(label)};
  }
  void derive(const std::string& name, std::string text, std::size_t offset, const std::optional<FileText>& over);
  void derive_sum(const std::string& name, std::string text, const FileText& over);
  // How expressions refer to a value of the file: by its number, or by a derived name.
  std::string given(const std::string& name, const FileValue& value, const std::optional<FileText>& over);
  std::string given(const std::string& name, const std::optional<FileValue>& value, const char* otherwise,
                    const std::optional<FileText>& over) {
    return value ? given(name, *value, over) : otherwise;
  }
  ModelError error(std::size_t offset, std::string_view message) const { return source_.error(offset, message); }

 private:
  const SourceText& source_;
  ModelFile& file_;
};

// A place in the plane, given by expressions.
struct PlaceTexts {
  std::string x, y, angle, x_rate, y_rate, angle_rate;
};

// The point (px, py) of a frame; its angle is that of the frame.
PlaceTexts point_of_frame(const PlaceTexts& frame, const std::string& px, const std::string& py);
// The frame of a body or beam; `index` is "" or "[...]".
PlaceTexts frame_of(const std::string& body, const std::string& index);

// How expressions refer to the parts of a named point in the frame of its body.
std::array<std::string, 2> local_texts(const std::string& body, const FileBodyPoint& point);

// The coordinates of a frame with their start values. The caller sets the masses.
struct FrameCoordinates {
  FileCoordinate position, angle;
};
FrameCoordinates frame_coordinates(ModelWriter& writer, const FileText& name, const FileStart& start,
                                   const std::string& unit, const std::optional<FileText>& over,
                                   const std::vector<FileBodyPoint>& points);

struct GravityTexts {
  std::string x, y;
  std::optional<FileText> group;
};
void expand_reduced(const FileReduced& body, const std::optional<GravityTexts>& gravity, ModelWriter& writer);
void expand_beam(const FileBeam& beam, const std::optional<GravityTexts>& gravity, ModelWriter& writer);
}  // namespace trill
