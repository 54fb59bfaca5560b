// SPDX-License-Identifier: BSD-3-Clause
// A membrane and a plate on a cubic foundation: filters of trigonometric integrators, and modes as a basis.
#include "linalg/modes.hpp"
#include "multiscale/modal_mechanics.hpp"
#include "papers/cells.hpp"
#include "papers/rough_structures.hpp"
#include "papers/runs.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace trill {
namespace papers::structures {
namespace {
constexpr double end_of_run = 2, cubic = 20;

// M u'' = -K u - 20 M u^3, unknown by unknown.
class CubicStructure final : public MechanicalProblem {
 public:
  explicit CubicStructure(const RoughCase& c) : m_(c.structure.m), k_(c.structure.k), u0_(c.structure.u0) {}
  std::string name() const override { return "cubic foundation"; }
  std::unique_ptr<Problem> clone() const override { return std::make_unique<CubicStructure>(*this); }
  Layout layout() const override { return {u0_.size(), u0_.size(), 0, 0}; }
  std::vector<Quantity> components() const override {
    std::vector<Quantity> all;
    for (const char* letter : {"u", "vu"})
      for (Index i = 1; i <= u0_.size(); ++i) all.push_back({letter + std::to_string(i), ""});
    return all;
  }
  State initial_state() const override {
    State s(layout());
    s.q() = u0_;
    return s;
  }
  MassKind mass_kind() const override { return MassKind::diagonal; }
  void mass(In, MatrixSlot& m) const override {
    m.set_zero();
    for (Index i = 0; i < u0_.size(); ++i) m.add(i, i, m_.coeff(i, i));
  }
  std::vector<GroupInfo> groups() const override { return {{"linear", true}, {"cubic", false}}; }
  void force(Groups groups, double, In q, In, Out f) const override {
    f.setZero();
    if (groups & 1) f.noalias() -= k_ * q;
    if (groups & 2) f -= cubic * (m_ * q.array().cube().matrix());
  }
  MatrixSlot stiffness_pattern() const override { return MatrixSlot::sparse(k_); }
  bool force_jacobian(Groups groups, double, In q, In, MatrixSlot& dq, MatrixSlot&) const override {
    dq.set_zero();
    for (Index j = 0; j < k_.outerSize(); ++j)
      for (SpMat::InnerIterator it(k_, j); it; ++it) {
        if (groups & 1) dq.add(it.row(), j, -it.value());
        if ((groups & 2) && it.row() == j) dq.add(j, j, -3 * cubic * m_.coeff(j, j) * q[j] * q[j]);
      }
    return true;
  }
  bool linear_force(Groups groups) const override { return (groups & 2) == 0; }

 private:
  SpMat m_, k_;
  Vec u0_;
};

Vec end_by(const Problem& problem, const std::string& method, const OptionSet& options, int count) {
  Steps steps(problem, method, options);
  for (int i = 0; i < count; ++i)
    if (!steps.advance(end_of_run / count)) return Vec::Constant(problem.layout().nq, std::nan(""));
  return steps.state().q();
}

class Foundation {
 public:
  Foundation(const RoughCase& c, int reference_steps)
      : case_(c), problem_(c), exact_(end_by(problem_, "composition8", {}, reference_steps)) {}

  double error_of(const Vec& q) const {
    return case_.scale * (case_.phi.transpose() * (case_.structure.m * (q - exact_))).cwiseAbs().maxCoeff();
  }
  double error(const std::string& method, const OptionSet& options, double h) const {
    return error_of(end_by(problem_, method, options, static_cast<int>(std::lround(end_of_run / h))));
  }
  // The errors of modal coordinates, and of the whole field relative to its largest value at the end, with some modes.
  std::pair<double, double> errors_of_modes(Index count, int steps) const {
    ModalMechanics reduced(problem_);
    const State start = problem_.initial_state();
    reduced.take_modes(start, count);
    Steps motion(reduced, "composition8", {});
    for (int i = 0; i < steps; ++i)
      if (!motion.advance(end_of_run / steps)) return {std::nan(""), std::nan("")};
    State whole = start;
    reduced.from_modes(motion.state(), whole);
    return {error_of(whole.q()), (whole.q() - exact_).cwiseAbs().maxCoeff() / exact_.cwiseAbs().maxCoeff()};
  }

