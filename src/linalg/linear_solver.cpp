// SPDX-License-Identifier: BSD-3-Clause
#include "trill/linalg/linear_solver.hpp"

#include "linalg/solver_parts.hpp"

namespace trill {
namespace {
#if TRILL_HAVE_KLU
constexpr bool have_klu = true;
#else
constexpr bool have_klu = false;
#endif

std::unique_ptr<LinearSolver> make_unprepared(std::string_view name) {
  if (name == "small_lu") return make_small_lu();
  if (name == "dense_lu") return make_dense_lu();
  if (name == "sparse_lu") return make_sparse_lu();
#if TRILL_HAVE_KLU
  if (name == "klu") return make_klu();
#endif
  std::string known;
  for (const std::string& each : linear_solver_names()) known += (known.empty() ? "" : ", ") + each;
  throw std::invalid_argument("linear solver: this build has no solver '" + std::string(name) + "'; it has: " + known);
}
}  // namespace

std::vector<std::string> linear_solver_names() {
  if (have_klu) return {"small_lu", "dense_lu", "klu", "sparse_lu"};
  return {"small_lu", "dense_lu", "sparse_lu"};
}

std::unique_ptr<LinearSolver> make_linear_solver(std::string_view name, const MatrixSlot& pattern) {
  std::unique_ptr<LinearSolver> solver = make_unprepared(name);
  solver->analyse(pattern);
  return solver;
}

std::unique_ptr<LinearSolver> make_linear_solver(const MatrixSlot& pattern) {
  if (pattern.rows() <= small_lu_limit) return make_linear_solver("small_lu", pattern);
  if (!pattern.is_sparse()) return make_linear_solver("dense_lu", pattern);
  return make_linear_solver(have_klu ? "klu" : "sparse_lu", pattern);
}
}  // namespace trill
