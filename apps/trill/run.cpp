// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/run_results.hpp"
#include "base/text.hpp"
#include "commands.hpp"
#include "driver/recorded_run.hpp"
#include "interruption.hpp"
#include "origin.hpp"
#include "pictures.hpp"
#include "places.hpp"
#include "solution/part_directory.hpp"
#include "solution/safe_file.hpp"
#include "terminal.hpp"
#include "trill/report/report.hpp"
#include "window.hpp"

#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace trill::cli {
namespace {
using nlohmann::json;
constexpr double bytes_for_cycles = 1.2e6;  // on the page

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
  return {a.resume.empty() ? a.out : a.resume, !a.resume.empty(), a.checkpoint_seconds};
}

std::string last_words(const RunArguments& a) {
  const std::string file = a.resume.empty() ? a.out : a.resume;
  if (!a.sweeps.empty()) return "interrupted; " + how_to_continue(file, "sweep");
  if (!file.empty() && !holds_run(part_of(without_part(file)))) return "interrupted before anything was recorded";
  return "interrupted; " + how_to_continue(file, "run");
}

// The choice that was made in the run to be resumed.
Native native_as_before(const std::string& resumed) {
  const auto point = find_resume_point(resumed);
  if (!point || point->info.code.empty()) return Native::automatic;
  return point->info.code == "compiled" ? Native::as_before : Native::never;
}

// The method that was chosen for the run to be resumed is not chosen again.
void take_way_as_before(const std::string& resumed, RunPlan& plan) {
  const bool chosen = plan.want != Want::steady && plan.want != Want::envelope;
  if (!chosen || !plan.method.empty() || !plan.formulation.empty() || !plan.options.empty()) return;
  const auto point = find_resume_point(resumed);
  if (!point) return;
  const RunInfo& info = point->info;
  const auto number = [&](const char* name) -> std::optional<double> {
    const auto found = info.settings.find(name);
    return found == info.settings.end() ? std::nullopt : parse_number(found->second);
  };
  plan.want = Want::full;
  plan.method = info.method;
  plan.formulation = info.formulation;
  plan.options = info.options;
  if (!plan.h && !plan.rtol) {
    plan.h = number("h");
    plan.rtol = number("rtol");
  }
}

// The keys have the names of the members of SteadyState; a multiplier is its real and its imaginary part.
json steady_json(const SteadyState& s) {
  json multipliers = json::array(), signals = json::object(), powers = json::object();
  for (const std::complex<double>& m : s.multipliers) multipliers.push_back({m.real(), m.imag()});
  for (const SteadySignal& x : s.signals)
    signals[x.name] = {
        {"unit", x.unit},       {"mean", x.mean},          {"rms", x.rms}, {"min", x.min}, {"max", x.max},
        {"ripple", x.ripple()}, {"harmonics", x.harmonics}};
  for (const SteadyPower& p : s.powers) powers[p.element] = {{"is_source", p.is_source}, {"mean", p.mean}};
  return {{"period", s.period},
          {"frequency", 1 / s.period},
          {"has_clock", s.has_clock},
          {"multipliers", multipliers},
          {"is_stable", s.is_stable},
          {"stability", s.stability},
          {"residual", s.residual},
          {"signals", signals},
          {"powers", powers},
          {"load", s.load},
          {"efficiency", s.efficiency ? json(*s.efficiency) : json(nullptr)},
          {"iterations", s.iterations},
          {"cycles", s.cycles},
          {"cycles_with_sensitivities", s.cycles_with_sensitivities},
          {"products", s.products},
          {"transient", s.transient}};
}

class Session {
 public:
  Session(const RunArguments& arguments, PreparedRun prepared)
      : a_(arguments), run_(std::move(prepared), record_plan(a_)) {
    DriverOptions& options = run_.prepared().options;
    fill_origin(options.info);
    options.stop = &stop_requested();
    options.progress = progress_bar(options.info.problem, a_.quiet);
  }

