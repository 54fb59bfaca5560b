// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

namespace trill {
// The report page without data, built from web/ and written into a source file by the build.
std::string_view page_template();
}  // namespace trill
