// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/file/model_export.hpp"
#include "model/text/model_text.hpp"

namespace trill {
// Common to all problems from a text: they can run as machine code and can be written out.
class TextCode : public NativeModel, public ModelExport {
 public:
  Cost native_cost() const override {
    return trill::native_cost(compiled().functions->vector(main_function()).routines);
  }
  std::string use_native(NativeUse use) const override {
    return compiled().functions->use_native(use, main_function());
  }
  std::string as_c() const override { return c_text(compiled()); }
  std::string as_latex() const override { return latex_text(compiled()); }

 private:
  virtual const CompiledModel& compiled() const = 0;
  FunctionKey main_function() const { return {compiled().file.rates.empty() ? Purpose::force : Purpose::rate}; }
};
}  // namespace trill