  int dry_run() {
    check_places();
    print(settings_text(run_.prepared().options.info));
    const PreparedRun& prepared = run_.prepared();
    if (!prepared.choice.empty()) print(fmt::format("\n{}\n", prepared.choice));
    if (!prepared.advice_remark.empty()) print(fmt::format("\n{}\n", prepared.advice_remark));
    if (!prepared.rungs.empty())
      print(fmt::format("\nif that fails, these would be tried\n\n{}", plans_text(prepared.rungs, rungs_shown)));
    return ExitCode::ok;
  }

  int go() {
    check_places();
    run_.open();
    for (const std::string& remark : run_.remarks()) complain(remark);
    watch_cycles();
    if (!run_.solved()) run_.solve();
    if (run_.outcome().status == RunStatus::stopped) return interrupted();
    run_.judge(a_.check, &stop_requested());
    run_.publish();
    if (!a_.report.empty()) write_report();
    summarise();
    return run_.outcome().ok() ? ExitCode::ok : ExitCode::numerical_failure;
  }

 private:
  void check_places() {
    if (!a_.out.empty()) SegmentRecorder{a_.out};  // throws on an unknown format
    Paths outputs = files_of_solution(without_part(a_.resume.empty() ? a_.out : a_.resume));
    if (!a_.report.empty() && std::filesystem::path(a_.out).extension() == ".oem")
      throw UsageError("--report reads the solution again, and trill only writes .oem files; use .h5, .csv or .json");
    outputs.push_back(a_.report);
    check_page_name(a_.report);
    check_apart(outputs, files_of_model(a_.plan.model, run_.prepared().options.info.inputs));
    check_page(a_.report);
    check_place(a_.out);
  }

  // For the page. What was computed before a run was resumed is not known any more.
  void watch_cycles() {
    if (a_.report.empty() || !a_.resume.empty() || !run_.prepared().stepper) return;
    starts_.emplace(*run_.prepared().stepper);
    if (starts_->counts_cycles())
      run_.prepared().options.observers.push_back(&*starts_);
    else
      starts_.reset();
  }

  std::shared_ptr<const CycleShapes> cycles() {
    if (!starts_ || !std::holds_alternative<EveryStep>(a_.plan.output)) return nullptr;
    const RunDefaults defaults = make_model(a_.plan.model, a_.plan.parameters).info.run;
    auto shapes =
        std::make_shared<CycleShapes>(find_cycle_shapes(run_.prepared(), defaults, *starts_, bytes_for_cycles));
    shapes->command = window_command(a_);
    return shapes;
  }

  int interrupted() {
    complain(fmt::format("{}; {}", run_.outcome().message, how_to_continue(run_.file().string(), "run")));
    if (run_.file().empty() && !a_.report.empty()) write_report();
    return ExitCode::interrupted;
  }

  void write_report() {
    run_.with_rows([&](const RunInfo& info, const RowSource& rows) {
      Report page;
      page.runs.push_back(
          {"", info, run_.outcome(), run_.trust(), rows, run_.prepared().problem->parameters(), cycles()});
      page.version = TRILL_VERSION;
      write_whole(a_.report, report_page(page));
    });
  }

  // The numbers that the model asks for.
  std::vector<RunResult> results() {
    std::vector<RunResult> found;
    auto wishes = wished_results_of(*run_.prepared().problem);
    if (run_.prepared().steady_state)
      for (RunResultWish& wish : wishes) wish.from = -HUGE_VAL, wish.to = HUGE_VAL;  // the period stands for all times
    if (!wishes.empty())
      run_.with_rows([&](const RunInfo& info, const RowSource& rows) { found = find_results(wishes, info, rows); });
    return found;
  }

