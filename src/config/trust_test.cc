// Tests of who may change a file. Those with foreign owners need root, which may give files away.
#include "config/trust.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace patchbay::config {
namespace {

constexpr uid_t kStranger = 12345;
constexpr gid_t kForeign = 12346;

class Trust : public ::testing::Test {
 protected:
  Trust() {
    std::string name = std::filesystem::temp_directory_path() / "patchbay-trust-XXXXXX";
    root_ = ::mkdtemp(name.data());
    std::filesystem::create_directory(path("folder"));
    std::ofstream(path("folder/file")) << "text";
    chmod("folder", 0755);
    chmod("folder/file", 0644);
  }
  ~Trust() override { std::filesystem::remove_all(root_); }

  std::string path(const std::string& name) const { return root_ / name; }
  void chmod(const std::string& name, mode_t mode) const {
    ASSERT_EQ(::chmod(path(name).c_str(), mode), 0);
  }
  void chown(const std::string& name, uid_t user, gid_t group) const {
    ASSERT_EQ(::lchown(path(name).c_str(), user, group), 0);
  }
  void expect_fault(const std::string& part, const std::string& name = "folder/file") const {
    const std::string fault = untrusted_writers(path(name));
    EXPECT_NE(fault.find(part), std::string::npos) << '"' << fault << '"';
  }
  void expect_fine(const std::string& name = "folder/file") const {
    EXPECT_EQ(untrusted_writers(path(name)), "");
  }

  std::filesystem::path root_;
};

TEST_F(Trust, IsOwnersAndRootsAlone) {
  expect_fine();
  chmod("folder/file", 0664);  // The primary group of this process.
  expect_fine();
  chmod("folder/file", 0646);
  expect_fault("may be changed by anyone; chmod o-w " + path("folder/file"));
}

TEST_F(Trust, LooksAtTheFolders) {
  chmod("folder", 0777);
  expect_fault(fmt::format(
      "may be replaced by anyone, who may write to the folder {0}; chmod o-w {0}", path("folder")));
  chmod("folder", 01777);  // As /tmp is.
  expect_fine();
  chmod("folder", 0755);
  chmod("", 0777);
  expect_fault("chmod o-w " + root_.string());
}

TEST_F(Trust, FollowsLinks) {
  std::filesystem::create_directory(path("links"));
  std::filesystem::create_symlink("../folder/file", path("links/link"));
  std::filesystem::create_symlink(path("links/link"), path("second"));
  expect_fine("second");
  chmod("links", 0777);
  expect_fault("write to the folder " + path("links"), "second");
  chmod("links", 0755);
  chmod("folder/file", 0666);
  expect_fault("chmod o-w " + path("folder/file"), "second");
  std::filesystem::create_symlink(path("circle"), path("circle"));
  expect_fine("circle");  // Reading it will fail, and say why.
}

TEST_F(Trust, IgnoresMissingFiles) {
  expect_fine("folder/none");
  expect_fine("none/none");
}

TEST_F(Trust, IsNoStrangers) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root gives files away";
  chown("folder/file", kStranger, 0);
  expect_fault(fmt::format("belongs to the user {}", kStranger));
  chown("folder/file", 0, kForeign);
  expect_fine();
  chmod("folder/file", 0664);
  expect_fault(fmt::format("may be changed by the group {}; chmod g-w", kForeign));
  chmod("folder/file", 0644);
  chown("folder", kStranger, 0);
  expect_fault(fmt::format("may be replaced by the user {}", kStranger));
  chown("folder", 0, kForeign);
  chmod("folder", 0775);
  expect_fault(fmt::format("by the group {}, who may write to the folder", kForeign));
  chmod("folder", 01777);
  std::filesystem::create_symlink(path("folder/file"), path("folder/link"));
  chown("folder/link", kStranger, 0);
  expect_fault("is reached by the link " + path("folder/link"), "folder/link");
}

}  // namespace
}  // namespace patchbay::config
