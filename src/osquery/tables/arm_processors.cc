#include "osquery/tables/arm_processors.h"

#include <algorithm>
#include <span>

namespace patchbay::osquery {
namespace {

struct Named {
  std::string_view number;
  std::string_view name;
};

constexpr std::string_view kArm = "0x41";

constexpr Named kVendors[] = {
    {kArm, "ARM"},         {"0x42", "Broadcom"}, {"0x43", "Cavium"}, {"0x46", "FUJITSU"},
    {"0x48", "HiSilicon"}, {"0x4e", "NVIDIA"},   {"0x50", "APM"},    {"0x51", "Qualcomm"},
    {"0x61", "Apple"},     {"0x69", "Intel"},    {"0xc0", "Ampere"},
};

// Designs of ARM itself, which many others make.
constexpr Named kArmParts[] = {
    {"0xd03", "Cortex-A53"},  {"0xd04", "Cortex-A35"},  {"0xd05", "Cortex-A55"},
    {"0xd07", "Cortex-A57"},  {"0xd08", "Cortex-A72"},  {"0xd09", "Cortex-A73"},
    {"0xd0a", "Cortex-A75"},  {"0xd0b", "Cortex-A76"},  {"0xd0c", "Neoverse-N1"},
    {"0xd40", "Neoverse-V1"}, {"0xd41", "Cortex-A78"},  {"0xd44", "Cortex-X1"},
    {"0xd46", "Cortex-A510"}, {"0xd47", "Cortex-A710"}, {"0xd48", "Cortex-X2"},
    {"0xd49", "Neoverse-N2"}, {"0xd4a", "Neoverse-E1"}, {"0xd4f", "Neoverse-V2"},
};

std::string name_in(std::span<const Named> table, std::string_view number) {
  const auto found = std::ranges::find(table, number, &Named::number);
  return std::string(found == table.end() ? number : found->name);
}

}  // namespace

std::string arm_vendor(std::string_view implementer) { return name_in(kVendors, implementer); }

std::string arm_model(std::string_view implementer, std::string_view part) {
  return implementer == kArm ? name_in(kArmParts, part) : std::string(part);
}

}  // namespace patchbay::osquery