 private:
  RoughCase case_;
  CubicStructure problem_;
  Vec exact_;
};

struct FilterErrors {
  const char* filter;
  std::vector<double> errors;  // for h = 0.05, 0.025, ...
};

void add_filters(FigureResult& result, const std::string& label, const Foundation& f,
                 const std::vector<FilterErrors>& known) {
  Chart chart = log_chart(label + " on a cubic foundation", "", "h", "error of modal coordinates");
  for (const FilterErrors& k : known) {
    ChartSeries series{k.filter, {}, {}};
    double h = 0.05;
    for (const double error : k.errors) {
      const double ours = f.error("trigonometric", {{"filter", k.filter}}, h);
      result.cells.push_back(by_factor(fmt::format("{}, filter {}, h = {}", label, k.filter, h), ours, error, 2));
      add_point(series, h, ours);
      h /= 2;
    }
    chart.series.push_back(std::move(series));
  }
  result.charts.push_back(std::move(chart));
}

struct ModeErrors {
  Index modes;
  double coordinates, field;
};
void add_modes(FigureResult& result, const std::string& label, const Foundation& f, int steps,
               const std::vector<ModeErrors>& known) {
  for (const ModeErrors& k : known) {
    const auto [coordinates, field] = f.errors_of_modes(k.modes, steps);
    result.cells.push_back(by_factor(fmt::format("{}, {} modes, error of modal coordinates", label, k.modes),
                                     coordinates, k.coordinates, 2));
    result.cells.push_back(
        by_factor(fmt::format("{}, {} modes, error of the field relative to its largest value", label, k.modes), field,
                  k.field, 2));
  }
}

FigureResult nonlinear_figure(bool full) {
  FigureResult result;
  const RoughCase c = rough_membrane(32, false);
  const Foundation membrane(c, 400);
  add_filters(result, "membrane", membrane,
              {{"impulse", {2.4646e-3, 6.2403e-4, 1.5646e-4}},
               {"gautschi", {7.2441e-3, 1.8179e-3, 4.5485e-4}},
               {"hochbruck_lubich", {1.1337e-2, 2.8113e-3, 7.014e-4}},
               {"mollified", {4.3449e-2, 1.0972e-2, 2.7497e-3}},
               {"smoothest", {5.2798e-2, 1.3347e-2, 3.3456e-3}}});
  for (const auto& [h, error] : {std::pair{0.025, 1.42704e-2}, {0.00625, 8.9628e-4}})
    result.cells.push_back(by_factor(fmt::format("membrane, generalized alpha with rho = 0.8, h = {}", h),
                                     membrane.error("generalized_alpha", {{"rho", "0.8"}}, h), error, 2));
  add_modes(
      result, "membrane", membrane, 200,
      {{10, 1.4586e-3, 2.1207e-2}, {20, 1.7675e-4, 5.9148e-3}, {41, 3.3684e-6, 4.2181e-4}, {81, 4.592e-9, 1.2719e-5}});
  if (full) {
    const RoughCase p = rough_membrane(32, true);
    const Foundation plate(p, 6000);
    add_filters(result, "plate", plate,
                {{"impulse", {3.5292e-3, 8.788e-4, 2.1956e-4}},
                 {"gautschi", {8.3924e-3, 2.0406e-3, 5.0662e-4}},
                 {"hochbruck_lubich", {1.7e-2, 4.2e-3, 1.1e-3}},
                 {"mollified", {5.5e-2, 1.4e-2, 3.4e-3}},
                 {"smoothest", {6.6e-2, 1.6e-2, 4.0e-3}}});
    add_modes(result, "plate", plate, 400, {{10, 2.8132e-4, 3.1352e-3}, {20, 5.393e-6, 1.3831e-4}});
  }
  result.remark =
      "u'' = -A u - 20 u^3 at each of 1024 unknowns, until t = 2. Spectra without gaps have no resonances, so that "
      "heavier filters cost accuracy only. Modes are a Galerkin basis, with the cubic force at all unknowns.";
  return result;
}
}  // namespace
}  // namespace papers::structures

void register_figure_structures_nonlinear(FigureRegistry& registry) {
  registry.add({"structures_nonlinear", "Structures with weak nonlinear forces",
                "M. Hochbruck, C. Lubich, Numer. Math. 83 (1999) 403-426; PJY97 sec. 3.3",
                papers::structures::nonlinear_figure});
}
}  // namespace trill
