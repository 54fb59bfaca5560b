// SPDX-License-Identifier: BSD-3-Clause
// The slow motion of stiff gaps by itself: what one right-hand side costs in calls of a stiff force that is written by
// hand, how that grows with the system, and whole solutions against velocity Verlet written by hand.
#include "ratio.hpp"
#include "slow_start.hpp"
#include "trill/control/advance.hpp"
#include "trill/driver/plan.hpp"
#include "trill/method/registry.hpp"
#include "trill/model/native_model.hpp"

#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <random>
#include <string>

#include <fmt/format.h>

namespace {
using namespace trill;
using namespace trill::bench;
namespace fs = std::filesystem;

const char* const chain_text = R"toml([parameters]
n = 1000
[sets]
mass = "n"
stiff = "n/2"
soft = "n/2 - 1"
[coordinates]
x = { over = "mass", point = 2, start = ["0.9*mass", "0.4359*(mass - 2*floor_half)"], velocity = ["0.1*sin(mass)", "0.1*cos(1.7*mass)"] }
[[stiff]]
over = "stiff"
gap = "distance(x[2*stiff], x[2*stiff + 1]) - 1"
stiffness = "1e6"
group = "stiff"
[[potential]]
over = "soft"
energy = "(distance(x[2*soft + 1], x[2*soft + 2]) - 1)^2/2"
group = "soft"
[run]
to = 1
method = "dopri5"
rtol = 1e-6
)toml";

// A folder of our own with the chain's file and a cache of compiled models.
class Workshop {
 public:
  Workshop() : folder_(fs::temp_directory_path() / fmt::format("trill-bench-{}", std::random_device()())) {
    fs::create_directories(folder_);
    std::ofstream(chain()) << chain_text;
    setenv("XDG_CACHE_HOME", (folder_ / "cache").c_str(), 1);
  }
  ~Workshop() { fs::remove_all(folder_); }
  std::string chain() const { return (folder_ / "chain.toml").string(); }

 private:
  fs::path folder_;
};

std::string written(double x) { return fmt::format("{:.17g}", x); }

std::unique_ptr<Problem> native_model(const std::string& name, const OptionSet& parameters) {
  TextModel model = make_model(name, parameters);
  const std::string reason = dynamic_cast<const NativeModel&>(*model.problem).use_native(NativeUse::always);
  if (reason.empty()) return model.problem->clone();
  throw std::runtime_error("no machine code: " + reason);
}

// The models as a C++ user would write them.
struct Pendulum {
  static constexpr int n = 2;
  double stiffness;
  void force(const double* q, double* f) const {
    const double r = std::sqrt(q[0] * q[0] + q[1] * q[1]), s = stiffness * (r - 1) / r;
    f[0] = -s * q[0];
    f[1] = 1 - s * q[1];
  }
};
struct TwoSprings {
  static constexpr int n = 4;
  double first, second;
  void force(const double* q, double* f) const {
    const double x = q[0] - q[2], y = q[1] - q[3];
    const double r = std::sqrt(q[0] * q[0] + q[1] * q[1]), d = std::sqrt(x * x + y * y);
    const double s = first * (r - 1) / r, c = second * (d - 1) / d;
    f[0] = -s * q[0] - c * x;
    f[1] = -s * q[1] - c * y;
    f[2] = c * x;
    f[3] = c * y;
  }
};
struct PlanarChain {
  static constexpr int n = 10;
  double stiffness;
  void force(const double* q, double* f) const {
    std::fill_n(f, n, 0.0);
    for (int i = 0; i < 4; ++i) {
      const double dx = q[2 * i + 2] - q[2 * i], dy = q[2 * i + 3] - q[2 * i + 1];
      const double r = std::sqrt(dx * dx + dy * dy), s = (i == 0 || i == 3 ? 1 : stiffness) * (r - 1) / r;
      f[2 * i] += s * dx;
      f[2 * i + 1] += s * dy;
      f[2 * i + 2] -= s * dx;
      f[2 * i + 3] -= s * dy;
    }
  }
};
struct VaryingFrequency {
  static constexpr int n = 2;
  double square;
  void force(const double* q, double* f) const {
    f[0] = -square * q[0] * q[1] * q[1];
    f[1] = -square * (1 + q[0] * q[0]) * q[1];
  }
};

