// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include <sys/types.h>

namespace trill {
// A process of its own for libraries that a damaged or hostile file can crash, keep busy for ever or lead to other
// files. It inherits what is open and nothing else: it cannot open, create or write a file or start a program, it has
// limited time and memory, and it answers through a pipe, in pieces that have a kind and a size.
class ReadingChild {
 public:
  struct Limits {
    double seconds = 3;                    // of the processor
    std::uint64_t bytes = 1ull << 30;      // of memory, beyond what this process has
    std::uint64_t most_bytes_a_piece = 0;  // a larger one is taken for an attack
  };
  class Answer {
   public:
    explicit Answer(int pipe) : pipe_(pipe) {}
    void send(std::uint64_t kind, const void* data, std::size_t size) const;

   private:
    int pipe_;
  };
  // The child does `work`, which must not throw, and ends. No other thread may hold a lock that `work` needs.
  ReadingChild(const Limits& limits, const std::function<void(const Answer&)>& work);
  ReadingChild(const ReadingChild&) = delete;
  ReadingChild& operator=(const ReadingChild&) = delete;
  ~ReadingChild();  // kills what is still running

  // The next piece, whose kind is returned; 0 if the child ended before a whole one came.
  std::uint64_t receive(std::string& piece);
  std::string how_it_ended();  // "took more than 3 s", "crashed"; to be called when receive() gave 0

 private:
  bool fill(void* data, std::size_t size);
  Limits limits_;
  int pipe_ = -1;
  pid_t id_ = -1;
};
}  // namespace trill
