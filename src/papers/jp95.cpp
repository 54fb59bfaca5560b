// SPDX-License-Identifier: BSD-3-Clause
#include "papers/jp95.hpp"

#include "papers/slow_motion.hpp"
#include "trill/method/registry.hpp"
#include "trill/problem/model_registry.hpp"

#include <cmath>
#include <map>

#include <fmt/format.h>

namespace trill::jp95 {
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
      .make({{"epsilon", slow_motion::digits(setting.epsilon)}, {"x0", slow_motion::digits(x0)}, {"y0", "0"}});
}

double energy(const Vec& y, double epsilon) {
  const double open = std::hypot(y[0], y[1]) - 1;
  return 0.5 * (y[2] * y[2] + y[3] * y[3]) - y[1] + 0.5 * (open / epsilon) * (open / epsilon);
}

double Track::most_energy() const {
  double most = 0;
  for (std::size_t k = 1; k < energy.size(); ++k) most = std::max(most, std::abs(energy[k]));
  return most;
}

namespace {
void keep(const State& s, const Stepper& stepper, double epsilon, Track& track) {
  track.t.push_back(s.t);
  track.y.push_back(s.y);
  track.energy.push_back(energy(s.y, epsilon));
  track.radial.push_back((s.y[0] * s.y[2] + s.y[1] * s.y[3]) / std::hypot(s.y[0], s.y[1]));
  Vec values = Vec::Zero(static_cast<Index>(stepper.diagnostics().size()));
  stepper.diagnose(values);
  if (values.size() > 0) track.fast_energy.push_back(values[0]);
}
}  // namespace

// The stepper itself, with the tolerances of a run with fixed steps: such a run halves a step whose iteration fails.
Track follow(const Method& method, const Setting& setting) {
  const std::unique_ptr<Problem> problem = pendulum(setting);
  OptionSet options;
  if (method.s > 0) options["s"] = std::to_string(method.s);
  const std::unique_ptr<Stepper> stepper = Catalogue::all().method(method.name).make(*problem, options);
  State s = problem->initial_state();
  ErrorScale scale{.rtol = 1e-10, .atol = Vec::Constant(s.y.size(), 1e-12)};
  Vec weights = Vec::Ones(s.y.size());
  Notes notes;
  Counters work;
  stepper->start(s, scale);
  Track track;
  keep(s, *stepper, setting.epsilon, track);
  const int steps = static_cast<int>(std::lround(setting.to / setting.h));
  for (int k = 1; k <= steps; ++k) {
    scale.weights(s.y, weights);
    const StepResult result =
        stepper->step(s, {setting.h, scale, weights, HUGE_VAL, k == 1, false, notes, work, RandomKey{}});
    if (result.status != StepStatus::ok) {
      track.failed = k;
      break;
    }
    s.t = k * setting.h;
    track.iterations += result.newton.iterations;
    track.most_iterations = std::max(track.most_iterations, result.newton.iterations);
    keep(s, *stepper, setting.epsilon, track);
  }
  if (track.steps() > 0) track.iterations /= track.steps();
  return track;
}

FigureCell near(std::string label, double ours, double published, double tolerance, const char* origin) {
  return {.label = std::move(label), .ours = ours, .published = published, .tolerance = tolerance, .origin = origin};
}

FigureCell relative(std::string label, double ours, double published, double tolerance, const char* origin) {
  FigureCell cell = near(std::move(label), ours, published, tolerance, origin);
  cell.relative = true;
  return cell;
}

FigureCell by_factor(std::string label, double ours, double published, double most, const char* origin) {
  FigureCell cell = near(std::move(label), ours, published, most, origin);
  cell.factor = true;
  return cell;
}

FigureCell at_most(std::string label, double ours, double bound, const char* origin) {
  return near(std::move(label), ours, 0, bound, origin);
}

FigureCell shown(FigureCell cell) {
  cell.gated = false;
  return cell;
}

Chart time_chart(std::string title, std::string note, std::string quantity, std::vector<ChartSeries> series) {
  return {.title = std::move(title),
          .note = std::move(note),
          .x = {"t", "", false},
          .y = {std::move(quantity), "", false},
          .style = ChartStyle::line,
          .series = std::move(series)};
}

ChartSeries magnitudes(std::string label, const Track& track) {
  ChartSeries series{std::move(label), track.t, {}};
  for (const double value : track.energy) series.y.push_back(value == 0 ? std::nan("") : std::abs(value));
  return series;
}

Chart magnitude_chart(std::string title, std::string note, std::vector<ChartSeries> series) {
  Chart chart = time_chart(std::move(title), std::move(note), "|energy|", std::move(series));
  chart.y.log = true;
  return chart;
}
}  // namespace trill::jp95
