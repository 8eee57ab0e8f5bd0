#include "sandbox/disks.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "sandbox/mounts.h"

namespace patchbay::sandbox {
namespace {

namespace fs = std::filesystem;

TEST(Mounts, ReadsLinesOfTheKernel) {
  const auto mounts = parse_mounts(
      "27 1 254:0 / / rw,relatime - ext4 /dev/vda rw,discard\n"
      "rubbish\n"
      "30 27 0:26 /sub /with\\040blank\\134 rw shared:1 master:2 - tmpfs some\\011thing "
      "rw,size=4k\n"
      "1 2 3\n - \n - ext4\n");
  ASSERT_EQ(mounts.size(), 2U);
  EXPECT_EQ(mounts[0].device, "254:0");
  EXPECT_EQ(mounts[0].type, "ext4");
  EXPECT_EQ(mounts[0].options, (std::vector<std::string>{"rw", "discard"}));
  EXPECT_EQ(mounts[1].root, "/sub");
  EXPECT_EQ(mounts[1].point, "/with blank\\");
  EXPECT_EQ(mounts[1].source, "some\tthing");
}

// A folder that looks like /sys: two disks with partitions, one made of others, one without media.
class FakeSys : public testing::Test {
 protected:
  FakeSys() {
    char name[] = "/tmp/patchbay-sys-XXXXXX";
    base_ = ::mkdtemp(name);
    add("sda", "8:0", "1000");
    add("sda/sda1", "8:1", "400");
    add("sda/sda2", "8:2", "500");
    add("vdb", "254:16", "1000");
    add("vdb/vdb1", "254:17", "1000");
    add("dm-0", "253:0", "500");
    add("sr0", "11:0", "0");
  }
  ~FakeSys() override { fs::remove_all(base_); }

  void add(const std::string& path, const std::string& number, const std::string& size) {
    const auto folder = base_ / "devices" / path;
    fs::create_directories(folder);
    std::ofstream(folder / "dev") << number << "\n";
    std::ofstream(folder / "size") << size << "\n";
    const bool part = path.contains('/');
    if (part) std::ofstream(folder / "partition") << "1\n";
    std::vector<fs::path> links{base_ / "dev/block" / number,
                                base_ / "class/block" / folder.filename()};
    if (!part) links.push_back(base_ / "block" / folder.filename());
    for (const auto& link : links) {
      fs::create_directories(link.parent_path());
      fs::create_directory_symlink(folder, link);
    }
  }

  // The names of the disks below the paths, with blanks between them; or the error.
  std::string below(const std::vector<std::string>& paths, std::string_view mountinfo) {
    const auto found = find_disks(paths, mountinfo, base_);
    if (!found) return found.error().message;
    std::string all;
    for (const auto& disk : *found) {
      all += (all.empty() ? "" : " ") + disk.name + "=" + disk.number;
    }
    return all;
  }

  fs::path base_;
};

constexpr std::string_view kPlain =
    "20 1 8:2 / / rw - ext4 /dev/sda2 rw\n"
    "21 20 0:20 / /tmp rw - tmpfs tmpfs rw\n"
    "22 20 254:17 / /srv/data rw - xfs /dev/vdb1 rw\n"
    "23 20 253:0 / /home rw - ext4 /dev/mapper/home rw\n"
    "24 20 0:24 / /net rw - nfs4 server:/x rw\n"
    "25 20 0:25 / /sshfs rw - fuse.sshfs host: rw\n";

TEST_F(FakeSys, PartitionsAreTheirDisk) {
  EXPECT_EQ(below({"/usr", "/bin"}, kPlain), "sda=8:0");
  EXPECT_EQ(below({"/srv/data/x"}, kPlain), "vdb=254:16");
  EXPECT_EQ(below({"/srv/database"}, kPlain), "sda=8:0");  // Not below /srv/data.
  EXPECT_EQ(below({"/home/me"}, kPlain), "dm-0=253:0");
}

TEST_F(FakeSys, WhatIsMountedBeneathIsSeenToo) {
  EXPECT_EQ(below({"/srv"}, kPlain), "vdb=254:16 sda=8:0");
}

TEST_F(FakeSys, MemoryAndOtherMachinesHaveNone) {
  EXPECT_EQ(below({"/tmp/x", "/net", "/sshfs"}, kPlain), "");
  EXPECT_EQ(below({}, kPlain), "");
}

TEST_F(FakeSys, TheLastOfSeveralAtOnePoint) {
  const std::string over = std::string(kPlain) + "30 22 8:1 / /srv/data rw - ext4 /dev/sda1 rw\n";
  EXPECT_EQ(below({"/srv/data/x"}, over), "sda=8:0");
}

TEST_F(FakeSys, BtrfsHasAllItsDevices) {
  EXPECT_EQ(below({"/usr"}, "20 1 0:19 /@ / rw - btrfs /dev/sda2 rw\n"), "sda=8:0");
  for (const char* const member : {"sda2", "vdb1"}) {
    fs::create_directories(base_ / "fs/btrfs/1234/devices" / member);
  }
  fs::create_directories(base_ / "fs/btrfs/features");
  EXPECT_EQ(below({"/usr"}, "20 1 0:19 /@ / rw - btrfs /dev/sda2 rw\n"), "sda=8:0 vdb=254:16");
}

TEST_F(FakeSys, AnUnknownDiskMeansAllOfThem) {
  EXPECT_EQ(below({"/usr"}, "20 1 0:19 / / rw - overlay overlay rw,lowerdir=/a,upperdir=/b\n"),
            "dm-0=253:0 sda=8:0 vdb=254:16");
  EXPECT_EQ(below({"/usr"}, "20 1 0:19 / / rw - zfs pool/root rw\n"),
            "dm-0=253:0 sda=8:0 vdb=254:16");
}

TEST_F(FakeSys, ReportsUnknownDisks) {
  EXPECT_NE(below({"/usr"}, "20 1 9:7 / / rw - ext4 /dev/md7 rw\n")
                .find("cannot find the disk below /: "),
            std::string::npos);
  fs::remove_all(base_ / "block");
  EXPECT_NE(below({"/usr"}, "20 1 0:19 / / rw - overlay overlay rw\n")
                .find("cannot find the disk below / (overlay)"),
            std::string::npos);
}

}  // namespace
}  // namespace patchbay::sandbox
