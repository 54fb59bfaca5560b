// SPDX-License-Identifier: BSD-3-Clause
// Titles, units, references and names of files may contain anything. The terminal must not receive anything that it
// would execute.
#include "support/mentions.hpp"
#include "tool.hpp"
#include "trill/solution/solution_file.hpp"

#include <algorithm>
#include <array>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <stdlib.h>
#include <unistd.h>

namespace trill::testing_cli {
namespace {
using testing::HasSubstr;

// The text would clear the screen, set the title of the window, do both with one-byte controls, and write from right
// to left.
constexpr const char* evil_model = R"(title = "swing\u001b[2J\u009b31m \u202erevo\u202c ü"
reference = "Nobody\u001b]0;title\u0007, 1999"
equations = "x'' = -x\u001b[8m"
time_unit = "s\u001b[1m"
[parameters]
k = { value = 4, unit = "N/m\u001b[5m", what = "stiffness\u202d" }
[coordinates]
x = { start = 1, velocity = 0, unit = "m\u001b[7m" }
[[potential]]
energy = "k*x^2/2"
[[measure]]
name = "twice"
value = "2*x"
unit = "m\u0085"
[[event]]
name = "low\u001b[3m"
when = "x"
then = { vx = "-vx" }
)";

void expect_harmless(const std::string& text, const std::string& command) {
  const auto controls = [](unsigned char c) { return (c < 0x20 && c != '\n' && c != '\t') || c == 0x7f; };
  EXPECT_FALSE(std::any_of(text.begin(), text.end(), controls)) << command << "\n" << text;
  for (const char* hidden : {"\u0085", "\u009b", "\u202d", "\u202e", "\u202c"})
    EXPECT_EQ(text.find(hidden), text.npos) << command << "\n" << text;
}

class TerminalText : public testing::Test {
 protected:
  Ended trill(const std::string& line) {
    Ended ended = trill_in(directory.path(), words_of(line));
    expect_harmless(ended.out, line);
    expect_harmless(ended.err, line);
    return ended;
  }
  void SetUp() override { write_text(directory / "evil.toml", evil_model); }
  Directory directory;
};

TEST_F(TerminalText, OfAModel) {
  for (const char* line :
       {"check evil.toml", "inspect evil.toml", "inspect evil.toml --json", "describe evil.toml", "cite evil.toml",
        "run evil.toml --to 3", "run evil.toml --to 3 --json", "run evil.toml --dry-run",
        "compare evil.toml --methods verlet,rk4 --to 1", "order verlet --model evil.toml"}) {
    const Ended ended = trill(line);
    EXPECT_NE(ended.code, -1) << line;
    EXPECT_NE(ended.out + ended.err, "") << line;
  }
  EXPECT_THAT(trill("check evil.toml").out, HasSubstr("swing\\u001b[2J\\u009b31m \\u202erevo\\u202c \u00fc"));
  EXPECT_THAT(trill("cite evil.toml").out, HasSubstr("Nobody\\u001b]0;title\\u0007, 1999"));
}

TEST_F(TerminalText, OfJsonStaysJson) {
  const Ended ended = trill("run evil.toml --to 3 --json");
  ASSERT_EQ(ended.code, 0) << ended.err;
  EXPECT_FALSE(nlohmann::json::parse(ended.out).empty());
}

TEST_F(TerminalText, OfASolution) {
  for (const char* name : {"run.csv", "run.json"}) {
    ASSERT_EQ(trill(fmt::format("run evil.toml --to 3 -q --out {}", name)).code, 0);
    EXPECT_THAT(trill(fmt::format("cite {}", name)).out, HasSubstr("Nobody\\u001b]0;title\\u0007, 1999"));
    EXPECT_EQ(trill(fmt::format("report {}", name)).code, 0);
  }
}

TEST_F(TerminalText, OfMessagesThatQuote) {
  write_text(directory / "worse.toml", std::string("title = \"t\"\n[coordinates]\nx = { start = 1 }\n[[potential]]\n") +
                                           "energy = \"x^2*bad\u202e\u009b\"\n");
  EXPECT_EQ(trill("check worse.toml").code, 2);
  write_text(directory / "bytes.toml", "title = \"\x1b[2J\"\n");
  EXPECT_EQ(trill("check bytes.toml").code, 2);
  EXPECT_EQ(trill("run no\x1b[2Jmodel").code, 2);
  EXPECT_EQ(trill("report no\x1b[2J.h5").code, 3);
  EXPECT_EQ(trill("report no\x9b"
                  "2J.h5")
                .code,
            3);
  EXPECT_EQ(trill("run evil.toml --frob\x1b[2J").code, 2);
  EXPECT_EQ(trill("frob\x1b[2J").code, 2);
  fs::rename(directory / "evil.toml", directory / "evil\x1b[2J.toml");
  EXPECT_EQ(trill("check evil\x1b[2J.toml").code, 0);
}

// The output of the tool on a terminal. It is read while the tool runs, since the buffer of a terminal is small.
std::string seen_on_a_terminal(const Words& words, const std::function<void()>& before_run) {
  const int terminal = ::posix_openpt(O_RDWR | O_NOCTTY);
  if (terminal < 0 || ::grantpt(terminal) != 0 || ::unlockpt(terminal) != 0) return "no terminal";
  const std::string name = ::ptsname(terminal);
  const int kept_open = ::open(name.c_str(), O_RDWR | O_NOCTTY | O_CLOEXEC);  // kept open until the tool has ended
  std::string text;
  std::thread reader([&] {
    std::array<char, 4096> part;
    for (ssize_t count = 0; (count = ::read(terminal, part.data(), part.size())) > 0;)
      text.append(part.data(), static_cast<std::size_t>(count));
  });
  const Ended ended = run(tool_command(words), {.standard_output = name, .before_run = before_run});
  EXPECT_EQ(ended.code, 0) << ended.err;
  ::close(kept_open);
  reader.join();
  ::close(terminal);
  return text;
}

TEST(TerminalColours, VerdictsHaveAColourASignAndTheWordUnlessColoursAreRefused) {
  const Words words{"run", "kepler", "--to", "1"};
  const auto plain = [] {
    ::setenv("TERM", "xterm", 1);
    ::unsetenv("NO_COLOR");
  };
  EXPECT_THAT(seen_on_a_terminal(words, plain), HasSubstr("trust: \033[32m\u2713 green\033[0m."));
  const auto refused = [&] {
    plain();
    ::setenv("NO_COLOR", "1", 1);
  };
  EXPECT_THAT(seen_on_a_terminal(words, refused), HasSubstr("trust: green."));
  const auto dumb = [&] {
    plain();
    ::setenv("TERM", "dumb", 1);
  };
  EXPECT_THAT(seen_on_a_terminal(words, dumb), HasSubstr("trust: green."));
}

// The length of the longest line in characters, not counting colours.
std::size_t widest_line(const std::string& text) {
  std::size_t widest = 0, width = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c == 0x1b)
      i = std::min(text.find('m', i), text.size());
    else if (c == '\n' || c == '\r')
      width = 0;
    else if ((c & 0xC0) != 0x80)
      widest = std::max(widest, ++width);
  }
  return widest;
}

