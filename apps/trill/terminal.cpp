// SPDX-License-Identifier: BSD-3-Clause
#include "terminal.hpp"

#include "base/text.hpp"
#include "base/visible_text.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <optional>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace trill::cli {
namespace {
std::string duration(double seconds) {
  if (seconds < 60) return fmt::format("{:.0f} s", seconds);
  if (seconds < 3600) return fmt::format("{:.0f} min {:.0f} s", std::floor(seconds / 60), std::fmod(seconds, 60));
  return fmt::format("{:.0f} h {:.0f} min", std::floor(seconds / 3600), std::fmod(seconds, 3600) / 60);
}

[[noreturn]] void refuse_output(int error) {
  const std::string text = fmt::format("cannot write to standard output: {}", std::strerror(error));
  if (error == EPIPE) throw ReaderGone(text);
  throw IoError(text);
}

void write_out(const std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) refuse_output(errno);
}

constexpr std::size_t label_width = 10, usual_width = 100, least_width = 60;

// The columns of the reader's terminal, or those that COLUMNS names; not known where the output goes into a file.
std::optional<std::size_t> known_width() {
  if (const char* columns = std::getenv("COLUMNS"))
    if (const auto number = parse_integer(columns); number && *number > 0) return static_cast<std::size_t>(*number);
  winsize size{};
  if (::isatty(STDOUT_FILENO) && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return std::nullopt;
}

std::size_t line_width() { return std::clamp(known_width().value_or(usual_width), least_width, usual_width); }

// On the terminal, of a text in UTF-8.
std::size_t width_of(const std::string& s) {
  return static_cast<std::size_t>(std::count_if(s.begin(), s.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

// As https://no-color.org asks: any value of NO_COLOR that is not empty switches colours off.
bool has_colour(int file) {
  const char *refused = std::getenv("NO_COLOR"), *kind = std::getenv("TERM");
  return isatty(file) && !(refused && *refused) && kind && std::string_view(kind) != "dumb";
}

struct VerdictLook {
  const char *word, *sign, *colour;
};
constexpr std::array<VerdictLook, 3> verdict_looks{
    {{"green", "\u2713", "\033[32m"}, {"amber", "!", "\033[33m"}, {"red", "\u2717", "\033[31m"}}};

// Verdicts get a colour and a sign; the word stays.
std::string with_colours(std::string text) {
  const std::string label = "trust: ";
  for (std::size_t at = text.find(label); at != std::string::npos; at = text.find(label, at + label.size()))
    for (const VerdictLook& look : verdict_looks)
      if (text.compare(at + label.size(), std::strlen(look.word), look.word) == 0)
        text.replace(at + label.size(), std::strlen(look.word),
                     fmt::format("{}{} {}\033[0m", look.colour, look.sign, look.word));
  return text;
}

std::string one_visible_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return visible_text(text);
}
}  // namespace

// A closed one would be taken by the next file that is opened, into which messages would then go.
void open_standard_files() {
  for (const int file : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(file, F_GETFD) < 0) (void)!::open("/dev/null", file == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

std::function<void(double)> progress_bar(const std::string& label, bool quiet) {
  if (quiet || !isatty(STDERR_FILENO)) return nullptr;
  const auto begun = std::chrono::steady_clock::now();
  return [label = visible_text(label), begun, shown = false, last = 0.0](double fraction) mutable {
    const double elapsed = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
    if (fraction >= 1 || fraction < 0) {
      if (shown) std::fputs("\r\033[K", stderr);
      return;
    }
    if (elapsed < 0.5 || elapsed < last + 0.05) return;
    shown = true;
    last = elapsed;
    constexpr int width = 30;
    const int filled = static_cast<int>(fraction * width);
    const std::string left = fraction > 0.001 ? duration(elapsed * (1 - fraction) / fraction) + " left" : "";
    const std::string bar = fmt::format("\r{} [{:=>{}}{:>{}}] {:4.1f} %  {}\033[K", label, "", filled, "",
                                        width - filled, 100 * fraction, left);
    std::fputs(bar.c_str(), stderr);
  };
}

std::string labelled(const std::string& label, const std::string& text) {
  std::string out(label_width - std::min(label_width, label.size()), ' ');
  out += label + (label.empty() ? "  " : ": ");
  const std::size_t line = line_width();
  std::size_t column = out.size();
  bool at_start = true;
  for (const std::string& part : split(text, ' ')) {
    const std::string word = one_visible_line(part);
    const std::size_t width = width_of(word);
    if (!at_start && column + 1 + width > line) {
      out += '\n' + std::string(label_width + 2, ' ');
      column = label_width + 2;
    } else if (!at_start) {
      out += ' ';
      ++column;
    }
    out += word;
    column += width;
    at_start = false;
  }
  return out + "\n";
}

namespace {
// The text in lines of at most this width, broken at blanks; longer words stay whole.
std::vector<std::string> broken(const std::string& text, std::size_t width) {
  if (width_of(text) <= width) return {text};
  std::vector<std::string> lines(1);
  for (const std::string& word : split(text, ' ')) {
    std::string& last = lines.back();
    if (!last.empty() && width_of(last) + 1 + width_of(word) > width)
      lines.push_back(word);
    else
      last += (last.empty() ? "" : " ") + word;
  }
  return lines;
}

std::size_t longest_word(const std::string& text) {
  std::size_t longest = 0;
  for (const std::string& word : split(text, ' ')) longest = std::max(longest, width_of(word));
  return longest;
}

// Makes columns narrower, the widest first, until the table has this width or no column can be broken further.
void fit(std::vector<std::size_t>& widths, const std::vector<std::size_t>& least, std::size_t width) {
  const auto total = [&] { return std::accumulate(widths.begin(), widths.end(), 2 * (widths.size() - 1)); };
  while (total() > width) {
    std::size_t widest = widths.size();
    for (std::size_t i = 0; i < widths.size(); ++i)
      if (widths[i] > least[i] && (widest == widths.size() || widths[i] > widths[widest])) widest = i;
    if (widest == widths.size()) return;
    --widths[widest];
  }
}
}  // namespace

std::string paragraph(const std::string& text) {
  const auto width = known_width();
  return width ? join(broken(text, std::max(*width, least_width)), "\n") + "\n" : text + "\n";
}

std::string text_table(std::vector<std::vector<std::string>> rows) {
  for (auto& row : rows)
    for (std::string& cell : row) cell = one_visible_line(std::move(cell));
  std::vector<std::size_t> widths, least;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()), 0);
    least.resize(widths.size(), 0);
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], width_of(row[i]));
      least[i] = std::max(least[i], longest_word(row[i]));
    }
  }
  if (const auto width = known_width(); width && !widths.empty()) fit(widths, least, *width);
  std::string out;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    std::vector<std::vector<std::string>> cells;
    std::size_t height = 1;
    for (std::size_t i = 0; i < rows[r].size(); ++i) {
      cells.push_back(broken(rows[r][i], widths[i]));
      height = std::max(height, cells.back().size());
    }
    for (std::size_t l = 0; l < height; ++l) {
      std::string line;
      for (std::size_t i = 0; i < cells.size(); ++i) {
        const std::string part = l < cells[i].size() ? cells[i][l] : "";
        line += part;
        if (i + 1 < cells.size()) line.append(widths[i] - width_of(part) + 2, ' ');
      }
      while (height > 1 && line.ends_with(' ')) line.pop_back();
      out += line + "\n";
    }
    if (r == 0) {
      std::size_t total = 0;
      for (const std::size_t w : widths) total += w + 2;
      out += std::string(total - 2, '-') + "\n";
    }
  }
  return out;
}

void print(const std::string& text) {
  write_out(has_colour(STDOUT_FILENO) ? with_colours(visible_text(text)) : visible_text(text));
}
void print_content(const std::string& text) { isatty(STDOUT_FILENO) ? print(text) : write_out(text); }

void print_aside(const std::string& text) {
  const std::string visible = visible_text(text);
  (void)!std::fwrite(visible.data(), 1, visible.size(), stderr);
}

void complain_with_source(const std::string& text) {
  const std::string name = has_colour(STDERR_FILENO) ? "\033[31mtrill:\033[0m " : "trill: ";
  const std::string line = name + visible_text(text) + "\n";
  (void)!std::fwrite(line.data(), 1, line.size(), stderr);
}

void complain(std::string text) { complain_with_source(one_visible_line(std::move(text))); }

void flush_output() {
  if (std::fflush(stdout) != 0 || std::ferror(stdout)) refuse_output(errno);
}
}  // namespace trill::cli
