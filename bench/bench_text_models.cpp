// SPDX-License-Identifier: BSD-3-Clause
// Text models, compared with hand-written loops: a chain of springs in the plane with
// V = sum 50 (|x_{i+1} - x_i| - 1)^2, and two_springs.
#include "model/native/native_model.hpp"
#include "ratio.hpp"
#include "trill/driver/plan.hpp"
#include "trill/problem/mechanical.hpp"

#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>

#include <fmt/format.h>
#include <sys/resource.h>

namespace {
using namespace trill;
using namespace trill::bench;
namespace fs = std::filesystem;

const char* const chain_text = R"toml([parameters]
n = 64
[sets]
mass = "n"
spring = "n - 1"
[coordinates]
x = { over = "mass", point = 2, start = ["1.01*mass", "0.1*sin(mass)"] }
[[potential]]
over = "spring"
energy = "50*(distance(x[spring + 1], x[spring]) - 1)^2"
[run]
to = 1
h = 0.01
method = "verlet"
)toml";

// A temporary folder with the file of the chain and a cache of compiled models.
class Workshop {
 public:
  Workshop() : folder_(fs::temp_directory_path() / fmt::format("trill-bench-{}", std::random_device()())) {
    fs::create_directories(folder_);
    std::ofstream(chain()) << chain_text;
    forget_compiled();
  }
  ~Workshop() { fs::remove_all(folder_); }
  std::string chain() const { return (folder_ / "chain.toml").string(); }
  void forget_compiled() { setenv("XDG_CACHE_HOME", (folder_ / fmt::format("cache{}", ++caches_)).c_str(), 1); }

 private:
  fs::path folder_;
  int caches_ = 0;
};

struct Chain {
  int n;
  Vec q;
  explicit Chain(const State& start) : n(static_cast<int>(start.q().size() / 2)), q(start.q()) {}

  void force(const double* x, double* f) const {
    std::fill_n(f, 2 * n, 0.0);
    for (int i = 0; i + 1 < n; ++i) {
      const double dx = x[2 * i + 2] - x[2 * i], dy = x[2 * i + 3] - x[2 * i + 1];
      const double r = std::sqrt(dx * dx + dy * dy), s = 100 * (r - 1) / r;
      f[2 * i] += s * dx;
      f[2 * i + 1] += s * dy;
      f[2 * i + 2] -= s * dx;
      f[2 * i + 3] -= s * dy;
    }
  }

  // df/dq: adds the block of every spring with both signs, at places that were found before.
  using Places = std::vector<std::array<std::int32_t, 16>>;
  Places places_in(MatrixSlot& slot) const {
    Places places(static_cast<std::size_t>(n - 1));
    for (int i = 0; i + 1 < n; ++i)
      for (int a = 0; a < 4; ++a)
        for (int b = 0; b < 4; ++b)
          places[static_cast<std::size_t>(i)][static_cast<std::size_t>(4 * a + b)] =
              static_cast<std::int32_t>(slot.entry(2 * i + a, 2 * i + b) - slot.values());
    return places;
  }
  void hessian(const double* x, const Places& places, double* values, std::size_t count) const {
    std::fill_n(values, count, 0.0);
    for (int i = 0; i + 1 < n; ++i) {
      const double dx = x[2 * i + 2] - x[2 * i], dy = x[2 * i + 3] - x[2 * i + 1];
      const double r2 = dx * dx + dy * dy, r = std::sqrt(r2), s = 100 * (r - 1) / r, c = 100 / (r2 * r);
      const double k[4] = {s + c * dx * dx, c * dx * dy, c * dx * dy, s + c * dy * dy};
      const auto& at = places[static_cast<std::size_t>(i)];
      for (std::size_t a = 0; a < 4; ++a)
        for (std::size_t b = 0; b < 4; ++b) {
          const double value = k[2 * (a % 2) + b % 2];
          values[at[4 * a + b]] += a / 2 == b / 2 ? -value : value;
        }
    }
  }
};

bool same(const std::string& what, const double* ours, const double* theirs, std::size_t count) {
  for (std::size_t k = 0; k < count; ++k)
    if (!(std::abs(ours[k] - theirs[k]) <= 1e-9 * (1 + std::abs(theirs[k])))) {
      std::fprintf(stderr, "%s: entry %zu is %.15g by us and %.15g by hand\n", what.c_str(), k, ours[k], theirs[k]);
      return false;
    }
  return true;
}

std::unique_ptr<Problem> load_chain(const Workshop& shop, int n, bool native) {
  TextModel model = load_model(shop.chain(), {{"n", std::to_string(n)}});
  if (!native) return std::move(model.problem);
  const std::string reason = dynamic_cast<const NativeModel&>(*model.problem).use_native(NativeUse::always);
  if (reason.empty()) return model.problem->clone();
  std::fprintf(stderr, "no machine code: %s\n", reason.c_str());
  return nullptr;
}

