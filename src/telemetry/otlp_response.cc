#include "telemetry/otlp_response.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "json/read.h"

namespace patchbay::telemetry {
namespace {

// A reader of protobuf fields. After a fault it yields nothing more.
class ProtobufReader {
 public:
  explicit ProtobufReader(std::string_view bytes) : rest_(bytes) {}

  struct Field {
    std::uint64_t number = 0;
    std::uint64_t value = 0;  // Of a varint.
    std::string_view bytes;   // Of a field with a length.
  };

  std::optional<Field> next() {
    const auto tag = take_varint();
    if (!tag) return std::nullopt;
    Field field{.number = *tag >> 3U, .value = 0, .bytes = {}};
    const auto type = static_cast<unsigned>(*tag & 7U);
    if (type == 0) {
      const auto value = take_varint();
      if (!value) return std::nullopt;
      field.value = *value;
      return field;
    }
    // Fixed-size numbers are skipped, because answers contain none.
    const auto size = type == 2   ? take_varint()
                      : type == 1 ? std::optional<std::uint64_t>(8)
                      : type == 5 ? std::optional<std::uint64_t>(4)
                                  : std::nullopt;
    if (!size || *size > rest_.size()) return std::nullopt;
    field.bytes = rest_.substr(0, *size);
    rest_.remove_prefix(*size);
    return field;
  }

 private:
  std::optional<std::uint64_t> take_varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && !rest_.empty(); shift += 7) {
      const auto byte = static_cast<unsigned char>(rest_.front());
      rest_.remove_prefix(1);
      value |= std::uint64_t{byte & 0x7FU} << shift;
      if (byte < 0x80) return value;
    }
    return std::nullopt;
  }

  std::string_view rest_;
};

PartialSuccess read_protobuf(std::string_view body) {
  PartialSuccess partial;
  ProtobufReader response(body);
  while (const auto field = response.next()) {
    if (field->number != 1) continue;
    ProtobufReader inner(field->bytes);
    while (const auto member = inner.next()) {
      if (member->number == 1) partial.rejected = member->value;
      if (member->number == 2) partial.why = std::string(member->bytes);
    }
  }
  return partial;
}

std::uint64_t read_count(std::string_view raw) {
  const auto text = json::as_string(raw);
  const std::string digits = text ? *text : std::string(raw);
  std::uint64_t count = 0;
  const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), count);
  return parsed.ec == std::errc() ? count : 0;
}

PartialSuccess read_json(std::string_view body) {
  PartialSuccess partial;
  if (!json::check(body)) return partial;
  const auto raw = json::member(body, "partialSuccess");
  if (!raw) return partial;
  for (const std::string_view key : {"rejectedSpans", "rejectedDataPoints", "rejectedLogRecords"}) {
    if (const auto count = json::member(*raw, key)) partial.rejected = read_count(*count);
  }
  partial.why = json::string_member(*raw, "errorMessage").value_or("");
  return partial;
}

}  // namespace

PartialSuccess read_partial_success(Encoding encoding, std::string_view body) {
  return encoding == Encoding::json ? read_json(body) : read_protobuf(body);
}

bool is_retryable(int status) {
  constexpr std::array kRetryable{429, 502, 503, 504};
  return std::ranges::find(kRetryable, status) != kRetryable.end();
}

std::optional<std::chrono::seconds> read_retry_after(std::string_view field) {
  constexpr std::uint64_t kMost = 86'400;
  std::uint64_t seconds = 0;
  const char* const end = field.data() + field.size();
  const auto parsed = std::from_chars(field.data(), end, seconds);
  if (parsed.ec != std::errc() || parsed.ptr != end) return std::nullopt;
  return std::chrono::seconds(std::min(seconds, kMost));
}

}  // namespace patchbay::telemetry
