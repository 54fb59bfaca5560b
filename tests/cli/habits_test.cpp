// SPDX-License-Identifier: BSD-3-Clause
// What users try who have not read the manual.
#include "support/mentions.hpp"
#include "tool.hpp"
#include "trill/solution/solution_file.hpp"

#include <algorithm>
#include <csignal>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <unistd.h>

namespace trill::testing_cli {
namespace {
using testing::HasSubstr;

TEST(Habits, NamesWithSpacesQuotesAndOtherAlphabets) {
  for (const std::string name :
       {"my run.h5", "größe ε→0.csv", "a'b\"c$d.json", "-.h5", "two.dots.h5", "UPPER.H5", "#1;x&y.h5"}) {
    const Directory directory;
    const fs::path page = directory / (name + " page.html");
    const Ended ended =
        trill_in(directory.path(), {"run", "kepler", "--to", "2", "--out", name, "--report", page.string()});
    ASSERT_EQ(ended.code, 0) << name << ended.err;
    EXPECT_EQ(SolutionFile(directory / name).outcome().status, RunStatus::reached_end) << name;
    EXPECT_TRUE(fs::exists(page)) << name;
    const Ended report = trill_in(directory.path(), {"report", "./" + name, "-o", "p.html"});
    EXPECT_EQ(report.code, 0) << name << report.err;
    const Ended pictures = trill_in(directory.path(), {"report", "./" + name, "--svg"});
    EXPECT_EQ(pictures.code, 0) << name << pictures.err;
  }
}

TEST(Habits, ALineBreakInANameStaysOneSentence) {
  const Ended ended = trill_in("", {"run", "stiff_spring", "--out", "two\nlines"});
  EXPECT_EQ(ended.code, 2);
  EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << ended.err;
}

TEST(Habits, ListsOfAssignments) {
  const auto parameters = [](const std::string& line) {
    const Ended ended = trill_in("", words_of("run " + line + " --to 0.1 --json --trust never"));
    EXPECT_EQ(ended.code, 0) << line << ended.err;
    return nlohmann::json::parse(ended.out)["parameters"];
  };
  const auto list = parameters("stiff_spring --param epsilon=1e-3 x0=1.2");
  EXPECT_EQ(list["epsilon"], 0.001);
  EXPECT_EQ(list["x0"], 1.2);
  EXPECT_EQ(parameters("stiff_spring --param epsilon=1e-3 --param x0=1.2"), list);
  EXPECT_EQ(parameters("pendulum/stiff_spring --param epsilon=1e-3 x0=1.2"), list);
  EXPECT_EQ(parameters("Stiff-Spring --param epsilon=0.001 x0=1.20"), list);
}

TEST(Habits, DryRunWritesNothing) {
  const Directory directory;
  const Ended ended = trill_in(directory.path(), words_of("run stiff_spring --dry-run --out run.h5 --report run.html"));
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("dopri5"));
  EXPECT_THAT(ended.out, HasSubstr("epsilon"));
  EXPECT_TRUE(directory.names().empty());
}

TEST(Habits, QuietPrintsNothing) {
  const Ended ended = trill_in("", words_of("run stiff_spring -q"));
  EXPECT_EQ(ended.code, 0);
  EXPECT_EQ(ended.out + ended.err, "");
}

TEST(Habits, OfAFailureQuietStillSaysWhy) {
  const Ended ended = trill_in("", words_of("run stiff_spring -q --max-steps 5"));
  EXPECT_EQ(ended.code, 1);
  EXPECT_EQ(ended.out, "");
  EXPECT_THAT(ended.err, mentions("at t = ", "5 steps"));
}

// An earlier solution file stays as it is until the new one is complete.
TEST(Habits, AnExistingFileIsReplacedOnlyAtTheEnd) {
  const Directory directory;
  const std::string run = "run kepler --method verlet --h 1e-3 --every 100 --trust never ";
  ASSERT_EQ(trill_in(directory.path(), words_of(run + "--to 5 --out run.h5")).code, 0);
  const std::string before = read_text(directory / "run.h5");
  {
    Process process(tool_command(words_of(run + "--to 1e6 --out run.h5")), {.directory = directory.path()});
    ASSERT_TRUE(wait_until_it_handles(process, SIGTERM));
    ASSERT_TRUE(process.running(0.1));
    EXPECT_EQ(read_text(directory / "run.h5"), before);
    process.send(SIGTERM);
    EXPECT_EQ(process.wait().code, 130);
  }
  EXPECT_EQ(read_text(directory / "run.h5"), before);
  fs::remove_all(directory / "run.h5.part");
  ASSERT_EQ(trill_in(directory.path(), words_of(run + "--to 6 --out run.h5")).code, 0);
  EXPECT_EQ(SolutionFile(directory / "run.h5").info().settings.at("to"), "6");
  EXPECT_EQ(directory.names(), Words{"run.h5"});
}

// A page is never written over a solution.
TEST(Habits, PagesDoNotOverwriteSolutions) {
  const Directory directory;
  ASSERT_EQ(trill_in(directory.path(), words_of("run kepler --to 1 -q --out run.h5")).code, 0);
  const std::string before = read_text(directory / "run.h5");
  for (const char* line :
       {"report run.h5 -o run.h5", "run kepler --report run.h5", "run kepler --out new.h5 --report new.h5",
        "figure pjy97_fig1 --report run.h5", "stability verlet --report run.h5", "report run.h5 -o run.h5.part"}) {
    const Ended ended = trill_in(directory.path(), words_of(line));
    EXPECT_EQ(ended.code, 2) << line;
    EXPECT_THAT(ended.err, HasSubstr(".html")) << line;
  }
  EXPECT_EQ(read_text(directory / "run.h5"), before);
  EXPECT_EQ(directory.names(), Words{"run.h5"});
}

TEST(Habits, TwoRunsIntoOneFile) {
  const Directory directory;
  const Words words = words_of("run kepler --method verlet --h 1e-3 --to 1e6 --every 1000 --out run.h5");
  Process first(tool_command(words), {.directory = directory.path()});
  ASSERT_TRUE(wait_until(first, [&] { return fs::exists(directory / "run.h5.part/header.json"); }));
  for (const char* where : {"--out", "--resume"}) {
    Words second = words;
    second[second.size() - 2] = where;
    const Ended ended = trill_in(directory.path(), second);
    EXPECT_EQ(ended.code, 2) << ended.err;
    EXPECT_THAT(ended.err, mentions("run.h5", "another run"));
  }
  EXPECT_TRUE(first.running());
  first.send(SIGINT);
  EXPECT_EQ(first.wait().code, 130);
}

// Several runs with the same file start at the same time. One of them continues, the others are refused, and nothing
// is mixed.
TEST(Habits, ManyRunsIntoOneFileAtTheSameMoment) {
  const Directory directory;
  std::vector<std::unique_ptr<Process>> runs;
  for (int i = 0; i < 6; ++i)
    runs.push_back(std::make_unique<Process>(
        tool_command(words_of("run kepler --method verlet --h 1e-3 --to 100 --every 10 --trust never -q --out run.h5")),
        Surroundings{.directory = directory.path()}));
  int winners = 0;
  for (auto& process : runs) {
    const Ended ended = process->wait();
    EXPECT_TRUE(ended.code == 0 || ended.code == 2) << ended.code << ended.err;
    winners += ended.code == 0;
    if (ended.code == 2) {
      EXPECT_THAT(ended.err, HasSubstr("run.h5"));
    }
  }
  EXPECT_GE(winners, 1);
  EXPECT_EQ(SolutionFile(directory / "run.h5").rows(), 10001);
  EXPECT_EQ(directory.names(), Words{"run.h5"});
}

TEST(Habits, ResumeByTheNameOfThePartDirectory) {
  const Directory directory;
  const std::string run = "run kepler --method verlet --h 1e-3 --to 1500 --every 100 --trust never -q ";
  {
    Process process(tool_command(words_of(run + "--out run.h5")), {.directory = directory.path()});
    ASSERT_TRUE(wait_until(process, [&] { return fs::exists(directory / "run.h5.part/header.json"); }));
    process.send(SIGINT);
    ASSERT_EQ(process.wait().code, 130);
  }
  const Ended report = trill_in(directory.path(), words_of("report run.h5.part"));
  EXPECT_EQ(report.code, 0) << report.err;
  EXPECT_TRUE(fs::exists(directory / "run.html"));
  const Ended resumed = trill_in(directory.path(), words_of(run + "--resume run.h5.part/"));
  EXPECT_EQ(resumed.code, 0) << resumed.err;
  EXPECT_FALSE(SolutionFile(directory / "run.h5").unfinished());
}

TEST(Habits, ADirectoryWithoutPermission) {
  const Directory directory;
  fs::create_directory(directory / "locked");
  ::chmod(directory.path().c_str(), 0755);
  ::chmod((directory / "locked").c_str(), 0555);
  const auto as_nobody = [] {
    if (::geteuid() == 0 && ::setuid(65534) != 0) ::_exit(99);
  };
  const auto refused = [&](const std::string& line) {
    return run(tool_command(words_of(line)), {.directory = directory / "locked", .before_run = as_nobody});
  };
  if (refused("--version").code != 0) GTEST_SKIP() << "the tool cannot be run by another user";
  for (const char* line : {"run kepler --out run.h5", "run kepler --report run.html", "stability verlet --svg s"}) {
    const Ended ended = refused(line);
    EXPECT_EQ(ended.code, 3) << line;
    EXPECT_THAT(ended.err, HasSubstr("Permission denied")) << line;
    EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << ended.err;
  }
  // The .part directory belongs to another user.
  fs::create_directory(directory / "open");
  ::chmod((directory / "open").c_str(), 0777);
  fs::create_directory(directory / "open/run.h5.part");
  ::chmod((directory / "open/run.h5.part").c_str(), 0500);
  for (const char* where : {"--out", "--resume"}) {
    const Ended ended = run(tool_command({"run", "kepler", where, "run.h5"}),
                            {.directory = directory / "open", .before_run = as_nobody});
    EXPECT_TRUE(ended.code == 2 || ended.code == 3) << where << ended.code << ended.err;
    EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << ended.err;
  }
  const Ended report =
      run(tool_command({"report", "run.h5.part"}), {.directory = directory / "open", .before_run = as_nobody});
  EXPECT_EQ(report.code, 3) << report.err;
}

// The disk has damaged a checkpoint or a segment. The run resumes from an earlier checkpoint, with the same numbers.
TEST(Habits, ResumeFromADamagedPartDirectory) {
  const std::string line = "run kepler --method dopri5 --rtol 1e-8 --to 3000 --trust never -q --checkpoint-seconds 0 ";
  const Directory whole;
  ASSERT_EQ(trill_in(whole.path(), words_of(line + "--out run.h5")).code, 0);
  for (const std::string damage : {"last checkpoint", "all checkpoints", "last segment", "first segment"}) {
    const Directory directory;
    const fs::path part = directory / "run.h5.part";
    {
      Process process(tool_command(words_of(line + "--out run.h5")), {.directory = directory.path()});
      ASSERT_TRUE(wait_until(process, [&] { return newest_checkpoint(part) >= 5; }));
      process.send(SIGKILL);
      process.wait();
    }
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(part))
      if (entry.path().extension() == ".bin" &&
          entry.path().filename().string().starts_with(damage.ends_with("segment") ? "segment" : "checkpoint"))
        files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    ASSERT_FALSE(files.empty());
    if (damage.starts_with("last")) files.erase(files.begin(), files.end() - 1);
    if (damage.starts_with("first")) files.erase(files.begin() + 1, files.end());
    for (const fs::path& file : files) {
      std::string bytes = read_text(file);
      bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 16);
      write_text(file, bytes);
    }
    const Ended ended = trill_in(directory.path(), words_of(line + "--resume run.h5"));
    ASSERT_EQ(ended.code, 0) << damage << ended.err;
    EXPECT_THAT(ended.err, HasSubstr("damaged")) << damage;
    EXPECT_EQ(difference_of_files(whole / "run.h5", directory / "run.h5"), "") << damage;
  }
}

TEST(Habits, MethodNamesAreReadGenerously) {
  for (const char* name : {"Verlet", "VERLET", "implicit-midpoint"})
    EXPECT_EQ(trill_in("", {"run", "harmonic", "--to", "1", "--method", name}).code, 0) << name;
}

TEST(Habits, CsvOpensElsewhere) {
  const Directory directory;
  ASSERT_EQ(trill_in(directory.path(), words_of("run kepler --to 1 --dt 0.25 --out run.csv")).code, 0);
  const std::string text = read_text(directory / "run.csv");
  EXPECT_TRUE(text.starts_with("t")) << text.substr(0, 80);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 6);
}

TEST(Habits, VersionNamesWhatWasBuiltIn) {
  const Ended ended = trill_in("", {"--version"});
  EXPECT_EQ(ended.code, 0);
  EXPECT_TRUE(ended.out.starts_with("trill ")) << ended.out;
  EXPECT_THAT(ended.out, HasSubstr("built with:"));
}
}  // namespace
}  // namespace trill::testing_cli
