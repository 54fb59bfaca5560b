// SPDX-License-Identifier: BSD-3-Clause
#include "commands.hpp"
#include "pictures.hpp"
#include "terminal.hpp"
#include "trill/driver/trust.hpp"
#include "trill/report/report.hpp"
#include "trill/solution/safe_file.hpp"
#include "trill/solution/segment_recorder.hpp"
#include "trill/solution/solution_file.hpp"

#include <chrono>
#include <filesystem>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace trill::cli {
namespace {
using nlohmann::json;
constexpr std::size_t memory_for_rows = std::size_t{1} << 29;

std::string now_utc() {
  return fmt::format("{:%Y-%m-%d %H:%M:%S} UTC",
                     fmt::gmtime(std::chrono::system_clock::to_time_t(std::chrono::system_clock::now())));
}

void fill_origin(RunInfo& info) {
  char host[256] = {};
  gethostname(host, sizeof host - 1);
  info.host = host;
  info.version = TRILL_VERSION;
  info.started = now_utc();
}

std::string settings_text(const RunInfo& info) {
  std::vector<std::vector<std::string>> rows{{"setting", "value"}, {"model", info.problem}, {"method", info.method}};
  if (!info.formulation.empty()) rows.push_back({"formulation", info.formulation});
  for (const auto& [name, value] : info.parameters) rows.push_back({"param " + name, value});
  for (const auto& [name, value] : info.options) rows.push_back({"set " + name, value});
  for (const auto& [name, value] : info.settings) rows.push_back({name, value});
  return text_table(rows);
}

// A run as it goes through recording, comparison and report; rows are in memory or in a file.
class Session {
 public:
  explicit Session(const RunArguments& arguments) : a_(arguments), prepared_(prepare(arguments.plan)) {
    fill_origin(prepared_.options.info);
    prepared_.options.stop = &stop_requested();
    prepared_.options.progress = progress_bar(prepared_.options.info.problem, a_.quiet);
  }

  int dry_run() {
    if (!a_.out.empty()) recorder_.emplace(a_.out);  // refuses an unknown format
    check_place(a_.out);
    check_page(a_.report);
    print(settings_text(prepared_.options.info));
    return ExitCode::ok;
  }

  int go() {
    check_page(a_.report);
    attach_recorder();
    if (!already_finished_) solve();
    if (solution_.outcome.status == RunStatus::stopped) return interrupted();
    judge();
    if (recorder_) publish();
    if (!a_.report.empty()) write_report();
    summarise();
    return solution_.ok() ? ExitCode::ok : ExitCode::numerical_failure;
  }

 private:
  void attach_recorder() {
    if (!a_.resume.empty()) {
      attach_resumed();
    } else if (!a_.out.empty()) {
      path_ = a_.out;
      recorder_.emplace(path_, a_.checkpoint_seconds);
      check_place(a_.out);
    }
    if (recorder_) {
      prepared_.options.recorder = &*recorder_;
      return;
    }
    const std::size_t width = sizeof(double) * static_cast<std::size_t>(prepared_.start.y.size() + 12);
    memory_.emplace(rows_in_memory_, static_cast<Index>(memory_for_rows / width));
    prepared_.options.recorder = &*memory_;
  }

  void attach_resumed() {
    path_ = a_.resume;
    auto point = find_resume_point(path_);
    if (!point)
      throw UsageError(
          fmt::format("there is no interrupted run of {}; start it with --out {}", path_.string(), path_.string()));
    path_ = point->path;
    if (const auto differs = difference(point->info, prepared_.options.info))
      throw UsageError(fmt::format("{} cannot be resumed with other settings: {}", path_.string(), *differs));
    for (const std::string& remark : point->remarks) complain(remark);
    already_finished_ = point->is_finished;
    if (!already_finished_ && !point->from_start) {
      checkpoint_ = point->archive;
      prepared_.options.resume = &checkpoint_;
    }
    recorder_.emplace(*point, a_.checkpoint_seconds);
    if (already_finished_) {
      const SolutionFile stored(recorder_->part());
      solution_.info = stored.info();
      solution_.outcome = stored.outcome();
    }
  }

  void solve() {
    solution_ = prepared_.run();
    if (memory_) {
      rows_in_memory_.info.version = prepared_.options.info.version;
      solution_.outcome = rows_in_memory_.outcome;
    }
  }

  int interrupted() {
    const std::string how =
        recorder_ ? fmt::format("go on with the same command and --resume {} in place of --out", path_.string())
                  : "nothing was recorded; use --out to be able to go on";
    complain(fmt::format("{}; {}", solution_.outcome.message, how));
    if (memory_ && !a_.report.empty()) write_report();
    return ExitCode::interrupted;
  }

