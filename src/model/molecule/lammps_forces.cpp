// SPDX-License-Identifier: BSD-3-Clause
// The forces of LAMMPS, through its C library, which is loaded when it is asked for: trill is built without it.
#include "base/shared_library.hpp"
#include "model/molecule/bonded_forces.hpp"
#include "model/molecule/coulomb_law.hpp"
#include "model/molecule/lammps_data.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

#include <fmt/format.h>
#include <unistd.h>

namespace trill {
namespace {
struct LammpsLibrary {
  SharedLibrary library{{"liblammps.so.0", "liblammps.so"},
                        "forces=lammps needs the library of LAMMPS (Debian: apt install liblammps0)",
                        SharedLibrary::Symbols::for_all};  // MPI loads parts of itself
  void* (*open)(int, char**, void**) = library.find<void* (*)(int, char**, void**)>("lammps_open_no_mpi");
  void (*close)(void*) = library.find<void (*)(void*)>("lammps_close");
  char* (*command)(void*, const char*) = library.find<char* (*)(void*, const char*)>("lammps_command");
  void* (*atom)(void*, const char*) = library.find<void* (*)(void*, const char*)>("lammps_extract_atom");
  double (*thermo)(void*, const char*) = library.find<double (*)(void*, const char*)>("lammps_get_thermo");
};

// A file that LAMMPS reads once.
class DataOnDisk {
 public:
  explicit DataOnDisk(const std::string& text) {
    const char* folder = std::getenv("TMPDIR");
    name_ = fmt::format("{}/trill-lammps-XXXXXX", folder && *folder ? folder : "/tmp");
    const int file = mkstemp(name_.data());
    if (file < 0) throw IoError(fmt::format("cannot write {}, which LAMMPS would read", name_));
    ::close(file);
    std::ofstream out(name_, std::ios::binary);
    out << text;
    if (!out.flush()) throw IoError(fmt::format("cannot write {}, which LAMMPS would read", name_));
  }
  DataOnDisk(const DataOnDisk&) = delete;
  DataOnDisk& operator=(const DataOnDisk&) = delete;
  ~DataOnDisk() {
    std::error_code ignored;
    std::filesystem::remove(name_, ignored);
  }
  const std::string& name() const { return name_; }

 private:
  std::string name_;
};

std::string pair_style_of(const Molecule& m) {
  const MoleculeSettings& s = m.settings;
  switch (m.coulomb) {
    case Coulomb::none:
      return fmt::format("lj/cut {:.17g}", s.cutoff);
    case Coulomb::cut:
      return fmt::format("lj/cut/coul/cut {:.17g}", s.cutoff);
    case Coulomb::dsf:
      if (!m.takes_bare_charges_off())
        throw UsageError(
            "forces=lammps: LAMMPS subtracts 1/r for pairs that bonds join; use --param excluded=subtract");
      return fmt::format("lj/cut/coul/dsf {:.17g} {:.17g}", s.damping, s.cutoff);
    case Coulomb::ewald:
      return fmt::format("lj/cut/coul/long {:.17g}", s.cutoff);
    case Coulomb::shifted:
      break;
  }
  throw UsageError("forces=lammps: LAMMPS has no Coulomb forces of the form 'shifted'; use dsf, ewald, cut or none");
}

// LAMMPS with the forces of some kinds. Its atoms stay in their order, since there is one process and no sorting.
class LammpsInstance {
 public:
  LammpsInstance(const LammpsLibrary& library, const Molecule& molecule, const LammpsData& data,
                 ForceProvider::Kinds of)
      : library_(library), molecule_(molecule) {
    std::array<std::string, 6> words{"trill", "-log", "none", "-screen", "none", "-nocite"};
    std::array<char*, 6> arguments{};
    for (std::size_t k = 0; k < words.size(); ++k) arguments[k] = words[k].data();
    handle_ = library_.open(static_cast<int>(arguments.size()), arguments.data(), nullptr);
    if (!handle_) throw UsageError("forces=lammps: LAMMPS could not be started");
    const auto has = [&](ForceProvider::Kind kind) { return (of >> kind & 1) != 0; };
    const auto style = [&](const char* noun, ForceProvider::Kind kind, const std::string& name) {
      say("{}_style {}", noun, has(kind) && name != "zero" ? name : "zero nocoeff");
    };
    const MoleculeSettings& s = molecule.settings;
    const bool pairs = has(ForceProvider::pair), periodic = molecule.box.periodic();
    say("units real");
    say("boundary {0} {0} {0}", periodic ? 'p' : 's');
    say("atom_style full");
    say("atom_modify sort 0 0 map array");
    style("bond", ForceProvider::bonds, data.bond_style);
    style("angle", ForceProvider::angles, data.angle_style);
    style("dihedral", ForceProvider::dihedrals, data.dihedral_style);
    style("improper", ForceProvider::impropers, data.improper_style);
    // Without pairs a thin shell of images is enough for the bonds.
    say("pair_style {}", pairs ? pair_style_of(molecule) : "zero 4.0 nocoeff");
    say("special_bonds lj 0 0 {:.17g} coul 0 0 {:.17g}", s.lj14, s.coulomb14);
    say("read_data {}", DataOnDisk(data.text).name());
    for (int i = 0; i < molecule.types; ++i)
      for (int j = i; j < molecule.types; ++j) {
        const LennardJones& lj = molecule.pairs[static_cast<std::size_t>(i * molecule.types + j)];
        if (pairs) say("pair_coeff {} {} {:.17g} {:.17g}", i + 1, j + 1, lj.epsilon, std::max(lj.sigma, 1e-3));
      }
    if (!pairs) say("pair_coeff * *");
    if (pairs) say("pair_modify shift {}", s.shift);
    if (pairs && molecule.coulomb == Coulomb::ewald) say("kspace_style ewald 1e-6");
    say("neighbor {:.17g} {}", s.skin, periodic || molecule.atoms() > most_for_all_pairs ? "bin" : "nsq");
    say("neigh_modify delay 0 every 1 check yes");
    say("thermo_modify lost ignore");
    say("run 0 post no");
  }
  LammpsInstance(const LammpsInstance&) = delete;
  LammpsInstance& operator=(const LammpsInstance&) = delete;
  ~LammpsInstance() { library_.close(handle_); }

