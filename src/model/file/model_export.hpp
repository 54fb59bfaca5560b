// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace trill {
// Implemented by problems that were stated as text: writes them as formulas or as a program.
class ModelExport {
 public:
  virtual ~ModelExport() = default;
  virtual std::string as_c() const = 0;      // the functions as they are compiled
  virtual std::string as_latex() const = 0;  // a document with energies, constraints and equations of motion
};
}  // namespace trill
