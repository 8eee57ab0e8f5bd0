// A Cursor walks over JSON text once, from front to back, and yields raw slices of it. It checks
// everything it passes: grammar (RFC 8259, nothing more), UTF-8, depth. Nothing is copied or built.
//
//   Cursor at(text);
//   if (at.enter_object()) {
//     std::string_view key;
//     while (at.next_member(key)) {
//       if (key == "id") at.value(id); else at.skip();
//     }
//   }
//   if (!at.finish()) return at.error();
//
// After a fault every step returns false, so it is enough to check at the end. Values only; the
// text outlives the cursor and the slices.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/result.h"

namespace patchbay::json {

inline constexpr int kMaxDepth = 64;
inline constexpr std::size_t kMaxNumber = 512;  // Characters; a longer number is an attack.

enum class Type : std::uint8_t { none, object, array, string, number, boolean, null };

// The type of a value by its first byte.
inline constexpr auto kTypeByFirst = [] {
  std::array<Type, 256> types{};
  for (std::size_t digit = '0'; digit <= '9'; ++digit) types[digit] = Type::number;
  types['-'] = Type::number;
  types['{'] = Type::object;
  types['['] = Type::array;
  types['"'] = Type::string;
  types['t'] = types['f'] = Type::boolean;
  types['n'] = Type::null;
  return types;
}();

class Cursor {
 public:
  explicit Cursor(std::string_view text)
      : begin_(text.data()), at_(text.data()), end_(text.data() + text.size()) {}

  // The type of the next value; none at the end or before an invalid byte.
  Type peek() {
    if (fault_) return Type::none;
    skip_space();
    return at_ == end_ ? Type::none : kTypeByFirst[static_cast<unsigned char>(*at_)];
  }

  // Consumes one whole value of any type.
  bool value(std::string_view& raw);
  bool skip() {
    std::string_view ignored;
    return value(ignored);
  }

  // Enters an object; next_member() then yields each key until the object ends. After each key its
  // value must be taken or entered. A key with escapes is yielded decoded and stays valid until the
  // next call; taking the value does not invalidate it.
  bool enter_object();
  bool next_member(std::string_view& key) { return next_member(key, decoded_key_); }

  // Whether the key that next_member() has just yielded had to be decoded.
  bool key_was_decoded() const { return escaped_; }

  // The same for an array.
  bool enter_array();
  bool next_element();

  // True when nothing but white space follows.
  bool finish();

  // The position of the next step; after peek(), the first byte of the value.
  const char* position() const { return at_; }

  bool failed() const { return fault_ != nullptr; }
  Error error() const;

  // True if there was a line break between values: such text cannot be sent on one line unchanged.
  bool saw_line_break() const { return line_break_; }

 private:
  bool fail(const char* fault);
  // Usually there is none.
  void skip_space() {
    if (at_ == end_ || *at_ <= ' ') skip_spaces();
  }
  void skip_spaces();
  bool push(bool object);
  bool leave();
  bool next_member(std::string_view& key, std::string& decoded);
  bool string();
  bool rest_of_string();
  bool escape();
  bool beyond_ascii();
  bool utf8();
  bool number();
  bool literal(std::string_view word);
  bool scalar();
  bool nested();

  const char* const begin_;
  const char* at_;
  const char* const end_;
  const char* fault_ = nullptr;
  std::uint64_t objects_ = 0;  // One bit per level: set for an object, clear for an array.
  int depth_ = 0;
  bool fresh_ = false;  // Just entered: no comma is expected.
  bool line_break_ = false;
  bool escaped_ = false;  // There was an escape in the last string.
  std::string decoded_key_;
};

}  // namespace patchbay::json
