// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/constraint_formulation.hpp"

#include "base/text.hpp"
#include "formulation/constraint_check.hpp"
#include "formulation/stage_equations.hpp"
#include "trill/linalg/kernels.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace trill {
namespace {
constexpr int most_rounds = 8;  // repetitions of q and the velocity correction
// When Newton's corrections no longer shrink, they count as rounding if below `noisy` tolerances, or below `stagnant`
// in the weights.
constexpr double noisy = 10, stagnant = 0.1;
constexpr double near_singular = 1e-3;  // reciprocal condition of G M^-1 G^T relative to its best value so far

// Pivots in the metric of the mass show that some rows are nearly dependent; without the mass the degree may differ, so
// several tolerances are tried.
std::string passed_text(const ConstraintMap& map, const MatrixSlot& G) {
  std::string which;
  for (const double tolerance : {0.02, 0.1, 0.5})
    if (which.empty()) which = nearly_dependent(map, G, tolerance);
  return "The mechanism passed a singular position, after which it can move on in more than one way. There " +
         (which.empty() ? "its constraints depend on each other" : which) + ".";
}
}  // namespace

const std::vector<ConstraintFormInfo>& constraint_forms() {
  static const std::vector<ConstraintFormInfo> forms{
      {ConstraintForm::index2, "index2", "Constraints on positions and velocities, with multipliers", "YPR98 eq. 3.3"},
      {ConstraintForm::cs, "cs", "Like index2, but multipliers are eliminated by coordinate splitting",
       "YPR98 eq. 3.6"},
      {ConstraintForm::cm, "cm", "Like cs, with a simpler Newton matrix", "YPR98 sec. 3.1"},
      {ConstraintForm::ggl, "ggl", "Like index2, but the correction is measured in the coordinates, not by the mass",
       "Gear, Gupta, Leimkuhler 1985"},
      {ConstraintForm::index3, "index3", "Constraints on positions only, scaled; needs a method with damping",
       "Arnold, Bruels 2007"}};
  return forms;
}

const std::vector<std::string>& constraint_form_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const ConstraintFormInfo& form : constraint_forms()) all.push_back(form.name);
    return all;
  }();
  return names;
}

ConstraintForm constraint_form(std::string_view name) {
  for (const ConstraintFormInfo& info : constraint_forms())
    if (info.name == name) return info.form;
  throw UsageError("unknown constraint formulation '" + std::string(name) + "'" +
                   suggest(name, constraint_form_names()));
}

NamedValues<ConstraintForm> constraint_form_choices(bool with_velocities) {
  NamedValues<ConstraintForm> choices;
  for (const ConstraintFormInfo& info : constraint_forms())
    if (!with_velocities || info.form != ConstraintForm::index3) choices.emplace_back(info.name, info.form);
  return choices;
}

ConstrainedStage::ConstrainedStage(const MechanicalProblem& problem, const StageOptions& options)
    : problem_(problem),
      options_(options),
      form_(problem, options.lift_gaps),
      map_(problem.constraints()),
      n_(problem.layout().nq),
      hard_(map_ ? map_->count() : 0),
      repeats_(map_ && options.form != ConstraintForm::index3 &&
               (problem.velocity_dependent(all_groups) || form_.reactions() || options.form == ConstraintForm::ggl)),
      system_(std::make_unique<StageEquations>(form_, map_, equation, options)),
      newton_(system_->size(), {.max_iterations = options.max_iterations, .jacobian_every = options.jacobian_every}),
      last_(Vec::Zero(n_)),
      x_(Vec::Zero(system_->size())),
      weights_(Vec::Zero(system_->size())),
      correction_(Vec::Zero(n_)),
      step_(n_),
      gaps_before_(form_.gaps_move() ? form_.rows() : 0),
      gaps_after_(gaps_before_.size()),
      mu_(hard_),
      force_(n_),
      gap_lambda_(Vec::Zero(form_.gaps())),
      pulled_(Vec::Zero(form_.rows())) {
  equation.q_base = equation.v_base = Vec::Zero(n_);
  if (!map_) {
    free_ = std::make_unique<Acceleration>(problem);
    return;
  }
  manifold_ = std::make_unique<ConstraintManifold>(problem, *map_, SaddleSolver::Way::schur_first);
  if (form_.reactions()) take_reactions();
  if (options.form == ConstraintForm::ggl)
    unit_ = std::make_unique<ConstraintManifold>(problem, *map_, SaddleSolver::Way::best,
                                                 ConstraintManifold::Metric::identity);
}

ConstrainedStage::~ConstrainedStage() = default;

void ConstrainedStage::take_reactions() { reactive_.emplace(*form_.reactions(), n_, hard_, hard_); }

void ConstrainedStage::set_tolerance(double tolerance) {
  tolerance_ = tolerance;
  take_tolerance(tolerance);
}

void ConstrainedStage::take_tolerance(double tolerance) {
  NewtonOptions options = newton_.options();
  options.tolerance = tolerance;
  options.rounding = std::max(noisy * tolerance, stagnant);
  options.stalls = 2;
  newton_.set_options(options);
}

