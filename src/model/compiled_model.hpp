// SPDX-License-Identifier: BSD-3-Clause
// A text model ready to be evaluated: constant, and shared by all clones of a problem.
#pragma once

#include "model_file.hpp"
#include "trill/model/program.hpp"
#include "trill/problem/mechanical.hpp"
#include "trill/problem/model_registry.hpp"

namespace trill {
// Where an output of a program belongs in a matrix.
struct MatrixEntry {
  Index row = 0, column = 0;
  std::size_t output = 0;
};

struct MatrixProgram {
  Program program;
  std::vector<MatrixEntry> entries;
};

// The terms of one force group, or of all together.
struct CompiledForces {
  Program energy;  // one output
  Program force;   // one output for each coordinate
  MatrixProgram by_position, by_velocity;
  bool conservative = true, velocity_dependent = false;
};

// g(q, t) and its derivatives.
struct CompiledMap {
  Index count = 0, unknowns = 0;
  Program value, time_derivative, curvature;
  MatrixProgram jacobian, transpose_derivative;
};

struct CompiledModel {
  ModelInfo info;
  std::vector<Parameter> parameters;
  std::vector<Quantity> coordinates, measures;
  Vec mass, start, velocity;
  std::vector<GroupInfo> groups;
  std::vector<CompiledForces> group_forces;
  CompiledForces all_forces;
  CompiledMap gaps, constraints;
  Vec stiffness;  // of the gaps
  Program measure;
  Vec multipliers;  // at the start
};

// `given` replaces parameters of the file.
CompiledModel compile_model(const SourceText& source, const ModelFile& file, const OptionSet& given);
}  // namespace trill
