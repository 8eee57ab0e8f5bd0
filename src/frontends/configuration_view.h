// The configuration in force, as admins may see it: each setting with its source, the text of the
// file without its secrets, the reloads, and a check of another text.
//
// Callable on any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace patchbay::frontends {

struct SettingLine {
  std::string path;         // `limits.max_calls`
  std::string value = {};   // For people; empty if it is secret.
  std::string_view source;  // file, environment, option or default.
  int line = 0;             // In the file; 0: it is not there.
  bool secret = false;
};

struct ReloadLine {
  std::int64_t when_ms = 0;  // Since 1970.
  std::string why = {};      // What has caused it.
  bool applied = false;
  std::string digest = {};                // Of the configuration, if it was applied.
  std::vector<std::string> details = {};  // What has changed, or why it was refused.
};

struct ConfigurationPage {
  std::string file = {};  // Empty: there is none, and all settings have their defaults.
  std::string digest = {};
  std::optional<std::string> text = {};  // Of the file, without secrets; nothing: see `no_text`.
  std::string no_text = {};
  std::vector<SettingLine> settings = {};
  std::vector<ReloadLine> reloads = {};  // The newest first.
  bool editable = false;                 // console.edit
};

// What is wrong with a text, or worth knowing.
struct TextFault {
  int line = 0;  // 0: it is about no one line.
  std::string path = {};
  std::string message = {};
};

class ConfigurationView {
 public:
  virtual ~ConfigurationView() = default;
  virtual ConfigurationPage page() const = 0;
  // The JSON Schema of the configuration, for editors.
  virtual const std::string& schema() const = 0;
  // Checks names, types and bounds. Reads no file and no variable that the text names, and runs
  // nothing. Blocks for as long as that takes.
  virtual std::vector<TextFault> check(std::string_view text) const = 0;
};

}  // namespace patchbay::frontends
