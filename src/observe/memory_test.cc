#include "observe/memory.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>

namespace patchbay {
namespace {

constexpr std::size_t kMegabyte = 1 << 20;

#if defined(PATCHBAY_UNCOUNTED_MEMORY)
constexpr bool kIsCounted = false;
#else
constexpr bool kIsCounted = true;
#endif

TEST(Memory, CountsWhatIsAllocatedWhereverThatIs) {
  if (!kIsCounted) GTEST_SKIP() << "the thread sanitizer allocates by itself";
  const auto before = memory::in_use();
  auto text = std::make_unique<std::string>(64 * kMegabyte, 'x');
  EXPECT_GE(memory::in_use(), before + 63 * kMegabyte);
  std::thread([text = std::move(text)] {}).join();
  EXPECT_LE(memory::in_use(), before + kMegabyte) << "freed by another thread";
}

// Frees each block by the size it was asked for, or without a size, as libraries do.
void allocate_and_free(bool with_size) {
  for (std::size_t size = 1; size < 2048; ++size) {
    for (int round = 0; round < 4; ++round) {
      void* const block = ::operator new(size);
      asm volatile("" : : "g"(block) : "memory");
      if (with_size) {
        ::operator delete(block, size);
      } else {
        ::operator delete(block);
      }
    }
  }
}

TEST(Memory, FreesAsMuchAsItCountedForEverySize) {
  if (!kIsCounted) GTEST_SKIP() << "the thread sanitizer allocates by itself";
  // in_use() is never negative: without this, freeing too much would not show.
  const std::string ballast(64 * kMegabyte, 'x');
  asm volatile("" : : "g"(ballast.data()) : "memory");
  const auto before = memory::in_use();
  for (int round = 0; round < 100; ++round) {  // An error of 8 bytes per block adds up.
    allocate_and_free(true);
    allocate_and_free(false);
  }
  const auto after = memory::in_use();
  EXPECT_LE(after, before + kMegabyte);
  EXPECT_GE(after + kMegabyte, before);
}

TEST(Memory, IsShortBeyondTheBound) {
  if (!kIsCounted) GTEST_SKIP() << "the thread sanitizer allocates by itself";
  const auto before = memory::most();
  memory::set_most(memory::in_use() + 32 * kMegabyte);
  EXPECT_FALSE(memory::is_short());
  EXPECT_TRUE(memory::is_short(64 * kMegabyte));
  {
    const std::string text(64 * kMegabyte, 'x');
    asm volatile("" : : "g"(text.data()) : "memory");  // Else the compiler allocates nothing.
    EXPECT_TRUE(memory::is_short());
  }
  EXPECT_FALSE(memory::is_short());
  EXPECT_NE(memory::shortage().message.find("limits.max_memory"), std::string::npos);
  memory::set_most(before);
}

TEST(Memory, TheUsualBoundFollowsTheCgroups) {
  const auto folder = std::filesystem::temp_directory_path() / "patchbay-memory-test";
  std::filesystem::create_directories(folder / "outer" / "inner");
  std::ofstream(folder / "outer" / "memory.max") << "1000\n";
  std::ofstream(folder / "outer" / "inner" / "memory.max") << "max\n";
  EXPECT_EQ(memory::cgroup_limit(folder.c_str(), "/outer/inner", 5000), 1000U);
  EXPECT_EQ(memory::cgroup_limit(folder.c_str(), "/outer/inner", 500), 500U);
  EXPECT_EQ(memory::cgroup_limit(folder.c_str(), "/", 5000), 5000U);
  std::filesystem::remove_all(folder);
  EXPECT_LE(memory::usual_most(), std::size_t{1} << 30);
  EXPECT_GT(memory::usual_most(), 0U);
}

}  // namespace
}  // namespace patchbay
