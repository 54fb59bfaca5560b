// SPDX-License-Identifier: BSD-3-Clause
// Sweeps with several threads, and joined copies of one system compared with the same runs one by one.
#include "base/parallel.hpp"
#include "driver/ensemble.hpp"
#include "ratio.hpp"
#include "trill/driver/sweep.hpp"
#include "trill/problem/mechanical.hpp"

#include <cmath>
#include <cstring>

#include <fmt/format.h>

namespace {
using namespace trill;
using namespace trill::bench;

RunPlan verlet_plan(double to) {
  RunPlan plan;
  plan.model = "two_springs";
  plan.method = "verlet";
  plan.h = 1e-3;
  plan.to = to;
  plan.output = Times{{}};
  return plan;
}

void sweep_of_1000(int threads) {
  Sweep sweep = make_sweep(verlet_plan(5), {parse_sweep("omega2=100:1000:1000log")}, "");
  SweepOptions options;
  options.threads = threads;
  options.check = When::never;
  run_sweep(sweep, options);
  keep(sweep.members.back().measured.front().second);
}

// Two equal pieces of plain arithmetic. They show how much a second thread can gain while others use the machine too.
void two_pieces(int threads) {
  for_each_parallel(2, threads, [](std::size_t) {
    double x = 1;
    for (int i = 0; i < 60'000'000; ++i) {
      x *= 1.0000001;
      keep(x);
    }
  });
}

// two_springs again, as a model that can compute many copies at once.
class Springs final : public MechanicalProblem {
 public:
  Springs(double k1, double k2) : k1_(k1), k2_(k2) {}
  std::string name() const override { return "springs"; }
  Layout layout() const override { return {4, 4, 0, 0}; }
  std::vector<Quantity> components() const override { return std::vector<Quantity>(8, {"", ""}); }
  State initial_state() const override {
    State s(layout());
    s.y << 1, 0, 2.001, 0, 0.5, -0.5, -0.5, 0.5;
    return s;
  }
  std::unique_ptr<Problem> clone() const override { return std::make_unique<Springs>(*this); }
  void force(Groups, double, In q, In, Out f) const override { forces<1>(&k1_, &k2_, q.data(), f.data(), 1); }
  std::unique_ptr<ForceBlock> join(std::span<const MechanicalProblem* const> copies) const override;

  // Eight copies at a time, in arrays of fixed length that the compiler turns into vector instructions.
  template <Index Lanes>
  static void forces(const double* k1, const double* k2, const double* q, double* f, Index copies) {
    using Lane = Eigen::Array<double, Lanes, 1>;
    using Read = Eigen::Map<const Lane>;
    using Write = Eigen::Map<Lane>;
    for (Index i = 0; i < copies; i += Lanes) {
      const Lane x1 = Read(q + i), y1 = Read(q + copies + i);
      const Lane x = x1 - Read(q + 2 * copies + i), y = y1 - Read(q + 3 * copies + i);
      const Lane c1 = Read(k1 + i) * (1 - 1 / (x1 * x1 + y1 * y1).sqrt());
      const Lane c2 = Read(k2 + i) * (1 - 1 / (x * x + y * y).sqrt());
      const Lane fx = c2 * x, fy = c2 * y;
      Write(f + i) = -c1 * x1 - fx;
      Write(f + copies + i) = -c1 * y1 - fy;
      Write(f + 2 * copies + i) = fx;
      Write(f + 3 * copies + i) = fy;
    }
  }

 private:
  double k1_, k2_;
};

class SpringsBlock final : public ForceBlock {
 public:
  SpringsBlock(std::vector<double> k1, std::vector<double> k2) : k1_(std::move(k1)), k2_(std::move(k2)) {}
  void force(Groups, double, const double* q, const double*, double* f) const override {
    Springs::forces<8>(k1_.data(), k2_.data(), q, f, static_cast<Index>(k1_.size()));
  }

 private:
  std::vector<double> k1_, k2_;
};

std::unique_ptr<ForceBlock> Springs::join(std::span<const MechanicalProblem* const> copies) const {
  std::vector<double> k1, k2;
  for (const MechanicalProblem* copy : copies) {
    k1.push_back(dynamic_cast<const Springs&>(*copy).k1_);
    k2.push_back(dynamic_cast<const Springs&>(*copy).k2_);
  }
  return std::make_unique<SpringsBlock>(k1, k2);
}

struct Copies {
  std::vector<PreparedRun> runs;
  std::vector<PreparedRun*> pointers;

  template <class Make>
  explicit Copies(Make make) {
    for (std::size_t i = 0; i < most_copies; ++i) runs.push_back(make(static_cast<double>(i)));
    for (PreparedRun& run : runs) pointers.push_back(&run);
  }
  void joined() { keep(run_joined(pointers).front().t.back()); }
  void one_by_one() {
    for (PreparedRun& run : runs) keep(run.run().t.back());
  }
  bool same() {
    const std::vector<Solution> all = run_joined(pointers);
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const Mat ours = all[i].y(), alone = runs[i].run().y();
      if (std::memcmp(ours.data(), alone.data(), sizeof(double) * static_cast<std::size_t>(alone.size())) != 0)
        return false;
    }
    return true;
  }
};
}  // namespace

int main() {
  Copies springs([](double i) { return prepare(verlet_plan(20), std::make_unique<Springs>(1, 1e4 * (1 + i / 10))); });
  Copies shipped([](double i) {
    RunPlan plan = verlet_plan(20);
    plan.parameters["omega2"] = fmt::format("{}", 100 * (1 + i / 10));
    return prepare(plan);
  });
  if (!springs.same() || !shipped.same()) {
    std::fprintf(stderr, "joined runs are not those one by one\n");
    return 1;
  }
  print_ratio("sweep/joined_over_one_by_one", ratio([&] { springs.joined(); }, [&] { springs.one_by_one(); }), 1 / 3.0);
  print_ratio("sweep/joined_copy_by_copy_over_one_by_one",
              ratio([&] { shipped.joined(); }, [&] { shipped.one_by_one(); }), 1.2);
  const double sweep = ratio([] { sweep_of_1000(2); }, [] { sweep_of_1000(1); }, 5);
  const double plain = ratio([] { two_pieces(2); }, [] { two_pieces(1); }, 5);
  std::fprintf(stderr, "two threads over one: sweep %.3f, plain arithmetic %.3f\n", sweep, plain);
  // If a second thread halves the time of plain arithmetic, as on two idle cores, this is the first of the numbers
  // above.
  print_ratio("sweep/two_threads_over_one", 0.5 * sweep / plain, 1 / 1.8);
  return 0;
}
