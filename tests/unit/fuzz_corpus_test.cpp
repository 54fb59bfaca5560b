// SPDX-License-Identifier: BSD-3-Clause
// Every file with which fuzzing starts, and every file that it has found, is either read or refused; nothing else
// happens.
#include "model/file/csv_table.hpp"
#include "model/file/matrix_market.hpp"
#include "trill/model/text_problem.hpp"

#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

namespace {
using namespace trill;

template <class Read>
void read_all(const char* kind, Read read) {
  int files = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::filesystem::path(TRILL_SOURCE_DIR) / "tests/fuzz/corpus" / kind)) {
    std::stringstream text;
    text << std::ifstream(entry.path(), std::ios::binary).rdbuf();
    try {
      read(text.str());
    } catch (const UsageError&) {
    } catch (const std::exception& e) {
      ADD_FAILURE() << entry.path() << ": " << e.what();
    }
    ++files;
  }
  EXPECT_GT(files, 5);
}

TEST(FuzzCorpus, Models) {
  read_all("model", [](const std::string& text) { read_model("corpus.toml", text); });
}
TEST(FuzzCorpus, Tables) {
  read_all("table", [](const std::string& text) { read_csv("corpus.csv", text); });
}
TEST(FuzzCorpus, Netlists) {
  read_all("netlist", [](const std::string& text) { read_model("corpus.cir", text); });
}
TEST(FuzzCorpus, Matrices) {
  read_all("matrix_market", [](const std::string& text) { read_matrix_market("corpus.mtx", text); });
}
}  // namespace
