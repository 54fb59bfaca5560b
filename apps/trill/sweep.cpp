// SPDX-License-Identifier: BSD-3-Clause
#include "trill/driver/sweep.hpp"

#include "base/parallel.hpp"
#include "base/text.hpp"
#include "commands.hpp"
#include "driver/build.hpp"
#include "driver/sweep_choice.hpp"
#include "interruption.hpp"
#include "origin.hpp"
#include "pictures.hpp"
#include "places.hpp"
#include "processes.hpp"
#include "solution/safe_file.hpp"
#include "sweep_page.hpp"
#include "sweep_summary.hpp"
#include "terminal.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace trill::cli {
namespace {
constexpr std::size_t most_rows = 40;  // in the table on the terminal

class SweepSession {
 public:
  explicit SweepSession(const RunArguments& arguments)
      : a_(arguments),
        sweep_(make_sweep(a_.plan, axes(), a_.resume.empty() ? a_.out : a_.resume)),
        base_(prepare(a_.plan)),  // errors that concern all values are reported before the first run
        picture_(sweep_, *base_.problem, a_.show),
        figures_(sweep_, *base_.problem),
        jobs_(std::min(a_.jobs > 0 ? a_.jobs : std::max(1, available_threads() / processes_beside()),
                       static_cast<int>(sweep_.members.size()))) {
    fill_origin(base_.options.info);
    check_outputs();
  }

  int dry_run() const {
    std::vector<std::vector<std::string>> rows{{}};
    for (const SweepAxis& axis : sweep_.axes) rows[0].push_back(axis.parameter);
    rows[0].push_back("file");
    for (const SweepMember& member : sweep_.members) {
      if (rows.size() > most_rows) break;
      rows.push_back(member.values);
      rows.back().push_back(member.file.empty() ? "-" : member.file.string());
    }
    print(fmt::format("{} with {}: {} runs, {} at a time\n\n{}", base_.options.info.problem, way_of(base_.options.info),
                      sweep_.members.size(), jobs_, text_table(rows)));
    if (sweep_.members.size() > most_rows) print(fmt::format("... and {} more\n", sweep_.members.size() - most_rows));
    if (!base_.choice.empty()) print(fmt::format("\nfor the default parameters, {}\n", base_.choice));
    return ExitCode::ok;
  }

  int go() {
    make_directory();
    // What is chosen for the default parameters is taken for all values, so that their results can be compared.
    if (!base_.choice.empty() && a_.plan.want == Want::full)
      sweep_.plan = shared_choice(sweep_, named_plan(base_, a_.plan), base_.options.info.version);
    SweepOptions options;
    options.threads = jobs_;
    options.resume = !a_.resume.empty();
    options.check = a_.check;
    options.checkpoint_seconds = a_.checkpoint_seconds;
    const RunInfo& info = base_.options.info;
    options.version = info.version;
    options.host = info.host;
    options.started = info.started;
    options.progress = progress_bar(fmt::format("{}, {} runs", info.problem, sweep_.members.size()), a_.quiet);
    options.stop = &stop_requested();
    if (!a_.report.empty() || !a_.svg.empty())
      options.look = [this](std::size_t member, const RunInfo& i, const RowSource& rows) {
        picture_.look(member, i, rows);
        if (!a_.report.empty()) figures_.look(member, i, rows);
      };
    run_sweep(sweep_, options);
    write_summary();
    if (a_.json && is_first_process())
      print(summary_json(sweep_, info));
    else if (!a_.json && !a_.quiet && is_first_process())
      print_table();
    write_pages();
    return outcome();
  }

 private:
  std::vector<SweepAxis> axes() const {
    std::vector<SweepAxis> list;
    for (const std::string& text : a_.sweeps) list.push_back(parse_sweep(text));
    return list;
  }

  void check_outputs() const {
    const Paths inputs = files_of_model(a_.plan.model, base_.options.info.inputs);
    Paths shared = svg_files(a_.svg, 1);
    shared.push_back(a_.report);
    if (!sweep_.directory.empty())
      for (const char* summary : {"sweep.csv", "sweep.json"}) shared.push_back(sweep_.directory / summary);
    if (!a_.report.empty())
      for (const auto& page : member_pages(sweep_)) shared.push_back(page);
    check_page_name(a_.report);
    check_apart(shared, inputs);
    for (const SweepMember& member : sweep_.members) {
      if (member.file.empty()) break;
      check_apart(files_of_solution(member.file), inputs);
      check_length(member.file);
    }
    check_page(a_.report);
    check_pictures(a_.svg);
  }

  void make_directory() const {
    if (sweep_.directory.empty()) return;
    // Drops the final slash: results/ has no file name, and its parent path is results.
    const auto directory = sweep_.directory.has_filename() ? sweep_.directory : sweep_.directory.parent_path();
    std::error_code error, none;
    std::filesystem::create_directory(directory, error);
    if (!std::filesystem::is_directory(directory, none))
      throw IoError(fmt::format("cannot create the directory {}: {}", directory.string(),
                                error ? error.message() : "there is a file with that name"));
    if (std::filesystem::is_symlink(directory, none) && !a_.json && !a_.quiet)
      print(fmt::format("{} is a link; the files are written to {}\n", directory.string(),
                        std::filesystem::canonical(directory, none).string()));
    check_place(directory / "sweep.csv");
    for (const SweepMember& member : sweep_.members) check_output(member.file);
  }

