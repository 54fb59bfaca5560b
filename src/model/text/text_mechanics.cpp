// SPDX-License-Identifier: BSD-3-Clause
#include "model/text/text_mechanics.hpp"

#include "model/text/text_block.hpp"
#include "trill/linalg/kernels.hpp"

#include <cmath>

#include <fmt/format.h>

namespace trill {
namespace {
// Slopes of beams: the equations leave out what is quadratic in them, 4 percent at the first.
constexpr double doubtful_slope = 0.3, most_slope = 1;
constexpr double fast_spin = 0.5;  // relative to the lowest frequency
}  // namespace

TextMechanics::ForceRuns::ForceRuns(const ModelFunctions& f, int selection, const HeldFormulas& held)
    : energy(f, {Purpose::energy, selection}),
      force(f, {Purpose::force, selection}, &held),
      product(f, {Purpose::force_product, selection}, &held),
      by_position(f, {Purpose::by_position, selection}, &held),
      by_velocity(f, {Purpose::by_velocity, selection}, &held) {
  for (int k = 1; k <= most_time_derivatives; ++k)
    derivatives[derivative_place(k)] = {f, {Purpose::force, selection, k}, &held};
}

TextMechanics::TextMechanics(std::shared_ptr<const CompiledModel> model)
    : model_(std::move(model)),
      mode_(*model_->functions, model_->space->parameter_values()),
      mass_kind_(model_->mass_kind),
      known_(static_cast<Groups>((std::uint64_t{1} << model_->groups.size()) - 1)),
      events_(*model_),
      all_(*model_->functions, every_group, mode_.held()),
      kinetic_energy_(*model_->functions, {Purpose::kinetic_energy}),
      measures_(*model_->functions, {Purpose::measure}),
      closed_form_(*model_->functions, {Purpose::closed_form}),
      reaction_(*model_->functions, {Purpose::multiplier_force}, &mode_.held()),
      reaction_by_position_(*model_->functions, {Purpose::multiplier_force_by_position}, &mode_.held()),
      reaction_by_velocity_(*model_->functions, {Purpose::multiplier_force_by_velocity}, &mode_.held()),
      reaction_by_multiplier_(*model_->functions, {Purpose::multiplier_force_by_multiplier}, &mode_.held()),
      mass_(*model_->functions, {Purpose::mass}),
      mass_product_(*model_->functions, {Purpose::mass_product}),
      mass_along_(*model_->functions, {Purpose::mass, every_group, along_direction}),
      gaps_(*model_->functions, of_gaps, mode_),
      constraints_(*model_->functions, of_constraints, mode_),
      strong_{&gaps_, model_->stiffness, model_->gap_groups} {
  for (std::size_t g = 0; g < model_->groups.size(); ++g)
    groups_.emplace_back(*model_->functions, static_cast<int>(g), mode_.held());
  for (int k = 1; k <= most_time_derivatives; ++k)
    mass_derivatives_[derivative_place(k)] = {*model_->functions, {Purpose::mass, every_group, k}};
  all_.force.prepare(mode_.parameters());
  if (model_->measures_accelerations) acceleration_.emplace(*this, *this);
}

std::vector<Quantity> TextMechanics::components() const {
  const Index count = constraints_.count();
  std::vector<Quantity> all;
  all.reserve(static_cast<std::size_t>(2 * unknowns() + count));
  for (const auto kind : {ModelSpace::Kind::coordinate, ModelSpace::Kind::velocity})
    model_->space->add_components(kind, all);
  for (Index k = 1; k <= count; ++k) all.push_back({count == 1 ? "lambda" : fmt::format("lambda{}", k), ""});
  return all;
}

State TextMechanics::initial_state() const {
  State s(layout(), model_->begin);
  s.q() = model_->start;
  s.v() = model_->velocity;
  s.lambda() = model_->multipliers;
  s.mode = events_.modes();
  return s;
}

bool TextMechanics::has_kinetic_terms() const {
  return mass_kind_ == MassKind::of_q || mass_kind_ == MassKind::constant;
}

MatrixSlot TextMechanics::mass_pattern() const {
  return has_kinetic_terms() ? mass_.prepare(mode_.parameters()) : MechanicalProblem::mass_pattern();
}

void TextMechanics::mass(In q, MatrixSlot& m) const {
  m.set_zero();
  if (has_kinetic_terms()) mass_.add({.q = q.data()}, mode_.parameters(), m);
  for (Index i = 0; i < unknowns(); ++i)
    if (model_->mass[i] != 0) m.add(i, i, model_->mass[i]);
}

void TextMechanics::mass_product_derivative(In q, In w, MatrixSlot& d) const {
  if (has_kinetic_terms()) mass_product_.add({.q = q.data(), .direction = w.data()}, mode_.parameters(), d);
}

bool TextMechanics::mass_derivative(int k, const Motion& motion, MatrixSlot& dm) const {
  dm.set_zero();
  if (has_kinetic_terms()) mass_derivatives_[derivative_place(k)].add(inputs_along(motion), mode_.parameters(), dm);
  return true;
}

bool TextMechanics::mass_along(In q, In dq, MatrixSlot& dm) const {
  dm.set_zero();
  if (has_kinetic_terms()) mass_along_.add({.q = q.data(), .direction = dq.data()}, mode_.parameters(), dm);
  return true;
}

void TextMechanics::force(Groups groups, double t, In q, In v, Out f) const {
  const ProgramInputs inputs{.t = t, .q = q.data(), .v = v.data()};
  const auto evaluate = [&] {
    f.setZero();
    each(groups, [&](ForceRuns& g) { g.force.add(inputs, mode_.parameters(), f.data()); });
  };
  mode_.evaluate(evaluate, f);
}

std::unique_ptr<ForceBlock> TextMechanics::join(std::span<const MechanicalProblem* const> copies) const {
  std::vector<const CompiledModel*> models;
  for (const MechanicalProblem* copy : copies)
    if (const auto* text = dynamic_cast<const TextMechanics*>(copy)) models.push_back(text->model_.get());
  if (models.size() == copies.size())
    if (auto block = make_text_block(models)) return block;
  return MechanicalProblem::join(copies);
}

// Callers ask for a pattern before they ask for values, so that nothing is left to be derived in a step.
MatrixSlot TextMechanics::prepare(MatrixRun ForceRuns::*matrix) const {
  if (groups_.size() > 1)
    for (ForceRuns& g : groups_) (g.*matrix).prepare(mode_.parameters());
  return (all_.*matrix).prepare(mode_.parameters());
}

bool TextMechanics::force_jacobian(Groups groups, double t, In q, In v, MatrixSlot& dq, MatrixSlot& dv) const {
  const ProgramInputs inputs{.t = t, .q = q.data(), .v = v.data()};
  dq.set_zero();
  dv.set_zero();
  each(groups, [&](ForceRuns& g) {
    g.by_position.add(inputs, mode_.parameters(), dq);
    g.by_velocity.add(inputs, mode_.parameters(), dv);
  });
  return true;
}

bool TextMechanics::force_product(Groups groups, double t, In q, In v, In dq, Out df) const {
  const ProgramInputs inputs{.t = t, .q = q.data(), .v = v.data(), .direction = dq.data()};
  df.setZero();
  each(groups, [&](ForceRuns& g) { g.product.add(inputs, mode_.parameters(), df.data()); });
  return true;
}

bool TextMechanics::force_derivative(Groups groups, int k, const Motion& motion, Out df) const {
  df.setZero();
  each(groups, [&](ForceRuns& g) {
    g.derivatives[derivative_place(k)].add(inputs_along(motion), mode_.parameters(), df.data());
  });
  return true;
}

std::unique_ptr<JointTerms> TextMechanics::joint_terms(Groups groups, const ConstraintMap& map) const {
  const Groups wanted = groups & known_;
  if (&map == &gaps_ && model_->gap_groups != 0 && wanted == (known_ & ~model_->gap_groups))
    return std::make_unique<TextJoint>(*this, wanted, gaps_, mode_);
  if (&map == &constraints_ && wanted == known_) return std::make_unique<TextJoint>(*this, wanted, constraints_, mode_);
  return nullptr;
}

bool TextMechanics::any(Groups wanted, const std::vector<bool>& facts, bool value) const {
  for (std::size_t g = 0; g < facts.size(); ++g)
    if ((wanted >> g & 1) && facts[g] == value) return true;
  return false;
}

bool TextMechanics::linear_force(Groups groups) const {
  if (!model_->changing.empty()) return false;
  for (std::size_t g = 0; g < groups_.size(); ++g)
    for (const auto& kernel : model_->functions->kernels())
      if ((groups >> g & 1) && kernel->scope.instances() > 0 && !is_linear(*kernel, static_cast<int>(g))) return false;
  return true;
}

bool TextMechanics::velocity_dependent(Groups groups) const { return any(groups, model_->velocity_dependent, true); }

Drag TextMechanics::drag(Groups groups) const {
  Drag most = Drag::none;
  for (std::size_t g = 0; g < groups_.size(); ++g)
    if (groups >> g & 1) most = std::max(most, model_->drag[g]);
  return most;
}

std::optional<double> TextMechanics::potential(Groups groups, double t, In q) const {
  if (any(groups, model_->conservative, false)) return std::nullopt;
  double sum = 0;
  each(groups, [&](ForceRuns& g) { g.energy.add({.t = t, .q = q.data()}, mode_.parameters(), &sum); });
  return sum;
}

// If there are forces without a potential, the energy is an observable and not an invariant.
std::vector<Quantity> TextMechanics::quantities() const {
  std::vector<Quantity> all{{"energy", "", QuantityKind::energy}};
  all.insert(all.end(), model_->measures.begin(), model_->measures.end());
  return all;
}

double TextMechanics::kinetic_energy(const State& s) const {
  double energy = 0.5 * s.v().cwiseAbs2().dot(model_->mass);
  kinetic_energy_.add({.t = s.t, .q = s.y.data(), .v = s.y.data() + unknowns()}, mode_.parameters(), &energy);
  return energy;
}

void TextMechanics::measure(const State& s, Out values) const {
  const double* q = s.y.data();
  const ProgramInputs inputs{.t = s.t,
                             .q = q,
                             .v = q + unknowns(),
                             .multipliers = q + 2 * unknowns(),
                             .acceleration = acceleration_ ? acceleration_->at(s).data() : nullptr};
  values.setZero();
  values[0] = kinetic_energy(s);
  all_.energy.add(inputs, mode_.parameters(), values.data());
  measures_.add(inputs, mode_.parameters(), values.data() + 1);
}

std::string TextMechanics::check_validity(const State& s, Notes& notes) const {
  for (const SlowSpin& spin : model_->slow_spins) {
    const double speed = std::abs(s.v()[spin.entry]), limit = fast_spin * spin.frequency;
    const auto text = [&] {
      return fmt::format(
          "{} turns at {:.3g} at t = {:.6g} and its lowest frequency is {:.3g}, but stiffening = false "
          "leaves out that the spin stiffens it; near that frequency it would bend without bound.",
          spin.label, speed, s.t, spin.frequency);
    };
    if (!(speed <= limit)) notes.raise_with(s.t, "no_stiffening", text, Severity::doubt, speed, limit);
  }
  for (const SmallCoordinates& small : model_->small) {
    const double largest = max_abs(s.q().segment(small.first, small.count));
    const auto text = [&] {
      return fmt::format("{} reaches {:.3g} at t = {:.6g}, and its equations assume small slopes.", small.label,
                         largest, s.t);
    };
    if (!(largest <= doubtful_slope))
      notes.raise_with(s.t, "large_slopes", text, Severity::doubt, largest, doubtful_slope);
    if (!(largest <= most_slope))
      return fmt::format("{} is {:.3g}; its equations assume small slopes, and beyond {} they mean nothing",
                         small.label, largest, most_slope);
  }
  return "";
}

void TextMechanics::reaction_force(double t, In q, In v, In lambda, Out r) const {
  const auto evaluate = [&] {
    r.setZero();
    reaction_.add({.t = t, .q = q.data(), .v = v.data(), .multipliers = lambda.data()}, mode_.parameters(), r.data());
  };
  mode_.evaluate(evaluate, r);
}

ReactionForces::Patterns TextMechanics::reaction_patterns() const {
  return {reaction_by_position_.prepare(mode_.parameters()), reaction_by_velocity_.prepare(mode_.parameters()),
          reaction_by_multiplier_.prepare(mode_.parameters())};
}

void TextMechanics::reaction_jacobians(double t, In q, In v, In lambda, Patterns& into) const {
  const ProgramInputs inputs{.t = t, .q = q.data(), .v = v.data(), .multipliers = lambda.data()};
  const auto fill = [&](MatrixRun& run, MatrixSlot& slot) {
    slot.set_zero();
    run.add(inputs, mode_.parameters(), slot);
  };
  fill(reaction_by_position_, into.by_position);
  fill(reaction_by_velocity_, into.by_velocity);
  fill(reaction_by_multiplier_, into.by_multiplier);
  // The size of a force has no derivative where the force vanishes, as in a joint without load; zero is one of its
  // slopes.
  for (double* value = into.by_multiplier.values(); value != into.by_multiplier.values() + into.by_multiplier.stored();
       ++value)
    if (!std::isfinite(*value)) *value = 0;
}

bool TextMechanics::exact(double t, Out y) const {
  if (!model_->has_closed_form) return false;
  y.setZero();
  closed_form_.add({.t = t}, mode_.parameters(), y.data());
  return true;
}
}  // namespace trill
