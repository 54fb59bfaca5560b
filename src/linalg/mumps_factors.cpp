// SPDX-License-Identifier: BSD-3-Clause
// MUMPS (Amestoy, Duff, L'Excellent, Koster, SIAM J. Matrix Anal. Appl. 23 (2001) 15-41) in its version for one
// process, and METIS for its order of elimination. Both are loaded when they are first needed and are not linked: trill
// runs where they are absent, and the empty MPI of this MUMPS never meets the real one of a program that has it.
#include "linalg/sparse_factors.hpp"

#ifdef TRILL_MUMPS_LIBRARY
#include <mutex>
#include <new>
#include <vector>

#include <dlfcn.h>
#include <dmumps_c.h>
#ifdef TRILL_METIS_LIBRARY
#include <metis.h>
#endif

namespace trill {
namespace {
constexpr int initialise = -1, terminate = -2, analyse_and_factorise = 4, solve_only = 3;
constexpr int one_process = -987654;  // in place of a communicator
constexpr int memory_was_short = -9, memory_for_integers_was_short = -8, refused_by_the_system = -13;

// Index k of the arrays of MUMPS has the number k + 1 in its manual.
constexpr std::size_t nth(std::size_t number) { return number - 1; }

using Call = decltype(&dmumps_c);

// MUMPS keeps state between calls outside of its structure, so calls of two threads must not meet.
std::mutex& one_call_at_a_time() {
  static std::mutex mutex;
  return mutex;
}

Call load_mumps() {
  if (::dlsym(RTLD_DEFAULT, "MPI_Init")) return nullptr;
  void* library = ::dlopen(TRILL_MUMPS_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  return library ? reinterpret_cast<Call>(::dlsym(library, "dmumps_c")) : nullptr;
}

Call mumps() {
  static const Call call = load_mumps();
  return call;
}

// The place of each unknown in the order of elimination, from 1 on; empty without METIS. Nested dissection by METIS is
// the same in every run, that of SCOTCH depends on what was ordered before.
std::vector<MUMPS_INT> order_of_elimination([[maybe_unused]] const SpMat& a) {
  std::vector<MUMPS_INT> places;
#ifdef TRILL_METIS_LIBRARY
  static void* library = ::dlopen(TRILL_METIS_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  static const auto dissect =
      library ? reinterpret_cast<decltype(&METIS_NodeND)>(::dlsym(library, "METIS_NodeND")) : nullptr;
  if (!dissect) return places;
  std::vector<idx_t> begins{0}, neighbours;
  neighbours.reserve(static_cast<std::size_t>(a.nonZeros()));
  for (Index j = 0; j < a.cols(); ++j) {
    for (SpMat::InnerIterator it(a, j); it; ++it)
      if (it.row() != j) neighbours.push_back(static_cast<idx_t>(it.row()));
    begins.push_back(static_cast<idx_t>(neighbours.size()));
  }
  auto n = static_cast<idx_t>(a.cols());
  std::vector<idx_t> order(static_cast<std::size_t>(n)), place(static_cast<std::size_t>(n));
  if (dissect(&n, begins.data(), neighbours.data(), nullptr, nullptr, order.data(), place.data()) != METIS_OK)
    return places;
  for (const idx_t p : place) places.push_back(static_cast<MUMPS_INT>(p + 1));
#endif
  return places;
}

// The lower triangle, row by row as MUMPS wants it.
struct Triplets {
  explicit Triplets(const SpMat& a) {
    for (Index j = 0; j < a.cols(); ++j)
      for (SpMat::InnerIterator it(a, j); it; ++it) {
        if (it.row() < j) continue;
        rows.push_back(static_cast<MUMPS_INT>(it.row() + 1));
        columns.push_back(static_cast<MUMPS_INT>(j + 1));
        values.push_back(it.value());
      }
  }
  std::vector<MUMPS_INT> rows, columns;
  std::vector<double> values;
};

class MumpsFactors final : public SparseFactors {
 public:
  explicit MumpsFactors(const SpMat& a) {
    const std::lock_guard lock(one_call_at_a_time());
    begin();
    Triplets entries(a);
    std::vector<MUMPS_INT> places = order_of_elimination(a);
    m_.n = static_cast<MUMPS_INT>(a.rows());
    m_.nnz = static_cast<MUMPS_INT8>(entries.values.size());
    m_.irn = entries.rows.data();
    m_.jcn = entries.columns.data();
    m_.a = entries.values.data();
    m_.icntl[nth(7)] = places.empty() ? 4 : 1;  // PORD, or the order given here
    m_.perm_in = places.empty() ? nullptr : places.data();
    factorise();
    m_.irn = m_.jcn = m_.perm_in = nullptr;
    m_.a = nullptr;
  }
  ~MumpsFactors() override {
    const std::lock_guard lock(one_call_at_a_time());
    call(terminate);
  }
  MumpsFactors(const MumpsFactors&) = delete;
  MumpsFactors& operator=(const MumpsFactors&) = delete;

  bool succeeded() const override { return m_.infog[nth(1)] >= 0; }
  Index negative_pivots() const override { return m_.infog[nth(12)]; }
  bool has_rounded_pivot() const override { return m_.infog[nth(28)] > 0; }
  double bytes() const override { return 1e6 * m_.infog[nth(22)]; }

  void solve(Mat& x) const override {
    if (x.cols() == 0) return;
    const std::lock_guard lock(one_call_at_a_time());
    m_.nrhs = static_cast<MUMPS_INT>(x.cols());
    m_.lrhs = static_cast<MUMPS_INT>(x.rows());
    m_.rhs = x.data();
    call(solve_only);
    m_.rhs = nullptr;
    if (m_.infog[nth(1)] == refused_by_the_system) throw std::bad_alloc();
  }

 private:
  void call(int job) const {
    m_.job = job;
    mumps()(&m_);
  }

  void begin() {
    m_.par = 1;
    m_.sym = 2;  // symmetric, not necessarily positive definite: only so does it count null pivots
    m_.comm_fortran = one_process;
    call(initialise);
    for (const std::size_t stream : {1, 2, 3}) m_.icntl[nth(stream)] = -1;
    m_.icntl[nth(4)] = 0;   // prints nothing
    m_.icntl[nth(6)] = 0;   // no exchange of rows and columns before the analysis
    m_.icntl[nth(8)] = 1;   // scaled to a diagonal of 1: else pivots of fine meshes are exchanged without need
    m_.icntl[nth(13)] = 1;  // negative pivots of the last block count as well
    m_.icntl[nth(24)] = 1;  // counts null pivots
    m_.cntl[nth(3)] = -rounded_pivot;
  }

  void factorise() {
    for (int more_memory = 20; more_memory <= 1000; more_memory *= 3) {
      m_.icntl[nth(14)] = more_memory;  // in percent of what the analysis foresees
      call(analyse_and_factorise);
      const int status = m_.infog[nth(1)];
      if (status == refused_by_the_system) throw std::bad_alloc();
      if (status != memory_was_short && status != memory_for_integers_was_short) return;
    }
  }

  mutable DMUMPS_STRUC_C m_{};
};
}  // namespace

std::unique_ptr<SparseFactors> mumps_factors(const SpMat& a) {
  if (!mumps()) return nullptr;
  return std::make_unique<MumpsFactors>(a);
}

std::string mumps_version() { return mumps() ? MUMPS_VERSION : ""; }
}  // namespace trill
#else
namespace trill {
std::unique_ptr<SparseFactors> mumps_factors(const SpMat&) { return nullptr; }
std::string mumps_version() { return ""; }
}  // namespace trill
#endif
