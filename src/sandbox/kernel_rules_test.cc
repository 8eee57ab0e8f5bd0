#include "sandbox/kernel_rules.h"

#include <gtest/gtest.h>

#include <cerrno>

namespace patchbay::sandbox {
namespace {

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

TEST(KernelRules, NamesAnOldKernel) {
  EXPECT_EQ(openat2_fault(ENOSYS, "5.4.0-150-generic"),
            "this kernel (5.4.0-150-generic) is older than 5.6");
  EXPECT_TRUE(contains(openat2_fault(ENOSYS, "4.19"), "older than 5.6"));
  EXPECT_TRUE(contains(openat2_fault(ENOSYS, ""), "older than 5.6"));
}

TEST(KernelRules, NamesAFilterOfSystemCalls) {
  EXPECT_TRUE(contains(openat2_fault(ENOSYS, "5.6.0"), "RestrictSUIDSGID"));
  EXPECT_TRUE(contains(openat2_fault(ENOSYS, "6.1.0-18-amd64"), "RestrictSUIDSGID"));
  EXPECT_TRUE(contains(openat2_fault(EPERM, "6.12.1"), "seccomp"));
}

TEST(KernelRules, NamesOtherFaults) {
  EXPECT_EQ(openat2_fault(EACCES, "6.1.0"), "Permission denied");
}

TEST(KernelRules, AppArmorRestrictsProgramsWithoutAProfile) {
  EXPECT_TRUE(contains(apparmor_fault("1", "unconfined", false), "apparmor_parser"));
  EXPECT_EQ(apparmor_fault("1", "patchbay (unconfined)", false), "");
  EXPECT_EQ(apparmor_fault("1", "unconfined", true), "");
  EXPECT_EQ(apparmor_fault("0", "unconfined", false), "");
  EXPECT_EQ(apparmor_fault("", "", false), "");
}

}  // namespace
}  // namespace patchbay::sandbox
