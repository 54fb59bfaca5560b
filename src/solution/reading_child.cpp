// SPDX-License-Identifier: BSD-3-Clause
#include "solution/reading_child.hpp"

#include "solution/safe_file.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdio>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace trill {
namespace {
struct PieceHead {
  std::uint64_t kind = 0, size = 0;
};

template <class Call>
auto unless_interrupted(const Call& call) {
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

void limit(decltype(RLIMIT_CPU) what, rlim_t most) {
  const rlimit both{most, most};
  ::setrlimit(what, &both);
}

// 0 if the system does not say.
std::uint64_t address_space() {
  unsigned long long pages = 0;
  std::FILE* in = std::fopen("/proc/self/statm", "re");
  if (!in) return 0;
  const bool found = std::fscanf(in, "%llu", &pages) == 1;
  std::fclose(in);
  return found ? pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)) : 0;
}

// The address sanitizer maps terabytes that it does not use.
#if defined(__SANITIZE_ADDRESS__)
constexpr bool memory_can_be_limited = false;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
constexpr bool memory_can_be_limited = false;
#else
constexpr bool memory_can_be_limited = true;
#endif
#else
constexpr bool memory_can_be_limited = true;
#endif

// What libraries print when they crash means nothing to a user.
void silence(int nowhere, int pipe) {
  if (pipe != STDERR_FILENO) ::dup2(nowhere, STDERR_FILENO);
}

void restrict_this_process(const ReadingChild::Limits& limits, std::uint64_t in_use) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  // The process that asked decides what an interruption means; when it ends, this one does.
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::signal(signal, SIG_IGN);
  for (const int signal : {SIGPIPE, SIGXCPU, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) ::signal(signal, SIG_DFL);
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_FSIZE, 0);
  limit(RLIMIT_NPROC, 0);
  limit(RLIMIT_NOFILE, 0);
  limit(RLIMIT_CPU, static_cast<rlim_t>(std::ceil(limits.seconds)));
  if (memory_can_be_limited && in_use > 0) limit(RLIMIT_AS, in_use + limits.bytes);
}
}  // namespace

void ReadingChild::Answer::send(std::uint64_t kind, const void* data, std::size_t size) const {
  const PieceHead head{kind, size};
  const auto put = [this](const void* from, std::size_t left) {
    for (const char* at = static_cast<const char*>(from); left > 0;) {
      const ssize_t written = unless_interrupted([&] { return ::write(pipe_, at, left); });
      if (written < 0) ::_exit(1);  // nobody listens
      at += written;
      left -= static_cast<std::size_t>(written);
    }
  };
  put(&head, sizeof(head));
  put(data, size);
}

ReadingChild::ReadingChild(const Limits& limits, const std::function<void(const Answer&)>& work) : limits_(limits) {
  const std::uint64_t in_use = address_space();
  std::array<int, 2> ends{};
  const int nowhere = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  if (nowhere < 0) throw_io("cannot use", "/dev/null", errno);
  if (::pipe2(ends.data(), O_CLOEXEC) < 0) {
    const int error = errno;
    ::close(nowhere);
    throw_io("cannot use", "a pipe", error);
  }
  id_ = ::fork();
  if (id_ == 0) {
    silence(nowhere, ends[1]);
    restrict_this_process(limits, in_use);
    ::close(ends[0]);
    work(Answer(ends[1]));
    ::_exit(0);
  }
  const int error = errno;
  ::close(nowhere);
  ::close(ends[1]);
  pipe_ = ends[0];
  if (id_ > 0) return;
  ::close(pipe_);
  throw_io("cannot use", "a process of its own", error);
}

ReadingChild::~ReadingChild() {
  ::close(pipe_);
  if (id_ <= 0) return;
  ::kill(id_, SIGKILL);
  unless_interrupted([&] { return ::waitpid(id_, nullptr, 0); });
}

bool ReadingChild::fill(void* data, std::size_t size) {
  for (char* at = static_cast<char*>(data); size > 0;) {
    const ssize_t got = unless_interrupted([&] { return ::read(pipe_, at, size); });
    if (got <= 0) return false;
    at += got;
    size -= static_cast<std::size_t>(got);
  }
  return true;
}

std::uint64_t ReadingChild::receive(std::string& piece) {
  PieceHead head;
  if (!fill(&head, sizeof(head)) || head.size > limits_.most_bytes_a_piece) return 0;
  piece.resize(head.size);
  return fill(piece.data(), piece.size()) ? head.kind : 0;
}

std::string ReadingChild::how_it_ended() {
  ::close(pipe_);
  pipe_ = -1;
  int status = 0;
  unless_interrupted([&] { return ::waitpid(id_, &status, 0); });
  id_ = -1;
  if (WIFSIGNALED(status) && (WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL))
    return fmt::format("took more than {:.0f} s", std::ceil(limits_.seconds));
  return WIFSIGNALED(status) ? "crashed" : "gave no answer";
}
}  // namespace trill
