// SPDX-License-Identifier: BSD-3-Clause
#include "pictures.hpp"

#include "base/text.hpp"
#include "report/svg.hpp"
#include "solution/safe_file.hpp"
#include "terminal.hpp"
#include "trill/report/report.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>
#include <unistd.h>

namespace trill::cli {
std::vector<Chart> stability_charts(const std::string& method, const StabilityReport& r) {
  const auto chart = [&](const char* title, const char* note, const char* label) {
    return Chart{.title = title,
                 .note = note,
                 .x = {"h*omega", "", false},
                 .y = {label, "", false},
                 .style = ChartStyle::line,
                 .series = {{method, {}, {}}}};
  };
  Chart radius =
      chart("Amplitude after a step", "1: the amplitude is preserved; above 1: unstable", "largest |eigenvalue|");
  Chart frequency = chart("Frequency distortion", "1: the exact frequency; there are gaps where nothing oscillates",
                          "b = phase / (h*omega)");
  Chart damping = chart("Damping", "|eigenvalue| = exp(-a h*omega); negative: growth", "a");
  const auto add = [](Chart& c, double mu, double value, bool shown) {
    c.series[0].x.push_back(mu);
    c.series[0].y.push_back(shown ? value : std::nan(""));
  };
  const auto drawn = [](const StabilityRow& row) { return row.radius <= 3; };
  const auto end = std::find_if(r.rows.rbegin(), r.rows.rend(), drawn).base();
  for (auto row = r.rows.begin(); row != end; ++row) {
    add(radius, row->mu, row->radius, drawn(*row));
    add(frequency, row->mu, row->phase / row->mu, drawn(*row) && row->oscillates);
    add(damping, row->mu, row->damping, drawn(*row));
  }
  return {radius, frequency, damping};
}

void check_place(const std::string& path) {
  if (path.empty()) return;
  const std::filesystem::path file(path), directory = file.has_parent_path() ? file.parent_path() : ".";
  std::error_code none;
  if (!std::filesystem::is_directory(directory, none))
    throw IoError(fmt::format("cannot write {}: there is no directory {}", path, directory.string()));
  if (std::filesystem::is_directory(file, none)) throw IoError(fmt::format("cannot write {}: it is a directory", path));
  if (::access(directory.c_str(), W_OK) != 0) throw_io("cannot write", file, errno);
}

void check_page(const std::string& path) {
  const std::string extension = lower_snake(std::filesystem::path(path).extension().string());
  for (const char* solution : {".h5", ".hdf5", ".csv", ".json", ".part"})
    if (extension == solution)
      throw UsageError(
          fmt::format("{} would be the name of a solution; give the page a name that ends in .html", path));
  check_place(path);
}

void write_charts(const std::vector<Chart>& charts, const std::string& title, const std::string& page,
                  const std::string& svg_prefix, bool silent, const std::vector<Table>& tables) {
  if (!page.empty()) {
    Report report;
    report.title = title;
    report.version = TRILL_VERSION;
    report.charts = charts;
    report.tables = tables;
    write_whole(page, report_page(report));
    if (!silent) print(fmt::format("page: {}\n", page));
  }
  for (std::size_t i = 0; !svg_prefix.empty() && i < charts.size(); ++i) {
    const std::string path = fmt::format("{}-{}.svg", svg_prefix, i + 1);
    write_whole(path, svg_chart(charts[i]));
    if (!silent) print(fmt::format("picture: {}\n", path));
  }
}
}  // namespace trill::cli