void ConstrainedStage::start(double t, In q) {
  system_->correction.setZero();
  if (form_.gaps() > 0) {
    Vec values(form_.rows());
    form_.map()->value(t, q, values);
    gap_lambda_ = values.head(form_.gaps()).cwiseQuotient(form_.compliance().head(form_.gaps()));
  }
  if (free_) return free_->start(q);
  manifold_->choose_again();
  if (!stand_at(t, q))
    throw UsageError("the constraints of '" + problem_.name() +
                     "' depend on each other at the start, or leave a motion without mass");
}

bool ConstrainedStage::stand_at(double t, In q) {
  t_here_ = t;
  q_here_ = q;
  return !map_ || (stand_in_unit_metric(t, q) && manifold_->stand_at(t, q));
}

bool ConstrainedStage::stand_in_unit_metric(double t, In q) { return !unit_ || unit_->stand_at(t, q); }

void ConstrainedStage::accelerate(In q, In v, Out a, Out lambda, Counters& work) {
  work.count_forces(counted_groups());
  if (free_) {
    (*free_)(t_here_, q, v, a);
    return;
  }
  problem_.force(all_groups, t_here_, q, v, force_);
  if (!reactive_)
    manifold_->accelerate(force_, v, a, lambda);
  else if (!reactive_->solve(*manifold_, t_here_, q, v, force_, a, lambda))
    a.setConstant(std::numeric_limits<double>::quiet_NaN());
}

void ConstrainedStage::close_acceleration(In v, Out a, Out lambda) {
  if (reactive_) {
    if (!reactive_->close(*manifold_, t_here_, q_here_, v, a, lambda))
      a.setConstant(std::numeric_limits<double>::quiet_NaN());
    return;
  }
  manifold_->close_acceleration(v, a, mu_);
  lambda += mu_;
}

void ConstrainedStage::watch_dependence(double t, Notes& notes) {
  if (!map_) return;
  const double independent = manifold_->reciprocal_condition();
  most_independent_ = std::max(most_independent_, independent);
  if (independent >= near_singular * most_independent_) return;
  notes.raise_with(
      t, "singular_position", [&] { return passed_text(*map_, manifold_->jacobian()); }, Severity::doubt, independent,
      near_singular * most_independent_);
}

Closing ConstrainedStage::close_positions(double t, Out q) {
  t_here_ = t;
  const Closing closing = manifold_->polish(t, q);
  q_here_ = q;
  return closing == Closing::ok && !stand_in_unit_metric(t, q) ? Closing::singular : closing;
}

bool ConstrainedStage::project(double t, Out q, Out v) {
  if (!map_) return true;
  if (close_positions(t, q) != Closing::ok) return false;
  manifold_->project_velocity(v, mu_);
  return true;
}

bool ConstrainedStage::settle(double t, Out q, Out v, Out lambda) {
  if (!project(t, q, v)) return false;
  Counters uncounted;
  accelerate(q, v, last_, lambda, uncounted);
  return true;
}

Closing ConstrainedStage::finish(Out q, Out v) {
  if (map_)
    if (const Closing closing = close_positions(equation.t, q); closing != Closing::ok) return closing;
  v = (q - equation.q_base) / equation.kinematic;
  if (!map_ || options_.form == ConstraintForm::index3) return Closing::ok;
  correction_ = v;
  (unit_ ? *unit_ : *manifold_).project_velocity(v, mu_);
  correction_ = v - correction_;
  return Closing::ok;
}

void ConstrainedStage::take_weights(In weights) {
  weights_.head(n_) = weights.head(n_).cwiseMax(weights.segment(n_, n_));
}

// The rounding of positions in the weights. Constraints and springs pass that of the largest one on to the others.
double ConstrainedStage::rounding_of(In q) const {
  return std::numeric_limits<double>::epsilon() * max_abs(q) * weights_.norm() /
         std::sqrt(static_cast<double>(weights_.size()));
}

NewtonStats ConstrainedStage::solve(Out q, Out v, Out lambda, In weights, bool reuse, Counters& work) {
  const double scale = equation.kinematic * equation.dynamic;
  const int evaluations = system_->evaluations, preparations = system_->preparations;
  take_weights(weights);
  take_tolerance(std::max(tolerance_, std::min(rounding_of(q), stagnant)));
  x_.head(n_) = q;
  x_.segment(n_, form_.gaps()) = scale * gap_lambda_;
  x_.tail(hard_) = scale * lambda;
  NewtonStats total;
  double moved = HUGE_VAL;
  for (int round = 0; round < most_rounds; ++round) {
    if (!system_->take_split(x_.head(n_))) {
      total.converged = false;
      total.singular = true;
      break;
    }
    const NewtonStats stats = newton_.solve(*system_, x_, weights_, reuse && system_->is_prepared());
    total = {stats.iterations + total.iterations,
             stats.factorisations + total.factorisations,
             stats.rate,
             stats.residual,
             stats.converged,
             stats.singular,
             stats.non_finite};
    if (!stats.converged) break;
    q = x_.head(n_);
    const Closing closing = finish(q, v);
    total.converged = closing == Closing::ok;
    total.singular = closing == Closing::singular;
    if (!repeats_ || !total.converged) break;
    const bool reacts_alike = system_->take_reaction_shift(mu_, x_);
    step_ = equation.kinematic * (correction_ - system_->correction);
    system_->correction = correction_;
    const double before = moved;
    moved = weighted_rms(step_, weights_.head(n_));
    const bool goes_on = moved <= 0.5 * before && round + 1 < most_rounds;
    if (reacts_alike && (moved <= newton_.options().tolerance || (moved <= newton_.options().rounding && !goes_on)))
      break;
    total.converged = false;
    reuse = true;
    x_.head(n_) = q;
  }
  if (total.converged) {
    take_multipliers(lambda);
    system_->review_split();
  } else {
    system_->drop_split();
  }
  for (int i = evaluations; i < system_->evaluations; ++i) work.count_forces(counted_groups());
  work.jacobians += system_->preparations - preparations;
  guessed_ = system_->preparations > preparations;
  return total;
}

