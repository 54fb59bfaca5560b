// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/base/errors.hpp"

#include <atomic>
#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace trill::cli {
// Set by SIGINT and SIGTERM; a second signal ends the program at once.
const std::atomic<bool>& stop_requested();
void install_signal_handlers();
int stop_signal();  // the signal received, 0 if none

// A bar with the time left on stderr; silent when stderr is no terminal or quiet.
std::function<void(double)> progress_bar(const std::string& label, bool quiet);

// Columns lined up; the first row is the header.
std::string text_table(const std::vector<std::vector<std::string>>& rows);

// Nobody reads standard output any longer, as after `| head -1`: no mistake, and nobody is to be told.
struct ReaderGone : IoError {
  using IoError::IoError;
};
// Standard output, with a failed write as an IoError instead of silence.
void print(const std::string& text);
void flush_output();
// "trill: TEXT" as one line on standard error. Where that is closed or full there is nobody left to tell.
void complain(std::string text);
// The same with its lines kept: a message that shows the place in a file.
void complain_with_source(const std::string& text);
}  // namespace trill::cli
