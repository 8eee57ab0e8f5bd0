// Whether another user could change a file that the gateway trusts: by writing to it, or by
// replacing it. Checks the file, each folder of its path and each symbolic link. Blocks on the file
// system: for start, reload and commands.
//
// Trusted are root, the user that runs the process, and the primary group of the process. Write
// permission of anyone else is a fault. In a folder with the sticky bit, such as /tmp, only the
// owner of an entry can replace it, so an entry of a trusted user is fine there. Read-only mounts
// cannot be changed.
#pragma once

#include <string>

namespace patchbay::config {

// A sentence that follows the name of the file and has the remedy; empty if no other user can
// change the file, or if it does not exist.
std::string untrusted_writers(const std::string& path);

}  // namespace patchbay::config