NewtonStats ConstrainedStage::solve_from(In guess, Out y, In weights, bool reuse, Counters& work) {
  auto q = y.head(n_), v = y.segment(n_, n_), lambda = y.segment(2 * n_, hard_);
  last_ = q;
  q = guess;
  const NewtonStats first = solve(q, v, lambda, weights, reuse, work);
  if (first.converged) return first;
  q = last_;
  NewtonStats second = solve(q, v, lambda, weights, false, work);
  second.iterations += first.iterations;
  second.factorisations += first.factorisations;
  return second;
}

// M (v - v_base) = d f + G^T (...) and G v + g_t = 0 say that v is the projection of v_base + d M^-1 f. Where forces
// are so stiff that they amplify the rounding of q more than the division by the step does, v stays as it is.
void ConstrainedStage::refine_velocity(In q, Out v, In weights, Counters& work) {
  constexpr double eps = std::numeric_limits<double>::epsilon(), visible = 1e-3, similar = 100;
  if (!map_) return;
  const double rounding = eps * q.cwiseAbs().maxCoeff() / std::abs(equation.kinematic);
  const double shown = rounding * weights.segment(n_, n_).maxCoeff();
  if (shown < visible) return;
  work.count_forces(counted_groups());
  pulled_.head(form_.gaps()) = gap_lambda_;
  form_.pull(equation.t, q, v, pulled_, force_);
  manifold_->accelerate(force_, v, step_, mu_);
  step_ = equation.v_base + equation.dynamic * step_;
  manifold_->project_velocity(step_, mu_);
  const double moved = (step_ - v).cwiseAbs().cwiseProduct(weights.segment(n_, n_)).maxCoeff();
  if (moved <= std::max(similar * shown, 0.3)) v = step_;
}

// The multipliers in M (v - v_base) - d f + G^T d lambda = 0: those of positions plus the part from the velocity
// correction.
void ConstrainedStage::take_multipliers(Out lambda) {
  const double scale = equation.kinematic * equation.dynamic;
  gap_lambda_ = x_.segment(n_, form_.gaps()) / scale;
  lambda = system_->hard_multipliers(x_) / scale;
  const bool by_mass = options_.form != ConstraintForm::ggl && options_.form != ConstraintForm::index3;
  if (map_ && by_mass) lambda += mu_ / equation.dynamic;
}

bool ConstrainedStage::is_prepared() const { return system_->is_prepared(); }
bool ConstrainedStage::has_sparse_factors() const { return system_->matrix().is_sparse(); }

void ConstrainedStage::forget() {
  system_->correction.setZero();
  system_->forget();
  if (manifold_) manifold_->forget();
  if (unit_) unit_->forget();
}

// A matrix formed at a guess may contain spurious stiffness from springs that the guess stretches, and would then
// filter the slow motion too. Lifted gaps have their own multipliers and no such springs.
void ConstrainedStage::filter(In e, Out filtered, Counters& work) {
  if (guessed_ && form_.gaps() == 0) {
    system_->place(x_);
    system_->prepare(x_);
    ++work.jacobians;
  }
  guessed_ = false;
  if (system_->is_prepared())
    system_->filter(e, filtered);
  else
    filtered = e;
}

void ConstrainedStage::add_prescribed(In e, Out filtered) {
  if (!map_) return;
  manifold_->slope(e, mu_);
  manifold_->smallest(mu_, step_);
  filtered += step_;
}

void ConstrainedStage::add_moving_gaps(double t0, In q0, double t1, In q1, Out filtered) {
  if (!form_.gaps_move() || !system_->is_prepared()) return;
  step_.setZero();
  form_.map()->curvature(t0, q0, step_, gaps_before_);
  form_.map()->curvature(t1, q1, step_, gaps_after_);
  gaps_before_ -= gaps_after_;
  gaps_before_.tail(hard_).setZero();
  system_->follow(gaps_before_, step_);
  filtered += step_;
}

void ConstrainedStage::memory(Archive& archive) { archive(*system_, gap_lambda_, most_independent_); }
}  // namespace trill
