// SPDX-License-Identifier: BSD-3-Clause
#include "model/native/native_library.hpp"
#include "support/mentions.hpp"
#include "support/solution_files.hpp"

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace trill {
namespace {
namespace fs = std::filesystem;
using testing::HasSubstr;

class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    if (const char* old = std::getenv(name)) before_ = old;
    ::setenv(name, value.c_str(), 1);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
  ~Variable() { before_ ? ::setenv(name_, before_->c_str(), 1) : ::unsetenv(name_); }

 private:
  const char* name_;
  std::optional<std::string> before_;
};

std::string source_adding(const std::string& number) {
  return "void f(long n, const double* u, double t, const double* const* x, const int* const* index,\n"
         "       const double* const* column, const int* const* target, double* out) {\n"
         "  for (long i = 0; i < n; ++i) out[target[0][i]] += u[0] * t + x[0][index[0][i]] * column[0][i] + " +
         number + ";\n}\n";
}
const std::string source = source_adding("1.0");

class NativeLibraryTest : public testing::Test {
 protected:
  NativeLibraryTest() {
    cache_.emplace("XDG_CACHE_HOME", home_.string());
    // A compiler that records its calls.
    const fs::path counting = home_ / "counting_cc";
    std::ofstream(counting) << "#!/bin/sh\necho x >> '" << (home_ / "calls").string() << "'\nexec cc \"$@\"\n";
    fs::permissions(counting, fs::perms::owner_all);
    compiler_.emplace("CC", counting.string());
  }
  fs::path folder() const { return home_ / "trill" / "native"; }
  int calls() const {
    std::ifstream in(home_ / "calls");
    int count = 0;
    for (std::string line; std::getline(in, line);) ++count;
    return count;
  }
  std::vector<fs::path> files() const {
    std::vector<fs::path> all;
    for (const auto& entry : fs::directory_iterator(folder())) all.push_back(entry.path());
    return all;
  }
  std::string script(const std::string& text) const {
    const fs::path path = home_ / "script";
    std::ofstream(path) << "#!/bin/sh\n" << text << "\n";
    fs::permissions(path, fs::perms::owner_all);
    return path.string();
  }

  testing_files::TemporaryDirectory directory_;
  const fs::path home_ = directory_.path();
  std::optional<Variable> cache_, compiler_;
};

// The result of {0, 0} plus the sums over three instances of source_adding.
std::vector<double> values(const NativeLibrary& library) {
  const NativeFunction f = library.native_function("f");
  if (!f) return {};
  const double u[] = {2}, q[] = {5, 7}, k[] = {1, 2, 3};
  const int index[] = {0, 1, 1}, target[] = {1, 0, 1};
  const double* x[] = {q};
  const int* indices[] = {index};
  const double* columns[] = {k};
  const int* targets[] = {target};
  std::vector<double> out(2);
  f(3, u, 10, x, indices, columns, targets, out.data());
  return out;
}
const std::vector<double> expected{2 * 10 + 7 * 2 + 1, 2 * (2 * 10 + 1) + 5 * 1 + 7 * 3};

TEST_F(NativeLibraryTest, CompilesOnceAndThenTakesTheCachedFile) {
  {
    const NativeResult cold = load_native(source, NativeUse::always);
    ASSERT_TRUE(cold.library) << cold.reason;
    EXPECT_FALSE(cold.library->was_cached());
    EXPECT_EQ(values(*cold.library), expected);
    EXPECT_EQ(cold.library->native_function("g"), nullptr);
  }
  const NativeResult again = load_native(source, NativeUse::cached_only);
  ASSERT_TRUE(again.library) << again.reason;
  EXPECT_TRUE(again.library->was_cached());
  EXPECT_EQ(values(*again.library), expected);
  EXPECT_EQ(calls(), 1);
  EXPECT_EQ(files().size(), 1u);  // the compilation leaves no other files
}

TEST_F(NativeLibraryTest, CachedOnlyCompilesNothing) {
  const NativeResult result = load_native(source, NativeUse::cached_only);
  EXPECT_FALSE(result.library);
  EXPECT_FALSE(result.reason.empty());
  EXPECT_FALSE(fs::exists(home_ / "trill"));
  ASSERT_TRUE(load_native(source_adding("2.0"), NativeUse::always).library);
  EXPECT_THAT(load_native(source, NativeUse::cached_only).reason, mentions("compiled"));
  EXPECT_EQ(calls(), 1);
}

TEST_F(NativeLibraryTest, AnotherSourceIsAnotherFile) {
  ASSERT_TRUE(load_native(source, NativeUse::always).library);
  const NativeResult other = load_native(source_adding("2.0"), NativeUse::always);
  ASSERT_TRUE(other.library) << other.reason;
  EXPECT_EQ(values(*other.library)[0], expected[0] + 1);
  EXPECT_EQ(calls(), 2);
  EXPECT_EQ(files().size(), 2u);
}

TEST_F(NativeLibraryTest, ADamagedFileIsMadeAnew) {
  ASSERT_TRUE(load_native(source, NativeUse::always).library);
  const fs::path path = files()[0];
  const auto size = static_cast<std::streamoff>(fs::file_size(path));
  const auto flip = [&](std::streamoff at) {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(at);
    const int byte = file.get();
    file.seekp(at);
    file.put(static_cast<char>(byte ^ 1));
  };
  int compiled = 1;
  for (const std::streamoff at : {std::streamoff{0}, size / 3, size - 200, size - 30, size - 20, size - 10, size - 1}) {
    flip(at);
    const NativeResult result = load_native(source, NativeUse::always);
    ASSERT_TRUE(result.library) << result.reason;
    EXPECT_EQ(calls(), ++compiled) << "byte " << at << " of " << size;
    EXPECT_EQ(values(*result.library), expected);
  }
  for (const std::streamoff left : {size - 1, size / 2, std::streamoff{0}}) {
    fs::resize_file(path, static_cast<std::uintmax_t>(left));
    EXPECT_FALSE(load_native(source, NativeUse::cached_only).library);
    ASSERT_TRUE(load_native(source, NativeUse::always).library);
    EXPECT_EQ(calls(), ++compiled);
  }
}

TEST_F(NativeLibraryTest, AFileOfAnotherSourceIsMadeAnew) {
  ASSERT_TRUE(load_native(source, NativeUse::always).library);
  const fs::path mine = files()[0];
  ASSERT_TRUE(load_native(source_adding("2.0"), NativeUse::always).library);
  for (const fs::path& path : files())
    if (path != mine) {
      fs::remove(mine);  // a library in use must not be overwritten
      fs::copy_file(path, mine);
    }
  const NativeResult result = load_native(source, NativeUse::always);
  ASSERT_TRUE(result.library) << result.reason;
  EXPECT_EQ(values(*result.library), expected);
  EXPECT_EQ(calls(), 3);
}

TEST_F(NativeLibraryTest, AFolderThatOthersMayWriteIsNotUsed) {
  ASSERT_TRUE(load_native(source, NativeUse::always).library);
  ::chmod(folder().c_str(), 0770);
  EXPECT_THAT(load_native(source, NativeUse::always).reason, mentions("chmod go-w " + folder().string()));
  ::chmod(folder().c_str(), 0700);
  ::chmod(folder().parent_path().c_str(), 0702);
  EXPECT_THAT(load_native(source, NativeUse::always).reason, mentions("chmod go-w " + folder().parent_path().string()));
  ::chmod(folder().parent_path().c_str(), 0755);
  EXPECT_TRUE(load_native(source, NativeUse::always).library);
}

// Users who may write to a folder above the cache could replace the cache by another folder.
TEST_F(NativeLibraryTest, AFolderAboveThatOthersMayWriteIsNotUsed) {
  const fs::path above = home_ / "above";
  fs::create_directories(above / "cache");
  const Variable cache("XDG_CACHE_HOME", (above / "cache").string());
  for (const mode_t mode : {mode_t{0777}, mode_t{0775}, mode_t{0757}}) {
    ::chmod(above.c_str(), mode);
    for (const NativeUse use : {NativeUse::always, NativeUse::cached_only})
      EXPECT_THAT(load_native(source, use).reason, mentions("chmod go-w " + above.string())) << mode;
  }
  EXPECT_EQ(calls(), 0);
  ::chmod(above.c_str(), 01777);  // like /tmp: users can rename only their own files
  EXPECT_TRUE(load_native(source, NativeUse::always).library);
}

TEST_F(NativeLibraryTest, AFolderAboveOfAnotherUserIsNotUsed) {
  if (::geteuid() != 0) GTEST_SKIP() << "files can be given away by the superuser only";
  const fs::path above = home_ / "above";
  fs::create_directories(above / "cache");
  const Variable cache("XDG_CACHE_HOME", (above / "cache").string());
  ASSERT_EQ(::chown(above.c_str(), 65534, 65534), 0);
  EXPECT_THAT(load_native(source, NativeUse::always).reason, mentions(above.string(), "another user"));
  EXPECT_EQ(calls(), 0);
}

TEST_F(NativeLibraryTest, LinksToTheCacheAreFollowedIfTheyAreTheUsers) {
  fs::create_directories(home_ / "real/deep");
  fs::create_directory_symlink("real/../real/deep", home_ / "relative");
  fs::create_directory_symlink(home_ / "relative", home_ / "absolute");
  fs::create_directory_symlink("loop", home_ / "loop");
  cache_.emplace("XDG_CACHE_HOME", (home_ / "absolute").string());
  ASSERT_TRUE(load_native(source, NativeUse::always).library);
  EXPECT_TRUE(fs::is_directory(home_ / "real/deep/trill/native"));
  {
    const Variable looping("XDG_CACHE_HOME", (home_ / "loop").string());
    EXPECT_THAT(load_native(source, NativeUse::always).reason, mentions((home_ / "loop").string()));
  }
  ::chmod((home_ / "real").c_str(), 0777);
  EXPECT_THAT(load_native(source, NativeUse::cached_only).reason, mentions("chmod go-w " + (home_ / "real").string()));
  ::chmod((home_ / "real").c_str(), 0755);
  if (::geteuid() != 0 || ::lchown((home_ / "relative").c_str(), 65534, 65534) != 0) return;
  EXPECT_THAT(load_native(source, NativeUse::cached_only).reason, mentions((home_ / "relative").string()));
}

TEST_F(NativeLibraryTest, ACachedFileThatIsALinkOrMayBeWrittenByOthersIsMadeAnew) {
  ASSERT_TRUE(load_native(source, NativeUse::always).library);
  const fs::path mine = files()[0];
  fs::rename(mine, home_ / "moved.so");
  fs::create_symlink(home_ / "moved.so", mine);
  EXPECT_FALSE(load_native(source, NativeUse::cached_only).library);
  ASSERT_TRUE(load_native(source, NativeUse::always).library);
  EXPECT_FALSE(fs::is_symlink(mine));
  ::chmod(mine.c_str(), 0666);
  EXPECT_FALSE(load_native(source, NativeUse::cached_only).library);
  ASSERT_TRUE(load_native(source, NativeUse::always).library);
  EXPECT_EQ(calls(), 3);
}

// The dynamic loader distinguishes libraries by their paths. Here the paths contain numbers of file descriptors, which
// are used again for other libraries.
TEST_F(NativeLibraryTest, LibrariesAreNotMistakenForEachOther) {
  std::mt19937 random(3);
  std::vector<std::shared_ptr<const NativeLibrary>> kept(6);
  for (int i = 0; i < 200; ++i) {
    const int number = static_cast<int>(random() % 5);
    const NativeResult result = load_native(source_adding(std::to_string(number) + ".0"), NativeUse::always);
    ASSERT_TRUE(result.library) << result.reason;
    ASSERT_EQ(values(*result.library)[0], expected[0] - 1 + number) << i;
    kept[random() % kept.size()] = random() % 3 == 0 ? nullptr : result.library;
  }
  EXPECT_EQ(calls(), 5);
}

TEST_F(NativeLibraryTest, AFolderThatCannotBeMadeIsAReason) {
  const Variable cache("XDG_CACHE_HOME", "/proc/self/none");  // not even the superuser can create it
  EXPECT_THAT(load_native(source, NativeUse::always).reason, mentions("/proc/self/none/trill"));
  std::ofstream(home_ / "trill") << "a file";
  cache_.emplace("XDG_CACHE_HOME", home_.string());
  EXPECT_THAT(load_native(source, NativeUse::always).reason, mentions((home_ / "trill").string(), "folder"));
}

TEST_F(NativeLibraryTest, ARelativeCacheFolderGivesWayToHome) {
  const Variable cache("XDG_CACHE_HOME", "somewhere"), home("HOME", home_.string());
  ASSERT_TRUE(load_native(source, NativeUse::always).library);
  EXPECT_TRUE(fs::is_directory(home_ / ".cache/trill/native"));
  EXPECT_FALSE(fs::exists("somewhere"));
}

TEST_F(NativeLibraryTest, NoCompilerIsAReason) {
  const Variable path("PATH", "");
  compiler_.emplace("CC", "");
  EXPECT_THAT(load_native(source, NativeUse::always).reason, mentions("C compiler", "PATH", "CC"));
  compiler_.emplace("CC", "no_such_compiler -O2");
  EXPECT_THAT(load_native(source, NativeUse::always).reason, mentions("'no_such_compiler'", "CC"));
  EXPECT_TRUE(files().empty());
}

TEST_F(NativeLibraryTest, CompilersAreFoundInThePath) {
  compiler_.emplace("CC", "");
  EXPECT_TRUE(load_native(source, NativeUse::always).library);
  compiler_.emplace("CC", "cc  -g0 ");
  EXPECT_TRUE(load_native(source_adding("3.0"), NativeUse::always).library);
}

TEST_F(NativeLibraryTest, AFailingCompilerIsAReasonWithItsWords) {
  EXPECT_THAT(load_native("int f(;\n", NativeUse::always).reason, mentions("exit code 1", "error: "));
  compiler_.emplace("CC", script("kill -9 $$"));
  EXPECT_THAT(load_native(source, NativeUse::always).reason, mentions("signal 9"));
  compiler_.emplace("CC", script("while [ \"$1\" != -o ]; do shift; done; echo nonsense > \"$2\""));
  EXPECT_THAT(load_native(source, NativeUse::always).reason, mentions("cannot load", ".so"));
}

TEST_F(NativeLibraryTest, ASlowCompilerIsEndedWithItsChildren) {
  compiler_.emplace("CC", script("sleep 100 & echo $! > '" + (home_ / "child").string() + "'; wait"));
  const NativeResult result = load_native(source, NativeUse::always, 0.3);
  EXPECT_THAT(result.reason, mentions("0.3 s"));
  EXPECT_TRUE(files().empty());
  pid_t child = 0;
  std::ifstream(home_ / "child") >> child;
  ASSERT_GT(child, 0);
  const auto is_asleep = [&] {
    std::ifstream in("/proc/" + std::to_string(child) + "/stat");
    std::string id, name, state;
    return in >> id >> name >> state && state != "Z";
  };
  for (int k = 0; k < 100 && is_asleep(); ++k) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_FALSE(is_asleep());
}

TEST_F(NativeLibraryTest, ThreadsCompileOnce) {
  std::vector<NativeResult> results(8);
  std::vector<std::thread> threads;
  for (NativeResult& result : results)
    threads.emplace_back([&result] { result = load_native(source, NativeUse::always); });
  for (std::thread& thread : threads) thread.join();
  for (const NativeResult& result : results) {
    ASSERT_TRUE(result.library) << result.reason;
    EXPECT_EQ(values(*result.library), expected);
  }
  EXPECT_EQ(calls(), 1);
}

// Runs the function in several processes at once and returns their exit codes.
std::vector<int> in_processes(int count, const std::function<bool()>& succeeds) {
  std::vector<pid_t> children;
  for (int k = 0; k < count; ++k) {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(succeeds() ? 0 : 1);
    children.push_back(child);
  }
  std::vector<int> codes;
  for (const pid_t child : children) {
    int status = 0;
    ::waitpid(child, &status, 0);
    codes.push_back(WIFEXITED(status) ? WEXITSTATUS(status) : -1);
  }
  return codes;
}

TEST_F(NativeLibraryTest, ProcessesDoNotDisturbEachOther) {
  const auto codes = in_processes(4, [] {
    const NativeResult result = load_native(source, NativeUse::always);
    return result.library && values(*result.library) == expected;
  });
  EXPECT_THAT(codes, testing::Each(0));
  EXPECT_EQ(files().size(), 1u);
}

TEST_F(NativeLibraryTest, AFullDiskIsAReason) {
  for (const rlim_t room : {rlim_t{20}, rlim_t{2000}}) {  // too little for the source, then for the library
    const auto codes = in_processes(1, [room] {
      ::signal(SIGXFSZ, SIG_IGN);
      const rlimit limit{room, room};
      ::setrlimit(RLIMIT_FSIZE, &limit);
      const NativeResult result = load_native(source, NativeUse::always);
      return !result.library && !result.reason.empty();
    });
    EXPECT_THAT(codes, testing::Each(0));
    EXPECT_TRUE(files().empty());
  }
}

TEST_F(NativeLibraryTest, FilesUnusedForLongestMakeRoom) {
  ASSERT_TRUE(load_native(source, NativeUse::always).library);
  const fs::path first = files()[0];
  const auto now = fs::file_time_type::clock::now();
  for (int k = 0; k < 520; ++k) {
    const fs::path path = folder() / ("other" + std::to_string(k) + ".so");
    std::ofstream(path) << "x";
    fs::last_write_time(path, now - std::chrono::hours(1000 - k));
  }
  fs::create_directory(folder() / "build-left1");
  fs::last_write_time(folder() / "build-left1", now - std::chrono::hours(2));
  fs::create_directory(folder() / "build-left2");
  fs::last_write_time(first, now - std::chrono::hours(2000));
  ASSERT_TRUE(load_native(source, NativeUse::cached_only).library);  // this makes it recently used
  ASSERT_TRUE(load_native(source_adding("2.0"), NativeUse::always).library);
  EXPECT_EQ(files().size(), 501u);
  EXPECT_TRUE(fs::exists(first));
  EXPECT_FALSE(fs::exists(folder() / "other21.so"));
  EXPECT_TRUE(fs::exists(folder() / "other22.so"));
  EXPECT_FALSE(fs::exists(folder() / "build-left1"));
  EXPECT_TRUE(fs::exists(folder() / "build-left2"));
  fs::resize_file(folder() / "other100.so", 300'000'000);  // a sparse file, which takes no space
  fs::last_write_time(folder() / "other100.so", now - std::chrono::hours(10));
  ASSERT_TRUE(load_native(source_adding("4.0"), NativeUse::always).library);
  EXPECT_FALSE(fs::exists(folder() / "other100.so"));
  EXPECT_TRUE(fs::exists(first));
}
}  // namespace
}  // namespace trill
