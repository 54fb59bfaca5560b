// SPDX-License-Identifier: BSD-3-Clause
#include "origin.hpp"

#include <chrono>

#include <fmt/chrono.h>
#include <unistd.h>

namespace trill::cli {
namespace {
std::string now_utc() {
  return fmt::format("{:%Y-%m-%d %H:%M:%S} UTC",
                     fmt::gmtime(std::chrono::system_clock::to_time_t(std::chrono::system_clock::now())));
}
}  // namespace

void fill_origin(RunInfo& info) {
  char host[256] = {};
  gethostname(host, sizeof host - 1);
  info.host = host;
  info.version = TRILL_VERSION;
  info.started = now_utc();
}
}  // namespace trill::cli
