// SPDX-License-Identifier: BSD-3-Clause
// Kills of runs with various outputs, formats and directions. TRILL_KILLS is the number of kills of each case.
#include "kill_study.hpp"

#include <algorithm>

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

// Each takes an eighth to a quarter of a second, with about forty checkpoints at steps that are not rows. With many
// kills runs are four times as long.
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

// The number that follows this option, or 0 without the option.
double number_after(const Words& words, const std::string& option) {
  const auto found = std::find(words.begin(), words.end(), option);
  return found == words.end() ? 0 : std::stod(*std::next(found));
}

// The same run with fewer steps but as many checkpoints.
std::string shortened(const std::string& run, double share) {
  const Words words = words_of(run);
  const auto rows = static_cast<int>(number_after(words, "--every"));
  auto checkpoints = static_cast<int>(share * number_after(words, "--checkpoint-every"));
  if (rows > 1 && checkpoints % rows == 0) ++checkpoints;
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string before = i > 0 ? words[i - 1] : "";
    if (before == "--to")
      text += fmt::format("{} ", share * std::stod(words[i]));
    else if (before == "--checkpoint-every")
      text += fmt::format("{} ", checkpoints);
    else
      text += words[i] + " ";
  }
  return text;
}

class Kill : public testing::TestWithParam<Case> {};

TEST_P(Kill, ResumesBitForBit) {
  const Case& c = GetParam();
  const int kills = wanted_kills(3);
  kill_and_resume({fmt::format("{} --checkpoint-seconds 0 --trust {}", shortened(c.run, kills > 3 ? 1 : 0.25), c.trust),
                   c.file, kills});
}

INSTANTIATE_TEST_SUITE_P(Runs, Kill, testing::ValuesIn(cases),
                         [](const auto& info) { return std::string(info.param.name); });
}  // namespace
}  // namespace trill::testing_cli
