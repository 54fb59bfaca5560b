// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/native/native_model.hpp"
#include "trill/driver/plan.hpp"

#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <stdexcept>
#include <string>

#include <fmt/format.h>

namespace trill::bench {
// A temporary folder with a cache of compiled models.
class Workshop {
 public:
  Workshop() : folder_(std::filesystem::temp_directory_path() / fmt::format("trill-bench-{}", std::random_device()())) {
    std::filesystem::create_directories(folder_);
    setenv("XDG_CACHE_HOME", (folder_ / "cache").c_str(), 1);
  }
  ~Workshop() { std::filesystem::remove_all(folder_); }
  std::filesystem::path operator/(const char* name) const { return folder_ / name; }

 private:
  std::filesystem::path folder_;
};

inline std::string written(double x) { return fmt::format("{:.17g}", x); }

inline std::unique_ptr<Problem> native_model(const std::string& name, const OptionSet& parameters) {
  TextModel model = make_model(name, parameters);
  const std::string reason = dynamic_cast<const NativeModel&>(*model.problem).use_native(NativeUse::always);
  if (reason.empty()) return model.problem->clone();
  throw std::runtime_error("no machine code: " + reason);
}

// The pendulum of JP95, which starts at a distance of 3 epsilon^4 from the rigid one.
inline std::unique_ptr<Problem> jp95_pendulum(double epsilon) {
  return native_model("pendulum/stiff_spring",
                      {{"epsilon", written(epsilon)}, {"x0", written(1 - 3 * std::pow(epsilon, 4))}, {"y0", "0"}});
}

// The models as a user of C++ would write them.
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

// Velocity Verlet as a user would write it by hand, with steps that end at the sample times.
template <class Model>
Mat verlet(const Model& model, const State& given, double to, double h, int samples) {
  constexpr auto n = static_cast<std::size_t>(Model::n);
  std::array<double, n> q, v, f;
  std::copy_n(given.y.data(), n, q.begin());
  std::copy_n(given.y.data() + n, n, v.begin());
  model.force(q.data(), f.data());
  Mat found(2 * Model::n, samples);
  const auto steps = static_cast<long>(std::ceil(to / samples / h));
  const double step = to / samples / static_cast<double>(steps);
  for (int k = 0; k < samples; ++k) {
    for (long s = 0; s < steps; ++s) {
      for (std::size_t i = 0; i < n; ++i) {
        v[i] += 0.5 * step * f[i];
        q[i] += step * v[i];
      }
      model.force(q.data(), f.data());
      for (std::size_t i = 0; i < n; ++i) v[i] += 0.5 * step * f[i];
    }
    std::copy_n(q.begin(), n, found.col(k).data());
    std::copy_n(v.begin(), n, found.col(k).data() + n);
  }
  return found;
}
}  // namespace trill::bench
