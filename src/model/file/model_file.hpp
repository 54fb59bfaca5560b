// SPDX-License-Identifier: BSD-3-Clause
// The content of a model file: its form is checked here, its meaning later.
#pragma once

#include "model/file/beside.hpp"
#include "model/file/csv_table.hpp"
#include "model/file/picture_file.hpp"
#include "trill/base/options.hpp"
#include "trill/model/source_text.hpp"

#include <optional>
#include <string>
#include <vector>

namespace trill {
// A number or an expression, and its place in the file.
struct FileValue {
  SourcePiece piece;
  std::optional<double> number;
  std::string label = {};  // what messages call it; if empty, its text
  ModelError error(std::string_view message) const { return piece.source->error(piece.begin, message); }
};

// One value, or the 2 or 3 parts of a point; then the value itself is only the place of the list.
struct FileValues : FileValue {
  std::vector<FileValue> parts;
  const FileValue& part(int k) const { return parts.empty() ? *this : parts[static_cast<std::size_t>(k)]; }
};

// Names and units are written into the headings of CSV tables, which these characters would break.
inline bool spoils_a_heading(std::string_view text) { return text.find_first_of(",\"\n\r\t") != text.npos; }

// A name that the file chooses, or a word that must be one of a given few.
struct FileText {
  std::string text;
  std::size_t offset = 0;
};

// The target of a force or of a change: "x", "y[i + 1]", "r[i].x". The piece is the same text, for parsing its index.
struct FileTarget : FileText {
  SourcePiece piece;
};

struct FileParameter {
  FileText name;
  FileValue value;
  std::string unit, what;
  Range range;
  bool whole = false;
  std::string complaint(double number) const;  // "" where the parameter may have this value
};

// A column of a set: a list of numbers, one for each element, or an expression.
struct FileColumn {
  FileText name;
  std::vector<double> numbers;
  std::vector<std::size_t> offsets;  // places of the numbers in the file
  std::optional<FileValue> value;    // if given, there is no list
};
// The number of elements is given by a size, or by a file and lists of the same length.
struct FileSet {
  FileText name;
  std::optional<FileValue> size;
  std::optional<FileText> file;
  std::vector<FileColumn> columns;  // those written in the model file itself
  CsvTable table;                   // filled by read_set_tables where a file is named

