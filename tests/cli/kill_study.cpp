// SPDX-License-Identifier: BSD-3-Clause
#include "kill_study.hpp"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace trill::testing_cli {
namespace {
class Killer {
 public:
  explicit Killer(const KillStudy& study) : study_(study) {}

  void go() {
    unbroken_ = run(command("--out"), {.directory = whole_.path()});
    ASSERT_TRUE(unbroken_.code == 0 || unbroken_.code == 1) << unbroken_.err;
    ASSERT_EQ(whole_.names().front(), study_.file) << "a part directory is left";
    longest_ = 0.5 * unbroken_.seconds;
    while (hits_ < study_.kills || resume_ || ended_runs_ == 0) {
      ASSERT_LT(attempts_, 20 * study_.kills + 50) << "the run does not get on";
      attempt();
      if (testing::Test::HasFatalFailure()) return;
    }
    fmt::print("unbroken {:.2f} s; {} kills in {} attempts, {} resumed from a checkpoint, {} ends compared\n",
               unbroken_.seconds, hits_, attempts_, from_checkpoint_, ended_runs_);
    EXPECT_GT(from_checkpoint_, 0) << "no run was ever resumed from a checkpoint";
  }

 private:
  Words command(const std::string& where) const {
    Words words = words_of("run " + study_.run + " -q");
    words.push_back(where);
    words.push_back(study_.file);
    return tool_command(words);
  }
  fs::path part() const { return broken_ / (study_.file + ".part"); }

  void attempt() {
    const int newest = newest_checkpoint(part());
    const bool safe = resume_ && newest >= 0;
    from_checkpoint_ += safe;
    Process process(command(resume_ ? "--resume" : "--out"), {.directory = broken_.path()});
    if (hits_ < study_.kills) {
      ++attempts_;
      if (reaches_its_moment(process, newest)) process.send(SIGKILL);
    }
    const Ended ended = process.wait();
    if (ended.signal == SIGKILL) {
      ASSERT_FALSE(ended.timed_out);
      ++hits_;
      resume_ = true;
    } else if (ended.code == 2 && ended.err.find("there is no interrupted run") != std::string::npos) {
      ASSERT_FALSE(safe);
      resume_ = false;  // it was killed before it had begun
    } else {
      compare(ended);
    }
  }

  // A quarter of the kills come at any time from the start, the others soon after a new checkpoint, since a kill
  // before the first checkpoint shows little.
  bool reaches_its_moment(Process& process, int newest) {
    const double share = std::uniform_real_distribution<>(0, 1)(random_);
    const bool anywhere = study_.kills >= 3 && std::uniform_int_distribution<>(0, 3)(random_) == 0;
    if (anywhere) return process.running(share * longest_);
    const bool stored = wait_until(process, [&] { return newest_checkpoint(part()) > newest; });
    return stored && (study_.kills < 3 || process.running(0.05 * share * longest_));
  }

  void compare(const Ended& ended) {
    if (!(ended.code == 2 && ended.err.find("is already finished") != std::string::npos)) {
      ASSERT_EQ(ended.code, unbroken_.code) << ended.err;
      ASSERT_EQ(ended.err, unbroken_.err);
      longest_ = std::max(0.1 * unbroken_.seconds, 0.9 * longest_);
    }
    ++ended_runs_;
    ASSERT_EQ(difference_of_files(whole_ / study_.file, broken_ / study_.file), "");
    ASSERT_EQ(broken_.names(), whole_.names());
    for (const std::string& name : broken_.names()) fs::remove(broken_ / name);
    resume_ = false;
  }

  const KillStudy& study_;
  Directory whole_, broken_;
  Ended unbroken_;
  std::mt19937_64 random_{20240229};
  double longest_ = 0;
  int attempts_ = 0, hits_ = 0, from_checkpoint_ = 0, ended_runs_ = 0;
  bool resume_ = false;
};
}  // namespace

int wanted_kills(int otherwise) {
  const char* text = std::getenv("TRILL_KILLS");
  return text ? std::max(1, std::atoi(text)) : otherwise;
}

void kill_and_resume(const KillStudy& study) { Killer(study).go(); }
}  // namespace trill::testing_cli
