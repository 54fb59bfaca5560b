// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/molecule/force_provider.hpp"
#include "model/molecule/molecule_gaps.hpp"
#include "problem/named_gaps.hpp"
#include "problem/particles.hpp"
#include "problem/validity.hpp"
#include "trill/problem/langevin.hpp"

#include <memory>

namespace trill {
// Molecules with the force groups bonds, angles, dihedrals, impropers and pair, as far as they have such terms.
class MoleculeProblem final : public MechanicalProblem, public NamedGaps, public LimitedValidity, public HasParticles {
 public:
  explicit MoleculeProblem(std::shared_ptr<const Molecule> molecule);
  MoleculeProblem(const MoleculeProblem&) = delete;
  MoleculeProblem& operator=(const MoleculeProblem&) = delete;

  std::string name() const override { return molecule_->name; }
  std::unique_ptr<Problem> clone() const override { return std::make_unique<MoleculeProblem>(molecule_); }
  Layout layout() const override { return {unknowns(), unknowns(), 0, 0}; }
  Particles particles() const override { return {molecule_->elements, molecule_->box.length}; }
  std::vector<Parameter> parameters() const override;
  std::vector<Quantity> components() const override;
  State initial_state() const override;
  std::string time_unit() const override { return "fs"; }

  MassKind mass_kind() const override { return MassKind::diagonal; }
  void mass(In q, MatrixSlot& m) const override;
  std::vector<GroupInfo> groups() const override;
  void force(Groups groups, double t, In q, In v, Out f) const override;
  MatrixSlot stiffness_pattern() const override;
  std::optional<double> potential(Groups groups, double t, In q) const override;
  const StrongPotential* strong_potential() const override { return gaps_.count() > 0 ? &strong_ : nullptr; }
  const std::vector<Groups>& group_of_gap() const override { return group_of_gap_; }
  std::string over_determined(Groups groups) const override;
  std::string without_gaps(Groups groups) const override;

  std::vector<Quantity> quantities() const override;
  void measure(const State& s, Out values) const override;
  double kinetic_energy(const State& s) const { return 0.5 * s.v().cwiseAbs2().dot(molecule_->mass); }

  // A bond that is torn means that the steps are too long.
  bool has_limits() const override { return !molecule_->bonds.empty(); }
  std::string check_validity(const State& s, Notes& notes) const override;

 private:
  using Kind = ForceProvider::Kind;
  Groups group_of(Kind kind) const;  // 0: there is none
  Index unknowns() const { return molecule_->start.size(); }
  void measure_geometry(In q, Out values) const;

  std::shared_ptr<const Molecule> molecule_;
  std::vector<Kind> present_;
  int bond_types_ = 0, angle_types_ = 0;  // of which the mean length and angle are measured
  MoleculeGaps gaps_;
  std::vector<Groups> group_of_gap_;
  StrongPotential strong_;
  std::unique_ptr<ForceProvider> forces_;
};

// The same in a heat bath.
class MoleculeBath final : public LangevinProblem, public LimitedValidity, public HasParticles {
 public:
  explicit MoleculeBath(std::shared_ptr<const Molecule> molecule) : molecule_(molecule), mechanics_(molecule) {}
  const MechanicalProblem& mechanics() const override { return mechanics_; }
  double gamma() const override { return 1e-3 * molecule_->settings.friction; }  // from 1/ps to 1/fs
  double kT() const override { return real_units::boltzmann * molecule_->settings.temperature; }
  std::string name() const override { return mechanics_.name(); }
  std::unique_ptr<Problem> clone() const override { return std::make_unique<MoleculeBath>(molecule_); }
  Layout layout() const override { return mechanics_.layout(); }
  Particles particles() const override { return mechanics_.particles(); }
  std::vector<Parameter> parameters() const override { return mechanics_.parameters(); }
  std::vector<Quantity> components() const override { return mechanics_.components(); }
  State initial_state() const override { return mechanics_.initial_state(); }
  std::string time_unit() const override { return mechanics_.time_unit(); }
  std::vector<Quantity> quantities() const override;
  void measure(const State& s, Out values) const override;
  bool has_limits() const override { return mechanics_.has_limits(); }
  std::string check_validity(const State& s, Notes& notes) const override {
    return mechanics_.check_validity(s, notes);
  }

 private:
  std::shared_ptr<const Molecule> molecule_;
  MoleculeProblem mechanics_;
  mutable Vec measured_;
};
}  // namespace trill