TEST(TerminalWidth, TablesAndTextsFitEightyColumns) {
  const auto narrow = [] {
    ::setenv("TERM", "xterm", 1);
    ::setenv("COLUMNS", "80", 1);
  };
  for (const Words& words :
       {Words{"list", "figures"}, Words{"check", "four_bar"}, Words{"list", "methods"}, Words{"list", "models"},
        Words{"help", "run"}, Words{"--help"}, Words{"describe", "radau"}, Words{"inspect", "two_springs"},
        Words{"run", "kepler", "--to", "1"}, Words{"run", "kepler", "--to", "1", "--sweep", "e=0.1:0.8:3"}}) {
    const std::string seen = seen_on_a_terminal(words, narrow);
    EXPECT_LE(widest_line(seen), 80u) << words[0] << "\n" << seen;
    EXPECT_GT(widest_line(seen), 50u) << words[0] << "\n" << seen;
  }
}

// Columns for which there is no room come below, again after the first column.
TEST(TerminalWidth, NoColumnOfATableIsLost) {
  const Words words{"run", "kepler", "--to", "1", "--sweep", "e=0.1:0.8:3"};
  const std::string wide = seen_on_a_terminal(words, [] { ::setenv("COLUMNS", "200", 1); }),
                    narrow = seen_on_a_terminal(words, [] { ::setenv("COLUMNS", "60", 1); });
  const std::string head = wide.substr(wide.find("\ne "), wide.find("--", wide.find("\ne ")) - wide.find("\ne "));
  for (const std::string& column : words_of(head)) EXPECT_THAT(narrow, HasSubstr(column));
  EXPECT_GT(words_of(head).size(), 6u) << head;
  EXPECT_LE(widest_line(narrow), 60u) << narrow;
}

TEST_F(TerminalText, HelpOfAVerb) {
  EXPECT_EQ(trill("help run").out, trill("run --help").out);
  EXPECT_EQ(trill("help").out, trill("--help").out);
  EXPECT_EQ(trill("help rum").code, 2);
  EXPECT_EQ(trill("help run list").code, 2);
}
}  // namespace
}  // namespace trill::testing_cli
