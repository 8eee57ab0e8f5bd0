#include "sandbox/workspace.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

namespace patchbay::sandbox {
namespace {

namespace fs = std::filesystem;

class WorkspaceTest : public testing::Test {
 protected:
  WorkspaceTest() {
    char name[] = "/tmp/patchbay-workspace-XXXXXX";
    base_ = ::mkdtemp(name);
    fs::create_directory(base_ / "inside");
    std::ofstream(base_ / "secret") << "secret";
    net::Fd folder(::open((base_ / "inside").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    workspace_ = std::make_unique<Workspace>(std::move(folder));
  }
  ~WorkspaceTest() override { fs::remove_all(base_); }

  void SetUp() override {
    open_how how{};
    how.flags = O_PATH | O_CLOEXEC;
    const net::Fd probe(static_cast<int>(::syscall(SYS_openat2, AT_FDCWD, ".", &how, sizeof how)));
    if (!probe && errno == ENOSYS)
      GTEST_SKIP() << "openat2 is not implemented, as in qemu-user 7.2";
  }

  Code code_of_read(const std::string& path) {
    auto piece = workspace_->read(path, 0, 0, 1 << 20);
    return piece ? Code::internal : piece.error().code;
  }

  fs::path inside() const { return base_ / "inside"; }
  std::string content(const fs::path& path) const {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  fs::path base_;
  std::unique_ptr<Workspace> workspace_;
};

TEST_F(WorkspaceTest, WritesAndReads) {
  ASSERT_TRUE(workspace_->write("/workspace/a/b/c.txt", "hello", false));
  ASSERT_TRUE(workspace_->write("a/b/c.txt", " there", true));
  auto piece = workspace_->read("./a//b/c.txt", 0, 0, 100);
  ASSERT_TRUE(piece) << piece.error().message;
  EXPECT_EQ(piece->bytes, "hello there");
  EXPECT_EQ(content(inside() / "a/b/c.txt"), "hello there");
  ASSERT_TRUE(workspace_->write("a/b/c.txt", "new", false));
  EXPECT_EQ(workspace_->read("a/b/c.txt", 1, 1, 100)->bytes, "e");
  EXPECT_EQ(workspace_->read("a/b/c.txt", 50, 0, 100)->bytes, "");
}

TEST_F(WorkspaceTest, RefusesMoreThanItMayRead) {
  ASSERT_TRUE(workspace_->write("big", std::string(1000, 'x'), false));
  EXPECT_EQ(workspace_->read("big", 0, 0, 999).error().code, Code::too_large);
  EXPECT_EQ(workspace_->read("big", 10, 100, 999)->bytes.size(), 100U);
}

TEST_F(WorkspaceTest, ListsInOrder) {
  ASSERT_TRUE(workspace_->write("z", "12345", false));
  ASSERT_TRUE(workspace_->write("d/x", "", false));
  fs::create_symlink("/etc/passwd", inside() / "link");
  auto entries = workspace_->list("/workspace", 10);
  ASSERT_TRUE(entries);
  ASSERT_EQ(entries->size(), 3U);
  EXPECT_EQ((*entries)[0].name, "d");
  EXPECT_TRUE((*entries)[0].is_dir);
  EXPECT_EQ((*entries)[1].type, "symlink");
  EXPECT_EQ((*entries)[1].size, 0U);
  EXPECT_EQ((*entries)[2].size, 5U);
  EXPECT_EQ(workspace_->list("/workspace", 2).error().code, Code::too_large);
  EXPECT_EQ(workspace_->list("nowhere", 2).error().code, Code::resource_not_found);
}

TEST_F(WorkspaceTest, NoStringLeadsOut) {
  for (const std::string& path :
       {std::string("../secret"), std::string("/workspace/../secret"),
        std::string("a/../../secret"), std::string("/etc/passwd"),
        std::string("/workspacex/secret"), std::string("//etc/passwd"), std::string("/"),
        std::string(""), std::string("a\0b", 3), std::string(5000, 'a'), std::string(300, 'a'),
        std::string("/proc/self/root/etc/passwd"), std::string("..")}) {
    EXPECT_EQ(code_of_read(path), Code::invalid_params) << path;
    EXPECT_FALSE(workspace_->write(path, "x", false)) << path;
    EXPECT_FALSE(workspace_->list(path, 10)) << path;
  }
  // These are names like any other.
  for (const std::string path : {"%2e%2e/secret", "..%2fsecret", "..\\secret", "....//secret"}) {
    EXPECT_EQ(code_of_read(path), Code::resource_not_found) << path;
  }
  EXPECT_EQ(content(base_ / "secret"), "secret");
}

TEST_F(WorkspaceTest, NoLinkLeadsOut) {
  fs::create_symlink(base_ / "secret", inside() / "file");
  fs::create_directory_symlink(base_, inside() / "folder");
  fs::create_symlink("new-one", inside() / "dangling");
  fs::create_hard_link(base_ / "secret", inside() / "hard");
  for (const std::string path : {"file", "folder/secret", "folder/new", "dangling", "hard"}) {
    EXPECT_FALSE(workspace_->read(path, 0, 0, 100)) << path;
    EXPECT_FALSE(workspace_->write(path, "changed", false)) << path;
    EXPECT_FALSE(workspace_->write(path, "changed", true)) << path;
  }
  EXPECT_FALSE(workspace_->list("folder", 10));
  EXPECT_EQ(content(base_ / "secret"), "secret");
  EXPECT_FALSE(fs::exists(base_ / "new"));
  EXPECT_FALSE(fs::exists(inside() / "new-one"));
}

TEST_F(WorkspaceTest, OnlyPlainFiles) {
  ASSERT_EQ(::mkfifo((inside() / "pipe").c_str(), 0600), 0);
  fs::create_directory(inside() / "folder");
  for (const std::string path : {"pipe", "folder"}) {
    EXPECT_EQ(code_of_read(path), Code::invalid_params) << path;  // And at once.
    EXPECT_FALSE(workspace_->write(path, "x", false)) << path;
  }
}

// A process inside repeatedly replaces a folder or a file by a link.
TEST_F(WorkspaceTest, NoRaceLeadsOut) {
  fs::create_directory(inside() / "there");
  std::ofstream(inside() / "there" / "secret") << "harmless";
  fs::create_directory_symlink(base_, inside() / "link");
  std::atomic<bool> done = false;
  std::thread swapper([&] {
    const auto there = (inside() / "there").string();
    const auto link = (inside() / "link").string();
    while (!done) ::syscall(SYS_renameat2, AT_FDCWD, there.c_str(), AT_FDCWD, link.c_str(), 2);
  });
  for (int i = 0; i < 20'000; ++i) {
    auto piece = workspace_->read("there/secret", 0, 0, 100);
    if (piece) ASSERT_EQ(piece->bytes, "harmless");
    auto written = workspace_->write("link/secret", "harmless", false);
  }
  done = true;
  swapper.join();
  EXPECT_EQ(content(base_ / "secret"), "secret");
}

}  // namespace
}  // namespace patchbay::sandbox
