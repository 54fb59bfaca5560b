// SPDX-License-Identifier: BSD-3-Clause
#include "trill/report/report.hpp"

#include "base/text.hpp"
#include "commands.hpp"
#include "driver/stored_run.hpp"
#include "pictures.hpp"
#include "places.hpp"
#include "report/known_frequencies.hpp"
#include "report/svg.hpp"
#include "solution/safe_file.hpp"
#include "terminal.hpp"
#include "trill/solution/solution_file.hpp"

#include <cmath>
#include <filesystem>
#include <list>

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

// A model that cannot be made again, because it reads files or is not one of trill, has none.
std::vector<ChartMark> stored_frequencies(const RunInfo& info) {
  try {
    const PreparedRun run = prepare_stored(info);
    return known_frequencies(*run.problem, std::abs(*run.plan.to - *run.plan.from));
  } catch (const std::exception&) {
    return {};
  }
}

ReportRun open_run(const SolutionFile& file, const std::string& input, const ReportArguments& a) {
  const RunInfo& info = file.info();
  ReportRun run{"", info, file.outcome(), file.trust(), file};
  if (a.spectrum) run.spectrum = a.of;
  run.frequencies = [&info] { return stored_frequencies(info); };
  if (file.unfinished()) {
    run.outcome.status = RunStatus::stopped;
    if (run.outcome.message.empty())
      run.outcome.message = input + " is not finished; the page shows what has been recorded so far";
  }
  return run;
}
}  // namespace

int report(const ReportArguments& a) {
  const std::string out = a.out.empty() && !a.wants_svg ? stem_of(a.inputs.front()) + ".html" : a.out;
  Paths inputs;
  for (const std::string& input : a.inputs)
    for (const auto& file : files_read_for(input)) inputs.push_back(file);
  check_page_name(out);
  check_apart({out}, inputs);
  check_page(a.out);
  std::list<SolutionFile> files;
  Report page;
  page.version = TRILL_VERSION;
  for (const std::string& input : a.inputs) page.runs.push_back(open_run(files.emplace_back(input), input, a));
  check_page(out);
  for (std::size_t i = 0; a.wants_svg && i < a.inputs.size(); ++i)
    for (const Chart& chart : charts_of(page.runs[i])) {
      const std::string path = fmt::format("{}-{}.svg", stem_of(a.inputs[i]), file_name_of(chart.title));
      check_apart({path}, inputs);
      write_whole(path, svg_chart(chart));
      print(path + "\n");
    }
  if (out.empty()) return ExitCode::ok;
  write_whole(out, report_page(page));
  print(out + "\n");
  return ExitCode::ok;
}
}  // namespace trill::cli
