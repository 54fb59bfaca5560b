// SPDX-License-Identifier: BSD-3-Clause
// A text model ready to be evaluated. It is constant and shared by all clones of a problem.
#pragma once

#include "model/text/model_functions.hpp"
#include "trill/problem/mechanical.hpp"
#include "trill/problem/model_registry.hpp"

namespace trill {
struct ParameterChange {
  int parameter = 0;
  double value = 0;
};
struct CompiledEvent {
  EventInfo info;
  std::vector<ParameterChange> parameters;
  std::vector<Index> places;  // entries of (q, v) that the event sets
  bool at_a_time = false;     // it happens at a time that is known beforehand
};
// Where formulas of forces and constraints change.
struct CompiledSwitch {
  std::string name;
  bool at_a_time = false;
};

// The entry of v that should stay below a frequency, see FileSlowSpin.
struct SlowSpin {
  std::string label;
  Index entry;
  double frequency;
};
// Entries of q that must stay small, and what messages call them.
struct SmallCoordinates {
  std::string label;
  Index first = 0, count = 0;
};

struct CompiledModel {
  // The text and what was read from it outlive the kernels that point into them.
  CompiledModel(std::string file, std::string text) : source(std::move(file), std::move(text)) {}

  SourceText source;
  ModelFile file;
  std::unique_ptr<ModelSpace> space;
  std::unique_ptr<ModelFunctions> functions;

  ModelInfo info;
  std::vector<Quantity> measures;
  MassKind mass_kind = MassKind::identity;
  Vec mass;          // masses of the coordinates, in addition to what [[kinetic]] terms give
  double begin = 0;  // the time of the start
  Vec start, velocity;
  std::vector<GroupInfo> groups;
  std::vector<bool> conservative, velocity_dependent;  // for each group
  std::vector<Drag> drag;
  Groups gap_groups = 0;  // groups of the gaps; 0 if other forces share one of them
  Vec stiffness;          // for each gap
  std::vector<Groups> group_of_gap;
  Vec multipliers;  // at the start
  std::vector<SmallCoordinates> small;
  std::vector<SlowSpin> slow_spins;
  bool has_closed_form = false;
  bool has_reactions = false;            // some forces depend on multipliers
  bool measures_accelerations = false;   // some measures depend on them
  double friction = 0, temperature = 0;  // for the heat bath
  std::vector<CompiledEvent> events;     // those of the file
  std::vector<CompiledSwitch> switches;  // numbered after the events of the file
  std::vector<int> changing;             // parameters that events change; a state's mode says by which event, 0: none
  std::vector<std::string> warnings, remarks;  // remarks: what was done without being asked for
};

// `given` replaces parameters of the file.
void compile_model(CompiledModel& model, const OptionSet& given);

// Titles and [run].
ModelInfo read_info(const ModelFile& file, ModelSpace& space);

// The line of the file that a gap or constraint comes from, and for which element of a set.
struct RowPlace {
  const FileValue* value = nullptr;
  std::string element;  // "" or " for element 3 of 'bond'"
};
RowPlace row_place(const ModelFunctions& functions, int selection, Index row);
}  // namespace trill
