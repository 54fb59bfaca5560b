// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/folder.hpp"

namespace trill {
enum class Missing { is_refused, is_made };  // a folder that does not exist

// Opens a folder that code may be loaded from: nobody but the user and the system's administrator can put a file into
// it or another folder in its place. Every folder from the root on has to belong to one of them, and others may write
// only where they cannot rename what is not theirs (the sticky bit, as in /tmp). The folder itself is the user's alone.
// Throws NativeFailure with the reason. The path is absolute; links in it are followed if they fulfil the same.
Folder trusted_folder(const std::filesystem::path& path, Missing missing);
}  // namespace trill
