// SPDX-License-Identifier: BSD-3-Clause
// PJY97 sec. 2 and JP95 sec. 2: intervals of periodicity, dispersion and damping of the families named there, computed
// from their coefficients.
#include "papers/cells.hpp"
#include "trill/analysis/stability.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace trill {
namespace papers::pjy97 {
namespace {
using Family = ImplicitFamily;

struct Subject {
  std::string name;
  LinearForm form;
  StabilityReport report;
};

Subject subject(std::string name, LinearForm form) {
  StabilityReport report = analyse_stability(form, 1);
  return {std::move(name), std::move(form), std::move(report)};
}
LinearForm of(Family family, int s) { return runge_kutta_form(extended_tableau(family, s)); }
LinearForm pair_form(int s) {
  return partitioned_form(extended_tableau(Family::lobatto_iiia, s), extended_tableau(Family::lobatto_iiib, s));
}

// Compares with theory: most cells are a count or a yes.
FigureCell equal(std::string label, double ours, double expected, CellOrigin origin, double tolerance = 0) {
  return near(std::move(label), ours, expected, tolerance, origin);
}

using Cells = std::vector<FigureCell>;

void add_dispersion(Cells& cells, const Subject& s, int order, double constant, CellOrigin origin) {
  cells.push_back(equal(s.name + ", dispersion order", s.report.dispersion.order, order, origin));
  cells.push_back(relative(s.name + ", dispersion C", s.report.dispersion.constant, constant, 1e-6, origin));
}

// Infinite if M has no limit.
double diagonal_at_infinity(const StabilityReport& r) {
  return r.at_infinity ? 0.5 * r.at_infinity->trace() : HUGE_VAL;
}

// Periodic for every mu by both definitions.
void add_periodic(Cells& cells, const Subject& s, int sign_at_infinity) {
  cells.push_back(equal(s.name + ", P-stable (1: yes)", s.report.p_stable, 1, published_in("JP95 Theorem 2.3")));
  cells.push_back(
      equal(s.name + ", P-stable, open definition", s.report.strictly_p_stable, 1, published_in("PJY97 Theorem 2.1")));
  cells.push_back(equal(s.name + ", M(infinity)", diagonal_at_infinity(s.report), sign_at_infinity,
                        published_in("JP95 eq. 14"), 1e-10));
}

// (s!)^2 / ((2s)! (2s+1)!)
double gauss_constant(int s) {
  double c = 1;
  for (int k = 1; k <= s; ++k) c *= k * k / ((2.0 * k - 1) * (2 * k) * (2 * k) * (2.0 * k + 1));
  return c;
}

void add_symmetric_families(Cells& cells) {
  for (int s = 1; s <= 8; ++s) {
    const Subject gauss = subject(fmt::format("Gauss {}", s), of(Family::gauss, s));
    add_periodic(cells, gauss, s % 2 ? -1 : 1);
    add_dispersion(cells, gauss, 2 * s, -gauss_constant(s), closed_form);
  }
  for (int s = 2; s <= 6; ++s)
    for (const auto& [name, family] :
         {std::pair{"Lobatto IIIA", Family::lobatto_iiia}, {"Lobatto IIIB", Family::lobatto_iiib}}) {
      const Subject lobatto = subject(fmt::format("{} {}", name, s), of(family, s));
      add_periodic(cells, lobatto, s % 2 ? 1 : -1);
      add_dispersion(cells, lobatto, 2 * s - 2, -gauss_constant(s - 1), closed_form);
    }
}

struct PairRow {
  int stages;
  double constant;
  std::vector<double> ends;  // ends of the windows, beginning with the end of the first one
};
const std::vector<PairRow>& pair_rows() {
  static const std::vector<PairRow> rows{
      {2, 1.0 / 24, {2}},
      {3, 1.0 / 2880, {2.8284271247461901, 3.4641016151377546, 4.8989794855663562}},
      {4,
       1.6534391534391534e-6,
       {3.1127176481642173, 3.1622776601683793, 5.4772255750516611, 7.7459666924148338, 8.6203821749854585}},
      {5,
       4.9209498610665669e-9,
       {3.1404451008309426, 3.1424667864528787, 6.0540496129806375, 6.4807406984078602, 8.2545505370472432,
        13.0431937230128, 13.54062344515824}},
      {6,
       9.9413128504311081e-12,
       {3.1415641810857168, 3.141615766021812, 6.2530081847629708, 6.3059391442248085, 8.8414742771439737,
        10.105951235716665, 11.353408679391723, 19.499618752922666, 19.797952093656573}}};
  return rows;
}

void add_windows(Cells& cells, const Subject& s, const std::vector<double>& ends, CellOrigin origin) {
  std::vector<double> ours;
  for (const StabilityWindow& w : s.report.closed.periodicity) {
    if (w.from > 0) ours.push_back(w.from);
    if (std::isfinite(w.to)) ours.push_back(w.to);
  }
  cells.push_back(
      equal(s.name + ", ends of windows", static_cast<double>(ours.size()), static_cast<double>(ends.size()), origin));
  for (std::size_t i = 0; i < ends.size(); ++i)
    cells.push_back(
        relative(fmt::format("{}, {} {} of periodicity", s.name, i % 2 ? "begin" : "end", i / 2 + i % 2 + 1),
                 i < ours.size() ? ours[i] : std::nan(""), ends[i], 1e-10, origin));
}

// Whether closed intervals contain their ends and open ones do not.
bool ends_differ(const StabilityReport& r) {
  bool differ = !r.closed.periodicity.empty() && r.closed.periodicity.size() == r.open.periodicity.size();
  for (std::size_t i = 0; differ && i < r.closed.periodicity.size(); ++i)
    differ = r.closed.periodicity[i].has_to && !r.open.periodicity[i].has_to;
  return differ;
}

void add_pairs(Cells& cells) {
  for (const PairRow& row : pair_rows()) {
    const Subject pair = subject(fmt::format("Lobatto IIIA-IIIB {}", row.stages), pair_form(row.stages));
    add_windows(cells, pair, row.ends, row.stages <= 3 ? closed_form : independent);
    cells.push_back(equal(pair.name + ", [..] in JP95 and (..) in PJY97 (1: yes)", ends_differ(pair.report), 1,
                          published_in("PJY97 sec. 2, JP95 eq. 15")));
    add_dispersion(cells, pair, 2 * row.stages - 2, row.constant, row.stages <= 3 ? closed_form : independent);
    cells.push_back(equal(pair.name + ", M(infinity) unbounded (1: yes)", std::isinf(pair.report.radius_at_infinity), 1,
                          published_in("JP95 Theorem 2.6")));
    cells.push_back(equal(pair.name + ", degree of q tr M", (pair.form.n11 + pair.form.n22).degree(), row.stages - 1,
                          published_in("JP95 Theorem 2.6")));
    cells.push_back(
        equal(pair.name + ", degree of q", pair.form.q.degree(), row.stages - 2, published_in("JP95 Theorem 2.6")));
  }
}

struct DampingRow {
  int stages, dispersion_order;
  double dispersion;
  int damping_order;
  double damping;
};
constexpr DampingRow radau_rows[] = {{1, 2, -1.0 / 3, 1, 0.5},
                                     {2, 4, -1.0 / 270, 3, 1.0 / 72},
                                     {3, 6, -2.3809523799647266e-5, 5, 1.0 / 7200},
                                     {4, 8, -8.9983083151814583e-8, 7, 7.0861677975612014e-7},
                                     {5, 10, -2.2091806330763735e-10, 9, 2.1870888266254401e-9}};
constexpr DampingRow lobatto_iiic_rows[] = {{2, 2, 1.0 / 6, 3, 1.0 / 8},
                                            {3, 4, 1.0 / 480, 5, 0.00086805555501302083},
                                            {4, 6, 1.3227513217225162e-5, 7, 3.8580246896433471e-6},
                                            {5, 8, 4.9209498588197858e-8, 9, 1.1072137184501428e-8},
                                            {6, 10, 1.1929575416928261e-10, 11, 2.1870888267172438e-11}};

void add_damping(Cells& cells, const Subject& s, const DampingRow& row) {
  cells.push_back(equal(s.name + ", I-stable (1: yes)", s.report.i_stable, 1, independent));
  cells.push_back(
      equal(s.name + ", M(infinity)", diagonal_at_infinity(s.report), 0, published_in("PJY97 sec. 2"), 1e-12));
  add_dispersion(cells, s, row.dispersion_order, row.dispersion, independent);
  cells.push_back(equal(s.name + ", damping order", s.report.damping.order, row.damping_order, independent));
  cells.push_back(relative(s.name + ", damping A", s.report.damping.constant, row.damping, 1e-6, independent));
}

void add_damping_families(Cells& cells) {
  for (const DampingRow& row : radau_rows)
    add_damping(cells, subject(fmt::format("Radau IIA {}", row.stages), of(Family::radau_iia, row.stages)), row);
  for (const DampingRow& row : lobatto_iiic_rows)
    add_damping(cells, subject(fmt::format("Lobatto IIIC {}", row.stages), of(Family::lobatto_iiic, row.stages)), row);
}

// Numerov's method with Y = y_n - alpha h^2 (f_{n+1} - 2 f_n + f_{n-1}) in place of y_n.
LinearForm numerov(double alpha) {
  return two_step_form({2, -10.0 / 12, 10 * alpha / 6}, {1, 1.0 / 12, 5 * alpha / 6});
}

LinearForm classical_nystroem() {
  NystroemTableau t{Vec(3), Vec(3), Vec(3), Mat::Zero(3, 3)};
  t.c << 0, 0.5, 1;
  t.b << 1.0 / 6, 1.0 / 3, 0;
  t.b_prime << 1.0 / 6, 2.0 / 3, 1.0 / 6;
  t.A(1, 0) = 1.0 / 8;
  t.A(2, 1) = 1.0 / 2;
  return nystroem_form(t);
}

void add_two_step_and_nystroem(Cells& cells) {
  const Subject plain = subject("Numerov", numerov(0)), tuned = subject("Numerov, alpha = 1/200", numerov(1.0 / 200)),
                stable = subject("Numerov, alpha = 1/120", numerov(1.0 / 120)),
                nystroem = subject("classical Nystroem", classical_nystroem());
  cells.push_back(
      relative("Numerov, end of periodicity", plain.report.periodicity_end, std::sqrt(6.0), 1e-10, closed_form));
  add_dispersion(cells, plain, 4, 1.0 / 480, closed_form);
  cells.push_back(relative("Numerov, alpha = 1/200, end of periodicity", tuned.report.periodicity_end, 2.71125235994853,
                           1e-10, independent));
  add_dispersion(cells, tuned, 6, 1.0 / 12096, closed_form);
  cells.push_back(equal("Numerov, alpha = 1/120, P-stable (1: yes)", stable.report.p_stable, 1, closed_form));
  cells.push_back(
      equal("Numerov, alpha = 1/120, P-stable, open definition", stable.report.strictly_p_stable, 0, closed_form));
  add_dispersion(cells, stable, 4, -1.0 / 720, closed_form);
  add_dispersion(cells, nystroem, 4, -1.0 / 320, independent);
  cells.push_back(equal("classical Nystroem, damping order", nystroem.report.damping.order, 5, independent));
}

// The angle of R(i mu) / R(infinity): -2 k / mu, k = s (s + 1) for Gauss and s (s - 1) for Lobatto IIIA.
double phase_offset(const LinearForm& form, double sign_at_infinity) {
  const StepMatrix m = step_matrix(form, 1000);
  return static_cast<double>(std::atan2(sign_at_infinity * m.m12, sign_at_infinity * m.half_trace()));
}
double modulus(const LinearForm& form) {
  return static_cast<double>(std::sqrt(1 + step_matrix(form, 1000).det_minus_one));
}

void add_large_steps(Cells& cells) {
  const auto offset = [&](const char* name, const LinearForm& form, double sign, double expected, double tolerance) {
    cells.push_back(equal(fmt::format("{}, mu = 1000, phase beyond that of R(infinity)", name),
                          phase_offset(form, sign), expected, independent, tolerance));
  };
  offset("Gauss 5", of(Family::gauss, 5), -1, -0.06000048, 1e-8);
  offset("Gauss 4", of(Family::gauss, 4), 1, -0.04000018667, 1e-9);
  offset("Lobatto IIIA 4", of(Family::lobatto_iiia, 4), -1, -0.024000048, 1e-9);
  cells.push_back(
      equal("Radau IIA 3, |R(1000 i)|", modulus(of(Family::radau_iia, 3)), 0.0030000225, independent, 1e-9));
  cells.push_back(
      equal("Radau IIA 5, |R(1000 i)|", modulus(of(Family::radau_iia, 5)), 0.0050001175, independent, 1e-9));
  cells.push_back(
      equal("Lobatto IIIC 4, |R(1000 i)|", modulus(of(Family::lobatto_iiic, 4)), 1.200024e-5, independent, 1e-10));
}

// One curve from the rows of a form's stability report.
template <class Value>
ChartSeries curve_of_form(std::string label, const LinearForm& form, double to, Value value) {
  ChartSeries series{std::move(label), {}, {}};
  for (const StabilityRow& row : analyse_stability(form, to).rows) add_point(series, row.mu, value(row));
  return series;
}

std::vector<Chart> charts() {
  const ChartAxis x{"h*omega", "", false};
  Chart pairs{"Half the trace of Lobatto IIIA-IIIB",
              "stable between -1 and 1; from s = 3 on they leave near pi",
              x,
              {"tr M / 2", "", false},
              ChartStyle::line,
              {}};
  for (const PairRow& row : pair_rows()) {
    const LinearForm form = pair_form(row.stages);
    pairs.series.push_back(curve_of_form(fmt::format("s = {}", row.stages), form, 21, [&](const StabilityRow& r) {
      const auto half = static_cast<double>(step_matrix(form, r.mu).half_trace());
      return std::abs(half) <= 1.6 ? half : std::nan("");
    }));
  }
  Chart frequency{"Frequency of Gauss methods",         "1: exact",       x,
                  {"b = phase / (h*omega)", "", false}, ChartStyle::line, {}};
  Chart distortion{"Frequency distortion of Gauss methods",
                   "slope 2s",
                   {"h*omega", "", true},
                   {"|b - 1|", "", true},
                   ChartStyle::line,
                   {}};
  for (int s = 1; s <= 5; ++s) {
    const LinearForm form = of(Family::gauss, s);
    const std::string label = fmt::format("s = {}", s);
    frequency.series.push_back(curve_of_form(label, form, 20, [](const StabilityRow& r) { return r.phase / r.mu; }));
    ChartSeries errors =
        curve_of_form(label, form, 20, [](const StabilityRow& r) { return std::abs(r.phase / r.mu - 1); });
    // Below this point there is only rounding.
    const auto seen = std::find_if(errors.y.rbegin(), errors.y.rend(), [](double e) { return e < 1e-14; }).base();
    errors.x.erase(errors.x.begin(), errors.x.begin() + (seen - errors.y.begin()));
    errors.y.erase(errors.y.begin(), seen);
    distortion.series.push_back(std::move(errors));
  }
  Chart damping{"Damping", "|eigenvalue| = exp(-a h*omega)", x, {"a", "", false}, ChartStyle::line, {}};
  const auto of_row = [](const StabilityRow& r) { return r.damping; };
  for (const int s : {1, 2, 3, 5})
    damping.series.push_back(curve_of_form(fmt::format("Radau IIA {}", s), of(Family::radau_iia, s), 20, of_row));
  for (const int s : {2, 4})
    damping.series.push_back(curve_of_form(fmt::format("Lobatto IIIC {}", s), of(Family::lobatto_iiic, s), 20, of_row));
  return {pairs, frequency, distortion, damping};
}

FigureResult stability_table(bool) {
  FigureResult result;
  add_symmetric_families(result.cells);
  add_pairs(result.cells);
  add_damping_families(result.cells);
  add_two_step_and_nystroem(result.cells);
  add_large_steps(result.cells);
  result.charts = charts();
  result.remark =
      "On q' = omega p, p' = -omega q with mu = h omega: b - 1 = C mu^r + ... is the dispersion, a = A mu^d + ... the "
      "damping. The papers print the interval of the pair with 2 stages and prove P-stability and its absence; the "
      "other numbers come from closed forms or from an independent program. In PJY97 eq. 2.3 a minus before the lower "
      "b^T is missing; JP95 eq. 5 has the sign of the sine reversed.";
  return result;
}
}  // namespace
}  // namespace papers::pjy97

void register_figure_pjy97_stability(FigureRegistry& registry) {
  using namespace papers::pjy97;
  registry.add({"pjy97_stability", "Periodicity, dispersion and damping of the families of section 2",
                "PJY97 sec. 2, JP95 sec. 2", stability_table});
}
}  // namespace trill
