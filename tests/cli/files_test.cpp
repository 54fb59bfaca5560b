// SPDX-License-Identifier: BSD-3-Clause
// Files that are read and written by the tool: inputs that change or would be overwritten, names that are too long,
// links, and processes that share a folder.
#include "base/text.hpp"
#include "support/mentions.hpp"
#include "tool.hpp"
#include "trill/solution/solution_file.hpp"

#include <algorithm>
#include <csignal>
#include <list>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace trill::testing_cli {
namespace {
using testing::HasSubstr;
using testing::Not;

class Inputs : public testing::Test {
 protected:
  Inputs() {
    write_text(directory_ / "beads.toml",
               "[parameters]\nc = 1\n[sets]\nbead = { file = \"beads.csv\" }\n[coordinates]\n"
               "u = { over = \"bead\", start = \"0.1 + bead\", velocity = 0 }\n[[potential]]\nover = \"bead\"\n"
               "energy = \"c*w/2*u[bead]^2\"\n[run]\nto = 3\nmethod = \"verlet\"\nh = 1e-3\n");
    write_text(directory_ / "beads.csv", "w\n1\n2.5\n");
    write_text(directory_ / "frame.toml",
               "[structure]\nmass = \"M.mtx\"\nstiffness = \"K.mtx\"\nstart = \"u.mtx\"\n[run]\nto = 3\n"
               "method = \"implicit_midpoint\"\nh = 1e-3\n");
    write_text(directory_ / "M.mtx", "%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 2\n2 2 3\n");
    write_text(directory_ / "K.mtx", "%%MatrixMarket matrix coordinate real symmetric\n2 2 3\n1 1 9\n2 1 -4\n2 2 7\n");
    write_text(directory_ / "u.mtx", "%%MatrixMarket matrix array real general\n2 1\n0.5\n-0.25\n");
  }
  Ended trill(const std::string& line) const { return trill_in(directory_.path(), words_of(line)); }
  // Interrupts the run after its next checkpoint.
  void interrupt(const std::string& line, const std::string& part) const {
    const int before = newest_checkpoint(directory_ / part);
    Process process(tool_command(words_of(line)), {.directory = directory_.path()});
    ASSERT_TRUE(wait_until(process, [&] { return newest_checkpoint(directory_ / part) > before; }));
    process.send(SIGINT);
    ASSERT_EQ(process.wait().code, 130);
  }

