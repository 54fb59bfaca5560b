// SPDX-License-Identifier: BSD-3-Clause
#include "driver/run.hpp"

namespace trill {
void Run::checkpoint() {
  Archive archive;
  count_seconds();
  memory(archive);
  recorder_.checkpoint(archive);
}

void Run::memory(Archive& archive) {
  archive(inner_.t, inner_.y, inner_.mode, clock_, last_recorded_, next_break_, last_step_, crowding_, sides_, series_,
          shorter_step_);
  if (options_.reformulation) archive(*options_.reformulation);
  if (archive.reading()) {
    leave(inner_, user_);
    session_.enter(user_);  // before the method is read: it may evaluate the problem to restore what it keeps
  }
  archive(detector_, advancer_, stepper_, outcome_.events);
  std::vector<Notice> notices = advancer_.notes().notices();
  archive(notices);
  if (archive.reading()) advancer_.notes().restore(notices);
}
}  // namespace trill
