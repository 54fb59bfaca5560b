// SPDX-License-Identifier: BSD-3-Clause
#include "model/file/matrix_market.hpp"
#include "support/mentions.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {
using namespace trill;

std::string complaint(const std::string& text) {
  try {
    read_matrix_market("K.mtx", text);
  } catch (const ModelError& e) {
    return e.what();
  }
  return "no error";
}

Mat read(const std::string& text) { return Mat(read_matrix_market("K.mtx", text)); }

const std::string coordinate = "%%MatrixMarket matrix coordinate real general\n";
const std::string array = "%%MatrixMarket matrix array real general\n";

TEST(MatrixMarket, ReadsEveryKind) {
  EXPECT_EQ(read(coordinate + "% a comment\n\n2 3 2\n2 1 -1.5\n1 3 2e3\n"), (Mat{{0, 0, 2e3}, {-1.5, 0, 0}}));
  EXPECT_EQ(read("%%MatrixMarket MATRIX Coordinate Integer Symmetric\r\n2 2 2\r\n1 1 4\r\n2 1 -1\r\n"),
            (Mat{{4, -1}, {-1, 0}}));
  EXPECT_EQ(read("%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 1 3\n"), (Mat{{0, -3}, {3, 0}}));
  EXPECT_EQ(read(array + "2 2\n1\n2\n\n3\n4"), (Mat{{1, 3}, {2, 4}}));
  EXPECT_EQ(read("%%MatrixMarket matrix array real symmetric\n2 2\n1\n2\n3\n"), (Mat{{1, 2}, {2, 3}}));
  EXPECT_EQ(read("%%MatrixMarket matrix array integer skew-symmetric\n3 3\n1\n2\n3\n"),
            (Mat{{0, -1, -2}, {1, 0, -3}, {2, 3, 0}}));
  EXPECT_EQ(read(coordinate + "0 0 0\n").size(), 0);
}

TEST(MatrixMarket, ReadsVectors) {
  EXPECT_EQ(read_vector_market("f.mtx", array + "3 1\n1\n0\n-2\n"), (Vec{{1, 0, -2}}));
  EXPECT_EQ(read_vector_market("f.mtx", coordinate + "3 1 1\n3 1 5\n"), (Vec{{0, 0, 5}}));
  EXPECT_THROW(read_vector_market("f.mtx", array + "1 3\n1\n0\n-2\n"), ModelError);
}

TEST(MatrixMarket, KeepsZerosOfTheCoordinateFormatAndNotOfArrays) {
  EXPECT_EQ(read_matrix_market("K.mtx", coordinate + "2 2 1\n1 1 0\n").nonZeros(), 1);
  EXPECT_EQ(read_matrix_market("K.mtx", array + "2 1\n0\n5\n").nonZeros(), 1);
}

