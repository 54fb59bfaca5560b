// SPDX-License-Identifier: BSD-3-Clause
// What a moving picture of a model shows: points, lines between points, and parts of mechanisms.
#pragma once

#include "trill/model/source_text.hpp"

#include <string>
#include <vector>

namespace trill {
class TableReader;

// Each kind has a number of points: a point 1, a line 2 or more, a curve 1 for each element of its set, a spring,
// damper or rod 2, a body the points that it holds together, a joint or a pin on the ground 1, a rail where its slider
// is, where the axis begins, and a second point of the axis.
enum class PictureKind { point, line, curve, spring, damper, rod, body, joint, pin, rail };
const char* to_text(PictureKind kind);

struct FilePictureItem {
  PictureKind kind = PictureKind::point;
  std::vector<SourcePiece> points;  // expressions whose values are points
  std::string over, colour;         // "": no set; a colour of its own
  bool trail = false;
};

struct FilePicture {
  std::vector<FilePictureItem> stated;  // by [picture]
  std::vector<FilePictureItem> parts;   // of the mechanism
};

std::vector<FilePictureItem> read_picture(const SourceText& source, TableReader& root);
}  // namespace trill
