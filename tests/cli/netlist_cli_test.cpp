// SPDX-License-Identifier: BSD-3-Clause
// A netlist on the command line: everything that works with a model file works with a netlist.
#include "support/mentions.hpp"
#include "tool.hpp"
#include "trill/solution/solution_file.hpp"

#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace trill::testing_cli {
namespace {
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// A sine behind a resistor and a capacitor, at their corner frequency: the amplitude is divided by sqrt(2).
const char* const low_pass = R"cir(Low pass at its corner frequency
.param amp=3 f=1k
.include load.inc
V1 in 0 SIN(0 {amp} {f})
R1 in out 1k
C1 out 0 {1/(2*pi*f*1k)} IC=0
S1 out 0 in 0 never
.model never SW(VT=100)
.tran 10u 20m 0 5u uic
.measure tran vrms RMS v(out) from=10m to=20m
.measure tran vpp PP v(in) from=10m
.measure tran late MAX v(in) from=1 to=2
.end
)cir";

std::vector<std::string> split_at_commas(const std::string& line) {
  std::vector<std::string> cells;
  std::stringstream in(line);
  for (std::string cell; std::getline(in, cell, ',');) cells.push_back(cell);
  return cells;
}

class NetlistOnTheCommandLine : public testing::Test {
 protected:
  NetlistOnTheCommandLine() {
    write_text(directory_ / "filter.cir", low_pass);
    write_text(directory_ / "load.inc", "* a load\nRload out 0 1g\n");
  }
  Ended trill(const std::string& line) const { return trill_in(directory_.path(), words_of(line)); }
  Directory directory_;
};

TEST_F(NetlistOnTheCommandLine, RunsToItsEndWithNamesOfSpice) {
  const Ended ended = trill("run filter.cir --out run.h5");
  ASSERT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, StartsWith("filter with "));
  const SolutionFile file(directory_ / "run.h5");
  EXPECT_EQ(file.info().problem_title, "Low pass at its corner frequency");
  EXPECT_EQ(file.info().settings.at("to"), "0.02");
  EXPECT_EQ(file.info().parameters.at("amp"), "3");
  ASSERT_EQ(file.info().components.size(), 3u);
  EXPECT_EQ(file.info().components[0].name, "v(out)");
  EXPECT_EQ(file.info().components[2].name, "i(v1)");
  EXPECT_EQ(file.info().components[2].unit, "A");
}

TEST_F(NetlistOnTheCommandLine, AnswersItsMeasures) {
  const Ended ended = trill("run filter.cir --json --param amp=4");
  ASSERT_EQ(ended.code, 0) << ended.err;
  const auto measures = nlohmann::json::parse(ended.out).at("measures");
  EXPECT_NEAR(measures.at("vrms").get<double>(), 2, 2e-4);
  EXPECT_NEAR(measures.at("vpp").get<double>(), 8, 2e-3);
  EXPECT_TRUE(measures.at("late").is_null());
  EXPECT_THAT(trill("run filter.cir").out, mentions("vrms = ", " V"));
}

TEST_F(NetlistOnTheCommandLine, IsCheckedDescribedAndInspected) {
  EXPECT_THAT(trill("check filter.cir").out, mentions("Low pass", "amp", "0.02"));
  EXPECT_THAT(trill("describe filter.cir").out, mentions("amp", "1000", "1 capacitor", "0.02"));
  EXPECT_EQ(trill("inspect filter.cir").code, 0);
  EXPECT_EQ(trill("run filter.cir --dry-run").code, 0);
}

TEST_F(NetlistOnTheCommandLine, TellsMistakesWithTheirPlace) {
  write_text(directory_ / "load.inc", "* a load\nRload out 0 0\n");
  for (const char* line : {"run filter.cir", "check filter.cir", "describe filter.cir"}) {
    const Ended ended = trill(line);
    EXPECT_EQ(ended.code, 2) << line;
    EXPECT_THAT(ended.err, mentions("load.inc:2:13", "'rload'")) << line;
  }
  EXPECT_EQ(trill("run missing.cir").code, 3);
  EXPECT_EQ(trill("run filter.cir --param q=1").code, 2);
}

// A current of 1e-18 A is rounding, even if its range is no larger.
TEST_F(NetlistOnTheCommandLine, NoiseBelowItsTolerancesIsNoError) {
  write_text(directory_ / "still.cir", "Nothing moves\nV1 a 0 5\nR1 a b 1k\nC1 b 0 1u\n.tran 1u 1m\n.end\n");
  const Ended ended = trill("run still.cir --json");
  ASSERT_EQ(ended.code, 0) << ended.err;
  const auto summary = nlohmann::json::parse(ended.out);
  EXPECT_EQ(summary.at("trust").at("verdict"), "green") << summary.at("trust");
}

