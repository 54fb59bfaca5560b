// SPDX-License-Identifier: BSD-3-Clause
// What stands in a model file, checked for its shape and not yet for its meaning.
#pragma once

#include "trill/model/source_text.hpp"

#include <optional>
#include <string>
#include <vector>

namespace trill {
// A number or an expression, and where it stands.
struct FileValue {
  SourcePiece piece;
  std::optional<double> number;
  ModelError error(std::string_view message) const { return piece.source->error(piece.begin, message); }
};

// A name that the file chooses, or a word that must be one of some.
struct FileText {
  std::string text;
  std::size_t offset = 0;
};

struct FileParameter {
  FileText name;
  FileValue value;
  std::string unit, what;
};
struct FileCoordinate {
  FileText name;
  FileValue start;
  std::optional<FileValue> velocity, mass;
  std::string unit;
};
struct FileDerived {
  FileText name;
  FileValue value;
};
struct FileStiff {
  FileValue gap, stiffness;
  std::optional<FileText> group;
};
struct FilePotential {
  FileValue energy;
  std::optional<FileText> group;
};
struct FileForce {
  FileText on;
  FileValue value;
  std::optional<FileText> group;
};
struct FileMeasure {
  FileText name;
  FileValue value;
  std::string unit;
};
struct FileRun {
  std::optional<FileValue> to, h, rtol;
  std::string method;
};

struct ModelFile {
  std::string title, reference;
  std::vector<FileParameter> parameters;
  std::vector<FileCoordinate> coordinates;
  std::vector<FileDerived> derived;
  std::vector<FileStiff> stiff;
  std::vector<FilePotential> potentials;
  std::vector<FileForce> forces;
  std::vector<FileValue> constraints;
  std::vector<FileMeasure> measures;
  FileRun run;
};

// The source must outlive the result, which points into it.
ModelFile read_model_file(const SourceText& source);
}  // namespace trill
