#include "telemetry/signal_url.h"

#include <gtest/gtest.h>

namespace patchbay::telemetry {
namespace {

TEST(SignalUrl, HasThePathOfItsSignal) {
  EXPECT_EQ(signal_url("http://127.0.0.1:4318", "traces")->text(),
            "http://127.0.0.1:4318/v1/traces");
  EXPECT_EQ(signal_url("https://otel.example/base/", "logs")->text(),
            "https://otel.example/base/v1/logs");
  EXPECT_FALSE(signal_url("https://otel.example/?key=1", "logs"));
  EXPECT_FALSE(signal_url("otel.example", "logs"));
}

}  // namespace
}  // namespace patchbay::telemetry
