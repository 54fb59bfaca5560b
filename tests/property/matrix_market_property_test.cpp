// SPDX-License-Identifier: BSD-3-Clause
#include "model/file/matrix_market.hpp"

#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace {
using namespace trill;

struct Kind {
  const char* name;
  bool square;
  int first_below;  // first row of a column that is written, counted from the diagonal
  double mirrored;  // factor of an entry above the diagonal, relative to the one below
};
constexpr Kind kinds[] = {{"general", false, 0, 0}, {"symmetric", true, 0, 1}, {"skew-symmetric", true, 1, -1}};

Mat random_matrix(const Kind& kind, bool whole, std::mt19937_64& random) {
  const auto size = [&] { return static_cast<Index>(random() % 12); };
  const Index rows = size();
  Mat m = Mat::Zero(rows, kind.square ? rows : size());
  std::uniform_real_distribution<> exponent(-300, 300);
  for (double& x : m.reshaped())
    if (random() % 3 == 0)
      x = whole ? static_cast<double>(random() % 2001) - 1000
                : std::pow(10, exponent(random)) * (random() % 2 ? 1 : -1);
  if (!kind.square) return m;
  for (Index j = 0; j < rows; ++j) {
    if (kind.first_below > 0) m(j, j) = 0;
    for (Index i = j + 1; i < rows; ++i) m(j, i) = kind.mirrored * m(i, j);
  }
  return m;
}

std::string written(const Mat& m, const Kind& kind, bool array, bool whole, std::mt19937_64& random) {
  std::vector<std::string> entries;
  for (Index j = 0; j < m.cols(); ++j)
    for (Index i = kind.square ? j + kind.first_below : 0; i < m.rows(); ++i) {
      if (array) entries.push_back(fmt::format("{}\n", m(i, j)));
      if (!array && m(i, j) != 0) entries.push_back(fmt::format(" {}\t{}  {} \n", i + 1, j + 1, m(i, j)));
    }
  if (!array) std::shuffle(entries.begin(), entries.end(), random);
  std::string text = fmt::format("%%MatrixMarket matrix {} {} {}\n% random\n{} {}", array ? "array" : "coordinate",
                                 whole ? "integer" : "real", kind.name, m.rows(), m.cols());
  text += array ? "\n" : fmt::format(" {}\n", entries.size());
  for (const std::string& entry : entries) text += entry;
  return text;
}

TEST(MatrixMarketProperty, RandomMatricesAreReadAsTheyWereWritten) {
  std::mt19937_64 random(3);
  for (int k = 0; k < 2000; ++k) {
    const Kind& kind = kinds[random() % 3];
    const bool array = random() % 2, whole = random() % 2;
    const Mat m = random_matrix(kind, whole, random);
    const std::string text = written(m, kind, array, whole, random);
    const SpMat read = read_matrix_market("m.mtx", text);
    ASSERT_EQ(read.rows(), m.rows()) << text;
    ASSERT_EQ(read.cols(), m.cols()) << text;
    ASSERT_EQ(Mat(read), m) << text;
    ASSERT_EQ(read.nonZeros(), (m.array() != 0).count()) << text;
  }
}
}  // namespace
