// SPDX-License-Identifier: BSD-3-Clause
// HDF5 files that try to make trill read other files, never finish, or crash the library.
#ifdef TRILL_HAVE_HDF5
#include "solution/reading_child.hpp"
#include "support/mentions.hpp"
#include "support/solution_files.hpp"

#include <atomic>
#include <cerrno>
#include <csignal>

#include <fcntl.h>
#include <hdf5.h>
#include <unistd.h>

namespace trill::testing_files {
namespace {
// A correct solution with four rows, whose tables are replaced by the tests.
class HostileHdf5 : public testing::Test {
 protected:
  void SetUp() override {
    save_solution(random_solution(rows), file);
    spill(secret, std::string(4096, 's'));
    id_ = H5Fopen(file.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
    run_ = H5Gopen2(id_, "run", H5P_DEFAULT);
  }
  // Replaces a table by one with another layout and size.
  void replace(const char* name, hid_t layout, std::vector<hsize_t> size) {
    H5Ldelete(run_, name, H5P_DEFAULT);
    const hid_t space = H5Screate_simple(static_cast<int>(size.size()), size.data(), nullptr);
    const hid_t table = H5Dcreate2(run_, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, layout, H5P_DEFAULT);
    ASSERT_GE(table, 0);
    H5Dclose(table);
    H5Sclose(space);
    H5Pclose(layout);
  }
  hid_t chunked(std::vector<hsize_t> chunk) const {
    const hid_t layout = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(layout, static_cast<int>(chunk.size()), chunk.data());
    return layout;
  }
  void expect_refused(const char* why) {
    H5Gclose(run_);
    H5Fclose(id_);
    EXPECT_THAT(message_of<IoError>([&] { SolutionFile(file).load(); }), mentions(file.string(), why));
  }

  static constexpr Index rows = 4;
  TemporaryDirectory dir;
  fs::path file = dir / "run.h5", secret = dir / "secret";
  hid_t id_ = -1, run_ = -1;
};

TEST_F(HostileHdf5, NumbersFromAnotherFile) {
  const hid_t layout = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_external(layout, secret.c_str(), 0, rows * 3 * sizeof(double));
  replace("y", layout, {rows, 3});
  expect_refused("another file");
}

TEST_F(HostileHdf5, LinksToOtherFilesAndPlaces) {
  save_solution(random_solution(rows), dir / "other.h5");
  H5Ldelete(run_, "measured", H5P_DEFAULT);
  H5Lcreate_external((dir / "other.h5").c_str(), "/run/measured", run_, "measured", H5P_DEFAULT, H5P_DEFAULT);
  expect_refused("link");
  SetUp();
  H5Ldelete(run_, "t", H5P_DEFAULT);
  H5Lcreate_soft("/run/y", run_, "t", H5P_DEFAULT, H5P_DEFAULT);
  expect_refused("link");
}

TEST_F(HostileHdf5, TheWholeRunInAnotherFile) {
  save_solution(random_solution(rows), dir / "other.h5");
  H5Ldelete(id_, "run", H5P_DEFAULT);
  H5Lcreate_external((dir / "other.h5").c_str(), "/run", id_, "run", H5P_DEFAULT, H5P_DEFAULT);
  expect_refused("link");
}

TEST_F(HostileHdf5, VirtualTables) {
  save_solution(random_solution(rows), dir / "other.h5");
  const hsize_t size[2] = {rows, 3};
  const hid_t layout = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(2, size, nullptr);
  ASSERT_GE(H5Pset_virtual(layout, space, (dir / "other.h5").c_str(), "/run/y", space), 0);
  H5Sclose(space);
  replace("y", layout, {rows, 3});
  expect_refused("trill does not use");
}

TEST_F(HostileHdf5, FiltersThatTrillDoesNotUse) {
  const hid_t layout = chunked({rows, 3});
  ASSERT_GE(H5Pset_filter(layout, H5Z_FILTER_SCALEOFFSET, H5Z_FLAG_OPTIONAL, 0, nullptr), 0);
  replace("y", layout, {rows, 3});
  expect_refused("filter");
}

// Rows that were never written take no space and read as zeros. So a small file can announce any number of rows.
TEST_F(HostileHdf5, MoreRowsThanTheFileCanHold) {
  constexpr hsize_t many = 700'000'000'000;
  replace("t", chunked({1000}), {many});
  replace("y", chunked({1000, 3}), {many, 3});
  replace("measured", chunked({1000, 2}), {many, 2});
  expect_refused("more numbers than");
  EXPECT_LT(fs::file_size(file), 60'000u);
}

TEST_F(HostileHdf5, MoreColumnsThanTheFileCanHold) {
  replace("y", chunked({1, 1000}), {rows, 1ull << 61});  // times four rows of eight bytes overflows to zero
  expect_refused("more numbers than");
}

// HDF5's own checksum of each block is correct in this case.
TEST_F(HostileHdf5, ChangedNumbers) {
  const double other[rows * 3] = {1, 2, 3};
  const hid_t table = H5Dopen2(run_, "y", H5P_DEFAULT);
  ASSERT_GE(H5Dwrite(table, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, other), 0);
  H5Dclose(table);
  expect_refused("checksum");
}

TEST_F(HostileHdf5, TablesOfOtherNumbers) {
  H5Ldelete(run_, "y", H5P_DEFAULT);
  const hsize_t size[2] = {rows, 3};
  const hid_t space = H5Screate_simple(2, size, nullptr);
  H5Dclose(H5Dcreate2(run_, "y", H5T_STD_I8LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  H5Sclose(space);
  expect_refused("64 bits");
}

TEST_F(HostileHdf5, ChangedAttributes) {
  H5Adelete(run_, "trust");
  const hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
  const std::string text = R"({"verdict":"green","headline":"","how":"","rows":[]})";
  H5Tset_size(type, text.size());
  const hid_t attribute = H5Acreate2(run_, "trust", type, space, H5P_DEFAULT, H5P_DEFAULT);
  H5Awrite(attribute, type, text.data());
  H5Aclose(attribute);
  H5Sclose(space);
  H5Tclose(type);
  expect_refused("checksum");
}

ReadingChild::Limits small_limits() {
  ReadingChild::Limits limits;
  limits.seconds = 1;
  limits.most_bytes_a_piece = 100;
  return limits;
}

TEST(ReadingChild, HandsItsPiecesOver) {
  ReadingChild child(small_limits(), [](const ReadingChild::Answer& answer) {
    answer.send(7, "seven", 5);
    answer.send(8, "", 0);
  });
  std::string piece;
  EXPECT_EQ(child.receive(piece), 7u);
  EXPECT_EQ(piece, "seven");
  EXPECT_EQ(child.receive(piece), 8u);
  EXPECT_EQ(piece, "");
  EXPECT_EQ(child.receive(piece), 0u);
}

TEST(ReadingChild, DiesAlone) {
  std::string piece;
  ReadingChild crash(small_limits(), [](const ReadingChild::Answer&) { raise(SIGSEGV); });
  EXPECT_EQ(crash.receive(piece), 0u);
  EXPECT_EQ(crash.how_it_ended(), "crashed");
  ReadingChild busy(small_limits(), [](const ReadingChild::Answer&) {
    for (std::atomic<unsigned> turns = 0;;) ++turns;
  });
  EXPECT_EQ(busy.receive(piece), 0u);
  EXPECT_EQ(busy.how_it_ended(), "took more than 1 s");
  ReadingChild talkative(
      small_limits(), [](const ReadingChild::Answer& answer) { answer.send(1, std::string(1000, 'x').data(), 1000); });
  EXPECT_EQ(talkative.receive(piece), 0u);
}

TEST(ReadingChild, ReachesNothingElse) {
  const TemporaryDirectory dir;
  spill(dir / "secret", "s");
  ReadingChild child(small_limits(), [&](const ReadingChild::Answer& answer) {
    const int errors[] = {open((dir / "secret").c_str(), O_RDONLY) < 0 ? errno : 0,
                          open((dir / "new").c_str(), O_WRONLY | O_CREAT, 0600) < 0 ? errno : 0};
    answer.send(1, errors, sizeof(errors));
  });
  std::string piece;
  ASSERT_EQ(child.receive(piece), 1u);
  int errors[2];
  std::memcpy(errors, piece.data(), sizeof(errors));
  EXPECT_EQ(errors[0], EMFILE);
  EXPECT_EQ(errors[1], EMFILE);
  EXPECT_FALSE(fs::exists(dir / "new"));
}
}  // namespace
}  // namespace trill::testing_files
#endif
