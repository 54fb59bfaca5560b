// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include <gmock/gmock.h>

namespace trill {
// Messages are recognised by the names, numbers and places in them, not by their wording.
template <class... Words>
auto mentions(const Words&... words) {
  return testing::AllOf(testing::HasSubstr(words)...);
}

// A message about a file. It begins with the place, which is the first entry of the list (if empty, any place), and
// its first line contains all names and numbers that follow. The line of the file that is printed below does not
// count.
MATCHER_P(tells_all, place_and_names, "") {
  const std::string said(arg), line = said.substr(0, said.find('\n')), &place = place_and_names.front();
  if (!place.empty() && !line.starts_with(place + ": ")) return false;
  const std::string rest = place.empty() ? line : line.substr(place.size() + 2);
  return std::all_of(place_and_names.begin() + 1, place_and_names.end(),
                     [&](const std::string& name) { return rest.find(name) != std::string::npos; });
}
inline auto tells(const std::vector<std::string>& place_and_names) { return tells_all(place_and_names); }
}  // namespace trill
