#include <fmt/format.h>

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <set>
#include <utility>

#include "bus/avro/types.h"
#include "core/base64.h"
#include "json/text.h"

namespace patchbay::bus {
namespace {

constexpr int kMostVarint = 10;  // Bytes of a number of 64 bits.

// Reads the bytes once, front to back, and writes JSON. After a fault every step returns false.
class Reader {
 public:
  Reader(const AvroTypes& types, std::string_view bytes, std::size_t most)
      : types_(types), bytes_(bytes), most_(most) {}

  Result<std::string> read(AvroId id) {
    if (take(id, 0) && at_ != bytes_.size()) {
      fail(fmt::format("{} bytes are left over after the value", left()));
    }
    if (out_.size() > most_) fail("the value is too large", Code::too_large);
    if (fault_) return *fault_;
    return std::move(out_);
  }

 private:
  bool fail(std::string_view what, Code code = Code::parse_error) {
    if (!fault_) fault_ = Error{code, fmt::format("at byte {}: {}", at_, what)};
    return false;
  }
  std::size_t left() const { return bytes_.size() - at_; }

  bool take(AvroId id, std::size_t depth);
  bool take_record(const AvroType& type, std::size_t depth);
  bool take_symbol(const AvroType& type);
  bool take_array(const AvroType& type, std::size_t depth);
  bool take_map(const AvroType& type, std::size_t depth);
  bool take_branch(const AvroType& type, std::size_t depth);
  bool take_boolean();
  bool take_whole(bool is_long);
  template <class Number, class Bits>
  bool take_fraction();
  bool take_text();
  bool take_blob(std::size_t size);

  // Calls `one` for each item of an array or a map, which are written in blocks.
  template <class One>
  bool blocks(One one);

  bool number(std::int64_t& value);
  bool length(std::size_t& size);
  bool text(std::string_view& text);

