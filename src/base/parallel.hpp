// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <functional>

namespace trill {
int available_threads();  // hardware threads that this process may use; at least 1

// Calls work(0) .. work(count - 1), each once, on up to `threads` threads; the calls start in this order. Returns when
// all are done. `work` must not throw.
void for_each_parallel(std::size_t count, int threads, const std::function<void(std::size_t)>& work);
}  // namespace trill
