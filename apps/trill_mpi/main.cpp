// SPDX-License-Identifier: BSD-3-Clause
// trill-mpi: modes and runs of a structure whose matrices several processes share. `trill` hands over to it when mpirun
// has started more than one process; it is a program of its own, so that trill itself needs neither MPI nor PETSc.
#include "model/file/matrix_share.hpp"
#include "petsc_calls.hpp"
#include "shared_matrix.hpp"
#include "shared_run.hpp"
#include "trill/base/archive.hpp"
#include "trill/base/errors.hpp"

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <slepcsys.h>
#include <unistd.h>

namespace trill {
namespace {
constexpr auto patience = std::chrono::seconds(3);

void warn_of_busy_cores() {
  MPI_Comm here{};
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here);
  int processes = 1;
  MPI_Comm_size(here, &processes);
  MPI_Comm_free(&here);
  const auto cores = static_cast<double>(std::thread::hardware_concurrency());
  double load = 0;
  if (::getloadavg(&load, 1) != 1) load = 0;
  if (const double free = std::max(0.0, cores - load); processes > std::ceil(free) && is_first_process())
    fmt::print(
        stderr,
        "trill: warning: {} processes share a machine with {:g} cores, of which about {:.1f} are free. Processes "
        "that wait for each other keep their cores busy, so that this may take longer than one process\n",
        processes, cores, free);
}

// Mostly all processes fail alike. If some are still at work, they are ended.
[[noreturn]] void end_all(int code) {
  MPI_Request request{};
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  int arrived = 0;
  const auto until = std::chrono::steady_clock::now() + patience;
  while (!arrived && std::chrono::steady_clock::now() < until) MPI_Test(&request, &arrived, MPI_STATUS_IGNORE);
  if (!arrived) MPI_Abort(MPI_COMM_WORLD, code);
  SlepcFinalize();
  std::exit(code);
}

void add_model(CLI::App& verb, SharedTask& task) {
  verb.add_option("model", task.model, "name of a model or a model file with [structure]")->required();
  verb.add_option_function<std::vector<std::string>>(
      "--param",
      [&](const std::vector<std::string>& words) {
        for (const std::string& word : words) {
          const std::size_t equals = word.find('=');
          if (equals == std::string::npos) throw UsageError(fmt::format("--param {}: NAME=VALUE was expected", word));
          task.parameters[word.substr(0, equals)] = word.substr(equals + 1);
        }
      },
      "parameters of the model, such as elements=200");
  verb.add_option("-o,--out", task.out, "file to write");
  verb.add_option_function<std::string>(
      "--solver",
      [&](const std::string& word) {
        if (word != "mumps" && word != "gamg") throw UsageError(fmt::format("--solver {}: mumps or gamg", word));
        task.solver = word == "mumps" ? SharedSolver::mumps : SharedSolver::gamg;
      },
      "mumps (a factorisation) or gamg (conjugate gradients with multigrid)");
}

// Someone may start different commands side by side. Each of them is a run of its own then.
bool all_ask_the_same(int argc, char** argv) {
  std::string words;
  for (int i = 1; i < argc; ++i) words += std::string(argv[i]) + '\n';
  const std::uint64_t mine = checksum(words.data(), words.size());
  std::uint64_t least = 0, most = 0;
  MPI_Allreduce(&mine, &least, 1, MPI_UINT64_T, MPI_MIN, MPI_COMM_WORLD);
  MPI_Allreduce(&mine, &most, 1, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD);
  return least == most;
}

[[noreturn]] void become_trill(char** argv) {
  SlepcFinalize();
  ::setenv("TRILL_ALONE", "1", 1);
  const std::string program = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "trill";
  ::execv(program.c_str(), argv);
  std::exit(1);
}

int act(int argc, char** argv) {
  if (!all_ask_the_same(argc, argv)) become_trill(argv);
  SharedTask task;
  CLI::App app{"trill-mpi: structures whose matrices several processes share", "trill-mpi"};
  app.require_subcommand(1);
  CLI::App* run = app.add_subcommand("run", "the motion of named outputs by block Ritz vectors");
  add_model(*run, task);
  run->add_option("--of", task.of, "outputs, such as tip,root (default: all of the model)")->delimiter(',');
  run->add_option("--accuracy", task.accuracy, "largest error, relative to the range of an output");
  run->add_option("--to", task.to, "end time");
  run->add_option("--dt", task.dt, "record at equal intervals of time");
  CLI::App* modes = app.add_subcommand("modes", "the lowest frequencies");
  add_model(*modes, task);
  modes->add_option("--count", task.count, "how many modes")->check(CLI::PositiveNumber);
  modes->add_option_function<std::string>(
      "--check",
      [&](const std::string& word) {
        if (word != "deflation" && word != "inertia")
          throw UsageError(fmt::format("--check {}: deflation or inertia", word));
        task.check = word == "inertia" ? CountCheck::inertia : CountCheck::deflation;
      },
      "deflation or inertia");
  modes->add_flag("--slepc", task.slepc, "compute the frequencies by SLEPc as well and compare");
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    if (is_first_process()) fmt::print("{}", app.help());
    return 0;
  } catch (const CLI::ParseError& e) {
    throw UsageError(
        fmt::format("{} (several processes share this run, and trill-mpi knows fewer options than trill)", e.what()));
  }
  warn_of_busy_cores();
  return run->parsed() ? shared_run(task) : shared_modes(task);
}
}  // namespace

bool is_first_process() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank == 0;
}
}  // namespace trill

int main(int argc, char** argv) {
  using namespace trill;
  if (SlepcInitialize(nullptr, nullptr, nullptr, nullptr) != 0) return 1;
  PetscPushErrorHandler(PetscReturnErrorHandler, nullptr);
  int process = 0, processes = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &process);
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  share_matrices({process, processes, read_shared_matrix});
  const auto failed = [&](const char* what, int code) {
    if (process == 0) fmt::print(stderr, "trill: {}\n", what);
    end_all(code);
  };
  try {
    const int code = act(argc, argv);
    SlepcFinalize();
    return code;
  } catch (const UsageError& e) {
    failed(e.what(), 2);
  } catch (const IoError& e) {
    failed(e.what(), 3);
  } catch (const std::bad_alloc&) {
    failed("there is not enough memory; more machines, or --solver gamg, need less in each process", 1);
  } catch (const std::exception& e) {
    failed(e.what(), 1);
  }
}
