// SPDX-License-Identifier: BSD-3-Clause
// small_lu, compared with Eigen's PartialPivLU of dynamic size, whose memory is also reused. With a single matrix the
// order of the pivots is always the same, as along a solution; with 64 random matrices it cannot be predicted.
#include "trill/linalg/linear_solver.hpp"

#include <algorithm>
#include <vector>

#include <benchmark/benchmark.h>

namespace {
std::vector<trill::MatrixSlot> random_slots(trill::Index n, int count) {
  std::srand(1);
  std::vector<trill::MatrixSlot> slots;
  for (int i = 0; i < count; ++i) {
    const trill::Mat a = trill::Mat::Random(n, n);
    slots.push_back(trill::MatrixSlot::dense(n, n));
    std::copy_n(a.data(), a.size(), slots.back().values());
  }
  return slots;
}

void small_lu_factorise(benchmark::State& state) {
  const auto slots = random_slots(state.range(0), static_cast<int>(state.range(1)));
  const auto solver = trill::make_linear_solver("small_lu", slots[0]);
  std::size_t i = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(solver->factorise(slots[i]));
    i = i + 1 == slots.size() ? 0 : i + 1;
  }
}

void eigen_factorise(benchmark::State& state) {
  const auto slots = random_slots(state.range(0), static_cast<int>(state.range(1)));
  Eigen::PartialPivLU<trill::Mat> lu(state.range(0));
  std::size_t i = 0;
  for (auto _ : state) {
    lu.compute(slots[i].as_dense());
    benchmark::DoNotOptimize(lu.matrixLU().data());
    i = i + 1 == slots.size() ? 0 : i + 1;
  }
}

void small_lu_solve(benchmark::State& state) {
  const auto slots = random_slots(state.range(0), 1);
  const auto solver = trill::make_linear_solver("small_lu", slots[0]);
  solver->factorise(slots[0]);
  const trill::Vec b = trill::Vec::Ones(state.range(0));
  trill::Vec x(state.range(0));
  for (auto _ : state) {
    solver->solve(b, x);
    benchmark::DoNotOptimize(x.data());
    benchmark::ClobberMemory();
  }
}

void eigen_solve(benchmark::State& state) {
  const auto slots = random_slots(state.range(0), 1);
  const Eigen::PartialPivLU<trill::Mat> lu(slots[0].as_dense());
  const trill::Vec b = trill::Vec::Ones(state.range(0));
  trill::Vec x(state.range(0));
  for (auto _ : state) {
    x.noalias() = lu.solve(b);
    benchmark::DoNotOptimize(x.data());
    benchmark::ClobberMemory();
  }
}

void sizes(benchmark::internal::Benchmark* b) {
  for (const int matrices : {1, 64})
    for (const int n : {2, 3, 4, 6, 8, 12, 16, 20, 24}) b->Args({n, matrices});
  b->ArgNames({"n", "matrices"});
}
void solve_sizes(benchmark::internal::Benchmark* b) {
  for (const int n : {2, 3, 4, 6, 8, 12, 16, 20, 24}) b->Arg(n);
  b->ArgName("n");
}
}  // namespace

BENCHMARK(small_lu_factorise)->Apply(sizes);
BENCHMARK(eigen_factorise)->Apply(sizes);
BENCHMARK(small_lu_solve)->Apply(solve_sizes);
BENCHMARK(eigen_solve)->Apply(solve_sizes);
BENCHMARK_MAIN();
