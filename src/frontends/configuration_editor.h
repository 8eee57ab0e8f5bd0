// Changes of the configuration file over the network (console.edit): the text that an admin edits,
// and what becomes of it. Nothing that is changed in this way defines a command, and secrets stay
// on the machine of the gateway.
//
// Callable on any worker.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "async/task.h"
#include "frontends/configuration_view.h"

namespace patchbay::frontends {

// The file as it is now, with masks for its secrets.
struct EditableText {
  std::string text = {};
  std::string tag = {};  // Of this version of the file.
};

struct ConfigurationEdit {
  std::string text = {};
  std::string tag = {};  // Of the version that was edited.
  bool only_checks = false;
  std::string by = {};  // The name of the admin.
};

enum class EditOutcome : std::uint8_t {
  applied,      // The file is written, and the gateway uses it.
  unchanged,    // The text is that of the file, or means the same; comments are written.
  applying,     // It is written, and the reload takes longer than console.apply_timeout.
  permitted,    // It was only checked.
  off,          // console.edit is off.
  stale,        // The file has changed since it was read.
  not_allowed,  // The changes are not for the network.
  faulty,       // The text has faults.
  refused,      // The gateway would not use it, or has not. The file is as before.
  unwritable,   // The file cannot be replaced.
  busy,         // Another change is being applied.
};

struct EditAnswer {
  EditOutcome outcome = EditOutcome::off;
  std::string message = {};               // If it failed.
  std::vector<TextFault> faults = {};     // The same, by line.
  std::vector<std::string> changes = {};  // The settings that differ.
  std::string backup = {};                // Where the file of before is, if it was replaced.
  std::string tag = {};                   // Of the file as it is now; empty: as before.
};

class ConfigurationEditor {
 public:
  virtual ~ConfigurationEditor() = default;
  // Code::forbidden if console.edit is off, Code::unavailable if the text cannot be shown.
  virtual Task<EditableText> text() = 0;
  virtual Task<EditAnswer> edit(ConfigurationEdit edit) = 0;
};

}  // namespace patchbay::frontends
