// SPDX-License-Identifier: BSD-3-Clause
// Whatever is wrong with a command, one sentence says so, the exit code tells the kind of mistake, and nothing is
// written.
#include "base/whole_file.hpp"
#include "support/mentions.hpp"
#include "tool.hpp"

#include <algorithm>
#include <csignal>
#include <random>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace trill::testing_cli {
namespace {
using testing::HasSubstr;

struct Wrong {
  const char* command;
  int code;
  std::vector<const char*> says;
};
void PrintTo(const Wrong& w, std::ostream* out) { *out << w.command; }

void expect_one_sentence(const Ended& ended, int code, const std::string& command) {
  EXPECT_EQ(ended.code, code) << command << "\n" << ended.err;
  EXPECT_EQ(ended.signal, 0) << command;
  EXPECT_EQ(ended.out, "") << command;
  EXPECT_TRUE(ended.err.starts_with("trill: ")) << command << "\n" << ended.err;
  EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << command << "\n" << ended.err;
  EXPECT_TRUE(ended.err.ends_with("\n")) << command;
}

class BadInput : public testing::TestWithParam<Wrong> {};

TEST_P(BadInput, IsRefusedInOneSentence) {
  const Directory directory;
  const Wrong& wrong = GetParam();
  const Ended ended = trill_in(directory.path(), words_of(wrong.command));
  expect_one_sentence(ended, wrong.code, wrong.command);
  for (const char* text : wrong.says) EXPECT_THAT(ended.err, HasSubstr(text));
  EXPECT_TRUE(directory.names().empty()) << directory.names().front();
}

const Wrong names[] = {
    {"", 2, {"trill run stiff_spring", "--help"}},
    {"rnu", 2, {"'rnu'", "'run'"}},
    {"run kepler --want fast", 2, {"'fast'; known names: full, slow, amplitude, statistics, envelope, steady\n"}},
    {"frobnicate", 2, {"'frobnicate'", "trill --help"}},
    {"--vrsion", 2, {"'--vrsion'", "'--version'"}},
    {"run", 2, {"'model'", "trill list models"}},
    {"list", 2, {"'what'", "methods | models"}},
    {"compare kepler", 2, {"'--methods'"}},
    {"run stiff_sprin", 2, {"model 'stiff_sprin'", "'stiff_spring'"}},
    {"run two_springs --method hmm --set stagse=plain", 2, {"hmm", "dopri5", "'stagse'", "'stages'"}},
    {"run two_springs --method hmm --set macro=slow", 2, {"slow", "hmm", "macro="}},
    {"run two_springs --method hmm --set macro=dopri", 2, {"method 'dopri'", "'dopri5'"}},
    {"run two_springs --method hmm --set omega=3", 2, {"'omega'", "mode=paper", "dae=relax"}},
    {"run weakly_coupled --method sam --set steps=2", 2, {"sam", "steps=2", "3 or more"}},
    {"run stiff_spring --method verlett", 2, {"method 'verlett'", "'verlet'"}},
    {"run stiff_spring --metod verlet", 2, {"'--metod'", "'--method'"}},
    {"run stiff_spring -x", 2, {"'-x'", "--help"}},
    {"run stiff_spring twice", 2, {"'twice'"}},
    {"run stiff_spring --param epsilo=1", 2, {"'epsilo'", "'epsilon'"}},
    {"run stiff_spring --set frm=1", 2, {"'frm'", "dopri5"}},
    {"run stiff_spring --method verlet --set frm=position", 2, {"'frm'", "verlet"}},
    {"run stiff_spring --set control=ode54", 2, {"'ode54'", "ode45"}},
    {"run stiff_spring --param epsilon", 2, {"--param", "'epsilon'", "NAME=VALUE"}},
    {"run --param epsilon=1e-3 stiff_spring --to 1", 2, {"--param", "'stiff_spring'", "NAME=VALUE", "model"}},
    {"run stiff_spring --set =3", 2, {"'=3'", "NAME=VALUE"}},
    {"run stiff_spring --formulation rigid", 2, {"'rigid'", "'rigid_limit'"}},
    {"run kepler --formulation rigid_limit", 2, {"rigid_limit", "stiff gaps", "kepler"}},
    {"figure pjy97_fig99", 2, {"'pjy97_fig99'", "pjy97_fig"}},
    {"list method", 2, {"'method'", "'methods'"}},
    {"describe verlett", 2, {"'verlett'", "'verlet'"}},
    {"cite verlett", 2, {"'verlett'", "'verlet'"}},
    {"inspect stiff_sprin", 2, {"'stiff_sprin'", "stiff_spring"}},
    {"stability verlett", 2, {"'verlett'", "'verlet'"}},
    {"stability cvode_bdf", 2, {"cvode_bdf", "own steps"}},
    {"stability composition4 --set scheme=suzuki", 2, {"'suzuki'", "suzuki4"}},
    {"order verlett", 2, {"'verlett'", "'verlet'"}},
    {"compare kepler --methods verlet,verlett", 2, {"'verlett'", "'verlet'"}},
    {"compare kepler --methods verlet --points 0", 2, {"--points", "1 to 12"}},
    {"run stiff_spring --check maybe", 2, {"'maybe'", "off | auto | full"}},
    {"run stiff_spring --trust maybe", 2, {"'maybe'"}},
};
INSTANTIATE_TEST_SUITE_P(Names, BadInput, testing::ValuesIn(names));

const Wrong numbers[] = {
    {"run stiff_spring --h abc", 2, {"--h", "'abc'", "number"}},
    {"run stiff_spring --h -1", 2, {"h", "positive", "-1"}},
    {"run stiff_spring --h 0", 2, {"h", "positive", "0"}},
    {"run stiff_spring --h nan", 2, {"--h", "'nan'"}},
    {"run stiff_spring --h inf", 2, {"--h", "'inf'"}},
    {"run stiff_spring --h 1e-3x", 2, {"--h", "'1e-3x'"}},
    {"run stiff_spring --h", 2, {"--h"}},
    {"run stiff_spring --rtol 2", 2, {"rtol", "between 0 and 1"}},
    {"run stiff_spring --rtol -1e-3", 2, {"rtol", "-0.001"}},
    {"run stiff_spring --atol -1", 2, {"atol"}},
    {"run stiff_spring --h 0.1 --rtol 1e-3", 2, {"either", "h", "rtol"}},
    {"run stiff_spring --h 0.1 --atol 1e-3", 2, {"atol", "rtol"}},
    {"run stiff_spring --method verlet --rtol 1e-3", 2, {"verlet", "no error estimate", "h"}},
    {"run stiff_spring --method verlet --rtol 1e-3 --dry-run", 2, {"verlet", "no error estimate", "h"}},
    {"run stiff_spring --method cvode_bdf --h 0.1", 2, {"cvode_bdf", "rtol"}},
    {"run stiff_spring --to 0", 2, {"t = 0"}},
    {"run stiff_spring --from 3 --to 3", 2, {"t = 3"}},
    {"run stiff_spring --to nan", 2, {"--to", "'nan'"}},
    {"run stiff_spring --param epsilon=-1", 2, {"'epsilon'", "-1", "> 0"}},
    {"run stiff_spring --param epsilon=small", 2, {"'epsilon'", "'small'"}},
    {"run fermi_pasta_ulam --param m=2.5", 2, {"'m'", "'2.5'"}},
    {"run stiff_spring --every 0", 2, {"--every", "1 or more"}},
    {"run stiff_spring --every 1.5", 2, {"--every", "'1.5'", "whole"}},
    {"run stiff_spring --dt -1", 2, {"output interval", "-1"}},
    {"run stiff_spring --dt 0", 2, {"output interval"}},
    {"run kepler --method verlet --h 1e-16 --to 2", 2, {"h = 1e-16", "2e+16"}},
    {"run kepler --method verlet --h 0.1 --to 1e20", 2, {"h = 0.1", "1e+21"}},
    {"run kepler --dt 1e-300 --to 3", 2, {"dt = 1e-300", "3e+300"}},
    {"run kepler --h-max 1e-250 --to 5 --dry-run", 2, {"h_max = 1e-250", "5e+250"}},
    {"run kepler --from -1e308 --to 1e308", 2, {"finite"}},
    {"run stiff_spring --every 2 --dt 1", 2, {"--every", "--dt"}},
    {"run stiff_spring --seed -1", 2, {"--seed", "-1"}},
    {"run stiff_spring --max-steps 0", 2, {"--max-steps"}},
    {"run stiff_spring --checkpoint-every 0", 2, {"--checkpoint-every"}},
    {"run stiff_spring --checkpoint-seconds -1", 2, {"--checkpoint-seconds"}},
};
INSTANTIATE_TEST_SUITE_P(Numbers, BadInput, testing::ValuesIn(numbers));

const Wrong combinations[] = {
    {"run harmonic --method rattle", 2, {"rattle", "harmonic", "verlet"}},
    {"run rigid --method verlet", 2, {"verlet", "rigid", "rattle"}},
    {"run kepler --method langevin_splitting", 2, {"langevin_splitting", "kepler"}},
    {"run rectifier --method verlet", 2, {"verlet", "rectifier"}},
    {"run kepler --method circuit_trapezoidal", 2, {"circuit_trapezoidal", "kepler"}},
    {"order cvode_bdf", 2, {"cvode_bdf"}},
    {"run langevin --to -1", 2, {"langevin", "backwards", "t = 0"}},
};
INSTANTIATE_TEST_SUITE_P(Combinations, BadInput, testing::ValuesIn(combinations));

const Wrong files[] = {
    {"run stiff_spring --out run.xyz", 2, {"run.xyz", ".h5", ".csv", ".json"}},
    {"run stiff_spring --out run", 2, {"run: ", ".h5"}},
    {"run stiff_spring --dry-run --out run.pdf", 2, {"run.pdf", ".h5"}},
    {"run stiff_spring --dry-run --out missing/run.h5", 3, {"missing/run.h5"}},
    {"run stiff_spring --dry-run --report missing/run.html", 3, {"missing/run.html"}},
    {"run stiff_spring --out ''", 2, {"--out"}},
    {"run stiff_spring --report ''", 2, {"--report"}},
    {"run stiff_spring --out missing/run.h5", 3, {"missing/run.h5", "directory missing"}},
    {"run stiff_spring --report missing/run.html", 3, {"missing/run.html", "directory missing"}},
    {"run stiff_spring --report .", 3, {"directory"}},
    {"figure pjy97_fig1 --report missing/f.html", 3, {"missing/f.html"}},
    {"figure pjy97_fig1 --svg missing/f", 3, {"missing/f"}},
    {"stability verlet --report missing/s.html", 3, {"missing/s.html"}},
    {"compare kepler --methods verlet --report missing/c.html", 3, {"missing/c.html"}},
    {"run stiff_spring --resume run.h5", 2, {"run.h5", "--out run.h5"}},
    {"run stiff_spring --resume run.h5 --out run.h5", 2, {"--resume", "--out"}},
    {"report run.h5", 3, {"run.h5", "exist"}},
    {"report run.csv", 3, {"run.csv", "exist"}},
    {"report run.json", 3, {"run.json", "exist"}},
    {"report run.h5.part", 3, {"run.h5.part"}},
    {"report .", 2, {".h5"}},
    {"cite run.h5", 3, {"run.h5", "exist"}},
};
INSTANTIATE_TEST_SUITE_P(Files, BadInput, testing::ValuesIn(files));

TEST(BadFile, OutIsADirectory) {
  const Directory directory;
  fs::create_directory(directory / "run.h5");
  expect_one_sentence(trill_in(directory.path(), {"run", "stiff_spring", "--out", "run.h5"}), 3, "--out directory");
  expect_one_sentence(trill_in(directory.path(), {"report", "run.h5"}), 3, "report directory");
  EXPECT_EQ(directory.names(), Words{"run.h5"});
}

// A damaged solution is refused, and no page is written. If the format cannot show the damage, it may be read.
class Damaged : public testing::TestWithParam<const char*> {};

TEST_P(Damaged, IsRefused) {
  const Directory directory;
  const std::string name = GetParam();
  ASSERT_EQ(trill_in(directory.path(), {"run", "stiff_spring", "--to", "1", "--every", "4", "-q", "--out", name}).code,
            0);
  const std::string whole = read_text(directory / name);
  std::mt19937_64 random(5);
  const auto refused = [&](const std::string& bytes, const std::string& what) {
    write_text(directory / name, bytes);
    const Ended ended = trill_in(directory.path(), {"report", name, "-o", "page.html"});
    expect_one_sentence(ended, 3, what);
    EXPECT_THAT(ended.err, HasSubstr(name)) << what;
    EXPECT_FALSE(fs::exists(directory / "page.html")) << what;
  };
  refused("", "empty");
  std::string noise(4096, '\0');
  for (char& c : noise) c = static_cast<char>(random());
  refused(noise, "noise");
  refused("<html>not a solution</html>\n", "another file");
  std::vector<std::size_t> lengths{
      1, 7, 8, 9, 95, 96, 97, whole.size() / 2, whole.size() - 3};  // text may end without its line break
  for (int i = 0; i < 20; ++i) lengths.push_back(random() % (whole.size() - 2));
  for (const std::size_t length : lengths)
    refused(whole.substr(0, length), fmt::format("{} of {} bytes", length, whole.size()));
  write_text(directory / name, whole);
  EXPECT_EQ(trill_in(directory.path(), {"report", name, "-o", "page.html"}).code, 0);
}
INSTANTIATE_TEST_SUITE_P(Formats, Damaged, testing::Values("run.h5", "run.csv", "run.json"),
                         [](const auto& info) { return std::string(info.param).substr(4); });

TEST(Damaged, FlippedBytesNeverCrash) {
  const Directory directory;
  ASSERT_EQ(trill_in(directory.path(), {"run", "stiff_spring", "--to", "1", "-q", "--out", "run.h5"}).code, 0);
  const std::string whole = read_text(directory / "run.h5");
  std::mt19937_64 random(6);
  for (int i = 0; i < 25; ++i) {
    std::string bytes = whole;
    const std::size_t at = random() % bytes.size();
    bytes[at] = static_cast<char>(bytes[at] ^ (1 << random() % 8));
    write_text(directory / "run.h5", bytes);
    const Ended ended = trill_in(directory.path(), {"report", "run.h5", "-o", "page.html"});
    EXPECT_EQ(ended.signal, 0) << "byte " << at;
    EXPECT_TRUE(ended.code == 0 || ended.code == 3) << "byte " << at << ": " << ended.err;
  }
}

TEST(Resume, OfAFinishedRunIsRefused) {
  const Directory directory;
  ASSERT_EQ(trill_in(directory.path(), words_of("run stiff_spring --to 1 -q --out run.h5")).code, 0);
  const std::string before = read_text(directory / "run.h5");
  const Ended ended = trill_in(directory.path(), words_of("run stiff_spring --to 1 --resume run.h5"));
  expect_one_sentence(ended, 2, "finished");
  EXPECT_THAT(ended.err, mentions("run.h5", "finished"));
  EXPECT_EQ(read_text(directory / "run.h5"), before);
}

// If a run is killed in its first or last moment, a marked directory may remain beside the finished file, with its own
// or a temporary name.
TEST(Resume, ClearsTheDirectoryOfAFinishedRun) {
  for (const bool has_its_name : {true, false}) {
    const Directory directory;
    const fs::path part = directory / "run.h5.part";
    ASSERT_EQ(trill_in(directory.path(), words_of("run stiff_spring --to 1 -q --out run.h5")).code, 0);
    {
      Process process(tool_command(words_of("run kepler --method verlet --h 1e-4 --to 1e6 --every 1000 --out run.h5")),
                      {.directory = directory.path()});
      ASSERT_TRUE(wait_until(process, [&] { return fs::exists(part / "header.json"); }));
      process.send(SIGKILL);
    }
    if (has_its_name)
      for (const auto& entry : fs::directory_iterator(part))
        fs::remove(entry.path().filename() == "lock" ? fs::path() : entry.path());
    else
      fs::rename(part, directory / temporary_name());
    const Ended ended = trill_in(directory.path(), words_of("run stiff_spring --to 1 --resume run.h5"));
    expect_one_sentence(ended, 2, has_its_name ? "its name" : "temporary name");
    EXPECT_THAT(ended.err, mentions("run.h5", "finished"));
    EXPECT_EQ(directory.names(), Words{"run.h5"}) << has_its_name;
  }
}

TEST(Resume, LeavesAForeignDirectoryAlone) {
  const Directory directory;
  fs::create_directory(directory / "run.h5.part");
  write_text(directory / "run.h5.part/notes.txt", "mine");
  expect_one_sentence(trill_in(directory.path(), words_of("run stiff_spring --to 1 --resume run.h5")), 2, "resume");
  EXPECT_EQ(read_text(directory / "run.h5.part/notes.txt"), "mine");
}

TEST(Resume, WithOtherSettingsNamesTheSetting) {
  const Directory directory;
  // A run that ended by --max-steps is finished; one that was killed can be resumed.
  const std::string run = "run kepler --method verlet --h 1e-3 --to 1e6 --every 1000 --checkpoint-seconds 0 ";
  {
    Process process(tool_command(words_of(run + "--out run.h5")), {.directory = directory.path()});
    ASSERT_TRUE(wait_until(process, [&] { return newest_checkpoint(directory / "run.h5.part") >= 1; }));
    process.send(SIGKILL);
  }
  const auto refused = [&](const std::string& command, const char* says) {
    const Ended ended = trill_in(directory.path(), words_of(command));
    expect_one_sentence(ended, 2, command);
    EXPECT_THAT(ended.err, HasSubstr(says)) << command;
  };
  refused("run kepler --method verlet --h 2e-3 --to 1e6 --every 1000 --resume run.h5", "setting h: 0.001, now 0.002");
  refused("run kepler --method verlet --h 1e-3 --to 2e6 --every 1000 --resume run.h5", "setting to: ");
  refused("run kepler --method verlet --h 1e-3 --to 1e6 --dt 1 --resume run.h5", "setting output: ");
  refused("run kepler --method composition4 --h 1e-3 --to 1e6 --every 1000 --resume run.h5",
          "method: verlet, now composition4");
  refused("run harmonic --method verlet --h 1e-3 --to 1e6 --every 1000 --resume run.h5", "problem: ");
  refused("run kepler --method verlet --h 1e-3 --to 1e6 --every 1000 --seed 2 --resume run.h5",
          "setting seed: 1, now 2");
  refused("run kepler --param e=0.5 --method verlet --h 1e-3 --to 1e6 --every 1000 --resume run.h5",
          "parameter e: 0.6, now 0.5");
  refused(run + "--out run.h5", "--resume run.h5");
  EXPECT_TRUE(fs::exists(directory / "run.h5.part/header.json"));
}
}  // namespace
}  // namespace trill::testing_cli
