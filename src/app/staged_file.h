// A StagedFile is a new version of a file, beside it, until it takes its place: as a whole or not
// at all.
//
// Blocks on the file system: for the control thread and commands.
#pragma once

#include <sys/stat.h>

#include <optional>
#include <string>
#include <string_view>

#include "core/result.h"

namespace patchbay::app {

// Writes everything, and has it stored.
Result<void> write_and_sync(int fd, std::string_view text, const std::string& path);

class StagedFile {
 public:
  struct Owner {
    uid_t user;
    gid_t group;
  };
  struct Form {
    mode_t mode;
    bool exact = false;               // Whatever the umask is.
    std::optional<Owner> owner = {};  // Absent: that of the process.
  };

  // For the file `path`, which need not exist. What an earlier process has left is replaced.
  static Result<StagedFile> make(const std::string& path, std::string_view text, const Form& form);

  StagedFile(StagedFile&& other) noexcept;
  StagedFile& operator=(StagedFile&&) = delete;
  ~StagedFile();

  // Has the ending of the file, so that it is read in the same way.
  const std::string& name() const { return name_; }

  // It takes the place of the file, even if the machine stops now.
  Result<void> commit();

 private:
  StagedFile(std::string path, std::string name);

  std::string path_;
  std::string name_;  // Empty: it is in its place, or moved.
};

}  // namespace patchbay::app
