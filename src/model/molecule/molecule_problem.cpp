// SPDX-License-Identifier: BSD-3-Clause
#include "model/molecule/molecule_problem.hpp"

#include "model/molecule/bonded_forces.hpp"
#include "model/molecule/molecule_checks.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr double torn = 2;                   // times its length at rest
constexpr Index most_dense_unknowns = 3000;  // a larger matrix of derivatives would not fit into memory
constexpr int most_measured_types = 8;
constexpr double degrees = 180 / std::numbers::pi;
constexpr std::array<const char*, ForceProvider::kinds> kind_names{"bonds",     "angles", "dihedrals",
                                                                   "impropers", "pair",   "pair_long"};
constexpr std::array<const char*, ForceProvider::kinds> energy_names{
    "bond_energy", "angle_energy", "dihedral_energy", "improper_energy", "pair_energy", "pair_long_energy"};

bool is_harmonic(const BondTerm& b) { return b.form == BondTerm::Form::harmonic; }

// Where an angle is straight its gap has no gradient.
bool is_bent(const AngleTerm& a) {
  constexpr double nearly_straight = 175 / degrees;
  return a.angle < nearly_straight;
}

template <class Term>
int types_of(const std::vector<Term>& terms) {
  int most = 0;
  for (const Term& term : terms) most = std::max(most, term.type + 1);
  return most <= most_measured_types ? most : 0;
}
}  // namespace

MoleculeProblem::MoleculeProblem(std::shared_ptr<const Molecule> molecule)
    : molecule_(std::move(molecule)),
      bond_types_(types_of(molecule_->bonds)),
      angle_types_(types_of(molecule_->angles)),
      gaps_(*molecule_, std::ranges::all_of(molecule_->bonds, is_harmonic),
            std::ranges::all_of(molecule_->angles, is_bent)),
      forces_(make_forces(*molecule_)) {
  const std::array<bool, ForceProvider::kinds> has{!molecule_->bonds.empty(),
                                                   !molecule_->angles.empty(),
                                                   !molecule_->dihedrals.empty(),
                                                   !molecule_->impropers.empty(),
                                                   true,
                                                   molecule_->settings.split > 0};
  for (unsigned kind = 0; kind < ForceProvider::kinds; ++kind)
    if (has[kind]) present_.push_back(static_cast<Kind>(kind));
  strong_.map = &gaps_;
  strong_.stiffness.resize(gaps_.count());
  for (Index k = 0; k < gaps_.count(); ++k) {
    strong_.stiffness[k] = gaps_.stiffness(k);
    group_of_gap_.push_back(group_of(gaps_.of_angles(k) ? ForceProvider::angles : ForceProvider::bonds));
    strong_.groups |= group_of_gap_.back();
  }
}

Groups MoleculeProblem::group_of(Kind kind) const {
  const auto found = std::find(present_.begin(), present_.end(), kind);
  return found == present_.end() ? 0 : Groups{1} << (found - present_.begin());
}

std::string MoleculeProblem::over_determined(Groups groups) const {
  const bool both = (groups & group_of(ForceProvider::bonds)) && (groups & group_of(ForceProvider::angles));
  return both ? over_determined_angles(*molecule_) : "";
}

std::string MoleculeProblem::without_gaps(Groups groups) const {
  const auto id = [&](int atom) { return molecule_->id[static_cast<std::size_t>(atom)]; };
  const auto bond = std::ranges::find_if_not(molecule_->bonds, is_harmonic);
  if ((groups & group_of(ForceProvider::bonds)) && bond != molecule_->bonds.end())
    return fmt::format("the bond of atoms {} and {} is a Morse bond, and only harmonic bonds can be made rigid",
                       id(bond->i), id(bond->j));
  const auto angle = std::ranges::find_if_not(molecule_->angles, is_bent);
  if ((groups & group_of(ForceProvider::angles)) && angle != molecule_->angles.end())
    return fmt::format(
        "the angle of atoms {}, {} and {} is {:.4g} degrees at rest, and straight angles cannot be made rigid; use "
        "--set constraints=bonds",
        id(angle->i), id(angle->j), id(angle->k), angle->angle * degrees);
  return "";
}

std::vector<Parameter> MoleculeProblem::parameters() const { return parameters_of(molecule_->settings); }

std::vector<Quantity> MoleculeProblem::components() const {
  std::vector<Quantity> names;
  for (const char* letters : {"", "v"})
    for (const long long id : molecule_->id)
      for (const char axis : {'x', 'y', 'z'})
        names.push_back({fmt::format("{}{}{}", letters, axis, id), *letters ? "A/fs" : "A"});
  return names;
}

State MoleculeProblem::initial_state() const {
  State s(layout());
  s.q() = molecule_->start;
  s.v() = molecule_->velocity;
  return s;
}