bool compare_forces(const Workshop& shop, int n, bool native) {
  const auto problem = load_chain(shop, n, native);
  if (!problem) return false;
  const auto& chain = problem->as<MechanicalProblem>("the benchmark");
  const State start = problem->initial_state();
  const Chain hand(start);
  const Vec q = start.q(), v = start.v();
  Vec ours(q.size()), theirs(q.size());
  chain.force(all_groups, 0, q, v, ours);
  hand.force(q.data(), theirs.data());
  if (!same("force", ours.data(), theirs.data(), static_cast<std::size_t>(q.size()))) return false;
  const int repeats = std::max(1, 1'000'000 / n);
  const auto repeat = [&](auto work) {
    return [repeats, work] {
      for (int k = 0; k < repeats; ++k) work();
    };
  };
  const double value = median_ratio(repeat([&] {
                                      chain.force(all_groups, 0, q, v, ours);
                                      keep(ours[0]);
                                    }),
                                    repeat([&] {
                                      hand.force(q.data(), theirs.data());
                                      keep(theirs[0]);
                                    }));
  print_ratio(fmt::format("text/chain_force_{}_{}_over_hand_written", native ? "native" : "interpreted", n).c_str(),
              value, native ? 1.3 : 4);
  return true;
}

bool compare_hessians(const Workshop& shop, int n, bool native) {
  const auto problem = load_chain(shop, n, native);
  if (!problem) return false;
  const auto& chain = problem->as<MechanicalProblem>("the benchmark");
  const State start = problem->initial_state();
  const Chain hand(start);
  const Vec q = start.q(), v = start.v();
  MatrixSlot dq = chain.stiffness_pattern(), dv = chain.damping_pattern(), by_hand = chain.stiffness_pattern();
  chain.force_jacobian(all_groups, 0, q, v, dq, dv);
  const Chain::Places places = hand.places_in(by_hand);
  const auto count = static_cast<std::size_t>(by_hand.as_sparse().nonZeros());
  hand.hessian(q.data(), places, by_hand.values(), count);
  if (!same("df/dq", dq.values(), by_hand.values(), count)) return false;
  const double value = median_ratio(
      [&] {
        chain.force_jacobian(all_groups, 0, q, v, dq, dv);
        keep(*dq.values());
      },
      [&] {
        hand.hessian(q.data(), places, by_hand.values(), count);
        keep(*by_hand.values());
      });
  print_ratio(fmt::format("text/chain_hessian_{}_{}_over_hand_written", native ? "native" : "interpreted", n).c_str(),
              value, 1.5);
  return true;
}

// The time from reading the file to the end of the first step.
void first_step(const Workshop& shop, int n) {
  RunPlan plan;
  plan.model = shop.chain();
  plan.parameters = {{"n", std::to_string(n)}};
  plan.h = 1e-3;
  plan.to = 1e-3;
  plan.output = Times{{}};
  plan.native = Native::always;
  PreparedRun run = prepare(plan);
  keep(run.run().y()(0, 0));
}

// The data that every program has to fill for such a chain: its vectors, the tables of its springs and the names of
// its unknowns.
void fill_tables(int n) {
  const auto size = static_cast<std::size_t>(n);
  std::vector<double> q(2 * size), v(2 * size, 0.0), mass(2 * size, 1.0);
  for (std::size_t i = 0; i < size; ++i) {
    q[2 * i] = 1.01 * static_cast<double>(i);
    q[2 * i + 1] = 0.1 * std::sin(static_cast<double>(i));
  }
  std::vector<std::int32_t> slots[4];
  for (int k = 0; k < 4; ++k) {
    slots[k].resize(size - 1);
    for (std::size_t i = 0; i + 1 < size; ++i) slots[k][i] = static_cast<std::int32_t>(2 * i) + k;
    keep(slots[k][0]);
  }
  std::vector<Quantity> names;
  names.reserve(4 * size);
  for (const char* letter : {"x[", "vx["})
    for (int i = 0; i < n; ++i)
      for (const char* part : {"].x", "].y"}) names.push_back({letter + std::to_string(i) + part, ""});
  keep(q[0] + v[0] + mass[0] + static_cast<double>(names.back().name.size()));
}

// Processor time, including that of the compiler.
template <class Work>
double seconds_with_children(Work&& work) {
  const auto now = [] {
    double sum = 0;
    for (const auto whose : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
      rusage used{};
      getrusage(whose, &used);
      for (const timeval t : {used.ru_utime, used.ru_stime})
        sum += static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
    }
    return sum;
  };
  const double begin = now();
  work();
  return now() - begin;
}

