// SPDX-License-Identifier: BSD-3-Clause
// Reads the matrices and vectors that [structure] names, and refuses those that do not fit together.
#include "base/text.hpp"
#include "linalg/sparse_cholesky.hpp"
#include "model/expression/derivative.hpp"
#include "model/expression/switching.hpp"
#include "model/file/csv_table.hpp"
#include "model/file/matrix_market.hpp"
#include "model/file/matrix_share.hpp"
#include "model/text/structure_picture.hpp"
#include "model/text/text_structure.hpp"
#include "problem/generated_structure.hpp"

#include <cmath>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr double asymmetry_of_rounding = 1e-10;

// The entry that differs most from the one across the diagonal.
struct Asymmetry {
  Index row = 0, column = 0;
  double most = 0;
};

Asymmetry asymmetry_of(const SpMat& m) {
  const SpMat transposed = m.transpose(), difference = m - transposed;
  Asymmetry found;
  for (Index j = 0; j < difference.outerSize(); ++j)
    for (SpMat::InnerIterator it(difference, j); it; ++it)
      if (std::abs(it.value()) > found.most) found = {it.row(), j, std::abs(it.value())};
  return found;
}

bool is_symmetric(const SpMat& m) {
  const double largest =
      m.nonZeros() == 0 ? 0 : Eigen::Map<const Vec>(m.valuePtr(), m.nonZeros()).cwiseAbs().maxCoeff();
  return asymmetry_of(m).most <= asymmetry_of_rounding * largest;
}

bool has_one_half(const SpMat& m) {
  bool below = false, above = false;
  for (Index j = 0; j < m.outerSize(); ++j)
    for (SpMat::InnerIterator it(m, j); it; ++it) {
      below = below || it.row() > j;
      above = above || it.row() < j;
    }
  return below != above;
}

class StructureReader {
 public:
  StructureReader(CompiledModel& model, const ModelFolder& folder)
      : model_(model), folder_(folder), file_(*model.file.structure) {}

  std::shared_ptr<const StructureData> read() {
    auto data = std::make_shared<StructureData>();
    if (file_.generate)
      generate(*data);
    else
      read_matrices(*data);
    read_damping(*data);
    data->has_potential = data->damping.nonZeros() == 0 && is_symmetric(data->stiffness);
    data->loads = Mat::Zero(n_, static_cast<Index>(file_.loads.size()));
    for (std::size_t i = 0; i < file_.loads.size(); ++i)
      data->loads.col(static_cast<Index>(i)) = load_vector(file_.loads[i], data->mass);
    data->start = file_.start ? vector(*file_.start) : Vec::Zero(n_);
    data->velocity = file_.velocity ? vector(*file_.velocity) : Vec::Zero(n_);
    read_factors(*data);
    read_outputs(*data);
    check_picture();
    return data;
  }

 private:
  ModelError error(const FileText& at, std::string_view message) const {
    return model_.source.error(at.offset, message);
  }
  double number(const FileValue& value, std::string_view what) const {
    return KernelScope(*model_.space, nullptr).parse_constant(value, what);
  }
  std::string text(const FileText& name) const {
    return folder_.read(name.text, model_.source, name.offset, most_matrix_bytes);
  }
  SpMat matrix(const FileText& name) const {
    if (!matrix_share().is_shared()) return read_matrix_market(name.text, text(name));
    return matrix_share().read(folder_.path(name.text, model_.source, name.offset), name.text);
  }
  SpMat matching(const FileText& name) const {
    SpMat m = matrix(name);
    if (m.rows() != n_ || m.cols() != n_)
      throw error(name, fmt::format("{} is {} x {}, but the mass matrix is {} x {}; they must have the same size",
                                    name.text, m.rows(), m.cols(), n_, n_));
    if (!matrix_share().is_shared() && has_one_half(m))
      throw error(name,
                  fmt::format("{} is announced as general, but has entries on one side of the diagonal only; write "
                              "'symmetric' in its first line if they stand for both sides, or an entry 0 on the "
                              "other side if they do not",
                              name.text));
    return m;
  }
  Vec vector(const FileText& name) const {
    Vec v = read_vector_market(name.text, text(name));
    if (v.size() != n_)
      throw error(name, fmt::format("{} has {} rows, but the mass matrix has {}; they must be equally many", name.text,
                                    v.size(), n_));
    return v;
  }

  void read_matrices(StructureData& data) {
    data.mass = matrix(*file_.mass);
    n_ = data.mass.rows();
    if (n_ == 0 || data.mass.cols() != n_)
      throw error(*file_.mass, fmt::format("a mass matrix must be square and have at least one row, and {} is {} x {}",
                                           file_.mass->text, n_, data.mass.cols()));
    data.stiffness = matching(*file_.stiffness);
    if (!matrix_share().is_shared()) check_mass(data.mass);
  }

