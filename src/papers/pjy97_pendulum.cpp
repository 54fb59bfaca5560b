// SPDX-License-Identifier: BSD-3-Clause
// PJY97 figures 1 to 4: states and eigenvalues of the stiff spring pendulum, epsilon = 10^-1.5, from (0.9, 0.1) at
// rest.
#include "papers/pjy97.hpp"

#include <array>
#include <cmath>

namespace trill {
namespace papers::pjy97 {
namespace {
// The paper has curves only. States at t = 1, 2, ..., 10 from Taylor series of degree 30 with steps of 1/200 in
// 25-digit arithmetic, once in Cartesian and once in polar coordinates; the two agree to 1e-23.
const CellOrigin taylor_25 = computed_by("Taylor series, 25 digits");
constexpr std::array<double, 40> cartesian_states{
    0.74727088468107605, 0.5180969624602317,    -0.052280459083909082,  1.237382234372721,    -0.24424862751880304,
    0.8868382154061687,  -1.7469621303313115,   1.0109849247565273,     -0.89328464186704203, 0.26597592345679142,
    -2.1531217960781706, -0.024102569170921926, -0.92944678963645411,   0.1810007817096626,   -2.3440376567834596,
    0.87839671815902494, -0.47949887387381207,  0.84257780209690169,    -0.29356276202930555, 3.0642091904610883,
    0.68629959559713313, 0.72070849026037113,   2.8640852437793655,     1.3922601498421339,   1.0067271680548897,
    0.13154718229849985, 2.9528266390741265,    0.18232115850234521,    0.94099293282077454,  0.43264807865033805,
    2.2191718358124809,  1.8411485393161559,    -0.0005560092570961348, 1.0595756682059912,   -1.2543715657822353,
    2.3915263033522001,  -0.97779976222397908,  0.4489746513622476,     -1.9602874456516216,  0.098164649710763038,
};
constexpr std::array<double, 40> polar_states{
    0.90930645967273145, 0.60622785752827295, 0.6620609649427405,   1.1510668238752079,  0.91985836537459236,
    1.8395484032372444,  1.4385618688106307,  1.539156643365386,    0.93204111671868989, 2.8522009221869001,
    2.0567117641350446,  0.68402045918926062, 0.94690686856998767,  2.9492595386385075,  2.4687208902102801,
    -0.4373590183141528, 0.96946197585707278, 2.0881744003613843,   2.8083594060109471,  -1.300129711191319,
    0.99520242305280383, 0.80984865368696882, 2.9833470924400726,   -1.1193778121590338, 1.0152853057493213,
    0.12993199932111064, 2.9515591507303937,  -0.19876553690873455, 1.0356891713146719,  0.43095569824294757,
    2.7853862646817007,  0.72007257704246819, 1.0595758140881032,   1.5713210738448203,  2.3921842018359484,
    1.182658598001554,   1.0759510270319564,  2.7111405799624148,   1.8224268469149904,  0.67733774427747247,
};

FigureResult seconds(const std::string& model, const std::array<double, 40>& expected) {
  return states(solve(model, 10, 0.002), {expected, 1, taylor_25});
}

// Extremes along the solution, compared with those of an independent integrator and closed-form eigenvalues; 7 digits.
struct Extremes {
  double fast_low = HUGE_VAL, fast_high = 0, slow_imaginary = 0, real = 0;
};

Extremes extremes_of(const std::vector<LocalSpectrum>& spectra) {
  Extremes e;
  for (const LocalSpectrum& s : spectra) {
    e.fast_low = std::min(e.fast_low, s.values.front().imag());
    e.fast_high = std::max(e.fast_high, s.values.front().imag());
    for (const auto& value : s.values) {
      e.real = std::max(e.real, value.real());
      if (&value != &s.values.front()) e.slow_imaginary = std::max(e.slow_imaginary, value.imag());
    }
  }
  return e;
}

FigureResult cartesian_eigenvalues(bool) {
  const Solution solution = solve("stiff_spring", 10, 0.001);
  const auto spectra = spectra_along("stiff_spring", solution);
  const Extremes e = extremes_of(spectra);
  double r_low = HUGE_VAL, r_high = 0;
  for (Index k = 0; k < solution.rows(); ++k) {
    const double r = std::hypot(solution.y()(0, k), solution.y()(1, k));
    r_low = std::min(r_low, r);
    r_high = std::max(r_high, r);
  }
  FigureResult result;
  const double fast = std::sqrt(1000.0);
  result.cells = {
      relative("fast pair, smallest imaginary part", e.fast_low, fast, 1e-9, form_of("1/epsilon, PJY97 sec. 3.1")),
      relative("fast pair, largest imaginary part", e.fast_high, fast, 1e-9, form_of("1/epsilon, PJY97 sec. 3.1")),
      relative("other pair, largest real part", e.real, 10.21348426, 1e-3),
      relative("other pair, largest imaginary part", e.slow_imaginary, 9.412832723, 1e-3),
      relative("smallest r", r_low, 0.9055385138, 5e-5),
      relative("largest r", r_high, 1.0972147881, 5e-5)};
  result.charts = {eigenvalue_chart(spectra)};
  result.remark =
      "The other pair is (1/epsilon) sqrt((1 - r)/r): real while the spring is short, imaginary while it is long.";
  return result;
}

FigureResult polar_eigenvalues(bool) {
  const Solution solution = solve("stiff_spring_polar", 10, 0.001);
  const auto spectra = spectra_along("stiff_spring_polar", solution);
  const Extremes e = extremes_of(spectra);
  FigureResult result;
  result.cells = {relative("fast pair, smallest imaginary part", e.fast_low, 31.62275755, 1e-5),
                  relative("fast pair, largest imaginary part", e.fast_high, 31.74560410, 1e-5),
                  relative("largest real part", e.real, 5.988397282, 1e-3)};
  result.charts = {eigenvalue_chart(spectra)};
  return result;
}
}  // namespace
}  // namespace papers::pjy97

void register_figure_pjy97_pendulum(FigureRegistry& registry) {
  using namespace papers::pjy97;
  registry.add({"pjy97_fig1", "Stiff spring pendulum in Cartesian coordinates", "PJY97 fig. 1",
                [](bool) { return seconds("stiff_spring", cartesian_states); }});
  registry.add({"pjy97_fig2", "Stiff spring pendulum in polar coordinates", "PJY97 fig. 2",
                [](bool) { return seconds("stiff_spring_polar", polar_states); }});
  registry.add(
      {"pjy97_fig3", "Eigenvalues of the stiff spring pendulum, Cartesian", "PJY97 fig. 3", cartesian_eigenvalues});
  registry.add({"pjy97_fig4", "Eigenvalues of the stiff spring pendulum, polar", "PJY97 fig. 4", polar_eigenvalues});
}
}  // namespace trill
