// SPDX-License-Identifier: BSD-3-Clause
// trill run --sweep: files, summary, pictures, failures, interruption.
#include "base/text.hpp"
#include "support/mentions.hpp"
#include "tool.hpp"
#include "trill/solution/solution_file.hpp"

#include <algorithm>
#include <csignal>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace trill::testing_cli {
namespace {
using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;

class SweepCommand : public testing::Test {
 protected:
  Ended trill(const std::string& line) const { return trill_in(directory_.path(), words_of(line)); }
  std::vector<std::string> summary(const std::string& name) const {
    std::vector<std::string> lines = split(read_text(directory_ / name), '\n');
    for (std::string& line : lines)
      if (line.ends_with('\r')) line.pop_back();
    if (!lines.empty() && lines.back().empty()) lines.pop_back();
    return lines;
  }
  Directory directory_;
};

TEST_F(SweepCommand, EveryFileIsThatOfASingleRun) {
  for (const std::string how : {"--method verlet --h 1e-3", "--method dopri5"}) {
    const Directory directory;
    const auto go = [&](const std::string& line) {
      const Ended ended =
          trill_in(directory.path(), words_of("run two_springs --to 0.5 --check full " + how + " " + line));
      EXPECT_EQ(ended.code, 0) << line << ended.err;
    };
    go("--sweep omega2=20:80:3log -j 2 --out all/");
    EXPECT_THAT(directory.names(), ElementsAre("all", "all/omega2=20.h5", "all/omega2=40.h5", "all/omega2=80.h5",
                                               "all/sweep.csv", "all/sweep.json"));
    for (const std::string value : {"20", "40", "80"}) {
      go(fmt::format("--param omega2={} --out {}.h5", value, value));
      EXPECT_EQ(difference_of_files(directory / (value + ".h5"), directory / ("all/omega2=" + value + ".h5")), "");
    }
  }
}

TEST_F(SweepCommand, TheNumberOfThreadsChangesNothing) {
  for (const std::string jobs : {"1", "3"}) {
    const Ended ended =
        trill("run kepler --to 3 --method rk4 --h 0.01 --check off --sweep e=0.1:0.5:5 --sweep mu=1,2 -q --out " +
              jobs + " -j " + jobs);
    ASSERT_EQ(ended.code, 0) << ended.err;
  }
  EXPECT_EQ(read_text(directory_ / "1/sweep.csv"), read_text(directory_ / "3/sweep.csv"));
  EXPECT_EQ(read_text(directory_ / "1/sweep.json"), read_text(directory_ / "3/sweep.json"));
  int compared = 0;
  for (const auto& entry : fs::directory_iterator(directory_ / "1"))
    if (entry.path().extension() == ".h5") {
      EXPECT_EQ(difference_of_files(entry.path(), directory_ / "3" / entry.path().filename()), "");
      ++compared;
    }
  EXPECT_EQ(compared, 10);
}

TEST_F(SweepCommand, TheSummaryHasWhatTheFilesHave) {
  const Ended ended = trill("run two_springs --to 0.5 --sweep omega2=30,60 --json --out all");
  ASSERT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(ended.out, read_text(directory_ / "all/sweep.json"));
  const json all = json::parse(ended.out);
  EXPECT_EQ(all["swept"]["omega2"], json({30.0, 60.0}));
  ASSERT_EQ(all["runs"].size(), 2u);
  const auto lines = summary("all/sweep.csv");
  ASSERT_EQ(lines.size(), 3u);
  const auto names = split(lines[0], ',');
  EXPECT_EQ(names.front(), "omega2");
  for (const std::size_t i : {0u, 1u}) {
    const json& row = all["runs"][i];
    const Solution solution = SolutionFile(directory_ / ("all/" + row["file"].get<std::string>())).load();
    EXPECT_EQ(row["status"], "reached_end");
    EXPECT_EQ(row["steps"], solution.outcome.counters.steps);
    EXPECT_EQ(row["forces"], solution.outcome.counters.most_forces());
    EXPECT_EQ(row["trust"]["headline"], solution.trust.headline);
    const double energy = solution.measured()(solution.quantity("energy"), solution.rows() - 1);
    EXPECT_EQ(row["end"]["energy"], energy);
    const auto cells = split(lines[i + 1], ',');
    ASSERT_EQ(cells.size(), names.size());
    const auto column = static_cast<std::size_t>(std::find(names.begin(), names.end(), "energy") - names.begin());
    EXPECT_EQ(parse_number(cells[column]), energy);
  }
}

TEST_F(SweepCommand, APatternNamesFilesAndFormat) {
  ASSERT_EQ(
      trill("run two_springs --to 0.1 --sweep omega2=30,60 --sweep omega1=1,2 --out r-{omega1}-{omega2}.csv").code, 0);
  for (const char* name : {"r-1-30.csv", "r-2-30.csv", "r-1-60.csv", "r-2-60.csv", "sweep.csv", "sweep.json"})
    EXPECT_TRUE(fs::exists(directory_ / name)) << name;
  EXPECT_EQ(SolutionFile(directory_ / "r-2-60.csv").info().parameters.at("omega2"), "60");
}

TEST_F(SweepCommand, ModelFilesAreSwept) {
  fs::copy_file(fs::path(TRILL_SOURCE_DIR) / "examples/two_springs.toml", directory_ / "my.toml");
  const Ended ended = trill("run my.toml --to 0.3 --method verlet --h 1e-3 --sweep omega2=20:60:5 --out all");
  ASSERT_EQ(ended.code, 0) << ended.err;
  ASSERT_EQ(trill("run my.toml --to 0.3 --method verlet --h 1e-3 --param omega2=40 --out one.h5").code, 0);
  EXPECT_EQ(difference_of_files(directory_ / "one.h5", directory_ / "all/omega2=40.h5"), "");
}

TEST_F(SweepCommand, PicturesShowEveryValue) {
  const Ended ended =
      trill("run two_springs --to 1 --sweep omega2=20,40,80 --show r12 --report page.html --svg picture");
  ASSERT_EQ(ended.code, 0) << ended.err;
  const std::string page = read_text(directory_ / "page.html"), svg = read_text(directory_ / "picture-1.svg");
  for (const std::string value : {"20", "40", "80"}) {
    EXPECT_THAT(page, HasSubstr("\"omega2=" + value + "\""));
    EXPECT_THAT(svg, HasSubstr("omega2=" + value));
  }
  EXPECT_THAT(svg, HasSubstr("r12"));
  EXPECT_THAT(directory_.names(), ElementsAre("page.html", "picture-1.svg"));
}

TEST_F(SweepCommand, AFailureIsOneRowOfTheTable) {
  const Ended ended = trill("run two_springs --to 2 --method verlet --h 0.01 --sweep omega2=10,9000,-3,20 --out all");
  EXPECT_EQ(ended.code, 1);
  EXPECT_THAT(ended.err, mentions("2 of 4", "omega2=9000: at t = "));
  EXPECT_THAT(ended.out, mentions("range"));
  const auto lines = summary("all/sweep.csv");
  ASSERT_EQ(lines.size(), 5u);
  EXPECT_THAT(lines[1], testing::StartsWith("10,reached_end,200,"));
  EXPECT_THAT(lines[2], testing::StartsWith("9000,non_finite,"));
  EXPECT_THAT(lines[3], testing::StartsWith("-3,error,"));
  EXPECT_THAT(lines[4], testing::StartsWith("20,reached_end,200,"));
  EXPECT_EQ(SolutionFile(directory_ / "all/omega2=9000.h5").outcome().status, RunStatus::non_finite);
}

TEST_F(SweepCommand, InterruptedItGoesOnToTheSameFiles) {
  const std::string sweep =
      "run two_springs --to 4 --every 100 --rtol 1e-9 --trust never --checkpoint-seconds 0 --checkpoint-every 5000 "
      "--sweep omega2=20,30,900,40 -j 1 ";
  ASSERT_EQ(trill(sweep + "--out whole").code, 0);
  Process process(tool_command(words_of(sweep + "--out broken")), {.directory = directory_.path()});
  ASSERT_TRUE(wait_until(process, [&] { return newest_checkpoint(directory_ / "broken/omega2=900.h5.part") >= 1; }));
  process.send(SIGINT);
  const Ended ended = process.wait();
  ASSERT_EQ(ended.code, 130) << ended.err;
  EXPECT_THAT(ended.err, mentions("2 of 4", "--resume broken"));
  const auto lines = summary("broken/sweep.csv");
  ASSERT_EQ(lines.size(), 5u);
  EXPECT_THAT(lines[2], testing::StartsWith("30,reached_end,"));
  EXPECT_THAT(lines[3], testing::StartsWith("900,stopped,"));
  EXPECT_THAT(lines[4], testing::StartsWith("40,not run,"));

  const Ended refused = trill(sweep + "--out broken");
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.err, mentions("omega2=900.h5.part", "--resume"));

