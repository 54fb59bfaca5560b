// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/base/errors.hpp"

#include <functional>
#include <string>
#include <vector>

namespace trill::cli {
// A progress bar with the remaining time on stderr; nothing is shown if stderr is not a terminal or `quiet` is set.
std::function<void(double)> progress_bar(const std::string& label, bool quiet);

// Aligns the columns; the first row is the header. Where the terminal is too narrow, cells are broken at blanks;
// columns that do not fit even so come below the others, after the first column again.
std::string text_table(std::vector<std::vector<std::string>> rows);

// A text that ends in a line break; long lines are broken at blanks where the width of the terminal is known, and go on
// below the beginning of their text.
std::string paragraph(const std::string& text);

// "  LABEL: TEXT\n" for a summary: labels end in one column, and longer texts go on below their beginning.
// They are broken at blanks; a line break in the text stands for a blank at which they are not broken.
std::string labelled(const std::string& label, const std::string& text);

// Nobody reads standard output any longer, as after `| head -1`. This is not an error and needs no message.
struct ReaderGone : IoError {
  using IoError::IoError;
};
// Standard input, output and error that are closed become ones that cannot be read or written.
void open_standard_files();

// All text for people goes through these functions, which make control characters visible (base/visible_text.hpp): it
// quotes files, whose titles, names and units anybody may have written.
// Writes to standard output; a failed write becomes an IoError instead of being ignored.
void print(const std::string& text);
// The same for the content of a file, which stays as it is unless it goes to a terminal.
void print_content(const std::string& text);
// For people who read standard error, because standard output carries the rows.
void print_aside(const std::string& text);
void flush_output();
// Writes "trill: TEXT" as one line to standard error. If that is closed or full, nothing more can be done.
void complain(std::string text);
// The same, but keeps line breaks: for a message that shows the place in a file.
void complain_with_source(const std::string& text);
}  // namespace trill::cli
