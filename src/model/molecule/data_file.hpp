// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/molecule/line_source.hpp"

#include <map>

namespace trill {
struct DataSection {
  DataLine title;
  std::vector<DataLine> lines;
};

// A LAMMPS data file, cut into header and sections: "648 atoms", "0 18.6 xlo xhi", "Masses", ...
class DataFile : public LineSource {
 public:
  DataFile(const std::string& file, const std::string& text);
  const std::string_view& title() const { return title_; }
  const std::vector<DataLine>& header() const { return header_; }
  const DataSection* find(std::string_view section) const;
  const DataSection& section(std::string_view name, std::string_view what_for) const;  // a ModelError if there is none

 private:
  std::string_view title_;
  std::vector<DataLine> header_;
  std::map<std::string, DataSection, std::less<>> sections_;
};
}  // namespace trill
