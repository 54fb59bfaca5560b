// SPDX-License-Identifier: BSD-3-Clause
#include "shared_run.hpp"

#include "model/file/matrix_share.hpp"
#include "multiscale/ritz_reduction.hpp"
#include "trill/base/errors.hpp"
#include "trill/driver/plan.hpp"
#include "trill/solution/solution_file.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr double share_of_accuracy = 0.3;  // of the allowed error, for the reduction
constexpr double same_value = 1e-8;        // relative difference of eigenvalues that two engines may have

class SharedStructure {
 public:
  explicit SharedStructure(const SharedTask& task)
      : model_(make_model(task.model, task.parameters)),
        structure_(model_.problem->as<LinearStructure>("trill-mpi")),
        space_(structure_.stiffness_matrix(), structure_.mass_matrix(), structure_.damping_matrix(), first(),
               matrix_share().end_row(unknowns()) - first(), task.solver) {
    if (unknowns() < matrix_share().processes)
      throw UsageError(
          fmt::format("{} unknowns cannot be shared by {} processes", unknowns(), matrix_share().processes));
    if (!space_.stiffness_is_symmetric())
      throw structure_.stiffness_error("several processes need a symmetric stiffness matrix, and this one is not");
  }
  const TextModel& model() const { return model_; }
  const LinearStructure& structure() const { return structure_; }
  PetscSpace& space() { return space_; }
  Index unknowns() const { return structure_.mass_matrix().rows(); }

 private:
  Index first() const { return matrix_share().first_row(unknowns()); }
  TextModel model_;
  const LinearStructure& structure_;
  PetscSpace space_;
};

std::string processes_text(const StructureSpace& space) {
  return fmt::format("{} unknowns shared by {} processes", space.size(), matrix_share().processes);
}

std::vector<RitzTarget> targets_of(const LinearStructure& structure, const std::vector<std::string>& of) {
  std::vector<RitzTarget> targets;
  std::string known;
  for (const StructureOutput& output : structure.outputs()) {
    known += (known.empty() ? "" : ", ") + output.name;
    if (of.empty() || std::find(of.begin(), of.end(), output.name) != of.end())
      targets.push_back({output.name, output.weights});
  }
  for (const std::string& name : of)
    if (std::none_of(targets.begin(), targets.end(), [&](const RitzTarget& t) { return t.name == name; }))
      throw UsageError(fmt::format("'{}' is not an output of this structure; it has: {}", name, known));
  if (targets.empty()) throw UsageError("the model names no outputs; several processes compute named outputs only");
  return targets;
}

// Rows of outputs and their velocities, as the exact motion of the reduced structure has them.
void record(const Reduction& reduction, const Mat& weights, const LinearStructure& structure,
            const std::vector<double>& times, Solution& solution) {
  const std::vector<double> breaks = load_breaks(structure, times.front(), times.back());
  ModalMotion motion(reduction.system, structure);
  Vec x = reduction.x0, v = reduction.v0, y(2 * weights.rows());
  std::size_t next = 1;
  double t = times.front();
  for (const double until : times) {
    for (; next < breaks.size() && breaks[next] < until; ++next) {
      if (breaks[next] > t) motion.advance(t, breaks[next] - t, x, v);
      t = std::max(t, breaks[next]);
    }
    if (until > t) motion.advance(t, until - t, x, v);
    t = std::max(t, until);
    y << weights * x, weights * v;
    solution.append(t, y, Vec());
  }
}

std::vector<double> times_of(double from, double to, double step) {
  std::vector<double> times;
  for (Index i = 0; from + static_cast<double>(i) * step < to - 1e-9 * step; ++i)
    times.push_back(from + static_cast<double>(i) * step);
  times.push_back(to);
  return times;
}

RunInfo info_of(const SharedTask& task, const TextModel& model, const std::vector<RitzTarget>& targets) {
  RunInfo info;
  info.problem = model.info.name;
  info.problem_title = model.info.title;
  info.problem_reference = model.info.reference;
  info.method = "oscillators";
  info.formulation = "ritz";
  info.delivers = "full";
  info.parameters = task.parameters;
  info.settings["processes"] = fmt::format("{}", matrix_share().processes);
  info.version = TRILL_VERSION;
  info.model_text = model.text;
  info.time_unit = model.problem->time_unit();
  info.layout.nq = info.layout.nv = static_cast<Index>(targets.size());
  for (const char* prefix : {"", "v"})
    for (const RitzTarget& target : targets) info.components.push_back({prefix + target.name, ""});
  return info;
}

