// SPDX-License-Identifier: BSD-3-Clause
// Whatever the file of a reduced body contains, it gives finite numbers in matrices of the right sizes, or is refused.
#include "model/bodies/reduced_body.hpp"
#include "time_limit.hpp"

#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const trill::fuzz::TimeLimit limit;
  trill::ReducedBody body;
  try {
    body = trill::read_reduced_body("fuzz.body", {reinterpret_cast<const char*>(data), size});
  } catch (const trill::ModelError&) {
    return 0;
  }
  if (body.modes() < 1 || body.points.empty() || !body.stiffness.allFinite() || !(body.mass > 0)) std::abort();
  for (const trill::Mat* m : {&body.convective, &body.gyroscopic, &body.stiffening, &body.damping})
    if (m->rows() != body.modes() || m->cols() != body.modes() || !m->allFinite()) std::abort();
  for (const auto& p : body.points)
    if (p.shape_x.size() != body.modes() || !p.shape_angle.allFinite()) std::abort();
  // What trill writes is accepted when it is read, and is written again in the same way.
  const std::string text = trill::body_text(body);
  if (trill::body_text(trill::read_reduced_body("again.body", text)) != text) std::abort();
  return 0;
}
