// Runs every harness of fuzz/ over its seeds, without a fuzzer, so that harnesses always build and
// inputs that once revealed a fault are checked again. CMake gives each harness a unique name.

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#define HARNESS(name) extern "C" int fuzz_##name(const std::uint8_t* data, std::size_t size);
#include "fuzz_harnesses.inc"
#undef HARNESS

namespace {

struct Harness {
  const char* name;
  int (*run)(const std::uint8_t* data, std::size_t size);
};

constexpr Harness kHarnesses[] = {
#define HARNESS(name) {#name, fuzz_##name},
#include "fuzz_harnesses.inc"
#undef HARNESS
};

std::string name_of(const testing::TestParamInfo<Harness>& info) { return info.param.name; }

class FuzzSeeds : public testing::TestWithParam<Harness> {};

TEST_P(FuzzSeeds, Hold) {
  const Harness& harness = GetParam();
  EXPECT_EQ(harness.run(nullptr, 0), 0);
  const auto folder = std::filesystem::path(PATCHBAY_FUZZ_CORPUS) / harness.name;
  ASSERT_TRUE(std::filesystem::is_directory(folder)) << folder << " has no seeds";
  for (const auto& seed : std::filesystem::directory_iterator(folder)) {
    SCOPED_TRACE(seed.path());
    std::ifstream file(seed.path(), std::ios::binary);
    const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
    EXPECT_EQ(harness.run(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()), 0);
  }
}

INSTANTIATE_TEST_SUITE_P(All, FuzzSeeds, testing::ValuesIn(kHarnesses), name_of);

}  // namespace
