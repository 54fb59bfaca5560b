// SPDX-License-Identifier: BSD-3-Clause
// Runs the programs of tests/fuzz on every file with which fuzzing starts. Each file is read or refused; nothing else
// happens.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#define LLVMFuzzerTestOneInput fuzz_expression
#include "fuzz/expression_fuzz.cpp"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput fuzz_checkpoint
#include "fuzz/checkpoint_fuzz.cpp"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput fuzz_json_solution
#include "fuzz/json_solution_fuzz.cpp"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput fuzz_csv_solution
#include "fuzz/csv_solution_fuzz.cpp"
#undef LLVMFuzzerTestOneInput

namespace {
void feed_corpus(const char* kind, int (*program)(const std::uint8_t*, std::size_t)) {
  int files = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::filesystem::path(TRILL_SOURCE_DIR) / "tests/fuzz/corpus" / kind)) {
    std::stringstream text;
    text << std::ifstream(entry.path(), std::ios::binary).rdbuf();
    const std::string bytes = text.str();
    EXPECT_NO_THROW(program(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size())) << entry.path();
    ++files;
  }
  EXPECT_GT(files, 5);
}

TEST(FuzzPrograms, Expressions) { feed_corpus("expression", fuzz_expression); }
TEST(FuzzPrograms, Checkpoints) { feed_corpus("checkpoint", fuzz_checkpoint); }
TEST(FuzzPrograms, JsonSolutions) { feed_corpus("json_solution", fuzz_json_solution); }
TEST(FuzzPrograms, CsvSolutions) { feed_corpus("csv_solution", fuzz_csv_solution); }
}  // namespace
