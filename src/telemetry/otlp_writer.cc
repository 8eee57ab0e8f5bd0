#include "telemetry/otlp_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "json/text.h"

namespace patchbay::telemetry {
namespace {

static_assert(std::endian::native == std::endian::little, "fixed numbers are copied as they are");

std::size_t varint_size(std::uint64_t value) {
  return (static_cast<std::size_t>(std::bit_width(value | 1)) + 6) / 7;
}

char* write_varint(char* at, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7U) *at++ = static_cast<char>(value | 0x80U);
  *at++ = static_cast<char>(value);
  return at;
}

// Protobuf refuses a whole message for one text that is not UTF-8.
std::string to_utf8(std::string_view text) {
  std::string whole;
  while (!text.empty()) {
    const std::size_t good = json::utf8_prefix(text);
    whole += text.substr(0, good);
    text.remove_prefix(good);
    if (text.empty()) break;
    whole += json::kReplacement;
    text.remove_prefix(1);
  }
  return whole;
}

}  // namespace

void OtlpBuffer::grow(std::size_t more) {
  const std::size_t capacity = std::max({size_ + more, 2 * capacity_, std::size_t{4096}});
  auto bytes = std::make_unique_for_overwrite<char[]>(capacity);
  if (size_ > 0) std::memcpy(bytes.get(), bytes_.get(), size_);
  bytes_ = std::move(bytes);
  capacity_ = capacity;
}

void ProtobufWriter::put_varint(std::uint64_t value) {
  write_varint(out_.extend(varint_size(value)), value);
}

void ProtobufWriter::long_text(OtlpField field, std::string_view value) {
  if (!is_ascii(value) && !json::is_utf8(value)) return long_text(field, to_utf8(value));
  put_tag(field, 2);
  put_varint(value.size());
  out_.put(value);
}

void ProtobufWriter::fixed64_list(OtlpField field, std::span<const std::uint64_t> values) {
  put_tag(field, 2);
  put_varint(values.size_bytes());
  if (values.empty()) return;
  std::memcpy(out_.extend(values.size_bytes()), values.data(), values.size_bytes());
}

void ProtobufWriter::real_list(OtlpField field, std::span<const double> values) {
  put_tag(field, 2);
  put_varint(values.size_bytes());
  if (values.empty()) return;
  std::memcpy(out_.extend(values.size_bytes()), values.data(), values.size_bytes());
}

// Most of the bytes of a span are attributes, so each is written in one go: KeyValue{key = 1, value
// = 2}, with an AnyValue of `value_size` bytes, which the caller writes.
char* ProtobufWriter::put_key(OtlpField field, std::string_view key, std::size_t value_size) {
  const std::size_t size =
      1 + varint_size(key.size()) + key.size() + 1 + varint_size(value_size) + value_size;
  const std::uint32_t tag = field.number << 3U | 2U;
  char* at = write_varint(out_.extend(varint_size(tag) + varint_size(size) + size), tag);
  at = write_varint(at, size);
  *at++ = 1U << 3U | 2U;
  at = write_varint(at, key.size());
  std::memcpy(at, key.data(), key.size());
  at += key.size();
  *at++ = 2U << 3U | 2U;
  return write_varint(at, value_size);
}

void ProtobufWriter::long_attribute(OtlpField field, std::string_view key, std::string_view value) {
  if (!is_ascii(value) && !json::is_utf8(value)) return long_attribute(field, key, to_utf8(value));
  char* at = put_key(field, key, 1 + varint_size(value.size()) + value.size());
  *at++ = 1U << 3U | 2U;  // string_value
  at = write_varint(at, value.size());
  value.copy(at, value.size());
}

void ProtobufWriter::attribute(OtlpField field, std::string_view key, std::int64_t value) {
  const auto bits = static_cast<std::uint64_t>(value);
  char* at = put_key(field, key, 1 + varint_size(bits));
  *at++ = 3U << 3U;  // int_value
  write_varint(at, bits);
}

void ProtobufWriter::attribute(OtlpField field, std::string_view key, double value) {
  char* at = put_key(field, key, 1 + sizeof(value));
  *at++ = 4U << 3U | 1U;  // double_value
  std::memcpy(at, &value, sizeof(value));
}

