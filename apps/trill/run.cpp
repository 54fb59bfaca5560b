// SPDX-License-Identifier: BSD-3-Clause
#include "commands.hpp"
#include "driver/answer.hpp"
#include "driver/filled_rows.hpp"
#include "interruption.hpp"
#include "origin.hpp"
#include "pictures.hpp"
#include "places.hpp"
#include "report/energy_balance.hpp"
#include "report/known_frequencies.hpp"
#include "report/run_statistics.hpp"
#include "run_summary.hpp"
#include "solution/file_formats.hpp"
#include "solution/part_directory.hpp"
#include "solution/safe_file.hpp"
#include "steady_page.hpp"
#include "terminal.hpp"
#include "trill/report/report.hpp"
#include "window.hpp"

#include <cmath>

#include <fmt/format.h>

namespace trill::cli {
namespace {
constexpr std::size_t rungs_shown = 4;

std::string settings_text(const RunInfo& info) {
  std::vector<std::vector<std::string>> rows{{"setting", "value"}, {"model", info.problem}, {"method", info.method}};
  if (!info.formulation.empty()) rows.push_back({"formulation", info.formulation});
  for (const auto& [name, value] : info.parameters) rows.push_back({"param " + name, value});
  for (const auto& [name, value] : info.options) rows.push_back({"set " + name, value});
  for (const auto& [name, value] : info.settings) rows.push_back({name, value});
  return text_table(rows);
}

RecordPlan record_plan(const RunArguments& a) {
  const bool to_file = a.out != standard_output;
  return {a.resume.empty() ? (to_file ? a.out : "") : a.resume, !a.resume.empty(), a.checkpoint_seconds};
}

std::string last_words(const RunArguments& a) {
  const std::string file = record_plan(a).file.string();
  if (!a.sweeps.empty()) return "interrupted; " + how_to_continue(file, "sweep");
  if (a.plan.want == Want::steady) return "interrupted; a search for a steady state cannot be continued";
  if (!file.empty() && !holds_run(part_of(without_part(file)))) return "interrupted before anything was recorded";
  return "interrupted; " + how_to_continue(file, "run");
}

// The choice that was made in the run to be resumed.
Native native_as_before(const std::string& resumed) {
  // An attempt may have been published before the next one began; the numbers do not depend on the choice.
  if (std::filesystem::exists(resumed) && !left_unfinished(resumed)) return Native::automatic;
  const auto point = find_resume_point(resumed);
  if (!point || point->info.code.empty()) return Native::automatic;
  return point->info.code == "compiled" ? Native::as_before : Native::never;
}

class Session {
 public:
  Session(const RunArguments& arguments, PreparedRun prepared)
      : a_(arguments), inquiry_(a_.plan, with_origin(std::move(prepared)), record_plan(a_), inquiry_options()) {}

  int dry_run() {
    check_places();
    const PreparedRun& prepared = run().prepared();
    if (a_.json) {
      print(json_of(a_, prepared));
      return ExitCode::ok;
    }
    print(settings_text(prepared.options.info));
    if (!prepared.outlook.empty()) print("\n" + paragraph(prepared.outlook));
    if (!prepared.choice.empty()) print("\n" + paragraph(prepared.choice));
    if (!prepared.advice_remark.empty()) print("\n" + paragraph(prepared.advice_remark));
    if (!prepared.rungs.empty())
      print(fmt::format("\nif that fails, these would be tried\n\n{}", plans_text(prepared.rungs, rungs_shown)));
    return ExitCode::ok;
  }

  int go() {
    check_places();
    inquiry_.open();
    for (const std::string& remark : run().remarks()) complain(remark);
    inquiry_.settle();
    if (run().outcome().status == RunStatus::stopped) return interrupted();
    run().publish();
    if (!a_.report.empty()) write_report();
    if (to_standard_output()) write_rows();
    say();
    if (!run().outcome().ok()) return ExitCode::numerical_failure;
    if (!a_.strict || run().trust().verdict != Verdict::red) return ExitCode::ok;
    complain("the verdict on this run is red, which is a failure with --strict");
    return ExitCode::distrusted;
  }

 private:
  RecordedRun& run() { return inquiry_.present(); }

  static PreparedRun with_origin(PreparedRun first) {
    fill_origin(first.options.info);
    first.options.stop = &stop_requested();
    return first;
  }

  InquiryOptions inquiry_options() {
    InquiryOptions options;
    options.check = a_.check;
    options.stop = &stop_requested();
    options.equip = [this](PreparedRun& run, std::size_t attempt) {
      // Whichever way answers it, this is what was asked.
      if (a_.plan.want != Want::full) run.options.info.settings["want"] = to_text(a_.plan.want);
      const std::string& problem = run.options.info.problem;
      run.options.progress =
          progress_bar(attempt == 0 ? problem : fmt::format("{}, attempt {}", problem, attempt + 1), a_.quiet);
    };
    // Not all formats can be read again.
    options.look = [this](RecordedRun& best) { take_figures(best); };
    return options;
  }

  bool to_standard_output() const { return a_.out == standard_output; }

  void check_places() {
    const std::string out = to_standard_output() ? "" : a_.out;
    if (!out.empty()) SegmentRecorder{out};  // throws on an unknown format
    Paths outputs = files_of_solution(without_part(a_.resume.empty() ? out : a_.resume));
    if (!a_.report.empty() && !out.empty() && !can_be_read(format_of(out)))
      throw UsageError(
          fmt::format("--report reads the solution again, and trill only writes {} files; use .h5, .csv or "
                      ".json",
                      std::filesystem::path(out).extension().string()));
    outputs.push_back(a_.report);
    check_page_name(a_.report);
    check_apart(outputs, files_of_model(a_.plan.model, run().prepared().options.info.inputs));
    check_page(a_.report);
    check_place(out);
  }