  // Where the rows are: in memory, in the part directory, or in the finished file.
  template <class Use>
  void with_rows(Use use) {
    if (memory_)
      use(rows_in_memory_);
    else
      use(SolutionFile(published_ ? path_ : recorder_->part()));
  }

  void judge() {
    const bool wanted =
        a_.trust == When::always ||
        (a_.trust == When::automatic && repetition_seconds(prepared_.plan, solution_.outcome.counters) < 10);
    if (!wanted) {
      trust_.headline = a_.trust == When::never
                            ? "Not computed: --trust never."
                            : "Not computed: a repetition would take over 10 s; --trust always does it.";
      return;
    }
    TrustOptions options;
    options.stop = &stop_requested();
    if (a_.trust == When::always) options.most_seconds = HUGE_VAL;
    with_rows([&](const RowSource& rows) { trust_ = check_trust(prepared_, solution_.outcome, rows, options); });
  }

  void publish() {
    recorder_->publish(trust_);
    published_ = true;
  }

  void write_report() {
    with_rows([&](const RowSource& rows) {
      const auto* file = dynamic_cast<const SolutionFile*>(&rows);
      Report page;
      page.runs.push_back({"", file ? file->info() : rows_in_memory_.info, solution_.outcome, trust_, rows,
                           prepared_.problem->parameters()});
      page.version = TRILL_VERSION;
      write_whole(a_.report, report_page(page));
    });
  }

  json summary_json() const {
    json files = json::object();
    if (published_) files["solution"] = path_.string();
    if (!a_.report.empty()) files["report"] = a_.report;
    const Counters& c = solution_.outcome.counters;
    json notices = json::array();
    for (const Notice& n : solution_.outcome.notices)
      notices.push_back(
          {{"t", n.t}, {"code", n.code}, {"text", n.text}, {"severity", to_text(n.severity)}, {"count", n.count}});
    json components = json::array();
    for (const TrustRow& row : trust_.rows)
      components.push_back({{"name", row.name}, {"deviation", row.deviation}, {"relative", row.relative()}});
    return {
        {"model", prepared_.options.info.problem},
        {"method", prepared_.options.info.method},
        {"status", to_text(solution_.outcome.status)},
        {"message", solution_.outcome.message},
        {"steps", c.steps},
        {"rejected", c.rejected},
        {"forces", c.most_forces()},
        {"newton_iterations", c.newton_iterations},
        {"seconds", c.seconds},
        {"settings", prepared_.options.info.settings},
        {"parameters", prepared_.options.info.parameters},
        {"trust", {{"verdict", to_text(trust_.verdict)}, {"headline", trust_.headline}, {"components", components}}},
        {"notices", notices},
        {"files", files}};
  }

  void summarise() {
    if (a_.json) return print(summary_json().dump(2) + "\n");
    if (!solution_.ok())
      complain(fmt::format("{} failed {}", prepared_.options.info.problem, solution_.outcome.message));
    if (a_.quiet) return;
    const Counters& c = solution_.outcome.counters;
    print(fmt::format("{} with {}: {} step{}", prepared_.options.info.problem, prepared_.options.info.method, c.steps,
                      c.steps == 1 ? "" : "s"));
    if (c.rejected > 0) print(fmt::format(" ({} rejected)", c.rejected));
    print(fmt::format(", {} force evaluations, {:.3g} s\n", c.most_forces(), c.seconds));
    for (const Notice& n : solution_.outcome.notices)
      if (n.severity != Severity::info)
        print(fmt::format("  {} at t = {:.6g}: {} ({:.3g}, threshold {:.3g})\n", to_text(n.severity), n.t, n.text,
                          n.value, n.threshold));
    print(fmt::format("  trust: {}{}\n",
                      trust_.verdict == Verdict::none ? "" : fmt::format("{}. ", to_text(trust_.verdict)),
                      trust_.headline));
    if (published_) print(fmt::format("  solution: {}\n", path_.string()));
    if (!a_.report.empty()) print(fmt::format("  report: {}\n", a_.report));
  }

  const RunArguments& a_;
  PreparedRun prepared_;
  std::filesystem::path path_;
  std::optional<SegmentRecorder> recorder_;
  std::optional<MemoryRecorder> memory_;
  Solution rows_in_memory_, solution_;
  Archive checkpoint_;
  Trust trust_;
  bool already_finished_ = false, published_ = false;
};
}  // namespace

int run(const RunArguments& arguments) {
  RunArguments a = arguments;
  if (const auto it = a.plan.options.find("formulation"); it != a.plan.options.end()) {
    a.plan.formulation = it->second;
    a.plan.options.erase(it);
  }
  Session session(a);
  return a.dry_run ? session.dry_run() : session.go();
}
}  // namespace trill::cli