  void forces(const double* q, double* f) {
    place(q);
    library_.command(handle_, "run 1 pre no post no");
    // LAMMPS may have moved its arrays.
    const double* const* force = static_cast<double**>(library_.atom(handle_, "f"));
    const int* id = static_cast<int*>(library_.atom(handle_, "id"));
    for (int i = 0; i < molecule_.atoms(); ++i)
      for (int k = 0; k < 3; ++k) f[3 * (id[i] - 1) + k] = force[i][k];
  }
  double energy(const double* q) {
    place(q);
    library_.command(handle_, "run 0 post no");
    return library_.thermo(handle_, "pe");
  }

 private:
  static constexpr int most_for_all_pairs = 500;

  // Each atom goes to the image of the box in which LAMMPS has it.
  void place(const double* q) {
    double** x = static_cast<double**>(library_.atom(handle_, "x"));
    const int* id = static_cast<int*>(library_.atom(handle_, "id"));
    const Box box = molecule_.box;
    for (int i = 0; i < molecule_.atoms(); ++i)
      for (int k = 0; k < 3; ++k) {
        const auto axis = static_cast<std::size_t>(k);
        const double at = q[3 * (id[i] - 1) + k];
        x[i][k] = at + box.length[axis] * Box::whole((x[i][k] - at) * box.inverse[axis]);
      }
  }
  template <class... Values>
  void say(fmt::format_string<Values...> words, Values&&... values) {
    library_.command(handle_, fmt::format(words, std::forward<Values>(values)...).c_str());
  }

  const LammpsLibrary& library_;
  const Molecule& molecule_;
  void* handle_ = nullptr;
};

class LammpsForces final : public ForceProvider {
 public:
  explicit LammpsForces(const Molecule& molecule) : molecule_(molecule), data_(lammps_data_of(molecule)) {
    pair_style_of(molecule);
    if (!molecule.pairs14.empty())
      throw UsageError(
          "forces=lammps: the 1-4 pairs of this molecule have coefficients of their own, which trill does "
          "not hand to LAMMPS; use openmm or trill");
    if (molecule.coulomb != Coulomb::dsf) return;
    // In the energy of a charge with itself LAMMPS counts the shift of the force too.
    const CoulombLaw law(molecule.coulomb, molecule.settings.cutoff, molecule.settings.damping);
    data_.constant[pair] =
        -0.5 * law.slope_shift() * molecule.settings.cutoff * real_units::coulomb * molecule.charge.squaredNorm();
  }
  void forces(Kinds of, const double* q, double* f) override {
    if (can_take(q))
      instance(of).forces(q, f);
    else
      std::fill_n(f, molecule_.start.size(), std::nan(""));
  }
  double energy(Kind of, const double* q) override {
    return can_take(q) ? instance(1u << of).energy(q) + data_.constant[of] : std::nan("");
  }

 private:
  // LAMMPS ends the process where atoms of a bond are farther apart than it looks for them.
  bool can_take(const double* q) const {
    for (Index i = 0; i < molecule_.start.size(); ++i)
      if (!std::isfinite(q[i])) return false;
    const double most = 2 + 0.5 * molecule_.settings.skin;
    return std::all_of(molecule_.bonds.begin(), molecule_.bonds.end(),
                       [&](const BondTerm& bond) { return bond_length(bond, q) < std::max(most, 1.5 * bond.length); });
  }
  LammpsInstance& instance(Kinds of) {
    auto& found = instances_[of];
    if (!found) found = std::make_unique<LammpsInstance>(library_, molecule_, data_, of);
    return *found;
  }

  LammpsLibrary library_;
  const Molecule& molecule_;
  LammpsData data_;
  std::map<Kinds, std::unique_ptr<LammpsInstance>> instances_;  // by the kinds that are asked for together
};
}  // namespace

std::unique_ptr<ForceProvider> make_lammps_forces(const Molecule& molecule) {
  return std::make_unique<LammpsForces>(molecule);
}
}  // namespace trill
