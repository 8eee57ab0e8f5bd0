// An edited configuration in which masks stand for secrets (configuration_text.h) gets its secrets
// back. A mask stands for the secret of its setting: one that was moved, copied or written by hand
// stands for nothing and is a fault.
//
// Values only; usable from any thread.
#pragma once

#include <string>
#include <vector>

#include "core/result.h"
#include "frontends/configuration_view.h"

namespace patchbay::app {

struct RestoredText {
  std::string text;
  std::vector<frontends::TextFault> faults;  // With any, the text is not to be used.
};

// `original` is the text of the file `name`, with its secrets; `masked` the same without them, and
// `edited` what somebody has made of that.
RestoredText restore_secrets(const std::string& original, const std::string& masked,
                             const std::string& edited, const std::string& name);

}  // namespace patchbay::app
