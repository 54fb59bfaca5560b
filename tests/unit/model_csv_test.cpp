// SPDX-License-Identifier: BSD-3-Clause
#include "model/file/csv_table.hpp"
#include "support/allocation_count.hpp"
#include "support/mentions.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {
using namespace trill;
using testing::ElementsAre;

std::string complaint(const std::string& text) {
  try {
    read_csv("bonds.csv", text);
  } catch (const ModelError& e) {
    return e.what();
  }
  return "no error";
}

TEST(CsvTable, ReadsNamesAndNumbersByColumn) {
  const CsvTable table = read_csv("bonds.csv", "i,j,k\n0,1,3.5\n1,2,-4e-3\n");
  EXPECT_THAT(table.names, ElementsAre("i", "j", "k"));
  ASSERT_EQ(table.columns.size(), 3u);
  EXPECT_THAT(table.columns[0], ElementsAre(0, 1));
  EXPECT_THAT(table.columns[2], ElementsAre(3.5, -4e-3));
  EXPECT_EQ(table.rows(), 2u);
}

TEST(CsvTable, TakesWhatSpreadsheetsAndPeopleWrite) {
  const CsvTable table = read_csv("bonds.csv",
                                  "\xEF\xBB\xBF# masses of atoms\r\n\r\n \"m\" ,\tx0 \r\n+1 , \" 2 \"\r\n"
                                  "# more, to come\r\n\"+3\",4e0\r\n  \r\n\r\n");
  EXPECT_THAT(table.names, ElementsAre("m", "x0"));
  EXPECT_THAT(table.columns[0], ElementsAre(1, 3));
  EXPECT_THAT(table.columns[1], ElementsAre(2, 4));
  EXPECT_THAT(table.lines, ElementsAre(4, 6));
  EXPECT_STREQ(table.error(1, 0, "must be positive").what(), "bonds.csv:6: column 'm': must be positive");
  EXPECT_EQ(read_csv("f", "a\n1").columns[0][0], 1);
  EXPECT_EQ(read_csv("f", "a\n1\r").columns[0][0], 1);
  EXPECT_EQ(read_csv("f", "a,b").rows(), 0u);
}

TEST(CsvTable, SaysWhereEachMistakeStands) {
  EXPECT_EQ(complaint("i,k\n0,1\n1, abc\n"),
            "bonds.csv:3:4: 'abc' in column 'k' is not a number\n"
            "  1, abc\n"
            "     ^");
  const std::pair<std::string, std::vector<std::string>> table[] = {
      {"", {"bonds.csv", "empty"}},
      {"# nothing\n\n \n", {"bonds.csv", "empty"}},
      {"i,2k\n", {"bonds.csv:1:3", "'2k'", "column"}},
      {"i,\n", {"bonds.csv:1:3", "''", "column"}},
      {"0,1\n", {"bonds.csv:1:1", "'0'", "column"}},
      {"i,sin\n", {"bonds.csv:1:3", "'sin'", "name"}},
      {"i,j,i\n", {"bonds.csv:1:5", "two columns", "'i'"}},
      {"i,\"j\n0,1\n", {"bonds.csv:1:3", "quote"}},
      {"i,\"j", {"bonds.csv:1:3", "quote"}},
      {"i,\"j\"k\n", {"bonds.csv:1:6", "quote", "','"}},
      {"i,j\n0,1\n\n1,2\n", {"bonds.csv:3:1", "empty line"}},
      {"i,j\n0,\n", {"bonds.csv:2:3", "'j'", "empty"}},
      {"i,j\n,1\n", {"bonds.csv:2:1", "'i'", "empty"}},
      {"i,j\n0,\"\"\n", {"bonds.csv:2:4", "'j'", "empty"}},
      {"i,j,k\n0,1\n", {"bonds.csv:2:4", "2 cells", "header", "3"}},
      {"i,j\n0\n", {"bonds.csv:2:2", "1 cell", "header", "2"}},
      {"i,j\n0,1,2\n", {"bonds.csv:2:4", "more cells", "header", "2"}},
      {"i,j\n0,1,\n", {"bonds.csv:2:4", "more cells", "header", "2"}},
      {"i\n1 2\n", {"bonds.csv:2:1", "'1 2'", "'i'", "number"}},
      {"i\n0x10\n", {"bonds.csv:2:1", "'0x10'", "'i'", "number"}},
      {"i\n+-1\n", {"bonds.csv:2:1", "'+-1'", "'i'", "number"}},
      {"i\n1\r2\n", {"bonds.csv:2:1", "'1 2'", "'i'", "number"}},
      {"i\nnan\n", {"bonds.csv:2:1", "'nan'", "'i'", "finite"}},
      {"i\n-inf\n", {"bonds.csv:2:1", "'-inf'", "'i'", "finite"}},
      {"i\n1e999\n", {"bonds.csv:2:1", "'1e999'", "'i'", "large"}},
      {"größe\n", {"bonds.csv:1:1", "'größe'", "column"}}};
  for (const auto& [text, told] : table) EXPECT_THAT(complaint(text), tells(told)) << text;
}

TEST(CsvTable, BoundsWhatItReads) {
  EXPECT_THAT(complaint(std::string(most_csv_bytes + 1, '\n')), tells({"bonds.csv", "100000001", "bytes"}));
  std::string names = "a";
  for (int k = 0; k < 1000; ++k) names += fmt::format(",a{}", k);
  EXPECT_THAT(complaint(names), tells({"", "1000 columns"}));
  EXPECT_LT(complaint("i\n" + std::string(1'000'000, 'x')).size(), 500u);
}

TEST(CsvTable, ReadsAHundredThousandRowsWithLittleMemory) {
  std::string text = "i,j,k,len\n";
  for (int row = 0; row < 100'000; ++row)
    text += fmt::format("{},{},{},{}\n", row, row + 1, row / 7.0, 1.0 + row / 3.0);
  CsvTable table;
  EXPECT_LE(heap_bytes([&] { table = read_csv("bonds.csv", text); }), 20.0 * static_cast<double>(text.size()));
  EXPECT_EQ(table.rows(), 100'000u);
  EXPECT_EQ(table.columns[2].back(), 99'999 / 7.0);
}
}  // namespace