TEST(MatrixMarket, SaysWhereEachMistakeStands) {
  const std::string symmetric = "%%MatrixMarket matrix coordinate real symmetric\n";
  EXPECT_EQ(complaint(coordinate + "2 2 1\n1 2 x\n"), "K.mtx:3:5: 'x' is not a finite number\n  1 2 x\n      ^");
  const std::pair<std::string, std::vector<std::string>> table[] = {
      {"", {"K.mtx:1:1", "%%MatrixMarket"}},
      {"2 2 1\n1 1 1\n", {"K.mtx:1:1", "%%MatrixMarket"}},
      {"%%MatrixMarket matrix coordinate real\n", {"K.mtx:1:38", "%%MatrixMarket matrix", "format"}},
      {"%%MatrixMarket matrix coordinate real general x\n", {"K.mtx:1:47", "%%MatrixMarket matrix", "format"}},
      {"%%MatrixMarket vector coordinate real general\n", {"K.mtx:1:16", "'vector'", "matrix"}},
      {"%%MatrixMarket matrix sparse real general\n", {"K.mtx:1:23", "'sparse'", "coordinate or array"}},
      {"%%MatrixMarket matrix coordinate complex general\n", {"K.mtx:1:34", "'complex'", "real or integer"}},
      {"%%MatrixMarket matrix coordinate real hermitian\n", {"K.mtx:1:39", "'hermitian'", "general or"}},
      {coordinate, {"K.mtx:2:1", "rows, columns and entries"}},
      {coordinate + "2 2\n", {"K.mtx:2:4", "rows, columns and entries"}},
      {coordinate + "2 -2 1\n", {"K.mtx:2:3", "'-2'", "columns", "0 to 1000000"}},
      {coordinate + "1000001 2 1\n", {"K.mtx:2:1", "'1000001'", "rows"}},
      {coordinate + "99999999999999999999 2 1\n", {"K.mtx:2:1", "'99999999999999999999'", "rows"}},
      {coordinate + "2 2 5\n", {"K.mtx:2:5", "'5'", "entries", "0 to 4"}},
      {symmetric + "3 3 7\n", {"K.mtx:2:5", "'7'", "entries", "0 to 6"}},
      {symmetric + "2 3 1\n", {"K.mtx:2:1", "square", "2 x 3"}},
      {array + "2 2 4\n", {"K.mtx:2:5", "rows and columns"}},
      {coordinate + "1000000 1000000 1000000000000\n1 1 1\n", {"K.mtx:4:1", "999999999999 of 1000000000000 entries"}},
      {array + "1000000 1000000\n1\n", {"K.mtx:4:1", "999999999999 of 1000000000000 entries"}},
      {coordinate + "2 2 1\n1 1 1\n2 2 1\n", {"K.mtx:4:1", "more entries", "1"}},
      {coordinate + "2 2 1\n1 1\n", {"K.mtx:3:4", "a row, a column and a number"}},
      {coordinate + "2 2 1\n1 1 1 1\n", {"K.mtx:3:7", "a row, a column and a number"}},
      {array + "2 1\n1 2\n", {"K.mtx:3:3", "one number"}},
      {coordinate + "2 2 1\n0 1 1\n", {"K.mtx:3:1", "'0'", "row", "1 to 2"}},
      {coordinate + "2 2 1\n1 3 1\n", {"K.mtx:3:3", "'3'", "column", "1 to 2"}},
      {coordinate + "2 2 1\n1 1.0 1\n", {"K.mtx:3:3", "'1.0'", "column", "1 to 2"}},
      {coordinate + "2 2 1\n1 1 nan\n", {"K.mtx:3:5", "'nan'", "finite"}},
      {coordinate + "2 2 1\n1 1 1e999\n", {"K.mtx:3:5", "'1e999'", "finite"}},
      {"%%MatrixMarket matrix array integer general\n1 1\n1.5\n", {"K.mtx:3:1", "'1.5'", "integer"}},
      {symmetric + "2 2 1\n1 2 1\n", {"K.mtx:3:1", "symmetric", "above the diagonal"}},
      {"%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n1 1 0\n",
       {"K.mtx:3:1", "skew-symmetric", "below the diagonal"}},
      {coordinate + "2 2 3\n2 1 1\n1 1 1\n2 1 4\n", {"K.mtx:5:1", "row 2 and column 1", "twice"}}};
  for (const auto& [text, told] : table) EXPECT_THAT(complaint(text), tells(told)) << text;
  EXPECT_THAT(complaint(std::string(most_matrix_bytes + 1, '\n')), tells({"K.mtx", "100000001", "bytes"}));
}

// The file is read in pieces of several lines each, as by several processes.
TEST(MatrixMarket, PiecesHaveTheEntriesOfTheWhole) {
  const std::string text =
      "%%MatrixMarket matrix coordinate real symmetric\n% a comment\n3 3 4\n1 1 2\n\n2 1 -1.5\n"
      "% another\n3 3 4\n3 2 0.5\n";
  const MatrixHead head = read_matrix_head("K.mtx", text);
  EXPECT_EQ(head.rows, 3);
  EXPECT_EQ(head.entries, 4);
  EXPECT_EQ(head.across, 1);
  const std::string_view body = std::string_view(text).substr(head.end);
  for (std::size_t cut = 0; cut <= body.size(); ++cut) {
    if (cut > 0 && body[cut - 1] != '\n') continue;
    Mat sum = Mat::Zero(3, 3);
    for (const std::string_view piece : {body.substr(0, cut), body.substr(cut)})
      for (const MatrixEntry& e : read_matrix_entries("K.mtx", piece, head)) {
        sum(e.row, e.column) += e.value;
        if (e.row != e.column) sum(e.column, e.row) += head.across * e.value;
      }
    EXPECT_EQ(sum, read(text)) << cut;
  }
  EXPECT_THROW(read_matrix_entries("K.mtx", "1 4 1\n", head), ModelError);
}
}  // namespace