void MoleculeProblem::mass(In, MatrixSlot& m) const {
  m.set_zero();
  for (Index i = 0; i < unknowns(); ++i) m.add(i, i, molecule_->mass[i]);
}

std::vector<GroupInfo> MoleculeProblem::groups() const {
  std::vector<GroupInfo> names;
  for (const Kind kind : present_)
    names.push_back({kind == ForceProvider::pair && molecule_->settings.split > 0 ? "pair_short" : kind_names[kind],
                     kind == ForceProvider::bonds || kind == ForceProvider::angles});
  return names;
}

void MoleculeProblem::force(Groups groups, double, In q, In, Out f) const {
  ForceProvider::Kinds of = 0;
  for (std::size_t k = 0; k < present_.size(); ++k)
    if (groups >> k & 1) of |= 1u << present_[k];
  forces_->forces(of, q.data(), f.data());
}

// Which atoms meet changes in the course of a run, so large systems have only the terms that stay.
MatrixSlot MoleculeProblem::stiffness_pattern() const {
  if (unknowns() <= most_dense_unknowns) return MatrixSlot::dense(unknowns(), unknowns());
  SpMat diagonal(unknowns(), unknowns());
  diagonal.setIdentity();
  return union_pattern(MatrixSlot::sparse(diagonal), gaps_.transpose_pattern());
}

std::optional<double> MoleculeProblem::potential(Groups groups, double, In q) const {
  double sum = 0;
  for (std::size_t k = 0; k < present_.size(); ++k)
    if (groups >> k & 1) sum += forces_->energy(present_[k], q.data());
  return sum;
}

std::vector<Quantity> MoleculeProblem::quantities() const {
  std::vector<Quantity> all{{"energy", "kcal/mol", QuantityKind::energy},
                            {"temperature", "K"},
                            {"potential_energy", "kcal/mol", QuantityKind::energy_part}};
  for (const Kind kind : present_)
    all.push_back(
        {kind == ForceProvider::pair && molecule_->settings.split > 0 ? "pair_short_energy" : energy_names[kind],
         "kcal/mol", QuantityKind::energy_part});
  for (int type = 1; type <= bond_types_; ++type) all.push_back({fmt::format("mean_bond_{}", type), "A"});
  for (int type = 1; type <= angle_types_; ++type) all.push_back({fmt::format("mean_angle_{}", type), "degrees"});
  return all;
}

void MoleculeProblem::measure(const State& s, Out values) const {
  const double kinetic = kinetic_energy(s);
  values[1] = 2 * kinetic / (real_units::boltzmann * static_cast<double>(unknowns()));
  values[2] = 0;
  Index k = 3;
  for (const Kind kind : present_) values[2] += values[k++] = forces_->energy(kind, s.y.data());
  values[0] = kinetic + values[2];
  measure_geometry(s.q(), values.tail(values.size() - k));
}

void MoleculeProblem::measure_geometry(In q, Out values) const {
  Vec counts = Vec::Zero(values.size());
  values.setZero();
  const auto take = [&](Index place, double value) {
    values[place] += value;
    counts[place] += 1;
  };
  if (bond_types_ > 0)
    for (const BondTerm& bond : molecule_->bonds) take(bond.type, bond_length(bond, q.data()));
  if (angle_types_ > 0)
    for (const AngleTerm& angle : molecule_->angles)
      take(bond_types_ + angle.type, degrees * bond_angle(angle, q.data()));
  values = values.cwiseQuotient(counts.cwiseMax(1.0));
}

std::string MoleculeProblem::check_validity(const State& s, Notes&) const {
  const BondTerm* worst = nullptr;
  double stretched = torn;
  for (const BondTerm& bond : molecule_->bonds) {
    const double times = bond_length(bond, s.y.data()) / bond.length;
    if (times < stretched || bond.form != BondTerm::Form::harmonic) continue;
    worst = &bond;
    stretched = times;
  }
  if (!worst) return "";
  const auto id = [&](int atom) { return molecule_->id[static_cast<std::size_t>(atom)]; };
  return fmt::format(
      "the bond of atoms {} and {} is {:.3g} A long, and {:.3g} A at rest; the motion blows up, so try a smaller h",
      id(worst->i), id(worst->j), stretched * worst->length, worst->length);
}

std::vector<Quantity> MoleculeBath::quantities() const {
  std::vector<Quantity> all = mechanics_.quantities();
  all.erase(all.begin());  // the energy is not conserved
  return all;
}

void MoleculeBath::measure(const State& s, Out values) const {
  measured_.resize(values.size() + 1);
  mechanics_.measure(s, measured_);
  values = measured_.tail(values.size());
}
}  // namespace trill