// Writes the size of the message that starts at `begin` into the byte before it. Longer sizes need
// more bytes, so the message is moved.
void ProtobufWriter::close(std::size_t begin) {
  const std::size_t size = out_.size() - begin;
  const std::size_t more = varint_size(size) - 1;
  if (more > 0) {
    out_.extend(more);
    std::memmove(out_.at(begin + more), out_.at(begin), size);
  }
  write_varint(out_.at(begin - 1), size);
}

void OtlpJsonWriter::put_comma() {
  const char last = out_.size() > 0 ? out_.view().back() : '{';
  if (last != '{' && last != '[') out_.put(',');
}

void OtlpJsonWriter::put_name(std::string_view name) {
  put_comma();
  out_.put('"');
  out_.put(name);
  out_.put("\":");
}

void OtlpJsonWriter::put_quoted(std::string_view text) { out_.put(json::quote(text)); }

void OtlpJsonWriter::put_real(double value) {
  if (std::isnan(value)) return out_.put("\"NaN\"");
  if (std::isinf(value)) return out_.put(value > 0 ? "\"Infinity\"" : "\"-Infinity\"");
  out_.put(fmt::format("{}", value));
}

void OtlpJsonWriter::text(OtlpField field, std::string_view value) {
  put_name(field.name);
  put_quoted(value);
}

void OtlpJsonWriter::id(OtlpField field, std::span<const std::uint8_t> value) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  put_name(field.name);
  char* at = out_.extend(2 * value.size() + 2);
  *at++ = '"';
  for (const std::uint8_t byte : value) {
    *at++ = kDigits[byte >> 4U];
    *at++ = kDigits[byte & 15U];
  }
  *at = '"';
}

void OtlpJsonWriter::number(OtlpField field, std::uint64_t value) {
  put_name(field.name);
  const fmt::format_int digits(value);
  out_.put({digits.data(), digits.size()});
}

void OtlpJsonWriter::flag(OtlpField field, bool value) {
  put_name(field.name);
  out_.put(value ? "true" : "false");
}

// Numbers of 64 bits are strings in the JSON of protobuf.
void OtlpJsonWriter::fixed64(OtlpField field, std::uint64_t value) {
  put_name(field.name);
  out_.put(fmt::format("\"{}\"", value));
}

void OtlpJsonWriter::signed64(OtlpField field, std::int64_t value) {
  put_name(field.name);
  out_.put(fmt::format("\"{}\"", value));
}

void OtlpJsonWriter::real(OtlpField field, double value) {
  put_name(field.name);
  put_real(value);
}

void OtlpJsonWriter::fixed64_list(OtlpField field, std::span<const std::uint64_t> values) {
  const auto write = [&] {
    for (const std::uint64_t value : values) {
      put_comma();
      out_.put(fmt::format("\"{}\"", value));
    }
  };
  list(field, write);
}

void OtlpJsonWriter::real_list(OtlpField field, std::span<const double> values) {
  const auto write = [&] {
    for (const double value : values) {
      put_comma();
      put_real(value);
    }
  };
  list(field, write);
}

void OtlpJsonWriter::attribute(OtlpField /*field*/, std::string_view key, std::string_view value) {
  put_comma();
  out_.put("{\"key\":");
  put_quoted(key);
  out_.put(",\"value\":{\"stringValue\":");
  put_quoted(value);
  out_.put("}}");
}

void OtlpJsonWriter::attribute(OtlpField /*field*/, std::string_view key, std::int64_t value) {
  put_comma();
  out_.put("{\"key\":");
  put_quoted(key);
  out_.put(fmt::format(",\"value\":{{\"intValue\":\"{}\"}}}}", value));
}

void OtlpJsonWriter::attribute(OtlpField /*field*/, std::string_view key, double value) {
  put_comma();
  out_.put("{\"key\":");
  put_quoted(key);
  out_.put(",\"value\":{\"doubleValue\":");
  put_real(value);
  out_.put("}}");
}

}  // namespace patchbay::telemetry
