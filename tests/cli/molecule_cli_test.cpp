// SPDX-License-Identifier: BSD-3-Clause
// Molecules on the command line: parameters that are words, forces from other programs, files for other programs.
#include "tool.hpp"
#include "trill/solution/solution_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace trill::testing_cli {
namespace {
using testing::HasSubstr;

class MoleculesOnTheCommandLine : public testing::Test {
 protected:
  MoleculesOnTheCommandLine() {
    for (const char* name : {"acetamide.psf", "acetamide.pdb", "acetamide.prm"})
      fs::copy_file(fs::path(TRILL_SOURCE_DIR) / "examples/molecules" / name, directory_ / name);
  }
  Ended trill(const std::string& line) const { return trill_in(directory_.path(), words_of(line)); }
  Directory directory_;
};

TEST_F(MoleculesOnTheCommandLine, WordsStayWords) {
  const std::string run = "run acetamide.psf --param coulomb=shifted --h 0.5 --to 1 --check off --out ";
  ASSERT_EQ(trill(run + "run.h5").code, 0);
  EXPECT_EQ(SolutionFile(directory_ / "run.h5").info().parameters.at("coulomb"), "shifted");
  EXPECT_EQ(trill("verify run.h5").err, "");
  EXPECT_EQ(trill("report run.h5 -o run.html").code, 0);
  EXPECT_THAT(read_text(directory_ / "run.html"), HasSubstr("shifted"));
  ASSERT_EQ(trill(run + "members --sweep cutoff=8,9").code, 0);
  EXPECT_EQ(SolutionFile(directory_ / "members/cutoff=8.h5").info().parameters.at("coulomb"), "shifted");
}

TEST_F(MoleculesOnTheCommandLine, MotionIsWrittenForOtherPrograms) {
  ASSERT_EQ(trill("run acetamide.psf --h 0.5 --to 5 --check off --out run.h5").code, 0);
  ASSERT_EQ(trill("run acetamide.psf --h 0.5 --to 5 --check off --out direct.xyz").code, 0);
  for (const char* name : {"run.xyz", "run.dcd", "run.h5md"}) {
    const Ended ended = trill(std::string("export run.h5 -o ") + name);
    EXPECT_EQ(ended.code, 0) << ended.err;
  }
  EXPECT_EQ(trill("verify run.h5").err, "");  // the files of the model are in the same folder
  EXPECT_EQ(read_text(directory_ / "run.xyz"), read_text(directory_ / "direct.xyz"));
  EXPECT_THAT(trill("export run.h5").err, HasSubstr("-o run.xyz"));
  ASSERT_EQ(trill("run stiff_spring --to 0.1 --check off --out other.h5").code, 0);
  EXPECT_THAT(trill("export other.h5 -o other.xyz").err, HasSubstr("is for the motion of molecules"));
}

TEST_F(MoleculesOnTheCommandLine, ForcesOfOtherProgramsOrWhatToInstall) {
  const std::string run = "run acetamide.psf --param coulomb=cut --h 0.5 --to 2 --check off --out ";
  ASSERT_EQ(trill(run + "own.h5").code, 0);
  const Ended ended = trill(run + "openmm.h5 --set forces=openmm");
  if (ended.code != 0) {
    EXPECT_THAT(ended.err, HasSubstr("forces=openmm needs OpenMM (Debian: apt install libopenmm-dev"));
    GTEST_SKIP() << "OpenMM is not installed";
  }
  const Solution own = SolutionFile(directory_ / "own.h5").load(),
                 other = SolutionFile(directory_ / "openmm.h5").load();
  EXPECT_EQ(other.info.parameters.at("forces"), "openmm");
  EXPECT_LT((own.y() - other.y()).cwiseAbs().maxCoeff(), 1e-9);
}
}  // namespace
}  // namespace trill::testing_cli