void time_first_steps(Workshop& shop) {
  double least = 0;
  for (const int n : {64, 1024, 100'000}) {
    std::vector<double> cold, cached, filled;
    for (int k = 0; k < 7; ++k) {
      shop.forget_compiled();
      cold.push_back(seconds_with_children([&] { first_step(shop, n); }));
      cached.push_back(processor_seconds([&] { first_step(shop, n); }));
      filled.push_back(processor_seconds([&] { fill_tables(n); }));
    }
    std::printf("first step of %d springs: %.4f s, %.4f s once compiled, a loop that fills its tables %.4f s\n", n,
                median(cold), median(cached), median(filled));
    const auto print = [&](const char* what, double value, double limit) {
      print_ratio(fmt::format("text/first_step_{}_{}", n, what).c_str(), value, limit);
    };
    print("cold_over_half_a_second", median(cold) / 0.5, 1);
    if (n < 100'000) {
      print("cached_over_20_ms", median(cached) / 0.02, 1);
      least = median(cached);
    } else {
      print("cached_over_filling_tables", (median(cached) - least) / median(filled), 4);
    }
  }
}

// The same two springs, written as a class.
class TwoSprings final : public MechanicalProblem {
 public:
  explicit TwoSprings(double omega2) : omega2_(omega2) {}
  std::string name() const override { return "two springs by hand"; }
  Layout layout() const override { return {4, 4, 0, 0}; }
  std::vector<Quantity> components() const override {
    return {{"x1", ""}, {"y1", ""}, {"x2", ""}, {"y2", ""}, {"u1", ""}, {"v1", ""}, {"u2", ""}, {"v2", ""}};
  }
  State initial_state() const override {
    State s(layout());
    s.y << 1, 0, 2 + 1 / omega2_, 0, 0.5, -0.5, -0.5, 0.5;
    return s;
  }
  std::unique_ptr<Problem> clone() const override { return std::make_unique<TwoSprings>(omega2_); }
  std::vector<GroupInfo> groups() const override { return {{"slow", false}, {"fast", true}}; }
  void force(Groups groups, double, In q, In, Out f) const override {
    const double *p = q.data(), x = p[0] - p[2], y = p[1] - p[3];
    double fx1 = 0, fy1 = 0, fx2 = 0, fy2 = 0;
    if (groups & 1) {
      const double c = 1 - 1 / std::sqrt(p[0] * p[0] + p[1] * p[1]);
      fx1 = -c * p[0];
      fy1 = -c * p[1];
    }
    if (groups & 2) {
      const double c = omega2_ * omega2_ * (1 - 1 / std::sqrt(x * x + y * y));
      fx2 = c * x;
      fy2 = c * y;
    }
    double* out = f.data();
    out[0] = fx1 - fx2;
    out[1] = fy1 - fy2;
    out[2] = fx2;
    out[3] = fy2;
  }

 private:
  double omega2_;
};

bool compare_two_springs() {
  RunPlan plan;
  plan.model = TRILL_SOURCE_DIR "/examples/two_springs.toml";
  plan.method = "verlet";
  plan.h = 1e-4;
  plan.to = 20;
  plan.output = Times{{}};
  const auto prepared = [&](Native native) {
    plan.native = native;
    return prepare(plan);
  };
  PreparedRun interpreted = prepared(Native::never), native = prepared(Native::always),
              by_class = prepare(plan, std::make_unique<TwoSprings>(500));
  const auto force_of = [](PreparedRun& run) {
    Vec f(4);
    run.problem->as<MechanicalProblem>("the benchmark").force(all_groups, 0, run.start.q(), run.start.v(), f);
    return f;
  };
  if (!same("two springs", force_of(native).data(), force_of(by_class).data(), 4)) return false;
  const auto run = [](PreparedRun& r) {
    return [&r] {
      const Solution s = r.run();
      keep(s.y()(0, s.rows() - 1));
    };
  };
  print_ratio("text/two_springs_interpreted_over_class", median_ratio(run(interpreted), run(by_class)), 2.5);
  print_ratio("text/two_springs_native_over_class", median_ratio(run(native), run(by_class)), 1.5);
  return true;
}
}  // namespace

int main() {
  Workshop shop;
  for (const bool native : {false, true}) {
    for (const int n : {64, 1024, 100'000})
      if (!compare_forces(shop, n, native)) return 1;
    if (!compare_hessians(shop, 100'000, native)) return 1;
  }
  time_first_steps(shop);
  return compare_two_springs() ? 0 : 1;
}
