// SPDX-License-Identifier: BSD-3-Clause
// How much processor time trill takes to examine each shipped model before it chooses a method. The goal is at most 20
// ms, or 5 % of the run if that is more. What a formulation finds out then and the run uses later, such as a reduced
// basis, counts as part of the run. With --list every model is printed; other arguments select models by name.
#include "driver/build.hpp"
#include "driver/native_choice.hpp"
#include "ratio.hpp"

#include <cmath>
#include <string_view>

#include <fmt/format.h>

namespace {
using namespace trill;

constexpr double most_seconds = 0.02, share_of_run = 0.05;
constexpr int turns = 5;

double median_look(const Resolved& asked, const Problem& problem) {
  std::vector<double> taken;
  for (int i = 0; i < turns; ++i)
    taken.push_back(bench::processor_seconds([&] { advise(asked, facts(asked, problem, true)); }));
  return bench::median(taken);
}

// The time from the choice of the method to the end of the run.
double seconds_of_run(const RunPlan& plan, const TextModel& model) {
  std::vector<double> taken;
  for (int i = 0; i < turns && (taken.empty() || taken.back() < 1); ++i)
    taken.push_back(bench::processor_seconds([&] { prepare(plan, model.problem->clone(), model.info.run).run(); }));
  return bench::median(taken);
}

// A plan that names the method or formulation that trill chooses.
RunPlan named(const RunPlan& plan, const TextModel& model) {
  const PreparedRun chosen = prepare(plan, model.problem->clone(), model.info.run);
  const Way& way = chosen.way;
  RunPlan same = plan;
  same.want = Want::full;
  same.method = way.formulation ? way.formulation->name : way.method->info.name;
  same.h = chosen.plan.h;
  if (!same.h) same.rtol = chosen.plan.rtol;
  same.second_opinion = false;
  return same;
}

// The time for the examination divided by the allowed time.
double judge(const RunPlan& plan, bool list) {
  const TextModel model = make_model(plan.model);
  const auto problem = with_code_at_hand(model.problem->clone(), plan.native);
  double look = median_look(resolve(plan, *problem, model.info.run), *problem), allowed = most_seconds;
  std::string shared;
  if (look > allowed) {
    const double alone = seconds_of_run(named(plan, model), model);
    allowed = std::max(allowed, share_of_run * alone);
    const double lost = std::clamp(seconds_of_run(plan, model) - alone, 0.0, look);
    shared = fmt::format(", {:.1f} ms of them for the run", 1e3 * (look - lost));
    look = lost;
  }
  if (list || look > allowed)
    fmt::print("{:32} {:4} {:.0e}: {:.1f} ms{}, allowed {:.0f} ms\n", plan.model, to_text(plan.want), *plan.accuracy,
               1e3 * look, shared, 1e3 * allowed);
  return look / allowed;
}
}  // namespace

int main(int argc, char** argv) {
  bool list = false;
  std::vector<std::string_view> words;
  for (int i = 1; i < argc; ++i) {
    if (argv[i] == std::string_view("--list"))
      list = true;
    else
      words.emplace_back(argv[i]);
  }
  double worst = 0;
  for (const ModelEntry& entry : ModelRegistry::all().entries()) {
    const auto named = [&](std::string_view word) { return entry.name.find(word) != std::string::npos; };
    if (!words.empty() && std::none_of(words.begin(), words.end(), named)) continue;
    for (const Want want : {Want::full, Want::slow})
      for (const double accuracy : {1e-3, 1e-6}) try {
          RunPlan plan;
          plan.model = entry.name;
          plan.want = want;
          plan.accuracy = accuracy;
          worst = std::max(worst, judge(plan, list));
        } catch (const UsageError&) {
          // the model does not offer what the plan wants
        }
  }
  bench::print_ratio("facts_and_advice", worst, 1);
  return 0;
}