  Directory directory_;
};

TEST_F(Inputs, ThatChangedAreNotResumed) {
  const std::string common = " --to 20000 --every 1000 --trust never --checkpoint-seconds 0 ";
  for (const auto& [model, input] : {std::pair("beads.toml", "beads.csv"),
                                     {"frame.toml", "M.mtx"},
                                     {"frame.toml", "K.mtx"},
                                     {"frame.toml", "u.mtx"}}) {
    const std::string start = "run " + std::string(model) + common;
    interrupt(start + "--out run.h5", "run.h5.part");
    const std::string before = read_text(directory_ / input);
    std::string after = before;
    after.replace(after.find_last_of("0123456789"), 1, "8");
    ASSERT_NE(after, before);
    write_text(directory_ / input, after);
    const Ended refused = trill(start + "--resume run.h5");
    EXPECT_EQ(refused.code, 2) << refused.err;
    EXPECT_THAT(refused.err, mentions(input, "run.h5"));
    write_text(directory_ / input, before);
    interrupt(start + "--resume run.h5", "run.h5.part");  // now it continues
    fs::remove_all(directory_ / "run.h5.part");
  }
}

TEST_F(Inputs, AreNamedInTheSolution) {
  ASSERT_EQ(trill("run beads.toml --out a.json").code, 0);
  ASSERT_EQ(trill("run frame.toml --out b.h5").code, 0);
  ASSERT_EQ(trill("run two_springs --to 0.1 --out c.csv").code, 0);
  const auto names_of = [&](const char* file) {
    Words names;
    const SolutionFile stored(directory_ / file);
    for (const auto& [name, checksum] : stored.info().inputs) names.push_back(name);
    return names;
  };
  EXPECT_EQ(names_of("a.json"), Words{"beads.csv"});
  EXPECT_EQ(names_of("b.h5"), (Words{"K.mtx", "M.mtx", "u.mtx"}));
  EXPECT_EQ(names_of("c.csv"), Words{});
}

TEST_F(Inputs, ThatChangedAreSeenInSweeps) {
  const std::string sweep = "run beads.toml --to 1 --sweep c=1,2,3 -j 1 ";
  ASSERT_EQ(trill(sweep + "--out all").code, 0);
  fs::remove(directory_ / "all/c=3.h5");
  write_text(directory_ / "beads.csv", "w\n1\n2.75\n");
  const Ended ended = trill(sweep + "--resume all");
  EXPECT_EQ(ended.code, 1);
  EXPECT_THAT(ended.err, mentions("2 of 3", "c=1", "beads.csv"));
  write_text(directory_ / "beads.csv", "w\n1\n2.5\n");
  EXPECT_EQ(trill(sweep + "--resume all").code, 1);  // the third run was computed with the other table
  fs::remove(directory_ / "all/c=3.h5");
  EXPECT_EQ(trill(sweep + "--resume all").code, 0);
}

TEST_F(Inputs, AreNotOverwritten) {
  fs::create_symlink("beads.toml", directory_ / "soft.html");
  fs::create_hard_link(directory_ / "beads.toml", directory_ / "hard.html");
  fs::create_hard_link(directory_ / "beads.csv", directory_ / "table.html");
  fs::create_hard_link(directory_ / "beads.toml", directory_ / "hard-1.svg");
  fs::create_directory_symlink(".", directory_ / "here");
  fs::create_directory(directory_ / "sub");
  std::string swept = read_text(directory_ / "beads.toml");
  swept.replace(swept.find("beads.csv"), 9, "sweep.csv");
  write_text(directory_ / "swept.toml", swept);
  write_text(directory_ / "sweep.csv", "w\n1\n2.5\n");
  ASSERT_EQ(trill("run beads.toml --out run.h5").code, 0);
  ASSERT_EQ(trill("run beads.toml --out run.csv").code, 0);
  fs::create_hard_link(directory_ / "run.h5", directory_ / "run.html");
  fs::create_hard_link(directory_ / "run.csv.meta.json", directory_ / "meta.html");
  const auto contents = [&] {
    std::map<std::string, std::string> all;
    for (const auto& entry : fs::directory_iterator(directory_.path()))
      if (entry.is_regular_file()) all[entry.path().filename().string()] = read_text(entry.path());
    return all;
  };
  const auto before = contents();
  for (const std::string line : {"run beads.toml --report beads.toml",
                                 "run beads.toml --report ./sub/../beads.toml",
                                 "run beads.toml --report here/beads.toml",
                                 "run beads.toml --report soft.html",
                                 "run beads.toml --report hard.html",
                                 "run beads.toml --report table.html",
                                 "run beads.toml --out beads.csv",
                                 "run beads.toml --out here/beads.csv",
                                 "run beads.toml --report beads.toml --dry-run",
                                 "run beads.toml --sweep c=1,2 --report hard.html",
                                 "run beads.toml --sweep c=1,2 --svg hard",
                                 "run swept.toml --sweep c=1,2 --out .",
                                 "run swept.toml --sweep c=1,2 --out run-{c}.h5",
                                 "export beads.toml --to c -o beads.toml",
                                 "export beads.toml --to latex -o here/beads.csv",
                                 "export beads.toml --to latex -o soft.html",
                                 "compare beads.toml --methods verlet,rk4 --report hard.html",
                                 "compare beads.toml --methods verlet --svg hard",
                                 "report run.h5",
                                 "report run.h5 -o run.html",
                                 "report run.csv -o meta.html",
                                 "run beads.toml --out new.json --report here/new.json"}) {
    const Ended ended = trill(line);
    EXPECT_EQ(ended.code, 2) << line << "\n" << ended.err << ended.out;
    EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << line << "\n" << ended.err;
    EXPECT_EQ(contents(), before) << line;
  }
}

TEST_F(Inputs, TwoOutputsAreTwoFiles) {
  fs::create_directory_symlink(".", directory_ / "here");
  const Ended ended = trill("run beads.toml --sweep c=1,2 --report p-1.svg --svg here/p");
  EXPECT_EQ(ended.code, 2) << ended.err;
  EXPECT_FALSE(fs::exists(directory_ / "p-1.svg"));
}

class Names : public testing::Test {
 protected:
  Ended trill(const Words& words) const { return trill_in(directory_.path(), words); }
  static std::string named(std::size_t bytes, const std::string& ending) {
    return std::string(bytes - ending.size(), 'n') + ending;
  }
  Directory directory_;
};

TEST_F(Names, ThatAreLongAreRefusedBeforeTheRunOrWork) {
  for (const std::string ending : {".h5", ".csv", ".json"}) {
    const std::string fits = named(235, ending);
    const Ended ended = trill({"run", "kepler", "--to", "1", "--out", fits});
    EXPECT_EQ(ended.code, 0) << ended.err;
    EXPECT_EQ(trill({"report", fits, "-o", "page.html"}).code, 0);
    for (const std::size_t bytes : {236u, 245u, 246u, 250u, 251u, 255u, 256u}) {
      const std::string name = named(bytes, ending);
      // The run would take hours if it were not refused.
      const Ended refused = trill({"run", "kepler", "--method", "rk4", "--h", "1e-6", "--to", "1e5", "--out", name});
      EXPECT_EQ(refused.code, 3) << bytes << ending;
      EXPECT_THAT(refused.err, mentions(std::to_string(bytes), "235"));
    }
  }
  for (const std::size_t bytes : {236u, 255u}) {
    const std::string page = named(bytes, ".html");
    EXPECT_EQ(trill({"run", "kepler", "--method", "rk4", "--h", "1e-6", "--to", "1e5", "--report", page}).code, 3);
    EXPECT_EQ(trill({"export", "two_springs", "--to", "c", "-o", named(bytes, ".c")}).code, 3);
    EXPECT_EQ(trill({"stability", "verlet", "--svg", named(bytes, "")}).code, 3);
    EXPECT_EQ(trill({"compare", "kepler", "--methods", "verlet", "--report", page}).code, 3);
    EXPECT_EQ(trill({"run", "kepler", "--sweep", "e=0.1,0.2", "--out", "all/" + named(bytes, "{e}.h5")}).code, 3);
  }
  EXPECT_FALSE(fs::exists(directory_ / "all"));
}

TEST_F(Names, ThatAreLinksAreRefusedWithTheirTarget) {
  write_text(directory_ / "target.h5", "mine");
  fs::create_symlink("target.h5", directory_ / "link.h5");
  fs::create_symlink("nothing.html", directory_ / "page.html");
  const Ended run = trill({"run", "kepler", "--method", "rk4", "--h", "1e-6", "--to", "1e5", "--out", "link.h5"});
  EXPECT_EQ(run.code, 3);
  EXPECT_THAT(run.err, mentions("link.h5", "target.h5"));
  EXPECT_EQ(trill({"run", "kepler", "--to", "1", "--report", "page.html"}).code, 3);
  EXPECT_EQ(trill({"export", "two_springs", "--to", "c", "-o", "page.html"}).code, 3);
  fs::create_symlink("../target.h5", (fs::create_directory(directory_ / "all"), directory_ / "all/e=0.1.h5"));
  EXPECT_EQ(trill({"run", "kepler", "--sweep", "e=0.1,0.2", "--out", "all"}).code, 3);
  EXPECT_EQ(read_text(directory_ / "target.h5"), "mine");
  EXPECT_FALSE(fs::exists(directory_ / "nothing.html"));
  for (const char* link : {"link.h5", "page.html", "all/e=0.1.h5"}) EXPECT_TRUE(fs::is_symlink(directory_ / link));
  EXPECT_EQ(directory_.names().size(), 5u);
}

TEST_F(Names, OfAFolderMayLeadThroughALinkAndThatIsSaid) {
  fs::create_directory(directory_ / "large_disk");
  fs::create_directory_symlink("large_disk", directory_ / "results");
  EXPECT_EQ(trill({"run", "kepler", "--to", "1", "--out", "results/run.h5"}).code, 0);
  const Ended sweep = trill({"run", "kepler", "--to", "1", "--sweep", "e=0.1,0.2", "--out", "results/"});
  EXPECT_EQ(sweep.code, 0) << sweep.err;
  EXPECT_THAT(sweep.out, mentions((directory_ / "large_disk").string()));
  EXPECT_TRUE(fs::exists(directory_ / "large_disk/e=0.1.h5"));
}

TEST_F(Names, WithAFolderOfAUserInTheWayAreRefused) {
  fs::create_directories(directory_ / "run.h5.part");
  write_text(directory_ / "run.h5.part/thesis.tex", "mine");
  const Ended run = trill({"run", "kepler", "--to", "1", "--out", "run.h5"});
  EXPECT_EQ(run.code, 2);
  EXPECT_THAT(run.err, mentions("run.h5.part"));
  EXPECT_EQ(directory_.names(), (Words{"run.h5.part", "run.h5.part/thesis.tex"}));
}

class SharedFolder : public testing::Test {
 protected:
  Directory directory_;
};

// Whether the process is writing a file in this folder. Before it begins to, it only reads the locks of others.
bool writes_in(const Process& process, const fs::path& folder) {
  std::error_code none;
  for (const auto& file : fs::directory_iterator(fmt::format("/proc/{}/fd", process.id()), none)) {
    const std::string name = fs::read_symlink(file, none).string();
    if (name.starts_with(folder.string() + "/") && name.find("/.trill.tmp-") != std::string::npos) return true;
  }
  return false;
}

// Several processes run the same sweep, and some are killed. Every process that ends normally ends with a complete
// table.
TEST_F(SharedFolder, OfSeveralSweepsHasNoErrors) {
  for (const std::string file : {"{e}.h5", "{e}.csv"})
    for (const std::string method : {"dopri5 --rtol 1e-9", "verlet --h 1e-3"}) {
      const std::string line = "run kepler --to 30 --every 10 --trust never --checkpoint-seconds 0 --method " + method +
                               " --sweep e=0.1:0.8:12 -j 2 ";
      fs::create_directory(directory_ / "all");
      std::list<Process> processes;
      for (int k = 0; k < 4; ++k) {
        processes.emplace_back(tool_command(words_of(line + "--out all/" + file)),
                               Surroundings{.directory = directory_.path()});
      }
      // All processes must have begun before the kill. One that begins later would find an unfinished run, which is
      // another case.
      for (Process& process : processes) wait_until(process, [&] { return writes_in(process, directory_ / "all"); });
      processes.front().send(SIGKILL);
      processes.front().wait();
      processes.pop_front();
      for (Process& process : processes) {
        const Ended ended = process.wait();
        EXPECT_EQ(ended.code, 0) << ended.err;
        EXPECT_EQ(ended.err, "");
      }
      const Words rows = split(read_text(directory_ / "all/sweep.csv"), '\n');
      EXPECT_EQ(std::count_if(rows.begin(), rows.end(),
                              [](const std::string& row) { return row.find(",reached_end,") != std::string::npos; }),
                12);
      // If the other processes ended before the kill, nobody has yet removed the files of the killed one.
      EXPECT_EQ(trill_in(directory_.path(), words_of(line + "--resume all/" + file)).code, 0);
      for (const std::string& name : directory_.names()) {
        EXPECT_THAT(name, Not(HasSubstr(".part"))) << name;
        EXPECT_THAT(name, Not(HasSubstr(".tmp-"))) << name;
      }
      fs::remove_all(directory_ / "all");
    }
}

TEST_F(SharedFolder, WaitsForAnotherProcessAndTakesWhatItComputed) {
  const std::string one =
      "run kepler --method rk4 --h 1e-4 --to 400 --every 1000 --trust never --param e=0.3 --out all/e=0.3.h5";
  fs::create_directory(directory_ / "all");
  Process slow(tool_command(words_of(one)), {.directory = directory_.path()});
  ASSERT_TRUE(wait_until(slow, [&] { return fs::exists(directory_ / "all/e=0.3.h5.part/header.json"); }));
  const Ended sweep =
      trill_in(directory_.path(), words_of("run kepler --method rk4 --h 1e-4 --to 400 --every 1000 --trust "
                                           "never --sweep e=0.2,0.3 --out all"));
  EXPECT_EQ(sweep.code, 0) << sweep.err;
  EXPECT_EQ(slow.wait().code, 0);
  EXPECT_THAT(read_text(directory_ / "all/sweep.csv"), HasSubstr("\n0.3,reached_end,4000000,"));
}

TEST_F(SharedFolder, AKilledSweepLeavesNoEmptyFolders) {
  const std::string line =
      "run kepler --to 2 --every 10 --trust never --method rk4 --h 1e-3 --sweep e=0.1:0.8:40 -j 2 ";
  for (int k = 1; k <= 12; ++k) {
    Process process(tool_command(words_of(line + (k == 1 ? "--out all" : "--resume all"))),
                    {.directory = directory_.path()});
    process.running(0.008 * k);
    process.send(SIGKILL);
    process.wait();
    for (const std::string& name : directory_.names())
      EXPECT_TRUE(!name.ends_with(".part") || fs::exists(directory_ / (name + "/lock"))) << name;
  }
  const Ended ended =
      trill_in(directory_.path(), words_of(line + (fs::exists(directory_ / "all") ? "--resume all" : "--out all")));
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(directory_.names().size(), 43u);  // the folder, the runs and two summaries
}

// With 1, 2 and 7 processes, and with 7 of which one is killed.
TEST_F(SharedFolder, TheNumberOfProcessesChangesNothing) {
  const int members = std::getenv("TRILL_LONG") ? 1000 : 21;
  const std::string line = fmt::format(
      "run kepler --method dopri5 --rtol 1e-9 --to 20 --dt 1 --trust never -j 1 --sweep e=0:0.9:{} --out ", members);
  ASSERT_EQ(trill_in(directory_.path(), words_of(line + "one")).code, 0);
  const std::string table = read_text(directory_ / "one/sweep.csv");
  for (const int count : {2, 7, -7}) {
    const std::string name = fmt::format("shared{}", count);
    std::list<Process> processes;
    for (int k = 0; k < std::abs(count); ++k)
      processes.emplace_back(tool_command(words_of(line + name)), Surroundings{.directory = directory_.path()});
    if (count < 0) {
      Process& victim = *std::next(processes.begin(), 3);
      wait_until(victim, [&] { return fs::exists(directory_ / name) && writes_in(victim, directory_ / name); });
      victim.send(SIGKILL);
      victim.wait();
      processes.erase(std::next(processes.begin(), 3));
    }
    for (Process& process : processes) {
      const Ended ended = process.wait();
      EXPECT_EQ(ended.code, 0) << ended.err;
    }
    EXPECT_TRUE(read_text(directory_ / name / "sweep.csv") == table) << count;
    std::size_t results = 0;
    for (const auto& file : fs::directory_iterator(directory_ / name)) results += file.path().extension() == ".h5";
    EXPECT_EQ(results, static_cast<std::size_t>(members));
  }
}
}  // namespace
}  // namespace trill::testing_cli
