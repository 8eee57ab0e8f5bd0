#include "sandbox/cgroup.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

namespace patchbay::sandbox {
namespace {

namespace fs = std::filesystem;

const Disks kNoDisks = std::vector<Disk>();
const Disks kTwoDisks = std::vector<Disk>{{"8:0", "sda"}, {"254:16", "vdb"}};

TEST(CgroupPaths, VersionOneInHierarchiesOfTheirOwn) {
  const auto paths = read_cgroup_paths(
      "9:name=systemd:/\n8:pids:/\n4:memory:/api/d2fd\n3:cpuset:/\n1:cpu,cpuacct:/\n0::/\n",
      "30 25 0:26 / /sys/fs/cgroup/cpu rw,relatime shared:9 - cgroup cgroup rw,cpu,cpuacct\n"
      "31 25 0:27 / /sys/fs/cgroup/memory rw shared:10 - cgroup cgroup rw,memory\n"
      "32 25 0:28 / /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids\n"
      "33 25 0:29 / /proc rw - proc proc rw\n");
  const std::vector<CgroupPath> expected{{"/sys/fs/cgroup/pids", {"pids"}},
                                         {"/sys/fs/cgroup/memory/api/d2fd", {"memory"}},
                                         {"/sys/fs/cgroup/cpu", {"cpu"}}};
  EXPECT_EQ(paths, expected);
}

TEST(CgroupPaths, VersionTwo) {
  const auto paths =
      read_cgroup_paths("0::/user.slice/app.scope\n",
                        "24 20 0:22 / /sys/fs/cgroup rw shared:4 - cgroup2 cgroup2 rw\n");
  ASSERT_EQ(paths.size(), 1U);
  EXPECT_EQ(paths[0].folder, "/sys/fs/cgroup/user.slice/app.scope");
  EXPECT_TRUE(paths[0].unified);
  EXPECT_EQ(paths[0].mount, "/sys/fs/cgroup");
}

TEST(CgroupPaths, InAContainerThatShowsOnlyItsOwn) {
  const auto paths =
      read_cgroup_paths("4:memory:/docker/abc/sub\n8:pids:/elsewhere\n",
                        "1 0 0:1 /docker/abc /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n"
                        "2 0 0:2 /docker/abc /sys/fs/cgroup/pids ro - cgroup cgroup rw,pids\n");
  ASSERT_EQ(paths.size(), 1U);
  EXPECT_EQ(paths[0].folder, "/sys/fs/cgroup/memory/sub");
}

TEST(CgroupPaths, Rubbish) {
  EXPECT_TRUE(read_cgroup_paths("", "").empty());
  EXPECT_TRUE(read_cgroup_paths("memory\n::\n4:memory\n", "1 2 3\n - \n - cgroup\n").empty());
}

// A folder that looks like a cgroup of version 2, where files must be there to be written.
class FakeCgroup : public testing::Test {
 protected:
  FakeCgroup() {
    char name[] = "/tmp/patchbay-cgroup-XXXXXX";
    base_ = ::mkdtemp(name);
  }
  ~FakeCgroup() override { fs::remove_all(base_); }
  fs::path base_;
};

TEST_F(FakeCgroup, NamesTheBoundThatIsMissing) {
  // mkdir works but no file of the kernel appears, as where a controller is not enabled.
  const std::vector<CgroupPath> paths{{base_, {"memory", "pids", "cpu"}, true}};
  Limits limits;
  auto made = Cgroup::make(paths, "one", limits, kNoDisks);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, Code::unavailable);
  EXPECT_NE(made.error().message.find("the limit 'memory' cannot be set"), std::string::npos)
      << made.error().message;
  EXPECT_FALSE(fs::exists(base_ / "one"));  // Nothing is left behind.

  EXPECT_NE(made.error().message.find("not_required: [memory, "), std::string::npos);

