// SPDX-License-Identifier: BSD-3-Clause
// The arguments that the command line passes to each verb, and the verbs. They return the exit code.
#pragma once

#include "analysis/body_reduction.hpp"
#include "driver/cycle_window.hpp"
#include "linalg/modes.hpp"
#include "trill/driver/trust.hpp"

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace trill::cli {
// 0 ok, 1 numerical failure or out of tolerance, 2 usage, 3 files, 4 a red verdict with --strict, 130 interrupted, 141
// as after SIGPIPE
enum ExitCode {
  ok = 0,
  numerical_failure = 1,
  usage = 2,
  files = 3,
  distrusted = 4,
  interrupted = 130,
  reader_gone = 141
};
inline constexpr const char* standard_output = "-";  // in place of the name of a file

struct RunArguments {
  RunPlan plan;
  std::string out, report, resume;
  std::vector<std::string> sweeps;
  std::string show, svg;  // for a sweep
  std::optional<TimeWindow> window;
  int jobs = 0;  // 0: one per core
  CheckTime check;
  double checkpoint_seconds = 1;
  bool quiet = false, json = false, dry_run = false, strict = false, spectrum = false;
};
struct ListArguments {
  std::string what = "methods";
  bool json = false;
};
struct DescribeArguments {
  std::string name;
};
struct FigureArguments {
  std::string name, report, svg;
  bool json = false, full = false;
};
struct ReportArguments {
  std::vector<std::string> inputs, of;
  std::string out, frames;
  std::optional<TimeWindow> window;
  bool wants_svg = false, spectrum = false, for_paper = false;
};
struct CompareArguments {
  RunPlan plan;
  std::vector<std::string> methods;
  int points = 4;
  std::string report, svg;
  bool json = false;
};
struct OrderArguments {
  std::string method, model;
  OptionSet options, parameters;
  bool json = false;
};
struct StabilityArguments {
  std::string method, report, svg;
  OptionSet options;
  bool json = false;
};
struct InspectArguments {
  RunPlan plan;
  bool all = false, json = false;
};
struct ModesArguments {
  std::string model, out, report;
  OptionSet parameters;
  std::optional<Index> count;
  CountCheck check = CountCheck::deflation;
  bool json = false;
};
struct ReduceArguments {
  std::string body, interfaces, out;
  ReductionOptions options;
  bool quiet = false;
};
struct CheckArguments {
  std::string model;
  OptionSet parameters;
};
struct ExportArguments {
  std::string model, to, out;
  OptionSet parameters;
};
struct VerifyArguments {
  std::string input;
  CheckTime check;
  bool strict = false, json = false;
};
struct CiteArguments {
  std::string input;
};

// A table of the first ways of a ranking.
std::string plans_text(const std::vector<RankedWay>& ranked, std::size_t most);
nlohmann::json plans_json(const RunPlan& plan, const std::vector<RankedWay>& ranked);

int run(const RunArguments& arguments);
int sweep(const RunArguments& arguments);
int list(const ListArguments& arguments);
int describe(const DescribeArguments& arguments);
int figure(const FigureArguments& arguments);
int report(const ReportArguments& arguments);
int compare(const CompareArguments& arguments);
int order(const OrderArguments& arguments);
int stability(const StabilityArguments& arguments);
int inspect(const InspectArguments& arguments);
int modes(const ModesArguments& arguments);
int reduce(const ReduceArguments& arguments);
int check(const CheckArguments& arguments);
int export_model(const ExportArguments& arguments);
int verify(const VerifyArguments& arguments);
int cite(const CiteArguments& arguments);
}  // namespace trill::cli
