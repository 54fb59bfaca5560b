// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "multiscale/charge_step.hpp"

namespace trill {
// The derivatives of the steps of a cycle, each with its factors, and what switches did to them. Memory is reused from
// one cycle to the next.
class CycleTape {
 public:
  CycleTape(const CircuitProblem& problem, const SdirkTableau& tableau, double most_bytes);
  void clear();
  bool is_full() const { return full_; }  // not everything is on the tape
  // false: singular, or no more room.
  bool add_step(const ChargeStep& step, CycleCounts& counts);
  // A switch that turned at the end of the last step: dq += jump (slope . dx), where dx is the derivative of the values
  // at the end of the step.
  void add_event(Vec jump, Vec slope);

  // Moves derivatives of the charges through the whole tape, or through an event that was added after the last sweep.
  void sweep(Mat& dcharges);
  // The derivative of an implicit Euler step of the first entry: moved = C (sigma C + G)^-1 sigma dcharges.
  void euler(In dcharges, Out moved);
  double first_sigma() const { return 1 / (entries_.front().h * tableau_.gamma); }
  void sweep_last_event(Mat& dcharges);
  const Mat& end_derivative() const { return d_[ChargeStep::stages - 1]; }  // of the values after the last step swept
  const Mat& last_delays() const { return delays_; }  // slope . dx of the last event swept, for each direction

 private:
  struct Stage {
    MatrixSlot dcharge;
    std::unique_ptr<LinearSolver> solver;
  };
  struct Entry {
    double h = 0;  // 0: an event
    std::size_t place = 0;
  };
  struct Event {
    Vec jump, slope;
  };
  void sweep_step(const Entry& step, Mat& dcharges);
  void sweep_event(const Entry& event, Mat& dcharges);
  bool make_room();

  const CircuitProblem& problem_;
  SdirkTableau tableau_;
  double most_bytes_, bytes_ = 0;
  bool full_ = false;
  MatrixSlot dcurrent_, matrix_;
  std::vector<Stage> stages_;
  std::size_t used_ = 0;
  std::vector<Entry> entries_;
  std::vector<Event> events_;
  std::array<Mat, ChargeStep::stages> d_, f_;
  Mat base_, delays_;
  Vec euler_base_, euler_values_;
};
}  // namespace trill