  void check_mass(const SpMat& mass) const {
    const std::string needed =
        fmt::format("a mass matrix must be symmetric and positive definite, and {}", file_.mass->text);
    if (!is_symmetric(mass)) {
      const Asymmetry a = asymmetry_of(mass);
      throw error(*file_.mass, fmt::format("{} is not symmetric: its entry in row {} and column {} is {:.6g}, and the "
                                           "one across the diagonal is {:.6g}",
                                           needed, a.row + 1, a.column + 1, mass.coeff(a.row, a.column),
                                           mass.coeff(a.column, a.row)));
    }
    for (Index i = 0; i < n_; ++i)
      if (!(mass.coeff(i, i) > 0))
        throw error(*file_.mass,
                    fmt::format("{} is not positive definite: its diagonal entry {} is {:.6g}; give every unknown a "
                                "mass, or leave out the rows and columns of those that are held",
                                needed, i + 1, mass.coeff(i, i)));
    if (!SparseCholesky(mass).is_positive_definite())
      throw error(*file_.mass, fmt::format("{} is not positive definite: some motion would have no mass", needed));
  }

  void generate(StructureData& data) {
    generated_ = generated_from(*file_.generate, *model_.space, model_.source);
    n_ = generated_.mass.rows();
    for (SpMat* whole : {&generated_.mass, &generated_.stiffness, &generated_.damping})
      if (matrix_share().is_shared()) *whole = matrix_share().own_rows(*whole);
    data.mass = generated_.mass;
    data.stiffness = generated_.stiffness;
  }

  void read_damping(StructureData& data) const {
    data.damping = generated_.damping.rows() > 0 ? generated_.damping : SpMat(n_, n_);
    ProportionalDamping share;
    if (const std::optional<FileDamping>& damping = file_.damping) {
      if (damping->matrix) data.damping += matching(*damping->matrix);
      share = shares(*damping);
    }
    for (const FileDashpot& dashpot : file_.dashpots) {
      const Vec place = named_vector(dashpot.on);
      const SpMat column = place.sparseView(), row = column.transpose();
      const double constant = number(dashpot.value, "the constant of a dashpot");
      if (constant < 0)
        throw dashpot.value.error(
            fmt::format("the constant of a dashpot must not be negative, and it is {}: it would add energy; forces "
                        "that drive a motion can be given as a damping matrix, damping = {{ matrix = \"C.mtx\" }}",
                        constant));
      data.damping += constant * (column * row);
    }
    if (matrix_share().is_shared()) data.damping = matrix_share().own_rows(data.damping);
    if (!damps_otherwise(data.damping)) data.proportional = share;
    if (share.mass != 0) data.damping += share.mass * data.mass;
    if (share.stiffness != 0) data.damping += share.stiffness * data.stiffness;
  }

  // By more than shares of M and K. A process that has some rows only cannot tell by their entries.
  bool damps_otherwise(const SpMat& damping) const {
    if (!matrix_share().is_shared()) return damping.nonZeros() > 0;
    return (file_.damping && file_.damping->matrix) || !file_.dashpots.empty() || generated_.damping.rows() > 0;
  }

  // Half the sum mass/omega + stiffness omega is the ratio of critical damping, here given at two omega.
  ProportionalDamping shares(const FileDamping& damping) const {
    ProportionalDamping share;
    if (damping.mass) share.mass = number(*damping.mass, "the share of the mass in the damping");
    if (damping.stiffness) share.stiffness = number(*damping.stiffness, "the share of the stiffness in the damping");
    if (!damping.ratio) return share;
    const double ratio = number(*damping.ratio, "the damping ratio");
    if (!(ratio >= 0 && ratio < 1))
      throw damping.ratio->error(
          fmt::format("a damping ratio is a share of critical damping, from 0 up to 1 (0.02 is two percent), and it is "
                      "{}",
                      ratio));
    const double a = number(damping.between[0], "a frequency"), b = number(damping.between[1], "a frequency");
    if (!(a > 0) || !(b > 0))
      throw damping.between[0].error(fmt::format("frequencies must be positive, not {} and {}", a, b));
    return {2 * ratio * a * b / (a + b), 2 * ratio / (a + b)};
  }

  Vec load_vector(const FileLoad& load, const SpMat& mass) const {
    Vec v = vector_of(load.vector);
    if (load.value) v *= number(*load.value, "the value of a load");
    return load.ground ? Vec(-1.0 * (mass * v)) : v;
  }
  Vec vector_of(const FileVector& given) const { return given.file ? vector(*given.file) : named_vector(*given.on); }

