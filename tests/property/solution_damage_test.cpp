// SPDX-License-Identifier: BSD-3-Clause
// Damaged solution files of every format: each is refused with a sentence, or gives back exactly what was written.
// With TRILL_LONG there are 20,000 HDF5 files.
#include "solution/run_json.hpp"
#include "support/solution_files.hpp"

#include <fmt/format.h>

namespace trill::testing_files {
namespace {
// The kinds of damage: bits that flip, blocks of zeros, noise, and blocks that are missing, doubled or in the wrong
// place.
std::string damaged(std::string bytes, std::mt19937_64& random) {
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  const int times = 1 + static_cast<int>(below(4));
  for (int k = 0; k < times && !bytes.empty(); ++k) {
    const std::size_t at = below(bytes.size()), length = std::min(bytes.size() - at, std::size_t{1} << below(10));
    switch (below(7)) {
      case 0:
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8)));
        break;
      case 1:
        bytes[at] = static_cast<char>(random());
        break;
      case 2:
        std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), length, below(2) ? '\xff' : '\0');
        break;
      case 3:
        for (std::size_t i = 0; i < length; ++i) bytes[at + i] = static_cast<char>(random());
        break;
      case 4:
        bytes.replace(at, length, bytes.substr(below(bytes.size()), length));
        break;
      case 5:
        bytes.erase(at, length);
        break;
      default:
        bytes.insert(at, bytes.substr(below(bytes.size()), length));
    }
  }
  return bytes;
}

struct Counted {
  int refused = 0, same = 0;
};

std::string record_of(const SolutionFile& file) {
  return to_json(file.info()) + to_json(file.outcome()) + to_json(file.trust());
}

// `damage` is the one file of the run that is changed.
Counted judge(const fs::path& run, const fs::path& damage, int times, unsigned seed) {
  const std::string whole = slurp(damage), record = record_of(SolutionFile(run));
  const auto bits = bits_of(SolutionFile(run));
  std::mt19937_64 random(seed);
  Counted counted;
  for (int i = 0; i < times; ++i) {
    const std::string bytes = damaged(whole, random);
    spill(damage, bytes);
    try {
      const SolutionFile stored(run);
      const bool same = bits_of(stored) == bits && record_of(stored) == record;
      EXPECT_TRUE(same) << damage << " number " << i << " of seed " << seed;
      ++counted.same;
    } catch (const IoError& error) {
      EXPECT_NE(std::string(error.what()).find("run."), std::string::npos) << error.what();
      ++counted.refused;
    }
  }
  spill(damage, whole);
  return counted;
}

TEST(DamagedSolutions, TextFormatsSeeEveryDamage) {
  const TemporaryDirectory dir;
  const int times = std::getenv("TRILL_LONG") ? 3000 : 400;
  for (const char* name : {"run.json", "run.csv"}) save_solution(random_solution(30), dir / name);
  for (const auto& [run, damage] : {std::pair("run.json", "run.json"), std::pair("run.csv", "run.csv"),
                                    std::pair("run.csv", "run.csv.meta.json")}) {
    const std::string whole = slurp(dir / damage);
    const Counted counted = judge(dir / run, dir / damage, times, 5);
    EXPECT_LE(counted.same, times / 20) << damage;  // a block may be replaced by an equal one
  }
}

#ifdef TRILL_HAVE_HDF5
// Files of this version and of the previous one, which stores texts in a heap.
TEST(DamagedSolutions, Hdf5NeverKillsNorHangsNorLies) {
  const TemporaryDirectory dir;
  const int times = std::getenv("TRILL_LONG") ? 10'000 : 150;
  save_solution(random_solution(40), dir / "run.h5");
  const Counted now = judge(dir / "run.h5", dir / "run.h5", times, 6);
  EXPECT_GT(now.refused, times / 3);
  fs::copy_file(fs::path(TRILL_SOURCE_DIR) / "tests/support/older/run.h5", dir / "run.hdf5");
  std::mt19937_64 random(7);
  const std::string whole = slurp(dir / "run.hdf5");
  int refused = 0;
  for (int i = 0; i < times; ++i) {
    spill(dir / "run.hdf5", damaged(whole, random));
    try {
      SolutionFile(dir / "run.hdf5").load();
    } catch (const IoError& error) {
      EXPECT_NE(std::string(error.what()).find("run.hdf5"), std::string::npos) << error.what();
      ++refused;
    }
  }
  EXPECT_GT(refused, times / 3);
  fmt::print("{} HDF5 files: {} refused, {} unharmed; of the version before {} refused\n", 2 * times, now.refused,
             now.same, refused);
}
#endif
}  // namespace
}  // namespace trill::testing_files
