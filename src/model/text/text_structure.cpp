// SPDX-License-Identifier: BSD-3-Clause
#include "model/text/text_structure.hpp"

#include "model/expression/derivative.hpp"
#include "model/expression/switching.hpp"
#include "model/file/matrix_market.hpp"

#include <cmath>

#include <Eigen/SparseCholesky>
#include <fmt/format.h>

namespace trill {
namespace {
class StructureReader {
 public:
  StructureReader(CompiledModel& model, const ModelFolder& folder)
      : model_(model), folder_(folder), file_(*model.file.structure) {}

  std::shared_ptr<const StructureData> read() {
    auto data = std::make_shared<StructureData>();
    data->mass = matrix(file_.mass);
    n_ = data->mass.rows();
    if (n_ == 0 || data->mass.cols() != n_)
      throw error(file_.mass, "a mass matrix must be square and have at least one row");
    data->stiffness = matching(file_.stiffness);
    data->damping = file_.damping ? matching(*file_.damping) : SpMat(n_, n_);
    data->has_potential = data->damping.nonZeros() == 0 && is_symmetric(data->stiffness);
    check_mass(data->mass);
    data->load = file_.load ? vector(file_.load->vector) : Vec::Zero(n_);
    data->start = file_.start ? vector(*file_.start) : Vec::Zero(n_);
    data->velocity = file_.velocity ? vector(*file_.velocity) : Vec::Zero(n_);
    read_factor(*data);
    return data;
  }

 private:
  ModelError error(const FileText& at, std::string_view message) const {
    return model_.source.error(at.offset, message);
  }
  std::string text(const FileText& name) const {
    return folder_.read(name.text, model_.source, name.offset, most_matrix_bytes);
  }
  SpMat matrix(const FileText& name) const { return read_matrix_market(name.text, text(name)); }
  SpMat matching(const FileText& name) const {
    SpMat m = matrix(name);
    if (m.rows() != n_ || m.cols() != n_)
      throw error(name, fmt::format("{} is {} x {}, but the mass matrix is {} x {}; they must have the same size",
                                    name.text, m.rows(), m.cols(), n_, n_));
    return m;
  }
  Vec vector(const FileText& name) const {
    Vec v = read_vector_market(name.text, text(name));
    if (v.size() != n_)
      throw error(name, fmt::format("{} has {} rows, but the mass matrix has {}; they must be equally many", name.text,
                                    v.size(), n_));
    return v;
  }
  static bool is_symmetric(const SpMat& m) {
    const SpMat transposed = m.transpose();
    return (m - transposed).norm() <= 1e-10 * m.norm();
  }
  void check_mass(const SpMat& mass) const {
    const Eigen::SimplicialLLT<SpMat> factors(mass);
    if (factors.info() != Eigen::Success || !is_symmetric(mass))
      throw error(file_.mass, "a mass matrix must be symmetric and positive definite, and this one is not");
  }
  void read_factor(StructureData& data) const {
    KernelScope scope(*model_.space, nullptr);
    Expression e = scope.graph().number(1);
    if (file_.load && file_.load->factor) e = scope.parse(*file_.load->factor);
    data.steady = !depends_on(scope.graph(), e, SymbolKind::time);
    const Expression outputs[] = {e};
    data.factor = Program(scope.graph(), outputs);
    Evaluator at_start(data.factor);
    at_start.evaluate({.parameters = model_.space->parameter_values().data()});
    if (!std::isfinite(at_start[0]))
      throw file_.load->factor->error(
          fmt::format("the factor of the load is {} at the start, where it must be finite", at_start[0]));
    const auto function = [&](Expression part) {
      return TimeFunction(scope.graph(), part, [&](SymbolKind, int parameter) {
        return model_.space->parameter_values()[static_cast<std::size_t>(parameter)];
      });
    };
    for (const Expression part : time_parts(scope.graph(), outputs)) data.factor_parts.push_back(function(part));
    for (const SwitchingFunction& s : switching_functions(scope.graph(), outputs))
      data.switches.push_back(function(s.when));
  }

  CompiledModel& model_;
  const ModelFolder& folder_;
  const FileStructure& file_;
  Index n_ = 0;
};

double form(const SpMat& a, In x) {  // x^T A x
  double sum = 0;
  for (Index j = 0; j < a.outerSize(); ++j)
    for (SpMat::InnerIterator it(a, j); it; ++it) sum += x[it.row()] * it.value() * x[j];
  return sum;
}
}  // namespace

std::shared_ptr<const StructureData> read_structure(CompiledModel& model, const ModelFolder& folder) {
  return StructureReader(model, folder).read();
}

TextStructure::TextStructure(std::shared_ptr<const CompiledModel> model, std::shared_ptr<const StructureData> data)
    : model_(std::move(model)), data_(std::move(data)), factor_(data_->factor) {}

double TextStructure::factor(double t) const {
  factor_.evaluate({.t = t, .parameters = model_->space->parameter_values().data()});
  return factor_[0];
}

std::vector<double> TextStructure::breakpoints(double t0, double t1) const {
  std::vector<double> times;
  for (TimeFunction when : data_->switches) {
    const std::vector<double> found = when.sign_changes(t0, t1);
    times.insert(times.end(), found.begin(), found.end());
  }
  return times;
}

std::vector<TimeMark> TextStructure::time_marks(double t0, double t1) const {
  std::vector<ActiveStretch> all;
  for (const TimeFunction& part : data_->factor_parts) {
    const std::vector<ActiveStretch> found = active_stretches(part, t0, t1);
    all.insert(all.end(), found.begin(), found.end());
  }
  return marks_of(all);
}

void TextStructure::load(double t, Out f) const { f = factor(t) * data_->load; }

std::vector<Quantity> TextStructure::components() const {
  std::vector<Quantity> all;
  for (const char* letter : {"u", "vu"})
    for (Index i = 1; i <= data_->mass.rows(); ++i) all.push_back({fmt::format("{}{}", letter, i), ""});
  return all;
}

State TextStructure::initial_state() const {
  State s(layout(), model_->begin);
  s.q() = data_->start;
  s.v() = data_->velocity;
  return s;
}

std::optional<double> TextStructure::potential(Groups groups, double t, In q) const {
  if (!data_->has_potential) return std::nullopt;
  return groups & 1 ? 0.5 * form(data_->stiffness, q) - factor(t) * data_->load.dot(q) : 0;
}

void TextStructure::measure(const State& s, Out values) const {
  values[0] = 0.5 * (form(data_->mass, s.v()) + form(data_->stiffness, s.q())) - factor(s.t) * data_->load.dot(s.q());
}
}  // namespace trill