  // The unknown "u3", or what the generator of the structure has given a name.
  Vec named_vector(const FileText& name) const {
    if (const auto found = generated_.vectors.find(name.text); found != generated_.vectors.end()) return found->second;
    const auto index = name.text.starts_with('u') ? parse_integer(name.text.substr(1)) : std::nullopt;
    if (index && *index >= 1 && *index <= n_) return Vec::Unit(n_, static_cast<Index>(*index - 1));
    std::string known = fmt::format("the unknowns are u1 to u{}", n_);
    for (const auto& [other, unused] : generated_.vectors) known += ", " + other;
    throw error(name, fmt::format("'{}' is not an unknown of this structure; {}", name.text, known));
  }

  void read_factors(StructureData& data) const {
    KernelScope scope(*model_.space, nullptr);
    std::vector<Expression> factors;
    for (const FileLoad& load : file_.loads) {
      factors.push_back(load.factor ? scope.parse(*load.factor) : scope.graph().number(1));
      data.tables.push_back(load.table ? std::optional(table(*load.table)) : std::nullopt);
      data.steady = data.steady && !load.table && !depends_on(scope.graph(), factors.back(), SymbolKind::time);
    }
    data.factors = Program(scope.graph(), factors);
    check_start(data.factors);
    const auto function = [&](Expression part) {
      return TimeFunction(scope.graph(), part, [&](SymbolKind, int parameter) {
        return model_.space->parameter_values()[static_cast<std::size_t>(parameter)];
      });
    };
    for (const Expression part : time_parts(scope.graph(), factors)) data.factor_parts.push_back(function(part));
    for (const SwitchingFunction& s : switching_functions(scope.graph(), factors))
      data.switches.push_back(function(s.when));
  }

  void check_start(const Program& factors) const {
    Evaluator at_start(factors);
    at_start.evaluate({.t = model_.begin, .parameters = model_.space->parameter_values().data()});
    for (std::size_t i = 0; i < file_.loads.size(); ++i)
      if (const double value = at_start[i]; !std::isfinite(value))
        throw file_.loads[i].factor->error(
            fmt::format("the factor of the load is {} at the start, where it must be finite", value));
  }

  SampledFactor table(const FileText& name) const {
    const CsvTable read = read_csv(name.text, folder_.read(name.text, model_.source, name.offset, most_csv_bytes));
    if (read.columns.size() != 2)
      throw error(name, fmt::format("the table of a load has two columns, times and values, and {} has {}", name.text,
                                    read.columns.size()));
    if (read.rows() < 2)
      throw error(name, fmt::format("{} has {} rows; a table needs two at least", name.text, read.rows()));
    for (std::size_t k = 1; k < read.rows(); ++k)
      if (!(read.columns[0][k] > read.columns[0][k - 1]))
        throw read.error(
            k, 0,
            fmt::format("times must increase, but {:.9g} follows {:.9g}", read.columns[0][k], read.columns[0][k - 1]));
    return {read.columns[0], read.columns[1]};
  }

  void check_picture() const { read_structure_mesh(file_, model_.source, folder_, n_); }

  void read_outputs(StructureData& data) const {
    for (const FileOutput& output : file_.outputs) {
      const std::string& name = output.name.text;
      const bool is_unknown = name.size() > 1 && (name[0] == 'u' || name.starts_with("vu")) &&
                              parse_integer(name.substr(name[0] == 'u' ? 1 : 2)).has_value();
      if (name == "energy" || is_unknown)
        throw error(output.name, fmt::format("'{}' is already the name of something that every structure records; "
                                             "choose another name for this output",
                                             name));
      Vec weights = vector_of(output.vector);
      if (output.value) weights *= number(*output.value, "the value of an output");
      data.outputs.push_back({name, output.unit, std::move(weights)});
    }
  }

  CompiledModel& model_;
  const ModelFolder& folder_;
  const FileStructure& file_;
  GeneratedStructure generated_;
  Index n_ = 0;
};
}  // namespace

GeneratedStructure generated_from(const FileGenerate& made, ModelSpace& space, const SourceText& source) {
  std::map<std::string, double> numbers;
  for (const auto& [name, value] : made.numbers)
    numbers[name.text] = KernelScope(space, nullptr).parse_constant(value, "'" + name.text + "'");
  try {
    return generate_structure(made.shape.text, numbers);
  } catch (const UsageError& e) {
    throw source.error(made.shape.offset, e.what());
  }
}

std::shared_ptr<const StructureData> read_structure(CompiledModel& model, const ModelFolder& folder) {
  return StructureReader(model, folder).read();
}
}  // namespace trill
