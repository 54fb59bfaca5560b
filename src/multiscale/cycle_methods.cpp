// SPDX-License-Identifier: BSD-3-Clause
#include "multiscale/cycle_methods.hpp"

namespace trill {
void register_method_cycle_adams(Catalogue&);
void register_method_cycle_bdf(Catalogue&);
void register_method_cycle_implicit(Catalogue&);
void register_method_cycle_rk(Catalogue&);

const Catalogue& cycle_methods() {
  static const Catalogue all = [] {
    Catalogue catalogue;
    register_method_cycle_adams(catalogue);
    register_method_cycle_bdf(catalogue);
    register_method_cycle_implicit(catalogue);
    register_method_cycle_rk(catalogue);
    return catalogue;
  }();
  return all;
}
}  // namespace trill
