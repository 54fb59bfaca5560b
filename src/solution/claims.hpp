// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/folder.hpp"

#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <thread>

namespace trill {
struct ClaimTimes {
  double beat = 5, patience = 60;    // seconds
  std::function<double()> now = {};  // seconds from any beginning; empty: the steady clock
};

// Who works on which of many files in one folder. A claim is a small file in a folder beside them that can be created
// only once; it names its process, which touches it again and again while it works. A claim is abandoned if its process
// is gone or, where it runs on another machine, if nobody has touched it for a while. Both work where locks do not
// reach other machines, and no clocks are compared: how long a claim has not changed is measured by whoever waits. A
// claim that is not released stays when the process ends, and so says that the work was not completed.
class Claims {
 public:
  explicit Claims(const std::filesystem::path& folder_of_files, ClaimTimes times = {});
  Claims(const Claims&) = delete;
  Claims& operator=(const Claims&) = delete;
  ~Claims();

  enum class Taken { fresh, from_a_dead_process, not_at_all };
  Taken take(const std::string& name);
  void release(const std::string& name);           // its work is complete
  bool is_claimed(const std::string& name) const;  // by anybody
  bool sees_others() const { return sees_others_; }

  // The text that the first process of all that share the folder gave under this name.
  std::string agree(const std::string& name, const std::string& text) const;
  void forget(const std::string& name) const;  // what was agreed on

 private:
  struct Seen {
    std::string text;
    double changed_ns, since;
  };
  std::shared_ptr<const Folder> folder() const;  // nullptr: there is none
  std::shared_ptr<const Folder> made_folder() const;
  Descriptor create(const std::string& name, const std::string& text) const;
  bool is_abandoned(const std::string& name, std::string& text);
  bool remove_that(const std::string& name, const std::string& text) const;
  void beat();

  std::filesystem::path around_;
  ClaimTimes times_;
  std::map<std::string, Descriptor> held_;
  std::map<std::string, Seen> seen_;
  bool sees_others_ = false;
  std::mutex mutex_;
  std::condition_variable_any ends_;
  std::jthread beating_;
};
}  // namespace trill
