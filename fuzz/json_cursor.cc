// Fuzzes json::Cursor, which reads every byte from outside first. Beyond memory faults it checks
// that the two ways to read a text agree: taking it as one value, and walking into all of it.
#include "fuzz/require.h"
#include "json/read.h"

namespace patchbay::json {
namespace {

using fuzz::require;

void check_string(std::string_view raw) {
  const auto text = unquote(raw);
  if (!text)
    return;  // An unpaired surrogate: the grammar allows it, but UTF-8 cannot represent it.
  require(is_utf8(*text));
  const auto again = unquote(quote(*text));
  require(again && *again == *text);
}

// Passes over one value by entering everything that can be entered.
bool walk(Cursor& at) {
  std::string_view key;
  std::string_view raw;
  switch (at.peek()) {
    case Type::object:
      if (!at.enter_object()) return false;
      while (at.next_member(key)) {
        require(is_utf8(key));
        if (!walk(at)) return false;
      }
      return !at.failed();
    case Type::array:
      if (!at.enter_array()) return false;
      while (at.next_element()) {
        if (!walk(at)) return false;
      }
      return !at.failed();
    case Type::string:
      if (!at.value(raw)) return false;
      check_string(raw);
      return true;
    default:
      return at.value(raw);
  }
}

void check_text(std::string_view text) {
  Cursor taken(text);
  std::string_view raw;
  const bool valid = taken.value(raw) && taken.finish();

  Cursor walked(text);
  require((walk(walked) && walked.finish()) == valid);
  require(taken.failed() == !valid);
  if (!valid) return;

  // The slice lies inside the text and is JSON by itself, on one line too.
  require(raw.data() >= text.data() && raw.data() + raw.size() <= text.data() + text.size());
  require(is_utf8(raw));
  const std::string line = on_one_line(raw);
  require(line.find('\n') == std::string::npos && line.size() == raw.size());
  require(static_cast<bool>(check(line)));
  require(taken.saw_line_break() || line == raw);

  each_member(raw, [](std::string_view, std::string_view value) {
    require(static_cast<bool>(check(value)));
    as_int(value), as_double(value), as_bool(value), as_string(value);
  });
}

}  // namespace
}  // namespace patchbay::json

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  patchbay::json::check_text(patchbay::fuzz::text_of(data, size));
  return 0;
}
