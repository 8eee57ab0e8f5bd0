#include "telemetry/settings.h"

#include "config/fields.h"

namespace patchbay {

template <>
const config::Fields& config::fields<telemetry::OtlpSettings>() {
  static const Fields kFields = fields_of<telemetry::OtlpSettings>({
      {"endpoint", &telemetry::OtlpSettings::endpoint,
       "URL of an OpenTelemetry collector, such as http://127.0.0.1:4318; /v1/traces, "
       "/v1/metrics and /v1/logs are added to it. Empty: nothing is exported."},
      {"encoding", &telemetry::OtlpSettings::encoding,
       "Encoding of the requests to the collector: protobuf or json."},
      {"headers", &telemetry::OtlpSettings::headers,
       "Headers of the requests to the collector, for example its credentials."},
      {"tls", &telemetry::OtlpSettings::tls, "TLS to the collector."},
      {"timeout", &telemetry::OtlpSettings::timeout, "Timeout of one request to the collector.",
       Range{Duration(10), Duration(600'000)}},
      {"retry_timeout", &telemetry::OtlpSettings::retry_timeout,
       "How long one request is retried before its data is dropped.",
       Range{Duration(0), Duration(3'600'000)}},
      {"initial_retry_interval", &telemetry::OtlpSettings::initial_retry_interval,
       "Pause before the first retry. It doubles with each further one.",
       Range{Duration(10), Duration(600'000)}},
      {"max_retry_interval", &telemetry::OtlpSettings::max_retry_interval,
       "Maximum pause between two retries.", Range{Duration(10), Duration(3'600'000)}},
  });
  return kFields;
}

template <>
const config::Fields& config::fields<telemetry::TraceSettings>() {
  static const Fields kFields = fields_of<telemetry::TraceSettings>({
      {"enabled", &telemetry::TraceSettings::enabled,
       "Whether calls are exported as spans, if there is an endpoint."},
      {"sample_ratio", &telemetry::TraceSettings::sample_ratio,
       "Share of the calls that are exported, from 0 to 1, where no parent decides.",
       Range{0.0, 1.0}},
      {"follow_parent", &telemetry::TraceSettings::follow_parent,
       "Whether a call that belongs to a trace is exported if and only if its parent is sampled."},
      {"failed_calls", &telemetry::TraceSettings::failed_calls,
       "Whether calls that fail are exported even if they were not sampled."},
      {"slow_call_threshold", &telemetry::TraceSettings::slow_call_threshold,
       "Calls that take at least this long are exported even if they were not sampled. 0: they "
       "are not.",
       Range{Duration(0), Duration(3'600'000)}},
      {"content", &telemetry::TraceSettings::content,
       "Whether spans have the arguments and results of calls: none, or full without the "
       "members that `audit.redact` names."},
      {"max_content_size", &telemetry::TraceSettings::max_content_size,
       "Maximum size of the arguments, and of the result, in a span. What is larger is cut.",
       Range{Bytes{64}, Bytes{1 << 20}}},
      {"max_queued_calls", &telemetry::TraceSettings::max_queued_calls,
       "Maximum number of calls that wait to be exported, about 2.5 KiB each. Further ones are "
       "dropped and counted.",
       Range{16, 1'000'000}},
      {"interval", &telemetry::TraceSettings::interval, "Time between two exports.",
       Range{Duration(10), Duration(600'000)}},
  });
  return kFields;
}

template <>
const config::Fields& config::fields<telemetry::MetricSettings>() {
  static const Fields kFields = fields_of<telemetry::MetricSettings>({
      {"enabled", &telemetry::MetricSettings::enabled,
       "Whether metrics are sent to the collector, if there is an endpoint."},
      {"interval", &telemetry::MetricSettings::interval, "Time between two exports.",
       Range{Duration(10), Duration(3'600'000)}},
  });
  return kFields;
}

template <>
const config::Fields& config::fields<telemetry::LogSettings>() {
  static const Fields kFields = fields_of<telemetry::LogSettings>({
      {"enabled", &telemetry::LogSettings::enabled,
       "Whether log lines are sent to the collector, if there is an endpoint."},
      {"max_queue_size", &telemetry::LogSettings::max_queue_size,
       "Maximum size of the lines that wait to be exported. Further ones are dropped and "
       "counted.",
       Range{Bytes{4096}, Bytes{1 << 30}}},
      {"interval", &telemetry::LogSettings::interval, "Time between two exports.",
       Range{Duration(10), Duration(600'000)}},
  });
  return kFields;
}

template <>
const config::Fields& config::fields<telemetry::Settings>() {
  static const Fields kFields = fields_of<telemetry::Settings>({
      {"otlp", &telemetry::Settings::otlp, "The OpenTelemetry collector."},
      {"traces", &telemetry::Settings::traces, "Calls as spans."},
      {"metrics", &telemetry::Settings::metrics, "Metrics sent to the collector."},
      {"logs", &telemetry::Settings::logs, "Log lines sent to the collector."},
      {"service_name", &telemetry::Settings::service_name,
       "The attribute `service.name` of everything that is exported."},
      {"resource", &telemetry::Settings::resource,
       "Further attributes of everything that is exported, such as "
       "deployment.environment.name."},
      {"max_recent_calls", &telemetry::Settings::max_recent_calls,
       "How many finished calls are stored in memory with the times of their stages, about 2 "
       "KiB each, for `patchbay trace` and SIGUSR1. 0: none.",
       Range{0, 1'000'000}},
      {"max_history_upstreams", &telemetry::Settings::max_history_upstreams,
       "How many upstreams have a history of their load in memory, about 20 KiB each, for the "
       "console. The history of all calls together is always stored.",
       Range{0, 100'000}},
  });
  return kFields;
}

}  // namespace patchbay
