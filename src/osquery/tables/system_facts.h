// Facts about the machine that more than one table uses. Blocking reads; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "osquery/table.h"

namespace patchbay::osquery {

// 32 hexadecimal digits in the groups of a UUID, upper case; anything else as it is.
std::string as_uuid(std::string_view hex);

// The UUID of the hardware where it may be read, else the ID of the installation.
std::string machine_uuid(const Machine& machine);

// One socket with the processor in it, as /proc/cpuinfo describes it.
struct Processor {
  std::string vendor;
  std::string model;         // The name...
  std::string model_number;  // ...and the number.
  std::string microcode;
  int cores = 0;
  int threads = 0;
  int megahertz = 0;
};

std::vector<Processor> parse_cpuinfo(std::string_view text);

// The value of `key` in lines of KEY=value with optional quotes, as in /etc/os-release.
std::string value_of(std::string_view text, std::string_view key);

}  // namespace patchbay::osquery
