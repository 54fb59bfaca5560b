// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solution/segment_recorder.hpp"
#include "trill/solution/solution_file.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace trill::testing_files {
namespace fs = std::filesystem;

#ifdef TRILL_HAVE_HDF5
inline constexpr const char* main_file = "run.h5";
inline constexpr const char* all_files[] = {"run.h5", "run.csv", "run.json"};
#else
inline constexpr const char* main_file = "run.json";
inline constexpr const char* all_files[] = {"run.csv", "run.json"};
#endif

class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    std::string name = (fs::temp_directory_path() / "trill-files-XXXXXX").string();
    if (!mkdtemp(name.data())) throw IoError("no temporary directory");
    path_ = name;
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  ~TemporaryDirectory() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  fs::path operator/(const char* name) const { return path_ / name; }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

inline RunInfo sample_info(Index n_y = 3, Index n_measured = 2) {
  RunInfo info;
  info.problem = "pendulum/stiff_spring";
  info.problem_title = "A pendulum, \"stiff\"\nwith two lines";
  info.method = "verlet";
  info.parameters = {{"epsilon", "0.001"}, {"m", "1"}};
  info.options = {{"rho", "0.5"}};
  info.settings = {{"h", "0.01"}, {"to", "5"}};
  info.version = "0.1.0";
  info.host = "here";
  info.started = "2024-01-01T00:00:00Z";
  info.model_text = "[model]\nname = \"\u03b5\"\n";
  info.inputs = {{"beads.csv", "0123456789abcdef"}};
  info.layout = {n_y, 0, 0, 0};
  info.time_unit = "s";
  const std::vector<Quantity> odd{{"x, y", "m"}, {"say \"q\"", ""}, {"\u03b8\u0308 \u2713", "1/s\u00b2"}};
  for (Index i = 0; i < n_y; ++i)
    info.components.push_back(i < 3 ? odd[static_cast<std::size_t>(i)] : Quantity{"y" + std::to_string(i), "m"});
  for (Index i = 0; i < n_measured; ++i)
    info.quantities.push_back(
        {"q" + std::to_string(i), i == 0 ? "J" : "", i == 0 ? QuantityKind::energy : QuantityKind::other});
  info.groups = {"bonds", "pair"};
  return info;
}

inline RunOutcome sample_outcome() {
  RunOutcome outcome;
  outcome.status = RunStatus::event;
  outcome.message = "hit, \"hard\"";
  outcome.events = {{"bounce", 0.1}, {"bounce", 0.30000000000000004}};
  outcome.notices = {{0.25, "stiff", "h is large", Severity::warning, 3.5, 2, 17}};
  outcome.counters.forces[1] = 1'234'567'890'123;
  outcome.counters.steps = 99;
  outcome.counters.seconds = 0.1;
  return outcome;
}

inline Trust sample_trust() {
  return {.verdict = Verdict::amber,
          .headline = "look twice",
          .how = "half the step",
          .rows = {{"x", "m", 1e-300, 0.1}},
          .error = 0.02,
          .of = "x",
          .remedy = "a smaller step"};
}

// A finite number of any size: any sign, any exponent, also denormals and zeros.
inline double random_number(std::mt19937_64& random) {
  static const double special[] = {0.0,
                                   -0.0,
                                   5e-324,
                                   -5e-324,
                                   std::numeric_limits<double>::min(),
                                   1e308,
                                   -1e308,
                                   0.1,
                                   1.0,
                                   -3.0,
                                   1e15,
                                   123456789012345678.0,
                                   std::numeric_limits<double>::max()};
  const std::uint64_t bits = random();
  if (bits % 4 == 0) return special[(bits >> 8) % std::size(special)];
  const double value = std::bit_cast<double>(random());
  return std::isfinite(value) ? value : 1.0 / 3;
}

inline Solution random_solution(Index rows, Index n_y = 3, Index n_measured = 2, unsigned seed = 1) {
  std::mt19937_64 random(seed);
  Solution s;
  s.info = sample_info(n_y, n_measured);
  s.outcome = sample_outcome();
  s.trust = sample_trust();
  for (Index i = 0; i < rows; ++i) {
    Vec y(n_y), measured(n_measured);
    for (double& value : y) value = random_number(random);
    for (double& value : measured) value = random_number(random);
    s.append(random_number(random), y, measured);
  }
  return s;
}

inline std::vector<std::uint64_t> bits_of(const RowSource& source, const RunInfo& info) {
  std::vector<std::uint64_t> bits;
  source.visit([&](double t, const double* y, const double* measured) {
    bits.push_back(std::bit_cast<std::uint64_t>(t));
    for (std::size_t i = 0; i < info.components.size(); ++i) bits.push_back(std::bit_cast<std::uint64_t>(y[i]));
    for (std::size_t i = 0; i < info.quantities.size(); ++i) bits.push_back(std::bit_cast<std::uint64_t>(measured[i]));
  });
  return bits;
}
inline std::vector<std::uint64_t> bits_of(const SolutionFile& file) { return bits_of(file, file.info()); }

inline std::string slurp(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}
// Writes a new file. If an existing file is truncated and closed, some file systems wait for the disk.
inline void spill(const fs::path& path, const std::string& bytes) {
  fs::remove(path);
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

template <class Error, class Call>
std::string message_of(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  } catch (const std::exception& error) {
    return std::string("another kind of exception: ") + error.what();
  }
  return "no exception";
}

inline std::vector<std::string> names_in(const fs::path& directory) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(directory)) names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}
}  // namespace trill::testing_files
