// SPDX-License-Identifier: BSD-3-Clause
// YPR98 figures 2 and 3: the stiff spring pendulum, epsilon^2 = 1e-3, from (0.9, 0) at rest; energy and path with more
// and less damping.
#include "papers/ypr98.hpp"

#include <array>

#include <fmt/format.h>

namespace trill {
namespace papers::ypr98 {
namespace {
constexpr double spring_end = 5, energy_tolerance = 1e-4, path_tolerance = 1e-6;
constexpr std::array<double, 4> spring_rhos{1, 0.75, 0.5, 0};

Setting pendulum(double rho, double h) {
  return {"stiff_spring", rho, h, spring_end, "index2", {{"x0", "0.9"}, {"y0", "0"}}};
}

// Energies at t = 0.5, 1, ..., 5 with h = 0.01, for each rho.
constexpr std::array<double, 40> first_energies{
    4.99946167589,  5.00280986619,  4.99613337795, 5.00562503471,  4.9972014575,   5.00138247848, 4.99993479548,
    5.00029579333,  4.99858166182,  5.00436072258, 4.99240320727,  4.98902913668,  4.9746275583,  4.97798798081,
    4.96171957916,  4.95925038151,  4.9506618136,  4.94404323374,  4.93515886958,  4.93440622943, 4.91451071706,
    4.83441297867,  4.74081877476,  4.67183838247, 4.57924312021,  4.50508196581,  4.42492609673, 4.34824269718,
    4.270334237,    4.20184127802,  3.5199700054,  2.4366836618,   1.69801169612,  1.17849984252, 0.840485705576,
    0.580101640994, 0.402076781756, 0.27489409345, 0.187959801254, 0.129878684738,
};
// Energies at t = 5: one row per h, one column per rho.
constexpr std::array<double, 5> steps{1e-3, 1e-2, 2e-2, 5e-2, 1e-1};
constexpr std::array<double, 20> last_energies{
    5.000010226,     4.999915951,     4.998969,    4.974201007,  5.004360723,     4.934406229,   4.201841278,
    0.1298786847,    4.988490576,     4.494902269, 1.578119919,  -0.003356572245, 4.9497345,     1.983183391,
    -0.009786599694, -0.009046097024, 5.882674036, 0.2610844686, -0.01645299794,  -0.0477030585,
};
// (x, y) at t = 0.5, 1, ..., 5 with rho = 0.5, for h = 1e-3, 1e-2, 1e-1.
constexpr std::array<double, 3> path_steps{1e-3, 1e-2, 1e-1};
constexpr std::array<double, 60> paths{
    1.09111706719,   0.138079558899,  0.791475986166,  0.43659344566,   0.507361477436,  0.971905837781,
    -0.204858604464, 0.892152552302,  -0.823477404508, 0.701765020795,  -0.902890146808, 0.216852700317,
    -1.06427408317,  0.019294374865,  -0.942639522928, 0.0483872829035, -0.991632128026, 0.338656420483,
    -0.631628133482, 0.732226749167,  1.09035668044,   0.138665932653,  0.793056266453,  0.434952773308,
    0.503622273474,  0.975359754702,  -0.197096975647, 0.888079584924,  -0.835779238119, 0.704560914783,
    -0.885861268979, 0.218526341884,  -1.08424266568,  0.0196129546763, -0.919338004046, 0.0459318430579,
    -1.01525789016,  0.355772189771,  -0.617297842581, 0.697852589184,  1.04839216585,   0.137628227598,
    0.852986524833,  0.470012496912,  0.470499059078,  0.900505945413,  -0.198044993599, 0.976459086102,
    -0.749157100831, 0.670176620278,  -0.964298463456, 0.261906872999,  -1.00019943263,  0.0337191026,
    -0.998501604703, 0.0511594917779, -0.95121999952,  0.3118656593,    -0.689621835536, 0.727044350775,
};

FigureResult damped_energy(bool) {
  FigureResult result;
  Chart chart = time_chart("Energy of the stiff spring pendulum", "h = 0.01", {"energy", ""});
  for (std::size_t r = 0; r < spring_rhos.size(); ++r) {
    const Solution s = follow(pendulum(spring_rhos[r], 0.01), EveryStep{});
    for (std::size_t k = 0; k < 10; ++k) {
      const double t = 0.5 * static_cast<double>(k + 1);
      result.cells.push_back(near(fmt::format("E({}), rho = {}, h = 0.01", t, spring_rhos[r]), energy_at(s, t),
                                  first_energies[10 * r + k], energy_tolerance, same_steps));
    }
    chart.series.push_back(energy_curve(fmt::format("rho = {}", spring_rhos[r]), s));
  }
  for (std::size_t i = 0; i < steps.size(); ++i)
    for (std::size_t r = 0; r < spring_rhos.size(); ++r)
      result.cells.push_back(
          near(fmt::format("E(5), rho = {}, h = {}", spring_rhos[r], steps[i]),
               energy_at(follow(pendulum(spring_rhos[r], steps[i]), Times{{spring_end}}), spring_end),
               last_energies[4 * i + r], energy_tolerance, same_steps));
  result.charts = {std::move(chart)};
  result.remark =
      "The print shows curves without digits. Damping grows with h and as rho falls, and the swing (E near 0) stays. "
      "rho = 1 with h = 0.1 gains energy: without damping nothing holds it on nonlinear motion.";
  return result;
}

FigureResult paths_by_step(bool) {
  FigureResult result;
  for (std::size_t i = 0; i < path_steps.size(); ++i) {
    const Solution s = follow(pendulum(0.5, path_steps[i]), EveryStep{});
    Chart chart{.title = fmt::format("Path, h = {}", path_steps[i]),
                .note = "rho = 0.5",
                .x = {"x", "", false},
                .y = {"y", "", false},
                .style = ChartStyle::line,
                .series = {{"path", {}, {}}}};
    for (Index k = 0; k < s.rows(); ++k) add_point(chart.series[0], s.y()(0, k), s.y()(1, k));
    result.charts.push_back(std::move(chart));
    for (std::size_t k = 0; k < 10; ++k) {
      const double t = 0.5 * static_cast<double>(k + 1);
      const Vec y = state_at(s, t);
      for (const Index c : {0, 1})
        result.cells.push_back(near(fmt::format("{}({}), h = {}", c == 0 ? "x" : "y", t, path_steps[i]), y[c],
                                    paths[20 * i + 2 * k + static_cast<std::size_t>(c)], path_tolerance, same_steps));
    }
  }
  result.remark =
      "The print shows curves without digits and does not say which rho they have; these have 0.5. The longer the "
      "step, the sooner the path becomes the circle of the resting spring.";
  return result;
}
}  // namespace
}  // namespace papers::ypr98

void register_figure_ypr98_spring(FigureRegistry& registry) {
  using namespace papers::ypr98;
  registry.add({"ypr98_fig2", "Energy of the stiff spring pendulum, damped", "YPR98 fig. 2", damped_energy});
  registry.add({"ypr98_fig3", "Path of the stiff spring pendulum, damped", "YPR98 fig. 3", paths_by_step});
}
}  // namespace trill
