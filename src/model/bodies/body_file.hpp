// SPDX-License-Identifier: BSD-3-Clause
// The part of a model file that describes mechanisms: bodies, beams, and what joins, drives and loads them. A body has
// a frame; everything else refers to places, which are points of frames. Bodies in three dimensions would need other
// frames but no other concepts.
#pragma once

#include "model/bodies/reduced_body.hpp"
#include "model/file/table_reader.hpp"

#include <array>

namespace trill {
// A point of a body or of the ground. It has an angle as well: that of the frame there.
struct FilePlace {
  std::size_t offset = 0;
  FileText body;                   // "": the ground
  std::optional<FileValue> index;  // if the body is defined over a set
  FileText point;                  // the name of one of the body's points; "": none
  std::optional<FileValues> at;    // position in the frame of the body; if not given, the origin of the frame
};

// Position and velocity of a frame at the start.
struct FileStart {
  FileText point;  // the point of the body that position and velocity refer to; "": the origin of its frame
  std::optional<FileValues> position, velocity;
  std::optional<FileValue> angle, angular_velocity;
};

struct FileBodyPoint {
  FileText name;
  FileValues at;
};
struct FileBody {
  FileText name;
  FileValue mass, inertia;
  FileStart start;
  std::string unit;
  std::optional<FileText> over;
  std::vector<FileBodyPoint> points;
};
// A slender beam that bends: cubic Hermite elements in a frame that is tangent to it at its base.
struct FileBeam {
  FileText name;
  FileValue length, mass, stiffness, elements;
  FileStart start;
  std::string unit;
  std::optional<FileText> group;  // the force group of its bending
  bool shortening = true;         // bending brings its points nearer to the base
};

// A flexible body with few coordinates, from a .body file.
struct FileReduced {
  FileText name, file;
  ReducedBody body;
  FileStart start;
  std::string unit;
  std::optional<FileText> group;  // the force group of its stiffness
  bool stiffening = true;         // centrifugal forces stiffen it
};

// What acts between two places.
struct FileLink {
  std::size_t offset = 0;
  FileText name;      // generated if the file gives none
  std::string label;  // for messages: "joint 'elbow'", "joint 2"
  FilePlace from, to;
  std::optional<FileText> over, group;
};
enum class JointKind { revolute, prismatic, rigid, distance, point_on_line };
struct FileJoint : FileLink {
  JointKind kind = JointKind::revolute;
  std::optional<FileValue> angle = {}, length = {};
  std::optional<FileValues> axis = {};
};
struct FileSpring : FileLink {
  FileValue stiffness;
  std::optional<FileValue> rest = {};  // rest length or rest angle
  bool rotational = false, stiff = false;
};
struct FileDamper : FileLink {
  FileValue damping;
  bool rotational = false;
};
struct FileBushing : FileLink {
  FileValues stiffness;  // along, across, turning
  std::optional<FileValues> damping = {};
  std::optional<FileValue> angle = {};
  std::optional<std::array<bool, 3>> stiff = {};  // which directions are stiff; if not given, it follows from numbers
};
struct FileLoadOnBody : FileLink {
  FileValues value;  // a force, or a torque with a single part
};
struct FileDriver : FileLink {
  FileValue of, value;
};

struct FileGravity {
  FileValues acceleration;
  std::optional<FileText> group;
};

struct BodyFile {
  std::vector<FileBody> bodies;
  std::vector<FileBeam> beams;
  std::vector<FileReduced> reduced;
  std::vector<FileJoint> joints;
  std::vector<FileSpring> springs;
  std::vector<FileDamper> dampers;
  std::vector<FileBushing> bushings;
  std::vector<FileLoadOnBody> forces, torques;
  std::vector<FileDriver> drivers;
  std::optional<FileGravity> gravity;
};

// Reads all sections but [[force]], which a file may have without bodies.
BodyFile read_body_file(const SourceText& source, TableReader& root, const ModelFolder& folder);
FileLoadOnBody read_force_at(const SourceText& source, TableReader& reader, std::size_t number);

// Translates the bodies to coordinates, constraints, gaps, energies and forces.
void expand_bodies(const BodyFile& bodies, const SourceText& source, ModelFile& file);
}  // namespace trill
