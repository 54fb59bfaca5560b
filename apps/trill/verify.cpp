// SPDX-License-Identifier: BSD-3-Clause
#include "commands.hpp"
#include "driver/stored_run.hpp"
#include "interruption.hpp"
#include "terminal.hpp"
#include "trill/solution/solution_file.hpp"

#include <cmath>
#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace trill::cli {
namespace {
using nlohmann::json;

json number_or_null(double value) { return std::isfinite(value) ? json(value) : json(nullptr); }

json summary_of(const VerifyArguments& a, const RunInfo& info, const Trust& trust) {
  json components = json::array();
  for (const TrustRow& row : trust.rows)
    components.push_back({{"name", row.name}, {"deviation", row.deviation}, {"scale", row.scale}});
  return {{"file", a.input},
          {"model", info.problem},
          {"method", way_of(info)},
          {"trust",
           {{"verdict", to_text(trust.verdict)},
            {"headline", trust.headline},
            {"how", trust.how},
            {"error", number_or_null(trust.error)},
            {"of", trust.of},
            {"until", number_or_null(trust.until)},
            {"remedy", trust.remedy},
            {"components", components}}}};
}
}  // namespace

int verify(const VerifyArguments& a) {
  const SolutionFile file(a.input);
  if (file.unfinished()) throw UsageError(a.input + " is not finished, so there is nothing to check yet");
  if (a.check.is_off()) throw UsageError("with --check off there is nothing to do; leave it out");
  const PreparedRun run = prepare_stored(file.info(), {".", std::filesystem::path(a.input).parent_path()});
  const TrustOptions options{.most_seconds = a.check.after(file.outcome().counters.seconds), .stop = &stop_requested()};
  const Trust trust = check_trust(run, file.outcome(), file, options);
  if (a.json) {
    print(summary_of(a, file.info(), trust).dump(2) + "\n");
  } else {
    print(fmt::format("{} with {}: {}{}\n", file.info().problem, way_of(file.info()),
                      trust.verdict == Verdict::none ? "" : fmt::format("{}. ", to_text(trust.verdict)),
                      trust.headline));
    if (!trust.remedy.empty()) print(fmt::format("  better: {}\n", trust.remedy));
  }
  return a.strict && trust.verdict == Verdict::red ? ExitCode::distrusted : ExitCode::ok;
}
}  // namespace trill::cli
