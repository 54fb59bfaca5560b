// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/report/chart.hpp"

#include <string>

namespace trill {
struct SvgOptions {
  double width = 720, height = 440;
  double font_size = 13;
};

// A chart as a still picture for papers: one SVG document without scripts, style sheets or embedded fonts. Every
// extreme value is in the picture, whatever the number of points. Points that a log axis cannot show are left out and
// counted in the note.
std::string svg_chart(const Chart& chart, const SvgOptions& options = {});
}  // namespace trill
