// SPDX-License-Identifier: BSD-3-Clause
#include "trill/solution/recorder.hpp"

namespace trill {
void replay(const Solution& solution, Recorder& recorder) {
  const auto y = solution.y(), measured = solution.measured();
  recorder.begin(solution.info);
  for (Index i = 0; i < solution.rows(); ++i)
    recorder.row(solution.t[static_cast<std::size_t>(i)], y.col(i), measured.col(i));
  recorder.finish(solution.outcome);
}

void MemoryRecorder::row(double t, In y, In measured) {
  if (stride_ > 1) {
    last_t_ = t;
    last_y_ = y;
    last_measured_ = measured;
  }
  if (seen_++ % stride_ != 0) return;
  solution_.append(t, y, measured);
  if (most_rows_ > 0 && solution_.rows() > most_rows_) {
    last_t_ = t;
    last_y_ = y;
    last_measured_ = measured;
    solution_.keep_every_other();
    stride_ *= 2;
  }
}

void MemoryRecorder::finish(const RunOutcome& outcome) {
  if (stride_ > 1 && solution_.t.back() != last_t_) solution_.append(last_t_, last_y_, last_measured_);
  solution_.outcome = outcome;
  if (stride_ > 1)
    solution_.outcome.notices.push_back(
        {solution_.t.front(), "rows_thinned",
         "Only some of the output rows were kept in memory. Record to a file by --out to keep all.", Severity::info,
         static_cast<double>(stride_), 1, 1});
}
}  // namespace trill
