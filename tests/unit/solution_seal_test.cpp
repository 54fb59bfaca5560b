// SPDX-License-Identifier: BSD-3-Clause
// Solution files that were damaged, edited on purpose, written by an earlier version, or made to do harm.
#include "solution/part_directory.hpp"
#include "solution/run_json.hpp"
#include "support/mentions.hpp"
#include "support/recorded_map.hpp"

#include <cstring>

#include <sys/stat.h>

namespace trill::testing_files {
namespace {
class SealedFormat : public testing::TestWithParam<const char*> {
 protected:
  TemporaryDirectory dir;
  fs::path file() const { return dir / GetParam(); }
};
INSTANTIATE_TEST_SUITE_P(SolutionSeal, SealedFormat, testing::Values("run.csv", "run.csv.meta.json", "run.json"),
                         [](const auto& info) {
                           return info.index == 0 ? "csv" : info.index == 1 ? "sidecar" : "json";
                         });

std::string run_of(const std::string& name) { return name.starts_with("run.csv") ? "run.csv" : name; }

TEST_P(SealedFormat, SeesEveryChangedByte) {
  const fs::path run = dir / run_of(GetParam()).c_str();
  save_solution(random_solution(4), run);
  const std::string whole = slurp(file());
  std::mt19937_64 random(3);
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string damaged = whole;
    damaged[i] = static_cast<char>(damaged[i] ^ (1 << random() % 8));
    spill(file(), damaged);
    EXPECT_THROW(bits_of(SolutionFile(run)), IoError) << "byte " << i << ": " << damaged.substr(i, 20);
  }
}

TEST_P(SealedFormat, SeesWhatWasTakenOrAdded) {
  const fs::path run = dir / run_of(GetParam()).c_str();
  save_solution(random_solution(4), run);
  const std::string whole = slurp(file());
  std::mt19937_64 random(4);
  for (int i = 0; i < 300; ++i) {
    std::string damaged = whole;
    const std::size_t at = random() % whole.size();
    if (i % 3 == 0)
      damaged.erase(at, 1 + random() % 40);
    else if (i % 3 == 1)
      damaged.insert(at, damaged.substr(random() % whole.size(), 1 + random() % 40));
    else
      damaged.resize(at);
    if (damaged == whole) continue;
    spill(file(), damaged);
    EXPECT_THROW(bits_of(SolutionFile(run)), IoError) << "change " << i;
  }
}

// Replaces the checksum by "none", as users do who edit a file by hand.
void waive(const fs::path& path) {
  std::string text = slurp(path);
  const std::size_t at = text.rfind("\"checksum\":\"") + std::strlen("\"checksum\":\"");
  spill(path, text.replace(at, 16, "none"));
}

bool has_notice(const SolutionFile& file, const std::string& code) {
  const auto& notices = file.outcome().notices;
  return std::any_of(notices.begin(), notices.end(), [&](const Notice& n) { return n.code == code; });
}

TEST(SolutionSeal, FilesChangedOnPurposeAreReadWithANotice) {
  const TemporaryDirectory dir;
  for (const char* name : {"run.json", "run.csv"}) {
    const fs::path run = dir / name, record = std::string(name) == "run.csv" ? dir / "run.csv.meta.json" : run;
    save_solution(random_solution(4), run);
    EXPECT_FALSE(has_notice(SolutionFile(run), "no_checksum"));
    std::string text = slurp(record);
    text.replace(text.find("0.1.0"), 5, "0.1.1");
    spill(record, text);
    EXPECT_THAT(message_of<IoError>([&] { SolutionFile f(run); }), mentions(record.string(), "checksum", "none"));
    waive(record);
    const SolutionFile stored(run);
    EXPECT_EQ(stored.info().version, "0.1.1");
    EXPECT_TRUE(has_notice(stored, "no_checksum"));
    EXPECT_EQ(bits_of(stored).size(), 4u * 6);
  }
}

TEST(SolutionSeal, ATableChangedOnPurposeIsRead) {
  const TemporaryDirectory dir;
  Solution s = random_solution(0);
  s.append(0.25, Vec::Constant(3, 2), Vec::Constant(2, 3));
  save_solution(s, dir / "run.csv");
  std::string table = slurp(dir / "run.csv");
  spill(dir / "run.csv", table.replace(table.find("0.25"), 4, "0.75"));
  EXPECT_THROW(SolutionFile f(dir / "run.csv"), IoError);
  waive(dir / "run.csv.meta.json");
  EXPECT_EQ(SolutionFile(dir / "run.csv").load().t, std::vector<double>{0.75});
}

TEST(SolutionSeal, FilesOfTheVersionBeforeAreRead) {
  const fs::path older = fs::path(TRILL_SOURCE_DIR) / "tests/support/older";
  const SolutionFile csv(older / "run.csv");
  EXPECT_EQ(csv.rows(), 11);
  for (const char* name : all_files) {
    const SolutionFile stored(older / name);
    EXPECT_EQ(stored.info().problem, csv.info().problem);
    EXPECT_EQ(stored.info().components.size(), 8u);
    EXPECT_EQ(bits_of(stored), bits_of(csv)) << name;
    EXPECT_TRUE(has_notice(stored, "no_checksum")) << name;
  }
}

// JSON that has a correct checksum but contains harmful numbers.
TEST(SolutionSeal, LayoutsWhoseSumOverflowsAreRefused) {
  RunInfo info = sample_info(0, 0);
  std::string text = to_json(info);
  for (const char* part : {"\"nl\":0", "\"nq\":0", "\"nv\":0", "\"nx\":0"}) {
    const std::size_t at = text.find(part);
    ASSERT_NE(at, text.npos);
    text.replace(at + 5, 1, "4611686018427387904");  // 2^62; four of them add up to 0
  }
  EXPECT_THAT(message_of<IoError>([&] { info_from_json(text, "hostile.json"); }), mentions("hostile.json", "layout"));
}

TEST(SolutionSeal, NumbersBeyondTheRangeOfIntegersAreRefused) {
  for (const char* steps : {"9.2e19", "0.5", "-1e300", "\"99\""}) {
    std::string text = to_json(sample_outcome());
    text.replace(text.find("\"steps\":99") + 8, 2, steps);
    EXPECT_THAT(message_of<IoError>([&] { outcome_from_json(text, "hostile.json"); }),
                mentions("hostile.json", "whole number"))
        << steps;
  }
}

TEST(SolutionSeal, PipesAndDevicesAreNoSolutions) {
  const TemporaryDirectory dir;
  for (const char* name : all_files) {
    ASSERT_EQ(mkfifo((dir / name).c_str(), 0600), 0);
    EXPECT_THAT(message_of<IoError>([&] { SolutionFile f(dir / name); }), mentions(name, "not a regular file"));
    fs::remove(dir / name);
    fs::create_symlink("/dev/zero", dir / name);
    EXPECT_THAT(message_of<IoError>([&] { SolutionFile f(dir / name); }), mentions(name, "not a regular file"));
    fs::remove(dir / name);
  }
}

// The directory of an unfinished run whose first segment contains arbitrary sizes but a correct checksum.
class HostileSegment : public Record {
 protected:
  void rewrite(const std::function<void(SegmentHead&)>& change) {
    start(file, {100, 10, 50});
    const fs::path segment = numbered(part, "segment", 0);
    std::string bytes = slurp(segment);
    SegmentHead head;
    std::memcpy(&head, bytes.data(), sizeof(head));
    change(head);
    std::memcpy(bytes.data(), &head, sizeof(head));
    const std::size_t size = bytes.size() - checksum_size;
    const std::uint64_t sum = checksum(bytes.data(), size);
    std::memcpy(bytes.data() + size, &sum, sizeof(sum));
    spill(segment, bytes);
    fs::remove(part / "outcome.json");
  }
  void expect_refused() {
    EXPECT_THAT(message_of<IoError>([&] { SolutionFile(part).load(); }), mentions("segment-00000000.bin"));
    fs::remove_all(part);
  }
};

TEST_F(HostileSegment, IsRefused) {
  constexpr std::uint64_t quarter = 1ull << 62;
  rewrite(
      [](SegmentHead& h) { h.rows += quarter; });  // the product with six numbers of eight bytes overflows to the same
  expect_refused();
  rewrite([](SegmentHead& h) { h.n_y += quarter, h.n_measured += 3 * quarter; });
  expect_refused();
  rewrite([](SegmentHead& h) { h.rows = 0, h.n_y = ~0ull, h.n_measured = 0; });  // rows of width zero
  expect_refused();
  rewrite([](SegmentHead& h) { h.rows = ~0ull; });
  expect_refused();
  rewrite([](SegmentHead& h) { h.first_row = ~0ull; });
  expect_refused();
}

TEST_F(HostileSegment, APipeInTheDirectoryIsRefused) {
  for (const char* name : {"segment-00000000.bin", "header.json"}) {
    rewrite([](SegmentHead&) {});
    fs::remove(part / name);
    ASSERT_EQ(mkfifo((part / name).c_str(), 0600), 0);
    EXPECT_THAT(message_of<IoError>([&] { SolutionFile(part).load(); }), mentions(name, "not a regular file"));
    fs::remove_all(part);
  }
}
}  // namespace
}  // namespace trill::testing_files
