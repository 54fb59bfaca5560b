// SPDX-License-Identifier: BSD-3-Clause
// Verbs that assess methods, and verbs that draw.
#include "arguments.hpp"
#include "window.hpp"
#include "words.hpp"

namespace trill::cli {
void add_order(CLI::App& app, Action& action) {
  auto [sub, a] = verb(app, action, order, "order",
                       "Measure the order of a method on a model by runs with smaller and smaller steps",
                       "  trill order verlet\n  trill order dop853 --on kepler\n  trill order rattle --on rigid\n");
  sub.add_option("method", a.method, "name of a method ('trill list methods' shows all)")->required();
  assignments(sub, "--set", a.options, "options of the method, such as s=3 ('trill describe METHOD' lists them)");
  sub.add_option("--on", a.model, "model to measure on (default: one that fits the method)");
  assignments(sub, "--param", a.parameters,
              "parameters of the model, such as omega=10 ('trill describe MODEL' lists them)");
  sub.add_flag("--json", a.json, "print the result as JSON, for programs");
}

void add_stability(CLI::App& app, Action& action) {
  auto [sub, a] = verb(app, action, stability, "stability",
                       "Show stability, damping and frequency error of a method on q'' = -omega^2 q",
                       "  trill stability verlet\n  trill stability composition4 --set scheme=triple_jump4\n"
                       "  trill stability implicit_midpoint --report midpoint.html\n"
                       "\n"
                       "One step multiplies (q, q'/omega) by a matrix M(h*omega) with two eigenvalues. The\n"
                       "method is periodic where both lie on the unit circle (no damping, no growth),\n"
                       "absolutely stable where neither lies outside, and P-stable when it is periodic for\n"
                       "every h*omega. Two definitions differ where both eigenvalues meet at +1 or -1:\n"
                       "  closed (JP95)   such points belong to the interval: verlet has [0, 2]\n"
                       "  open (PJY97)    only with two eigenvectors, that is M = I or -I there; otherwise\n"
                       "                  powers of M grow, if slowly: verlet has [0, 2)\n"
                       "Intervals are listed with all later windows of stability. A table shows the damping a\n"
                       "and the frequency b of the eigenvalue exp(h*omega (-a + i b)); the leading terms of\n"
                       "b - 1 and a are the dispersion and the damping term. Methods that state their\n"
                       "coefficients are analysed exactly, others by taking steps.\n");
  sub.add_option("method", a.method, "name of a method ('trill list methods' shows all)")->required();
  assignments(sub, "--set", a.options, "options of the method, such as s=3 ('trill describe METHOD' lists them)");
  file_name(sub, "--report", a.report, "write a page with the plots (HTML, opens in any browser)");
  file_name(sub, "--svg", a.svg, "write the plots as SVG pictures NAME-1.svg, NAME-2.svg, ...");
  sub.add_flag("--json", a.json, "print the result as JSON, for programs");
}

void add_figure(CLI::App& app, Action& action) {
  auto [sub, a] = verb(app, action, figure, "figure",
                       "Recompute a published figure or table and compare; exit code 1 if it differs too much",
                       "  trill figure pjy97_fig1\n  trill figure pjy97_fig3 --report fig3.html --svg fig3\n"
                       "  trill list figures\n");
  sub.add_option("name", a.name, "name of a figure ('trill list figures' shows all)")->required();
  sub.add_flag("--json", a.json, "print the result as JSON, for programs");
  sub.add_flag("--full", a.full, "compute all points, also where only some of them are computed by default");
  file_name(sub, "--report", a.report, "write a page with the plots (HTML, opens in any browser)");
  file_name(sub, "--svg", a.svg, "write the plots as SVG pictures NAME-1.svg, NAME-2.svg, ...");
}

void add_report(CLI::App& app, Action& action) {
  auto [sub, a] = verb(app, action, report, "report", "Make a page (HTML) or SVG pictures from solution files",
                       "  trill report run.h5 -o run.html\n  trill report run.h5 orbit.h5 -o both.html\n"
                       "  trill report run.h5 --svg\n"
                       "  trill report run.h5 --print -o paper.html\n  trill report run.h5 --frames film/\n"
                       "  trill report run.h5 --spectrum --of r12,x1         which frequencies are in r12 and x1?\n");
  sub.add_option("solution", a.inputs, "solution files written by 'trill run --out'; several are shown together")
      ->required();
  file_name(sub, "-o,--out", a.out, "page to write (default: the name of the solution with .html)");
  sub.add_flag("--svg", a.wants_svg, "write SVG pictures NAME-coordinates.svg, ... instead of a page");
  sub.add_flag("--print", a.for_paper,
               "a page for paper: black on white, everything unfolded; print it to PDF from a browser");
  file_name(sub, "--frames", a.frames,
            "write the moving picture as SVG files frame-0001.svg, ... into this folder instead of a page");
  auto* spectrum = sub.add_flag("--spectrum", a.spectrum,
                                "show amplitudes over frequency (default: where something oscillates fast)");
  word(sub, "--of", "NAMES",
       "with --spectrum: for these measures and components, such as energy,x (default: measures, then coordinates)",
       [&of = a.of](const std::string& option, const std::string& text) { of = read_names(option, text); })
      ->needs(spectrum);
  word(
      sub, "--window", "FROM:TO",
      "for a solution of --want envelope: compute every cycle between these times, and show them",
      [&window = a.window](const std::string& option, const std::string& text) { window = read_window(option, text); });
}
}  // namespace trill::cli
