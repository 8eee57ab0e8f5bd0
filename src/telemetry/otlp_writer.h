// Writers of OTLP messages. An encoder is written once, as a template over the writer: it names
// each field by its number, for protobuf, and by its name, for JSON. Field numbers are those of
// opentelemetry-proto v1.
//
// Values; confined to one thread.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace patchbay::telemetry {

// A field of a message.
struct OtlpField {
  std::uint32_t number;
  std::string_view name;
};

// Eight bytes at a time: most texts are short names.
inline bool is_ascii(std::string_view text) {
  constexpr std::uint64_t kHighBits = 0x8080808080808080;
  const char* at = text.data();
  std::size_t left = text.size();
  std::uint64_t bits = 0;
  for (; left >= sizeof(bits); left -= sizeof(bits), at += sizeof(bits)) {
    std::uint64_t eight = 0;
    std::memcpy(&eight, at, sizeof(eight));
    bits |= eight;
  }
  for (; left > 0; --left, ++at) bits |= static_cast<unsigned char>(*at);
  return (bits & kHighBits) == 0;
}

// The bytes that are written. Their memory is reused for the following requests.
class OtlpBuffer {
 public:
  void clear() { size_ = 0; }
  // Releases memory that an unusually large request needed.
  void trim(std::size_t most) {
    if (capacity_ <= most) return;
    bytes_.reset();
    capacity_ = size_ = 0;
  }
  std::string_view view() const { return {bytes_.get(), size_}; }
  std::size_t size() const { return size_; }
  char* at(std::size_t offset) { return bytes_.get() + offset; }

  // Extends the bytes by `more`; the caller writes them.
  char* extend(std::size_t more) {
    if (capacity_ - size_ < more) grow(more);
    char* const end = bytes_.get() + size_;
    size_ += more;
    return end;
  }
  void put(std::string_view bytes) {
    if (!bytes.empty()) std::memcpy(extend(bytes.size()), bytes.data(), bytes.size());
  }
  void put(char byte) { *extend(1) = byte; }

 private:
  void grow(std::size_t more);

  std::unique_ptr<char[]> bytes_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

// The code that runs for each span and each of its attributes is inline: fields and keys are
// constants, so most of it is evaluated at compile time.
class ProtobufWriter {
 public:
  explicit ProtobufWriter(OtlpBuffer& out) : out_(out) {}

  void text(OtlpField field, std::string_view value) {
    if (value.size() > kMostShort || !is_ascii(value)) return long_text(field, value);
    put_tag(field, kLengthType);
    out_.put(static_cast<char>(value.size()));
    out_.put(value);
  }
  template <std::size_t N>
  void id(OtlpField field, const std::array<std::uint8_t, N>& value) {
    static_assert(N <= kMostShort);
    put_tag(field, kLengthType);
    char* const at = out_.extend(N + 1);
    *at = static_cast<char>(N);
    std::memcpy(at + 1, value.data(), N);
  }
  // An enum, or an unsigned number of 32 bits.
  void number(OtlpField field, std::uint64_t value) {
    put_tag(field, 0);
    if (value > kMostShort) return put_varint(value);
    out_.put(static_cast<char>(value));
  }
  void flag(OtlpField field, bool value) { number(field, value ? 1 : 0); }
  void fixed32(OtlpField field, std::uint32_t value) { put_fixed(field, 5, &value, sizeof(value)); }
  void fixed64(OtlpField field, std::uint64_t value) { put_fixed(field, 1, &value, sizeof(value)); }
  void signed64(OtlpField field, std::int64_t value) { put_fixed(field, 1, &value, sizeof(value)); }
  void real(OtlpField field, double value) { put_fixed(field, 1, &value, sizeof(value)); }
  void fixed64_list(OtlpField field, std::span<const std::uint64_t> values);
  void real_list(OtlpField field, std::span<const double> values);