  const auto written = fs::last_write_time(directory_ / "broken/omega2=30.h5");
  const Ended resumed = trill(sweep + "--resume broken");
  ASSERT_EQ(resumed.code, 0) << resumed.err;
  EXPECT_EQ(fs::last_write_time(directory_ / "broken/omega2=30.h5"), written);
  for (const char* name : {"omega2=20.h5", "omega2=30.h5", "omega2=900.h5", "omega2=40.h5"})
    EXPECT_EQ(difference_of_files(directory_ / "whole" / name, directory_ / "broken" / name), "") << name;
  EXPECT_EQ(read_text(directory_ / "whole/sweep.csv"), read_text(directory_ / "broken/sweep.csv"));
}

TEST_F(SweepCommand, OtherSettingsAreNotResumed) {
  ASSERT_EQ(trill("run two_springs --to 0.1 --sweep omega2=30,60 --out all").code, 0);
  const Ended ended = trill("run two_springs --to 0.2 --sweep omega2=30,60 --resume all");
  EXPECT_EQ(ended.code, 1);
  EXPECT_THAT(ended.err, mentions("setting to: 0.1, now 0.2"));
  EXPECT_EQ(trill("run two_springs --to 0.2 --sweep omega2=30,60 --out all").code, 0) << "finished files are replaced";
}

