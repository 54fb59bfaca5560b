// SPDX-License-Identifier: BSD-3-Clause
#include "trill/report/report.hpp"

#include "base/text.hpp"
#include "commands.hpp"
#include "interruption.hpp"
#include "open_run.hpp"
#include "pictures.hpp"
#include "places.hpp"
#include "report/page_template.hpp"
#include "report/picture_frames.hpp"
#include "report/svg.hpp"
#include "solution/safe_file.hpp"
#include "terminal.hpp"
#include "window.hpp"

#include <cmath>
#include <filesystem>
#include <list>
#include <optional>

#include <fmt/format.h>

namespace trill::cli {
namespace {
std::string stem_of(const std::string& input) {
  std::filesystem::path path(input);
  if (path.extension() == ".part") path.replace_extension();
  return path.replace_extension().string();
}

std::string file_name_of(std::string title) {
  std::string name;
  for (const char c : lower_snake(title)) {
    if (std::isalnum(static_cast<unsigned char>(c)))
      name += c;
    else if (!name.empty() && name.back() != '_')
      name += '_';
  }
  while (!name.empty() && name.back() == '_') name.pop_back();
  return name;
}

std::string page_for_paper() {
  std::string page(page_template());
  const std::string tag = "<html ";
  return page.replace(page.find(tag), tag.size(), "<html data-print ");
}

// The folder is made if it is not there; frames of an earlier film with more of them would stay, so it has to be empty.
void write_frames(const ReportRun& run, const std::string& folder) {
  namespace fs = std::filesystem;
  const std::vector<std::string> frames = picture_frames(run);
  if (frames.empty())
    throw UsageError(
        "trill does not know what this model looks like; describe it by a table [picture] in the model file");
  std::error_code error, none;
  if (fs::exists(folder, none) && !(fs::is_directory(folder, none) && fs::is_empty(folder, none)))
    throw UsageError(fmt::format("--frames {}: the folder has to be new or empty", folder));
  fs::create_directories(folder, error);
  if (!fs::is_directory(folder, none))
    throw IoError(fmt::format("cannot create the folder {}: {}", folder, error.message()));
  for (std::size_t i = 0; i < frames.size(); ++i)
    write_whole(fs::path(folder) / fmt::format("frame-{:04}.svg", i + 1), frames[i]);
  print(fmt::format("{}: {} frames\n", folder, frames.size()));
}

int report_window(const ReportArguments& a) {
  const std::string& input = a.inputs.front();
  if (a.inputs.size() > 1 || a.wants_svg || !a.frames.empty())
    throw UsageError("--window takes one solution and makes a page of its cycles; leave out --svg and --frames");
  const std::string out = a.out.empty() ? stem_of(input) + "-window.html" : a.out;
  check_page_name(out);
  check_apart({out}, files_read_for(input));
  check_page(out);
  const SolutionFile file(input);
  const PreparedRun followed = prepare_stored(file.info(), folders_for(input));
  WindowRun window = prepare_window(followed, stored_defaults(file.info(), folders_for(input)),
                                    cycle_starts(file.info(), file), *a.window, &stop_requested());
  if (window.run) window.run->options.stop = &stop_requested();
  const Solution solution = window.run ? window.run->run() : Solution();
  const RunOutcome& outcome = window.run ? solution.outcome : window.before;
  if (outcome.status == RunStatus::stopped) return ExitCode::interrupted;
  if (!outcome.ok()) {
    complain(fmt::format("the cycles of {} failed {}", input, outcome.message));
    return ExitCode::numerical_failure;
  }
  Report page;
  page.version = TRILL_VERSION;
  page.runs.push_back(report_run(solution));
  if (a.spectrum) page.runs.front().spectrum = a.of;
  write_whole(out, a.for_paper ? report_page(page, page_for_paper()) : report_page(page));
  print(out + "\n");
  return ExitCode::ok;
}
}  // namespace

int report(const ReportArguments& a) {
  if (a.window) return report_window(a);
  if (!a.frames.empty() && a.inputs.size() > 1)
    throw UsageError("--frames takes one solution, which it draws as a film");
  const std::string out =
      a.out.empty() && !a.wants_svg && a.frames.empty() ? stem_of(a.inputs.front()) + ".html" : a.out;
  Paths inputs;
  for (const std::string& input : a.inputs)
    for (const auto& file : files_read_for(input)) inputs.push_back(file);
  check_page_name(out);
  check_apart({out}, inputs);
  check_page(a.out);
  std::list<OpenRun> files;
  const auto spectrum = a.spectrum ? std::optional(a.of) : std::nullopt;
  Report page;
  page.version = TRILL_VERSION;
  for (const std::string& input : a.inputs) page.runs.push_back(shown_run(files.emplace_back(input), input, spectrum));
  check_page(out);
  for (std::size_t i = 0; a.wants_svg && i < a.inputs.size(); ++i)
    for (const Chart& chart : charts_of(page.runs[i])) {
      const std::string path = fmt::format("{}-{}.svg", stem_of(a.inputs[i]), file_name_of(chart.title));
      check_apart({path}, inputs);
      write_whole(path, svg_chart(chart));
      print(path + "\n");
    }
  if (!a.frames.empty()) write_frames(page.runs.front(), a.frames);
  if (out.empty()) return ExitCode::ok;
  write_whole(out, a.for_paper ? report_page(page, page_for_paper()) : report_page(page));
  print(out + "\n");
  return ExitCode::ok;
}
}  // namespace trill::cli
