// SPDX-License-Identifier: BSD-3-Clause
// Every command that the documentation or the help shows does what is stated there.
#include "papers/figure.hpp"
#include "tool.hpp"

#include <algorithm>
#include <cstdlib>
#include <regex>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace trill::testing_cli {
namespace {
using testing::HasSubstr;

struct Line {
  std::string command;
  int code = 0;  // stated by "# exit 2" at the end of the line
};

// The lines that begin with "trill " in code blocks marked sh.
std::vector<Line> shown_lines(const std::string& text) {
  static const std::regex exit_code(R"(#\s*exit\s+(\d+)\s*$)");
  std::vector<Line> lines;
  std::istringstream in(text);
  bool inside = false;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("```")) {
      inside = !inside && line.starts_with("```sh");
    } else if (inside && line.starts_with("trill ")) {
      std::smatch found;
      lines.push_back({line, std::regex_search(line, found, exit_code) ? std::stoi(found[1]) : 0});
    }
  }
  return lines;
}

std::vector<std::string> documents() {
  const fs::path root(TRILL_SOURCE_DIR);
  std::vector<std::string> names;
  const auto add = [&](const fs::path& path) {
    if (path.extension() == ".md" && !shown_lines(read_text(path)).empty())
      names.push_back(fs::relative(path, root).string());
  };
  if (fs::exists(root / "README.md")) add(root / "README.md");
  if (fs::exists(root / "docs"))
    for (const auto& entry : fs::recursive_directory_iterator(root / "docs")) add(entry.path());
  std::sort(names.begin(), names.end());
  return names;
}

// The name if the command is "trill figure NAME" and nothing else. Figures are computed and judged by tests/papers.
std::string figure_in(const std::string& command) {
  static const std::regex of_a_figure(R"(trill figure (\w+)\s*)");
  std::smatch found;
  return std::regex_match(command, found, of_a_figure) ? found[1].str() : "";
}

class Document : public testing::TestWithParam<std::string> {};

TEST_P(Document, ItsCommandsWorkInOrder) {
  const Directory directory;
  const bool computes_figures = std::getenv("TRILL_LONG") != nullptr;
  for (const Line& line : shown_lines(read_text(fs::path(TRILL_SOURCE_DIR) / GetParam()))) {
    if (const std::string figure = figure_in(line.command); !figure.empty() && !computes_figures) {
      EXPECT_NO_THROW(FigureRegistry::all().find(figure)) << line.command;
      continue;
    }
    const Ended ended = run({"/bin/sh", "-c", line.command}, {.directory = directory.path(), .tool_on_path = true});
    EXPECT_EQ(ended.code, line.code) << line.command << "\n" << ended.out << ended.err;
    EXPECT_EQ(ended.err.empty(), line.code == 0) << line.command << "\n" << ended.err;
  }
}
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Document);
INSTANTIATE_TEST_SUITE_P(Docs, Document, testing::ValuesIn(documents()), [](const auto& info) {
  std::string name = info.param;
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
});

TEST(Document, LinesAreFoundWithTheirExitCodes) {
  const auto lines = shown_lines("trill a\n```sh\ntrill b\nls\ntrill c   # exit 2\n```\n```\ntrill d\n```\n");
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].command, "trill b");
  EXPECT_EQ(lines[1].code, 2);
}

TEST(Document, FiguresAreLeftToTheirOwnTestsUnlessMoreIsAskedOfThem) {
  EXPECT_EQ(figure_in("trill figure onset"), "onset");
  EXPECT_EQ(figure_in("trill figure onset --report page.html"), "");
  EXPECT_EQ(figure_in("trill run onset"), "");
}

std::vector<std::string> verbs(const std::string& help) {
  std::vector<std::string> names;
  std::istringstream in(help.substr(help.find("Subcommands:")));
  std::string line;
  std::getline(in, line);
  static const std::regex verb(R"(^  ([a-z]+)\s.*)");
  for (std::smatch found; std::getline(in, line) && std::regex_match(line, found, verb);) names.push_back(found[1]);
  return names;
}

// The commands in lines such as "  trill run x    what it does", without the explanation.
std::vector<std::string> examples(const std::string& help) {
  std::vector<std::string> lines;
  std::istringstream in(help);
  for (std::string line; std::getline(in, line);)
    if (line.starts_with("  trill ")) {
      line = line.substr(2);
      lines.push_back(line.substr(0, line.find("  ")));
    }
  return lines;
}

TEST(Help, OfTheToolAndEveryVerbShowsExamplesThatWork) {
  const Directory directory;
  fs::copy_file(fs::path(TRILL_SOURCE_DIR) / "examples/flexible_body/blade.toml", directory / "blade.toml");
  const Ended top = trill_in(directory.path(), {"--help"});
  ASSERT_EQ(top.code, 0);
  EXPECT_EQ(top.err, "");
  const std::vector<std::string> all = verbs(top.out);
  EXPECT_GE(all.size(), 10u);
  std::vector<std::string> helps{top.out};
  for (const std::string& verb : all) {
    const Ended help = trill_in(directory.path(), {verb, "--help"});
    EXPECT_EQ(help.code, 0) << verb;
    EXPECT_EQ(help.err, "") << verb;
    helps.push_back(help.out);
  }
  for (const std::string& help : helps) {
    EXPECT_THAT(help, HasSubstr("Examples:"));
    const auto lines = examples(help);
    EXPECT_FALSE(lines.empty()) << help;
    for (const std::string& line : lines) {
      if (line.find("--resume") != std::string::npos) continue;
      const Ended ended =
          run({"/bin/sh", "-c", line}, {.directory = directory.path(), .timeout = 250, .tool_on_path = true});
      EXPECT_EQ(ended.code, 0) << line << "\n" << ended.err;
      EXPECT_EQ(ended.err, "") << line;
    }
  }
}

TEST(Help, OfRunExplainsItsOptions) {
  const Ended help = trill_in("", {"run", "--help"});
  for (const char* option :
       {"--method", "--h ", "--rtol", "--to", "--every", "--dt", "--out", "--resume", "--report", "--check", "--trust",
        "--json", "--checkpoint-every", "--checkpoint-seconds", "--param", "--set", "--seed", "--dry-run"})
    EXPECT_THAT(help.out, HasSubstr(option));
}
}  // namespace
}  // namespace trill::testing_cli
