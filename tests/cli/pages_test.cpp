// SPDX-License-Identifier: BSD-3-Clause
// What the pages that the tool writes contain. How they look is tested in a browser (web/test).
#include "cli/tool.hpp"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace {
using namespace trill::testing_cli;
using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

std::string content(const fs::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

json data_of(const fs::path& page) {
  const std::string text = content(page), begin = "<script id=\"trill-data\" type=\"application/json\">";
  const std::size_t from = text.find(begin) + begin.size();
  return json::parse(text.substr(from, text.find("</script>", from) - from));
}

class Pages : public testing::Test {
 protected:
  Ended trill(Words words) const {
    words.insert(words.begin(), TRILL_TOOL);
    return run(words, {.directory = directory_.path()});
  }
  Directory directory_;
};

TEST_F(Pages, SpectrumIsShownOnRequestOfWhatIsNamedWithTheFrequenciesOfTheModel) {
  EXPECT_EQ(trill({"run", "stiff_spring", "--out", "run.h5", "--report", "run.html", "--spectrum", "--of", "r"}).code, 0);
  EXPECT_EQ(trill({"report", "run.h5", "-o", "again.html", "--spectrum", "--of", "r"}).code, 0);
  for (const char* page : {"run.html", "again.html"}) {
    const json spectra = data_of(directory_ / page)["runs"][0]["spectrum"];
    ASSERT_EQ(spectra.size(), 1u) << page;
    EXPECT_EQ(spectra[0]["series"][0]["label"], "r");
    // sqrt(k/m) with k = 1/epsilon^2 = 1000
    ASSERT_EQ(spectra[0]["marks"].size(), 1u) << page;
    EXPECT_NEAR(spectra[0]["marks"][0]["x"].get<double>(), 31.6228, 1e-3);
  }
}

TEST_F(Pages, SpectrumOfAnUnknownNameAndWithoutAPageAreRefused) {
  EXPECT_EQ(trill({"run", "stiff_spring", "--out", "run.h5"}).code, 0);
  const Ended unknown = trill({"report", "run.h5", "--spectrum", "--of", "radius"});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("there is no component or quantity with that name"));
  EXPECT_EQ(trill({"report", "run.h5", "--of", "r"}).code, 2);
  EXPECT_EQ(trill({"run", "stiff_spring", "--spectrum"}).code, 2);
}
}  // namespace