  std::optional<std::size_t> listed() const;  // the length of the lists
};

struct FileCoordinate {
  FileText name;
  FileValues start;
  std::optional<FileValues> velocity;
  bool open_velocity = false;  // the file says nothing about it, and constraints may determine it
  std::optional<FileValue> mass;
  std::string unit;
  std::optional<FileText> over;
  int point = 0;  // 2 or 3: every element is a point with that many parts
  std::optional<FileValues> exact;
};
struct FileDerived {
  FileText name;
  FileValue value;
  std::optional<FileText> over;
  // If given, the value is over this set and the name stands for the sum over its elements; then `over` is not given.
  std::optional<FileText> summed_over = {};
  bool rate = false;  // the name stands for the time derivative of the value
};

// The equations hold only while this coordinate is small, as the slopes of a beam.
struct FileSmall {
  std::string coordinate, label;
};

// The equations of a body leave out the stiffness that a spin gives it: its angle must turn slower than its lowest
// frequency.
struct FileSlowSpin {
  std::string coordinate, label;
  double frequency;
};

struct FileStiff {
  FileValue gap, stiffness;
  std::optional<FileText> group, over;
  // Directions of one bushing have the same number: those much softer than the stiffest become ordinary forces.
  std::optional<std::size_t> bushing = {};
};
struct FilePotential {
  FileValue energy;
  std::optional<FileText> group, over;
};
struct FileKinetic {
  FileValue energy;
  std::optional<FileText> over;
};
struct FileForce {
  FileTarget on;
  FileValues value;
  std::optional<FileText> group, over;
  std::optional<FileValue>
      along;  // if given, it replaces `on`: the force is `value` times the gradient of this length or angle
};
struct FileConstraint : FileValue {  // the FileValue is its equation
  std::optional<FileText> over;
};
// A name for the multipliers of constraints, one or the parts of a point, or for the forces that are minus these.
struct FileReaction {
  FileText name;
  std::vector<std::size_t> constraints;  // their places in the list of all constraints
  bool opposite = false;
};
struct FileMeasure {
  FileText name;
  FileValue value;
  std::string unit;
  std::optional<FileText> over;
};

struct FileChange {
  FileTarget target;
  FileValue value;
};
struct FileEvent {
  std::size_t offset = 0;
  std::optional<FileText> name;
  FileValue when;
  int direction = 0;  // -1 falling, 0 both, 1 rising
  bool stop = false;
  std::vector<FileChange> then;
};

struct FileHeatBath {
  FileValue friction, temperature;
};

// The equation of one coordinate: x' = value, d/dt of = value, or 0 = value if it is algebraic. There is one for each
// coordinate.
struct FileRate {
  FileText on;
  FileValues value;
  std::optional<FileValues> of = std::nullopt;
  bool algebraic = false;
};

// A vector of a structure: a file, or something on it that has a name, such as the unknown u12.
struct FileVector {
  std::optional<FileText> file, on;  // exactly one of them
};
// vector * value * factor(t), where the factor is an expression or the table of a sampled function.
struct FileLoad {
  std::size_t offset = 0;
  FileVector vector;
  bool ground = false;  // the vector is a motion of the ground, which loads the structure by minus M times it
  std::optional<FileValue> value, factor;
  std::optional<FileText> table;
};
struct FileDamping {
  std::size_t offset = 0;
  std::optional<FileText> matrix;
  std::optional<FileValue> mass, stiffness;  // C = mass M + stiffness K
  std::optional<FileValue> ratio;            // the same, by the ratio of critical damping at two frequencies
  std::vector<FileValue> between;
};
struct FileDashpot {
  FileText on;
  FileValue value;
};
struct FileOutput {
  FileText name;
  FileVector vector;
  std::optional<FileValue> value;
  std::string unit;
};
// Matrices of a body with a simple shape, made and not read.
struct FileGenerate {
  FileText shape;
  std::vector<std::pair<FileText, FileValue>> numbers;
};
// M u'' + C u' + K u = sum of loads, with matrices and vectors from files.
struct FileStructure {
  std::size_t offset = 0;
  std::optional<FileText> mass, stiffness;
  std::optional<FileGenerate> generate;  // instead of both
  std::optional<FileDamping> damping;
  std::vector<FileDashpot> dashpots;
  std::optional<FileText> start, velocity;
  std::vector<FileLoad> loads;
  std::vector<FileOutput> outputs;
  std::optional<FileText> nodes, lines;  // for pictures
};

struct FileRun {
  std::optional<FileValue> to, h, rtol;
  std::optional<FileText> method;
};

struct ModelFile {
  std::string title, reference, equations, time_unit;
  std::vector<FileParameter> parameters;
  std::vector<FileSet> sets;
  std::vector<FileCoordinate> coordinates;
  std::vector<FileDerived> derived;
  std::vector<FileSmall> small;
  std::vector<FileSlowSpin> slow_spins;
  std::vector<FileStiff> stiff;
  std::vector<FilePotential> potentials;
  std::vector<FileKinetic> kinetic;
  std::vector<FileForce> forces;
  std::vector<FileConstraint> constraints;
  std::vector<FileReaction> reactions;
  std::vector<FileMeasure> measures;
  std::vector<FileEvent> events;
  std::optional<FileHeatBath> heat_bath;
  std::vector<FileRate> rates;
  std::optional<FileStructure> structure;
  FilePicture picture;
  FileRun run;
  ModelFolder folder;  // for the tables that expressions name

  // Not all equations are of the form x' = f.
  bool has_charges() const {
    for (const FileRate& rate : rates)
      if (rate.of || rate.algebraic) return true;
    return false;
  }
};

// The source must outlive the result, which points into it.
ModelFile read_model_file(const SourceText& source, const ModelFolder& folder = {});

// Reads the files that sets name into their tables.
void read_set_tables(ModelFile& file, const SourceText& source, const ModelFolder& folder);
}  // namespace trill
