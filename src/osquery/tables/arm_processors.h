// What the numbers in /proc/cpuinfo on arm64 stand for: the kernel names neither the maker of a
// core nor its model there, as it does on x86. Values only; usable from any thread.
#pragma once

#include <string>
#include <string_view>

namespace patchbay::osquery {

// The maker for a `CPU implementer` such as 0x41; the number itself if it is not known.
std::string arm_vendor(std::string_view implementer);

// The model for a `CPU implementer` and a `CPU part` such as 0xd0c; the part if it is not known.
std::string arm_model(std::string_view implementer, std::string_view part);

}  // namespace patchbay::osquery
