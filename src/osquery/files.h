// Reading the small files of the kernel and the system. Every read is bounded. Blocking: for the
// threads of queries only.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "net/io/fd.h"

namespace patchbay::osquery {

inline constexpr std::size_t kMostFile = std::size_t{64} << 20;

// The content of a file, as far as it can be read; empty if it cannot.
std::string read_file(const std::string& path);
std::string read_file_at(int folder, const char* name);

// The same with one read, into reused memory: for what the kernel returns whole, such as stat and
// status of a process. False if it cannot be read.
bool read_whole_at(int folder, const char* name, std::string& into);

// The first line of a file without its end.
std::string read_line(const std::string& path);

// The target of a link; empty if there is none.
std::string read_link_at(int folder, const char* name);

net::Fd open_folder(const std::string& path);
net::Fd open_folder_at(int folder, const char* name);

// The names in a folder, sorted; without `.` and `..`.
std::vector<std::string> names_in(const std::string& folder);

}  // namespace patchbay::osquery
