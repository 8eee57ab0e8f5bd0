// The section `telemetry`: what is exported over OTLP, and which calls become spans. Values only.
#pragma once

#include <cstdint>
#include <string>

#include "config/settings.h"
#include "net/tls/settings.h"
#include "observe/log.h"

namespace patchbay::telemetry {

enum class Encoding : std::uint8_t { protobuf, json };
enum class Content : std::uint8_t { none, full };

struct OtlpSettings {
  std::string endpoint;
  Encoding encoding = Encoding::protobuf;
  config::Dict<std::string> headers;
  net::TlsClientSettings tls;
  config::Duration timeout{10'000};
  config::Duration retry_timeout{300'000};
  config::Duration initial_retry_interval{1'000};
  config::Duration max_retry_interval{30'000};

  bool operator==(const OtlpSettings&) const = default;
};

struct TraceSettings {
  bool enabled = true;
  double sample_ratio = 1;
  bool follow_parent = true;
  bool failed_calls = true;
  config::Duration slow_call_threshold{1'000};
  Content content = Content::none;
  config::Bytes max_content_size{4 << 10};
  int max_queued_calls = 4'096;
  config::Duration interval{1'000};

  bool operator==(const TraceSettings&) const = default;
};

struct MetricSettings {
  bool enabled = true;
  config::Duration interval{60'000};

  bool operator==(const MetricSettings&) const = default;
};

struct LogSettings {
  bool enabled = true;
  config::Bytes max_queue_size{1 << 20};
  config::Duration interval{1'000};

  bool operator==(const LogSettings&) const = default;
};

struct Settings {
  OtlpSettings otlp;
  TraceSettings traces;
  MetricSettings metrics;
  LogSettings logs;
  std::string service_name{"patchbay"};
  config::Dict<std::string> resource;
  int max_recent_calls = 500;
  int max_history_upstreams = 200;

  bool operator==(const Settings&) const = default;
};

}  // namespace patchbay::telemetry

namespace patchbay {

template <>
inline constexpr auto config::choices<telemetry::Encoding> = std::array{
    Choice{"protobuf", telemetry::Encoding::protobuf},
    Choice{"json", telemetry::Encoding::json},
};

template <>
inline constexpr auto config::choices<telemetry::Content> = std::array{
    Choice{"none", telemetry::Content::none},
    Choice{"full", telemetry::Content::full},
};

template <>
const config::Fields& config::fields<telemetry::OtlpSettings>();

template <>
const config::Fields& config::fields<telemetry::TraceSettings>();

template <>
const config::Fields& config::fields<telemetry::MetricSettings>();

template <>
const config::Fields& config::fields<telemetry::LogSettings>();

template <>
const config::Fields& config::fields<telemetry::Settings>();

}  // namespace patchbay
