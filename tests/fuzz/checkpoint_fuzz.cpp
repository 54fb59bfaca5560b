// SPDX-License-Identifier: BSD-3-Clause
// Whatever the directory of an unfinished run contains, its rows and its checkpoint are read, or it is refused. The
// first byte of an input tells which file it is. Checksums are corrected, so that the damage is not found by them
// alone.
#include "scratch_folder.hpp"
#include "solution/part_directory.hpp"
#include "time_limit.hpp"
#include "trill/base/notes.hpp"
#include "trill/solution/solution_file.hpp"

#include <cmath>
#include <cstdint>

namespace {
using namespace trill;

RunInfo two_columns() {
  RunInfo info;
  info.layout = {1, 0, 0, 0};
  info.components = {{"x", "m"}};
  info.quantities = {{"energy", "J"}};
  return info;
}

std::string with_checksum(std::string bytes) {
  const std::uint64_t sum = checksum(bytes.data(), bytes.size());
  return bytes.append(reinterpret_cast<const char*>(&sum), sizeof(sum));
}

// Reads the kinds of values of which the stored data of methods and of the driver consist.
void unpack(Archive archive) {
  Vec vector;
  Mat matrix;
  std::string text;
  std::vector<Vec> vectors;
  std::vector<double> numbers;
  std::vector<int> modes;
  std::vector<EventHit> events;
  std::vector<Notice> notices;
  archive(vector, matrix, text, modes, numbers, vectors, events, notices);
}

void read_rows(const std::filesystem::path& part) {
  const SolutionFile run(part);
  Index seen = 0;
  run.visit([&](double t, const double* y, const double* measured) {
    if (!std::isfinite(t + *y + *measured)) std::abort();
    ++seen;
  });
  if (seen != run.rows()) std::abort();
}
}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  static const std::filesystem::path part = [] {
    std::filesystem::create_directories(fuzz::scratch_folder() / "run.json.part");
    fuzz::write_scratch("run.json.part/header.json", sealed(to_json(two_columns())));
    return fuzz::scratch_folder() / "run.json.part";
  }();
  const fuzz::TimeLimit limit;
  try {
    if (data[0] % 4 == 0) {
      fuzz::write_scratch("run.json.part/segment-00000000.bin", with_checksum(bytes));
      read_rows(part);
    } else if (data[0] % 4 == 1) {
      fuzz::write_scratch("run.json.part/checkpoint-000000.bin", with_checksum(bytes));
      unpack(read_checkpoint(part, 0).archive);
    } else if (data[0] % 4 == 2) {
      unpack(Archive(std::vector<char>(bytes.begin(), bytes.end())));
    } else {
      info_from_json(unsealed(sealed(bytes), "header.json"), "header.json");
    }
  } catch (const IoError&) {
  }
  return 0;
}
