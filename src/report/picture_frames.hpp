// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/report/report.hpp"

#include <string>
#include <vector>

namespace trill {
// The moving picture of a run as SVG pictures at equally spaced times. Empty: the model has none.
inline constexpr Index frames_of_film = 240;  // ten seconds at 24 pictures a second
std::vector<std::string> picture_frames(const ReportRun& run, Index frames = frames_of_film);
}  // namespace trill
