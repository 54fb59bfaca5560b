// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "multiscale/orbit_section.hpp"
#include "problem/cycle_map.hpp"
#include "trill/control/advance.hpp"
#include "trill/formulation/acceleration.hpp"

namespace trill {
// Why the problem is not an orbit: one body in space, with three coordinates and unit mass, which is attracted by the
// origin with a force that falls with the square of the distance, apart from small perturbations. Empty: it is one.
std::string why_no_orbit(const Problem& problem, const State& start);

// One revolution of an orbit as a map on the section where revolutions begin (PJY97 section 5.1; Graff and Bettis
// 1975). The unknowns are slow coordinates on the section, with the time as the last: its change is the time of a
// revolution. A revolution is an integration by dop853, which ends on the section to rounding.
class OrbitCycle final : public CycleMap {
 public:
  struct Options {
    std::optional<OrbitPlace> place = {};  // empty: follows from the orbit at the start
    double rtol = 1e-12;                   // of the integration; a tenth of the tolerance of the envelope or less
  };
  // UsageError if the problem is no orbit. It works on a copy of the problem.
  OrbitCycle(const Problem& problem, const State& start, const Options& options);
  OrbitCycle(const OrbitCycle&) = delete;
  OrbitCycle& operator=(const OrbitCycle&) = delete;

  std::string name() const override { return "revolutions of " + problem_->name(); }
  Layout layout() const override { return {.nq = OrbitSection::size}; }
  std::vector<Quantity> components() const override;
  State initial_state() const override;  // where the orbit reaches the section for the first time
  std::unique_ptr<Problem> clone() const override;
  std::string time_unit() const override { return problem_->time_unit(); }

  bool change(double n, In z, Out change) const override;
  double time(double, In z) const override { return z[OrbitSection::time]; }
  double cycles_until(double t, double n, In z) const override;
  // The end is z itself: together with the time it says where on its orbit the body is, see state_at().
  bool part(double n, In z, double t, Out end) const override;
  void sizes(In z, In largest, Out sizes) const override;
  std::string trouble() const override { return trouble_; }

  // The first point of the section that a state of the given problem reaches. false: it reaches none, see trouble().
  bool to_section(const State& given, Out z) const;
  // The state of the given problem at t on the orbit that passes the section at z; without t on the section.
  bool state_at(In z, State& out) const;
  bool state_at(In z, double t, State& out) const;

  const OrbitSection& section() const { return section_; }
  const Counters& work() const { return work_; }
  void spent_before(const Counters& work) { work_ = work; }  // of a run that is resumed

 private:
  OrbitPoint point_of(const State& s) const;
  bool integrate(State& s, double t_end, std::vector<double>* times = nullptr) const;
  bool integrate_revolution(State& s, double span) const;
  bool fail_to_integrate(double begin) const;
  bool passes_stops(const State& before, State& s) const;
  bool find_section(State& s, double period, OrbitPoint& at) const;
  bool fail(std::string why) const;

  State start_;
  Options options_;
  std::unique_ptr<Problem> problem_;
  ProblemSession session_;
  const MechanicalProblem& mechanics_;
  mutable Acceleration acceleration_;
  std::unique_ptr<Stepper> stepper_;
  OrbitSection section_;
  AdaptiveStep control_;
  std::vector<std::pair<int, EventInfo>> stops_;
  mutable std::vector<double> grid_;  // ends of the steps in a revolution, as parts of it
  mutable double turn_ = 1;           // time of the first revolution by the period of its ellipse
  mutable bool turn_known_ = false;
  mutable Counters work_;
  mutable std::string trouble_;
  mutable State state_, before_;
  mutable Notes notes_;
  Vec weights_ = Vec::Ones(6);  // for methods with Newton iterations, which this is not
};
}  // namespace trill
