// SPDX-License-Identifier: BSD-3-Clause
#include "base/parallel.hpp"
#include "driver/recorded_run.hpp"
#include "driver/sweep_order.hpp"
#include "solution/claims.hpp"
#include "solution/part_directory.hpp"
#include "solution/segment_recorder.hpp"
#include "support/mentions.hpp"
#include "support/solution_files.hpp"
#include "trill/driver/sweep.hpp"

#include <atomic>
#include <cstring>
#include <fstream>
#include <mutex>
#include <thread>

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

namespace trill::test {
namespace {
using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> values(const std::string& text) { return parse_sweep(text).values; }

template <class Work>
std::string refusal(Work work) {
  try {
    work();
  } catch (const UsageError& e) {
    return e.what();
  }
  return "";
}

TEST(Parallel, EveryNumberOnce) {
  for (const int threads : {1, 2, 7}) {
    std::vector<std::atomic<int>> seen(1000);
    for_each_parallel(seen.size(), threads, [&](std::size_t i) { ++seen[i]; });
    for (const auto& count : seen) EXPECT_EQ(count.load(), 1);
  }
  for_each_parallel(0, 3, [](std::size_t) { FAIL(); });
  EXPECT_GE(available_threads(), 1);
}

TEST(SweepValues, EqualDistancesAndEqualRatios) {
  EXPECT_EQ(parse_sweep("omega2=1,2").parameter, "omega2");
  EXPECT_THAT(values("a=1:3:3"), ElementsAre("1", "2", "3"));
  EXPECT_THAT(values("a=1:3:3lin"), ElementsAre("1", "2", "3"));
  EXPECT_THAT(values("a=3:-1:3"), ElementsAre("3", "1", "-1"));
  EXPECT_THAT(values("a=1:1000:4log"), ElementsAre("1", "10", "100", "1000"));
  EXPECT_THAT(values("a=1000:1:4log"), ElementsAre("1000", "100", "10", "1"));
  EXPECT_THAT(values("a=0:0.5:6"), ElementsAre("0", "0.1", "0.2", "0.3", "0.4", "0.5"));
  EXPECT_THAT(values("a=200:20000:3log"), ElementsAre("200", "2000", "20000"));
  EXPECT_THAT(values("a=5,1e-3,-2"), ElementsAre("5", "0.001", "-2"));
  // The first and the last value are exactly those given, to the last digit.
  EXPECT_EQ(values("a=0.12345678901234:1:2").front(), "0.12345678901234");
}

TEST(SweepValues, MistakesAreNamed) {
  const auto why = [](const char* text) { return refusal([&] { parse_sweep(text); }); };
  for (const char* text : {"omega2", "=1,2", "a=1:2", "a=1:2:3:4", "a=1:x:3", "a=1:2:3x", "a=1:2:", "a=", "a=1,,2",
                           "a=1:2:2.5", "a=nan,1"})
    EXPECT_THAT(why(text), mentions("NAME=FROM:TO:COUNT")) << text;
  EXPECT_THAT(why("a=1:2:1"), mentions("two values", "not 1"));
  EXPECT_THAT(why("a=1:2:0"), mentions("two values", "not 0"));
  EXPECT_THAT(why("a=1:2:-3"), mentions("two values", "not -3"));
  EXPECT_THAT(why("a=7"), mentions("--param a=7"));
  EXPECT_THAT(why("a=0:2:3log"), mentions("log", "positive"));
  EXPECT_THAT(why("a=1:-2:3log"), mentions("log", "positive"));
  EXPECT_THAT(why("a=1:1:3"), mentions("1", "twice"));
  EXPECT_THAT(why("a=2,1,2"), mentions("2", "twice"));
  EXPECT_THAT(why("a=1:2:200000"), mentions("100000", "200000"));
}

RunPlan springs(const char* method = "verlet") {
  RunPlan plan;
  plan.model = "two_springs";
  plan.method = method;
  plan.to = 0.5;
  if (plan.method == "verlet") plan.h = 1e-3;
  return plan;
}

TEST(SweepMembers, AllCombinationsAndTheirFiles) {
  const std::vector<SweepAxis> axes{parse_sweep("omega2=200,500"), parse_sweep("omega1=1:3:3")};
  const Sweep sweep = make_sweep(springs(), axes, "results/");
  ASSERT_EQ(sweep.members.size(), 6u);
  EXPECT_THAT(sweep.members[1].values, ElementsAre("200", "2"));
  EXPECT_THAT(sweep.members[3].values, ElementsAre("500", "1"));
  EXPECT_EQ(sweep.label(sweep.members[5]), "omega2=500,omega1=3");
  EXPECT_EQ(sweep.plan_of(sweep.members[5]).parameters, (OptionSet{{"omega1", "3"}, {"omega2", "500"}}));
  EXPECT_THAT(sweep.members[5].file.string(), testing::StartsWith("results/omega2=500,omega1=3."));
  const Sweep named = make_sweep(springs(), axes, "here/{omega1}-{omega2}.csv");
  EXPECT_EQ(named.members[5].file, "here/3-500.csv");
  EXPECT_EQ(named.directory, "here");
  EXPECT_TRUE(make_sweep(springs(), axes, "").members[0].file.empty());
}

TEST(SweepMembers, WhatCannotBeIsRefused) {
  const auto why = [](std::vector<std::string> texts, const std::string& out = "", RunPlan plan = springs()) {
    std::vector<SweepAxis> axes;
    for (const std::string& text : texts) axes.push_back(parse_sweep(text));
    return refusal([&] { make_sweep(plan, axes, out); });
  };
  EXPECT_THAT(why({"omega3=1,2"}), mentions("'omega3'", "'omega1'", "'omega2'"));
  EXPECT_THAT(why({"omega2=1,2", "omega2=3,4"}), mentions("omega2", "twice"));
  EXPECT_THAT(why({"omega2=1:2:1000", "omega1=1:2:1000"}), mentions("100000", "combinations"));
  RunPlan fixed = springs();
  fixed.parameters["omega2"] = "3";
  EXPECT_THAT(why({"omega2=1,2"}, "", fixed), mentions("omega2", "--param"));
  EXPECT_THAT(why({"omega2=1,2"}, "run.csv"), mentions("run-{omega2}.csv"));
  EXPECT_THAT(why({"omega2=1,2", "omega1=1,2"}, "{omega2}.csv"), mentions("{omega1}"));
  EXPECT_THAT(why({"omega2=1,2"}, "{omega2}{omega4}.csv"), mentions("{omega4}"));
  EXPECT_THAT(why({"omega2=1,2"}, "{omega2}.txt"), mentions(".h5", ".csv", ".json"));
  EXPECT_THAT(why({"omega2=1,2"}, "{omega2}/run.csv"), mentions("directory"));
}

// Collects the rows of all members as they are passed to look().
struct Collected {
  std::mutex mutex;
  std::vector<Mat> y, measured;