  const AvroTypes& types_;
  const std::string_view bytes_;
  const std::size_t most_;  // Of the output.
  std::size_t at_ = 0;
  std::size_t values_ = 0;
  std::string out_;
  std::optional<Error> fault_;
};

bool Reader::take(AvroId id, std::size_t depth) {
  const AvroLimits& limits = types_.limits;
  if (depth > limits.depth) return fail("the value is nested too deeply", Code::too_large);
  if (++values_ > limits.values) return fail("the value has too many parts", Code::too_large);
  if (out_.size() > most_) return fail("the value is too large", Code::too_large);
  const AvroType& type = types_[id];
  switch (type.kind) {
    case AvroKind::null:
      out_ += "null";
      return true;
    case AvroKind::boolean:
      return take_boolean();
    case AvroKind::integer:
    case AvroKind::long_integer:
      return take_whole(type.kind == AvroKind::long_integer);
    case AvroKind::single:
      return take_fraction<float, std::uint32_t>();
    case AvroKind::double_precision:
      return take_fraction<double, std::uint64_t>();
    case AvroKind::bytes: {
      std::size_t size = 0;
      return length(size) && take_blob(size);
    }
    case AvroKind::string:
      return take_text();
    case AvroKind::record:
      return take_record(type, depth);
    case AvroKind::enumeration:
      return take_symbol(type);
    case AvroKind::array:
      return take_array(type, depth);
    case AvroKind::map:
      return take_map(type, depth);
    case AvroKind::alternatives:
      return take_branch(type, depth);
    case AvroKind::fixed:
      return take_blob(type.size);
  }
  return false;
}

// Seven bits per byte, the lowest first; the sign is the lowest bit of the result.
bool Reader::number(std::int64_t& value) {
  std::uint64_t bits = 0;
  for (int i = 0; i < kMostVarint; ++i) {
    if (left() == 0) return fail("the value is cut off");
    const auto byte = static_cast<unsigned char>(bytes_[at_++]);
    if (i == kMostVarint - 1 && byte > 1) break;
    bits |= std::uint64_t{byte & 0x7FU} << (7 * i);
    if (byte < 0x80) {
      value = static_cast<std::int64_t>((bits >> 1) ^ (~(bits & 1) + 1));
      return true;
    }
  }
  return fail("a number has more than 64 bits");
}

// The length of what follows.
bool Reader::length(std::size_t& size) {
  std::int64_t value = 0;
  if (!number(value)) return false;
  if (value < 0) return fail("a length is negative");
  if (static_cast<std::uint64_t>(value) > left()) {
    return fail(fmt::format("a length of {} where {} bytes are left", value, left()));
  }
  size = static_cast<std::size_t>(value);
  return true;
}

bool Reader::take_boolean() {
  if (left() == 0) return fail("the value is cut off");
  const char byte = bytes_[at_++];
  if (byte != 0 && byte != 1) return fail("a boolean is neither 0 nor 1");
  out_ += byte == 1 ? "true" : "false";
  return true;
}

bool Reader::take_whole(bool is_long) {
  std::int64_t value = 0;
  if (!number(value)) return false;
  if (!is_long && !std::in_range<std::int32_t>(value)) return fail("an int has more than 32 bits");
  fmt::format_to(std::back_inserter(out_), "{}", value);
  return true;
}

template <class Number, class Bits>
bool Reader::take_fraction() {
  static_assert(sizeof(Number) == sizeof(Bits) && std::endian::native == std::endian::little);
  if (left() < sizeof(Bits)) return fail("the value is cut off");
  Number value = 0;
  std::memcpy(&value, bytes_.data() + at_, sizeof(value));
  at_ += sizeof(value);
  if (!std::isfinite(value)) return fail("JSON has no NaN and no infinity");
  std::array<char, 64> text{};
  const auto written = std::to_chars(text.data(), text.data() + text.size(), value);
  out_.append(text.data(), written.ptr);
  return true;
}

bool Reader::text(std::string_view& text) {
  std::size_t size = 0;
  if (!length(size)) return false;
  text = bytes_.substr(at_, size);
  if (!json::is_utf8(text)) return fail("a string is not UTF-8");
  at_ += size;
  return true;
}

bool Reader::take_text() {
  std::string_view taken;
  if (!text(taken)) return false;
  json::append_quoted(out_, taken);
  return true;
}

bool Reader::take_blob(std::size_t size) {
  if (size > left()) return fail("the value is cut off");
  out_ += '"';
  out_ += base64_encode(bytes_.substr(at_, size));
  out_ += '"';
  at_ += size;
  return true;
}

bool Reader::take_record(const AvroType& type, std::size_t depth) {
  out_ += '{';
  bool first = true;
  for (const AvroField& field : type.fields) {
    if (!first) out_ += ',';
    first = false;
    json::append_quoted(out_, field.name);
    out_ += ':';
    if (!take(field.type, depth + 1)) return false;
  }
  out_ += '}';
  return true;
}

bool Reader::take_symbol(const AvroType& type) {
  std::int64_t index = 0;
  if (!number(index)) return false;
  if (index < 0 || static_cast<std::uint64_t>(index) >= type.symbols.size()) {
    return fail(fmt::format("{} has no symbol {}", type.name, index));
  }
  json::append_quoted(out_, type.symbols[static_cast<std::size_t>(index)]);
  return true;
}

bool Reader::take_branch(const AvroType& type, std::size_t depth) {
  std::int64_t index = 0;
  if (!number(index)) return false;
  if (index < 0 || static_cast<std::uint64_t>(index) >= type.branches.size()) {
    return fail(fmt::format("a union of {} types has no type {}", type.branches.size(), index));
  }
  return take(type.branches[static_cast<std::size_t>(index)], depth);
}

// A block is a count and that many items; a negative count is followed by the size of the block in
// bytes. A count of 0 ends the sequence.
template <class One>
bool Reader::blocks(One one) {
  for (;;) {
    std::int64_t count = 0;
    if (!number(count)) return false;
    if (count == 0) return true;
    std::optional<std::size_t> end;
    if (count < 0) {
      std::size_t size = 0;
      if (!length(size)) return false;
      end = at_ + size;
      count = count == std::numeric_limits<std::int64_t>::min() ? -(count + 1) : -count;
    }
    // Items may take no bytes at all, so the number of values is bounded.
    for (; count > 0; --count) {
      if (!one()) return false;
    }
    if (end && *end != at_) return fail("a block does not have its stated size");
  }
}

bool Reader::take_array(const AvroType& type, std::size_t depth) {
  out_ += '[';
  bool first = true;
  const bool whole = blocks([&] {
    if (!first) out_ += ',';
    first = false;
    return take(type.items, depth + 1);
  });
  out_ += ']';
  return whole;
}

bool Reader::take_map(const AvroType& type, std::size_t depth) {
  out_ += '{';
  std::set<std::string_view> keys;
  const bool whole = blocks([&] {
    if (!keys.empty()) out_ += ',';
    std::string_view key;
    if (!text(key)) return false;
    if (!keys.insert(key).second) return fail("a map has a duplicate key");
    json::append_quoted(out_, key);
    out_ += ':';
    return take(type.items, depth + 1);
  });
  out_ += '}';
  return whole;
}

}  // namespace

Result<std::string> read_avro(const AvroTypes& types, AvroId id, std::string_view bytes,
                              std::size_t most) {
  return Reader(types, bytes, most).read(id);
}

}  // namespace patchbay::bus
