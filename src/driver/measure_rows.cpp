// SPDX-License-Identifier: BSD-3-Clause
#include "driver/measure_rows.hpp"

#include <algorithm>

namespace trill {
void MeasureRows::row(double t, In, In measured) {
  if (seen_++ % stride_ != 0) return;
  if (rows() == most_) {
    drop_every_other();
    if ((seen_ - 1) % stride_ != 0) return;
  }
  times_.push_back(t);
  values_.insert(values_.end(), measured.data(), measured.data() + measures_);
}

void MeasureRows::drop_every_other() {
  const std::size_t kept = (times_.size() + 1) / 2;
  for (std::size_t k = 1; k < kept; ++k) {
    times_[k] = times_[2 * k];
    std::copy_n(values_.begin() + static_cast<Index>(2 * k) * measures_, measures_,
                values_.begin() + static_cast<Index>(k) * measures_);
  }
  times_.resize(kept);
  values_.resize(kept * static_cast<std::size_t>(measures_));
  stride_ *= 2;
}

void MeasureRows::visit(const Visitor& visitor) const {
  for (std::size_t k = 0; k < times_.size(); ++k)
    visitor(times_[k], nullptr, values_.data() + k * static_cast<std::size_t>(measures_));
}
}  // namespace trill