// Calls as integrators make them: every point depends on what the one before gave.
constexpr int calls = 2000;
constexpr double nudge = 1e-30;

template <class Model>
void call_force(const Model& model, const Vec& start) {
  std::array<double, Model::n> q, f{};
  std::copy_n(start.data(), Model::n, q.begin());
  for (int k = 0; k < calls; ++k) {
    for (std::size_t i = 0; i < Model::n; ++i) q[i] += nudge * f[i];
    model.force(q.data(), f.data());
    keep(f[0]);
  }
}

void call_rhs(const SlowSystem& slow, Vec& y, Vec& dy) {
  dy.setZero();
  for (int k = 0; k < calls; ++k) {
    for (Index i = 0; i < y.size(); ++i) y[i] += nudge * dy[i];
    slow.rhs(0, y, dy);
    keep(dy[0]);
  }
}

template <class Model>
bool agree(const MechanicalProblem& p, const Model& hand) {
  const State start = p.initial_state();
  Vec ours(p.layout().nq), theirs(p.layout().nq);
  p.force(all_groups, 0, start.q(), start.v(), ours);
  hand.force(start.y.data(), theirs.data());
  if ((ours - theirs).cwiseAbs().maxCoeff() <= 1e-8 * (1 + theirs.cwiseAbs().maxCoeff())) return true;
  std::fprintf(stderr, "%s: our force is not that written by hand\n", p.name().c_str());
  return false;
}

template <class Model>
bool compare_calls(const char* name, const Problem& problem, const Model& hand, double limit_0, double limit_1) {
  const auto& p = problem.as<MechanicalProblem>("the benchmark");
  if (!agree(p, hand)) return false;
  for (const bool fast : {false, true}) {
    const SlowSystem slow(p, {fast ? FastEnergy::keep : FastEnergy::drop});
    const MatchedStart start = fast ? match_start(slow, p.initial_state()) : project_start(slow, p.initial_state());
    State s(slow.layout(), 0);
    s.q() = start.q;
    s.v() = start.v;
    if (fast) s.x() = start.actions;
    Vec dy(s.y.size());
    for (const int order : {0, 1}) {
      slow.set_order(order);
      call_rhs(slow, s.y, dy);
      double each = 1e300, theirs = 1e300;
      const double value = median_ratio(
          [&] { each = std::min(each, seconds([&] { call_rhs(slow, s.y, dy); })); },
          [&] { theirs = std::min(theirs, seconds([&] { call_force(hand, start.q); })); }, 25);
      std::printf("%s, order %d%s: %.1f ns, the force %.1f ns\n", name, order, fast ? ", with fast energy" : "",
                  1e9 * each / calls, 1e9 * theirs / calls);
      if (fast)
        std::printf("%s, order %d, with fast energy, over the force: %.2f\n", name, order, value);
      else
        print_ratio(fmt::format("slow/{}_order_{}_over_hand_written_force", name, order).c_str(), value,
                    order == 0 ? limit_0 : limit_1);
    }
  }
  return true;
}
}  // namespace

int main() {
  Workshop shop;
  const double omega = 1000, k = omega * omega;
  const auto pendulum = native_model("pendulum/stiff_spring", {{"epsilon", written(1 / omega)}});
  const auto springs = native_model("pendulum/two_springs", {{"omega1", written(omega)}, {"omega2", written(omega)}});
  const auto chain = native_model("molecule/planar_chain", {{"omega", written(omega)}});
  if (!compare_calls("pendulum", *pendulum, Pendulum{k}, 5, 18) ||
      !compare_calls("two_gaps", *springs, TwoSprings{k, k}, 8, 30) ||
      !compare_calls("planar_chain", *chain, PlanarChain{k}, 8, 40))
    return 1;
  return 0;
}
