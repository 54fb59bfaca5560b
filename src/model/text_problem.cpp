// SPDX-License-Identifier: BSD-3-Clause
#include "trill/model/text_problem.hpp"

#include "compiled_model.hpp"

#include <cmath>
#include <fstream>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr Index most_dense = 32;  // matrices of larger systems are sparse

void add_entries(const MatrixProgram& matrix, const Evaluator& values, MatrixSlot& slot) {
  for (const MatrixEntry& e : matrix.entries) slot.add(e.row, e.column, values[e.output]);
}

MatrixSlot pattern_of(const MatrixProgram& matrix, Index rows, Index columns) {
  if (rows <= most_dense && columns <= most_dense) return MatrixSlot::dense(rows, columns);
  std::vector<Eigen::Triplet<double>> places;
  for (const MatrixEntry& e : matrix.entries) places.emplace_back(e.row, e.column, 1.0);
  SpMat pattern(rows, columns);
  pattern.setFromTriplets(places.begin(), places.end());
  return MatrixSlot::sparse(pattern);
}

class TextMap final : public ConstraintMap {
 public:
  explicit TextMap(const CompiledMap& map)
      : map_(map),
        value_(map.value),
        time_derivative_(map.time_derivative),
        curvature_(map.curvature),
        jacobian_(map.jacobian.program),
        transpose_derivative_(map.transpose_derivative.program) {}
  Index count() const override { return map_.count; }
  MatrixSlot pattern() const override { return pattern_of(map_.jacobian, map_.count, map_.unknowns); }
  void value(double t, In q, Out g) const override { fill(value_, {.t = t, .q = q.data()}, g); }
  void jacobian(double t, In q, MatrixSlot& G) const override {
    G.set_zero();
    jacobian_.evaluate({.t = t, .q = q.data()});
    add_entries(map_.jacobian, jacobian_, G);
  }
  void time_derivative(double t, In q, Out gt) const override { fill(time_derivative_, {.t = t, .q = q.data()}, gt); }
  void curvature(double t, In q, In v, Out eta) const override {
    fill(curvature_, {.t = t, .q = q.data(), .v = v.data()}, eta);
  }
  void transpose_derivative(double t, In q, In s, MatrixSlot& d) const override {
    d.set_zero();
    transpose_derivative_.evaluate({.t = t, .q = q.data(), .multipliers = s.data()});
    add_entries(map_.transpose_derivative, transpose_derivative_, d);
  }

 private:
  static void fill(Evaluator& evaluator, const ProgramInputs& inputs, Out values) {
    evaluator.evaluate(inputs);
    for (Index k = 0; k < values.size(); ++k) values[k] = evaluator[static_cast<std::size_t>(k)];
  }

  const CompiledMap& map_;
  mutable Evaluator value_, time_derivative_, curvature_, jacobian_, transpose_derivative_;
};

// The programs of one group with their registers.
struct ForceEvaluators {
  explicit ForceEvaluators(const CompiledForces& f)
      : forces(&f),
        energy(f.energy),
        force(f.force),
        by_position(f.by_position.program),
        by_velocity(f.by_velocity.program) {}
  const CompiledForces* forces;
  Evaluator energy, force, by_position, by_velocity;
};

class TextProblem final : public MechanicalProblem {
 public:
  explicit TextProblem(std::shared_ptr<const CompiledModel> model)
      : model_(std::move(model)),
        all_(model_->all_forces),
        gaps_(model_->gaps),
        constraints_(model_->constraints),
        measure_(model_->measure),
        strong_{&gaps_, model_->stiffness} {
    for (const CompiledForces& f : model_->group_forces) groups_.emplace_back(f);
    known_ = known_groups(*this);
  }
  TextProblem(const TextProblem&) = delete;
  TextProblem& operator=(const TextProblem&) = delete;

