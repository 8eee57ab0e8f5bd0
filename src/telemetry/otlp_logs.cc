#include <array>
#include <optional>

#include "telemetry/otlp_encode.h"
#include "trace/context.h"

namespace patchbay::telemetry {
namespace {

constexpr OtlpLevels kLogLevels{{1, "resourceLogs"}, {2, "scopeLogs"}};
constexpr OtlpField kLogRecords{2, "logRecords"};

// Of a log record.
constexpr OtlpField kLineTime{1, "timeUnixNano"};
constexpr OtlpField kSeverityNumber{2, "severityNumber"};
constexpr OtlpField kSeverityText{3, "severityText"};
constexpr OtlpField kBody{5, "body"};
constexpr OtlpField kLineAttributes{6, "attributes"};
constexpr OtlpField kLineTraceId{9, "traceId"};
constexpr OtlpField kLineSpanId{10, "spanId"};
constexpr OtlpField kObservedTime{11, "observedTimeUnixNano"};
constexpr OtlpField kStringValue{1, "stringValue"};

struct Severity {
  unsigned number;
  std::string_view text;
};
// Of each log::Level.
constexpr std::array kSeverities{Severity{5, "DEBUG"}, Severity{9, "INFO"}, Severity{13, "WARN"},
                                 Severity{17, "ERROR"}, Severity{0, ""}};

// The keys by which lines name their call.
constexpr std::string_view kTraceKey = "trace";
constexpr std::string_view kSpanKey = "span";

template <class Writer>
void put_attribute(Writer& out, std::string_view key, std::string_view value) {
  if (key == kTraceKey && trace::parse_trace_id(value)) return;
  if (key == kSpanKey && trace::parse_span_id(value)) return;
  out.attribute(kLineAttributes, key, value);
}
template <class Writer>
void put_attribute(Writer& out, std::string_view key, std::int64_t value) {
  out.attribute(kLineAttributes, key, value);
}
template <class Writer>
void put_attribute(Writer& out, std::string_view key, double value) {
  out.attribute(kLineAttributes, key, value);
}

template <class Writer>
void put_ids(Writer& out, const log::ExportedLine& line) {
  const auto look = [&out](std::string_view key, const auto& value) {
    if constexpr (std::is_same_v<std::decay_t<decltype(value)>, std::string_view>) {
      if (key == kTraceKey) {
        if (const auto trace_id = trace::parse_trace_id(value)) out.id(kLineTraceId, *trace_id);
      } else if (key == kSpanKey) {
        if (const auto span_id = trace::parse_span_id(value)) out.id(kLineSpanId, *span_id);
      }
    }
  };
  line.each(look);
}

template <class Writer>
void put_line(Writer& out, const log::ExportedLine& line) {
  const auto& severity = kSeverities.at(static_cast<std::size_t>(line.level));
  const auto time = static_cast<std::uint64_t>(line.unix_ns);
  out.fixed64(kLineTime, time);
  out.number(kSeverityNumber, severity.number);
  out.text(kSeverityText, severity.text);
  out.message(kBody, [&] { out.text(kStringValue, line.event); });
  const auto attribute = [&](std::string_view key, auto value) { put_attribute(out, key, value); };
  out.list(kLineAttributes, [&] { line.each(attribute); });
  put_ids(out, line);
  out.fixed64(kObservedTime, time);
}

template <class Writer>
std::size_t put_lines(Writer out, const Resource& resource, const log::ExportedLines& lines) {
  std::size_t count = 0;
  const auto one = [&](const log::ExportedLine& line) {
    out.element(kLogRecords, [&] { put_line(out, line); });
    ++count;
  };
  const auto all = [&] { lines.each(one); };
  put_request(out, kLogLevels, resource, [&] { out.list(kLogRecords, all); });
  return count;
}

}  // namespace

std::size_t encode_lines(Encoding encoding, const Resource& resource,
                         const log::ExportedLines& lines, OtlpBuffer& out) {
  return encoding == Encoding::json ? put_lines(OtlpJsonWriter(out), resource, lines)
                                    : put_lines(ProtobufWriter(out), resource, lines);
}

}  // namespace patchbay::telemetry
