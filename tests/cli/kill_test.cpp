// SPDX-License-Identifier: BSD-3-Clause
// Runs that are killed at random moments and resumed until they end: nothing may differ from the run left in peace.
// TRILL_KILLS is the number of kills of each case.
#include "tool.hpp"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace trill::testing_cli {
namespace {
struct Case {
  const char* name;
  const char* run;
  const char* file = "run.h5";
  const char* trust = "never";
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

// Half a second to a second each, with about forty checkpoints that fall between rows.
const Case cases[] = {
    {"verlet_every", "kepler --method verlet --h 1e-3 --to 1600 --every 10 --checkpoint-every 39999"},
    {"verlet_every_step_csv", "stiff_spring --method verlet --h 1e-3 --to 120 --checkpoint-every 2999", "run.csv"},
    {"verlet_grid_json", "stiff_spring --method verlet --h 1e-3 --to 800 --dt 0.0317 --checkpoint-every 19999",
     "run.json"},
    {"verlet_backwards", "stiff_spring --method verlet --h 1e-3 --to -1600 --every 10 --checkpoint-every 39999"},
    {"verlet_with_trust", "stiff_spring --method verlet --h 1e-3 --to 500 --every 10 --checkpoint-every 11999",
     "run.h5", "always"},
    {"dopri5_with_trust", "kepler --method dopri5 --rtol 1e-8 --to 6000 --dt 0.3 --checkpoint-every 2499", "run.csv",
     "always"},
    {"composition8", "kepler --method composition8 --h 0.02 --to 3000 --every 3 --checkpoint-every 3998"},
    {"rk4_ends_off_grid", "kepler --method rk4 --h 0.00317 --to 3000 --dt 0.5 --checkpoint-every 24999"},
    {"dopri5", "kepler --method dopri5 --rtol 1e-8 --to 8000 --checkpoint-every 2999"},
    {"dopri5_ode45_backwards",
     "kepler --method dopri5 --set control=ode45 --rtol 1e-8 --to -20000 --dt 0.7 --checkpoint-every 7999"},
    {"dop853_grid", "kepler --method dop853 --rtol 1e-10 --to 15000 --dt 0.37 --checkpoint-every 2999"},
    {"midpoint_dense", "stiff_spring --method implicit_midpoint --h 1e-3 --to 400 --every 20 --checkpoint-every 9999"},
    {"midpoint_dense_backwards",
     "stiff_spring --method implicit_midpoint --h 1e-3 --to -300 --dt 0.013 --checkpoint-every 6999"},
    {"midpoint_sparse",
     "fermi_pasta_ulam --param m=40 --method implicit_midpoint --h 1e-2 --to 200 --every 20 --checkpoint-every 499"},
    {"midpoint_beam", "beam --method implicit_midpoint --h 1e-3 --to 20 --every 10 --checkpoint-every 499"},
    {"rattle", "rigid --method rattle --h 1e-3 --to 250 --every 7 --checkpoint-every 5998"},
    {"rattle_backwards", "rigid --method rattle --h 1e-3 --to -250 --every 50 --checkpoint-every 5999"},
    {"rigid_limit",
     "stiff_spring --formulation rigid_limit --method dopri5 --rtol 1e-10 --to 3000 --dt 0.1 --checkpoint-every 2999"},
    {"rigid_limit_rattle",
     "stiff_spring --formulation rigid_limit --method rattle --h 1e-3 --to 250 --every 10 --checkpoint-every 5999"},
    {"langevin", "langevin --method langevin_splitting --h 1e-3 --to 60 --every 10 --seed 7 --checkpoint-every 1499"},
    {"cvode_bdf", "stiff_spring --method cvode_bdf --rtol 1e-6 --to 160 --checkpoint-every 1199"},
    {"cvode_adams", "stiff_spring --method cvode_adams --rtol 1e-8 --to 160 --dt 0.01 --checkpoint-every 1199"},
    {"cvode_adams_backwards", "kepler --method cvode_adams --rtol 1e-8 --to -2000 --every 2 --checkpoint-every 1499"},
    {"circuit", "rectifier --method circuit_trapezoidal --h 1e-5 --to 2 --every 10 --checkpoint-every 4999"},
    {"netlist", TRILL_SOURCE_DIR "/examples/circuits/buck.cir --to 5e-3 --every 3 --checkpoint-every 299"},
    {"forced_breakpoints", "forced --h 1e-3 --to 1200 --every 10 --checkpoint-every 29999"},
};

int wanted_kills() {
  const char* text = std::getenv("TRILL_KILLS");
  return text ? std::max(1, std::atoi(text)) : 3;
}

class Kill : public testing::TestWithParam<Case> {
 protected:
  Words command(const std::string& where) const {
    Words words =
        words_of(fmt::format("run {} --checkpoint-seconds 0 -q --trust {}", GetParam().run, GetParam().trust));
    words.push_back(where);
    words.push_back(GetParam().file);
    return tool_command(words);
  }
  fs::path file(const Directory& directory) const { return directory / GetParam().file; }
  fs::path part(const Directory& directory) const { return directory / (std::string(GetParam().file) + ".part"); }
};

TEST_P(Kill, ResumesBitForBit) {
  const Directory whole, broken;
  const Ended unbroken = run(command("--out"), {.directory = whole.path()});
  ASSERT_EQ(unbroken.code, 0) << unbroken.err;
  ASSERT_EQ(whole.names().front(), GetParam().file) << "a part directory is left";

  std::mt19937_64 random(20240229);
  double longest = 0.5 * unbroken.seconds;
  const int kills = wanted_kills();
  int attempts = 0, hits = 0, from_checkpoint = 0, ended_runs = 0;
  bool resume = false;
  const auto compare = [&] {
    ++ended_runs;
    ASSERT_EQ(difference_of_files(file(whole), file(broken)), "");
    const Words expected = whole.names();
    ASSERT_EQ(broken.names(), expected);
    for (const std::string& name : expected) fs::remove(broken / name);
    resume = false;
  };
  while (hits < kills || resume || ended_runs == 0) {
    ASSERT_LT(attempts, 20 * kills + 50) << "the run does not get on";
    const bool safe = resume && newest_checkpoint(part(broken)) >= 0;
    from_checkpoint += safe;
    Process process(command(resume ? "--resume" : "--out"), {.directory = broken.path()});
    if (hits < kills) {
      ++attempts;
      const double moment = std::uniform_real_distribution<>(0, longest)(random);
      if (process.running(moment)) process.send(SIGKILL);
    }
    const Ended ended = process.wait();
    if (ended.signal == SIGKILL) {
      ASSERT_FALSE(ended.timed_out);
      ++hits;
      resume = true;
      continue;
    }
    if (ended.code == 2 && ended.err.find("there is no interrupted run") != std::string::npos) {
      ASSERT_FALSE(safe);
      resume = false;  // killed before it had begun
      continue;
    }
    if (!(ended.code == 2 && ended.err.find("is already finished") != std::string::npos)) {
      ASSERT_EQ(ended.code, 0) << ended.err;
      ASSERT_EQ(ended.err, "");
      longest = std::max(0.1 * unbroken.seconds, 0.9 * longest);
    }
    compare();
    if (HasFatalFailure()) return;
  }
  fmt::print("unbroken {:.2f} s; {} kills in {} attempts, {} resumed from a checkpoint, {} ends compared\n",
             unbroken.seconds, hits, attempts, from_checkpoint, ended_runs);
  RecordProperty("kills", hits);
  RecordProperty("resumed_from_a_checkpoint", from_checkpoint);
  EXPECT_GE(2 * hits, attempts) << "most kills came after the end of the run";
  EXPECT_GT(from_checkpoint, 0) << "no run was ever resumed from a checkpoint";
}

INSTANTIATE_TEST_SUITE_P(Runs, Kill, testing::ValuesIn(cases),
                         [](const auto& info) { return std::string(info.param.name); });
}  // namespace
}  // namespace trill::testing_cli
