// Whether somebody else could change a file that the gateway trusts: by writing to it, or by
// putting another in its place. The file, each folder on the way to it and each symbolic link are
// looked at. Blocks on the file system: for start, reload and commands.
//
// Trusted are root, the user that runs the process, and the primary group of the process. Write
// permission of anyone else is a fault. In a folder with the sticky bit, such as /tmp, only the
// owner of an entry can replace it, so there an entry of a trusted user is fine. What is mounted
// read-only cannot be changed.
#pragma once

#include <string>

namespace patchbay::config {

// A sentence that fits behind the name of the file and says what to do; empty if nobody else can
// change it, or if it is not there.
std::string untrusted_writers(const std::string& path);

}  // namespace patchbay::config
