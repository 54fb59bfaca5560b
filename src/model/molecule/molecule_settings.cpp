// SPDX-License-Identifier: BSD-3-Clause
#include "base/text.hpp"
#include "model/molecule/molecule.hpp"

#include <algorithm>

namespace trill {
namespace {
// Parameters that are words.
Choices words_of(std::string_view name) {
  if (name == "coulomb") return {"file", "none", "cut", "shifted", "dsf", "ewald"};
  if (name == "mixing") return {"geometric", "arithmetic"};
  if (name == "shift") return {"yes", "no"};
  return {};
}
}  // namespace

void MoleculeSettings::fields(OptionVisitor& v) {
  v.number("cutoff", cutoff, Range::positive(), "A, distance beyond which pairs of atoms do not meet");
  v.number("skin", skin, Range::positive(), "A, pairs of atoms are listed up to this distance beyond the cut-off");
  v.choice("coulomb", coulomb, words_of("coulomb"), "how charges act: as the file says, else damped and shifted (dsf)");
  v.number("damping", damping, Range::at_least(0), "1/A, of dsf");
  v.choice("mixing", mixing, words_of("mixing"), "sigma of two types from those of each");
  v.choice("shift", shift, words_of("shift"), "shift the Lennard-Jones energy to 0 at the cut-off");
  v.number("lj14", lj14, Range::at_least(0), "factor of the Lennard-Jones force of atoms three bonds apart");
  v.number("coulomb14", coulomb14, Range::at_least(0), "factor of the Coulomb force of atoms three bonds apart");
  v.number("temperature", temperature, Range::at_least(0), "K, of the heat bath; 0: there is none");
  v.number("friction", friction, Range::at_least(0), "1/ps, of the heat bath");
}

MoleculeSettings read_molecule_settings(const OptionSet& given, const std::string& owner) {
  OptionSet words = given;
  for (auto& [name, value] : words) {
    const Choices known = words_of(name);
    const auto place = parse_integer(value);
    if (place && *place >= 0 && *place < static_cast<long long>(known.size()))
      value = known[static_cast<std::size_t>(*place)];
  }
  auto settings = read_options<MoleculeSettings>(words, owner, "parameter");
  settings.names_cutoff = given.contains("cutoff");
  return settings;
}

std::vector<Parameter> numbers_of(const MoleculeSettings& settings) {
  OptionLister lister;
  MoleculeSettings copy = settings;
  copy.fields(lister);
  std::vector<Parameter> numbers;
  for (const OptionRow& row : lister.rows) {
    const Choices words = words_of(row.name);
    const auto place = std::find(words.begin(), words.end(), row.value) - words.begin();
    numbers.push_back(
        {row.name, "", row.what, words.empty() ? parse_number(row.value).value_or(0) : static_cast<double>(place)});
  }
  return numbers;
}
}  // namespace trill