  json summary_json() {
    const RunInfo& info = run_.prepared().options.info;
    const RunOutcome& outcome = run_.outcome();
    const Trust& trust = run_.trust();
    json files = json::object();
    if (run_.published()) files["solution"] = run_.file().string();
    if (!a_.report.empty()) files["report"] = a_.report;
    const Counters& c = outcome.counters;
    json notices = json::array();
    for (const Notice& n : outcome.notices)
      notices.push_back({{"t", n.t},
                         {"code", n.code},
                         {"text", n.text},
                         {"severity", to_text(n.severity)},
                         {"value", n.value},
                         {"threshold", n.threshold},
                         {"count", n.count}});
    json measures = json::object();
    for (const RunResult& r : results()) measures[r.name] = r.value ? json(*r.value) : json(nullptr);
    json components = json::array();
    for (const TrustRow& row : trust.rows)
      components.push_back({{"name", row.name}, {"deviation", row.deviation}, {"relative", row.relative()}});
    json summary = {
        {"model", info.problem},
        {"method", info.method},
        {"formulation", info.formulation},
        {"choice", run_.prepared().choice},
        {"status", to_text(outcome.status)},
        {"message", outcome.message},
        {"steps", c.steps},
        {"rejected", c.rejected},
        {"forces", c.most_forces()},
        {"newton_iterations", c.newton_iterations},
        {"seconds", c.seconds},
        {"code", info.code},
        {"settings", info.settings},
        {"parameters", info.parameters},
        {"trust", {{"verdict", to_text(trust.verdict)}, {"headline", trust.headline}, {"components", components}}},
        {"notices", notices},
        {"measures", measures},
        {"files", files}};
    if (const auto& steady = run_.prepared().steady_state) summary["steady"] = steady_json(*steady);
    return summary;
  }

  void summarise() {
    if (a_.json) return print(summary_json().dump(2) + "\n");
    const RunInfo& info = run_.prepared().options.info;
    const RunOutcome& outcome = run_.outcome();
    const Trust& trust = run_.trust();
    if (!outcome.ok()) complain(fmt::format("{} failed {}", info.problem, outcome.message));
    if (a_.quiet) return;
    const Counters& c = outcome.counters;
    print(fmt::format("{} with {}: {} step{}", info.problem, way_of(info), c.steps, c.steps == 1 ? "" : "s"));
    if (c.rejected > 0) print(fmt::format(" ({} rejected)", c.rejected));
    print(fmt::format(", {} force evaluations, {:.3g} s{}{}\n", c.most_forces(), c.seconds,
                      info.code.empty() ? "" : ", model ", info.code));
    if (outcome.ok() && !outcome.message.empty()) print(fmt::format("  {}\n", outcome.message));
    if (!run_.prepared().choice.empty()) print(fmt::format("  {}\n", run_.prepared().choice));
    if (!run_.prepared().advice_remark.empty()) print(fmt::format("  note: {}\n", run_.prepared().advice_remark));
    if (!run_.prepared().remark.empty()) print(fmt::format("  note: {}\n", run_.prepared().remark));
    for (const RunResult& r : results())
      print(fmt::format("  {} = {}\n", r.name,
                        r.value ? fmt::format("{:.6g} {}", *r.value, r.unit) : "not known from the rows of this run"));
    for (const Notice& n : outcome.notices)
      if (n.code == "summary") print(fmt::format("  {}\n", n.text));
    for (const Notice& n : outcome.notices)
      if (n.severity != Severity::info)
        print(
            fmt::format("  {} at t = {:.6g}: {}{}{}\n", to_text(n.severity), n.t, n.text,
                        n.threshold == 0 ? "" : fmt::format(" (value {:.3g}, threshold {:.3g})", n.value, n.threshold),
                        n.count > 1 ? fmt::format(", {} times in all", n.count) : ""));
    print(fmt::format("  trust: {}{}\n",
                      trust.verdict == Verdict::none ? "" : fmt::format("{}. ", to_text(trust.verdict)),
                      trust.headline));
    if (run_.published()) print(fmt::format("  solution: {}\n", run_.file().string()));
    if (!a_.report.empty()) print(fmt::format("  report: {}\n", a_.report));
  }

  const RunArguments& a_;
  RecordedRun run_;
  std::optional<CycleStarts> starts_;
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
  if (!a.svg.empty())
    throw UsageError("--svg can be used only with --sweep; use 'trill report SOLUTION --svg' for a single run");
  if (!a.resume.empty() && a.plan.native == Native::automatic && a.plan.want != Want::steady)
    a.plan.native = native_as_before(a.resume);
  if (a.window && !a.dry_run) return run_window(a);
  if (!a.resume.empty()) take_way_as_before(a.resume, a.plan);
  a.plan.second_opinion = a.resume.empty();
  Session session(a, prepare(a.plan));
  return a.dry_run ? session.dry_run() : session.go();
}
}  // namespace trill::cli
