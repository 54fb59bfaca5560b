// SPDX-License-Identifier: BSD-3-Clause
// The pairs of a LAMMPS data file.
#include "model/molecule/molecule_reader.hpp"

#include <cmath>

#include <fmt/format.h>

namespace trill {
void MoleculeReader::read_pair_cutoff(const DataLine& line, std::size_t word) {
  if (line.words.size() <= word || m_.settings.names_cutoff) return;
  const double cutoff = file_.number(line, word, "the cut-off");
  if (cutoff_in_file_ && cutoff != m_.settings.cutoff)
    throw file_.error(line, fmt::format("the cut-off is {} here and {} above; trill has one for all pairs", cutoff,
                                        m_.settings.cutoff));
  if (!(cutoff > 0)) throw file_.error(line, "the cut-off must be positive");
  m_.settings.cutoff = cutoff;
  cutoff_in_file_ = true;
}

void MoleculeReader::read_pairs() {
  const auto n = static_cast<std::size_t>(m_.types);
  m_.pairs.assign(n * n, {});
  std::vector<bool> given(n * n, false);
  const auto read = [&](const DataLine& line, std::size_t at) {
    const LennardJones pair{file_.number(line, at, "epsilon"), file_.number(line, at + 1, "sigma")};
    if (!(pair.epsilon >= 0 && pair.sigma >= 0)) throw file_.error(line, "epsilon and sigma must not be negative");
    read_pair_cutoff(line, at + 2);
    return pair;
  };
  if (const DataSection* section = file_.find("Pair Coeffs")) {
    for (const DataLine& line : section->lines) {
      const auto i = static_cast<std::size_t>(type_of(line, 0, "the type of atoms", m_.types));
      m_.pairs[i * n + i] = read(line, 1);
      given[i * n + i] = true;
    }
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) {
        if (i == j || !given[i * n + i] || !given[j * n + j]) continue;
        const LennardJones &a = m_.pairs[i * n + i], &b = m_.pairs[j * n + j];
        const double sigma =
            m_.settings.mixing == "arithmetic" ? 0.5 * (a.sigma + b.sigma) : std::sqrt(a.sigma * b.sigma);
        m_.pairs[i * n + j] = {std::sqrt(a.epsilon * b.epsilon), sigma};
        given[i * n + j] = true;
      }
  }
  if (const DataSection* section = file_.find("PairIJ Coeffs"))
    for (const DataLine& line : section->lines) {
      const auto i = static_cast<std::size_t>(type_of(line, 0, "the type of atoms", m_.types)),
                 j = static_cast<std::size_t>(type_of(line, 1, "the type of atoms", m_.types));
      m_.pairs[i * n + j] = m_.pairs[j * n + i] = read(line, 2);
      given[i * n + j] = given[j * n + i] = true;
    }
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = i; j < n; ++j)
      if (!given[i * n + j])
        throw file_.source().error(
            fmt::format("atom types {} and {} have no Lennard-Jones coefficients: a line is "
                        "missing in 'Pair Coeffs' or 'PairIJ Coeffs'",
                        i + 1, j + 1));
}

// Where the file names the form of its pairs, that says how charges are treated.
void MoleculeReader::choose_coulomb() {
  if (m_.charge.isZero()) return;
  if (m_.settings.coulomb != "file") {
    m_.coulomb = coulomb_from(m_.settings.coulomb);
  } else {
    const DataSection* section = file_.find("Pair Coeffs");
    if (!section) section = file_.find("PairIJ Coeffs");
    const std::string_view style = section ? section->title.comment : "";
    m_.coulomb = style.ends_with("coul/long")  ? Coulomb::ewald
                 : style.ends_with("coul/cut") ? Coulomb::cut
                                               : Coulomb::dsf;
  }
  check_ewald(m_, file_.source());
}
}  // namespace trill