  // A KeyValue. `field` is the list of attributes that it is in. Keys are constants, which are
  // copied in one or two instructions where this is inline.
  [[gnu::always_inline]] void attribute(OtlpField field, std::string_view key,
                                        std::string_view value) {
    // KeyValue{key = 1, value = 2}, with AnyValue{string_value = 1}.
    constexpr std::size_t kAround = 8;
    if (key.size() + value.size() + kAround > kMostShort || !is_ascii(value)) {
      return long_attribute(field, key, value);
    }
    put_tag(field, kLengthType);
    char* at = out_.extend(key.size() + value.size() + kAround - 1);
    *at++ = static_cast<char>(key.size() + value.size() + kAround - 2);
    *at++ = 1U << 3U | kLengthType;
    *at++ = static_cast<char>(key.size());
    std::memcpy(at, key.data(), key.size());
    at += key.size();
    *at++ = 2U << 3U | kLengthType;
    *at++ = static_cast<char>(value.size() + 2);
    *at++ = 1U << 3U | kLengthType;
    *at++ = static_cast<char>(value.size());
    value.copy(at, value.size());
  }
  void attribute(OtlpField field, std::string_view key, std::int64_t value);
  void attribute(OtlpField field, std::string_view key, double value);

  // A message whose content `write` writes.
  template <class Write>
  void message(OtlpField field, Write write) {
    put_tag(field, kLengthType);
    const std::size_t begin = out_.size() + 1;
    out_.put('\0');
    write();
    const std::size_t size = out_.size() - begin;
    if (size > kMostShort) return close(begin);
    *out_.at(begin - 1) = static_cast<char>(size);
  }
  // A list whose elements `write` writes with element() or attribute().
  template <class Write>
  void list(OtlpField /*field*/, Write write) {
    write();
  }
  template <class Write>
  void element(OtlpField field, Write write) {
    message(field, write);
  }
  // The whole request.
  template <class Write>
  void document(Write write) {
    write();
  }

 private:
  static constexpr unsigned kLengthType = 2;      // The wire type of fields with a length.
  static constexpr std::size_t kMostShort = 127;  // A size of one byte.

  void put_tag(OtlpField field, unsigned wire_type) {
    const std::uint32_t tag = field.number << 3U | wire_type;
    if (tag >= 0x80) return put_varint(tag);
    out_.put(static_cast<char>(tag));
  }
  void long_text(OtlpField field, std::string_view value);
  void long_attribute(OtlpField field, std::string_view key, std::string_view value);
  void put_varint(std::uint64_t value);
  void put_fixed(OtlpField field, unsigned wire_type, const void* value, std::size_t size) {
    put_tag(field, wire_type);
    std::memcpy(out_.extend(size), value, size);
  }
  char* put_key(OtlpField field, std::string_view key, std::size_t value_size);
  void close(std::size_t begin);

  OtlpBuffer& out_;
};

class OtlpJsonWriter {
 public:
  explicit OtlpJsonWriter(OtlpBuffer& out) : out_(out) {}

  void text(OtlpField field, std::string_view value);
  void id(OtlpField field, std::span<const std::uint8_t> value);
  void number(OtlpField field, std::uint64_t value);
  void flag(OtlpField field, bool value);
  void fixed32(OtlpField field, std::uint32_t value) { number(field, value); }
  void fixed64(OtlpField field, std::uint64_t value);
  void signed64(OtlpField field, std::int64_t value);
  void real(OtlpField field, double value);
  void fixed64_list(OtlpField field, std::span<const std::uint64_t> values);
  void real_list(OtlpField field, std::span<const double> values);

  void attribute(OtlpField field, std::string_view key, std::string_view value);
  void attribute(OtlpField field, std::string_view key, std::int64_t value);
  void attribute(OtlpField field, std::string_view key, double value);

  template <class Write>
  void message(OtlpField field, Write write) {
    put_name(field.name);
    document(write);
  }
  template <class Write>
  void list(OtlpField field, Write write) {
    put_name(field.name);
    out_.put('[');
    write();
    out_.put(']');
  }
  template <class Write>
  void element(OtlpField /*field*/, Write write) {
    put_comma();
    document(write);
  }
  template <class Write>
  void document(Write write) {
    out_.put('{');
    write();
    out_.put('}');
  }

 private:
  void put_comma();
  void put_name(std::string_view name);
  void put_quoted(std::string_view text);
  void put_real(double value);

  OtlpBuffer& out_;
};

}  // namespace patchbay::telemetry
