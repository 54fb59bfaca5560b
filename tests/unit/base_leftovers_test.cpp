// SPDX-License-Identifier: BSD-3-Clause
#include "base/leftovers.hpp"
#include "support/solution_files.hpp"

#include <optional>
#include <thread>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

namespace trill::testing_files {
namespace {
bool has_ended(pid_t program) {
  for (int i = 0; i < 5000; ++i) {
    if (::kill(program, 0) != 0) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

TEST(Leftovers, FilesAreRemovedAndProgramsKilledWhenTheProcessEnds) {
  const TemporaryDirectory directory;
  for (const char* name : {"half", "whole", "foreign"}) std::ofstream(directory / name) << "text";
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const Leftover half(directory / "half");
    { const Leftover whole(directory / "whole"); }
    const Leftover sleeper([] {
      const pid_t program = ::fork();
      ::setpgid(program, program == 0 ? 0 : program);
      if (program == 0)
        while (true) ::pause();
      return program;
    });
    const pid_t program = sleeper.program();
    if (::write(ends[1], &program, sizeof program) != sizeof program) ::_exit(1);
    std::thread([] { end_process(42); }).join();
  }
  pid_t program = 0;
  ASSERT_EQ(::read(ends[0], &program, sizeof program), static_cast<ssize_t>(sizeof program));
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 42);
  EXPECT_TRUE(has_ended(program));
  EXPECT_FALSE(fs::exists(directory / "half"));
  EXPECT_TRUE(fs::exists(directory / "whole"));
  EXPECT_TRUE(fs::exists(directory / "foreign"));
  ::close(ends[0]);
  ::close(ends[1]);
}
}  // namespace
}  // namespace trill::testing_files