  std::string name() const override { return model_->info.name; }
  std::unique_ptr<Problem> clone() const override { return std::make_unique<TextProblem>(model_); }
  Layout layout() const override { return {unknowns(), unknowns(), model_->constraints.count, 0}; }
  std::vector<Parameter> parameters() const override { return model_->parameters; }
  std::vector<Quantity> components() const override {
    std::vector<Quantity> all = model_->coordinates;
    for (const Quantity& q : model_->coordinates) all.push_back({"v" + q.name, ""});
    const Index count = model_->constraints.count;
    for (Index k = 1; k <= count; ++k) all.push_back({count == 1 ? "lambda" : fmt::format("lambda{}", k), ""});
    return all;
  }
  State initial_state() const override {
    State s(layout());
    s.q() = model_->start;
    s.v() = model_->velocity;
    s.lambda() = model_->multipliers;
    return s;
  }

  MassKind mass_kind() const override {
    return (model_->mass.array() == 1).all() ? MassKind::identity : MassKind::diagonal;
  }
  void mass(In, MatrixSlot& m) const override {
    m.set_zero();
    for (Index i = 0; i < unknowns(); ++i) m.add(i, i, model_->mass[i]);
  }

  std::vector<GroupInfo> groups() const override { return model_->groups; }
  void force(Groups groups, double t, In q, In v, Out f) const override {
    const ProgramInputs inputs{.t = t, .q = q.data(), .v = v.data()};
    double* out = f.data();
    const auto n = static_cast<std::size_t>(unknowns());
    if ((groups & known_) == known_) {
      all_.force.evaluate(inputs);
      for (std::size_t k = 0; k < n; ++k) out[k] = all_.force[k];
      return;
    }
    f.setZero();
    each(groups, [&](ForceEvaluators& g) {
      g.force.evaluate(inputs);
      for (std::size_t k = 0; k < n; ++k) out[k] += g.force[k];
    });
  }
  MatrixSlot stiffness_pattern() const override {
    return pattern_of(model_->all_forces.by_position, unknowns(), unknowns());
  }
  MatrixSlot damping_pattern() const override {
    if (!model_->all_forces.velocity_dependent) return MatrixSlot::sparse(SpMat(unknowns(), unknowns()));
    return pattern_of(model_->all_forces.by_velocity, unknowns(), unknowns());
  }
  bool force_jacobian(Groups groups, double t, In q, In v, MatrixSlot& dq, MatrixSlot& dv) const override {
    const ProgramInputs inputs{.t = t, .q = q.data(), .v = v.data()};
    dq.set_zero();
    dv.set_zero();
    each(groups, [&](ForceEvaluators& g) {
      g.by_position.evaluate(inputs);
      add_entries(g.forces->by_position, g.by_position, dq);
      g.by_velocity.evaluate(inputs);
      add_entries(g.forces->by_velocity, g.by_velocity, dv);
    });
    return true;
  }
  bool velocity_dependent(Groups groups) const override {
    bool found = false;
    each(groups, [&](ForceEvaluators& g) { found = found || g.forces->velocity_dependent; });
    return found;
  }
  std::optional<double> potential(Groups groups, double t, In q) const override {
    double sum = 0;
    bool conservative = true;
    each(groups, [&](ForceEvaluators& g) {
      conservative = conservative && g.forces->conservative;
      g.energy.evaluate({.t = t, .q = q.data()});
      sum += g.energy[0];
    });
    return conservative ? std::optional(sum) : std::nullopt;
  }
  const ConstraintMap* constraints() const override { return constraints_.count() > 0 ? &constraints_ : nullptr; }
  const StrongPotential* strong_potential() const override { return gaps_.count() > 0 ? &strong_ : nullptr; }

  // Where forces act that no potential gives, the energy is an observable and no invariant.
  std::vector<Quantity> quantities() const override {
    std::vector<Quantity> all{{"energy", ""}};
    all.insert(all.end(), model_->measures.begin(), model_->measures.end());
    return all;
  }
  void measure(const State& s, Out values) const override {
    const auto v = s.y.segment(unknowns(), unknowns());
    all_.energy.evaluate({.t = s.t, .q = s.y.data()});
    values[0] = 0.5 * v.cwiseAbs2().dot(model_->mass) + all_.energy[0];
    measure_.evaluate({.t = s.t, .q = s.y.data(), .v = s.y.data() + unknowns()});
    for (std::size_t k = 0; k < model_->measures.size(); ++k) values[static_cast<Index>(k) + 1] = measure_[k];
  }

