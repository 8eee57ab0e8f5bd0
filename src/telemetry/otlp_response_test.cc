#include "telemetry/otlp_response.h"

#include <gtest/gtest.h>

#include "telemetry/collector.h"

namespace patchbay::telemetry {
namespace {

TEST(OtlpResponse, PartialSuccessIsReadInBothEncodings) {
  const auto json = read_partial_success(
      Encoding::json, R"({"partialSuccess":{"rejectedSpans":"3","errorMessage":"too old"}})");
  EXPECT_EQ(json.rejected, 3U);
  EXPECT_EQ(json.why, "too old");
  const auto numbers =
      read_partial_success(Encoding::json, R"({"partialSuccess":{"rejectedLogRecords":2}})");
  EXPECT_EQ(numbers.rejected, 2U);
  const std::string bytes("\x0A\x07\x08\x05\x12\x03why", 9);
  const auto protobuf = read_partial_success(Encoding::protobuf, bytes);
  EXPECT_EQ(protobuf.rejected, 5U);
  EXPECT_EQ(protobuf.why, "why");
}

TEST(OtlpResponse, ABodyThatIsNotUnderstoodRejectsNothing) {
  for (const std::string& body : {std::string(), std::string("<html>"), std::string("\x0A\x7F\x08"),
                                  std::string("\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF"),
                                  std::string("{\"partialSuccess\":[1")}) {
    EXPECT_EQ(read_partial_success(Encoding::json, body).rejected, 0U);
    EXPECT_EQ(read_partial_success(Encoding::protobuf, body).rejected, 0U);
  }
}

TEST(OtlpResponse, SomeFailuresPass) {
  for (const int status : {429, 502, 503, 504}) EXPECT_TRUE(is_retryable(status)) << status;
  for (const int status : {400, 401, 404, 413, 500, 501}) EXPECT_FALSE(is_retryable(status));
  EXPECT_EQ(read_retry_after("7"), std::chrono::seconds(7));
  EXPECT_EQ(read_retry_after("99999999999"), std::chrono::seconds(86'400));
  EXPECT_EQ(read_retry_after("Wed, 21 Oct 2026 07:28:00 GMT"), std::nullopt);
  EXPECT_EQ(read_retry_after(""), std::nullopt);
}

OtlpSettings settings_with(const std::string& endpoint, const std::string& header) {
  OtlpSettings settings;
  settings.endpoint = endpoint;
  if (!header.empty()) settings.headers.emplace_back(header, "secret");
  return settings;
}

TEST(OtlpCollector, HasAUrlForEachSignal) {
  const auto collector = make_collector(settings_with("http://127.0.0.1:4318/base/", "X-Key"));
  ASSERT_TRUE(collector);
  EXPECT_EQ((*collector)->url(Signal::logs).text(), "http://127.0.0.1:4318/base/v1/logs");
  EXPECT_EQ((*collector)->fields, "X-Key: secret\r\n");
  EXPECT_FALSE((*collector)->exposes_headers);
}

TEST(OtlpCollector, KnowsWhenItsCredentialsAreSentInClear) {
  EXPECT_TRUE((*make_collector(settings_with("http://collector:4318", "X-Key")))->exposes_headers);
  EXPECT_FALSE((*make_collector(settings_with("http://collector:4318", "")))->exposes_headers);
  EXPECT_FALSE(
      (*make_collector(settings_with("https://collector:4318", "X-Key")))->exposes_headers);
}

TEST(OtlpCollector, RefusesWhatCannotBeSent) {
  EXPECT_FALSE(make_collector(settings_with("collector:4318", "")));
  EXPECT_FALSE(make_collector(settings_with("http://collector:4318", "Bad name")));
  const auto own = make_collector(settings_with("http://collector:4318", "content-type"));
  ASSERT_FALSE(own);
  EXPECT_EQ(own.error().message.find("secret"), std::string::npos);
}

}  // namespace
}  // namespace patchbay::telemetry
