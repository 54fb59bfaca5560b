// SPDX-License-Identifier: BSD-3-Clause
#include "solution/claims.hpp"
#include "support/solution_files.hpp"

#include <csignal>
#include <fstream>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace trill::test {
namespace {
using Taken = Claims::Taken;

// Runs `work` in another process, which ends without any clean-up.
template <class Work>
void in_a_process_that_dies(Work work) {
  const pid_t child = ::fork();
  if (child == 0) {
    work();
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
}

class ClaimsInAFolder : public testing::Test {
 protected:
  void write_claim_of_another_machine(const std::string& last_line) {
    std::filesystem::create_directory(folder_ / ".trill.claims");
    std::ofstream(folder_ / ".trill.claims" / "a.h5.claim") << "trill claim\nanother machine\n17 4711\nelsewhere\n"
                                                            << last_line << "\n";
  }
  bool is_empty() { return std::filesystem::is_empty(folder_.path()); }
  testing_files::TemporaryDirectory folder_;
};

TEST_F(ClaimsInAFolder, HaveOneOwner) {
  {
    Claims one(folder_.path()), two(folder_.path());
    EXPECT_FALSE(two.is_claimed("a.h5"));
    EXPECT_EQ(one.take("a.h5"), Taken::fresh);
    EXPECT_FALSE(two.sees_others());
    EXPECT_EQ(two.take("a.h5"), Taken::not_at_all);
    EXPECT_TRUE(two.sees_others());
    EXPECT_EQ(two.take("b.h5"), Taken::fresh);
    EXPECT_TRUE(two.is_claimed("a.h5"));
    one.release("a.h5");
    EXPECT_EQ(two.take("a.h5"), Taken::fresh);
    two.release("a.h5");
    two.release("b.h5");
  }
  EXPECT_TRUE(is_empty());
}

TEST_F(ClaimsInAFolder, OfADeadProcessAreTakenOver) {
  in_a_process_that_dies([&] {
    Claims claims(folder_.path());
    claims.take("a.h5");
    ::_exit(0);
  });
  Claims claims(folder_.path());
  EXPECT_TRUE(claims.is_claimed("a.h5"));
  EXPECT_EQ(claims.take("a.h5"), Taken::from_a_dead_process);
  Claims other(folder_.path());
  EXPECT_EQ(other.take("a.h5"), Taken::not_at_all);
}

// The limit kills the process when it writes the first byte of a claim.
TEST_F(ClaimsInAFolder, OfAProcessThatWasKilledWhileItMadeThemAreNotWaitedFor) {
  in_a_process_that_dies([&] {
    const rlimit nothing{0, 0};
    ::setrlimit(RLIMIT_FSIZE, &nothing);
    ::signal(SIGXFSZ, SIG_DFL);
    Claims(folder_.path()).take("a.h5");
  });
  {
    Claims claims(folder_.path());
    EXPECT_FALSE(claims.is_claimed("a.h5"));
    EXPECT_EQ(claims.take("a.h5"), Taken::fresh);
    claims.release("a.h5");
  }
  EXPECT_TRUE(is_empty());
}

TEST_F(ClaimsInAFolder, OfAnotherMachineAreTakenOverWhenNobodyTouchesThem) {
  double now = 0;
  write_claim_of_another_machine("first");
  Claims claims(folder_.path(), {.patience = 60, .now = [&] { return now; }});
  EXPECT_EQ(claims.take("a.h5"), Taken::not_at_all);
  now = 59;
  EXPECT_EQ(claims.take("a.h5"), Taken::not_at_all);
  // The claim is touched: only its time changes. The clock of the other machine may be behind ours.
  std::filesystem::last_write_time(folder_ / ".trill.claims" / "a.h5.claim",
                                   std::filesystem::file_time_type::clock::now() - std::chrono::hours(5));
  now = 61;
  EXPECT_EQ(claims.take("a.h5"), Taken::not_at_all);
  now = 120;
  EXPECT_EQ(claims.take("a.h5"), Taken::not_at_all);
  now = 122;
  EXPECT_EQ(claims.take("a.h5"), Taken::from_a_dead_process);
  claims.release("a.h5");
}

TEST_F(ClaimsInAFolder, AreTouchedWhileTheyAreHeld) {
  Claims claims(folder_.path(), {.beat = 0.01});
  claims.take("a.h5");
  const auto file = folder_ / ".trill.claims" / "a.h5.claim";
  const auto old = std::filesystem::file_time_type::clock::now() - std::chrono::hours(1);
  std::filesystem::last_write_time(file, old);
  while (std::filesystem::last_write_time(file) == old) std::this_thread::yield();
  claims.release("a.h5");
}

// A process that paused for too long finds that its claim was taken over. It must not remove the claim of its
// successor.
TEST_F(ClaimsInAFolder, ThatWereTakenOverAreNotReleasedByTheirFormerOwner) {
  Claims sleeper(folder_.path());
  sleeper.take("a.h5");
  std::filesystem::remove(folder_ / ".trill.claims" / "a.h5.claim");
  write_claim_of_another_machine("successor");
  sleeper.release("a.h5");
  EXPECT_TRUE(sleeper.is_claimed("a.h5"));
}

TEST_F(ClaimsInAFolder, TheFirstTextIsThatOfAll) {
  Claims one(folder_.path()), two(folder_.path());
  EXPECT_EQ(one.agree("choice", "verlet"), "verlet");
  EXPECT_EQ(two.agree("choice", "rk4"), "verlet");
  two.forget("choice");
  EXPECT_EQ(two.agree("choice", "rk4"), "rk4");
  two.forget("choice");
}
}  // namespace
}  // namespace trill::test
