// SPDX-License-Identifier: BSD-3-Clause
// What a picture of a mechanism shows, collected while its parts are translated.
#pragma once

#include "model/bodies/body_expansion.hpp"

#include <map>

namespace trill {
class BodyPicture {
 public:
  explicit BodyPicture(ModelWriter& writer) : writer_(writer) {}

  void add_body(const FileBody& body);
  // Something is attached to this point of a single body.
  void attach(const std::string& body, const PlaceTexts& at) { attached_[body].push_back(at); }
  void add_beam(const FileBeam& beam);
  void add_joint(const FileJoint& joint, const PlaceTexts& from);
  void add_between(PictureKind kind, const FileLink& link, const PlaceTexts& from);
  void finish();  // writes the bodies, in front of which everything else is drawn

 private:
  void add(PictureKind kind, const std::vector<PlaceTexts>& points, std::size_t offset,
           const std::optional<FileText>& over);

  ModelWriter& writer_;
  std::vector<const FileBody*> bodies_;
  std::map<std::string, std::vector<PlaceTexts>> attached_;
};
}  // namespace trill
