// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "formulation/averaged_motion.hpp"
#include "multiscale/hmm_model.hpp"
#include "multiscale/hmm_start.hpp"

namespace trill {
// The heterogeneous multiscale method (SAT09) as a formulation: how states get into the averaged system and out of it.
// Its two subclasses choose and check the windows.
class HmmForm : public AveragedMotion {
 public:
  const Problem& inner() const final { return averaged_; }
  double model_error() const final;
  std::string summary() const override;
  void account(Counters& work) const final;
  void memory(Archive& archive) override;  // values that stay the same after the start are recomputed by enter()

 protected:
  // actions: number of fast modes whose energy may be kept.
  HmmForm(const MechanicalProblem& given, std::unique_ptr<HmmModel> model, Index actions);

  // Plans the windows and fills in the means. UsageError if this is impossible.
  virtual void choose_windows(const State& given, State& in, Notes& notes) = 0;
  virtual double slow_rate() const = 0;
  virtual double fastest_frequency() const = 0;
  virtual std::string frequencies_text() const = 0;
  virtual double left_out() const { return 0; }  // relative error caused by energy that is left out
  virtual double doubt() const { return 0; }     // relative error suggested by what was seen along the run

  AveragedForce& averaged() { return averaged_; }
  const AveragedForce& averaged() const { return averaged_; }
  HmmStart& start() { return start_; }
  const HmmStart& start() const { return start_; }

 private:
  struct Spent {
    std::int64_t forces = 0, jacobians = 0, products = 0;
  };
  void take(const State& given, State& in, Notes& notes) final;
  void complete(const State& in, State& out) const final;
  void warn_of_jumps(double t, Notes& notes) const;
  double bias() const;
  Spent spent() const;

  std::unique_ptr<HmmModel> model_;
  AveragedForce averaged_;
  HmmStart start_;
  Spent before_;  // work already done in the run that is resumed
};

// mode=paper: ten nominal periods on each side, as in SAT09. omega = 0: the nominal frequency is computed.
std::unique_ptr<Reformulation> make_published_hmm(const MechanicalProblem& given, std::unique_ptr<HmmModel> model,
                                                  double omega);
// mode=hmm: windows chosen from the computed frequencies, and chosen again when these change.
std::unique_ptr<Reformulation> make_watched_hmm(const MechanicalProblem& given, std::unique_ptr<HmmModel> model,
                                                const std::string& fast_energy, const std::string& stages);
}  // namespace trill
