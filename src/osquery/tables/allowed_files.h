// Which files the tables `file` and `hash` may list: those below the allowed folders, where links
// count by their target. Blocking; any thread.
#pragma once

#include <functional>
#include <string>

#include "net/io/fd.h"
#include "osquery/table.h"

namespace patchbay::osquery {

// A file that was found, through its open folder.
struct FoundFile {
  const std::string& path;
  int folder;
  const std::string& name;  // In the folder; empty for the folder itself.
};

// Calls `visit` for each file that the query names by path, LIKE or directory, and that is allowed,
// until it yields false. An Error if the query names none.
Result<void> each_file(Scan& scan, int path_column, int directory_column,
                       const std::function<bool(const FoundFile&)>& visit);

// Opens a regular file for reading, following links only to allowed targets.
net::Fd open_allowed(const Machine& machine, const FoundFile& file);

// The folder in a LIKE pattern before its first `%`. As in osquery, `_` is literal, since names are
// full of it.
std::string_view fixed_folder(std::string_view pattern);

}  // namespace patchbay::osquery