TEST_F(SweepCommand, WrongWordsAreOneSentenceAndWriteNothing) {
  for (const std::string words :
       {"--sweep omega2", "--sweep omega2=1:2", "--sweep omega2=1:2:1", "--sweep omega2=0:2:3log", "--sweep omga2=1,2",
        "--sweep omega2=1,2 --out run.h5", "--sweep omega2=1,2 --show nothing", "--sweep omega2=1,2 -j 0",
        "--sweep omega2=1,2 --method velet", "--sweep omega2=1,2 --param omega2=3", "-j 2", "--show x1", "--svg a",
        "--sweep omega2=1:2:1000 --sweep omega1=1:2:1000", "--sweep omega2=1,2 --report run.h5"}) {
    const Ended ended = trill("run two_springs " + words);
    EXPECT_EQ(ended.code, 2) << words;
    EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << ended.err;
    EXPECT_EQ(ended.out, "") << words;
  }
  EXPECT_EQ(trill("run two_springs --sweep omega2=1,2 --out no/such/place").code, 3);
  EXPECT_EQ(trill("run two_springs --sweep omega2=1,2 --out all --dry-run").code, 0);
  EXPECT_TRUE(directory_.names().empty());
}

TEST_F(SweepCommand, QuietIsQuiet) {
  const Ended ended = trill("run two_springs --to 0.1 --sweep omega2=30,60 -q");
  EXPECT_EQ(ended.code, 0);
  EXPECT_EQ(ended.out + ended.err, "");
}
}  // namespace
}  // namespace trill::testing_cli