Trust trust_of(const Reduction& reduction) {
  Trust trust;
  trust.error = reduction.floor;
  for (const ReducedOutput& out : reduction.outputs) {
    trust.rows.push_back({out.name, "", out.bound, out.range});
    if (out.relative() >= trust.error) {
      trust.error = out.relative();
      trust.of = out.name;
    }
  }
  trust.verdict = verdict_of(trust.error);
  trust.headline =
      fmt::format("The run is right to {:.2g} of a range, by the error that ritz states itself.", trust.error);
  trust.how = fmt::format("by the {} of the reduction and the rounding of K; nothing was computed twice",
                          reduction.proved ? "bound" : "estimate");
  return trust;
}
}  // namespace

int shared_run(const SharedTask& task) {
  SharedStructure shared(task);
  const LinearStructure& structure = shared.structure();
  const State start = structure.initial_state();
  const std::vector<RitzTarget> targets = targets_of(structure, task.of);
  const double to = task.to.value_or(shared.model().info.run.to);
  if (!(to > start.t)) throw UsageError(fmt::format("the end {} is not after the start {}", to, start.t));
  const Reduction reduction = reduce({structure, start, to, share_of_accuracy * task.accuracy, targets, 300,
                                      StartEstimate::bound, &shared.space(), solves_before_estimates});
  Mat weights(static_cast<Index>(targets.size()), reduction.system.size());
  for (std::size_t k = 0; k < targets.size(); ++k)
    weights.row(static_cast<Index>(k)) = shared.space().products(
        targets[k].weights.segment(shared.space().first(), shared.space().rows()), reduction.shapes);
  Solution solution;
  solution.info = info_of(task, shared.model(), targets);
  record(reduction, weights, structure, times_of(start.t, to, task.dt.value_or(reduction.step)), solution);
  solution.trust = trust_of(reduction);
  if (!is_first_process()) return 0;
  fmt::print("{} with ritz: {}\n", shared.model().info.name, processes_text(shared.space()));
  fmt::print("  {} vectors from {} solves; {}\n", reduction.system.size(), reduction.solves,
             text_of_factors(reduction.engine, reduction.bytes_of_factors, shared.unknowns()));
  for (std::size_t k = 0; k < reduction.outputs.size(); ++k) {
    const ReducedOutput& out = reduction.outputs[k];
    fmt::print("  {} = {:.12g} at t = {:g}, within {:.2g} ({}, {:.1g} of its range)\n", out.name,
               solution.y()(static_cast<Index>(k), solution.rows() - 1), to, out.bound,
               reduction.proved ? "bound" : "estimate", out.relative());
  }
  fmt::print("  rounding in K sets a floor of {:.1g}\n  trust: {}. {}\n", reduction.floor,
             to_text(solution.trust.verdict), solution.trust.headline);
  if (!task.out.empty()) save_solution(solution, task.out);
  return 0;
}

int shared_modes(const SharedTask& task) {
  SharedStructure shared(task);
  if (task.count > shared.unknowns())
    throw UsageError(fmt::format("{} modes of {} unknowns were asked for", task.count, shared.unknowns()));
  const Modes modes = lowest_modes(shared.space(), {.count = task.count, .check = task.check});
  if (!modes.pairs.converged)
    throw std::runtime_error(
        fmt::format("the modes of '{}' were not found: {}", shared.model().info.name, modes.pairs.message));
  Vec others;
  if (task.slepc) others = shared.space().lowest_by_slepc(task.count);
  if (!is_first_process()) return 0;
  fmt::print("{}: {}\n", shared.model().info.name, processes_text(shared.space()));
  for (Index i = 0; i < task.count; ++i)
    fmt::print(
        "{:4}  {:.12g}  {:.1e}{}\n", i + 1, std::sqrt(std::max(modes.pairs.values[i], 0.0)), 0.5 * modes.uncertainty[i],
        task.slepc && i < others.size() ? fmt::format("  slepc {:.12g}", std::sqrt(std::max(others[i], 0.0))) : "");
  fmt::print("{} factorisations, {} solves; checked by {} that none is missing; {}\n", modes.factorisations,
             modes.solves, task.check == CountCheck::inertia ? "inertia" : "deflation",
             text_of_factors(modes.engine, modes.bytes_of_factors, shared.unknowns()));
  if (!task.slepc) return 0;
  const bool same = others.size() == task.count &&
                    ((others - modes.pairs.values).cwiseAbs().array() <= same_value * modes.pairs.values.array()).all();
  fmt::print("{}\n", same ? "SLEPc has the same frequencies"
                          : "SLEPc has other frequencies: it may have dropped a copy of a multiple one");
  return 0;
}
}  // namespace trill
