// Code that reads foreign bytes takes work that grows linearly with their number. Each harness of
// fuzz/ gets its worst known inputs (testing/worst_inputs.h), each at a size and at four times that
// size, and the work is counted, not timed (testing/work_count.h; docs/decisions/0022).
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "testing/work_count.h"
#include "testing/worst_inputs.h"

#define HARNESS(name) extern "C" int fuzz_##name(const std::uint8_t* data, std::size_t size);
#include "fuzz_harnesses.inc"
#undef HARNESS

namespace patchbay::testing {
namespace {

struct Harness {
  std::string_view name;
  int (*run)(const std::uint8_t* data, std::size_t size);
};

constexpr Harness kHarnesses[] = {
#define HARNESS(name) {#name, fuzz_##name},
#include "fuzz_harnesses.inc"
#undef HARNESS
};

// Several steps: what a limit ends may grow too fast before it does.
constexpr std::size_t kSizes[] = {8 << 10, 32 << 10, 128 << 10};
// Four, and some more for sorting.
constexpr double kMost = 5;

std::uint64_t work_of(const Harness& harness, const std::string& input) {
  const auto* const data = reinterpret_cast<const std::uint8_t*>(input.data());
  const std::uint64_t before = work_count();
  harness.run(data, input.size());
  return work_count() - before;
}

class Complexity : public ::testing::TestWithParam<WorstInput> {};

TEST_P(Complexity, IsLinear) {
  const WorstInput& row = GetParam();
  const auto* const harness = std::ranges::find(kHarnesses, row.harness, &Harness::name);
  ASSERT_NE(harness, std::end(kHarnesses)) << "there is no harness " << row.harness;
  work_of(*harness, row.make(kSizes[0]));  // Objects that are created once are created now.
  std::uint64_t before = 0;
  for (const std::size_t size : kSizes) {
    const std::uint64_t work = work_of(*harness, row.make(size));
    if (before > 0) {
      EXPECT_LE(static_cast<double>(work), kMost * static_cast<double>(before))
          << size << " bytes of '" << row.name << "' take " << work << " steps, a quarter of that "
          << before;
    }
    before = work;
    if (HasFailure()) break;
  }
}

std::string name_of(const ::testing::TestParamInfo<WorstInput>& info) {
  std::string name = std::string(info.param.harness) + "_" + info.param.name;
  std::ranges::replace(name, ' ', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(All, Complexity, ::testing::ValuesIn(worst_inputs()), name_of);

TEST(WorkCount, KnowsAWorstInputOfEachHarness) {
  for (const Harness& harness : kHarnesses) {
    EXPECT_TRUE(std::ranges::any_of(
        worst_inputs(), [&](const WorstInput& row) { return row.harness == harness.name; }))
        << "testing/worst_inputs.cc has no row for fuzz/" << harness.name << ".cc";
  }
}

// Without the instrumentation nothing would be counted, and everything would be linear.
TEST(WorkCount, CountsWork) {
  const auto* const cursor =
      std::ranges::find(kHarnesses, std::string_view("json_cursor"), &Harness::name);
  EXPECT_GT(work_of(*cursor, "[" + std::string(9'999, ' ') + "]"), 10'000U);
}

}  // namespace
}  // namespace patchbay::testing
