// SPDX-License-Identifier: BSD-3-Clause
// Kills of runs with every registered method and formulation, with checkpoints by time and by steps. TRILL_KILLS is
// the number of kills of each.
#include "kill_study.hpp"
#include "trill/driver/plan.hpp"

#include <ctime>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace trill::testing_cli {
namespace {
struct Candidate {
  const char* model;
  double to;
  OptionSet parameters{};
};
// The first of these that a method can run is used.
const Candidate small_models[] = {{"kepler", 20000},       {"rigid", 20000},      {"rectifier", 20},
                                  {"langevin", 500000},    {"two_springs", 5000}, {"weakly_coupled", 100},
                                  {"stiff_spring", 20000}, {"wire", 2000},        {"satellite", 1e10, {{"B", "0"}}},
                                  {"beam", 20000}};
// These have sparse matrices. Methods that factorise them cannot save the factors in a checkpoint.
const Candidate sparse_models[] = {{"fermi_pasta_ulam", 2000, {{"m", "40"}}}, {"link_chain", 100}};

// A method, or a formulation with the method that it is run with.
struct Named {
  std::string option, name;
};
void PrintTo(const Named& named, std::ostream* out) { *out << named.name; }

// A model that the method can run, with as many steps as take about the wanted time.
struct Fitting {
  const Candidate* candidate = nullptr;
  bool saves_memory = true;
  std::int64_t steps = 0;
};

Fitting try_out(const Named& named, const Candidate& candidate) {
  const double wanted_seconds = wanted_kills(2) < 3 ? 0.08 : 0.3;
  constexpr std::int64_t most = 4'000'000;
  RunPlan plan;
  plan.model = candidate.model;
  (named.option == "--method" ? plan.method : plan.formulation) = named.name;
  plan.parameters = candidate.parameters;
  plan.to = candidate.to;
  plan.output = EveryStep{1000};
  try {
    PreparedRun run = prepare(plan);
    for (std::int64_t steps = 200;; steps *= 4) {
      run.options.max_steps = steps;
      const std::clock_t begun = std::clock();  // processor time, without that of other programs
      if (run.run().outcome.status != RunStatus::step_limit) return {};
      const double seconds = static_cast<double>(std::clock() - begun) / CLOCKS_PER_SEC;
      if (seconds < wanted_seconds / 20) continue;
      const auto wanted = static_cast<std::int64_t>(static_cast<double>(steps) * wanted_seconds / seconds);
      return {&candidate, run.stepper->info().saves_memory, std::min(wanted, most)};
    }
  } catch (const UsageError&) {  // the method does not accept this model
    return {};
  }
}

template <class Candidates>
Fitting first_fitting(const Named& named, const Candidates& candidates) {
  for (const Candidate& candidate : candidates)
    if (const Fitting fitting = try_out(named, candidate); fitting.candidate) return fitting;
  return {};
}

std::string run_of(const Named& named, const Fitting& f) {
  std::string run = fmt::format("{} {} {} --to {}", f.candidate->model, named.option, named.name, f.candidate->to);
  for (const auto& [name, value] : f.candidate->parameters) run += fmt::format(" --param {}={}", name, value);
  return run + fmt::format(" --max-steps {} --every {} --checkpoint-every {} --checkpoint-seconds 0.002 --trust never",
                           f.steps, std::max<std::int64_t>(1, f.steps / 2000), std::max<std::int64_t>(1, f.steps / 17));
}

std::vector<Named> all_names() {
  std::vector<Named> names;
  for (const MethodEntry& method : Catalogue::all().methods()) names.push_back({"--method", method.info.name});
  for (const ReformulationEntry& formulation : Catalogue::all().formulations())
    names.push_back({formulation.driving_method ? "--method" : "--formulation", formulation.name});
  return names;
}

class KilledMethod : public testing::TestWithParam<Named> {};
INSTANTIATE_TEST_SUITE_P(All, KilledMethod, testing::ValuesIn(all_names()),
                         [](const auto& info) { return info.param.name; });

// If a method cannot save the factors of sparse matrices, half of the kills use a model with such matrices.
Fitting fitting_sparse_model(const Named& named, const Fitting& small) {
  if (!small.saves_memory || !Catalogue::all().find_method(named.name)) return {};
  const Fitting sparse = first_fitting(named, sparse_models);
  return sparse.saves_memory ? Fitting{} : sparse;
}

TEST_P(KilledMethod, ResumesBitForBit) {
  const Fitting small = first_fitting(GetParam(), small_models);
  ASSERT_TRUE(small.candidate) << "runs none of the models tried here";
  const Fitting sparse = fitting_sparse_model(GetParam(), small);
  const int kills = wanted_kills(2), of_sparse = sparse.candidate ? (kills + 1) / 2 : 0;
  kill_and_resume({.run = run_of(GetParam(), small), .kills = std::max(1, kills - of_sparse)});
  if (HasFatalFailure() || !sparse.candidate) return;
  kill_and_resume({.run = run_of(GetParam(), sparse), .kills = of_sparse});
}
}  // namespace
}  // namespace trill::testing_cli