  void write_summary() const {
    if (sweep_.directory.empty()) return;
    write_whole(sweep_.directory / "sweep.csv", summary_csv(sweep_));
    write_whole(sweep_.directory / "sweep.json", summary_json(sweep_, base_.options.info));
  }

  void write_pages() const {
    const bool silent = a_.json || a_.quiet;
    write_charts({picture_.chart()}, "", "", a_.svg, silent);
    if (a_.report.empty()) return;
    if (!silent && is_first_process())
      for (const std::string& warning : figures_.warnings()) print("\n" + warning + "\n");
    std::vector<Chart> charts = figures_.charts();
    charts.push_back(picture_.chart());
    write_member_pages(sweep_);
    const RunInfo& info = base_.options.info;
    std::vector<std::string> swept;
    for (const SweepAxis& axis : sweep_.axes) swept.push_back(axis.parameter);
    const std::string title =
        fmt::format("{}: sweep over {}, by {}", info.problem_title.empty() ? info.problem : info.problem_title,
                    join(swept, " and "), way_of(info));
    write_charts(charts, title, a_.report, "", silent, {page_table(sweep_, a_.report)}, figures_.warnings());
  }

  void print_table() const {
    Table table = summary_table(sweep_, false);
    std::vector<std::vector<std::string>> rows{table.columns};
    rows.insert(rows.end(), table.rows.begin(),
                table.rows.begin() + static_cast<std::ptrdiff_t>(std::min(table.rows.size(), most_rows)));
    print(fmt::format("{} with {}: {} runs\n\n{}", base_.options.info.problem, way_of(base_.options.info),
                      sweep_.members.size(), text_table(without_empty_columns(rows))));
    if (sweep_.members.size() > most_rows) print(fmt::format("... and {} more\n", sweep_.members.size() - most_rows));
    const auto there = std::count_if(sweep_.members.begin(), sweep_.members.end(),
                                     [](const SweepMember& member) { return member.was_there; });
    if (there > 0)
      print(fmt::format("\n{} of {} runs were finished before, or by other processes\n", there, sweep_.members.size()));
    if (!sweep_.directory.empty()) print(fmt::format("\nsummary: {}\n", (sweep_.directory / "sweep.csv").string()));
  }

  static std::vector<std::vector<std::string>> without_empty_columns(
      const std::vector<std::vector<std::string>>& rows) {
    std::vector<std::vector<std::string>> kept(rows.size());
    for (std::size_t c = 0; c < rows[0].size(); ++c) {
      if (std::all_of(rows.begin() + 1, rows.end(), [&](const auto& row) { return row[c].empty(); })) continue;
      for (std::size_t r = 0; r < rows.size(); ++r) kept[r].push_back(rows[r][c]);
    }
    return kept;
  }

  void complain_of_failures() const {
    const auto& members = sweep_.members;
    const auto is_failed = [](const SweepMember& member) { return member.failed(); };
    const auto first = std::find_if(members.begin(), members.end(), is_failed);
    complain(fmt::format("{} of {} runs failed; the first was {}: {}", std::count_if(first, members.end(), is_failed),
                         members.size(), sweep_.label(*first), first->why()));
  }

  int outcome() const {
    std::size_t done = 0, failed = 0, errors = 0;
    bool is_red = false;
    for (const SweepMember& member : sweep_.members) {
      is_red = is_red || (member.ok() && member.trust.verdict == Verdict::red);
      done += member.progress == SweepMember::Progress::finished;
      errors += member.progress == SweepMember::Progress::error;
      failed += member.failed();
    }
    if (failed > 0) complain_of_failures();
    if (done + errors == sweep_.members.size()) {
      if (failed > 0) return ExitCode::numerical_failure;
      if (!a_.strict || !is_red) return ExitCode::ok;
      complain("the verdict on some runs is red, which is a failure with --strict");
      return ExitCode::distrusted;
    }
    complain(fmt::format("interrupted: {} of {} runs are done; {}", done, sweep_.members.size(),
                         how_to_continue(a_.resume.empty() ? a_.out : a_.resume, "sweep")));
    return ExitCode::interrupted;
  }

  const RunArguments& a_;
  Sweep sweep_;
  PreparedRun base_;
  SweepPicture picture_;
  SweepFigures figures_;
  int jobs_;
};
}  // namespace

int sweep(const RunArguments& arguments) {
  if (arguments.out == standard_output)
    throw UsageError(
        "a sweep gives several solutions, and standard output takes one; give a directory by --out results/");
  SweepSession session(arguments);
  return arguments.dry_run ? session.dry_run() : session.go();
}
}  // namespace trill::cli