 private:
  Index unknowns() const { return model_->start.size(); }
  template <class Use>
  void each(Groups wanted, Use use) const {
    Groups bit = 1;
    for (ForceEvaluators& group : groups_) {
      if (wanted & bit) use(group);
      bit <<= 1;
    }
  }

  std::shared_ptr<const CompiledModel> model_;
  mutable std::vector<ForceEvaluators> groups_;
  mutable ForceEvaluators all_;
  TextMap gaps_, constraints_;
  mutable Evaluator measure_;
  StrongPotential strong_;
  Groups known_ = 0;
};

// lambda from M a + G^T lambda = f, G a + eta = 0; the start must lie on the constraints.
Vec multipliers_at_start(const CompiledModel& model, const ModelFile& file) {
  const TextMap map(model.constraints);
  const Index count = map.count(), n = model.start.size();
  Vec g(count), gt(count), eta(count), f(n);
  MatrixSlot slot = MatrixSlot::dense(count, n);
  map.value(0, model.start, g);
  map.jacobian(0, model.start, slot);
  map.time_derivative(0, model.start, gt);
  map.curvature(0, model.start, model.velocity, eta);
  const Mat& G = slot.as_dense();
  const Vec rate = G * model.velocity + gt;
  for (Index k = 0; k < count; ++k) {
    const FileValue& place = file.constraints[static_cast<std::size_t>(k)];
    const double size = G.row(k).norm();
    if (!(std::abs(g[k]) <= 1e-8 * size * (1 + model.start.norm())))
      throw place.error(fmt::format("the start does not lie on this constraint: it is {:.6g} there, not 0", g[k]));
    if (!(std::abs(rate[k]) <= 1e-8 * size * (1 + model.velocity.norm())))
      throw place.error(
          fmt::format("the velocities at the start leave this constraint: its rate is {:.6g} there, not 0", rate[k]));
  }
  const Mat scaled = G * model.mass.cwiseInverse().asDiagonal() * G.transpose();
  const auto rank = Eigen::ColPivHouseholderQR<Mat>(G.transpose()).rank();
  if (rank < count)
    throw file.constraints.back().error(
        fmt::format("the constraints depend on each other at the start: {} of {} are independent", rank, count));
  Evaluator force(model.all_forces.force);
  force.evaluate({.t = 0, .q = model.start.data(), .v = model.velocity.data()});
  for (Index i = 0; i < n; ++i) f[i] = force[static_cast<std::size_t>(i)] / model.mass[i];
  return scaled.ldlt().solve(G * f + eta);
}
}  // namespace

TextModel read_model(const std::string& file, const std::string& text, const OptionSet& parameters) {
  const SourceText source(file, text);
  if (text.size() > most_model_bytes)
    throw source.error(fmt::format("has {} bytes; a model has at most {}", text.size(), most_model_bytes));
  const ModelFile content = read_model_file(source);
  auto model = std::make_shared<CompiledModel>();
  try {
    *model = compile_model(source, content, parameters);
    if (model->constraints.count > 0) model->multipliers = multipliers_at_start(*model, content);
  } catch (const ExpressionLimit& limit) {
    throw source.error(limit.what());
  }
  model->info.name = std::filesystem::path(file).stem().string();
  if (model->info.title.empty()) model->info.title = model->info.name;
  return {model->info, text, std::make_unique<TextProblem>(model)};
}

TextModel load_model(const std::filesystem::path& path, const OptionSet& parameters) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error))
    throw IoError(fmt::format("cannot read {}: {}", path.string(), error ? error.message() : "it is not a file"));
  const auto size = std::filesystem::file_size(path, error);
  if (!error && size > most_model_bytes)
    throw ModelError(fmt::format("{}: has {} bytes; a model has at most {}", path.string(), size, most_model_bytes));
  std::ifstream in(path, std::ios::binary);
  std::string text(static_cast<std::size_t>(size), '\0');
  if (!in.read(text.data(), static_cast<std::streamsize>(text.size())))
    throw IoError(fmt::format("cannot read {}", path.string()));
  return read_model(path.string(), text, parameters);
}

bool is_model_file(const std::string& model) {
  std::error_code error;
  return model.ends_with(".toml") ||
         (model.find('/') != std::string::npos && std::filesystem::is_regular_file(model, error));
}
}  // namespace trill