  std::shared_ptr<const CycleShapes> cycles(const RunInfo& info, const RowSource& rows) {
    const auto starts = cycle_starts(info, rows);
    if (starts.empty()) return nullptr;
    const RunDefaults defaults = make_model(a_.plan.model, a_.plan.parameters).info.run;
    auto shapes =
        std::make_shared<CycleShapes>(find_cycle_shapes(run().prepared(), defaults, starts, bytes_for_cycles));
    shapes->command = window_command(a_);
    return shapes;
  }

  int interrupted() {
    complain(a_.plan.want == Want::steady
                 ? run().outcome().message
                 : fmt::format("{}; {}", run().outcome().message, how_to_continue(run().file().string(), "run")));
    if (run().file().empty() && !a_.report.empty()) write_report();
    return ExitCode::interrupted;
  }

  void write_report() {
    run().with_wanted_rows([&](const RunInfo& info, const RowSource& rows) {
      Report page;
      const PreparedRun& prepared = run().prepared();
      const auto filled = filled_rows(prepared, info, run().outcome(), rows);
      const RowSource& drawn = filled ? *filled : rows;
      const auto balance = energy_balance(*prepared.problem, info, run().outcome(), drawn);
      ReportRun shown{"",
                      balance ? balance->info : info,
                      run().outcome(),
                      run().trust(),
                      balance ? *balance->rows : drawn,
                      prepared.problem->parameters(),
                      cycles(info, rows)};
      shown.recorded_rows = rows.rows();
      if (is_model_file(a_.plan.model)) shown.model_folder = std::filesystem::path(a_.plan.model).parent_path();
      if (a_.spectrum) shown.spectrum = a_.plan.of;
      shown.frequencies = [&] {
        return known_frequencies(*prepared.problem, std::abs(*prepared.plan.to - *prepared.plan.from));
      };
      if (has_statistics(prepared)) {
        const auto statistics = statistics_of(*prepared.problem, info, rows);
        page.charts = statistics_charts(statistics);
        if (!statistics.empty()) page.tables.push_back(statistics_table(statistics, info.time_unit));
        page.summary = statistics_summary(statistics);
      }
      if (const auto& steady = prepared.steady_state) {
        page.summary = steady_summary(*steady, info.time_unit);
        page.tables = steady_tables(*steady);
      }
      page.runs.push_back(std::move(shown));
      page.version = TRILL_VERSION;
      write_whole(a_.report, report_page(page));
    });
  }

  void write_rows() {
    run().with_wanted_rows([](const RunInfo& info, const RowSource& rows) { write_table(rows, info, print_content); });
    flush_output();
  }

  void take_figures(RecordedRun& best) {
    digest_.reset();
    results_.clear();
    statistics_.clear();
    if (a_.quiet && !a_.json) return;
    const auto wishes = wishes_of(best.prepared(), best.outcome());
    best.with_rows([&](const RunInfo& info, const RowSource& rows) {
      digest_ = digest(info, rows);
      results_ = find_results(wishes, info, rows);
      if (has_statistics(best.prepared())) statistics_ = statistics_of(*best.prepared().problem, info, rows);
    });
  }

  void say() {
    const auto tell = to_standard_output() ? print_aside : print;
    const RunOutcome& outcome = run().outcome();
    const RunSummary summary{a_,
                             run().prepared(),
                             outcome,
                             run().trust(),
                             digest_,
                             results_,
                             statistics_,
                             inquiry_.attempts(),
                             inquiry_.shortfall(),
                             run().file().string(),
                             a_.report};
    if (a_.json) return tell(json_of(summary));
    if (!outcome.ok()) complain(fmt::format("{} failed {}", summary.prepared.options.info.problem, outcome.message));
    if (!a_.quiet) tell(text_of(summary));
  }

  const RunArguments& a_;
  Inquiry inquiry_;
  std::optional<RunDigest> digest_;  // of the best run so far
  std::vector<RunResult> results_;
  std::vector<MeasureStatistics> statistics_;
};

int run_window(const RunArguments& a) {
  WindowRun window = prepare_window(a.plan, *a.window, &stop_requested());
  if (window.run) return Session(a, std::move(*window.run)).go();
  complain(fmt::format("the envelope up to the window failed {}", window.before.message));
  return window.before.status == RunStatus::stopped ? ExitCode::interrupted : ExitCode::numerical_failure;
}
}  // namespace

int run(const RunArguments& arguments) {
  RunArguments a = arguments;
  a.plan.trial_runs = !a.dry_run;
  const Interruptible in_time([arguments] { return last_words(arguments); });
  if (a.window) check_window(a);
  if (!a.sweeps.empty()) return sweep(a);
  if (a.jobs > 0) throw UsageError("--jobs can be used only with --sweep; a single run has one thread");
  if (!a.show.empty())
    throw UsageError("--show can be used only with --sweep; the report of a single run shows all components");
  if (a.spectrum && a.report.empty()) throw UsageError("--spectrum is shown on the page; name it by --report run.html");
  if (!a.svg.empty())
    throw UsageError("--svg can be used only with --sweep; use 'trill report SOLUTION --svg' for a single run");
  if (!a.resume.empty() && a.plan.native == Native::automatic && a.plan.want != Want::steady)
    a.plan.native = native_as_before(a.resume);
  if (a.window && !a.dry_run) return run_window(a);
  a.plan.second_opinion = true;
  Session session(a, prepare(a.plan));
  return a.dry_run ? session.dry_run() : session.go();
}
}  // namespace trill::cli
