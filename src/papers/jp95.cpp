// SPDX-License-Identifier: BSD-3-Clause
#include "papers/jp95.hpp"

#include "papers/runs.hpp"
#include "trill/problem/model_registry.hpp"

#include <cmath>
#include <map>

#include <fmt/format.h>

namespace trill::papers::jp95 {
std::string Method::title() const {
  static const std::map<std::string, std::string> names{{"gauss", "Gauss"},
                                                        {"radau", "Radau IIA"},
                                                        {"lobatto_iiia", "Lobatto IIIA"},
                                                        {"lobatto_iiib", "Lobatto IIIB"},
                                                        {"lobatto_iiic", "Lobatto IIIC"},
                                                        {"lobatto_pair", "Lobatto IIIA-IIIB"},
                                                        {"verlet", "Verlet"}};
  return s > 0 ? fmt::format("{} {}", names.at(name), s) : names.at(name);
}

std::unique_ptr<Problem> pendulum(const Setting& setting) {
  const double square = setting.epsilon * setting.epsilon, fourth = square * square;
  const double x0 = 1 + (setting.delta - 3 * fourth - 54 * fourth * fourth);
  return ModelRegistry::all()
      .find("stiff_spring")
      .make({{"epsilon", digits(setting.epsilon)}, {"x0", digits(x0)}, {"y0", "0"}});
}

double Track::most_energy() const {
  double most = 0;
  for (std::size_t k = 1; k < energy.size(); ++k) most = std::max(most, std::abs(energy[k]));
  return most;
}

namespace {
double energy_of(const Vec& y, double epsilon) {
  const double open = std::hypot(y[0], y[1]) - 1;
  return 0.5 * (y[2] * y[2] + y[3] * y[3]) - y[1] + 0.5 * (open / epsilon) * (open / epsilon);
}

void keep(double t, const Steps& steps, double epsilon, Track& track) {
  const Vec& y = steps.state().y;
  track.t.push_back(t);
  track.y.push_back(y);
  track.energy.push_back(energy_of(y, epsilon));
  track.radial.push_back((y[0] * y[2] + y[1] * y[3]) / std::hypot(y[0], y[1]));
  Vec values = Vec::Zero(static_cast<Index>(steps.stepper().diagnostics().size()));
  steps.stepper().diagnose(values);
  if (values.size() > 0) track.fast_energy.push_back(values[0]);
}
}  // namespace

Track follow(const Method& method, const Setting& setting) {
  const std::unique_ptr<Problem> problem = pendulum(setting);
  Steps steps(*problem, method.name, method.s > 0 ? OptionSet{{"s", std::to_string(method.s)}} : OptionSet{});
  Track track;
  keep(0, steps, setting.epsilon, track);
  const int count = static_cast<int>(std::lround(setting.to / setting.h));
  for (int k = 1; k <= count; ++k) {
    const StepResult result = steps.step(setting.h);
    if (result.status != StepStatus::ok) {
      track.failed = k;
      break;
    }
    track.iterations += result.newton.iterations;
    keep(k * setting.h, steps, setting.epsilon, track);
  }
  if (track.steps() > 0) track.iterations /= track.steps();
  return track;
}

ChartSeries magnitudes(std::string label, const Track& track) {
  ChartSeries series{std::move(label), track.t, {}};
  for (const double value : track.energy) series.y.push_back(value == 0 ? std::nan("") : std::abs(value));
  return series;
}

Chart magnitude_chart(std::string title, std::string note, std::vector<ChartSeries> series) {
  return time_chart(std::move(title), std::move(note), {"|energy|", "", true}, std::move(series));
}
}  // namespace trill::papers::jp95
