// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/base/options.hpp"

namespace trill {
// What a CCSDS orbit message says about itself and nobody computes.
struct OemLabels {
  std::string epoch = "2000-01-01T12:00:00", object = "SATELLITE", object_id = "UNKNOWN", centre = "EARTH",
              frame = "EME2000", time_system = "TT", originator = "TRILL";
  void fields(OptionVisitor& v) {
    v.text("epoch", epoch, "a time such as 2026-01-31T12:00:00", "the time t = 0");
    v.text("object", object, "a name", "name of the object");
    v.text("object_id", object_id, "a name", "international designator, such as 1998-067A");
    v.text("centre", centre, "a name", "body at the origin");
    v.text("frame", frame, "a name", "reference frame of the coordinates");
    v.text("time_system", time_system, "a name", "time system; with UTC the run must not contain a leap second");
    v.text("originator", originator, "a name", "who made the file");
  }
};

inline constexpr const char* oem_setting = "oem_";  // begins the names of labels among the settings of a run
OemLabels read_oem_labels(const OptionSet& given);  // UsageError for an unknown label or a wrong epoch
}  // namespace trill
