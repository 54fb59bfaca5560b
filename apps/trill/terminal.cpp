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
constexpr const char* verdict_label = "trust";
constexpr std::size_t sign_width = 2;  // of the sign that a verdict gets on a terminal with colours

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
  const std::string label = fmt::format("{}: ", verdict_label);
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

// The descriptor of a closed stream would be given to the next file that is opened, into which messages would then go.
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
  const std::size_t line = line_width() - (label == verdict_label ? sign_width : 0);
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
// A word, divided behind hyphens between letters: "Belousov-", "Zhabotinskii". Options stay whole.
std::vector<std::string> pieces_of(const std::string& word) {
  const auto is_letter = [&](std::size_t at) { return std::isalpha(static_cast<unsigned char>(word[at])) != 0; };
  std::vector<std::string> pieces(1);
  for (std::size_t at = 0; at < word.size(); ++at) {
    pieces.back() += word[at];
    if (word[at] == '-' && at > 0 && at + 1 < word.size() && is_letter(at - 1) && is_letter(at + 1))
      pieces.emplace_back();
  }
  return pieces;
}

// The text in lines of at most this width, broken at blanks and in long words at hyphens; other words stay whole.
std::vector<std::string> broken(const std::string& text, std::size_t width) {
  if (width_of(text) <= width) return {text};
  std::vector<std::string> lines(1);
  const auto add = [&](const std::string& piece, const char* before) {
    std::string& last = lines.back();
    if (!last.empty() && width_of(last) + width_of(before) + width_of(piece) > width)
      lines.push_back(piece);
    else
      last += (last.empty() ? "" : before) + piece;
  };
  for (const std::string& word : split(text, ' ')) {
    const bool fits = width_of(word) <= width;
    const char* before = " ";
    for (const std::string& piece : fits ? std::vector<std::string>{word} : pieces_of(word)) {
      add(piece, before);
      before = "";
    }
  }
  return lines;
}

std::size_t longest_word(const std::string& text) {
  std::size_t longest = 0;
  for (const std::string& word : split(text, ' '))
    for (const std::string& piece : pieces_of(word)) longest = std::max(longest, width_of(piece));
  return longest;
}

constexpr std::size_t between_columns = 2;

// Makes columns narrower, the widest first, until the table has this width or no column can be broken further.
void fit(std::vector<std::size_t>& widths, const std::vector<std::size_t>& least, std::size_t width) {
  const auto total = [&] {
    return std::accumulate(widths.begin(), widths.end(), between_columns * (widths.size() - 1));
  };
  while (total() > width) {
    std::size_t widest = widths.size();
    for (std::size_t i = 0; i < widths.size(); ++i)
      if (widths[i] > least[i] && (widest == widths.size() || widths[i] > widths[widest])) widest = i;
    if (widest == widths.size()) return;
    --widths[widest];
  }
}

using Rows = std::vector<std::vector<std::string>>;

struct ColumnWidths {
  std::vector<std::size_t> widths, least;
};

ColumnWidths widths_of(const Rows& rows) {
  ColumnWidths found;
  for (const auto& row : rows) {
    found.widths.resize(std::max(found.widths.size(), row.size()), 0);
    found.least.resize(found.widths.size(), 0);
    for (std::size_t i = 0; i < row.size(); ++i) {
      found.widths[i] = std::max(found.widths[i], width_of(row[i]));
      found.least[i] = std::max(found.least[i], longest_word(row[i]));
    }
  }
  return found;
}

std::string table_with(const Rows& rows, const std::vector<std::size_t>& widths) {
  std::string out;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    Rows cells;
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
        if (i + 1 < cells.size()) line.append(widths[i] - width_of(part) + between_columns, ' ');
      }
      while (height > 1 && line.ends_with(' ')) line.pop_back();
      out += line + "\n";
    }
    if (r == 0) {
      std::size_t total = 0;
      for (const std::size_t w : widths) total += w + between_columns;
      out += std::string(total - between_columns, '-') + "\n";
    }
  }
  return out;
}

// Where the words of a line begin that go on in the next one: below its text, or in a list below the explanations.
std::size_t indent_of(const std::string& line) {
  const std::size_t text = std::min(line.find_first_not_of(' '), line.size());
  const std::size_t gap = line.find("  ", text);
  const std::size_t second = gap == line.npos ? line.npos : line.find_first_not_of(' ', gap);
  return second == line.npos ? text : second;
}

std::string wrapped(const std::string& line, std::size_t width) {
  if (width_of(line) <= width) return line;
  std::size_t indent = indent_of(line);
  if (3 * indent > 2 * width) indent = line.find_first_not_of(' ');
  if (3 * indent > 2 * width) return line;
  const std::string below = "\n" + std::string(indent, ' ');
  return line.substr(0, indent) + join(broken(line.substr(indent), width - indent), below);
}
}  // namespace

std::string paragraph(const std::string& text) {
  std::string whole = text.ends_with('\n') ? text : text + "\n";
  const auto width = known_width();
  if (!width) return whole;
  std::string out;
  for (std::size_t at = 0; at < whole.size();) {
    const std::size_t end = whole.find('\n', at);
    out += wrapped(whole.substr(at, end - at), std::max(*width, least_width)) + "\n";
    at = end + 1;
  }
  return out;
}

// Columns that do not fit beside the others follow below, after the first column again.
std::string text_table(std::vector<std::vector<std::string>> rows) {
  for (auto& row : rows)
    for (std::string& cell : row) cell = one_visible_line(std::move(cell));
  auto [widths, least] = widths_of(rows);
  const auto width = known_width();
  if (!width || widths.empty()) return table_with(rows, widths);
  std::string out;
  for (std::size_t first = 1; first <= widths.size();) {
    std::size_t last = first, needed = least[0];
    while (last < widths.size() && (last == first || needed + between_columns + least[last] <= *width))
      needed += between_columns + least[last++];
    const auto part_of = [&](const auto& all) {
      auto part = all;
      if (part.size() > last) part.erase(part.begin() + static_cast<std::ptrdiff_t>(last), part.end());
      if (part.size() > first)
        part.erase(part.begin() + 1, part.begin() + static_cast<std::ptrdiff_t>(first));
      else if (first > 1 && !part.empty())
        part.erase(part.begin() + 1, part.end());
      return part;
    };
    Rows part;
    for (const auto& row : rows) part.push_back(part_of(row));
    std::vector<std::size_t> shown = part_of(widths);
    fit(shown, part_of(least), *width);
    out += (out.empty() ? "" : "\n") + table_with(part, shown);
    if (last == widths.size()) break;
    first = last;
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
