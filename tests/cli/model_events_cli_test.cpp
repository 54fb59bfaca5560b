// SPDX-License-Identifier: BSD-3-Clause
// A model file with a table, events, switches and units, used from the command line.
#include "support/mentions.hpp"
#include "tool.hpp"
#include "trill/solution/solution_file.hpp"

#include <cmath>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace trill::testing_cli {
namespace {
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class ModelWithEvents : public testing::Test {
 protected:
  ModelWithEvents() {
    write_text(directory_ / "springs.csv", "i,j,c\n0,1,10\n1,2,20\n");
    write_text(directory_ / "balls.toml", R"toml(
title = "Balls on springs"
time_unit = "s"
[parameters]
e = 0.8
k = { value = 1, unit = "N/m" }
[sets]
atom = 3
spring = { file = "springs.csv" }
[coordinates]
y = { over = "atom", start = "1 + atom/2", unit = "m" }
[[potential]]
over = "spring"
energy = "k*c/2*(y[j] - y[i] - 0.5)^2"
[[force]]
on = "y[2]"
value = "if(y[2] < 1.5, 3, -1)"
[[force]]
over = "atom"
on = "y[atom]"
value = -1
[[event]]
name = "bounce"
when = "y[0]"
direction = -1
then = { "vy[0]" = "-e*vy[0]", k = 2 }
[[measure]]
name = "height"
over = "atom"
value = "y[atom]"
unit = "m"
)toml");
  }
  Ended trill(const std::string& line) const { return trill_in(directory_.path(), words_of(line)); }

  Directory directory_;
};

const char* const warning = "line 17: where the formula switches, this force jumps by 4; steps end there";

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST_F(ModelWithEvents, AreChecked) {
  const Ended ended = trill("check balls.toml");
  ASSERT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, AllOf(HasSubstr("event"), HasSubstr("bounce"), HasSubstr("height            4.5 m"),
                               HasSubstr("parameter k       1 N/m")));
  EXPECT_EQ(count_of(ended.out + ended.err, warning), 1u) << ended.out;
  // The table is found in the folder of the model, whatever the current folder is.
  fs::create_directory(directory_ / "below");
  EXPECT_EQ(trill_in(directory_ / "below", {"check", "../balls.toml"}).code, 0);
}

TEST_F(ModelWithEvents, RunWithNoticesEventsAndUnits) {
  const Ended ended = trill("run balls.toml --to 3 --out run.json");
  ASSERT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(count_of(ended.out + ended.err, warning), 1u) << ended.out;
  EXPECT_THAT(ended.out, Not(HasSubstr("threshold 0)")));
  const SolutionFile file(directory_ / "run.json");
  const RunOutcome& outcome = file.outcome();
  ASSERT_EQ(outcome.notices.size(), 2u);  // the other one gives the reason for the choice of the method
  EXPECT_EQ(outcome.notices[0].code, "method");
  EXPECT_EQ(outcome.notices[1].text, warning);
  ASSERT_GE(outcome.events.size(), 3u);
  EXPECT_EQ(outcome.events[0].name, "switch in line 17");
  bool bounced = false;
  for (const auto& event : outcome.events) bounced = bounced || event.name == "bounce";
  EXPECT_TRUE(bounced);
  EXPECT_EQ(file.info().time_unit, "s");
  EXPECT_EQ(file.info().components[0].unit, "m");
  EXPECT_EQ(file.info().components[3].unit, "m/s");
  EXPECT_EQ(file.info().quantities[1].unit, "m");
  ASSERT_EQ(trill("report run.json --out run.html").code, 0);
  EXPECT_THAT(read_text(directory_ / "run.html"), AllOf(HasSubstr("m/s"), HasSubstr("bounce"), HasSubstr(warning)));
}

// From a height of 3 under gravity 5 with restitution 0.6: the fall takes sqrt(6/5), all flights together 3 times as
// long.
TEST_F(ModelWithEvents, AMotionThatComesToRestEndsThere) {
  const char* const ball =
      "coordinates.x = {}\n[[potential]]\nenergy = \"5*x\"\n[[event]]\nname = \"floor\"\nwhen = \"x - 0.2\"\n"
      "direction = -1\nthen = {{ vx = \"-0.6*vx\" }}\n";
  write_text(directory_ / "ball.toml", fmt::format(fmt::runtime(ball), 3.2));
  for (const char* method : {"verlet --h 0.01", "rk4 --h 0.2", "dopri5 --rtol 1e-6", "cvode_bdf --rtol 1e-9"}) {
    const Ended ended = trill(fmt::format("run ball.toml --to 50 --method {} --out {}.json", method, method[0]));
    EXPECT_EQ(ended.code, 0) << method << ended.err;
    EXPECT_THAT(ended.out, AllOf(HasSubstr("'floor'"), HasSubstr("at t = 4.38"))) << method;
    const SolutionFile file(directory_ / fmt::format("{}.json", method[0]));
    EXPECT_EQ(file.outcome().status, RunStatus::event) << method;
    EXPECT_NEAR(file.outcome().events.back().t, 4 * std::sqrt(1.2), 2e-3) << method;
  }
  write_text(directory_ / "below.toml", fmt::format(fmt::runtime(ball), 0.1));
  const Ended below = trill("run below.toml --to 50 --method rk4 --h 0.1");
  EXPECT_EQ(below.code, 2);
  EXPECT_THAT(below.err, mentions("'floor'", "wrong side"));
}

TEST_F(ModelWithEvents, UnitsStandInTheHeader) {
  ASSERT_EQ(trill("run balls.toml --to 1 --out run.csv").code, 0);
  EXPECT_THAT(read_text(directory_ / "run.csv"),
              StartsWith("t [s],y[0] [m],y[1] [m],y[2] [m],vy[0] [m/s],vy[1] [m/s],vy[2] [m/s],energy,height [m]"));
  EXPECT_EQ(SolutionFile(directory_ / "run.csv").info().components[4].unit, "m/s");
}

TEST_F(ModelWithEvents, MistakesInTheTableNameItsLine) {
  write_text(directory_ / "springs.csv", "i,j,c\n0,1,10\n1,3,20\n");
  for (const char* line : {"run balls.toml", "check balls.toml"}) {
    const Ended ended = trill(line);
    EXPECT_EQ(ended.code, 2);
    EXPECT_THAT(ended.err, StartsWith("trill: balls.toml:14:"));
    EXPECT_THAT(ended.err, mentions("'y' is 3", "element 1 of 'spring' (springs.csv:3)"));
  }
  write_text(directory_ / "springs.csv", "i,j,c\n0,1,ten\n");
  EXPECT_THAT(trill("check balls.toml").err, mentions("trill: springs.csv:2:5: ", "'ten'", "'c'", "number"));
  fs::remove(directory_ / "springs.csv");
  EXPECT_THAT(trill("check balls.toml").err, AllOf(HasSubstr("balls.toml:9:"), HasSubstr("springs.csv")));
}
}  // namespace
}  // namespace trill::testing_cli
