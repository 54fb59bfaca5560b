// SPDX-License-Identifier: BSD-3-Clause
#include "trill/report/report.hpp"

#include "base/text.hpp"
#include "commands.hpp"
#include "driver/stored_run.hpp"
#include "pictures.hpp"
#include "places.hpp"
#include "report/energy_balance.hpp"
#include "report/known_frequencies.hpp"
#include "report/page_template.hpp"
#include "report/picture_frames.hpp"
#include "report/svg.hpp"
#include "solution/safe_file.hpp"
#include "terminal.hpp"
#include "trill/solution/solution_file.hpp"

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

// A stored run with what can be said about it only with its model.
struct OpenRun {
  SolutionFile file;
  std::optional<PreparedRun> model;  // empty: it cannot be made again, because it reads files or is not one of trill
  std::optional<EnergyBalance> balance{};

  explicit OpenRun(const std::string& input) : file(input) {
    try {
      model = prepare_stored(file.info());
      balance = energy_balance(*model->problem, file.info(), file);
    } catch (const std::exception&) {
      model.reset();
    }
  }

  std::vector<ChartMark> frequencies() const {
    if (!model) return {};
    return known_frequencies(*model->problem, std::abs(*model->plan.to - *model->plan.from));
  }
};

ReportRun shown_run(const OpenRun& open, const std::string& input, const ReportArguments& a) {
  const SolutionFile& file = open.file;
  const RowSource* rows = &file;
  if (open.balance) rows = open.balance->rows.get();
  ReportRun run{"", open.balance ? open.balance->info : file.info(), file.outcome(), file.trust(), *rows};
  if (a.spectrum) run.spectrum = a.of;
  run.frequencies = [&open] { return open.frequencies(); };
  if (file.unfinished()) {
    run.outcome.status = RunStatus::stopped;
    if (run.outcome.message.empty())
      run.outcome.message = input + " is not finished; the page shows what has been recorded so far";
  }
  return run;
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
    throw UsageError("trill does not know what this model looks like; a table [picture] in the model file says it");
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
}  // namespace

int report(const ReportArguments& a) {
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
  Report page;
  page.version = TRILL_VERSION;
  for (const std::string& input : a.inputs) page.runs.push_back(shown_run(files.emplace_back(input), input, a));
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