  limits.not_required = {Bound::memory, Bound::swap, Bound::cpu};
  made = Cgroup::make(paths, "one", limits, kNoDisks);
  ASSERT_FALSE(made);
  EXPECT_NE(made.error().message.find("'pids'"), std::string::npos) << made.error().message;
}

// Everything except `io`, the subject of the test.
Limits only_io() {
  Limits limits;
  limits.not_required = {Bound::memory, Bound::swap, Bound::pids, Bound::cpu};
  limits.io = {{1 << 20}, {2 << 20}, 30, 0};
  return limits;
}

TEST(CgroupFiles, DisksInEitherVersion) {
  using Files = std::vector<BoundFile>;
  const auto about_io = [](bool unified, const Limits& limits, const Disks& disks) {
    auto files = bound_files(unified, limits, disks);
    std::erase_if(files, [](const BoundFile& one) { return one.bound != Bound::io; });
    return files;
  };
  const auto limits = only_io();
  EXPECT_EQ(about_io(true, limits, kTwoDisks),
            (Files{{Bound::io, "io", "io.max", "8:0 rbps=1048576 wbps=2097152 riops=30"},
                   {Bound::io, "io", "io.max", "254:16 rbps=1048576 wbps=2097152 riops=30"}}));
  EXPECT_EQ(about_io(false, limits, std::vector<Disk>{{"8:0", "sda"}}),
            (Files{{Bound::io, "blkio", "blkio.throttle.read_bps_device", "8:0 1048576"},
                   {Bound::io, "blkio", "blkio.throttle.write_bps_device", "8:0 2097152"},
                   {Bound::io, "blkio", "blkio.throttle.read_iops_device", "8:0 30"}}));
  EXPECT_TRUE(about_io(true, limits, kNoDisks).empty());
  EXPECT_TRUE(about_io(true, limits, Error{Code::unavailable, "unknown"}).empty());
  auto none = limits;
  none.io = {{}, {}, 0, 0};
  EXPECT_TRUE(about_io(true, none, kTwoDisks).empty());
}

TEST_F(FakeCgroup, NamesTheBoundOfDisks) {
  const auto limits = only_io();
  // The controller is missing; it exists but its file does not; the disks are unknown.
  auto made = Cgroup::make({{base_, {"memory"}, true}}, "one", limits, kTwoDisks);
  ASSERT_FALSE(made);
  EXPECT_NE(made.error().message.find("the limit 'io' cannot be set here: the controller 'io'"),
            std::string::npos)
      << made.error().message;
  EXPECT_NE(made.error().message.find("not_required: [io]"), std::string::npos);
  made = Cgroup::make({{base_, {"io"}, true}}, "one", limits, kTwoDisks);
  ASSERT_FALSE(made);
  EXPECT_NE(made.error().message.find("one/io.max"), std::string::npos) << made.error().message;
  made = Cgroup::make({{base_, {"io"}, true}}, "one", limits,
                      Error{Code::unavailable, "cannot find the disk below /x"});
  ASSERT_FALSE(made);
  EXPECT_NE(made.error().message.find("'io' cannot be set here: cannot find the disk below /x"),
            std::string::npos)
      << made.error().message;
  EXPECT_TRUE(fs::is_empty(base_));

  // A folder in which nothing can be made.
  made = Cgroup::make({{base_ / "absent", {"blkio"}}}, "one", limits, kTwoDisks);
  ASSERT_FALSE(made);
  EXPECT_NE(made.error().message.find("'io' cannot be set here: cannot make"), std::string::npos)
      << made.error().message;
}

TEST_F(FakeCgroup, DoesWithoutTheBoundOfDisksIfItMay) {
  auto limits = only_io();
  limits.not_required.push_back(Bound::io);
  for (const auto& disks : {kTwoDisks, Disks(Error{Code::unavailable, "cannot tell"})}) {
    auto made = Cgroup::make({{base_, {"io"}, true}}, "one", limits, disks);
    ASSERT_TRUE(made);
    EXPECT_FALSE(made->holds(Bound::io));
    EXPECT_TRUE(made->clear(0));
  }
}

TEST_F(FakeCgroup, MakesRoomAtTheTopWhereOtherProcessesAre) {
  fs::create_directory(base_ / "session");
  std::ofstream(base_ / "session/cgroup.procs") << "1\n2\n";  // No subtree_control: not allowed.
  std::ofstream(base_ / "cgroup.subtree_control") << "";
  std::vector<CgroupPath> paths{{base_ / "session", {"memory", "pids"}, true, base_}};
  make_room(paths);
  EXPECT_EQ(paths[0].folder, base_);
  // Where it is permitted, nothing is moved.
  std::ofstream(base_ / "session/cgroup.subtree_control") << "";
  paths = {{base_ / "session", {"memory", "pids"}, true, base_}};
  make_room(paths);
  EXPECT_EQ(paths[0].folder, base_ / "session");
}

TEST_F(FakeCgroup, SweepsWhatTheDeadHaveLeft) {
  const std::string own = next_cgroup_name();
  EXPECT_NE(own, next_cgroup_name());
  // A pid that no process has, one of a process that started at another time, one of another pid
  // namespace, of which one is in use; and other names.
  const auto numbers = own.substr(0, own.find('-'));
  const auto later = fmt::format("{}-{}-1-1", numbers, ::getpid());
  const std::string used = "patchbay_1-1-1-1";
  for (const auto& name : {own, later, numbers + "-999999999-1-1", std::string("patchbay_2-1-1-1"),
                           used, std::string("patchbay"), std::string("x")}) {
    fs::create_directory(base_ / name);
  }
  std::ofstream(base_ / used / "cgroup.procs") << "";
  sweep_cgroups({{base_, {"memory"}, true}});
  std::set<std::string> left;
  for (const auto& entry : fs::directory_iterator(base_)) left.insert(entry.path().filename());
  EXPECT_EQ(left, (std::set<std::string>{own, used, "patchbay", "x"}));
}

TEST_F(FakeCgroup, ReadsWhatVersionTwoCounts) {
  fs::create_directory(base_ / "two");
  const Cgroup two({base_ / "two"});
  std::ofstream(base_ / "two/memory.events") << "low 0\noom 3\noom_kill 2\n";
  std::ofstream(base_ / "two/pids.events") << "max 7\n";
  std::ofstream(base_ / "two/memory.peak") << "4096\n";
  std::ofstream(base_ / "two/cpu.stat") << "usage_usec 12\nuser_usec 3\n";
  const auto usage = two.usage();
  EXPECT_EQ(usage.out_of_memory, 2U);
  EXPECT_EQ(usage.pids_refused, 7U);
  EXPECT_EQ(usage.memory_peak, 4096U);
  EXPECT_EQ(usage.cpu_us, 12U);
}

TEST_F(FakeCgroup, NamesABoundThatNobodyHas) {
  Limits limits;
  auto made = Cgroup::make({}, "one", limits, kNoDisks);
  ASSERT_FALSE(made);
  EXPECT_NE(made.error().message.find("the controller 'memory' is not there"), std::string::npos);
  limits.not_required = {Bound::memory, Bound::swap, Bound::pids, Bound::cpu};
  made = Cgroup::make({}, "one", limits, kNoDisks);
  ASSERT_TRUE(made);
  EXPECT_EQ(made->bounds(), std::vector{Bound::io});  // There is nothing to bound.
  limits.io = {{}, {}, 0, 0};
  made = Cgroup::make({}, "one", limits, kNoDisks);
  ASSERT_TRUE(made);
  EXPECT_TRUE(made->bounds().empty());
}

}  // namespace
}  // namespace patchbay::sandbox
