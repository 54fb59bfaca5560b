// SPDX-License-Identifier: BSD-3-Clause
// `trill run --want steady`.
#include "support/mentions.hpp"
#include "tool.hpp"
#include "trill/solution/solution_file.hpp"

#include <cmath>
#include <csignal>
#include <numbers>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace trill::testing_cli {
namespace {
const char* const driven_filter = R"cir(Low pass
.param f=1k
V1 in 0 SIN(1 3 {f})
R1 in out 1k
C1 out 0 10u IC=0
Rload out 0 1k
.tran 10u 20m 0 5u uic
.measure tran vmean AVG v(out)
.end
)cir";

class SteadyOnTheCommandLine : public testing::Test {
 protected:
  SteadyOnTheCommandLine() { write_text(directory_ / "filter.cir", driven_filter); }
  Ended trill(const std::string& line) const { return trill_in(directory_.path(), words_of(line)); }
  Directory directory_;
};

TEST_F(SteadyOnTheCommandLine, WritesSolutionAndReport) {
  const Ended ended = trill("run filter.cir --want steady --out run.h5 --report run.html");
  ASSERT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out,
              mentions("period 0.001 s", "stable", "v(out)", "ripple", "efficiency", "trust: green", "vmean"));
  const SolutionFile file(directory_ / "run.h5");
  EXPECT_EQ(file.info().method, "shooting");
  EXPECT_GT(file.rows(), 40);
  EXPECT_TRUE(std::filesystem::exists(directory_ / "run.html"));
}

TEST_F(SteadyOnTheCommandLine, NamesWhatCanBeHadWhereNothingSettles) {
  for (const char* model : {"harmonic", "weakly_coupled", "spring"}) {
    const Ended ended = trill(std::string("run ") + model + " --want steady");
    EXPECT_EQ(ended.code, 1) << model;
    EXPECT_THAT(ended.err, mentions("in the search for the steady state", "--want full computes the motion")) << model;
  }
  const Ended refused = trill("run friction_pendulum --want steady");
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.err, mentions("it has constraints with friction; --want full computes its motion"));
}

// An oscillator without units, whose steady state is found in a single iteration.
TEST_F(SteadyOnTheCommandLine, NumbersWithoutUnitEndTheirLines) {
  const Ended ended = trill("run forced --param omega=10.3 --param F=10 --want steady --set period=6.283185307179586");
  ASSERT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, mentions("1 iteration, ", "ripple", "neutral, or too near to it to tell"));
  EXPECT_THAT(ended.out, testing::Not(testing::HasSubstr(" \n")));
}

// A period has 2000 clocks, and the diode rings after each of them: nothing is found within minutes.
const char* const ringing_corrector = R"cir(Boost converter behind a bridge
Vac a b sin(0 325 50)
Rs a a1 0.1
D1 a1 p db
D2 b p db
D3 0 a1 db
D4 0 b db
Cin p 0 0.47u
L1 p sw 1m ic=0
S1 sw 0 g 0 sm
Db sw o df
Co o 0 220u ic=380
Rl o 0 800
Vg g 0 pulse(0 5 0 50n 50n 2.5u 10u)
.model sm sw(ron=0.05 roff=1meg vt=2.5)
.model db d(is=1e-9 n=1.5 rs=0.02)
.model df d(is=1e-10 n=1.3 rs=0.02 cjo=50p)
.tran 1u 40m uic
.end
)cir";

TEST_F(SteadyOnTheCommandLine, SaysWhenItIsInterruptedHowLongItWouldTake) {
  write_text(directory_ / "corrector.cir", ringing_corrector);
  Process process(tool_command(words_of("run corrector.cir --want steady --rtol 1e-5")),
                  {.directory = directory_.path(), .timeout = 60});
  ASSERT_TRUE(wait_until_it_handles(process, SIGTERM));
  ASSERT_TRUE(process.running(0.3));
  process.send(SIGTERM);
  const Ended ended = process.wait();
  EXPECT_EQ(ended.code, 130);
  EXPECT_THAT(ended.err,
              mentions("stopped", "cycle 1", "steps or more with rtol = 1e-05", "--rtol", "--want full --to"));
  EXPECT_THAT(ended.err, testing::Not(testing::HasSubstr("--out")));
}

TEST_F(SteadyOnTheCommandLine, AnswersInJson) {
  const Ended ended = trill("run filter.cir --want steady --json --set harmonics=3");
  ASSERT_EQ(ended.code, 0) << ended.err;
  const auto answer = nlohmann::json::parse(ended.out);
  const auto& steady = answer.at("steady");
  EXPECT_DOUBLE_EQ(steady.at("period").get<double>(), 1e-3);
  EXPECT_LE(steady.at("cycles").get<int>(), 8);
  EXPECT_NEAR(steady.at("multipliers").at(0).at(0).get<double>(), std::exp(-0.2), 1e-6);
  EXPECT_TRUE(steady.at("is_stable").get<bool>() && steady.at("is_stability_known").get<bool>());
  EXPECT_LT(steady.at("multiplier_error").get<double>(), 1e-5);
  const auto& out = steady.at("signals").at("v(out)");
  EXPECT_NEAR(out.at("mean").get<double>(), 0.5, 1e-5);
  EXPECT_EQ(out.at("harmonics").size(), 3u);
  EXPECT_NEAR(out.at("harmonics").at(0).get<double>(), 1.5 / std::hypot(1, 2 * std::numbers::pi * 5), 1e-4);
  EXPECT_NEAR(answer.at("measures").at("vmean").get<double>(), 0.5, 1e-3);
}

TEST_F(SteadyOnTheCommandLine, IsSweptAndDryRun) {
  EXPECT_THAT(trill("run filter.cir --want steady --dry-run").out, mentions("shooting", "period 0.001"));
  const Ended ended = trill("run filter.cir --want steady --sweep f=500,1000 --out results/");
  EXPECT_EQ(ended.code, 0) << ended.err;
  const Solution slow = SolutionFile(directory_ / "results" / "f=500.h5").load();
  EXPECT_NEAR(slow.t.back() - slow.t.front(), 2e-3, 1e-12);
}

TEST_F(SteadyOnTheCommandLine, RefusesWhatItCannotDo) {
  ASSERT_EQ(trill("run filter.cir --out run.h5").code, 0);
  const Ended resumed = trill("run filter.cir --want steady --resume run.h5");
  EXPECT_EQ(resumed.code, 2);
  EXPECT_THAT(resumed.err, mentions("checkpoints"));
  const Ended both = trill("run filter.cir --want steady --method radau");
  EXPECT_EQ(both.code, 2);
  EXPECT_THAT(trill("run filter.cir --want stedy").err, mentions("steady"));
  EXPECT_THAT(trill("run forced --want steady").err, mentions("--set period="));
}
}  // namespace
}  // namespace trill::testing_cli
