// SPDX-License-Identifier: BSD-3-Clause
// How much longer a run takes with the method that trill chooses than with the best one that is found by trying
// everything. With words as arguments only models whose names contain one of them are tried. The rows go into
// bench/regret_rows.jsonl as soon as they are counted, in place of earlier ones of the same cases. With --write the
// table of all rows there is put into docs/guide/choosing_a_method.md; --write alone counts nothing.
#include "regret_rows.hpp"
#include "trill/problem/langevin.hpp"

#include <filesystem>
#include <iostream>

#include <fmt/format.h>

namespace trill::regret {
namespace {
constexpr double most_seconds = 2;        // for one run
constexpr double most_of_reference = 10;  // seconds
constexpr int most_tightenings = 3;
const char* const file_of_rows = TRILL_SOURCE_DIR "/bench/regret_rows.jsonl";
const char* const page_with_table = TRILL_SOURCE_DIR "/docs/guide/choosing_a_method.md";

struct Case {
  std::string model;
  Want want;
  double accuracy;
  Setting best;
  double best_seconds = HUGE_VAL;
  std::string chosen;
  double seconds = HUGE_VAL, error = HUGE_VAL;
  std::int64_t steps = 0;
  std::string trouble = {};
};

// Finds a reference that is more accurate than all plans, and checks it by a second run. If the slow motion is wanted,
// the full motion is good as well.
bool find_reference(Laboratory& lab, double accuracy, Want want) {
  std::vector<std::pair<Setting, Setting>> pairs;
  const bool slow = want == Want::slow && lab.find_slow_reference(accuracy, most_seconds);
  pairs.push_back({{.method = "dop853", .rtol = 1e-13}, {.method = "dop853", .rtol = 1e-11}});
  pairs.push_back({{.method = "radau", .options = {{"fast", "resolve"}}, .rtol = 1e-12},
                   {.method = "radau", .options = {{"fast", "resolve"}}, .rtol = 1e-10}});
  for (const auto& [tight, looser] : pairs) {
    const Result r = lab.run(tight, most_of_reference);
    if (!r.ok || r.y.size() == 0) continue;
    lab.set_reference(r.y);
    if (lab.run(looser, most_of_reference).error < 0.2 * accuracy) return true;
  }
  lab.set_reference({});
  return slow;
}

struct Plan {
  const char* method;
  OptionSet options = {};
  bool equal_steps = false;
};

std::vector<Plan> plans(Want want) {
  std::vector<Plan> all{{"dop853"},
                        {"dopri5"},
                        {"cvode_adams"},
                        {"radau", {{"fast", "resolve"}}},
                        {"cvode_bdf"},
                        {"sdirk"},
                        {"generalized_alpha"},
                        {"composition8", {}, true},
                        {"composition6", {}, true},
                        {"composition4", {}, true},
                        {"verlet", {}, true},
                        {"gauss", {}, true},
                        {"rattle", {}, true},
                        {"implicit_midpoint", {}, true},
                        {"nested_nystrom", {}, true},
                        {"numerov", {}, true},
                        {"circuit_trapezoidal", {}, true},
                        {"sam"}};
  if (want == Want::slow)
    for (const char* name : {"slow", "hmm", "radau"}) all.push_back({name});
  return all;
}

// Tries settings from rough to fine until the accuracy is reached.
void try_plan(const Laboratory& lab, const Plan& plan, double steps_of_dop853, Case& c) {
  const double limit = std::max(0.02, 2 * std::min(c.best_seconds, 10.0));
  const auto look = [&](const Setting& s) {
    const Result r = lab.run(s, limit);
    if (!r.ok)
      return r.seconds < limit && r.message.find("cannot") == std::string::npos && !r.message.empty() && r.seconds > 0;
    if (r.error <= c.accuracy && r.seconds < c.best_seconds) {
      c.best_seconds = r.seconds;
      c.best = s;
    }
    return r.error > c.accuracy && r.seconds < limit;
  };
  if (plan.equal_steps) {
    for (double n = std::max(4.0, 0.25 * steps_of_dop853); n < 1e4 * steps_of_dop853; n *= 1.4)
      if (!look({plan.method, plan.options, lab.span() / std::ceil(n), {}})) return;
  } else {
    for (double rtol = 1e-2; rtol > 1e-13; rtol /= std::sqrt(10.0))
      if (!look({plan.method, plan.options, {}, rtol})) return;
  }
}

std::string way_text(const PreparedRun& run) {
  const std::string name = run.way.formulation ? run.way.formulation->name : run.way.method->info.name;
  return text_of({name, {}, run.plan.h, run.plan.rtol});
}

// Runs what a user would get: the time of failed methods counts, and if the error is too large the run is repeated.
void run_chosen(const Laboratory& lab, Case& c) {
  RunPlan plan = lab.plan({});
  plan.want = c.want;
  plan.accuracy = c.accuracy;
  PreparedRun prepared = prepare(plan, lab.problem().clone(), lab.defaults());
  c.chosen = way_text(prepared);
  prepared.begun = true;  // what was found out for a formulation counts as work of the run
  std::vector<RankedWay> rungs = prepared.rungs;
  double spent = 0;
  Setting now{prepared.way.formulation ? prepared.way.formulation->name : prepared.way.method->info.name,
              prepared.way.options, prepared.plan.h, prepared.plan.h ? std::nullopt : prepared.plan.rtol};
  Result r = lab.run(prepared, most_seconds);
  double before = HUGE_VAL;
  for (int i = 0; i <= most_tightenings + 3; ++i) {
    spent += r.seconds;
    c.steps = r.steps;
    if (r.ok && r.error <= c.accuracy) break;
    // As in the driver (next_attempt.cpp), a finer step that does not help is not refined again, unless the error is
    // nearly small enough.
    const bool hardly_helped = r.error > 0.7 * before;
    const bool gives_up = !r.ok || (hardly_helped && r.error > 3 * c.accuracy);
    if (!r.ok) c.trouble += fmt::format("{}: {}; ", now.method, r.message.substr(0, 60));
    before = gives_up ? HUGE_VAL : r.error;
    if (gives_up) {
      if (rungs.empty()) return;
      const RankedWay& next = rungs.front();
      now = {next.way.formulation ? next.way.formulation->name : next.way.method->info.name, next.way.options, next.h,
             next.h ? std::nullopt : next.rtol};
      rungs.erase(rungs.begin());
    } else if (now.rtol) {
      const double most = hardly_helped ? 0.1 : 0.5;
      *now.rtol = std::max(1e-13, *now.rtol * std::clamp(0.3 * c.accuracy / r.error, 1e-5, most));
    } else {
      *now.h *= std::clamp(std::pow(0.3 * c.accuracy / r.error, 1.0 / 8), 0.02, 0.5);
    }
    c.trouble += fmt::format("{:.0e} then {}; ", r.error, text_of(now));
    r = lab.run(now, most_seconds);
  }
  if (!r.ok || r.error > c.accuracy) return;
  c.seconds = spent;
  c.error = r.error;
}

std::optional<Case> try_case(Laboratory& lab, Want want, double accuracy) {
  Case c{lab.name(), want, accuracy, {}, HUGE_VAL, "", HUGE_VAL, HUGE_VAL, 0, ""};
  if (!find_reference(lab, accuracy, want)) return std::nullopt;
  run_chosen(lab, c);
  c.best_seconds = std::isfinite(c.seconds) ? c.seconds : HUGE_VAL;
  c.best.method = "the same";
  const Result rough = lab.run({.method = "dop853", .rtol = 1e-4}, 1);
  const double steps = rough.ok ? static_cast<double>(rough.steps) : 1000;
  for (const Plan& plan : plans(want)) try_plan(lab, plan, steps, c);
  return c;
}

std::vector<std::string> models(const std::vector<std::string>& words) {
  std::vector<std::string> found;
  for (const ModelEntry& entry : ModelRegistry::all().entries()) found.push_back(entry.name);
  for (const auto& file : std::filesystem::directory_iterator(TRILL_SOURCE_DIR "/bench/regret_models"))
    found.push_back(file.path().string());
  std::sort(found.begin(), found.end());
  if (!words.empty())
    std::erase_if(found, [&](const std::string& name) {
      return std::none_of(words.begin(), words.end(),
                          [&](const std::string& word) { return name.find(word) != std::string::npos; });
    });
  return found;
}

std::string short_name(const std::string& model) { return std::filesystem::path(model).stem().string(); }

Row row_of(const Case& c) {
  return {short_name(c.model), std::string(to_text(c.want)), c.accuracy, c.chosen, c.error, c.seconds, text_of(c.best),
          c.best_seconds};
}

// Sorted as the table is, with the problems of this folder before those that come with trill.
std::vector<std::string> short_names() {
  std::vector<std::string> names = models({});
  for (std::string& name : names) name = short_name(name);
  return names;
}

void keep(const Row& row) {
  std::vector<Row> rows = read_rows(file_of_rows);
  put(row, rows);
  arrange(rows, short_names());
  write_rows(file_of_rows, rows);
}

void count_model(const std::string& name) {
  TextModel model = make_model(name);
  if (dynamic_cast<const LangevinProblem*>(model.problem.get())) return;  // a random motion has no error
  const auto* p = dynamic_cast<const MechanicalProblem*>(model.problem.get());
  const bool gaps = p && p->strong_potential();
  for (const Want want : {Want::full, Want::slow})
    for (const double accuracy : {1e-3, 1e-6}) {
      if (want == Want::slow && (!gaps || accuracy < 1e-4)) continue;
      Laboratory lab(name, model.problem->clone(), model.info.run);
      try {
        if (const auto c = try_case(lab, want, accuracy)) {
          keep(row_of(*c));
          std::cout << text_of(row_of(*c)) << (c->trouble.empty() ? "" : "    " + c->trouble + "\n") << std::flush;
        } else {
          std::cout << "    " << name << " " << to_text(want) << " " << accuracy << ": no reference\n" << std::flush;
        }
      } catch (const std::exception& e) {
        std::cout << "    " << name << " " << to_text(want) << ": " << e.what() << "\n" << std::flush;
      }
    }
}

int go(std::vector<std::string> words) {
  const bool writes = std::erase(words, "--write") > 0;
  if (!writes || !words.empty())
    for (const std::string& name : models(words)) count_model(name);
  std::vector<Row> rows = read_rows(file_of_rows);
  arrange(rows, short_names());
  std::cout << summary_of(rows);
  if (writes) write_into(page_with_table, summary_of(rows) + "\n" + table_of(rows));
  return 0;
}
}  // namespace
}  // namespace trill::regret

int main(int count, char** arguments) { return trill::regret::go({arguments + 1, arguments + count}); }
