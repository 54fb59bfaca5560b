// SPDX-License-Identifier: BSD-3-Clause
// PJY97 figures 5 and 6: a body on a bushing, stiffnesses 1e4, 1e4, 1e3, from (1.1, 0.1, 0) at rest, and the
// eigenvalues of its linearised motion.
#include "papers/pjy97.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

namespace trill {
namespace papers::pjy97 {
namespace {
// The paper has curves only. x, y, theta and their velocities at t = 0.05, 0.1, ..., 0.5 from Taylor series in 30-digit
// arithmetic, once of degree 26 with steps of 1/1000 and once of degree 30 with steps of 1/800; the two agree to 18
// digits.
const CellOrigin taylor_30 = computed_by("Taylor series, 30 digits");
constexpr double bushing_end = 0.5, every = 0.05;
constexpr std::array<double, 60> bushing_values{
    1.02703653074061832,     0.0676660823930093729,  -0.0189467831078093847,  9.72711823262053143,
    4.92721534806413391,     -3.73482932477300348,   0.914419593557485696,    0.00806035357592186491,
    -0.0323951272830621682,  5.36627916476483815,    8.15641555861942101,     -5.01353659865684383,
    0.925138720936689764,    -0.0387846863504746462, -0.00188391517919269238, -6.55099438460008651,
    8.50997197018961282,     -3.81803164990261044,   1.04138609986874071,     -0.0614969159505644908,
    0.0466943544751372958,   -9.01448407691587524,   4.74009894520110765,     -2.20458578603668639,
    1.09814038036114033,     -0.0738609567670627887, 0.049419747205858377,    1.39256076730447966,
    -1.14307532758464905,    0.00558636251536360498, 1.01397870806819564,     -0.0713906034908299843,
    0.00415236384466681614,  9.84925164716546219,    -6.35626768255305729,    2.64323992615977107,
    0.907463044784335383,    -0.0271771277149577165, -0.02068856456977363,    4.14427514618520549,
    -8.30865101106738515,    5.03497553262666151,    0.933597036564679025,    0.0406113491875177295,
    -0.00887561183735263591, -7.70886917887639077,   -7.1431984387932307,     5.02259464637871726,
    1.054805427216098,       0.0912173383575992907,  0.000931013917173444182, -8.38831734927759009,
    -3.70101023965624328,    1.88674815445862364,    1.09516586323124407,     0.0833736712473890869,
    -0.0262253940352809506,  3.04741427590307832,    1.63438307968125387,     -1.84425961391194588,
};
// Square roots of the eigenvalues of the Hessian of the potential at these states, in increasing order.
constexpr std::array<double, 30> expected_frequencies{
    29.756287341723, 100.0, 112.88429099021, 21.24840285941,  100.0, 112.33080971206,
    22.263737556037, 100.0, 112.38496855724, 30.537213049804, 100.0, 112.94735956388,
    33.843935419843, 100.0, 113.24043026572, 28.971208055752, 100.0, 112.82312836651,
    20.686374897346, 100.0, 112.30211132865, 22.956788414536, 100.0, 112.42367822995,
    31.582547895956, 100.0, 113.03536271995, 33.788634111689, 100.0, 113.2351665823,
};

FigureResult bushing_states(bool) {
  return states(solve("bushing", bushing_end, 0.001), {bushing_values, every, taylor_30});
}

// The three pairs of eigenvalues, by increasing imaginary part.
struct Ranges {
  std::array<double, 3> low, high;
  double real = 0;
};

double imaginary_part(const LocalSpectrum& spectrum, std::size_t pair) { return spectrum.values[2 - pair].imag(); }

Ranges ranges_of(const std::vector<LocalSpectrum>& spectra) {
  Ranges r{{HUGE_VAL, HUGE_VAL, HUGE_VAL}, {0, 0, 0}};
  for (const LocalSpectrum& s : spectra) {
    for (std::size_t pair = 0; pair < 3; ++pair) {
      r.low[pair] = std::min(r.low[pair], imaginary_part(s, pair));
      r.high[pair] = std::max(r.high[pair], imaginary_part(s, pair));
    }
    for (const auto& value : s.values) r.real = std::max(r.real, std::abs(value.real()));
  }
  return r;
}

FigureResult bushing_eigenvalues(bool) {
  constexpr double dt = 0.0005;
  const auto spectra = spectra_along("bushing", solve("bushing", bushing_end, dt));
  const Ranges r = ranges_of(spectra);
  FigureResult result;
  // The two ranges come from different sets of times: their ends differ by how far a pair moves in half a step of the
  // finer one.
  constexpr double between_times = 1e-4;
  constexpr std::array<double, 3> low{19.325601987, 100, 112.236322898}, high{34.258927821, 100, 113.280340920};
  for (std::size_t pair = 0; pair < 3; ++pair) {
    const std::string name = fmt::format("pair {}", pair + 1);
    result.cells.push_back(relative(name + ", smallest imaginary part", r.low[pair], low[pair], between_times));
    result.cells.push_back(relative(name + ", largest imaginary part", r.high[pair], high[pair], between_times));
  }
  result.cells.push_back(at_most("largest real part, all pairs", r.real, 1e-9,
                                 expected_since("the Hessian of the potential is symmetric")));
  for (std::size_t k = 1; k <= 10; ++k)
    for (std::size_t pair = 0; pair < 3; ++pair)
      result.cells.push_back(relative(fmt::format("pair {} at t = {:.2f}", pair + 1, every * static_cast<double>(k)),
                                      imaginary_part(spectra[100 * k], pair), expected_frequencies[3 * (k - 1) + pair],
                                      1e-9, taylor_30));
  std::vector<LocalSpectrum> drawn;
  for (std::size_t k = 0; k < spectra.size(); k += 5) drawn.push_back(spectra[k]);
  result.charts = {eigenvalue_chart(drawn)};
  result.remark =
      "All eigenvalues are imaginary. The caption prints k_z = 1e9; with it the third pair would be at +-31623i. The "
      "text has 1e3.";
  return result;
}
}  // namespace
}  // namespace papers::pjy97

void register_figure_pjy97_bushing(FigureRegistry& registry) {
  using namespace papers::pjy97;
  registry.add({"pjy97_fig5", "Body on a bushing", "PJY97 fig. 5", bushing_states});
  registry.add({"pjy97_fig6", "Eigenvalues of the body on a bushing", "PJY97 fig. 6", bushing_eigenvalues});
}
}  // namespace trill