// At light load the current of the inductor becomes zero in every cycle, and then nothing determines v(sw). Two good
// runs may differ there by volts for a moment, because an edge comes a little later in one of them, between the steps
// of both.
TEST_F(NetlistOnTheCommandLine, EdgesOfAConverterAreNotTakenForErrors) {
  fs::copy_file(fs::path(TRILL_SOURCE_DIR) / "examples/circuits/buck.cir", directory_ / "buck.cir");
  const Ended ended = trill("run buck.cir --to 1e-2 --check full --json");
  ASSERT_EQ(ended.code, 0) << ended.err;
  const auto trust = nlohmann::json::parse(ended.out).at("trust");
  EXPECT_EQ(trust.at("verdict"), "green") << trust;
  EXPECT_LT(trust.at("error").get<double>(), 1e-4) << trust;
}

TEST_F(NetlistOnTheCommandLine, IsSweptAndReported) {
  ASSERT_EQ(trill("run filter.cir --sweep amp=1,2,4 --out results/ --to 1e-3 --trust never").code, 0);
  EXPECT_TRUE(fs::exists(directory_ / "results/amp=4.h5"));
  ASSERT_EQ(trill("run filter.cir --sweep amp=1,2 --out whole/ --trust never").code, 0);
  const std::string table = read_text(directory_ / "whole/sweep.csv");
  EXPECT_THAT(table, HasSubstr("forces,vrms,vpp,")) << "what .measure asks for";
  const std::string last = table.substr(table.find("\r\n2,"));
  const std::vector<std::string> cells = split_at_commas(last.substr(2));
  EXPECT_NEAR(std::stod(cells[5]), std::sqrt(1.0), 2e-4) << "amplitude 2 over the root of two, rms";
  EXPECT_NEAR(std::stod(cells[6]), 4, 2e-3);
  ASSERT_EQ(trill("run filter.cir --report page.html --trust never").code, 0);
  EXPECT_THAT(read_text(directory_ / "page.html"), HasSubstr("v(out)"));
}

TEST_F(NetlistOnTheCommandLine, ShowsTheCyclesOfAWindowInFull) {
  ASSERT_EQ(trill("run filter.cir --want envelope --window 0.0105:0.0125 --out cycles.h5 --trust never").code, 0);
  const SolutionFile file(directory_ / "cycles.h5");
  EXPECT_EQ(file.info().settings.at("from"), "0.0105");
  EXPECT_EQ(file.info().settings.at("to"), "0.0125");
  EXPECT_GT(file.rows(), 400);  // the netlist limits steps to 5 us
  ASSERT_EQ(trill("run filter.cir --method envelope --param amp=2 --report page.html --trust never").code, 0);
  EXPECT_THAT(read_text(directory_ / "page.html"),
              HasSubstr("trill run filter.cir --method envelope --param amp=2 --window WINDOW"));
  EXPECT_EQ(trill("run filter.cir --window 0.0105:0.0125").code, 2);
  EXPECT_EQ(trill("run filter.cir --want envelope --window 0.0105").code, 2);
  EXPECT_EQ(trill("run filter.cir --want envelope --window 0.0125:0.0105").code, 2);
  EXPECT_EQ(trill("run filter.cir --want envelope --window 1e-3:2e-3 --sweep amp=1,2").code, 2);
}

TEST_F(NetlistOnTheCommandLine, ShowsTheCyclesOfAStoredEnvelope) {
  ASSERT_EQ(trill("run filter.cir --method envelope --param amp=2 --out startup.h5 --trust never").code, 0);
  ASSERT_EQ(trill("report startup.h5").code, 0);
  const std::string page = read_text(directory_ / "startup.html");
  EXPECT_THAT(page, HasSubstr("\"cycles\":{\"numbers\""));
  EXPECT_THAT(page, HasSubstr("trill report startup.h5 --window WINDOW -o window.html"));
  const Ended window = trill("report startup.h5 --window 0.0105:0.0125");
  ASSERT_EQ(window.code, 0) << window.err;
  EXPECT_THAT(read_text(directory_ / "startup-window.html"), HasSubstr("v(out)"));
  EXPECT_THAT(read_text(directory_ / "startup-window.html"), Not(HasSubstr("\"cycles\":{\"numbers\"")));
  EXPECT_EQ(trill("report startup.h5 --window 0.0105:1").code, 2);
  EXPECT_EQ(trill("report startup.h5 --window 0.0105:0.0125 --svg").code, 2);
  ASSERT_EQ(trill("run filter.cir --out plain.h5 --trust never").code, 0);
  EXPECT_EQ(trill("report plain.h5 --window 0.0105:0.0125").code, 2);
}
}  // namespace
}  // namespace trill::testing_cli
