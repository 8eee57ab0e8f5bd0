#include "json/cursor.h"

#include <fmt/format.h>

#include "json/ascii.h"
#include "json/plain.h"
#include "json/text.h"
#include "json/utf8_block.h"

namespace patchbay::json {

bool Cursor::fail(const char* fault) {
  if (!fault_) fault_ = fault;
  return false;
}

Error Cursor::error() const {
  return {Code::parse_error,
          fmt::format("invalid JSON at byte {}: {}", at_ - begin_, fault_ ? fault_ : "no fault")};
}

void Cursor::skip_spaces() {
  while (at_ != end_) {
    if (*at_ == '\n' || *at_ == '\r') {
      line_break_ = true;
    } else if (*at_ != ' ' && *at_ != '\t') {
      return;
    }
    ++at_;
  }
}

bool Cursor::value(std::string_view& raw) {
  const Type type = peek();
  if (fault_) return false;
  const char* const from = at_;
  if (type == Type::object || type == Type::array) {
    if (!nested()) return false;
  } else {
    if (!scalar()) return false;
    fresh_ = false;
  }
  raw = {from, static_cast<std::size_t>(at_ - from)};
  return true;
}

bool Cursor::push(bool object) {
  if (depth_ == kMaxDepth) return fail("nested too deeply");
  objects_ = objects_ << 1 | static_cast<std::uint64_t>(object);
  ++depth_;
  ++at_;
  fresh_ = true;
  return true;
}

bool Cursor::enter_object() {
  if (fault_) return false;
  if (peek() != Type::object) return fail("an object is expected");
  return push(true);
}

bool Cursor::enter_array() {
  if (fault_) return false;
  if (peek() != Type::array) return fail("an array is expected");
  return push(false);
}

// Consumes the end of an object or array; false, since nothing follows in it.
inline bool Cursor::leave() {
  ++at_;
  --depth_;
  objects_ >>= 1;
  fresh_ = false;
  return false;
}

bool Cursor::next_member(std::string_view& key, std::string& decoded) {
  if (fault_) return false;
  skip_space();
  if (at_ == end_) return fail("the text ends inside an object");
  if (*at_ == '}') {
    return leave();
  }
  if (!fresh_) {
    if (*at_ != ',') return fail("a comma or the end of the object is expected");
    ++at_;
    skip_space();
  }
  fresh_ = false;
  if (at_ == end_ || *at_ != '"') return fail("a key is expected");
  const char* const from = at_;
  if (!string()) return false;
  key = {from + 1, static_cast<std::size_t>(at_ - from - 2)};
  if (escaped_) {
    decoded.clear();
    if (!append_unquoted(decoded, {from, static_cast<std::size_t>(at_ - from)})) {
      return fail("a key has an unpaired surrogate");
    }
    key = decoded;
  }
  skip_space();
  if (at_ == end_ || *at_ != ':') return fail("a colon is expected");
  ++at_;
  return true;
}

bool Cursor::next_element() {
  if (fault_) return false;
  skip_space();
  if (at_ == end_) return fail("the text ends inside an array");
  if (*at_ == ']') {
    return leave();
  }
  if (!fresh_) {
    if (*at_ != ',') return fail("a comma or the end of the array is expected");
    ++at_;
  }
  fresh_ = false;
  return true;
}

bool Cursor::finish() {
  if (fault_) return false;
  skip_space();
  return at_ == end_ || fail("something follows the value");
}

// Passes an object or array and everything in it without recursion. The levels that it opens are
// bits of objects_, like those of enter_object() and enter_array().
bool Cursor::nested() {
  const int outer = depth_;
  std::string passed;  // The last key that had to be decoded; the caller's own is still in use.
  for (;;) {
    const Type type = peek();
    if (type == Type::object || type == Type::array) {
      if (!push(type == Type::object)) return false;
    } else {
      if (!scalar()) return false;
      fresh_ = false;
    }
    // Advances to the next value inside, closing every level that ends here.
    for (;;) {
      if (depth_ == outer) return true;
      std::string_view key;
      if (objects_ & 1 ? next_member(key, passed) : next_element()) break;
      if (fault_) return false;
    }
  }
}

bool Cursor::scalar() {
  if (at_ == end_) return fail("a value is expected");
  switch (*at_) {
    case '"':
      return string();
    case 't':
      return literal("true");
    case 'f':
      return literal("false");
    case 'n':
      return literal("null");
    default:
      return number();
  }
}

bool Cursor::literal(std::string_view word) {
  if (!std::string_view(at_, static_cast<std::size_t>(end_ - at_)).starts_with(word)) {
    return fail("a value is expected");
  }
  at_ += word.size();
  return true;
}

bool Cursor::number() {
  const char* const from = at_;
  const auto digits = [this] {
    const char* const first = at_;
    while (at_ != end_ && is_digit(*at_)) ++at_;
    return at_ != first;
  };
  if (*at_ == '-') ++at_;
  if (at_ != end_ && *at_ == '0') {
    ++at_;
  } else if (!digits()) {
    return fail("a value is expected");
  }
  if (at_ != end_ && *at_ == '.') {
    ++at_;
    if (!digits()) return fail("a digit is expected after the point");
  }
  if (at_ != end_ && (*at_ == 'e' || *at_ == 'E')) {
    ++at_;
    if (at_ != end_ && (*at_ == '+' || *at_ == '-')) ++at_;
    if (!digits()) return fail("a digit is expected in the exponent");
  }
  if (static_cast<std::size_t>(at_ - from) > kMaxNumber) return fail("a number is too long");
  return true;
}

bool Cursor::string() {
  escaped_ = false;
  at_ = plain_end(at_ + 1, end_);
  if (at_ == end_ || *at_ != '"') return rest_of_string();
  ++at_;
  return true;
}

// From the first character that is not plain.
bool Cursor::rest_of_string() {
  for (;; at_ = plain_end(at_, end_)) {
    if (at_ == end_) return fail("the text ends inside a string");
    if (*at_ == '"') {
      ++at_;
      return true;
    }
    if (*at_ == '\\') {
      if (!escape()) return false;
    } else if (static_cast<unsigned char>(*at_) < 0x20) {
      return fail("a control character in a string must be escaped");
    } else if (!beyond_ascii()) {
      return false;
    }
  }
}

bool Cursor::escape() {
  ++at_;
  escaped_ = true;
  if (at_ == end_) return fail("the text ends inside a string");
  if (*at_ == 'u') {
    for (int i = 1; i <= 4; ++i) {
      if (end_ - at_ <= i || !is_hex(at_[i])) return fail("\\u needs four hexadecimal digits");
    }
    at_ += 5;
    return true;
  }
  if (std::string_view("\"\\/bfnrt").find(*at_) == std::string_view::npos) {
    return fail("an unknown escape");
  }
  ++at_;
  return true;
}

bool Cursor::beyond_ascii() {
  const char* const passed = skip_utf8(at_, end_, needs_a_look);
  if (passed == at_) return utf8();
  at_ = passed;
  return true;
}

bool Cursor::utf8() {
  const std::size_t length = utf8_length({at_, static_cast<std::size_t>(end_ - at_)});
  if (length == 0) return fail("invalid UTF-8");
  at_ += length;
  return true;
}

}  // namespace patchbay::json