  explicit Collected(std::size_t members) : y(members), measured(members) {}
  void look(std::size_t member, const RunInfo& info, const RowSource& rows) {
    const Index n = info.layout.size(), m = static_cast<Index>(info.quantities.size());
    Mat a(n, rows.rows()), b(m, rows.rows());
    Index at = 0;
    rows.visit([&](double, const double* row, const double* more) {
      a.col(at) = Eigen::Map<const Vec>(row, n);
      b.col(at++) = Eigen::Map<const Vec>(more, m);
    });
    const std::lock_guard lock(mutex);
    y[member] = a;
    measured[member] = b;
  }
};

bool same_bits(const Mat& a, const Mat& b) {
  return a.rows() == b.rows() && a.cols() == b.cols() && a.size() > 0 &&
         std::memcmp(a.data(), b.data(), sizeof(double) * static_cast<std::size_t>(a.size())) == 0;
}

TEST(SweepRuns, AreThoseOneByOneWhateverTheNumberOfThreads) {
  for (const char* method : {"verlet", "dopri5"})  // verlet runs members joined, dopri5 each alone
    for (const int threads : {1, 2, 5}) {
      Sweep sweep = make_sweep(springs(method), {parse_sweep("omega2=20:90:13")}, "");
      Collected all(sweep.members.size());
      SweepOptions options;
      options.threads = threads;
      options.check = threads == 2 ? When::always : When::never;
      options.look = [&](std::size_t i, const RunInfo& info, const RowSource& rows) { all.look(i, info, rows); };
      run_sweep(sweep, options);
      for (std::size_t i = 0; i < sweep.members.size(); ++i) {
        const SweepMember& member = sweep.members[i];
        PreparedRun run = prepare(sweep.plan_of(member));
        const Solution alone = run.run();
        EXPECT_TRUE(member.ok());
        EXPECT_TRUE(same_bits(all.y[i], alone.y()));
        EXPECT_TRUE(same_bits(all.measured[i], alone.measured()));
        EXPECT_EQ(member.outcome.counters.forces, alone.outcome.counters.forces);
        EXPECT_EQ(member.outcome.counters.steps, alone.outcome.counters.steps);
        ASSERT_FALSE(member.measured.empty());
        EXPECT_EQ(member.measured[0].first, "energy");
        EXPECT_EQ(member.measured[0].second, alone.measured()(0, alone.rows() - 1));
        if (threads != 2) continue;
        const Trust trust = check_trust(run, alone.outcome, alone, {.most_seconds = HUGE_VAL});
        EXPECT_EQ(member.trust.verdict, trust.verdict);
        EXPECT_EQ(member.trust.headline, trust.headline);
        EXPECT_NE(member.trust.verdict, Verdict::none);
      }
    }
}

// Of many members only eight are checked, the first and the last among them. The other members say which.
TEST(SweepRuns, ASampleIsChecked) {
  Sweep sweep = make_sweep(springs("verlet"), {parse_sweep("omega2=20:90:15")}, "");
  run_sweep(sweep, {});
  int checked = 0;
  for (const SweepMember& member : sweep.members) {
    const bool says_which = member.trust.headline.find("of the 15 runs those with omega2=20;") != std::string::npos;
    EXPECT_TRUE(!says_which || member.trust.verdict == Verdict::none);
    checked += !says_which;
  }
  EXPECT_EQ(checked, 8);
  EXPECT_THAT(sweep.members.front().trust.headline, testing::Not(mentions("Not checked itself")));
  EXPECT_THAT(sweep.members.back().trust.headline, testing::Not(mentions("Not checked itself")));
}

// There are few rows, so errors are judged by all steps, and a remark says what the rows do not show.
TEST(SweepRuns, AreJudgedByTheirStepsAsIfAlone) {
  RunPlan plan = springs("verlet");
  plan.output = Grid{*plan.to / 2};
  Sweep sweep = make_sweep(plan, {parse_sweep("omega2=20:90:5")}, "");
  SweepOptions options;
  options.check = When::always;
  run_sweep(sweep, options);
  for (const SweepMember& member : sweep.members) {
    PreparedRun run = prepare(sweep.plan_of(member));
    const Solution alone = run.run();
    const Trust trust = check_trust(run, alone.outcome, alone, {.most_seconds = HUGE_VAL});
    EXPECT_EQ(member.trust.headline, trust.headline);  // it contains the largest error relative to its scale
    bool beyond_rows = false;
    for (std::size_t i = 0; i < static_cast<std::size_t>(alone.y().rows()); ++i) {
      const auto row = alone.y().row(static_cast<Index>(i));
      beyond_rows |= trust.rows[i].scale > 1.1 * (row.maxCoeff() - row.minCoeff());
    }
    EXPECT_TRUE(beyond_rows);
  }
}

TEST(SweepRuns, FailuresStayWithTheirMembers) {
  RunPlan plan = springs();
  plan.h = 0.01;
  plan.to = 5;
  Sweep sweep = make_sweep(plan, {parse_sweep("omega2=10,9000,-1,20")}, "");
  run_sweep(sweep, {});
  EXPECT_TRUE(sweep.members[0].ok());
  EXPECT_EQ(sweep.members[1].status(), "non_finite");
  EXPECT_NE(sweep.members[1].why(), "");
  EXPECT_EQ(sweep.members[1].trust.verdict, Verdict::red);
  EXPECT_EQ(sweep.members[2].status(), "error");
  EXPECT_THAT(sweep.members[2].why(), mentions("range"));
  EXPECT_TRUE(sweep.members[3].ok());
  EXPECT_EQ(sweep.members[3].why(), "");
}

TEST(SweepRuns, ProgressGrowsToOne) {
  for (const char* method : {"verlet", "dopri5"}) {
    Sweep sweep = make_sweep(springs(method), {parse_sweep("omega2=100:900:9")}, "");
    std::vector<double> told;
    SweepOptions options;
    options.threads = 2;
    options.progress = [&](double fraction) { told.push_back(fraction); };
    run_sweep(sweep, options);
    ASSERT_GT(told.size(), 2u);
    EXPECT_TRUE(std::is_sorted(told.begin(), told.end()));
    EXPECT_GT(told[told.size() - 2], 0.999);
    EXPECT_EQ(told.back(), 1);
  }
}

TEST(SweepRuns, AStopLeavesTheRestUndone) {
  std::atomic<bool> stop{false};
  Sweep sweep = make_sweep(springs("dopri5"), {parse_sweep("omega2=10:90:9")}, "");
  SweepOptions options;
  options.stop = &stop;
  options.look = [&](std::size_t member, const RunInfo&, const RowSource&) { stop = member == 2; };
  run_sweep(sweep, options);
  for (std::size_t i = 0; i < 9; ++i) EXPECT_EQ(sweep.members[i].status(), i <= 2 ? "reached_end" : "not run") << i;
}

// The files that a process leaves behind if it is killed while it repeats a run that is already finished.
TEST(SweepRuns, RemoveWhatAKilledProcessLeft) {
  const testing_files::TemporaryDirectory folder;
  Sweep sweep = make_sweep(springs("dopri5"), {parse_sweep("omega2=10:40:4")}, (folder / "{omega2}.csv").string());
  SweepOptions options;
  std::shared_ptr<PartFolder> held;
  options.look = [&](std::size_t member, const RunInfo& info, const RowSource&) {
    const auto& file = sweep.members[member].file;
    if (member == 0) PartFolder::make(part_of(file), "");  // killed before it wrote anything
    RunInfo other = info;
    if (member == 2) other.settings["rtol"] = "0.5";
    if (member == 1 || member == 2) SegmentRecorder(file).begin(other);
    if (member == 3) held = PartFolder::make(part_of(file), "");  // still at work
  };
  run_sweep(sweep, options);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(sweep.members[i].status(), "reached_end") << i;
    EXPECT_EQ(std::filesystem::exists(part_of(sweep.members[i].file)), i >= 2) << i;
  }
}

// Two sweeps share one folder. Each member is run once, by one of the two.
TEST(SharedSweeps, RunEachMemberOnce) {
  for (const char* method : {"verlet", "dopri5"}) {
    const testing_files::TemporaryDirectory folder;
    const auto make = [&] {
      return make_sweep(springs(method), {parse_sweep("omega2=20:90:23")}, (folder / "{omega2}.json").string());
    };
    Sweep one = make(), two = make();
    {
      const std::jthread other([&] { run_sweep(two, {}); });
      run_sweep(one, {});
    }
    for (std::size_t i = 0; i < one.members.size(); ++i) {
      EXPECT_NE(one.members[i].was_there, two.members[i].was_there) << i;
      EXPECT_TRUE(one.members[i].ok());
      EXPECT_EQ(one.members[i].state, two.members[i].state);
      EXPECT_FALSE(one.members[i].state.empty());
    }
    Sweep late = make();
    run_sweep(late, {});
    for (const SweepMember& member : late.members) EXPECT_TRUE(member.was_there);
    EXPECT_FALSE(std::filesystem::exists(folder / ".trill.claims"));
  }
}

TEST(SharedSweeps, ReplaceDamagedAndUncheckedFiles) {
  const testing_files::TemporaryDirectory folder;
  const auto make = [&] {
    return make_sweep(springs("dopri5"), {parse_sweep("omega2=20:90:3")}, (folder / "{omega2}.json").string());
  };
  Sweep first = make();
  SweepOptions unchecked;
  unchecked.check = When::never;
  run_sweep(first, unchecked);
  std::ofstream(first.members[1].file) << "{}";
  Sweep again = make();
  run_sweep(again, unchecked);
  EXPECT_TRUE(again.members[0].was_there);
  EXPECT_FALSE(again.members[1].was_there);
  Sweep checked = make();
  run_sweep(checked, {});
  for (const SweepMember& member : checked.members) {
    EXPECT_FALSE(member.was_there);
    EXPECT_NE(member.trust.verdict, Verdict::none);
  }
}

// A process was killed after it had published the first attempt at a member, which was not accurate enough, and before
// it began the next attempt.
TEST(SharedSweeps, GoOnBetweenTwoAttempts) {
  const testing_files::TemporaryDirectory folder;
  RunPlan plan;
  plan.model = "two_springs";
  plan.accuracy = 1e-5;
  const auto make = [&](const char* name) {
    return make_sweep(plan, {parse_sweep("omega2=20,50")}, (folder / name).string() + "-{omega2}.json");
  };
  Sweep whole = make("whole"), broken = make("broken");
  run_sweep(whole, {});
  ASSERT_FALSE(whole.members[0].attempts.empty());
  {
    RecordedRun attempt(prepare(broken.plan_of(broken.members[0])), {.file = broken.members[0].file});
    attempt.open();
    attempt.solve();
    attempt.judge({}, nullptr);
    attempt.publish();
  }
  const pid_t child = ::fork();
  if (child == 0) {
    Claims claims(folder.path());
    claims.take(broken.members[0].file.filename().string());
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  SweepOptions options;
  options.resume = true;
  run_sweep(broken, options);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_FALSE(broken.members[i].attempts.empty()) << i;
    EXPECT_EQ(broken.members[i].trust.verdict, Verdict::green) << i;
  }
  // Now everything is finished, and nothing is repeated.
  Sweep once_more = make("broken");
  run_sweep(once_more, options);
  for (const SweepMember& member : once_more.members) EXPECT_TRUE(member.was_there);
}

TEST(SweepOrder, BeginsWithTheLongest) {
  Sweep sweep = make_sweep(springs(), {parse_sweep("omega2=20:90:8"), parse_sweep("omega1=1:3:3")}, "");
  SweepOrder order(sweep, sweep.members.size());
  const auto steps = [](std::size_t member) { return 100 * (1 << (member / 3)) - 10 * static_cast<int>(member % 3); };
  std::vector<std::size_t> taken;
  for (std::size_t k = 0; k < 24; ++k) {
    taken.push_back(order.next_longest());
    order.learn(taken.back(), steps(taken.back()));
  }
  EXPECT_THAT(std::vector(taken.begin(), taken.begin() + 4), ElementsAre(0, 2, 21, 23));  // the corners
  for (std::size_t k = 5; k < 24; ++k) EXPECT_GE(steps(taken[k - 1]), steps(taken[k])) << k;
  SweepOrder natural(sweep, 24);
  EXPECT_EQ(natural.next(), 0u);
  EXPECT_EQ(natural.next_longest(), 2u);
  EXPECT_EQ(natural.next(), 1u);
}
}  // namespace
}  // namespace trill::test
